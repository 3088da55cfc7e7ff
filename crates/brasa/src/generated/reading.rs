//! Generated from the `reading` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`bincount`](crate::ops::bincount).
    #[derive(Clone, Debug)]
    pub struct BincountOptions {
        pub(crate) weights: Option<Tensor>,
        pub(crate) minlength: usize,
    }

    impl Default for BincountOptions {
        fn default() -> BincountOptions {
            BincountOptions {
                weights: None,
                minlength: 0,
            }
        }
    }

    impl BincountOptions {
        /// Sets `weights`; by default not given.
        pub fn weights<'a>(mut self, weights: impl Into<Option<&'a Tensor>>) -> Self {
            self.weights = weights.into().cloned();
            self
        }

        /// Sets `minlength`; by default `0`.
        pub fn minlength(mut self, minlength: usize) -> Self {
            self.minlength = minlength;
            self
        }
    }

    /// Options of [`repeat_interleave_tensor`](crate::ops::repeat_interleave_tensor).
    #[derive(Clone, Debug)]
    pub struct RepeatInterleaveTensorOptions {
        pub(crate) output_size: Option<usize>,
    }

    impl Default for RepeatInterleaveTensorOptions {
        fn default() -> RepeatInterleaveTensorOptions {
            RepeatInterleaveTensorOptions {
                output_size: None,
            }
        }
    }

    impl RepeatInterleaveTensorOptions {
        /// Sets `output_size`; by default not given.
        pub fn output_size(mut self, output_size: impl Into<Option<usize>>) -> Self {
            self.output_size = output_size.into();
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Indices of the elements that are not zero, in order, one row for each element.
    #[track_caller]
    pub fn argwhere(input: &Tensor) -> Tensor {
        input.settle();
        crate::flush();
        record("argwhere", |scope| scope.leave(compose::argwhere(scope.g, &mut scope.reader(), input.enter(scope))))
    }

    /// The elements where `mask`, broadcast against the tensor, is true, in order.
    #[track_caller]
    pub fn masked_select(input: &Tensor, mask: &Tensor) -> Tensor {
        input.settle();
        mask.settle();
        crate::flush();
        record("masked_select", |scope| scope.leave(compose::masked_select(scope.g, &mut scope.reader(), input.enter(scope), mask.enter(scope))))
    }

    /// The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
    /// sum of their `weights`. The result has at least `minlength` elements.
    #[track_caller]
    pub fn bincount(input: &Tensor) -> Tensor {
        bincount_with(input, |o| o)
    }

    /// The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
    /// sum of their `weights`. The result has at least `minlength` elements.
    ///
    /// Options: `weights`, `minlength`.
    #[track_caller]
    pub fn bincount_with(input: &Tensor, o: impl FnOnce(options::BincountOptions) -> options::BincountOptions) -> Tensor {
        let o = o(options::BincountOptions::default());
        input.settle();
        o.weights.settle();
        crate::flush();
        record("bincount", |scope| scope.leave(compose::bincount(scope.g, &mut scope.reader(), input.enter(scope), o.weights.enter(scope), o.minlength)))
    }

    /// Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
    /// vector of integers. `output_size` is the length of the result, if known.
    #[track_caller]
    pub fn repeat_interleave_tensor(input: &Tensor, repeats: &Tensor, dim: impl IntoDim) -> Tensor {
        repeat_interleave_tensor_with(input, repeats, dim, |o| o)
    }

    /// Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
    /// vector of integers. `output_size` is the length of the result, if known.
    ///
    /// Options: `output_size`.
    #[track_caller]
    pub fn repeat_interleave_tensor_with(input: &Tensor, repeats: &Tensor, dim: impl IntoDim, o: impl FnOnce(options::RepeatInterleaveTensorOptions) -> options::RepeatInterleaveTensorOptions) -> Tensor {
        let o = o(options::RepeatInterleaveTensorOptions::default());
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        repeats.settle();
        crate::flush();
        record("repeat_interleave_tensor", |scope| scope.leave(compose::repeat_interleave_tensor(scope.g, &mut scope.reader(), input.enter(scope), repeats.enter(scope), dim, o.output_size)))
    }
}

impl Tensor {
    /// Indices of the elements that are not zero, in order, one row for each element.
    #[track_caller]
    pub fn argwhere(&self) -> Tensor {
        functions::argwhere(self)
    }

    /// The elements where `mask`, broadcast against the tensor, is true, in order.
    #[track_caller]
    pub fn masked_select(&self, mask: &Tensor) -> Tensor {
        functions::masked_select(self, mask)
    }

    /// The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
    /// sum of their `weights`. The result has at least `minlength` elements.
    #[track_caller]
    pub fn bincount(&self) -> Tensor {
        functions::bincount(self)
    }

    /// The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
    /// sum of their `weights`. The result has at least `minlength` elements.
    ///
    /// Options: `weights`, `minlength`.
    #[track_caller]
    pub fn bincount_with(&self, o: impl FnOnce(options::BincountOptions) -> options::BincountOptions) -> Tensor {
        functions::bincount_with(self, o)
    }

    /// Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
    /// vector of integers. `output_size` is the length of the result, if known.
    #[track_caller]
    pub fn repeat_interleave_tensor(&self, repeats: &Tensor, dim: impl IntoDim) -> Tensor {
        functions::repeat_interleave_tensor(self, repeats, dim)
    }

    /// Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
    /// vector of integers. `output_size` is the length of the result, if known.
    ///
    /// Options: `output_size`.
    #[track_caller]
    pub fn repeat_interleave_tensor_with(&self, repeats: &Tensor, dim: impl IntoDim, o: impl FnOnce(options::RepeatInterleaveTensorOptions) -> options::RepeatInterleaveTensorOptions) -> Tensor {
        functions::repeat_interleave_tensor_with(self, repeats, dim, o)
    }

}
