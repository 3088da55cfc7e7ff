//! Convolutions and transposed convolutions.
use super::{Init, Module, Param};
use crate::{IntoList, Tensor, ops};

macro_rules! convolution {
    ($(#[$doc:meta])* $name:ident, $dims:literal, $op:ident) => {
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            /// `[out, in / groups, kernel …]`
            pub weight: Param,
            /// `[out]`
            pub bias: Option<Param>,
            #[module(skip)]
            stride: Vec<usize>,
            #[module(skip)]
            padding: Vec<usize>,
            #[module(skip)]
            dilation: Vec<usize>,
            groups: usize,
        }

        impl $name {
            /// From `inputs` to `outputs` channels, with a kernel of this size: one number for all
            /// axes or one for each.
            #[track_caller]
            pub fn new(inputs: usize, outputs: usize, kernel: impl IntoList<usize>) -> $name {
                $name::grouped(inputs, outputs, kernel, 1)
            }

            /// [`new`](Self::new) with channels in independent groups.
            #[track_caller]
            pub fn grouped(
                inputs: usize,
                outputs: usize,
                kernel: impl IntoList<usize>,
                groups: usize,
            ) -> $name {
                let kernel = per_axis(kernel.into_list(), $dims);
                let shape = [vec![outputs, inputs / groups.max(1)], kernel].concat();
                let init = Init::layer(shape[1..].iter().product());
                let bias = Param::init([outputs], init.clone()).with_decay(false);
                let (stride, padding, dilation) = (vec![1; $dims], vec![0; $dims], vec![1; $dims]);
                let weight = Param::init(shape, init);
                $name { weight, bias: Some(bias), stride, padding, dilation, groups }
            }

            /// Sets the stride; 1 by default.
            pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
                self.stride = stride.into_list();
                self
            }

            /// Sets the zero padding on both sides; 0 by default.
            pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
                self.padding = padding.into_list();
                self
            }

            /// Sets the dilation: the distance between elements of the kernel; 1 by default.
            pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
                self.dilation = dilation.into_list();
                self
            }

            /// The same layer without a bias.
            pub fn without_bias(self) -> Self {
                $name { bias: None, ..self }
            }

            /// Maps `x [batch, in, …]` to `[batch, out, …]`.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Tensor {
                ops::$op(x, &self.weight, |o| {
                    o.bias(self.bias.as_deref())
                        .stride(&self.stride)
                        .padding(&self.padding)
                        .dilation(&self.dilation)
                        .groups(self.groups)
                })
            }
        }
    };
}
convolution!(
    /// Convolution over one axis.
    Conv1d, 1, conv1d_with);
convolution!(
    /// Convolution over two axes.
    Conv2d, 2, conv2d_with);
convolution!(
    /// Convolution over three axes.
    Conv3d, 3, conv3d_with);

macro_rules! transposed {
    ($(#[$doc:meta])* $name:ident, $dims:literal, $op:ident) => {
        $(#[$doc])*
        #[derive(Module, Clone, Debug)]
        pub struct $name {
            /// `[in, out / groups, kernel …]`
            pub weight: Param,
            /// `[out]`
            pub bias: Option<Param>,
            #[module(skip)]
            stride: Vec<usize>,
            #[module(skip)]
            padding: Vec<usize>,
            #[module(skip)]
            output_padding: Vec<usize>,
            #[module(skip)]
            dilation: Vec<usize>,
            groups: usize,
        }

        impl $name {
            /// From `inputs` to `outputs` channels with a kernel of this size.
            #[track_caller]
            pub fn new(inputs: usize, outputs: usize, kernel: impl IntoList<usize>) -> $name {
                $name::grouped(inputs, outputs, kernel, 1)
            }

            /// [`new`](Self::new) with channels in independent groups.
            #[track_caller]
            pub fn grouped(
                inputs: usize,
                outputs: usize,
                kernel: impl IntoList<usize>,
                groups: usize,
            ) -> $name {
                let kernel = per_axis(kernel.into_list(), $dims);
                let shape = [vec![inputs, outputs / groups.max(1)], kernel].concat();
                let init = Init::layer(shape[1..].iter().product());
                let bias = Some(Param::init([outputs], init.clone()).with_decay(false));
                let (stride, dilation) = (vec![1; $dims], vec![1; $dims]);
                let (padding, output_padding) = (vec![0; $dims], vec![0; $dims]);
                let weight = Param::init(shape, init);
                $name { weight, bias, stride, padding, output_padding, dilation, groups }
            }

            /// Sets the stride: the distance between inputs in the output; 1 by default.
            pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
                self.stride = stride.into_list();
                self
            }

            /// Sets how much of the output is cropped on both sides; 0 by default.
            pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
                self.padding = padding.into_list();
                self
            }

            /// Sets how much is appended to the end of the output; 0 by default.
            pub fn output_padding(mut self, output_padding: impl IntoList<usize>) -> Self {
                self.output_padding = output_padding.into_list();
                self
            }

            /// Sets the dilation: the distance between elements of the kernel; 1 by default.
            pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
                self.dilation = dilation.into_list();
                self
            }

            /// The same layer without a bias.
            pub fn without_bias(self) -> Self {
                $name { bias: None, ..self }
            }

            /// Maps `x [batch, in, …]` to `[batch, out, …]`.
            #[track_caller]
            pub fn forward(&self, x: &Tensor) -> Tensor {
                ops::$op(x, &self.weight, |o| {
                    o.bias(self.bias.as_deref())
                        .stride(&self.stride)
                        .padding(&self.padding)
                        .output_padding(&self.output_padding)
                        .dilation(&self.dilation)
                        .groups(self.groups)
                })
            }
        }
    };
}
transposed!(
    /// Transposed convolution over one axis.
    ConvTranspose1d, 1, conv_transpose1d_with);
transposed!(
    /// Transposed convolution over two axes.
    ConvTranspose2d, 2, conv_transpose2d_with);
transposed!(
    /// Transposed convolution over three axes.
    ConvTranspose3d, 3, conv_transpose3d_with);

/// Repeats a single number for all axes.
fn per_axis(list: Vec<usize>, dims: usize) -> Vec<usize> {
    match list[..] {
        [one] => vec![one; dims],
        _ => list,
    }
}
