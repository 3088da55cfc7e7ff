//! Matrix products and ops made of them.
use super::prelude::*;
use crate::shape::expands_to;

/// Matrix product of `input` and `other`, over the last axis of `input` and the second last of
/// `other`. Leading axes broadcast; a vector counts as a row on the left and as a column on the
/// right, and that axis is removed from the result.
#[op(
    alias = "matmul_batched",
    case = "f32[2, 3], f32[3, 4]",
    case = "f32[3], f32[3]",
    case = "f32[2, 3], f32[3]",
    case = "f32[2, 1, 2, 3], f32[4, 3, 2]"
)]
pub fn matmul(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    product("matmul", input, other)
}

/// Product of two matrices, without broadcasting.
#[op(case = "f32[2, 3], f32[3, 4]")]
pub fn mm(g: &Recorder, input: Expr, mat2: Expr) -> Result<Expr> {
    expect_rank("mm", "input", input, 2)?;
    expect_rank("mm", "mat2", mat2, 2)?;
    product("mm", input, mat2)
}

/// Batched matrix product of two tensors of three axes.
#[op(case = "f32[2, 3, 4], f32[2, 4, 2]")]
pub fn bmm(g: &Recorder, input: Expr, mat2: Expr) -> Result<Expr> {
    batches("bmm", ["input", "mat2"], input, mat2)
}

/// Product of a matrix and a vector.
#[op(case = "f32[2, 3], f32[3]")]
pub fn mv(g: &Recorder, input: Expr, vec: Expr) -> Result<Expr> {
    expect_rank("mv", "input", input, 2)?;
    expect_rank("mv", "vec", vec, 1)?;
    product("mv", input, vec)
}

/// Inner product of two vectors.
#[op(alias = "vdot", case = "f32[4], f32[4]")]
pub fn dot(g: &Recorder, input: Expr, tensor: Expr) -> Result<Expr> {
    expect_rank("dot", "input", input, 1)?;
    expect_rank("dot", "tensor", tensor, 1)?;
    product("dot", input, tensor)
}

/// Outer product of two vectors: `y[i, j] = input[i] · vec2[j]`.
#[op(alias = "ger", case = "f32[2], f32[3]")]
pub fn outer(g: &Recorder, input: Expr, vec2: Expr) -> Result<Expr> {
    expect_rank("outer", "input", input, 1)?;
    expect_rank("outer", "vec2", vec2, 1)?;
    elementwise(g, Scalar::Mul, &[input.unsqueeze(1).into(), vec2.into()])
}

/// `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
#[op(case = "f32[2, 4], f32[2, 3], f32[3, 4]", case = "f32[4], f32[2, 3], f32[3, 4], beta=0.5")]
pub fn addmm(
    g: &Recorder,
    input: Expr,
    mat1: Expr,
    mat2: Expr,
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    expect_rank("addmm", "mat1", mat1, 2)?;
    expect_rank("addmm", "mat2", mat2, 2)?;
    let product = product("addmm", mat1, mat2)?;
    blend("addmm", input, product, beta, alpha)
}

/// `beta · input + alpha · (mat @ vec)`.
#[op(case = "f32[2], f32[2, 3], f32[3]", case = "f32[2], f32[2, 3], f32[3], alpha=2.5")]
pub fn addmv(
    g: &Recorder,
    input: Expr,
    mat: Expr,
    vec: Expr,
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    expect_rank("addmv", "mat", mat, 2)?;
    expect_rank("addmv", "vec", vec, 1)?;
    let product = product("addmv", mat, vec)?;
    blend("addmv", input, product, beta, alpha)
}

/// `beta · input + alpha · outer(vec1, vec2)`.
#[op(case = "f32[2, 3], f32[2], f32[3]", case = "f32[2, 3], f32[2], f32[3], beta=0.5, alpha=2.0")]
pub fn addr(
    g: &Recorder,
    input: Expr,
    vec1: Expr,
    vec2: Expr,
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    expect_rank("addr", "vec1", vec1, 1)?;
    expect_rank("addr", "vec2", vec2, 1)?;
    expect_one_dtype("addr", ("vec1", vec1), ("vec2", vec2))?;
    blend("addr", input, vec1.unsqueeze(1) * vec2.unsqueeze(0), beta, alpha)
}

/// `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
#[op(case = "f32[2, 3, 2], f32[2, 3, 4], f32[2, 4, 2]")]
pub fn baddbmm(
    g: &Recorder,
    input: Expr,
    batch1: Expr,
    batch2: Expr,
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    let product = batches("baddbmm", ["batch1", "batch2"], batch1, batch2)?;
    blend("baddbmm", input, product, beta, alpha)
}

/// `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
#[op(case = "f32[3, 2], f32[2, 3, 4], f32[2, 4, 2]")]
pub fn addbmm(
    g: &Recorder,
    input: Expr,
    batch1: Expr,
    batch2: Expr,
    #[default(1.0)] beta: f64,
    #[default(1.0)] alpha: f64,
) -> Result<Expr> {
    let product = batches("addbmm", ["batch1", "batch2"], batch1, batch2)?;
    blend("addbmm", input, product.sum(&[0]), beta, alpha)
}

/// A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
#[op(
    case = "f32[2, 3], f32[4, 3], f32[4]",
    case = "f32[2, 2, 3], f32[4, 3]",
    case = "f32[2, 3], f32[3]"
)]
pub fn linear(g: &Recorder, input: Expr, weight: Expr, bias: Option<Expr>) -> Result<Expr> {
    dense("linear", input, ("weight", weight), bias)
}

/// `linear`; errors name `call` and the weight.
pub(super) fn dense<'g>(
    call: &str,
    input: Expr<'g>,
    (name, weight): (&str, Expr<'g>),
    bias: Option<Expr<'g>>,
) -> Result<Expr<'g>> {
    let fail = |what: String| {
        Error::shape(call, what).operand("input", &input.ty()).operand(name, &weight.ty())
    };
    let (xs, ws) = (input.shape(), weight.shape());
    if xs.is_empty() || ws.is_empty() || ws.len() > 2 {
        return Err(fail(format!("expected an input with features and {name} [out, in]")));
    }
    let (features, wanted) = (xs[xs.len() - 1], ws[ws.len() - 1]);
    if features != wanted {
        let error = fail(format!("input has {features} features but {name} takes {wanted}"));
        let is_transposed = ws.len() == 2 && ws[0] == features;
        return Err(match is_transposed {
            true => error.help(format!("a weight is [out, in]: transpose it, {name}.T")),
            false => error,
        });
    }
    expect_one_dtype(call, ("input", input), (name, weight))?;
    expect_bias(call, bias, ws[..ws.len() - 1].last().copied(), input)?;
    let weight = if ws.len() == 2 { weight.transposed() } else { weight };
    let y = product(call, input, weight)?;
    Ok(bias.map_or(y, |bias| y + bias))
}

/// A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
#[op(case = "f32[2, 3], f32[2, 4], f32[2, 3, 4], f32[2]", case = "f32[3], f32[2], f32[4, 3, 2]")]
pub fn bilinear(
    g: &Recorder,
    input1: Expr,
    input2: Expr,
    weight: Expr,
    bias: Option<Expr>,
) -> Result<Expr> {
    let fail = |what: &str| {
        let error = Error::shape("bilinear", what).operand("input1", &input1.ty());
        error.operand("input2", &input2.ty()).operand("weight", &weight.ty())
    };
    let ([a, b, w], rank) = ([input1.shape(), input2.shape(), weight.shape()], input1.rank());
    if w.len() != 3 || rank == 0 || b.len() != rank || a[..rank - 1] != b[..rank - 1] {
        return Err(fail(
            "expected inputs with the same leading axes and a weight [out, in1, in2]",
        ));
    }
    let (in1, in2) = (a[rank - 1], b[rank - 1]);
    if [in1, in2] != w[1..] {
        let what = format!("the inputs have {in1} and {in2} features but weight takes");
        return Err(fail(&format!("{what} {} and {}", w[1], w[2])));
    }
    expect_one_dtype("bilinear", ("input1", input1), ("input2", input2))?;
    expect_one_dtype("bilinear", ("input1", input1), ("weight", weight))?;
    expect_bias("bilinear", bias, Some(w[0]), input1)?;
    let rows: usize = a[..rank - 1].iter().product();
    let weight = weight.permute(&[1, 0, 2]).reshape(&[w[1], w[0] * w[2]]);
    let half = input1.reshape(&[rows, w[1]]).contract(weight).reshape(&[rows, w[0], w[2]]);
    let y = (half * input2.reshape(&[rows, 1, w[2]])).sum(&[2]);
    let y = y.reshape(&a.with(rank - 1, w[0]));
    Ok(bias.map_or(y, |bias| y + bias))
}

/// Kronecker product: a block matrix of each element of `input` times `other`.
#[op(case = "f32[2, 2], f32[2, 3]", case = "f32[2], f32[2, 2]")]
pub fn kron(g: &Recorder, input: Expr, other: Expr) -> Result<Expr> {
    let rank = input.rank().max(other.rank());
    let padded = |x: Expr| [vec![1; rank - x.rank()], x.shape().to_vec()].concat();
    let (a, b) = (padded(input), padded(other));
    // [a0, 1, a1, 1, …] by [1, b0, 1, b1, …]
    let left: Vec<usize> = a.iter().flat_map(|&len| [len, 1]).collect();
    let right: Vec<usize> = b.iter().flat_map(|&len| [1, len]).collect();
    let (left, right) = (input.reshape(&left), other.reshape(&right));
    let blocks = elementwise(g, Scalar::Mul, &[left.into(), right.into()])?;
    let shape: Vec<usize> = a.iter().zip(&b).map(|(&a, &b)| a.saturating_mul(b)).collect();
    Ok(blocks.reshape(&shape))
}

/// Cross product of vectors of length three along `dim`, by default the first axis of length three.
#[op(case = "f32[2, 3], f32[2, 3]", case = "f32[3, 2], f32[3, 1], dim=0")]
pub fn cross(g: &Recorder, input: Expr, other: Expr, dim: Option<isize>) -> Result<Expr> {
    let dtype = common_type(&[input.into(), other.into()]);
    let both = promoted(g, "cross", &[input.into(), other.into()], dtype)?;
    let (a, b) = (both[0], both[1]);
    let axis = match dim {
        Some(dim) => Some(a.axis(dim)?),
        None => a.shape().iter().position(|&len| len == 3),
    };
    let Some(axis) = axis.filter(|&axis| a.shape().get(axis) == Some(&3)) else {
        let error = Error::shape("cross", "expected vectors of 3 along dim");
        return Err(error.operand("input", &input.ty()).operand("other", &other.ty()));
    };
    let next = |x: Expr<'g>, by: usize| rotated(x, axis, by);
    Ok(next(a, 1) * next(b, 2) - next(a, 2) * next(b, 1))
}

/// Product of a chain of matrices, in the order with the fewest multiplications. The first and
/// the last may be vectors.
#[op(
    alias = "chain_matmul",
    case = "[f32[2, 3], f32[3, 4], f32[4, 2]]",
    case = "[f32[3], f32[3, 4], f32[4]]"
)]
pub fn multi_dot(g: &Recorder, tensors: Vec<Expr>) -> Result<Expr> {
    let Some(last) = tensors.len().checked_sub(1) else {
        return Err(Error::argument("multi_dot", "expected at least one matrix"));
    };
    for (n, x) in tensors.iter().enumerate() {
        let may_be_vector = n == 0 || n == last;
        if x.rank() != 2 && !(may_be_vector && x.rank() == 1) {
            let error = Error::shape("multi_dot", format!("tensor {n} is not a matrix"));
            return Err(error.operand(&format!("tensor {n}"), &x.ty()));
        }
    }
    let is_row = |n: usize| n == 0 && tensors[n].rank() == 1;
    let rows = |n: usize| if is_row(n) { 1 } else { tensors[n].len(0) };
    for n in 1..=last {
        let (before, x) = (tensors[n - 1], tensors[n]);
        let (columns, rows) = (before.len(before.rank() - 1), x.len(0));
        if columns != rows {
            let what = format!("tensor {} has {columns} columns but tensor {n} {rows} rows", n - 1);
            let error = Error::shape("multi_dot", what);
            let error = error.operand(&format!("tensor {}", n - 1), &before.ty());
            return Err(error.operand(&format!("tensor {n}"), &x.ty()));
        }
    }
    let columns = if tensors[last].rank() == 2 { tensors[last].len(1) } else { 1 };
    let lens: Vec<usize> = (0..=last).map(rows).chain([columns]).collect();
    chain(&tensors, &split_points(&lens), 0, last)
}

/// The `n`-th power of a square matrix; the identity for `n` zero.
#[op(case = "f32[3, 3], 3", case = "f32[2, 2, 2], 2", case = "f32[2, 2], 0")]
pub fn matrix_power(g: &Recorder, input: Expr, n: i64) -> Result<Expr> {
    let shape = input.shape();
    let is_square = shape.len() >= 2 && shape[shape.len() - 1] == shape[shape.len() - 2];
    if !is_square {
        return Err(input.shape_error("expected square matrices"));
    }
    if n < 0 {
        let error = input.argument_error(format!("n is {n}, expected 0 or more"));
        return Err(error.help("inverses are not available"));
    }
    let (mut power, mut base, mut left) = (None, input, n);
    while left > 0 {
        if left % 2 == 1 {
            power = Some(power.map_or(base, |power: Expr<'g>| power.contract(base)));
        }
        left /= 2;
        if left > 0 {
            base = base.contract(base);
        }
    }
    Ok(power.unwrap_or_else(|| {
        let at = g.iota(shape[shape.len() - 1], DType::I64);
        at.unsqueeze(1).eq(at).cast(input.dtype()).expand(&shape)
    }))
}

/// `matmul` with its checks; errors name `call`.
pub(super) fn product<'g>(call: &str, a: Expr<'g>, b: Expr<'g>) -> Result<Expr<'g>> {
    expect_one_dtype(call, ("a", a), ("b", b))?;
    if a.rank() == 0 || b.rank() == 0 {
        let error = Error::shape(call, "a scalar has neither rows nor columns");
        let error = error.operands(&[&a.ty(), &b.ty()]);
        return Err(error.help("multiply by a scalar with mul(a, b)"));
    }
    let left = if a.rank() == 1 { a.unsqueeze(0) } else { a };
    let right = if b.rank() == 1 { b.unsqueeze(1) } else { b };
    let (columns, rows) = (left.len(left.rank() - 1), right.len(right.rank() - 2));
    if columns != rows {
        let of = |x: Expr, lines: &'static str| if x.rank() == 1 { "elements" } else { lines };
        let (columns_of, rows_of) = (of(a, "columns"), of(b, "rows"));
        let what = format!("a has {columns} {columns_of} but b has {rows} {rows_of}");
        let error = Error::shape(call, what).operands(&[&a.ty(), &b.ty()]);
        let fits_transposed = b.rank() > 1 && b.len(b.rank() - 1) == columns;
        return Err(match (fits_transposed, b.rank()) {
            (true, 2) => error.help("transpose b: matmul(a, b.T)"),
            (true, _) => error.help("transpose b: matmul(a, b.mT)"),
            (false, _) => error,
        });
    }
    let y = matrices(left, right).ok_or_else(|| {
        let lead = |x: Expr| Shape::from(&x.shape()[..x.rank() - 2]);
        let what = format!("leading axes {} and {} do not broadcast", lead(left), lead(right));
        Error::shape(call, what).operands(&[&a.ty(), &b.ty()])
    })?;
    let mut shape = y.shape();
    if b.rank() == 1 {
        shape.remove(shape.len() - 1);
    }
    if a.rank() == 1 {
        shape.remove(shape.len() - 1 - usize::from(b.rank() > 1));
    }
    Ok(y.reshape(&shape))
}

/// Product over the last two axes with broadcasting of the others; `None` if they do not broadcast.
fn matrices<'g>(a: Expr<'g>, b: Expr<'g>) -> Option<Expr<'g>> {
    let (xs, ws) = (a.shape(), b.shape());
    let ((a_batch, a_matrix), (b_batch, b_matrix)) =
        (xs.split_at(xs.len() - 2), ws.split_at(ws.len() - 2));
    let batch = broadcast([a_batch, b_batch])?;
    let (m, k, n) = (a_matrix[0], a_matrix[1], b_matrix[1]);
    let is_one_matrix = b_batch.iter().all(|&len| len == 1);
    if is_one_matrix {
        // One tall product instead of many with the same right operand.
        let rows = a_batch.iter().product::<usize>() * m;
        let y = a.reshape(&[rows, k]).contract(b.reshape(&[k, n]));
        return Some(y.reshape(&[&batch[..], &[m, n]].concat()));
    }
    let a = a.expand(&[&batch[..], &[m, k]].concat());
    let b = b.expand(&[&batch[..], &[k, n]].concat());
    Some(a.contract(b))
}

/// Product of two batches of equally many matrices.
fn batches<'g>(call: &str, names: [&str; 2], a: Expr<'g>, b: Expr<'g>) -> Result<Expr<'g>> {
    expect_rank(call, names[0], a, 3)?;
    expect_rank(call, names[1], b, 3)?;
    if a.len(0) != b.len(0) {
        let what = format!("a has {} matrices but b has {}", a.len(0), b.len(0));
        return Err(Error::shape(call, what).operands(&[&a.ty(), &b.ty()]));
    }
    product(call, a, b)
}

/// `beta · input + alpha · product`.
fn blend<'g>(
    call: &str,
    input: Expr<'g>,
    product: Expr<'g>,
    beta: f64,
    alpha: f64,
) -> Result<Expr<'g>> {
    if !expands_to(&input.shape(), &product.shape()) {
        let what = format!("input does not broadcast to the product's {}", product.shape());
        return Err(Error::shape(call, what).operand("input", &input.ty()));
    }
    expect_one_dtype(call, ("input", input), ("the product", product))?;
    let scaled = |x: Expr<'g>, by: f64| match by {
        1.0 => x,
        by => x * x.recorder().number(by.into(), x.dtype()),
    };
    let product = scaled(product, alpha);
    Ok(if beta == 0.0 { product } else { scaled(input, beta) + product })
}

/// Checks a bias: one element for each output, or one for all; the bias of a single output has no
/// axis.
fn expect_bias(call: &str, bias: Option<Expr>, outputs: Option<usize>, input: Expr) -> Result<()> {
    let Some(bias) = bias else { return Ok(()) };
    let shape = Shape::from_iter(outputs);
    if !expands_to(&bias.shape(), &shape) {
        let what = format!("bias has shape {}, expected {shape}", bias.shape());
        return Err(Error::shape(call, what).operand("bias", &bias.ty()));
    }
    expect_one_dtype(call, ("input", input), ("bias", bias))
}

/// Rotates an axis by `by` positions towards its start.
fn rotated(x: Expr<'_>, axis: usize, by: usize) -> Expr<'_> {
    let len = x.len(axis);
    let mut twice = x.unsqueeze(axis).shape();
    twice[axis] = 2;
    let twice = x.unsqueeze(axis).expand(&twice).reshape(&x.shape().with(axis, 2 * len));
    twice.narrow(axis, by, len)
}

/// The best split of each part `i..=j` of a chain of matrices; matrix `n` is `lens[n]` by `lens[n
/// + 1]`.
fn split_points(lens: &[usize]) -> Vec<Vec<usize>> {
    let n = lens.len() - 1;
    let (mut cost, mut split) = (vec![vec![0f64; n]; n], vec![vec![0; n]; n]);
    for width in 1..n {
        for i in 0..n - width {
            let j = i + width;
            let work = |at: usize| {
                let own = lens[i] as f64 * lens[at + 1] as f64 * lens[j + 1] as f64;
                cost[i][at] + cost[at + 1][j] + own
            };
            let best = (i..j).min_by(|&a, &b| work(a).total_cmp(&work(b))).unwrap_or(i);
            (cost[i][j], split[i][j]) = (work(best), best);
        }
    }
    split
}

fn chain<'g>(x: &[Expr<'g>], split: &[Vec<usize>], i: usize, j: usize) -> Result<Expr<'g>> {
    if i == j {
        return Ok(x[i]);
    }
    let at = split[i][j];
    product("multi_dot", chain(x, split, i, at)?, chain(x, split, at + 1, j)?)
}

fn expect_rank(call: &str, name: &str, x: Expr, rank: usize) -> Result<()> {
    if x.rank() == rank {
        return Ok(());
    }
    let what = format!("{name} has {} axes, expected {rank}", x.rank());
    let error = Error::shape(call, what).operand(name, &x.ty());
    Err(if rank > 1 { error.help("matmul takes any number of axes") } else { error })
}

/// Checks that both operands are numbers of one dtype, as in PyTorch.
pub(super) fn expect_one_dtype(call: &str, a: (&str, Expr), b: (&str, Expr)) -> Result<()> {
    let ((a, x), (b, y)) = (a, b);
    let (left, right) = (x.dtype(), y.dtype());
    let types = |error: Error| error.operand(a, &x.ty()).operand(b, &y.ty());
    if left != right {
        let error = types(Error::dtype(call, format!("{a} is {left} but {b} is {right}")));
        return Err(error.help(format!("convert one of them: .to('{left}')")));
    }
    if left == DType::Bool {
        let error = types(Error::dtype(call, "bools have no product"));
        return Err(error.help("convert them: .to('f32')"));
    }
    Ok(())
}

entries![
    matmul,
    mm,
    bmm,
    mv,
    dot,
    outer,
    addmm,
    addmv,
    addr,
    baddbmm,
    addbmm,
    linear,
    bilinear,
    kron,
    cross,
    multi_dot,
    matrix_power,
];
