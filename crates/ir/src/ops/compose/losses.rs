//! Regression losses, and the reduction of element losses to one.
use super::prelude::*;
use std::f64::consts::PI;

choice! {
    /// How the losses of all elements are reduced.
    pub enum Reduction {
        Mean = "mean",
        Sum = "sum",
        /// No reduction: the losses are the result.
        None = "none",
    }
}

choice! {
    /// [`Reduction`] for divergences, with PyTorch's `batchmean`.
    pub enum DivergenceReduction {
        /// The mean over all elements, not samples.
        Mean = "mean",
        /// The sum divided by the length of the first axis.
        BatchMean = "batchmean",
        Sum = "sum",
        None = "none",
    }
}

impl Reduction {
    /// Reduces the losses of elements; f16 and bf16 are summed in f32.
    pub(super) fn of(self, loss: Expr<'_>) -> Expr<'_> {
        let n = loss.elements() as f64;
        match self {
            Reduction::None => loss,
            Reduction::Sum => total(loss.widened()).cast(loss.dtype()),
            Reduction::Mean => (total(loss.widened()) * (1.0 / n)).cast(loss.dtype()),
        }
    }

    /// [`Reduction::of`] losses times weights; a mean divides by the sum of the weights.
    fn weighted<'g>(self, loss: Expr<'g>, weight: Option<Expr<'g>>) -> Expr<'g> {
        let Some(weight) = weight else { return self.of(loss) };
        if self == Reduction::Mean {
            return Reduction::Sum.of(loss * weight) / Reduction::Sum.of(weight);
        }
        self.of(loss * weight)
    }
}

/// The sum of all elements.
pub(super) fn total(x: Expr<'_>) -> Expr<'_> {
    x.sum(&(0..x.rank()).collect::<Vec<_>>())
}

/// The operands as floating tensors of their common type and shape.
pub(super) fn floats<'g, const N: usize>(
    g: &'g Recorder,
    op: &str,
    operands: [Operand<'g>; N],
) -> Result<[Expr<'g>; N]> {
    let dtype = common_type(&operands).to_float();
    let tensors = promoted(g, op, &operands, dtype)?;
    Ok(tensors.try_into().expect("as many as operands"))
}

/// `max(x, 0)`, with gradient 1 at zero.
pub(super) fn at_least_zero(x: Expr<'_>) -> Expr<'_> {
    x.lt(x.zeros_like()).choose(x.zeros_like(), x)
}

/// A weight for each element of `loss`.
fn element_weight<'g>(
    op: &str,
    loss: Expr<'g>,
    weight: Option<Expr<'g>>,
) -> Result<Option<Expr<'g>>> {
    let Some(weight) = weight else { return Ok(None) };
    if weight.shape() != loss.shape() {
        let what = "weight must have the shape of the losses";
        let error = Error::shape(op, what).operand("weight", &weight.ty());
        return Err(error.operand("losses", &loss.ty()));
    }
    Ok(Some(weight.cast(loss.dtype())))
}

/// Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
#[op(
    case = "f32[2, 3], f32[2, 3]",
    case = "f32[2, 3], f32[2, 3], 'sum'",
    case = "f32[2, 3], f32[2, 3], reduction='none'",
    case = "f32[2, 3], f32[2, 3], weight=f32[2, 3] in 0.5..2"
)]
pub fn mse_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(Reduction::Mean)] reduction: Reduction,
    weight: Option<Expr>,
) -> Result<Expr> {
    let [x, t] = floats(g, "mse_loss", [input.into(), target.into()])?;
    let loss = (x - t) * (x - t);
    Ok(reduction.weighted(loss, element_weight("mse_loss", loss, weight)?))
}

/// Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
#[op(
    case = "f32[2, 3] in 0..1, f32[2, 3] in 2..3",
    case = "f32[2, 3] in 0..1, f32[2, 3] in 2..3, reduction='none'",
    case = "f32[2, 3] in 0..1, f32[2, 3] in 2..3, weight=f32[2, 3] in 0.5..2"
)]
pub fn l1_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(Reduction::Mean)] reduction: Reduction,
    weight: Option<Expr>,
) -> Result<Expr> {
    let [x, t] = floats(g, "l1_loss", [input.into(), target.into()])?;
    let loss = (x - t).abs();
    Ok(reduction.weighted(loss, element_weight("l1_loss", loss, weight)?))
}

/// Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
/// `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
#[op(
    case = "f32[2, 3] in 0..0.4, f32[2, 3] in 0.5..0.9",
    case = "f32[2, 3] in 0..1, f32[2, 3] in 2..3, 'sum', 0.5",
    case = "f32[2, 3] in 0..1, f32[2, 3] in 2..3, reduction='none', beta=0"
)]
pub fn smooth_l1_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(1.0)] beta: f64,
) -> Result<Expr> {
    if beta < 0.0 {
        return Err(input.argument_error(format!("beta must not be negative, got {beta}")));
    }
    let [x, t] = floats(g, "smooth_l1_loss", [input.into(), target.into()])?;
    let d = (x - t).abs();
    if beta == 0.0 {
        return Ok(reduction.of(d));
    }
    let beta = g.number(beta.into(), d.dtype());
    Ok(reduction.of(d.lt(beta).choose(d * d * 0.5 / beta, d - beta * 0.5)))
}

/// Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
/// `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
#[op(
    case = "f32[2, 3] in 0..0.4, f32[2, 3] in 0.5..0.9",
    case = "f32[2, 3] in 0..1, f32[2, 3] in 2..3, 'none', 0.5"
)]
pub fn huber_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(1.0)] delta: f64,
    weight: Option<Expr>,
) -> Result<Expr> {
    if delta <= 0.0 {
        return Err(input.argument_error(format!("delta must be positive, got {delta}")));
    }
    let [x, t] = floats(g, "huber_loss", [input.into(), target.into()])?;
    let d = (x - t).abs();
    let delta = g.number(delta.into(), d.dtype());
    let loss = d.le(delta).choose(d * d * 0.5, delta * (d - delta * 0.5));
    Ok(reduction.weighted(loss, element_weight("huber_loss", loss, weight)?))
}

/// Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
/// `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
#[op(
    case = "f32[2, 3] in -3..-0.5, f32[2, 3] in 0.1..0.9, 'batchmean'",
    case = "f32[2, 3] in -3..-0.5, f32[2, 3] in -3..-0.5, log_target=true",
    case = "f32[2, 3] in -3..-0.5, f32[2, 3] in 0.1..0.9, reduction='none'"
)]
pub fn kl_div(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(DivergenceReduction::Mean)] reduction: DivergenceReduction,
    #[default(false)] log_target: bool,
) -> Result<Expr> {
    let [x, t] = floats(g, "kl_div", [input.into(), target.into()])?;
    let loss = if log_target { t.exp() * (t - x) } else { t.xlogy(t) - t * x };
    Ok(match reduction {
        DivergenceReduction::Mean => Reduction::Mean.of(loss),
        DivergenceReduction::Sum => Reduction::Sum.of(loss),
        DivergenceReduction::None => loss,
        DivergenceReduction::BatchMean => {
            let samples = input.shape().first().map_or(1.0, |&n| n as f64);
            (total(loss.widened()) * (1.0 / samples)).cast(loss.dtype())
        }
    })
}

/// Negative log-likelihood of `target` under normal distributions of mean `input` and variance
/// `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
///
/// `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
#[op(
    case = "f32[4, 3], f32[4, 3], f32[4, 3] in 0.5..2",
    case = "f32[4, 3], f32[4, 3], f32[4] in 0.5..2, full=true, reduction='sum'",
    case = "f32[4, 3], f32[4, 3], 0.5"
)]
pub fn gaussian_nll_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    var: Operand,
    #[default(false)] full: bool,
    #[default(1e-6)] eps: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let var = match var {
        Operand::Tensor(v) if is_without_last(v, input) => v.unsqueeze(v.rank()).into(),
        other => other,
    };
    let [x, t, v] = floats(g, "gaussian_nll_loss", [input.into(), target.into(), var])?;
    let eps = g.number(eps.into(), v.dtype());
    let v = v + (v.maximum(eps) - v).detach();
    let loss = (v.log() + (x - t) * (x - t) / v) * 0.5;
    let loss = if full { loss + 0.5 * (2.0 * PI).ln() } else { loss };
    Ok(reduction.of(loss))
}

/// Whether `v` has all axes of `input` except the last.
fn is_without_last(v: Expr, input: Expr) -> bool {
    let shape = input.shape();
    shape.split_last().is_some_and(|(_, rest)| *v.shape() == *rest)
}

/// Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
/// or `input − target · log(input + eps)` where `log_input` is false.
///
/// `full` adds Stirling's approximation of `log(target!)` where the target is above one.
#[op(
    case = "f32[4, 3], f32[4, 3] in 0..3",
    case = "f32[4, 3] in 0.5..2, f32[4, 3] in 1.5..3, false, true, reduction='sum'"
)]
pub fn poisson_nll_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(true)] log_input: bool,
    #[default(false)] full: bool,
    #[default(1e-8)] eps: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let [x, t] = floats(g, "poisson_nll_loss", [input.into(), target.into()])?;
    let eps = g.number(eps.into(), x.dtype());
    let loss = if log_input { x.exp() - t * x } else { x - t * (x + eps).log() };
    if !full {
        return Ok(reduction.of(loss));
    }
    let is_large = t.gt(t.like(1.0));
    let n = is_large.choose(t, t.like(1.0));
    let stirling = n * n.log() - n + (n * (2.0 * PI)).log() * 0.5;
    Ok(reduction.of(loss + is_large.choose(stirling, t.zeros_like())))
}

entries![
    mse_loss,
    l1_loss,
    smooth_l1_loss,
    huber_loss,
    kl_div,
    gaussian_nll_loss,
    poisson_nll_loss,
];
