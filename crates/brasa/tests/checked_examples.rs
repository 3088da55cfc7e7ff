//! Runs every example for a few steps in the checked mode. A separate file, since the mode is
//! process-wide.
#[path = "common/examples.rs"]
mod examples;

use brasa::data::{digits, tale};
use brasa::set_checked;
use examples::*;
use std::path::Path;

#[test]
fn examples_pass_the_checked_mode() {
    set_checked(true);
    xor::run(3).expect("xor");
    linear_regression::run(3).expect("linear regression");
    spiral::run(1).expect("spiral");
    mnist_mlp::run(digits(128, 1).unwrap(), digits(100, 2).unwrap(), 1).expect("mlp");
    vae::run(64, 1).expect("vae");
    names_lstm::run(2).expect("lstm");
    char_gpt::run(&tale(2000, 1), 32, 2).expect("gpt");
    pinn::run(2).expect("pinn");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checked_cnn");
    let _ = std::fs::remove_dir_all(&out);
    mnist_cnn::run(digits(64, 1).unwrap(), digits(50, 2).unwrap(), 1, &out).expect("cnn");
}
