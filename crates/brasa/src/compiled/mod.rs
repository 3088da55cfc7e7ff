//! Compiled functions: a training step or forward pass that is recorded once per input shape and
//! then runs without recording.
mod programs;
pub(crate) mod reads;
mod recorded;

use crate::flush::flush_own;
use crate::nn::{Module, StateDict};
use crate::optim::{Clip, Ema, Optimizer, Update};
use crate::random::{rng_state, set_rng_state};
use crate::session::session;
use crate::storage::lock;
use crate::trace::Recording;
use crate::{Error, Result, Tensor, no_grad, ops};
use brasa_ir::Type;
use programs::{Programs, Purpose, Traced};
use std::collections::BTreeMap;

/// Tensors captured during a run, by name.
pub type Captures = BTreeMap<String, Tensor>;

/// Returns `x` from the enclosing compiled function under this name; does nothing elsewhere.
pub fn capture(name: &str, x: &Tensor) {
    session(|own| {
        if let Some(compiling) = &mut lock(own).state.get_mut().compiling {
            compiling.captures.push((name.to_string(), x.clone()));
        }
    });
}

/// Prepares a run: computes everything that is pending. Fails while another compiled function is
/// being recorded.
fn prepare_run() -> Result<()> {
    if reads::is_compiling() {
        let what = "a compiled function was called while another one is being recorded";
        let help = "call the original function instead: its ops become part of the other";
        return Err(Error::argument("compile", what).help(help));
    }
    flush_own()
}

/// Compiles a training step from a loss and an optimizer: forward pass, gradients and update in one
/// program.
///
/// The loss is recorded on the first call with inputs of a new shape; programs for several shapes,
/// such as a shorter last batch, are kept. The step is recorded again when layers switch between
/// training and evaluation, or parameters are frozen or unfrozen; other flags of the model keep the
/// value they had when the step was recorded.
///
/// While the loss is recorded, values that depend on the inputs or parameters do not exist: it is
/// an error to read one, or to call an op whose shape depends on one, such as `nonzero`. Constant
/// tensors can be read; if one is updated in place later, the loss is recorded again.
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
    let recipe = Recipe {
        model: Box::new(model),
        loss: Box::new(loss),
        clip: None,
        average: None,
        sums: Vec::new(),
    };
    TrainStep {
        recipe,
        optimizer,
        parts: 1,
        programs: Programs::default(),
        additions: Programs::default(),
        probes: Programs::default(),
    }
}

/// A function to compile: several tensors in, one out.
type Function<'m> = Box<dyn Fn(&[Tensor]) -> Tensor + 'm>;

/// A compiled training step, made by [`compile`].
pub struct TrainStep<'m> {
    recipe: Recipe<'m>,
    optimizer: Optimizer,
    parts: usize,
    programs: Programs,
    additions: Programs,
    probes: Programs,
}

/// A compiled forward pass, made by [`TrainStep::attach`] or [`Forward::new`].
pub struct Forward<'m> {
    function: Function<'m>,
    programs: Programs,
}

impl<'m> TrainStep<'m> {
    /// Clips the gradients of each step.
    pub fn clip(&mut self, clip: Clip) -> &mut Self {
        self.recipe.clip = Some(clip);
        self.invalidate_programs()
    }

    /// Splits each batch into this many parts, along the first axis of its inputs, and accumulates
    /// their gradients before a single update. For a loss that is a mean over the examples, this is
    /// the same step up to rounding, with the memory of one part. Captures are those of the last
    /// part.
    pub fn accumulate(&mut self, parts: usize) -> &mut Self {
        self.parts = parts.max(1);
        self.invalidate_programs()
    }

    /// Maintains a moving average of the parameters as part of each step: see [`Ema`].
    pub fn ema(&mut self, decay: f64) -> &mut Self {
        self.recipe.average = Some(Ema::new(self.recipe.model.parameters(), decay));
        self.invalidate_programs()
    }

    /// The moving average, if enabled.
    pub fn average(&mut self) -> Option<&mut Ema> {
        self.recipe.average.as_mut()
    }

    fn invalidate_programs(&mut self) -> &mut Self {
        (self.programs, self.additions) = (Programs::default(), Programs::default());
        self.probes.kept.clear();
        self
    }

    /// Takes a step and returns the loss before it.
    #[track_caller]
    pub fn run(&mut self, inputs: &[&Tensor]) -> Result<f32> {
        self.run_with_captures(inputs).map(|(loss, _)| loss)
    }

    /// Takes a step and returns the loss before it, and the captures.
    #[track_caller]
    pub fn run_with_captures(&mut self, inputs: &[&Tensor]) -> Result<(f32, Captures)> {
        let (loss, captures) = self.step(inputs)?;
        Ok((loss.item::<f32>()?, captures))
    }

    /// Takes a step and returns the loss before it as a tensor, which can be read later, and the
    /// captures.
    #[track_caller]
    pub fn step(&mut self, inputs: &[&Tensor]) -> Result<(Tensor, Captures)> {
        prepare_run()?;
        let parts = self.parts_of(inputs);
        if parts > 1 {
            let taken = self.step_by_parts(inputs, parts);
            return taken
                .inspect_err(|_| self.recipe.sums.iter().for_each(|(_, sum)| _ = sum.zero_()));
        }
        let (taken, updated) =
            self.programs.run(inputs, Some(&self.optimizer), &self.recipe.record_batch())?;
        self.optimizer.count_step(updated.into_iter());
        Ok(taken)
    }

    /// Dtype and shape of each capture of a step on inputs like these; of the last part, if batches
    /// are split. Compiles the step if necessary, without running it.
    #[track_caller]
    pub fn capture_types(&mut self, inputs: &[&Tensor]) -> Result<BTreeMap<String, Type>> {
        prepare_run()?;
        let parts = self.parts_of(inputs);
        let optimizer = Some(&self.optimizer);
        let ready = if parts > 1 {
            self.recipe.prepare_sums(&self.optimizer);
            let part = part(inputs, parts - 1, parts);
            let part: Vec<&Tensor> = part.iter().collect();
            self.programs.get_or_record(&part, optimizer, &self.recipe.record_part(true))?
        } else {
            self.programs.get_or_record(inputs, optimizer, &self.recipe.record_batch())?
        };
        Ok(ready.capture_types())
    }

    /// The number of parts that a batch is split into.
    fn parts_of(&self, inputs: &[&Tensor]) -> usize {
        self.parts.min(rows(inputs))
    }

    #[track_caller]
    fn step_by_parts(&mut self, inputs: &[&Tensor], parts: usize) -> Result<(Tensor, Captures)> {
        self.recipe.prepare_sums(&self.optimizer);
        let mut total: Option<Tensor> = None;
        for n in 0..parts {
            let part = part(inputs, n, parts);
            let part: Vec<&Tensor> = part.iter().collect();
            let is_last = n + 1 == parts;
            let programs = if is_last { &mut self.programs } else { &mut self.additions };
            let ((loss, captures), updated) =
                programs.run(&part, Some(&self.optimizer), &self.recipe.record_part(is_last))?;
            let sum = no_grad(|| total.take().map_or(loss.clone(), |total| total + &loss));
            if is_last {
                self.optimizer.count_step(updated.into_iter());
                return Ok((sum, captures));
            }
            total = Some(sum);
        }
        Err(Error::argument("step", "the batch is empty"))
    }

    /// The recorded step for inputs like these, for tools. Does not change any state.
    #[track_caller]
    pub fn recording(&mut self, inputs: &[&Tensor]) -> Result<Recording> {
        prepare_run()?;
        let record = self.recipe.record_batch();
        let traced = Traced::new(inputs, Some(&self.optimizer), &record, Purpose::Explain)?;
        let params = self.recipe.model.named_parameters();
        let names = traced.program.inputs().iter().zip(&traced.sources);
        let names = names.map(|(id, source)| {
            let (name, role) = source.describe(&params);
            (*id, name, role)
        });
        Ok(Recording { names: names.collect(), graph: traced.graph.unwrap_or_default() })
    }

    /// The value of one node of the step for these inputs, by its number in [`Recording::explain`].
    /// Does not change any state.
    #[track_caller]
    pub fn probe(&mut self, inputs: &[&Tensor], node: usize) -> Result<Tensor> {
        self.run_probe(inputs, Purpose::Probe(node, None))
    }

    /// [`TrainStep::probe`] for a remote device, which needs the type of the value.
    #[cfg(feature = "remote")]
    #[track_caller]
    pub fn probe_as(&mut self, inputs: &[&Tensor], node: usize, ty: Type) -> Result<Tensor> {
        self.run_probe(inputs, Purpose::Probe(node, Some(ty)))
    }

    #[track_caller]
    fn run_probe(&mut self, inputs: &[&Tensor], purpose: Purpose) -> Result<Tensor> {
        prepare_run()?;
        if self.probes.purpose != purpose {
            self.probes = Programs { purpose, kept: Vec::new() };
        }
        let rng = rng_state();
        let record = self.recipe.record_batch();
        let value = self.probes.run(inputs, Some(&self.optimizer), &record);
        set_rng_state(rng);
        value.map(|((value, _), _)| value)
    }

    /// The gradients of the loss with respect to each parameter, without taking a step.
    #[track_caller]
    pub fn grads(&mut self, inputs: &[&Tensor]) -> Result<StateDict> {
        self.recipe.model.zero_grad();
        let inputs: Vec<Tensor> = inputs.iter().map(|x| (*x).clone()).collect();
        (self.recipe.loss)(&inputs).backward();
        let named = self.recipe.model.named_parameters().into_iter();
        let mut grads = StateDict::new();
        grads.extend(named.filter_map(|(name, param)| Some((name, param.grad()?))));
        self.recipe.model.zero_grad();
        flush_own()?;
        Ok(grads)
    }

    /// Compiles another function that uses the same parameters.
    pub fn attach(&self, function: impl Fn(&[Tensor]) -> Tensor + 'm) -> Forward<'m> {
        Forward::new(function)
    }

    /// Sets the learning rate of the following steps.
    pub fn set_lr(&mut self, lr: f64) {
        self.optimizer.set_lr(lr);
    }

    /// Resets the state of the optimizer.
    pub fn reset(&mut self) {
        self.optimizer.reset();
    }

    /// The optimizer, with its state and settings.
    pub fn optimizer(&mut self) -> &mut Optimizer {
        &mut self.optimizer
    }

    /// Consumes the step and returns the optimizer, with its state and settings.
    pub fn into_optimizer(self) -> Optimizer {
        self.optimizer
    }

    /// The parameters and buffers of the model, by path.
    pub fn state_dict(&self) -> StateDict {
        self.recipe.model.state_dict()
    }

    /// Loads parameters and buffers into the model.
    pub fn load_state_dict(&self, dict: &StateDict) -> Result<()> {
        self.recipe.model.load_state_dict(dict)
    }
}

impl<'m> Forward<'m> {
    /// Compiles a function without gradients.
    pub fn new(function: impl Fn(&[Tensor]) -> Tensor + 'm) -> Forward<'m> {
        Forward { function: Box::new(function), programs: Programs::default() }
    }

    /// The result for these inputs.
    #[track_caller]
    pub fn run(&mut self, inputs: &[&Tensor]) -> Result<Tensor> {
        self.run_with_captures(inputs).map(|(result, _)| result)
    }

    /// The result for these inputs, and the captures.
    #[track_caller]
    pub fn run_with_captures(&mut self, inputs: &[&Tensor]) -> Result<(Tensor, Captures)> {
        prepare_run()?;
        let result = self.programs.run(inputs, None, &without_updates(&self.function))?;
        Ok(result.0)
    }

    /// Dtype and shape of each capture of a run on inputs like these. Compiles the function if
    /// necessary, without running it.
    #[track_caller]
    pub fn capture_types(&mut self, inputs: &[&Tensor]) -> Result<BTreeMap<String, Type>> {
        prepare_run()?;
        let ready = self.programs.get_or_record(inputs, None, &without_updates(&self.function))?;
        Ok(ready.capture_types())
    }
}

/// Records a function without gradients and updates.
fn without_updates(f: &Function) -> impl Fn(&[Tensor], Option<&Optimizer>) -> Recorded {
    |inputs, _| (no_grad(|| f(inputs)), Vec::new())
}

/// A result, and the recorded parameter updates.
type Recorded = (Tensor, Vec<Update>);

/// A function that records a result for these inputs.
type Record<'a> = &'a dyn Fn(&[Tensor], Option<&Optimizer>) -> Recorded;

/// The components of a training step.
struct Recipe<'m> {
    model: Box<dyn Module + 'm>,
    loss: Function<'m>,
    clip: Option<Clip>,
    average: Option<Ema>,
    /// The accumulated gradients of the parts of a batch, by parameter.
    sums: Vec<(Tensor, Tensor)>,
}

/// The batch size.
fn rows(inputs: &[&Tensor]) -> usize {
    inputs.first().map_or(0, |x| x.len_of(0))
}

/// A part of a batch, followed by its fraction of the loss. The fraction is an input, so that all
/// parts of one shape use the same program.
fn part(inputs: &[&Tensor], n: usize, parts: usize) -> Vec<Tensor> {
    let rows = rows(inputs);
    let (start, end) = (n * rows / parts, (n + 1) * rows / parts);
    let cut = |x: &&Tensor| match x.len_of(0) == rows {
        true => no_grad(|| x.i(start as i64..end as i64)),
        false => (*x).clone(),
    };
    let share = Tensor::new((end - start) as f32 / rows as f32);
    inputs.iter().map(cut).chain([share]).collect()
}

impl Recipe<'_> {
    /// Allocates the accumulated gradients.
    fn prepare_sums(&mut self, optimizer: &Optimizer) {
        if self.sums.len() == optimizer.params().count() {
            return;
        }
        let zeros = |param: &Tensor| (param.clone(), no_grad(|| ops::zeros_like(param)));
        self.sums = optimizer.params().map(zeros).collect();
        self.sums.iter().for_each(|(_, sum)| sum.cell().is_kept = true);
    }

    /// Records loss, gradients and update of a whole batch.
    fn record_batch(&self) -> impl Fn(&[Tensor], Option<&Optimizer>) -> Recorded {
        |inputs, optimizer| {
            self.model.zero_grad();
            let loss = (self.loss)(inputs);
            loss.backward();
            (loss, self.update(optimizer))
        }
    }

    /// Records a part of a batch: the loss times the part's fraction, which is the last input, and
    /// its gradients, added to the accumulated ones. The last part updates the parameters.
    fn record_part(&self, is_last: bool) -> impl Fn(&[Tensor], Option<&Optimizer>) -> Recorded {
        move |inputs, optimizer| {
            self.model.zero_grad();
            let (share, inputs) = inputs.split_last().expect("the share is the last input");
            let loss = (self.loss)(inputs) * share;
            loss.backward();
            let with_grad =
                |(param, sum): &(Tensor, Tensor)| Some((param.clone(), param.grad()?, sum.clone()));
            for (param, grad, sum) in self.sums.iter().filter_map(with_grad) {
                let total = no_grad(|| &sum + grad);
                match is_last {
                    true => param.set_grad(Some(total)),
                    false => _ = sum.copy_(total),
                }
            }
            if !is_last {
                self.model.zero_grad();
                return (loss, Vec::new());
            }
            let updates = self.update(optimizer);
            self.sums.iter().for_each(|(_, sum)| _ = sum.zero_());
            (loss, updates)
        }
    }

    fn update(&self, optimizer: Option<&Optimizer>) -> Vec<Update> {
        let updates = optimizer.map_or(Vec::new(), |optimizer| {
            if let Some(clip) = self.clip {
                clip.apply(optimizer.params());
            }
            optimizer.record_step()
        });
        if let Some(average) = &self.average {
            average.record();
        }
        self.model.zero_grad();
        updates
    }
}
