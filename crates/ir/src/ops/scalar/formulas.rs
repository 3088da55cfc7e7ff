//! Formulas of scalar functions that are shared or longer than a few lines.
use super::Scalar;
use crate::ops::Vjp;
use crate::recorder::Expr;
use std::f64::consts::FRAC_2_SQRT_PI;

pub(super) const GELU_A: f64 = 0.797_884_560_802_865_4; // √(2/π)
pub(super) const GELU_B: f64 = 0.044715;

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `max(x, −1000)`, keeping NaN, for a factor that multiplies another which underflows to zero
/// before −1000: `−inf · 0` would be NaN.
pub(super) fn clamp_below(x: f64) -> f64 {
    if x < -1000.0 { -1000.0 } else { x }
}

/// As in CPython and PyTorch: exact quotients stay exact, others round down.
pub(super) fn floor_divide(a: f64, b: f64) -> f64 {
    if b == 0.0 {
        return a / b;
    }
    let r = a % b;
    let mut q = (a - r) / b;
    if r != 0.0 && (r < 0.0) != (b < 0.0) {
        q -= 1.0;
    }
    if q == 0.0 {
        return 0f64.copysign(a / b);
    }
    if q - q.floor() > 0.5 { q.floor() + 1.0 } else { q.floor() }
}

/// `i64::wrapping_pow` with an exponent of 64 instead of 32 bits.
fn wrapping_pow(mut base: i64, mut exponent: u64) -> i64 {
    let mut power = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    power
}

pub(super) fn int_pow(a: i64, b: i64) -> i64 {
    match (a, b) {
        (_, 0..) => wrapping_pow(a, b as u64),
        (1, _) => 1,
        (-1, _) => {
            if b % 2 == 0 {
                1
            } else {
                -1
            }
        }
        _ => 0,
    }
}

/// 2/√π · exp(−x²), the slope of erf.
pub(super) fn erf_slope(x: Expr<'_>) -> Expr<'_> {
    (-(x * x)).exp() * FRAC_2_SQRT_PI
}

/// x² + y² of a binary function's operands.
pub(super) fn sum_squares<'g>(v: &Vjp<'g>) -> Expr<'g> {
    v.inputs[0] * v.inputs[0] + v.inputs[1] * v.inputs[1]
}

/// The gradient of operand `n` of `maximum` or `minimum`: zero where `loses` (`Lt` or `Gt`) is
/// true of it and the other operand, `dy / 2` for equal elements, else `dy`.
pub(super) fn extreme_grad<'g>(v: &Vjp<'g>, n: usize, loses: Scalar) -> Expr<'g> {
    let (mine, other) = (v.inputs[n], v.inputs[1 - n]);
    let share = mine.eq(other).choose(v.dy * 0.5, v.dy);
    Expr::map(loses, &[mine, other]).choose(v.dy.zeros_like(), share)
}
