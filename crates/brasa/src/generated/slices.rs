//! Generated from the `slices` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`slice`](crate::ops::slice).
    #[derive(Clone, Debug)]
    pub struct SliceOptions {
        pub(crate) start: Option<i64>,
        pub(crate) end: Option<i64>,
        pub(crate) step: i64,
    }

    impl Default for SliceOptions {
        fn default() -> SliceOptions {
            SliceOptions {
                start: None,
                end: None,
                step: 1,
            }
        }
    }

    impl SliceOptions {
        /// Sets `start`; by default not given.
        pub fn start(mut self, start: impl Into<Option<i64>>) -> Self {
            self.start = start.into();
            self
        }

        /// Sets `end`; by default not given.
        pub fn end(mut self, end: impl Into<Option<i64>>) -> Self {
            self.end = end.into();
            self
        }

        /// Sets `step`; by default `1`.
        pub fn step(mut self, step: i64) -> Self {
            self.step = step;
            self
        }
    }

    /// Options of [`diagonal`](crate::ops::diagonal).
    #[derive(Clone, Debug)]
    pub struct DiagonalOptions {
        pub(crate) offset: i64,
        pub(crate) dim2: isize,
    }

    impl Default for DiagonalOptions {
        fn default() -> DiagonalOptions {
            DiagonalOptions {
                offset: 0,
                dim2: 1,
            }
        }
    }

    impl DiagonalOptions {
        /// Sets `offset`; by default `0`.
        pub fn offset(mut self, offset: i64) -> Self {
            self.offset = offset;
            self
        }

        /// Sets `dim2`; by default `1`.
        pub fn dim2(mut self, dim2: isize) -> Self {
            self.dim2 = dim2;
            self
        }
    }

    /// Options of [`roll`](crate::ops::roll).
    #[derive(Clone, Debug)]
    pub struct RollOptions {
        pub(crate) dims: Option<Vec<isize>>,
    }

    impl Default for RollOptions {
        fn default() -> RollOptions {
            RollOptions {
                dims: None,
            }
        }
    }

    impl RollOptions {
        /// Sets `dims`; by default not given.
        pub fn dims(mut self, dims: impl IntoList<isize>) -> Self {
            self.dims = Some(dims.into_list());
            self
        }
    }

    /// Options of [`rot90`](crate::ops::rot90).
    #[derive(Clone, Debug)]
    pub struct Rot90Options {
        pub(crate) k: i64,
        pub(crate) dims: Vec<isize>,
    }

    impl Default for Rot90Options {
        fn default() -> Rot90Options {
            Rot90Options {
                k: 1,
                dims: vec![0,1],
            }
        }
    }

    impl Rot90Options {
        /// Sets `k`; by default `1`.
        pub fn k(mut self, k: i64) -> Self {
            self.k = k;
            self
        }

        /// Sets `dims`; by default `[0,1]`.
        pub fn dims(mut self, dims: impl IntoList<isize>) -> Self {
            self.dims = dims.into_list();
            self
        }
    }

    /// Options of [`repeat_interleave`](crate::ops::repeat_interleave).
    #[derive(Clone, Debug)]
    pub struct RepeatInterleaveOptions {
        pub(crate) output_size: Option<usize>,
    }

    impl Default for RepeatInterleaveOptions {
        fn default() -> RepeatInterleaveOptions {
            RepeatInterleaveOptions {
                output_size: None,
            }
        }
    }

    impl RepeatInterleaveOptions {
        /// Sets `output_size`; by default not given.
        pub fn output_size(mut self, output_size: impl Into<Option<usize>>) -> Self {
            self.output_size = output_size.into();
            self
        }
    }

    /// Options of [`im2col`](crate::ops::im2col).
    #[derive(Clone, Debug)]
    pub struct Im2colOptions {
        pub(crate) dilation: Vec<usize>,
        pub(crate) padding: Vec<usize>,
        pub(crate) stride: Vec<usize>,
    }

    impl Default for Im2colOptions {
        fn default() -> Im2colOptions {
            Im2colOptions {
                dilation: vec![1],
                padding: vec![0],
                stride: vec![1],
            }
        }
    }

    impl Im2colOptions {
        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }
    }

    /// Options of [`fold`](crate::ops::fold).
    #[derive(Clone, Debug)]
    pub struct FoldOptions {
        pub(crate) dilation: Vec<usize>,
        pub(crate) padding: Vec<usize>,
        pub(crate) stride: Vec<usize>,
    }

    impl Default for FoldOptions {
        fn default() -> FoldOptions {
            FoldOptions {
                dilation: vec![1],
                padding: vec![0],
                stride: vec![1],
            }
        }
    }

    impl FoldOptions {
        /// Sets `dilation`; by default `[1]`.
        pub fn dilation(mut self, dilation: impl IntoList<usize>) -> Self {
            self.dilation = dilation.into_list();
            self
        }

        /// Sets `padding`; by default `[0]`.
        pub fn padding(mut self, padding: impl IntoList<usize>) -> Self {
            self.padding = padding.into_list();
            self
        }

        /// Sets `stride`; by default `[1]`.
        pub fn stride(mut self, stride: impl IntoList<usize>) -> Self {
            self.stride = stride.into_list();
            self
        }
    }

    /// Options of [`pad`](crate::ops::pad).
    #[derive(Clone, Debug)]
    pub struct PadOptions {
        pub(crate) mode: brasa_ir::compose::PadMode,
        pub(crate) value: Option<Number>,
    }

    impl Default for PadOptions {
        fn default() -> PadOptions {
            PadOptions {
                mode: brasa_ir::compose::PadMode::Constant,
                value: None,
            }
        }
    }

    impl PadOptions {
        /// Sets `mode`; by default `PadMode::Constant`.
        pub fn mode(mut self, mode: brasa_ir::compose::PadMode) -> Self {
            self.mode = mode;
            self
        }

        /// Sets `value`; by default not given.
        pub fn value(mut self, value: impl Into<Number>) -> Self {
            self.value = Some(value.into());
            self
        }
    }

    /// Options of [`constant_pad_nd`](crate::ops::constant_pad_nd).
    #[derive(Clone, Debug)]
    pub struct ConstantPadNdOptions {
        pub(crate) value: Number,
    }

    impl Default for ConstantPadNdOptions {
        fn default() -> ConstantPadNdOptions {
            ConstantPadNdOptions {
                value: Number::Int(0),
            }
        }
    }

    impl ConstantPadNdOptions {
        /// Sets `value`; by default `Number::Int(0)`.
        pub fn value(mut self, value: impl Into<Number>) -> Self {
            self.value = value.into();
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
    /// the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
    /// slice. Positions may count from the end.
    #[track_caller]
    pub fn slice(input: &Tensor, ranges: Vec<Vec<i64>>) -> Tensor {
        slice_with(input, ranges, |o| o)
    }

    /// Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
    /// the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
    /// slice. Positions may count from the end.
    ///
    /// Options: `start`, `end`, `step`.
    #[track_caller]
    pub fn slice_with(input: &Tensor, ranges: Vec<Vec<i64>>, o: impl FnOnce(options::SliceOptions) -> options::SliceOptions) -> Tensor {
        let o = o(options::SliceOptions::default());
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("slice", |scope| scope.view_of(input).leave(compose::slice(scope.g, input.enter(scope), ranges, o.start, o.end, o.step)))
    }

    /// `length` elements of axis `dim` from `start` on.
    #[track_caller]
    pub fn narrow(input: &Tensor, dim: isize, start: i64, length: usize) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("narrow", |scope| scope.view_of(input).leave(compose::narrow(scope.g, input.enter(scope), dim, start, length)))
    }

    /// The elements at `index` of axis `dim`, which is removed.
    #[track_caller]
    pub fn select(input: &Tensor, dim: isize, index: i64) -> Tensor {
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("select", |scope| scope.view_of(input).leave(compose::select(scope.g, input.enter(scope), dim, index)))
    }

    /// The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
    #[track_caller]
    pub fn diagonal(input: &Tensor, dim1: isize) -> Tensor {
        diagonal_with(input, dim1, |o| o)
    }

    /// The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
    ///
    /// Options: `offset`, `dim2`.
    #[track_caller]
    pub fn diagonal_with(input: &Tensor, dim1: isize, o: impl FnOnce(options::DiagonalOptions) -> options::DiagonalOptions) -> Tensor {
        let o = o(options::DiagonalOptions::default());
        let base = input.base();
        let _turn = base.turn();
        input.settle();
        record("diagonal", |scope| scope.view_of(input).leave(compose::diagonal(scope.g, input.enter(scope), o.offset, dim1, o.dim2)))
    }

    /// Reverses the axes `dims`.
    #[track_caller]
    pub fn flip(input: &Tensor, dims: impl IntoList<isize>) -> Tensor {
        let dims: Vec<isize> = dims.into_list();
        input.settle();
        record("flip", |scope| scope.leave(compose::flip(scope.g, input.enter(scope), dims)))
    }

    /// Reverses the second axis.
    #[track_caller]
    pub fn fliplr(input: &Tensor) -> Tensor {
        input.settle();
        record("fliplr", |scope| scope.leave(compose::fliplr(scope.g, input.enter(scope))))
    }

    /// Reverses the first axis.
    #[track_caller]
    pub fn flipud(input: &Tensor) -> Tensor {
        input.settle();
        record("flipud", |scope| scope.leave(compose::flipud(scope.g, input.enter(scope))))
    }

    /// Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
    /// the flattened tensor is rolled.
    #[track_caller]
    pub fn roll(input: &Tensor, shifts: impl IntoList<i64>) -> Tensor {
        roll_with(input, shifts, |o| o)
    }

    /// Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
    /// the flattened tensor is rolled.
    ///
    /// Options: `dims`.
    #[track_caller]
    pub fn roll_with(input: &Tensor, shifts: impl IntoList<i64>, o: impl FnOnce(options::RollOptions) -> options::RollOptions) -> Tensor {
        let o = o(options::RollOptions::default());
        let shifts: Vec<i64> = shifts.into_list();
        input.settle();
        record("roll", |scope| scope.leave(compose::roll(scope.g, input.enter(scope), shifts, o.dims)))
    }

    /// Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
    #[track_caller]
    pub fn rot90(input: &Tensor) -> Tensor {
        rot90_with(input, |o| o)
    }

    /// Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
    ///
    /// Options: `k`, `dims`.
    #[track_caller]
    pub fn rot90_with(input: &Tensor, o: impl FnOnce(options::Rot90Options) -> options::Rot90Options) -> Tensor {
        let o = o(options::Rot90Options::default());
        input.settle();
        record("rot90", |scope| scope.leave(compose::rot90(scope.g, input.enter(scope), o.k, o.dims)))
    }

    /// The whole tensor repeated along each axis. `repeats` is aligned at the last axis and may add
    /// leading axes.
    #[track_caller]
    pub fn repeat(input: &Tensor, repeats: impl IntoList<usize>) -> Tensor {
        let repeats: Vec<usize> = repeats.into_list();
        input.settle();
        record("repeat", |scope| scope.leave(compose::repeat(scope.g, input.enter(scope), repeats)))
    }

    /// `repeat` with `dims` padded by leading ones.
    #[track_caller]
    pub fn tile(input: &Tensor, dims: impl IntoList<usize>) -> Tensor {
        let dims: Vec<usize> = dims.into_list();
        input.settle();
        record("tile", |scope| scope.leave(compose::tile(scope.g, input.enter(scope), dims)))
    }

    /// Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
    /// tensor, one for each position, `output_size` must be its sum.
    #[track_caller]
    pub fn repeat_interleave(input: &Tensor, repeats: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        repeat_interleave_with(input, repeats, dim, |o| o)
    }

    /// Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
    /// tensor, one for each position, `output_size` must be its sum.
    ///
    /// Options: `output_size`.
    #[track_caller]
    pub fn repeat_interleave_with(input: &Tensor, repeats: impl Into<Operand>, dim: impl IntoDim, o: impl FnOnce(options::RepeatInterleaveOptions) -> options::RepeatInterleaveOptions) -> Tensor {
        let o = o(options::RepeatInterleaveOptions::default());
        let repeats: Operand = repeats.into();
        let dim: Option<isize> = dim.into_dim();
        input.settle();
        repeats.settle();
        record("repeat_interleave", |scope| scope.leave(compose::repeat_interleave(scope.g, input.enter(scope), repeats.enter(scope), dim, o.output_size)))
    }

    /// Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
    #[track_caller]
    pub fn unfold(input: &Tensor, dimension: isize, size: usize, step: usize) -> Tensor {
        input.settle();
        record("unfold", |scope| scope.leave(compose::unfold(scope.g, input.enter(scope), dimension, size, step)))
    }

    /// The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
    /// patches]`. PyTorch's `nn.functional.unfold`.
    #[track_caller]
    pub fn im2col(input: &Tensor, kernel_size: impl IntoList<usize>) -> Tensor {
        im2col_with(input, kernel_size, |o| o)
    }

    /// The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
    /// patches]`. PyTorch's `nn.functional.unfold`.
    ///
    /// Options: `dilation`, `padding`, `stride`.
    #[track_caller]
    pub fn im2col_with(input: &Tensor, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::Im2colOptions) -> options::Im2colOptions) -> Tensor {
        let o = o(options::Im2colOptions::default());
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("im2col", |scope| scope.leave(compose::im2col(scope.g, input.enter(scope), kernel_size, o.dilation, o.padding, o.stride)))
    }

    /// Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
    /// added.
    #[track_caller]
    pub fn fold(input: &Tensor, output_size: impl IntoList<usize>, kernel_size: impl IntoList<usize>) -> Tensor {
        fold_with(input, output_size, kernel_size, |o| o)
    }

    /// Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
    /// added.
    ///
    /// Options: `dilation`, `padding`, `stride`.
    #[track_caller]
    pub fn fold_with(input: &Tensor, output_size: impl IntoList<usize>, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::FoldOptions) -> options::FoldOptions) -> Tensor {
        let o = o(options::FoldOptions::default());
        let output_size: Vec<usize> = output_size.into_list();
        let kernel_size: Vec<usize> = kernel_size.into_list();
        input.settle();
        record("fold", |scope| scope.leave(compose::fold(scope.g, input.enter(scope), output_size, kernel_size, o.dilation, o.padding, o.stride)))
    }

    /// Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
    /// on; negative numbers remove elements.
    #[track_caller]
    pub fn pad(input: &Tensor, pad: impl IntoList<i64>) -> Tensor {
        pad_with(input, pad, |o| o)
    }

    /// Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
    /// on; negative numbers remove elements.
    ///
    /// Options: `mode`, `value`.
    #[track_caller]
    pub fn pad_with(input: &Tensor, pad: impl IntoList<i64>, o: impl FnOnce(options::PadOptions) -> options::PadOptions) -> Tensor {
        let o = o(options::PadOptions::default());
        let pad: Vec<i64> = pad.into_list();
        input.settle();
        record("pad", |scope| scope.leave(compose::pad(scope.g, input.enter(scope), pad, o.mode, o.value)))
    }

    /// `pad` with a constant value.
    #[track_caller]
    pub fn constant_pad_nd(input: &Tensor, pad: impl IntoList<i64>) -> Tensor {
        constant_pad_nd_with(input, pad, |o| o)
    }

    /// `pad` with a constant value.
    ///
    /// Options: `value`.
    #[track_caller]
    pub fn constant_pad_nd_with(input: &Tensor, pad: impl IntoList<i64>, o: impl FnOnce(options::ConstantPadNdOptions) -> options::ConstantPadNdOptions) -> Tensor {
        let o = o(options::ConstantPadNdOptions::default());
        let pad: Vec<i64> = pad.into_list();
        input.settle();
        record("constant_pad_nd", |scope| scope.leave(compose::constant_pad_nd(scope.g, input.enter(scope), pad, o.value)))
    }
}

impl Tensor {
    /// Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
    /// the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
    /// slice. Positions may count from the end.
    #[track_caller]
    pub fn slice(&self, ranges: Vec<Vec<i64>>) -> Tensor {
        functions::slice(self, ranges)
    }

    /// Another name for [`slice`](Tensor::slice).
    #[track_caller]
    pub fn shrink(&self, ranges: Vec<Vec<i64>>) -> Tensor {
        functions::slice(self, ranges)
    }

    /// Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
    /// the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
    /// slice. Positions may count from the end.
    ///
    /// Options: `start`, `end`, `step`.
    #[track_caller]
    pub fn slice_with(&self, ranges: Vec<Vec<i64>>, o: impl FnOnce(options::SliceOptions) -> options::SliceOptions) -> Tensor {
        functions::slice_with(self, ranges, o)
    }

    /// `length` elements of axis `dim` from `start` on.
    #[track_caller]
    pub fn narrow(&self, dim: isize, start: i64, length: usize) -> Tensor {
        functions::narrow(self, dim, start, length)
    }

    /// The elements at `index` of axis `dim`, which is removed.
    #[track_caller]
    pub fn select(&self, dim: isize, index: i64) -> Tensor {
        functions::select(self, dim, index)
    }

    /// The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
    #[track_caller]
    pub fn diagonal(&self, dim1: isize) -> Tensor {
        functions::diagonal(self, dim1)
    }

    /// The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
    ///
    /// Options: `offset`, `dim2`.
    #[track_caller]
    pub fn diagonal_with(&self, dim1: isize, o: impl FnOnce(options::DiagonalOptions) -> options::DiagonalOptions) -> Tensor {
        functions::diagonal_with(self, dim1, o)
    }

    /// Reverses the axes `dims`.
    #[track_caller]
    pub fn flip(&self, dims: impl IntoList<isize>) -> Tensor {
        functions::flip(self, dims)
    }

    /// Reverses the second axis.
    #[track_caller]
    pub fn fliplr(&self) -> Tensor {
        functions::fliplr(self)
    }

    /// Reverses the first axis.
    #[track_caller]
    pub fn flipud(&self) -> Tensor {
        functions::flipud(self)
    }

    /// Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
    /// the flattened tensor is rolled.
    #[track_caller]
    pub fn roll(&self, shifts: impl IntoList<i64>) -> Tensor {
        functions::roll(self, shifts)
    }

    /// Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
    /// the flattened tensor is rolled.
    ///
    /// Options: `dims`.
    #[track_caller]
    pub fn roll_with(&self, shifts: impl IntoList<i64>, o: impl FnOnce(options::RollOptions) -> options::RollOptions) -> Tensor {
        functions::roll_with(self, shifts, o)
    }

    /// Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
    #[track_caller]
    pub fn rot90(&self) -> Tensor {
        functions::rot90(self)
    }

    /// Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
    ///
    /// Options: `k`, `dims`.
    #[track_caller]
    pub fn rot90_with(&self, o: impl FnOnce(options::Rot90Options) -> options::Rot90Options) -> Tensor {
        functions::rot90_with(self, o)
    }

    /// The whole tensor repeated along each axis. `repeats` is aligned at the last axis and may add
    /// leading axes.
    #[track_caller]
    pub fn repeat(&self, repeats: impl IntoList<usize>) -> Tensor {
        functions::repeat(self, repeats)
    }

    /// `repeat` with `dims` padded by leading ones.
    #[track_caller]
    pub fn tile(&self, dims: impl IntoList<usize>) -> Tensor {
        functions::tile(self, dims)
    }

    /// Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
    /// tensor, one for each position, `output_size` must be its sum.
    #[track_caller]
    pub fn repeat_interleave(&self, repeats: impl Into<Operand>, dim: impl IntoDim) -> Tensor {
        functions::repeat_interleave(self, repeats, dim)
    }

    /// Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
    /// tensor, one for each position, `output_size` must be its sum.
    ///
    /// Options: `output_size`.
    #[track_caller]
    pub fn repeat_interleave_with(&self, repeats: impl Into<Operand>, dim: impl IntoDim, o: impl FnOnce(options::RepeatInterleaveOptions) -> options::RepeatInterleaveOptions) -> Tensor {
        functions::repeat_interleave_with(self, repeats, dim, o)
    }

    /// Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
    #[track_caller]
    pub fn unfold(&self, dimension: isize, size: usize, step: usize) -> Tensor {
        functions::unfold(self, dimension, size, step)
    }

    /// The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
    /// patches]`. PyTorch's `nn.functional.unfold`.
    #[track_caller]
    pub fn im2col(&self, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::im2col(self, kernel_size)
    }

    /// The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
    /// patches]`. PyTorch's `nn.functional.unfold`.
    ///
    /// Options: `dilation`, `padding`, `stride`.
    #[track_caller]
    pub fn im2col_with(&self, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::Im2colOptions) -> options::Im2colOptions) -> Tensor {
        functions::im2col_with(self, kernel_size, o)
    }

    /// Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
    /// added.
    #[track_caller]
    pub fn fold(&self, output_size: impl IntoList<usize>, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::fold(self, output_size, kernel_size)
    }

    /// Another name for [`fold`](Tensor::fold).
    #[track_caller]
    pub fn col2im(&self, output_size: impl IntoList<usize>, kernel_size: impl IntoList<usize>) -> Tensor {
        functions::fold(self, output_size, kernel_size)
    }

    /// Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
    /// added.
    ///
    /// Options: `dilation`, `padding`, `stride`.
    #[track_caller]
    pub fn fold_with(&self, output_size: impl IntoList<usize>, kernel_size: impl IntoList<usize>, o: impl FnOnce(options::FoldOptions) -> options::FoldOptions) -> Tensor {
        functions::fold_with(self, output_size, kernel_size, o)
    }

    /// Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
    /// on; negative numbers remove elements.
    #[track_caller]
    pub fn pad(&self, pad: impl IntoList<i64>) -> Tensor {
        functions::pad(self, pad)
    }

    /// Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
    /// on; negative numbers remove elements.
    ///
    /// Options: `mode`, `value`.
    #[track_caller]
    pub fn pad_with(&self, pad: impl IntoList<i64>, o: impl FnOnce(options::PadOptions) -> options::PadOptions) -> Tensor {
        functions::pad_with(self, pad, o)
    }

    /// `pad` with a constant value.
    #[track_caller]
    pub fn constant_pad_nd(&self, pad: impl IntoList<i64>) -> Tensor {
        functions::constant_pad_nd(self, pad)
    }

    /// `pad` with a constant value.
    ///
    /// Options: `value`.
    #[track_caller]
    pub fn constant_pad_nd_with(&self, pad: impl IntoList<i64>, o: impl FnOnce(options::ConstantPadNdOptions) -> options::ConstantPadNdOptions) -> Tensor {
        functions::constant_pad_nd_with(self, pad, o)
    }

}
