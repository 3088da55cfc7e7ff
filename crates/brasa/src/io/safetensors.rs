//! safetensors: named tensors with metadata in one file.
use super::{file_error, read, write};
use crate::nn::StateDict;
use crate::{DType, Error, Result, Tensor};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The content of a safetensors file.
#[derive(Clone, Default)]
pub struct Safetensors {
    /// The tensors by name.
    pub tensors: StateDict,
    /// Text metadata by key.
    pub metadata: BTreeMap<String, String>,
}

impl Safetensors {
    /// Tensors without metadata.
    pub fn new(tensors: StateDict) -> Safetensors {
        Safetensors { tensors, metadata: BTreeMap::new() }
    }

    /// Adds an entry of metadata.
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Safetensors {
        self.metadata.insert(key.to_string(), value.into());
        self
    }

    /// Reads a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Safetensors> {
        let bytes = read(&path)?;
        parse(&bytes).map_err(|what| file_error(path.as_ref(), what))
    }

    /// Writes a file atomically.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        write(path, &self.to_bytes()?)
    }

    /// Decodes a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Safetensors> {
        parse(bytes).map_err(|what| Error::data("safetensors", what))
    }

    /// Encodes a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let bytes = self.tensors.iter().map(|(name, x)| Ok((name, x, x.to_bytes()?)));
        let bytes = bytes.collect::<Result<Vec<_>>>()?;
        let failed = |error| Error::data("safetensors", format!("{error}"));
        let views = bytes.iter().map(|(name, x, bytes)| {
            Ok((name.as_str(), TensorView::new(stored(x.dtype()), x.shape().to_vec(), bytes)?))
        });
        let views = views.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let metadata: HashMap<String, String> = self.metadata.clone().into_iter().collect();
        let metadata = (!metadata.is_empty()).then_some(metadata);
        safetensors::serialize(views, metadata).map_err(failed)
    }
}

fn parse(bytes: &[u8]) -> Result<Safetensors, String> {
    let not_one = |error| format!("not a valid safetensors file: {error}");
    let file = SafeTensors::deserialize(bytes).map_err(not_one)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(not_one)?;
    let metadata = header.metadata().clone().unwrap_or_default().into_iter().collect();
    let mut tensors = StateDict::new();
    for (name, view) in file.iter() {
        let place = |what: String| format!("tensor '{name}': {what}");
        tensors.insert(name.to_string(), tensor(&view).map_err(place)?);
    }
    Ok(Safetensors { tensors, metadata })
}

fn tensor(view: &TensorView) -> Result<Tensor, String> {
    let data = view.data();
    let (dtype, bytes) = match view.dtype() {
        Dtype::BOOL => (DType::Bool, None),
        Dtype::U8 => (DType::U8, None),
        Dtype::I8 => (DType::I8, None),
        Dtype::I32 => (DType::I32, None),
        Dtype::U32 => (DType::U32, None),
        Dtype::I64 => (DType::I64, None),
        Dtype::F16 => (DType::F16, None),
        Dtype::BF16 => (DType::BF16, None),
        Dtype::F32 => (DType::F32, None),
        Dtype::F64 => (DType::F64, None),
        Dtype::I16 => (DType::I32, Some(super::npy::widen_i16(data))),
        Dtype::U16 => (DType::U32, Some(super::npy::widen_u16(data))),
        Dtype::U64 => (DType::I64, Some(super::npy::narrow_u64(data)?)),
        other => return Err(format!("dtype {other:?} is not supported")),
    };
    let bytes = bytes.as_deref().unwrap_or(data);
    Tensor::from_bytes(dtype, view.shape(), bytes).map_err(|error| error.to_string())
}

fn stored(dtype: DType) -> Dtype {
    match dtype {
        DType::Bool => Dtype::BOOL,
        DType::U8 => Dtype::U8,
        DType::I8 => Dtype::I8,
        DType::I32 => Dtype::I32,
        DType::U32 => Dtype::U32,
        DType::I64 => Dtype::I64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
    }
}
