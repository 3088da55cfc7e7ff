//! Element types in three forms: stored in memory, held in registers, and accumulated.
use crate::scratch;
use brasa_ir::DType;
use half::{bf16, f16};
use std::ops::{BitXor, Not};

/// An element type as stored in memory.
pub(super) trait Stored: Copy + Send + Sync + 'static {
    /// The type in registers: it holds every element, and results before rounding.
    type Wide: Wide;
    /// The accumulator type of long sums.
    type Sum: Accumulator;
    /// Whether `Wide` is wider than `Self`.
    const IS_NARROW: bool;

    fn widen(self) -> Self::Wide;
    fn sum(self) -> Self::Sum;
    /// Rounds or wraps a sum to a value of this type.
    fn round(sum: Self::Sum) -> Self::Wide;
    /// Rounds or wraps a register value to a value of this type.
    fn round_wide(wide: Self::Wide) -> Self::Wide;
}

/// A stored bool.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct StoredBool(u8);

macro_rules! stored {
    ($($ty:ty as $wide:ty, sum $sum:ty, narrow $narrow:literal:
        $widen:expr, $round:expr, $round_wide:expr;)*) => {
        $(impl Stored for $ty {
            type Wide = $wide;
            type Sum = $sum;
            const IS_NARROW: bool = $narrow;

            #[inline(always)]
            fn widen(self) -> $wide {
                ($widen)(self)
            }
            #[inline(always)]
            fn sum(self) -> $sum {
                ($widen)(self) as $sum
            }
            #[inline(always)]
            fn round(sum: $sum) -> $wide {
                ($round)(sum)
            }
            #[inline(always)]
            fn round_wide(wide: $wide) -> $wide {
                ($round_wide)(wide)
            }
        })*
    };
}

stored! {
    f32 as f32, sum f64, narrow false: |x: f32| x, |s: f64| s as f32, |w: f32| w;
    f64 as f64, sum f64, narrow false: |x: f64| x, |s: f64| s, |w: f64| w;
    f16 as f32, sum f64, narrow true:
        f16::to_f32, |s: f64| DType::F16.round(s) as f32, |w: f32| f16::from_f32(w).to_f32();
    bf16 as f32, sum f64, narrow true:
        bf16::to_f32, |s: f64| DType::BF16.round(s) as f32, |w: f32| bf16::from_f32(w).to_f32();
    StoredBool as i32, sum i64, narrow true:
        |x: StoredBool| i32::from(x.0), |s: i64| i32::from(s != 0), |w: i32| i32::from(w != 0);
    u8 as i32, sum i64, narrow true:
        |x: u8| i32::from(x), |s: i64| i32::from(s as u8), |w: i32| i32::from(w as u8);
    i8 as i32, sum i64, narrow true:
        |x: i8| i32::from(x), |s: i64| i32::from(s as i8), |w: i32| i32::from(w as i8);
    i32 as i32, sum i64, narrow false: |x: i32| x, |s: i64| s as i32, |w: i32| w;
    u32 as i64, sum i64, narrow true:
        |x: u32| i64::from(x), |s: i64| i64::from(s as u32), |w: i64| i64::from(w as u32);
    i64 as i64, sum i64, narrow false: |x: i64| x, |s: i64| s, |w: i64| w;
}

/// Arithmetic with the semantics of the op table: integers wrap, maximum and minimum propagate NaN.
pub(super) trait Accumulator:
    scratch::Pod + Send + Sync + Default + PartialOrd + 'static
{
    /// The identity of addition; it keeps even the sign of a zero.
    const ADD_IDENTITY: Self;
    const LOWEST: Self;
    const HIGHEST: Self;

    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;

    #[inline(always)]
    fn is_nan(self) -> bool {
        #[expect(clippy::eq_op, reason = "NaN alone differs from itself")]
        {
            self != self
        }
    }
    #[inline(always)]
    fn nan_max(self, other: Self) -> Self {
        if other > self || other.is_nan() { other } else { self }
    }
    #[inline(always)]
    fn nan_min(self, other: Self) -> Self {
        if other < self || other.is_nan() { other } else { self }
    }
}

/// An element type in registers.
pub(super) trait Wide: Accumulator {
    type Key: Key;

    /// An integer that is ordered like the elements: zeros are equal, and NaN gets the key `nan`.
    fn key(self, nan: Self::Key) -> Self::Key;
}

/// An unsigned sort key of an element.
pub(super) trait Key:
    scratch::Pod + Ord + BitXor<Output = Self> + Not<Output = Self> + Send + Sync + 'static
{
    const HIGHEST: Self;
    type Packed: Packed<Key = Self>;
}

/// A key and a position in one integer. All are distinct, so that any sort of them is stable.
pub(super) trait Packed: scratch::Pod + Ord + Send + Sync + 'static {
    type Key;
    const HIGHEST: Self;
    /// Bytes of the key.
    const DIGITS: usize;

    fn new(key: Self::Key, position: usize) -> Self;
    fn key(self) -> Self::Key;
    fn position(self) -> i64;
    /// Byte `n` of the key, least significant first.
    fn digit(self, n: usize) -> usize;
}

macro_rules! floats {
    ($($ty:ident $bits:ident $sign:expr;)*) => {
        $(impl Accumulator for $ty {
            const ADD_IDENTITY: $ty = -0.0;
            const LOWEST: $ty = $ty::NEG_INFINITY;
            const HIGHEST: $ty = $ty::INFINITY;

            #[inline(always)]
            fn plus(self, other: $ty) -> $ty {
                self + other
            }
            #[inline(always)]
            fn times(self, other: $ty) -> $ty {
                self * other
            }
        }
        impl Wide for $ty {
            type Key = $bits;

            #[inline(always)]
            fn key(self, nan: $bits) -> $bits {
                // Adding 0 turns −0 into 0.
                let bits = (self + 0.0).to_bits();
                let key = if bits & $sign != 0 { !bits } else { bits | $sign };
                if self.is_nan() { nan } else { key }
            }
        })*
    };
}
floats! {
    f32 u32 1 << 31;
    f64 u64 1 << 63;
}

macro_rules! integers {
    ($($ty:ident $bits:ident;)*) => {
        $(impl Accumulator for $ty {
            const ADD_IDENTITY: $ty = 0;
            const LOWEST: $ty = $ty::MIN;
            const HIGHEST: $ty = $ty::MAX;

            #[inline(always)]
            fn plus(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: $ty) -> $ty {
                self.wrapping_mul(other)
            }
        }
        impl Wide for $ty {
            type Key = $bits;

            #[inline(always)]
            fn key(self, _: $bits) -> $bits {
                self as $bits ^ $ty::MIN as $bits
            }
        })*
    };
}
integers! {
    i32 u32;
    i64 u64;
}

macro_rules! packed {
    ($($key:ident in $packed:ident;)*) => {
        $(impl Key for $key {
            const HIGHEST: $key = $key::MAX;
            type Packed = $packed;
        }
        impl Packed for $packed {
            type Key = $key;
            const HIGHEST: $packed = $packed::MAX;
            const DIGITS: usize = size_of::<$key>();

            #[inline(always)]
            fn new(key: $key, position: usize) -> $packed {
                $packed::from(key) << $key::BITS | position as $packed
            }
            #[inline(always)]
            fn key(self) -> $key {
                (self >> $key::BITS) as $key
            }
            #[inline(always)]
            fn position(self) -> i64 {
                i64::from(self as u32)
            }
            #[inline(always)]
            fn digit(self, n: usize) -> usize {
                (self >> ($key::BITS as usize + 8 * n)) as u8 as usize
            }
        })*
    };
}
packed! {
    u32 in u64;
    u64 in u128;
}
