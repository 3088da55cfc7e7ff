//! An evaluator with error bounds: evaluates a graph in `f64` and computes for each element a
//! bound of its error that holds for every order in which a device may round and sum. It shares
//! the scalar functions with the reference device and no code with other devices; fuzzers and the
//! checked mode compare devices with it. An element with an infinite bound is called *open*: it
//! depends on a tie (a comparison of equals, the order of equal elements), so a device may return
//! any value.
mod library;
mod scalar;
mod sums;

use crate::array::Array;
use crate::dtype::DType;
use crate::graph::{Graph, Id};
use crate::ops::{Op, OpDef, Pad};
use crate::shape::Type;
use library::{contract, conv, gather, scatter, sort};
use scalar::{cast, map};
use std::collections::HashMap;
use sums::{arg_reduce, fold, reduce, scan};

/// Text in the error about an invalid index, which devices have to reject too.
pub const OUT_OF_RANGE: &str = "out of range";

/// A tensor with a bound of the error of each element.
#[derive(Clone, Debug)]
pub struct Bounded {
    pub ty: Type,
    pub value: Vec<f64>,
    pub error: Vec<f64>,
}

impl Bounded {
    /// The elements of `x` with error zero.
    pub fn exact(x: &Array) -> Bounded {
        Bounded { ty: x.ty.clone(), value: x.to_f64(), error: vec![0.0; x.len()] }
    }

    fn zeros(ty: &Type) -> Bounded {
        let n = ty.elements();
        Bounded { ty: ty.clone(), value: vec![0.0; n], error: vec![0.0; n] }
    }

    /// The elements at the flat indices `from`, and `fill` for `None`.
    pub fn pick(&self, ty: &Type, from: impl Iterator<Item = Option<usize>>, fill: f64) -> Bounded {
        let (value, error) =
            from.map(|i| i.map_or((fill, 0.0), |i| (self.value[i], self.error[i]))).unzip();
        Bounded { ty: ty.clone(), value, error }
    }

    fn set(&mut self, i: usize, value: f64, error: f64) {
        let (value, error) = within_range(self.ty.dtype, value, error);
        self.value[i] = value;
        self.error[i] = error;
    }
}

/// The values of `wanted`, given those of the inputs.
pub fn eval(
    g: &Graph,
    inputs: &HashMap<Id, Bounded>,
    wanted: &[Id],
) -> Result<Vec<Bounded>, String> {
    let mut uses = vec![0usize; g.len()];
    wanted.iter().for_each(|id| uses[id.index()] += 1);
    for (id, node) in g.nodes().rev() {
        if uses[id.index()] > 0 {
            node.inputs.iter().for_each(|input| uses[input.index()] += 1);
        }
    }
    let mut values: HashMap<Id, Bounded> = HashMap::new();
    for (id, node) in g.nodes() {
        if uses[id.index()] == 0 {
            continue;
        }
        let args: Vec<&Bounded> = node.inputs.iter().map(|input| &values[input]).collect();
        let value = match &node.op {
            Op::Input(input) => {
                inputs.get(&id).cloned().ok_or(format!("'{}' has no value", input.name))?
            }
            Op::Slot(slot) => Bounded::exact(&Array::full(&node.ty, g.slots()[slot.slot])),
            op => apply(op, &args, &node.ty)?,
        };
        values.insert(id, value);
        for input in &node.inputs {
            uses[input.index()] -= 1;
            if uses[input.index()] == 0 {
                values.remove(input);
            }
        }
    }
    Ok(wanted.iter().map(|id| values[id].clone()).collect())
}

/// Evaluates one op on operands with error bounds.
pub fn apply(op: &Op, x: &[&Bounded], out: &Type) -> Result<Bounded, String> {
    Ok(match op {
        Op::Const(_) | Op::Iota(_) => {
            Bounded::exact(&op.eval(&[], out).map_err(|error| error.to_string())?)
        }
        Op::Random(_) => {
            let seed = Array::from_f64(&x[0].ty, x[0].value.iter().copied());
            Bounded::exact(&op.eval(&[&seed], out).map_err(|error| error.to_string())?)
        }
        Op::Detach(_) => x[0].clone(),
        Op::Write(_) => x[1].clone(),
        Op::Reshape(_) => Bounded { ty: out.clone(), ..x[0].clone() },
        Op::Cast(_) => cast(x[0], out),
        Op::Map(op) => map(op.0, x, out),
        Op::Permute(_) | Op::Expand(_) | Op::Slice(_) | Op::Flip(_) | Op::Window(_) => {
            moved(op, x[0], out)
        }
        Op::Pad(op) => pad(op, x[0], out),
        Op::Fold(op) => fold(op, x[0], out),
        Op::Reduce(op) => reduce(op.by, &op.axes, x[0], out),
        Op::ArgReduce(op) => arg_reduce(op.by, op.axis, x[0], out),
        Op::Contract(_) => contract(x[0], x[1], out),
        Op::Conv(op) => conv(op, x[0], x[1], out),
        Op::Gather(op) => gather(op.axis, x[0], x[1], out)?,
        Op::Scatter(op) => scatter(op, x, out)?,
        Op::Scan(op) => scan(op, x, out),
        Op::Sort(op) => sort(op, x[0], out),
        Op::Input(_) | Op::Slot(_) | Op::Custom(_) => {
            return Err(format!("{} has no value", op.name()));
        }
    })
}

/// Evaluates a movement op that reads each element at an offset with fixed strides.
fn moved(op: &Op, x: &Bounded, out: &Type) -> Bounded {
    let shape = &x.ty.shape;
    let mut own: Vec<isize> = shape.strides().iter().map(|&stride| stride as isize).collect();
    let mut start = 0;
    match op {
        Op::Permute(op) => own = op.axes.iter().map(|&axis| own[axis]).collect(),
        Op::Expand(_) => {
            let extra = out.rank() - shape.len();
            let stride = |axis: usize| match axis.checked_sub(extra) {
                Some(axis) if shape[axis] != 1 => own[axis],
                _ => 0,
            };
            own = (0..out.rank()).map(stride).collect();
        }
        Op::Slice(op) => {
            start = own.iter().zip(&op.start).map(|(stride, &at)| stride * at as isize).sum();
            own.iter_mut().zip(&op.step).for_each(|(stride, &step)| *stride *= step as isize);
        }
        Op::Flip(op) => {
            for &axis in &op.axes {
                start += own[axis] * (shape[axis] as isize - 1);
                own[axis] = -own[axis];
            }
        }
        Op::Window(op) => {
            let inner = own[op.axis] * op.dilation as isize;
            own[op.axis] *= op.step as isize;
            own.push(inner);
        }
        _ => unreachable!("{} is no movement with fixed strides", op.name()),
    }
    x.pick(out, offsets(&out.shape, &own, start).map(Some), 0.0)
}

fn pad(op: &Pad, x: &Bounded, out: &Type) -> Bounded {
    let own: Vec<isize> = out.shape.strides().iter().map(|&s| s as isize).collect();
    let start = own.iter().zip(&op.before).map(|(stride, &at)| stride * at as isize).sum();
    let mut y = Bounded::zeros(out);
    y.value.fill(op.value.to(out.dtype).as_f64());
    for (from, to) in offsets(&x.ty.shape, &own, start).enumerate() {
        (y.value[to], y.error[to]) = (x.value[from], x.error[from]);
    }
    y
}

/// Unit roundoff: half the relative distance of adjacent numbers.
fn unit(dtype: DType) -> f64 {
    match dtype {
        // The errors of the device and of this evaluator add up.
        DType::F64 => 2f64.powi(-51),
        DType::F32 => 2f64.powi(-24),
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        _ => 0.0,
    }
}

/// The largest number and the smallest normal number.
fn range(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F16 => (65504.0, 2f64.powi(-14)),
        DType::F64 => (f64::MAX, f64::MIN_POSITIVE),
        _ => (f32::MAX as f64, f32::MIN_POSITIVE as f64),
    }
}

/// Widens the error near overflow, where results may be infinite, and near zero, where subnormals
/// may be flushed.
fn within_range(dtype: DType, value: f64, error: f64) -> (f64, f64) {
    if !dtype.is_float() {
        return (value, if value.abs() < 2f64.powi(53) { error } else { f64::INFINITY });
    }
    let (most, least) = range(dtype);
    if value.is_finite() && value.abs() + error > most * 0.99 {
        return (value, f64::INFINITY);
    }
    let flushed = if value != 0.0 && value.abs() < least { least } else { 0.0 };
    (value, if error.is_nan() { f64::INFINITY } else { error + flushed })
}

/// Whether a number is represented exactly. In `f64` this evaluator rounds too, so only whole
/// numbers are.
fn is_exact(dtype: DType, value: f64) -> bool {
    match dtype {
        DType::F64 => value.fract() == 0.0 && value.abs() < 2f64.powi(53),
        _ => dtype.round(value) == value,
    }
}

/// Offsets of the elements of a shape, the last axis fastest.
fn offsets(shape: &[usize], strides: &[isize], start: isize) -> impl Iterator<Item = usize> {
    let count: usize = shape.iter().product();
    let (shape, strides) = (shape.to_vec(), strides.to_vec());
    let (mut index, mut at) = (vec![0; shape.len()], start);
    (0..count).map(move |_| {
        let here = at as usize;
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis] as isize;
            index[axis] = 0;
        }
        here
    })
}

/// The distance of two results; zero for two NaNs.
fn distance(a: f64, b: f64) -> f64 {
    let is_same = a == b || (a.is_nan() && b.is_nan());
    if is_same {
        return 0.0;
    }
    let far = (a - b).abs();
    if far.is_nan() { f64::INFINITY } else { far }
}

/// An element of a device's result that is out of bounds.
#[derive(Clone, Debug)]
pub struct Difference {
    pub element: usize,
    pub got: f64,
    pub want: f64,
    pub bound: f64,
}

/// Factor by which results may exceed the bounds, since simplification regroups products and sums.
const SLACK: f64 = 4.0;

/// The first element of a device's result that is out of bounds.
pub fn difference(got: &Array, want: &Bounded) -> Option<Difference> {
    (0..want.value.len()).find_map(|element| {
        let (got, want, bound) = (got.f64(element), want.value[element], want.error[element]);
        let is_open = bound.is_infinite();
        let is_near = is_open || distance(got, want) <= SLACK * bound;
        (!is_near).then_some(Difference { element, got, want, bound: SLACK * bound })
    })
}
