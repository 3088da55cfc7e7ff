//! Branch-free f32 functions, generic over [`Vector`]. The errors stated here were measured by the
//! tests of this module.
use super::vector::Vector;

/// A polynomial, highest power first.
#[inline(always)]
fn poly<V: Vector, const N: usize>(x: V, coefficients: [f32; N]) -> V {
    let mut sum = V::of(coefficients[0]);
    for &c in &coefficients[1..] {
        sum = sum.fma(x, V::of(c));
    }
    sum
}

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2 in two parts, the first short enough for exact products with exponents.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `(eʳ − 1 − r) / r²` for |r| up to ln 2 / 2.
#[inline(always)]
fn exp_tail<V: Vector>(r: V) -> V {
    const P: [f32; 6] =
        [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    poly(r, P)
}

/// `x − n · ln 2` and `n`.
#[inline(always)]
fn exp_reduce<V: Vector>(x: V) -> (V, V) {
    let n = (x * V::of(LOG2_E)).round();
    let r = n.fma(V::of(-LN2_HIGH), x);
    (n.fma(V::of(-LN2_LOW), r), n)
}

/// `eˣ` for `x` in -104 .. 89, with an error of 1.0 ulp.
#[inline(always)]
fn exp_in_range<V: Vector>(x: V) -> V {
    let (r, n) = exp_reduce(x);
    let p = (r * r).fma(exp_tail(r), r) + V::of(1.0);
    p.mul_pow2(n)
}

/// `e^(x + low)` with an error of 0.6 ulp, for `low` below about 0.1. The rounding errors of r and
/// of 1 + r are added back.
#[inline(always)]
fn exp_of_parts<V: Vector>(x: V, low: V) -> V {
    let n = (x * V::of(LOG2_E)).round();
    let exact = n.fma(V::of(-LN2_HIGH), x);
    let low = n.fma(V::of(-LN2_LOW), low);
    let r = exact + low;
    let sum = V::of(1.0) + r;
    let lost = (exact - r) + low + (r - (sum - V::of(1.0)));
    (sum + (r * r).fma(exp_tail(r), lost)).mul_pow2(n)
}

/// As [`exp_in_range`], with an error of 0.6 ulp.
#[inline(always)]
fn exp_accurate<V: Vector>(x: V) -> V {
    exp_of_parts(x, V::of(0.0))
}

#[inline(always)]
pub(super) fn exp<V: Vector>(x: V) -> V {
    // Masked attention scores are often far below zero. If they underflowed to zero, each vector
    // with one would cost a microcode assist (seen with softmax of [8192, 128], half of it masked).
    let is_zero = x.less(V::of(-104.0));
    let zero = V::of(0.0);
    let y = exp_in_range(V::select(is_zero, zero, x).min(89.0));
    V::select(is_zero, zero, y)
}

#[inline(always)]
pub(super) fn exp2<V: Vector>(x: V) -> V {
    exp2_in_range(x.max(-151.0).min(129.0))
}

/// `2ˣ` for `x` in -151 .. 129.
#[inline(always)]
fn exp2_in_range<V: Vector>(x: V) -> V {
    let n = x.round();
    let r = (x - n) * V::of(std::f32::consts::LN_2);
    ((r * r).fma(exp_tail(r), r) + V::of(1.0)).mul_pow2(n)
}

#[inline(always)]
pub(super) fn expm1<V: Vector>(x: V) -> V {
    let (r, n) = exp_reduce(x.max(-30.0).min(89.0));
    let p = (r * r).fma(exp_tail(r), r);
    // Half of the result, because 2ⁿ itself may exceed f32.
    let half = V::of(0.5).mul_pow2(n);
    let y = half.fma(p, half - V::of(0.5));
    V::select(x.abs().less(V::of(6e-8)), x, y + y)
}

/// `ln(1 + f) − f`.
#[inline(always)]
fn log_tail<V: Vector>(f: V) -> V {
    const P: [f32; 9] = [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_7e-1,
        2.000_071_4e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ];
    let z = f * f;
    z.fma(V::of(-0.5), poly(f, P) * (f * z))
}

/// `ln(2^e · (1 + f))` with `1 + f` in √½ .. √2.
#[inline(always)]
fn log_of_parts<V: Vector>(f: V, e: V) -> V {
    let y = e.fma(V::of(LN2_LOW), log_tail(f));
    e.fma(V::of(LN2_HIGH), f + y)
}

/// The results of logarithms at 0, below 0, at infinity and at NaN.
#[inline(always)]
fn log_edges<V: Vector>(x: V, y: V) -> V {
    let zero = V::of(0.0);
    let y = V::select(zero.less(x), y, V::of(f32::NEG_INFINITY));
    let y = V::select(x.less(zero), V::of(f32::NAN), y);
    let above = V::select(x.less(zero), V::of(f32::NAN), x);
    V::select(x.less(V::of(f32::INFINITY)), y, above)
}

#[inline(always)]
pub(super) fn log<V: Vector>(x: V) -> V {
    let (e, m) = x.frexp();
    log_edges(x, log_of_parts(m - V::of(1.0), e))
}

#[inline(always)]
pub(super) fn log2<V: Vector>(x: V) -> V {
    // log₂e − 1, so that the term f itself is not rounded.
    const LOW: f32 = LOG2_E - 1.0;
    let (e, m) = x.frexp();
    let f = m - V::of(1.0);
    let y = log_tail(f);
    let y = f.fma(V::of(LOW), y.fma(V::of(LOW), y)) + f;
    log_edges(x, y + e)
}

#[inline(always)]
pub(super) fn log10<V: Vector>(x: V) -> V {
    const LOG10_E: f32 = std::f32::consts::LOG10_E;
    const LOG10_2_HIGH: f32 = 0.300_781_25;
    const LOG10_2_LOW: f32 = 2.487_456_6e-4;
    let (e, m) = x.frexp();
    let f = m - V::of(1.0);
    let y = log_tail(f).fma(V::of(LOG10_E), e * V::of(LOG10_2_LOW));
    log_edges(x, e.fma(V::of(LOG10_2_HIGH), f.fma(V::of(LOG10_E), y)))
}

#[inline(always)]
pub(super) fn log1p<V: Vector>(x: V) -> V {
    let one = V::of(1.0);
    let u = one + x;
    // The rounding error of 1 + x, of either sign.
    let lost = V::select(x.abs().less(one), x - (u - one), one - (u - x));
    let (e, m) = u.frexp();
    let f = lost.mul_pow2((-e).max(-126.0).min(126.0)) + (m - one);
    let y = log_edges(u, log_of_parts(f, e));
    V::select(x.abs().less(V::of(6e-8)), x, y)
}

#[inline(always)]
pub(super) fn tanh<V: Vector>(x: V) -> V {
    const P: [f32; 5] =
        [-5.704_988_7e-3, 2.063_909e-2, -5.373_971_6e-2, 1.333_144_2e-1, -3.333_328e-1];
    let z = x * x;
    let small = (poly(z, P) * z).fma(x, x);
    let a = x.abs().min(10.0);
    let e = exp_in_range(a + a);
    let large = V::of(1.0) - V::of(2.0).fast_div(e + V::of(1.0));
    V::select(V::of(0.625).less(a), large, small).copysign(x)
}

#[inline(always)]
pub(super) fn sigmoid<V: Vector>(x: V) -> V {
    let one = V::of(1.0);
    let e = exp_accurate((-x.abs()).max(-104.0));
    let sum = one + e;
    let lost = e - (sum - one);
    let y = V::select(x.less(V::of(0.0)), e, one).fast_div(sum);
    // 1 / (sum + lost) is nearly (1 − lost) / sum: this reduces the error from 2.1 to 1.6 ulp.
    y.fma(-lost, y)
}

#[inline(always)]
pub(super) fn silu<V: Vector>(x: V) -> V {
    x.max(-200.0) * sigmoid(x)
}

#[inline(always)]
pub(super) fn softplus<V: Vector>(x: V) -> V {
    // The argument of this logarithm is never NaN, infinite or negative.
    let one = V::of(1.0);
    let e = exp_in_range((-x.abs()).max(-104.0));
    let u = one + e;
    let lost = e - (u - one);
    let is_large = V::of(std::f32::consts::SQRT_2).less(u);
    let exponent = V::select(is_large, one, V::of(0.0));
    let half = V::select(is_large, V::of(0.5), one);
    let f = u.fma(half, -one) + lost * half;
    x.max(0.0) + log_of_parts(f, exponent)
}

/// `x · tanh(softplus(x))`, with `tanh(ln(1 + e)) = (e² + 2e) / (e² + 2e + 2)`.
#[inline(always)]
pub(super) fn mish<V: Vector>(x: V) -> V {
    let e = exp_accurate(x.max(-104.0).min(20.0));
    let w = e * (e + V::of(2.0));
    let y = x.max(-200.0) * w.fast_div(w + V::of(2.0));
    V::select(V::of(20.0).less(x), x, y)
}

#[inline(always)]
pub(super) fn erf<V: Vector>(x: V) -> V {
    const P: [f32; 7] = [
        -1.728_534_7e-5,
        3.831_971_3e-4,
        -3.883_964_4e-3,
        2.425_462_2e-2,
        -1.067_778_8e-1,
        -6.348_467e-1,
        -1.287_175_1e-1,
    ];
    let t = x.abs().min(4.0);
    let large = V::of(1.0) - exp_in_range(poly(t, P).fma(t, -t));
    V::select(V::of(0.927_734_4).less(t), large.copysign(x), small_erf(x))
}

/// erf for |x| up to 0.93.
#[inline(always)]
fn small_erf<V: Vector>(x: V) -> V {
    const P: [f32; 6] = [
        -5.967_617e-4,
        4.991_194_2e-3,
        -2.676_813_5e-2,
        1.128_199_3e-1,
        -3.761_253_4e-1,
        1.283_791_7e-1,
    ];
    poly(x * x, P).fma(x, x)
}

/// `erfc(z) · e^(z²)` for `z` from 0 to 10.1, as `P(q) / (1 + 2z)` with
/// `q = (z − 2.6) / (z + 2.6)`, with an error of 2⁻²⁶ (Chebyshev interpolation). P is nearly
/// constant, so the rounding of q has little effect.
#[inline(always)]
fn scaled_erfc<V: Vector>(z: V) -> V {
    const P: [f32; 10] = [
        5.416_506_3e-4,
        1.054_505_5e-3,
        -4.201_366_6e-3,
        -3.249_916_5e-3,
        4.095_343e-2,
        -1.084_951e-1,
        1.529_833_8e-1,
        -8.744_738e-2,
        -1.260_128_5e-1,
        1.262_402_2,
    ];
    const MIDDLE: f32 = 2.6;
    let q = (z - V::of(MIDDLE)).fast_div(z + V::of(MIDDLE));
    poly(q, P).fast_div(z.fma(V::of(2.0), V::of(1.0)))
}

#[inline(always)]
pub(super) fn erfc<V: Vector>(x: V) -> V {
    let z = x.abs().min(10.1);
    let high = z.truncate_mantissa();
    let low = (z - high) * (z + high);
    let y = scaled_erfc(z) * exp_of_parts(-(high * high), -low);
    let y = V::select(x.less(V::of(0.0)), V::of(2.0) - y, y);
    V::select(V::of(0.5).less(z), y, V::of(1.0) - small_erf(x))
}

/// `½ x (1 + erf(x / √2))`, as in PyTorch. Where the sum cancels, the error stays below 2·10⁻⁷;
/// with erfc it would stay below 4 ulp, at twice the time.
#[inline(always)]
pub(super) fn gelu<V: Vector>(x: V) -> V {
    let half = V::of(0.5);
    let y = erf(x * V::of(std::f32::consts::FRAC_1_SQRT_2));
    x.max(-10.0) * y.fma(half, half)
}

/// `x / (1 + 2ᵗ)`, `t = −2u log₂e`, which equals `½ x (1 + tanh u)`,
/// `u = √(2/π) (x + 0.044715 x³)`. Below -9 the result is zero up to 10⁻²⁹.
#[inline(always)]
pub(super) fn gelu_tanh<V: Vector>(x: V) -> V {
    const LINEAR: f32 = -2.302_208_2;
    const CUBIC: f32 = -0.102_943_24;
    const FAR: f32 = 9.0;
    let (a, one) = (x.max(-FAR), V::of(1.0));
    let near = a.min(FAR);
    let e = exp2_in_range(near * (near * near).fma(V::of(CUBIC), V::of(LINEAR)));
    a * one.fast_div(one + e)
}

#[inline(always)]
fn sin_reduced<V: Vector>(r: V) -> V {
    let z = r * r;
    (poly(z, [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1]) * z).fma(r, r)
}

#[inline(always)]
fn cos_reduced<V: Vector>(r: V) -> V {
    let z = r * r;
    let p = poly(z, [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2]);
    (p * z).fma(z, z.fma(V::of(-0.5), V::of(1.0)))
}

/// The sine of `x` plus `quarters` quarter turns.
#[inline(always)]
fn sin_quarters<V: Vector>(x: V, quarters: i32) -> V {
    let (r, is_odd, is_negative) = x.reduce_angle(quarters);
    let y = V::select(is_odd, cos_reduced(r), sin_reduced(r));
    V::select(is_negative, -y, y)
}

#[inline(always)]
pub(super) fn sin<V: Vector>(x: V) -> V {
    let is_tiny = x.abs().less(V::of(1e-4));
    V::select(is_tiny, x, sin_quarters(x, 0))
}

#[inline(always)]
pub(super) fn cos<V: Vector>(x: V) -> V {
    sin_quarters(x, 1)
}

#[inline(always)]
pub(super) fn tan<V: Vector>(x: V) -> V {
    let (r, is_odd, _) = x.reduce_angle(0);
    let (s, c) = (sin_reduced(r), cos_reduced(r));
    let top = V::select(is_odd, -c, s);
    let y = top.fast_div(V::select(is_odd, s, c));
    V::select(x.abs().less(V::of(1e-4)), x, y)
}

#[inline(always)]
pub(super) fn sqrt<V: Vector>(x: V) -> V {
    x.sqrt()
}

#[inline(always)]
pub(super) fn rsqrt<V: Vector>(x: V) -> V {
    V::of(1.0).divide(x.sqrt())
}

#[inline(always)]
pub(super) fn reciprocal<V: Vector>(x: V) -> V {
    V::of(1.0).divide(x)
}
