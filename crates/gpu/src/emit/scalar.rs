//! Scalar functions in WGSL: a table for each class of numbers. `{a}`, `{b}` and `{c}` are the
//! operands.
use brasa_ir::DType;
use brasa_ir::ops::Scalar::{self, *};

/// The WGSL type that holds the values of a dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Float,
    Int,
    Uint,
    Bool,
}

impl Class {
    /// `None` for f64, which shaders cannot compute with.
    pub(crate) fn of(dtype: DType) -> Option<Class> {
        match dtype {
            DType::F16 | DType::BF16 | DType::F32 => Some(Class::Float),
            DType::U8 | DType::I8 | DType::I32 | DType::I64 => Some(Class::Int),
            DType::U32 => Some(Class::Uint),
            DType::Bool => Some(Class::Bool),
            DType::F64 => None,
        }
    }

    pub(crate) fn wgsl(self) -> &'static str {
        match self {
            Class::Float => "f32",
            Class::Int => "i32",
            Class::Uint => "u32",
            Class::Bool => "bool",
        }
    }
}

const FLOAT: &[(Scalar, &str)] = &[
    (Add, "{a} + {b}"),
    (Sub, "{a} - {b}"),
    (Mul, "{a} * {b}"),
    (Div, "divide({a}, {b})"),
    (FloorDivide, "floor_divide({a}, {b})"),
    (Remainder, "remainder({a}, {b})"),
    (Fmod, "fmod({a}, {b})"),
    (Pow, "pow_of({a}, {b})"),
    (Maximum, "maximum({a}, {b})"),
    (Minimum, "minimum({a}, {b})"),
    (Atan2, "atan2_of({a}, {b})"),
    (Hypot, "hypot({a}, {b})"),
    (Copysign, "copysign({a}, {b})"),
    (Logaddexp, "logaddexp({a}, {b})"),
    (Xlogy, "xlogy({a}, {b})"),
    (Neg, "-{a}"),
    (Abs, "abs({a})"),
    (Sign, "signum({a})"),
    (Reciprocal, "divide(1f, {a})"),
    (Sqrt, "sqrt_of({a})"),
    (Rsqrt, "divide(1f, sqrt_of({a}))"),
    (Exp, "exp_of({a})"),
    (Exp2, "exp2_of({a})"),
    (Expm1, "expm1_of({a})"),
    (Log, "log_of({a})"),
    (Log2, "log2_of({a})"),
    (Log10, "log10_of({a})"),
    (Log1p, "log1p_of({a})"),
    (Sin, "sin_of({a})"),
    (Cos, "cos_of({a})"),
    (Tan, "tan_of({a})"),
    (Asin, "asin_of({a})"),
    (Acos, "acos_of({a})"),
    (Atan, "atan_of({a})"),
    (Sinh, "sinh_of({a})"),
    (Cosh, "cosh_of({a})"),
    (Tanh, "tanh_of({a})"),
    (Asinh, "asinh_of({a})"),
    (Acosh, "acosh_of({a})"),
    (Atanh, "atanh_of({a})"),
    (Erf, "erf_of({a})"),
    (Erfc, "erfc_of({a})"),
    (Erfinv, "erfinv({a})"),
    (Lgamma, "lgamma({a})"),
    (Polygamma, "polygamma({a}, {b})"),
    (Sigmoid, "sigmoid({a})"),
    (Relu, "relu({a})"),
    (Gelu, "gelu({a})"),
    (GeluTanh, "gelu_tanh({a})"),
    (Silu, "silu({a})"),
    (Softplus, "softplus({a})"),
    (Mish, "mish({a})"),
    (Floor, "floor({a})"),
    (Ceil, "ceil({a})"),
    (Round, "round({a})"),
    (Trunc, "trunc({a})"),
];

const INT: &[(Scalar, &str)] = &[
    (Add, "{a} + {b}"),
    (Sub, "{a} - {b}"),
    (Mul, "{a} * {b}"),
    (Div, "int_div({a}, {b})"),
    (FloorDivide, "int_floor_divide({a}, {b})"),
    (Remainder, "int_remainder({a}, {b})"),
    (Fmod, "int_rem({a}, {b})"),
    (Pow, "int_pow({a}, {b})"),
    (Maximum, "max({a}, {b})"),
    (Minimum, "min({a}, {b})"),
    (BitwiseAnd, "{a} & {b}"),
    (BitwiseOr, "{a} | {b}"),
    (BitwiseXor, "{a} ^ {b}"),
    (BitwiseNot, "~{a}"),
    (LeftShift, "int_shl({a}, {b})"),
    (RightShift, "int_shr({a}, {b})"),
    (Neg, "-{a}"),
    (Abs, "abs({a})"),
    (Sign, "sign({a})"),
    (Relu, "max({a}, 0)"),
    (Floor, "{a}"),
    (Ceil, "{a}"),
    (Round, "{a}"),
    (Trunc, "{a}"),
];

const UINT: &[(Scalar, &str)] = &[
    (Add, "{a} + {b}"),
    (Sub, "{a} - {b}"),
    (Mul, "{a} * {b}"),
    (Div, "uint_div({a}, {b})"),
    (FloorDivide, "uint_div({a}, {b})"),
    (Remainder, "uint_rem({a}, {b})"),
    (Fmod, "uint_rem({a}, {b})"),
    (Pow, "uint_pow({a}, {b})"),
    (Maximum, "max({a}, {b})"),
    (Minimum, "min({a}, {b})"),
    (BitwiseAnd, "{a} & {b}"),
    (BitwiseOr, "{a} | {b}"),
    (BitwiseXor, "{a} ^ {b}"),
    (BitwiseNot, "~{a}"),
    (LeftShift, "uint_shl({a}, {b})"),
    (RightShift, "uint_shr({a}, {b})"),
    (Neg, "0u - {a}"),
    (Abs, "{a}"),
    (Sign, "min({a}, 1u)"),
    (Relu, "{a}"),
    (Floor, "{a}"),
    (Ceil, "{a}"),
    (Round, "{a}"),
    (Trunc, "{a}"),
];

/// Truth values are the integers 0 and 1; this table simplifies the integer functions for them.
const BOOL: &[(Scalar, &str)] = &[
    (Add, "{a} | {b}"),
    (Sub, "{a} != {b}"),
    (Mul, "{a} & {b}"),
    (Div, "{a} & {b}"),
    (FloorDivide, "{a} & {b}"),
    (Remainder, "{a} & false"),
    (Fmod, "{a} & false"),
    (Pow, "{a} | !{b}"),
    (Maximum, "{a} | {b}"),
    (Minimum, "{a} & {b}"),
    (BitwiseAnd, "{a} & {b}"),
    (BitwiseOr, "{a} | {b}"),
    (BitwiseXor, "{a} != {b}"),
    (BitwiseNot, "!{a}"),
    (LeftShift, "{a}"),
    (RightShift, "{a} & !{b}"),
    (Neg, "{a}"),
    (Abs, "{a}"),
    (Sign, "{a}"),
    (Relu, "{a}"),
    (Floor, "{a}"),
    (Ceil, "{a}"),
    (Round, "{a}"),
    (Trunc, "{a}"),
];

/// Comparisons. WGSL orders numbers only, not bools. `!(a == b)` is true for NaN; the `!=` of
/// some compilers is not.
const COMPARE: &[(Scalar, &str)] = &[
    (Eq, "{a} == {b}"),
    (Ne, "!({a} == {b})"),
    (Lt, "{a} < {b}"),
    (Le, "{a} <= {b}"),
    (Gt, "{a} > {b}"),
    (Ge, "{a} >= {b}"),
    (Select, "select({c}, {b}, {a})"),
];

const COMPARE_BOOL: &[(Scalar, &str)] = &[
    (Eq, "{a} == {b}"),
    (Ne, "{a} != {b}"),
    (Lt, "!{a} & {b}"),
    (Le, "!{a} | {b}"),
    (Gt, "{a} & !{b}"),
    (Ge, "{a} | !{b}"),
    (Select, "select({c}, {b}, {a})"),
];

/// The WGSL template of a function for operands of one class.
pub(crate) fn template(row: Scalar, class: Class) -> Option<&'static str> {
    let (own, compare) = match class {
        Class::Float => (FLOAT, COMPARE),
        Class::Int => (INT, COMPARE),
        Class::Uint => (UINT, COMPARE),
        Class::Bool => (BOOL, COMPARE_BOOL),
    };
    let found = own.iter().chain(compare).find(|(other, _)| *other == row);
    found.map(|(_, text)| *text)
}

/// Rounds or wraps `value`, computed in the wider type of its class, to the dtype.
pub(crate) fn narrow_to(dtype: DType, value: &str) -> String {
    match dtype {
        DType::F16 => format!("round_f16({value})"),
        DType::BF16 => format!("round_bf16({value})"),
        DType::U8 => format!("({value}) & 255"),
        DType::I8 => format!("(({value}) << 24u) >> 24u"),
        _ => value.to_string(),
    }
}

/// Casts `value` to another dtype.
pub(crate) fn cast(from: DType, to: DType, value: &str) -> Option<String> {
    use Class::*;
    let (source, target) = (Class::of(from)?, Class::of(to)?);
    let text = match (source, target) {
        (Float, Float) | (Int, Int) | (Uint, Uint) | (Bool, Bool) => value.to_string(),
        (Float, Int) if to == DType::I64 => format!("float_to_long({value})"),
        (Float, Int) => format!("float_to_int({value})"),
        (Float, Uint) => format!("bitcast<u32>(float_to_int({value}))"),
        (Float, Bool) => format!("!({value} == 0f)"),
        (Int, Bool) => format!("{value} != 0"),
        (Uint, Bool) => format!("{value} != 0u"),
        (Int, Uint) => format!("bitcast<u32>({value})"),
        // An i64 can represent every u32, but has 32 bits here: saturate.
        (Uint, Int) if to == DType::I64 => format!("i32(min({value}, 2147483647u))"),
        (Uint, Int) => format!("bitcast<i32>({value})"),
        (Int | Uint, Float) => format!("f32({value})"),
        (Bool, Float) => format!("select(0f, 1f, {value})"),
        (Bool, Int) => format!("select(0, 1, {value})"),
        (Bool, Uint) => format!("select(0u, 1u, {value})"),
    };
    // These values are representable already.
    let fits = from == to || from == DType::Bool || to == DType::Bool;
    Some(if fits { text } else { narrow_to(to, &text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use brasa_ir::ops::Kind;

    #[test]
    fn every_function_has_a_template_for_each_class_it_supports() {
        for &row in Scalar::ALL {
            let classes: &[Class] = match row.def().kind {
                Kind::Float => &[Class::Float],
                Kind::Bits => &[Class::Int, Class::Uint, Class::Bool],
                _ => &[Class::Float, Class::Int, Class::Uint, Class::Bool],
            };
            for &class in classes {
                let Some(text) = template(row, class) else { panic!("{row:?} of {class:?}") };
                for (operand, n) in [("{a}", 0), ("{b}", 1), ("{c}", 2)] {
                    let is_used = text.contains(operand) || class == Class::Bool;
                    assert!(is_used || n >= row.def().arity, "{row:?} of {class:?}: {operand}");
                }
            }
        }
    }
}
