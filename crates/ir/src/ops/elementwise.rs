//! Scalar functions as users call them: operands of any dtype and shape, tensors or numbers.
use super::{Kind, Map, Scalar};
use crate::dtype::{DType, Weak, result_type};
use crate::error::{Error, Result};
use crate::recorder::{Expr, Operand, Recorder};
use crate::shape::{Type, broadcast};

/// Applies `row` after promoting and broadcasting its operands.
pub fn elementwise<'g>(g: &'g Recorder, row: Scalar, operands: &[Operand<'g>]) -> Result<Expr<'g>> {
    let def = row.def();
    let common = common_type(operands);
    let dtype = if def.kind == Kind::Float { common.to_float() } else { common };
    if def.kind == Kind::Bits && dtype.is_float() {
        let types = tensor_types(operands);
        let what = "expected integers or bools";
        return Err(Error::dtype(def.name, what).operands(&types.iter().collect::<Vec<_>>()));
    }
    g.push(Map(row), &promoted(g, def.name, operands, dtype)?)
}

/// PyTorch's result type of the operands.
pub fn common_type(operands: &[Operand]) -> DType {
    result_type(operands.iter().map(|operand| match operand {
        Operand::Tensor(x) => Weak::Tensor { dtype: x.dtype(), rank: x.rank() },
        Operand::Number(n) => Weak::Number(*n),
    }))
}

/// The operands as tensors of `dtype`, broadcast to their common shape.
pub fn promoted<'g>(
    g: &'g Recorder,
    op: &str,
    operands: &[Operand<'g>],
    dtype: DType,
) -> Result<Vec<Expr<'g>>> {
    let tensor = |operand: &Operand<'g>| match operand {
        Operand::Tensor(x) => x.cast(dtype),
        Operand::Number(n) => g.number(*n, dtype),
    };
    let tensors: Vec<Expr<'g>> = operands.iter().map(tensor).collect();
    let shapes: Vec<_> = tensors.iter().map(|x| x.shape()).collect();
    let Some(shape) = broadcast(shapes.iter().map(|s| &s[..])) else {
        let types = tensor_types(operands);
        return Err(no_broadcast(op, &types.iter().collect::<Vec<_>>()));
    };
    Ok(tensors.into_iter().map(|x| x.expand(&shape)).collect())
}

fn tensor_types(operands: &[Operand]) -> Vec<Type> {
    let ty = |operand: &Operand| match operand {
        Operand::Tensor(x) => Some(x.ty()),
        Operand::Number(_) => None,
    };
    operands.iter().filter_map(ty).collect()
}

/// Says which axes do not fit.
fn no_broadcast(op: &str, types: &[&Type]) -> Error {
    let error = Error::shape(op, clash(types)).operands(types);
    match types {
        [a, b] if a.rank() == 1 && b.rank() > 1 && a.shape[0] == b.shape[0] => {
            error.help("add a trailing axis to a: a.unsqueeze(-1)")
        }
        [a, b] if b.rank() == 1 && a.rank() > 1 && a.shape[0] == b.shape[0] => {
            error.help("add a trailing axis to b: b.unsqueeze(-1)")
        }
        _ => error,
    }
}

fn clash(types: &[&Type]) -> String {
    let rank = types.iter().map(|t| t.rank()).max().unwrap_or(0);
    for back in 1..=rank {
        let lens = types.iter().filter_map(|t| t.rank().checked_sub(back).map(|i| t.shape[i]));
        let lens: Vec<usize> = lens.filter(|&len| len != 1).collect();
        if let Some(other) = lens.iter().find(|&&len| len != lens[0]) {
            return format!("axis −{back} is {} in one operand and {other} in another", lens[0]);
        }
    }
    "shapes do not broadcast".to_string()
}
