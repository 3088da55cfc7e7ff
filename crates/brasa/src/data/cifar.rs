//! CIFAR: small color images in the binary format, one record after the other.
use super::TensorDataset;
use crate::{DType, Error, Result, Tensor};

/// The two data sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cifar {
    /// Ten classes.
    Ten,
    /// A hundred classes in twenty superclasses; the fine labels are read.
    Hundred,
}

const PIXELS: usize = 3 * 32 * 32;

/// Images `[n, 3, 32, 32]`, from 0 to 255, and labels `[n]`, from the bytes of a file.
pub fn from_cifar(bytes: &[u8], kind: Cifar) -> Result<TensorDataset> {
    let labels_per = if kind == Cifar::Ten { 1 } else { 2 };
    let record = labels_per + PIXELS;
    if bytes.is_empty() || !bytes.len().is_multiple_of(record) {
        let what = format!("{} bytes are not a multiple of the record size {record}", bytes.len());
        return Err(Error::data("cifar", what));
    }
    let n = bytes.len() / record;
    let mut images = Vec::with_capacity(n * PIXELS);
    let mut labels = Vec::with_capacity(n);
    for record in bytes.chunks_exact(record) {
        labels.push(i64::from(record[labels_per - 1]));
        images.extend(&record[labels_per..]);
    }
    let images = Tensor::from_bytes(DType::U8, [n, 3, 32, 32], &images)?;
    TensorDataset::new([images, Tensor::from_vec(labels, n)])
}
