//! Losses of classifiers: scores or probabilities compared with classes or labels.
use super::losses::{Reduction, at_least_zero, floats, total};
use super::prelude::*;
use super::softmaxes::log_softmax;

/// Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
/// `target`, which holds a class for each score vector, or a probability for each score. Floats of
/// the shape of `input` are probabilities, otherwise classes.
///
/// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
/// divides by the sum of the weights. `label_smoothing` mixes the target with the uniform
/// distribution.
#[op(
    case = "f32[4, 3], i64[4] in 0..3",
    case = "f32[2, 3, 2], i64[2, 2] in 0..3, f32[3] in 0.5..2, ignore_index=1, label_smoothing=0.1",
    case = "f32[3], i64[] in 0..3",
    case = "f32[4, 3], f32[4, 3] in 0..1, reduction='sum', label_smoothing=0.2",
    case = "f32[4, 3], i64[4] in 0..3, reduction='none'",
    case = "f32[2, 3], f32[2] in 1.2..1.8"
)]
pub fn cross_entropy(
    g: &Recorder,
    input: Expr,
    target: Expr,
    weight: Option<Expr>,
    #[default(-100)] ignore_index: i64,
    #[default(Reduction::Mean)] reduction: Reduction,
    #[default(0.0)] label_smoothing: f64,
) -> Result<Expr> {
    if !(0.0..=1.0).contains(&label_smoothing) {
        let what = format!("label_smoothing must be between 0 and 1, got {label_smoothing}");
        return Err(input.argument_error(what));
    }
    let axis = class_axis("cross_entropy", input)?;
    let scores = log_softmax(g, input.widened(), axis as isize, None)?;
    let weight = class_weight("cross_entropy", scores, axis, weight)?;
    let smoothing = Some(label_smoothing).filter(|&s| s > 0.0);
    let has_probabilities = target.dtype().is_float() && target.rank() + 1 != input.rank();
    let loss = if has_probabilities {
        soft_entropy(scores, axis, target, weight, reduction, smoothing)?
    } else {
        let classes = if target.dtype().is_float() { target.cast(DType::I64) } else { target };
        let picked = Picked::new("cross_entropy", scores, axis, classes, weight, ignore_index)?;
        picked.loss(reduction, smoothing)
    };
    Ok(loss.cast(input.dtype().to_float()))
}

/// Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
/// log-probabilities, at the class `target`.
///
/// Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
/// divides by the sum of the weights.
#[op(
    case = "f32[4, 3], i64[4] in 0..3",
    case = "f32[2, 3, 2], i64[2, 2] in 0..3, f32[3] in 0.5..2",
    case = "f32[4, 3], i64[4] in 0..3, reduction='none', ignore_index=1"
)]
pub fn nll_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    weight: Option<Expr>,
    #[default(-100)] ignore_index: i64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let axis = class_axis("nll_loss", input)?;
    let scores = input.widened();
    let weight = class_weight("nll_loss", scores, axis, weight)?;
    let picked = Picked::new("nll_loss", scores, axis, target, weight, ignore_index)?;
    Ok(picked.loss(reduction, None).cast(input.dtype().to_float()))
}

/// Cross entropy of probabilities and labels between 0 and 1:
/// `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
///
/// Logarithms are clamped to at least −100, and the gradient stays finite.
#[op(
    case = "f32[2, 3] in 0.1..0.9, f32[2, 3] in 0..1",
    case = "f32[2, 3] in 0.1..0.9, f32[2, 3] in 0..1, f32[3] in 0.5..2, reduction='sum'"
)]
pub fn binary_cross_entropy(
    g: &Recorder,
    input: Expr,
    target: Expr,
    weight: Option<Expr>,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let op = "binary_cross_entropy";
    same_shape(op, input, target)?;
    let [x, t] = floats(g, op, [input.into(), target.into()])?;
    let (dtype, x, t) = (x.dtype(), x.widened(), t.widened());
    let entropy = |log1: Expr<'g>, log0: Expr<'g>| -(t * log1 + (1.0 - t) * log0);

    // Near 0 and 1 the logarithms are clamped, and the slope is (x − t) / 1e-12.
    let is_extreme = (x * (1.0 - x)).lt(x.like(1e-12));
    let fixed = x.detach();
    let cut = |log: Expr<'g>| log.maximum(log.like(-100.0));
    let slope = (x - fixed) * ((fixed - t.detach()) * 1e12);
    let extreme = entropy(cut(fixed.log()), cut((-fixed).log1p())) + slope;

    let x = is_extreme.choose(x.like(0.5), x);
    let loss = is_extreme.choose(extreme, entropy(x.log(), (-x).log1p()));
    Ok(reduction.of(times(op, loss, weight)?.cast(dtype)))
}

/// `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
/// `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
///
/// `pos_weight` multiplies the term of `target`.
#[op(
    case = "f32[2, 3], f32[2, 3] in 0..1",
    case = "f32[2, 3], f32[2, 3] in 0..1, f32[2, 1] in 0.5..2, pos_weight=f32[3] in 0.5..2",
    case = "f32[2, 3], f32[2, 3] in 0..1, reduction='none'"
)]
pub fn binary_cross_entropy_with_logits(
    g: &Recorder,
    input: Expr,
    target: Expr,
    weight: Option<Expr>,
    #[default(Reduction::Mean)] reduction: Reduction,
    pos_weight: Option<Expr>,
) -> Result<Expr> {
    let op = "binary_cross_entropy_with_logits";
    same_shape(op, input, target)?;
    let [x, t] = floats(g, op, [input.into(), target.into()])?;
    let surplus = (-x).softplus();
    let surplus = match pos_weight {
        Some(w) => surplus * (times(op, t, Some(w))? - t + 1.0),
        None => surplus,
    };
    Ok(reduction.of(times(op, (1.0 - t) * x + surplus, weight)?))
}

/// Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
#[op(
    case = "f32[2, 3] in -0.8..0.8, i64[2, 3] in 1..2",
    case = "f32[4] in -0.8..0.8, i64[4] in -1..0, margin=2, reduction='none'"
)]
pub fn hinge_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(1.0)] margin: f64,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let [x, t] = floats(g, "hinge_loss", [input.into(), target.into()])?;
    Ok(reduction.of(at_least_zero(g.number(margin.into(), x.dtype()) - t * x)))
}

/// Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
#[op(case = "f32[2, 3], i64[2, 3] in 1..2", case = "f32[4], f32[4], reduction='sum'")]
pub fn soft_margin_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let [x, t] = floats(g, "soft_margin_loss", [input.into(), target.into()])?;
    Ok(reduction.of((-(t * x)).softplus()))
}

/// Multi-class margin loss, which asks the score of the class `target` to exceed each other score
/// by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
/// input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
#[op(
    case = "f32[4, 3], i64[4] in 0..3, margin=5",
    case = "f32[4, 3], i64[4] in 0..3, 2, 5, f32[3] in 0.5..2, 'none'"
)]
pub fn multi_margin_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(1)] p: i64,
    #[default(1.0)] margin: f64,
    weight: Option<Expr>,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let op = "multi_margin_loss";
    if p != 1 && p != 2 {
        return Err(input.argument_error(format!("p must be 1 or 2, got {p}")));
    }
    let x = samples(op, input)?;
    let (n, classes) = (x.len(0), x.len(1));
    if target.elements() != n || !target.dtype().is_int() {
        let error = Error::shape(op, format!("target must be {n} class indices"));
        return Err(error.operand("input", &input.ty()).operand("target", &target.ty()));
    }
    let class = target.reshape(&[n, 1]);
    let z = g.number(margin.into(), x.dtype()) - x.gather(1, class) + x;
    let others = g.iota(classes, class.dtype()).reshape(&[1, classes]).ne(class);
    let z = others.bitwise_and(z.gt(z.zeros_like())).choose(z, z.zeros_like());
    let z = if p == 2 { z * z } else { z };
    let loss = z.sum(&[1]) * (1.0 / classes as f64);
    let loss = match class_weight(op, x, 1, weight)? {
        Some(w) => loss * w.reshape(&[classes]).gather(0, target.reshape(&[n])),
        None => loss,
    };
    Ok(reduction.of(loss.reshape(&target.shape()).cast(input.dtype().to_float())))
}

/// Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
/// for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
/// target `t` and another class `c`.
///
/// Each row of `target`, shaped like the input, lists classes and ends with the first −1.
#[op(
    case = "f32[2, 4] in 0..0.4, i64[2, 4] in 0..4",
    case = "f32[4] in 0..0.4, i64[4] in -1..2, reduction='sum'"
)]
pub fn multilabel_margin_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let op = "multilabel_margin_loss";
    same_shape(op, input, target)?;
    if !target.dtype().is_int() {
        return Err(Error::dtype(op, "target must be integers").operand("target", &target.ty()));
    }
    let x = samples(op, input)?;
    let (n, classes) = (x.len(0), x.len(1));
    let class = target.reshape(&[n, classes]).cast(DType::I64);
    let lowest = g.emit(Scan { by: ScanOp::Min, axis: 1, reverse: false }, &[class]);
    let is_listed = lowest.ge(lowest.zeros_like());
    let class = is_listed.choose(class, class.zeros_like());
    let count = is_listed.cast(DType::I64);
    let times_listed = count.zeros_like().scatter(1, class, count, ScatterOp::Add);
    let is_other = times_listed.eq(count.zeros_like());

    // z[n, t, c] for target t and class c
    let z = 1.0 - x.gather(1, class).unsqueeze(2) + x.unsqueeze(1);
    let counts = is_listed.unsqueeze(2).bitwise_and(is_other.unsqueeze(1));
    let z = counts.bitwise_and(z.gt(z.zeros_like())).choose(z, z.zeros_like());
    let loss = z.sum(&[1, 2]) * (1.0 / classes as f64);
    let shape = if input.rank() == 2 { vec![n] } else { Vec::new() };
    Ok(reduction.of(loss.reshape(&shape).cast(input.dtype().to_float())))
}

/// `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
/// a `weight` for each class.
#[op(
    case = "f32[4, 3], f32[4, 3] in 0..1",
    case = "f32[4, 3], f32[4, 3] in 0..1, f32[3] in 0.5..2, 'none'"
)]
pub fn multilabel_soft_margin_loss(
    g: &Recorder,
    input: Expr,
    target: Expr,
    weight: Option<Expr>,
    #[default(Reduction::Mean)] reduction: Reduction,
) -> Result<Expr> {
    let loss = binary_cross_entropy_with_logits(g, input, target, weight, Reduction::None, None)?;
    let axes = loss.axes(&Some(vec![-1]))?;
    let mean = loss.widened().mean_keep(&axes).reshape(&loss.shape().without(&axes));
    Ok(reduction.of(mean.cast(loss.dtype())))
}

/// Log-probabilities at the classes of a target.
struct Picked<'g> {
    scores: Expr<'g>,
    axis: usize,
    /// Weights of classes, shaped to broadcast against the scores.
    weight: Option<Expr<'g>>,
    at_target: Expr<'g>,
    /// The weight of each target, zero where it is ignored.
    counts: Expr<'g>,
    is_counted: Expr<'g>,
}

impl<'g> Picked<'g> {
    fn new(
        op: &str,
        scores: Expr<'g>,
        axis: usize,
        target: Expr<'g>,
        weight: Option<Expr<'g>>,
        ignore_index: i64,
    ) -> Result<Picked<'g>> {
        let expected = scores.shape().without(&[axis]);
        if !target.dtype().is_int() || target.shape() != expected {
            let what = format!("target must be class indices of shape {expected}");
            let error = Error::shape(op, what).operand("input", &scores.ty());
            return Err(error.operand("target", &target.ty()));
        }
        let is_counted = target.cast(DType::I64);
        let is_counted = is_counted.ne(is_counted.like(ignore_index));
        let class = is_counted.choose(target, target.zeros_like());
        let at_target = scores.gather(axis, class.unsqueeze(axis)).squeeze(axis);
        let mask = is_counted.cast(scores.dtype());
        let counts = match weight {
            Some(w) => {
                let flat = class.reshape(&[class.elements()]);
                let of_class = w.reshape(&[scores.len(axis)]).gather(0, flat);
                is_counted.choose(of_class.reshape(&expected), mask)
            }
            None => mask,
        };
        Ok(Picked { scores, axis, weight, at_target, counts, is_counted })
    }

    fn loss(&self, reduction: Reduction, smoothing: Option<f64>) -> Expr<'g> {
        let zeros = self.at_target.zeros_like();
        let mut loss = self.is_counted.choose(-(self.at_target * self.counts), zeros);
        if let Some(smoothing) = smoothing {
            let s = self.scores.recorder().number(smoothing.into(), loss.dtype());
            let all = self.weight.map_or(self.scores, |w| self.scores * w);
            let uniform = -all.sum(&[self.axis]) * (1.0 / all.len(self.axis) as f64);
            loss = (1.0 - s) * loss + s * self.is_counted.choose(uniform, zeros);
        }
        match reduction {
            Reduction::None => loss,
            Reduction::Sum => total(loss),
            Reduction::Mean => total(loss) / total(self.counts),
        }
    }
}

/// Cross entropy of log-probabilities with target probabilities of the same shape.
fn soft_entropy<'g>(
    scores: Expr<'g>,
    axis: usize,
    target: Expr<'g>,
    weight: Option<Expr<'g>>,
    reduction: Reduction,
    smoothing: Option<f64>,
) -> Result<Expr<'g>> {
    same_shape("cross_entropy", scores, target)?;
    let t = target.cast(scores.dtype());
    let t = match smoothing {
        Some(smoothing) => {
            let s = t.recorder().number(smoothing.into(), t.dtype());
            t * (1.0 - s) + s * (1.0 / scores.len(axis) as f64)
        }
        None => t,
    };
    let terms = weight.map_or(scores * t, |w| scores * t * w);
    Ok(reduction.of(-terms.sum(&[axis])))
}

/// The axis of the classes: the second, or the only one.
fn class_axis(op: &str, input: Expr) -> Result<usize> {
    if input.rank() == 0 {
        let what = "expected [C] or [N, C, …]";
        return Err(Error::shape(op, what).operand("input", &input.ty()));
    }
    Ok((input.rank() - 1).min(1))
}

/// One weight per class, shaped to broadcast against `scores`.
fn class_weight<'g>(
    op: &str,
    scores: Expr<'g>,
    axis: usize,
    weight: Option<Expr<'g>>,
) -> Result<Option<Expr<'g>>> {
    let Some(weight) = weight else { return Ok(None) };
    let classes = scores.len(axis);
    if *weight.shape() != [classes] {
        let what = format!("weight must have one element for each of {classes} classes");
        let error = Error::shape(op, what).operand("input", &scores.ty());
        return Err(error.operand("weight", &weight.ty()));
    }
    let axes = 0..scores.rank();
    let shape: Vec<usize> = axes.map(|a| if a == axis { classes } else { 1 }).collect();
    Ok(Some(weight.cast(scores.dtype()).reshape(&shape)))
}

/// `input` as `[N, C]`; it may be one sample or one score.
fn samples<'g>(op: &str, input: Expr<'g>) -> Result<Expr<'g>> {
    let x = input.widened();
    match *input.shape() {
        [] => Ok(x.reshape(&[1, 1])),
        [classes] => Ok(x.reshape(&[1, classes])),
        [_, _] => Ok(x),
        _ => Err(Error::shape(op, "expected [C] or [N, C]").operand("input", &input.ty())),
    }
}

fn same_shape(op: &str, input: Expr, target: Expr) -> Result<()> {
    if input.shape() == target.shape() {
        return Ok(());
    }
    let error = Error::shape(op, "input and target differ in shape").operand("input", &input.ty());
    Err(error.operand("target", &target.ty()))
}

/// `loss · weight`, where the weight may broadcast to the loss.
fn times<'g>(op: &str, loss: Expr<'g>, weight: Option<Expr<'g>>) -> Result<Expr<'g>> {
    let Some(weight) = weight else { return Ok(loss) };
    let shape = loss.shape();
    if broadcast([&shape[..], &weight.shape()[..]]) != Some(shape) {
        let what = "the weight does not broadcast to the losses";
        let error = Error::shape(op, what).operand("weight", &weight.ty());
        return Err(error.operand("losses", &loss.ty()));
    }
    Ok(loss * weight.cast(loss.dtype()))
}

entries![
    cross_entropy,
    nll_loss,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    hinge_loss,
    soft_margin_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
];
