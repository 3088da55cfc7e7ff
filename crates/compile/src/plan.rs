//! Memory planning: when each buffer lives, which ones share a place in the arena, and which
//! results can be written straight into the inputs they replace.
use crate::kernel::{Body, Kernel, Level, What};
use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id, Type};
use std::collections::HashMap;

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
    /// The caller's, by number of the program's input.
    Input(usize),
    /// In the arena, from this byte on.
    Arena(usize),
}

#[derive(Clone, Debug)]
pub struct Buffer {
    pub node: Id,
    pub ty: Type,
    pub place: Place,
    /// The first and the last launch that touches it; outputs live to the end.
    pub first: usize,
    pub last: usize,
}

/// The buffers of a program.
pub struct Plan {
    pub buffers: Vec<Buffer>,
    pub arena_bytes: usize,
    pub of: HashMap<Id, BufferId>,
    /// Values to copy into inputs when all launches are done: `(input, value)`.
    pub copies: Vec<(BufferId, BufferId)>,
}

/// Offsets keep whole cache lines and every vector width aligned.
const ALIGN: usize = 64;

/// Gives every node that kernels read or write a buffer.
pub fn plan(g: &Graph, kernels: &[Kernel], inputs: &[Id], wanted: &[Id]) -> Plan {
    let mut plan =
        Plan { buffers: Vec::new(), arena_bytes: 0, of: HashMap::new(), copies: Vec::new() };
    for (n, &id) in inputs.iter().enumerate() {
        plan.add(g, id, Place::Input(n), 0);
    }
    let in_place = in_place(g, kernels, wanted);
    for (launch, kernel) in kernels.iter().enumerate() {
        for &id in &kernel.writes {
            match in_place.get(&id) {
                Some(target) => _ = plan.of.insert(id, plan.of[target]),
                None => plan.add(g, id, Place::Arena(0), launch),
            }
        }
        for id in kernel.reads.iter().chain(&kernel.writes) {
            let buffer = plan.of[id];
            plan.buffers[buffer.index()].last = launch;
        }
    }
    for id in wanted {
        let buffer = plan.of[id];
        plan.buffers[buffer.index()].last = kernels.len();
    }
    for (_, node) in g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_))) {
        let (target, value) = (plan.of[&node.inputs[0]], plan.of[&node.inputs[1]]);
        if target != value {
            plan.copies.push((target, value));
            plan.buffers[value.index()].last = kernels.len();
        }
    }
    plan.arrange();
    plan
}

impl Plan {
    fn add(&mut self, g: &Graph, node: Id, place: Place, first: usize) {
        self.of.insert(node, BufferId(self.buffers.len() as u32));
        self.buffers.push(Buffer { node, ty: g[node].ty.clone(), place, first, last: first });
    }

    /// Chooses offsets: the largest buffers first, each at the lowest place that is free for as
    /// long as it lives.
    fn arrange(&mut self) {
        let is_in_arena = |n: &usize| matches!(self.buffers[*n].place, Place::Arena(_));
        let mut todo: Vec<usize> = (0..self.buffers.len()).filter(is_in_arena).collect();
        todo.sort_by_key(|&n| (std::cmp::Reverse(self.buffers[n].ty.bytes()), n));
        let mut placed: Vec<(usize, usize, usize)> = Vec::new();
        for n in todo {
            let buffer = &self.buffers[n];
            let bytes = buffer.ty.bytes().next_multiple_of(ALIGN);
            let lives_with =
                |other: &Buffer| other.first <= buffer.last && buffer.first <= other.last;
            let mut offset = 0;
            // `placed` is in order of offsets.
            for &(start, end, other) in &placed {
                let is_in_the_way = lives_with(&self.buffers[other]) && end > offset;
                if is_in_the_way && start < offset + bytes {
                    offset = end;
                }
            }
            self.buffers[n].place = Place::Arena(offset);
            let entry = (offset, offset + bytes, n);
            let at = placed.partition_point(|other| *other < entry);
            placed.insert(at, entry);
            self.arena_bytes = self.arena_bytes.max(offset + bytes);
        }
    }
}

/// The written values whose kernel may overwrite the input at once, with that input.
fn in_place(g: &Graph, kernels: &[Kernel], wanted: &[Id]) -> HashMap<Id, Id> {
    let mut found = HashMap::new();
    for (_, node) in g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_))) {
        let (target, value) = (node.inputs[0], node.inputs[1]);
        let Some(at) = kernels.iter().position(|k| k.writes.contains(&value)) else { continue };
        let is_read_later = kernels[at + 1..].iter().any(|k| k.reads.contains(&target));
        let is_free = !wanted.contains(&target) && !found.contains_key(&value);
        if is_free && !is_read_later && can_overwrite(&kernels[at], target) {
            found.insert(value, target);
        }
    }
    found
}

/// Whether a kernel reads `target` only element by element, each before it writes that element.
fn can_overwrite(kernel: &Kernel, target: Id) -> bool {
    let read = kernel.reads.iter().position(|&id| id == target);
    let is_operand = match &kernel.body {
        Body::Library { operands, .. } => operands.iter().any(|o| Some(o.read) == read),
        Body::Loop => false,
    };
    let reads_in_step = kernel.code.steps.iter().all(|step| match &step.what {
        What::Load { read: other, view, .. } if Some(*other) == read => {
            step.level == Level::Full && view.is_contiguous()
        }
        What::Reduce { .. } => read.is_none(),
        _ => true,
    });
    !is_operand && reads_in_step
}
