//! JIT for x86-64: compiles several functions of a tile to one loop over AVX2 or AVX-512 vectors,
//! whose values stay in registers. Stages: `trace` (operations in SSA form), `body` (register
//! allocation and code of one vector), `emit` (the function around it), `asm` (encoding). If the
//! machine or the system does not allow it, the functions run one after the other. Tests emulate
//! loops that the machine cannot run.
mod asm;
mod body;
mod code_memory;
mod emit;
#[cfg(feature = "emulate")]
mod emulate;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use emit::{Fold, MachineCode, Output};
pub(crate) use trace::{BinaryOp, Compare, Fused, OperandKind, Trace, UnaryOp, Value};
