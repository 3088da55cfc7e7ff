//! Elementwise arithmetic with PyTorch's arguments.
use super::prelude::*;
use std::f64::consts::{LN_2, PI};

choice! {
    /// Rounding mode of a quotient.
    pub enum RoundingMode { Trunc = "trunc", Floor = "floor" }
}

/// Two operands of their common type and shape.
pub(super) fn pair<'g>(
    g: &'g Recorder,
    op: &str,
    a: impl Into<Operand<'g>>,
    b: impl Into<Operand<'g>>,
) -> Result<(Expr<'g>, Expr<'g>)> {
    pair_of(g, op, [a.into(), b.into()], |common| common)
}

/// `pair` for functions of floats.
pub(super) fn float_pair<'g>(
    g: &'g Recorder,
    op: &str,
    a: impl Into<Operand<'g>>,
    b: impl Into<Operand<'g>>,
) -> Result<(Expr<'g>, Expr<'g>)> {
    pair_of(g, op, [a.into(), b.into()], DType::to_float)
}

fn pair_of<'g>(
    g: &'g Recorder,
    op: &str,
    operands: [Operand<'g>; 2],
    dtype: impl FnOnce(DType) -> DType,
) -> Result<(Expr<'g>, Expr<'g>)> {
    let both = promoted(g, op, &operands, dtype(common_type(&operands)))?;
    Ok((both[0], both[1]))
}

/// `alpha · other`.
fn scaled<'g>(g: &'g Recorder, op: &str, other: Expr<'g>, alpha: f64) -> Result<Expr<'g>> {
    if alpha == 1.0 {
        return Ok(other);
    }
    if alpha.fract() != 0.0 && !other.dtype().is_float() {
        let what = format!("alpha {alpha} must be whole for integers");
        return Err(Error::argument(op, what).operand("other", &other.ty()));
    }
    Ok(other * g.number(alpha.into(), other.dtype()))
}

fn no_bools(op: &str, x: Expr<'_>) -> Result<()> {
    if x.dtype() != DType::Bool {
        return Ok(());
    }
    let error = Error::dtype(op, "bools cannot be subtracted").operand("input", &x.ty());
    Err(error.help("use logical_xor or logical_not"))
}

/// `input + alpha · other`.
#[op(
    alias = "add_scalar",
    case = "f32[2, 3], f32[3]",
    case = "f32[2, 3], 2.5",
    case = "f32[2, 3], f32[2, 1], alpha=0.5"
)]
pub fn add(
    g: &Recorder,
    input: Operand,
    other: Operand,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    let (a, b) = pair(g, "add", input, other)?;
    Ok(a + scaled(g, "add", b, alpha)?)
}

/// `input − alpha · other`.
#[op(alias = "subtract", case = "f32[2, 3], f32[3]", case = "f32[2, 3], 2.5, alpha=0.5")]
pub fn sub(
    g: &Recorder,
    input: Operand,
    other: Operand,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    let (a, b) = pair(g, "sub", input, other)?;
    no_bools("sub", a)?;
    Ok(a - scaled(g, "sub", b, alpha)?)
}

/// `other − alpha · input`.
#[op(case = "f32[2, 3], f32[3]", case = "f32[2, 3], 2.5, alpha=0.5")]
pub fn rsub(
    g: &Recorder,
    input: Operand,
    other: Operand,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    let (a, b) = pair(g, "rsub", input, other)?;
    no_bools("rsub", a)?;
    Ok(b - scaled(g, "rsub", a, alpha)?)
}

/// `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
/// zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
#[op(
    alias = "divide",
    alias = "true_divide",
    case = "f32[2, 3], f32[3] in 0.5..2",
    case = "f32[2, 3], 2.5",
    case = "i64[4] in 1..9, i64[4] in 1..9",
    case = "i64[4] in -9..9, i64[4] in 1..5, rounding_mode='floor'"
)]
pub fn div(
    g: &Recorder,
    input: Operand,
    other: Operand,
    rounding_mode: Option<RoundingMode>,
) -> Result<Expr> {
    let Some(mode) = rounding_mode else {
        let (a, b) = float_pair(g, "div", input, other)?;
        return Ok(a / b);
    };
    let (a, b) = pair(g, "div", input, other)?;
    Ok(match mode {
        RoundingMode::Trunc => (a / b).trunc(),
        RoundingMode::Floor => a.floor_divide(b),
    })
}

/// `input` to the power of `exponent`.
#[op(
    case = "f32[2, 3] in 0.5..2, f32[3]",
    case = "f32[2, 3] in 0.5..2, 1.7",
    case = "f32[2, 3], 3",
    case = "2.5, f32[2, 3]"
)]
pub fn pow(g: &Recorder, input: Operand, exponent: Operand) -> Result<Expr> {
    if let (Operand::Tensor(x), Operand::Number(n)) = (input, exponent) {
        let dtype = common_type(&[input, exponent]);
        if n.as_f64() < 0.0 && !dtype.is_float() {
            let what = format!("integers cannot be raised to the negative power {n}");
            let error = Error::dtype("pow", what).operand("input", &x.ty());
            return Err(error.help("cast the input to floats"));
        }
        if let Some(y) = simple_power(x.cast(dtype), n.as_f64()) {
            return Ok(y);
        }
    }
    let (a, b) = pair(g, "pow", input, exponent)?;
    Ok(a.pow(b))
}

/// Powers that can be computed by a few exact operations.
fn simple_power<'g>(x: Expr<'g>, n: f64) -> Option<Expr<'g>> {
    Some(match n {
        0.0 => x.like(1.0),
        1.0 => x,
        2.0 => x * x,
        3.0 => x * x * x,
        0.5 => x.sqrt(),
        -0.5 => x.rsqrt(),
        -1.0 => x.reciprocal(),
        -2.0 => (x * x).reciprocal(),
        _ => return None,
    })
}

/// `input` to the power of `exponent`, in `f64`.
#[op(case = "i64[2, 3] in 1..5, 0.3", case = "f32[2, 3] in 0.5..2, f32[3]")]
pub fn float_power(g: &Recorder, input: Operand, exponent: Operand) -> Result<Expr> {
    let (a, b) = pair_of(g, "float_power", [input, exponent], |_| DType::F64)?;
    Ok(a.pow(b))
}

/// Each element times itself.
#[op(case = "f32[2, 3]")]
pub fn square(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input * input)
}

/// `input + weight · (end − input)`: from exactly `input` at weight 0 to exactly `end` at 1.
#[op(case = "f32[2, 3], f32[2, 3], 0.3", case = "f32[2, 3], f32[3], f32[2, 1]")]
pub fn lerp(g: &Recorder, input: Expr, end: Expr, weight: Operand) -> Result<Expr> {
    let operands = [input.into(), end.into(), weight];
    let dtype = common_type(&operands).to_float();
    let all = promoted(g, "lerp", &operands, dtype)?;
    Ok(between(all[0], all[1], all[2]))
}

/// Linear interpolation from `a` to `b`, computed from the nearer end, so that both ends are exact.
pub(super) fn between<'g>(a: Expr<'g>, b: Expr<'g>, weight: Expr<'g>) -> Expr<'g> {
    let difference = b - a;
    let is_near_a = weight.abs().lt(weight.like(0.5));
    is_near_a.choose(a + weight * difference, b - difference * (1.0 - weight))
}

/// `input + value · tensor1 · tensor2`.
#[op(case = "f32[2, 3], f32[2, 1], f32[3]", case = "f32[2], f32[2], f32[2], value=0.5")]
pub fn addcmul(
    g: &Recorder,
    input: Expr,
    tensor1: Expr,
    tensor2: Expr,
    #[default(1.0)] value: f64,
) -> Result<Expr> {
    let operands = [input.into(), tensor1.into(), tensor2.into()];
    let all = promoted(g, "addcmul", &operands, common_type(&operands))?;
    Ok(all[0] + scaled(g, "addcmul", all[1] * all[2], value)?)
}

/// `input + value · tensor1 / tensor2`.
#[op(
    case = "f32[2, 3], f32[2, 1], f32[3] in 0.5..2",
    case = "f32[2], f32[2], f32[2] in 0.5..2, value=0.5"
)]
pub fn addcdiv(
    g: &Recorder,
    input: Expr,
    tensor1: Expr,
    tensor2: Expr,
    #[default(1.0)] value: f64,
) -> Result<Expr> {
    let operands = [input.into(), tensor1.into(), tensor2.into()];
    let all = promoted(g, "addcdiv", &operands, common_type(&operands).to_float())?;
    Ok(all[0] + scaled(g, "addcdiv", all[1], value)? / all[2])
}

/// The input itself.
#[op(case = "f32[2, 3]")]
pub fn positive(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input)
}

/// The fraction of each element, with its sign.
#[op(case = "f32[2, 3] in 0.1..0.9")]
pub fn frac(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input - input.trunc())
}

/// Degrees to radians.
#[op(case = "f32[2, 3] in -180..180")]
pub fn deg2rad(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.to_float() * (PI / 180.0))
}

/// Radians to degrees.
#[op(case = "f32[2, 3]")]
pub fn rad2deg(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.to_float() * (180.0 / PI))
}

/// `sin(πx) / (πx)`, and 1 at zero.
#[op(case = "f32[2, 3]")]
pub fn sinc(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float() * PI;
    let is_zero = x.eq(x.zeros_like());
    let safe = is_zero.choose(x.like(1.0), x);
    Ok(is_zero.choose(x.like(1.0), safe.sin() / safe))
}

/// `input · 2^other`.
#[op(case = "f32[2, 3], i64[3] in -2..3", case = "f32[2, 3], 3")]
pub fn ldexp(g: &Recorder, input: Expr, other: Operand) -> Result<Expr> {
    let (a, b) = float_pair(g, "ldexp", input, other)?;
    Ok(a * b.exp2())
}

/// Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
#[op(case = "f32[2, 3], f32[3]")]
pub fn logaddexp2(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let (a, b) = float_pair(g, "logaddexp2", input, other)?;
    Ok((a * LN_2).logaddexp(b * LN_2) * LN_2.recip())
}

/// `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
/// `eps … 1 − eps`.
#[op(case = "f32[2, 3] in 0.2..0.8", case = "f32[2, 3] in 0..0.9, eps=0.05")]
pub fn logit(g: &Recorder, input: Expr, eps: Option<f64>) -> Result<Expr> {
    let mut x = input.to_float();
    if let Some(eps) = eps {
        let low = g.number(eps.into(), x.dtype());
        let high = g.number((1.0 - eps).into(), x.dtype());
        x = x.lt(low).choose(low, x.gt(high).choose(high, x));
    }
    Ok((x / (1.0 - x)).log())
}

/// Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
/// largest and smallest finite number of the type).
#[op(case = "f32[2, 3]", case = "f32[2, 3], 0.5, 9, neginf=-9")]
pub fn nan_to_num(
    g: &Recorder,
    input: Expr,
    nan: Option<f64>,
    posinf: Option<f64>,
    neginf: Option<f64>,
) -> Result<Expr> {
    let (x, dtype) = (input, input.dtype());
    if !dtype.is_float() {
        return Ok(x);
    }
    let largest = largest(dtype);
    let or = |value: Option<f64>, usual: f64| match value {
        Some(value) => g.number(value.into(), dtype),
        None => g.constant(usual, dtype, &[]),
    };
    let x = x.eq(x.like(f64::INFINITY)).choose(or(posinf, largest), x);
    let x = x.eq(x.like(f64::NEG_INFINITY)).choose(or(neginf, -largest), x);
    Ok(input.ne(input).choose(or(nan, 0.0), x))
}

/// The largest finite number of a floating type.
fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => half::bf16::MAX.to_f64(),
        DType::F32 => f32::MAX as f64,
        _ => f64::MAX,
    }
}

/// Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
/// even one.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3], decimals=1",
    case = "f32[2, 3] in -90..90, decimals=-1"
)]
pub fn round(g: &Recorder, input: Expr, #[default(0)] decimals: i64) -> Result<Expr> {
    if decimals != 0 && !input.dtype().is_float() {
        return Err(
            Error::dtype("round", "only floats have decimals").operand("input", &input.ty())
        );
    }
    // Larger powers of ten are infinite in every type.
    let scale = 10f64.powi(decimals.unsigned_abs().min(400) as i32);
    Ok(match decimals {
        0 => input.round(),
        1.. => (input * scale).round() / scale,
        _ => (input / scale).round() * scale,
    })
}

/// Derivative of `lgamma`.
#[op(alias = "psi", case = "f32[2, 3] in 0.5..3")]
pub fn digamma(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    Ok(x.zeros_like().polygamma(x))
}

/// The `n`-th derivative of `digamma`.
#[op(case = "1, f32[2, 3] in 0.5..3", case = "2, f32[2, 3] in 0.5..3")]
pub fn polygamma(g: &Recorder, n: usize, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    Ok(x.like(n).polygamma(x))
}

/// `input · log(1 + other)`, which is zero where `input` is.
#[op(case = "f32[2, 3], f32[3] in -0.5..2")]
pub fn xlog1py(g: &Recorder, input: Operand, other: Operand) -> Result<Expr> {
    let (x, y) = float_pair(g, "xlog1py", input, other)?;
    let log = y.log1p();
    let is_infinite = log.abs().eq(y.like(f64::INFINITY));
    let is_masked = x.eq(x.zeros_like()).bitwise_and(is_infinite.bitwise_or(y.lt(y.like(-1.0))));
    Ok(x * is_masked.choose(y.zeros_like(), log))
}

entries![
    add,
    sub,
    rsub,
    div,
    pow,
    float_power,
    square,
    lerp,
    addcmul,
    addcdiv,
    positive,
    frac,
    deg2rad,
    rad2deg,
    sinc,
    ldexp,
    logaddexp2,
    logit,
    nan_to_num,
    round,
    digamma,
    polygamma,
    xlog1py,
];
