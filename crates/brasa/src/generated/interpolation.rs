//! Generated from the `interpolation` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`interpolate`](crate::ops::interpolate).
    #[derive(Clone, Debug)]
    pub struct InterpolateOptions {
        pub(crate) size: Option<Vec<usize>>,
        pub(crate) scale_factor: Option<Vec<f64>>,
        pub(crate) mode: brasa_ir::compose::Interpolation,
        pub(crate) align_corners: Option<bool>,
        pub(crate) recompute_scale_factor: Option<bool>,
        pub(crate) antialias: bool,
    }

    impl Default for InterpolateOptions {
        fn default() -> InterpolateOptions {
            InterpolateOptions {
                size: None,
                scale_factor: None,
                mode: brasa_ir::compose::Interpolation::Nearest,
                align_corners: None,
                recompute_scale_factor: None,
                antialias: false,
            }
        }
    }

    impl InterpolateOptions {
        /// Sets `size`; by default not given.
        pub fn size(mut self, size: impl IntoList<usize>) -> Self {
            self.size = Some(size.into_list());
            self
        }

        /// Sets `scale_factor`; by default not given.
        pub fn scale_factor(mut self, scale_factor: impl IntoList<f64>) -> Self {
            self.scale_factor = Some(scale_factor.into_list());
            self
        }

        /// Sets `mode`; by default `Interpolation::Nearest`.
        pub fn mode(mut self, mode: brasa_ir::compose::Interpolation) -> Self {
            self.mode = mode;
            self
        }

        /// Sets `align_corners`; by default not given.
        pub fn align_corners(mut self, align_corners: impl Into<Option<bool>>) -> Self {
            self.align_corners = align_corners.into();
            self
        }

        /// Sets `recompute_scale_factor`; by default not given.
        pub fn recompute_scale_factor(mut self, recompute_scale_factor: impl Into<Option<bool>>) -> Self {
            self.recompute_scale_factor = recompute_scale_factor.into();
            self
        }

        /// Sets `antialias`; by default `false`.
        pub fn antialias(mut self, antialias: bool) -> Self {
            self.antialias = antialias;
            self
        }
    }

    /// Options of [`upsample_nearest`](crate::ops::upsample_nearest).
    #[derive(Clone, Debug)]
    pub struct UpsampleNearestOptions {
        pub(crate) size: Option<Vec<usize>>,
        pub(crate) scale_factor: Option<Vec<f64>>,
    }

    impl Default for UpsampleNearestOptions {
        fn default() -> UpsampleNearestOptions {
            UpsampleNearestOptions {
                size: None,
                scale_factor: None,
            }
        }
    }

    impl UpsampleNearestOptions {
        /// Sets `size`; by default not given.
        pub fn size(mut self, size: impl IntoList<usize>) -> Self {
            self.size = Some(size.into_list());
            self
        }

        /// Sets `scale_factor`; by default not given.
        pub fn scale_factor(mut self, scale_factor: impl IntoList<f64>) -> Self {
            self.scale_factor = Some(scale_factor.into_list());
            self
        }
    }

    /// Options of [`upsample_bilinear`](crate::ops::upsample_bilinear).
    #[derive(Clone, Debug)]
    pub struct UpsampleBilinearOptions {
        pub(crate) size: Option<Vec<usize>>,
        pub(crate) scale_factor: Option<Vec<f64>>,
    }

    impl Default for UpsampleBilinearOptions {
        fn default() -> UpsampleBilinearOptions {
            UpsampleBilinearOptions {
                size: None,
                scale_factor: None,
            }
        }
    }

    impl UpsampleBilinearOptions {
        /// Sets `size`; by default not given.
        pub fn size(mut self, size: impl IntoList<usize>) -> Self {
            self.size = Some(size.into_list());
            self
        }

        /// Sets `scale_factor`; by default not given.
        pub fn scale_factor(mut self, scale_factor: impl IntoList<f64>) -> Self {
            self.scale_factor = Some(scale_factor.into_list());
            self
        }
    }

    /// Options of [`resize`](crate::ops::resize).
    #[derive(Clone, Debug)]
    pub struct ResizeOptions {
        pub(crate) mode: brasa_ir::compose::Interpolation,
        pub(crate) antialias: bool,
    }

    impl Default for ResizeOptions {
        fn default() -> ResizeOptions {
            ResizeOptions {
                mode: brasa_ir::compose::Interpolation::Bilinear,
                antialias: false,
            }
        }
    }

    impl ResizeOptions {
        /// Sets `mode`; by default `Interpolation::Bilinear`.
        pub fn mode(mut self, mode: brasa_ir::compose::Interpolation) -> Self {
            self.mode = mode;
            self
        }

        /// Sets `antialias`; by default `false`.
        pub fn antialias(mut self, antialias: bool) -> Self {
            self.antialias = antialias;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
    /// `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
    /// the others for any. With `align_corners` the corner elements keep their values and positions.
    /// With `antialias` downsampling averages over all elements that an output element covers.
    #[track_caller]
    pub fn interpolate(input: &Tensor) -> Tensor {
        interpolate_with(input, |o| o)
    }

    /// Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
    /// `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
    /// the others for any. With `align_corners` the corner elements keep their values and positions.
    /// With `antialias` downsampling averages over all elements that an output element covers.
    ///
    /// Options: `size`, `scale_factor`, `mode`, `align_corners`, `recompute_scale_factor`, `antialias`.
    #[track_caller]
    pub fn interpolate_with(input: &Tensor, o: impl FnOnce(options::InterpolateOptions) -> options::InterpolateOptions) -> Tensor {
        let o = o(options::InterpolateOptions::default());
        input.settle();
        record("interpolate", |scope| scope.leave(compose::interpolate(scope.g, input.enter(scope), o.size, o.scale_factor, o.mode, o.align_corners, o.recompute_scale_factor, o.antialias)))
    }

    /// Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
    #[track_caller]
    pub fn upsample_nearest(input: &Tensor) -> Tensor {
        upsample_nearest_with(input, |o| o)
    }

    /// Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
    ///
    /// Options: `size`, `scale_factor`.
    #[track_caller]
    pub fn upsample_nearest_with(input: &Tensor, o: impl FnOnce(options::UpsampleNearestOptions) -> options::UpsampleNearestOptions) -> Tensor {
        let o = o(options::UpsampleNearestOptions::default());
        input.settle();
        record("upsample_nearest", |scope| scope.leave(compose::upsample_nearest(scope.g, input.enter(scope), o.size, o.scale_factor)))
    }

    /// Resizes by bilinear interpolation with aligned corners.
    #[track_caller]
    pub fn upsample_bilinear(input: &Tensor) -> Tensor {
        upsample_bilinear_with(input, |o| o)
    }

    /// Resizes by bilinear interpolation with aligned corners.
    ///
    /// Options: `size`, `scale_factor`.
    #[track_caller]
    pub fn upsample_bilinear_with(input: &Tensor, o: impl FnOnce(options::UpsampleBilinearOptions) -> options::UpsampleBilinearOptions) -> Tensor {
        let o = o(options::UpsampleBilinearOptions::default());
        input.settle();
        record("upsample_bilinear", |scope| scope.leave(compose::upsample_bilinear(scope.g, input.enter(scope), o.size, o.scale_factor)))
    }

    /// Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
    /// number of leading axes is allowed.
    #[track_caller]
    pub fn resize(input: &Tensor, size: impl IntoList<usize>) -> Tensor {
        resize_with(input, size, |o| o)
    }

    /// Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
    /// number of leading axes is allowed.
    ///
    /// Options: `mode`, `antialias`.
    #[track_caller]
    pub fn resize_with(input: &Tensor, size: impl IntoList<usize>, o: impl FnOnce(options::ResizeOptions) -> options::ResizeOptions) -> Tensor {
        let o = o(options::ResizeOptions::default());
        let size: Vec<usize> = size.into_list();
        input.settle();
        record("resize", |scope| scope.leave(compose::resize(scope.g, input.enter(scope), size, o.mode, o.antialias)))
    }
}

impl Tensor {
    /// Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
    /// `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
    /// the others for any. With `align_corners` the corner elements keep their values and positions.
    /// With `antialias` downsampling averages over all elements that an output element covers.
    #[track_caller]
    pub fn interpolate(&self) -> Tensor {
        functions::interpolate(self)
    }

    /// Another name for [`interpolate`](Tensor::interpolate).
    #[track_caller]
    pub fn upsample(&self) -> Tensor {
        functions::interpolate(self)
    }

    /// Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
    /// `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
    /// the others for any. With `align_corners` the corner elements keep their values and positions.
    /// With `antialias` downsampling averages over all elements that an output element covers.
    ///
    /// Options: `size`, `scale_factor`, `mode`, `align_corners`, `recompute_scale_factor`, `antialias`.
    #[track_caller]
    pub fn interpolate_with(&self, o: impl FnOnce(options::InterpolateOptions) -> options::InterpolateOptions) -> Tensor {
        functions::interpolate_with(self, o)
    }

    /// Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
    #[track_caller]
    pub fn upsample_nearest(&self) -> Tensor {
        functions::upsample_nearest(self)
    }

    /// Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
    ///
    /// Options: `size`, `scale_factor`.
    #[track_caller]
    pub fn upsample_nearest_with(&self, o: impl FnOnce(options::UpsampleNearestOptions) -> options::UpsampleNearestOptions) -> Tensor {
        functions::upsample_nearest_with(self, o)
    }

    /// Resizes by bilinear interpolation with aligned corners.
    #[track_caller]
    pub fn upsample_bilinear(&self) -> Tensor {
        functions::upsample_bilinear(self)
    }

    /// Resizes by bilinear interpolation with aligned corners.
    ///
    /// Options: `size`, `scale_factor`.
    #[track_caller]
    pub fn upsample_bilinear_with(&self, o: impl FnOnce(options::UpsampleBilinearOptions) -> options::UpsampleBilinearOptions) -> Tensor {
        functions::upsample_bilinear_with(self, o)
    }

    /// Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
    /// number of leading axes is allowed.
    #[track_caller]
    pub fn resize(&self, size: impl IntoList<usize>) -> Tensor {
        functions::resize(self, size)
    }

    /// Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
    /// number of leading axes is allowed.
    ///
    /// Options: `mode`, `antialias`.
    #[track_caller]
    pub fn resize_with(&self, size: impl IntoList<usize>, o: impl FnOnce(options::ResizeOptions) -> options::ResizeOptions) -> Tensor {
        functions::resize_with(self, size, o)
    }

}
