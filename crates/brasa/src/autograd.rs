//! Gradients: `backward` and `grad` record ordinary nodes. The recording's list of leaves
//! determines which gradients are computed.
use crate::session::{Scope, accept, record, session};
use crate::storage::lock;
use crate::{Error, Result, Tensor};
use brasa_ir::graph::QuickSet;
use brasa_ir::ops::{Backward, Op, custom_gradient};
use brasa_ir::{Expr, Graph, Id, Site};
use std::cell::Cell;
use std::panic::Location;
use std::sync::{Arc, Weak};

thread_local! {
    static GRAD_ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Whether ops on this thread are recorded for gradients.
pub fn is_grad_enabled() -> bool {
    GRAD_ENABLED.get()
}

/// Sets whether ops are recorded for gradients, and returns the previous setting. For a block of
/// code, prefer [`no_grad`].
pub fn set_grad_enabled(enabled: bool) -> bool {
    GRAD_ENABLED.replace(enabled)
}

/// Runs `body` without recording for gradients: no result requires a gradient.
///
/// ```
/// use brasa::{Tensor, no_grad};
/// let w = Tensor::ones([2]).requires_grad(true);
/// assert!((&w * 2.0).is_tracked());
/// assert!(!no_grad(|| &w * 2.0).is_tracked());
/// ```
pub fn no_grad<T>(body: impl FnOnce() -> T) -> T {
    with_grad(false, body)
}

/// Runs `body` with gradients enabled, also inside [`no_grad`].
pub fn enable_grad<T>(body: impl FnOnce() -> T) -> T {
    with_grad(true, body)
}

fn with_grad<T>(enabled: bool, body: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            GRAD_ENABLED.set(self.0);
        }
    }
    let _restore = Restore(GRAD_ENABLED.replace(enabled));
    body()
}

/// Options of `backward` and `grad`.
#[derive(Clone, Debug, Default)]
pub struct GradOptions {
    gradient: Option<Vec<Tensor>>,
    retain_graph: bool,
    create_graph: bool,
}

impl GradOptions {
    /// The gradients of the outputs; ones by default.
    pub fn gradient(
        mut self,
        gradients: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>,
    ) -> Self {
        self.gradient = Some(crate::args::collected(gradients));
        self
    }

    /// Whether `backward` can be called again on the same outputs; false by default.
    pub fn retain_graph(mut self, retain: bool) -> Self {
        self.retain_graph = retain;
        self
    }

    /// Whether the gradients can be differentiated themselves; false by default.
    pub fn create_graph(mut self, create: bool) -> Self {
        (self.create_graph, self.retain_graph) = (create, create || self.retain_graph);
        self
    }
}

impl Tensor {
    /// The same tensor, marked as requiring a gradient or not.
    ///
    /// ```
    /// use brasa::Tensor;
    /// # fn main() -> brasa::Result<()> {
    /// let x = Tensor::new([1.0, 2.0, 3.0]).requires_grad(true);
    /// (&x * &x).sum(..).backward();
    /// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [2.0, 4.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn requires_grad(self, wanted: bool) -> Tensor {
        self.set_requires_grad(wanted);
        self
    }

    /// Sets whether the tensor requires a gradient. A tensor that was computed from one that does
    /// requires a gradient as well and cannot be marked otherwise: [`Tensor::detach`] returns one
    /// that does not.
    #[track_caller]
    pub fn set_requires_grad(&self, wanted: bool) {
        let here = Site::Rust(Location::caller());
        if wanted && !self.dtype().is_float() {
            let error = Error::dtype("requires_grad", "only floats have gradients");
            accept::<()>(Err(error.operand("tensor", self.ty()).at(here)));
            return;
        }
        if !self.is_leaf() {
            if !wanted {
                let what = "only a leaf can be marked as not requiring a gradient";
                let error = Error::argument("requires_grad", what).operand("tensor", self.ty());
                accept::<()>(Err(error.help("remove its history with detach()").at(here)));
            }
            return;
        }
        // The recording notices the change when the tensor is used next.
        let mut cell = self.cell();
        (cell.is_leaf, cell.is_tracked) = (wanted, false);
    }

    /// Whether the tensor requires a gradient or a gradient flows through it.
    pub fn is_tracked(&self) -> bool {
        let cell = self.cell();
        cell.is_leaf || cell.is_tracked || cell.is_spent
    }

    /// Whether the tensor was not computed from tensors that require a gradient. Parameters are
    /// leaves.
    pub fn is_leaf(&self) -> bool {
        let cell = self.cell();
        cell.is_leaf || !(cell.is_tracked || cell.is_spent)
    }

    /// The gradient that `backward` has accumulated, if any.
    pub fn grad(&self) -> Option<Tensor> {
        self.cell().grad.clone()
    }

    /// Replaces the gradient; `None` resets it.
    pub fn set_grad(&self, grad: Option<Tensor>) {
        self.cell().grad = grad;
    }

    /// Keeps the gradient of a non-leaf tensor; leaves keep theirs anyway.
    pub fn retain_grad(&self) {
        let weak = Arc::downgrade(&self.0);
        session(|own| lock(own).state.get_mut().retained.push(weak));
    }

    /// The same value, without history: no gradient flows through it.
    #[track_caller]
    pub fn detach(&self) -> Tensor {
        no_grad(|| self.alias("detach"))
    }

    /// Adds the gradients of this tensor to those of the leaves it was computed from. A tensor of
    /// several elements is summed first.
    #[track_caller]
    pub fn backward(&self) {
        self.backward_with(|o| o);
    }

    /// `backward` with options: `gradient`, `retain_graph`, `create_graph`.
    #[track_caller]
    pub fn backward_with(&self, o: impl FnOnce(GradOptions) -> GradOptions) {
        let site = Site::Rust(Location::caller());
        accept(backward(&[self], o(GradOptions::default()), site));
    }
}

/// The gradients of the sum of `outputs` with respect to each of `inputs`; `None` where the outputs
/// do not depend on an input. The gradients stored in leaves do not change.
///
/// ```
/// use brasa::{Tensor, grad_with};
/// # fn main() -> brasa::Result<()> {
/// let x = Tensor::new([2.0]).requires_grad(true);
/// let first = grad_with(&[&x.pow(3.0)], &[&x], |o| o.create_graph(true))[0].clone().unwrap();
/// let second = brasa::grad(&[&first], &[&x])[0].clone().unwrap();
/// assert_eq!(first.to_vec::<f32>()?, [12.0]);
/// assert_eq!(second.to_vec::<f32>()?, [12.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn grad(outputs: &[&Tensor], inputs: &[&Tensor]) -> Vec<Option<Tensor>> {
    grad_with(outputs, inputs, |o| o)
}

/// [`grad`] with options: `gradient`, `retain_graph`, `create_graph`.
#[track_caller]
pub fn grad_with(
    outputs: &[&Tensor],
    inputs: &[&Tensor],
    o: impl FnOnce(GradOptions) -> GradOptions,
) -> Vec<Option<Tensor>> {
    let o = o(GradOptions::default());
    let site = Site::Rust(Location::caller());
    let found = differentiate(outputs, &o, site, |s| {
        let wanted: Wanted = inputs.iter().map(|x| (s.expr(x), (*x).clone())).collect();
        let is_new = |id: Id| wanted.iter().all(|(x, _)| x.id() != id);
        let is_asked_for = |x: &Tensor| inputs.iter().any(|input| input.is_same(x));
        let older = leaves(s).into_iter().filter(|(id, x)| is_new(*id) && is_asked_for(x));
        let older: Wanted = older.map(|(id, x)| (s.g.expr(id), x)).collect();
        Ok([wanted, older].concat())
    });
    let Some(mut found) = accept(found) else { return vec![None; inputs.len()] };
    for (x, gradient) in found.split_off(inputs.len()) {
        let Some(gradient) = gradient else { continue };
        for (_, total) in found.iter_mut().filter(|(input, _)| input.is_same(&x)) {
            *total = Some(sum(total.take(), &gradient, &o));
        }
    }
    if !o.retain_graph {
        release(outputs);
    }
    found.into_iter().map(|(_, gradient)| gradient).collect()
}

/// Nodes where gradients end. A leaf that was updated, or frozen for a while, has several nodes,
/// and all contribute to its gradient.
fn leaves(s: &Scope) -> Vec<(Id, Tensor)> {
    let state = s.state.borrow();
    let leaves = state.leaves.iter().filter_map(|(id, x)| Some((*id, Tensor(x.upgrade()?))));
    leaves.filter(|(_, x)| x.cell().is_leaf).collect()
}

/// Adds a gradient to the accumulated one, if any.
fn sum(so_far: Option<Tensor>, gradient: &Tensor, o: &GradOptions) -> Tensor {
    match so_far {
        Some(so_far) => with_grad(o.create_graph && is_grad_enabled(), || so_far + gradient),
        None => gradient.clone(),
    }
}

fn backward(outputs: &[&Tensor], o: GradOptions, site: Site) -> Result<()> {
    let found = differentiate(outputs, &o, site, |s| {
        let mut wanted = leaves(s);
        let mut seen = QuickSet::default();
        for x in s.state.borrow().retained.iter().filter_map(Weak::upgrade).map(Tensor) {
            let is_new = !x.cell().is_leaf && seen.insert(x.identity());
            wanted.extend(s.node(&x).filter(|_| is_new).map(|id| (id, x)));
        }
        Ok(wanted.into_iter().map(|(id, x)| (s.g.expr(id), x)).collect())
    })?;
    let mut reached = false;
    for (x, gradient) in found {
        let Some(gradient) = gradient else { continue };
        reached = true;
        let so_far = x.cell().grad.take();
        let total = sum(so_far, &gradient, &o);
        total.cell().is_kept = true;
        x.cell().grad = Some(total);
    }
    if !reached {
        let error = Error::argument("backward", "no tensor that requires a gradient leads here");
        return Err(error.operand("output", outputs[0].ty()));
    }
    if !o.retain_graph {
        release(outputs);
    }
    Ok(())
}

type Wanted<'g> = Vec<(Expr<'g>, Tensor)>;
type Gradients = Vec<(Tensor, Option<Tensor>)>;

/// Records the gradients of `outputs` with respect to `wanted`.
fn differentiate(
    outputs: &[&Tensor],
    o: &GradOptions,
    site: Site,
    wanted: impl for<'g> FnOnce(&Scope<'g>) -> Result<Wanted<'g>>,
) -> Result<Gradients> {
    for y in outputs {
        y.settle_tensor();
        if y.cell().is_released {
            let what = "an earlier backward has released the graph of this tensor";
            let error = Error::argument("backward", what);
            return Err(error.operand("output", y.ty()).help(RETAIN).at(site));
        }
    }
    let given = o.gradient.iter().flatten();
    given.for_each(Tensor::settle_tensor);
    session(|own| {
        let session = lock(own);
        let s = Scope::new(own, &session);
        // `no_grad` applies to what is recorded from now on, not to the recorded paths.
        let recorded = s.g.scope_at("backward", site, || {
            enable_grad(|| {
                let ys: Vec<Expr> = outputs.iter().map(|y| s.expr(y)).collect();
                let dys = o.gradient.iter().flatten().map(|dy| Some(s.expr(dy)));
                let dys: Vec<Option<Expr>> = dys.collect();
                let (mut exprs, tensors): (Vec<Expr>, Vec<Tensor>) =
                    wanted(&s)?.into_iter().unzip();
                let mut spent: Vec<Id> = s.state.borrow().spent.values().copied().collect();
                spent.retain(|id| exprs.iter().all(|x| x.id() != *id));
                // Sorted, since the order must not depend on addresses.
                spent.sort_unstable();
                exprs.extend(spent.iter().map(|id| s.g.expr(*id)));
                let mut found = brasa_compile::grad(s.g, &ys, &dys, &exprs)?;
                let ends = found.split_off(tensors.len());
                if let Some(n) = ends.iter().position(Option::is_some) {
                    return Err(s.g.read(|graph| released_history_error(graph, spent[n])));
                }
                let end = |dx: Expr| if o.create_graph { dx.id() } else { dx.detach().id() };
                let ids = found.into_iter().map(|dx| dx.map(end));
                Ok(tensors.into_iter().zip(ids).collect::<Vec<_>>())
            })
        });
        let found = s.finish(recorded).map_err(|rejected| match rejected {
            crate::session::Rejected::Here(e) | crate::session::Rejected::Before(e) => e,
        })?;
        s.is_tracked.set(o.create_graph);
        s.is_spent.set(false);
        Ok(found.into_iter().map(|(x, id)| (x, id.map(|id| s.tensor(id)))).collect())
    })
}

/// How to keep a graph, in the language of the caller.
const RETAIN: &str = if cfg!(brasa_page) {
    "keep it by backward({ retainGraph: true })"
} else {
    "keep it by backward_with(|o| o.retain_graph(true))"
};

/// The error for a gradient that reaches an input whose history is gone.
fn released_history_error(graph: &Graph, input: Id) -> Error {
    let node = &graph[input];
    let what = "the graph of a tensor was released by an earlier backward, \
                    or is outside of this compiled function or thread";
    let used = graph.site(node.origin.site);
    let help = format!("{RETAIN}, compute the tensor again, or remove its history with detach()");
    Error::argument("backward", format!("{what}; the tensor was used at {used}"))
        .operand("tensor", &node.ty)
        .help(help)
}

/// Releases the history of `outputs`, so that a flush does not keep it.
fn release(outputs: &[&Tensor]) {
    session(|own| {
        let mut session = lock(own);
        let node = |x: &Tensor| {
            let recorded = x.cell().recorded.clone();
            recorded.filter(|recorded| recorded.is_in(&session)).map(|recorded| recorded.node)
        };
        let ends: Vec<Id> = outputs.iter().filter_map(|x| node(x)).collect();
        let is_used = session.g.read(|graph| ancestors(graph, &ends));
        let live: Vec<Tensor> =
            session.state.get_mut().live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
        for x in live {
            let mut cell = x.cell();
            let recorded = cell.recorded.as_ref().filter(|recorded| recorded.is_in(&session));
            let is_history = recorded.is_some_and(|recorded| is_used[recorded.node.index()]);
            cell.is_released |= is_history && cell.is_tracked;
        }
    });
}

fn ancestors(graph: &Graph, ends: &[Id]) -> Vec<bool> {
    let mut marks = vec![false; graph.len()];
    ends.iter().for_each(|id| marks[id.index()] = true);
    for (id, node) in graph.nodes().rev() {
        if marks[id.index()] {
            node.inputs.iter().for_each(|input| marks[input.index()] = true);
        }
    }
    marks
}

/// `value`, which was computed from `inputs`, with a custom gradient. `backward` is called once,
/// immediately, with a placeholder for the gradient of `value`; the ops that it records are
/// replayed for each actual gradient. It returns the gradient of each input, or `None`.
///
/// ```
/// use brasa::{Tensor, no_grad, with_gradient};
/// # fn main() -> brasa::Result<()> {
/// let x = Tensor::new([-3.0, 0.5]).requires_grad(true);
/// // A sign function with the gradient of the identity.
/// let sign = no_grad(|| x.sign());
/// let y = with_gradient(&sign, &[&x], |dy| vec![Some(dy.clone())]);
/// (y * 5.0).sum(..).backward();
/// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [5.0, 5.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn with_gradient(
    value: &Tensor,
    inputs: &[&Tensor],
    backward: impl FnOnce(&Tensor) -> Vec<Option<Tensor>>,
) -> Tensor {
    let dy: Tensor = no_grad(|| {
        record("backward", |s| Ok(s.g.constant(1.0, value.dtype(), value.shape()).detach().id()))
    });
    let gradients = no_grad(|| backward(&dy));
    value.settle_tensor();
    inputs.iter().copied().chain(gradients.iter().flatten()).for_each(Tensor::settle_tensor);
    record("backward", |s| {
        if gradients.len() != inputs.len() {
            let what =
                format!("returned {} gradients for {} inputs", gradients.len(), inputs.len());
            return Err(Error::argument("backward", what));
        }
        let ends: Vec<Option<Id>> =
            gradients.iter().map(|dx| dx.as_ref().map(|dx| no_grad(|| s.expr(dx).id()))).collect();
        let tape = s.g.read(|graph| Tape::new(graph, no_grad(|| s.expr(&dy).id()), ends));
        let own: Vec<Expr> = inputs.iter().map(|x| s.expr(x)).collect();
        let outside: Vec<Expr> = tape.outside.iter().map(|id| s.g.expr(*id)).collect();
        let (count, operands) = (own.len(), [own, outside].concat());
        let replay: Backward = Arc::new(move |operands, _, dy| {
            let mut gradients = tape.replay(&operands[count..], dy);
            gradients.resize(operands.len(), None);
            gradients
        });
        let value = no_grad(|| s.expr(value));
        Ok(custom_gradient(s.g, "with_gradient", &operands, value, replay)?.id())
    })
}

/// The ops recorded between a placeholder gradient and the results computed from it.
struct Tape {
    /// Ops with the origins of their operands.
    steps: Vec<(Op, Vec<Origin>)>,
    /// Nodes that do not depend on the placeholder.
    outside: Vec<Id>,
    ends: Vec<Option<Origin>>,
}

#[derive(Clone, Copy)]
enum Origin {
    StandIn,
    Step(usize),
    Outside(usize),
}

impl Tape {
    fn new(graph: &Graph, stand_in: Id, ends: Vec<Option<Id>>) -> Tape {
        let wanted: Vec<Id> = ends.iter().copied().flatten().collect();
        let is_needed = ancestors(graph, &wanted);
        let mut tape = Tape { steps: Vec::new(), outside: Vec::new(), ends: Vec::new() };
        let mut known = vec![None; graph.len()];
        known[stand_in.index()] = Some(Origin::StandIn);
        for (id, node) in graph.nodes().filter(|(id, _)| is_needed[id.index()]) {
            let depends = node
                .inputs
                .iter()
                .any(|x| !matches!(known[x.index()], None | Some(Origin::Outside(_))));
            if depends && id != stand_in {
                let from = node.inputs.iter().map(|x| tape.origin(&mut known, *x)).collect();
                known[id.index()] = Some(Origin::Step(tape.steps.len()));
                tape.steps.push((node.op.clone(), from));
            }
        }
        tape.ends = ends.iter().map(|id| id.map(|id| tape.origin(&mut known, id))).collect();
        tape
    }

    fn origin(&mut self, known: &mut [Option<Origin>], id: Id) -> Origin {
        *known[id.index()].get_or_insert_with(|| {
            self.outside.push(id);
            Origin::Outside(self.outside.len() - 1)
        })
    }

    fn replay<'g>(&self, outside: &[Expr<'g>], dy: Expr<'g>) -> Vec<Option<Expr<'g>>> {
        let mut values: Vec<Expr<'g>> = Vec::with_capacity(self.steps.len());
        let value = |values: &[Expr<'g>], from: &Origin| match from {
            Origin::StandIn => dy,
            Origin::Step(n) => values[*n],
            Origin::Outside(n) => outside[*n],
        };
        for (op, from) in &self.steps {
            let operands: Vec<Expr> = from.iter().map(|from| value(&values, from)).collect();
            values.push(dy.recorder().emit(op.clone(), &operands));
        }
        self.ends.iter().map(|end| end.as_ref().map(|from| value(&values, from))).collect()
    }
}
