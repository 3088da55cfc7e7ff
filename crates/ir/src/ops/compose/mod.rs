//! Composite ops: plain functions over the primitives, by room. They know no gradient and no
//! device; one function here is a method in every language, on every device, differentiable.
mod norms;

use crate::table::OpEntry;

/// The table entries of the ops declared in a room.
macro_rules! entries {
    ($($op:ident),* $(,)?) => {
        pub(super) const OPS: &[crate::table::OpEntry] = &[$($op::ENTRY),*];
    };
}
use entries;

/// What a composite's file usually needs.
mod prelude {
    pub(super) use super::entries;
    pub(super) use crate::dtype::{DType, Number};
    pub(super) use crate::error::{Error, Result};
    pub(super) use crate::ops::*;
    pub(super) use crate::recorder::{Expr, Operand, Recorder};
    pub(super) use crate::shape::{Shape, broadcast};
    pub(super) use brasa_macros::op;
}

pub(crate) fn rooms() -> [&'static [OpEntry]; 1] {
    [norms::OPS]
}

pub use norms::*;
