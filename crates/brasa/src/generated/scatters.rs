//! Generated from the `scatters` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`scatter`](crate::ops::scatter).
    #[derive(Clone, Debug)]
    pub struct ScatterOptions {
        pub(crate) src: Option<Operand>,
        pub(crate) value: Option<Operand>,
        pub(crate) reduce: Option<brasa_ir::compose::ScatterMode>,
    }

    impl Default for ScatterOptions {
        fn default() -> ScatterOptions {
            ScatterOptions {
                src: None,
                value: None,
                reduce: None,
            }
        }
    }

    impl ScatterOptions {
        /// Sets `src`; by default not given.
        pub fn src(mut self, src: impl Into<Operand>) -> Self {
            self.src = Some(src.into());
            self
        }

        /// Sets `value`; by default not given.
        pub fn value(mut self, value: impl Into<Operand>) -> Self {
            self.value = Some(value.into());
            self
        }

        /// Sets `reduce`; by default not given.
        pub fn reduce(mut self, reduce: impl Into<Option<brasa_ir::compose::ScatterMode>>) -> Self {
            self.reduce = reduce.into();
            self
        }
    }

    /// Options of [`scatter_reduce`](crate::ops::scatter_reduce).
    #[derive(Clone, Debug)]
    pub struct ScatterReduceOptions {
        pub(crate) include_self: bool,
    }

    impl Default for ScatterReduceOptions {
        fn default() -> ScatterReduceOptions {
            ScatterReduceOptions {
                include_self: true,
            }
        }
    }

    impl ScatterReduceOptions {
        /// Sets `include_self`; by default `true`.
        pub fn include_self(mut self, include_self: bool) -> Self {
            self.include_self = include_self;
            self
        }
    }

    /// Options of [`put`](crate::ops::put).
    #[derive(Clone, Debug)]
    pub struct PutOptions {
        pub(crate) accumulate: bool,
    }

    impl Default for PutOptions {
        fn default() -> PutOptions {
            PutOptions {
                accumulate: false,
            }
        }
    }

    impl PutOptions {
        /// Sets `accumulate`; by default `false`.
        pub fn accumulate(mut self, accumulate: bool) -> Self {
            self.accumulate = accumulate;
            self
        }
    }

    /// Options of [`index_add`](crate::ops::index_add).
    #[derive(Clone, Debug)]
    pub struct IndexAddOptions {
        pub(crate) alpha: Number,
    }

    impl Default for IndexAddOptions {
        fn default() -> IndexAddOptions {
            IndexAddOptions {
                alpha: Number::Int(1),
            }
        }
    }

    impl IndexAddOptions {
        /// Sets `alpha`; by default `Number::Int(1)`.
        pub fn alpha(mut self, alpha: impl Into<Number>) -> Self {
            self.alpha = alpha.into();
            self
        }
    }

    /// Options of [`index_reduce`](crate::ops::index_reduce).
    #[derive(Clone, Debug)]
    pub struct IndexReduceOptions {
        pub(crate) include_self: bool,
    }

    impl Default for IndexReduceOptions {
        fn default() -> IndexReduceOptions {
            IndexReduceOptions {
                include_self: true,
            }
        }
    }

    impl IndexReduceOptions {
        /// Sets `include_self`; by default `true`.
        pub fn include_self(mut self, include_self: bool) -> Self {
            self.include_self = include_self;
            self
        }
    }

    /// Options of [`embedding`](crate::ops::embedding).
    #[derive(Clone, Debug)]
    pub struct EmbeddingOptions {
        pub(crate) padding_idx: Option<i64>,
    }

    impl Default for EmbeddingOptions {
        fn default() -> EmbeddingOptions {
            EmbeddingOptions {
                padding_idx: None,
            }
        }
    }

    impl EmbeddingOptions {
        /// Sets `padding_idx`; by default not given.
        pub fn padding_idx(mut self, padding_idx: impl Into<Option<i64>>) -> Self {
            self.padding_idx = padding_idx.into();
            self
        }
    }

    /// Options of [`embedding_bag`](crate::ops::embedding_bag).
    #[derive(Clone, Debug)]
    pub struct EmbeddingBagOptions {
        pub(crate) offsets: Option<Tensor>,
        pub(crate) mode: brasa_ir::compose::BagMode,
        pub(crate) per_sample_weights: Option<Tensor>,
        pub(crate) include_last_offset: bool,
        pub(crate) padding_idx: Option<i64>,
    }

    impl Default for EmbeddingBagOptions {
        fn default() -> EmbeddingBagOptions {
            EmbeddingBagOptions {
                offsets: None,
                mode: brasa_ir::compose::BagMode::Mean,
                per_sample_weights: None,
                include_last_offset: false,
                padding_idx: None,
            }
        }
    }

    impl EmbeddingBagOptions {
        /// Sets `offsets`; by default not given.
        pub fn offsets<'a>(mut self, offsets: impl Into<Option<&'a Tensor>>) -> Self {
            self.offsets = offsets.into().cloned();
            self
        }

        /// Sets `mode`; by default `BagMode::Mean`.
        pub fn mode(mut self, mode: brasa_ir::compose::BagMode) -> Self {
            self.mode = mode;
            self
        }

        /// Sets `per_sample_weights`; by default not given.
        pub fn per_sample_weights<'a>(mut self, per_sample_weights: impl Into<Option<&'a Tensor>>) -> Self {
            self.per_sample_weights = per_sample_weights.into().cloned();
            self
        }

        /// Sets `include_last_offset`; by default `false`.
        pub fn include_last_offset(mut self, include_last_offset: bool) -> Self {
            self.include_last_offset = include_last_offset;
            self
        }

        /// Sets `padding_idx`; by default not given.
        pub fn padding_idx(mut self, padding_idx: impl Into<Option<i64>>) -> Self {
            self.padding_idx = padding_idx.into();
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
    #[track_caller]
    pub fn gather(input: &Tensor, dim: isize, index: &Tensor) -> Tensor {
        input.settle();
        index.settle();
        record("gather", |scope| scope.leave(compose::gather(scope.g, input.enter(scope), dim, index.enter(scope))))
    }

    /// Elements by index into the flattened tensor; negative indices count from the end.
    #[track_caller]
    pub fn take(input: &Tensor, index: &Tensor) -> Tensor {
        input.settle();
        index.settle();
        record("take", |scope| scope.leave(compose::take(scope.g, input.enter(scope), index.enter(scope))))
    }

    /// `gather` with broadcasting of the other axes, and with negative indices that count from the end;
    /// without `dim`, of the flattened tensor.
    #[track_caller]
    pub fn take_along_dim(input: &Tensor, indices: &Tensor, dim: impl IntoDim) -> Tensor {
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        indices.settle();
        record("take_along_dim", |scope| scope.leave(compose::take_along_dim(scope.g, input.enter(scope), indices.enter(scope), dim)))
    }

    /// The elements at the indices `index` of axis `dim`.
    #[track_caller]
    pub fn index_select(input: &Tensor, dim: isize, index: &Tensor) -> Tensor {
        input.settle();
        index.settle();
        record("index_select", |scope| scope.leave(compose::index_select(scope.g, input.enter(scope), dim, index.enter(scope))))
    }

    /// `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
    /// reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
    /// combines them.
    #[track_caller]
    pub fn scatter(input: &Tensor, dim: isize, index: &Tensor) -> Tensor {
        scatter_with(input, dim, index, |o| o)
    }

    /// `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
    /// reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
    /// combines them.
    ///
    /// Options: `src`, `value`, `reduce`.
    #[track_caller]
    pub fn scatter_with(input: &Tensor, dim: isize, index: &Tensor, o: impl FnOnce(options::ScatterOptions) -> options::ScatterOptions) -> Tensor {
        let o = o(options::ScatterOptions::default());
        input.settle();
        index.settle();
        o.src.settle();
        o.value.settle();
        record("scatter", |scope| scope.leave(compose::scatter(scope.g, input.enter(scope), dim, index.enter(scope), o.src.enter(scope), o.value.enter(scope), o.reduce)))
    }

    /// `input` with `src` added at the indices `index` along `dim`.
    #[track_caller]
    pub fn scatter_add(input: &Tensor, dim: isize, index: &Tensor, src: &Tensor) -> Tensor {
        input.settle();
        index.settle();
        src.settle();
        record("scatter_add", |scope| scope.leave(compose::scatter_add(scope.g, input.enter(scope), dim, index.enter(scope), src.enter(scope))))
    }

    /// `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
    /// previous values of these elements do not count.
    #[track_caller]
    pub fn scatter_reduce(input: &Tensor, dim: isize, index: &Tensor, src: &Tensor, reduce: brasa_ir::compose::ScatterReduce) -> Tensor {
        scatter_reduce_with(input, dim, index, src, reduce, |o| o)
    }

    /// `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
    /// previous values of these elements do not count.
    ///
    /// Options: `include_self`.
    #[track_caller]
    pub fn scatter_reduce_with(input: &Tensor, dim: isize, index: &Tensor, src: &Tensor, reduce: brasa_ir::compose::ScatterReduce, o: impl FnOnce(options::ScatterReduceOptions) -> options::ScatterReduceOptions) -> Tensor {
        let o = o(options::ScatterReduceOptions::default());
        input.settle();
        index.settle();
        src.settle();
        record("scatter_reduce", |scope| scope.leave(compose::scatter_reduce(scope.g, input.enter(scope), dim, index.enter(scope), src.enter(scope), reduce, o.include_self)))
    }

    /// `input` with the elements of `source` written to indices of the flattened tensor, or added with
    /// `accumulate`.
    #[track_caller]
    pub fn put(input: &Tensor, index: &Tensor, source: &Tensor) -> Tensor {
        put_with(input, index, source, |o| o)
    }

    /// `input` with the elements of `source` written to indices of the flattened tensor, or added with
    /// `accumulate`.
    ///
    /// Options: `accumulate`.
    #[track_caller]
    pub fn put_with(input: &Tensor, index: &Tensor, source: &Tensor, o: impl FnOnce(options::PutOptions) -> options::PutOptions) -> Tensor {
        let o = o(options::PutOptions::default());
        input.settle();
        index.settle();
        source.settle();
        record("put", |scope| scope.leave(compose::put(scope.g, input.enter(scope), index.enter(scope), source.enter(scope), o.accumulate)))
    }

    /// `input` with `alpha · source` added at the indices `index` of axis `dim`.
    #[track_caller]
    pub fn index_add(input: &Tensor, dim: isize, index: &Tensor, source: &Tensor) -> Tensor {
        index_add_with(input, dim, index, source, |o| o)
    }

    /// `input` with `alpha · source` added at the indices `index` of axis `dim`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn index_add_with(input: &Tensor, dim: isize, index: &Tensor, source: &Tensor, o: impl FnOnce(options::IndexAddOptions) -> options::IndexAddOptions) -> Tensor {
        let o = o(options::IndexAddOptions::default());
        input.settle();
        index.settle();
        source.settle();
        record("index_add", |scope| scope.leave(compose::index_add(scope.g, input.enter(scope), dim, index.enter(scope), source.enter(scope), o.alpha)))
    }

    /// `input` with the elements at the indices `index` of axis `dim` replaced by `source`.
    #[track_caller]
    pub fn index_copy(input: &Tensor, dim: isize, index: &Tensor, source: &Tensor) -> Tensor {
        input.settle();
        index.settle();
        source.settle();
        record("index_copy", |scope| scope.leave(compose::index_copy(scope.g, input.enter(scope), dim, index.enter(scope), source.enter(scope))))
    }

    /// `input` with the elements at the indices `index` of axis `dim` replaced by `value`.
    #[track_caller]
    pub fn index_fill(input: &Tensor, dim: isize, index: &Tensor, value: impl Into<Operand>) -> Tensor {
        let value: Operand = value.into();
        input.settle();
        index.settle();
        value.settle();
        record("index_fill", |scope| scope.leave(compose::index_fill(scope.g, input.enter(scope), dim, index.enter(scope), value.enter(scope))))
    }

    /// `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
    /// the previous values of these elements do not count.
    #[track_caller]
    pub fn index_reduce(input: &Tensor, dim: isize, index: &Tensor, source: &Tensor, reduce: brasa_ir::compose::ScatterReduce) -> Tensor {
        index_reduce_with(input, dim, index, source, reduce, |o| o)
    }

    /// `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
    /// the previous values of these elements do not count.
    ///
    /// Options: `include_self`.
    #[track_caller]
    pub fn index_reduce_with(input: &Tensor, dim: isize, index: &Tensor, source: &Tensor, reduce: brasa_ir::compose::ScatterReduce, o: impl FnOnce(options::IndexReduceOptions) -> options::IndexReduceOptions) -> Tensor {
        let o = o(options::IndexReduceOptions::default());
        input.settle();
        index.settle();
        source.settle();
        record("index_reduce", |scope| scope.leave(compose::index_reduce(scope.g, input.enter(scope), dim, index.enter(scope), source.enter(scope), reduce, o.include_self)))
    }

    /// `input` with consecutive elements of `source` where `mask` is true.
    #[track_caller]
    pub fn masked_scatter(input: &Tensor, mask: &Tensor, source: &Tensor) -> Tensor {
        input.settle();
        mask.settle();
        source.settle();
        record("masked_scatter", |scope| scope.leave(compose::masked_scatter(scope.g, input.enter(scope), mask.enter(scope), source.enter(scope))))
    }

    /// The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
    #[track_caller]
    pub fn embedding(input: &Tensor, weight: &Tensor) -> Tensor {
        embedding_with(input, weight, |o| o)
    }

    /// The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
    ///
    /// Options: `padding_idx`.
    #[track_caller]
    pub fn embedding_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::EmbeddingOptions) -> options::EmbeddingOptions) -> Tensor {
        let o = o(options::EmbeddingOptions::default());
        input.settle();
        weight.settle();
        record("embedding", |scope| scope.leave(compose::embedding(scope.g, input.enter(scope), weight.enter(scope), o.padding_idx)))
    }

    /// Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
    /// Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
    /// equal to `padding_idx` are ignored.
    #[track_caller]
    pub fn embedding_bag(input: &Tensor, weight: &Tensor) -> Tensor {
        embedding_bag_with(input, weight, |o| o)
    }

    /// Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
    /// Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
    /// equal to `padding_idx` are ignored.
    ///
    /// Options: `offsets`, `mode`, `per_sample_weights`, `include_last_offset`, `padding_idx`.
    #[track_caller]
    pub fn embedding_bag_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::EmbeddingBagOptions) -> options::EmbeddingBagOptions) -> Tensor {
        let o = o(options::EmbeddingBagOptions::default());
        input.settle();
        weight.settle();
        o.offsets.settle();
        o.per_sample_weights.settle();
        record("embedding_bag", |scope| scope.leave(compose::embedding_bag(scope.g, input.enter(scope), weight.enter(scope), o.offsets.enter(scope), o.mode, o.per_sample_weights.enter(scope), o.include_last_offset, o.padding_idx)))
    }
}

impl Tensor {
    /// `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
    #[track_caller]
    pub fn gather(&self, dim: isize, index: &Tensor) -> Tensor {
        functions::gather(self, dim, index)
    }

    /// Elements by index into the flattened tensor; negative indices count from the end.
    #[track_caller]
    pub fn take(&self, index: &Tensor) -> Tensor {
        functions::take(self, index)
    }

    /// `gather` with broadcasting of the other axes, and with negative indices that count from the end;
    /// without `dim`, of the flattened tensor.
    #[track_caller]
    pub fn take_along_dim(&self, indices: &Tensor, dim: impl IntoDim) -> Tensor {
        functions::take_along_dim(self, indices, dim)
    }

    /// Another name for [`take_along_dim`](Tensor::take_along_dim).
    #[track_caller]
    pub fn take_along_axis(&self, indices: &Tensor, dim: impl IntoDim) -> Tensor {
        functions::take_along_dim(self, indices, dim)
    }

    /// The elements at the indices `index` of axis `dim`.
    #[track_caller]
    pub fn index_select(&self, dim: isize, index: &Tensor) -> Tensor {
        functions::index_select(self, dim, index)
    }

    /// `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
    /// reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
    /// combines them.
    #[track_caller]
    pub fn scatter(&self, dim: isize, index: &Tensor) -> Tensor {
        functions::scatter(self, dim, index)
    }

    /// `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
    /// reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
    /// combines them.
    ///
    /// Options: `src`, `value`, `reduce`.
    #[track_caller]
    pub fn scatter_with(&self, dim: isize, index: &Tensor, o: impl FnOnce(options::ScatterOptions) -> options::ScatterOptions) -> Tensor {
        functions::scatter_with(self, dim, index, o)
    }

    /// `input` with `src` added at the indices `index` along `dim`.
    #[track_caller]
    pub fn scatter_add(&self, dim: isize, index: &Tensor, src: &Tensor) -> Tensor {
        functions::scatter_add(self, dim, index, src)
    }

    /// `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
    /// previous values of these elements do not count.
    #[track_caller]
    pub fn scatter_reduce(&self, dim: isize, index: &Tensor, src: &Tensor, reduce: brasa_ir::compose::ScatterReduce) -> Tensor {
        functions::scatter_reduce(self, dim, index, src, reduce)
    }

    /// `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
    /// previous values of these elements do not count.
    ///
    /// Options: `include_self`.
    #[track_caller]
    pub fn scatter_reduce_with(&self, dim: isize, index: &Tensor, src: &Tensor, reduce: brasa_ir::compose::ScatterReduce, o: impl FnOnce(options::ScatterReduceOptions) -> options::ScatterReduceOptions) -> Tensor {
        functions::scatter_reduce_with(self, dim, index, src, reduce, o)
    }

    /// `input` with the elements of `source` written to indices of the flattened tensor, or added with
    /// `accumulate`.
    #[track_caller]
    pub fn put(&self, index: &Tensor, source: &Tensor) -> Tensor {
        functions::put(self, index, source)
    }

    /// `input` with the elements of `source` written to indices of the flattened tensor, or added with
    /// `accumulate`.
    ///
    /// Options: `accumulate`.
    #[track_caller]
    pub fn put_with(&self, index: &Tensor, source: &Tensor, o: impl FnOnce(options::PutOptions) -> options::PutOptions) -> Tensor {
        functions::put_with(self, index, source, o)
    }

    /// `input` with `alpha · source` added at the indices `index` of axis `dim`.
    #[track_caller]
    pub fn index_add(&self, dim: isize, index: &Tensor, source: &Tensor) -> Tensor {
        functions::index_add(self, dim, index, source)
    }

    /// `input` with `alpha · source` added at the indices `index` of axis `dim`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn index_add_with(&self, dim: isize, index: &Tensor, source: &Tensor, o: impl FnOnce(options::IndexAddOptions) -> options::IndexAddOptions) -> Tensor {
        functions::index_add_with(self, dim, index, source, o)
    }

    /// `input` with the elements at the indices `index` of axis `dim` replaced by `source`.
    #[track_caller]
    pub fn index_copy(&self, dim: isize, index: &Tensor, source: &Tensor) -> Tensor {
        functions::index_copy(self, dim, index, source)
    }

    /// `input` with the elements at the indices `index` of axis `dim` replaced by `value`.
    #[track_caller]
    pub fn index_fill(&self, dim: isize, index: &Tensor, value: impl Into<Operand>) -> Tensor {
        functions::index_fill(self, dim, index, value)
    }

    /// `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
    /// the previous values of these elements do not count.
    #[track_caller]
    pub fn index_reduce(&self, dim: isize, index: &Tensor, source: &Tensor, reduce: brasa_ir::compose::ScatterReduce) -> Tensor {
        functions::index_reduce(self, dim, index, source, reduce)
    }

    /// `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
    /// the previous values of these elements do not count.
    ///
    /// Options: `include_self`.
    #[track_caller]
    pub fn index_reduce_with(&self, dim: isize, index: &Tensor, source: &Tensor, reduce: brasa_ir::compose::ScatterReduce, o: impl FnOnce(options::IndexReduceOptions) -> options::IndexReduceOptions) -> Tensor {
        functions::index_reduce_with(self, dim, index, source, reduce, o)
    }

    /// `input` with consecutive elements of `source` where `mask` is true.
    #[track_caller]
    pub fn masked_scatter(&self, mask: &Tensor, source: &Tensor) -> Tensor {
        functions::masked_scatter(self, mask, source)
    }

    /// The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
    #[track_caller]
    pub fn embedding(&self, weight: &Tensor) -> Tensor {
        functions::embedding(self, weight)
    }

    /// The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
    ///
    /// Options: `padding_idx`.
    #[track_caller]
    pub fn embedding_with(&self, weight: &Tensor, o: impl FnOnce(options::EmbeddingOptions) -> options::EmbeddingOptions) -> Tensor {
        functions::embedding_with(self, weight, o)
    }

    /// Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
    /// Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
    /// equal to `padding_idx` are ignored.
    #[track_caller]
    pub fn embedding_bag(&self, weight: &Tensor) -> Tensor {
        functions::embedding_bag(self, weight)
    }

    /// Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
    /// Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
    /// equal to `padding_idx` are ignored.
    ///
    /// Options: `offsets`, `mode`, `per_sample_weights`, `include_last_offset`, `padding_idx`.
    #[track_caller]
    pub fn embedding_bag_with(&self, weight: &Tensor, o: impl FnOnce(options::EmbeddingBagOptions) -> options::EmbeddingBagOptions) -> Tensor {
        functions::embedding_bag_with(self, weight, o)
    }

}
