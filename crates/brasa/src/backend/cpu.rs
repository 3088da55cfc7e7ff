//! The CPU device: buffers that kernels compute in, with a small list of freed buffers for reuse,
//! since faulting in fresh pages costs more than most kernels that fill them; and programs cached
//! by fingerprint.
use super::{Backend, Device, Memory, Program, is_checked, own};
use crate::storage::{Data, lock};
use crate::{Error, Result};
use brasa_compile::{Options, compile_with};
#[cfg(not(target_family = "wasm"))]
use brasa_cpu::pool::MAX_THREADS;
use brasa_cpu::{Buffer, Cache, Executable, Pool};
use brasa_ir::{Array, Graph, Id, Number};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub(super) struct Cpu;

/// State shared by all threads. Locked during a run, so that no buffer is in two runs at once.
#[derive(Default)]
struct Shared {
    cache: Cache,
    buffers: Vec<Buffer>,
    /// The pool set by `set_num_threads`; `None` for the global one.
    pool: Option<Pool>,
}

/// The thread pool of a run.
fn threads(own: &Option<Pool>) -> &Pool {
    own.as_ref().unwrap_or_else(|| Pool::global())
}

static SHARED: LazyLock<Mutex<Shared>> = LazyLock::new(Mutex::default);

/// Number of programs compiled so far, by all threads. If it keeps growing in a training loop, the
/// loop compiles a new program in each step.
pub fn compiled_programs() -> u64 {
    lock(&SHARED).cache.compiled()
}

/// Number of threads that compute on the CPU.
pub fn num_threads() -> usize {
    threads(&lock(&SHARED).pool).threads()
}

/// Sets the number of threads that compute on the CPU, at least one. The default is the available
/// parallelism of the machine, or the environment variable `BRASA_THREADS`. Results do not depend
/// on it. If the system cannot start that many threads, the call is rejected and the previous pool
/// stays.
#[cfg(not(target_family = "wasm"))]
#[track_caller]
pub fn set_num_threads(threads: usize) {
    let threads = threads.max(1);
    let reject = |what: String| {
        let help = "use at most the number of cores";
        crate::session::reject(&Error::argument("set_num_threads", what).help(help));
    };
    if threads > MAX_THREADS {
        return reject(format!("got {threads} threads, the maximum is {MAX_THREADS}"));
    }
    let shared = &mut *lock(&SHARED);
    if shared.pool.as_ref().is_some_and(|pool| pool.threads() == threads) {
        return;
    }
    let pool = Pool::new(threads);
    match pool.threads() {
        started if started == threads => shared.pool = Some(pool),
        started => reject(format!("the system started only {started} of {threads} threads")),
    }
}

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn allocate(&self, bytes: usize) -> Box<dyn Memory> {
        Box::new(Bytes::new(bytes))
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        let memory = Bytes::new(bytes.len());
        if let (None, Some(buffer)) = (memory.unallocated, &mut *lock(&memory.buffer)) {
            buffer.bytes_mut().copy_from_slice(bytes);
        }
        Box::new(memory)
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let Shared { cache, buffers, pool } = &mut *lock(&SHARED);
        let executable = cache.get(graph, &[], &options()?)?;
        let bound = bound_memory(executable, inputs)?;
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
        let bound = bound_memory(&executable, &inputs)?;
        let Shared { buffers, pool, .. } = &mut *lock(&SHARED);
        let output = |executable: &Executable, buffers: &[Buffer]| executable.output(buffers, 0);
        run_on(&mut executable, threads(pool), buffers, &bound, graph.slots(), output)
    }
}

/// Compile options: each pass is verified in the checked mode.
fn options() -> Result<Options> {
    Ok(Options { verify: is_checked()?, ..brasa_cpu::options() })
}

/// The memory bound to a program's inputs.
fn bound_memory<'a>(
    executable: &Executable,
    inputs: &'a [(Id, Arc<Data>)],
) -> Result<Vec<&'a Bytes>> {
    let find = |node: Id| {
        let at = inputs.binary_search_by_key(&node, |(id, _)| *id);
        let at = at.map_err(|_| Error::data("flush", "an input has no value"))?;
        own(inputs[at].1.memory(), Device::cpu())
    };
    executable.program().inputs.iter().map(|input| find(input.node)).collect()
}

/// Runs a program on the memory of its inputs, then calls `look` on the results.
fn run_on<T>(
    executable: &mut Executable,
    pool: &Pool,
    buffers: &mut Vec<Buffer>,
    inputs: &[&Bytes],
    slots: &[Number],
    look: impl FnOnce(&Executable, &[Buffer]) -> T,
) -> Result<T> {
    check_allocated(executable, inputs)?;
    lend(buffers, inputs, |buffers| {
        if is_checked()? {
            executable.run_checked(pool, buffers, slots)?;
        } else {
            executable.run(pool, buffers, slots)?;
        }
        Ok(look(executable, buffers))
    })
}

/// Fails, naming the op, if memory for a result could not be allocated.
fn check_allocated(executable: &Executable, inputs: &[&Bytes]) -> Result<()> {
    match inputs.iter().position(|memory| memory.unallocated.is_some()) {
        Some(n) => Err(executable.no_memory_for(n)),
        None => Ok(()),
    }
}

/// Moves the buffers of the inputs, in order, into `buffers` while `body` runs.
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
    // In reverse, so that of two inputs with the same memory the first one's buffer is kept.
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
        check_allocated(&self.executable, &inputs)?;
        lend(buffers, &inputs, |buffers| {
            self.executable.profile_by(threads(pool), buffers, slots, now)
        })
    }
}

thread_local! {
    /// Whether a run is in progress on this thread.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// The bytes of a tensor. If allocation failed, the buffer is empty and uses of it return an error.
struct Bytes {
    /// `None` while a run uses it.
    buffer: Mutex<Option<Buffer>>,
    /// The number of bytes that could not be allocated.
    unallocated: Option<usize>,
}

impl Bytes {
    fn new(len: usize) -> Bytes {
        match FREE_BUFFERS.take(len) {
            Some(buffer) => Bytes { buffer: Mutex::new(Some(buffer)), unallocated: None },
            None => Bytes::unallocated(len),
        }
    }

    fn unallocated(len: usize) -> Bytes {
        Bytes { buffer: Mutex::new(Some(Buffer::new(0))), unallocated: Some(len) }
    }

    fn take(&self) -> Option<Buffer> {
        lock(&self.buffer).take()
    }

    fn put(&self, buffer: Buffer) {
        *lock(&self.buffer) = Some(buffer);
    }

    /// Calls `look` with the bytes, after waiting for a run of another thread that uses them. Fails
    /// if a run of this thread uses them: a custom op can only read other tensors.
    fn with_bytes<T>(&self, look: impl FnOnce(&[u8]) -> T) -> Result<T> {
        if let Some(buffer) = &*lock(&self.buffer) {
            return Ok(look(buffer.bytes()));
        }
        if IS_RUNNING.get() {
            let what = "the program that runs on this thread uses the tensor";
            let help = "pass the tensor to the custom op as an operand";
            return Err(Error::device("read", what).help(help));
        }
        // Runs wait while this is locked.
        let _runs = lock(&SHARED);
        let buffer = lock(&self.buffer);
        Ok(look(buffer.as_ref().map_or(&[], Buffer::bytes)))
    }
}

impl Memory for Bytes {
    fn copied(&self) -> Box<dyn Memory> {
        match self.unallocated {
            Some(len) => Box::new(Bytes::unallocated(len)),
            None => {
                self.with_bytes(|bytes| Cpu.upload(bytes)).unwrap_or_else(|error| panic!("{error}"))
            }
        }
    }

    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()> {
        if let Some(len) = self.unallocated {
            let what = format!("out of memory: a tensor of {len} bytes could not be allocated");
            return Err(Error::device("read", what));
        }
        self.with_bytes(look)
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        let buffer = self.buffer.get_mut().unwrap_or_else(PoisonError::into_inner);
        buffer.take().into_iter().for_each(|buffer| FREE_BUFFERS.give(buffer));
    }
}

/// FreeBuffers buffers for reuse, by size in bytes.
struct FreeBuffers(LazyLock<Mutex<FreeLists>>);

#[derive(Default)]
struct FreeLists {
    by_bytes: HashMap<usize, Vec<Buffer>>,
    bytes: usize,
}

static FREE_BUFFERS: FreeBuffers = FreeBuffers(LazyLock::new(Mutex::default));

/// Maximum total size of the freed buffers.
const MAX_KEPT_BYTES: usize = 256 << 20;
/// Smaller buffers are cheaper to allocate than to look up.
const MIN_KEPT_BYTES: usize = 4096;

impl FreeBuffers {
    fn take(&self, bytes: usize) -> Option<Buffer> {
        if bytes < MIN_KEPT_BYTES {
            return Buffer::try_new(bytes);
        }
        let mut lists = lock(&self.0);
        match lists.by_bytes.get_mut(&bytes).and_then(Vec::pop) {
            Some(buffer) => {
                lists.bytes -= bytes;
                Some(buffer)
            }
            None => Buffer::try_new(bytes),
        }
    }

    fn give(&self, buffer: Buffer) {
        let bytes = buffer.bytes().len();
        if bytes < MIN_KEPT_BYTES {
            return;
        }
        let mut lists = lock(&self.0);
        if lists.bytes + bytes <= MAX_KEPT_BYTES {
            lists.bytes += bytes;
            lists.by_bytes.entry(bytes).or_default().push(buffer);
        }
    }
}
