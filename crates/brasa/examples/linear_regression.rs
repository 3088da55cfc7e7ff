//! Linear regression by hand: no module, no optimizer, only gradients.
//!
//!     cargo run --release --example linear_regression
use brasa::{Result, Tensor, manual_seed, no_grad, ops};

pub fn run(steps: usize) -> Result<(f32, f32)> {
    manual_seed(0);
    let x = Tensor::randn([100, 1]);
    let y = &x * 2.0 + 1.0 + Tensor::randn([100, 1]) * 0.01;
    let w = Tensor::zeros([1, 1]).requires_grad(true);
    let b = Tensor::zeros([1]).requires_grad(true);
    for _ in 0..steps {
        let loss = ops::mse_loss(&(x.matmul(&w) + &b), &y);
        loss.backward();
        no_grad(|| {
            for p in [&w, &b] {
                if let Some(grad) = p.grad() {
                    p.sub_(grad * 0.1);
                }
                p.set_grad(None);
            }
        });
    }
    Ok((w.item()?, b.item()?))
}

fn main() -> Result<()> {
    let (w, b) = run(200)?;
    println!("y = {w:.3} x + {b:.3}; the data were made by y = 2 x + 1");
    Ok(())
}
