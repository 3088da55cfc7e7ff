//! `brasa predict`: classifies images or points with a trained model, or generates text.
use super::model::load;
use super::plan::{ModelKind, Shape, Task};
use super::{ComputeArgs, Failure};
use crate::print;
use brasa::data::{Rng, Vocabulary, read_image};
use brasa::nn::Layer;
use brasa::{DType, Forward, Tensor};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Use a trained model: classify images or points, or generate text.
#[derive(Args)]
pub struct Settings {
    /// A run's folder, a checkpoint or a weights file of `brasa train`
    model: PathBuf,
    /// Images (png, jpg) of 28 · 28 pixels, light on dark; or, for a spiral, two numbers
    #[arg(allow_negative_numbers = true)]
    inputs: Vec<String>,
    /// Invert the image, if it is dark on light
    #[arg(long)]
    invert: bool,
    /// Prompt of the text; by default a newline, if it is in the vocabulary
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Number of characters to generate
    #[arg(long, default_value_t = 500, value_name = "N")]
    length: usize,
    /// Sampling temperature; 0 always takes the most likely character
    #[arg(long, default_value_t = 0.8)]
    temperature: f32,
    /// Seed of the sampling
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    compute: ComputeArgs,
    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,
}

pub fn command(settings: &Settings) -> Result<ExitCode, Failure> {
    settings.compute.apply()?;
    let (net, shape) = load(&settings.model)?;
    match shape.task {
        Task::Names | Task::Text => write_text(settings, &*net, &shape)?,
        Task::Spiral => {
            let numbers: Result<Vec<f32>, _> =
                settings.inputs.iter().map(|text| text.parse()).collect();
            let Ok(&[x, y]) = numbers.as_deref() else {
                let help = "expected two numbers, for example: brasa predict RUN 0.5 -0.2";
                return Err(help.to_string().into());
            };
            classify(settings, &*net, "point", &Tensor::new([[x, y]]))?;
        }
        _ => images(settings, &*net)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn images(settings: &Settings, net: &dyn Layer) -> Result<(), Failure> {
    if settings.inputs.is_empty() {
        return Err("no image file given".to_string().into());
    }
    for file in &settings.inputs {
        let mut image = read_image(file, [28, 28], 1)?;
        if settings.invert {
            image = (255.0 - image.to(DType::F32)).to(DType::U8);
        }
        classify(settings, net, file, &image)?;
    }
    Ok(())
}

fn classify(settings: &Settings, net: &dyn Layer, name: &str, x: &Tensor) -> Result<(), Failure> {
    let scores = brasa::no_grad(|| net.forward(x)).softmax(-1).to_vec::<f32>()?;
    let mut ranked: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    if settings.json {
        let line = json!({ "input": name, "class": ranked[0].0, "probabilities": scores });
        return Ok(print(format!("{line}\n"))?);
    }
    let words = ranked.iter().take(3).map(|(class, p)| format!("{class} ({:.1} %)", 100.0 * p));
    Ok(print(format!("{name}: {}\n", words.collect::<Vec<_>>().join(", ")))?)
}

fn write_text(settings: &Settings, net: &dyn Layer, shape: &Shape) -> Result<(), Failure> {
    let prompt = settings.prompt.clone().unwrap_or_else(|| default_prompt(&shape.chars));
    let text = generate(settings, net, shape, &prompt)?;
    if settings.json {
        let line = json!({ "prompt": prompt, "text": text });
        return Ok(print(format!("{line}\n"))?);
    }
    Ok(print(format!("{}\n", text.trim()))?)
}

/// A newline or a space, or the first character if the vocabulary has neither.
fn default_prompt(chars: &str) -> String {
    let known = ['\n', ' '].into_iter().find(|start| chars.contains(*start));
    known.or(chars.chars().next()).map_or(String::new(), String::from)
}

/// The prompt, continued by the model.
fn generate(
    settings: &Settings,
    net: &dyn Layer,
    shape: &Shape,
    prompt: &str,
) -> Result<String, Failure> {
    let vocabulary = Vocabulary::of(&shape.chars);
    let mut ids = vocabulary.encode(prompt)?;
    if ids.is_empty() {
        return Err("the prompt must have at least one character".to_string().into());
    }
    // A recurrent network has no positions: its window need not be longer than the text.
    let longest = ids.len().saturating_add(settings.length);
    let window_len = match shape.model {
        ModelKind::Lstm => shape.window.min(longest),
        _ => shape.window,
    };
    let mut forward = Forward::new(|x| net.forward(&x[0]));
    let mut rng = Rng::new(settings.seed);
    for _ in 0..settings.length {
        // Always a full window, so that one compiled program serves all lengths. The model is
        // causal: padding after the last character does not change its scores.
        let seen = &ids[ids.len().saturating_sub(window_len)..];
        let mut window = seen.to_vec();
        window.resize(window_len, 0);
        let scores = forward.run(&[&Tensor::from_vec(window, [1, window_len])])?;
        let scores = scores.to_vec::<f32>()?;
        let last = (seen.len() - 1) * shape.classes;
        ids.push(sample(&scores[last..last + shape.classes], settings.temperature, &mut rng));
    }
    Ok(vocabulary.decode(&ids))
}

/// Samples a character id from scores.
fn sample(scores: &[f32], temperature: f32, rng: &mut Rng) -> i64 {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weight = |score: f32| match temperature > 0.0 {
        true => ((score - best) / temperature).exp(),
        false => f32::from(u8::from(score == best)),
    };
    let weights: Vec<f32> = scores.iter().map(|&score| weight(score)).collect();
    let mut left = rng.uniform(0.0, weights.iter().sum());
    for (id, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return id as i64;
        }
    }
    weights.len() as i64 - 1
}
