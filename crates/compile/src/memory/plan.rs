//! Memory planning: the lifetime of each buffer, arena offsets (buffers with disjoint lifetimes
//! share memory), and in-place writes of results over operands.
//!
//! - Assumes kernels in a valid execution order. A node may be computed by several kernels.
//! - Guarantees a buffer for every node that a kernel reads or writes, one per kernel that computes
//!   it; readers use the latest. Buffers in the arena that are live at the same time do not overlap,
//!   except a result that overwrites an operand which no later and no concurrent launch reads.
//!   Outputs outlive the last launch. Each written input gets its new value in place or by a copy
//!   after the last launch.
use crate::graph::index_check::IndexCheck;
use crate::memory::pack::{ALIGN, Span, pack, peak, profile};
use crate::schedule::kernel::{Body, Granularity, Kernel, Prologue, StepOp};
use crate::target::Target;
use brasa_ir::graph::QuickSet;
use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id, Type};
use std::fmt;

/// A buffer of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub u32);

impl BufferId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the caller's buffer, by index of the program's input.
    Input(usize),
    /// In the arena, at this byte offset.
    Arena(usize),
}

/// The value of a node during its lifetime.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    pub node: Id,
    pub ty: Type,
    pub place: Place,
    /// The first and the last launch that touches it. `last` is the number of launches if the value
    /// outlives the run.
    pub first: usize,
    pub last: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Input(n) => write!(f, "input {n}"),
            Place::Arena(offset) => write!(f, "arena +{offset}"),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Buffer { node, ty, place, first, last } = self;
        write!(f, "{node} {ty} {} bytes {place} #{first}..#{last}", ty.bytes())
    }
}

/// The buffers of a program.
pub(crate) struct Plan {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) arena_bytes: usize,
    /// Peak live bytes: a lower bound on the size of any arena.
    pub(crate) live_bytes: usize,
    /// The buffers that each launch reads and writes.
    pub(crate) touched: Vec<Touched>,
    pub(crate) outputs: Vec<BufferId>,
    /// Copies after the last launch, in order: `(to, from)`.
    pub(crate) copies: Vec<(BufferId, BufferId)>,
    /// The two values of each index check.
    pub(crate) check_values: Vec<[BufferId; 2]>,
}

/// One line for each buffer, each launch, the outputs, each copy and each index check.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, buffer) in self.buffers.iter().enumerate() {
            writeln!(f, "b{n} {buffer}")?;
        }
        let list = |ids: &[BufferId]| {
            ids.iter().map(|id| format!(" b{}", id.0)).collect::<Vec<_>>().join(",")
        };
        for (n, Touched { reads, writes }) in self.touched.iter().enumerate() {
            writeln!(f, "#{n}{} ->{}", list(reads), list(writes))?;
        }
        writeln!(f, "outputs{}", list(&self.outputs))?;
        for (to, from) in &self.copies {
            writeln!(f, "copy b{} -> b{}", from.0, to.0)?;
        }
        for pair in &self.check_values {
            writeln!(f, "check{}", list(pair))?;
        }
        writeln!(f, "arena {} bytes, {} in use at once", self.arena_bytes, self.live_bytes)
    }
}

/// The buffers of one launch.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) reads: Vec<BufferId>,
    pub(crate) writes: Vec<BufferId>,
}

/// The input of ordering and planning: a graph, its inputs in the caller's order, the wanted nodes,
/// and the device.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) g: &'a Graph,
    pub(crate) inputs: &'a [Id],
    pub(crate) wanted: &'a [Id],
    pub(crate) index_checks: &'a [IndexCheck],
    pub(crate) target: &'a Target,
}

impl Task<'_> {
    /// The inputs that are written, each with its new value.
    pub(crate) fn writes(&self) -> impl Iterator<Item = (Id, Id)> {
        let writes = self.g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        writes.map(|(_, node)| (node.inputs[0], node.inputs[1]))
    }
}

/// Assigns a buffer to every node that kernels read or write, and a place to every buffer.
pub(crate) fn plan(task: Task, kernels: &[&Kernel]) -> Plan {
    let mut lives = Lives::new(task, kernels);
    let spans = lives.spans();
    let live_bytes = peak(&profile(&spans, kernels.len()));
    let (offsets, arena_bytes) = pack(&spans, usize::MAX);
    for (span, offset) in spans.iter().zip(offsets) {
        lives.buffers[span.home].place = Place::Arena(offset);
    }
    for n in 0..lives.buffers.len() {
        lives.buffers[n].place = lives.buffers[lives.home[n]].place;
    }
    let Lives { buffers, touched, outputs, copies, check_values, .. } = lives;
    Plan { buffers, arena_bytes, live_bytes, touched, outputs, copies, check_values }
}

/// Buffers and their lifetimes, before they have a place.
pub(crate) struct Lives {
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) touched: Vec<Touched>,
    outputs: Vec<BufferId>,
    copies: Vec<(BufferId, BufferId)>,
    check_values: Vec<[BufferId; 2]>,
    /// The buffer that each one shares its place with: itself, or the value that it overwrites.
    home: Vec<usize>,
    /// For each launch, the first launch of its wave: the launches that run concurrently.
    waves: Vec<usize>,
}

impl Lives {
    /// A value that several kernels compute has one buffer per kernel; readers use the latest.
    pub(crate) fn new(task: Task, kernels: &[&Kernel]) -> Lives {
        let mut lives = Lives {
            buffers: Vec::new(),
            touched: Vec::with_capacity(kernels.len()),
            outputs: Vec::new(),
            copies: Vec::new(),
            check_values: Vec::new(),
            home: Vec::new(),
            waves: Vec::with_capacity(kernels.len()),
        };
        for (n, kernel) in kernels.iter().enumerate() {
            let head = if kernel.is_concurrent { lives.waves.last().copied() } else { None };
            lives.waves.push(head.unwrap_or(n));
        }
        let mut latest: Vec<Option<BufferId>> = vec![None; task.g.len()];
        for (n, &id) in task.inputs.iter().enumerate() {
            latest[id.index()] = Some(lives.add(task.g, id, Place::Input(n), 0));
        }
        let known = |latest: &[Option<BufferId>], id: Id| {
            latest[id.index()].expect("kernels are in a valid execution order")
        };
        for (launch, kernel) in kernels.iter().enumerate() {
            let reads: Vec<BufferId> = kernel.reads.iter().map(|&id| known(&latest, id)).collect();
            reads.iter().for_each(|read| lives.buffers[read.index()].last = launch);
            let add = |&id: &Id| {
                let buffer = lives.add(task.g, id, Place::Arena(0), launch);
                latest[id.index()] = Some(buffer);
                buffer
            };
            let writes = kernel.writes.iter().map(add).collect();
            lives.touched.push(Touched { reads, writes });
        }
        lives.outputs = task.wanted.iter().map(|&id| known(&latest, id)).collect();
        let writes = task.writes().map(|(to, value)| (known(&latest, to), known(&latest, value)));
        lives.copies = writes.filter(|(to, value)| to != value).collect();
        lives.stage_exchanges(task.g);
        let lasting = lives.outputs.iter().chain(lives.copies.iter().map(|(_, value)| value));
        for id in lasting {
            lives.buffers[id.index()].last = kernels.len();
        }
        for check in task.index_checks {
            let pair = [check.before, check.at].map(|id| known(&latest, id));
            let last = pair.map(|id| lives.buffers[id.index()].last).into_iter().max();
            pair.iter().for_each(|id| lives.buffers[id.index()].last = last.unwrap_or(0));
            lives.check_values.push(pair);
        }
        lives.overwrite_inputs(kernels, task.target.overwrites_rows);
        lives.overwrite_operands(kernels);
        lives
    }

    fn add(&mut self, g: &Graph, node: Id, place: Place, first: usize) -> BufferId {
        let id = BufferId(self.buffers.len() as u32);
        self.home.push(id.index());
        self.buffers.push(Buffer { node, ty: g[node].ty.clone(), place, first, last: first });
        id
    }

    /// Stages values of inputs that are copied to other inputs in the arena, such as in a swap.
    fn stage_exchanges(&mut self, g: &Graph) {
        let mut copies = std::mem::take(&mut self.copies);
        let targets: QuickSet<BufferId> = copies.iter().map(|&(to, _)| to).collect();
        let mut staged = Vec::new();
        for (_, value) in &mut copies {
            let from = *value;
            let is_input = matches!(self.buffers[from.index()].place, Place::Input(_));
            if is_input && targets.contains(&from) {
                let node = self.buffers[from.index()].node;
                *value = self.add(g, node, Place::Arena(0), self.touched.len());
                staged.push((*value, from));
            }
        }
        self.copies = [staged, copies].concat();
    }

    /// Writes new values of inputs in place if the old values are no longer needed.
    fn overwrite_inputs(&mut self, kernels: &[&Kernel], overwrites_rows: bool) {
        let copies = std::mem::take(&mut self.copies);
        for (target, value) in copies {
            let new = &self.buffers[value.index()];
            let is_computed = matches!(new.place, Place::Arena(_)) && new.first < kernels.len();
            let is_free = is_computed && self.owns_place(value);
            let is_dead = self.is_dead_after(target, new.first);
            let may_overwrite = || {
                self.can_overwrite(kernels, new.first, target)
                    || (overwrites_rows && self.can_overwrite_rows(kernels, target, value))
            };
            if is_free && is_dead && may_overwrite() {
                self.home[value.index()] = target.index();
            } else {
                self.copies.push((target, value));
            }
        }
    }

    /// Writes results over operands of the same size that die in the same launch. Library ops use
    /// the memory of their result while they run and are excluded.
    fn overwrite_operands(&mut self, kernels: &[&Kernel]) {
        for launch in 0..kernels.len() {
            if !matches!(kernels[launch].body, Body::Loop) {
                continue;
            }
            let Touched { reads, writes } = self.touched[launch].clone();
            let mut dying = reads;
            dying.retain(|read| {
                let buffer = &self.buffers[read.index()];
                let is_free =
                    matches!(buffer.place, Place::Arena(_)) && self.is_dead_after(*read, launch);
                is_free && self.can_overwrite(kernels, launch, *read)
            });
            for write in writes {
                if !self.owns_place(write) {
                    continue;
                }
                let fits = |read: &BufferId| {
                    let (old, new) = (&self.buffers[read.index()].ty, self.ty(write));
                    old.elements() == new.elements() && old.dtype.bytes() == new.dtype.bytes()
                };
                if let Some(at) = dying.iter().position(fits) {
                    let read = dying.swap_remove(at);
                    self.home[write.index()] = self.home[read.index()];
                }
            }
        }
    }

    /// Whether no later launch and no concurrent launch touches a buffer.
    fn is_dead_after(&self, id: BufferId, launch: usize) -> bool {
        let wave = self.waves.get(launch).map_or(launch..launch, |&head| head..launch);
        let is_read = |n: usize| self.touched[n].reads.contains(&id);
        self.buffers[id.index()].last <= launch && !wave.into_iter().any(is_read)
    }

    fn ty(&self, id: BufferId) -> &Type {
        &self.buffers[id.index()].ty
    }

    fn owns_place(&self, id: BufferId) -> bool {
        self.home[id.index()] == id.index()
    }

    fn can_overwrite(&self, kernels: &[&Kernel], launch: usize, target: BufferId) -> bool {
        let read = self.touched[launch].reads.iter().position(|&read| read == target);
        kernels[launch].can_overwrite(read)
    }

    /// `can_overwrite` for row values.
    fn can_overwrite_rows(&self, kernels: &[&Kernel], target: BufferId, value: BufferId) -> bool {
        let launch = self.buffers[value.index()].first;
        let Touched { reads, writes } = &self.touched[launch];
        let read = reads.iter().position(|&read| read == target);
        let write = writes.iter().position(|&write| write == value);
        let (Some(read), Some(write)) = (read, write) else { return false };
        kernels[launch].can_overwrite_rows(read, write)
    }

    /// The spans of the arena that need offsets.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let mut lasts: Vec<usize> = self.buffers.iter().map(|buffer| buffer.last).collect();
        for (n, &home) in self.home.iter().enumerate() {
            lasts[home] = lasts[home].max(self.buffers[n].last);
        }
        let owns_span =
            |n: &usize| self.home[*n] == *n && matches!(self.buffers[*n].place, Place::Arena(_));
        let span = |home: usize| {
            let bytes = self.buffers[home].ty.bytes().next_multiple_of(ALIGN);
            // Concurrent launches begin together: none may reuse memory that another one reads.
            let first = self.buffers[home].first;
            let first = self.waves.get(first).map_or(first, |&head| head);
            Span { home, bytes, first, last: lasts[home] }
        };
        (0..self.buffers.len()).filter(owns_span).map(span).collect()
    }

    /// The live bytes at each launch, and after the last.
    pub(crate) fn profile(&self) -> Vec<usize> {
        profile(&self.spans(), self.touched.len())
    }
}

impl Kernel {
    /// Whether results may be written over an operand: the kernel reads it only element by element,
    /// each before it writes the result at that element. `None` is an operand that it does not
    /// read.
    pub(crate) fn can_overwrite(&self, read: Option<usize>) -> bool {
        let Some(read) = read else { return true };
        // A prologue with a matrix product runs ahead of the rest.
        let is_ahead = |prologue: &&Prologue| !prologue.body.operands().is_empty();
        let is_operand = self.body.reads(read) || self.prologues().iter().any(is_ahead);
        let reads_aligned = self.code.steps.iter().all(|step| match &step.op {
            StepOp::Load { read: other, view, .. } if *other == read => {
                step.granularity == Granularity::PerElement && view.is_contiguous()
            }
            StepOp::Reduce { .. } => false,
            _ => true,
        });
        !is_operand && reads_aligned
    }

    /// Whether row values may be written over an operand of a loop: only row values depend on the
    /// operand, it is read row by row, and the new value depends on a reduction.
    pub(crate) fn can_overwrite_rows(&self, read: usize, write: usize) -> bool {
        let steps = &self.code.steps;
        let (mut is_late, mut is_tainted) = (vec![false; steps.len()], vec![false; steps.len()]);
        for (n, step) in steps.iter().enumerate() {
            let depends = |marks: &[bool]| step.op.args().iter().any(|arg| marks[arg.index()]);
            is_late[n] = matches!(step.op, StepOp::Reduce { .. }) || depends(&is_late);
            is_tainted[n] = depends(&is_tainted);
            if let StepOp::Load { read: other, view, .. } = &step.op {
                is_tainted[n] = *other == read;
                if is_tainted[n] && !view.is_contiguous() {
                    return false;
                }
            }
            if is_tainted[n] && step.granularity == Granularity::PerElement {
                return false;
            }
        }
        let value = self.code.stores[write].index();
        matches!(self.body, Body::Loop)
            && steps[value].granularity == Granularity::PerRow
            && is_late[value]
    }
}
