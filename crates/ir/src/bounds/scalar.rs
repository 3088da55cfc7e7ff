//! Scalar functions and casts with error bounds.
use super::{Bounded, distance, is_exact, unit};
use crate::dtype::DType;
use crate::ops::{Kind, Scalar};
use crate::shape::Type;

pub(super) fn cast(x: &Bounded, out: &Type) -> Bounded {
    let mut y = Bounded::zeros(out);
    let (low, high) = if out.dtype.is_float() { (0, 0) } else { out.dtype.int_range() };
    for i in 0..y.value.len() {
        let (v, e) = (x.value[i], x.error[i]);
        if out.dtype.is_float() {
            let rounding = if e == 0.0 && is_exact(out.dtype, v) { 0.0 } else { v.abs() };
            y.set(i, v, e + unit(out.dtype) * rounding);
        } else if out.dtype == DType::Bool {
            let is_open = e > 0.0 && v.abs() <= e;
            y.set(i, f64::from(v != 0.0), if is_open { 1.0 } else { 0.0 });
        } else if !x.ty.dtype.is_float() {
            let exact = out.dtype.wrap(v as i64) as f64;
            y.set(i, exact, if e == 0.0 { 0.0 } else { f64::INFINITY });
        } else {
            // Out of range, some devices wrap and some saturate.
            let is_inside = v - e - 1.0 > low as f64 && v + e + 1.0 < high as f64;
            let spread =
                distance((v + e).trunc(), v.trunc()).max(distance((v - e).trunc(), v.trunc()));
            y.set(i, v.trunc(), if is_inside { spread } else { f64::INFINITY });
        }
    }
    y
}

/// Whether a function rounds once, so that a representable result is exact.
fn is_basic(function: Scalar) -> bool {
    use Scalar::*;
    matches!(
        function,
        Add | Sub | Mul | Neg | Abs | Maximum | Minimum | Relu | Floor | Ceil | Round | Trunc
    )
}

fn is_sum(function: Scalar) -> bool {
    matches!(function, Scalar::Add | Scalar::Sub)
}

/// Whether the sum is exact even if it is part of a longer one whose terms a device regroups.
fn is_same_in_any_order(terms: [f64; 3]) -> bool {
    terms.iter().all(|x| x.fract() == 0.0) || terms[0] == 0.0 || terms[1] == 0.0
}

/// Error of a function itself, relative to its result and absolute, both in units of roundoff.
fn accuracy(function: Scalar) -> (f64, f64) {
    use Scalar::*;
    match function {
        function if is_basic(function) => (1.0, 0.0),
        Div | Sqrt | Reciprocal | Rsqrt => (4.0, 0.0),
        Lgamma | Polygamma | Erfinv | Pow => (64.0, 64.0),
        _ => (16.0, 16.0),
    }
}

pub(super) fn map(function: Scalar, x: &[&Bounded], out: &Type) -> Bounded {
    let def = function.def();
    let is_int = x.iter().all(|x| !x.ty.dtype.is_float());
    let f = |x: &[f64]| -> f64 {
        match def.int {
            _ if function == Scalar::BitwiseNot && out.dtype == DType::Bool => 1.0 - x[0],
            Some(int) if is_int => {
                let x = [0, 1, 2].map(|n| x.get(n).map_or(0, |&x| x as i64));
                out.dtype.wrap(int(&x[..def.arity])) as f64
            }
            _ => (def.eval)(x),
        }
    };
    // An uncertain bool is still 0 or 1.
    let possible = |at: &[f64]| -> f64 {
        let mut own = [0.0; 3];
        for (n, &x_n) in at.iter().enumerate() {
            own[n] = if x[n].ty.dtype == DType::Bool { x_n.clamp(0.0, 1.0) } else { x_n };
        }
        f(&own[..at.len()])
    };
    let u = unit(out.dtype);
    let (of_result, of_one) = accuracy(function);
    let mut y = Bounded::zeros(out);
    for i in 0..y.value.len() {
        let v = [0, 1, 2].map(|n| x.get(n).map_or(0.0, |x| x.value[i]));
        let e = [0, 1, 2].map(|n| x.get(n).map_or(0.0, |x| x.error[i]));
        if def.kind == Kind::Select {
            let (chosen, other) = if v[0] != 0.0 { (1, 2) } else { (2, 1) };
            let open = if e[0] > 0.0 { distance(v[1], v[2]) + e[other] } else { 0.0 };
            y.set(i, v[chosen], e[chosen] + open);
            continue;
        }
        let value = f(&v[..def.arity]);
        if def.kind == Kind::Compare {
            let e = e[0] + e[1];
            let is_open = e > 0.0 && distance(v[0], v[1]) <= e;
            y.set(i, value, if is_open { 1.0 } else { 0.0 });
            continue;
        }
        let spread = match function {
            // Assumes an operand that is not negative on devices either, such as a sum of squares.
            Scalar::Sqrt | Scalar::Rsqrt => spread(|x| f(&[x[0].max(0.0)]), &v[..1], &e, value),
            _ => spread(possible, &v[..def.arity], &e, value),
        };
        if !out.dtype.is_float() {
            y.set(i, value, if spread > 0.0 { f64::INFINITY } else { 0.0 });
            continue;
        }
        let can_be_exact = is_basic(function) && (!is_sum(function) || is_same_in_any_order(v));
        let is_exact = spread == 0.0 && can_be_exact && super::is_exact(out.dtype, value);
        let size = if value.is_finite() { value.abs() } else { 0.0 };
        let own = if is_exact { 0.0 } else { u * (of_result * size + of_one) };
        y.set(i, value, 1.5 * spread + own);
    }
    y
}

/// How far the result may be from `value` if the operands are off by their errors: the maximum
/// over the corners of the operands' intervals.
fn spread(f: impl Fn(&[f64]) -> f64, v: &[f64], e: &[f64], value: f64) -> f64 {
    let mut open = [0; 3];
    let mut count = 0;
    for n in (0..v.len()).filter(|&n| e[n] > 0.0) {
        open[count] = n;
        count += 1;
    }
    let open = &open[..count];
    if open.iter().any(|&n| e[n].is_infinite()) {
        return f64::INFINITY;
    }
    let mut most = 0.0f64;
    for corner in 0..if open.is_empty() { 0 } else { 1 << open.len() } {
        let mut at = [0.0; 3];
        at[..v.len()].copy_from_slice(v);
        for (bit, &n) in open.iter().enumerate() {
            at[n] += if corner >> bit & 1 == 1 { e[n] } else { -e[n] };
        }
        most = most.max(distance(f(&at[..v.len()]), value));
    }
    most
}
