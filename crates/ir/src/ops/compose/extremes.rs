//! Maxima and minima, and their indices. NaN counts as both.
use super::prelude::*;
use super::reductions::{at_least_1d, with_keepdim};

/// Largest element over `dim`, by default over all axes. Equal elements share the gradient.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], keepdim=true")]
pub fn amax(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    Ok(with_keepdim(reduce_extreme(input, ReduceOp::Max, &axes)?, input, &axes, keepdim))
}

/// Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=[0, 2], keepdim=true")]
pub fn amin(
    g: &Recorder,
    input: Expr,
    dim: Option<Vec<isize>>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    let axes = input.axes(&dim)?;
    Ok(with_keepdim(reduce_extreme(input, ReduceOp::Min, &axes)?, input, &axes, keepdim))
}

/// Smallest and largest element over `dim`, by default over all axes.
#[op(case = "f32[2, 3]", case = "f32[2, 3], dim=1, keepdim=true")]
pub fn aminmax(
    g: &Recorder,
    input: Expr,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
) -> Result<(Expr, Expr)> {
    let dims = dim.map(|dim| vec![dim]);
    Ok((amin(g, input, dims.clone(), keepdim)?, amax(g, input, dims, keepdim)?))
}

fn reduce_extreme<'g>(x: Expr<'g>, by: ReduceOp, axes: &[usize]) -> Result<Expr<'g>> {
    if axes.iter().any(|&axis| x.len(axis) == 0) {
        return Err(empty_error(x, by));
    }
    Ok(x.reduce(by, axes))
}

fn empty_error(x: Expr, by: ReduceOp) -> Error {
    x.shape_error(format!("the {} of no elements is undefined", by.word()))
}

/// The second argument of `max` and `min`: an axis to reduce, or a tensor to compare with.
#[derive(Clone, Copy, Debug)]
pub enum DimOrTensor<'g> {
    Dim(isize),
    Tensor(Expr<'g>),
}

impl<'g> Arg<'g> for DimOrTensor<'g> {
    const SPEC: Spec = Spec::Operand;
    fn from_value(g: &'g Recorder, value: &Value) -> Result<DimOrTensor<'g>, String> {
        match value {
            Value::Tensor(id) => Ok(DimOrTensor::Tensor(g.expr(*id))),
            dim => isize::from_value(g, dim).map(DimOrTensor::Dim),
        }
    }

    fn stand_in(_: &'g Recorder) -> DimOrTensor<'g> {
        DimOrTensor::Dim(0)
    }
}

/// The largest element of all; with `dim`, the largest elements along that axis and the index of
/// the first of each; with a tensor instead, the larger of each pair of elements.
#[op(case = "f32[2, 3]", case = "f32[2, 3], dim=1, keepdim=true", case = "f32[2, 3], f32[3]")]
pub fn max(
    g: &Recorder,
    input: Expr,
    dim: Option<DimOrTensor>,
    #[default(false)] keepdim: bool,
) -> Result<Outputs> {
    extreme(input, dim, keepdim, ReduceOp::Max)
}

/// The smallest element of all; with `dim`, the smallest elements along that axis and the index of
/// the first of each; with a tensor instead, the smaller of each pair of elements.
#[op(case = "f32[2, 3]", case = "f32[2, 3], dim=1, keepdim=true", case = "f32[2, 3], f32[3]")]
pub fn min(
    g: &Recorder,
    input: Expr,
    dim: Option<DimOrTensor>,
    #[default(false)] keepdim: bool,
) -> Result<Outputs> {
    extreme(input, dim, keepdim, ReduceOp::Min)
}

fn extreme<'g>(
    input: Expr<'g>,
    dim: Option<DimOrTensor<'g>>,
    keepdim: bool,
    by: ReduceOp,
) -> Result<Outputs<'g>> {
    let dim = match dim {
        Some(DimOrTensor::Dim(dim)) => dim,
        Some(DimOrTensor::Tensor(other)) => {
            let larger = by == ReduceOp::Max;
            let function = if larger { Scalar::Maximum } else { Scalar::Minimum };
            let named = [("input", input.into()), ("other", other.into())];
            common_shape(input.recorder().call().unwrap_or(by.word()), &named)?;
            let operands = named.map(|(_, operand)| operand);
            return elementwise(input.recorder(), function, &operands).map(Outputs::One);
        }
        None => return reduce_extreme(input, by, &input.axes(&None)?).map(Outputs::One),
    };
    let axis = input.axis(dim)?;
    let x = at_least_1d(input);
    let index = arg_extreme(x, by, axis)?.unsqueeze(axis);
    let restore = |y: Expr<'g>| with_keepdim(y, input, &[axis], keepdim);
    Ok(Outputs::Many(vec![restore(x.gather(axis, index)), restore(index)]))
}

/// Index of the first maximum or minimum along an axis, which is removed.
pub(super) fn arg_extreme<'g>(x: Expr<'g>, by: ReduceOp, axis: usize) -> Result<Expr<'g>> {
    if x.len(axis) == 0 {
        return Err(empty_error(x, by));
    }
    Ok(x.recorder().emit(ArgReduce { by, axis }, &[x]))
}

/// Index of the first largest element along `dim`, by default of all elements in order.
#[op(case = "f32[2, 3]", case = "f32[2, 3], dim=0, keepdim=true")]
pub fn argmax(
    g: &Recorder,
    input: Expr,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    index_of(input, dim, keepdim, ReduceOp::Max)
}

/// Index of the first smallest element along `dim`, by default of all elements in order.
#[op(case = "f32[2, 3]", case = "f32[2, 3], dim=0, keepdim=true")]
pub fn argmin(
    g: &Recorder,
    input: Expr,
    dim: Option<isize>,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    index_of(input, dim, keepdim, ReduceOp::Min)
}

fn index_of<'g>(
    input: Expr<'g>,
    dim: Option<isize>,
    keepdim: bool,
    by: ReduceOp,
) -> Result<Expr<'g>> {
    let Some(dim) = dim else {
        let axes: Vec<usize> = (0..input.rank()).collect();
        let index = arg_extreme(input.reshape(&[input.elements()]), by, 0)?;
        return Ok(with_keepdim(index, input, &axes, keepdim));
    };
    let axis = input.axis(dim)?;
    Ok(with_keepdim(arg_extreme(at_least_1d(input), by, axis)?, input, &[axis], keepdim))
}

entries![amax, amin, aminmax, max, min, argmax, argmin];
