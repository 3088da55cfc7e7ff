//! Random graphs: compiled programs agree with the reference device, and give the same bits on any
//! number of threads. `BRASA_FUZZ=n` tries `n` graphs.
#[path = "common/levels.rs"]
mod levels;

use brasa_compile::{Options, Target, compile_with};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{Array, DType, Recorder, eval, text};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::collections::HashMap;

/// As many graphs as `BRASA_FUZZ` says, by default a few.
fn config() -> Config {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(256);
    Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(cases.into()),
        ..Config::default()
    }
}

/// The outputs in f64 for inputs that are off by slightly more than rounding. Elements that differ
/// there depend on a tie, such as a comparison of equal values, and cannot be compared.
fn nearby(recipe: &Recipe, off: f64) -> Result<Vec<Array>, String> {
    let g = Recorder::default();
    let built = build(recipe, &g, DType::F64);
    let moved = |x: &Array| {
        let sign = |i: usize| if (i * 7 / 3).is_multiple_of(2) { off } else { -off };
        Array::from_f64(&x.ty, (0..x.len()).map(|i| x.f64(i) + sign(i)))
    };
    let inputs: HashMap<_, _> = built.inputs.iter().map(|(id, x)| (*id, moved(x))).collect();
    g.read(|graph| eval(graph, &inputs, &built.outputs)).map_err(|e| e.to_string())
}

/// The first element that differs by more than rounding and does not depend on a tie.
fn difference(recipe: &Recipe, n: usize, got: &Array, want: &Array) -> Option<String> {
    let (mut i, mut what) = first_difference(got, want, 0)?;
    let near = [1e-6, -1e-6, 1e-5].map(|off| nearby(recipe, off));
    let is_firm = |i: usize| {
        let want = want.f64(i);
        let stays = |near: &Vec<Array>| is_near(near[n].f64(i), want, 1e-2);
        near.iter().flatten().all(stays)
    };
    while !is_firm(i) {
        (i, what) = first_difference(got, want, i + 1)?;
    }
    Some(what)
}

/// Whether two numbers agree; infinities and NaN must be equal.
fn is_near(a: f64, b: f64, tolerance: f64) -> bool {
    let is_same = a == b || (a.is_nan() && b.is_nan());
    is_same || (b.is_finite() && (a - b).abs() <= tolerance * (1.0 + b.abs()))
}

fn first_difference(got: &Array, want: &Array, from: usize) -> Option<(usize, String)> {
    (from..want.len()).find_map(|i| {
        let (got, want) = (got.f64(i), want.f64(i));
        (!is_near(got, want, 1e-4)).then(|| (i, format!("element {i}: {got}, reference {want}")))
    })
}

fn check(recipe: &Recipe) -> Result<(), String> {
    let g = Recorder::default();
    let built = build(recipe, &g, DType::F32);
    let inputs: HashMap<_, _> = built.inputs.iter().cloned().collect();
    g.read(|graph| {
        let want = eval(graph, &inputs, &built.outputs).map_err(|e| e.to_string())?;
        let mut first: Option<Vec<Array>> = None;
        // On several threads also with as many concurrent kernels as possible.
        for (threads, min_concurrent) in [(1, 0), (3, 0), (3, 2)] {
            let options = Options::new(Target { min_concurrent, ..Target::default() });
            let program =
                compile_with(graph, &built.outputs, &options).map_err(|e| e.to_string())?;
            let bind =
                |input: &brasa_compile::program::ProgramInput| Buffer::from(&inputs[&input.node]);
            let mut buffers: Vec<Buffer> = program.inputs.iter().map(bind).collect();
            let mut executable = Executable::new(program.clone());
            let pool = Pool::new(threads);
            executable.run(&pool, &mut buffers, graph.slots()).map_err(|e| e.to_string())?;
            let got: Vec<Array> = (0..want.len()).map(|n| executable.output(&buffers, n)).collect();
            for (n, (got, want)) in got.iter().zip(&want).enumerate() {
                if let Some(what) = difference(recipe, n, got, want) {
                    let texts = (text::print(graph, &built.outputs), &program);
                    return Err(format!("output {n}, {what}\n{}\n{}", texts.0, texts.1));
                }
            }
            let bits =
                |list: &[Array]| -> Vec<Vec<u8>> { list.iter().map(Array::to_bytes).collect() };
            match &first {
                Some(one) if bits(one) != bits(&got) => {
                    return Err(format!(
                        "{threads} threads give different bits than one\n{program}"
                    ));
                }
                Some(_) => {}
                None => first = Some(got),
            }
        }
        Ok(())
    })
}

#[test]
fn compiled_graphs_agree_with_the_reference() {
    let mut runner = TestRunner::new(config());
    let result = runner.run(&Recipe::any(), |recipe| {
        check(&recipe).map_err(proptest::test_runner::TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn compiled_graphs_agree_with_the_reference_at_all_levels() {
    levels::run_again(&["compiled_graphs_agree_with_the_reference"], 100);
}
