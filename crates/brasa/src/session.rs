//! Recording: each thread has a graph that its ops are added to, with the memory behind the graph's
//! inputs and the handles to its nodes.
mod results;

use crate::autograd::{enable_grad, is_grad_enabled};
use crate::compiled::reads::{self, Compiling};
use crate::flush::flush_session;
use crate::random;
use crate::storage::{Data, lock};
use crate::tensor::{Cell, Inner, Place};
use crate::view::{View, Viewed};
use crate::{Device, Error, Result, Tensor};
use brasa_ir::graph::QuickMap;
use brasa_ir::ops::{Detach, Input, Role};
use brasa_ir::table::Reader;
use brasa_ir::{Array, Expr, Graph, Id, Recorder, Site, Type};
pub(crate) use results::{Ids, Leave};
use std::cell::{self, RefCell};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// A recording that is under way.
pub(crate) struct Session {
    pub(crate) g: Recorder,
    pub(crate) state: RefCell<State>,
    epoch: u64,
    device: Device,
}

/// What is known about the nodes of a recording.
#[derive(Default)]
pub(crate) struct State {
    /// The values of inputs, in order of their nodes.
    pub(crate) bindings: Vec<(Id, Arc<Data>)>,
    /// The inputs of values that were already brought in, by address.
    pub(crate) inputs: QuickMap<usize, Id>,
    /// Tensors that were recorded, if somebody still holds them.
    pub(crate) live: Vec<Weak<Inner>>,
    /// Where gradients end.
    pub(crate) leaves: Vec<(Id, Weak<Inner>)>,
    /// The inputs of values whose history is gone or in another recording, by address.
    pub(crate) spent: QuickMap<usize, Id>,
    /// Other tensors that keep their gradient.
    pub(crate) retained: Vec<Weak<Inner>>,
    /// Nodes that stayed from before the last flush.
    pub(crate) old_nodes: usize,
    /// The tensors behind inputs.
    pub(crate) origins: Vec<(Id, Weak<Inner>)>,
    /// Inputs that seed random draws.
    pub(crate) seeds: Vec<Id>,
    /// What is recorded is a compiled function.
    pub(crate) compiling: Option<Compiling>,
}

fn next_epoch() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Session {
    fn shared(device: Device) -> Arc<Mutex<Session>> {
        let (g, state, epoch) = (Recorder::default(), RefCell::default(), next_epoch());
        Arc::new(Mutex::new(Session { g, state, epoch, device }))
    }

    /// What computes it.
    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Tells this stretch of recording from all others, of all threads.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether it is that of a compiled function: what is recorded runs later.
    pub(crate) fn is_compiling(&self) -> bool {
        self.state.borrow().compiling.is_some()
    }

    /// Makes all places known so far invalid.
    pub(crate) fn begin_epoch(&mut self) {
        self.epoch = next_epoch();
    }
}

thread_local! {
    static CURRENT: RefCell<Arc<Mutex<Session>>> = RefCell::new(Session::shared(device()));
    static DEVICE: cell::Cell<Device> = cell::Cell::new(Device::default());
    static CATCHING: RefCell<Vec<Option<Error>>> = const { RefCell::new(Vec::new()) };
}

/// The recording of this thread.
pub(crate) fn session<T>(look: impl FnOnce(&Arc<Mutex<Session>>) -> T) -> T {
    CURRENT.with_borrow(look)
}

/// The device of this thread's recording.
pub(crate) fn device() -> Device {
    DEVICE.get()
}

/// Begins a recording for another device.
pub(crate) fn begin(device: Device) {
    DEVICE.set(device);
    CURRENT.set(Session::shared(device));
}

/// Runs `body` with a recording of its own, which is handed back with the result.
pub(crate) fn with_new_session<T>(body: impl FnOnce() -> T) -> (T, Arc<Mutex<Session>>) {
    struct Restore(Option<Arc<Mutex<Session>>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            if let Some(outer) = self.0.take() {
                CURRENT.set(outer);
            }
        }
    }
    let restore = Restore(Some(CURRENT.replace(Session::shared(device()))));
    let result = body();
    let inner = CURRENT.with_borrow(Arc::clone);
    drop(restore);
    (result, inner)
}

/// Runs `body`; a rejected call does not panic in it but gives a tensor without a value, and the first
/// rejection is the result.
///
/// ```
/// use brasa::{Tensor, catch};
/// let wrong = catch(|| Tensor::ones([2, 3]).matmul(&Tensor::ones([2, 3])).sum(..));
/// assert!(wrong.unwrap_err().to_string().starts_with("matmul: "));
/// ```
pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T> {
    let frame = Frame::begin();
    let result = body();
    frame.end().map_or(Ok(result), Err)
}

/// A place for the first rejection, until it is dropped.
struct Frame;

impl Frame {
    #[inline(never)]
    fn begin() -> Frame {
        CATCHING.with_borrow_mut(|frames| frames.push(None));
        Frame
    }

    #[inline(never)]
    fn end(self) -> Option<Error> {
        CATCHING.with_borrow_mut(|frames| frames.last_mut().and_then(Option::take))
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        CATCHING.with_borrow_mut(Vec::pop);
    }
}

/// Reports a rejected call: to `catch`, or by a panic.
#[track_caller]
pub(crate) fn reject(error: &Error) {
    let is_caught = CATCHING.with_borrow_mut(|frames| {
        let Some(frame) = frames.last_mut() else { return false };
        frame.get_or_insert_with(|| error.clone());
        true
    });
    if !is_caught {
        panic!("{error}");
    }
}

/// Reports a mistake as a rejected call does, and gives a tensor without a value.
#[track_caller]
pub fn rejected(error: Error) -> Tensor {
    reject(&error);
    Tensor::faulty(error)
}

/// `reject` for calls that give nothing else.
#[track_caller]
pub(crate) fn accept<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| reject(&error)).ok()
}

/// An op while it is recorded.
pub(crate) struct Scope<'g> {
    pub(crate) g: &'g Recorder,
    pub(crate) state: &'g RefCell<State>,
    own: &'g Arc<Mutex<Session>>,
    device: Device,
    epoch: u64,
    /// Whether an operand leads to a leaf.
    pub(crate) is_tracked: cell::Cell<bool>,
    /// Whether a path from an operand to a leaf is gone.
    pub(crate) is_spent: cell::Cell<bool>,
    /// What is wrong with an operand.
    rejected: RefCell<Option<Rejected>>,
    /// Tensors that were given a place, and the place that they had before.
    imported: RefCell<Vec<(Tensor, Option<Place>)>>,
    /// The tensor that the results are views of.
    viewed: RefCell<Option<Viewed>>,
}

/// A view that was cut from its base again.
struct Derived {
    id: Id,
    view: View,
    /// Whether a path leads here from a leaf, and whether one that did is gone.
    paths: (bool, bool),
}

/// Nodes recorded since the last flush at which the next one happens by itself, if no more than these
/// stayed from before: those are copied and computed anew.
const FLUSH_AT: usize = 20_000;

/// Records one call of the user's.
#[track_caller]
pub(crate) fn record<I: Ids>(
    call: &'static str,
    body: impl FnOnce(&Scope) -> Result<I>,
) -> I::Tensors {
    let recorded = record_as(call, Site::Rust(Location::caller()), body);
    match recorded {
        Ok(tensors) => tensors,
        Err(Rejected::Here(error)) => {
            reject(&error);
            I::faulty(error)
        }
        Err(Rejected::Before(error)) => I::faulty(error),
    }
}

/// Why a call gives no value.
pub(crate) enum Rejected {
    Here(Error),
    /// An operand had none.
    Before(Error),
}

impl Rejected {
    fn at(self, site: Site) -> Rejected {
        match self {
            Rejected::Here(error) => Rejected::Here(error.at(site)),
            before => before,
        }
    }
}

pub(crate) fn record_as<I: Ids>(
    call: &'static str,
    site: Site,
    body: impl FnOnce(&Scope) -> Result<I>,
) -> Result<I::Tensors, Rejected> {
    let (mut body, ids, mut tensors) = (Some(body), cell::Cell::new(None), None);
    let mut enter = |s: &Scope| {
        ids.set(body.take().map(|body| body(s)).transpose()?);
        Ok(())
    };
    // The bodies are of many types: what they have in common stands outside.
    record_by(call, site, &mut enter, &mut |s| {
        tensors = ids.take().map(|ids| ids.tensors(&|id| s.tensor(id)));
    })?;
    Ok(tensors.expect("a call that was not rejected has results"))
}

/// Records a call by `enter`; then `leave` takes its results.
fn record_by(
    call: &'static str,
    site: Site,
    enter: &mut dyn FnMut(&Scope) -> Result<()>,
    leave: &mut dyn FnMut(&Scope),
) -> Result<(), Rejected> {
    session(|own| {
        let mut session = lock(own);
        let old_nodes = session.state.get_mut().old_nodes;
        let new_nodes = session.g.read(Graph::len) - old_nodes;
        // Before the call, since places of its results are still looked at after it.
        if new_nodes > FLUSH_AT.max(old_nodes) {
            // What goes wrong stays with the tensors and is reported when they are read.
            let _ = flush_session(&mut session);
        }
        let s = Scope::new(own, &session);
        let recorded = s.g.scope_at(call, site.clone(), || enter(&s));
        s.finish(recorded).map_err(|rejected| rejected.at(site))?;
        leave(&s);
        Ok(())
    })
}

impl<'g> Scope<'g> {
    pub(crate) fn new(own: &'g Arc<Mutex<Session>>, session: &'g Session) -> Scope<'g> {
        Scope {
            g: &session.g,
            state: &session.state,
            own,
            device: session.device,
            epoch: session.epoch,
            is_tracked: cell::Cell::new(false),
            is_spent: cell::Cell::new(false),
            rejected: RefCell::new(None),
            imported: RefCell::new(Vec::new()),
            viewed: RefCell::new(None),
        }
    }

    /// Makes the results views of a tensor, as far as they come from it by moves alone. All of it happens
    /// while the call is recorded: another thread may update or compute the tensor right after it.
    pub(crate) fn view_of(&self, base: &Tensor) -> &Scope<'g> {
        self.viewed.replace(Some(Viewed::new(base)));
        self
    }

    /// The node of a tensor, which is brought in if it is not there yet.
    pub(crate) fn expr(&self, x: &Tensor) -> Expr<'g> {
        let mut cell = x.cell();
        if let Some(fault) = &cell.fault {
            return self.no_operand(Rejected::Before(fault.clone()));
        }
        let current = cell.place.as_ref().filter(|place| place.epoch == self.epoch);
        let derived = if current.is_some() { None } else { self.derived(&cell) };
        let mut id = match (current, &derived) {
            (Some(place), _) => place.node,
            (None, Some(derived)) => derived.id,
            (None, None) => self.import(x, &mut cell),
        };
        // Gradients end at a node: a tensor that has become a leaf, or is none any more, needs another.
        if derived.is_none() && cell.is_leaf != cell.place.as_ref().is_some_and(|at| at.is_leaf) {
            id = self.g.emit(Detach {}, &[self.g.expr(id)]).id();
            self.settle_at(x, &mut cell, id);
        }
        if let Some(viewed) = &mut *self.viewed.borrow_mut() {
            let view = derived.as_ref().map(|derived| &derived.view).or(cell.view.as_ref());
            viewed.enter(x, id, cell.version, view);
        }
        let own = || (cell.is_leaf || cell.is_tracked, cell.is_spent && !cell.is_leaf);
        let (is_tracked, is_spent) = derived.map_or_else(own, |derived| derived.paths);
        if is_tracked || is_spent {
            if !is_grad_enabled() {
                return self.g.expr(id).detach();
            }
            self.is_tracked.set(is_tracked || self.is_tracked.get());
            self.is_spent.set(is_spent || self.is_spent.get());
        }
        self.g.expr(id)
    }

    /// Where a tensor stands in this recording, if it does.
    pub(crate) fn node(&self, x: &Tensor) -> Option<Id> {
        x.cell().place.as_ref().filter(|place| place.epoch == self.epoch).map(|place| place.node)
    }

    /// A view that is not in this recording, cut from its base again where its value alone would lose the
    /// gradient: a view of a leaf, and any that was made outside of the compiled function that is
    /// recorded. Its cell is left as it is, since those outside go on with it.
    fn derived(&self, cell: &Cell) -> Option<Derived> {
        let view = cell.view.as_ref().filter(|_| !cell.is_leaf)?;
        let is_compiling = self.state.borrow().compiling.is_some();
        let is_wanted = is_compiling || cell.is_tracked && view.is_of_leaf();
        let mut view = is_wanted.then(|| view.clone())?;
        let outer = (self.is_tracked.take(), self.is_spent.take());
        let id = enable_grad(|| view.enter(self)).id();
        let paths = (self.is_tracked.replace(outer.0), self.is_spent.replace(outer.1));
        Some(Derived { id, view, paths })
    }

    /// A stand-in that keeps the call going until it is rejected.
    fn no_operand(&self, why: Rejected) -> Expr<'g> {
        self.rejected.borrow_mut().get_or_insert(why);
        self.g.constant(0.0, brasa_ir::DType::F32, &[])
    }

    /// A new input with the tensor's value.
    fn import(&self, x: &Tensor, cell: &mut Cell) -> Id {
        let Some(mut data) = cell.data.clone() else {
            let lost = match cell.place {
                // It was computed just before the call.
                Some(_) => updated_elsewhere(x),
                None => Error::stale("tensor", "its recording is gone"),
            };
            return self.no_operand(Rejected::Before(lost)).id();
        };
        if data.device() != self.device {
            let what = format!("the tensor lives on {}", data.device());
            let error = Error::argument(self.g.call().unwrap_or("tensor"), what);
            let here = format!("this thread computes on {}", self.device);
            let remedy =
                "x.to(default_device()), or set_default_device(x.device()) for all that follows";
            let error = error.operand("tensor", x.ty()).help(format!("{here}: {remedy}"));
            return self.no_operand(Rejected::Here(error)).id();
        }
        if self.is_shared_in_program(x, &data) {
            data = data.copied();
            cell.data = Some(data.clone());
        }
        let address = Arc::as_ptr(&data) as usize;
        let is_spent = (cell.is_tracked || cell.is_spent) && !cell.is_leaf;
        let mut state = self.state.borrow_mut();
        let inputs = if is_spent { &mut state.spent } else { &mut state.inputs };
        let known = inputs.get(&address).copied();
        let is_leaf = |id: Id| cell.is_leaf || state.leaves.iter().any(|(leaf, _)| *leaf == id);
        let is_apart = known.is_some_and(is_leaf);
        drop(state);
        let mut id = known.unwrap_or_else(|| {
            let id = self.input(data);
            let mut state = self.state.borrow_mut();
            let inputs = if is_spent { &mut state.spent } else { &mut state.inputs };
            inputs.insert(address, id);
            id
        });
        if is_apart {
            // Other uses of the value do not count for the gradient of a leaf.
            id = self.g.emit(Detach {}, &[self.g.expr(id)]).id();
        }
        self.state.borrow_mut().origins.push((id, Arc::downgrade(&x.0)));
        let elsewhere = cell.place.as_ref().is_some_and(|at| !Arc::ptr_eq(&at.session, self.own));
        if cell.is_tracked && !cell.is_released && elsewhere {
            // Its history goes on there.
            return id;
        }
        (cell.is_tracked, cell.is_spent) = (false, is_spent);
        self.settle_at(x, cell, id);
        id
    }

    /// Whether another tensor has brought the same memory into a program that is recorded: its runs read and
    /// write each by its handle.
    fn is_shared_in_program(&self, x: &Tensor, data: &Arc<Data>) -> bool {
        let state = self.state.borrow();
        let address = Arc::as_ptr(data) as usize;
        let known = state.inputs.get(&address).or(state.spent.get(&address));
        let is_other = |other: &Weak<Inner>| other.as_ptr() != Arc::as_ptr(&x.0);
        let mut origins = state.origins.iter();
        state.compiling.is_some()
            && known.is_some_and(|known| origins.any(|(id, other)| id == known && is_other(other)))
    }

    /// A new input with this value.
    pub(crate) fn input(&self, data: Arc<Data>) -> Id {
        let Type { dtype, shape } = data.ty.clone();
        let op = Input { name: String::new(), role: Role::Data, dtype, shape };
        let id = self.g.emit(op, &[]).id();
        self.state.borrow_mut().bindings.push((id, data));
        id
    }

    /// Notes where a tensor's value stands.
    fn settle_at(&self, x: &Tensor, cell: &mut Cell, node: Id) {
        let is_leaf = cell.is_leaf;
        let place = Place { session: self.own.clone(), epoch: self.epoch, node, is_leaf };
        let before = cell.place.replace(place);
        if is_leaf {
            self.state.borrow_mut().leaves.push((node, Arc::downgrade(&x.0)));
        }
        self.imported.borrow_mut().push((x.clone(), before));
    }

    /// Ends a call: gives draws their seed, or takes back what a rejected call has brought in.
    pub(crate) fn finish<T>(&self, recorded: Result<T>) -> Result<T, Rejected> {
        let rejected = self.rejected.take();
        let value = match rejected.map_or_else(|| recorded.map_err(Rejected::Here), Err) {
            Ok(value) => value,
            Err(rejected) => {
                self.take_back();
                return Err(rejected);
            }
        };
        if let Some(seed) = self.g.take_seed() {
            let mut state = self.state.borrow_mut();
            state.bindings.push((seed, random::next_seed(self.device)));
            state.seeds.push(seed);
        }
        Ok(value)
    }

    fn take_back(&self) {
        let len = self.g.read(Graph::len);
        let is_there = |id: Id| id.index() < len;
        let mut state = self.state.borrow_mut();
        state.bindings.retain(|(id, _)| is_there(*id));
        state.inputs.retain(|_, id| is_there(*id));
        state.spent.retain(|_, id| is_there(*id));
        state.leaves.retain(|(id, _)| is_there(*id));
        for (x, before) in self.imported.take().into_iter().rev() {
            x.cell().place = before;
        }
        self.g.take_seed();
    }

    /// A handle to a node.
    pub(crate) fn tensor(&self, node: Id) -> Tensor {
        let ty = self.g.read(|graph| graph[node].ty.clone());
        let place = Place { session: self.own.clone(), epoch: self.epoch, node, is_leaf: false };
        let is_float = ty.dtype.is_float();
        let (is_tracked, is_spent) =
            (self.is_tracked.get() && is_float, self.is_spent.get() && is_float);
        let viewed = self.viewed.borrow();
        let view = viewed.as_ref().and_then(|viewed| self.g.read(|graph| viewed.view(graph, node)));
        let cell = Cell { place: Some(place), is_tracked, is_spent, view, ..Cell::default() };
        let tensor = Tensor::make(ty, cell);
        self.state.borrow_mut().live.push(Arc::downgrade(&tensor.0));
        tensor
    }

    /// Gives a tensor the value of another node, from here on.
    pub(crate) fn assign(&self, x: &Tensor, node: Id) {
        let is_tracked = self.is_tracked.get();
        let mut cell = x.cell();
        let was_here = cell.place.as_ref().filter(|place| place.epoch == self.epoch);
        let stood = was_here.map(|place| place.node);
        if let Some(data) = cell.data.take() {
            let (address, state) = (Arc::as_ptr(&data) as usize, self.state.borrow());
            let input = state.inputs.get(&address).or(state.spent.get(&address));
            cell.home = input.copied().or(stood).map(|input| (data, input));
        }
        let place = Place { session: self.own.clone(), epoch: self.epoch, node, is_leaf: false };
        cell.place = Some(place);
        cell.version += 1;
        cell.is_tracked |= is_tracked;
        // The new value has a history of its own.
        cell.is_released &= !is_tracked;
        if is_grad_enabled() {
            cell.is_spent = self.is_spent.get();
        }
        self.state.borrow_mut().live.push(Arc::downgrade(&x.0));
    }

    pub(crate) fn leave<L: Leave>(&self, result: Result<L>) -> Result<L::Ids> {
        result.map(L::leave)
    }

    /// What ops look at data with.
    pub(crate) fn reader(&self) -> Looking<'g> {
        Looking { device: self.device, state: self.state }
    }
}

fn updated_elsewhere(x: &Tensor) -> Error {
    let what = "another thread updates this tensor in place while it is used here";
    let help = "let one thread finish first, or give each a tensor of its own: x.clone_value()";
    Error::stale("tensor", what).operand("tensor", x.ty()).help(help)
}

/// Computes parts of a recording while it is under way, for ops whose result's shape depends on data.
pub(crate) struct Looking<'g> {
    device: Device,
    state: &'g RefCell<State>,
}

impl Looking<'_> {
    /// Refuses what has no value while a compiled function is recorded.
    pub(crate) fn check(&self, x: &Expr) -> Result<()> {
        x.recorder().read(|graph| reads::check(graph, &mut self.state.borrow_mut(), x.id()))
    }
}

impl Reader for Looking<'_> {
    fn read(&mut self, x: Expr) -> Result<Array> {
        self.check(&x)?;
        let bindings = &self.state.borrow().bindings;
        let backend = self.device.backend();
        x.recorder().read(|graph| backend.value(graph, bindings, x.id()))
    }

    fn feed<'g>(&mut self, g: &'g Recorder, value: Array) -> Expr<'g> {
        let Type { dtype, shape } = value.ty.clone();
        let id = g.emit(Input { name: String::new(), role: Role::Data, dtype, shape }, &[]);
        let data = Data::from_bytes(self.device, value.ty.clone(), &value.to_bytes());
        self.state.borrow_mut().bindings.push((id.id(), data));
        id
    }
}
