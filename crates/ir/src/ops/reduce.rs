//! `Reduce`: sum, maximum or minimum over axes, which are removed; `ArgReduce`: argmax and argmin.
use super::{Class, OpDef, Vjp, primitive};
use crate::array::{Array, Data};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::recorder::Expr;
use crate::shape::Type;
use crate::value::choice;

choice! {
    pub enum ReduceOp {
        Sum = "sum",
        /// NaN if any element is.
        Max = "max",
        /// NaN if any element is.
        Min = "min",
    }
}

primitive! {
    /// Equal maxima or minima share the gradient.
    pub struct Reduce { by: ReduceOp, axes: Vec<usize> }
}

primitive! {
    /// The index of the first largest or smallest element along one axis; NaN counts as both.
    pub struct ArgReduce { by: ReduceOp, axis: usize }
}

impl ReduceOp {
    /// Whether `a` takes precedence over `b`.
    fn prefers<T: PartialOrd>(self, a: T, b: T) -> bool {
        let a_is_nan = a.partial_cmp(&a).is_none();
        let b_is_nan = b.partial_cmp(&b).is_none();
        match self {
            _ if b_is_nan => false,
            _ if a_is_nan => true,
            ReduceOp::Min => a < b,
            ReduceOp::Max | ReduceOp::Sum => a > b,
        }
    }
}

impl OpDef for Reduce {
    fn class(&self) -> Class {
        Class::Reduction
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        let name = self.by.word();
        let is_ascending = self.axes.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_ascending || self.axes.iter().any(|&axis| axis >= x.rank()) {
            let what = "the axes must exist and be ascending";
            return Err(Error::argument(name, what).operand("x", x));
        }
        if self.by != ReduceOp::Sum && self.axes.iter().any(|&axis| x.shape[axis] == 0) {
            let what = format!("cannot take the {name} of no elements");
            return Err(Error::shape(name, what).operand("x", x));
        }
        if self.by == ReduceOp::Sum && x.dtype == DType::Bool {
            return Err(Error::dtype(name, "bools have no sum").operand("x", x));
        }
        Ok(Type::new(x.dtype, x.shape.without(&self.axes)))
    }

    fn grad<'g>(&self, v: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        let kept = v.x().shape().keeping(&self.axes);
        vec![v.when(0, || {
            let dy = v.dy.reshape(&kept);
            if self.by == ReduceOp::Sum {
                return dy.expand(&v.x().shape());
            }
            let is_extreme = v.x().eq(v.out.reshape(&kept)).cast(v.dy.dtype());
            is_extreme * (dy / is_extreme.sum_keep(&self.axes))
        })]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let groups = groups(inputs[0], &self.axes, out);
        let by = self.by;
        Ok(match &inputs[0].data {
            Data::Float(x) if by == ReduceOp::Sum => {
                Array::from_f64(out, groups.iter().map(|of| of.iter().map(|&i| x[i]).sum()))
            }
            Data::Float(x) => Array::from_f64(out, groups.iter().map(|of| x[best(by, x, of)])),
            Data::Int(x) if by == ReduceOp::Sum => {
                let sum = |of: &Vec<usize>| of.iter().fold(0i64, |s, &i| s.wrapping_add(x[i]));
                Array::from_i64(out, groups.iter().map(sum))
            }
            Data::Int(x) => Array::from_i64(out, groups.iter().map(|of| x[best(by, x, of)])),
        })
    }
}

impl OpDef for ArgReduce {
    fn class(&self) -> Class {
        Class::Library
    }

    fn flops(&self, inputs: &[&Type], _: &Type) -> usize {
        inputs[0].elements()
    }

    fn infer(&self, inputs: &[&Type]) -> Result<Type> {
        let x = inputs[0];
        if x.shape.get(self.axis).is_none_or(|&len| len == 0) || self.by == ReduceOp::Sum {
            let what = "the axis must exist and have elements";
            return Err(Error::shape("arg_reduce", what).operand("x", x));
        }
        Ok(Type::new(DType::I64, x.shape.without(&[self.axis])))
    }

    fn grad<'g>(&self, _: &Vjp<'g>) -> Vec<Option<Expr<'g>>> {
        vec![None]
    }

    fn eval(&self, inputs: &[&Array], out: &Type) -> Result<Array> {
        let groups = groups(inputs[0], &[self.axis], out);
        let index = |of: &Vec<usize>| {
            let at = match &inputs[0].data {
                Data::Float(x) => best(self.by, x, of),
                Data::Int(x) => best(self.by, x, of),
            };
            of.iter().position(|&i| i == at).expect("`best` returns an element of the group") as i64
        };
        Ok(Array::from_i64(out, groups.iter().map(index)))
    }
}

/// For each output element the flat indices of the inputs that are reduced to it, in order.
fn groups(x: &Array, axes: &[usize], out: &Type) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); out.elements()];
    let strides = out.shape.strides();
    for (from, i) in x.shape().indices().enumerate() {
        let kept = i.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        let to: usize = kept.zip(&strides).map(|((_, i), stride)| i * stride).sum();
        groups[to].push(from);
    }
    groups
}

/// The first index of `of`, which is not empty, that no later one takes precedence over.
fn best<T: PartialOrd + Copy>(by: ReduceOp, x: &[T], of: &[usize]) -> usize {
    of.iter().copied().reduce(|a, b| if by.prefers(x[b], x[a]) { b } else { a }).expect("elements")
}
