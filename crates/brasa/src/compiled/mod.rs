//! Compiled functions: a training step or a forward pass that is recorded once for each shape of its
//! inputs and then runs without recording.
mod programs;
pub(crate) mod reads;

use crate::flush::flush_own;
use crate::nn::{Module, StateDict};
use crate::optim::{Clip, Ema, Optimizer, Update};
use crate::random::{rng_state, set_rng_state};
use crate::session::session;
use crate::storage::lock;
use crate::trace::Recording;
use crate::{Error, Result, Tensor, no_grad, ops};
use brasa_ir::Type;
use programs::{Aim, Programs, Traced};
use std::collections::BTreeMap;

/// Tensors that were captured in a run, by name.
pub type Captures = BTreeMap<String, Tensor>;

/// Hands `x` out of a compiled function under this name; does nothing elsewhere.
pub fn capture(name: &str, x: &Tensor) {
    session(|own| {
        if let Some(compiling) = &mut lock(own).state.get_mut().compiling {
            compiling.captures.push((name.to_string(), x.clone()));
        }
    });
}

/// What comes before a run: all that is pending is computed. Within the recording of another compiled
/// function there are no runs.
fn begin() -> Result<()> {
    if reads::is_compiling() {
        let what = "a compiled function is run while another is recorded";
        let help = "call the function that it was compiled from: its ops become part of the other";
        return Err(Error::argument("compile", what).help(help));
    }
    flush_own()
}

/// Makes a training step of a loss and an optimizer: forward pass, gradients and update in one program.
///
/// The loss is recorded when the first inputs of a shape come in; programs for several shapes, such as
/// a shorter last batch, are kept. Layers that go from training to use, and parameters that are frozen
/// or thawed, are noticed; other flags of a model's own are as they were when it was recorded.
///
/// While the loss is recorded, what it is computed from has no values: to read one, or to call an op whose
/// shape depends on one, as `nonzero`, is an error. What does not change may be read; where it does change
/// later, by an update in place, the loss is recorded anew.
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

/// What is compiled: one tensor of several.
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
    /// Tames the gradients of each step.
    pub fn clip(&mut self, clip: Clip) -> &mut Self {
        self.recipe.clip = Some(clip);
        self.record_anew()
    }

    /// Cuts each batch into this many parts, along the first axis of its inputs, and sums up their
    /// gradients before the one update: the same step for a loss that is a mean over the examples, up to
    /// rounding, with the memory of a part. Captures are those of the last part.
    pub fn accumulate(&mut self, parts: usize) -> &mut Self {
        self.parts = parts.max(1);
        self.record_anew()
    }

    /// Keeps a moving average of the parameters as part of each step: see [`Ema`].
    pub fn ema(&mut self, decay: f64) -> &mut Self {
        self.recipe.average = Some(Ema::new(self.recipe.model.parameters(), decay));
        self.record_anew()
    }

    /// The moving average, if there is one.
    pub fn average(&mut self) -> Option<&mut Ema> {
        self.recipe.average.as_mut()
    }

    fn record_anew(&mut self) -> &mut Self {
        (self.programs, self.additions) = (Programs::default(), Programs::default());
        self.probes.kept.clear();
        self
    }

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
        begin()?;
        let parts = self.parts_of(inputs);
        if parts > 1 {
            let taken = self.step_by_parts(inputs, parts);
            return taken
                .inspect_err(|_| self.recipe.sums.iter().for_each(|(_, sum)| _ = sum.zero_()));
        }
        let (taken, updated) =
            self.programs.run(inputs, Some(&self.optimizer), &self.recipe.whole())?;
        self.optimizer.count(updated.into_iter());
        Ok(taken)
    }

    /// What a step on inputs like these captures, by name, with dtype and shape; of a batch in parts what
    /// its last part does. Compiles the step where that is still to be done; nothing is run.
    #[track_caller]
    pub fn capture_types(&mut self, inputs: &[&Tensor]) -> Result<BTreeMap<String, Type>> {
        begin()?;
        let parts = self.parts_of(inputs);
        let optimizer = Some(&self.optimizer);
        let ready = if parts > 1 {
            self.recipe.prepare_sums(&self.optimizer);
            let part = part(inputs, parts - 1, parts);
            let part: Vec<&Tensor> = part.iter().collect();
            self.programs.ready(&part, optimizer, &self.recipe.part(true))?
        } else {
            self.programs.ready(inputs, optimizer, &self.recipe.whole())?
        };
        Ok(ready.capture_types())
    }

    /// In how many parts a batch is taken.
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
                programs.run(&part, Some(&self.optimizer), &self.recipe.part(is_last))?;
            let sum = no_grad(|| total.take().map_or(loss.clone(), |total| total + &loss));
            if is_last {
                self.optimizer.count(updated.into_iter());
                return Ok((sum, captures));
            }
            total = Some(sum);
        }
        Err(Error::argument("step", "there are no parts"))
    }

    /// The step for inputs like these as it is recorded, for tools that show it. Nothing is changed.
    #[track_caller]
    pub fn recording(&mut self, inputs: &[&Tensor]) -> Result<Recording> {
        begin()?;
        let record = self.recipe.whole();
        let traced = Traced::new(inputs, Some(&self.optimizer), &record, Aim::Tell)?;
        let params = self.recipe.model.named_parameters();
        let names = traced.program.inputs().iter().zip(&traced.sources);
        let names = names.map(|(id, source)| {
            let (name, role) = source.described(&params);
            (*id, name, role)
        });
        Ok(Recording { names: names.collect(), graph: traced.graph.unwrap_or_default() })
    }

    /// The value that a node of the step would have for these inputs. It has the number that
    /// [`Recording::explain`] gives it. Nothing is changed.
    #[track_caller]
    pub fn probe(&mut self, inputs: &[&Tensor], node: usize) -> Result<Tensor> {
        self.probed(inputs, Aim::Probe(node, None))
    }

    /// [`TrainStep::probe`] where the device is elsewhere, which has to be told the type of the value.
    #[cfg(feature = "remote")]
    #[track_caller]
    pub fn probe_as(&mut self, inputs: &[&Tensor], node: usize, ty: Type) -> Result<Tensor> {
        self.probed(inputs, Aim::Probe(node, Some(ty)))
    }

    #[track_caller]
    fn probed(&mut self, inputs: &[&Tensor], aim: Aim) -> Result<Tensor> {
        begin()?;
        if self.probes.aim != aim {
            self.probes = Programs { aim, kept: Vec::new() };
        }
        let rng = rng_state();
        let record = self.recipe.whole();
        let value = self.probes.run(inputs, Some(&self.optimizer), &record);
        set_rng_state(rng);
        value.map(|((value, _), _)| value)
    }

    /// The gradients of the loss by each parameter, without a step.
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

    /// Ends the step and gives the optimizer back, with its state and settings.
    pub fn into_optimizer(self) -> Optimizer {
        self.optimizer
    }

    /// The parameters and buffers of the model, by path.
    pub fn state_dict(&self) -> StateDict {
        self.recipe.model.state_dict()
    }

    /// Takes over parameters and buffers.
    pub fn load_state_dict(&self, dict: &StateDict) -> Result<()> {
        self.recipe.model.load_state_dict(dict)
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
        begin()?;
        let result = self.programs.run(inputs, None, &without_updates(&self.function))?;
        Ok(result.0)
    }

    /// What a run on inputs like these captures, by name, with dtype and shape. Compiles the function
    /// where that is still to be done; nothing is run.
    #[track_caller]
    pub fn capture_types(&mut self, inputs: &[&Tensor]) -> Result<BTreeMap<String, Type>> {
        begin()?;
        let ready = self.programs.ready(inputs, None, &without_updates(&self.function))?;
        Ok(ready.capture_types())
    }
}

/// Records a function that has neither gradients nor updates.
fn without_updates(f: &Function) -> impl Fn(&[Tensor], Option<&Optimizer>) -> Recorded {
    |inputs, _| (no_grad(|| f(inputs)), Vec::new())
}

/// A result, and what was recorded to update parameters.
type Recorded = (Tensor, Vec<Update>);

/// Records a function of these inputs.
type Record<'a> = &'a dyn Fn(&[Tensor], Option<&Optimizer>) -> Recorded;

/// What a step is made of.
struct Recipe<'m> {
    model: Box<dyn Module + 'm>,
    loss: Function<'m>,
    clip: Option<Clip>,
    average: Option<Ema>,
    /// The gradients of the parts of a batch so far, by parameter.
    sums: Vec<(Tensor, Tensor)>,
}

/// The length of a batch.
fn rows(inputs: &[&Tensor]) -> usize {
    inputs.first().map_or(0, |x| x.len_of(0))
}

/// A part of a batch, and its share of the loss: an input, so that parts of one shape have one program.
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
    /// Makes room for the gradients of parts.
    fn prepare_sums(&mut self, optimizer: &Optimizer) {
        if self.sums.len() == optimizer.params().count() {
            return;
        }
        let zeros = |param: &Tensor| (param.clone(), no_grad(|| ops::zeros_like(param)));
        self.sums = optimizer.params().map(zeros).collect();
        self.sums.iter().for_each(|(_, sum)| sum.cell().is_kept = true);
    }

    /// Records loss, gradients and update of a batch.
    fn whole(&self) -> impl Fn(&[Tensor], Option<&Optimizer>) -> Recorded {
        |inputs, optimizer| {
            self.model.zero_grad();
            let loss = (self.loss)(inputs);
            loss.backward();
            (loss, self.update(optimizer))
        }
    }

    /// Records a part of a batch: its share of the loss, which is the last input, and its gradients, that
    /// are added to those of the parts before. The last part updates.
    fn part(&self, is_last: bool) -> impl Fn(&[Tensor], Option<&Optimizer>) -> Recorded {
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
