//! The verbs of Brasa: pure functions from graphs to graphs, and on to programs.
mod grad;
mod simplify;

pub use grad::{grad, jvp};
pub use simplify::{Simplified, simplify};
