//! Sine, cosine, tangent and power: functions whose first step needs more bits than f32 has.
use super::functions::Fuse;

/// Up to here angles are reduced by subtracting multiples of π/2; larger ones go to the library.
pub(super) const LARGEST_ANGLE: f32 = 1e5;

/// The multiple of π/2 nearest to `x`, and what is left, |r| ≤ π/4. Reduced in f64, whose product of
/// 33 bits of π/2 with the multiple is exact.
#[inline(always)]
fn reduce(x: f32) -> (i32, f32) {
    const HIGH: f64 = 1.570_796_326_734_125_6;
    const LOW: f64 = 6.077_100_506_506_192e-11;
    /// 1.5 · 2⁵²: adding it rounds to an integer, which then stands in the low bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let x = f64::from(x);
    let rounded = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let n = rounded - ROUNDER;
    let r = (x - n * HIGH) - n * LOW;
    (rounded.to_bits() as i32, r as f32)
}

#[inline(always)]
fn sin_of_reduced<F: Fuse>(r: f32) -> f32 {
    let z = r * r;
    let p = F::fma(F::fma(-1.951_529_6e-4, z, 8.332_161e-3), z, -1.666_665_5e-1);
    F::fma(p * z, r, r)
}

#[inline(always)]
fn cos_of_reduced<F: Fuse>(r: f32) -> f32 {
    let z = r * r;
    let p = F::fma(F::fma(2.443_315_7e-5, z, -1.388_731_6e-3), z, 4.166_664_6e-2);
    F::fma(p * z, z, F::fma(-0.5, z, 1.0))
}

/// The sine of the angle `quarters · π/2 + r`.
#[inline(always)]
fn sin_of_parts<F: Fuse>(quarters: i32, r: f32) -> f32 {
    let is_odd = quarters & 1 != 0;
    let y = if is_odd { cos_of_reduced::<F>(r) } else { sin_of_reduced::<F>(r) };
    f32::from_bits(y.to_bits() ^ (((quarters & 2) as u32) << 30))
}

#[inline(always)]
pub(super) fn sin<F: Fuse>(x: f32) -> f32 {
    let (quarters, r) = reduce(x);
    let y = sin_of_parts::<F>(quarters, r);
    if x == 0.0 { x } else { y }
}

#[inline(always)]
pub(super) fn cos<F: Fuse>(x: f32) -> f32 {
    let (quarters, r) = reduce(x);
    sin_of_parts::<F>(quarters.wrapping_add(1), r)
}

#[inline(always)]
pub(super) fn tan<F: Fuse>(x: f32) -> f32 {
    let (quarters, r) = reduce(x);
    let (s, c) = (sin_of_reduced::<F>(r), cos_of_reduced::<F>(r));
    let is_odd = quarters & 1 != 0;
    let y = if is_odd { -c / s } else { s / c };
    if x == 0.0 { x } else { y }
}

/// `xʸ`, by way of `2^(y · log₂ x)` in f64.
#[inline(always)]
pub(super) fn pow(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x.abs()), f64::from(y));
    let e = exp2_f64((b * log2_f64(a)).clamp(-200.0, 200.0)) as f32;
    let is_whole = y.trunc() == y;
    let is_odd = is_whole && (0.5 * y).trunc() != 0.5 * y;
    let is_negative = x.is_sign_negative();
    let sign = if is_negative && is_odd { -1.0 } else { 1.0 };

    let vanishes = (x.abs() < 1.0) == (y > 0.0);
    let at_edge = if vanishes { 0.0 } else { f32::INFINITY };
    let is_edge = x == 0.0 || x.is_infinite() || y.is_infinite();
    let at_edge = if x.abs() == 1.0 { 1.0 } else { at_edge };
    let z = sign * if is_edge { at_edge } else { e };
    let z = if is_negative && x != 0.0 && x > f32::NEG_INFINITY && !is_whole { f32::NAN } else { z };
    let z = if x.is_nan() || y.is_nan() { f32::NAN } else { z };
    if x == 1.0 || y == 0.0 { 1.0 } else { z }
}

/// log₂ of a positive normal f64, to about 2⁻³⁸.
#[inline(always)]
fn log2_f64(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits().wrapping_sub(SQRT_HALF);
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    // The exponent as a float, without a conversion of 64-bit integers, which AVX2 lacks.
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    let biased = bits.wrapping_add(1023 << 52) >> 52;
    let e = f64::from_bits(biased | TWO_52) - (f64::from_bits(TWO_52) + 1023.0);
    // ln m = 2 artanh s, s = (m − 1) / (m + 1), |s| < 0.1716.
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let z = s * s;
    let odd = [1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0];
    let sum = odd.into_iter().fold(0.0, |sum, c| sum * z + c);
    e + s * sum * (2.0 * std::f64::consts::LOG2_E)
}

/// 2ˣ for |x| up to 200, to about 2⁻³⁰.
#[inline(always)]
fn exp2_f64(x: f64) -> f64 {
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let rounded = x + ROUNDER;
    let n = rounded.to_bits().wrapping_sub(ROUNDER.to_bits());
    let r = (x - (rounded - ROUNDER)) * std::f64::consts::LN_2;
    let terms = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let sum = terms.into_iter().fold(0.0, |sum, c| sum * r + c);
    sum * f64::from_bits(n.wrapping_add(1023) << 52)
}
