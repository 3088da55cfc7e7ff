//! The overhead of training steps of a tiny model, recorded each time and compiled. Prints
//! microseconds per step, the best of several rounds.
use brasa::nn::{Linear, Module};
use brasa::optim::{Adam, Sgd};
use brasa::{Tensor, compile, ops};
use std::time::Instant;

#[derive(Module)]
struct Mlp {
    layers: [Linear; 3],
}

impl Mlp {
    fn new() -> Mlp {
        Mlp { layers: [Linear::new(2, 16), Linear::new(16, 16), Linear::new(16, 1)] }
    }

    fn forward(&self, x: &Tensor) -> Tensor {
        let h = self.layers[0].forward(x).tanh();
        let h = self.layers[1].forward(&h).tanh();
        self.layers[2].forward(&h)
    }
}

fn best(name: &str, mut step: impl FnMut()) {
    for _ in 0..200 {
        step();
    }
    let round = || {
        let start = Instant::now();
        for _ in 0..500 {
            step();
        }
        start.elapsed().as_secs_f64() * 1e6 / 500.0
    };
    let least = std::iter::repeat_with(round).take(10).fold(f64::INFINITY, f64::min);
    println!("{name:<24} {least:8.2} us");
}

fn main() {
    let (x, y) = (Tensor::randn([64, 2]), Tensor::randn([64, 1]));
    let model = Mlp::new();
    best("record and backward", || {
        let loss = ops::mse_loss(&model.forward(&x), &y);
        model.zero_grad();
        loss.backward();
        model.zero_grad();
        drop(loss);
        brasa::flush();
    });
    let mut sgd = Sgd::new(1e-3).build(model.parameters());
    best("eager, sgd", || {
        let loss = ops::mse_loss(&model.forward(&x), &y);
        sgd.zero_grad();
        loss.backward();
        sgd.step().expect("a step");
    });
    let mut adam = Adam::new(1e-3).build(model.parameters());
    best("eager, adam", || {
        let loss = ops::mse_loss(&model.forward(&x), &y);
        adam.zero_grad();
        loss.backward();
        adam.step().expect("a step");
    });
    let loss = |x: &[Tensor]| ops::mse_loss(&model.forward(&x[0]), &x[1]);
    let mut step = compile(&model, loss, Sgd::new(1e-3).build(model.parameters()));
    best("compiled, sgd", || _ = step.run(&[&x, &y]).expect("a step"));
    let mut step = compile(&model, loss, Adam::new(1e-3).build(model.parameters()));
    best("compiled, adam", || _ = step.run(&[&x, &y]).expect("a step"));
}
