//! Places the tensors of a program in memory: in the arena, or in bindings of their own. The
//! arena consists of pages, each a buffer small enough to bind.
use crate::bounds_flags::FLAG_BYTES;
use crate::emit::{
    BoundsCheck, DeviceTraits, LaunchBuffer, LaunchBuffers, Location, looks_up_indices,
    runs_on_cpu, scratch,
};
use crate::memory::{WORD, bytes};
use brasa_compile::kernel::Body;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::Launch;
use brasa_compile::{Positions, Program};
use brasa_ir::{Error, Result};
use std::collections::HashMap;

/// The properties of a device that shaders depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum storage buffers of one shader.
    pub buffers: usize,
    /// Maximum bytes of one storage buffer.
    pub bytes: usize,
    /// Whether it is a software adapter that runs on the CPU, which gets different shaders.
    pub is_software: bool,
    /// The minimum subgroup size (on software the exact size); 0 if shaders cannot use subgroups.
    pub subgroup: usize,
    /// Whether shaders can convert f16 with built-in functions.
    pub has_f16: bool,
}

impl Default for Limits {
    /// The limits that every WebGPU device supports.
    fn default() -> Limits {
        Limits { buffers: 8, bytes: 128 << 20, is_software: false, subgroup: 0, has_f16: false }
    }
}

/// Byte offsets in the arena.
pub(crate) struct Layout {
    /// Inputs that are copied into the arena for a run because a kernel has too many to bind them
    /// all.
    pub(crate) staged: HashMap<usize, usize>,
    /// Where launches write indices out of range.
    pub(crate) bounds_flag: usize,
    /// Intermediate results between the passes of a launch, or the result of an op that ran on
    /// the CPU. In the same page as the flag.
    pub(crate) scratch: usize,
    /// The program's bounds, each by the buffer that holds its first position out of range;
    /// sorted.
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

/// Alignment of pages, a multiple of every vector's.
const ALIGN: usize = 256;
/// Bytes of a flag, padded to a whole vector.
const FLAG_SPACE: usize = FLAG_BYTES.next_multiple_of(4 * WORD);

impl Layout {
    /// Computes the layout, with element sizes as on the device.
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
        program.relayout(bytes, page);
        let bytes = program.arena_bytes;
        let bounds = program.bounds.iter().enumerate().map(|(n, bound)| (bound.at, n));
        let mut bounds: Vec<(BufferId, usize)> = bounds.collect();
        bounds.sort_unstable();
        let staged = HashMap::new();
        let mut layout = Layout { staged, bounds_flag: 0, scratch: 0, bounds, page, bytes, limits };
        for launch in &program.launches {
            layout.stage(program, launch);
        }
        layout.check_scratch(program)?;
        let scratch = program.launches.iter().map(|launch| layout.scratch_bytes(launch)).max();
        layout.bounds_flag = layout.reserve(FLAG_SPACE + scratch.unwrap_or(0));
        layout.scratch = layout.bounds_flag + FLAG_SPACE;
        layout.check(program)?;
        Ok(layout)
    }

    /// Stages inputs of a launch until it has no more than can be bound.
    fn stage(&mut self, program: &Program, launch: &Launch) {
        let bindings = self.launch_buffers(program, launch).1;
        // Staged inputs may add another page, and so may scratch.
        let needs_aux_page = self.needs_aux_page(program, launch);
        let pages = bindings.pages.len().max(1)
            + (self.bytes > self.page) as usize
            + needs_aux_page as usize;
        let most = self.limits.buffers.saturating_sub(pages);
        let mut inputs = bindings.inputs;
        // The smallest inputs are the cheapest to copy.
        inputs.sort_by_key(|&n| (program.inputs[n].ty.elements(), n));
        let surplus = inputs.len().saturating_sub(most);
        for &n in &inputs[..surplus] {
            let at = self.reserve(bytes(&program.inputs[n].ty));
            self.staged.insert(n, at);
        }
    }

    /// Checks that the scratch of each launch fits. Narrow results that are packed by a second
    /// pass take a word per element until then.
    fn check_scratch(&self, program: &Program) -> Result<()> {
        for launch in &program.launches {
            let (bytes, most) = (self.scratch_bytes(launch), self.scratch_words() * WORD);
            if bytes > most {
                let name = launch.kernel.name();
                let what = format!("{name} needs {bytes} bytes of scratch, but at most {most} fit");
                return Err(Error::device("compile", what).help("use smaller batches, or the CPU"));
            }
        }
        Ok(())
    }

    fn check(&self, program: &Program) -> Result<()> {
        for launch in &program.launches {
            let Bindings { pages, inputs, .. } = self.launch_buffers(program, launch).1;
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

    /// The page that holds a byte of the arena, and the offset there.
    pub(crate) fn page(&self, at: usize) -> (usize, usize) {
        (at / self.page, at % self.page)
    }

    /// The offset of a buffer in the arena, or `None` if it has its own binding.
    pub(crate) fn arena_offset(&self, program: &Program, id: BufferId) -> Option<usize> {
        match program.buffers[id.index()].place {
            Place::Arena(at) => Some(at),
            Place::Input(n) => self.staged.get(&n).copied(),
        }
    }

    /// The buffers of a launch as its shader sees them, and the bindings.
    pub(crate) fn launch_buffers(
        &self,
        program: &Program,
        launch: &Launch,
    ) -> (LaunchBuffers, Bindings) {
        let mut bindings = Bindings::default();
        let mut launch_buffer = |id: &BufferId, writes: bool| {
            let buffer = &program.buffers[id.index()];
            let location = match (self.arena_offset(program, *id), buffer.place) {
                (None, Place::Input(n)) => Location::Input(bindings.bind_input(n, writes)),
                (at, _) => Location::Arena(bindings.bind_page(self.page(at.unwrap_or(0)).0)),
            };
            LaunchBuffer { dtype: buffer.ty.dtype, location }
        };
        let reads = launch.reads.iter().map(|id| launch_buffer(id, false)).collect();
        let writes = launch.writes.iter().map(|id| launch_buffer(id, true)).collect();
        let aux_page = match self.needs_aux_page(program, launch) {
            true => bindings.bind_page(self.page(self.bounds_flag).0),
            false => 0,
        };
        let (arenas, inputs) = (bindings.pages.len(), bindings.is_written.clone());
        let buffers = LaunchBuffers {
            reads,
            writes,
            bounds_checks: self.bounds_checks(program, launch),
            aux_page,
            scratch_words: self.scratch_words(),
            arenas,
            inputs,
            is_software: self.limits.is_software,
            subgroup: self.limits.subgroup,
            has_f16: self.limits.has_f16,
        };
        (buffers, bindings)
    }

    /// Whether a launch needs the page with the flag and scratch in addition to its buffers.
    fn needs_aux_page(&self, program: &Program, launch: &Launch) -> bool {
        let looks_up = match &launch.kernel.body {
            Body::Library { op, .. } => looks_up_indices(op),
            Body::Loop => false,
        };
        looks_up
            || !self.bounds_checks(program, launch).is_empty()
            || self.scratch_bytes(launch) > 0
    }

    /// The bounds that a launch computes: each is the first position out of range, or 0, which is
    /// in range, if there is none.
    fn bounds_checks(&self, program: &Program, launch: &Launch) -> Vec<BoundsCheck> {
        let mut bounds_checks = Vec::new();
        for (write, &id) in launch.writes.iter().enumerate() {
            let first = self.bounds.partition_point(|&(at, _)| at < id);
            for &(_, bound) in self.bounds[first..].iter().take_while(|&&(at, _)| at == id) {
                let Positions { axis, input, index, .. } = &program.bounds[bound].positions;
                if index.elements() > 0 {
                    bounds_checks.push(BoundsCheck { write, len: input.shape[*axis], bound });
                }
            }
        }
        bounds_checks.sort_by_key(|check| check.bound);
        bounds_checks
    }

    fn scratch_bytes(&self, launch: &Launch) -> usize {
        if let Body::Library { op, out, .. } = &launch.kernel.body
            && runs_on_cpu(op)
        {
            return bytes(out);
        }
        let Limits { is_software, subgroup, .. } = self.limits;
        scratch(&launch.kernel, DeviceTraits { is_software, subgroup }, self.scratch_words()) * WORD
    }

    /// Maximum words of scratch.
    fn scratch_words(&self) -> usize {
        (self.page - FLAG_SPACE) / WORD
    }

    /// The index of the word in its page that holds a byte of the arena.
    pub(crate) fn word(&self, at: usize) -> u32 {
        (self.page(at).1 / WORD) as u32
    }
}

impl Bindings {
    fn bind_page(&mut self, page: usize) -> usize {
        let known = self.pages.iter().position(|&other| other == page);
        known.unwrap_or_else(|| {
            self.pages.push(page);
            self.pages.len() - 1
        })
    }

    fn bind_input(&mut self, n: usize, writes: bool) -> usize {
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
