//! Generated from the `contractions` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`tensordot`](crate::ops::tensordot).
    #[derive(Clone, Debug)]
    pub struct TensordotOptions {
        pub(crate) dims: Vec<Vec<i64>>,
    }

    impl Default for TensordotOptions {
        fn default() -> TensordotOptions {
            TensordotOptions {
                dims: vec![vec![2]],
            }
        }
    }

    impl TensordotOptions {
        /// Sets `dims`; by default `[[2]]`.
        pub fn dims(mut self, dims: Vec<Vec<i64>>) -> Self {
            self.dims = dims;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Sums of products over named axes, such as `'bij,bjk->bik'`. Axes that are not in the output are
    /// summed over; a name that occurs twice in one operand takes its diagonal; `...` are axes that
    /// broadcast. Without `->` the output is the ellipsis followed by the names that occur once, in
    /// alphabetical order: `'ii'` is a trace. Operands are contracted from left to right.
    #[track_caller]
    pub fn einsum(equation: &str, operands: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>) -> Tensor {
        let equation: String = equation.to_string();
        let operands: Vec<Tensor> = collected(operands);
        operands.settle();
        record("einsum", |scope| scope.leave(compose::einsum(scope.g, equation, operands.enter(scope))))
    }

    /// Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
    /// axes in two lists.
    #[track_caller]
    pub fn tensordot(a: &Tensor, b: &Tensor) -> Tensor {
        tensordot_with(a, b, |o| o)
    }

    /// Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
    /// axes in two lists.
    ///
    /// Options: `dims`.
    #[track_caller]
    pub fn tensordot_with(a: &Tensor, b: &Tensor, o: impl FnOnce(options::TensordotOptions) -> options::TensordotOptions) -> Tensor {
        let o = o(options::TensordotOptions::default());
        a.settle();
        b.settle();
        record("tensordot", |scope| scope.leave(compose::tensordot(scope.g, a.enter(scope), b.enter(scope), o.dims)))
    }

    /// Sums of products over the last axis of both; with a scalar, its product with the other.
    #[track_caller]
    pub fn inner(input: &Tensor, other: &Tensor) -> Tensor {
        input.settle();
        other.settle();
        record("inner", |scope| scope.leave(compose::inner(scope.g, input.enter(scope), other.enter(scope))))
    }
}

impl Tensor {
    /// Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
    /// axes in two lists.
    #[track_caller]
    pub fn tensordot(&self, b: &Tensor) -> Tensor {
        functions::tensordot(self, b)
    }

    /// Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
    /// axes in two lists.
    ///
    /// Options: `dims`.
    #[track_caller]
    pub fn tensordot_with(&self, b: &Tensor, o: impl FnOnce(options::TensordotOptions) -> options::TensordotOptions) -> Tensor {
        functions::tensordot_with(self, b, o)
    }

    /// Sums of products over the last axis of both; with a scalar, its product with the other.
    #[track_caller]
    pub fn inner(&self, other: &Tensor) -> Tensor {
        functions::inner(self, other)
    }

}
