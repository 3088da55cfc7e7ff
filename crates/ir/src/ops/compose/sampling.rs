//! Sampling of images at the positions of a grid: spatial transformers and warps.
use super::interpolation::{Kernel, taps};
use super::linalg::expect_one_dtype;
use super::prelude::*;

choice! {
    /// Interpolation mode.
    pub enum GridMode {
        Bilinear = "bilinear",
        Nearest = "nearest",
        Bicubic = "bicubic",
    }
}

choice! {
    /// Values outside the image.
    pub enum GridPadding {
        Zeros = "zeros",
        Border = "border",
        Reflection = "reflection",
    }
}

/// Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
/// `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
/// of the corner elements, else their outer edges.
#[op(
    case = "f32[1, 2, 3, 4], f32[1, 2, 2, 2] in -0.9..0.9",
    case = "f32[1, 1, 3, 3], f32[1, 2, 1, 2] in -1.4..1.4, 'bicubic', 'border', true",
    case = "f32[1, 1, 2, 3, 2], f32[1, 2, 1, 1, 3] in -0.9..0.9, padding_mode='reflection'"
)]
pub fn grid_sample(
    g: &Recorder,
    input: Expr,
    grid: Expr,
    #[default(GridMode::Bilinear)] mode: GridMode,
    #[default(GridPadding::Zeros)] padding_mode: GridPadding,
    #[default(false)] align_corners: bool,
) -> Result<Expr> {
    sample("grid_sample", input, grid, Sampling { mode, padding_mode, align_corners })
}

/// `grid_sample` of images with the modes as numbers, in the order of their lists.
#[op(case = "f32[1, 2, 3, 4], f32[1, 2, 2, 2] in -0.9..0.9, 0, 0, false")]
pub fn grid_sampler_2d(
    g: &Recorder,
    input: Expr,
    grid: Expr,
    interpolation_mode: usize,
    padding_mode: usize,
    align_corners: bool,
) -> Result<Expr> {
    expect_rank("grid_sampler_2d", input, 4)?;
    let how = Sampling::numbered(input, interpolation_mode, padding_mode, align_corners)?;
    sample("grid_sampler_2d", input, grid, how)
}

/// `grid_sample` of volumes with the modes as numbers, in the order of their lists.
#[op(case = "f32[1, 1, 2, 3, 2], f32[1, 2, 1, 1, 3] in -0.9..0.9, 0, 0, true")]
pub fn grid_sampler_3d(
    g: &Recorder,
    input: Expr,
    grid: Expr,
    interpolation_mode: usize,
    padding_mode: usize,
    align_corners: bool,
) -> Result<Expr> {
    expect_rank("grid_sampler_3d", input, 5)?;
    let how = Sampling::numbered(input, interpolation_mode, padding_mode, align_corners)?;
    sample("grid_sampler_3d", input, grid, how)
}

/// The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
/// 3]` (or volumes, `[N, 3, 4]`).
#[op(
    case = "f32[2, 2, 3], [2, 1, 3, 4]",
    case = "f32[1, 3, 4], [1, 1, 2, 3, 2], align_corners=true"
)]
pub fn affine_grid(
    g: &Recorder,
    theta: Expr,
    size: Shape,
    #[default(false)] align_corners: bool,
) -> Result<Expr> {
    let dims = size.len().wrapping_sub(2);
    let fits = (dims == 2 || dims == 3) && theta.shape()[..] == [size[0], dims, dims + 1];
    if !fits || !theta.dtype().is_float() {
        let expected = match size.len() {
            4 => format!("[{}, 2, 3]", size[0]),
            5 => format!("[{}, 3, 4]", size[0]),
            _ => "[N, 2, 3] and size [N, C, H, W]".to_string(),
        };
        let what = format!("expected floats theta {expected}, for size {size}");
        return Err(Error::shape("affine_grid", what).operand("theta", &theta.ty()));
    }
    let spatial = &size[2..];
    // theta[:, :, k] as [N, 1…, dims], one number per coordinate of the grid.
    let column = |k: usize| {
        let ones = vec![1; dims];
        theta.select(2, k).reshape(&[&[size[0]][..], &ones, &[dims]].concat())
    };
    let mut grid = column(dims);
    for (d, &len) in spatial.iter().enumerate() {
        let o = g.iota(len, theta.dtype());
        let at = match (align_corners, len) {
            (true, 0 | 1) => o * 0.0,
            (true, _) => o * (2.0 / (len - 1) as f64) - 1.0,
            (false, _) => (o * 2.0 + 1.0) * (1.0 / len as f64) - 1.0,
        };
        let mut along = vec![1; dims + 2];
        along[d + 1] = len;
        grid = grid + column(dims - 1 - d) * at.reshape(&along);
    }
    Ok(grid.expand(&[&[size[0]][..], spatial, &[dims]].concat()))
}

struct Sampling {
    mode: GridMode,
    padding_mode: GridPadding,
    align_corners: bool,
}

impl Sampling {
    fn numbered(
        input: Expr,
        mode: usize,
        padding_mode: usize,
        align_corners: bool,
    ) -> Result<Sampling> {
        let modes = [GridMode::Bilinear, GridMode::Nearest, GridMode::Bicubic];
        let paddings = [GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection];
        match (modes.get(mode), paddings.get(padding_mode)) {
            (Some(&mode), Some(&padding_mode)) => {
                Ok(Sampling { mode, padding_mode, align_corners })
            }
            _ => Err(input.argument_error("the modes are numbers from 0 to 2")),
        }
    }

    /// Converts positions in −1 … 1 to positions in elements.
    fn scaled<'g>(&self, x: Expr<'g>, len: usize) -> Expr<'g> {
        let len = len as f64;
        match self.align_corners {
            true => (x + 1.0) * (0.5 * (len - 1.0)),
            false => ((x + 1.0) * len - 1.0) * 0.5,
        }
    }

    /// Positions mapped into the image by the padding mode.
    fn padded<'g>(&self, x: Expr<'g>, len: usize) -> Expr<'g> {
        let len = len as f64;
        match self.padding_mode {
            GridPadding::Zeros => x,
            GridPadding::Border => clipped(x, len - 1.0),
            GridPadding::Reflection => {
                let (low, span) = if self.align_corners { (0.0, len - 1.0) } else { (-0.5, len) };
                clipped(reflected(x, low, span), len - 1.0)
            }
        }
    }

    /// The elements around each position on one axis: their indices, weights, and whether they are
    /// inside the image. Outside, index and weight are 0.
    fn neighbours<'g>(&self, x: Expr<'g>, len: usize) -> [Expr<'g>; 3] {
        let x = self.scaled(x, len);
        let (at, weights) = match self.mode {
            GridMode::Nearest => taps(self.padded(x, len), Kernel::Nearest),
            GridMode::Bilinear => taps(self.padded(x, len), Kernel::Linear),
            GridMode::Bicubic => {
                let (at, weights) = taps(x, Kernel::Cubic);
                (self.padded(at, len), weights)
            }
        };
        let is_inside = at.ge(at.zeros_like()).bitwise_and(at.le(at.like(len as f64 - 1.0)));
        let index = is_inside.choose(at, at.zeros_like()).cast(DType::I64);
        [index, is_inside.choose(weights, weights.zeros_like()), is_inside]
    }
}

/// Checks the operands of `sample`. Returns the number of spatial axes.
fn check_grid(call: &str, input: Expr, grid: Expr) -> Result<usize> {
    let (xs, gs) = (input.shape(), grid.shape());
    let fail = |what: &str| {
        Error::shape(call, what).operand("input", &input.ty()).operand("grid", &grid.ty())
    };
    if xs.len() != gs.len() || !(4..=5).contains(&xs.len()) {
        return Err(fail("expected images and a grid of 4 axes, or volumes and a grid of 5"));
    }
    let dims = xs.len() - 2;
    if gs[dims + 1] != dims {
        let what = format!("the grid's last axis is {}, expected {dims}", gs[dims + 1]);
        return Err(fail(&what));
    }
    if xs[0] != gs[0] {
        let what = format!("input has {} images but grid is for {}", xs[0], gs[0]);
        return Err(fail(&what));
    }
    if xs[2..].contains(&0) {
        return Err(fail("the spatial axes must not be empty"));
    }
    expect_one_dtype(call, ("input", input), ("grid", grid))?;
    if !input.dtype().is_float() {
        let error = Error::dtype(call, "expected floats");
        return Err(error.operand("input", &input.ty()).operand("grid", &grid.ty()));
    }
    Ok(dims)
}

fn sample<'g>(call: &str, input: Expr<'g>, grid: Expr<'g>, how: Sampling) -> Result<Expr<'g>> {
    let (xs, gs) = (input.shape(), grid.shape());
    let dims = check_grid(call, input, grid)?;
    let (batch, channels) = (xs[0], xs[1]);
    let points: usize = gs[1..dims + 1].iter().product();
    let grid = grid.reshape(&[batch, points, dims]);
    // [N, P, t…]: flat index and weight of each element around each point, and whether it is
    // inside.
    let mut all: Option<[Expr; 3]> = None;
    for d in 0..dims {
        // The coordinates of the grid are in reverse order of the axes: x, y, z.
        let inner = how.neighbours(grid.select(2, dims - 1 - d), xs[d + 2]);
        let mut along = vec![1; dims + 2];
        (along[0], along[1], along[d + 2]) = (batch, points, inner[0].len(2));
        let inner @ [at, weight, is_inside] = inner.map(|x| x.reshape(&along));
        all = Some(all.map_or(inner, |[index, weights, are_inside]| {
            let index = index * index.like(xs[d + 2]) + at;
            [index, weights * weight, are_inside.bitwise_and(is_inside)]
        }));
    }
    let Some([index, weights, are_inside]) = all else { return Ok(input) };
    let count: usize = index.shape()[2..].iter().product();
    let index = index.reshape(&[batch, 1, points * count]);
    let flat = input.reshape(&[batch, channels, xs[2..].iter().product()]);
    let found = flat.gather(2, index.expand(&[batch, channels, points * count]));
    let found = found.reshape(&[batch, channels, points, count]);
    let [weights, are_inside] =
        [weights, are_inside].map(|x| x.reshape(&[batch, 1, points, count]));
    // A weight of 0 is not enough: the element at index 0, read instead, may be infinite.
    let found = are_inside.choose(found, found.zeros_like());
    let y = (found * weights).sum(&[3]);
    Ok(y.reshape(&[&[batch, channels], &gs[1..dims + 1]].concat()))
}

/// `x` clamped to 0 … `high`; the gradient is zero at the ends and beyond. NaN becomes 0.
fn clipped(x: Expr<'_>, high: f64) -> Expr<'_> {
    let is_inside = x.gt(x.zeros_like()).bitwise_and(x.lt(x.like(high)));
    let end = x.ge(x.like(high)).choose(x.like(high), x.zeros_like());
    is_inside.choose(x, end)
}

/// `x` reflected into `low … low + span`.
fn reflected(x: Expr<'_>, low: f64, span: f64) -> Expr<'_> {
    if span <= 0.0 {
        return x.zeros_like();
    }
    let there = (x - low).abs().fmod(x.like(2.0 * span));
    there.gt(there.like(span)).choose(2.0 * span - there, there) + low
}

fn expect_rank(call: &str, input: Expr, rank: usize) -> Result<()> {
    if input.rank() == rank {
        return Ok(());
    }
    let what = format!("input has {} axes, expected {rank}", input.rank());
    Err(Error::shape(call, what).operand("input", &input.ty()))
}

entries![grid_sample, grid_sampler_2d, grid_sampler_3d, affine_grid];
