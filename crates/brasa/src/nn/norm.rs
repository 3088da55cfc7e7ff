//! Normalization layers with PyTorch's settings and defaults.
use super::{Buffer, Init, Mode, Module, Param};
use crate::{IntoList, Tensor, no_grad, ops};

/// A scale of ones and a shift of zeros.
#[track_caller]
fn affine(shape: &[usize]) -> (Option<Param>, Option<Param>) {
    (Some(Param::init(shape, Init::Ones)), Some(Param::init(shape, Init::Zeros)))
}

/// Normalizes the last axes to mean zero and variance one, then applies a scale and a shift.
#[derive(Module, Clone, Debug)]
pub struct LayerNorm {
    /// The scale.
    pub weight: Option<Param>,
    /// The shift.
    pub bias: Option<Param>,
    #[module(skip)]
    shape: Vec<usize>,
    eps: f64,
}

impl LayerNorm {
    /// Over trailing axes of this shape.
    #[track_caller]
    pub fn new(shape: impl IntoList<usize>) -> LayerNorm {
        let shape = shape.into_list();
        let (weight, bias) = affine(&shape);
        LayerNorm { weight, bias, shape, eps: 1e-5 }
    }

    /// Sets the number added to the variance; 1e-5 by default.
    pub fn eps(self, eps: f64) -> LayerNorm {
        LayerNorm { eps, ..self }
    }

    /// The same layer without a shift.
    pub fn without_bias(self) -> LayerNorm {
        LayerNorm { bias: None, ..self }
    }

    /// The same layer without scale and shift.
    pub fn without_affine(self) -> LayerNorm {
        LayerNorm { weight: None, bias: None, ..self }
    }

    /// The normalized tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias) = (self.weight.as_deref(), self.bias.as_deref());
        ops::layer_norm_with(x, &self.shape, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}

/// Normalizes the last axes to mean square one, then applies a scale.
#[derive(Module, Clone, Debug)]
pub struct RmsNorm {
    /// The scale.
    pub weight: Option<Param>,
    #[module(skip)]
    shape: Vec<usize>,
    #[module(skip)]
    eps: Option<f64>,
}

impl RmsNorm {
    /// Over trailing axes of this shape.
    #[track_caller]
    pub fn new(shape: impl IntoList<usize>) -> RmsNorm {
        let shape = shape.into_list();
        RmsNorm { weight: Some(Param::init(&shape, Init::Ones)), shape, eps: None }
    }

    /// Sets the number added to the mean square; the dtype's epsilon by default, 1.2e-7 for `f32`.
    pub fn eps(self, eps: f64) -> RmsNorm {
        RmsNorm { eps: Some(eps), ..self }
    }

    /// The same layer without a scale.
    pub fn without_affine(self) -> RmsNorm {
        RmsNorm { weight: None, ..self }
    }

    /// The normalized tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        ops::rms_norm_with(x, &self.shape, |o| o.weight(self.weight.as_deref()).eps(self.eps))
    }
}

macro_rules! batch_norm {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            /// The scale.
            pub weight: Option<Param>,
            /// The shift.
            pub bias: Option<Param>,
            /// The mean used outside of training.
            pub running_mean: Buffer,
            /// The variance used outside of training.
            pub running_var: Buffer,
            /// Number of batches seen in training.
            pub num_batches_tracked: Buffer,
            mode: Mode,
            momentum: f64,
            eps: f64,
        }

        impl $name {
            /// With this many channels.
            #[track_caller]
            pub fn new(channels: usize) -> $name {
                let (weight, bias) = affine(&[channels]);
                $name {
                    weight,
                    bias,
                    running_mean: Buffer::new(Tensor::zeros(channels)),
                    running_var: Buffer::new(Tensor::ones(channels)),
                    num_batches_tracked: Buffer::new(Tensor::new(0)),
                    mode: Mode::default(),
                    momentum: 0.1,
                    eps: 1e-5,
                }
            }

            /// Sets the number added to the variance; 1e-5 by default.
            pub fn eps(self, eps: f64) -> $name {
                $name { eps, ..self }
            }

            /// Sets the weight of a batch in the running statistics; 0.1 by default.
            pub fn momentum(self, momentum: f64) -> $name {
                $name { momentum, ..self }
            }

            /// The same layer without scale and shift.
            pub fn without_affine(self) -> $name {
                $name { weight: None, bias: None, ..self }
            }

            /// The normalized tensor. In training, also updates the running statistics.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Tensor {
                let (mean, var): (&Tensor, &Tensor) = (&self.running_mean, &self.running_var);
                let training = self.mode.is_training();
                let y = ops::batch_norm_with(x, |o| {
                    o.running_mean(mean)
                        .running_var(var)
                        .weight(self.weight.as_deref())
                        .bias(self.bias.as_deref())
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
                        self.num_batches_tracked.add_(1);
                    });
                }
                y
            }
        }
    };
}
batch_norm!(
    /// Normalizes each channel over a batch `[batch, channels]` or `[batch, channels, length]` to
    /// mean zero and variance one, then applies a scale and a shift.
    BatchNorm1d
);
batch_norm!(
    /// Normalizes each channel over a batch of images to mean zero and variance one, then applies a
    /// scale and a shift.
    BatchNorm2d
);
batch_norm!(
    /// Normalizes each channel over a batch of volumes to mean zero and variance one, then applies
    /// a scale and a shift.
    BatchNorm3d
);

/// Normalizes groups of channels of each example to mean zero and variance one, then applies a
/// scale and a shift.
#[derive(Module, Clone, Debug)]
pub struct GroupNorm {
    /// The scale.
    pub weight: Option<Param>,
    /// The shift.
    pub bias: Option<Param>,
    groups: usize,
    eps: f64,
}

impl GroupNorm {
    /// With `channels` channels in `groups` groups.
    #[track_caller]
    pub fn new(groups: usize, channels: usize) -> GroupNorm {
        let (weight, bias) = affine(&[channels]);
        GroupNorm { weight, bias, groups, eps: 1e-5 }
    }

    /// Sets the number added to the variance; 1e-5 by default.
    pub fn eps(self, eps: f64) -> GroupNorm {
        GroupNorm { eps, ..self }
    }

    /// The same layer without scale and shift.
    pub fn without_affine(self) -> GroupNorm {
        GroupNorm { weight: None, bias: None, ..self }
    }

    /// The normalized tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias) = (self.weight.as_deref(), self.bias.as_deref());
        ops::group_norm_with(x, self.groups, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}

/// Normalizes each channel of each example to mean zero and variance one, then optionally applies a
/// scale and a shift.
#[derive(Module, Clone, Debug)]
pub struct InstanceNorm {
    /// The scale.
    pub weight: Option<Param>,
    /// The shift.
    pub bias: Option<Param>,
    eps: f64,
}

impl Default for InstanceNorm {
    fn default() -> InstanceNorm {
        InstanceNorm { weight: None, bias: None, eps: 1e-5 }
    }
}

impl InstanceNorm {
    /// With a scale and a shift for each of this many channels; [`InstanceNorm::default`] has none.
    #[track_caller]
    pub fn affine(channels: usize) -> InstanceNorm {
        let (weight, bias) = affine(&[channels]);
        InstanceNorm { weight, bias, ..InstanceNorm::default() }
    }

    /// Sets the number added to the variance; 1e-5 by default.
    pub fn eps(self, eps: f64) -> InstanceNorm {
        InstanceNorm { eps, ..self }
    }

    /// The normalized tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias) = (self.weight.as_deref(), self.bias.as_deref());
        ops::instance_norm_with(x, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}
