//! Generated from the `joins` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Concatenates tensors along `dim`; they must agree on all other axes.
    #[track_caller]
    pub fn cat(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, dim: isize) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("cat", |scope| scope.leave(compose::cat(scope.g, tensors.enter(scope), dim)))
    }

    /// Stacks tensors of one shape along a new axis, which is axis `dim` of the result.
    #[track_caller]
    pub fn stack(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, dim: isize) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("stack", |scope| scope.leave(compose::stack(scope.g, tensors.enter(scope), dim)))
    }

    /// Concatenates tensors along the second axis, vectors along their only axis.
    #[track_caller]
    pub fn hstack(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("hstack", |scope| scope.leave(compose::hstack(scope.g, tensors.enter(scope))))
    }

    /// Concatenates tensors along the first axis; vectors count as rows.
    #[track_caller]
    pub fn vstack(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("vstack", |scope| scope.leave(compose::vstack(scope.g, tensors.enter(scope))))
    }

    /// Concatenates tensors along the third axis.
    #[track_caller]
    pub fn dstack(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("dstack", |scope| scope.leave(compose::dstack(scope.g, tensors.enter(scope))))
    }

    /// Concatenates tensors along the second axis; scalars and vectors count as columns.
    #[track_caller]
    pub fn column_stack(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("column_stack", |scope| scope.leave(compose::column_stack(scope.g, tensors.enter(scope))))
    }

    /// Splits along `dim` into parts of one size (the last may be shorter) or of a list of sizes.
    #[track_caller]
    pub fn split(tensor: &Tensor, split_size_or_sections: impl IntoList<usize>, dim: isize) -> Vec<Tensor> {
        let split_size_or_sections: Vec<usize> = split_size_or_sections.into_list();
        tensor.settle();
        record("split", |scope| scope.leave(compose::split(scope.g, tensor.enter(scope), split_size_or_sections, dim)))
    }

    /// Splits along `dim` into parts of the given sizes.
    #[track_caller]
    pub fn split_with_sizes(input: &Tensor, split_sizes: impl IntoList<usize>, dim: isize) -> Vec<Tensor> {
        let split_sizes: Vec<usize> = split_sizes.into_list();
        input.settle();
        record("split_with_sizes", |scope| scope.leave(compose::split_with_sizes(scope.g, input.enter(scope), split_sizes, dim)))
    }

    /// Splits along `dim` into at most `chunks` parts of one size; the last may be shorter.
    #[track_caller]
    pub fn chunk(input: &Tensor, chunks: usize, dim: isize) -> Vec<Tensor> {
        input.settle();
        record("chunk", |scope| scope.leave(compose::chunk(scope.g, input.enter(scope), chunks, dim)))
    }

    /// Splits along `dim` into a number of parts whose sizes differ by at most one, or before each
    /// position of a list.
    #[track_caller]
    pub fn tensor_split(input: &Tensor, indices_or_sections: brasa_ir::compose::Cuts, dim: isize) -> Vec<Tensor> {
        input.settle();
        record("tensor_split", |scope| scope.leave(compose::tensor_split(scope.g, input.enter(scope), indices_or_sections, dim)))
    }

    /// Splits along the second axis, a vector along its only axis.
    #[track_caller]
    pub fn hsplit(input: &Tensor, indices_or_sections: brasa_ir::compose::Cuts) -> Vec<Tensor> {
        input.settle();
        record("hsplit", |scope| scope.leave(compose::hsplit(scope.g, input.enter(scope), indices_or_sections)))
    }

    /// Splits along the first axis of a tensor of at least two axes.
    #[track_caller]
    pub fn vsplit(input: &Tensor, indices_or_sections: brasa_ir::compose::Cuts) -> Vec<Tensor> {
        input.settle();
        record("vsplit", |scope| scope.leave(compose::vsplit(scope.g, input.enter(scope), indices_or_sections)))
    }

    /// Splits along the third axis.
    #[track_caller]
    pub fn dsplit(input: &Tensor, indices_or_sections: brasa_ir::compose::Cuts) -> Vec<Tensor> {
        input.settle();
        record("dsplit", |scope| scope.leave(compose::dsplit(scope.g, input.enter(scope), indices_or_sections)))
    }

    /// One tensor for each index of axis `dim`, which is removed.
    #[track_caller]
    pub fn unbind(input: &Tensor, dim: isize) -> Vec<Tensor> {
        input.settle();
        record("unbind", |scope| scope.leave(compose::unbind(scope.g, input.enter(scope), dim)))
    }
}

impl Tensor {
    /// Splits along `dim` into parts of one size (the last may be shorter) or of a list of sizes.
    #[track_caller]
    pub fn split(&self, split_size_or_sections: impl IntoList<usize>, dim: isize) -> Vec<Tensor> {
        functions::split(self, split_size_or_sections, dim)
    }

    /// Another name for [`split`](Tensor::split).
    #[track_caller]
    pub fn unsafe_split(&self, split_size_or_sections: impl IntoList<usize>, dim: isize) -> Vec<Tensor> {
        functions::split(self, split_size_or_sections, dim)
    }

    /// Splits along `dim` into parts of the given sizes.
    #[track_caller]
    pub fn split_with_sizes(&self, split_sizes: impl IntoList<usize>, dim: isize) -> Vec<Tensor> {
        functions::split_with_sizes(self, split_sizes, dim)
    }

    /// Splits along `dim` into at most `chunks` parts of one size; the last may be shorter.
    #[track_caller]
    pub fn chunk(&self, chunks: usize, dim: isize) -> Vec<Tensor> {
        functions::chunk(self, chunks, dim)
    }

    /// Another name for [`chunk`](Tensor::chunk).
    #[track_caller]
    pub fn unsafe_chunk(&self, chunks: usize, dim: isize) -> Vec<Tensor> {
        functions::chunk(self, chunks, dim)
    }

    /// Splits along `dim` into a number of parts whose sizes differ by at most one, or before each
    /// position of a list.
    #[track_caller]
    pub fn tensor_split(&self, indices_or_sections: brasa_ir::compose::Cuts, dim: isize) -> Vec<Tensor> {
        functions::tensor_split(self, indices_or_sections, dim)
    }

    /// Splits along the second axis, a vector along its only axis.
    #[track_caller]
    pub fn hsplit(&self, indices_or_sections: brasa_ir::compose::Cuts) -> Vec<Tensor> {
        functions::hsplit(self, indices_or_sections)
    }

    /// Splits along the first axis of a tensor of at least two axes.
    #[track_caller]
    pub fn vsplit(&self, indices_or_sections: brasa_ir::compose::Cuts) -> Vec<Tensor> {
        functions::vsplit(self, indices_or_sections)
    }

    /// Splits along the third axis.
    #[track_caller]
    pub fn dsplit(&self, indices_or_sections: brasa_ir::compose::Cuts) -> Vec<Tensor> {
        functions::dsplit(self, indices_or_sections)
    }

    /// One tensor for each index of axis `dim`, which is removed.
    #[track_caller]
    pub fn unbind(&self, dim: isize) -> Vec<Tensor> {
        functions::unbind(self, dim)
    }

}
