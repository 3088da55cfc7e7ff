//! Matrix products: operands read through their views, the epilogue on each tile while it is hot.
use super::made::Side;
use super::{Library, Target};
use crate::gemm::{
    Accumulate, Element, Epilogue, Output, Plain, Size, Storage, Strided, Tile, gemm_batched,
};
use crate::interp::{self, Memory};
use crate::paths::{self, Path};
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::DType;
use half::{bf16, f16};

/// An operand as a batch of strided matrices.
pub(super) struct Matrices {
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
    pub(super) a: Side,
    pub(super) b: Side,
    pub(super) size: Size,
    pub(super) batch: usize,
    dtype: DType,
}

impl Contract {
    /// `None` for element types without a fast path.
    pub(super) fn new(operands: &[Operand], first_write: usize) -> Option<Contract> {
        let (a, b) = (&operands[0], &operands[1]);
        let rank = a.ty.rank();
        let (m, k, n) = (a.ty.shape[rank - 2], a.ty.shape[rank - 1], b.ty.shape[rank - 1]);
        let batch = a.ty.shape[..rank - 2].iter().product();
        let dtype = a.ty.dtype;
        let (a, b) = (Side::new(a, false, first_write)?, Side::new(b, true, first_write)?);
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
            if let Side::Rows(rows) = &self.a
                && rows.comes_in_blocks()
            {
                paths::hit(Path::ContractRows);
                return match self.dtype {
                    DType::F32 => rows.run::<f32>(self, library, pool, memory),
                    _ => rows.run::<f64>(self, library, pool, memory),
                };
            }
            if let Side::Rows(rows) = &self.a {
                return rows.with_all(pool, memory, |memory| self.whole(library, pool, memory));
            }
            self.whole(library, pool, memory);
        }
    }

    /// The products when both operands are at hand.
    unsafe fn whole(&self, library: &Library, pool: &Pool, memory: Memory) {
        if self.dtype.bytes() == 2 {
            paths::hit(Path::ContractNarrow);
        }
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

    unsafe fn typed<S: Storage<T>, T: Element + Storage<T>>(
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
            let is_later = library.epilogue.has_reduces() && !library.epilogue.takes_rows();
            let finish = Finish { library, memory, m, n, first: 0 };
            let epilogue: &dyn Epilogue<T> =
                if library.is_plain() || is_later { &Plain } else { &finish };
            gemm_batched(pool, self.batch, self.size, &item, epilogue);
            if is_later {
                // SAFETY: promised by the caller; the product is there.
                unsafe { library.finish(pool, memory, c) };
            }
        });
    }
}

/// The code behind a product of `m` rows and `n` columns, from row `first` of each matrix on.
pub(super) struct Finish<'a> {
    pub(super) library: &'a Library,
    pub(super) memory: Memory<'a>,
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) first: usize,
}

impl<T> Epilogue<T> for Finish<'_> {
    fn finish(&self, tile: &mut Tile<T>) {
        let Finish { library, memory, m, n, first } = *self;
        let (row, rows) = (tile.batch * m + first + tile.row, tile.rows);
        let (col, cols) = (tile.col, tile.cols);
        let anchor = interp::Operand::of_rows(tile.row_mut(0).as_mut_ptr(), n);
        library.epilogue.with_thread(memory, |thread| {
            // SAFETY: the tile is the result at these elements.
            unsafe {
                match self.library.epilogue.has_reduces() {
                    true => thread.rows(row, rows, anchor),
                    false => thread.rectangle((row, col), (rows, cols), n, anchor),
                }
            }
        });
    }

    fn needs_rows(&self) -> bool {
        self.library.epilogue.has_reduces()
    }
}

impl Matrices {
    pub(super) fn new(operand: &Operand) -> Option<Matrices> {
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
    pub(super) unsafe fn at<S>(
        &self,
        memory: Memory,
        batch: usize,
        is_right: bool,
    ) -> Strided<'static, S> {
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
