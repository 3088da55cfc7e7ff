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
use brasa_ir::ops::Op;

pub(crate) use code::{literal_word, unsupported};

/// The shader of a kernel, unless it has nothing to do. That of an op which runs on the CPU is the
/// code behind it.
pub fn emit(kernel: &Kernel, operands: &Operands) -> Option<Text> {
    let has_work = kernel.domain.elements(Level::Row) > 0;
    has_work.then(|| match &kernel.body {
        Body::Loop => rows::emit(kernel, operands),
        Body::Library { op, out, .. } if is_hosted(op) => rows::after(kernel, operands, out.dtype),
        Body::Library { op, operands: read, out } => library::emit(kernel, op, read, out, operands),
    })
}

/// Whether an op has no shader and runs on the CPU: those of users' own.
pub(crate) fn is_hosted(op: &Op) -> bool {
    matches!(op, Op::Custom(_))
}
