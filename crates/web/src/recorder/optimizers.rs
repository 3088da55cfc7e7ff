//! Optimizers by number, gradient clipping, and initial values.
use super::compiled::STEPS;
use super::scratch::Reader;
use super::slab::Slab;
use super::{TENSORS, handle, read_arguments, run_call, status_of, tensor, write_result};
use brasa::nn::init::Fan;
use brasa::nn::{Init, Param};
use brasa::optim::{self, Optimizer};
use brasa::{Error, Result, Tensor};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// An optimizer, or the number of the compiled step that owns it.
pub(super) enum OptimizerSlot {
    Owned(Optimizer),
    InStep(u32),
}

thread_local! {
    pub(super) static OPTIMIZERS: RefCell<Slab<OptimizerSlot>> = const { RefCell::new(Slab::new()) };
}

/// Settings by name.
struct Settings<'a>(Vec<(&'a str, f64)>);

impl Settings<'_> {
    #[inline(never)]
    fn take(&mut self, name: &str) -> Option<f64> {
        let at = self.0.iter().position(|(other, _)| *other == name)?;
        Some(self.0.remove(at).1)
    }

    fn all_taken(&self, kind: &str) -> Result<()> {
        let unknown = |(name, _): &(&str, f64)| {
            Err(Error::argument(kind, format!("has no setting '{name}'")))
        };
        self.0.first().map_or(Ok(()), unknown)
    }
}

/// Builds the optimizer of a name: settings are methods of its type.
macro_rules! rules {
    ($kind:expr, $lr:expr, $settings:expr, $params:expr;
     $($name:literal = $ty:ident { $($field:ident: $as:expr),* $(,)? };)*) => {
        match $kind {
            $($name => {
                let mut rule = optim::$ty::new($lr);
                if let Some(x) = $settings.take("weight_decay") {
                    rule = rule.weight_decay(x);
                }
                $(if let Some(x) = $settings.take(stringify!($field)) {
                    rule = rule.$field($as(x));
                })*
                $settings.all_taken($name)?;
                Ok(rule.build($params))
            })*
            other => Err(Error::argument("optimizer", format!("there is no optimizer '{other}'"))),
        }
    };
}

fn build(kind: &str, lr: f64, mut settings: Settings, params: &[Param]) -> Result<Optimizer> {
    let (number, flag, count) = (|x: f64| x, |x: f64| x != 0.0, |x: f64| x as usize);
    rules! { kind, lr, settings, params;
        "SGD" = Sgd { momentum: number, dampening: number, nesterov: flag };
        "Adam" = Adam { beta1: number, beta2: number, eps: number };
        "AdamW" = AdamW { beta1: number, beta2: number, eps: number };
        "RMSprop" = RmsProp { alpha: number, eps: number, momentum: number, centered: flag };
        "Adagrad" = Adagrad { lr_decay: number, eps: number };
        "Adadelta" = AdaDelta { rho: number, eps: number };
        "NAdam" = NAdam { beta1: number, beta2: number, eps: number, momentum_decay: number };
        "RAdam" = RAdam { beta1: number, beta2: number, eps: number };
        "Lion" = Lion { beta1: number, beta2: number };
        "Muon" = Muon { momentum: number, nesterov: flag, iterations: count };
    }
}

/// Parameters, each with a flag whether weight decay applies.
fn params(from: &mut Reader) -> Result<Vec<Param>> {
    from.list(|from| {
        let x = tensor(from.u32()?)?;
        if !x.is_leaf() {
            return Err(not_a_leaf());
        }
        Ok(Param::of(x).with_decay(from.u32()? != 0))
    })
}

/// A function of its own, so that the page loads it lazily.
#[inline(never)]
fn not_a_leaf() -> Error {
    let error = Error::argument("optimizer", "can't optimize a non-leaf tensor");
    error.help("x.detach().requiresGrad_()")
}

/// Creates an optimizer: kind, learning rate, whether all parameters decay, settings, parameters.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer(len: u32) -> u32 {
    run_call(|| {
        let optimizer = read_arguments(len, |from| {
            let (kind, lr, decays_all) = (from.text()?, from.f64()?, from.u32()? != 0);
            let settings = from.list(|from| Ok((from.text()?, from.f64()?)))?;
            let built = build(kind, lr, Settings(settings), &params(from)?)?;
            Ok(if decays_all { built.decay_all() } else { built })
        })?;
        Ok(OPTIMIZERS.with_borrow_mut(|all| all.add(OptimizerSlot::Owned(optimizer))))
    })
}

/// Calls `work` with an optimizer, even if a compiled step owns it.
fn with_optimizer<T>(n: u32, work: impl FnOnce(&mut Optimizer) -> Result<T>) -> Result<T> {
    let disposed = || Error::stale("optimizer", "it was disposed of");
    let within = OPTIMIZERS.with_borrow_mut(|all| match all.take(n) {
        Some(OptimizerSlot::InStep(step)) => {
            all.put(n, OptimizerSlot::InStep(step));
            Ok((None, step))
        }
        Some(OptimizerSlot::Owned(own)) => Ok((Some(own), 0)),
        None => Err(disposed()),
    })?;
    let (Some(mut own), _) = within else {
        let mut step = STEPS.with_borrow_mut(|all| all.take(within.1)).ok_or_else(disposed)?;
        let result = work(step.optimizer());
        STEPS.with_borrow_mut(|all| all.put(within.1, step));
        return result;
    };
    let result = work(&mut own);
    OPTIMIZERS.with_borrow_mut(|all| all.put(n, OptimizerSlot::Owned(own)));
    result
}

/// Updates the parameters and flushes pending work.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_step(n: u32) -> u32 {
    let taken = run_call(|| with_optimizer(n, |own| own.step().map(|()| 0)));
    TENSORS.with_borrow_mut(super::tensor_table::TensorTable::evict);
    taken
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_zero_grad(n: u32) -> u32 {
    status_of(with_optimizer(n, |own| {
        own.zero_grad();
        Ok(0)
    }))
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_reset(n: u32) -> u32 {
    run_call(|| {
        with_optimizer(n, |own| {
            own.reset();
            Ok(0)
        })
    })
}

/// Adds a parameter group: learning rate, weight decay, parameters.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_add_group(n: u32, len: u32) -> u32 {
    run_call(|| {
        let (lr, decay, params) =
            read_arguments(len, |from| Ok((from.f64()?, from.f64()?, params(from)?)))?;
        with_optimizer(n, |own| {
            own.add_group(&params[..], lr, decay);
            Ok(0)
        })
    })
}

/// Sets the learning rate and weight decay of a group; NaN leaves a value unchanged. If there is
/// no such group, sets the rate of the first group, and scales the others in proportion.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_set(n: u32, group: u32, lr: f64, weight_decay: f64) -> u32 {
    status_of(with_optimizer(n, |own| {
        match own.groups().get_mut(group as usize) {
            Some(group) => {
                group.lr = if lr.is_nan() { group.lr } else { lr };
                group.weight_decay =
                    if weight_decay.is_nan() { group.weight_decay } else { weight_decay };
            }
            None => own.set_lr(lr),
        }
        Ok(0)
    }))
}

/// Writes the number of steps, the learning rate and weight decay of each group, and the steps of
/// each parameter.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_settings(n: u32) -> u32 {
    status_of(with_optimizer(n, |own| {
        let steps = own.steps();
        Ok(write_result(|to| {
            to.f64(steps as f64);
            to.u32(own.groups().len() as u32);
            for group in own.groups() {
                to.f64(group.lr);
                to.f64(group.weight_decay);
            }
            to.u32(own.param_steps().count() as u32);
            own.param_steps().for_each(|steps| to.f64(steps as f64));
        }))
    }))
}

/// Writes handles of the state tensors by name.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_state(n: u32) -> u32 {
    run_call(|| with_optimizer(n, |own| Ok(write_named(own.state_dict()))))
}

/// Restores a state: steps, learning rate and weight decay of each group or none, steps of each
/// parameter or none, then tensors by name.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_load(n: u32, len: u32) -> u32 {
    run_call(|| {
        let (steps, settings, param_steps, dict) = read_arguments(len, |from| {
            let steps = from.f64()?;
            let settings = from.list(|from| Ok((from.f64()?, from.f64()?)))?;
            let param_steps = from.list(|from| Ok(from.f64()? as u64))?;
            let mut dict = BTreeMap::new();
            for _ in 0..from.u32()? {
                dict.insert(from.text()?.to_string(), tensor(from.u32()?)?);
            }
            Ok((steps as u64, settings, param_steps, dict))
        })?;
        let is_setting = |&(lr, decay): &(f64, f64)| lr.is_finite() && decay >= 0.0;
        with_optimizer(n, |own| {
            let is_known = settings.is_empty() || settings.len() == own.groups().len();
            if !is_known || !settings.iter().all(is_setting) {
                return Err(Error::data(
                    "optimizer",
                    "the settings do not match the parameter groups",
                ));
            }
            own.restore(&dict, steps, &param_steps)?;
            for (group, (lr, decay)) in own.groups().iter_mut().zip(&settings) {
                (group.lr, group.weight_decay) = (*lr, *decay);
            }
            Ok(0)
        })
    })
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn optimizer_release(n: u32) {
    let released = OPTIMIZERS.with_borrow_mut(|all| all.remove(n));
    drop(released);
}

/// Writes handles by name to the scratch; returns the length.
pub(super) fn write_named(all: impl IntoIterator<Item = (String, Tensor)>) -> u32 {
    let all: Vec<(String, u32)> = all.into_iter().map(|(name, x)| (name, handle(x))).collect();
    write_result(|to| {
        to.u32(all.len() as u32);
        for (name, handle) in &all {
            to.text(name);
            to.u32(*handle);
        }
    })
}

/// Clips the gradients of the tensors in the scratch: mode 0 scales them to a norm of at most
/// `limit`, 1 clamps each element, 2 scales them to norm 1. Returns the norm's handle, or
/// [`NONE`](super::NONE).
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn clip_grads(len: u32, mode: u32, limit: f64) -> u32 {
    run_call(|| {
        let all = read_arguments(len, |from| from.tensors())?;
        Ok(match mode {
            0 => handle(optim::clip_grad_norm(&all, limit)),
            1 => {
                optim::clip_grad_value(&all, limit);
                super::NONE
            }
            _ => handle(optim::normalize_grads(&all)),
        })
    })
}

/// Creates an initialized tensor: kind, two numbers, shape.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn init(len: u32) -> u32 {
    run_call(|| {
        let (init, shape) = read_arguments(len, |from| {
            let (kind, a, b) = (from.text()?, from.f64()?, from.f64()?);
            Ok((init_of(kind, a, b)?, from.shape()?))
        })?;
        Ok(handle(init.tensor(&shape)))
    })
}

fn init_of(kind: &str, a: f64, b: f64) -> Result<Init> {
    let fan = if b == 0.0 { Fan::In } else { Fan::Out };
    Ok(match kind {
        "zeros" => Init::Zeros,
        "ones" => Init::Ones,
        "constant" => Init::Constant(a),
        "uniform" => Init::Uniform(a, b),
        "normal" => Init::Normal(a, b),
        "truncNormal" => Init::TruncNormal(a, b),
        "xavierUniform" => Init::XavierUniform(a),
        "xavierNormal" => Init::XavierNormal(a),
        "kaimingUniform" => Init::KaimingUniform(a, fan),
        "kaimingNormal" => Init::KaimingNormal(a, fan),
        other => return Err(Error::argument("init", format!("there is no initializer '{other}'"))),
    })
}
