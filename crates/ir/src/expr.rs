//! `Expr`, a handle to a node of the graph being recorded. Each primitive is a method or an
//! operator of it, so that composites and gradient rules read like algebra.
use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::Id;
use crate::handle::Handle;
use crate::ops::*;
use crate::recorder::Recorder;
use crate::shape::{Shape, Type, broadcast};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A node of the graph being recorded.
#[derive(Clone, Copy)]
pub struct Expr<'g>(pub(crate) Handle<'g>);

/// A tensor, or a plain number, which takes the dtype of the tensors it is combined with.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'g> {
    Tensor(Expr<'g>),
    Number(Number),
}

impl<'g> From<Expr<'g>> for Operand<'g> {
    fn from(x: Expr<'g>) -> Operand<'g> {
        Operand::Tensor(x)
    }
}

impl<'g, N: Into<Number>> From<N> for Operand<'g> {
    fn from(n: N) -> Operand<'g> {
        Operand::Number(n.into())
    }
}

impl<'g> Expr<'g> {
    pub fn recorder(self) -> &'g Recorder {
        self.0.recorder()
    }

    pub fn id(&self) -> Id {
        self.0.id()
    }

    pub fn ty(self) -> Type {
        self.recorder().read(|graph| graph[self.id()].ty.clone())
    }

    pub fn shape(self) -> Shape {
        self.recorder().read(|graph| graph[self.id()].ty.shape.clone())
    }

    pub fn dtype(self) -> DType {
        self.recorder().read(|graph| graph[self.id()].ty.dtype)
    }

    pub fn rank(self) -> usize {
        self.recorder().read(|graph| graph[self.id()].ty.rank())
    }

    /// Number of elements.
    pub fn elements(self) -> usize {
        self.recorder().read(|graph| graph[self.id()].ty.elements())
    }

    /// Length of an axis, which must exist.
    pub fn len(self, axis: usize) -> usize {
        self.shape()[axis]
    }

    /// The axis meant by `dim`, which may count from the end. A scalar counts as having one axis.
    pub fn axis(self, dim: isize) -> Result<usize> {
        resolve_dim(dim, self.rank()).map_err(|what| self.argument_error(what))
    }

    /// The axes meant by `dims`, in ascending order; all axes if `dims` is `None` or empty.
    pub fn axes(self, dims: &Option<Vec<isize>>) -> Result<Vec<usize>> {
        let rank = self.rank();
        let Some(dims) = dims.as_ref().filter(|dims| !dims.is_empty()) else {
            return Ok((0..rank).collect());
        };
        let mut axes = dims.iter().map(|&dim| self.axis(dim)).collect::<Result<Vec<_>>>()?;
        axes.sort_unstable();
        if axes.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.argument_error(format!("a dim appears twice in {dims:?}")));
        }
        axes.retain(|&axis| axis < rank);
        Ok(axes)
    }

    /// An argument error of the current call about this tensor.
    pub fn argument_error(self, what: impl Into<String>) -> Error {
        let call = self.recorder().call().unwrap_or("tensor");
        Error::argument(call, what).operand("input", &self.ty())
    }

    /// A shape error of the current call about this tensor.
    pub fn shape_error(self, what: impl Into<String>) -> Error {
        let call = self.recorder().call().unwrap_or("tensor");
        Error::shape(call, what).operand("input", &self.ty())
    }

    /// A constant of this tensor's type and shape.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn like(self, value: impl Into<Number>) -> Expr<'g> {
        let Type { dtype, shape } = self.ty();
        self.recorder().constant(value, dtype, &shape)
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn zeros_like(self) -> Expr<'g> {
        self.like(0.0)
    }

    /// Applies a scalar function to tensors of one dtype, which are broadcast against each other.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn map(function: Scalar, inputs: &[Expr<'g>]) -> Expr<'g> {
        let g = inputs[0].recorder();
        let shapes: Vec<Shape> = inputs.iter().map(|x| x.shape()).collect();
        if shapes.windows(2).all(|pair| pair[0] == pair[1]) {
            return g.emit(Map(function), inputs);
        }
        let Some(shape) = broadcast(shapes.iter().map(|s| &s[..])) else {
            let types: Vec<Type> = inputs.iter().map(|x| x.ty()).collect();
            let error = Error::shape(function.def().name, "shapes do not broadcast");
            return g.fail(error.operands(&types.iter().collect::<Vec<_>>()), Some(inputs[0]));
        };
        let inputs: Vec<Expr<'g>> = inputs.iter().map(|x| x.expand(&shape)).collect();
        g.emit(Map(function), &inputs)
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn cast(self, dtype: DType) -> Expr<'g> {
        if self.dtype() == dtype { self } else { self.recorder().emit(Cast { dtype }, &[self]) }
    }

    /// Cast to the floating type that functions such as `exp` compute in.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn to_float(self) -> Expr<'g> {
        self.cast(self.dtype().to_float())
    }

    /// Cast to the floating type that sums are accumulated in.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn widened(self) -> Expr<'g> {
        self.cast(self.dtype().wide())
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn reshape(self, shape: &[usize]) -> Expr<'g> {
        if *self.shape() == *shape {
            return self;
        }
        self.recorder().emit(Reshape { shape: shape.into() }, &[self])
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn permute(self, axes: &[usize]) -> Expr<'g> {
        if axes.iter().copied().eq(0..self.rank()) {
            return self;
        }
        self.recorder().emit(Permute { axes: axes.to_vec() }, &[self])
    }

    /// Swaps two axes.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn swap(self, a: usize, b: usize) -> Expr<'g> {
        let mut axes: Vec<usize> = (0..self.rank()).collect();
        axes.swap(a, b);
        self.permute(&axes)
    }

    /// Swaps the last two axes.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn transposed(self) -> Expr<'g> {
        self.swap(self.rank() - 2, self.rank() - 1)
    }

    /// Moves an axis to another position.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn move_axis(self, from: usize, to: usize) -> Expr<'g> {
        let mut axes: Vec<usize> = (0..self.rank()).collect();
        let axis = axes.remove(from);
        axes.insert(to, axis);
        self.permute(&axes)
    }

    /// Repeats axes of length one, and adds leading ones, up to `shape`.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn expand(self, shape: &[usize]) -> Expr<'g> {
        if *self.shape() == *shape {
            return self;
        }
        self.recorder().emit(Expand { shape: shape.into() }, &[self])
    }

    /// Inserts an axis of length one.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn unsqueeze(self, axis: usize) -> Expr<'g> {
        let mut shape = self.shape();
        shape.insert(axis, 1);
        self.reshape(&shape)
    }

    /// Removes an axis of length one.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn squeeze(self, axis: usize) -> Expr<'g> {
        self.reshape(&self.shape().without(&[axis]))
    }

    /// Elements `start .. start + len` of one axis.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn narrow(self, axis: usize, start: usize, len: usize) -> Expr<'g> {
        self.stride(axis, start, len, 1)
    }

    /// `len` elements of one axis, beginning at `start`, `step` apart.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn stride(self, axis: usize, start: usize, len: usize, step: usize) -> Expr<'g> {
        let shape = self.shape();
        if start == 0 && len == shape[axis] && step == 1 {
            return self;
        }
        let mut slice = Slice::whole(&shape);
        (slice.start[axis], slice.len[axis], slice.step[axis]) = (start, len, step);
        self.recorder().emit(slice, &[self])
    }

    /// One index of an axis; the axis is removed.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn select(self, axis: usize, at: usize) -> Expr<'g> {
        self.narrow(axis, at, 1).squeeze(axis)
    }

    /// Adds `before` and `after` elements of `value` on one axis.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn pad(
        self,
        axis: usize,
        before: usize,
        after: usize,
        value: impl Into<Number>,
    ) -> Expr<'g> {
        let mut pads = vec![(0, 0); self.rank()];
        pads[axis] = (before, after);
        self.pad_all(&pads, value)
    }

    /// Adds `(before, after)` elements of `value` on each axis.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn pad_all(self, pads: &[(usize, usize)], value: impl Into<Number>) -> Expr<'g> {
        if pads.iter().all(|&pad| pad == (0, 0)) {
            return self;
        }
        let (before, after) = pads.iter().copied().unzip();
        self.recorder().emit(Pad { before, after, value: value.into().to(self.dtype()) }, &[self])
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn flip(self, axes: &[usize]) -> Expr<'g> {
        if axes.is_empty() {
            self
        } else {
            self.recorder().emit(Flip { axes: axes.to_vec() }, &[self])
        }
    }

    /// Sliding windows along an axis, as a new last axis.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn window(self, axis: usize, size: usize, step: usize, dilation: usize) -> Expr<'g> {
        self.recorder().emit(Window { axis, size, step, dilation }, &[self])
    }

    /// Reduces over `axes`, which are removed.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn reduce(self, by: ReduceOp, axes: &[usize]) -> Expr<'g> {
        if axes.is_empty() {
            return self;
        }
        self.recorder().emit(Reduce { by, axes: axes.to_vec() }, &[self])
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn sum(self, axes: &[usize]) -> Expr<'g> {
        self.reduce(ReduceOp::Sum, axes)
    }

    /// `sum` that keeps the axes with length one.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn sum_keep(self, axes: &[usize]) -> Expr<'g> {
        self.sum(axes).reshape(&self.shape().keeping(axes))
    }

    /// Largest element over `axes`, which are kept with length one.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn max_keep(self, axes: &[usize]) -> Expr<'g> {
        self.reduce(ReduceOp::Max, axes).reshape(&self.shape().keeping(axes))
    }

    /// Mean over `axes`, which are kept with length one.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn mean_keep(self, axes: &[usize]) -> Expr<'g> {
        let shape = self.shape();
        let n: usize = axes.iter().map(|&axis| shape[axis]).product();
        self.sum_keep(axes) * (1.0 / n as f64)
    }

    /// Sums over the elements that broadcasting from `shape` to this tensor's shape repeats.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn sum_to(self, shape: &[usize]) -> Expr<'g> {
        let mine = self.shape();
        let extra = mine.len() - shape.len();
        let repeated = |&axis: &usize| axis < extra || shape[axis - extra] != mine[axis];
        let axes: Vec<usize> = (0..mine.len()).filter(repeated).collect();
        self.sum(&axes).reshape(shape)
    }

    /// Matrix product over the last two axes; the leading axes must be equal.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn contract(self, other: Expr<'g>) -> Expr<'g> {
        self.recorder().emit(Contract {}, &[self, other])
    }

    /// `self[…, index[…], …]` along `axis`.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn gather(self, axis: usize, index: Expr<'g>) -> Expr<'g> {
        self.recorder().emit(Gather { axis }, &[self, index])
    }

    /// This tensor with `src` combined in at `index` along `axis`.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn scatter(self, axis: usize, index: Expr<'g>, src: Expr<'g>, by: ScatterOp) -> Expr<'g> {
        self.recorder().emit(Scatter { axis, by }, &[self, index, src])
    }

    /// The same value, through which no gradient flows.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn detach(self) -> Expr<'g> {
        self.recorder().emit(Detach {}, &[self])
    }

    /// `yes` where this tensor, a bool, is true; `no` elsewhere.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn choose(self, yes: Expr<'g>, no: Expr<'g>) -> Expr<'g> {
        Expr::map(Scalar::Select, &[self, yes, no])
    }
}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id(), self.ty())
    }
}

/// The axis meant by `dim` in a tensor of `rank` axes.
fn resolve_dim(dim: isize, rank: usize) -> std::result::Result<usize, String> {
    let rank = rank.max(1) as isize;
    if (-rank..rank).contains(&dim) {
        return Ok(dim.rem_euclid(rank) as usize);
    }
    Err(format!("dim {dim} is out of range, expected {} to {}", -rank, rank - 1))
}

macro_rules! operators {
    ($($trait:ident $method:ident $scalar:ident),*) => {$(
        impl<'g> $trait for Expr<'g> {
            type Output = Expr<'g>;
            #[cfg_attr(not(brasa_page), track_caller)]
            fn $method(self, other: Expr<'g>) -> Expr<'g> {
                Expr::map(Scalar::$scalar, &[self, other])
            }
        }
        impl<'g> $trait<f64> for Expr<'g> {
            type Output = Expr<'g>;
            #[cfg_attr(not(brasa_page), track_caller)]
            fn $method(self, other: f64) -> Expr<'g> {
                Expr::map(Scalar::$scalar, &[self, self.like(other)])
            }
        }
        impl<'g> $trait<Expr<'g>> for f64 {
            type Output = Expr<'g>;
            #[cfg_attr(not(brasa_page), track_caller)]
            fn $method(self, other: Expr<'g>) -> Expr<'g> {
                Expr::map(Scalar::$scalar, &[other.like(self), other])
            }
        }
    )*};
}
operators!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div);

impl<'g> Neg for Expr<'g> {
    type Output = Expr<'g>;
    #[cfg_attr(not(brasa_page), track_caller)]
    fn neg(self) -> Expr<'g> {
        Expr::map(Scalar::Neg, &[self])
    }
}
