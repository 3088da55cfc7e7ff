//! Memory of tensors: buffers that are computed, and a small store of freed ones, since fresh pages
//! cost more than most kernels that fill them.
use brasa_cpu::Buffer;
use brasa_ir::Type;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// A computed tensor. Its bytes are changed in place only while nobody else holds it.
pub(crate) struct Data {
    pub(crate) ty: Type,
    buffer: Mutex<Buffer>,
}

/// Locks, whatever a panic of another thread has left.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Data {
    /// Room for a tensor, with whatever stood there.
    pub(crate) fn room(ty: Type) -> Arc<Data> {
        let buffer = Mutex::new(FREED.take(ty.bytes()));
        Arc::new(Data { ty, buffer })
    }

    pub(crate) fn from_bytes(ty: Type, bytes: &[u8]) -> Arc<Data> {
        let mut buffer = FREED.take(bytes.len());
        buffer.bytes_mut().copy_from_slice(bytes);
        Arc::new(Data { ty, buffer: Mutex::new(buffer) })
    }

    /// A copy of its own.
    pub(crate) fn copied(&self) -> Arc<Data> {
        Data::from_bytes(self.ty.clone(), lock(&self.buffer).bytes())
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&[u8]) -> T) -> T {
        look(lock(&self.buffer).bytes())
    }

    /// Takes the buffer for a run, which hands it back by [`Data::put`].
    pub(crate) fn take(&self) -> Buffer {
        std::mem::replace(&mut lock(&self.buffer), Buffer::new(0))
    }

    pub(crate) fn put(&self, buffer: Buffer) {
        *lock(&self.buffer) = buffer;
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        let buffer = self.buffer.get_mut().unwrap_or_else(PoisonError::into_inner);
        FREED.give(std::mem::replace(buffer, Buffer::new(0)));
    }
}

/// Buffers that nobody uses, by their bytes.
struct Freed(LazyLock<Mutex<Shelves>>);

#[derive(Default)]
struct Shelves {
    by_bytes: HashMap<usize, Vec<Buffer>>,
    bytes: usize,
}

static FREED: Freed = Freed(LazyLock::new(Mutex::default));

/// The most that is kept for later.
const KEPT_BYTES: usize = 256 << 20;
/// Smaller buffers are not worth the search.
const SMALLEST: usize = 4096;

impl Freed {
    fn take(&self, bytes: usize) -> Buffer {
        if bytes < SMALLEST {
            return Buffer::new(bytes);
        }
        let mut shelves = lock(&self.0);
        match shelves.by_bytes.get_mut(&bytes).and_then(Vec::pop) {
            Some(buffer) => {
                shelves.bytes -= bytes;
                buffer
            }
            None => Buffer::new(bytes),
        }
    }

    fn give(&self, buffer: Buffer) {
        let bytes = buffer.bytes().len();
        if bytes < SMALLEST {
            return;
        }
        let mut shelves = lock(&self.0);
        if shelves.bytes + bytes <= KEPT_BYTES {
            shelves.bytes += bytes;
            shelves.by_bytes.entry(bytes).or_default().push(buffer);
        }
    }
}
