//! Softmax and related ops: one pass for the maximum of each row, one for its sum.
use super::prelude::*;

/// Softmax along `dim`: exponentials that add up to one.
///
/// `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
#[op(
    case = "f32[2, 3]",
    case = "f32[2, 3, 4], dim=1",
    case = "f32[2, 3, 4], dim=0",
    case = "i64[4] in -3..3, dim=0, dtype='f32'"
)]
pub fn softmax(
    g: &Recorder,
    input: Expr,
    #[default(-1)] dim: isize,
    dtype: Option<DType>,
) -> Result<Expr> {
    let rows = Rows::new(input, dim, dtype)?;
    let e = rows.below_top().exp();
    Ok((e / e.sum_keep(&rows.axes)).cast(rows.dtype))
}

/// Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
#[op(
    alias = "log_softmax_last",
    case = "f32[2, 3]",
    case = "f32[2, 3, 4], dim=1",
    case = "i64[4] in -3..3, dim=0, dtype='f32'"
)]
pub fn log_softmax(
    g: &Recorder,
    input: Expr,
    #[default(-1)] dim: isize,
    dtype: Option<DType>,
) -> Result<Expr> {
    let rows = Rows::new(input, dim, dtype)?;
    let x = rows.below_top();
    Ok((x - x.exp().sum_keep(&rows.axes).log()).cast(rows.dtype))
}

/// Softmax of the negated input: the smallest element gets the largest share.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], dim=1")]
pub fn softmin(
    g: &Recorder,
    input: Expr,
    #[default(-1)] dim: isize,
    dtype: Option<DType>,
) -> Result<Expr> {
    softmax(g, -input.cast(dtype.unwrap_or(input.dtype()).to_float()), dim, dtype)
}

/// `input` on and below the diagonal of its last two axes, `value` above it.
#[op(case = "f32[3, 3], 0.5", case = "f32[2, 3, 4], -10.0")]
pub fn where_causal(g: &Recorder, input: Expr, value: Number) -> Result<Expr> {
    let rank = input.rank();
    if rank < 2 {
        return Err(input.shape_error("expected at least two axes"));
    }
    let dtype = common_type(&[input.into(), value.into()]);
    let below = lower_triangle(g, input.len(rank - 2), input.len(rank - 1));
    Ok(below.choose(input.cast(dtype), g.number(value, dtype)))
}

/// Softmax over the last axis of scores `[…, T, S]` in which query `i` attends only to keys
/// `0..=i`.
#[op(alias = "softmax_causal_last", case = "f32[3, 3]", case = "f32[2, 3, 4]")]
pub fn softmax_causal(g: &Recorder, input: Expr) -> Result<Expr> {
    let x = input.to_float();
    softmax(g, where_causal(g, x, f64::NEG_INFINITY.into())?, -1, None)
}

/// The mask by which query `i` of `size` attends only to keys `0..=i`: true on and below the
/// diagonal, for `scaled_dot_product_attention`.
#[op(case = "4")]
pub fn causal_mask(g: &Recorder, size: usize) -> Result<Expr> {
    if size.checked_mul(size).is_none() {
        return Err(Error::argument("causal_mask", format!("size {size} is too large")));
    }
    Ok(lower_triangle(g, size, size))
}

/// `rows × cols` truth values, true on and below the diagonal.
pub(super) fn lower_triangle(g: &Recorder, rows: usize, cols: usize) -> Expr<'_> {
    let (i, j) = (g.iota(rows, DType::I32), g.iota(cols, DType::I32));
    i.reshape(&[rows, 1]).ge(j.reshape(&[1, cols]))
}

/// The rows of a softmax.
struct Rows<'g> {
    x: Expr<'g>,
    /// The axis of the rows; empty if a row has at most one element.
    axes: Vec<usize>,
    /// The type of the result.
    dtype: DType,
}

impl<'g> Rows<'g> {
    fn new(input: Expr<'g>, dim: isize, dtype: Option<DType>) -> Result<Rows<'g>> {
        let axis = input.axis(dim)?;
        let dtype = dtype.unwrap_or(input.dtype().to_float());
        if !dtype.is_float() {
            return Err(input.argument_error(format!("dtype {dtype} is not a floating type")));
        }
        let is_trivial = input.rank() == 0 || input.elements() == 0;
        let axes = if is_trivial { Vec::new() } else { vec![axis] };
        Ok(Rows { x: input.cast(dtype).cast(dtype.wide()), axes, dtype })
    }

    /// Each element minus the largest of its row.
    fn below_top(&self) -> Expr<'g> {
        self.x - self.x.max_keep(&self.axes).detach()
    }
}

entries![softmax, log_softmax, softmin, softmax_causal, where_causal, causal_mask];
