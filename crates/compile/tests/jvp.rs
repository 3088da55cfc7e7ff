//! Forward mode against central differences, for every case of the op table. Forward mode uses the
//! gradient of the gradient, so this checks second-order gradients too.
use brasa_compile::jvp;
use brasa_ir::case::{Case, cases, elements};
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Expr, Id, Recorder, eval};
use std::collections::HashMap;

/// How far the inputs move along their tangents.
const STEP: f64 = 1e-5;
const TOLERANCE: f64 = 2e-5;

/// Calls whose gradient intentionally differs from the derivative.
const EXEMPT: [&str; 3] = ["detach(", "padding_idx=", "hard=true"];

fn run(g: &Recorder, values: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<f64>, String> {
    let values = g.read(|graph| eval(graph, values, wanted)).map_err(|e| e.to_string())?;
    Ok(values.iter().flat_map(Array::to_f64).collect())
}

/// `x + step · tangent`.
fn moved(x: &Array, tangent: &Array, step: f64) -> Array {
    let elements = (0..x.len()).map(|i| x.f64(i) + step * tangent.f64(i));
    Array::from_f64(&x.ty, elements)
}

fn check(case: Case) -> Result<(), String> {
    let g = Recorder::default();
    let recorded = case.record(&g, DType::F64).map_err(|e| e.to_string())?;
    let mut values: HashMap<Id, Array> = recorded.inputs.iter().cloned().collect();
    let is_float = |x: &Expr| x.dtype() == DType::F64;
    let variables: Vec<Expr> =
        recorded.inputs.iter().map(|(id, _)| g.expr(*id)).filter(is_float).collect();
    let outputs: Vec<Expr> = recorded.outputs.iter().map(|&id| g.expr(id)).collect();
    let outputs: Vec<Expr> = outputs.into_iter().filter(is_float).collect();

    let mut tangents = Vec::new();
    for (n, x) in variables.iter().enumerate() {
        let tangent = g.input("tangent", Role::Data, x.ty());
        values.insert(tangent.id(), elements(("tangent", n), &x.ty(), (-1.0, 1.0)));
        tangents.push(tangent);
    }
    let slopes = jvp(&g, &outputs, &variables, &tangents).map_err(|e| e.to_string())?;
    for (output, slope) in outputs.iter().zip(slopes) {
        let at = |step: f64| {
            let mut values = values.clone();
            for (x, tangent) in variables.iter().zip(&tangents) {
                let there = moved(&values[&x.id()], &values[&tangent.id()], step);
                values.insert(x.id(), there);
            }
            run(&g, &values, &[output.id()])
        };
        let (high, low) = (at(STEP)?, at(-STEP)?);
        let slope = match slope {
            Some(slope) => run(&g, &values, &[slope.id()])?,
            None => vec![0.0; high.len()],
        };
        for (i, slope) in slope.iter().enumerate() {
            let difference = (high[i] - low[i]) / (2.0 * STEP);
            let is_near = (slope - difference).abs() <= TOLERANCE * (1.0 + difference.abs());
            let is_same = high[i] == low[i] && *slope == 0.0;
            if !is_near && !is_same {
                return Err(format!("element {i}: jvp {slope}, difference {difference}"));
            }
        }
    }
    Ok(())
}

#[test]
fn jvp_agrees_with_differences() {
    let is_exempt = |case: &Case| EXEMPT.iter().any(|part| case.to_string().contains(part));
    let checked = cases().filter(|case| !is_exempt(case));
    let failed = checked.filter_map(|case| check(case).err().map(|why| format!("{case}: {why}")));
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{} cases fail\n{}", failed.len(), failed.join("\n"));
}
