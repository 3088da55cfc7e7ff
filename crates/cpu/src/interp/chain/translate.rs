//! Translates instructions to the operations of the JIT.
use crate::interp::class::Class;
use crate::interp::functions::FusedMulAdd;
use crate::interp::prepare::{Instr, InstrKind, MapOp};
use crate::jit::{self, BinaryOp, Compare, Trace, UnaryOp, Value};
use brasa_ir::DType;
use brasa_ir::ops::{ReduceOp, Scalar};

/// Adds an instruction to the trace. `None` if the JIT has no such operation.
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
        (InstrKind::Unary(function), Class::F32) => function.trace(trace, args[0]),
        (InstrKind::Map { op: MapOp::Broadcast, .. }, _) => Some(args[0]),
        (InstrKind::Map { op: MapOp::Cast, .. }, _) => cast(class, instr.dtype, args[0], trace),
        (InstrKind::Map { op: MapOp::FusedMulAdd(fused), .. }, _) => {
            let fused = match fused {
                FusedMulAdd::MulAdd => jit::Fused::Add,
                FusedMulAdd::MulSub => jit::Fused::Sub,
                FusedMulAdd::NegMulAdd => jit::Fused::From,
            };
            Some(trace.fused(fused, args[0], args[1], args[2]))
        }
        (InstrKind::Map { op: MapOp::Scalar(Scalar::Select), .. }, _) => {
            let mask = trace.mask(args[0]);
            Some(trace.select(mask, args[1], args[2]))
        }
        (InstrKind::Map { op: MapOp::Scalar(scalar), .. }, Class::F32) => {
            float(*scalar, args, trace)
        }
        (InstrKind::Map { op: MapOp::Scalar(scalar), .. }, _) => {
            int(*scalar, instr.dtype, args, trace)
        }
        _ => None,
    }
}

/// The operation of a reduction in the JIT, and its neutral element.
pub(super) fn fold_of(instrs: &[Instr], reduce: &Instr) -> Option<(BinaryOp, u32)> {
    let InstrKind::Reduce { by, .. } = reduce.kind else { return None };
    Some(match (by, instrs[reduce.args[0]].class) {
        (ReduceOp::Sum, Class::F32) => (BinaryOp::Add, 0),
        (ReduceOp::Max, Class::F32) => (BinaryOp::Max, f32::NEG_INFINITY.to_bits()),
        (ReduceOp::Min, Class::F32) => (BinaryOp::Min, f32::INFINITY.to_bits()),
        (ReduceOp::Sum, Class::I32) => (BinaryOp::AddInt, 0),
        (ReduceOp::Max, Class::I32) => (BinaryOp::MaxInt, i32::MIN as u32),
        (ReduceOp::Min, Class::I32) => (BinaryOp::MinInt, i32::MAX as u32),
        _ => return None,
    })
}

/// Combines two values by a sum, maximum or minimum; NaN propagates.
pub(super) fn join(by: BinaryOp, x: Value, y: Value, trace: &mut Trace) -> Value {
    let joined = trace.binary(by, x, y);
    if !matches!(by, BinaryOp::Max | BinaryOp::Min) {
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
        (Class::I32, DType::F32) => Some(trace.unary(UnaryOp::ToFloat, x)),
        _ => None,
    }
}

fn comparison(scalar: Scalar) -> Option<Compare> {
    Some(match scalar {
        Scalar::Eq => Compare::Eq,
        Scalar::Ne => Compare::Ne,
        Scalar::Lt => Compare::Lt,
        Scalar::Le => Compare::Le,
        Scalar::Gt => Compare::Gt,
        Scalar::Ge => Compare::Ge,
        _ => return None,
    })
}

/// A scalar function of f32, equal to the tile function bit for bit.
fn float(scalar: Scalar, args: &[Value], trace: &mut Trace) -> Option<Value> {
    if let Some(compare) = comparison(scalar) {
        let mask = trace.compare(compare, args[0], args[1]);
        return Some(trace.flag(mask));
    }
    let x = args[0];
    Some(match scalar {
        Scalar::Add => trace.binary(BinaryOp::Add, x, args[1]),
        Scalar::Sub => trace.binary(BinaryOp::Sub, x, args[1]),
        Scalar::Mul => trace.binary(BinaryOp::Mul, x, args[1]),
        Scalar::Div => trace.divide(x, args[1]),
        Scalar::Maximum => join(BinaryOp::Max, x, args[1], trace),
        Scalar::Minimum => join(BinaryOp::Min, x, args[1], trace),
        Scalar::Neg => trace.neg(x),
        Scalar::Abs => trace.abs(x),
        Scalar::Sqrt => trace.unary(UnaryOp::Sqrt, x),
        Scalar::Reciprocal | Scalar::Rsqrt => {
            let one = trace.number(1.0);
            let by = if scalar == Scalar::Rsqrt { trace.unary(UnaryOp::Sqrt, x) } else { x };
            trace.binary(BinaryOp::Div, one, by)
        }
        Scalar::Relu => {
            let zero = trace.number(0.0);
            let is_none = trace.compare(Compare::Le, x, zero);
            trace.select(is_none, zero, x)
        }
        Scalar::Floor => trace.unary(UnaryOp::Floor, x),
        Scalar::Ceil => trace.unary(UnaryOp::Ceil, x),
        Scalar::Trunc => trace.unary(UnaryOp::Trunc, x),
        Scalar::Round => trace.unary(UnaryOp::Round, x),
        _ => return None,
    })
}

/// A scalar function of integers and booleans.
fn int(scalar: Scalar, dtype: DType, args: &[Value], trace: &mut Trace) -> Option<Value> {
    if let Some(compare) = comparison(scalar) {
        let mask = trace.compare_int(compare, args[0], args[1]);
        return Some(trace.flag(mask));
    }
    let x = args[0];
    Some(match (scalar, dtype) {
        (Scalar::Add, DType::I32) => trace.binary(BinaryOp::AddInt, x, args[1]),
        (Scalar::Sub, DType::I32) => trace.binary(BinaryOp::SubInt, x, args[1]),
        (Scalar::Mul, DType::I32) => trace.binary(BinaryOp::MulInt, x, args[1]),
        (Scalar::Maximum, _) => trace.binary(BinaryOp::MaxInt, x, args[1]),
        (Scalar::Minimum, _) => trace.binary(BinaryOp::MinInt, x, args[1]),
        (Scalar::BitwiseAnd, _) => trace.binary(BinaryOp::And, x, args[1]),
        (Scalar::BitwiseOr, _) => trace.binary(BinaryOp::Or, x, args[1]),
        (Scalar::BitwiseXor, _) => trace.binary(BinaryOp::Xor, x, args[1]),
        (Scalar::BitwiseNot, DType::Bool | DType::I32) => {
            let bits = trace.bits(if dtype == DType::Bool { 1 } else { u32::MAX });
            trace.binary(BinaryOp::Xor, x, bits)
        }
        _ => return None,
    })
}
