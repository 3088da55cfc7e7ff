//! The programs of a compiled function: what was recorded for inputs of certain types, under certain
//! conditions, and where the memory for a run comes from.
use super::reads::{Compiling, Undo, kept_from_recording, refused};
use super::{Captures, Record};
use crate::backend::{Memory, Probe, Program};
use crate::flush::{Root, bound, pending, record_writes};
use crate::nn::{Mode, Param};
use crate::optim::{Found, Numbers, Optimizer, Update};
use crate::random::{next_seed, rng_state, set_rng_state};
use crate::session::{Session, record, with_new_session};
use crate::storage::{Data, lock};
use crate::tensor::Inner;
use crate::{Device, Error, Result, Tensor, default_device};
use brasa_compile::bytes::graph_to_bytes;
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::{Op, Role};
use brasa_ir::{Graph, Id, Number, Type};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Programs that are kept for different shapes of inputs.
const KEPT_SHAPES: usize = 8;

/// The programs of one function, by the types of its inputs; the last used one last.
#[derive(Default)]
pub(super) struct Programs {
    pub(super) aim: Aim,
    pub(super) kept: Vec<Traced>,
}

/// What a recorded graph is made into.
#[derive(Clone, Default, PartialEq)]
pub(super) enum Aim {
    /// The program that carries it out.
    #[default]
    Run,
    /// The same, with the graph beside it.
    Tell,
    /// A program that gives the value of this node and changes nothing; its type, where it is known.
    Probe(usize, Option<Type>),
}

/// What a recording depends on besides the types of its inputs.
struct Conditions {
    /// The modes that were looked at.
    modes: Vec<(Mode, bool)>,
    /// Tensors from outside that were read, and their versions.
    reads: Vec<(Weak<Inner>, u64)>,
    /// Tensors from outside, and whether a gradient was wanted for them.
    leaves: Vec<(Weak<Inner>, bool)>,
    /// The parameters that the optimizer knew of.
    params: usize,
}

impl Conditions {
    /// Whether all is as it was.
    fn hold(&self, optimizer: Option<&Optimizer>) -> bool {
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

/// A function as it was recorded for inputs of certain types.
pub(super) struct Traced {
    types: Vec<Type>,
    conditions: Conditions,
    device: Device,
    pub(super) program: Box<dyn Program>,
    /// Where the memory of the program's inputs comes from.
    pub(super) sources: Vec<Source>,
    slots: Vec<Number>,
    updates: Vec<Updates>,
    outputs: Vec<Type>,
    captures: Vec<(String, usize)>,
    /// The graph as bytes, where it is wanted.
    pub(super) graph: Option<Vec<u8>>,
}

/// The updates of parameters of one kind.
struct Updates {
    kind: Numbers,
    fingerprint: Fingerprint,
    /// Numbers of the parameters, and the first slot of each.
    starts: Vec<(usize, usize)>,
    /// The settings for which the slots are filled for good.
    filled_for: Option<(f64, f64)>,
}

/// Memory of a run.
pub(super) enum Source {
    /// An input of the function.
    Input(usize),
    /// Whatever this tensor holds; the run changes it where marked.
    Tensor(Tensor, bool),
    /// A value that was made while recording.
    Fixed(Arc<Data>),
    /// A new seed for each run.
    Seed,
    /// A result.
    Output(usize),
}

impl Source {
    /// What people call it, and what it is for.
    pub(super) fn described(&self, params: &[(String, Param)]) -> (String, Role) {
        match self {
            Source::Input(n) => (format!("input {n}"), Role::Data),
            Source::Tensor(x, _) => match params.iter().find(|(_, param)| param.is_same(x)) {
                Some((path, _)) => (path.clone(), Role::Param),
                None => ("state".to_string(), Role::State),
            },
            Source::Fixed(_) => ("fixed".to_string(), Role::Data),
            Source::Seed => ("seed".to_string(), Role::Data),
            Source::Output(n) => (format!("output {n}"), Role::State),
        }
    }

    /// The same for a run that changes nothing.
    fn only_read(self) -> Source {
        match self {
            Source::Tensor(x, _) => Source::Tensor(x, false),
            // A result has no value before it is computed: nothing asks for it.
            Source::Output(_) => Source::Output(0),
            other => other,
        }
    }
}

impl Programs {
    /// Runs the program for these inputs. Gives the result, and the numbers of the parameters that were
    /// updated.
    pub(super) fn run(
        &mut self,
        inputs: &[&Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
    ) -> Result<((Tensor, Captures), Vec<usize>)> {
        let data = inputs.iter().map(|x| x.data()).collect::<Result<Vec<_>>>()?;
        let traced = self.ready(inputs, optimizer, record)?;
        let result = traced.run(&data)?;
        let updated = traced.updates.iter().flat_map(|update| &update.starts);
        Ok((result, updated.map(|(param, _)| *param).collect()))
    }

    /// What these inputs run, recorded first where there is no such program.
    pub(super) fn ready(
        &mut self,
        inputs: &[&Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
    ) -> Result<&mut Traced> {
        let device = default_device();
        let fits = |traced: &mut Traced| {
            let same = traced.device == device
                && traced.types.iter().eq(inputs.iter().map(|x| x.ty()))
                && traced.conditions.hold(optimizer);
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
            None => Traced::new(inputs, optimizer, record, self.aim.clone())?,
        };
        if self.kept.len() >= KEPT_SHAPES {
            self.kept.remove(0);
        }
        self.kept.push(traced);
        Ok(self.kept.last_mut().expect("it was pushed"))
    }
}

impl Traced {
    pub(super) fn new(
        inputs: &[&Tensor],
        optimizer: Option<&Optimizer>,
        record: Record,
        aim: Aim,
    ) -> Result<Traced> {
        let rng = rng_state();
        // Tensors of their own, so that two inputs with the same memory stay two.
        let owned = inputs.iter().map(|x| Ok(Tensor::from_data(x.data()?.copied())));
        let owned = owned.collect::<Result<Vec<Tensor>>>()?;
        let (recorded, own) = with_new_session(|| {
            let undo = Undo::begin(&owned);
            let (result, updates) = crate::catch(|| record(&owned, optimizer))?;
            if let Some(fault) = result.fault() {
                return Err(fault);
            }
            let result = computed(&result);
            let named = undo.captures().into_iter().map(|(name, x)| (name, computed(&x)));
            Ok((result, updates, named.collect::<Vec<_>>(), undo.accept()))
        });
        set_rng_state(rng);
        let (result, updates, captures, Compiling { modes, reads, .. }) = recorded?;
        let mut session = lock(&own);
        let live = std::mem::take(&mut session.state.get_mut().live);
        let live: Vec<Tensor> = live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
        let is_asked_for =
            |x: &Tensor| x.is_same(&result) || captures.iter().any(|(_, other)| other.is_same(x));
        let (roots, left): (Vec<Root>, Vec<Root>) = pending(&session, &live)
            .into_iter()
            .partition(|root| root.home.is_some() || is_asked_for(&root.tensor));
        // Handles that somebody has kept: runs do not go through them.
        left.iter().for_each(|root| root.tensor.lose(kept_from_recording(&root.tensor)));
        let memory = record_writes(&mut session, &roots, true, |_| true);

        let mut outputs: Vec<(Arc<Data>, Type)> = Vec::new();
        let mut output = |x: &Tensor| {
            let at = roots.iter().position(|root| root.tensor.is_same(x));
            let data = at.map_or_else(|| x.data(), |at| Ok(memory[at].clone()))?;
            let known = outputs.iter().position(|(other, _)| Arc::ptr_eq(other, &data));
            Ok::<usize, Error>(known.unwrap_or_else(|| {
                outputs.push((data, x.ty().clone()));
                outputs.len() - 1
            }))
        };
        output(&result)?;
        let captures = captures.into_iter().map(|(name, x)| Ok((name, output(&x)?)));
        let captures = captures.collect::<Result<Vec<_>>>()?;

        let written: Vec<(Arc<Data>, Tensor)> = roots
            .iter()
            .filter_map(|root| Some((root.home.clone()?.0, root.tensor.clone())))
            .collect();
        written.iter().for_each(|(data, tensor)| tensor.settle_at_home(data.clone()));
        let is_read =
            |root: &&Root| reads.iter().any(|(x, _)| x.as_ptr() == Arc::as_ptr(&root.tensor.0));
        if let Some(root) = roots.iter().filter(|root| root.home.is_some()).find(is_read) {
            let site = session.g.read(|graph| graph.site(graph[root.node].origin.site).clone());
            return Err(refused(root.tensor.ty()).at(site));
        }
        let device = session.device();
        let Session { g, state, .. } = &mut *session;
        let state = state.get_mut();
        let source = |id: &Id| {
            let lost = || Error::data("compile", "an input has no value");
            let data = bound(state, *id).ok_or_else(lost)?;
            let is_it = |other: &Arc<Data>| Arc::ptr_eq(other, &data);
            if state.seeds.contains(id) {
                return Ok(Source::Seed);
            }
            let input = owned.iter().position(|x| x.cell().data.as_ref().is_some_and(is_it));
            let target = written.iter().find(|(other, _)| is_it(other));
            let origin = state.origins.iter().find(|(other, _)| other == id);
            let tensor = origin.and_then(|(_, x)| x.upgrade()).map(Tensor);
            let tensor = tensor.filter(|x| x.cell().data.as_ref().is_some_and(is_it));
            let output = outputs.iter().position(|(other, _)| is_it(other));
            Ok(match (input, target, tensor, output) {
                (Some(n), ..) => Source::Input(n),
                (_, Some((_, x)), ..) => Source::Tensor(x.clone(), true),
                (_, _, Some(x), _) => Source::Tensor(x, false),
                (.., Some(n)) => Source::Output(n),
                _ => Source::Fixed(data),
            })
        };
        let leaves = state.origins.iter().filter_map(|(_, x)| {
            let is_leaf = Tensor(x.upgrade()?).cell().is_leaf;
            Some((x.clone(), is_leaf))
        });
        // Where there is no update, nothing asks for gradients.
        let leaves = if optimizer.is_some() { leaves.collect() } else { Vec::new() };
        let conditions = Conditions { modes, reads, leaves, params: params(optimizer) };
        let types = inputs.iter().map(|x| x.ty().clone()).collect();
        let updates = grouped(updates, optimizer)?;
        let slots = g.read(|graph| graph.slots().to_vec());
        let mut graph = None;
        let (program, sources, outputs, captures) = if let Aim::Probe(node, ty) = aim {
            let probe = |graph: &Graph| device.backend().probe(graph, node, ty.as_ref());
            let Probe { program, inputs, ty } = g.read(probe)?;
            let source = |input: &Option<Id>| match input {
                Some(input) => source(input).map(Source::only_read),
                None => Ok(Source::Output(0)),
            };
            (program, inputs.iter().map(source).collect::<Result<_>>()?, vec![ty], Vec::new())
        } else {
            let program = g.read(|graph| device.backend().program(graph))?;
            if aim == Aim::Tell {
                graph = Some(g.read(graph_to_bytes)?);
            }
            let sources = program.inputs().iter().map(source).collect::<Result<_>>()?;
            (program, sources, outputs.into_iter().map(|(_, ty)| ty).collect(), captures)
        };
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

    /// Fills in the optimizer's numbers of this step; whether the program can hold them.
    fn set_numbers(&mut self, optimizer: Option<&Optimizer>) -> Result<bool> {
        let Some(optimizer) = optimizer else { return Ok(true) };
        let steps = optimizer.next_steps();
        for update in &mut self.updates {
            let settings = optimizer.settings(&update.kind);
            if update.filled_for == Some(settings) {
                continue;
            }
            // Nearly always all parameters have come equally far.
            let mut known: Option<(u64, Found)> = None;
            for &(param, start) in &update.starts {
                if known.as_ref().is_none_or(|(step, _)| *step != steps[param]) {
                    let found = optimizer.numbers(&update.kind, steps[param])?;
                    if found.fingerprint != update.fingerprint {
                        return Ok(false);
                    }
                    known = Some((steps[param], found));
                }
                let Some((_, Found { numbers, .. })) = &known else { continue };
                self.slots[start..start + numbers.len()].copy_from_slice(numbers);
            }
            let is_constant = known.is_some_and(|(_, found)| found.are_constant);
            update.filled_for = is_constant.then_some(settings);
        }
        Ok(true)
    }

    /// What a run captures.
    pub(super) fn capture_types(&self) -> BTreeMap<String, Type> {
        self.captures.iter().map(|(name, n)| (name.clone(), self.outputs[*n].clone())).collect()
    }

    fn run(&mut self, inputs: &[Arc<Data>]) -> Result<(Tensor, Captures)> {
        let device = self.device;
        let outputs: Vec<Arc<Data>> =
            self.outputs.iter().map(|ty| Data::room(device, ty.clone())).collect();
        let data = |source: &Source| match source {
            Source::Input(n) => Ok(inputs[*n].clone()),
            Source::Output(n) => Ok(outputs[*n].clone()),
            Source::Fixed(data) => Ok(data.clone()),
            Source::Seed => Ok(next_seed(device)),
            Source::Tensor(x, false) => x.data(),
            Source::Tensor(x, true) => own_data(x),
        };
        let data = self.sources.iter().map(data).collect::<Result<Vec<_>>>()?;
        let memory: Vec<&dyn Memory> = data.iter().map(|data| data.memory()).collect();
        self.program.run(&memory, &self.slots)?;
        for source in &self.sources {
            if let Source::Tensor(x, true) = source {
                let mut cell = x.cell();
                (cell.version, cell.place) = (cell.version + 1, None);
            }
        }
        let tensor = |n: usize| Tensor::from_data(outputs[n].clone());
        // Not collected, as elsewhere: that would sort them first, by code that a page has to load.
        let mut captures = Captures::new();
        captures.extend(self.captures.iter().map(|(name, n)| (name.clone(), tensor(*n))));
        Ok((tensor(0), captures))
    }
}

/// A result as something that a run computes, which an input is not.
fn computed(x: &Tensor) -> Tensor {
    x.settle_tensor();
    record("result", |s| {
        let x = s.expr(x);
        let is_input = s.g.read(|graph| matches!(graph[x.id()].op, Op::Input(_)));
        Ok(if is_input { x.detach().id() } else { x.id() })
    })
}

/// Memory that nobody else holds, to be written to.
fn own_data(x: &Tensor) -> Result<Arc<Data>> {
    let data = x.data()?;
    // Held by the tensor and here.
    if Arc::strong_count(&data) == 2 {
        return Ok(data);
    }
    let copy = data.copied();
    x.cell().data = Some(copy.clone());
    Ok(copy)
}

/// The slots of parameters that are of one kind and have come equally far.
fn grouped(updates: Vec<Update>, optimizer: Option<&Optimizer>) -> Result<Vec<Updates>> {
    let Some(optimizer) = optimizer else { return Ok(Vec::new()) };
    let steps = optimizer.next_steps();
    let mut grouped: Vec<(u64, Updates)> = Vec::new();
    for Update { param, start, kind } in updates {
        let step = steps[param];
        match grouped.iter_mut().find(|(other, group)| (*other, &group.kind) == (step, &kind)) {
            Some((_, group)) => group.starts.push((param, start)),
            None => {
                let Found { fingerprint, .. } = optimizer.numbers(&kind, step)?;
                let (starts, filled_for) = (vec![(param, start)], None);
                grouped.push((step, Updates { kind, fingerprint, starts, filled_for }));
            }
        }
    }
    Ok(grouped.into_iter().map(|(_, group)| group).collect())
}
