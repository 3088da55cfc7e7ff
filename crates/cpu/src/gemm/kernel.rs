//! Microkernels: each computes a tile of C that stays in registers during the loop over `k`. They
//! are generic over [`Simd`] and compiled for each [`Level`] and each tile height up to `mr`, so
//! that edge tiles do no excess work and all panels can have equal height.
use super::source::Strided;
use crate::level::Level;
use crate::scratch::Pod;
use crate::simd::{BaseF32, BaseF64, Simd, prefetch, prefetch_far};
use std::array::from_fn;
use std::ops::{Add, Mul};

/// Arguments of one tile. Strides count elements.
pub(crate) struct TileArgs<T> {
    pub k: usize,
    pub a: *const T,
    /// For kernels of [`Kernels::rows`], the distance between rows of A, whose `k` is contiguous;
    /// for kernels of [`Kernels::columns`], the distance between steps of `k`.
    pub a_stride: isize,
    /// `k` rows of the kernel's full width, of which the first `cols` columns are used.
    pub b: *const T,
    pub b_k: isize,
    pub c: *mut T,
    pub c_row: usize,
    pub rows: usize,
    pub cols: usize,
    /// Whether to add to C rather than replace it.
    pub add: bool,
    /// `PREFETCH_RUNS` runs of `k` elements to prefetch. The addresses need not be valid.
    pub next: *const T,
    pub next_stride: isize,
}

/// A microkernel for `MR` rows and `NV` vectors of columns.
///
/// # Safety
/// - Level: the CPU supports the instructions that the kernel was compiled for.
/// - Bounds: `a` is valid for reads of `MR` rows of `k` elements with `a_stride`, even if `rows` is
///   smaller; `b` for `k` rows of the kernel's full width, `b_k` apart (for dot kernels: `cols`
///   columns of `k` elements, `b_k` apart, with `1 <= cols <= DOT_COLS`); `c` for reads and writes
///   of `rows` rows of `cols` elements, `c_row` apart. `cols` is at most the kernel's width.
/// - Initialization: A and B are initialized, and C too if `add` is set.
/// - Aliasing: during the call nothing else accesses these elements of C, nothing writes A or B,
///   and C overlaps neither.
pub(crate) type Kernel<T> = unsafe fn(&TileArgs<T>);
/// Kernels by height, then by width; see [`Kernels`].
pub(crate) type KernelTable<T> = &'static [&'static [Kernel<T>]];

/// The microkernels of one level. `rows[h - 1][v - 1]` computes tiles of `h` rows and `v` vectors
/// from rows of A that are contiguous in `k`; `columns` does so from contiguous columns of A, such
/// as those of a packed panel.
pub(crate) struct Kernels<T: 'static> {
    /// Elements of a vector.
    pub lanes: usize,
    pub rows: KernelTable<T>,
    pub columns: KernelTable<T>,
    /// For one or two rows of A and many columns: `wide[h - 1][0]` computes `wide_cols` columns.
    pub wide: KernelTable<T>,
    pub wide_cols: usize,
    /// Dot products: `dots[h - 1][0]` computes `h` rows of up to `DOT_COLS` columns. A and B have
    /// unit stride in `k`.
    pub dots: KernelTable<T>,
    /// See [`pack`](super::pack::pack).
    pub pack: unsafe fn(&super::pack::PackArgs<T>),
}

impl<T> Kernels<T> {
    /// Rows of the tallest tile.
    pub fn mr(&self) -> usize {
        self.rows.len()
    }

    /// The kernels that can read A in place, and their `a_stride`. `None` if neither its rows nor
    /// its columns are contiguous.
    pub fn for_a_in_place(&self, a: &Strided<T>) -> Option<(KernelTable<T>, isize)> {
        match (a.stride_i, a.stride_k) {
            (stride, 1) => Some((self.rows, stride)),
            (1, stride) => Some((self.columns, stride)),
            _ => None,
        }
    }

    /// Columns of the widest tile.
    pub fn nr(&self) -> usize {
        self.rows[0].len() * self.lanes
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;
/// Distance in rows of B between the row in use and the one being prefetched.
const PREFETCH_ROWS: isize = 8;
/// Number of runs at [`TileArgs::next`].
pub(crate) const PREFETCH_RUNS: usize = 4;
/// Columns that a dot kernel computes at a time.
pub(crate) const DOT_COLS: usize = 4;

/// Element types of matrix products.
pub trait Element:
    Pod
    + Default
    + Send
    + Sync
    + PartialEq
    + Add<Output = Self>
    + Mul<Output = Self>
    + super::source::Storage<Self>
{
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "only this crate calls kernels")]
    fn kernels(level: Level) -> &'static Kernels<Self>;
}

/// # Safety
/// As [`Kernel`], with `MR` rows and `NV` vectors.
#[inline(always)]
unsafe fn tile<V: Simd, const MR: usize, const NV: usize, const ROWS: bool>(t: &TileArgs<V::Elem>) {
    debug_assert!(t.rows <= MR && t.cols <= NV * V::LANES);
    // SAFETY: the contract covers all reads of A and B and the `rows` by `cols` elements of C;
    // prefetched addresses need not be valid.
    unsafe {
        let (a_row, a_k) = if ROWS { (t.a_stride, 1) } else { (1, t.a_stride) };
        for i in 0..MR.min(t.rows) {
            for j in 0..NV {
                prefetch(t.c.add(i * t.c_row + j * V::LANES));
            }
        }
        // Consecutive columns of a packed panel are adjacent and need no prefetch.
        let is_far = t.a_stride > MR as isize;
        let (mut a, mut b) = (t.a, t.b);
        let mut sums = [[V::splat(std::mem::zeroed()); NV]; MR];
        let mut step = || {
            let row: [V; NV] = from_fn(|j| V::load(b.add(j * V::LANES)));
            // Rows of B may be too far apart for the hardware prefetcher. Each line is prefetched
            // once, because a prefetch takes the slot of a load.
            for j in (0..NV).step_by((LINE / size_of::<V>()).max(1)) {
                prefetch(b.wrapping_offset(PREFETCH_ROWS * t.b_k).wrapping_add(j * V::LANES));
            }
            if !ROWS && is_far {
                let ahead = a.wrapping_offset(PREFETCH_ROWS * a_k);
                prefetch(ahead);
                prefetch(ahead.wrapping_add(MR - 1));
            }
            for (i, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*a.offset(i as isize * a_row));
                for (sum, &y) in sums.iter_mut().zip(&row) {
                    *sum = x.fma(y, *sum);
                }
            }
            a = a.offset(a_k);
            b = b.offset(t.b_k);
        };
        let next: [*const V::Elem; PREFETCH_RUNS] =
            from_fn(|i| t.next.wrapping_offset(i as isize * t.next_stride));
        for p in 0..t.k {
            prefetch_far(next[p % PREFETCH_RUNS].wrapping_add(p));
            step();
        }
        finish(t, &sums);
    }
}

/// Writes the sums to C.
///
/// # Safety
/// As [`Kernel`], as far as C is concerned.
#[inline(always)]
unsafe fn finish<V: Simd, const MR: usize, const NV: usize>(
    t: &TileArgs<V::Elem>,
    sums: &[[V; NV]; MR],
) {
    // SAFETY: only the `rows` by `cols` elements that the contract covers are accessed.
    unsafe {
        let is_whole = t.cols == NV * V::LANES;
        for (i, row) in sums.iter().enumerate() {
            if i >= t.rows {
                break;
            }
            for (j, &sum) in row.iter().enumerate() {
                let c = t.c.add(i * t.c_row + j * V::LANES);
                if is_whole {
                    (if t.add { sum.add(V::load(c)) } else { sum }).store(c);
                } else {
                    let count = t.cols.saturating_sub(j * V::LANES).min(V::LANES);
                    let sum = if t.add { sum.add(V::load_first(c, count)) } else { sum };
                    sum.store_first(c, count);
                }
            }
        }
    }
}

/// A tile of dot products: `MR` rows of A by up to `DOT_COLS` columns of B, both with unit stride
/// in `k`; `b_k` is the distance between columns.
///
/// # Safety
/// As [`Kernel`].
#[inline(always)]
unsafe fn dots<V: Simd, const MR: usize>(t: &TileArgs<V::Elem>)
where
    V::Elem: Add<Output = V::Elem>,
{
    debug_assert!((1..=DOT_COLS).contains(&t.cols));
    // SAFETY: columns beyond `cols` repeat the last one, and only `cols` columns of C are accessed.
    unsafe {
        let column = |j: usize| t.b.offset(j.min(t.cols - 1) as isize * t.b_k);
        let b: [*const V::Elem; DOT_COLS] = from_fn(column);
        let a: [*const V::Elem; MR] = from_fn(|i| t.a.offset(i as isize * t.a_stride));
        let mut sums = [[V::splat(std::mem::zeroed()); DOT_COLS]; MR];
        let mut p = 0;
        while p + V::LANES <= t.k {
            let y: [V; DOT_COLS] = from_fn(|j| V::load(b[j].add(p)));
            for i in 0..MR {
                let x = V::load(a[i].add(p));
                for j in 0..DOT_COLS {
                    sums[i][j] = x.fma(y[j], sums[i][j]);
                }
            }
            p += V::LANES;
        }
        if p < t.k {
            let y: [V; DOT_COLS] = from_fn(|j| V::load_first(b[j].add(p), t.k - p));
            for i in 0..MR {
                let x = V::load_first(a[i].add(p), t.k - p);
                for j in 0..DOT_COLS {
                    sums[i][j] = x.fma(y[j], sums[i][j]);
                }
            }
        }
        let mut totals = [[std::mem::zeroed(); DOT_COLS]; 4];
        let mut padded = [[V::splat(std::mem::zeroed()); DOT_COLS]; 4];
        padded[..MR].copy_from_slice(&sums);
        V::sums(padded.as_flattened(), totals.as_flattened_mut());
        for (i, row) in totals[..MR].iter().enumerate() {
            for (j, &sum) in row.iter().enumerate().take(t.cols) {
                let c = t.c.add(i * t.c_row + j);
                *c = if t.add { *c + sum } else { sum };
            }
        }
    }
}

/// The kernels of a level, for tiles of each of `heights` by each of `vectors`.
macro_rules! kernels {
    ($elem:ty, $vector:ty, $(features $features:literal,)?
     heights $heights:tt, vectors $vectors:tt, wide $wide:literal) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn run<const MR: usize, const NV: usize, const ROWS: bool>(t: &TileArgs<$elem>) {
            // SAFETY: upheld by the caller, see `Kernel`; the feature attribute enables `V`.
            unsafe { tile::<$vector, MR, NV, ROWS>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn dot<const MR: usize>(t: &TileArgs<$elem>) {
            // SAFETY: as above.
            unsafe { dots::<$vector, MR>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn pack(call: &super::pack::PackArgs<$elem>) {
            // SAFETY: upheld by the caller, see `pack::pack`.
            unsafe { super::pack::pack::<$vector>(call) }
        }
        static KERNELS: Kernels<$elem> = Kernels {
            lanes: <$vector as Simd>::LANES,
            rows: kernels!(@rows run true $heights $vectors),
            columns: kernels!(@rows run false $heights $vectors),
            wide: &[&[run::<1, $wide, true>], &[run::<2, $wide, true>]],
            wide_cols: $wide * <$vector as Simd>::LANES,
            dots: &[&[dot::<1>], &[dot::<2>], &[dot::<3>], &[dot::<4>]],
            pack,
        };
        &KERNELS
    }};
    (@rows $run:ident $rows:literal [$($height:literal)*] $vectors:tt) => {
        &[$(kernels!(@row $run $rows $height $vectors)),*]
    };
    (@row $run:ident $rows:literal $height:literal [$($vector:literal)*]) => {
        &[$($run::<$height, $vector, $rows>),*]
    };
}

macro_rules! element {
    ($elem:ty, $wide:ident, $half:ident, $base:ident) => {
        impl Element for $elem {
            #[expect(private_interfaces, reason = "only this crate calls kernels")]
            fn kernels(level: Level) -> &'static Kernels<Self> {
                #[cfg(target_arch = "x86_64")]
                {
                    use crate::simd::x86::{$half, $wide};
                    if level == Level::Avx512 {
                        return kernels!(
                            $elem, $wide, features "avx512f,avx512vl,avx512bw,avx512dq,fma,bmi2",
                            heights [1 2 3 4 5 6 7 8 9 10 11 12 13 14], vectors [1 2], wide 8
                        );
                    }
                    if level == Level::Avx2 {
                        return kernels!(
                            $elem, $half, features "avx2,fma,f16c,bmi2",
                            heights [1 2 3 4 5 6], vectors [1 2], wide 4
                        );
                    }
                }
                let _ = level;
                #[cfg(target_arch = "aarch64")]
                return kernels!($elem, $base, heights [1 2 3 4 5 6], vectors [1 2 3 4], wide 8);
                #[cfg(not(target_arch = "aarch64"))]
                return kernels!($elem, $base, heights [1 2 3 4], vectors [1 2], wide 4);
            }
        }
    };
}

element!(f32, F32x16, F32x8, BaseF32);
element!(f64, F64x8, F64x4, BaseF64);
