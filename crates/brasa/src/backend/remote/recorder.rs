//! The recorder's side: memory is a number, and all that is to be done is appended to a queue.
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

/// Commands that were not sent, and the programs that the engine knows by fingerprint.
#[derive(Default)]
struct Queue {
    message: Vec<u8>,
    /// The last used one last.
    programs: Vec<(Fingerprint, u64)>,
}

/// Programs that the engine is told to keep; those used longest ago go first.
const KEPT_PROGRAMS: usize = 64;

thread_local! {
    static QUEUE: Arc<Mutex<Queue>> = Arc::default();
}

fn queue() -> Arc<Mutex<Queue>> {
    QUEUE.with(Arc::clone)
}

/// Numbers are never used twice, also not by the queues of other threads.
fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The commands of this thread since the last call, as one message; empty where there are none.
pub fn take_commands() -> Vec<u8> {
    std::mem::take(&mut lock(&queue()).message)
}

/// Asks for the value of a tensor; the number of the reply.
pub fn read(x: &Tensor) -> Result<u64> {
    let (id, reply) = (memory(x)?, next());
    lock(&queue()).push(&Command::Read { reply, id });
    Ok(reply)
}

/// The number of the memory that will hold a tensor once the queue is carried out; pending work is
/// flushed first.
pub fn memory(x: &Tensor) -> Result<u64> {
    let data = x.data()?;
    own::<Elsewhere>(data.memory(), Device::remote()).map(|memory| memory.id)
}

/// A tensor and the number of its memory, into which the caller brings the bytes
/// ([`Engine::upload`](super::Engine::upload)) before the engine carries out commands queued from here on.
pub fn announce(dtype: DType, shape: impl IntoList<usize>) -> (Tensor, u64) {
    let memory = Elsewhere::new();
    let (id, ty) = (memory.id, Type::new(dtype, shape.into_list()));
    (Tensor::from_data(Data::new(Device::remote(), ty, Box::new(memory))), id)
}

impl Queue {
    fn push(&mut self, command: &Command) {
        command.write(&mut self.message);
    }

    /// The program of a graph, which is sent where it is new.
    fn program(&mut self, graph: &Graph) -> Result<u64> {
        let fingerprint = graph.fingerprint();
        if let Some(at) = self.programs.iter().rposition(|(known, _)| *known == fingerprint) {
            let known = self.programs.remove(at);
            self.programs.push(known);
            return Ok(known.1);
        }
        let program = self.send(graph)?;
        if self.programs.len() >= KEPT_PROGRAMS {
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

    fn room(&self, bytes: usize) -> Box<dyn Memory> {
        let memory = Elsewhere::new();
        memory.push(&Command::Room { id: memory.id, bytes: bytes as u64 });
        Box::new(memory)
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        let memory = Elsewhere::new();
        memory.push(&Command::Upload { id: memory.id, bytes: bytes.to_vec() });
        Box::new(memory)
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let id = |data: &Data| own::<Elsewhere>(data.memory(), Device::remote()).map(|own| own.id);
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
        Ok(Box::new(Sent { queue, id, inputs: inputs(graph) }))
    }

    fn probe(&self, graph: &Graph, node: usize, ty: Option<&Type>) -> Result<Probe> {
        let unknown = || Error::argument("probe", "the type of the value is not known here");
        let ty = ty.ok_or_else(unknown)?.clone();
        let (queue, id, own) = (queue(), next(), inputs(graph));
        let node = node as u64;
        let command =
            Command::Probe { program: id, node, ty: ty.clone(), graph: graph_to_bytes(graph)? };
        lock(&queue).push(&command);
        let inputs = own.iter().copied().map(Some).chain([None]).collect();
        Ok(Probe { program: Box::new(Sent { queue, id, inputs: own }), inputs, ty })
    }

    fn value(&self, _: &Graph, _: &[(Id, Arc<Data>)], _: Id) -> Result<Array> {
        let what = "the shape of its result depends on data, which are not here";
        Err(Error::argument("read", what))
    }
}

/// Memory that an engine holds.
struct Elsewhere {
    queue: Arc<Mutex<Queue>>,
    id: u64,
}

impl Elsewhere {
    fn new() -> Elsewhere {
        Elsewhere { queue: queue(), id: next() }
    }

    fn push(&self, command: &Command) {
        lock(&self.queue).push(command);
    }
}

impl Memory for Elsewhere {
    fn copied(&self) -> Box<dyn Memory> {
        let copy = Elsewhere { queue: self.queue.clone(), id: next() };
        copy.push(&Command::Copy { id: copy.id, from: self.id });
        Box::new(copy)
    }

    fn read(&self, _: &mut dyn FnMut(&[u8])) -> Result<()> {
        let error = Error::argument("read", "the value is not here: only reading is async");
        Err(error.help("await the value of this tensor"))
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.push(&Command::Free { id: self.id });
    }
}

/// A program that an engine holds.
struct Sent {
    queue: Arc<Mutex<Queue>>,
    id: u64,
    inputs: Vec<Id>,
}

impl Program for Sent {
    fn inputs(&self) -> &[Id] {
        &self.inputs
    }

    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()> {
        let id =
            |memory: &&dyn Memory| own::<Elsewhere>(*memory, Device::remote()).map(|own| own.id);
        let inputs = inputs.iter().map(id).collect::<Result<Vec<u64>>>()?;
        let slots = slots.to_vec();
        lock(&self.queue).push(&Command::Run { program: self.id, inputs, slots });
        Ok(())
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        lock(&self.queue).push(&Command::Forget { program: self.id });
    }
}
