//! Gradients: `backward` and `grad` record plain nodes; what needs them is known from the leaves of
//! the recording.
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

/// Whether paths for gradients are recorded here.
pub fn is_grad_enabled() -> bool {
    GRAD_ENABLED.get()
}

/// Says whether paths for gradients are recorded from here on, and gives whether they were. Where the
/// change ends with a block, [`no_grad`] is the better way.
pub fn set_grad_enabled(enabled: bool) -> bool {
    GRAD_ENABLED.replace(enabled)
}

/// Runs `body` without recording paths for gradients: nothing it makes requires one.
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

/// Runs `body` with gradients, also inside of [`no_grad`].
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

/// How gradients are taken.
#[derive(Clone, Debug, Default)]
pub struct GradOptions {
    gradient: Option<Vec<Tensor>>,
    retain_graph: bool,
    create_graph: bool,
}

impl GradOptions {
    /// The gradients of the outputs; ones where none are given.
    pub fn gradient(
        mut self,
        gradients: impl IntoIterator<Item: std::borrow::Borrow<Tensor>>,
    ) -> Self {
        self.gradient = Some(crate::args::collected(gradients));
        self
    }

    /// Whether `backward` can be called again on the same outputs; by default not.
    pub fn retain_graph(mut self, retain: bool) -> Self {
        self.retain_graph = retain;
        self
    }

    /// Whether the gradients can be differentiated themselves; by default not.
    pub fn create_graph(mut self, create: bool) -> Self {
        (self.create_graph, self.retain_graph) = (create, create || self.retain_graph);
        self
    }
}

impl Tensor {
    /// The same tensor, as one that a gradient is wanted for, or not.
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

    /// Says whether a gradient is wanted for this tensor. One that was computed from such tensors has a
    /// gradient already, and cannot be told to have none: [`Tensor::detach`] gives one that has not.
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
                let what = "only a leaf can be told that no gradient is wanted for it";
                let error = Error::argument("requires_grad", what).operand("tensor", self.ty());
                accept::<()>(Err(error.help("cut it off its history by detach()").at(here)));
            }
            return;
        }
        // The recording learns of it when the tensor is used next.
        let mut cell = self.cell();
        (cell.is_leaf, cell.is_tracked) = (wanted, false);
    }

    /// Whether a gradient is wanted for it or flows through it.
    pub fn is_tracked(&self) -> bool {
        let cell = self.cell();
        cell.is_leaf || cell.is_tracked || cell.is_spent
    }

    /// Whether a gradient is wanted for it as it is, as for a parameter.
    pub fn is_leaf(&self) -> bool {
        let cell = self.cell();
        cell.is_leaf || !(cell.is_tracked || cell.is_spent)
    }

    /// The gradient that `backward` has summed up, if any.
    pub fn grad(&self) -> Option<Tensor> {
        self.cell().grad.clone()
    }

    /// Replaces the gradient; `None` begins a new sum.
    pub fn set_grad(&self, grad: Option<Tensor>) {
        self.cell().grad = grad;
    }

    /// Keeps the gradient of a tensor that is no leaf; that of a leaf is kept anyway.
    pub fn retain_grad(&self) {
        let weak = Arc::downgrade(&self.0);
        session(|own| lock(own).state.get_mut().retained.push(weak));
    }

    /// The same value, through which no gradient flows.
    #[track_caller]
    pub fn detach(&self) -> Tensor {
        no_grad(|| self.alias("detach"))
    }

    /// Adds the gradients of this tensor to those of the leaves it was computed from. A tensor of
    /// several elements counts as their sum.
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

/// The gradients of the sum of `outputs` by each of `inputs`; `None` where they do not depend on it.
/// Nothing is added to the gradients of leaves.
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

/// Where gradients end. A leaf that was updated, or frozen for a while, stands at several nodes, and all
/// its uses count.
fn leaves(s: &Scope) -> Vec<(Id, Tensor)> {
    let state = s.state.borrow();
    let leaves = state.leaves.iter().filter_map(|(id, x)| Some((*id, Tensor(x.upgrade()?))));
    leaves.filter(|(_, x)| x.cell().is_leaf).collect()
}

/// A gradient added to what there is of it.
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
type Found = Vec<(Tensor, Option<Tensor>)>;

/// Records the gradients of `outputs` by what `wanted` names.
fn differentiate(
    outputs: &[&Tensor],
    o: &GradOptions,
    site: Site,
    wanted: impl for<'g> FnOnce(&Scope<'g>) -> Result<Wanted<'g>>,
) -> Result<Found> {
    for y in outputs {
        y.settle_tensor();
        if y.cell().is_released {
            let error = Error::argument("backward", "the graph of this tensor was already used up");
            return Err(error.operand("output", y.ty()).help(RETAIN).at(site));
        }
    }
    let given = o.gradient.iter().flatten();
    given.for_each(Tensor::settle_tensor);
    session(|own| {
        let session = lock(own);
        let s = Scope::new(own, &session);
        // Whether paths are recorded from here on says nothing of those that are.
        let recorded = s.g.scope_at("backward", site, || {
            enable_grad(|| {
                let ys: Vec<Expr> = outputs.iter().map(|y| s.expr(y)).collect();
                let dys = o.gradient.iter().flatten().map(|dy| Some(s.expr(dy)));
                let dys: Vec<Option<Expr>> = dys.collect();
                let (mut exprs, tensors): (Vec<Expr>, Vec<Tensor>) =
                    wanted(&s)?.into_iter().unzip();
                let mut spent: Vec<Id> = s.state.borrow().spent.values().copied().collect();
                spent.retain(|id| exprs.iter().all(|x| x.id() != *id));
                // In an order that does not depend on addresses.
                spent.sort_unstable();
                exprs.extend(spent.iter().map(|id| s.g.expr(*id)));
                let mut found = brasa_compile::grad(s.g, &ys, &dys, &exprs)?;
                let ends = found.split_off(tensors.len());
                if let Some(n) = ends.iter().position(Option::is_some) {
                    return Err(s.g.read(|graph| spent_on_the_way(graph, spent[n])));
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

/// What to do where a graph is gone, in the words of whoever reads it.
const RETAIN: &str = if cfg!(brasa_page) {
    "keep it by backward({ retainGraph: true })"
} else {
    "keep it by backward_with(|o| o.retain_graph(true))"
};

/// Why no gradient flows through the input that stands for a tensor with a history.
fn spent_on_the_way(graph: &Graph, input: Id) -> Error {
    let node = &graph[input];
    let what = "the graph behind a tensor was used up by an earlier backward, \
                or lies outside of this compiled function or thread";
    let used = graph.site(node.origin.site);
    let help = format!("{RETAIN}, compute the tensor anew, or cut it off by detach()");
    Error::argument("backward", format!("{what}; the tensor was used at {used}"))
        .operand("tensor", &node.ty)
        .help(help)
}

/// Lets go of the history of `outputs`: a flush need not keep it.
fn release(outputs: &[&Tensor]) {
    session(|own| {
        let mut session = lock(own);
        let node = |x: &Tensor| {
            let place = x.cell().place.clone();
            place.filter(|place| place.is_in(&session)).map(|place| place.node)
        };
        let ends: Vec<Id> = outputs.iter().filter_map(|x| node(x)).collect();
        let is_used = session.g.read(|graph| ancestors(graph, &ends));
        let live: Vec<Tensor> =
            session.state.get_mut().live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
        for x in live {
            let mut cell = x.cell();
            let place = cell.place.as_ref().filter(|place| place.is_in(&session));
            let is_history = place.is_some_and(|place| is_used[place.node.index()]);
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

/// `value`, which was computed from `inputs`, with a gradient of your own. `backward` is called once, now,
/// with a stand-in for the gradient of `value`; what it records is repeated for every true one. It gives
/// the gradient of each input, or `None`.
///
/// ```
/// use brasa::{Tensor, no_grad, with_gradient};
/// # fn main() -> brasa::Result<()> {
/// let x = Tensor::new([-3.0, 0.5]).requires_grad(true);
/// // A sign whose gradient is that of the identity.
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
            let what = format!("gave {} gradients for {} inputs", gradients.len(), inputs.len());
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

/// What was recorded between a stand-in and what was made of it.
struct Tape {
    /// Ops with where their operands come from.
    steps: Vec<(Op, Vec<Origin>)>,
    /// Nodes that do not depend on the stand-in.
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
