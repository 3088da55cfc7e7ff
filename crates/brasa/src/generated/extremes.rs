//! Generated from the `extremes` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`amax`](crate::ops::amax).
    #[derive(Clone, Debug)]
    pub struct AmaxOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for AmaxOptions {
        fn default() -> AmaxOptions {
            AmaxOptions {
                keepdim: false,
            }
        }
    }

    impl AmaxOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`amin`](crate::ops::amin).
    #[derive(Clone, Debug)]
    pub struct AminOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for AminOptions {
        fn default() -> AminOptions {
            AminOptions {
                keepdim: false,
            }
        }
    }

    impl AminOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`aminmax`](crate::ops::aminmax).
    #[derive(Clone, Debug)]
    pub struct AminmaxOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for AminmaxOptions {
        fn default() -> AminmaxOptions {
            AminmaxOptions {
                keepdim: false,
            }
        }
    }

    impl AminmaxOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`argmax`](crate::ops::argmax).
    #[derive(Clone, Debug)]
    pub struct ArgmaxOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for ArgmaxOptions {
        fn default() -> ArgmaxOptions {
            ArgmaxOptions {
                keepdim: false,
            }
        }
    }

    impl ArgmaxOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`argmin`](crate::ops::argmin).
    #[derive(Clone, Debug)]
    pub struct ArgminOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for ArgminOptions {
        fn default() -> ArgminOptions {
            ArgminOptions {
                keepdim: false,
            }
        }
    }

    impl ArgminOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
    #[track_caller]
    pub fn amax(input: &Tensor, dim: impl IntoDims) -> Tensor {
        amax_with(input, dim, |o| o)
    }

    /// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn amax_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::AmaxOptions) -> options::AmaxOptions) -> Tensor {
        let o = o(options::AmaxOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("amax", |scope| scope.leave(compose::amax(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn amax_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        amax_with(input, dim, |o| o.keepdim(true))
    }

    /// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
    #[track_caller]
    pub fn amin(input: &Tensor, dim: impl IntoDims) -> Tensor {
        amin_with(input, dim, |o| o)
    }

    /// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn amin_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::AminOptions) -> options::AminOptions) -> Tensor {
        let o = o(options::AminOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("amin", |scope| scope.leave(compose::amin(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn amin_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        amin_with(input, dim, |o| o.keepdim(true))
    }

    /// Smallest and largest element over `dim`, by default over all axes.
    #[track_caller]
    pub fn aminmax(input: &Tensor, dim: impl IntoDim) -> (Tensor, Tensor) {
        aminmax_with(input, dim, |o| o)
    }

    /// Smallest and largest element over `dim`, by default over all axes.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn aminmax_with(input: &Tensor, dim: impl IntoDim, o: impl FnOnce(options::AminmaxOptions) -> options::AminmaxOptions) -> (Tensor, Tensor) {
        let o = o(options::AminmaxOptions::default());
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        record("aminmax", |scope| scope.leave(compose::aminmax(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Smallest and largest element over `dim`, by default over all axes.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn aminmax_keepdim(input: &Tensor, dim: impl IntoDim) -> (Tensor, Tensor) {
        aminmax_with(input, dim, |o| o.keepdim(true))
    }

    /// Index of the first largest element along `dim`, by default of all elements in order.
    #[track_caller]
    pub fn argmax(input: &Tensor, dim: impl IntoDim) -> Tensor {
        argmax_with(input, dim, |o| o)
    }

    /// Index of the first largest element along `dim`, by default of all elements in order.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn argmax_with(input: &Tensor, dim: impl IntoDim, o: impl FnOnce(options::ArgmaxOptions) -> options::ArgmaxOptions) -> Tensor {
        let o = o(options::ArgmaxOptions::default());
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        record("argmax", |scope| scope.leave(compose::argmax(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Index of the first largest element along `dim`, by default of all elements in order.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn argmax_keepdim(input: &Tensor, dim: impl IntoDim) -> Tensor {
        argmax_with(input, dim, |o| o.keepdim(true))
    }

    /// Index of the first smallest element along `dim`, by default of all elements in order.
    #[track_caller]
    pub fn argmin(input: &Tensor, dim: impl IntoDim) -> Tensor {
        argmin_with(input, dim, |o| o)
    }

    /// Index of the first smallest element along `dim`, by default of all elements in order.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn argmin_with(input: &Tensor, dim: impl IntoDim, o: impl FnOnce(options::ArgminOptions) -> options::ArgminOptions) -> Tensor {
        let o = o(options::ArgminOptions::default());
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        record("argmin", |scope| scope.leave(compose::argmin(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Index of the first smallest element along `dim`, by default of all elements in order.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn argmin_keepdim(input: &Tensor, dim: impl IntoDim) -> Tensor {
        argmin_with(input, dim, |o| o.keepdim(true))
    }
}

impl Tensor {
    /// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
    #[track_caller]
    pub fn amax(&self, dim: impl IntoDims) -> Tensor {
        functions::amax(self, dim)
    }

    /// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn amax_with(&self, dim: impl IntoDims, o: impl FnOnce(options::AmaxOptions) -> options::AmaxOptions) -> Tensor {
        functions::amax_with(self, dim, o)
    }

    /// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn amax_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::amax_keepdim(self, dim)
    }

    /// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
    #[track_caller]
    pub fn amin(&self, dim: impl IntoDims) -> Tensor {
        functions::amin(self, dim)
    }

    /// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn amin_with(&self, dim: impl IntoDims, o: impl FnOnce(options::AminOptions) -> options::AminOptions) -> Tensor {
        functions::amin_with(self, dim, o)
    }

    /// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn amin_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::amin_keepdim(self, dim)
    }

    /// Smallest and largest element over `dim`, by default over all axes.
    #[track_caller]
    pub fn aminmax(&self, dim: impl IntoDim) -> (Tensor, Tensor) {
        functions::aminmax(self, dim)
    }

    /// Smallest and largest element over `dim`, by default over all axes.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn aminmax_with(&self, dim: impl IntoDim, o: impl FnOnce(options::AminmaxOptions) -> options::AminmaxOptions) -> (Tensor, Tensor) {
        functions::aminmax_with(self, dim, o)
    }

    /// Smallest and largest element over `dim`, by default over all axes.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn aminmax_keepdim(&self, dim: impl IntoDim) -> (Tensor, Tensor) {
        functions::aminmax_keepdim(self, dim)
    }

    /// Index of the first largest element along `dim`, by default of all elements in order.
    #[track_caller]
    pub fn argmax(&self, dim: impl IntoDim) -> Tensor {
        functions::argmax(self, dim)
    }

    /// Index of the first largest element along `dim`, by default of all elements in order.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn argmax_with(&self, dim: impl IntoDim, o: impl FnOnce(options::ArgmaxOptions) -> options::ArgmaxOptions) -> Tensor {
        functions::argmax_with(self, dim, o)
    }

    /// Index of the first largest element along `dim`, by default of all elements in order.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn argmax_keepdim(&self, dim: impl IntoDim) -> Tensor {
        functions::argmax_keepdim(self, dim)
    }

    /// Index of the first smallest element along `dim`, by default of all elements in order.
    #[track_caller]
    pub fn argmin(&self, dim: impl IntoDim) -> Tensor {
        functions::argmin(self, dim)
    }

    /// Index of the first smallest element along `dim`, by default of all elements in order.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn argmin_with(&self, dim: impl IntoDim, o: impl FnOnce(options::ArgminOptions) -> options::ArgminOptions) -> Tensor {
        functions::argmin_with(self, dim, o)
    }

    /// Index of the first smallest element along `dim`, by default of all elements in order.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn argmin_keepdim(&self, dim: impl IntoDim) -> Tensor {
        functions::argmin_keepdim(self, dim)
    }

}
