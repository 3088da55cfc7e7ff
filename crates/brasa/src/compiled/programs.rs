//! The programs of a compiled function: each was recorded for certain input types and conditions,
//! and knows the source of the memory of each of its inputs.
use super::reads::Compiling;
use super::recorded::{Recorded, Sources, leaves, restore_written};
use super::{Captures, Record};
use crate::backend::{Memory, Probe, Program};
use crate::flush::record_writes;
use crate::nn::{Mode, Param};
use crate::optim::{NumbersKey, Optimizer, StepNumbers, Update};
use crate::random::next_seed;
use crate::session::Session;
use crate::storage::{Data, lock};
use crate::tensor::Inner;
use crate::{Device, Error, Result, Tensor, default_device};
use brasa_compile::bytes::graph_to_bytes;
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::Role;
use brasa_ir::{Graph, Number, Recorder, Type};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Maximum number of programs kept for different input shapes.
const MAX_PROGRAMS: usize = 8;

/// The programs of one function; the most recently used one is last.
#[derive(Default)]
pub(super) struct Programs {
    pub(super) purpose: Purpose,
    pub(super) kept: Vec<Traced>,
}

/// The purpose for which a function is recorded.
#[derive(Clone, Default, PartialEq)]
pub(super) enum Purpose {
    /// To run it.
    #[default]
    Run,
    /// To run it and to return the graph.
    Explain,
    /// To compute this node without changing any state; its type, if known.
    Probe(usize, Option<Type>),
}

/// The conditions that a recording depends on, in addition to the types of its inputs.
struct Conditions {
    /// The modes that were read, and their values.
    modes: Vec<(Mode, bool)>,
    /// Outside tensors that were read, and their versions.
    reads: Vec<(Weak<Inner>, u64)>,
    /// Outside tensors, and whether each required a gradient.
    leaves: Vec<(Weak<Inner>, bool)>,
    /// Number of parameters of the optimizer.
    params: usize,
}

impl Conditions {
    /// Whether the conditions are still met.
    fn are_met(&self, optimizer: Option<&Optimizer>) -> bool {
        let is_leaf = |x: &Weak<Inner>| Some(Tensor(x.upgrade()?).cell().is_leaf);
        let is_current =
            |x: &Weak<Inner>, version| x.upgrade().is_none_or(|x| Tensor(x).version() == version);
        self.modes.iter().all(|(mode, was)| mode.get() == *was)
            && self.reads.iter().all(|(x, version)| is_current(x, *version))
            && self.leaves.iter().all(|(x, was)| is_leaf(x).is_none_or(|is| is == *was))
            && self.params == params(optimizer)
    }
}

fn params(optimizer: Option<&Optimizer>) -> usize {
    optimizer.map_or(0, |optimizer| optimizer.params().count())
}

/// A function as recorded for inputs of certain types.
pub(super) struct Traced {
    types: Vec<Type>,
    conditions: Conditions,
    device: Device,
    pub(super) program: Box<dyn Program>,
    /// The sources of the memory of the program's inputs.
    pub(super) sources: Vec<InputSource>,
    slots: Vec<Number>,
    updates: Vec<UpdateGroup>,
    outputs: Vec<Type>,
    captures: Vec<(String, usize)>,
    /// The serialized graph, if requested.
    pub(super) graph: Option<Vec<u8>>,
}

/// The updates of parameters that share a key.
struct UpdateGroup {
    kind: NumbersKey,
    fingerprint: Fingerprint,
    /// The index of each parameter, and its first slot.
    starts: Vec<(usize, usize)>,
    /// The settings for which the slots are filled, if their numbers do not depend on the step.
    filled_for: Option<(f64, f64)>,
}

/// The source of the memory of a program's input.
pub(super) enum InputSource {
    /// An input of the function.
    Input(usize),
    /// The current memory of this tensor, and whether the run writes it.
    Tensor(Tensor, bool),
    /// A value that was computed while recording.
    Fixed(Arc<Data>),
    /// A new seed for each run.
    Seed,
    /// An output of the function.
    Output(usize),
}

impl InputSource {
    /// Name and role, for display.
    pub(super) fn describe(&self, params: &[(String, Param)]) -> (String, Role) {
        match self {
            InputSource::Input(n) => (format!("input {n}"), Role::Data),
            InputSource::Tensor(x, _) => match params.iter().find(|(_, param)| param.is_same(x)) {
                Some((path, _)) => (path.clone(), Role::Param),
                None => ("state".to_string(), Role::State),
            },
            InputSource::Fixed(_) => ("fixed".to_string(), Role::Data),
            InputSource::Seed => ("seed".to_string(), Role::Data),
            InputSource::Output(n) => (format!("output {n}"), Role::State),
        }
    }

    /// The same source for a run that writes nothing.
    pub(super) fn read_only(self) -> InputSource {
        match self {
            InputSource::Tensor(x, _) => InputSource::Tensor(x, false),
            // An output has no value before the run, and a probe does not read it.
            InputSource::Output(_) => InputSource::Output(0),
            other => other,
        }
    }
}

impl Programs {
    /// Runs the program for these inputs. Returns the result and the indices of the updated
    /// parameters.
    pub(super) fn run(
        &mut self,
        inputs: &[&Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
    ) -> Result<((Tensor, Captures), Vec<usize>)> {
        let data = inputs.iter().map(|x| x.data()).collect::<Result<Vec<_>>>()?;
        let traced = self.get_or_record(inputs, optimizer, record)?;
        let result = traced.run(&data)?;
        let updated = traced.updates.iter().flat_map(|update| &update.starts);
        Ok((result, updated.map(|(param, _)| *param).collect()))
    }

    /// The program for these inputs, recorded if there is none yet.
    pub(super) fn get_or_record(
        &mut self,
        inputs: &[&Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
    ) -> Result<&mut Traced> {
        let device = default_device();
        let fits = |traced: &mut Traced| {
            let same = traced.device == device
                && traced.types.iter().eq(inputs.iter().map(|x| x.ty()))
                && traced.conditions.are_met(optimizer);
            Ok::<bool, Error>(same && traced.set_numbers(optimizer)?)
        };
        let mut found = None;
        for (n, traced) in self.kept.iter_mut().enumerate().rev() {
            if fits(traced)? {
                found = Some(n);
                break;
            }
        }
        let traced = match found {
            Some(n) => self.kept.remove(n),
            None => Traced::new(inputs, optimizer, record, self.purpose.clone())?,
        };
        if self.kept.len() >= MAX_PROGRAMS {
            self.kept.remove(0);
        }
        self.kept.push(traced);
        Ok(self.kept.last_mut().expect("pushed above"))
    }
}

impl Traced {
    pub(super) fn new(
        inputs: &[&Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
        purpose: Purpose,
    ) -> Result<Traced> {
        // Separate tensors, so that two inputs that share memory stay distinct.
        let owned = inputs.iter().map(|x| Ok(Tensor::from_data(x.data()?.copied())));
        let owned = owned.collect::<Result<Vec<Tensor>>>()?;
        let (recorded, own) = Recorded::new(&owned, optimizer, record)?;
        let mut session = lock(&own);
        let roots = recorded.roots(&mut session);
        let memory = record_writes(&mut session, &roots, true, |_| true);
        let (outputs, captures) = recorded.outputs(&roots, &memory)?;
        let written = restore_written(&roots);
        recorded.check_reads(&session, &roots)?;
        let device = session.device();
        let Session { g, state, .. } = &mut *session;
        let state = state.get_mut();
        let inputs_of = Sources { state, owned: &owned, written: &written, outputs: &outputs };
        // Without an optimizer no gradients are computed.
        let leaves = if optimizer.is_some() { leaves(state) } else { Vec::new() };
        let Recorded { updates, conditions: Compiling { modes, reads, .. }, .. } = recorded;
        let conditions = Conditions { modes, reads, leaves, params: params(optimizer) };
        let types = inputs.iter().map(|x| x.ty().clone()).collect();
        let updates = group_updates(updates, optimizer)?;
        let slots = g.read(|graph| graph.slots().to_vec());
        let is_probe = matches!(purpose, Purpose::Probe(..));
        let captures = if is_probe { Vec::new() } else { captures };
        let (program, sources, outputs) = compile(g, device, &inputs_of, &purpose)?;
        let is_explained = purpose == Purpose::Explain;
        let graph = is_explained.then(|| g.read(graph_to_bytes)).transpose()?;
        Ok(Traced {
            types,
            conditions,
            device,
            program,
            sources,
            slots,
            updates,
            outputs,
            captures,
            graph,
        })
    }

    /// Fills in the optimizer's numbers for this step. Returns false if the program was recorded
    /// for others.
    fn set_numbers(&mut self, optimizer: Option<&Optimizer>) -> Result<bool> {
        let Some(optimizer) = optimizer else { return Ok(true) };
        let steps = optimizer.next_steps();
        for update in &mut self.updates {
            let settings = optimizer.settings(&update.kind);
            if update.filled_for == Some(settings) {
                continue;
            }
            // Nearly always all parameters have the same step count.
            let mut known: Option<(u64, StepNumbers)> = None;
            for &(param, start) in &update.starts {
                if known.as_ref().is_none_or(|(step, _)| *step != steps[param]) {
                    let found = optimizer.numbers(&update.kind, steps[param])?;
                    if found.fingerprint != update.fingerprint {
                        return Ok(false);
                    }
                    known = Some((steps[param], found));
                }
                let Some((_, StepNumbers { numbers, .. })) = &known else { continue };
                self.slots[start..start + numbers.len()].copy_from_slice(numbers);
            }
            let is_constant = known.is_some_and(|(_, found)| found.are_constant);
            update.filled_for = is_constant.then_some(settings);
        }
        Ok(true)
    }

    /// The types of the captures.
    pub(super) fn capture_types(&self) -> BTreeMap<String, Type> {
        self.captures.iter().map(|(name, n)| (name.clone(), self.outputs[*n].clone())).collect()
    }

    fn run(&mut self, inputs: &[Arc<Data>]) -> Result<(Tensor, Captures)> {
        let device = self.device;
        let outputs: Vec<Arc<Data>> =
            self.outputs.iter().map(|ty| Data::allocate(device, ty.clone())).collect();
        let data = |source: &InputSource| match source {
            InputSource::Input(n) => Ok(inputs[*n].clone()),
            InputSource::Output(n) => Ok(outputs[*n].clone()),
            InputSource::Fixed(data) => Ok(data.clone()),
            InputSource::Seed => Ok(next_seed(device)),
            InputSource::Tensor(x, false) => x.data(),
            InputSource::Tensor(x, true) => unshared_data(x),
        };
        let data = self.sources.iter().map(data).collect::<Result<Vec<_>>>()?;
        let memory: Vec<&dyn Memory> = data.iter().map(|data| data.memory()).collect();
        self.program.run(&memory, &self.slots)?;
        for source in &self.sources {
            if let InputSource::Tensor(x, true) = source {
                let mut cell = x.cell();
                (cell.version, cell.recorded) = (cell.version + 1, None);
            }
        }
        let tensor = |n: usize| Tensor::from_data(outputs[n].clone());
        // `extend`, not `collect`: `BTreeMap::from_iter` sorts first, which adds code to the page's
        // wasm.
        let mut captures = Captures::new();
        captures.extend(self.captures.iter().map(|(name, n)| (name.clone(), tensor(*n))));
        Ok((tensor(0), captures))
    }
}

/// A program, the sources of its inputs, and the types of its outputs.
type CompiledProgram = (Box<dyn Program>, Vec<InputSource>, Vec<Type>);

/// Compiles the recorded graph for a purpose.
fn compile(
    g: &Recorder,
    device: Device,
    inputs: &Sources,
    purpose: &Purpose,
) -> Result<CompiledProgram> {
    if let Purpose::Probe(node, ty) = purpose {
        let probe = |graph: &Graph| device.backend().probe(graph, *node, ty.as_ref());
        let Probe { program, inputs: read, ty } = g.read(probe)?;
        return Ok((program, inputs.probed(&read)?, vec![ty]));
    }
    let program = g.read(|graph| device.backend().program(graph))?;
    let sources = inputs.all(program.inputs())?;
    Ok((program, sources, inputs.outputs.iter().map(|(_, ty)| ty.clone()).collect()))
}

/// Memory with a single owner, so that it can be written.
fn unshared_data(x: &Tensor) -> Result<Arc<Data>> {
    let data = x.data()?;
    // The two owners are the tensor and this function.
    if Arc::strong_count(&data) == 2 {
        return Ok(data);
    }
    let copy = data.copied();
    x.cell().data = Some(copy.clone());
    Ok(copy)
}

/// Groups the slots of parameters that share a key and a step count.
fn group_updates(updates: Vec<Update>, optimizer: Option<&Optimizer>) -> Result<Vec<UpdateGroup>> {
    let Some(optimizer) = optimizer else { return Ok(Vec::new()) };
    let steps = optimizer.next_steps();
    let mut grouped: Vec<(u64, UpdateGroup)> = Vec::new();
    for Update { param, start, kind } in updates {
        let step = steps[param];
        match grouped.iter_mut().find(|(other, group)| (*other, &group.kind) == (step, &kind)) {
            Some((_, group)) => group.starts.push((param, start)),
            None => {
                let StepNumbers { fingerprint, .. } = optimizer.numbers(&kind, step)?;
                let (starts, filled_for) = (vec![(param, start)], None);
                grouped.push((step, UpdateGroup { kind, fingerprint, starts, filled_for }));
            }
        }
    }
    Ok(grouped.into_iter().map(|(_, group)| group).collect())
}
