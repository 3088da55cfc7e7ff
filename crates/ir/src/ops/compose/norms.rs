//! Softmax and normalisation layers.
use super::prelude::*;

/// Softmax along `dim`: exponentials that add up to one.
#[op(case = "f32[2, 3], dim=1", case = "f32[2, 3, 4], dim=0")]
pub fn softmax(g: &Recorder, input: Expr, dim: isize, dtype: Option<DType>) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let x = input.cast(dtype.unwrap_or(input.dtype().to_float()));
    let e = (x - x.max_keep(&[axis]).detach()).exp();
    Ok(e / e.sum_keep(&[axis]))
}

entries![softmax];
