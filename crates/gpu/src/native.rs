//! Blocking functions, which only native programs can call.
use crate::{Buffer, Executable, Gpu};
use brasa_compile::compile_with;
use brasa_ir::{Array, Error, Graph, Id, Result};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Blocks this thread until a future completes.
pub fn wait_for<T>(future: impl Future<Output = T>) -> T {
    pollster::block_on(future)
}

impl Gpu {
    /// The device that this process shares, reopened if it was lost.
    pub fn global() -> Result<Gpu> {
        static GPU: Mutex<Option<Gpu>> = Mutex::new(None);
        let mut shared = GPU.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gpu) = shared.as_ref().filter(|gpu| gpu.lost().is_none()) {
            return Ok(gpu.clone());
        }
        let gpu = wait_for(Gpu::new())?;
        *shared = Some(gpu.clone());
        Ok(gpu)
    }

    /// Waits until all submitted work is done.
    pub fn wait(&self) -> Result<()> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| Error::device("wait", e.to_string()))?;
        self.check("wait")
    }
}

/// Compiles a graph, runs it once, and returns the values of `wanted`.
pub fn run(g: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>> {
    let gpu = &Gpu::global()?;
    let program = compile_with(g, wanted, &crate::options())?;
    let mut buffers = Vec::with_capacity(program.inputs.len());
    for input in &program.inputs {
        let missing = || Error::data("input", format!("'{}' has no value", input.name));
        buffers.push(gpu.upload(inputs.get(&input.node).ok_or_else(missing)?)?);
    }
    let buffers: Vec<&Buffer> = buffers.iter().collect();
    wait_for(async {
        let mut executable = Executable::new(gpu, program).await?;
        executable.run(&buffers, g.slots()).await?;
        let mut outputs = Vec::with_capacity(wanted.len());
        for n in 0..wanted.len() {
            outputs.push(executable.output(&buffers, n).await?);
        }
        Ok(outputs)
    })
}
