//! NEON vectors. Every 64-bit ARM CPU has NEON.
use super::Simd;
use std::arch::aarch64::*;

macro_rules! neon {
    ($name:ident, $elem:ty, $vector:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident,
     $add:ident, $fma:ident, $sum:ident) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($vector);

        // SAFETY: NEON is part of the baseline; valid pointers are part of the contract of each
        // method.
        unsafe impl Simd for $name {
            type Elem = $elem;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                // SAFETY: NEON is part of the baseline.
                Self(unsafe { $splat(x) })
            }

            #[inline(always)]
            unsafe fn load(from: *const $elem) -> Self {
                // SAFETY: upheld by the caller.
                Self(unsafe { $load(from) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $elem) {
                // SAFETY: upheld by the caller.
                unsafe { $store(to, self.0) }
            }

            #[inline(always)]
            unsafe fn load_first(from: *const $elem, count: usize) -> Self {
                debug_assert!(count <= $lanes);
                let mut lanes = [0.0; $lanes];
                // SAFETY: upheld by the caller; the array holds `count <= LANES` elements.
                unsafe {
                    std::ptr::copy_nonoverlapping(from, lanes.as_mut_ptr(), count);
                    Self::load(lanes.as_ptr())
                }
            }

            #[inline(always)]
            unsafe fn store_first(self, to: *mut $elem, count: usize) {
                debug_assert!(count <= $lanes);
                let mut lanes = [0.0; $lanes];
                // SAFETY: upheld by the caller; the array holds `count <= LANES` elements.
                unsafe {
                    self.store(lanes.as_mut_ptr());
                    std::ptr::copy_nonoverlapping(lanes.as_ptr(), to, count);
                }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: NEON is part of the baseline.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn fma(self, by: Self, to: Self) -> Self {
                // SAFETY: NEON is part of the baseline.
                Self(unsafe { $fma(to.0, self.0, by.0) })
            }

            #[inline(always)]
            unsafe fn sum(self) -> $elem {
                // SAFETY: NEON is part of the baseline.
                unsafe { $sum(self.0) }
            }
        }
    };
}

neon!(
    F32,
    f32,
    float32x4_t,
    4,
    vdupq_n_f32,
    vld1q_f32,
    vst1q_f32,
    vaddq_f32,
    vfmaq_f32,
    vaddvq_f32
);
neon!(
    F64,
    f64,
    float64x2_t,
    2,
    vdupq_n_f64,
    vld1q_f64,
    vst1q_f64,
    vaddq_f64,
    vfmaq_f64,
    vaddvq_f64
);
