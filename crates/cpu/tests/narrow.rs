//! 16-bit values, infinities and NaN: fused programs take the same decisions (comparisons,
//! extremes) as the reference.
use brasa_compile::{compile, grad};
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::compose::*;
use brasa_ir::ops::{ReduceOp, Role, Scalar};
use brasa_ir::{Array, DType, Expr, Graph, Id, Recorder, Type, eval};
use std::collections::HashMap;

/// Values in −1..1.
fn sample(ty: &Type, seed: u64) -> Array {
    let value = |i: usize| {
        let mut h = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (seed << 9);
        h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((h >> 40) as f64) / (1u64 << 23) as f64 - 1.0
    };
    Array::from_f64(ty, (0..ty.elements()).map(value))
}

/// Compares with the reference; infinities and NaN must be equal.
fn check(name: &str, graph: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id], most: f64) {
    let want = eval(graph, inputs, wanted).expect("evaluates");
    let program = compile(graph, wanted);
    let buffer = |input: &brasa_compile::program::ProgramInput| Buffer::from(&inputs[&input.node]);
    let mut buffers: Vec<Buffer> = program.inputs.iter().map(buffer).collect();
    let mut executable = Executable::new(program.clone());
    executable.run(&Pool::new(2), &mut buffers, graph.slots()).expect("runs");
    for (n, want) in want.iter().enumerate() {
        let got = executable.output(&buffers, n);
        for i in 0..want.len() {
            let (got, want) = (got.f64(i), want.f64(i));
            let is_same = got == want || (got.is_nan() && want.is_nan());
            let is_close = want.is_finite() && (got - want).abs() <= most * (1.0 + want.abs());
            assert!(
                is_same || is_close,
                "{name}, output {n}, element {i}: {got}, reference {want}\n{program}"
            );
        }
    }
}

type Decide = for<'g> fn(&'g Recorder, Expr<'g>) -> Vec<Expr<'g>>;

/// Ops that compare the elements of a product.
const DECISIONS: &[(&str, Decide)] = &[
    ("amax", |g, x| vec![amax(g, x, Some(vec![1]), false).unwrap()]),
    ("amin", |g, x| vec![amin(g, x, Some(vec![1]), true).unwrap()]),
    ("aminmax", |g, x| {
        let (least, most) = aminmax(g, x, Some(1), false).unwrap();
        vec![least + most]
    }),
    ("max", |g, x| match max(g, x, Some(DimOrTensor::Dim(1)), false).unwrap() {
        brasa_ir::table::Outputs::Many(both) => vec![both[0]],
        brasa_ir::table::Outputs::One(_) => unreachable!("there is an index too"),
    }),
    ("max_pool2d", |g, x| {
        let x = x.reshape(&[1, 6, x.len(1), 5]);
        let x = max_pool2d(g, x, vec![1], None, vec![0], vec![1], false, false).unwrap()[0];
        vec![x]
    }),
    ("max_pool1d", |g, x| {
        let x = x.permute(&[0, 2, 1]);
        let size = x.len(2).min(2);
        vec![max_pool1d(g, x, vec![size], None, vec![0], vec![1], false, false).unwrap()[0]]
    }),
    ("median", |g, x| match median(g, x, Some(1), false).unwrap() {
        brasa_ir::table::Outputs::Many(both) => vec![both[0]],
        brasa_ir::table::Outputs::One(_) => unreachable!("there is an index too"),
    }),
    ("sort", |g, x| vec![sort(g, x, 1, false, false).unwrap().0]),
    ("cummax", |g, x| vec![cummax(g, x, 1).unwrap().0]),
    ("clamp", |g, x| {
        let most = x.reduce(ReduceOp::Max, &[1]).unsqueeze(1);
        vec![clamp(g, x, None, Some(most.into())).unwrap()]
    }),
    ("steps", |_, x| vec![(x * 8.0).floor() + x, x.eq(x.detach()).cast(x.dtype()) * x]),
];

/// Extremes of a rounded product must be compared with the rounded product.
#[test]
fn comparisons_use_rounded_narrow_values() {
    for dtype in [DType::F16, DType::BF16] {
        for (name, decide) in DECISIONS {
            for len in [1, 2, 7, 33] {
                let g = Recorder::default();
                let ty = Type::new(dtype, [6, len, 5]);
                let [a, b] = [0, 1].map(|_| g.input("x", Role::Data, ty.clone()));
                let outputs = decide(&g, a * b);
                let given: Vec<Option<Expr>> = vec![None; outputs.len()];
                let found = grad(&g, &outputs, &given, &[a]).expect("differentiates");
                let wanted: Vec<Id> =
                    outputs.iter().chain(found.iter().flatten()).map(|x| x.id()).collect();
                let inputs = [(a.id(), sample(&ty, 1)), (b.id(), sample(&ty, 2))].into();
                let name = format!("{name} of {dtype}, {len} long");
                g.read(|graph| check(&name, graph, &inputs, &wanted, 0.02));
            }
        }
    }
}

/// Functions that vanish towards minus infinity are zero there, with and without a gradient in the
/// same program; gradients are those of PyTorch, which are NaN where a zero meets an infinity.
#[test]
fn functions_of_infinities_agree_with_the_reference() {
    let edges = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -1e30, 1e30, -1e4, -200.0, -88.5, 0.0];
    let rows = [
        Scalar::Silu,
        Scalar::Gelu,
        Scalar::GeluTanh,
        Scalar::Mish,
        Scalar::Softplus,
        Scalar::Sigmoid,
        Scalar::Tanh,
        Scalar::Erf,
    ];
    for row in rows {
        for len in [1, 9, 64, 1000] {
            let g = Recorder::default();
            let ty = Type::new(DType::F32, [len]);
            let x = g.input("x", Role::Data, ty.clone());
            let y = Expr::map(row, &[x]);
            let dx = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends");
            let values = Array::from_f64(&ty, (0..len).map(|i| edges[i % edges.len()]));
            let (inputs, name) = ([(x.id(), values)].into(), format!("{row:?} of {len}"));
            g.read(|graph| check(&name, graph, &inputs, &[y.id(), dx.id()], 1e-5));
            g.read(|graph| check(&name, graph, &inputs, &[y.id()], 1e-5));
        }
    }
}

/// As in PyTorch, padding is zeros, which an infinite weight turns into NaN; outputs without
/// padding are infinite.
#[test]
fn infinite_weights_times_padding_are_nan() {
    // Channels, outputs, height, size of the window, stride.
    let cases =
        [(1, 1, 3, 3, 1), (8, 8, 16, 3, 1), (16, 32, 20, 3, 1), (3, 8, 17, 5, 2), (4, 4, 9, 1, 1)];
    for (channels, outputs, height, size, stride) in cases {
        for infinite_weight in [true, false] {
            let g = Recorder::default();
            let x = Type::new(DType::F32, [2, channels, height, height]);
            let w = Type::new(DType::F32, [outputs, channels, size, size]);
            let (x, w) = (g.input("x", Role::Data, x), g.input("w", Role::Data, w));
            let (stride, padding) = (vec![stride], Some(Padding::Sides(vec![size / 2])));
            let y = conv2d(&g, x, w, None, stride, padding, vec![1], 1).expect("records");
            let found = grad(&g, &[y], &[], &[x, w]).expect("differentiates");
            let wanted: Vec<Id> =
                [y].iter().chain(found.iter().flatten()).map(|x| x.id()).collect();
            let (mut of_x, mut of_w) = (sample(&x.ty(), 1), sample(&w.ty(), 2));
            let infinite = if infinite_weight { &mut of_w } else { &mut of_x };
            let values: Vec<f64> = (0..infinite.len())
                .map(|i| if i == 0 { f64::INFINITY } else { infinite.f64(i) })
                .collect();
            *infinite = Array::from_f64(&infinite.ty.clone(), values);
            let name = format!("{channels} to {outputs}, {height} by {size}, {infinite_weight}");
            let inputs = [(x.id(), of_x), (w.id(), of_w)].into();
            g.read(|graph| check(&name, graph, &inputs, &wanted, 1e-3));
        }
    }
}
