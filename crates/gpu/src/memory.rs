//! Tensors on the device. Every element takes one 32-bit word: floats of 16 bits are held as f32
//! rounded to their type, small integers and bools as 32-bit integers, and i64 as i32.
use crate::alarms::ALARM;
use crate::gpu::Gpu;
use brasa_ir::{Array, DType, Error, Result, Type};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// A tensor on the device.
#[derive(Clone)]
pub struct Buffer {
    pub(crate) ty: Type,
    device: wgpu::Device,
    pub(crate) buffer: wgpu::Buffer,
}

/// Bytes of an element.
pub(crate) const WORD: usize = 4;

/// Bytes that a tensor takes on the device. Bindings cannot be empty.
pub(crate) fn bytes(ty: &Type) -> usize {
    ty.elements().max(1) * WORD
}

impl Buffer {
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Whether it lives on this device.
    pub fn is_on(&self, gpu: &Gpu) -> bool {
        self.device == gpu.device
    }
}

impl Gpu {
    /// Copies a tensor to the device.
    pub fn upload(&self, array: &Array) -> Result<Buffer> {
        let words = words(array)?;
        let buffer = self.storage("tensor", bytes(&array.ty))?;
        self.queue.write_buffer(&buffer, 0, &to_bytes(&words));
        self.check("upload")?;
        Ok(Buffer { ty: array.ty.clone(), device: self.device.clone(), buffer })
    }

    /// Room for a tensor, with zeros in it.
    pub fn room(&self, ty: &Type) -> Result<Buffer> {
        let buffer = self.storage("tensor", bytes(ty))?;
        self.check("allocate")?;
        Ok(Buffer { ty: ty.clone(), device: self.device.clone(), buffer })
    }

    /// A copy of a tensor, on the device.
    pub fn copy(&self, from: &Buffer) -> Result<Buffer> {
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
        let words = self.read_words(&buffer.buffer, 0, buffer.ty.elements()).await?;
        Ok(array(&buffer.ty, &words))
    }

    /// A buffer that shaders can read and write.
    pub(crate) fn storage(&self, label: &str, bytes: usize) -> Result<wgpu::Buffer> {
        let most = self.limits().bytes;
        if bytes > most {
            let what = format!("{label} needs {bytes} bytes, the adapter binds at most {most}");
            return Err(Error::device("gpu", what).help("use smaller batches, or the CPU"));
        }
        Ok(self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.next_multiple_of(WORD).max(WORD) as u64,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }))
    }

    /// Reads `count` words from the `first` on.
    pub(crate) async fn read_words(
        &self,
        from: &wgpu::Buffer,
        first: usize,
        count: usize,
    ) -> Result<Vec<u32>> {
        let watched = self.take_watched();
        let (own, alarms) = ((count * WORD) as u64, (watched.len() * ALARM) as u64);
        let size = own + alarms;
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
        if own > 0 {
            encoder.copy_buffer_to_buffer(from, (first * WORD) as u64, &staging, 0, own);
        }
        for (n, alarm) in watched.iter().enumerate() {
            let to = own + (n * ALARM) as u64;
            encoder.copy_buffer_to_buffer(&alarm.arena, alarm.at, &staging, to, ALARM as u64);
        }
        self.queue.submit([encoder.finish()]);
        let mapped = Mapped::default();
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
        let mut words = from_bytes(&view);
        self.report(&watched, &words.split_off(count))?;
        Ok(words)
    }
}

/// The outcome of a mapping, once it is there.
#[derive(Clone, Default)]
struct Mapped(Arc<Mutex<Mapping>>);

#[derive(Default)]
struct Mapping {
    outcome: Option<std::result::Result<(), String>>,
    waker: Option<Waker>,
}

impl Mapped {
    fn finish(&self, result: std::result::Result<(), String>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.outcome = Some(result);
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }
}

impl Future for Mapped {
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

fn from_bytes(bytes: &[u8]) -> Vec<u32> {
    let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
    bytes.chunks_exact(WORD).map(word).collect()
}

/// A tensor's elements as the device holds them.
pub(crate) fn words(array: &Array) -> Result<Vec<u32>> {
    let dtype = array.dtype();
    let word = |i: usize| match dtype {
        DType::F64 => Err(no_f64(&array.ty)),
        DType::F16 | DType::BF16 | DType::F32 => Ok((array.f64(i) as f32).to_bits()),
        DType::I64 => match i32::try_from(array.i64(i)) {
            Ok(x) => Ok(x as u32),
            Err(_) => {
                let what = format!("element {i} is {}, beyond 32 bits", array.i64(i));
                let error = Error::data("upload", what).operand("tensor", &array.ty);
                Err(error.help("the GPU holds i64 in 32 bits; use the CPU for larger numbers"))
            }
        },
        _ => Ok(array.i64(i) as u32),
    };
    (0..array.len()).map(word).collect()
}

/// The tensor that some words are.
pub(crate) fn array(ty: &Type, words: &[u32]) -> Array {
    match ty.dtype {
        dtype if dtype.is_float() => {
            Array::from_f64(ty, words.iter().map(|&w| f32::from_bits(w) as f64))
        }
        DType::U32 => Array::from_i64(ty, words.iter().map(|&w| w as i64)),
        _ => Array::from_i64(ty, words.iter().map(|&w| w as i32 as i64)),
    }
}

/// Why a program with such a tensor does not run here.
pub(crate) fn no_f64(ty: &Type) -> Error {
    let error = Error::dtype("gpu", "GPUs have no f64").operand("tensor", ty);
    error.help("cast to f32, or run this on the CPU")
}
