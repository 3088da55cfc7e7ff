//! idx: the files of MNIST and of the sets made in its image, packed by gzip or not.
use super::TensorDataset;
use crate::io::{read, unpacked, wrong};
use crate::{DType, Error, Result, Tensor};
use std::path::{Path, PathBuf};

/// Images and labels of a set in the form of MNIST.
#[derive(Clone)]
pub struct ImageSet {
    /// `[n, height, width]`, from 0 to 255.
    pub images: Tensor,
    /// `[n]`
    pub labels: Tensor,
}

impl ImageSet {
    /// Reads `train-…` or `t10k-…` from a folder, with or without `.gz`.
    pub fn read(folder: impl AsRef<Path>, part: &str) -> Result<ImageSet> {
        let folder = folder.as_ref();
        let file = |kind: &str| {
            let plain = folder.join(format!("{part}-{kind}-ubyte"));
            let packed = PathBuf::from(format!("{}.gz", plain.display()));
            if !plain.exists() && packed.exists() { packed } else { plain }
        };
        let (images_path, labels_path) = (file("images-idx3"), file("labels-idx1"));
        let (images, labels) = (read_idx(&images_path)?, read_idx(&labels_path)?);
        if images.rank() != 3 || images.dtype() != DType::U8 {
            let what = format!("holds no images: its shape is {:?}", images.shape());
            return Err(wrong(&images_path, what));
        }
        if labels.shape() != &images.shape()[..1] || labels.dtype() != DType::U8 {
            let (labels, images) = (labels.shape(), images.shape()[0]);
            return Err(wrong(&labels_path, format!("labels {labels:?} for {images} images")));
        }
        Ok(ImageSet { images, labels })
    }

    /// The set as examples of an image and its label.
    pub fn examples(&self) -> Result<TensorDataset> {
        TensorDataset::new([self.images.clone(), self.labels.to(DType::I64)])
    }
}

/// Reads an idx file, packed by gzip or not.
pub fn read_idx(path: impl AsRef<Path>) -> Result<Tensor> {
    let bytes = read(&path)?;
    parse(&bytes).map_err(|what| wrong(path.as_ref(), what))
}

/// The tensor in the bytes of an idx file, packed by gzip or not.
pub fn from_idx(bytes: &[u8]) -> Result<Tensor> {
    parse(bytes).map_err(|what| Error::data("idx", what))
}

fn parse(bytes: &[u8]) -> Result<Tensor, String> {
    parse_plain(&unpacked(bytes.into())?)
}

fn parse_plain(bytes: &[u8]) -> Result<Tensor, String> {
    let cut = || "the header is cut off".to_string();
    let (head, mut rest) = bytes.split_at_checked(4).ok_or_else(cut)?;
    let (dtype, width) = match head {
        [0, 0, 0x08, _] => (DType::U8, 1),
        [0, 0, 0x09, _] => (DType::I8, 1),
        [0, 0, 0x0c, _] => (DType::I32, 4),
        [0, 0, 0x0d, _] => (DType::F32, 4),
        [0, 0, 0x0e, _] => (DType::F64, 8),
        _ => return Err("does not begin as an idx file".to_string()),
    };
    let mut shape = Vec::new();
    for _ in 0..head[3] {
        let (len, after) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
        shape.push(u32::from_be_bytes(*len) as usize);
        rest = after;
    }
    let needed = shape.iter().try_fold(width, |all: usize, &len| all.checked_mul(len));
    if needed != Some(rest.len()) {
        let needed = needed.map_or("too many".to_string(), |bytes| bytes.to_string());
        return Err(format!("shape {shape:?} needs {needed} bytes, got {}", rest.len()));
    }
    let mut data = rest.to_vec();
    data.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    Tensor::from_bytes(dtype, shape, &data).map_err(|error| error.to_string())
}
