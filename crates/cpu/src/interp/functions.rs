//! The vector form of each scalar function, by the class of its operands. Functions missing here
//! are evaluated element by element by `eval` of the op table.
use super::class::Class;
use super::vector::{Operand, TileFn, TileKernel, for_level, map};
use crate::level::Level;
use crate::vmath::{Binary, Unary};
use brasa_ir::DType;
use brasa_ir::ops::Scalar;
use half::{bf16, f16};
use std::marker::PhantomData;

/// The vector math function of one f32 that takes more than a few instructions.
pub(crate) fn unary(scalar: Scalar, class: Class) -> Option<Unary> {
    let is_simple = matches!(scalar, Scalar::Sqrt | Scalar::Rsqrt | Scalar::Reciprocal);
    Unary::of(scalar).filter(|_| class == Class::F32 && !is_simple)
}

/// The vector math function of two f32 that takes more than a few instructions.
pub(crate) fn binary(scalar: Scalar, class: Class) -> Option<Binary> {
    Binary::of(scalar).filter(|_| class == Class::F32)
}

/// The tile function of a scalar function, by the class of its (last) operand and the dtype of its
/// result. `forms`: whether each argument has an element per lane.
pub(crate) fn function(
    scalar: Scalar,
    class: Class,
    dtype: DType,
    level: Level,
    forms: [bool; 3],
) -> Option<TileFn> {
    if scalar == Scalar::Select {
        return match class.bytes() {
            4 => map!(level, forms, |c: i32, a: u32, b: u32| -> u32 { if c != 0 { a } else { b } }),
            _ => map!(level, forms, |c: i32, a: u64, b: u64| -> u64 { if c != 0 { a } else { b } }),
        };
    }
    if (scalar, class) == (Scalar::Div, Class::F32)
        && forms[..2] == [true, false]
        && can_fuse(level)
    {
        return Some(for_level::<DivideRows>(level));
    }
    match class {
        Class::F32 => f32s(scalar, level, forms),
        Class::F64 => f64s(scalar, level, forms),
        Class::I32 => i32s(scalar, dtype, level, forms),
        Class::I64 => i64s(scalar, dtype, level, forms),
    }
}

macro_rules! floats {
    ($name:ident, $t:ty) => {
        fn $name(scalar: Scalar, l: Level, f: [bool; 3]) -> Option<TileFn> {
            match scalar {
                Scalar::Add => map!(l, f, |a: $t, b: $t| -> $t { a + b }),
                Scalar::Sub => map!(l, f, |a: $t, b: $t| -> $t { a - b }),
                Scalar::Mul => map!(l, f, |a: $t, b: $t| -> $t { a * b }),
                Scalar::Div => map!(l, f, |a: $t, b: $t| -> $t { a / b }),
                Scalar::Maximum => {
                    map!(l, f, |a: $t, b: $t| -> $t { if a.is_nan() | (a > b) { a } else { b } })
                }
                Scalar::Minimum => {
                    map!(l, f, |a: $t, b: $t| -> $t { if a.is_nan() | (a < b) { a } else { b } })
                }
                Scalar::Neg => map!(l, f, |a: $t| -> $t { -a }),
                Scalar::Abs => map!(l, f, |a: $t| -> $t { a.abs() }),
                Scalar::Reciprocal => map!(l, f, |a: $t| -> $t { 1.0 / a }),
                Scalar::Sqrt => map!(l, f, |a: $t| -> $t { a.sqrt() }),
                Scalar::Rsqrt => map!(l, f, |a: $t| -> $t { 1.0 / a.sqrt() }),
                Scalar::Relu => map!(l, f, |a: $t| -> $t { if a <= 0.0 { 0.0 } else { a } }),
                Scalar::Floor => map!(l, f, |a: $t| -> $t { a.floor() }),
                Scalar::Ceil => map!(l, f, |a: $t| -> $t { a.ceil() }),
                Scalar::Trunc => map!(l, f, |a: $t| -> $t { a.trunc() }),
                Scalar::Round => map!(l, f, |a: $t| -> $t { a.round_ties_even() }),
                Scalar::Eq => map!(l, f, |a: $t, b: $t| -> i32 { (a == b) as i32 }),
                Scalar::Ne => map!(l, f, |a: $t, b: $t| -> i32 { (a != b) as i32 }),
                Scalar::Lt => map!(l, f, |a: $t, b: $t| -> i32 { (a < b) as i32 }),
                Scalar::Le => map!(l, f, |a: $t, b: $t| -> i32 { (a <= b) as i32 }),
                Scalar::Gt => map!(l, f, |a: $t, b: $t| -> i32 { (a > b) as i32 }),
                Scalar::Ge => map!(l, f, |a: $t, b: $t| -> i32 { (a >= b) as i32 }),
                _ => None,
            }
        }
    };
}
floats!(f32s, f32);
floats!(f64s, f64);

macro_rules! ints {
    ($name:ident, $t:ty, $dtype:pat) => {
        fn $name(scalar: Scalar, dtype: DType, l: Level, f: [bool; 3]) -> Option<TileFn> {
            match (scalar, dtype) {
                // Narrower types are wrapped by `eval`.
                (Scalar::Add, $dtype) => map!(l, f, |a: $t, b: $t| -> $t { a.wrapping_add(b) }),
                (Scalar::Sub, $dtype) => map!(l, f, |a: $t, b: $t| -> $t { a.wrapping_sub(b) }),
                (Scalar::Mul, $dtype) => map!(l, f, |a: $t, b: $t| -> $t { a.wrapping_mul(b) }),
                (Scalar::Neg, $dtype) => map!(l, f, |a: $t| -> $t { a.wrapping_neg() }),
                (Scalar::Maximum, _) => map!(l, f, |a: $t, b: $t| -> $t { a.max(b) }),
                (Scalar::Minimum, _) => map!(l, f, |a: $t, b: $t| -> $t { a.min(b) }),
                (Scalar::BitwiseAnd, _) => map!(l, f, |a: $t, b: $t| -> $t { a & b }),
                (Scalar::BitwiseOr, _) => map!(l, f, |a: $t, b: $t| -> $t { a | b }),
                (Scalar::BitwiseXor, _) => map!(l, f, |a: $t, b: $t| -> $t { a ^ b }),
                (Scalar::BitwiseNot, DType::Bool) => map!(l, f, |a: $t| -> $t { a ^ 1 }),
                (Scalar::BitwiseNot, $dtype) => map!(l, f, |a: $t| -> $t { !a }),
                (Scalar::Eq, _) => map!(l, f, |a: $t, b: $t| -> i32 { (a == b) as i32 }),
                (Scalar::Ne, _) => map!(l, f, |a: $t, b: $t| -> i32 { (a != b) as i32 }),
                (Scalar::Lt, _) => map!(l, f, |a: $t, b: $t| -> i32 { (a < b) as i32 }),
                (Scalar::Le, _) => map!(l, f, |a: $t, b: $t| -> i32 { (a <= b) as i32 }),
                (Scalar::Gt, _) => map!(l, f, |a: $t, b: $t| -> i32 { (a > b) as i32 }),
                (Scalar::Ge, _) => map!(l, f, |a: $t, b: $t| -> i32 { (a >= b) as i32 }),
                _ => None,
            }
        }
    };
}
ints!(i32s, i32, DType::I32);
ints!(i64s, i64, DType::I64);

/// A fused multiply-add, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FusedMulAdd {
    /// `a · b + c`
    MulAdd,
    /// `a · b − c`
    MulSub,
    /// `c − a · b`
    NegMulAdd,
}

/// Whether the level has fused multiply-add.
pub(crate) fn can_fuse(level: Level) -> bool {
    level != Level::Baseline || cfg!(target_arch = "aarch64")
}

/// Divides rows of f32 by one number each: multiplies by the reciprocal and adds a correction from
/// the remainder, which gives the correctly rounded quotient. A division takes 16 cycles per
/// AVX-512 vector.
struct DivideRows;

impl TileKernel for DivideRows {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for n in 0..rows {
            let (to, x) = (to.row::<f32>(n), args[0].row::<f32>(n));
            // SAFETY: by the contract of `TileKernel::run`: `lanes` elements and one divisor in
            // each row.
            unsafe {
                let by = *args[1].row::<f32>(n);
                if !(1e-30..1e30).contains(&by.abs()) {
                    (0..lanes).for_each(|i| *to.add(i) = *x.add(i) / by);
                    continue;
                }
                let reciprocal = 1.0 / by;
                for i in 0..lanes {
                    let x = *x.add(i);
                    let guess = x * reciprocal;
                    let quotient = guess.mul_add(-by, x).mul_add(reciprocal, guess);
                    // No correction for infinities, overflow and zero, whose sign the correction
                    // would lose.
                    let is_exact = quotient.is_nan() || guess == 0.0;
                    *to.add(i) = if is_exact { guess } else { quotient };
                }
            }
        }
    }
}

/// The fused multiply-add function, if the level has the instruction.
pub(crate) fn fused(form: FusedMulAdd, level: Level, f: [bool; 3]) -> Option<TileFn> {
    if !can_fuse(level) {
        return None;
    }
    match form {
        FusedMulAdd::MulAdd => map!(level, f, |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, c) }),
        FusedMulAdd::MulSub => map!(level, f, |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, -c) }),
        FusedMulAdd::NegMulAdd => {
            map!(level, f, |a: f32, b: f32, c: f32| -> f32 { (-a).mul_add(b, c) })
        }
    }
}

/// Casts that a Rust `as` cast or a rounding helper expresses.
pub(crate) fn cast(from: Class, to: DType, l: Level) -> Option<TileFn> {
    let f = [true; 3];
    match (from, to) {
        (Class::F32, DType::F32) => map!(l, f, |x: f32| -> f32 { x }),
        (Class::F32, DType::F64) => map!(l, f, |x: f32| -> f64 { x as f64 }),
        (Class::F32, DType::F16) => map!(l, f, |x: f32| -> f32 { f16::from_f32(x).to_f32() }),
        (Class::F32, DType::BF16) => map!(l, f, |x: f32| -> f32 { bf16::from_f32(x).to_f32() }),
        (Class::F32, DType::I32) => map!(l, f, |x: f32| -> i32 { x as i64 as i32 }),
        (Class::F32, DType::I64) => map!(l, f, |x: f32| -> i64 { x as i64 }),
        (Class::F32, DType::Bool) => map!(l, f, |x: f32| -> i32 { (x != 0.0) as i32 }),
        (Class::F64, DType::F64) => map!(l, f, |x: f64| -> f64 { x }),
        (Class::F64, DType::F32) => map!(l, f, |x: f64| -> f32 { x as f32 }),
        (Class::I32, DType::F32) => map!(l, f, |x: i32| -> f32 { x as f32 }),
        (Class::I32, DType::F64) => map!(l, f, |x: i32| -> f64 { x as f64 }),
        (Class::I32, DType::I32) => map!(l, f, |x: i32| -> i32 { x }),
        (Class::I32, DType::I64) => map!(l, f, |x: i32| -> i64 { x as i64 }),
        (Class::I32, DType::Bool) => map!(l, f, |x: i32| -> i32 { (x != 0) as i32 }),
        (Class::I64, DType::F32) => map!(l, f, |x: i64| -> f32 { x as f32 }),
        (Class::I64, DType::I32) => map!(l, f, |x: i64| -> i32 { x as i32 }),
        (Class::I64, DType::I64) => map!(l, f, |x: i64| -> i64 { x }),
        (Class::I64, DType::Bool) => map!(l, f, |x: i64| -> i32 { (x != 0) as i32 }),
        _ => None,
    }
}

/// Broadcasts one number per row to all lanes.
pub(crate) fn broadcast(class: Class, level: Level) -> TileFn {
    struct Spread<T>(PhantomData<T>);
    impl<T: Copy> TileKernel for Spread<T> {
        #[inline(always)]
        unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
            for n in 0..rows {
                let to = to.row::<T>(n);
                // SAFETY: by the contract of `TileKernel::run`: `lanes` elements in each row, and
                // one to read.
                unsafe {
                    let x = *args[0].row::<T>(n);
                    (0..lanes).for_each(|i| *to.add(i) = x);
                }
            }
        }
    }
    match class.bytes() {
        4 => for_level::<Spread<u32>>(level),
        _ => for_level::<Spread<u64>>(level),
    }
}
