//! Norms.
use super::{Buffer, Init, Mode, Module, Param};
use crate::{IntoList, Tensor, no_grad, ops};

/// Mean zero and variance one over the last axes, then a scale and a shift.
#[derive(Module, Clone, Debug)]
pub struct LayerNorm {
    /// The scale.
    pub weight: Param,
    /// The shift.
    pub bias: Option<Param>,
    eps: f64,
}

impl LayerNorm {
    /// Over last axes of this shape.
    #[track_caller]
    pub fn new(shape: impl IntoList<usize>) -> LayerNorm {
        let shape = shape.into_list();
        let (weight, bias) = (Param::init(&shape, Init::Ones), Param::init(&shape, Init::Zeros));
        LayerNorm { weight, bias: Some(bias), eps: 1e-5 }
    }

    /// The same layer without a shift.
    pub fn without_bias(self) -> LayerNorm {
        LayerNorm { bias: None, ..self }
    }

    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let with = |o: ops::options::LayerNormOptions| {
            o.weight(&*self.weight).bias(self.bias.as_deref()).eps(self.eps)
        };
        ops::layer_norm_with(x, self.weight.shape(), with)
    }
}

/// Mean square one over the last axes, then a scale.
#[derive(Module, Clone, Debug)]
pub struct RmsNorm {
    /// The scale.
    pub weight: Param,
    eps: f64,
}

impl RmsNorm {
    /// Over last axes of this shape.
    #[track_caller]
    pub fn new(shape: impl IntoList<usize>) -> RmsNorm {
        RmsNorm { weight: Param::init(shape, Init::Ones), eps: 1e-6 }
    }

    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        ops::rms_norm_with(x, self.weight.shape(), |o| o.weight(&*self.weight).eps(self.eps))
    }
}

macro_rules! batch_norm {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            /// The scale.
            pub weight: Param,
            /// The shift.
            pub bias: Param,
            /// The mean used outside of training.
            pub running_mean: Buffer,
            /// The variance used outside of training.
            pub running_var: Buffer,
            mode: Mode,
            momentum: f64,
            eps: f64,
        }

        impl $name {
            /// Of this many channels.
            #[track_caller]
            pub fn new(channels: usize) -> $name {
                $name {
                    weight: Param::init(channels, Init::Ones),
                    bias: Param::init(channels, Init::Zeros),
                    running_mean: Buffer::new(Tensor::zeros(channels)),
                    running_var: Buffer::new(Tensor::ones(channels)),
                    mode: Mode::default(),
                    momentum: 0.1,
                    eps: 1e-5,
                }
            }

            /// The normed tensor; in training, the running statistics move on.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Tensor {
                let (mean, var): (&Tensor, &Tensor) = (&self.running_mean, &self.running_var);
                let training = self.mode.is_training();
                let y = ops::batch_norm_with(x, |o| {
                    o.running_mean(mean)
                        .running_var(var)
                        .weight(&*self.weight)
                        .bias(&*self.bias)
                        .training(training)
                        .momentum(self.momentum)
                        .eps(self.eps)
                });
                if training {
                    no_grad(|| {
                        let (new_mean, new_var) =
                            ops::batch_norm_stats_with(x, mean, var, |o| o.momentum(self.momentum));
                        mean.copy_(new_mean);
                        var.copy_(new_var);
                    });
                }
                y
            }
        }
    };
}
batch_norm!(
    /// Mean zero and variance one of each channel over a batch `[batch, channels]` or
    /// `[batch, channels, length]`, then a scale and a shift.
    BatchNorm1d
);
batch_norm!(
    /// Mean zero and variance one of each channel over a batch of images, then a scale and a shift.
    BatchNorm2d
);

/// Mean zero and variance one of groups of channels of each example, then a scale and a shift.
#[derive(Module, Clone, Debug)]
pub struct GroupNorm {
    /// The scale.
    pub weight: Param,
    /// The shift.
    pub bias: Param,
    groups: usize,
    eps: f64,
}

impl GroupNorm {
    /// Of `channels` channels in `groups` groups.
    #[track_caller]
    pub fn new(groups: usize, channels: usize) -> GroupNorm {
        let (weight, bias) =
            (Param::init(channels, Init::Ones), Param::init(channels, Init::Zeros));
        GroupNorm { weight, bias, groups, eps: 1e-5 }
    }

    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias): (&Tensor, &Tensor) = (&self.weight, &self.bias);
        ops::group_norm_with(x, self.groups, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}

/// Mean zero and variance one of each channel of each example.
#[derive(Module, Clone, Debug)]
pub struct InstanceNorm {
    eps: f64,
}

impl Default for InstanceNorm {
    fn default() -> InstanceNorm {
        InstanceNorm { eps: 1e-5 }
    }
}

impl InstanceNorm {
    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        ops::instance_norm_with(x, |o| o.eps(self.eps))
    }
}
