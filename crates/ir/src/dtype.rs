//! Element types, plain numbers, and PyTorch's type promotion.
use half::{bf16, f16};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The type of a tensor's elements, in promotion order within each category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DType {
    Bool,
    U8,
    I8,
    I32,
    U32,
    I64,
    F16,
    BF16,
    F32,
    F64,
}

use DType::*;

/// `bool < int < float`: a higher category always wins a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Bool,
    Int,
    Float,
}

impl DType {
    pub const ALL: [DType; 10] = [Bool, U8, I8, I32, U32, I64, F16, BF16, F32, F64];

    pub fn name(self) -> &'static str {
        ["bool", "u8", "i8", "i32", "u32", "i64", "f16", "bf16", "f32", "f64"][self as usize]
    }

    /// The name PyTorch and NumPy use.
    pub fn torch_name(self) -> &'static str {
        let names = ["bool", "uint8", "int8", "int32", "uint32", "int64"];
        let floats = ["float16", "bfloat16", "float32", "float64"];
        names.iter().chain(&floats).nth(self as usize).expect("every dtype has a name")
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        [1, 1, 1, 4, 4, 8, 2, 2, 4, 8][self as usize]
    }

    pub fn category(self) -> Category {
        match self {
            Bool => Category::Bool,
            U8 | I8 | I32 | U32 | I64 => Category::Int,
            F16 | BF16 | F32 | F64 => Category::Float,
        }
    }

    pub fn is_float(self) -> bool {
        self.category() == Category::Float
    }

    pub fn is_int(self) -> bool {
        self.category() == Category::Int
    }

    /// The floating type that functions such as `exp` compute in: integers become `f32`.
    pub fn to_float(self) -> DType {
        if self.is_float() { self } else { F32 }
    }

    /// The floating type that sums are accumulated in: halves and integers become `f32`.
    pub fn wide(self) -> DType {
        if self == F64 { F64 } else { F32 }
    }

    /// The nearest value of this (floating) type.
    pub fn round(self, x: f64) -> f64 {
        match self {
            F16 => f16::from_f32(to_odd(x)).to_f64(),
            BF16 => bf16::from_f32(to_odd(x)).to_f64(),
            F32 => x as f32 as f64,
            _ => x,
        }
    }

    /// `x` modulo the range of this (integer) type; any non-zero value is `true`.
    pub fn wrap(self, x: i64) -> i64 {
        match self {
            Bool => (x != 0) as i64,
            U8 => x as u8 as i64,
            I8 => x as i8 as i64,
            I32 => x as i32 as i64,
            U32 => x as u32 as i64,
            _ => x,
        }
    }

    /// The smallest and largest value of an integer type.
    pub fn int_range(self) -> (i64, i64) {
        match self {
            Bool => (0, 1),
            U8 => (0, u8::MAX as i64),
            I8 => (i8::MIN as i64, i8::MAX as i64),
            I32 => (i32::MIN as i64, i32::MAX as i64),
            U32 => (0, u32::MAX as i64),
            _ => (i64::MIN, i64::MAX),
        }
    }

    /// The promoted type of two tensors with axes, as in PyTorch's promotion lattice.
    pub fn promote(self, other: DType) -> DType {
        let (low, high) = if self <= other { (self, other) } else { (other, self) };
        match (low, high) {
            (F16, BF16) => F32,
            // Neither 8-bit type holds the other; PyTorch promotes to int16, which Brasa does not
            // have.
            (U8, I8) => I32,
            (I8 | I32, U32) => I64,
            _ => high,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = String;

    /// Reads Brasa's and PyTorch's names, with or without a leading `torch.`.
    fn from_str(text: &str) -> Result<DType, String> {
        let name = match text.strip_prefix("torch.").unwrap_or(text) {
            "float" => "f32",
            "double" => "f64",
            "half" => "f16",
            "long" => "i64",
            "int" => "i32",
            name => name,
        };
        let known = |d: &DType| d.name() == name || d.torch_name() == name;
        DType::ALL.into_iter().find(known).ok_or_else(|| {
            let names = DType::ALL.map(DType::name).join(", ");
            format!("expected one of {names}, got '{text}'")
        })
    }
}

/// A plain number as the user wrote it. Weakly typed: it follows the tensor it meets.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Number {
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Bool(b) => b as i64 as f64,
            Number::Int(i) => i as f64,
            Number::Float(x) => x,
        }
    }

    /// Rounds towards zero and saturates.
    pub fn as_i64(self) -> i64 {
        match self {
            Number::Bool(b) => b as i64,
            Number::Int(i) => i,
            Number::Float(x) => x as i64,
        }
    }

    pub fn category(self) -> Category {
        match self {
            Number::Bool(_) => Category::Bool,
            Number::Int(_) => Category::Int,
            Number::Float(_) => Category::Float,
        }
    }

    /// The dtype of a tensor made from this number.
    pub fn dtype(self) -> DType {
        match self {
            Number::Bool(_) => Bool,
            Number::Int(_) => I64,
            Number::Float(_) => F32,
        }
    }

    /// The same value in the representation of `dtype`'s category.
    pub fn to(self, dtype: DType) -> Number {
        match dtype.category() {
            Category::Bool => Number::Bool(self.as_f64() != 0.0),
            Category::Int => Number::Int(dtype.wrap(self.as_i64())),
            Category::Float => Number::Float(dtype.round(self.as_f64())),
        }
    }

    fn bits(self) -> (u8, u64) {
        match self {
            Number::Bool(b) => (0, b as u64),
            Number::Int(i) => (1, i as u64),
            Number::Float(x) if x.is_nan() => (2, f64::NAN.to_bits()),
            Number::Float(x) => (2, x.to_bits()),
        }
    }
}

/// Equal if of the same variant and the same bits; all NaNs are equal.
impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(b) => write!(f, "{b}"),
            Number::Int(i) => write!(f, "{i}"),
            Number::Float(x) => write!(f, "{x:?}"),
        }
    }
}

macro_rules! number_from {
    ($($from:ty => $variant:ident as $to:ty),*) => {$(
        impl From<$from> for Number {
            fn from(x: $from) -> Number {
                Number::$variant(x as $to)
            }
        }
    )*};
}
number_from!(bool => Bool as bool, i32 => Int as i64, i64 => Int as i64, usize => Int as i64,
    isize => Int as i64, f32 => Float as f64, f64 => Float as f64);

/// An operand of type promotion.
#[derive(Clone, Copy, Debug)]
pub enum Weak {
    Tensor { dtype: DType, rank: usize },
    Number(Number),
}

/// PyTorch's result type: tensors with axes outrank 0-d tensors, and these outrank numbers,
/// unless the weaker one is of a higher category.
pub fn result_type(items: impl IntoIterator<Item = Weak>) -> DType {
    let mut tiers: [Option<DType>; 3] = [None; 3];
    for item in items {
        let (tier, dtype) = match item {
            Weak::Tensor { dtype, rank } => ((rank == 0) as usize, dtype),
            Weak::Number(n) => (2, n.dtype()),
        };
        tiers[tier] = Some(tiers[tier].map_or(dtype, |so_far| so_far.promote(dtype)));
    }
    let stronger = |strong: DType, weak: DType| {
        if weak.category() > strong.category() { weak } else { strong }
    };
    tiers.into_iter().flatten().reduce(stronger).unwrap_or(F32)
}

/// `x` rounded to odd in f32: between two f32 numbers, the one whose last bit is set. Rounding the
/// result to fewer bits then gives the same as rounding `x`, without double rounding.
fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    if near as f64 == x || !near.is_finite() {
        return near;
    }
    let is_above = (near as f64).abs() > x.abs();
    f32::from_bits((near.to_bits() - u32::from(is_above)) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_follows_pytorch() {
        let rows = [
            (F32, I64, F32),
            (F16, BF16, F32),
            (U8, I8, I32),
            (I32, U32, I64),
            (Bool, U8, U8),
            (BF16, F32, F32),
            (I64, F16, F16),
            (F64, F32, F64),
        ];
        for (a, b, want) in rows {
            assert_eq!(a.promote(b), want, "{a} with {b}");
            assert_eq!(b.promote(a), want, "{b} with {a}");
        }
    }

    #[test]
    fn promotion_is_commutative_and_idempotent() {
        for a in DType::ALL {
            assert_eq!(a.promote(a), a);
            for b in DType::ALL {
                assert_eq!(a.promote(b), b.promote(a), "{a} and {b}");
            }
        }
    }

    #[test]
    fn numbers_and_scalars_are_weak() {
        let t = |dtype, rank| Weak::Tensor { dtype, rank };
        let n = |x: f64| Weak::Number(Number::Float(x));
        let i = |x: i64| Weak::Number(Number::Int(x));
        let rows: [(&[Weak], DType); 7] = [
            (&[t(F16, 2), n(2.0)], F16),
            (&[t(I32, 1), n(2.0)], F32),
            (&[t(I32, 1), i(2)], I32),
            (&[t(F32, 1), t(F64, 0)], F32),
            (&[t(I64, 1), t(F16, 0)], F16),
            (&[t(Bool, 1), i(1)], I64),
            (&[t(U8, 1), t(I64, 0), i(3)], U8),
        ];
        for (items, want) in rows {
            assert_eq!(result_type(items.iter().copied()), want, "{items:?}");
        }
    }

    /// Every tie between adjacent numbers, and the f64 numbers next to it, which f32 cannot
    /// represent.
    #[test]
    fn narrow_floats_are_rounded_once() {
        type Widen = fn(u16) -> f64;
        let cases: [(DType, Widen, u16); 2] = [
            (F16, |bits| f16::from_bits(bits).to_f64(), 0x7bff),
            (BF16, |bits| bf16::from_bits(bits).to_f64(), 0x7f7f),
        ];
        for (dtype, of, largest) in cases {
            for bits in 0..largest {
                let (low, high) = (of(bits), of(bits + 1));
                let tie = low + (high - low) / 2.0;
                let even = if bits % 2 == 0 { low } else { high };
                let (below, above) = (tie.next_down(), tie.next_up());
                for (x, want) in [(below, low), (tie, even), (above, high), (high, high)] {
                    assert_eq!(dtype.round(x), want, "{x:e} as {dtype}");
                    assert_eq!(dtype.round(-x), -want, "{x:e} as {dtype}");
                }
            }
            for x in [f64::INFINITY, f64::MAX, 1e300] {
                assert_eq!(dtype.round(x), f64::INFINITY, "{x:e} as {dtype}");
            }
            assert!(dtype.round(f64::NAN).is_nan() && dtype.round(-1e-300).is_sign_negative());
        }
    }

    #[test]
    fn names_round_trip() {
        for d in DType::ALL {
            assert_eq!(d.name().parse(), Ok(d));
            assert_eq!(d.torch_name().parse(), Ok(d));
        }
        assert!("complex64".parse::<DType>().is_err());
    }
}
