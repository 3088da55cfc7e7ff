//! Variance, median, quantiles and histograms.
use super::arithmetic;
use super::extremes::arg_extreme;
use super::ordering::order;
use super::prelude::*;
use super::reductions::{at_least_1d, count, is_nan, root, with_keepdim};

/// The second argument of `var` and related ops: axes to reduce, or PyTorch's older `unbiased`.
#[derive(Clone, Debug)]
pub enum Over {
    Dims(Vec<isize>),
    Unbiased(bool),
}

impl From<Vec<isize>> for Over {
    fn from(dims: Vec<isize>) -> Over {
        Over::Dims(dims)
    }
}

impl<'g> Arg<'g> for Over {
    const SPEC: Spec = Spec::List(&Spec::Int);
    fn from_value(g: &'g Recorder, value: &Value) -> Result<Over, String> {
        match value {
            Value::Bool(unbiased) => Ok(Over::Unbiased(*unbiased)),
            dims => Vec::from_value(g, dims).map(Over::Dims),
        }
    }

    fn stand_in(_: &'g Recorder) -> Over {
        Over::Dims(Vec::new())
    }
}

/// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
/// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
/// PyTorch's older form: true is `correction` 1, false is 0.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3, 4], dim=[0, 2], correction=0, keepdim=true",
    case = "f32[2, 3], dim=1, unbiased=false"
)]
pub fn var(
    g: &Recorder,
    input: Expr,
    dim: Option<Over>,
    correction: Option<Number>,
    #[default(false)] keepdim: bool,
    unbiased: Option<bool>,
) -> Result<Expr> {
    let (spread, _) = moments(input, dim, correction, keepdim, unbiased)?;
    Ok(spread.cast(input.dtype().to_float()))
}

/// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], correction=0, keepdim=true")]
pub fn std_(
    g: &Recorder,
    input: Expr,
    dim: Option<Over>,
    correction: Option<Number>,
    #[default(false)] keepdim: bool,
    unbiased: Option<bool>,
) -> Result<Expr> {
    let (spread, _) = moments(input, dim, correction, keepdim, unbiased)?;
    Ok(root(spread).cast(input.dtype().to_float()))
}

/// Variance and mean over `dim`.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], correction=0, keepdim=true")]
pub fn var_mean(
    g: &Recorder,
    input: Expr,
    dim: Option<Over>,
    correction: Option<Number>,
    #[default(false)] keepdim: bool,
    unbiased: Option<bool>,
) -> Result<(Expr, Expr)> {
    let (spread, mean) = moments(input, dim, correction, keepdim, unbiased)?;
    let dtype = input.dtype().to_float();
    Ok((spread.cast(dtype), mean.cast(dtype)))
}

/// Standard deviation and mean over `dim`.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], correction=0, keepdim=true")]
pub fn std_mean(
    g: &Recorder,
    input: Expr,
    dim: Option<Over>,
    correction: Option<Number>,
    #[default(false)] keepdim: bool,
    unbiased: Option<bool>,
) -> Result<(Expr, Expr)> {
    let (spread, mean) = moments(input, dim, correction, keepdim, unbiased)?;
    let dtype = input.dtype().to_float();
    Ok((root(spread).cast(dtype), mean.cast(dtype)))
}

/// Variance and mean, in two passes and in a wide type.
fn moments<'g>(
    input: Expr<'g>,
    dim: Option<Over>,
    correction: Option<Number>,
    keepdim: bool,
    unbiased: Option<bool>,
) -> Result<(Expr<'g>, Expr<'g>)> {
    let (dims, unbiased) = match dim {
        Some(Over::Dims(dims)) => (Some(dims), unbiased),
        Some(Over::Unbiased(unbiased)) => (None, Some(unbiased)),
        None => (None, unbiased),
    };
    let correction = correction.or(unbiased.map(Number::Bool)).map_or(1.0, Number::as_f64);
    let axes = input.axes(&dims)?;
    let n = count(input, &axes) as f64;
    let x = input.widened();
    let mean = x.sum_keep(&axes) / n;
    let deviation = x - mean;
    let spread = (deviation * deviation).sum(&axes) / (n - correction).max(0.0);
    Ok((with_keepdim(spread, input, &axes, keepdim), with_keepdim(mean, input, &axes, keepdim)))
}

/// The median of all elements (the lower of two middle ones); with `dim`, the medians along that
/// axis and their indices. NaN if any element is.
#[op(case = "f32[2, 3]", case = "f32[2, 4], dim=1, keepdim=true")]
pub fn median(
    g: &Recorder,
    input: Expr,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
) -> Result<Outputs> {
    median_by(input, dim, keepdim, with_nan)
}

/// `median` of the elements that are not NaN.
#[op(case = "f32[2, 3]", case = "f32[2, 4], dim=1, keepdim=true")]
pub fn nanmedian(
    g: &Recorder,
    input: Expr,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
) -> Result<Outputs> {
    median_by(input, dim, keepdim, without_nan)
}

fn median_by<'g>(
    input: Expr<'g>,
    dim: Option<isize>,
    keepdim: bool,
    find_index: fn(Expr<'g>, usize) -> Result<Expr<'g>>,
) -> Result<Outputs<'g>> {
    let Some(dim) = dim else {
        let x = input.reshape(&[input.elements()]);
        if x.elements() == 0 && x.dtype().is_float() {
            return Ok(Outputs::One(x.recorder().constant(f64::NAN, x.dtype(), &[])));
        }
        let value = x.gather(0, find_index(x, 0)?);
        return Ok(Outputs::One(with_shared_gradient(x, value)));
    };
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let index = find_index(x, axis)?;
    let restore = |y: Expr<'g>| with_keepdim(y, input, &[axis], keepdim);
    Ok(Outputs::Many(vec![restore(x.gather(axis, index)), restore(index)]))
}

/// `value [1]` of `x [n]` as a scalar whose gradient goes to all elements equal to it.
fn with_shared_gradient<'g>(x: Expr<'g>, value: Expr<'g>) -> Expr<'g> {
    if !x.dtype().is_float() {
        return value.reshape(&[]);
    }
    let value = value.detach();
    let is_it = x.eq(value).bitwise_or(is_nan(value).expand(&x.shape()));
    is_it.choose(x, x.like(f64::NEG_INFINITY)).reduce(ReduceOp::Max, &[0])
}

/// Index of the median along an axis, which is kept; of the first NaN if there is one.
fn with_nan(x: Expr<'_>, axis: usize) -> Result<Expr<'_>> {
    // An error if there are no elements.
    let top = arg_extreme(x, ReduceOp::Max, axis)?.unsqueeze(axis);
    let middle = order(x, axis, false).narrow(axis, (x.len(axis) - 1) / 2, 1);
    if !x.dtype().is_float() {
        return Ok(middle);
    }
    Ok(is_nan(x.detach().gather(axis, top)).choose(top, middle))
}

/// Index of the median along an axis, which is kept, without NaN.
fn without_nan(x: Expr<'_>, axis: usize) -> Result<Expr<'_>> {
    if x.len(axis) == 0 {
        return Err(x.shape_error("the median of no elements is undefined"));
    }
    let last = last_number(x, axis).maximum(x.recorder().constant(0, DType::I64, &[]));
    Ok(order(x, axis, false).gather(axis, last / last.like(2.0)))
}

/// Position of the last element that is not NaN after sorting along an axis; −1 if there is none.
fn last_number(x: Expr<'_>, axis: usize) -> Expr<'_> {
    is_nan(x).bitwise_not().cast(DType::I64).sum_keep(&[axis]) - 1.0
}

/// The most frequent value along `dim` (the smallest of several), and its last index.
#[op(case = "i64[2, 5] in 0..3", case = "f32[3, 4], dim=0, keepdim=true")]
pub fn mode(
    g: &Recorder,
    input: Expr,
    #[default(-1)] dim: isize,
    #[default(false)] keepdim: bool,
) -> Result<(Expr, Expr)> {
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let order = order(x, axis, false);
    let sorted = x.detach().gather(axis, order);
    let equal = sorted.unsqueeze(axis).eq(sorted.unsqueeze(axis + 1));
    let copies = equal.cast(DType::I64).sum(&[axis]);
    let first = arg_extreme(copies, ReduceOp::Max, axis)?.unsqueeze(axis);
    // NaN does not equal itself, so its count may be zero.
    let run = copies.max_keep(&[axis]).maximum(g.constant(1, DType::I64, &[]));
    let index = order.gather(axis, first + run - 1.0);
    let restore = |y: Expr<'g>| with_keepdim(y, input, &[axis], keepdim);
    Ok((restore(x.gather(axis, index)), restore(index)))
}

choice! {
    /// The value of a quantile between two elements.
    pub enum Between {
        Linear = "linear",
        Lower = "lower",
        Higher = "higher",
        Midpoint = "midpoint",
        Nearest = "nearest",
    }
}

/// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
/// adds a first axis. NaN if any element is.
#[op(
    case = "f32[2, 5], 0.3",
    case = "f32[2, 5], f32[3] in 0.1..0.9, dim=1, keepdim=true",
    case = "f32[2, 5], 0.3, dim=0, interpolation='lower'"
)]
pub fn quantile(
    g: &Recorder,
    input: Expr,
    q: Operand,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
    #[default(Between::Linear)] interpolation: Between,
) -> Result<Expr> {
    let (x, settle) = lines(input, dim, keepdim)?;
    // NaN is sorted to the end.
    let last = g.constant((x.len(1) - 1) as f64, x.dtype().wide(), &[x.len(0), 1]);
    let rank = is_nan(x.max_keep(&[1])).choose(last, last * fractions(input, x, q)?);
    Ok(settle(between(x, rank, interpolation), q))
}

/// `quantile` of the elements that are not NaN.
#[op(case = "f32[2, 5], 0.3", case = "f32[2, 5], f32[3] in 0.1..0.9, dim=1, keepdim=true")]
pub fn nanquantile(
    g: &Recorder,
    input: Expr,
    q: Operand,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
    #[default(Between::Linear)] interpolation: Between,
) -> Result<Expr> {
    let (x, settle) = lines(input, dim, keepdim)?;
    let last = last_number(x, 1).maximum(g.constant(0, DType::I64, &[]));
    let rank = last.cast(x.dtype().wide()) * fractions(input, x, q)?;
    Ok(settle(between(x, rank, interpolation), q))
}

/// The elements as `[lines, elements]`, and the function that shapes the result `[lines,
/// fractions]`.
fn lines<'g>(
    input: Expr<'g>,
    dim: Option<isize>,
    keepdim: bool,
) -> Result<(Expr<'g>, impl Fn(Expr<'g>, Operand<'g>) -> Expr<'g>)> {
    let axes = match dim {
        Some(dim) => vec![input.axis(dim)?],
        None => (0..input.rank()).collect(),
    };
    let shape = input.shape();
    let n: usize = axes.iter().filter_map(|&axis| shape.get(axis)).product();
    if n == 0 || !input.dtype().is_float() {
        let what = "expected a tensor of floats with elements to take quantiles of";
        return Err(input.shape_error(what));
    }
    let kept = (0..input.rank()).filter(|axis| !axes.contains(axis));
    let order: Vec<usize> = kept.chain(axes.iter().copied().filter(|&a| a < shape.len())).collect();
    let x = input.permute(&order).reshape(&[input.elements() / n, n]);
    let settle = move |y: Expr<'g>, q: Operand<'g>| {
        let mut rest = if keepdim { shape.keeping(&axes) } else { shape.without(&axes) };
        if matches!(q, Operand::Tensor(q) if q.rank() == 1) {
            rest.insert(0, y.len(1));
        }
        y.transposed().reshape(&rest)
    };
    Ok((x, settle))
}

/// `q` as `[1, fractions]`, in a float type that can represent all positions of a line.
fn fractions<'g>(input: Expr<'g>, x: Expr<'g>, q: Operand<'g>) -> Result<Expr<'g>> {
    match q {
        Operand::Number(q) if !(0.0..=1.0).contains(&q.as_f64()) => {
            Err(input.argument_error(format!("q is {q}, expected 0 to 1")))
        }
        Operand::Number(q) => Ok(x.recorder().number(q, x.dtype().wide()).reshape(&[1, 1])),
        Operand::Tensor(q) if q.rank() > 1 => {
            Err(input.shape_error("q must be a number or a list of numbers").operand("q", &q.ty()))
        }
        Operand::Tensor(q) => Ok(q.cast(x.dtype().wide()).reshape(&[1, q.elements()])),
    }
}

/// The elements of each sorted line of `x` at the positions `rank`, interpolated between elements.
fn between<'g>(x: Expr<'g>, rank: Expr<'g>, how: Between) -> Expr<'g> {
    let sorted = x.gather(1, order(x, 1, false));
    let at = |rank: Expr<'g>| sorted.gather(1, rank.cast(DType::I64));
    let (below, above) = (rank.floor(), rank.ceil());
    match how {
        Between::Lower => at(below),
        Between::Higher => at(above),
        Between::Nearest => at(rank.round()),
        Between::Midpoint => (at(below) + at(above)) * 0.5,
        Between::Linear => {
            arithmetic::between(at(below), at(above), (rank - below).cast(x.dtype()))
        }
    }
}

/// Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
/// default from the smallest to the largest element. Elements outside are not counted.
#[op(case = "f32[10], bins=4, min=-1, max=1", case = "f32[2, 5], bins=3")]
pub fn histc(
    g: &Recorder,
    input: Expr,
    #[default(100)] bins: usize,
    #[default(0.0)] min: f64,
    #[default(0.0)] max: f64,
) -> Result<Expr> {
    if bins == 0 || min > max {
        let what = format!("expected bins and min ≤ max, got bins={bins}, min={min}, max={max}");
        return Err(input.argument_error(what));
    }
    let x = input.detach().reshape(&[input.elements()]);
    let (low, high) = match min == max && x.elements() > 0 {
        true => (x.reduce(ReduceOp::Min, &[0]), x.reduce(ReduceOp::Max, &[0])),
        false => (g.number(min.into(), x.dtype()), g.number(max.into(), x.dtype())),
    };
    // If all elements are equal, the range is extended by one on either side.
    let is_flat = low.eq(high).cast(x.dtype());
    let (low, high) = (low - is_flat, high + is_flat);
    let place = ((x - low) / (high - low) * bins as f64).floor();
    let place = place.minimum(x.like((bins - 1) as f64));
    let is_inside = x.ge(low).bitwise_and(x.le(high));
    let place = is_inside.choose(place, x.zeros_like()).cast(DType::I64);
    let counts = g.constant(0, x.dtype(), &[bins]);
    Ok(counts.scatter(0, place, is_inside.cast(x.dtype()), ScatterOp::Add))
}

entries![var, std_, var_mean, std_mean, median, nanmedian, mode, quantile, nanquantile, histc,];
