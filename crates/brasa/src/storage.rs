//! The memory of computed tensors, on any device.
use crate::backend::{Device, Memory};
use crate::{Error, Result};
use brasa_ir::{Array, Type};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A computed tensor. Its bytes are changed in place only while there is a single owner.
pub(crate) struct Data {
    pub(crate) ty: Type,
    device: Device,
    memory: Box<dyn Memory>,
}

/// Locks a mutex, ignoring poisoning by a panic of another thread.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Data {
    pub(crate) fn new(device: Device, ty: Type, memory: Box<dyn Memory>) -> Arc<Data> {
        Arc::new(Data { ty, device, memory })
    }

    /// Allocates uninitialized memory for a tensor.
    pub(crate) fn allocate(device: Device, ty: Type) -> Arc<Data> {
        let memory = device.backend().allocate(ty.bytes());
        Data::new(device, ty, memory)
    }

    pub(crate) fn from_bytes(device: Device, ty: Type, bytes: &[u8]) -> Arc<Data> {
        let memory = device.backend().upload(bytes);
        Data::new(device, ty, memory)
    }

    /// A copy in new memory.
    pub(crate) fn copied(&self) -> Arc<Data> {
        Data::new(self.device, self.ty.clone(), self.memory.copied())
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let (mut look, mut seen) = (Some(look), None);
        self.memory.read(&mut |bytes| seen = look.take().map(|look| look(bytes)))?;
        seen.ok_or_else(|| Error::data("read", "the device returned no data"))
    }

    /// The value as an array of the reference device.
    pub(crate) fn array(&self) -> Result<Array> {
        let array = self.read(|bytes| Array::from_bytes(&self.ty, bytes))?;
        array.map_err(|what| Error::data("read", what))
    }
}
