//! Generated from the `convolution` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`conv1d`](crate::ops::conv1d).
    #[derive(Clone, Debug)]
    pub struct Conv1dOptions {
        pub(crate) bias: Option<Tensor>,
        pub(crate) stride: Vec<usize>,
        pub(crate) padding: Option<brasa_ir::compose::Padding>,
        pub(crate) dilation: Vec<usize>,
        pub(crate) groups: usize,
    }

    impl Default for Conv1dOptions {
        fn default() -> Conv1dOptions {
            Conv1dOptions {
                bias: None,
                stride: vec![1],
                padding: None,
                dilation: vec![1],
                groups: 1,
            }
        }
    }

    impl Conv1dOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }

        /// Sets `padding`; by default not given.
        pub fn padding(mut self, padding: impl IntoPadding) -> Self {
            self.padding = Some(padding.into_padding());
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `groups`; by default `1`.
        pub fn groups(mut self, groups: usize) -> Self {
            self.groups = groups;
            self
        }
    }

    /// Options of [`conv2d`](crate::ops::conv2d).
    #[derive(Clone, Debug)]
    pub struct Conv2dOptions {
        pub(crate) bias: Option<Tensor>,
        pub(crate) stride: Vec<usize>,
        pub(crate) padding: Option<brasa_ir::compose::Padding>,
        pub(crate) dilation: Vec<usize>,
        pub(crate) groups: usize,
    }

    impl Default for Conv2dOptions {
        fn default() -> Conv2dOptions {
            Conv2dOptions {
                bias: None,
                stride: vec![1],
                padding: None,
                dilation: vec![1],
                groups: 1,
            }
        }
    }

    impl Conv2dOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }

        /// Sets `padding`; by default not given.
        pub fn padding(mut self, padding: impl IntoPadding) -> Self {
            self.padding = Some(padding.into_padding());
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `groups`; by default `1`.
        pub fn groups(mut self, groups: usize) -> Self {
            self.groups = groups;
            self
        }
    }

    /// Options of [`conv3d`](crate::ops::conv3d).
    #[derive(Clone, Debug)]
    pub struct Conv3dOptions {
        pub(crate) bias: Option<Tensor>,
        pub(crate) stride: Vec<usize>,
        pub(crate) padding: Option<brasa_ir::compose::Padding>,
        pub(crate) dilation: Vec<usize>,
        pub(crate) groups: usize,
    }

    impl Default for Conv3dOptions {
        fn default() -> Conv3dOptions {
            Conv3dOptions {
                bias: None,
                stride: vec![1],
                padding: None,
                dilation: vec![1],
                groups: 1,
            }
        }
    }

    impl Conv3dOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }

        /// Sets `padding`; by default not given.
        pub fn padding(mut self, padding: impl IntoPadding) -> Self {
            self.padding = Some(padding.into_padding());
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `groups`; by default `1`.
        pub fn groups(mut self, groups: usize) -> Self {
            self.groups = groups;
            self
        }
    }

    /// Options of [`conv_transpose1d`](crate::ops::conv_transpose1d).
    #[derive(Clone, Debug)]
    pub struct ConvTranspose1dOptions {
        pub(crate) bias: Option<Tensor>,
        pub(crate) stride: Vec<usize>,
        pub(crate) padding: Vec<usize>,
        pub(crate) output_padding: Vec<usize>,
        pub(crate) groups: usize,
        pub(crate) dilation: Vec<usize>,
    }

    impl Default for ConvTranspose1dOptions {
        fn default() -> ConvTranspose1dOptions {
            ConvTranspose1dOptions {
                bias: None,
                stride: vec![1],
                padding: vec![0],
                output_padding: vec![0],
                groups: 1,
                dilation: vec![1],
            }
        }
    }

    impl ConvTranspose1dOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `output_padding`; by default `[0]`.
        pub fn output_padding(mut self, output_padding: impl IntoList<usize>) -> Self {
            self.output_padding = output_padding.into_list();
            self
        }

        /// Sets `groups`; by default `1`.
        pub fn groups(mut self, groups: usize) -> Self {
            self.groups = groups;
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }
    }

    /// Options of [`conv_transpose2d`](crate::ops::conv_transpose2d).
    #[derive(Clone, Debug)]
    pub struct ConvTranspose2dOptions {
        pub(crate) bias: Option<Tensor>,
        pub(crate) stride: Vec<usize>,
        pub(crate) padding: Vec<usize>,
        pub(crate) output_padding: Vec<usize>,
        pub(crate) groups: usize,
        pub(crate) dilation: Vec<usize>,
    }

    impl Default for ConvTranspose2dOptions {
        fn default() -> ConvTranspose2dOptions {
            ConvTranspose2dOptions {
                bias: None,
                stride: vec![1],
                padding: vec![0],
                output_padding: vec![0],
                groups: 1,
                dilation: vec![1],
            }
        }
    }

    impl ConvTranspose2dOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `output_padding`; by default `[0]`.
        pub fn output_padding(mut self, output_padding: impl IntoList<usize>) -> Self {
            self.output_padding = output_padding.into_list();
            self
        }

        /// Sets `groups`; by default `1`.
        pub fn groups(mut self, groups: usize) -> Self {
            self.groups = groups;
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }
    }

    /// Options of [`conv_transpose3d`](crate::ops::conv_transpose3d).
    #[derive(Clone, Debug)]
    pub struct ConvTranspose3dOptions {
        pub(crate) bias: Option<Tensor>,
        pub(crate) stride: Vec<usize>,
        pub(crate) padding: Vec<usize>,
        pub(crate) output_padding: Vec<usize>,
        pub(crate) groups: usize,
        pub(crate) dilation: Vec<usize>,
    }

    impl Default for ConvTranspose3dOptions {
        fn default() -> ConvTranspose3dOptions {
            ConvTranspose3dOptions {
                bias: None,
                stride: vec![1],
                padding: vec![0],
                output_padding: vec![0],
                groups: 1,
                dilation: vec![1],
            }
        }
    }

    impl ConvTranspose3dOptions {
        /// Sets `bias`; by default not given.
        pub fn bias<'a>(mut self, bias: impl Into<Option<&'a Tensor>>) -> Self {
            self.bias = bias.into().cloned();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `output_padding`; by default `[0]`.
        pub fn output_padding(mut self, output_padding: impl IntoList<usize>) -> Self {
            self.output_padding = output_padding.into_list();
            self
        }

        /// Sets `groups`; by default `1`.
        pub fn groups(mut self, groups: usize) -> Self {
            self.groups = groups;
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
    /// a sliding kernel. The batch axis is optional.
    #[track_caller]
    pub fn conv1d(input: &Tensor, weight: &Tensor) -> Tensor {
        conv1d_with(input, weight, |o| o)
    }

    /// Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
    /// a sliding kernel. The batch axis is optional.
    ///
    /// Options: `bias`, `stride`, `padding`, `dilation`, `groups`.
    #[track_caller]
    pub fn conv1d_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::Conv1dOptions) -> options::Conv1dOptions) -> Tensor {
        let o = o(options::Conv1dOptions::default());
        input.settle();
        weight.settle();
        o.bias.settle();
        record("conv1d", |scope| scope.leave(compose::conv1d(scope.g, input.enter(scope), weight.enter(scope), o.bias.enter(scope), o.stride, o.padding, o.dilation, o.groups)))
    }

    /// Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    #[track_caller]
    pub fn conv2d(input: &Tensor, weight: &Tensor) -> Tensor {
        conv2d_with(input, weight, |o| o)
    }

    /// Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    ///
    /// Options: `bias`, `stride`, `padding`, `dilation`, `groups`.
    #[track_caller]
    pub fn conv2d_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::Conv2dOptions) -> options::Conv2dOptions) -> Tensor {
        let o = o(options::Conv2dOptions::default());
        input.settle();
        weight.settle();
        o.bias.settle();
        record("conv2d", |scope| scope.leave(compose::conv2d(scope.g, input.enter(scope), weight.enter(scope), o.bias.enter(scope), o.stride, o.padding, o.dilation, o.groups)))
    }

    /// Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    #[track_caller]
    pub fn conv3d(input: &Tensor, weight: &Tensor) -> Tensor {
        conv3d_with(input, weight, |o| o)
    }

    /// Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    ///
    /// Options: `bias`, `stride`, `padding`, `dilation`, `groups`.
    #[track_caller]
    pub fn conv3d_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::Conv3dOptions) -> options::Conv3dOptions) -> Tensor {
        let o = o(options::Conv3dOptions::default());
        input.settle();
        weight.settle();
        o.bias.settle();
        record("conv3d", |scope| scope.leave(compose::conv3d(scope.g, input.enter(scope), weight.enter(scope), o.bias.enter(scope), o.stride, o.padding, o.dilation, o.groups)))
    }

    /// Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
    /// adds the kernel to the output, `stride` apart.
    #[track_caller]
    pub fn conv_transpose1d(input: &Tensor, weight: &Tensor) -> Tensor {
        conv_transpose1d_with(input, weight, |o| o)
    }

    /// Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
    /// adds the kernel to the output, `stride` apart.
    ///
    /// Options: `bias`, `stride`, `padding`, `output_padding`, `groups`, `dilation`.
    #[track_caller]
    pub fn conv_transpose1d_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::ConvTranspose1dOptions) -> options::ConvTranspose1dOptions) -> Tensor {
        let o = o(options::ConvTranspose1dOptions::default());
        input.settle();
        weight.settle();
        o.bias.settle();
        record("conv_transpose1d", |scope| scope.leave(compose::conv_transpose1d(scope.g, input.enter(scope), weight.enter(scope), o.bias.enter(scope), o.stride, o.padding, o.output_padding, o.groups, o.dilation)))
    }

    /// Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
    /// element adds the kernel to the output, `stride` apart.
    #[track_caller]
    pub fn conv_transpose2d(input: &Tensor, weight: &Tensor) -> Tensor {
        conv_transpose2d_with(input, weight, |o| o)
    }

    /// Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
    /// element adds the kernel to the output, `stride` apart.
    ///
    /// Options: `bias`, `stride`, `padding`, `output_padding`, `groups`, `dilation`.
    #[track_caller]
    pub fn conv_transpose2d_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::ConvTranspose2dOptions) -> options::ConvTranspose2dOptions) -> Tensor {
        let o = o(options::ConvTranspose2dOptions::default());
        input.settle();
        weight.settle();
        o.bias.settle();
        record("conv_transpose2d", |scope| scope.leave(compose::conv_transpose2d(scope.g, input.enter(scope), weight.enter(scope), o.bias.enter(scope), o.stride, o.padding, o.output_padding, o.groups, o.dilation)))
    }

    /// Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
    /// every element adds the kernel to the output, `stride` apart.
    #[track_caller]
    pub fn conv_transpose3d(input: &Tensor, weight: &Tensor) -> Tensor {
        conv_transpose3d_with(input, weight, |o| o)
    }

    /// Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
    /// every element adds the kernel to the output, `stride` apart.
    ///
    /// Options: `bias`, `stride`, `padding`, `output_padding`, `groups`, `dilation`.
    #[track_caller]
    pub fn conv_transpose3d_with(input: &Tensor, weight: &Tensor, o: impl FnOnce(options::ConvTranspose3dOptions) -> options::ConvTranspose3dOptions) -> Tensor {
        let o = o(options::ConvTranspose3dOptions::default());
        input.settle();
        weight.settle();
        o.bias.settle();
        record("conv_transpose3d", |scope| scope.leave(compose::conv_transpose3d(scope.g, input.enter(scope), weight.enter(scope), o.bias.enter(scope), o.stride, o.padding, o.output_padding, o.groups, o.dilation)))
    }
}

impl Tensor {
    /// Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
    /// a sliding kernel. The batch axis is optional.
    #[track_caller]
    pub fn conv1d(&self, weight: &Tensor) -> Tensor {
        functions::conv1d(self, weight)
    }

    /// Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
    /// a sliding kernel. The batch axis is optional.
    ///
    /// Options: `bias`, `stride`, `padding`, `dilation`, `groups`.
    #[track_caller]
    pub fn conv1d_with(&self, weight: &Tensor, o: impl FnOnce(options::Conv1dOptions) -> options::Conv1dOptions) -> Tensor {
        functions::conv1d_with(self, weight, o)
    }

    /// Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    #[track_caller]
    pub fn conv2d(&self, weight: &Tensor) -> Tensor {
        functions::conv2d(self, weight)
    }

    /// Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    ///
    /// Options: `bias`, `stride`, `padding`, `dilation`, `groups`.
    #[track_caller]
    pub fn conv2d_with(&self, weight: &Tensor, o: impl FnOnce(options::Conv2dOptions) -> options::Conv2dOptions) -> Tensor {
        functions::conv2d_with(self, weight, o)
    }

    /// Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    #[track_caller]
    pub fn conv3d(&self, weight: &Tensor) -> Tensor {
        functions::conv3d(self, weight)
    }

    /// Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
    /// products with a sliding kernel. The batch axis is optional.
    ///
    /// Options: `bias`, `stride`, `padding`, `dilation`, `groups`.
    #[track_caller]
    pub fn conv3d_with(&self, weight: &Tensor, o: impl FnOnce(options::Conv3dOptions) -> options::Conv3dOptions) -> Tensor {
        functions::conv3d_with(self, weight, o)
    }

    /// Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
    /// adds the kernel to the output, `stride` apart.
    #[track_caller]
    pub fn conv_transpose1d(&self, weight: &Tensor) -> Tensor {
        functions::conv_transpose1d(self, weight)
    }

    /// Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
    /// adds the kernel to the output, `stride` apart.
    ///
    /// Options: `bias`, `stride`, `padding`, `output_padding`, `groups`, `dilation`.
    #[track_caller]
    pub fn conv_transpose1d_with(&self, weight: &Tensor, o: impl FnOnce(options::ConvTranspose1dOptions) -> options::ConvTranspose1dOptions) -> Tensor {
        functions::conv_transpose1d_with(self, weight, o)
    }

    /// Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
    /// element adds the kernel to the output, `stride` apart.
    #[track_caller]
    pub fn conv_transpose2d(&self, weight: &Tensor) -> Tensor {
        functions::conv_transpose2d(self, weight)
    }

    /// Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
    /// element adds the kernel to the output, `stride` apart.
    ///
    /// Options: `bias`, `stride`, `padding`, `output_padding`, `groups`, `dilation`.
    #[track_caller]
    pub fn conv_transpose2d_with(&self, weight: &Tensor, o: impl FnOnce(options::ConvTranspose2dOptions) -> options::ConvTranspose2dOptions) -> Tensor {
        functions::conv_transpose2d_with(self, weight, o)
    }

    /// Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
    /// every element adds the kernel to the output, `stride` apart.
    #[track_caller]
    pub fn conv_transpose3d(&self, weight: &Tensor) -> Tensor {
        functions::conv_transpose3d(self, weight)
    }

    /// Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
    /// every element adds the kernel to the output, `stride` apart.
    ///
    /// Options: `bias`, `stride`, `padding`, `output_padding`, `groups`, `dilation`.
    #[track_caller]
    pub fn conv_transpose3d_with(&self, weight: &Tensor, o: impl FnOnce(options::ConvTranspose3dOptions) -> options::ConvTranspose3dOptions) -> Tensor {
        functions::conv_transpose3d_with(self, weight, o)
    }

}
