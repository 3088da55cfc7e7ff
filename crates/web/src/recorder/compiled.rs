//! The page's compiled functions: recorded once for each shape of their inputs, by calling back
//! into the page.
use super::optimizers::{OPTIMIZERS, OptimizerSlot, write_named};
use super::scratch::Reader;
use super::slab::Slab;
use super::tensors::dtype_of;
use super::{FAILED, NONE, handle, read_arguments, run_call, site, tensor, trace, write_result};
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

/// Wraps one of the page's functions as a function of tensors.
fn function(n: u32) -> impl Fn(&[Tensor]) -> Tensor {
    move |inputs| {
        let handles: Vec<u32> = inputs.iter().map(|x| handle(x.clone())).collect();
        write_result(|to| handles.iter().for_each(|handle| to.u32(*handle)));
        // SAFETY: the page reads the scratch during the call; nothing of ours is borrowed meanwhile.
        let result = unsafe { trace(n, handles.len() as u32) };
        if result == FAILED {
            return brasa::rejected(Error::argument("compile", "the function threw").at(site()));
        }
        tensor(result).unwrap_or_else(brasa::rejected)
    }
}

/// Compiles a training step of a function that returns a loss, with an optimizer. The scratch
/// holds the parameters by path and the maximum norm of the gradients.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn compile_step(n: u32, optimizer: u32, len: u32) -> u32 {
    run_call(|| {
        let (params, max_norm) = read_arguments(len, |from| {
            let param =
                |from: &mut Reader| Ok((from.text()?.to_string(), Param::of(tensor(from.u32()?)?)));
            Ok((from.list(param)?, from.f64()?))
        })?;
        let slot = OPTIMIZERS.with_borrow_mut(|all| all.take(optimizer));
        let own = match slot {
            Some(OptimizerSlot::Owned(own)) => own,
            other => {
                if let Some(other) = other {
                    OPTIMIZERS.with_borrow_mut(|all| all.put(optimizer, other));
                }
                let what = "the optimizer belongs to another compiled step, or was released";
                return Err(Error::argument("compile", what));
            }
        };
        let mut step = brasa::compile(Model(params), function(n), own);
        if max_norm.is_finite() {
            step.clip(Clip::Norm(max_norm));
        }
        let step = STEPS.with_borrow_mut(|all| all.add(step));
        OPTIMIZERS.with_borrow_mut(|all| all.put(optimizer, OptimizerSlot::InStep(step)));
        Ok(step)
    })
}

/// Compiles a function, without gradients.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn compile_forward(n: u32) -> u32 {
    FORWARDS.with_borrow_mut(|all| all.add(Forward::new(function(n))))
}

/// Sets mode `n` of one of the page's modules, a new one if `n` is [`NONE`]; returns its number.
/// If `is_read`, a function that is being recorded depends on it, and is recorded again when the
/// mode changes.
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

fn disposed() -> Error {
    Error::stale("compile", "the compiled function was disposed of, or is being recorded")
}

/// Runs a training step on the tensors in the scratch; writes the loss and the captured tensors.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn run_step(n: u32, len: u32) -> u32 {
    run_call(|| {
        let inputs = read_arguments(len, |from| from.tensors())?;
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(disposed)?;
        let result = step.step(&inputs.iter().collect::<Vec<_>>());
        STEPS.with_borrow_mut(|all| all.put(n, step));
        write_output(result)
    })
}

/// Runs a function on the tensors in the scratch; writes the result and the captured tensors.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn run_forward(n: u32, len: u32) -> u32 {
    run_call(|| {
        let inputs = read_arguments(len, |from| from.tensors())?;
        let mut forward = FORWARDS.with_borrow_mut(|all| all.take(n)).ok_or_else(disposed)?;
        let result = forward.run_with_captures(&inputs.iter().collect::<Vec<_>>());
        FORWARDS.with_borrow_mut(|all| all.put(n, forward));
        write_output(result)
    })
}

fn write_output(result: Result<(Tensor, Captures)>) -> Result<u32> {
    let (result, captures) = result?;
    Ok(write_named([(String::new(), result)].into_iter().chain(captures)))
}

/// Writes the gradient of the loss with respect to each parameter, without updating them.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn step_grads(n: u32, len: u32) -> u32 {
    run_call(|| {
        let inputs = read_arguments(len, |from| from.tensors())?;
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(disposed)?;
        let result = step.grads(&inputs.iter().collect::<Vec<_>>());
        STEPS.with_borrow_mut(|all| all.put(n, step));
        Ok(write_named(result?))
    })
}

/// Writes the recorded step for inputs like those in the scratch: the graph, and its inputs with
/// their names and roles.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn step_recording(n: u32, len: u32) -> u32 {
    run_call(|| {
        let inputs = read_arguments(len, |from| from.tensors())?;
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(disposed)?;
        let recording = step.recording(&inputs.iter().collect::<Vec<_>>());
        STEPS.with_borrow_mut(|all| all.put(n, step));
        let recording = recording?;
        Ok(write_result(|to| {
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

/// The value of a node of the step for the tensors in the scratch, without an update. The shape
/// of the value follows the tensors.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn step_probe(n: u32, node: u32, dtype: u32, len: u32) -> u32 {
    run_call(|| {
        let (inputs, shape) = read_arguments(len, |from| Ok((from.tensors()?, from.shape()?)))?;
        let ty = Type::new(dtype_of(dtype)?, shape);
        let mut step = STEPS.with_borrow_mut(|all| all.take(n)).ok_or_else(disposed)?;
        let value = step.probe_as(&inputs.iter().collect::<Vec<_>>(), node as usize, ty);
        STEPS.with_borrow_mut(|all| all.put(n, step));
        Ok(handle(value?))
    })
}

/// Captures a tensor of the function being compiled, under the name in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn capture(x: u32, len: u32) -> u32 {
    run_call(|| {
        let name = read_arguments(len, |from| from.text().map(String::from))?;
        brasa::capture(&name, &tensor(x)?);
        Ok(0)
    })
}

/// Releases a step. If the page still holds the step's optimizer, that handle owns the optimizer
/// again.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release_step(n: u32) {
    let Some(released) = STEPS.with_borrow_mut(|all| all.remove(n)) else { return };
    let own = OptimizerSlot::Owned(released.into_optimizer());
    let replaced = OPTIMIZERS.with_borrow_mut(|all| {
        let mut all = all.iter_mut();
        let slot = all.find(|slot| matches!(slot, OptimizerSlot::InStep(step) if *step == n));
        match slot {
            Some(slot) => std::mem::replace(slot, own),
            None => own,
        }
    });
    // After the borrow has ended: dropping frees tensors.
    drop(replaced);
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release_forward(n: u32) {
    let released = FORWARDS.with_borrow_mut(|all| all.remove(n));
    drop(released);
}
