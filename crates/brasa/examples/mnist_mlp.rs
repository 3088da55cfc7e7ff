//! A multi-layer perceptron for MNIST, with a compiled training step in a handwritten loop.
//!
//!     cargo run --release --example mnist_mlp -- FOLDER
//!
//! FOLDER holds the four idx files (`brasa fetch mnist` prints where it put them); without it, the
//! model learns generated digits.
use brasa::data::{DataLoader, ImageSet, TensorDataset, digits};
use brasa::nn::{Flatten, Linear, Module, Relu, Sequential};
use brasa::train::Classification;
use brasa::{DType, Result, Tensor, compile, manual_seed, no_grad, ops, optim::AdamW};

pub fn run(train: TensorDataset, test: TensorDataset, epochs: usize) -> Result<f64> {
    manual_seed(0);
    let model = Sequential::new()
        .add(Flatten)
        .add(Linear::new(28 * 28, 256))
        .add(Relu)
        .add(Linear::new(256, 10));
    let scores = |images: &Tensor| model.forward(&(images.to(DType::F32) / 255.0));
    let loss = |x: &[Tensor]| ops::cross_entropy(&scores(&x[0]), &x[1]);
    let mut step = compile(&model, loss, AdamW::new(1e-3).build(model.parameters()));
    let mut loader = DataLoader::new(train, 64).shuffle(0).drop_last().prefetch(2);
    let mut accuracy = 0.0;
    for epoch in 1..=epochs {
        let (mut sum, mut steps) = (0.0, 0);
        for batch in loader.epoch() {
            let batch = batch?;
            sum += step.run(&[&batch[0], &batch[1]])?;
            steps += 1;
        }
        let mut seen = Classification::new(10);
        for batch in DataLoader::new(test.clone(), 500).epoch() {
            let batch = batch?;
            seen.add(&no_grad(|| scores(&batch[0])), &batch[1])?;
        }
        accuracy = seen.accuracy();
        let percent = 100.0 * accuracy;
        println!("epoch {epoch}: loss {:.4}, test accuracy {percent:.2} %", sum / steps as f32);
    }
    Ok(accuracy)
}

fn main() -> Result<()> {
    let (train, test) = match std::env::args().nth(1) {
        Some(folder) => {
            let part = |name| ImageSet::read(&folder, name)?.examples();
            (part("train")?, part("t10k")?)
        }
        None => (digits(8000, 1)?, digits(2000, 2)?),
    };
    run(train, test, 5).map(drop)
}
