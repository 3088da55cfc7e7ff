//! The compiler: differentiates graphs and compiles them to programs that devices run.
//!
//! [`grad`] appends gradients to a graph. [`compile_with`] runs the passes in order:
//! [`simplify`] (fewer nodes, same values), [`schedule`] (groups nodes into kernels), `order`
//! (order of launches, concurrency), `plan` (buffers and their offsets in the arena) and, if there
//! is a memory budget, `budget` (recomputes values instead of keeping them). `verify` checks the
//! result of each pass.
mod bound;
mod budget;
pub mod bytes;
mod check;
mod checked;
mod cost;
pub mod effort;
mod evaluate;
mod explain;
mod extract;
mod grad;
mod group;
pub mod kernel;
mod lower;
mod order;
mod pack;
pub mod plan;
pub mod program;
mod relayout;
mod rematerialize;
mod rounding;
mod schedule;
mod simplify;
mod split_axes;
mod verify;

pub use bound::{Bound, Positions};
pub use budget::Recomputed;
pub use checked::{CheckedLaunch, Region, UNWRITTEN};
pub use explain::explain;
pub use extract::{Extracted, extract};
pub use grad::{grad, jvp};
pub use program::{Options, Program, compile, compile_with};
pub use schedule::schedule;
pub use simplify::{Simplified, simplify};
