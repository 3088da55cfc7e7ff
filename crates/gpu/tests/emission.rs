//! Emission without a device: every shader of random graphs is valid WGSL, and some shaders equal
//! their snapshots (`UPDATE_EXPECT=1` updates them).
use brasa_compile::program::{Launch, Program};
use brasa_compile::{compile_with, grad};
use brasa_gpu::emit::{LaunchBuffer, LaunchBuffers, Location, ShaderText, emit};
use brasa_gpu::{Limits, Shaders, options};
use brasa_ir::compose::{
    argmax, argmin, cumprod, cumsum, dropout, linear, matmul, softmax, sort, topk,
};
use brasa_ir::ops::{Conv, Role, ScatterOp};
use brasa_ir::testing::{Recipe, build};
use brasa_ir::{DType, ErrorKind, Expr, Number, Recorder, Type};
use proptest::sample::select;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::path::Path;

/// The buffers of a launch: all in the arena, or each in its own binding.
fn buffers(program: &Program, launch: &Launch, is_bound: bool) -> LaunchBuffers {
    let ids = launch.reads.iter().chain(&launch.writes);
    let all = ids.enumerate().map(|(n, id)| LaunchBuffer {
        dtype: program.buffers[id.index()].ty.dtype,
        location: if is_bound { Location::Input(n) } else { Location::Arena(0) },
    });
    let mut reads: Vec<LaunchBuffer> = all.collect();
    let writes = reads.split_off(launch.reads.len());
    let count = if is_bound { reads.len() + writes.len() } else { 0 };
    let inputs = (0..count).map(|n| n >= reads.len()).collect();
    // Shaders for software and for subgroups are tested with separate bindings.
    LaunchBuffers {
        reads,
        writes,
        bounds_checks: Vec::new(),
        aux_page: 0,
        scratch_words: 1 << 22,
        arenas: 1,
        inputs,
        is_software: is_bound,
        subgroup: if is_bound { 8 } else { 0 },
        has_f16: is_bound,
    }
}

fn validate(text: &ShaderText) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(&text.wgsl)
        .map_err(|e| format!("{}\n{}", e.emit_to_string(&text.wgsl), text.wgsl))?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::SUBGROUP | naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32,
    );
    validator.subgroup_stages(naga::valid::ShaderStages::COMPUTE);
    validator.subgroup_operations(naga::valid::SubgroupOperationSet::all());
    match validator.validate(&module) {
        Ok(_) => Ok(()),
        Err(e) => Err(format!("{}\n{}", e.emit_to_string(&text.wgsl), text.wgsl)),
    }
}

fn shaders(program: &Program, is_bound: bool) -> Vec<ShaderText> {
    let shader = |launch: &Launch| emit(&launch.kernel, &buffers(program, launch, is_bound));
    program.launches.iter().flat_map(shader).collect()
}

/// The device that a shader is written for.
#[derive(Clone, Copy)]
enum Kind {
    Hardware,
    HardwareWithSubgroups,
    Software,
    SoftwareWithSubgroups,
}

fn shaders_for(program: &Program, kind: Kind) -> Vec<ShaderText> {
    let (is_software, subgroup) = match kind {
        Kind::Hardware => (false, 0),
        Kind::HardwareWithSubgroups => (false, 32),
        Kind::Software => (true, 0),
        Kind::SoftwareWithSubgroups => (true, 8),
    };
    let shader = |launch: &Launch| {
        let buffers = buffers(program, launch, false);
        emit(&launch.kernel, &LaunchBuffers { is_software, subgroup, ..buffers })
    };
    program.launches.iter().flat_map(shader).collect()
}

#[test]
fn shaders_of_random_graphs_are_valid() {
    let cases = std::env::var("BRASA_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(128);
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let check = |(recipe, dtype): (Recipe, DType)| {
        let g = Recorder::default();
        let built = build(&recipe, &g, dtype);
        let program =
            g.read(|graph| compile_with(graph, &built.outputs, &options())).expect("compiles");
        for is_bound in [false, true] {
            for text in shaders(&program, is_bound) {
                validate(&text).map_err(TestCaseError::fail)?;
            }
        }
        Ok(())
    };
    let dtypes = select(vec![DType::F32, DType::F16, DType::BF16]);
    if let Err(failure) = runner.run(&(Recipe::any(), dtypes), check) {
        panic!("{failure}");
    }
}

/// Compares the shaders of a small f32 graph with their snapshot.
#[track_caller]
fn expect(
    name: &str,
    shapes: &[&[usize]],
    build: impl for<'g> Fn(&'g Recorder, &[Expr<'g>]) -> Vec<Expr<'g>>,
) {
    expect_of(DType::F32, Kind::Hardware, name, shapes, build);
}

#[track_caller]
fn expect_of(
    dtype: DType,
    kind: Kind,
    name: &str,
    shapes: &[&[usize]],
    build: impl for<'g> Fn(&'g Recorder, &[Expr<'g>]) -> Vec<Expr<'g>>,
) {
    let g = Recorder::default();
    let input = |shape: &&[usize]| g.input("x", Role::Data, Type::new(dtype, *shape));
    let inputs: Vec<Expr> = shapes.iter().map(input).collect();
    let wanted: Vec<_> = build(&g, &inputs).iter().map(Expr::id).collect();
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    let texts = shaders_for(&program, kind);
    texts.iter().for_each(|text| validate(text).expect("valid"));
    let got = texts.iter().map(|text| &text.wgsl[..]).collect::<Vec<_>>().join("\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(&path, got).expect("can be written");
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(got, want, "{name} changed; UPDATE_EXPECT=1 updates it");
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
    expect("split_sum.wgsl", &[&[1_000_000]], |_, x| vec![x[0].sum(&[0])]);
    expect("linear.wgsl", &[&[64, 784], &[128, 784], &[128]], |g, x| {
        vec![linear(g, x[0], x[1], Some(x[2])).expect("records").relu()]
    });
    expect("weight_gradient.wgsl", &[&[8192, 64], &[8192, 48]], |g, x| {
        vec![matmul(g, x[0].transposed(), x[1]).expect("records") * 0.5]
    });
    expect("product_vec4.wgsl", &[&[512, 96], &[96, 512], &[512]], |g, x| {
        vec![linear(g, x[0], x[1].transposed(), Some(x[2])).expect("records").relu()]
    });
    expect("conv.wgsl", &[&[8, 16, 12, 12], &[32, 16, 3, 3]], |g, x| {
        let ones = || vec![1, 1];
        let conv = Conv {
            stride: vec![2, 1],
            before: vec![1, 0],
            after: vec![1, 0],
            dilation: ones(),
            spread: ones(),
            groups: 1,
        };
        vec![g.push(conv, &[x[0], x[1]]).expect("records").relu()]
    });
    expect("gather.wgsl", &[&[30, 8], &[5, 8]], |_, x| {
        vec![x[0].gather(0, x[1].cast(DType::I32)) + 1.0]
    });
    expect("scatter.wgsl", &[&[30, 8], &[5, 8]], |_, x| {
        let index = x[1].cast(DType::I32);
        vec![x[0].scatter(0, index, x[1], ScatterOp::Add)]
    });
}

/// Narrow dtypes: elementwise, with vec4, and through scratch.
#[test]
fn representative_shaders_of_narrow_elements() {
    expect_of(DType::F16, Kind::Hardware, "narrow_chain.wgsl", &[&[7, 33], &[33]], |_, x| {
        vec![(x[0] * 0.5 + x[1]).relu()]
    });
    expect_of(DType::BF16, Kind::Hardware, "narrow_vectors.wgsl", &[&[65_536]], |_, x| {
        vec![x[0] + x[0], x[0].cast(DType::I8)]
    });
    expect_of(DType::BF16, Kind::Hardware, "narrow_rows.wgsl", &[&[9, 5]], |g, x| {
        vec![softmax(g, x[0], -1, None).expect("records")]
    });
}

/// Library ops with one pass for short lines and several for long ones.
#[test]
fn representative_shaders_of_library_ops() {
    expect("sort.wgsl", &[&[3, 20]], |g, x| {
        vec![topk(g, x[0], 5, 1, true, true).expect("records").1]
    });
    expect("merge_sort.wgsl", &[&[3, 3000]], |g, x| {
        vec![sort(g, x[0], 1, false, false).expect("records").1]
    });
    expect("scan.wgsl", &[&[20, 3]], |g, x| vec![cumsum(g, x[0], 0, None).expect("records")]);
    expect("split_scan.wgsl", &[&[2, 5000]], |g, x| {
        vec![cumprod(g, x[0], 1, None).expect("records") * 2.0]
    });
    expect("arg_reduce.wgsl", &[&[20, 300]], |g, x| {
        vec![argmax(g, x[0], Some(1), false).expect("records")]
    });
    expect("split_arg_reduce.wgsl", &[&[100_000, 2]], |g, x| {
        vec![argmin(g, x[0], Some(0), false).expect("records")]
    });
    expect("sorted_scatter.wgsl", &[&[5000, 8], &[20_000, 8]], |_, x| {
        let index = x[1].narrow(1, 0, 1).cast(DType::I32).expand(&[20_000, 8]);
        vec![x[0].scatter(0, index, x[1], ScatterOp::Add)]
    });
    expect("random.wgsl", &[&[7, 9]], |g, x| vec![dropout(g, x[0], 0.5, true).expect("records")]);
}

/// Products by blocks, with and without subgroups, and rows for a software adapter and with
/// subgroups.
#[test]
fn representative_shaders_of_other_devices() {
    let product = |kind, name| {
        expect_of(DType::F32, kind, name, &[&[4, 12], &[12, 9]], |g, x| {
            vec![matmul(g, x[0], x[1]).expect("records")]
        });
    };
    product(Kind::Software, "product_blocks.wgsl");
    product(Kind::SoftwareWithSubgroups, "product_subgroups.wgsl");
    let rows = |kind, name| {
        expect_of(DType::F32, kind, name, &[&[3, 1024]], |_, x| vec![x[0].sum(&[1])]);
    };
    rows(Kind::Software, "row_sums_software.wgsl");
    rows(Kind::HardwareWithSubgroups, "row_sums_subgroups.wgsl");
    expect_of(DType::F32, Kind::Software, "rows_vec4.wgsl", &[&[90, 64]], |g, x| {
        let is_seen = g.iota(64, DType::I32).le(g.number(Number::Int(9), DType::I32));
        let masked = is_seen.expand(&[90, 64]).choose(x[0], x[0].like(-1e9));
        vec![softmax(g, masked, -1, None).expect("records")]
    });
}

/// Shaders cannot compute in f64: the error comes before any shader is compiled.
#[test]
fn f64_is_rejected_when_shaders_are_written() {
    let rejected = |build: fn(Expr) -> Expr, dtype: DType| {
        let g = Recorder::default();
        let wanted = [build(g.input("x", Role::Data, Type::new(dtype, [3]))).id()];
        let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
        Shaders::new(program, Limits::default()).err().expect("f64 is rejected")
    };
    let stored = rejected(|x| x + x, DType::F64);
    let intermediate = rejected(|x| x.cast(DType::F64).tanh().cast(DType::F32), DType::F32);
    for error in [stored, intermediate] {
        assert_eq!(error.kind(), ErrorKind::DType);
        assert!(error.message().contains("f64[3]"), "{}", error.message());
        assert!(error.message().contains("run this on the CPU"), "{}", error.message());
    }
}

/// A function without WGSL for its operands is an error before any shader is written.
#[test]
fn a_function_without_wgsl_is_named() {
    let g = Recorder::default();
    let wanted = [g.input("x", Role::Data, Type::new(DType::F32, [3])).tanh().id()];
    let program = g.read(|graph| compile_with(graph, &wanted, &options()));
    let mut program = program.expect("compiles");
    // No recording has integers there.
    program.launches[0].kernel.code.steps.iter_mut().for_each(|step| step.dtype = DType::I32);
    let error = Shaders::new(program, Limits::default()).err().expect("tanh has no integers");
    assert_eq!(error.kind(), ErrorKind::DType);
    assert!(error.message().contains("tanh has no WGSL for i32"), "{}", error.message());
}

/// More workgroups than one dimension may have are folded into two.
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
