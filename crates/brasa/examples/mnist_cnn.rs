//! A convolutional network for MNIST, with the training loop, a schedule and checkpoints.
//!
//!     cargo run --release --example mnist_cnn -- FOLDER
//!
//! FOLDER holds the four idx files (`brasa fetch mnist` prints where it put them); without it, the
//! model learns generated digits. Interrupted by Ctrl-C, it resumes from its last checkpoint when
//! run again.
use brasa::data::{DataLoader, ImageSet, TensorDataset, digits};
use brasa::io::Checkpoints;
use brasa::nn::{Conv2d, Layer, Linear, MaxPool2d, Module};
use brasa::optim::{AdamW, schedule::Schedule};
use brasa::train::{Classification, Next, ProgressBar, Trainer};
use brasa::{DType, Forward, Result, Tensor, manual_seed, ops};
use std::path::Path;

#[derive(Module)]
struct Cnn {
    conv1: Conv2d,
    conv2: Conv2d,
    hidden: Linear,
    head: Linear,
}

impl Cnn {
    fn new() -> Cnn {
        Cnn {
            conv1: Conv2d::new(1, 16, 3).padding(1),
            conv2: Conv2d::new(16, 32, 3).padding(1),
            hidden: Linear::new(32 * 7 * 7, 128),
            head: Linear::new(128, 10),
        }
    }

    fn forward(&self, images: &Tensor) -> Tensor {
        let pool = MaxPool2d::new(2);
        let x = (images.to(DType::F32) / 255.0).unsqueeze(1);
        let x = pool.forward(&self.conv1.forward(&x).relu());
        let x = pool.forward(&self.conv2.forward(&x).relu());
        self.head.forward(&self.hidden.forward(&x.flatten(1)).relu())
    }
}

pub fn run(train: TensorDataset, test: TensorDataset, epochs: u64, out: &Path) -> Result<f64> {
    manual_seed(0);
    let model = Cnn::new();
    let loss = |x: &[Tensor]| ops::cross_entropy(&model.forward(&x[0]), &x[1]);
    let mut loader = DataLoader::new(train, 64).shuffle(0).drop_last().prefetch(2);
    let mut forward = Forward::new(|x| model.forward(&x[0]));
    let (mut bar, steps) = (ProgressBar::new(), epochs * loader.batches());

    let mut trainer = Trainer::new(&model, loss, AdamW::new(1e-3).build(model.parameters()));
    trainer
        .epochs(epochs)
        .schedule(Schedule::cosine(2e-3, 1e-4, steps))
        .checkpoints(Checkpoints::new(out), 500)
        .measure(|| {
            let mut seen = Classification::new(10);
            for batch in DataLoader::new(test.clone(), 250).epoch() {
                let batch = batch?;
                seen.add(&forward.run(&[&batch[0]])?, &batch[1])?;
            }
            Ok(seen.measures())
        })
        .on(move |event| {
            bar.show(event);
            Ok(Next::Continue)
        });
    trainer.resume(&mut loader)?;
    let outcome = trainer.fit(&mut loader)?;
    Ok(outcome.measures["accuracy"])
}

fn main() -> Result<()> {
    let (train, test) = match std::env::args().nth(1) {
        Some(folder) => {
            let part = |name| ImageSet::read(&folder, name)?.examples();
            (part("train")?, part("t10k")?)
        }
        None => (digits(8000, 1)?, digits(2000, 2)?),
    };
    let accuracy = run(train, test, 3, Path::new("runs/mnist_cnn"))?;
    println!("test accuracy {:.2} %", 100.0 * accuracy);
    Ok(())
}
