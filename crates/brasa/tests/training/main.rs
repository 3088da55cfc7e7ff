//! Training: loops learn, programs are compiled once and only when something is read, memory use is
//! bounded. This file has the shared helpers.
mod compiled;
mod optimizers;
mod reads;

use brasa::nn::{Linear, Module, Sequential, Tanh};
use brasa::optim::{Adam, AdamW, Optimizer, Sgd};
use brasa::{Tensor, compiled_programs, manual_seed, ops};
use std::sync::Mutex;

/// The random generator and the program count are process-wide, so only one test runs at a time.
static SERIAL: Mutex<()> = Mutex::new(());

fn serial() -> std::sync::MutexGuard<'static, ()> {
    SERIAL.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn floats(x: &Tensor) -> Vec<f32> {
    x.to_vec::<f32>().expect("a value")
}

fn mlp() -> Sequential {
    Sequential::new().add(Linear::new(2, 16)).add(Tanh).add(Linear::new(16, 1))
}

fn xor() -> (Tensor, Tensor) {
    let x = Tensor::new([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    (x, Tensor::new([[0.0], [1.0], [1.0], [0.0]]))
}

fn eager(model: &Sequential, optimizer: &mut Optimizer, x: &Tensor, y: &Tensor) -> Tensor {
    let loss = ops::mse_loss(&model.forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step().expect("a step");
    loss
}

#[test]
fn xor_is_learned() {
    let _serial = serial();
    manual_seed(1);
    let (model, (x, y)) = (mlp(), xor());
    let mut optimizer = Adam::new(0.05).build(model.parameters());
    for _ in 0..300 {
        eager(&model, &mut optimizer, &x, &y);
    }
    let guess = floats(&model.forward(&x));
    for (got, want) in guess.iter().zip([0.0, 1.0, 1.0, 0.0]) {
        assert!((got - want).abs() < 0.1, "{guess:?}");
    }
}

#[test]
fn a_loop_compiles_once() {
    let _serial = serial();
    let (model, (x, y)) = (mlp(), xor());
    let mut optimizer = AdamW::new(0.01).build(model.parameters());
    for _ in 0..3 {
        eager(&model, &mut optimizer, &x, &y);
    }
    let before = compiled_programs();
    for step in 0..50 {
        optimizer.set_lr(0.01 / (step + 1) as f64);
        eager(&model, &mut optimizer, &x, &y);
    }
    assert_eq!(compiled_programs(), before);
}

#[test]
fn memory_stays_bounded() {
    let _serial = serial();
    let (model, (x, y)) = (mlp(), xor());
    let mut optimizer = Sgd::new(0.05).build(model.parameters());
    let mut last = Tensor::new(0.0);
    let resident = || {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        status.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
    };
    let mut after_warm_up = 0;
    for step in 0..20_000 {
        last = eager(&model, &mut optimizer, &x, &y);
        if step == 1000 {
            after_warm_up = resident();
        }
    }
    assert!(last.item::<f32>().unwrap().is_finite());
    let grown = resident().saturating_sub(after_warm_up);
    assert!(grown < 16 << 20, "{grown} bytes more after 19,000 steps");
}

#[test]
fn tensors_beyond_the_memory_budget_lose_their_value() {
    let _serial = serial();
    brasa::set_memory_budget(100);
    let old = Tensor::ones([20]) * 2.0;
    let new = Tensor::ones([20]) * 3.0;
    brasa::flush();
    brasa::set_memory_budget(1 << 30);
    assert_eq!(floats(&new), [3.0; 20]);
    let error = old.to_vec::<f32>().unwrap_err();
    assert_eq!(error.kind(), brasa::ErrorKind::Stale);
    assert!(error.to_string().contains("set_memory_budget"), "{error}");
}

#[test]
fn nothing_is_computed_before_it_is_read() {
    let _serial = serial();
    let x = Tensor::new([1.0, 2.0]);
    let y = Tensor::new([3.0, 5.0]);
    let before = compiled_programs();
    let dropped = (&x * &y).exp();
    let z = 2.0 * &x + (1.0 - &y) / 4.0 - -&x;
    drop(dropped);
    assert_eq!(compiled_programs(), before);
    assert_eq!(floats(&z), [2.5, 5.0]);
    assert_eq!(compiled_programs(), before + 1);
    // A second read computes nothing.
    assert_eq!(floats(&z), [2.5, 5.0]);
    assert_eq!(compiled_programs(), before + 1);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let _serial = serial();
    manual_seed(12);
    let x = Tensor::randn([257, 129]);
    let value = || floats(&x.matmul(&x.transpose(0, 1)).softmax(-1).sum(0));
    let before = brasa::num_threads();
    let results: Vec<Vec<f32>> = [1, 3, 2]
        .map(|threads| {
            brasa::set_num_threads(threads);
            assert_eq!(brasa::num_threads(), threads);
            value()
        })
        .into();
    assert!(results.iter().all(|bits| *bits == results[0]));
    brasa::set_num_threads(0);
    assert_eq!(brasa::num_threads(), 1);
    brasa::set_num_threads(before);
}
