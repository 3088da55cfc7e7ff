//! Writes WGSL and runs programs through wgpu: Vulkan and Metal natively, WebGPU in the browser.
mod device;
pub mod emit;
mod gpu;
mod host;
mod memory;
#[cfg(not(target_arch = "wasm32"))]
mod native;

pub use device::Executable;
pub use gpu::{Adapter, Gpu, adapters};
pub use memory::Buffer;
#[cfg(not(target_arch = "wasm32"))]
pub use native::{run, wait_for};
