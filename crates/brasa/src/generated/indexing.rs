//! Generated from the `indexing` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`slice_scatter`](crate::ops::slice_scatter).
    #[derive(Clone, Debug)]
    pub struct SliceScatterOptions {
        pub(crate) start: Option<i64>,
        pub(crate) end: Option<i64>,
        pub(crate) step: i64,
    }

    impl Default for SliceScatterOptions {
        fn default() -> SliceScatterOptions {
            SliceScatterOptions {
                start: None,
                end: None,
                step: 1,
            }
        }
    }

    impl SliceScatterOptions {
        /// Sets `start`; by default not given.
        pub fn start(mut self, start: impl Into<Option<i64>>) -> Self {
            self.start = start.into();
            self
        }

        /// Sets `end`; by default not given.
        pub fn end(mut self, end: impl Into<Option<i64>>) -> Self {
            self.end = end.into();
            self
        }

        /// Sets `step`; by default `1`.
        pub fn step(mut self, step: i64) -> Self {
            self.step = step;
            self
        }
    }

    /// Options of [`diagonal_scatter`](crate::ops::diagonal_scatter).
    #[derive(Clone, Debug)]
    pub struct DiagonalScatterOptions {
        pub(crate) offset: i64,
        pub(crate) dim2: isize,
    }

    impl Default for DiagonalScatterOptions {
        fn default() -> DiagonalScatterOptions {
            DiagonalScatterOptions {
                offset: 0,
                dim2: 1,
            }
        }
    }

    impl DiagonalScatterOptions {
        /// Sets `offset`; by default `0`.
        pub fn offset(mut self, offset: i64) -> Self {
            self.offset = offset;
            self
        }

        /// Sets `dim2`; by default `1`.
        pub fn dim2(mut self, dim2: isize) -> Self {
            self.dim2 = dim2;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
    #[track_caller]
    pub fn slice_scatter(input: &Tensor, src: &Tensor, dim: isize) -> Tensor {
        slice_scatter_with(input, src, dim, |o| o)
    }

    /// `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
    ///
    /// Options: `start`, `end`, `step`.
    #[track_caller]
    pub fn slice_scatter_with(input: &Tensor, src: &Tensor, dim: isize, o: impl FnOnce(options::SliceScatterOptions) -> options::SliceScatterOptions) -> Tensor {
        let o = o(options::SliceScatterOptions::default());
        input.settle();
        src.settle();
        record("slice_scatter", |scope| scope.leave(compose::slice_scatter(scope.g, input.enter(scope), src.enter(scope), dim, o.start, o.end, o.step)))
    }

    /// `input` with the elements at `index` of axis `dim` replaced by `src`.
    #[track_caller]
    pub fn select_scatter(input: &Tensor, src: &Tensor, dim: isize, index: i64) -> Tensor {
        input.settle();
        src.settle();
        record("select_scatter", |scope| scope.leave(compose::select_scatter(scope.g, input.enter(scope), src.enter(scope), dim, index)))
    }

    /// `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
    #[track_caller]
    pub fn diagonal_scatter(input: &Tensor, src: &Tensor, dim1: isize) -> Tensor {
        diagonal_scatter_with(input, src, dim1, |o| o)
    }

    /// `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
    ///
    /// Options: `offset`, `dim2`.
    #[track_caller]
    pub fn diagonal_scatter_with(input: &Tensor, src: &Tensor, dim1: isize, o: impl FnOnce(options::DiagonalScatterOptions) -> options::DiagonalScatterOptions) -> Tensor {
        let o = o(options::DiagonalScatterOptions::default());
        input.settle();
        src.settle();
        record("diagonal_scatter", |scope| scope.leave(compose::diagonal_scatter(scope.g, input.enter(scope), src.enter(scope), o.offset, dim1, o.dim2)))
    }
}

impl Tensor {
    /// `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
    #[track_caller]
    pub fn slice_scatter(&self, src: &Tensor, dim: isize) -> Tensor {
        functions::slice_scatter(self, src, dim)
    }

    /// Another name for [`slice_scatter`](Tensor::slice_scatter).
    #[track_caller]
    pub fn slice_set(&self, src: &Tensor, dim: isize) -> Tensor {
        functions::slice_scatter(self, src, dim)
    }

    /// `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
    ///
    /// Options: `start`, `end`, `step`.
    #[track_caller]
    pub fn slice_scatter_with(&self, src: &Tensor, dim: isize, o: impl FnOnce(options::SliceScatterOptions) -> options::SliceScatterOptions) -> Tensor {
        functions::slice_scatter_with(self, src, dim, o)
    }

    /// `input` with the elements at `index` of axis `dim` replaced by `src`.
    #[track_caller]
    pub fn select_scatter(&self, src: &Tensor, dim: isize, index: i64) -> Tensor {
        functions::select_scatter(self, src, dim, index)
    }

    /// `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
    #[track_caller]
    pub fn diagonal_scatter(&self, src: &Tensor, dim1: isize) -> Tensor {
        functions::diagonal_scatter(self, src, dim1)
    }

    /// `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
    ///
    /// Options: `offset`, `dim2`.
    #[track_caller]
    pub fn diagonal_scatter_with(&self, src: &Tensor, dim1: isize, o: impl FnOnce(options::DiagonalScatterOptions) -> options::DiagonalScatterOptions) -> Tensor {
        functions::diagonal_scatter_with(self, src, dim1, o)
    }

}
