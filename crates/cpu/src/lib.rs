//! Runs programs on threads, native and wasm: the only crate with `unsafe` code.
#![warn(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod gemm;
pub mod level;
pub mod pool;
mod scratch;
mod simd;
pub mod vmath;

pub use level::Level;
pub use pool::Pool;
