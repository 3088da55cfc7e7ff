//! The workloads: models of sizes typical for training in a browser, and single kernels.
use super::data::{self, Init};
use super::model::Model;
use brasa_ir::compose::*;
use brasa_ir::{Expr, Result};

/// The names in the benchmark protocol.
pub const ALL: [&str; 11] = [
    "W1",
    "W2",
    "W3",
    "W4",
    "W5_cnn_b1",
    "W5_cnn_b256",
    "W5_gpt_b1",
    "W6_gelu",
    "W6_rowsum",
    "W6_softmax",
    "W6_layernorm",
];

/// Records a workload; `None` if the name is unknown.
pub fn record<'g>(model: &mut Model<'g>, name: &str) -> Option<Result<()>> {
    Some(match name {
        "W1" => mlp_classifier(model),
        "W2" => cnn_classifier(model),
        "W3" => gpt_training(model),
        "W4" => mlp_regression(model),
        "W5_cnn_b1" => cnn_inference(model, 1),
        "W5_cnn_b256" => cnn_inference(model, 256),
        "W5_gpt_b1" => gpt_inference(model),
        "W6_gelu" => gelu_chain(model),
        "W6_rowsum" => row_sums(model),
        "W6_softmax" => softmax_rows(model),
        "W6_layernorm" => layer_norm_both_ways(model),
        _ => return None,
    })
}

fn classes<'g>(model: &mut Model<'g>, logits: Expr<'g>, target: Expr<'g>) -> Result<Expr<'g>> {
    cross_entropy(model.g, logits, target, None, -100, Reduction::Mean, 0.0)
}

/// A linear layer with weight and bias uniform in ±1/√inputs.
fn dense<'g>(
    model: &mut Model<'g>,
    x: Expr<'g>,
    inputs: usize,
    outputs: usize,
) -> Result<Expr<'g>> {
    let bound = Init::Uniform((1.0 / (inputs as f64).sqrt()) as f32);
    let weight = model.param(&[outputs, inputs], bound);
    let bias = model.param(&[outputs], bound);
    linear(model.g, x, weight, Some(bias))
}

fn mlp<'g>(model: &mut Model<'g>, x: Expr<'g>, sizes: &[usize]) -> Result<Expr<'g>> {
    let mut x = x;
    for (n, pair) in sizes.windows(2).enumerate() {
        x = dense(model, x, pair[0], pair[1])?;
        if n + 2 < sizes.len() {
            x = x.relu();
        }
    }
    Ok(x)
}

fn mlp_classifier(model: &mut Model) -> Result<()> {
    let x = model.floats(&[128, 784], 1, 1.0);
    let y = model.integers(&[128], data::integers(2, 128, 10));
    let logits = mlp(model, x, &[784, 512, 256, 10])?;
    let loss = classes(model, logits, y)?;
    model.train_with_adam(loss, 0.0)
}

fn mlp_regression(model: &mut Model) -> Result<()> {
    let x = model.floats(&[32, 2], 1, 1.0);
    let y = model.floats(&[32, 1], 2, 1.0);
    let guess = mlp(model, x, &[2, 16, 16, 1])?;
    let loss = mse_loss(model.g, guess, y, Reduction::Mean, None)?;
    model.train_with_sgd(loss, 0.01)
}

fn cnn<'g>(model: &mut Model<'g>, x: Expr<'g>) -> Result<Expr<'g>> {
    let g = model.g;
    let mut x = x;
    for (inputs, outputs) in [(1usize, 32), (32, 64)] {
        let bound = Init::Uniform((1.0 / ((inputs * 9) as f64).sqrt()) as f32);
        let weight = model.param(&[outputs, inputs, 3, 3], bound);
        let bias = model.param(&[outputs], bound);
        x = conv2d(g, x, weight, Some(bias), vec![1], None, vec![1], 1)?.relu();
    }
    let pooled = max_pool2d(g, x, vec![2], None, vec![0], vec![1], false, false)?[0];
    let flat = pooled.reshape(&[pooled.len(0), 9216]);
    let hidden = dense(model, flat, 9216, 128)?.relu();
    dense(model, hidden, 128, 10)
}

fn cnn_classifier(model: &mut Model) -> Result<()> {
    let x = model.floats(&[64, 1, 28, 28], 1, 1.0);
    let y = model.integers(&[64], data::integers(2, 64, 10));
    let logits = cnn(model, x)?;
    let loss = classes(model, logits, y)?;
    model.train_with_adam(loss, 0.0)
}

fn cnn_inference(model: &mut Model, batch: usize) -> Result<()> {
    let x = model.floats(&[batch, 1, 28, 28], 1, 1.0);
    let logits = cnn(model, x)?;
    model.infer(logits)
}

const VOCABULARY: usize = 96;
const CONTEXT: usize = 128;
const WIDTH: usize = 128;
const LAYERS: usize = 4;
const HEADS: usize = 4;
const GPT_BOUND: Init = Init::Uniform(0.035);

/// A linear layer of the GPT: small weights, zero bias.
fn gpt_linear<'g>(
    model: &mut Model<'g>,
    x: Expr<'g>,
    inputs: usize,
    outputs: usize,
) -> Result<Expr<'g>> {
    let weight = model.param(&[outputs, inputs], GPT_BOUND);
    let bias = model.param(&[outputs], Init::Zeros);
    linear(model.g, x, weight, Some(bias))
}

fn norm<'g>(model: &mut Model<'g>, x: Expr<'g>) -> Result<Expr<'g>> {
    let gain = model.param(&[WIDTH], Init::Ones);
    let shift = model.param(&[WIDTH], Init::Zeros);
    layer_norm(model.g, x, [WIDTH].into(), Some(gain), Some(shift), 1e-5)
}

fn gpt<'g>(model: &mut Model<'g>, tokens: Expr<'g>) -> Result<Expr<'g>> {
    let g = model.g;
    let table = model.param(&[VOCABULARY, WIDTH], GPT_BOUND);
    let positions = model.param(&[CONTEXT, WIDTH], GPT_BOUND);
    let batch = tokens.len(0);
    let mut x = embedding(g, tokens, table, None)? + positions;
    for _ in 0..LAYERS {
        let y = norm(model, x)?;
        let heads = [batch, CONTEXT, 3, HEADS, WIDTH / HEADS];
        let qkv = gpt_linear(model, y, WIDTH, 3 * WIDTH)?.reshape(&heads);
        let part = |n: usize| qkv.select(2, n).swap(1, 2);
        let (q, k, v) = (part(0), part(1), part(2));
        let mixed = scaled_dot_product_attention(g, q, k, v, None, 0.0, true, None, false)?;
        let mixed = mixed.swap(1, 2).reshape(&[batch, CONTEXT, WIDTH]);
        x = x + gpt_linear(model, mixed, WIDTH, WIDTH)?;
        let y = norm(model, x)?;
        let hidden = gpt_linear(model, y, WIDTH, 4 * WIDTH)?.gelu_tanh();
        x = x + gpt_linear(model, hidden, 4 * WIDTH, WIDTH)?;
    }
    let x = norm(model, x)?;
    let head = model.param(&[VOCABULARY, WIDTH], GPT_BOUND);
    linear(g, x, head, None)
}

fn gpt_training(model: &mut Model) -> Result<()> {
    let batch = 16;
    let all = data::integers(1, batch * (CONTEXT + 1), VOCABULARY as u64);
    let rows = || all.chunks(CONTEXT + 1);
    let tokens = rows().flat_map(|row| row[..CONTEXT].to_vec()).collect();
    let targets = rows().flat_map(|row| row[1..].to_vec()).collect();
    let tokens = model.integers(&[batch, CONTEXT], tokens);
    let targets = model.integers(&[batch * CONTEXT], targets);
    let logits = gpt(model, tokens)?.reshape(&[batch * CONTEXT, VOCABULARY]);
    let loss = classes(model, logits, targets)?;
    model.train_with_adam(loss, 0.01)
}

fn gpt_inference(model: &mut Model) -> Result<()> {
    let tokens = data::integers(1, CONTEXT, VOCABULARY as u64);
    let tokens = model.integers(&[1, CONTEXT], tokens);
    let logits = gpt(model, tokens)?;
    model.infer(logits)
}

fn gelu_chain(model: &mut Model) -> Result<()> {
    let n = 4 << 20;
    let mut x = Vec::new();
    for seed in 10..14 {
        x.push(model.floats(&[n], seed, 1.0));
    }
    model.infer((x[0] * x[1] + x[2]).gelu_tanh() * x[3])
}

fn row_sums(model: &mut Model) -> Result<()> {
    let x = model.floats(&[4096, 4096], 1, 1.0);
    model.infer(x.sum(&[1]))
}

fn softmax_rows(model: &mut Model) -> Result<()> {
    let x = model.floats(&[4096, 1024], 1, 4.0);
    let y = softmax(model.g, x, -1, None)?;
    model.infer(y)
}

fn layer_norm_both_ways(model: &mut Model) -> Result<()> {
    let x = model.floats(&[4096, 512], 1, 1.0);
    let dy = model.floats(&[4096, 512], 2, 1.0);
    let gain = model.floats(&[512], 3, 1.0);
    let shift = model.floats(&[512], 4, 1.0);
    let y = layer_norm(model.g, x, [512].into(), Some(gain), Some(shift), 1e-5)?;
    let gradients = brasa_compile::grad(model.g, &[y], &[Some(dy)], &[x, gain, shift])?;
    model.infer_all(gradients.into_iter().flatten().collect())
}
