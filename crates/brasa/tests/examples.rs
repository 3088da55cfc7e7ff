//! Runs short versions of the examples and checks that they learn.
#[path = "common/examples.rs"]
mod examples;

use brasa::data::{digits, tale};
use examples::*;
use std::path::Path;

/// In one test, since the random generator is shared by all threads.
#[test]
fn examples_learn() {
    let error = xor::run(300).unwrap();
    assert!(error < 0.1, "xor: {error}");
    let (w, b) = linear_regression::run(200).unwrap();
    assert!((w - 2.0).abs() < 0.01 && (b - 1.0).abs() < 0.01, "{w} {b}");
    let accuracy = spiral::run(12).unwrap();
    assert!(accuracy > 0.95, "spiral: {accuracy}");
    let accuracy = mnist_mlp::run(digits(2000, 1).unwrap(), digits(500, 2).unwrap(), 3).unwrap();
    assert!(accuracy > 0.8, "mlp: {accuracy}");
    let (first, last) = vae::run(640, 4).unwrap();
    assert!(last < 0.8 * first, "vae: {first} {last}");
    let (loss, names) = names_lstm::run(400).unwrap();
    assert!(loss < 2.4 && names.iter().any(|name| name.len() > 2), "{loss} {names:?}");
    let (first, last, text) = char_gpt::run(&tale(20_000, 1), 32, 60).unwrap();
    assert!(last < 0.75 * first && text.chars().count() > 200, "gpt: {first} {last} {text}");
    let error = pinn::run(300).unwrap();
    assert!(error < 0.2, "pinn: {error}");
}

#[test]
fn the_cnn_example_resumes_from_its_checkpoint() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mnist_cnn");
    let _ = std::fs::remove_dir_all(&out);
    let train = |epochs| {
        mnist_cnn::run(digits(640, 1).unwrap(), digits(250, 2).unwrap(), epochs, &out).unwrap()
    };
    let first = train(1);
    let second = train(3);
    assert!(second > 0.4 && second > first, "{first} {second}");
}
