//! f32 functions computed in f64, whose extra bits make simple formulas accurate enough: errors
//! below 1 ulp unless the tests state otherwise. Branch-free, so that loops over them are
//! vectorized.
use super::power::{exp2, log2, parts};
use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

/// A polynomial, highest power first.
#[inline(always)]
fn poly<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.into_iter().fold(0.0, |sum, c| sum * x + c)
}

/// `asin(s) / s` of `s²` from 0 to ¼, to 3·10⁻¹⁰ (Chebyshev interpolation, as all fits here).
const ASIN: [f64; 7] = [
    0.0376771383418486,
    0.014295256037820107,
    0.03185718889411276,
    0.04450870949865153,
    0.07500571381024686,
    0.16666657639575913,
    1.0000000002307783,
];

/// The arcsine of |x| up to ½; for larger |x|, half its arccosine. Both are positive; the second
/// value tells whether |x| > ½.
#[inline(always)]
fn asin_part(x: f64) -> (f64, bool) {
    let a = x.abs();
    let is_large = a > 0.5;
    let z = if is_large { 0.5 * (1.0 - a) } else { a * a };
    let s = if is_large { z.sqrt() } else { a };
    (s * poly(z, ASIN), is_large)
}

#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    let (r, is_large) = asin_part(x);
    (if is_large { FRAC_PI_2 - 2.0 * r } else { r }).copysign(x)
}

#[inline(always)]
pub(super) fn acos(x: f64) -> f64 {
    let (r, is_large) = asin_part(x);
    let large = if x < 0.0 { PI - 2.0 * r } else { 2.0 * r };
    if is_large { large } else { FRAC_PI_2 - r.copysign(x) }
}

/// The arctangent of a number from 0 to 1, to 3·10⁻⁹.
#[inline(always)]
fn atan_unit(x: f64) -> f64 {
    const P: [f64; 10] = [
        -0.0017011700640685971,
        0.010487649254949306,
        -0.030351864785781172,
        0.05708955593030619,
        -0.08349724968301601,
        0.10932341501303093,
        -0.14260016082820906,
        0.19998075281148714,
        -0.3333327629198255,
        0.9999999971605454,
    ];
    x * poly(x * x, P)
}

#[inline(always)]
pub(super) fn atan(x: f64) -> f64 {
    let a = x.abs();
    let is_large = a > 1.0;
    let r = atan_unit(if is_large { 1.0 / a } else { a });
    (if is_large { FRAC_PI_2 - r } else { r }).copysign(x)
}

#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let is_steep = a > b;
    let (low, high) = if is_steep { (b, a) } else { (a, b) };
    let t = if high == 0.0 { 0.0 } else { low / high };
    let r = atan_unit(if low == f64::INFINITY { 1.0 } else { t });
    let r = if is_steep { FRAC_PI_2 - r } else { r };
    let r = if x.is_sign_negative() { PI - r } else { r };
    if a.is_nan() || b.is_nan() { f64::NAN } else { r.copysign(y) }
}

/// `e^|x|`. |x| is clamped to 100, where the result exceeds f32.
#[inline(always)]
fn exp_of_abs(x: f64) -> f64 {
    let a = x.abs();
    exp2(if a > 100.0 { 100.0 } else { a } * LOG2_E)
}

#[inline(always)]
pub(super) fn sinh(x: f64) -> f64 {
    let e = exp_of_abs(x);
    let odd = [1.0 / 39_916_800.0, 1.0 / 362_880.0, 1.0 / 5040.0, 1.0 / 120.0, 1.0 / 6.0, 1.0];
    let small = x.abs() * poly(x * x, odd);
    (if x.abs() < 1.0 { small } else { 0.5 * (e - 1.0 / e) }).copysign(x)
}

#[inline(always)]
pub(super) fn cosh(x: f64) -> f64 {
    let e = exp_of_abs(x);
    0.5 * (e + 1.0 / e)
}

/// The logarithm of a positive number or infinity.
#[inline(always)]
fn ln(x: f64) -> f64 {
    if x == f64::INFINITY { x } else { LN_2 * log2(x) }
}

/// For smaller arguments one more term of the series is accurate enough.
const SMALL: f64 = 1e-4;

#[inline(always)]
pub(super) fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let y = ln(a + (a * a + 1.0).sqrt());
    let y = if a < SMALL { a * (1.0 - a * a / 6.0) } else { y };
    if x.is_nan() { x } else { y.copysign(x) }
}

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let y = ln(x + (t * (t + 2.0)).sqrt());
    if x >= 1.0 { y } else { f64::NAN }
}

#[inline(always)]
pub(super) fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let y = 0.5 * ln((1.0 + a) / (1.0 - a));
    let y = if a < SMALL { a * (1.0 + a * a / 3.0) } else { y };
    if a <= 1.0 { y.copysign(x) } else { f64::NAN }
}

/// `x · P(w)`, `w = −ln(1 − x²)`: in w itself, and in its root where it is large (Giles, 2010).
#[inline(always)]
pub(super) fn erfinv(x: f64) -> f64 {
    const NEAR: [f64; 13] = [
        -1.2570814414523687e-11,
        5.688216479117087e-12,
        1.0363882341451174e-9,
        -4.752745619151995e-9,
        -2.895896037948332e-8,
        4.2698513895053384e-7,
        -1.3658217507589212e-6,
        -1.3892141245923012e-5,
        0.00018673466051691629,
        -0.0007406910325430195,
        -0.006033671032285515,
        0.24015817844735166,
        1.6536545626831027,
    ];
    const FAR: [f64; 11] = [
        -3.646736422581535e-5,
        8.2388265172734e-5,
        1.3920642843626704e-5,
        -0.0003625081719176261,
        0.0009572967452320714,
        -0.0016863576619965128,
        0.002490748965772815,
        -0.0037514219098664847,
        0.005370957478227156,
        1.0052589746353742,
        3.0838856100682,
    ];
    let rest = 1.0 - x * x;
    let w = -LN_2 * log2(rest);
    let y = x * if w < 6.25 { poly(w - 3.125, NEAR) } else { poly(w.sqrt() - 3.25, FAR) };
    let y = if rest == 0.0 { f64::INFINITY.copysign(x) } else { y };
    if rest >= 0.0 { y } else { f64::NAN }
}

/// As [`ln`], with an error of 10⁻¹⁵.
#[inline(always)]
fn ln_accurate(x: f64) -> f64 {
    let (e, s) = parts(x);
    let odd = [
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
        2.0,
    ];
    if x == f64::INFINITY { x } else { e * LN_2 + s * poly(s * s, odd) }
}

/// `ln |Γ(x)|`: Stirling's series for x shifted by 8, a polynomial near the zeros at 1 and 2, and
/// the reflection formula for negative x.
#[inline(always)]
pub(super) fn lgamma(x: f64) -> f64 {
    const BETWEEN: [f64; 14] = [
        -0.00024284176598639935,
        0.0004003503857097349,
        -0.0001847637070197733,
        0.0003148069782217501,
        -0.0009110838579686777,
        0.0015509237572649058,
        -0.0025278502593790177,
        0.004429073449038364,
        -0.007948683143204169,
        0.014633252758070057,
        -0.02817172849599843,
        0.05845573682993789,
        -0.13989545578852036,
        0.47598442312762257,
    ];
    const HALF_LN_TAU: f64 = 0.918_938_533_204_672_8;
    let is_negative = x < 0.0;
    let a = if is_negative { 1.0 - x } else { x };
    let is_small = a < 8.0;
    let steps = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let passed = steps.into_iter().fold(1.0, |product, n| product * (a + n));
    let passed = if is_small { passed } else { 1.0 };
    let y = if is_small { a + 8.0 } else { a };
    let z = 1.0 / (y * y);
    let series =
        [-691.0 / 360_360.0, 1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];
    let log = ln_accurate(y);
    let stirling = (y - 0.5) * log - y + HALF_LN_TAU + poly(z, series) / y;
    let far = stirling - ln_accurate(passed);
    let near = (a - 1.0) * (a - 2.0) * poly(a - 1.55, BETWEEN);
    let gamma = if a > 0.8 && a < 2.3 { near } else { far };

    let r = x - x.round_ties_even();
    let reflected = ln_accurate(PI / sin_half_turn(PI * r).abs()) - gamma;
    let is_pole = x <= 0.0 && r == 0.0;
    let y = if is_negative { reflected } else { gamma };
    let y = if is_pole || x.is_infinite() { f64::INFINITY } else { y };
    if x.is_nan() { x } else { y }
}

/// The sine of an angle up to a quarter turn, to 10⁻¹³.
#[inline(always)]
fn sin_half_turn(x: f64) -> f64 {
    let odd = [
        1.0 / 355_687_428_096_000.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
        1.0,
    ];
    x * poly(x * x, odd)
}

/// An integer quotient up to this times an f32 is exact in f64.
const MAX_EXACT_QUOTIENT: f64 = (1 << 29) as f64;

/// Whether the quotient is small enough for [`fmod`], [`remainder`] and [`floor_divide`].
#[inline(always)]
pub(super) fn is_divisible(a: f64, b: f64) -> bool {
    (a / b).abs() <= MAX_EXACT_QUOTIENT
}

/// `a % b`, if [`is_divisible`].
#[inline(always)]
pub(super) fn fmod(a: f64, b: f64) -> f64 {
    let r = a - (a / b).trunc() * b;
    let r = if r == 0.0 { 0.0f64.copysign(a) } else { r };
    if b.is_infinite() && a.is_finite() { a } else { r }
}

#[inline(always)]
pub(super) fn remainder(a: f64, b: f64) -> f64 {
    let r = fmod(a, b);
    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
}

#[inline(always)]
pub(super) fn floor_divide(a: f64, b: f64) -> f64 {
    let r = fmod(a, b);
    let q = (a - r) / b;
    let q = if r != 0.0 && (r < 0.0) != (b < 0.0) { q - 1.0 } else { q };
    let floor = q.floor();
    let q_rounded = if q - floor > 0.5 { floor + 1.0 } else { floor };
    if q == 0.0 { 0.0f64.copysign(a / b) } else { q_rounded }
}
