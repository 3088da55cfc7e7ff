//! Normalization layers. Each is "reduce, map, reduce, map" over one set of axes.
use super::prelude::*;
use super::reductions::length;

/// Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
/// then scales by `weight` and shifts by `bias`.
///
/// `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
#[op(
    case = "f32[2, 3, 4], [4], f32[4], f32[4]",
    case = "f32[2, 3, 4], [3, 4], eps=0.1",
    case = "f32[2, 5], 5, weight=f32[5]"
)]
pub fn layer_norm(
    g: &Recorder,
    input: Expr,
    normalized_shape: Shape,
    weight: Option<Expr>,
    bias: Option<Expr>,
    #[default(1e-5)] eps: f64,
) -> Result<Expr> {
    let axes = trailing_axes("layer_norm", input, &normalized_shape)?;
    let y = standardized(input.widened(), &axes, eps);
    let y = match weight {
        Some(w) => y * like_trailing("layer_norm", "weight", w, &normalized_shape, y)?,
        None => y,
    };
    let y = match bias {
        Some(b) => y + like_trailing("layer_norm", "bias", b, &normalized_shape, y)?,
        None => y,
    };
    Ok(y.cast(input.dtype().to_float()))
}

/// Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
/// scales by `weight`.
///
/// `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
#[op(
    case = "f32[2, 3, 4], [4], f32[4]",
    case = "f32[2, 3, 4], [3, 4], eps=0.1",
    case = "f32[2, 5] in 0.5..2, 5"
)]
pub fn rms_norm(
    g: &Recorder,
    input: Expr,
    normalized_shape: Shape,
    weight: Option<Expr>,
    eps: Option<f64>,
) -> Result<Expr> {
    let axes = trailing_axes("rms_norm", input, &normalized_shape)?;
    let x = input.widened();
    let eps = g.number(eps.unwrap_or(precision(input.dtype())).into(), x.dtype());
    let y = x * ((x * x).mean_keep(&axes) + eps).rsqrt();
    let y = match weight {
        Some(w) => y * like_trailing("rms_norm", "weight", w, &normalized_shape, y)?,
        None => y,
    };
    Ok(y.cast(input.dtype().to_float()))
}

/// Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
/// shifts by `bias`, which have one element per channel.
///
/// While `training` it uses the mean and biased variance of the batch, else `running_mean` and
/// `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
#[op(
    case = "f32[4, 3], none, none, f32[3], f32[3], training=true",
    case = "f32[2, 3, 4], f32[3], f32[3] in 0.5..2, f32[3], f32[3]",
    case = "f32[2, 2, 3, 3], training=true, eps=0.1"
)]
pub fn batch_norm(
    g: &Recorder,
    input: Expr,
    running_mean: Option<Expr>,
    running_var: Option<Expr>,
    weight: Option<Expr>,
    bias: Option<Expr>,
    #[default(false)] training: bool,
    #[default(0.1)] momentum: f64,
    #[default(1e-5)] eps: f64,
) -> Result<Expr> {
    let _ = momentum;
    if input.elements() == 0 && input.rank() < 2 {
        return Ok(input.to_float());
    }
    let axes = batch_axes("batch_norm", input)?;
    if training {
        several("batch_norm", input, &axes)?;
    }
    let statistics = if training { None } else { Some((running_mean, running_var)) };
    channels("batch_norm", input, &axes, statistics, (weight, bias), eps)
}

/// The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
/// the unbiased variance of the batch. An empty batch does not change them.
#[op(
    case = "f32[4, 3], f32[3], f32[3] in 0.5..2",
    case = "f32[2, 3, 4], f32[3], f32[3] in 0.5..2, momentum=0.3"
)]
pub fn batch_norm_stats(
    g: &Recorder,
    input: Expr,
    running_mean: Expr,
    running_var: Expr,
    #[default(0.1)] momentum: f64,
) -> Result<(Expr, Expr)> {
    let op = "batch_norm_stats";
    let axes = batch_axes(op, input)?;
    let n = several(op, input, &axes)?;
    let x = input.widened();
    let is_empty = input.elements() == 0;
    let mean = x.mean_keep(&axes);
    let centred = x - mean;
    let var = (centred * centred).sum_keep(&axes) * (1.0 / (n as f64 - 1.0));
    let share = g.number(momentum.into(), x.dtype());
    let blend = |name: &str, running: Expr<'g>, batch: Expr<'g>| {
        let old = per_channel(op, name, running, input, x.dtype())?;
        let new = if is_empty { old } else { share * batch + (1.0 - share) * old };
        Ok(new.reshape(&running.shape()).cast(running.dtype()))
    };
    Ok((blend("running_mean", running_mean, mean)?, blend("running_var", running_var, var)?))
}

/// Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
/// `weight` and shifts by `bias`, which have one element per channel.
#[op(
    case = "f32[2, 4, 3], 2, f32[4], f32[4]",
    case = "f32[1, 6, 2, 2], 3",
    case = "f32[2, 4], 1, eps=0.1"
)]
pub fn group_norm(
    g: &Recorder,
    input: Expr,
    num_groups: usize,
    weight: Option<Expr>,
    bias: Option<Expr>,
    #[default(1e-5)] eps: f64,
) -> Result<Expr> {
    batch_axes("group_norm", input)?;
    let shape = input.shape();
    if num_groups == 0 || num_groups > shape[1] || !shape[1].is_multiple_of(num_groups) {
        let what = format!("{} channels do not divide into {num_groups} groups", shape[1]);
        return Err(input.shape_error(what));
    }
    let per_group = (shape[1] / num_groups) * shape[2..].iter().product::<usize>();
    let groups = input.widened().reshape(&[shape[0], num_groups, per_group]);
    let y = standardized(groups, &[2], eps).reshape(&shape);
    Ok(affine("group_norm", y, input, (weight, bias))?.cast(input.dtype().to_float()))
}

/// Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
/// and shifts by `bias`, which have one element per channel.
///
/// With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
/// update these.
#[op(
    case = "f32[2, 3, 4], none, none, f32[3], f32[3]",
    case = "f32[2, 2, 3, 3], eps=0.1",
    case = "f32[2, 3, 4], f32[3], f32[3] in 0.5..2, use_input_stats=false"
)]
pub fn instance_norm(
    g: &Recorder,
    input: Expr,
    running_mean: Option<Expr>,
    running_var: Option<Expr>,
    weight: Option<Expr>,
    bias: Option<Expr>,
    #[default(true)] use_input_stats: bool,
    #[default(0.1)] momentum: f64,
    #[default(1e-5)] eps: f64,
) -> Result<Expr> {
    let _ = momentum;
    let rank = input.rank();
    if rank < 3 {
        return Err(input.shape_error("expected [N, C, …] with at least three axes"));
    }
    let axes: Vec<usize> = (2..rank).collect();
    if use_input_stats {
        several("instance_norm", input, &axes)?;
    }
    let statistics = if use_input_stats { None } else { Some((running_mean, running_var)) };
    channels("instance_norm", input, &axes, statistics, (weight, bias), eps)
}

/// Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
#[op(
    case = "f32[2, 3] in 0.2..2",
    case = "f32[2, 3] in 0.2..2, p=1, dim=0",
    case = "f32[2, 3] in 0.2..2, p=3, dim=-1"
)]
pub fn normalize(
    g: &Recorder,
    input: Expr,
    #[default(2.0)] p: f64,
    #[default(1)] dim: isize,
    #[default(1e-12)] eps: f64,
) -> Result<Expr> {
    let axes = input.axes(&Some(vec![dim]))?;
    let x = input.widened();
    let norm = length(x, p, &axes).reshape(&x.shape().keeping(&axes));
    let eps = g.number(eps.into(), x.dtype());
    Ok((x / norm.lt(eps).choose(eps, norm)).cast(input.dtype().to_float()))
}

/// Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
/// `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
#[op(case = "f32[2, 5, 3], 3", case = "f32[1, 4, 2, 2], 2, alpha=0.5, beta=0.5, k=1.25")]
pub fn local_response_norm(
    g: &Recorder,
    input: Expr,
    size: usize,
    #[default(1e-4)] alpha: f64,
    #[default(0.75)] beta: f64,
    #[default(1.0)] k: f64,
) -> Result<Expr> {
    if input.rank() < 3 {
        return Err(input.shape_error("expected [N, C, …] with at least three axes"));
    }
    if size == 0 {
        return Err(input.argument_error("size must be positive"));
    }
    if input.elements() == 0 {
        return Ok(input.to_float());
    }
    let x = input.widened();
    let number = |value: f64| g.number(value.into(), x.dtype());
    // A window needs no more zeros than it takes to cover all channels.
    let (before, after) = ((size / 2).min(x.len(1)), ((size - 1) / 2).min(x.len(1)));
    let squares = (x * x).pad(1, before, after, 0.0).window(1, before + after + 1, 1, 1);
    let energy = squares.sum(&[x.rank()]) * (1.0 / size as f64);
    let scale = (energy * number(alpha) + number(k)).pow(number(beta));
    Ok((x / scale).cast(input.dtype().to_float()))
}

/// `(x − mean) / sqrt(var + eps)` over `axes`, with the biased variance.
fn standardized<'g>(x: Expr<'g>, axes: &[usize], eps: f64) -> Expr<'g> {
    let centred = x - x.mean_keep(axes);
    let var = (centred * centred).mean_keep(axes);
    let eps = x.recorder().number(eps.into(), x.dtype());
    centred * (var + eps).rsqrt()
}

/// Machine epsilon: the distance from one to the next number of the type.
fn precision(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => f32::EPSILON as f64,
    }
}

/// The last axes of `input`, if they have these lengths.
fn trailing_axes(op: &str, input: Expr, lens: &[usize]) -> Result<Vec<usize>> {
    let shape = input.shape();
    if lens.is_empty() || !shape.ends_with(lens) {
        let what = format!("the last axes do not have the normalized_shape {lens:?}");
        return Err(Error::shape(op, what).operand("input", &input.ty()));
    }
    Ok((shape.len() - lens.len()..shape.len()).collect())
}

/// A parameter of shape `lens` in the type of `y`.
fn like_trailing<'g>(
    op: &str,
    name: &str,
    param: Expr<'g>,
    lens: &[usize],
    y: Expr<'g>,
) -> Result<Expr<'g>> {
    if *param.shape() != *lens {
        let what = format!("{name} does not have the normalized_shape {lens:?}");
        return Err(Error::shape(op, what).operand(name, &param.ty()));
    }
    Ok(param.cast(y.dtype()))
}

/// All axes of `input` except that of the channels.
fn batch_axes(op: &str, input: Expr) -> Result<Vec<usize>> {
    if input.rank() < 2 {
        let what = "expected [N, C, …] with at least two axes";
        return Err(Error::shape(op, what).operand("input", &input.ty()));
    }
    Ok((0..input.rank()).filter(|&axis| axis != 1).collect())
}

/// Number of elements of statistics over `axes`; an error if there is only one.
fn several(op: &str, input: Expr, axes: &[usize]) -> Result<usize> {
    let shape = input.shape();
    let n = axes.iter().map(|&axis| shape[axis]).product();
    if n == 1 {
        let what = "expected more than one element per channel: one has no variance";
        return Err(Error::shape(op, what).operand("input", &input.ty()));
    }
    Ok(n)
}

type Pair<'g> = (Option<Expr<'g>>, Option<Expr<'g>>);

/// Normalises by given statistics (a mean and a variance) or by those over `axes`.
fn channels<'g>(
    op: &str,
    input: Expr<'g>,
    axes: &[usize],
    statistics: Option<Pair<'g>>,
    scale: Pair<'g>,
    eps: f64,
) -> Result<Expr<'g>> {
    let x = input.widened();
    let y = match statistics {
        None => standardized(x, axes, eps),
        Some((Some(mean), Some(var))) => {
            let mean = per_channel(op, "running_mean", mean, input, x.dtype())?;
            let var = per_channel(op, "running_var", var, input, x.dtype())?;
            let eps = x.recorder().number(eps.into(), x.dtype());
            (x - mean) * (var + eps).rsqrt()
        }
        Some(_) => {
            let error = Error::argument(op, "running_mean and running_var are missing");
            return Err(error.help("give both, or normalize by the statistics of the input"));
        }
    };
    Ok(affine(op, y, input, scale)?.cast(input.dtype().to_float()))
}

/// `y · weight + bias` with one of each per channel.
fn affine<'g>(op: &str, y: Expr<'g>, input: Expr<'g>, scale: Pair<'g>) -> Result<Expr<'g>> {
    let (weight, bias) = scale;
    let y = match weight {
        Some(w) => y * per_channel(op, "weight", w, input, y.dtype())?,
        None => y,
    };
    match bias {
        Some(b) => Ok(y + per_channel(op, "bias", b, input, y.dtype())?),
        None => Ok(y),
    }
}

/// A parameter with one element per channel, shaped to broadcast against `input`.
fn per_channel<'g>(
    op: &str,
    name: &str,
    param: Expr<'g>,
    input: Expr<'g>,
    dtype: DType,
) -> Result<Expr<'g>> {
    let count = input.len(1);
    if *param.shape() != [count] {
        let what = format!("{name} must have one element for each of {count} channels");
        let error = Error::shape(op, what).operand("input", &input.ty());
        return Err(error.operand(name, &param.ty()));
    }
    let shape: Vec<usize> = (0..input.rank()).map(|a| if a == 1 { count } else { 1 }).collect();
    Ok(param.cast(dtype).reshape(&shape))
}

entries![
    layer_norm,
    rms_norm,
    batch_norm,
    batch_norm_stats,
    group_norm,
    instance_norm,
    normalize,
    local_response_norm,
];
