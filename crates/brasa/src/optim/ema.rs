//! Exponential moving averages of parameters.
use crate::flush::flush_own;
use crate::nn::{Param, StateDict, check_state};
use crate::{Result, Tensor, no_grad};

/// Exponential moving averages of parameters; each step
/// `average · decay + parameter · (1 − decay)`.
pub struct Ema {
    pairs: Vec<(Tensor, Tensor)>,
    decay: f64,
}

impl Ema {
    /// Starts with the current values of the parameters.
    pub fn new<P: AsRef<Param>>(params: impl IntoIterator<Item = P>, decay: f64) -> Ema {
        let pair = |param: Param| {
            let param: &Tensor = &param;
            let average = no_grad(|| param.clone_value());
            average.cell().is_kept = true;
            (param.clone(), average)
        };
        Ema { pairs: super::distinct(params).into_iter().map(pair).collect(), decay }
    }

    /// Updates the averages from the current parameters.
    #[track_caller]
    pub fn update(&mut self) -> Result<()> {
        self.record();
        flush_own()
    }

    /// Records an update without running it.
    #[track_caller]
    pub(crate) fn record(&self) {
        no_grad(|| {
            for (param, average) in &self.pairs {
                average.copy_(average * self.decay + param * (1.0 - self.decay));
            }
        });
    }

    /// Swaps parameters and averages: call it before and after an evaluation with the averages.
    pub fn swap(&mut self) {
        no_grad(|| {
            for (param, average) in &self.pairs {
                let kept = param.clone_value();
                param.copy_(average);
                average.copy_(&kept);
            }
        });
    }

    /// The averages, in the order of the parameters.
    pub fn averages(&self) -> impl Iterator<Item = &Tensor> {
        self.pairs.iter().map(|(_, average)| average)
    }

    /// The averages by the index of their parameter.
    pub fn state_dict(&self) -> StateDict {
        let numbered = self.averages().enumerate();
        numbered.map(|(n, average)| (n.to_string(), average.detach())).collect()
    }

    /// Loads averages. If one is missing or unknown, or a shape differs, nothing changes.
    pub fn load_state_dict(&mut self, dict: &StateDict) -> Result<()> {
        let own = self.state_dict();
        check_state("ema", &own, dict)?;
        no_grad(|| own.iter().for_each(|(n, average)| _ = average.copy_(&dict[n])));
        flush_own()
    }
}
