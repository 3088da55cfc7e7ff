//! The engine on WebGPU: the asynchronous counterpart of `brasa::remote::Engine`. Messages must
//! be executed one after the other. The type of an allocation is known when a program first uses
//! it; until then uploads are kept as bytes. The device may be lost at any time: see
//! `replay_log`.
use super::replay_log::{LogEntry, ReplayLog, ReplayMessage, SavedMemory};
use super::{Answer, now, recording};
use brasa::remote::{Command, Reply, commands, inputs};
use brasa::{Error, Result};
use brasa_compile::bytes::graph_from_bytes;
use brasa_compile::{compile_with, extract};
use brasa_gpu::{Buffer, Executable, Gpu, Limits, Shaders};
use brasa_ir::ops::Op;
use brasa_ir::{Id, Number, Type};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// An engine on the GPU that the browser prefers.
#[wasm_bindgen]
pub struct GpuEngine {
    /// `None` while a message is executed.
    inner: Rc<RefCell<Option<Inner>>>,
    name: String,
    limits: Limits,
}

struct Inner {
    gpu: Gpu,
    memory: HashMap<u64, Memory>,
    programs: HashMap<u64, ProgramEntry>,
    /// The first error that no reply has reported yet.
    unreported: Option<Error>,
    log: ReplayLog,
    /// Whether to time launches, and the milliseconds of each launch of the last timed run.
    is_timed: bool,
    times: Vec<f64>,
}

enum Memory {
    Bytes(Rc<[u8]>),
    Allocated(usize),
    /// With a copy of the bytes, if it is up to date.
    Device(Buffer, Option<Rc<[u8]>>),
    Failed(Error),
}

/// A program: the command that created it, and the result of compiling it.
struct ProgramEntry {
    source: Rc<Command>,
    loaded: Result<LoadedProgram>,
}

/// A compiled program.
struct LoadedProgram {
    executable: Executable,
    /// The number of inputs of the graph.
    inputs: usize,
    /// The graph's inputs that the program uses, in its order, and their types.
    used_inputs: Vec<(usize, Type)>,
    /// The graph's inputs that are written, and those that are read.
    written: Vec<usize>,
    read: HashSet<usize>,
}

/// How a program accesses an input.
#[derive(Clone, Copy, PartialEq)]
enum Usage {
    Read,
    ReadAndWrite,
    Write,
}

fn js_error(error: &Error) -> JsError {
    JsError::new(&error.to_string())
}

#[wasm_bindgen]
impl GpuEngine {
    /// Opens the device.
    pub async fn open() -> Result<GpuEngine, JsError> {
        let gpu = Gpu::new().await.map_err(|error| js_error(&error))?;
        let (name, limits) = (gpu.name(), gpu.limits());
        let inner = Inner {
            gpu,
            memory: HashMap::new(),
            programs: HashMap::new(),
            unreported: None,
            log: ReplayLog::default(),
            is_timed: false,
            times: Vec::new(),
        };
        Ok(GpuEngine { inner: Rc::new(RefCell::new(Some(inner))), name, limits })
    }

    /// The adapter's name.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Creates memory with these bytes.
    pub fn upload(&mut self, id: f64, bytes: Vec<u8>) {
        if let Some(inner) = &mut *self.inner.borrow_mut() {
            inner.upload(id as u64, bytes.into());
        }
    }

    /// Turns timing of launches on or off.
    pub fn set_timing(&mut self, wanted: bool) {
        if let Some(inner) = &mut *self.inner.borrow_mut() {
            inner.is_timed = wanted;
        }
    }

    /// Milliseconds of each launch of the last timed run.
    pub fn times(&self) -> Vec<f64> {
        self.inner.borrow().as_ref().map_or(Vec::new(), |inner| inner.times.clone())
    }

    /// Executes a message and returns its answers, which are valid once the message is
    /// [`accept`]ed. Throws if the message cannot be parsed, or while another message is
    /// executed.
    ///
    /// [`accept`]: GpuEngine::accept
    pub async fn execute(&self, message: Vec<u8>) -> Result<Vec<Answer>, JsError> {
        let (shared, mut inner) = self.take_inner()?;
        let replies = inner.execute(&message).await;
        *shared.borrow_mut() = Some(inner);
        let replies = replies.map_err(|error| js_error(&error))?;
        Ok(replies.into_iter().map(Answer::new).collect())
    }

    /// Appends an executed message to the replay log. Returns `false` if the device was lost
    /// meanwhile; the message must then be executed again.
    pub fn accept(&mut self, message: &[u8]) -> Result<bool, JsError> {
        let Some(inner) = &mut *self.inner.borrow_mut() else { return Ok(false) };
        if inner.gpu.lost().is_some() {
            return Ok(false);
        }
        let commands = commands(message).map_err(|error| js_error(&error))?;
        commands.into_iter().for_each(|command| inner.log.push(command.into()));
        Ok(true)
    }

    /// The reason why the device was lost, if it was.
    pub fn lost(&self) -> Option<String> {
        self.inner.borrow().as_ref().and_then(|inner| inner.gpu.lost())
    }

    /// Opens another device in place of a lost one, and replays the save and the log. Returns the
    /// number of repeated runs.
    pub async fn reopen(&self) -> Result<usize, JsError> {
        let (shared, mut inner) = self.take_inner()?;
        let reopened = inner.reopen().await;
        *shared.borrow_mut() = Some(inner);
        reopened.map_err(|error| js_error(&error))
    }

    /// Copies all device memory to wasm memory and clears the log.
    pub async fn save(&self) -> Result<(), JsError> {
        let (shared, mut inner) = self.take_inner()?;
        let saved = inner.save().await;
        *shared.borrow_mut() = Some(inner);
        saved.map_err(|error| js_error(&error))
    }

    /// The size of the log since the last save.
    pub fn replay_log_bytes(&self) -> f64 {
        self.inner.borrow().as_ref().map_or(0.0, |inner| inner.log.bytes() as f64)
    }

    /// The replay log, to restore the state of a lost device in another engine.
    pub fn replay_log(&self) -> Result<ReplayMessage, JsError> {
        let (shared, inner) = self.take_inner()?;
        let (message, runs) = inner.log.replay_message();
        *shared.borrow_mut() = Some(inner);
        Ok(ReplayMessage { message, runs })
    }

    /// Nodes, kernels and memory plan of a recorded step as JSON.
    pub fn explain(
        &self,
        graph: Vec<u8>,
        ids: Vec<u32>,
        names: Vec<String>,
        roles: Vec<String>,
    ) -> Result<String, JsError> {
        let json = recording(graph, ids, names, roles).explain_for(&brasa_gpu::options());
        json.map_err(|error| js_error(&error))
    }

    /// The shaders of a recorded step, one for each kernel; empty for a kernel without elements.
    pub fn shaders(&self, graph: &[u8]) -> Result<Vec<String>, JsError> {
        let shaders = || {
            let program = compile_with(&graph_from_bytes(graph)?, &[], &brasa_gpu::options())?;
            let count = program.launches.len();
            let all = Shaders::new(program, self.limits)?;
            Ok((0..count).map(|n| all.listing(n).unwrap_or_default()).collect())
        };
        shaders().map_err(|error| js_error(&error))
    }

    /// How often each shader variant was emitted, for fuzzers.
    #[cfg(feature = "check")]
    pub fn paths(&self) -> String {
        super::lines_of(brasa_gpu::paths::counts())
    }

    /// Bytes of all tensors in memory.
    pub fn bytes(&self) -> f64 {
        let bytes = |memory: &Memory| match memory {
            Memory::Bytes(bytes) => bytes.len(),
            Memory::Allocated(bytes) => *bytes,
            Memory::Device(buffer, _) => buffer.ty().bytes(),
            Memory::Failed(_) => 0,
        };
        let inner = self.inner.borrow();
        inner.iter().flat_map(|inner| inner.memory.values()).map(bytes).sum::<usize>() as f64
    }

    /// The number of compiled programs.
    pub fn programs(&self) -> usize {
        self.inner.borrow().as_ref().map_or(0, |inner| inner.programs.len())
    }

    /// The number of tensors in memory.
    pub fn count(&self) -> usize {
        self.inner.borrow().as_ref().map_or(0, |inner| inner.memory.len())
    }
}

type Shared = Rc<RefCell<Option<Inner>>>;

impl GpuEngine {
    /// Takes the state, to be put back after use.
    fn take_inner(&self) -> Result<(Shared, Inner), JsError> {
        let shared = self.inner.clone();
        let inner = shared.borrow_mut().take();
        let inner = inner.ok_or_else(|| JsError::new("another message is being executed"))?;
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
            } else if let Err(error) = self.execute_command(command.into()).await {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(replies)
    }

    async fn execute_command(&mut self, command: Rc<Command>) -> Result<()> {
        match &*command {
            Command::Allocate { id, bytes } => {
                self.memory.insert(*id, Memory::Allocated(*bytes as usize));
            }
            Command::Upload { id, bytes } => {
                self.memory.insert(*id, Memory::Bytes(bytes[..].into()));
            }
            Command::Copy { id, from } => {
                let copy = match self.memory_of(*from)? {
                    Memory::Bytes(bytes) => Memory::Bytes(bytes.clone()),
                    Memory::Allocated(bytes) => Memory::Allocated(*bytes),
                    Memory::Failed(error) => Memory::Failed(error.clone()),
                    Memory::Device(buffer, bytes) => {
                        Memory::Device(self.gpu.copy(buffer)?, bytes.clone())
                    }
                };
                self.memory.insert(*id, copy);
            }
            Command::Free { id } => drop(self.memory.remove(id)),
            Command::Program { program, graph } => {
                let loaded = LoadedProgram::new(&self.gpu, graph).await;
                self.programs.insert(*program, ProgramEntry { source: command.clone(), loaded });
            }
            Command::Probe { program, node, ty, graph } => {
                let loaded = LoadedProgram::probe(&self.gpu, graph, *node, ty).await;
                self.programs.insert(*program, ProgramEntry { source: command.clone(), loaded });
            }
            Command::Run { program, inputs, slots } => self.run(*program, inputs, slots).await?,
            Command::Forget { program } => drop(self.programs.remove(program)),
            Command::Read { .. } => {}
        }
        Ok(())
    }

    fn upload(&mut self, id: u64, bytes: Rc<[u8]>) {
        self.log.push(LogEntry::Upload(id, bytes.clone()));
        self.memory.insert(id, Memory::Bytes(bytes));
    }

    async fn save(&mut self) -> Result<()> {
        let mut memory = Vec::with_capacity(self.memory.len());
        for (&id, content) in &mut self.memory {
            let saved = match content {
                Memory::Allocated(bytes) => SavedMemory::Allocated(*bytes),
                Memory::Failed(error) => SavedMemory::Failed(error.clone()),
                Memory::Bytes(bytes) | Memory::Device(_, Some(bytes)) => {
                    SavedMemory::Bytes(bytes.clone())
                }
                Memory::Device(buffer, bytes) => match self.gpu.read_bytes(buffer).await {
                    Ok(read) => SavedMemory::Bytes(bytes.insert(read.into()).clone()),
                    Err(error) => {
                        // The error may come from an earlier run; the next reply has to report
                        // it.
                        self.unreported.get_or_insert(error.clone());
                        return Err(error);
                    }
                },
            };
            memory.push((id, saved));
        }
        let programs = self.programs.values().map(|program| program.source.clone());
        self.log.save(memory, programs.collect(), self.unreported.clone());
        Ok(())
    }

    async fn reopen(&mut self) -> Result<usize> {
        self.gpu = Gpu::new().await?;
        self.memory.clear();
        self.programs.clear();
        let mut runs = 0;
        let entries = self.log.entries();
        self.unreported = self.log.unreported();
        for entry in entries {
            let outcome = match entry {
                LogEntry::Upload(id, bytes) => {
                    self.memory.insert(id, Memory::Bytes(bytes));
                    Ok(())
                }
                LogEntry::Failed(id, error) => {
                    self.memory.insert(id, Memory::Failed(error));
                    Ok(())
                }
                // It was answered already, with the error of that time.
                LogEntry::Command(command) if matches!(*command, Command::Read { .. }) => {
                    self.unreported = None;
                    Ok(())
                }
                LogEntry::Command(command) => {
                    runs += usize::from(matches!(*command, Command::Run { .. }));
                    self.execute_command(command).await
                }
            };
            if let Err(error) = outcome {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(runs)
    }

    fn memory_of(&self, id: u64) -> Result<&Memory> {
        let unknown = || Error::data("engine", format!("there is no memory {id}"));
        self.memory.get(&id).ok_or_else(unknown)
    }

    async fn read(&mut self, id: u64) -> Result<Vec<u8>> {
        if let Some(error) = self.unreported.take() {
            return Err(error);
        }
        match self.memory_of(id)? {
            Memory::Bytes(bytes) => Ok(bytes.to_vec()),
            Memory::Allocated(bytes) => Ok(vec![0; *bytes]),
            Memory::Device(buffer, _) => self.gpu.read_bytes(buffer).await,
            Memory::Failed(error) => Err(error.clone()),
        }
    }

    /// The buffer of an allocation that a program uses as this type.
    fn buffer(&mut self, id: u64, ty: &Type, usage: Usage) -> Result<Buffer> {
        let is_written = usage != Usage::Read;
        let unknown = || Error::data("engine", format!("there is no memory {id}"));
        let memory = self.memory.get_mut(&id).ok_or_else(unknown)?;
        let (buffer, bytes) = match memory {
            Memory::Device(buffer, bytes) => {
                bytes.take_if(|_| is_written);
                return Ok(buffer.clone());
            }
            Memory::Failed(error) if usage != Usage::Write => return Err(error.clone()),
            Memory::Bytes(bytes) => (self.gpu.upload_bytes(ty, bytes)?, Some(bytes.clone())),
            Memory::Allocated(_) | Memory::Failed(_) => (self.gpu.allocate(ty)?, None),
        };
        *memory = Memory::Device(buffer.clone(), bytes.filter(|_| !is_written));
        Ok(buffer)
    }

    async fn run(&mut self, program: u64, inputs: &[u64], slots: &[Number]) -> Result<()> {
        let unknown = || Error::data("engine", format!("there is no program {program}"));
        let ProgramEntry { source, loaded } = self.programs.remove(&program).ok_or_else(unknown)?;
        let mut loaded = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                self.programs.insert(program, ProgramEntry { source, loaded: Err(error.clone()) });
                return Err(error);
            }
        };
        let outcome = self.run_loaded(&mut loaded, inputs, slots).await;
        if let Err(error) = &outcome {
            let written = loaded.written.iter().filter_map(|&n| inputs.get(n));
            for id in written {
                if let Some(memory @ Memory::Allocated(_)) = self.memory.get_mut(id) {
                    *memory = Memory::Failed(error.clone());
                }
            }
        }
        self.programs.insert(program, ProgramEntry { source, loaded: Ok(loaded) });
        outcome
    }

    async fn run_loaded(
        &mut self,
        loaded: &mut LoadedProgram,
        inputs: &[u64],
        slots: &[Number],
    ) -> Result<()> {
        if inputs.len() != loaded.inputs {
            let what = format!("the program takes {} inputs, got {}", loaded.inputs, inputs.len());
            return Err(Error::data("engine", what));
        }
        let mut buffers = Vec::with_capacity(loaded.used_inputs.len());
        // Inputs first: if one has failed, nothing is allocated for the results.
        for usage in [Usage::Read, Usage::ReadAndWrite, Usage::Write] {
            for (at, (n, ty)) in loaded.used_inputs.iter().enumerate() {
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
        // Not `cfg!`: the future would contain the code of both.
        #[cfg(feature = "check")]
        return loaded.executable.run_checked(&buffers, slots).await;
        #[cfg(not(feature = "check"))]
        loaded.executable.run(&buffers, slots).await
    }
}

impl LoadedProgram {
    /// How the program accesses input `n`.
    fn usage(&self, n: usize) -> Usage {
        match (self.written.contains(&n), self.read.contains(&n)) {
            (false, _) => Usage::Read,
            (true, true) => Usage::ReadAndWrite,
            (true, false) => Usage::Write,
        }
    }

    async fn probe(gpu: &Gpu, graph: &[u8], node: u64, wanted: &Type) -> Result<LoadedProgram> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let unknown = || Error::argument("probe", format!("the step has no node {node}"));
        let extracted = extract(&graph, node as usize)?.ok_or_else(unknown)?;
        if extracted.ty != *wanted {
            let what = format!("the value has type {}, expected {wanted}", extracted.ty);
            return Err(Error::argument("probe", what));
        }
        let program = compile_with(&extracted.graph, &[], &brasa_gpu::options())?;
        let input_number = |own: &Id| {
            let original = extracted.inputs.iter().find(|(id, _)| id == own);
            original.and_then(|(_, id)| inputs.binary_search(id).ok()).unwrap_or(inputs.len())
        };
        let used_inputs = program.inputs.iter();
        let used_inputs =
            used_inputs.map(|input| (input_number(&input.node), input.ty.clone())).collect();
        let (count, written) = (inputs.len() + 1, vec![inputs.len()]);
        let executable = Executable::new(gpu, program).await?;
        let read = (0..inputs.len()).collect();
        Ok(LoadedProgram { executable, inputs: count, used_inputs, written, read })
    }

    async fn new(gpu: &Gpu, graph: &[u8]) -> Result<LoadedProgram> {
        let graph = graph_from_bytes(graph)?;
        let inputs = inputs(&graph);
        let unknown =
            |id| Error::data("engine", format!("program input {id} is not an input of the graph"));
        let program = compile_with(&graph, &[], &brasa_gpu::options())?;
        let used_inputs = program.inputs.iter().map(|input| {
            let n = inputs.binary_search(&input.node).map_err(|_| unknown(input.node))?;
            Ok((n, graph[input.node].ty.clone()))
        });
        let used_inputs = used_inputs.collect::<Result<Vec<_>>>()?;
        let writes = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written = writes.filter_map(|(_, node)| inputs.binary_search(&node.inputs[0]).ok());
        let reads = graph.nodes().flat_map(|(_, node)| match node.op {
            Op::Write(_) => &node.inputs[1..],
            _ => &node.inputs[..],
        });
        let read = reads.filter_map(|id| inputs.binary_search(id).ok()).collect();
        let (inputs, written) = (inputs.len(), written.collect());
        let executable = Executable::new(gpu, program).await?;
        Ok(LoadedProgram { executable, inputs, used_inputs, written, read })
    }
}
