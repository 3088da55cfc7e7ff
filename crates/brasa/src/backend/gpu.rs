//! The GPU: buffers of its own, and programs by fingerprint. Bytes go there when a program first
//! asks for them, since programs know of which type they are.
use super::{Backend, Device, Memory, Program, is_checked, own};
use crate::storage::{Data, lock};
use crate::{Error, Result};
use brasa_compile::{Options, compile_with};
use brasa_gpu::{Buffer, Executable, Gpu, wait_for};
use brasa_ir::graph::Fingerprint;
use brasa_ir::{Array, Graph, Id, Number, Type};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

pub(super) struct Graphics;

/// Programs of all threads, for one device: none outlives it.
#[derive(Default)]
struct Programs {
    by_fingerprint: HashMap<Fingerprint, Compiled>,
    device: Option<Gpu>,
    clock: u64,
}

static PROGRAMS: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);

/// Programs that are kept; those used longest ago go first.
const KEPT_PROGRAMS: usize = 64;

impl Backend for Graphics {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn room(&self, bytes: usize) -> Box<dyn Memory> {
        memory(State::Room(bytes))
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        memory(State::Host(bytes.to_vec()))
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let mut programs = lock(&PROGRAMS);
        let compiled = programs.get(graph)?;
        let bound = bound(compiled.inputs(), inputs)?;
        compiled.run_on(&bound, graph.slots())
    }

    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>> {
        Ok(Box::new(Compiled::new(&Gpu::global()?, graph, &[])?))
    }

    fn value(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)], wanted: Id) -> Result<Array> {
        let mut inputs = inputs.to_vec();
        inputs.sort_by_key(|(id, _)| *id);
        let mut compiled = Compiled::new(&Gpu::global()?, graph, &[wanted])?;
        let bound = bound(compiled.inputs(), &inputs)?;
        compiled.run_on(&bound, graph.slots())?;
        let buffers = compiled.buffers(&bound)?;
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        wait_for(compiled.executable.output(&buffers, 0))
    }
}

impl Programs {
    /// The program of a graph, compiled if it is not known.
    fn get(&mut self, graph: &Graph) -> Result<&mut Compiled> {
        let gpu = Gpu::global()?;
        if self.device.as_ref() != Some(&gpu) {
            *self = Programs { device: Some(gpu.clone()), ..Programs::default() };
        }
        self.clock += 1;
        let fingerprint = graph.fingerprint();
        if !self.by_fingerprint.contains_key(&fingerprint) {
            if self.by_fingerprint.len() >= KEPT_PROGRAMS {
                let oldest = self.by_fingerprint.iter().min_by_key(|(_, kept)| kept.used);
                if let Some(oldest) = oldest.map(|(key, _)| *key) {
                    self.by_fingerprint.remove(&oldest);
                }
            }
            self.by_fingerprint.insert(fingerprint, Compiled::new(&gpu, graph, &[])?);
        }
        let compiled = self.by_fingerprint.get_mut(&fingerprint).expect("it is there now");
        compiled.used = self.clock;
        Ok(compiled)
    }
}

/// How programs are compiled: verified after each pass in the checked mode.
fn options() -> Result<Options> {
    Ok(Options { verify: is_checked()?, ..brasa_gpu::options() })
}

/// A program on the device.
struct Compiled {
    gpu: Gpu,
    executable: Executable,
    inputs: Vec<Id>,
    used: u64,
}

impl Compiled {
    fn new(gpu: &Gpu, graph: &Graph, wanted: &[Id]) -> Result<Compiled> {
        let program = compile_with(graph, wanted, &options()?)?;
        let inputs = program.inputs.iter().map(|input| input.node).collect();
        let executable = wait_for(Executable::new(gpu, program))?;
        Ok(Compiled { gpu: gpu.clone(), executable, inputs, used: 0 })
    }

    /// The buffers of its inputs.
    fn buffers(&self, inputs: &[&Words]) -> Result<Vec<Buffer>> {
        let types = self.executable.program().inputs.iter().map(|input| &input.ty);
        inputs.iter().zip(types).map(|(words, ty)| words.on_device(&self.gpu, ty)).collect()
    }

    fn run_on(&mut self, inputs: &[&Words], slots: &[Number]) -> Result<()> {
        let buffers = self.buffers(inputs)?;
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        match is_checked()? {
            true => wait_for(self.executable.run_checked(&buffers, slots)),
            false => wait_for(self.executable.run(&buffers, slots)),
        }
    }
}

impl Program for Compiled {
    fn inputs(&self) -> &[Id] {
        &self.inputs
    }

    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()> {
        let inputs = inputs.iter().map(|memory| own(*memory, Device(&Graphics)));
        self.run_on(&inputs.collect::<Result<Vec<&Words>>>()?, slots)
    }
}

/// The memory of a program's inputs.
fn bound<'a>(nodes: &[Id], inputs: &'a [(Id, Arc<Data>)]) -> Result<Vec<&'a Words>> {
    let find = |node: &Id| {
        let at = inputs.binary_search_by_key(node, |(id, _)| *id);
        let at = at.map_err(|_| Error::data("flush", "an input has no value"))?;
        own(inputs[at].1.memory(), Device(&Graphics))
    };
    nodes.iter().map(find).collect()
}

/// A tensor, wherever it stands.
struct Words(Mutex<State>);

enum State {
    /// Nowhere yet: so many bytes.
    Room(usize),
    Host(Vec<u8>),
    Device(Box<Gpu>, Buffer),
    /// What went wrong when it was copied.
    Lost(Error),
}

fn memory(state: State) -> Box<dyn Memory> {
    Box::new(Words(Mutex::new(state)))
}

impl Words {
    fn on_device(&self, gpu: &Gpu, ty: &Type) -> Result<Buffer> {
        let mut state = lock(&self.0);
        let buffer = match &*state {
            State::Device(owner, _) if owner.lost().is_some() => return Err(lost(owner, ty)),
            State::Device(_, buffer) => return Ok(buffer.clone()),
            State::Lost(error) => return Err(error.clone()),
            State::Room(_) => gpu.room(ty)?,
            State::Host(bytes) => gpu.upload_bytes(ty, bytes)?,
        };
        *state = State::Device(Box::new(gpu.clone()), buffer.clone());
        Ok(buffer)
    }
}

/// Why a tensor is gone, and what is left to do.
fn lost(gpu: &Gpu, ty: &Type) -> Error {
    let why = gpu.lost().unwrap_or_default();
    let what = format!("a tensor was lost with its device ({why})");
    let error = Error::device("gpu", what).operand("tensor", ty);
    error.help("make models and data anew, and load the last state dict or checkpoint")
}

impl Memory for Words {
    fn copied(&self) -> Box<dyn Memory> {
        memory(match &*lock(&self.0) {
            State::Room(bytes) => State::Room(*bytes),
            State::Host(bytes) => State::Host(bytes.clone()),
            State::Lost(error) => State::Lost(error.clone()),
            State::Device(gpu, buffer) => match gpu.copy(buffer) {
                Ok(copy) => State::Device(gpu.clone(), copy),
                Err(error) => State::Lost(error),
            },
        })
    }

    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()> {
        match &*lock(&self.0) {
            State::Room(bytes) => look(&vec![0; *bytes]),
            State::Host(bytes) => look(bytes),
            State::Lost(error) => return Err(error.clone()),
            State::Device(gpu, buffer) => look(&wait_for(gpu.read_bytes(buffer))?),
        }
        Ok(())
    }
}
