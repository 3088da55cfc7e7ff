//! A slowly moving average of parameters.
use crate::flush::flush_own;
use crate::nn::{Param, StateDict, check_state};
use crate::{Result, Tensor, no_grad};

/// Averages of parameters, each step `average · decay + parameter · (1 − decay)`.
pub struct Ema {
    pairs: Vec<(Tensor, Tensor)>,
    decay: f64,
}

impl Ema {
    /// Begins with the parameters as they are.
    pub fn new<P: AsRef<Param>>(params: impl IntoIterator<Item = P>, decay: f64) -> Ema {
        let pair = |param: Param| {
            let param: &Tensor = &param;
            let average = no_grad(|| param.clone_value());
            average.cell().is_kept = true;
            (param.clone(), average)
        };
        Ema { pairs: super::distinct(params).into_iter().map(pair).collect(), decay }
    }

    /// Takes the parameters of now into account.
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

    /// The averages, in the order of the parameters.
    pub fn averages(&self) -> impl Iterator<Item = &Tensor> {
        self.pairs.iter().map(|(_, average)| average)
    }

    /// The averages by the numbers of their parameters.
    pub fn state_dict(&self) -> StateDict {
        let numbered = self.averages().enumerate();
        numbered.map(|(n, average)| (n.to_string(), average.detach())).collect()
    }

    /// Takes over averages. Nothing is changed where one is missing or unknown or a shape differs.
    pub fn load_state_dict(&mut self, dict: &StateDict) -> Result<()> {
        let own = self.state_dict();
        check_state("ema", &own, dict)?;
        no_grad(|| own.iter().for_each(|(n, average)| _ = average.copy_(&dict[n])));
        flush_own()
    }
}
