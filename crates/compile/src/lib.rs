//! The verbs of Brasa: pure functions from graphs to graphs, and on to programs.
mod budget;
pub mod bytes;
mod check;
mod cost;
mod explain;
mod grad;
mod group;
pub mod kernel;
mod order;
pub mod plan;
pub mod program;
mod rearrange;
mod repeat;
mod schedule;
mod simplify;

pub use budget::Recomputed;
pub use explain::explain;
pub use grad::{grad, jvp};
pub use program::{Options, Program, compile, compile_with};
pub use schedule::schedule;
pub use simplify::{Simplified, simplify};
