//! `Sort`: the indices that sort the elements along an axis; `Gather` then gives the values.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;
use std::cmp::Ordering;

primitive! {
    /// The first `keep` indices of the sorted order. The sort is stable, and NaN is larger than
    /// every number.
    pub struct Sort { axis: usize, descending: bool, keep: usize }
}

impl OpDef for Sort {
    fn class(&self) -> Class {
        Class::Library
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        if self.axis >= x.rank() {
            let what = format!("there is no axis {}", self.axis);
            return Err(Error::shape("sort", what).operand("x", x));
        }
        if x.shape[self.axis] > u32::MAX as usize {
            let what =
                format!("axis {} has more than the {} elements allowed", self.axis, u32::MAX);
            return Err(Error::shape("sort", what).operand("x", x));
        }
        if self.keep > x.shape[self.axis] {
            let what =
                format!("keep is {}, more than the elements of axis {}", self.keep, self.axis);
            return Err(Error::shape("sort", what).operand("x", x));
        }
        Ok(Type::new(DType::I64, x.shape.with(self.axis, self.keep)))
    }

    fn grad<'g>(&self, _: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![None]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let x = inputs[0];
        let (len, stride) = (x.shape()[self.axis], x.shape().strides()[self.axis]);
        let compare = |i: usize, j: usize| match x.dtype().is_float() {
            true => ascending(x.f64(i), x.f64(j)),
            false => x.i64(i).cmp(&x.i64(j)),
        };
        let mut y = vec![0; out.elements()];
        let starts = (0..x.len()).filter(|start| start / stride % len == 0);
        for start in starts {
            let mut order: Vec<usize> = (0..len).collect();
            order.sort_by(|&i, &j| {
                let by_value = compare(start + i * stride, start + j * stride);
                if self.descending { by_value.reverse() } else { by_value }
            });
            let first = start / (stride * len) * stride * self.keep + start % stride;
            for (n, from) in order.into_iter().take(self.keep).enumerate() {
                y[first + n * stride] = from as i64;
            }
        }
        Ok(Array::from_i64(out, y))
    }
}

/// The order in which −0 and 0 are equal and NaN is last.
fn ascending(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}
