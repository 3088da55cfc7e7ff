//! Reading and assignment by index expressions as in Python: `x[1, :, ..., None, idx]`.
use super::moves::unpermuted;
use super::prelude::*;
use super::slices::{Range, along, corner, picked, plane_last, position};

/// One item of an index, resolved for the axes it indexes.
enum Part<'g> {
    At(usize),
    Range(Range),
    Tensor(Expr<'g>),
    /// A tensor of bools, which indexes as many axes as it has.
    Mask(Expr<'g>),
    /// A new axis; indexes no axis of the tensor.
    New,
}

impl Part<'_> {
    /// Number of axes of the tensor that the part indexes.
    fn axes(&self) -> usize {
        match self {
            Part::At(_) | Part::Range(_) | Part::Tensor(_) => 1,
            Part::Mask(mask) => mask.rank(),
            Part::New => 0,
        }
    }

    /// The elements of an axis of `len` that the basic index takes; all of them for tensors and
    /// masks.
    fn taken(&self, len: usize) -> Range {
        match *self {
            Part::At(at) => Range { start: at, len: 1, step: 1 },
            Part::Range(range) => range,
            _ => Range { start: 0, len, step: 1 },
        }
    }
}

/// The parts of an index, with the ellipsis and missing items replaced by whole axes.
fn resolve<'g>(input: Expr<'g>, index: &[Index<'g>]) -> Result<Vec<Part<'g>>> {
    let shape = input.shape();
    let is_ellipsis = |item: &Index| matches!(item, Index::Ellipsis);
    let axes_of = |item: &Index| match item {
        Index::Ellipsis | Index::NewAxis => 0,
        Index::Tensor(x) if x.dtype() == DType::Bool => x.rank(),
        _ => 1,
    };
    let used = index.iter().map(axes_of).sum();
    let Some(rest) = shape.len().checked_sub(used) else {
        return Err(input.argument_error(format!("{used} indices for {} axes", shape.len())));
    };
    if index.iter().filter(|item| is_ellipsis(item)).count() > 1 {
        return Err(input.argument_error("an index has at most one ellipsis"));
    }
    let whole = Index::Slice(None, None, None);
    let at = index.iter().position(is_ellipsis);
    let (before, after) = match at {
        Some(at) => (&index[..at], &index[at + 1..]),
        None => (index, &index[..0]),
    };
    let full = before.iter().copied().chain(std::iter::repeat_n(whole, rest));
    let full = full.chain(after.iter().copied());
    let mut axis = 0;
    let part = |item: Index<'g>| {
        if let Index::NewAxis = item {
            return Ok(Part::New);
        }
        let first = axis;
        axis += axes_of(&item);
        if let Index::Tensor(x) = item {
            return indexed(input, x, &shape[first..axis]);
        }
        let len = shape[first];
        match item {
            Index::At(i) => Ok(Part::At(position(input, first, len, i)?)),
            Index::Slice(start, stop, step) => {
                Ok(Part::Range(Range::of(input, len, start, stop, step)?))
            }
            _ => unreachable!("taken out above"),
        }
    };
    full.map(part).collect()
}

/// A tensor as an index of axes of the lengths `lens`.
fn indexed<'g>(input: Expr<'g>, index: Expr<'g>, lens: &[usize]) -> Result<Part<'g>> {
    let fail = |what: String| Err(input.argument_error(what).operand("index", &index.ty()));
    match index.dtype() {
        DType::Bool if *index.shape() != *lens => {
            fail(format!("the mask is for axes of {:?}, not {lens:?}", index.shape()))
        }
        DType::Bool => Ok(Part::Mask(index)),
        dtype if dtype.is_float() => fail("an index must be of integers".to_string()),
        _ => Ok(Part::Tensor(index)),
    }
}

type AtAxis<'g> = (usize, Expr<'g>);

/// The view by the basic parts of an index, and the axes of it that tensors and masks index.
fn view<'g>(input: Expr<'g>, parts: &[Part<'g>]) -> (Expr<'g>, Vec<AtAxis<'g>>, Vec<AtAxis<'g>>) {
    let (mut x, mut axis) = (input, 0);
    let (mut tensors, mut masks) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::At(at) => {
                x = x.select(axis, *at);
                continue;
            }
            Part::Range(range) => x = range.take(x, axis),
            Part::New => x = x.unsqueeze(axis),
            Part::Tensor(index) => tensors.push((axis, *index)),
            Part::Mask(mask) => {
                masks.push((axis, *mask));
                axis += mask.rank();
                continue;
            }
        }
        axis += 1;
    }
    (x, tensors, masks)
}

/// A tensor whose indexed axes are merged into one, `axis`, and the indices into it.
struct Merged<'g> {
    x: Expr<'g>,
    axis: usize,
    /// Flat.
    index: Expr<'g>,
    /// The common shape of the indices, which replaces the axis.
    shape: Shape,
    /// The permutation before merging, and the permuted shape.
    order: Vec<usize>,
    ordered: Shape,
}

impl<'g> Merged<'g> {
    /// As in NumPy, the indexed axes stay in place if they are adjacent; otherwise they become the
    /// first.
    fn new(x: Expr<'g>, tensors: &[(usize, Expr<'g>)]) -> Result<Merged<'g>> {
        let shapes: Vec<Shape> = tensors.iter().map(|(_, index)| index.shape()).collect();
        let Some(shape) = broadcast(shapes.iter().map(|s| &s[..])) else {
            let what = format!("index tensors of shapes {shapes:?} do not broadcast");
            return Err(x.argument_error(what));
        };
        let axes: Vec<usize> = tensors.iter().map(|&(axis, _)| axis).collect();
        let are_neighbours = axes.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let axis = if are_neighbours { axes[0] } else { 0 };
        let mut order: Vec<usize> = (0..x.rank()).filter(|axis| !axes.contains(axis)).collect();
        order.splice(axis..axis, axes.iter().copied());
        let x = x.permute(&order);
        let ordered = x.shape();
        let end = axis + axes.len();
        let lens = &ordered[axis..end];
        let merged: usize = lens.iter().product();
        let index = linear(tensors, lens, merged).expand(&shape).reshape(&[shape.elements()]);
        let x = x.reshape(&[&ordered[..axis], &[merged], &ordered[end..]].concat());
        Ok(Merged { x, axis, index, shape, order, ordered })
    }

    /// The shape of the indexed tensor.
    fn result(&self) -> Vec<usize> {
        let lens = self.x.shape();
        [&lens[..self.axis], &self.shape, &lens[self.axis + 1..]].concat()
    }

    fn read(&self) -> Expr<'g> {
        picked(self.x, self.axis, self.index).reshape(&self.result())
    }

    /// The tensor with `values`, which have the shape of the result, written to the indexed
    /// elements.
    fn write(&self, values: Expr<'g>, by: ScatterOp) -> Expr<'g> {
        let index = along(self.index, self.axis, &self.x.shape());
        let values = values.reshape(&index.shape());
        let y = self.x.scatter(self.axis, index, values, by).reshape(&self.ordered);
        unpermuted(y, &self.order)
    }
}

/// The flat index into merged axes of `lens` for each tuple of indices.
fn linear<'g>(tensors: &[(usize, Expr<'g>)], lens: &[usize], merged: usize) -> Expr<'g> {
    let is_wide = |(_, index): &(usize, Expr)| matches!(index.dtype(), DType::I64 | DType::U32);
    let needs_i64 = merged > i32::MAX as usize || tensors.iter().any(is_wide);
    let dtype = if needs_i64 { DType::I64 } else { DType::I32 };
    let positions = tensors.iter().zip(lens);
    let positions = positions.map(|(&(_, index), &len)| (wrapped(index.cast(dtype), len), len));
    let (mut at, mut inside) = (None, None);
    for (position, len) in positions {
        if lens.len() > 1 {
            // An index out of range must not become a valid index of the merged axis.
            let zero = position.zeros_like();
            let fits = position.ge(zero).bitwise_and(position.lt(position.like(len)));
            inside = Some(inside.map_or(fits, |all: Expr<'g>| all.bitwise_and(fits)));
        }
        at = Some(at.map_or(position, |at: Expr<'g>| at * at.like(len) + position));
    }
    let at = at.expect("an index tensor");
    inside.map_or(at, |inside| inside.choose(at, at.like(-1)))
}

/// Adds `len` to negative indices, which count from the end of an axis.
pub(super) fn wrapped(index: Expr, len: usize) -> Expr {
    let index = match index.dtype() {
        DType::U8 | DType::U32 => return index,
        DType::I8 => index.cast(DType::I32),
        _ => index,
    };
    index.lt(index.zeros_like()).choose(index + index.like(len), index)
}

/// Python's `input[index]`: integers, slices, `None` for a new axis, an ellipsis, and tensors of
/// integers, which broadcast against each other.
#[op(
    alias = "__getitem__",
    alias = "getitem",
    case = "f32[4, 5], [1:3, ::2]",
    case = "f32[2, 3, 4], [..., none, -1]",
    case = "f32[5, 3], [i64[4] in -5..5]",
    case = "f32[3, 2, 4], [i64[2, 1] in 0..3, :, i64[3] in 0..4]"
)]
pub fn index(g: &Recorder, input: Expr, index: Vec<Index>) -> Result<Expr> {
    let (x, tensors, masks) = view(input, &resolve(input, &index)?);
    if let [(_, mask), ..] = masks[..] {
        let what = "the number of elements that a mask selects depends on data";
        let error = input.argument_error(what).operand("index", &mask.ty());
        return Err(error.help("select with masked_select"));
    }
    if tensors.is_empty() {
        return Ok(x);
    }
    Ok(Merged::new(x, &tensors)?.read())
}

/// `input` after `input[indices] = values`, or `+=` with `accumulate`. Of several values for one
/// element the last is kept. A tensor of bools is a mask of the axes that it indexes; all selected
/// elements get the same values.
#[op(
    alias = "set",
    alias = "__setitem__",
    alias = "setitem",
    case = "f32[3, 4], [1, 2], 5.0",
    case = "f32[4, 5], [1:3, ::2], f32[3]",
    case = "f32[4, 3], [i64[3] in 0..4, i64[3] in 0..3], f32[3], accumulate=true",
    case = "f32[4, 3], [1:, i64[2] in 0..3], f32[3, 2]",
    case = "f32[2, 3, 4], [1:, bool[3]], f32[4]"
)]
pub fn index_put(
    g: &Recorder,
    input: Expr,
    indices: Vec<Index>,
    values: Operand,
    #[default(false)] accumulate: bool,
) -> Result<Expr> {
    let parts = resolve(input, &indices)?;
    let (region, tensors, masks) = view(input, &parts);
    if let [(axis, mask), ..] = masks[..] {
        if masks.len() + tensors.len() > 1 {
            let error = input.argument_error("a mask must be the only tensor of an index");
            return Err(error.operand("mask", &mask.ty()));
        }
        let region = masked(g, region, axis, mask, (values, accumulate))?;
        return Ok(put_back(input, &parts, region));
    }
    let merged = match &tensors[..] {
        [] => None,
        tensors => Some(Merged::new(region, tensors)?),
    };
    let shape = merged.as_ref().map_or(region.shape(), |m| m.result().into());
    let values = assigned(g, input, values, &shape)?;
    let region = match merged {
        Some(m) => m.write(values, if accumulate { ScatterOp::Add } else { ScatterOp::Set }),
        None if accumulate => region + values,
        None => values,
    };
    Ok(put_back(input, &parts, region))
}

/// `region` with values where `mask` is true; the mask covers the axes from `axis` on. The values
/// broadcast to a shape in which one axis of length one replaces those of the mask.
fn masked<'g>(
    g: &'g Recorder,
    region: Expr<'g>,
    axis: usize,
    mask: Expr<'g>,
    (values, accumulate): (Operand<'g>, bool),
) -> Result<Expr<'g>> {
    let (shape, end) = (region.shape(), axis + mask.rank());
    let (before, after) = (&shape[..axis], &shape[end..]);
    let values = assigned(g, region, values, &[before, &[1], after].concat())?;
    let ones = |n: usize| vec![1; n];
    let values = values.reshape(&[before, &ones(mask.rank()), after].concat());
    let mask = mask.reshape(&[&ones(axis), &mask.shape()[..], &ones(after.len())].concat());
    Ok(mask.choose(if accumulate { region + values } else { values }, region))
}

/// The value of an assignment in the dtype of `input`, expanded to `shape`. Extra leading axes of
/// length one are dropped.
fn assigned<'g>(
    g: &'g Recorder,
    input: Expr<'g>,
    values: Operand<'g>,
    shape: &[usize],
) -> Result<Expr<'g>> {
    let values = match values {
        Operand::Number(n) => g.number(n, input.dtype()),
        Operand::Tensor(x) => x.cast(input.dtype()),
    };
    let lens = values.shape();
    let extra = lens.len().saturating_sub(shape.len());
    if lens[..extra].iter().any(|&len| len != 1) || !crate::shape::expands_to(&lens[extra..], shape)
    {
        let what = format!("the values do not broadcast to the indexed shape {shape:?}");
        let error = input.shape_error(what);
        return Err(error.operand("values", &values.ty()));
    }
    Ok(values.reshape(&lens[extra..]).expand(shape))
}

/// `input` with the elements that `view` took replaced by `region`.
fn put_back<'g>(input: Expr<'g>, parts: &[Part<'g>], region: Expr<'g>) -> Expr<'g> {
    let lens = input.shape();
    let mut ranges: Vec<Range> = Vec::new();
    for part in parts {
        for _ in 0..part.axes() {
            ranges.push(part.taken(lens[ranges.len()]));
        }
    }
    let taken: Shape = ranges.iter().map(|range| range.len).collect();
    let region = region.reshape(&taken);
    if taken == lens {
        return region;
    }
    let place = |part: Expr<'g>| {
        let ranges = ranges.iter().enumerate();
        ranges.fold(part, |x, (axis, range)| range.place(x, axis, lens[axis]))
    };
    let here = place(input.recorder().constant(true, DType::Bool, &taken));
    here.choose(place(region), input)
}

/// `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
#[op(
    alias = "slice_set",
    case = "f32[4, 3], f32[2, 3], 0, 1, 3",
    case = "f32[2, 5], f32[2, 3], 1, step=2"
)]
pub fn slice_scatter(
    g: &Recorder,
    input: Expr,
    src: Expr,
    #[default(0)] dim: isize,
    start: Option<i64>,
    end: Option<i64>,
    #[default(1)] step: i64,
) -> Result<Expr> {
    replace(g, input, src, dim, Index::Slice(start, end, Some(step)))
}

/// `input` with the elements at `index` of axis `dim` replaced by `src`.
#[op(case = "f32[2, 3], f32[2], 1, -1")]
pub fn select_scatter(
    g: &Recorder,
    input: Expr,
    src: Expr,
    dim: isize,
    index: i64,
) -> Result<Expr> {
    replace(g, input, src, dim, Index::At(index))
}

/// Replaces the elements that `item` selects of one axis by `src`, which must have their shape.
fn replace<'g>(
    g: &'g Recorder,
    input: Expr<'g>,
    src: Expr<'g>,
    dim: isize,
    item: Index<'g>,
) -> Result<Expr<'g>> {
    let axis = input.axis(dim)?;
    let mut indices = vec![Index::Slice(None, None, None); axis];
    indices.push(item);
    let parts = resolve(input, &indices)?;
    let (region, ..) = view(input, &parts);
    if src.shape() != region.shape() {
        let error = input.shape_error(format!("src must have the shape {}", region.shape()));
        return Err(error.operand("src", &src.ty()));
    }
    index_put(g, input, indices, src.into(), false)
}

/// `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
#[op(
    case = "f32[3, 3], f32[3]",
    case = "f32[3, 4], f32[2], -1",
    case = "f32[3, 2, 4], f32[2, 3], 1, 0, 2"
)]
pub fn diagonal_scatter(
    g: &Recorder,
    input: Expr,
    src: Expr,
    #[default(0)] offset: i64,
    #[default(0)] dim1: isize,
    #[default(1)] dim2: isize,
) -> Result<Expr> {
    let order = plane_last(input, dim1, dim2)?;
    let x = input.permute(&order);
    let rank = x.rank();
    let (rows, columns) = (x.len(rank - 2), x.len(rank - 1));
    let (top, left) = corner(rows, columns, offset);
    let n = (rows - top).min(columns - left);
    let mut shape = x.shape();
    shape.remove(rank - 1);
    let shape = shape.with(rank - 2, n);
    if src.shape() != shape {
        let error = input.shape_error(format!("the diagonal has the shape {shape}"));
        return Err(error.operand("src", &src.ty()));
    }
    if n == 0 {
        return Ok(input);
    }
    // Each row is filled with its element of the diagonal; the mask selects the position.
    let by_row = src.cast(x.dtype()).pad(rank - 2, top, rows - top - n, 0.0);
    let line = |len: usize, from: usize| {
        let positions = g.iota(len, DType::I32);
        positions - positions.like(from)
    };
    let here = line(rows, top).unsqueeze(1).eq(line(columns, left).unsqueeze(0));
    let y = here.choose(by_row.unsqueeze(rank - 1), x);
    Ok(unpermuted(y, &order))
}

entries![index, index_put, slice_scatter, select_scatter, diagonal_scatter];
