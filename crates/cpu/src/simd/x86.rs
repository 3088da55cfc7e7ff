//! AVX2 and AVX-512 vectors.
use super::Simd;
use std::arch::x86_64::*;

macro_rules! wide {
    ($name:ident, $elem:ty, $vector:ty, $lanes:literal, $mask:ty, $splat:ident, $load:ident,
     $store:ident, $load_mask:ident, $store_mask:ident, $add:ident, $fma:ident, $sum:ident, $($sums:ident, $transpose:ident)?) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(pub $vector);

        // SAFETY: each intrinsic accesses exactly the documented lanes. AVX-512 and valid pointers
        // are part of the contract of each method.
        unsafe impl Simd for $name {
            type Elem = $elem;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                // SAFETY: upheld by the caller.
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
                // SAFETY: masked lanes are not read; the caller guarantees the others.
                Self(unsafe { $load_mask(((1u32 << count) - 1) as $mask, from) })
            }

            #[inline(always)]
            unsafe fn store_first(self, to: *mut $elem, count: usize) {
                debug_assert!(count <= $lanes);
                // SAFETY: masked lanes are not written; the caller guarantees the others.
                unsafe { $store_mask(to, ((1u32 << count) - 1) as $mask, self.0) }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: upheld by the caller.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn fma(self, by: Self, to: Self) -> Self {
                // SAFETY: upheld by the caller.
                Self(unsafe { $fma(self.0, by.0, to.0) })
            }

            #[inline(always)]
            unsafe fn sum(self) -> $elem {
                // SAFETY: upheld by the caller.
                unsafe { $sum(self.0) }
            }

            $(
                #[inline(always)]
                unsafe fn sums(vectors: &[Self], to: &mut [$elem]) {
                    // SAFETY: upheld by the caller.
                    unsafe { $sums(vectors, to) }
                }

                #[inline(always)]
                unsafe fn transpose(
                    from: *const $elem,
                    from_stride: isize,
                    rows: usize,
                    to: *mut $elem,
                    to_stride: usize,
                ) {
                    // SAFETY: upheld by the caller.
                    unsafe { $transpose(from, from_stride, rows, to, to_stride) }
                }
            )?
        }
    };
}

wide!(
    F32x16,
    f32,
    __m512,
    16,
    __mmask16,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_maskz_loadu_ps,
    _mm512_mask_storeu_ps,
    _mm512_add_ps,
    _mm512_fmadd_ps,
    _mm512_reduce_add_ps,
    sums_16,
    transpose_16
);
wide!(
    F64x8,
    f64,
    __m512d,
    8,
    __mmask8,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_maskz_loadu_pd,
    _mm512_mask_storeu_pd,
    _mm512_add_pd,
    _mm512_fmadd_pd,
    _mm512_reduce_add_pd,
);

/// Mask table: the 8 words from index `8 - count` on have the first `count` words set.
const ONES: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

macro_rules! half {
    ($name:ident, $elem:ty, $vector:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident,
     $load_mask:ident, $store_mask:ident, $add:ident, $fma:ident, $($transpose:ident)?) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name(pub $vector);

        impl $name {
            /// The mask of the first `count` lanes.
            ///
            /// # Safety
            /// The CPU supports AVX. Panics if `count > LANES`.
            #[inline(always)]
            unsafe fn first(count: usize) -> __m256i {
                const WORDS: usize = 8 / $lanes;
                let at = ONES[8 - count * WORDS..].as_ptr().cast();
                // SAFETY: `count <= LANES`, so at least 8 words follow; the caller guarantees AVX.
                unsafe { _mm256_loadu_si256(at) }
            }
        }

        // SAFETY: each intrinsic accesses exactly the documented lanes. AVX2, FMA and valid
        // pointers are part of the contract of each method.
        unsafe impl Simd for $name {
            type Elem = $elem;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                // SAFETY: upheld by the caller.
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
                // SAFETY: masked lanes are not read; the caller guarantees the others.
                Self(unsafe { $load_mask(from, Self::first(count)) })
            }

            #[inline(always)]
            unsafe fn store_first(self, to: *mut $elem, count: usize) {
                debug_assert!(count <= $lanes);
                // SAFETY: masked lanes are not written; the caller guarantees the others.
                unsafe { $store_mask(to, Self::first(count), self.0) }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: upheld by the caller.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn fma(self, by: Self, to: Self) -> Self {
                // SAFETY: upheld by the caller.
                Self(unsafe { $fma(self.0, by.0, to.0) })
            }

            #[inline(always)]
            unsafe fn sum(self) -> $elem {
                // SAFETY: a vector has the layout of an array of its lanes.
                let lanes: [$elem; $lanes] = unsafe { std::mem::transmute(self.0) };
                let (low, high) = lanes.split_at($lanes / 2);
                low.iter().zip(high).map(|(a, b)| a + b).sum()
            }

            $(
                #[inline(always)]
                unsafe fn transpose(
                    from: *const $elem,
                    from_stride: isize,
                    rows: usize,
                    to: *mut $elem,
                    to_stride: usize,
                ) {
                    // SAFETY: upheld by the caller.
                    unsafe { $transpose(from, from_stride, rows, to, to_stride) }
                }
            )?
        }
    };
}

half!(
    F32x8,
    f32,
    __m256,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_maskload_ps,
    _mm256_maskstore_ps,
    _mm256_add_ps,
    _mm256_fmadd_ps,
    transpose_8
);
half!(
    F64x4,
    f64,
    __m256d,
    4,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_maskload_pd,
    _mm256_maskstore_pd,
    _mm256_add_pd,
    _mm256_fmadd_pd,
);

/// [`Simd::transpose`] of 16 by 16: exchanges pairs, quads, then quarters of the vectors.
///
/// # Safety
/// As [`Simd::transpose`], with AVX-512.
#[inline(always)]
unsafe fn transpose_16(
    from: *const f32,
    from_stride: isize,
    rows: usize,
    to: *mut f32,
    to_stride: usize,
) {
    debug_assert!(rows <= 16);
    // SAFETY: upheld by the caller; rows from `rows` on are neither read nor written.
    unsafe {
        let mut r = [_mm512_setzero_ps(); 16];
        for (i, row) in r.iter_mut().enumerate() {
            if i < rows {
                *row = _mm512_loadu_ps(from.offset(i as isize * from_stride));
            }
        }
        let mut t = [_mm512_setzero_pd(); 16];
        for i in 0..8 {
            t[2 * i] = _mm512_castps_pd(_mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]));
            t[2 * i + 1] = _mm512_castps_pd(_mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]));
        }
        for i in 0..4 {
            for h in 0..2 {
                let (low, high) = (t[4 * i + h], t[4 * i + 2 + h]);
                r[4 * i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
                r[4 * i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
            }
        }
        // r[4i + q] now holds columns q, q + 4, q + 8, q + 12 of rows 4i .. 4i + 4.
        let store =
            |p: usize, column: __m512| F32x16(column).store_first(to.add(p * to_stride), rows);
        for q in 0..4 {
            let a = _mm512_shuffle_f32x4::<0b10_00_10_00>(r[q], r[4 + q]);
            let b = _mm512_shuffle_f32x4::<0b11_01_11_01>(r[q], r[4 + q]);
            let c = _mm512_shuffle_f32x4::<0b10_00_10_00>(r[8 + q], r[12 + q]);
            let d = _mm512_shuffle_f32x4::<0b11_01_11_01>(r[8 + q], r[12 + q]);
            store(q, _mm512_shuffle_f32x4::<0b10_00_10_00>(a, c));
            store(q + 4, _mm512_shuffle_f32x4::<0b10_00_10_00>(b, d));
            store(q + 8, _mm512_shuffle_f32x4::<0b11_01_11_01>(a, c));
            store(q + 12, _mm512_shuffle_f32x4::<0b11_01_11_01>(b, d));
        }
    }
}

/// [`Simd::sums`]: exchanges halves of the vectors and adds them until each lane is a sum.
///
/// # Safety
/// The CPU supports AVX-512. Panics if there are not 16 vectors and 16 sums.
#[inline(always)]
unsafe fn sums_16(vectors: &[F32x16], to: &mut [f32]) {
    assert!(vectors.len() == 16 && to.len() == 16);
    // SAFETY: the caller guarantees AVX-512; `to` has 16 elements.
    unsafe {
        let zero = _mm512_setzero_ps();
        let (mut eight, mut four) = ([zero; 8], [zero; 4]);
        for i in 0..8 {
            let (a, b) = (vectors[2 * i].0, vectors[2 * i + 1].0);
            eight[i] = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        }
        for i in 0..4 {
            let (a, b) = (_mm512_castps_pd(eight[2 * i]), _mm512_castps_pd(eight[2 * i + 1]));
            let (low, high) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            four[i] = _mm512_add_ps(_mm512_castpd_ps(low), _mm512_castpd_ps(high));
        }
        let halves = |a: __m512, b: __m512| {
            let even = _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b);
            _mm512_add_ps(even, _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b))
        };
        let all = halves(halves(four[0], four[1]), halves(four[2], four[3]));
        _mm512_storeu_ps(to.as_mut_ptr(), all);
    }
}

/// [`Simd::transpose`] of 8 by 8.
///
/// # Safety
/// As [`Simd::transpose`], with AVX2.
#[inline(always)]
unsafe fn transpose_8(
    from: *const f32,
    from_stride: isize,
    rows: usize,
    to: *mut f32,
    to_stride: usize,
) {
    debug_assert!(rows <= 8);
    // SAFETY: upheld by the caller; rows from `rows` on are neither read nor written.
    unsafe {
        let mut r = [_mm256_setzero_ps(); 8];
        for (i, row) in r.iter_mut().enumerate() {
            if i < rows {
                *row = _mm256_loadu_ps(from.offset(i as isize * from_stride));
            }
        }
        let mut t = [_mm256_setzero_pd(); 8];
        for i in 0..4 {
            t[2 * i] = _mm256_castps_pd(_mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]));
            t[2 * i + 1] = _mm256_castps_pd(_mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]));
        }
        for i in 0..2 {
            for h in 0..2 {
                let (low, high) = (t[4 * i + h], t[4 * i + 2 + h]);
                r[4 * i + 2 * h] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, high));
                r[4 * i + 2 * h + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, high));
            }
        }
        // r[4i + q] now holds columns q and q + 4 of rows 4i .. 4i + 4.
        let store = |p: usize, column: __m256| {
            let to = to.add(p * to_stride);
            if rows == 8 {
                _mm256_storeu_ps(to, column)
            } else {
                F32x8(column).store_first(to, rows)
            }
        };
        for q in 0..4 {
            store(q, _mm256_permute2f128_ps::<0x20>(r[q], r[4 + q]));
            store(q + 4, _mm256_permute2f128_ps::<0x31>(r[q], r[4 + q]));
        }
    }
}
