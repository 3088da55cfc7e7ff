//! Compares every scalar function in WGSL with the op table's `eval`: on its domain, on a wider
//! range, and at the edges of f32.
use brasa_compile::compile_with;
use brasa_gpu::{Buffer, Executable, Gpu, options, wait_for};
use brasa_ir::ops::{Kind, Map, Role, Scalar};
use brasa_ir::{Array, DType, Recorder, Type, eval};
use std::collections::HashMap;

/// Values of one operand: the function's domain, numbers of all magnitudes, then edge cases.
fn samples(function: Scalar, dtype: DType, operand: usize) -> Vec<f64> {
    let (low, high) = function.def().domain;
    let mut values: Vec<f64> = (0..64)
        .map(|i| low + (high - low) * ((i * 37 + operand * 11) % 64) as f64 / 63.0)
        .collect();
    let spread = |i: usize| {
        let magnitude = 10f64.powf(((i * 7 + operand * 5) % 13) as f64 * 0.5 - 4.0);
        if (i + operand).is_multiple_of(3) { -magnitude } else { magnitude }
    };
    values.extend((0..64).map(spread));
    let edges = [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5];
    let wild = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, -1e30];
    let all: Vec<f64> = match dtype.is_float() {
        true => edges.iter().chain(&wild).copied().collect(),
        false => edges.to_vec(),
    };
    // Every edge case is paired with every other.
    let count = all.len();
    values
        .extend((0..count * count).map(|i| all[if operand == 0 { i / count } else { i % count }]));
    if function == Scalar::Polygamma && operand == 0 {
        values.iter_mut().for_each(|x| *x = (x.abs() % 3.0).floor());
    }
    values
}

/// The relative and the absolute tolerance.
fn tolerance(function: Scalar) -> (f64, f64) {
    match function {
        // Sums of many terms of both signs, or near poles.
        Scalar::Lgamma | Scalar::Polygamma => (2e-4, 2e-5),
        Scalar::Erfinv => (2e-4, 1e-6),
        // Beyond some thousand turns f32 cannot represent the angle.
        Scalar::Sin | Scalar::Cos | Scalar::Tan => (2e-5, 2e-5),
        Scalar::Remainder | Scalar::Fmod => (1e-5, 1e-5),
        Scalar::Logaddexp => (4e-6, 1e-6),
        Scalar::Pow => (2e-5, 1e-30),
        _ => (4e-6, 1e-36),
    }
}

/// Whether the result is not determined in f32, or libraries differ.
fn is_excused(function: Scalar, x: &[f64]) -> bool {
    match function {
        Scalar::Sin | Scalar::Cos | Scalar::Tan => x[0].abs() > 1e4,
        // The remainder of a large quotient consists of its rounding error.
        Scalar::FloorDivide | Scalar::Remainder | Scalar::Fmod => (x[0] / x[1]).abs() > 1e3,
        _ => false,
    }
}

fn check(gpu: &Gpu, function: Scalar, dtype: DType) -> Result<f64, String> {
    let g = Recorder::default();
    let arity = function.def().arity;
    let values: Vec<Vec<f64>> = (0..arity).map(|n| samples(function, dtype, n)).collect();
    let mut inputs = HashMap::new();
    let mut args = Vec::new();
    for (n, values) in values.iter().enumerate() {
        let dtype = if function.def().kind == Kind::Select && n == 0 { DType::Bool } else { dtype };
        let ty = Type::new(dtype, [values.len()]);
        let x = g.input("x", Role::Data, ty.clone());
        inputs.insert(x.id(), Array::from_f64(&ty, values.iter().copied()));
        args.push(x);
    }
    let y = g.push(Map(function), &args).map_err(|e| e.message())?;
    g.read(|graph| {
        let want = eval(graph, &inputs, &[y.id()]).map_err(|e| e.message())?.remove(0);
        let program = compile_with(graph, &[y.id()], &options()).map_err(|e| e.message())?;
        let upload =
            |input: &brasa_compile::program::ProgramInput| gpu.upload(&inputs[&input.node]);
        let buffers: Vec<_> =
            program.inputs.iter().map(upload).collect::<Result<_, _>>().map_err(|e| e.message())?;
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        let mut executable = wait_for(Executable::new(gpu, program)).map_err(|e| e.message())?;
        wait_for(executable.run(&buffers, graph.slots())).map_err(|e| e.message())?;
        let got = wait_for(executable.output(&buffers, 0)).map_err(|e| e.message())?;
        let (relative, least) = tolerance(function);
        let mut worst: f64 = 0.0;
        for i in 0..want.len() {
            let (got, want) = (got.f64(i), want.f64(i));
            if got == want || (got.is_nan() && want.is_nan()) {
                continue;
            }
            let is_zero = want.abs() < 1.2e-38 && got.abs() < 1.2e-38;
            let of: Vec<f64> = values.iter().map(|values| values[i]).collect();
            if is_zero || is_excused(function, &of) {
                continue;
            }
            let error = (got - want).abs() / (least + relative * want.abs());
            if error > 1.0 || error.is_nan() {
                return Err(format!(
                    "{function:?} of {dtype} {of:?}: {got}, reference {want} ({error})"
                ));
            }
            worst = worst.max(error);
        }
        Ok(worst)
    })
}

#[test]
#[ignore = "needs an adapter"]
fn scalar_functions_agree_with_the_reference() {
    let gpu = &Gpu::global().expect("there is an adapter");
    let mut failures = Vec::new();
    for &function in Scalar::ALL {
        let dtypes: &[DType] = match function.def().kind {
            Kind::Float => &[DType::F32],
            Kind::Bits => &[DType::I32, DType::U32, DType::U8, DType::Bool],
            _ => &[DType::F32, DType::I32, DType::U32, DType::U8, DType::I8, DType::Bool],
        };
        for &dtype in dtypes {
            match check(gpu, function, dtype) {
                Ok(worst) => println!("{function:?} of {dtype}: {worst:.3} of the tolerance"),
                Err(failure) => failures.push(failure),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
