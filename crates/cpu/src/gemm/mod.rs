//! Matrix products: `C = A · B` or `C += A · B`, with strided operands and an epilogue that runs on
//! each tile of C while it is in cache. The summation order depends on the shape alone, so results
//! are bitwise equal for any number of threads.
mod block;
mod kernel;
pub(crate) mod pack;
mod skinny;
mod source;
mod task_queues;
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

/// Whether a product overwrites C or adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    Replace,
    Add,
}

/// The output matrix C: rows `stride` elements apart, contiguous columns.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a, T> {
    ptr: *mut T,
    len: usize,
    stride: usize,
    accumulate: Accumulate,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: an output is a mutable borrow of a slice of `T`.
unsafe impl<T: Send> Send for Output<'_, T> {}
// SAFETY: only kernels write through it, and no two threads write the same tile.
unsafe impl<T: Sync> Sync for Output<'_, T> {}

impl<'a, T> Output<'a, T> {
    pub fn new(data: &'a mut [T], stride: usize, accumulate: Accumulate) -> Self {
        let (ptr, len) = (data.as_mut_ptr(), data.len());
        Output { ptr, len, stride, accumulate, life: PhantomData }
    }

    /// An output that shares a buffer with others, for [`gemm_batched`].
    ///
    /// # Safety
    /// - Bounds: `ptr` is aligned and valid for reads and writes of `len` elements.
    /// - Initialization: with [`Accumulate::Add`], the elements of C are initialized.
    /// - Aliasing: while the output is in use, nothing else reads or writes the elements of C.
    ///   Elements between its rows may belong to other outputs.
    /// - Lifetime: the memory outlives `'a`.
    pub unsafe fn from_raw(ptr: *mut T, len: usize, stride: usize, accumulate: Accumulate) -> Self {
        debug_assert!(ptr.is_aligned());
        Output { ptr, len, stride, accumulate, life: PhantomData }
    }
}

impl<T> Output<'_, T> {
    /// The address of an element, which must be inside C.
    #[inline(always)]
    fn at(&self, row: usize, col: usize) -> *mut T {
        debug_assert!(row * self.stride + col < self.len);
        self.ptr.wrapping_add(row * self.stride + col)
    }
}

/// A finished rectangle of C, passed to an [`Epilogue`].
pub struct Tile<'a, T> {
    /// Index of the product in its batch.
    pub batch: usize,
    /// Row and column of the first element in C.
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
        // SAFETY: the task that made the tile owns `rows` rows of `cols` elements, and the borrow
        // of `self` excludes other slices of them.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.add(i * self.stride), self.cols) }
    }
}

/// Work on each tile of C before it leaves the cache: bias, activation, scale.
pub trait Epilogue<T>: Sync {
    /// Modifies a tile whose sums over `k` are complete. Each element of C is in exactly one tile.
    fn finish(&self, tile: &mut Tile<T>);

    /// Whether tiles have to be whole rows of C.
    fn needs_rows(&self) -> bool {
        false
    }

    /// Whether `finish` does nothing and can be skipped.
    fn is_noop(&self) -> bool {
        false
    }
}

/// The epilogue that leaves C unchanged.
pub struct NoEpilogue;

impl<T> Epilogue<T> for NoEpilogue {
    #[inline(always)]
    fn finish(&self, _: &mut Tile<T>) {}

    #[inline(always)]
    fn is_noop(&self) -> bool {
        true
    }
}

impl<T, F: Fn(&mut Tile<T>) + Sync> Epilogue<T> for F {
    #[inline(always)]
    fn finish(&self, tile: &mut Tile<T>) {
        self(tile)
    }
}

/// The epilogue, or `None` if it does nothing.
fn unless_noop<T>(epilogue: &dyn Epilogue<T>) -> Option<&dyn Epilogue<T>> {
    (!epilogue.is_noop()).then_some(epilogue)
}

/// Multiplies `a` by `b`, on all threads of `pool` if the product is large enough.
pub fn gemm<T: Element>(
    pool: &Pool,
    size: Size,
    a: &dyn Source<T>,
    b: &dyn Source<T>,
    c: Output<T>,
    epilogue: &dyn Epilogue<T>,
) {
    let (pool, level, epilogue) = (Some(pool), Level::best(), unless_noop(epilogue));
    Product { pool, level, size, a, b, c, epilogue, batch: 0 }.run();
}

/// Multiplies pair number `batch` of a batch on the calling thread only.
pub fn gemm_serial<T: Element>(
    batch: usize,
    size: Size,
    a: &dyn Source<T>,
    b: &dyn Source<T>,
    c: Output<T>,
    epilogue: &dyn Epilogue<T>,
) {
    let epilogue = unless_noop(epilogue);
    Product { pool: None, level: Level::best(), size, a, b, c, epilogue, batch }.run();
}

/// Multiplies `batch` independent pairs; `item` returns the operands and the output of each.
pub fn gemm_batched<T: Element, A: Source<T>, B: Source<T>>(
    pool: &Pool,
    batch: usize,
    size: Size,
    item: &(impl Fn(usize) -> (A, B, Output<'static, T>) + Sync),
    epilogue: &dyn Epilogue<T>,
) {
    let epilogue = unless_noop(epilogue);
    run_batch(pool, batch, size, &|batch, pool| {
        let (a, b, c) = item(batch);
        let product =
            Product { pool, level: Level::best(), size, a: &a, b: &b, c, epilogue, batch };
        product.run();
    });
}

/// Calls `one` for each of `batch` products. It gets the pool if that product is to be split among
/// threads, and `None` if the threads run different products of the batch.
fn run_batch(pool: &Pool, batch: usize, size: Size, one: &(dyn Fn(usize, Option<&Pool>) + Sync)) {
    // Large products run one after the other on all threads, which keeps their operands in cache.
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

/// A single product of at least this many operations uses several threads: 1.5 us of one thread
/// (2-core Xeon, 2026-11).
const PARALLEL_FLOPS: usize = 1 << 18;
/// Products of a batch with at least this many operations each use all threads.
const LARGE_FLOPS: usize = 1 << 25;
/// Threads claim small products of a batch in chunks of about this many operations.
const CHUNK_FLOPS: usize = 1 << 18;

/// One matrix product and everything needed to run it.
struct Product<'a, T> {
    /// `None` if the other threads run other products of the batch.
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
            "internal error, please report: gemm: {m} rows of {n} with stride {stride} \
             do not fit an output of {len} elements"
        );
        if self.needs_rows() || !skinny::run(self) {
            block::run(self);
        }
    }

    /// Whether tiles have to be whole rows of C.
    fn needs_rows(&self) -> bool {
        self.epilogue.is_some_and(|epilogue| epilogue.needs_rows())
    }

    /// Calls `task` for `0..count`, on all threads if the product is large enough.
    fn parallel_for(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        match self.threads() {
            1 => (0..count).for_each(task),
            _ => {
                paths::hit(Path::GemmShared);
                self.pool.expect("threads() > 1 implies a pool").run(count, task)
            }
        }
    }

    fn threads(&self) -> usize {
        match self.pool {
            Some(pool) if self.size.flops() >= PARALLEL_FLOPS => pool.threads(),
            _ => 1,
        }
    }

    /// Runs the epilogue on a finished rectangle.
    #[inline(always)]
    fn finish(&self, row: usize, col: usize, rows: usize, cols: usize) {
        let Some(epilogue) = self.epilogue else { return };
        let stride = self.c.stride;
        let ptr = self.c.at(row, col);
        let batch = self.batch;
        epilogue.finish(&mut Tile { batch, row, col, rows, cols, ptr, stride, life: PhantomData });
    }
}
