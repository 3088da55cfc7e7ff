//! Conversion of slices, vectors and nested arrays to and from tensors.
use crate::storage::Data;
use crate::{Error, Result, Tensor, default_device};
use brasa_ir::{Array, DType, Number, Type};

/// A Rust type that is the element type of a tensor.
pub trait Element: Copy + 'static {
    /// The corresponding dtype.
    const DTYPE: DType;
    /// The dtype of a PyTorch literal of this type.
    const LITERAL: DType;
    /// Appends the element's bytes.
    fn write(self, bytes: &mut Vec<u8>);
    /// Reads an element from its bytes.
    fn read(bytes: &[u8]) -> Self;
    /// The nearest element to a number.
    fn from_number(number: Number) -> Self;
    /// The element as a number.
    fn number(self) -> Number;
}

macro_rules! elements {
    ($($ty:ty = $dtype:ident, $literal:ident, $number:ident, $from:ident;)*) => {$(
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
            const LITERAL: DType = DType::$literal;
            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> $ty {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(bytes);
                <$ty>::from_le_bytes(own)
            }
            fn from_number(number: Number) -> $ty {
                number.$from() as $ty
            }
            fn number(self) -> Number {
                Number::$number(self.into())
            }
        }
    )*};
}
elements! {
    f32 = F32, F32, Float, as_f64;
    f64 = F64, F32, Float, as_f64;
    i64 = I64, I64, Int, as_i64;
    i32 = I32, I64, Int, as_i64;
    u32 = U32, I64, Int, as_i64;
    u8 = U8, U8, Int, as_i64;
    i8 = I8, I8, Int, as_i64;
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    const LITERAL: DType = DType::Bool;
    fn write(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }
    fn read(bytes: &[u8]) -> bool {
        bytes[0] != 0
    }
    fn from_number(number: Number) -> bool {
        number.as_f64() != 0.0
    }
    fn number(self) -> Number {
        Number::Bool(self)
    }
}

/// Nested arrays, vectors and plain numbers from which a tensor can be made.
pub trait Nested {
    /// The type of the numbers inside.
    type Item: Element;
    /// The shape, or a description of two parts whose shapes differ.
    fn shape(&self) -> Result<Vec<usize>, String>;
    /// Appends the numbers, row by row.
    fn collect(&self, into: &mut Vec<Self::Item>);
}

macro_rules! scalars_nest {
    ($($ty:ty),*) => {$(
        impl Nested for $ty {
            type Item = $ty;
            fn shape(&self) -> Result<Vec<usize>, String> {
                Ok(Vec::new())
            }
            fn collect(&self, into: &mut Vec<$ty>) {
                into.push(*self);
            }
        }
    )*};
}
scalars_nest!(f32, f64, i64, i32, u32, u8, i8, bool);

impl<T: Nested> Nested for [T] {
    type Item = T::Item;
    fn shape(&self) -> Result<Vec<usize>, String> {
        let mut shapes = self.iter().map(T::shape);
        let first = shapes.next().transpose()?.unwrap_or_default();
        for (n, shape) in shapes.enumerate() {
            let shape = shape?;
            if shape != first {
                return Err(format!("part 0 has shape {first:?} but part {} has {shape:?}", n + 1));
            }
        }
        Ok([&[self.len()], &first[..]].concat())
    }
    fn collect(&self, into: &mut Vec<T::Item>) {
        self.iter().for_each(|part| part.collect(into));
    }
}

impl<T: Nested, const N: usize> Nested for [T; N] {
    type Item = T::Item;
    fn shape(&self) -> Result<Vec<usize>, String> {
        self[..].shape()
    }
    fn collect(&self, into: &mut Vec<T::Item>) {
        self[..].collect(into);
    }
}

impl<T: Nested> Nested for Vec<T> {
    type Item = T::Item;
    fn shape(&self) -> Result<Vec<usize>, String> {
        self[..].shape()
    }
    fn collect(&self, into: &mut Vec<T::Item>) {
        self[..].collect(into);
    }
}

impl<T: Nested + ?Sized> Nested for &T {
    type Item = T::Item;
    fn shape(&self) -> Result<Vec<usize>, String> {
        (*self).shape()
    }
    fn collect(&self, into: &mut Vec<T::Item>) {
        (*self).collect(into);
    }
}

fn bytes_of<T: Element>(items: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(items.len() * T::DTYPE.bytes());
    items.iter().for_each(|item| item.write(&mut bytes));
    bytes
}

fn upload(ty: Type, bytes: &[u8]) -> Tensor {
    Tensor::from_data(Data::from_bytes(default_device(), ty, bytes))
}

impl Tensor {
    /// A tensor from nested arrays, with PyTorch's default dtypes: floats become `f32` and integers
    /// `i64`. [`Tensor::from_slice`] keeps the type of its elements.
    ///
    /// ```
    /// use brasa::{DType, Tensor};
    /// let x = Tensor::new([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!((x.shape(), x.dtype()), (&[2, 2][..], DType::F32));
    /// assert_eq!(Tensor::new(vec![1, 2]).dtype(), DType::I64);
    /// ```
    #[track_caller]
    pub fn new<N: Nested>(data: N) -> Tensor {
        let shape = match data.shape() {
            Ok(shape) => shape,
            Err(what) => {
                let error = Error::shape("tensor", what).at(here());
                crate::session::reject(&error);
                return Tensor::faulty(error);
            }
        };
        let mut items = Vec::with_capacity(shape.iter().product());
        data.collect(&mut items);
        let ty = Type::new(N::Item::LITERAL, shape);
        if N::Item::LITERAL == N::Item::DTYPE {
            return upload(ty, &bytes_of(&items));
        }
        let mut bytes = Vec::with_capacity(ty.bytes());
        for item in items {
            match ty.dtype {
                DType::F32 => f32::from_number(item.number()).write(&mut bytes),
                _ => i64::from_number(item.number()).write(&mut bytes),
            }
        }
        upload(ty, &bytes)
    }

    /// A tensor from elements in row-major order.
    #[track_caller]
    pub fn from_slice<T: Element>(items: &[T], shape: impl crate::IntoList<usize>) -> Tensor {
        let ty = Type::new(T::DTYPE, shape.into_list());
        if ty.elements() != items.len() {
            let what =
                format!("{} elements do not fill a tensor of shape {}", items.len(), ty.shape);
            let error = Error::shape("from_slice", what).at(here());
            crate::session::reject(&error);
            return Tensor::faulty(error);
        }
        upload(ty, &bytes_of(items))
    }

    /// A tensor from elements in row-major order.
    #[track_caller]
    pub fn from_vec<T: Element>(items: Vec<T>, shape: impl crate::IntoList<usize>) -> Tensor {
        Tensor::from_slice(&items, shape)
    }

    /// A tensor from the little-endian bytes of its elements.
    pub fn from_bytes(
        dtype: DType,
        shape: impl crate::IntoList<usize>,
        bytes: &[u8],
    ) -> Result<Tensor> {
        let ty = Type::new(dtype, shape.into_list());
        if ty.bytes() != bytes.len() {
            let what = format!("{ty} needs {} bytes, got {}", ty.bytes(), bytes.len());
            return Err(Error::data("from_bytes", what));
        }
        if !ty.shape.is_addressable() {
            return Err(Error::data("from_bytes", format!("a tensor {ty} is too large")));
        }
        // Kernels require that a bool is 0 or 1; files may contain any byte.
        if dtype == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
            let bytes: Vec<u8> = bytes.iter().map(|&byte| u8::from(byte != 0)).collect();
            return Ok(upload(ty, &bytes));
        }
        Ok(upload(ty, bytes))
    }

    /// The little-endian bytes of its elements.
    #[track_caller]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.data_for_caller()?.read(<[u8]>::to_vec)
    }

    /// The elements in row-major order, as numbers of type `T`.
    ///
    /// Fails if the tensor has no value: after a mistake inside [`catch`](crate::catch), or if the
    /// data were bad, such as an index out of range. While a compiled function is recorded, it also
    /// fails for values that change from run to run.
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let data = self.data_for_caller()?;
        if self.dtype() == T::DTYPE {
            let width = T::DTYPE.bytes();
            return data.read(|bytes| bytes.chunks_exact(width).map(T::read).collect());
        }
        let array = data.array()?;
        let number = |i: usize| match array.dtype().is_float() {
            true => Number::Float(array.f64(i)),
            false => Number::Int(array.i64(i)),
        };
        Ok((0..array.len()).map(|i| T::from_number(number(i))).collect())
    }

    /// The only element.
    #[track_caller]
    pub fn item<T: Element>(&self) -> Result<T> {
        let all = self.to_vec::<T>()?;
        match all[..] {
            [one] => Ok(one),
            _ => {
                let what = format!("expected a tensor of one element, got {}", all.len());
                Err(Error::shape("item", what).operand("tensor", self.ty()))
            }
        }
    }

    /// The value; an error carries the caller's line.
    #[track_caller]
    fn data_for_caller(&self) -> Result<std::sync::Arc<Data>> {
        let asked_at = here();
        self.data().map_err(|error| error.at(asked_at))
    }

    /// The value as an array of the reference device.
    pub(crate) fn to_array(&self) -> Result<Array> {
        self.data()?.array()
    }
}

#[track_caller]
fn here() -> brasa_ir::Site {
    brasa_ir::Site::Rust(std::panic::Location::caller())
}

impl From<f32> for Tensor {
    fn from(x: f32) -> Tensor {
        Tensor::new(x)
    }
}

impl<T: Element + Nested<Item = T>> From<&[T]> for Tensor {
    fn from(items: &[T]) -> Tensor {
        Tensor::from_slice(items, items.len())
    }
}

impl<T: Element + Nested<Item = T>> From<Vec<T>> for Tensor {
    fn from(items: Vec<T>) -> Tensor {
        let len = items.len();
        Tensor::from_vec(items, len)
    }
}
