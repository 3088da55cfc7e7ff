//! Activations, dropout and flattening as layers, for `Sequential`.
use super::{Init, Layer, Mode, Module, Param};
use crate::{Tensor, ops};
use brasa_ir::compose::GeluForm;

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
    Softplus = softplus,
    Softsign = softsign,
    Hardtanh = hardtanh,
    Hardswish = hardswish,
    Hardsigmoid = hardsigmoid,
);

/// [`gelu`](ops::gelu) by the approximation with `tanh`, as a layer.
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct GeluTanh;

impl Layer for GeluTanh {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        ops::gelu_with(x, |o| o.approximate(GeluForm::Tanh))
    }
}

/// [`leaky_relu`](ops::leaky_relu) as a layer: what is negative is scaled by this slope; PyTorch's is
/// 0.01.
#[derive(Module, Clone, Copy, Debug)]
pub struct LeakyRelu(pub f64);

impl Default for LeakyRelu {
    fn default() -> LeakyRelu {
        LeakyRelu(0.01)
    }
}

impl Layer for LeakyRelu {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        ops::leaky_relu_with(x, |o| o.negative_slope(self.0))
    }
}

/// [`prelu`](ops::prelu) as a layer: what is negative is scaled by slopes that are learnt.
#[derive(Module, Clone, Debug)]
pub struct Prelu {
    /// `[1]`, or one for each channel.
    pub weight: Param,
}

impl Prelu {
    /// Of one slope for all, or for each of so many channels.
    #[track_caller]
    pub fn new(slopes: usize) -> Prelu {
        Prelu { weight: Param::init(slopes, Init::Constant(0.25)) }
    }
}

impl Layer for Prelu {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        ops::prelu(x, &self.weight)
    }
}

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

    /// The rate as it is now: none outside of training.
    pub(super) fn rate(&self) -> f64 {
        if self.p > 0.0 && self.mode.is_training() { self.p } else { 0.0 }
    }

    /// The tensor with gaps, or as it is.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        match self.rate() {
            p if p > 0.0 => ops::dropout(x, p),
            _ => x.clone(),
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
