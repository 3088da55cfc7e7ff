//! Flushing: computes all pending values that have a live handle, as one program. Values without a
//! handle are not computed.
use crate::session::{RecordingState, Session, session};
use crate::storage::{Data, lock};
use crate::{Device, Error, Result, Tensor};
use brasa_ir::graph::QuickSet;
use brasa_ir::ops::{Input, Op, Role, Write};
use brasa_ir::{Graph, Id, Recorder, Type};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Computes everything recorded on this thread that still has a handle.
///
/// Reading a tensor and an optimizer's step flush by themselves. Errors are reported where a tensor
/// is read.
pub fn flush() {
    let _ = flush_own();
}

/// `flush` that returns the error.
pub(crate) fn flush_own() -> Result<()> {
    session(|own| flush_session(&mut lock(own)))
}

/// The budget in bytes for tensors that a flush computes only because a handle exists.
static BUDGET: AtomicUsize = AtomicUsize::new(1 << 30);

/// Sets how many bytes a flush may spend on tensors that still have a handle but were not read and
/// are no parameters, gradients or state; 1 GiB by default. If they need more, the oldest lose
/// their value, and reading one of them is an error that says so.
pub fn set_memory_budget(bytes: usize) {
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// A tensor that a flush computes.
pub(crate) struct Root {
    pub(crate) tensor: Tensor,
    pub(crate) node: Id,
    pub(crate) home: Option<(Arc<Data>, Id)>,
}

/// Computes what is pending. Does nothing while a compiled function is recorded, which runs later
/// as a whole.
pub(crate) fn flush_session(session: &mut Session) -> Result<()> {
    if session.is_compiling() {
        return Ok(());
    }
    let live = std::mem::take(&mut session.state.get_mut().live);
    let live: Vec<Tensor> = live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
    let roots = within_budget(pending_roots(session, &live));
    let kept = nodes_with_history(session, &live);
    // The three owners are the tensor's cell, the bindings and the list of roots.
    let is_free = |data: &Arc<Data>| kept.is_empty() && Arc::strong_count(data) == 3;
    let results = record_writes(session, &roots, false, is_free);
    let outcome = run(session.device(), &session.g, &session.state.get_mut().bindings);
    for (root, data) in roots.iter().zip(results) {
        let mut cell = root.tensor.cell();
        let home = cell.home.take();
        match &outcome {
            Ok(()) => cell.data = Some(data),
            // After a failed update the tensor keeps its old value.
            Err(_) if home.is_some() => cell.data = home.map(|(data, _)| data),
            Err(_) => match compute_alone(session, root.node) {
                Ok(data) => cell.data = Some(data),
                Err(error) => cell.fault = Some(error),
            },
        }
    }
    let old = std::mem::take(session.state.get_mut());
    let epoch = session.epoch();
    session.begin_epoch();
    if kept.is_empty() {
        session.g.clear();
    } else {
        begin_with_history(session, old, epoch, &live, &kept);
    }
    outcome
}

fn run(device: Device, g: &Recorder, bindings: &[(Id, Arc<Data>)]) -> Result<()> {
    g.read(|graph| device.backend().run(graph, bindings))
}

/// The tensors that have a handle and are not computed.
pub(crate) fn pending_roots(session: &Session, live: &[Tensor]) -> Vec<Root> {
    let root = |tensor: &Tensor| {
        let cell = tensor.cell();
        let recorded = cell.recorded.as_ref().filter(|recorded| recorded.is_in(session))?;
        let (node, home) = (recorded.node, cell.home.clone());
        (cell.data.is_none()).then(|| Root { tensor: tensor.clone(), node, home })
    };
    let mut seen = QuickSet::default();
    live.iter().filter(|x| seen.insert(x.identity())).filter_map(root).collect()
}

/// Drops the oldest roots that are held only by a handle, if together they exceed the memory
/// budget.
fn within_budget(roots: Vec<Root>) -> Vec<Root> {
    let is_soft = |root: &Root| {
        let cell = root.tensor.cell();
        !(cell.is_kept || cell.is_leaf || root.home.is_some())
    };
    let bytes = |root: &Root| if is_soft(root) { root.tensor.ty().bytes() } else { 0 };
    let total: usize = roots.iter().map(bytes).sum();
    let mut excess = total.saturating_sub(BUDGET.load(Ordering::Relaxed));
    let mut kept = Vec::with_capacity(roots.len());
    for root in roots {
        let own = bytes(&root);
        if excess == 0 || own == 0 {
            kept.push(root);
            continue;
        }
        excess = excess.saturating_sub(own);
        root.tensor.cell().fault = Some(over_budget_error(&root.tensor));
    }
    kept
}

/// In the language of the caller: TypeScript on a page, Rust otherwise.
const STALE_HELP: &str = if cfg!(brasa_page) {
    "mark it with keep(x), dispose() other tensors, or raise setMemoryBudget(bytes)"
} else {
    "read it, drop other tensors before the flush, or raise set_memory_budget"
};

fn over_budget_error(x: &Tensor) -> Error {
    let what = "the value was dropped: tensors that were held but not read needed too much memory";
    Error::stale("tensor", what).operand("tensor", x.ty()).help(STALE_HELP)
}

impl Tensor {
    /// Exempts the tensor from the memory budget: its value is always computed.
    pub fn keep(&self) {
        self.cell().is_kept = true;
    }

    /// Drops the computed value, and returns whether it did. Reading the tensor is an error
    /// afterwards. Parameters, gradients and state keep their values.
    pub fn evict(&self) -> bool {
        let mut cell = self.cell();
        let is_soft = !(cell.is_kept || cell.is_leaf || cell.home.is_some());
        if !is_soft || cell.data.is_none() {
            return false;
        }
        (cell.data, cell.recorded) = (None, None);
        cell.fault = Some(over_budget_error(self));
        true
    }

    /// The old name of [`evict`](Tensor::evict).
    #[deprecated(since = "0.2.0", note = "renamed to `evict`")]
    pub fn give_up(&self) -> bool {
        self.evict()
    }

    /// Removes the value and records why.
    pub(crate) fn drop_value(&self, reason: Error) {
        let mut cell = self.cell();
        (cell.data, cell.recorded, cell.fault) = (None, None, Some(reason));
    }
}

/// The nodes whose history `backward` may still need.
fn nodes_with_history(session: &Session, live: &[Tensor]) -> Vec<Id> {
    let node = |x: &Tensor| {
        let cell = x.cell();
        let recorded = cell.recorded.as_ref().filter(|recorded| recorded.is_in(session))?;
        (cell.is_tracked && !cell.is_released && cell.fault.is_none()).then_some(recorded.node)
    };
    live.iter().filter_map(node).collect()
}

/// Records the write of each root, and returns the memory that will hold its value. Roots of the
/// same node share memory, except those that have to be found in their old memory in every run of a
/// program.
pub(crate) fn record_writes(
    session: &mut Session,
    roots: &[Root],
    keeps_homes: bool,
    may_overwrite: impl Fn(&Arc<Data>) -> bool,
) -> Vec<Arc<Data>> {
    let (device, g, state) = (session.device(), &session.g, session.state.get_mut());
    state.bindings.sort_unstable_by_key(|(id, _)| *id);
    let mut places: Vec<Option<Arc<Data>>> = vec![None; g.read(Graph::len)];
    let mut results = Vec::with_capacity(roots.len());
    for root in roots {
        let is_apart = keeps_homes && root.home.is_some();
        if let Some(data) = places[root.node.index()].as_ref().filter(|_| !is_apart) {
            results.push(data.clone());
            continue;
        }
        let data = match &root.home {
            Some((data, input)) if may_overwrite(data) => {
                g.emit(Write {}, &[g.expr(*input), g.expr(root.node)]);
                data.clone()
            }
            _ => match bound_data(state, root.node) {
                Some(data) => data,
                None => {
                    let ty = root.tensor.ty().clone();
                    let Type { dtype, shape } = ty.clone();
                    let op = Input { name: String::new(), role: Role::State, dtype, shape };
                    let target = g.emit(op, &[]);
                    g.emit(Write {}, &[target, g.expr(root.node)]);
                    let data = Data::allocate(device, ty);
                    state.bindings.push((target.id(), data.clone()));
                    data
                }
            },
        };
        if !is_apart {
            places[root.node.index()] = Some(data.clone());
        }
        results.push(data);
    }
    results
}

/// Computes one node alone, after computing all roots together has failed: the error may come from
/// another root.
pub(crate) fn compute_alone(session: &mut Session, node: Id) -> Result<Arc<Data>> {
    let device = session.device();
    let bindings = &session.state.get_mut().bindings;
    let g = Recorder::default();
    let (data, bindings) = session.g.read(|graph| {
        let moved = copy_nodes(graph, &g, &[node], &vec![None; graph.len()]);
        let ty = graph[node].ty.clone();
        let target = g.input("", Role::State, ty.clone());
        let value = moved[node.index()].expect("it was wanted");
        g.emit(Write {}, &[target, g.expr(value)]);
        let data = Data::allocate(device, ty);
        let own = bindings.iter().filter_map(|(id, data)| Some((moved[id.index()]?, data.clone())));
        (data.clone(), own.chain([(target.id(), data)]).collect::<Vec<_>>())
    });
    run(device, &g, &bindings)?;
    Ok(data)
}

/// The value of a node, if it is a bound input.
pub(crate) fn bound_data(state: &RecordingState, node: Id) -> Option<Arc<Data>> {
    let at = state.bindings.binary_search_by_key(&node, |(id, _)| *id).ok()?;
    Some(state.bindings[at].1.clone())
}

/// Begins a new recording that contains the history of `kept`.
fn begin_with_history(
    session: &mut Session,
    old: RecordingState,
    old_epoch: u64,
    live: &[Tensor],
    kept: &[Id],
) {
    let graph = std::mem::take(&mut session.g).into_graph();
    // Gradients stop at leaves, so the history of a leaf is dropped.
    let leaf = |x: &Tensor| {
        let cell = x.cell();
        let recorded = cell
            .recorded
            .as_ref()
            .filter(|recorded| recorded.epoch == old_epoch && cell.is_leaf)?;
        Some((recorded.node, cell.data.clone()?))
    };
    let mut values = vec![None; graph.len()];
    live.iter().filter_map(leaf).for_each(|(id, data)| values[id.index()] = Some(data));
    let moved = copy_nodes(&graph, &session.g, kept, &values);
    let epoch = session.epoch();
    let state = session.state.get_mut();
    for (id, data) in old.bindings {
        values[id.index()].get_or_insert(data);
    }
    // The copies are in the order of their originals.
    let bindings = moved.iter().zip(values);
    state.bindings = bindings.filter_map(|(id, data)| Some(((*id)?, data?))).collect();
    let inputs = old.inputs.into_iter();
    state.inputs = inputs.filter_map(|(key, id)| Some((key, moved[id.index()]?))).collect();
    let leaves = old.leaves.into_iter();
    state.leaves = leaves.filter_map(|(id, x)| Some((moved[id.index()]?, x))).collect();
    let spent = old.spent.into_iter();
    state.spent = spent.filter_map(|(key, id)| Some((key, moved[id.index()]?))).collect();
    state.retained = old.retained;
    state.retained.retain(|x| x.strong_count() > 0);
    state.live = live.iter().map(|x| Arc::downgrade(&x.0)).collect();
    state.old_nodes = session.g.read(Graph::len);
    let leaves = state.leaves.iter().filter_map(|(_, x)| x.upgrade()).map(Tensor);
    for x in live.iter().cloned().chain(leaves) {
        let mut cell = x.cell();
        if let Some(recorded) =
            cell.recorded.as_mut().filter(|recorded| recorded.epoch == old_epoch)
        {
            match moved[recorded.node.index()] {
                Some(node) => (recorded.node, recorded.epoch) = (node, epoch),
                None => cell.recorded = None,
            }
        }
    }
}

/// Copies the ancestors of `wanted`, and returns the new node of each. Nodes in `known` become
/// inputs.
fn copy_nodes(
    from: &Graph,
    to: &Recorder,
    wanted: &[Id],
    known: &[Option<Arc<Data>>],
) -> Vec<Option<Id>> {
    let is_known = |id: Id| known[id.index()].is_some();
    let mut is_needed = vec![false; from.len()];
    wanted.iter().for_each(|id| is_needed[id.index()] = true);
    for (id, node) in from.nodes().rev() {
        if is_needed[id.index()] && !is_known(id) {
            node.inputs.iter().for_each(|input| is_needed[input.index()] = true);
        }
    }
    let mut moved: Vec<Option<Id>> = vec![None; from.len()];
    for (id, node) in from.nodes().filter(|(id, _)| is_needed[id.index()]) {
        if is_known(id) {
            moved[id.index()] = Some(to.input("", Role::Data, node.ty.clone()).id());
            continue;
        }
        let inputs = node.inputs.iter().filter_map(|input| moved[input.index()]);
        let inputs: Vec<_> = inputs.map(|id| to.expr(id)).collect();
        let site = from.site(node.origin.site).clone();
        let copied = to.scope_at(node.origin.call, site, || match &node.op {
            Op::Slot(slot) => Ok(to.number(from.slots()[slot.slot], slot.dtype)),
            op => to.push(op.clone(), &inputs),
        });
        let copied = copied.expect("internal error, please report: a node was accepted before");
        moved[id.index()] = Some(copied.id());
    }
    to.take_seed();
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_does_not_draw_the_values_of_leaves_again() {
        let w = Tensor::randn([8, 8]).requires_grad(true);
        let before = w.matmul(&w).sum([0, 1]);
        let first = before.item::<f32>().expect("a value");
        let is_drawn = |g: &Graph| g.nodes().any(|(_, node)| matches!(node.op, Op::Random(_)));
        let draws = session(|own| lock(own).g.read(is_drawn));
        assert!(!draws, "the history of a loss contains the ops that made its leaves");
        assert_eq!(w.matmul(&w).sum([0, 1]).item::<f32>().expect("a value"), first);
        before.backward();
        let gradient = w.grad().expect("a gradient").sum([0, 1]).item::<f32>().expect("a value");
        let rows = w.to_vec::<f32>().expect("a value");
        // The derivative of the sum of w·w by an element is a row sum and a column sum; each counts
        // 8 times.
        let sums = |stride: usize, step: usize| -> f32 {
            (0..8).map(|i| (0..8).map(|k| rows[i * stride + k * step]).sum::<f32>()).sum()
        };
        let wanted = 8.0 * (sums(8, 1) + sums(1, 8));
        assert!((gradient - wanted).abs() < 1e-3 * wanted.abs().max(1.0), "{gradient} {wanted}");
    }
}
