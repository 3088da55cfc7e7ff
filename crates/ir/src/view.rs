//! Views: how the elements of a tensor are found in storage without moving them. A view is a stack
//! of affine layers, and every movement op returns a new view. A layer is stacked only when one
//! affine map cannot say the same, and layers become one again as soon as that is possible.

use crate::shape::MOST_ELEMENTS;
use std::cmp::Reverse;
use std::fmt::{self, Display, Formatter};

use smallvec::SmallVec;

type Dims = SmallVec<[usize; 4]>;
type Strides = SmallVec<[isize; 4]>;

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

/// An affine map: index `i` is element `offset + Σ stride·i` of what lies below.
///
/// `offset` is where index 0 would be, so padding in front can make it negative. An axis with one
/// valid index has stride 0, so that equal maps are equal layers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layer {
    pub axes: SmallVec<[Axis; 4]>,
    pub offset: isize,
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

    /// The view of these layers, outermost first, as [`View::layers`] gives them; `None` where an
    /// index could leave the layer below. For layers that nobody vouches for.
    pub fn from_layers(mut layers: Vec<Layer>) -> Option<View> {
        let reaches = layers.iter().map(Layer::checked_reach).collect::<Option<Vec<_>>>()?;
        let is_inside = |(reach, below): (&usize, &Layer)| *reach <= below.len();
        // One element needs no layers to be found, other than to say that it is padding.
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

    /// How many elements storage must have at least.
    pub fn reach(&self) -> usize {
        let has_elements = !self.layers().any(Layer::is_padding);
        let lowest = self.below.first().unwrap_or(&self.top);
        if has_elements { lowest.checked_reach().unwrap_or(usize::MAX) } else { 0 }
    }

    /// The view that reads nothing but the fill value.
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

impl Axis {
    fn repeated(len: usize) -> Axis {
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
    fn contiguous(shape: &[usize]) -> Layer {
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
    fn is_padding(&self) -> bool {
        self.axes.iter().any(|axis| axis.lo >= axis.hi)
    }

    fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// One past the last element below that an index can lead to; `None` if one leads before the
    /// first, or if numbers are so large that sums of them could overflow.
    fn checked_reach(&self) -> Option<usize> {
        let total =
            self.axes.iter().try_fold(1u64, |n, axis| n.checked_mul(axis.len.max(1) as u64));
        let total = total.filter(|&total| total <= MOST_ELEMENTS as u64)? as i128;
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
    fn at(&self, mut flat: usize) -> Option<usize> {
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

    /// Renumbers an axis: index `i` was `start + i·step`, and is padding if there was none.
    fn walk(&mut self, axis: usize, start: isize, step: isize, len: usize) {
        let old = self.axes[axis];
        let (lo, hi) = multiples(step, old.lo as isize - start, old.hi as isize - start, len);
        self.offset += start * old.stride;
        self.axes[axis] = Axis { len, stride: old.stride * step, lo, hi };
    }

    /// Sets the stride of an axis with one valid index to 0.
    fn normalize(&mut self) {
        for axis in &mut self.axes {
            if axis.hi == axis.lo + 1 {
                self.offset += axis.lo as isize * axis.stride;
                axis.stride = 0;
            }
        }
    }

    /// This layer with as few axes as possible, for a reader who has flat element numbers.
    fn coalesced(&self) -> Layer {
        let mut out = Layer { axes: SmallVec::new(), offset: self.offset };
        for &inner in self.axes.iter().filter(|axis| axis.len != 1) {
            let n = inner.len;
            let Some(outer) = out.axes.last_mut() else {
                out.axes.push(inner);
                continue;
            };
            let Axis { len, stride, lo, hi } = *outer;
            if hi == lo + 1 {
                // All that is valid lies in row `lo`; its stride is ours to choose.
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

    /// This layer and the one it reads as a single layer, if there is one.
    ///
    /// A stride is a number whose digits, in the shape below, are steps along the axes below. When
    /// no valid index leaves an axis, nothing carries from digit to digit and the composition is
    /// affine. The padding below must also come out as a range per axis.
    fn over(&self, below: &Layer) -> Option<Layer> {
        let below = below.coalesced();
        let mut out = Layer { axes: self.axes.clone(), offset: below.offset };
        out.axes.iter_mut().for_each(|axis| axis.stride = 0);
        let up_to_lo = |steps: &[isize]| -> isize {
            self.axes.iter().zip(steps).map(|(axis, step)| axis.lo as isize * step).sum()
        };
        let mut strides = self.strides();
        let mut first = self.offset + up_to_lo(&strides);
        for axis in below.axes.iter().rev() {
            let n = axis.len as isize;
            let steps: Strides = strides.iter().map(|stride| stride % n).collect();
            strides.iter_mut().for_each(|stride| *stride /= n);
            let start = first % n - up_to_lo(&steps);
            first /= n;
            out.narrow(start, &steps, axis)?;
            if out.is_padding() {
                return Some(out);
            }
            out.offset += start * axis.stride;
            for (own, step) in out.axes.iter_mut().zip(steps) {
                own.stride += step * axis.stride;
            }
        }
        out.normalize();
        Some(out)
    }

    /// Narrows the valid indices to those whose position `start + Σ step·i` on `axis` is valid.
    /// `None` if a position leaves the axis or the result is not a range per axis.
    fn narrow(&mut self, start: isize, steps: &[isize], axis: &Axis) -> Option<()> {
        let spans = self.axes.iter().zip(steps).map(|(own, &step)| own.span(step));
        let (mut min, mut max) =
            spans.fold((start, start), |(min, max), (least, most)| (min + least, max + most));
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
fn multiples(step: isize, lo: isize, hi: isize, len: usize) -> (usize, usize) {
    let (lo, hi) = if step < 0 { (1 - hi, 1 - lo) } else { (lo, hi) };
    let (step, len) = (step.abs(), len as isize);
    let first_from = |bound: isize| (bound + step - 1).div_euclid(step).clamp(0, len) as usize;
    (first_from(lo), first_from(hi))
}

/// `[6, 4]:(4, 1)-4 valid (1..5, ..) of [20]:(1)+0`: shape, strides, offset, and the layer below.
impl Display for View {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.top)?;
        self.below.iter().rev().try_for_each(|layer| write!(f, " of {layer}"))
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Axis, Layer, View};

    /// The naive model: the storage element of every element, written out.
    struct Table {
        shape: Vec<usize>,
        cells: Vec<Option<usize>>,
    }

    impl Table {
        fn new(shape: &[usize]) -> Table {
            let len = shape.iter().product();
            Table { shape: shape.to_vec(), cells: (0..len).map(Some).collect() }
        }

        /// A table whose cell `i` copies the cell at index `from(i, a)` of each axis `a`, if any.
        fn gather(&self, shape: &[usize], from: impl Fn(&[usize], usize) -> usize) -> Table {
            let cell = |i: Vec<usize>| {
                let flat = self.shape.iter().enumerate().try_fold(0, |flat, (a, n)| {
                    let source = from(&i, a);
                    (source < *n).then(|| flat * n + source)
                });
                flat.and_then(|flat| self.cells[flat])
            };
            let cells = indices(shape).into_iter().map(cell).collect();
            Table { shape: shape.to_vec(), cells }
        }
    }

    /// Every index of `shape` in row-major order.
    fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
        shape.iter().fold(vec![vec![]], |heads, &n| {
            heads.iter().flat_map(|head| (0..n).map(|i| [&head[..], &[i]].concat())).collect()
        })
    }

    /// Small random numbers that depend on the seed alone.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % n
        }

        /// A length that is seldom 0.
        fn len(&mut self, most: usize) -> usize {
            self.below(16).min(1) * (1 + self.below(most))
        }

        fn shuffled(&mut self, n: usize) -> Vec<usize> {
            let mut order: Vec<usize> = (0..n).collect();
            (1..n).for_each(|i| order.swap(i, self.below(i + 1)));
            order
        }

        /// A shape of `len` elements: its prime factors and some ones, on random axes.
        fn shape(&mut self, len: usize) -> Vec<usize> {
            let mut shape = vec![1; self.below(5)];
            let mut rest = len;
            while rest != 1 {
                let factor = (2..=rest).find(|p| rest.is_multiple_of(*p)).unwrap_or(0);
                match self.below(shape.len() + 1) {
                    axis if axis < shape.len() => shape[axis] *= factor,
                    axis => shape.insert(axis, factor),
                }
                rest = rest.checked_div(factor).unwrap_or(1);
            }
            shape
        }
    }

    /// A random move in words, made on the view and on the table.
    type Made = (String, View, Table);

    const MOVES: [fn(&mut Dice, &View, &Table) -> Made; 8] =
        [reshape, permute, expand, slice, pad, flip, window, diagonal];

    fn reshape(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let out = dice.shape(table.cells.len());
        let expected = Table { shape: out.clone(), cells: table.cells.clone() };
        (format!("reshape {out:?}"), x.reshape(&out), expected)
    }

    fn permute(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let order = dice.shuffled(x.rank());
        let out: Vec<usize> = order.iter().map(|&a| table.shape[a]).collect();
        let place = |a| order.iter().position(|&o| o == a).unwrap();
        let expected = table.gather(&out, |i, a| i[place(a)]);
        (format!("permute {order:?}"), x.permute(&order), expected)
    }

    fn expand(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let mut out: Vec<usize> = (0..dice.below(2)).map(|_| dice.len(4)).collect();
        let lead = out.len();
        out.extend(table.shape.iter().map(|&n| if n == 1 { dice.len(4) } else { n }));
        let from = |i: &[usize], a: usize| if table.shape[a] == 1 { 0 } else { i[lead + a] };
        (format!("expand {out:?}"), x.expand(&out), table.gather(&out, from))
    }

    fn slice(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let start: Vec<usize> = table.shape.iter().map(|&n| dice.below(n.max(1))).collect();
        let step: Vec<usize> = table.shape.iter().map(|_| 1 + dice.below(3)).collect();
        let most = |a: usize| (table.shape[a] - start[a]).div_ceil(step[a]);
        let len: Vec<usize> = (0..x.rank()).map(|a| most(a).min(dice.len(8))).collect();
        let expected = table.gather(&len, |i, a| start[a] + i[a] * step[a]);
        (format!("slice {start:?} {len:?} {step:?}"), x.slice(&start, &len, &step), expected)
    }

    fn pad(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let before: Vec<usize> = table.shape.iter().map(|_| dice.below(3)).collect();
        let after: Vec<usize> = table.shape.iter().map(|_| dice.below(3)).collect();
        let out: Vec<usize> =
            (0..x.rank()).map(|a| before[a] + table.shape[a] + after[a]).collect();
        // In front of the axis the index wraps around, and no cell is there.
        let expected = table.gather(&out, |i, a| i[a].wrapping_sub(before[a]));
        (format!("pad {before:?} {after:?}"), x.pad(&before, &after), expected)
    }

    fn flip(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let axes: Vec<usize> = (0..x.rank()).filter(|_| dice.below(2) == 0).collect();
        let mirror = |i: usize, a: usize| table.shape[a] - 1 - i;
        let from = |i: &[usize], a| if axes.contains(&a) { mirror(i[a], a) } else { i[a] };
        (format!("flip {axes:?}"), x.flip(&axes), table.gather(&table.shape, from))
    }

    fn window(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let (shape, rank) = (&table.shape, x.rank());
        let Some(axis) = dice.shuffled(rank).into_iter().find(|&a| shape[a] > 0) else {
            return reshape(dice, x, table);
        };
        let (step, dilation) = (1 + dice.below(3), 1 + dice.below(2));
        let size = 1 + dice.below((shape[axis] - 1) / dilation + 1);
        let mut out = [&shape[..], &[size]].concat();
        out[axis] = (shape[axis] - dilation * (size - 1) - 1) / step + 1;
        let within = |i: &[usize]| i[axis] * step + i[rank] * dilation;
        let expected = table.gather(&out, |i, a| if a == axis { within(i) } else { i[a] });
        let text = format!("window {axis} {size} {step} {dilation}");
        (text, x.window(axis, size, step, dilation), expected)
    }

    fn diagonal(dice: &mut Dice, x: &View, table: &Table) -> Made {
        let (shape, axes) = (&table.shape, dice.shuffled(x.rank()));
        let &[row, column, ..] = &axes[..] else { return reshape(dice, x, table) };
        let offset = dice.below(5) as isize - 2;
        let (down, right) = ((-offset).max(0) as usize, offset.max(0) as usize);
        let others: Vec<usize> = (0..x.rank()).filter(|a| ![row, column].contains(a)).collect();
        let mut out: Vec<usize> = others.iter().map(|&a| shape[a]).collect();
        let is_on = |&i: &usize| i + down < shape[row] && i + right < shape[column];
        out.push((0..).take_while(is_on).count());
        let from = |i: &[usize], a| match others.iter().position(|&o| o == a) {
            Some(place) => i[place],
            None => i[others.len()] + if a == row { down } else { right },
        };
        let text = format!("diagonal {row} {column} {offset}");
        (text, x.diagonal(row, column, offset), table.gather(&out, from))
    }

    #[test]
    fn layers_that_lead_outside_are_no_view() {
        let layer = |len: usize, stride: isize, lo: usize, hi: usize, offset: isize| Layer {
            axes: [Axis { len, stride, lo, hi }].into_iter().collect(),
            offset,
        };
        let is_view = |layers: &[Layer]| View::from_layers(layers.to_vec()).is_some();
        assert!(!is_view(&[]));
        assert!(is_view(&[layer(4, -1, 0, 4, 3)]));
        assert!(is_view(&[layer(4, 1, 1, 3, -1)]), "padding may lie before the first element");
        assert!(!is_view(&[layer(4, -1, 0, 4, 2)]), "before the first element");
        assert!(!is_view(&[layer(4, 1, 0, 5, 0)]), "beyond its own axis");
        assert!(is_view(&[layer(4, 2, 0, 4, 0), layer(7, 1, 0, 7, 0)]));
        assert!(!is_view(&[layer(4, 2, 0, 4, 0), layer(6, 1, 0, 6, 0)]), "beyond what lies below");
        assert!(!is_view(&[layer(usize::MAX, 1, 0, 1, 0)]));
        assert!(!is_view(&[layer(4, isize::MIN, 0, 1, 0)]));
        assert!(!is_view(&[layer(4, 1, 0, 4, isize::MAX)]));
        assert_eq!(
            View::from_layers(vec![layer(4, 3, 0, 4, 5)]).map(|view| view.reach()),
            Some(15)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn chains_of_moves_agree_with_the_table(
            start in prop::collection::vec(0..=5usize, 0..=4),
            seeds in prop::collection::vec(any::<u64>(), 0..=8),
        ) {
            let (mut view, mut table) = (View::new(&start), Table::new(&start));
            let mut trail = view.to_string();
            for seed in seeds {
                let mut dice = Dice(seed);
                let make = MOVES[dice.below(MOVES.len())];
                let (text, next, expected) = make(&mut dice, &view, &table);
                if expected.cells.len() > 3000 {
                    continue;
                }
                (view, table) = (next, expected);
                trail += &format!("\n{text} -> {view}");
                prop_assert_eq!(&view.shape()[..], &table.shape[..], "{}", trail);
                for (flat, i) in indices(&table.shape).iter().enumerate() {
                    let both = (view.index(i), view.index_flat(flat));
                    prop_assert_eq!(both, (table.cells[flat], table.cells[flat]), "{}", trail);
                }
                let again = View::from_layers(view.layers().cloned().collect());
                prop_assert_eq!(again.as_ref(), Some(&view), "{}", trail);
                let last = table.cells.iter().flatten().max();
                prop_assert!(last.is_none_or(|&last| last < view.reach()), "{}", trail);
                prop_assert!(view.reach() <= start.iter().product(), "{}", trail);
                let is_identity = table.cells == Table::new(&table.shape).cells;
                prop_assert!(is_identity || !view.is_contiguous(), "{}", trail);
            }
        }
    }

    #[test]
    fn views_have_their_simplest_text() {
        let x = View::new;
        let turned = |m, n| x(&[m, n]).permute(&[1, 0]);
        let flat = turned(2, 3).reshape(&[6]);
        let padded = x(&[4]).pad(&[1], &[1]);
        let rows = padded.reshape(&[2, 3]);
        let wide_rows = rows.pad(&[0, 0], &[0, 1]);
        let gaps = x(&[2, 2]).pad(&[0, 1], &[0, 0]).reshape(&[6]);
        let nothing = padded.slice(&[5], &[1], &[1]);
        let cases = [
            (x(&[32, 784]), "[32, 784]:(784, 1)+0"),
            (x(&[]), "[]:()+0"),
            (x(&[1, 3]), "[1, 3]:(0, 1)+0"),
            (x(&[3, 0]).permute(&[1, 0]), "[0, 3]:(3, 1)+0"),
            // Permuted axes can be split; merging them takes a second layer while that is needed.
            (turned(2, 3), "[3, 2]:(1, 3)+0"),
            (turned(2, 3).permute(&[1, 0]), "[2, 3]:(3, 1)+0"),
            (turned(6, 4).reshape(&[4, 2, 3]), "[4, 2, 3]:(1, 12, 4)+0"),
            (turned(6, 4).reshape(&[4, 2, 3]).reshape(&[4, 6]), "[4, 6]:(1, 4)+0"),
            (x(&[2, 1, 3]).reshape(&[6]), "[6]:(1)+0"),
            (flat.clone(), "[6]:(1)+0 of [3, 2]:(1, 3)+0"),
            (flat.reshape(&[3, 1, 2]), "[3, 1, 2]:(1, 0, 3)+0"),
            (flat.slice(&[2], &[2], &[1]), "[2]:(3)+1"),
            (x(&[6]).slice(&[1], &[3], &[2]), "[3]:(2)+1"),
            (x(&[2, 3]).flip(&[1]), "[2, 3]:(3, -1)+2"),
            (x(&[2, 3]).flip(&[0, 1]).reshape(&[6]), "[6]:(-1)+5"),
            (x(&[]).expand(&[4]).reshape(&[2, 2]), "[2, 2]:(0, 0)+0"),
            (x(&[6]).expand(&[4, 6]).reshape(&[2, 2, 6]), "[2, 2, 6]:(0, 0, 1)+0"),
            (x(&[2, 1]).expand(&[2, 3]).reshape(&[6]), "[6]:(1)+0 of [2, 3]:(1, 0)+0"),
            (x(&[2, 8]).window(1, 3, 2, 1), "[2, 3, 3]:(8, 2, 1)+0"),
            (x(&[3, 4]).diagonal(0, 1, 1), "[3]:(5)+1"),
            // Padding follows a reshape when it remains a range on each axis.
            (padded.clone(), "[6]:(1)-1 valid (1..5)"),
            (padded.slice(&[1], &[4], &[1]), "[4]:(1)+0"),
            (x(&[4]).pad(&[2], &[0]).reshape(&[3, 2]), "[3, 2]:(2, 1)-2 valid (1..3, ..)"),
            (x(&[2, 3]).pad(&[1, 0], &[0, 0]).reshape(&[9]), "[9]:(1)-3 valid (3..9)"),
            (x(&[1, 4]).pad(&[1, 0], &[1, 0]).reshape(&[12]), "[12]:(1)-4 valid (4..8)"),
            (rows.clone(), "[2, 3]:(3, 1)+0 of [6]:(1)-1 valid (1..5)"),
            (rows.reshape(&[6]), "[6]:(1)-1 valid (1..5)"),
            (wide_rows.slice(&[0, 0], &[1, 4], &[1, 1]), "[1, 4]:(0, 1)-1 valid (.., 1..3)"),
            (flat.pad(&[1], &[0]).slice(&[0], &[3], &[1]), "[3]:(3)-3 valid (1..3)"),
            (gaps.slice(&[0], &[2], &[3]), "[2]:(0)+0 valid (0..0)"),
            (padded.window(0, 3, 1, 1), "[4, 3]:(1, 1)+0 of [6]:(1)-1 valid (1..5)"),
            (padded.window(0, 1, 2, 1), "[3, 1]:(2, 0)-1 valid (1..3, ..)"),
            (nothing.clone(), "[1]:(0)+0 valid (0..0)"),
            (nothing.reshape(&[]), "[]:()+0 of [1]:(0)+0 valid (0..0)"),
            (x(&[0]).pad(&[1], &[0]), "[1]:(0)+0 valid (0..0)"),
        ];
        for (view, text) in cases {
            assert_eq!(view.to_string(), text);
            let is_affine = !text.contains("valid") && !text.contains(" of ");
            assert_eq!(view.affine().is_some(), is_affine, "{text}");
            assert_eq!(view.is_contiguous(), view == View::new(&view.shape()), "{text}");
        }
    }
}
