//! Generated from the `logic` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`isclose`](crate::ops::isclose).
    #[derive(Clone, Debug)]
    pub struct IscloseOptions {
        pub(crate) rtol: f64,
        pub(crate) atol: f64,
        pub(crate) equal_nan: bool,
    }

    impl Default for IscloseOptions {
        fn default() -> IscloseOptions {
            IscloseOptions {
                rtol: 1e-5,
                atol: 1e-8,
                equal_nan: false,
            }
        }
    }

    impl IscloseOptions {
        /// Sets `rtol`; by default `1e-5`.
        pub fn rtol(mut self, rtol: f64) -> Self {
            self.rtol = rtol;
            self
        }

        /// Sets `atol`; by default `1e-8`.
        pub fn atol(mut self, atol: f64) -> Self {
            self.atol = atol;
            self
        }

        /// Sets `equal_nan`; by default `false`.
        pub fn equal_nan(mut self, equal_nan: bool) -> Self {
            self.equal_nan = equal_nan;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Clamps elements to `min … max`; where `min > max` the result is `max`.
    #[track_caller]
    pub fn clamp(input: &Tensor, min: impl Into<Operand>, max: impl Into<Operand>) -> Tensor {
        let min: Option<Operand> = Some(min.into());
        let max: Option<Operand> = Some(max.into());
        input.settle();
        min.settle();
        max.settle();
        record("clamp", |scope| scope.leave(compose::clamp(scope.g, input.enter(scope), min.enter(scope), max.enter(scope))))
    }

    /// Each element, but at least `min`.
    #[track_caller]
    pub fn clamp_min(input: &Tensor, min: impl Into<Operand>) -> Tensor {
        let min: Operand = min.into();
        input.settle();
        min.settle();
        record("clamp_min", |scope| scope.leave(compose::clamp_min(scope.g, input.enter(scope), min.enter(scope))))
    }

    /// Each element, but at most `max`.
    #[track_caller]
    pub fn clamp_max(input: &Tensor, max: impl Into<Operand>) -> Tensor {
        let max: Operand = max.into();
        input.settle();
        max.settle();
        record("clamp_max", |scope| scope.leave(compose::clamp_max(scope.g, input.enter(scope), max.enter(scope))))
    }

    /// The larger of two elements; if one is NaN, the other.
    #[track_caller]
    pub fn fmax(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("fmax", |scope| scope.leave(compose::fmax(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// The smaller of two elements; if one is NaN, the other.
    #[track_caller]
    pub fn fmin(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("fmin", |scope| scope.leave(compose::fmin(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Elements of `input` where `condition` is true, else of `other`.
    #[track_caller]
    pub fn where_(condition: &Tensor, input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        condition.settle();
        input.settle();
        other.settle();
        record("where", |scope| scope.leave(compose::r#where(scope.g, condition.enter(scope), input.enter(scope), other.enter(scope))))
    }

    /// `value` where `mask` is true, else the element.
    #[track_caller]
    pub fn masked_fill(input: &Tensor, mask: &Tensor, value: impl Into<Operand>) -> Tensor {
        let value: Operand = value.into();
        input.settle();
        mask.settle();
        value.settle();
        record("masked_fill", |scope| scope.leave(compose::masked_fill(scope.g, input.enter(scope), mask.enter(scope), value.enter(scope))))
    }

    /// 0 for negative elements, 1 for positive ones, and `values` at zero.
    #[track_caller]
    pub fn heaviside(input: &Tensor, values: &Tensor) -> Tensor {
        input.settle();
        values.settle();
        record("heaviside", |scope| scope.leave(compose::heaviside(scope.g, input.enter(scope), values.enter(scope))))
    }

    /// Whether each element is NaN.
    #[track_caller]
    pub fn isnan(input: &Tensor) -> Tensor {
        input.settle();
        record("isnan", |scope| scope.leave(compose::isnan(scope.g, input.enter(scope))))
    }

    /// Whether each element is infinite.
    #[track_caller]
    pub fn isinf(input: &Tensor) -> Tensor {
        input.settle();
        record("isinf", |scope| scope.leave(compose::isinf(scope.g, input.enter(scope))))
    }

    /// Whether each element is neither infinite nor NaN.
    #[track_caller]
    pub fn isfinite(input: &Tensor) -> Tensor {
        input.settle();
        record("isfinite", |scope| scope.leave(compose::isfinite(scope.g, input.enter(scope))))
    }

    /// Whether each element is plus infinity.
    #[track_caller]
    pub fn isposinf(input: &Tensor) -> Tensor {
        input.settle();
        record("isposinf", |scope| scope.leave(compose::isposinf(scope.g, input.enter(scope))))
    }

    /// Whether each element is minus infinity.
    #[track_caller]
    pub fn isneginf(input: &Tensor) -> Tensor {
        input.settle();
        record("isneginf", |scope| scope.leave(compose::isneginf(scope.g, input.enter(scope))))
    }

    /// Whether each element is a real number: always true.
    #[track_caller]
    pub fn isreal(input: &Tensor) -> Tensor {
        input.settle();
        record("isreal", |scope| scope.leave(compose::isreal(scope.g, input.enter(scope))))
    }

    /// Whether the sign bit of each element is set; true for −0.
    #[track_caller]
    pub fn signbit(input: &Tensor) -> Tensor {
        input.settle();
        record("signbit", |scope| scope.leave(compose::signbit(scope.g, input.enter(scope))))
    }

    /// Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
    /// `equal_nan`.
    #[track_caller]
    pub fn isclose(input: &Tensor, other: &Tensor) -> Tensor {
        isclose_with(input, other, |o| o)
    }

    /// Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
    /// `equal_nan`.
    ///
    /// Options: `rtol`, `atol`, `equal_nan`.
    #[track_caller]
    pub fn isclose_with(input: &Tensor, other: &Tensor, o: impl FnOnce(options::IscloseOptions) -> options::IscloseOptions) -> Tensor {
        let o = o(options::IscloseOptions::default());
        input.settle();
        other.settle();
        record("isclose", |scope| scope.leave(compose::isclose(scope.g, input.enter(scope), other.enter(scope), o.rtol, o.atol, o.equal_nan)))
    }

    /// Whether both elements are true, that is, not zero.
    #[track_caller]
    pub fn logical_and(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("logical_and", |scope| scope.leave(compose::logical_and(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Whether either element is true, that is, not zero.
    #[track_caller]
    pub fn logical_or(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("logical_or", |scope| scope.leave(compose::logical_or(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Whether exactly one element is true, that is, not zero.
    #[track_caller]
    pub fn logical_xor(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("logical_xor", |scope| scope.leave(compose::logical_xor(scope.g, input.enter(scope), other.enter(scope))))
    }

    /// Whether each element is false, that is, zero.
    #[track_caller]
    pub fn logical_not(input: &Tensor) -> Tensor {
        input.settle();
        record("logical_not", |scope| scope.leave(compose::logical_not(scope.g, input.enter(scope))))
    }
}

impl Tensor {
    /// Clamps elements to `min … max`; where `min > max` the result is `max`.
    #[track_caller]
    pub fn clamp(&self, min: impl Into<Operand>, max: impl Into<Operand>) -> Tensor {
        functions::clamp(self, min, max)
    }

    /// Another name for [`clamp`](Tensor::clamp).
    #[track_caller]
    pub fn clip(&self, min: impl Into<Operand>, max: impl Into<Operand>) -> Tensor {
        functions::clamp(self, min, max)
    }

    /// Each element, but at least `min`.
    #[track_caller]
    pub fn clamp_min(&self, min: impl Into<Operand>) -> Tensor {
        functions::clamp_min(self, min)
    }

    /// Each element, but at most `max`.
    #[track_caller]
    pub fn clamp_max(&self, max: impl Into<Operand>) -> Tensor {
        functions::clamp_max(self, max)
    }

    /// The larger of two elements; if one is NaN, the other.
    #[track_caller]
    pub fn fmax(&self, other: &Tensor) -> Tensor {
        functions::fmax(self, other)
    }

    /// The smaller of two elements; if one is NaN, the other.
    #[track_caller]
    pub fn fmin(&self, other: &Tensor) -> Tensor {
        functions::fmin(self, other)
    }

    /// Elements of `input` where `condition` is true, else of `other`.
    #[track_caller]
    pub fn where_(&self, input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        functions::where_(self, input, other)
    }

    /// `value` where `mask` is true, else the element.
    #[track_caller]
    pub fn masked_fill(&self, mask: &Tensor, value: impl Into<Operand>) -> Tensor {
        functions::masked_fill(self, mask, value)
    }

    /// 0 for negative elements, 1 for positive ones, and `values` at zero.
    #[track_caller]
    pub fn heaviside(&self, values: &Tensor) -> Tensor {
        functions::heaviside(self, values)
    }

    /// Whether each element is NaN.
    #[track_caller]
    pub fn isnan(&self) -> Tensor {
        functions::isnan(self)
    }

    /// Whether each element is infinite.
    #[track_caller]
    pub fn isinf(&self) -> Tensor {
        functions::isinf(self)
    }

    /// Whether each element is neither infinite nor NaN.
    #[track_caller]
    pub fn isfinite(&self) -> Tensor {
        functions::isfinite(self)
    }

    /// Whether each element is plus infinity.
    #[track_caller]
    pub fn isposinf(&self) -> Tensor {
        functions::isposinf(self)
    }

    /// Whether each element is minus infinity.
    #[track_caller]
    pub fn isneginf(&self) -> Tensor {
        functions::isneginf(self)
    }

    /// Whether each element is a real number: always true.
    #[track_caller]
    pub fn isreal(&self) -> Tensor {
        functions::isreal(self)
    }

    /// Whether the sign bit of each element is set; true for −0.
    #[track_caller]
    pub fn signbit(&self) -> Tensor {
        functions::signbit(self)
    }

    /// Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
    /// `equal_nan`.
    #[track_caller]
    pub fn isclose(&self, other: &Tensor) -> Tensor {
        functions::isclose(self, other)
    }

    /// Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
    /// `equal_nan`.
    ///
    /// Options: `rtol`, `atol`, `equal_nan`.
    #[track_caller]
    pub fn isclose_with(&self, other: &Tensor, o: impl FnOnce(options::IscloseOptions) -> options::IscloseOptions) -> Tensor {
        functions::isclose_with(self, other, o)
    }

    /// Whether both elements are true, that is, not zero.
    #[track_caller]
    pub fn logical_and(&self, other: &Tensor) -> Tensor {
        functions::logical_and(self, other)
    }

    /// Whether either element is true, that is, not zero.
    #[track_caller]
    pub fn logical_or(&self, other: &Tensor) -> Tensor {
        functions::logical_or(self, other)
    }

    /// Whether exactly one element is true, that is, not zero.
    #[track_caller]
    pub fn logical_xor(&self, other: &Tensor) -> Tensor {
        functions::logical_xor(self, other)
    }

    /// Whether each element is false, that is, zero.
    #[track_caller]
    pub fn logical_not(&self) -> Tensor {
        functions::logical_not(self)
    }

}
