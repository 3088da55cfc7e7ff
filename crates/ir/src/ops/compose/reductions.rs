//! Reductions over some or all axes: sums, products, `all`, `any` and norms.
use super::prelude::*;
use crate::shape::expands_to;

/// The result `y` of reducing `axes` of a tensor, with these kept with length one, or removed.
pub(super) fn with_keepdim<'g>(
    y: Expr<'g>,
    of: Expr<'g>,
    axes: &[usize],
    keepdim: bool,
) -> Expr<'g> {
    let shape = of.shape();
    y.reshape(&if keepdim { shape.keeping(axes) } else { shape.without(axes) })
}

/// Number of elements that are reduced to each element of the result.
pub(super) fn count(x: Expr, axes: &[usize]) -> usize {
    let shape = x.shape();
    axes.iter().map(|&axis| shape[axis]).product()
}

/// A scalar as a tensor of one axis; other tensors unchanged.
pub(super) fn at_least_1d(x: Expr<'_>) -> Expr<'_> {
    if x.rank() == 0 { x.reshape(&[1]) } else { x }
}

/// The square root, with gradient zero at zero.
pub(super) fn root(x: Expr<'_>) -> Expr<'_> {
    let is_zero = x.eq(x.zeros_like());
    is_zero.choose(x.zeros_like(), is_zero.choose(x.like(1.0), x).sqrt())
}

pub(super) fn is_nan(x: Expr<'_>) -> Expr<'_> {
    x.ne(x)
}

/// The tensor in the type that sums and products are computed in: i64 for integers and bools.
pub(super) fn summable(x: Expr<'_>, dtype: Option<DType>) -> Result<Expr<'_>> {
    let own = x.dtype();
    match dtype.unwrap_or(if own.is_float() { own } else { DType::I64 }) {
        DType::Bool => Err(x.argument_error("dtype is bool, expected a type of numbers")),
        dtype => Ok(x.cast(dtype)),
    }
}

/// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3, 4], dim=[0, 2], keepdim=true",
    case = "bool[2, 3], dim=1",
    case = "f32[0, 3], dim=0"
)]
pub fn sum(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    let y = summable(input, dtype)?.sum(&axes);
    Ok(with_keepdim(y, input, &axes, keepdim))
}

/// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3, 4], dim=[0, 2], keepdim=true",
    case = "f32[2, 3], dim=-1"
)]
pub fn mean(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    let x = input.cast(dtype.unwrap_or(input.dtype().to_float()));
    let y = (x.widened().sum(&axes) / count(input, &axes) as f64).cast(x.dtype());
    Ok(with_keepdim(y, input, &axes, keepdim))
}

/// Sum over `dim` of the elements that are not NaN.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], keepdim=true")]
pub fn nansum(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    let y = summable(without_nan(input), dtype)?.sum(&axes);
    Ok(with_keepdim(y, input, &axes, keepdim))
}

/// Mean over `dim` of the elements that are not NaN.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], keepdim=true")]
pub fn nanmean(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    let x = input.cast(dtype.unwrap_or(input.dtype().to_float()));
    let total = without_nan(x).widened().sum(&axes);
    let numbers = is_nan(x).bitwise_not().cast(total.dtype()).sum(&axes);
    let y = (total / numbers).cast(x.dtype());
    Ok(with_keepdim(y, input, &axes, keepdim))
}

fn without_nan(x: Expr<'_>) -> Expr<'_> {
    if x.dtype().is_float() { is_nan(x).choose(x.zeros_like(), x) } else { x }
}

/// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
/// in i64. The gradient is exact even if elements are zero.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3, 4], dim=1, keepdim=true",
    case = "f32[5], dim=0",
    case = "i32[2, 3], dim=1"
)]
pub fn prod(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    let y = product(summable(input, dtype)?, &axes);
    Ok(with_keepdim(y, input, &axes, keepdim))
}

/// A binary tree of products, padded with ones. It has no division, so gradients of any order are
/// exact.
fn product<'g>(x: Expr<'g>, axes: &[usize]) -> Expr<'g> {
    let rest = x.shape().without(axes);
    let kept = (0..x.rank()).filter(|axis| !axes.contains(axis));
    let order: Vec<usize> = axes.iter().copied().chain(kept).collect();
    let n = count(x, axes);
    let mut flat = rest.clone();
    flat.insert(0, n);
    let mut len = n.next_power_of_two();
    let mut y = x.permute(&order).reshape(&flat).pad(0, 0, len - n, 1.0);
    while len > 1 {
        len /= 2;
        y = y.narrow(0, 0, len) * y.narrow(0, len, len);
    }
    y.reshape(&rest)
}

/// Whether all elements over `dim` are true, that is, not zero.
#[op(case = "bool[2, 3]", case = "f32[2, 3], dim=1, keepdim=true")]
pub fn all(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    truth(input, dim, keepdim, ReduceOp::Min)
}

/// Whether any element over `dim` is true, that is, not zero.
#[op(case = "bool[2, 3]", case = "f32[2, 3], dim=1, keepdim=true")]
pub fn any(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    truth(input, dim, keepdim, ReduceOp::Max)
}

/// `all` of no elements is true, `any` is false.
fn truth<'g>(
    input: Expr<'g>,
    dim: Option<Vec<isize>>,
    keepdim: bool,
    by: ReduceOp,
) -> Result<Expr<'g>> {
    let axes = input.axes(&dim)?;
    let y = if count(input, &axes) == 0 {
        let rest = input.shape().without(&axes);
        input.recorder().constant(by == ReduceOp::Min, DType::Bool, &rest)
    } else {
        input.cast(DType::Bool).reduce(by, &axes)
    };
    let y = if input.dtype() == DType::U8 { y.cast(DType::U8) } else { y };
    Ok(with_keepdim(y, input, &axes, keepdim))
}

/// Number of elements over `dim` that are not zero, in i64.
#[op(case = "f32[2, 3]", case = "i32[2, 3] in 0..2, dim=1")]
pub fn count_nonzero(g: &Recorder, input: Expr, dim: Option<Vec<isize>>) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    Ok(input.cast(DType::Bool).cast(DType::I64).sum(&axes))
}

/// Logarithm of the sum of exponentials over `dim`, without overflow.
#[op(case = "f32[2, 3], dim=1", case = "f32[2, 3, 4], dim=[0, 2], keepdim=true")]
pub fn logsumexp(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    let x = input.widened();
    let y = if count(x, &axes) == 0 {
        x.sum(&axes).log()
    } else {
        let top = finite_or_zero(x.detach().max_keep(&axes));
        let total = (x - top).exp().sum(&axes);
        total.log() + top.reshape(&total.shape())
    };
    Ok(with_keepdim(y.cast(input.dtype().to_float()), input, &axes, keepdim))
}

pub(super) fn finite_or_zero(x: Expr<'_>) -> Expr<'_> {
    x.abs().lt(x.like(f64::INFINITY)).choose(x, x.zeros_like())
}

/// Sum of the elements on the diagonal of a matrix.
#[op(case = "f32[3, 3]", case = "f32[2, 4]")]
pub fn trace(g: &Recorder, input: Expr) -> Result<Expr> {
    let &[rows, columns] = &input.shape()[..] else {
        return Err(input.shape_error("expected a matrix"));
    };
    let flat = summable(input, None)?.reshape(&[rows * columns]);
    Ok(flat.stride(0, 0, rows.min(columns), columns + 1).sum(&[0]))
}

/// Sums over the axes that broadcasting from `size` to the shape of `input` repeats.
#[op(alias = "sum_to_shape", case = "f32[2, 3], [1, 3]", case = "f32[2, 3], [3]")]
pub fn sum_to_size(g: &Recorder, input: Expr, size: Shape) -> Result<Expr> {
    if !expands_to(&size, &input.shape()) {
        let what = format!("size {size} does not broadcast to {}", input.shape());
        return Err(input.shape_error(what));
    }
    if input.dtype() == DType::Bool {
        return Err(Error::dtype("sum_to_size", "bools have no sum").operand("input", &input.ty()));
    }
    Ok(input.sum_to(&size))
}

/// The order of a norm: a number, or PyTorch's word for one.
#[derive(Clone, Copy, Debug)]
pub struct Order(pub f64);

impl<'g> Arg<'g> for Order {
    const SPEC: Spec = Spec::Number;
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Order, String> {
        match value {
            Value::Str(word) => match &word[..] {
                "fro" => Ok(Order(2.0)),
                "inf" => Ok(Order(f64::INFINITY)),
                "-inf" => Ok(Order(f64::NEG_INFINITY)),
                "nuc" => Err("the nuclear norm is not supported".to_string()),
                _ => Err(format!("expected a number or 'fro', got '{word}'")),
            },
            number => f64::from_value(g, number).map(Order),
        }
    }

    fn stand_in(_: &'g Recorder) -> Order {
        Order(0.0)
    }
}

/// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
/// number, ±inf or `'fro'`, which is 2 and the default.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3], p=3, dim=1",
    case = "f32[2, 3] in 0.5..2, p=0.5, dim=0, keepdim=true"
)]
pub fn norm(
    g: &Recorder,
    input: Expr,
    p: Option<Order>,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let Order(p) = p.unwrap_or(Order(2.0));
    vector_norm(g, input, p, dim, keepdim, dtype)
}

/// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
/// smallest (−inf) magnitude, or the number of elements that are not zero (0).
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3], ord=1, dim=1",
    case = "f32[2, 3], ord=3, dim=[0, 1]",
    case = "f32[2, 3] in 0.5..2, ord=-1.5, dim=0, keepdim=true"
)]
pub fn vector_norm(
    g: &Recorder,
    input: Expr,
    #[default(2.0)] ord: f64,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
    dtype: Option<DType>,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    if count(input, &axes) == 0 && (ord < 0.0 || ord.is_infinite()) {
        return Err(
            input.shape_error(format!("the norm of order {ord} of no elements is undefined"))
        );
    }
    let dtype = dtype.unwrap_or(input.dtype().to_float());
    let y = length(input.cast(dtype), ord, &axes);
    Ok(with_keepdim(y, input, &axes, keepdim))
}

/// The norm of order `ord` over `axes`, which are removed. Where it is zero, its gradient is zero;
/// the norm of no elements is zero. Powers are summed in a wide type: 256² overflows f16.
pub(super) fn length<'g>(x: Expr<'g>, ord: f64, axes: &[usize]) -> Expr<'g> {
    wide_length(x.widened(), ord, axes).cast(x.dtype())
}

fn wide_length<'g>(x: Expr<'g>, ord: f64, axes: &[usize]) -> Expr<'g> {
    if count(x, axes) == 0 {
        return x.sum(axes);
    }
    if ord == f64::INFINITY {
        return x.abs().reduce(ReduceOp::Max, axes);
    }
    if ord == f64::NEG_INFINITY {
        return x.abs().reduce(ReduceOp::Min, axes);
    }
    if ord == 0.0 {
        return x.cast(DType::Bool).cast(x.dtype()).sum(axes);
    }
    if ord == 1.0 {
        return x.abs().sum(axes);
    }
    if ord == 2.0 {
        return root((x * x).sum(axes));
    }
    let at_zero = if ord > 0.0 { 0.0 } else { f64::INFINITY };
    let total = power(x.abs(), ord, at_zero).sum(axes);
    power(total, 1.0 / ord, at_zero)
}

/// `x^exponent`; for zero the value is `at_zero` and the gradient zero.
fn power(x: Expr<'_>, exponent: f64, at_zero: f64) -> Expr<'_> {
    let is_zero = x.eq(x.zeros_like());
    let exponent = x.recorder().number(exponent.into(), x.dtype());
    let y = is_zero.choose(x.like(1.0), x).pow(exponent);
    is_zero.choose(x.like(at_zero), y)
}

/// The `p`-norm of the difference of two tensors.
#[op(case = "f32[2, 3], f32[2, 3]", case = "f32[2, 3], f32[3], p=3")]
pub fn dist(g: &Recorder, input: Expr, other: Expr, #[default(2.0)] p: f64) -> Result<Expr> {
    let difference = elementwise(g, Scalar::Sub, &[input.into(), other.into()])?;
    vector_norm(g, difference, p, None, false, None)
}

entries![
    sum,
    mean,
    nansum,
    nanmean,
    prod,
    all,
    any,
    count_nonzero,
    logsumexp,
    trace,
    sum_to_size,
    norm,
    vector_norm,
    dist,
];
