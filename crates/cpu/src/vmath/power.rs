//! Powers of f32, computed in f64: the logarithm needs more bits than f32 has.

/// `xʸ`, computed as `2^(y · log₂ x)` in f64.
#[inline(always)]
pub(super) fn pow(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x.abs()), f64::from(y));
    let e = exp2((b * log2(a)).clamp(-200.0, 200.0)) as f32;
    let is_whole = y.trunc() == y;
    let is_odd = is_whole && (0.5 * y).trunc() != 0.5 * y;
    let is_negative = x.is_sign_negative();
    let sign = if is_negative && is_odd { -1.0 } else { 1.0 };

    let vanishes = (x.abs() < 1.0) == (y > 0.0);
    let at_edge = if vanishes { 0.0 } else { f32::INFINITY };
    let is_edge = x == 0.0 || x.is_infinite() || y.is_infinite();
    let at_edge = if x.abs() == 1.0 { 1.0 } else { at_edge };
    let z = sign * if is_edge { at_edge } else { e };
    let z =
        if is_negative && x != 0.0 && x > f32::NEG_INFINITY && !is_whole { f32::NAN } else { z };
    let z = if x.is_nan() || y.is_nan() { f32::NAN } else { z };
    if x == 1.0 || y == 0.0 { 1.0 } else { z }
}

/// Exponent of a positive normal f64, and `s = (m − 1) / (m + 1)` of its mantissa in √½ .. √2, so
/// that |s| < 0.1716 and ln m = 2 artanh s.
#[inline(always)]
pub(super) fn parts(x: f64) -> (f64, f64) {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits().wrapping_sub(SQRT_HALF);
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    // The exponent as a float without a conversion of 64-bit integers, which AVX2 does not have.
    const TWO_52: u64 = 0x4330_0000_0000_0000;
    let biased = bits.wrapping_add(1023 << 52) >> 52;
    let e = f64::from_bits(biased | TWO_52) - (f64::from_bits(TWO_52) + 1023.0);
    (e, (mantissa - 1.0) / (mantissa + 1.0))
}

/// log₂ of a positive normal f64, to about 2⁻³⁸.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    let (e, s) = parts(x);
    let z = s * s;
    let odd = [1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 0.2, 1.0 / 3.0, 1.0];
    let sum = odd.into_iter().fold(0.0, |sum, c| sum * z + c);
    e + s * sum * (2.0 * std::f64::consts::LOG2_E)
}

/// 2ˣ for |x| up to 200, to about 2⁻³⁰.
#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    let rounded = x + ROUNDER;
    let n = rounded.to_bits().wrapping_sub(ROUNDER.to_bits());
    let r = (x - (rounded - ROUNDER)) * std::f64::consts::LN_2;
    let terms = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let sum = terms.into_iter().fold(0.0, |sum, c| sum * r + c);
    sum * f64::from_bits(n.wrapping_add(1023) << 52)
}
