//! Ops whose result shape depends on data. They read only the data that determines the shape and
//! record the rest: values stay on the device, and gradients flow.
use super::prelude::*;
use super::reductions::{at_least_1d, summable};
use crate::array::{Array, Data};
use std::cmp::Ordering;

/// Records a list of integers as a new input.
fn feed<'g>(
    g: &'g Recorder,
    read: &mut dyn Reader,
    shape: impl Into<Shape>,
    values: impl IntoIterator<Item = usize>,
) -> Expr<'g> {
    let values = values.into_iter().map(|i| i as i64);
    read.feed(g, Array::from_i64(&Type::new(DType::I64, shape), values))
}

/// Flat indices of the elements that are not zero, in order.
fn nonzero_indices(x: &Array) -> Vec<usize> {
    (0..x.len()).filter(|&i| x.f64(i) != 0.0).collect()
}

/// The elements at the indices `index` of one axis.
fn pick<'g>(x: Expr<'g>, axis: usize, index: Expr<'g>) -> Expr<'g> {
    let mut along = vec![1; x.rank()];
    along[axis] = index.elements();
    let shape = x.shape().with(axis, index.elements());
    x.gather(axis, index.reshape(&along).expand(&shape))
}

/// Indices of the elements that are not zero, in order: one row for each element, or with
/// `as_tuple` one tensor for each axis.
#[op(reads, case = "i64[2, 3] in 0..2", case = "bool[2, 3], as_tuple=true")]
pub fn nonzero(
    g: &Recorder,
    read: &mut dyn Reader,
    input: Expr,
    #[default(false)] as_tuple: bool,
) -> Result<Outputs> {
    let x = if as_tuple { at_least_1d(input) } else { input };
    let found = nonzero_indices(&read.read(x)?);
    let (shape, strides) = (x.shape(), x.shape().strides());
    let along = |axis: usize, place: usize| place / strides[axis] % shape[axis];
    if as_tuple {
        let of_axis = |axis| feed(g, read, [found.len()], found.iter().map(|&i| along(axis, i)));
        return Ok(Outputs::Many((0..x.rank()).map(of_axis).collect()));
    }
    let rows = found.iter().flat_map(|&i| (0..shape.len()).map(move |axis| (axis, i)));
    let indices = rows.map(|(axis, i)| along(axis, i));
    Ok(Outputs::One(feed(g, read, [found.len(), x.rank()], indices)))
}

/// Indices of the elements that are not zero, in order, one row for each element.
#[op(reads, case = "i64[2, 3] in 0..2")]
pub fn argwhere(g: &Recorder, read: &mut dyn Reader, input: Expr) -> Result<Expr> {
    match nonzero(g, read, input, false)? {
        Outputs::One(rows) => Ok(rows),
        Outputs::Many(_) => unreachable!("`as_tuple` is false"),
    }
}

/// The elements where `mask`, broadcast against the tensor, is true, in order.
#[op(reads, case = "f32[2, 3], bool[2, 3]", case = "f32[3], bool[2, 1]")]
pub fn masked_select(g: &Recorder, read: &mut dyn Reader, input: Expr, mask: Expr) -> Result<Expr> {
    if mask.dtype() != DType::Bool {
        let error = Error::dtype("masked_select", "the mask must be of bools");
        return Err(error.operand("input", &input.ty()).operand("mask", &mask.ty()));
    }
    let shape = common_shape("masked_select", &[("input", input.into()), ("mask", mask.into())])?;
    let found = nonzero_indices(&read.read(mask.expand(&shape))?);
    let index = feed(g, read, [found.len()], found);
    Ok(input.expand(&shape).reshape(&[shape.elements()]).gather(0, index))
}

/// The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
/// sum of their `weights`. The result has at least `minlength` elements.
#[op(
    reads,
    case = "i64[8] in 0..4, minlength=6",
    case = "i64[8] in 0..4, f32[8]",
    case = "i32[0] in 0..4"
)]
pub fn bincount(
    g: &Recorder,
    read: &mut dyn Reader,
    input: Expr,
    weights: Option<Expr>,
    #[default(0)] minlength: usize,
) -> Result<Expr> {
    if input.rank() != 1 || input.dtype().is_float() {
        return Err(input.shape_error("expected a vector of integers"));
    }
    if let Some(w) = weights.filter(|w| w.shape() != input.shape()) {
        let error = input.shape_error("weights must have the shape of input");
        return Err(error.operand("weights", &w.ty()));
    }
    let mut len = minlength;
    if input.elements() > 0 {
        let most = input.reduce(ReduceOp::Max, &[0]);
        let least = input.reduce(ReduceOp::Min, &[0]);
        let range = super::running::joined(&[least.reshape(&[1]), most.reshape(&[1])], 0)?;
        let range = read.read(range)?;
        if range.i64(0) < 0 {
            let what = format!("expected no negative numbers, got {}", range.i64(0));
            return Err(Error::data("bincount", what).operand("input", &input.ty()));
        }
        len = len.max((range.i64(1) as usize).saturating_add(1));
    }
    let dtype = match weights.map(|w| w.dtype()) {
        None => DType::I64,
        Some(DType::F32) => DType::F32,
        Some(_) => DType::F64,
    };
    let ones = || g.constant(1, dtype, &input.shape());
    let amounts = weights.map_or_else(ones, |w| w.cast(dtype));
    let counts = g.constant(0, dtype, &[len]);
    Ok(counts.scatter(0, input.cast(DType::I64), amounts, ScatterOp::Add))
}

/// The distinct values of a tensor, or slices along `dim`, in ascending order; with
/// `return_inverse` also the index of each element in this list, with `return_counts` also the
/// number of occurrences. The values are always sorted, whatever `sorted` is.
#[op(
    reads,
    case = "i64[2, 3] in 0..3, return_inverse=true, return_counts=true",
    case = "i64[2, 6] in 0..2, dim=1"
)]
pub fn unique(
    g: &Recorder,
    read: &mut dyn Reader,
    input: Expr,
    #[default(true)] sorted: bool,
    #[default(false)] return_inverse: bool,
    #[default(false)] return_counts: bool,
    dim: Option<isize>,
) -> Result<Outputs> {
    let _always_sorted = sorted;
    let want = Wanted { inverse: return_inverse, counts: return_counts };
    distinct(input, read, dim, want, |lines, n| {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| lines.compare(a, b));
        order
    })
}

/// The values of a tensor, or slices along `dim`, without those equal to the previous one; with
/// `return_inverse` also the index of each element in this list, with `return_counts` also the
/// length of each run.
#[op(
    reads,
    case = "i64[2, 3] in 0..3, return_inverse=true, return_counts=true",
    case = "i64[2, 6] in 0..2, dim=1"
)]
pub fn unique_consecutive(
    g: &Recorder,
    read: &mut dyn Reader,
    input: Expr,
    #[default(false)] return_inverse: bool,
    #[default(false)] return_counts: bool,
    dim: Option<isize>,
) -> Result<Outputs> {
    let want = Wanted { inverse: return_inverse, counts: return_counts };
    distinct(input, read, dim, want, |_, n| (0..n).collect())
}

struct Wanted {
    inverse: bool,
    counts: bool,
}

/// The slices of a tensor along one axis.
struct Lines<'a> {
    of: &'a Array,
    stride: usize,
    /// Flat indices of the elements of the first slice.
    first: Vec<usize>,
}

impl Lines<'_> {
    fn new(of: &Array, axis: usize) -> Lines<'_> {
        let (len, stride) = (of.shape()[axis], of.shape().strides()[axis]);
        let is_first = |i: &usize| (i / stride).is_multiple_of(len);
        Lines { of, stride, first: (0..of.len()).filter(is_first).collect() }
    }

    /// Lexicographic order; NaN is larger than every number.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let by_value = |&i: &usize| {
            let (i, j) = (i + a * self.stride, i + b * self.stride);
            match &self.of.data {
                Data::Int(x) => x[i].cmp(&x[j]),
                Data::Float(x) => {
                    let by_nan = || x[i].is_nan().cmp(&x[j].is_nan());
                    x[i].partial_cmp(&x[j]).unwrap_or_else(by_nan)
                }
            }
        };
        self.first.iter().map(by_value).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Equality, by which NaN does not equal itself.
    fn is_equal(&self, a: usize, b: usize) -> bool {
        let has_nan = self.first.iter().any(|i| self.of.f64(i + a * self.stride).is_nan());
        !has_nan && self.compare(a, b).is_eq()
    }
}

/// The slices without adjacent duplicates in the given order, with inverse and counts.
fn distinct<'g>(
    input: Expr<'g>,
    read: &mut dyn Reader,
    dim: Option<isize>,
    want: Wanted,
    order: impl FnOnce(&Lines, usize) -> Vec<usize>,
) -> Result<Outputs<'g>> {
    let g = input.recorder();
    let (x, axis) = match dim {
        Some(dim) => (at_least_1d(input), input.axis(dim)?),
        None => (input.reshape(&[input.elements()]), 0),
    };
    let (values, n) = (read.read(x)?, x.len(axis));
    let lines = Lines::new(&values, axis);
    let (mut firsts, mut counts, mut inverse) = (Vec::new(), Vec::<usize>::new(), vec![0; n]);
    let mut before = None;
    for line in order(&lines, n) {
        if before.is_none_or(|before| !lines.is_equal(before, line)) {
            firsts.push(line);
            counts.push(0);
        }
        before = Some(line);
        counts[firsts.len() - 1] += 1;
        inverse[line] = firsts.len() - 1;
    }
    let found = firsts.len();
    let values = pick(x, axis, feed(g, read, [found], firsts));
    let mut outputs = vec![values];
    if want.inverse {
        let shape = if dim.is_none() { input.shape() } else { Shape::from([n]) };
        outputs.push(feed(g, read, shape, inverse));
    }
    if want.counts {
        outputs.push(feed(g, read, [found], counts));
    }
    Ok(if outputs.len() == 1 { Outputs::One(values) } else { Outputs::Many(outputs) })
}

/// Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
/// vector of integers. `output_size` is the length of the result, if known.
#[op(reads, case = "f32[3, 2], i64[3] in 0..3, dim=0", case = "f32[2, 2], i64[1] in 2..3")]
pub fn repeat_interleave_tensor(
    g: &Recorder,
    read: &mut dyn Reader,
    input: Expr,
    repeats: Expr,
    dim: Option<isize>,
    output_size: Option<usize>,
) -> Result<Expr> {
    let (x, axis) = match dim {
        Some(dim) => (at_least_1d(input), input.axis(dim)?),
        None => (input.reshape(&[input.elements()]), 0),
    };
    let n = x.len(axis);
    let is_list = repeats.rank() <= 1 && repeats.dtype().is_int();
    if !is_list || ![1, n].contains(&repeats.elements()) {
        let what = format!("repeats must be one integer or {n} integers");
        return Err(x.shape_error(what).operand("repeats", &repeats.ty()));
    }
    let times = read.read(summable(repeats, None)?)?.to_i64();
    let total = times.iter().try_fold(0i64, |sum, &t| (t >= 0).then(|| sum.checked_add(t))?);
    let fits = total.is_some_and(|t| output_size.is_none_or(|size| size as i64 == t) || n == 0);
    if !fits {
        let what = "expected non-negative repeats that add up to output_size";
        let what = format!("{what}, got {times:?}");
        return Err(Error::data("repeat_interleave_tensor", what).operand("input", &x.ty()));
    }
    let of = |i: usize| times[if times.len() == 1 { 0 } else { i }] as usize;
    let index: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, of(i))).collect();
    let index = feed(g, read, [index.len()], index);
    Ok(pick(x, axis, index))
}

entries![
    nonzero,
    argwhere,
    masked_select,
    bincount,
    unique,
    unique_consecutive,
    repeat_interleave_tensor,
];
