//! A compiled program on a device, with its inputs uploaded.
use crate::device::Device;
use brasa_compile::Program;
use brasa_cpu::Pool;
use brasa_gpu::Gpu;
use brasa_ir::{Array, Error, Id, Number, Result};
use std::collections::HashMap;
use std::time::Duration;

/// An executable on a device, with its input buffers.
#[expect(clippy::large_enum_variant, reason = "there is one")]
pub enum Engine {
    Cpu { executable: brasa_cpu::Executable, inputs: Vec<brasa_cpu::Buffer> },
    Gpu { gpu: Gpu, executable: brasa_gpu::Executable, inputs: Vec<brasa_gpu::Buffer> },
}

impl Engine {
    pub fn new(
        device: Device,
        program: Program,
        mut data: HashMap<Id, brasa_cpu::Buffer>,
    ) -> Result<Engine> {
        let inputs = program.inputs.iter().map(|input| data.remove(&input.node));
        let inputs: Vec<_> = inputs.map(|data| data.expect("every input has values")).collect();
        match device {
            Device::Cpu => {
                let executable = brasa_cpu::Executable::new(program);
                Ok(Engine::Cpu { executable, inputs })
            }
            Device::Gpu => {
                let gpu = Gpu::global()?;
                let upload = |(input, data): (&brasa_compile::program::ProgramInput, _)| {
                    let data: &brasa_cpu::Buffer = data;
                    gpu.upload_bytes(&input.ty, data.bytes())
                };
                let inputs = program.inputs.iter().zip(&inputs).map(upload);
                let inputs = inputs.collect::<Result<Vec<_>>>()?;
                let executable = brasa_gpu::wait_for(brasa_gpu::Executable::new(&gpu, program))?;
                Ok(Engine::Gpu { gpu, executable, inputs })
            }
            Device::Reference => {
                let what = "the reference device does not compile and cannot be timed";
                Err(Error::argument("bench", what).help("choose --device cpu or gpu"))
            }
        }
    }

    pub fn program(&self) -> &Program {
        match self {
            Engine::Cpu { executable, .. } => executable.program(),
            Engine::Gpu { executable, .. } => executable.program(),
        }
    }

    /// Number of kernel launches per run.
    pub fn launches(&self) -> usize {
        match self {
            Engine::Cpu { executable, .. } => executable.program().launches.len(),
            Engine::Gpu { executable, .. } => executable.shaders().dispatches(),
        }
    }

    /// Runs a step and waits for it.
    pub fn run(&mut self, pool: &Pool, slots: &[Number]) -> Result<()> {
        match self {
            Engine::Cpu { executable, inputs } => executable.run(pool, inputs, slots),
            Engine::Gpu { gpu, executable, inputs } => {
                brasa_gpu::wait_for(executable.run(&refs(inputs), slots))?;
                gpu.wait()
            }
        }
    }

    /// Like `run`, and returns the time of each launch.
    pub fn profile(&mut self, pool: &Pool, slots: &[Number]) -> Result<Vec<Duration>> {
        match self {
            Engine::Cpu { executable, inputs } => executable.profile(pool, inputs, slots),
            Engine::Gpu { executable, inputs, .. } => executable.profile(&refs(inputs), slots),
        }
    }

    pub fn output(&self, n: usize) -> Result<Array> {
        match self {
            Engine::Cpu { executable, inputs } => Ok(executable.output(inputs, n)),
            Engine::Gpu { executable, inputs, .. } => {
                brasa_gpu::wait_for(executable.output(&refs(inputs), n))
            }
        }
    }
}

fn refs(inputs: &[brasa_gpu::Buffer]) -> Vec<&brasa_gpu::Buffer> {
    inputs.iter().collect()
}
