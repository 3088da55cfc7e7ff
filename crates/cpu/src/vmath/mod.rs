//! Vectorized math functions on slices. Each f32 function is branch-free Rust, compiled for every
//! [`Level`]. The result for an element does not depend on its position in the slice.
mod binary;
mod functions;
mod power;
mod scalar_f64;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(target_arch = "x86_64")]
mod traced;
mod vector;
mod via_f64;
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

/// Maps `len` elements at `x` to `y`.
///
/// # Safety
/// - Level: the CPU supports the instructions that the function was compiled for.
/// - Bounds: `x` is valid for reads and `y` for writes of `len` elements. No alignment is needed.
/// - Initialization: the elements at `x` are initialized.
/// - Aliasing: the two ranges are equal or do not overlap; nothing else accesses them during the
///   call.
type Map = unsafe fn(*const f32, *mut f32, usize);

/// Compiles one generic body into a [`Map`] for each level.
macro_rules! for_levels {
    (traced $body:ident, $x:ident) => {
        Some($body($x))
    };
    ($body:ident) => {{
        unsafe fn baseline(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: upheld by the caller, see `Map`.
            unsafe { each(x, y, len, |x| $body(Lane::<Base>::of(x)).0) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: upheld by the caller, see `Map`.
            unsafe { each(x, y, len, |x| $body(Lane::<Fused>::of(x)).0) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma")]
        unsafe fn avx512(x: *const f32, y: *mut f32, len: usize) {
            let mut i = 0;
            // SAFETY: the caller guarantees `len` elements on both sides. The loop is not in a
            // function that takes `$body`, because only this function has the target features.
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

/// As `for_levels`, from a function of f64 that is not traced.
macro_rules! for_levels_by_f64 {
    (traced $body:ident, $x:ident) => {
        None
    };
    ($body:ident) => {{
        unsafe fn baseline(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: upheld by the caller, see `Map`.
            unsafe { each(x, y, len, |x| $body(f64::from(x)) as f32) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: upheld by the caller, see `Map`.
            unsafe { each(x, y, len, |x| $body(f64::from(x)) as f32) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma")]
        unsafe fn avx512(x: *const f32, y: *mut f32, len: usize) {
            // SAFETY: upheld by the caller, see `Map`.
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
        /// A vectorized function of one argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary { $($($id),*),* }

        impl Unary {
            pub const ALL: &[Unary] = &[$($(Unary::$id),*),*];

            pub fn name(self) -> &'static str {
                match self { $($(Unary::$id => stringify!($name)),*),* }
            }

            /// The vectorized form of a scalar function of the op table, if there is one.
            pub fn of(scalar: Scalar) -> Option<Unary> {
                match scalar {
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

            /// Applies the function to a traced value. `None` if some lanes need a fallback, or if
            /// the function is computed in f64.
            #[cfg(target_arch = "x86_64")]
            fn apply_traced(self, x: traced::Traced) -> Option<traced::Traced> {
                // Large angles take a scalar fallback.
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

            /// The function on one f64: the fallback, and the reference of tests.
            pub fn f64_function(self) -> fn(f64) -> f64 {
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
        Sigmoid sigmoid functions::sigmoid, scalar_f64::sigmoid;
        Silu silu functions::silu, scalar_f64::silu;
        Softplus softplus functions::softplus, scalar_f64::softplus;
        Mish mish functions::mish, scalar_f64::mish;
        Erf erf functions::erf, scalar_f64::erf;
        Erfc erfc functions::erfc, scalar_f64::erfc;
        Gelu gelu functions::gelu, scalar_f64::gelu;
        GeluTanh gelu_tanh functions::gelu_tanh, scalar_f64::gelu_tanh;
        Sin sin functions::sin, f64::sin;
        Cos cos functions::cos, f64::cos;
        Tan tan functions::tan, f64::tan;
        Sqrt sqrt functions::sqrt, f64::sqrt;
        Rsqrt rsqrt functions::rsqrt, |x| 1.0 / x.sqrt();
        Reciprocal reciprocal functions::reciprocal, |x| 1.0 / x;
    }
    for_levels_by_f64 {
        Asin asin via_f64::asin, f64::asin;
        Acos acos via_f64::acos, f64::acos;
        Atan atan via_f64::atan, f64::atan;
        Sinh sinh via_f64::sinh, f64::sinh;
        Cosh cosh via_f64::cosh, f64::cosh;
        Asinh asinh via_f64::asinh, f64::asinh;
        Acosh acosh via_f64::acosh, f64::acosh;
        Atanh atanh via_f64::atanh, f64::atanh;
        Erfinv erfinv via_f64::erfinv, |x| (Scalar::Erfinv.def().eval)(&[x]);
        Lgamma lgamma via_f64::lgamma, libm::lgamma;
    }
}

impl Unary {
    /// `y = f(x)`, element by element.
    pub fn map(self, x: &[f32], y: &mut [f32]) {
        self.map_at(Level::best(), x, y);
    }

    /// `x = f(x)`, element by element.
    pub fn map_in_place(self, x: &mut [f32]) {
        // SAFETY: source and destination may be the same slice, which is borrowed exclusively.
        unsafe { self.map_raw(Level::best(), x.as_ptr(), x.as_mut_ptr(), x.len()) }
    }

    /// [`Unary::map`] with the instructions of `level`. Panics if the CPU does not support it.
    pub fn map_at(self, level: Level, x: &[f32], y: &mut [f32]) {
        assert_eq!(x.len(), y.len(), "{}: slices of different lengths", self.name());
        // SAFETY: two slices of equal length, which the borrows keep disjoint.
        unsafe { self.map_raw(level, x.as_ptr(), y.as_mut_ptr(), x.len()) }
    }

    /// Maps `len` elements at `x` to `y`. Panics if the CPU does not support `level`.
    ///
    /// # Safety
    /// - Bounds: `x` is valid for reads and `y` for writes of `len` elements. No alignment is
    ///   needed.
    /// - Initialization: the elements at `x` are initialized.
    /// - Aliasing: the two ranges are equal or do not overlap; nothing else accesses them during
    ///   the call.
    pub unsafe fn map_raw(self, level: Level, x: *const f32, y: *mut f32, len: usize) {
        assert!(level <= Level::best(), "this CPU does not support {level:?}");
        debug_assert!(
            x.addr() == y.addr() || x.addr().abs_diff(y.addr()) >= len * size_of::<f32>(),
            "{}: source and destination overlap",
            self.name()
        );
        let map = self.maps()[level as usize];
        if !matches!(self, Unary::Sin | Unary::Cos | Unary::Tan) {
            // SAFETY: upheld by the caller; the CPU supports the level.
            return unsafe { map(x, y, len) };
        }
        for start in (0..len).step_by(ANGLE_BLOCK) {
            let count = ANGLE_BLOCK.min(len - start);
            // SAFETY: the block is inside the ranges that the caller guarantees.
            unsafe { self.map_angle_block(map, x.add(start), y.add(start), count) };
        }
    }

    /// Maps up to `ANGLE_BLOCK` angles; large ones, which are rare, one by one in f64.
    ///
    /// # Safety
    /// As [`Map`]. Panics if `len > ANGLE_BLOCK`.
    unsafe fn map_angle_block(self, map: Map, x: *const f32, y: *mut f32, len: usize) {
        let mut angles = [0.0f32; ANGLE_BLOCK];
        let angles = &mut angles[..len];
        // SAFETY: upheld by the caller. The angles are copied first because `y` may be `x`.
        unsafe {
            std::ptr::copy(x, angles.as_mut_ptr(), len);
            map(angles.as_ptr(), y, len);
        }
        // A sum rather than `any`, because a sum is vectorized.
        let large = angles.iter().map(|x| u32::from(x.abs() > MAX_REDUCED_ANGLE)).sum::<u32>();
        if large == 0 {
            return;
        }
        for (i, &x) in angles.iter().enumerate() {
            if x.abs() > MAX_REDUCED_ANGLE {
                // SAFETY: `i < len`.
                unsafe { *y.add(i) = self.f64_function()(f64::from(x)) as f32 };
            }
        }
    }
}

/// Angles up to this are reduced by subtracting quarter turns; larger ones go to the f64 library.
const MAX_REDUCED_ANGLE: f32 = 1e5;
/// Angles that are mapped between two checks for large ones.
const ANGLE_BLOCK: usize = 256;

/// Elements per iteration: four AVX-512 vectors, enough to hide latencies.
const BLOCK: usize = 64;

/// Maps `len` elements. Each block is read before it is written, so that both ranges may be the
/// same.
///
/// # Safety
/// As [`Map`], but for the level.
#[inline(always)]
unsafe fn each(x: *const f32, y: *mut f32, len: usize, f: impl Fn(f32) -> f32) {
    let mut block = [0.0; BLOCK];
    let mut done = 0;
    while done < len {
        let count = BLOCK.min(len - done);
        // SAFETY: `done + count` is at most `len`, which the caller guarantees on both sides.
        unsafe {
            match count {
                BLOCK => block = x.add(done).cast::<[f32; BLOCK]>().read_unaligned(),
                _ => std::ptr::copy(x.add(done), block.as_mut_ptr(), count),
            }
            // The only call of `f`: with several, large functions would not be inlined here and
            // would lack the target features (lgamma: 48 instead of 10 ns per element).
            block.iter_mut().for_each(|v| *v = f(*v));
            match count {
                BLOCK => y.add(done).cast::<[f32; BLOCK]>().write_unaligned(block),
                _ => std::ptr::copy(block.as_ptr(), y.add(done), count),
            }
        }
        done += count;
    }
}
