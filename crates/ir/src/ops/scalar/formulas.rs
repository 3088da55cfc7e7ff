//! What rows of the scalar functions have in common, and meanings that are longer than a few lines.
use super::Scalar;
use crate::ops::Vjp;
use crate::recorder::Expr;
use std::f64::consts::FRAC_2_SQRT_PI;

pub(super) const GELU_A: f64 = 0.797_884_560_802_865_4; // √(2/π)
pub(super) const GELU_B: f64 = 0.044715;

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `x`, where a factor is zero long before it ends: minus infinity times that would be NaN.
pub(super) fn at_least_far(x: f64) -> f64 {
    if x < -1000.0 { -1000.0 } else { x }
}

/// As C Python and PyTorch do it: exact quotients stay exact, the rest rounds down.
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

/// `i64::wrapping_pow` takes exponents of 32 bits.
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
pub(super) fn bell(x: Expr<'_>) -> Expr<'_> {
    (-(x * x)).exp() * FRAC_2_SQRT_PI
}

/// x² + y² of a binary function's operands.
pub(super) fn squares<'g>(v: &Vjp<'g>) -> Expr<'g> {
    v.inputs[0] * v.inputs[0] + v.inputs[1] * v.inputs[1]
}

/// dy for the operand of `maximum` or `minimum`, unless it loses; half of it for a tie.
pub(super) fn winner<'g>(v: &Vjp<'g>, n: usize, loses: Scalar) -> Expr<'g> {
    let (mine, other) = (v.inputs[n], v.inputs[1 - n]);
    let share = mine.eq(other).choose(v.dy * 0.5, v.dy);
    Expr::map(loses, &[mine, other]).choose(v.dy.zeros_like(), share)
}
