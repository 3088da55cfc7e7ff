//! Triangles, diagonals, grids and combinations, computed by comparing indices.
use super::prelude::*;

choice! {
    /// Order of the first two axes of a grid.
    pub enum Indexing {
        /// Rows first, as a matrix.
        Ij = "ij",
        /// Columns first, as an image.
        Xy = "xy",
    }
}

/// `column − row` of each element of a matrix.
fn diagonals(g: &Recorder, rows: usize, columns: usize) -> Expr<'_> {
    let column = g.iota(columns, DType::I32).reshape(&[1, columns]);
    column - g.iota(rows, DType::I32).reshape(&[rows, 1])
}

/// `diagonal`, clamped to the diagonals of the matrix and the one next to them on each side.
fn within(diagonal: i64, rows: usize, columns: usize) -> i64 {
    diagonal.clamp(-(rows as i64), columns as i64)
}

/// The identity matrix, `n` by `m` (square unless given).
#[op(case = "3", case = "2, 4, dtype=i64")]
pub fn eye(g: &Recorder, n: usize, m: Option<usize>, dtype: Option<DType>) -> Result<Expr> {
    let offset = diagonals(g, n, m.unwrap_or(n));
    Ok(offset.eq(offset.zeros_like()).cast(dtype.unwrap_or(DType::F32)))
}

/// The last two lengths of a tensor of matrices.
fn matrix(op: &str, x: Expr<'_>) -> Result<(usize, usize)> {
    match *x.shape() {
        [.., rows, columns] => Ok((rows, columns)),
        _ => Err(Error::shape(op, "expected at least two axes").operand("input", &x.ty())),
    }
}

/// Lower triangles of matrices: elements above the `diagonal` become zero.
#[op(case = "f32[3, 4]", case = "f32[2, 3, 3], diagonal=-1")]
pub fn tril(g: &Recorder, input: Expr, #[default(0)] diagonal: i64) -> Result<Expr> {
    let (rows, columns) = matrix("tril", input)?;
    let offset = diagonals(g, rows, columns);
    let is_kept = offset.le(offset.like(within(diagonal, rows, columns)));
    Ok(is_kept.choose(input, input.zeros_like()))
}

/// Upper triangles of matrices: elements below the `diagonal` become zero.
#[op(case = "f32[3, 4]", case = "f32[2, 3, 3], diagonal=-1")]
pub fn triu(g: &Recorder, input: Expr, #[default(0)] diagonal: i64) -> Result<Expr> {
    let (rows, columns) = matrix("triu", input)?;
    let offset = diagonals(g, rows, columns);
    let is_kept = offset.ge(offset.like(within(diagonal, rows, columns)));
    Ok(is_kept.choose(input, input.zeros_like()))
}

/// The flat indices of the first `count` true elements of a tensor of bools.
fn places<'g>(mask: Expr<'g>, count: usize) -> Expr<'g> {
    let flat = mask.reshape(&[mask.elements()]);
    flat.recorder().emit(Sort { axis: 0, descending: true, keep: count }, &[flat])
}

/// An error if the number of elements of a matrix exceeds `i32`.
fn check_size(op: &str, rows: usize, columns: usize) -> Result<()> {
    match rows.max(1).checked_mul(columns.max(1)).filter(|&n| n <= i32::MAX as usize) {
        Some(_) => Ok(()),
        None => Err(Error::argument(op, format!("a {rows} by {columns} matrix is too large"))),
    }
}

/// Number of elements on and below `diagonal`, which has been clamped by `within`.
fn lower_elements(rows: usize, columns: usize, diagonal: i64) -> usize {
    let (rows, columns) = (rows as i64, columns as i64);
    // From row `start` each row has one element more than the previous one, up to row `full`.
    let start = (-diagonal).clamp(0, rows);
    let full = (columns - diagonal - 1).clamp(start, rows);
    let growing = (full - start) * (start + full + 2 * diagonal + 1) / 2;
    (growing + (rows - full) * columns) as usize
}

/// Rows and columns of the marked elements of a matrix, as two rows of `i64`.
fn indices_of<'g>(mask: Expr<'g>, count: usize, columns: usize) -> Expr<'g> {
    let at = places(mask, count).reshape(&[1, count]);
    if count == 0 {
        return at.expand(&[2, 0]);
    }
    let columns = at.like(columns);
    at.floor_divide(columns).pad(0, 0, 1, 0) + at.remainder(columns).pad(0, 1, 0, 0)
}

/// Row and column of each element of the lower triangle of a `row` by `col` matrix, as two rows.
#[op(case = "3, 3", case = "4, 3, offset=-1")]
pub fn tril_indices(
    g: &Recorder,
    row: usize,
    col: usize,
    #[default(0)] offset: i64,
    dtype: Option<DType>,
) -> Result<Expr> {
    check_size("tril_indices", row, col)?;
    let place = diagonals(g, row, col);
    let offset = within(offset, row, col);
    let count = lower_elements(row, col, offset);
    let indices = indices_of(place.le(place.like(offset)), count, col);
    Ok(indices.cast(dtype.unwrap_or(DType::I64)))
}

/// Row and column of each element of the upper triangle of a `row` by `col` matrix, as two rows.
#[op(case = "3, 3", case = "4, 3, offset=-1")]
pub fn triu_indices(
    g: &Recorder,
    row: usize,
    col: usize,
    #[default(0)] offset: i64,
    dtype: Option<DType>,
) -> Result<Expr> {
    check_size("triu_indices", row, col)?;
    let place = diagonals(g, row, col);
    let offset = within(offset, row, col);
    let count = row * col - lower_elements(row, col, offset - 1);
    let indices = indices_of(place.ge(place.like(offset)), count, col);
    Ok(indices.cast(dtype.unwrap_or(DType::I64)))
}

/// One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
/// element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
#[op(case = "i64[2, 3] in 0..5, 5")]
pub fn one_hot(g: &Recorder, input: Expr, #[default(-1)] num_classes: isize) -> Result<Expr> {
    if !input.dtype().is_int() {
        let error = Error::dtype("one_hot", "expected integers").operand("input", &input.ty());
        return Err(error);
    }
    let Some(classes) = usize::try_from(num_classes).ok().filter(|&n| n > 0) else {
        let what = format!("num_classes must be at least 1, not {num_classes}");
        let error = Error::argument("one_hot", what);
        return Err(error.help("count them from the data: input.max() + 1"));
    };
    // An 8-bit index might not represent every class.
    let dtype = if input.dtype().bytes() == 1 { DType::I32 } else { input.dtype() };
    let (axis, index) = (input.rank(), input.cast(dtype).unsqueeze(input.rank()));
    let zeros = g.constant(0, DType::I64, &index.shape().with(axis, classes));
    // `scatter` instead of a comparison, so that a class out of range is an error.
    let ones = g.constant(1, DType::I64, &index.shape());
    Ok(zeros.scatter(axis, index, ones, ScatterOp::Set))
}

/// The coordinates of a grid: each tensor, which has one axis, is repeated along the axes of all
/// others.
#[op(case = "[f32[2], f32[3]]", case = "[f32[2], f32[3], f32[2]], indexing='xy'")]
pub fn meshgrid(
    g: &Recorder,
    tensors: Vec<Expr>,
    #[default(Indexing::Ij)] indexing: Indexing,
) -> Result<Vec<Expr>> {
    if let Some(x) = tensors.iter().find(|x| x.rank() > 1) {
        let error = Error::shape("meshgrid", "expected tensors of one axis");
        return Err(error.operand("tensors", &x.ty()));
    }
    let shape: Vec<usize> = tensors.iter().map(|x| x.elements()).collect();
    let is_image = indexing == Indexing::Xy && tensors.len() > 1;
    let along = |(axis, x): (usize, &Expr<'g>)| {
        let mut mine = vec![1; shape.len()];
        mine[axis] = shape[axis];
        let grid = x.reshape(&mine).expand(&shape);
        if is_image { grid.swap(0, 1) } else { grid }
    };
    Ok(tensors.iter().enumerate().map(along).collect())
}

/// Stacks tensors of one shape along a new last axis.
fn columns<'g>(parts: &[Expr<'g>]) -> Expr<'g> {
    let n = parts.len();
    let place = |(i, x): (usize, &Expr<'g>)| x.unsqueeze(x.rank()).pad(x.rank(), i, n - 1 - i, 0);
    let placed = parts.iter().enumerate().map(place);
    placed.reduce(|sum, x| sum + x).expect("there is a part")
}

/// The Cartesian product of the tensors: all ways to take one element from each, as rows.
#[op(case = "[f32[2], f32[3]]", case = "[f32[3]]")]
pub fn cartesian_prod(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    let Some(first) = tensors.first() else {
        return Err(Error::argument("cartesian_prod", "expected at least one tensor"));
    };
    if let Some(x) = tensors.iter().find(|x| x.rank() != 1 || x.dtype() != first.dtype()) {
        let error = Error::shape("cartesian_prod", "expected tensors of one axis and dtype");
        return Err(error.operand("tensors", &first.ty()).operand("tensors", &x.ty()));
    }
    if tensors.len() == 1 {
        return Ok(*first);
    }
    let grids = meshgrid(g, tensors, Indexing::Ij)?;
    let rows: Vec<Expr> = grids.iter().map(|x| x.reshape(&[x.elements()])).collect();
    Ok(columns(&rows))
}

/// All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
/// more than once.
#[op(case = "f32[4]", case = "f32[3], r=2, with_replacement=true", case = "f32[4], r=3")]
pub fn combinations(
    g: &Recorder,
    input: Expr,
    #[default(2)] r: usize,
    #[default(false)] with_replacement: bool,
) -> Result<Expr> {
    if input.rank() != 1 {
        return Err(input.shape_error("expected one axis"));
    }
    let n = input.elements();
    let grid = u32::try_from(r).ok().and_then(|r| n.checked_pow(r));
    if r > 64 || grid.is_none_or(|len| len > i32::MAX as usize) {
        let what = format!("there are too many combinations of {r} of {n} elements");
        return Err(input.argument_error(what));
    }
    if r == 0 || n == 0 {
        let shape = if r == 0 { vec![0] } else { vec![0, r] };
        return Ok(g.constant(0, input.dtype(), &shape));
    }
    let grid = meshgrid(g, vec![g.iota(n, DType::I32); r], Indexing::Ij)?;
    let ordered = |pair: &[Expr<'g>]| match with_replacement {
        true => pair[0].le(pair[1]),
        false => pair[0].lt(pair[1]),
    };
    let all = g.constant(true, DType::Bool, &vec![n; r]);
    let mask = grid.windows(2).map(ordered).fold(all, Expr::bitwise_and);
    let count = binomial(if with_replacement { n + r - 1 } else { n }, r);
    let at = places(mask, count);
    // Digit `i` of the flat index in base n is the index of the i-th element.
    let digit = |i: usize| at.floor_divide(at.like(n.pow(i as u32))).remainder(at.like(n));
    let index: Vec<Expr> = (0..r).rev().map(digit).collect();
    Ok(input.gather(0, columns(&index).reshape(&[count * r])).reshape(&[count, r]))
}

/// Binomial coefficient, which must be small.
fn binomial(n: usize, r: usize) -> usize {
    let Some(rest) = n.checked_sub(r) else { return 0 };
    // `min(r, n − r)` factors, so that no intermediate exceeds the result.
    let exact = (0..r.min(rest) as u64).fold(1, |c, i| c * (n as u64 - i) / (i + 1));
    exact as usize
}

/// Square matrices with the last axis of `x` on the diagonal `offset`.
fn embedded<'g>(x: Expr<'g>, offset: i64) -> Result<Expr<'g>> {
    let len = x.shape().last().copied().unwrap_or(1);
    let shift = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    if len.checked_add(shift).is_none_or(|n| n.checked_mul(n).is_none()) {
        return Err(x.argument_error(format!("the matrix with offset {offset} is too large")));
    }
    let rank = x.rank();
    let mut shape = x.shape();
    // Rows of len + 1 with the element first become a diagonal when reshaped to rows of len.
    let spread = x.unsqueeze(rank).pad(rank, 0, len, 0);
    shape[rank - 1] = len * (len + 1);
    let flat = spread.reshape(&shape).narrow(rank - 1, 0, len * len);
    shape[rank - 1] = len;
    shape.push(len);
    let mut pads = vec![(0, 0); rank + 1];
    (pads[rank - 1], pads[rank]) =
        if offset >= 0 { ((0, shift), (shift, 0)) } else { ((shift, 0), (0, shift)) };
    Ok(flat.reshape(&shape).pad_all(&pads, 0))
}

/// The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
#[op(case = "f32[3]", case = "f32[3], diagonal=-1", case = "f32[3, 4], diagonal=1")]
pub fn diag(g: &Recorder, input: Expr, #[default(0)] diagonal: i64) -> Result<Expr> {
    let [rows, columns] = *input.shape() else {
        return match input.rank() {
            1 => embedded(input, diagonal),
            _ => Err(input.shape_error("expected one axis or two")),
        };
    };
    let diagonal = within(diagonal, rows, columns);
    let (down, right) = ((-diagonal).max(0) as usize, diagonal.max(0) as usize);
    let len = (rows - down).min(columns - right);
    let square = input.narrow(0, down, len).narrow(1, right, len);
    // Elements of the diagonal of a square matrix have the stride len + 1.
    Ok(square.reshape(&[len * len]).stride(0, 0, len, len + 1))
}

/// Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
#[op(case = "f32[2, 3]", case = "f32[2, 3], offset=1, dim1=0, dim2=2")]
pub fn diag_embed(
    g: &Recorder,
    input: Expr,
    #[default(0)] offset: i64,
    #[default(-2)] dim1: isize,
    #[default(-1)] dim2: isize,
) -> Result<Expr> {
    if input.rank() == 0 {
        return Err(input.shape_error("expected at least one axis"));
    }
    let matrices = embedded(input, offset)?;
    let (first, second) = (matrices.axis(dim1)?, matrices.axis(dim2)?);
    if first == second {
        return Err(input.argument_error(format!("dim1 and dim2 are both {dim1}")));
    }
    let (rows, columns) = (input.rank() - 1, input.rank());
    let mut order: Vec<usize> = (0..rows).collect();
    let (low, high) = (first.min(second), first.max(second));
    order.insert(low, if first < second { rows } else { columns });
    order.insert(high, if first < second { columns } else { rows });
    Ok(matrices.permute(&order))
}

/// A matrix with all elements of `input` on its diagonal.
#[op(case = "f32[2, 2]", case = "f32[2], offset=-1")]
pub fn diagflat(g: &Recorder, input: Expr, #[default(0)] offset: i64) -> Result<Expr> {
    embedded(input.reshape(&[input.elements()]), offset)
}

/// The block-diagonal matrix of the given matrices; a tensor of one axis counts as a row.
#[op(case = "[f32[2, 3], f32[1, 2]]", case = "[f32[2], f32[]]")]
pub fn block_diag(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    if let Some(x) = tensors.iter().find(|x| x.rank() > 2) {
        let error = Error::shape("block_diag", "expected matrices").operand("tensors", &x.ty());
        return Err(error);
    }
    let operands: Vec<Operand> = tensors.iter().map(|&x| x.into()).collect();
    let dtype = common_type(&operands);
    let as_matrix = |x: &Expr<'g>| match x.rank() {
        2 => x.cast(dtype),
        _ => x.cast(dtype).reshape(&[1, x.elements()]),
    };
    let blocks: Vec<Expr> = tensors.iter().map(as_matrix).collect();
    let total = |axis: usize| blocks.iter().map(|x| x.len(axis)).sum::<usize>();
    let (rows, columns) = (total(0), total(1));
    let (mut down, mut right) = (0, 0);
    let mut sum: Option<Expr> = None;
    for block in blocks {
        let (m, n) = (block.len(0), block.len(1));
        let pads = [(down, rows - down - m), (right, columns - right - n)];
        let placed = block.pad_all(&pads, 0);
        sum = Some(sum.map_or(placed, |sum| sum + placed));
        (down, right) = (down + m, right + n);
    }
    Ok(sum.unwrap_or_else(|| g.constant(0, DType::F32, &[1, 0])))
}

entries![
    eye,
    tril,
    triu,
    tril_indices,
    triu_indices,
    one_hot,
    meshgrid,
    cartesian_prod,
    combinations,
    diag,
    diag_embed,
    diagflat,
    block_diag,
];
