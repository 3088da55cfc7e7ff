//! Generated from the `sampling` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`grid_sample`](crate::ops::grid_sample).
    #[derive(Clone, Debug)]
    pub struct GridSampleOptions {
        pub(crate) mode: brasa_ir::compose::GridMode,
        pub(crate) padding_mode: brasa_ir::compose::GridPadding,
        pub(crate) align_corners: bool,
    }

    impl Default for GridSampleOptions {
        fn default() -> GridSampleOptions {
            GridSampleOptions {
                mode: brasa_ir::compose::GridMode::Bilinear,
                padding_mode: brasa_ir::compose::GridPadding::Zeros,
                align_corners: false,
            }
        }
    }

    impl GridSampleOptions {
        /// Sets `mode`; by default `GridMode::Bilinear`.
        pub fn mode(mut self, mode: brasa_ir::compose::GridMode) -> Self {
            self.mode = mode;
            self
        }

        /// Sets `padding_mode`; by default `GridPadding::Zeros`.
        pub fn padding_mode(mut self, padding_mode: brasa_ir::compose::GridPadding) -> Self {
            self.padding_mode = padding_mode;
            self
        }

        /// Sets `align_corners`; by default `false`.
        pub fn align_corners(mut self, align_corners: bool) -> Self {
            self.align_corners = align_corners;
            self
        }
    }

    /// Options of [`affine_grid`](crate::ops::affine_grid).
    #[derive(Clone, Debug)]
    pub struct AffineGridOptions {
        pub(crate) align_corners: bool,
    }

    impl Default for AffineGridOptions {
        fn default() -> AffineGridOptions {
            AffineGridOptions {
                align_corners: false,
            }
        }
    }

    impl AffineGridOptions {
        /// Sets `align_corners`; by default `false`.
        pub fn align_corners(mut self, align_corners: bool) -> Self {
            self.align_corners = align_corners;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
    /// `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
    /// of the corner elements, else their outer edges.
    #[track_caller]
    pub fn grid_sample(input: &Tensor, grid: &Tensor) -> Tensor {
        grid_sample_with(input, grid, |o| o)
    }

    /// Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
    /// `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
    /// of the corner elements, else their outer edges.
    ///
    /// Options: `mode`, `padding_mode`, `align_corners`.
    #[track_caller]
    pub fn grid_sample_with(input: &Tensor, grid: &Tensor, o: impl FnOnce(options::GridSampleOptions) -> options::GridSampleOptions) -> Tensor {
        let o = o(options::GridSampleOptions::default());
        input.settle();
        grid.settle();
        record("grid_sample", |scope| scope.leave(compose::grid_sample(scope.g, input.enter(scope), grid.enter(scope), o.mode, o.padding_mode, o.align_corners)))
    }

    /// `grid_sample` of images with the modes as numbers, in the order of their lists.
    #[track_caller]
    pub fn grid_sampler_2d(input: &Tensor, grid: &Tensor, interpolation_mode: usize, padding_mode: usize, align_corners: bool) -> Tensor {
        input.settle();
        grid.settle();
        record("grid_sampler_2d", |scope| scope.leave(compose::grid_sampler_2d(scope.g, input.enter(scope), grid.enter(scope), interpolation_mode, padding_mode, align_corners)))
    }

    /// `grid_sample` of volumes with the modes as numbers, in the order of their lists.
    #[track_caller]
    pub fn grid_sampler_3d(input: &Tensor, grid: &Tensor, interpolation_mode: usize, padding_mode: usize, align_corners: bool) -> Tensor {
        input.settle();
        grid.settle();
        record("grid_sampler_3d", |scope| scope.leave(compose::grid_sampler_3d(scope.g, input.enter(scope), grid.enter(scope), interpolation_mode, padding_mode, align_corners)))
    }

    /// The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
    /// 3]` (or volumes, `[N, 3, 4]`).
    #[track_caller]
    pub fn affine_grid(theta: &Tensor, size: impl IntoList<usize>) -> Tensor {
        affine_grid_with(theta, size, |o| o)
    }

    /// The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
    /// 3]` (or volumes, `[N, 3, 4]`).
    ///
    /// Options: `align_corners`.
    #[track_caller]
    pub fn affine_grid_with(theta: &Tensor, size: impl IntoList<usize>, o: impl FnOnce(options::AffineGridOptions) -> options::AffineGridOptions) -> Tensor {
        let o = o(options::AffineGridOptions::default());
        let size: Vec<usize> = size.into_list();
        theta.settle();
        record("affine_grid", |scope| scope.leave(compose::affine_grid(scope.g, theta.enter(scope), Shape::from(size), o.align_corners)))
    }
}

impl Tensor {
    /// Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
    /// `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
    /// of the corner elements, else their outer edges.
    #[track_caller]
    pub fn grid_sample(&self, grid: &Tensor) -> Tensor {
        functions::grid_sample(self, grid)
    }

    /// Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
    /// `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
    /// of the corner elements, else their outer edges.
    ///
    /// Options: `mode`, `padding_mode`, `align_corners`.
    #[track_caller]
    pub fn grid_sample_with(&self, grid: &Tensor, o: impl FnOnce(options::GridSampleOptions) -> options::GridSampleOptions) -> Tensor {
        functions::grid_sample_with(self, grid, o)
    }

    /// `grid_sample` of images with the modes as numbers, in the order of their lists.
    #[track_caller]
    pub fn grid_sampler_2d(&self, grid: &Tensor, interpolation_mode: usize, padding_mode: usize, align_corners: bool) -> Tensor {
        functions::grid_sampler_2d(self, grid, interpolation_mode, padding_mode, align_corners)
    }

    /// `grid_sample` of volumes with the modes as numbers, in the order of their lists.
    #[track_caller]
    pub fn grid_sampler_3d(&self, grid: &Tensor, interpolation_mode: usize, padding_mode: usize, align_corners: bool) -> Tensor {
        functions::grid_sampler_3d(self, grid, interpolation_mode, padding_mode, align_corners)
    }

    /// The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
    /// 3]` (or volumes, `[N, 3, 4]`).
    #[track_caller]
    pub fn affine_grid(&self, size: impl IntoList<usize>) -> Tensor {
        functions::affine_grid(self, size)
    }

    /// The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
    /// 3]` (or volumes, `[N, 3, 4]`).
    ///
    /// Options: `align_corners`.
    #[track_caller]
    pub fn affine_grid_with(&self, size: impl IntoList<usize>, o: impl FnOnce(options::AffineGridOptions) -> options::AffineGridOptions) -> Tensor {
        functions::affine_grid_with(self, size, o)
    }

}
