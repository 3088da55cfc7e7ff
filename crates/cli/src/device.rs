//! The devices that can run a graph.
use brasa_compile::Options;
use brasa_ir::{Array, Graph, Id, Result};
use std::collections::HashMap;

/// A device that runs graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// Interpreted node by node; slow.
    Reference,
    /// Compiled for the CPU, on all cores.
    Cpu,
    /// Compiled for the GPU, on the system's default adapter.
    Gpu,
}

impl Device {
    /// The compiler options for this device.
    pub fn options(self) -> Options {
        match self {
            Device::Reference | Device::Cpu => brasa_cpu::options(),
            Device::Gpu => brasa_gpu::options(),
        }
    }

    /// The corresponding tensor device.
    pub fn tensors(self) -> Result<brasa::Device> {
        match self {
            Device::Reference => Ok(brasa::Device::reference()),
            Device::Cpu => Ok(brasa::Device::cpu()),
            Device::Gpu => brasa::Device::gpu(),
        }
    }

    /// The values of `wanted`, given those of the graph's inputs.
    pub fn run(self, g: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>> {
        match self {
            Device::Reference => brasa_ir::eval(g, inputs, wanted),
            Device::Cpu => brasa_cpu::run(g, inputs, wanted),
            Device::Gpu => brasa_gpu::run(g, inputs, wanted),
        }
    }
}
