//! Lines along one axis of a contiguous tensor, and the size of a thread's unit of work.
use super::stored::Accumulator;

/// The lines along one axis. Element `i` of line `(o, n)` is at `(o · len + i) · inner + n`.
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

    /// The offset of the first element of a line.
    pub(super) fn start(&self, line: usize) -> usize {
        line / self.inner * self.len * self.inner + line % self.inner
    }
}

/// The number of units, each of `elements`, that a thread claims at a time: 16384 elements or more.
pub(super) fn units_per_claim(elements: usize) -> usize {
    const CLAIM: usize = 1 << 14;
    CLAIM.div_ceil(elements.max(1))
}

/// An array of zeros.
pub(super) fn zeroed<R: Accumulator, const LEN: usize>() -> [R; LEN] {
    [R::default(); LEN]
}
