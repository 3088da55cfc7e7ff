//! Running programs: an `Executable` is a program prepared for this machine, with its arena.
use crate::interp::{Loop, Memory, Setting};
use crate::library::Library;
use crate::memory::Buffer;
use crate::pool::Pool;
use brasa_compile::kernel::{Body, Kernel};
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::{Launch, ProgramInput};
use brasa_compile::{Program, compile};
use brasa_ir::{Array, Error, Graph, Id, Number, Result, Site};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A program ready to run.
pub struct Executable {
    program: Program,
    kernels: Vec<Prepared>,
    arena: Buffer,
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
        let prepare = |(n, launch): (usize, &Launch)| {
            let (shared, streamed) = (shared(&program, launch), streamed(&program, n));
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
        let kernels = program.launches.iter().enumerate().map(prepare).collect();
        let (arena, slots) = (Buffer::new(program.arena_bytes), program.slots());
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
    fn launch(
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
            _ => self.kernels(wave.clone(), pool, memory)?,
        }
        for bound in self.program.bounds.iter().filter(|bound| wave.contains(&bound.launch)) {
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
        unsafe {
            match &self.kernels[n] {
                Prepared::Loop(code) => code.run(pool, memory),
                Prepared::Library(library) => library.run(pool, memory).map_err(|error| {
                    error.within(&launch.call).at(Site::Text(launch.site.as_str().into()))
                })?,
            }
        }
        Ok(())
    }

    /// Carries out the writes that could not be done in place.
    fn copy(&mut self, inputs: &mut [Buffer]) {
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
        let buffer = &self.program.buffers[self.program.outputs[n].index()];
        let bytes = match buffer.place {
            Place::Input(input) => inputs[input].bytes(),
            Place::Arena(offset) => &self.arena.bytes()[offset..offset + buffer.ty.bytes()],
        };
        Array::from_bytes(&buffer.ty, bytes).expect("a buffer has the bytes of its type")
    }

    fn check(&self, inputs: &[Buffer], slots: &[Number]) -> Result<()> {
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

/// The large writes of a launch that no other launch reads.
fn streamed(program: &Program, n: usize) -> Vec<usize> {
    let is_read = |id: &BufferId| {
        let mut later = program.launches[n + 1..].iter();
        later.any(|launch| launch.reads.contains(id))
            || program.copies.iter().any(|(_, from)| from == id)
    };
    let is_streamed = |id: &BufferId| {
        let buffer = &program.buffers[id.index()];
        let is_own = matches!(buffer.place, Place::Arena(_));
        is_own && buffer.ty.bytes() >= STREAMED && !is_read(id)
    };
    let writes = &program.launches[n].writes;
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
