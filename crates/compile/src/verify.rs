//! Verification between passes: what each of them has to leave, so that a mistake is told where it was
//! made and not by wrong numbers. It happens in debug builds, and where [`Options::verify`] asks for it.
//! It takes time in proportion to the program.
//!
//! - A graph is as [`verify_nodes`] has it, and the nodes that are wanted are there.
//! - Kernels read what is an input or was written before them, write each value once and nothing that
//!   they read, and make all that is wanted. A kernel runs each library op among its nodes. Each is as [`check_kernel`] has it: steps read earlier ones,
//!   of the right type and level, views stay inside their buffers, reductions have rows to reduce.
//! - A plan gives launches the latest buffers of what they read, for as long as these are needed. All
//!   have the types of their nodes; those that live at one time lie apart, in the arena; and results lie
//!   over operands only where these are read before, and by nobody later.
//! - A program is as [`check`](crate::check::check) has it.
//!
//! [`Options::verify`]: crate::Options::verify
use crate::check::{Checked, check, check_kernel, ensure, in_place, overlaps};
use crate::kernel::{Body, Kernel};
use crate::pack::ALIGN;
use crate::plan::{Buffer, BufferId, Place, Plan, Task, Touched};
use crate::program::Program;
use crate::schedule::is_library;
use brasa_ir::verify::verify_nodes;
use brasa_ir::{Graph, Id, Type, text};

/// Ends with what is wrong, if anything is, and the pass that left it so.
pub(crate) fn expect(pass: &str, checked: Checked) {
    if let Err(what) = checked {
        panic!("internal error, please report: what {pass} leaves is wrong: {what}");
    }
}

/// Characters of a text form that are shown, at most.
const SHOWN: usize = 20_000;

fn shown(what: &str, text: &str) -> String {
    let rest = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("{what}\n{}{rest}", text.chars().take(SHOWN).collect::<String>())
}

pub(crate) fn graph(g: &Graph, wanted: &[Id]) -> Checked {
    let is_there = |id: &Id| id.index() < g.len();
    ensure(wanted.iter().all(is_there), || "a node that is wanted does not exist".to_string())?;
    let verified = verify_nodes(g);
    verified.map_err(|problems| shown(&problems.join("\n"), &text::print(g, wanted)))
}

/// Kernels in their order; `roots` are looked at from outside. Some may run again where a budget
/// `may_repeat` them.
pub(crate) fn kernels<'k>(
    task: Task,
    roots: &[Id],
    kernels: impl IntoIterator<Item = &'k Kernel>,
    may_repeat: bool,
) -> Checked {
    let mut is_there = vec![false; task.g.len()];
    task.inputs.iter().for_each(|id| is_there[id.index()] = true);
    for (n, kernel) in kernels.into_iter().enumerate() {
        let all_in_order = alone(task.g, kernel).and_then(|()| {
            let late = kernel.reads.iter().find(|id| !is_there[id.index()]);
            late.map_or(Ok(()), |id| Err(format!("{id} is read before it is written")))?;
            for id in &kernel.writes {
                let is_new = !std::mem::replace(&mut is_there[id.index()], true);
                ensure(is_new || may_repeat, || format!("{id} is written twice"))?;
            }
            ensure(n > 0 || !kernel.is_beside, || "nothing runs before the first".to_string())
        });
        all_in_order.map_err(|what| shown(&format!("kernel {n}: {what}"), &kernel.to_string()))?;
    }
    let written: Vec<Id> = task.writes().map(|(_, value)| value).collect();
    let lost = roots.iter().chain(&written).find(|id| !is_there[id.index()]);
    lost.map_or(Ok(()), |id| Err(format!("{id} is wanted, but no kernel makes it")))
}

/// One kernel of a graph.
fn alone(g: &Graph, kernel: &Kernel) -> Checked {
    let ids = || kernel.reads.iter().chain(&kernel.writes).chain(&kernel.nodes);
    ensure(ids().all(|id| id.index() < g.len()), || "a node does not exist".to_string())?;
    let mut touched: Vec<Id> = kernel.reads.iter().chain(&kernel.writes).copied().collect();
    touched.sort_unstable();
    if let Some(pair) = touched.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("{} is an operand or a result twice", pair[0]));
    }
    ensure(!kernel.writes.is_empty(), || "it writes nothing".to_string())?;
    let works = kernel.works().into_iter().map(|work| &work.body);
    let bodies = works.chain([&kernel.body]).filter(|body| !matches!(body, Body::Loop)).count();
    let ops = kernel.nodes.iter().filter(|&&id| is_library(&g[id].op)).count();
    ensure(ops == bodies, || format!("it has {ops} library ops and runs {bodies}"))?;
    let types = |ids: &[Id]| ids.iter().map(|&id| g[id].ty.clone()).collect::<Vec<Type>>();
    let (reads, writes) = (types(&kernel.reads), types(&kernel.writes));
    if reads.iter().chain(&writes).any(is_unallocatable) {
        return Ok(());
    }
    check_kernel(kernel, &reads.iter().collect::<Vec<_>>(), &writes.iter().collect::<Vec<_>>())
}

/// Whether no memory holds a tensor: it fails when it is allocated, and views of it cannot be counted
/// through without overflow.
fn is_unallocatable(ty: &Type) -> bool {
    ty.elements() >= 1 << if usize::BITS > 32 { 38 } else { 28 }
}

/// A whole program, as if it had been read from bytes.
pub(crate) fn program(program: &Program, overwrites_rows: bool) -> Checked {
    match program.buffers.iter().any(|buffer| is_unallocatable(&buffer.ty)) {
        true => Ok(()),
        false => check(program, overwrites_rows),
    }
}

/// The buffers of kernels in their order.
pub(crate) fn plan(task: Task, kernels: &[&Kernel], plan: &Plan) -> Checked {
    let Plan { buffers, touched, .. } = plan;
    let all = touched.iter().flat_map(|t| t.reads.iter().chain(&t.writes)).chain(&plan.outputs);
    let is_there = |id: &BufferId| id.index() < buffers.len();
    ensure(all.into_iter().all(is_there), || "a buffer does not exist".to_string())?;
    buffers.iter().try_for_each(|buffer| place(task, plan, buffer))?;
    ensure(touched.len() == kernels.len(), || "launches are not those of kernels".to_string())?;
    let mut latest: Vec<Option<BufferId>> = vec![None; task.g.len()];
    for (n, &id) in task.inputs.iter().enumerate() {
        latest[id.index()] = Some(BufferId(n as u32));
    }
    for (n, (kernel, touched)) in kernels.iter().zip(touched).enumerate() {
        let checked = launch(plan, n, kernel, touched, &mut latest);
        let checked = checked.and_then(|()| {
            let Touched { reads, writes } = touched;
            in_place(kernel, reads, writes, buffers, task.overwrites_rows)
        });
        checked.map_err(|what| shown(&format!("launch {n}: {what}"), &kernel.to_string()))?;
    }
    ensure(task.wanted.len() == plan.outputs.len(), || "outputs are missing".to_string())?;
    for (id, output) in task.wanted.iter().zip(&plan.outputs) {
        let buffer = &buffers[output.index()];
        let lasts = buffer.last == kernels.len() || matches!(buffer.place, Place::Input(_));
        let is_kept = latest[id.index()] == Some(*output) && lasts;
        ensure(is_kept, || format!("the output {id} is lost"))?;
    }
    ensure(plan.live_bytes <= plan.arena_bytes, || "more bytes live than there are".to_string())?;
    overlaps(buffers)
}

/// A buffer has the type of its node, and a place that is as large.
fn place(task: Task, plan: &Plan, buffer: &Buffer) -> Checked {
    let Buffer { node, ty, place, first, last } = buffer;
    let is_own = node.index() < task.g.len() && task.g[*node].ty == *ty;
    ensure(is_own, || format!("{node} {ty} has another type"))?;
    let fits = match place {
        Place::Input(n) => task.inputs.get(*n).is_some_and(|&id| task.g[id].ty == *ty),
        Place::Arena(at) => at % ALIGN == 0 && at + ty.bytes() <= plan.arena_bytes,
    };
    ensure(fits && first <= last, || format!("{node} {ty} has no place"))
}

/// What a launch touches are the buffers of its kernel.
fn launch(
    plan: &Plan,
    n: usize,
    kernel: &Kernel,
    touched: &Touched,
    latest: &mut [Option<BufferId>],
) -> Checked {
    let (reads, writes) = (&touched.reads, &touched.writes);
    let as_many = reads.len() == kernel.reads.len() && writes.len() == kernel.writes.len();
    ensure(as_many, || "its buffers are not those of its kernel".to_string())?;
    for (id, read) in kernel.reads.iter().zip(reads) {
        let is_latest = latest[id.index()] == Some(*read);
        ensure(is_latest, || format!("it reads another buffer than the latest of {id}"))?;
        let last = plan.buffers[read.index()].last;
        ensure(n <= last, || format!("{id} is read, but lives no more"))?;
    }
    for (id, write) in kernel.writes.iter().zip(writes) {
        let new = &plan.buffers[write.index()];
        let is_own = new.node == *id && new.first == n;
        ensure(is_own, || format!("it writes to another buffer than that of {id}"))?;
        if let Place::Input(input) = new.place {
            // The first buffers are those of the inputs.
            let old = &plan.buffers[input];
            ensure(old.last <= n, || format!("{id} replaces {}, which is read later", old.node))?;
        }
        latest[id.index()] = Some(*write);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
