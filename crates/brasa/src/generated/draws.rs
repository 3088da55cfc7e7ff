//! Generated from the `draws` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`rand`](crate::ops::rand).
    #[derive(Clone, Debug)]
    pub struct RandOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandOptions {
        fn default() -> RandOptions {
            RandOptions {
                dtype: None,
            }
        }
    }

    impl RandOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`randn`](crate::ops::randn).
    #[derive(Clone, Debug)]
    pub struct RandnOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandnOptions {
        fn default() -> RandnOptions {
            RandnOptions {
                dtype: None,
            }
        }
    }

    impl RandnOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`randint`](crate::ops::randint).
    #[derive(Clone, Debug)]
    pub struct RandintOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandintOptions {
        fn default() -> RandintOptions {
            RandintOptions {
                dtype: None,
            }
        }
    }

    impl RandintOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`rand_like`](crate::ops::rand_like).
    #[derive(Clone, Debug)]
    pub struct RandLikeOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandLikeOptions {
        fn default() -> RandLikeOptions {
            RandLikeOptions {
                dtype: None,
            }
        }
    }

    impl RandLikeOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`randn_like`](crate::ops::randn_like).
    #[derive(Clone, Debug)]
    pub struct RandnLikeOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandnLikeOptions {
        fn default() -> RandnLikeOptions {
            RandnLikeOptions {
                dtype: None,
            }
        }
    }

    impl RandnLikeOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`randint_like`](crate::ops::randint_like).
    #[derive(Clone, Debug)]
    pub struct RandintLikeOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandintLikeOptions {
        fn default() -> RandintLikeOptions {
            RandintLikeOptions {
                dtype: None,
            }
        }
    }

    impl RandintLikeOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`randperm`](crate::ops::randperm).
    #[derive(Clone, Debug)]
    pub struct RandpermOptions {
        pub(crate) dtype: Option<DType>,
    }

    impl Default for RandpermOptions {
        fn default() -> RandpermOptions {
            RandpermOptions {
                dtype: None,
            }
        }
    }

    impl RandpermOptions {
        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`uniform`](crate::ops::uniform).
    #[derive(Clone, Debug)]
    pub struct UniformOptions {
        pub(crate) low: f64,
        pub(crate) high: f64,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for UniformOptions {
        fn default() -> UniformOptions {
            UniformOptions {
                low: 0.0,
                high: 1.0,
                dtype: None,
            }
        }
    }

    impl UniformOptions {
        /// Sets `low`; by default `0.0`.
        pub fn low(mut self, low: f64) -> Self {
            self.low = low;
            self
        }

        /// Sets `high`; by default `1.0`.
        pub fn high(mut self, high: f64) -> Self {
            self.high = high;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`truncated_normal`](crate::ops::truncated_normal).
    #[derive(Clone, Debug)]
    pub struct TruncatedNormalOptions {
        pub(crate) mean: f64,
        pub(crate) std: f64,
        pub(crate) a: f64,
        pub(crate) b: f64,
        pub(crate) dtype: Option<DType>,
    }

    impl Default for TruncatedNormalOptions {
        fn default() -> TruncatedNormalOptions {
            TruncatedNormalOptions {
                mean: 0.0,
                std: 1.0,
                a: -2.0,
                b: 2.0,
                dtype: None,
            }
        }
    }

    impl TruncatedNormalOptions {
        /// Sets `mean`; by default `0.0`.
        pub fn mean(mut self, mean: f64) -> Self {
            self.mean = mean;
            self
        }

        /// Sets `std`; by default `1.0`.
        pub fn std(mut self, std: f64) -> Self {
            self.std = std;
            self
        }

        /// Sets `a`; by default `-2.0`.
        pub fn a(mut self, a: f64) -> Self {
            self.a = a;
            self
        }

        /// Sets `b`; by default `2.0`.
        pub fn b(mut self, b: f64) -> Self {
            self.b = b;
            self
        }

        /// Sets `dtype`; by default not given.
        pub fn dtype(mut self, dtype: impl Into<Option<DType>>) -> Self {
            self.dtype = dtype.into();
            self
        }
    }

    /// Options of [`exponential`](crate::ops::exponential).
    #[derive(Clone, Debug)]
    pub struct ExponentialOptions {
        pub(crate) lambd: f64,
    }

    impl Default for ExponentialOptions {
        fn default() -> ExponentialOptions {
            ExponentialOptions {
                lambd: 1.0,
            }
        }
    }

    impl ExponentialOptions {
        /// Sets `lambd`; by default `1.0`.
        pub fn lambd(mut self, lambd: f64) -> Self {
            self.lambd = lambd;
            self
        }
    }

    /// Options of [`multinomial`](crate::ops::multinomial).
    #[derive(Clone, Debug)]
    pub struct MultinomialOptions {
        pub(crate) replacement: bool,
    }

    impl Default for MultinomialOptions {
        fn default() -> MultinomialOptions {
            MultinomialOptions {
                replacement: false,
            }
        }
    }

    impl MultinomialOptions {
        /// Sets `replacement`; by default `false`.
        pub fn replacement(mut self, replacement: bool) -> Self {
            self.replacement = replacement;
            self
        }
    }

    /// Options of [`gumbel_softmax`](crate::ops::gumbel_softmax).
    #[derive(Clone, Debug)]
    pub struct GumbelSoftmaxOptions {
        pub(crate) tau: f64,
        pub(crate) hard: bool,
    }

    impl Default for GumbelSoftmaxOptions {
        fn default() -> GumbelSoftmaxOptions {
            GumbelSoftmaxOptions {
                tau: 1.0,
                hard: false,
            }
        }
    }

    impl GumbelSoftmaxOptions {
        /// Sets `tau`; by default `1.0`.
        pub fn tau(mut self, tau: f64) -> Self {
            self.tau = tau;
            self
        }

        /// Sets `hard`; by default `false`.
        pub fn hard(mut self, hard: bool) -> Self {
            self.hard = hard;
            self
        }
    }

    /// Options of [`dropout`](crate::ops::dropout).
    #[derive(Clone, Debug)]
    pub struct DropoutOptions {
        pub(crate) training: bool,
    }

    impl Default for DropoutOptions {
        fn default() -> DropoutOptions {
            DropoutOptions {
                training: true,
            }
        }
    }

    impl DropoutOptions {
        /// Sets `training`; by default `true`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }
    }

    /// Options of [`feature_dropout`](crate::ops::feature_dropout).
    #[derive(Clone, Debug)]
    pub struct FeatureDropoutOptions {
        pub(crate) training: bool,
    }

    impl Default for FeatureDropoutOptions {
        fn default() -> FeatureDropoutOptions {
            FeatureDropoutOptions {
                training: true,
            }
        }
    }

    impl FeatureDropoutOptions {
        /// Sets `training`; by default `true`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }
    }

    /// Options of [`dropout1d`](crate::ops::dropout1d).
    #[derive(Clone, Debug)]
    pub struct Dropout1dOptions {
        pub(crate) training: bool,
    }

    impl Default for Dropout1dOptions {
        fn default() -> Dropout1dOptions {
            Dropout1dOptions {
                training: true,
            }
        }
    }

    impl Dropout1dOptions {
        /// Sets `training`; by default `true`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }
    }

    /// Options of [`dropout3d`](crate::ops::dropout3d).
    #[derive(Clone, Debug)]
    pub struct Dropout3dOptions {
        pub(crate) training: bool,
    }

    impl Default for Dropout3dOptions {
        fn default() -> Dropout3dOptions {
            Dropout3dOptions {
                training: true,
            }
        }
    }

    impl Dropout3dOptions {
        /// Sets `training`; by default `true`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }
    }

    /// Options of [`alpha_dropout`](crate::ops::alpha_dropout).
    #[derive(Clone, Debug)]
    pub struct AlphaDropoutOptions {
        pub(crate) training: bool,
    }

    impl Default for AlphaDropoutOptions {
        fn default() -> AlphaDropoutOptions {
            AlphaDropoutOptions {
                training: false,
            }
        }
    }

    impl AlphaDropoutOptions {
        /// Sets `training`; by default `false`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }
    }

    /// Options of [`feature_alpha_dropout`](crate::ops::feature_alpha_dropout).
    #[derive(Clone, Debug)]
    pub struct FeatureAlphaDropoutOptions {
        pub(crate) training: bool,
    }

    impl Default for FeatureAlphaDropoutOptions {
        fn default() -> FeatureAlphaDropoutOptions {
            FeatureAlphaDropoutOptions {
                training: false,
            }
        }
    }

    impl FeatureAlphaDropoutOptions {
        /// Sets `training`; by default `false`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Uniform random numbers in [0, 1).
    #[track_caller]
    pub fn rand(size: impl IntoList<usize>) -> Tensor {
        rand_with(size, |o| o)
    }

    /// Uniform random numbers in [0, 1).
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn rand_with(size: impl IntoList<usize>, o: impl FnOnce(options::RandOptions) -> options::RandOptions) -> Tensor {
        let o = o(options::RandOptions::default());
        let size: Vec<usize> = size.into_list();
        record("rand", |scope| scope.leave(compose::rand(scope.g, Shape::from(size), o.dtype)))
    }

    /// Normal random numbers of mean 0 and variance 1.
    #[track_caller]
    pub fn randn(size: impl IntoList<usize>) -> Tensor {
        randn_with(size, |o| o)
    }

    /// Normal random numbers of mean 0 and variance 1.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randn_with(size: impl IntoList<usize>, o: impl FnOnce(options::RandnOptions) -> options::RandnOptions) -> Tensor {
        let o = o(options::RandnOptions::default());
        let size: Vec<usize> = size.into_list();
        record("randn", |scope| scope.leave(compose::randn(scope.g, Shape::from(size), o.dtype)))
    }

    /// Random integers from `low` up to, not including, `high`.
    #[track_caller]
    pub fn randint(low: i64, high: i64, size: impl IntoList<usize>) -> Tensor {
        randint_with(low, high, size, |o| o)
    }

    /// Random integers from `low` up to, not including, `high`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randint_with(low: i64, high: i64, size: impl IntoList<usize>, o: impl FnOnce(options::RandintOptions) -> options::RandintOptions) -> Tensor {
        let o = o(options::RandintOptions::default());
        let size: Vec<usize> = size.into_list();
        record("randint", |scope| scope.leave(compose::randint(scope.g, low, high, Shape::from(size), o.dtype)))
    }

    /// Uniform random numbers in [0, 1), of the shape and dtype of `input`.
    #[track_caller]
    pub fn rand_like(input: &Tensor) -> Tensor {
        rand_like_with(input, |o| o)
    }

    /// Uniform random numbers in [0, 1), of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn rand_like_with(input: &Tensor, o: impl FnOnce(options::RandLikeOptions) -> options::RandLikeOptions) -> Tensor {
        let o = o(options::RandLikeOptions::default());
        input.settle();
        record("rand_like", |scope| scope.leave(compose::rand_like(scope.g, input.enter(scope), o.dtype)))
    }

    /// Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
    #[track_caller]
    pub fn randn_like(input: &Tensor) -> Tensor {
        randn_like_with(input, |o| o)
    }

    /// Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randn_like_with(input: &Tensor, o: impl FnOnce(options::RandnLikeOptions) -> options::RandnLikeOptions) -> Tensor {
        let o = o(options::RandnLikeOptions::default());
        input.settle();
        record("randn_like", |scope| scope.leave(compose::randn_like(scope.g, input.enter(scope), o.dtype)))
    }

    /// Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
    #[track_caller]
    pub fn randint_like(input: &Tensor, low: i64, high: i64) -> Tensor {
        randint_like_with(input, low, high, |o| o)
    }

    /// Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randint_like_with(input: &Tensor, low: i64, high: i64, o: impl FnOnce(options::RandintLikeOptions) -> options::RandintLikeOptions) -> Tensor {
        let o = o(options::RandintLikeOptions::default());
        input.settle();
        record("randint_like", |scope| scope.leave(compose::randint_like(scope.g, input.enter(scope), low, high, o.dtype)))
    }

    /// The integers 0 to `n − 1` in random order.
    #[track_caller]
    pub fn randperm(n: usize) -> Tensor {
        randperm_with(n, |o| o)
    }

    /// The integers 0 to `n − 1` in random order.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randperm_with(n: usize, o: impl FnOnce(options::RandpermOptions) -> options::RandpermOptions) -> Tensor {
        let o = o(options::RandpermOptions::default());
        record("randperm", |scope| scope.leave(compose::randperm(scope.g, n, o.dtype)))
    }

    /// Uniform random numbers in [`low`, `high`).
    #[track_caller]
    pub fn uniform(size: impl IntoList<usize>) -> Tensor {
        uniform_with(size, |o| o)
    }

    /// Uniform random numbers in [`low`, `high`).
    ///
    /// Options: `low`, `high`, `dtype`.
    #[track_caller]
    pub fn uniform_with(size: impl IntoList<usize>, o: impl FnOnce(options::UniformOptions) -> options::UniformOptions) -> Tensor {
        let o = o(options::UniformOptions::default());
        let size: Vec<usize> = size.into_list();
        record("uniform", |scope| scope.leave(compose::uniform(scope.g, Shape::from(size), o.low, o.high, o.dtype)))
    }

    /// Normal random numbers of the given `mean` and `std`, but all within `a` and `b`.
    #[track_caller]
    pub fn truncated_normal(size: impl IntoList<usize>) -> Tensor {
        truncated_normal_with(size, |o| o)
    }

    /// Normal random numbers of the given `mean` and `std`, but all within `a` and `b`.
    ///
    /// Options: `mean`, `std`, `a`, `b`, `dtype`.
    #[track_caller]
    pub fn truncated_normal_with(size: impl IntoList<usize>, o: impl FnOnce(options::TruncatedNormalOptions) -> options::TruncatedNormalOptions) -> Tensor {
        let o = o(options::TruncatedNormalOptions::default());
        let size: Vec<usize> = size.into_list();
        record("truncated_normal", |scope| scope.leave(compose::truncated_normal(scope.g, Shape::from(size), o.mean, o.std, o.a, o.b, o.dtype)))
    }

    /// Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
    #[track_caller]
    pub fn exponential(input: &Tensor) -> Tensor {
        exponential_with(input, |o| o)
    }

    /// Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
    ///
    /// Options: `lambd`.
    #[track_caller]
    pub fn exponential_with(input: &Tensor, o: impl FnOnce(options::ExponentialOptions) -> options::ExponentialOptions) -> Tensor {
        let o = o(options::ExponentialOptions::default());
        input.settle();
        record("exponential", |scope| scope.leave(compose::exponential(scope.g, input.enter(scope), o.lambd)))
    }

    /// 1 with the probability given by each element of `input`, else 0.
    #[track_caller]
    pub fn bernoulli(input: &Tensor) -> Tensor {
        input.settle();
        record("bernoulli", |scope| scope.leave(compose::bernoulli(scope.g, input.enter(scope))))
    }

    /// Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
    /// for each row; all different unless `replacement`.
    #[track_caller]
    pub fn multinomial(input: &Tensor, num_samples: usize) -> Tensor {
        multinomial_with(input, num_samples, |o| o)
    }

    /// Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
    /// for each row; all different unless `replacement`.
    ///
    /// Options: `replacement`.
    #[track_caller]
    pub fn multinomial_with(input: &Tensor, num_samples: usize, o: impl FnOnce(options::MultinomialOptions) -> options::MultinomialOptions) -> Tensor {
        let o = o(options::MultinomialOptions::default());
        input.settle();
        record("multinomial", |scope| scope.leave(compose::multinomial(scope.g, input.enter(scope), num_samples, o.replacement)))
    }

    /// An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
    #[track_caller]
    pub fn categorical(logits: &Tensor) -> Tensor {
        logits.settle();
        record("categorical", |scope| scope.leave(compose::categorical(scope.g, logits.enter(scope))))
    }

    /// Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
    /// Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
    #[track_caller]
    pub fn gumbel_softmax(logits: &Tensor, dim: isize) -> Tensor {
        gumbel_softmax_with(logits, dim, |o| o)
    }

    /// Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
    /// Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
    ///
    /// Options: `tau`, `hard`.
    #[track_caller]
    pub fn gumbel_softmax_with(logits: &Tensor, dim: isize, o: impl FnOnce(options::GumbelSoftmaxOptions) -> options::GumbelSoftmaxOptions) -> Tensor {
        let o = o(options::GumbelSoftmaxOptions::default());
        logits.settle();
        record("gumbel_softmax", |scope| scope.leave(compose::gumbel_softmax(scope.g, logits.enter(scope), o.tau, o.hard, dim)))
    }

    /// While `training`, sets each element to zero with probability `p` and scales the others by
    /// `1 / (1 − p)`.
    #[track_caller]
    pub fn dropout(input: &Tensor, p: f64) -> Tensor {
        dropout_with(input, p, |o| o)
    }

    /// While `training`, sets each element to zero with probability `p` and scales the others by
    /// `1 / (1 − p)`.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn dropout_with(input: &Tensor, p: f64, o: impl FnOnce(options::DropoutOptions) -> options::DropoutOptions) -> Tensor {
        let o = o(options::DropoutOptions::default());
        input.settle();
        record("dropout", |scope| scope.leave(compose::dropout(scope.g, input.enter(scope), p, o.training)))
    }

    /// While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
    /// scales the others by `1 / (1 − p)`.
    #[track_caller]
    pub fn feature_dropout(input: &Tensor, p: f64) -> Tensor {
        feature_dropout_with(input, p, |o| o)
    }

    /// While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
    /// scales the others by `1 / (1 − p)`.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn feature_dropout_with(input: &Tensor, p: f64, o: impl FnOnce(options::FeatureDropoutOptions) -> options::FeatureDropoutOptions) -> Tensor {
        let o = o(options::FeatureDropoutOptions::default());
        input.settle();
        record("feature_dropout", |scope| scope.leave(compose::feature_dropout(scope.g, input.enter(scope), p, o.training)))
    }

    /// `feature_dropout` for signals: (batch, channel, length), or (channel, length).
    #[track_caller]
    pub fn dropout1d(input: &Tensor, p: f64) -> Tensor {
        dropout1d_with(input, p, |o| o)
    }

    /// `feature_dropout` for signals: (batch, channel, length), or (channel, length).
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn dropout1d_with(input: &Tensor, p: f64, o: impl FnOnce(options::Dropout1dOptions) -> options::Dropout1dOptions) -> Tensor {
        let o = o(options::Dropout1dOptions::default());
        input.settle();
        record("dropout1d", |scope| scope.leave(compose::dropout1d(scope.g, input.enter(scope), p, o.training)))
    }

    /// `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
    #[track_caller]
    pub fn dropout3d(input: &Tensor, p: f64) -> Tensor {
        dropout3d_with(input, p, |o| o)
    }

    /// `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn dropout3d_with(input: &Tensor, p: f64, o: impl FnOnce(options::Dropout3dOptions) -> options::Dropout3dOptions) -> Tensor {
        let o = o(options::Dropout3dOptions::default());
        input.settle();
        record("dropout3d", |scope| scope.leave(compose::dropout3d(scope.g, input.enter(scope), p, o.training)))
    }

    /// Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
    /// the value selu saturates at, then shifts and scales to preserve mean and variance.
    #[track_caller]
    pub fn alpha_dropout(input: &Tensor, p: f64) -> Tensor {
        alpha_dropout_with(input, p, |o| o)
    }

    /// Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
    /// the value selu saturates at, then shifts and scales to preserve mean and variance.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn alpha_dropout_with(input: &Tensor, p: f64, o: impl FnOnce(options::AlphaDropoutOptions) -> options::AlphaDropoutOptions) -> Tensor {
        let o = o(options::AlphaDropoutOptions::default());
        input.settle();
        record("alpha_dropout", |scope| scope.leave(compose::alpha_dropout(scope.g, input.enter(scope), p, o.training)))
    }

    /// `alpha_dropout` of whole channels (indices of axes 0 and 1).
    #[track_caller]
    pub fn feature_alpha_dropout(input: &Tensor, p: f64) -> Tensor {
        feature_alpha_dropout_with(input, p, |o| o)
    }

    /// `alpha_dropout` of whole channels (indices of axes 0 and 1).
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn feature_alpha_dropout_with(input: &Tensor, p: f64, o: impl FnOnce(options::FeatureAlphaDropoutOptions) -> options::FeatureAlphaDropoutOptions) -> Tensor {
        let o = o(options::FeatureAlphaDropoutOptions::default());
        input.settle();
        record("feature_alpha_dropout", |scope| scope.leave(compose::feature_alpha_dropout(scope.g, input.enter(scope), p, o.training)))
    }
}

impl Tensor {
    /// Uniform random numbers in [0, 1), of the shape and dtype of `input`.
    #[track_caller]
    pub fn rand_like(&self) -> Tensor {
        functions::rand_like(self)
    }

    /// Uniform random numbers in [0, 1), of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn rand_like_with(&self, o: impl FnOnce(options::RandLikeOptions) -> options::RandLikeOptions) -> Tensor {
        functions::rand_like_with(self, o)
    }

    /// Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
    #[track_caller]
    pub fn randn_like(&self) -> Tensor {
        functions::randn_like(self)
    }

    /// Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randn_like_with(&self, o: impl FnOnce(options::RandnLikeOptions) -> options::RandnLikeOptions) -> Tensor {
        functions::randn_like_with(self, o)
    }

    /// Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
    #[track_caller]
    pub fn randint_like(&self, low: i64, high: i64) -> Tensor {
        functions::randint_like(self, low, high)
    }

    /// Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
    ///
    /// Options: `dtype`.
    #[track_caller]
    pub fn randint_like_with(&self, low: i64, high: i64, o: impl FnOnce(options::RandintLikeOptions) -> options::RandintLikeOptions) -> Tensor {
        functions::randint_like_with(self, low, high, o)
    }

    /// Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
    #[track_caller]
    pub fn exponential(&self) -> Tensor {
        functions::exponential(self)
    }

    /// Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
    ///
    /// Options: `lambd`.
    #[track_caller]
    pub fn exponential_with(&self, o: impl FnOnce(options::ExponentialOptions) -> options::ExponentialOptions) -> Tensor {
        functions::exponential_with(self, o)
    }

    /// 1 with the probability given by each element of `input`, else 0.
    #[track_caller]
    pub fn bernoulli(&self) -> Tensor {
        functions::bernoulli(self)
    }

    /// Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
    /// for each row; all different unless `replacement`.
    #[track_caller]
    pub fn multinomial(&self, num_samples: usize) -> Tensor {
        functions::multinomial(self, num_samples)
    }

    /// Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
    /// for each row; all different unless `replacement`.
    ///
    /// Options: `replacement`.
    #[track_caller]
    pub fn multinomial_with(&self, num_samples: usize, o: impl FnOnce(options::MultinomialOptions) -> options::MultinomialOptions) -> Tensor {
        functions::multinomial_with(self, num_samples, o)
    }

    /// An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
    #[track_caller]
    pub fn categorical(&self) -> Tensor {
        functions::categorical(self)
    }

    /// Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
    /// Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
    #[track_caller]
    pub fn gumbel_softmax(&self, dim: isize) -> Tensor {
        functions::gumbel_softmax(self, dim)
    }

    /// Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
    /// Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
    ///
    /// Options: `tau`, `hard`.
    #[track_caller]
    pub fn gumbel_softmax_with(&self, dim: isize, o: impl FnOnce(options::GumbelSoftmaxOptions) -> options::GumbelSoftmaxOptions) -> Tensor {
        functions::gumbel_softmax_with(self, dim, o)
    }

    /// While `training`, sets each element to zero with probability `p` and scales the others by
    /// `1 / (1 − p)`.
    #[track_caller]
    pub fn dropout(&self, p: f64) -> Tensor {
        functions::dropout(self, p)
    }

    /// While `training`, sets each element to zero with probability `p` and scales the others by
    /// `1 / (1 − p)`.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn dropout_with(&self, p: f64, o: impl FnOnce(options::DropoutOptions) -> options::DropoutOptions) -> Tensor {
        functions::dropout_with(self, p, o)
    }

    /// While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
    /// scales the others by `1 / (1 − p)`.
    #[track_caller]
    pub fn feature_dropout(&self, p: f64) -> Tensor {
        functions::feature_dropout(self, p)
    }

    /// Another name for [`feature_dropout`](Tensor::feature_dropout).
    #[track_caller]
    pub fn dropout2d(&self, p: f64) -> Tensor {
        functions::feature_dropout(self, p)
    }

    /// While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
    /// scales the others by `1 / (1 − p)`.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn feature_dropout_with(&self, p: f64, o: impl FnOnce(options::FeatureDropoutOptions) -> options::FeatureDropoutOptions) -> Tensor {
        functions::feature_dropout_with(self, p, o)
    }

    /// `feature_dropout` for signals: (batch, channel, length), or (channel, length).
    #[track_caller]
    pub fn dropout1d(&self, p: f64) -> Tensor {
        functions::dropout1d(self, p)
    }

    /// `feature_dropout` for signals: (batch, channel, length), or (channel, length).
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn dropout1d_with(&self, p: f64, o: impl FnOnce(options::Dropout1dOptions) -> options::Dropout1dOptions) -> Tensor {
        functions::dropout1d_with(self, p, o)
    }

    /// `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
    #[track_caller]
    pub fn dropout3d(&self, p: f64) -> Tensor {
        functions::dropout3d(self, p)
    }

    /// `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn dropout3d_with(&self, p: f64, o: impl FnOnce(options::Dropout3dOptions) -> options::Dropout3dOptions) -> Tensor {
        functions::dropout3d_with(self, p, o)
    }

    /// Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
    /// the value selu saturates at, then shifts and scales to preserve mean and variance.
    #[track_caller]
    pub fn alpha_dropout(&self, p: f64) -> Tensor {
        functions::alpha_dropout(self, p)
    }

    /// Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
    /// the value selu saturates at, then shifts and scales to preserve mean and variance.
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn alpha_dropout_with(&self, p: f64, o: impl FnOnce(options::AlphaDropoutOptions) -> options::AlphaDropoutOptions) -> Tensor {
        functions::alpha_dropout_with(self, p, o)
    }

    /// `alpha_dropout` of whole channels (indices of axes 0 and 1).
    #[track_caller]
    pub fn feature_alpha_dropout(&self, p: f64) -> Tensor {
        functions::feature_alpha_dropout(self, p)
    }

    /// `alpha_dropout` of whole channels (indices of axes 0 and 1).
    ///
    /// Options: `training`.
    #[track_caller]
    pub fn feature_alpha_dropout_with(&self, p: f64, o: impl FnOnce(options::FeatureAlphaDropoutOptions) -> options::FeatureAlphaDropoutOptions) -> Tensor {
        functions::feature_alpha_dropout_with(self, p, o)
    }

}
