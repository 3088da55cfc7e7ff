//! Library ops without a shader: they run on the CPU by their meaning in the op table, between two
//! submissions. [`Shaders::hosted`](crate::Shaders::hosted) names them.
use crate::emit::is_hosted;
use crate::gpu::Gpu;
use crate::memory::held;
use brasa_compile::kernel::{Body, Kernel, Operand};
use brasa_ir::ops::{Op, OpDef};
use brasa_ir::{Array, Number, Result, Type};

/// An op that runs on the CPU.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) op: Op,
    pub(crate) operands: Vec<Operand>,
    pub(crate) out: Type,
}

impl Host {
    /// The op that has to run on the CPU before a kernel's shader.
    pub(crate) fn of(kernel: &Kernel) -> Option<Host> {
        let Body::Library { op, operands, out } = &kernel.body else { return None };
        let host = || Host { op: op.clone(), operands: operands.clone(), out: out.clone() };
        is_hosted(op).then(host)
    }

    /// The op's result; the operands are read from the buffers and places that `home` tells.
    pub(crate) async fn run<'a>(
        &self,
        gpu: &Gpu,
        home: impl Fn(usize) -> (&'a wgpu::Buffer, usize),
    ) -> Result<Array> {
        let mut operands = Vec::with_capacity(self.operands.len());
        for operand in &self.operands {
            let (buffer, at) = home(operand.read);
            let stored = Type::new(operand.ty.dtype, [operand.view.reach()]);
            let stored = gpu.read_array(buffer, at, &stored).await?;
            let indices = (0..operand.ty.elements()).map(|i| operand.view.index_flat(i));
            operands.push(stored.pick(&operand.ty, indices, Number::Int(0)));
        }
        let operands: Vec<&Array> = operands.iter().collect();
        self.op.eval(&operands, &self.out)
    }

    /// Puts the result where the code behind the op finds it.
    pub(crate) fn store(
        &self,
        gpu: &Gpu,
        result: &Array,
        arena: &wgpu::Buffer,
        at: usize,
    ) -> Result<()> {
        gpu.write(arena, at, &held(&result.ty, &result.to_bytes())?);
        Ok(())
    }
}
