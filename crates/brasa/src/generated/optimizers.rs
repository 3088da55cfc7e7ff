//! Generated from the `optimizers` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`sgd_step`](crate::ops::sgd_step).
    #[derive(Clone, Debug)]
    pub struct SgdStepOptions {
        pub(crate) momentum: f64,
        pub(crate) dampening: f64,
        pub(crate) weight_decay: f64,
        pub(crate) nesterov: bool,
    }

    impl Default for SgdStepOptions {
        fn default() -> SgdStepOptions {
            SgdStepOptions {
                momentum: 0.0,
                dampening: 0.0,
                weight_decay: 0.0,
                nesterov: false,
            }
        }
    }

    impl SgdStepOptions {
        /// Sets `momentum`; by default `0.0`.
        pub fn momentum(mut self, momentum: f64) -> Self {
            self.momentum = momentum;
            self
        }

        /// Sets `dampening`; by default `0.0`.
        pub fn dampening(mut self, dampening: f64) -> Self {
            self.dampening = dampening;
            self
        }

        /// Sets `weight_decay`; by default `0.0`.
        pub fn weight_decay(mut self, weight_decay: f64) -> Self {
            self.weight_decay = weight_decay;
            self
        }

        /// Sets `nesterov`; by default `false`.
        pub fn nesterov(mut self, nesterov: bool) -> Self {
            self.nesterov = nesterov;
            self
        }
    }

    /// Options of [`adam_step`](crate::ops::adam_step).
    #[derive(Clone, Debug)]
    pub struct AdamStepOptions {
        pub(crate) shrink: Operand,
        pub(crate) beta1: f64,
        pub(crate) beta2: f64,
        pub(crate) eps: f64,
    }

    impl Default for AdamStepOptions {
        fn default() -> AdamStepOptions {
            AdamStepOptions {
                shrink: 1.0.into(),
                beta1: 0.9,
                beta2: 0.999,
                eps: 1e-8,
            }
        }
    }

    impl AdamStepOptions {
        /// Sets `shrink`; by default `1.0`.
        pub fn shrink(mut self, shrink: impl Into<Operand>) -> Self {
            self.shrink = shrink.into();
            self
        }

        /// Sets `beta1`; by default `0.9`.
        pub fn beta1(mut self, beta1: f64) -> Self {
            self.beta1 = beta1;
            self
        }

        /// Sets `beta2`; by default `0.999`.
        pub fn beta2(mut self, beta2: f64) -> Self {
            self.beta2 = beta2;
            self
        }

        /// Sets `eps`; by default `1e-8`.
        pub fn eps(mut self, eps: f64) -> Self {
            self.eps = eps;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// The new parameter and momentum buffer of one step of stochastic gradient descent: `buffer =
    /// momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov `param −
    /// lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
    #[track_caller]
    pub fn sgd_step(param: &Tensor, grad: &Tensor, buffer: &Tensor, lr: impl Into<Operand>) -> (Tensor, Tensor) {
        sgd_step_with(param, grad, buffer, lr, |o| o)
    }

    /// The new parameter and momentum buffer of one step of stochastic gradient descent: `buffer =
    /// momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov `param −
    /// lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
    ///
    /// Options: `momentum`, `dampening`, `weight_decay`, `nesterov`.
    #[track_caller]
    pub fn sgd_step_with(param: &Tensor, grad: &Tensor, buffer: &Tensor, lr: impl Into<Operand>, o: impl FnOnce(options::SgdStepOptions) -> options::SgdStepOptions) -> (Tensor, Tensor) {
        let o = o(options::SgdStepOptions::default());
        let lr: Operand = lr.into();
        param.settle();
        grad.settle();
        buffer.settle();
        lr.settle();
        record("sgd_step", |scope| scope.leave(compose::sgd_step(scope.g, param.enter(scope), grad.enter(scope), buffer.enter(scope), lr.enter(scope), o.momentum, o.dampening, o.weight_decay, o.nesterov)))
    }

    /// The new parameter and the new moments of one step of Adam:
    /// `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
    /// `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
    /// `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
    /// (AdamW).
    #[track_caller]
    pub fn adam_step(param: &Tensor, grad: &Tensor, exp_avg: &Tensor, exp_avg_sq: &Tensor, step_size: impl Into<Operand>, correction: impl Into<Operand>) -> (Tensor, Tensor, Tensor) {
        adam_step_with(param, grad, exp_avg, exp_avg_sq, step_size, correction, |o| o)
    }

    /// The new parameter and the new moments of one step of Adam:
    /// `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
    /// `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
    /// `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
    /// (AdamW).
    ///
    /// Options: `shrink`, `beta1`, `beta2`, `eps`.
    #[track_caller]
    pub fn adam_step_with(param: &Tensor, grad: &Tensor, exp_avg: &Tensor, exp_avg_sq: &Tensor, step_size: impl Into<Operand>, correction: impl Into<Operand>, o: impl FnOnce(options::AdamStepOptions) -> options::AdamStepOptions) -> (Tensor, Tensor, Tensor) {
        let o = o(options::AdamStepOptions::default());
        let step_size: Operand = step_size.into();
        let correction: Operand = correction.into();
        param.settle();
        grad.settle();
        exp_avg.settle();
        exp_avg_sq.settle();
        step_size.settle();
        correction.settle();
        o.shrink.settle();
        record("adam_step", |scope| scope.leave(compose::adam_step(scope.g, param.enter(scope), grad.enter(scope), exp_avg.enter(scope), exp_avg_sq.enter(scope), step_size.enter(scope), correction.enter(scope), o.shrink.enter(scope), o.beta1, o.beta2, o.eps)))
    }
}

impl Tensor {
    /// The new parameter and momentum buffer of one step of stochastic gradient descent: `buffer =
    /// momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov `param −
    /// lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
    #[track_caller]
    pub fn sgd_step(&self, grad: &Tensor, buffer: &Tensor, lr: impl Into<Operand>) -> (Tensor, Tensor) {
        functions::sgd_step(self, grad, buffer, lr)
    }

    /// The new parameter and momentum buffer of one step of stochastic gradient descent: `buffer =
    /// momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov `param −
    /// lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
    ///
    /// Options: `momentum`, `dampening`, `weight_decay`, `nesterov`.
    #[track_caller]
    pub fn sgd_step_with(&self, grad: &Tensor, buffer: &Tensor, lr: impl Into<Operand>, o: impl FnOnce(options::SgdStepOptions) -> options::SgdStepOptions) -> (Tensor, Tensor) {
        functions::sgd_step_with(self, grad, buffer, lr, o)
    }

    /// The new parameter and the new moments of one step of Adam:
    /// `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
    /// `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
    /// `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
    /// (AdamW).
    #[track_caller]
    pub fn adam_step(&self, grad: &Tensor, exp_avg: &Tensor, exp_avg_sq: &Tensor, step_size: impl Into<Operand>, correction: impl Into<Operand>) -> (Tensor, Tensor, Tensor) {
        functions::adam_step(self, grad, exp_avg, exp_avg_sq, step_size, correction)
    }

    /// Another name for [`adam_step`](Tensor::adam_step).
    #[track_caller]
    pub fn adamw_step(&self, grad: &Tensor, exp_avg: &Tensor, exp_avg_sq: &Tensor, step_size: impl Into<Operand>, correction: impl Into<Operand>) -> (Tensor, Tensor, Tensor) {
        functions::adam_step(self, grad, exp_avg, exp_avg_sq, step_size, correction)
    }

    /// The new parameter and the new moments of one step of Adam:
    /// `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
    /// `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
    /// `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
    /// (AdamW).
    ///
    /// Options: `shrink`, `beta1`, `beta2`, `eps`.
    #[track_caller]
    pub fn adam_step_with(&self, grad: &Tensor, exp_avg: &Tensor, exp_avg_sq: &Tensor, step_size: impl Into<Operand>, correction: impl Into<Operand>, o: impl FnOnce(options::AdamStepOptions) -> options::AdamStepOptions) -> (Tensor, Tensor, Tensor) {
        functions::adam_step_with(self, grad, exp_avg, exp_avg_sq, step_size, correction, o)
    }

}
