//! Cumulative results along an axis, and differences between adjacent elements.
use super::prelude::*;
use super::reductions::{at_least_1d, finite_or_zero, summable};
use crate::ops::scan::extreme_indices;

fn scan<'g>(by: ScanOp, axis: usize, inputs: &[Expr<'g>]) -> Expr<'g> {
    inputs[0].recorder().emit(Scan { by, axis, reverse: false }, inputs)
}

/// Cumulative sum along `dim`. Integers and bools are summed in i64.
#[op(case = "f32[2, 3], 1", case = "f32[3, 2], dim=0", case = "i32[4], 0")]
pub fn cumsum(g: &Recorder, input: Expr, dim: isize, dtype: Option<DType>) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let x = summable(at_least_1d(input), dtype)?;
    Ok(scan(ScanOp::Sum, axis, &[x]).reshape(&input.shape()))
}

/// Cumulative product along `dim`. Integers and bools are multiplied in i64.
#[op(case = "f32[2, 3], 1", case = "f32[3, 2], dim=0", case = "i32[4], 0")]
pub fn cumprod(g: &Recorder, input: Expr, dim: isize, dtype: Option<DType>) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let x = summable(at_least_1d(input), dtype)?;
    let Some(rest) = x.len(axis).checked_sub(1) else { return Ok(x) };
    // y = 1 · 0 + x at the first position, y = x · y′ + 0 at the others.
    let factor = x.narrow(axis, 1, rest).pad(axis, 1, 0, 1.0);
    let start = x.narrow(axis, 0, 1).pad(axis, 0, rest, 0.0);
    Ok(scan(ScanOp::Linear, axis, &[factor, start]).reshape(&input.shape()))
}

/// Cumulative maximum along `dim`, and its last index. After a NaN all results are NaN.
#[op(case = "f32[2, 3], 1", case = "f32[3, 2], dim=0")]
pub fn cummax(g: &Recorder, input: Expr, dim: isize) -> Result<(Expr, Expr)> {
    best_so_far(ScanOp::Max, input, dim)
}

/// Cumulative minimum along `dim`, and its last index. After a NaN all results are NaN.
#[op(case = "f32[2, 3], 1", case = "f32[3, 2], dim=0")]
pub fn cummin(g: &Recorder, input: Expr, dim: isize) -> Result<(Expr, Expr)> {
    best_so_far(ScanOp::Min, input, dim)
}

fn best_so_far<'g>(by: ScanOp, input: Expr<'g>, dim: isize) -> Result<(Expr<'g>, Expr<'g>)> {
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let values = scan(by, axis, &[x]);
    let index = extreme_indices(&Scan { by, axis, reverse: false }, x, values);
    Ok((values.reshape(&input.shape()), index.reshape(&input.shape())))
}

/// Logarithm of the cumulative sum of exponentials along `dim`, without overflow.
#[op(case = "f32[2, 3], 1", case = "f32[3, 2], dim=0")]
pub fn logcumsumexp(g: &Recorder, input: Expr, dim: isize) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let x = at_least_1d(input).widened();
    let Some(rest) = x.len(axis).checked_sub(1) else { return Ok(input) };
    // Sums relative to the largest element so far: s = s′ · exp(top′ − top) + exp(x − top)
    let top = scan(ScanOp::Max, axis, &[x.detach()]);
    let before = top.narrow(axis, 0, rest).pad(axis, 1, 0, f64::NEG_INFINITY);
    let top = finite_or_zero(top);
    let total = scan(ScanOp::Linear, axis, &[(before - top).exp(), (x - top).exp()]);
    let is_zero = total.eq(total.zeros_like());
    let log = is_zero.choose(total.like(1.0), total).log() + top;
    let y = is_zero.choose(total.like(f64::NEG_INFINITY), log);
    Ok(y.cast(input.dtype().to_float()).reshape(&input.shape()))
}

/// Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
/// `append` at the ends.
#[op(
    case = "f32[2, 4]",
    case = "f32[4, 2], n=2, dim=0",
    case = "f32[2, 3], 1, -1, f32[2, 1], f32[2, 2]"
)]
pub fn diff(
    g: &Recorder,
    input: Expr,
    #[default(1)] n: usize,
    #[default(-1)] dim: isize,
    prepend: Option<Expr>,
    append: Option<Expr>,
) -> Result<Expr> {
    let axis = input.axis(dim)?;
    if input.rank() == 0 {
        return Err(input.shape_error("expected at least one axis, got a scalar"));
    }
    if n == 0 {
        return Ok(input);
    }
    let parts: Vec<Expr> = [prepend, Some(input), append].into_iter().flatten().collect();
    let x = joined(&parts, axis)?;
    Ok((0..n.min(x.len(axis))).fold(x, |x, _| step(x, axis)))
}

/// Each element minus the previous one; for bools, whether they differ.
fn step(x: Expr<'_>, axis: usize) -> Expr<'_> {
    let rest = x.len(axis).saturating_sub(1);
    let (after, before) = (x.narrow(axis, x.len(axis) - rest, rest), x.narrow(axis, 0, rest));
    if x.dtype() == DType::Bool { after.ne(before) } else { after - before }
}

/// Concatenates tensors along an axis.
pub(super) fn joined<'g>(parts: &[Expr<'g>], axis: usize) -> Result<Expr<'g>> {
    let operands: Vec<Operand> = parts.iter().map(|&x| x.into()).collect();
    let dtype = common_type(&operands);
    let rest = parts[0].shape().keeping(&[axis]);
    let mut total = 0usize;
    for part in parts {
        let fits = part.rank() == rest.len() && part.shape().keeping(&[axis]) == rest;
        total = total.saturating_add(part.shape().get(axis).copied().unwrap_or(0));
        if !fits {
            let error =
                parts[0].shape_error("the tensors differ in another axis than the joined one");
            return Err(error.operand("other", &part.ty()));
        }
    }
    let mut start = 0;
    let mut padded = Vec::new();
    for part in parts {
        let end = start + part.len(axis);
        padded.push(part.cast(dtype).pad(axis, start, total - end, 0.0));
        start = end;
    }
    Ok(padded.into_iter().reduce(|a, b| a + b).expect("at least one part"))
}

/// Slopes of a function given at points along each of `dim`, by default along every axis: central
/// differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
/// distance between points, one for all axes or one for each, or for each axis a tensor with the
/// points' coordinates.
#[op(
    case = "f32[5]",
    case = "f32[4, 3], spacing=0.5, dim=0",
    case = "f32[3, 4], spacing=[2.0, 0.5], edge_order=2",
    case = "f32[5], spacing=[f32[5] in 1..9], edge_order=2"
)]
pub fn gradient(
    g: &Recorder,
    input: Expr,
    spacing: Option<Vec<Operand>>,
    dim: Option<Vec<isize>>,
    #[default(1)] edge_order: usize,
) -> Result<Vec<Expr>> {
    let axes = match dim {
        Some(dims) => dims.iter().map(|&dim| input.axis(dim)).collect::<Result<Vec<_>>>()?,
        None => (0..input.rank()).collect(),
    };
    let x = input.to_float();
    if !(1..=2).contains(&edge_order) {
        return Err(input.argument_error(format!("edge_order must be 1 or 2, got {edge_order}")));
    }
    if axes.iter().any(|&axis| input.shape().get(axis).is_none_or(|&len| len <= edge_order)) {
        let what = format!("expected more than {edge_order} elements along each axis");
        return Err(input.shape_error(what));
    }
    let spacing = match spacing.unwrap_or(vec![1.0.into()]) {
        one if one.len() == 1 && matches!(one[0], Operand::Number(_)) => vec![one[0]; axes.len()],
        each => each,
    };
    if spacing.len() != axes.len() {
        let what = format!("{} spacings for {} axes", spacing.len(), axes.len());
        return Err(input.argument_error(what));
    }
    axes.iter().zip(spacing).map(|(&axis, h)| slopes(x, axis, h, edge_order)).collect()
}

/// Slopes along one axis.
fn slopes<'g>(
    x: Expr<'g>,
    axis: usize,
    spacing: Operand<'g>,
    edge_order: usize,
) -> Result<Expr<'g>> {
    let n = x.len(axis);
    let steps = step(x, axis);
    let widths = match spacing {
        Operand::Number(h) => {
            let mut ones = vec![1; x.rank()];
            ones[axis] = n - 1;
            x.recorder().number(h, x.dtype()).expand(&ones)
        }
        Operand::Tensor(at) if *at.shape() != [n] => {
            let error = x.shape_error(format!("expected {n} coordinates along axis {axis}"));
            return Err(error.operand("spacing", &at.ty()));
        }
        Operand::Tensor(at) => {
            let mut along = vec![1; x.rank()];
            along[axis] = n - 1;
            step(at.cast(x.dtype()), 0).reshape(&along)
        }
    };
    // Slopes between adjacent points. An inner point weights each side by the width of the other.
    let sides = steps / widths;
    let pair = |y: Expr<'g>, of: usize| (y.narrow(axis, of, 1), y.narrow(axis, of + 1, 1));
    let left = |y: Expr<'g>| y.narrow(axis, 0, n - 2);
    let right = |y: Expr<'g>| y.narrow(axis, 1, n - 2);
    let (w, s) = (widths, sides);
    let inside = (left(s) * right(w) + right(s) * left(w)) / (left(w) + right(w));
    let (first, last) = match edge_order {
        1 => (s.narrow(axis, 0, 1), s.narrow(axis, n - 2, 1)),
        _ => {
            // Linear extrapolation of the two nearest slopes to the end.
            let extend = |near: (Expr<'g>, Expr<'g>), far: (Expr<'g>, Expr<'g>)| {
                near.1 + (near.1 - far.1) * near.0 / (near.0 + far.0)
            };
            let ((w0, w1), (s0, s1)) = (pair(w, 0), pair(s, 0));
            let ((v1, v0), (t1, t0)) = (pair(w, n - 3), pair(s, n - 3));
            (extend((w0, s0), (w1, s1)), extend((v0, t0), (v1, t1)))
        }
    };
    joined(&[first, inside, last], axis)
}

/// Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
/// or else their distance `dx`.
#[op(
    alias = "trapz",
    case = "f32[2, 4]",
    case = "f32[4, 3], f32[4, 1], dim=0",
    case = "f32[5], dx=0.5"
)]
pub fn trapezoid(
    g: &Recorder,
    y: Expr,
    x: Option<Expr>,
    #[default(1.0)] dx: f64,
    #[default(-1)] dim: isize,
) -> Result<Expr> {
    let axis = y.axis(dim)?;
    Ok(areas(y, x, dx, axis)?.sum(&[axis]))
}

/// Cumulative integral along `dim` by the trapezoid rule, from the second point on.
#[op(case = "f32[2, 4]", case = "f32[4, 3], f32[4, 1], dim=0", case = "f32[5], dx=0.5")]
pub fn cumulative_trapezoid(
    g: &Recorder,
    y: Expr,
    x: Option<Expr>,
    #[default(1.0)] dx: f64,
    #[default(-1)] dim: isize,
) -> Result<Expr> {
    let axis = y.axis(dim)?;
    Ok(scan(ScanOp::Sum, axis, &[areas(y, x, dx, axis)?]))
}

/// Areas of the trapezoids between adjacent points.
fn areas<'g>(y: Expr<'g>, x: Option<Expr<'g>>, dx: f64, axis: usize) -> Result<Expr<'g>> {
    let rest = y.shape().get(axis).map_or(0, |len| len.saturating_sub(1));
    if y.rank() == 0 {
        return Err(y.shape_error("expected at least one axis"));
    }
    let y = y.to_float();
    let heights = (y.narrow(axis, y.len(axis) - rest, rest) + y.narrow(axis, 0, rest)) * 0.5;
    let widths = match x {
        None => y.recorder().number(dx.into(), y.dtype()),
        Some(x) if x.rank() == 1 && x.len(0) == y.len(axis) => {
            let mut along = vec![1; y.rank()];
            along[axis] = rest;
            step(x, 0).reshape(&along)
        }
        Some(x) if x.rank() == y.rank() && x.len(axis) == y.len(axis) => step(x, axis),
        Some(x) => {
            let call = y.recorder().call().unwrap_or("trapezoid");
            let error = Error::shape(call, "x must have as many points as y along dim");
            return Err(error.operand("y", &y.ty()).operand("x", &x.ty()));
        }
    };
    elementwise(y.recorder(), Scalar::Mul, &[heights.into(), widths.into()])
}

entries![
    cumsum,
    cumprod,
    cummax,
    cummin,
    logcumsumexp,
    diff,
    gradient,
    trapezoid,
    cumulative_trapezoid,
];
