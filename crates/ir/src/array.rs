//! Tensors of the reference device: floats are stored as `f64` and integers as `i64`, rounded or
//! wrapped to the dtype after each op.
use crate::dtype::{DType, Number};
use crate::shape::{Shape, Type};
use half::{bf16, f16};

/// A tensor's type and elements, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub ty: Type,
    pub data: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    Float(Vec<f64>),
    Int(Vec<i64>),
}

impl Array {
    /// Elements from `f64`s, rounded to the dtype (integers: towards zero).
    pub fn from_f64(ty: &Type, x: impl IntoIterator<Item = f64>) -> Array {
        let x = x.into_iter();
        let data = if ty.dtype.is_float() {
            Data::Float(x.map(|x| ty.dtype.round(x)).collect())
        } else {
            Data::Int(x.map(|x| ty.dtype.wrap(Number::Float(x).as_i64())).collect())
        };
        Array::checked(ty, data)
    }

    /// Elements from `i64`s, wrapped to the dtype.
    pub fn from_i64(ty: &Type, x: impl IntoIterator<Item = i64>) -> Array {
        let x = x.into_iter();
        let data = if ty.dtype.is_float() {
            Data::Float(x.map(|x| ty.dtype.round(x as f64)).collect())
        } else {
            Data::Int(x.map(|x| ty.dtype.wrap(x)).collect())
        };
        Array::checked(ty, data)
    }

    /// An `f32` tensor.
    pub fn f32(shape: impl Into<Shape>, x: &[f32]) -> Array {
        Array::from_f64(&Type::new(DType::F32, shape), x.iter().map(|&x| x as f64))
    }

    /// A tensor full of one number.
    pub fn full(ty: &Type, value: Number) -> Array {
        let n = ty.elements();
        match value.to(ty.dtype) {
            Number::Float(x) => Array::from_f64(ty, std::iter::repeat_n(x, n)),
            int => Array::from_i64(ty, std::iter::repeat_n(int.as_i64(), n)),
        }
    }

    fn checked(ty: &Type, data: Data) -> Array {
        let array = Array { ty: ty.clone(), data };
        assert_eq!(array.len(), ty.elements(), "internal error: {ty} with the wrong length");
        array
    }

    pub fn shape(&self) -> &Shape {
        &self.ty.shape
    }

    pub fn dtype(&self) -> DType {
        self.ty.dtype
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Float(x) => x.len(),
            Data::Int(x) => x.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `i` as a float.
    pub fn f64(&self, i: usize) -> f64 {
        match &self.data {
            Data::Float(x) => x[i],
            Data::Int(x) => x[i] as f64,
        }
    }

    /// Element `i` as an integer.
    pub fn i64(&self, i: usize) -> i64 {
        match &self.data {
            Data::Float(x) => x[i] as i64,
            Data::Int(x) => x[i],
        }
    }

    pub fn to_f64(&self) -> Vec<f64> {
        (0..self.len()).map(|i| self.f64(i)).collect()
    }

    pub fn to_i64(&self) -> Vec<i64> {
        (0..self.len()).map(|i| self.i64(i)).collect()
    }

    /// A tensor of type `ty` with the elements at the flat indices `from`, and `fill` for `None`.
    pub fn pick(
        &self,
        ty: &Type,
        from: impl Iterator<Item = Option<usize>>,
        fill: Number,
    ) -> Array {
        let data = match &self.data {
            Data::Float(x) => {
                Data::Float(from.map(|i| i.map_or(fill.as_f64(), |i| x[i])).collect())
            }
            Data::Int(x) => Data::Int(from.map(|i| i.map_or(fill.as_i64(), |i| x[i])).collect()),
        };
        Array::checked(ty, data)
    }

    /// The same elements in another shape with the same number of elements.
    pub fn reshaped(&self, shape: &Shape) -> Array {
        Array::checked(&Type::new(self.dtype(), shape.clone()), self.data.clone())
    }

    /// Reads little-endian bytes; an error if their number does not match `ty`.
    pub fn from_bytes(ty: &Type, bytes: &[u8]) -> Result<Array, String> {
        if bytes.len() != ty.bytes() {
            return Err(format!("{ty} needs {} bytes, got {}", ty.bytes(), bytes.len()));
        }
        let words = bytes.chunks_exact(ty.dtype.bytes());
        macro_rules! read {
            ($t:ty, $to:ty) => {
                words.map(|w| <$t>::from_le_bytes(w.try_into().expect("chunk length")) as $to)
            };
        }
        macro_rules! read_half {
            ($t:ty) => {
                words.map(|w| <$t>::from_le_bytes([w[0], w[1]]).to_f64())
            };
        }
        Ok(match ty.dtype {
            DType::Bool | DType::U8 => Array::from_i64(ty, bytes.iter().map(|&b| b as i64)),
            DType::I8 => Array::from_i64(ty, read!(i8, i64)),
            DType::I32 => Array::from_i64(ty, read!(i32, i64)),
            DType::U32 => Array::from_i64(ty, read!(u32, i64)),
            DType::I64 => Array::from_i64(ty, read!(i64, i64)),
            DType::F16 => Array::from_f64(ty, read_half!(f16)),
            DType::BF16 => Array::from_f64(ty, read_half!(bf16)),
            DType::F32 => Array::from_f64(ty, read!(f32, f64)),
            DType::F64 => Array::from_f64(ty, read!(f64, f64)),
        })
    }

    /// Little-endian bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.ty.bytes());
        for i in 0..self.len() {
            match self.dtype() {
                DType::Bool | DType::U8 => bytes.push(self.i64(i) as u8),
                DType::I8 => bytes.extend((self.i64(i) as i8).to_le_bytes()),
                DType::I32 => bytes.extend((self.i64(i) as i32).to_le_bytes()),
                DType::U32 => bytes.extend((self.i64(i) as u32).to_le_bytes()),
                DType::I64 => bytes.extend(self.i64(i).to_le_bytes()),
                DType::F16 => bytes.extend(f16::from_f64(self.f64(i)).to_le_bytes()),
                DType::BF16 => bytes.extend(bf16::from_f64(self.f64(i)).to_le_bytes()),
                DType::F32 => bytes.extend((self.f64(i) as f32).to_le_bytes()),
                DType::F64 => bytes.extend(self.f64(i).to_le_bytes()),
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_for_every_dtype() {
        for dtype in DType::ALL {
            let ty = Type::new(dtype, [3]);
            let array = Array::from_f64(&ty, [0.0, 1.0, if dtype.is_float() { -2.5 } else { 7.0 }]);
            let back = Array::from_bytes(&ty, &array.to_bytes());
            assert_eq!(back.as_ref(), Ok(&array), "{dtype}");
            assert!(Array::from_bytes(&ty, &[0]).is_err(), "{dtype}: too short");
        }
    }
}
