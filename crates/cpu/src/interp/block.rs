//! Work on blocks: one instruction applied to a few hundred elements. Each function is compiled for
//! every level of vector instructions.
use crate::level::Level;
use crate::vmath::{Binary, Unary};
use brasa_ir::DType;
use brasa_ir::ops::Scalar;
use half::{bf16, f16};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// What the registers of a step hold: narrow types are computed in wider ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    F32,
    F64,
    /// Also bool, i8 and u8.
    I32,
    /// Also u32.
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

    /// Whether memory of this dtype is what a register holds.
    pub(crate) fn is_stored_as(self, dtype: DType) -> bool {
        matches!(dtype, DType::F32 | DType::F64 | DType::I32 | DType::I64)
    }
}

/// Compiles a function for every level and picks by the first argument.
macro_rules! leveled {
    ($(#[$meta:meta])* $vis:vis unsafe fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        $vis unsafe fn $name(level: Level, $($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            unsafe fn body($($arg: $ty),*) $(-> $ret)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c,bmi2")]
            unsafe fn avx512($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: as promised by the caller.
                unsafe { body($($arg),*) }
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi2")]
            unsafe fn avx2($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: as promised by the caller.
                unsafe { body($($arg),*) }
            }

            // SAFETY: levels above the baseline exist only where the machine has them.
            unsafe {
                match level {
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => avx512($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => avx2($($arg),*),
                    _ => body($($arg),*),
                }
            }
        }
    };
}

const WIDE: usize = 16;

/// `dst[i] = f(…)`. A register is never its own operand, so the compiler's check for overlap always
/// leads to the vector loop.
macro_rules! each {
    ($n:expr, $dst:expr, [$($src:ident),*], $f:expr) => {{
        let (n, dst) = ($n, $dst);
        for i in 0..n {
            *dst.add(i) = $f($(*$src.add(i)),*);
        }
    }};
}

/// A scalar function of floats; false if it has no fast form.
///
/// # Safety
/// `n` elements lie behind every pointer that the row reads, and behind `dst`.
pub(crate) unsafe fn map_f32(
    level: Level,
    row: Scalar,
    n: usize,
    dst: *mut f32,
    a: *const f32,
    b: *const f32,
) -> bool {
    // SAFETY: promised by the caller; registers of different values do not overlap.
    unsafe {
        // Those of a few instructions are faster among others of their kind.
        let is_simple = matches!(row, Scalar::Sqrt | Scalar::Rsqrt | Scalar::Reciprocal);
        if let Some(function) = Unary::of(row).filter(|_| !is_simple) {
            function.map_raw(level, a, dst, n);
            return true;
        }
        if let Some(function) = Binary::of(row) {
            let (x, y) = (from_raw_parts(a, n), from_raw_parts(b, n));
            function.map_at(level, x, y, from_raw_parts_mut(dst, n));
            return true;
        }
        simple_f32(level, row, n, dst, a, b)
    }
}

leveled! {
    /// A scalar function of a few instructions; false if it is none of them.
    unsafe fn simple_f32(
        row: Scalar,
        n: usize,
        dst: *mut f32,
        a: *const f32,
        b: *const f32,
    ) -> bool {
        // SAFETY: the caller promises `n` elements behind every pointer that the row reads.
        unsafe {
            match row {
                Scalar::Add => each!(n, dst, [a, b], |a: f32, b: f32| a + b),
                Scalar::Sub => each!(n, dst, [a, b], |a: f32, b: f32| a - b),
                Scalar::Mul => each!(n, dst, [a, b], |a: f32, b: f32| a * b),
                Scalar::Div => each!(n, dst, [a, b], |a: f32, b: f32| a / b),
                Scalar::Maximum => {
                    each!(n, dst, [a, b], |a: f32, b: f32| if a.is_nan() | (a > b) { a } else { b })
                }
                Scalar::Minimum => {
                    each!(n, dst, [a, b], |a: f32, b: f32| if a.is_nan() | (a < b) { a } else { b })
                }
                Scalar::Neg => each!(n, dst, [a], |a: f32| -a),
                Scalar::Abs => each!(n, dst, [a], |a: f32| a.abs()),
                Scalar::Reciprocal => each!(n, dst, [a], |a: f32| 1.0 / a),
                Scalar::Sqrt => each!(n, dst, [a], |a: f32| a.sqrt()),
                Scalar::Rsqrt => each!(n, dst, [a], |a: f32| 1.0 / a.sqrt()),
                Scalar::Relu => each!(n, dst, [a], |a: f32| if a <= 0.0 { 0.0 } else { a }),
                Scalar::Floor => each!(n, dst, [a], |a: f32| a.floor()),
                Scalar::Ceil => each!(n, dst, [a], |a: f32| a.ceil()),
                Scalar::Trunc => each!(n, dst, [a], |a: f32| a.trunc()),
                Scalar::Round => each!(n, dst, [a], |a: f32| a.round_ties_even()),
                _ => return false,
            }
            true
        }
    }
}

macro_rules! comparison {
    ($name:ident, $ty:ty) => {
        leveled! {
            /// A comparison, to 0 or 1; false if the row is none.
            pub(crate) unsafe fn $name(
                row: Scalar,
                n: usize,
                dst: *mut i32,
                a: *const $ty,
                b: *const $ty,
            ) -> bool {
                // SAFETY: the caller promises `n` elements behind every pointer.
                unsafe {
                    match row {
                        Scalar::Eq => each!(n, dst, [a, b], |a: $ty, b: $ty| (a == b) as i32),
                        Scalar::Ne => each!(n, dst, [a, b], |a: $ty, b: $ty| (a != b) as i32),
                        Scalar::Lt => each!(n, dst, [a, b], |a: $ty, b: $ty| (a < b) as i32),
                        Scalar::Le => each!(n, dst, [a, b], |a: $ty, b: $ty| (a <= b) as i32),
                        Scalar::Gt => each!(n, dst, [a, b], |a: $ty, b: $ty| (a > b) as i32),
                        Scalar::Ge => each!(n, dst, [a, b], |a: $ty, b: $ty| (a >= b) as i32),
                        _ => return false,
                    }
                    true
                }
            }
        }
    };
}
comparison!(compare_f32, f32);
comparison!(compare_i32, i32);
comparison!(compare_i64, i64);

leveled! {
    /// Casts that neither round nor wrap in an unusual way; false for the others.
    pub(crate) unsafe fn cast(
        from: Class,
        to: DType,
        n: usize,
        dst: *mut u8,
        src: *const u8,
    ) -> bool {
        // SAFETY: as above.
        unsafe {
            let (f, i, l) = (src.cast::<f32>(), src.cast::<i32>(), src.cast::<i64>());
            match (from, to) {
                (Class::F32, DType::F32) => each!(n, dst.cast::<f32>(), [f], |x: f32| x),
                (Class::F32, DType::F64) => each!(n, dst.cast::<f64>(), [f], |x: f32| x as f64),
                (Class::F32, DType::I32) => each!(n, dst.cast::<i32>(), [f], |x: f32| x as i64 as i32),
                (Class::F32, DType::I64) => each!(n, dst.cast::<i64>(), [f], |x: f32| x as i64),
                (Class::F32, DType::Bool) => {
                    each!(n, dst.cast::<i32>(), [f], |x: f32| (x != 0.0) as i32)
                }
                (Class::I32, DType::F32) => each!(n, dst.cast::<f32>(), [i], |x: i32| x as f32),
                (Class::I32, DType::I32) => each!(n, dst.cast::<i32>(), [i], |x: i32| x),
                (Class::I32, DType::I64) => each!(n, dst.cast::<i64>(), [i], |x: i32| x as i64),
                (Class::I64, DType::F32) => each!(n, dst.cast::<f32>(), [l], |x: i64| x as f32),
                (Class::I64, DType::I32) => each!(n, dst.cast::<i32>(), [l], |x: i64| x as i32),
                (Class::I64, DType::I64) => each!(n, dst.cast::<i64>(), [l], |x: i64| x),
                _ => return false,
            }
            true
        }
    }
}

leveled! {
    /// `c ? a : b` of 4-byte elements.
    pub(crate) unsafe fn select_4(
        n: usize,
        dst: *mut u32,
        c: *const i32,
        a: *const u32,
        b: *const u32,
    ) {
        // SAFETY: as above.
        unsafe { each!(n, dst, [c, a, b], |c: i32, a: u32, b: u32| if c != 0 { a } else { b }) }
    }
}

leveled! {
    /// `c ? a : b` of 8-byte elements.
    pub(crate) unsafe fn select_8(
        n: usize,
        dst: *mut u64,
        c: *const i32,
        a: *const u64,
        b: *const u64,
    ) {
        // SAFETY: as above.
        unsafe { each!(n, dst, [c, a, b], |c: i32, a: u64, b: u64| if c != 0 { a } else { b }) }
    }
}

leveled! {
    /// The sum of a block: sixteen running sums, then pairs of them.
    pub(crate) unsafe fn sum_f32(n: usize, x: *const f32) -> f64 {
        let mut sums = [0f32; WIDE];
        let mut i = 0;
        // SAFETY: the caller promises `n` elements.
        unsafe {
            while i + WIDE <= n {
                let x = (x.add(i) as *const [f32; WIDE]).read_unaligned();
                for l in 0..WIDE {
                    sums[l] += x[l];
                }
                i += WIDE;
            }
            for l in i..n {
                sums[l - i] += *x.add(l);
            }
        }
        sums.iter().map(|&s| s as f64).sum()
    }
}

leveled! {
    /// The largest element of a block that is not empty; NaN wins.
    pub(crate) unsafe fn max_f32(n: usize, x: *const f32, sign: f32) -> f32 {
        let mut best = [f32::NEG_INFINITY; WIDE];
        let mut nans = [0u32; WIDE];
        let mut i = 0;
        // SAFETY: the caller promises `n` elements.
        unsafe {
            while i + WIDE <= n {
                let x = (x.add(i) as *const [f32; WIDE]).read_unaligned();
                for l in 0..WIDE {
                    let x = x[l] * sign;
                    best[l] = if x > best[l] { x } else { best[l] };
                    nans[l] |= x.is_nan() as u32;
                }
                i += WIDE;
            }
            for l in i..n {
                let x = *x.add(l) * sign;
                best[l - i] = if x > best[l - i] { x } else { best[l - i] };
                nans[l - i] |= x.is_nan() as u32;
            }
        }
        if nans.iter().any(|&n| n != 0) {
            return f32::NAN;
        }
        sign * best.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}

leveled! {
    /// Adds a block to running sums.
    pub(crate) unsafe fn add_to_f64(n: usize, sums: *mut f64, x: *const f32) {
        // SAFETY: as above.
        unsafe {
            for i in 0..n {
                *sums.add(i) += *x.add(i) as f64;
            }
        }
    }
}

/// Element `i` of a register as a float.
///
/// # Safety
/// The register holds at least `i + 1` elements.
pub(crate) unsafe fn get_f64(class: Class, x: *const u8, i: usize) -> f64 {
    // SAFETY: promised by the caller.
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
/// As [`get_f64`].
pub(crate) unsafe fn get_i64(class: Class, x: *const u8, i: usize) -> i64 {
    // SAFETY: promised by the caller.
    unsafe {
        match class {
            Class::F32 => *x.cast::<f32>().add(i) as i64,
            Class::F64 => *x.cast::<f64>().add(i) as i64,
            Class::I32 => *x.cast::<i32>().add(i) as i64,
            Class::I64 => *x.cast::<i64>().add(i),
        }
    }
}

/// Sets element `i` of a register from a float or an integer, whichever its class is.
///
/// # Safety
/// As [`get_f64`].
pub(crate) unsafe fn set(class: Class, x: *mut u8, i: usize, float: f64, int: i64) {
    // SAFETY: promised by the caller.
    unsafe {
        match class {
            Class::F32 => *x.cast::<f32>().add(i) = float as f32,
            Class::F64 => *x.cast::<f64>().add(i) = float,
            Class::I32 => *x.cast::<i32>().add(i) = int as i32,
            Class::I64 => *x.cast::<i64>().add(i) = int,
        }
    }
}

/// Reads element `at` of memory of a dtype into a register.
///
/// # Safety
/// Both places exist.
pub(crate) unsafe fn load_one(dtype: DType, from: *const u8, at: isize, to: *mut u8, i: usize) {
    // SAFETY: promised by the caller.
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

/// Fills a register with its first element.
///
/// # Safety
/// The register holds `n` elements.
pub(crate) unsafe fn repeat(class: Class, x: *mut u8, n: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        match class {
            Class::F32 | Class::I32 => from_raw_parts_mut(x.cast::<u32>(), n).fill(*x.cast()),
            Class::F64 | Class::I64 => from_raw_parts_mut(x.cast::<u64>(), n).fill(*x.cast()),
        }
    }
}

/// Reads elements `start + stride · i` of memory into places `i` of a register.
///
/// # Safety
/// All places exist.
pub(crate) unsafe fn load_strided(
    dtype: DType,
    from: *const u8,
    start: isize,
    stride: isize,
    places: std::ops::Range<usize>,
    to: *mut u8,
) {
    // SAFETY: promised by the caller.
    unsafe {
        match dtype {
            DType::F32 | DType::I32 => {
                let (from, to) = (from.cast::<u32>().wrapping_offset(start), to.cast::<u32>());
                places.for_each(|i| *to.add(i) = *from.wrapping_offset(stride * i as isize));
            }
            DType::F64 | DType::I64 => {
                let (from, to) = (from.cast::<u64>().wrapping_offset(start), to.cast::<u64>());
                places.for_each(|i| *to.add(i) = *from.wrapping_offset(stride * i as isize));
            }
            DType::Bool | DType::U8 => {
                let (from, to) = (from.wrapping_offset(start), to.cast::<i32>());
                places.for_each(|i| *to.add(i) = *from.wrapping_offset(stride * i as isize) as i32);
            }
            _ => places.for_each(|i| load_one(dtype, from, start + stride * i as isize, to, i)),
        }
    }
}

/// Writes element `i` of a register to memory of a dtype.
///
/// # Safety
/// Both places exist.
pub(crate) unsafe fn store_one(dtype: DType, from: *const u8, i: usize, to: *mut u8, at: isize) {
    // SAFETY: promised by the caller.
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
