//! Optimizers: rules that update parameters by their gradients, written as graph code, and their
//! state. Learning rates and step counts are slots of the program, so that schedules do not
//! recompile.
//!
//! ```
//! use brasa::optim::Adam;
//! use brasa::{Tensor, nn::Param};
//! # fn main() -> brasa::Result<()> {
//! let w = Param::new(Tensor::new([1.0, -1.0]));
//! let mut optimizer = Adam::new(0.1).build([&w]);
//! for _ in 0..100 {
//!     let loss = w.square().sum(..);
//!     optimizer.zero_grad();
//!     loss.backward();
//!     optimizer.step()?;
//! }
//! assert!(w.abs().max().item::<f32>()? < 0.1);
//! # Ok(())
//! # }
//! ```
mod clip;
mod ema;
mod lbfgs;
mod rules;
pub mod schedule;

pub use clip::{Clip, clip_grad_norm, clip_grad_value, normalize_grads};
pub use ema::Ema;
pub use lbfgs::{Lbfgs, LineSearch};
pub use rules::{AdaDelta, Adagrad, Adam, AdamW, Lion, Muon, NAdam, RAdam, RmsProp, Sgd};

use crate::flush::flush_own;
use crate::nn::Param;
use crate::session::{Scope, accept, record};
use crate::{Error, Result, Tensor, no_grad};
use brasa_ir::graph::{Fingerprint, QuickSet};
use brasa_ir::ops::Role;
use brasa_ir::{Expr, Id, Number, Recorder, Shape, Site, Type};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::Location;

/// How an optimizer updates one parameter, in terms of graph ops.
pub trait Rule: Send {
    /// The names of the state tensors of each parameter.
    fn state(&self) -> &'static [&'static str];

    /// The new value of the parameter, and of its state tensors in the order of [`Rule::state`].
    fn update<'g>(
        &self,
        g: &'g Recorder,
        at: &StepParams,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)>;

    /// Checks the settings.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether the numbers of an update depend on the shape of its parameter.
    #[allow(deprecated, reason = "rules written before 0.2 override the old name")]
    fn depends_on_shape(&self) -> bool {
        self.minds_shapes()
    }

    /// The old name of [`depends_on_shape`](Rule::depends_on_shape).
    #[deprecated(since = "0.2.0", note = "renamed to `depends_on_shape`")]
    fn minds_shapes(&self) -> bool {
        false
    }
}

/// Step count, learning rate and weight decay of one parameter's update.
#[derive(Clone, Debug)]
pub struct StepParams {
    step: u64,
    /// Whether a rule has read the step.
    step_was_read: Cell<bool>,
    /// The learning rate.
    pub lr: f64,
    /// The weight decay of this parameter.
    pub weight_decay: f64,
}

impl StepParams {
    /// The number of the parameter's update, starting at one. Unless a rule calls this, its updates
    /// are assumed to use the same numbers in each step.
    pub fn step(&self) -> u64 {
        self.step_was_read.set(true);
        self.step
    }
}

/// The old name of [`StepParams`].
#[deprecated(since = "0.2.0", note = "renamed to `StepParams`")]
pub type Moment = StepParams;

/// Parameters with common settings.
pub struct Group {
    params: Vec<ParamState>,
    /// The learning rate.
    pub lr: f64,
    /// The weight decay.
    pub weight_decay: f64,
    /// The initial learning rate.
    first_lr: f64,
}

struct ParamState {
    param: Tensor,
    state: Vec<Tensor>,
    decays: bool,
    /// Number of updates; lower than that of others if the parameter was added or unfrozen late.
    steps: u64,
}

/// The parameters without duplicates: models may share them between layers.
fn distinct<P: AsRef<Param>>(params: impl IntoIterator<Item = P>) -> Vec<Param> {
    let mut seen = QuickSet::default();
    let params = params.into_iter().map(|param| param.as_ref().clone());
    params.filter(|param| seen.insert(param.identity())).collect()
}

/// Rejects settings outside of PyTorch's ranges, including NaN. Returns whether all are valid.
#[track_caller]
#[inline(always)]
fn check_settings(settings: &[(&str, f64)]) -> bool {
    // On a page the TypeScript side has checked its arguments already; leaving this out saves code
    // size.
    if cfg!(brasa_page) {
        return true;
    }
    for &(name, x) in settings {
        let (is_valid, range) = match name {
            "beta1" | "beta2" => ((0.0..1.0).contains(&x), "at least 0 and less than 1"),
            "rho" => ((0.0..=1.0).contains(&x), "from 0 to 1"),
            "dampening" => (!x.is_nan(), "a number"),
            _ => (x >= 0.0, "at least 0"),
        };
        if !is_valid {
            let error = Error::argument("optimizer", format!("{name} is {x}, expected {range}"));
            accept::<()>(Err(error.at(Site::Rust(Location::caller()))));
            return false;
        }
    }
    true
}

/// The key of the per-parameter step counts in a state dict.
const STEPS: &str = "steps";

/// The recorded update of a parameter.
pub(crate) struct Update {
    /// The index of the parameter.
    pub(crate) param: usize,
    /// The first slot of its numbers.
    pub(crate) start: usize,
    pub(crate) kind: NumbersKey,
}

/// A key shared by parameters whose updates use the same numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumbersKey {
    group: usize,
    decays: bool,
    ty: Type,
}

/// The numbers of an update, in the order of their slots.
pub(crate) struct StepNumbers {
    pub(crate) numbers: Vec<Number>,
    /// Identifies the recorded programs that can use them.
    pub(crate) fingerprint: Fingerprint,
    /// Whether they are the same in all steps with the same settings.
    pub(crate) are_constant: bool,
}

/// A rule, the parameters it updates, and their state.
pub struct Optimizer {
    rule: Box<dyn Rule>,
    groups: Vec<Group>,
    steps: u64,
    decays_all: bool,
}

impl Optimizer {
    /// An optimizer of `params`.
    #[track_caller]
    pub fn new<P: AsRef<Param>>(
        rule: impl Rule + 'static,
        params: impl IntoIterator<Item = P>,
        lr: f64,
        weight_decay: f64,
    ) -> Optimizer {
        check_settings(&[("lr", lr), ("weight_decay", weight_decay)]);
        let site = Site::Rust(Location::caller());
        Optimizer::of(Box::new(rule), site, distinct(params), lr, weight_decay)
    }

    fn of(
        rule: Box<dyn Rule>,
        site: Site,
        params: Vec<Param>,
        lr: f64,
        weight_decay: f64,
    ) -> Optimizer {
        accept(rule.check().map_err(|error| error.at(site.clone())));
        // The TypeScript side checks this itself: there the first of several groups may be empty.
        if params.is_empty() && !cfg!(brasa_page) {
            let error = Error::argument("optimizer", "got an empty parameter list");
            accept::<()>(Err(error.at(site.clone())));
        }
        let mut new = Optimizer { rule, groups: Vec::new(), steps: 0, decays_all: false };
        new.add(site, params, lr, weight_decay);
        new
    }

    /// Adds parameters with their own settings. A parameter listed twice is updated once; one that
    /// is already in another group is an error.
    #[track_caller]
    pub fn add_group<P: AsRef<Param>>(
        &mut self,
        params: impl IntoIterator<Item = P>,
        lr: f64,
        weight_decay: f64,
    ) {
        if check_settings(&[("lr", lr), ("weight_decay", weight_decay)]) {
            self.add(Site::Rust(Location::caller()), distinct(params), lr, weight_decay);
        }
    }

    fn add(&mut self, site: Site, params: Vec<Param>, lr: f64, weight_decay: f64) {
        let known: QuickSet<usize> = self.params().map(Tensor::identity).collect();
        if let Some(twice) = params.iter().find(|param| known.contains(&param.identity())) {
            let error = Error::argument("add_group", "a parameter is already in another group");
            let help = "a parameter can be in one group only";
            accept::<()>(Err(error.operand("parameter", twice.ty()).help(help).at(site)));
            return;
        }
        let kept = |param: Param| {
            let zeros = |_: &&str| {
                let zeros = crate::ops::zeros_like(&param);
                zeros.cell().is_kept = true;
                zeros
            };
            let state = no_grad(|| self.rule.state().iter().map(zeros).collect());
            ParamState { param: (*param).clone(), state, decays: param.decays(), steps: 0 }
        };
        let params = params.into_iter().map(kept).collect();
        self.groups.push(Group { params, lr, weight_decay, first_lr: lr });
    }

    /// Applies weight decay to all parameters, as PyTorch does. By default parameters initialized
    /// to zeros or ones are exempt, such as biases and the scales of normalization layers.
    pub fn decay_all(mut self) -> Optimizer {
        self.decays_all = true;
        self
    }

    /// The parameter groups, whose settings may be changed at any time.
    pub fn groups(&mut self) -> &mut [Group] {
        &mut self.groups
    }

    /// The learning rate of the first group.
    pub fn lr(&self) -> f64 {
        self.groups.first().map_or(0.0, |group| group.lr)
    }

    /// Sets the learning rate of the first group, and scales the rates of the other groups by the
    /// same factor relative to their initial values. [`Optimizer::groups`] sets each one
    /// individually.
    pub fn set_lr(&mut self, lr: f64) {
        let first = self.groups.first().map_or(0.0, |group| group.first_lr);
        let share = |group: &Group| if first == 0.0 { 1.0 } else { group.first_lr / first };
        self.groups.iter_mut().for_each(|group| group.lr = lr * share(group));
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of updates of each parameter; lower if it was added or unfrozen late.
    pub fn param_steps(&self) -> impl Iterator<Item = u64> {
        self.groups.iter().flat_map(|group| &group.params).map(|kept| kept.steps)
    }

    /// Clears the gradients.
    pub fn zero_grad(&self) {
        self.params().for_each(|param| param.set_grad(None));
    }

    /// The parameters of all groups.
    pub fn params(&self) -> impl Iterator<Item = &Tensor> {
        self.groups.iter().flat_map(|group| &group.params).map(|kept| &kept.param)
    }

    /// Updates the parameters that have a gradient, and flushes.
    #[track_caller]
    pub fn step(&mut self) -> Result<()> {
        let updates = self.record_step();
        self.count_step(updates.iter().map(|update| update.param));
        flush_own()
    }

    /// Counts a step that updated the parameters with these indices.
    pub(crate) fn count_step(&mut self, params: impl Iterator<Item = usize>) {
        self.steps += 1;
        let mut kept: Vec<&mut ParamState> =
            self.groups.iter_mut().flat_map(|group| &mut group.params).collect();
        params.for_each(|param| kept[param].steps += 1);
    }

    /// The number of the next update of each parameter.
    pub(crate) fn next_steps(&self) -> Vec<u64> {
        self.param_steps().map(|steps| steps + 1).collect()
    }

    /// Records one step without running or counting it. Returns the recorded update of each
    /// parameter that has a gradient.
    #[track_caller]
    pub(crate) fn record_step(&self) -> Vec<Update> {
        for kept in self.groups.iter().flat_map(|group| &group.params) {
            kept.param.settle_tensor();
            kept.state.iter().for_each(Tensor::settle_tensor);
            if let Some(grad) = kept.param.grad() {
                grad.settle_tensor();
            }
        }
        let all = self.groups.iter().enumerate();
        let all = all.flat_map(|(n, group)| group.params.iter().map(move |kept| (n, kept)));
        let mut updates = Vec::new();
        let _: Vec<Tensor> = no_grad(|| {
            record("step", |s| {
                for (param, (group, kept)) in all.enumerate() {
                    let Some(grad) = kept.param.grad() else { continue };
                    let start = s.g.read(|graph| graph.slots().len());
                    updates.push(Update { param, start, kind: self.kind(group, kept) });
                    self.update(s, &self.groups[group], kept, &grad)?;
                }
                Ok(Vec::<Id>::new())
            })
        });
        updates
    }

    fn kind(&self, group: usize, kept: &ParamState) -> NumbersKey {
        let mut ty = kept.param.ty().clone();
        if !self.rule.depends_on_shape() {
            // Parameters of all shapes share a key.
            ty.shape = Shape::from([]);
        }
        NumbersKey { group, decays: kept.decays || self.decays_all, ty }
    }

    /// The numbers of an update at this step, for parameters with this key.
    pub(crate) fn numbers(&self, kind: &NumbersKey, step: u64) -> Result<StepNumbers> {
        let g = Recorder::default();
        let at = self.step_params(&self.groups[kind.group], kind.decays, step);
        g.scope("step", || {
            let input = |_| g.input("", Role::Data, kind.ty.clone());
            let (param, grad) = (input(()), input(()));
            let state: Vec<Expr> = self.rule.state().iter().map(|_| input(())).collect();
            self.rule.update(&g, &at, param, grad, &state)
        })?;
        let are_constant = !at.step_was_read.get();
        Ok(g.read(|graph| {
            let (numbers, fingerprint) = (graph.slots().to_vec(), graph.fingerprint());
            StepNumbers { numbers, fingerprint, are_constant }
        }))
    }

    /// Learning rate and weight decay of parameters with this key.
    pub(crate) fn settings(&self, kind: &NumbersKey) -> (f64, f64) {
        let at = self.step_params(&self.groups[kind.group], kind.decays, 0);
        (at.lr, at.weight_decay)
    }

    fn step_params(&self, group: &Group, decays: bool, step: u64) -> StepParams {
        let weight_decay = if decays { group.weight_decay } else { 0.0 };
        StepParams { step, step_was_read: Cell::new(false), lr: group.lr, weight_decay }
    }

    fn update(&self, s: &Scope, group: &Group, kept: &ParamState, grad: &Tensor) -> Result<()> {
        let at = self.step_params(group, kept.decays || self.decays_all, kept.steps + 1);
        let (param, grad) = (s.expr(&kept.param), s.expr(grad));
        let state: Vec<Expr> = kept.state.iter().map(|x| s.expr(x)).collect();
        let (new, new_state) = self.rule.update(s.g, &at, param, grad, &state)?;
        s.assign(&kept.param, new.id());
        for (x, new) in kept.state.iter().zip(new_state) {
            s.assign(x, new.id());
        }
        Ok(())
    }

    /// Resets all step counts and the state to zero.
    pub fn reset(&mut self) {
        self.set_steps(0);
        for state in self.groups.iter().flat_map(|group| &group.params).flat_map(|k| &k.state) {
            state.zero_();
        }
    }

    /// Sets the step count of the optimizer and of every parameter.
    fn set_steps(&mut self, steps: u64) {
        self.steps = steps;
        let kept = self.groups.iter_mut().flat_map(|group| &mut group.params);
        kept.for_each(|kept| kept.steps = steps);
    }

    /// The state by name: `step`, the state tensors of each parameter, such as `3.exp_avg` for
    /// parameter 3, and `steps`, the step count of each parameter, if they differ.
    pub fn state_dict(&self) -> BTreeMap<String, Tensor> {
        let mut dict = self.state();
        let steps: Vec<i64> = self.param_steps().map(|steps| steps as i64).collect();
        if steps.iter().any(|&steps| steps as u64 != self.steps) {
            dict.insert(STEPS.to_string(), Tensor::from_vec(steps.clone(), steps.len()));
        }
        dict
    }

    /// The state without the step counts of the parameters.
    fn state(&self) -> BTreeMap<String, Tensor> {
        let names = self.rule.state();
        let kept = self.groups.iter().flat_map(|group| &group.params);
        let mut dict = BTreeMap::new();
        for (n, kept) in kept.enumerate() {
            for (name, state) in names.iter().zip(&kept.state) {
                dict.insert(format!("{n}.{name}"), state.detach());
            }
        }
        dict.insert("step".to_string(), Tensor::new(self.steps as i64));
        dict
    }

    /// Loads a state. If a name is missing or unknown, or a shape differs, nothing changes. Reads
    /// the number of steps from the state, which needs a local device; otherwise use
    /// [`Optimizer::restore`].
    #[cfg(feature = "cpu")]
    pub fn load_state_dict(&mut self, dict: &BTreeMap<String, Tensor>) -> Result<()> {
        let step = dict.get("step").ok_or_else(|| Error::data("optimizer", "'step' is missing"))?;
        let steps = step.item::<i64>()? as u64;
        let own = dict.get(STEPS).map(|own| own.to_vec::<i64>()).transpose()?.unwrap_or_default();
        let own: Vec<u64> = own.into_iter().map(|steps| steps as u64).collect();
        self.restore(dict, steps, &own)
    }

    /// Loads a state with known step counts: of the optimizer, and of each parameter (`&[]` if all
    /// are equal). Does not read any tensor.
    pub fn restore(
        &mut self,
        dict: &BTreeMap<String, Tensor>,
        steps: u64,
        param_steps: &[u64],
    ) -> Result<()> {
        let params = self.params().count();
        if !param_steps.is_empty() && param_steps.len() != params {
            let what =
                format!("step counts of {} parameters, expected {params}", param_steps.len());
            return Err(Error::data("optimizer", what));
        }
        let mut own = self.state();
        // Optional in a state dict.
        own.extend(dict.get_key_value(STEPS).map(|(name, steps)| (name.clone(), steps.clone())));
        crate::nn::check_state("optimizer", &own, dict)?;
        let names = self.rule.state();
        for (n, kept) in self.groups.iter().flat_map(|group| &group.params).enumerate() {
            for (name, state) in names.iter().zip(&kept.state) {
                no_grad(|| _ = state.copy_(&dict[&format!("{n}.{name}")]));
            }
        }
        self.set_steps(steps);
        let kept = self.groups.iter_mut().flat_map(|group| &mut group.params);
        kept.zip(param_steps).for_each(|(kept, &own)| kept.steps = own);
        flush_own()
    }
}
