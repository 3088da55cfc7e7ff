//! Running programs: an [`Executable`] is a program prepared for this machine, with the arena that
//! holds its intermediate results.
use crate::interp::{Loop, LoopOptions, Memory};
use crate::library::Library;
use crate::memory::Buffer;
use crate::paths::{self, Path};
use crate::pool::Pool;
use crate::scratch::OutOfMemory;
use crate::target::options;
use brasa_compile::kernel::{Body, Kernel};
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::{Launch, ProgramInput};
use brasa_compile::{Program, compile_with};
use brasa_ir::{Array, Error, Graph, Id, Number, Result, Site};
use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A program prepared for this machine.
pub struct Executable {
    pub(crate) program: Program,
    kernels: Vec<PreparedKernel>,
    pub(crate) arena: Buffer,
    /// Number of scalar arguments (slots) that each run takes.
    slots: usize,
    /// Ranges of launches that run concurrently; most ranges have one launch.
    waves: Vec<Range<usize>>,
    /// Buffer pointers of the current wave; kept so that a run does not allocate.
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
}

// SAFETY: `reads` and `writes` are overwritten at the start of each wave and never read between
// runs.
unsafe impl Send for Executable {}
// SAFETY: only methods with `&mut self` and their callees use the pointers.
unsafe impl Sync for Executable {}

enum PreparedKernel {
    Loop(Box<Loop>),
    Library(Box<Library>),
}

impl Executable {
    pub fn new(program: Program) -> Executable {
        let is_read = buffers_read(&program);
        let prepare = |launch: &Launch| {
            let shared = shared_pairs(&program, launch);
            let streamed = streamed_writes(&program, launch, &is_read);
            let options =
                LoopOptions { shared: &shared, streamed: &streamed, ..LoopOptions::default() };
            match &launch.kernel.body {
                Body::Loop => {
                    let code = Loop::new(&launch.kernel.domain, &launch.kernel.code, options);
                    PreparedKernel::Loop(Box::new(code))
                }
                Body::Library { op, operands, out } => {
                    let Kernel { domain, code, .. } = &launch.kernel;
                    let library = Library::new((op, operands, out), domain, code, options);
                    PreparedKernel::Library(Box::new(library))
                }
            }
        };
        let kernels = program.launches.iter().map(prepare).collect();
        // If the arena cannot be allocated now, each run tries again and reports the error.
        let arena = Buffer::try_new(program.arena_bytes).unwrap_or_else(|| Buffer::new(0));
        let slots = program.slots();
        let waves = waves(&program);
        let (reads, writes) = (Vec::new(), Vec::new());
        Executable { program, kernels, arena, slots, waves, reads, writes }
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs the program on its inputs, which are given in the program's order. Inputs that the
    /// program writes are changed in place.
    pub fn run(&mut self, pool: &Pool, inputs: &mut [Buffer], slots: &[Number]) -> Result<()> {
        self.check(inputs, slots)?;
        self.allocate_arena()?;
        for n in 0..self.waves.len() {
            self.launch_wave(self.waves[n].clone(), pool, inputs, slots)?;
        }
        self.copy_writes(inputs);
        Ok(())
    }

    /// Runs the program and returns the time of each launch. Launches never run concurrently here.
    pub fn profile(
        &mut self,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
    ) -> Result<Vec<Duration>> {
        let start = Instant::now();
        let seconds = self.profile_by(pool, inputs, slots, &|| start.elapsed().as_secs_f64())?;
        Ok(seconds.into_iter().map(Duration::from_secs_f64).collect())
    }

    /// [`Executable::profile`] with the caller's monotonic clock, in that clock's unit: plain wasm
    /// has no clock.
    pub fn profile_by(
        &mut self,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
        now: &dyn Fn() -> f64,
    ) -> Result<Vec<f64>> {
        self.check(inputs, slots)?;
        self.allocate_arena()?;
        let mut times = Vec::with_capacity(self.kernels.len());
        for n in 0..self.kernels.len() {
            let start = now();
            self.launch_wave(n..n + 1, pool, inputs, slots)?;
            times.push(now() - start);
        }
        self.copy_writes(inputs);
        Ok(times)
    }

    /// Runs a wave: launches that are independent of each other.
    pub(crate) fn launch_wave(
        &mut self,
        wave: Range<usize>,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
    ) -> Result<()> {
        self.reads.clear();
        self.writes.clear();
        for launch in &self.program.launches[wave.clone()] {
            for &id in &launch.reads {
                let place = buffer_pointer(&self.program, &mut self.arena, inputs, id);
                self.reads.push(place.cast_const());
            }
            for &id in &launch.writes {
                self.writes.push(buffer_pointer(&self.program, &mut self.arena, inputs, id));
            }
        }
        let (reads, writes, tile) = (&self.reads[..], &self.writes[..], std::ptr::null_mut());
        let memory = Memory { reads, writes, tile, slots };
        match wave.len() {
            1 => self.run_kernel(wave.start, pool, memory)?,
            _ => {
                paths::hit(Path::Concurrent);
                self.run_wave(wave.clone(), pool, memory)?;
            }
        }
        let bounds = &self.program.bounds;
        let first = bounds.partition_point(|bound| bound.launch < wave.start);
        for bound in bounds[first..].iter().take_while(|bound| bound.launch < wave.end) {
            let [before, at] = [bound.before, bound.at].map(|id| {
                let number =
                    buffer_pointer(&self.program, &mut self.arena, inputs, id).cast::<i64>();
                // SAFETY: the plan gives each buffer of a bounds check the type `i64`.
                unsafe { *number }
            });
            bound.verdict(before, at)?;
        }
        Ok(())
    }

    /// Runs the kernels of a wave concurrently. `memory` holds the pointers of all launches, in
    /// launch order. If several kernels fail, returns the error of the first one.
    fn run_wave(&self, wave: Range<usize>, pool: &Pool, memory: Memory) -> Result<()> {
        let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        pool.run(wave.len(), &|n| {
            let before = &self.program.launches[wave.start..wave.start + n];
            let launch = &self.program.launches[wave.start + n];
            let reads: usize = before.iter().map(|launch| launch.reads.len()).sum();
            let writes: usize = before.iter().map(|launch| launch.writes.len()).sum();
            let reads = reads..reads + launch.reads.len();
            let own = memory.part(reads, writes..writes + launch.writes.len());
            if let Err(error) = self.run_kernel(wave.start + n, pool, own) {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(other, _)| n < *other) {
                    *first = Some((n, error));
                }
            }
        });
        let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn run_kernel(&self, n: usize, pool: &Pool, memory: Memory) -> Result<()> {
        let launch = &self.program.launches[n];
        // SAFETY: the plan gave every buffer the bytes of its type, and `check` verified the
        // inputs. The other kernels of the wave do not touch what this one writes.
        let run = || unsafe {
            match &self.kernels[n] {
                PreparedKernel::Loop(code) => {
                    code.run(pool, memory);
                    Ok(())
                }
                PreparedKernel::Library(library) => library.run(pool, memory).map_err(|error| {
                    error.within(&launch.call).at(Site::Text(launch.site.as_str().into()))
                }),
            }
        };
        // `AssertUnwindSafe`: the results of a failed kernel are never read, and its scratch
        // memory is freed.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            match panic.downcast::<OutOfMemory>() {
                Ok(lack) => Err(no_memory(launch, lack.0, "working memory")),
                Err(panic) => resume_unwind(panic),
            }
        })
    }

    /// Allocates the arena if it is not allocated yet.
    pub(crate) fn allocate_arena(&mut self) -> Result<()> {
        let bytes = self.program.arena_bytes;
        if self.arena.bytes().len() == bytes {
            return Ok(());
        }
        self.arena = Buffer::try_new(bytes).ok_or_else(|| {
            let own = |buffer: &BufferId| {
                let planned = &self.program.buffers[buffer.index()];
                let is_own = matches!(planned.place, Place::Arena(_));
                if is_own { planned.ty.bytes() } else { 0 }
            };
            let largest = |launch: &&Launch| launch.writes.iter().map(own).max();
            match self.program.launches.iter().max_by_key(largest) {
                Some(launch) => no_memory(
                    launch,
                    bytes,
                    "intermediate results, the largest of which this op writes",
                ),
                None => Error::device("run", format!("there is no memory for {bytes} bytes")),
            }
        })?;
        Ok(())
    }

    /// The error that an input of the program cannot be allocated. Names the op that would write
    /// it.
    pub fn no_memory_for(&self, input: usize) -> Error {
        let program = &self.program;
        let is_it = |id: &BufferId| program.buffers[id.index()].place == Place::Input(input);
        let copied = program.copies.iter().find(|(to, _)| is_it(to)).map(|(_, from)| *from);
        let writes =
            |launch: &&Launch| launch.writes.iter().any(|id| is_it(id) || Some(*id) == copied);
        let ty = &program.inputs[input].ty;
        match program.launches.iter().find(writes) {
            Some(launch) => no_memory(launch, ty.bytes(), "the result").operand("result", ty),
            None => {
                let what = format!("there is no memory for {} bytes", ty.bytes());
                Error::device("run", what).operand("tensor", ty)
            }
        }
    }

    /// Copies results to inputs whose write could not be done in place.
    pub(crate) fn copy_writes(&mut self, inputs: &mut [Buffer]) {
        for &(to, from) in &self.program.copies {
            let bytes = self.program.buffers[from.index()].ty.bytes();
            let from = buffer_pointer(&self.program, &mut self.arena, inputs, from);
            let to = buffer_pointer(&self.program, &mut self.arena, inputs, to);
            // SAFETY: both buffers have the same type, so the same length, and do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        }
    }

    /// The `n`-th output of the last run.
    pub fn output(&self, inputs: &[Buffer], n: usize) -> Array {
        self.value(inputs, self.program.outputs[n])
    }

    /// The value in a buffer.
    pub(crate) fn value(&self, inputs: &[Buffer], id: BufferId) -> Array {
        let buffer = &self.program.buffers[id.index()];
        let bytes = match buffer.place {
            Place::Input(input) => inputs[input].bytes(),
            Place::Arena(offset) => &self.arena.bytes()[offset..offset + buffer.ty.bytes()],
        };
        Array::from_bytes(&buffer.ty, bytes).expect("a buffer has the bytes of its type")
    }

    pub(crate) fn check(&self, inputs: &[Buffer], slots: &[Number]) -> Result<()> {
        if slots.len() < self.slots {
            let what = format!("takes {} scalar arguments, got {}", self.slots, slots.len());
            return Err(Error::data("run", what));
        }
        let wanted = &self.program.inputs;
        if inputs.len() != wanted.len() {
            let what = format!("takes {} inputs, got {}", wanted.len(), inputs.len());
            return Err(Error::data("run", what));
        }
        for (input, buffer) in wanted.iter().zip(inputs) {
            let (name, ty, got) = (&input.name, &input.ty, buffer.bytes().len());
            if got != ty.bytes() {
                let what = format!(
                    "'{name}' is {ty}, {} bytes, but its buffer has {got} bytes",
                    ty.bytes()
                );
                return Err(Error::data("run", what));
            }
        }
        Ok(())
    }
}

/// The error that a launch cannot allocate `bytes`.
fn no_memory(launch: &Launch, bytes: usize, purpose: &str) -> Error {
    let what = format!("there is no memory for {bytes} bytes: {purpose}");
    let error = Error::device(&launch.call, what).at(Site::Text(launch.site.as_str().into()));
    error.help("make the tensors or the batch smaller, or drop tensors that are not needed")
}

/// Pairs (read, write) that use the same memory.
fn shared_pairs(program: &Program, launch: &Launch) -> Vec<(usize, usize)> {
    let place = |id: &BufferId| program.buffers[id.index()].place;
    let mut pairs = Vec::new();
    for (w, write) in launch.writes.iter().enumerate() {
        let is_same = |read: &BufferId| place(read) == place(write);
        let reads = launch.reads.iter().enumerate().filter(|(_, read)| is_same(read));
        pairs.extend(reads.map(|(r, _)| (r, w)));
    }
    pairs
}

/// Groups launches into ranges that may run concurrently.
fn waves(program: &Program) -> Vec<Range<usize>> {
    let mut waves: Vec<Range<usize>> = Vec::new();
    for (n, launch) in program.launches.iter().enumerate() {
        match waves.last_mut() {
            Some(wave) if launch.kernel.is_concurrent => wave.end = n + 1,
            _ => waves.push(n..n + 1),
        }
    }
    waves
}

/// Results of at least this many bytes bypass the caches (streaming stores): twice a typical L2
/// cache.
const MIN_STREAMED_BYTES: usize = 4 << 20;

/// For each buffer, whether a launch or a copy reads it.
fn buffers_read(program: &Program) -> Vec<bool> {
    let mut is_read = vec![false; program.buffers.len()];
    let reads = program.launches.iter().flat_map(|launch| &launch.reads);
    let copied = program.copies.iter().map(|(_, from)| from);
    reads.chain(copied).for_each(|id| is_read[id.index()] = true);
    is_read
}

/// The large writes of a launch that no launch or copy reads.
fn streamed_writes(program: &Program, launch: &Launch, is_read: &[bool]) -> Vec<usize> {
    let is_streamed = |id: &BufferId| {
        let buffer = &program.buffers[id.index()];
        let is_own = matches!(buffer.place, Place::Arena(_));
        is_own && buffer.ty.bytes() >= MIN_STREAMED_BYTES && !is_read[id.index()]
    };
    let writes = &launch.writes;
    (0..writes.len()).filter(|&w| is_streamed(&writes[w])).collect()
}

fn buffer_pointer(
    program: &Program,
    arena: &mut Buffer,
    inputs: &mut [Buffer],
    id: BufferId,
) -> *mut u8 {
    match program.buffers[id.index()].place {
        Place::Input(n) => inputs[n].bytes_mut().as_mut_ptr(),
        Place::Arena(offset) => arena.bytes_mut()[offset..].as_mut_ptr(),
    }
}

/// Compiles and runs a graph once. Returns the values of `wanted`, given those of the graph's
/// inputs.
pub fn run(g: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>> {
    let program = compile_with(g, wanted, &options())?;
    let buffer = |input: &ProgramInput| match inputs.get(&input.node) {
        Some(value) => Ok(Buffer::from(value)),
        None => Err(Error::data("input", format!("'{}' has no value", input.name))),
    };
    let mut buffers = program.inputs.iter().map(buffer).collect::<Result<Vec<_>>>()?;
    let mut executable = Executable::new(program);
    executable.run(Pool::global(), &mut buffers, g.slots())?;
    Ok((0..wanted.len()).map(|n| executable.output(&buffers, n)).collect())
}
