//! Movement: the same elements in another shape, with axes in another order, or in another dtype.
use super::prelude::*;

/// The elements, in row-major order, in another shape. One length may be −1 and is then inferred
/// from the others.
#[op(alias = "view", case = "f32[2, 6], [3, 4]", case = "f32[2, 3, 4], [-1, 6]")]
pub fn reshape(g: &Recorder, input: Expr, shape: Vec<isize>) -> Result<Expr> {
    Ok(input.reshape(&resolve_shape(input, input.elements(), &shape)?))
}

/// `lens` with −1 replaced by the length that gives `elements` in all.
fn resolve_shape(input: Expr, elements: usize, lens: &[isize]) -> Result<Shape> {
    let wrong = || input.shape_error(format!("{elements} elements do not fit shape {lens:?}"));
    if let Some(len) = lens.iter().find(|&&len| len < -1) {
        return Err(input.argument_error(format!("expected a length or -1, got {len} in {lens:?}")));
    }
    let known = lens.iter().filter(|&&len| len != -1).map(|&len| len as usize);
    let known = known.clone().try_fold(1usize, |n, len| n.checked_mul(len)).ok_or_else(wrong)?;
    let free = lens.iter().filter(|&&len| len == -1).count();
    let rest = match free {
        0 if known == elements => 0,
        1 if known > 0 && elements.is_multiple_of(known) => elements / known,
        0 => return Err(wrong()),
        1 if known == 0 => {
            return Err(wrong().help("with a length of 0, -1 is ambiguous: give the length"));
        }
        1 => return Err(wrong()),
        _ => return Err(input.argument_error(format!("more than one -1 in {lens:?}"))),
    };
    Ok(lens.iter().map(|&len| if len == -1 { rest } else { len as usize }).collect())
}

/// The elements of `input` in the shape of `other`.
#[op(alias = "view_as", case = "f32[2, 6], f32[3, 4]")]
pub fn reshape_as(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let shape: Vec<isize> = other.shape().iter().map(|&len| len as isize).collect();
    reshape(g, input, shape)
}

/// Merges the axes from `start_dim` to `end_dim` into one.
#[op(case = "f32[2, 3, 4]", case = "f32[2, 3, 4], start_dim=1", case = "f32[2, 3, 4], 0, 1")]
pub fn flatten(
    g: &Recorder,
    input: Expr,
    #[default(0)] start_dim: isize,
    #[default(-1)] end_dim: isize,
) -> Result<Expr> {
    let (first, last) = (input.axis(start_dim)?, input.axis(end_dim)?);
    if first > last {
        return Err(input.argument_error(format!("start_dim {first} comes after end_dim {last}")));
    }
    let shape = input.shape();
    if shape.is_empty() {
        return Ok(input.reshape(&[1]));
    }
    let merged = shape[first..=last].iter().product();
    let lens = [&shape[..first], &[merged], &shape[last + 1..]].concat();
    Ok(input.reshape(&lens))
}

/// All elements as a tensor of one axis.
#[op(case = "f32[2, 3]")]
pub fn ravel(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.reshape(&[input.elements()]))
}

/// Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
#[op(case = "f32[2, 6], dim=1, sizes=[3, 2]", case = "f32[6, 2], 0, [2, -1]")]
pub fn unflatten(g: &Recorder, input: Expr, dim: isize, sizes: Vec<isize>) -> Result<Expr> {
    let axis = input.axis(dim)?;
    let shape = input.shape();
    let Some(&len) = shape.get(axis) else {
        return Err(input.shape_error("a scalar has no axis to split"));
    };
    if sizes.is_empty() {
        return Err(input.argument_error("sizes is empty"));
    }
    let parts = resolve_shape(input, len, &sizes)?;
    Ok(input.reshape(&[&shape[..axis], &parts, &shape[axis + 1..]].concat()))
}

/// Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
#[op(case = "f32[2, 3, 4], [2, 0, 1]", case = "f32[2, 3], [-1, 0]")]
pub fn permute(g: &Recorder, input: Expr, dims: Vec<isize>) -> Result<Expr> {
    let rank = input.rank();
    if dims.len() != rank {
        let what = format!("dims {dims:?} must name each of the {rank} axes");
        return Err(input.argument_error(what));
    }
    Ok(input.permute(&distinct(input, &dims)?))
}

/// The axes meant by `dims`, in their order; an error if one appears twice.
pub(super) fn distinct(input: Expr, dims: &[isize]) -> Result<Vec<usize>> {
    let axes = dims.iter().map(|&dim| input.axis(dim)).collect::<Result<Vec<_>>>()?;
    if (1..axes.len()).any(|n| axes[..n].contains(&axes[n])) {
        return Err(input.argument_error(format!("a dim appears twice in {dims:?}")));
    }
    Ok(axes)
}

/// The inverse of the permutation by `axes`.
pub(super) fn unpermuted<'g>(x: Expr<'g>, axes: &[usize]) -> Expr<'g> {
    let mut back = vec![0; axes.len()];
    for (to, &from) in axes.iter().enumerate() {
        back[from] = to;
    }
    x.permute(&back)
}

/// Swaps two axes, by default the last two.
#[op(
    alias = "swapaxes",
    alias = "swap_axes",
    alias = "swapdims",
    case = "f32[2, 3, 4], dim0=0, dim1=2",
    case = "f32[2, 3]"
)]
pub fn transpose(
    g: &Recorder,
    input: Expr,
    #[default(-2)] dim0: isize,
    #[default(-1)] dim1: isize,
) -> Result<Expr> {
    let (a, b) = (input.axis(dim0)?, input.axis(dim1)?);
    Ok(if a == b { input } else { input.swap(a, b) })
}

/// The transpose of a matrix; scalars and vectors are returned unchanged.
#[op(alias = "T", alias = "H", case = "f32[2, 3]", case = "f32[3]")]
pub fn t(g: &Recorder, input: Expr) -> Result<Expr> {
    match input.rank() {
        0 | 1 => Ok(input),
        2 => Ok(input.transposed()),
        _ => {
            let error = input.shape_error("expected at most two axes");
            Err(error.help("swap the last two axes with mT, or any two with transpose(a, b)"))
        }
    }
}

/// The transpose of each matrix in the last two axes.
#[op(alias = "mT", alias = "mH", case = "f32[2, 3, 4]")]
pub fn adjoint(g: &Recorder, input: Expr) -> Result<Expr> {
    if input.rank() < 2 {
        return Err(input.shape_error("expected two axes or more"));
    }
    Ok(input.transposed())
}

/// Moves the axes `source` to the positions `destination`; the others keep their order.
#[op(alias = "moveaxis", case = "f32[2, 3, 4], 0, -1", case = "f32[2, 3, 4], [0, 1], [2, 0]")]
pub fn movedim(
    g: &Recorder,
    input: Expr,
    source: Vec<isize>,
    destination: Vec<isize>,
) -> Result<Expr> {
    if source.len() != destination.len() {
        let (from, to) = (source.len(), destination.len());
        return Err(input.argument_error(format!("source has {from} dims, destination {to}")));
    }
    let (from, to) = (distinct(input, &source)?, distinct(input, &destination)?);
    let mut others = (0..input.rank()).filter(|axis| !from.contains(axis));
    let place = |n: usize| match to.iter().position(|&axis| axis == n) {
        Some(k) => from[k],
        None => others.next().expect("as many positions as axes"),
    };
    let axes: Vec<usize> = (0..input.rank()).map(place).collect();
    Ok(input.permute(&axes))
}

/// Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
#[op(
    alias = "broadcast_to",
    case = "f32[3, 1], [2, 3, 4]",
    case = "f32[3, 1], [-1, 4]",
    case = "f32[], [2]"
)]
pub fn expand(g: &Recorder, input: Expr, size: Vec<isize>) -> Result<Expr> {
    let shape = input.shape();
    let Some(extra) = size.len().checked_sub(shape.len()) else {
        let what = format!("size {size:?} has fewer axes than input");
        return Err(input.shape_error(what));
    };
    let len = |(n, &len): (usize, &isize)| match (len, n.checked_sub(extra)) {
        (-1, Some(axis)) => Ok(shape[axis]),
        (0.., _) => Ok(len as usize),
        (-1, None) => {
            Err(input.argument_error(format!("axis {n} is new and has no length to keep")))
        }
        _ => Err(input.argument_error(format!("expected a length or -1, got {len} in {size:?}"))),
    };
    let wanted = size.iter().enumerate().map(len).collect::<Result<Vec<usize>>>()?;
    if !crate::shape::expands_to(&shape, &wanted) {
        let what = format!("cannot expand to {wanted:?}: only axes of length one repeat");
        return Err(input.shape_error(what));
    }
    Ok(input.expand(&wanted))
}

/// `input` expanded to the shape of `other`.
#[op(case = "f32[3, 1], f32[2, 3, 4]")]
pub fn expand_as(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    expand(g, input, other.shape().iter().map(|&len| len as isize).collect())
}

/// All tensors expanded to their common shape.
#[op(case = "[f32[3, 1], f32[4], f32[2, 1, 1]]")]
pub fn broadcast_tensors(g: &Recorder, tensors: Vec<Expr>) -> Result<Vec<Expr>> {
    let names: Vec<String> = (0..tensors.len()).map(|n| format!("tensors[{n}]")).collect();
    let operands = tensors.iter().zip(&names).map(|(&x, name)| (&name[..], x.into()));
    let shape = common_shape("broadcast_tensors", &operands.collect::<Vec<_>>())?;
    Ok(tensors.into_iter().map(|x| x.expand(&shape)).collect())
}

/// Removes axes of length one: all of them, or those among `dim`.
#[op(case = "f32[1, 3, 1]", case = "f32[1, 3, 1], dim=0", case = "f32[1, 3, 1], [0, 1]")]
pub fn squeeze(g: &Recorder, input: Expr, dim: Option<Vec<isize>>) -> Result<Expr> {
    let axes = match &dim {
        Some(dims) => distinct(input, dims)?,
        None => (0..input.rank()).collect(),
    };
    let shape = input.shape();
    let gone: Vec<usize> = axes.into_iter().filter(|&a| shape.get(a) == Some(&1)).collect();
    Ok(input.reshape(&shape.without(&gone)))
}

/// Inserts an axis of length one before axis `dim` of the result.
#[op(case = "f32[2, 3], 1", case = "f32[2, 3], -1")]
pub fn unsqueeze(g: &Recorder, input: Expr, dim: isize) -> Result<Expr> {
    let count = input.rank() as isize + 1;
    if !(-count..count).contains(&dim) {
        let what = format!("dim {dim} is out of range, expected {} to {}", -count, count - 1);
        return Err(input.argument_error(what));
    }
    Ok(input.unsqueeze(dim.rem_euclid(count) as usize))
}

/// Each tensor with at least one axis.
#[op(case = "[f32[], f32[2, 3]]")]
pub fn atleast_1d(g: &Recorder, tensors: Vec<Expr>) -> Result<Vec<Expr>> {
    Ok(tensors.into_iter().map(|x| at_least(x, 1)).collect())
}

/// Each tensor with at least two axes; a vector becomes a row.
#[op(case = "[f32[], f32[3], f32[2, 3]]")]
pub fn atleast_2d(g: &Recorder, tensors: Vec<Expr>) -> Result<Vec<Expr>> {
    Ok(tensors.into_iter().map(|x| at_least(x, 2)).collect())
}

/// Each tensor with at least three axes; a vector of `n` becomes `[1, n, 1]`, a matrix
/// `[m, n, 1]`.
#[op(case = "[f32[], f32[3], f32[2, 3]]")]
pub fn atleast_3d(g: &Recorder, tensors: Vec<Expr>) -> Result<Vec<Expr>> {
    Ok(tensors.into_iter().map(|x| at_least(x, 3)).collect())
}

/// `x` with `rank` axes or more, as NumPy's `atleast` functions add them.
pub(super) fn at_least(x: Expr, rank: usize) -> Expr {
    match (rank, &x.shape()[..]) {
        (1, []) => x.reshape(&[1]),
        (2, []) => x.reshape(&[1, 1]),
        (2, &[n]) => x.reshape(&[1, n]),
        (3, []) => x.reshape(&[1, 1, 1]),
        (3, &[n]) => x.reshape(&[1, n, 1]),
        (3, &[m, n]) => x.reshape(&[m, n, 1]),
        _ => x,
    }
}

/// Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
#[op(case = "f32[2, 3, 8], 4")]
pub fn split_heads(g: &Recorder, input: Expr, num_heads: usize) -> Result<Expr> {
    let [lead @ .., time, channels] = &input.shape()[..] else {
        return Err(input.shape_error("expected [..., time, channels]"));
    };
    if num_heads == 0 || !channels.is_multiple_of(num_heads) {
        let what = format!("{channels} channels do not divide into {num_heads} heads");
        return Err(input.shape_error(what));
    }
    let split = input.reshape(&[lead, &[*time, num_heads, channels / num_heads]].concat());
    Ok(split.swap(lead.len(), lead.len() + 1))
}

/// The inverse of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
#[op(case = "f32[2, 4, 3, 2]")]
pub fn merge_heads(g: &Recorder, input: Expr) -> Result<Expr> {
    let [lead @ .., heads, time, width] = &input.shape()[..] else {
        return Err(input.shape_error("expected [..., heads, time, width]"));
    };
    let swapped = input.swap(lead.len(), lead.len() + 1);
    Ok(swapped.reshape(&[lead, &[*time, heads * width]].concat()))
}

/// The elements as another dtype: to integers, floats are rounded towards zero; as `bool`, all but
/// zero is `true`.
#[op(
    alias = "cast",
    alias = "type",
    alias = "astype",
    case = "f32[3], 'f16'",
    case = "i64[3] in -5..5, 'f32'",
    case = "f32[3], 'bool'"
)]
pub fn to(g: &Recorder, input: Expr, dtype: DType) -> Result<Expr> {
    Ok(input.cast(dtype))
}

/// The elements as `f32`.
#[op(case = "i32[3] in -5..5")]
pub fn float(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::F32))
}

/// The elements as `f64`.
#[op(case = "f32[3]")]
pub fn double(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::F64))
}

/// The elements as `f16`.
#[op(case = "i32[3] in -5..5")]
pub fn half(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::F16))
}

/// The elements as `bf16`.
#[op(case = "i32[3] in -5..5")]
pub fn bfloat16(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::BF16))
}

/// The elements as `i32`; floats are rounded towards zero.
#[op(case = "f32[3] in 0.1..0.9")]
pub fn int(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::I32))
}

/// The elements as `i64`; floats are rounded towards zero.
#[op(case = "f32[3] in 0.1..0.9")]
pub fn long(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::I64))
}

/// Whether each element is not zero.
#[op(alias = "bool", case = "i32[4] in -1..2")]
pub fn to_bool(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.cast(DType::Bool))
}

/// The tensor itself: tensors are immutable, and the device chooses their memory layout.
#[op(alias = "contiguous", case = "f32[2, 3]")]
pub fn clone(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input)
}

/// The same value, through which no gradient flows.
#[op(alias = "stop_gradient", case = "i32[3] in 0..9")]
pub fn detach(g: &Recorder, input: Expr) -> Result<Expr> {
    Ok(input.detach())
}

entries![
    reshape,
    reshape_as,
    flatten,
    ravel,
    unflatten,
    permute,
    transpose,
    t,
    adjoint,
    movedim,
    expand,
    expand_as,
    broadcast_tensors,
    squeeze,
    unsqueeze,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    split_heads,
    merge_heads,
    to,
    float,
    double,
    half,
    bfloat16,
    int,
    long,
    to_bool,
    clone,
    detach,
];
