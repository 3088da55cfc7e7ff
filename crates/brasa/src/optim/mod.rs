//! Optimizers: rules that update parameters by their gradients, written as graph code, and what keeps
//! their state. Rates and step counts are slots, so a schedule never compiles anew.
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
mod rules;
pub mod schedule;

pub use clip::{clip_grad_norm, clip_grad_value, normalize_grads};
pub use ema::Ema;
pub use rules::{AdaDelta, Adagrad, Adam, AdamW, Lion, Muon, NAdam, RAdam, RmsProp, Sgd};

use crate::flush::flush_own;
use crate::nn::Param;
use crate::session::{Scope, record};
use crate::{Error, Result, Tensor, no_grad};
use brasa_ir::graph::Fingerprint;
use brasa_ir::ops::Role;
use brasa_ir::{Expr, Id, Number, Recorder, Type};
use std::collections::BTreeMap;

/// How one parameter follows its gradient. Rules are written over the graph alone.
pub trait Rule: Send {
    /// What is kept beside each parameter, by name.
    fn state(&self) -> &'static [&'static str];

    /// The new value of the parameter, and of its state in the order of [`Rule::state`].
    fn update<'g>(
        &self,
        g: &'g Recorder,
        at: &Moment,
        param: Expr<'g>,
        grad: Expr<'g>,
        state: &[Expr<'g>],
    ) -> Result<(Expr<'g>, Vec<Expr<'g>>)>;
}

/// The numbers of one step.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The number of the step, from one on.
    pub step: u64,
    /// The learning rate.
    pub lr: f64,
    /// The weight decay of this parameter.
    pub weight_decay: f64,
}

/// Parameters with common settings.
pub struct Group {
    params: Vec<Kept>,
    /// The learning rate.
    pub lr: f64,
    /// The weight decay.
    pub weight_decay: f64,
}

struct Kept {
    param: Tensor,
    state: Vec<Tensor>,
    decays: bool,
}

/// Parameters whose updates hold the same numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    group: usize,
    decays: bool,
    ty: Type,
}

/// A rule with the parameters it updates and their state.
pub struct Optimizer {
    rule: Box<dyn Rule>,
    groups: Vec<Group>,
    steps: u64,
    decays_all: bool,
}

impl Optimizer {
    /// An optimizer of `params`.
    pub fn new<P: AsRef<Param>>(
        rule: impl Rule + 'static,
        params: impl IntoIterator<Item = P>,
        lr: f64,
        weight_decay: f64,
    ) -> Optimizer {
        let rule = Box::new(rule);
        let mut new = Optimizer { rule, groups: Vec::new(), steps: 0, decays_all: false };
        new.add_group(params, lr, weight_decay);
        new
    }

    /// Adds parameters with settings of their own.
    pub fn add_group<P: AsRef<Param>>(
        &mut self,
        params: impl IntoIterator<Item = P>,
        lr: f64,
        weight_decay: f64,
    ) {
        let kept = |param: P| {
            let param = param.as_ref();
            let zeros = |_: &&str| {
                let zeros = crate::ops::zeros_like(param);
                zeros.cell().is_kept = true;
                zeros
            };
            let state = no_grad(|| self.rule.state().iter().map(zeros).collect());
            Kept { param: (**param).clone(), state, decays: param.decays() }
        };
        let params = params.into_iter().map(kept).collect();
        self.groups.push(Group { params, lr, weight_decay });
    }

    /// Lets weight decay apply to all parameters, as in PyTorch. By default it spares those that begin
    /// as zeros or ones, such as biases and the scales of norms.
    pub fn decay_all(mut self) -> Optimizer {
        self.decays_all = true;
        self
    }

    /// The groups of parameters, whose settings may be changed at any time.
    pub fn groups(&mut self) -> &mut [Group] {
        &mut self.groups
    }

    /// The learning rate of the first group.
    pub fn lr(&self) -> f64 {
        self.groups.first().map_or(0.0, |group| group.lr)
    }

    /// Sets the learning rate of all groups.
    pub fn set_lr(&mut self, lr: f64) {
        self.groups.iter_mut().for_each(|group| group.lr = lr);
    }

    /// How many steps have been taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Forgets the gradients, so that the next `backward` begins a new sum.
    pub fn zero_grad(&self) {
        self.params().for_each(|param| param.set_grad(None));
    }

    /// The parameters of all groups.
    pub fn params(&self) -> impl Iterator<Item = &Tensor> {
        self.groups.iter().flat_map(|group| &group.params).map(|kept| &kept.param)
    }

    /// Updates the parameters that have a gradient, and computes all that is pending.
    #[track_caller]
    pub fn step(&mut self) -> Result<()> {
        self.record_step();
        flush_own()
    }

    /// Records one step without running it. For each parameter that is updated: the first of its slots
    /// and the numbers they hold.
    #[track_caller]
    pub(crate) fn record_step(&mut self) -> Vec<(usize, Numbers)> {
        self.steps += 1;
        for kept in self.groups.iter().flat_map(|group| &group.params) {
            kept.param.settle_tensor();
            kept.state.iter().for_each(Tensor::settle_tensor);
            if let Some(grad) = kept.param.grad() {
                grad.settle_tensor();
            }
        }
        let mut updates = Vec::new();
        let _: Vec<Tensor> = no_grad(|| {
            record("step", |s| {
                for (n, group) in self.groups.iter().enumerate() {
                    let with_grad = |kept: &Kept| kept.param.grad();
                    for (kept, grad) in group.params.iter().filter_map(|k| Some((k, with_grad(k)?)))
                    {
                        let decays = kept.decays || self.decays_all;
                        let numbers = Numbers { group: n, decays, ty: kept.param.ty().clone() };
                        updates.push((s.g.read(|graph| graph.slots().len()), numbers));
                        self.update(s, group, kept, &grad)?;
                    }
                }
                Ok(Vec::<Id>::new())
            })
        });
        updates
    }

    /// The numbers of the current step in the order of their slots, for parameters of one kind, and what
    /// tells whether the recorded program can hold them.
    pub(crate) fn numbers(&self, kind: &Numbers) -> Result<(Vec<Number>, Fingerprint)> {
        let g = Recorder::default();
        g.scope("step", || {
            let input = |_| g.input("", Role::Data, kind.ty.clone());
            let (param, grad) = (input(()), input(()));
            let state: Vec<Expr> = self.rule.state().iter().map(|_| input(())).collect();
            let at = self.moment(&self.groups[kind.group], kind.decays);
            self.rule.update(&g, &at, param, grad, &state)
        })?;
        Ok(g.read(|graph| (graph.slots().to_vec(), graph.fingerprint())))
    }

    fn moment(&self, group: &Group, decays: bool) -> Moment {
        let weight_decay = if decays { group.weight_decay } else { 0.0 };
        Moment { step: self.steps, lr: group.lr, weight_decay }
    }

    fn update(&self, s: &Scope, group: &Group, kept: &Kept, grad: &Tensor) -> Result<()> {
        let at = self.moment(group, kept.decays || self.decays_all);
        let (param, grad) = (s.expr(&kept.param), s.expr(grad));
        let state: Vec<Expr> = kept.state.iter().map(|x| s.expr(x)).collect();
        let (new, new_state) = self.rule.update(s.g, &at, param, grad, &state)?;
        s.assign(&kept.param, new.id());
        for (x, new) in kept.state.iter().zip(new_state) {
            s.assign(x, new.id());
        }
        Ok(())
    }

    /// Begins anew: steps at zero, state of zeros.
    pub fn reset(&mut self) {
        self.steps = 0;
        for state in self.groups.iter().flat_map(|group| &group.params).flat_map(|k| &k.state) {
            state.zero_();
        }
    }

    /// The state by name: `step`, and for parameter n of all its moments, such as `3.exp_avg`.
    pub fn state_dict(&self) -> BTreeMap<String, Tensor> {
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

    /// Continues from a state. Nothing is changed where a name is missing or unknown or a shape differs.
    pub fn load_state_dict(&mut self, dict: &BTreeMap<String, Tensor>) -> Result<()> {
        let step = dict.get("step").ok_or_else(|| Error::data("optimizer", "'step' is missing"))?;
        let steps = step.item::<i64>()? as u64;
        self.restore(dict, steps)
    }

    /// [`Optimizer::load_state_dict`] where the number of steps is known.
    pub fn restore(&mut self, dict: &BTreeMap<String, Tensor>, steps: u64) -> Result<()> {
        let own = self.state_dict();
        crate::nn::check_state("optimizer", &own, dict)?;
        let names = self.rule.state();
        for (n, kept) in self.groups.iter().flat_map(|group| &group.params).enumerate() {
            for (name, state) in names.iter().zip(&kept.state) {
                no_grad(|| _ = state.copy_(&dict[&format!("{n}.{name}")]));
            }
        }
        self.steps = steps;
        flush_own()
    }

    pub(crate) fn set_steps(&mut self, steps: u64) {
        self.steps = steps;
    }
}
