//! [`Vector`] for AVX-512. Values of this type exist only inside functions that are compiled for
//! AVX-512 and called after the level was detected; this makes each `unsafe` block below sound.
use super::vector::Vector;
use crate::simd::x86::F32x16;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Neg, Sub};

macro_rules! operators {
    ($($operator:ident $method:ident $intrinsic:ident;)*) => {
        $(impl $operator for F32x16 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: AVX-512 is available, see the head of this file.
                F32x16(unsafe { $intrinsic(self.0, other.0) })
            }
        })*
    };
}

operators! {
    Add add _mm512_add_ps;
    Sub sub _mm512_sub_ps;
    Mul mul _mm512_mul_ps;
}

impl Neg for F32x16 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: AVX-512 is available, see the head of this file.
        F32x16(unsafe { _mm512_xor_ps(self.0, _mm512_set1_ps(-0.0)) })
    }
}

macro_rules! methods {
    ($($method:ident($self:ident $(, $x:ident: $type:ty)*) -> $out:ty { $body:expr })*) => {
        $(#[inline(always)]
        fn $method($self $(, $x: $type)*) -> $out {
            // SAFETY: AVX-512 is available, see the head of this file.
            unsafe { $body }
        })*
    };
}

impl F32x16 {
    /// A quotient with an error of little more than half an ulp, for divisors far from zero and
    /// infinity. It takes 3 cycles per vector, the division instruction 16 (Xeon, 2026-11).
    ///
    /// # Safety
    /// The CPU supports AVX-512.
    #[inline(always)]
    unsafe fn quotient(x: __m512, by: __m512) -> __m512 {
        // SAFETY: AVX-512 is available, see the head of this file.
        unsafe {
            let guess = _mm512_rcp14_ps(by);
            let error = _mm512_fnmadd_ps(by, guess, _mm512_set1_ps(1.0));
            let reciprocal = _mm512_fmadd_ps(guess, error, guess);
            let quotient = _mm512_mul_ps(x, reciprocal);
            _mm512_fmadd_ps(_mm512_fnmadd_ps(quotient, by, x), reciprocal, quotient)
        }
    }

    /// [`Vector::frexp`].
    ///
    /// # Safety
    /// The CPU supports AVX-512.
    #[inline(always)]
    unsafe fn split_positive(x: __m512) -> (F32x16, F32x16) {
        // SAFETY: AVX-512 is available, see the head of this file.
        unsafe {
            let one_to_two = _mm512_getmant_ps::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_SRC>(x);
            let exponent = _mm512_getexp_ps(x);
            let is_large = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(
                one_to_two,
                _mm512_set1_ps(std::f32::consts::SQRT_2),
            );
            let half = _mm512_set1_ps(0.5);
            let one = _mm512_set1_ps(1.0);
            (
                F32x16(_mm512_mask_add_ps(exponent, is_large, exponent, one)),
                F32x16(_mm512_mask_mul_ps(one_to_two, is_large, one_to_two, half)),
            )
        }
    }

    /// [`Vector::reduce_angle`], with π/2 in three parts: all fused differences but the last are
    /// exact.
    ///
    /// # Safety
    /// The CPU supports AVX-512.
    #[inline(always)]
    unsafe fn reduce(x: __m512, offset: i32) -> (F32x16, __mmask16, __mmask16) {
        const PARTS: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];
        // SAFETY: AVX-512 is available, see the head of this file.
        unsafe {
            let turns = _mm512_mul_ps(x, _mm512_set1_ps(std::f32::consts::FRAC_2_PI));
            let n = _mm512_roundscale_ps::<0>(turns);
            let r = PARTS.iter().fold(x, |r, &part| _mm512_fnmadd_ps(n, _mm512_set1_ps(part), r));
            let quarters = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(offset));
            let bit = |bit| _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(bit));
            (F32x16(r), bit(1), bit(2))
        }
    }
}

impl Vector for F32x16 {
    type Mask = __mmask16;

    #[inline(always)]
    fn of(x: f32) -> Self {
        // SAFETY: AVX-512 is available, see the head of this file.
        F32x16(unsafe { _mm512_set1_ps(x) })
    }

    #[inline(always)]
    fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
        // SAFETY: AVX-512 is available, see the head of this file.
        F32x16(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }

    methods! {
        fma(self, by: Self, to: Self) -> Self { F32x16(_mm512_fmadd_ps(self.0, by.0, to.0)) }
        sqrt(self) -> Self { F32x16(_mm512_sqrt_ps(self.0)) }
        abs(self) -> Self { F32x16(_mm512_abs_ps(self.0)) }
        // The instructions return the second operand if either is NaN.
        min(self, other: f32) -> Self { F32x16(_mm512_min_ps(_mm512_set1_ps(other), self.0)) }
        max(self, other: f32) -> Self { F32x16(_mm512_max_ps(_mm512_set1_ps(other), self.0)) }
        copysign(self, sign: Self) -> Self {{
            let signs = _mm512_castps_si512(_mm512_set1_ps(-0.0));
            let (x, sign) = (_mm512_castps_si512(self.0), _mm512_castps_si512(sign.0));
            // Selects bits of `sign` where `signs` is set, else bits of `x`.
            F32x16(_mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0b1100_1010>(signs, sign, x)))
        }}
        round(self) -> Self { F32x16(_mm512_roundscale_ps::<0>(self.0)) }
        mul_pow2(self, n: Self) -> Self { F32x16(_mm512_scalef_ps(self.0, n.0)) }
        fast_div(self, by: Self) -> Self { F32x16(Self::quotient(self.0, by.0)) }
        divide(self, by: Self) -> Self { F32x16(_mm512_div_ps(self.0, by.0)) }
        truncate_mantissa(self) -> Self {{
            let bits = _mm512_castps_si512(self.0);
            let mask = _mm512_set1_epi32(0xffff_f000_u32 as i32);
            F32x16(_mm512_castsi512_ps(_mm512_and_si512(bits, mask)))
        }}
        frexp(self) -> (Self, Self) { Self::split_positive(self.0) }
        reduce_angle(self, offset: i32) -> (Self, __mmask16, __mmask16) {
            Self::reduce(self.0, offset)
        }
        less(self, than: Self) -> __mmask16 { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, than.0) }
    }
}
