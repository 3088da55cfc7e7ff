//! Reads while a compiled function is recorded. What changes from run to run has no value yet: read, it
//! would be what it happened to be when the function was recorded, in all later runs.
use crate::flush::alone;
use crate::nn::Mode;
use crate::session::{Session, State, session};
use crate::storage::{Data, lock};
use crate::tensor::Inner;
use crate::{Error, Result, Tensor};
use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id, Type};
use std::sync::{Arc, Mutex, Weak};

/// What is known of a compiled function while it is recorded.
#[derive(Default)]
pub(crate) struct Compiling {
    /// What it is called with.
    pub(crate) inputs: Vec<Weak<Inner>>,
    /// Tensors to be handed out, by name.
    pub(crate) captures: Vec<(String, Tensor)>,
    /// The modes that it has looked at, and what they were.
    pub(crate) modes: Vec<(Mode, bool)>,
    /// Tensors from outside that it has read, and the versions of these.
    pub(crate) reads: Vec<(Weak<Inner>, u64)>,
}

/// Whether this thread records a compiled function.
pub(crate) fn is_compiling() -> bool {
    session(|own| lock(own).is_compiling())
}

const WHAT: &str = "a compiled function is being recorded, and this value changes from run to run";

/// In the words of whoever reads it.
const HELP: &str = if cfg!(brasa_page) {
    "keep it a tensor, hand it out by capture(name, x) and read it after the run, \
     or read it outside of the compiled function"
} else {
    "keep it a tensor (x * s, not x * s.item()?), hand it out by capture(name, &x) and read it from \
     run_with_captures, or read it outside of the compiled function"
};

const SHAPE_HELP: &str = if cfg!(brasa_page) {
    "use where, maskedFill or sums over a mask, whose shapes do not depend on values, \
     or call it outside of the compiled function"
} else {
    "use where_, masked_fill or sums over a mask, whose shapes do not depend on values, \
     or call it outside of the compiled function"
};

/// Why a tensor is not read.
pub(super) fn refused(ty: &Type) -> Error {
    Error::argument("read", WHAT).operand("tensor", ty).help(HELP)
}

/// Refuses to look at a node, for an op the shape of whose result depends on it, if that changes from run
/// to run while a compiled function is recorded.
pub(crate) fn check(graph: &Graph, state: &mut State, node: Id) -> Result<()> {
    if state.compiling.is_none() || note(state, sources(graph, state, node)) {
        return Ok(());
    }
    let error = Error::argument("read", WHAT).operand("values", &graph[node].ty);
    Err(error.help(SHAPE_HELP))
}

/// The tensors from outside that a node is computed from; none where it depends on draws.
fn sources(graph: &Graph, state: &State, node: Id) -> Option<Vec<Tensor>> {
    let mut is_needed = vec![false; node.index() + 1];
    is_needed[node.index()] = true;
    let mut found = Vec::new();
    for at in (0..is_needed.len()).rev() {
        if !is_needed[at] {
            continue;
        }
        let id = Id::at(at as u32);
        if matches!(graph[id].op, Op::Random(_)) {
            return None;
        }
        graph[id].inputs.iter().for_each(|input| is_needed[input.index()] = true);
        let origins = state.origins.iter().filter(|(origin, _)| *origin == id);
        found.extend(origins.filter_map(|(_, x)| x.upgrade()).map(Tensor));
    }
    Some(found)
}

/// Notes what is read; whether it may be.
fn note(state: &mut State, sources: Option<Vec<Tensor>>) -> bool {
    let (Some(sources), Some(compiling)) = (sources, &mut state.compiling) else { return false };
    for x in sources {
        let x = x.base();
        let is_input = compiling.inputs.iter().any(|input| input.as_ptr() == Arc::as_ptr(&x.0));
        if is_input || x.cell().is_leaf {
            return false;
        }
        compiling.reads.push((Arc::downgrade(&x.0), x.version()));
    }
    true
}

/// Takes back what the recording of a compiled function did to tensors, unless it is accepted.
pub(super) struct Undo(Arc<Mutex<Session>>);

impl Undo {
    /// Makes this thread's recording that of a compiled function of these inputs.
    pub(super) fn begin(inputs: &[Tensor]) -> Undo {
        let inputs = inputs.iter().map(|x| Arc::downgrade(&x.0)).collect();
        let own = session(Arc::clone);
        lock(&own).state.get_mut().compiling = Some(Compiling { inputs, ..Compiling::default() });
        Undo(own)
    }

    /// What is to be handed out.
    pub(super) fn captures(&self) -> Vec<(String, Tensor)> {
        let mut own = lock(&self.0);
        let compiling = own.state.get_mut().compiling.as_mut();
        compiling.map(|compiling| std::mem::take(&mut compiling.captures)).unwrap_or_default()
    }

    pub(super) fn accept(self) -> Compiling {
        lock(&self.0).state.get_mut().compiling.take().unwrap_or_default()
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let mut own = lock(&self.0);
        let state = own.state.get_mut();
        if state.compiling.take().is_none() {
            return;
        }
        let live = std::mem::take(&mut state.live);
        // Without the lock, which tensors that are dropped here may need.
        drop(own);
        for x in live.iter().filter_map(Weak::upgrade).map(Tensor) {
            let home = x.cell().home.take();
            match home {
                Some((data, _)) => x.settle_at_home(data),
                None if x.cell().data.is_none() => x.lose(kept_from_recording(&x)),
                None => {}
            }
        }
    }
}

/// Why a tensor that was made while a function was recorded has no value.
pub(super) fn kept_from_recording(x: &Tensor) -> Error {
    let what = "it was made while a compiled function was recorded, and later runs do not make it";
    let help = "hand it out by capture(name, &tensor), and read it from run_with_captures";
    Error::stale("tensor", what).operand("tensor", x.ty()).help(help)
}

impl Tensor {
    /// Gives it the memory that it had before the recording.
    pub(super) fn settle_at_home(&self, data: Arc<Data>) {
        let mut cell = self.cell();
        (cell.data, cell.home, cell.place) = (Some(data), None, None);
        cell.is_tracked = false;
    }

    /// The value, if a compiled function is being recorded and this belongs to it.
    pub(crate) fn read_by_compiled(&self) -> Result<Option<Arc<Data>>> {
        let (data, place) = {
            let cell = self.cell();
            (cell.data.clone(), cell.place.clone())
        };
        let pending = place.filter(|_| data.is_none());
        let own = pending.as_ref().map_or_else(|| session(Arc::clone), |at| at.session.clone());
        let mut own = lock(&own);
        let is_here = pending.as_ref().is_none_or(|place| place.is_in(&own));
        if !own.is_compiling() || !is_here {
            return Ok(None);
        }
        let sources = match &pending {
            Some(place) => own.g.read(|graph| sources(graph, &own.state.borrow(), place.node)),
            None => Some(vec![self.clone()]),
        };
        if !note(own.state.get_mut(), sources) {
            return Err(refused(self.ty()));
        }
        pending.map_or(Ok(data), |place| alone(&mut own, place.node).map(Some))
    }

    /// Whether it has a value only once a compiled function, which is being recorded, is run.
    pub(crate) fn is_being_recorded(&self) -> bool {
        self.refresh();
        self.fault().is_none() && self.read_by_compiled().is_err()
    }
}
