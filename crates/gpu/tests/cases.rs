//! Runs every case of the op table on the device and compares it with the reference. Floats have
//! the tolerances below, everything else must be equal. Cases with f64 are rejected, and counted.
use brasa_gpu::run;
use brasa_ir::case::{Case, cases};
use brasa_ir::{Array, DType, ErrorKind, Id, Recorder, eval};
use std::collections::HashMap;

/// The tolerance relative to one plus the element's magnitude. GPUs may round functions of f32 by
/// some units in the last place, and sums are computed in another order.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::F32 => 2e-5,
        _ => 0.0,
    }
}

#[derive(PartialEq)]
enum Outcome {
    Same,
    Rejected,
}

fn check(case: Case, float: DType) -> Result<Outcome, String> {
    let g = Recorder::default();
    let recorded = case.record(&g, float).map_err(|e| e.to_string())?;
    let graph = g.into_graph();
    let inputs: HashMap<Id, Array> = recorded.inputs.iter().cloned().collect();
    let want = eval(&graph, &inputs, &recorded.outputs).map_err(|e| e.to_string())?;
    let got = match run(&graph, &inputs, &recorded.outputs) {
        Ok(got) => got,
        Err(e) if e.kind() == ErrorKind::DType && e.message().contains("do not support f64") => {
            return Ok(Outcome::Rejected);
        }
        Err(e) => return Err(e.to_string()),
    };
    for (n, (got, want)) in got.iter().zip(&want).enumerate() {
        if got.ty != want.ty {
            return Err(format!("output {n} is {}, reference {}", got.ty, want.ty));
        }
        let most = tolerance(want.dtype());
        for i in 0..want.len() {
            let (got, want) = (got.f64(i), want.f64(i));
            let is_same = got == want || got.is_nan() && want.is_nan();
            let is_close = (got - want).abs() <= most * (1.0 + want.abs());
            if !is_same && !is_close {
                return Err(format!("output {n}, element {i}: {got}, reference {want}"));
            }
        }
    }
    Ok(Outcome::Same)
}

/// Checks all cases with `float` in place of their floats, and shows all failures. Returns how
/// many cases agree and how many are rejected.
fn check_all(float: DType) -> (usize, usize) {
    let (mut failures, mut same, mut refused) = (Vec::new(), 0, 0);
    for case in cases() {
        match check(case, float) {
            Ok(Outcome::Same) => same += 1,
            Ok(Outcome::Rejected) => refused += 1,
            Err(why) => failures.push(format!("{case}: {why}")),
        }
    }
    assert!(failures.is_empty(), "{} cases fail\n{}", failures.len(), failures.join("\n"));
    println!("{float}: {same} cases agree, {refused} have f64 and are rejected");
    (same, refused)
}

#[test]
#[ignore = "needs an adapter"]
fn cases_agree_with_the_reference() {
    let (same, refused) = check_all(DType::F32);
    assert!(refused * 50 < same, "{refused} cases are rejected, {same} agree");
}
