//! Lines along one axis of a tensor that lies in order, and blocks of their elements.
use super::stored::Running;

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

/// `len` numbers that stand for nothing.
pub(super) fn blank<R: Running, const LEN: usize>() -> [R; LEN] {
    [R::default(); LEN]
}
