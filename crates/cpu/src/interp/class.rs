//! Register classes, and scalar access to single elements: the slow path that supports every type.
use brasa_ir::{DType, Number};
use half::{bf16, f16};

/// The element type of a register: narrow dtypes are computed in wider classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    F32,
    F64,
    /// Also holds bool, i8 and u8.
    I32,
    /// Also holds u32.
    I64,
}

impl Class {
    pub(crate) fn of(dtype: DType) -> Class {
        match dtype {
            DType::F16 | DType::BF16 | DType::F32 => Class::F32,
            DType::F64 => Class::F64,
            DType::Bool | DType::U8 | DType::I8 | DType::I32 => Class::I32,
            DType::U32 | DType::I64 => Class::I64,
        }
    }

    /// Whether buffers of this dtype have the same representation as registers.
    pub(crate) fn is_stored_as(dtype: DType) -> bool {
        matches!(dtype, DType::F32 | DType::F64 | DType::I32 | DType::I64)
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Class::F32 | Class::I32 => 4,
            Class::F64 | Class::I64 => 8,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Class::F32 | Class::F64)
    }
}

/// Element `i` of a register as a float.
///
/// # Safety
/// `x` points to at least `i + 1` elements of the class, aligned and initialized.
pub(crate) unsafe fn get_f64(class: Class, x: *const u8, i: usize) -> f64 {
    debug_assert!(!x.is_null(), "no register to read");
    // SAFETY: the caller meets the contract.
    unsafe {
        match class {
            Class::F32 => *x.cast::<f32>().add(i) as f64,
            Class::F64 => *x.cast::<f64>().add(i),
            Class::I32 => *x.cast::<i32>().add(i) as f64,
            Class::I64 => *x.cast::<i64>().add(i) as f64,
        }
    }
}

/// Element `i` of a register as an integer.
///
/// # Safety
/// `x` points to at least `i + 1` elements of the class, aligned and initialized.
pub(crate) unsafe fn get_i64(class: Class, x: *const u8, i: usize) -> i64 {
    debug_assert!(!x.is_null(), "no register to read");
    // SAFETY: the caller meets the contract.
    unsafe {
        match class {
            Class::F32 => *x.cast::<f32>().add(i) as i64,
            Class::F64 => *x.cast::<f64>().add(i) as i64,
            Class::I32 => *x.cast::<i32>().add(i) as i64,
            Class::I64 => *x.cast::<i64>().add(i),
        }
    }
}

/// Sets element `i` of a register, from `float` or from `int` depending on its class.
///
/// # Safety
/// `x` points to at least `i + 1` writable elements of the class, aligned.
pub(crate) unsafe fn set(class: Class, x: *mut u8, i: usize, float: f64, int: i64) {
    debug_assert!(!x.is_null(), "no register to write");
    // SAFETY: the caller meets the contract.
    unsafe {
        match class {
            Class::F32 => *x.cast::<f32>().add(i) = float as f32,
            Class::F64 => *x.cast::<f64>().add(i) = float,
            Class::I32 => *x.cast::<i32>().add(i) = int as i32,
            Class::I64 => *x.cast::<i64>().add(i) = int,
        }
    }
}

/// Sets the first `n` elements of a register.
///
/// # Safety
/// `x` points to `n` writable elements of the class, aligned.
pub(crate) unsafe fn fill(class: Class, x: *mut u8, n: usize, value: Number) {
    debug_assert!(!x.is_null(), "no register to fill");
    let (float, int) = (value.as_f64(), value.as_i64());
    // SAFETY: the caller meets the contract.
    unsafe {
        match class {
            Class::F32 => std::slice::from_raw_parts_mut(x.cast(), n).fill(float as f32),
            Class::F64 => std::slice::from_raw_parts_mut(x.cast(), n).fill(float),
            Class::I32 => std::slice::from_raw_parts_mut(x.cast(), n).fill(int as i32),
            Class::I64 => std::slice::from_raw_parts_mut(x.cast(), n).fill(int),
        }
    }
}

/// Loads element `at` of a buffer of a dtype into element `i` of a register.
///
/// # Safety
/// - `from` points into a buffer that has an initialized element at index `at`, which may be
///   negative.
/// - `to` points to at least `i + 1` writable elements of the dtype's class.
/// - Both are aligned to their elements.
pub(crate) unsafe fn load_one(dtype: DType, from: *const u8, at: isize, to: *mut u8, i: usize) {
    // SAFETY: the caller meets the contract.
    unsafe {
        match dtype {
            DType::F32 => *to.cast::<f32>().add(i) = *from.cast::<f32>().offset(at),
            DType::F64 => *to.cast::<f64>().add(i) = *from.cast::<f64>().offset(at),
            DType::F16 => *to.cast::<f32>().add(i) = (*from.cast::<f16>().offset(at)).to_f32(),
            DType::BF16 => *to.cast::<f32>().add(i) = (*from.cast::<bf16>().offset(at)).to_f32(),
            DType::Bool | DType::U8 => *to.cast::<i32>().add(i) = *from.offset(at) as i32,
            DType::I8 => *to.cast::<i32>().add(i) = *from.cast::<i8>().offset(at) as i32,
            DType::I32 => *to.cast::<i32>().add(i) = *from.cast::<i32>().offset(at),
            DType::U32 => *to.cast::<i64>().add(i) = *from.cast::<u32>().offset(at) as i64,
            DType::I64 => *to.cast::<i64>().add(i) = *from.cast::<i64>().offset(at),
        }
    }
}

/// Stores element `i` of a register to element `at` of a buffer of a dtype.
///
/// # Safety
/// - `from` points to at least `i + 1` initialized elements of the dtype's class.
/// - `to` points into a buffer that has a writable element at index `at`, which may be negative.
/// - Both are aligned to their elements.
pub(crate) unsafe fn store_one(dtype: DType, from: *const u8, i: usize, to: *mut u8, at: isize) {
    // SAFETY: the caller meets the contract.
    unsafe {
        match dtype {
            DType::F32 => *to.cast::<f32>().offset(at) = *from.cast::<f32>().add(i),
            DType::F64 => *to.cast::<f64>().offset(at) = *from.cast::<f64>().add(i),
            DType::F16 => {
                *to.cast::<f16>().offset(at) = f16::from_f32(*from.cast::<f32>().add(i));
            }
            DType::BF16 => {
                *to.cast::<bf16>().offset(at) = bf16::from_f32(*from.cast::<f32>().add(i));
            }
            DType::Bool | DType::U8 => *to.offset(at) = *from.cast::<i32>().add(i) as u8,
            DType::I8 => *to.cast::<i8>().offset(at) = *from.cast::<i32>().add(i) as i8,
            DType::I32 => *to.cast::<i32>().offset(at) = *from.cast::<i32>().add(i),
            DType::U32 => *to.cast::<u32>().offset(at) = *from.cast::<i64>().add(i) as u32,
            DType::I64 => *to.cast::<i64>().offset(at) = *from.cast::<i64>().add(i),
        }
    }
}
