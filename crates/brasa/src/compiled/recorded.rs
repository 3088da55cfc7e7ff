//! A function as recorded in a session of its own: the values it must compute, and the source of
//! the memory of each input of its graph.
use super::Record;
use super::programs::InputSource;
use super::reads::{Compiling, RecordingGuard, outlived_recording_error, read_error};
use crate::flush::{Root, bound_data, pending_roots};
use crate::optim::{Optimizer, Update};
use crate::random::{rng_state, set_rng_state};
use crate::session::{RecordingState, Session, record, with_new_session};
use crate::storage::Data;
use crate::tensor::Inner;
use crate::{Error, Result, Tensor};
use brasa_ir::ops::Op;
use brasa_ir::{Id, Type};
use std::sync::{Arc, Mutex, Weak};

/// The memory of the outputs, each once, with its type.
type Outputs = Vec<(Arc<Data>, Type)>;

/// The results of recording a function.
pub(super) struct Recorded {
    result: Tensor,
    captures: Vec<(String, Tensor)>,
    pub(super) updates: Vec<Update>,
    pub(super) conditions: Compiling,
}

impl Recorded {
    /// Calls the function on the inputs `owned`. Also returns the session that holds its graph.
    pub(super) fn new(
        owned: &[Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
    ) -> Result<(Recorded, Arc<Mutex<Session>>)> {
        let rng = rng_state();
        let (recorded, own) = with_new_session(|| {
            let guard = RecordingGuard::begin(owned);
            let (result, updates) = crate::catch(|| record(owned, optimizer))?;
            if let Some(fault) = result.fault() {
                return Err(fault);
            }
            let result = as_computed(&result);
            let named = guard.captures().into_iter().map(|(name, x)| (name, as_computed(&x)));
            let captures = named.collect();
            Ok(Recorded { result, captures, updates, conditions: guard.commit() })
        });
        set_rng_state(rng);
        Ok((recorded?, own))
    }

    /// The tensors that the program computes: outputs, and tensors from outside that are written.
    pub(super) fn roots(&self, session: &mut Session) -> Vec<Root> {
        let live = std::mem::take(&mut session.state.get_mut().live);
        let live: Vec<Tensor> = live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
        let is_asked_for = |x: &Tensor| {
            x.is_same(&self.result) || self.captures.iter().any(|(_, other)| other.is_same(x))
        };
        let (roots, left): (Vec<Root>, Vec<Root>) = pending_roots(session, &live)
            .into_iter()
            .partition(|root| root.home.is_some() || is_asked_for(&root.tensor));
        // Handles that outlive the recording have no value, since runs do not compute them.
        left.iter().for_each(|root| root.tensor.drop_value(outlived_recording_error(&root.tensor)));
        roots
    }

    /// The outputs, the result first, and the index of the output of each capture. `memory` is that
    /// of the roots.
    pub(super) fn outputs(
        &self,
        roots: &[Root],
        memory: &[Arc<Data>],
    ) -> Result<(Outputs, Vec<(String, usize)>)> {
        let mut outputs = Outputs::new();
        let mut output = |x: &Tensor| {
            let at = roots.iter().position(|root| root.tensor.is_same(x));
            let data = at.map_or_else(|| x.data(), |at| Ok(memory[at].clone()))?;
            let known = outputs.iter().position(|(other, _)| Arc::ptr_eq(other, &data));
            Ok::<usize, Error>(known.unwrap_or_else(|| {
                outputs.push((data, x.ty().clone()));
                outputs.len() - 1
            }))
        };
        output(&self.result)?;
        let captures = self.captures.iter().map(|(name, x)| Ok((name.clone(), output(x)?)));
        let captures = captures.collect::<Result<Vec<_>>>()?;
        Ok((outputs, captures))
    }

    /// Fails if the function read the value of a tensor that it writes.
    pub(super) fn check_reads(&self, session: &Session, roots: &[Root]) -> Result<()> {
        let reads = &self.conditions.reads;
        let is_read =
            |root: &&Root| reads.iter().any(|(x, _)| x.as_ptr() == Arc::as_ptr(&root.tensor.0));
        let Some(root) = roots.iter().filter(|root| root.home.is_some()).find(is_read) else {
            return Ok(());
        };
        let site = session.g.read(|graph| graph.site(graph[root.node].origin.site).clone());
        Err(read_error(root.tensor.ty()).at(site))
    }
}

/// A result as a computed node: an input is wrapped, since a run does not compute inputs.
fn as_computed(x: &Tensor) -> Tensor {
    x.settle_tensor();
    record("result", |s| {
        let x = s.expr(x);
        let is_input = s.g.read(|graph| matches!(graph[x.id()].op, Op::Input(_)));
        Ok(if is_input { x.detach().id() } else { x.id() })
    })
}

/// Gives the tensors from outside that the function writes the memory they had before, and returns
/// them with it.
pub(super) fn restore_written(roots: &[Root]) -> Vec<(Arc<Data>, Tensor)> {
    let written = roots.iter().filter_map(|root| Some((root.home.clone()?.0, root.tensor.clone())));
    let written: Vec<_> = written.collect();
    written.iter().for_each(|(data, tensor)| tensor.restore_memory(data.clone()));
    written
}

/// The tensors from outside, and whether each requires a gradient.
pub(super) fn leaves(state: &RecordingState) -> Vec<(Weak<Inner>, bool)> {
    let leaves = state.origins.iter().filter_map(|(_, x)| {
        let is_leaf = Tensor(x.upgrade()?).cell().is_leaf;
        Some((x.clone(), is_leaf))
    });
    leaves.collect()
}

/// Where the memory of the inputs of a recorded graph can come from.
pub(super) struct Sources<'a> {
    pub(super) state: &'a RecordingState,
    /// The inputs of the function.
    pub(super) owned: &'a [Tensor],
    pub(super) written: &'a [(Arc<Data>, Tensor)],
    pub(super) outputs: &'a [(Arc<Data>, Type)],
}

impl Sources<'_> {
    pub(super) fn all(&self, inputs: &[Id]) -> Result<Vec<InputSource>> {
        inputs.iter().map(|id| self.source(*id)).collect()
    }

    /// The sources of a program that computes one node into its only output, which is no input of
    /// the graph.
    pub(super) fn probed(&self, inputs: &[Option<Id>]) -> Result<Vec<InputSource>> {
        let source = |input: &Option<Id>| match input {
            Some(input) => self.source(*input).map(InputSource::read_only),
            None => Ok(InputSource::Output(0)),
        };
        inputs.iter().map(source).collect()
    }

    fn source(&self, id: Id) -> Result<InputSource> {
        let lost = || Error::data("compile", "an input has no value");
        let data = bound_data(self.state, id).ok_or_else(lost)?;
        let is_it = |other: &Arc<Data>| Arc::ptr_eq(other, &data);
        if self.state.seeds.contains(&id) {
            return Ok(InputSource::Seed);
        }
        let input = self.owned.iter().position(|x| x.cell().data.as_ref().is_some_and(is_it));
        let target = self.written.iter().find(|(other, _)| is_it(other));
        let origin = self.state.origins.iter().find(|(other, _)| *other == id);
        let tensor = origin.and_then(|(_, x)| x.upgrade()).map(Tensor);
        let tensor = tensor.filter(|x| x.cell().data.as_ref().is_some_and(is_it));
        let output = self.outputs.iter().position(|(other, _)| is_it(other));
        Ok(match (input, target, tensor, output) {
            (Some(n), ..) => InputSource::Input(n),
            (_, Some((_, x)), ..) => InputSource::Tensor(x.clone(), true),
            (_, _, Some(x), _) => InputSource::Tensor(x, false),
            (.., Some(n)) => InputSource::Output(n),
            _ => InputSource::Fixed(data),
        })
    }
}
