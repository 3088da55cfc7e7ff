//! The verbs of Brasa: pure functions from graphs to graphs, and on to programs.
mod cost;
mod grad;
mod group;
pub mod kernel;
pub mod plan;
pub mod program;
mod repeat;
mod schedule;
mod simplify;

pub use grad::{grad, jvp};
pub use program::{Program, compile};
pub use schedule::schedule;
pub use simplify::{Simplified, simplify};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
