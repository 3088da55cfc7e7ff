//! The tile interpreter: runs the code of kernels one tile (a few rows of a few hundred lanes) at
//! a time. A tile is small enough that its registers stay in the L1 cache, and large enough that
//! instruction dispatch is negligible.
mod access;
#[cfg(target_arch = "x86_64")]
mod chain;
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_jit.rs"]
mod chain;
mod class;
mod copy;
mod fold;
mod functions;
mod prefetch;
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
pub(crate) use prepare::{Loop, LoopOptions};
pub(crate) use run::{Anchor, Memory, PARALLEL_WORK};
pub(crate) use vector::Operand;
