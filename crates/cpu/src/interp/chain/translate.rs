//! What instructions are in the language of loops that are made at run time.
use crate::interp::class::Class;
use crate::interp::functions::Fused;
use crate::interp::prepare::{Instr, Kind, Meaning};
use crate::jit::{self, Compare, One, Trace, Two, Value};
use brasa_ir::DType;
use brasa_ir::ops::{ReduceOp, Scalar};

/// The value of an instruction, from those of its arguments; None if there is no such operation.
pub(super) fn translate(
    instrs: &[Instr],
    n: usize,
    args: &[Value],
    trace: &mut Trace,
) -> Option<Value> {
    let instr = &instrs[n];
    let class = instr.args.last().map(|&arg| instrs[arg].class)?;
    let is_wide = |class: Class| class.bytes() == 8;
    if is_wide(instr.class) || instr.args.iter().any(|&arg| is_wide(instrs[arg].class)) {
        return None;
    }
    match (&instr.kind, class) {
        (Kind::Unary(function), Class::F32) => function.trace(trace, args[0]),
        (Kind::Map { meaning: Meaning::Spread, .. }, _) => Some(args[0]),
        (Kind::Map { meaning: Meaning::Cast, .. }, _) => cast(class, instr.dtype, args[0], trace),
        (Kind::Map { meaning: Meaning::Fused(fused), .. }, _) => {
            let fused = match fused {
                Fused::Add => jit::Fused::Add,
                Fused::Sub => jit::Fused::Sub,
                Fused::From => jit::Fused::From,
            };
            Some(trace.fused(fused, args[0], args[1], args[2]))
        }
        (Kind::Map { meaning: Meaning::Row(Scalar::Select), .. }, _) => {
            let mask = trace.mask(args[0]);
            Some(trace.select(mask, args[1], args[2]))
        }
        (Kind::Map { meaning: Meaning::Row(row), .. }, Class::F32) => float(*row, args, trace),
        (Kind::Map { meaning: Meaning::Row(row), .. }, _) => int(*row, instr.dtype, args, trace),
        _ => None,
    }
}

/// What a loop joins values by to reduce them, and what it begins with.
pub(super) fn fold_of(instrs: &[Instr], reduce: &Instr) -> Option<(Two, u32)> {
    let Kind::Reduce { by, .. } = reduce.kind else { return None };
    Some(match (by, instrs[reduce.args[0]].class) {
        (ReduceOp::Sum, Class::F32) => (Two::Add, 0),
        (ReduceOp::Max, Class::F32) => (Two::Max, f32::NEG_INFINITY.to_bits()),
        (ReduceOp::Min, Class::F32) => (Two::Min, f32::INFINITY.to_bits()),
        (ReduceOp::Sum, Class::I32) => (Two::AddInt, 0),
        (ReduceOp::Max, Class::I32) => (Two::MaxInt, i32::MIN as u32),
        (ReduceOp::Min, Class::I32) => (Two::MinInt, i32::MAX as u32),
        _ => return None,
    })
}

/// Two values by a sum, maximum or minimum; NaN wins.
pub(super) fn join(by: Two, x: Value, y: Value, trace: &mut Trace) -> Value {
    let joined = trace.two(by, x, y);
    if !matches!(by, Two::Max | Two::Min) {
        return joined;
    }
    let is_nan = trace.compare(Compare::Unordered, x, x);
    trace.select(is_nan, x, joined)
}

fn cast(from: Class, to: DType, x: Value, trace: &mut Trace) -> Option<Value> {
    match (from, to) {
        (Class::F32, DType::F32) | (Class::I32, DType::I32) => Some(x),
        (Class::F32, DType::Bool) => {
            let zero = trace.number(0.0);
            let mask = trace.compare(Compare::Ne, x, zero);
            Some(trace.flag(mask))
        }
        (Class::I32, DType::Bool) => {
            let mask = trace.mask(x);
            Some(trace.flag(mask))
        }
        (Class::I32, DType::F32) => Some(trace.one(One::ToFloat, x)),
        _ => None,
    }
}

fn comparison(row: Scalar) -> Option<Compare> {
    Some(match row {
        Scalar::Eq => Compare::Eq,
        Scalar::Ne => Compare::Ne,
        Scalar::Lt => Compare::Lt,
        Scalar::Le => Compare::Le,
        Scalar::Gt => Compare::Gt,
        Scalar::Ge => Compare::Ge,
        _ => return None,
    })
}

/// A row on floats, as the functions of single steps have it.
fn float(row: Scalar, args: &[Value], trace: &mut Trace) -> Option<Value> {
    if let Some(compare) = comparison(row) {
        let mask = trace.compare(compare, args[0], args[1]);
        return Some(trace.flag(mask));
    }
    let x = args[0];
    Some(match row {
        Scalar::Add => trace.two(Two::Add, x, args[1]),
        Scalar::Sub => trace.two(Two::Sub, x, args[1]),
        Scalar::Mul => trace.two(Two::Mul, x, args[1]),
        Scalar::Div => trace.divide(x, args[1]),
        Scalar::Maximum => join(Two::Max, x, args[1], trace),
        Scalar::Minimum => join(Two::Min, x, args[1], trace),
        Scalar::Neg => trace.neg(x),
        Scalar::Abs => trace.abs(x),
        Scalar::Sqrt => trace.one(One::Sqrt, x),
        Scalar::Reciprocal | Scalar::Rsqrt => {
            let one = trace.number(1.0);
            let by = if row == Scalar::Rsqrt { trace.one(One::Sqrt, x) } else { x };
            trace.two(Two::Div, one, by)
        }
        Scalar::Relu => {
            let zero = trace.number(0.0);
            let is_none = trace.compare(Compare::Le, x, zero);
            trace.select(is_none, zero, x)
        }
        Scalar::Floor => trace.one(One::Floor, x),
        Scalar::Ceil => trace.one(One::Ceil, x),
        Scalar::Trunc => trace.one(One::Trunc, x),
        Scalar::Round => trace.one(One::Round, x),
        _ => return None,
    })
}

/// A row on whole numbers and truth values.
fn int(row: Scalar, dtype: DType, args: &[Value], trace: &mut Trace) -> Option<Value> {
    if let Some(compare) = comparison(row) {
        let mask = trace.compare_int(compare, args[0], args[1]);
        return Some(trace.flag(mask));
    }
    let x = args[0];
    Some(match (row, dtype) {
        (Scalar::Add, DType::I32) => trace.two(Two::AddInt, x, args[1]),
        (Scalar::Sub, DType::I32) => trace.two(Two::SubInt, x, args[1]),
        (Scalar::Mul, DType::I32) => trace.two(Two::MulInt, x, args[1]),
        (Scalar::Maximum, _) => trace.two(Two::MaxInt, x, args[1]),
        (Scalar::Minimum, _) => trace.two(Two::MinInt, x, args[1]),
        (Scalar::BitwiseAnd, _) => trace.two(Two::And, x, args[1]),
        (Scalar::BitwiseOr, _) => trace.two(Two::Or, x, args[1]),
        (Scalar::BitwiseXor, _) => trace.two(Two::Xor, x, args[1]),
        (Scalar::BitwiseNot, DType::Bool | DType::I32) => {
            let bits = trace.bits(if dtype == DType::Bool { 1 } else { u32::MAX });
            trace.two(Two::Xor, x, bits)
        }
        _ => return None,
    })
}
