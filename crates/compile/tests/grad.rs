//! Differentiation end to end, on the reference device.
use brasa_compile::{grad, jvp, simplify};
use brasa_ir::ops::Role;
use brasa_ir::ops::compose::{prod, std_, vector_norm};
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
fn nothing_is_recorded_for_what_is_not_wanted() {
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

/// Depth costs no stack, and the backward graph grows in step with the forward one.
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
fn lengths_and_spreads_of_nothing_have_no_slope() {
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

#[test]
fn wrong_calls_are_told() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::F32, [2]));
    let whole = g.input("n", Role::Data, Type::new(DType::I64, [2]));
    let rows = [
        (whole, None, "grad: only floats have gradients\n  output: i64[2]"),
        (
            x,
            Some(whole),
            "grad: a cotangent is of another type than its output\n  output: f32[2]\n  \
             cotangent: i64[2]",
        ),
    ];
    for (output, cotangent, want) in rows {
        let error = grad(&g, &[output], &[cotangent], &[x]).expect_err(want);
        assert_eq!(error.message(), want);
    }
}
