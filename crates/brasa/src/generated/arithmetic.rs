//! Generated from the `arithmetic` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`add`](crate::ops::add).
    #[derive(Clone, Debug)]
    pub struct AddOptions {
        pub(crate) alpha: f64,
    }

    impl Default for AddOptions {
        fn default() -> AddOptions {
            AddOptions {
                alpha: 1.0,
            }
        }
    }

    impl AddOptions {
        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`sub`](crate::ops::sub).
    #[derive(Clone, Debug)]
    pub struct SubOptions {
        pub(crate) alpha: f64,
    }

    impl Default for SubOptions {
        fn default() -> SubOptions {
            SubOptions {
                alpha: 1.0,
            }
        }
    }

    impl SubOptions {
        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`rsub`](crate::ops::rsub).
    #[derive(Clone, Debug)]
    pub struct RsubOptions {
        pub(crate) alpha: f64,
    }

    impl Default for RsubOptions {
        fn default() -> RsubOptions {
            RsubOptions {
                alpha: 1.0,
            }
        }
    }

    impl RsubOptions {
        /// Sets `alpha`; by default `1.0`.
        pub fn alpha(mut self, alpha: f64) -> Self {
            self.alpha = alpha;
            self
        }
    }

    /// Options of [`div`](crate::ops::div).
    #[derive(Clone, Debug)]
    pub struct DivOptions {
        pub(crate) rounding_mode: Option<brasa_ir::compose::RoundingMode>,
    }

    impl Default for DivOptions {
        fn default() -> DivOptions {
            DivOptions {
                rounding_mode: None,
            }
        }
    }

    impl DivOptions {
        /// Sets `rounding_mode`; by default not given.
        pub fn rounding_mode(mut self, rounding_mode: impl Into<Option<brasa_ir::compose::RoundingMode>>) -> Self {
            self.rounding_mode = rounding_mode.into();
            self
        }
    }

    /// Options of [`addcmul`](crate::ops::addcmul).
    #[derive(Clone, Debug)]
    pub struct AddcmulOptions {
        pub(crate) value: f64,
    }

    impl Default for AddcmulOptions {
        fn default() -> AddcmulOptions {
            AddcmulOptions {
                value: 1.0,
            }
        }
    }

    impl AddcmulOptions {
        /// Sets `value`; by default `1.0`.
        pub fn value(mut self, value: f64) -> Self {
            self.value = value;
            self
        }
    }

    /// Options of [`addcdiv`](crate::ops::addcdiv).
    #[derive(Clone, Debug)]
    pub struct AddcdivOptions {
        pub(crate) value: f64,
    }

    impl Default for AddcdivOptions {
        fn default() -> AddcdivOptions {
            AddcdivOptions {
                value: 1.0,
            }
        }
    }

    impl AddcdivOptions {
        /// Sets `value`; by default `1.0`.
        pub fn value(mut self, value: f64) -> Self {
            self.value = value;
            self
        }
    }

    /// Options of [`logit`](crate::ops::logit).
    #[derive(Clone, Debug)]
    pub struct LogitOptions {
        pub(crate) eps: Option<f64>,
    }

    impl Default for LogitOptions {
        fn default() -> LogitOptions {
            LogitOptions {
                eps: None,
            }
        }
    }

    impl LogitOptions {
        /// Sets `eps`; by default not given.
        pub fn eps(mut self, eps: impl Into<Option<f64>>) -> Self {
            self.eps = eps.into();
            self
        }
    }

    /// Options of [`nan_to_num`](crate::ops::nan_to_num).
    #[derive(Clone, Debug)]
    pub struct NanToNumOptions {
        pub(crate) nan: Option<f64>,
        pub(crate) posinf: Option<f64>,
        pub(crate) neginf: Option<f64>,
    }

    impl Default for NanToNumOptions {
        fn default() -> NanToNumOptions {
            NanToNumOptions {
                nan: None,
                posinf: None,
                neginf: None,
            }
        }
    }

    impl NanToNumOptions {
        /// Sets `nan`; by default not given.
        pub fn nan(mut self, nan: impl Into<Option<f64>>) -> Self {
            self.nan = nan.into();
            self
        }

        /// Sets `posinf`; by default not given.
        pub fn posinf(mut self, posinf: impl Into<Option<f64>>) -> Self {
            self.posinf = posinf.into();
            self
        }

        /// Sets `neginf`; by default not given.
        pub fn neginf(mut self, neginf: impl Into<Option<f64>>) -> Self {
            self.neginf = neginf.into();
            self
        }
    }

    /// Options of [`round`](crate::ops::round).
    #[derive(Clone, Debug)]
    pub struct RoundOptions {
        pub(crate) decimals: i64,
    }

    impl Default for RoundOptions {
        fn default() -> RoundOptions {
            RoundOptions {
                decimals: 0,
            }
        }
    }

    impl RoundOptions {
        /// Sets `decimals`; by default `0`.
        pub fn decimals(mut self, decimals: i64) -> Self {
            self.decimals = decimals;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// `input + alpha · other`.
    #[track_caller]
    pub fn add(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        add_with(input, other, |o| o)
    }

    /// `input + alpha · other`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn add_with(input: impl Into<Operand>, other: impl Into<Operand>, o: impl FnOnce(options::AddOptions) -> options::AddOptions) -> Tensor {
        let o = o(options::AddOptions::default());
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("add", |scope| scope.leave(compose::add(scope.g, input.enter(scope), other.enter(scope), o.alpha)))
    }

    /// `input − alpha · other`.
    #[track_caller]
    pub fn sub(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        sub_with(input, other, |o| o)
    }

    /// `input − alpha · other`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn sub_with(input: impl Into<Operand>, other: impl Into<Operand>, o: impl FnOnce(options::SubOptions) -> options::SubOptions) -> Tensor {
        let o = o(options::SubOptions::default());
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("sub", |scope| scope.leave(compose::sub(scope.g, input.enter(scope), other.enter(scope), o.alpha)))
    }

    /// `other − alpha · input`.
    #[track_caller]
    pub fn rsub(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        rsub_with(input, other, |o| o)
    }

    /// `other − alpha · input`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn rsub_with(input: impl Into<Operand>, other: impl Into<Operand>, o: impl FnOnce(options::RsubOptions) -> options::RsubOptions) -> Tensor {
        let o = o(options::RsubOptions::default());
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("rsub", |scope| scope.leave(compose::rsub(scope.g, input.enter(scope), other.enter(scope), o.alpha)))
    }

    /// `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
    /// zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
    #[track_caller]
    pub fn div(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        div_with(input, other, |o| o)
    }

    /// `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
    /// zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
    ///
    /// Options: `rounding_mode`.
    #[track_caller]
    pub fn div_with(input: impl Into<Operand>, other: impl Into<Operand>, o: impl FnOnce(options::DivOptions) -> options::DivOptions) -> Tensor {
        let o = o(options::DivOptions::default());
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("div", |scope| scope.leave(compose::div(scope.g, input.enter(scope), other.enter(scope), o.rounding_mode)))
    }

    /// `input` to the power of `exponent`.
    #[track_caller]
    pub fn pow(input: impl Into<Operand>, exponent: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let exponent: Operand = exponent.into();
        input.settle();
        exponent.settle();
        record("pow", |scope| scope.leave(compose::pow(scope.g, input.enter(scope), exponent.enter(scope))))
    }

    /// `input` to the power of `exponent`, in `f64`.
    #[track_caller]
    pub fn float_power(input: impl Into<Operand>, exponent: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let exponent: Operand = exponent.into();
        input.settle();
        exponent.settle();
        record("float_power", |scope| scope.leave(compose::float_power(scope.g, input.enter(scope), exponent.enter(scope))))
    }

    /// Each element times itself.
    #[track_caller]
    pub fn square(input: &Tensor) -> Tensor {
        input.settle();
        record("square", |scope| scope.leave(compose::square(scope.g, input.enter(scope))))
    }

    /// `input + weight · (end − input)`: from exactly `input` at weight 0 to exactly `end` at 1.
    #[track_caller]
    pub fn lerp(input: &Tensor, end: &Tensor, weight: impl Into<Operand>) -> Tensor {
        let weight: Operand = weight.into();
        input.settle();
        end.settle();
        weight.settle();
        record("lerp", |scope| scope.leave(compose::lerp(scope.g, input.enter(scope), end.enter(scope), weight.enter(scope))))
    }

    /// `input + value · tensor1 · tensor2`.
    #[track_caller]
    pub fn addcmul(input: &Tensor, tensor1: &Tensor, tensor2: &Tensor) -> Tensor {
        addcmul_with(input, tensor1, tensor2, |o| o)
    }

    /// `input + value · tensor1 · tensor2`.
    ///
    /// Options: `value`.
    #[track_caller]
    pub fn addcmul_with(input: &Tensor, tensor1: &Tensor, tensor2: &Tensor, o: impl FnOnce(options::AddcmulOptions) -> options::AddcmulOptions) -> Tensor {
        let o = o(options::AddcmulOptions::default());
        input.settle();
        tensor1.settle();
        tensor2.settle();
        record("addcmul", |scope| scope.leave(compose::addcmul(scope.g, input.enter(scope), tensor1.enter(scope), tensor2.enter(scope), o.value)))
    }

    /// `input + value · tensor1 / tensor2`.
    #[track_caller]
    pub fn addcdiv(input: &Tensor, tensor1: &Tensor, tensor2: &Tensor) -> Tensor {
        addcdiv_with(input, tensor1, tensor2, |o| o)
    }

    /// `input + value · tensor1 / tensor2`.
    ///
    /// Options: `value`.
    #[track_caller]
    pub fn addcdiv_with(input: &Tensor, tensor1: &Tensor, tensor2: &Tensor, o: impl FnOnce(options::AddcdivOptions) -> options::AddcdivOptions) -> Tensor {
        let o = o(options::AddcdivOptions::default());
        input.settle();
        tensor1.settle();
        tensor2.settle();
        record("addcdiv", |scope| scope.leave(compose::addcdiv(scope.g, input.enter(scope), tensor1.enter(scope), tensor2.enter(scope), o.value)))
    }

    /// The input itself.
    #[track_caller]
    pub fn positive(input: &Tensor) -> Tensor {
        input.settle();
        record("positive", |scope| scope.leave(compose::positive(scope.g, input.enter(scope))))
    }

    /// The fraction of each element, with its sign.
    #[track_caller]
    pub fn frac(input: &Tensor) -> Tensor {
        input.settle();
        record("frac", |scope| scope.leave(compose::frac(scope.g, input.enter(scope))))
    }

    /// Degrees to radians.
    #[track_caller]
    pub fn deg2rad(input: &Tensor) -> Tensor {
        input.settle();
        record("deg2rad", |scope| scope.leave(compose::deg2rad(scope.g, input.enter(scope))))
    }

    /// Radians to degrees.
    #[track_caller]
    pub fn rad2deg(input: &Tensor) -> Tensor {
        input.settle();
        record("rad2deg", |scope| scope.leave(compose::rad2deg(scope.g, input.enter(scope))))
    }

    /// `sin(πx) / (πx)`, and 1 at zero.
    #[track_caller]
    pub fn sinc(input: &Tensor) -> Tensor {
        input.settle();
        record("sinc", |scope| scope.leave(compose::sinc(scope.g, input.enter(scope))))
    }

    /// `input · 2^other`.
    #[track_caller]
    pub fn ldexp(input: &Tensor, other: impl Into<Operand>) -> Tensor {
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("ldexp", |scope| scope.leave(compose::ldexp(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
    #[track_caller]
    pub fn logaddexp2(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("logaddexp2", |scope| scope.leave(compose::logaddexp2(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
    /// `eps … 1 − eps`.
    #[track_caller]
    pub fn logit(input: &Tensor) -> Tensor {
        logit_with(input, |o| o)
    }

    /// `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
    /// `eps … 1 − eps`.
    ///
    /// Options: `eps`.
    #[track_caller]
    pub fn logit_with(input: &Tensor, o: impl FnOnce(options::LogitOptions) -> options::LogitOptions) -> Tensor {
        let o = o(options::LogitOptions::default());
        input.settle();
        record("logit", |scope| scope.leave(compose::logit(scope.g, input.enter(scope), o.eps)))
    }

    /// Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
    /// largest and smallest finite number of the type).
    #[track_caller]
    pub fn nan_to_num(input: &Tensor) -> Tensor {
        nan_to_num_with(input, |o| o)
    }

    /// Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
    /// largest and smallest finite number of the type).
    ///
    /// Options: `nan`, `posinf`, `neginf`.
    #[track_caller]
    pub fn nan_to_num_with(input: &Tensor, o: impl FnOnce(options::NanToNumOptions) -> options::NanToNumOptions) -> Tensor {
        let o = o(options::NanToNumOptions::default());
        input.settle();
        record("nan_to_num", |scope| scope.leave(compose::nan_to_num(scope.g, input.enter(scope), o.nan, o.posinf, o.neginf)))
    }

    /// Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
    /// even one.
    #[track_caller]
    pub fn round(input: &Tensor) -> Tensor {
        round_with(input, |o| o)
    }

    /// Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
    /// even one.
    ///
    /// Options: `decimals`.
    #[track_caller]
    pub fn round_with(input: &Tensor, o: impl FnOnce(options::RoundOptions) -> options::RoundOptions) -> Tensor {
        let o = o(options::RoundOptions::default());
        input.settle();
        record("round", |scope| scope.leave(compose::round(scope.g, input.enter(scope), o.decimals)))
    }

    /// Derivative of `lgamma`.
    #[track_caller]
    pub fn digamma(input: &Tensor) -> Tensor {
        input.settle();
        record("digamma", |scope| scope.leave(compose::digamma(scope.g, input.enter(scope))))
    }

    /// The `n`-th derivative of `digamma`.
    #[track_caller]
    pub fn polygamma(n: usize, input: &Tensor) -> Tensor {
        input.settle();
        record("polygamma", |scope| scope.leave(compose::polygamma(scope.g, n, input.enter(scope))))
    }

    /// `input · log(1 + other)`, which is zero where `input` is.
    #[track_caller]
    pub fn xlog1py(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("xlog1py", |scope| scope.leave(compose::xlog1py(scope.g, input.enter(scope), other.enter(scope))))
    }
}

impl Tensor {
    /// `input + alpha · other`.
    #[track_caller]
    pub fn add(&self, other: impl Into<Operand>) -> Tensor {
        functions::add(self, other)
    }

    /// Another name for [`add`](Tensor::add).
    #[track_caller]
    pub fn add_scalar(&self, other: impl Into<Operand>) -> Tensor {
        functions::add(self, other)
    }

    /// `input + alpha · other`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn add_with(&self, other: impl Into<Operand>, o: impl FnOnce(options::AddOptions) -> options::AddOptions) -> Tensor {
        functions::add_with(self, other, o)
    }

    /// `input − alpha · other`.
    #[track_caller]
    pub fn sub(&self, other: impl Into<Operand>) -> Tensor {
        functions::sub(self, other)
    }

    /// Another name for [`sub`](Tensor::sub).
    #[track_caller]
    pub fn subtract(&self, other: impl Into<Operand>) -> Tensor {
        functions::sub(self, other)
    }

    /// `input − alpha · other`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn sub_with(&self, other: impl Into<Operand>, o: impl FnOnce(options::SubOptions) -> options::SubOptions) -> Tensor {
        functions::sub_with(self, other, o)
    }

    /// `other − alpha · input`.
    #[track_caller]
    pub fn rsub(&self, other: impl Into<Operand>) -> Tensor {
        functions::rsub(self, other)
    }

    /// `other − alpha · input`.
    ///
    /// Options: `alpha`.
    #[track_caller]
    pub fn rsub_with(&self, other: impl Into<Operand>, o: impl FnOnce(options::RsubOptions) -> options::RsubOptions) -> Tensor {
        functions::rsub_with(self, other, o)
    }

    /// `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
    /// zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
    #[track_caller]
    pub fn div(&self, other: impl Into<Operand>) -> Tensor {
        functions::div(self, other)
    }

    /// Another name for [`div`](Tensor::div).
    #[track_caller]
    pub fn divide(&self, other: impl Into<Operand>) -> Tensor {
        functions::div(self, other)
    }

    /// Another name for [`div`](Tensor::div).
    #[track_caller]
    pub fn true_divide(&self, other: impl Into<Operand>) -> Tensor {
        functions::div(self, other)
    }

    /// `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
    /// zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
    ///
    /// Options: `rounding_mode`.
    #[track_caller]
    pub fn div_with(&self, other: impl Into<Operand>, o: impl FnOnce(options::DivOptions) -> options::DivOptions) -> Tensor {
        functions::div_with(self, other, o)
    }

    /// `input` to the power of `exponent`.
    #[track_caller]
    pub fn pow(&self, exponent: impl Into<Operand>) -> Tensor {
        functions::pow(self, exponent)
    }

    /// `input` to the power of `exponent`, in `f64`.
    #[track_caller]
    pub fn float_power(&self, exponent: impl Into<Operand>) -> Tensor {
        functions::float_power(self, exponent)
    }

    /// Each element times itself.
    #[track_caller]
    pub fn square(&self) -> Tensor {
        functions::square(self)
    }

    /// `input + weight · (end − input)`: from exactly `input` at weight 0 to exactly `end` at 1.
    #[track_caller]
    pub fn lerp(&self, end: &Tensor, weight: impl Into<Operand>) -> Tensor {
        functions::lerp(self, end, weight)
    }

    /// `input + value · tensor1 · tensor2`.
    #[track_caller]
    pub fn addcmul(&self, tensor1: &Tensor, tensor2: &Tensor) -> Tensor {
        functions::addcmul(self, tensor1, tensor2)
    }

    /// `input + value · tensor1 · tensor2`.
    ///
    /// Options: `value`.
    #[track_caller]
    pub fn addcmul_with(&self, tensor1: &Tensor, tensor2: &Tensor, o: impl FnOnce(options::AddcmulOptions) -> options::AddcmulOptions) -> Tensor {
        functions::addcmul_with(self, tensor1, tensor2, o)
    }

    /// `input + value · tensor1 / tensor2`.
    #[track_caller]
    pub fn addcdiv(&self, tensor1: &Tensor, tensor2: &Tensor) -> Tensor {
        functions::addcdiv(self, tensor1, tensor2)
    }

    /// `input + value · tensor1 / tensor2`.
    ///
    /// Options: `value`.
    #[track_caller]
    pub fn addcdiv_with(&self, tensor1: &Tensor, tensor2: &Tensor, o: impl FnOnce(options::AddcdivOptions) -> options::AddcdivOptions) -> Tensor {
        functions::addcdiv_with(self, tensor1, tensor2, o)
    }

    /// The input itself.
    #[track_caller]
    pub fn positive(&self) -> Tensor {
        functions::positive(self)
    }

    /// The fraction of each element, with its sign.
    #[track_caller]
    pub fn frac(&self) -> Tensor {
        functions::frac(self)
    }

    /// Degrees to radians.
    #[track_caller]
    pub fn deg2rad(&self) -> Tensor {
        functions::deg2rad(self)
    }

    /// Radians to degrees.
    #[track_caller]
    pub fn rad2deg(&self) -> Tensor {
        functions::rad2deg(self)
    }

    /// `sin(πx) / (πx)`, and 1 at zero.
    #[track_caller]
    pub fn sinc(&self) -> Tensor {
        functions::sinc(self)
    }

    /// `input · 2^other`.
    #[track_caller]
    pub fn ldexp(&self, other: impl Into<Operand>) -> Tensor {
        functions::ldexp(self, other)
    }

    /// Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
    #[track_caller]
    pub fn logaddexp2(&self, other: &Tensor) -> Tensor {
        functions::logaddexp2(self, other)
    }

    /// `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
    /// `eps … 1 − eps`.
    #[track_caller]
    pub fn logit(&self) -> Tensor {
        functions::logit(self)
    }

    /// `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
    /// `eps … 1 − eps`.
    ///
    /// Options: `eps`.
    #[track_caller]
    pub fn logit_with(&self, o: impl FnOnce(options::LogitOptions) -> options::LogitOptions) -> Tensor {
        functions::logit_with(self, o)
    }

    /// Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
    /// largest and smallest finite number of the type).
    #[track_caller]
    pub fn nan_to_num(&self) -> Tensor {
        functions::nan_to_num(self)
    }

    /// Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
    /// largest and smallest finite number of the type).
    ///
    /// Options: `nan`, `posinf`, `neginf`.
    #[track_caller]
    pub fn nan_to_num_with(&self, o: impl FnOnce(options::NanToNumOptions) -> options::NanToNumOptions) -> Tensor {
        functions::nan_to_num_with(self, o)
    }

    /// Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
    /// even one.
    #[track_caller]
    pub fn round(&self) -> Tensor {
        functions::round(self)
    }

    /// Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
    /// even one.
    ///
    /// Options: `decimals`.
    #[track_caller]
    pub fn round_with(&self, o: impl FnOnce(options::RoundOptions) -> options::RoundOptions) -> Tensor {
        functions::round_with(self, o)
    }

    /// Derivative of `lgamma`.
    #[track_caller]
    pub fn digamma(&self) -> Tensor {
        functions::digamma(self)
    }

    /// Another name for [`digamma`](Tensor::digamma).
    #[track_caller]
    pub fn psi(&self) -> Tensor {
        functions::digamma(self)
    }

    /// `input · log(1 + other)`, which is zero where `input` is.
    #[track_caller]
    pub fn xlog1py(&self, other: impl Into<Operand>) -> Tensor {
        functions::xlog1py(self, other)
    }

}
