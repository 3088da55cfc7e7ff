//! `Fold`: every element of the result sums the windows that it lies in, in their order.
use super::Target;
use super::blocks::Sums;
use super::lines::per_claim;
use super::stored::Running;
use crate::interp::Memory;
use crate::pool::Pool;
use brasa_compile::kernel::Operand;
use brasa_ir::ops;

pub(super) struct Fold {
    read: usize,
    /// Windows are `[outer, windows, inner, size]`, the result `[outer, len, inner]`.
    outer: usize,
    inner: usize,
    size: usize,
    /// Elements of all windows of one `outer`.
    windowed: usize,
    /// Where the terms of each place of the axis lie, those of place `p` at `ends[p]..ends[p + 1]`.
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
    /// The buffers are as large as the operand's view and the target say.
    pub(super) unsafe fn run<R: Running>(
        &self,
        sums: Sums<R>,
        pool: &Pool,
        memory: Memory,
        to: Target<u8>,
    ) {
        let len = self.ends.len() - 1;
        let claim = per_claim(self.windowed / len.max(1));
        let places = self.outer * len;
        pool.run(places.div_ceil(claim), &|n| {
            for place in n * claim..((n + 1) * claim).min(places) {
                let (outer, p) = (place / len, place % len);
                let terms = &self.terms[self.ends[p]..self.ends[p + 1]];
                let x = sums.at(memory, self.read, (outer * self.windowed) as isize);
                let to = sums.to(to, (place * self.inner) as isize);
                // SAFETY: promised by the caller.
                unsafe { sums.fold(x, (terms, self.size), to, self.inner) };
            }
        });
    }
}
