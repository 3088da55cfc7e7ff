//! One affine map of a view, and the merging of two.
use super::{Dims, Strides};
use crate::shape::MAX_ELEMENTS;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::fmt::{self, Display, Formatter};

/// One axis of a layer: indices outside `lo..hi` are padding and read the fill value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    pub len: usize,
    /// Elements from one index to the next: negative when flipped, 0 when repeated.
    pub stride: isize,
    /// The first valid index.
    pub lo: usize,
    /// One past the last valid index.
    pub hi: usize,
}

/// An affine map: index `i` is element `offset + Σ stride·i` of the layer below, or of storage.
///
/// `offset` is where index 0 would be, so padding in front can make it negative. An axis with one
/// valid index has stride 0, so that equal maps are equal layers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layer {
    pub axes: SmallVec<[Axis; 4]>,
    pub offset: isize,
}

/// The position `start + Σ step·i` on an axis below.
pub(super) struct Digit {
    pub(super) start: isize,
    pub(super) steps: Strides,
    pub(super) axis: Axis,
}

impl Axis {
    pub(super) fn repeated(len: usize) -> Axis {
        Axis { len, stride: 0, lo: 0, hi: len }
    }

    /// True when some indices are padding.
    pub fn is_masked(&self) -> bool {
        self.lo > 0 || self.hi < self.len
    }

    /// The least and the greatest `step·i` over valid indices.
    fn span(&self, step: isize) -> (isize, isize) {
        let ends = (step * self.lo as isize, step * (self.hi as isize - 1));
        (ends.0.min(ends.1), ends.0.max(ends.1))
    }
}

impl Layer {
    pub(super) fn contiguous(shape: &[usize]) -> Layer {
        let mut layer = Layer { axes: SmallVec::new(), offset: 0 };
        let mut stride = 1;
        for &len in shape.iter().rev() {
            layer.axes.push(Axis { stride, ..Axis::repeated(len) });
            stride *= len as isize;
        }
        layer.axes.reverse();
        layer.normalize();
        layer
    }

    /// The lengths of the axes.
    pub fn shape(&self) -> Dims {
        self.axes.iter().map(|axis| axis.len).collect()
    }

    /// The strides of the axes.
    pub fn strides(&self) -> Strides {
        self.axes.iter().map(|axis| axis.stride).collect()
    }

    /// True when some indices are padding.
    pub fn is_masked(&self) -> bool {
        self.axes.iter().any(Axis::is_masked)
    }

    /// True when all indices are padding, or there are none.
    pub(super) fn is_padding(&self) -> bool {
        self.axes.iter().any(|axis| axis.lo >= axis.hi)
    }

    pub(super) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// One past the last element below that an index can reach; `None` if an index is negative
    /// below, or if the numbers are so large that sums of them could overflow.
    pub(super) fn checked_reach(&self) -> Option<usize> {
        let total =
            self.axes.iter().try_fold(1u64, |n, axis| n.checked_mul(axis.len.max(1) as u64));
        let total = total.filter(|&total| total <= MAX_ELEMENTS as u64)? as i128;
        let (mut least, mut most) = (self.offset as i128, self.offset as i128);
        let mut extent = least.abs();
        for axis in &self.axes {
            if axis.lo > axis.len || axis.hi > axis.len {
                return None;
            }
            let stride = axis.stride as i128;
            let ends = (stride * axis.lo as i128, stride * (axis.hi as i128 - 1));
            least += ends.0.min(ends.1);
            most += ends.0.max(ends.1);
            extent += stride.abs() * total;
        }
        if extent > 1 << 60 || self.axes.len() > 64 {
            return None;
        }
        match self.is_padding() {
            true => Some(0),
            false => (least >= 0).then(|| most as usize + 1),
        }
    }

    /// The element below this layer's `flat`-th element.
    pub(super) fn at(&self, mut flat: usize) -> Option<usize> {
        let mut element = self.offset;
        for axis in self.axes.iter().rev() {
            let i = flat % axis.len;
            flat /= axis.len;
            if i < axis.lo || i >= axis.hi {
                return None;
            }
            element += i as isize * axis.stride;
        }
        Some(element as usize)
    }

    /// The element below this layer's `flat`-th element, the stride below for steps of `step`
    /// elements, and for how many elements that stride holds.
    pub(super) fn stretch(&self, flat: usize, step: isize) -> (Option<usize>, isize, usize) {
        let Some(last) = self.axes.last() else { return (self.at(flat), 0, usize::MAX) };
        let position = flat % last.len.max(1);
        // The end of the current run of valid or padding indices on the last axis.
        let end = match position {
            p if p < last.lo => last.lo,
            p if p < last.hi => last.hi,
            _ => last.len,
        };
        let len = match step {
            0 => usize::MAX,
            1.. => (end - position).div_ceil(step as usize),
            _ => 1,
        };
        (self.at(flat), step * last.stride, len)
    }

    /// Renumbers an axis: index `i` was `start + i·step`, and is padding if there was none.
    pub(super) fn walk(&mut self, axis: usize, start: isize, step: isize, len: usize) {
        let old = self.axes[axis];
        let (lo, hi) = multiples(step, old.lo as isize - start, old.hi as isize - start, len);
        self.offset += start * old.stride;
        self.axes[axis] = Axis { len, stride: old.stride * step, lo, hi };
    }

    /// Sets the stride of an axis with one valid index to 0.
    pub(super) fn normalize(&mut self) {
        for axis in &mut self.axes {
            if axis.hi == axis.lo + 1 {
                self.offset += axis.lo as isize * axis.stride;
                axis.stride = 0;
            }
        }
    }

    /// This layer with as few axes as possible, for access by flat index.
    pub(super) fn coalesced(&self) -> Layer {
        let mut out = Layer { axes: SmallVec::new(), offset: self.offset };
        for &inner in self.axes.iter().filter(|axis| axis.len != 1) {
            let n = inner.len;
            let Some(outer) = out.axes.last_mut() else {
                out.axes.push(inner);
                continue;
            };
            let Axis { len, stride, lo, hi } = *outer;
            if hi == lo + 1 {
                // All valid elements are in row `lo`, so the outer stride is arbitrary.
                out.offset -= (lo * n) as isize * inner.stride;
                *outer =
                    Axis { len: len * n, lo: lo * n + inner.lo, hi: lo * n + inner.hi, ..inner };
            } else if stride == n as isize * inner.stride && !inner.is_masked() {
                *outer = Axis { len: len * n, stride: inner.stride, lo: lo * n, hi: hi * n };
            } else {
                out.axes.push(inner);
            }
        }
        out
    }

    /// This layer and the one below merged into one, if possible.
    ///
    /// A stride is a number whose digits, in the shape below, are steps along the axes below. When
    /// no valid index leaves an axis, nothing carries from digit to digit and the composition is
    /// affine. The padding below must also come out as a range per axis.
    pub(super) fn over(&self, below: &Layer) -> Option<Layer> {
        let below = below.coalesced();
        let mut out = self.with_zero_strides(below.offset);
        for Digit { start, steps, axis } in self.digits(&below) {
            out.narrow(start, &steps, &axis)?;
            if out.is_padding() {
                return Some(out);
            }
            out.walk_along(start, &steps, &axis);
        }
        out.normalize();
        Some(out)
    }

    /// The position on each axis below as a function of the indices, last axis first. Valid only
    /// if no position is out of range of its axis.
    pub(super) fn digits(&self, below: &Layer) -> Vec<Digit> {
        let up_to_lo = |steps: &[isize]| -> isize {
            self.axes.iter().zip(steps).map(|(axis, step)| axis.lo as isize * step).sum()
        };
        let mut strides = self.strides();
        let mut first = self.offset + up_to_lo(&strides);
        let digit = |axis: &Axis| {
            let n = axis.len as isize;
            let steps: Strides = strides.iter().map(|stride| stride % n).collect();
            strides.iter_mut().for_each(|stride| *stride /= n);
            let start = first % n - up_to_lo(&steps);
            first /= n;
            Digit { start, steps, axis: *axis }
        };
        below.axes.iter().rev().map(digit).collect()
    }

    /// The same axes with all strides zero: every index maps to `offset`.
    pub(super) fn with_zero_strides(&self, offset: isize) -> Layer {
        let mut out = Layer { offset, ..self.clone() };
        out.axes.iter_mut().for_each(|axis| axis.stride = 0);
        out
    }

    /// Adds the offset and strides of the position `start + Σ step·i` on an axis below.
    pub(super) fn walk_along(&mut self, start: isize, steps: &[isize], axis: &Axis) {
        self.offset += start * axis.stride;
        for (own, step) in self.axes.iter_mut().zip(steps) {
            own.stride += step * axis.stride;
        }
    }

    /// The least and the greatest `start + Σ step·i` over valid indices.
    pub(super) fn span(&self, start: isize, steps: &[isize]) -> (isize, isize) {
        let spans = self.axes.iter().zip(steps).map(|(own, &step)| own.span(step));
        spans.fold((start, start), |(min, max), (least, most)| (min + least, max + most))
    }

    /// Narrows the valid indices to those whose position `start + Σ step·i` on `axis` is valid.
    /// `None` if a position leaves the axis or the result is not a range per axis.
    fn narrow(&mut self, start: isize, steps: &[isize], axis: &Axis) -> Option<()> {
        let (mut min, mut max) = self.span(start, steps);
        let (lo, hi) = (axis.lo as isize, axis.hi as isize);
        if min < 0 || max >= axis.len as isize {
            return None;
        }
        if lo <= min && max < hi {
            return Some(());
        }
        // From the longest step down: an index with which any of the shorter steps is valid must
        // be valid with all of them, or be the only such index.
        let mut order: Dims = (0..steps.len()).filter(|&a| steps[a] != 0).collect();
        order.sort_by_key(|&a| Reverse(steps[a].abs()));
        for a in order {
            let (own, step) = (&mut self.axes[a], steps[a]);
            let (least, most) = own.span(step);
            (min, max) = (min - least, max - most);
            let clip = |(lo, hi): (usize, usize)| (lo.max(own.lo), hi.min(own.hi));
            let any = clip(multiples(step, lo - max, hi - min, own.len));
            let all = clip(multiples(step, lo - min, hi - max, own.len));
            (own.lo, own.hi) = any;
            if any == all || any.0 >= any.1 {
                return Some(());
            }
            if any.1 - any.0 > 1 {
                return None;
            }
            (min, max) = (min + step * any.0 as isize, max + step * any.0 as isize);
        }
        // No axis moves the position, and it is padding.
        self.axes.first_mut().map(|own| own.hi = own.lo)
    }
}

/// The range of `i` in `0..len` with `lo <= i·step < hi`.
pub(super) fn multiples(step: isize, lo: isize, hi: isize, len: usize) -> (usize, usize) {
    let (lo, hi) = if step < 0 { (1 - hi, 1 - lo) } else { (lo, hi) };
    let (step, len) = (step.abs(), len as isize);
    let first_from = |bound: isize| (bound + step - 1).div_euclid(step).clamp(0, len) as usize;
    (first_from(lo), first_from(hi))
}

impl Display for Layer {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let list = |text: &dyn Fn(&Axis) -> String| {
            self.axes.iter().map(text).collect::<Vec<_>>().join(", ")
        };
        let (shape, strides) = (list(&|a| a.len.to_string()), list(&|a| a.stride.to_string()));
        write!(f, "[{shape}]:({strides}){:+}", self.offset)?;
        if !self.is_masked() {
            return Ok(());
        }
        let range = |a: &Axis| match a.is_masked() {
            true => format!("{}..{}", a.lo, a.hi),
            false => "..".to_string(),
        };
        write!(f, " valid ({})", list(&range))
    }
}
