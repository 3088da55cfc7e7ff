//! Iteration over several views of one shape: axes are merged if all views allow it.
use brasa_ir::view::View;

/// Axes and offsets of `N` strided views of one shape.
pub(super) struct Walk<const N: usize> {
    pub(super) axes: Vec<Axis<N>>,
    pub(super) offsets: [isize; N],
}

#[derive(Clone, Copy)]
pub(super) struct Axis<const N: usize> {
    pub(super) len: usize,
    pub(super) strides: [isize; N],
}

impl<const N: usize> Walk<N> {
    /// A walk over the leading axes `shape` of the views; `None` if one of them is not affine.
    pub(super) fn new(shape: &[usize], views: [&View; N]) -> Option<Walk<N>> {
        let layers: Vec<_> = views.iter().map(|view| view.affine()).collect::<Option<_>>()?;
        let axis = |n: usize| Axis {
            len: shape[n],
            strides: std::array::from_fn(|v| layers[v].axes[n].stride),
        };
        let axes = (0..shape.len()).map(axis).collect();
        Some(Walk { axes, offsets: std::array::from_fn(|v| layers[v].offset) })
    }

    /// Merges adjacent axes that are one axis in all views.
    pub(super) fn merged(mut self) -> Walk<N> {
        self.axes.retain(|axis| axis.len != 1);
        for n in (1..self.axes.len()).rev() {
            let (outer, inner) = (self.axes[n - 1], self.axes[n]);
            let follows = |v: usize| outer.strides[v] == inner.strides[v] * inner.len as isize;
            if (0..N).all(follows) {
                self.axes[n - 1] = Axis { len: outer.len * inner.len, ..inner };
                self.axes.remove(n);
            }
        }
        self
    }

    pub(super) fn elements(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// Removes and returns the last axis, or an axis of length 1 if there is none.
    pub(super) fn pop(&mut self) -> Axis<N> {
        self.axes.pop().unwrap_or(Axis { len: 1, strides: [0; N] })
    }

    /// The offset of element `flat` in every view.
    pub(super) fn at(&self, flat: usize) -> [isize; N] {
        self.at_within(flat, None)
    }

    /// As [`Walk::at`], with an axis restricted to a range.
    pub(super) fn at_within(&self, mut flat: usize, range: Option<&AxisRange>) -> [isize; N] {
        let mut offsets = self.offsets;
        for (n, axis) in self.axes.iter().enumerate().rev() {
            let (start, len) = match range.filter(|range| range.axis == n) {
                Some(range) => (range.start, range.len),
                None => (0, axis.len),
            };
            let i = (start + flat % len) as isize;
            flat /= len;
            (0..N).for_each(|v| offsets[v] += i * axis.strides[v]);
        }
        offsets
    }
}

/// A range of one axis.
pub(super) struct AxisRange {
    pub(super) axis: usize,
    pub(super) start: usize,
    pub(super) len: usize,
}
