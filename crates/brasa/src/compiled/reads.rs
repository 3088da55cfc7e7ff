//! Reads during the recording of a compiled function. A value that changes from run to run does not
//! exist yet: reading it would bake the value from recording time into all later runs.
use crate::flush::compute_alone;
use crate::nn::Mode;
use crate::session::{RecordingState, Session, session};
use crate::storage::{Data, lock};
use crate::tensor::Inner;
use crate::{Error, Result, Tensor};
use brasa_ir::ops::Op;
use brasa_ir::{Graph, Id, Type};
use std::sync::{Arc, Mutex, Weak};

/// The state of a compiled function while it is recorded.
#[derive(Default)]
pub(crate) struct Compiling {
    /// Its inputs.
    pub(crate) inputs: Vec<Weak<Inner>>,
    /// Tensors passed to `capture`, by name.
    pub(crate) captures: Vec<(String, Tensor)>,
    /// The modes that it has read, and their values.
    pub(crate) modes: Vec<(Mode, bool)>,
    /// Outside tensors that it has read, and their versions.
    pub(crate) reads: Vec<(Weak<Inner>, u64)>,
}

/// Whether this thread records a compiled function.
pub(crate) fn is_compiling() -> bool {
    session(|own| lock(own).is_compiling())
}

const WHAT: &str = "a compiled function is being recorded, and this value changes from run to run";

/// In the language of the caller.
const HELP: &str = if cfg!(brasa_page) {
    "keep it a tensor, return it by capture(name, x) and read it after the run, \
     or read it outside of the compiled function"
} else {
    "keep it a tensor (x * s, not x * s.item()?), return it by capture(name, &x) and read it from \
     run_with_captures, or read it outside of the compiled function"
};

const SHAPE_HELP: &str = if cfg!(brasa_page) {
    "use where, maskedFill or sums over a mask, whose shapes do not depend on values, \
     or call it outside of the compiled function"
} else {
    "use where_, masked_fill or sums over a mask, whose shapes do not depend on values, \
     or call it outside of the compiled function"
};

/// The error for reading a tensor that changes from run to run.
pub(super) fn read_error(ty: &Type) -> Error {
    Error::argument("read", WHAT).operand("tensor", ty).help(HELP)
}

/// Checks, while a compiled function is recorded, that a node does not change from run to run, for
/// an op whose output shape depends on its value.
pub(crate) fn check(graph: &Graph, state: &mut RecordingState, node: Id) -> Result<()> {
    if state.compiling.is_none() || note_reads(state, sources(graph, state, node)) {
        return Ok(());
    }
    let error = Error::argument("read", WHAT).operand("values", &graph[node].ty);
    Err(error.help(SHAPE_HELP))
}

/// The outside tensors from which a node is computed; `None` if it depends on random draws.
fn sources(graph: &Graph, state: &RecordingState, node: Id) -> Option<Vec<Tensor>> {
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

/// Records that `sources` are read. Returns false if they must not be.
fn note_reads(state: &mut RecordingState, sources: Option<Vec<Tensor>>) -> bool {
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

/// Rolls back the effects of recording a compiled function on tensors, unless it is committed.
pub(super) struct RecordingGuard(Arc<Mutex<Session>>);

impl RecordingGuard {
    /// Turns this thread's recording into that of a compiled function of these inputs.
    pub(super) fn begin(inputs: &[Tensor]) -> RecordingGuard {
        let inputs = inputs.iter().map(|x| Arc::downgrade(&x.0)).collect();
        let own = session(Arc::clone);
        lock(&own).state.get_mut().compiling = Some(Compiling { inputs, ..Compiling::default() });
        RecordingGuard(own)
    }

    /// Takes the captures.
    pub(super) fn captures(&self) -> Vec<(String, Tensor)> {
        let mut own = lock(&self.0);
        let compiling = own.state.get_mut().compiling.as_mut();
        compiling.map(|compiling| std::mem::take(&mut compiling.captures)).unwrap_or_default()
    }

    pub(super) fn commit(self) -> Compiling {
        lock(&self.0).state.get_mut().compiling.take().unwrap_or_default()
    }
}

impl Drop for RecordingGuard {
    fn drop(&mut self) {
        let mut own = lock(&self.0);
        let state = own.state.get_mut();
        if state.compiling.take().is_none() {
            return;
        }
        let live = std::mem::take(&mut state.live);
        // Unlocked first, since dropping tensors may take the lock.
        drop(own);
        for x in live.iter().filter_map(Weak::upgrade).map(Tensor) {
            let home = x.cell().home.take();
            match home {
                Some((data, _)) => x.restore_memory(data),
                None if x.cell().data.is_none() => x.drop_value(outlived_recording_error(&x)),
                None => {}
            }
        }
    }
}

/// The error for reading a tensor that has outlived the recording it was made in.
pub(super) fn outlived_recording_error(x: &Tensor) -> Error {
    let what =
        "the tensor was made while a compiled function was recorded, and its runs do not set it";
    let help = "return it by capture(name, &tensor), and read it from run_with_captures";
    Error::stale("tensor", what).operand("tensor", x.ty()).help(help)
}

impl Tensor {
    /// Restores the memory that the tensor had before the recording.
    pub(super) fn restore_memory(&self, data: Arc<Data>) {
        let mut cell = self.cell();
        (cell.data, cell.home, cell.recorded) = (Some(data), None, None);
        cell.is_tracked = false;
    }

    /// The value, if the tensor belongs to a compiled function that is being recorded.
    pub(crate) fn read_by_compiled(&self) -> Result<Option<Arc<Data>>> {
        let (data, recorded) = {
            let cell = self.cell();
            (cell.data.clone(), cell.recorded.clone())
        };
        let pending = recorded.filter(|_| data.is_none());
        let own = pending.as_ref().map_or_else(|| session(Arc::clone), |at| at.session.clone());
        let mut own = lock(&own);
        let is_here = pending.as_ref().is_none_or(|recorded| recorded.is_in(&own));
        if !own.is_compiling() || !is_here {
            return Ok(None);
        }
        let sources = match &pending {
            Some(recorded) => {
                own.g.read(|graph| sources(graph, &own.state.borrow(), recorded.node))
            }
            None => Some(vec![self.clone()]),
        };
        if !note_reads(own.state.get_mut(), sources) {
            return Err(read_error(self.ty()));
        }
        pending.map_or(Ok(data), |recorded| compute_alone(&mut own, recorded.node).map(Some))
    }

    /// Whether the tensor will have a value only when the compiled function that is being recorded
    /// runs.
    pub(crate) fn is_being_recorded(&self) -> bool {
        self.refresh();
        self.fault().is_none() && self.read_by_compiled().is_err()
    }
}
