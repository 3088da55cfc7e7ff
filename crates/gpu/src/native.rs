//! What only native programs can do: wait.
use crate::{Executable, Gpu};
use brasa_compile::compile;
use brasa_ir::{Array, Error, Graph, Id, Result};
use std::collections::HashMap;

/// The result of a future: natively nothing has to be awaited.
pub fn wait_for<T>(future: impl Future<Output = T>) -> T {
    pollster::block_on(future)
}

/// Compiles and runs a graph once: the values of `wanted`, given those of the graph's inputs.
pub fn run(g: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>> {
    let gpu = Gpu::global()?;
    let program = compile(g, wanted);
    let mut buffers = Vec::with_capacity(program.inputs.len());
    for input in &program.inputs {
        let missing = || Error::data("input", format!("'{}' has no value", input.name));
        buffers.push(gpu.upload(inputs.get(&input.node).ok_or_else(missing)?)?);
    }
    let mut executable = Executable::new(gpu, program)?;
    wait_for(async {
        executable.run(&mut buffers, g.slots()).await?;
        let mut outputs = Vec::with_capacity(wanted.len());
        for n in 0..wanted.len() {
            outputs.push(executable.output(&buffers, n).await?);
        }
        Ok(outputs)
    })
}
