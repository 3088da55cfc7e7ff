//! All shaders of a program, written without a device.
use crate::emit::{Text, Word, emit, literal_word, too_wide, unsupported};
use crate::host::Host;
use crate::layout::{Bindings, Layout, Limits};
use crate::memory::{no_f64, too_wide_error};
use brasa_compile::Program;
use brasa_compile::kernel::{Body, Kernel, Level, What};
use brasa_compile::plan::BufferId;
use brasa_compile::program::Launch;
use brasa_ir::{DType, Error, Number, Result, Type};
use std::fmt::{self, Write};

/// A program as shaders.
pub struct Shaders {
    pub(crate) program: Program,
    pub(crate) layout: Layout,
    pub(crate) launches: Vec<Written>,
}

/// A launch as a shader.
pub(crate) struct Written {
    pub(crate) text: Text,
    pub(crate) bindings: Bindings,
    /// The op that has to run before it on the CPU.
    pub(crate) host: Option<Host>,
    /// The number of the program's launch.
    pub(crate) number: usize,
}

impl Shaders {
    /// For a device with these limits. The program has to be compiled with
    /// [`options`](crate::options).
    pub fn new(mut program: Program, limits: Limits) -> Result<Shaders> {
        for launch in &program.launches {
            refuse(&launch.kernel)?;
        }
        if let Some(buffer) = program.buffers.iter().find(|b| b.ty.dtype == DType::F64) {
            return Err(no_f64(&buffer.ty));
        }
        let layout = Layout::new(&mut program, limits)?;
        let write = |(number, launch): (usize, &Launch)| {
            let (operands, bindings) = layout.operands(&program, launch);
            let host = Host::of(&launch.kernel);
            let texts = emit(&launch.kernel, &operands).into_iter();
            texts.map(move |text| Written {
                text,
                bindings: bindings.clone(),
                host: host.clone(),
                number,
            })
        };
        let launches = program.launches.iter().enumerate().flat_map(write).collect();
        Ok(Shaders { program, layout, launches })
    }

    /// The shaders in the order of running.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.launches.iter().map(|launch| &launch.text)
    }

    /// How many dispatches a run has.
    pub fn dispatches(&self) -> usize {
        self.launches.len()
    }

    /// The ops that run on the CPU, for want of a shader.
    pub fn hosted(&self) -> impl Iterator<Item = &'static str> {
        self.launches.iter().filter_map(|launch| Some(launch.host.as_ref()?.op.name()))
    }

    /// The shader of a launch of the program; none where it has nothing to do.
    pub fn listing(&self, launch: usize) -> Option<String> {
        self.launches.iter().find(|own| own.number == launch).map(Written::to_string)
    }

    /// Refuses numbers of a run that do not fit what shaders hold them in.
    pub(crate) fn check_slots(&self, slots: &[Number]) -> Result<()> {
        for launch in &self.launches {
            for word in &launch.text.words {
                let &Word::Slot(slot, DType::I64) = word else { continue };
                let number = slots[slot].to(DType::I64).as_i64();
                if i32::try_from(number).is_err() {
                    return Err(too_wide_error("run", &format!("number {slot} is {number}")));
                }
            }
        }
        Ok(())
    }

    /// The words that go with a launch.
    pub(crate) fn words(&self, launch: &Written, slots: &[Number]) -> impl Iterator<Item = u32> {
        let own = &self.program.launches[launch.number];
        let start = |id: BufferId| {
            let at = self.layout.place(&self.program, id);
            self.layout.word(at.expect("only buffers of the arena have a start"))
        };
        launch.text.words.iter().map(move |&word| match word {
            Word::Read(n) => start(own.reads[n]),
            Word::Write(n) => start(own.writes[n]),
            Word::Alarm => self.layout.word(self.layout.alarm),
            Word::Launch => launch.number as u32 + 1,
            Word::Bound(n) => (self.program.launches.len() + n) as u32 + 1,
            Word::Scratch => self.layout.word(self.layout.scratch),
            Word::Slot(slot, dtype) => literal_word(slots[slot], dtype),
        })
    }
}

/// The text of all shaders, and what runs elsewhere.
impl fmt::Display for Shaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for launch in &self.launches {
            writeln!(f, "{launch}")?;
        }
        writeln!(f, "// then {} copies", self.program.copies.len())
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(host) = &self.host {
            writeln!(f, "// {} runs on the CPU, with a read-back", host.op.name())?;
        }
        let [x, y] = self.text.groups;
        write!(f, "// #{}, {x} × {y} workgroups\n{}", self.number, self.text.wgsl)
    }
}

/// Refuses kernels that no shader can be written for.
fn refuse(kernel: &Kernel) -> Result<()> {
    if let Some(dtype) = unsupported(kernel) {
        return Err(no_f64(&Type::new(dtype, kernel.domain.shape(Level::Full))));
    }
    if let Some(number) = too_wide(kernel) {
        return Err(too_wide_error("gpu", &format!("{} has {number}", kernel.name())));
    }
    let is_reduce = |what: &What| matches!(what, What::Reduce { .. });
    let reduces = kernel.code.steps.iter().any(|step| is_reduce(&step.what));
    if reduces && matches!(kernel.body, Body::Library { .. }) {
        let mut what = "the program was compiled for another device: ".to_string();
        _ = write!(what, "{} is followed by a reduction", kernel.name());
        return Err(Error::argument("gpu", what).help("compile it with brasa_gpu::options()"));
    }
    Ok(())
}
