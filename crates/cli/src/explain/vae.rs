//! A variational autoencoder: an example step with random numbers and a two-part loss.
use brasa::nn::{Linear, Module};
use brasa::{DType, Recording, Result, Tensor, compile, ops, optim::Adam};

const PIXELS: usize = 28 * 28;
const HIDDEN: usize = 128;
const CODE: usize = 8;

#[derive(Module)]
struct Vae {
    encode: Linear,
    mean: Linear,
    log_var: Linear,
    decode: Linear,
    pixels: Linear,
}

/// A training step with this batch size.
pub fn recording(batch: usize) -> Result<Recording> {
    let model = Vae {
        encode: Linear::new(PIXELS, HIDDEN),
        mean: Linear::new(HIDDEN, CODE),
        log_var: Linear::new(HIDDEN, CODE),
        decode: Linear::new(CODE, HIDDEN),
        pixels: Linear::new(HIDDEN, PIXELS),
    };
    let optimizer = Adam::new(2e-3).build(model.parameters());
    let mut step = compile(&model, |images| model.loss(&images[0]), optimizer);
    let images = brasa::catch(|| Tensor::zeros([batch, 28, 28]).to(DType::U8))?;
    step.recording(&[&images])
}

impl Vae {
    fn loss(&self, images: &Tensor) -> Tensor {
        let x = images.to(DType::F32).flatten(1) / 255.0;
        let h = self.encode.forward(&x).relu();
        let (mean, log_var) = (self.mean.forward(&h), self.log_var.forward(&h));
        let code = &mean + (&log_var * 0.5).exp() * ops::randn_like(&mean);
        let logits = self.pixels.forward(&self.decode.forward(&code).relu());
        let reconstruction = ops::binary_cross_entropy_with_logits(&logits, &x) * PIXELS as f64;
        let kl = (mean.square() + log_var.exp() - &log_var - 1.0).sum(1).mean(..) * 0.5;
        reconstruction + kl
    }
}
