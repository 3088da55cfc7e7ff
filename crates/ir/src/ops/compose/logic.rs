//! Clamping, selection and predicates.
use super::arithmetic::{float_pair, pair};
use super::prelude::*;

/// `x`, or `low` where `x` is not larger, so that the gradient at the limit is zero, as in PyTorch
/// since 2.14.
fn at_least<'g>(x: Expr<'g>, low: Expr<'g>) -> Expr<'g> {
    x.le(low).choose(low, x)
}

/// `x`, or `high` where `x` is not smaller.
fn at_most<'g>(x: Expr<'g>, high: Expr<'g>) -> Expr<'g> {
    x.ge(high).choose(high, x)
}

/// Clamps elements to `min … max`; where `min > max` the result is `max`.
#[op(
    alias = "clip",
    case = "f32[2, 3], min=-0.5, max=0.5",
    case = "f32[2, 3], max=0.3",
    case = "f32[2, 3], f32[3] in -1..-0.5, f32[2, 1] in 0.5..1"
)]
pub fn clamp(
    g: &Recorder,
    input: Expr,
    min: Option<Operand>,
    max: Option<Operand>,
) -> Result<Expr> {
    if min.is_none() && max.is_none() {
        return Err(Error::argument("clamp", "give min, max or both"));
    }
    let mut named = vec![("input", input.into())];
    named.extend(min.map(|min| ("min", min)));
    named.extend(max.map(|max| ("max", max)));
    common_shape("clamp", &named)?;
    let operands: Vec<Operand> = named.into_iter().map(|(_, operand)| operand).collect();
    let all = promoted(g, "clamp", &operands, common_type(&operands))?;
    let low = if min.is_some() { at_least(all[0], all[1]) } else { all[0] };
    Ok(if max.is_some() { at_most(low, all[all.len() - 1]) } else { low })
}

/// Each element, but at least `min`.
#[op(case = "f32[2, 3], 0.1", case = "f32[2, 3], f32[3]")]
pub fn clamp_min(g: &Recorder, input: Expr, min: Operand) -> Result<Expr> {
    let (x, min) = pair(g, "clamp_min", input, min)?;
    Ok(at_least(x, min))
}

/// Each element, but at most `max`.
#[op(case = "f32[2, 3], 0.1", case = "f32[2, 3], f32[3]")]
pub fn clamp_max(g: &Recorder, input: Expr, max: Operand) -> Result<Expr> {
    let (x, max) = pair(g, "clamp_max", input, max)?;
    Ok(at_most(x, max))
}

/// The larger of two elements; if one is NaN, the other.
#[op(case = "f32[2, 3], f32[3]")]
pub fn fmax(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let (a, b) = pair(g, "fmax", input, other)?;
    Ok(a.ge(b).bitwise_or(b.ne(b)).choose(a, b))
}

/// The smaller of two elements; if one is NaN, the other.
#[op(case = "f32[2, 3], f32[3]")]
pub fn fmin(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let (a, b) = pair(g, "fmin", input, other)?;
    Ok(a.le(b).bitwise_or(b.ne(b)).choose(a, b))
}

/// A tensor as bools; an error unless it is `bool` or `u8`.
fn bools<'g>(op: &str, name: &str, x: Expr<'g>) -> Result<Expr<'g>> {
    if matches!(x.dtype(), DType::Bool | DType::U8) {
        return Ok(x.cast(DType::Bool));
    }
    let error = Error::dtype(op, format!("{name} must be of bools")).operand(name, &x.ty());
    Err(error.help("compare it: x != 0"))
}

/// Elements of `input` where `condition` is true, else of `other`.
#[op(
    case = "bool[2, 3], f32[2, 3], f32[3]",
    case = "bool[2, 1], f32[2, 3], 0",
    case = "bool[3], 1.5, -1.5"
)]
pub fn r#where(g: &Recorder, condition: Expr, input: Operand, other: Operand) -> Result<Expr> {
    let condition = bools("where", "condition", condition)?;
    let all = [("condition", condition.into()), ("input", input), ("other", other)];
    common_shape("where", &all)?;
    let (a, b) = pair(g, "where", input, other)?;
    Ok(condition.choose(a, b))
}

/// `value` where `mask` is true, else the element.
#[op(case = "f32[2, 3], bool[2, 3], -3", case = "f32[2, 3], bool[3], f32[]")]
pub fn masked_fill(g: &Recorder, input: Expr, mask: Expr, value: Operand) -> Result<Expr> {
    let mask = bools("masked_fill", "mask", mask)?;
    common_shape("masked_fill", &[("input", input.into()), ("mask", mask.into())])?;
    let value = match value {
        Operand::Number(n) => g.number(n, input.dtype()),
        Operand::Tensor(x) if x.rank() == 0 => x.cast(input.dtype()),
        Operand::Tensor(x) => {
            let error = Error::shape("masked_fill", "the value must be a number or a scalar");
            return Err(error.operand("value", &x.ty()).help("use where(mask, value, input)"));
        }
    };
    Ok(mask.choose(value, input))
}

/// 0 for negative elements, 1 for positive ones, and `values` at zero.
#[op(case = "f32[2, 3], f32[3]")]
pub fn heaviside(g: &Recorder, input: Expr, values: Expr) -> Result<Expr> {
    let (x, values) = pair(g, "heaviside", input, values)?;
    let zero = x.zeros_like();
    Ok(x.eq(zero).choose(values, x.gt(zero).cast(x.dtype())))
}

/// Compares the magnitude of each element with infinity; `integers` is the result for integers.
fn compare_with_infinity<'g>(x: Expr<'g>, comparison: Scalar, integers: bool) -> Expr<'g> {
    if !x.dtype().is_float() {
        return x.recorder().constant(integers, DType::Bool, &x.shape());
    }
    Expr::map(comparison, &[x.abs(), x.like(f64::INFINITY)])
}

/// Whether each element is NaN.
#[op(case = "f32[2, 3]")]
pub fn isnan(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.ne(input))
}

/// Whether each element is infinite.
#[op(case = "f32[2, 3]", case = "i64[3]")]
pub fn isinf(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(compare_with_infinity(input, Scalar::Eq, false))
}

/// Whether each element is neither infinite nor NaN.
#[op(case = "f32[2, 3]", case = "i64[3]")]
pub fn isfinite(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(compare_with_infinity(input, Scalar::Lt, true))
}

/// Whether each element is plus infinity.
#[op(case = "f32[2, 3]")]
pub fn isposinf(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    Ok(x.eq(x.like(f64::INFINITY)))
}

/// Whether each element is minus infinity.
#[op(case = "f32[2, 3]")]
pub fn isneginf(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    Ok(x.eq(x.like(f64::NEG_INFINITY)))
}

/// Whether each element is a real number: always true.
#[op(case = "f32[2, 3]")]
pub fn isreal(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(g.constant(true, DType::Bool, &input.shape()))
}

/// Whether the sign bit of each element is set; true for −0.
#[op(case = "f32[2, 3]", case = "i64[3]")]
pub fn signbit(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input;
    let signed = if x.dtype().is_float() { x.like(1.0).copysign(x) } else { x };
    Ok(signed.lt(x.zeros_like()))
}

/// Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
/// `equal_nan`.
#[op(case = "f32[2, 3], f32[3]", case = "f32[2, 3], f32[2, 3], rtol=0.1, equal_nan=true")]
pub fn isclose(
    g: &Recorder,
    input: Expr,
    other: Expr,
    #[default(1e-5)] rtol: f64,
    #[default(1e-8)] atol: f64,
    #[default(false)] equal_nan: bool,
) -> Result<Expr> {
    if rtol < 0.0 || atol < 0.0 {
        let what = format!("rtol {rtol} and atol {atol} must not be negative");
        return Err(Error::argument("isclose", what));
    }
    let (a, b) = float_pair(g, "isclose", input, other)?;
    let (rtol, atol) = (g.number(rtol.into(), a.dtype()), g.number(atol.into(), a.dtype()));
    let distance = (a - b).abs();
    let is_finite = distance.lt(a.like(f64::INFINITY));
    let is_near = distance.le(atol + rtol * b.abs()).bitwise_and(is_finite);
    let is_close = a.eq(b).bitwise_or(is_near);
    Ok(match equal_nan {
        true => is_close.bitwise_or(a.ne(a).bitwise_and(b.ne(b))),
        false => is_close,
    })
}

/// Two tensors cast to bools: whether each element is not zero.
fn truths<'g>(g: &'g Recorder, op: &str, a: Expr<'g>, b: Expr<'g>) -> Result<(Expr<'g>, Expr<'g>)> {
    let both = promoted(g, op, &[a.into(), b.into()], DType::Bool)?;
    Ok((both[0], both[1]))
}

/// Whether both elements are true, that is, not zero.
#[op(case = "bool[2, 3], bool[3]", case = "f32[2, 3], f32[2, 3]")]
pub fn logical_and(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let (a, b) = truths(g, "logical_and", input, other)?;
    Ok(a.bitwise_and(b))
}

/// Whether either element is true, that is, not zero.
#[op(case = "bool[2, 3], bool[3]", case = "f32[2, 3], f32[2, 3]")]
pub fn logical_or(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let (a, b) = truths(g, "logical_or", input, other)?;
    Ok(a.bitwise_or(b))
}

/// Whether exactly one element is true, that is, not zero.
#[op(case = "bool[2, 3], bool[3]", case = "f32[2, 3], f32[2, 3]")]
pub fn logical_xor(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let (a, b) = truths(g, "logical_xor", input, other)?;
    Ok(a.bitwise_xor(b))
}

/// Whether each element is false, that is, zero.
#[op(case = "bool[2, 3]", case = "f32[2, 3]")]
pub fn logical_not(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::Bool).bitwise_not())
}

entries![
    clamp,
    clamp_min,
    clamp_max,
    fmax,
    fmin,
    r#where,
    masked_fill,
    heaviside,
    isnan,
    isinf,
    isfinite,
    isposinf,
    isneginf,
    isreal,
    signbit,
    isclose,
    logical_and,
    logical_or,
    logical_xor,
    logical_not,
];
