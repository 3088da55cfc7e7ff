//! Concatenating tensors along an axis, and splitting them.
use super::moves::at_least;
use super::prelude::*;
use crate::value::{Arg, Spec, Value};

/// Concatenates `parts` along `axis`. There must be at least one, and they must agree in dtype and
/// on all other axes. They are joined as a binary tree, so that an element is copied at most
/// log₂(n) times.
///
/// Both halves are padded to the full length and added, so that the gradient of each is a slice.
/// The pad is −0 because adding it changes no float, not even −0.
pub(super) fn joined<'g>(parts: &[Expr<'g>], axis: usize) -> Expr<'g> {
    if let [part] = parts {
        return *part;
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    let (left, right) = (joined(left, axis), joined(right, axis));
    let (before, after) = (left.len(axis), right.len(axis));
    if before == 0 || after == 0 {
        return if before == 0 { right } else { left };
    }
    let (left, right) = (left.pad(axis, 0, after, -0.0), right.pad(axis, before, 0, -0.0));
    if left.dtype() == DType::Bool { left.bitwise_or(right) } else { left + right }
}

/// The tensors in their common dtype.
fn promote<'g>(op: &str, tensors: &[Expr<'g>]) -> Result<Vec<Expr<'g>>> {
    if tensors.is_empty() {
        return Err(Error::argument(op, "expected at least one tensor"));
    }
    let dtype = common_type(&tensors.iter().map(|&x| x.into()).collect::<Vec<_>>());
    Ok(tensors.iter().map(|x| x.cast(dtype)).collect())
}

/// The error that tensors `i` and `j` do not match.
fn misfit(op: &str, what: &str, tensors: &[Expr], i: usize, j: usize) -> Error {
    let name = |n: usize| format!("tensors[{n}]");
    let error = Error::shape(op, format!("{what}: {} and {}", name(i), name(j)));
    error.operand(&name(i), &tensors[i].ty()).operand(&name(j), &tensors[j].ty())
}

/// Concatenates tensors along `dim`; they must agree on all other axes.
#[op(
    alias = "concat",
    alias = "concatenate",
    case = "[f32[2, 3], f32[1, 3], f32[2, 3]]",
    case = "[f32[2, 1], f32[2, 3]], dim=1",
    case = "[i64[2] in 0..9, bool[3]]"
)]
pub fn cat(g: &Recorder, tensors: Vec<Expr>, #[default(0)] dim: isize) -> Result<Expr> {
    let tensors = promote("cat", &tensors)?;
    // As in PyTorch, an empty vector fits tensors of any shape.
    let is_part = |&n: &usize| tensors[n].shape()[..] != [0];
    let parts: Vec<usize> = (0..tensors.len()).filter(is_part).collect();
    let Some(&first) = parts.first() else {
        return Ok(tensors[0]);
    };
    let (axis, shape) = (tensors[first].axis(dim)?, tensors[first].shape());
    for &n in &parts {
        let other = tensors[n].shape();
        if other.is_empty() {
            let error = Error::shape("cat", format!("tensors[{n}] is a scalar and has no axis"));
            return Err(error.help("stack makes a new axis"));
        }
        if other.len() != shape.len() {
            return Err(misfit("cat", "numbers of axes differ", &tensors, first, n));
        }
        if other.without(&[axis]) != shape.without(&[axis]) {
            let what = format!("lengths differ on another axis than {axis}");
            return Err(misfit("cat", &what, &tensors, first, n));
        }
    }
    Ok(joined(&parts.iter().map(|&n| tensors[n]).collect::<Vec<_>>(), axis))
}

/// Stacks tensors of one shape along a new axis, which is axis `dim` of the result.
#[op(case = "[f32[2, 3], f32[2, 3]]", case = "[f32[2], f32[2], f32[2]], dim=-1")]
pub fn stack(g: &Recorder, tensors: Vec<Expr>, #[default(0)] dim: isize) -> Result<Expr> {
    let tensors = promote("stack", &tensors)?;
    let first = tensors[0];
    if let Some(n) = tensors.iter().position(|x| x.shape() != first.shape()) {
        return Err(misfit("stack", "shapes differ", &tensors, 0, n));
    }
    let parts: Result<Vec<Expr>> = tensors.iter().map(|&x| super::unsqueeze(g, x, dim)).collect();
    let axis = dim.rem_euclid(first.rank() as isize + 1) as usize;
    Ok(joined(&parts?, axis))
}

/// Concatenates tensors along the second axis, vectors along their only axis.
#[op(case = "[f32[2], f32[3]]", case = "[f32[2, 1], f32[2, 3]]")]
pub fn hstack(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    let parts: Vec<Expr> = tensors.into_iter().map(|x| at_least(x, 1)).collect();
    let is_flat = parts.first().is_none_or(|x| x.rank() == 1);
    cat(g, parts, if is_flat { 0 } else { 1 })
}

/// Concatenates tensors along the first axis; vectors count as rows.
#[op(alias = "row_stack", case = "[f32[3], f32[2, 3]]")]
pub fn vstack(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    cat(g, tensors.into_iter().map(|x| at_least(x, 2)).collect(), 0)
}

/// Concatenates tensors along the third axis.
#[op(case = "[f32[3], f32[3]]", case = "[f32[2, 3], f32[2, 3]]")]
pub fn dstack(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    cat(g, tensors.into_iter().map(|x| at_least(x, 3)).collect(), 2)
}

/// Concatenates tensors along the second axis; scalars and vectors count as columns.
#[op(case = "[f32[3], f32[3, 2]]")]
pub fn column_stack(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    let column = |x: Expr<'g>| if x.rank() < 2 { x.reshape(&[x.elements(), 1]) } else { x };
    cat(g, tensors.into_iter().map(column).collect(), 1)
}

/// The axis meant by `dim`, and its length; an error for scalars.
fn axis_of(x: Expr, dim: isize) -> Result<(usize, usize)> {
    let axis = x.axis(dim)?;
    match x.shape().get(axis) {
        Some(&len) => Ok((axis, len)),
        None => Err(x.shape_error("a scalar cannot be split")),
    }
}

/// Parts of the lengths `sizes` along `axis`.
fn parts<'g>(x: Expr<'g>, axis: usize, sizes: &[usize]) -> Vec<Expr<'g>> {
    let mut start = 0;
    let part = |&len: &usize| {
        start += len;
        x.narrow(axis, start - len, len)
    };
    sizes.iter().map(part).collect()
}

/// Splits along `dim` into parts of one size (the last may be shorter) or of a list of sizes.
#[op(
    alias = "unsafe_split",
    case = "f32[5, 2], 2",
    case = "f32[2, 6], [1, 2, 3], dim=1",
    case = "f32[2, 6], [4, 2], dim=-1"
)]
pub fn split(
    g: &Recorder,
    tensor: Expr,
    split_size_or_sections: Vec<usize>,
    #[default(0)] dim: isize,
) -> Result<Vec<Expr>> {
    let (axis, len) = axis_of(tensor, dim)?;
    let &[size] = &split_size_or_sections[..] else {
        return split_with_sizes(g, tensor, split_size_or_sections, dim);
    };
    if size == 0 && len > 0 {
        return Err(tensor.argument_error("the size of a part is 0, expected 1 or more"));
    }
    let count = if len == 0 { 1 } else { len.div_ceil(size) };
    let sizes: Vec<usize> = (0..count).map(|n| size.min(len - n * size)).collect();
    Ok(parts(tensor, axis, &sizes))
}

/// Splits along `dim` into parts of the given sizes.
#[op(case = "f32[2, 6], [1, 2, 3], dim=1")]
pub fn split_with_sizes(
    g: &Recorder,
    input: Expr,
    split_sizes: Vec<usize>,
    #[default(0)] dim: isize,
) -> Result<Vec<Expr>> {
    let (axis, len) = axis_of(input, dim)?;
    let total = split_sizes.iter().try_fold(0usize, |n, &size| n.checked_add(size));
    if total != Some(len) {
        let what =
            format!("sizes {split_sizes:?} do not add up to {len}, the length of axis {axis}");
        return Err(input.shape_error(what));
    }
    Ok(parts(input, axis, &split_sizes))
}

/// Splits along `dim` into at most `chunks` parts of one size; the last may be shorter.
#[op(alias = "unsafe_chunk", case = "f32[5, 2], 2", case = "f32[2, 7], 3, dim=1")]
pub fn chunk(
    g: &Recorder,
    input: Expr,
    chunks: usize,
    #[default(0)] dim: isize,
) -> Result<Vec<Expr>> {
    let (axis, len) = axis_of(input, dim)?;
    if chunks == 0 {
        return Err(input.argument_error("chunks is 0, expected 1 or more"));
    }
    if len == 0 {
        return Ok(parts(input, axis, &vec![0; chunks.min(1 << 16)]));
    }
    split(g, input, vec![len.div_ceil(chunks)], dim)
}

/// How an axis is split: into a number of nearly equal parts, or before given positions.
#[derive(Clone, Debug)]
pub enum Cuts {
    Sections(usize),
    Before(Vec<i64>),
}

impl<'g> Arg<'g> for Cuts {
    const SPEC: Spec = Spec::List(&Spec::Int);
    fn from_value(g: &'g Recorder, value: &Value) -> std::result::Result<Cuts, String> {
        match value {
            Value::Tensor(_) => {
                Err("expected numbers, got a tensor, which is not computed yet".to_string())
            }
            Value::List(_) => Vec::from_value(g, value).map(Cuts::Before),
            single => usize::from_value(g, single).map(Cuts::Sections),
        }
    }

    fn stand_in(_: &'g Recorder) -> Cuts {
        Cuts::Sections(1)
    }
}

/// Splits along `dim` into a number of parts whose sizes differ by at most one, or before each
/// position of a list.
#[op(case = "f32[7, 2], 3", case = "f32[2, 7], [2, 4], dim=1", case = "f32[7], [3]")]
pub fn tensor_split(
    g: &Recorder,
    input: Expr,
    indices_or_sections: Cuts,
    #[default(0)] dim: isize,
) -> Result<Vec<Expr>> {
    let (axis, len) = axis_of(input, dim)?;
    let positions = match indices_or_sections {
        Cuts::Sections(n) if n == 0 || n > 1 << 16 => {
            return Err(input.argument_error(format!("expected 1 to 65536 sections, got {n}")));
        }
        Cuts::Sections(n) => {
            let sizes: Vec<usize> = (0..n).map(|i| len / n + usize::from(i < len % n)).collect();
            return Ok(parts(input, axis, &sizes));
        }
        Cuts::Before(positions) => positions,
    };
    let inside = |&at: &i64| {
        let at = if at < 0 { at.saturating_add(len as i64) } else { at };
        at.clamp(0, len as i64) as usize
    };
    let mut ends: Vec<usize> = positions.iter().map(inside).collect();
    ends.push(len);
    let mut start = 0;
    let part = |end: usize| {
        let from = std::mem::replace(&mut start, end);
        input.narrow(axis, from, end.saturating_sub(from))
    };
    Ok(ends.into_iter().map(part).collect())
}

/// `tensor_split`; a number of parts must divide the axis evenly.
fn even_split<'g>(
    g: &'g Recorder,
    input: Expr<'g>,
    cuts: Cuts,
    dim: isize,
) -> Result<Vec<Expr<'g>>> {
    let (axis, len) = axis_of(input, dim)?;
    match cuts {
        Cuts::Sections(n) if n == 0 || !len.is_multiple_of(n) => {
            let what = format!("axis {axis} of {len} does not divide into {n} equal parts");
            Err(input.shape_error(what))
        }
        cuts => tensor_split(g, input, cuts, dim),
    }
}

/// Splits along the second axis, a vector along its only axis.
#[op(case = "f32[2, 6], 3", case = "f32[6], [2, 3]")]
pub fn hsplit(g: &Recorder, input: Expr, indices_or_sections: Cuts) -> Result<Vec<Expr>> {
    even_split(g, input, indices_or_sections, if input.rank() < 2 { 0 } else { 1 })
}

/// Splits along the first axis of a tensor of at least two axes.
#[op(case = "f32[6, 2], 3")]
pub fn vsplit(g: &Recorder, input: Expr, indices_or_sections: Cuts) -> Result<Vec<Expr>> {
    if input.rank() < 2 {
        return Err(input.shape_error("expected two axes or more"));
    }
    even_split(g, input, indices_or_sections, 0)
}

/// Splits along the third axis.
#[op(case = "f32[2, 3, 4], 2")]
pub fn dsplit(g: &Recorder, input: Expr, indices_or_sections: Cuts) -> Result<Vec<Expr>> {
    if input.rank() < 3 {
        return Err(input.shape_error("expected three axes or more"));
    }
    even_split(g, input, indices_or_sections, 2)
}

/// One tensor for each index of axis `dim`, which is removed.
#[op(case = "f32[3, 2]", case = "f32[2, 3], dim=1")]
pub fn unbind(g: &Recorder, input: Expr, #[default(0)] dim: isize) -> Result<Vec<Expr>> {
    let (axis, len) = axis_of(input, dim)?;
    Ok((0..len).map(|at| input.select(axis, at)).collect())
}

entries![
    cat,
    stack,
    hstack,
    vstack,
    dstack,
    column_stack,
    split,
    split_with_sizes,
    chunk,
    tensor_split,
    hsplit,
    vsplit,
    dsplit,
    unbind,
];
