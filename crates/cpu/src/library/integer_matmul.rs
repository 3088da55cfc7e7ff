//! Matrix products of integers, which wrap. Blocks of columns are widened once for many rows.
use super::ResultPtr;
use super::dtype_ops::ElementOps;
use super::stored::Wide;
use super::walk::Walk;
use crate::interp::Memory;
use crate::level::vectorized;
use crate::pool::Pool;
use crate::scratch;
use brasa_compile::kernel::Operand;

pub(super) struct IntegerMatmul {
    reads: [usize; 2],
    /// The batch axes of both operands.
    batch: Walk<2>,
    /// Strides of rows and columns of each operand.
    strides: [[isize; 2]; 2],
    m: usize,
    n: usize,
    k: usize,
}

/// Columns of a block, and rows that share a widened block.
const COLUMNS: usize = 64;
const ROWS: usize = 64;

impl IntegerMatmul {
    pub(super) fn new(operands: &[Operand]) -> Option<IntegerMatmul> {
        let [a, b] = operands else { return None };
        let rank = a.ty.rank();
        let strides = |x: &Operand| {
            let axes = &x.view.affine()?.axes;
            Some([axes[rank - 2].stride, axes[rank - 1].stride])
        };
        let (m, k, n) = (a.ty.shape[rank - 2], a.ty.shape[rank - 1], b.ty.shape[rank - 1]);
        let strides = [strides(a)?, strides(b)?];
        let batch = Walk::new(&a.ty.shape[..rank - 2], [&a.view, &b.view])?;
        Some(IntegerMatmul { reads: [a.read, b.read], batch, strides, m, n, k })
    }

    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operands' views.
    /// - `to` meets the contract of [`ResultPtr`].
    /// - `elements` are the functions of the operands' dtype.
    pub(super) unsafe fn run<W: Wide>(
        &self,
        elements: ElementOps<W>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<W>,
    ) {
        let (rows, columns) = (self.m.div_ceil(ROWS), self.n.div_ceil(COLUMNS));
        let batches = self.batch.elements();
        pool.run(batches * rows * columns, &|unit| {
            let (batch, row, column) =
                (unit / columns / rows, unit / columns % rows * ROWS, unit % columns * COLUMNS);
            let width = COLUMNS.min(self.n - column);
            let [a_start, b_start] = self.batch.at(batch);
            let [[a_row, a_col], [b_row, b_col]] = self.strides;
            scratch::with::<W, ()>(self.k * (COLUMNS + 1), |buffer| {
                let (block, line) = buffer.split_at_mut(self.k * COLUMNS);
                let b = b_start + column as isize * b_col;
                for (k, to) in block.chunks_exact_mut(COLUMNS).enumerate() {
                    let from = elements.at(memory, self.reads[1], b + k as isize * b_row);
                    // SAFETY: row `k` of the block is inside the right operand.
                    unsafe { elements.widen(from, b_col, &mut to[..width]) };
                }
                for i in row..(row + ROWS).min(self.m) {
                    let from = elements.at(memory, self.reads[0], a_start + i as isize * a_row);
                    let mut sums = [W::default(); COLUMNS];
                    // SAFETY: row `i` is inside the left operand, and `width` elements of the
                    // result are this unit's own.
                    unsafe {
                        let line = elements.read(from, a_col, line);
                        accumulate(line, block, &mut sums);
                        elements.round(&mut sums);
                        let to = to.at((batch * self.m + i) * self.n + column);
                        std::ptr::copy_nonoverlapping(sums.as_ptr(), to, width);
                    }
                }
            });
        });
    }
}

vectorized! {
    /// Adds the product of one row and a block of columns to `sums`.
    fn accumulate<W: Wide>(a: &[W], block: &[W], sums: &mut [W; COLUMNS]) {
        for (&a, b) in a.iter().zip(block.as_chunks::<COLUMNS>().0) {
            for lane in 0..COLUMNS {
                sums[lane] = sums[lane].plus(a.times(b[lane]));
            }
        }
    }
}
