//! Products of matrices of integers, which wrap: blocks of columns are widened once for many rows.
use super::Target;
use super::stored::{Running, Stored};
use super::walk::Walk;
use crate::interp::Memory;
use crate::level::vectorized;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;

pub(super) struct Product {
    reads: [usize; 2],
    /// Over the batch, of both operands.
    batch: Walk<2>,
    /// Strides of rows and columns of each operand.
    strides: [[isize; 2]; 2],
    m: usize,
    n: usize,
    k: usize,
}

/// Columns of a block, and rows that share one widened block.
const COLUMNS: usize = 64;
const ROWS: usize = 64;

impl Product {
    pub(super) fn new(operands: &[Operand]) -> Option<Product> {
        let [a, b] = operands else { return None };
        let rank = a.ty.rank();
        let strides = |x: &Operand| {
            let axes = &x.view.affine()?.axes;
            Some([axes[rank - 2].stride, axes[rank - 1].stride])
        };
        let (m, k, n) = (a.ty.shape[rank - 2], a.ty.shape[rank - 1], b.ty.shape[rank - 1]);
        let strides = [strides(a)?, strides(b)?];
        let batch = Walk::new(&a.ty.shape[..rank - 2], [&a.view, &b.view])?;
        Some(Product { reads: [a.read, b.read], batch, strides, m, n, k })
    }

    /// # Safety
    /// The buffers are as large as the operands' views and the target say.
    pub(super) unsafe fn run<S: Stored>(&self, pool: &Pool, memory: Memory, to: Target<S::Wide>) {
        let (rows, columns) = (self.m.div_ceil(ROWS), self.n.div_ceil(COLUMNS));
        let batches = self.batch.elements();
        pool.run(batches * rows * columns, &|unit| {
            let (batch, row, column) =
                (unit / columns / rows, unit / columns % rows * ROWS, unit % columns * COLUMNS);
            let width = COLUMNS.min(self.n - column);
            let [a_start, b_start] = self.batch.at(batch);
            let [[a_row, a_col], [b_row, b_col]] = self.strides;
            scratch::with::<S::Wide, ()>(self.k * COLUMNS, |block| {
                // SAFETY: promised by the caller.
                unsafe {
                    let b = super::read::<S>(memory, self.reads[1]);
                    let b = b.offset(b_start + column as isize * b_col);
                    for (k, to) in block.chunks_exact_mut(COLUMNS).enumerate() {
                        let from = b.wrapping_offset(k as isize * b_row);
                        for (j, to) in to[..width].iter_mut().enumerate() {
                            *to = (*from.offset(j as isize * b_col)).widen();
                        }
                    }
                    let a = super::read::<S>(memory, self.reads[0]);
                    for i in row..(row + ROWS).min(self.m) {
                        let a = a.offset(a_start + i as isize * a_row);
                        let mut sums = [S::Wide::default(); COLUMNS];
                        accumulate(a, a_col, block, &mut sums);
                        let to = to.at((batch * self.m + i) * self.n + column);
                        for (j, &sum) in sums[..width].iter().enumerate() {
                            *to.add(j) = S::settle_wide(sum);
                        }
                    }
                }
            });
        });
    }
}

vectorized! {
    /// One row times a block of columns.
    fn accumulate<S: Stored>(a: *const S, step: isize, block: &[S::Wide], sums: &mut [S::Wide; COLUMNS]) {
        for (k, b) in block.as_chunks::<COLUMNS>().0.iter().enumerate() {
            // SAFETY: a row has as many elements as the block has rows.
            let a = unsafe { *a.offset(k as isize * step) }.widen();
            for lane in 0..COLUMNS {
                sums[lane] = sums[lane].plus(a.times(b[lane]));
            }
        }
    }
}
