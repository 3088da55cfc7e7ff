//! Emits kernels as WGSL. Pure functions that need no device.
mod arg_reduce;
mod code;
mod contract;
mod functions;
mod index;
mod library;
mod loops;
mod narrow;
mod product;
mod product_plan;
mod row_partition;
mod scalar;
mod scan;
mod scatter;
mod shader;
mod sort;
mod threads;
mod vec4_map;
mod vec4_rows;

pub use shader::{
    BoundsCheck, DeviceTraits, LaunchBuffer, LaunchBuffers, Location, ShaderText, Word,
};

use crate::paths::{self, Path};
use brasa_compile::kernel::{Body, Granularity, Kernel};
use brasa_ir::ops::Op;
use library::ShaderOp;

pub(crate) use code::{Unsupported, literal_word, too_wide, unsupported};
pub(crate) use narrow::per_word;
#[cfg(feature = "count")]
pub(crate) use product_plan::MIN_SUBGROUP;

/// The shaders of a kernel, in execution order. There is none if the kernel has no elements, and
/// more than one if a reduction takes several passes or narrow results have to be packed. For an
/// op that runs on the CPU the shader is the kernel's epilogue.
pub fn emit(kernel: &Kernel, buffers: &LaunchBuffers) -> Vec<ShaderText> {
    if kernel.domain.elements(Granularity::PerRow) == 0 {
        return Vec::new();
    }
    let Some(widened) = narrow::widened(kernel, buffers) else {
        return shaders(kernel, buffers);
    };
    paths::hit(Path::Pack);
    let mut texts = shaders(kernel, &widened);
    texts.push(narrow::pack(kernel, buffers, &widened));
    texts
}

fn shaders(kernel: &Kernel, buffers: &LaunchBuffers) -> Vec<ShaderText> {
    match &kernel.body {
        Body::Loop => loops::emit(kernel, buffers),
        Body::Library { op, operands, out } => match ShaderOp::of(op) {
            Some(op) => library::emit(kernel, op, operands, out, buffers),
            None => vec![loops::epilogue(kernel, buffers, out.dtype)],
        },
    }
}

/// The scratch words that a kernel needs between its passes, given that at most `most` are
/// available. Only narrow results can need more.
pub fn scratch(kernel: &Kernel, device: DeviceTraits, most: usize) -> usize {
    if kernel.domain.elements(Granularity::PerRow) == 0 {
        return 0;
    }
    let wide = narrow::scratch(kernel);
    wide + own_scratch(kernel, device, most.saturating_sub(wide))
}

/// `scratch` without the words for narrow results.
fn own_scratch(kernel: &Kernel, device: DeviceTraits, most: usize) -> usize {
    match &kernel.body {
        Body::Library { op, operands, out } => {
            ShaderOp::of(op).map_or(0, |op| library::scratch(op, operands, out, device, most))
        }
        Body::Loop => loops::scratch(kernel, device.is_software, most),
    }
}

/// Whether an op looks up indices that may be out of range.
pub(crate) fn looks_up_indices(op: &Op) -> bool {
    matches!(op, Op::Gather(_) | Op::Scatter(_))
}

/// Whether a library op has no shader and runs on the CPU.
pub(crate) fn runs_on_cpu(op: &Op) -> bool {
    ShaderOp::of(op).is_none()
}
