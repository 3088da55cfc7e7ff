//! Products of matrices: `C = A · B` or `C += A · B`, with operands read through any view and an
//! epilogue on each tile of C while it is in cache. The order of every sum depends on the shape
//! alone, so results are the same bits for every number of threads.
mod block;
mod kernel;
mod lanes;
pub(crate) mod pack;
mod skinny;
mod source;
#[cfg(test)]
mod tests;

pub use kernel::Element;
pub use source::{Source, Storage, Strided};

use crate::level::Level;
use crate::paths::{self, Path};
use crate::pool::Pool;
use std::marker::PhantomData;

/// `C[m, n] = A[m, k] · B[k, n]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

impl Size {
    fn flops(self) -> usize {
        2 * self.m * self.n * self.k
    }
}

/// What becomes of the numbers that C holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    Replace,
    Add,
}

/// Where C goes: rows `stride` elements apart, columns next to each other.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a, T> {
    ptr: *mut T,
    len: usize,
    stride: usize,
    accumulate: Accumulate,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: an output is a mutable borrow of numbers.
unsafe impl<T: Send> Send for Output<'_, T> {}
// SAFETY: only kernels write through it, each to tiles of its own.
unsafe impl<T: Sync> Sync for Output<'_, T> {}

impl<'a, T> Output<'a, T> {
    pub fn new(data: &'a mut [T], stride: usize, accumulate: Accumulate) -> Self {
        let (ptr, len) = (data.as_mut_ptr(), data.len());
        Output { ptr, len, stride, accumulate, life: PhantomData }
    }

    /// An output among others in one buffer, for [`gemm_batched`].
    ///
    /// # Safety
    /// `len` elements at `ptr` must be writable while the output lives, and the elements that the
    /// product writes must be nobody else's.
    pub unsafe fn from_raw(ptr: *mut T, len: usize, stride: usize, accumulate: Accumulate) -> Self {
        Output { ptr, len, stride, accumulate, life: PhantomData }
    }
}

impl<T> Output<'_, T> {
    /// The address of an element, which must lie inside C.
    #[inline(always)]
    fn at(&self, row: usize, col: usize) -> *mut T {
        debug_assert!(row * self.stride + col < self.len);
        self.ptr.wrapping_add(row * self.stride + col)
    }
}

/// A finished rectangle of C, in the hands of an [`Epilogue`].
pub struct Tile<'a, T> {
    /// Which product of a batch this is.
    pub batch: usize,
    /// Place of the first element in C.
    pub row: usize,
    pub col: usize,
    pub rows: usize,
    pub cols: usize,
    ptr: *mut T,
    stride: usize,
    life: PhantomData<&'a mut T>,
}

impl<T> Tile<'_, T> {
    /// Row `i < rows` of the tile.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        assert!(i < self.rows, "row {i} of a tile of {}", self.rows);
        // SAFETY: the kernel that made the tile owns its rows of `cols` elements.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.add(i * self.stride), self.cols) }
    }
}

/// What happens to C before it leaves the cache: bias, activation, scale.
pub trait Epilogue<T>: Sync {
    /// Changes a tile in which all of `k` has been summed. Every element of C is in one tile.
    fn finish(&self, tile: &mut Tile<T>);

    /// Whether tiles have to be whole rows of C.
    fn needs_rows(&self) -> bool {
        false
    }

    /// Whether `finish` does nothing, so that it need not be called.
    fn is_nothing(&self) -> bool {
        false
    }
}

/// The epilogue that leaves C as it is.
pub struct Plain;

impl<T> Epilogue<T> for Plain {
    #[inline(always)]
    fn finish(&self, _: &mut Tile<T>) {}

    #[inline(always)]
    fn is_nothing(&self) -> bool {
        true
    }
}

impl<T, F: Fn(&mut Tile<T>) + Sync> Epilogue<T> for F {
    #[inline(always)]
    fn finish(&self, tile: &mut Tile<T>) {
        self(tile)
    }
}

/// The epilogue, unless it does nothing.
fn needed<T>(epilogue: &dyn Epilogue<T>) -> Option<&dyn Epilogue<T>> {
    (!epilogue.is_nothing()).then_some(epilogue)
}

/// Multiplies `a` by `b`.
pub fn gemm<T: Element>(
    pool: &Pool,
    size: Size,
    a: &dyn Source<T>,
    b: &dyn Source<T>,
    c: Output<T>,
    epilogue: &dyn Epilogue<T>,
) {
    let (pool, level, epilogue) = (Some(pool), Level::best(), needed(epilogue));
    Product { pool, level, size, a, b, c, epilogue, batch: 0 }.run();
}

/// Multiplies the pair number `batch` of many, which are shared among threads, on this one alone.
pub fn gemm_alone<T: Element>(
    batch: usize,
    size: Size,
    a: &dyn Source<T>,
    b: &dyn Source<T>,
    c: Output<T>,
    epilogue: &dyn Epilogue<T>,
) {
    let epilogue = needed(epilogue);
    Product { pool: None, level: Level::best(), size, a, b, c, epilogue, batch }.run();
}

/// Multiplies `batch` independent pairs; `item` gives the operands and the output of each.
pub fn gemm_batched<T: Element, A: Source<T>, B: Source<T>>(
    pool: &Pool,
    batch: usize,
    size: Size,
    item: &(impl Fn(usize) -> (A, B, Output<'static, T>) + Sync),
    epilogue: &dyn Epilogue<T>,
) {
    let epilogue = needed(epilogue);
    share_batch(pool, batch, size, &|batch, pool| {
        let (a, b, c) = item(batch);
        let product =
            Product { pool, level: Level::best(), size, a: &a, b: &b, c, epilogue, batch };
        product.run();
    });
}

/// Calls `one` for each of `batch` products, with the pool where it shares its work itself.
fn share_batch(pool: &Pool, batch: usize, size: Size, one: &(dyn Fn(usize, Option<&Pool>) + Sync)) {
    // Large products use all threads one after the other: their operands stay in cache that way.
    let is_small = size.flops() < LARGE_FLOPS;
    if !is_small || batch == 1 {
        return (0..batch).for_each(|i| one(i, Some(pool)));
    }
    let per_chunk = (CHUNK_FLOPS / size.flops().max(1)).clamp(1, batch.max(1));
    if size.flops() * batch < PARALLEL_FLOPS {
        return (0..batch).for_each(|i| one(i, None));
    }
    pool.run(batch.div_ceil(per_chunk), &|chunk| {
        let first = chunk * per_chunk;
        (first..(first + per_chunk).min(batch)).for_each(|i| one(i, None));
    });
}

/// From here on a single product is worth two threads: 1.5 us of one (2-core Xeon, 2026-11).
const PARALLEL_FLOPS: usize = 1 << 18;
/// Products of a batch from here on are each shared by all threads.
const LARGE_FLOPS: usize = 1 << 25;
/// Small products of a batch are claimed about this much at a time.
const CHUNK_FLOPS: usize = 1 << 18;

/// One product with all that it needs.
struct Product<'a, T> {
    /// None when the threads are busy with other products of a batch.
    pool: Option<&'a Pool>,
    level: Level,
    size: Size,
    a: &'a dyn Source<T>,
    b: &'a dyn Source<T>,
    c: Output<'a, T>,
    epilogue: Option<&'a dyn Epilogue<T>>,
    batch: usize,
}

impl<T: Element> Product<'_, T> {
    fn run(&self) {
        let Size { m, n, .. } = self.size;
        if m == 0 || n == 0 {
            return;
        }
        let (stride, len) = (self.c.stride, self.c.len);
        assert!(
            (stride >= n || m == 1) && (m - 1) * stride + n <= len,
            "internal error, please report: {m} rows of {n}, {stride} apart, in {len} elements"
        );
        if self.needs_rows() || !skinny::run(self) {
            block::run(self);
        }
    }

    /// Whether tiles have to be whole rows of C.
    fn needs_rows(&self) -> bool {
        self.epilogue.is_some_and(|epilogue| epilogue.needs_rows())
    }

    /// Calls `task` for `0..count`, on all threads if the product is worth it.
    fn share(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        match self.threads() {
            1 => (0..count).for_each(task),
            _ => {
                paths::hit(Path::GemmShared);
                self.pool.expect("more than one thread").run(count, task)
            }
        }
    }

    fn threads(&self) -> usize {
        match self.pool {
            Some(pool) if self.size.flops() >= PARALLEL_FLOPS => pool.threads(),
            _ => 1,
        }
    }

    /// Hands a finished rectangle to the epilogue.
    #[inline(always)]
    fn finish(&self, row: usize, col: usize, rows: usize, cols: usize) {
        let Some(epilogue) = self.epilogue else { return };
        let stride = self.c.stride;
        let ptr = self.c.at(row, col);
        let batch = self.batch;
        epilogue.finish(&mut Tile { batch, row, col, rows, cols, ptr, stride, life: PhantomData });
    }
}
