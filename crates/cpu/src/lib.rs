//! CPU back end: prepares compiled programs and runs them on a thread pool, natively and in wasm.
//! Kernels without a library op run in the tile interpreter (`interp`, with a JIT for x86-64 in
//! `jit`); library ops such as matrix products have kernels of their own (`library`, `gemm`).
#![warn(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod cache;
mod checked;
mod device;
pub mod gemm;
mod interp;
#[cfg(target_arch = "x86_64")]
mod jit;
pub mod level;
mod library;
mod memory;
pub mod paths;
pub mod pool;
mod random;
mod scratch;
mod simd;
mod target;
pub mod vmath;

pub use cache::Cache;
pub use device::{Executable, run};
pub use level::Level;
pub use memory::Buffer;
pub use pool::Pool;
pub use target::{options, target};
