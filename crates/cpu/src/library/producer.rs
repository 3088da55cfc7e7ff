//! Operands of a product. A producer computes an operand while it is packed, by cheap code on what
//! is in memory.
use super::chained::ChainedMatmul;
use super::contract::Matrices;
use crate::gemm::{Element, Source, Storage, Strided};
use crate::interp::{self, Loop, LoopOptions, Memory};
use crate::scratch;
use brasa_compile::kernel::{Operand, Prologue, StepOp};

/// One of the two operands of a product.
pub(super) enum MatmulOperand {
    Stored(Matrices),
    Produced(Box<Producer>),
    /// Its rows are the result of another product.
    Chained(Box<ChainedMatmul>),
}

/// The code that computes an operand.
pub(super) struct Producer {
    code: Loop,
    /// Rows and columns of each matrix, swapped if the code reads its largest buffer by columns.
    rows: usize,
    columns: usize,
    /// Whether rows are the contracted index `k`.
    has_k_rows: bool,
}

/// One matrix of a batch.
pub(super) enum Matrix<'a, S> {
    Stored(Strided<'a, S>),
    /// Matrix `batch`, from row `first` on.
    Produced {
        producer: &'a Producer,
        memory: Memory<'a>,
        batch: usize,
        first: usize,
    },
}

/// Elements that are computed at a time: half of L1.
const BLOCK: usize = 6 << 10;

impl MatmulOperand {
    /// `None` if a stored operand is not strided. Writes of a chained product begin at
    /// `first_write`.
    pub(super) fn new(
        operand: &Operand,
        is_right: bool,
        first_write: usize,
    ) -> Option<MatmulOperand> {
        match &operand.prologue {
            None => Matrices::new(operand).map(MatmulOperand::Stored),
            Some(prologue) => match ChainedMatmul::new(prologue, first_write) {
                Some(rows) => Some(MatmulOperand::Chained(Box::new(rows))),
                None => Some(MatmulOperand::Produced(Box::new(Producer::new(prologue, is_right)))),
            },
        }
    }

    /// Matrix number `batch` of the operand.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for all reads of the operand.
    /// - `S` is the stored type of its dtype.
    /// - Initialization: the rows of a chained product are initialized.
    /// - Lifetime: the buffers outlive the returned matrix.
    pub(super) unsafe fn at<'a, S: 'static>(
        &'a self,
        memory: Memory<'a>,
        batch: usize,
        is_right: bool,
    ) -> Matrix<'a, S> {
        match self {
            // SAFETY: upheld by the caller.
            MatmulOperand::Stored(of) => Matrix::Stored(unsafe { of.at(memory, batch, is_right) }),
            MatmulOperand::Produced(producer) => {
                Matrix::Produced { producer, memory, batch, first: 0 }
            }
            // SAFETY: upheld by the caller.
            MatmulOperand::Chained(rows) => Matrix::Stored(unsafe { rows.at(memory, batch) }),
        }
    }
}

impl Producer {
    fn new(prologue: &Prologue, is_right: bool) -> Producer {
        let shape: Vec<usize> = prologue.domain.axes.iter().map(|axis| axis.len).collect();
        let (mut rows, mut columns) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        let swaps_last_axes = reads_columns(prologue);
        if swaps_last_axes {
            (rows, columns) = (columns, rows);
        }
        let options =
            LoopOptions { columns: Some(columns), swaps_last_axes, ..LoopOptions::default() };
        let code = Loop::new(&prologue.domain, &prologue.code, options);
        Producer { code, rows, columns, has_k_rows: is_right != swaps_last_axes }
    }

    /// Computes elements `first..first + count` by `k0..k0 + kc`, and packs them into panels.
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
            let (rows, columns) = if self.has_k_rows { (k, i) } else { (i, k) };
            scratch::with(count * kc, |computed: &mut [T]| {
                let at = (batch * self.rows + rows.0, columns.0);
                let tile = interp::Operand::of_rows(computed.as_mut_ptr(), columns.1);
                self.code.with_runner(memory, |runner| {
                    // SAFETY: the rectangle is inside the operand, and the tile has its size; the
                    // caller of `MatmulOperand::at` guarantees the memory.
                    unsafe { runner.produce_rectangle(at, (rows.1, columns.1), self.columns, tile) }
                });
                let computed = match self.has_k_rows {
                    true => Strided::columns(computed, columns.1),
                    false => Strided::rows(computed, columns.1),
                };
                computed.pack(0, count, 0, kc, width, panels);
            });
        }
    }
}

impl<S> Matrix<'_, S> {
    /// The matrix without its first `row` rows.
    pub(super) fn starting_at(self, row: usize) -> Self {
        match self {
            Matrix::Stored(of) => {
                let offset = of.offset as isize + row as isize * of.stride_i;
                Matrix::Stored(Strided { offset: offset as usize, ..of })
            }
            Matrix::Produced { producer, memory, batch, first } => {
                Matrix::Produced { producer, memory, batch, first: first + row }
            }
        }
    }
}

impl<T: Element + Storage<T>, S: Storage<T>> Source<T> for Matrix<'_, S> {
    fn pack(&self, first: usize, count: usize, k0: usize, kc: usize, width: usize, dst: &mut [T]) {
        match self {
            Matrix::Stored(stored) => stored.pack(first, count, k0, kc, width, dst),
            Matrix::Produced { producer, memory, batch, first: skipped } => {
                producer.pack((*memory, *batch), (skipped + first, count), (k0, kc), width, dst);
            }
        }
    }

    fn in_place(&self) -> Option<Strided<'_, T>> {
        match self {
            Matrix::Stored(stored) => stored.in_place(),
            Matrix::Produced { .. } => None,
        }
    }
}

/// Whether the largest buffer that the code reads is more contiguous along columns than along rows.
fn reads_columns(prologue: &Prologue) -> bool {
    let strides = prologue.code.steps.iter().filter_map(|step| match &step.op {
        StepOp::Load { view, .. } => {
            let axes = &view.affine()?.axes;
            let [.., row, column] = &axes[..] else { return None };
            Some((view.reach(), row.stride.abs(), column.stride.abs()))
        }
        _ => None,
    });
    let largest = strides.max_by_key(|&(reach, ..)| reach);
    largest.is_some_and(|(_, row, column)| row != 0 && row < column)
}
