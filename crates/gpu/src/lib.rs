//! Writes WGSL and runs programs through wgpu: Vulkan, Metal and Direct3D natively, WebGPU in the
//! browser. The same calls serve both; what has to wait for the device is `async`.
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
//! `run` does not wait for the device, unless it is more than a hundred runs behind; `read` does, and also tells what went wrong in runs before
//! it, as an index out of range. A device that is lost ([`Gpu::lost`]) stays so: open another, and
//! upload what was saved. Natively [`wait_for`] waits for any of these futures. In the browser
//! nothing here is `Send`: one worker owns the device.
mod adapters;
mod alarms;
mod checked;
pub mod emit;
mod executable;
mod flights;
mod gpu;
mod host;
mod layout;
mod making;
mod memory;
#[cfg(not(target_arch = "wasm32"))]
mod native;
pub mod paths;
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

/// How programs for this device are compiled.
pub fn options() -> brasa_compile::Options {
    brasa_compile::Options {
        reduces_products: false,
        // As many inputs as most adapters of the browser bind beside the arena.
        joint_inputs: 9,
        overwrites_rows: true,
        packs_work: false,
        chains_products: false,
        fewest_beside: 0,
        ..Default::default()
    }
}
