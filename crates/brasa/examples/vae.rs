//! A variational autoencoder: encodes digits in a few random numbers, and generates new digits from
//! such numbers.
//!
//!     cargo run --release --example vae
use brasa::data::{DataLoader, digits};
use brasa::nn::{Linear, Module};
use brasa::{DType, Result, Tensor, compile, manual_seed, ops, optim::Adam};

const PIXELS: usize = 28 * 28;
const CODE: usize = 8;

#[derive(Module)]
struct Vae {
    encode: Linear,
    mean: Linear,
    log_var: Linear,
    decode: Linear,
    pixels: Linear,
}

impl Vae {
    fn new() -> Vae {
        Vae {
            encode: Linear::new(PIXELS, 128),
            mean: Linear::new(128, CODE),
            log_var: Linear::new(128, CODE),
            decode: Linear::new(CODE, 128),
            pixels: Linear::new(128, PIXELS),
        }
    }

    /// Pixel logits for a code.
    fn draw(&self, code: &Tensor) -> Tensor {
        self.pixels.forward(&self.decode.forward(code).relu())
    }

    /// Reconstruction loss plus KL divergence of the codes from standard normal noise, per image.
    fn loss(&self, images: &Tensor) -> Tensor {
        let x = images.to(DType::F32).reshape([-1, PIXELS as isize]) / 255.0;
        let h = self.encode.forward(&x).relu();
        let (mean, log_var) = (self.mean.forward(&h), self.log_var.forward(&h));
        let code = &mean + (&log_var * 0.5).exp() * ops::randn_like(&mean);
        let back = ops::binary_cross_entropy_with_logits(&self.draw(&code), &x) * PIXELS as f64;
        let noise = (mean.square() + log_var.exp() - &log_var - 1.0).sum(1).mean(..) * 0.5;
        back + noise
    }
}

/// Returns the losses of the first and the last epoch.
pub fn run(images: usize, epochs: usize) -> Result<(f32, f32)> {
    manual_seed(0);
    let model = Vae::new();
    let loss = |x: &[Tensor]| model.loss(&x[0]);
    let mut step = compile(&model, loss, Adam::new(2e-3).build(model.parameters()));
    let mut loader = DataLoader::new(digits(images, 1)?, 64).shuffle(0).drop_last();
    let mut losses = Vec::new();
    for epoch in 1..=epochs {
        let (mut sum, mut steps) = (0.0, 0);
        for batch in loader.epoch() {
            sum += step.run(&[&batch?[0]])?;
            steps += 1;
        }
        losses.push(sum / steps as f32);
        println!("epoch {epoch}: loss {:.2}", sum / steps as f32);
    }
    show(&model.draw(&Tensor::randn([1, CODE])).sigmoid())?;
    Ok((losses[0], losses[epochs - 1]))
}

/// Prints an image, two rows of pixels per line.
fn show(image: &Tensor) -> Result<()> {
    let pixels = image.to_vec::<f32>()?;
    for rows in pixels.chunks(2 * 28) {
        let shade = |x: usize| match (rows[x] + rows[28 + x]) / 2.0 {
            ink if ink > 0.6 => '#',
            ink if ink > 0.2 => '+',
            _ => ' ',
        };
        println!("{}", (0..28).map(shade).collect::<String>().trim_end());
    }
    Ok(())
}

fn main() -> Result<()> {
    run(8000, 10).map(drop)
}
