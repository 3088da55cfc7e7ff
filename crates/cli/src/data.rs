//! Reads input files: errors that name the file, JSON, and the tensors of a safetensors file.
use brasa_ir::{Array, DType, Type};
use safetensors::{Dtype, SafeTensors};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A file is missing or its content is invalid.
#[derive(Clone, Debug)]
pub struct DataError {
    file: PathBuf,
    what: String,
}

impl DataError {
    pub fn new(file: &Path, what: impl Into<String>) -> DataError {
        DataError { file: file.to_path_buf(), what: what.into() }
    }

    /// Adds the invalid part of the file to the message.
    pub fn within(self, place: &str) -> DataError {
        DataError { what: format!("{place}: {}", self.what), ..self }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.what)
    }
}

impl std::error::Error for DataError {}

/// The bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, DataError> {
    std::fs::read(path).map_err(|error| DataError::new(path, error.to_string()))
}

/// A JSON file.
pub fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, DataError> {
    serde_json::from_slice(&read(path)?).map_err(|error| DataError::new(path, error.to_string()))
}

/// The tensors of a safetensors file.
#[derive(Default)]
pub struct Tensors {
    path: PathBuf,
    arrays: HashMap<String, Array>,
}

impl Tensors {
    pub fn open(path: &Path) -> Result<Tensors, DataError> {
        let wrong = |what: String| DataError::new(path, what);
        let bytes = read(path)?;
        let file = SafeTensors::deserialize(&bytes).map_err(|error| wrong(error.to_string()))?;
        let mut arrays = HashMap::new();
        for (name, tensor) in file.iter() {
            let place = |what: String| wrong(format!("tensor '{name}': {what}"));
            let ty = Type::new(dtype(tensor.dtype()).map_err(place)?, tensor.shape());
            let array = Array::from_bytes(&ty, tensor.data()).map_err(place)?;
            arrays.insert(name.to_string(), array);
        }
        Ok(Tensors { path: path.to_path_buf(), arrays })
    }

    pub fn get(&self, name: &str) -> Result<&Array, DataError> {
        let missing = || DataError::new(&self.path, format!("has no tensor '{name}'"));
        self.arrays.get(name).ok_or_else(missing)
    }

    /// The tensors whose names start with `prefix`, with the prefix removed.
    pub fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Array)> {
        let cut = move |(name, array): (&'a String, &'a Array)| {
            name.strip_prefix(prefix).map(|rest| (rest, array))
        };
        self.arrays.iter().filter_map(cut)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn dtype(dtype: Dtype) -> Result<DType, String> {
    Ok(match dtype {
        Dtype::BOOL => DType::Bool,
        Dtype::U8 => DType::U8,
        Dtype::I8 => DType::I8,
        Dtype::I32 => DType::I32,
        Dtype::U32 => DType::U32,
        Dtype::I64 => DType::I64,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::BF16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        other => return Err(format!("dtype {other:?} is not supported")),
    })
}
