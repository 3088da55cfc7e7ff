//! Contractions, convolutions, indexing and sorting with error bounds.
use super::sums::{Extreme, Sum, lines};
use super::{Bounded, OUT_OF_RANGE, offsets, unit};
use crate::ops::{Conv, Scatter, ScatterOp, Sort};
use crate::shape::{Shape, Type};

/// The product of two numbers with errors.
pub(super) fn product(a: f64, ea: f64, b: f64, eb: f64) -> (f64, f64) {
    let error = if ea == 0.0 && eb == 0.0 { 0.0 } else { a.abs() * eb + b.abs() * ea + ea * eb };
    (a * b, if error.is_nan() { f64::INFINITY } else { error })
}

pub(super) fn contract(a: &Bounded, b: &Bounded, out: &Type) -> Bounded {
    let rank = out.rank();
    let (m, n, k) = (out.shape[rank - 2], out.shape[rank - 1], a.ty.shape[rank - 1]);
    let mut y = Bounded::zeros(out);
    let mut sums = vec![Sum::EMPTY; n];
    for row in 0..out.elements().checked_div(n).unwrap_or(0) {
        sums.fill(Sum::EMPTY);
        let batch = row / m;
        for p in 0..k {
            let from = row * k + p;
            let (va, ea) = (a.value[from], a.error[from]);
            for (j, sum) in sums.iter_mut().enumerate() {
                let at = (batch * k + p) * n + j;
                let (value, error) = product(va, ea, b.value[at], b.error[at]);
                sum.add(value, error);
            }
        }
        sums.iter().enumerate().for_each(|(j, sum)| sum.store(&mut y, row * n + j));
    }
    y
}

pub(super) fn conv(op: &Conv, x: &Bounded, w: &Bounded, out: &Type) -> Bounded {
    let dims = op.stride.len();
    let (xs, ws, ys) = (x.ty.shape.strides(), w.ty.shape.strides(), out.shape.strides());
    let (per_group, outputs) = (w.ty.shape[1], w.ty.shape[0] / op.groups);
    let positions: Vec<Vec<usize>> = indices(&out.shape[2..]);
    let taps: Vec<Vec<usize>> = indices(&w.ty.shape[2..]);
    // The input element that each tap reads at each output position.
    let source = |at: &[usize], tap: &[usize]| -> Option<usize> {
        let mut offset = 0;
        for d in 0..dims {
            let i = (at[d] * op.stride[d] + tap[d] * op.dilation[d]) as isize - op.before[d];
            let i = usize::try_from(i).ok()?;
            let is_hit = i % op.spread[d] == 0 && i / op.spread[d] < x.ty.shape[d + 2];
            offset += is_hit.then(|| i / op.spread[d] * xs[d + 2])?;
        }
        Some(offset)
    };
    let sources: Vec<Vec<Option<usize>>> =
        positions.iter().map(|at| taps.iter().map(|tap| source(at, tap)).collect()).collect();
    let mut y = Bounded::zeros(out);
    for n in 0..out.shape[0] {
        for o in 0..out.shape[1] {
            let first = o / outputs * per_group;
            let mut sums = vec![Sum::EMPTY; positions.len()];
            for (sum, sources) in sums.iter_mut().zip(&sources) {
                for (tap, offset) in sources.iter().enumerate() {
                    let Some(offset) = offset else { continue };
                    for c in 0..per_group {
                        let from = n * xs[0] + (first + c) * xs[1] + offset;
                        let at = o * ws[0] + c * ws[1] + tap;
                        let (value, error) =
                            product(x.value[from], x.error[from], w.value[at], w.error[at]);
                        sum.add(value, error);
                    }
                }
            }
            // Winograd kernels round relative to the largest element of the patch, unless all sums
            // are exact.
            let is_whole = sums.iter().all(|sum| sum.is_whole);
            let most = sums.iter().fold(0.0f64, |most, sum| most.max(sum.size));
            let rounding = if is_whole { 0.0 } else { 16.0 * unit(out.dtype.wide()) * most };
            for (i, mut sum) in sums.into_iter().enumerate() {
                sum.error += rounding;
                sum.store(&mut y, n * ys[0] + o * ys[1] + i);
            }
        }
    }
    y
}

fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    Shape::from(shape).indices().collect()
}

/// The flat offset of each index; `None` if the index is uncertain. An index out of range is an
/// error.
fn targets(axis: usize, ty: &Type, index: &Bounded) -> Result<Vec<Option<usize>>, String> {
    let mut strides: Vec<isize> = ty.shape.strides().iter().map(|&s| s as isize).collect();
    let (own, len) = (strides[axis] as usize, ty.shape[axis]);
    strides[axis] = 0;
    offsets(&index.ty.shape, &strides, 0)
        .enumerate()
        .map(|(i, at)| match index.value[i] {
            _ if index.error[i] != 0.0 => Ok(None),
            value if (0.0..len as f64).contains(&value) => Ok(Some(at + own * value as usize)),
            value => {
                Err(format!("index {value} is {OUT_OF_RANGE} for axis {axis} of length {len}"))
            }
        })
        .collect()
}

/// Elements by index; elements of uncertain indices are open.
pub(super) fn gather(
    axis: usize,
    x: &Bounded,
    index: &Bounded,
    out: &Type,
) -> Result<Bounded, String> {
    let mut y = Bounded::zeros(out);
    for (i, target) in targets(axis, &x.ty, index)?.into_iter().enumerate() {
        (y.value[i], y.error[i]) = match target {
            Some(from) => (x.value[from], x.error[from]),
            None => (0.0, f64::INFINITY),
        };
    }
    Ok(y)
}

pub(super) fn scatter(op: &Scatter, x: &[&Bounded], out: &Type) -> Result<Bounded, String> {
    let (index, src) = (x[1], x[2]);
    let mut y = x[0].clone();
    let mut sums = vec![Sum::EMPTY; y.value.len()];
    let targets = targets(op.axis, out, index)?;
    if targets.iter().any(Option::is_none) {
        y.error.fill(f64::INFINITY);
        return Ok(y);
    }
    for (i, to) in targets.into_iter().flatten().enumerate() {
        let (s, e) = (src.value[i], src.error[i]);
        let (v, old) = (y.value[to], y.error[to]);
        match op.by {
            ScatterOp::Set => y.set(to, s, e),
            ScatterOp::Add => {
                if sums[to].count == 0 && sums[to].value == 0.0 {
                    sums[to].add(v, old);
                }
                sums[to].add(s, e);
                sums[to].store_in_order(&mut y, to);
            }
            ScatterOp::Max | ScatterOp::Min => {
                let mut extreme = Extreme::new(op.by == ScatterOp::Min);
                extreme.add(v, old);
                extreme.add(s, e);
                let (value, error) = extreme.result();
                y.set(to, value, error);
            }
            ScatterOp::Prod => {
                let (value, error) = product(v, old, s, e);
                match out.dtype.is_float() {
                    true => y.set(to, value, error + 2.0 * unit(out.dtype) * value.abs()),
                    false => y.set(to, out.dtype.wrap(value as i64) as f64, error),
                }
            }
        }
    }
    Ok(y)
}

pub(super) fn sort(op: &Sort, x: &Bounded, out: &Type) -> Bounded {
    let mut y = Bounded::zeros(out);
    let len = x.ty.shape[op.axis];
    let (starts, stride) = lines(&x.ty, op.axis);
    for start in starts {
        let at = |n: usize| start + n * stride;
        let mut order: Vec<usize> = (0..len).collect();
        let key = |n: usize| (x.value[at(n)].is_nan(), x.value[at(n)]);
        order.sort_by(|&i, &j| {
            let (a, b) = (key(i), key(j));
            let by_value = a.0.cmp(&b.0).then(a.1.partial_cmp(&b.1).unwrap_or(0.cmp(&0)));
            if op.descending { by_value.reverse() } else { by_value }
        });
        let is_open = open_positions(&order, |n| (x.value[at(n)], x.error[at(n)]), op.descending);
        let first = start / (stride * len) * stride * op.keep + start % stride;
        for (n, &from) in order.iter().enumerate().take(op.keep) {
            y.set(first + n * stride, from as f64, if is_open[n] { f64::INFINITY } else { 0.0 });
        }
    }
    y
}

/// Which positions of a sorted order are open: those of adjacent elements whose intervals overlap.
fn open_positions(
    order: &[usize],
    element: impl Fn(usize) -> (f64, f64),
    descending: bool,
) -> Vec<bool> {
    let sign = if descending { -1.0 } else { 1.0 };
    // An element with an infinite error may be at any position.
    let has_unknown = order.iter().any(|&from| element(from).1.is_infinite());
    let mut is_open = vec![has_unknown; order.len()];
    let (mut first, mut reach, mut has_error) = (0, f64::NEG_INFINITY, false);
    for (n, &from) in order.iter().enumerate() {
        let (v, e) = element(from);
        let meets = sign * v - e <= reach;
        if !meets {
            (first, has_error) = (n, false);
        }
        has_error |= e > 0.0;
        if meets && has_error {
            is_open[first..=n].fill(true);
        }
        reach = reach.max(sign * v + e);
    }
    is_open
}
