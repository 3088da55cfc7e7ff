//! Activations and dropout as layers, for `Sequential`.
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
    Hardshrink = hardshrink,
    Softshrink = softshrink,
    Tanhshrink = tanhshrink,
    LogSigmoid = logsigmoid,
);

/// Returns its input.
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Identity;

impl Layer for Identity {
    fn forward(&self, x: &Tensor) -> Tensor {
        x.clone()
    }
}

/// [`gelu`](ops::gelu) with the `tanh` approximation, as a layer.
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct GeluTanh;

impl Layer for GeluTanh {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        ops::gelu_with(x, |o| o.approximate(GeluForm::Tanh))
    }
}

/// [`leaky_relu`](ops::leaky_relu) as a layer: negative elements are scaled by this slope;
/// PyTorch's default is 0.01.
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

/// [`prelu`](ops::prelu) as a layer: negative elements are scaled by learned slopes.
#[derive(Module, Clone, Debug)]
pub struct Prelu {
    /// `[1]`, or one slope for each channel.
    pub weight: Param,
}

impl Prelu {
    /// With one slope for all elements (1), or one for each of this many channels.
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

macro_rules! along_an_axis {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Module, Clone, Copy, Debug)]
        pub struct $name(pub isize);

        impl Layer for $name {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                ops::$op(x, self.0)
            }
        }
    )*};
}
along_an_axis! {
    /// Softmax along an axis.
    Softmax = softmax;
    /// The logarithm of softmax along an axis.
    LogSoftmax = log_softmax;
    /// Gated linear unit: one half of an axis, times the sigmoid of the other.
    Glu = glu;
}

macro_rules! dropouts {
    ($($(#[$doc:meta])* $name:ident = $op:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            p: f64,
            mode: Mode,
        }

        impl $name {
            /// Dropout with probability `p`.
            pub fn new(p: f64) -> $name {
                $name { p, mode: Mode::default() }
            }

            /// Drops elements in training; returns the input unchanged otherwise.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Tensor {
                let drop: fn(&Tensor, f64) -> Tensor = $op;
                match self.p > 0.0 && self.mode.is_training() {
                    true => drop(x, self.p),
                    false => x.clone(),
                }
            }
        }
    )*};
}
dropouts! {
    /// In training, sets elements to zero with this probability and scales the others up.
    Dropout = ops::dropout;
    /// In training, sets whole channels of sequences to zero.
    Dropout1d = ops::dropout1d;
    /// In training, sets whole channels of images to zero.
    Dropout2d = ops::feature_dropout;
    /// In training, sets whole channels of volumes to zero.
    Dropout3d = ops::dropout3d;
    /// In training, drops elements such that mean and variance are preserved, for use after
    /// [`Selu`].
    AlphaDropout = |x, p| ops::alpha_dropout_with(x, p, |o| o.training(true));
}

impl Dropout {
    /// The current dropout probability: zero outside of training.
    pub(super) fn rate(&self) -> f64 {
        if self.mode.is_training() { self.p } else { 0.0 }
    }
}
