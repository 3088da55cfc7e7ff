//! Recording: each thread has a graph to which its ops are appended, with the values of the graph's
//! inputs and the handles to its nodes.
mod results;

use crate::autograd::{enable_grad, is_grad_enabled};
use crate::compiled::reads::{self, Compiling};
use crate::flush::flush_session;
use crate::random;
use crate::storage::{Data, lock};
use crate::tensor::{Cell, Inner, RecordedNode};
use crate::view::{View, ViewBase};
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

/// A recording in progress.
pub(crate) struct Session {
    pub(crate) g: Recorder,
    pub(crate) state: RefCell<RecordingState>,
    epoch: u64,
    device: Device,
}

/// Bookkeeping of a recording: what is known about its nodes.
#[derive(Default)]
pub(crate) struct RecordingState {
    /// The values of inputs, sorted by node when a flush begins.
    pub(crate) bindings: Vec<(Id, Arc<Data>)>,
    /// The input nodes of values that were already imported, by address.
    pub(crate) inputs: QuickMap<usize, Id>,
    /// Tensors recorded here; handles may be gone.
    pub(crate) live: Vec<Weak<Inner>>,
    /// Nodes where gradients end.
    pub(crate) leaves: Vec<(Id, Weak<Inner>)>,
    /// The input nodes of values whose history is gone or in another recording, by address.
    pub(crate) spent: QuickMap<usize, Id>,
    /// Non-leaf tensors that keep their gradient.
    pub(crate) retained: Vec<Weak<Inner>>,
    /// Number of nodes that were kept by the last flush.
    pub(crate) old_nodes: usize,
    /// The tensors that were imported as inputs.
    pub(crate) origins: Vec<(Id, Weak<Inner>)>,
    /// Inputs that hold seeds of random ops.
    pub(crate) seeds: Vec<Id>,
    /// Set while a compiled function is recorded.
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

    /// The device that computes the recording.
    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// A number that is unique among all recordings of all threads, renewed by each flush.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether a compiled function is being recorded, which runs later.
    pub(crate) fn is_compiling(&self) -> bool {
        self.state.borrow().compiling.is_some()
    }

    /// Invalidates all node references handed out so far.
    pub(crate) fn begin_epoch(&mut self) {
        self.epoch = next_epoch();
    }
}

thread_local! {
    static CURRENT: RefCell<Arc<Mutex<Session>>> = RefCell::new(Session::shared(device()));
    static DEVICE: cell::Cell<Device> = cell::Cell::new(Device::default());
    static CATCHING: RefCell<Vec<Option<Error>>> = const { RefCell::new(Vec::new()) };
}

/// Calls `look` with the recording of this thread.
pub(crate) fn session<T>(look: impl FnOnce(&Arc<Mutex<Session>>) -> T) -> T {
    CURRENT.with_borrow(look)
}

/// The device of this thread's recording.
pub(crate) fn device() -> Device {
    DEVICE.get()
}

/// Begins a new recording on another device.
pub(crate) fn begin(device: Device) {
    DEVICE.set(device);
    CURRENT.set(Session::shared(device));
}

/// Runs `body` with a new recording, which is returned with the result.
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

/// Runs `body`. A rejected call inside it does not panic but returns a tensor without a value;
/// `catch` returns the first such error.
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

/// A slot for the first rejection inside one `catch`, removed on drop.
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

/// Reports a rejected call to the enclosing `catch`, or panics if there is none.
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

/// Reports an error as a rejected call does, and returns a tensor without a value.
#[track_caller]
pub fn rejected(error: Error) -> Tensor {
    reject(&error);
    Tensor::faulty(error)
}

/// Reports the error of a call that returns no tensor.
#[track_caller]
pub(crate) fn accept<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| reject(&error)).ok()
}

/// A call that is being recorded.
pub(crate) struct Scope<'g> {
    pub(crate) g: &'g Recorder,
    pub(crate) state: &'g RefCell<RecordingState>,
    own: &'g Arc<Mutex<Session>>,
    device: Device,
    epoch: u64,
    /// Whether a path leads from a leaf to an operand.
    pub(crate) is_tracked: cell::Cell<bool>,
    /// Whether a path from a leaf to an operand existed but is gone.
    pub(crate) is_spent: cell::Cell<bool>,
    /// Why an operand was rejected.
    rejected: RefCell<Option<Rejected>>,
    /// Tensors that were assigned a node by this call, with their previous node.
    imported: RefCell<Vec<(Tensor, Option<RecordedNode>)>>,
    /// The tensor that the results are views of.
    viewed: RefCell<Option<ViewBase>>,
}

/// A view that was recomputed from its base.
struct Derived {
    id: Id,
    view: View,
    /// `is_tracked` and `is_spent` of the recomputed value.
    paths: (bool, bool),
}

/// A flush happens automatically after this many new nodes, unless more nodes were kept by the last
/// flush: kept nodes are copied and computed again.
const FLUSH_AT: usize = 20_000;

/// Records one call by the user.
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

/// Why a call has no value.
pub(crate) enum Rejected {
    Here(Error),
    /// An operand had no value.
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
    // Type-erased so that the shared part is not monomorphized once per closure.
    record_by(call, site, &mut enter, &mut |s| {
        tensors = ids.take().map(|ids| ids.tensors(&|id| s.tensor(id)));
    })?;
    Ok(tensors.expect("a call that was not rejected has results"))
}

/// Calls `enter` to record the ops of a call, then `leave` to take its results.
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
        // Flush before the call: the nodes of its results must stay valid after it.
        if new_nodes > FLUSH_AT.max(old_nodes) {
            // Errors are stored in the tensors and reported when they are read.
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

    /// Marks the results as views of `base`, if movement ops alone lead from it to them. Everything
    /// happens while the call is recorded: another thread may update or compute the tensor right
    /// after it.
    pub(crate) fn view_of(&self, base: &Tensor) -> &Scope<'g> {
        self.viewed.replace(Some(ViewBase::new(base)));
        self
    }

    /// The node of a tensor, which is imported if it is not in this recording yet.
    pub(crate) fn expr(&self, x: &Tensor) -> Expr<'g> {
        let mut cell = x.cell();
        if let Some(fault) = &cell.fault {
            return self.placeholder(Rejected::Before(fault.clone()));
        }
        let current = cell.recorded.as_ref().filter(|recorded| recorded.epoch == self.epoch);
        let derived = if current.is_some() { None } else { self.derived(&cell) };
        let mut id = match (current, &derived) {
            (Some(recorded), _) => recorded.node,
            (None, Some(derived)) => derived.id,
            (None, None) => self.import(x, &mut cell),
        };
        // Gradients end at a node: a tensor that became a leaf, or stopped being one, needs a new
        // node.
        if derived.is_none() && cell.is_leaf != cell.recorded.as_ref().is_some_and(|at| at.is_leaf)
        {
            id = self.g.emit(Detach {}, &[self.g.expr(id)]).id();
            self.set_node(x, &mut cell, id);
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

    /// The node of a tensor in this recording, if any.
    pub(crate) fn node(&self, x: &Tensor) -> Option<Id> {
        x.cell()
            .recorded
            .as_ref()
            .filter(|recorded| recorded.epoch == self.epoch)
            .map(|recorded| recorded.node)
    }

    /// Recomputes a view that is not in this recording from its base, where importing its value
    /// would lose the gradient: a view of a leaf, and any view that was made outside of the
    /// compiled function that is being recorded. The view's cell stays unchanged, since code
    /// outside the function continues to use it.
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

    /// Rejects the call, and returns a placeholder operand until it ends.
    fn placeholder(&self, why: Rejected) -> Expr<'g> {
        self.rejected.borrow_mut().get_or_insert(why);
        self.g.constant(0.0, brasa_ir::DType::F32, &[])
    }

    fn wrong_device_error(&self, x: &Tensor, device: Device) -> Error {
        let what = format!("the tensor lives on {}", device);
        let error = Error::argument(self.g.call().unwrap_or("tensor"), what);
        let here = format!("this thread computes on {}", self.device);
        let remedy =
            "x.to(default_device()), or set_default_device(x.device()) for all that follows";
        error.operand("tensor", x.ty()).help(format!("{here}: {remedy}"))
    }

    /// Imports a tensor: adds an input with its value.
    fn import(&self, x: &Tensor, cell: &mut Cell) -> Id {
        let Some(mut data) = cell.data.clone() else {
            let lost = match cell.recorded {
                // The value was computed just before the call.
                Some(_) => concurrent_update_error(x),
                None => Error::stale("tensor", "its recording no longer exists"),
            };
            return self.placeholder(Rejected::Before(lost)).id();
        };
        if data.device() != self.device {
            let error = self.wrong_device_error(x, data.device());
            return self.placeholder(Rejected::Here(error)).id();
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
            // Other uses of the value do not contribute to the gradient of the leaf.
            id = self.g.emit(Detach {}, &[self.g.expr(id)]).id();
        }
        self.state.borrow_mut().origins.push((id, Arc::downgrade(&x.0)));
        let elsewhere =
            cell.recorded.as_ref().is_some_and(|at| !Arc::ptr_eq(&at.session, self.own));
        if cell.is_tracked && !cell.is_released && elsewhere {
            // Its history continues in the other recording.
            return id;
        }
        (cell.is_tracked, cell.is_spent) = (false, is_spent);
        self.set_node(x, cell, id);
        id
    }

    /// Whether another tensor has imported the same memory into the program that is being recorded.
    /// Runs of the program read and write each tensor by its own handle, so the two must not share
    /// memory.
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

    /// Sets the node of a tensor.
    fn set_node(&self, x: &Tensor, cell: &mut Cell, node: Id) {
        let is_leaf = cell.is_leaf;
        let recorded = RecordedNode { session: self.own.clone(), epoch: self.epoch, node, is_leaf };
        let before = cell.recorded.replace(recorded);
        if is_leaf {
            self.state.borrow_mut().leaves.push((node, Arc::downgrade(&x.0)));
        }
        self.imported.borrow_mut().push((x.clone(), before));
    }

    /// Ends a call: binds the seed of random ops, or rolls back the imports of a rejected call.
    pub(crate) fn finish<T>(&self, recorded: Result<T>) -> Result<T, Rejected> {
        let rejected = self.rejected.take();
        let value = match rejected.map_or_else(|| recorded.map_err(Rejected::Here), Err) {
            Ok(value) => value,
            Err(rejected) => {
                self.roll_back();
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

    fn roll_back(&self) {
        let len = self.g.read(Graph::len);
        let is_there = |id: Id| id.index() < len;
        let mut state = self.state.borrow_mut();
        state.bindings.retain(|(id, _)| is_there(*id));
        state.inputs.retain(|_, id| is_there(*id));
        state.spent.retain(|_, id| is_there(*id));
        state.leaves.retain(|(id, _)| is_there(*id));
        for (x, before) in self.imported.take().into_iter().rev() {
            x.cell().recorded = before;
        }
        self.g.take_seed();
    }

    /// A new handle to a node.
    pub(crate) fn tensor(&self, node: Id) -> Tensor {
        let ty = self.g.read(|graph| graph[node].ty.clone());
        let recorded =
            RecordedNode { session: self.own.clone(), epoch: self.epoch, node, is_leaf: false };
        let is_float = ty.dtype.is_float();
        let (is_tracked, is_spent) =
            (self.is_tracked.get() && is_float, self.is_spent.get() && is_float);
        let viewed = self.viewed.borrow();
        let view = viewed.as_ref().and_then(|viewed| self.g.read(|graph| viewed.view(graph, node)));
        let cell = Cell { recorded: Some(recorded), is_tracked, is_spent, view, ..Cell::default() };
        let tensor = Tensor::make(ty, cell);
        self.state.borrow_mut().live.push(Arc::downgrade(&tensor.0));
        tensor
    }

    /// Gives a tensor the value of another node from now on.
    pub(crate) fn assign(&self, x: &Tensor, node: Id) {
        let is_tracked = self.is_tracked.get();
        let mut cell = x.cell();
        let was_here = cell.recorded.as_ref().filter(|recorded| recorded.epoch == self.epoch);
        let old_node = was_here.map(|recorded| recorded.node);
        if let Some(data) = cell.data.take() {
            let (address, state) = (Arc::as_ptr(&data) as usize, self.state.borrow());
            let input = state.inputs.get(&address).or(state.spent.get(&address));
            cell.home = input.copied().or(old_node).map(|input| (data, input));
        }
        let recorded =
            RecordedNode { session: self.own.clone(), epoch: self.epoch, node, is_leaf: false };
        cell.recorded = Some(recorded);
        cell.version += 1;
        cell.is_tracked |= is_tracked;
        // The new value has its own history.
        cell.is_released &= !is_tracked;
        if is_grad_enabled() {
            cell.is_spent = self.is_spent.get();
        }
        self.state.borrow_mut().live.push(Arc::downgrade(&x.0));
    }

    pub(crate) fn leave<L: Leave>(&self, result: Result<L>) -> Result<L::Ids> {
        result.map(L::leave)
    }

    /// The reader for ops that look at data.
    pub(crate) fn reader(&self) -> SessionReader<'g> {
        SessionReader { device: self.device, state: self.state }
    }
}

fn concurrent_update_error(x: &Tensor) -> Error {
    let what = "another thread updates this tensor in place while it is used here";
    let help = "let one thread finish first, or give each thread its own copy: x.clone_value()";
    Error::stale("tensor", what).operand("tensor", x.ty()).help(help)
}

/// Computes values in the middle of a recording, for ops whose output shape depends on data.
pub(crate) struct SessionReader<'g> {
    device: Device,
    state: &'g RefCell<RecordingState>,
}

impl SessionReader<'_> {
    /// Rejects values that depend on the arguments while a compiled function is recorded.
    pub(crate) fn check(&self, x: &Expr) -> Result<()> {
        x.recorder().read(|graph| reads::check(graph, &mut self.state.borrow_mut(), x.id()))
    }
}

impl Reader for SessionReader<'_> {
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
