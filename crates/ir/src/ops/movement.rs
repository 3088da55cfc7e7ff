//! Movement ops: the same elements at other indices. Devices implement them by index arithmetic.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::Array;
use crate::dtype::Number;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::{Shape, Type, expands_to};
use crate::view::View;
use std::iter::zip;

primitive! {
    /// The same elements, in row-major order, under another shape.
    pub struct Reshape { shape: Shape }
}

primitive! {
    /// Axis `n` of the result is axis `axes[n]` of the input.
    pub struct Permute { axes: Vec<usize> }
}

primitive! {
    /// Repeats axes of length one, and adds leading axes, up to `shape`.
    pub struct Expand { shape: Shape }
}

primitive! {
    /// `len` elements of each axis, from `start` on, `step` apart.
    pub struct Slice { start: Vec<usize>, len: Vec<usize>, step: Vec<usize> }
}

primitive! {
    /// Adds elements of one value around the tensor.
    pub struct Pad { before: Vec<usize>, after: Vec<usize>, value: Number }
}

primitive! {
    /// Reverses axes.
    pub struct Flip { axes: Vec<usize> }
}

impl Slice {
    /// The slice that is the whole tensor.
    pub fn whole(shape: &[usize]) -> Slice {
        let n = shape.len();
        Slice { start: vec![0; n], len: shape.to_vec(), step: vec![1; n] }
    }
}

/// The flat index of an element of a row-major tensor of this shape.
fn flat(shape: &[usize], index: impl IntoIterator<Item = usize>) -> usize {
    zip(shape, index).fold(0, |at, (&len, i)| at * len + i)
}

fn wrong_axes(op: &str, x: &Type) -> Error {
    Error::argument(op, "the attributes do not match the axes of x").operand("x", x)
}

impl OpDef for Reshape {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.reshape(&self.shape))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let (x, n) = (inputs[0], self.shape.elements());
        if x.elements() != n {
            let what = format!("{} elements do not fit shape {}", x.elements(), self.shape);
            return Err(Error::shape("reshape", what).operand("x", x));
        }
        Ok(Type::new(x.dtype, self.shape.clone()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || v.dy.reshape(&v.x().shape()))]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        Ok(inputs[0].reshaped(&out.shape))
    }
}

impl OpDef for Permute {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.permute(&self.axes))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        let mut sorted = self.axes.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..x.rank()) {
            return Err(wrong_axes("permute", x));
        }
        Ok(Type::new(x.dtype, self.axes.iter().map(|&a| x.shape[a]).collect::<Shape>()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let mut back = vec![0; self.axes.len()];
        for (to, &from) in self.axes.iter().enumerate() {
            back[from] = to;
        }
        vec![v.when(0, || v.dy.permute(&back))]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let strides = inputs[0].shape().strides();
        let at = |i: Vec<usize>| Some(zip(&self.axes, i).map(|(&a, i)| strides[a] * i).sum());
        Ok(inputs[0].pick(out, out.shape.indices().map(at), Number::Int(0)))
    }
}

impl OpDef for Expand {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.expand(&self.shape))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        if !expands_to(&x.shape, &self.shape) {
            let what = format!("cannot expand to {}", self.shape);
            return Err(Error::shape("expand", what).operand("x", x));
        }
        Ok(Type::new(x.dtype, self.shape.clone()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || v.dy.sum_to(&v.x().shape()))]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let shape = inputs[0].shape();
        let extra = out.rank() - shape.len();
        let at = |i: Vec<usize>| {
            let own = zip(&shape[..], &i[extra..]).map(|(&len, &i)| if len == 1 { 0 } else { i });
            Some(flat(shape, own))
        };
        Ok(inputs[0].pick(out, out.shape.indices().map(at), Number::Int(0)))
    }
}

impl OpDef for Slice {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.slice(&self.start, &self.len, &self.step))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        let fits = |axis: usize| {
            let (start, len, step) = (self.start[axis], self.len[axis], self.step[axis]);
            let last = |len: usize| (len - 1).checked_mul(step)?.checked_add(start);
            step > 0 && (len == 0 || last(len).is_some_and(|last| last < x.shape[axis]))
        };
        let has_all_axes =
            [&self.start, &self.len, &self.step].iter().all(|list| list.len() == x.rank());
        if !has_all_axes || !(0..x.rank()).all(fits) {
            return Err(wrong_axes("slice", x));
        }
        Ok(Type::new(x.dtype, &self.len[..]))
    }

    /// Pads dy with zeros to the shape of the input.
    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || {
            let shape = v.x().shape();
            (0..shape.len()).fold(v.dy, |dy, axis| {
                let dy = spread(dy, axis, self.step[axis]);
                // After `spread` the axis may extend past the end of the input.
                let len = shape[axis] - self.start[axis].min(shape[axis]);
                let dy = dy.narrow(axis, 0, dy.len(axis).min(len));
                let before = shape[axis] - len;
                dy.pad(axis, before, len - dy.len(axis), 0.0)
            })
        })]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let at = |i: Vec<usize>| {
            let from = i.iter().enumerate().map(|(axis, i)| self.start[axis] + i * self.step[axis]);
            Some(flat(inputs[0].shape(), from))
        };
        Ok(inputs[0].pick(out, out.shape.indices().map(at), Number::Int(0)))
    }
}

/// Inserts `step − 1` zeros after each element of an axis.
pub(super) fn spread(x: Expr<'_>, axis: usize, step: usize) -> Expr<'_> {
    if step == 1 {
        return x;
    }
    let merged = x.shape().with(axis, x.len(axis) * step);
    x.unsqueeze(axis + 1).pad(axis + 1, 0, step - 1, 0.0).reshape(&merged)
}

impl OpDef for Pad {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.pad(&self.before, &self.after))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        if self.before.len() != x.rank() || self.after.len() != x.rank() {
            return Err(wrong_axes("pad", x));
        }
        let around = zip(&self.before, &self.after).map(|(a, b)| a.saturating_add(*b));
        let padded = zip(around, &x.shape[..]).map(|(around, len)| around.saturating_add(*len));
        Ok(Type::new(x.dtype, padded.collect::<Shape>()))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || {
            let mut inner = Slice::whole(&v.x().shape());
            inner.start.clone_from(&self.before);
            v.g.emit(inner, &[v.dy])
        })]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let shape = inputs[0].shape();
        let at = |i: Vec<usize>| {
            let inner: Option<Vec<usize>> =
                zip(&i, &self.before).map(|(i, before)| i.checked_sub(*before)).collect();
            let inner = inner?;
            zip(&inner, &shape[..]).all(|(i, len)| i < len).then(|| flat(shape, inner))
        };
        Ok(inputs[0].pick(out, out.shape.indices().map(at), self.value))
    }
}

impl OpDef for Flip {
    fn class(&self) -> Class {
        Class::Movement
    }

    fn view(&self, x: &View) -> Option<View> {
        Some(x.flip(&self.axes))
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        if self.axes.iter().any(|&axis| axis >= x.rank()) {
            return Err(wrong_axes("flip", x));
        }
        Ok(x.clone())
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![v.when(0, || v.dy.flip(&self.axes))]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let shape = inputs[0].shape();
        let at = |mut i: Vec<usize>| {
            for &axis in &self.axes {
                i[axis] = shape[axis] - 1 - i[axis];
            }
            Some(flat(shape, i))
        };
        Ok(inputs[0].pick(out, out.shape.indices().map(at), Number::Int(0)))
    }
}
