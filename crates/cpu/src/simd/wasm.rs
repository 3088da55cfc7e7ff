//! Wasm simd128 vectors. `fma` is fused only in builds with relaxed-simd.
use super::Simd;
use std::arch::wasm32::*;

macro_rules! wasm {
    ($name:ident, $elem:ty, $lanes:literal, $splat:ident, $add:ident, $mul:ident, $madd:ident) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(v128);

        // SAFETY: this module exists only in builds with simd128; valid pointers are part of the
        // contract of each method.
        unsafe impl Simd for $name {
            type Elem = $elem;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                Self($splat(x))
            }

            #[inline(always)]
            unsafe fn load(from: *const $elem) -> Self {
                // SAFETY: upheld by the caller.
                Self(unsafe { v128_load(from.cast()) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $elem) {
                // SAFETY: upheld by the caller.
                unsafe { v128_store(to.cast(), self.0) }
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
                Self($add(self.0, other.0))
            }

            #[cfg(not(target_feature = "relaxed-simd"))]
            #[inline(always)]
            unsafe fn fma(self, by: Self, to: Self) -> Self {
                Self($add($mul(self.0, by.0), to.0))
            }

            #[cfg(target_feature = "relaxed-simd")]
            #[inline(always)]
            unsafe fn fma(self, by: Self, to: Self) -> Self {
                Self($madd(self.0, by.0, to.0))
            }

            #[inline(always)]
            unsafe fn sum(self) -> $elem {
                let mut lanes = [0.0; $lanes];
                // SAFETY: the array has `LANES` elements.
                unsafe { self.store(lanes.as_mut_ptr()) };
                lanes.iter().sum()
            }
        }
    };
}

wasm!(F32, f32, 4, f32x4_splat, f32x4_add, f32x4_mul, f32x4_relaxed_madd);
wasm!(F64, f64, 2, f64x2_splat, f64x2_add, f64x2_mul, f64x2_relaxed_madd);
