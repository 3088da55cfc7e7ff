//! Norms. Settings and their defaults are PyTorch's.
use super::{Buffer, Init, Mode, Module, Param};
use crate::{IntoList, Tensor, no_grad, ops};

/// A scale of ones and a shift of zeros.
#[track_caller]
fn affine(shape: &[usize]) -> (Option<Param>, Option<Param>) {
    (Some(Param::init(shape, Init::Ones)), Some(Param::init(shape, Init::Zeros)))
}

/// Mean zero and variance one over the last axes, then a scale and a shift.
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
    /// Over last axes of this shape.
    #[track_caller]
    pub fn new(shape: impl IntoList<usize>) -> LayerNorm {
        let shape = shape.into_list();
        let (weight, bias) = affine(&shape);
        LayerNorm { weight, bias, shape, eps: 1e-5 }
    }

    /// Sets what is added to the variance; 1e-5 at first.
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

    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias) = (self.weight.as_deref(), self.bias.as_deref());
        ops::layer_norm_with(x, &self.shape, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}

/// Mean square one over the last axes, then a scale.
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
    /// Over last axes of this shape.
    #[track_caller]
    pub fn new(shape: impl IntoList<usize>) -> RmsNorm {
        let shape = shape.into_list();
        RmsNorm { weight: Some(Param::init(&shape, Init::Ones)), shape, eps: None }
    }

    /// Sets what is added to the mean square; at first the precision of the dtype, 1.2e-7 for `f32`.
    pub fn eps(self, eps: f64) -> RmsNorm {
        RmsNorm { eps: Some(eps), ..self }
    }

    /// The same layer without a scale.
    pub fn without_affine(self) -> RmsNorm {
        RmsNorm { weight: None, ..self }
    }

    /// The normed tensor.
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
            /// The batches seen in training.
            pub num_batches_tracked: Buffer,
            mode: Mode,
            momentum: f64,
            eps: f64,
        }

        impl $name {
            /// Of this many channels.
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

            /// Sets what is added to the variance; 1e-5 at first.
            pub fn eps(self, eps: f64) -> $name {
                $name { eps, ..self }
            }

            /// Sets how much of a batch's statistics enters the running ones; 0.1 at first.
            pub fn momentum(self, momentum: f64) -> $name {
                $name { momentum, ..self }
            }

            /// The same layer without scale and shift.
            pub fn without_affine(self) -> $name {
                $name { weight: None, bias: None, ..self }
            }

            /// The normed tensor; in training, the running statistics move on.
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
    /// Mean zero and variance one of each channel over a batch `[batch, channels]` or
    /// `[batch, channels, length]`, then a scale and a shift.
    BatchNorm1d
);
batch_norm!(
    /// Mean zero and variance one of each channel over a batch of images, then a scale and a shift.
    BatchNorm2d
);
batch_norm!(
    /// Mean zero and variance one of each channel over a batch of volumes, then a scale and a shift.
    BatchNorm3d
);

/// Mean zero and variance one of groups of channels of each example, then a scale and a shift.
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
    /// Of `channels` channels in `groups` groups.
    #[track_caller]
    pub fn new(groups: usize, channels: usize) -> GroupNorm {
        let (weight, bias) = affine(&[channels]);
        GroupNorm { weight, bias, groups, eps: 1e-5 }
    }

    /// Sets what is added to the variance; 1e-5 at first.
    pub fn eps(self, eps: f64) -> GroupNorm {
        GroupNorm { eps, ..self }
    }

    /// The same layer without scale and shift.
    pub fn without_affine(self) -> GroupNorm {
        GroupNorm { weight: None, bias: None, ..self }
    }

    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias) = (self.weight.as_deref(), self.bias.as_deref());
        ops::group_norm_with(x, self.groups, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}

/// Mean zero and variance one of each channel of each example, then perhaps a scale and a shift.
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
    /// With a scale and a shift for each of so many channels; [`InstanceNorm::default`] has none.
    #[track_caller]
    pub fn affine(channels: usize) -> InstanceNorm {
        let (weight, bias) = affine(&[channels]);
        InstanceNorm { weight, bias, ..InstanceNorm::default() }
    }

    /// Sets what is added to the variance; 1e-5 at first.
    pub fn eps(self, eps: f64) -> InstanceNorm {
        InstanceNorm { eps, ..self }
    }

    /// The normed tensor.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let (weight, bias) = (self.weight.as_deref(), self.bias.as_deref());
        ops::instance_norm_with(x, |o| o.weight(weight).bias(bias).eps(self.eps))
    }
}
