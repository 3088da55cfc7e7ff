//! Views: maps from the indices of a tensor to elements of storage, so that movement ops copy
//! nothing. A view is a stack of affine layers, and every movement op returns a new view. A layer
//! is added only if one affine map is not enough, and layers are merged as soon as that is
//! possible.

mod bounded;
mod layer;
#[cfg(test)]
mod tests;

pub use bounded::{Bound, BoundedLayer};
pub use layer::{Axis, Layer};

use smallvec::SmallVec;
use std::fmt::{self, Display, Formatter};

type Dims = SmallVec<[usize; 4]>;
type Strides = SmallVec<[isize; 4]>;

/// A run of elements with a constant stride, or of padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// `None` if all are padding.
    pub first: Option<usize>,
    pub stride: isize,
    pub len: usize,
}

/// A map from the indices of a shape to elements of storage, or to padding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    top: Layer,
    /// The layers that `top` reads through: storage first, nearest last.
    below: Vec<Layer>,
}

impl View {
    /// The plain row-major view of storage with this shape.
    pub fn new(shape: &[usize]) -> View {
        View { top: Layer::contiguous(shape), below: Vec::new() }
    }

    /// The view of these layers, outermost first, as [`View::layers`] returns them; `None` if an
    /// index could be out of range of the layer below. For untrusted input.
    pub fn from_layers(mut layers: Vec<Layer>) -> Option<View> {
        let reaches = layers.iter().map(Layer::checked_reach).collect::<Option<Vec<_>>>()?;
        let is_inside = |(reach, below): (&usize, &Layer)| *reach <= below.len();
        // Layers below a scalar can only mark it as padding, so they have at most one element.
        let is_short = |layer: &Layer| layer.len() <= 1;
        let is_scalar = layers.first()?.axes.is_empty();
        if !reaches.iter().zip(&layers[1..]).all(is_inside)
            || is_scalar && !layers.iter().all(is_short)
        {
            return None;
        }
        layers.reverse();
        let top = layers.pop()?;
        Some(View { top, below: layers })
    }

    /// The minimum number of elements of the storage.
    pub fn reach(&self) -> usize {
        let has_elements = !self.layers().any(Layer::is_padding);
        let lowest = self.below.first().unwrap_or(&self.top);
        if has_elements { lowest.checked_reach().unwrap_or(usize::MAX) } else { 0 }
    }

    /// The view all of whose elements are padding.
    fn padding(shape: &[usize]) -> View {
        let mut top = Layer::contiguous(shape);
        top.axes.iter_mut().for_each(|axis| *axis = Axis { hi: 0, ..Axis::repeated(axis.len) });
        // A scalar has no axis to mask, so it reads an axis of length 1 that is masked.
        let below = if shape.is_empty() { vec![View::padding(&[1]).top] } else { Vec::new() };
        View { top, below }
    }

    /// The lengths of the axes a reader sees.
    pub fn shape(&self) -> Dims {
        self.top.shape()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.top.axes.len()
    }

    /// Number of elements, padding and repeats included.
    pub fn len(&self) -> usize {
        self.top.len()
    }

    /// True when an axis has length 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when element `i` of the view is element `i` of storage.
    pub fn is_contiguous(&self) -> bool {
        self.below.is_empty() && self.top == Layer::contiguous(&self.shape())
    }

    /// The view as shape, strides and offset, when it is one layer without padding.
    pub fn affine(&self) -> Option<&Layer> {
        (self.below.is_empty() && !self.top.is_masked()).then_some(&self.top)
    }

    /// The layers from the outermost, which has the view's shape, down to storage.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        std::iter::once(&self.top).chain(self.below.iter().rev())
    }

    /// The storage element at `index`, or `None` for padding.
    pub fn index(&self, index: &[usize]) -> Option<usize> {
        debug_assert_eq!(index.len(), self.rank(), "index: {index:?} is not one number per axis");
        self.index_flat(self.top.axes.iter().zip(index).fold(0, |flat, (a, i)| flat * a.len + i))
    }

    /// The storage element of the view's `flat`-th element in row-major order.
    pub fn index_flat(&self, flat: usize) -> Option<usize> {
        debug_assert!(flat < self.len(), "index: element {flat} of {}", self.len());
        self.layers().try_fold(flat, |flat, layer| layer.at(flat))
    }

    /// The longest run of constant stride, or of padding, among the elements `flat`, `flat +
    /// step`, …, at most `most` of them.
    pub fn stretch(&self, flat: usize, step: usize, most: usize) -> Stretch {
        let (mut first, mut stride, mut len) = (flat, step as isize, most.max(1));
        for layer in self.layers() {
            let (at, along, own) = layer.stretch(first, stride);
            len = len.min(own);
            let Some(at) = at else { return Stretch { first: None, stride: 0, len } };
            (first, stride) = (at, along);
        }
        Stretch { first: Some(first), stride, len }
    }

    /// The same elements in the same row-major order under another shape.
    pub fn reshape(&self, shape: &[usize]) -> View {
        debug_assert_eq!(
            shape.iter().product::<usize>(),
            self.len(),
            "reshape: {self} to {shape:?}"
        );
        self.stacked(shape).simplified()
    }

    /// Axis `i` of the result is axis `order[i]`.
    pub fn permute(&self, order: &[usize]) -> View {
        debug_assert!(
            order.len() == self.rank() && (0..order.len()).all(|a| order.contains(&a)),
            "permute: {order:?} does not name each axis once"
        );
        self.edited(|top| top.axes = order.iter().map(|&a| top.axes[a]).collect())
    }

    /// Repeats axes of length 1; shapes are aligned at the right and may gain leading axes.
    pub fn expand(&self, shape: &[usize]) -> View {
        debug_assert!(shape.len() >= self.rank(), "expand: {shape:?} lacks axes of {self}");
        let (leading, own) = shape.split_at(shape.len() - self.rank());
        let widened = |(&axis, &n): (&Axis, &usize)| {
            debug_assert!(axis.len == n || axis.len == 1, "expand: {} to {n}", axis.len);
            // An axis of length 1 is all padding (`hi` is 0) or all valid, and so is the result.
            if axis.len == n { axis } else { Axis { hi: axis.hi * n, ..Axis::repeated(n) } }
        };
        self.edited(|top| {
            let own = top.axes.iter().zip(own).map(widened);
            top.axes = leading.iter().map(|&n| Axis::repeated(n)).chain(own).collect();
        })
    }

    /// On each axis the `len` elements `start`, `start + step`, and so on.
    pub fn slice(&self, start: &[usize], len: &[usize], step: &[usize]) -> View {
        debug_assert_eq!([start.len(), len.len(), step.len()], [self.rank(); 3], "slice: {self}");
        self.edited(|top| {
            for a in 0..len.len() {
                let fits = len[a] == 0 || start[a] + (len[a] - 1) * step[a] < top.axes[a].len;
                debug_assert!(fits && step[a] > 0, "slice: leaves axis {a} of {top}");
                top.walk(a, start[a] as isize, step[a] as isize, len[a]);
            }
        })
    }

    /// Padding in front of and behind each axis.
    pub fn pad(&self, before: &[usize], after: &[usize]) -> View {
        debug_assert_eq!([before.len(), after.len()], [self.rank(); 2], "pad: {self}");
        self.edited(|top| {
            for (a, (&before, &after)) in before.iter().zip(after).enumerate() {
                top.walk(a, -(before as isize), 1, before + top.axes[a].len + after);
            }
        })
    }

    /// Reverses the order along each of `axes`.
    pub fn flip(&self, axes: &[usize]) -> View {
        self.edited(|top| {
            for &a in axes {
                let len = top.axes[a].len;
                top.walk(a, len as isize - 1, -1, len);
            }
        })
    }

    /// Windows along `axis`, their elements on a new last axis:
    /// `out[.., i, .., k] = x[.., i·step + k·dilation, ..]`.
    pub fn window(&self, axis: usize, size: usize, step: usize, dilation: usize) -> View {
        debug_assert!(size > 0 && step > 0 && dilation > 0, "window: zero size, step or dilation");
        let reach = dilation * (size - 1) + 1;
        let len = self.top.axes[axis].len;
        debug_assert!(reach <= len, "window: spans {reach} elements on axis {axis} of {self}");
        // Padding would depend on `i` and `k` together, so a masked axis is left to a layer below.
        let is_masked = self.top.axes[axis].is_masked();
        let view = if is_masked { self.stacked(&self.shape()) } else { self.clone() };
        view.edited(|top| {
            let stride = top.axes[axis].stride * dilation as isize;
            top.walk(axis, 0, step as isize, (len - reach) / step + 1);
            top.axes.push(Axis { stride, ..Axis::repeated(size) });
        })
    }

    /// The elements `x[.., i, .., i + offset, ..]`: two axes vanish and `i` is the new last axis.
    pub fn diagonal(&self, axis1: usize, axis2: usize, offset: isize) -> View {
        debug_assert_ne!(axis1, axis2, "diagonal: needs two axes");
        let (start1, start2) = ((-offset).max(0), offset.max(0));
        self.edited(|top| {
            let rest = |axis: usize, start| top.axes[axis].len.saturating_sub(start as usize);
            let len = rest(axis1, start1).min(rest(axis2, start2));
            top.walk(axis1, start1, 1, len);
            top.walk(axis2, start2, 1, len);
            let (a, b) = (top.axes[axis1], top.axes[axis2]);
            top.axes.remove(axis1.max(axis2));
            top.axes.remove(axis1.min(axis2));
            let (lo, hi) = (a.lo.max(b.lo), a.hi.min(b.hi));
            top.axes.push(Axis { len, stride: a.stride + b.stride, lo, hi });
        })
    }

    /// This view with another top layer, which reads the same elements below.
    fn edited(&self, edit: impl FnOnce(&mut Layer)) -> View {
        let mut view = self.clone();
        edit(&mut view.top);
        view.top.normalize();
        view.simplified()
    }

    /// The same elements read through one more layer, which is contiguous.
    fn stacked(&self, shape: &[usize]) -> View {
        let below = self.below.iter().chain([&self.top]).cloned().collect();
        View { top: Layer::contiguous(shape), below }
    }

    /// Merges layers from the top; empty views and views of padding have one form per shape.
    fn simplified(mut self) -> View {
        if self.is_empty() {
            return View::new(&self.shape());
        }
        loop {
            if self.layers().any(Layer::is_padding) {
                return View::padding(&self.shape());
            }
            let Some(merged) = self.below.last().and_then(|below| self.top.over(below)) else {
                return self;
            };
            self.top = merged;
            self.below.pop();
        }
    }
}

/// `[6, 4]:(4, 1)-4 valid (1..5, ..) of [20]:(1)+0`: shape, strides, offset, and the layer below.
impl Display for View {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.top)?;
        self.below.iter().rev().try_for_each(|layer| write!(f, " of {layer}"))
    }
}
