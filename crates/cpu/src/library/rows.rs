//! Products in a chain: the rows that one makes are the left operand of the next, a block at a time.
//! Rows that nobody else reads lie in a tile that stays in the second-level cache.
use super::contract::{Contract, Finish};
use super::made::Matrix;
use super::{Fast, Library};
use crate::gemm::{
    Accumulate, Element, Epilogue, Output, Plain, Size, Storage, Strided, gemm_alone,
};
use crate::interp::{Memory, Setting};
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::{Body, Work};

/// The product that makes rows, with the code behind it.
pub(super) struct Rows {
    product: Library,
    /// The write that the rows go to; behind the last one lies the tile.
    write: usize,
    has_tile: bool,
}

/// Elements of a block of rows: half of a second-level cache.
const TILE: usize = 1 << 18;
/// Blocks wanted of all rows, so that threads end together, and the fewest rows of one: packing the
/// right operands anew for each has to pay.
const BLOCKS: usize = 8;
const LEAST: usize = 32;
/// Work below this is done by one thread.
const SERIAL_FLOPS: usize = 1 << 18;

impl Rows {
    /// `None` where code alone makes an operand.
    pub(super) fn new(work: &Work, first_write: usize) -> Option<Rows> {
        let Body::Library { op, operands, out } = &work.body else { return None };
        let setting = Setting { first_write, ..Setting::default() };
        let mut code = work.code.clone();
        let value = code.stores.pop()?;
        let stored = code.stores.iter().position(|&store| store == value);
        let write = first_write + stored.unwrap_or(code.stores.len());
        if stored.is_none() {
            code.stores.push(value);
        }
        let product = Library::new((op, operands, out), &work.domain, &code, setting);
        Some(Rows { product, write, has_tile: stored.is_none() })
    }

    fn contract(&self) -> &Contract {
        match &self.product.fast {
            Fast::Contract(contract) => contract,
            _ => unreachable!("rows are made by products of floats"),
        }
    }

    /// Whether a block of rows can be finished without the others.
    pub(super) fn comes_in_blocks(&self) -> bool {
        let code = &self.product.epilogue;
        !code.has_reduces() || code.takes_rows()
    }

    /// The rows of matrix `batch`, as they lie.
    ///
    /// # Safety
    /// The memory holds them.
    pub(super) unsafe fn at<S>(&self, memory: Memory, batch: usize) -> Strided<'static, S> {
        let Size { m, n, .. } = self.contract().size;
        let start = memory.write(self.write).cast::<S>().wrapping_add(batch * m * n);
        // SAFETY: promised by the caller.
        let data = unsafe { std::slice::from_raw_parts(start, m * n) };
        Strided::rows(data, n)
    }

    /// Makes all rows, then calls `f` with memory that holds them.
    ///
    /// # Safety
    /// As [`Contract::run`].
    pub(super) unsafe fn with_all(&self, pool: &Pool, memory: Memory, f: impl FnOnce(Memory)) {
        let elements = if self.has_tile { self.product.out.elements() } else { 0 };
        scratch::with::<f64, ()>(elements, |tile| {
            let memory = memory.with_tile(tile.as_mut_ptr().cast());
            // SAFETY: promised by the caller.
            let made = unsafe { self.product.run(pool, memory) };
            made.expect("products of floats do not fail");
            f(memory);
        });
    }

    /// Makes the rows and multiplies them by the right operand of `next`, block by block.
    ///
    /// # Safety
    /// As [`Contract::run`].
    pub(super) unsafe fn run<T: Element + Storage<T>>(
        &self,
        next: &Contract,
        library: &Library,
        pool: &Pool,
        memory: Memory,
    ) {
        let Size { m, n, k } = next.size;
        let per_tile = (TILE / k.max(1)).min((next.batch * m).div_ceil(BLOCKS)).max(LEAST);
        let blocks = m.div_ceil(per_tile).max(1);
        let height = m.div_ceil(blocks);
        library.with_target::<T, ()>(memory, |c| {
            let task = |task: usize| {
                let (batch, first) = (task / blocks, task % blocks * height);
                let count = height.min(m.saturating_sub(first));
                let (row, elements) =
                    (batch * m + first, if self.has_tile { count * k } else { 0 });
                scratch::with(elements, |tile: &mut [T]| {
                    // The tile stands for all rows: its own are the only ones that are touched.
                    let tile = tile.as_mut_ptr().wrapping_sub(row * k).cast();
                    let memory = memory.with_tile(tile);
                    // SAFETY: promised by the caller; every block has rows of its own.
                    unsafe {
                        self.make::<T>(memory, batch, first, count);
                        let rows = memory.write(self.write).cast::<T>().wrapping_add(row * k);
                        let rows = std::slice::from_raw_parts(rows, count * k);
                        let a: Matrix<T> = Matrix::Stored(Strided::rows(rows, k));
                        let b: Matrix<T> = next.b.at(memory, batch, true);
                        let c = c.at(row * n);
                        let c = Output::from_raw(c, count * n, n, Accumulate::Replace);
                        let size = Size { m: count, n, k };
                        let finish = Finish { library, memory, m, n, first };
                        let is_plain = library.is_plain() || library.epilogue.has_reduces();
                        let epilogue: &dyn Epilogue<T> = if is_plain { &Plain } else { &finish };
                        gemm_alone(batch, size, &a, &b, c, epilogue);
                    }
                });
            };
            let flops = 2 * next.batch * m * k * (n + self.contract().size.k);
            match flops < SERIAL_FLOPS {
                true => (0..next.batch * blocks).for_each(task),
                false => pool.run(next.batch * blocks, &task),
            }
            if library.epilogue.has_reduces() {
                // SAFETY: promised by the caller; the product is there.
                unsafe { library.finish(pool, memory, c) };
            }
        });
    }

    /// Rows `first..first + count` of matrix `batch`, on this thread.
    unsafe fn make<T: Element + Storage<T>>(
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
            // SAFETY: promised by the caller; the rows are nobody else's.
            unsafe {
                let a: Matrix<T> = a.at(memory, batch, false).starting_at(first);
                let b: Matrix<T> = b.at(memory, batch, true);
                let c =
                    Output::from_raw(c.wrapping_add(row * n), count * n, n, Accumulate::Replace);
                let finish = Finish { library: &self.product, memory, m, n, first };
                let is_plain = self.product.is_plain();
                let epilogue: &dyn Epilogue<T> = if is_plain { &Plain } else { &finish };
                gemm_alone(batch, size, &a, &b, c, epilogue);
            }
        };
        match self.product.target {
            Some(write) => multiply(memory.write(write).cast()),
            None => scratch::with(count * n, |c: &mut [T]| {
                multiply(c.as_mut_ptr().wrapping_sub(row * n));
            }),
        }
    }
}
