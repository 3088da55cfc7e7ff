//! Differentiation end to end, on the reference device.
use brasa_compile::{grad, jvp};
use brasa_ir::ops::Role;
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
