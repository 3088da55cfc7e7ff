//! Indexing: `x.i((0, 1..3, .., &rows))` reads like `x[0, 1:3, ..., rows]`.
use crate::args::Enter;
use crate::session::{Scope, record};
use crate::{Operand, Tensor};
use brasa_ir::{Index, compose};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// One part of an index.
#[derive(Clone, Debug)]
pub enum At {
    /// One position; the axis disappears.
    Position(i64),
    /// A range: start, stop and step.
    Range(Option<i64>, Option<i64>, Option<i64>),
    /// As many full axes as remain (Python's `...`).
    Rest,
    /// A new axis of length one.
    NewAxis,
    /// Indices; or, for writing, a mask over the axes it covers.
    Tensor(Tensor),
}

/// Every `step`-th position of a range.
pub fn step(range: impl Into<At>, step: i64) -> At {
    match range.into() {
        At::Range(start, stop, _) => At::Range(start, stop, Some(step)),
        other => other,
    }
}

macro_rules! positions {
    ($($ty:ty),*) => {$(
        impl From<$ty> for At {
            fn from(at: $ty) -> At {
                At::Position(at as i64)
            }
        }
        impl From<Range<$ty>> for At {
            fn from(r: Range<$ty>) -> At {
                At::Range(Some(r.start as i64), Some(r.end as i64), None)
            }
        }
        impl From<RangeFrom<$ty>> for At {
            fn from(r: RangeFrom<$ty>) -> At {
                At::Range(Some(r.start as i64), None, None)
            }
        }
        impl From<RangeTo<$ty>> for At {
            fn from(r: RangeTo<$ty>) -> At {
                At::Range(None, Some(r.end as i64), None)
            }
        }
        impl From<RangeInclusive<$ty>> for At {
            fn from(r: RangeInclusive<$ty>) -> At {
                let stop = *r.end() as i64 + 1;
                At::Range(Some(*r.start() as i64), (stop != 0).then_some(stop), None)
            }
        }
        impl From<RangeToInclusive<$ty>> for At {
            fn from(r: RangeToInclusive<$ty>) -> At {
                let stop = r.end as i64 + 1;
                At::Range(None, (stop != 0).then_some(stop), None)
            }
        }
    )*};
}
positions!(i32, i64, usize, isize);

impl From<RangeFull> for At {
    fn from(_: RangeFull) -> At {
        At::Range(None, None, None)
    }
}

impl From<&Tensor> for At {
    fn from(x: &Tensor) -> At {
        At::Tensor(x.clone())
    }
}

/// What [`Tensor::i`] accepts: one part, or a tuple of up to six.
pub trait IntoIndex {
    /// The parts in order.
    fn into_index(self) -> Vec<At>;
}

impl<A: Into<At>> IntoIndex for A {
    fn into_index(self) -> Vec<At> {
        vec![self.into()]
    }
}

impl IntoIndex for Vec<At> {
    fn into_index(self) -> Vec<At> {
        self
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Into<At>),*> IntoIndex for ($($name,)*) {
            #[allow(non_snake_case)]
            fn into_index(self) -> Vec<At> {
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        }
    )*};
}
tuples! { A B; A B C; A B C D; A B C D E; A B C D E F; }

impl At {
    fn tensor(&self) -> Option<&Tensor> {
        match self {
            At::Tensor(x) => Some(x),
            _ => None,
        }
    }

    fn enter<'g>(&self, s: &Scope<'g>) -> Index<'g> {
        match self {
            At::Position(at) => Index::At(*at),
            At::Range(start, stop, step) => Index::Slice(*start, *stop, *step),
            At::Rest => Index::Ellipsis,
            At::NewAxis => Index::NewAxis,
            At::Tensor(x) => Index::Tensor(x.enter(s)),
        }
    }
}

impl Tensor {
    /// Part of the tensor. Negative positions count from the end; axes without a part are taken
    /// whole. Without index tensors the result is a view.
    ///
    /// ```
    /// use brasa::Tensor;
    /// # fn main() -> brasa::Result<()> {
    /// let x = Tensor::new([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.i((1, ..2)).to_vec::<i64>()?, [4, 5]);
    /// assert_eq!(x.i((.., -1)).to_vec::<i64>()?, [3, 6]);
    /// assert_eq!(x.i(&Tensor::new([1, 1])).shape(), [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn i(&self, index: impl IntoIndex) -> Tensor {
        let (index, base) = (index.into_index(), self.base());
        let _turn = base.turn();
        self.settle();
        index.iter().filter_map(At::tensor).for_each(Tensor::settle);
        record("index", |s| {
            let parts = index.iter().map(|at| at.enter(s)).collect();
            s.view_of(self).leave(compose::index(s.g, self.enter(s), parts))
        })
    }

    /// Writes `value` to a part of the tensor, in place. All elements that a mask selects get the
    /// same value.
    ///
    /// ```
    /// use brasa::Tensor;
    /// # fn main() -> brasa::Result<()> {
    /// let x = Tensor::new([[1.0, -2.0], [-3.0, 4.0]]);
    /// x.set(&x.lt(0.0), 0.0);
    /// assert_eq!(x.to_vec::<f32>()?, [1.0, 0.0, 0.0, 4.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn set(&self, index: impl IntoIndex, value: impl Into<Operand>) -> &Tensor {
        let index = index.into_index();
        if !index.iter().any(|at| at.tensor().is_some()) {
            self.i(index).copy_(value);
            return self;
        }
        let (value, base): (Operand, Tensor) = (value.into(), self.base());
        let _turn = base.turn();
        let new = self.index_put(index, value);
        self.write(new.into())
    }

    /// This tensor after `self[index] = value`. If an index occurs several times, its last value
    /// wins.
    #[track_caller]
    pub fn index_put(&self, index: impl IntoIndex, value: impl Into<Operand>) -> Tensor {
        let (index, value) = (index.into_index(), value.into());
        self.settle();
        value.settle();
        index.iter().filter_map(At::tensor).for_each(Tensor::settle);
        record("index_put", |s| {
            let parts = index.iter().map(|at| at.enter(s)).collect();
            s.leave(compose::index_put(s.g, self.enter(s), parts, value.enter(s), false))
        })
    }
}
