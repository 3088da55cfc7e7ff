//! Emission without a device: every shader of random graphs is valid WGSL, and a few read as they
//! did before (`UPDATE_EXPECT=1` renews these).
use brasa_compile::program::{Launch, Program};
use brasa_compile::{compile_with, grad};
use brasa_gpu::emit::{Home, Operand, Operands, Text, emit};
use brasa_gpu::options;
use brasa_ir::compose::{linear, softmax};
use brasa_ir::ops::Role;
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{DType, Expr, Recorder, Type};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::path::Path;

/// The buffers of a launch, all in the arena, or each in a binding of its own.
fn operands(program: &Program, launch: &Launch, is_bound: bool) -> Operands {
    let ids = launch.reads.iter().chain(&launch.writes);
    let all = ids.enumerate().map(|(n, id)| Operand {
        dtype: program.buffers[id.index()].ty.dtype,
        home: if is_bound { Home::Input(n) } else { Home::Arena(0) },
    });
    let mut reads: Vec<Operand> = all.collect();
    let writes = reads.split_off(launch.reads.len());
    let count = if is_bound { reads.len() + writes.len() } else { 0 };
    let inputs = (0..count).map(|n| n >= reads.len()).collect();
    // Shaders for software are tried on bindings of their own.
    Operands { reads, writes, extra: 0, arenas: 1, inputs, is_software: is_bound }
}

fn validate(text: &Text) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(&text.wgsl)
        .map_err(|e| format!("{}\n{}", e.emit_to_string(&text.wgsl), text.wgsl))?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    );
    match validator.validate(&module) {
        Ok(_) => Ok(()),
        Err(e) => Err(format!("{}\n{}", e.emit_to_string(&text.wgsl), text.wgsl)),
    }
}

fn shaders(program: &Program, is_bound: bool) -> Vec<Text> {
    let shader = |launch: &Launch| emit(&launch.kernel, &operands(program, launch, is_bound));
    program.launches.iter().filter_map(shader).collect()
}

#[test]
fn shaders_of_random_graphs_are_valid() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(128);
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let check = |recipe: Recipe| {
        let g = Recorder::default();
        let built = build(&recipe, &g, DType::F32);
        let program =
            g.read(|graph| compile_with(graph, &built.outputs, &options())).expect("compiles");
        for is_bound in [false, true] {
            for text in shaders(&program, is_bound) {
                validate(&text).map_err(TestCaseError::fail)?;
            }
        }
        Ok(())
    };
    if let Err(failure) = runner.run(&Recipe::any(), check) {
        panic!("{failure}");
    }
}

/// The shaders of a small graph, as they stand in a file.
#[track_caller]
fn expect(
    name: &str,
    shapes: &[&[usize]],
    build: impl for<'g> Fn(&'g Recorder, &[Expr<'g>]) -> Vec<Expr<'g>>,
) {
    let g = Recorder::default();
    let input = |shape: &&[usize]| g.input("x", Role::Data, Type::new(DType::F32, *shape));
    let inputs: Vec<Expr> = shapes.iter().map(input).collect();
    let wanted: Vec<_> = build(&g, &inputs).iter().map(Expr::id).collect();
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    let texts = shaders(&program, false);
    texts.iter().for_each(|text| validate(text).expect("valid"));
    let got = texts.iter().map(|text| &text.wgsl[..]).collect::<Vec<_>>().join("\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(&path, got).expect("can be written");
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(got, want, "{name} changed; UPDATE_EXPECT=1 renews it");
}

#[test]
fn representative_shaders() {
    expect("chain.wgsl", &[&[7, 33], &[33]], |_, x| vec![(x[0] * 0.5 + x[1]).relu()]);
    expect("pad_transpose.wgsl", &[&[5, 70]], |_, x| {
        vec![x[0].transposed().pad(0, 3, 2, -1.0) + 1.0]
    });
    expect("softmax.wgsl", &[&[9, 40], &[9, 40]], |g, x| {
        let y = softmax(g, x[0], -1, None).expect("records");
        let dx = grad(g, &[y], &[Some(x[1])], &[x[0]]).expect("differentiates")[0];
        vec![dx.expect("y depends on x")]
    });
    expect("column_sums.wgsl", &[&[4096, 128]], |_, x| vec![x[0].sum(&[0])]);
    expect("linear.wgsl", &[&[64, 784], &[128, 784], &[128]], |g, x| {
        vec![linear(g, x[0], x[1], Some(x[2])).expect("records").relu()]
    });
}

/// More workgroups than one dimension may have.
#[test]
fn large_dispatches_are_folded() {
    let g = Recorder::default();
    let elements = 20_000_001;
    let x = g.input("x", Role::Data, Type::new(DType::F32, [elements]));
    let rows = g.input("x", Role::Data, Type::new(DType::F32, [300_000, 300]));
    let wanted = [(x + 1.0).id(), rows.sum(&[1]).id()];
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    let texts = shaders(&program, false);
    assert_eq!(texts.len(), 2);
    for text in texts {
        validate(&text).expect("valid");
        let [across, down] = text.groups;
        assert!(across <= 65_535 && down > 1 && down <= 65_535, "{}: {across}", text.name);
        assert!(text.wgsl.contains(&format!("group.y * {across}u + group.x")), "{}", text.wgsl);
    }
}
