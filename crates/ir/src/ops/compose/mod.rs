//! Composite ops: plain functions over the primitives, one module per category. They have no
//! gradient rule and no device code: each function here becomes a differentiable method in every
//! language, on every device.
mod activations;
mod arithmetic;
mod classification;
mod contractions;
mod convolution;
mod create;
mod distances;
mod draws;
mod extremes;
mod imaging;
mod indexing;
mod interpolation;
mod joins;
mod linalg;
mod logic;
mod losses;
mod moves;
mod norms;
mod optimizers;
mod ordering;
mod patterns;
mod pooling;
mod reading;
mod recurrent;
mod reductions;
mod running;
mod sampling;
mod scatters;
mod similarities;
mod slices;
mod softmaxes;
mod statistics;
mod transformers;

use crate::table::OpEntry;

/// Lists the table entries of the ops declared in a module.
macro_rules! entries {
    ($($op:ident),* $(,)?) => {
        pub(super) const OPS: &[crate::table::OpEntry] = &[$($op::ENTRY),*];
    };
}
use entries;

/// The usual imports of a module of composites.
#[allow(unused_imports)]
mod prelude {
    pub(super) use super::entries;
    pub(super) use crate::dtype::{DType, Number};
    pub(super) use crate::error::{Error, Result};
    pub(super) use crate::ops::*;
    pub(super) use crate::recorder::{Expr, Operand, Recorder};
    pub(super) use crate::shape::{Shape, Type, broadcast};
    pub(super) use crate::table::{Outputs, Reader};
    pub(super) use crate::value::{Arg, Index, Spec, Value, choice};
    pub(super) use brasa_macros::op;
}

/// Lists the categories in the order of the manual.
macro_rules! categories {
    ($($category:ident),* $(,)?) => {
        $(pub use $category::*;)*

        pub(crate) const CATEGORIES: &[&[OpEntry]] = &[$($category::OPS),*];
    };
}

categories![
    create,
    patterns,
    draws,
    arithmetic,
    logic,
    activations,
    reductions,
    extremes,
    statistics,
    running,
    ordering,
    moves,
    slices,
    joins,
    indexing,
    scatters,
    reading,
    linalg,
    contractions,
    distances,
    convolution,
    pooling,
    interpolation,
    sampling,
    imaging,
    softmaxes,
    norms,
    transformers,
    recurrent,
    losses,
    classification,
    similarities,
    optimizers,
];
