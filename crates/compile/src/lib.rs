//! The compiler: differentiates graphs and compiles them to programs that devices run.
//!
//! [`grad`] appends gradients to a graph. [`compile_with`] runs the passes in order (`pipeline`):
//! [`simplify`] (fewer nodes, same values), [`schedule`] (groups nodes into kernels), `order`
//! (order of launches, concurrency), `budget` (recomputes values instead of keeping them, if there
//! is a memory budget), `plan` (buffers and their offsets in the arena) and `program` (joins kernels
//! and plan). `verify` checks the result of each pass. The header of each pass states what it
//! assumes and what it guarantees.
//!
//! Folders are stages: `graph`, `schedule` (kernels and their order), `memory` (buffers), `program`.
#[cfg(not(target_family = "wasm"))]
mod dump;
pub mod effort;
mod explain;
mod extract;
mod graph;
mod memory;
mod options;
mod pass;
mod pipeline;
pub mod program;
mod schedule;
mod target;

#[cfg(not(target_family = "wasm"))]
pub use dump::dump;
pub use explain::explain;
pub use extract::{Extracted, extract};
pub use graph::grad::{grad, jvp};
pub use graph::index_check::Positions;
pub use graph::simplify::{Simplified, simplify};
pub use memory::budget::Recomputed;
pub use memory::plan;
pub use options::Options;
pub use pass::Pass;
pub use pipeline::{compile, compile_with};
pub use program::bound::Bound;
pub use program::checked::{CheckedLaunch, Region, UNWRITTEN};
pub use program::{Program, bytes};
pub use schedule::{kernel, schedule};
pub use target::Target;
