//! Pooling layers.
use super::{Layer, Module};
use crate::{IntoList, Tensor, ops};

macro_rules! pools {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            #[module(skip)]
            size: Vec<usize>,
            #[module(skip)]
            stride: Vec<usize>,
            #[module(skip)]
            padding: Vec<usize>,
        }

        impl $name {
            /// Over adjacent windows of this size.
            pub fn new(size: impl IntoList<usize>) -> $name {
                let size = size.into_list();
                $name { stride: size.clone(), size, padding: vec![0] }
            }

            /// Sets the distance between windows.
            pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
                self.stride = stride.into_list();
                self
            }

            /// Sets the padding on both sides; 0 by default.
            pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
                self.padding = padding.into_list();
                self
            }
        }

        impl Layer for $name {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                pooled(ops::$op(x, &self.size, |o| o.stride(&self.stride).padding(&self.padding)))
            }
        }
    )*};
}
pools! {
    /// The largest element of each window of one axis.
    MaxPool1d = max_pool1d_with;
    /// The largest element of each window of two axes.
    MaxPool2d = max_pool2d_with;
    /// The largest element of each window of three axes.
    MaxPool3d = max_pool3d_with;
    /// The mean of each window of one axis.
    AvgPool1d = avg_pool1d_with;
    /// The mean of each window of two axes.
    AvgPool2d = avg_pool2d_with;
    /// The mean of each window of three axes.
    AvgPool3d = avg_pool3d_with;
}

/// The values of a pooling op, which may also return indices.
fn pooled(result: impl Into<Pooled>) -> Tensor {
    result.into().0
}

struct Pooled(Tensor);

impl From<Tensor> for Pooled {
    fn from(x: Tensor) -> Pooled {
        Pooled(x)
    }
}

impl From<Vec<Tensor>> for Pooled {
    fn from(mut list: Vec<Tensor>) -> Pooled {
        Pooled(list.swap_remove(0))
    }
}

macro_rules! adaptive {
    ($($(#[$doc:meta])* $name:ident[$dims:literal] = $op:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            #[module(skip)]
            size: [usize; $dims],
        }

        impl $name {
            /// To trailing axes of this size.
            pub fn new(size: [usize; $dims]) -> $name {
                $name { size }
            }
        }

        impl Layer for $name {
            #[track_caller]
            fn forward(&self, x: &Tensor) -> Tensor {
                ops::$op(x, self.size)
            }
        }
    )*};
}
adaptive! {
    /// Average pooling to a sequence of a given length.
    AdaptiveAvgPool1d[1] = adaptive_avg_pool1d;
    /// Average pooling to an image of a given size.
    AdaptiveAvgPool2d[2] = adaptive_avg_pool2d;
    /// Average pooling to a volume of a given size.
    AdaptiveAvgPool3d[3] = adaptive_avg_pool3d;
    /// Max pooling to a sequence of a given length.
    AdaptiveMaxPool1d[1] = adaptive_max_pool1d;
    /// Max pooling to an image of a given size.
    AdaptiveMaxPool2d[2] = adaptive_max_pool2d;
    /// Max pooling to a volume of a given size.
    AdaptiveMaxPool3d[3] = adaptive_max_pool3d;
}
