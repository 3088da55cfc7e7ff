//! Brasa: tensors, automatic differentiation and training, in the manner of PyTorch.
#![warn(missing_docs)]

// The derive macro names this crate as its users do.
extern crate self as brasa;

mod args;
mod autograd;
mod by_hand;
mod compiled;
mod convert;
mod device;
mod display;
mod flush;
#[rustfmt::skip]
mod generated;
mod index;
pub mod nn;
mod operators;
pub mod optim;
mod random;
mod session;
mod storage;
mod tensor;
mod view;

/// Every op as a free function: `ops::softmax(&x, -1)`. Most are methods of [`Tensor`] too.
pub mod ops {
    pub use crate::by_hand::functions::*;
    pub use crate::generated::functions::*;
    /// The optional arguments of the functions and methods that end in `_with`.
    pub mod options {
        pub use crate::generated::options::*;
    }
}

pub use args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand};
pub use autograd::{GradOptions, enable_grad, grad, grad_with, no_grad};
pub use brasa_ir::compose::{Padding, Reduction};
pub use brasa_ir::{DType, Error, ErrorKind, Number, Result, Shape};
pub use by_hand::IntoSteps;
pub use compiled::{Captures, Forward, TrainStep, capture, compile};
pub use convert::{Element, Nested};
pub use device::{Device, compiled_programs};
pub use flush::{flush, set_memory_budget};
pub use index::{At, IntoIndex, step};
pub use random::{RngState, manual_seed, rng_state, set_rng_state};
pub use session::catch;
pub use tensor::Tensor;
