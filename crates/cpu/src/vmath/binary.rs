//! Functions of two arguments, each computed in f64 by a loop that the compiler vectorizes.
use super::{power, via_f64};
use crate::level::Level;
use brasa_ir::ops::Scalar;

/// A vectorized function of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Pow,
    Atan2,
    Fmod,
    Remainder,
    FloorDivide,
}

impl Binary {
    pub const ALL: &[Binary] =
        &[Binary::Pow, Binary::Atan2, Binary::Fmod, Binary::Remainder, Binary::FloorDivide];

    /// The vectorized form of a scalar function of the op table, if there is one.
    pub fn of(scalar: Scalar) -> Option<Binary> {
        Some(match scalar {
            Scalar::Pow => Binary::Pow,
            Scalar::Atan2 => Binary::Atan2,
            Scalar::Fmod => Binary::Fmod,
            Scalar::Remainder => Binary::Remainder,
            Scalar::FloorDivide => Binary::FloorDivide,
            _ => return None,
        })
    }

    /// The scalar function of the op table.
    pub fn scalar(self) -> Scalar {
        match self {
            Binary::Pow => Scalar::Pow,
            Binary::Atan2 => Scalar::Atan2,
            Binary::Fmod => Scalar::Fmod,
            Binary::Remainder => Scalar::Remainder,
            Binary::FloorDivide => Scalar::FloorDivide,
        }
    }

    /// `z = f(x, y)`, element by element.
    pub fn map(self, x: &[f32], y: &[f32], z: &mut [f32]) {
        self.map_at(Level::best(), x, y, z);
    }

    /// [`Binary::map`] with the instructions of `level`. Panics if the CPU does not support it.
    pub fn map_at(self, level: Level, x: &[f32], y: &[f32], z: &mut [f32]) {
        assert!(level <= Level::best(), "this CPU does not support {level:?}");
        assert!(x.len() == z.len() && y.len() == z.len(), "{self:?}: slices of different lengths");
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn avx2(f: Binary, x: &[f32], y: &[f32], z: &mut [f32]) {
                each(f, x, y, z)
            }
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,fma")]
            fn avx512(f: Binary, x: &[f32], y: &[f32], z: &mut [f32]) {
                each(f, x, y, z)
            }
            match level {
                // SAFETY: the CPU supports the level.
                Level::Avx512 => return unsafe { avx512(self, x, y, z) },
                // SAFETY: the CPU supports the level.
                Level::Avx2 => return unsafe { avx2(self, x, y, z) },
                Level::Baseline => {}
            }
        }
        each(self, x, y, z)
    }
}

#[inline(always)]
fn each(f: Binary, x: &[f32], y: &[f32], z: &mut [f32]) {
    match f {
        Binary::Pow => zip(x, y, z, power::pow),
        Binary::Atan2 => zip(x, y, z, |x, y| via_f64::atan2(x.into(), y.into()) as f32),
        Binary::Fmod => quotients(f, x, y, z, via_f64::fmod),
        Binary::Remainder => quotients(f, x, y, z, via_f64::remainder),
        Binary::FloorDivide => quotients(f, x, y, z, via_f64::floor_divide),
    }
}

#[inline(always)]
fn zip(x: &[f32], y: &[f32], z: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    for ((z, &x), &y) in z.iter_mut().zip(x).zip(y) {
        *z = f(x, y);
    }
}

/// Functions of quotients. Elements whose quotient is too large for `f`, which are rare, are
/// computed by the op table's function.
#[inline(always)]
fn quotients(function: Binary, x: &[f32], y: &[f32], z: &mut [f32], f: impl Fn(f64, f64) -> f64) {
    zip(x, y, z, |x, y| f(x.into(), y.into()) as f32);
    let is_large = |x: f32, y: f32| !via_f64::is_divisible(x.into(), y.into());
    // A sum rather than `any`, because a sum is vectorized.
    let large: u32 = x.iter().zip(y).map(|(&x, &y)| u32::from(is_large(x, y))).sum();
    if large > 0 {
        let eval = function.scalar().def().eval;
        for ((z, &x), &y) in z.iter_mut().zip(x).zip(y).filter(|((_, x), y)| is_large(**x, **y)) {
            *z = eval(&[x.into(), y.into()]) as f32;
        }
    }
}
