//! Differentiation end to end, on the reference device.
use brasa_compile::{grad, jvp, simplify};
use brasa_ir::ops::Role;
use brasa_ir::ops::compose::{embedding, prod, slice, std_, vector_norm};
use brasa_ir::{Array, DType, Expr, Recorder, Type, eval};
use std::collections::HashMap;

fn input<'g>(g: &'g Recorder, shape: &[usize]) -> Expr<'g> {
    g.input("x", Role::Data, Type::new(DType::F64, shape))
}

fn run(g: &Recorder, x: Expr, values: &[f64], wanted: Expr) -> Vec<f64> {
    let value = Array::from_f64(&x.ty(), values.iter().copied());
    let inputs = HashMap::from([(x.id(), value)]);
    let wanted = [wanted.id()];
    g.read(|graph| eval(graph, &inputs, &wanted)).expect("evaluates")[0].to_f64()
}

#[test]
fn gradients_of_gradients() {
    let g = Recorder::default();
    let x = input(&g, &[2]);
    let mut y = x * x * x;
    for want in [[12.0, 27.0], [12.0, 18.0], [6.0, 6.0]] {
        y = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
        assert_eq!(run(&g, x, &[2.0, 3.0], y), want);
    }
}

#[test]
fn nothing_is_recorded_for_unneeded_gradients() {
    let g = Recorder::default();
    let (x, other) = (input(&g, &[2]), input(&g, &[2]));
    let y = (x * other).exp().detach() * other;
    let before = g.read(|graph| graph.len());
    assert_eq!(grad(&g, &[y], &[], &[x]).expect("differentiates")[0].map(|d| d.id()), None);
    assert_eq!(g.read(|graph| graph.len()), before + 1, "only the cotangent");
}

#[test]
fn jvp_is_the_directional_derivative() {
    let g = Recorder::default();
    let x = input(&g, &[2]);
    let direction = g.constant(2.0, DType::F64, &[2]);
    let y = (x * x).sum(&[0]);
    let dy = jvp(&g, &[y], &[x], &[direction]).expect("differentiates")[0].expect("depends on x");
    assert_eq!(run(&g, x, &[3.0, 4.0], dy), [28.0]);
}

/// Deep graphs do not overflow the stack, and the backward graph grows linearly with the forward
/// graph.
#[test]
fn a_hundred_thousand_nodes_differentiate_in_linear_size() {
    let nodes_of_gradient = |depth: usize| {
        let g = Recorder::default();
        let x = input(&g, &[2]);
        let y = (0..depth).fold(x, |y, _| (y * x).tanh());
        let forward = g.read(|graph| graph.len());
        let dx = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
        let total = g.read(|graph| graph.len());
        let simple = g.read(|graph| simplify(graph, &[dx.id()]));
        assert!(simple.graph.len() <= total);
        (forward, total - forward)
    };
    let (small, small_backward) = nodes_of_gradient(5_000);
    let (large, large_backward) = nodes_of_gradient(50_000);
    assert!(large > 100_000);
    assert!(large_backward * small <= small_backward * large * 11 / 10, "more than linear");
}

#[test]
fn products_have_exact_gradients_at_zeros() {
    let g = Recorder::default();
    let x = input(&g, &[3]);
    let y = prod(&g, x, None, false, None).expect("records");
    let dy = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
    assert_eq!(run(&g, x, &[2.0, 0.0, 5.0], dy), [0.0, 10.0, 0.0]);
    assert_eq!(run(&g, x, &[0.0, 0.0, 5.0], dy), [0.0, 0.0, 0.0]);
    let d2 = grad(&g, &[dy], &[], &[x]).expect("differentiates")[0].expect("depends on x");
    assert_eq!(run(&g, x, &[0.0, 0.0, 5.0], d2), [5.0, 5.0, 0.0]);
}

#[test]
fn norm_and_std_have_zero_gradient_at_zero() {
    let g = Recorder::default();
    let x = input(&g, &[2]);
    let slope = |y: Expr| {
        let dy = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
        run(&g, x, &[0.0, 0.0], dy)
    };
    for ord in [1.0, 1.5, 2.0, 3.0, f64::INFINITY] {
        let norm = vector_norm(&g, x, ord, None, false, None).expect("records");
        assert_eq!(slope(norm), [0.0, 0.0], "order {ord}");
    }
    assert_eq!(slope(std_(&g, x, None, None, false, None).expect("records")), [0.0, 0.0]);
}

#[test]
fn a_dropout_and_its_gradient_share_the_mask() {
    let g = Recorder::default();
    let x = input(&g, &[1000]);
    let y = brasa_ir::ops::compose::dropout(&g, x, 0.4, true).expect("records");
    let dx = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
    let seed = Array::from_i64(&Type::new(DType::U32, []), [5]);
    let ones = Array::from_f64(&x.ty(), vec![1.0; 1000]);
    let inputs = HashMap::from([(x.id(), ones), (g.seed().id(), seed)]);
    let wanted = [y.id(), dx.id()];
    let values = g.read(|graph| eval(graph, &inputs, &wanted)).expect("evaluates");
    // At ones, the output is the mask times the scale, as is the gradient.
    assert_eq!(values[0], values[1]);
    assert!(values[0].to_f64().contains(&0.0));
}

/// Evaluates several nodes.
fn values_at<const N: usize>(
    g: &Recorder,
    inputs: [(Expr, &[f64]); N],
    wanted: &[Expr],
) -> Vec<Vec<f64>> {
    let value = |(x, elements): (Expr, &[f64])| {
        (x.id(), Array::from_f64(&x.ty(), elements.iter().copied()))
    };
    let inputs: HashMap<_, _> = inputs.into_iter().map(value).collect();
    let wanted: Vec<_> = wanted.iter().map(|y| y.id()).collect();
    let values = g.read(|graph| eval(graph, &inputs, &wanted)).expect("evaluates");
    values.iter().map(Array::to_f64).collect()
}

#[test]
fn intermediate_nodes_have_gradients() {
    let g = Recorder::default();
    let x = input(&g, &[2]);
    let square = x * x;
    let y = (square * 3.0).sum(&[0]);
    let wanted = [y, square, x];
    let found = grad(&g, &[y], &[], &wanted).expect("differentiates");
    let found: Vec<Expr> = found.into_iter().map(|d| d.expect("y depends on it")).collect();
    let values = values_at(&g, [(x, &[2.0, 5.0])], &found);
    assert_eq!(values, [vec![1.0], vec![3.0, 3.0], vec![12.0, 30.0]]);
}

#[test]
fn a_missing_cotangent_is_ones() {
    let g = Recorder::default();
    let (x, dy) = (input(&g, &[2]), input(&g, &[2]));
    let y = x * x;
    let plain = grad(&g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x");
    let given = grad(&g, &[y], &[Some(dy)], &[x]).expect("differentiates")[0];
    let wanted = [plain, given.expect("depends on x")];
    let values = values_at(&g, [(x, &[2.0, 5.0]), (dy, &[1.0, -0.5])], &wanted);
    assert_eq!(values, [[4.0, 10.0], [4.0, -5.0]]);
}

#[test]
fn gradients_of_several_outputs_and_readers_add_up() {
    let g = Recorder::default();
    let (x, y) = (input(&g, &[2]), input(&g, &[]));
    // Of different shapes, and x is read by three ops.
    let outputs = [x * x + x, (x * y).sum(&[0])];
    let two = g.constant(2.0, DType::F64, &[]);
    let found = grad(&g, &outputs, &[None, Some(two)], &[x, y]).expect("differentiates");
    let found: Vec<Expr> = found.into_iter().map(|d| d.expect("both are read")).collect();
    let values = values_at(&g, [(x, &[3.0, 4.0]), (y, &[10.0])], &found);
    // 2x + 1 + 2y, and 2 · Σ x
    assert_eq!(values, [vec![27.0, 29.0], vec![14.0]]);
}

#[test]
fn independent_nodes_have_no_gradient() {
    let g = Recorder::default();
    let (x, other) = (input(&g, &[2]), input(&g, &[2]));
    let index = g.input("i", Role::Data, Type::new(DType::I64, [2]));
    let y = x.gather(0, index) * x.detach();
    let found = grad(&g, &[y], &[], &[other, index, x]).expect("differentiates");
    let is_there: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(is_there, [false, false, true]);
    let behind = grad(&g, &[x.detach() * other], &[], &[x]).expect("differentiates");
    assert!(behind[0].is_none());
}

#[test]
fn a_detached_factor_counts_as_a_constant() {
    let g = Recorder::default();
    let x = input(&g, &[2]);
    let dy = grad(&g, &[x * (x * x).detach()], &[], &[x]).expect("differentiates")[0];
    assert_eq!(run(&g, x, &[2.0, 3.0], dy.expect("depends on x")), [4.0, 9.0]);
}

#[test]
fn invalid_cotangents_and_outputs_are_rejected() {
    let g = Recorder::default();
    let (x, other) = (input(&g, &[2]), input(&g, &[3]));
    let count = g.iota(2, DType::I64);
    let errors = [
        grad(&g, &[x * x], &[Some(other)], &[x]).map(|_| ()).expect_err("another shape"),
        grad(&g, &[count], &[], &[x]).map(|_| ()).expect_err("integers"),
        jvp(&g, &[x * x], &[x], &[]).map(|_| ()).expect_err("no tangent"),
    ];
    let want = [
        "grad: the cotangent has another type than the output\n  output: f64[2]\n  \
         cotangent: f64[3]",
        "grad: only floats have gradients\n  output: i64[2]",
        "jvp: 1 inputs but 0 tangents",
    ];
    assert_eq!(errors.map(|e| e.message()), want);
}

/// Rows that are read twice sum both gradients, and elements outside a slice have zero gradient.
#[test]
fn gradients_of_embedding_and_slice() {
    let g = Recorder::default();
    let table = input(&g, &[3, 2]);
    let rows = g.constant(2, DType::I64, &[2]);
    let y = embedding(&g, rows, table, None).expect("records");
    let dy = grad(&g, &[y], &[], &[table]).expect("differentiates")[0].expect("is read");
    assert_eq!(run(&g, table, &[0.0; 6], dy), [0.0, 0.0, 0.0, 0.0, 2.0, 2.0]);
    let part = slice(&g, table, vec![vec![0, 2], vec![1, 2]], None, None, 1).expect("records");
    let dy = grad(&g, &[part], &[], &[table]).expect("differentiates")[0].expect("is read");
    assert_eq!(run(&g, table, &[0.0; 6], dy), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
}
