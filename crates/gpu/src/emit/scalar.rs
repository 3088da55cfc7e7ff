//! Scalar functions in WGSL, from the op table, and casts.
use brasa_ir::DType;
use brasa_ir::ops::Scalar;

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

/// The WGSL template of a function for operands of one class.
pub(crate) fn template(function: Scalar, class: Class) -> Option<&'static str> {
    let wgsl = &function.def().wgsl;
    let text = match class {
        Class::Float => wgsl.float,
        Class::Int => wgsl.int,
        Class::Uint => wgsl.uint,
        Class::Bool => wgsl.bool,
    };
    (!text.is_empty()).then_some(text)
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
