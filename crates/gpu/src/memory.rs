//! Tensors on the device. The layout is that of the host, in whole words: a word holds two f16 or
//! bf16, or four u8 or i8. Two dtypes differ: a bool takes a word, and an i64 is stored as i32.
//! Uploads, constants and slots are checked to fit into 32 bits; casts from f32 or u32 to i64
//! saturate; sums and products wrap around.
use crate::bounds_flags::FLAG_BYTES;
use crate::emit::per_word;
use crate::gpu::{DeviceErrors, Gpu};
use brasa_ir::{Array, DType, Error, Result, Type};
use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// A tensor on the device.
#[derive(Clone)]
pub struct Buffer {
    pub(crate) ty: Type,
    owner: Arc<DeviceErrors>,
    pub(crate) buffer: wgpu::Buffer,
}

/// A range of a buffer: byte offset and number of bytes.
type Piece<'a> = (&'a wgpu::Buffer, u64, usize);

/// Bytes of a word.
pub(crate) const WORD: usize = 4;

/// Bytes that a tensor takes on the device: whole words, as bindings and copies require, and at
/// least one word.
pub(crate) fn bytes(ty: &Type) -> usize {
    ty.elements().max(1).div_ceil(per_word(ty.dtype)) * WORD
}

impl Buffer {
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The number of bytes that it takes on the device.
    pub fn bytes(&self) -> usize {
        self.buffer.size() as usize
    }

    /// Whether it belongs to this device.
    pub fn is_on(&self, gpu: &Gpu) -> bool {
        Arc::ptr_eq(&self.owner, &gpu.errors)
    }
}

impl Gpu {
    /// Copies a tensor to the device.
    pub fn upload(&self, array: &Array) -> Result<Buffer> {
        self.upload_bytes(&array.ty, &array.to_bytes())
    }

    /// Copies the bytes of a tensor, in the format of [`Array::to_bytes`], to the device.
    pub fn upload_bytes(&self, ty: &Type, bytes: &[u8]) -> Result<Buffer> {
        if bytes.len() != ty.bytes() {
            let what = format!("{ty} needs {} bytes, got {}", ty.bytes(), bytes.len());
            return Err(Error::data("upload", what));
        }
        let held = to_device_bytes(ty, bytes)?;
        let buffer = self.storage(&ty.to_string(), self::bytes(ty))?;
        self.write(&buffer, 0, &held);
        self.check(&format!("upload {ty}"))?;
        Ok(Buffer { ty: ty.clone(), owner: self.errors.clone(), buffer })
    }

    /// Allocates a tensor of zeros.
    pub fn allocate(&self, ty: &Type) -> Result<Buffer> {
        let buffer = self.storage(&ty.to_string(), bytes(ty))?;
        self.check(&format!("allocate {ty}"))?;
        Ok(Buffer { ty: ty.clone(), owner: self.errors.clone(), buffer })
    }

    /// Writes bytes at byte offset `at`; the rest of the last word becomes zero.
    pub(crate) fn write(&self, to: &wgpu::Buffer, at: usize, bytes: &[u8]) {
        self.in_flight.count_upload(bytes.len());
        let (words, rest) = bytes.split_at(bytes.len() / WORD * WORD);
        if !words.is_empty() {
            self.queue.write_buffer(to, at as u64, words);
        }
        if !rest.is_empty() {
            let mut last = [0; WORD];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(to, (at + words.len()) as u64, &last);
        }
    }

    /// Copies a tensor on the device.
    pub fn copy(&self, from: &Buffer) -> Result<Buffer> {
        self.check_own("copy", "tensor", from)?;
        let to = self.allocate(&from.ty)?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let size = bytes(&from.ty) as u64;
        encoder.copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, 0, size);
        self.queue.submit([encoder.finish()]);
        self.check("copy")?;
        Ok(to)
    }

    /// Waits for all submitted work and returns a tensor's values, or the first error of that
    /// work.
    pub async fn read(&self, buffer: &Buffer) -> Result<Array> {
        self.check_own("read", "tensor", buffer)?;
        self.read_array(&buffer.buffer, 0, &buffer.ty).await
    }

    /// The bytes of a tensor, as [`Array::to_bytes`] gives them.
    pub async fn read_bytes(&self, buffer: &Buffer) -> Result<Vec<u8>> {
        self.check_own("read", "tensor", buffer)?;
        Ok(to_host_bytes(&buffer.ty, self.read_device_bytes(&buffer.buffer, 0, &buffer.ty).await?))
    }

    /// Fails if a tensor belongs to another device.
    pub(crate) fn check_own(&self, doing: &str, name: &str, buffer: &Buffer) -> Result<()> {
        if buffer.is_on(self) {
            return Ok(());
        }
        let error =
            Error::device(doing, "the tensor belongs to another GPU device, or to a lost one");
        Err(error.operand(name, &buffer.ty).help("upload it to this device"))
    }

    /// Reads the tensor at byte offset `at`.
    pub(crate) async fn read_array(
        &self,
        from: &wgpu::Buffer,
        at: usize,
        ty: &Type,
    ) -> Result<Array> {
        to_array(ty, self.read_device_bytes(from, at, ty).await?)
    }

    /// Reads the bytes of a tensor in the device's layout.
    async fn read_device_bytes(
        &self,
        from: &wgpu::Buffer,
        at: usize,
        ty: &Type,
    ) -> Result<Vec<u8>> {
        let count = if ty.elements() == 0 { 0 } else { bytes(ty) };
        self.read_words(from, at, count).await
    }

    /// Allocates a buffer that shaders can read and write.
    pub(crate) fn storage(&self, what: &str, bytes: usize) -> Result<wgpu::Buffer> {
        let most = self.limits().bytes;
        if bytes > most {
            let what = format!("{what} needs {bytes} bytes, but the adapter binds at most {most}");
            return Err(Error::device("gpu", what).help("use smaller batches, or the CPU"));
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: bytes.next_multiple_of(WORD).max(WORD) as u64,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.pending_allocations.push(what, bytes, Box::pin(scope.pop()));
        Ok(buffer)
    }

    /// Reads `count` bytes (whole words) at byte offset `at`, and reports raised bounds flags.
    pub(crate) async fn read_words(
        &self,
        from: &wgpu::Buffer,
        at: usize,
        count: usize,
    ) -> Result<Vec<u8>> {
        let watched = self.take_watched_flags();
        let flags = watched.iter().map(|flag| (&flag.arena, flag.at, FLAG_BYTES));
        let pieces: Vec<Piece> = [(from, at as u64, count)].into_iter().chain(flags).collect();
        match self.fetch(&pieces).await {
            Ok(mut bytes) => {
                let flags = bytes.split_off(count);
                self.report_flags(&watched, &words(&flags))?;
                Ok(bytes)
            }
            Err(error) => {
                watched.iter().for_each(|flag| self.watch_flag(flag));
                Err(error)
            }
        }
    }

    /// Reads ranges of buffers, concatenated.
    async fn fetch(&self, pieces: &[Piece<'_>]) -> Result<Vec<u8>> {
        let size = pieces.iter().map(|(_, _, bytes)| *bytes as u64).sum();
        if size == 0 {
            return Ok(Vec::new());
        }
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("read-back"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut to = 0;
        for &(from, at, bytes) in pieces.iter().filter(|(_, _, bytes)| *bytes > 0) {
            encoder.copy_buffer_to_buffer(from, at, &staging, to, bytes as u64);
            to += bytes as u64;
        }
        self.queue.submit([encoder.finish()]);
        let mapped = Completion::default();
        let done = mapped.clone();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            done.finish(result.map_err(|e| e.to_string()));
        });
        // In the browser this is a no-op: the event loop calls back.
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| Error::device("read", e.to_string()))?;
        self.check("read")?;
        mapped.await.map_err(|e| Error::device("read", e))?;
        let view = staging.get_mapped_range(..);
        let view = view.map_err(|e| Error::device("read", e.to_string()))?;
        Ok(view.to_vec())
    }

    /// Waits until all submitted work is done.
    pub(crate) async fn wait_idle(&self) -> Result<()> {
        let settled = Completion::default();
        let done = settled.clone();
        self.queue.on_submitted_work_done(move || done.finish(Ok(())));
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| Error::device("wait", e.to_string()))?;
        self.check("wait")?;
        settled.await.map_err(|e| Error::device("wait", e))
    }
}

/// A future that a callback of the device completes.
#[derive(Clone, Default)]
pub(crate) struct Completion(Arc<Mutex<Outcome>>);

#[derive(Default)]
struct Outcome {
    outcome: Option<std::result::Result<(), String>>,
    waker: Option<Waker>,
}

impl Completion {
    pub(crate) fn finish(&self, result: std::result::Result<(), String>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.outcome = Some(result);
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl Completion {
    pub(crate) fn is_finished(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).outcome.is_some()
    }
}

impl Future for Completion {
    type Output = std::result::Result<(), String>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.outcome.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

pub(crate) fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
    bytes.chunks_exact(WORD).map(word).collect()
}

/// Converts a tensor's bytes from the host's layout to the device's.
pub(crate) fn to_device_bytes<'a>(ty: &Type, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
    match ty.dtype {
        DType::F64 => Err(no_f64(ty)),
        DType::I64 => {
            let mut held = Vec::with_capacity(bytes.len() / 2);
            for (i, x) in bytes.as_chunks().0.iter().enumerate() {
                let x = i64::from_le_bytes(*x);
                let x = i32::try_from(x).map_err(|_| {
                    too_wide_error("upload", &format!("element {i} is {x}")).operand("tensor", ty)
                })?;
                held.extend(x.to_le_bytes());
            }
            Ok(Cow::Owned(held))
        }
        DType::Bool => {
            let word = |&byte: &u8| ((byte != 0) as u32).to_le_bytes();
            Ok(Cow::Owned(bytes.iter().flat_map(word).collect()))
        }
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// Converts a tensor's bytes from the device's layout to the host's.
fn to_host_bytes(ty: &Type, mut held: Vec<u8>) -> Vec<u8> {
    let words = held.as_chunks().0.iter();
    match ty.dtype {
        DType::I64 => words.flat_map(|x| (i32::from_le_bytes(*x) as i64).to_le_bytes()).collect(),
        DType::Bool => words.map(|x| (u32::from_le_bytes(*x) != 0) as u8).collect(),
        _ => {
            held.truncate(ty.bytes());
            held
        }
    }
}

/// A tensor from its bytes in the device's layout.
pub(crate) fn to_array(ty: &Type, held: Vec<u8>) -> Result<Array> {
    Array::from_bytes(ty, &to_host_bytes(ty, held)).map_err(|what| Error::data("read", what))
}

/// The error for an i64 that does not fit into 32 bits.
pub(crate) fn too_wide_error(op: &str, what: &str) -> Error {
    let error = Error::data(op, format!("{what}, which does not fit into 32 bits"));
    error.help("the GPU stores i64 in 32 bits; use the CPU for larger numbers")
}

/// The error for a program with an f64 tensor.
pub(crate) fn no_f64(ty: &Type) -> Error {
    let error = Error::dtype("gpu", "GPUs do not support f64").operand("tensor", ty);
    error.help("cast to f32, or run this on the CPU")
}
