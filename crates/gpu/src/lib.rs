//! Writes WGSL and runs programs through wgpu: Vulkan and Metal natively, WebGPU in the browser.
mod device;
pub mod emit;
mod gpu;
mod host;
mod memory;

pub use device::Executable;
#[cfg(not(target_arch = "wasm32"))]
pub use device::{run, wait_for};
pub use gpu::{Adapter, Gpu, adapters};
pub use memory::Buffer;
