//! Generated from the `imaging` category of the op table by `cargo x gen`.
#![allow(unused_imports, clippy::derivable_impls, clippy::too_many_arguments)]
use crate::Tensor;
use crate::args::{IntoDim, IntoDims, IntoList, IntoPadding, Operand, collected};
use brasa_ir::{DType, Number, Shape};

pub mod options {
    use super::*;

    /// Options of [`rgb_to_grayscale`](crate::ops::rgb_to_grayscale).
    #[derive(Clone, Debug)]
    pub struct RgbToGrayscaleOptions {
        pub(crate) num_output_channels: usize,
    }

    impl Default for RgbToGrayscaleOptions {
        fn default() -> RgbToGrayscaleOptions {
            RgbToGrayscaleOptions {
                num_output_channels: 1,
            }
        }
    }

    impl RgbToGrayscaleOptions {
        /// Sets `num_output_channels`; by default `1`.
        pub fn num_output_channels(mut self, num_output_channels: usize) -> Self {
            self.num_output_channels = num_output_channels;
            self
        }
    }
}

pub mod functions {
    use super::*;
    use crate::args::Enter;
    use crate::session::record;
    use brasa_ir::{compose, ops::{Scalar, elementwise}};

    /// Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
    #[track_caller]
    pub fn pixel_shuffle(input: &Tensor, upscale_factor: usize) -> Tensor {
        input.settle();
        record("pixel_shuffle", |scope| scope.leave(compose::pixel_shuffle(scope.g, input.enter(scope), upscale_factor)))
    }

    /// Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
    #[track_caller]
    pub fn pixel_unshuffle(input: &Tensor, downscale_factor: usize) -> Tensor {
        input.settle();
        record("pixel_unshuffle", |scope| scope.leave(compose::pixel_unshuffle(scope.g, input.enter(scope), downscale_factor)))
    }

    /// Channel shuffle of `[N, C, …]`: the channels of each of `groups` groups are distributed to all
    /// groups.
    #[track_caller]
    pub fn channel_shuffle(input: &Tensor, groups: usize) -> Tensor {
        input.settle();
        record("channel_shuffle", |scope| scope.leave(compose::channel_shuffle(scope.g, input.enter(scope), groups)))
    }

    /// The part of an image that begins at `top` and `left`; elements outside the image are zero.
    #[track_caller]
    pub fn crop(input: &Tensor, top: i64, left: i64, height: usize, width: usize) -> Tensor {
        input.settle();
        record("crop", |scope| scope.leave(compose::crop(scope.g, input.enter(scope), top, left, height, width)))
    }

    /// The centre of an image; `size` is one number for both axes or one for each. A smaller image is
    /// padded with zeros.
    #[track_caller]
    pub fn center_crop(input: &Tensor, size: impl IntoList<usize>) -> Tensor {
        let size: Vec<usize> = size.into_list();
        input.settle();
        record("center_crop", |scope| scope.leave(compose::center_crop(scope.g, input.enter(scope), size)))
    }

    /// Mirrors images left to right.
    #[track_caller]
    pub fn hflip(input: &Tensor) -> Tensor {
        input.settle();
        record("hflip", |scope| scope.leave(compose::hflip(scope.g, input.enter(scope))))
    }

    /// Mirrors images top to bottom.
    #[track_caller]
    pub fn vflip(input: &Tensor) -> Tensor {
        input.settle();
        record("vflip", |scope| scope.leave(compose::vflip(scope.g, input.enter(scope))))
    }

    /// `(input − mean) / std`, with one number for each channel, or one for all.
    #[track_caller]
    pub fn normalize_channels(input: &Tensor, mean: impl IntoList<f64>, std: impl IntoList<f64>) -> Tensor {
        let mean: Vec<f64> = mean.into_list();
        let std: Vec<f64> = std.into_list();
        input.settle();
        record("normalize_channels", |scope| scope.leave(compose::normalize_channels(scope.g, input.enter(scope), mean, std)))
    }

    /// The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
    /// repeated for three.
    #[track_caller]
    pub fn rgb_to_grayscale(input: &Tensor) -> Tensor {
        rgb_to_grayscale_with(input, |o| o)
    }

    /// The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
    /// repeated for three.
    ///
    /// Options: `num_output_channels`.
    #[track_caller]
    pub fn rgb_to_grayscale_with(input: &Tensor, o: impl FnOnce(options::RgbToGrayscaleOptions) -> options::RgbToGrayscaleOptions) -> Tensor {
        let o = o(options::RgbToGrayscaleOptions::default());
        input.settle();
        record("rgb_to_grayscale", |scope| scope.leave(compose::rgb_to_grayscale(scope.g, input.enter(scope), o.num_output_channels)))
    }

    /// Repeats the one channel of images `[…, 1, H, W]` three times.
    #[track_caller]
    pub fn grayscale_to_rgb(input: &Tensor) -> Tensor {
        input.settle();
        record("grayscale_to_rgb", |scope| scope.leave(compose::grayscale_to_rgb(scope.g, input.enter(scope))))
    }

    /// Multiplies colours by a factor: 0 is black, 1 the image itself.
    #[track_caller]
    pub fn adjust_brightness(input: &Tensor, brightness_factor: f64) -> Tensor {
        input.settle();
        record("adjust_brightness", |scope| scope.leave(compose::adjust_brightness(scope.g, input.enter(scope), brightness_factor)))
    }

    /// Changes the contrast by a factor: 0 is the mean brightness everywhere, 1 the image itself.
    #[track_caller]
    pub fn adjust_contrast(input: &Tensor, contrast_factor: f64) -> Tensor {
        input.settle();
        record("adjust_contrast", |scope| scope.leave(compose::adjust_contrast(scope.g, input.enter(scope), contrast_factor)))
    }

    /// Changes the saturation by a factor: 0 is a gray image, 1 the image itself.
    #[track_caller]
    pub fn adjust_saturation(input: &Tensor, saturation_factor: f64) -> Tensor {
        input.settle();
        record("adjust_saturation", |scope| scope.leave(compose::adjust_saturation(scope.g, input.enter(scope), saturation_factor)))
    }
}

impl Tensor {
    /// Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
    #[track_caller]
    pub fn pixel_shuffle(&self, upscale_factor: usize) -> Tensor {
        functions::pixel_shuffle(self, upscale_factor)
    }

    /// Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
    #[track_caller]
    pub fn pixel_unshuffle(&self, downscale_factor: usize) -> Tensor {
        functions::pixel_unshuffle(self, downscale_factor)
    }

    /// Channel shuffle of `[N, C, …]`: the channels of each of `groups` groups are distributed to all
    /// groups.
    #[track_caller]
    pub fn channel_shuffle(&self, groups: usize) -> Tensor {
        functions::channel_shuffle(self, groups)
    }

    /// Another name for [`channel_shuffle`](Tensor::channel_shuffle).
    #[track_caller]
    pub fn native_channel_shuffle(&self, groups: usize) -> Tensor {
        functions::channel_shuffle(self, groups)
    }

    /// The part of an image that begins at `top` and `left`; elements outside the image are zero.
    #[track_caller]
    pub fn crop(&self, top: i64, left: i64, height: usize, width: usize) -> Tensor {
        functions::crop(self, top, left, height, width)
    }

    /// The centre of an image; `size` is one number for both axes or one for each. A smaller image is
    /// padded with zeros.
    #[track_caller]
    pub fn center_crop(&self, size: impl IntoList<usize>) -> Tensor {
        functions::center_crop(self, size)
    }

    /// Mirrors images left to right.
    #[track_caller]
    pub fn hflip(&self) -> Tensor {
        functions::hflip(self)
    }

    /// Mirrors images top to bottom.
    #[track_caller]
    pub fn vflip(&self) -> Tensor {
        functions::vflip(self)
    }

    /// `(input − mean) / std`, with one number for each channel, or one for all.
    #[track_caller]
    pub fn normalize_channels(&self, mean: impl IntoList<f64>, std: impl IntoList<f64>) -> Tensor {
        functions::normalize_channels(self, mean, std)
    }

    /// The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
    /// repeated for three.
    #[track_caller]
    pub fn rgb_to_grayscale(&self) -> Tensor {
        functions::rgb_to_grayscale(self)
    }

    /// The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
    /// repeated for three.
    ///
    /// Options: `num_output_channels`.
    #[track_caller]
    pub fn rgb_to_grayscale_with(&self, o: impl FnOnce(options::RgbToGrayscaleOptions) -> options::RgbToGrayscaleOptions) -> Tensor {
        functions::rgb_to_grayscale_with(self, o)
    }

    /// Repeats the one channel of images `[…, 1, H, W]` three times.
    #[track_caller]
    pub fn grayscale_to_rgb(&self) -> Tensor {
        functions::grayscale_to_rgb(self)
    }

    /// Multiplies colours by a factor: 0 is black, 1 the image itself.
    #[track_caller]
    pub fn adjust_brightness(&self, brightness_factor: f64) -> Tensor {
        functions::adjust_brightness(self, brightness_factor)
    }

    /// Changes the contrast by a factor: 0 is the mean brightness everywhere, 1 the image itself.
    #[track_caller]
    pub fn adjust_contrast(&self, contrast_factor: f64) -> Tensor {
        functions::adjust_contrast(self, contrast_factor)
    }

    /// Changes the saturation by a factor: 0 is a gray image, 1 the image itself.
    #[track_caller]
    pub fn adjust_saturation(&self, saturation_factor: f64) -> Tensor {
        functions::adjust_saturation(self, saturation_factor)
    }

}
