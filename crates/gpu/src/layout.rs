//! Where the tensors of a program lie on the device: in the arena, or in bindings of their own. The
//! arena has pages, each of which is a buffer that shaders can bind.
use crate::alarms::ALARM;
use crate::emit::{Home, Operand, Operands, is_hosted, notes_alarms};
use crate::memory::{WORD, bytes};
use brasa_compile::Program;
use brasa_compile::kernel::Body;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::Launch;
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
}

impl Default for Limits {
    /// What every WebGPU device can do.
    fn default() -> Limits {
        Limits { buffers: 8, bytes: 128 << 20, is_software: false }
    }
}

/// Where things lie in the arena, in bytes.
pub(crate) struct Layout {
    /// Inputs that are copied into the arena for a run, as a kernel has too many to bind them.
    pub(crate) staged: HashMap<usize, usize>,
    /// The result of an op that runs on the CPU.
    pub(crate) anchor: usize,
    /// Where launches note indices out of range.
    pub(crate) alarm: usize,
    page: usize,
    bytes: usize,
    is_software: bool,
}

/// The bindings of a launch.
#[derive(Default)]
pub(crate) struct Bindings {
    /// Pages of the arena.
    pub(crate) pages: Vec<usize>,
    /// The program's inputs, and whether each is written.
    pub(crate) inputs: Vec<usize>,
    pub(crate) is_written: Vec<bool>,
}

/// Pages begin where every vector may.
const ALIGN: usize = 256;

impl Layout {
    /// Arranges the arena for elements of a word each.
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
        let (staged, is_software) = (HashMap::new(), limits.is_software);
        let mut layout = Layout { staged, anchor: 0, alarm: 0, page, bytes, is_software };
        for launch in &program.launches {
            layout.stage(program, launch, limits);
        }
        let anchor = |launch: &Launch| match &launch.kernel.body {
            Body::Library { op, out, .. } if is_hosted(op) => crate::memory::bytes(out),
            _ => 0,
        };
        let largest = program.launches.iter().map(anchor).max().unwrap_or(0);
        layout.anchor = layout.reserve(largest);
        layout.alarm = layout.reserve(ALARM);
        layout.check(program, limits)?;
        Ok(layout)
    }

    /// Sees to it that a launch has no more inputs than can be bound.
    fn stage(&mut self, program: &Program, launch: &Launch, limits: Limits) {
        let bindings = self.operands(program, launch).1;
        // Staged inputs may lie in another page.
        let pages = bindings.pages.len().max(1) + (self.bytes > self.page) as usize;
        let most = limits.buffers.saturating_sub(pages);
        let mut inputs = bindings.inputs;
        // The smallest cost the least to copy.
        inputs.sort_by_key(|&n| (program.inputs[n].ty.elements(), n));
        let surplus = inputs.len().saturating_sub(most);
        for &n in &inputs[..surplus] {
            let at = self.reserve(bytes(&program.inputs[n].ty));
            self.staged.insert(n, at);
        }
    }

    fn check(&self, program: &Program, limits: Limits) -> Result<()> {
        for launch in &program.launches {
            let Bindings { pages, inputs, .. } = self.operands(program, launch).1;
            let count = pages.len() + inputs.len();
            if count > limits.buffers {
                let (name, most) = (launch.kernel.name(), limits.buffers);
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
        let extra = match &launch.kernel.body {
            Body::Library { op, .. } if is_hosted(op) => Some(self.anchor),
            Body::Library { op, .. } if notes_alarms(op) => Some(self.alarm),
            _ => None,
        };
        let extra = extra.map_or(0, |at| bindings.page(self.page(at).0));
        let (arenas, inputs) = (bindings.pages.len(), bindings.is_written.clone());
        let is_software = self.is_software;
        (Operands { reads, writes, extra, arenas, inputs, is_software }, bindings)
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
