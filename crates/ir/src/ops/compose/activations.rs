//! Activation functions. Where they are not differentiable, their gradients are those of PyTorch.
use super::prelude::*;

choice! {
    /// How `gelu` computes the normal distribution function.
    pub enum GeluForm { None = "none", Tanh = "tanh" }
}

/// A number given by the user, in the dtype of `x`.
fn number<'g>(x: Expr<'g>, value: f64) -> Expr<'g> {
    x.recorder().number(value.into(), x.dtype())
}

/// `x` clamped to `low … high`; the gradient is zero at both ends and beyond.
fn between<'g>(x: Expr<'g>, low: Expr<'g>, high: Expr<'g>) -> Expr<'g> {
    x.le(low).choose(low, x.ge(high).choose(high, x))
}

/// `x`, or `alpha · (exp(x / width) − 1)` where it is not positive.
fn exponential_unit<'g>(x: Expr<'g>, alpha: Expr<'g>, width: Option<Expr<'g>>) -> Expr<'g> {
    let is_positive = x.gt(x.zeros_like());
    // Positive elements are masked, so that their overflow does not reach the gradient.
    let tail = is_positive.choose(x.zeros_like(), x);
    let tail = width.map_or(tail, |width| tail / width);
    is_positive.choose(x, tail.expm1() * alpha)
}

/// `relu` capped at six.
#[op(case = "f32[2, 3] in -2..8")]
pub fn relu6(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(between(input, input.like(0.0), input.like(6.0)))
}

/// Each element, or `negative_slope` times it where it is negative.
#[op(case = "f32[2, 3]", case = "f32[2, 3], negative_slope=0.2")]
pub fn leaky_relu(g: &Recorder, input: Expr, #[default(0.01)] negative_slope: f64) -> Result<Expr> {
    let x = input.to_float();
    Ok(x.gt(x.zeros_like()).choose(x, x * number(x, negative_slope)))
}

/// `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
#[op(case = "f32[2, 3, 4], f32[3]", case = "f32[4], f32[1]")]
pub fn prelu(g: &Recorder, input: Expr, weight: Expr) -> Result<Expr> {
    let x = input.to_float();
    let channels = if x.rank() > 1 { x.len(1) } else { 1 };
    let slopes = weight.elements();
    if weight.rank() > 1 || (slopes != 1 && slopes != channels) {
        let what = format!("expected 1 slope or {channels}, one for each channel");
        let error = Error::shape("prelu", what).operand("input", &input.ty());
        return Err(error.operand("weight", &weight.ty()));
    }
    let mut shape = vec![1; x.rank()];
    if slopes != 1 {
        shape[1] = slopes;
    }
    let slope = weight.cast(x.dtype()).reshape(&shape);
    Ok(x.gt(x.zeros_like()).choose(x, x * slope))
}

/// Each element, or `alpha · (exp(x) − 1)` where it is negative.
#[op(case = "f32[2, 3]", case = "f32[2, 3], alpha=0.7")]
pub fn elu(g: &Recorder, input: Expr, #[default(1.0)] alpha: f64) -> Result<Expr> {
    let x = input.to_float();
    Ok(exponential_unit(x, number(x, alpha), None))
}

/// `elu` scaled so that deep networks are self-normalizing (Klambauer et al., 2017).
#[op(case = "f32[2, 3]")]
pub fn selu(g: &Recorder, input: Expr) -> Result<Expr> {
    let (alpha, scale) = (1.673_263_242_354_377_2, 1.050_700_987_355_480_5);
    let x = input.to_float();
    Ok(exponential_unit(x, x.like(alpha), None) * scale)
}

/// `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
#[op(case = "f32[2, 3]", case = "f32[2, 3], alpha=1.3")]
pub fn celu(g: &Recorder, input: Expr, #[default(1.0)] alpha: f64) -> Result<Expr> {
    if alpha == 0.0 {
        return Err(Error::argument("celu", "alpha must not be zero"));
    }
    let x = input.to_float();
    let alpha = number(x, alpha);
    Ok(exponential_unit(x, alpha, Some(alpha)))
}

/// `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
#[op(case = "f32[2, 3]", case = "f32[2, 3], approximate='tanh'")]
pub fn gelu(
    g: &Recorder,
    input: Expr,
    #[default(GeluForm::None)] approximate: GeluForm,
) -> Result<Expr> {
    let x = input.to_float();
    Ok(match approximate {
        GeluForm::None => x.gelu(),
        GeluForm::Tanh => x.gelu_tanh(),
    })
}

/// `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
#[op(case = "f32[2, 3]", case = "f32[2, 3], beta=2, threshold=1")]
pub fn softplus(
    g: &Recorder,
    input: Expr,
    #[default(1.0)] beta: f64,
    #[default(20.0)] threshold: f64,
) -> Result<Expr> {
    let x = input.to_float();
    let scaled = x * number(x, beta);
    let is_linear = scaled.gt(number(x, threshold));
    Ok(is_linear.choose(x, scaled.softplus() / number(x, beta)))
}

/// `x / (1 + |x|)`.
#[op(case = "f32[2, 3]")]
pub fn softsign(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    Ok(x / (x.abs() + 1.0))
}

/// Each element, but at least `min_val` and at most `max_val`.
#[op(case = "f32[2, 3]", case = "f32[2, 3], min_val=-0.5, max_val=0.8")]
pub fn hardtanh(
    g: &Recorder,
    input: Expr,
    #[default(-1.0)] min_val: f64,
    #[default(1.0)] max_val: f64,
) -> Result<Expr> {
    if min_val > max_val {
        let what = format!("min_val {min_val} is larger than max_val {max_val}");
        return Err(Error::argument("hardtanh", what));
    }
    Ok(between(input, number(input, min_val), number(input, max_val)))
}

/// Piecewise linear sigmoid: `x / 6 + 1/2`, clamped to 0 … 1.
#[op(alias = "hard_sigmoid", case = "f32[2, 3] in -4..4")]
pub fn hardsigmoid(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    let is_high = x.ge(x.like(3.0));
    let line = is_high.choose(x.like(1.0), x * (1.0 / 6.0) + 0.5);
    Ok(x.le(x.like(-3.0)).choose(x.zeros_like(), line))
}

/// `x · hardsigmoid(x)`.
#[op(alias = "hard_swish", case = "f32[2, 3] in -4..4")]
pub fn hardswish(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.to_float() * hardsigmoid(g, input)?)
}

/// Each element, or zero where it lies within `−lambd` and `lambd`.
#[op(case = "f32[2, 3]", case = "f32[2, 3], lambd=0.9")]
pub fn hardshrink(g: &Recorder, input: Expr, #[default(0.5)] lambd: f64) -> Result<Expr> {
    let x = input.to_float();
    let is_small = x.ge(number(x, -lambd)).bitwise_and(x.le(number(x, lambd)));
    Ok(is_small.choose(x.zeros_like(), x))
}

/// Each element moved towards zero by `lambd`, and zero where it would cross.
#[op(case = "f32[2, 3]", case = "f32[2, 3], lambd=0.9")]
pub fn softshrink(g: &Recorder, input: Expr, #[default(0.5)] lambd: f64) -> Result<Expr> {
    if lambd < 0.0 {
        return Err(Error::argument("softshrink", format!("lambd {lambd} is negative")));
    }
    let x = input.to_float();
    let (low, high) = (number(x, -lambd), number(x, lambd));
    // `x · 0` instead of zero, so that NaN stays NaN.
    let inner = x.lt(low).choose(x - low, x * 0.0);
    Ok(x.gt(high).choose(x - high, inner))
}

/// `x − tanh(x)`.
#[op(case = "f32[2, 3]")]
pub fn tanhshrink(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    Ok(x - x.tanh())
}

/// Each element where it exceeds `threshold`, else `value`.
#[op(case = "f32[2, 3], 0.1, 7")]
pub fn threshold(g: &Recorder, input: Expr, threshold: f64, value: f64) -> Result<Expr> {
    let is_low = input.le(number(input, threshold));
    Ok(is_low.choose(number(input, value), input))
}

/// Logarithm of the sigmoid, without overflow.
#[op(alias = "log_sigmoid", case = "f32[2, 3]")]
pub fn logsigmoid(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(-(-input.to_float()).softplus())
}

/// The two halves of `dim`.
fn halves<'g>(x: Expr<'g>, dim: isize) -> Result<(Expr<'g>, Expr<'g>)> {
    let axis = x.axis(dim)?;
    let scalar = || x.shape_error("expected an axis to split into halves, got a scalar");
    let len = *x.shape().get(axis).ok_or_else(scalar)?;
    if len % 2 != 0 {
        return Err(x.shape_error(format!("dim {dim} has odd length {len}")));
    }
    Ok((x.narrow(axis, 0, len / 2), x.narrow(axis, len / 2, len / 2)))
}

/// First half of `dim`, times the sigmoid of the second.
#[op(case = "f32[2, 4]", case = "f32[4, 3], dim=0")]
pub fn glu(g: &Recorder, input: Expr, #[default(-1)] dim: isize) -> Result<Expr> {
    let (value, gate) = halves(input.to_float(), dim)?;
    Ok(value * gate.sigmoid())
}

/// `silu` of the first half of `dim`, times the second.
#[op(case = "f32[2, 4]", case = "f32[4, 3], dim=0")]
pub fn swiglu(g: &Recorder, input: Expr, #[default(-1)] dim: isize) -> Result<Expr> {
    let (gate, value) = halves(input.to_float(), dim)?;
    Ok(gate.silu() * value)
}

/// `gelu` of the first half of `dim`, times the second.
#[op(case = "f32[2, 4]", case = "f32[4, 3], dim=0")]
pub fn geglu(g: &Recorder, input: Expr, #[default(-1)] dim: isize) -> Result<Expr> {
    let (gate, value) = halves(input.to_float(), dim)?;
    Ok(gate.gelu() * value)
}

entries![
    relu6,
    leaky_relu,
    prelu,
    elu,
    selu,
    celu,
    gelu,
    softplus,
    softsign,
    hardtanh,
    hardsigmoid,
    hardswish,
    hardshrink,
    softshrink,
    tanhshrink,
    threshold,
    logsigmoid,
    glu,
    swiglu,
    geglu,
];
