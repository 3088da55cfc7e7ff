//! Generated from the `pooling` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`max_pool1d`](crate::ops::max_pool1d).
    #[derive(Clone, Debug)]
    pub struct MaxPool1dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) padding: Vec<usize>,
        pub(crate) dilation: Vec<usize>,
        pub(crate) ceil_mode: bool,
        pub(crate) return_indices: bool,
    }

    impl Default for MaxPool1dOptions {
        fn default() -> MaxPool1dOptions {
            MaxPool1dOptions {
                stride: None,
                padding: vec![0],
                dilation: vec![1],
                ceil_mode: false,
                return_indices: false,
            }
        }
    }

    impl MaxPool1dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }

        /// Sets `return_indices`; by default `false`.
        pub fn return_indices(mut self, return_indices: bool) -> Self {
            self.return_indices = return_indices;
            self
        }
    }

    /// Options of [`max_pool2d`](crate::ops::max_pool2d).
    #[derive(Clone, Debug)]
    pub struct MaxPool2dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) padding: Vec<usize>,
        pub(crate) dilation: Vec<usize>,
        pub(crate) ceil_mode: bool,
        pub(crate) return_indices: bool,
    }

    impl Default for MaxPool2dOptions {
        fn default() -> MaxPool2dOptions {
            MaxPool2dOptions {
                stride: None,
                padding: vec![0],
                dilation: vec![1],
                ceil_mode: false,
                return_indices: false,
            }
        }
    }

    impl MaxPool2dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }

        /// Sets `return_indices`; by default `false`.
        pub fn return_indices(mut self, return_indices: bool) -> Self {
            self.return_indices = return_indices;
            self
        }
    }

    /// Options of [`max_pool3d`](crate::ops::max_pool3d).
    #[derive(Clone, Debug)]
    pub struct MaxPool3dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) padding: Vec<usize>,
        pub(crate) dilation: Vec<usize>,
        pub(crate) ceil_mode: bool,
        pub(crate) return_indices: bool,
    }

    impl Default for MaxPool3dOptions {
        fn default() -> MaxPool3dOptions {
            MaxPool3dOptions {
                stride: None,
                padding: vec![0],
                dilation: vec![1],
                ceil_mode: false,
                return_indices: false,
            }
        }
    }

    impl MaxPool3dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }

        /// Sets `return_indices`; by default `false`.
        pub fn return_indices(mut self, return_indices: bool) -> Self {
            self.return_indices = return_indices;
            self
        }
    }

    /// Options of [`avg_pool1d`](crate::ops::avg_pool1d).
    #[derive(Clone, Debug)]
    pub struct AvgPool1dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) padding: Vec<usize>,
        pub(crate) ceil_mode: bool,
        pub(crate) count_include_pad: bool,
        pub(crate) divisor_override: Option<i64>,
    }

    impl Default for AvgPool1dOptions {
        fn default() -> AvgPool1dOptions {
            AvgPool1dOptions {
                stride: None,
                padding: vec![0],
                ceil_mode: false,
                count_include_pad: true,
                divisor_override: None,
            }
        }
    }

    impl AvgPool1dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }

        /// Sets `count_include_pad`; by default `true`.
        pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
            self.count_include_pad = count_include_pad;
            self
        }

        /// Sets `divisor_override`; by default not given.
        pub fn divisor_override(mut self, divisor_override: impl Into<Option<i64>>) -> Self {
            self.divisor_override = divisor_override.into();
            self
        }
    }

    /// Options of [`avg_pool2d`](crate::ops::avg_pool2d).
    #[derive(Clone, Debug)]
    pub struct AvgPool2dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) padding: Vec<usize>,
        pub(crate) ceil_mode: bool,
        pub(crate) count_include_pad: bool,
        pub(crate) divisor_override: Option<i64>,
    }

    impl Default for AvgPool2dOptions {
        fn default() -> AvgPool2dOptions {
            AvgPool2dOptions {
                stride: None,
                padding: vec![0],
                ceil_mode: false,
                count_include_pad: true,
                divisor_override: None,
            }
        }
    }

    impl AvgPool2dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }

        /// Sets `count_include_pad`; by default `true`.
        pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
            self.count_include_pad = count_include_pad;
            self
        }

        /// Sets `divisor_override`; by default not given.
        pub fn divisor_override(mut self, divisor_override: impl Into<Option<i64>>) -> Self {
            self.divisor_override = divisor_override.into();
            self
        }
    }

    /// Options of [`avg_pool3d`](crate::ops::avg_pool3d).
    #[derive(Clone, Debug)]
    pub struct AvgPool3dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) padding: Vec<usize>,
        pub(crate) ceil_mode: bool,
        pub(crate) count_include_pad: bool,
        pub(crate) divisor_override: Option<i64>,
    }

    impl Default for AvgPool3dOptions {
        fn default() -> AvgPool3dOptions {
            AvgPool3dOptions {
                stride: None,
                padding: vec![0],
                ceil_mode: false,
                count_include_pad: true,
                divisor_override: None,
            }
        }
    }

    impl AvgPool3dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }

        /// Sets `count_include_pad`; by default `true`.
        pub fn count_include_pad(mut self, count_include_pad: bool) -> Self {
            self.count_include_pad = count_include_pad;
            self
        }

        /// Sets `divisor_override`; by default not given.
        pub fn divisor_override(mut self, divisor_override: impl Into<Option<i64>>) -> Self {
            self.divisor_override = divisor_override.into();
            self
        }
    }

    /// Options of [`lp_pool1d`](crate::ops::lp_pool1d).
    #[derive(Clone, Debug)]
    pub struct LpPool1dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) ceil_mode: bool,
    }

    impl Default for LpPool1dOptions {
        fn default() -> LpPool1dOptions {
            LpPool1dOptions {
                stride: None,
                ceil_mode: false,
            }
        }
    }

    impl LpPool1dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }
    }

    /// Options of [`lp_pool2d`](crate::ops::lp_pool2d).
    #[derive(Clone, Debug)]
    pub struct LpPool2dOptions {
        pub(crate) stride: Option<Vec<usize>>,
        pub(crate) ceil_mode: bool,
    }

    impl Default for LpPool2dOptions {
        fn default() -> LpPool2dOptions {
            LpPool2dOptions {
                stride: None,
                ceil_mode: false,
            }
        }
    }

    impl LpPool2dOptions {
        /// Sets `stride`; by default not given.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = Some(stride.into_list());
            self
        }

        /// Sets `ceil_mode`; by default `false`.
        pub fn ceil_mode(mut self, ceil_mode: bool) -> Self {
            self.ceil_mode = ceil_mode;
            self
        }
    }

    /// Options of [`adaptive_max_pool1d`](crate::ops::adaptive_max_pool1d).
    #[derive(Clone, Debug)]
    pub struct AdaptiveMaxPool1dOptions {
        pub(crate) return_indices: bool,
    }

    impl Default for AdaptiveMaxPool1dOptions {
        fn default() -> AdaptiveMaxPool1dOptions {
            AdaptiveMaxPool1dOptions {
                return_indices: false,
            }
        }
    }

    impl AdaptiveMaxPool1dOptions {
        /// Sets `return_indices`; by default `false`.
        pub fn return_indices(mut self, return_indices: bool) -> Self {
            self.return_indices = return_indices;
            self
        }
    }

    /// Options of [`adaptive_max_pool2d`](crate::ops::adaptive_max_pool2d).
    #[derive(Clone, Debug)]
    pub struct AdaptiveMaxPool2dOptions {
        pub(crate) return_indices: bool,
    }

    impl Default for AdaptiveMaxPool2dOptions {
        fn default() -> AdaptiveMaxPool2dOptions {
            AdaptiveMaxPool2dOptions {
                return_indices: false,
            }
        }
    }

    impl AdaptiveMaxPool2dOptions {
        /// Sets `return_indices`; by default `false`.
        pub fn return_indices(mut self, return_indices: bool) -> Self {
            self.return_indices = return_indices;
            self
        }
    }

    /// Options of [`adaptive_max_pool3d`](crate::ops::adaptive_max_pool3d).
    #[derive(Clone, Debug)]
    pub struct AdaptiveMaxPool3dOptions {
        pub(crate) return_indices: bool,
    }

    impl Default for AdaptiveMaxPool3dOptions {
        fn default() -> AdaptiveMaxPool3dOptions {
            AdaptiveMaxPool3dOptions {
                return_indices: false,
            }
        }
    }

    impl AdaptiveMaxPool3dOptions {
        /// Sets `return_indices`; by default `false`.
        pub fn return_indices(mut self, return_indices: bool) -> Self {
            self.return_indices = return_indices;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Largest element of each window along the last axis. Windows are `stride` apart, by default
    /// their own size. With `return_indices` also its index.
    #[track_caller]
    pub fn max_pool1d(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        max_pool1d_with(input, kernel_size, |o| o).swap_remove(0)
    }

    /// Largest element of each window along the last axis. Windows are `stride` apart, by default
    /// their own size. With `return_indices` also its index.
    ///
    /// Options: `stride`, `padding`, `dilation`, `ceil_mode`, `return_indices`.
    #[track_caller]
    pub fn max_pool1d_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::MaxPool1dOptions) -> options::MaxPool1dOptions) -> Vec<Tensor> {
        let o = o(options::MaxPool1dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("max_pool1d", |scope| scope.leave(compose::max_pool1d(scope.g, input.enter(scope), kernel_size, o.stride, o.padding, o.dilation, o.ceil_mode, o.return_indices)))
    }

    /// Largest element of each window over the last two axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened plane.
    #[track_caller]
    pub fn max_pool2d(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        max_pool2d_with(input, kernel_size, |o| o).swap_remove(0)
    }

    /// Largest element of each window over the last two axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened plane.
    ///
    /// Options: `stride`, `padding`, `dilation`, `ceil_mode`, `return_indices`.
    #[track_caller]
    pub fn max_pool2d_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::MaxPool2dOptions) -> options::MaxPool2dOptions) -> Vec<Tensor> {
        let o = o(options::MaxPool2dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("max_pool2d", |scope| scope.leave(compose::max_pool2d(scope.g, input.enter(scope), kernel_size, o.stride, o.padding, o.dilation, o.ceil_mode, o.return_indices)))
    }

    /// Largest element of each window over the last three axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened volume.
    #[track_caller]
    pub fn max_pool3d(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        max_pool3d_with(input, kernel_size, |o| o).swap_remove(0)
    }

    /// Largest element of each window over the last three axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened volume.
    ///
    /// Options: `stride`, `padding`, `dilation`, `ceil_mode`, `return_indices`.
    #[track_caller]
    pub fn max_pool3d_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::MaxPool3dOptions) -> options::MaxPool3dOptions) -> Vec<Tensor> {
        let o = o(options::MaxPool3dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("max_pool3d", |scope| scope.leave(compose::max_pool3d(scope.g, input.enter(scope), kernel_size, o.stride, o.padding, o.dilation, o.ceil_mode, o.return_indices)))
    }

    /// Mean of each window along the last axis. Windows are `stride` apart, by default their own
    /// size.
    #[track_caller]
    pub fn avg_pool1d(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        avg_pool1d_with(input, kernel_size, |o| o)
    }

    /// Mean of each window along the last axis. Windows are `stride` apart, by default their own
    /// size.
    ///
    /// Options: `stride`, `padding`, `ceil_mode`, `count_include_pad`, `divisor_override`.
    #[track_caller]
    pub fn avg_pool1d_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::AvgPool1dOptions) -> options::AvgPool1dOptions) -> Tensor {
        let o = o(options::AvgPool1dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("avg_pool1d", |scope| scope.leave(compose::avg_pool1d(scope.g, input.enter(scope), kernel_size, o.stride, o.padding, o.ceil_mode, o.count_include_pad, o.divisor_override)))
    }

    /// Mean of each window over the last two axes. Windows are `stride` apart, by default their
    /// own size. Zeros of the padding count unless `count_include_pad` is false;
    /// `divisor_override` replaces the count.
    #[track_caller]
    pub fn avg_pool2d(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        avg_pool2d_with(input, kernel_size, |o| o)
    }

    /// Mean of each window over the last two axes. Windows are `stride` apart, by default their
    /// own size. Zeros of the padding count unless `count_include_pad` is false;
    /// `divisor_override` replaces the count.
    ///
    /// Options: `stride`, `padding`, `ceil_mode`, `count_include_pad`, `divisor_override`.
    #[track_caller]
    pub fn avg_pool2d_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::AvgPool2dOptions) -> options::AvgPool2dOptions) -> Tensor {
        let o = o(options::AvgPool2dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("avg_pool2d", |scope| scope.leave(compose::avg_pool2d(scope.g, input.enter(scope), kernel_size, o.stride, o.padding, o.ceil_mode, o.count_include_pad, o.divisor_override)))
    }

    /// Mean of each window over the last three axes, as `avg_pool2d`.
    #[track_caller]
    pub fn avg_pool3d(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        avg_pool3d_with(input, kernel_size, |o| o)
    }

    /// Mean of each window over the last three axes, as `avg_pool2d`.
    ///
    /// Options: `stride`, `padding`, `ceil_mode`, `count_include_pad`, `divisor_override`.
    #[track_caller]
    pub fn avg_pool3d_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::AvgPool3dOptions) -> options::AvgPool3dOptions) -> Tensor {
        let o = o(options::AvgPool3dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("avg_pool3d", |scope| scope.leave(compose::avg_pool3d(scope.g, input.enter(scope), kernel_size, o.stride, o.padding, o.ceil_mode, o.count_include_pad, o.divisor_override)))
    }

    /// `norm_type`-norm of each window along the last axis.
    #[track_caller]
    pub fn lp_pool1d(input: &Tensor, norm_type: f64, kernel_size: impl IntoList<usize>) -> Tensor {
        lp_pool1d_with(input, norm_type, kernel_size, |o| o)
    }

    /// `norm_type`-norm of each window along the last axis.
    ///
    /// Options: `stride`, `ceil_mode`.
    #[track_caller]
    pub fn lp_pool1d_with(input: &Tensor, norm_type: f64, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::LpPool1dOptions) -> options::LpPool1dOptions) -> Tensor {
        let o = o(options::LpPool1dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("lp_pool1d", |scope| scope.leave(compose::lp_pool1d(scope.g, input.enter(scope), norm_type, kernel_size, o.stride, o.ceil_mode)))
    }

    /// `norm_type`-norm of each window over the last two axes.
    #[track_caller]
    pub fn lp_pool2d(input: &Tensor, norm_type: f64, kernel_size: impl IntoList<usize>) -> Tensor {
        lp_pool2d_with(input, norm_type, kernel_size, |o| o)
    }

    /// `norm_type`-norm of each window over the last two axes.
    ///
    /// Options: `stride`, `ceil_mode`.
    #[track_caller]
    pub fn lp_pool2d_with(input: &Tensor, norm_type: f64, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::LpPool2dOptions) -> options::LpPool2dOptions) -> Tensor {
        let o = o(options::LpPool2dOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("lp_pool2d", |scope| scope.leave(compose::lp_pool2d(scope.g, input.enter(scope), norm_type, kernel_size, o.stride, o.ceil_mode)))
    }

    /// Largest elements of `output_size` windows of nearly equal length, along the last
    /// axis.
    #[track_caller]
    pub fn adaptive_max_pool1d(input: &Tensor, output_size: impl IntoList<Option<usize>>) -> Tensor {
        adaptive_max_pool1d_with(input, output_size, |o| o).swap_remove(0)
    }

    /// Largest elements of `output_size` windows of nearly equal length, along the last
    /// axis.
    ///
    /// Options: `return_indices`.
    #[track_caller]
    pub fn adaptive_max_pool1d_with(input: &Tensor, output_size: impl IntoList<Option<usize>>, o: impl FnOnce(options::AdaptiveMaxPool1dOptions) -> options::AdaptiveMaxPool1dOptions) -> Vec<Tensor> {
        let o = o(options::AdaptiveMaxPool1dOptions::default());
        let output_size: Vec<Option<usize>> = output_size.into_list();
        input.settle();
        record("adaptive_max_pool1d", |scope| scope.leave(compose::adaptive_max_pool1d(scope.g, input.enter(scope), output_size, o.return_indices)))
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last two
    /// axes; `none` keeps an axis.
    #[track_caller]
    pub fn adaptive_max_pool2d(input: &Tensor, output_size: impl IntoList<Option<usize>>) -> Tensor {
        adaptive_max_pool2d_with(input, output_size, |o| o).swap_remove(0)
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last two
    /// axes; `none` keeps an axis.
    ///
    /// Options: `return_indices`.
    #[track_caller]
    pub fn adaptive_max_pool2d_with(input: &Tensor, output_size: impl IntoList<Option<usize>>, o: impl FnOnce(options::AdaptiveMaxPool2dOptions) -> options::AdaptiveMaxPool2dOptions) -> Vec<Tensor> {
        let o = o(options::AdaptiveMaxPool2dOptions::default());
        let output_size: Vec<Option<usize>> = output_size.into_list();
        input.settle();
        record("adaptive_max_pool2d", |scope| scope.leave(compose::adaptive_max_pool2d(scope.g, input.enter(scope), output_size, o.return_indices)))
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last three
    /// axes; `none` keeps an axis.
    #[track_caller]
    pub fn adaptive_max_pool3d(input: &Tensor, output_size: impl IntoList<Option<usize>>) -> Tensor {
        adaptive_max_pool3d_with(input, output_size, |o| o).swap_remove(0)
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last three
    /// axes; `none` keeps an axis.
    ///
    /// Options: `return_indices`.
    #[track_caller]
    pub fn adaptive_max_pool3d_with(input: &Tensor, output_size: impl IntoList<Option<usize>>, o: impl FnOnce(options::AdaptiveMaxPool3dOptions) -> options::AdaptiveMaxPool3dOptions) -> Vec<Tensor> {
        let o = o(options::AdaptiveMaxPool3dOptions::default());
        let output_size: Vec<Option<usize>> = output_size.into_list();
        input.settle();
        record("adaptive_max_pool3d", |scope| scope.leave(compose::adaptive_max_pool3d(scope.g, input.enter(scope), output_size, o.return_indices)))
    }

    /// Means of `output_size` windows of nearly equal length, along the last axis.
    #[track_caller]
    pub fn adaptive_avg_pool1d(input: &Tensor, output_size: impl IntoList<Option<usize>>) -> Tensor {
        let output_size: Vec<Option<usize>> = output_size.into_list();
        input.settle();
        record("adaptive_avg_pool1d", |scope| scope.leave(compose::adaptive_avg_pool1d(scope.g, input.enter(scope), output_size)))
    }

    /// Means of `output_size` windows of nearly equal size, over the last two axes; `none`
    /// keeps an axis.
    #[track_caller]
    pub fn adaptive_avg_pool2d(input: &Tensor, output_size: impl IntoList<Option<usize>>) -> Tensor {
        let output_size: Vec<Option<usize>> = output_size.into_list();
        input.settle();
        record("adaptive_avg_pool2d", |scope| scope.leave(compose::adaptive_avg_pool2d(scope.g, input.enter(scope), output_size)))
    }

    /// Means of `output_size` windows of nearly equal size, over the last three axes;
    /// `none` keeps an axis.
    #[track_caller]
    pub fn adaptive_avg_pool3d(input: &Tensor, output_size: impl IntoList<Option<usize>>) -> Tensor {
        let output_size: Vec<Option<usize>> = output_size.into_list();
        input.settle();
        record("adaptive_avg_pool3d", |scope| scope.leave(compose::adaptive_avg_pool3d(scope.g, input.enter(scope), output_size)))
    }
}

impl Tensor {
    /// Largest element of each window along the last axis. Windows are `stride` apart, by default
    /// their own size. With `return_indices` also its index.
    #[track_caller]
    pub fn max_pool1d(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::max_pool1d(self, kernel_size)
    }

    /// Largest element of each window along the last axis. Windows are `stride` apart, by default
    /// their own size. With `return_indices` also its index.
    ///
    /// Options: `stride`, `padding`, `dilation`, `ceil_mode`, `return_indices`.
    #[track_caller]
    pub fn max_pool1d_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::MaxPool1dOptions) -> options::MaxPool1dOptions) -> Vec<Tensor> {
        functions::max_pool1d_with(self, kernel_size, o)
    }

    /// Largest element of each window over the last two axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened plane.
    #[track_caller]
    pub fn max_pool2d(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::max_pool2d(self, kernel_size)
    }

    /// Largest element of each window over the last two axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened plane.
    ///
    /// Options: `stride`, `padding`, `dilation`, `ceil_mode`, `return_indices`.
    #[track_caller]
    pub fn max_pool2d_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::MaxPool2dOptions) -> options::MaxPool2dOptions) -> Vec<Tensor> {
        functions::max_pool2d_with(self, kernel_size, o)
    }

    /// Largest element of each window over the last three axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened volume.
    #[track_caller]
    pub fn max_pool3d(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::max_pool3d(self, kernel_size)
    }

    /// Largest element of each window over the last three axes. Windows are `stride` apart, by
    /// default their own size. With `return_indices` also its position in the flattened volume.
    ///
    /// Options: `stride`, `padding`, `dilation`, `ceil_mode`, `return_indices`.
    #[track_caller]
    pub fn max_pool3d_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::MaxPool3dOptions) -> options::MaxPool3dOptions) -> Vec<Tensor> {
        functions::max_pool3d_with(self, kernel_size, o)
    }

    /// Mean of each window along the last axis. Windows are `stride` apart, by default their own
    /// size.
    #[track_caller]
    pub fn avg_pool1d(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::avg_pool1d(self, kernel_size)
    }

    /// Mean of each window along the last axis. Windows are `stride` apart, by default their own
    /// size.
    ///
    /// Options: `stride`, `padding`, `ceil_mode`, `count_include_pad`, `divisor_override`.
    #[track_caller]
    pub fn avg_pool1d_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::AvgPool1dOptions) -> options::AvgPool1dOptions) -> Tensor {
        functions::avg_pool1d_with(self, kernel_size, o)
    }

    /// Mean of each window over the last two axes. Windows are `stride` apart, by default their
    /// own size. Zeros of the padding count unless `count_include_pad` is false;
    /// `divisor_override` replaces the count.
    #[track_caller]
    pub fn avg_pool2d(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::avg_pool2d(self, kernel_size)
    }

    /// Mean of each window over the last two axes. Windows are `stride` apart, by default their
    /// own size. Zeros of the padding count unless `count_include_pad` is false;
    /// `divisor_override` replaces the count.
    ///
    /// Options: `stride`, `padding`, `ceil_mode`, `count_include_pad`, `divisor_override`.
    #[track_caller]
    pub fn avg_pool2d_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::AvgPool2dOptions) -> options::AvgPool2dOptions) -> Tensor {
        functions::avg_pool2d_with(self, kernel_size, o)
    }

    /// Mean of each window over the last three axes, as `avg_pool2d`.
    #[track_caller]
    pub fn avg_pool3d(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::avg_pool3d(self, kernel_size)
    }

    /// Mean of each window over the last three axes, as `avg_pool2d`.
    ///
    /// Options: `stride`, `padding`, `ceil_mode`, `count_include_pad`, `divisor_override`.
    #[track_caller]
    pub fn avg_pool3d_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::AvgPool3dOptions) -> options::AvgPool3dOptions) -> Tensor {
        functions::avg_pool3d_with(self, kernel_size, o)
    }

    /// `norm_type`-norm of each window along the last axis.
    #[track_caller]
    pub fn lp_pool1d(&self, norm_type: f64, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::lp_pool1d(self, norm_type, kernel_size)
    }

    /// `norm_type`-norm of each window along the last axis.
    ///
    /// Options: `stride`, `ceil_mode`.
    #[track_caller]
    pub fn lp_pool1d_with(&self, norm_type: f64, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::LpPool1dOptions) -> options::LpPool1dOptions) -> Tensor {
        functions::lp_pool1d_with(self, norm_type, kernel_size, o)
    }

    /// `norm_type`-norm of each window over the last two axes.
    #[track_caller]
    pub fn lp_pool2d(&self, norm_type: f64, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::lp_pool2d(self, norm_type, kernel_size)
    }

    /// `norm_type`-norm of each window over the last two axes.
    ///
    /// Options: `stride`, `ceil_mode`.
    #[track_caller]
    pub fn lp_pool2d_with(&self, norm_type: f64, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::LpPool2dOptions) -> options::LpPool2dOptions) -> Tensor {
        functions::lp_pool2d_with(self, norm_type, kernel_size, o)
    }

    /// Largest elements of `output_size` windows of nearly equal length, along the last
    /// axis.
    #[track_caller]
    pub fn adaptive_max_pool1d(&self, output_size: impl IntoList<Option<usize>>) -> Tensor {
        functions::adaptive_max_pool1d(self, output_size)
    }

    /// Largest elements of `output_size` windows of nearly equal length, along the last
    /// axis.
    ///
    /// Options: `return_indices`.
    #[track_caller]
    pub fn adaptive_max_pool1d_with(&self, output_size: impl IntoList<Option<usize>>, o: impl FnOnce(options::AdaptiveMaxPool1dOptions) -> options::AdaptiveMaxPool1dOptions) -> Vec<Tensor> {
        functions::adaptive_max_pool1d_with(self, output_size, o)
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last two
    /// axes; `none` keeps an axis.
    #[track_caller]
    pub fn adaptive_max_pool2d(&self, output_size: impl IntoList<Option<usize>>) -> Tensor {
        functions::adaptive_max_pool2d(self, output_size)
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last two
    /// axes; `none` keeps an axis.
    ///
    /// Options: `return_indices`.
    #[track_caller]
    pub fn adaptive_max_pool2d_with(&self, output_size: impl IntoList<Option<usize>>, o: impl FnOnce(options::AdaptiveMaxPool2dOptions) -> options::AdaptiveMaxPool2dOptions) -> Vec<Tensor> {
        functions::adaptive_max_pool2d_with(self, output_size, o)
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last three
    /// axes; `none` keeps an axis.
    #[track_caller]
    pub fn adaptive_max_pool3d(&self, output_size: impl IntoList<Option<usize>>) -> Tensor {
        functions::adaptive_max_pool3d(self, output_size)
    }

    /// Largest elements of `output_size` windows of nearly equal size, over the last three
    /// axes; `none` keeps an axis.
    ///
    /// Options: `return_indices`.
    #[track_caller]
    pub fn adaptive_max_pool3d_with(&self, output_size: impl IntoList<Option<usize>>, o: impl FnOnce(options::AdaptiveMaxPool3dOptions) -> options::AdaptiveMaxPool3dOptions) -> Vec<Tensor> {
        functions::adaptive_max_pool3d_with(self, output_size, o)
    }

    /// Means of `output_size` windows of nearly equal length, along the last axis.
    #[track_caller]
    pub fn adaptive_avg_pool1d(&self, output_size: impl IntoList<Option<usize>>) -> Tensor {
        functions::adaptive_avg_pool1d(self, output_size)
    }

    /// Means of `output_size` windows of nearly equal size, over the last two axes; `none`
    /// keeps an axis.
    #[track_caller]
    pub fn adaptive_avg_pool2d(&self, output_size: impl IntoList<Option<usize>>) -> Tensor {
        functions::adaptive_avg_pool2d(self, output_size)
    }

    /// Means of `output_size` windows of nearly equal size, over the last three axes;
    /// `none` keeps an axis.
    #[track_caller]
    pub fn adaptive_avg_pool3d(&self, output_size: impl IntoList<Option<usize>>) -> Tensor {
        functions::adaptive_avg_pool3d(self, output_size)
    }

}
