//! The compiler: differentiates graphs and compiles them to programs that devices run.
//!
//! [`grad`] appends gradients to a graph. [`compile_with`] runs the passes in order (`pipeline`):
//! [`simplify`] (fewer nodes, same values), [`schedule`] (groups nodes into kernels), `order`
//! (order of launches, concurrency), `budget` (recomputes values instead of keeping them, if there
//! is a memory budget), `plan` (buffers and their offsets in the arena) and `program` (joins kernels
//! and plan). `verify` checks the result of each pass. The header of each pass states what it
//! assumes and what it guarantees.
mod bound;
mod budget;
pub mod bytes;
mod check;
mod checked;
mod cost;
#[cfg(not(target_family = "wasm"))]
mod dump;
pub mod effort;
mod evaluate;
mod explain;
mod extract;
mod grad;
mod group;
pub mod kernel;
mod lower;
mod options;
mod order;
mod pack;
mod pass;
mod pipeline;
pub mod plan;
mod prepared;
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
#[cfg(not(target_family = "wasm"))]
pub use dump::dump;
pub use explain::explain;
pub use extract::{Extracted, extract};
pub use grad::{grad, jvp};
pub use options::Options;
pub use pass::Pass;
pub use pipeline::{compile, compile_with};
pub use program::Program;
pub use schedule::schedule;
pub use simplify::{Simplified, simplify};
