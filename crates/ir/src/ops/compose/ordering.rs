//! Sorting, and searching in sorted tensors. NaN is larger than every number.
use super::prelude::*;
use super::reductions::{at_least_1d, with_keepdim};

/// Indices that sort `x` along an axis; equal elements keep their order.
pub(super) fn order<'g>(x: Expr<'g>, axis: usize, descending: bool) -> Expr<'g> {
    first_of_order(x, axis, descending, x.len(axis))
}

/// The first `keep` indices that sort `x` along an axis.
fn first_of_order<'g>(x: Expr<'g>, axis: usize, descending: bool, keep: usize) -> Expr<'g> {
    x.recorder().emit(Sort { axis, descending, keep }, &[x])
}

/// The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
/// `stable` is.
#[op(case = "f32[2, 5]", case = "f32[4, 3], dim=0, descending=true")]
pub fn sort(
    g: &Recorder,
    input: Expr,
    #[default(-1)] dim: isize,
    #[default(false)] descending: bool,
    #[default(false)] stable: bool,
) -> Result<(Expr, Expr)> {
    let _always_so = stable;
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let index = order(x, axis, descending);
    let shape = input.shape();
    Ok((x.gather(axis, index).reshape(&shape), index.reshape(&shape)))
}

/// The indices that sort the elements along `dim`.
#[op(case = "f32[2, 5]", case = "f32[4, 3], dim=0, descending=true")]
pub fn argsort(
    g: &Recorder,
    input: Expr,
    #[default(-1)] dim: isize,
    #[default(false)] descending: bool,
    #[default(false)] stable: bool,
) -> Result<Expr> {
    Ok(sort(g, input, dim, descending, stable)?.1)
}

/// The elements sorted along the first axis.
#[op(case = "f32[5, 2]")]
pub fn msort(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(sort(g, input, 0, false, true)?.0)
}

/// The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
/// indices. They are always sorted, whatever `sorted` is.
#[op(case = "f32[2, 5], 2", case = "f32[4, 3], 3, dim=0, largest=false")]
pub fn topk(
    g: &Recorder,
    input: Expr,
    k: usize,
    #[default(-1)] dim: isize,
    #[default(true)] largest: bool,
    #[default(true)] sorted: bool,
) -> Result<(Expr, Expr)> {
    let _always_so = sorted;
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let n = x.len(axis);
    if k > n {
        return Err(input.argument_error(format!("k is {k}, but the axis has {n} elements")));
    }
    let index = first_of_order(x, axis, largest, k);
    let values = x.gather(axis, index);
    if input.rank() == 0 && k == 1 {
        return Ok((values.reshape(&[]), index.reshape(&[])));
    }
    Ok((values, index))
}

/// The `k`-th smallest element along `dim`, counted from 1, and its index.
#[op(case = "f32[2, 5], 2", case = "f32[4, 3], 3, dim=0, keepdim=true")]
pub fn kthvalue(
    g: &Recorder,
    input: Expr,
    k: usize,
    #[default(-1)] dim: isize,
    #[default(false)] keepdim: bool,
) -> Result<(Expr, Expr)> {
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let n = x.len(axis);
    if !(1..=n).contains(&k) {
        let what = format!("k is {k}, expected 1 to {n}");
        return Err(input.argument_error(what));
    }
    let index = first_of_order(x, axis, false, k).narrow(axis, k - 1, 1);
    let settle = |y: Expr<'g>| with_keepdim(y, input, &[axis], keepdim);
    Ok((settle(x.gather(axis, index)), settle(index)))
}

choice! {
    /// The side of equal elements at which a new one is inserted.
    pub enum Side {
        Left = "left",
        Right = "right",
    }
}

/// The sequence in the order of `sorter`, if there is one.
fn reordered<'g>(sorted_sequence: Expr<'g>, sorter: Option<Expr<'g>>) -> Result<Expr<'g>> {
    Ok(match sorter {
        Some(index) if index.ty() != Type::new(DType::I64, sorted_sequence.shape()) => {
            let error = Error::shape("searchsorted", "sorter must be i64 and like the sequence");
            let error = error.operand("sorted_sequence", &sorted_sequence.ty());
            return Err(error.operand("sorter", &index.ty()));
        }
        Some(index) if sorted_sequence.rank() > 0 => {
            sorted_sequence.gather(sorted_sequence.rank() - 1, index)
        }
        _ => sorted_sequence,
    })
}

/// The index at which each value of `input` would have to be inserted to keep the last axis of
/// `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
/// `side`. A sequence of several axes has one line for each line of `input`.
#[op(
    case = "f32[5] in 0..0, f32[2, 3]",
    case = "i64[2, 4] in 3..4, i64[2, 3] in 2..5, right=true",
    case = "f32[5] in 1..1, 0.5, out_int32=true, side='right'"
)]
pub fn searchsorted(
    g: &Recorder,
    sorted_sequence: Expr,
    input: Operand,
    #[default(false)] out_int32: bool,
    #[default(false)] right: bool,
    side: Option<Side>,
    sorter: Option<Expr>,
) -> Result<Expr> {
    let sequence = reordered(sorted_sequence, sorter)?;
    let dtype = common_type(&[sequence.into(), input]);
    let x = match input {
        Operand::Tensor(x) => x.cast(dtype),
        Operand::Number(n) => g.number(n, dtype),
    };
    let lines = sequence.rank().saturating_sub(1);
    let fits = sequence.rank() == 1
        || sequence.rank() == x.rank() && sequence.shape()[..lines] == x.shape()[..lines];
    if sequence.rank() == 0 || !fits {
        let what = "the sequence must have one axis, or all but the last like the input's";
        let error = Error::shape("searchsorted", what);
        return Err(error.operand("sorted_sequence", &sequence.ty()).operand("input", &x.ty()));
    }
    let sequence = match lines {
        0 => sequence.cast(dtype),
        _ => sequence.cast(dtype).unsqueeze(lines),
    };
    let x = x.unsqueeze(x.rank());
    // Written as "not greater", so that NaN goes to the end.
    let is_above = match side.unwrap_or(if right { Side::Right } else { Side::Left }) {
        Side::Left => sequence.ge(x),
        Side::Right => sequence.gt(x),
    };
    let before = is_above.bitwise_not().cast(if out_int32 { DType::I32 } else { DType::I64 });
    Ok(before.sum(&[before.rank() - 1]))
}

/// The index of the interval between `boundaries` in which each value lies: the number of
/// boundaries less than it, or not greater if `right`.
#[op(case = "f32[2, 3], f32[4] in 0..0", case = "i64[5] in 0..9, i64[1] in 3..4, right=true")]
pub fn bucketize(
    g: &Recorder,
    input: Operand,
    boundaries: Expr,
    #[default(false)] out_int32: bool,
    #[default(false)] right: bool,
) -> Result<Expr> {
    if boundaries.rank() != 1 {
        return Err(boundaries.shape_error("the boundaries must have one axis"));
    }
    searchsorted(g, boundaries, input, out_int32, right, None, None)
}

/// Whether each of `elements` is among `test_elements`, or is not if `invert`.
#[op(
    case = "i64[2, 3] in 0..9, i64[4] in 0..9",
    case = "i64[2, 3] in 0..9, 4, assume_unique=true, invert=true"
)]
pub fn isin(
    g: &Recorder,
    elements: Operand,
    test_elements: Operand,
    #[default(false)] assume_unique: bool,
    #[default(false)] invert: bool,
) -> Result<Expr> {
    let _makes_no_difference = assume_unique;
    let dtype = common_type(&[elements, test_elements]);
    let tensor = |operand: Operand<'g>| match operand {
        Operand::Tensor(x) => x.cast(dtype),
        Operand::Number(n) => g.number(n, dtype),
    };
    let (x, tests) = (tensor(elements), tensor(test_elements));
    let equal = x.unsqueeze(x.rank()).eq(tests.reshape(&[tests.elements()]));
    let found = super::any(g, equal, Some(vec![-1]), false)?;
    Ok(if invert { found.bitwise_not() } else { found })
}

entries![sort, argsort, msort, topk, kthvalue, searchsorted, bucketize, isin];
