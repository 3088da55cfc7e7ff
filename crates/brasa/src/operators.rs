//! Operators between tensors and numbers, by value or by reference: `+ - * / % & | ^`, and `!` and `-`
//! of one tensor. `+=` and its like update in place, as PyTorch's do.
//!
//! To the left of an operator stand `f64` and `i32` alone, the types of plain literals: with `f32` beside
//! `f64`, the compiler could no longer tell what `2.0 * &x` is. Others are turned into these first, or
//! stand to the right.
use crate::{Operand, Tensor, ops};
use std::ops::{Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign};
use std::ops::{Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign};

macro_rules! number_first {
    ($trait:ident $method:ident = $op:ident, $($left:ty, $right:ty);*) => {$(
        impl $trait<$right> for $left {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: $right) -> Tensor {
                ops::$op(self, other)
            }
        }
    )*};
}

macro_rules! operators {
    ($($trait:ident $method:ident, $assign:ident $assigned:ident = $op:ident;)*) => {$(
        impl<R: Into<Operand>> $trait<R> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: R) -> Tensor {
                ops::$op(self, other)
            }
        }
        impl<R: Into<Operand>> $trait<R> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, other: R) -> Tensor {
                ops::$op(self, other)
            }
        }
        impl<R: Into<Operand>> $assign<R> for Tensor {
            #[track_caller]
            fn $assigned(&mut self, other: R) {
                let base = self.base();
                let _turn = base.turn();
                let new = ops::$op(&*self, other);
                self.replace(stringify!($assigned), new);
            }
        }
        number_first!($trait $method = $op, f64, Tensor; f64, &Tensor; i32, Tensor; i32, &Tensor);
    )*};
}
operators! {
    Add add, AddAssign add_assign = add;
    Sub sub, SubAssign sub_assign = sub;
    Mul mul, MulAssign mul_assign = mul;
    Div div, DivAssign div_assign = div;
    Rem rem, RemAssign rem_assign = remainder;
    BitAnd bitand, BitAndAssign bitand_assign = bitwise_and;
    BitOr bitor, BitOrAssign bitor_assign = bitwise_or;
    BitXor bitxor, BitXorAssign bitxor_assign = bitwise_xor;
}

macro_rules! of_one {
    ($($trait:ident $method:ident = $op:ident;)*) => {$(
        impl $trait for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self) -> Tensor {
                ops::$op(&self)
            }
        }
        impl $trait for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self) -> Tensor {
                ops::$op(self)
            }
        }
    )*};
}
of_one! {
    Neg neg = neg;
    Not not = bitwise_not;
}
