//! Generated from the `losses` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`mse_loss`](crate::ops::mse_loss).
    #[derive(Clone, Debug)]
    pub struct MseLossOptions {
        pub(crate) reduction: brasa_ir::compose::Reduction,
        pub(crate) weight: Option<Tensor>,
    }

    impl Default for MseLossOptions {
        fn default() -> MseLossOptions {
            MseLossOptions {
                reduction: brasa_ir::compose::Reduction::Mean,
                weight: None,
            }
        }
    }

    impl MseLossOptions {
        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }
    }

    /// Options of [`l1_loss`](crate::ops::l1_loss).
    #[derive(Clone, Debug)]
    pub struct L1LossOptions {
        pub(crate) reduction: brasa_ir::compose::Reduction,
        pub(crate) weight: Option<Tensor>,
    }

    impl Default for L1LossOptions {
        fn default() -> L1LossOptions {
            L1LossOptions {
                reduction: brasa_ir::compose::Reduction::Mean,
                weight: None,
            }
        }
    }

    impl L1LossOptions {
        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }
    }

    /// Options of [`smooth_l1_loss`](crate::ops::smooth_l1_loss).
    #[derive(Clone, Debug)]
    pub struct SmoothL1LossOptions {
        pub(crate) reduction: brasa_ir::compose::Reduction,
        pub(crate) beta: f64,
    }

    impl Default for SmoothL1LossOptions {
        fn default() -> SmoothL1LossOptions {
            SmoothL1LossOptions {
                reduction: brasa_ir::compose::Reduction::Mean,
                beta: 1.0,
            }
        }
    }

    impl SmoothL1LossOptions {
        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }
    }

    /// Options of [`huber_loss`](crate::ops::huber_loss).
    #[derive(Clone, Debug)]
    pub struct HuberLossOptions {
        pub(crate) reduction: brasa_ir::compose::Reduction,
        pub(crate) delta: f64,
        pub(crate) weight: Option<Tensor>,
    }

    impl Default for HuberLossOptions {
        fn default() -> HuberLossOptions {
            HuberLossOptions {
                reduction: brasa_ir::compose::Reduction::Mean,
                delta: 1.0,
                weight: None,
            }
        }
    }

    impl HuberLossOptions {
        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `delta`; by default `1.0`.
        pub fn delta(mut self, delta: f64) -> Self {
            self.delta = delta;
            self
        }

        /// Sets `weight`; by default not given.
        pub fn weight<'a>(mut self, weight: impl Into<Option<&'a Tensor>>) -> Self {
            self.weight = weight.into().cloned();
            self
        }
    }

    /// Options of [`kl_div`](crate::ops::kl_div).
    #[derive(Clone, Debug)]
    pub struct KlDivOptions {
        pub(crate) reduction: brasa_ir::compose::DivergenceReduction,
        pub(crate) log_target: bool,
    }

    impl Default for KlDivOptions {
        fn default() -> KlDivOptions {
            KlDivOptions {
                reduction: brasa_ir::compose::DivergenceReduction::Mean,
                log_target: false,
            }
        }
    }

    impl KlDivOptions {
        /// Sets `reduction`; by default `DivergenceReduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::DivergenceReduction) -> Self {
            self.reduction = reduction;
            self
        }

        /// Sets `log_target`; by default `false`.
        pub fn log_target(mut self, log_target: bool) -> Self {
            self.log_target = log_target;
            self
        }
    }

    /// Options of [`gaussian_nll_loss`](crate::ops::gaussian_nll_loss).
    #[derive(Clone, Debug)]
    pub struct GaussianNllLossOptions {
        pub(crate) full: bool,
        pub(crate) eps: f64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for GaussianNllLossOptions {
        fn default() -> GaussianNllLossOptions {
            GaussianNllLossOptions {
                full: false,
                eps: 1e-6,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl GaussianNllLossOptions {
        /// Sets `full`; by default `false`.
        pub fn full(mut self, full: bool) -> Self {
            self.full = full;
            self
        }

        /// Sets `eps`; by default `1e-6`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }

    /// Options of [`poisson_nll_loss`](crate::ops::poisson_nll_loss).
    #[derive(Clone, Debug)]
    pub struct PoissonNllLossOptions {
        pub(crate) log_input: bool,
        pub(crate) full: bool,
        pub(crate) eps: f64,
        pub(crate) reduction: brasa_ir::compose::Reduction,
    }

    impl Default for PoissonNllLossOptions {
        fn default() -> PoissonNllLossOptions {
            PoissonNllLossOptions {
                log_input: true,
                full: false,
                eps: 1e-8,
                reduction: brasa_ir::compose::Reduction::Mean,
            }
        }
    }

    impl PoissonNllLossOptions {
        /// Sets `log_input`; by default `true`.
        pub fn log_input(mut self, log_input: bool) -> Self {
            self.log_input = log_input;
            self
        }

        /// Sets `full`; by default `false`.
        pub fn full(mut self, full: bool) -> Self {
            self.full = full;
            self
        }

        /// Sets `eps`; by default `1e-8`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }

        /// Sets `reduction`; by default `Reduction::Mean`.
        pub fn reduction(mut self, reduction: brasa_ir::compose::Reduction) -> Self {
            self.reduction = reduction;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
    #[track_caller]
    pub fn mse_loss(input: &Tensor, target: &Tensor) -> Tensor {
        mse_loss_with(input, target, |o| o)
    }

    /// Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
    ///
    /// Options: `reduction`, `weight`.
    #[track_caller]
    pub fn mse_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::MseLossOptions) -> options::MseLossOptions) -> Tensor {
        let o = o(options::MseLossOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("mse_loss", |scope| scope.leave(compose::mse_loss(scope.g, input.enter(scope), target.enter(scope), o.reduction, o.weight.enter(scope))))
    }

    /// Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
    #[track_caller]
    pub fn l1_loss(input: &Tensor, target: &Tensor) -> Tensor {
        l1_loss_with(input, target, |o| o)
    }

    /// Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
    ///
    /// Options: `reduction`, `weight`.
    #[track_caller]
    pub fn l1_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::L1LossOptions) -> options::L1LossOptions) -> Tensor {
        let o = o(options::L1LossOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("l1_loss", |scope| scope.leave(compose::l1_loss(scope.g, input.enter(scope), target.enter(scope), o.reduction, o.weight.enter(scope))))
    }

    /// Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
    #[track_caller]
    pub fn smooth_l1_loss(input: &Tensor, target: &Tensor) -> Tensor {
        smooth_l1_loss_with(input, target, |o| o)
    }

    /// Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
    ///
    /// Options: `reduction`, `beta`.
    #[track_caller]
    pub fn smooth_l1_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::SmoothL1LossOptions) -> options::SmoothL1LossOptions) -> Tensor {
        let o = o(options::SmoothL1LossOptions::default());
        input.settle();
        target.settle();
        record("smooth_l1_loss", |scope| scope.leave(compose::smooth_l1_loss(scope.g, input.enter(scope), target.enter(scope), o.reduction, o.beta)))
    }

    /// Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
    #[track_caller]
    pub fn huber_loss(input: &Tensor, target: &Tensor) -> Tensor {
        huber_loss_with(input, target, |o| o)
    }

    /// Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
    ///
    /// Options: `reduction`, `delta`, `weight`.
    #[track_caller]
    pub fn huber_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::HuberLossOptions) -> options::HuberLossOptions) -> Tensor {
        let o = o(options::HuberLossOptions::default());
        input.settle();
        target.settle();
        o.weight.settle();
        record("huber_loss", |scope| scope.leave(compose::huber_loss(scope.g, input.enter(scope), target.enter(scope), o.reduction, o.delta, o.weight.enter(scope))))
    }

    /// Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
    /// `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
    #[track_caller]
    pub fn kl_div(input: &Tensor, target: &Tensor) -> Tensor {
        kl_div_with(input, target, |o| o)
    }

    /// Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
    /// `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
    ///
    /// Options: `reduction`, `log_target`.
    #[track_caller]
    pub fn kl_div_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::KlDivOptions) -> options::KlDivOptions) -> Tensor {
        let o = o(options::KlDivOptions::default());
        input.settle();
        target.settle();
        record("kl_div", |scope| scope.leave(compose::kl_div(scope.g, input.enter(scope), target.enter(scope), o.reduction, o.log_target)))
    }

    /// Negative log-likelihood of `target` under normal distributions of mean `input` and variance
    /// `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
    ///
    /// `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
    #[track_caller]
    pub fn gaussian_nll_loss(input: &Tensor, target: &Tensor, var: impl Into<Operand>) -> Tensor {
        gaussian_nll_loss_with(input, target, var, |o| o)
    }

    /// Negative log-likelihood of `target` under normal distributions of mean `input` and variance
    /// `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
    ///
    /// `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
    ///
    /// Options: `full`, `eps`, `reduction`.
    #[track_caller]
    pub fn gaussian_nll_loss_with(input: &Tensor, target: &Tensor, var: impl Into<Operand>, o: impl FnOnce(options::GaussianNllLossOptions) -> options::GaussianNllLossOptions) -> Tensor {
        let o = o(options::GaussianNllLossOptions::default());
        let var: Operand = var.into();
        input.settle();
        target.settle();
        var.settle();
        record("gaussian_nll_loss", |scope| scope.leave(compose::gaussian_nll_loss(scope.g, input.enter(scope), target.enter(scope), var.enter(scope), o.full, o.eps, o.reduction)))
    }

    /// Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
    /// or `input − target · log(input + eps)` where `log_input` is false.
    ///
    /// `full` adds Stirling's approximation of `log(target!)` where the target is above one.
    #[track_caller]
    pub fn poisson_nll_loss(input: &Tensor, target: &Tensor) -> Tensor {
        poisson_nll_loss_with(input, target, |o| o)
    }

    /// Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
    /// or `input − target · log(input + eps)` where `log_input` is false.
    ///
    /// `full` adds Stirling's approximation of `log(target!)` where the target is above one.
    ///
    /// Options: `log_input`, `full`, `eps`, `reduction`.
    #[track_caller]
    pub fn poisson_nll_loss_with(input: &Tensor, target: &Tensor, o: impl FnOnce(options::PoissonNllLossOptions) -> options::PoissonNllLossOptions) -> Tensor {
        let o = o(options::PoissonNllLossOptions::default());
        input.settle();
        target.settle();
        record("poisson_nll_loss", |scope| scope.leave(compose::poisson_nll_loss(scope.g, input.enter(scope), target.enter(scope), o.log_input, o.full, o.eps, o.reduction)))
    }
}

impl Tensor {
    /// Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
    #[track_caller]
    pub fn mse_loss(&self, target: &Tensor) -> Tensor {
        functions::mse_loss(self, target)
    }

    /// Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
    ///
    /// Options: `reduction`, `weight`.
    #[track_caller]
    pub fn mse_loss_with(&self, target: &Tensor, o: impl FnOnce(options::MseLossOptions) -> options::MseLossOptions) -> Tensor {
        functions::mse_loss_with(self, target, o)
    }

    /// Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
    #[track_caller]
    pub fn l1_loss(&self, target: &Tensor) -> Tensor {
        functions::l1_loss(self, target)
    }

    /// Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
    ///
    /// Options: `reduction`, `weight`.
    #[track_caller]
    pub fn l1_loss_with(&self, target: &Tensor, o: impl FnOnce(options::L1LossOptions) -> options::L1LossOptions) -> Tensor {
        functions::l1_loss_with(self, target, o)
    }

    /// Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
    #[track_caller]
    pub fn smooth_l1_loss(&self, target: &Tensor) -> Tensor {
        functions::smooth_l1_loss(self, target)
    }

    /// Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
    ///
    /// Options: `reduction`, `beta`.
    #[track_caller]
    pub fn smooth_l1_loss_with(&self, target: &Tensor, o: impl FnOnce(options::SmoothL1LossOptions) -> options::SmoothL1LossOptions) -> Tensor {
        functions::smooth_l1_loss_with(self, target, o)
    }

    /// Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
    #[track_caller]
    pub fn huber_loss(&self, target: &Tensor) -> Tensor {
        functions::huber_loss(self, target)
    }

    /// Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
    /// `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
    ///
    /// Options: `reduction`, `delta`, `weight`.
    #[track_caller]
    pub fn huber_loss_with(&self, target: &Tensor, o: impl FnOnce(options::HuberLossOptions) -> options::HuberLossOptions) -> Tensor {
        functions::huber_loss_with(self, target, o)
    }

    /// Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
    /// `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
    #[track_caller]
    pub fn kl_div(&self, target: &Tensor) -> Tensor {
        functions::kl_div(self, target)
    }

    /// Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
    /// `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
    ///
    /// Options: `reduction`, `log_target`.
    #[track_caller]
    pub fn kl_div_with(&self, target: &Tensor, o: impl FnOnce(options::KlDivOptions) -> options::KlDivOptions) -> Tensor {
        functions::kl_div_with(self, target, o)
    }

    /// Negative log-likelihood of `target` under normal distributions of mean `input` and variance
    /// `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
    ///
    /// `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
    #[track_caller]
    pub fn gaussian_nll_loss(&self, target: &Tensor, var: impl Into<Operand>) -> Tensor {
        functions::gaussian_nll_loss(self, target, var)
    }

    /// Negative log-likelihood of `target` under normal distributions of mean `input` and variance
    /// `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
    ///
    /// `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
    ///
    /// Options: `full`, `eps`, `reduction`.
    #[track_caller]
    pub fn gaussian_nll_loss_with(&self, target: &Tensor, var: impl Into<Operand>, o: impl FnOnce(options::GaussianNllLossOptions) -> options::GaussianNllLossOptions) -> Tensor {
        functions::gaussian_nll_loss_with(self, target, var, o)
    }

    /// Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
    /// or `input − target · log(input + eps)` where `log_input` is false.
    ///
    /// `full` adds Stirling's approximation of `log(target!)` where the target is above one.
    #[track_caller]
    pub fn poisson_nll_loss(&self, target: &Tensor) -> Tensor {
        functions::poisson_nll_loss(self, target)
    }

    /// Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
    /// or `input − target · log(input + eps)` where `log_input` is false.
    ///
    /// `full` adds Stirling's approximation of `log(target!)` where the target is above one.
    ///
    /// Options: `log_input`, `full`, `eps`, `reduction`.
    #[track_caller]
    pub fn poisson_nll_loss_with(&self, target: &Tensor, o: impl FnOnce(options::PoissonNllLossOptions) -> options::PoissonNllLossOptions) -> Tensor {
        functions::poisson_nll_loss_with(self, target, o)
    }

}
