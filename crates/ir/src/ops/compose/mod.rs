//! Composite ops: plain functions over the primitives, by room. They know no gradient and no
//! device; one function here is a method in every language, on every device, differentiable.
mod activations;
mod arithmetic;
mod convolution;
mod create;
mod draws;
mod imaging;
mod indexing;
mod joins;
mod linalg;
mod logic;
mod losses;
mod moves;
mod norms;
mod ordering;
mod patterns;
mod pooling;
mod reading;
mod recurrent;
mod reductions;
mod running;
mod transformers;

use crate::table::OpEntry;

/// The table entries of the ops declared in a room.
macro_rules! entries {
    ($($op:ident),* $(,)?) => {
        pub(super) const OPS: &[crate::table::OpEntry] = &[$($op::ENTRY),*];
    };
}
use entries;

/// What a composite's file usually needs.
#[allow(unused_imports)]
mod prelude {
    pub(super) use super::entries;
    pub(super) use crate::dtype::{DType, Number};
    pub(super) use crate::error::{Error, Result};
    pub(super) use crate::ops::*;
    pub(super) use crate::recorder::{Expr, Operand, Recorder};
    pub(super) use crate::shape::{Shape, Type, broadcast};
    pub(super) use crate::table::Reader;
    pub(super) use crate::value::{Index, choice};
    pub(super) use brasa_macros::op;
}

pub(crate) fn rooms() -> [&'static [OpEntry]; 21] {
    [
        create::OPS,
        patterns::OPS,
        draws::OPS,
        arithmetic::OPS,
        logic::OPS,
        activations::OPS,
        reductions::OPS,
        running::OPS,
        ordering::OPS,
        moves::OPS,
        joins::OPS,
        indexing::OPS,
        reading::OPS,
        linalg::OPS,
        convolution::OPS,
        pooling::OPS,
        imaging::OPS,
        norms::OPS,
        transformers::OPS,
        recurrent::OPS,
        losses::OPS,
    ]
}

pub use activations::*;
pub use arithmetic::*;
pub use convolution::*;
pub use create::*;
pub use draws::*;
pub use imaging::*;
pub use indexing::*;
pub use joins::*;
pub use linalg::*;
pub use logic::*;
pub use losses::*;
pub use moves::*;
pub use norms::*;
pub use ordering::*;
pub use patterns::*;
pub use pooling::*;
pub use reading::*;
pub use recurrent::*;
pub use reductions::*;
pub use running::*;
pub use transformers::*;
