//! Running programs: an `Executable` is a program prepared for this machine, with its arena.
use crate::interp::{Loop, Memory, Setting};
use crate::library::Library;
use crate::memory::Buffer;
use crate::pool::Pool;
use brasa_compile::kernel::Body;
use brasa_compile::plan::{BufferId, Place};
use brasa_compile::program::{Launch, ProgramInput};
use brasa_compile::{Program, compile};
use brasa_ir::{Array, Error, Graph, Id, Number, Result, Site};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A program ready to run.
pub struct Executable {
    program: Program,
    kernels: Vec<Prepared>,
    arena: Buffer,
    /// How many numbers a run has to be given.
    slots: usize,
    /// Pointers of the current launch, kept to allocate nothing in a run.
    reads: Vec<*const u8>,
    writes: Vec<*mut u8>,
}

// SAFETY: the pointers are set anew in each run and mean nothing between runs.
unsafe impl Send for Executable {}

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
                Body::Loop => Prepared::Loop(Box::new(Loop::new(&launch.kernel, setting))),
                Body::Library { op, operands, out } => {
                    let library = Library::new(op, operands, out, &launch.kernel, setting);
                    Prepared::Library(Box::new(library))
                }
            }
        };
        let kernels = program.launches.iter().enumerate().map(prepare).collect();
        let (arena, slots) = (Buffer::new(program.arena_bytes), program.slots());
        Executable { program, kernels, arena, slots, reads: Vec::new(), writes: Vec::new() }
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs the program on its inputs, in order; those that it writes are changed.
    pub fn run(&mut self, pool: &Pool, inputs: &mut [Buffer], slots: &[Number]) -> Result<()> {
        self.check(inputs, slots)?;
        for n in 0..self.kernels.len() {
            self.launch(n, pool, inputs, slots)?;
        }
        self.copy(inputs);
        Ok(())
    }

    /// `run`, with the time that each launch took.
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
            self.launch(n, pool, inputs, slots)?;
            times.push(now() - start);
        }
        self.copy(inputs);
        Ok(times)
    }

    fn launch(
        &mut self,
        n: usize,
        pool: &Pool,
        inputs: &mut [Buffer],
        slots: &[Number],
    ) -> Result<()> {
        let launch = &self.program.launches[n];
        self.reads.clear();
        self.writes.clear();
        for &id in &launch.reads {
            let place = place(&self.program, &mut self.arena, inputs, id);
            self.reads.push(place.cast_const());
        }
        for &id in &launch.writes {
            self.writes.push(place(&self.program, &mut self.arena, inputs, id));
        }
        let memory = Memory { reads: &self.reads, writes: &self.writes, slots };
        // SAFETY: the plan gave every buffer the room of its type, and `check` the inputs.
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
