//! Functions of many numbers at once. Each f32 function is plain Rust without branches, compiled for
//! every [`Level`]; results do not depend on where in a slice a number stands.
mod binary;
mod double;
mod functions;
mod power;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
mod traced;
mod vector;
mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use binary::Binary;

use crate::level::Level;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Simd, x86::F32x16};
use brasa_ir::ops::Scalar;
#[cfg(target_arch = "x86_64")]
use vector::Fused;
use vector::{Base, Lane, Vector};

type Map = unsafe fn(*const f32, *mut f32, usize);

/// A function for each level, from one generic body.
macro_rules! for_levels {
    (traced $body:ident, $x:ident) => {
        Some($body($x))
    };
    ($body:ident) => {{
        unsafe fn baseline(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { each(x, y, len, |x| $body(Lane::<Base>::of(x)).0) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { each(x, y, len, |x| $body(Lane::<Fused>::of(x)).0) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma")]
        unsafe fn avx512(x: *const f32, y: *mut f32, len: usize) {
            let mut i = 0;
            // SAFETY: the caller promises `len` numbers on both sides. The loop stands here, and not
            // in a function that takes `$body`, since only this function has the instructions.
            unsafe {
                while i + F32x16::LANES <= len {
                    $body(F32x16::load(x.add(i))).store(y.add(i));
                    i += F32x16::LANES;
                }
                if i < len {
                    $body(F32x16::load_first(x.add(i), len - i)).store_first(y.add(i), len - i);
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        const MAPS: [Map; 3] = [baseline, avx2, avx512];
        #[cfg(not(target_arch = "x86_64"))]
        const MAPS: [Map; 3] = [baseline, baseline, baseline];
        MAPS
    }};
}

/// As `for_levels`, from a function of f64.
macro_rules! for_levels_by_f64 {
    (traced $body:ident, $x:ident) => {
        None
    };
    ($body:ident) => {{
        unsafe fn baseline(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { each(x, y, len, |x| $body(f64::from(x)) as f32) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { each(x, y, len, |x| $body(f64::from(x)) as f32) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma")]
        unsafe fn avx512(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { each(x, y, len, |x| $body(f64::from(x)) as f32) }
        }
        #[cfg(target_arch = "x86_64")]
        const MAPS: [Map; 3] = [baseline, avx2, avx512];
        #[cfg(not(target_arch = "x86_64"))]
        const MAPS: [Map; 3] = [baseline, baseline, baseline];
        MAPS
    }};
}

macro_rules! unary {
    ($($levels:ident { $($id:ident $name:ident $body:path, $f64:expr;)* })*) => {
        /// A function of one number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary { $($($id),*),* }

        impl Unary {
            pub const ALL: &[Unary] = &[$($(Unary::$id),*),*];

            pub fn name(self) -> &'static str {
                match self { $($(Unary::$id => stringify!($name)),*),* }
            }

            /// The vector form of a row of the op table, if it has one.
            pub fn of(row: Scalar) -> Option<Unary> {
                match row {
                    $($(Scalar::$id => Some(Unary::$id),)*)*
                    _ => None,
                }
            }

            fn maps(self) -> &'static [Map; 3] {
                match self {
                    $($(Unary::$id => {
                        use $body as body;
                        static MAPS: [Map; 3] = $levels!(body);
                        &MAPS
                    }),*),*
                }
            }

            /// The operations of the function on a vector, if it has no other way for some lanes.
            #[cfg(target_arch = "x86_64")]
            fn of_traced(self, x: traced::Traced) -> Option<traced::Traced> {
                // Large angles are done one by one.
                if matches!(self, Unary::Sin | Unary::Cos | Unary::Tan) {
                    return None;
                }
                match self {
                    $($(Unary::$id => {
                        #[allow(unused_imports)]
                        use $body as body;
                        $levels!(traced body, x)
                    }),*),*
                }
            }

            /// The function of one f64.
            pub fn of_f64(self) -> fn(f64) -> f64 {
                match self { $($(Unary::$id => $f64),*),* }
            }
        }
    };
}

unary! {
    for_levels {
        Exp exp functions::exp, f64::exp;
        Exp2 exp2 functions::exp2, f64::exp2;
        Expm1 expm1 functions::expm1, f64::exp_m1;
        Log log functions::log, f64::ln;
        Log2 log2 functions::log2, f64::log2;
        Log10 log10 functions::log10, f64::log10;
        Log1p log1p functions::log1p, f64::ln_1p;
        Tanh tanh functions::tanh, f64::tanh;
        Sigmoid sigmoid functions::sigmoid, double::sigmoid;
        Silu silu functions::silu, double::silu;
        Softplus softplus functions::softplus, double::softplus;
        Mish mish functions::mish, double::mish;
        Erf erf functions::erf, double::erf;
        Erfc erfc functions::erfc, double::erfc;
        Gelu gelu functions::gelu, double::gelu;
        GeluTanh gelu_tanh functions::gelu_tanh, double::gelu_tanh;
        Sin sin functions::sin, f64::sin;
        Cos cos functions::cos, f64::cos;
        Tan tan functions::tan, f64::tan;
        Sqrt sqrt functions::sqrt, f64::sqrt;
        Rsqrt rsqrt functions::rsqrt, |x| 1.0 / x.sqrt();
        Reciprocal reciprocal functions::reciprocal, |x| 1.0 / x;
    }
    for_levels_by_f64 {
        Asin asin wide::asin, f64::asin;
        Acos acos wide::acos, f64::acos;
        Atan atan wide::atan, f64::atan;
        Sinh sinh wide::sinh, f64::sinh;
        Cosh cosh wide::cosh, f64::cosh;
        Asinh asinh wide::asinh, f64::asinh;
        Acosh acosh wide::acosh, f64::acosh;
        Atanh atanh wide::atanh, f64::atanh;
        Erfinv erfinv wide::erfinv, |x| (Scalar::Erfinv.def().eval)(&[x]);
        Lgamma lgamma wide::lgamma, libm::lgamma;
    }
}

impl Unary {
    /// `y = f(x)`, element by element.
    pub fn map(self, x: &[f32], y: &mut [f32]) {
        self.map_at(Level::best(), x, y);
    }

    /// `x = f(x)`, element by element.
    pub fn map_in_place(self, x: &mut [f32]) {
        // SAFETY: one slice for both sides is allowed.
        unsafe { self.map_raw(Level::best(), x.as_ptr(), x.as_mut_ptr(), x.len()) }
    }

    /// [`Unary::map`] with the instructions of a level that the machine has.
    pub fn map_at(self, level: Level, x: &[f32], y: &mut [f32]) {
        assert_eq!(x.len(), y.len(), "{}: slices of different lengths", self.name());
        // SAFETY: two slices of one length.
        unsafe { self.map_raw(level, x.as_ptr(), y.as_mut_ptr(), x.len()) }
    }

    /// Maps `len` numbers at `x` to `y`.
    ///
    /// # Safety
    /// Both must be valid for `len` numbers, and either the same or without overlap.
    pub unsafe fn map_raw(self, level: Level, x: *const f32, y: *mut f32, len: usize) {
        assert!(level <= Level::best(), "{level:?} is not of this machine");
        let map = self.maps()[level as usize];
        if !matches!(self, Unary::Sin | Unary::Cos | Unary::Tan) {
            // SAFETY: the caller's promise; the level exists.
            return unsafe { map(x, y, len) };
        }
        for start in (0..len).step_by(ANGLES) {
            let count = ANGLES.min(len - start);
            // SAFETY: inside the caller's slices.
            unsafe { self.map_angles(map, x.add(start), y.add(start), count) };
        }
    }

    /// Up to `ANGLES` numbers; large ones, which are rare, one by one.
    unsafe fn map_angles(self, map: Map, x: *const f32, y: *mut f32, len: usize) {
        let mut angles = [0.0f32; ANGLES];
        let angles = &mut angles[..len];
        // SAFETY: the caller's promise. The angles are copied, as `y` may be `x`.
        unsafe {
            std::ptr::copy(x, angles.as_mut_ptr(), len);
            map(angles.as_ptr(), y, len);
        }
        // A sum rather than `any`: it is vector code.
        let large = angles.iter().map(|x| u32::from(x.abs() > LARGEST_ANGLE)).sum::<u32>();
        if large == 0 {
            return;
        }
        for (i, &x) in angles.iter().enumerate() {
            if x.abs() > LARGEST_ANGLE {
                // SAFETY: `i < len`.
                unsafe { *y.add(i) = self.of_f64()(f64::from(x)) as f32 };
            }
        }
    }
}

/// Up to here angles are reduced by subtracting quarter turns; larger ones go to the library.
const LARGEST_ANGLE: f32 = 1e5;
/// Angles that are mapped between two looks for large ones.
const ANGLES: usize = 256;

/// Numbers that go through a function together: four vectors of AVX-512, enough to hide latencies.
const BLOCK: usize = 64;

/// Maps `len` numbers. Where the slices are one and the same, each block is read before it is written.
#[inline(always)]
unsafe fn each(x: *const f32, y: *mut f32, len: usize, f: impl Fn(f32) -> f32) {
    let mut block = [0.0; BLOCK];
    let mut done = 0;
    while done < len {
        let count = BLOCK.min(len - done);
        // SAFETY: `done + count` is at most `len`, which the caller promises on both sides.
        unsafe {
            match count {
                BLOCK => block = x.add(done).cast::<[f32; BLOCK]>().read_unaligned(),
                _ => std::ptr::copy(x.add(done), block.as_mut_ptr(), count),
            }
            // The one call of `f`: of several, large ones would not be compiled into this loop, and
            // would lack its instructions (lgamma: 48 instead of 10 ns an element).
            block.iter_mut().for_each(|v| *v = f(*v));
            match count {
                BLOCK => y.add(done).cast::<[f32; BLOCK]>().write_unaligned(block),
                _ => std::ptr::copy(block.as_ptr(), y.add(done), count),
            }
        }
        done += count;
    }
}
