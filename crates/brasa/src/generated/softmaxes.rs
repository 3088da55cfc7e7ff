//! Generated from the `softmaxes` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`softmax`](crate::ops::softmax).
    #[derive(Clone, Debug)]
    pub struct SoftmaxOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for SoftmaxOptions {
        fn default() -> SoftmaxOptions {
            SoftmaxOptions {
                dtype: None,
            }
        }
    }

    impl SoftmaxOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`log_softmax`](crate::ops::log_softmax).
    #[derive(Clone, Debug)]
    pub struct LogSoftmaxOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for LogSoftmaxOptions {
        fn default() -> LogSoftmaxOptions {
            LogSoftmaxOptions {
                dtype: None,
            }
        }
    }

    impl LogSoftmaxOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`softmin`](crate::ops::softmin).
    #[derive(Clone, Debug)]
    pub struct SoftminOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for SoftminOptions {
        fn default() -> SoftminOptions {
            SoftminOptions {
                dtype: None,
            }
        }
    }

    impl SoftminOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Softmax along `dim`: exponentials that add up to one.
    ///
    /// `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
    #[track_caller]
    pub fn softmax(input: &Tensor, dim: isize) -> Tensor {
        softmax_with(input, dim, |o| o)
    }

    /// Softmax along `dim`: exponentials that add up to one.
    ///
    /// `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn softmax_with(input: &Tensor, dim: isize, o: impl FnOnce(options::SoftmaxOptions) -> options::SoftmaxOptions) -> Tensor {
        let o = o(options::SoftmaxOptions::default());
        input.settle();
        record("softmax", |scope| scope.leave(compose::softmax(scope.g, input.enter(scope), dim, o.dtype)))
    }

    /// Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
    #[track_caller]
    pub fn log_softmax(input: &Tensor, dim: isize) -> Tensor {
        log_softmax_with(input, dim, |o| o)
    }

    /// Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn log_softmax_with(input: &Tensor, dim: isize, o: impl FnOnce(options::LogSoftmaxOptions) -> options::LogSoftmaxOptions) -> Tensor {
        let o = o(options::LogSoftmaxOptions::default());
        input.settle();
        record("log_softmax", |scope| scope.leave(compose::log_softmax(scope.g, input.enter(scope), dim, o.dtype)))
    }

    /// Softmax of the negated input: the smallest element gets the largest share.
    #[track_caller]
    pub fn softmin(input: &Tensor, dim: isize) -> Tensor {
        softmin_with(input, dim, |o| o)
    }

    /// Softmax of the negated input: the smallest element gets the largest share.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn softmin_with(input: &Tensor, dim: isize, o: impl FnOnce(options::SoftminOptions) -> options::SoftminOptions) -> Tensor {
        let o = o(options::SoftminOptions::default());
        input.settle();
        record("softmin", |scope| scope.leave(compose::softmin(scope.g, input.enter(scope), dim, o.dtype)))
    }

    /// Softmax over the last axis of scores `[…, T, S]` in which query `i` attends only to keys
    /// `0..=i`.
    #[track_caller]
    pub fn softmax_causal(input: &Tensor) -> Tensor {
        input.settle();
        record("softmax_causal", |scope| scope.leave(compose::softmax_causal(scope.g, input.enter(scope))))
    }

    /// `input` on and below the diagonal of its last two axes, `value` above it.
    #[track_caller]
    pub fn where_causal(input: &Tensor, value: impl Into<Number>) -> Tensor {
        let value: Number = value.into();
        input.settle();
        record("where_causal", |scope| scope.leave(compose::where_causal(scope.g, input.enter(scope), value)))
    }

    /// The mask by which query `i` of `size` attends only to keys `0..=i`: true on and below the
    /// diagonal, for `scaled_dot_product_attention`.
    #[track_caller]
    pub fn causal_mask(size: usize) -> Tensor {
        record("causal_mask", |scope| scope.leave(compose::causal_mask(scope.g, size)))
    }
}

impl Tensor {
    /// Softmax along `dim`: exponentials that add up to one.
    ///
    /// `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
    #[track_caller]
    pub fn softmax(&self, dim: isize) -> Tensor {
        functions::softmax(self, dim)
    }

    /// Softmax along `dim`: exponentials that add up to one.
    ///
    /// `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn softmax_with(&self, dim: isize, o: impl FnOnce(options::SoftmaxOptions) -> options::SoftmaxOptions) -> Tensor {
        functions::softmax_with(self, dim, o)
    }

    /// Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
    #[track_caller]
    pub fn log_softmax(&self, dim: isize) -> Tensor {
        functions::log_softmax(self, dim)
    }

    /// Another name for [`log_softmax`](Tensor::log_softmax).
    #[track_caller]
    pub fn log_softmax_last(&self, dim: isize) -> Tensor {
        functions::log_softmax(self, dim)
    }

    /// Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn log_softmax_with(&self, dim: isize, o: impl FnOnce(options::LogSoftmaxOptions) -> options::LogSoftmaxOptions) -> Tensor {
        functions::log_softmax_with(self, dim, o)
    }

    /// Softmax of the negated input: the smallest element gets the largest share.
    #[track_caller]
    pub fn softmin(&self, dim: isize) -> Tensor {
        functions::softmin(self, dim)
    }

    /// Softmax of the negated input: the smallest element gets the largest share.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn softmin_with(&self, dim: isize, o: impl FnOnce(options::SoftminOptions) -> options::SoftminOptions) -> Tensor {
        functions::softmin_with(self, dim, o)
    }

    /// Softmax over the last axis of scores `[…, T, S]` in which query `i` attends only to keys
    /// `0..=i`.
    #[track_caller]
    pub fn softmax_causal(&self) -> Tensor {
        functions::softmax_causal(self)
    }

    /// Another name for [`softmax_causal`](Tensor::softmax_causal).
    #[track_caller]
    pub fn softmax_causal_last(&self) -> Tensor {
        functions::softmax_causal(self)
    }

    /// `input` on and below the diagonal of its last two axes, `value` above it.
    #[track_caller]
    pub fn where_causal(&self, value: impl Into<Number>) -> Tensor {
        functions::where_causal(self, value)
    }

}
