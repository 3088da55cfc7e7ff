//! Devices: where tensors are stored and programs run. The rest of this crate uses devices only
//! through the three traits of this module. A thread computes on one device, set by
//! [`set_default_device`]; a tensor knows the device it is stored on.
#[cfg(feature = "check")]
mod checked;
#[cfg(feature = "cpu")]
mod cpu;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(not(target_family = "wasm"))]
mod reference;
#[cfg(any(feature = "remote", feature = "engine"))]
pub mod remote;

use crate::session;
use crate::storage::Data;
use crate::{Error, Result};
use brasa_compile::extract;
use brasa_ir::{Array, Graph, Id, Number, Type};
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[cfg(feature = "check")]
use checked::is_checked;
#[cfg(feature = "check")]
pub use checked::set_checked;
#[cfg(all(feature = "cpu", not(target_family = "wasm")))]
pub use cpu::set_num_threads;
#[cfg(feature = "cpu")]
pub use cpu::{compiled_programs, num_threads};

#[cfg(not(any(feature = "cpu", feature = "remote")))]
compile_error!("a device is needed: turn on the feature `cpu` or `remote`");

/// Without the feature `check` runs are never checked. A constant, so that the checking code is
/// left out.
#[cfg(all(not(feature = "check"), any(feature = "cpu", feature = "gpu")))]
fn is_checked() -> Result<bool> {
    Ok(false)
}

/// A kind of device.
pub(crate) trait Backend: Send + Sync {
    fn name(&self) -> &'static str;

    /// Allocates uninitialized memory.
    fn allocate(&self, bytes: usize) -> Box<dyn Memory>;

    /// Allocates memory with a copy of these bytes.
    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory>;

    /// Runs the writes of a graph on its inputs, sorted by node. The program is cached for the next
    /// graph with the same fingerprint.
    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()>;

    /// Compiles the writes of a graph into an uncached program.
    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>>;

    /// A program that computes one node alone, by its number in
    /// [`explain`](crate::Recording::explain). A remote device has to be told the node's type.
    fn probe(&self, graph: &Graph, node: usize, _ty: Option<&Type>) -> Result<Probe> {
        let lost = || Error::argument("probe", format!("the step has no node {node}"));
        let extracted = extract(graph, node)?.ok_or_else(lost)?;
        let program = self.program(&extracted.graph)?;
        let whole = |own: &Id| extracted.inputs.iter().find(|(id, _)| id == own).map(|(_, id)| *id);
        let inputs = program.inputs().iter().map(whole).collect();
        Ok(Probe { program, inputs, ty: extracted.ty })
    }

    /// The value of one node, for ops whose result's shape depends on data.
    fn value(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)], wanted: Id) -> Result<Array>;
}

/// A program that computes one value.
pub(crate) struct Probe {
    pub(crate) program: Box<dyn Program>,
    /// The graph's inputs that a run takes, in order; `None` for the memory of the result.
    pub(crate) inputs: Vec<Option<Id>>,
    pub(crate) ty: Type,
}

/// The memory of a tensor, freed when it is dropped.
pub(crate) trait Memory: Any + Send + Sync {
    /// A copy in new memory.
    fn copied(&self) -> Box<dyn Memory>;

    /// Calls `look` with the bytes. Fails if they are not available synchronously.
    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()>;
}

/// A compiled program.
pub(crate) trait Program: Send {
    /// The graph's inputs that a run takes, in order.
    fn inputs(&self) -> &[Id];

    /// Runs on the memory of its inputs. Memory that is written must be in no other run and occur
    /// only once.
    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()>;

    /// `run` that also measures each launch with the clock `now`, if the device supports it.
    #[cfg(feature = "engine")]
    fn profile(
        &mut self,
        inputs: &[&dyn Memory],
        slots: &[Number],
        _now: &dyn Fn() -> f64,
    ) -> Result<Vec<f64>> {
        self.run(inputs, slots)?;
        Ok(Vec::new())
    }
}

/// A device that stores and computes tensors.
#[derive(Clone, Copy)]
pub struct Device(&'static dyn Backend);

impl Device {
    /// The CPU, with all of its threads.
    #[cfg(feature = "cpu")]
    pub fn cpu() -> Device {
        Device(&cpu::Cpu)
    }

    /// The system's preferred GPU, or why there is none. After a device loss, this opens the GPU
    /// again; tensors stored on the lost one are gone.
    #[cfg(feature = "gpu")]
    pub fn gpu() -> Result<Device> {
        brasa_gpu::Gpu::global()?;
        Ok(Device(&gpu::GpuBackend))
    }

    /// Plain loops, one node of a graph after the other: the reference for the other devices.
    /// Hundreds of times slower than they are.
    #[cfg(not(target_family = "wasm"))]
    pub fn reference() -> Device {
        Device(&reference::Reference)
    }

    /// An engine in another process or thread, such as a browser worker: see [`remote`].
    #[cfg(feature = "remote")]
    pub fn remote() -> Device {
        Device(&remote::Remote)
    }

    pub(crate) fn backend(self) -> &'static dyn Backend {
        self.0
    }

    /// The error for memory that belongs to another device.
    pub(crate) fn foreign(self) -> Error {
        Error::argument("device", format!("a tensor of another device is used on {self}"))
    }
}

/// The CPU, or the remote engine if the CPU is not compiled in.
impl Default for Device {
    fn default() -> Device {
        #[cfg(feature = "cpu")]
        return Device::cpu();
        #[cfg(not(feature = "cpu"))]
        return Device::remote();
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

/// The device that this thread computes on and creates tensors on.
pub fn default_device() -> Device {
    session::device()
}

/// Sets the device that this thread computes on. Move tensors of other devices to it by
/// [`Tensor::to`](crate::Tensor::to).
pub fn set_default_device(device: Device) {
    if device != default_device() {
        session::begin(device);
    }
}

/// Downcasts memory to the type of one device.
pub(crate) fn own<M: Memory>(memory: &dyn Memory, device: Device) -> Result<&M> {
    (memory as &dyn Any).downcast_ref().ok_or_else(|| device.foreign())
}
