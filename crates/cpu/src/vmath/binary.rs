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
        Binary::Atan2 => zip(x, y, z, atan2_one),
        Binary::Fmod => quotients::<Fmod>(x, y, z),
        Binary::Remainder => quotients::<Remainder>(x, y, z),
        Binary::FloorDivide => quotients::<FloorDivide>(x, y, z),
    }
}

/// A function of a whole quotient, which has a vector form unless the quotient is huge.
pub(crate) trait Quotient {
    const ROW: Scalar;

    fn of_f64(a: f64, b: f64) -> f64;

    #[inline(always)]
    fn of(a: f32, b: f32) -> f32 {
        Self::of_f64(a.into(), b.into()) as f32
    }

    /// Whether [`Quotient::of`] does not hold.
    #[inline(always)]
    fn is_huge(a: f32, b: f32) -> bool {
        !wide::is_divisible(a.into(), b.into())
    }

    /// The function by the op table.
    fn plain(a: f32, b: f32) -> f32 {
        (Self::ROW.def().eval)(&[a.into(), b.into()]) as f32
    }
}

macro_rules! quotients {
    ($($id:ident $body:path;)*) => {
        $(pub(crate) struct $id;

        impl Quotient for $id {
            const ROW: Scalar = Scalar::$id;

            #[inline(always)]
            fn of_f64(a: f64, b: f64) -> f64 {
                $body(a, b)
            }
        })*
    };
}
quotients! {
    Fmod wide::fmod;
    Remainder wide::remainder;
    FloorDivide wide::floor_divide;
}

#[inline(always)]
fn zip(x: &[f32], y: &[f32], z: &mut [f32], f: impl Fn(f32, f32) -> f32) {
    for ((z, &x), &y) in z.iter_mut().zip(x).zip(y) {
        *z = f(x, y);
    }
}

#[inline(always)]
fn quotients<Q: Quotient>(x: &[f32], y: &[f32], z: &mut [f32]) {
    zip(x, y, z, Q::of);
    // A sum rather than `any`: it is vector code.
    let huge: u32 = x.iter().zip(y).map(|(&x, &y)| u32::from(Q::is_huge(x, y))).sum();
    if huge > 0 {
        for ((z, &x), &y) in z.iter_mut().zip(x).zip(y).filter(|((_, x), y)| Q::is_huge(**x, **y)) {
            *z = Q::plain(x, y);
        }
    }
}

/// The angle of one point.
#[inline(always)]
pub(crate) fn atan2_one(y: f32, x: f32) -> f32 {
    wide::atan2(y.into(), x.into()) as f32
}
