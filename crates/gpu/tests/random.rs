//! Random graphs: what shaders compute is what the reference device gives. `BRASA_FUZZ=n` tries `n`
//! graphs.
use brasa_compile::compile_with;
use brasa_gpu::{Buffer, Executable, Gpu, Limits, options, wait_for};
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{Array, DType, Recorder, eval, text};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::collections::HashMap;

/// As many graphs as asked for, else a few.
fn config() -> Config {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(64);
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// The first element that differs by more than rounding.
fn difference(got: &Array, want: &Array) -> Option<String> {
    (0..want.len()).find_map(|i| {
        let (got, want) = (got.f64(i), want.f64(i));
        let is_same = got == want || (got.is_nan() && want.is_nan());
        let is_close = (got - want).abs() <= 1e-4 * (1.0 + want.abs());
        (!is_same && !is_close).then(|| format!("element {i}: {got}, reference {want}"))
    })
}

fn check(gpu: &Gpu, recipe: &Recipe) -> Result<(), String> {
    let g = Recorder::default();
    let built = build(recipe, &g, DType::F32);
    let inputs: HashMap<_, _> = built.inputs.iter().cloned().collect();
    g.read(|graph| {
        let want = eval(graph, &inputs, &built.outputs).map_err(|e| e.to_string())?;
        let program = compile_with(graph, &built.outputs, &options()).map_err(|e| e.message())?;
        let texts = || format!("{}\n{program}", text::print(graph, &built.outputs));
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
            if let Some(what) = difference(&got, want) {
                let shaders = executable.shaders();
                return Err(format!("output {n}, {what}\n{}\n{shaders}", texts()));
            }
        }
        Ok(())
    })
}

#[test]
fn shaders_agree_with_the_reference() {
    let gpu = &Gpu::global().expect("there is an adapter");
    println!("on {}", gpu.name());
    // As they would on hardware, as on software, and where the arena has to be cut to pages.
    let hardware = Limits { is_software: false, ..gpu.limits() };
    let software = Limits { is_software: true, ..gpu.limits() };
    let small = Limits { buffers: 6, bytes: 1 << 16, is_software: false };
    let kinds = [hardware, software, small].map(|limits| gpu.within(limits));
    let mut runner = TestRunner::new(config());
    let result = runner.run(&(Recipe::any(), 0..kinds.len()), |(recipe, kind)| {
        check(&kinds[kind], &recipe).map_err(TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
