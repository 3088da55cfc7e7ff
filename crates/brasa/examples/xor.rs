//! XOR: the smallest problem that a single layer cannot learn.
//!
//!     cargo run --release --example xor
use brasa::nn::{Linear, Module, Sequential, Tanh};
use brasa::{Result, Tensor, manual_seed, ops, optim::Adam};

pub fn run(steps: usize) -> Result<f32> {
    manual_seed(0);
    let x = Tensor::new([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    let y = Tensor::new([[0.0], [1.0], [1.0], [0.0]]);
    let model = Sequential::new().add(Linear::new(2, 16)).add(Tanh).add(Linear::new(16, 1));
    let mut optimizer = Adam::new(0.05).build(model.parameters());
    for step in 0..steps {
        let loss = ops::mse_loss(&model.forward(&x), &y);
        optimizer.zero_grad();
        loss.backward();
        optimizer.step()?;
        if step % 50 == 0 {
            println!("step {step}: loss {:.5}", loss.item::<f32>()?);
        }
    }
    let guess = model.forward(&x);
    println!("{guess}");
    (guess - y).abs().max().item()
}

fn main() -> Result<()> {
    println!("largest error {:.4}", run(300)?);
    Ok(())
}
