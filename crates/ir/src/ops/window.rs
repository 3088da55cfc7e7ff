//! `Window`: sliding windows along an axis, an overlapping view; and `Fold`, its transpose.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;
use crate::view::View;

primitive! {
    /// `y[…, i, …, k] = x[…, i·step + k·dilation, …]`: the window is a new last axis.
    pub struct Window { axis: usize, size: usize, step: usize, dilation: usize }
}

primitive! {
    /// The transpose of `Window`: sums overlapping windows into an axis of length `len`.
    pub struct Fold { axis: usize, len: usize, step: usize, dilation: usize }
}

/// Number of elements that a window spans.
fn reach(size: usize, dilation: usize) -> usize {
    size.saturating_sub(1).saturating_mul(dilation).saturating_add(1)
}

/// How many windows fit into an axis; `None` if not even one.
pub(super) fn windows(len: usize, size: usize, step: usize, dilation: usize) -> Option<usize> {
    Some(len.checked_sub(reach(size, dilation))? / step + 1)
}

impl OpDef for Window {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.window(self.axis, self.size, self.step, self.dilation))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        let fail = |what: String| Error::shape("window", what).operand("x", x);
        let Some(&len) = x.shape.get(self.axis) else {
            return Err(fail(format!("there is no axis {}", self.axis)));
        };
        if self.step == 0 || self.dilation == 0 || self.size == 0 {
            return Err(fail("size, step and dilation must be positive".to_string()));
        }
        let Some(n) = windows(len, self.size, self.step, self.dilation) else {
            let reach = reach(self.size, self.dilation);
            return Err(fail(format!("a window of {reach} does not fit into an axis of {len}")));
        };
        let mut shape = x.shape.with(self.axis, n);
        shape.push(self.size);
        Ok(Type::new(x.dtype, shape))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let (axis, step, dilation) = (self.axis, self.step, self.dilation);
        vec![v.when(0, || {
            let len = v.x().len(axis);
            v.g.emit(Fold { axis, len, step, dilation }, &[v.dy])
        })]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let strides = inputs[0].shape().strides();
        let at = |mut i: Vec<usize>| {
            let k = i.pop().expect("the window's axis");
            i[self.axis] = i[self.axis] * self.step + k * self.dilation;
            Some(i.iter().zip(&strides).map(|(i, stride)| i * stride).sum())
        };
        Ok(inputs[0].pick(out, out.shape.indices().map(at), Number::Int(0)))
    }
}

impl OpDef for Fold {
    fn class(&self) -> Class {
        Class::Library
    }

    fn flops(&self, inputs: &[&Type], _: &Type) -> usize {
        inputs[0].elements()
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        let fail = |what: &str| Error::shape("fold", what).operand("x", x);
        if x.rank() < 2 || self.axis >= x.rank() - 1 || self.step == 0 || self.dilation == 0 {
            return Err(fail("the attributes do not match the axes of x"));
        }
        let size = x.shape[x.rank() - 1];
        if windows(self.len, size, self.step, self.dilation) != Some(x.shape[self.axis]) {
            let what = format!("x does not have the windows of an axis of length {}", self.len);
            return Err(fail(&what));
        }
        let shape = x.shape.without(&[x.rank() - 1]).with(self.axis, self.len);
        Ok(Type::new(x.dtype, shape))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || {
            let size = v.x().len(v.x().rank() - 1);
            v.dy.window(self.axis, size, self.step, self.dilation)
        })]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let strides = out.shape.strides();
        let mut sums = vec![0.0; out.elements()];
        for (from, mut i) in inputs[0].shape().indices().enumerate() {
            let k = i.pop().expect("the window's axis");
            i[self.axis] = i[self.axis] * self.step + k * self.dilation;
            let to: usize = i.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
            sums[to] += inputs[0].f64(from);
        }
        Ok(Array::from_f64(out, sums))
    }
}
