//! `Program`: what a device runs, an ordered list of launches over planned buffers. A graph is
//! compiled once; its program runs any number of times with new inputs and new slot values.
//!
//! The last pass, `Program::new`, joins kernels and plan.
//!
//! - Assumes that the plan is the plan of these kernels, in this order.
//! - Guarantees a program that devices can run without further checks (`check`). It does not depend
//!   on the graph: launches have the call sites of their nodes, and index checks are in the order of
//!   launches.
pub(crate) mod bound;
pub mod bytes;
pub(crate) mod check;
pub(crate) mod checked;
mod evaluate;
mod relayout;
pub(crate) mod verify;

use self::bound::Bound;
use crate::graph::index_check::IndexCheck;
use crate::memory::budget::Recomputed;
use crate::memory::plan::{Buffer, BufferId, Plan, Task, Touched};
use crate::schedule::kernel::{Kernel, StepOp};
use brasa_ir::ops::Role;
use brasa_ir::{Graph, Id, Type};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub launches: Vec<Launch>,
    /// Every value with its place and its lifetime in launches. Tools can draw memory from this.
    pub buffers: Vec<Buffer>,
    pub arena_bytes: usize,
    /// Peak number of live bytes in the arena; the rest is fragmentation.
    pub live_bytes: usize,
    pub inputs: Vec<ProgramInput>,
    /// One per wanted node.
    pub outputs: Vec<BufferId>,
    /// Copies after the last launch, in order: `(to, from)`.
    pub copies: Vec<(BufferId, BufferId)>,
    /// Index range checks that the device performs, in the order of launches.
    pub bounds: Vec<Bound>,
    /// The cost of staying within the memory budget.
    pub recomputed: Recomputed,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub kernel: Kernel,
    pub reads: Vec<BufferId>,
    pub writes: Vec<BufferId>,
    /// The user's call and its source location, taken from the library op or else the last node.
    /// If several recordings share a fingerprint, they are those of the first.
    pub call: String,
    pub site: String,
}

/// An input that the caller provides.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramInput {
    /// The input in the graph that was compiled.
    pub node: Id,
    pub name: String,
    pub role: Role,
    pub ty: Type,
    /// Whether a run writes to it.
    pub is_written: bool,
}

impl Program {
    /// Joins kernels in execution order with their plan. `inputs` are those of `task`.
    pub(crate) fn new(
        task: Task,
        inputs: Vec<ProgramInput>,
        kernels: Vec<Kernel>,
        plan: Plan,
        recomputed: Recomputed,
    ) -> Program {
        let launches = kernels.into_iter().zip(plan.touched);
        let launches = launches.map(|(kernel, touched)| launch(task.g, kernel, touched)).collect();
        let Plan { buffers, arena_bytes, live_bytes, outputs, copies, check_values, .. } = plan;
        let checks = task.index_checks.iter().zip(check_values);
        let mut bounds: Vec<Bound> =
            checks.map(|(check, values)| bound(task.g, &buffers, check, values)).collect();
        bounds.sort_by_key(|bound| bound.launch);
        Program {
            launches,
            buffers,
            arena_bytes,
            live_bytes,
            inputs,
            outputs,
            copies,
            bounds,
            recomputed,
        }
    }

    /// Peak memory of a run: inputs and arena. Library ops need a little more to pack their
    /// operands, depending on the device.
    pub fn peak_bytes(&self) -> usize {
        self.inputs.iter().map(|input| input.ty.bytes()).sum::<usize>() + self.arena_bytes
    }

    /// How many slot values a run takes.
    pub fn slots(&self) -> usize {
        let codes = self.launches.iter().flat_map(|launch| {
            let prologues = launch.kernel.prologues().into_iter().map(|prologue| &prologue.code);
            prologues.chain([&launch.kernel.code])
        });
        let steps = codes.flat_map(|code| &code.steps);
        let slots = steps.filter_map(|step| match step.op {
            StepOp::Slot(slot) => Some(slot + 1),
            _ => None,
        });
        slots.max().unwrap_or(0)
    }
}

/// A launch with the call site of its kernel.
fn launch(g: &Graph, kernel: Kernel, Touched { reads, writes }: Touched) -> Launch {
    let is_anchor = |id: &&Id| g[**id].op.is_library();
    let node = kernel.nodes.iter().find(is_anchor).or(kernel.nodes.last());
    let origin = node.map(|&id| g[id].origin);
    let call = origin.map_or("", |origin| origin.call).to_string();
    let site = origin.map_or(String::new(), |o| g.site(o.site).to_string());
    Launch { kernel, reads, writes, call, site }
}

/// An index check with the buffers of its two values.
fn bound(g: &Graph, buffers: &[Buffer], check: &IndexCheck, [before, at]: [BufferId; 2]) -> Bound {
    let launch = buffers[before.index()].last;
    let origin = g[check.before].origin;
    let (call, site) = (origin.call.to_string(), g.site(origin.site).to_string());
    Bound { launch, before, at, positions: check.positions.clone(), call, site }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, launch) in self.launches.iter().enumerate() {
            write!(f, "#{n} {}", launch.kernel)?;
        }
        for buffer in &self.buffers {
            writeln!(f, "{buffer}")?;
        }
        if self.recomputed.launches > 0 {
            let Recomputed { launches, flops, bytes, .. } = &self.recomputed;
            writeln!(f, "{launches} launches recomputed: {flops} flops, {bytes} bytes moved")?;
        }
        let (arena, live, peak) = (self.arena_bytes, self.live_bytes, self.peak_bytes());
        writeln!(f, "arena {arena} bytes, {live} in use at once; with inputs {peak} bytes")
    }
}
