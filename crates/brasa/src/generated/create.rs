//! Generated from the `create` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`zeros`](crate::ops::zeros).
    #[derive(Clone, Debug)]
    pub struct ZerosOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for ZerosOptions {
        fn default() -> ZerosOptions {
            ZerosOptions {
                dtype: None,
            }
        }
    }

    impl ZerosOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`ones`](crate::ops::ones).
    #[derive(Clone, Debug)]
    pub struct OnesOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for OnesOptions {
        fn default() -> OnesOptions {
            OnesOptions {
                dtype: None,
            }
        }
    }

    impl OnesOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`full`](crate::ops::full).
    #[derive(Clone, Debug)]
    pub struct FullOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for FullOptions {
        fn default() -> FullOptions {
            FullOptions {
                dtype: None,
            }
        }
    }

    impl FullOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`zeros_like`](crate::ops::zeros_like).
    #[derive(Clone, Debug)]
    pub struct ZerosLikeOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for ZerosLikeOptions {
        fn default() -> ZerosLikeOptions {
            ZerosLikeOptions {
                dtype: None,
            }
        }
    }

    impl ZerosLikeOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`ones_like`](crate::ops::ones_like).
    #[derive(Clone, Debug)]
    pub struct OnesLikeOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for OnesLikeOptions {
        fn default() -> OnesLikeOptions {
            OnesLikeOptions {
                dtype: None,
            }
        }
    }

    impl OnesLikeOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`full_like`](crate::ops::full_like).
    #[derive(Clone, Debug)]
    pub struct FullLikeOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for FullLikeOptions {
        fn default() -> FullLikeOptions {
            FullLikeOptions {
                dtype: None,
            }
        }
    }

    impl FullLikeOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`new_zeros`](crate::ops::new_zeros).
    #[derive(Clone, Debug)]
    pub struct NewZerosOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for NewZerosOptions {
        fn default() -> NewZerosOptions {
            NewZerosOptions {
                dtype: None,
            }
        }
    }

    impl NewZerosOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`new_ones`](crate::ops::new_ones).
    #[derive(Clone, Debug)]
    pub struct NewOnesOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for NewOnesOptions {
        fn default() -> NewOnesOptions {
            NewOnesOptions {
                dtype: None,
            }
        }
    }

    impl NewOnesOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`new_full`](crate::ops::new_full).
    #[derive(Clone, Debug)]
    pub struct NewFullOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for NewFullOptions {
        fn default() -> NewFullOptions {
            NewFullOptions {
                dtype: None,
            }
        }
    }

    impl NewFullOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`scalar_tensor`](crate::ops::scalar_tensor).
    #[derive(Clone, Debug)]
    pub struct ScalarTensorOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for ScalarTensorOptions {
        fn default() -> ScalarTensorOptions {
            ScalarTensorOptions {
                dtype: None,
            }
        }
    }

    impl ScalarTensorOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`linspace`](crate::ops::linspace).
    #[derive(Clone, Debug)]
    pub struct LinspaceOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for LinspaceOptions {
        fn default() -> LinspaceOptions {
            LinspaceOptions {
                dtype: None,
            }
        }
    }

    impl LinspaceOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`logspace`](crate::ops::logspace).
    #[derive(Clone, Debug)]
    pub struct LogspaceOptions {
        pub(crate) base: f64,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for LogspaceOptions {
        fn default() -> LogspaceOptions {
            LogspaceOptions {
                base: 10.0,
                dtype: None,
            }
        }
    }

    impl LogspaceOptions {
        /// Sets `base`; by default `10.0`.
        pub fn base(mut self, base: f64) -> Self {
            self.base = base;
            self
        }

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

    /// A tensor of zeros.
    #[track_caller]
    pub fn zeros(size: impl IntoList<usize>) -> Tensor {
        zeros_with(size, |o| o)
    }

    /// A tensor of zeros.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn zeros_with(size: impl IntoList<usize>, o: impl FnOnce(options::ZerosOptions) -> options::ZerosOptions) -> Tensor {
        let o = o(options::ZerosOptions::default());
        let size: Vec<usize> = size.into_list();
        record("zeros", |scope| scope.leave(compose::zeros(scope.g, Shape::from(size), o.dtype)))
    }

    /// A tensor of ones.
    #[track_caller]
    pub fn ones(size: impl IntoList<usize>) -> Tensor {
        ones_with(size, |o| o)
    }

    /// A tensor of ones.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn ones_with(size: impl IntoList<usize>, o: impl FnOnce(options::OnesOptions) -> options::OnesOptions) -> Tensor {
        let o = o(options::OnesOptions::default());
        let size: Vec<usize> = size.into_list();
        record("ones", |scope| scope.leave(compose::ones(scope.g, Shape::from(size), o.dtype)))
    }

    /// A tensor filled with `fill_value`, which determines the dtype unless that is given.
    #[track_caller]
    pub fn full(size: impl IntoList<usize>, fill_value: impl Into<Operand>) -> Tensor {
        full_with(size, fill_value, |o| o)
    }

    /// A tensor filled with `fill_value`, which determines the dtype unless that is given.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn full_with(size: impl IntoList<usize>, fill_value: impl Into<Operand>, o: impl FnOnce(options::FullOptions) -> options::FullOptions) -> Tensor {
        let o = o(options::FullOptions::default());
        let size: Vec<usize> = size.into_list();
        let fill_value: Operand = fill_value.into();
        fill_value.settle();
        record("full", |scope| scope.leave(compose::full(scope.g, Shape::from(size), fill_value.enter(scope), o.dtype)))
    }

    /// Zeros of the shape and dtype of `input`.
    #[track_caller]
    pub fn zeros_like(input: &Tensor) -> Tensor {
        zeros_like_with(input, |o| o)
    }

    /// Zeros of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn zeros_like_with(input: &Tensor, o: impl FnOnce(options::ZerosLikeOptions) -> options::ZerosLikeOptions) -> Tensor {
        let o = o(options::ZerosLikeOptions::default());
        input.settle();
        record("zeros_like", |scope| scope.leave(compose::zeros_like(scope.g, input.enter(scope), o.dtype)))
    }

    /// Ones of the shape and dtype of `input`.
    #[track_caller]
    pub fn ones_like(input: &Tensor) -> Tensor {
        ones_like_with(input, |o| o)
    }

    /// Ones of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn ones_like_with(input: &Tensor, o: impl FnOnce(options::OnesLikeOptions) -> options::OnesLikeOptions) -> Tensor {
        let o = o(options::OnesLikeOptions::default());
        input.settle();
        record("ones_like", |scope| scope.leave(compose::ones_like(scope.g, input.enter(scope), o.dtype)))
    }

    /// A tensor filled with `fill_value`, of the shape and dtype of `input`.
    #[track_caller]
    pub fn full_like(input: &Tensor, fill_value: impl Into<Operand>) -> Tensor {
        full_like_with(input, fill_value, |o| o)
    }

    /// A tensor filled with `fill_value`, of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn full_like_with(input: &Tensor, fill_value: impl Into<Operand>, o: impl FnOnce(options::FullLikeOptions) -> options::FullLikeOptions) -> Tensor {
        let o = o(options::FullLikeOptions::default());
        let fill_value: Operand = fill_value.into();
        input.settle();
        fill_value.settle();
        record("full_like", |scope| scope.leave(compose::full_like(scope.g, input.enter(scope), fill_value.enter(scope), o.dtype)))
    }

    /// Zeros of another shape, in the dtype of `input`.
    #[track_caller]
    pub fn new_zeros(input: &Tensor, size: impl IntoList<usize>) -> Tensor {
        new_zeros_with(input, size, |o| o)
    }

    /// Zeros of another shape, in the dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn new_zeros_with(input: &Tensor, size: impl IntoList<usize>, o: impl FnOnce(options::NewZerosOptions) -> options::NewZerosOptions) -> Tensor {
        let o = o(options::NewZerosOptions::default());
        let size: Vec<usize> = size.into_list();
        input.settle();
        record("new_zeros", |scope| scope.leave(compose::new_zeros(scope.g, input.enter(scope), Shape::from(size), o.dtype)))
    }

    /// Ones of another shape, in the dtype of `input`.
    #[track_caller]
    pub fn new_ones(input: &Tensor, size: impl IntoList<usize>) -> Tensor {
        new_ones_with(input, size, |o| o)
    }

    /// Ones of another shape, in the dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn new_ones_with(input: &Tensor, size: impl IntoList<usize>, o: impl FnOnce(options::NewOnesOptions) -> options::NewOnesOptions) -> Tensor {
        let o = o(options::NewOnesOptions::default());
        let size: Vec<usize> = size.into_list();
        input.settle();
        record("new_ones", |scope| scope.leave(compose::new_ones(scope.g, input.enter(scope), Shape::from(size), o.dtype)))
    }

    /// A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
    #[track_caller]
    pub fn new_full(input: &Tensor, size: impl IntoList<usize>, fill_value: impl Into<Operand>) -> Tensor {
        new_full_with(input, size, fill_value, |o| o)
    }

    /// A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn new_full_with(input: &Tensor, size: impl IntoList<usize>, fill_value: impl Into<Operand>, o: impl FnOnce(options::NewFullOptions) -> options::NewFullOptions) -> Tensor {
        let o = o(options::NewFullOptions::default());
        let size: Vec<usize> = size.into_list();
        let fill_value: Operand = fill_value.into();
        input.settle();
        fill_value.settle();
        record("new_full", |scope| scope.leave(compose::new_full(scope.g, input.enter(scope), Shape::from(size), fill_value.enter(scope), o.dtype)))
    }

    /// A number as a tensor without axes.
    #[track_caller]
    pub fn scalar_tensor(s: impl Into<Number>) -> Tensor {
        scalar_tensor_with(s, |o| o)
    }

    /// A number as a tensor without axes.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn scalar_tensor_with(s: impl Into<Number>, o: impl FnOnce(options::ScalarTensorOptions) -> options::ScalarTensorOptions) -> Tensor {
        let o = o(options::ScalarTensorOptions::default());
        let s: Number = s.into();
        record("scalar_tensor", |scope| scope.leave(compose::scalar_tensor(scope.g, s, o.dtype)))
    }

    /// `input` with every element replaced by `value`.
    #[track_caller]
    pub fn fill(input: &Tensor, value: impl Into<Operand>) -> Tensor {
        let value: Operand = value.into();
        input.settle();
        value.settle();
        record("fill", |scope| scope.leave(compose::fill(scope.g, input.enter(scope), value.enter(scope))))
    }

    /// `steps` numbers from `start` to `end`, both included, evenly apart.
    #[track_caller]
    pub fn linspace(start: impl Into<Operand>, end: impl Into<Operand>, steps: usize) -> Tensor {
        linspace_with(start, end, steps, |o| o)
    }

    /// `steps` numbers from `start` to `end`, both included, evenly apart.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn linspace_with(start: impl Into<Operand>, end: impl Into<Operand>, steps: usize, o: impl FnOnce(options::LinspaceOptions) -> options::LinspaceOptions) -> Tensor {
        let o = o(options::LinspaceOptions::default());
        let start: Operand = start.into();
        let end: Operand = end.into();
        start.settle();
        end.settle();
        record("linspace", |scope| scope.leave(compose::linspace(scope.g, start.enter(scope), end.enter(scope), steps, o.dtype)))
    }

    /// `base` to the powers of `linspace(start, end, steps)`.
    #[track_caller]
    pub fn logspace(start: impl Into<Operand>, end: impl Into<Operand>, steps: usize) -> Tensor {
        logspace_with(start, end, steps, |o| o)
    }

    /// `base` to the powers of `linspace(start, end, steps)`.
    ///
    /// Options: `base`, `dtype`.
    #[track_caller]
    pub fn logspace_with(start: impl Into<Operand>, end: impl Into<Operand>, steps: usize, o: impl FnOnce(options::LogspaceOptions) -> options::LogspaceOptions) -> Tensor {
        let o = o(options::LogspaceOptions::default());
        let start: Operand = start.into();
        let end: Operand = end.into();
        start.settle();
        end.settle();
        record("logspace", |scope| scope.leave(compose::logspace(scope.g, start.enter(scope), end.enter(scope), steps, o.base, o.dtype)))
    }
}

impl Tensor {
    /// Zeros of the shape and dtype of `input`.
    #[track_caller]
    pub fn zeros_like(&self) -> Tensor {
        functions::zeros_like(self)
    }

    /// Another name for [`zeros_like`](Tensor::zeros_like).
    #[track_caller]
    pub fn empty_like(&self) -> Tensor {
        functions::zeros_like(self)
    }

    /// Zeros of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn zeros_like_with(&self, o: impl FnOnce(options::ZerosLikeOptions) -> options::ZerosLikeOptions) -> Tensor {
        functions::zeros_like_with(self, o)
    }

    /// Ones of the shape and dtype of `input`.
    #[track_caller]
    pub fn ones_like(&self) -> Tensor {
        functions::ones_like(self)
    }

    /// Ones of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn ones_like_with(&self, o: impl FnOnce(options::OnesLikeOptions) -> options::OnesLikeOptions) -> Tensor {
        functions::ones_like_with(self, o)
    }

    /// A tensor filled with `fill_value`, of the shape and dtype of `input`.
    #[track_caller]
    pub fn full_like(&self, fill_value: impl Into<Operand>) -> Tensor {
        functions::full_like(self, fill_value)
    }

    /// A tensor filled with `fill_value`, of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn full_like_with(&self, fill_value: impl Into<Operand>, o: impl FnOnce(options::FullLikeOptions) -> options::FullLikeOptions) -> Tensor {
        functions::full_like_with(self, fill_value, o)
    }

    /// Zeros of another shape, in the dtype of `input`.
    #[track_caller]
    pub fn new_zeros(&self, size: impl IntoList<usize>) -> Tensor {
        functions::new_zeros(self, size)
    }

    /// Another name for [`new_zeros`](Tensor::new_zeros).
    #[track_caller]
    pub fn new_empty(&self, size: impl IntoList<usize>) -> Tensor {
        functions::new_zeros(self, size)
    }

    /// Zeros of another shape, in the dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn new_zeros_with(&self, size: impl IntoList<usize>, o: impl FnOnce(options::NewZerosOptions) -> options::NewZerosOptions) -> Tensor {
        functions::new_zeros_with(self, size, o)
    }

    /// Ones of another shape, in the dtype of `input`.
    #[track_caller]
    pub fn new_ones(&self, size: impl IntoList<usize>) -> Tensor {
        functions::new_ones(self, size)
    }

    /// Ones of another shape, in the dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn new_ones_with(&self, size: impl IntoList<usize>, o: impl FnOnce(options::NewOnesOptions) -> options::NewOnesOptions) -> Tensor {
        functions::new_ones_with(self, size, o)
    }

    /// A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
    #[track_caller]
    pub fn new_full(&self, size: impl IntoList<usize>, fill_value: impl Into<Operand>) -> Tensor {
        functions::new_full(self, size, fill_value)
    }

    /// A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn new_full_with(&self, size: impl IntoList<usize>, fill_value: impl Into<Operand>, o: impl FnOnce(options::NewFullOptions) -> options::NewFullOptions) -> Tensor {
        functions::new_full_with(self, size, fill_value, o)
    }

    /// `input` with every element replaced by `value`.
    #[track_caller]
    pub fn fill(&self, value: impl Into<Operand>) -> Tensor {
        functions::fill(self, value)
    }

    /// `steps` numbers from `start` to `end`, both included, evenly apart.
    #[track_caller]
    pub fn linspace(&self, end: impl Into<Operand>, steps: usize) -> Tensor {
        functions::linspace(self, end, steps)
    }

    /// `steps` numbers from `start` to `end`, both included, evenly apart.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn linspace_with(&self, end: impl Into<Operand>, steps: usize, o: impl FnOnce(options::LinspaceOptions) -> options::LinspaceOptions) -> Tensor {
        functions::linspace_with(self, end, steps, o)
    }

    /// `base` to the powers of `linspace(start, end, steps)`.
    #[track_caller]
    pub fn logspace(&self, end: impl Into<Operand>, steps: usize) -> Tensor {
        functions::logspace(self, end, steps)
    }

    /// `base` to the powers of `linspace(start, end, steps)`.
    ///
    /// Options: `base`, `dtype`.
    #[track_caller]
    pub fn logspace_with(&self, end: impl Into<Operand>, steps: usize, o: impl FnOnce(options::LogspaceOptions) -> options::LogspaceOptions) -> Tensor {
        functions::logspace_with(self, end, steps, o)
    }

}
