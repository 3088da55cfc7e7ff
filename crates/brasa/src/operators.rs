//! Operators between tensors and numbers, by value or by reference: `+ - * / % & | ^`, and `!` and
//! `-` of one tensor. `+=` and the like update in place, as in PyTorch.
//!
//! Numbers on the left are `f64` or `i32` only, the types of plain literals: if `f32` were
//! implemented as well, the compiler could not infer the type of `2.0` in `2.0 * &x`. Convert other
//! types first, or put the number on the right.
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
