//! Chained products: the result of one is the left operand of the next, computed one block of rows
//! at a time. Rows that nothing else reads are in a tile that stays in L2.
use super::contract::{Contract, Finish};
use super::producer::Matrix;
use super::{Algorithm, Library};
use crate::gemm::{
    Accumulate, Element, Epilogue, NoEpilogue, Output, Size, Storage, Strided, gemm_serial,
};
use crate::interp::{LoopOptions, Memory};
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::{Body, Prologue};

/// The first product of a chain, with its epilogue.
pub(super) struct ChainedMatmul {
    product: Library,
    /// The write that receives the rows. The index after the last write is the tile.
    write: usize,
    has_tile: bool,
}

/// Elements of a block of rows: half of L2.
const TILE: usize = 1 << 18;
/// Minimum number of blocks, so that threads finish at about the same time.
const MIN_BLOCKS: usize = 8;
/// Minimum rows of a block: both right operands are packed again for each block.
const MIN_ROWS: usize = 32;
/// Chains of fewer operations run on one thread.
const SERIAL_FLOPS: usize = 1 << 18;

impl ChainedMatmul {
    /// `None` if the prologue is code without a library op.
    pub(super) fn new(prologue: &Prologue, first_write: usize) -> Option<ChainedMatmul> {
        let Body::Library { op, operands, out } = &prologue.body else { return None };
        let options = LoopOptions { first_write, ..LoopOptions::default() };
        let mut code = prologue.code.clone();
        let value = code.stores.pop()?;
        let stored = code.stores.iter().position(|&store| store == value);
        let write = first_write + stored.unwrap_or(code.stores.len());
        if stored.is_none() {
            code.stores.push(value);
        }
        let product = Library::new((op, operands, out), &prologue.domain, &code, options);
        Some(ChainedMatmul { product, write, has_tile: stored.is_none() })
    }

    fn contract(&self) -> &Contract {
        match &self.product.algorithm {
            Algorithm::Contract(contract) => contract,
            _ => unreachable!("the first product of a chain is of floats"),
        }
    }

    /// Whether the epilogue of a block of rows needs no other rows.
    pub(super) fn has_independent_rows(&self) -> bool {
        let code = &self.product.epilogue;
        !code.has_reduces() || code.takes_rows()
    }

    /// The rows of matrix `batch` in memory.
    ///
    /// # Safety
    /// - Bounds: the write or the tile of `memory` holds all rows of all matrices, as `S`.
    /// - Initialization: these rows are initialized.
    /// - Aliasing: nothing writes them while the returned view is in use.
    /// - Lifetime: the memory outlives the returned view.
    pub(super) unsafe fn at<S>(&self, memory: Memory, batch: usize) -> Strided<'static, S> {
        let Size { m, n, .. } = self.contract().size;
        let start = memory.write(self.write).cast::<S>().wrapping_add(batch * m * n);
        // SAFETY: upheld by the caller.
        let data = unsafe { std::slice::from_raw_parts(start, m * n) };
        Strided::rows(data, n)
    }

    /// Computes all rows, then calls `f` with memory that holds them.
    ///
    /// # Safety
    /// `memory` meets the launch contract of [`Memory`] for the reads and writes of the first
    /// product.
    pub(super) unsafe fn with_all(&self, pool: &Pool, memory: Memory, f: impl FnOnce(Memory)) {
        let elements = if self.has_tile { self.product.out.elements() } else { 0 };
        scratch::with::<f64, ()>(elements, |tile| {
            let memory = memory.with_tile(tile.as_mut_ptr().cast());
            // SAFETY: upheld by the caller; the tile holds all rows.
            let result = unsafe { self.product.run(pool, memory) };
            result.expect("products of floats do not fail");
            f(memory);
        });
    }

    /// Computes the rows and multiplies them by the right operand of `next`, block by block.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the reads and writes of both
    ///   products.
    /// - `next` is the product of `library`, with this one as its left operand.
    /// - `T` is the stored type of their dtype.
    pub(super) unsafe fn run<T: Element + Storage<T>>(
        &self,
        next: &Contract,
        library: &Library,
        pool: &Pool,
        memory: Memory,
    ) {
        let Size { m, n, k } = next.size;
        let per_tile = (TILE / k.max(1)).min((next.batch * m).div_ceil(MIN_BLOCKS)).max(MIN_ROWS);
        let blocks = m.div_ceil(per_tile).max(1);
        let height = m.div_ceil(blocks);
        library.with_result::<T, ()>(memory, |c| {
            let task = |task: usize| {
                let (batch, first) = (task / blocks, task % blocks * height);
                let count = height.min(m.saturating_sub(first));
                let (row, elements) =
                    (batch * m + first, if self.has_tile { count * k } else { 0 });
                scratch::with(elements, |tile: &mut [T]| {
                    // The address that row 0 would have: only rows of this block are accessed.
                    let tile = tile.as_mut_ptr().wrapping_sub(row * k).cast();
                    let memory = memory.with_tile(tile);
                    // SAFETY: upheld by the caller; blocks have disjoint rows, in the write, in the
                    // tile and in the result.
                    unsafe {
                        self.compute_rows::<T>(memory, batch, first, count);
                        let rows = memory.write(self.write).cast::<T>().wrapping_add(row * k);
                        let rows = std::slice::from_raw_parts(rows, count * k);
                        let a: Matrix<T> = Matrix::Stored(Strided::rows(rows, k));
                        let b: Matrix<T> = next.b.at(memory, batch, true);
                        let c = c.at(row * n);
                        let c = Output::from_raw(c, count * n, n, Accumulate::Replace);
                        let size = Size { m: count, n, k };
                        let finish = Finish { library, memory, m, n, first };
                        let skips_epilogue =
                            library.skips_epilogue() || library.epilogue.has_reduces();
                        let epilogue: &dyn Epilogue<T> =
                            if skips_epilogue { &NoEpilogue } else { &finish };
                        gemm_serial(batch, size, &a, &b, c, epilogue);
                    }
                });
            };
            let flops = 2 * next.batch * m * k * (n + self.contract().size.k);
            match flops < SERIAL_FLOPS {
                true => (0..next.batch * blocks).for_each(task),
                false => pool.run(next.batch * blocks, &task),
            }
            if library.epilogue.has_reduces() {
                // SAFETY: the caller meets the contract, and all products are complete.
                unsafe { library.run_epilogue(pool, memory, c) };
            }
        });
    }

    /// Computes rows `first..first + count` of matrix `batch` on this thread.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the first product; its tile, if used,
    ///   holds these rows.
    /// - Bounds: the rows are inside the matrix. `T` is the stored type of the dtype.
    /// - Aliasing: no other thread accesses these rows.
    unsafe fn compute_rows<T: Element + Storage<T>>(
        &self,
        memory: Memory,
        batch: usize,
        first: usize,
        count: usize,
    ) {
        let Contract { a, b, size: Size { m, n, k }, .. } = self.contract();
        let (m, n, size) = (*m, *n, Size { m: count, n: *n, k: *k });
        let row = batch * m + first;
        let multiply = |c: *mut T| {
            // SAFETY: upheld by the caller; `c` is the address of row 0, and only these rows are
            // accessed.
            unsafe {
                let a: Matrix<T> = a.at(memory, batch, false).starting_at(first);
                let b: Matrix<T> = b.at(memory, batch, true);
                let c =
                    Output::from_raw(c.wrapping_add(row * n), count * n, n, Accumulate::Replace);
                let finish = Finish { library: &self.product, memory, m, n, first };
                let skips_epilogue = self.product.skips_epilogue();
                let epilogue: &dyn Epilogue<T> = if skips_epilogue { &NoEpilogue } else { &finish };
                gemm_serial(batch, size, &a, &b, c, epilogue);
            }
        };
        match self.product.result_write {
            Some(write) => multiply(memory.write(write).cast()),
            None => scratch::with(count * n, |c: &mut [T]| {
                multiply(c.as_mut_ptr().wrapping_sub(row * n));
            }),
        }
    }
}
