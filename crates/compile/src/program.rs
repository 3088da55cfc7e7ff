//! Programs: what a device runs. An ordered list of launches over planned buffers, made once for a
//! graph and run as often as one likes with new inputs and new numbers in its slots.
use crate::kernel::Kernel;
use crate::plan::{Buffer, BufferId, Place, plan};
use crate::schedule::schedule;
use crate::simplify::simplify;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{Graph, Id, Type};
use std::fmt;

#[derive(Clone, Debug)]
pub struct Program {
    pub launches: Vec<Launch>,
    pub buffers: Vec<Buffer>,
    pub arena_bytes: usize,
    pub inputs: Vec<ProgramInput>,
    /// One for each node that was wanted.
    pub outputs: Vec<BufferId>,
    /// Values to copy into inputs after the last launch: `(input, value)`.
    pub copies: Vec<(BufferId, BufferId)>,
}

#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: Kernel,
    pub reads: Vec<BufferId>,
    pub writes: Vec<BufferId>,
}

/// What the caller hands in.
#[derive(Clone, Debug)]
pub struct ProgramInput {
    /// The input in the graph that was compiled.
    pub node: Id,
    pub name: String,
    pub role: Role,
    pub ty: Type,
    /// Whether a run changes it.
    pub is_written: bool,
}

/// The program that computes `wanted` and carries out all writes.
pub fn compile(g: &Graph, wanted: &[Id]) -> Program {
    let writes: Vec<Id> =
        g.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_))).map(|(id, _)| id).collect();
    let simple = simplify(g, &[wanted, &writes].concat());
    let graph = &simple.graph;
    let place = |&id: &Id| simple.place(id).expect("wanted nodes stay");
    let mut wanted: Vec<Id> = wanted.iter().map(place).collect();
    // The result of a write is the value that was written.
    for id in &mut wanted {
        if let Op::Write(_) = graph[*id].op {
            *id = graph[*id].inputs[1];
        }
    }
    let kernels = schedule(graph, &wanted);
    let (nodes, inputs) = inputs(g, &simple, graph);
    let plan = plan(graph, &kernels, &nodes, &wanted);
    let outputs = wanted.iter().map(|id| plan.of[id]).collect();
    let launch = |kernel: Kernel| {
        let reads = kernel.reads.iter().map(|id| plan.of[id]).collect();
        let writes = kernel.writes.iter().map(|id| plan.of[id]).collect();
        Launch { kernel, reads, writes }
    };
    let launches = kernels.into_iter().map(launch).collect();
    let (buffers, arena_bytes, copies) = (plan.buffers, plan.arena_bytes, plan.copies);
    Program { launches, buffers, arena_bytes, inputs, outputs, copies }
}

/// The inputs that are left, as nodes of the simplified graph and as the caller knows them.
fn inputs(
    g: &Graph,
    simple: &crate::simplify::Simplified,
    graph: &Graph,
) -> (Vec<Id>, Vec<ProgramInput>) {
    let written: Vec<Id> = graph
        .nodes()
        .filter(|(_, node)| matches!(node.op, Op::Write(_)))
        .map(|(_, node)| node.inputs[0])
        .collect();
    let input = |(id, node): (Id, &brasa_ir::Node)| {
        let Op::Input(input) = &node.op else { return None };
        let place = simple.place(id)?;
        let (name, role, ty) = (input.name.clone(), input.role, node.ty.clone());
        let is_written = written.contains(&place);
        Some((place, ProgramInput { node: id, name, role, ty, is_written }))
    };
    g.nodes().filter_map(input).unzip()
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, launch) in self.launches.iter().enumerate() {
            write!(f, "#{n} {}", launch.kernel)?;
        }
        for buffer in &self.buffers {
            let place = match buffer.place {
                Place::Input(n) => format!("input {n}"),
                Place::Arena(offset) => format!("arena +{offset}"),
            };
            let (first, last) = (buffer.first, buffer.last);
            writeln!(f, "{} {} {place} #{first}..#{last}", buffer.node, buffer.ty)?;
        }
        writeln!(f, "arena {} bytes", self.arena_bytes)
    }
}
