//! A little algebra on values: neutral elements, signs, factors and quotients.
use super::Rewrite::{self, Known, Node};
use super::{Builder, operands};
use brasa_ir::graph::Origin;
use brasa_ir::ops::{Const, Expand, Map, Op, Pad, Reduce, ReduceOp, Reshape, Scalar};
use brasa_ir::{DType, Id, Type};

/// `x + 0`, `x − 0`, `x · 1`, `x / 1`, `x ^ 1`.
pub(super) fn absorb_neutral_elements(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(row)) = op else { return None };
    let is = |n: usize, value: f64| b.number(inputs[n]).is_some_and(|x| x.as_f64() == value);
    match row {
        Scalar::Add if is(1, 0.0) => Some(Known(inputs[0])),
        Scalar::Add if is(0, 0.0) => Some(Known(inputs[1])),
        Scalar::Sub if is(1, 0.0) => Some(Known(inputs[0])),
        Scalar::Mul if is(1, 1.0) => Some(Known(inputs[0])),
        Scalar::Mul if is(0, 1.0) => Some(Known(inputs[1])),
        Scalar::Div | Scalar::Pow if is(1, 1.0) => Some(Known(inputs[0])),
        _ => None,
    }
}

/// `−(−x)` is `x`, and adding or subtracting a negation is the other of the two.
pub(super) fn cancel_negations(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(row)) = op else { return None };
    let last = *inputs.last()?;
    let Op::Map(Map(Scalar::Neg)) = b.op(last) else { return None };
    match row {
        Scalar::Neg => Some(Known(b.input(last))),
        Scalar::Add => Some(Node(Map(Scalar::Sub).into(), vec![inputs[0], b.input(last)])),
        Scalar::Sub => Some(Node(Map(Scalar::Add).into(), vec![inputs[0], b.input(last)])),
        _ => None,
    }
}

/// A selection whose condition is known, or does not matter.
pub(super) fn decide_selections(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Select)) = op else { return None };
    let [condition, yes, no] = inputs else { return None };
    match b.number(*condition) {
        Some(known) => Some(Known(if known.as_f64() != 0.0 { *yes } else { *no })),
        None => (yes == no).then_some(Known(*yes)),
    }
}

/// Activations that are functions of another one, where their operand has more readers: a gradient
/// needs that other function as well, which is then computed once.
pub(super) fn open_activations(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(row @ (Scalar::GeluTanh | Scalar::Silu))) = op else { return None };
    let x = *inputs.first()?;
    // Narrow types would be rounded at every step.
    if b.has_one_reader(x) || !matches!(b.ty(x).dtype, DType::F32 | DType::F64) {
        return None;
    }
    let factor = match row {
        Scalar::Silu => b.map(Scalar::Sigmoid, &[x], origin),
        // As its gradient has it: ½(tanh u + 1), u = √(2/π) x (1 + 0.044715 x²).
        _ => {
            let square = b.map(Scalar::Mul, &[x, x], origin);
            let cubic = b.map_number(Scalar::Mul, square, 0.044715, origin);
            let slope = b.map_number(Scalar::Add, cubic, 1.0, origin);
            let u = b.map(Scalar::Mul, &[slope, x], origin);
            let u = b.map_number(Scalar::Mul, u, 0.797_884_560_802_865_4, origin);
            let tanh = b.map(Scalar::Tanh, &[u], origin);
            let sum = b.map_number(Scalar::Add, tanh, 1.0, origin);
            b.map_number(Scalar::Mul, sum, 0.5, origin)
        }
    };
    // The factor is zero there already: minus infinity times that would be NaN.
    let x = b.map_number(Scalar::Maximum, x, -200.0, origin);
    Some(Node(Map(Scalar::Mul).into(), vec![x, factor]))
}

/// Factors that are moved behind a view or a product, at most.
const MOST_FACTORS: usize = 4;

/// `c · x` in a view or in a product of matrices: the factor goes behind it, where it costs nothing,
/// and the operand can be read where it lies.
pub(super) fn float_factors(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let is_view = match op {
        Op::Reshape(_) | Op::Permute(_) | Op::Slice(_) | Op::Flip(_) => true,
        Op::Pad(Pad { value, .. }) => value.as_f64() == 0.0,
        _ => false,
    };
    if !is_view && !matches!(op, Op::Contract(_)) {
        return None;
    }
    let factor = |id: Id| {
        let (x, c) = operands!(b, id, Scalar::Mul)?;
        let is_wide = matches!(b.ty(id).dtype, DType::F32 | DType::F64);
        // Zeros of padding stay zeros.
        b.number(c).filter(|c| is_wide && c.as_f64().is_finite()).map(|value| (x, value))
    };
    let (n, (x, value)) = inputs.iter().enumerate().find_map(|(n, &id)| Some((n, factor(id)?)))?;
    // A chain of many factors would be moved again and again.
    if std::iter::successors(Some(x), |&x| Some(factor(x)?.0)).nth(MOST_FACTORS).is_some() {
        return None;
    }
    let mut inputs = inputs.to_vec();
    inputs[n] = x;
    let x = b.add(op.clone(), inputs, origin);
    let Type { dtype, shape } = b.ty(x).clone();
    let c = b.add(Const { value, dtype, shape }.into(), vec![], origin);
    Some(Node(Map(Scalar::Mul).into(), vec![x, c]))
}

/// `Σ c·x`, `Σ x/c` and `Σ −x`, where `c` is the same all along the sum: the sum comes first.
pub(super) fn sum_without_factors(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Reduce(Reduce { by: ReduceOp::Sum, axes }) = op else { return None };
    let of = *inputs.first()?;
    if !b.ty(of).dtype.is_float() || !b.has_one_reader(of) {
        return None;
    }
    if let Op::Map(Map(Scalar::Neg)) = b.op(of) {
        let sum = b.add(op.clone(), vec![b.input(of)], origin);
        return Some(Node(Map(Scalar::Neg).into(), vec![sum]));
    }
    let (row, (x, factor)) = match operands!(b, of, Scalar::Mul) {
        Some((x, c)) if b.is_same_along(c, axes) => (Scalar::Mul, (x, c)),
        Some((c, x)) if b.is_same_along(c, axes) => (Scalar::Mul, (x, c)),
        Some(_) => return None,
        None => (Scalar::Div, operands!(b, of, Scalar::Div)?),
    };
    if !b.is_same_along(factor, axes) {
        return None;
    }
    let sum = b.add(op.clone(), vec![x], origin);
    let factor = match b.number(factor) {
        Some(value) => {
            let Type { dtype, shape } = b.ty(sum).clone();
            b.add(Const { value, dtype, shape }.into(), vec![], origin)
        }
        None => {
            let kept =
                axes.iter().fold(b.ty(factor).shape.clone(), |kept, &axis| kept.with(axis, 1));
            let factor = b.add(Expand { shape: kept }.into(), vec![b.input(factor)], origin);
            let shape = b.ty(sum).shape.clone();
            b.add(Reshape { shape }.into(), vec![factor], origin)
        }
    };
    Some(Node(Map(row).into(), vec![sum, factor]))
}

/// `a/s + b/s` is `(a + b)/s`, also where `b/s` is repeated along rows of `a/s`.
pub(super) fn add_over_one_divisor(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Add | Scalar::Sub)) = op else { return None };
    let [left, right] = *inputs else { return None };
    let (a, divisor) = operands!(b, left, Scalar::Div)?;
    let (moves, base) = b.spread(right);
    let (top, small) = operands!(b, base, Scalar::Div)?;
    if !b.ty(left).dtype.is_float() {
        return None;
    }
    let mut again =
        |start: Id| moves.iter().rev().fold(start, |x, step| b.add(step.clone(), vec![x], origin));
    if again(small) != divisor {
        return None;
    }
    let top = again(top);
    let sum = b.add(op.clone(), vec![a, top], origin);
    Some(Node(Map(Scalar::Div).into(), vec![sum, divisor]))
}

/// `(y/s) · e` is `y · (e/s)` where that quotient was known before, as in the gradient of a softmax.
pub(super) fn multiply_known_quotients(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Mul)) = op else { return None };
    let [left, right] = *inputs else { return None };
    [(left, right), (right, left)].into_iter().find_map(|(quotient, e)| {
        let (y, s) = operands!(b, quotient, Scalar::Div)?;
        let &known = b.known.get(&(Map(Scalar::Div).into(), vec![e, s]))?;
        (known < quotient).then(|| Node(Map(Scalar::Mul).into(), vec![y, known]))
    })
}
