//! Random tensors, from the counter-based generator `Random`.
//!
//! Every draw of a graph reads one input, the `u32` scalar `seed`, which the first draw records
//! (`Recorder::seed`) and each run binds. Draws of a graph are numbered, so no two share their
//! bits: the same graph with the same seed gives the same numbers on every device, and a new seed
//! gives new ones. A draw is a pure function, so gradients can recompute the numbers of the forward
//! pass instead of storing them.
use super::prelude::*;
use std::f64::consts::{PI, SQRT_2};

/// Uniform numbers are clamped to at least this before their logarithm is taken.
const FLOOR: f64 = 1e-10;

/// 32 new random bits for each element.
fn bits<'g>(g: &'g Recorder, shape: &[usize]) -> Expr<'g> {
    g.emit(Random { draw: g.next_draw(), shape: shape.into() }, &[g.seed()])
}

/// Uniform in [0, 1): the leading bits that the type holds exactly (24 for `f32` and `f64`).
fn uniform_unit<'g>(g: &'g Recorder, shape: &[usize], dtype: DType) -> Expr<'g> {
    let digits = match dtype {
        DType::F16 => 11,
        DType::BF16 => 8,
        _ => 24,
    };
    let bits = bits(g, shape);
    let leading = bits.bitwise_right_shift(bits.like(32 - digits));
    leading.cast(dtype) * 2f64.powi(-digits)
}

/// Exponential with mean 1, never zero: −log u.
fn standard_exponential<'g>(g: &'g Recorder, shape: &[usize], dtype: DType) -> Expr<'g> {
    let u = uniform_unit(g, shape, dtype);
    -u.maximum(u.like(FLOOR)).log()
}

/// Gumbel noise: −log of an exponential.
fn gumbel<'g>(g: &'g Recorder, shape: &[usize], dtype: DType) -> Expr<'g> {
    -standard_exponential(g, shape, dtype).log()
}

/// Standard normal by the Box–Muller transform: sqrt(−2 log u) · cos(2πv).
fn gauss<'g>(g: &'g Recorder, shape: &[usize], dtype: DType) -> Expr<'g> {
    let wide = dtype.wide();
    let radius = (standard_exponential(g, shape, wide) * 2.0).sqrt();
    let angle = uniform_unit(g, shape, wide) * (2.0 * PI);
    (radius * angle.cos()).cast(dtype)
}

/// `dtype` or `usual`, which must be a floating type.
fn float_type(op: &str, dtype: Option<DType>, usual: DType) -> Result<DType> {
    let dtype = dtype.unwrap_or(usual);
    if dtype.is_float() {
        return Ok(dtype);
    }
    Err(Error::dtype(op, format!("expected a floating dtype, not {dtype}")))
}

/// Uniform random numbers in [0, 1).
#[op(case = "[2, 3]", case = "[4], dtype=f16")]
pub fn rand(g: &Recorder, size: Shape, dtype: Option<DType>) -> Result<Expr> {
    Ok(uniform_unit(g, &size, float_type("rand", dtype, DType::F32)?))
}

/// Normal random numbers of mean 0 and variance 1.
#[op(case = "[2, 3]", case = "[4], dtype=f16")]
pub fn randn(g: &Recorder, size: Shape, dtype: Option<DType>) -> Result<Expr> {
    Ok(gauss(g, &size, float_type("randn", dtype, DType::F32)?))
}

/// Random integers from `low` up to, not including, `high`.
#[op(case = "0, 10, [2, 3]", case = "-5, 5, [4], dtype=f32")]
pub fn randint(
    g: &Recorder,
    low: i64,
    high: i64,
    size: Shape,
    dtype: Option<DType>,
) -> Result<Expr> {
    integers(g, "randint", low, high, &size, dtype.unwrap_or(DType::I64))
}

fn integers<'g>(
    g: &'g Recorder,
    op: &str,
    low: i64,
    high: i64,
    shape: &[usize],
    dtype: DType,
) -> Result<Expr<'g>> {
    let count = high.abs_diff(low);
    if high <= low || count > u32::MAX as u64 {
        let sign = if high < low { "-" } else { "" };
        let what = format!("the range from low {low} to high {high} has {sign}{count} numbers");
        let error = Error::argument(op, what);
        return Err(error.help("there must be at least 1, and fewer than 2^32"));
    }
    let bits = bits(g, shape);
    let within = bits.remainder(g.number((count as i64).into(), DType::U32));
    Ok(within.cast(dtype) + g.number(low.into(), dtype))
}

/// Uniform random numbers in [0, 1), of the shape and dtype of `input`.
#[op(case = "f32[2, 3]")]
pub fn rand_like(g: &Recorder, input: Expr, dtype: Option<DType>) -> Result<Expr> {
    Ok(uniform_unit(g, &input.shape(), float_type("rand_like", dtype, input.dtype())?))
}

/// Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
#[op(case = "f32[2, 3]")]
pub fn randn_like(g: &Recorder, input: Expr, dtype: Option<DType>) -> Result<Expr> {
    Ok(gauss(g, &input.shape(), float_type("randn_like", dtype, input.dtype())?))
}

/// Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
#[op(case = "f32[2, 3], 0, 10")]
pub fn randint_like(
    g: &Recorder,
    input: Expr,
    low: i64,
    high: i64,
    dtype: Option<DType>,
) -> Result<Expr> {
    let dtype = dtype.unwrap_or(input.dtype());
    integers(g, "randint_like", low, high, &input.shape(), dtype)
}

/// The integers 0 to `n − 1` in random order.
#[op(case = "5")]
pub fn randperm(g: &Recorder, n: usize, dtype: Option<DType>) -> Result<Expr> {
    let order = g.emit(Sort { axis: 0, descending: false, keep: n }, &[bits(g, &[n])]);
    Ok(order.cast(dtype.unwrap_or(DType::I64)))
}

/// Uniform random numbers in [`low`, `high`).
#[op(case = "[2, 3]", case = "[2, 3], -1, 1")]
pub fn uniform(
    g: &Recorder,
    size: Shape,
    #[default(0.0)] low: f64,
    #[default(1.0)] high: f64,
    dtype: Option<DType>,
) -> Result<Expr> {
    let is_valid = low <= high;
    if !is_valid {
        return Err(Error::argument("uniform", format!("low {low} is above high {high}")));
    }
    let dtype = float_type("uniform", dtype, DType::F32)?;
    let width = g.number((high - low).into(), dtype);
    Ok(uniform_unit(g, &size, dtype) * width + g.number(low.into(), dtype))
}

/// Normal random numbers of the given `mean` and standard deviation `std` (1), which may be
/// tensors; of their shape, or of `size`.
#[op(case = "f32[2, 3], f32[2, 3] in 0.5..2", case = "f32[3], 2.0", case = "0, 1, [2, 3]")]
pub fn normal(
    g: &Recorder,
    mean: Operand,
    std: Option<Operand>,
    size: Option<Shape>,
    dtype: Option<DType>,
) -> Result<Expr> {
    let std = std.unwrap_or(1.0.into());
    if let Operand::Number(n) = std
        && n.as_f64() < 0.0
    {
        return Err(Error::argument("normal", format!("std {n} is negative")));
    }
    let dtype = float_type("normal", dtype, common_type(&[mean, std]).to_float())?;
    let both = promoted(g, "normal", &[mean, std], dtype)?;
    let shape = size.unwrap_or(both[0].shape());
    if broadcast([&both[0].shape()[..], &shape[..]]).as_deref() != Some(&shape[..]) {
        let error = Error::shape("normal", format!("mean and std do not fit size {shape}"));
        return Err(error.operand("mean", &both[0].ty()));
    }
    Ok(gauss(g, &shape, dtype) * both[1] + both[0])
}

/// Normal random numbers of the given `mean` and `std`, but all within `a` and `b`.
#[op(alias = "trunc_normal", case = "[2, 3]", case = "[2, 3], std=0.02, a=-0.04, b=0.04")]
pub fn truncated_normal(
    g: &Recorder,
    size: Shape,
    #[default(0.0)] mean: f64,
    #[default(1.0)] std: f64,
    #[default(-2.0)] a: f64,
    #[default(2.0)] b: f64,
    dtype: Option<DType>,
) -> Result<Expr> {
    let is_valid = std > 0.0 && a < b;
    if !is_valid {
        let what = format!("std {std} must be positive and a {a} less than b {b}");
        return Err(Error::argument("truncated_normal", what));
    }
    let dtype = float_type("truncated_normal", dtype, DType::F32)?;
    let wide = dtype.wide();
    let number = |x: f64| g.number(x.into(), wide);
    // erf at both ends: `erfinv` of uniform numbers between them is normal.
    let erf = |x: f64| libm::erf((x - mean) / std / SQRT_2);
    let (low, high) = (erf(a), erf(b));
    let y = uniform_unit(g, &size, wide) * number(high - low) + number(low);
    let x = y.erfinv() * number(std * SQRT_2) + number(mean);
    // Rounding may exceed the limits slightly, and round erf to ±1.
    Ok(x.maximum(number(a)).minimum(number(b)).cast(dtype))
}

/// Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
#[op(case = "f32[2, 3]", case = "f32[2, 3], lambd=2")]
pub fn exponential(g: &Recorder, input: Expr, #[default(1.0)] lambd: f64) -> Result<Expr> {
    if lambd.is_nan() || lambd <= 0.0 {
        return Err(Error::argument("exponential", format!("lambd {lambd} must be positive")));
    }
    let dtype = float_type("exponential", None, input.dtype())?;
    let x = standard_exponential(g, &input.shape(), dtype.wide());
    Ok((x * g.number((1.0 / lambd).into(), x.dtype())).cast(dtype))
}

/// 1 with the probability given by each element of `input`, else 0.
#[op(case = "f32[2, 3] in 0.1..0.9")]
pub fn bernoulli(g: &Recorder, input: Expr) -> Result<Expr> {
    let dtype = float_type("bernoulli", None, input.dtype())?;
    let p = input.cast(dtype.wide());
    Ok(uniform_unit(g, &p.shape(), p.dtype()).lt(p).cast(dtype))
}

/// Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
/// for each row; all different unless `replacement`.
#[op(case = "f32[5] in 0.1..2, 3", case = "f32[2, 4] in 0.1..2, 6, replacement=true")]
pub fn multinomial(
    g: &Recorder,
    input: Expr,
    num_samples: usize,
    #[default(false)] replacement: bool,
) -> Result<Expr> {
    let dtype = float_type("multinomial", None, input.dtype())?;
    let Some(axis) = input.rank().checked_sub(1).filter(|_| input.rank() <= 2) else {
        return Err(input.shape_error("expected one axis, or rows of weights"));
    };
    let classes = input.len(axis);
    if num_samples == 0 || classes == 0 || (num_samples > classes && !replacement) {
        let what = format!("cannot draw {num_samples} of {classes}");
        let error = input.argument_error(what);
        let may_repeat = classes > 0 && num_samples > 0;
        return Err(if may_repeat { error.help("set replacement=true") } else { error });
    }
    let weight = input.cast(dtype.wide());
    if replacement {
        return Ok(inverse_cdf(weight, axis, num_samples));
    }
    // Exponential race: class i arrives after a time with mean 1 / weight; sort by arrival.
    let speed = weight / standard_exponential(g, &weight.shape(), weight.dtype());
    Ok(g.emit(Sort { axis, descending: true, keep: num_samples }, &[speed]))
}

/// For each of `n` uniform numbers the number of cumulative weights that it exceeds.
fn inverse_cdf<'g>(weight: Expr<'g>, axis: usize, n: usize) -> Expr<'g> {
    let g = weight.recorder();
    let sums = g.emit(Scan { by: ScanOp::Sum, axis, reverse: false }, &[weight]);
    let total = sums.narrow(axis, weight.len(axis) - 1, 1);
    let at = uniform_unit(g, &weight.shape().with(axis, n), weight.dtype()) * total;
    let is_past = sums.unsqueeze(axis).le(at.unsqueeze(axis + 1));
    is_past.cast(DType::I64).sum(&[axis + 1])
}

/// An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
#[op(case = "f32[5]", case = "f32[2, 3, 4]")]
pub fn categorical(g: &Recorder, logits: Expr) -> Result<Expr> {
    let x = logits.widened();
    let Some(axis) = x.rank().checked_sub(1).filter(|&axis| x.len(axis) > 0) else {
        let error = Error::shape("categorical", "expected a last axis with elements");
        return Err(error.operand("logits", &logits.ty()));
    };
    let noisy = x + gumbel(g, &x.shape(), x.dtype());
    Ok(g.emit(ArgReduce { by: ReduceOp::Max, axis }, &[noisy]))
}

/// Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
/// Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
#[op(case = "f32[2, 3]", case = "f32[2, 3], tau=0.5, dim=0")]
pub fn gumbel_softmax(
    g: &Recorder,
    logits: Expr,
    #[default(1.0)] tau: f64,
    #[default(false)] hard: bool,
    #[default(-1)] dim: isize,
) -> Result<Expr> {
    let x = logits.to_float();
    let axis = x.axis(dim)?;
    let len = x.shape().get(axis).copied().unwrap_or(0);
    if len == 0 {
        let error = Error::shape("gumbel_softmax", format!("dim {dim} has no elements"));
        return Err(error.operand("logits", &logits.ty()));
    }
    let noise = gumbel(g, &x.shape(), x.dtype().wide()).cast(x.dtype());
    let y = (x + noise) / g.number(tau.into(), x.dtype());
    let y = super::softmax(g, y, dim, None)?;
    if !hard {
        return Ok(y);
    }
    let best = g.emit(ArgReduce { by: ReduceOp::Max, axis }, &[y]).unsqueeze(axis);
    let mut along = vec![1; x.rank()];
    along[axis] = len;
    let one_hot = best.eq(g.iota(len, DType::I64).reshape(&along)).cast(x.dtype());
    Ok((one_hot - y).detach() + y)
}

/// Checks a probability.
fn check_probability(op: &str, p: f64) -> Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    Err(Error::argument(op, format!("p must be between 0 and 1, got {p}")))
}

/// The elements that dropout keeps: true with probability `1 − p`.
fn keep_mask<'g>(g: &'g Recorder, shape: &[usize], p: f64) -> Expr<'g> {
    let u = uniform_unit(g, shape, DType::F32);
    u.ge(g.number(p.into(), DType::F32))
}

/// `x` where `kept`, scaled to preserve the expectation; zero elsewhere.
fn apply_dropout<'g>(x: Expr<'g>, kept: Expr<'g>, p: f64) -> Expr<'g> {
    let scale = if p < 1.0 { 1.0 / (1.0 - p) } else { 0.0 };
    let scaled = x * x.recorder().number(scale.into(), x.dtype());
    kept.choose(scaled, x.zeros_like())
}

/// While `training`, sets each element to zero with probability `p` and scales the others by
/// `1 / (1 − p)`.
#[op(case = "f32[4, 5]", case = "f32[4, 5], p=0.2", case = "f32[4, 5], training=false")]
pub fn dropout(
    g: &Recorder,
    input: Expr,
    #[default(0.5)] p: f64,
    #[default(true)] training: bool,
) -> Result<Expr> {
    check_probability("dropout", p)?;
    if !training {
        return Ok(input);
    }
    let x = input.to_float();
    Ok(apply_dropout(x, keep_mask(g, &x.shape(), p), p))
}

/// The shape of a mask with one element per channel, that is, per index of the `leading` axes.
fn channels(op: &str, x: Expr<'_>, leading: usize) -> Result<Shape> {
    if x.rank() < leading {
        let what = format!("expected at least {leading} axes");
        return Err(Error::shape(op, what).operand("input", &x.ty()));
    }
    Ok(x.shape().keeping(&(leading..x.rank()).collect::<Vec<_>>()))
}

/// While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
/// scales the others by `1 / (1 − p)`.
#[op(alias = "dropout2d", case = "f32[2, 3, 2, 2]", case = "f32[4, 5], p=0.2")]
pub fn feature_dropout(
    g: &Recorder,
    input: Expr,
    #[default(0.5)] p: f64,
    #[default(true)] training: bool,
) -> Result<Expr> {
    check_probability("feature_dropout", p)?;
    let shape = channels("feature_dropout", input, 2)?;
    if !training {
        return Ok(input);
    }
    Ok(apply_dropout(input.to_float(), keep_mask(g, &shape, p), p))
}

/// `feature_dropout` for signals: (batch, channel, length), or (channel, length).
#[op(case = "f32[2, 3, 4]", case = "f32[3, 4], p=0.2")]
pub fn dropout1d(
    g: &Recorder,
    input: Expr,
    #[default(0.5)] p: f64,
    #[default(true)] training: bool,
) -> Result<Expr> {
    channel_dropout(g, "dropout1d", input, p, training, 3)
}

/// `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
#[op(case = "f32[2, 3, 2, 1, 2]", case = "f32[3, 2, 1, 2], p=0.2")]
pub fn dropout3d(
    g: &Recorder,
    input: Expr,
    #[default(0.5)] p: f64,
    #[default(true)] training: bool,
) -> Result<Expr> {
    channel_dropout(g, "dropout3d", input, p, training, 5)
}

/// Channel dropout of tensors with `rank` axes, or one less without a batch.
fn channel_dropout<'g>(
    g: &'g Recorder,
    op: &str,
    input: Expr<'g>,
    p: f64,
    training: bool,
    rank: usize,
) -> Result<Expr<'g>> {
    check_probability(op, p)?;
    if ![rank - 1, rank].contains(&input.rank()) {
        let what = format!("expected {} or {rank} axes", rank - 1);
        return Err(Error::shape(op, what).operand("input", &input.ty()));
    }
    let shape = channels(op, input, input.rank() + 2 - rank)?;
    if !training {
        return Ok(input);
    }
    Ok(apply_dropout(input.to_float(), keep_mask(g, &shape, p), p))
}

/// Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
/// the value selu saturates at, then shifts and scales to preserve mean and variance.
#[op(case = "f32[4, 5], training=true", case = "f32[4, 5], p=0.2, training=true")]
pub fn alpha_dropout(
    g: &Recorder,
    input: Expr,
    #[default(0.5)] p: f64,
    #[default(false)] training: bool,
) -> Result<Expr> {
    check_probability("alpha_dropout", p)?;
    let shape = input.shape();
    drop_to_saturation(g, input, &shape, p, training)
}

/// `alpha_dropout` of whole channels (indices of axes 0 and 1).
#[op(case = "f32[2, 3, 2], training=true")]
pub fn feature_alpha_dropout(
    g: &Recorder,
    input: Expr,
    #[default(0.5)] p: f64,
    #[default(false)] training: bool,
) -> Result<Expr> {
    check_probability("feature_alpha_dropout", p)?;
    let shape = channels("feature_alpha_dropout", input, 2)?;
    drop_to_saturation(g, input, &shape, p, training)
}

fn drop_to_saturation<'g>(
    g: &'g Recorder,
    input: Expr<'g>,
    mask: &[usize],
    p: f64,
    training: bool,
) -> Result<Expr<'g>> {
    if !training {
        return Ok(input);
    }
    let x = input.to_float();
    if p == 1.0 {
        return Ok(x * 0.0);
    }
    // −limit is the limit of selu at −∞; limit = alpha · scale of selu.
    let limit = 1.758_099_340_847_376_6;
    let scale = 1.0 / ((limit * limit * p + 1.0) * (1.0 - p)).sqrt();
    let number = |v: f64| g.number(v.into(), x.dtype());
    let alive = x * number(scale) + number(limit * scale * p);
    Ok(keep_mask(g, mask, p).choose(alive, number(limit * scale * (p - 1.0))))
}

entries![
    rand,
    randn,
    randint,
    rand_like,
    randn_like,
    randint_like,
    randperm,
    uniform,
    normal,
    truncated_normal,
    exponential,
    bernoulli,
    multinomial,
    categorical,
    gumbel_softmax,
    dropout,
    feature_dropout,
    dropout1d,
    dropout3d,
    alpha_dropout,
    feature_alpha_dropout,
];
