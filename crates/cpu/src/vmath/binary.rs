//! Functions of two numbers, each a loop over f64 that the compiler turns into vectors.
use super::{power, wide};
use crate::level::Level;
use brasa_ir::ops::Scalar;

/// A function of two numbers.
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

    /// The vector form of a row of the op table, if it has one.
    pub fn of(row: Scalar) -> Option<Binary> {
        Some(match row {
            Scalar::Pow => Binary::Pow,
            Scalar::Atan2 => Binary::Atan2,
            Scalar::Fmod => Binary::Fmod,
            Scalar::Remainder => Binary::Remainder,
            Scalar::FloorDivide => Binary::FloorDivide,
            _ => return None,
        })
    }

    pub fn row(self) -> Scalar {
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

    /// [`Binary::map`] with the instructions of a level that the machine has.
    pub fn map_at(self, level: Level, x: &[f32], y: &[f32], z: &mut [f32]) {
        assert!(level <= Level::best(), "{level:?} is not of this machine");
        assert!(x.len() == z.len() && y.len() == z.len(), "{self:?}: different lengths");
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
                // SAFETY: the level exists.
                Level::Avx512 => return unsafe { avx512(self, x, y, z) },
                // SAFETY: the level exists.
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
        Binary::Atan2 => zip(x, y, z, |x, y| wide::atan2(x.into(), y.into()) as f32),
        Binary::Fmod => quotients(f, x, y, z, wide::fmod),
        Binary::Remainder => quotients(f, x, y, z, wide::remainder),
        Binary::FloorDivide => quotients(f, x, y, z, wide::floor_divide),
    }
}

#[inline(always)]
fn zip(x: &[f32], y: &[f32], z: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    for ((z, &x), &y) in z.iter_mut().zip(x).zip(y) {
        *z = f(x, y);
    }
}

/// Quotients too large for the vector form, which are rare, go by the op table.
#[inline(always)]
fn quotients(row: Binary, x: &[f32], y: &[f32], z: &mut [f32], f: impl Fn(f64, f64) -> f64) {
    zip(x, y, z, |x, y| f(x.into(), y.into()) as f32);
    let is_large = |x: f32, y: f32| !wide::is_divisible(x.into(), y.into());
    // A sum rather than `any`: it is vector code.
    let large: u32 = x.iter().zip(y).map(|(&x, &y)| u32::from(is_large(x, y))).sum();
    if large > 0 {
        let eval = row.row().def().eval;
        for ((z, &x), &y) in z.iter_mut().zip(x).zip(y).filter(|((_, x), y)| is_large(**x, **y)) {
            *z = eval(&[x.into(), y.into()]) as f32;
        }
    }
}
