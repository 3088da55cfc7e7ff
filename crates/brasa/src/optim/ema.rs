//! A slowly moving average of parameters.
use crate::flush::flush_own;
use crate::nn::Param;
use crate::{Result, Tensor, no_grad};

/// Averages of parameters, each step `average · decay + parameter · (1 − decay)`.
pub struct Ema {
    pairs: Vec<(Tensor, Tensor)>,
    decay: f64,
}

impl Ema {
    /// Begins with the parameters as they are.
    pub fn new<P: AsRef<Param>>(params: impl IntoIterator<Item = P>, decay: f64) -> Ema {
        let pair = |param: P| {
            let param: &Tensor = param.as_ref();
            let average = no_grad(|| param.clone_value());
            average.cell().is_kept = true;
            (param.clone(), average)
        };
        Ema { pairs: params.into_iter().map(pair).collect(), decay }
    }

    /// Takes the parameters of now into account.
    #[track_caller]
    pub fn update(&mut self) -> Result<()> {
        no_grad(|| {
            for (param, average) in &self.pairs {
                average.copy_(average * self.decay + param * (1.0 - self.decay));
            }
        });
        flush_own()
    }

    /// Exchanges parameters and averages: to evaluate with the averages, and back.
    pub fn swap(&mut self) {
        no_grad(|| {
            for (param, average) in &self.pairs {
                let kept = param.clone_value();
                param.copy_(average);
                average.copy_(&kept);
            }
        });
    }
}
