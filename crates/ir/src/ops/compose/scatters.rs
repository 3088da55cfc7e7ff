//! Reading and writing elements by index tensors along one axis or in the flattened tensor;
//! embeddings.
use super::indexing::wrapped;
use super::moves::at_least;
use super::prelude::*;
use super::slices::{along, picked};
use crate::ops::gather::check_index;

/// `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
#[op(case = "f32[3, 4], 1, i64[3, 2] in 0..4", case = "f32[2, 3, 4], 0, i32[1, 3, 4] in 0..2")]
pub fn gather(g: &Recorder, input: Expr, dim: isize, index: Expr) -> Result<Expr> {
    let axis = input.axis(dim)?;
    if index.elements() == 0 {
        return Ok(g.constant(0, input.dtype(), &index.shape()));
    }
    let picked = g.push(Gather { axis }, &[at_least(input, 1), at_least(index, 1)])?;
    Ok(picked.reshape(&index.shape()))
}

/// The operands of a scatter in the form of the primitive.
struct ScatterCall<'g> {
    shape: Shape,
    x: Expr<'g>,
    axis: usize,
    index: Expr<'g>,
    src: Expr<'g>,
}

impl<'g> ScatterCall<'g> {
    /// The source is truncated to the shape of the index.
    fn new(input: Expr<'g>, dim: isize, index: Expr<'g>, src: Expr<'g>) -> Result<ScatterCall<'g>> {
        let axis = input.axis(dim)?;
        let shape = input.shape();
        check(input, axis, index, src)?;
        let (x, index, mut src) = (at_least(input, 1), at_least(index, 1), at_least(src, 1));
        let fits = src.rank() == index.rank()
            && src.shape().iter().zip(&index.shape()[..]).all(|(have, want)| have >= want);
        if !fits {
            let error = input.shape_error("src must be at least as long as index on every axis");
            return Err(error.operand("index", &index.ty()).operand("src", &src.ty()));
        }
        for (n, &len) in index.shape().iter().enumerate() {
            src = src.narrow(n, 0, len);
        }
        Ok(ScatterCall { shape, x, axis, index, src })
    }

    /// The operands for an index that is a vector of positions on the axis, broadcast along the
    /// other axes.
    fn along(
        input: Expr<'g>,
        dim: isize,
        index: Expr<'g>,
        src: Expr<'g>,
    ) -> Result<ScatterCall<'g>> {
        let (x, axis, index) = vector(input, dim, index)?;
        same_dtype(input, src)?;
        let src = at_least(src, 1);
        let wanted = x.shape().with(axis, index.elements());
        if src.shape() != wanted {
            let error = input.shape_error(format!("expected a source of shape {wanted}"));
            return Err(error.operand("index", &index.ty()).operand("source", &src.ty()));
        }
        let index = along(index, axis, &x.shape());
        Ok(ScatterCall { shape: input.shape(), x, axis, index, src })
    }

    fn scatter(&self, by: ScatterOp) -> Result<Expr<'g>> {
        if self.index.elements() == 0 {
            return Ok(self.x.reshape(&self.shape));
        }
        let op = Scatter { axis: self.axis, by };
        let y = self.x.recorder().push(op, &[self.x, self.index, self.src])?;
        Ok(y.reshape(&self.shape))
    }

    /// The target with a number written to each indexed element.
    fn reset(&self, value: f64) -> Expr<'g> {
        self.x.scatter(self.axis, self.index, self.src.like(value), ScatterOp::Set)
    }

    fn reduce(mut self, by: ScatterReduce, include_self: bool) -> Result<Expr<'g>> {
        let dtype = self.x.dtype();
        let (least, most) = match dtype.is_float() {
            true => (f64::NEG_INFINITY, f64::INFINITY),
            false => (dtype.int_range().0 as f64, dtype.int_range().1 as f64),
        };
        let (op, neutral) = match by {
            ScatterReduce::Sum | ScatterReduce::Mean => (ScatterOp::Add, 0.0),
            ScatterReduce::Prod => (ScatterOp::Prod, 1.0),
            ScatterReduce::Amax => (ScatterOp::Max, least),
            ScatterReduce::Amin => (ScatterOp::Min, most),
        };
        if self.index.elements() == 0 {
            return Ok(self.x.reshape(&self.shape));
        }
        let one = |x: Expr<'g>| x.like(1.0);
        let counts = (by == ScatterReduce::Mean).then(|| {
            let start = if include_self { one(self.x) } else { self.x.zeros_like() };
            let counts = start.scatter(self.axis, self.index, one(self.src), ScatterOp::Add);
            counts.maximum(one(counts)).reshape(&self.shape)
        });
        if !include_self {
            self.x = self.reset(neutral);
        }
        let y = self.scatter(op)?;
        Ok(match counts {
            Some(counts) if dtype.is_float() => y / counts,
            Some(counts) => y.floor_divide(counts),
            None => y,
        })
    }
}

/// The tensor with at least one axis, the axis meant by `dim`, and the index as a vector.
fn vector<'g>(input: Expr<'g>, dim: isize, index: Expr<'g>) -> Result<(Expr<'g>, usize, Expr<'g>)> {
    let axis = input.axis(dim)?;
    if index.rank() > 1 || !index.dtype().is_int() {
        let error = input.argument_error("index must be a vector of integers");
        return Err(error.operand("index", &index.ty()));
    }
    Ok((at_least(input, 1), axis, at_least(index, 1)))
}

/// The checks of the primitive, with the names of the user's call in errors. An empty index is
/// valid for any tensor.
fn check(input: Expr, axis: usize, index: Expr, src: Expr) -> Result<()> {
    let call = input.recorder().call().unwrap_or("scatter");
    if index.elements() > 0 {
        check_index(call, axis, &at_least(input, 1).ty(), &at_least(index, 1).ty())?;
    }
    same_dtype(input, src)
}

fn same_dtype(input: Expr, src: Expr) -> Result<()> {
    if input.dtype() == src.dtype() {
        return Ok(());
    }
    let call = input.recorder().call().unwrap_or("scatter");
    let what = format!("input is {} but the source is {}", input.dtype(), src.dtype());
    let error = Error::dtype(call, what).operand("input", &input.ty());
    Err(error.operand("source", &src.ty()))
}

/// An error unless the index is of integers.
fn expect_integers(input: Expr, index: Expr) -> Result<()> {
    if index.dtype().is_int() {
        return Ok(());
    }
    let call = input.recorder().call().unwrap_or("take");
    let error = Error::dtype(call, "index must be of integers").operand("input", &input.ty());
    Err(error.operand("index", &index.ty()))
}

choice! {
    /// How `scatter` combines.
    pub enum ScatterMode {
        Add = "add",
        Multiply = "multiply",
    }
}

choice! {
    /// How `scatter_reduce` combines.
    pub enum ScatterReduce {
        Sum = "sum",
        Prod = "prod",
        Mean = "mean",
        Amax = "amax",
        Amin = "amin",
    }
}

/// `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
/// reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
/// combines them.
#[op(
    case = "f32[2, 4], 1, i64[2, 3] in 0..4, f32[2, 3]",
    case = "f32[2, 4], 1, i64[2, 3] in 0..4, value=1.5",
    case = "f32[2, 4], 0, i64[1, 4] in 0..2, f32[2, 4], reduce='add'"
)]
pub fn scatter(
    g: &Recorder,
    input: Expr,
    dim: isize,
    index: Expr,
    src: Option<Operand>,
    value: Option<Operand>,
    reduce: Option<ScatterMode>,
) -> Result<Expr> {
    let src = match src.or(value) {
        Some(Operand::Tensor(src)) if src.rank() > 0 || index.rank() == 0 => src,
        Some(Operand::Tensor(src)) => src.expand(&index.shape()),
        Some(Operand::Number(n)) => g.number(n, input.dtype()).expand(&index.shape()),
        None => return Err(input.argument_error("missing argument 'src' or 'value'")),
    };
    let by = match reduce {
        None => ScatterOp::Set,
        Some(ScatterMode::Add) => ScatterOp::Add,
        Some(ScatterMode::Multiply) => ScatterOp::Prod,
    };
    ScatterCall::new(input, dim, index, src)?.scatter(by)
}

/// `input` with `src` added at the indices `index` along `dim`.
#[op(
    case = "f32[3, 4], 1, i64[3, 2] in 0..4, f32[3, 2]",
    case = "f32[2, 3], 0, i64[1, 3] in 0..2, f32[2, 3]"
)]
pub fn scatter_add(g: &Recorder, input: Expr, dim: isize, index: Expr, src: Expr) -> Result<Expr> {
    ScatterCall::new(input, dim, index, src)?.scatter(ScatterOp::Add)
}

/// `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
/// previous values of these elements do not count.
#[op(
    case = "f32[3, 4], 1, i64[3, 2] in 0..4, f32[3, 2], 'sum'",
    case = "f32[3, 4] in 0.5..2, 1, i64[3, 2] in 0..4, f32[3, 2] in 0.5..2, 'prod'",
    case = "f32[3, 4], 0, i64[3, 2] in 0..3, f32[3, 2], 'mean', include_self=false",
    case = "f32[3, 4], 0, i64[3, 2] in 0..3, f32[3, 2], 'amax'"
)]
pub fn scatter_reduce(
    g: &Recorder,
    input: Expr,
    dim: isize,
    index: Expr,
    src: Expr,
    reduce: ScatterReduce,
    #[default(true)] include_self: bool,
) -> Result<Expr> {
    ScatterCall::new(input, dim, index, src)?.reduce(reduce, include_self)
}

/// The elements at the indices `index` of axis `dim`.
#[op(case = "f32[4, 3], 0, i64[5] in 0..4", case = "f32[4, 3], -1, i64[2] in 0..3")]
pub fn index_select(g: &Recorder, input: Expr, dim: isize, index: Expr) -> Result<Expr> {
    let (x, axis, index) = vector(input, dim, index)?;
    let y = picked(x, axis, index);
    if input.rank() == 0 {
        if index.elements() != 1 {
            let error = input.shape_error("a scalar has one position to select");
            return Err(error.operand("index", &index.ty()));
        }
        return Ok(y.reshape(&[]));
    }
    Ok(y)
}

/// `input` with `alpha · source` added at the indices `index` of axis `dim`.
#[op(
    case = "f32[4, 3], 0, i64[3] in 0..4, f32[3, 3]",
    case = "f32[4, 3], 1, i64[2] in 0..3, f32[4, 2], alpha=0.5"
)]
pub fn index_add(
    g: &Recorder,
    input: Expr,
    dim: isize,
    index: Expr,
    source: Expr,
    #[default(Number::Int(1))] alpha: Number,
) -> Result<Expr> {
    let mut target = ScatterCall::along(input, dim, index, source)?;
    if alpha.as_f64() != 1.0 {
        target.src = target.src * g.number(alpha, target.src.dtype());
    }
    target.scatter(ScatterOp::Add)
}

/// `input` with the elements at the indices `index` of axis `dim` replaced by `source`.
#[op(case = "f32[4, 3], 0, i64[2] in 0..4, f32[2, 3]")]
pub fn index_copy(
    g: &Recorder,
    input: Expr,
    dim: isize,
    index: Expr,
    source: Expr,
) -> Result<Expr> {
    ScatterCall::along(input, dim, index, source)?.scatter(ScatterOp::Set)
}

/// `input` with the elements at the indices `index` of axis `dim` replaced by `value`.
#[op(case = "f32[4, 3], 0, i64[2] in 0..4, 1.5", case = "f32[4, 3], 1, i64[1] in 0..3, f32[]")]
pub fn index_fill(
    g: &Recorder,
    input: Expr,
    dim: isize,
    index: Expr,
    value: Operand,
) -> Result<Expr> {
    let (x, axis, index) = vector(input, dim, index)?;
    let value = match value {
        Operand::Number(n) => g.number(n, input.dtype()),
        Operand::Tensor(value) if value.rank() == 0 => value.cast(input.dtype()),
        Operand::Tensor(value) => {
            let error = input.shape_error("expected one value");
            return Err(error.operand("value", &value.ty()));
        }
    };
    let source = value.expand(&x.shape().with(axis, index.elements()));
    let index = wrapped(index, x.len(axis));
    ScatterCall::along(input, dim, index, source)?.scatter(ScatterOp::Set)
}

/// `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
/// the previous values of these elements do not count.
#[op(
    case = "f32[4, 3], 0, i64[5] in 0..4, f32[5, 3], 'mean'",
    case = "f32[4, 3], 1, i64[2] in 0..3, f32[4, 2], 'amin', include_self=false"
)]
pub fn index_reduce(
    g: &Recorder,
    input: Expr,
    dim: isize,
    index: Expr,
    source: Expr,
    reduce: ScatterReduce,
    #[default(true)] include_self: bool,
) -> Result<Expr> {
    ScatterCall::along(input, dim, index, source)?.reduce(reduce, include_self)
}

/// Elements by index into the flattened tensor; negative indices count from the end.
#[op(case = "f32[3, 4], i64[2, 2] in -12..12")]
pub fn take(g: &Recorder, input: Expr, index: Expr) -> Result<Expr> {
    expect_integers(input, index)?;
    let n = input.elements();
    let flat = wrapped(index.reshape(&[index.elements()]), n);
    Ok(gather(g, input.reshape(&[n]), 0, flat)?.reshape(&index.shape()))
}

/// `input` with the elements of `source` written to indices of the flattened tensor, or added with
/// `accumulate`.
#[op(
    case = "f32[3, 4], i64[3] in -12..12, f32[3]",
    case = "f32[3, 4], i64[3] in 0..12, f32[3], accumulate=true"
)]
pub fn put(
    g: &Recorder,
    input: Expr,
    index: Expr,
    source: Expr,
    #[default(false)] accumulate: bool,
) -> Result<Expr> {
    expect_integers(input, index)?;
    let n = index.elements();
    if source.elements() != n {
        let error = input.shape_error(format!("{n} indices for {} elements", source.elements()));
        return Err(error.operand("index", &index.ty()).operand("source", &source.ty()));
    }
    same_dtype(input, source)?;
    let index = wrapped(index.reshape(&[n]), input.elements());
    let flat =
        ScatterCall::new(input.reshape(&[input.elements()]), 0, index, source.reshape(&[n]))?;
    let by = if accumulate { ScatterOp::Add } else { ScatterOp::Set };
    Ok(flat.scatter(by)?.reshape(&input.shape()))
}

/// `gather` with broadcasting of the other axes, and with negative indices that count from the end;
/// without `dim`, of the flattened tensor.
#[op(
    alias = "take_along_axis",
    case = "f32[3, 4], i64[3, 2] in 0..4, 1",
    case = "f32[1, 4], i64[3, 2] in 0..4, 1",
    case = "f32[2, 3], i64[4] in 0..6"
)]
pub fn take_along_dim(
    g: &Recorder,
    input: Expr,
    indices: Expr,
    dim: Option<isize>,
) -> Result<Expr> {
    let Some(dim) = dim else {
        let flat = indices.reshape(&[indices.elements()]);
        return take(g, input, flat);
    };
    expect_integers(input, indices)?;
    let axis = input.axis(dim)?;
    let (x, index) = (at_least(input, 1), at_least(indices, 1));
    let misfit = || {
        let error = input.shape_error("the other axes of input and indices do not broadcast");
        error.operand("indices", &indices.ty())
    };
    if x.rank() != index.rank() {
        return Err(misfit());
    }
    let (a, b) = (x.shape().with(axis, 1), index.shape().with(axis, 1));
    let common = broadcast([&a[..], &b[..]]).ok_or_else(misfit)?;
    let x = x.expand(&common.with(axis, x.len(axis)));
    let index = index.expand(&common.with(axis, index.len(axis)));
    let y = gather(g, x, axis as isize, wrapped(index, x.len(axis)))?;
    Ok(if input.rank().max(indices.rank()) == 0 { y.reshape(&[]) } else { y })
}

/// `input` with consecutive elements of `source` where `mask` is true.
#[op(case = "f32[2, 3], bool[2, 3], f32[6]", case = "f32[2, 3], bool[3], f32[3, 2]")]
pub fn masked_scatter(g: &Recorder, input: Expr, mask: Expr, source: Expr) -> Result<Expr> {
    let fail = |error: Error| error.operand("mask", &mask.ty()).operand("source", &source.ty());
    if mask.dtype() != DType::Bool || source.dtype() != input.dtype() {
        let what = "expected a mask of bools, and a source of the input's dtype";
        return Err(fail(Error::dtype("masked_scatter", what).operand("input", &input.ty())));
    }
    let Some(shape) = broadcast([&input.shape()[..], &mask.shape()[..]]) else {
        return Err(fail(input.shape_error("input and mask do not broadcast")));
    };
    let (x, mask) = (input.expand(&shape), mask.expand(&shape));
    let n = x.elements();
    if n == 0 {
        return Ok(x);
    }
    if source.elements() == 0 {
        return Err(fail(input.shape_error("the source has no elements")));
    }
    // The k-th true element of the mask takes element k of the source.
    let flat = mask.reshape(&[n]);
    let counts = flat.cast(DType::I32);
    let rank = g.emit(Scan { by: ScanOp::Sum, axis: 0, reverse: false }, &[counts]);
    let at = flat.choose(rank - rank.like(1), rank.zeros_like());
    let taken = picked(source.reshape(&[source.elements()]), 0, at).reshape(&shape);
    Ok(mask.choose(taken, x))
}

/// The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
#[op(case = "i64[2, 3] in 0..5, f32[5, 4]", case = "i64[7] in 0..5, f32[6, 2], padding_idx=5")]
pub fn embedding(
    g: &Recorder,
    input: Expr,
    weight: Expr,
    padding_idx: Option<i64>,
) -> Result<Expr> {
    let fail = |error: Error| error.operand("weight", &weight.ty());
    if !input.dtype().is_int() {
        let error = fail(input.argument_error("input must be of integers, the rows to take"));
        let is_swapped = weight.dtype().is_int();
        return Err(if is_swapped {
            error.help("the rows come first: (input, weight)")
        } else {
            error
        });
    }
    let &[rows, width] = &weight.shape()[..] else {
        return Err(fail(input.shape_error("weight must be a matrix of rows")));
    };
    let index = input.reshape(&[input.elements()]);
    let mut taken = picked(weight, 0, index);
    if let Some(padding) = padding(input, rows, padding_idx)? {
        let is_padding = index.eq(index.like(padding)).unsqueeze(1);
        taken = is_padding.choose(taken.detach(), taken);
    }
    Ok(taken.reshape(&[&input.shape()[..], &[width]].concat()))
}

/// The row meant by `padding_idx`, which may count from the end.
fn padding(input: Expr, rows: usize, padding_idx: Option<i64>) -> Result<Option<i64>> {
    let Some(index) = padding_idx else { return Ok(None) };
    let row = if index < 0 { index.saturating_add(rows as i64) } else { index };
    if (0..rows as i64).contains(&row) {
        return Ok(Some(row));
    }
    Err(input.argument_error(format!("padding_idx {index} is out of range for {rows} rows")))
}

choice! {
    /// How `embedding_bag` combines the rows of a bag.
    pub enum BagMode {
        Sum = "sum",
        Mean = "mean",
        Max = "max",
    }
}

/// Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
/// Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
/// equal to `padding_idx` are ignored.
#[op(
    case = "i64[3, 4] in 0..5, f32[5, 2]",
    case = "i64[5] in 0..6, f32[6, 2], i64[2] in 0..1, 'sum', f32[5]",
    case = "i64[3, 4] in 0..5, f32[5, 2], mode='max', padding_idx=2"
)]
pub fn embedding_bag(
    g: &Recorder,
    input: Expr,
    weight: Expr,
    offsets: Option<Expr>,
    #[default(BagMode::Mean)] mode: BagMode,
    per_sample_weights: Option<Expr>,
    #[default(false)] include_last_offset: bool,
    padding_idx: Option<i64>,
) -> Result<Expr> {
    let bags = Bags::new(input, offsets, include_last_offset)?;
    let mut rows = embedding(g, input, weight, padding_idx)?;
    if let Some(scale) = per_sample_weights {
        if scale.shape() != input.shape() || mode != BagMode::Sum {
            let what = "per_sample_weights have the shape of input, and need mode 'sum'";
            return Err(input.argument_error(what).operand("per_sample_weights", &scale.ty()));
        }
        rows = rows * scale.cast(rows.dtype()).unsqueeze(input.rank());
    }
    let (by, neutral) = match mode {
        BagMode::Max => (ReduceOp::Max, f64::NEG_INFINITY),
        BagMode::Sum | BagMode::Mean => (ReduceOp::Sum, 0.0),
    };
    let mut counted = rows.like(1.0);
    if let Some(padding) = padding(input, weight.len(0), padding_idx)? {
        let counts = input.ne(input.like(padding)).unsqueeze(input.rank()).expand(&rows.shape());
        counted = counts.cast(rows.dtype());
        rows = counts.choose(rows, rows.like(neutral));
    }
    let y = bags.combine(rows, by, neutral)?;
    Ok(match mode {
        BagMode::Sum => y,
        BagMode::Mean => {
            let n = bags.combine(counted, ReduceOp::Sum, 0.0)?;
            y / n.maximum(n.like(1.0))
        }
        BagMode::Max => y.eq(y.like(neutral)).choose(y.zeros_like(), y),
    })
}

/// The assignment of indices to bags.
enum Bags<'g> {
    /// Each row of a matrix is a bag.
    Rows,
    /// The bag of each element of a vector, and the number of bags. Elements after the last bag
    /// belong to an extra one.
    Parts(Expr<'g>, usize),
}

impl<'g> Bags<'g> {
    fn new(
        input: Expr<'g>,
        offsets: Option<Expr<'g>>,
        include_last_offset: bool,
    ) -> Result<Bags<'g>> {
        let offsets = match (input.rank(), offsets) {
            (2, None) => return Ok(Bags::Rows),
            (1, Some(offsets)) if offsets.rank() == 1 && offsets.dtype().is_int() => offsets,
            _ => {
                let what = "expected a matrix of bags, or a vector and offsets";
                return Err(input.shape_error(what));
            }
        };
        let count = offsets.elements().checked_sub(usize::from(include_last_offset));
        let Some(count) = count else {
            return Err(input.shape_error("offsets has no last offset to include"));
        };
        // The bag of an element is the last one that begins at or before it.
        let positions = input.recorder().iota(input.elements(), DType::I64).unsqueeze(1);
        let begun = offsets.cast(DType::I64).unsqueeze(0).le(positions);
        let begun = begun.cast(DType::I64).sum(&[1]);
        Ok(Bags::Parts(begun - begun.like(1), count))
    }

    fn combine(&self, rows: Expr<'g>, by: ReduceOp, neutral: f64) -> Result<Expr<'g>> {
        let (bag, count) = match self {
            Bags::Rows => return rows.recorder().push(Reduce { by, axes: vec![1] }, &[rows]),
            Bags::Parts(bag, count) => (*bag, *count),
        };
        let by = if by == ReduceOp::Max { ScatterOp::Max } else { ScatterOp::Add };
        let shape = rows.shape().with(0, count + 1);
        let start = rows.recorder().constant(neutral, rows.dtype(), &shape);
        let index = along(bag, 0, &rows.shape());
        Ok(start.scatter(0, index, rows, by).narrow(0, 0, count))
    }
}

entries![
    gather,
    take,
    take_along_dim,
    index_select,
    scatter,
    scatter_add,
    scatter_reduce,
    put,
    index_add,
    index_copy,
    index_fill,
    index_reduce,
    masked_scatter,
    embedding,
    embedding_bag,
];
