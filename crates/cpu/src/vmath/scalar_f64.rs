//! Functions of one f64 that std does not have.

pub(super) fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

pub(super) fn silu(x: f64) -> f64 {
    x.max(-1e3) * sigmoid(x)
}

pub(super) fn softplus(x: f64) -> f64 {
    if x.is_nan() { x } else { x.max(0.0) + (-x.abs()).exp().ln_1p() }
}

pub(super) fn mish(x: f64) -> f64 {
    let e = x.min(40.0).exp();
    let w = e * (e + 2.0);
    match x {
        _ if x.is_nan() => x,
        _ if x > 40.0 => x,
        _ => x.max(-1e3) * (w / (w + 2.0)),
    }
}

pub(super) fn erf(x: f64) -> f64 {
    libm::erf(x)
}

pub(super) fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

pub(super) fn gelu(x: f64) -> f64 {
    if x.is_nan() { x } else { x.max(-40.0) * (0.5 * erfc(-x * std::f64::consts::FRAC_1_SQRT_2)) }
}

pub(super) fn gelu_tanh(x: f64) -> f64 {
    let a = x.clamp(-100.0, 100.0);
    let u2 = (8.0 / std::f64::consts::PI).sqrt() * (a + 0.044715 * a * a * a);
    if x.is_nan() { x } else { x.max(-100.0) * sigmoid(u2) }
}
