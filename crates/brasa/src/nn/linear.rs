//! Layers that multiply by a weight: `Linear`, `Bilinear`, `Embedding`.
use super::{Init, Module, Param};
use crate::{Tensor, ops};

/// `x · weightᵀ + bias`, with `weight [out, in]`.
#[derive(Module, Clone, Debug)]
pub struct Linear {
    /// `[out, in]`
    pub weight: Param,
    /// `[out]`
    pub bias: Option<Param>,
}

impl Linear {
    /// From `inputs` to `outputs` features.
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize) -> Linear {
        let init = Init::layer(inputs);
        let weight = Param::init([outputs, inputs], init.clone());
        let bias = Some(Param::init([outputs], init).with_decay(false));
        Linear { weight, bias }
    }

    /// The same layer without a bias.
    pub fn without_bias(self) -> Linear {
        Linear { bias: None, ..self }
    }

    /// Maps `x [..., in]` to `[..., out]`.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        ops::linear(x, &self.weight, self.bias.as_deref())
    }
}

/// `x1ᵀ · weight · x2 + bias` for each output.
#[derive(Module, Clone, Debug)]
pub struct Bilinear {
    /// `[out, in1, in2]`
    pub weight: Param,
    /// `[out]`
    pub bias: Option<Param>,
}

impl Bilinear {
    /// From `inputs1` and `inputs2` features to `outputs`.
    #[track_caller]
    pub fn new(inputs1: usize, inputs2: usize, outputs: usize) -> Bilinear {
        let init = Init::layer(inputs1);
        let weight = Param::init([outputs, inputs1, inputs2], init.clone());
        Bilinear { weight, bias: Some(Param::init([outputs], init).with_decay(false)) }
    }

    /// The same layer without a bias.
    pub fn without_bias(self) -> Bilinear {
        Bilinear { bias: None, ..self }
    }

    /// Maps `x1 [..., in1]` and `x2 [..., in2]` to `[..., out]`.
    #[track_caller]
    pub fn forward(&self, x1: &Tensor, x2: &Tensor) -> Tensor {
        ops::bilinear_with(x1, x2, &self.weight, |o| o.bias(self.bias.as_deref()))
    }
}

/// A lookup table with a vector for each word.
#[derive(Module, Clone, Debug)]
pub struct Embedding {
    /// `[words, features]`
    pub weight: Param,
}

impl Embedding {
    /// A table of `words` vectors of `features` numbers.
    #[track_caller]
    pub fn new(words: usize, features: usize) -> Embedding {
        Embedding { weight: Param::init([words, features], Init::Normal(0.0, 1.0)) }
    }

    /// Looks up the vectors of `ids [...]`: `[..., features]`.
    #[track_caller]
    pub fn forward(&self, ids: &Tensor) -> Tensor {
        ops::embedding(ids, &self.weight)
    }
}
