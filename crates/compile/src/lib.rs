//! The verbs of Brasa: pure functions from graphs to graphs, and on to programs.
mod bound;
mod budget;
pub mod bytes;
mod carve;
mod check;
mod coder;
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
mod seams;
mod simplify;

pub use bound::{Bound, Positions};
pub use budget::Recomputed;
pub use carve::{Carved, carve};
pub use explain::explain;
pub use grad::{grad, jvp};
pub use program::{Options, Program, compile, compile_with};
pub use schedule::schedule;
pub use simplify::{Simplified, simplify};
