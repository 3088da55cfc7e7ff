//! The engine on WebGPU. It does what `brasa::remote::Engine` does, on a device that answers later:
//! messages have to be carried out one after the other. What memory holds is known when a program first
//! takes it; until then uploads stay here as bytes. The device may be lost at any time: see `journal`.
use super::journal::{Entry, Journal, Legacy, Saved};
use super::{Answer, now, recording};
use brasa::remote::{Command, Reply, commands, inputs};
use brasa::{Error, Result};
use brasa_compile::bytes::graph_from_bytes;
use brasa_compile::{carve, compile_with};
use brasa_gpu::{Buffer, Executable, Gpu, Limits, Shaders};
use brasa_ir::ops::Op;
use brasa_ir::{Id, Number, Type};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// An engine on the graphics processor that the browser prefers.
#[wasm_bindgen]
pub struct GpuEngine {
    /// Taken while a message is carried out.
    inner: Rc<RefCell<Option<Inner>>>,
    name: String,
    limits: Limits,
}

struct Inner {
    gpu: Gpu,
    memory: HashMap<u64, Held>,
    programs: HashMap<u64, Known>,
    /// The first error that no reply has carried yet.
    unreported: Option<Error>,
    journal: Journal,
    /// Whether to time launches, and the milliseconds of those of the last run.
    is_timed: bool,
    times: Vec<f64>,
}

enum Held {
    Bytes(Rc<[u8]>),
    Room(usize),
    /// With the bytes, where they are known to be the same.
    Device(Buffer, Option<Rc<[u8]>>),
    Failed(Error),
}

/// A program as it came, and compiled.
struct Known {
    made_by: Rc<Command>,
    loaded: Result<Loaded>,
}

/// A compiled program.
struct Loaded {
    executable: Executable,
    /// How many inputs the graph has.
    inputs: usize,
    /// Which of the graph's inputs the program takes, in its order, and their types.
    taken: Vec<(usize, Type)>,
    /// Which of the graph's inputs are written to, and which are read.
    written: Vec<usize>,
    read: HashSet<usize>,
}

/// What a program does with an input.
#[derive(Clone, Copy, PartialEq)]
enum Usage {
    Read,
    ReadAndWrite,
    Write,
}

fn failed(error: &Error) -> JsError {
    JsError::new(&error.to_string())
}

#[wasm_bindgen]
impl GpuEngine {
    /// Opens the device.
    pub async fn open() -> Result<GpuEngine, JsError> {
        let gpu = Gpu::new().await.map_err(|error| failed(&error))?;
        let (name, limits) = (gpu.name(), gpu.limits());
        let inner = Inner {
            gpu,
            memory: HashMap::new(),
            programs: HashMap::new(),
            unreported: None,
            journal: Journal::default(),
            is_timed: false,
            times: Vec::new(),
        };
        Ok(GpuEngine { inner: Rc::new(RefCell::new(Some(inner))), name, limits })
    }

    /// The adapter's name.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Makes memory with these bytes.
    pub fn upload(&mut self, id: f64, bytes: Vec<u8>) {
        if let Some(inner) = &mut *self.inner.borrow_mut() {
            inner.upload(id as u64, bytes.into());
        }
    }

    /// Times each launch from here on, or no more.
    pub fn set_timing(&mut self, wanted: bool) {
        if let Some(inner) = &mut *self.inner.borrow_mut() {
            inner.is_timed = wanted;
        }
    }

    /// Milliseconds of each launch of the last run that was timed.
    pub fn times(&self) -> Vec<f64> {
        self.inner.borrow().as_ref().map_or(Vec::new(), |inner| inner.times.clone())
    }

    /// Carries out a message and gives the answers, which count once the message is [`accept`]ed.
    /// Throws where it cannot be read, or while another is being carried out.
    ///
    /// [`accept`]: GpuEngine::accept
    pub async fn execute(&self, message: Vec<u8>) -> Result<Vec<Answer>, JsError> {
        let (shared, mut inner) = self.taken()?;
        let replies = inner.execute(&message).await;
        *shared.borrow_mut() = Some(inner);
        let replies = replies.map_err(|error| failed(&error))?;
        Ok(replies.into_iter().map(Answer::new).collect())
    }

    /// Notes the message that was carried out, so that it is not lost with the device; `false` where the
    /// device is gone already, and the message has to be carried out again.
    pub fn accept(&mut self, message: &[u8]) -> Result<bool, JsError> {
        let Some(inner) = &mut *self.inner.borrow_mut() else { return Ok(false) };
        if inner.gpu.lost().is_some() {
            return Ok(false);
        }
        let commands = commands(message).map_err(|error| failed(&error))?;
        commands.into_iter().for_each(|command| inner.journal.note(command.into()));
        Ok(true)
    }

    /// Why the device is gone, once it is.
    pub fn lost(&self) -> Option<String> {
        self.inner.borrow().as_ref().and_then(|inner| inner.gpu.lost())
    }

    /// Opens another device in place of one that is gone, with all that the old one held: what was saved,
    /// and what was done since. How many runs were taken again.
    pub async fn reopen(&self) -> Result<usize, JsError> {
        let (shared, mut inner) = self.taken()?;
        let reopened = inner.reopen().await;
        *shared.borrow_mut() = Some(inner);
        reopened.map_err(|error| failed(&error))
    }

    /// Saves all that the device holds, where nobody can lose it; what was noted before is forgotten.
    pub async fn save(&self) -> Result<(), JsError> {
        let (shared, mut inner) = self.taken()?;
        let saved = inner.save().await;
        *shared.borrow_mut() = Some(inner);
        saved.map_err(|error| failed(&error))
    }

    /// Bytes that were noted since the last time all was saved.
    pub fn noted_bytes(&self) -> f64 {
        self.inner.borrow().as_ref().map_or(0.0, |inner| inner.journal.bytes() as f64)
    }

    /// What a device that is gone held, as a message that gives it to an engine of another kind; and how many
    /// runs that takes again.
    pub fn legacy(&self) -> Result<Legacy, JsError> {
        let (shared, inner) = self.taken()?;
        let (message, runs) = inner.journal.legacy();
        *shared.borrow_mut() = Some(inner);
        Ok(Legacy { message, runs })
    }

    /// Nodes, kernels and memory plan of a recorded step as JSON.
    pub fn explain(
        &self,
        graph: Vec<u8>,
        ids: Vec<u32>,
        names: Vec<String>,
        roles: Vec<String>,
    ) -> Result<String, JsError> {
        let told = recording(graph, ids, names, roles).explain_for(&brasa_gpu::options());
        told.map_err(|error| failed(&error))
    }

    /// The shaders of a recorded step, one for each kernel; empty where a kernel has nothing to do.
    pub fn shaders(&self, graph: &[u8]) -> Result<Vec<String>, JsError> {
        let written = || {
            let program = compile_with(&graph_from_bytes(graph)?, &[], &brasa_gpu::options())?;
            let count = program.launches.len();
            let shaders = Shaders::new(program, self.limits)?;
            Ok((0..count).map(|n| shaders.listing(n).unwrap_or_default()).collect())
        };
        written().map_err(|error| failed(&error))
    }

    /// How often each form of shader was written, for fuzzers.
    #[cfg(feature = "check")]
    pub fn paths(&self) -> String {
        super::lines_of(brasa_gpu::paths::counts())
    }

    /// Bytes of tensors held.
    pub fn bytes(&self) -> f64 {
        let bytes = |held: &Held| match held {
            Held::Bytes(bytes) => bytes.len(),
            Held::Room(bytes) => *bytes,
            Held::Device(buffer, _) => buffer.ty().bytes(),
            Held::Failed(_) => 0,
        };
        let inner = self.inner.borrow();
        inner.iter().flat_map(|inner| inner.memory.values()).map(bytes).sum::<usize>() as f64
    }

    /// Compiled programs kept.
    pub fn programs(&self) -> usize {
        self.inner.borrow().as_ref().map_or(0, |inner| inner.programs.len())
    }

    /// Tensors held.
    pub fn count(&self) -> usize {
        self.inner.borrow().as_ref().map_or(0, |inner| inner.memory.len())
    }
}

type Shared = Rc<RefCell<Option<Inner>>>;

impl GpuEngine {
    /// Takes what is inside, to be put back when it was worked with.
    fn taken(&self) -> Result<(Shared, Inner), JsError> {
        let shared = self.inner.clone();
        let inner = shared.borrow_mut().take();
        let inner = inner.ok_or_else(|| JsError::new("another message is being carried out"))?;
        Ok((shared, inner))
    }
}

impl Inner {
    async fn execute(&mut self, message: &[u8]) -> Result<Vec<Reply>> {
        let mut replies = Vec::new();
        for command in commands(message)? {
            if let Command::Read { reply, id } = command {
                let value = self.read(id).await;
                replies.push(Reply { number: reply, value });
            } else if let Err(error) = self.carry_out(command.into()).await {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(replies)
    }

    async fn carry_out(&mut self, command: Rc<Command>) -> Result<()> {
        match &*command {
            Command::Room { id, bytes } => {
                self.memory.insert(*id, Held::Room(*bytes as usize));
            }
            Command::Upload { id, bytes } => {
                self.memory.insert(*id, Held::Bytes(bytes[..].into()));
            }
            Command::Copy { id, from } => {
                let copy = match self.held(*from)? {
                    Held::Bytes(bytes) => Held::Bytes(bytes.clone()),
                    Held::Room(bytes) => Held::Room(*bytes),
                    Held::Failed(error) => Held::Failed(error.clone()),
                    Held::Device(buffer, bytes) => {
                        Held::Device(self.gpu.copy(buffer)?, bytes.clone())
                    }
                };
                self.memory.insert(*id, copy);
            }
            Command::Free { id } => drop(self.memory.remove(id)),
            Command::Program { program, graph } => {
                let loaded = Loaded::new(&self.gpu, graph).await;
                self.programs.insert(*program, Known { made_by: command.clone(), loaded });
            }
            Command::Probe { program, node, ty, graph } => {
                let loaded = Loaded::probe(&self.gpu, graph, *node, ty).await;
                self.programs.insert(*program, Known { made_by: command.clone(), loaded });
            }
            Command::Run { program, inputs, slots } => self.run(*program, inputs, slots).await?,
            Command::Forget { program } => drop(self.programs.remove(program)),
            Command::Read { .. } => {}
        }
        Ok(())
    }

    fn upload(&mut self, id: u64, bytes: Rc<[u8]>) {
        self.journal.note(Entry::Upload(id, bytes.clone()));
        self.memory.insert(id, Held::Bytes(bytes));
    }

    async fn save(&mut self) -> Result<()> {
        let mut memory = Vec::with_capacity(self.memory.len());
        for (&id, held) in &mut self.memory {
            let saved = match held {
                Held::Room(bytes) => Saved::Room(*bytes),
                Held::Failed(error) => Saved::Failed(error.clone()),
                Held::Bytes(bytes) | Held::Device(_, Some(bytes)) => Saved::Bytes(bytes.clone()),
                Held::Device(buffer, bytes) => match self.gpu.read_bytes(buffer).await {
                    Ok(read) => Saved::Bytes(bytes.insert(read.into()).clone()),
                    Err(error) => {
                        // It may be what went wrong in a run before, which the next reply has to tell.
                        self.unreported.get_or_insert(error.clone());
                        return Err(error);
                    }
                },
            };
            memory.push((id, saved));
        }
        let programs = self.programs.values().map(|known| known.made_by.clone());
        self.journal.save(memory, programs.collect(), self.unreported.clone());
        Ok(())
    }

    async fn reopen(&mut self) -> Result<usize> {
        self.gpu = Gpu::new().await?;
        self.memory.clear();
        self.programs.clear();
        let mut runs = 0;
        let entries = self.journal.entries();
        self.unreported = self.journal.unreported();
        for entry in entries {
            let outcome = match entry {
                Entry::Upload(id, bytes) => {
                    self.memory.insert(id, Held::Bytes(bytes));
                    Ok(())
                }
                Entry::Failed(id, error) => {
                    self.memory.insert(id, Held::Failed(error));
                    Ok(())
                }
                // Its answer was given, with the error that was known then.
                Entry::Command(command) if matches!(*command, Command::Read { .. }) => {
                    self.unreported = None;
                    Ok(())
                }
                Entry::Command(command) => {
                    runs += usize::from(matches!(*command, Command::Run { .. }));
                    self.carry_out(command).await
                }
            };
            if let Err(error) = outcome {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(runs)
    }

    fn held(&self, id: u64) -> Result<&Held> {
        let lost = || Error::data("engine", format!("there is no memory {id}"));
        self.memory.get(&id).ok_or_else(lost)
    }

    async fn read(&mut self, id: u64) -> Result<Vec<u8>> {
        if let Some(error) = self.unreported.take() {
            return Err(error);
        }
        match self.held(id)? {
            Held::Bytes(bytes) => Ok(bytes.to_vec()),
            Held::Room(bytes) => Ok(vec![0; *bytes]),
            Held::Device(buffer, _) => self.gpu.read_bytes(buffer).await,
            Held::Failed(error) => Err(error.clone()),
        }
    }

    /// The buffer behind memory that a program takes as this type.
    fn buffer(&mut self, id: u64, ty: &Type, usage: Usage) -> Result<Buffer> {
        let is_written = usage != Usage::Read;
        let lost = || Error::data("engine", format!("there is no memory {id}"));
        let held = self.memory.get_mut(&id).ok_or_else(lost)?;
        let (buffer, bytes) = match held {
            Held::Device(buffer, bytes) => {
                bytes.take_if(|_| is_written);
                return Ok(buffer.clone());
            }
            Held::Failed(error) if usage != Usage::Write => return Err(error.clone()),
            Held::Bytes(bytes) => (self.gpu.upload_bytes(ty, bytes)?, Some(bytes.clone())),
            Held::Room(_) | Held::Failed(_) => (self.gpu.room(ty)?, None),
        };
        *held = Held::Device(buffer.clone(), bytes.filter(|_| !is_written));
        Ok(buffer)
    }

    async fn run(&mut self, program: u64, inputs: &[u64], slots: &[Number]) -> Result<()> {
        let lost = || Error::data("engine", format!("there is no program {program}"));
        let Known { made_by, loaded } = self.programs.remove(&program).ok_or_else(lost)?;
        let mut loaded = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                self.programs.insert(program, Known { made_by, loaded: Err(error.clone()) });
                return Err(error);
            }
        };
        let outcome = self.run_loaded(&mut loaded, inputs, slots).await;
        if let Err(error) = &outcome {
            let written = loaded.written.iter().filter_map(|&n| inputs.get(n));
            for id in written {
                if let Some(held @ Held::Room(_)) = self.memory.get_mut(id) {
                    *held = Held::Failed(error.clone());
                }
            }
        }
        self.programs.insert(program, Known { made_by, loaded: Ok(loaded) });
        outcome
    }

    async fn run_loaded(
        &mut self,
        loaded: &mut Loaded,
        inputs: &[u64],
        slots: &[Number],
    ) -> Result<()> {
        if inputs.len() != loaded.inputs {
            let what = format!("a run takes {} inputs, got {}", loaded.inputs, inputs.len());
            return Err(Error::data("engine", what));
        }
        let mut buffers = Vec::with_capacity(loaded.taken.len());
        // What is read comes first: where it has failed, nothing is made for the results.
        for usage in [Usage::Read, Usage::ReadAndWrite, Usage::Write] {
            for (at, (n, ty)) in loaded.taken.iter().enumerate() {
                if loaded.usage(*n) == usage {
                    buffers.push((at, self.buffer(inputs[*n], ty, usage)?));
                }
            }
        }
        buffers.sort_by_key(|(at, _)| *at);
        let buffers: Vec<&Buffer> = buffers.iter().map(|(_, buffer)| buffer).collect();
        if self.is_timed {
            self.times = loaded.executable.run_timed(&buffers, slots, &now).await?;
            return Ok(());
        }
        // Not `cfg!`: a future keeps the code of both.
        #[cfg(feature = "check")]
        return loaded.executable.run_checked(&buffers, slots).await;
        #[cfg(not(feature = "check"))]
        loaded.executable.run(&buffers, slots).await
    }
}

impl Loaded {
    /// What it does with an input.
    fn usage(&self, n: usize) -> Usage {
        match (self.written.contains(&n), self.read.contains(&n)) {
            (false, _) => Usage::Read,
            (true, true) => Usage::ReadAndWrite,
            (true, false) => Usage::Write,
        }
    }

    async fn probe(gpu: &Gpu, graph: &[u8], node: u64, wanted: &Type) -> Result<Loaded> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let unknown = || Error::argument("probe", format!("the step has no node {node}"));
        let carved = carve(&graph, node as usize)?.ok_or_else(unknown)?;
        if carved.ty != *wanted {
            let what = format!("the value is of type {}, not {wanted}", carved.ty);
            return Err(Error::argument("probe", what));
        }
        let program = compile_with(&carved.graph, &[], &brasa_gpu::options())?;
        let place = |own: &Id| {
            let whole = carved.inputs.iter().find(|(id, _)| id == own);
            whole.and_then(|(_, id)| inputs.binary_search(id).ok()).unwrap_or(inputs.len())
        };
        let taken = program.inputs.iter();
        let taken = taken.map(|input| (place(&input.node), input.ty.clone())).collect();
        let (count, written) = (inputs.len() + 1, vec![inputs.len()]);
        let executable = Executable::new(gpu, program).await?;
        let read = (0..inputs.len()).collect();
        Ok(Loaded { executable, inputs: count, taken, written, read })
    }

    async fn new(gpu: &Gpu, graph: &[u8]) -> Result<Loaded> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let lost = |_| Error::data("engine", "a program takes what is no input of its graph");
        let program = compile_with(&graph, &[], &brasa_gpu::options())?;
        let taken = program.inputs.iter().map(|input| {
            let n = inputs.binary_search(&input.node).map_err(lost)?;
            Ok((n, graph[input.node].ty.clone()))
        });
        let taken = taken.collect::<Result<Vec<_>>>()?;
        let writes = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written = writes.filter_map(|(_, node)| inputs.binary_search(&node.inputs[0]).ok());
        let reads = graph.nodes().flat_map(|(_, node)| match node.op {
            Op::Write(_) => &node.inputs[1..],
            _ => &node.inputs[..],
        });
        let read = reads.filter_map(|id| inputs.binary_search(id).ok()).collect();
        let (inputs, written) = (inputs.len(), written.collect());
        let executable = Executable::new(gpu, program).await?;
        Ok(Loaded { executable, inputs, taken, written, read })
    }
}
