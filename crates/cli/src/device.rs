//! The devices a graph can be run on.
use brasa_compile::Options;
use brasa_ir::{Array, Graph, Id, Result};
use std::collections::HashMap;

/// Where graphs are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// Node by node, slowly and plainly.
    Reference,
    /// Compiled, on all cores.
    Cpu,
    /// Compiled, on the adapter that the system prefers.
    Gpu,
}

impl Device {
    /// How programs for it are compiled.
    pub fn options(self) -> Options {
        match self {
            Device::Reference | Device::Cpu => Options::default(),
            Device::Gpu => brasa_gpu::options(),
        }
    }

    /// The device of tensors that it is.
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
