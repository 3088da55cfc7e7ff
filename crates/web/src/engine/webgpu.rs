//! The engine on WebGPU. It does what `brasa::remote::Engine` does, on a device that answers later:
//! messages have to be carried out one after the other. What memory holds is known when a program first
//! takes it; until then uploads stay here as bytes.
use super::Answer;
use brasa::remote::{Command, Reply, commands};
use brasa::{Error, Result};
use brasa_compile::bytes::graph_from_bytes;
use brasa_compile::compile_with;
use brasa_gpu::{Buffer, Executable, Gpu};
use brasa_ir::ops::Op;
use brasa_ir::{Array, Number, Type};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// An engine on the graphics processor that the browser prefers.
#[wasm_bindgen]
pub struct GpuEngine {
    /// Taken while a message is carried out.
    inner: Rc<RefCell<Option<Inner>>>,
    name: String,
}

struct Inner {
    gpu: Gpu,
    memory: HashMap<u64, Held>,
    programs: HashMap<u64, Result<Loaded>>,
    /// The first error that no reply has carried yet.
    unreported: Option<Error>,
}

enum Held {
    Bytes(Vec<u8>),
    Room(usize),
    Device(Buffer),
    Failed(Error),
}

/// A compiled program.
struct Loaded {
    executable: Executable,
    /// How many inputs the graph has.
    inputs: usize,
    /// Which of the graph's inputs the program takes, in its order, and their types.
    taken: Vec<(usize, Type)>,
    /// Which of the graph's inputs are written to.
    written: Vec<usize>,
}

fn failed(error: &Error) -> JsError {
    JsError::new(&error.to_string())
}

#[wasm_bindgen]
impl GpuEngine {
    /// Opens the device.
    pub async fn open() -> Result<GpuEngine, JsError> {
        let gpu = Gpu::new().await.map_err(|error| failed(&error))?;
        let name = gpu.name();
        let (memory, programs) = (HashMap::new(), HashMap::new());
        let inner = Inner { gpu, memory, programs, unreported: None };
        Ok(GpuEngine { inner: Rc::new(RefCell::new(Some(inner))), name })
    }

    /// The adapter's name.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Makes memory with these bytes.
    pub fn upload(&mut self, id: f64, bytes: Vec<u8>) {
        if let Some(inner) = &mut *self.inner.borrow_mut() {
            inner.memory.insert(id as u64, Held::Bytes(bytes));
        }
    }

    /// Carries out a message and gives the answers. Throws where it cannot be read, or while another is
    /// being carried out.
    pub async fn execute(&self, message: Vec<u8>) -> Result<Vec<Answer>, JsError> {
        let shared = self.inner.clone();
        let Some(mut inner) = shared.borrow_mut().take() else {
            return Err(JsError::new("another message is being carried out"));
        };
        let replies = inner.execute(&message).await;
        *shared.borrow_mut() = Some(inner);
        let replies = replies.map_err(|error| failed(&error))?;
        Ok(replies.into_iter().map(Answer::new).collect())
    }

    /// Bytes of tensors held.
    pub fn bytes(&self) -> f64 {
        let bytes = |held: &Held| match held {
            Held::Bytes(bytes) => bytes.len(),
            Held::Room(bytes) => *bytes,
            Held::Device(buffer) => buffer.ty().bytes(),
            Held::Failed(_) => 0,
        };
        let inner = self.inner.borrow();
        inner.iter().flat_map(|inner| inner.memory.values()).map(bytes).sum::<usize>() as f64
    }

    /// Tensors held.
    pub fn count(&self) -> usize {
        self.inner.borrow().as_ref().map_or(0, |inner| inner.memory.len())
    }
}

impl Inner {
    async fn execute(&mut self, message: &[u8]) -> Result<Vec<Reply>> {
        let mut replies = Vec::new();
        for command in commands(message)? {
            if let Command::Read { reply, id } = command {
                let value = self.read(id).await;
                replies.push(Reply { number: reply, value });
            } else if let Err(error) = self.carry_out(command).await {
                self.unreported.get_or_insert(error);
            }
        }
        Ok(replies)
    }

    async fn carry_out(&mut self, command: Command) -> Result<()> {
        match command {
            Command::Room { id, bytes } => {
                self.memory.insert(id, Held::Room(bytes as usize));
            }
            Command::Upload { id, bytes } => {
                self.memory.insert(id, Held::Bytes(bytes));
            }
            Command::Copy { id, from } => {
                let copy = match self.held(from)? {
                    Held::Bytes(bytes) => Held::Bytes(bytes.clone()),
                    Held::Room(bytes) => Held::Room(*bytes),
                    Held::Failed(error) => Held::Failed(error.clone()),
                    Held::Device(buffer) => {
                        Held::Device(self.gpu.upload(&self.gpu.read(buffer).await?)?)
                    }
                };
                self.memory.insert(id, copy);
            }
            Command::Free { id } => drop(self.memory.remove(&id)),
            Command::Program { program, graph } => {
                let loaded = Loaded::new(&self.gpu, &graph).await;
                self.programs.insert(program, loaded);
            }
            Command::Run { program, inputs, slots } => self.run(program, &inputs, &slots).await?,
            Command::Forget { program } => drop(self.programs.remove(&program)),
            Command::Read { .. } => {}
        }
        Ok(())
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
            Held::Bytes(bytes) => Ok(bytes.clone()),
            Held::Room(bytes) => Ok(vec![0; *bytes]),
            Held::Device(buffer) => Ok(self.gpu.read(buffer).await?.to_bytes()),
            Held::Failed(error) => Err(error.clone()),
        }
    }

    /// The buffer behind memory that a program takes as this type.
    fn buffer(&mut self, id: u64, ty: &Type, is_written: bool) -> Result<Buffer> {
        let buffer = match self.held(id)? {
            Held::Device(buffer) => return Ok(buffer.clone()),
            Held::Failed(error) if !is_written => return Err(error.clone()),
            Held::Bytes(bytes) => {
                let array = Array::from_bytes(ty, bytes);
                self.gpu.upload(&array.map_err(|what| Error::data("engine", what))?)?
            }
            Held::Room(_) | Held::Failed(_) => self.gpu.room(ty)?,
        };
        self.memory.insert(id, Held::Device(buffer.clone()));
        Ok(buffer)
    }

    async fn run(&mut self, program: u64, inputs: &[u64], slots: &[Number]) -> Result<()> {
        let lost = || Error::data("engine", format!("there is no program {program}"));
        let mut loaded = match self.programs.remove(&program).ok_or_else(lost)? {
            Ok(loaded) => loaded,
            Err(error) => {
                self.programs.insert(program, Err(error.clone()));
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
        self.programs.insert(program, Ok(loaded));
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
        // What is only read comes first: where it has failed, nothing is made for the results.
        for is_written in [false, true] {
            for (at, (n, ty)) in loaded.taken.iter().enumerate() {
                if loaded.written.contains(n) == is_written {
                    buffers.push((at, self.buffer(inputs[*n], ty, is_written)?));
                }
            }
        }
        buffers.sort_by_key(|(at, _)| *at);
        let buffers: Vec<&Buffer> = buffers.iter().map(|(_, buffer)| buffer).collect();
        loaded.executable.run(&buffers, slots).await
    }
}

impl Loaded {
    async fn new(gpu: &Gpu, graph: &[u8]) -> Result<Loaded> {
        let graph = graph_from_bytes(graph)?;
        let inputs = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Input(_)));
        let inputs: Vec<_> = inputs.map(|(id, _)| id).collect();
        let lost = |_| Error::data("engine", "a program takes what is no input of its graph");
        let program = compile_with(&graph, &[], &brasa_gpu::options())?;
        let taken = program.inputs.iter().map(|input| {
            let n = inputs.binary_search(&input.node).map_err(lost)?;
            Ok((n, graph[input.node].ty.clone()))
        });
        let taken = taken.collect::<Result<Vec<_>>>()?;
        let writes = graph.nodes().filter(|(_, node)| matches!(node.op, Op::Write(_)));
        let written = writes.filter_map(|(_, node)| inputs.binary_search(&node.inputs[0]).ok());
        let (inputs, written) = (inputs.len(), written.collect());
        Ok(Loaded { executable: Executable::new(gpu, program).await?, inputs, taken, written })
    }
}
