//! The GPU device: buffers in GPU memory, and programs cached by fingerprint. Uploads are deferred
//! to the first program that uses a tensor, since the program knows its type.
use super::{Backend, Device, Memory, Program, is_checked, own};
use crate::storage::{Data, lock};
use crate::{Error, Result};
use brasa_compile::{Options, compile_with};
use brasa_gpu::{Buffer, Executable, Gpu, wait_for};
use brasa_ir::graph::Fingerprint;
use brasa_ir::{Array, Graph, Id, Number, Type};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

pub(super) struct GpuBackend;

/// Programs of all threads, dropped when the device is replaced.
#[derive(Default)]
struct Programs {
    by_fingerprint: HashMap<Fingerprint, Compiled>,
    device: Option<Gpu>,
    clock: u64,
}

static PROGRAMS: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);

/// Maximum number of cached programs; the least recently used is evicted.
const MAX_PROGRAMS: usize = 64;

impl Backend for GpuBackend {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn allocate(&self, bytes: usize) -> Box<dyn Memory> {
        memory(GpuMemoryState::Unallocated(bytes))
    }

    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory> {
        memory(GpuMemoryState::Host(bytes.to_vec()))
    }

    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()> {
        let mut programs = lock(&PROGRAMS);
        let compiled = programs.get(graph)?;
        let bound = bound_memory(compiled.inputs(), inputs)?;
        compiled.run_on(&bound, graph.slots())
    }

    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>> {
        Ok(Box::new(Compiled::new(&Gpu::global()?, graph, &[])?))
    }

    fn value(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)], wanted: Id) -> Result<Array> {
        let mut inputs = inputs.to_vec();
        inputs.sort_by_key(|(id, _)| *id);
        let mut compiled = Compiled::new(&Gpu::global()?, graph, &[wanted])?;
        let bound = bound_memory(compiled.inputs(), &inputs)?;
        compiled.run_on(&bound, graph.slots())?;
        let buffers = compiled.buffers(&bound)?;
        let buffers: Vec<&Buffer> = buffers.iter().collect();
        wait_for(compiled.executable.output(&buffers, 0))
    }
}

impl Programs {
    /// The program of a graph, compiled on a cache miss.
    fn get(&mut self, graph: &Graph) -> Result<&mut Compiled> {
        let gpu = Gpu::global()?;
        if self.device.as_ref() != Some(&gpu) {
            *self = Programs { device: Some(gpu.clone()), ..Programs::default() };
        }
        self.clock += 1;
        let fingerprint = graph.fingerprint();
        if !self.by_fingerprint.contains_key(&fingerprint) {
            if self.by_fingerprint.len() >= MAX_PROGRAMS {
                let oldest = self.by_fingerprint.iter().min_by_key(|(_, kept)| kept.used);
                if let Some(oldest) = oldest.map(|(key, _)| *key) {
                    self.by_fingerprint.remove(&oldest);
                }
            }
            self.by_fingerprint.insert(fingerprint, Compiled::new(&gpu, graph, &[])?);
        }
        let compiled = self.by_fingerprint.get_mut(&fingerprint).expect("inserted above");
        compiled.used = self.clock;
        Ok(compiled)
    }
}

/// Compile options: each pass is verified in the checked mode.
fn options() -> Result<Options> {
    Ok(Options { verify: is_checked()?, ..brasa_gpu::options() })
}

/// A program compiled for the GPU.
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

    /// The GPU buffers of the inputs.
    fn buffers(&self, inputs: &[&GpuMemory]) -> Result<Vec<Buffer>> {
        let types = self.executable.program().inputs.iter().map(|input| &input.ty);
        inputs.iter().zip(types).map(|(memory, ty)| memory.on_device(&self.gpu, ty)).collect()
    }

    fn run_on(&mut self, inputs: &[&GpuMemory], slots: &[Number]) -> Result<()> {
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
        let inputs = inputs.iter().map(|memory| own(*memory, Device(&GpuBackend)));
        self.run_on(&inputs.collect::<Result<Vec<&GpuMemory>>>()?, slots)
    }
}

/// The memory bound to a program's inputs.
fn bound_memory<'a>(nodes: &[Id], inputs: &'a [(Id, Arc<Data>)]) -> Result<Vec<&'a GpuMemory>> {
    let find = |node: &Id| {
        let at = inputs.binary_search_by_key(node, |(id, _)| *id);
        let at = at.map_err(|_| Error::data("flush", "an input has no value"))?;
        own(inputs[at].1.memory(), Device(&GpuBackend))
    };
    nodes.iter().map(find).collect()
}

/// The memory of a tensor.
struct GpuMemory(Mutex<GpuMemoryState>);

enum GpuMemoryState {
    /// Not allocated yet; the number of bytes.
    Unallocated(usize),
    Host(Vec<u8>),
    Device(Box<Gpu>, Buffer),
    /// Copying it failed with this error.
    Lost(Error),
}

fn memory(state: GpuMemoryState) -> Box<dyn Memory> {
    Box::new(GpuMemory(Mutex::new(state)))
}

impl GpuMemory {
    fn on_device(&self, gpu: &Gpu, ty: &Type) -> Result<Buffer> {
        let mut state = lock(&self.0);
        let buffer = match &*state {
            GpuMemoryState::Device(owner, _) if owner.lost().is_some() => {
                return Err(lost_error(owner, ty));
            }
            GpuMemoryState::Device(_, buffer) => return Ok(buffer.clone()),
            GpuMemoryState::Lost(error) => return Err(error.clone()),
            GpuMemoryState::Unallocated(_) => gpu.allocate(ty)?,
            GpuMemoryState::Host(bytes) => gpu.upload_bytes(ty, bytes)?,
        };
        *state = GpuMemoryState::Device(Box::new(gpu.clone()), buffer.clone());
        Ok(buffer)
    }
}

/// The error for a tensor that was lost with its device.
fn lost_error(gpu: &Gpu, ty: &Type) -> Error {
    let why = gpu.lost().unwrap_or_default();
    let what = format!("the device that held a tensor was lost ({why})");
    let error = Error::device("gpu", what).operand("tensor", ty);
    error.help("recreate models and data, and load the last state dict or checkpoint")
}

impl Memory for GpuMemory {
    fn copied(&self) -> Box<dyn Memory> {
        memory(match &*lock(&self.0) {
            GpuMemoryState::Unallocated(bytes) => GpuMemoryState::Unallocated(*bytes),
            GpuMemoryState::Host(bytes) => GpuMemoryState::Host(bytes.clone()),
            GpuMemoryState::Lost(error) => GpuMemoryState::Lost(error.clone()),
            GpuMemoryState::Device(gpu, buffer) => match gpu.copy(buffer) {
                Ok(copy) => GpuMemoryState::Device(gpu.clone(), copy),
                Err(error) => GpuMemoryState::Lost(error),
            },
        })
    }

    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()> {
        match &*lock(&self.0) {
            GpuMemoryState::Unallocated(bytes) => look(&vec![0; *bytes]),
            GpuMemoryState::Host(bytes) => look(bytes),
            GpuMemoryState::Lost(error) => return Err(error.clone()),
            GpuMemoryState::Device(gpu, buffer) => look(&wait_for(gpu.read_bytes(buffer))?),
        }
        Ok(())
    }
}
