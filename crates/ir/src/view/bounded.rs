//! Views of several layers as one affine map with linear bounds, for padding that is not a range
//! on each axis, such as in windows over padded rows.
use super::layer::{Digit, multiples};
use super::{Layer, Strides, View};

/// An affine map with bounds: an index is padding if it is outside of the layer's ranges or
/// violates a bound.
#[derive(Clone, Debug)]
pub struct BoundedLayer {
    pub layer: Layer,
    pub bounds: Vec<Bound>,
}

/// `lo <= start + Σ step·i < hi`.
#[derive(Clone, Debug)]
pub struct Bound {
    pub start: isize,
    pub steps: Strides,
    pub lo: isize,
    pub hi: isize,
}

impl View {
    /// The view as a single layer with bounds; `None` if finding an element needs a division, or
    /// if there are no elements.
    pub fn bounded(&self) -> Option<BoundedLayer> {
        let mut bounds = Vec::new();
        let mut layers = self.layers();
        let mut layer = layers.next()?.clone();
        for below in layers {
            if below.is_padding() {
                return None;
            }
            let below = below.coalesced();
            let mut next = layer.with_zero_strides(below.offset);
            for Digit { start, steps, axis } in layer.digits(&below) {
                let (min, max) = layer.span(start, &steps);
                if min < 0 || max >= axis.len as isize {
                    return None;
                }
                next.walk_along(start, &steps, &axis);
                let (lo, hi) = (axis.lo as isize, axis.hi as isize);
                if min < lo || max >= hi {
                    bounds.push(Bound { start, steps, lo, hi });
                }
            }
            layer = next;
        }
        Some(BoundedLayer { layer, bounds })
    }
}

impl Bound {
    /// The range of offsets along `axis`, counted from `index`, in which the bound holds.
    pub fn range(&self, index: &[usize], axis: usize) -> (usize, usize) {
        let moved = self.steps.iter().zip(index).map(|(step, &i)| step * i as isize);
        let at = self.start + moved.sum::<isize>();
        match self.steps[axis] {
            0 if (self.lo..self.hi).contains(&at) => (0, usize::MAX),
            0 => (0, 0),
            step => multiples(step, self.lo - at, self.hi - at, isize::MAX as usize),
        }
    }
}
