//! Files: formats for tensors, and checkpoints that survive a crash.
//!
//! ```
//! use brasa::io::{Safetensors, from_npy, to_npy};
//! use brasa::nn::{Linear, Module};
//! # fn main() -> brasa::Result<()> {
//! let (model, other) = (Linear::new(3, 2), Linear::new(3, 2));
//! let bytes = Safetensors::new(model.state_dict()).to_bytes()?;
//! other.load_state_dict(&Safetensors::from_bytes(&bytes)?.tensors)?;
//! assert_eq!(other.weight.to_vec::<f32>()?, model.weight.to_vec::<f32>()?);
//! assert_eq!(from_npy(&to_npy(&model.weight)?)?.shape(), [2, 3]);
//! # Ok(())
//! # }
//! ```
mod atomic;
mod checkpoint;
mod lock;
mod npy;
mod npz;
mod safetensors;

#[cfg(feature = "train")]
pub(crate) use atomic::folder_of;
pub(crate) use atomic::{inflate, is_gzip};
pub use atomic::{read, read_unpacked, write};
pub use checkpoint::{Checkpoint, Checkpoints, Progress, checksum};
pub use lock::{FolderLock, LOCK_FILE};
pub use npy::{from_npy, to_npy};
pub use npz::{from_npz, to_npz};
pub use safetensors::Safetensors;

use crate::Error;
use std::fmt::Display;
use std::path::Path;

/// An error that names the file.
pub(crate) fn file_error(path: &Path, what: impl Display) -> Error {
    Error::data(&path.display().to_string(), what.to_string())
}
