//! A small character-level transformer that learns to write text.
//!
//!     cargo run --release --example char_gpt -- FILE
//!
//! FILE is a text; without it, the model learns generated tales.
use brasa::data::{DataLoader, Rng, TextWindows, Vocabulary, tale};
use brasa::nn::{Embedding, Init, LayerNorm, Linear, Module, Param, TransformerEncoderLayer};
use brasa::optim::{AdamW, schedule::Schedule};
use brasa::{Forward, Result, Tensor, compile, manual_seed, ops};

const WINDOW: usize = 64;

#[derive(Module)]
struct Gpt {
    embed: Embedding,
    place: Param,
    blocks: Vec<TransformerEncoderLayer>,
    norm: LayerNorm,
    head: Linear,
}

impl Gpt {
    fn new(words: usize, features: usize, layers: usize) -> Gpt {
        let block = |_| {
            let block = TransformerEncoderLayer::new(features, 4, 4 * features);
            block.norm_first(true).causal(true).dropout(0.0)
        };
        Gpt {
            embed: Embedding { weight: Param::init([words, features], Init::Normal(0.0, 0.02)) },
            place: Param::init([WINDOW, features], Init::Normal(0.0, 0.02)),
            blocks: (0..layers).map(block).collect(),
            norm: LayerNorm::new(features),
            head: Linear::new(features, words),
        }
    }

    fn forward(&self, ids: &Tensor) -> Tensor {
        let x = self.embed.forward(ids) + &*self.place;
        let x = self.blocks.iter().fold(x, |x, block| block.forward(&x));
        self.head.forward(&self.norm.forward(&x))
    }
}

/// Returns the first loss, the last loss, and a text that the model generates.
pub fn run(text: &str, features: usize, steps: usize) -> Result<(f32, f32, String)> {
    manual_seed(0);
    let vocabulary = Vocabulary::of(text);
    let words = vocabulary.len();
    let model = Gpt::new(words, features, 3);
    println!("{} parameters, {words} characters", model.num_parameters());
    let loss = |x: &[Tensor]| {
        let scores = model.forward(&x[0]).reshape([-1, words as isize]);
        ops::cross_entropy(&scores, &x[1].flatten(0))
    };
    let mut step = compile(&model, loss, AdamW::new(2e-3).build(model.parameters()));
    let lr = Schedule::cosine(2e-3, 1e-4, steps as u64).warm_up(steps as u64 / 20);
    let windows = TextWindows::new(vocabulary.encode(text)?, WINDOW)?;
    let mut loader = DataLoader::new(windows, 16).shuffle(0).prefetch(2);
    let mut losses = Vec::new();
    for (n, batch) in loader.epoch().take(steps).enumerate() {
        let batch = batch?;
        step.set_lr(lr.at(n as u64));
        losses.push(step.run(&[&batch[0], &batch[1]])?);
        if n % 50 == 0 {
            println!("step {n}: loss {:.3}", losses[n]);
        }
    }
    model.eval();
    let text = write(&model, &vocabulary, 300)?;
    Ok((losses[0], losses[losses.len() - 1], text))
}

fn write(model: &Gpt, vocabulary: &Vocabulary, len: usize) -> Result<String> {
    let mut forward = Forward::new(|x| (model.forward(&x[0]) / 0.8).softmax(-1));
    let (mut ids, mut rng) = (vocabulary.encode("\n")?, Rng::new(1));
    for _ in 0..len {
        let seen = &ids[ids.len().saturating_sub(WINDOW)..];
        let mut window = seen.to_vec();
        window.resize(WINDOW, 0);
        let chances = forward.run(&[&Tensor::from_vec(window, [1, WINDOW])])?.to_vec::<f32>()?;
        let chances = &chances[(seen.len() - 1) * vocabulary.len()..][..vocabulary.len()];
        let mut left = rng.uniform(0.0, 1.0);
        let drawn = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        ids.push(drawn.unwrap_or(0) as i64);
    }
    Ok(vocabulary.decode(&ids))
}

fn main() -> Result<()> {
    let text = match std::env::args().nth(1) {
        Some(file) => String::from_utf8_lossy(&brasa::io::read(file)?).into_owned(),
        None => tale(200_000, 1),
    };
    let (_, _, written) = run(&text, 96, 600)?;
    println!("{written}");
    Ok(())
}
