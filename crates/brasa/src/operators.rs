//! `+`, `-`, `*`, `/` between tensors and numbers, on either side, by value or by reference. To the
//! left of an operator stand `f64` and `i32`, the types of plain literals.
use crate::{Operand, Tensor, ops};
use std::ops::{Add, Div, Mul, Neg, Sub};

macro_rules! number_first {
    ($trait:ident $method:ident, $($left:ty, $right:ty);*) => {$(
        impl $trait<$right> for $left {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: $right) -> Tensor {
                ops::$method(self, other)
            }
        }
    )*};
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        impl<R: Into<Operand>> $trait<R> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: R) -> Tensor {
                ops::$method(self, other)
            }
        }
        impl<R: Into<Operand>> $trait<R> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: R) -> Tensor {
                ops::$method(self, other)
            }
        }
        number_first!($trait $method, f64, Tensor; f64, &Tensor; i32, Tensor; i32, &Tensor);
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        ops::neg(&self)
    }
}

impl Neg for &Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        ops::neg(self)
    }
}
