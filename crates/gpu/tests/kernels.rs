//! The kernels of products, convolutions, reductions and library ops, as emitted for hardware and
//! for software, with and without subgroups, against the reference.
use brasa_compile::{compile_with, grad};
use brasa_gpu::{Buffer, Executable, Gpu, Limits, Shaders, options, wait_for};
use brasa_ir::compose::{
    argmax, argmin, cumsum, logcumsumexp, matmul, softmax, sort, topk, unfold,
};
use brasa_ir::ops::{Conv, Role, ScatterOp};
use brasa_ir::{Array, DType, Expr, Id, Number, Recorder, Type, eval};
use std::collections::HashMap;

fn gpu() -> Gpu {
    Gpu::global().expect("there is an adapter")
}

/// The values of a graph on this device.
fn values_on(gpu: &Gpu, g: &Recorder, inputs: &[(Id, Array)], wanted: &[Id]) -> Vec<Array> {
    let values: HashMap<Id, Array> = inputs.iter().cloned().collect();
    g.read(|graph| {
        let program = compile_with(graph, wanted, &options()).expect("compiles");
        let upload = |id: Id| gpu.upload(&values[&id]).expect("uploads");
        let buffers: Vec<Buffer> = program.inputs.iter().map(|i| upload(i.node)).collect();
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        let mut executable = wait_for(Executable::new(gpu, program)).expect("compiles");
        wait_for(executable.run(&buffers, graph.slots())).expect("runs");
        let read = |n| wait_for(executable.output(&buffers, n)).expect("reads");
        (0..wanted.len()).map(read).collect()
    })
}

fn assert_close(what: &str, got: &Array, want: &Array, relative: f64) {
    let largest = want.to_f64().iter().fold(1.0, |top: f64, x| top.max(x.abs()));
    for i in 0..want.len() {
        let (got, want) = (got.f64(i), want.f64(i));
        let is_close = (got - want).abs() <= relative * largest;
        assert!(is_close, "{what}, element {i}: {got}, reference {want}");
    }
}

/// This device with the limits of every kind of device.
fn kinds() -> Vec<Gpu> {
    let limits = gpu().limits();
    let kind = |n: usize| Limits {
        is_software: n % 2 == 1,
        subgroup: if n / 2 == 1 { limits.subgroup } else { 0 },
        ..limits
    };
    (0..4).map(|n| gpu().with_limits(kind(n))).collect()
}

fn sample(ty: &Type) -> Array {
    let value = |i: usize| ((i * 7919 + 13) % 1000) as f64 / 500.0 - 1.0;
    Array::from_f64(ty, (0..ty.elements()).map(value))
}

/// Few long rows are split over several workgroups, and long sums of products into parts.
#[test]
#[ignore = "needs an adapter"]
fn split_sums_agree_with_the_reference() {
    let g = Recorder::default();
    let input = |shape: &[usize]| g.input("x", Role::Data, Type::new(DType::F32, shape));
    let (line, rows, columns) = (input(&[300_000]), input(&[3, 100_000]), input(&[50_000, 6]));
    let (thin, wide) = (input(&[5, 70_000]), input(&[70_000, 6]));
    let (a, b) = (input(&[40, 9_000]), input(&[9_000, 33]));
    let wanted: Vec<Id> = [
        line.sum(&[0]),
        rows.max_keep(&[1]) * 2.0,
        softmax(&g, rows, -1, None).expect("records"),
        columns.sum(&[0]),
        matmul(&g, thin, wide).expect("records"),
        matmul(&g, a, b).expect("records").tanh() + 1.0,
    ]
    .iter()
    .map(Expr::id)
    .collect();
    let inputs: Vec<(Id, Array)> =
        [line, rows, columns, thin, wide, a, b].iter().map(|x| (x.id(), sample(&x.ty()))).collect();
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    for gpu in kinds() {
        let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
        let launches = program.launches.len();
        let shaders = Shaders::new(program, gpu.limits()).expect("can be written");
        assert!(
            shaders.dispatches() > launches,
            "no launch has several passes: {:?}",
            gpu.limits()
        );
        let got = values_on(&gpu, &g, &inputs, &wanted);
        for (n, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_close(&format!("output {n} with {:?}", gpu.limits()), got, want, 2e-5);
        }
        let again = values_on(&gpu, &g, &inputs, &wanted);
        let is_same = |(a, b): (&Array, &Array)| a.to_f64() == b.to_f64();
        assert!(got.iter().zip(&again).all(is_same), "{:?}", gpu.limits());
    }
}

/// Name, whether vec4 is used, the type of the second input, and the graph.
type RowCase = (&'static str, bool, Type, for<'g> fn(&'g Recorder, Expr<'g>, Expr<'g>) -> Expr<'g>);

fn check_rows((name, uses_vec4, ty, build): RowCase) {
    let g = Recorder::default();
    let inputs = [Type::new(DType::F32, [6, 15, 64]), ty].map(|ty| g.input("x", Role::Data, ty));
    let wanted = [build(&g, inputs[0], inputs[1]).id()];
    let inputs = inputs.map(|x| (x.id(), sample(&x.ty())));
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
    for gpu in kinds() {
        let shaders = Shaders::new(program.clone(), gpu.limits()).expect("can be written");
        let mut texts = shaders.texts();
        let has_fours = texts.any(|text| text.wgsl.contains("// four neighbours at once"));
        assert_eq!(has_fours, uses_vec4, "{name} with {:?}\n{shaders}", gpu.limits());
        let got = values_on(&gpu, &g, &inputs, &wanted);
        assert_close(&format!("{name} with {:?}", gpu.limits()), &got[0], &want[0], 2e-5);
    }
}

/// Rows of whole vectors use vec4, next to operands that do not: transposed, broadcast along a
/// row, narrow, or padded.
#[test]
#[ignore = "needs an adapter"]
fn vec4_rows_agree_with_the_reference() {
    let f32 = |shape: &[usize]| Type::new(DType::F32, shape);
    let cases: [RowCase; 10] = [
        ("softmax", true, f32(&[64]), |g, x, y| softmax(g, x + y, -1, None).expect("records")),
        ("norm", true, f32(&[64]), |_, x, y| {
            let centred = x - x.mean_keep(&[2]);
            centred / ((centred * centred).mean_keep(&[2]) + 1e-5).sqrt() * y
        }),
        ("transposed", true, f32(&[64, 6, 15]), |_, x, y| {
            (x + y.permute(&[1, 2, 0])).max_keep(&[2])
        }),
        ("broadcast along rows", true, f32(&[6, 15, 1]), |g, x, y| {
            softmax(g, x * y, -1, None).expect("records")
        }),
        ("narrow", true, Type::new(DType::F16, [6, 15, 64]), |_, x, y| {
            (x + y.cast(DType::F32)).sum(&[2])
        }),
        ("integers", true, Type::new(DType::I32, [6, 15, 64]), |_, x, y| {
            y.max_keep(&[2]).cast(DType::F32) - x.max_keep(&[2])
        }),
        ("padding", true, f32(&[6, 15, 60]), |_, x, y| (x + y.pad(2, 1, 3, 0.5)).max_keep(&[2])),
        ("indices", true, f32(&[1]), |g, x, y| {
            let at = g.iota(64, DType::F32).expand(&[6, 15, 64]);
            x - (x * at).max_keep(&[2]) + at * y.expand(&[6, 15, 64])
        }),
        ("empty", false, f32(&[6, 15, 0]), |_, x, y| y.sum(&[2]) + x.select(2, 0)),
        ("unaligned", false, f32(&[6, 15, 63]), |_, x, y| {
            x.narrow(2, 1, 63).max_keep(&[2]) + y.max_keep(&[2])
        }),
    ];
    cases.into_iter().for_each(check_rows);
}

/// Products of all shapes: thin, square, batched, transposed, with partial tiles.
#[test]
#[ignore = "needs an adapter"]
fn products_of_all_shapes_agree_with_the_reference() {
    let forms: &[([usize; 4], bool, bool)] = &[
        ([1, 5, 0, 10], false, false),
        ([1, 40, 0, 30], true, true),
        ([1, 1, 300, 1], false, false),
        ([1, 1, 64, 200], false, true),
        ([1, 200, 64, 3], true, false),
        ([1, 33, 17, 70], false, false),
        ([1, 70, 100, 40], true, true),
        ([3, 20, 33, 48], false, true),
        ([1, 130, 48, 129], true, false),
    ];
    let g = Recorder::default();
    let (mut inputs, mut wanted) = (Vec::new(), Vec::new());
    for &([batch, m, k, n], a_is_transposed, b_is_transposed) in forms {
        let factor = |rows: usize, columns: usize, is_transposed: bool| {
            let shape = if is_transposed { [batch, columns, rows] } else { [batch, rows, columns] };
            let x = g.input("x", Role::Data, Type::new(DType::F32, shape));
            (x, if is_transposed { x.transposed() } else { x })
        };
        let ((x, a), (y, b)) = (factor(m, k, a_is_transposed), factor(k, n, b_is_transposed));
        wanted.push(matmul(&g, a, b).expect("records").id());
        for x in [x, y] {
            inputs.push((x.id(), sample(&x.ty())));
        }
    }
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    for gpu in kinds() {
        let got = values_on(&gpu, &g, &inputs, &wanted);
        for (n, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_close(&format!("{:?} with {:?}", forms[n], gpu.limits()), got, want, 1e-5);
        }
    }
}

fn transposed_if<'g>(x: Expr<'g>, is_transposed: bool) -> Expr<'g> {
    if is_transposed { x.transposed() } else { x }
}

/// Factors of whole vectors, along the sum and across it, with vec4 epilogues, and split sums.
#[test]
#[ignore = "needs an adapter"]
fn vec4_products_agree_with_the_reference() {
    let forms: &[([usize; 4], bool, bool)] = &[
        ([1, 70, 36, 132], false, false),
        ([1, 68, 40, 132], true, true),
        ([1, 200, 44, 256], true, false),
        ([1, 130, 33, 260], false, false),
        ([3, 64, 24, 72], false, true),
        ([1, 64, 9_000, 64], true, false),
    ];
    let g = Recorder::default();
    let (mut inputs, mut wanted) = (Vec::new(), Vec::new());
    for &([batch, m, k, n], a_is_transposed, b_is_transposed) in forms {
        let input = |shape: [usize; 3]| g.input("x", Role::Data, Type::new(DType::F32, shape));
        let factor = |rows: usize, columns: usize, is_transposed: bool| match is_transposed {
            true => input([batch, columns, rows]),
            false => input([batch, rows, columns]),
        };
        let (x, y) = (factor(m, k, a_is_transposed), factor(k, n, b_is_transposed));
        let (bias, more) = (input([1, 1, n]), input([batch, m, n]));
        // An intermediate result, so that it lies in the arena.
        let (a, b) = (transposed_if(x * 2.0, a_is_transposed), transposed_if(y, b_is_transposed));
        let product = matmul(&g, a, b).expect("records") + bias;
        let plain = matmul(&g, transposed_if(x, a_is_transposed), b).expect("records");
        wanted.extend([(product * more).id(), plain.id()]);
        for x in [x, y, bias, more] {
            inputs.push((x.id(), sample(&x.ty())));
        }
    }
    // Matrices of whole vectors that do not start at a vector boundary.
    let [a, b] = [(); 2].map(|()| {
        let x = g.input("x", Role::Data, Type::new(DType::F32, [3, 2048 * 64 + 1]));
        inputs.push((x.id(), sample(&x.ty())));
        x.narrow(1, 0, 2048 * 64).reshape(&[3, 2048, 64])
    });
    wanted.push(matmul(&g, a.transposed(), b).expect("records").id());
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    for gpu in kinds() {
        let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
        let shaders = Shaders::new(program, gpu.limits()).expect("can be written");
        let by_fours = shaders.texts().filter(|text| text.wgsl.contains("four neighbours")).count();
        let Limits { is_software, subgroup, .. } = gpu.limits();
        assert_eq!(by_fours > 0, !is_software || subgroup >= 8, "{:?}", gpu.limits());
        let got = values_on(&gpu, &g, &inputs, &wanted);
        for (n, (got, want)) in got.iter().zip(&want).enumerate() {
            let form = forms.get(n / 2);
            assert_close(&format!("{form:?} with {:?}", gpu.limits()), got, want, 2e-5);
        }
    }
}

/// A convolution with each of its options, and both of its gradients.
#[test]
#[ignore = "needs an adapter"]
fn convolutions_and_their_gradients_agree_with_the_reference() {
    type Options = (usize, usize, usize, usize);
    let forms: &[Options] = &[(1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1), (3, 0, 1, 4)];
    for &(stride, padding, dilation, groups) in forms {
        let g = Recorder::default();
        let x = g.input("x", Role::Data, Type::new(DType::F32, [3, 4, 13, 11]));
        let w = g.input("w", Role::Data, Type::new(DType::F32, [8, 4 / groups, 3, 2]));
        let pairs = |n: usize| vec![n, n];
        let padding = vec![padding as isize; 2];
        let op = Conv {
            stride: pairs(stride),
            before: padding.clone(),
            after: padding,
            dilation: pairs(dilation),
            spread: pairs(1),
            groups,
        };
        let y = g.push(op, &[x, w]).expect("records");
        let grads = grad(&g, &[(y * y).sum(&[0, 1, 2, 3])], &[], &[x, w]).expect("differentiates");
        let wanted: Vec<Id> = std::iter::once(y)
            .chain(grads.into_iter().map(|dx| dx.expect("y depends on it")))
            .map(|x| x.id())
            .collect();
        let inputs: Vec<(Id, Array)> = [x, w].iter().map(|x| (x.id(), sample(&x.ty()))).collect();
        let values = inputs.iter().cloned().collect();
        let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
        for gpu in kinds() {
            let got = values_on(&gpu, &g, &inputs, &wanted);
            for (n, (got, want)) in got.iter().zip(&want).enumerate() {
                let what = format!("{n} of {stride} {dilation} {groups} {:?}", gpu.limits());
                assert_close(&what, got, want, 1e-5);
            }
        }
    }
}

/// Threads have one target or several, along any axis, and some have no sources.
#[test]
#[ignore = "needs an adapter"]
fn scatters_agree_with_the_reference() {
    let g = Recorder::default();
    let input = |shape: &[usize], dtype| g.input("x", Role::Data, Type::new(dtype, shape));
    let (table, rows) = (input(&[97, 300], DType::F32), input(&[40, 290], DType::F32));
    let (counts, small) = (input(&[5, 7], DType::I32), input(&[3, 7], DType::I32));
    let index = (rows.abs() * 96.0).cast(DType::I32);
    let wanted = [
        table.scatter(0, index, rows, ScatterOp::Add),
        table.scatter(1, index, rows, ScatterOp::Max),
        table.scatter(0, index, rows, ScatterOp::Set) * 2.0,
        counts.scatter(0, small * small, small, ScatterOp::Prod),
    ]
    .map(|x| x.id());
    let inputs: Vec<(Id, Array)> =
        [table, rows, counts, small].iter().map(|x| (x.id(), sample(&x.ty()))).collect();
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    for gpu in kinds() {
        for (n, (got, want)) in values_on(&gpu, &g, &inputs, &wanted).iter().zip(&want).enumerate()
        {
            assert_close(&format!("output {n} with {:?}", gpu.limits()), got, want, 1e-6);
        }
    }
}

/// Operands in order use vec4, next to others that do not.
#[test]
#[ignore = "needs an adapter"]
fn vec4_maps_agree_with_the_reference() {
    let g = Recorder::default();
    let input = |shape: &[usize], dtype| g.input("x", Role::Data, Type::new(dtype, shape));
    let (x, bias) = (input(&[512, 200], DType::F32), input(&[200], DType::F32));
    let (turned, counts) = (input(&[200, 512], DType::F32), input(&[512, 200], DType::I32));
    let inner = (x + bias).tanh() * turned.transposed();
    let wanted: Vec<Id> =
        [inner * inner + counts.cast(DType::F32), counts + counts, (x * 3.0).cast(DType::Bool)]
            .iter()
            .map(Expr::id)
            .collect();
    let inputs: Vec<(Id, Array)> =
        [x, bias, turned, counts].iter().map(|x| (x.id(), sample(&x.ty()))).collect();
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    for gpu in kinds() {
        let program = g.read(|graph| compile_with(graph, &wanted, &options())).expect("compiles");
        let shaders = Shaders::new(program, gpu.limits()).expect("can be written");
        assert!(shaders.texts().any(|text| text.wgsl.contains("four elements")), "{shaders}");
        for (n, (got, want)) in values_on(&gpu, &g, &inputs, &wanted).iter().zip(&want).enumerate()
        {
            assert_close(&format!("output {n} with {:?}", gpu.limits()), got, want, 1e-5);
        }
    }
}

/// Checks axes with more elements than one thread of a software adapter may loop over against the
/// reference, on every kind of device.
fn check_long(
    inputs: &[(&[usize], DType)],
    tolerance: f64,
    build: impl for<'g> Fn(&'g Recorder, &[Expr<'g>]) -> Vec<Expr<'g>>,
) {
    let g = Recorder::default();
    let input =
        |(shape, dtype): &(&[usize], DType)| g.input("x", Role::Data, Type::new(*dtype, *shape));
    let inputs: Vec<Expr> = inputs.iter().map(input).collect();
    let wanted: Vec<Id> = build(&g, &inputs).iter().map(Expr::id).collect();
    let inputs: Vec<(Id, Array)> = inputs.iter().map(|x| (x.id(), sample(&x.ty()))).collect();
    let values = inputs.iter().cloned().collect();
    let want = g.read(|graph| eval(graph, &values, &wanted)).expect("evaluates");
    for gpu in kinds() {
        let got = values_on(&gpu, &g, &inputs, &wanted);
        for (n, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_close(&format!("output {n} with {:?}", gpu.limits()), got, want, tolerance);
        }
    }
}

const LONG: usize = 70_000;

#[test]
#[ignore = "needs an adapter"]
fn argmax_and_argmin_of_long_lines_agree_with_the_reference() {
    let shapes: [&[usize]; 3] = [&[LONG], &[3, LONG], &[LONG, 2]];
    check_long(&shapes.map(|shape| (shape, DType::F32)), 0.0, |g, x| {
        let (line, rows, columns) = (x[0], x[1], x[2]);
        // The best element is one of the last two, which are equal: the first of them wins.
        let late = line.narrow(0, 0, LONG - 2).pad(0, 0, 2, 9.0);
        let unknown = line.narrow(0, 0, LONG - 3).pad(0, 0, 3, f64::NAN);
        vec![
            argmax(g, late, Some(0), false).expect("records"),
            argmin(g, unknown, Some(0), false).expect("records"),
            argmax(g, rows, Some(1), true).expect("records"),
            argmin(g, columns, Some(0), false).expect("records") + 1.0,
            argmax(g, line.cast(DType::Bool), Some(0), false).expect("records"),
            argmax(g, rows.narrow(1, 0, 100), Some(0), false).expect("records"),
        ]
    });
}

#[test]
#[ignore = "needs an adapter"]
fn scans_of_long_lines_agree_with_the_reference() {
    let shapes: [&[usize]; 3] = [&[LONG], &[LONG, 3], &[2, 1000]];
    check_long(&shapes.map(|shape| (shape, DType::F32)), 1e-5, |g, x| {
        let (line, columns, short) = (x[0], x[1], x[2]);
        let ones = line.like(1).cast(DType::I32);
        let back = cumsum(g, columns.flip(&[0]), 0, None).expect("records").flip(&[0]);
        let grown = logcumsumexp(g, line, 0).expect("records");
        let steps = cumsum(g, short, 1, None).expect("records") * 2.0;
        let dx = grad(g, &[cumsum(g, columns, 0, None).expect("records")], &[], &[columns]);
        let dx = dx.expect("differentiates")[0].expect("depends on it");
        let sums = cumsum(g, line, 0, None).expect("records");
        vec![sums, cumsum(g, ones, 0, None).expect("records"), back, grown, steps, dx]
    });
}

#[test]
#[ignore = "needs an adapter"]
fn sorts_of_long_lines_agree_with_the_reference() {
    let inputs: [(&[usize], DType); 4] = [
        (&[LONG], DType::F32),
        (&[2, 5000], DType::F32),
        (&[4097, 3], DType::I32),
        (&[600], DType::Bool),
    ];
    check_long(&inputs, 0.0, |g, x| {
        let (up, up_at) = sort(g, x[0], 0, false, true).expect("records");
        let (down, down_at) = sort(g, x[0], 0, true, true).expect("records");
        let (top, top_at) = topk(g, x[0], 50, 0, true, true).expect("records");
        let (rows, rows_at) = sort(g, x[1], 1, true, true).expect("records");
        let (columns, columns_at) = sort(g, x[2], 0, false, true).expect("records");
        let (flags, flags_at) = sort(g, x[3], 0, false, true).expect("records");
        let nan = x[1].narrow(0, 0, 1).pad(1, 3, 4, f64::NAN);
        let (_, nan_at) = topk(g, nan, 20, 1, true, true).expect("records");
        vec![
            up, up_at, down, down_at, top, top_at, rows, rows_at, columns, columns_at, flags,
            flags_at, nan_at,
        ]
    });
}

/// Very many sources: for all targets, for a single one, and for targets that differ by column.
#[test]
#[ignore = "needs an adapter"]
fn scatters_of_many_sources_agree_with_the_reference() {
    let f32s: [&[usize]; 4] = [&[300, 4], &[LONG, 4], &[LONG], &[5000, 30]];
    let mut inputs = f32s.map(|shape| (shape, DType::F32)).to_vec();
    inputs.push((&[9, 3], DType::I32));
    check_long(&inputs, 2e-5, |g, x| {
        let (table, rows, line, tall, counts) = (x[0], x[1], x[2], x[3], x[4]);
        let token = (line.abs() * 299.0).cast(DType::I64).reshape(&[LONG, 1]);
        let tokens = token.expand(&[LONG, 4]);
        let own = (rows.abs() * 299.0).cast(DType::I32);
        let same = own.like(7);
        let part = rows.narrow(1, 0, 2);
        let picked = table.gather(0, tokens);
        let embedding = grad(g, &[picked * rows], &[], &[table]).expect("differentiates")[0];
        let every = (g.iota(LONG, DType::I32).reshape(&[LONG, 1])).expand(&[LONG, 4]);
        let ones = g.number(Number::Int(1), DType::I32).expand(&[LONG, 3]);
        let bins =
            (g.iota(LONG, DType::I32).reshape(&[LONG, 1]).expand(&[LONG, 3])).cast(DType::Bool);
        vec![
            table.scatter(0, tokens, rows, ScatterOp::Add) * 2.0,
            table.scatter(0, own, rows, ScatterOp::Add),
            table.scatter(0, same, rows, ScatterOp::Add),
            table.scatter(0, own.narrow(1, 0, 2), part, ScatterOp::Max),
            table.scatter(0, own, rows, ScatterOp::Set),
            rows.scatter(0, every, rows, ScatterOp::Add),
            counts.scatter(0, bins.cast(DType::I32), ones, ScatterOp::Add),
            embedding.expect("depends on it"),
            tall.scatter(0, (tall.abs() * 4999.0).cast(DType::I32), tall, ScatterOp::Min),
        ]
    });
}

/// Windows over nearly all of an axis.
#[test]
#[ignore = "needs an adapter"]
fn folds_of_long_windows_agree_with_the_reference() {
    check_long(&[(&[LONG + 2], DType::F32), (&[40], DType::F32)], 1e-6, |g, x| {
        let of = |n: usize, len, step| {
            let x = x[n];
            let y = unfold(g, x, 0, len, step).expect("records");
            grad(g, &[y * y], &[], &[x]).expect("differentiates")[0].expect("depends on it")
        };
        vec![of(0, LONG, 1), of(0, LONG - 1, 2), of(1, 30, 4), of(1, 4, 3)]
    });
}
