//! A symbolic vector: the operations that a function applies to it are recorded in a trace, which
//! the JIT compiles as part of a loop.
use super::Unary;
use super::vector::Vector;
use crate::jit::{BinaryOp, Compare, Fused, Trace, UnaryOp, Value};
use crate::level::Level;
use std::cell::RefCell;
use std::ops::{Add, Mul, Neg, Sub};

thread_local! {
    /// The trace being recorded. It is thread-local because functions take vectors only.
    static TRACE: RefCell<Trace> = RefCell::new(Trace::new(Level::Avx2));
}

impl Unary {
    /// Records the function of `x` in a trace, if the operations of a trace can express it.
    pub(crate) fn trace(self, trace: &mut Trace, x: Value) -> Option<Value> {
        TRACE.with_borrow_mut(|current| std::mem::swap(current, trace));
        let result = self.apply_traced(Traced(x));
        TRACE.with_borrow_mut(|current| std::mem::swap(current, trace));
        result.map(|Traced(value)| value)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Traced(Value);

fn record(f: impl FnOnce(&mut Trace) -> Value) -> Traced {
    Traced(record_value(f))
}

fn record_value(f: impl FnOnce(&mut Trace) -> Value) -> Value {
    TRACE.with_borrow_mut(f)
}

/// Whether the trace targets AVX-512, for which functions use its own instructions.
fn is_wide() -> bool {
    TRACE.with_borrow(Trace::is_wide)
}

macro_rules! operators {
    ($($operator:ident $method:ident;)*) => {
        $(impl $operator for Traced {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                record(|trace| trace.binary(BinaryOp::$operator, self.0, other.0))
            }
        })*
    };
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
}

impl Neg for Traced {
    type Output = Self;

    fn neg(self) -> Self {
        record(|trace| trace.neg(self.0))
    }
}

/// 1.5 · 2²³: adding it rounds to an integer, which is then in the low bits.
const ROUNDER: f32 = 12_582_912.0;

impl Traced {
    fn bits(bits: u32) -> Self {
        record(|trace| trace.bits(bits))
    }

    fn one(self, op: UnaryOp) -> Self {
        record(|trace| trace.unary(op, self.0))
    }

    fn two(self, op: BinaryOp, other: Self) -> Self {
        record(|trace| trace.binary(op, self.0, other.0))
    }

    /// 2ⁿ of an integer.
    fn power(self) -> Self {
        self.two(BinaryOp::AddInt, Self::bits(127)).one(UnaryOp::ShiftLeft(23))
    }

    /// `c − self · by`.
    fn neg_mul_add(self, by: Self, c: Self) -> Self {
        record(|trace| trace.fused(Fused::From, self.0, by.0, c.0))
    }
}

/// The same operations as of `Lane`, or of `F32x16` for AVX-512, one by one.
impl Vector for Traced {
    type Mask = Value;

    fn of(x: f32) -> Self {
        record(|trace| trace.number(x))
    }

    fn fma(self, by: Self, to: Self) -> Self {
        record(|trace| trace.fused(Fused::Add, self.0, by.0, to.0))
    }

    fn min(self, other: f32) -> Self {
        Self::of(other).two(BinaryOp::Min, self)
    }

    fn max(self, other: f32) -> Self {
        Self::of(other).two(BinaryOp::Max, self)
    }

    fn abs(self) -> Self {
        record(|trace| trace.abs(self.0))
    }

    fn sqrt(self) -> Self {
        self.one(UnaryOp::Sqrt)
    }

    fn copysign(self, sign: Self) -> Self {
        record(|trace| trace.copysign(self.0, sign.0))
    }

    fn round(self) -> Self {
        if is_wide() {
            return self.one(UnaryOp::Round);
        }
        (self + Self::of(ROUNDER)) - Self::of(ROUNDER)
    }

    fn mul_pow2(self, n: Self) -> Self {
        if is_wide() {
            return self.two(BinaryOp::Scale, n);
        }
        let n = (n + Self::of(ROUNDER)).two(BinaryOp::SubInt, Self::of(ROUNDER));
        let half = n.one(UnaryOp::ShiftRight(1));
        self * half.power() * n.two(BinaryOp::SubInt, half).power()
    }

    fn fast_div(self, by: Self) -> Self {
        if !is_wide() {
            return self.two(BinaryOp::Div, by);
        }
        let guess = by.one(UnaryOp::Reciprocal);
        let reciprocal = guess.fma(by.neg_mul_add(guess, Self::of(1.0)), guess);
        let quotient = self * reciprocal;
        quotient.neg_mul_add(by, self).fma(reciprocal, quotient)
    }

    fn divide(self, by: Self) -> Self {
        self.two(BinaryOp::Div, by)
    }

    fn truncate_mantissa(self) -> Self {
        self.two(BinaryOp::And, Self::bits(0xffff_f000))
    }

    fn frexp(self) -> (Self, Self) {
        if is_wide() {
            let (exponent, mantissa) = (self.one(UnaryOp::Exponent), self.one(UnaryOp::Mantissa));
            let is_large = Self::of(std::f32::consts::SQRT_2).less(mantissa);
            return (
                Self::select(is_large, exponent + Self::of(1.0), exponent),
                Self::select(is_large, mantissa * Self::of(0.5), mantissa),
            );
        }
        let sqrt_half = Self::bits(0x3f35_04f3);
        let is_subnormal = self.less(Self::of(f32::MIN_POSITIVE));
        let x = Self::select(is_subnormal, self * Self::of(8_388_608.0), self);
        let bits = x.two(BinaryOp::SubInt, sqrt_half);
        let less = Self::select(is_subnormal, Self::of(23.0), Self::of(0.0));
        let exponent = bits.one(UnaryOp::ShiftRight(23)).one(UnaryOp::ToFloat) - less;
        let mantissa =
            bits.two(BinaryOp::And, Self::bits(0x007f_ffff)).two(BinaryOp::AddInt, sqrt_half);
        (exponent, mantissa)
    }

    fn reduce_angle(self, _: i32) -> (Self, Value, Value) {
        unreachable!("functions of angles are not traced")
    }

    fn less(self, than: Self) -> Value {
        record_value(|trace| trace.compare(Compare::Lt, self.0, than.0))
    }

    fn select(mask: Value, yes: Self, no: Self) -> Self {
        record(|trace| trace.select(mask, yes.0, no.0))
    }
}
