//! Ops whose Rust form differs from their entry in the op table: PyTorch overloads one name, Rust
//! has a function for each form. Also the constructors of `Tensor`.
use crate::args::{Enter, IntoDim, IntoList, Operand};
use crate::session::record;
use crate::{Number, Target, Tensor, flush};
use brasa_ir::{Shape, compose};

/// The arguments of [`arange`](crate::ops::arange): a number to stop at, a range, or a range with a
/// step.
pub trait IntoSteps {
    /// Start, end and step.
    fn into_steps(self) -> [Number; 3];
}

macro_rules! steps {
    ($($ty:ty),*) => {$(
        impl IntoSteps for $ty {
            fn into_steps(self) -> [Number; 3] {
                [Number::Int(0), self.into(), Number::Int(1)]
            }
        }
        impl IntoSteps for std::ops::Range<$ty> {
            fn into_steps(self) -> [Number; 3] {
                [self.start.into(), self.end.into(), Number::Int(1)]
            }
        }
        impl IntoSteps for (std::ops::Range<$ty>, $ty) {
            fn into_steps(self) -> [Number; 3] {
                [self.0.start.into(), self.0.end.into(), self.1.into()]
            }
        }
    )*};
}
steps!(i32, i64, usize, f32, f64);

/// Ops with handwritten Rust signatures.
pub mod functions {
    use super::*;

    /// Numbers from a start (0) up to an end, in steps (of 1): `arange(5)`, `arange(2..5)`,
    /// `arange((0.0..1.0, 0.25))`. Integers unless one of the numbers is a float.
    #[track_caller]
    pub fn arange(steps: impl IntoSteps) -> Tensor {
        let [start, end, step] = steps.into_steps().map(Some);
        record("arange", |s| s.leave(compose::arange(s.g, start, end, step, None)))
    }

    /// [`Tensor::to`].
    #[track_caller]
    pub fn to(input: &Tensor, target: impl Into<Target>) -> Tensor {
        input.to(target)
    }

    /// Draws from the normal distribution with this mean and standard deviation.
    #[track_caller]
    pub fn normal(mean: f64, std: f64, size: impl IntoList<usize>) -> Tensor {
        let size = Some(Shape::from(size.into_list()));
        record("normal", |s| {
            let (mean, std) = (Number::Float(mean).into(), Number::Float(std).into());
            s.leave(compose::normal(s.g, mean, Some(std), size, None))
        })
    }
}

impl Tensor {
    /// The largest element.
    #[track_caller]
    pub fn max(&self) -> Tensor {
        self.settle();
        record("max", |s| s.leave(compose::max(s.g, self.enter(s), None, false))).swap_remove(0)
    }

    /// The smallest element.
    #[track_caller]
    pub fn min(&self) -> Tensor {
        self.settle();
        record("min", |s| s.leave(compose::min(s.g, self.enter(s), None, false))).swap_remove(0)
    }

    /// The largest elements along an axis, and the index of the first occurrence of each.
    #[track_caller]
    pub fn max_dim(&self, dim: isize) -> (Tensor, Tensor) {
        self.settle();
        let along = Some(compose::DimOrTensor::Dim(dim));
        pair(record("max", |s| s.leave(compose::max(s.g, self.enter(s), along, false))))
    }

    /// The smallest elements along an axis, and the index of the first occurrence of each.
    #[track_caller]
    pub fn min_dim(&self, dim: isize) -> (Tensor, Tensor) {
        self.settle();
        let along = Some(compose::DimOrTensor::Dim(dim));
        pair(record("min", |s| s.leave(compose::min(s.g, self.enter(s), along, false))))
    }

    /// The median: of two middle elements the lower.
    #[track_caller]
    pub fn median(&self) -> Tensor {
        self.settle();
        record("median", |s| s.leave(compose::median(s.g, self.enter(s), None, false)))
            .swap_remove(0)
    }

    /// The medians along an axis, and their indices.
    #[track_caller]
    pub fn median_dim(&self, dim: isize) -> (Tensor, Tensor) {
        self.settle();
        pair(record("median", |s| s.leave(compose::median(s.g, self.enter(s), Some(dim), false))))
    }

    /// [`median`](Tensor::median) of the elements that are not NaN.
    #[track_caller]
    pub fn nanmedian(&self) -> Tensor {
        self.settle();
        record("nanmedian", |s| s.leave(compose::nanmedian(s.g, self.enter(s), None, false)))
            .swap_remove(0)
    }

    /// The positions of nonzero elements, one per row. Reads the data.
    #[track_caller]
    pub fn nonzero(&self) -> Tensor {
        self.settle();
        flush();
        record("nonzero", |s| s.leave(compose::nonzero(s.g, &mut s.reader(), self.enter(s), false)))
            .swap_remove(0)
    }

    /// The distinct elements in ascending order. Reads the data.
    #[track_caller]
    pub fn unique(&self) -> Tensor {
        self.unique_with(.., false, false).swap_remove(0)
    }

    /// The distinct elements or, along `dim`, the distinct slices. Optionally also the index of
    /// each element among them (`inverse`) and the number of occurrences of each (`counts`). Reads
    /// the data.
    #[track_caller]
    pub fn unique_with(&self, dim: impl IntoDim, inverse: bool, counts: bool) -> Vec<Tensor> {
        self.settle();
        flush();
        let dim = dim.into_dim();
        record("unique", |s| {
            let (x, mut reader) = (self.enter(s), s.reader());
            s.leave(compose::unique(s.g, &mut reader, x, true, inverse, counts, dim))
        })
    }

    /// The elements without consecutive duplicates. Reads the data.
    #[track_caller]
    pub fn unique_consecutive(&self) -> Tensor {
        self.settle();
        flush();
        record("unique_consecutive", |s| {
            let (x, mut reader) = (self.enter(s), s.reader());
            s.leave(compose::unique_consecutive(s.g, &mut reader, x, false, false, None))
        })
        .swap_remove(0)
    }

    /// A tensor of zeros.
    #[track_caller]
    pub fn zeros(size: impl IntoList<usize>) -> Tensor {
        crate::ops::zeros(size)
    }

    /// A tensor of ones.
    #[track_caller]
    pub fn ones(size: impl IntoList<usize>) -> Tensor {
        crate::ops::ones(size)
    }

    /// A tensor filled with one number.
    #[track_caller]
    pub fn full(size: impl IntoList<usize>, value: impl Into<Operand>) -> Tensor {
        crate::ops::full(size, value)
    }

    /// Draws from the standard normal distribution.
    #[track_caller]
    pub fn randn(size: impl IntoList<usize>) -> Tensor {
        crate::ops::randn(size)
    }

    /// Uniform draws from 0 to 1.
    #[track_caller]
    pub fn rand(size: impl IntoList<usize>) -> Tensor {
        crate::ops::rand(size)
    }

    /// Numbers from a start up to an end: see [`arange`](crate::ops::arange).
    #[track_caller]
    pub fn arange(steps: impl IntoSteps) -> Tensor {
        functions::arange(steps)
    }

    /// The identity matrix.
    #[track_caller]
    pub fn eye(n: usize) -> Tensor {
        crate::ops::eye(n)
    }
}

fn pair(mut both: Vec<Tensor>) -> (Tensor, Tensor) {
    let second = both.pop().unwrap_or_else(|| Tensor::new(0.0));
    let first = both.pop().unwrap_or_else(|| second.clone());
    (first, second)
}
