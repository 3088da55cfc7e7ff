//! The innermost loop: a tile of C that stays in registers while `k` runs. Written once over
//! [`Simd`], compiled for each [`Level`] and each height up to `mr`, so that an edge costs no more
//! than its share and panels of any height can be even.
use super::source::Strided;
use crate::level::Level;
use crate::scratch::Number;
use crate::simd::{BaseF32, BaseF64, Simd, prefetch, prefetch_far};
use std::array::from_fn;
use std::ops::{Add, Mul};

/// What one tile needs. Strides count elements.
pub(crate) struct Call<T> {
    pub k: usize,
    pub a: *const T,
    /// Distance of two rows of A for kernels of `rows`, whose `k` is contiguous, and of two steps of
    /// `k` for kernels of `columns`.
    pub a_stride: isize,
    /// `k` rows of as many columns as the kernel has, of which `cols` matter.
    pub b: *const T,
    pub b_k: isize,
    pub c: *mut T,
    pub c_row: usize,
    pub rows: usize,
    pub cols: usize,
    /// Whether to add to C rather than replace it.
    pub add: bool,
    /// `AHEAD_ROWS` runs of `k` elements that will be wanted soon; they need not be valid.
    pub next: *const T,
    pub next_stride: isize,
}

pub(crate) type Kernel<T> = unsafe fn(&Call<T>);
/// Streams of `k`, columns and outputs of the skinny kernels; see `skinny`.
pub(crate) type Table<T> = &'static [&'static [Kernel<T>]];

/// The kernels of one level. `rows[h - 1][v - 1]` makes tiles of `h` rows and `v` vectors from rows of
/// A that are contiguous in `k`, `columns` from columns of A, such as those of a packed panel.
pub(crate) struct Kernels<T: 'static> {
    pub lanes: usize,
    pub rows: Table<T>,
    pub columns: Table<T>,
    /// One or two rows of A and many columns: `wide[h - 1][0]` makes `wide_cols` of them.
    pub wide: Table<T>,
    pub wide_cols: usize,
    /// Dot products: `dots[h - 1][0]` makes `h` rows of `DOT_COLS` columns, both with unit stride in k.
    pub dots: Table<T>,
    pub pack: unsafe fn(&super::pack::Call<T>),
}

impl<T> Kernels<T> {
    /// Rows of the highest tile.
    pub fn mr(&self) -> usize {
        self.rows.len()
    }

    /// The kernels that read A where it lies, and the stride for them; none if neither its rows nor
    /// its columns are contiguous.
    pub fn reading(&self, a: &Strided<T>) -> Option<(Table<T>, isize)> {
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

/// Bytes of a line of the caches.
const LINE: usize = 64;
/// Rows of B between the one in use and the one asked for.
const AHEAD: isize = 8;
/// Runs of [`Call::next`].
pub(crate) const AHEAD_ROWS: usize = 4;
/// Columns that one dot kernel makes at a time.
pub(crate) const DOT_COLS: usize = 4;

/// Number types that matrices are multiplied in.
pub trait Element:
    Number
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

#[inline(always)]
unsafe fn tile<V: Simd, const MR: usize, const NV: usize, const ROWS: bool>(t: &Call<V::Elem>) {
    // SAFETY: the caller promises operands of the sizes in `t` and the instructions of `V`.
    unsafe {
        let (a_row, a_k) = if ROWS { (t.a_stride, 1) } else { (1, t.a_stride) };
        for i in 0..MR.min(t.rows) {
            for j in 0..NV {
                prefetch(t.c.add(i * t.c_row + j * V::LANES));
            }
        }
        // Columns of a packed panel follow each other.
        let is_far = t.a_stride > MR as isize;
        let (mut a, mut b) = (t.a, t.b);
        let mut sums = [[V::splat(std::mem::zeroed()); NV]; MR];
        let mut step = || {
            let row: [V; NV] = from_fn(|j| V::load(b.add(j * V::LANES)));
            // Rows of B may be far apart, where the hardware does not foresee them. A line is asked for
            // once, as asking takes the place of a load.
            for j in (0..NV).step_by((LINE / size_of::<V>()).max(1)) {
                prefetch(b.wrapping_offset(AHEAD * t.b_k).wrapping_add(j * V::LANES));
            }
            if !ROWS && is_far {
                let ahead = a.wrapping_offset(AHEAD * a_k);
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
        let next: [*const V::Elem; AHEAD_ROWS] =
            from_fn(|i| t.next.wrapping_offset(i as isize * t.next_stride));
        for p in 0..t.k {
            prefetch_far(next[p % AHEAD_ROWS].wrapping_add(p));
            step();
        }
        finish(t, &sums);
    }
}

/// Writes the sums to C.
#[inline(always)]
unsafe fn finish<V: Simd, const MR: usize, const NV: usize>(
    t: &Call<V::Elem>,
    sums: &[[V; NV]; MR],
) {
    // SAFETY: the caller promises `rows` of `cols` at `c`; `cols` is at most the kernel's width.
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

/// A tile of dot products: `MR` rows of A against up to `DOT_COLS` columns of B, both with unit
/// stride in `k`; `b_k` is the distance of two columns.
#[inline(always)]
unsafe fn dots<V: Simd, const MR: usize>(t: &Call<V::Elem>)
where
    V::Elem: Add<Output = V::Elem>,
{
    // SAFETY: the caller promises operands of the sizes in `t` and the instructions of `V`.
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

/// The kernels of a level: `heights` of tiles, all `vectors` wide or less.
macro_rules! kernels {
    ($elem:ty, $vector:ty, $(features $features:literal,)?
     heights $heights:tt, vectors $vectors:tt, wide $wide:literal) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn run<const MR: usize, const NV: usize, const ROWS: bool>(t: &Call<$elem>) {
            // SAFETY: the caller's promise, see `tile`.
            unsafe { tile::<$vector, MR, NV, ROWS>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn dot<const MR: usize>(t: &Call<$elem>) {
            // SAFETY: the caller's promise, see `dots`.
            unsafe { dots::<$vector, MR>(t) }
        }
        $(#[target_feature(enable = $features)])?
        unsafe fn pack(call: &super::pack::Call<$elem>) {
            // SAFETY: the caller's promise, see `pack`.
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
