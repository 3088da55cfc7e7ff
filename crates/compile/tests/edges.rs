//! Edge cases of losses, norms and attention, where the plain formulas would divide by zero.
use brasa_compile::grad;
use brasa_ir::ops::Role;
use brasa_ir::{Array, DType, Expr, Recorder, Type, Value, eval, table};
use std::collections::HashMap;

/// A tensor argument: its shape and elements.
type Tensor<'a> = (&'a [usize], &'a [f64]);

/// Calls an op whose first argument is differentiable. Returns the elements of the result and the
/// gradient of their sum.
fn run(
    op: &str,
    x: Tensor,
    rest: &[(DType, Tensor)],
    named: &[(&str, Value)],
) -> (Vec<f64>, Vec<f64>) {
    let g = Recorder::default();
    let mut inputs = HashMap::new();
    let mut args = Vec::new();
    for (dtype, (shape, elements)) in [(DType::F64, x)].iter().chain(rest) {
        let input = g.input("x", Role::Data, Type::new(*dtype, *shape));
        let value = Array::from_f64(&input.ty(), elements.iter().copied());
        inputs.insert(input.id(), value);
        args.push(Value::Tensor(input.id()));
    }
    let Value::Tensor(x) = args[0] else { unreachable!("the first argument is a tensor") };
    let entry = table::find(op).expect("an op of the table");
    let y: Expr = g.expr(entry.call(&g, &args, named).expect("a valid call")[0]);
    let dx = grad(&g, &[y], &[], &[g.expr(x)]).expect("differentiates")[0].expect("depends on x");
    let wanted = [y.id(), dx.id()];
    let values = g.read(|graph| eval(graph, &inputs, &wanted)).expect("evaluates");
    (values[0].to_f64(), values[1].to_f64())
}

#[test]
fn fully_masked_queries_give_zeros() {
    let hidden = f64::NEG_INFINITY;
    let masks: [(DType, &[f64]); 2] =
        [(DType::Bool, &[0.0, 0.0, 1.0, 0.0]), (DType::F64, &[hidden, hidden, 0.0, hidden])];
    for (dtype, mask) in masks {
        let square: &[usize] = &[2, 2];
        let values = (DType::F64, (square, &[5.0, 6.0, 7.0, 8.0][..]));
        let keys = (DType::F64, (square, &[0.3, 0.1, -0.2, 0.4][..]));
        let (y, dx) = run(
            "scaled_dot_product_attention",
            (square, &[1.0, 2.0, 3.0, 4.0]),
            &[keys, values, (dtype, (square, mask))],
            &[],
        );
        assert_eq!(y, [0.0, 0.0, 5.0, 6.0], "{dtype} mask");
        assert_eq!(dx, [0.0; 4], "{dtype} mask");
    }
}

#[test]
fn logarithms_of_probabilities_zero_and_one_are_clamped() {
    // probability, label, loss, slope
    let rows = [(0.0, 1.0, 100.0, -1e12), (0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 100.0, 1e12)];
    for (x, t, loss, slope) in rows {
        let target = (DType::F64, (&[1][..], &[t][..]));
        let (y, dx) = run("binary_cross_entropy", (&[1], &[x]), &[target], &[]);
        assert_eq!((y[0], dx[0]), (loss, slope), "probability {x} of label {t}");
    }
}

#[test]
fn ignored_targets_do_not_count() {
    let scores = [1.0, 2.0, 4.0, f64::INFINITY, 0.0, 0.0];
    let target = (DType::I64, (&[2][..], &[1.0, -100.0][..]));
    let (y, dx) = run("nll_loss", (&[2, 3], &scores), &[target], &[]);
    assert_eq!(y, [-2.0]);
    assert_eq!(dx, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn zero_vectors_have_zero_slopes() {
    for (p, dim) in [(2.0, 0), (1.5, 0), (3.0, 0)] {
        let named = [("p", Value::Float(p)), ("dim", Value::Int(dim)), ("eps", Value::Float(0.5))];
        let (y, dx) = run("normalize", (&[2], &[0.0, 0.0]), &[], &named);
        assert_eq!((y, dx), (vec![0.0, 0.0], vec![2.0, 2.0]), "p = {p}");
    }
    let other = (DType::F64, (&[2][..], &[3.0, 4.0][..]));
    let named = [("dim", Value::Int(0)), ("eps", Value::Float(0.5))];
    let (y, dx) = run("cosine_similarity", (&[2], &[0.0, 0.0]), &[other], &named);
    assert_eq!((y, dx), (vec![0.0], vec![1.2, 1.6]));
}
