//! Shapes, tensor types, strides and broadcasting.
use crate::dtype::DType;
use smallvec::SmallVec;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The maximum number of elements of a tensor: with 32-bit pointers a quarter of what they can
/// address as `f32`, with 64-bit pointers more than any memory holds.
pub(crate) const MAX_ELEMENTS: usize = 1 << if usize::BITS > 32 { 48 } else { 28 };

/// The lengths of a tensor's axes. Reads as a slice; up to five axes need no allocation.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(SmallVec<[usize; 5]>);

impl Shape {
    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// Number of elements; saturates at `usize::MAX`.
    pub fn elements(&self) -> usize {
        self.0.iter().fold(1, |n: usize, &len| n.saturating_mul(len))
    }

    /// Whether sizes and strides of a tensor of this shape fit `usize`, with a margin for padding
    /// and windows. No memory holds larger tensors.
    pub fn is_addressable(&self) -> bool {
        self.0.iter().fold(1, |n: usize, &len| n.saturating_mul(len.max(1))) <= MAX_ELEMENTS
    }

    pub fn push(&mut self, len: usize) {
        self.0.push(len);
    }

    pub fn insert(&mut self, axis: usize, len: usize) {
        self.0.insert(axis, len);
    }

    pub fn remove(&mut self, axis: usize) -> usize {
        self.0.remove(axis)
    }

    /// This shape with `axis` of length `len`.
    pub fn with(&self, axis: usize, len: usize) -> Shape {
        let mut shape = self.clone();
        shape[axis] = len;
        shape
    }

    /// This shape without `axes`.
    pub fn without(&self, axes: &[usize]) -> Shape {
        let kept = |(axis, &len): (usize, &usize)| (!axes.contains(&axis)).then_some(len);
        self.iter().enumerate().filter_map(kept).collect()
    }

    /// This shape with `axes` of length one.
    pub fn keeping(&self, axes: &[usize]) -> Shape {
        let kept = |(axis, &len): (usize, &usize)| if axes.contains(&axis) { 1 } else { len };
        self.iter().enumerate().map(kept).collect()
    }

    /// Elements to skip per step along each axis of a contiguous tensor.
    pub fn strides(&self) -> SmallVec<[usize; 5]> {
        let mut strides: SmallVec<[usize; 5]> = SmallVec::from_elem(1, self.len());
        for axis in (1..self.len()).rev() {
            strides[axis - 1] = strides[axis] * self[axis];
        }
        strides
    }

    /// The multi-index of every element in row-major order.
    pub fn indices(&self) -> Indices {
        let next = (self.elements() > 0).then(|| vec![0; self.len()]);
        Indices { shape: self.clone(), next }
    }
}

/// Iterator of [`Shape::indices`].
pub struct Indices {
    shape: Shape,
    next: Option<Vec<usize>>,
}

impl Iterator for Indices {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let mut next = current.clone();
        for axis in (0..next.len()).rev() {
            next[axis] += 1;
            if next[axis] < self.shape[axis] {
                self.next = Some(next);
                break;
            }
            next[axis] = 0;
        }
        Some(current)
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.0
    }
}

impl From<&[usize]> for Shape {
    fn from(lens: &[usize]) -> Shape {
        Shape(SmallVec::from_slice(lens))
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(lens: [usize; N]) -> Shape {
        Shape::from(&lens[..])
    }
}

impl From<Vec<usize>> for Shape {
    fn from(lens: Vec<usize>) -> Shape {
        Shape(SmallVec::from_vec(lens))
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(lens: I) -> Shape {
        Shape(lens.into_iter().collect())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0[..])
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0[..])
    }
}

/// The dtype and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub dtype: DType,
    pub shape: Shape,
}

impl Type {
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Type {
        Type { dtype, shape: shape.into() }
    }

    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    pub fn elements(&self) -> usize {
        self.shape.elements()
    }

    /// Bytes of all elements; saturates at `usize::MAX`.
    pub fn bytes(&self) -> usize {
        self.elements().saturating_mul(self.dtype.bytes())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

/// The shape that all shapes broadcast to, aligned at the right; `None` if they are incompatible.
pub fn broadcast<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Option<Shape> {
    let mut out: SmallVec<[usize; 5]> = SmallVec::new();
    for shape in shapes {
        while out.len() < shape.len() {
            out.insert(0, 1);
        }
        let skipped = out.len() - shape.len();
        for (so_far, &len) in out[skipped..].iter_mut().zip(shape) {
            match (*so_far, len) {
                (a, b) if a == b => {}
                (1, b) => *so_far = b,
                (_, 1) => {}
                _ => return None,
            }
        }
    }
    Some(Shape(out))
}

/// Whether `from` broadcasts to exactly `to`.
pub fn expands_to(from: &[usize], to: &[usize]) -> bool {
    from.len() <= to.len()
        && from.iter().rev().zip(to.iter().rev()).all(|(&a, &b)| a == b || a == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_aligns_at_the_right() {
        type Row<'a> = (&'a [&'a [usize]], Option<&'a [usize]>);
        let rows: [Row; 6] = [
            (&[&[2, 3], &[3]], Some(&[2, 3])),
            (&[&[2, 1], &[3]], Some(&[2, 3])),
            (&[&[], &[4]], Some(&[4])),
            (&[&[0], &[1]], Some(&[0])),
            (&[&[2], &[3]], None),
            (&[&[5, 1, 4], &[3, 1], &[1]], Some(&[5, 3, 4])),
        ];
        for (shapes, want) in rows {
            let got = broadcast(shapes.iter().copied());
            assert_eq!(got.as_deref(), want, "{shapes:?}");
        }
    }

    #[test]
    fn indices_walk_in_row_major_order() {
        let all: Vec<_> = Shape::from([2, 2]).indices().collect();
        assert_eq!(all, [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(Shape::scalar().indices().count(), 1);
        assert_eq!(Shape::from([3, 0]).indices().count(), 0);
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(&Shape::from([2, 3, 4]).strides()[..], [12, 4, 1]);
        assert!(Shape::scalar().strides().is_empty());
    }
}
