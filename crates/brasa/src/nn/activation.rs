//! Activations, dropout and flattening as layers, for `Sequential`.
use super::{Layer, Mode, Module};
use crate::{Tensor, ops};

macro_rules! activations {
    ($($name:ident = $op:ident),* $(,)?) => {$(
        #[doc = concat!("[`", stringify!($op), "`](ops::", stringify!($op), ") as a layer.")]
        #[derive(Module, Clone, Copy, Debug, Default)]
        pub struct $name;

        impl Layer for $name {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                ops::$op(x)
            }
        }
    )*};
}
activations!(
    Relu = relu,
    Relu6 = relu6,
    Gelu = gelu,
    Silu = silu,
    Mish = mish,
    Sigmoid = sigmoid,
    Tanh = tanh,
    Elu = elu,
    Selu = selu,
    Celu = celu,
    LeakyRelu = leaky_relu,
    Softplus = softplus,
    Softsign = softsign,
    Hardtanh = hardtanh,
    Hardswish = hardswish,
    Hardsigmoid = hardsigmoid,
);

/// Softmax along an axis.
#[derive(Module, Clone, Copy, Debug)]
pub struct Softmax(pub isize);

impl Layer for Softmax {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.softmax(self.0)
    }
}

/// In training, sets elements to zero at this rate and scales the others up.
#[derive(Module, Clone, Debug)]
pub struct Dropout {
    p: f64,
    mode: Mode,
}

impl Dropout {
    /// At rate `p`.
    pub fn new(p: f64) -> Dropout {
        Dropout { p, mode: Mode::default() }
    }

    /// The tensor with gaps, or as it is.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        match self.mode.is_training() && self.p > 0.0 {
            true => ops::dropout(x, self.p),
            false => x.clone(),
        }
    }
}

/// All axes but the first as one.
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Flatten;

impl Layer for Flatten {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.flatten(1)
    }
}
