//! Images: rearranging pixels and channels, crops, flips and colours. An image is `[…, C, H, W]`;
//! floats are in 0 … 1, and integers use their whole range.
use super::prelude::*;

/// Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
#[op(case = "f32[1, 8, 2, 3], 2", case = "f32[9, 1, 2], 3")]
pub fn pixel_shuffle(g: &Recorder, input: Expr, upscale_factor: usize) -> Result<Expr> {
    let r = upscale_factor;
    let [lead, c, h, w] = image(input)?;
    let square = r.checked_mul(r).filter(|&square| square > 0 && c.is_multiple_of(square));
    let Some(square) = square else {
        let what = format!("{c} channels do not divide by the square of upscale_factor {r}");
        return Err(input.shape_error(what));
    };
    let (c, shape) = (c / square, input.shape());
    let x = input.reshape(&[lead, c, r, r, h, w]).permute(&[0, 1, 4, 2, 5, 3]);
    Ok(x.reshape(
        &[&shape[..shape.len() - 3], &[c, h.saturating_mul(r), w.saturating_mul(r)]].concat(),
    ))
}

/// Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
#[op(case = "f32[1, 2, 4, 6], 2", case = "f32[1, 3, 3], 3")]
pub fn pixel_unshuffle(g: &Recorder, input: Expr, downscale_factor: usize) -> Result<Expr> {
    let r = downscale_factor;
    let [lead, c, h, w] = image(input)?;
    if r == 0 || !h.is_multiple_of(r) || !w.is_multiple_of(r) {
        let what = format!("{h} by {w} pixels do not divide by downscale_factor {r}");
        return Err(input.shape_error(what));
    }
    let (h, w, shape) = (h / r, w / r, input.shape());
    let x = input.reshape(&[lead, c, h, r, w, r]).permute(&[0, 1, 3, 5, 2, 4]);
    Ok(x.reshape(&[&shape[..shape.len() - 3], &[c * r * r, h, w]].concat()))
}

/// Channel shuffle of `[N, C, …]`: the channels of each of `groups` groups are distributed to all
/// groups.
#[op(case = "f32[1, 6, 2, 2], 2", alias = "native_channel_shuffle")]
pub fn channel_shuffle(g: &Recorder, input: Expr, groups: usize) -> Result<Expr> {
    let shape = input.shape();
    if shape.len() < 3 {
        return Err(input.shape_error("expected an input [N, C, …]"));
    }
    if groups == 0 || !shape[1].is_multiple_of(groups) {
        let what = format!("{} channels do not divide into {groups} groups", shape[1]);
        return Err(input.shape_error(what));
    }
    let split = [&[shape[0], groups, shape[1] / groups], &shape[2..]].concat();
    Ok(input.reshape(&split).swap(1, 2).reshape(&shape))
}

/// The part of an image that begins at `top` and `left`; elements outside the image are zero.
#[op(case = "f32[2, 4, 5], 1, 2, 2, 3", case = "f32[1, 3, 3], -1, 1, 3, 4")]
pub fn crop(
    g: &Recorder,
    input: Expr,
    top: i64,
    left: i64,
    height: usize,
    width: usize,
) -> Result<Expr> {
    let rank = input.rank();
    if rank < 2 {
        return Err(input.shape_error("an image has two axes"));
    }
    Ok(cropped(cropped(input, rank - 2, top, height), rank - 1, left, width))
}

/// The centre of an image; `size` is one number for both axes or one for each. A smaller image is
/// padded with zeros.
#[op(case = "f32[2, 4, 5], 2", case = "f32[2, 3, 3], [2, 5]")]
pub fn center_crop(g: &Recorder, input: Expr, size: Vec<usize>) -> Result<Expr> {
    let (rank, shape) = (input.rank(), input.shape());
    let (height, width) = match size[..] {
        [side] => (side, side),
        [height, width] => (height, width),
        _ => return Err(input.argument_error("size must be one number or two")),
    };
    if rank < 2 {
        return Err(input.shape_error("an image has two axes"));
    }
    let start = |len: usize, wanted: usize| ((len as f64 - wanted as f64) / 2.0).round_ties_even();
    let (top, left) = (start(shape[rank - 2], height), start(shape[rank - 1], width));
    crop(g, input, top as i64, left as i64, height, width)
}

/// Mirrors images left to right.
#[op(case = "f32[2, 3, 4]")]
pub fn hflip(g: &Recorder, input: Expr) -> Result<Expr> {
    match input.rank() {
        0 => Err(input.shape_error("an image has two axes")),
        rank => Ok(input.flip(&[rank - 1])),
    }
}

/// Mirrors images top to bottom.
#[op(case = "f32[2, 3, 4]")]
pub fn vflip(g: &Recorder, input: Expr) -> Result<Expr> {
    match input.rank() {
        0 | 1 => Err(input.shape_error("an image has two axes")),
        rank => Ok(input.flip(&[rank - 2])),
    }
}

/// `(input − mean) / std`, with one number for each channel, or one for all.
#[op(case = "f32[2, 3, 2, 2], [0.5, 0.4, 0.3], [0.2, 0.3, 0.4]", case = "f32[3, 2, 2], 0.5, 0.25")]
pub fn normalize_channels(
    g: &Recorder,
    input: Expr,
    mean: Vec<f64>,
    std: Vec<f64>,
) -> Result<Expr> {
    let [_, c, _, _] = image(input)?;
    let x = input.to_float();
    for (name, list) in [("mean", &mean), ("std", &std)] {
        if list.len() != 1 && list.len() != c {
            let what = format!("{name} has {} numbers for {c} channels", list.len());
            return Err(input.argument_error(what));
        }
    }
    if std.contains(&0.0) {
        return Err(input.argument_error("std must not be 0"));
    }
    Ok((x - channels(g, &mean, x.dtype())) / channels(g, &std, x.dtype()))
}

/// The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
/// repeated for three.
#[op(case = "f32[3, 2, 2]", case = "f32[1, 3, 2, 2], num_output_channels=3")]
pub fn rgb_to_grayscale(
    g: &Recorder,
    input: Expr,
    #[default(1)] num_output_channels: usize,
) -> Result<Expr> {
    let [_, c, _, _] = image(input)?;
    if c != 3 {
        return Err(input.shape_error(format!("input has {c} channels, expected 3")));
    }
    if ![1, 3].contains(&num_output_channels) {
        let what = format!("num_output_channels is {num_output_channels}, expected 1 or 3");
        return Err(input.argument_error(what));
    }
    let y = gray(input.to_float()).cast(input.dtype());
    let channel = input.rank() - 3;
    Ok(y.expand(&input.shape().with(channel, num_output_channels)))
}

/// Repeats the one channel of images `[…, 1, H, W]` three times.
#[op(case = "f32[2, 1, 2, 3]")]
pub fn grayscale_to_rgb(g: &Recorder, input: Expr) -> Result<Expr> {
    let [_, c, _, _] = image(input)?;
    if c != 1 {
        return Err(input.shape_error(format!("input has {c} channels, expected 1")));
    }
    Ok(input.expand(&input.shape().with(input.rank() - 3, 3)))
}

/// Multiplies colours by a factor: 0 is black, 1 the image itself.
#[op(case = "f32[3, 2, 2] in 0.1..0.6, 1.5")]
pub fn adjust_brightness(g: &Recorder, input: Expr, brightness_factor: f64) -> Result<Expr> {
    image(input)?;
    blended(input, brightness_factor, |x| x.zeros_like())
}

/// Changes the contrast by a factor: 0 is the mean brightness everywhere, 1 the image itself.
#[op(case = "f32[3, 2, 2] in 0.3..0.6, 0.5")]
pub fn adjust_contrast(g: &Recorder, input: Expr, contrast_factor: f64) -> Result<Expr> {
    let [_, c, _, _] = image(input)?;
    if c != 1 && c != 3 {
        return Err(input.shape_error(format!("input has {c} channels, expected 1 or 3")));
    }
    let rank = input.rank();
    blended(input, contrast_factor, |x| {
        let brightness = if c == 3 { gray(x) } else { x };
        // Integers have an integer mean.
        let brightness = match input.dtype().is_float() {
            true => brightness,
            false => brightness.floor(),
        };
        brightness.mean_keep(&[rank - 3, rank - 2, rank - 1])
    })
}

/// Changes the saturation by a factor: 0 is a gray image, 1 the image itself.
#[op(case = "f32[3, 2, 2] in 0.3..0.6, 0.5")]
pub fn adjust_saturation(g: &Recorder, input: Expr, saturation_factor: f64) -> Result<Expr> {
    let [_, c, _, _] = image(input)?;
    if c != 3 {
        return Err(input.shape_error(format!("input has {c} channels, expected 3")));
    }
    blended(input, saturation_factor, gray)
}

/// Images, channels, height and width.
fn image(x: Expr) -> Result<[usize; 4]> {
    let shape = x.shape();
    match shape.len().checked_sub(3) {
        Some(lead) => {
            let images = shape[..lead].iter().product();
            Ok([images, shape[lead], shape[lead + 1], shape[lead + 2]])
        }
        None => Err(x.shape_error("expected images […, C, H, W]")),
    }
}

/// Elements `start .. start + len` of an axis, with zeros where there are none.
fn cropped(x: Expr<'_>, axis: usize, start: i64, len: usize) -> Expr<'_> {
    let (have, wanted) = (x.len(axis) as i64, i64::try_from(len).unwrap_or(i64::MAX));
    let first = start.clamp(0, have);
    let end = start.saturating_add(wanted).clamp(first, have);
    let inner = x.narrow(axis, first as usize, (end - first) as usize);
    let before = start.saturating_neg().clamp(0, wanted) as usize;
    inner.pad(axis, before, len - before - (end - first) as usize, 0.0)
}

/// One number per channel as `[C, 1, 1]`.
fn channels<'g>(g: &'g Recorder, list: &[f64], dtype: DType) -> Expr<'g> {
    let place = |(n, &value): (usize, &f64)| {
        g.number(value.into(), dtype).reshape(&[1]).pad(0, n, list.len() - 1 - n, 0.0)
    };
    let sum = list.iter().enumerate().map(place).reduce(|a, b| a + b);
    sum.map_or_else(|| g.constant(0.0, dtype, &[0, 1, 1]), |x| x.reshape(&[list.len(), 1, 1]))
}

/// Brightness of three channels as one.
fn gray(x: Expr<'_>) -> Expr<'_> {
    let channel = |n: usize| x.narrow(x.rank() - 3, n, 1);
    channel(0) * 0.2989 + channel(1) * 0.587 + channel(2) * 0.114
}

/// `factor · input + (1 − factor) · other`, within the range of colours.
fn blended<'g>(
    input: Expr<'g>,
    factor: f64,
    other: impl FnOnce(Expr<'g>) -> Expr<'g>,
) -> Result<Expr<'g>> {
    if factor.is_nan() || factor < 0.0 {
        return Err(input.argument_error(format!("the factor is {factor}, expected 0 or more")));
    }
    let dtype = input.dtype();
    let x = input.cast(dtype.to_float());
    let factor = x.recorder().number(factor.into(), x.dtype());
    let mixed = x * factor + other(x) * (1.0 - factor);
    let most = if dtype.is_float() { 1.0 } else { dtype.int_range().1 as f64 };
    Ok(mixed.maximum(mixed.zeros_like()).minimum(mixed.like(most)).cast(dtype))
}

entries![
    pixel_shuffle,
    pixel_unshuffle,
    channel_shuffle,
    crop,
    center_crop,
    hflip,
    vflip,
    normalize_channels,
    rgb_to_grayscale,
    grayscale_to_rgb,
    adjust_brightness,
    adjust_contrast,
    adjust_saturation,
];
