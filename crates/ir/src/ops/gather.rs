//! `Gather`: elements picked by index along one axis.
use super::{Class, OpDef, ScatterOp, Vjp, primitive};
use crate::array::Array;
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;

primitive! {
    /// `y[…, j, …] = x[…, index[…, j, …], …]`. On other axes the index may be shorter than `x`.
    pub struct Gather { axis: usize }
}

/// The shape rule of `Gather` and `Scatter`: the index has as many axes as `x`, and only `axis`
/// may be longer than in `x`.
pub(super) fn check_index(op: &str, axis: usize, x: &Type, index: &Type) -> Result<()> {
    let fail = |what: &str| Error::shape(op, what).operand("input", x).operand("index", index);
    if !index.dtype.is_int() {
        let error = Error::dtype(op, "index must be of integers");
        return Err(error.operand("input", x).operand("index", index));
    }
    if axis >= x.rank() || index.rank() != x.rank() {
        return Err(fail("index must have as many axes as input"));
    }
    let is_too_long = |&a: &usize| a != axis && index.shape[a] > x.shape[a];
    if let Some(a) = (0..x.rank()).find(is_too_long) {
        let (len, most) = (index.shape[a], x.shape[a]);
        return Err(fail(&format!("axis {a} of index is {len}, but of input only {most}")));
    }
    Ok(())
}

/// The flat index into `x` for each element of the index.
pub(super) fn targets(op: &str, axis: usize, x: &Type, index: &Array) -> Result<Vec<usize>> {
    let strides = x.shape.strides();
    let len = x.shape[axis];
    let mut targets = Vec::with_capacity(index.len());
    for (n, mut i) in index.shape().indices().enumerate() {
        let at = index.i64(n);
        if at < 0 || at >= len as i64 {
            let what = format!("index {at} is out of range for axis {axis} of length {len}");
            return Err(Error::data(op, what).operand("input", x).operand("index", &index.ty));
        }
        i[axis] = at as usize;
        targets.push(i.iter().zip(&strides).map(|(i, stride)| i * stride).sum());
    }
    Ok(targets)
}

impl OpDef for Gather {
    fn class(&self) -> Class {
        Class::Library
    }

    fn arity(&self) -> Option<usize> {
        Some(2)
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let [x, index] = [inputs[0], inputs[1]];
        check_index("gather", self.axis, x, index)?;
        Ok(Type::new(x.dtype, index.shape.clone()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let zeros = || v.x().zeros_like();
        let dx = v.when(0, || zeros().scatter(self.axis, v.inputs[1], v.dy, ScatterOp::Add));
        vec![dx, None]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let targets = targets("gather", self.axis, &inputs[0].ty, inputs[1])?;
        Ok(inputs[0].pick(out, targets.into_iter().map(Some), Number::Int(0)))
    }
}
