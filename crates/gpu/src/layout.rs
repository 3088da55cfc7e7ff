//! Where the tensors of a program lie on the device: in the arena, or in bindings of their own. The
//! arena has pages, each of which is a buffer that shaders can bind.
use crate::alarms::ALARM;
use crate::emit::{Device, Home, Look, Operand, Operands, is_hosted, notes_alarms, scratch};
use crate::memory::{WORD, bytes};
use brasa_compile::kernel::Body;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::Launch;
use brasa_compile::{Positions, Program};
use brasa_ir::{Error, Result};
use std::collections::HashMap;

/// What a device is like: what it can bind, and what runs well there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Storage buffers of one shader.
    pub buffers: usize,
    /// Bytes of one of them.
    pub bytes: usize,
    /// Whether it is software on a CPU, for which other shaders are better.
    pub is_software: bool,
    /// Threads that can tell each other values at once: at least, and on software exactly, so many;
    /// 0 where shaders cannot ask for it.
    pub subgroup: usize,
    /// Whether shaders can convert f16 by an instruction.
    pub has_f16: bool,
}

impl Default for Limits {
    /// What every WebGPU device can do.
    fn default() -> Limits {
        Limits { buffers: 8, bytes: 128 << 20, is_software: false, subgroup: 0, has_f16: false }
    }
}

/// Where things lie in the arena, in bytes.
pub(crate) struct Layout {
    /// Inputs that are copied into the arena for a run, as a kernel has too many to bind them.
    pub(crate) staged: HashMap<usize, usize>,
    /// Where launches note indices out of range.
    pub(crate) alarm: usize,
    /// What passes of a launch leave for others, or an op that runs on the CPU for the code behind it:
    /// in the same page.
    pub(crate) scratch: usize,
    /// The bounds of the program by the buffer of their position, sorted.
    bounds: Vec<(BufferId, usize)>,
    page: usize,
    bytes: usize,
    limits: Limits,
}

/// The bindings of a launch.
#[derive(Clone, Default)]
pub(crate) struct Bindings {
    /// Pages of the arena.
    pub(crate) pages: Vec<usize>,
    /// The program's inputs, and whether each is written.
    pub(crate) inputs: Vec<usize>,
    pub(crate) is_written: Vec<bool>,
}

/// Pages begin where every vector may.
const ALIGN: usize = 256;
/// An alarm, and what is left of its vector.
const ALARM_ROOM: usize = ALARM.next_multiple_of(4 * WORD);

impl Layout {
    /// Arranges the arena for elements as the device holds them.
    pub(crate) fn new(program: &mut Program, limits: Limits) -> Result<Layout> {
        let page = limits.bytes / ALIGN * ALIGN;
        for buffer in &program.buffers {
            let bytes = bytes(&buffer.ty);
            if bytes > page {
                let what =
                    format!("a tensor needs {bytes} bytes, but the GPU binds at most {page}");
                let name = match buffer.place {
                    Place::Input(n) => program.inputs[n].name.clone(),
                    Place::Arena(_) => buffer.node.to_string(),
                };
                let error = Error::device("compile", what).operand(&name, &buffer.ty);
                return Err(error.help("use smaller batches, or the CPU"));
            }
        }
        program.rearrange(bytes, page);
        let bytes = program.arena_bytes;
        let bounds = program.bounds.iter().enumerate().map(|(n, bound)| (bound.at, n));
        let mut bounds: Vec<(BufferId, usize)> = bounds.collect();
        bounds.sort_unstable();
        let staged = HashMap::new();
        let mut layout = Layout { staged, alarm: 0, scratch: 0, bounds, page, bytes, limits };
        for launch in &program.launches {
            layout.stage(program, launch);
        }
        layout.check_scratch(program)?;
        let scratch = program.launches.iter().map(|launch| layout.scratch_bytes(launch)).max();
        layout.alarm = layout.reserve(ALARM_ROOM + scratch.unwrap_or(0));
        layout.scratch = layout.alarm + ALARM_ROOM;
        layout.check(program)?;
        Ok(layout)
    }

    /// Sees to it that a launch has no more inputs than can be bound.
    fn stage(&mut self, program: &Program, launch: &Launch) {
        let bindings = self.operands(program, launch).1;
        // Staged inputs may lie in another page, and so may what passes leave.
        let has_extra = self.has_extra(program, launch);
        let pages =
            bindings.pages.len().max(1) + (self.bytes > self.page) as usize + has_extra as usize;
        let most = self.limits.buffers.saturating_sub(pages);
        let mut inputs = bindings.inputs;
        // The smallest cost the least to copy.
        inputs.sort_by_key(|&n| (program.inputs[n].ty.elements(), n));
        let surplus = inputs.len().saturating_sub(most);
        for &n in &inputs[..surplus] {
            let at = self.reserve(bytes(&program.inputs[n].ty));
            self.staged.insert(n, at);
        }
    }

    /// Narrow results that have to be packed take a word for each element until they are.
    fn check_scratch(&self, program: &Program) -> Result<()> {
        for launch in &program.launches {
            let (bytes, most) = (self.scratch_bytes(launch), self.scratch_words() * WORD);
            if bytes > most {
                let name = launch.kernel.name();
                let what = format!("{name} needs {bytes} bytes between its passes, and has {most}");
                return Err(Error::device("compile", what).help("use smaller batches, or the CPU"));
            }
        }
        Ok(())
    }

    fn check(&self, program: &Program) -> Result<()> {
        for launch in &program.launches {
            let Bindings { pages, inputs, .. } = self.operands(program, launch).1;
            let count = pages.len() + inputs.len();
            if count > self.limits.buffers {
                let (name, most) = (launch.kernel.name(), self.limits.buffers);
                let what =
                    format!("{name} needs {count} buffers, but the GPU binds at most {most}");
                return Err(Error::device("compile", what).help("use smaller batches, or the CPU"));
            }
        }
        Ok(())
    }

    fn reserve(&mut self, bytes: usize) -> usize {
        let end = (self.bytes / self.page + 1) * self.page;
        let at = if self.bytes + bytes > end { end } else { self.bytes };
        self.bytes = at + bytes.next_multiple_of(4 * WORD);
        at
    }

    /// The bytes of each page.
    pub(crate) fn pages(&self) -> Vec<usize> {
        let mut pages = vec![self.page; self.bytes / self.page];
        pages.extend(Some(self.bytes % self.page).filter(|&rest| rest > 0));
        pages
    }

    /// The page of a byte of the arena, and where it lies there.
    pub(crate) fn page(&self, at: usize) -> (usize, usize) {
        (at / self.page, at % self.page)
    }

    /// Where a buffer begins in the arena, if it lies there.
    pub(crate) fn place(&self, program: &Program, id: BufferId) -> Option<usize> {
        match program.buffers[id.index()].place {
            Place::Arena(at) => Some(at),
            Place::Input(n) => self.staged.get(&n).copied(),
        }
    }

    /// The buffers of a launch as its shader sees them, and what to bind.
    pub(crate) fn operands(&self, program: &Program, launch: &Launch) -> (Operands, Bindings) {
        let mut bindings = Bindings::default();
        let mut operand = |id: &BufferId, writes: bool| {
            let buffer = &program.buffers[id.index()];
            let home = match (self.place(program, *id), buffer.place) {
                (None, Place::Input(n)) => Home::Input(bindings.input(n, writes)),
                (at, _) => Home::Arena(bindings.page(self.page(at.unwrap_or(0)).0)),
            };
            Operand { dtype: buffer.ty.dtype, home }
        };
        let reads = launch.reads.iter().map(|id| operand(id, false)).collect();
        let writes = launch.writes.iter().map(|id| operand(id, true)).collect();
        let extra = match self.has_extra(program, launch) {
            true => bindings.page(self.page(self.alarm).0),
            false => 0,
        };
        let (arenas, inputs) = (bindings.pages.len(), bindings.is_written.clone());
        let operands = Operands {
            reads,
            writes,
            looks: self.looks(program, launch),
            extra,
            scratch_words: self.scratch_words(),
            arenas,
            inputs,
            is_software: self.limits.is_software,
            subgroup: self.limits.subgroup,
            has_f16: self.limits.has_f16,
        };
        (operands, bindings)
    }

    /// Whether a launch needs more than its operands: the place of alarms, or scratch.
    fn has_extra(&self, program: &Program, launch: &Launch) -> bool {
        let looks_up = match &launch.kernel.body {
            Body::Library { op, .. } => notes_alarms(op),
            Body::Loop => false,
        };
        looks_up || !self.looks(program, launch).is_empty() || self.scratch_bytes(launch) > 0
    }

    /// The bounds that a launch finds: the first position out of range, or else 0, which then is none.
    fn looks(&self, program: &Program, launch: &Launch) -> Vec<Look> {
        let mut looks = Vec::new();
        for (write, &id) in launch.writes.iter().enumerate() {
            let first = self.bounds.partition_point(|&(at, _)| at < id);
            for &(_, bound) in self.bounds[first..].iter().take_while(|&&(at, _)| at == id) {
                let Positions { axis, input, index, .. } = &program.bounds[bound].positions;
                if index.elements() > 0 {
                    looks.push(Look { write, len: input.shape[*axis], bound });
                }
            }
        }
        looks.sort_by_key(|look| look.bound);
        looks
    }

    fn scratch_bytes(&self, launch: &Launch) -> usize {
        if let Body::Library { op, out, .. } = &launch.kernel.body
            && is_hosted(op)
        {
            return bytes(out);
        }
        let Limits { is_software, subgroup, .. } = self.limits;
        scratch(&launch.kernel, Device { is_software, subgroup }, self.scratch_words()) * WORD
    }

    /// The most words that there may be between passes.
    fn scratch_words(&self) -> usize {
        (self.page - ALARM_ROOM) / WORD
    }

    /// The word that a byte of the arena is in its page.
    pub(crate) fn word(&self, at: usize) -> u32 {
        (self.page(at).1 / WORD) as u32
    }
}

impl Bindings {
    fn page(&mut self, page: usize) -> usize {
        let known = self.pages.iter().position(|&other| other == page);
        known.unwrap_or_else(|| {
            self.pages.push(page);
            self.pages.len() - 1
        })
    }

    fn input(&mut self, n: usize, writes: bool) -> usize {
        let known = self.inputs.iter().position(|&other| other == n);
        let at = known.unwrap_or_else(|| {
            self.inputs.push(n);
            self.is_written.push(false);
            self.inputs.len() - 1
        });
        self.is_written[at] |= writes;
        at
    }
}
