//! Microkernels of convolutions, generic over [`Simd`] and compiled for each [`Level`].
use crate::gemm::pack;
use crate::level::Level;
use crate::simd::{BaseF32, Simd};
use std::array::from_fn;

/// Arguments of a tile of output channels by adjacent positions. Position `i` reads
/// `b[offsets[k] + i]` for each `k`, and channel `r` multiplies it by `a[k · height + r]`.
pub(super) struct TileArgs {
    pub k: usize,
    pub a: *const f32,
    pub offsets: *const isize,
    pub b: *const f32,
    pub c: *mut f32,
    pub c_row: usize,
    /// Number of channels that are written.
    pub rows: usize,
    /// Whether to add to C rather than replace it.
    pub add: bool,
}

/// Arguments of sums with output channels as lanes. Row `i` reads inputs from `rows[i]` on,
/// `counts` of them per level of the loop nest, `steps` apart. Each input is multiplied by the next
/// vectors of `b`.
pub(super) struct OuterArgs {
    pub rows: [*const f32; MAX_ROWS],
    pub counts: [usize; 3],
    pub steps: [isize; 3],
    pub b: *const f32,
    /// Distances in `b` of the two outer loops; unused if `b` is packed.
    pub b_steps: [isize; 2],
    /// The sums, which are added to.
    pub c: *mut f32,
    pub c_row: usize,
}

/// Maximum rows of an outer kernel: with more, the row pointers would not fit the registers.
pub(super) const MAX_ROWS: usize = 9;

/// Arguments of a copy: `count` rows of `len` elements.
pub(super) struct CopyArgs {
    pub from: *const f32,
    pub from_row: isize,
    pub to: *mut f32,
    pub to_row: usize,
    pub count: usize,
    pub len: usize,
}

type Table<T> = &'static [unsafe fn(&T)];

/// The microkernels of one level.
///
/// All are unsafe, with this contract:
/// - Level: the CPU supports the instructions that the kernel was compiled for.
/// - Bounds: every element that the documented loops read or write is inside its buffer. Tiles read
///   all positions of the kernel's width and write them for `rows` channels; outer kernels read and
///   write whole vectors of channels.
/// - Initialization: operands are initialized, and so are sums that are added to.
/// - Aliasing: nothing else accesses the destination during the call, nothing writes the operands,
///   and they do not overlap.
pub(super) struct Kernels {
    pub lanes: usize,
    /// `[r - 1]` computes `r` channels at `2 · lanes` positions.
    pub tall: Table<TileArgs>,
    /// `[r - 1]` computes `r` channels at `4 · lanes` positions.
    pub flat: Table<TileArgs>,
    /// `(v, kernels)`: `kernels[r - 1]` computes `r` rows of `v · lanes` channels. Widest first.
    pub outer: &'static [(usize, Table<OuterArgs>)],
    /// `[r - 1]` computes `r` rows of one channel, with elements of the innermost loop as lanes.
    /// They must be contiguous in the inputs and in `b`.
    pub dots: Table<OuterArgs>,
    /// Copies rows with contiguous elements.
    pub copy: unsafe fn(&CopyArgs),
    /// See [`pack::pack`].
    pub pack: unsafe fn(&pack::PackArgs<f32>),
}

/// # Safety
/// As [`Kernels`], for `MR` channels and `NV` vectors of positions.
#[inline(always)]
unsafe fn tile<V: Simd<Elem = f32>, const MR: usize, const NV: usize>(t: &TileArgs) {
    debug_assert!(t.rows <= MR);
    // SAFETY: upheld by the caller.
    unsafe {
        let mut sums = [[V::splat(0.0); NV]; MR];
        let (mut a, mut offset) = (t.a, t.offsets);
        for _ in 0..t.k {
            let b = t.b.offset(*offset);
            let row: [V; NV] = from_fn(|j| V::load(b.add(j * V::LANES)));
            for (i, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*a.add(i));
                for (sum, &y) in sums.iter_mut().zip(&row) {
                    *sum = x.fma(y, *sum);
                }
            }
            a = a.add(MR);
            offset = offset.add(1);
        }
        for (i, row) in sums.iter().enumerate() {
            if i >= t.rows {
                break;
            }
            for (j, &sum) in row.iter().enumerate() {
                let c = t.c.add(i * t.c_row + j * V::LANES);
                (if t.add { sum.add(V::load(c)) } else { sum }).store(c);
            }
        }
    }
}

/// # Safety
/// As [`Kernels`], for `MR` rows and `NV` vectors of channels.
#[inline(always)]
unsafe fn outer<V: Simd<Elem = f32>, const MR: usize, const NV: usize>(t: &OuterArgs) {
    // SAFETY: upheld by the caller.
    unsafe {
        let mut sums = [[V::splat(0.0); NV]; MR];
        let mut b = t.b;
        for n in 0..t.counts[0] as isize {
            for y in 0..t.counts[1] as isize {
                let at = n * t.steps[0] + y * t.steps[1];
                let rows: [*const f32; MR] = from_fn(|i| t.rows[i].offset(at));
                let mut x = 0;
                for _ in 0..t.counts[2] {
                    let vectors: [V; NV] = from_fn(|j| V::load(b.add(j * V::LANES)));
                    for (sums, row) in sums.iter_mut().zip(&rows) {
                        let value = V::splat(*row.offset(x));
                        for (sum, &vector) in sums.iter_mut().zip(&vectors) {
                            *sum = value.fma(vector, *sum);
                        }
                    }
                    x += t.steps[2];
                    b = b.add(NV * V::LANES);
                }
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, &sum) in row.iter().enumerate() {
                let c = t.c.add(i * t.c_row + j * V::LANES);
                sum.add(V::load(c)).store(c);
            }
        }
    }
}

/// # Safety
/// As [`Kernels`], for `MR` rows of one channel.
#[inline(always)]
unsafe fn dots<V: Simd<Elem = f32>, const MR: usize>(t: &OuterArgs) {
    // SAFETY: upheld by the caller.
    unsafe {
        let mut sums = [V::splat(0.0); MR];
        let whole = t.counts[2] - t.counts[2] % V::LANES;
        for n in 0..t.counts[0] as isize {
            for y in 0..t.counts[1] as isize {
                let b = t.b.offset(n * t.b_steps[0] + y * t.b_steps[1]);
                let at = n * t.steps[0] + y * t.steps[1];
                let rows: [*const f32; MR] = from_fn(|i| t.rows[i].offset(at));
                let mut x = 0;
                while x < whole {
                    let weights = V::load(b.add(x));
                    for (sum, row) in sums.iter_mut().zip(&rows) {
                        *sum = V::load(row.add(x)).fma(weights, *sum);
                    }
                    x += V::LANES;
                }
                let left = t.counts[2] - whole;
                if left > 0 {
                    let weights = V::load_first(b.add(x), left);
                    for (sum, row) in sums.iter_mut().zip(&rows) {
                        *sum = V::load_first(row.add(x), left).fma(weights, *sum);
                    }
                }
            }
        }
        for (i, sum) in sums.iter().enumerate() {
            *t.c.add(i * t.c_row) += sum.sum();
        }
    }
}

/// # Safety
/// As [`Kernels`].
#[inline(always)]
unsafe fn copy<V: Simd<Elem = f32>>(t: &CopyArgs) {
    // SAFETY: upheld by the caller.
    unsafe {
        let whole = t.len - t.len % V::LANES;
        for row in 0..t.count {
            let (from, to) = (t.from.offset(row as isize * t.from_row), t.to.add(row * t.to_row));
            let mut i = 0;
            while i < whole {
                V::load(from.add(i)).store(to.add(i));
                i += V::LANES;
            }
            if i < t.len {
                V::load_first(from.add(i), t.len - i).store_first(to.add(i), t.len - i);
            }
        }
    }
}

macro_rules! kernels {
    ($vector:ty, $(features $features:literal,)? tall $tall:tt, flat $flat:tt,
     outer [$($vectors:literal: $heights:tt),*]) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn tiles<const MR: usize, const NV: usize>(t: &TileArgs) {
            // SAFETY: upheld by the caller, see `tile`.
            unsafe { tile::<$vector, MR, NV>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn outers<const MR: usize, const NV: usize>(t: &OuterArgs) {
            // SAFETY: upheld by the caller, see `outer`.
            unsafe { outer::<$vector, MR, NV>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn sums<const MR: usize>(t: &OuterArgs) {
            // SAFETY: upheld by the caller, see `dots`.
            unsafe { dots::<$vector, MR>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn rows(t: &CopyArgs) {
            // SAFETY: upheld by the caller, see `copy`.
            unsafe { copy::<$vector>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn panels(call: &pack::PackArgs<f32>) {
            // SAFETY: upheld by the caller, see `pack::pack`.
            unsafe { pack::pack::<$vector>(call) }
        }
        static KERNELS: Kernels = Kernels {
            lanes: <$vector as Simd>::LANES,
            tall: kernels!(@heights tiles 2 $tall),
            flat: kernels!(@heights tiles 4 $flat),
            outer: &[$(($vectors, kernels!(@heights outers $vectors $heights))),*],
            dots: &[
                sums::<1>, sums::<2>, sums::<3>, sums::<4>, sums::<5>, sums::<6>, sums::<7>,
                sums::<8>, sums::<9>,
            ],
            copy: rows,
            pack: panels,
        };
        &KERNELS
    }};
    (@heights $run:ident $vectors:literal [$($height:literal)*]) => {
        &[$($run::<$height, $vectors>),*]
    };
}

impl Kernels {
    pub fn of(level: Level) -> &'static Kernels {
        #[cfg(target_arch = "x86_64")]
        {
            use crate::simd::x86::{F32x8, F32x16};
            if level == Level::Avx512 {
                return kernels!(
                    F32x16, features "avx512f,avx512vl,avx512bw,avx512dq,fma,bmi2",
                    tall [1 2 3 4 5 6 7 8 9 10 11 12 13 14], flat [1 2 3 4 5 6],
                    outer [4: [1 2 3 4 5 6], 2: [1 2 3 4 5 6 7 8 9], 1: [1 2 3 4 5 6 7 8 9]]
                );
            }
            if level == Level::Avx2 {
                return kernels!(
                    F32x8, features "avx2,fma,f16c,bmi2",
                    tall [1 2 3 4 5 6], flat [1 2],
                    outer [2: [1 2 3 4 5 6], 1: [1 2 3 4 5 6 7 8 9]]
                );
            }
        }
        let _ = level;
        #[cfg(target_arch = "aarch64")]
        return kernels!(
            BaseF32, tall [1 2 3 4 5 6 7 8 9 10 11 12], flat [1 2 3 4 5 6],
            outer [4: [1 2 3 4 5 6], 2: [1 2 3 4 5 6 7 8 9], 1: [1 2 3 4 5 6 7 8 9]]
        );
        #[cfg(not(target_arch = "aarch64"))]
        return kernels!(
            BaseF32, tall [1 2 3 4], flat [1 2],
            outer [2: [1 2 3 4], 1: [1 2 3 4 5 6 7 8 9]]
        );
    }
}
