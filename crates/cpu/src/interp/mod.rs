//! The tile interpreter: runs the code of kernels a few rows of a few hundred lanes at a time. A tile
//! is small enough for its registers to stay in the first-level cache and large enough that the
//! choice of the next instruction costs nothing.
mod access;
mod ahead;
#[cfg(target_arch = "x86_64")]
mod chain;
#[cfg(not(target_arch = "x86_64"))]
#[path = "unchained.rs"]
mod chain;
mod class;
mod copy;
mod fold;
mod functions;
mod prepare;
mod reduce;
mod run;
mod shape;
mod stages;
mod step;
mod vector;

pub(crate) use class::Class;
#[cfg(target_arch = "x86_64")]
pub(crate) use fold::RUNNING;
pub(crate) use prepare::{Loop, Setting};
pub(crate) use run::{Anchor, Memory};
pub(crate) use vector::Operand;
