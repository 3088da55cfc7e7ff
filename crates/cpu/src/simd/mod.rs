//! One vector of numbers, for kernels that are written once and compiled for each [`Level`]: their
//! bodies are `#[inline(always)]` and become real code inside functions with target features.
//!
//! [`Level`]: crate::Level
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
#[cfg(not(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128"))))]
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

/// The vectors of [`Level::Baseline`](crate::Level::Baseline).
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{F32 as BaseF32, F64 as BaseF64};
#[cfg(not(any(
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) use portable::{F32 as BaseF32, F64 as BaseF64};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm::{F32 as BaseF32, F64 as BaseF64};

/// A vector of `LANES` elements.
///
/// # Safety
/// Every method may be called only where the instructions of the implementing type exist, and
/// pointers must be valid for the lanes that are read or written; no alignment is needed.
pub(crate) unsafe trait Simd: Copy {
    type Elem: Copy;
    const LANES: usize;

    unsafe fn splat(x: Self::Elem) -> Self;
    unsafe fn load(from: *const Self::Elem) -> Self;
    unsafe fn store(self, to: *mut Self::Elem);
    /// The first `count` lanes; the others are zero.
    unsafe fn load_first(from: *const Self::Elem, count: usize) -> Self;
    unsafe fn store_first(self, to: *mut Self::Elem, count: usize);
    unsafe fn add(self, other: Self) -> Self;
    /// `self · by + to`, rounded once where the machine can.
    unsafe fn fma(self, by: Self, to: Self) -> Self;
    /// The sum of all lanes, in a fixed order.
    unsafe fn sum(self) -> Self::Elem;

    /// The sums of 16 vectors.
    #[inline(always)]
    unsafe fn sums(vectors: &[Self], to: &mut [Self::Elem]) {
        for (to, vector) in to.iter_mut().zip(vectors) {
            // SAFETY: the caller's promise.
            *to = unsafe { vector.sum() };
        }
    }

    /// Transposes a block: run `i < rows` of `LANES` elements at `from + i · from_stride` becomes
    /// element `i` of the `LANES` runs at `to + p · to_stride`. `rows <= LANES`.
    #[inline(always)]
    unsafe fn transpose(
        from: *const Self::Elem,
        from_stride: isize,
        rows: usize,
        to: *mut Self::Elem,
        to_stride: usize,
    ) {
        for p in 0..Self::LANES {
            for i in 0..rows {
                // SAFETY: the caller promises both blocks.
                unsafe {
                    *to.add(p * to_stride + i) = *from.offset(i as isize * from_stride).add(p)
                };
            }
        }
    }
}

/// Asks for the cache line at `at`, which need not be valid.
#[inline(always)]
pub(crate) fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching is a hint and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Like [`prefetch`], but leaves L1 as it is.
#[inline(always)]
pub(crate) fn prefetch_far<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching is a hint and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
