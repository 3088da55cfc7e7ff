//! The examples as modules.
#![allow(dead_code)]

#[path = "../../examples/char_gpt.rs"]
pub mod char_gpt;
#[path = "../../examples/linear_regression.rs"]
pub mod linear_regression;
#[path = "../../examples/mnist_cnn.rs"]
pub mod mnist_cnn;
#[path = "../../examples/mnist_mlp.rs"]
pub mod mnist_mlp;
#[path = "../../examples/names_lstm.rs"]
pub mod names_lstm;
#[path = "../../examples/pinn.rs"]
pub mod pinn;
#[path = "../../examples/spiral.rs"]
pub mod spiral;
#[path = "../../examples/vae.rs"]
pub mod vae;
#[path = "../../examples/xor.rs"]
pub mod xor;
