//! A vector that is not there yet: what the functions do with it is written down, and becomes part of
//! a loop that is made at run time.
use super::Unary;
use super::vector::Vector;
use crate::jit::{Compare, Fused, One, Trace, Two, Value};
use crate::level::Level;
use std::cell::RefCell;
use std::ops::{Add, Mul, Neg, Sub};

thread_local! {
    /// What is being written: the functions hand around nothing but vectors.
    static TRACE: RefCell<Trace> = RefCell::new(Trace::new(Level::Avx2));
}

impl Unary {
    /// Adds the function of a value to a trace, if it can be said by the operations there.
    pub(crate) fn trace(self, trace: &mut Trace, x: Value) -> Option<Value> {
        TRACE.with_borrow_mut(|current| std::mem::swap(current, trace));
        let result = self.of_traced(Traced(x));
        TRACE.with_borrow_mut(|current| std::mem::swap(current, trace));
        result.map(|Traced(value)| value)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Traced(Value);

fn write(f: impl FnOnce(&mut Trace) -> Value) -> Traced {
    Traced(mask(f))
}

fn mask(f: impl FnOnce(&mut Trace) -> Value) -> Value {
    TRACE.with_borrow_mut(f)
}

/// Whether it is for AVX-512, whose own instructions its functions use.
fn is_wide() -> bool {
    TRACE.with_borrow(Trace::is_wide)
}

macro_rules! operators {
    ($($operator:ident $method:ident;)*) => {
        $(impl $operator for Traced {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                write(|trace| trace.two(Two::$operator, self.0, other.0))
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
        write(|trace| trace.neg(self.0))
    }
}

/// 1.5 · 2²³: adding it rounds to an integer, which then stands in the low bits.
const ROUNDER: f32 = 12_582_912.0;

impl Traced {
    fn bits(bits: u32) -> Self {
        write(|trace| trace.bits(bits))
    }

    fn one(self, op: One) -> Self {
        write(|trace| trace.one(op, self.0))
    }

    fn two(self, op: Two, other: Self) -> Self {
        write(|trace| trace.two(op, self.0, other.0))
    }

    /// 2ⁿ of a whole number.
    fn power(self) -> Self {
        self.two(Two::AddInt, Self::bits(127)).one(One::ShiftLeft(23))
    }

    /// `c − self · by`.
    fn from(self, by: Self, c: Self) -> Self {
        write(|trace| trace.fused(Fused::From, self.0, by.0, c.0))
    }
}

/// As single lanes, or vectors of AVX-512, do it, operation by operation.
impl Vector for Traced {
    type Mask = Value;

    fn of(x: f32) -> Self {
        write(|trace| trace.number(x))
    }

    fn fma(self, by: Self, to: Self) -> Self {
        write(|trace| trace.fused(Fused::Add, self.0, by.0, to.0))
    }

    fn min(self, other: f32) -> Self {
        Self::of(other).two(Two::Min, self)
    }

    fn max(self, other: f32) -> Self {
        Self::of(other).two(Two::Max, self)
    }

    fn abs(self) -> Self {
        write(|trace| trace.abs(self.0))
    }

    fn sqrt(self) -> Self {
        self.one(One::Sqrt)
    }

    fn copysign(self, sign: Self) -> Self {
        write(|trace| trace.copysign(self.0, sign.0))
    }

    fn round(self) -> Self {
        if is_wide() {
            return self.one(One::Round);
        }
        (self + Self::of(ROUNDER)) - Self::of(ROUNDER)
    }

    fn scale(self, n: Self) -> Self {
        if is_wide() {
            return self.two(Two::Scale, n);
        }
        let n = (n + Self::of(ROUNDER)).two(Two::SubInt, Self::of(ROUNDER));
        let half = n.one(One::ShiftRight(1));
        self * half.power() * n.two(Two::SubInt, half).power()
    }

    fn over(self, by: Self) -> Self {
        if !is_wide() {
            return self.two(Two::Div, by);
        }
        let guess = by.one(One::Reciprocal);
        let reciprocal = guess.fma(by.from(guess, Self::of(1.0)), guess);
        let quotient = self * reciprocal;
        quotient.from(by, self).fma(reciprocal, quotient)
    }

    fn divide(self, by: Self) -> Self {
        self.two(Two::Div, by)
    }

    fn high(self) -> Self {
        self.two(Two::And, Self::bits(0xffff_f000))
    }

    fn split(self) -> (Self, Self) {
        if is_wide() {
            let (exponent, mantissa) = (self.one(One::Exponent), self.one(One::Mantissa));
            let is_large = Self::of(std::f32::consts::SQRT_2).less(mantissa);
            return (
                Self::select(is_large, exponent + Self::of(1.0), exponent),
                Self::select(is_large, mantissa * Self::of(0.5), mantissa),
            );
        }
        let sqrt_half = Self::bits(0x3f35_04f3);
        let is_subnormal = self.less(Self::of(f32::MIN_POSITIVE));
        let x = Self::select(is_subnormal, self * Self::of(8_388_608.0), self);
        let bits = x.two(Two::SubInt, sqrt_half);
        let less = Self::select(is_subnormal, Self::of(23.0), Self::of(0.0));
        let exponent = bits.one(One::ShiftRight(23)).one(One::ToFloat) - less;
        let mantissa = bits.two(Two::And, Self::bits(0x007f_ffff)).two(Two::AddInt, sqrt_half);
        (exponent, mantissa)
    }

    fn turns(self, _: i32) -> (Self, Value, Value) {
        unreachable!("functions of angles are not traced")
    }

    fn less(self, than: Self) -> Value {
        mask(|trace| trace.compare(Compare::Lt, self.0, than.0))
    }

    fn select(mask: Value, yes: Self, no: Self) -> Self {
        write(|trace| trace.select(mask, yes.0, no.0))
    }
}
