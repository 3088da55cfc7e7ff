//! Conversion to and from arrays of the crate `ndarray`.
use crate::{Element, Error, Result, Tensor};
use ndarray::{Array, ArrayBase, ArrayD, Data, Dimension, IxDyn};

/// A tensor with a copy of the elements, which keep their type; the array may have any strides.
///
/// ```
/// use brasa::{DType, Tensor};
/// let array = ndarray::array![[1.0f64, 2.0], [3.0, 4.0]];
/// let x = Tensor::from(&array.t());
/// assert_eq!(x.dtype(), DType::F64);
/// assert_eq!(x.to_vec::<f64>().unwrap(), [1.0, 3.0, 2.0, 4.0]);
/// ```
impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Tensor {
    fn from(array: &ArrayBase<S, D>) -> Tensor {
        let shape = array.shape().to_vec();
        match array.as_slice() {
            Some(items) => Tensor::from_slice(items, shape),
            None => Tensor::from_vec(array.iter().copied().collect(), shape),
        }
    }
}

/// Like the conversion by reference.
impl<T: Element, D: Dimension> From<Array<T, D>> for Tensor {
    fn from(array: Array<T, D>) -> Tensor {
        Tensor::from(&array)
    }
}

impl Tensor {
    /// The value as an array with elements of type `T`, converted if the tensor has another dtype:
    /// `f16` and `bf16` to `f32`, say.
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let array = ArrayD::from_shape_vec(IxDyn(self.shape()), self.to_vec::<T>()?);
        array.map_err(|error| Error::shape("to_ndarray", error.to_string()))
    }
}

/// The value as an array of known rank: `Array2::<f32>::try_from(&x)?`.
impl<T: Element, D: Dimension> TryFrom<&Tensor> for Array<T, D> {
    type Error = Error;

    fn try_from(x: &Tensor) -> Result<Array<T, D>> {
        let wrong = |error: ndarray::ShapeError| {
            Error::shape("to_ndarray", error.to_string()).operand("tensor", x.ty())
        };
        x.to_ndarray::<T>()?.into_dimensionality::<D>().map_err(wrong)
    }
}
