//! The recorder: builds a graph through shared references. Each op call is a scope: if it fails,
//! all nodes it recorded are removed.
pub use crate::expr::{Expr, Operand};

use crate::dtype::{DType, Number};
use crate::error::{Error, Result};
use crate::graph::{Graph, Id, Mark, Origin, Site, SiteId};
use crate::handle::{Handle, StateRef};
use crate::ops::{Const, Input, Iota, Op, Role, Slot};
use crate::shape::Type;
use std::cell::{Cell, RefCell};
use std::panic::Location;

/// Builds a graph through shared references.
#[derive(Default)]
pub struct Recorder(pub(crate) StateRef);

/// The state of a recorder.
#[derive(Default)]
pub(crate) struct RecorderState {
    graph: RefCell<Graph>,
    /// The user's call that is being recorded; nested calls of composites belong to it.
    origin: Cell<Option<Origin>>,
    /// The first error inside the current call of a method that returns no `Result`, such as
    /// [`Recorder::emit`].
    fault: RefCell<Option<Error>>,
}

/// A call that is being recorded.
struct Scope {
    call: &'static str,
    /// The call that encloses this one.
    outer: Option<Origin>,
    /// The graph before the call and the call's site; only for the user's own call, which has no
    /// outer one.
    mark: Option<(Mark, SiteId)>,
}

#[cfg(brasa_page)]
impl RecorderState {
    /// Resets to the state of a new recorder.
    pub(crate) fn reset(&self) {
        self.graph.take();
        self.origin.take();
        self.fault.take();
    }
}

impl Recorder {
    /// A recorder that appends to `graph`.
    pub fn new(graph: Graph) -> Recorder {
        let g = Recorder::default();
        g.0.graph.replace(graph);
        g
    }

    pub fn into_graph(self) -> Graph {
        self.0.graph.take()
    }

    /// Calls `f` with the graph so far.
    pub fn read<T>(&self, f: impl FnOnce(&Graph) -> T) -> T {
        f(&self.0.graph.borrow())
    }

    /// See [`Graph::take_seed`].
    pub fn take_seed(&self) -> Option<Id> {
        self.0.graph.borrow_mut().take_seed()
    }

    /// See [`Graph::clear`].
    pub fn clear(&self) {
        self.0.graph.borrow_mut().clear();
    }

    pub fn set_slot(&self, slot: usize, value: Number) {
        self.0.graph.borrow_mut().set_slot(slot, value);
    }

    pub fn expr(&self, id: Id) -> Expr<'_> {
        Expr(Handle::new(self, id))
    }

    /// Runs `body` as one call by the user, at the location of the caller. If it fails, the graph
    /// is rolled back. A call inside another call belongs to the outer one.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn scope<T>(&self, call: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.scope_at(call, Site::Rust(Location::caller()), body)
    }

    /// `scope` with an explicit site, for calls from another language.
    pub fn scope_at<T>(
        &self,
        call: &'static str,
        site: Site,
        body: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        // Generic over `body`: `enter`, `leave` and `roll_back` are not monomorphized once per op.
        let scope = self.enter(call, site);
        let result = body();
        match (self.leave(&scope), result) {
            (None, Ok(value)) => Ok(value),
            (Some(fault), _) | (None, Err(fault)) => Err(self.roll_back(scope, fault)),
        }
    }

    #[inline(never)]
    fn enter(&self, call: &'static str, site: Site) -> Scope {
        if let Some(outer) = self.0.origin.get() {
            return Scope { call, outer: Some(outer), mark: None };
        }
        let mut graph = self.0.graph.borrow_mut();
        let (mark, site) = (graph.mark(), graph.intern(site));
        self.0.origin.set(Some(Origin { call, site }));
        Scope { call, outer: None, mark: Some((mark, site)) }
    }

    /// Ends a call and returns the first error that `fail` stored during it.
    #[inline(never)]
    fn leave(&self, scope: &Scope) -> Option<Error> {
        self.0.origin.set(scope.outer);
        self.0.fault.take()
    }

    /// Removes the nodes a failed call has recorded, or leaves that to the outer call; returns the
    /// error with the name and site of the user's call.
    #[inline(never)]
    fn roll_back(&self, scope: Scope, error: Error) -> Error {
        let Some((mark, site)) = scope.mark else {
            return error.renamed(scope.call, scope.outer.map_or(scope.call, |outer| outer.call));
        };
        let mut graph = self.0.graph.borrow_mut();
        graph.roll_back(mark);
        // In a page, ops called by a composite have no scope that would rename their errors.
        let inner = error.op().to_string();
        let error = match cfg!(brasa_page) && crate::table::find(&inner).is_some() {
            true => error.renamed(&inner, scope.call),
            false => error,
        };
        error.within(scope.call).at(graph.site(site).clone())
    }

    /// The op the user is calling.
    pub fn call(&self) -> Option<&'static str> {
        self.0.origin.get().map(|origin| origin.call)
    }

    /// Runs `body` so that the nodes it records get the site of `node`: a gradient points to the
    /// line of its op. Their call remains the current one.
    pub fn in_place_of<T>(&self, node: Id, body: impl FnOnce() -> T) -> T {
        let outer = self.0.origin.get();
        let site = self.0.graph.borrow()[node].origin.site;
        self.0.origin.set(outer.map(|origin| Origin { site, ..origin }));
        let result = body();
        self.0.origin.set(outer);
        result
    }

    /// Records a primitive.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn push<'g>(&'g self, op: impl Into<Op>, inputs: &[Expr<'g>]) -> Result<Expr<'g>> {
        self.push_op(op.into(), inputs)
    }

    // Takes an `Op`, so that it is not monomorphized once per primitive.
    #[cfg_attr(not(brasa_page), track_caller)]
    #[cfg_attr(brasa_page, inline(never))]
    fn push_op<'g>(&'g self, op: Op, inputs: &[Expr<'g>]) -> Result<Expr<'g>> {
        let ids: smallvec::SmallVec<[Id; 3]> = inputs.iter().map(Expr::id).collect();
        let mut graph = self.0.graph.borrow_mut();
        // `Location::caller` inside the closure below would not be this function's caller.
        let here = Location::caller();
        let origin = self.0.origin.get().unwrap_or_else(|| {
            let site = graph.intern(Site::Rust(here));
            Origin { call: op.name(), site }
        });
        let pushed = graph.push(op, &ids, origin);
        let id = pushed.map_err(|e| e.at(graph.site(origin.site).clone()))?;
        Ok(self.expr(id))
    }

    /// `push` for composites and gradient rules. An error fails the whole call.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn emit<'g>(&'g self, op: impl Into<Op>, inputs: &[Expr<'g>]) -> Expr<'g> {
        self.emit_op(op.into(), inputs)
    }

    #[cfg_attr(not(brasa_page), track_caller)]
    #[cfg_attr(brasa_page, inline(never))]
    fn emit_op<'g>(&'g self, op: Op, inputs: &[Expr<'g>]) -> Expr<'g> {
        self.push_op(op, inputs).unwrap_or_else(|e| self.fail(e, inputs.first().copied()))
    }

    /// Stores `error` until the call ends; until then `stand_in` takes the place of the result.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub(crate) fn fail<'g>(&'g self, error: Error, stand_in: Option<Expr<'g>>) -> Expr<'g> {
        if self.0.origin.get().is_none() {
            panic!("internal error, please report: {error}");
        }
        self.0.fault.borrow_mut().get_or_insert(error);
        stand_in.unwrap_or_else(|| self.constant(0.0, DType::F32, &[]))
    }

    /// Records an input.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn input(&self, name: &str, role: Role, ty: Type) -> Expr<'_> {
        let Type { dtype, shape } = ty;
        self.emit(Input { name: name.to_string(), role, dtype, shape }, &[])
    }

    /// A tensor full of a number that is part of the program.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn constant(&self, value: impl Into<Number>, dtype: DType, shape: &[usize]) -> Expr<'_> {
        let value = value.into().to(dtype);
        self.emit(Const { value, dtype, shape: shape.into() }, &[])
    }

    /// A number given by the user, as a scalar tensor. All but −1, 0 and 1 become slots, whose
    /// values may change between runs without recompiling.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn number(&self, value: Number, dtype: DType) -> Expr<'_> {
        let value = value.to(dtype);
        if [-1.0, 0.0, 1.0].contains(&value.as_f64()) {
            return self.constant(value, dtype, &[]);
        }
        self.slot(value, dtype)
    }

    /// A number that is always a slot, whatever its value.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub(crate) fn slot(&self, value: Number, dtype: DType) -> Expr<'_> {
        let slot = self.0.graph.borrow_mut().add_slot(value.to(dtype));
        self.emit(Slot { slot, dtype }, &[])
    }

    /// `0, 1, …, len − 1`.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn iota(&self, len: usize, dtype: DType) -> Expr<'_> {
        // Devices count in wider registers; the cast wraps or rounds numbers that do not fit.
        if dtype.bytes() < 4 && len > 1 << 7 {
            return self.emit(Iota { len, dtype: DType::I64 }, &[]).cast(dtype);
        }
        self.emit(Iota { len, dtype }, &[])
    }

    /// The input `seed`, one `u32` that all random draws of the graph share. The first call
    /// records it.
    #[cfg_attr(not(brasa_page), track_caller)]
    pub fn seed(&self) -> Expr<'_> {
        match self.read(Graph::seed) {
            Some(id) => self.expr(id),
            None => self.input("seed", Role::Data, Type::new(DType::U32, [])),
        }
    }

    /// The number of a new random draw.
    pub(crate) fn next_draw(&self) -> u32 {
        self.0.graph.borrow_mut().next_draw()
    }
}
