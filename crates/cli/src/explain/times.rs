//! Times the kernels of a step on this machine.
use super::recorded_step::RecordedStep;
use crate::device::Device;
use brasa_compile::compile_with;
use brasa_cpu::{Buffer, Executable, Pool};
use brasa_ir::Result;

/// Number of timed runs. The minimum is used: noise only adds time.
const ROUNDS: usize = 5;

/// Microseconds of each kernel in trace order, with inputs of zeros.
pub fn micros(step: &RecordedStep) -> Result<Vec<f64>> {
    let program = compile_with(&step.graph, &step.wanted, &Device::Cpu.options())?;
    let (count, mut executable) = (program.inputs.len(), Executable::new(program));
    let input = |n: usize| {
        let bytes = executable.program().inputs[n].ty.bytes();
        Buffer::try_new(bytes).ok_or_else(|| executable.no_memory_for(n))
    };
    let mut inputs = (0..count).map(input).collect::<Result<Vec<Buffer>>>()?;
    let mut least = vec![f64::INFINITY; executable.program().launches.len()];
    for _ in 0..ROUNDS {
        let times = executable.profile(Pool::global(), &mut inputs, step.graph.slots())?;
        for (least, time) in least.iter_mut().zip(times) {
            *least = least.min(time.as_secs_f64() * 1e6);
        }
    }
    Ok(least)
}
