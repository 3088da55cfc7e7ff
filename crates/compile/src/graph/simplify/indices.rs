//! Rewrites gathers, scatters and arg_reduces along rows to masks, which fuse with the kernel that
//! computes the row.
use super::Rewrite::{self, Known, Node};
use super::{Builder, KnownArgReduce, zero};
use crate::graph::index_check::{IndexCheck, Positions};
use brasa_ir::graph::Origin;
use brasa_ir::ops::{
    ArgReduce, Cast, Const, Expand, Gather, Iota, Map, Op, Reduce, ReduceOp, Reshape, Scalar,
    Scatter, ScatterOp,
};
use brasa_ir::{DType, Id, Number, Type};

/// A gather of one element per row of computed values becomes a masked sum, which fuses with the
/// kernel that computes the row. Occurs in cross entropy.
pub(super) fn gather_by_mask(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Gather(Gather { axis }) = *op else { return None };
    let [x, index] = *inputs else { return None };
    let ty = b.ty(x).clone();
    // Bools cannot be summed.
    if ty.dtype == DType::Bool || !matches!(b.op(x), Op::Map(_)) {
        return None;
    }
    let mask = b.index_mask(axis, &ty, index, origin)?;
    b.check_range("gather", axis, &ty, index, origin);
    let zero =
        b.add(Const { value: zero(&ty), dtype: ty.dtype, shape: ty.shape }.into(), vec![], origin);
    let picked = b.add(Map(Scalar::Select).into(), vec![mask, x, zero], origin);
    let by_sum = Reduce { by: ReduceOp::Sum, axes: vec![axis] };
    let sum = b.add(by_sum.into(), vec![picked], origin);
    Some(Node(Reshape { shape: b.ty(index).shape.clone() }.into(), vec![sum]))
}

/// A scatter of one element into each row of zeros becomes a select.
pub(super) fn scatter_by_mask(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Scatter(Scatter { axis, by: ScatterOp::Add | ScatterOp::Set }) = *op else {
        return None;
    };
    let [base, index, src] = *inputs else { return None };
    let is_zero = b.number(base).is_some_and(|value| value.as_f64() == 0.0);
    let ty = b.ty(base).clone();
    let mask = b.index_mask(axis, &ty, index, origin).filter(|_| is_zero)?;
    b.check_range("scatter", axis, &ty, index, origin);
    let src = b.add(Expand { shape: ty.shape }.into(), vec![src], origin);
    Some(Node(Map(Scalar::Select).into(), vec![mask, src, base]))
}

/// Rows up to this length are reduced several at a time.
const SHORT_ROW: usize = 32;

/// An arg_reduce of computed values or of short rows, such as windows, becomes the smallest index
/// whose element equals the extremum: two reductions of one row, which fuse with the kernel that
/// computes it.
pub(super) fn arg_reduce_by_mask(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::ArgReduce(ArgReduce { by, axis }) = *op else { return None };
    let x = inputs[0];
    let ty = b.ty(x).clone();
    // Indices are computed in f32, which is exact up to 2²⁴ and fast on every device.
    let len = ty.shape[axis];
    if len > 1 << 24 || !(len <= SHORT_ROW || matches!(b.op(x), Op::Map(_))) {
        return None;
    }
    let best = b.add(Reduce { by, axes: vec![axis] }.into(), vec![x], origin);
    let kept = Reshape { shape: ty.shape.with(axis, 1) };
    let best = b.add(kept.into(), vec![best], origin);
    let whole = Expand { shape: ty.shape.clone() };
    let best = b.add(whole.clone().into(), vec![best], origin);
    let mut is_best = b.add(Map(Scalar::Eq).into(), vec![x, best], origin);
    if ty.dtype.is_float() {
        let is_nan = b.add(Map(Scalar::Ne).into(), vec![x, x], origin);
        is_best = b.add(Map(Scalar::BitwiseOr).into(), vec![is_best, is_nan], origin);
    }
    let mut along = vec![1; ty.rank()];
    along[axis] = len;
    let dtype = DType::F32;
    let iota = b.add(Iota { len, dtype }.into(), vec![], origin);
    let iota = b.add(Reshape { shape: along.into() }.into(), vec![iota], origin);
    let iota = b.add(whole.into(), vec![iota], origin);
    let value = Number::Float(len as f64);
    let none = b.add(Const { value, dtype, shape: ty.shape }.into(), vec![], origin);
    let places = b.add(Map(Scalar::Select).into(), vec![is_best, iota, none], origin);
    let first = Reduce { by: ReduceOp::Min, axes: vec![axis] };
    let first = b.add(first.into(), vec![places], origin);
    let index = b.add(Cast { dtype: DType::I64 }.into(), vec![first], origin);
    b.arg_reduces.insert(index, KnownArgReduce { of: x, by, axis, index_f32: first });
    Some(Known(index))
}

/// A gather at the index of an arg_reduce is the reduction itself.
pub(super) fn gather_arg_reduce(
    b: &mut Builder,
    op: &Op,
    inputs: &[Id],
    origin: Origin,
) -> Option<Rewrite> {
    let Op::Gather(Gather { axis }) = *op else { return None };
    let [x, index] = *inputs else { return None };
    let arg_reduce =
        b.arg_reduces.get(&b.below_expands(index).1).filter(|a| a.of == x && a.axis == axis)?;
    let best = Reduce { by: arg_reduce.by, axes: vec![axis] };
    let shape = b.ty(index).shape.clone();
    if shape != b.ty(x).shape.with(axis, 1) {
        return None;
    }
    let best = b.add(best.into(), vec![x], origin);
    Some(Node(Reshape { shape }.into(), vec![best]))
}

impl Builder {
    /// A mask of the element that the index of each row along `axis` selects. `None` unless there
    /// is exactly one index per row.
    fn index_mask(&mut self, axis: usize, ty: &Type, index: Id, origin: Origin) -> Option<Id> {
        let index_ty = self.ty(index).clone();
        if index_ty.shape != ty.shape.with(axis, 1) {
            return None;
        }
        let mut along = vec![1; ty.rank()];
        along[axis] = ty.shape[axis];
        let mut index = self.index_as_f32(index, origin);
        let len = ty.shape[axis];
        if index_ty.dtype.bytes() < 4 {
            // Indices of a long axis do not fit into the dtype of `index`.
            index = self.add(Cast { dtype: DType::I64 }.into(), vec![index], origin);
        }
        let dtype = self.ty(index).dtype;
        let iota = self.add(Iota { len, dtype }.into(), vec![], origin);
        let iota = self.add(Reshape { shape: along.into() }.into(), vec![iota], origin);
        let shape = ty.shape.clone();
        let iota = self.add(Expand { shape: shape.clone() }.into(), vec![iota], origin);
        let index = self.add(Expand { shape }.into(), vec![index], origin);
        Some(self.add(Map(Scalar::Eq).into(), vec![iota, index], origin))
    }

    /// The same index in f32 if an arg_reduce computed it in f32, for fast comparisons.
    fn index_as_f32(&mut self, index: Id, origin: Origin) -> Id {
        let (moves, base) = self.below_expands(index);
        match self.arg_reduces.get(&base) {
            Some(arg_reduce) => {
                let index = arg_reduce.index_f32;
                moves.into_iter().rev().fold(index, |x, step| self.add(step, vec![x], origin))
            }
            None => index,
        }
    }

    /// Adds a range check for indices along `axis` of an input that a mask replaces.
    fn check_range(&mut self, op: &str, axis: usize, input: &Type, index: Id, origin: Origin) {
        let base = self.below_expands(index).1;
        let is_in_range =
            self.arg_reduces.contains_key(&base) || matches!(self.op(base), Op::ArgReduce(_));
        let ty = self.ty(index).clone();
        if is_in_range || !self.adds_index_checks || ty.elements() == 0 {
            return;
        }
        let (count, shape, dtype) = (ty.elements(), ty.shape.clone(), DType::I64);
        let number = |b: &mut Builder, value: usize| {
            let (value, shape) = (Number::Int(value as i64), shape.clone());
            b.add(Const { value, dtype, shape }.into(), vec![], origin)
        };
        let at = self.add(Cast { dtype }.into(), vec![index], origin);
        let (zero, len) = (number(self, 0), number(self, input.shape[axis]));
        let is_below = self.map(Scalar::Lt, &[at, zero], origin);
        let is_above = self.map(Scalar::Ge, &[at, len], origin);
        let is_outside = self.map(Scalar::BitwiseOr, &[is_below, is_above], origin);
        let iota = self.add(Iota { len: count, dtype }.into(), vec![], origin);
        let iota = self.add(Reshape { shape: shape.clone() }.into(), vec![iota], origin);
        let all = number(self, count);
        let places = self.map(Scalar::Select, &[is_outside, iota, all], origin);
        let axes: Vec<usize> = (0..ty.rank()).collect();
        let first = Reduce { by: ReduceOp::Min, axes: axes.clone() };
        let before = self.add(first.into(), vec![places], origin);
        if !self.checked.insert(before) {
            return;
        }
        let one = Reshape { shape: vec![1; ty.rank()].into() };
        let spread = self.add(one.into(), vec![before], origin);
        let spread = self.add(Expand { shape: shape.clone() }.into(), vec![spread], origin);
        let is_first = self.map(Scalar::Eq, &[iota, spread], origin);
        let picked = self.map(Scalar::Select, &[is_first, at, zero], origin);
        let at = self.add(Reduce { by: ReduceOp::Sum, axes }.into(), vec![picked], origin);
        let (op, input) = (op.to_string(), input.clone());
        self.index_checks.push(IndexCheck {
            before,
            at,
            positions: Positions { op, axis, input, index: ty },
        });
    }
}
