//! Arguments of ops: a number in place of a tensor, one number in place of a list, `..` for all
//! axes; and how arguments enter a recording.
use crate::Tensor;
use crate::session::Scope;
use brasa_ir::{Expr, Number};
use std::borrow::Borrow;
use std::ops::RangeFull;

/// A tensor or a plain number, which takes the dtype of the tensors it is combined with.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Number(Number),
}

impl From<&Tensor> for Operand {
    fn from(x: &Tensor) -> Operand {
        Operand::Tensor(x.clone())
    }
}

impl From<Tensor> for Operand {
    fn from(x: Tensor) -> Operand {
        Operand::Tensor(x)
    }
}

macro_rules! operand_from {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Operand {
            fn from(x: $ty) -> Operand {
                Operand::Number(x.into())
            }
        }
    )*};
}
operand_from!(bool, i32, i64, usize, isize, f32, f64, Number);

/// Axes to work on: `..` for all, one, or several. Negative ones count from the end.
pub trait IntoDims {
    /// The axes; `None` for all.
    fn into_dims(self) -> Option<Vec<isize>>;
}

impl IntoDims for RangeFull {
    fn into_dims(self) -> Option<Vec<isize>> {
        None
    }
}

impl<L: IntoList<isize>> IntoDims for L {
    fn into_dims(self) -> Option<Vec<isize>> {
        Some(self.into_list())
    }
}

/// One axis, or `..` for all elements in order.
pub trait IntoDim {
    /// The axis; `None` for all.
    fn into_dim(self) -> Option<isize>;
}

impl IntoDim for RangeFull {
    fn into_dim(self) -> Option<isize> {
        None
    }
}

impl IntoDim for isize {
    fn into_dim(self) -> Option<isize> {
        Some(self)
    }
}

impl IntoDim for Option<isize> {
    fn into_dim(self) -> Option<isize> {
        self
    }
}

/// A list of numbers: an array, a vector, a slice, or a single number for a list of one.
pub trait IntoList<T> {
    /// The numbers.
    fn into_list(self) -> Vec<T>;
}

macro_rules! single_is_list {
    ($($ty:ty),*) => {$(
        impl IntoList<$ty> for $ty {
            fn into_list(self) -> Vec<$ty> {
                vec![self]
            }
        }
        impl<const N: usize> IntoList<$ty> for [$ty; N] {
            fn into_list(self) -> Vec<$ty> {
                self.to_vec()
            }
        }
        impl IntoList<$ty> for &[$ty] {
            fn into_list(self) -> Vec<$ty> {
                self.to_vec()
            }
        }
        impl IntoList<$ty> for Vec<$ty> {
            fn into_list(self) -> Vec<$ty> {
                self
            }
        }
        impl IntoList<$ty> for &Vec<$ty> {
            fn into_list(self) -> Vec<$ty> {
                self.clone()
            }
        }
    )*};
}
single_is_list!(usize, isize, i64, f64, Option<usize>);

impl IntoList<Option<usize>> for usize {
    fn into_list(self) -> Vec<Option<usize>> {
        vec![Some(self)]
    }
}

impl<const N: usize> IntoList<Option<usize>> for [usize; N] {
    fn into_list(self) -> Vec<Option<usize>> {
        self.map(Some).to_vec()
    }
}

/// The tensors of any collection, by reference or by value.
pub(crate) fn collected(list: impl IntoIterator<Item: Borrow<Tensor>>) -> Vec<Tensor> {
    list.into_iter().map(|x| x.borrow().clone()).collect()
}

/// An argument that holds tensors and can enter a recording.
pub(crate) trait Enter {
    type Entered<'g>;
    /// Computes tensors that are pending on another thread.
    fn settle(&self);
    fn enter<'g>(&self, s: &Scope<'g>) -> Self::Entered<'g>;
}

impl Enter for Tensor {
    type Entered<'g> = Expr<'g>;
    fn settle(&self) {
        self.settle_tensor();
    }
    fn enter<'g>(&self, s: &Scope<'g>) -> Expr<'g> {
        s.expr(self)
    }
}

impl Enter for Operand {
    type Entered<'g> = brasa_ir::Operand<'g>;
    fn settle(&self) {
        if let Operand::Tensor(x) = self {
            x.settle_tensor();
        }
    }
    fn enter<'g>(&self, s: &Scope<'g>) -> brasa_ir::Operand<'g> {
        match self {
            Operand::Tensor(x) => brasa_ir::Operand::Tensor(s.expr(x)),
            Operand::Number(n) => brasa_ir::Operand::Number(*n),
        }
    }
}

impl<T: Enter> Enter for Option<T> {
    type Entered<'g> = Option<T::Entered<'g>>;
    fn settle(&self) {
        self.iter().for_each(T::settle);
    }
    fn enter<'g>(&self, s: &Scope<'g>) -> Option<T::Entered<'g>> {
        self.as_ref().map(|x| x.enter(s))
    }
}

impl<T: Enter> Enter for Vec<T> {
    type Entered<'g> = Vec<T::Entered<'g>>;
    fn settle(&self) {
        self.iter().for_each(T::settle);
    }
    fn enter<'g>(&self, s: &Scope<'g>) -> Vec<T::Entered<'g>> {
        self.iter().map(|x| x.enter(s)).collect()
    }
}

/// Padding of a convolution: a number of zeros for both sides of each axis, or
/// [`Padding::Same`](crate::Padding).
pub trait IntoPadding {
    /// The padding.
    fn into_padding(self) -> brasa_ir::compose::Padding;
}

impl IntoPadding for brasa_ir::compose::Padding {
    fn into_padding(self) -> brasa_ir::compose::Padding {
        self
    }
}

impl<L: IntoList<usize>> IntoPadding for L {
    fn into_padding(self) -> brasa_ir::compose::Padding {
        brasa_ir::compose::Padding::Sides(self.into_list())
    }
}
