//! Generated from the `statistics` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`var`](crate::ops::var).
    #[derive(Clone, Debug)]
    pub struct VarOptions {
        pub(crate) correction: Option<Number>,
        pub(crate) keepdim: bool,
        pub(crate) unbiased: Option<bool>,
    }

    impl Default for VarOptions {
        fn default() -> VarOptions {
            VarOptions {
                correction: None,
                keepdim: false,
                unbiased: None,
            }
        }
    }

    impl VarOptions {
        /// Sets `correction`; by default not given.
        pub fn correction(mut self, correction: impl Into<Number>) -> Self {
            self.correction = Some(correction.into());
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `unbiased`; by default not given.
        pub fn unbiased(mut self, unbiased: impl Into<Option<bool>>) -> Self {
            self.unbiased = unbiased.into();
            self
        }
    }

    /// Options of [`std`](crate::ops::std).
    #[derive(Clone, Debug)]
    pub struct StdOptions {
        pub(crate) correction: Option<Number>,
        pub(crate) keepdim: bool,
        pub(crate) unbiased: Option<bool>,
    }

    impl Default for StdOptions {
        fn default() -> StdOptions {
            StdOptions {
                correction: None,
                keepdim: false,
                unbiased: None,
            }
        }
    }

    impl StdOptions {
        /// Sets `correction`; by default not given.
        pub fn correction(mut self, correction: impl Into<Number>) -> Self {
            self.correction = Some(correction.into());
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `unbiased`; by default not given.
        pub fn unbiased(mut self, unbiased: impl Into<Option<bool>>) -> Self {
            self.unbiased = unbiased.into();
            self
        }
    }

    /// Options of [`var_mean`](crate::ops::var_mean).
    #[derive(Clone, Debug)]
    pub struct VarMeanOptions {
        pub(crate) correction: Option<Number>,
        pub(crate) keepdim: bool,
        pub(crate) unbiased: Option<bool>,
    }

    impl Default for VarMeanOptions {
        fn default() -> VarMeanOptions {
            VarMeanOptions {
                correction: None,
                keepdim: false,
                unbiased: None,
            }
        }
    }

    impl VarMeanOptions {
        /// Sets `correction`; by default not given.
        pub fn correction(mut self, correction: impl Into<Number>) -> Self {
            self.correction = Some(correction.into());
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `unbiased`; by default not given.
        pub fn unbiased(mut self, unbiased: impl Into<Option<bool>>) -> Self {
            self.unbiased = unbiased.into();
            self
        }
    }

    /// Options of [`std_mean`](crate::ops::std_mean).
    #[derive(Clone, Debug)]
    pub struct StdMeanOptions {
        pub(crate) correction: Option<Number>,
        pub(crate) keepdim: bool,
        pub(crate) unbiased: Option<bool>,
    }

    impl Default for StdMeanOptions {
        fn default() -> StdMeanOptions {
            StdMeanOptions {
                correction: None,
                keepdim: false,
                unbiased: None,
            }
        }
    }

    impl StdMeanOptions {
        /// Sets `correction`; by default not given.
        pub fn correction(mut self, correction: impl Into<Number>) -> Self {
            self.correction = Some(correction.into());
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `unbiased`; by default not given.
        pub fn unbiased(mut self, unbiased: impl Into<Option<bool>>) -> Self {
            self.unbiased = unbiased.into();
            self
        }
    }

    /// Options of [`mode`](crate::ops::mode).
    #[derive(Clone, Debug)]
    pub struct ModeOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for ModeOptions {
        fn default() -> ModeOptions {
            ModeOptions {
                keepdim: false,
            }
        }
    }

    impl ModeOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`quantile`](crate::ops::quantile).
    #[derive(Clone, Debug)]
    pub struct QuantileOptions {
        pub(crate) keepdim: bool,
        pub(crate) interpolation: brasa_ir::compose::Between,
    }

    impl Default for QuantileOptions {
        fn default() -> QuantileOptions {
            QuantileOptions {
                keepdim: false,
                interpolation: brasa_ir::compose::Between::Linear,
            }
        }
    }

    impl QuantileOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `interpolation`; by default `Between::Linear`.
        pub fn interpolation(mut self, interpolation: brasa_ir::compose::Between) -> Self {
            self.interpolation = interpolation;
            self
        }
    }

    /// Options of [`nanquantile`](crate::ops::nanquantile).
    #[derive(Clone, Debug)]
    pub struct NanquantileOptions {
        pub(crate) keepdim: bool,
        pub(crate) interpolation: brasa_ir::compose::Between,
    }

    impl Default for NanquantileOptions {
        fn default() -> NanquantileOptions {
            NanquantileOptions {
                keepdim: false,
                interpolation: brasa_ir::compose::Between::Linear,
            }
        }
    }

    impl NanquantileOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `interpolation`; by default `Between::Linear`.
        pub fn interpolation(mut self, interpolation: brasa_ir::compose::Between) -> Self {
            self.interpolation = interpolation;
            self
        }
    }

    /// Options of [`histc`](crate::ops::histc).
    #[derive(Clone, Debug)]
    pub struct HistcOptions {
        pub(crate) bins: usize,
        pub(crate) min: f64,
        pub(crate) max: f64,
    }

    impl Default for HistcOptions {
        fn default() -> HistcOptions {
            HistcOptions {
                bins: 100,
                min: 0.0,
                max: 0.0,
            }
        }
    }

    impl HistcOptions {
        /// Sets `bins`; by default `100`.
        pub fn bins(mut self, bins: usize) -> Self {
            self.bins = bins;
            self
        }

        /// Sets `min`; by default `0.0`.
        pub fn min(mut self, min: f64) -> Self {
            self.min = min;
            self
        }

        /// Sets `max`; by default `0.0`.
        pub fn max(mut self, max: f64) -> Self {
            self.max = max;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
    /// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
    /// PyTorch's older form: true is `correction` 1, false is 0.
    #[track_caller]
    pub fn var(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        var_with(input, dim, |o| o)
    }

    /// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
    /// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
    /// PyTorch's older form: true is `correction` 1, false is 0.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn var_with(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::VarOptions) -> options::VarOptions) -> Tensor {
        let o = o(options::VarOptions::default());
        let dim: Option<brasa_ir::compose::Over> = dim.into();
        input.settle();
        record("var", |scope| scope.leave(compose::var(scope.g, input.enter(scope), dim, o.correction, o.keepdim, o.unbiased)))
    }

    /// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
    /// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
    /// PyTorch's older form: true is `correction` 1, false is 0.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn var_keepdim(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        var_with(input, dim, |o| o.keepdim(true))
    }

    /// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
    #[track_caller]
    pub fn std(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        std_with(input, dim, |o| o)
    }

    /// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn std_with(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::StdOptions) -> options::StdOptions) -> Tensor {
        let o = o(options::StdOptions::default());
        let dim: Option<brasa_ir::compose::Over> = dim.into();
        input.settle();
        record("std", |scope| scope.leave(compose::std_(scope.g, input.enter(scope), dim, o.correction, o.keepdim, o.unbiased)))
    }

    /// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn std_keepdim(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        std_with(input, dim, |o| o.keepdim(true))
    }

    /// Variance and mean over `dim`.
    #[track_caller]
    pub fn var_mean(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        var_mean_with(input, dim, |o| o)
    }

    /// Variance and mean over `dim`.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn var_mean_with(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::VarMeanOptions) -> options::VarMeanOptions) -> (Tensor, Tensor) {
        let o = o(options::VarMeanOptions::default());
        let dim: Option<brasa_ir::compose::Over> = dim.into();
        input.settle();
        record("var_mean", |scope| scope.leave(compose::var_mean(scope.g, input.enter(scope), dim, o.correction, o.keepdim, o.unbiased)))
    }

    /// Variance and mean over `dim`.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn var_mean_keepdim(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        var_mean_with(input, dim, |o| o.keepdim(true))
    }

    /// Standard deviation and mean over `dim`.
    #[track_caller]
    pub fn std_mean(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        std_mean_with(input, dim, |o| o)
    }

    /// Standard deviation and mean over `dim`.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn std_mean_with(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::StdMeanOptions) -> options::StdMeanOptions) -> (Tensor, Tensor) {
        let o = o(options::StdMeanOptions::default());
        let dim: Option<brasa_ir::compose::Over> = dim.into();
        input.settle();
        record("std_mean", |scope| scope.leave(compose::std_mean(scope.g, input.enter(scope), dim, o.correction, o.keepdim, o.unbiased)))
    }

    /// Standard deviation and mean over `dim`.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn std_mean_keepdim(input: &Tensor, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        std_mean_with(input, dim, |o| o.keepdim(true))
    }

    /// The most frequent value along `dim` (the smallest of several), and its last index.
    #[track_caller]
    pub fn mode(input: &Tensor, dim: isize) -> (Tensor, Tensor) {
        mode_with(input, dim, |o| o)
    }

    /// The most frequent value along `dim` (the smallest of several), and its last index.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn mode_with(input: &Tensor, dim: isize, o: impl FnOnce(options::ModeOptions) -> options::ModeOptions) -> (Tensor, Tensor) {
        let o = o(options::ModeOptions::default());
        input.settle();
        record("mode", |scope| scope.leave(compose::mode(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// The most frequent value along `dim` (the smallest of several), and its last index.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn mode_keepdim(input: &Tensor, dim: isize) -> (Tensor, Tensor) {
        mode_with(input, dim, |o| o.keepdim(true))
    }

    /// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
    /// adds a first axis. NaN if any element is.
    #[track_caller]
    pub fn quantile(input: &Tensor, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        quantile_with(input, q, dim, |o| o)
    }

    /// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
    /// adds a first axis. NaN if any element is.
    ///
    /// Options: `keepdim`, `interpolation`.
    #[track_caller]
    pub fn quantile_with(input: &Tensor, q: impl Into<Operand>, dim: impl IntoDim, o: impl FnOnce(options::QuantileOptions) -> options::QuantileOptions) -> Tensor {
        let o = o(options::QuantileOptions::default());
        let q: Operand = q.into();
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        q.settle();
        record("quantile", |scope| scope.leave(compose::quantile(scope.g, input.enter(scope), q.enter(scope), dim, o.keepdim, o.interpolation)))
    }

    /// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
    /// adds a first axis. NaN if any element is.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn quantile_keepdim(input: &Tensor, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        quantile_with(input, q, dim, |o| o.keepdim(true))
    }

    /// `quantile` of the elements that are not NaN.
    #[track_caller]
    pub fn nanquantile(input: &Tensor, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        nanquantile_with(input, q, dim, |o| o)
    }

    /// `quantile` of the elements that are not NaN.
    ///
    /// Options: `keepdim`, `interpolation`.
    #[track_caller]
    pub fn nanquantile_with(input: &Tensor, q: impl Into<Operand>, dim: impl IntoDim, o: impl FnOnce(options::NanquantileOptions) -> options::NanquantileOptions) -> Tensor {
        let o = o(options::NanquantileOptions::default());
        let q: Operand = q.into();
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        q.settle();
        record("nanquantile", |scope| scope.leave(compose::nanquantile(scope.g, input.enter(scope), q.enter(scope), dim, o.keepdim, o.interpolation)))
    }

    /// `quantile` of the elements that are not NaN.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn nanquantile_keepdim(input: &Tensor, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        nanquantile_with(input, q, dim, |o| o.keepdim(true))
    }

    /// Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
    /// default from the smallest to the largest element. Elements outside are not counted.
    #[track_caller]
    pub fn histc(input: &Tensor) -> Tensor {
        histc_with(input, |o| o)
    }

    /// Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
    /// default from the smallest to the largest element. Elements outside are not counted.
    ///
    /// Options: `bins`, `min`, `max`.
    #[track_caller]
    pub fn histc_with(input: &Tensor, o: impl FnOnce(options::HistcOptions) -> options::HistcOptions) -> Tensor {
        let o = o(options::HistcOptions::default());
        input.settle();
        record("histc", |scope| scope.leave(compose::histc(scope.g, input.enter(scope), o.bins, o.min, o.max)))
    }
}

impl Tensor {
    /// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
    /// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
    /// PyTorch's older form: true is `correction` 1, false is 0.
    #[track_caller]
    pub fn var(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        functions::var(self, dim)
    }

    /// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
    /// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
    /// PyTorch's older form: true is `correction` 1, false is 0.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn var_with(&self, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::VarOptions) -> options::VarOptions) -> Tensor {
        functions::var_with(self, dim, o)
    }

    /// Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
    /// divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
    /// PyTorch's older form: true is `correction` 1, false is 0.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn var_keepdim(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        functions::var_keepdim(self, dim)
    }

    /// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
    #[track_caller]
    pub fn std(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        functions::std(self, dim)
    }

    /// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn std_with(&self, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::StdOptions) -> options::StdOptions) -> Tensor {
        functions::std_with(self, dim, o)
    }

    /// Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn std_keepdim(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> Tensor {
        functions::std_keepdim(self, dim)
    }

    /// Variance and mean over `dim`.
    #[track_caller]
    pub fn var_mean(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        functions::var_mean(self, dim)
    }

    /// Variance and mean over `dim`.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn var_mean_with(&self, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::VarMeanOptions) -> options::VarMeanOptions) -> (Tensor, Tensor) {
        functions::var_mean_with(self, dim, o)
    }

    /// Variance and mean over `dim`.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn var_mean_keepdim(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        functions::var_mean_keepdim(self, dim)
    }

    /// Standard deviation and mean over `dim`.
    #[track_caller]
    pub fn std_mean(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        functions::std_mean(self, dim)
    }

    /// Standard deviation and mean over `dim`.
    ///
    /// Options: `correction`, `keepdim`, `unbiased`.
    #[track_caller]
    pub fn std_mean_with(&self, dim: impl Into<Option<brasa_ir::compose::Over>>, o: impl FnOnce(options::StdMeanOptions) -> options::StdMeanOptions) -> (Tensor, Tensor) {
        functions::std_mean_with(self, dim, o)
    }

    /// Standard deviation and mean over `dim`.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn std_mean_keepdim(&self, dim: impl Into<Option<brasa_ir::compose::Over>>) -> (Tensor, Tensor) {
        functions::std_mean_keepdim(self, dim)
    }

    /// The most frequent value along `dim` (the smallest of several), and its last index.
    #[track_caller]
    pub fn mode(&self, dim: isize) -> (Tensor, Tensor) {
        functions::mode(self, dim)
    }

    /// The most frequent value along `dim` (the smallest of several), and its last index.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn mode_with(&self, dim: isize, o: impl FnOnce(options::ModeOptions) -> options::ModeOptions) -> (Tensor, Tensor) {
        functions::mode_with(self, dim, o)
    }

    /// The most frequent value along `dim` (the smallest of several), and its last index.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn mode_keepdim(&self, dim: isize) -> (Tensor, Tensor) {
        functions::mode_keepdim(self, dim)
    }

    /// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
    /// adds a first axis. NaN if any element is.
    #[track_caller]
    pub fn quantile(&self, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        functions::quantile(self, q, dim)
    }

    /// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
    /// adds a first axis. NaN if any element is.
    ///
    /// Options: `keepdim`, `interpolation`.
    #[track_caller]
    pub fn quantile_with(&self, q: impl Into<Operand>, dim: impl IntoDim, o: impl FnOnce(options::QuantileOptions) -> options::QuantileOptions) -> Tensor {
        functions::quantile_with(self, q, dim, o)
    }

    /// The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
    /// adds a first axis. NaN if any element is.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn quantile_keepdim(&self, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        functions::quantile_keepdim(self, q, dim)
    }

    /// `quantile` of the elements that are not NaN.
    #[track_caller]
    pub fn nanquantile(&self, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        functions::nanquantile(self, q, dim)
    }

    /// `quantile` of the elements that are not NaN.
    ///
    /// Options: `keepdim`, `interpolation`.
    #[track_caller]
    pub fn nanquantile_with(&self, q: impl Into<Operand>, dim: impl IntoDim, o: impl FnOnce(options::NanquantileOptions) -> options::NanquantileOptions) -> Tensor {
        functions::nanquantile_with(self, q, dim, o)
    }

    /// `quantile` of the elements that are not NaN.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn nanquantile_keepdim(&self, q: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        functions::nanquantile_keepdim(self, q, dim)
    }

    /// Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
    /// default from the smallest to the largest element. Elements outside are not counted.
    #[track_caller]
    pub fn histc(&self) -> Tensor {
        functions::histc(self)
    }

    /// Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
    /// default from the smallest to the largest element. Elements outside are not counted.
    ///
    /// Options: `bins`, `min`, `max`.
    #[track_caller]
    pub fn histc_with(&self, o: impl FnOnce(options::HistcOptions) -> options::HistcOptions) -> Tensor {
        functions::histc_with(self, o)
    }

}
