//! Compiled functions of the page's: recorded once for each shape of their inputs, by calling back.
use super::optimizers::{Held, OPTIMIZERS, named};
use super::scratch::Reader;
use super::slab::Slab;
use super::tensors::dtype_of;
use super::{FAILED, NONE, arguments, caught, handle, site, tensor, trace, written};
use brasa::nn::{Mode, Module, Param, Visit};
use brasa::optim::Clip;
use brasa::{Captures, Error, Forward, Result, Tensor, TrainStep};
use brasa_ir::Type;
use std::cell::RefCell;

thread_local! {
    pub(super) static STEPS: RefCell<Slab<TrainStep<'static>>> = const { RefCell::new(Slab::new()) };
    static FORWARDS: RefCell<Slab<Forward<'static>>> = const { RefCell::new(Slab::new()) };
    static MODES: RefCell<Slab<Mode>> = const { RefCell::new(Slab::new()) };
}

/// The parameters of the page's model, by path.
struct Model(Vec<(String, Param)>);

impl Module for Model {
    fn visit(&self, at: &mut Visit) {
        for (name, param) in &self.0 {
            at.field(name, param);
        }
    }
}

/// A function of the page's, as one of tensors.
fn function(n: u32) -> impl Fn(&[Tensor]) -> Tensor {
    move |inputs| {
        let handles: Vec<u32> = inputs.iter().map(|x| handle(x.clone())).collect();
        written(|to| handles.iter().for_each(|handle| to.u32(*handle)));
        // SAFETY: the page reads the scratch during the call; nothing of ours is borrowed meanwhile.
        let result = unsafe { trace(n, handles.len() as u32) };
        if result == FAILED {
            return brasa::rejected(
                Error::argument("compile", "the function has thrown").at(site()),
            );
        }
        tensor(result).unwrap_or_else(brasa::rejected)
    }
}

/// Compiles a training step of a function that gives a loss: optimizer, parameters by path, and how long
/// the gradients may be together.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn compile_step(n: u32, optimizer: u32, len: u32) -> u32 {
    caught(|| {
        let (params, max_norm) = arguments(len, |from| {
            let param =
                |from: &mut Reader| Ok((from.text()?.to_string(), Param::of(tensor(from.u32()?)?)));
            Ok((from.list(param)?, from.f64()?))
        })?;
        let held = OPTIMIZERS.with_borrow_mut(|all| all.take(optimizer));
        let own = match held {
            Some(Held::Own(own)) => own,
            other => {
                if let Some(other) = other {
                    OPTIMIZERS.with_borrow_mut(|all| all.put(optimizer, other));
                }
                let what = "the optimizer belongs to another compiled step, or is gone";
                return Err(Error::argument("compile", what));
            }
        };
        let mut step = brasa::compile(Model(params), function(n), own);
        if max_norm.is_finite() {
            step.clip(Clip::Norm(max_norm));
        }
        let step = STEPS.with_borrow_mut(|all| all.add(step));
        OPTIMIZERS.with_borrow_mut(|all| all.put(optimizer, Held::Within(step)));
        Ok(step)
    })
}

/// Compiles a function, without gradients.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn compile_forward(n: u32) -> u32 {
    FORWARDS.with_borrow_mut(|all| all.add(Forward::new(function(n))))
}

/// Sets mode `n` of a module of the page's, a new one where `n` is [`NONE`]; its number. Where it is read, the
/// function that is being recorded is recorded anew when the mode changes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn mode(n: u32, training: u32, is_read: u32) -> u32 {
    MODES.with_borrow_mut(|all| {
        let n = if n == NONE { all.add(Mode::default()) } else { n };
        if let Some(mode) = all.get_mut(n) {
            mode.set(training != 0);
            if is_read != 0 {
                mode.is_training();
            }
        }
        n
    })
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release_mode(n: u32) {
    MODES.with_borrow_mut(|all| all.remove(n));
}

fn lost() -> Error {
    Error::stale("compile", "the compiled function was disposed of, or is being recorded")
}

/// Takes a step on the tensors in the scratch; leaves the loss and what was captured there.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn run_step(n: u32, len: u32) -> u32 {
    caught(|| {
        let inputs = arguments(len, |from| from.tensors())?;
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(lost)?;
        let result = step.step(&inputs.iter().collect::<Vec<_>>());
        STEPS.with_borrow_mut(|all| all.put(n, step));
        left(result)
    })
}

/// Runs a function on the tensors in the scratch; leaves the result and what was captured there.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn run_forward(n: u32, len: u32) -> u32 {
    caught(|| {
        let inputs = arguments(len, |from| from.tensors())?;
        let mut forward = FORWARDS.with_borrow_mut(|all| all.take(n)).ok_or_else(lost)?;
        let result = forward.run_with_captures(&inputs.iter().collect::<Vec<_>>());
        FORWARDS.with_borrow_mut(|all| all.put(n, forward));
        left(result)
    })
}

fn left(result: Result<(Tensor, Captures)>) -> Result<u32> {
    let (result, captures) = result?;
    Ok(named([(String::new(), result)].into_iter().chain(captures)))
}

/// The gradients of the loss by each parameter, without a step.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn step_grads(n: u32, len: u32) -> u32 {
    caught(|| {
        let inputs = arguments(len, |from| from.tensors())?;
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(lost)?;
        let result = step.grads(&inputs.iter().collect::<Vec<_>>());
        STEPS.with_borrow_mut(|all| all.put(n, step));
        Ok(named(result?))
    })
}

/// Leaves the step for inputs like those in the scratch as it is recorded: the graph, and its inputs
/// with their names and roles.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn step_recording(n: u32, len: u32) -> u32 {
    caught(|| {
        let inputs = arguments(len, |from| from.tensors())?;
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(lost)?;
        let recording = step.recording(&inputs.iter().collect::<Vec<_>>());
        STEPS.with_borrow_mut(|all| all.put(n, step));
        let recording = recording?;
        Ok(written(|to| {
            to.bytes(&recording.graph);
            to.u32(recording.names.len() as u32);
            for (id, name, role) in &recording.names {
                to.u32(id.index() as u32);
                to.text(name);
                to.text(role.word());
            }
        }))
    })
}

/// The value of a node of the step for the tensors in the scratch, without a step; its shape follows them.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn step_probe(n: u32, node: u32, dtype: u32, len: u32) -> u32 {
    caught(|| {
        let (inputs, shape) = arguments(len, |from| Ok((from.tensors()?, from.shape()?)))?;
        let ty = Type::new(dtype_of(dtype)?, shape);
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(lost)?;
        let value = step.probe_as(&inputs.iter().collect::<Vec<_>>(), node as usize, ty);
        STEPS.with_borrow_mut(|all| all.put(n, step));
        Ok(handle(value?))
    })
}

/// Hands a tensor out of the function being compiled, under the name in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn capture(x: u32, len: u32) -> u32 {
    caught(|| {
        let name = arguments(len, |from| from.text().map(String::from))?;
        brasa::capture(&name, &tensor(x)?);
        Ok(0)
    })
}

/// Ends a step. Its optimizer, where the page still has it, is its own again.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release_step(n: u32) {
    let Some(released) = STEPS.with_borrow_mut(|all| all.remove(n)) else { return };
    let own = Held::Own(released.into_optimizer());
    let left = OPTIMIZERS.with_borrow_mut(|all| {
        let mut all = all.iter_mut();
        let place = all.find(|held| matches!(held, Held::Within(step) if *step == n));
        match place {
            Some(place) => std::mem::replace(place, own),
            None => own,
        }
    });
    // Not while it is borrowed: tensors are freed.
    drop(left);
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release_forward(n: u32) {
    let released = FORWARDS.with_borrow_mut(|all| all.remove(n));
    drop(released);
}
