//! Generated from the `norms` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`layer_norm`](crate::ops::layer_norm).
    #[derive(Clone, Debug)]
    pub struct LayerNormOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) bias: Option<Tensor>,
        pub(crate) eps: f64,
    }

    impl Default for LayerNormOptions {
        fn default() -> LayerNormOptions {
            LayerNormOptions {
                weight: None,
                bias: None,
                eps: 1e-5,
            }
        }
    }

    impl LayerNormOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `eps`; by default `1e-5`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }

    /// Options of [`rms_norm`](crate::ops::rms_norm).
    #[derive(Clone, Debug)]
    pub struct RmsNormOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) eps: Option<f64>,
    }

    impl Default for RmsNormOptions {
        fn default() -> RmsNormOptions {
            RmsNormOptions {
                weight: None,
                eps: None,
            }
        }
    }

    impl RmsNormOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `eps`; by default not given.
        pub fn eps(mut self, eps: impl Into<Option<f64>>) -> Self {
            self.eps = eps.into();
            self
        }
    }

    /// Options of [`batch_norm`](crate::ops::batch_norm).
    #[derive(Clone, Debug)]
    pub struct BatchNormOptions {
        pub(crate) running_mean: Option<Tensor>,
        pub(crate) running_var: Option<Tensor>,
        pub(crate) weight: Option<Tensor>,
        pub(crate) bias: Option<Tensor>,
        pub(crate) training: bool,
        pub(crate) momentum: f64,
        pub(crate) eps: f64,
    }

    impl Default for BatchNormOptions {
        fn default() -> BatchNormOptions {
            BatchNormOptions {
                running_mean: None,
                running_var: None,
                weight: None,
                bias: None,
                training: false,
                momentum: 0.1,
                eps: 1e-5,
            }
        }
    }

    impl BatchNormOptions {
        /// Sets `running_mean`; by default not given.
        pub fn running_mean<'a>(mut self, running_mean: impl Into<Option<&'a Tensor>>) -> Self {
            self.running_mean = running_mean.into().cloned();
            self
        }

        /// Sets `running_var`; by default not given.
        pub fn running_var<'a>(mut self, running_var: impl Into<Option<&'a Tensor>>) -> Self {
            self.running_var = running_var.into().cloned();
            self
        }

        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `training`; by default `false`.
        pub fn training(mut self, training: bool) -> Self {
            self.training = training;
            self
        }

        /// Sets `momentum`; by default `0.1`.
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.momentum = momentum;
            self
        }

        /// Sets `eps`; by default `1e-5`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }

    /// Options of [`batch_norm_stats`](crate::ops::batch_norm_stats).
    #[derive(Clone, Debug)]
    pub struct BatchNormStatsOptions {
        pub(crate) momentum: f64,
    }

    impl Default for BatchNormStatsOptions {
        fn default() -> BatchNormStatsOptions {
            BatchNormStatsOptions {
                momentum: 0.1,
            }
        }
    }

    impl BatchNormStatsOptions {
        /// Sets `momentum`; by default `0.1`.
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.momentum = momentum;
            self
        }
    }

    /// Options of [`group_norm`](crate::ops::group_norm).
    #[derive(Clone, Debug)]
    pub struct GroupNormOptions {
        pub(crate) weight: Option<Tensor>,
        pub(crate) bias: Option<Tensor>,
        pub(crate) eps: f64,
    }

    impl Default for GroupNormOptions {
        fn default() -> GroupNormOptions {
            GroupNormOptions {
                weight: None,
                bias: None,
                eps: 1e-5,
            }
        }
    }

    impl GroupNormOptions {
        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `eps`; by default `1e-5`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }

    /// Options of [`instance_norm`](crate::ops::instance_norm).
    #[derive(Clone, Debug)]
    pub struct InstanceNormOptions {
        pub(crate) running_mean: Option<Tensor>,
        pub(crate) running_var: Option<Tensor>,
        pub(crate) weight: Option<Tensor>,
        pub(crate) bias: Option<Tensor>,
        pub(crate) use_input_stats: bool,
        pub(crate) momentum: f64,
        pub(crate) eps: f64,
    }

    impl Default for InstanceNormOptions {
        fn default() -> InstanceNormOptions {
            InstanceNormOptions {
                running_mean: None,
                running_var: None,
                weight: None,
                bias: None,
                use_input_stats: true,
                momentum: 0.1,
                eps: 1e-5,
            }
        }
    }

    impl InstanceNormOptions {
        /// Sets `running_mean`; by default not given.
        pub fn running_mean<'a>(mut self, running_mean: impl Into<Option<&'a Tensor>>) -> Self {
            self.running_mean = running_mean.into().cloned();
            self
        }

        /// Sets `running_var`; by default not given.
        pub fn running_var<'a>(mut self, running_var: impl Into<Option<&'a Tensor>>) -> Self {
            self.running_var = running_var.into().cloned();
            self
        }

        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }

        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `use_input_stats`; by default `true`.
        pub fn use_input_stats(mut self, use_input_stats: bool) -> Self {
            self.use_input_stats = use_input_stats;
            self
        }

        /// Sets `momentum`; by default `0.1`.
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.momentum = momentum;
            self
        }

        /// Sets `eps`; by default `1e-5`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }

    /// Options of [`normalize`](crate::ops::normalize).
    #[derive(Clone, Debug)]
    pub struct NormalizeOptions {
        pub(crate) p: f64,
        pub(crate) eps: f64,
    }

    impl Default for NormalizeOptions {
        fn default() -> NormalizeOptions {
            NormalizeOptions {
                p: 2.0,
                eps: 1e-12,
            }
        }
    }

    impl NormalizeOptions {
        /// Sets `p`; by default `2.0`.
        pub fn p(mut self, p: f64) -> Self {
            self.p = p;
            self
        }

        /// Sets `eps`; by default `1e-12`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }

    /// Options of [`local_response_norm`](crate::ops::local_response_norm).
    #[derive(Clone, Debug)]
    pub struct LocalResponseNormOptions {
        pub(crate) alpha: f64,
        pub(crate) beta: f64,
        pub(crate) k: f64,
    }

    impl Default for LocalResponseNormOptions {
        fn default() -> LocalResponseNormOptions {
            LocalResponseNormOptions {
                alpha: 1e-4,
                beta: 0.75,
                k: 1.0,
            }
        }
    }

    impl LocalResponseNormOptions {
        /// Sets `alpha`; by default `1e-4`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }

        /// Sets `beta`; by default `0.75`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `k`; by default `1.0`.
        pub fn k(mut self, k: f64) -> Self {
            self.k = k;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
    /// then scales by `weight` and shifts by `bias`.
    ///
    /// `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
    #[track_caller]
    pub fn layer_norm(input: &Tensor, normalized_shape: impl IntoList<usize>) -> Tensor {
        layer_norm_with(input, normalized_shape, |o| o)
    }

    /// Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
    /// then scales by `weight` and shifts by `bias`.
    ///
    /// `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
    ///
    /// Options: `weight`, `bias`, `eps`.
    #[track_caller]
    pub fn layer_norm_with(input: &Tensor, normalized_shape: impl IntoList<usize>, o: impl FnOnce(options::LayerNormOptions) -> options::LayerNormOptions) -> Tensor {
        let o = o(options::LayerNormOptions::default());
        let normalized_shape: Vec<usize> = normalized_shape.into_list();
        input.settle();
        o.weight.settle();
        o.bias.settle();
        record("layer_norm", |scope| scope.leave(compose::layer_norm(scope.g, input.enter(scope), Shape::from(normalized_shape), o.weight.enter(scope), o.bias.enter(scope), o.eps)))
    }

    /// Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
    /// scales by `weight`.
    ///
    /// `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
    #[track_caller]
    pub fn rms_norm(input: &Tensor, normalized_shape: impl IntoList<usize>) -> Tensor {
        rms_norm_with(input, normalized_shape, |o| o)
    }

    /// Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
    /// scales by `weight`.
    ///
    /// `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
    ///
    /// Options: `weight`, `eps`.
    #[track_caller]
    pub fn rms_norm_with(input: &Tensor, normalized_shape: impl IntoList<usize>, o: impl FnOnce(options::RmsNormOptions) -> options::RmsNormOptions) -> Tensor {
        let o = o(options::RmsNormOptions::default());
        let normalized_shape: Vec<usize> = normalized_shape.into_list();
        input.settle();
        o.weight.settle();
        record("rms_norm", |scope| scope.leave(compose::rms_norm(scope.g, input.enter(scope), Shape::from(normalized_shape), o.weight.enter(scope), o.eps)))
    }

    /// Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
    /// shifts by `bias`, which have one element per channel.
    ///
    /// While `training` it uses the mean and biased variance of the batch, else `running_mean` and
    /// `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
    #[track_caller]
    pub fn batch_norm(input: &Tensor) -> Tensor {
        batch_norm_with(input, |o| o)
    }

    /// Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
    /// shifts by `bias`, which have one element per channel.
    ///
    /// While `training` it uses the mean and biased variance of the batch, else `running_mean` and
    /// `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
    ///
    /// Options: `running_mean`, `running_var`, `weight`, `bias`, `training`, `momentum`, `eps`.
    #[track_caller]
    pub fn batch_norm_with(input: &Tensor, o: impl FnOnce(options::BatchNormOptions) -> options::BatchNormOptions) -> Tensor {
        let o = o(options::BatchNormOptions::default());
        input.settle();
        o.running_mean.settle();
        o.running_var.settle();
        o.weight.settle();
        o.bias.settle();
        record("batch_norm", |scope| scope.leave(compose::batch_norm(scope.g, input.enter(scope), o.running_mean.enter(scope), o.running_var.enter(scope), o.weight.enter(scope), o.bias.enter(scope), o.training, o.momentum, o.eps)))
    }

    /// The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
    /// the unbiased variance of the batch. An empty batch does not change them.
    #[track_caller]
    pub fn batch_norm_stats(input: &Tensor, running_mean: &Tensor, running_var: &Tensor) -> (Tensor, Tensor) {
        batch_norm_stats_with(input, running_mean, running_var, |o| o)
    }

    /// The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
    /// the unbiased variance of the batch. An empty batch does not change them.
    ///
    /// Options: `momentum`.
    #[track_caller]
    pub fn batch_norm_stats_with(input: &Tensor, running_mean: &Tensor, running_var: &Tensor, o: impl FnOnce(options::BatchNormStatsOptions) -> options::BatchNormStatsOptions) -> (Tensor, Tensor) {
        let o = o(options::BatchNormStatsOptions::default());
        input.settle();
        running_mean.settle();
        running_var.settle();
        record("batch_norm_stats", |scope| scope.leave(compose::batch_norm_stats(scope.g, input.enter(scope), running_mean.enter(scope), running_var.enter(scope), o.momentum)))
    }

    /// Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
    /// `weight` and shifts by `bias`, which have one element per channel.
    #[track_caller]
    pub fn group_norm(input: &Tensor, num_groups: usize) -> Tensor {
        group_norm_with(input, num_groups, |o| o)
    }

    /// Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
    /// `weight` and shifts by `bias`, which have one element per channel.
    ///
    /// Options: `weight`, `bias`, `eps`.
    #[track_caller]
    pub fn group_norm_with(input: &Tensor, num_groups: usize, o: impl FnOnce(options::GroupNormOptions) -> options::GroupNormOptions) -> Tensor {
        let o = o(options::GroupNormOptions::default());
        input.settle();
        o.weight.settle();
        o.bias.settle();
        record("group_norm", |scope| scope.leave(compose::group_norm(scope.g, input.enter(scope), num_groups, o.weight.enter(scope), o.bias.enter(scope), o.eps)))
    }

    /// Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
    /// and shifts by `bias`, which have one element per channel.
    ///
    /// With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
    /// update these.
    #[track_caller]
    pub fn instance_norm(input: &Tensor) -> Tensor {
        instance_norm_with(input, |o| o)
    }

    /// Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
    /// and shifts by `bias`, which have one element per channel.
    ///
    /// With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
    /// update these.
    ///
    /// Options: `running_mean`, `running_var`, `weight`, `bias`, `use_input_stats`, `momentum`, `eps`.
    #[track_caller]
    pub fn instance_norm_with(input: &Tensor, o: impl FnOnce(options::InstanceNormOptions) -> options::InstanceNormOptions) -> Tensor {
        let o = o(options::InstanceNormOptions::default());
        input.settle();
        o.running_mean.settle();
        o.running_var.settle();
        o.weight.settle();
        o.bias.settle();
        record("instance_norm", |scope| scope.leave(compose::instance_norm(scope.g, input.enter(scope), o.running_mean.enter(scope), o.running_var.enter(scope), o.weight.enter(scope), o.bias.enter(scope), o.use_input_stats, o.momentum, o.eps)))
    }

    /// Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
    #[track_caller]
    pub fn normalize(input: &Tensor, dim: isize) -> Tensor {
        normalize_with(input, dim, |o| o)
    }

    /// Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
    ///
    /// Options: `p`, `eps`.
    #[track_caller]
    pub fn normalize_with(input: &Tensor, dim: isize, o: impl FnOnce(options::NormalizeOptions) -> options::NormalizeOptions) -> Tensor {
        let o = o(options::NormalizeOptions::default());
        input.settle();
        record("normalize", |scope| scope.leave(compose::normalize(scope.g, input.enter(scope), o.p, dim, o.eps)))
    }

    /// Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
    /// `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
    #[track_caller]
    pub fn local_response_norm(input: &Tensor, size: usize) -> Tensor {
        local_response_norm_with(input, size, |o| o)
    }

    /// Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
    /// `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
    ///
    /// Options: `alpha`, `beta`, `k`.
    #[track_caller]
    pub fn local_response_norm_with(input: &Tensor, size: usize, o: impl FnOnce(options::LocalResponseNormOptions) -> options::LocalResponseNormOptions) -> Tensor {
        let o = o(options::LocalResponseNormOptions::default());
        input.settle();
        record("local_response_norm", |scope| scope.leave(compose::local_response_norm(scope.g, input.enter(scope), size, o.alpha, o.beta, o.k)))
    }
}

impl Tensor {
    /// Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
    /// then scales by `weight` and shifts by `bias`.
    ///
    /// `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
    #[track_caller]
    pub fn layer_norm(&self, normalized_shape: impl IntoList<usize>) -> Tensor {
        functions::layer_norm(self, normalized_shape)
    }

    /// Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
    /// then scales by `weight` and shifts by `bias`.
    ///
    /// `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
    ///
    /// Options: `weight`, `bias`, `eps`.
    #[track_caller]
    pub fn layer_norm_with(&self, normalized_shape: impl IntoList<usize>, o: impl FnOnce(options::LayerNormOptions) -> options::LayerNormOptions) -> Tensor {
        functions::layer_norm_with(self, normalized_shape, o)
    }

    /// Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
    /// scales by `weight`.
    ///
    /// `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
    #[track_caller]
    pub fn rms_norm(&self, normalized_shape: impl IntoList<usize>) -> Tensor {
        functions::rms_norm(self, normalized_shape)
    }

    /// Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
    /// scales by `weight`.
    ///
    /// `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
    ///
    /// Options: `weight`, `eps`.
    #[track_caller]
    pub fn rms_norm_with(&self, normalized_shape: impl IntoList<usize>, o: impl FnOnce(options::RmsNormOptions) -> options::RmsNormOptions) -> Tensor {
        functions::rms_norm_with(self, normalized_shape, o)
    }

    /// Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
    /// shifts by `bias`, which have one element per channel.
    ///
    /// While `training` it uses the mean and biased variance of the batch, else `running_mean` and
    /// `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
    #[track_caller]
    pub fn batch_norm(&self) -> Tensor {
        functions::batch_norm(self)
    }

    /// Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
    /// shifts by `bias`, which have one element per channel.
    ///
    /// While `training` it uses the mean and biased variance of the batch, else `running_mean` and
    /// `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
    ///
    /// Options: `running_mean`, `running_var`, `weight`, `bias`, `training`, `momentum`, `eps`.
    #[track_caller]
    pub fn batch_norm_with(&self, o: impl FnOnce(options::BatchNormOptions) -> options::BatchNormOptions) -> Tensor {
        functions::batch_norm_with(self, o)
    }

    /// The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
    /// the unbiased variance of the batch. An empty batch does not change them.
    #[track_caller]
    pub fn batch_norm_stats(&self, running_mean: &Tensor, running_var: &Tensor) -> (Tensor, Tensor) {
        functions::batch_norm_stats(self, running_mean, running_var)
    }

    /// The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
    /// the unbiased variance of the batch. An empty batch does not change them.
    ///
    /// Options: `momentum`.
    #[track_caller]
    pub fn batch_norm_stats_with(&self, running_mean: &Tensor, running_var: &Tensor, o: impl FnOnce(options::BatchNormStatsOptions) -> options::BatchNormStatsOptions) -> (Tensor, Tensor) {
        functions::batch_norm_stats_with(self, running_mean, running_var, o)
    }

    /// Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
    /// `weight` and shifts by `bias`, which have one element per channel.
    #[track_caller]
    pub fn group_norm(&self, num_groups: usize) -> Tensor {
        functions::group_norm(self, num_groups)
    }

    /// Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
    /// `weight` and shifts by `bias`, which have one element per channel.
    ///
    /// Options: `weight`, `bias`, `eps`.
    #[track_caller]
    pub fn group_norm_with(&self, num_groups: usize, o: impl FnOnce(options::GroupNormOptions) -> options::GroupNormOptions) -> Tensor {
        functions::group_norm_with(self, num_groups, o)
    }

    /// Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
    /// and shifts by `bias`, which have one element per channel.
    ///
    /// With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
    /// update these.
    #[track_caller]
    pub fn instance_norm(&self) -> Tensor {
        functions::instance_norm(self)
    }

    /// Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
    /// and shifts by `bias`, which have one element per channel.
    ///
    /// With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
    /// update these.
    ///
    /// Options: `running_mean`, `running_var`, `weight`, `bias`, `use_input_stats`, `momentum`, `eps`.
    #[track_caller]
    pub fn instance_norm_with(&self, o: impl FnOnce(options::InstanceNormOptions) -> options::InstanceNormOptions) -> Tensor {
        functions::instance_norm_with(self, o)
    }

    /// Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
    #[track_caller]
    pub fn normalize(&self, dim: isize) -> Tensor {
        functions::normalize(self, dim)
    }

    /// Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
    ///
    /// Options: `p`, `eps`.
    #[track_caller]
    pub fn normalize_with(&self, dim: isize, o: impl FnOnce(options::NormalizeOptions) -> options::NormalizeOptions) -> Tensor {
        functions::normalize_with(self, dim, o)
    }

    /// Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
    /// `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
    #[track_caller]
    pub fn local_response_norm(&self, size: usize) -> Tensor {
        functions::local_response_norm(self, size)
    }

    /// Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
    /// `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
    ///
    /// Options: `alpha`, `beta`, `k`.
    #[track_caller]
    pub fn local_response_norm_with(&self, size: usize, o: impl FnOnce(options::LocalResponseNormOptions) -> options::LocalResponseNormOptions) -> Tensor {
        functions::local_response_norm_with(self, size, o)
    }

}
