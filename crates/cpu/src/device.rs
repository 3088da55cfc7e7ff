//! Running programs: an `Executable` is a program prepared for this machine, with its arena.
use crate::interp::{Loop, Memory, Setting};
use crate::library::Library;
use crate::memory::Buffer;
use crate::paths::{self, Path};
use crate::pool::Pool;
use crate::scratch::NoMemory;
use brasa_compile::kernel::{Body, Kernel};
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::{Launch, ProgramInput};
use brasa_compile::{Program, compile};
use brasa_ir::{Array, Error, Graph, Id, Number, Result, Site};
use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A program ready to run.
pub struct Executable {
    pub(crate) program: Program,
    kernels: Vec<Prepared>,
    pub(crate) arena: Buffer,
    /// How many numbers a run has to be given.
    slots: usize,
    /// Launches that run side by side; most are by themselves.
    waves: Vec<Range<usize>>,
    /// Pointers of the current launches, kept to allocate nothing in a run.
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
}

// SAFETY: the pointers are set anew in each run and mean nothing between runs.
unsafe impl Send for Executable {}
// SAFETY: whoever shares an executable cannot run it, and only runs use the pointers.
unsafe impl Sync for Executable {}

enum Prepared {
    Loop(Box<Loop>),
    Library(Box<Library>),
}

impl Executable {
    pub fn new(program: Program) -> Executable {
        let is_read = read_again(&program);
        let prepare = |launch: &Launch| {
            let shared = shared(&program, launch);
            let streamed = streamed(&program, launch, &is_read);
            let setting = Setting { shared: &shared, streamed: &streamed, ..Setting::default() };
            match &launch.kernel.body {
                Body::Loop => {
                    let code = Loop::new(&launch.kernel.domain, &launch.kernel.code, setting);
                    Prepared::Loop(Box::new(code))
                }
                Body::Library { op, operands, out } => {
                    let Kernel { domain, code, .. } = &launch.kernel;
                    let library = Library::new((op, operands, out), domain, code, setting);
                    Prepared::Library(Box::new(library))
                }
            }
        };
        let kernels = program.launches.iter().map(prepare).collect();
        // Memory that is not there now may be when the program is run; else that is an error.
        let arena = Buffer::try_new(program.arena_bytes).unwrap_or_else(|| Buffer::new(0));
        let slots = program.slots();
        let waves = waves(&program);
        let (reads, writes) = (Vec::new(), Vec::new());
        Executable { program, kernels, arena, slots, waves, reads, writes }
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs the program on its inputs, in order; those that it writes are changed.
    pub fn run(&mut self, pool: &Pool, inputs: &mut [Buffer], slots: &[Number]) -> Result<()> {
        self.check(inputs, slots)?;
        self.have_arena()?;
        for n in 0..self.waves.len() {
            self.launch(self.waves[n].clone(), pool, inputs, slots)?;
        }
        self.copy(inputs);
        Ok(())
    }

    /// `run`, with the time that each launch took. Here none runs beside another.
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

    /// `profile` by a clock of the caller's, which never goes back, in its unit: wasm has none.
    pub fn profile_by(
        &mut self,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
        now: &dyn Fn() -> f64,
    ) -> Result<Vec<f64>> {
        self.check(inputs, slots)?;
        self.have_arena()?;
        let mut times = Vec::with_capacity(self.kernels.len());
        for n in 0..self.kernels.len() {
            let start = now();
            self.launch(n..n + 1, pool, inputs, slots)?;
            times.push(now() - start);
        }
        self.copy(inputs);
        Ok(times)
    }

    /// Runs launches that need nothing of each other.
    pub(crate) fn launch(
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
                let place = place(&self.program, &mut self.arena, inputs, id);
                self.reads.push(place.cast_const());
            }
            for &id in &launch.writes {
                self.writes.push(place(&self.program, &mut self.arena, inputs, id));
            }
        }
        let (reads, writes, tile) = (&self.reads[..], &self.writes[..], std::ptr::null_mut());
        let memory = Memory { reads, writes, tile, slots };
        match wave.len() {
            1 => self.kernel(wave.start, pool, memory)?,
            _ => {
                paths::hit(Path::Concurrent);
                self.kernels(wave.clone(), pool, memory)?;
            }
        }
        let bounds = &self.program.bounds;
        let first = bounds.partition_point(|bound| bound.launch < wave.start);
        for bound in bounds[first..].iter().take_while(|bound| bound.launch < wave.end) {
            let [before, at] = [bound.before, bound.at].map(|id| {
                let number = place(&self.program, &mut self.arena, inputs, id).cast::<i64>();
                // SAFETY: the buffers of a bound are one `i64`.
                unsafe { *number }
            });
            bound.verdict(before, at)?;
        }
        Ok(())
    }

    /// Kernels side by side; `memory` has the pointers of all, one after the other. Of several errors
    /// the first kernel's is told.
    fn kernels(&self, wave: Range<usize>, pool: &Pool, memory: Memory) -> Result<()> {
        let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        pool.run(wave.len(), &|n| {
            let before = &self.program.launches[wave.start..wave.start + n];
            let launch = &self.program.launches[wave.start + n];
            let reads: usize = before.iter().map(|launch| launch.reads.len()).sum();
            let writes: usize = before.iter().map(|launch| launch.writes.len()).sum();
            let reads = reads..reads + launch.reads.len();
            let own = memory.part(reads, writes..writes + launch.writes.len());
            if let Err(error) = self.kernel(wave.start + n, pool, own) {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(other, _)| n < *other) {
                    *first = Some((n, error));
                }
            }
        });
        let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn kernel(&self, n: usize, pool: &Pool, memory: Memory) -> Result<()> {
        let launch = &self.program.launches[n];
        // SAFETY: the plan gave every buffer the room of its type, and `check` the inputs. What runs
        // beside this touches nothing that it writes.
        let run = || unsafe {
            match &self.kernels[n] {
                Prepared::Loop(code) => {
                    code.run(pool, memory);
                    Ok(())
                }
                Prepared::Library(library) => library.run(pool, memory).map_err(|error| {
                    error.within(&launch.call).at(Site::Text(launch.site.as_str().into()))
                }),
            }
        };
        // What a kernel leaves half done is no result, and its scratch memory is given back.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            match panic.downcast::<NoMemory>() {
                Ok(lack) => Err(no_memory(launch, lack.0, "working memory")),
                Err(panic) => resume_unwind(panic),
            }
        })
    }

    /// Opens the arena, unless it is there.
    pub(crate) fn have_arena(&mut self) -> Result<()> {
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
                Some(launch) => {
                    no_memory(launch, bytes, "results on the way, the largest of this op")
                }
                None => Error::device("run", format!("there is no memory for {bytes} bytes")),
            }
        })?;
        Ok(())
    }

    /// That there is no memory for an input of the program: the op that would write it, and its type.
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

    /// Carries out the writes that could not be done in place.
    pub(crate) fn copy(&mut self, inputs: &mut [Buffer]) {
        for &(to, from) in &self.program.copies {
            let bytes = self.program.buffers[from.index()].ty.bytes();
            let from = place(&self.program, &mut self.arena, inputs, from);
            let to = place(&self.program, &mut self.arena, inputs, to);
            // SAFETY: both have the same type, and are different buffers.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        }
    }

    /// The `n`-th wanted value of the last run.
    pub fn output(&self, inputs: &[Buffer], n: usize) -> Array {
        self.array(inputs, self.program.outputs[n])
    }

    /// What a buffer holds.
    pub(crate) fn array(&self, inputs: &[Buffer], id: BufferId) -> Array {
        let buffer = &self.program.buffers[id.index()];
        let bytes = match buffer.place {
            Place::Input(input) => inputs[input].bytes(),
            Place::Arena(offset) => &self.arena.bytes()[offset..offset + buffer.ty.bytes()],
        };
        Array::from_bytes(&buffer.ty, bytes).expect("a buffer has the bytes of its type")
    }

    pub(crate) fn check(&self, inputs: &[Buffer], slots: &[Number]) -> Result<()> {
        if slots.len() < self.slots {
            let what = format!("takes {} numbers, got {}", self.slots, slots.len());
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
                let what = format!("'{name}' is {ty}, {} bytes, but is given {got}", ty.bytes());
                return Err(Error::data("run", what));
            }
        }
        Ok(())
    }
}

/// That a launch cannot have so much memory.
fn no_memory(launch: &Launch, bytes: usize, whose: &str) -> Error {
    let what = format!("there is no memory for {bytes} bytes: {whose}");
    let error = Error::device(&launch.call, what).at(Site::Text(launch.site.as_str().into()));
    error.help("make the tensors or the batch smaller, or drop tensors that are not needed")
}

/// Pairs of a read and a write that lie in one place.
fn shared(program: &Program, launch: &Launch) -> Vec<(usize, usize)> {
    let place = |id: &BufferId| program.buffers[id.index()].place;
    let mut pairs = Vec::new();
    for (w, write) in launch.writes.iter().enumerate() {
        let is_same = |read: &BufferId| place(read) == place(write);
        let reads = launch.reads.iter().enumerate().filter(|(_, read)| is_same(read));
        pairs.extend(reads.map(|(r, _)| (r, w)));
    }
    pairs
}

/// Launches that may run at the same time.
fn waves(program: &Program) -> Vec<Range<usize>> {
    let mut waves: Vec<Range<usize>> = Vec::new();
    for (n, launch) in program.launches.iter().enumerate() {
        match waves.last_mut() {
            Some(wave) if launch.kernel.is_beside => wave.end = n + 1,
            _ => waves.push(n..n + 1),
        }
    }
    waves
}

/// Bytes from which a result is better written around the caches, twice a second-level one.
const STREAMED: usize = 4 << 20;

/// Which buffers a launch or a copy reads.
fn read_again(program: &Program) -> Vec<bool> {
    let mut is_read = vec![false; program.buffers.len()];
    let reads = program.launches.iter().flat_map(|launch| &launch.reads);
    let copied = program.copies.iter().map(|(_, from)| from);
    reads.chain(copied).for_each(|id| is_read[id.index()] = true);
    is_read
}

/// The large writes of a launch that nothing reads.
fn streamed(program: &Program, launch: &Launch, is_read: &[bool]) -> Vec<usize> {
    let is_streamed = |id: &BufferId| {
        let buffer = &program.buffers[id.index()];
        let is_own = matches!(buffer.place, Place::Arena(_));
        is_own && buffer.ty.bytes() >= STREAMED && !is_read[id.index()]
    };
    let writes = &launch.writes;
    (0..writes.len()).filter(|&w| is_streamed(&writes[w])).collect()
}

fn place(program: &Program, arena: &mut Buffer, inputs: &mut [Buffer], id: BufferId) -> *mut u8 {
    match program.buffers[id.index()].place {
        Place::Input(n) => inputs[n].bytes_mut().as_mut_ptr(),
        Place::Arena(offset) => arena.bytes_mut()[offset..].as_mut_ptr(),
    }
}

/// Compiles and runs a graph once: the values of `wanted`, given those of the graph's inputs.
pub fn run(g: &Graph, inputs: &HashMap<Id, Array>, wanted: &[Id]) -> Result<Vec<Array>> {
    let program = compile(g, wanted);
    let buffer = |input: &ProgramInput| match inputs.get(&input.node) {
        Some(value) => Ok(Buffer::from(value)),
        None => Err(Error::data("input", format!("'{}' has no value", input.name))),
    };
    let mut buffers = program.inputs.iter().map(buffer).collect::<Result<Vec<_>>>()?;
    let mut executable = Executable::new(program);
    executable.run(Pool::global(), &mut buffers, g.slots())?;
    Ok((0..wanted.len()).map(|n| executable.output(&buffers, n)).collect())
}
