//! Distances between vectors.
use super::linalg::expect_one_dtype;
use super::prelude::*;
use super::reductions::length;

/// Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
/// Leading axes broadcast.
#[op(
    case = "f32[3, 2], f32[4, 2]",
    case = "f32[2, 3, 2], f32[2, 2], p=1.0",
    case = "f32[3, 2], f32[2, 2], p=3.0"
)]
pub fn cdist(g: &Recorder, x1: Expr, x2: Expr, #[default(2.0)] p: f64) -> Result<Expr> {
    let fail =
        |what: String| Error::shape("cdist", what).operand("x1", &x1.ty()).operand("x2", &x2.ty());
    if x1.rank() < 2 || x2.rank() < 2 {
        return Err(fail("x1 and x2 must have rows and columns".to_string()));
    }
    let (a, b) = (x1.shape(), x2.shape());
    if a[a.len() - 1] != b[b.len() - 1] {
        let what = format!("x1 has {} columns but x2 has {}", a[a.len() - 1], b[b.len() - 1]);
        return Err(fail(what));
    }
    if broadcast([&a[..a.len() - 2], &b[..b.len() - 2]]).is_none() {
        return Err(fail("the leading axes do not broadcast".to_string()));
    }
    check("cdist", x1, x2, p)?;
    Ok(norm(x1.unsqueeze(a.len() - 1) - x2.unsqueeze(b.len() - 2), p))
}

/// Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
/// vector.
#[op(case = "f32[4, 3]", case = "f32[3, 2], p=1.0", case = "f32[1, 2]")]
pub fn pdist(g: &Recorder, input: Expr, #[default(2.0)] p: f64) -> Result<Expr> {
    if input.rank() != 2 {
        return Err(input.shape_error("expected a matrix"));
    }
    check("pdist", input, input, p)?;
    let (n, width) = (input.len(0), input.len(1));
    let pairs = n * n.saturating_sub(1) / 2;
    if pairs == 0 {
        return Ok(g.constant(0.0, input.dtype(), &[0]));
    }
    let (i, j) = pair(g, n, pairs);
    let rows = |index: Expr<'g>| input.gather(0, index.unsqueeze(1).expand(&[pairs, width]));
    Ok(norm(rows(i) - rows(j), p))
}

/// Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
#[op(case = "f32[2, 3], f32[2, 3]", case = "f32[2, 3], f32[3], p=1.0, keepdim=true")]
pub fn pairwise_distance(
    g: &Recorder,
    x1: Expr,
    x2: Expr,
    #[default(2.0)] p: f64,
    #[default(1e-6)] eps: f64,
    #[default(false)] keepdim: bool,
) -> Result<Expr> {
    let dtype = common_type(&[x1.into(), x2.into()]).to_float();
    let both = promoted(g, "pairwise_distance", &[x1.into(), x2.into()], dtype)?;
    if both[0].rank() == 0 {
        return Err(Error::shape("pairwise_distance", "expected vectors, got scalars"));
    }
    check("pairwise_distance", both[0], both[1], p)?;
    let y = norm(both[0] - both[1] + g.number(eps.into(), dtype), p);
    Ok(if keepdim { y.unsqueeze(y.rank()) } else { y })
}

fn check(call: &str, a: Expr, b: Expr, p: f64) -> Result<()> {
    expect_one_dtype(call, ("a", a), ("b", b))?;
    if !a.dtype().is_float() {
        return Err(Error::dtype(call, "expected floats").operands(&[&a.ty(), &b.ty()]));
    }
    match p >= 0.0 {
        true => Ok(()),
        false => Err(Error::argument(call, format!("p is {p}, expected 0 or more"))),
    }
}

/// The `p`-norm over the last axis.
fn norm(x: Expr<'_>, p: f64) -> Expr<'_> {
    length(x, p, &[x.rank() - 1])
}

/// Row and column of each element of the upper triangle of an `n` by `n` matrix.
fn pair<'g>(g: &'g Recorder, n: usize, pairs: usize) -> (Expr<'g>, Expr<'g>) {
    let k = g.iota(pairs, DType::I64);
    let whole = |value: usize| k.like(value);
    // Row i begins at i·(2n − 1 − i) / 2. The inverse, in floats, may be off by one.
    let span = 2 * n - 1;
    let begin = |i: Expr<'g>| (i * (whole(span) - i)).floor_divide(whole(2));
    let root = (whole(span * span) - k * whole(8)).cast(DType::F32).sqrt();
    let i = ((span as f64 - root) * 0.5).floor().cast(DType::I64);
    let i = i - begin(i).gt(k).cast(DType::I64);
    let i = i + begin(i + whole(1)).le(k).cast(DType::I64);
    (i, k - begin(i) + i + whole(1))
}

entries![cdist, pdist, pairwise_distance];
