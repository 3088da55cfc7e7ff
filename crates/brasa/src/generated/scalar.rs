//! Generated from the `scalar` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Product of two tensors.
    #[track_caller]
    pub fn mul(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("mul", |scope| scope.leave(elementwise(scope.g, Scalar::Mul, &[input.enter(scope), other.enter(scope)])))
    }

    /// Quotient of two tensors, rounded towards minus infinity.
    #[track_caller]
    pub fn floor_divide(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("floor_divide", |scope| scope.leave(elementwise(scope.g, Scalar::FloorDivide, &[input.enter(scope), other.enter(scope)])))
    }

    /// Remainder of the division, with the sign of the divisor (Python's `%`).
    #[track_caller]
    pub fn remainder(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("remainder", |scope| scope.leave(elementwise(scope.g, Scalar::Remainder, &[input.enter(scope), other.enter(scope)])))
    }

    /// Remainder of the division, with the sign of the dividend (C's `fmod`).
    #[track_caller]
    pub fn fmod(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("fmod", |scope| scope.leave(elementwise(scope.g, Scalar::Fmod, &[input.enter(scope), other.enter(scope)])))
    }

    /// The larger of two elements; NaN if either is. Equal elements share the gradient.
    #[track_caller]
    pub fn maximum(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("maximum", |scope| scope.leave(elementwise(scope.g, Scalar::Maximum, &[input.enter(scope), other.enter(scope)])))
    }

    /// The smaller of two elements; NaN if either is. Equal elements share the gradient.
    #[track_caller]
    pub fn minimum(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("minimum", |scope| scope.leave(elementwise(scope.g, Scalar::Minimum, &[input.enter(scope), other.enter(scope)])))
    }

    /// Angle of the point (`other`, `input`), in (−π, π].
    #[track_caller]
    pub fn atan2(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("atan2", |scope| scope.leave(elementwise(scope.g, Scalar::Atan2, &[input.enter(scope), other.enter(scope)])))
    }

    /// Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.
    #[track_caller]
    pub fn hypot(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("hypot", |scope| scope.leave(elementwise(scope.g, Scalar::Hypot, &[input.enter(scope), other.enter(scope)])))
    }

    /// The magnitude of `input` with the sign of `other`.
    #[track_caller]
    pub fn copysign(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("copysign", |scope| scope.leave(elementwise(scope.g, Scalar::Copysign, &[input.enter(scope), other.enter(scope)])))
    }

    /// Logarithm of the sum of exponentials of two elements.
    #[track_caller]
    pub fn logaddexp(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("logaddexp", |scope| scope.leave(elementwise(scope.g, Scalar::Logaddexp, &[input.enter(scope), other.enter(scope)])))
    }

    /// `input · log(other)`, which is zero where `input` is.
    #[track_caller]
    pub fn xlogy(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("xlogy", |scope| scope.leave(elementwise(scope.g, Scalar::Xlogy, &[input.enter(scope), other.enter(scope)])))
    }

    /// Whether two elements are equal.
    #[track_caller]
    pub fn eq(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("eq", |scope| scope.leave(elementwise(scope.g, Scalar::Eq, &[input.enter(scope), other.enter(scope)])))
    }

    /// Whether two elements differ.
    #[track_caller]
    pub fn ne(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("ne", |scope| scope.leave(elementwise(scope.g, Scalar::Ne, &[input.enter(scope), other.enter(scope)])))
    }

    /// Whether `input` is less than `other`.
    #[track_caller]
    pub fn lt(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("lt", |scope| scope.leave(elementwise(scope.g, Scalar::Lt, &[input.enter(scope), other.enter(scope)])))
    }

    /// Whether `input` is at most `other`.
    #[track_caller]
    pub fn le(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("le", |scope| scope.leave(elementwise(scope.g, Scalar::Le, &[input.enter(scope), other.enter(scope)])))
    }

    /// Whether `input` is greater than `other`.
    #[track_caller]
    pub fn gt(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("gt", |scope| scope.leave(elementwise(scope.g, Scalar::Gt, &[input.enter(scope), other.enter(scope)])))
    }

    /// Whether `input` is at least `other`.
    #[track_caller]
    pub fn ge(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("ge", |scope| scope.leave(elementwise(scope.g, Scalar::Ge, &[input.enter(scope), other.enter(scope)])))
    }

    /// Bits set in both elements.
    #[track_caller]
    pub fn bitwise_and(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("bitwise_and", |scope| scope.leave(elementwise(scope.g, Scalar::BitwiseAnd, &[input.enter(scope), other.enter(scope)])))
    }

    /// Bits set in either element.
    #[track_caller]
    pub fn bitwise_or(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("bitwise_or", |scope| scope.leave(elementwise(scope.g, Scalar::BitwiseOr, &[input.enter(scope), other.enter(scope)])))
    }

    /// Bits set in exactly one element.
    #[track_caller]
    pub fn bitwise_xor(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("bitwise_xor", |scope| scope.leave(elementwise(scope.g, Scalar::BitwiseXor, &[input.enter(scope), other.enter(scope)])))
    }

    /// Every bit flipped; for `bool`, the opposite.
    #[track_caller]
    pub fn bitwise_not(input: &Tensor) -> Tensor {
        input.settle();
        record("bitwise_not", |scope| scope.leave(elementwise(scope.g, Scalar::BitwiseNot, &[input.enter(scope).into()])))
    }

    /// Bits shifted left by `other`; zero from the width of the type on.
    #[track_caller]
    pub fn bitwise_left_shift(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("bitwise_left_shift", |scope| scope.leave(elementwise(scope.g, Scalar::LeftShift, &[input.enter(scope), other.enter(scope)])))
    }

    /// Bits shifted right by `other`, with the sign where the type has one.
    #[track_caller]
    pub fn bitwise_right_shift(input: impl Into<Operand>, other: impl Into<Operand>) -> Tensor {
        let input: Operand = input.into();
        let other: Operand = other.into();
        input.settle();
        other.settle();
        record("bitwise_right_shift", |scope| scope.leave(elementwise(scope.g, Scalar::RightShift, &[input.enter(scope), other.enter(scope)])))
    }

    /// Each element with its sign flipped.
    #[track_caller]
    pub fn neg(input: &Tensor) -> Tensor {
        input.settle();
        record("neg", |scope| scope.leave(elementwise(scope.g, Scalar::Neg, &[input.enter(scope).into()])))
    }

    /// Absolute value of each element.
    #[track_caller]
    pub fn abs(input: &Tensor) -> Tensor {
        input.settle();
        record("abs", |scope| scope.leave(elementwise(scope.g, Scalar::Abs, &[input.enter(scope).into()])))
    }

    /// −1, 0 or 1, as each element is negative, zero (or NaN) or positive.
    #[track_caller]
    pub fn sign(input: &Tensor) -> Tensor {
        input.settle();
        record("sign", |scope| scope.leave(elementwise(scope.g, Scalar::Sign, &[input.enter(scope).into()])))
    }

    /// One divided by each element.
    #[track_caller]
    pub fn reciprocal(input: &Tensor) -> Tensor {
        input.settle();
        record("reciprocal", |scope| scope.leave(elementwise(scope.g, Scalar::Reciprocal, &[input.enter(scope).into()])))
    }

    /// Square root of each element.
    #[track_caller]
    pub fn sqrt(input: &Tensor) -> Tensor {
        input.settle();
        record("sqrt", |scope| scope.leave(elementwise(scope.g, Scalar::Sqrt, &[input.enter(scope).into()])))
    }

    /// One divided by the square root of each element.
    #[track_caller]
    pub fn rsqrt(input: &Tensor) -> Tensor {
        input.settle();
        record("rsqrt", |scope| scope.leave(elementwise(scope.g, Scalar::Rsqrt, &[input.enter(scope).into()])))
    }

    /// e raised to each element.
    #[track_caller]
    pub fn exp(input: &Tensor) -> Tensor {
        input.settle();
        record("exp", |scope| scope.leave(elementwise(scope.g, Scalar::Exp, &[input.enter(scope).into()])))
    }

    /// Two raised to each element.
    #[track_caller]
    pub fn exp2(input: &Tensor) -> Tensor {
        input.settle();
        record("exp2", |scope| scope.leave(elementwise(scope.g, Scalar::Exp2, &[input.enter(scope).into()])))
    }

    /// e raised to each element, minus one; exact near zero.
    #[track_caller]
    pub fn expm1(input: &Tensor) -> Tensor {
        input.settle();
        record("expm1", |scope| scope.leave(elementwise(scope.g, Scalar::Expm1, &[input.enter(scope).into()])))
    }

    /// Natural logarithm of each element.
    #[track_caller]
    pub fn log(input: &Tensor) -> Tensor {
        input.settle();
        record("log", |scope| scope.leave(elementwise(scope.g, Scalar::Log, &[input.enter(scope).into()])))
    }

    /// Logarithm to base two of each element.
    #[track_caller]
    pub fn log2(input: &Tensor) -> Tensor {
        input.settle();
        record("log2", |scope| scope.leave(elementwise(scope.g, Scalar::Log2, &[input.enter(scope).into()])))
    }

    /// Logarithm to base ten of each element.
    #[track_caller]
    pub fn log10(input: &Tensor) -> Tensor {
        input.settle();
        record("log10", |scope| scope.leave(elementwise(scope.g, Scalar::Log10, &[input.enter(scope).into()])))
    }

    /// Natural logarithm of one plus each element; exact near zero.
    #[track_caller]
    pub fn log1p(input: &Tensor) -> Tensor {
        input.settle();
        record("log1p", |scope| scope.leave(elementwise(scope.g, Scalar::Log1p, &[input.enter(scope).into()])))
    }

    /// Sine of each element, in radians.
    #[track_caller]
    pub fn sin(input: &Tensor) -> Tensor {
        input.settle();
        record("sin", |scope| scope.leave(elementwise(scope.g, Scalar::Sin, &[input.enter(scope).into()])))
    }

    /// Cosine of each element, in radians.
    #[track_caller]
    pub fn cos(input: &Tensor) -> Tensor {
        input.settle();
        record("cos", |scope| scope.leave(elementwise(scope.g, Scalar::Cos, &[input.enter(scope).into()])))
    }

    /// Tangent of each element, in radians.
    #[track_caller]
    pub fn tan(input: &Tensor) -> Tensor {
        input.settle();
        record("tan", |scope| scope.leave(elementwise(scope.g, Scalar::Tan, &[input.enter(scope).into()])))
    }

    /// Angle whose sine each element is.
    #[track_caller]
    pub fn asin(input: &Tensor) -> Tensor {
        input.settle();
        record("asin", |scope| scope.leave(elementwise(scope.g, Scalar::Asin, &[input.enter(scope).into()])))
    }

    /// Angle whose cosine each element is.
    #[track_caller]
    pub fn acos(input: &Tensor) -> Tensor {
        input.settle();
        record("acos", |scope| scope.leave(elementwise(scope.g, Scalar::Acos, &[input.enter(scope).into()])))
    }

    /// Angle whose tangent each element is.
    #[track_caller]
    pub fn atan(input: &Tensor) -> Tensor {
        input.settle();
        record("atan", |scope| scope.leave(elementwise(scope.g, Scalar::Atan, &[input.enter(scope).into()])))
    }

    /// Hyperbolic sine of each element.
    #[track_caller]
    pub fn sinh(input: &Tensor) -> Tensor {
        input.settle();
        record("sinh", |scope| scope.leave(elementwise(scope.g, Scalar::Sinh, &[input.enter(scope).into()])))
    }

    /// Hyperbolic cosine of each element.
    #[track_caller]
    pub fn cosh(input: &Tensor) -> Tensor {
        input.settle();
        record("cosh", |scope| scope.leave(elementwise(scope.g, Scalar::Cosh, &[input.enter(scope).into()])))
    }

    /// Hyperbolic tangent of each element.
    #[track_caller]
    pub fn tanh(input: &Tensor) -> Tensor {
        input.settle();
        record("tanh", |scope| scope.leave(elementwise(scope.g, Scalar::Tanh, &[input.enter(scope).into()])))
    }

    /// Inverse hyperbolic sine of each element.
    #[track_caller]
    pub fn asinh(input: &Tensor) -> Tensor {
        input.settle();
        record("asinh", |scope| scope.leave(elementwise(scope.g, Scalar::Asinh, &[input.enter(scope).into()])))
    }

    /// Inverse hyperbolic cosine of each element.
    #[track_caller]
    pub fn acosh(input: &Tensor) -> Tensor {
        input.settle();
        record("acosh", |scope| scope.leave(elementwise(scope.g, Scalar::Acosh, &[input.enter(scope).into()])))
    }

    /// Inverse hyperbolic tangent of each element.
    #[track_caller]
    pub fn atanh(input: &Tensor) -> Tensor {
        input.settle();
        record("atanh", |scope| scope.leave(elementwise(scope.g, Scalar::Atanh, &[input.enter(scope).into()])))
    }

    /// Error function of each element.
    #[track_caller]
    pub fn erf(input: &Tensor) -> Tensor {
        input.settle();
        record("erf", |scope| scope.leave(elementwise(scope.g, Scalar::Erf, &[input.enter(scope).into()])))
    }

    /// One minus the error function; exact where that is close to one.
    #[track_caller]
    pub fn erfc(input: &Tensor) -> Tensor {
        input.settle();
        record("erfc", |scope| scope.leave(elementwise(scope.g, Scalar::Erfc, &[input.enter(scope).into()])))
    }

    /// Inverse of the error function.
    #[track_caller]
    pub fn erfinv(input: &Tensor) -> Tensor {
        input.settle();
        record("erfinv", |scope| scope.leave(elementwise(scope.g, Scalar::Erfinv, &[input.enter(scope).into()])))
    }

    /// Logarithm of the absolute value of the gamma function.
    #[track_caller]
    pub fn lgamma(input: &Tensor) -> Tensor {
        input.settle();
        record("lgamma", |scope| scope.leave(elementwise(scope.g, Scalar::Lgamma, &[input.enter(scope).into()])))
    }

    /// Logistic function `1 / (1 + exp(−x))` of each element.
    #[track_caller]
    pub fn sigmoid(input: &Tensor) -> Tensor {
        input.settle();
        record("sigmoid", |scope| scope.leave(elementwise(scope.g, Scalar::Sigmoid, &[input.enter(scope).into()])))
    }

    /// Each element, or zero where it is negative.
    #[track_caller]
    pub fn relu(input: &Tensor) -> Tensor {
        input.settle();
        record("relu", |scope| scope.leave(elementwise(scope.g, Scalar::Relu, &[input.enter(scope).into()])))
    }

    /// `gelu` by its tanh approximation.
    #[track_caller]
    pub fn gelu_tanh(input: &Tensor) -> Tensor {
        input.settle();
        record("gelu_tanh", |scope| scope.leave(elementwise(scope.g, Scalar::GeluTanh, &[input.enter(scope).into()])))
    }

    /// `x · sigmoid(x)`, also called swish.
    #[track_caller]
    pub fn silu(input: &Tensor) -> Tensor {
        input.settle();
        record("silu", |scope| scope.leave(elementwise(scope.g, Scalar::Silu, &[input.enter(scope).into()])))
    }

    /// `x · tanh(softplus(x))`.
    #[track_caller]
    pub fn mish(input: &Tensor) -> Tensor {
        input.settle();
        record("mish", |scope| scope.leave(elementwise(scope.g, Scalar::Mish, &[input.enter(scope).into()])))
    }

    /// Largest whole number not above each element.
    #[track_caller]
    pub fn floor(input: &Tensor) -> Tensor {
        input.settle();
        record("floor", |scope| scope.leave(elementwise(scope.g, Scalar::Floor, &[input.enter(scope).into()])))
    }

    /// Smallest whole number not below each element.
    #[track_caller]
    pub fn ceil(input: &Tensor) -> Tensor {
        input.settle();
        record("ceil", |scope| scope.leave(elementwise(scope.g, Scalar::Ceil, &[input.enter(scope).into()])))
    }

    /// Each element without its fraction.
    #[track_caller]
    pub fn trunc(input: &Tensor) -> Tensor {
        input.settle();
        record("trunc", |scope| scope.leave(elementwise(scope.g, Scalar::Trunc, &[input.enter(scope).into()])))
    }
}

impl Tensor {
    /// Product of two tensors.
    #[track_caller]
    pub fn mul(&self, other: impl Into<Operand>) -> Tensor {
        functions::mul(self, other)
    }

    /// Another name for [`mul`](Tensor::mul).
    #[track_caller]
    pub fn multiply(&self, other: impl Into<Operand>) -> Tensor {
        functions::mul(self, other)
    }

    /// Another name for [`mul`](Tensor::mul).
    #[track_caller]
    pub fn mul_scalar(&self, other: impl Into<Operand>) -> Tensor {
        functions::mul(self, other)
    }

    /// Quotient of two tensors, rounded towards minus infinity.
    #[track_caller]
    pub fn floor_divide(&self, other: impl Into<Operand>) -> Tensor {
        functions::floor_divide(self, other)
    }

    /// Remainder of the division, with the sign of the divisor (Python's `%`).
    #[track_caller]
    pub fn remainder(&self, other: impl Into<Operand>) -> Tensor {
        functions::remainder(self, other)
    }

    /// Remainder of the division, with the sign of the dividend (C's `fmod`).
    #[track_caller]
    pub fn fmod(&self, other: impl Into<Operand>) -> Tensor {
        functions::fmod(self, other)
    }

    /// The larger of two elements; NaN if either is. Equal elements share the gradient.
    #[track_caller]
    pub fn maximum(&self, other: impl Into<Operand>) -> Tensor {
        functions::maximum(self, other)
    }

    /// The smaller of two elements; NaN if either is. Equal elements share the gradient.
    #[track_caller]
    pub fn minimum(&self, other: impl Into<Operand>) -> Tensor {
        functions::minimum(self, other)
    }

    /// Angle of the point (`other`, `input`), in (−π, π].
    #[track_caller]
    pub fn atan2(&self, other: impl Into<Operand>) -> Tensor {
        functions::atan2(self, other)
    }

    /// Another name for [`atan2`](Tensor::atan2).
    #[track_caller]
    pub fn arctan2(&self, other: impl Into<Operand>) -> Tensor {
        functions::atan2(self, other)
    }

    /// Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.
    #[track_caller]
    pub fn hypot(&self, other: impl Into<Operand>) -> Tensor {
        functions::hypot(self, other)
    }

    /// The magnitude of `input` with the sign of `other`.
    #[track_caller]
    pub fn copysign(&self, other: impl Into<Operand>) -> Tensor {
        functions::copysign(self, other)
    }

    /// Logarithm of the sum of exponentials of two elements.
    #[track_caller]
    pub fn logaddexp(&self, other: impl Into<Operand>) -> Tensor {
        functions::logaddexp(self, other)
    }

    /// `input · log(other)`, which is zero where `input` is.
    #[track_caller]
    pub fn xlogy(&self, other: impl Into<Operand>) -> Tensor {
        functions::xlogy(self, other)
    }

    /// Whether two elements are equal.
    #[track_caller]
    pub fn eq(&self, other: impl Into<Operand>) -> Tensor {
        functions::eq(self, other)
    }

    /// Another name for [`eq`](Tensor::eq).
    #[track_caller]
    pub fn equal(&self, other: impl Into<Operand>) -> Tensor {
        functions::eq(self, other)
    }

    /// Whether two elements differ.
    #[track_caller]
    pub fn ne(&self, other: impl Into<Operand>) -> Tensor {
        functions::ne(self, other)
    }

    /// Another name for [`ne`](Tensor::ne).
    #[track_caller]
    pub fn not_equal(&self, other: impl Into<Operand>) -> Tensor {
        functions::ne(self, other)
    }

    /// Whether `input` is less than `other`.
    #[track_caller]
    pub fn lt(&self, other: impl Into<Operand>) -> Tensor {
        functions::lt(self, other)
    }

    /// Another name for [`lt`](Tensor::lt).
    #[track_caller]
    pub fn less(&self, other: impl Into<Operand>) -> Tensor {
        functions::lt(self, other)
    }

    /// Whether `input` is at most `other`.
    #[track_caller]
    pub fn le(&self, other: impl Into<Operand>) -> Tensor {
        functions::le(self, other)
    }

    /// Another name for [`le`](Tensor::le).
    #[track_caller]
    pub fn less_equal(&self, other: impl Into<Operand>) -> Tensor {
        functions::le(self, other)
    }

    /// Whether `input` is greater than `other`.
    #[track_caller]
    pub fn gt(&self, other: impl Into<Operand>) -> Tensor {
        functions::gt(self, other)
    }

    /// Another name for [`gt`](Tensor::gt).
    #[track_caller]
    pub fn greater(&self, other: impl Into<Operand>) -> Tensor {
        functions::gt(self, other)
    }

    /// Whether `input` is at least `other`.
    #[track_caller]
    pub fn ge(&self, other: impl Into<Operand>) -> Tensor {
        functions::ge(self, other)
    }

    /// Another name for [`ge`](Tensor::ge).
    #[track_caller]
    pub fn greater_equal(&self, other: impl Into<Operand>) -> Tensor {
        functions::ge(self, other)
    }

    /// Bits set in both elements.
    #[track_caller]
    pub fn bitwise_and(&self, other: impl Into<Operand>) -> Tensor {
        functions::bitwise_and(self, other)
    }

    /// Bits set in either element.
    #[track_caller]
    pub fn bitwise_or(&self, other: impl Into<Operand>) -> Tensor {
        functions::bitwise_or(self, other)
    }

    /// Bits set in exactly one element.
    #[track_caller]
    pub fn bitwise_xor(&self, other: impl Into<Operand>) -> Tensor {
        functions::bitwise_xor(self, other)
    }

    /// Every bit flipped; for `bool`, the opposite.
    #[track_caller]
    pub fn bitwise_not(&self) -> Tensor {
        functions::bitwise_not(self)
    }

    /// Bits shifted left by `other`; zero from the width of the type on.
    #[track_caller]
    pub fn bitwise_left_shift(&self, other: impl Into<Operand>) -> Tensor {
        functions::bitwise_left_shift(self, other)
    }

    /// Bits shifted right by `other`, with the sign where the type has one.
    #[track_caller]
    pub fn bitwise_right_shift(&self, other: impl Into<Operand>) -> Tensor {
        functions::bitwise_right_shift(self, other)
    }

    /// Each element with its sign flipped.
    #[track_caller]
    pub fn neg(&self) -> Tensor {
        functions::neg(self)
    }

    /// Another name for [`neg`](Tensor::neg).
    #[track_caller]
    pub fn negative(&self) -> Tensor {
        functions::neg(self)
    }

    /// Absolute value of each element.
    #[track_caller]
    pub fn abs(&self) -> Tensor {
        functions::abs(self)
    }

    /// Another name for [`abs`](Tensor::abs).
    #[track_caller]
    pub fn absolute(&self) -> Tensor {
        functions::abs(self)
    }

    /// −1, 0 or 1, as each element is negative, zero (or NaN) or positive.
    #[track_caller]
    pub fn sign(&self) -> Tensor {
        functions::sign(self)
    }

    /// Another name for [`sign`](Tensor::sign).
    #[track_caller]
    pub fn sgn(&self) -> Tensor {
        functions::sign(self)
    }

    /// One divided by each element.
    #[track_caller]
    pub fn reciprocal(&self) -> Tensor {
        functions::reciprocal(self)
    }

    /// Square root of each element.
    #[track_caller]
    pub fn sqrt(&self) -> Tensor {
        functions::sqrt(self)
    }

    /// One divided by the square root of each element.
    #[track_caller]
    pub fn rsqrt(&self) -> Tensor {
        functions::rsqrt(self)
    }

    /// e raised to each element.
    #[track_caller]
    pub fn exp(&self) -> Tensor {
        functions::exp(self)
    }

    /// Two raised to each element.
    #[track_caller]
    pub fn exp2(&self) -> Tensor {
        functions::exp2(self)
    }

    /// e raised to each element, minus one; exact near zero.
    #[track_caller]
    pub fn expm1(&self) -> Tensor {
        functions::expm1(self)
    }

    /// Natural logarithm of each element.
    #[track_caller]
    pub fn log(&self) -> Tensor {
        functions::log(self)
    }

    /// Logarithm to base two of each element.
    #[track_caller]
    pub fn log2(&self) -> Tensor {
        functions::log2(self)
    }

    /// Logarithm to base ten of each element.
    #[track_caller]
    pub fn log10(&self) -> Tensor {
        functions::log10(self)
    }

    /// Natural logarithm of one plus each element; exact near zero.
    #[track_caller]
    pub fn log1p(&self) -> Tensor {
        functions::log1p(self)
    }

    /// Sine of each element, in radians.
    #[track_caller]
    pub fn sin(&self) -> Tensor {
        functions::sin(self)
    }

    /// Cosine of each element, in radians.
    #[track_caller]
    pub fn cos(&self) -> Tensor {
        functions::cos(self)
    }

    /// Tangent of each element, in radians.
    #[track_caller]
    pub fn tan(&self) -> Tensor {
        functions::tan(self)
    }

    /// Angle whose sine each element is.
    #[track_caller]
    pub fn asin(&self) -> Tensor {
        functions::asin(self)
    }

    /// Another name for [`asin`](Tensor::asin).
    #[track_caller]
    pub fn arcsin(&self) -> Tensor {
        functions::asin(self)
    }

    /// Angle whose cosine each element is.
    #[track_caller]
    pub fn acos(&self) -> Tensor {
        functions::acos(self)
    }

    /// Another name for [`acos`](Tensor::acos).
    #[track_caller]
    pub fn arccos(&self) -> Tensor {
        functions::acos(self)
    }

    /// Angle whose tangent each element is.
    #[track_caller]
    pub fn atan(&self) -> Tensor {
        functions::atan(self)
    }

    /// Another name for [`atan`](Tensor::atan).
    #[track_caller]
    pub fn arctan(&self) -> Tensor {
        functions::atan(self)
    }

    /// Hyperbolic sine of each element.
    #[track_caller]
    pub fn sinh(&self) -> Tensor {
        functions::sinh(self)
    }

    /// Hyperbolic cosine of each element.
    #[track_caller]
    pub fn cosh(&self) -> Tensor {
        functions::cosh(self)
    }

    /// Hyperbolic tangent of each element.
    #[track_caller]
    pub fn tanh(&self) -> Tensor {
        functions::tanh(self)
    }

    /// Inverse hyperbolic sine of each element.
    #[track_caller]
    pub fn asinh(&self) -> Tensor {
        functions::asinh(self)
    }

    /// Another name for [`asinh`](Tensor::asinh).
    #[track_caller]
    pub fn arcsinh(&self) -> Tensor {
        functions::asinh(self)
    }

    /// Inverse hyperbolic cosine of each element.
    #[track_caller]
    pub fn acosh(&self) -> Tensor {
        functions::acosh(self)
    }

    /// Another name for [`acosh`](Tensor::acosh).
    #[track_caller]
    pub fn arccosh(&self) -> Tensor {
        functions::acosh(self)
    }

    /// Inverse hyperbolic tangent of each element.
    #[track_caller]
    pub fn atanh(&self) -> Tensor {
        functions::atanh(self)
    }

    /// Another name for [`atanh`](Tensor::atanh).
    #[track_caller]
    pub fn arctanh(&self) -> Tensor {
        functions::atanh(self)
    }

    /// Error function of each element.
    #[track_caller]
    pub fn erf(&self) -> Tensor {
        functions::erf(self)
    }

    /// One minus the error function; exact where that is close to one.
    #[track_caller]
    pub fn erfc(&self) -> Tensor {
        functions::erfc(self)
    }

    /// Inverse of the error function.
    #[track_caller]
    pub fn erfinv(&self) -> Tensor {
        functions::erfinv(self)
    }

    /// Logarithm of the absolute value of the gamma function.
    #[track_caller]
    pub fn lgamma(&self) -> Tensor {
        functions::lgamma(self)
    }

    /// Logistic function `1 / (1 + exp(−x))` of each element.
    #[track_caller]
    pub fn sigmoid(&self) -> Tensor {
        functions::sigmoid(self)
    }

    /// Each element, or zero where it is negative.
    #[track_caller]
    pub fn relu(&self) -> Tensor {
        functions::relu(self)
    }

    /// `gelu` by its tanh approximation.
    #[track_caller]
    pub fn gelu_tanh(&self) -> Tensor {
        functions::gelu_tanh(self)
    }

    /// `x · sigmoid(x)`, also called swish.
    #[track_caller]
    pub fn silu(&self) -> Tensor {
        functions::silu(self)
    }

    /// Another name for [`silu`](Tensor::silu).
    #[track_caller]
    pub fn swish(&self) -> Tensor {
        functions::silu(self)
    }

    /// `x · tanh(softplus(x))`.
    #[track_caller]
    pub fn mish(&self) -> Tensor {
        functions::mish(self)
    }

    /// Largest whole number not above each element.
    #[track_caller]
    pub fn floor(&self) -> Tensor {
        functions::floor(self)
    }

    /// Smallest whole number not below each element.
    #[track_caller]
    pub fn ceil(&self) -> Tensor {
        functions::ceil(self)
    }

    /// Each element without its fraction.
    #[track_caller]
    pub fn trunc(&self) -> Tensor {
        functions::trunc(self)
    }

    /// Another name for [`trunc`](Tensor::trunc).
    #[track_caller]
    pub fn fix(&self) -> Tensor {
        functions::trunc(self)
    }

}
