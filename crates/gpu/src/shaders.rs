//! Lowers a program to shaders, without a device.
use crate::cpu_op::CpuOp;
use crate::emit::{ShaderText, Unsupported, Word, emit, literal_word, too_wide, unsupported};
use crate::layout::{Bindings, Layout, Limits};
use crate::memory::{no_f64, too_wide_error};
use brasa_compile::Program;
use brasa_compile::kernel::{Body, Granularity, Kernel, StepOp};
use brasa_compile::plan::BufferId;
use brasa_compile::program::Launch;
use brasa_ir::{DType, Error, Number, Result, Type};
use std::fmt::{self, Write};

/// A program as shaders.
pub struct Shaders {
    pub(crate) program: Program,
    pub(crate) layout: Layout,
    pub(crate) launches: Vec<ShaderLaunch>,
}

/// A launch as a shader.
pub(crate) struct ShaderLaunch {
    pub(crate) text: ShaderText,
    pub(crate) bindings: Bindings,
    /// The op that has to run on the CPU before it.
    pub(crate) cpu_op: Option<CpuOp>,
    /// The number of the launch in the program; several shaders may share it.
    pub(crate) number: usize,
}

impl Shaders {
    /// Writes the shaders for a device with these limits. The program must be compiled with
    /// [`options`](crate::options).
    pub fn new(mut program: Program, limits: Limits) -> Result<Shaders> {
        for launch in &program.launches {
            check_supported(&launch.kernel)?;
        }
        if let Some(buffer) = program.buffers.iter().find(|b| b.ty.dtype == DType::F64) {
            return Err(no_f64(&buffer.ty));
        }
        let layout = Layout::new(&mut program, limits)?;
        let write = |(number, launch): (usize, &Launch)| {
            let (buffers, bindings) = layout.launch_buffers(&program, launch);
            let cpu_op = CpuOp::of(&launch.kernel);
            let texts = emit(&launch.kernel, &buffers).into_iter();
            texts.map(move |text| ShaderLaunch {
                text,
                bindings: bindings.clone(),
                cpu_op: cpu_op.clone(),
                number,
            })
        };
        let launches = program.launches.iter().enumerate().flat_map(write).collect();
        Ok(Shaders { program, layout, launches })
    }

    /// The shaders in execution order.
    pub fn texts(&self) -> impl Iterator<Item = &ShaderText> {
        self.launches.iter().map(|launch| &launch.text)
    }

    /// The number of dispatches of a run.
    pub fn dispatches(&self) -> usize {
        self.launches.len()
    }

    /// The names of the ops that have no shader and run on the CPU.
    pub fn cpu_ops(&self) -> impl Iterator<Item = &'static str> {
        self.launches.iter().filter_map(|launch| Some(launch.cpu_op.as_ref()?.op.name()))
    }

    /// The text of a launch's shader, or `None` if the launch has no elements.
    pub fn listing(&self, launch: usize) -> Option<String> {
        self.launches.iter().find(|own| own.number == launch).map(ShaderLaunch::to_string)
    }

    /// Fails if an i64 slot does not fit into the 32 bits of a shader's integer.
    pub(crate) fn check_slots(&self, slots: &[Number]) -> Result<()> {
        for launch in &self.launches {
            for word in &launch.text.words {
                let &Word::Slot(slot, DType::I64) = word else { continue };
                let number = slots[slot].to(DType::I64).as_i64();
                if i32::try_from(number).is_err() {
                    return Err(too_wide_error("run", &format!("slot {slot} is {number}")));
                }
            }
        }
        Ok(())
    }

    /// The values of a launch's uniform words.
    pub(crate) fn words(
        &self,
        launch: &ShaderLaunch,
        slots: &[Number],
    ) -> impl Iterator<Item = u32> {
        let own = &self.program.launches[launch.number];
        let start = |id: BufferId| {
            let at = self.layout.arena_offset(&self.program, id);
            self.layout.word(at.expect("only buffers of the arena have a start"))
        };
        launch.text.words.iter().map(move |&word| match word {
            Word::Read(n) => start(own.reads[n]),
            Word::Write(n) => start(own.writes[n]),
            Word::BoundsFlag => self.layout.word(self.layout.bounds_flag),
            Word::Launch => launch.number as u32 + 1,
            Word::Bound(n) => (self.program.launches.len() + n) as u32 + 1,
            Word::Scratch => self.layout.word(self.layout.scratch),
            Word::Slot(slot, dtype) => literal_word(slots[slot], dtype),
        })
    }
}

/// The text of all shaders, and notes on ops that run on the CPU.
impl fmt::Display for Shaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for launch in &self.launches {
            writeln!(f, "{launch}")?;
        }
        writeln!(f, "// then {} copies", self.program.copies.len())
    }
}

impl fmt::Display for ShaderLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cpu_op) = &self.cpu_op {
            writeln!(f, "// {} runs on the CPU, with a read-back", cpu_op.op.name())?;
        }
        let [x, y] = self.text.groups;
        write!(f, "// #{}, {x} × {y} workgroups\n{}", self.number, self.text.wgsl)
    }
}

/// Fails for kernels that no shader can be written for.
fn check_supported(kernel: &Kernel) -> Result<()> {
    match unsupported(kernel) {
        Some(Unsupported::DType(dtype)) => {
            return Err(no_f64(&Type::new(dtype, kernel.domain.shape(Granularity::PerElement))));
        }
        Some(Unsupported::Function(function, dtype)) => {
            let what = format!("{} has no WGSL for {dtype}", function.def().name);
            return Err(Error::dtype("gpu", what));
        }
        None => {}
    }
    if let Some(number) = too_wide(kernel) {
        return Err(too_wide_error(
            "gpu",
            &format!("kernel {} contains the constant {number}", kernel.name()),
        ));
    }
    let is_reduce = |op: &StepOp| matches!(op, StepOp::Reduce { .. });
    let reduces = kernel.code.steps.iter().any(|step| is_reduce(&step.op));
    if reduces && matches!(kernel.body, Body::Library { .. }) {
        let mut what = "the program was compiled for another device: ".to_string();
        _ = write!(what, "kernel {} is followed by a reduction", kernel.name());
        return Err(Error::argument("gpu", what).help("compile it with brasa_gpu::options()"));
    }
    Ok(())
}
