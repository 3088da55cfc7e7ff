//! The recorder: memory is a number, and each operation is appended to a queue of commands.
use super::command::Command;
use super::inputs;
use crate::backend::{Backend, Device, Memory, Probe, Program, own};
use crate::storage::{Data, lock};
use crate::{DType, Error, IntoList, Result, Tensor};
use brasa_compile::bytes::graph_to_bytes;
use brasa_ir::graph::Fingerprint;
use brasa_ir::{Array, Graph, Id, Number, Type};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub(in crate::backend) struct Remote;

/// Unsent commands, and the programs that the engine knows, by fingerprint.
#[derive(Default)]
struct Queue {
    message: Vec<u8>,
    /// Least recently used first.
    programs: Vec<(Fingerprint, u64)>,
}

/// Maximum number of programs that the engine keeps; the least recently used is evicted.
const MAX_PROGRAMS: usize = 64;

thread_local! {
    static QUEUE: Arc<Mutex<Queue>> = Arc::default();
}

fn queue() -> Arc<Mutex<Queue>> {
    QUEUE.with(Arc::clone)
}

/// A number that is unique among the queues of all threads.
fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Takes this thread's queued commands as one message; empty if there are none.
pub fn take_commands() -> Vec<u8> {
    std::mem::take(&mut lock(&queue()).message)
}

/// Requests the value of a tensor, and returns the number of the reply.
pub fn read(x: &Tensor) -> Result<u64> {
    let (id, reply) = (memory(x)?, next());
    lock(&queue()).push(&Command::Read { reply, id });
    Ok(reply)
}

/// The number of the memory that will hold a tensor once the queue is executed. Flushes pending
/// work.
pub fn memory(x: &Tensor) -> Result<u64> {
    let data = x.data()?;
    own::<RemoteMemory>(data.memory(), Device::remote()).map(|memory| memory.id)
}

/// A tensor and the number of its memory. The caller uploads the bytes
/// ([`Engine::upload`](super::Engine::upload)) before the engine executes commands queued from now
/// on.
pub fn announce(dtype: DType, shape: impl IntoList<usize>) -> (Tensor, u64) {
    let memory = RemoteMemory::new();
    let (id, ty) = (memory.id, Type::new(dtype, shape.into_list()));
    (Tensor::from_data(Data::new(Device::remote(), ty, Box::new(memory))), id)
}

impl Queue {
    fn push(&mut self, command: &Command) {
        command.write(&mut self.message);
    }

    /// The program of a graph, which is sent if it is new.
    fn program(&mut self, graph: &Graph) -> Result<u64> {
        let fingerprint = graph.fingerprint();
        if let Some(at) = self.programs.iter().rposition(|(known, _)| *known == fingerprint) {
            let known = self.programs.remove(at);
            self.programs.push(known);
            return Ok(known.1);
        }
        let program = self.send(graph)?;
        if self.programs.len() >= MAX_PROGRAMS {
            let (_, program) = self.programs.remove(0);
            self.push(&Command::Forget { program });
        }
        self.programs.push((fingerprint, program));
        Ok(program)
    }

    fn send(&mut self, graph: &Graph) -> Result<u64> {
        let (program, graph) = (next(), graph_to_bytes(graph)?);
        self.push(&Command::Program { program, graph });
        Ok(program)
    }
}

impl Backend for Remote {
    fn name(&self) -> &'static str {
        "remote"
    }

    fn allocate(&self, bytes: usize) -> Box<dyn Memory> {
        let memory = RemoteMemory::new();
        memory.push(&Command::Allocate { id: memory.id, bytes: bytes as u64 });
        Box::new(memory)
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        let memory = RemoteMemory::new();
        memory.push(&Command::Upload { id: memory.id, bytes: bytes.to_vec() });
        Box::new(memory)
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let id =
            |data: &Data| own::<RemoteMemory>(data.memory(), Device::remote()).map(|own| own.id);
        let inputs = inputs.iter().map(|(_, data)| id(data)).collect::<Result<Vec<u64>>>()?;
        let queue = queue();
        let mut queue = lock(&queue);
        let program = queue.program(graph)?;
        queue.push(&Command::Run { program, inputs, slots: graph.slots().to_vec() });
        Ok(())
    }

    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>> {
        let queue = queue();
        let id = lock(&queue).send(graph)?;
        Ok(Box::new(RemoteProgram { queue, id, inputs: inputs(graph) }))
    }

    fn probe(&self, graph: &Graph, node: usize, ty: Option<&Type>) -> Result<Probe> {
        let unknown = || Error::argument("probe", "a remote device needs the type of the value");
        let ty = ty.ok_or_else(unknown)?.clone();
        let (queue, id, own) = (queue(), next(), inputs(graph));
        let node = node as u64;
        let command =
            Command::Probe { program: id, node, ty: ty.clone(), graph: graph_to_bytes(graph)? };
        lock(&queue).push(&command);
        let inputs = own.iter().copied().map(Some).chain([None]).collect();
        Ok(Probe { program: Box::new(RemoteProgram { queue, id, inputs: own }), inputs, ty })
    }

    fn value(&self, _: &Graph, _: &[(Id, Arc<Data>)], _: Id) -> Result<Array> {
        let what = "the shape of the result depends on data, which a remote device cannot read";
        Err(Error::argument("read", what))
    }
}

/// Memory on the engine.
struct RemoteMemory {
    queue: Arc<Mutex<Queue>>,
    id: u64,
}

impl RemoteMemory {
    fn new() -> RemoteMemory {
        RemoteMemory { queue: queue(), id: next() }
    }

    fn push(&self, command: &Command) {
        lock(&self.queue).push(command);
    }
}

impl Memory for RemoteMemory {
    fn copied(&self) -> Box<dyn Memory> {
        let copy = RemoteMemory { queue: self.queue.clone(), id: next() };
        copy.push(&Command::Copy { id: copy.id, from: self.id });
        Box::new(copy)
    }

    fn read(&self, _: &mut dyn FnMut(&[u8])) -> Result<()> {
        let what = "a remote device cannot read synchronously";
        let error = Error::argument("read", what);
        Err(error.help("await the value of this tensor"))
    }
}

impl Drop for RemoteMemory {
    fn drop(&mut self) {
        self.push(&Command::Free { id: self.id });
    }
}

/// A program on the engine.
struct RemoteProgram {
    queue: Arc<Mutex<Queue>>,
    id: u64,
    inputs: Vec<Id>,
}

impl Program for RemoteProgram {
    fn inputs(&self) -> &[Id] {
        &self.inputs
    }

    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()> {
        let id =
            |memory: &&dyn Memory| own::<RemoteMemory>(*memory, Device::remote()).map(|own| own.id);
        let inputs = inputs.iter().map(id).collect::<Result<Vec<u64>>>()?;
        let slots = slots.to_vec();
        lock(&self.queue).push(&Command::Run { program: self.id, inputs, slots });
        Ok(())
    }
}

impl Drop for RemoteProgram {
    fn drop(&mut self) {
        lock(&self.queue).push(&Command::Forget { program: self.id });
    }
}
