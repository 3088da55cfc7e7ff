//! A classifier of points in the plane, with the training loop, its progress bar and metrics.
//!
//!     cargo run --release --example spiral
use brasa::data::{DataLoader, spiral};
use brasa::nn::{Linear, Module, Sequential, Tanh};
use brasa::train::{Classification, Next, ProgressBar, Trainer};
use brasa::{Result, Tensor, manual_seed, ops, optim::AdamW};

pub fn run(epochs: u64) -> Result<f64> {
    manual_seed(0);
    let model = Sequential::new()
        .add(Linear::new(2, 64))
        .add(Tanh)
        .add(Linear::new(64, 64))
        .add(Tanh)
        .add(Linear::new(64, 3));
    let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
    let mut loader = DataLoader::new(spiral(1000, 3, 1)?, 50).shuffle(1);
    let test = DataLoader::new(spiral(500, 3, 2)?, 500);

    let mut trainer = Trainer::new(&model, loss, AdamW::new(0.01).build(model.parameters()));
    let mut bar = ProgressBar::new();
    trainer
        .epochs(epochs)
        .measure(|| {
            let mut seen = Classification::new(3);
            for batch in test.clone().epoch() {
                let batch = batch?;
                seen.add(&model.forward(&batch[0]), &batch[1])?;
            }
            Ok(seen.measures())
        })
        .on(move |event| {
            bar.show(event);
            Ok(Next::Continue)
        });
    let outcome = trainer.fit(&mut loader)?;
    Ok(outcome.measures["accuracy"])
}

fn main() -> Result<()> {
    println!("accuracy {:.1} %", 100.0 * run(20)?);
    Ok(())
}
