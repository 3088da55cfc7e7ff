//! Custom ops: a `CustomOp` with shape rule, evaluation and gradient, and `custom_gradient`, which
//! replaces the true gradient by a user-defined one.
use brasa_compile::{grad, simplify};
use brasa_ir::ops::{Backward, Custom, CustomOp, Role, Vjp, custom_gradient};
use brasa_ir::{Array, DType, Error, ErrorKind, Expr, Recorder, Result, Type, eval};
use std::collections::HashMap;
use std::sync::Arc;

/// `xⁿ` of each element. Its gradient uses the op itself.
struct Power(i32);

impl CustomOp for Power {
    fn name(&self) -> &'static str {
        "power"
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let [x] = inputs else {
            return Err(Error::argument("power", format!("takes 1 operand, got {}", inputs.len())));
        };
        if !x.dtype.is_float() {
            return Err(Error::dtype("power", "expected floats").operand("x", x));
        }
        Ok((*x).clone())
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        Ok(Array::from_f64(out, inputs[0].to_f64().iter().map(|x| x.powi(self.0))))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        // dy · n · xⁿ⁻¹
        let slope = || v.g.emit(power(self.0 - 1), &[v.x()]) * self.0 as f64;
        vec![v.when(0, || v.dy * slope())]
    }
}

fn power(n: i32) -> Custom {
    Custom(Arc::new(Power(n)))
}

fn input(g: &Recorder) -> Expr<'_> {
    g.input("x", Role::Param, Type::new(DType::F64, [3]))
}

fn run(g: &Recorder, x: Expr, values: [f64; 3], wanted: Expr) -> Vec<f64> {
    let inputs = HashMap::from([(x.id(), Array::from_f64(&x.ty(), values))]);
    g.read(|graph| eval(graph, &inputs, &[wanted.id()])).expect("evaluates")[0].to_f64()
}

fn derivative<'g>(g: &'g Recorder, y: Expr<'g>, x: Expr<'g>) -> Expr<'g> {
    grad(g, &[y], &[], &[x]).expect("differentiates")[0].expect("depends on x")
}

#[test]
fn a_custom_op_has_derivatives_of_any_order() {
    let g = Recorder::default();
    let x = input(&g);
    let mut y = g.push(power(3), &[x]).expect("records");
    for want in [[-8.0, 1.0, 27.0], [12.0, 3.0, 27.0], [-12.0, 6.0, 18.0], [6.0, 6.0, 6.0]] {
        assert_eq!(run(&g, x, [-2.0, 1.0, 3.0], y), want);
        y = derivative(&g, y, x);
    }
}

#[test]
fn a_custom_op_composes_with_other_ops() {
    let g = Recorder::default();
    let x = input(&g);
    let y = (g.push(power(2), &[x * 2.0]).expect("records") + x).sum(&[0]);
    let dx = derivative(&g, y, x);
    // Σ 4x² + x
    assert_eq!(run(&g, x, [-2.0, 1.0, 3.0], y), [58.0]);
    assert_eq!(run(&g, x, [-2.0, 1.0, 3.0], dx), [-15.0, 9.0, 25.0]);
}

#[test]
fn a_custom_op_reports_errors_at_the_users_line() {
    let g = Recorder::default();
    let x = g.input("x", Role::Data, Type::new(DType::I64, [2]));
    let (line, error) = (line!(), g.push(power(2), &[x]).expect_err("integers"));
    assert_eq!(error.kind(), ErrorKind::DType);
    assert_eq!(error.message(), "power: expected floats\n  x: i64[2]");
    let site = error.site().expect("a place").to_string();
    assert!(site.contains(&format!("custom.rs:{line}:")), "{site}");
}

/// The gradient of the identity for |x| ≤ 1, else zero.
fn straight_through<'g>(x: &[Expr<'g>], _: Expr<'g>, dy: Expr<'g>) -> Vec<Option<Expr<'g>>> {
    let is_near = x[0].abs().le(x[0].like(1.0));
    vec![Some(is_near.choose(dy, dy.zeros_like()))]
}

#[test]
fn a_straight_through_estimator() {
    let g = Recorder::default();
    let x = input(&g);
    let backward: Backward = Arc::new(straight_through);
    let y = custom_gradient(&g, "binarize", &[x], x.sign(), backward).expect("records");
    let loss = (y * 5.0).sum(&[0]);
    let values = [-3.0, -0.5, 0.25];
    assert_eq!(run(&g, x, values, y), [-1.0, -1.0, 1.0]);
    assert_eq!(run(&g, x, values, derivative(&g, loss, x)), [0.0, 5.0, 5.0]);
    // The true derivative of a sign is zero.
    let flat = grad(&g, &[x.sign()], &[], &[x]).expect("differentiates")[0];
    assert!(flat.is_none_or(|d| run(&g, x, values, d) == [0.0; 3]));
}

/// The gradient, clipped to −1 to 1.
fn clipped<'g>(_: &[Expr<'g>], _: Expr<'g>, dy: Expr<'g>) -> Vec<Option<Expr<'g>>> {
    vec![Some(dy.maximum(dy.like(-1.0)).minimum(dy.like(1.0)))]
}

#[test]
fn a_clipped_gradient() {
    let g = Recorder::default();
    let x = input(&g);
    let y = custom_gradient(&g, "clip_gradient", &[x], x, Arc::new(clipped)).expect("records");
    let dx = derivative(&g, y * y, x);
    assert_eq!(run(&g, x, [-3.0, 0.25, 2.0], y), [-3.0, 0.25, 2.0]);
    assert_eq!(run(&g, x, [-3.0, 0.25, 2.0], dx), [-1.0, 0.5, 1.0]);
}

/// dy · y, from the output of the forward pass.
fn of_output<'g>(_: &[Expr<'g>], y: Expr<'g>, dy: Expr<'g>) -> Vec<Option<Expr<'g>>> {
    vec![Some(dy * y)]
}

#[test]
fn a_custom_gradient_can_be_differentiated_again() {
    let g = Recorder::default();
    let x = input(&g);
    let mut y = custom_gradient(&g, "my_exp", &[x], x.exp(), Arc::new(of_output)).expect("records");
    let values = [-1.0, 0.0, 2.0];
    for order in 0..3 {
        assert_eq!(run(&g, x, values, y), values.map(f64::exp), "order {order}");
        y = derivative(&g, y, x);
    }
}

/// Simplification removes the custom op.
#[test]
fn a_custom_gradient_costs_nothing_in_the_forward_pass() {
    let g = Recorder::default();
    let x = input(&g);
    let y = custom_gradient(&g, "binarize", &[x], x.sign(), Arc::new(straight_through));
    let y = y.expect("records").id();
    let simple = g.read(|graph| simplify(graph, &[y]));
    let names: Vec<&str> = simple.graph.nodes().map(|(_, node)| node.op.name()).collect();
    assert_eq!(names, ["input", "sign"]);
}
