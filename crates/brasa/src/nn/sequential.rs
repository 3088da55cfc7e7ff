//! `Sequential`: a chain of layers.
use super::*;
use crate::Tensor;

/// A module that maps one tensor to one tensor.
pub trait Layer: Module + Boxed + Send + Sync {
    /// The output for `x`.
    fn forward(&self, x: &Tensor) -> Tensor;
}

/// Clones layers behind a pointer; implemented for every layer that is `Clone`.
pub trait Boxed {
    /// A clone.
    fn boxed(&self) -> Box<dyn Layer>;
}

impl<T: Layer + Clone + 'static> Boxed for T {
    fn boxed(&self) -> Box<dyn Layer> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Layer> {
    fn clone(&self) -> Box<dyn Layer> {
        (**self).boxed()
    }
}

macro_rules! layers {
    ($($ty:ty),* $(,)?) => {$(
        impl Layer for $ty {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                <$ty>::forward(self, x)
            }
        }
    )*};
}
layers!(
    Linear,
    Embedding,
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    LayerNorm,
    RmsNorm,
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    AlphaDropout,
    TransformerEncoderLayer,
);

/// A chain of layers; parameters are named by the layer's index, such as `2.weight`.
///
/// ```
/// use brasa::nn::{Linear, Module, Relu, Sequential};
/// let model = Sequential::new().add(Linear::new(2, 8)).add(Relu).add(Linear::new(8, 1));
/// assert_eq!(model.forward(&brasa::Tensor::ones([3, 2])).shape(), [3, 1]);
/// assert_eq!(model.named_parameters()[2].0, "2.weight");
/// ```
#[derive(Clone, Default)]
pub struct Sequential(Vec<Box<dyn Layer>>);

impl Sequential {
    /// An empty chain.
    pub fn new() -> Sequential {
        Sequential::default()
    }

    /// Appends a layer.
    #[allow(clippy::should_implement_trait)]
    pub fn add(mut self, layer: impl Layer + 'static) -> Sequential {
        self.0.push(Box::new(layer));
        self
    }

    /// The output of the last layer for `x`.
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        self.0.iter().fold(x.clone(), |x, layer| layer.forward(&x))
    }
}

impl Module for Sequential {
    fn visit(&self, at: &mut Visit) {
        self.0.visit(at);
    }

    fn kind(&self) -> &'static str {
        "Sequential"
    }
}

impl Layer for Sequential {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        Sequential::forward(self, x)
    }
}
