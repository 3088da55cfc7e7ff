//! Similarity of vectors, and the losses that train embeddings by similarity or distance.
use super::losses::{Reduction, at_least_zero, floats};
use super::prelude::*;
use super::reductions::length;

/// Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
#[op(
    case = "f32[4, 5], f32[4, 5]",
    case = "f32[2, 3], f32[3], dim=-1",
    case = "f32[2, 1, 3], f32[2, 3], dim=2, eps=1e-6"
)]
pub fn cosine_similarity(
    g: &Recorder,
    x1: Expr,
    x2: Expr,
    #[default(1)] dim: isize,
    #[default(1e-8)] eps: f64,
) -> Result<Expr> {
    let [a, b] = floats(g, "cosine_similarity", [x1.into(), x2.into()])?;
    let axes = a.axes(&Some(vec![dim]))?;
    let eps = g.number(eps.into(), a.dtype());
    let unit = |x: Expr<'g>| {
        let length = length(x, 2.0, &axes).reshape(&x.shape().keeping(&axes));
        // The gradient is that of the norm even if the value is eps.
        x / (length + (length.maximum(eps) - length).detach())
    };
    Ok((unit(a) * unit(b)).sum(&axes))
}

/// Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
#[op(
    case = "f32[4, 5], f32[4, 5], i64[4] in 1..2",
    case = "f32[2, 3] in 0.5..2, f32[2, 3] in 0.5..2, i64[2] in -1..0, 0.1, 'none'",
    case = "f32[5], f32[5], i64[] in 1..2"
)]
pub fn cosine_embedding_loss(
    g: &Recorder,
    input1: Expr,
    input2: Expr,
    target: Expr,
    #[default(0.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let [a, b] = floats(g, "cosine_embedding_loss", [input1.into(), input2.into()])?;
    let axis = [a.rank().saturating_sub(1).min(1)];
    if a.rank() == 0 || target.shape() != a.shape().without(&axis) {
        let what = "target must have the shape of the inputs without their axis of features";
        let error = Error::shape("cosine_embedding_loss", what).operand("input1", &input1.ty());
        return Err(error.operand("input2", &input2.ty()).operand("target", &target.ty()));
    }
    let product = |x: Expr<'g>, y: Expr<'g>| (x * y).sum(&axis);
    let lengths = (product(a, a) + 1e-12) * (product(b, b) + 1e-12);
    let cos = product(a, b) / lengths.sqrt();
    let margin = g.number(margin.into(), cos.dtype());
    let is = |sign: i64| target.eq(target.like(sign));
    let together = is(1).choose(1.0 - cos, cos.zeros_like());
    let apart = is(-1).choose(at_least_zero(cos - margin), cos.zeros_like());
    Ok(reduction.of(together + apart))
}

/// Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
/// it is −1.
#[op(
    case = "f32[4, 3] in 0.1..0.9, i64[4, 3] in -1..0",
    case = "f32[4, 3], i64[4, 3] in 1..2, margin=2, reduction='none'"
)]
pub fn hinge_embedding_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(1.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let [x, t] = floats(g, "hinge_embedding_loss", [input.into(), target.into()])?;
    let margin = g.number(margin.into(), x.dtype());
    let apart = t.ne(t.like(1.0)).choose(at_least_zero(margin - x), x.zeros_like());
    let together = t.ne(t.like(-1.0)).choose(x, x.zeros_like());
    Ok(reduction.of(together + apart))
}

/// Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
/// smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
#[op(
    case = "f32[4] in 0..1, f32[4] in 2..3, f32[4] in 0.5..1",
    case = "f32[2, 3] in 2..3, f32[2, 3] in 0..1, f32[2, 3] in 0.9..1, margin=4, reduction='none'"
)]
pub fn margin_ranking_loss(
    g: &Recorder,
    input1: Expr,
    input2: Expr,
    target: Expr,
    #[default(0.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let operands = [input1.into(), input2.into(), target.into()];
    let [a, b, t] = floats(g, "margin_ranking_loss", operands)?;
    let margin = g.number(margin.into(), a.dtype());
    Ok(reduction.of(at_least_zero(margin - t * (a - b))))
}

/// Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
/// `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
///
/// Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
/// is used if it is smaller than that of anchor and negative.
#[op(
    case = "f32[4, 5], f32[4, 5], f32[4, 5], margin=10",
    case = "f32[4, 5], f32[4, 5], f32[4, 5], 10, 3.0, swap=true, reduction='none'"
)]
pub fn triplet_margin_loss(
    g: &Recorder,
    anchor: Expr,
    positive: Expr,
    negative: Expr,
    #[default(1.0)] margin: f64,
    #[default(2.0)] p: f64,
    #[default(1e-6)] eps: f64,
    #[default(false)] swap: bool,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let operands = [anchor.into(), positive.into(), negative.into()];
    let [anchor, positive, negative] = floats(g, "triplet_margin_loss", operands)?;
    let axes = anchor.axes(&Some(vec![-1]))?;
    let number = |value: f64| g.number(value.into(), anchor.dtype());
    let distance = |a: Expr<'g>, b: Expr<'g>| length(a - b + number(eps), p, &axes);
    let (near, far) = (distance(anchor, positive), distance(anchor, negative));
    let far = if swap { far.minimum(distance(positive, negative)) } else { far };
    Ok(reduction.of(at_least_zero(number(margin) + near - far)))
}

entries![
    cosine_similarity,
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
];
