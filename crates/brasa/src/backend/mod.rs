//! Devices: where tensors live and what runs their programs. All else in this crate knows devices by
//! the three traits of this room only. A thread computes on one device, that of
//! [`set_default_device`]; a tensor knows the one it lives on.
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
use brasa_compile::carve;
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

/// Whether runs are checked: never, where that is left out. A constant, so that its code is too.
#[cfg(all(not(feature = "check"), any(feature = "cpu", feature = "gpu")))]
fn is_checked() -> Result<bool> {
    Ok(false)
}

/// A kind of device.
pub(crate) trait Backend: Send + Sync {
    fn name(&self) -> &'static str;

    /// Room for so many bytes, with whatever stood there.
    fn room(&self, bytes: usize) -> Box<dyn Memory>;

    /// Memory with a copy of these bytes.
    fn upload(&self, bytes: &[u8]) -> Box<dyn Memory>;

    /// Runs the writes of a graph on its inputs, which stand in order of their nodes. The program is
    /// kept for the next graph with the same fingerprint.
    fn run(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)]) -> Result<()>;

    /// The writes of a graph as a program of its own.
    fn program(&self, graph: &Graph) -> Result<Box<dyn Program>>;

    /// What gives the value of one node alone, by the number that
    /// [`explain`](crate::Recording::explain) gives it. A device elsewhere has to be told its type.
    fn probe(&self, graph: &Graph, node: usize, _ty: Option<&Type>) -> Result<Probe> {
        let lost = || Error::argument("probe", format!("the step has no node {node}"));
        let carved = carve(graph, node)?.ok_or_else(lost)?;
        let program = self.program(&carved.graph)?;
        let whole = |own: &Id| carved.inputs.iter().find(|(id, _)| id == own).map(|(_, id)| *id);
        let inputs = program.inputs().iter().map(whole).collect();
        Ok(Probe { program, inputs, ty: carved.ty })
    }

    /// The value of one node, for ops whose result's shape depends on data.
    fn value(&self, graph: &Graph, inputs: &[(Id, Arc<Data>)], wanted: Id) -> Result<Array>;
}

/// A program for one value.
pub(crate) struct Probe {
    pub(crate) program: Box<dyn Program>,
    /// The graph's inputs that a run takes, in order; none where the value is to stand.
    pub(crate) inputs: Vec<Option<Id>>,
    pub(crate) ty: Type,
}

/// The memory of a tensor, freed when it is dropped.
pub(crate) trait Memory: Any + Send + Sync {
    /// A copy of its own.
    fn copied(&self) -> Box<dyn Memory>;

    /// Shows the bytes, where they can be had at once.
    fn read(&self, look: &mut dyn FnMut(&[u8])) -> Result<()>;
}

/// A compiled program.
pub(crate) trait Program: Send {
    /// The graph's inputs that a run takes, in order.
    fn inputs(&self) -> &[Id];

    /// Runs on the memory of its inputs; what is written to is in no other run and stands there once.
    fn run(&mut self, inputs: &[&dyn Memory], slots: &[Number]) -> Result<()>;

    /// `run`, with what a clock shows for each launch, where the device can tell.
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

/// Where tensors live and are computed.
#[derive(Clone, Copy)]
pub struct Device(&'static dyn Backend);

impl Device {
    /// The processor, with all of its threads.
    #[cfg(feature = "cpu")]
    pub fn cpu() -> Device {
        Device(&cpu::Cpu)
    }

    /// The graphics processor that the system prefers, or why there is none. After the loss of one
    /// this opens another; what lived on the old one is gone.
    #[cfg(feature = "gpu")]
    pub fn gpu() -> Result<Device> {
        brasa_gpu::Gpu::global()?;
        Ok(Device(&gpu::Graphics))
    }

    /// Plain loops over one node of a graph after the other: what the other devices are compared with.
    /// Hundreds of times slower than these.
    #[cfg(not(target_family = "wasm"))]
    pub fn reference() -> Device {
        Device(&reference::Reference)
    }

    /// An engine elsewhere, such as in a worker of the browser: see [`remote`].
    #[cfg(feature = "remote")]
    pub fn remote() -> Device {
        Device(&remote::Remote)
    }

    pub(crate) fn backend(self) -> &'static dyn Backend {
        self.0
    }

    /// How this device says that memory belongs to another.
    pub(crate) fn foreign(self) -> Error {
        Error::argument("device", format!("a tensor of another device is used on {self}"))
    }
}

/// The processor, or the engine elsewhere where there is no other.
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

/// The device that this thread computes on, and where its new tensors live.
pub fn default_device() -> Device {
    session::device()
}

/// Lets this thread compute on another device from here on. Tensors of other devices are brought there
/// by [`Tensor::to`](crate::Tensor::to).
pub fn set_default_device(device: Device) {
    if device != default_device() {
        session::begin(device);
    }
}

/// Memory as that of one kind of device.
pub(crate) fn own<M: Memory>(memory: &dyn Memory, device: Device) -> Result<&M> {
    (memory as &dyn Any).downcast_ref().ok_or_else(|| device.foreign())
}
