//! `Scan`: cumulative results along an axis. `Linear` is the recurrence `y[i] = a[i]·y[i−1] +
//! b[i]`, for cumulative products, moving averages and state-space models. Its gradient is a
//! linear scan too.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;
use crate::value::choice;

choice! {
    pub enum ScanOp {
        Sum = "sum",
        /// Operands `(a, b)`; starts from `y = 0`.
        Linear = "linear",
        Max = "max",
        Min = "min",
    }
}

primitive! {
    pub struct Scan { by: ScanOp, axis: usize, reverse: bool }
}

impl Scan {
    fn flipped(&self) -> Scan {
        Scan { reverse: !self.reverse, ..self.clone() }
    }

    /// The preceding element in scan order; zero for the first.
    fn previous<'g>(&self, x: Expr<'g>) -> Expr<'g> {
        let (axis, last) = (self.axis, x.len(self.axis).saturating_sub(1));
        match self.reverse {
            false => x.narrow(axis, 0, last).pad(axis, x.len(axis) - last, 0, 0.0),
            true => x.narrow(axis, x.len(axis) - last, last).pad(axis, 0, x.len(axis) - last, 0.0),
        }
    }
}

impl OpDef for Scan {
    fn class(&self) -> Class {
        Class::Library
    }

    fn arity(&self) -> Option<usize> {
        Some(if self.by == ScanOp::Linear { 2 } else { 1 })
    }

    fn flops(&self, _: &[&Type], out: &Type) -> usize {
        let per_element = if self.by == ScanOp::Linear { 2 } else { 1 };
        per_element * out.elements()
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        if inputs.iter().any(|other| *other != x) {
            return Err(Error::shape("scan", "operands must be of one type").operands(inputs));
        }
        if self.axis >= x.rank() {
            let what = format!("there is no axis {}", self.axis);
            return Err(Error::shape("scan", what).operand("x", x));
        }
        Ok(x.clone())
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        match self.by {
            ScanOp::Sum => vec![v.when(0, || v.g.emit(self.flipped(), &[v.dy]))],
            ScanOp::Linear => {
                // db[i] = dy[i] + a[i+1]·db[i+1], da[i] = db[i]·y[i−1]
                let back = self.flipped();
                let db = v.g.emit(back.clone(), &[back.previous(v.inputs[0]), v.dy]);
                vec![v.when(0, || db * self.previous(v.out)), v.when(1, || db)]
            }
            // dy flows to the latest element equal to the running maximum or minimum.
            ScanOp::Max | ScanOp::Min => vec![v.when(0, || {
                let index = extreme_indices(self, v.x(), v.out);
                v.dy.zeros_like().scatter(self.axis, index, v.dy, super::ScatterOp::Add)
            })],
        }
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let len = out.shape[self.axis];
        let stride = out.shape.strides()[self.axis];
        let first = inputs[0];
        let mut y = inputs[inputs.len() - 1].to_f64();
        let mut exact = inputs[inputs.len() - 1].to_i64();
        for start in 0..y.len() {
            // `start` is the first element of a line exactly when its index on the axis is zero.
            if !(start / stride).is_multiple_of(len) {
                continue;
            }
            for n in 1..len {
                let at = |n: usize| start + stride * if self.reverse { len - 1 - n } else { n };
                let (i, before) = (at(n), at(n - 1));
                y[i] = match self.by {
                    ScanOp::Sum => y[before] + y[i],
                    ScanOp::Linear => first.f64(i) * y[before] + y[i],
                    _ if y[before].is_nan() || y[i].is_nan() => f64::NAN,
                    ScanOp::Max => y[before].max(y[i]),
                    ScanOp::Min => y[before].min(y[i]),
                };
                exact[i] = match self.by {
                    ScanOp::Sum => exact[before].wrapping_add(exact[i]),
                    ScanOp::Linear => {
                        first.i64(i).wrapping_mul(exact[before]).wrapping_add(exact[i])
                    }
                    ScanOp::Max => exact[before].max(exact[i]),
                    ScanOp::Min => exact[before].min(exact[i]),
                };
            }
        }
        if out.dtype.is_float() {
            return Ok(Array::from_f64(out, y));
        }
        Ok(Array::from_i64(out, exact))
    }
}

/// The index of the running maximum or minimum at each element: the latest that equals it.
pub(super) fn extreme_indices<'g>(scan: &Scan, x: Expr<'g>, best: Expr<'g>) -> Expr<'g> {
    let g = x.recorder();
    let (axis, len) = (scan.axis, x.len(scan.axis));
    let mut shape = vec![1; x.rank()];
    shape[axis] = len;
    let at = g.iota(len, crate::dtype::DType::I64).reshape(&shape).expand(&x.shape());
    let is_best = x.eq(best).bitwise_or(x.ne(x));
    let (by, none) = match scan.reverse {
        false => (ScanOp::Max, 0),
        true => (ScanOp::Min, len.saturating_sub(1)),
    };
    let found = is_best.choose(at, at.like(none));
    g.emit(Scan { by, ..scan.clone() }, &[found])
}
