//! Packing: copies a block of a strided operand into panels, with vector transposes if `k` is
//! contiguous.
use crate::simd::{Simd, prefetch};

/// A block to pack: element `(i, p)` at `from + i · stride_i + p · stride_k`, for `i < count` and
/// `p < k`, goes to `to[i / width][p][i % width]`. Elements of the last panel with `i >= count`
/// become zero.
pub(crate) struct PackArgs<T> {
    pub from: *const T,
    pub stride_i: isize,
    pub stride_k: isize,
    pub count: usize,
    pub k: usize,
    pub width: usize,
    pub to: *mut T,
}

/// Packs a block.
///
/// # Safety
/// - Level: the CPU supports the instructions of `V`.
/// - Bounds: `from` is valid for reads of all `count` by `k` elements, `to` for writes of the
///   panels: `count` rounded up to `width`, times `k` elements. `width` is not zero.
/// - Initialization: the source elements are initialized; the panels need not be.
/// - Aliasing: the panels do not overlap the source, and nothing else accesses them.
#[inline(always)]
pub(crate) unsafe fn pack<V: Simd>(c: &PackArgs<V::Elem>) {
    debug_assert!(c.width > 0);
    // SAFETY: upheld by the caller; the last loop writes columns of the last panel.
    unsafe {
        if c.stride_i == 1 {
            copy::<V>(c);
        } else {
            each_panel(c, |from, rows, to| {
                if c.stride_k == 1 {
                    transpose::<V>(c, from, rows, to)
                } else {
                    gather(c, from, rows, to)
                }
            });
        }
        let edge = c.count % c.width;
        if edge > 0 {
            let to = c.to.add((c.count - edge) * c.k);
            for p in 0..c.k {
                to.add(p * c.width + edge).write_bytes(0, c.width - edge);
            }
        }
    }
}

/// Calls `f` with source, rows and destination of each panel.
///
/// # Safety
/// As [`pack`].
#[inline(always)]
unsafe fn each_panel<T>(c: &PackArgs<T>, mut f: impl FnMut(*const T, usize, *mut T)) {
    for first in (0..c.count).step_by(c.width) {
        let rows = c.width.min(c.count - first);
        // SAFETY: `first` is inside both blocks.
        unsafe { f(c.from.offset(first as isize * c.stride_i), rows, c.to.add(first * c.k)) }
    }
}

/// Packs a source with contiguous `i`. The outer loop is over `k`, to read whole runs of memory.
///
/// # Safety
/// As [`pack`], with `stride_i` 1.
#[inline(always)]
unsafe fn copy<V: Simd>(c: &PackArgs<V::Elem>) {
    debug_assert_eq!(c.stride_i, 1);
    // SAFETY: runs are inside the block. Vector stores may write past the end of a run, but only
    // over later runs of the same panel, which are written afterwards.
    unsafe {
        let whole = c.count - c.count % c.width;
        for p in 0..c.k {
            let from = c.from.offset(p as isize * c.stride_k);
            let to = c.to.add(p * c.width);
            let capacity = (c.k - p) * c.width;
            for first in (0..whole).step_by(c.width) {
                copy_run::<V>(from.add(first), to.add(first * c.k), c.width, capacity);
            }
            if whole < c.count {
                copy_run::<V>(from.add(whole), to.add(whole * c.k), c.count - whole, capacity);
            }
        }
    }
}

/// Copies `len` elements, with a whole vector at the end if `capacity` allows it.
///
/// # Safety
/// - Level: the CPU supports the instructions of `V`.
/// - Bounds: `from` is valid for reads of `len` initialized elements, `to` for writes of
///   `capacity`, and `capacity >= len`.
/// - Aliasing: the two ranges do not overlap, and nothing else accesses the destination.
#[inline(always)]
unsafe fn copy_run<V: Simd>(from: *const V::Elem, to: *mut V::Elem, len: usize, capacity: usize) {
    debug_assert!(len <= capacity);
    // SAFETY: upheld by the caller.
    unsafe {
        let mut i = 0;
        while i + V::LANES <= len {
            V::load(from.add(i)).store(to.add(i));
            i += V::LANES;
        }
        if i < len {
            let rest = V::load_first(from.add(i), len - i);
            if i + V::LANES <= capacity {
                rest.store(to.add(i));
            } else {
                rest.store_first(to.add(i), len - i);
            }
        }
    }
}

/// Packs one panel of a source with contiguous `k`.
///
/// # Safety
/// As [`pack`], with `stride_k` 1, for `rows <= c.width` rows at `from` and the panel at `to`.
#[inline(always)]
unsafe fn transpose<V: Simd>(
    c: &PackArgs<V::Elem>,
    from: *const V::Elem,
    rows: usize,
    to: *mut V::Elem,
) {
    debug_assert!(c.stride_k == 1 && rows <= c.width);
    // SAFETY: blocks of `LANES` by at most `LANES` inside the panel, then single elements.
    unsafe {
        let whole = c.k - c.k % V::LANES;
        for p in (0..whole).step_by(V::LANES) {
            for i in (0..rows).step_by(V::LANES) {
                let from = from.offset(i as isize * c.stride_i).add(p);
                let rows = (rows - i).min(V::LANES);
                // The hardware prefetcher cannot follow one stream per row.
                for i in 0..rows {
                    prefetch(
                        from.wrapping_offset(i as isize * c.stride_i).wrapping_add(4 * V::LANES),
                    );
                }
                V::transpose(from, c.stride_i, rows, to.add(p * c.width + i), c.width);
            }
        }
        for p in whole..c.k {
            for i in 0..rows {
                *to.add(p * c.width + i) = *from.offset(i as isize * c.stride_i).add(p);
            }
        }
    }
}

/// Packs one panel of a source with arbitrary strides.
///
/// # Safety
/// As [`pack`], for `rows <= c.width` rows at `from` and the panel at `to`.
#[inline(always)]
unsafe fn gather<T: Copy>(c: &PackArgs<T>, from: *const T, rows: usize, to: *mut T) {
    for p in 0..c.k {
        for i in 0..rows {
            let at = i as isize * c.stride_i + p as isize * c.stride_k;
            // SAFETY: `(i, p)` is inside both blocks.
            unsafe { *to.add(p * c.width + i) = *from.offset(at) };
        }
    }
}
