//! Tensors: ops by row of the table, values in and out, gradients.
use super::held::Held;
use super::scratch::Reader;
use super::{
    FAILED, NONE, TENSORS, arguments, caught, handle, handles, outcome, site, soft, tensor, trace,
    written,
};
use brasa::dynamic::{self, Argument, Found};
use brasa::nn::{Buffer, Param};
use brasa::{DType, Error, Result, Tensor, remote};
use brasa_ir::table::{self, OpEntry};

/// The types of elements, by the numbers the page knows them under.
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

/// Records op `row` of the table with the arguments in the scratch; handles of the results are left
/// there, and their number is given.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn call(row: u32, len: u32) -> u32 {
    let called = || {
        let op = op(row)?;
        let (positional, named) = arguments(len, |from| call_arguments(op, from))?;
        Ok(handles(dynamic::call(op, site(), &positional, &named)?))
    };
    outcome(called())
}

/// [`call`] of an op that looks at data: arguments, then the bytes of what it wanted to know so far. Leaves
/// whether the handles are of what it wants to know next, and the handles.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn call_knowing(row: u32, len: u32) -> u32 {
    let called = || {
        let op = op(row)?;
        let (positional, named, known) = arguments(len, |from| {
            let (positional, named) = call_arguments(op, from)?;
            let known = from.list(|from| from.bytes().map(<[u8]>::to_vec))?;
            Ok((positional, named, known))
        })?;
        let (is_wanted, found) =
            match dynamic::call_knowing(op, site(), &positional, &named, &known)? {
                Found::Wanted(x) => (true, vec![handle(x)]),
                Found::Results(all) => (false, all.into_iter().map(soft).collect()),
            };
        written(|to| {
            to.u32(is_wanted.into());
            found.iter().for_each(|handle| to.u32(*handle));
        });
        Ok(found.len() as u32)
    };
    outcome(called())
}

fn op(row: u32) -> Result<&'static OpEntry> {
    let unknown = || Error::argument("call", format!("there is no op {row}"));
    table::all().get(row as usize).ok_or_else(unknown)
}

type Named = Vec<(String, Argument)>;

/// Positional arguments and then named ones. What follows a gap is named.
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

/// A tensor whose bytes the page brings to the engine itself; the number of its memory is left in the
/// scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn announce(dtype: u32, len: u32) -> u32 {
    let announced = || {
        let shape = arguments(len, |from| from.shape())?;
        let (x, memory) = remote::announce(dtype_of(dtype)?, shape);
        written(|to| to.f64(memory as f64));
        Ok(handle(x))
    };
    outcome(announced())
}

/// A tensor of the bytes in the scratch, which follow its shape.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn from_bytes(dtype: u32, len: u32) -> u32 {
    let made = || {
        let dtype = dtype_of(dtype)?;
        let x = arguments(len, |from| {
            let shape = from.shape()?;
            Tensor::from_bytes(dtype, shape, from.bytes()?)
        })?;
        Ok(handle(x))
    };
    outcome(made())
}

pub(super) fn dtype_of(n: u32) -> Result<DType> {
    let unknown = || Error::argument("dtype", format!("there is no dtype {n}"));
    DTYPES.get(n as usize).copied().ok_or_else(unknown)
}

/// Gives a handle back.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn release(x: u32) {
    let released = TENSORS.with_borrow_mut(|all| all.remove(x));
    drop(released);
}

/// Spares the value of a tensor, whatever the memory budget says.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn keep(x: u32) -> u32 {
    outcome(tensor(x).map(|x| {
        x.keep();
        0
    }))
}

/// Sets how many bytes results of ops may need together.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_memory_budget(bytes: f64) {
    let bytes = bytes as usize;
    brasa::set_memory_budget(bytes);
    TENSORS.with_borrow_mut(|all| all.set_budget(bytes));
}

/// How many handles there are.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn held() -> u32 {
    TENSORS.with_borrow(|all| all.len() as u32)
}

/// Leaves dtype, whether it is a leaf that requires a gradient, whether one flows through it, and the
/// shape in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn describe(x: u32) -> u32 {
    let described = || {
        let x = tensor(x)?;
        let dtype = DTYPES.iter().position(|dtype| *dtype == x.dtype()).unwrap_or_default();
        Ok(written(|to| {
            to.u32(dtype as u32);
            to.u32(x.is_leaf().into());
            to.u32(x.is_tracked().into());
            to.u32(x.rank() as u32);
            x.shape().iter().for_each(|len| to.u32(*len as u32));
        }))
    };
    outcome(described())
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_requires_grad(x: u32, wanted: u32) -> u32 {
    caught(|| {
        tensor(x)?.set_requires_grad(wanted != 0);
        Ok(0)
    })
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn retain_grad(x: u32) -> u32 {
    outcome(tensor(x).map(|x| {
        x.retain_grad();
        0
    }))
}

/// The gradient, or [`NONE`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn grad(x: u32) -> u32 {
    outcome(tensor(x).map(|x| x.grad().map_or(NONE, handle)))
}

/// Replaces the gradient, or forgets it ([`NONE`]).
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_grad(x: u32, grad: u32) -> u32 {
    let set = || {
        let grad = if grad == NONE { None } else { Some(tensor(grad)?) };
        tensor(x)?.set_grad(grad);
        Ok(0)
    };
    outcome(set())
}

#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn detach(x: u32) -> u32 {
    caught(|| Ok(soft(tensor(x)?.detach())))
}

/// A tensor of its own with the same value, that is trained.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn parameter(x: u32, requires_grad: u32) -> u32 {
    caught(|| {
        let own = Tensor::clone(&Param::new(tensor(x)?));
        own.set_requires_grad(requires_grad != 0);
        Ok(handle(own))
    })
}

/// A tensor of its own with the same value, that belongs to a model's state.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn buffer(x: u32) -> u32 {
    caught(|| Ok(handle(Tensor::clone(&Buffer::new(tensor(x)?)))))
}

/// Writes the operand in the scratch to a tensor, in place. Before it stands the name of the op whose result
/// it is, or nothing where it may be cast.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn assign(x: u32, len: u32) -> u32 {
    caught(|| {
        let x = tensor(x)?;
        let value = arguments(len, |from| {
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

/// Refuses results that the dtype of a tensor cannot hold: fractions would be cut off silently. Apart, so that
/// a page loads it later.
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

/// Part of a tensor, by the index in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn index(x: u32, len: u32) -> u32 {
    caught(|| {
        let index = arguments(len, |from| from.list(Reader::given))?;
        Ok(soft(tensor(x)?.i(dynamic::index(&index)?)))
    })
}

/// Writes to part of a tensor, in place: an index and an operand.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_index(x: u32, len: u32) -> u32 {
    caught(|| {
        let (index, value) = arguments(len, |from| Ok((from.list(Reader::given)?, from.given()?)))?;
        tensor(x)?.set(dynamic::index(&index)?, value.operand("set")?);
        Ok(0)
    })
}

/// Whether two handles are of one tensor.
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
    caught(|| {
        let gradient = if gradient == NONE { None } else { Some(tensor(gradient)?) };
        tensor(x)?.backward_with(|o| {
            let o = o.retain_graph(retain != 0).create_graph(create != 0);
            gradient.iter().fold(o, |o, gradient| o.gradient([gradient]))
        });
        Ok(0)
    })
}

/// The gradients of outputs by inputs, two lists in the scratch and a third of the outputs' own
/// gradients, which may be empty. Handles are left there, [`NONE`] where there is none.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn grads(len: u32, retain: u32, create: u32) -> u32 {
    caught(|| {
        let [outputs, inputs, gradients] =
            arguments(len, |from| Ok([from.tensors()?, from.tensors()?, from.tensors()?]))?;
        let (outputs, inputs): (Vec<&Tensor>, Vec<&Tensor>) =
            (outputs.iter().collect(), inputs.iter().collect());
        let found = brasa::grad_with(&outputs, &inputs, |o| {
            let o = o.retain_graph(retain != 0).create_graph(create != 0);
            if gradients.is_empty() { o } else { o.gradient(&gradients) }
        });
        let count = found.len() as u32;
        let found: Vec<u32> = found.into_iter().map(|x| x.map_or(NONE, soft)).collect();
        written(|to| found.iter().for_each(|handle| to.u32(*handle)));
        Ok(count)
    })
}

/// `x`, computed from the tensors in the scratch, with the gradient that a function of the page's gives:
/// it is called with the gradient of `x` and leaves that of each input.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn with_gradient(x: u32, function: u32, len: u32) -> u32 {
    caught(|| {
        let inputs = arguments(len, |from| from.tensors())?;
        let listed: Vec<&Tensor> = inputs.iter().collect();
        let value = brasa::with_gradient(&tensor(x)?, &listed, |dy| backward_of(function, dy));
        Ok(soft(value))
    })
}

/// Calls a function of the page's, which leaves handles in the scratch, [`NONE`] for nothing.
fn backward_of(function: u32, dy: &Tensor) -> Vec<Option<Tensor>> {
    let dy = handle(dy.clone());
    written(|to| to.u32(dy));
    // SAFETY: the page reads the scratch during the call; nothing of ours is borrowed meanwhile.
    let count = unsafe { trace(function, 1) };
    if count == FAILED {
        _ = brasa::rejected(Error::argument("backward", "the function has thrown").at(site()));
        return Vec::new();
    }
    let handles = arguments(4 * count, |from| (0..count).map(|_| from.u32()).collect());
    let gradient = |n: u32| if n == NONE { None } else { tensor(n).ok() };
    handles.unwrap_or_else(|_: Error| Vec::new()).into_iter().map(gradient).collect()
}

/// Says whether paths for gradients are recorded from here on, and gives whether they were.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_grad_enabled(enabled: u32) -> u32 {
    brasa::set_grad_enabled(enabled != 0).into()
}

/// Begins all draws anew, by a seed in two halves.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn manual_seed(low: u32, high: u32) {
    brasa::manual_seed(u64::from(high) << 32 | u64::from(low));
}

/// The state of the random generator, in the scratch: seed in two halves, draws.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn rng_state() -> u32 {
    let state = brasa::rng_state();
    written(|to| {
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

/// Queues all that is pending.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn flush() {
    brasa::flush();
    TENSORS.with_borrow_mut(Held::tidy);
}

/// Asks the engine for a value; the number of its reply is left in the scratch.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn read(x: u32) -> u32 {
    let asked = || {
        let reply = remote::read(&tensor(x)?)?;
        TENSORS.with_borrow_mut(Held::tidy);
        Ok(written(|to| to.f64(reply as f64)))
    };
    outcome(asked())
}

/// The commands queued since the last time, in the scratch; how long they are.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn take_commands() -> u32 {
    let commands = remote::take_commands();
    if commands.is_empty() {
        return 0;
    }
    written(|to| to.bytes(&commands))
}

/// How a tensor with the bytes in the scratch is printed.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn printed(x: u32, len: u32) -> u32 {
    let shown = || {
        let x = tensor(x)?;
        let text = arguments(len, |from| x.shown(from.bytes()?))?;
        Ok(written(|to| to.text(&text)))
    };
    outcome(shown())
}
