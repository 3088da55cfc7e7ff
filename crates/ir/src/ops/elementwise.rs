//! Calls of scalar functions by users: operands are tensors or numbers of any dtype and shape.
use super::{Kind, Map, Scalar};
use crate::dtype::{DType, Weak, result_type};
use crate::error::{Error, Result};
use crate::recorder::{Expr, Operand, Recorder};
use crate::shape::{Shape, Type, broadcast};
use crate::table;

/// Applies `function` after promoting and broadcasting its operands.
pub fn elementwise<'g>(
    g: &'g Recorder,
    function: Scalar,
    operands: &[Operand<'g>],
) -> Result<Expr<'g>> {
    let def = function.def();
    let call = g.call().unwrap_or(def.name);
    let common = common_type(operands);
    let dtype = if def.kind == Kind::Float { common.to_float() } else { common };
    if def.kind == Kind::Bits && dtype.is_float() {
        let error = Error::dtype(call, "expected integers or bools");
        return Err(with_tensors(error, &tensors(&named(call, operands))));
    }
    g.push(Map(function), &promoted(g, call, operands, dtype)?)
}

/// PyTorch's result type of the operands.
pub fn common_type(operands: &[Operand]) -> DType {
    result_type(operands.iter().map(|operand| match operand {
        Operand::Tensor(x) => Weak::Tensor { dtype: x.dtype(), rank: x.rank() },
        Operand::Number(n) => Weak::Number(*n),
    }))
}

/// The operands as tensors of `dtype`, broadcast to their common shape. They are the first tensor
/// parameters of `op`, whose names errors contain.
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
    // Names are looked up only for errors.
    let shape = broadcast_shape(operands)
        .ok_or_else(|| shape_mismatch(op, &tensors(&named(op, operands))))?;
    Ok(operands.iter().map(|operand| tensor(operand).expand(&shape)).collect())
}

/// The shape that operands of these names broadcast to.
pub fn common_shape(op: &str, operands: &[(&str, Operand)]) -> Result<Shape> {
    let plain: Vec<Operand> = operands.iter().map(|(_, operand)| *operand).collect();
    broadcast_shape(&plain).ok_or_else(|| shape_mismatch(op, &tensors(operands)))
}

fn broadcast_shape(operands: &[Operand]) -> Option<Shape> {
    let types: Vec<Type> = operands.iter().filter_map(tensor_type).collect();
    broadcast(types.iter().map(|ty| &ty.shape[..]))
}

fn tensors<'a>(operands: &[(&'a str, Operand)]) -> Vec<(&'a str, Type)> {
    let named = operands.iter().filter_map(|(name, operand)| Some((*name, tensor_type(operand)?)));
    named.collect()
}

fn tensor_type(operand: &Operand) -> Option<Type> {
    match operand {
        Operand::Tensor(x) => Some(x.ty()),
        Operand::Number(_) => None,
    }
}

/// The operands by the names of `op`'s parameters.
fn named<'g>(op: &str, operands: &[Operand<'g>]) -> Vec<(&'static str, Operand<'g>)> {
    let mut names = vec!["a", "b", "c", "d"];
    if let Some(entry) = table::find(op) {
        let params = entry.params.iter().filter(|p| p.spec.takes_tensor()).map(|p| p.name);
        let params: Vec<&str> = params.collect();
        names = if params.len() < operands.len() { names } else { params };
    }
    names.into_iter().zip(operands.iter().copied()).collect()
}

fn with_tensors(error: Error, tensors: &[(&str, Type)]) -> Error {
    tensors.iter().fold(error, |error, (name, ty)| error.operand(name, ty))
}

/// The error for operands that do not broadcast, with the first mismatching axis.
fn shape_mismatch(op: &str, tensors: &[(&str, Type)]) -> Error {
    let error = with_tensors(Error::shape(op, describe_mismatch(tensors)), tensors);
    let lacks_axis = |short: &Type, long: &Type| {
        short.rank() == 1 && long.rank() > 1 && short.shape[0] == long.shape[0]
    };
    let name = match tensors {
        [(name, x), (_, y)] if lacks_axis(x, y) => name,
        [(_, x), (name, y)] if lacks_axis(y, x) => name,
        _ => return error,
    };
    error.help(format!("add a trailing axis: {name}.unsqueeze(-1)"))
}

fn describe_mismatch(tensors: &[(&str, Type)]) -> String {
    let rank = tensors.iter().map(|(_, ty)| ty.rank()).max().unwrap_or(0);
    for back in 1..=rank {
        let len = |ty: &Type| ty.rank().checked_sub(back).map(|axis| ty.shape[axis]);
        let lens = tensors.iter().filter_map(|(name, ty)| Some((name, len(ty)?)));
        let lens: Vec<(&&str, usize)> = lens.filter(|&(_, len)| len != 1).collect();
        if let Some((other, len)) = lens.iter().find(|(_, len)| *len != lens[0].1) {
            return format!("axis -{back} is {} in {} but {len} in {other}", lens[0].1, lens[0].0);
        }
    }
    "shapes do not broadcast".to_string()
}
