//! Random graphs: shaders compute what the reference computes. `BRASA_FUZZ=n` tries `n` graphs.
use brasa_compile::compile_with;
use brasa_gpu::{Buffer, Executable, Gpu, Limits, options, wait_for};
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{Array, DType, Id, Recorder, eval, text};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::collections::HashMap;

/// `BRASA_FUZZ` graphs, by default a few.
fn config() -> Config {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// The outputs in f64 for inputs perturbed by a little more than rounding. An element that
/// differs there depends on a tie, such as the argmin of equal elements, and no device can be
/// held to it.
fn nearby(recipe: &Recipe, off: f64) -> Result<Vec<Array>, String> {
    let g = Recorder::default();
    let built = build(recipe, &g, DType::F64);
    let outputs = [narrow(&g, &built.outputs), built.outputs].concat();
    let moved = |x: &Array| {
        let sign = |i: usize| if (i * 7 / 3).is_multiple_of(2) { off } else { -off };
        Array::from_f64(&x.ty, (0..x.len()).map(|i| x.f64(i) + sign(i)))
    };
    let inputs: HashMap<_, _> = built.inputs.iter().map(|(id, x)| (*id, moved(x))).collect();
    g.read(|graph| eval(graph, &inputs, &outputs)).map_err(|e| e.to_string())
}

/// The first element of output `n` that differs by more than rounding and does not depend on a
/// tie.
fn difference(recipe: &Recipe, n: usize, got: &Array, want: &Array) -> Option<String> {
    let (mut i, mut what) = first_difference(got, want, 0)?;
    let near = [1e-6, -1e-6, 1e-5].map(|off| nearby(recipe, off));
    let is_firm = |i: usize| {
        let want = want.f64(i);
        let stays = |near: f64| {
            let is_same = near == want || (near.is_nan() && want.is_nan());
            is_same || (near - want).abs() <= 1e-2 * (1.0 + want.abs())
        };
        near.iter().flatten().all(|near| stays(near[n].f64(i)))
    };
    while !is_firm(i) {
        (i, what) = first_difference(got, want, i + 1)?;
    }
    Some(what)
}

/// The first element from `from` on that differs by more than rounding. Integers may be truncated
/// to either side.
fn first_difference(got: &Array, want: &Array, from: usize) -> Option<(usize, String)> {
    let dtype = want.dtype();
    (from..want.len()).find_map(|i| {
        let (got, want) = (got.f64(i), want.f64(i));
        let is_same = got == want || (got.is_nan() && want.is_nan());
        let far = (got - want).abs();
        let is_close = match dtype {
            DType::F16 => far <= 1e-3 * (1.0 + want.abs()),
            DType::BF16 => far <= 8e-3 * (1.0 + want.abs()),
            DType::U8 | DType::I8 => far <= 1.0 || far >= 255.0,
            _ => far <= 1e-4 * (1.0 + want.abs()),
        };
        (!is_same && !is_close).then(|| (i, format!("element {i}: {got}, reference {want}")))
    })
}

/// The values again, each cast to a narrow dtype.
fn narrow(g: &Recorder, wanted: &[Id]) -> Vec<Id> {
    let dtypes = [DType::F16, DType::BF16, DType::U8, DType::I8, DType::Bool].into_iter().cycle();
    let cast = |(&id, dtype): (&Id, DType)| {
        let x = g.expr(id).cast(DType::F32) * 40.0;
        let x = if dtype == DType::Bool { x.cast(DType::I8) } else { x };
        x.cast(dtype).id()
    };
    wanted.iter().zip(dtypes.skip(wanted.len())).map(cast).collect()
}

fn check(gpu: &Gpu, recipe: &Recipe) -> Result<(), String> {
    let g = Recorder::default();
    let built = build(recipe, &g, DType::F32);
    let outputs = [narrow(&g, &built.outputs), built.outputs].concat();
    let inputs: HashMap<_, _> = built.inputs.iter().cloned().collect();
    g.read(|graph| {
        let want = eval(graph, &inputs, &outputs).map_err(|e| e.to_string())?;
        let program = compile_with(graph, &outputs, &options()).map_err(|e| e.message())?;
        let texts = || format!("{}\n{program}", text::print(graph, &outputs));
        let upload =
            |input: &brasa_compile::program::ProgramInput| gpu.upload(&inputs[&input.node]);
        let buffers: Vec<_> =
            program.inputs.iter().map(upload).collect::<Result<_, _>>().map_err(|e| e.message())?;
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        let failed = |e: brasa_ir::Error| format!("{}\n{}", e.message(), texts());
        let mut executable = wait_for(Executable::new(gpu, program.clone())).map_err(failed)?;
        wait_for(executable.run(&buffers, graph.slots())).map_err(failed)?;
        for (n, want) in want.iter().enumerate() {
            let got = wait_for(executable.output(&buffers, n)).map_err(failed)?;
            if let Some(what) = difference(recipe, n, &got, want) {
                let shaders = executable.shaders();
                return Err(format!("output {n}, {what}\n{}\n{shaders}", texts()));
            }
        }
        Ok(())
    })
}

#[test]
#[ignore = "needs an adapter"]
fn shaders_agree_with_the_reference() {
    let gpu = &Gpu::global().expect("there is an adapter");
    println!("on {}", gpu.name());
    // Shaders for hardware, for software, and with a paged arena.
    let hardware = Limits { is_software: false, ..gpu.limits() };
    let software = Limits { is_software: true, ..gpu.limits() };
    let small = Limits { buffers: 6, bytes: 1 << 16, ..Limits::default() };
    let kinds = [hardware, software, small].map(|limits| gpu.with_limits(limits));
    let mut runner = TestRunner::new(config());
    let result = runner.run(&(Recipe::any(), 0..kinds.len()), |(recipe, kind)| {
        check(&kinds[kind], &recipe).map_err(TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
