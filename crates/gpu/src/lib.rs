//! Writes WGSL and runs programs through wgpu: Vulkan, Metal and Direct3D natively, WebGPU in the
//! browser. Both use the same API; functions that wait for the device are `async`.
//!
//! ```ignore
//! use brasa_compile::compile_with;
//! use brasa_gpu::{Executable, Gpu};
//! use brasa_ir::ops::{Role, Write};
//! use brasa_ir::{Array, DType, Recorder, Result, Type};
//!
//! async fn halve() -> Result<Array> {
//!     let gpu = Gpu::new().await?;
//!     let g = Recorder::default();
//!     let x = g.input("x", Role::State, Type::new(DType::F32, [3]));
//!     g.push(Write {}, &[x, x * 0.5])?;
//!     let (program, slots) = g.read(|graph| {
//!         let program = compile_with(graph, &[], &brasa_gpu::options());
//!         program.map(|program| (program, graph.slots().to_vec()))
//!     })?;
//!     // The program's inputs, in its order; those that it writes are changed.
//!     let inputs = [&gpu.upload(&Array::f32([3], &[1.0, 2.0, 4.0]))?];
//!     let mut executable = Executable::new(&gpu, program).await?;
//!     executable.run(&inputs, &slots).await?;
//!     gpu.read(inputs[0]).await
//! }
//!
//! let halves = brasa_gpu::wait_for(halve()).expect("there is an adapter");
//! assert_eq!(halves.to_f64(), [0.5, 1.0, 2.0]);
//! ```
//!
//! `run` waits for the device only when more than a hundred runs are in flight. `read` always
//! waits, and reports errors of earlier runs, such as an index out of range. A lost device
//! ([`Gpu::lost`]) does not recover: open another and upload the saved state. Natively,
//! [`wait_for`] blocks on any of these futures. In the browser nothing here is `Send`: one worker
//! owns the device.
mod adapters;
mod bounds_flags;
mod checked;
mod cpu_op;
pub mod emit;
mod executable;
mod gpu;
mod in_flight;
mod layout;
mod memory;
#[cfg(not(target_arch = "wasm32"))]
mod native;
pub mod paths;
mod pending_allocations;
mod profile;
mod shaders;

pub use adapters::{Adapter, adapters};
pub use executable::Executable;
pub use gpu::Gpu;
pub use layout::Limits;
pub use memory::Buffer;
#[cfg(not(target_arch = "wasm32"))]
pub use native::{run, wait_for};
pub use shaders::Shaders;

use brasa_compile::{Options, Target};

/// This device's features. The sizes and costs are those of the CPU: others have not been measured.
pub fn target() -> Target {
    Target {
        reduces_products: false,
        // Most browser adapters can bind this many inputs next to the arena.
        joint_inputs: 9,
        overwrites_rows: true,
        packs_prologues: false,
        chains_products: false,
        min_concurrent: 0,
        ..Target::default()
    }
}

/// Compile options for programs that run on this device.
pub fn options() -> Options {
    Options::new(target())
}
