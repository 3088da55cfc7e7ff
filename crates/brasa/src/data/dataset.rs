//! Data sets. A data set returns whole batches: one tensor for each part of an example, such as
//! images and labels.
use super::Rng;
use crate::{DType, Error, Result, Tensor};
use std::sync::Arc;

/// The parts of several examples, each a tensor whose first axis is the batch.
pub type Batch = Vec<Tensor>;

/// A data set.
pub trait Dataset: Send + Sync {
    /// Number of examples.
    fn len(&self) -> usize;

    /// Whether the data set is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The examples with these indices, which are below [`Dataset::len`].
    fn batch(&self, rows: &[usize]) -> Result<Batch>;
}

impl<D: Dataset + ?Sized> Dataset for Arc<D> {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn batch(&self, rows: &[usize]) -> Result<Batch> {
        (**self).batch(rows)
    }
}

/// Examples in memory: row n of each tensor is part of example n.
#[derive(Clone)]
pub struct TensorDataset {
    parts: Vec<Rows>,
    len: usize,
}

#[derive(Clone)]
struct Rows {
    dtype: DType,
    shape: Vec<usize>,
    bytes: Arc<[u8]>,
    row_bytes: usize,
}

impl TensorDataset {
    /// A data set of the rows of these tensors.
    pub fn new(parts: impl IntoIterator<Item = Tensor>) -> Result<TensorDataset> {
        let mut rows = Vec::new();
        let mut len = None;
        for part in parts {
            let Some((&count, shape)) = part.shape().split_first() else {
                return Err(Error::shape("dataset", "a scalar has no rows"));
            };
            let first = *len.get_or_insert(count);
            if first != count {
                let n = rows.len();
                let what = format!("part {n} has {count} rows but part 0 has {first}");
                return Err(Error::shape("dataset", what));
            }
            let (dtype, shape) = (part.dtype(), shape.to_vec());
            let row_bytes = shape.iter().product::<usize>() * dtype.bytes();
            rows.push(Rows { dtype, shape, bytes: part.to_bytes()?.into(), row_bytes });
        }
        Ok(TensorDataset { parts: rows, len: len.unwrap_or(0) })
    }

    /// Keeps only the first `len` examples.
    pub fn take(mut self, len: usize) -> TensorDataset {
        self.len = self.len.min(len);
        self
    }
}

impl Dataset for TensorDataset {
    fn len(&self) -> usize {
        self.len
    }

    fn batch(&self, rows: &[usize]) -> Result<Batch> {
        let gather = |part: &Rows| {
            let mut bytes = Vec::with_capacity(rows.len() * part.row_bytes);
            for &row in rows {
                let start = row * part.row_bytes;
                let Some(row_bytes) = part.bytes.get(start..start + part.row_bytes) else {
                    let what = format!("example {row} is out of range for {} examples", self.len);
                    return Err(Error::argument("dataset", what));
                };
                bytes.extend(row_bytes);
            }
            Tensor::from_bytes(part.dtype, [&[rows.len()], &part.shape[..]].concat(), &bytes)
        };
        self.parts.iter().map(gather).collect()
    }
}

/// Some examples of another data set.
#[derive(Clone)]
pub struct Subset<D> {
    data: D,
    rows: Arc<[usize]>,
}

impl<D: Dataset> Subset<D> {
    /// The examples with these indices, in this order.
    pub fn new(data: D, rows: impl Into<Vec<usize>>) -> Subset<D> {
        Subset { data, rows: rows.into().into() }
    }
}

impl<D: Dataset> Dataset for Subset<D> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn batch(&self, rows: &[usize]) -> Result<Batch> {
        let absent = |row| Error::argument("subset", format!("example {row} is out of range"));
        let inner = rows.iter().map(|&row| self.rows.get(row).copied().ok_or_else(|| absent(row)));
        self.data.batch(&inner.collect::<Result<Vec<usize>>>()?)
    }
}

/// Splits a data set at random into a fraction `part` of the examples (0.9 for nine in ten) and the
/// rest.
pub fn split<D: Dataset>(data: D, part: f64, seed: u64) -> (Subset<Arc<D>>, Subset<Arc<D>>) {
    let mut order: Vec<usize> = (0..data.len()).collect();
    Rng::new(seed).shuffle(&mut order);
    let rest = order.split_off(((order.len() as f64 * part).round() as usize).min(order.len()));
    let data = Arc::new(data);
    (Subset::new(data.clone(), order), Subset::new(data, rest))
}
