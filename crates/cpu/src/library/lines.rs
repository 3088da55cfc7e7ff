//! Lines along one axis of a tensor that lies in order, and blocks of their elements.
use super::stored::{Running, Stored};
use crate::level::vectorized;

/// Element `i` of line `(outer, inner)` is `(outer · len + i) · inner_len + inner`.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) outer: usize,
    pub(super) len: usize,
    pub(super) inner: usize,
}

impl Lines {
    pub(super) fn new(shape: &[usize], axis: usize) -> Lines {
        let outer = shape[..axis].iter().product();
        Lines { outer, len: shape[axis], inner: shape[axis + 1..].iter().product() }
    }

    pub(super) fn count(&self) -> usize {
        self.outer * self.inner
    }

    /// The first element of a line.
    pub(super) fn start(&self, line: usize) -> usize {
        line / self.inner * self.len * self.inner + line % self.inner
    }
}

/// How many units of work of some elements each make one claim: 16384 elements or more.
pub(super) fn per_claim(elements: usize) -> usize {
    const CLAIM: usize = 1 << 14;
    CLAIM.div_ceil(elements.max(1))
}

vectorized! {
    /// Elements as registers hold them.
    pub(super) fn widen<S: Stored>(from: &[S], to: &mut [S::Wide]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.widen();
        }
    }
}

vectorized! {
    /// Every `stride`-th element from `from` on, as registers hold them.
    pub(super) fn widen_strided<S: Stored>(from: *const S, stride: isize, to: &mut [S::Wide]) {
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: callers ask for elements inside of a buffer.
            *to = unsafe { *from.offset(stride * i as isize) }.widen();
        }
    }
}

vectorized! {
    /// Elements as running results.
    pub(super) fn sums<S: Stored>(from: &[S], to: &mut [S::Sum]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.sum();
        }
    }
}

vectorized! {
    /// Running results as registers hold them.
    pub(super) fn settle<S: Stored>(from: &[S::Sum], to: &mut [S::Wide]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = S::settle(*from);
        }
    }
}

vectorized! {
    /// Rounds or wraps what was computed in registers.
    pub(super) fn settle_in_place<S: Stored>(x: &mut [S::Wide]) {
        for x in x {
            *x = S::settle_wide(*x);
        }
    }
}

/// `len` numbers that stand for nothing.
pub(super) fn blank<R: Running, const LEN: usize>() -> [R; LEN] {
    [R::default(); LEN]
}
