//! Data: data sets, loaders that make batches, readers of common file formats, and small data sets
//! that need no file.
//!
//! ```
//! use brasa::Tensor;
//! use brasa::data::{DataLoader, TensorDataset};
//! # fn main() -> brasa::Result<()> {
//! let (x, y) = (Tensor::randn([10, 3]), Tensor::zeros([10]));
//! let data = TensorDataset::new([x, y])?;
//! let mut loader = DataLoader::new(data, 4).shuffle(7);
//! let sizes: Vec<usize> = loader.epoch().map(|batch| Ok(batch?[0].shape()[0]))
//!     .collect::<brasa::Result<_>>()?;
//! assert_eq!(sizes, [4, 4, 2]);
//! # Ok(())
//! # }
//! ```
mod cifar;
mod csv;
mod dataset;
mod digits;
mod idx;
#[cfg(feature = "images")]
mod images;
mod loader;
mod names;
mod rng;
mod spiral;
mod tale;
mod text;

pub use cifar::{Cifar, from_cifar};
pub use csv::{Table, from_csv};
pub use dataset::{Batch, Dataset, Subset, TensorDataset, split};
pub use digits::digits;
pub use idx::{ImageSet, from_idx, read_idx};
#[cfg(feature = "images")]
pub use images::{ImageFolder, read_image};
pub use loader::{Cursor, DataLoader, Epoch};
pub use names::names;
pub use rng::Rng;
pub use spiral::spiral;
pub use tale::tale;
pub use text::{TextWindows, Vocabulary};
