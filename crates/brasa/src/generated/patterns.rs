//! Generated from the `patterns` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`eye`](crate::ops::eye).
    #[derive(Clone, Debug)]
    pub struct EyeOptions {
        pub(crate) m: Option<usize>,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for EyeOptions {
        fn default() -> EyeOptions {
            EyeOptions {
                m: None,
                dtype: None,
            }
        }
    }

    impl EyeOptions {
        /// Sets `m`; by default not given.
        pub fn m(mut self, m: impl Into<Option<usize>>) -> Self {
            self.m = m.into();
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`tril`](crate::ops::tril).
    #[derive(Clone, Debug)]
    pub struct TrilOptions {
        pub(crate) diagonal: i64,
    }

    impl Default for TrilOptions {
        fn default() -> TrilOptions {
            TrilOptions {
                diagonal: 0,
            }
        }
    }

    impl TrilOptions {
        /// Sets `diagonal`; by default `0`.
        pub fn diagonal(mut self, diagonal: i64) -> Self {
            self.diagonal = diagonal;
            self
        }
    }

    /// Options of [`triu`](crate::ops::triu).
    #[derive(Clone, Debug)]
    pub struct TriuOptions {
        pub(crate) diagonal: i64,
    }

    impl Default for TriuOptions {
        fn default() -> TriuOptions {
            TriuOptions {
                diagonal: 0,
            }
        }
    }

    impl TriuOptions {
        /// Sets `diagonal`; by default `0`.
        pub fn diagonal(mut self, diagonal: i64) -> Self {
            self.diagonal = diagonal;
            self
        }
    }

    /// Options of [`tril_indices`](crate::ops::tril_indices).
    #[derive(Clone, Debug)]
    pub struct TrilIndicesOptions {
        pub(crate) offset: i64,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for TrilIndicesOptions {
        fn default() -> TrilIndicesOptions {
            TrilIndicesOptions {
                offset: 0,
                dtype: None,
            }
        }
    }

    impl TrilIndicesOptions {
        /// Sets `offset`; by default `0`.
        pub fn offset(mut self, offset: i64) -> Self {
            self.offset = offset;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`triu_indices`](crate::ops::triu_indices).
    #[derive(Clone, Debug)]
    pub struct TriuIndicesOptions {
        pub(crate) offset: i64,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for TriuIndicesOptions {
        fn default() -> TriuIndicesOptions {
            TriuIndicesOptions {
                offset: 0,
                dtype: None,
            }
        }
    }

    impl TriuIndicesOptions {
        /// Sets `offset`; by default `0`.
        pub fn offset(mut self, offset: i64) -> Self {
            self.offset = offset;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`one_hot`](crate::ops::one_hot).
    #[derive(Clone, Debug)]
    pub struct OneHotOptions {
        pub(crate) num_classes: isize,
    }

    impl Default for OneHotOptions {
        fn default() -> OneHotOptions {
            OneHotOptions {
                num_classes: -1,
            }
        }
    }

    impl OneHotOptions {
        /// Sets `num_classes`; by default `-1`.
        pub fn num_classes(mut self, num_classes: isize) -> Self {
            self.num_classes = num_classes;
            self
        }
    }

    /// Options of [`meshgrid`](crate::ops::meshgrid).
    #[derive(Clone, Debug)]
    pub struct MeshgridOptions {
        pub(crate) indexing: brasa_ir::compose::Indexing,
    }

    impl Default for MeshgridOptions {
        fn default() -> MeshgridOptions {
            MeshgridOptions {
                indexing: brasa_ir::compose::Indexing::Ij,
            }
        }
    }

    impl MeshgridOptions {
        /// Sets `indexing`; by default `Indexing::Ij`.
        pub fn indexing(mut self, indexing: brasa_ir::compose::Indexing) -> Self {
            self.indexing = indexing;
            self
        }
    }

    /// Options of [`combinations`](crate::ops::combinations).
    #[derive(Clone, Debug)]
    pub struct CombinationsOptions {
        pub(crate) r: usize,
        pub(crate) with_replacement: bool,
    }

    impl Default for CombinationsOptions {
        fn default() -> CombinationsOptions {
            CombinationsOptions {
                r: 2,
                with_replacement: false,
            }
        }
    }

    impl CombinationsOptions {
        /// Sets `r`; by default `2`.
        pub fn r(mut self, r: usize) -> Self {
            self.r = r;
            self
        }

        /// Sets `with_replacement`; by default `false`.
        pub fn with_replacement(mut self, with_replacement: bool) -> Self {
            self.with_replacement = with_replacement;
            self
        }
    }

    /// Options of [`diag`](crate::ops::diag).
    #[derive(Clone, Debug)]
    pub struct DiagOptions {
        pub(crate) diagonal: i64,
    }

    impl Default for DiagOptions {
        fn default() -> DiagOptions {
            DiagOptions {
                diagonal: 0,
            }
        }
    }

    impl DiagOptions {
        /// Sets `diagonal`; by default `0`.
        pub fn diagonal(mut self, diagonal: i64) -> Self {
            self.diagonal = diagonal;
            self
        }
    }

    /// Options of [`diag_embed`](crate::ops::diag_embed).
    #[derive(Clone, Debug)]
    pub struct DiagEmbedOptions {
        pub(crate) offset: i64,
        pub(crate) dim2: isize,
    }

    impl Default for DiagEmbedOptions {
        fn default() -> DiagEmbedOptions {
            DiagEmbedOptions {
                offset: 0,
                dim2: -1,
            }
        }
    }

    impl DiagEmbedOptions {
        /// Sets `offset`; by default `0`.
        pub fn offset(mut self, offset: i64) -> Self {
            self.offset = offset;
            self
        }

        /// Sets `dim2`; by default `-1`.
        pub fn dim2(mut self, dim2: isize) -> Self {
            self.dim2 = dim2;
            self
        }
    }

    /// Options of [`diagflat`](crate::ops::diagflat).
    #[derive(Clone, Debug)]
    pub struct DiagflatOptions {
        pub(crate) offset: i64,
    }

    impl Default for DiagflatOptions {
        fn default() -> DiagflatOptions {
            DiagflatOptions {
                offset: 0,
            }
        }
    }

    impl DiagflatOptions {
        /// Sets `offset`; by default `0`.
        pub fn offset(mut self, offset: i64) -> Self {
            self.offset = offset;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// The identity matrix, `n` by `m` (square unless given).
    #[track_caller]
    pub fn eye(n: usize) -> Tensor {
        eye_with(n, |o| o)
    }

    /// The identity matrix, `n` by `m` (square unless given).
    ///
    /// Options: `m`, `dtype`.
    #[track_caller]
    pub fn eye_with(n: usize, o: impl FnOnce(options::EyeOptions) -> options::EyeOptions) -> Tensor {
        let o = o(options::EyeOptions::default());
        record("eye", |scope| scope.leave(compose::eye(scope.g, n, o.m, o.dtype)))
    }

    /// Lower triangles of matrices: elements above the `diagonal` become zero.
    #[track_caller]
    pub fn tril(input: &Tensor) -> Tensor {
        tril_with(input, |o| o)
    }

    /// Lower triangles of matrices: elements above the `diagonal` become zero.
    ///
    /// Options: `diagonal`.
    #[track_caller]
    pub fn tril_with(input: &Tensor, o: impl FnOnce(options::TrilOptions) -> options::TrilOptions) -> Tensor {
        let o = o(options::TrilOptions::default());
        input.settle();
        record("tril", |scope| scope.leave(compose::tril(scope.g, input.enter(scope), o.diagonal)))
    }

    /// Upper triangles of matrices: elements below the `diagonal` become zero.
    #[track_caller]
    pub fn triu(input: &Tensor) -> Tensor {
        triu_with(input, |o| o)
    }

    /// Upper triangles of matrices: elements below the `diagonal` become zero.
    ///
    /// Options: `diagonal`.
    #[track_caller]
    pub fn triu_with(input: &Tensor, o: impl FnOnce(options::TriuOptions) -> options::TriuOptions) -> Tensor {
        let o = o(options::TriuOptions::default());
        input.settle();
        record("triu", |scope| scope.leave(compose::triu(scope.g, input.enter(scope), o.diagonal)))
    }

    /// Row and column of each element of the lower triangle of a `row` by `col` matrix, as two rows.
    #[track_caller]
    pub fn tril_indices(row: usize, col: usize) -> Tensor {
        tril_indices_with(row, col, |o| o)
    }

    /// Row and column of each element of the lower triangle of a `row` by `col` matrix, as two rows.
    ///
    /// Options: `offset`, `dtype`.
    #[track_caller]
    pub fn tril_indices_with(row: usize, col: usize, o: impl FnOnce(options::TrilIndicesOptions) -> options::TrilIndicesOptions) -> Tensor {
        let o = o(options::TrilIndicesOptions::default());
        record("tril_indices", |scope| scope.leave(compose::tril_indices(scope.g, row, col, o.offset, o.dtype)))
    }

    /// Row and column of each element of the upper triangle of a `row` by `col` matrix, as two rows.
    #[track_caller]
    pub fn triu_indices(row: usize, col: usize) -> Tensor {
        triu_indices_with(row, col, |o| o)
    }

    /// Row and column of each element of the upper triangle of a `row` by `col` matrix, as two rows.
    ///
    /// Options: `offset`, `dtype`.
    #[track_caller]
    pub fn triu_indices_with(row: usize, col: usize, o: impl FnOnce(options::TriuIndicesOptions) -> options::TriuIndicesOptions) -> Tensor {
        let o = o(options::TriuIndicesOptions::default());
        record("triu_indices", |scope| scope.leave(compose::triu_indices(scope.g, row, col, o.offset, o.dtype)))
    }

    /// One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
    /// element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
    #[track_caller]
    pub fn one_hot(input: &Tensor) -> Tensor {
        one_hot_with(input, |o| o)
    }

    /// One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
    /// element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
    ///
    /// Options: `num_classes`.
    #[track_caller]
    pub fn one_hot_with(input: &Tensor, o: impl FnOnce(options::OneHotOptions) -> options::OneHotOptions) -> Tensor {
        let o = o(options::OneHotOptions::default());
        input.settle();
        record("one_hot", |scope| scope.leave(compose::one_hot(scope.g, input.enter(scope), o.num_classes)))
    }

    /// The coordinates of a grid: each tensor, which has one axis, is repeated along the axes of all
    /// others.
    #[track_caller]
    pub fn meshgrid(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Vec<Tensor> {
        meshgrid_with(tensors, |o| o)
    }

    /// The coordinates of a grid: each tensor, which has one axis, is repeated along the axes of all
    /// others.
    ///
    /// Options: `indexing`.
    #[track_caller]
    pub fn meshgrid_with(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>, o: impl FnOnce(options::MeshgridOptions) -> options::MeshgridOptions) -> Vec<Tensor> {
        let o = o(options::MeshgridOptions::default());
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("meshgrid", |scope| scope.leave(compose::meshgrid(scope.g, tensors.enter(scope), o.indexing)))
    }

    /// The Cartesian product of the tensors: all ways to take one element from each, as rows.
    #[track_caller]
    pub fn cartesian_prod(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("cartesian_prod", |scope| scope.leave(compose::cartesian_prod(scope.g, tensors.enter(scope))))
    }

    /// All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
    /// more than once.
    #[track_caller]
    pub fn combinations(input: &Tensor) -> Tensor {
        combinations_with(input, |o| o)
    }

    /// All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
    /// more than once.
    ///
    /// Options: `r`, `with_replacement`.
    #[track_caller]
    pub fn combinations_with(input: &Tensor, o: impl FnOnce(options::CombinationsOptions) -> options::CombinationsOptions) -> Tensor {
        let o = o(options::CombinationsOptions::default());
        input.settle();
        record("combinations", |scope| scope.leave(compose::combinations(scope.g, input.enter(scope), o.r, o.with_replacement)))
    }

    /// The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
    #[track_caller]
    pub fn diag(input: &Tensor) -> Tensor {
        diag_with(input, |o| o)
    }

    /// The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
    ///
    /// Options: `diagonal`.
    #[track_caller]
    pub fn diag_with(input: &Tensor, o: impl FnOnce(options::DiagOptions) -> options::DiagOptions) -> Tensor {
        let o = o(options::DiagOptions::default());
        input.settle();
        record("diag", |scope| scope.leave(compose::diag(scope.g, input.enter(scope), o.diagonal)))
    }

    /// Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
    #[track_caller]
    pub fn diag_embed(input: &Tensor, dim1: isize) -> Tensor {
        diag_embed_with(input, dim1, |o| o)
    }

    /// Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
    ///
    /// Options: `offset`, `dim2`.
    #[track_caller]
    pub fn diag_embed_with(input: &Tensor, dim1: isize, o: impl FnOnce(options::DiagEmbedOptions) -> options::DiagEmbedOptions) -> Tensor {
        let o = o(options::DiagEmbedOptions::default());
        input.settle();
        record("diag_embed", |scope| scope.leave(compose::diag_embed(scope.g, input.enter(scope), o.offset, dim1, o.dim2)))
    }

    /// A matrix with all elements of `input` on its diagonal.
    #[track_caller]
    pub fn diagflat(input: &Tensor) -> Tensor {
        diagflat_with(input, |o| o)
    }

    /// A matrix with all elements of `input` on its diagonal.
    ///
    /// Options: `offset`.
    #[track_caller]
    pub fn diagflat_with(input: &Tensor, o: impl FnOnce(options::DiagflatOptions) -> options::DiagflatOptions) -> Tensor {
        let o = o(options::DiagflatOptions::default());
        input.settle();
        record("diagflat", |scope| scope.leave(compose::diagflat(scope.g, input.enter(scope), o.offset)))
    }

    /// The block-diagonal matrix of the given matrices; a tensor of one axis counts as a row.
    #[track_caller]
    pub fn block_diag(tensors: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let tensors: Vec<Tensor> = collected(tensors);
        tensors.settle();
        record("block_diag", |scope| scope.leave(compose::block_diag(scope.g, tensors.enter(scope))))
    }
}

impl Tensor {
    /// Lower triangles of matrices: elements above the `diagonal` become zero.
    #[track_caller]
    pub fn tril(&self) -> Tensor {
        functions::tril(self)
    }

    /// Lower triangles of matrices: elements above the `diagonal` become zero.
    ///
    /// Options: `diagonal`.
    #[track_caller]
    pub fn tril_with(&self, o: impl FnOnce(options::TrilOptions) -> options::TrilOptions) -> Tensor {
        functions::tril_with(self, o)
    }

    /// Upper triangles of matrices: elements below the `diagonal` become zero.
    #[track_caller]
    pub fn triu(&self) -> Tensor {
        functions::triu(self)
    }

    /// Upper triangles of matrices: elements below the `diagonal` become zero.
    ///
    /// Options: `diagonal`.
    #[track_caller]
    pub fn triu_with(&self, o: impl FnOnce(options::TriuOptions) -> options::TriuOptions) -> Tensor {
        functions::triu_with(self, o)
    }

    /// One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
    /// element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
    #[track_caller]
    pub fn one_hot(&self) -> Tensor {
        functions::one_hot(self)
    }

    /// One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
    /// element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
    ///
    /// Options: `num_classes`.
    #[track_caller]
    pub fn one_hot_with(&self, o: impl FnOnce(options::OneHotOptions) -> options::OneHotOptions) -> Tensor {
        functions::one_hot_with(self, o)
    }

    /// All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
    /// more than once.
    #[track_caller]
    pub fn combinations(&self) -> Tensor {
        functions::combinations(self)
    }

    /// All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
    /// more than once.
    ///
    /// Options: `r`, `with_replacement`.
    #[track_caller]
    pub fn combinations_with(&self, o: impl FnOnce(options::CombinationsOptions) -> options::CombinationsOptions) -> Tensor {
        functions::combinations_with(self, o)
    }

    /// The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
    #[track_caller]
    pub fn diag(&self) -> Tensor {
        functions::diag(self)
    }

    /// The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
    ///
    /// Options: `diagonal`.
    #[track_caller]
    pub fn diag_with(&self, o: impl FnOnce(options::DiagOptions) -> options::DiagOptions) -> Tensor {
        functions::diag_with(self, o)
    }

    /// Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
    #[track_caller]
    pub fn diag_embed(&self, dim1: isize) -> Tensor {
        functions::diag_embed(self, dim1)
    }

    /// Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
    ///
    /// Options: `offset`, `dim2`.
    #[track_caller]
    pub fn diag_embed_with(&self, dim1: isize, o: impl FnOnce(options::DiagEmbedOptions) -> options::DiagEmbedOptions) -> Tensor {
        functions::diag_embed_with(self, dim1, o)
    }

    /// A matrix with all elements of `input` on its diagonal.
    #[track_caller]
    pub fn diagflat(&self) -> Tensor {
        functions::diagflat(self)
    }

    /// A matrix with all elements of `input` on its diagonal.
    ///
    /// Options: `offset`.
    #[track_caller]
    pub fn diagflat_with(&self, o: impl FnOnce(options::DiagflatOptions) -> options::DiagflatOptions) -> Tensor {
        functions::diagflat_with(self, o)
    }

}
