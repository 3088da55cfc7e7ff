//! Special functions in `f64` that none of our dependencies provides.
use std::f64::consts::PI;

/// Inverse of the error function: Winitzki's approximation, made exact by Newton steps.
pub(super) fn erfinv(y: f64) -> f64 {
    if y.abs() >= 1.0 {
        return if y.abs() > 1.0 { f64::NAN } else { y * f64::INFINITY };
    }
    let a = 0.147;
    let log = (1.0 - y * y).ln();
    let b = 2.0 / (PI * a) + log / 2.0;
    let mut x = y.signum() * ((b * b - log / a).sqrt() - b).max(0.0).sqrt();
    for _ in 0..3 {
        // Where erf is close to ±1, erfc avoids the cancellation.
        let error = if x.abs() < 1.0 {
            libm::erf(x) - y
        } else {
            x.signum() * ((1.0 - y.abs()) - libm::erfc(x.abs()))
        };
        let slope = 2.0 / PI.sqrt() * (-x * x).exp();
        let step = error / slope;
        x -= step / (1.0 + x * step);
    }
    x
}

/// The `n`-th derivative of digamma; `n = 0` is digamma itself.
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    // (−1)^(n+1) · n! · ζ(n + 1, x)
    let sign = if n as i64 % 2 == 0 { -1.0 } else { 1.0 };
    sign * libm::tgamma(n + 1.0) * hurwitz_zeta(n + 1.0, x)
}

fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY.copysign(-x);
    }
    if x < 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // Reflection: ψ(1 − x) − ψ(x) = π / tan(πx)
        return digamma(1.0 - x) - PI / (PI * (x - x.floor())).tan();
    }
    let (mut x, mut y) = (x, 0.0);
    while x < 10.0 {
        y -= 1.0 / x;
        x += 1.0;
    }
    // Asymptotic series in 1/x².
    let z = 1.0 / (x * x);
    let series =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0];
    let tail = series.iter().rev().fold(0.0, |sum, c| (sum + c) * z);
    y + x.ln() - 0.5 / x - tail
}

/// ζ(s, x) = Σ (x + k)^−s for s > 1, by Euler–Maclaurin after a few plain terms.
fn hurwitz_zeta(s: f64, x: f64) -> f64 {
    // The sum would have too many terms, and adjacent arguments have too different values.
    if x < -1e5 {
        return f64::NAN;
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < 12.0 {
        sum += x.powf(-s);
        x += 1.0;
    }
    // B₂ₖ / (2k)!
    let bernoulli = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30240.0,
        -1.0 / 1209600.0,
        1.0 / 47900160.0,
        -691.0 / 1307674368000.0,
    ];
    let (mut tail, mut factor) = (0.0, s * x.powf(-s - 1.0));
    for (k, c) in bernoulli.into_iter().enumerate() {
        tail += c * factor;
        let k = 2.0 * k as f64;
        factor *= (s + k + 1.0) * (s + k + 2.0) / (x * x);
    }
    sum + x.powf(1.0 - s) / (s - 1.0) + 0.5 * x.powf(-s) + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let gamma = 0.577_215_664_901_532_9;
        let rows = [
            (polygamma(0.0, 1.0), -gamma),
            (polygamma(0.0, 0.5), -gamma - 2.0 * 2f64.ln()),
            (polygamma(1.0, 1.0), PI * PI / 6.0),
            (polygamma(1.0, 0.5), PI * PI / 2.0),
            (polygamma(2.0, 1.0), -2.404_113_806_319_188_5),
            (erfinv(0.5), 0.476_936_276_204_469_9),
            (erfinv(-0.999), -2.326_753_765_513_524_7),
            (erfinv(1e-8), 8.862_269_254_527_58e-9),
        ];
        for (n, (got, want)) in rows.into_iter().enumerate() {
            assert!((got - want).abs() <= 1e-12 * (1.0 + want.abs()), "row {n}: {got} vs {want}");
        }
        assert_eq!(erfinv(1.0), f64::INFINITY);
        assert!(erfinv(1.5).is_nan());
    }
}
