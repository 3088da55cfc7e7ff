//! The type that the functions of this module are generic over: one f32, over which loops are
//! vectorized, or an AVX-512 vector, for instructions that auto-vectorization does not use.
use std::marker::PhantomData;
use std::ops::{Add, Mul, Neg, Sub};

/// One or more f32 lanes; operations apply to each lane.
pub(super) trait Vector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    type Mask: Copy;

    fn of(x: f32) -> Self;
    /// `self · by + to`, rounded once if the CPU has a fused instruction.
    fn fma(self, by: Self, to: Self) -> Self;
    /// The smaller; NaN if `self` is.
    fn min(self, other: f32) -> Self;
    /// The larger; NaN if `self` is.
    fn max(self, other: f32) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    /// The nearest integer, for |self| below 2²².
    fn round(self) -> Self;
    /// `self · 2ⁿ` for integers |n| up to 250, rounded once.
    fn mul_pow2(self, n: Self) -> Self;
    /// `self / by`, not always correctly rounded, for `by` far from zero and infinity.
    fn fast_div(self, by: Self) -> Self;
    /// The correctly rounded quotient, for any divisor.
    fn divide(self, by: Self) -> Self;
    /// Keeps the first 12 bits of the mantissa, so that the square is exact.
    fn truncate_mantissa(self) -> Self;
    /// Exponent and mantissa of a positive number, with the mantissa in √½ .. √2.
    fn frexp(self) -> (Self, Self);
    /// Subtracts an integer number `n` of quarter turns. Returns the remainder, whether
    /// `n + offset` is odd, and whether it is 2 or 3 modulo 4. For |self| up to 10⁵.
    fn reduce_angle(self, offset: i32) -> (Self, Self::Mask, Self::Mask);

    fn less(self, than: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// How `a · b + c` is rounded: once if the CPU has a fused instruction, else twice.
pub(super) trait Fuse: Copy {
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Copy)]
pub(super) struct Fused;

#[cfg(not(target_arch = "aarch64"))]
#[derive(Clone, Copy)]
pub(super) struct Unfused;

/// The rounding of the build's baseline.
#[cfg(target_arch = "aarch64")]
pub(super) type Base = Fused;
#[cfg(not(target_arch = "aarch64"))]
pub(super) type Base = Unfused;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Fuse for Fused {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

#[cfg(not(target_arch = "aarch64"))]
impl Fuse for Unfused {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}

/// One f32, with fused multiply-add as in `F`.
#[derive(Clone, Copy)]
pub(super) struct Lane<F>(pub f32, PhantomData<F>);

macro_rules! operators {
    ($($operator:ident $method:ident $symbol:tt;)*) => {
        $(impl<F> $operator for Lane<F> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lane(self.0 $symbol other.0, PhantomData)
            }
        })*
    };
}

operators! {
    Add add +;
    Sub sub -;
    Mul mul *;
}

impl<F> Neg for Lane<F> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Lane(-self.0, PhantomData)
    }
}

/// 1.5 · 2²³: adding it rounds to an integer, which is then in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// 2ⁿ for n in -126..=127.
#[inline(always)]
fn power(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

impl<F: Fuse> Vector for Lane<F> {
    type Mask = bool;

    #[inline(always)]
    fn of(x: f32) -> Self {
        Lane(x, PhantomData)
    }

    #[inline(always)]
    fn fma(self, by: Self, to: Self) -> Self {
        Self::of(F::fma(self.0, by.0, to.0))
    }

    #[inline(always)]
    fn min(self, other: f32) -> Self {
        Self::of(if self.0 > other { other } else { self.0 })
    }

    #[inline(always)]
    fn max(self, other: f32) -> Self {
        Self::of(if self.0 < other { other } else { self.0 })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::of(self.0.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::of(self.0.sqrt())
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self::of(self.0.copysign(sign.0))
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self::of((self.0 + ROUNDER) - ROUNDER)
    }

    #[inline(always)]
    fn mul_pow2(self, n: Self) -> Self {
        let n = (n.0 + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()) as i32;
        let half = n >> 1;
        Self::of(self.0 * power(half) * power(n.wrapping_sub(half)))
    }

    #[inline(always)]
    fn fast_div(self, by: Self) -> Self {
        Self::of(self.0 / by.0)
    }

    #[inline(always)]
    fn divide(self, by: Self) -> Self {
        Self::of(self.0 / by.0)
    }

    #[inline(always)]
    fn truncate_mantissa(self) -> Self {
        Self::of(f32::from_bits(self.0.to_bits() & 0xffff_f000))
    }

    #[inline(always)]
    fn frexp(self) -> (Self, Self) {
        const SQRT_HALF: u32 = 0x3f35_04f3;
        let is_subnormal = self.0 < f32::MIN_POSITIVE;
        let x = if is_subnormal { self.0 * 8_388_608.0 } else { self.0 };
        let bits = x.to_bits().wrapping_sub(SQRT_HALF);
        let exponent = ((bits as i32) >> 23) as f32 - if is_subnormal { 23.0 } else { 0.0 };
        let mantissa = f32::from_bits((bits & 0x007f_ffff).wrapping_add(SQRT_HALF));
        (Self::of(exponent), Self::of(mantissa))
    }

    /// Computed in f64, where the product of 33 bits of π/2 and the number of turns is exact
    /// without fma.
    #[inline(always)]
    fn reduce_angle(self, offset: i32) -> (Self, bool, bool) {
        const HIGH: f64 = 1.570_796_326_734_125_6;
        const LOW: f64 = 6.077_100_506_506_192e-11;
        const ROUNDER: f64 = 6_755_399_441_055_744.0;
        let x = f64::from(self.0);
        let rounded = x * std::f64::consts::FRAC_2_PI + ROUNDER;
        let n = rounded - ROUNDER;
        let r = (x - n * HIGH) - n * LOW;
        let quarters = (rounded.to_bits() as i32).wrapping_add(offset);
        (Self::of(r as f32), quarters & 1 != 0, quarters & 2 != 0)
    }

    #[inline(always)]
    fn less(self, than: Self) -> bool {
        self.0 < than.0
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}
