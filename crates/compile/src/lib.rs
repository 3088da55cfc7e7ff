//! The verbs of Brasa: pure functions from graphs to graphs, and on to programs.
mod grad;

pub use grad::{grad, jvp};
