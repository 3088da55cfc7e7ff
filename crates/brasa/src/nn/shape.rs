//! Layers that rearrange, resize or pad.
use super::{Layer, Module};
use crate::{IntoList, Tensor, ops};
use brasa_ir::compose::{Interpolation, PadMode};

/// Flattens all axes but the first.
#[derive(Module, Clone, Copy, Debug, Default)]
pub struct Flatten;

impl Layer for Flatten {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.flatten(1)
    }
}

/// Splits one axis into several.
#[derive(Module, Clone, Debug)]
pub struct Unflatten {
    dim: isize,
    #[module(skip)]
    sizes: Vec<isize>,
}

impl Unflatten {
    /// Splits axis `dim` into axes of these sizes.
    pub fn new(dim: isize, sizes: impl IntoList<isize>) -> Unflatten {
        Unflatten { dim, sizes: sizes.into_list() }
    }
}

impl Layer for Unflatten {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        x.unflatten(self.dim, &self.sizes)
    }
}

/// Upsamples sequences, images or volumes by a factor.
#[derive(Module, Clone, Debug)]
pub struct Upsample {
    factor: f64,
    #[module(skip)]
    mode: Interpolation,
}

impl Upsample {
    /// By repeating the nearest element.
    pub fn new(factor: f64) -> Upsample {
        Upsample { factor, mode: Interpolation::Nearest }
    }

    /// Sets the interpolation.
    pub fn mode(self, mode: Interpolation) -> Upsample {
        Upsample { mode, ..self }
    }
}

impl Layer for Upsample {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        ops::interpolate_with(x, |o| o.scale_factor([self.factor]).mode(self.mode))
    }
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Module, Clone, Copy, Debug)]
        pub struct $name(pub usize);

        impl Layer for $name {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                ops::$op(x, self.0)
            }
        }
    )*};
}
shuffles! {
    /// Moves channels into the pixels of an image larger by this factor.
    PixelShuffle = pixel_shuffle;
    /// Moves pixels into the channels of an image smaller by this factor.
    PixelUnshuffle = pixel_unshuffle;
}

/// Pads sequences, images or volumes.
#[derive(Module, Clone, Debug)]
pub struct Pad {
    #[module(skip)]
    padding: Vec<i64>,
    #[module(skip)]
    mode: PadMode,
    value: f64,
}

impl Pad {
    /// With this many elements at the beginning and the end of the last axis, then of the one
    /// before it, and so on.
    pub fn new(padding: impl IntoList<i64>) -> Pad {
        Pad { padding: padding.into_list(), mode: PadMode::Constant, value: 0.0 }
    }

    /// Sets the padding mode.
    pub fn mode(self, mode: PadMode) -> Pad {
        Pad { mode, ..self }
    }

    /// Sets the value of constant padding.
    pub fn value(self, value: f64) -> Pad {
        Pad { value, ..self }
    }
}

impl Layer for Pad {
    #[track_caller]
    fn forward(&self, x: &Tensor) -> Tensor {
        match self.mode {
            PadMode::Constant => ops::pad_with(x, &self.padding, |o| o.value(self.value)),
            mode => ops::pad_with(x, &self.padding, |o| o.mode(mode)),
        }
    }
}
