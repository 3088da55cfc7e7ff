//! Generated from the `moves` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`flatten`](crate::ops::flatten).
    #[derive(Clone, Debug)]
    pub struct FlattenOptions {
        pub(crate) end_dim: isize,
    }

    impl Default for FlattenOptions {
        fn default() -> FlattenOptions {
            FlattenOptions {
                end_dim: -1,
            }
        }
    }

    impl FlattenOptions {
        /// Sets `end_dim`; by default `-1`.
        pub fn end_dim(mut self, end_dim: isize) -> Self {
            self.end_dim = end_dim;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// The elements, in row-major order, in another shape. One length may be −1 and is then inferred
    /// from the others.
    #[track_caller]
    pub fn reshape(input: &Tensor, shape: impl IntoList<isize>) -> Tensor {
        let shape: Vec<isize> = shape.into_list();
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("reshape", |scope| scope.view_of(input).leave(compose::reshape(scope.g, input.enter(scope), shape)))
    }

    /// The elements of `input` in the shape of `other`.
    #[track_caller]
    pub fn reshape_as(input: &Tensor, other: &Tensor) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        other.settle();
        record("reshape_as", |scope| scope.view_of(input).leave(compose::reshape_as(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Merges the axes from `start_dim` to `end_dim` into one.
    #[track_caller]
    pub fn flatten(input: &Tensor, start_dim: isize) -> Tensor {
        flatten_with(input, start_dim, |o| o)
    }

    /// Merges the axes from `start_dim` to `end_dim` into one.
    ///
    /// Options: `end_dim`.
    #[track_caller]
    pub fn flatten_with(input: &Tensor, start_dim: isize, o: impl FnOnce(options::FlattenOptions) -> options::FlattenOptions) -> Tensor {
        let o = o(options::FlattenOptions::default());
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("flatten", |scope| scope.view_of(input).leave(compose::flatten(scope.g, input.enter(scope), start_dim, o.end_dim)))
    }

    /// All elements as a tensor of one axis.
    #[track_caller]
    pub fn ravel(input: &Tensor) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("ravel", |scope| scope.view_of(input).leave(compose::ravel(scope.g, input.enter(scope))))
    }

    /// Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
    #[track_caller]
    pub fn unflatten(input: &Tensor, dim: isize, sizes: impl IntoList<isize>) -> Tensor {
        let sizes: Vec<isize> = sizes.into_list();
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("unflatten", |scope| scope.view_of(input).leave(compose::unflatten(scope.g, input.enter(scope), dim, sizes)))
    }

    /// Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
    #[track_caller]
    pub fn permute(input: &Tensor, dims: impl IntoList<isize>) -> Tensor {
        let dims: Vec<isize> = dims.into_list();
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("permute", |scope| scope.view_of(input).leave(compose::permute(scope.g, input.enter(scope), dims)))
    }

    /// Swaps two axes, by default the last two.
    #[track_caller]
    pub fn transpose(input: &Tensor, dim0: isize, dim1: isize) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("transpose", |scope| scope.view_of(input).leave(compose::transpose(scope.g, input.enter(scope), dim0, dim1)))
    }

    /// The transpose of a matrix; scalars and vectors are returned unchanged.
    #[track_caller]
    pub fn t(input: &Tensor) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("t", |scope| scope.view_of(input).leave(compose::t(scope.g, input.enter(scope))))
    }

    /// The transpose of each matrix in the last two axes.
    #[track_caller]
    pub fn adjoint(input: &Tensor) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("adjoint", |scope| scope.view_of(input).leave(compose::adjoint(scope.g, input.enter(scope))))
    }

    /// Moves the axes `source` to the positions `destination`; the others keep their order.
    #[track_caller]
    pub fn movedim(input: &Tensor, source: impl IntoList<isize>, destination: impl IntoList<isize>) -> Tensor {
        let source: Vec<isize> = source.into_list();
        let destination: Vec<isize> = destination.into_list();
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("movedim", |scope| scope.view_of(input).leave(compose::movedim(scope.g, input.enter(scope), source, destination)))
    }

    /// Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
    #[track_caller]
    pub fn expand(input: &Tensor, size: impl IntoList<isize>) -> Tensor {
        let size: Vec<isize> = size.into_list();
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("expand", |scope| scope.view_of(input).leave(compose::expand(scope.g, input.enter(scope), size)))
    }

    /// `input` expanded to the shape of `other`.
    #[track_caller]
    pub fn expand_as(input: &Tensor, other: &Tensor) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        other.settle();
        record("expand_as", |scope| scope.view_of(input).leave(compose::expand_as(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// All tensors expanded to their common shape.
    #[track_caller]
    pub fn broadcast_tensors(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Vec<Tensor> {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("broadcast_tensors", |scope| scope.leave(compose::broadcast_tensors(scope.g, tensors.enter(scope))))
    }

    /// Removes axes of length one: all of them, or those among `dim`.
    #[track_caller]
    pub fn squeeze(input: &Tensor, dim: impl IntoDims) -> Tensor {
        let dim: Option<Vec<isize>> = dim.into_dims();
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("squeeze", |scope| scope.view_of(input).leave(compose::squeeze(scope.g, input.enter(scope), dim)))
    }

    /// Inserts an axis of length one before axis `dim` of the result.
    #[track_caller]
    pub fn unsqueeze(input: &Tensor, dim: isize) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("unsqueeze", |scope| scope.view_of(input).leave(compose::unsqueeze(scope.g, input.enter(scope), dim)))
    }

    /// Each tensor with at least one axis.
    #[track_caller]
    pub fn atleast_1d(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Vec<Tensor> {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("atleast_1d", |scope| scope.leave(compose::atleast_1d(scope.g, tensors.enter(scope))))
    }

    /// Each tensor with at least two axes; a vector becomes a row.
    #[track_caller]
    pub fn atleast_2d(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Vec<Tensor> {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("atleast_2d", |scope| scope.leave(compose::atleast_2d(scope.g, tensors.enter(scope))))
    }

    /// Each tensor with at least three axes; a vector of `n` becomes `[1, n, 1]`, a matrix
    /// `[m, n, 1]`.
    #[track_caller]
    pub fn atleast_3d(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Vec<Tensor> {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("atleast_3d", |scope| scope.leave(compose::atleast_3d(scope.g, tensors.enter(scope))))
    }

    /// Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
    #[track_caller]
    pub fn split_heads(input: &Tensor, num_heads: usize) -> Tensor {
        input.settle();
        record("split_heads", |scope| scope.leave(compose::split_heads(scope.g, input.enter(scope), num_heads)))
    }

    /// The inverse of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
    #[track_caller]
    pub fn merge_heads(input: &Tensor) -> Tensor {
        input.settle();
        record("merge_heads", |scope| scope.leave(compose::merge_heads(scope.g, input.enter(scope))))
    }

    /// The elements as `f32`.
    #[track_caller]
    pub fn float(input: &Tensor) -> Tensor {
        input.settle();
        record("float", |scope| scope.leave(compose::float(scope.g, input.enter(scope))))
    }

    /// The elements as `f64`.
    #[track_caller]
    pub fn double(input: &Tensor) -> Tensor {
        input.settle();
        record("double", |scope| scope.leave(compose::double(scope.g, input.enter(scope))))
    }

    /// The elements as `f16`.
    #[track_caller]
    pub fn half(input: &Tensor) -> Tensor {
        input.settle();
        record("half", |scope| scope.leave(compose::half(scope.g, input.enter(scope))))
    }

    /// The elements as `bf16`.
    #[track_caller]
    pub fn bfloat16(input: &Tensor) -> Tensor {
        input.settle();
        record("bfloat16", |scope| scope.leave(compose::bfloat16(scope.g, input.enter(scope))))
    }

    /// The elements as `i32`; floats are rounded towards zero.
    #[track_caller]
    pub fn int(input: &Tensor) -> Tensor {
        input.settle();
        record("int", |scope| scope.leave(compose::int(scope.g, input.enter(scope))))
    }

    /// The elements as `i64`; floats are rounded towards zero.
    #[track_caller]
    pub fn long(input: &Tensor) -> Tensor {
        input.settle();
        record("long", |scope| scope.leave(compose::long(scope.g, input.enter(scope))))
    }

    /// Whether each element is not zero.
    #[track_caller]
    pub fn to_bool(input: &Tensor) -> Tensor {
        input.settle();
        record("to_bool", |scope| scope.leave(compose::to_bool(scope.g, input.enter(scope))))
    }
}

impl Tensor {
    /// The elements, in row-major order, in another shape. One length may be −1 and is then inferred
    /// from the others.
    #[track_caller]
    pub fn reshape(&self, shape: impl IntoList<isize>) -> Tensor {
        functions::reshape(self, shape)
    }

    /// Another name for [`reshape`](Tensor::reshape).
    #[track_caller]
    pub fn view(&self, shape: impl IntoList<isize>) -> Tensor {
        functions::reshape(self, shape)
    }

    /// The elements of `input` in the shape of `other`.
    #[track_caller]
    pub fn reshape_as(&self, other: &Tensor) -> Tensor {
        functions::reshape_as(self, other)
    }

    /// Another name for [`reshape_as`](Tensor::reshape_as).
    #[track_caller]
    pub fn view_as(&self, other: &Tensor) -> Tensor {
        functions::reshape_as(self, other)
    }

    /// Merges the axes from `start_dim` to `end_dim` into one.
    #[track_caller]
    pub fn flatten(&self, start_dim: isize) -> Tensor {
        functions::flatten(self, start_dim)
    }

    /// Merges the axes from `start_dim` to `end_dim` into one.
    ///
    /// Options: `end_dim`.
    #[track_caller]
    pub fn flatten_with(&self, start_dim: isize, o: impl FnOnce(options::FlattenOptions) -> options::FlattenOptions) -> Tensor {
        functions::flatten_with(self, start_dim, o)
    }

    /// All elements as a tensor of one axis.
    #[track_caller]
    pub fn ravel(&self) -> Tensor {
        functions::ravel(self)
    }

    /// Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
    #[track_caller]
    pub fn unflatten(&self, dim: isize, sizes: impl IntoList<isize>) -> Tensor {
        functions::unflatten(self, dim, sizes)
    }

    /// Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
    #[track_caller]
    pub fn permute(&self, dims: impl IntoList<isize>) -> Tensor {
        functions::permute(self, dims)
    }

    /// Swaps two axes, by default the last two.
    #[track_caller]
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Tensor {
        functions::transpose(self, dim0, dim1)
    }

    /// Another name for [`transpose`](Tensor::transpose).
    #[track_caller]
    pub fn swapaxes(&self, dim0: isize, dim1: isize) -> Tensor {
        functions::transpose(self, dim0, dim1)
    }

    /// Another name for [`transpose`](Tensor::transpose).
    #[track_caller]
    pub fn swap_axes(&self, dim0: isize, dim1: isize) -> Tensor {
        functions::transpose(self, dim0, dim1)
    }

    /// Another name for [`transpose`](Tensor::transpose).
    #[track_caller]
    pub fn swapdims(&self, dim0: isize, dim1: isize) -> Tensor {
        functions::transpose(self, dim0, dim1)
    }

    /// The transpose of a matrix; scalars and vectors are returned unchanged.
    #[track_caller]
    pub fn t(&self) -> Tensor {
        functions::t(self)
    }

    /// The transpose of each matrix in the last two axes.
    #[track_caller]
    pub fn adjoint(&self) -> Tensor {
        functions::adjoint(self)
    }

    /// Moves the axes `source` to the positions `destination`; the others keep their order.
    #[track_caller]
    pub fn movedim(&self, source: impl IntoList<isize>, destination: impl IntoList<isize>) -> Tensor {
        functions::movedim(self, source, destination)
    }

    /// Another name for [`movedim`](Tensor::movedim).
    #[track_caller]
    pub fn moveaxis(&self, source: impl IntoList<isize>, destination: impl IntoList<isize>) -> Tensor {
        functions::movedim(self, source, destination)
    }

    /// Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
    #[track_caller]
    pub fn expand(&self, size: impl IntoList<isize>) -> Tensor {
        functions::expand(self, size)
    }

    /// Another name for [`expand`](Tensor::expand).
    #[track_caller]
    pub fn broadcast_to(&self, size: impl IntoList<isize>) -> Tensor {
        functions::expand(self, size)
    }

    /// `input` expanded to the shape of `other`.
    #[track_caller]
    pub fn expand_as(&self, other: &Tensor) -> Tensor {
        functions::expand_as(self, other)
    }

    /// Removes axes of length one: all of them, or those among `dim`.
    #[track_caller]
    pub fn squeeze(&self, dim: impl IntoDims) -> Tensor {
        functions::squeeze(self, dim)
    }

    /// Inserts an axis of length one before axis `dim` of the result.
    #[track_caller]
    pub fn unsqueeze(&self, dim: isize) -> Tensor {
        functions::unsqueeze(self, dim)
    }

    /// Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
    #[track_caller]
    pub fn split_heads(&self, num_heads: usize) -> Tensor {
        functions::split_heads(self, num_heads)
    }

    /// The inverse of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
    #[track_caller]
    pub fn merge_heads(&self) -> Tensor {
        functions::merge_heads(self)
    }

    /// The elements as `f32`.
    #[track_caller]
    pub fn float(&self) -> Tensor {
        functions::float(self)
    }

    /// The elements as `f64`.
    #[track_caller]
    pub fn double(&self) -> Tensor {
        functions::double(self)
    }

    /// The elements as `f16`.
    #[track_caller]
    pub fn half(&self) -> Tensor {
        functions::half(self)
    }

    /// The elements as `bf16`.
    #[track_caller]
    pub fn bfloat16(&self) -> Tensor {
        functions::bfloat16(self)
    }

    /// The elements as `i32`; floats are rounded towards zero.
    #[track_caller]
    pub fn int(&self) -> Tensor {
        functions::int(self)
    }

    /// The elements as `i64`; floats are rounded towards zero.
    #[track_caller]
    pub fn long(&self) -> Tensor {
        functions::long(self)
    }

    /// Whether each element is not zero.
    #[track_caller]
    pub fn to_bool(&self) -> Tensor {
        functions::to_bool(self)
    }

    /// Another name for [`to_bool`](Tensor::to_bool).
    #[track_caller]
    pub fn bool(&self) -> Tensor {
        functions::to_bool(self)
    }

}
