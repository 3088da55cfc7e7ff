//! Compares every function at every level with f64, on a sweep of all f32 with a prime step and at
//! edge cases.
use super::*;

/// The largest error allowed, in units in the last place (ulp).
pub(crate) fn bound(f: Unary) -> f64 {
    match f {
        // Correctly rounded, except next to the midpoint of two numbers.
        Unary::Sqrt | Unary::Reciprocal => 0.5001,
        Unary::Exp | Unary::Log | Unary::Tanh | Unary::Erf => 2.0,
        Unary::Sigmoid | Unary::Sin | Unary::Cos | Unary::Rsqrt => 2.0,
        _ => 4.0,
    }
}

/// Absolute errors below this pass: a sum of two numbers near 1 cancelled, or the factor of x is
/// subnormal.
pub(crate) fn tiny(f: Unary) -> f64 {
    match f {
        Unary::Gelu | Unary::GeluTanh => 2e-7,
        Unary::Silu | Unary::Mish => 1e-42,
        // Near the zeros at negative x, where two logarithms cancel.
        Unary::Lgamma => 1e-13,
        _ => 0.0,
    }
}

fn inputs() -> Vec<f32> {
    let edges =
        [0.0, 1.0, 0.5, 2.0, 1e5, 88.72284, 103.97, 1e-45, 1e-40, f32::MIN_POSITIVE, f32::MAX];
    let edges = edges.into_iter().chain([f32::INFINITY, 20.0, 0.625, 0.9277344, 10.0, 1e-8, 3e-8]);
    let edges = edges.flat_map(|x| [x, -x, x.next_up(), x.next_down(), -x.next_up()]);
    let sweep = (0..u32::MAX).step_by(4999).map(f32::from_bits);
    // Most f32 are tiny or huge; this is the range where functions are used.
    let dense = (0..600_000).map(|i| (i as f32 - 3e5) * (1.0 / 2999.0));
    edges.chain(sweep).chain(dense).chain([f32::NAN]).collect()
}

/// The error of `y` in units in the last place of `wanted`.
pub(crate) fn ulps(y: f32, wanted: f64) -> f64 {
    let rounded = wanted as f32;
    if y == rounded || y.is_nan() && wanted.is_nan() {
        return 0.0;
    }
    if !y.is_finite() || !rounded.is_finite() {
        // Rounding to infinity instead of the largest finite number is an error of one ulp.
        let is_next =
            y.abs().max(rounded.abs()) == f32::INFINITY && y.abs().min(rounded.abs()) >= f32::MAX;
        return if is_next && y.signum() == rounded.signum() { 1.0 } else { f64::INFINITY };
    }
    let (_, exponent) = libm::frexp(wanted);
    let ulp = libm::exp2(f64::from((exponent - 24).max(-149)));
    (f64::from(y) - wanted).abs() / ulp
}

#[test]
fn errors_are_within_their_bounds() {
    let x = inputs();
    let mut y = vec![0.0; x.len()];
    let (mut table, mut is_good) = (String::new(), true);
    for &f in Unary::ALL {
        let f64_function = f.f64_function();
        let wanted: Vec<f64> = x.iter().map(|&x| f64_function(f64::from(x))).collect();
        for &level in Level::available() {
            f.map_at(level, &x, &mut y);
            let errors = x.iter().zip(&y).zip(&wanted).map(|((&x, &y), &wanted)| {
                let is_tiny = (f64::from(y) - wanted).abs() <= tiny(f);
                (if is_tiny { 0.0 } else { ulps(y, wanted) }, x, y, wanted)
            });
            let worst = errors.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are inputs");
            let (error, x, y, wanted) = worst;
            let is_bad = error > bound(f);
            is_good &= !is_bad;
            table += &format!(
                "{:>10} {:>9} {error:8.3} of {} at {x:e}: {y:e}, not {wanted:e}{}\n",
                f.name(),
                format!("{level:?}"),
                bound(f),
                if is_bad { "  <-- bad" } else { "" }
            );
        }
    }
    assert!(is_good, "errors in ulp:\n{table}");
    println!("{table}");
}

#[test]
fn zeros_keep_their_sign() {
    use Unary::*;
    for f in [
        Expm1, Log1p, Tanh, Erf, Sin, Tan, Sqrt, Silu, Gelu, GeluTanh, Mish, Asin, Atan, Sinh,
        Asinh, Atanh, Erfinv,
    ] {
        for &level in Level::available() {
            let mut y = [1.0; 2];
            f.map_at(level, &[0.0, -0.0], &mut y);
            assert_eq!(y.map(f32::to_bits), [0.0f32, -0.0].map(f32::to_bits), "{f:?} {level:?}");
        }
    }
}

#[test]
fn results_do_not_depend_on_the_position_in_a_slice() {
    let x: Vec<f32> = (0..200).map(|i| i as f32 * 0.37 - 31.0).collect();
    for &f in Unary::ALL {
        let mut y = vec![0.0; x.len()];
        f.map(&x, &mut y);
        let mut in_place = x.clone();
        f.map_in_place(&mut in_place);
        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&y), bits(&in_place), "{f:?}");
        for (&x, &y) in x.iter().zip(&y) {
            let mut alone = [0.0];
            f.map(&[x], &mut alone);
            assert_eq!(alone[0].to_bits(), y.to_bits(), "{f:?} of {x}");
        }
    }
}

#[test]
fn binary_functions_agree_with_the_op_table() {
    let edges =
        [0.0f32, 1.0, 0.5, 2.0, 3.0, 10.0, 1e-40, 1e38, f32::INFINITY, 1e9, 2.5, 0.999999, 7.0];
    let mut values: Vec<f32> = edges.into_iter().flat_map(|x| [x, -x]).chain([f32::NAN]).collect();
    values.extend((0..300).map(|i| f32::from_bits(i * 14_000_017)));
    values.extend((0..200).map(|i| (i as f32 - 100.0) * 0.317));
    let pairs: Vec<(f32, f32)> =
        values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).collect();
    let x: Vec<f32> = pairs.iter().map(|p| p.0).collect();
    let y: Vec<f32> = pairs.iter().map(|p| p.1).collect();
    let mut z = vec![0.0; x.len()];
    for &f in Binary::ALL {
        let bound = match f {
            Binary::Pow => 4.0,
            Binary::Atan2 => 1.0,
            // Remainders are exact, except for the sum that gives them the sign of the divisor.
            _ => 0.5,
        };
        let eval = f.scalar().def().eval;
        for &level in Level::available() {
            f.map_at(level, &x, &y, &mut z);
            for i in 0..z.len() {
                let wanted = eval(&[f64::from(x[i]), f64::from(y[i])]);
                let error = ulps(z[i], wanted);
                let what = format!("{level:?} {f:?}({}, {}): {}", x[i], y[i], z[i]);
                assert!(error <= bound, "{what} not {wanted}, {error} ulp");
                let has_sign = z[i] != 0.0 || z[i].is_sign_negative() == wanted.is_sign_negative();
                assert!(has_sign, "{what} not {wanted}");
            }
        }
    }
}
