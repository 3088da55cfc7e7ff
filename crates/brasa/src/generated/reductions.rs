//! Generated from the `reductions` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`sum`](crate::ops::sum).
    #[derive(Clone, Debug)]
    pub struct SumOptions {
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for SumOptions {
        fn default() -> SumOptions {
            SumOptions {
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl SumOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`mean`](crate::ops::mean).
    #[derive(Clone, Debug)]
    pub struct MeanOptions {
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for MeanOptions {
        fn default() -> MeanOptions {
            MeanOptions {
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl MeanOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`nansum`](crate::ops::nansum).
    #[derive(Clone, Debug)]
    pub struct NansumOptions {
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for NansumOptions {
        fn default() -> NansumOptions {
            NansumOptions {
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl NansumOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`nanmean`](crate::ops::nanmean).
    #[derive(Clone, Debug)]
    pub struct NanmeanOptions {
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for NanmeanOptions {
        fn default() -> NanmeanOptions {
            NanmeanOptions {
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl NanmeanOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`prod`](crate::ops::prod).
    #[derive(Clone, Debug)]
    pub struct ProdOptions {
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for ProdOptions {
        fn default() -> ProdOptions {
            ProdOptions {
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl ProdOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`all`](crate::ops::all).
    #[derive(Clone, Debug)]
    pub struct AllOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for AllOptions {
        fn default() -> AllOptions {
            AllOptions {
                keepdim: false,
            }
        }
    }

    impl AllOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`any`](crate::ops::any).
    #[derive(Clone, Debug)]
    pub struct AnyOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for AnyOptions {
        fn default() -> AnyOptions {
            AnyOptions {
                keepdim: false,
            }
        }
    }

    impl AnyOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`logsumexp`](crate::ops::logsumexp).
    #[derive(Clone, Debug)]
    pub struct LogsumexpOptions {
        pub(crate) keepdim: bool,
    }

    impl Default for LogsumexpOptions {
        fn default() -> LogsumexpOptions {
            LogsumexpOptions {
                keepdim: false,
            }
        }
    }

    impl LogsumexpOptions {
        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }
    }

    /// Options of [`norm`](crate::ops::norm).
    #[derive(Clone, Debug)]
    pub struct NormOptions {
        pub(crate) p: Option<brasa_ir::compose::Order>,
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for NormOptions {
        fn default() -> NormOptions {
            NormOptions {
                p: None,
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl NormOptions {
        /// Sets `p`; by default not given.
        pub fn p(mut self, p: impl Into<Option<brasa_ir::compose::Order>>) -> Self {
            self.p = p.into();
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`vector_norm`](crate::ops::vector_norm).
    #[derive(Clone, Debug)]
    pub struct VectorNormOptions {
        pub(crate) ord: f64,
        pub(crate) keepdim: bool,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for VectorNormOptions {
        fn default() -> VectorNormOptions {
            VectorNormOptions {
                ord: 2.0,
                keepdim: false,
                dtype: None,
            }
        }
    }

    impl VectorNormOptions {
        /// Sets `ord`; by default `2.0`.
        pub fn ord(mut self, ord: f64) -> Self {
            self.ord = ord;
            self
        }

        /// Sets `keepdim`; by default `false`.
        pub fn keepdim(mut self, keepdim: bool) -> Self {
            self.keepdim = keepdim;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`dist`](crate::ops::dist).
    #[derive(Clone, Debug)]
    pub struct DistOptions {
        pub(crate) p: f64,
    }

    impl Default for DistOptions {
        fn default() -> DistOptions {
            DistOptions {
                p: 2.0,
            }
        }
    }

    impl DistOptions {
        /// Sets `p`; by default `2.0`.
        pub fn p(mut self, p: f64) -> Self {
            self.p = p;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
    #[track_caller]
    pub fn sum(input: &Tensor, dim: impl IntoDims) -> Tensor {
        sum_with(input, dim, |o| o)
    }

    /// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn sum_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::SumOptions) -> options::SumOptions) -> Tensor {
        let o = o(options::SumOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("sum", |scope| scope.leave(compose::sum(scope.g, input.enter(scope), dim, o.keepdim, o.dtype)))
    }

    /// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn sum_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        sum_with(input, dim, |o| o.keepdim(true))
    }

    /// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
    #[track_caller]
    pub fn mean(input: &Tensor, dim: impl IntoDims) -> Tensor {
        mean_with(input, dim, |o| o)
    }

    /// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn mean_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::MeanOptions) -> options::MeanOptions) -> Tensor {
        let o = o(options::MeanOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("mean", |scope| scope.leave(compose::mean(scope.g, input.enter(scope), dim, o.keepdim, o.dtype)))
    }

    /// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn mean_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        mean_with(input, dim, |o| o.keepdim(true))
    }

    /// Sum over `dim` of the elements that are not NaN.
    #[track_caller]
    pub fn nansum(input: &Tensor, dim: impl IntoDims) -> Tensor {
        nansum_with(input, dim, |o| o)
    }

    /// Sum over `dim` of the elements that are not NaN.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn nansum_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::NansumOptions) -> options::NansumOptions) -> Tensor {
        let o = o(options::NansumOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("nansum", |scope| scope.leave(compose::nansum(scope.g, input.enter(scope), dim, o.keepdim, o.dtype)))
    }

    /// Sum over `dim` of the elements that are not NaN.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn nansum_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        nansum_with(input, dim, |o| o.keepdim(true))
    }

    /// Mean over `dim` of the elements that are not NaN.
    #[track_caller]
    pub fn nanmean(input: &Tensor, dim: impl IntoDims) -> Tensor {
        nanmean_with(input, dim, |o| o)
    }

    /// Mean over `dim` of the elements that are not NaN.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn nanmean_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::NanmeanOptions) -> options::NanmeanOptions) -> Tensor {
        let o = o(options::NanmeanOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("nanmean", |scope| scope.leave(compose::nanmean(scope.g, input.enter(scope), dim, o.keepdim, o.dtype)))
    }

    /// Mean over `dim` of the elements that are not NaN.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn nanmean_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        nanmean_with(input, dim, |o| o.keepdim(true))
    }

    /// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
    /// in i64. The gradient is exact even if elements are zero.
    #[track_caller]
    pub fn prod(input: &Tensor, dim: impl IntoDims) -> Tensor {
        prod_with(input, dim, |o| o)
    }

    /// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
    /// in i64. The gradient is exact even if elements are zero.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn prod_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::ProdOptions) -> options::ProdOptions) -> Tensor {
        let o = o(options::ProdOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("prod", |scope| scope.leave(compose::prod(scope.g, input.enter(scope), dim, o.keepdim, o.dtype)))
    }

    /// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
    /// in i64. The gradient is exact even if elements are zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn prod_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        prod_with(input, dim, |o| o.keepdim(true))
    }

    /// Whether all elements over `dim` are true, that is, not zero.
    #[track_caller]
    pub fn all(input: &Tensor, dim: impl IntoDims) -> Tensor {
        all_with(input, dim, |o| o)
    }

    /// Whether all elements over `dim` are true, that is, not zero.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn all_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::AllOptions) -> options::AllOptions) -> Tensor {
        let o = o(options::AllOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("all", |scope| scope.leave(compose::all(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Whether all elements over `dim` are true, that is, not zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn all_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        all_with(input, dim, |o| o.keepdim(true))
    }

    /// Whether any element over `dim` is true, that is, not zero.
    #[track_caller]
    pub fn any(input: &Tensor, dim: impl IntoDims) -> Tensor {
        any_with(input, dim, |o| o)
    }

    /// Whether any element over `dim` is true, that is, not zero.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn any_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::AnyOptions) -> options::AnyOptions) -> Tensor {
        let o = o(options::AnyOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("any", |scope| scope.leave(compose::any(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Whether any element over `dim` is true, that is, not zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn any_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        any_with(input, dim, |o| o.keepdim(true))
    }

    /// Number of elements over `dim` that are not zero, in i64.
    #[track_caller]
    pub fn count_nonzero(input: &Tensor, dim: impl IntoDims) -> Tensor {
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("count_nonzero", |scope| scope.leave(compose::count_nonzero(scope.g, input.enter(scope), dim)))
    }

    /// Logarithm of the sum of exponentials over `dim`, without overflow.
    #[track_caller]
    pub fn logsumexp(input: &Tensor, dim: impl IntoDims) -> Tensor {
        logsumexp_with(input, dim, |o| o)
    }

    /// Logarithm of the sum of exponentials over `dim`, without overflow.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn logsumexp_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::LogsumexpOptions) -> options::LogsumexpOptions) -> Tensor {
        let o = o(options::LogsumexpOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("logsumexp", |scope| scope.leave(compose::logsumexp(scope.g, input.enter(scope), dim, o.keepdim)))
    }

    /// Logarithm of the sum of exponentials over `dim`, without overflow.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn logsumexp_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        logsumexp_with(input, dim, |o| o.keepdim(true))
    }

    /// Sum of the elements on the diagonal of a matrix.
    #[track_caller]
    pub fn trace(input: &Tensor) -> Tensor {
        input.settle();
        record("trace", |scope| scope.leave(compose::trace(scope.g, input.enter(scope))))
    }

    /// Sums over the axes that broadcasting from `size` to the shape of `input` repeats.
    #[track_caller]
    pub fn sum_to_size(input: &Tensor, size: impl IntoList<usize>) -> Tensor {
        let size: Vec<usize> = size.into_list();
        input.settle();
        record("sum_to_size", |scope| scope.leave(compose::sum_to_size(scope.g, input.enter(scope), Shape::from(size))))
    }

    /// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
    /// number, ±inf or `'fro'`, which is 2 and the default.
    #[track_caller]
    pub fn norm(input: &Tensor, dim: impl IntoDims) -> Tensor {
        norm_with(input, dim, |o| o)
    }

    /// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
    /// number, ±inf or `'fro'`, which is 2 and the default.
    ///
    /// Options: `p`, `keepdim`, `dtype`.
    #[track_caller]
    pub fn norm_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::NormOptions) -> options::NormOptions) -> Tensor {
        let o = o(options::NormOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("norm", |scope| scope.leave(compose::norm(scope.g, input.enter(scope), o.p, dim, o.keepdim, o.dtype)))
    }

    /// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
    /// number, ±inf or `'fro'`, which is 2 and the default.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn norm_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        norm_with(input, dim, |o| o.keepdim(true))
    }

    /// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
    /// smallest (−inf) magnitude, or the number of elements that are not zero (0).
    #[track_caller]
    pub fn vector_norm(input: &Tensor, dim: impl IntoDims) -> Tensor {
        vector_norm_with(input, dim, |o| o)
    }

    /// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
    /// smallest (−inf) magnitude, or the number of elements that are not zero (0).
    ///
    /// Options: `ord`, `keepdim`, `dtype`.
    #[track_caller]
    pub fn vector_norm_with(input: &Tensor, dim: impl IntoDims, o: impl FnOnce(options::VectorNormOptions) -> options::VectorNormOptions) -> Tensor {
        let o = o(options::VectorNormOptions::default());
        let dim: Option<Vec<isize>> = dim.into_dims();
        input.settle();
        record("vector_norm", |scope| scope.leave(compose::vector_norm(scope.g, input.enter(scope), o.ord, dim, o.keepdim, o.dtype)))
    }

    /// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
    /// smallest (−inf) magnitude, or the number of elements that are not zero (0).
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn vector_norm_keepdim(input: &Tensor, dim: impl IntoDims) -> Tensor {
        vector_norm_with(input, dim, |o| o.keepdim(true))
    }

    /// The `p`-norm of the difference of two tensors.
    #[track_caller]
    pub fn dist(input: &Tensor, other: &Tensor) -> Tensor {
        dist_with(input, other, |o| o)
    }

    /// The `p`-norm of the difference of two tensors.
    ///
    /// Options: `p`.
    #[track_caller]
    pub fn dist_with(input: &Tensor, other: &Tensor, o: impl FnOnce(options::DistOptions) -> options::DistOptions) -> Tensor {
        let o = o(options::DistOptions::default());
        input.settle();
        other.settle();
        record("dist", |scope| scope.leave(compose::dist(scope.g, input.enter(scope), other.enter(scope), o.p)))
    }
}

impl Tensor {
    /// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
    #[track_caller]
    pub fn sum(&self, dim: impl IntoDims) -> Tensor {
        functions::sum(self, dim)
    }

    /// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn sum_with(&self, dim: impl IntoDims, o: impl FnOnce(options::SumOptions) -> options::SumOptions) -> Tensor {
        functions::sum_with(self, dim, o)
    }

    /// Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn sum_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::sum_keepdim(self, dim)
    }

    /// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
    #[track_caller]
    pub fn mean(&self, dim: impl IntoDims) -> Tensor {
        functions::mean(self, dim)
    }

    /// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn mean_with(&self, dim: impl IntoDims, o: impl FnOnce(options::MeanOptions) -> options::MeanOptions) -> Tensor {
        functions::mean_with(self, dim, o)
    }

    /// Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn mean_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::mean_keepdim(self, dim)
    }

    /// Sum over `dim` of the elements that are not NaN.
    #[track_caller]
    pub fn nansum(&self, dim: impl IntoDims) -> Tensor {
        functions::nansum(self, dim)
    }

    /// Sum over `dim` of the elements that are not NaN.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn nansum_with(&self, dim: impl IntoDims, o: impl FnOnce(options::NansumOptions) -> options::NansumOptions) -> Tensor {
        functions::nansum_with(self, dim, o)
    }

    /// Sum over `dim` of the elements that are not NaN.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn nansum_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::nansum_keepdim(self, dim)
    }

    /// Mean over `dim` of the elements that are not NaN.
    #[track_caller]
    pub fn nanmean(&self, dim: impl IntoDims) -> Tensor {
        functions::nanmean(self, dim)
    }

    /// Mean over `dim` of the elements that are not NaN.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn nanmean_with(&self, dim: impl IntoDims, o: impl FnOnce(options::NanmeanOptions) -> options::NanmeanOptions) -> Tensor {
        functions::nanmean_with(self, dim, o)
    }

    /// Mean over `dim` of the elements that are not NaN.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn nanmean_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::nanmean_keepdim(self, dim)
    }

    /// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
    /// in i64. The gradient is exact even if elements are zero.
    #[track_caller]
    pub fn prod(&self, dim: impl IntoDims) -> Tensor {
        functions::prod(self, dim)
    }

    /// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
    /// in i64. The gradient is exact even if elements are zero.
    ///
    /// Options: `keepdim`, `dtype`.
    #[track_caller]
    pub fn prod_with(&self, dim: impl IntoDims, o: impl FnOnce(options::ProdOptions) -> options::ProdOptions) -> Tensor {
        functions::prod_with(self, dim, o)
    }

    /// Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
    /// in i64. The gradient is exact even if elements are zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn prod_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::prod_keepdim(self, dim)
    }

    /// Whether all elements over `dim` are true, that is, not zero.
    #[track_caller]
    pub fn all(&self, dim: impl IntoDims) -> Tensor {
        functions::all(self, dim)
    }

    /// Whether all elements over `dim` are true, that is, not zero.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn all_with(&self, dim: impl IntoDims, o: impl FnOnce(options::AllOptions) -> options::AllOptions) -> Tensor {
        functions::all_with(self, dim, o)
    }

    /// Whether all elements over `dim` are true, that is, not zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn all_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::all_keepdim(self, dim)
    }

    /// Whether any element over `dim` is true, that is, not zero.
    #[track_caller]
    pub fn any(&self, dim: impl IntoDims) -> Tensor {
        functions::any(self, dim)
    }

    /// Whether any element over `dim` is true, that is, not zero.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn any_with(&self, dim: impl IntoDims, o: impl FnOnce(options::AnyOptions) -> options::AnyOptions) -> Tensor {
        functions::any_with(self, dim, o)
    }

    /// Whether any element over `dim` is true, that is, not zero.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn any_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::any_keepdim(self, dim)
    }

    /// Number of elements over `dim` that are not zero, in i64.
    #[track_caller]
    pub fn count_nonzero(&self, dim: impl IntoDims) -> Tensor {
        functions::count_nonzero(self, dim)
    }

    /// Logarithm of the sum of exponentials over `dim`, without overflow.
    #[track_caller]
    pub fn logsumexp(&self, dim: impl IntoDims) -> Tensor {
        functions::logsumexp(self, dim)
    }

    /// Logarithm of the sum of exponentials over `dim`, without overflow.
    ///
    /// Options: `keepdim`.
    #[track_caller]
    pub fn logsumexp_with(&self, dim: impl IntoDims, o: impl FnOnce(options::LogsumexpOptions) -> options::LogsumexpOptions) -> Tensor {
        functions::logsumexp_with(self, dim, o)
    }

    /// Logarithm of the sum of exponentials over `dim`, without overflow.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn logsumexp_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::logsumexp_keepdim(self, dim)
    }

    /// Sum of the elements on the diagonal of a matrix.
    #[track_caller]
    pub fn trace(&self) -> Tensor {
        functions::trace(self)
    }

    /// Sums over the axes that broadcasting from `size` to the shape of `input` repeats.
    #[track_caller]
    pub fn sum_to_size(&self, size: impl IntoList<usize>) -> Tensor {
        functions::sum_to_size(self, size)
    }

    /// Another name for [`sum_to_size`](Tensor::sum_to_size).
    #[track_caller]
    pub fn sum_to_shape(&self, size: impl IntoList<usize>) -> Tensor {
        functions::sum_to_size(self, size)
    }

    /// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
    /// number, ±inf or `'fro'`, which is 2 and the default.
    #[track_caller]
    pub fn norm(&self, dim: impl IntoDims) -> Tensor {
        functions::norm(self, dim)
    }

    /// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
    /// number, ±inf or `'fro'`, which is 2 and the default.
    ///
    /// Options: `p`, `keepdim`, `dtype`.
    #[track_caller]
    pub fn norm_with(&self, dim: impl IntoDims, o: impl FnOnce(options::NormOptions) -> options::NormOptions) -> Tensor {
        functions::norm_with(self, dim, o)
    }

    /// The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
    /// number, ±inf or `'fro'`, which is 2 and the default.
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn norm_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::norm_keepdim(self, dim)
    }

    /// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
    /// smallest (−inf) magnitude, or the number of elements that are not zero (0).
    #[track_caller]
    pub fn vector_norm(&self, dim: impl IntoDims) -> Tensor {
        functions::vector_norm(self, dim)
    }

    /// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
    /// smallest (−inf) magnitude, or the number of elements that are not zero (0).
    ///
    /// Options: `ord`, `keepdim`, `dtype`.
    #[track_caller]
    pub fn vector_norm_with(&self, dim: impl IntoDims, o: impl FnOnce(options::VectorNormOptions) -> options::VectorNormOptions) -> Tensor {
        functions::vector_norm_with(self, dim, o)
    }

    /// The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
    /// smallest (−inf) magnitude, or the number of elements that are not zero (0).
    ///
    /// Keeps the axis with length one.
    #[track_caller]
    pub fn vector_norm_keepdim(&self, dim: impl IntoDims) -> Tensor {
        functions::vector_norm_keepdim(self, dim)
    }

    /// The `p`-norm of the difference of two tensors.
    #[track_caller]
    pub fn dist(&self, other: &Tensor) -> Tensor {
        functions::dist(self, other)
    }

    /// The `p`-norm of the difference of two tensors.
    ///
    /// Options: `p`.
    #[track_caller]
    pub fn dist_with(&self, other: &Tensor, o: impl FnOnce(options::DistOptions) -> options::DistOptions) -> Tensor {
        functions::dist_with(self, other, o)
    }

}
