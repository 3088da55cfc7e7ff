//! Narrow dtypes keep their size on the device, and every kind of kernel loads and stores them as
//! the reference does, at any length and offset.
use brasa_compile::plan::BufferId;
use brasa_compile::{Program, compile_with};
use brasa_gpu::{Buffer, Executable, Gpu, Limits, options, wait_for};
use brasa_ir::compose::{cat, cumsum, softmax, sort};
use brasa_ir::ops::{Role, Scalar, ScatterOp, Write};
use brasa_ir::{Array, DType, Expr, Id, Recorder, Type, eval};
use std::collections::HashMap;

fn gpu() -> Gpu {
    Gpu::global().expect("there is an adapter")
}

/// All dtypes that the device supports.
fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| *dtype != DType::F64)
}

/// Devices with and without f16 built-ins, as software and as hardware, and with a paged arena.
fn kinds() -> Vec<Gpu> {
    let limits = gpu().limits();
    let small = Limits { buffers: 8, bytes: 1 << 18, ..limits };
    [
        limits,
        Limits { has_f16: false, ..limits },
        Limits { is_software: !limits.is_software, ..limits },
        Limits { is_software: !limits.is_software, has_f16: false, ..small },
    ]
    .map(|limits| gpu().with_limits(limits))
    .into()
}

/// Small numbers, including negative ones and fractions.
fn sample(ty: &Type) -> Array {
    let value = |i: usize| ((i * 7919 + 13) % 23) as f64 / 4.0 - 2.0;
    Array::from_f64(ty, (0..ty.elements()).map(value))
}

/// The tolerance of results: a few roundings, and another order of sums.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 4e-3,
        DType::BF16 => 3e-2,
        DType::F32 => 1e-5,
        _ => 0.0,
    }
}

fn assert_close(what: &str, got: &Array, want: &Array) {
    assert_eq!(got.ty, want.ty, "{what}");
    let largest = want.to_f64().iter().fold(1.0, |top: f64, x| top.max(x.abs()));
    for i in 0..want.len() {
        let (got, want, far) = (got.f64(i), want.f64(i), tolerance(want.dtype()) * largest);
        let is_close = got == want || (got - want).abs() <= far;
        assert!(is_close, "{what}, element {i}: {got}, reference {want}");
    }
}

/// Checks the values of a graph on all kinds of devices against the reference.
fn check(what: &str, g: &Recorder, inputs: &[Expr], wanted: &[Expr]) {
    let ids: Vec<Id> = wanted.iter().map(Expr::id).collect();
    let values: HashMap<Id, Array> = inputs.iter().map(|x| (x.id(), sample(&x.ty()))).collect();
    let want = g.read(|graph| eval(graph, &values, &ids)).expect("evaluates");
    for gpu in kinds() {
        let program = g.read(|graph| compile_with(graph, &ids, &options())).expect("compiles");
        let upload = |id: Id| gpu.upload(&values[&id]).expect("uploads");
        let buffers: Vec<Buffer> = program.inputs.iter().map(|i| upload(i.node)).collect();
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        let mut executable = wait_for(Executable::new(&gpu, program)).expect("compiles");
        let slots = g.read(|graph| graph.slots().to_vec());
        wait_for(executable.run(&buffers, &slots)).expect("runs");
        for (n, want) in want.iter().enumerate() {
            let got = wait_for(executable.output(&buffers, n)).expect("reads");
            assert_close(&format!("{what}, output {n} with {:?}", gpu.limits()), &got, want);
        }
    }
}

fn input<'g>(g: &'g Recorder, dtype: DType, shape: &[usize]) -> Expr<'g> {
    g.input("x", Role::Data, Type::new(dtype, shape))
}

/// Two bytes for an f16, one for a u8, rounded up to whole words. A bool takes a word.
#[test]
#[ignore = "needs an adapter"]
fn dtypes_keep_their_size_on_the_device() {
    let gpu = gpu();
    for dtype in dtypes() {
        for len in [0, 1, 2, 3, 4, 5, 7, 8, 37, 4099] {
            let array = sample(&Type::new(dtype, [len]));
            let bytes = array.to_bytes();
            let buffer = gpu.upload_bytes(&array.ty, &bytes).expect("uploads");
            let held = len * if dtype == DType::Bool { 4 } else { dtype.bytes().min(4) };
            assert_eq!(buffer.bytes(), held.next_multiple_of(4).max(4), "{dtype}[{len}]");
            assert_eq!(gpu.allocate(&array.ty).expect("allocates").bytes(), buffer.bytes());
            assert_eq!(wait_for(gpu.read_bytes(&buffer)).expect("reads"), bytes, "{dtype}[{len}]");
            let copy = gpu.copy(&buffer).expect("copies");
            assert_eq!(wait_for(gpu.read(&copy)).expect("reads"), array, "{dtype}[{len}]");
        }
    }
}

/// Intermediate results between launches are as narrow.
#[test]
#[ignore = "needs an adapter"]
fn arenas_use_the_size_of_narrow_dtypes() {
    let arena = |dtype: DType| {
        let g = Recorder::default();
        let x = input(&g, dtype, &[64, 1024]);
        let wanted = [(x + x).id()];
        let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
        let executable = wait_for(Executable::new(&gpu(), program)).expect("compiles");
        executable.program().arena_bytes
    };
    assert_eq!([DType::F32, DType::BF16, DType::U8].map(arena), [1 << 18, 1 << 17, 1 << 16]);
}

/// On the host a bool is as large as a u8, which may reuse its memory; on the device it is not.
#[test]
#[ignore = "needs an adapter"]
fn u8_results_do_not_reuse_the_memory_of_bools() {
    let g = Recorder::default();
    let (x, y) = (input(&g, DType::F32, &[41, 61]), input(&g, DType::U8, &[2, 61]));
    let turned = g.iota(41, DType::I64).flip(&[0]).reshape(&[41, 1]).expand(&[41, 61]);
    let mask = Expr::map(Scalar::Gt, &[x, x.like(0.0)]).gather(0, turned);
    let other = y.gather(0, mask.cast(DType::I64)).reshape(&[61, 41]).transposed();
    let wanted = mask.choose(other, other + other);
    check("u8 over bool", &g, &[x, y], &[wanted]);
    let program = g.read(|graph| compile_with(graph, &[wanted.id()], &options()));
    let program = program.expect("compiles");
    let overwrites = |program: &Program| {
        let buffer = |id: &BufferId| &program.buffers[id.index()];
        program.launches.iter().any(|launch| {
            let bools = launch.reads.iter().map(buffer).filter(|old| old.ty.dtype == DType::Bool);
            let mut places = bools.map(|old| old.place);
            places.any(|place| launch.writes.iter().any(|new| buffer(new).place == place))
        })
    };
    assert!(overwrites(&program), "{program}");
    let executable = wait_for(Executable::new(&gpu(), program)).expect("compiles");
    assert!(!overwrites(executable.program()), "{}", executable.program());
}

/// Every f16 and bf16 value, including NaNs, infinities and subnormals, is loaded correctly and
/// stored back unchanged.
#[test]
#[ignore = "needs an adapter"]
fn all_16_bit_floats_are_loaded_and_stored() {
    for dtype in [DType::F16, DType::BF16] {
        let ty = Type::new(dtype, [1 << 16]);
        let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let array = Array::from_bytes(&ty, &bytes).expect("has the bytes");
        for gpu in kinds() {
            // All values with vec4 loads, then some one by one.
            for len in [1 << 16, (1 << 16) - 1] {
                let g = Recorder::default();
                let x = g.input("x", Role::Data, ty.clone());
                let part = x.narrow(0, 0, len);
                let wanted = [part.cast(DType::F32).id(), part.flip(&[0]).id()];
                let program = g.read(|graph| compile_with(graph, &wanted, &options()));
                let mut run =
                    wait_for(Executable::new(&gpu, program.expect("compiles"))).expect("compiles");
                let buffers = [&gpu.upload_bytes(&ty, &bytes).expect("uploads")];
                wait_for(run.run(&buffers, &[])).expect("runs");
                let outputs =
                    [0, 1].map(|n| wait_for(run.output(&buffers, n)).expect("reads").to_f64());
                for i in 0..len {
                    let want = array.f64(i);
                    let is_same =
                        |got: f64| got.to_bits() == want.to_bits() || want.is_nan() && got.is_nan();
                    let got = [outputs[0][i], outputs[1][len - 1 - i]];
                    // Devices may flush f32 subnormals to zero.
                    let is_tiny = want.abs() < f32::MIN_POSITIVE as f64;
                    let is_right = |got: f64| is_same(got) || is_tiny && got == 0.0;
                    assert!(got.into_iter().all(is_right), "{dtype} {i:#x}: {got:?}, want {want}");
                }
            }
        }
    }
}

/// Maps of odd and even lengths, with and without vec4, through views that begin inside a word.
#[test]
#[ignore = "needs an adapter"]
fn maps_write_whole_words() {
    for dtype in dtypes() {
        for len in [1, 2, 3, 31, 4096, 5001] {
            let g = Recorder::default();
            let (x, y) = (input(&g, dtype, &[len]), input(&g, dtype, &[len + 5]));
            let shifted = y.narrow(0, 3, len);
            let plain = x + shifted;
            let mixed = (x.cast(DType::F32) + 0.25).cast(DType::F16);
            let wanted =
                [plain, shifted.flip(&[0]), mixed, plain.cast(DType::Bool), x.cast(DType::U8)];
            check(&format!("{dtype}[{len}]"), &g, &[x, y], &wanted);
        }
        let g = Recorder::default();
        let x = input(&g, dtype, &[7, 13]);
        let turned = x.transposed().pad(0, 1, 2, 1);
        check(&format!("{dtype} turned"), &g, &[x], &[turned + turned, x.pad(1, 3, 0, 0)]);
    }
}

/// Concatenated pieces whose borders lie within words.
#[test]
#[ignore = "needs an adapter"]
fn pieces_of_odd_lengths_are_concatenated() {
    for dtype in dtypes() {
        let g = Recorder::default();
        let pieces: Vec<Expr> = [3, 1, 6, 5].map(|len| input(&g, dtype, &[len, 3])).to_vec();
        let rows = cat(&g, pieces.clone(), 0).expect("records");
        let parts = pieces.iter().map(|x| x.narrow(0, 0, 1)).collect();
        let columns = cat(&g, parts, 1).expect("records");
        check(&format!("cat of {dtype}"), &g, &pieces, &[rows, columns]);
    }
}

/// Reductions over rows of odd lengths and over columns, with per-row and per-element results.
#[test]
#[ignore = "needs an adapter"]
fn reductions_store_narrow_results() {
    for dtype in dtypes() {
        for shape in [[5, 7], [3, 64], [130, 3], [1, 5000]] {
            let g = Recorder::default();
            let x = input(&g, dtype, &shape);
            let mut wanted = vec![x.max_keep(&[1]), x.max_keep(&[0])];
            if dtype.is_float() {
                wanted.push(softmax(&g, x, -1, None).expect("records"));
                wanted.push(softmax(&g, x, 0, None).expect("records"));
            } else {
                wanted.push(x.max_keep(&[1]).expand(&shape) + x);
            }
            check(&format!("rows of {dtype}{shape:?}"), &g, &[x], &wanted);
        }
    }
}

/// Products by every algorithm, with epilogues.
#[test]
#[ignore = "needs an adapter"]
fn products_store_narrow_results() {
    let forms = [[1, 5, 3], [33, 17, 7], [70, 40, 31], [2, 9000, 3]];
    for dtype in [DType::F16, DType::BF16] {
        for [m, k, n] in forms {
            let g = Recorder::default();
            let (a, b) = (input(&g, dtype, &[m, k]), input(&g, dtype, &[k, n]));
            // Sums stay small enough for f16.
            let product = (a * 0.125).contract(b * 0.125);
            check(&format!("{dtype} {m} {k} {n}"), &g, &[a, b], &[product, product + 1.0]);
        }
    }
}

/// Library ops that store elements in an order of their own.
#[test]
#[ignore = "needs an adapter"]
fn library_ops_store_narrow_results() {
    for dtype in dtypes() {
        let g = Recorder::default();
        let (x, src) = (input(&g, dtype, &[11, 3]), input(&g, dtype, &[5, 3]));
        let at = g.iota(15, DType::I64).reshape(&[5, 3]);
        let index = Expr::map(Scalar::Remainder, &[at, at.like(7)]);
        let mut wanted = vec![
            x.gather(0, index),
            x.scatter(0, index, src, ScatterOp::Set),
            sort(&g, x, -1, false, false).expect("records").0,
        ];
        if dtype != DType::Bool {
            wanted.push(x.scatter(0, index, src, ScatterOp::Add));
            wanted.push(cumsum(&g, x, 0, Some(dtype)).expect("records"));
        }
        check(&format!("library ops of {dtype}"), &g, &[x, src], &wanted);
    }
}

/// A part of a tensor is written in place: the elements next to it stay unchanged.
#[test]
#[ignore = "needs an adapter"]
fn in_place_writes_keep_neighbouring_elements() {
    for dtype in dtypes() {
        for gpu in kinds() {
            let g = Recorder::default();
            let ty = Type::new(dtype, [11]);
            let state = |name| g.input(name, Role::State, ty.clone());
            let (x, y) = (state("x"), state("y"));
            let new = input(&g, dtype, &[4]);
            let parts = vec![x.narrow(0, 0, 5), new, x.narrow(0, 9, 2)];
            g.push(Write {}, &[x, cat(&g, parts, 0).expect("records")]).expect("records");
            g.push(Write {}, &[y, y + y]).expect("records");
            let program = g.read(|graph| compile_with(graph, &[], &options())).expect("compiles");
            let uploaded = |input: &brasa_compile::program::ProgramInput| {
                gpu.upload(&sample(&input.ty)).expect("uploads")
            };
            let buffers: Vec<Buffer> = program.inputs.iter().map(uploaded).collect();
            let names: Vec<String> = program.inputs.iter().map(|i| i.name.clone()).collect();
            let mut executable = wait_for(Executable::new(&gpu, program)).expect("compiles");
            let refs: Vec<&Buffer> = buffers.iter().collect();
            wait_for(executable.run(&refs, &[])).expect("runs");
            let read = |name: &str| {
                let at = names.iter().position(|other| other == name).expect("is an input");
                wait_for(gpu.read(&buffers[at])).expect("reads").to_f64()
            };
            let old = sample(&ty).to_f64();
            let inner = sample(&Type::new(dtype, [4])).to_f64();
            let want = [&old[..5], &inner, &old[9..]].concat();
            assert_eq!(read("x"), want, "{dtype}, {:?}", gpu.limits());
        }
    }
}

/// An i64 has 32 bits on the device: casts to it saturate.
#[test]
#[ignore = "needs an adapter"]
fn casts_to_i64_saturate() {
    let gpu = gpu();
    let g = Recorder::default();
    let ty = Type::new(DType::U32, [3]);
    let x = g.input("x", Role::Data, ty.clone());
    let (unsigned, real) = (x.cast(DType::I64), x.cast(DType::F32).cast(DType::I64));
    let wanted = [unsigned.id(), real.id()];
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    let values = Array::from_i64(&ty, [5, i32::MAX as i64 + 1, u32::MAX as i64]);
    let buffers = [&gpu.upload(&values).expect("uploads")];
    let mut executable = wait_for(Executable::new(&gpu, program)).expect("compiles");
    wait_for(executable.run(&buffers, &[])).expect("runs");
    for n in 0..wanted.len() {
        let got = wait_for(executable.output(&buffers, n)).expect("reads").to_i64();
        assert_eq!(got, [5, i32::MAX as i64, i32::MAX as i64], "output {n}");
    }
}
