//! The vector form of each scalar function, by the class of its operands. What is missing here is
//! done by its meaning in the op table, element by element.
use super::class::Class;
use super::vector::{Function, Operand, Tile, at, map};
use crate::level::Level;
use crate::vmath::{Binary, Unary};
use brasa_ir::DType;
use brasa_ir::ops::Scalar;
use half::{bf16, f16};
use std::marker::PhantomData;

/// The function of one f32 that needs more than a few instructions.
pub(crate) fn unary(row: Scalar, class: Class) -> Option<Unary> {
    let is_simple = matches!(row, Scalar::Sqrt | Scalar::Rsqrt | Scalar::Reciprocal);
    Unary::of(row).filter(|_| class == Class::F32 && !is_simple)
}

/// The function of two f32 that needs more than a few instructions.
pub(crate) fn binary(row: Scalar, class: Class) -> Option<Binary> {
    Binary::of(row).filter(|_| class == Class::F32)
}

/// The function of a row whose (last) operand is of a class and whose result is of a dtype.
/// `forms` tells which arguments have an element for each lane.
pub(crate) fn function(
    row: Scalar,
    class: Class,
    dtype: DType,
    level: Level,
    forms: [bool; 3],
) -> Option<Function> {
    if row == Scalar::Select {
        return match class.bytes() {
            4 => map!(level, forms, |c: i32, a: u32, b: u32| -> u32 { if c != 0 { a } else { b } }),
            _ => map!(level, forms, |c: i32, a: u64, b: u64| -> u64 { if c != 0 { a } else { b } }),
        };
    }
    if (row, class) == (Scalar::Div, Class::F32) && forms[..2] == [true, false] && can_fuse(level) {
        return Some(at::<DivideRows>(level));
    }
    match class {
        Class::F32 => f32s(row, level, forms),
        Class::F64 => f64s(row, level, forms),
        Class::I32 => i32s(row, dtype, level, forms),
        Class::I64 => i64s(row, dtype, level, forms),
    }
}

macro_rules! floats {
    ($name:ident, $t:ty) => {
        fn $name(row: Scalar, l: Level, f: [bool; 3]) -> Option<Function> {
            match row {
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
        fn $name(row: Scalar, dtype: DType, l: Level, f: [bool; 3]) -> Option<Function> {
            match (row, dtype) {
                // Narrower types wrap elsewhere.
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

/// A product and what is added to it, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fused {
    /// `a · b + c`
    Add,
    /// `a · b − c`
    Sub,
    /// `c − a · b`
    From,
}

/// Whether products and sums can be rounded once.
pub(crate) fn can_fuse(level: Level) -> bool {
    level != Level::Baseline || cfg!(target_arch = "aarch64")
}

/// Rows of f32, each divided by one number: by its reciprocal, and what that leaves is added, which
/// gives the rounded quotient. The division itself takes 16 cycles for a vector of AVX-512.
struct DivideRows;

impl Tile for DivideRows {
    #[inline(always)]
    unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
        for n in 0..rows {
            let (to, x) = (to.row::<f32>(n), args[0].row::<f32>(n));
            // SAFETY: the caller promises `lanes` elements in each row, and one divisor.
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
                    // Infinity, what becomes infinite, and zero, of which the correction loses the sign.
                    let is_exact = quotient.is_nan() || guess == 0.0;
                    *to.add(i) = if is_exact { guess } else { quotient };
                }
            }
        }
    }
}

/// The fused form, where the machine has an instruction for it.
pub(crate) fn fused(form: Fused, level: Level, f: [bool; 3]) -> Option<Function> {
    if !can_fuse(level) {
        return None;
    }
    match form {
        Fused::Add => map!(level, f, |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, c) }),
        Fused::Sub => map!(level, f, |a: f32, b: f32, c: f32| -> f32 { a.mul_add(b, -c) }),
        Fused::From => map!(level, f, |a: f32, b: f32, c: f32| -> f32 { (-a).mul_add(b, c) }),
    }
}

/// Casts that neither round nor wrap in an unusual way.
pub(crate) fn cast(from: Class, to: DType, l: Level) -> Option<Function> {
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

/// One number for each row to one for each lane.
pub(crate) fn spread(class: Class, level: Level) -> Function {
    struct Spread<T>(PhantomData<T>);
    impl<T: Copy> Tile for Spread<T> {
        #[inline(always)]
        unsafe fn run(rows: usize, lanes: usize, to: Operand, args: &[Operand; 3]) {
            for n in 0..rows {
                let to = to.row::<T>(n);
                // SAFETY: the caller promises `lanes` elements in each row, and one to read.
                unsafe {
                    let x = *args[0].row::<T>(n);
                    (0..lanes).for_each(|i| *to.add(i) = x);
                }
            }
        }
    }
    match class.bytes() {
        4 => at::<Spread<u32>>(level),
        _ => at::<Spread<u64>>(level),
    }
}
