//! idx: the file format of MNIST and similar data sets, gzipped or not.
use super::TensorDataset;
use crate::io::{file_error, inflate, is_gzip, read};
use crate::{DType, Error, Result, Tensor};
use flate2::read::GzDecoder;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Images and labels of a data set in the format of MNIST.
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
            let what = format!("not an image file: the shape is {:?}", images.shape());
            return Err(file_error(&images_path, what));
        }
        if labels.shape() != &images.shape()[..1] || labels.dtype() != DType::U8 {
            let (labels, images) = (labels.shape(), images.shape()[0]);
            return Err(file_error(&labels_path, format!("labels {labels:?} for {images} images")));
        }
        Ok(ImageSet { images, labels })
    }

    /// The data set of images and labels.
    pub fn examples(&self) -> Result<TensorDataset> {
        TensorDataset::new([self.images.clone(), self.labels.to(DType::I64)])
    }
}

/// Reads an idx file, gzipped or not.
pub fn read_idx(path: impl AsRef<Path>) -> Result<Tensor> {
    let bytes = read(&path)?;
    parse(&bytes).map_err(|what| file_error(path.as_ref(), what))
}

/// Decodes an idx file, gzipped or not.
pub fn from_idx(bytes: &[u8]) -> Result<Tensor> {
    parse(bytes).map_err(|what| Error::data("idx", what))
}

fn parse(bytes: &[u8]) -> Result<Tensor, String> {
    if !is_gzip(bytes) {
        let mut rest = bytes;
        let header = Header::read(&mut rest)?;
        return header.tensor(rest.to_vec());
    }
    // The header determines the decompressed size.
    let mut rest = GzDecoder::new(bytes);
    let header = Header::read(&mut rest)?;
    let data = inflate(rest, bytes.len(), header.len()?)?;
    header.tensor(data)
}

/// The header of a file.
struct Header {
    dtype: DType,
    shape: Vec<usize>,
}

impl Header {
    fn read(from: &mut impl Read) -> Result<Header, String> {
        let mut next = || {
            let mut bytes = [0; 4];
            let read = from.read_exact(&mut bytes);
            read.map(|()| bytes).map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => "the header is truncated".to_string(),
                _ => format!("cannot be decompressed: {error}"),
            })
        };
        let head = next()?;
        let dtype = match head {
            [0, 0, 0x08, _] => DType::U8,
            [0, 0, 0x09, _] => DType::I8,
            [0, 0, 0x0c, _] => DType::I32,
            [0, 0, 0x0d, _] => DType::F32,
            [0, 0, 0x0e, _] => DType::F64,
            _ => return Err("not an idx file".to_string()),
        };
        let lens = (0..head[3]).map(|_| next().map(|len| u32::from_be_bytes(len) as usize));
        Ok(Header { dtype, shape: lens.collect::<Result<_, _>>()? })
    }

    /// Number of data bytes after the header.
    fn len(&self) -> Result<usize, String> {
        let width = self.dtype.bytes();
        let len = self.shape.iter().try_fold(width, |all: usize, &len| all.checked_mul(len));
        len.ok_or_else(|| format!("shape {:?} needs too many bytes", self.shape))
    }

    fn tensor(self, mut data: Vec<u8>) -> Result<Tensor, String> {
        let (Header { dtype, shape }, needed) = (&self, self.len()?);
        if needed != data.len() {
            // At most one excess byte was decompressed.
            let is_more = data.len() > needed;
            let got = if is_more { "more".to_string() } else { data.len().to_string() };
            return Err(format!("shape {shape:?} needs {needed} bytes, got {got}"));
        }
        data.chunks_exact_mut(dtype.bytes()).for_each(<[u8]>::reverse);
        Tensor::from_bytes(*dtype, self.shape, &data).map_err(|error| error.to_string())
    }
}
