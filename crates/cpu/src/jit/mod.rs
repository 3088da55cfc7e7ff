//! Vector code made at run time: several functions of a tile become one loop over vectors of AVX2
//! or AVX-512, whose values stay in registers. Where the machine or the system does not allow it, there is none,
//! and the functions run one after the other. Tests emulate loops that the machine cannot run.
mod asm;
mod body;
mod emit;
#[cfg(feature = "emulate")]
mod emulate;
mod memory;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use emit::{Code, Fold, Output};
pub(crate) use trace::{Compare, Fused, One, Operand, Trace, Two, Value};
