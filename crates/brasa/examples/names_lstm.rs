//! A recurrent network that learns to spell first names and generates new ones.
//!
//!     cargo run --release --example names_lstm
use brasa::data::{DataLoader, Rng, TextWindows, Vocabulary, names};
use brasa::nn::{Embedding, Linear, Lstm, Module};
use brasa::{Forward, Result, Tensor, compile, manual_seed, ops, optim::AdamW};

const WINDOW: usize = 12;

#[derive(Module)]
struct Speller {
    embed: Embedding,
    lstm: Lstm,
    head: Linear,
}

impl Speller {
    fn forward(&self, ids: &Tensor) -> Tensor {
        let (states, _, _) = self.lstm.forward(&self.embed.forward(ids), None);
        self.head.forward(&states)
    }
}

/// Returns the last loss, and some generated names.
pub fn run(steps: usize) -> Result<(f32, Vec<String>)> {
    manual_seed(0);
    let vocabulary = Vocabulary::of(names());
    let words = vocabulary.len();
    let model = Speller {
        embed: Embedding::new(words, 32),
        lstm: Lstm::new(32, 64, 1),
        head: Linear::new(64, words),
    };
    let loss = |x: &[Tensor]| {
        let scores = model.forward(&x[0]).reshape([-1, words as isize]);
        ops::cross_entropy(&scores, &x[1].flatten(0))
    };
    let mut step = compile(&model, loss, AdamW::new(5e-3).build(model.parameters()));
    let windows = TextWindows::new(vocabulary.encode(names())?, WINDOW)?;
    let mut loader = DataLoader::new(windows, 32).shuffle(0).drop_last();
    let (mut last, mut taken) = (f32::NAN, 0);
    while taken < steps {
        for batch in loader.epoch().take(steps - taken) {
            let batch = batch?;
            last = step.run(&[&batch[0], &batch[1]])?;
            taken += 1;
            if taken % 200 == 0 {
                println!("step {taken}: loss {last:.3}");
            }
        }
    }
    let mut rng = Rng::new(1);
    let mut forward = Forward::new(|x| model.forward(&x[0]).softmax(-1));
    let made = (0..10).map(|_| spell(&mut forward, &vocabulary, &mut rng));
    Ok((last, made.collect::<Result<_>>()?))
}

/// Samples one name, character by character, up to a line break.
fn spell(forward: &mut Forward, vocabulary: &Vocabulary, rng: &mut Rng) -> Result<String> {
    let mut ids = vocabulary.encode("\n")?;
    while ids.len() < WINDOW {
        let mut window = ids.clone();
        window.resize(WINDOW, 0);
        let chances = forward.run(&[&Tensor::from_vec(window, [1, WINDOW])])?.to_vec::<f32>()?;
        let chances = &chances[(ids.len() - 1) * vocabulary.len()..][..vocabulary.len()];
        let mut left = rng.uniform(0.0, 1.0);
        let drawn = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        match drawn.unwrap_or(0) as i64 {
            next if next == ids[0] => break,
            next => ids.push(next),
        }
    }
    Ok(vocabulary.decode(&ids[1..]))
}

fn main() -> Result<()> {
    let (_, names) = run(1500)?;
    println!("{}", names.join(", "));
    Ok(())
}
