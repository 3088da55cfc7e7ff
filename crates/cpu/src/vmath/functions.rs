//! Functions of one f32, without branches, so that loops over them become vector code. Each is
//! written once; `F` says how a product and a sum are rounded.

/// How `a · b + c` is rounded: once where the machine has the instruction, else twice.
pub(super) trait Fuse {
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

pub(super) struct Fused;
pub(super) struct Split;

impl Fuse for Fused {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Fuse for Split {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
}

/// A polynomial, highest power first.
#[inline(always)]
fn poly<F: Fuse, const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[0];
    for &c in &coefficients[1..] {
        sum = F::fma(sum, x, c);
    }
    sum
}

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2 in two parts, the first short enough for exact products with exponents.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// 1.5 · 2²³: adding it rounds to an integer, which then stands in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// The nearest integer of a number below 2²², as float and as integer.
#[inline(always)]
fn nearest(x: f32) -> (f32, i32) {
    let rounded = x + ROUNDER;
    (rounded - ROUNDER, rounded.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32)
}

/// 2ⁿ for n in -126..=127.
#[inline(always)]
fn power(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `x · 2ⁿ`, with one rounding where the result is subnormal.
#[inline(always)]
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    x * power(half) * power(n.wrapping_sub(half))
}

/// `(eʳ − 1 − r) / r²` for |r| up to ln 2 / 2.
#[inline(always)]
fn exp_tail<F: Fuse>(r: f32) -> f32 {
    const P: [f32; 6] = [
        1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5.000_000_1e-1,
    ];
    poly::<F, 6>(r, P)
}

/// `e^(high + low)`, where `low` is small beside `high`, and `high` at most 89 and at least -104.
#[inline(always)]
fn exp_of_parts<F: Fuse>(high: f32, low: f32) -> f32 {
    let (n, exponent) = nearest(high * LOG2_E);
    let exact = F::fma(n, -LN2_HIGH, high);
    let r = F::fma(n, -LN2_LOW, exact) + low;
    // What rounding took from r and from 1 + r: without it the error is 1.0 instead of 0.6 ulp.
    let sum = 1.0 + r;
    let lost = F::fma(n, -LN2_LOW, exact - r) + low + (r - (sum - 1.0));
    scale(sum + F::fma(r * r, exp_tail::<F>(r), lost), exponent)
}

#[inline(always)]
pub(super) fn exp<F: Fuse>(x: f32) -> f32 {
    exp_of_parts::<F>(x.clamp(-104.0, 89.0), 0.0)
}

#[inline(always)]
pub(super) fn exp2<F: Fuse>(x: f32) -> f32 {
    let x = x.clamp(-151.0, 129.0);
    let (n, exponent) = nearest(x);
    let r = (x - n) * std::f32::consts::LN_2;
    scale(F::fma(r * r, exp_tail::<F>(r), r) + 1.0, exponent)
}

#[inline(always)]
pub(super) fn expm1<F: Fuse>(x: f32) -> f32 {
    let clamped = x.clamp(-30.0, 89.0);
    let (n, exponent) = nearest(clamped * LOG2_E);
    let r = F::fma(n, -LN2_HIGH, clamped);
    let r = F::fma(n, -LN2_LOW, r);
    let p = F::fma(r * r, exp_tail::<F>(r), r);
    // Half of the result, as 2ⁿ itself may be beyond f32.
    let half = power(exponent.wrapping_sub(1));
    let y = 2.0 * F::fma(half, p, half - 0.5);
    if x.abs() < 6e-8 { x } else { y }
}

/// `ln(2^e · (1 + f))` with `1 + f` in √½ .. √2.
#[inline(always)]
fn log_of_parts<F: Fuse>(f: f32, e: f32) -> f32 {
    let y = log_tail::<F>(f);
    let y = F::fma(e, LN2_LOW, y);
    F::fma(e, LN2_HIGH, f + y)
}

/// `ln(1 + f) − f`.
#[inline(always)]
fn log_tail<F: Fuse>(f: f32) -> f32 {
    const P: [f32; 9] = [
        7.037_683_6e-2, -1.151_461e-1, 1.167_699_9e-1, -1.242_014_1e-1, 1.424_932_3e-1,
        -1.666_805_7e-1, 2.000_071_4e-1, -2.499_999_4e-1, 3.333_333_1e-1,
    ];
    let z = f * f;
    F::fma(-0.5, z, poly::<F, 9>(f, P) * f * z)
}

/// Exponent and mantissa − 1 of a positive number, the mantissa in √½ .. √2.
#[inline(always)]
fn split(x: f32) -> (f32, f32) {
    let is_subnormal = x < f32::MIN_POSITIVE;
    let x = if is_subnormal { x * 8_388_608.0 } else { x };
    let bits = x.to_bits().wrapping_sub(0x3f35_04f3);
    let exponent = (bits as i32) >> 23;
    let mantissa = f32::from_bits((bits & 0x007f_ffff).wrapping_add(0x3f35_04f3));
    let e = exponent as f32 - if is_subnormal { 23.0 } else { 0.0 };
    (e, mantissa - 1.0)
}

/// What logarithms do at 0, below it, at infinity and at NaN.
#[inline(always)]
fn log_edges(x: f32, y: f32) -> f32 {
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    let y = if x < f32::INFINITY { y } else { x };
    if x < 0.0 { f32::NAN } else { y }
}

#[inline(always)]
pub(super) fn log<F: Fuse>(x: f32) -> f32 {
    let (e, f) = split(x);
    log_edges(x, log_of_parts::<F>(f, e))
}

#[inline(always)]
pub(super) fn log2<F: Fuse>(x: f32) -> f32 {
    // 1 / ln 2 in two parts: the first product is then nearly exact.
    const LOW: f32 = LOG2_E - 1.0;
    let (e, f) = split(x);
    let y = log_tail::<F>(f);
    let y = F::fma(f, LOW, F::fma(y, LOW, y)) + f;
    log_edges(x, y + e)
}

#[inline(always)]
pub(super) fn log10<F: Fuse>(x: f32) -> f32 {
    const LOG10_E: f32 = std::f32::consts::LOG10_E;
    const LOG10_2_HIGH: f32 = 0.300_781_25;
    const LOG10_2_LOW: f32 = 2.487_456_6e-4;
    let (e, f) = split(x);
    let y = F::fma(log_tail::<F>(f), LOG10_E, e * LOG10_2_LOW);
    log_edges(x, F::fma(e, LOG10_2_HIGH, F::fma(f, LOG10_E, y)))
}

#[inline(always)]
pub(super) fn log1p<F: Fuse>(x: f32) -> f32 {
    let u = 1.0 + x;
    // What rounding took from 1 + x, of either sign.
    let lost = if x.abs() < 1.0 { x - (u - 1.0) } else { 1.0 - (u - x) };
    let (e, f) = split(u);
    let f = F::fma(lost, power((-e).max(-126.0) as i32), f);
    let y = log_edges(u, log_of_parts::<F>(f, e));
    if x.abs() < 6e-8 { x } else { y }
}

#[inline(always)]
pub(super) fn tanh<F: Fuse>(x: f32) -> f32 {
    const P: [f32; 5] =
        [-5.704_988_7e-3, 2.063_908_9e-2, -5.373_971_6e-2, 1.333_144_2e-1, -3.333_328_2e-1];
    let z = x * x;
    let small = F::fma(poly::<F, 5>(z, P) * z, x, x);
    let a = x.abs().min(10.0);
    let large = 1.0 - 2.0 / (exp_of_parts::<F>(2.0 * a, 0.0) + 1.0);
    (if x.abs() > 0.625 { large } else { small }).copysign(x)
}

#[inline(always)]
pub(super) fn sigmoid<F: Fuse>(x: f32) -> f32 {
    let e = exp::<F>(-x.abs());
    let top = if x < 0.0 { e } else { 1.0 };
    top / (1.0 + e)
}

#[inline(always)]
pub(super) fn silu<F: Fuse>(x: f32) -> f32 {
    x.max(-200.0) * sigmoid::<F>(x)
}

#[inline(always)]
pub(super) fn softplus<F: Fuse>(x: f32) -> f32 {
    let y = x.max(0.0) + log1p::<F>(exp::<F>(-x.abs()));
    if x.is_nan() { x } else { y }
}

/// `x · tanh(softplus(x))`, with `tanh(ln(1 + e)) = (e² + 2e) / (e² + 2e + 2)`.
#[inline(always)]
pub(super) fn mish<F: Fuse>(x: f32) -> f32 {
    let e = exp::<F>(x.min(20.0));
    let w = e * (e + 2.0);
    let y = x.max(-200.0) * (w / (w + 2.0));
    let y = if x > 20.0 { x } else { y };
    if x.is_nan() { x } else { y }
}

#[inline(always)]
pub(super) fn erf<F: Fuse>(x: f32) -> f32 {
    const LARGE: [f32; 7] = [
        -1.728_534_7e-5, 3.831_971_3e-4, -3.883_964_4e-3, 2.425_462_2e-2, -1.067_778_8e-1,
        -6.348_467e-1, -1.287_175_1e-1,
    ];
    let t = x.abs().min(4.0);
    let large = 1.0 - exp_of_parts::<F>(F::fma(poly::<F, 7>(t, LARGE), t, -t), 0.0);
    let small = small_erf::<F>(x);
    if x.abs() > 0.927_734_4 { large.copysign(x) } else { small }
}

/// erf for |x| up to 0.93.
#[inline(always)]
fn small_erf<F: Fuse>(x: f32) -> f32 {
    const P: [f32; 6] = [
        -5.967_617e-4, 4.991_194_2e-3, -2.676_813_5e-2, 1.128_199_3e-1, -3.761_253_4e-1, 1.283_791_7e-1,
    ];
    F::fma(poly::<F, 6>(x * x, P), x, x)
}

/// The first 12 bits of `x` and the rest: the square of the first has no rounding error.
#[inline(always)]
fn halves(x: f32) -> (f32, f32) {
    let high = f32::from_bits(x.to_bits() & 0xffff_f000);
    (high, x - high)
}

#[inline(always)]
pub(super) fn erfc<F: Fuse>(x: f32) -> f32 {
    // erfc(z) · e^(z²) = t · P(t) with t = 1 / (1 + 0.34 z), to 2⁻²⁷ (Chebyshev interpolation).
    const P: [f32; 10] = [
        5.063_568e-2, -2.456_226_8e-1, 4.009_060_5e-1, -2.773_734_5e-1, 2.748_219_7e-1,
        5.972_328_4e-2, 1.747_681_9e-1, 1.782_899_3e-1, 1.920_343_3e-1, 1.918_167_1e-1,
    ];
    let z = x.abs().min(10.1);
    let t = 1.0 / F::fma(0.34, z, 1.0);
    let (high, low) = halves(z);
    let e = exp_of_parts::<F>(-high * high, -low * (z + high));
    let y = poly::<F, 10>(t, P) * t * e;
    let y = if x < 0.0 { 2.0 - y } else { y };
    if x.abs() > 0.5 { y } else { 1.0 - small_erf::<F>(x) }
}

/// `x · Φ(x)`, with Φ from its smaller tail, so that nothing cancels.
#[inline(always)]
pub(super) fn gelu<F: Fuse>(x: f32) -> f32 {
    // 2 Φ(−z) · e^(z²/2) = t · P(t) with t = 1 / (1 + 0.24 z), to 2⁻²⁷ (Chebyshev interpolation).
    const P: [f32; 10] = [
        5.131_608_3e-2, -2.508_127e-1, 4.148_388e-1, -2.940_840_6e-1, 2.878_357_6e-1, 5.348_021_5e-2,
        1.765_679_2e-1, 1.776_304_4e-1, 1.917_450_7e-1, 1.914_824_7e-1,
    ];
    let z = x.abs().min(14.3);
    let t = 1.0 / F::fma(0.24, z, 1.0);
    let (high, low) = halves(z);
    let e = exp_of_parts::<F>(-0.5 * high * high, -0.5 * low * (z + high));
    let tail = poly::<F, 10>(t, P) * t * (0.5 * e);
    let share = if x < 0.0 { tail } else { 1.0 - tail };
    let y = x.max(-14.3) * share;
    if x.is_nan() { x } else { y }
}

/// `x · σ(2u)`, which equals `½ x (1 + tanh u)`, `u = √(2/π) (x + 0.044715 x³)`.
#[inline(always)]
pub(super) fn gelu_tanh<F: Fuse>(x: f32) -> f32 {
    const LINEAR: f32 = 1.595_769_1;
    const CUBIC: f32 = 0.071_354_814;
    let a = x.clamp(-20.0, 20.0);
    let y = x.max(-20.0) * sigmoid::<F>(a * F::fma(CUBIC, a * a, LINEAR));
    if x.is_nan() { x } else { y }
}

#[inline(always)]
pub(super) fn sqrt<F: Fuse>(x: f32) -> f32 {
    x.sqrt()
}

#[inline(always)]
pub(super) fn rsqrt<F: Fuse>(x: f32) -> f32 {
    1.0 / x.sqrt()
}

#[inline(always)]
pub(super) fn reciprocal<F: Fuse>(x: f32) -> f32 {
    1.0 / x
}
