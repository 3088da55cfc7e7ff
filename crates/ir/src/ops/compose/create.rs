//! Creation of tensors: constants and ranges.
use super::prelude::*;

/// A tensor of `shape` filled with a number or with the element of a scalar tensor.
fn filled<'g>(
    g: &'g Recorder,
    op: &str,
    value: Operand<'g>,
    dtype: DType,
    shape: &[usize],
) -> Result<Expr<'g>> {
    let value = match value {
        Operand::Number(n) => g.number(n, dtype),
        Operand::Tensor(x) if x.rank() == 0 => x.cast(dtype),
        Operand::Tensor(x) => {
            let error = Error::shape(op, "the value must be a number or a scalar");
            return Err(error.operand("value", &x.ty()));
        }
    };
    Ok(value.expand(shape))
}

/// A tensor of zeros.
#[op(alias = "empty", case = "[2, 3]", case = "[2], dtype=i64")]
pub fn zeros(g: &Recorder, size: Shape, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.constant(0, dtype.unwrap_or(DType::F32), &size))
}

/// A tensor of ones.
#[op(case = "[2, 3]", case = "[2], dtype=i64")]
pub fn ones(g: &Recorder, size: Shape, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.constant(1, dtype.unwrap_or(DType::F32), &size))
}

/// A tensor filled with `fill_value`, which determines the dtype unless that is given.
#[op(case = "[2, 3], 2.5", case = "[2], 7", case = "[2], 7, dtype=f32")]
pub fn full(g: &Recorder, size: Shape, fill_value: Operand, dtype: Option<DType>) -> Result<Expr> {
    let dtype = dtype.unwrap_or_else(|| common_type(&[fill_value]));
    filled(g, "full", fill_value, dtype, &size)
}

/// Zeros of the shape and dtype of `input`.
#[op(alias = "empty_like", case = "f32[2, 3]", case = "f32[2], dtype=i64")]
pub fn zeros_like(g: &Recorder, input: Expr, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.constant(0, dtype.unwrap_or(input.dtype()), &input.shape()))
}

/// Ones of the shape and dtype of `input`.
#[op(case = "f32[2, 3]", case = "f32[2], dtype=i64")]
pub fn ones_like(g: &Recorder, input: Expr, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.constant(1, dtype.unwrap_or(input.dtype()), &input.shape()))
}

/// A tensor filled with `fill_value`, of the shape and dtype of `input`.
#[op(case = "f32[2, 3], 2.5")]
pub fn full_like(
    g: &Recorder,
    input: Expr,
    fill_value: Operand,
    dtype: Option<DType>,
) -> Result<Expr> {
    filled(g, "full_like", fill_value, dtype.unwrap_or(input.dtype()), &input.shape())
}

/// Zeros of another shape, in the dtype of `input`.
#[op(alias = "new_empty", case = "f32[2], [3, 2]")]
pub fn new_zeros(g: &Recorder, input: Expr, size: Shape, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.constant(0, dtype.unwrap_or(input.dtype()), &size))
}

/// Ones of another shape, in the dtype of `input`.
#[op(case = "f32[2], [3, 2]")]
pub fn new_ones(g: &Recorder, input: Expr, size: Shape, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.constant(1, dtype.unwrap_or(input.dtype()), &size))
}

/// A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
#[op(case = "f32[2], [3, 2], 2.5")]
pub fn new_full(
    g: &Recorder,
    input: Expr,
    size: Shape,
    fill_value: Operand,
    dtype: Option<DType>,
) -> Result<Expr> {
    filled(g, "new_full", fill_value, dtype.unwrap_or(input.dtype()), &size)
}

/// A number as a tensor without axes.
#[op(alias = "const_scalar", case = "2.5", case = "3, dtype=i64")]
pub fn scalar_tensor(g: &Recorder, s: Number, dtype: Option<DType>) -> Result<Expr> {
    Ok(g.number(s, dtype.unwrap_or(DType::F32)))
}

/// `input` with every element replaced by `value`.
#[op(case = "f32[2, 3], 2.5", case = "f32[2, 3], f32[]")]
pub fn fill(g: &Recorder, input: Expr, value: Operand) -> Result<Expr> {
    filled(g, "fill", value, input.dtype(), &input.shape())
}

/// Numbers from `start` (0) up to, not including, `end`, `step` (1) apart. `arange(n)` counts to
/// `n`. Integers give `i64`, any float `f32`, unless `dtype` says otherwise.
#[op(case = "5", case = "1, 7, 2", case = "0, 1, 0.25", case = "5, 0, -2, dtype=f32")]
pub fn arange(
    g: &Recorder,
    start: Option<Number>,
    end: Option<Number>,
    step: Option<Number>,
    dtype: Option<DType>,
) -> Result<Expr> {
    let (start, end) = match (start, end) {
        (Some(start), Some(end)) => (start, end),
        (Some(end), None) | (None, Some(end)) => (Number::Int(0), end),
        (None, None) => return Err(Error::argument("arange", "missing argument 'end'")),
    };
    let step = step.unwrap_or(Number::Int(1));
    let has_floats = [start, end, step].iter().any(|n| matches!(n, Number::Float(_)));
    let dtype = dtype.unwrap_or(if has_floats { DType::F32 } else { DType::I64 });
    let len = match has_floats && dtype.is_float() {
        true => float_range(start.as_f64(), end.as_f64(), step.as_f64()),
        false => int_range(start.as_i64(), end.as_i64(), step.as_i64()),
    };
    let Some(len) = len else {
        let what = format!("steps of {step} do not lead from {start} to {end}");
        return Err(Error::argument("arange", what));
    };
    // f16 and bf16 represent only small integers exactly.
    let wide = if dtype.bytes() < 4 { DType::F32 } else { dtype };
    let count = g.iota(len, if dtype.is_float() { wide } else { dtype });
    Ok(ramp(count, start, step).cast(dtype))
}

/// `start + count · step`.
fn ramp<'g>(count: Expr<'g>, start: Number, step: Number) -> Expr<'g> {
    let (g, dtype) = (count.recorder(), count.dtype());
    let scaled = if step.as_f64() == 1.0 { count } else { count * g.number(step, dtype) };
    if start.as_f64() == 0.0 { scaled } else { scaled + g.number(start, dtype) }
}

/// Length of a range; `None` if `step` is zero or has the wrong sign.
fn float_range(start: f64, end: f64, step: f64) -> Option<usize> {
    let len = ((end - start) / step).ceil();
    (len >= 0.0 && len < usize::MAX as f64).then_some(len as usize)
}

fn int_range(start: i64, end: i64, step: i64) -> Option<usize> {
    let leads_away = if step < 0 { end > start } else { end < start };
    if step == 0 || leads_away {
        return None;
    }
    usize::try_from(end.abs_diff(start).div_ceil(step.unsigned_abs())).ok()
}

/// `steps` numbers from `start` to `end`, both included, evenly apart.
#[op(case = "0, 1, 5", case = "f32[], f32[], 4", case = "-2, 3, 6, dtype=i64")]
pub fn linspace(
    g: &Recorder,
    start: Operand,
    end: Operand,
    steps: usize,
    dtype: Option<DType>,
) -> Result<Expr> {
    let dtype = dtype.unwrap_or(DType::F32);
    let wide = dtype.wide();
    let (start, end) =
        (filled(g, "linspace", start, wide, &[])?, filled(g, "linspace", end, wide, &[])?);
    if steps < 2 {
        return Ok(start.expand(&[steps]).cast(dtype));
    }
    let count = g.iota(steps, wide);
    let last = (steps - 1) as f64;
    let step = (end - start) / last;
    // Computed from the nearer end, so that both ends are exact.
    let is_near = count.lt(count.like((steps / 2) as f64));
    let numbers = is_near.choose(start + count * step, end - (last - count) * step);
    Ok(numbers.cast(dtype))
}

/// `base` to the powers of `linspace(start, end, steps)`.
#[op(case = "0, 2, 5", case = "-1, 1, 3, base=2")]
pub fn logspace(
    g: &Recorder,
    start: Operand,
    end: Operand,
    steps: usize,
    #[default(10.0)] base: f64,
    dtype: Option<DType>,
) -> Result<Expr> {
    let dtype = dtype.unwrap_or(DType::F32);
    let wide = dtype.wide();
    let powers = linspace(g, start, end, steps, Some(wide))?;
    let base = g.number(base.into(), wide).expand(&powers.shape());
    Ok(base.pow(powers).cast(dtype))
}

entries![
    zeros,
    ones,
    full,
    zeros_like,
    ones_like,
    full_like,
    new_zeros,
    new_ones,
    new_full,
    scalar_tensor,
    fill,
    arange,
    linspace,
    logspace,
];
