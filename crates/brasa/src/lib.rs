//! Tensors, automatic differentiation and training, in the manner of PyTorch.
//!
//! ```
//! use brasa::nn::{Linear, Module};
//! use brasa::{Tensor, manual_seed, ops, optim::Adam};
//!
//! #[derive(Module)]
//! struct Mlp {
//!     hidden: Linear,
//!     head: Linear,
//! }
//!
//! impl Mlp {
//!     fn forward(&self, x: &Tensor) -> Tensor {
//!         self.head.forward(&self.hidden.forward(x).tanh())
//!     }
//! }
//!
//! fn main() -> brasa::Result<()> {
//!     manual_seed(0);
//!     let x = Tensor::new([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
//!     let y = Tensor::new([[0.0], [1.0], [1.0], [0.0]]);
//!     let model = Mlp { hidden: Linear::new(2, 16), head: Linear::new(16, 1) };
//!     let mut optimizer = Adam::new(0.05).build(model.parameters());
//!     for step in 0..200 {
//!         let loss = ops::mse_loss(&model.forward(&x), &y);
//!         optimizer.zero_grad();
//!         loss.backward();
//!         optimizer.step()?;
//!         if step % 50 == 0 {
//!             println!("step {step}: loss {:.4}", loss.item::<f32>()?);
//!         }
//!     }
//!     let wrong = (model.forward(&x) - &y).abs().max().item::<f32>()?;
//!     assert!(wrong < 0.2);
//!     Ok(())
//! }
//! ```
//!
//! # How it differs from PyTorch
//!
//! - **Ops are recorded**, and computed together when a value is read, at `optimizer.step()`, at
//!   [`flush`], or when very many ops are pending. A value to which no handle is left is not
//!   computed. A loop that records the same ops again reuses its compiled program; the numbers may
//!   differ. [`compile`] skips the recording too.
//! - **Mistakes** such as mismatched shapes are reported at once: the call panics with op, operands
//!   and your line. Inside [`catch`] it returns the error instead, for shapes that come from
//!   outside. Reading (`item`, `to_vec`) and `step` return a `Result`, since bad data are found
//!   only there.
//! - **Optional arguments** are set by name: `x.sum(1)`, `x.sum_keepdim(1)`,
//!   `x.conv2d_with(&w, |o| o.bias(&b).padding(1))`. `..` means all axes: `x.mean(..)`.
//! - **In-place updates** (`add_`, [`Tensor::set`], …) are visible in all views of a tensor. Values
//!   that `backward` needs are never overwritten, so no update has to be refused.
//! - `backward()` on a tensor of several elements differentiates their sum, and
//!   [`Tensor::retain_grad`] keeps the gradient of any tensor.
//! - Reading a loss **before** `backward()` runs the forward pass twice; read it afterwards.
//! - [`Tensor`]s can be sent to other threads. Each thread has its own recording, for one device:
//!   with the feature `gpu`, `set_default_device(Device::gpu()?)` selects the GPU.
//! - With the feature `ndarray`, arrays of that crate become tensors by `Tensor::from(&array)`, and
//!   back by `x.to_ndarray()`.
#![warn(missing_docs)]

// `#[derive(Module)]` refers to this crate as `brasa`.
extern crate self as brasa;

mod args;
mod autograd;
mod backend;
mod compiled;
mod convert;
#[cfg(feature = "files")]
pub mod data;
mod display;
pub mod dynamic;
mod flush;
mod overloads;
#[rustfmt::skip]
mod generated;
mod index;
#[cfg(feature = "files")]
pub mod io;
#[cfg(feature = "ndarray")]
mod nd;
pub mod nn;
mod operators;
pub mod optim;
mod random;
mod session;
mod storage;
mod tensor;
mod to;
mod trace;
#[cfg(feature = "train")]
pub mod train;
mod view;

/// Every op as a free function: `ops::softmax(&x, -1)`. Most are methods of [`Tensor`] too.
pub mod ops {
    pub use crate::generated::functions::*;
    pub use crate::overloads::functions::*;
    /// The optional arguments of the functions and methods that end in `_with`.
    pub mod options {
        pub use crate::generated::options::*;
    }
}

pub use args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand};
pub use autograd::{
    GradOptions, enable_grad, grad, grad_with, is_grad_enabled, no_grad, set_grad_enabled,
    with_gradient,
};
#[cfg(any(feature = "remote", feature = "engine"))]
pub use backend::remote;
#[cfg(feature = "check")]
pub use backend::set_checked;
#[cfg(all(feature = "cpu", not(target_family = "wasm")))]
pub use backend::set_num_threads;
pub use backend::{Device, default_device, set_default_device};
#[cfg(feature = "cpu")]
pub use backend::{compiled_programs, num_threads};
pub use brasa_ir::compose::{Padding, Reduction};
pub use brasa_ir::{DType, Error, ErrorKind, Number, Result, Shape, Type};
pub use compiled::{Captures, Forward, TrainStep, capture, compile};
pub use convert::{Element, Nested};
pub use flush::{flush, set_memory_budget};
pub use index::{At, IntoIndex, step};
pub use overloads::IntoSteps;
pub use random::{RngState, manual_seed, rng_state, set_rng_state};
pub use session::{catch, rejected};
pub use tensor::Tensor;
pub use to::Target;
pub use trace::Recording;

/// Runs the examples of README.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the examples of docs/rust.md as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct Tour;
