//! `Fold`: each element of the result is the sum over the windows that contain it, in window order.
use super::ResultPtr;
use super::dtype_ops::SumOps;
use super::lines::units_per_claim;
use super::stored::Accumulator;
use crate::interp::Memory;
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::ops;

pub(super) struct Fold {
    read: usize,
    /// The input has shape `[outer, windows, inner, size]`, the result `[outer, len, inner]`.
    outer: usize,
    inner: usize,
    size: usize,
    /// Input elements per index of `outer`.
    windowed: usize,
    /// Offsets of the terms of each position of the axis: those of position `p` are
    /// `terms[ends[p]..ends[p + 1]]`.
    terms: Vec<usize>,
    ends: Vec<usize>,
}

impl Fold {
    pub(super) fn new(fold: &ops::Fold, operand: &Operand) -> Fold {
        let (shape, last) = (&operand.ty.shape, operand.ty.rank() - 1);
        let (windows, size) = (shape[fold.axis], shape[last]);
        let inner: usize = shape[fold.axis + 1..last].iter().product();
        let mut terms_of = vec![Vec::new(); fold.len];
        for i in 0..windows {
            for k in 0..size {
                terms_of[i * fold.step + k * fold.dilation].push(i * inner * size + k);
            }
        }
        let mut ends = vec![0];
        ends.extend(terms_of.iter().scan(0, |end, terms| {
            *end += terms.len();
            Some(*end)
        }));
        Fold {
            read: operand.read,
            outer: shape[..fold.axis].iter().product(),
            inner,
            size,
            windowed: windows * inner * size,
            terms: terms_of.concat(),
            ends,
        }
    }

    /// # Safety
    /// - `memory` meets the launch contract of [`Memory`] for the operand, which is contiguous.
    /// - `to` meets the contract of [`ResultPtr`], as bytes.
    /// - `sums` are the functions of the operand's dtype.
    pub(super) unsafe fn run<R: Accumulator>(
        &self,
        sums: SumOps<R>,
        pool: &Pool,
        memory: Memory,
        to: ResultPtr<u8>,
    ) {
        let len = self.ends.len() - 1;
        let claim = units_per_claim(self.windowed / len.max(1));
        let lines = self.outer * len;
        pool.run(lines.div_ceil(claim), &|n| {
            for line in n * claim..((n + 1) * claim).min(lines) {
                let (outer, p) = (line / len, line % len);
                let terms = &self.terms[self.ends[p]..self.ends[p + 1]];
                let x = sums.at(memory, self.read, (outer * self.windowed) as isize);
                let to = sums.to(to, (line * self.inner) as isize);
                // SAFETY: terms are inside the windows of `outer`; the results are this unit's own.
                unsafe { sums.fold(x, (terms, self.size), to, self.inner) };
            }
        });
    }
}
