//! Generated from the `activations` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`leaky_relu`](crate::ops::leaky_relu).
    #[derive(Clone, Debug)]
    pub struct LeakyReluOptions {
        pub(crate) negative_slope: f64,
    }

    impl Default for LeakyReluOptions {
        fn default() -> LeakyReluOptions {
            LeakyReluOptions {
                negative_slope: 0.01,
            }
        }
    }

    impl LeakyReluOptions {
        /// Sets `negative_slope`; by default `0.01`.
        pub fn negative_slope(mut self, negative_slope: f64) -> Self {
            self.negative_slope = negative_slope;
            self
        }
    }

    /// Options of [`elu`](crate::ops::elu).
    #[derive(Clone, Debug)]
    pub struct EluOptions {
        pub(crate) alpha: f64,
    }

    impl Default for EluOptions {
        fn default() -> EluOptions {
            EluOptions {
                alpha: 1.0,
            }
        }
    }

    impl EluOptions {
        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`celu`](crate::ops::celu).
    #[derive(Clone, Debug)]
    pub struct CeluOptions {
        pub(crate) alpha: f64,
    }

    impl Default for CeluOptions {
        fn default() -> CeluOptions {
            CeluOptions {
                alpha: 1.0,
            }
        }
    }

    impl CeluOptions {
        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`gelu`](crate::ops::gelu).
    #[derive(Clone, Debug)]
    pub struct GeluOptions {
        pub(crate) approximate: brasa_ir::compose::GeluForm,
    }

    impl Default for GeluOptions {
        fn default() -> GeluOptions {
            GeluOptions {
                approximate: brasa_ir::compose::GeluForm::None,
            }
        }
    }

    impl GeluOptions {
        /// Sets `approximate`; by default `GeluForm::None`.
        pub fn approximate(mut self, approximate: brasa_ir::compose::GeluForm) -> Self {
            self.approximate = approximate;
            self
        }
    }

    /// Options of [`softplus`](crate::ops::softplus).
    #[derive(Clone, Debug)]
    pub struct SoftplusOptions {
        pub(crate) beta: f64,
        pub(crate) threshold: f64,
    }

    impl Default for SoftplusOptions {
        fn default() -> SoftplusOptions {
            SoftplusOptions {
                beta: 1.0,
                threshold: 20.0,
            }
        }
    }

    impl SoftplusOptions {
        /// Sets `beta`; by default `1.0`.
        pub fn beta(mut self, beta: f64) -> Self {
            self.beta = beta;
            self
        }

        /// Sets `threshold`; by default `20.0`.
        pub fn threshold(mut self, threshold: f64) -> Self {
            self.threshold = threshold;
            self
        }
    }

    /// Options of [`hardtanh`](crate::ops::hardtanh).
    #[derive(Clone, Debug)]
    pub struct HardtanhOptions {
        pub(crate) min_val: f64,
        pub(crate) max_val: f64,
    }

    impl Default for HardtanhOptions {
        fn default() -> HardtanhOptions {
            HardtanhOptions {
                min_val: -1.0,
                max_val: 1.0,
            }
        }
    }

    impl HardtanhOptions {
        /// Sets `min_val`; by default `-1.0`.
        pub fn min_val(mut self, min_val: f64) -> Self {
            self.min_val = min_val;
            self
        }

        /// Sets `max_val`; by default `1.0`.
        pub fn max_val(mut self, max_val: f64) -> Self {
            self.max_val = max_val;
            self
        }
    }

    /// Options of [`hardshrink`](crate::ops::hardshrink).
    #[derive(Clone, Debug)]
    pub struct HardshrinkOptions {
        pub(crate) lambd: f64,
    }

    impl Default for HardshrinkOptions {
        fn default() -> HardshrinkOptions {
            HardshrinkOptions {
                lambd: 0.5,
            }
        }
    }

    impl HardshrinkOptions {
        /// Sets `lambd`; by default `0.5`.
        pub fn lambd(mut self, lambd: f64) -> Self {
            self.lambd = lambd;
            self
        }
    }

    /// Options of [`softshrink`](crate::ops::softshrink).
    #[derive(Clone, Debug)]
    pub struct SoftshrinkOptions {
        pub(crate) lambd: f64,
    }

    impl Default for SoftshrinkOptions {
        fn default() -> SoftshrinkOptions {
            SoftshrinkOptions {
                lambd: 0.5,
            }
        }
    }

    impl SoftshrinkOptions {
        /// Sets `lambd`; by default `0.5`.
        pub fn lambd(mut self, lambd: f64) -> Self {
            self.lambd = lambd;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// `relu` capped at six.
    #[track_caller]
    pub fn relu6(input: &Tensor) -> Tensor {
        input.settle();
        record("relu6", |scope| scope.leave(compose::relu6(scope.g, input.enter(scope))))
    }

    /// Each element, or `negative_slope` times it where it is negative.
    #[track_caller]
    pub fn leaky_relu(input: &Tensor) -> Tensor {
        leaky_relu_with(input, |o| o)
    }

    /// Each element, or `negative_slope` times it where it is negative.
    ///
    /// Options: `negative_slope`.
    #[track_caller]
    pub fn leaky_relu_with(input: &Tensor, o: impl FnOnce(options::LeakyReluOptions) -> options::LeakyReluOptions) -> Tensor {
        let o = o(options::LeakyReluOptions::default());
        input.settle();
        record("leaky_relu", |scope| scope.leave(compose::leaky_relu(scope.g, input.enter(scope), o.negative_slope)))
    }

    /// `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
    #[track_caller]
    pub fn prelu(input: &Tensor, weight: &Tensor) -> Tensor {
        input.settle();
        weight.settle();
        record("prelu", |scope| scope.leave(compose::prelu(scope.g, input.enter(scope), weight.enter(scope))))
    }

    /// Each element, or `alpha · (exp(x) − 1)` where it is negative.
    #[track_caller]
    pub fn elu(input: &Tensor) -> Tensor {
        elu_with(input, |o| o)
    }

    /// Each element, or `alpha · (exp(x) − 1)` where it is negative.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn elu_with(input: &Tensor, o: impl FnOnce(options::EluOptions) -> options::EluOptions) -> Tensor {
        let o = o(options::EluOptions::default());
        input.settle();
        record("elu", |scope| scope.leave(compose::elu(scope.g, input.enter(scope), o.alpha)))
    }

    /// `elu` scaled so that deep networks are self-normalizing (Klambauer et al., 2017).
    #[track_caller]
    pub fn selu(input: &Tensor) -> Tensor {
        input.settle();
        record("selu", |scope| scope.leave(compose::selu(scope.g, input.enter(scope))))
    }

    /// `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
    #[track_caller]
    pub fn celu(input: &Tensor) -> Tensor {
        celu_with(input, |o| o)
    }

    /// `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn celu_with(input: &Tensor, o: impl FnOnce(options::CeluOptions) -> options::CeluOptions) -> Tensor {
        let o = o(options::CeluOptions::default());
        input.settle();
        record("celu", |scope| scope.leave(compose::celu(scope.g, input.enter(scope), o.alpha)))
    }

    /// `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
    #[track_caller]
    pub fn gelu(input: &Tensor) -> Tensor {
        gelu_with(input, |o| o)
    }

    /// `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
    ///
    /// Options: `approximate`.
    #[track_caller]
    pub fn gelu_with(input: &Tensor, o: impl FnOnce(options::GeluOptions) -> options::GeluOptions) -> Tensor {
        let o = o(options::GeluOptions::default());
        input.settle();
        record("gelu", |scope| scope.leave(compose::gelu(scope.g, input.enter(scope), o.approximate)))
    }

    /// `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
    #[track_caller]
    pub fn softplus(input: &Tensor) -> Tensor {
        softplus_with(input, |o| o)
    }

    /// `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
    ///
    /// Options: `beta`, `threshold`.
    #[track_caller]
    pub fn softplus_with(input: &Tensor, o: impl FnOnce(options::SoftplusOptions) -> options::SoftplusOptions) -> Tensor {
        let o = o(options::SoftplusOptions::default());
        input.settle();
        record("softplus", |scope| scope.leave(compose::softplus(scope.g, input.enter(scope), o.beta, o.threshold)))
    }

    /// `x / (1 + |x|)`.
    #[track_caller]
    pub fn softsign(input: &Tensor) -> Tensor {
        input.settle();
        record("softsign", |scope| scope.leave(compose::softsign(scope.g, input.enter(scope))))
    }

    /// Each element, but at least `min_val` and at most `max_val`.
    #[track_caller]
    pub fn hardtanh(input: &Tensor) -> Tensor {
        hardtanh_with(input, |o| o)
    }

    /// Each element, but at least `min_val` and at most `max_val`.
    ///
    /// Options: `min_val`, `max_val`.
    #[track_caller]
    pub fn hardtanh_with(input: &Tensor, o: impl FnOnce(options::HardtanhOptions) -> options::HardtanhOptions) -> Tensor {
        let o = o(options::HardtanhOptions::default());
        input.settle();
        record("hardtanh", |scope| scope.leave(compose::hardtanh(scope.g, input.enter(scope), o.min_val, o.max_val)))
    }

    /// Piecewise linear sigmoid: `x / 6 + 1/2`, clamped to 0 … 1.
    #[track_caller]
    pub fn hardsigmoid(input: &Tensor) -> Tensor {
        input.settle();
        record("hardsigmoid", |scope| scope.leave(compose::hardsigmoid(scope.g, input.enter(scope))))
    }

    /// `x · hardsigmoid(x)`.
    #[track_caller]
    pub fn hardswish(input: &Tensor) -> Tensor {
        input.settle();
        record("hardswish", |scope| scope.leave(compose::hardswish(scope.g, input.enter(scope))))
    }

    /// Each element, or zero where it lies within `−lambd` and `lambd`.
    #[track_caller]
    pub fn hardshrink(input: &Tensor) -> Tensor {
        hardshrink_with(input, |o| o)
    }

    /// Each element, or zero where it lies within `−lambd` and `lambd`.
    ///
    /// Options: `lambd`.
    #[track_caller]
    pub fn hardshrink_with(input: &Tensor, o: impl FnOnce(options::HardshrinkOptions) -> options::HardshrinkOptions) -> Tensor {
        let o = o(options::HardshrinkOptions::default());
        input.settle();
        record("hardshrink", |scope| scope.leave(compose::hardshrink(scope.g, input.enter(scope), o.lambd)))
    }

    /// Each element moved towards zero by `lambd`, and zero where it would cross.
    #[track_caller]
    pub fn softshrink(input: &Tensor) -> Tensor {
        softshrink_with(input, |o| o)
    }

    /// Each element moved towards zero by `lambd`, and zero where it would cross.
    ///
    /// Options: `lambd`.
    #[track_caller]
    pub fn softshrink_with(input: &Tensor, o: impl FnOnce(options::SoftshrinkOptions) -> options::SoftshrinkOptions) -> Tensor {
        let o = o(options::SoftshrinkOptions::default());
        input.settle();
        record("softshrink", |scope| scope.leave(compose::softshrink(scope.g, input.enter(scope), o.lambd)))
    }

    /// `x − tanh(x)`.
    #[track_caller]
    pub fn tanhshrink(input: &Tensor) -> Tensor {
        input.settle();
        record("tanhshrink", |scope| scope.leave(compose::tanhshrink(scope.g, input.enter(scope))))
    }

    /// Each element where it exceeds `threshold`, else `value`.
    #[track_caller]
    pub fn threshold(input: &Tensor, threshold: f64, value: f64) -> Tensor {
        input.settle();
        record("threshold", |scope| scope.leave(compose::threshold(scope.g, input.enter(scope), threshold, value)))
    }

    /// Logarithm of the sigmoid, without overflow.
    #[track_caller]
    pub fn logsigmoid(input: &Tensor) -> Tensor {
        input.settle();
        record("logsigmoid", |scope| scope.leave(compose::logsigmoid(scope.g, input.enter(scope))))
    }

    /// First half of `dim`, times the sigmoid of the second.
    #[track_caller]
    pub fn glu(input: &Tensor, dim: isize) -> Tensor {
        input.settle();
        record("glu", |scope| scope.leave(compose::glu(scope.g, input.enter(scope), dim)))
    }

    /// `silu` of the first half of `dim`, times the second.
    #[track_caller]
    pub fn swiglu(input: &Tensor, dim: isize) -> Tensor {
        input.settle();
        record("swiglu", |scope| scope.leave(compose::swiglu(scope.g, input.enter(scope), dim)))
    }

    /// `gelu` of the first half of `dim`, times the second.
    #[track_caller]
    pub fn geglu(input: &Tensor, dim: isize) -> Tensor {
        input.settle();
        record("geglu", |scope| scope.leave(compose::geglu(scope.g, input.enter(scope), dim)))
    }
}

impl Tensor {
    /// `relu` capped at six.
    #[track_caller]
    pub fn relu6(&self) -> Tensor {
        functions::relu6(self)
    }

    /// Each element, or `negative_slope` times it where it is negative.
    #[track_caller]
    pub fn leaky_relu(&self) -> Tensor {
        functions::leaky_relu(self)
    }

    /// Each element, or `negative_slope` times it where it is negative.
    ///
    /// Options: `negative_slope`.
    #[track_caller]
    pub fn leaky_relu_with(&self, o: impl FnOnce(options::LeakyReluOptions) -> options::LeakyReluOptions) -> Tensor {
        functions::leaky_relu_with(self, o)
    }

    /// `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
    #[track_caller]
    pub fn prelu(&self, weight: &Tensor) -> Tensor {
        functions::prelu(self, weight)
    }

    /// Each element, or `alpha · (exp(x) − 1)` where it is negative.
    #[track_caller]
    pub fn elu(&self) -> Tensor {
        functions::elu(self)
    }

    /// Each element, or `alpha · (exp(x) − 1)` where it is negative.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn elu_with(&self, o: impl FnOnce(options::EluOptions) -> options::EluOptions) -> Tensor {
        functions::elu_with(self, o)
    }

    /// `elu` scaled so that deep networks are self-normalizing (Klambauer et al., 2017).
    #[track_caller]
    pub fn selu(&self) -> Tensor {
        functions::selu(self)
    }

    /// `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
    #[track_caller]
    pub fn celu(&self) -> Tensor {
        functions::celu(self)
    }

    /// `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn celu_with(&self, o: impl FnOnce(options::CeluOptions) -> options::CeluOptions) -> Tensor {
        functions::celu_with(self, o)
    }

    /// `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
    #[track_caller]
    pub fn gelu(&self) -> Tensor {
        functions::gelu(self)
    }

    /// `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
    ///
    /// Options: `approximate`.
    #[track_caller]
    pub fn gelu_with(&self, o: impl FnOnce(options::GeluOptions) -> options::GeluOptions) -> Tensor {
        functions::gelu_with(self, o)
    }

    /// `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
    #[track_caller]
    pub fn softplus(&self) -> Tensor {
        functions::softplus(self)
    }

    /// `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
    ///
    /// Options: `beta`, `threshold`.
    #[track_caller]
    pub fn softplus_with(&self, o: impl FnOnce(options::SoftplusOptions) -> options::SoftplusOptions) -> Tensor {
        functions::softplus_with(self, o)
    }

    /// `x / (1 + |x|)`.
    #[track_caller]
    pub fn softsign(&self) -> Tensor {
        functions::softsign(self)
    }

    /// Each element, but at least `min_val` and at most `max_val`.
    #[track_caller]
    pub fn hardtanh(&self) -> Tensor {
        functions::hardtanh(self)
    }

    /// Each element, but at least `min_val` and at most `max_val`.
    ///
    /// Options: `min_val`, `max_val`.
    #[track_caller]
    pub fn hardtanh_with(&self, o: impl FnOnce(options::HardtanhOptions) -> options::HardtanhOptions) -> Tensor {
        functions::hardtanh_with(self, o)
    }

    /// Piecewise linear sigmoid: `x / 6 + 1/2`, clamped to 0 … 1.
    #[track_caller]
    pub fn hardsigmoid(&self) -> Tensor {
        functions::hardsigmoid(self)
    }

    /// Another name for [`hardsigmoid`](Tensor::hardsigmoid).
    #[track_caller]
    pub fn hard_sigmoid(&self) -> Tensor {
        functions::hardsigmoid(self)
    }

    /// `x · hardsigmoid(x)`.
    #[track_caller]
    pub fn hardswish(&self) -> Tensor {
        functions::hardswish(self)
    }

    /// Another name for [`hardswish`](Tensor::hardswish).
    #[track_caller]
    pub fn hard_swish(&self) -> Tensor {
        functions::hardswish(self)
    }

    /// Each element, or zero where it lies within `−lambd` and `lambd`.
    #[track_caller]
    pub fn hardshrink(&self) -> Tensor {
        functions::hardshrink(self)
    }

    /// Each element, or zero where it lies within `−lambd` and `lambd`.
    ///
    /// Options: `lambd`.
    #[track_caller]
    pub fn hardshrink_with(&self, o: impl FnOnce(options::HardshrinkOptions) -> options::HardshrinkOptions) -> Tensor {
        functions::hardshrink_with(self, o)
    }

    /// Each element moved towards zero by `lambd`, and zero where it would cross.
    #[track_caller]
    pub fn softshrink(&self) -> Tensor {
        functions::softshrink(self)
    }

    /// Each element moved towards zero by `lambd`, and zero where it would cross.
    ///
    /// Options: `lambd`.
    #[track_caller]
    pub fn softshrink_with(&self, o: impl FnOnce(options::SoftshrinkOptions) -> options::SoftshrinkOptions) -> Tensor {
        functions::softshrink_with(self, o)
    }

    /// `x − tanh(x)`.
    #[track_caller]
    pub fn tanhshrink(&self) -> Tensor {
        functions::tanhshrink(self)
    }

    /// Each element where it exceeds `threshold`, else `value`.
    #[track_caller]
    pub fn threshold(&self, threshold: f64, value: f64) -> Tensor {
        functions::threshold(self, threshold, value)
    }

    /// Logarithm of the sigmoid, without overflow.
    #[track_caller]
    pub fn logsigmoid(&self) -> Tensor {
        functions::logsigmoid(self)
    }

    /// Another name for [`logsigmoid`](Tensor::logsigmoid).
    #[track_caller]
    pub fn log_sigmoid(&self) -> Tensor {
        functions::logsigmoid(self)
    }

    /// First half of `dim`, times the sigmoid of the second.
    #[track_caller]
    pub fn glu(&self, dim: isize) -> Tensor {
        functions::glu(self, dim)
    }

    /// `silu` of the first half of `dim`, times the second.
    #[track_caller]
    pub fn swiglu(&self, dim: isize) -> Tensor {
        functions::swiglu(self, dim)
    }

    /// `gelu` of the first half of `dim`, times the second.
    #[track_caller]
    pub fn geglu(&self, dim: isize) -> Tensor {
        functions::geglu(self, dim)
    }

}
