//! Compiled functions: a training step or a forward pass that is recorded once for each shape of its
//! inputs and then runs without recording.
use crate::backend::{Memory, Program};
use crate::flush::{flush_own, pending, record_writes};
use crate::nn::{Module, Param, StateDict};
use crate::optim::{Numbers, Optimizer};
use crate::random::{next_seed, rng_state, set_rng_state};
use crate::session::{session, with_new_session};
use crate::storage::{Data, lock};
use crate::trace::Recording;
use crate::{Device, Error, Result, Tensor, default_device, no_grad};
use brasa_compile::bytes::graph_to_bytes;
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::Role;
use brasa_ir::{Id, Number, Type};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// Tensors that were captured in a run, by name.
pub type Captures = BTreeMap<String, Tensor>;

/// Hands `x` out of a compiled function under this name; does nothing elsewhere.
pub fn capture(name: &str, x: &Tensor) {
    session(|own| {
        if let Some(captures) = &mut lock(own).state.get_mut().captures {
            captures.push((name.to_string(), x.clone()));
        }
    });
}

/// Makes a training step of a loss and an optimizer: forward pass, gradients and update in one program.
///
/// The loss is recorded when the first inputs of a shape come in; programs for several shapes, such as
/// a shorter last batch, are kept.
///
/// ```
/// use brasa::nn::{Linear, Module};
/// use brasa::{Tensor, compile, ops, optim::Sgd};
/// # fn main() -> brasa::Result<()> {
/// let model = Linear::new(1, 1);
/// let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
/// let mut step = compile(&model, loss, Sgd::new(0.1).build(model.parameters()));
/// let (x, y) = (Tensor::new([[1.0], [2.0]]), Tensor::new([[2.0], [4.0]]));
/// let first = step.run(&[&x, &y])?;
/// for _ in 0..200 {
///     step.run(&[&x, &y])?;
/// }
/// assert!(step.run(&[&x, &y])? < 0.01 * first);
/// # Ok(())
/// # }
/// ```
pub fn compile<'m>(
    model: impl Module + 'm,
    loss: impl Fn(&[Tensor]) -> Tensor + 'm,
    optimizer: Optimizer,
) -> TrainStep<'m> {
    TrainStep {
        model: Box::new(model),
        loss: Box::new(loss),
        optimizer,
        programs: Programs::default(),
    }
}

/// What is compiled: one tensor of several.
type Function<'m> = Box<dyn Fn(&[Tensor]) -> Tensor + 'm>;

/// A compiled training step, made by [`compile`].
pub struct TrainStep<'m> {
    model: Box<dyn Module + 'm>,
    loss: Function<'m>,
    optimizer: Optimizer,
    programs: Programs,
}

/// A compiled forward pass, made by [`TrainStep::attach`] or [`Forward::new`].
pub struct Forward<'m> {
    function: Function<'m>,
    programs: Programs,
}

impl<'m> TrainStep<'m> {
    /// Takes a step and gives the loss before it.
    #[track_caller]
    pub fn run(&mut self, inputs: &[&Tensor]) -> Result<f32> {
        self.run_with_captures(inputs).map(|(loss, _)| loss)
    }

    /// Takes a step and gives the loss before it, and what was captured.
    #[track_caller]
    pub fn run_with_captures(&mut self, inputs: &[&Tensor]) -> Result<(f32, Captures)> {
        let (loss, captures) = self.step(inputs)?;
        Ok((loss.item::<f32>()?, captures))
    }

    /// Takes a step and gives the loss before it as a tensor, to be read when it is wanted, and what
    /// was captured.
    #[track_caller]
    pub fn step(&mut self, inputs: &[&Tensor]) -> Result<(Tensor, Captures)> {
        flush_own()?;
        let steps = self.optimizer.steps();
        let optimizer = &mut self.optimizer;
        optimizer.set_steps(steps + 1);
        let record = recorder(&*self.model, &self.loss, steps);
        let taken = self.programs.run(inputs, Some(&mut *optimizer), record);
        taken.inspect_err(|_| optimizer.set_steps(steps))
    }

    /// The step for inputs like these as it is recorded, for tools that show it. Nothing is changed.
    #[track_caller]
    pub fn recording(&mut self, inputs: &[&Tensor]) -> Result<Recording> {
        flush_own()?;
        let steps = self.optimizer.steps();
        let record = recorder(&*self.model, &self.loss, steps);
        let traced = Traced::new(inputs, Some(&mut self.optimizer), record, true);
        self.optimizer.set_steps(steps);
        let traced = traced?;
        let params = self.model.named_parameters();
        let names = traced.program.inputs().iter().zip(&traced.sources);
        let names = names.map(|(id, source)| {
            let (name, role) = source.described(&params);
            (*id, name, role)
        });
        Ok(Recording { names: names.collect(), graph: traced.graph.unwrap_or_default() })
    }

    /// The gradients of the loss by each parameter, without a step.
    #[track_caller]
    pub fn grads(&mut self, inputs: &[&Tensor]) -> Result<StateDict> {
        self.model.zero_grad();
        let inputs: Vec<Tensor> = inputs.iter().map(|x| (*x).clone()).collect();
        (self.loss)(&inputs).backward();
        let named = self.model.named_parameters().into_iter();
        let grads = named.filter_map(|(name, param)| Some((name, param.grad()?))).collect();
        self.model.zero_grad();
        flush_own()?;
        Ok(grads)
    }

    /// Compiles another function of the same parameters.
    pub fn attach(&self, function: impl Fn(&[Tensor]) -> Tensor + 'm) -> Forward<'m> {
        Forward::new(function)
    }

    /// Sets the learning rate of the next steps.
    pub fn set_lr(&mut self, lr: f64) {
        self.optimizer.set_lr(lr);
    }

    /// Lets the optimizer begin anew.
    pub fn reset(&mut self) {
        self.optimizer.reset();
    }

    /// The optimizer with its state and settings.
    pub fn optimizer(&mut self) -> &mut Optimizer {
        &mut self.optimizer
    }

    /// The parameters and buffers of the model, by path.
    pub fn state_dict(&self) -> StateDict {
        self.model.state_dict()
    }

    /// Takes over parameters and buffers.
    pub fn load_state_dict(&self, dict: &StateDict) -> Result<()> {
        self.model.load_state_dict(dict)
    }
}

impl<'m> Forward<'m> {
    /// Compiles a function, without gradients.
    pub fn new(function: impl Fn(&[Tensor]) -> Tensor + 'm) -> Forward<'m> {
        Forward { function: Box::new(function), programs: Programs::default() }
    }

    /// The result for these inputs.
    #[track_caller]
    pub fn run(&mut self, inputs: &[&Tensor]) -> Result<Tensor> {
        self.run_with_captures(inputs).map(|(result, _)| result)
    }

    /// The result for these inputs, and what was captured.
    #[track_caller]
    pub fn run_with_captures(&mut self, inputs: &[&Tensor]) -> Result<(Tensor, Captures)> {
        flush_own()?;
        let function = &self.function;
        self.programs.run(inputs, None, |inputs, _| (no_grad(|| function(inputs)), Vec::new()))
    }
}

/// A result, and the slots that hold an optimizer's numbers.
type Recorded = (Tensor, Vec<(usize, Numbers)>);

/// What is recorded of a step: loss, gradients and update.
fn recorder<'a>(
    model: &'a dyn Module,
    loss: &'a Function,
    steps: u64,
) -> impl FnOnce(&[Tensor], Option<&mut Optimizer>) -> Recorded + 'a {
    move |inputs, optimizer| {
        model.zero_grad();
        let loss = loss(inputs);
        loss.backward();
        let updates = optimizer.map_or(Vec::new(), |optimizer| {
            optimizer.set_steps(steps);
            optimizer.record_step()
        });
        model.zero_grad();
        (loss, updates)
    }
}

/// Programs that are kept for different shapes of inputs.
const KEPT_SHAPES: usize = 8;

/// The programs of one function, by the types of its inputs; the last used one last.
#[derive(Default)]
struct Programs(Vec<Traced>);

/// A function as it was recorded for inputs of certain types.
struct Traced {
    types: Vec<Type>,
    device: Device,
    program: Box<dyn Program>,
    /// Where the memory of the program's inputs comes from.
    sources: Vec<Source>,
    slots: Vec<Number>,
    updates: Vec<Update>,
    outputs: Vec<Type>,
    captures: Vec<(String, usize)>,
    /// The graph as bytes, where it is wanted.
    graph: Option<Vec<u8>>,
}

/// Slots of an optimizer's numbers.
struct Update {
    kind: Numbers,
    fingerprint: Fingerprint,
    starts: Vec<usize>,
}

/// Memory of a run.
enum Source {
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
    fn described(&self, params: &[(String, Param)]) -> (String, Role) {
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
}

impl Programs {
    /// Runs the program for these inputs, recording it first where there is none.
    fn run(
        &mut self,
        inputs: &[&Tensor],
        optimizer: Option<&mut Optimizer>,
        record: impl FnOnce(&[Tensor], Option<&mut Optimizer>) -> Recorded,
    ) -> Result<(Tensor, Captures)> {
        let data = inputs.iter().map(|x| x.data()).collect::<Result<Vec<_>>>()?;
        let device = default_device();
        let fits = |traced: &mut Traced| {
            let same =
                traced.device == device && traced.types.iter().eq(inputs.iter().map(|x| x.ty()));
            Ok::<bool, Error>(same && traced.set_numbers(optimizer.as_deref())?)
        };
        let mut found = None;
        for (n, traced) in self.0.iter_mut().enumerate().rev() {
            if fits(traced)? {
                found = Some(n);
                break;
            }
        }
        let traced = match found {
            Some(n) => self.0.remove(n),
            None => Traced::new(inputs, optimizer, record, false)?,
        };
        if self.0.len() >= KEPT_SHAPES {
            self.0.remove(0);
        }
        self.0.push(traced);
        self.0.last_mut().expect("it was pushed").run(&data)
    }
}

impl Traced {
    fn new(
        inputs: &[&Tensor],
        mut optimizer: Option<&mut Optimizer>,
        record: impl FnOnce(&[Tensor], Option<&mut Optimizer>) -> Recorded,
        keeps_graph: bool,
    ) -> Result<Traced> {
        let rng = rng_state();
        // Tensors of their own, so that two inputs with the same memory stay two.
        let owned = inputs.iter().map(|x| Ok(Tensor::from_data(x.data()?.copied())));
        let owned = owned.collect::<Result<Vec<Tensor>>>()?;
        let (recorded, own) = with_new_session(|| {
            session(|own| lock(own).state.get_mut().captures = Some(Vec::new()));
            crate::catch(|| record(&owned, optimizer.as_deref_mut()))
        });
        set_rng_state(rng);
        let (result, updates) = recorded?;
        if let Some(fault) = result.fault() {
            return Err(fault);
        }
        let mut session = lock(&own);
        let captures = session.state.get_mut().captures.take().unwrap_or_default();
        let live = std::mem::take(&mut session.state.get_mut().live);
        let live: Vec<Tensor> = live.iter().filter_map(Weak::upgrade).map(Tensor).collect();
        let roots = pending(&session, &live);
        let memory = record_writes(&mut session, &roots, |_| true);

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
        for (data, tensor) in &written {
            let mut cell = tensor.cell();
            (cell.data, cell.home, cell.place) = (Some(data.clone()), None, None);
            cell.is_tracked = false;
        }
        let state = session.state.get_mut();
        let source = |(id, data): &(Id, Arc<Data>)| {
            let is_it = |other: &Arc<Data>| Arc::ptr_eq(other, data);
            if state.seeds.contains(id) {
                return Source::Seed;
            }
            let input = owned.iter().position(|x| x.cell().data.as_ref().is_some_and(is_it));
            let target = written.iter().find(|(other, _)| is_it(other));
            let origin = state.origins.iter().find(|(other, _)| other == id);
            let tensor = origin.and_then(|(_, x)| x.upgrade()).map(Tensor);
            let tensor = tensor.filter(|x| x.cell().data.as_ref().is_some_and(is_it));
            let output = outputs.iter().position(|(other, _)| is_it(other));
            match (input, target, tensor, output) {
                (Some(n), ..) => Source::Input(n),
                (_, Some((_, x)), ..) => Source::Tensor(x.clone(), true),
                (_, _, Some(x), _) => Source::Tensor(x, false),
                (.., Some(n)) => Source::Output(n),
                _ => Source::Fixed(data.clone()),
            }
        };
        let all: Vec<(Id, Source)> = state.bindings.iter().map(|b| (b.0, source(b))).collect();
        let device = session.device();
        let (program, slots) =
            session.g.read(|graph| (device.backend().program(graph), graph.slots().to_vec()));
        let program = program?;
        let graph = session.g.read(|graph| keeps_graph.then(|| graph_to_bytes(graph)));
        let graph = graph.transpose()?;
        let mut all: BTreeMap<Id, Source> = all.into_iter().collect();
        let sources = program.inputs().iter().map(|input| {
            let lost = || Error::data("compile", "an input has no value");
            all.remove(input).ok_or_else(lost)
        });
        let sources = sources.collect::<Result<Vec<_>>>()?;
        let types = inputs.iter().map(|x| x.ty().clone()).collect();
        let outputs = outputs.into_iter().map(|(_, ty)| ty).collect();
        let updates = grouped(updates, optimizer.as_deref())?;
        Ok(Traced { types, device, program, sources, slots, updates, outputs, captures, graph })
    }

    /// Fills in the optimizer's numbers of this step; whether the program can hold them.
    fn set_numbers(&mut self, optimizer: Option<&Optimizer>) -> Result<bool> {
        let Some(optimizer) = optimizer else { return Ok(true) };
        for update in &self.updates {
            let (numbers, fingerprint) = optimizer.numbers(&update.kind)?;
            if fingerprint != update.fingerprint {
                return Ok(false);
            }
            for &start in &update.starts {
                self.slots[start..start + numbers.len()].copy_from_slice(&numbers);
            }
        }
        Ok(true)
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
        let captures = self.captures.iter().map(|(name, n)| (name.clone(), tensor(*n))).collect();
        Ok((tensor(0), captures))
    }
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

/// The slots of each kind of numbers.
fn grouped(updates: Vec<(usize, Numbers)>, optimizer: Option<&Optimizer>) -> Result<Vec<Update>> {
    let mut grouped: Vec<Update> = Vec::new();
    for (start, kind) in updates {
        let known = grouped.iter_mut().find(|update| update.kind == kind);
        match (known, optimizer) {
            (Some(update), _) => update.starts.push(start),
            (None, Some(optimizer)) => {
                let (_, fingerprint) = optimizer.numbers(&kind)?;
                grouped.push(Update { kind, fingerprint, starts: vec![start] });
            }
            (None, None) => {}
        }
    }
    Ok(grouped)
}
