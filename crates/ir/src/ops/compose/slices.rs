//! Parts of a tensor and repetitions of it: slices, windows, diagonals, rotations, padding. All are
//! views.
use super::joins::joined;
use super::moves::{at_least, distinct};
use super::prelude::*;
use crate::ops::movement::spread;
use crate::shape::MAX_ELEMENTS;

/// Elements `start, start + step, …` of one axis, `len` of them.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) step: usize,
}

impl Range {
    /// Python's slice `start:stop:step` of an axis of length `len`.
    pub(super) fn of(
        x: Expr,
        len: usize,
        start: Option<i64>,
        stop: Option<i64>,
        step: Option<i64>,
    ) -> Result<Range> {
        let step = step.unwrap_or(1);
        if step < 1 {
            let error = x.argument_error(format!("the step of a slice must be positive: {step}"));
            return Err(error.help("reverse an axis with flip"));
        }
        let inside = |i: i64| {
            let from_end = if i < 0 { i.saturating_add(len as i64) } else { i };
            from_end.clamp(0, len as i64) as usize
        };
        let (start, stop) = (start.map_or(0, inside), stop.map_or(len, inside));
        let count = stop.saturating_sub(start).div_ceil(step as usize);
        // Up to one element the step does not matter, and the user's may be huge.
        let step = if count > 1 { step as usize } else { 1 };
        Ok(Range { start, len: count, step })
    }

    pub(super) fn take<'g>(&self, x: Expr<'g>, axis: usize) -> Expr<'g> {
        x.stride(axis, self.start, self.len, self.step)
    }

    /// The inverse of `take`: pads a part with zeros to an axis of length `len`.
    pub(super) fn place<'g>(&self, part: Expr<'g>, axis: usize, len: usize) -> Expr<'g> {
        let span = len - self.start;
        let spread = spread(part, axis, self.step);
        let spread = spread.narrow(axis, 0, spread.len(axis).min(span));
        spread.pad(axis, self.start, span - spread.len(axis), 0.0)
    }
}

/// The position meant by `index` on an axis of `len`, which may count from the end.
pub(super) fn position(x: Expr, axis: usize, len: usize, index: i64) -> Result<usize> {
    let at = if index < 0 { index.saturating_add(len as i64) } else { index };
    if at < 0 || at >= len as i64 {
        let what = format!("index {index} is out of range for axis {axis} of length {len}");
        return Err(x.argument_error(what));
    }
    Ok(at as usize)
}

/// Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
/// the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
/// slice. Positions may count from the end.
#[op(
    alias = "shrink",
    case = "f32[3, 5], [[0, 2], [1, 4]]",
    case = "f32[5], [[0, 5, 2]]",
    case = "f32[3, 5], 1, 1, -1, 2"
)]
pub fn slice(
    g: &Recorder,
    input: Expr,
    ranges: Vec<Vec<i64>>,
    start: Option<i64>,
    end: Option<i64>,
    #[default(1)] step: i64,
) -> Result<Expr> {
    if let ([range], 1) = (&ranges[..], ranges.first().map_or(0, Vec::len)) {
        let dim = range[0];
        let axis = input.axis(isize::try_from(dim).unwrap_or(isize::MAX))?;
        let Some(&len) = input.shape().get(axis) else {
            return Err(input.shape_error("a scalar cannot be sliced"));
        };
        return Ok(Range::of(input, len, start, end, Some(step))?.take(input, axis));
    }
    let shape = input.shape();
    if ranges.len() > shape.len() {
        let what = format!("{} ranges for {} axes", ranges.len(), shape.len());
        return Err(input.argument_error(what));
    }
    ranges.iter().enumerate().try_fold(input, |x, (axis, range)| {
        let (start, end, step) = match range[..] {
            [] => (None, None, None),
            [start, end] => (Some(start), Some(end), None),
            [start, end, step] => (Some(start), Some(end), Some(step)),
            _ => return Err(input.argument_error(format!("{range:?} is not [start, end]"))),
        };
        Ok(Range::of(input, shape[axis], start, end, step)?.take(x, axis))
    })
}

/// `length` elements of axis `dim` from `start` on.
#[op(case = "f32[3, 5], 1, 1, 3", case = "f32[3, 5], 0, -2, 1")]
pub fn narrow(g: &Recorder, input: Expr, dim: isize, start: i64, length: usize) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let Some(&len) = input.shape().get(axis) else {
        return Err(input.shape_error("a scalar cannot be narrowed"));
    };
    let from = if start < 0 { start.saturating_add(len as i64) } else { start };
    let fits = |&from: &usize| from <= len && length <= len - from;
    let Some(from) = usize::try_from(from).ok().filter(fits) else {
        let what = format!("{length} elements from {start} on do not fit an axis of {len}");
        return Err(input.argument_error(what));
    };
    Ok(input.narrow(axis, from, length))
}

/// The elements at `index` of axis `dim`, which is removed.
#[op(case = "f32[3, 5], 1, 2", case = "f32[3, 5], 0, -1")]
pub fn select(g: &Recorder, input: Expr, dim: isize, index: i64) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let Some(&len) = input.shape().get(axis) else {
        return Err(input.shape_error("a scalar has no positions to select"));
    };
    Ok(input.select(axis, position(input, axis, len, index)?))
}

/// Reverses the axes `dims`.
#[op(case = "f32[2, 3], [0]", case = "f32[2, 3], [0, -1]")]
pub fn flip(g: &Recorder, input: Expr, dims: Vec<isize>) -> Result<Expr> {
    let mut axes = distinct(input, &dims)?;
    axes.retain(|&axis| axis < input.rank());
    Ok(input.flip(&axes))
}

/// Reverses the second axis.
#[op(case = "f32[2, 3]")]
pub fn fliplr(g: &Recorder, input: Expr) -> Result<Expr> {
    if input.rank() < 2 {
        return Err(input.shape_error("expected two axes or more"));
    }
    Ok(input.flip(&[1]))
}

/// Reverses the first axis.
#[op(case = "f32[2, 3]")]
pub fn flipud(g: &Recorder, input: Expr) -> Result<Expr> {
    if input.rank() < 1 {
        return Err(input.shape_error("expected one axis or more"));
    }
    Ok(input.flip(&[0]))
}

/// Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
/// the flattened tensor is rolled.
#[op(case = "f32[3, 5], [1, -2], [0, 1]", case = "f32[3, 5], 4", case = "f32[5], 2, 0")]
pub fn roll(g: &Recorder, input: Expr, shifts: Vec<i64>, dims: Option<Vec<isize>>) -> Result<Expr> {
    let dims = dims.unwrap_or_default();
    if dims.is_empty() && shifts.len() == 1 {
        let rolled = roll_axis(input.reshape(&[input.elements()]), 0, shifts[0]);
        return Ok(rolled.reshape(&input.shape()));
    }
    if dims.len() != shifts.len() {
        let what = format!("{} shifts for {} dims", shifts.len(), dims.len());
        return Err(input.argument_error(what));
    }
    let axes = dims.iter().map(|&dim| input.axis(dim)).collect::<Result<Vec<_>>>()?;
    let x = at_least(input, 1);
    let rolled = axes.iter().zip(&shifts).fold(x, |x, (&axis, &by)| roll_axis(x, axis, by));
    Ok(rolled.reshape(&input.shape()))
}

/// Rolls one axis: a slice of two copies of it.
fn roll_axis(x: Expr, axis: usize, by: i64) -> Expr {
    let len = x.len(axis);
    if len == 0 {
        return x;
    }
    let by = by.rem_euclid(len as i64) as usize;
    if by == 0 { x } else { copies(x, axis, 2).narrow(axis, len - by, len) }
}

/// An axis repeated `n` times.
fn copies(x: Expr, axis: usize, n: usize) -> Expr {
    let mut shape = x.shape();
    let long = shape.with(axis, shape[axis] * n);
    shape.insert(axis, n);
    x.unsqueeze(axis).expand(&shape).reshape(&long)
}

/// Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
#[op(case = "f32[2, 3]", case = "f32[2, 3, 4], -1, [0, 2]", case = "f32[2, 3], 2")]
pub fn rot90(
    g: &Recorder,
    input: Expr,
    #[default(1)] k: i64,
    #[default(vec![0, 1])] dims: Vec<isize>,
) -> Result<Expr> {
    let &[a, b] = &distinct(input, &dims)?[..] else {
        return Err(input.argument_error(format!("expected two dims, got {dims:?}")));
    };
    Ok(match k.rem_euclid(4) {
        1 => input.flip(&[b]).swap(a, b),
        2 => input.flip(&[a, b]),
        3 => input.flip(&[a]).swap(a, b),
        _ => input,
    })
}

/// The whole tensor repeated along each axis. `repeats` is aligned at the last axis and may add
/// leading axes.
#[op(case = "f32[2, 3], [2, 2]", case = "f32[3], [2, 1, 2]")]
pub fn repeat(g: &Recorder, input: Expr, repeats: Vec<usize>) -> Result<Expr> {
    let rank = input.rank();
    let Some(extra) = repeats.len().checked_sub(rank) else {
        let what = format!("{} repeats for {rank} axes", repeats.len());
        return Err(input.argument_error(what).help("tile fills in leading ones"));
    };
    let mut shape = vec![1; extra];
    shape.extend_from_slice(&input.shape());
    let shape = Shape::from(shape);
    let long = shape.iter().zip(&repeats).map(|(&len, &n)| len.checked_mul(n));
    let Some(long) = long.collect::<Option<Vec<usize>>>() else {
        return Err(input.argument_error(format!("repeats {repeats:?} are too large")));
    };
    let pairs = |first: &[usize]| -> Vec<usize> {
        first.iter().zip(&shape[..]).flat_map(|(&n, &len)| [n, len]).collect()
    };
    let split = input.reshape(&pairs(&vec![1; shape.len()]));
    Ok(split.expand(&pairs(&repeats)).reshape(&long))
}

/// `repeat` with `dims` padded by leading ones.
#[op(case = "f32[2, 3], [2]", case = "f32[3], [2, 2]")]
pub fn tile(g: &Recorder, input: Expr, dims: Vec<usize>) -> Result<Expr> {
    let mut repeats = vec![1; input.rank().saturating_sub(dims.len())];
    repeats.extend(dims);
    repeat(g, input, repeats)
}

/// Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
/// tensor, one for each position, `output_size` must be its sum.
#[op(
    case = "f32[2, 3], 2, dim=1",
    case = "f32[2, 3], 2",
    case = "f32[3, 2], i64[3] in 2..3, dim=0, output_size=6"
)]
pub fn repeat_interleave(
    g: &Recorder,
    input: Expr,
    repeats: Operand,
    dim: Option<isize>,
    output_size: Option<usize>,
) -> Result<Expr> {
    let (x, axis) = match dim {
        Some(dim) => (at_least(input, 1), input.axis(dim)?),
        None => (input.reshape(&[input.elements()]), 0),
    };
    let len = x.len(axis);
    let counts = match repeats {
        Operand::Number(n) => {
            let n = usize::try_from(n.as_i64());
            let n =
                n.map_err(|_| input.argument_error("repeats is negative, expected 0 or more"))?;
            let Some(long) = len.checked_mul(n) else {
                return Err(input.argument_error(format!("{n} repeats are too many")));
            };
            let mut shape = x.shape();
            shape.insert(axis + 1, n);
            let repeated = x.unsqueeze(axis + 1).expand(&shape);
            return Ok(repeated.reshape(&x.shape().with(axis, long)));
        }
        Operand::Tensor(counts) => counts,
    };
    let Some(size) = output_size else {
        let error = input.argument_error("a tensor of repeats needs output_size");
        return Err(error.help("output_size is the sum of repeats"));
    };
    let fits = counts.elements() == len || counts.elements() == 1;
    if counts.rank() > 1 || !fits || !counts.dtype().is_int() {
        let error = input.shape_error(format!("expected one integer of repeats for each of {len}"));
        return Err(error.operand("repeats", &counts.ty()));
    }
    // The source of place j is the number of positions whose repeats end at or before j.
    let counts = counts.cast(DType::I64).reshape(&[counts.elements()]).expand(&[len]);
    let ends = g.emit(Scan { by: ScanOp::Sum, axis: 0, reverse: false }, &[counts]);
    let places = g.push(Iota { len: size, dtype: DType::I64 }, &[])?.unsqueeze(1);
    let source = ends.unsqueeze(0).le(places).cast(DType::I64).sum(&[1]);
    Ok(picked(x, axis, source))
}

/// The elements at the indices `index`, a vector, along `axis`.
pub(super) fn picked<'g>(x: Expr<'g>, axis: usize, index: Expr<'g>) -> Expr<'g> {
    x.gather(axis, along(index, axis, &x.shape()))
}

/// A vector broadcast to `shape`, with the vector along `axis`, which gets its length.
pub(super) fn along<'g>(vector: Expr<'g>, axis: usize, shape: &Shape) -> Expr<'g> {
    let n = vector.elements();
    let line = Shape::from(vec![1; shape.len()]).with(axis, n);
    vector.reshape(&line).expand(&shape.with(axis, n))
}

/// Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
#[op(case = "f32[2, 7], 1, 3, 2", case = "f32[5, 2], 0, 2, 1")]
pub fn unfold(
    g: &Recorder,
    input: Expr,
    dimension: isize,
    size: usize,
    step: usize,
) -> Result<Expr> {
    let axis = input.axis(dimension)?;
    let x = at_least(input, 1);
    if size == 0 || step == 0 || size > x.len(axis) {
        let len = x.len(axis);
        let what = format!("no windows of {size}, {step} apart, in an axis of {len}");
        return Err(input.argument_error(what));
    }
    let windows = x.window(axis, size, step, 1);
    Ok(if input.rank() == 0 { windows.reshape(&[size]) } else { windows })
}

/// The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
#[op(
    case = "f32[3, 4]",
    case = "f32[4, 3], offset=-1",
    case = "f32[3, 4, 2], offset=1, dim1=0, dim2=2"
)]
pub fn diagonal(
    g: &Recorder,
    input: Expr,
    #[default(0)] offset: i64,
    #[default(0)] dim1: isize,
    #[default(1)] dim2: isize,
) -> Result<Expr> {
    let x = input.permute(&plane_last(input, dim1, dim2)?);
    let rank = x.rank();
    let (rows, columns) = (x.len(rank - 2), x.len(rank - 1));
    let (top, left) = corner(rows, columns, offset);
    let n = (rows - top).min(columns - left);
    let square = x.narrow(rank - 2, top, n).narrow(rank - 1, left, n);
    let mut shape = x.shape();
    shape.remove(rank - 1);
    let flat = square.reshape(&shape.with(rank - 2, n * n));
    Ok(flat.stride(rank - 2, 0, n, if n > 1 { n + 1 } else { 1 }))
}

/// The order of the axes that has `dim1` and `dim2` last.
pub(super) fn plane_last(input: Expr, dim1: isize, dim2: isize) -> Result<Vec<usize>> {
    if input.rank() < 2 {
        return Err(input.shape_error("expected two axes or more"));
    }
    let plane = distinct(input, &[dim1, dim2])?;
    let mut axes: Vec<usize> = (0..input.rank()).filter(|axis| !plane.contains(axis)).collect();
    axes.extend(plane);
    Ok(axes)
}

/// Row and column of the first element of a diagonal.
pub(super) fn corner(rows: usize, columns: usize, offset: i64) -> (usize, usize) {
    let shift = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    if offset < 0 { (shift.min(rows), 0) } else { (0, shift.min(columns)) }
}

choice! {
    /// The values around a padded tensor.
    pub enum PadMode {
        /// One value.
        Constant = "constant",
        /// The elements next to the edge, mirrored at it.
        Reflect = "reflect",
        /// The element at the edge.
        Replicate = "replicate",
        /// The elements at the opposite end.
        Circular = "circular",
    }
}

/// Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
/// on; negative numbers remove elements.
#[op(
    case = "f32[2, 3], [1, 2]",
    case = "f32[2, 4], [-1, 1, 0, 2], 'constant', 1.5",
    case = "f32[1, 2, 4, 5], [1, 2, 2, 1], 'reflect'",
    case = "f32[2, 2, 6], [2, 1], 'replicate'",
    case = "f32[2, 2, 6], [2, 1], 'circular'"
)]
pub fn pad(
    g: &Recorder,
    input: Expr,
    pad: Vec<i64>,
    #[default(PadMode::Constant)] mode: PadMode,
    value: Option<Number>,
) -> Result<Expr> {
    let rank = input.rank();
    if !pad.len().is_multiple_of(2) || pad.len() / 2 > rank {
        let what = format!("expected pairs of before and after for at most {rank} axes: {pad:?}");
        return Err(input.argument_error(what));
    }
    let value = value.unwrap_or(Number::Float(0.0));
    pad.chunks(2).enumerate().try_fold(input, |x, (n, pair)| {
        let axis = rank - 1 - n;
        pad_axis(x, axis, [pair[0], pair[1]], mode, value)
    })
}

/// Pads and crops one axis.
fn pad_axis(x: Expr, axis: usize, pad: [i64; 2], mode: PadMode, value: Number) -> Result<Expr> {
    let len = x.len(axis);
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let [before, after] = pad.map(|p| count(p.max(0).unsigned_abs()));
    let [left, right] = pad.map(|p| count(p.min(0).unsigned_abs()));
    let most = match mode {
        PadMode::Replicate if len == 0 => 0,
        // The maximum length of any axis.
        PadMode::Constant | PadMode::Replicate => MAX_ELEMENTS,
        PadMode::Reflect => len.saturating_sub(1),
        // Removed elements cannot be repeated at the other end.
        PadMode::Circular => len.saturating_sub(left).saturating_sub(right),
    };
    let padded = len + before.min(most) + after.min(most);
    let cropped = padded.checked_sub(left).and_then(|n| n.checked_sub(right));
    let Some(cropped) = cropped.filter(|_| before.max(after) <= most) else {
        let how = mode.word();
        let what = format!("cannot pad an axis of {len} by {pad:?} in mode '{how}'");
        return Err(x.argument_error(what));
    };
    let whole = match mode {
        PadMode::Constant => x.pad(axis, before, after, value),
        PadMode::Circular => {
            let x = x.narrow(axis, left, len - left - right);
            let start = x.len(axis) - before;
            return Ok(copies(x, axis, 3).narrow(axis, start, cropped));
        }
        PadMode::Reflect | PadMode::Replicate if before == 0 && after == 0 => x,
        PadMode::Reflect => {
            let mirrored = |from: usize, n: usize| x.narrow(axis, from, n).flip(&[axis]);
            joined(&[mirrored(1, before), x, mirrored(len - 1 - after, after)], axis)
        }
        PadMode::Replicate => {
            let edge = |at: usize, n: usize| x.narrow(axis, at, 1).expand(&x.shape().with(axis, n));
            joined(&[edge(0, before), x, edge(len - 1, after)], axis)
        }
    };
    Ok(whole.narrow(axis, left, cropped))
}

/// `pad` with a constant value.
#[op(case = "f32[2, 3], [1, 2]", case = "f32[2, 3], [1, 0, 0, 2], 1.5")]
pub fn constant_pad_nd(
    g: &Recorder,
    input: Expr,
    pad: Vec<i64>,
    #[default(Number::Int(0))] value: Number,
) -> Result<Expr> {
    super::slices::pad(g, input, pad, PadMode::Constant, Some(value))
}

/// Height and width from a list of two numbers, or of one for both.
fn pair(input: Expr, name: &str, values: &[usize], least: usize) -> Result<[usize; 2]> {
    let [h, w] = match *values {
        [both] => [both, both],
        [h, w] => [h, w],
        _ => {
            let what = format!("{name}: expected one or two numbers, got {values:?}");
            return Err(input.argument_error(what));
        }
    };
    if h.min(w) < least || h.max(w) > 1 << 31 {
        return Err(input.argument_error(format!("{name}: {values:?} is out of range")));
    }
    Ok([h, w])
}

/// The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
/// patches]`. PyTorch's `nn.functional.unfold`.
#[op(
    alias = "nn.functional.unfold",
    case = "f32[2, 3, 5, 4], 2",
    case = "f32[1, 2, 6, 5], [3, 2], dilation=1, padding=1, stride=2"
)]
pub fn im2col(
    g: &Recorder,
    input: Expr,
    kernel_size: Vec<usize>,
    #[default(vec![1])] dilation: Vec<usize>,
    #[default(vec![0])] padding: Vec<usize>,
    #[default(vec![1])] stride: Vec<usize>,
) -> Result<Expr> {
    let kernel = pair(input, "kernel_size", &kernel_size, 1)?;
    let dilation = pair(input, "dilation", &dilation, 1)?;
    let padding = pair(input, "padding", &padding, 0)?;
    let stride = pair(input, "stride", &stride, 1)?;
    let x = batched(input, 3)?;
    let mut patches = x.pad(2, padding[0], padding[0], 0.0).pad(3, padding[1], padding[1], 0.0);
    for (n, axis) in [2, 3].into_iter().enumerate() {
        let (len, reach) = (patches.len(axis), dilation[n] * (kernel[n] - 1) + 1);
        if reach > len {
            let what = format!("a kernel that spans {reach} elements does not fit into {len}");
            return Err(input.shape_error(what));
        }
        patches = patches.window(axis, kernel[n], stride[n], dilation[n]);
    }
    // [N, C, patches down, patches across, kernel height, kernel width]
    let shape = patches.shape();
    let columns = patches.permute(&[0, 1, 4, 5, 2, 3]);
    let columns = columns.reshape(&[shape[0], shape[1] * shape[4] * shape[5], shape[2] * shape[3]]);
    Ok(if input.rank() == 3 { columns.squeeze(0) } else { columns })
}

/// Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
/// added.
#[op(
    alias = "nn.functional.fold",
    alias = "col2im",
    case = "f32[1, 12, 12], [4, 5], 2",
    case = "f32[2, 8, 9], [4, 5], 2, padding=1, stride=2"
)]
pub fn fold(
    g: &Recorder,
    input: Expr,
    output_size: Vec<usize>,
    kernel_size: Vec<usize>,
    #[default(vec![1])] dilation: Vec<usize>,
    #[default(vec![0])] padding: Vec<usize>,
    #[default(vec![1])] stride: Vec<usize>,
) -> Result<Expr> {
    let output = pair(input, "output_size", &output_size, 1)?;
    let kernel = pair(input, "kernel_size", &kernel_size, 1)?;
    let dilation = pair(input, "dilation", &dilation, 1)?;
    let padding = pair(input, "padding", &padding, 0)?;
    let stride = pair(input, "stride", &stride, 1)?;
    let x = batched(input, 2)?;
    let [batch, rows, columns] = [x.len(0), x.len(1), x.len(2)];
    let padded = |n: usize| output[n] + 2 * padding[n];
    let count = |n: usize| {
        let span = padded(n).checked_sub(dilation[n] * (kernel[n] - 1) + 1);
        span.map_or(0, |span| span / stride[n] + 1)
    };
    let [down, across] = [count(0), count(1)];
    let size = kernel[0] * kernel[1];
    if !rows.is_multiple_of(size) || columns != down * across {
        let patches = down.saturating_mul(across);
        let what = format!("expected [N, {size} · C, {patches}] for {down} by {across} patches");
        return Err(input.shape_error(what));
    }
    let split = [batch, rows / size, kernel[0], kernel[1], down, across];
    let patches = x.reshape(&split).permute(&[0, 1, 4, 5, 2, 3]);
    let sum = |x, n: usize| {
        let (axis, len) = (2 + n, padded(n));
        g.push(Fold { axis, len, step: stride[n], dilation: dilation[n] }, &[x])
    };
    let image = sum(sum(patches, 1)?, 0)?;
    let image = image.narrow(2, padding[0], output[0]).narrow(3, padding[1], output[1]);
    Ok(if input.rank() == 2 { image.squeeze(0) } else { image })
}

/// The input with a batch axis before its `rank` other axes; inserted if it is missing.
fn batched<'g>(input: Expr<'g>, rank: usize) -> Result<Expr<'g>> {
    match input.rank() {
        r if r == rank => Ok(input.unsqueeze(0)),
        r if r == rank + 1 => Ok(input),
        r => {
            let what = format!("expected {rank} axes, or {} with a batch, got {r}", rank + 1);
            Err(input.shape_error(what))
        }
    }
}

entries![
    slice,
    narrow,
    select,
    diagonal,
    flip,
    fliplr,
    flipud,
    roll,
    rot90,
    repeat,
    tile,
    repeat_interleave,
    unfold,
    im2col,
    fold,
    pad,
    constant_pad_nd,
];
