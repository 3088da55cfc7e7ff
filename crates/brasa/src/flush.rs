//! Flushing: what is pending and still held is computed, as one program. Handles that nobody holds
//! any more cost nothing.
use crate::session::{Session, State, session};
use crate::storage::{Data, lock};
use crate::{Device, Error, Result, Tensor};
use brasa_ir::graph::QuickSet;
use brasa_ir::ops::{Input, Op, Role, Write};
use brasa_ir::{Graph, Id, Recorder, Type};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Computes all that was recorded on this thread and that somebody still holds.
///
/// Reading a tensor and an optimizer's step do this by themselves. What goes wrong is reported where
/// a tensor is read.
pub fn flush() {
    let _ = flush_own();
}

/// `flush`, with what went wrong.
pub(crate) fn flush_own() -> Result<()> {
    session(|own| flush_session(&mut lock(own)))
}

/// Bytes of tensors that a flush computes only because somebody holds a handle.
static BUDGET: AtomicUsize = AtomicUsize::new(1 << 30);

/// Sets how many bytes a flush may spend on tensors that were neither read nor are parameters,
/// gradients or state, but that somebody still holds; 1 GiB at first. Where they need more, the
/// oldest are given up, and reading one of them is an error that says so.
pub fn set_memory_budget(bytes: usize) {
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// A tensor to be computed.
pub(crate) struct Root {
    pub(crate) tensor: Tensor,
    pub(crate) node: Id,
    pub(crate) home: Option<(Arc<Data>, Id)>,
}

/// Computes what is pending; nothing while a compiled function is recorded, which runs later and whole.
pub(crate) fn flush_session(session: &mut Session) -> Result<()> {
    if session.is_compiling() {
        return Ok(());
    }
    let live = std::mem::take(&mut session.state.get_mut().live);
    let live: Vec<Tensor> = live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
    let roots = within_budget(pending(session, &live));
    let kept = with_history(session, &live);
    // Held by the tensor's cell, by the bindings and by the list of roots.
    let is_free = |data: &Arc<Data>| kept.is_empty() && Arc::strong_count(data) == 3;
    let results = record_writes(session, &roots, false, is_free);
    let outcome = run(session.device(), &session.g, &session.state.get_mut().bindings);
    for (root, data) in roots.iter().zip(results) {
        let mut cell = root.tensor.cell();
        let home = cell.home.take();
        match &outcome {
            Ok(()) => cell.data = Some(data),
            // An update that failed leaves what was there.
            Err(_) if home.is_some() => cell.data = home.map(|(data, _)| data),
            Err(_) => match alone(session, root.node) {
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
        keep(session, old, epoch, &live, &kept);
    }
    outcome
}

fn run(device: Device, g: &Recorder, bindings: &[(Id, Arc<Data>)]) -> Result<()> {
    g.read(|graph| device.backend().run(graph, bindings))
}

/// The tensors that are held and not computed.
pub(crate) fn pending(session: &Session, live: &[Tensor]) -> Vec<Root> {
    let root = |tensor: &Tensor| {
        let cell = tensor.cell();
        let place = cell.place.as_ref().filter(|place| place.is_in(session))?;
        let (node, home) = (place.node, cell.home.clone());
        (cell.data.is_none()).then(|| Root { tensor: tensor.clone(), node, home })
    };
    let mut seen = QuickSet::default();
    live.iter().filter(|x| seen.insert(x.identity())).filter_map(root).collect()
}

/// Gives up the oldest of those that nothing but a handle asks for, where all need too much memory.
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
        root.tensor.cell().fault = Some(stale(&root.tensor));
    }
    kept
}

/// In the words of whoever reads it.
const STALE_HELP: &str = if cfg!(brasa_page) {
    "keep(x) spares it, dispose() of others makes room, setMemoryBudget(bytes) gives more"
} else {
    "read it, drop other tensors before the flush, or raise set_memory_budget"
};

fn stale(x: &Tensor) -> Error {
    let what = "the value was given up: tensors that were held but not read needed too much memory";
    Error::stale("tensor", what).operand("tensor", x.ty()).help(STALE_HELP)
}

impl Tensor {
    /// Spares its value, whatever the memory budget says.
    pub fn keep(&self) {
        self.cell().is_kept = true;
    }

    /// Lets go of a value that was computed and that nothing but handles asks for; whether there was one.
    /// Reading it is an error then that says so. Parameters, gradients and state keep theirs.
    pub fn give_up(&self) -> bool {
        let mut cell = self.cell();
        let is_soft = !(cell.is_kept || cell.is_leaf || cell.home.is_some());
        if !is_soft || cell.data.is_none() {
            return false;
        }
        (cell.data, cell.place) = (None, None);
        cell.fault = Some(stale(self));
        true
    }

    /// Leaves it without a value, for this reason.
    pub(crate) fn lose(&self, reason: Error) {
        let mut cell = self.cell();
        (cell.data, cell.place, cell.fault) = (None, None, Some(reason));
    }
}

/// The tensors whose history may still be asked for by `backward`.
fn with_history(session: &Session, live: &[Tensor]) -> Vec<Id> {
    let node = |x: &Tensor| {
        let cell = x.cell();
        let place = cell.place.as_ref().filter(|place| place.is_in(session))?;
        (cell.is_tracked && !cell.is_released && cell.fault.is_none()).then_some(place.node)
    };
    live.iter().filter_map(node).collect()
}

/// Records where each root is to be written, and gives the memory it will be found in. Roots of one value
/// share it, but those that have a home and are to find it there in every run of a program.
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
            _ => match bound(state, root.node) {
                Some(data) => data,
                None => {
                    let ty = root.tensor.ty().clone();
                    let Type { dtype, shape } = ty.clone();
                    let op = Input { name: String::new(), role: Role::State, dtype, shape };
                    let target = g.emit(op, &[]);
                    g.emit(Write {}, &[target, g.expr(root.node)]);
                    let data = Data::room(device, ty);
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

/// The value of one node, where all together could not be computed, since others are to blame perhaps, or
/// are not to be.
pub(crate) fn alone(session: &mut Session, node: Id) -> Result<Arc<Data>> {
    let device = session.device();
    let bindings = &session.state.get_mut().bindings;
    let g = Recorder::default();
    let (data, bindings) = session.g.read(|graph| {
        let moved = copy(graph, &g, &[node], &vec![None; graph.len()]);
        let ty = graph[node].ty.clone();
        let target = g.input("", Role::State, ty.clone());
        let value = moved[node.index()].expect("it was wanted");
        g.emit(Write {}, &[target, g.expr(value)]);
        let data = Data::room(device, ty);
        let own = bindings.iter().filter_map(|(id, data)| Some((moved[id.index()]?, data.clone())));
        (data.clone(), own.chain([(target.id(), data)]).collect::<Vec<_>>())
    });
    run(device, &g, &bindings)?;
    Ok(data)
}

/// The value of a node that is an input.
pub(crate) fn bound(state: &State, node: Id) -> Option<Arc<Data>> {
    let at = state.bindings.binary_search_by_key(&node, |(id, _)| *id).ok()?;
    Some(state.bindings[at].1.clone())
}

/// Begins a new recording with the history of `kept`.
fn keep(session: &mut Session, old: State, old_epoch: u64, live: &[Tensor], kept: &[Id]) {
    let graph = std::mem::take(&mut session.g).into_graph();
    // Gradients go no further than to leaves: how these came about is not needed any more.
    let leaf = |x: &Tensor| {
        let cell = x.cell();
        let place = cell.place.as_ref().filter(|place| place.epoch == old_epoch && cell.is_leaf)?;
        Some((place.node, cell.data.clone()?))
    };
    let mut values = vec![None; graph.len()];
    live.iter().filter_map(leaf).for_each(|(id, data)| values[id.index()] = Some(data));
    let moved = copy(&graph, &session.g, kept, &values);
    let epoch = session.epoch();
    let state = session.state.get_mut();
    for (id, data) in old.bindings {
        values[id.index()].get_or_insert(data);
    }
    // Copies stand in the order of what they are copies of.
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
        if let Some(place) = cell.place.as_mut().filter(|place| place.epoch == old_epoch) {
            match moved[place.node.index()] {
                Some(node) => (place.node, place.epoch) = (node, epoch),
                None => cell.place = None,
            }
        }
    }
}

/// Copies what `wanted` depend on; the new node of each. What is known becomes an input.
fn copy(
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
    fn leaves_are_drawn_once() {
        let w = Tensor::randn([8, 8]).requires_grad(true);
        let before = w.matmul(&w).sum([0, 1]);
        let first = before.item::<f32>().expect("a value");
        let is_drawn = |g: &Graph| g.nodes().any(|(_, node)| matches!(node.op, Op::Random(_)));
        let draws = session(|own| lock(own).g.read(is_drawn));
        assert!(!draws, "the history of a loss ends with its leaves");
        assert_eq!(w.matmul(&w).sum([0, 1]).item::<f32>().expect("a value"), first);
        before.backward();
        let gradient = w.grad().expect("a gradient").sum([0, 1]).item::<f32>().expect("a value");
        let rows = w.to_vec::<f32>().expect("a value");
        // The derivative of the sum of w·w by an element is a row sum and a column sum; each counts 8 times.
        let sums = |stride: usize, step: usize| -> f32 {
            (0..8).map(|i| (0..8).map(|k| rows[i * stride + k * step]).sum::<f32>()).sum()
        };
        let wanted = 8.0 * (sums(8, 1) + sums(1, 8));
        assert!((gradient - wanted).abs() < 1e-3 * wanted.abs().max(1.0), "{gradient} {wanted}");
    }
}
