//! Emission: kernels as WGSL text. Pure functions; no device is needed.
mod code;
mod contract;
mod index;
mod library;
mod rows;
mod scalar;
mod shader;

pub use shader::{Home, Operand, Operands, Text, Word};

use brasa_compile::kernel::{Body, Kernel, Level};
use brasa_ir::DType;

pub(crate) use code::{literal_word, unsupported};

/// The shader of a kernel; `None` if it has nothing to do, or if its op has to run on the CPU.
pub fn emit(kernel: &Kernel, operands: &Operands) -> Option<Text> {
    match &kernel.body {
        _ if kernel.domain.elements(Level::Row) == 0 => None,
        Body::Loop => Some(rows::emit(kernel, operands)),
        Body::Library { op, operands: read, out } => library::emit(kernel, op, read, out, operands),
    }
}

/// The shader of the code that follows an op which ran on the CPU, and whose result is of `dtype`.
pub(crate) fn emit_after(kernel: &Kernel, operands: &Operands, dtype: DType) -> Option<Text> {
    let has_elements = kernel.domain.elements(Level::Full) > 0;
    has_elements.then(|| rows::emit_after(kernel, operands, dtype))
}
