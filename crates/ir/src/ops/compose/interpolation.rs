//! Resizing by interpolation, one spatial axis after the other: a weighted sum of a few elements
//! around each source position. Positions and weights are computed as in PyTorch.
use super::convolution::per_axis;
use super::pooling::adaptive_mean;
use super::prelude::*;

choice! {
    /// Interpolation mode.
    pub enum Interpolation {
        Nearest = "nearest",
        NearestExact = "nearest-exact",
        Linear = "linear",
        Bilinear = "bilinear",
        Trilinear = "trilinear",
        Bicubic = "bicubic",
        /// The mean of the area that an output element covers.
        Area = "area",
    }
}

/// Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
/// `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
/// the others for any. With `align_corners` the corner elements keep their values and positions.
/// With `antialias` downsampling averages over all elements that an output element covers.
#[op(
    alias = "upsample",
    case = "f32[1, 2, 3, 4], size=[5, 3]",
    case = "f32[1, 2, 3, 4], scale_factor=2.0, mode='bilinear'",
    case = "f32[1, 2, 5], size=8, mode='linear', align_corners=true",
    case = "f32[1, 1, 4, 4], size=[3, 6], mode='bicubic'"
)]
pub fn interpolate(
    g: &Recorder,
    input: Expr,
    size: Option<Vec<usize>>,
    scale_factor: Option<Vec<f64>>,
    #[default(Interpolation::Nearest)] mode: Interpolation,
    align_corners: Option<bool>,
    recompute_scale_factor: Option<bool>,
    #[default(false)] antialias: bool,
) -> Result<Expr> {
    check_mode(input, mode, align_corners, antialias)?;
    let wanted = wanted(input, size, scale_factor)?;
    if mode == Interpolation::Area {
        let lens: Vec<Option<usize>> = wanted.iter().map(|&(n, _)| Some(n)).collect();
        return adaptive_mean("interpolate", input, &lens);
    }
    let mut x = to_compute(input, mode);
    for (d, (n, scale)) in wanted.into_iter().enumerate() {
        let len = x.len(d + 2);
        let scale = scale.filter(|_| recompute_scale_factor != Some(true));
        let ratio = match align_corners {
            Some(true) if n > 1 => (len - 1) as f64 / (n - 1) as f64,
            Some(true) => 0.0,
            _ => scale.map_or(len as f64 / n as f64, |scale| 1.0 / scale),
        };
        let line = Line { axis: d + 2, n, ratio, align: align_corners == Some(true) };
        x = match mode {
            Interpolation::Nearest => line.nearest(x, 0.0),
            Interpolation::NearestExact => line.nearest(x, 0.5),
            Interpolation::Bicubic if antialias => line.smoothed(x, 4),
            _ if antialias => line.smoothed(x, 2),
            Interpolation::Bicubic => line.blended(x, Kernel::Cubic),
            _ => line.blended(x, Kernel::Linear),
        };
    }
    Ok(from_compute(x, input.dtype()))
}

/// Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
#[op(case = "f32[1, 2, 3], size=5", case = "f32[1, 2, 2, 3], scale_factor=2.0")]
pub fn upsample_nearest(
    g: &Recorder,
    input: Expr,
    size: Option<Vec<usize>>,
    scale_factor: Option<Vec<f64>>,
) -> Result<Expr> {
    interpolate(g, input, size, scale_factor, Interpolation::Nearest, None, None, false)
}

/// Resizes by bilinear interpolation with aligned corners.
#[op(case = "f32[1, 2, 3, 3], size=[4, 5]")]
pub fn upsample_bilinear(
    g: &Recorder,
    input: Expr,
    size: Option<Vec<usize>>,
    scale_factor: Option<Vec<f64>>,
) -> Result<Expr> {
    interpolate(g, input, size, scale_factor, Interpolation::Bilinear, Some(true), None, false)
}

/// Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
/// number of leading axes is allowed.
#[op(case = "f32[3, 4, 5], [2, 3]", case = "f32[4, 4], 3, mode='bicubic', antialias=true")]
pub fn resize(
    g: &Recorder,
    input: Expr,
    size: Vec<usize>,
    #[default(Interpolation::Bilinear)] mode: Interpolation,
    #[default(false)] antialias: bool,
) -> Result<Expr> {
    let shape = input.shape();
    let Some(lead) = shape.len().checked_sub(2) else {
        return Err(input.shape_error("an image has two axes"));
    };
    let planes: usize = shape[..lead].iter().product();
    let x = input.reshape(&[1, planes, shape[lead], shape[lead + 1]]);
    let y = interpolate(g, x, Some(size), None, mode, None, None, antialias)?;
    Ok(y.reshape(&[&shape[..lead], &[y.len(2), y.len(3)]].concat()))
}

/// The elements around a position that are interpolated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    Nearest,
    Linear,
    Cubic,
}

/// The positions around each of `at`, as a new last axis, and their weights.
pub(super) fn taps(at: Expr<'_>, kernel: Kernel) -> (Expr<'_>, Expr<'_>) {
    let (g, last) = (at.recorder(), at.rank());
    if kernel == Kernel::Nearest {
        let near = at.round().unsqueeze(last);
        return (near, near.like(1.0));
    }
    let base = at.floor();
    let (f, base) = ((at - base).unsqueeze(last), base.unsqueeze(last));
    if kernel == Kernel::Linear {
        let k = g.iota(2, at.dtype());
        return (base + k, k.eq(k.zeros_like()).choose(1.0 - f, f));
    }
    // Distances f + 1, f, 1 − f and 2 − f; cubic convolution with a = −3/4.
    let k = g.iota(4, at.dtype()) - 1.0;
    let (below, above) = (f - k, k - f);
    let d = k.lt(k.like(0.5)).choose(below, above);
    let near = (d * 1.25 - 2.25) * d * d + 1.0;
    let far = (d - 1.0) * (2.0 - d) * (2.0 - d) * -0.75;
    let is_near = (k - 0.5).abs().lt(k.like(1.0));
    (base + k, is_near.choose(near, far))
}

/// One axis to be resized to `n`; output element `o` is at about `o · ratio` of the input.
struct Line {
    axis: usize,
    n: usize,
    ratio: f64,
    align: bool,
}

impl Line {
    /// Element `floor((o + offset) · ratio)` for each output element.
    fn nearest<'g>(&self, x: Expr<'g>, offset: f64) -> Expr<'g> {
        let (axis, n, len) = (self.axis, self.n, x.len(self.axis));
        let is_plain = self.ratio == len as f64 / n as f64;
        if n == len {
            return x;
        }
        if is_plain && n.is_multiple_of(len) {
            let mut repeated = x.unsqueeze(axis + 1).shape();
            repeated[axis + 1] = n / len;
            return x.unsqueeze(axis + 1).expand(&repeated).reshape(&x.shape().with(axis, n));
        }
        if is_plain && len.is_multiple_of(n) {
            let step = len / n;
            let first = if offset == 0.0 { 0 } else { step / 2 };
            return x.stride(axis, first, n, step);
        }
        let o = x.recorder().iota(n, DType::F32);
        let at = ((o + offset) * self.ratio).floor().unsqueeze(1);
        self.picked(x, at).squeeze(axis + 1)
    }

    fn blended<'g>(&self, x: Expr<'g>, kernel: Kernel) -> Expr<'g> {
        let len = x.len(self.axis);
        let is_same = self.n == len && (kernel == Kernel::Linear || self.ratio == 1.0);
        if is_same {
            return x;
        }
        let o = x.recorder().iota(self.n, x.dtype());
        let at = if self.align { o * self.ratio } else { (o + 0.5) * self.ratio - 0.5 };
        let at = if kernel == Kernel::Linear { at.maximum(at.zeros_like()) } else { at };
        let (at, weights) = taps(at, kernel);
        self.weighted(x, at, weights, None)
    }

    /// Interpolation with a kernel of `width` elements, which is widened for downsampling.
    fn smoothed<'g>(&self, x: Expr<'g>, width: usize) -> Expr<'g> {
        let (g, len) = (x.recorder(), x.len(self.axis));
        let wide = self.ratio.max(1.0);
        let support = width as f64 * 0.5 * wide;
        let most = (2.0 * support.ceil() + 1.0).min(len as f64) as usize;
        let center = ((g.iota(self.n, x.dtype()) + 0.5) * self.ratio).unsqueeze(1);
        let first = (center + (0.5 - support)).floor();
        let first = first.maximum(first.zeros_like());
        let end = (center + (0.5 + support)).floor();
        let end = end.minimum(end.like(len as f64));
        let at = first + g.iota(most, x.dtype());
        let d = ((at - center + 0.5) * (1.0 / wide)).abs();
        let kernel = if width == 2 { 1.0 - d } else { keys(d) };
        let is_inside = at.lt(end).bitwise_and(d.lt(d.like(width as f64 * 0.5)));
        let weights = is_inside.choose(kernel, kernel.zeros_like());
        let weights = weights / weights.sum_keep(&[1]);
        self.weighted(x, at, weights, Some(is_inside))
    }

    /// Weighted sum of the elements at `at`, over its second axis. Elements for which `counts` is
    /// false are masked, since they may be infinite.
    fn weighted<'g>(
        &self,
        x: Expr<'g>,
        at: Expr<'g>,
        weights: Expr<'g>,
        counts: Option<Expr<'g>>,
    ) -> Expr<'g> {
        let mut picked = self.picked(x, at);
        let mut along = vec![1; picked.rank()];
        along[self.axis] = self.n;
        along[self.axis + 1] = weights.len(1);
        if let Some(counts) = counts {
            picked = counts.reshape(&along).choose(picked, picked.zeros_like());
        }
        (picked * weights.reshape(&along)).sum(&[self.axis + 1])
    }

    /// The elements at positions `at [n, t]`, with axes `n` and `t` instead of the resized one.
    /// Positions out of range are clamped.
    fn picked<'g>(&self, x: Expr<'g>, at: Expr<'g>) -> Expr<'g> {
        let (axis, shape) = (self.axis, x.shape());
        let (t, last) = (at.len(1), shape[axis] as f64 - 1.0);
        let at = at.maximum(at.zeros_like()).minimum(at.like(last)).cast(DType::I64);
        let mut along = vec![1; shape.len()];
        along[axis] = self.n * t;
        let index = at.reshape(&along).expand(&shape.with(axis, self.n * t));
        let mut split = shape.with(axis, self.n);
        split.insert(axis + 1, t);
        x.gather(axis, index).reshape(&split)
    }
}

/// The cubic convolution kernel with a = −1/2, for distances below two.
fn keys(d: Expr<'_>) -> Expr<'_> {
    let near = (d * 1.5 - 2.5) * d * d + 1.0;
    let far = (d - 1.0) * (2.0 - d) * (2.0 - d) * -0.5;
    d.lt(d.like(1.0)).choose(near, far)
}

fn check_mode(
    input: Expr,
    mode: Interpolation,
    align_corners: Option<bool>,
    antialias: bool,
) -> Result<()> {
    use Interpolation::*;
    let wrong = |what: String| Err(input.argument_error(what));
    let word = mode.word();
    let ranks = match mode {
        Nearest | NearestExact | Area => 3..=5,
        Linear => 3..=3,
        Bilinear | Bicubic => 4..=4,
        Trilinear => 5..=5,
    };
    if !ranks.contains(&input.rank()) {
        let expected = match ranks.start() == ranks.end() {
            true => ranks.start().to_string(),
            false => format!("{} to {}", ranks.start(), ranks.end()),
        };
        let what = format!("mode '{word}' needs an input of {expected} axes, [N, C, …]");
        return Err(input.shape_error(format!("{what}, got {}", input.rank())));
    }
    if align_corners.is_some() && matches!(mode, Nearest | NearestExact | Area) {
        return wrong(format!("align_corners has no meaning for mode '{word}'"));
    }
    if antialias && !matches!(mode, Bilinear | Bicubic) {
        return wrong(format!("antialias is for modes 'bilinear' and 'bicubic', not '{word}'"));
    }
    if input.shape()[1..].contains(&0) {
        return Err(input.shape_error("only the batch may be empty"));
    }
    Ok(())
}

/// The new length of each spatial axis, and the scale factor if one was given.
fn wanted(
    input: Expr,
    size: Option<Vec<usize>>,
    scale_factor: Option<Vec<f64>>,
) -> Result<Vec<(usize, Option<f64>)>> {
    let (shape, dims) = (input.shape(), input.rank() - 2);
    let wanted: Vec<(usize, Option<f64>)> = match (size, scale_factor) {
        (Some(size), None) => {
            let lens = per_axis("interpolate", "size", &size, dims)?;
            lens.into_iter().map(|n| (n, None)).collect()
        }
        (None, Some(factors)) => {
            let factors = per_axis("interpolate", "scale_factor", &factors, dims)?;
            let scaled = |(&len, f): (&usize, f64)| ((len as f64 * f).floor() as usize, Some(f));
            shape[2..].iter().zip(factors).map(scaled).collect()
        }
        _ => return Err(input.argument_error("give either size or scale_factor")),
    };
    match wanted.iter().find(|(n, _)| !(1..=i32::MAX as usize).contains(n)) {
        Some((n, _)) => Err(input.argument_error(format!("a spatial axis would be {n} long"))),
        None => Ok(wanted),
    }
}

/// The input in the float type that interpolation computes in.
fn to_compute(x: Expr<'_>, mode: Interpolation) -> Expr<'_> {
    match mode {
        Interpolation::Nearest | Interpolation::NearestExact => x,
        _ if x.dtype() == DType::F64 => x,
        _ => x.cast(DType::F32),
    }
}

/// Converts back to `dtype`, rounding to the nearest value.
fn from_compute(x: Expr<'_>, dtype: DType) -> Expr<'_> {
    if dtype.is_float() || x.dtype() == dtype {
        return x.cast(dtype);
    }
    let (low, high) = dtype.int_range();
    let x = x.round().maximum(x.like(low as f64)).minimum(x.like(high as f64));
    x.cast(dtype)
}

entries![interpolate, upsample_nearest, upsample_bilinear, resize];
