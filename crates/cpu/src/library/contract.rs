//! Matrix products of floats: operands are read through their views, and the epilogue runs on each
//! tile while it is in cache.
use super::producer::MatmulOperand;
use super::{Library, ResultPtr};
use crate::gemm::{
    Accumulate, Element, Epilogue, NoEpilogue, Output, Size, Storage, Strided, Tile, gemm_batched,
};
use crate::interp::{self, Memory};
use crate::paths::{self, Path};
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::DType;
use half::{bf16, f16};

/// A stored operand: a batch of strided matrices.
pub(super) struct Matrices {
    read: usize,
    offset: isize,
    /// Lengths and strides of the batch axes.
    batch: Vec<(usize, isize)>,
    row: isize,
    col: isize,
    /// Number of elements of the buffer that the view can reach.
    reach: usize,
}

pub(super) struct Contract {
    pub(super) a: MatmulOperand,
    pub(super) b: MatmulOperand,
    pub(super) size: Size,
    pub(super) batch: usize,
    dtype: DType,
}

impl Contract {
    /// `None` for dtypes and views that this kernel does not support.
    pub(super) fn new(operands: &[Operand], first_write: usize) -> Option<Contract> {
        let (a, b) = (&operands[0], &operands[1]);
        let rank = a.ty.rank();
        let (m, k, n) = (a.ty.shape[rank - 2], a.ty.shape[rank - 1], b.ty.shape[rank - 1]);
        let batch = a.ty.shape[..rank - 2].iter().product();
        let dtype = a.ty.dtype;
        let (a, b) =
            (MatmulOperand::new(a, false, first_write)?, MatmulOperand::new(b, true, first_write)?);
        dtype.is_float().then_some(Contract { a, b, size: Size { m, n, k }, batch, dtype })
    }

    /// Columns of the result.
    pub(super) fn columns(&self) -> usize {
        self.size.n
    }

    /// # Safety
    /// `memory` meets the launch contract of [`Memory`] for the reads and writes of `library`,
    /// which this product belongs to.
    pub(super) unsafe fn run(&self, library: &Library, pool: &Pool, memory: Memory) {
        // SAFETY: upheld by the caller.
        unsafe {
            if let MatmulOperand::Chained(rows) = &self.a
                && rows.has_independent_rows()
            {
                paths::hit(Path::ContractRows);
                return match self.dtype {
                    DType::F32 => rows.run::<f32>(self, library, pool, memory),
                    _ => rows.run::<f64>(self, library, pool, memory),
                };
            }
            if let MatmulOperand::Chained(rows) = &self.a {
                return rows.with_all(pool, memory, |memory| self.multiply(library, pool, memory));
            }
            self.multiply(library, pool, memory);
        }
    }

    /// Runs all products, when the rows of a chained product are in memory.
    ///
    /// # Safety
    /// As [`Contract::run`]; the rows of a chained product are initialized.
    unsafe fn multiply(&self, library: &Library, pool: &Pool, memory: Memory) {
        if self.dtype.bytes() == 2 {
            paths::hit(Path::ContractNarrow);
        }
        // SAFETY: upheld by the caller; the types are those of the dtype.
        unsafe {
            match self.dtype {
                DType::F32 => self.multiply_as::<f32, f32>(library, pool, memory),
                DType::F64 => self.multiply_as::<f64, f64>(library, pool, memory),
                DType::F16 => self.multiply_as::<f16, f32>(library, pool, memory),
                DType::BF16 => self.multiply_as::<bf16, f32>(library, pool, memory),
                other => unreachable!("internal error, please report: {other} is not a float"),
            }
        }
    }

    /// Runs all products of elements that are stored as `S` and multiplied as `T`.
    ///
    /// # Safety
    /// As [`Contract::run`]; `S` is the stored type of the dtype.
    unsafe fn multiply_as<S: Storage<T>, T: Element + Storage<T>>(
        &self,
        library: &Library,
        pool: &Pool,
        memory: Memory,
    ) {
        let Size { m, n, .. } = self.size;
        library.with_result::<T, ()>(memory, |c: ResultPtr<T>| {
            let item = |batch: usize| {
                // SAFETY: views are inside their buffers, and each product has its own output,
                // which lives until `with_result` returns.
                unsafe {
                    let a = self.a.at::<S>(memory, batch, false);
                    let b = self.b.at::<S>(memory, batch, true);
                    let start = c.at(batch * m * n);
                    (a, b, Output::from_raw(start, m * n, n, Accumulate::Replace))
                }
            };
            let runs_after = library.epilogue.has_reduces() && !library.epilogue.takes_rows();
            let finish = Finish { library, memory, m, n, first: 0 };
            let epilogue: &dyn Epilogue<T> =
                if library.skips_epilogue() || runs_after { &NoEpilogue } else { &finish };
            gemm_batched(pool, self.batch, self.size, &item, epilogue);
            if runs_after {
                // SAFETY: the caller meets the contract, and the product is complete.
                unsafe { library.run_epilogue(pool, memory, c) };
            }
        });
    }
}

/// The epilogue of a product of `m` rows and `n` columns, for rows from `first` on of each matrix.
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
        library.epilogue.with_runner(memory, |runner| {
            // SAFETY: the tile is the part of the result at these indices and belongs to this
            // thread; `Contract::run` guarantees the memory.
            unsafe {
                match self.library.epilogue.has_reduces() {
                    true => runner.run_rows(row, rows, anchor),
                    false => runner.run_rectangle((row, col), (rows, cols), n, anchor),
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

    /// Matrix number `batch`. Index `i` counts columns of the right operand, rows of the left one.
    ///
    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operand.
    /// - `S` is the stored type of its dtype.
    /// - Lifetime: the buffer outlives the returned view.
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
        // SAFETY: by the launch contract, the buffer holds all that the view reaches.
        let data =
            unsafe { std::slice::from_raw_parts(memory.reads[self.read].cast::<S>(), self.reach) };
        let offset = offset as usize;
        match is_right {
            false => Strided { data, offset, stride_i: self.row, stride_k: self.col },
            true => Strided { data, offset, stride_i: self.col, stride_k: self.row },
        }
    }
}
