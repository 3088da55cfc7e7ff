//! Operands that a product makes while it packs them: light work on what lies in memory.
use super::contract::Matrices;
use super::rows::Rows;
use crate::gemm::{Element, Source, Storage, Strided};
use crate::interp::{self, Loop, Memory, Setting};
use crate::scratch;
use brasa_compile::kernel::{Operand, What, Work};

/// One of the two operands of a product.
pub(super) enum Side {
    Stored(Matrices),
    Made(Box<Made>),
    /// Its rows come from another product.
    Rows(Box<Rows>),
}

/// The code of an operand, and how rectangles of it are cut.
pub(super) struct Made {
    code: Loop,
    /// Rows of each matrix, and their elements, in the order in which memory is read.
    rows: usize,
    columns: usize,
    /// Whether rows count what is summed over.
    is_by_k: bool,
}

/// One matrix of a batch.
pub(super) enum Matrix<'a, S> {
    Stored(Strided<'a, S>),
    /// Matrix `batch`, from row `first` on.
    Made {
        made: &'a Made,
        memory: Memory<'a>,
        batch: usize,
        first: usize,
    },
}

/// Elements that are made at once: half of a first-level cache.
const BLOCK: usize = 6 << 10;

impl Side {
    /// The operand; writes of a product that makes its rows begin at `first_write`.
    pub(super) fn new(operand: &Operand, is_right: bool, first_write: usize) -> Option<Side> {
        match &operand.work {
            None => Matrices::new(operand).map(Side::Stored),
            Some(work) => match Rows::new(work, first_write) {
                Some(rows) => Some(Side::Rows(Box::new(rows))),
                None => Some(Side::Made(Box::new(Made::new(work, is_right)))),
            },
        }
    }

    /// # Safety
    /// The buffers hold all that the operand reads.
    pub(super) unsafe fn at<'a, S: 'static>(
        &'a self,
        memory: Memory<'a>,
        batch: usize,
        is_right: bool,
    ) -> Matrix<'a, S> {
        match self {
            // SAFETY: promised by the caller.
            Side::Stored(of) => Matrix::Stored(unsafe { of.at(memory, batch, is_right) }),
            Side::Made(made) => Matrix::Made { made, memory, batch, first: 0 },
            // SAFETY: promised by the caller.
            Side::Rows(rows) => Matrix::Stored(unsafe { rows.at(memory, batch) }),
        }
    }
}

impl Made {
    fn new(work: &Work, is_right: bool) -> Made {
        let shape: Vec<usize> = work.domain.axes.iter().map(|axis| axis.len).collect();
        let (mut rows, mut columns) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        let is_turned = reads_columns(work);
        if is_turned {
            (rows, columns) = (columns, rows);
        }
        let setting = Setting { columns: Some(columns), is_turned, ..Setting::default() };
        let code = Loop::new(&work.domain, &work.code, setting);
        Made { code, rows, columns, is_by_k: is_right != is_turned }
    }

    /// Elements `first..first + count` against `k0..k0 + kc`, in panels.
    fn pack<T: Element + Storage<T>>(
        &self,
        (memory, batch): (Memory, usize),
        (first, count): (usize, usize),
        (k0, kc): (usize, usize),
        width: usize,
        dst: &mut [T],
    ) {
        let per_block = (BLOCK / kc.max(1)).max(1).next_multiple_of(width);
        for (block, panels) in dst.chunks_mut((per_block * kc).max(1)).enumerate() {
            let done = block * per_block;
            let count = per_block.min(count - done);
            let (i, k) = ((first + done, count), (k0, kc));
            let (rows, columns) = if self.is_by_k { (k, i) } else { (i, k) };
            scratch::with(count * kc, |made: &mut [T]| {
                let at = (batch * self.rows + rows.0, columns.0);
                let tile = interp::Operand::of_rows(made.as_mut_ptr(), columns.1);
                self.code.with_thread(memory, |thread| {
                    // SAFETY: the rectangle lies inside the operand, and the tile has its size.
                    unsafe { thread.make(at, (rows.1, columns.1), self.columns, tile) }
                });
                let made = match self.is_by_k {
                    true => Strided::columns(made, columns.1),
                    false => Strided::rows(made, columns.1),
                };
                made.pack(0, count, 0, kc, width, panels);
            });
        }
    }
}

impl<S> Matrix<'_, S> {
    /// The matrix from a row on.
    pub(super) fn starting_at(self, row: usize) -> Self {
        match self {
            Matrix::Stored(of) => {
                let offset = of.offset as isize + row as isize * of.stride_i;
                Matrix::Stored(Strided { offset: offset as usize, ..of })
            }
            Matrix::Made { made, memory, batch, first } => {
                Matrix::Made { made, memory, batch, first: first + row }
            }
        }
    }
}

impl<T: Element + Storage<T>, S: Storage<T>> Source<T> for Matrix<'_, S> {
    fn pack(&self, first: usize, count: usize, k0: usize, kc: usize, width: usize, dst: &mut [T]) {
        match self {
            Matrix::Stored(stored) => stored.pack(first, count, k0, kc, width, dst),
            Matrix::Made { made, memory, batch, first: above } => {
                made.pack((*memory, *batch), (above + first, count), (k0, kc), width, dst);
            }
        }
    }

    fn in_place(&self) -> Option<Strided<'_, T>> {
        match self {
            Matrix::Stored(stored) => stored.in_place(),
            Matrix::Made { .. } => None,
        }
    }
}

/// Whether the largest of the buffers that code reads has its neighbours along columns.
fn reads_columns(work: &Work) -> bool {
    let strides = work.code.steps.iter().filter_map(|step| match &step.what {
        What::Load { view, .. } => {
            let axes = &view.affine()?.axes;
            let [.., row, column] = &axes[..] else { return None };
            Some((view.reach(), row.stride.abs(), column.stride.abs()))
        }
        _ => None,
    });
    let largest = strides.max_by_key(|&(reach, ..)| reach);
    largest.is_some_and(|(_, row, column)| row != 0 && row < column)
}
