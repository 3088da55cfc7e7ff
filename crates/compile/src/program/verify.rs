//! Verifies the result of each pass, so that a bug is reported where it occurs and not as wrong
//! numbers. Runs in debug builds and if [`Options::verify`] is set. Takes time linear in the size
//! of the program.
//!
//! - A graph satisfies [`verify_nodes`], and the wanted nodes exist.
//! - Kernels read only inputs and values written by earlier kernels, write each value once and none
//!   that they read, and compute all wanted values. A kernel runs each library op among its nodes.
//!   Each kernel satisfies [`check_kernel`]: steps read earlier steps of the right type and
//!   granularity, views stay inside their buffers, and reductions have rows to reduce.
//! - A plan gives each launch the latest buffers of the values it reads, and these are live.
//!   Buffers have the types of their nodes. Buffers in the arena that are live at the same time do
//!   not overlap, and results overwrite only operands that are read before and never again.
//! - A program satisfies [`check`](crate::program::check::check).
//!
//! [`Options::verify`]: crate::Options::verify
use crate::memory::pack::ALIGN;
use crate::memory::plan::{Buffer, BufferId, Place, Plan, Task, Touched};
use crate::program::Program;
use crate::program::check::{Checked, check, check_in_place, check_kernel, check_overlaps, ensure};
use crate::schedule::kernel::{Body, Kernel};
use crate::target::Target;
use brasa_ir::verify::verify_nodes;
use brasa_ir::{Graph, Id, Type, text};

/// Panics with the pass and the violation if a check failed.
pub(crate) fn expect(pass: &str, checked: Checked) {
    if let Err(what) = checked {
        panic!("internal error, please report: invalid result of pass {pass}: {what}");
    }
}

/// Maximum number of characters of a text form in a message.
const MAX_SHOWN: usize = 20_000;

fn shown(what: &str, text: &str) -> String {
    let rest = if text.chars().nth(MAX_SHOWN).is_some() { "…" } else { "" };
    format!("{what}\n{}{rest}", text.chars().take(MAX_SHOWN).collect::<String>())
}

pub(crate) fn graph(g: &Graph, wanted: &[Id]) -> Checked {
    let is_there = |id: &Id| id.index() < g.len();
    ensure(wanted.iter().all(is_there), || "a wanted node does not exist".to_string())?;
    let verified = verify_nodes(g);
    verified.map_err(|problems| shown(&problems.join("\n"), &text::print(g, wanted)))
}

/// Checks kernels in execution order. `roots` are read from outside. With a budget, kernels
/// `may_repeat`.
pub(crate) fn kernels<'k>(
    task: Task,
    roots: &[Id],
    kernels: impl IntoIterator<Item = &'k Kernel>,
    may_repeat: bool,
) -> Checked {
    let mut is_there = vec![false; task.g.len()];
    task.inputs.iter().for_each(|id| is_there[id.index()] = true);
    for (n, kernel) in kernels.into_iter().enumerate() {
        let all_in_order = check_single(task.g, kernel, task.target).and_then(|()| {
            let late = kernel.reads.iter().find(|id| !is_there[id.index()]);
            late.map_or(Ok(()), |id| Err(format!("{id} is read before it is written")))?;
            for id in &kernel.writes {
                let is_new = !std::mem::replace(&mut is_there[id.index()], true);
                ensure(is_new || may_repeat, || format!("{id} is written twice"))?;
            }
            ensure(n > 0 || !kernel.is_concurrent, || {
                "the first kernel is marked concurrent".to_string()
            })
        });
        all_in_order.map_err(|what| shown(&format!("kernel {n}: {what}"), &kernel.to_string()))?;
    }
    let written: Vec<Id> = task.writes().map(|(_, value)| value).collect();
    let lost = roots.iter().chain(&written).find(|id| !is_there[id.index()]);
    lost.map_or(Ok(()), |id| Err(format!("{id} is wanted, but no kernel computes it")))
}

/// Checks a single kernel of a graph.
fn check_single(g: &Graph, kernel: &Kernel, target: &Target) -> Checked {
    let ids = || kernel.reads.iter().chain(&kernel.writes).chain(&kernel.nodes);
    ensure(ids().all(|id| id.index() < g.len()), || "a node does not exist".to_string())?;
    let mut touched: Vec<Id> = kernel.reads.iter().chain(&kernel.writes).copied().collect();
    touched.sort_unstable();
    if let Some(pair) = touched.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("{} is read or written twice", pair[0]));
    }
    ensure(!kernel.writes.is_empty(), || "it writes nothing".to_string())?;
    let prologues = kernel.prologues().into_iter().map(|prologue| &prologue.body);
    let bodies = prologues.chain([&kernel.body]).filter(|body| !matches!(body, Body::Loop)).count();
    let ops = kernel.nodes.iter().filter(|&&id| g[id].op.is_library()).count();
    ensure(ops == bodies, || format!("it has {ops} library ops and runs {bodies}"))?;
    let types = |ids: &[Id]| ids.iter().map(|&id| g[id].ty.clone()).collect::<Vec<Type>>();
    let (reads, writes) = (types(&kernel.reads), types(&kernel.writes));
    if reads.iter().chain(&writes).any(is_unallocatable) {
        return Ok(());
    }
    let (reads, writes): (Vec<_>, Vec<_>) = (reads.iter().collect(), writes.iter().collect());
    check_kernel(kernel, &reads, &writes, target)
}

/// Whether a tensor is too large for any memory. Its allocation fails later, and arithmetic on its
/// views could overflow here.
fn is_unallocatable(ty: &Type) -> bool {
    ty.elements() >= 1 << if usize::BITS > 32 { 38 } else { 28 }
}

/// Checks a whole program like one that was read from bytes.
pub(crate) fn program(program: &Program, target: &Target) -> Checked {
    match program.buffers.iter().any(|buffer| is_unallocatable(&buffer.ty)) {
        true => Ok(()),
        false => check(program, target),
    }
}

/// Checks the memory plan of kernels in execution order.
pub(crate) fn plan(task: Task, kernels: &[&Kernel], plan: &Plan) -> Checked {
    let Plan { buffers, touched, .. } = plan;
    let all = touched.iter().flat_map(|t| t.reads.iter().chain(&t.writes)).chain(&plan.outputs);
    let is_there = |id: &BufferId| id.index() < buffers.len();
    ensure(all.into_iter().all(is_there), || "a buffer does not exist".to_string())?;
    buffers.iter().try_for_each(|buffer| check_place(task, plan, buffer))?;
    ensure(touched.len() == kernels.len(), || {
        "the number of launches differs from the number of kernels".to_string()
    })?;
    let mut latest: Vec<Option<BufferId>> = vec![None; task.g.len()];
    for (n, &id) in task.inputs.iter().enumerate() {
        latest[id.index()] = Some(BufferId(n as u32));
    }
    for (n, (kernel, touched)) in kernels.iter().zip(touched).enumerate() {
        let checked = check_launch(plan, n, kernel, touched, &mut latest);
        let checked = checked.and_then(|()| {
            let Touched { reads, writes } = touched;
            check_in_place(kernel, reads, writes, buffers, task.target)
        });
        checked.map_err(|what| shown(&format!("launch {n}: {what}"), &kernel.to_string()))?;
    }
    ensure(task.wanted.len() == plan.outputs.len(), || "outputs are missing".to_string())?;
    for (id, output) in task.wanted.iter().zip(&plan.outputs) {
        let buffer = &buffers[output.index()];
        let lasts = buffer.last == kernels.len() || matches!(buffer.place, Place::Input(_));
        let is_kept = latest[id.index()] == Some(*output) && lasts;
        ensure(is_kept, || format!("the output {id} does not outlive the run"))?;
    }
    ensure(plan.live_bytes <= plan.arena_bytes, || {
        "more bytes are live than the arena has".to_string()
    })?;
    check_overlaps(buffers)
}

/// A buffer has the type of its node and a valid place of its size.
fn check_place(task: Task, plan: &Plan, buffer: &Buffer) -> Checked {
    let Buffer { node, ty, place, first, last } = buffer;
    let is_own = node.index() < task.g.len() && task.g[*node].ty == *ty;
    ensure(is_own, || format!("{node} {ty} does not have the type of its node"))?;
    let fits = match place {
        Place::Input(n) => task.inputs.get(*n).is_some_and(|&id| task.g[id].ty == *ty),
        Place::Arena(at) => at % ALIGN == 0 && at + ty.bytes() <= plan.arena_bytes,
    };
    ensure(fits && first <= last, || format!("{node} {ty} has no valid place"))
}

/// The buffers of a launch match its kernel.
fn check_launch(
    plan: &Plan,
    n: usize,
    kernel: &Kernel,
    touched: &Touched,
    latest: &mut [Option<BufferId>],
) -> Checked {
    let (reads, writes) = (&touched.reads, &touched.writes);
    let as_many = reads.len() == kernel.reads.len() && writes.len() == kernel.writes.len();
    ensure(as_many, || "its buffers do not match its kernel".to_string())?;
    for (id, read) in kernel.reads.iter().zip(reads) {
        let is_latest = latest[id.index()] == Some(*read);
        ensure(is_latest, || format!("it reads another buffer than the latest of {id}"))?;
        let last = plan.buffers[read.index()].last;
        ensure(n <= last, || format!("{id} is read after the end of its lifetime"))?;
    }
    for (id, write) in kernel.writes.iter().zip(writes) {
        let new = &plan.buffers[write.index()];
        let is_own = new.node == *id && new.first == n;
        ensure(is_own, || format!("it writes to another buffer than that of {id}"))?;
        if let Place::Input(input) = new.place {
            // The first buffers are those of the inputs.
            let old = &plan.buffers[input];
            ensure(old.last <= n, || format!("{id} overwrites {}, which is read later", old.node))?;
        }
        latest[id.index()] = Some(*write);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
