//! Matrix products: operands read through their views, the epilogue on each tile while it is hot.
use super::{Library, Target};
use crate::gemm::{Accumulate, Element, Output, Plain, Size, Storage, Strided, Tile, gemm_batched};
use crate::interp::{self, Memory};
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::DType;
use half::{bf16, f16};

/// An operand as a batch of strided matrices.
struct Matrices {
    read: usize,
    offset: isize,
    /// Lengths and strides of the batch axes.
    batch: Vec<(usize, isize)>,
    row: isize,
    col: isize,
    /// Elements of the buffer that the view can reach.
    reach: usize,
}

pub(super) struct Contract {
    a: Matrices,
    b: Matrices,
    size: Size,
    batch: usize,
    dtype: DType,
}

impl Contract {
    /// `None` for element types without a fast path.
    pub(super) fn new(operands: &[Operand]) -> Option<Contract> {
        let (a, b) = (&operands[0], &operands[1]);
        let rank = a.ty.rank();
        let (m, k, n) = (a.ty.shape[rank - 2], a.ty.shape[rank - 1], b.ty.shape[rank - 1]);
        let batch = a.ty.shape[..rank - 2].iter().product();
        let dtype = a.ty.dtype;
        let (a, b) = (Matrices::new(a)?, Matrices::new(b)?);
        dtype.is_float().then_some(Contract { a, b, size: Size { m, n, k }, batch, dtype })
    }

    /// Columns of the result.
    pub(super) fn columns(&self) -> usize {
        self.size.n
    }

    /// # Safety
    /// The buffers are as large as the operands' views and the kernel's writes say.
    pub(super) unsafe fn run(&self, library: &Library, pool: &Pool, memory: Memory) {
        // SAFETY: promised by the caller.
        unsafe {
            match self.dtype {
                DType::F32 => self.typed::<f32, f32>(library, pool, memory),
                DType::F64 => self.typed::<f64, f64>(library, pool, memory),
                DType::F16 => self.typed::<f16, f32>(library, pool, memory),
                DType::BF16 => self.typed::<bf16, f32>(library, pool, memory),
                other => unreachable!("{other} has no fast path"),
            }
        }
    }

    unsafe fn typed<S: Storage<T>, T: Element>(
        &self,
        library: &Library,
        pool: &Pool,
        memory: Memory,
    ) {
        let Size { m, n, .. } = self.size;
        library.with_target::<T, ()>(memory, |c: Target<T>| {
            let item = |batch: usize| {
                // SAFETY: views stay inside their buffers, and each product has its own output.
                unsafe {
                    let a = self.a.at::<S>(memory, batch, false);
                    let b = self.b.at::<S>(memory, batch, true);
                    let start = c.at(batch * m * n);
                    (a, b, Output::from_raw(start, m * n, n, Accumulate::Replace))
                }
            };
            if library.is_plain() {
                return gemm_batched(pool, self.batch, self.size, &item, &Plain);
            }
            let finish = |tile: &mut Tile<T>| {
                let (from, size) = ((tile.batch * m + tile.row, tile.col), (tile.rows, tile.cols));
                let anchor = interp::Operand::of_rows(tile.row_mut(0).as_mut_ptr(), n);
                library.epilogue.with_thread(memory, |thread| {
                    // SAFETY: the tile is the result at these elements.
                    unsafe { thread.rectangle(from, size, n, anchor) };
                });
            };
            gemm_batched(pool, self.batch, self.size, &item, &finish);
        });
    }
}

impl Matrices {
    fn new(operand: &Operand) -> Option<Matrices> {
        let layer = operand.view.affine()?;
        let (batch, matrix) = layer.axes.split_at(layer.axes.len() - 2);
        let batch = batch.iter().map(|axis| (axis.len, axis.stride)).collect();
        Some(Matrices {
            read: operand.read,
            offset: layer.offset,
            batch,
            row: matrix[0].stride,
            col: matrix[1].stride,
            reach: super::reach(&operand.view),
        })
    }

    /// Matrix number `batch`; of the right operand, `i` counts columns.
    unsafe fn at<S>(&self, memory: Memory, batch: usize, is_right: bool) -> Strided<'static, S> {
        let (mut offset, mut rest) = (self.offset, batch);
        for &(len, stride) in self.batch.iter().rev() {
            offset += (rest % len) as isize * stride;
            rest /= len;
        }
        // SAFETY: the caller promises that the buffer holds all that the view reaches.
        let data =
            unsafe { std::slice::from_raw_parts(memory.reads[self.read].cast::<S>(), self.reach) };
        let offset = offset as usize;
        match is_right {
            false => Strided { data, offset, stride_i: self.row, stride_k: self.col },
            true => Strided { data, offset, stride_i: self.col, stride_k: self.row },
        }
    }
}
