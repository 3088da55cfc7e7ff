//! Copies a block of a strided operand into panels, with vector transposes where `k` is contiguous.
use crate::simd::{Simd, prefetch};

/// A block to pack: elements `(i, p)` at `from + i · stride_i + p · stride_k`, for `i < count` and
/// `p < k`, to panels of `width`: `to[panel][p][i % width]`, zero where `i >= count`.
pub(crate) struct Call<T> {
    pub from: *const T,
    pub stride_i: isize,
    pub stride_k: isize,
    pub count: usize,
    pub k: usize,
    pub width: usize,
    pub to: *mut T,
}

/// # Safety
/// Both blocks must be valid, and the instructions of `V` present.
#[inline(always)]
pub(crate) unsafe fn pack<V: Simd>(c: &Call<V::Elem>) {
    // SAFETY: the caller's promise, handed on.
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

#[inline(always)]
unsafe fn each_panel<T>(c: &Call<T>, mut f: impl FnMut(*const T, usize, *mut T)) {
    for first in (0..c.count).step_by(c.width) {
        let rows = c.width.min(c.count - first);
        // SAFETY: `first` lies inside both blocks.
        unsafe { f(c.from.offset(first as isize * c.stride_i), rows, c.to.add(first * c.k)) }
    }
}

/// Runs along `i` are contiguous on both sides. `k` is the outer loop: it reads whole runs of memory.
#[inline(always)]
unsafe fn copy<V: Simd>(c: &Call<V::Elem>) {
    // SAFETY: the caller's promise; a run may spill over the runs of its panel that come later.
    unsafe {
        let whole = c.count - c.count % c.width;
        for p in 0..c.k {
            let from = c.from.offset(p as isize * c.stride_k);
            let to = c.to.add(p * c.width);
            let room = (c.k - p) * c.width;
            for first in (0..whole).step_by(c.width) {
                copy_run::<V>(from.add(first), to.add(first * c.k), c.width, room);
            }
            if whole < c.count {
                copy_run::<V>(from.add(whole), to.add(whole * c.k), c.count - whole, room);
            }
        }
    }
}

/// Copies `len` elements, and writes whole vectors where `room` elements allow it.
#[inline(always)]
unsafe fn copy_run<V: Simd>(from: *const V::Elem, to: *mut V::Elem, len: usize, room: usize) {
    // SAFETY: the caller promises `len` readable and `room >= len` writable elements.
    unsafe {
        let mut i = 0;
        while i + V::LANES <= len {
            V::load(from.add(i)).store(to.add(i));
            i += V::LANES;
        }
        if i < len {
            let rest = V::load_first(from.add(i), len - i);
            if i + V::LANES <= room {
                rest.store(to.add(i));
            } else {
                rest.store_first(to.add(i), len - i);
            }
        }
    }
}

/// One panel whose source is contiguous in `k`.
#[inline(always)]
unsafe fn transpose<V: Simd>(
    c: &Call<V::Elem>,
    from: *const V::Elem,
    rows: usize,
    to: *mut V::Elem,
) {
    // SAFETY: blocks of `LANES` by at most `LANES` inside the panel, then single elements.
    unsafe {
        let whole = c.k - c.k % V::LANES;
        for p in (0..whole).step_by(V::LANES) {
            for i in (0..rows).step_by(V::LANES) {
                let from = from.offset(i as isize * c.stride_i).add(p);
                let rows = (rows - i).min(V::LANES);
                // As many streams as rows are more than the hardware follows.
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

/// One panel of any strides.
#[inline(always)]
unsafe fn gather<T: Copy>(c: &Call<T>, from: *const T, rows: usize, to: *mut T) {
    for p in 0..c.k {
        for i in 0..rows {
            let at = i as isize * c.stride_i + p as isize * c.stride_k;
            // SAFETY: `(i, p)` lies inside both blocks.
            unsafe { *to.add(p * c.width + i) = *from.offset(at) };
        }
    }
}
