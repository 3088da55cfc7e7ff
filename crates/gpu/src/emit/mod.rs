//! Emission: kernels as WGSL text. Pure functions; no device is needed.
mod code;
mod contract;
mod extremes;
mod fours;
mod functions;
mod index;
mod library;
mod narrow;
mod order;
mod plan;
mod product;
mod quads;
mod rows;
mod scalar;
mod scan;
mod scatter;
mod shader;
mod sharing;
mod threads;

pub use shader::{Device, Home, Look, Operand, Operands, Text, Word};

use crate::paths::{self, Path};
use brasa_compile::kernel::{Body, Kernel, Level};
use brasa_ir::ops::Op;

pub(crate) use code::{literal_word, too_wide, unsupported};
pub(crate) use narrow::per_word;
#[cfg(feature = "count")]
pub(crate) use plan::SHARING_LANES;

/// The shaders of a kernel, which run one after the other: none if it has nothing to do, and more
/// than one where a reduction takes two passes, or where narrow results have to be packed. That of an
/// op which runs on the CPU is the code behind it.
pub fn emit(kernel: &Kernel, operands: &Operands) -> Vec<Text> {
    if kernel.domain.elements(Level::Row) == 0 {
        return Vec::new();
    }
    let Some(widened) = narrow::widened(kernel, operands) else {
        return shaders(kernel, operands);
    };
    paths::hit(Path::Pack);
    let mut texts = shaders(kernel, &widened);
    texts.push(narrow::pack(kernel, operands, &widened));
    texts
}

fn shaders(kernel: &Kernel, operands: &Operands) -> Vec<Text> {
    match &kernel.body {
        Body::Loop => rows::emit(kernel, operands),
        Body::Library { op, out, .. } if is_hosted(op) => {
            vec![rows::after(kernel, operands, out.dtype)]
        }
        Body::Library { op, operands: read, out } => library::emit(kernel, op, read, out, operands),
    }
}

/// The words that a kernel needs between its passes, of `most` that there may be. Only narrow results
/// can need more.
pub fn scratch(kernel: &Kernel, device: Device, most: usize) -> usize {
    if kernel.domain.elements(Level::Row) == 0 {
        return 0;
    }
    let wide = narrow::scratch(kernel);
    wide + own_scratch(kernel, device, most.saturating_sub(wide))
}

/// `scratch` without what narrow results take.
fn own_scratch(kernel: &Kernel, device: Device, most: usize) -> usize {
    match &kernel.body {
        Body::Library { op, operands, out } => library::scratch(op, operands, out, device, most),
        Body::Loop => rows::scratch(kernel, device.is_software, most),
    }
}

/// Whether an op looks up indices that may be out of range.
pub(crate) fn notes_alarms(op: &Op) -> bool {
    matches!(op, Op::Gather(_) | Op::Scatter(_))
}

/// Whether an op has no shader and runs on the CPU: those of users' own.
pub(crate) fn is_hosted(op: &Op) -> bool {
    matches!(op, Op::Custom(_))
}
