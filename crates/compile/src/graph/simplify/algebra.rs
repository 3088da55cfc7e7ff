//! Algebraic rules: neutral elements, signs, factors and quotients.
use super::Rewrite::{self, Known, Node};
use super::{Builder, operands};
use brasa_ir::graph::Origin;
use brasa_ir::ops::{Const, Expand, Map, Op, Pad, Reduce, ReduceOp, Reshape, Scalar};
use brasa_ir::{DType, Id, Number, Type};

/// `x + (−0)`, `x − 0`, `x · 1`, `x / 1`, `x ^ 1`, and `x + 0` of integers: for floats, −0 + 0 is
/// 0.
pub(super) fn absorb_neutral_elements(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(function)) = op else { return None };
    let is = |n: usize, value: f64| b.number(inputs[n]).is_some_and(|x| x.as_f64() == value);
    let is_zero = |n: usize, has_sign: bool| match b.number(inputs[n]) {
        Some(Number::Float(x)) => x == 0.0 && x.is_sign_negative() == has_sign,
        _ => is(n, 0.0),
    };
    match function {
        Scalar::Add if is_zero(1, true) => Some(Known(inputs[0])),
        Scalar::Add if is_zero(0, true) => Some(Known(inputs[1])),
        Scalar::Sub if is_zero(1, false) => Some(Known(inputs[0])),
        Scalar::Mul if is(1, 1.0) => Some(Known(inputs[0])),
        Scalar::Mul if is(0, 1.0) => Some(Known(inputs[1])),
        Scalar::Div | Scalar::Pow if is(1, 1.0) => Some(Known(inputs[0])),
        _ => None,
    }
}

/// `−(−x)` is `x`, `a + (−b)` is `a − b`, and `a − (−b)` is `a + b`.
pub(super) fn cancel_negations(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    _: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(function)) = op else { return None };
    let last = *inputs.last()?;
    let Op::Map(Map(Scalar::Neg)) = b.op(last) else { return None };
    match function {
        Scalar::Neg => Some(Known(b.input(last))),
        Scalar::Add => Some(Node(Map(Scalar::Sub).into(), vec![inputs[0], b.input(last)])),
        Scalar::Sub => Some(Node(Map(Scalar::Add).into(), vec![inputs[0], b.input(last)])),
        _ => None,
    }
}

/// A select with a constant condition, or with equal branches.
pub(super) fn fold_selects(b: &mut Builder, op: &Op, inputs: &[Id], _: Origin) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Select)) = op else { return None };
    let [condition, yes, no] = inputs else { return None };
    match b.number(*condition) {
        Some(known) => Some(Known(if known.as_f64() != 0.0 { *yes } else { *no })),
        None => (yes == no).then_some(Known(*yes)),
    }
}

/// Expands activations to `x · f(x)` if their operand has several readers: a gradient needs `f(x)`
/// too, which is then computed once.
pub(super) fn expand_activations(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(function @ (Scalar::GeluTanh | Scalar::Silu))) = op else { return None };
    let x = *inputs.first()?;
    // 16-bit types would be rounded at every step.
    if b.has_one_reader(x) || !matches!(b.ty(x).dtype, DType::F32 | DType::F64) {
        return None;
    }
    let factor = match function {
        Scalar::Silu => b.map(Scalar::Sigmoid, &[x], origin),
        // The form in its gradient: ½(tanh u + 1), u = √(2/π) x (1 + 0.044715 x²).
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
    // Below this the factor is zero, and minus infinity times zero would be NaN.
    let least = if b.ty(x).dtype == DType::F64 { -800.0 } else { -200.0 };
    let x = b.map_number(Scalar::Maximum, x, least, origin);
    Some(Node(Map(Scalar::Mul).into(), vec![x, factor]))
}

/// Maximum number of chained factors that are moved behind a view or a product.
const MAX_FACTORS: usize = 4;

/// Moves the factor of `c · x` behind a view or a matrix product: there it is free, as part of an
/// epilogue, and `x` can be read in place. The product alone may overflow, as with PyTorch's
/// `alpha`.
pub(super) fn hoist_factors(
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
        // Padding zeros must keep their sign, and values multiplied by zero need not be finite.
        let is_padding = matches!(op, Op::Pad(_));
        let moves = |c: f64| c.is_finite() && c != 0.0 && !(is_padding && c < 0.0);
        b.number(c).filter(|c| is_wide && moves(c.as_f64())).map(|value| (x, value))
    };
    let (n, (x, value)) = inputs.iter().enumerate().find_map(|(n, &id)| Some((n, factor(id)?)))?;
    // A long chain of factors would be moved repeatedly.
    if std::iter::successors(Some(x), |&x| Some(factor(x)?.0)).nth(MAX_FACTORS).is_some() {
        return None;
    }
    let mut inputs = inputs.to_vec();
    inputs[n] = x;
    let x = b.add(op.clone(), inputs, origin);
    let Type { dtype, shape } = b.ty(x).clone();
    let c = b.add(Const { value, dtype, shape }.into(), vec![], origin);
    Some(Node(Map(Scalar::Mul).into(), vec![x, c]))
}

/// Whether `x` is a quotient by `s` or a product with one, possibly negated, like each term of
/// `Σ −(dy · (e/s))/s`, the gradient of a quotient with respect to its divisor.
///
/// The rules below move divisions out of sums in that gradient only. Elsewhere `Σ x/s` may be
/// finite where `Σ x` overflows, and NaN where `(Σ x)/0` is infinite; in the gradient, terms are as
/// large as `dy` times a result. In narrow types the sums of ordinary numbers overflow.
fn has_quotient_by(b: &Builder, x: Id, s: Id) -> bool {
    let x = without_sign(b, x);
    let is_quotient = |id: Id| operands!(b, id, Scalar::Div).is_some_and(|(_, by)| by == s);
    let is_product =
        || operands!(b, x, Scalar::Mul).is_some_and(|(l, r)| is_quotient(l) || is_quotient(r));
    matches!(b.ty(x).dtype, DType::F32 | DType::F64) && (is_quotient(x) || is_product())
}

/// Whether `x` is a broadcast sum of terms with a quotient by `s`.
fn is_sum_of_quotients(b: &Builder, x: Id, s: Id) -> bool {
    let x = b.below_expands(without_sign(b, b.below_expands(x).1)).1;
    let is_sum = matches!(b.op(x), Op::Reduce(Reduce { by: ReduceOp::Sum, .. }));
    is_sum && has_quotient_by(b, b.input(x), s)
}

fn without_sign(b: &Builder, x: Id) -> Id {
    if let Op::Map(Map(Scalar::Neg)) = b.op(x) { b.input(x) } else { x }
}

/// `Σ −x` is `−Σ x`, and in the gradient of a quotient `Σ x/s` is `(Σ x)/s` if `s` is the same all
/// along the sum: one division for each sum.
pub(super) fn sum_before_division(
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
    let (x, divisor) = operands!(b, of, Scalar::Div)?;
    let is_repeated = matches!(b.op(divisor), Op::Expand(_)) && b.is_same_along(divisor, axes);
    if !is_repeated || !has_quotient_by(b, x, divisor) {
        return None;
    }
    let sum = b.add(op.clone(), vec![x], origin);
    let kept = axes.iter().fold(b.ty(divisor).shape.clone(), |kept, &axis| kept.with(axis, 1));
    let divisor = b.add(Expand { shape: kept }.into(), vec![b.input(divisor)], origin);
    let shape = b.ty(sum).shape.clone();
    let divisor = b.add(Reshape { shape }.into(), vec![divisor], origin);
    Some(Node(Map(Scalar::Div).into(), vec![sum, divisor]))
}

/// `a/s + b/s` is `(a + b)/s` in the gradient of a quotient, where `b` is the gradient of the
/// divisor, broadcast along rows of `a/s`.
pub(super) fn add_over_one_divisor(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Map(Map(Scalar::Add | Scalar::Sub)) = op else { return None };
    let [left, right] = *inputs else { return None };
    let (a, divisor) = operands!(b, left, Scalar::Div)?;
    let (moves, base) = b.below_expands(right);
    let (top, small) = operands!(b, base, Scalar::Div)?;
    if !is_sum_of_quotients(b, top, divisor) {
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

/// `(y/s) · e` is `y · (e/s)` in the gradient of a softmax, where `y` adds or subtracts a sum of
/// products with `e/s`, so that `e/s` is computed already.
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
        let (_, sum) = operands!(b, y, Scalar::Add).or(operands!(b, y, Scalar::Sub))?;
        let is_gradient = known < quotient && is_sum_of_quotients(b, sum, s);
        is_gradient.then(|| Node(Map(Scalar::Mul).into(), vec![y, known]))
    })
}
