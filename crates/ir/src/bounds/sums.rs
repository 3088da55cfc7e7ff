//! Reductions and scans with error bounds.
use super::library::product;
use super::{Bounded, distance, offsets, unit};
use crate::dtype::DType;
use crate::ops::{Fold, ReduceOp, Scan, ScanOp};
use crate::shape::Type;

/// A partial sum: its value, the errors of its terms, and the sum of their magnitudes.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) value: f64,
    pub(super) error: f64,
    pub(super) size: f64,
    pub(super) count: usize,
    pub(super) is_whole: bool,
}

impl Sum {
    pub(super) const EMPTY: Sum =
        Sum { value: 0.0, error: 0.0, size: 0.0, count: 0, is_whole: true };

    pub(super) fn add(&mut self, value: f64, error: f64) {
        self.value += value;
        self.error += error;
        if value != 0.0 {
            self.size += if value.is_finite() { value.abs() } else { 0.0 };
            self.count += 1;
        }
        self.is_whole = self.is_whole && value.fract() == 0.0;
    }

    /// The bound for any order of summation: the rounding errors of `n` terms add up like a random
    /// walk.
    fn bound(&self, dtype: DType) -> f64 {
        let is_exact = self.is_whole && self.error == 0.0 && self.size * unit(dtype) < 0.5;
        if is_exact || (self.count < 2 && super::is_exact(dtype, self.value)) {
            return self.error;
        }
        let steps = 8.0 + 4.0 * (self.count as f64).sqrt();
        // Narrow floats are summed in f32 and rounded at the end.
        let rounding = steps * unit(dtype.wide()) + unit(dtype);
        self.error + self.size * rounding
    }

    /// `store` for sequential sums, in which all roundings of equal terms may go in the same
    /// direction.
    pub(super) fn store_in_order(self, y: &mut Bounded, i: usize) {
        self.store(y, i);
        if y.error[i] > self.error {
            y.error[i] += self.count as f64 * unit(y.ty.dtype.wide()) * self.size;
        }
    }

    pub(super) fn store(self, y: &mut Bounded, i: usize) {
        match y.ty.dtype {
            dtype if dtype.is_float() => y.set(i, self.value, self.bound(dtype)),
            dtype => {
                let value = dtype.wrap(self.value as i64) as f64;
                let is_known = self.error == 0.0 && self.size < 2f64.powi(53);
                y.set(i, value, if is_known { 0.0 } else { f64::INFINITY });
            }
        }
    }
}

pub(super) fn reduce(by: ReduceOp, axes: &[usize], x: &Bounded, out: &Type) -> Bounded {
    let own = out.shape.strides();
    let mut kept = own.iter();
    let strides: Vec<isize> = (0..x.ty.rank())
        .map(|axis| match axes.contains(&axis) {
            true => 0,
            false => *kept.next().expect("an axis that is kept") as isize,
        })
        .collect();
    let to = offsets(&x.ty.shape, &strides, 0);
    let mut y = Bounded::zeros(out);
    if by == ReduceOp::Sum {
        let mut sums = vec![Sum::EMPTY; y.value.len()];
        to.enumerate().for_each(|(i, to)| sums[to].add(x.value[i], x.error[i]));
        sums.into_iter().enumerate().for_each(|(i, sum)| sum.store(&mut y, i));
        return y;
    }
    let mut extremes = vec![Extreme::new(by == ReduceOp::Min); y.value.len()];
    to.enumerate().for_each(|(i, to)| extremes[to].add(x.value[i], x.error[i]));
    for (i, extreme) in extremes.into_iter().enumerate() {
        let (value, error) = extreme.result();
        y.set(i, value, error);
    }
    y
}

/// A partial maximum (or minimum, by negation) of the values and of the ends of their intervals.
#[derive(Clone, Copy)]
pub(super) struct Extreme {
    sign: f64,
    value: f64,
    low: f64,
    high: f64,
    is_nan: bool,
    /// Whether an element is NaN with an error, so that it may be a number.
    is_open: bool,
}

impl Extreme {
    pub(super) fn new(is_min: bool) -> Extreme {
        let (sign, none) = (if is_min { -1.0 } else { 1.0 }, f64::NEG_INFINITY);
        Extreme { sign, value: none, low: none, high: none, is_nan: false, is_open: false }
    }

    pub(super) fn add(&mut self, value: f64, error: f64) {
        let v = self.sign * value;
        self.is_nan |= v.is_nan() && error == 0.0;
        self.is_open |= v.is_nan() && error > 0.0;
        self.value = self.value.max(v);
        let ends = if error == 0.0 { (v, v) } else { (v - error, v + error) };
        self.low = self.low.max(ends.0);
        self.high = self.high.max(ends.1);
    }

    pub(super) fn result(self) -> (f64, f64) {
        if self.is_nan {
            return (f64::NAN, 0.0);
        }
        if self.is_open {
            return (f64::NAN, f64::INFINITY);
        }
        let error = distance(self.high, self.value).max(distance(self.value, self.low));
        (self.sign * self.value, error)
    }
}

/// The lines of a tensor along an axis: the offset of the first element of each, and the stride.
pub(super) fn lines(ty: &Type, axis: usize) -> (impl Iterator<Item = usize> + use<>, usize) {
    let (len, stride) = (ty.shape[axis], ty.shape.strides()[axis]);
    let starts = (0..ty.elements()).filter(move |start| (start / stride).is_multiple_of(len));
    (starts, stride)
}

pub(super) fn arg_reduce(by: ReduceOp, axis: usize, x: &Bounded, out: &Type) -> Bounded {
    let mut y = Bounded::zeros(out);
    let (starts, stride) = lines(&x.ty, axis);
    let sign = if by == ReduceOp::Min { -1.0 } else { 1.0 };
    for (to, start) in starts.enumerate() {
        let at = |n: usize| start + n * stride;
        let better = |a: f64, b: f64| a.is_nan() && !b.is_nan() || sign * a > sign * b;
        let first = (1..x.ty.shape[axis])
            .fold(0, |best, n| if better(x.value[at(n)], x.value[at(best)]) { n } else { best });
        let (v, e) = (x.value[at(first)], x.error[at(first)]);
        let is_rival = |n: usize| {
            let reach = e + x.error[at(n)];
            n != first && reach > 0.0 && distance(v, x.value[at(n)]) <= reach
        };
        let is_open = e.is_infinite() || (0..x.ty.shape[axis]).any(is_rival);
        y.set(to, first as f64, if is_open { f64::INFINITY } else { 0.0 });
    }
    y
}

pub(super) fn fold(op: &Fold, x: &Bounded, out: &Type) -> Bounded {
    let mut strides: Vec<isize> = out.shape.strides().iter().map(|&s| s as isize).collect();
    let inner = strides[op.axis] * op.dilation as isize;
    strides[op.axis] *= op.step as isize;
    strides.push(inner);
    let mut sums = vec![Sum::EMPTY; out.elements()];
    for (from, to) in offsets(&x.ty.shape, &strides, 0).enumerate() {
        sums[to].add(x.value[from], x.error[from]);
    }
    let mut y = Bounded::zeros(out);
    sums.into_iter().enumerate().for_each(|(i, sum)| sum.store(&mut y, i));
    y
}

pub(super) fn scan(op: &Scan, x: &[&Bounded], out: &Type) -> Bounded {
    let len = out.shape[op.axis];
    let last = x[x.len() - 1];
    let mut y = last.clone();
    let u = unit(out.dtype.wide()) * 4.0 + unit(out.dtype);
    let (starts, stride) = lines(out, op.axis);
    for start in starts {
        let at = |n: usize| start + stride * if op.reverse { len - 1 - n } else { n };
        let mut sum = Sum::EMPTY;
        let mut extreme = Extreme::new(op.by == ScanOp::Min);
        for n in 0..len {
            let i = at(n);
            let (v, e) = (last.value[i], last.error[i]);
            match op.by {
                ScanOp::Sum => {
                    sum.add(v, e);
                    sum.store_in_order(&mut y, i);
                }
                ScanOp::Max | ScanOp::Min => {
                    extreme.add(v, e);
                    let (value, error) = extreme.result();
                    y.set(i, value, error);
                }
                ScanOp::Linear if n > 0 => {
                    let before = at(n - 1);
                    let (a, ea) = (x[0].value[i], x[0].error[i]);
                    let (value, error) = product(a, ea, y.value[before], y.error[before]);
                    let size = value.abs() + v.abs();
                    y.set(i, value + v, error + e + u * size);
                }
                ScanOp::Linear => {}
            }
        }
    }
    y
}
