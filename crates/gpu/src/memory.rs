//! Tensors on the device. Their bytes are those of the host, in whole words: f16 and bf16 lie two in a
//! word, u8 and i8 four. Two dtypes are another thing there: a bool is a word, and i64 is an i32. Elements
//! that are uploaded, constants and numbers of runs are checked to fit; what is cast from f32 or u32 and
//! does not becomes the nearest that does; sums and products wrap around.
use crate::alarms::ALARM;
use crate::emit::per_word;
use crate::gpu::{Gpu, Trouble};
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
    owner: Arc<Trouble>,
    pub(crate) buffer: wgpu::Buffer,
}

/// A buffer, the byte that a piece of it begins at, and how many it has.
type Piece<'a> = (&'a wgpu::Buffer, u64, usize);

/// Bytes of a word.
pub(crate) const WORD: usize = 4;

/// Bytes that a tensor takes on the device: whole words, as bindings and copies have to be, and at least
/// one.
pub(crate) fn bytes(ty: &Type) -> usize {
    ty.elements().max(1).div_ceil(per_word(ty.dtype)) * WORD
}

impl Buffer {
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The bytes that it takes on the device.
    pub fn bytes(&self) -> usize {
        self.buffer.size() as usize
    }

    /// Whether it lives on this device.
    pub fn is_on(&self, gpu: &Gpu) -> bool {
        Arc::ptr_eq(&self.owner, &gpu.trouble)
    }
}

impl Gpu {
    /// Copies a tensor to the device.
    pub fn upload(&self, array: &Array) -> Result<Buffer> {
        self.upload_bytes(&array.ty, &array.to_bytes())
    }

    /// Copies the bytes of a tensor, as [`Array::to_bytes`] gives them, to the device.
    pub fn upload_bytes(&self, ty: &Type, bytes: &[u8]) -> Result<Buffer> {
        if bytes.len() != ty.bytes() {
            let what = format!("{ty} needs {} bytes, got {}", ty.bytes(), bytes.len());
            return Err(Error::data("upload", what));
        }
        let held = held(ty, bytes)?;
        let buffer = self.storage(&ty.to_string(), self::bytes(ty))?;
        self.write(&buffer, 0, &held);
        self.check(&format!("upload {ty}"))?;
        Ok(Buffer { ty: ty.clone(), owner: self.trouble.clone(), buffer })
    }

    /// Room for a tensor, with zeros in it.
    pub fn room(&self, ty: &Type) -> Result<Buffer> {
        let buffer = self.storage(&ty.to_string(), bytes(ty))?;
        self.check(&format!("allocate {ty}"))?;
        Ok(Buffer { ty: ty.clone(), owner: self.trouble.clone(), buffer })
    }

    /// Writes bytes from byte `at` on; the rest of the last word is zeros.
    pub(crate) fn write(&self, to: &wgpu::Buffer, at: usize, bytes: &[u8]) {
        self.flights.upload(bytes.len());
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

    /// A copy of a tensor, on the device.
    pub fn copy(&self, from: &Buffer) -> Result<Buffer> {
        self.check_own("copy", "tensor", from)?;
        let to = self.room(&from.ty)?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let size = bytes(&from.ty) as u64;
        encoder.copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, 0, size);
        self.queue.submit([encoder.finish()]);
        self.check("copy")?;
        Ok(to)
    }

    /// A tensor's values, when all that was submitted is done; or what went wrong in that.
    pub async fn read(&self, buffer: &Buffer) -> Result<Array> {
        self.check_own("read", "tensor", buffer)?;
        self.read_array(&buffer.buffer, 0, &buffer.ty).await
    }

    /// The bytes of a tensor, as [`Array::to_bytes`] gives them.
    pub async fn read_bytes(&self, buffer: &Buffer) -> Result<Vec<u8>> {
        self.check_own("read", "tensor", buffer)?;
        Ok(told(&buffer.ty, self.read_held(&buffer.buffer, 0, &buffer.ty).await?))
    }

    /// Refuses a tensor of another device.
    pub(crate) fn check_own(&self, doing: &str, name: &str, buffer: &Buffer) -> Result<()> {
        if buffer.is_on(self) {
            return Ok(());
        }
        let error = Error::device(doing, "a tensor lives on another GPU, or on a lost one");
        Err(error.operand(name, &buffer.ty).help("upload it to this one"))
    }

    /// The tensor that begins at byte `at`.
    pub(crate) async fn read_array(
        &self,
        from: &wgpu::Buffer,
        at: usize,
        ty: &Type,
    ) -> Result<Array> {
        to_array(ty, self.read_held(from, at, ty).await?)
    }

    /// The bytes of a tensor as the device holds them.
    async fn read_held(&self, from: &wgpu::Buffer, at: usize, ty: &Type) -> Result<Vec<u8>> {
        let count = if ty.elements() == 0 { 0 } else { bytes(ty) };
        self.read_words(from, at, count).await
    }

    /// A buffer that shaders can read and write.
    pub(crate) fn storage(&self, what: &str, bytes: usize) -> Result<wgpu::Buffer> {
        let most = self.limits().bytes;
        if bytes > most {
            let what = format!("{what} needs {bytes} bytes, the adapter binds at most {most}");
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
        self.making.note(what, bytes, Box::pin(scope.pop()));
        Ok(buffer)
    }

    /// Reads `count` bytes, whole words, from byte `at` on, and reports alarms.
    pub(crate) async fn read_words(
        &self,
        from: &wgpu::Buffer,
        at: usize,
        count: usize,
    ) -> Result<Vec<u8>> {
        let watched = self.take_watched();
        let alarms = watched.iter().map(|alarm| (&alarm.arena, alarm.at, ALARM));
        let pieces: Vec<Piece> = [(from, at as u64, count)].into_iter().chain(alarms).collect();
        match self.fetch(&pieces).await {
            Ok(mut bytes) => {
                let alarms = bytes.split_off(count);
                self.report(&watched, &words(&alarms))?;
                Ok(bytes)
            }
            Err(error) => {
                watched.iter().for_each(|alarm| self.watch(alarm));
                Err(error)
            }
        }
    }

    /// The bytes of some pieces of buffers, one after the other.
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
        let mapped = Later::default();
        let done = mapped.clone();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            done.finish(result.map_err(|e| e.to_string()));
        });
        // In the browser this does nothing, and the page's own loop calls back.
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| Error::device("read", e.to_string()))?;
        self.check("read")?;
        mapped.await.map_err(|e| Error::device("read", e))?;
        let view = staging.get_mapped_range(..);
        let view = view.map_err(|e| Error::device("read", e.to_string()))?;
        Ok(view.to_vec())
    }

    /// Waits for all that was submitted.
    pub(crate) async fn settled(&self) -> Result<()> {
        let settled = Later::default();
        let done = settled.clone();
        self.queue.on_submitted_work_done(move || done.finish(Ok(())));
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        polled.map_err(|e| Error::device("wait", e.to_string()))?;
        self.check("wait")?;
        settled.await.map_err(|e| Error::device("wait", e))
    }
}

/// The outcome of what the device does, once it is there.
#[derive(Clone, Default)]
pub(crate) struct Later(Arc<Mutex<Outcome>>);

#[derive(Default)]
struct Outcome {
    outcome: Option<std::result::Result<(), String>>,
    waker: Option<Waker>,
}

impl Later {
    pub(crate) fn finish(&self, result: std::result::Result<(), String>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.outcome = Some(result);
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl Later {
    pub(crate) fn is_finished(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).outcome.is_some()
    }
}

impl Future for Later {
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

/// A tensor's bytes as the device holds them.
pub(crate) fn held<'a>(ty: &Type, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>> {
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

/// The bytes of a tensor that the device holds so.
fn told(ty: &Type, mut held: Vec<u8>) -> Vec<u8> {
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

/// The tensor that the device holds so.
pub(crate) fn to_array(ty: &Type, held: Vec<u8>) -> Result<Array> {
    Array::from_bytes(ty, &told(ty, held)).map_err(|what| Error::data("read", what))
}

/// Why an i64 cannot be held here.
pub(crate) fn too_wide_error(op: &str, what: &str) -> Error {
    let error = Error::data(op, format!("{what}, beyond 32 bits"));
    error.help("the GPU holds i64 in 32 bits; use the CPU for larger numbers")
}

/// Why a program with such a tensor does not run here.
pub(crate) fn no_f64(ty: &Type) -> Error {
    let error = Error::dtype("gpu", "GPUs have no f64").operand("tensor", ty);
    error.help("cast to f32, or run this on the CPU")
}
