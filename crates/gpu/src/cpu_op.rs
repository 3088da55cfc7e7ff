//! Library ops without a shader: they run on the CPU by the op table's `eval`, between two
//! submissions. [`Shaders::cpu_ops`](crate::Shaders::cpu_ops) lists them.
use crate::emit::runs_on_cpu;
use crate::gpu::Gpu;
use crate::memory::to_device_bytes;
use brasa_compile::kernel::{Body, Kernel, Operand};
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::{Array, Number, Result, Type};

/// An op that runs on the CPU.
#[derive(Clone)]
pub(crate) struct CpuOp {
    pub(crate) op: Op,
    pub(crate) operands: Vec<Operand>,
    pub(crate) out: Type,
}

impl CpuOp {
    /// The op of a kernel that has to run on the CPU before the kernel's shader.
    pub(crate) fn of(kernel: &Kernel) -> Option<CpuOp> {
        let Body::Library { op, operands, out } = &kernel.body else { return None };
        let cpu_op = || CpuOp { op: op.clone(), operands: operands.clone(), out: out.clone() };
        runs_on_cpu(op).then(cpu_op)
    }

    /// Computes the op's result from operands that are read back; `location` gives the buffer and
    /// byte offset of each read.
    pub(crate) async fn run<'a>(
        &self,
        gpu: &Gpu,
        location: impl Fn(usize) -> (&'a wgpu::Buffer, usize),
    ) -> Result<Array> {
        let mut operands = Vec::with_capacity(self.operands.len());
        for operand in &self.operands {
            let (buffer, at) = location(operand.read);
            let stored = Type::new(operand.ty.dtype, [operand.view.reach()]);
            let stored = gpu.read_array(buffer, at, &stored).await?;
            let indices = (0..operand.ty.elements()).map(|i| operand.view.index_flat(i));
            operands.push(stored.pick(&operand.ty, indices, Number::Int(0)));
        }
        let operands: Vec<&Array> = operands.iter().collect();
        self.op.eval(&operands, &self.out)
    }

    /// Writes the result to the scratch memory that the kernel's shader reads.
    pub(crate) fn store(
        &self,
        gpu: &Gpu,
        result: &Array,
        arena: &wgpu::Buffer,
        at: usize,
    ) -> Result<()> {
        gpu.write(arena, at, &to_device_bytes(&result.ty, &result.to_bytes())?);
        Ok(())
    }
}
