//! A network that solves a differential equation: u'' = −u with u(0) = 0 and u'(0) = 1, that is,
//! the sine. The loss contains a second derivative, which training differentiates once more.
//!
//!     cargo run --release --example pinn
use brasa::nn::{Linear, Module, Sequential, Tanh};
use brasa::{Result, Tensor, grad_with, manual_seed, ops, optim::Adam};

/// The derivative of each element of `y` with respect to the same row of `x`, differentiable
/// itself.
fn derivative(y: &Tensor, x: &Tensor) -> Tensor {
    let slope = grad_with(&[y], &[x], |o| o.create_graph(true)).swap_remove(0);
    slope.unwrap_or_else(|| ops::zeros_like(x))
}

/// Returns the largest error on [0, 3].
pub fn run(steps: usize) -> Result<f32> {
    manual_seed(0);
    let model = Sequential::new()
        .add(Linear::new(1, 24))
        .add(Tanh)
        .add(Linear::new(24, 24))
        .add(Tanh)
        .add(Linear::new(24, 1));
    let x = ops::linspace(0.0, 3.0, 32).reshape([32, 1]).requires_grad(true);
    let mut optimizer = Adam::new(0.01).build(model.parameters());
    for step in 0..steps {
        let u = model.forward(&x);
        let du = derivative(&u, &x);
        let equation = (derivative(&du, &x) + &u).square().mean(..);
        let start = u.i(0).square().sum(..) + (du.i(0) - 1.0).square().sum(..);
        let loss = equation + start;
        optimizer.zero_grad();
        loss.backward();
        optimizer.step()?;
        if step % 100 == 0 {
            println!("step {step}: loss {:.6}", loss.item::<f32>()?);
        }
    }
    (model.forward(&x) - x.sin()).abs().max().item()
}

fn main() -> Result<()> {
    println!("largest error {:.5}", run(1500)?);
    Ok(())
}
