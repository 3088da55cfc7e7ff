//! The table of scalar functions: one row each, with its value, derivative and test domain.
//! Formulas that are shared or longer than a few lines are in `formulas.rs`.
use super::formulas::{
    GELU_A, GELU_B, clamp_below, erf_slope, extreme_grad, floor_divide, int_pow, sigmoid,
    sum_squares,
};
use super::{DEFAULTS, Kind, ScalarDef, Wgsl, method, scalars, strip};
use crate::ops::special;
use crate::recorder::Expr;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, LN_2, LN_10, PI};

scalars! {
    Add = operator add {
        doc: "Sum of two tensors.", arity: 2, kind: Kind::Any,
        eval: |x| x[0] + x[1],
        int: Some(|x| x[0].wrapping_add(x[1])),
        grad: &[|v| v.dy, |v| v.dy],
        wgsl: Wgsl { bool: "{a} | {b}", ..Wgsl::all("{a} + {b}") },
    }
    Sub = operator sub {
        doc: "Difference of two tensors.", arity: 2, kind: Kind::Any,
        eval: |x| x[0] - x[1],
        int: Some(|x| x[0].wrapping_sub(x[1])),
        grad: &[|v| v.dy, |v| -v.dy],
        wgsl: Wgsl { bool: "{a} != {b}", ..Wgsl::all("{a} - {b}") },
    }
    Mul = operator mul {
        doc: "Product of two tensors.", arity: 2, kind: Kind::Any, aliases: &["multiply", "mul_scalar"],
        eval: |x| x[0] * x[1],
        int: Some(|x| x[0].wrapping_mul(x[1])),
        grad: &[|v| v.dy * v.inputs[1], |v| v.dy * v.inputs[0]],
        wgsl: Wgsl { bool: "{a} & {b}", ..Wgsl::all("{a} * {b}") },
    }
    Div = operator div {
        doc: "Quotient of two tensors. Integers divide towards zero, and by zero give zero.",
        arity: 2, kind: Kind::Any,
        eval: |x| x[0] / x[1],
        int: Some(|x| x[0].checked_div(x[1]).unwrap_or(0)),
        grad: &[|v| v.dy / v.inputs[1], |v| -(v.dy * v.out) / v.inputs[1]],
        domain: (0.5, 2.0),
        wgsl: Wgsl {
            float: "divide({a}, {b})", int: "int_div({a}, {b})",
            uint: "uint_div({a}, {b})", bool: "{a} & {b}",
        },
        cost: Some(4),
    }
    FloorDivide = binary floor_divide {
        doc: "Quotient of two tensors, rounded towards minus infinity.", arity: 2,
        kind: Kind::Any,
        eval: |x| floor_divide(x[0], x[1]),
        int: Some(|x| {
            let (q, r) = (x[0].checked_div(x[1]).unwrap_or(0), x[0].checked_rem(x[1]).unwrap_or(0));
            if r != 0 && (r < 0) != (x[1] < 0) { q - 1 } else { q }
        }),
        domain: (0.5, 2.0),
        wgsl: Wgsl {
            float: "floor_divide({a}, {b})", int: "int_floor_divide({a}, {b})",
            uint: "uint_div({a}, {b})", bool: "{a} & {b}",
        },
        cost: Some(6),
    }
    Remainder = binary remainder {
        doc: "Remainder of the division, with the sign of the divisor (Python's `%`).", arity: 2,
        kind: Kind::Any,
        eval: |x| {
            let r = x[0] % x[1];
            if r != 0.0 && (r < 0.0) != (x[1] < 0.0) { r + x[1] } else { r }
        },
        int: Some(|x| {
            let r = x[0].checked_rem(x[1]).unwrap_or(0);
            if r != 0 && (r < 0) != (x[1] < 0) { r + x[1] } else { r }
        }),
        grad: &[|v| v.dy, |v| -(v.dy * (v.inputs[0] / v.inputs[1]).floor())],
        domain: (0.6, 1.1),
        wgsl: Wgsl {
            float: "remainder({a}, {b})", int: "int_remainder({a}, {b})",
            uint: "uint_rem({a}, {b})", bool: "{a} & false",
        },
        cost: Some(6),
    }
    Fmod = binary fmod {
        doc: "Remainder of the division, with the sign of the dividend (C's `fmod`).", arity: 2,
        kind: Kind::Any,
        eval: |x| x[0] % x[1],
        int: Some(|x| x[0].checked_rem(x[1]).unwrap_or(0)),
        grad: &[|v| v.dy, |v| -(v.dy * (v.inputs[0] / v.inputs[1]).trunc())],
        domain: (0.6, 1.1),
        wgsl: Wgsl {
            float: "fmod({a}, {b})", int: "int_rem({a}, {b})",
            uint: "uint_rem({a}, {b})", bool: "{a} & false",
        },
        cost: Some(6),
    }
    Pow = binary pow {
        doc: "`input` to the power of `other`.", arity: 2, kind: Kind::Any,
        eval: |x| x[0].powf(x[1]),
        int: Some(|x| int_pow(x[0], x[1])),
        grad: &[
            // b · a^(b − 1), which is zero for b = 0 even where a = 0
            |v| {
                let (a, b) = (v.inputs[0], v.inputs[1]);
                let slope = b * a.pow(b - 1.0);
                b.eq(b.zeros_like()).choose(b.zeros_like(), v.dy * slope)
            },
            // a^b · ln a, which is zero for a = 0 where b ≥ 0
            |v| {
                let (a, b) = (v.inputs[0], v.inputs[1]);
                let flat = a.eq(a.zeros_like()).bitwise_and(b.ge(b.zeros_like()));
                flat.choose(a.zeros_like(), v.dy * v.out * a.log())
            },
        ],
        domain: (0.5, 2.0),
        wgsl: Wgsl {
            float: "pow_of({a}, {b})", int: "int_pow({a}, {b})",
            uint: "uint_pow({a}, {b})", bool: "{a} | !{b}",
        },
    }
    Maximum = binary maximum {
        doc: "The larger of two elements; NaN if either is. Equal elements share the gradient.",
        arity: 2, kind: Kind::Any,
        eval: |x| if x[0].is_nan() || x[0] > x[1] { x[0] } else { x[1] },
        int: Some(|x| x[0].max(x[1])),
        grad: &[|v| extreme_grad(v, 0, Scalar::Lt), |v| extreme_grad(v, 1, Scalar::Lt)],
        wgsl: Wgsl {
            float: "maximum({a}, {b})", int: "max({a}, {b})",
            uint: "max({a}, {b})", bool: "{a} | {b}",
        },
        is_exact: true,
    }
    Minimum = binary minimum {
        doc: "The smaller of two elements; NaN if either is. Equal elements share the gradient.",
        arity: 2, kind: Kind::Any,
        eval: |x| if x[0].is_nan() || x[0] < x[1] { x[0] } else { x[1] },
        int: Some(|x| x[0].min(x[1])),
        grad: &[|v| extreme_grad(v, 0, Scalar::Gt), |v| extreme_grad(v, 1, Scalar::Gt)],
        wgsl: Wgsl {
            float: "minimum({a}, {b})", int: "min({a}, {b})",
            uint: "min({a}, {b})", bool: "{a} & {b}",
        },
        is_exact: true,
    }
    Atan2 = binary atan2 {
        doc: "Angle of the point (`other`, `input`), in (−π, π].", arity: 2, aliases: &["arctan2"],
        eval: |x| x[0].atan2(x[1]),
        grad: &[
            |v| v.dy * (v.inputs[1] / sum_squares(v)),
            |v| -(v.dy * (v.inputs[0] / sum_squares(v))),
        ],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("atan2_of({a}, {b})"),
    }
    Hypot = binary hypot {
        doc: "Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.", arity: 2,
        eval: |x| x[0].hypot(x[1]),
        grad: &[|v| v.dy * (v.inputs[0] / v.out), |v| v.dy * (v.inputs[1] / v.out)],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("hypot({a}, {b})"),
    }
    Copysign = binary copysign {
        doc: "The magnitude of `input` with the sign of `other`.", arity: 2,
        eval: |x| x[0].copysign(x[1]),
        grad: &[
            |v| {
                let x = v.inputs[0];
                let sign = x.eq(x.zeros_like()).choose(x.zeros_like(), v.out / x);
                v.dy * sign
            },
            |v| v.dy.zeros_like(),
        ],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("copysign({a}, {b})"),
        is_exact: true,
    }
    Logaddexp = binary logaddexp {
        doc: "Logarithm of the sum of exponentials of two elements.", arity: 2,
        eval: |x| {
            let top = x[0].max(x[1]);
            if x[0] == x[1] { x[0] + LN_2 } else { top + (-(x[0] - x[1]).abs()).exp().ln_1p() }
        },
        grad: &[
            |v| v.dy * (v.inputs[0] - v.out).exp(),
            |v| v.dy * (v.inputs[1] - v.out).exp(),
        ],
        wgsl: Wgsl::float("logaddexp({a}, {b})"),
    }
    Xlogy = binary xlogy {
        doc: "`input · log(other)`, which is zero where `input` is.", arity: 2,
        eval: |x| match x {
            [_, y] if y.is_nan() => f64::NAN,
            [x, _] if *x == 0.0 => 0.0,
            [x, y] => x * y.ln(),
            _ => unreachable!("arity is two"),
        },
        grad: &[
            |v| {
                let (x, y) = (v.inputs[0], v.inputs[1]);
                let flat = x.eq(x.zeros_like()).bitwise_and(y.le(y.zeros_like()));
                flat.choose(x.zeros_like(), v.dy * y.log())
            },
            |v| v.dy * v.inputs[0] / v.inputs[1],
        ],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("xlogy({a}, {b})"),
    }
    Eq = binary eq {
        doc: "Whether two elements are equal.", arity: 2, kind: Kind::Compare, aliases: &["equal"],
        eval: |x| (x[0] == x[1]) as u8 as f64,
        int: Some(|x| (x[0] == x[1]) as i64),
        wgsl: Wgsl::all("{a} == {b}"),
    }
    Ne = binary ne {
        doc: "Whether two elements differ.", arity: 2, kind: Kind::Compare,
        aliases: &["not_equal"],
        eval: |x| (x[0] != x[1]) as u8 as f64,
        int: Some(|x| (x[0] != x[1]) as i64),
        wgsl: Wgsl { bool: "{a} != {b}", ..Wgsl::all("!({a} == {b})") },
    }
    Lt = binary lt {
        doc: "Whether `input` is less than `other`.", arity: 2, kind: Kind::Compare,
        aliases: &["less"],
        eval: |x| (x[0] < x[1]) as u8 as f64,
        int: Some(|x| (x[0] < x[1]) as i64),
        wgsl: Wgsl { bool: "!{a} & {b}", ..Wgsl::all("{a} < {b}") },
    }
    Le = binary le {
        doc: "Whether `input` is at most `other`.", arity: 2, kind: Kind::Compare,
        aliases: &["less_equal"],
        eval: |x| (x[0] <= x[1]) as u8 as f64,
        int: Some(|x| (x[0] <= x[1]) as i64),
        wgsl: Wgsl { bool: "!{a} | {b}", ..Wgsl::all("{a} <= {b}") },
    }
    Gt = binary gt {
        doc: "Whether `input` is greater than `other`.", arity: 2, kind: Kind::Compare,
        aliases: &["greater"],
        eval: |x| (x[0] > x[1]) as u8 as f64,
        int: Some(|x| (x[0] > x[1]) as i64),
        wgsl: Wgsl { bool: "{a} & !{b}", ..Wgsl::all("{a} > {b}") },
    }
    Ge = binary ge {
        doc: "Whether `input` is at least `other`.", arity: 2, kind: Kind::Compare,
        aliases: &["greater_equal"],
        eval: |x| (x[0] >= x[1]) as u8 as f64,
        int: Some(|x| (x[0] >= x[1]) as i64),
        wgsl: Wgsl { bool: "{a} | !{b}", ..Wgsl::all("{a} >= {b}") },
    }
    BitwiseAnd = binary bitwise_and {
        doc: "Bits set in both elements.", arity: 2, kind: Kind::Bits,
        int: Some(|x| x[0] & x[1]),
        wgsl: Wgsl::bits("{a} & {b}"),
    }
    BitwiseOr = binary bitwise_or {
        doc: "Bits set in either element.", arity: 2, kind: Kind::Bits,
        int: Some(|x| x[0] | x[1]),
        wgsl: Wgsl::bits("{a} | {b}"),
    }
    BitwiseXor = binary bitwise_xor {
        doc: "Bits set in exactly one element.", arity: 2, kind: Kind::Bits,
        int: Some(|x| x[0] ^ x[1]),
        wgsl: Wgsl { bool: "{a} != {b}", ..Wgsl::bits("{a} ^ {b}") },
    }
    BitwiseNot = unary bitwise_not {
        doc: "Every bit flipped; for `bool`, the opposite.", kind: Kind::Bits,
        int: Some(|x| !x[0]),
        wgsl: Wgsl { bool: "!{a}", ..Wgsl::bits("~{a}") },
    }
    LeftShift = binary bitwise_left_shift {
        doc: "Bits shifted left by `other`; zero from the width of the type on.", arity: 2,
        kind: Kind::Bits,
        int: Some(|x| if (0..64).contains(&x[1]) { x[0] << x[1] } else { 0 }),
        wgsl: Wgsl { uint: "uint_shl({a}, {b})", bool: "{a}", ..Wgsl::bits("int_shl({a}, {b})") },
    }
    RightShift = binary bitwise_right_shift {
        doc: "Bits shifted right by `other`, with the sign where the type has one.", arity: 2,
        kind: Kind::Bits,
        int: Some(|x| x[0] >> x[1].clamp(0, 63)),
        wgsl: Wgsl { uint: "uint_shr({a}, {b})", bool: "{a} & !{b}", ..Wgsl::bits("int_shr({a}, {b})") },
    }
    Select = operator select {
        doc: "The second operand where the first is true, else the third.", arity: 3,
        kind: Kind::Select,
        eval: |x| if x[0] != 0.0 { x[1] } else { x[2] },
        int: Some(|x| if x[0] != 0 { x[1] } else { x[2] }),
        grad: &[
            |v| v.dy.zeros_like(),
            |v| v.inputs[0].choose(v.dy, v.dy.zeros_like()),
            |v| v.inputs[0].choose(v.dy.zeros_like(), v.dy),
        ],
        wgsl: Wgsl::all("select({c}, {b}, {a})"),
        is_exact: true,
    }
    Neg = operator neg {
        doc: "Each element with its sign flipped.", kind: Kind::Any, aliases: &["negative"],
        eval: |x| -x[0],
        int: Some(|x| x[0].wrapping_neg()),
        grad: &[|v| -v.dy],
        wgsl: Wgsl { float: "-{a}", int: "-{a}", uint: "0u - {a}", bool: "{a}" },
        is_exact: true,
    }
    Abs = unary abs {
        doc: "Absolute value of each element.", kind: Kind::Any, aliases: &["absolute"],
        eval: |x| x[0].abs(),
        int: Some(|x| x[0].wrapping_abs()),
        grad: &[|v| v.dy * v.x().sign()],
        wgsl: Wgsl { float: "abs({a})", int: "abs({a})", uint: "{a}", bool: "{a}" },
        is_exact: true,
    }
    Sign = unary sign {
        doc: "−1, 0 or 1, as each element is negative, zero (or NaN) or positive.",
        kind: Kind::Any, aliases: &["sgn"],
        eval: |x| (x[0] > 0.0) as i8 as f64 - (x[0] < 0.0) as i8 as f64,
        int: Some(|x| x[0].signum()),
        wgsl: Wgsl { float: "signum({a})", int: "sign({a})", uint: "min({a}, 1u)", bool: "{a}" },
        is_exact: true,
    }
    Reciprocal = unary reciprocal {
        doc: "One divided by each element.",
        eval: |x| 1.0 / x[0],
        grad: &[|v| -(v.dy * v.out * v.out)],
        domain: (0.5, 2.0),
        wgsl: Wgsl::float("divide(1f, {a})"),
        cost: Some(4),
    }
    Sqrt = unary sqrt {
        doc: "Square root of each element.",
        eval: |x| x[0].sqrt(),
        grad: &[|v| v.dy * 0.5 / v.out],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("sqrt_of({a})"),
        cost: Some(4),
    }
    Rsqrt = unary rsqrt {
        doc: "One divided by the square root of each element.",
        eval: |x| 1.0 / x[0].sqrt(),
        grad: &[|v| v.dy * -0.5 * (v.out * v.out * v.out)],
        domain: (0.5, 2.0),
        wgsl: Wgsl::float("divide(1f, sqrt_of({a}))"),
        cost: Some(4),
    }
    Exp = unary exp {
        doc: "e raised to each element.",
        eval: |x| x[0].exp(),
        grad: &[|v| v.dy * v.out],
        wgsl: Wgsl::float("exp_of({a})"),
    }
    Exp2 = unary exp2 {
        doc: "Two raised to each element.",
        eval: |x| x[0].exp2(),
        grad: &[|v| v.dy * v.out * LN_2],
        wgsl: Wgsl::float("exp2_of({a})"),
    }
    Expm1 = unary expm1 {
        doc: "e raised to each element, minus one; exact near zero.",
        eval: |x| x[0].exp_m1(),
        grad: &[|v| v.dy * (v.out + 1.0)],
        wgsl: Wgsl::float("expm1_of({a})"),
    }
    Log = unary log {
        doc: "Natural logarithm of each element.",
        eval: |x| x[0].ln(),
        grad: &[|v| v.dy / v.x()],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("log_of({a})"),
    }
    Log2 = unary log2 {
        doc: "Logarithm to base two of each element.",
        eval: |x| x[0].log2(),
        grad: &[|v| v.dy / (v.x() * LN_2)],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("log2_of({a})"),
    }
    Log10 = unary log10 {
        doc: "Logarithm to base ten of each element.",
        eval: |x| x[0].log10(),
        grad: &[|v| v.dy / (v.x() * LN_10)],
        domain: (0.3, 2.0),
        wgsl: Wgsl::float("log10_of({a})"),
    }
    Log1p = unary log1p {
        doc: "Natural logarithm of one plus each element; exact near zero.",
        eval: |x| x[0].ln_1p(),
        grad: &[|v| v.dy / (v.x() + 1.0)],
        domain: (-0.5, 2.0),
        wgsl: Wgsl::float("log1p_of({a})"),
    }
    Sin = unary sin {
        doc: "Sine of each element, in radians.",
        eval: |x| x[0].sin(),
        grad: &[|v| v.dy * v.x().cos()],
        wgsl: Wgsl::float("sin_of({a})"),
    }
    Cos = unary cos {
        doc: "Cosine of each element, in radians.",
        eval: |x| x[0].cos(),
        grad: &[|v| -(v.dy * v.x().sin())],
        wgsl: Wgsl::float("cos_of({a})"),
    }
    Tan = unary tan {
        doc: "Tangent of each element, in radians.",
        eval: |x| x[0].tan(),
        grad: &[|v| v.dy * (v.out * v.out + 1.0)],
        domain: (-1.0, 1.0),
        wgsl: Wgsl::float("tan_of({a})"),
    }
    Asin = unary asin {
        doc: "Angle whose sine each element is.", aliases: &["arcsin"],
        eval: |x| x[0].asin(),
        grad: &[|v| v.dy * (1.0 - v.x() * v.x()).rsqrt()],
        domain: (-0.8, 0.8),
        wgsl: Wgsl::float("asin_of({a})"),
    }
    Acos = unary acos {
        doc: "Angle whose cosine each element is.", aliases: &["arccos"],
        eval: |x| x[0].acos(),
        grad: &[|v| -(v.dy * (1.0 - v.x() * v.x()).rsqrt())],
        domain: (-0.8, 0.8),
        wgsl: Wgsl::float("acos_of({a})"),
    }
    Atan = unary atan {
        doc: "Angle whose tangent each element is.", aliases: &["arctan"],
        eval: |x| x[0].atan(),
        grad: &[|v| v.dy / (v.x() * v.x() + 1.0)],
        wgsl: Wgsl::float("atan_of({a})"),
    }
    Sinh = unary sinh {
        doc: "Hyperbolic sine of each element.",
        eval: |x| x[0].sinh(),
        grad: &[|v| v.dy * v.x().cosh()],
        wgsl: Wgsl::float("sinh_of({a})"),
    }
    Cosh = unary cosh {
        doc: "Hyperbolic cosine of each element.",
        eval: |x| x[0].cosh(),
        grad: &[|v| v.dy * v.x().sinh()],
        wgsl: Wgsl::float("cosh_of({a})"),
    }
    Tanh = unary tanh {
        doc: "Hyperbolic tangent of each element.",
        eval: |x| x[0].tanh(),
        grad: &[|v| v.dy * (1.0 - v.out * v.out)],
        wgsl: Wgsl::float("tanh_of({a})"),
    }
    Asinh = unary asinh {
        doc: "Inverse hyperbolic sine of each element.", aliases: &["arcsinh"],
        eval: |x| x[0].asinh(),
        grad: &[|v| v.dy * (v.x() * v.x() + 1.0).rsqrt()],
        wgsl: Wgsl::float("asinh_of({a})"),
    }
    Acosh = unary acosh {
        doc: "Inverse hyperbolic cosine of each element.", aliases: &["arccosh"],
        eval: |x| x[0].acosh(),
        grad: &[|v| v.dy * (v.x() * v.x() - 1.0).rsqrt()],
        domain: (1.3, 3.0),
        wgsl: Wgsl::float("acosh_of({a})"),
    }
    Atanh = unary atanh {
        doc: "Inverse hyperbolic tangent of each element.", aliases: &["arctanh"],
        eval: |x| x[0].atanh(),
        grad: &[|v| v.dy / (1.0 - v.x() * v.x())],
        domain: (-0.8, 0.8),
        wgsl: Wgsl::float("atanh_of({a})"),
    }
    Erf = unary erf {
        doc: "Error function of each element.",
        eval: |x| libm::erf(x[0]),
        grad: &[|v| v.dy * erf_slope(v.x())],
        wgsl: Wgsl::float("erf_of({a})"),
    }
    Erfc = unary erfc {
        doc: "One minus the error function; exact where that is close to one.",
        eval: |x| libm::erfc(x[0]),
        grad: &[|v| -(v.dy * erf_slope(v.x()))],
        wgsl: Wgsl::float("erfc_of({a})"),
    }
    Erfinv = unary erfinv {
        doc: "Inverse of the error function.",
        eval: |x| special::erfinv(x[0]),
        grad: &[|v| v.dy * (v.out * v.out).exp() * (PI.sqrt() / 2.0)],
        domain: (-0.8, 0.8),
        wgsl: Wgsl::float("erfinv({a})"),
    }
    Lgamma = unary lgamma {
        doc: "Logarithm of the absolute value of the gamma function.",
        eval: |x| libm::lgamma(x[0]),
        grad: &[|v| v.dy * v.x().zeros_like().polygamma(v.x())],
        domain: (0.5, 3.0),
        wgsl: Wgsl::float("lgamma({a})"),
    }
    Polygamma = binary polygamma {
        doc: "The `input`-th derivative of digamma at `other`; `input` is a whole number.",
        arity: 2,
        eval: |x| special::polygamma(x[0], x[1]),
        grad: &[|v| v.dy.zeros_like(), |v| v.dy * (v.inputs[0] + 1.0).polygamma(v.inputs[1])],
        domain: (1.0, 1.0),
        wgsl: Wgsl::float("polygamma({a}, {b})"),
    }
    Sigmoid = unary sigmoid {
        doc: "Logistic function `1 / (1 + exp(−x))` of each element.",
        eval: |x| sigmoid(x[0]),
        grad: &[|v| v.dy * (v.out * (1.0 - v.out))],
        wgsl: Wgsl::float("sigmoid({a})"),
    }
    Relu = unary relu {
        doc: "Each element, or zero where it is negative.", kind: Kind::Any,
        eval: |x| if x[0] <= 0.0 { 0.0 } else { x[0] },
        int: Some(|x| x[0].max(0)),
        grad: &[|v| v.out.le(v.out.zeros_like()).choose(v.dy.zeros_like(), v.dy)],
        wgsl: Wgsl { float: "relu({a})", int: "max({a}, 0)", uint: "{a}", bool: "{a}" },
        is_exact: true,
    }
    Gelu = unary gelu {
        doc: "`x · Φ(x)`, with the exact normal distribution function.",
        eval: |x| 0.5 * clamp_below(x[0]) * libm::erfc(-x[0] * FRAC_1_SQRT_2),
        // Φ(x) + x · φ(x)
        grad: &[|v| {
            let x = v.x();
            let below = (x * -FRAC_1_SQRT_2).erfc() * 0.5;
            let density = (x * x * -0.5).exp() * (0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2);
            v.dy * (below + x * density)
        }],
        wgsl: Wgsl::float("gelu({a})"),
    }
    GeluTanh = unary gelu_tanh {
        doc: "`gelu` by its tanh approximation.",
        eval: |x| {
            let u = GELU_A * (x[0] + GELU_B * x[0].powi(3));
            0.5 * clamp_below(x[0]) * (1.0 + u.tanh())
        },
        // ½(1 + t) + ½x(1 − t²)·u′, where t = tanh u
        grad: &[|v| {
            let x = v.x();
            let t = ((x * x * GELU_B + 1.0) * x * GELU_A).tanh();
            let du = (x * x * (3.0 * GELU_B) + 1.0) * GELU_A;
            v.dy * ((t + 1.0) * 0.5 + x * (1.0 - t * t) * du * 0.5)
        }],
        wgsl: Wgsl::float("gelu_tanh({a})"),
    }
    Silu = unary silu {
        doc: "`x · sigmoid(x)`, also called swish.", aliases: &["swish"],
        eval: |x| clamp_below(x[0]) * sigmoid(x[0]),
        grad: &[|v| {
            let s = v.x().sigmoid();
            v.dy * (s * (v.x() * (1.0 - s) + 1.0))
        }],
        wgsl: Wgsl::float("silu({a})"),
    }
    Softplus = unary softplus {
        doc: "`log(1 + exp(x))`, a smooth relu.",
        eval: |x| x[0].max(0.0) + (-x[0].abs()).exp().ln_1p(),
        grad: &[|v| v.dy * v.x().sigmoid()],
        wgsl: Wgsl::float("softplus({a})"),
    }
    Mish = unary mish {
        doc: "`x · tanh(softplus(x))`.",
        eval: |x| {
            clamp_below(x[0]) * (x[0].max(0.0) + (-x[0].abs()).exp().ln_1p()).tanh()
        },
        // t + x(1 − t²)·sigmoid(x), where t = tanh(softplus x)
        grad: &[|v| {
            let x = v.x();
            let t = x.softplus().tanh();
            v.dy * (t + x * (1.0 - t * t) * x.sigmoid())
        }],
        wgsl: Wgsl::float("mish({a})"),
    }
    Floor = unary floor {
        doc: "Largest whole number not above each element.", kind: Kind::Any,
        eval: |x| x[0].floor(),
        int: Some(|x| x[0]),
        wgsl: Wgsl { float: "floor({a})", ..Wgsl::all("{a}") },
        is_exact: true,
    }
    Ceil = unary ceil {
        doc: "Smallest whole number not below each element.", kind: Kind::Any,
        eval: |x| x[0].ceil(),
        int: Some(|x| x[0]),
        wgsl: Wgsl { float: "ceil({a})", ..Wgsl::all("{a}") },
        is_exact: true,
    }
    Round = unary round {
        doc: "Nearest whole number; halves go to the even one.", kind: Kind::Any,
        eval: |x| x[0].round_ties_even(),
        int: Some(|x| x[0]),
        wgsl: Wgsl { float: "round({a})", ..Wgsl::all("{a}") },
        is_exact: true,
    }
    Trunc = unary trunc {
        doc: "Each element without its fraction.", kind: Kind::Any, aliases: &["fix"],
        eval: |x| x[0].trunc(),
        int: Some(|x| x[0]),
        wgsl: Wgsl { float: "trunc({a})", ..Wgsl::all("{a}") },
        is_exact: true,
    }
}
