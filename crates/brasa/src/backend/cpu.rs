//! The processor: buffers that are computed in place, with a small store of freed ones, since fresh
//! pages cost more than most kernels that fill them; and programs by fingerprint.
use super::{Backend, Device, Memory, Program, is_checked, own};
use crate::storage::{Data, lock};
use crate::{Error, Result};
use brasa_compile::{Options, compile_with};
#[cfg(not(target_family = "wasm"))]
use brasa_cpu::pool::MOST_THREADS;
use brasa_cpu::{Buffer, Cache, Executable, Pool};
use brasa_ir::{Array, Graph, Id, Number};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub(super) struct Cpu;

/// Programs of all threads. Held during a run, so that no buffer is in two runs at once.
#[derive(Default)]
struct Shared {
    cache: Cache,
    buffers: Vec<Buffer>,
    /// The threads that were asked for; none where those of the process will do.
    pool: Option<Pool>,
}

/// The threads of a run.
fn threads(own: &Option<Pool>) -> &Pool {
    own.as_ref().unwrap_or_else(|| Pool::global())
}

static SHARED: LazyLock<Mutex<Shared>> = LazyLock::new(Mutex::default);

/// How many programs have been compiled since the start, by all threads. A training loop that goes on
/// counting compiles anew in each step.
pub fn compiled_programs() -> u64 {
    lock(&SHARED).cache.compiled()
}

/// How many threads compute on the processor.
pub fn num_threads() -> usize {
    threads(&lock(&SHARED).pool).threads()
}

/// Lets so many threads compute on the processor from here on, at least one. At first there are as many
/// as the machine runs at once, or as the variable `BRASA_THREADS` says. Results do not depend on it.
/// Where the system does not start so many, the call is rejected and those before go on.
#[cfg(not(target_family = "wasm"))]
#[track_caller]
pub fn set_num_threads(threads: usize) {
    let threads = threads.max(1);
    let refuse = |what: String| {
        let help = "leave it at the cores of the machine, or choose fewer";
        crate::session::reject(&Error::argument("set_num_threads", what).help(help));
    };
    if threads > MOST_THREADS {
        return refuse(format!("{threads} threads: there are at most {MOST_THREADS}"));
    }
    let shared = &mut *lock(&SHARED);
    if shared.pool.as_ref().is_some_and(|pool| pool.threads() == threads) {
        return;
    }
    let pool = Pool::new(threads);
    match pool.threads() {
        started if started == threads => shared.pool = Some(pool),
        started => refuse(format!("the system starts only {started} of {threads} threads")),
    }
}

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn room(&self, bytes: usize) -> Box<dyn Memory> {
        Box::new(Bytes::new(bytes))
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        let memory = Bytes::new(bytes.len());
        if let (None, Some(buffer)) = (memory.missing, &mut *lock(&memory.buffer)) {
            buffer.bytes_mut().copy_from_slice(bytes);
        }
        Box::new(memory)
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let Shared { cache, buffers, pool } = &mut *lock(&SHARED);
        let executable = cache.get(graph, &[], &options()?)?;
        let bound = bound(executable, inputs)?;
        run_on(executable, threads(pool), buffers, &bound, graph.slots(), |_, _| ())
    }

    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>> {
        let program = compile_with(graph, &[], &options()?)?;
        let inputs = program.inputs.iter().map(|input| input.node).collect();
        Ok(Box::new(Compiled { executable: Executable::new(program), inputs }))
    }

    fn value(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)], wanted: Id) -> Result<Array> {
        let mut inputs = inputs.to_vec();
        inputs.sort_by_key(|(id, _)| *id);
        let program = compile_with(graph, &[wanted], &options()?)?;
        let mut executable = Executable::new(program);
        let bound = bound(&executable, &inputs)?;
        let Shared { buffers, pool, .. } = &mut *lock(&SHARED);
        let output = |executable: &Executable, buffers: &[Buffer]| executable.output(buffers, 0);
        run_on(&mut executable, threads(pool), buffers, &bound, graph.slots(), output)
    }
}

/// How programs are compiled: verified after each pass in the checked mode.
fn options() -> Result<Options> {
    Ok(Options { verify: is_checked()?, ..Options::default() })
}

/// The memory of a program's inputs.
fn bound<'a>(executable: &Executable, inputs: &'a [(Id, Arc<Data>)]) -> Result<Vec<&'a Bytes>> {
    let find = |node: Id| {
        let at = inputs.binary_search_by_key(&node, |(id, _)| *id);
        let at = at.map_err(|_| Error::data("flush", "an input has no value"))?;
        own(inputs[at].1.memory(), Device::cpu())
    };
    executable.program().inputs.iter().map(|input| find(input.node)).collect()
}

/// Lends memory to a run, and shows what it has left there.
fn run_on<T>(
    executable: &mut Executable,
    pool: &Pool,
    buffers: &mut Vec<Buffer>,
    inputs: &[&Bytes],
    slots: &[Number],
    look: impl FnOnce(&Executable, &[Buffer]) -> T,
) -> Result<T> {
    refuse_missing(executable, inputs)?;
    lend(buffers, inputs, |buffers| {
        if is_checked()? {
            executable.run_checked(pool, buffers, slots)?;
        } else {
            executable.run(pool, buffers, slots)?;
        }
        Ok(look(executable, buffers))
    })
}

/// Names the op whose result could have no memory.
fn refuse_missing(executable: &Executable, inputs: &[&Bytes]) -> Result<()> {
    match inputs.iter().position(|memory| memory.missing.is_some()) {
        Some(n) => Err(executable.no_memory_for(n)),
        None => Ok(()),
    }
}

/// Calls `body` with the memory of the inputs in order.
fn lend<T>(
    buffers: &mut Vec<Buffer>,
    inputs: &[&Bytes],
    body: impl FnOnce(&mut [Buffer]) -> Result<T>,
) -> Result<T> {
    buffers.clear();
    for (n, memory) in inputs.iter().enumerate() {
        let is_twin = |other: &&Bytes| std::ptr::eq(*other, *memory);
        let buffer = match memory.take() {
            Some(buffer) => buffer,
            None => {
                let twin = inputs[..n].iter().position(is_twin);
                buffers[twin.expect("one run at a time")].clone()
            }
        };
        buffers.push(buffer);
    }
    IS_RUNNING.set(true);
    let result = body(buffers);
    IS_RUNNING.set(false);
    // From the back, so that the first of twins is the one that stays.
    for (memory, buffer) in inputs.iter().zip(buffers.drain(..)).rev() {
        memory.put(buffer);
    }
    result
}

struct Compiled {
    executable: Executable,
    inputs: Vec<Id>,
}

impl Program for Compiled {
    fn inputs(&self) -> &[Id] {
        &self.inputs
    }

    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()> {
        let inputs = inputs.iter().map(|memory| own(*memory, Device::cpu()));
        let inputs = inputs.collect::<Result<Vec<&Bytes>>>()?;
        let Shared { buffers, pool, .. } = &mut *lock(&SHARED);
        run_on(&mut self.executable, threads(pool), buffers, &inputs, slots, |_, _| ())
    }

    #[cfg(feature = "engine")]
    fn profile(
        &mut self,
        inputs: &[&dyn Memory],
        slots: &[Number],
        now: &dyn Fn() -> f64,
    ) -> Result<Vec<f64>> {
        let inputs = inputs.iter().map(|memory| own(*memory, Device::cpu()));
        let inputs = inputs.collect::<Result<Vec<&Bytes>>>()?;
        let Shared { buffers, pool, .. } = &mut *lock(&SHARED);
        refuse_missing(&self.executable, &inputs)?;
        lend(buffers, &inputs, |buffers| {
            self.executable.profile_by(threads(pool), buffers, slots, now)
        })
    }
}

thread_local! {
    /// Whether this thread is inside of a run.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// The bytes of a tensor; an empty buffer where there is no memory for them, which whoever uses it is told.
struct Bytes {
    /// None while it is lent to a run.
    buffer: Mutex<Option<Buffer>>,
    /// Bytes that could not be had.
    missing: Option<usize>,
}

impl Bytes {
    fn new(len: usize) -> Bytes {
        match FREED.take(len) {
            Some(buffer) => Bytes { buffer: Mutex::new(Some(buffer)), missing: None },
            None => Bytes::missing(len),
        }
    }

    fn missing(len: usize) -> Bytes {
        Bytes { buffer: Mutex::new(Some(Buffer::new(0))), missing: Some(len) }
    }

    fn take(&self) -> Option<Buffer> {
        lock(&self.buffer).take()
    }

    fn put(&self, buffer: Buffer) {
        *lock(&self.buffer) = Some(buffer);
    }

    /// Shows the bytes, once a run of another thread that has them is over. Fails inside of a run that has
    /// them: a custom op may read other tensors alone.
    fn show<T>(&self, look: impl FnOnce(&[u8]) -> T) -> Result<T> {
        if let Some(buffer) = &*lock(&self.buffer) {
            return Ok(look(buffer.bytes()));
        }
        if IS_RUNNING.get() {
            let what = "the program that runs on this thread uses the tensor";
            let help = "give a custom op what it reads as an operand";
            return Err(Error::device("read", what).help(help));
        }
        // No run begins while this is held.
        let _runs = lock(&SHARED);
        let buffer = lock(&self.buffer);
        Ok(look(buffer.as_ref().map_or(&[], Buffer::bytes)))
    }
}

impl Memory for Bytes {
    fn copied(&self) -> Box<dyn Memory> {
        match self.missing {
            Some(len) => Box::new(Bytes::missing(len)),
            None => self.show(|bytes| Cpu.upload(bytes)).unwrap_or_else(|error| panic!("{error}")),
        }
    }

    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()> {
        if let Some(len) = self.missing {
            let what = format!("there is no memory for a tensor of {len} bytes");
            return Err(Error::device("read", what));
        }
        self.show(look)
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        let buffer = self.buffer.get_mut().unwrap_or_else(PoisonError::into_inner);
        buffer.take().into_iter().for_each(|buffer| FREED.give(buffer));
    }
}

/// Buffers that nobody uses, by their bytes.
struct Freed(LazyLock<Mutex<Shelves>>);

#[derive(Default)]
struct Shelves {
    by_bytes: HashMap<usize, Vec<Buffer>>,
    bytes: usize,
}

static FREED: Freed = Freed(LazyLock::new(Mutex::default));

/// The most that is kept for later.
const KEPT_BYTES: usize = 256 << 20;
/// Smaller buffers are not worth the search.
const SMALLEST: usize = 4096;

impl Freed {
    fn take(&self, bytes: usize) -> Option<Buffer> {
        if bytes < SMALLEST {
            return Buffer::try_new(bytes);
        }
        let mut shelves = lock(&self.0);
        match shelves.by_bytes.get_mut(&bytes).and_then(Vec::pop) {
            Some(buffer) => {
                shelves.bytes -= bytes;
                Some(buffer)
            }
            None => Buffer::try_new(bytes),
        }
    }

    fn give(&self, buffer: Buffer) {
        let bytes = buffer.bytes().len();
        if bytes < SMALLEST {
            return;
        }
        let mut shelves = lock(&self.0);
        if shelves.bytes + bytes <= KEPT_BYTES {
            shelves.bytes += bytes;
            shelves.by_bytes.entry(bytes).or_default().push(buffer);
        }
    }
}
