//! Tensors: ops by id, values in and out, gradients.
use super::scratch::Reader;
use super::tensor_table::TensorTable;
use super::{
    FAILED, NONE, TENSORS, evictable_handle, handle, read_arguments, run_call, site, status_of,
    tensor, trace, write_handles, write_result,
};
use brasa::dynamic::{self, Argument, CallOutcome};
use brasa::nn::{Buffer, Param};
use brasa::{DType, Error, Result, Tensor, remote};
use brasa_ir::table::{self, OpEntry};

/// The dtypes by the page's numbers.
const DTYPES: [DType; 10] = [
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I64,
    DType::I32,
    DType::U32,
    DType::U8,
    DType::I8,
    DType::Bool,
];

/// Records the op of this id with the arguments in the scratch. Writes handles of the results and
/// returns their number.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn call(op: u32, len: u32) -> u32 {
    let run = || {
        let op = op_entry(op)?;
        let (positional, named) = read_arguments(len, |from| call_arguments(op, from))?;
        Ok(write_handles(dynamic::call(op, site(), &positional, &named)?))
    };
    status_of(run())
}

/// [`call`] of an op whose result depends on data. The scratch holds the arguments, then the
/// bytes of the tensors it has requested so far. Writes whether the handles are of the tensors it
/// requests next, and the handles.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn call_knowing(op: u32, len: u32) -> u32 {
    let run = || {
        let op = op_entry(op)?;
        let (positional, named, known) = read_arguments(len, |from| {
            let (positional, named) = call_arguments(op, from)?;
            let known = from.list(|from| from.bytes().map(<[u8]>::to_vec))?;
            Ok((positional, named, known))
        })?;
        let (is_wanted, found) =
            match dynamic::call_with_known(op, site(), &positional, &named, &known)? {
                CallOutcome::Wanted(x) => (true, vec![handle(x)]),
                CallOutcome::Results(all) => {
                    (false, all.into_iter().map(evictable_handle).collect())
                }
            };
        write_result(|to| {
            to.u32(is_wanted.into());
            found.iter().for_each(|handle| to.u32(*handle));
        });
        Ok(found.len() as u32)
    };
    status_of(run())
}

fn op_entry(op: u32) -> Result<&'static OpEntry> {
    let unknown = || Error::argument("call", format!("there is no op {op}"));
    table::all().get(op as usize).ok_or_else(unknown)
}

type Named = Vec<(String, Argument)>;

/// Positional arguments, then named ones. Positional arguments after an omitted one are passed by
/// name.
fn call_arguments(op: &OpEntry, from: &mut Reader) -> Result<(Vec<Argument>, Named)> {
    let (mut positional, mut named) = (Vec::new(), Vec::new());
    let count = from.byte()? as usize;
    let mut has_gap = false;
    for n in 0..count {
        match (from.argument()?, op.params.get(n)) {
            (None, _) => has_gap = true,
            (Some(value), Some(param)) if has_gap => named.push((param.name.to_string(), value)),
            (Some(value), _) => positional.push(value),
        }
    }
    for _ in 0..from.byte()? {
        let name = from.text()?.to_string();
        if let Some(value) = from.argument()? {
            named.push((name, value));
        }
    }
    Ok((positional, named))
}

/// A tensor whose bytes the page sends to the engine itself; writes the number of its memory.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn announce(dtype: u32, len: u32) -> u32 {
    let run = || {
        let shape = read_arguments(len, |from| from.shape())?;
        let (x, memory) = remote::announce(dtype_of(dtype)?, shape);
        write_result(|to| to.f64(memory as f64));
        Ok(handle(x))
    };
    status_of(run())
}

/// A tensor from its shape and bytes in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn from_bytes(dtype: u32, len: u32) -> u32 {
    let run = || {
        let dtype = dtype_of(dtype)?;
        let x = read_arguments(len, |from| {
            let shape = from.shape()?;
            Tensor::from_bytes(dtype, shape, from.bytes()?)
        })?;
        Ok(handle(x))
    };
    status_of(run())
}

pub(super) fn dtype_of(n: u32) -> Result<DType> {
    let unknown = || Error::argument("dtype", format!("there is no dtype {n}"));
    DTYPES.get(n as usize).copied().ok_or_else(unknown)
}

/// Releases a handle.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release(x: u32) {
    let released = TENSORS.with_borrow_mut(|all| all.remove(x));
    drop(released);
}

/// Exempts a tensor from eviction.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn keep(x: u32) -> u32 {
    status_of(tensor(x).map(|x| {
        x.keep();
        0
    }))
}

/// Sets the memory budget for results of ops.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_memory_budget(bytes: f64) {
    let bytes = bytes as usize;
    brasa::set_memory_budget(bytes);
    TENSORS.with_borrow_mut(|all| all.set_budget(bytes));
}

/// The number of handles.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn held() -> u32 {
    TENSORS.with_borrow(|all| all.len() as u32)
}

/// Writes the dtype, whether it is a leaf that requires a gradient, whether a gradient flows
/// through it, and the shape.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn describe(x: u32) -> u32 {
    let run = || {
        let x = tensor(x)?;
        let dtype = DTYPES.iter().position(|dtype| *dtype == x.dtype()).unwrap_or_default();
        Ok(write_result(|to| {
            to.u32(dtype as u32);
            to.u32(x.is_leaf().into());
            to.u32(x.is_tracked().into());
            to.u32(x.rank() as u32);
            x.shape().iter().for_each(|len| to.u32(*len as u32));
        }))
    };
    status_of(run())
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_requires_grad(x: u32, wanted: u32) -> u32 {
    run_call(|| {
        tensor(x)?.set_requires_grad(wanted != 0);
        Ok(0)
    })
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn retain_grad(x: u32) -> u32 {
    status_of(tensor(x).map(|x| {
        x.retain_grad();
        0
    }))
}

/// The gradient, or [`NONE`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn grad(x: u32) -> u32 {
    status_of(tensor(x).map(|x| x.grad().map_or(NONE, handle)))
}

/// Replaces the gradient, or clears it ([`NONE`]).
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_grad(x: u32, grad: u32) -> u32 {
    let run = || {
        let grad = if grad == NONE { None } else { Some(tensor(grad)?) };
        tensor(x)?.set_grad(grad);
        Ok(0)
    };
    status_of(run())
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn detach(x: u32) -> u32 {
    run_call(|| Ok(evictable_handle(tensor(x)?.detach())))
}

/// A new parameter with the same value.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn parameter(x: u32, requires_grad: u32) -> u32 {
    run_call(|| {
        let own = Tensor::clone(&Param::new(tensor(x)?));
        own.set_requires_grad(requires_grad != 0);
        Ok(handle(own))
    })
}

/// A new module buffer with the same value.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn buffer(x: u32) -> u32 {
    run_call(|| Ok(handle(Tensor::clone(&Buffer::new(tensor(x)?)))))
}

/// Writes the operand in the scratch to a tensor, in place. The name of the op that computed it
/// precedes it, or an empty name if it may be cast.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn assign(x: u32, len: u32) -> u32 {
    run_call(|| {
        let x = tensor(x)?;
        let value = read_arguments(len, |from| {
            let op = from.text()?;
            let value = from.given()?;
            if !op.is_empty() {
                check_in_place(op, &x, &value)?;
            }
            Ok(value)
        })?;
        x.copy_(value.operand("copy_")?);
        Ok(0)
    })
}

/// Rejects results that the tensor's dtype cannot hold: fractions would be truncated silently. A
/// function of its own, so that the page loads it lazily.
#[inline(never)]
fn check_in_place(op: &str, x: &Tensor, value: &Argument) -> Result<()> {
    let Argument::Tensor(value) = value else { return Ok(()) };
    let (own, result) = (x.dtype(), value.dtype());
    let rank = |dtype: DType| if dtype.is_float() { 2 } else { i32::from(dtype != DType::Bool) };
    if rank(result) <= rank(own) {
        return Ok(());
    }
    let what = format!("the result is {result}, which a tensor of {own} cannot hold");
    Err(Error::dtype(&format!("{op}_"), what).help(format!("x.to('{result}')")))
}

/// A part of a tensor, by the index in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn index(x: u32, len: u32) -> u32 {
    run_call(|| {
        let index = read_arguments(len, |from| from.list(Reader::given))?;
        Ok(evictable_handle(tensor(x)?.i(dynamic::index(&index)?)))
    })
}

/// Writes to a part of a tensor, in place: an index and an operand.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_index(x: u32, len: u32) -> u32 {
    run_call(|| {
        let (index, value) =
            read_arguments(len, |from| Ok((from.list(Reader::given)?, from.given()?)))?;
        tensor(x)?.set(dynamic::index(&index)?, value.operand("set")?);
        Ok(0)
    })
}

/// Whether two handles refer to the same tensor.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn is_same(a: u32, b: u32) -> u32 {
    match (tensor(a), tensor(b)) {
        (Ok(a), Ok(b)) => a.is_same(&b).into(),
        _ => 0,
    }
}

/// Adds the gradients of `x` to those of its leaves; `gradient` may be [`NONE`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn backward(x: u32, gradient: u32, retain: u32, create: u32) -> u32 {
    run_call(|| {
        let gradient = if gradient == NONE { None } else { Some(tensor(gradient)?) };
        tensor(x)?.backward_with(|o| {
            let o = o.retain_graph(retain != 0).create_graph(create != 0);
            gradient.iter().fold(o, |o, gradient| o.gradient([gradient]))
        });
        Ok(0)
    })
}

/// The gradients of outputs with respect to inputs: two lists in the scratch, and a third of the
/// outputs' own gradients, which may be empty. Writes handles, [`NONE`] for no gradient.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn grads(len: u32, retain: u32, create: u32) -> u32 {
    run_call(|| {
        let [outputs, inputs, gradients] =
            read_arguments(len, |from| Ok([from.tensors()?, from.tensors()?, from.tensors()?]))?;
        let (outputs, inputs): (Vec<&Tensor>, Vec<&Tensor>) =
            (outputs.iter().collect(), inputs.iter().collect());
        let found = brasa::grad_with(&outputs, &inputs, |o| {
            let o = o.retain_graph(retain != 0).create_graph(create != 0);
            if gradients.is_empty() { o } else { o.gradient(&gradients) }
        });
        let count = found.len() as u32;
        let found: Vec<u32> = found.into_iter().map(|x| x.map_or(NONE, evictable_handle)).collect();
        write_result(|to| found.iter().for_each(|handle| to.u32(*handle)));
        Ok(count)
    })
}

/// `x`, computed from the tensors in the scratch, with a custom gradient: one of the page's
/// functions, which maps the gradient of `x` to that of each input.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn with_gradient(x: u32, function: u32, len: u32) -> u32 {
    run_call(|| {
        let inputs = read_arguments(len, |from| from.tensors())?;
        let listed: Vec<&Tensor> = inputs.iter().collect();
        let value = brasa::with_gradient(&tensor(x)?, &listed, |dy| backward_of(function, dy));
        Ok(evictable_handle(value))
    })
}

/// Calls one of the page's functions, which writes handles, [`NONE`] for no gradient.
fn backward_of(function: u32, dy: &Tensor) -> Vec<Option<Tensor>> {
    let dy = handle(dy.clone());
    write_result(|to| to.u32(dy));
    // SAFETY: the page reads the scratch during the call; nothing of ours is borrowed meanwhile.
    let count = unsafe { trace(function, 1) };
    if count == FAILED {
        _ = brasa::rejected(Error::argument("backward", "the function threw").at(site()));
        return Vec::new();
    }
    let handles = read_arguments(4 * count, |from| (0..count).map(|_| from.u32()).collect());
    let gradient = |n: u32| if n == NONE { None } else { tensor(n).ok() };
    handles.unwrap_or_else(|_: Error| Vec::new()).into_iter().map(gradient).collect()
}

/// Sets whether operations are recorded for gradients, and returns the previous setting.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_grad_enabled(enabled: u32) -> u32 {
    brasa::set_grad_enabled(enabled != 0).into()
}

/// Seeds the random generator with two halves of a seed.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn manual_seed(low: u32, high: u32) {
    brasa::manual_seed(u64::from(high) << 32 | u64::from(low));
}

/// Writes the state of the random generator: seed in two halves, number of draws.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn rng_state() -> u32 {
    let state = brasa::rng_state();
    write_result(|to| {
        to.u32(state.seed as u32);
        to.u32((state.seed >> 32) as u32);
        to.f64(state.draws as f64);
    })
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_rng_state(low: u32, high: u32, draws: f64) {
    let seed = u64::from(high) << 32 | u64::from(low);
    brasa::set_rng_state(brasa::RngState { seed, draws: draws as u64 });
}

/// Flushes pending work to the command queue.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn flush() {
    brasa::flush();
    TENSORS.with_borrow_mut(TensorTable::evict);
}

/// Requests a value from the engine; writes the number of its reply.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn read(x: u32) -> u32 {
    let run = || {
        let reply = remote::read(&tensor(x)?)?;
        TENSORS.with_borrow_mut(TensorTable::evict);
        Ok(write_result(|to| to.f64(reply as f64)))
    };
    status_of(run())
}

/// Writes the commands queued since the last call; returns their length.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn take_commands() -> u32 {
    let commands = remote::take_commands();
    if commands.is_empty() {
        return 0;
    }
    write_result(|to| to.bytes(&commands))
}

/// Formats a tensor with the bytes in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn printed(x: u32, len: u32) -> u32 {
    let run = || {
        let x = tensor(x)?;
        let text = read_arguments(len, |from| x.format_bytes(from.bytes()?))?;
        Ok(write_result(|to| to.text(&text)))
    };
    status_of(run())
}
