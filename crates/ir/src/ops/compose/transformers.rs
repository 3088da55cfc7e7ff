//! Attention, its masks and heads, and encodings of positions.
use super::draws::dropout;
use super::linalg::dense;
use super::moves::{merge_heads, split_heads};
use super::prelude::*;
use super::softmaxes::{lower_triangle, softmax};

choice! {
    /// The pairs of elements of a vector that rotary embedding rotates.
    pub enum RotaryLayout {
        /// `i` and `i + D/2`.
        Halves = "halves",
        /// `2i` and `2i + 1`.
        Interleaved = "interleaved",
    }
}

/// Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
/// `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
///
/// `attn_mask` broadcasts to `[…, L, S]`: true where a query attends to a key, or a number to add
/// to the score. With `is_causal` query `i` attends to keys `0..=i`. A query without keys gets
/// zeros. `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer
/// heads (axis −3) than queries; each of them is shared by several queries. `dropout_p` is the
/// dropout probability of the attention weights, which applies also in evaluation.
#[op(
    case = "f32[2, 3, 4], f32[2, 5, 4], f32[2, 5, 3]",
    case = "f32[2, 2, 3, 4], f32[2, 2, 3, 4], f32[2, 2, 3, 4], is_causal=true",
    case = "f32[2, 3, 4], f32[5, 4], f32[5, 3], bool[3, 5], scale=0.7",
    case = "f32[1, 4, 3, 2], f32[1, 2, 3, 2], f32[1, 2, 3, 2], f32[3, 3], enable_gqa=true"
)]
pub fn scaled_dot_product_attention(
    g: &Recorder,
    query: Expr,
    key: Expr,
    value: Expr,
    attn_mask: Option<Expr>,
    #[default(0.0)] dropout_p: f64,
    #[default(false)] is_causal: bool,
    scale: Option<f64>,
    #[default(false)] enable_gqa: bool,
) -> Result<Expr> {
    let op = "scaled_dot_product_attention";
    if is_causal && attn_mask.is_some() {
        let error = Error::argument(op, "attn_mask and is_causal exclude each other");
        return Err(error.help("leave out is_causal, and combine causal_mask(L) with attn_mask"));
    }
    let [q, k, v] = attention_operands(op, [query, key, value], enable_gqa)?;
    let scores = attention_scores(q, k, scale);
    let scores = if is_causal { causal(scores) } else { scores };
    let scores = match attn_mask {
        Some(mask) if mask.dtype() == DType::Bool => masked(op, scores, mask, "attn_mask")?,
        Some(mask) => shifted(op, scores, mask, "attn_mask")?,
        None => scores,
    };
    let weights = attention_weights(g, scores, attn_mask.is_some())?;
    let weights = if dropout_p == 0.0 { weights } else { dropout(g, weights, dropout_p, true)? };
    Ok(weights.contract(v))
}

/// Multi-head attention with all its projections, over `query` `[B, L, C]`, `key` and `value`
/// `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
///
/// `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
/// values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
/// `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
/// `key_padding_mask` `[B, S]` is true where a key is *ignored*. `dropout_p` is the dropout
/// probability of the attention weights, which applies also in evaluation; the weights are
/// returned before dropout.
#[op(
    case = "f32[2, 3, 4], f32[2, 3, 4], f32[2, 3, 4], 2, f32[12, 4], f32[12], f32[4, 4], f32[4]",
    case = "f32[1, 2, 2], f32[1, 3, 2], f32[1, 3, 2], 2, f32[6, 2], none, f32[2, 2], none, f32[3]",
    case = "f32[1, 3, 2], f32[1, 3, 2], f32[1, 3, 2], 1, f32[6, 2], none, f32[2, 2], is_causal=true"
)]
pub fn multi_head_attention(
    g: &Recorder,
    query: Expr,
    key: Expr,
    value: Expr,
    num_heads: usize,
    in_proj_weight: Expr,
    in_proj_bias: Option<Expr>,
    out_proj_weight: Expr,
    out_proj_bias: Option<Expr>,
    attn_mask: Option<Expr>,
    #[default(false)] is_causal: bool,
    key_padding_mask: Option<Expr>,
    #[default(0.0)] dropout_p: f64,
) -> Result<(Expr, Expr)> {
    let op = "multi_head_attention";
    let [batch, len, keys] = attention_sizes(op, query, key, value, num_heads)?;
    let projected = in_projection(op, [query, key, value], in_proj_weight, in_proj_bias)?;
    let apart = |x| split_heads(g, x, num_heads);
    let [q, k, v] = [apart(projected[0])?, apart(projected[1])?, apart(projected[2])?];
    let scores = attention_scores(q, k, None);
    let mut scores = if is_causal { causal(scores) } else { scores };
    if let Some(mask) = attn_mask {
        scores = blocked(op, scores, heads_apart(mask, batch, num_heads), "attn_mask")?;
    }
    if let Some(mask) = key_padding_mask {
        if *mask.shape() != [batch, keys] {
            let what = format!("key_padding_mask must have the shape [{batch}, {keys}]");
            let error = attention_error(op, what, query, key, value);
            return Err(error.operand("key_padding_mask", &mask.ty()));
        }
        let mask = mask.reshape(&[batch, 1, 1, keys]);
        scores = blocked(op, scores, mask, "key_padding_mask")?;
    }
    let is_masked = attn_mask.is_some() || key_padding_mask.is_some();
    let weights = attention_weights(g, scores, is_masked)?;
    let kept = if dropout_p == 0.0 { weights } else { dropout(g, weights, dropout_p, true)? };
    let merged = merge_heads(g, kept.contract(v))?;
    let output = dense(op, merged, ("out_proj_weight", out_proj_weight), out_proj_bias)?;
    Ok((output, weights.mean_keep(&[1]).reshape(&[batch, len, keys])))
}

/// Checks the operands of an attention with projections: batch, length and number of keys.
fn attention_sizes(
    op: &str,
    query: Expr,
    key: Expr,
    value: Expr,
    num_heads: usize,
) -> Result<[usize; 3]> {
    let fail = |what: String| attention_error(op, what, query, key, value);
    let (&[batch, len, width], &[_, keys, _]) = (&*query.shape(), &*key.shape()) else {
        return Err(fail("expected [B, T, C] for query, key and value".into()));
    };
    if num_heads == 0 || !width.is_multiple_of(num_heads) {
        return Err(fail(format!("{width} channels do not divide into {num_heads} heads")));
    }
    let is_memory = |x: Expr| *x.shape() == [batch, keys, width];
    if !is_memory(key) || !is_memory(value) {
        return Err(fail(format!("expected key and value of shape [{batch}, S, {width}]")));
    }
    Ok([batch, len, keys])
}

fn attention_error(op: &str, what: String, query: Expr, key: Expr, value: Expr) -> Error {
    let error = Error::shape(op, what).operand("query", &query.ty());
    error.operand("key", &key.ty()).operand("value", &value.ty())
}

/// A mask `[B · heads, L, S]` as `[B, heads, L, S]`; others as they are.
fn heads_apart<'g>(mask: Expr<'g>, batch: usize, heads: usize) -> Expr<'g> {
    let is_flat = mask.rank() == 3 && batch.checked_mul(heads) == Some(mask.len(0));
    match is_flat {
        true => mask.reshape(&[batch, heads, mask.len(1), mask.len(2)]),
        false => mask,
    }
}

/// Rotary embedding: rotates pairs of elements of each vector of `input` `[…, T, D]` by angles
/// proportional to its position, so that products of two vectors depend only on their distance.
///
/// Pair `i` is rotated by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
/// `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
/// 'interleaved' pairs `2i` and `2i + 1`.
#[op(
    case = "f32[2, 3, 4]",
    case = "f32[2, 3, 4], i64[3] in 0..20, 100.0",
    case = "f32[2, 3, 4], f32[2, 1], layout='interleaved'"
)]
pub fn rope(
    g: &Recorder,
    input: Expr,
    positions: Option<Expr>,
    #[default(10000.0)] base: f64,
    #[default(RotaryLayout::Halves)] layout: RotaryLayout,
) -> Result<Expr> {
    let shape = input.shape();
    let &[.., len, width] = &*shape else {
        return Err(input.shape_error("expected […, T, D]"));
    };
    if !width.is_multiple_of(2) {
        return Err(input.shape_error(format!("the last axis must be even, it is {width}")));
    }
    let (last, half) = (shape.len() - 1, width / 2);
    let x = input.widened();
    let positions = positions.unwrap_or_else(|| g.iota(len, DType::I64)).cast(x.dtype());
    if broadcast([&shape[..last], &positions.shape()]).as_deref() != Some(&shape[..last]) {
        let error = input.shape_error("positions do not broadcast to all axes but the last");
        return Err(error.operand("positions", &positions.ty()));
    }

    let exponent = g.iota(half, x.dtype()) * (-2.0 / width as f64);
    let speed = g.number(base.into(), x.dtype()).pow(exponent);
    let angle = positions.unsqueeze(positions.rank()) * speed;
    // The axis of length two holds the two elements of a pair.
    let (pair, pairs, members) = match layout {
        RotaryLayout::Halves => (last, [2, half], [2, 1]),
        RotaryLayout::Interleaved => (last + 1, [half, 2], [1, 2]),
    };
    let angle = angle.unsqueeze(angle.rank() - 1 + pair - last);
    let sign = (g.iota(2, x.dtype()) * 2.0 - 1.0).reshape(&members);
    let x = x.reshape(&[&shape[..last], &pairs].concat());
    let turned = x * angle.cos() + x.flip(&[pair]) * (sign * angle.sin());
    Ok(turned.reshape(&shape).cast(input.dtype().to_float()))
}

/// Sinusoidal positional encoding `[len, dim]`: at position `p`, element `2i` is `sin(p /
/// base^(2i/dim))` and element `2i + 1` its cosine.
#[op(case = "5, 4", case = "3, 5, base=100.0")]
pub fn sinusoidal_positions(
    g: &Recorder,
    len: usize,
    dim: usize,
    #[default(10000.0)] base: f64,
) -> Result<Expr> {
    if len.checked_mul(dim).is_none() {
        let what = format!("a table of {len} by {dim} is too large");
        return Err(Error::argument("sinusoidal_positions", what));
    }
    let element = g.iota(dim, DType::F32);
    let pair = (element * 0.5).floor();
    let is_sine = element.eq(pair * 2.0);
    let speed = g.number(base.into(), DType::F32).pow(pair * (-2.0 / dim as f64));
    let angle = g.iota(len, DType::F32).reshape(&[len, 1]) * speed;
    Ok(is_sine.choose(angle.sin(), angle.cos()))
}

/// Queries, keys and values by one packed projection; a single product if all three inputs are the
/// same tensor.
fn in_projection<'g>(
    op: &str,
    inputs: [Expr<'g>; 3],
    weight: Expr<'g>,
    bias: Option<Expr<'g>>,
) -> Result<[Expr<'g>; 3]> {
    let width = inputs[0].len(2);
    if weight.shape().first() != width.checked_mul(3).as_ref() {
        let error = Error::shape(op, format!("in_proj_weight must be [3 · {width}, {width}]"));
        return Err(error.operand("in_proj_weight", &weight.ty()));
    }
    if bias.is_some_and(|b| *b.shape() != [3 * width]) {
        let error = Error::shape(op, format!("in_proj_bias must be [3 · {width}]"));
        return Err(error.operand("in_proj_weight", &weight.ty()));
    }
    let part = |x: Expr<'g>, axis, n| x.narrow(axis, n * width, width);
    if inputs.iter().all(|x| x.id() == inputs[0].id()) {
        let all = dense(op, inputs[0], ("in_proj_weight", weight), bias)?;
        return Ok([0, 1, 2].map(|n| part(all, 2, n)));
    }
    let one = |n: usize| {
        let bias = bias.map(|b| part(b, 0, n));
        dense(op, inputs[n], ("in_proj_weight", part(weight, 0, n)), bias)
    };
    Ok([one(0)?, one(1)?, one(2)?])
}

/// The three operands in one dtype with equal leading axes.
fn attention_operands<'g>(
    op: &str,
    operands: [Expr<'g>; 3],
    enable_gqa: bool,
) -> Result<[Expr<'g>; 3]> {
    let fail = |what: &str| {
        let names = ["query", "key", "value"].into_iter().zip(operands);
        names.fold(Error::shape(op, what), |e, (name, x)| e.operand(name, &x.ty()))
    };
    if operands.iter().any(|x| x.rank() < 2) {
        return Err(fail("query, key and value must have at least two axes"));
    }
    let matrix = |x: Expr| (x.len(x.rank() - 2), x.len(x.rank() - 1));
    let [(_, features), (keys, key_features), (values, _)] = operands.map(matrix);
    if features != key_features {
        let what = format!("queries have {features} features but keys have {key_features}");
        return Err(fail(&what));
    }
    if keys != values {
        return Err(fail(&format!("there are {keys} keys but {values} values")));
    }
    let [q, mut k, mut v] = operands;
    if enable_gqa && q.rank() > 2 {
        let heads = q.len(q.rank() - 3);
        let divides = |x: Expr| x.rank() < 3 || served(x, heads).is_some();
        if !divides(k) || !divides(v) {
            let what = "query heads are not a multiple of the key and value heads";
            return Err(fail(&format!("{heads} {what}")));
        }
        (k, v) = (repeat_heads(k, heads), repeat_heads(v, heads));
    }
    let dtype = common_type(&operands.map(Operand::from)).to_float();
    let batches = [q, k, v].map(|x| x.shape()[..x.rank() - 2].to_vec());
    let Some(batch) = broadcast(batches.iter().map(|b| &b[..])) else {
        return Err(fail("the leading axes do not broadcast"));
    };
    let expanded = |x: Expr<'g>| {
        let (rows, cols) = matrix(x);
        x.cast(dtype).expand(&[&batch[..], &[rows, cols]].concat())
    };
    Ok([q, k, v].map(expanded))
}

/// The number of query heads, of `heads`, that share each head of `x`.
fn served(x: Expr, heads: usize) -> Option<usize> {
    let own = x.len(x.rank() - 3);
    (own > 0 && heads.is_multiple_of(own)).then(|| heads / own)
}

/// Repeats each head for the query heads that share it.
fn repeat_heads(x: Expr<'_>, heads: usize) -> Expr<'_> {
    if x.rank() < 3 {
        return x;
    }
    let (shape, axis) = (x.shape(), x.rank() - 3);
    let times = served(x, heads).unwrap_or(1);
    let mut repeated = shape.clone();
    repeated.insert(axis + 1, times);
    x.unsqueeze(axis + 1).expand(&repeated).reshape(&shape.with(axis, shape[axis] * times))
}

/// `q · kᵀ · scale`, where the default scale preserves the variance of the elements.
fn attention_scores<'g>(q: Expr<'g>, k: Expr<'g>, scale: Option<f64>) -> Expr<'g> {
    let q = match scale {
        Some(scale) => q * q.recorder().number(scale.into(), q.dtype()),
        None => q * (1.0 / (q.len(q.rank() - 1) as f64).sqrt()),
    };
    q.contract(k.transposed())
}

/// Scores with −∞ above the diagonal.
fn causal(scores: Expr<'_>) -> Expr<'_> {
    let rank = scores.rank();
    let g = scores.recorder();
    let below = lower_triangle(g, scores.len(rank - 2), scores.len(rank - 1));
    below.choose(scores, g.constant(f64::NEG_INFINITY, scores.dtype(), &[]))
}

/// Scores with −∞ where `mask` is false.
fn masked<'g>(op: &str, scores: Expr<'g>, mask: Expr<'g>, name: &str) -> Result<Expr<'g>> {
    check_mask(op, scores, mask, name)?;
    let never = scores.recorder().constant(f64::NEG_INFINITY, scores.dtype(), &[]);
    Ok(mask.choose(scores, never))
}

/// Scores with −∞ where a boolean `mask` is true, or with the mask added to them.
fn blocked<'g>(op: &str, scores: Expr<'g>, mask: Expr<'g>, name: &str) -> Result<Expr<'g>> {
    match mask.dtype() {
        DType::Bool => masked(op, scores, mask.bitwise_not(), name),
        _ => shifted(op, scores, mask, name),
    }
}

/// Scores plus a mask of numbers.
fn shifted<'g>(op: &str, scores: Expr<'g>, mask: Expr<'g>, name: &str) -> Result<Expr<'g>> {
    if !mask.dtype().is_float() {
        let error = Error::dtype(op, format!("{name} must be of bools or floats"));
        return Err(error.operand(name, &mask.ty()));
    }
    check_mask(op, scores, mask, name)?;
    Ok(scores + mask.cast(scores.dtype()))
}

fn check_mask(op: &str, scores: Expr, mask: Expr, name: &str) -> Result<()> {
    let shape = scores.shape();
    if broadcast([&shape[..], &mask.shape()[..]]).as_ref() == Some(&shape) {
        return Ok(());
    }
    let what = format!("{name} does not broadcast to the scores {shape}");
    Err(Error::shape(op, what).operand(name, &mask.ty()))
}

/// Softmax over the last axis. Rows that are masked completely become zeros.
fn attention_weights<'g>(
    g: &'g Recorder,
    scores: Expr<'g>,
    may_be_hidden: bool,
) -> Result<Expr<'g>> {
    if !may_be_hidden || scores.elements() == 0 {
        return softmax(g, scores, -1, None);
    }
    let (x, axis) = (scores.widened(), [scores.rank() - 1]);
    let top = x.max_keep(&axis).detach();
    let is_hidden = top.eq(top.like(f64::NEG_INFINITY));
    let e = (x - is_hidden.choose(top.zeros_like(), top)).exp();
    let sum = is_hidden.choose(top.like(1.0), e.sum_keep(&axis));
    Ok((e / sum).cast(scores.dtype()))
}

entries![scaled_dot_product_attention, multi_head_attention, rope, sinusoidal_positions,];
