//! SIMD vectors, for kernels that are written once and compiled for each [`Level`]: generic bodies
//! are `#[inline(always)]` and are compiled inside functions with target features.
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
/// Implementations access exactly the lanes that the methods document.
///
/// All methods are `unsafe`, with this contract, to which some add bounds:
/// - Level: the CPU supports the instructions of the implementing type.
/// - Pointers are valid for the lanes that are read or written. No alignment is needed.
/// - Initialization: elements that are read are initialized.
/// - Aliasing: during the call, no other thread writes what is read or accesses what is written.
pub(crate) unsafe trait Simd: Copy {
    type Elem: Copy;
    const LANES: usize;

    /// # Safety
    /// As [`Simd`].
    unsafe fn splat(x: Self::Elem) -> Self;
    /// # Safety
    /// As [`Simd`], for `LANES` elements.
    unsafe fn load(from: *const Self::Elem) -> Self;
    /// # Safety
    /// As [`Simd`], for `LANES` elements.
    unsafe fn store(self, to: *mut Self::Elem);
    /// Loads the first `count` lanes; the others are zero.
    ///
    /// # Safety
    /// As [`Simd`], for `count` elements. `count <= LANES`.
    unsafe fn load_first(from: *const Self::Elem, count: usize) -> Self;
    /// Stores the first `count` lanes.
    ///
    /// # Safety
    /// As [`Simd`], for `count` elements. `count <= LANES`.
    unsafe fn store_first(self, to: *mut Self::Elem, count: usize);
    /// # Safety
    /// As [`Simd`].
    unsafe fn add(self, other: Self) -> Self;
    /// `self · by + to`, rounded once if the CPU has a fused instruction.
    ///
    /// # Safety
    /// As [`Simd`].
    unsafe fn fma(self, by: Self, to: Self) -> Self;
    /// The sum of all lanes, in a fixed order.
    ///
    /// # Safety
    /// As [`Simd`].
    unsafe fn sum(self) -> Self::Elem;

    /// The sums of 16 vectors.
    ///
    /// # Safety
    /// As [`Simd`]. Some implementations panic if there are not 16 vectors and 16 sums.
    #[inline(always)]
    unsafe fn sums(vectors: &[Self], to: &mut [Self::Elem]) {
        for (to, vector) in to.iter_mut().zip(vectors) {
            // SAFETY: upheld by the caller.
            *to = unsafe { vector.sum() };
        }
    }

    /// Transposes a block: run `i < rows` of `LANES` elements at `from + i · from_stride` becomes
    /// element `i` of each of the `LANES` runs at `to + p · to_stride`.
    ///
    /// # Safety
    /// As [`Simd`]. `rows <= LANES`; `from` is valid for reads of `rows` runs of `LANES` elements,
    /// `to` for writes of `LANES` runs of `rows` elements, and the two do not overlap.
    #[inline(always)]
    unsafe fn transpose(
        from: *const Self::Elem,
        from_stride: isize,
        rows: usize,
        to: *mut Self::Elem,
        to_stride: usize,
    ) {
        debug_assert!(rows <= Self::LANES);
        for p in 0..Self::LANES {
            for i in 0..rows {
                // SAFETY: both elements are inside the blocks that the contract covers.
                unsafe {
                    *to.add(p * to_stride + i) = *from.offset(i as isize * from_stride).add(p)
                };
            }
        }
    }
}

/// Prefetches the cache line at `at` into L1. The address need not be valid.
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

/// Prefetches the cache line at `at` into L2. The address need not be valid.
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
