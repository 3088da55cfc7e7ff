/** Layers that pool, drop or put elements elsewhere. */
import * as F from '../generated/functions.ts';
import type { AvgPool1dOptions, AvgPool2dOptions, FoldOptions, Im2colOptions, InterpolateOptions, MaxPool2dOptions } from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { layer, Layer, type Lengths } from './layer.ts';

/** Settings of pools of the largest. */
export type MaxPoolOptions = Pick<MaxPool2dOptions, 'stride' | 'padding' | 'dilation' | 'ceilMode'>;

/** The largest element of each window of one axis. */
export class MaxPool1d extends layer((x: Tensor, kernel: Lengths, options: MaxPoolOptions = {}) => F.maxPool1d(x, kernel, options)) {}

/** The largest element of each window of two axes. */
export class MaxPool2d extends layer((x: Tensor, kernel: Lengths, options: MaxPoolOptions = {}) => F.maxPool2d(x, kernel, options)) {}

/** The largest element of each window of three axes. */
export class MaxPool3d extends layer((x: Tensor, kernel: Lengths, options: MaxPoolOptions = {}) => F.maxPool3d(x, kernel, options)) {}

/** The mean of each window of one axis. */
export class AvgPool1d extends layer((x: Tensor, kernel: Lengths, options: AvgPool1dOptions = {}) => F.avgPool1d(x, kernel, options)) {}

/** The mean of each window of two axes. */
export class AvgPool2d extends layer((x: Tensor, kernel: Lengths, options: AvgPool2dOptions = {}) => F.avgPool2d(x, kernel, options)) {}

/** The mean of each window of three axes. */
export class AvgPool3d extends layer((x: Tensor, kernel: Lengths, options: AvgPool2dOptions = {}) => F.avgPool3d(x, kernel, options)) {}

/** Lengths of a result; `null` keeps that of an axis. */
export type Sizes = number | null | readonly (number | null)[];

/** Means of as many windows as make a sequence of a given length. */
export class AdaptiveAvgPool1d extends layer((x: Tensor, size: Sizes) => F.adaptiveAvgPool1d(x, size)) {}

/** Means of as many windows as make an image of a given size. */
export class AdaptiveAvgPool2d extends layer((x: Tensor, size: Sizes) => F.adaptiveAvgPool2d(x, size)) {}

/** Means of as many windows as make a volume of a given size. */
export class AdaptiveAvgPool3d extends layer((x: Tensor, size: Sizes) => F.adaptiveAvgPool3d(x, size)) {}

/** Largest elements of as many windows as make a sequence of a given length. */
export class AdaptiveMaxPool1d extends layer((x: Tensor, size: Sizes) => F.adaptiveMaxPool1d(x, size)) {}

/** Largest elements of as many windows as make an image of a given size. */
export class AdaptiveMaxPool2d extends layer((x: Tensor, size: Sizes) => F.adaptiveMaxPool2d(x, size)) {}

/** Largest elements of as many windows as make a volume of a given size. */
export class AdaptiveMaxPool3d extends layer((x: Tensor, size: Sizes) => F.adaptiveMaxPool3d(x, size)) {}

/** In training, sets elements to zero at this rate and scales the others up. */
export class Dropout extends Layer {
  constructor(private readonly p = 0.5) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return this.training && this.p > 0 ? this.drop(x, this.p) : x;
  }

  protected drop(x: Tensor, p: number): Tensor {
    return F.dropout(x, p);
  }
}

/** In training, sets channels of sequences to zero. */
export class Dropout1d extends Dropout {
  protected override drop(x: Tensor, p: number): Tensor {
    return F.dropout1d(x, p);
  }
}

/** In training, sets channels of images to zero. */
export class Dropout2d extends Dropout {
  protected override drop(x: Tensor, p: number): Tensor {
    return F.featureDropout(x, p);
  }
}

/** In training, sets channels of volumes to zero. */
export class Dropout3d extends Dropout {
  protected override drop(x: Tensor, p: number): Tensor {
    return F.dropout3d(x, p);
  }
}

/** In training, drops elements so that mean and variance stay, as behind `SELU`. */
export class AlphaDropout extends Dropout {
  protected override drop(x: Tensor, p: number): Tensor {
    return F.alphaDropout(x, p);
  }
}

/** Axes from `start` to `end` as one. */
export class Flatten extends layer((x: Tensor, start: number = 1, end: number = -1) => F.flatten(x, start, end)) {}

/** One axis as several. */
export class Unflatten extends layer((x: Tensor, dim: number, sizes: readonly number[]) => F.unflatten(x, dim, sizes)) {}

/** Sequences, images or volumes of another size: `size` or `scaleFactor`, and how, which is `'nearest'` by default. */
export class Upsample extends layer((x: Tensor, options: InterpolateOptions) => F.interpolate(x, options)) {}

/** Channels as pixels of an image so many times as large. */
export class PixelShuffle extends layer((x: Tensor, factor: number) => F.pixelShuffle(x, factor)) {}

/** Pixels as channels of an image so many times as small. */
export class PixelUnshuffle extends layer((x: Tensor, factor: number) => F.pixelUnshuffle(x, factor)) {}

/** Groups of channels, mixed. */
export class ChannelShuffle extends layer((x: Tensor, groups: number) => F.channelShuffle(x, groups)) {}

/** Windows of images as columns. */
export class Unfold extends layer((x: Tensor, kernel: Lengths, options: Im2colOptions = {}) => F.im2col(x, kernel, options)) {}

/** Columns as windows of images, added where they overlap. */
export class Fold extends layer((x: Tensor, size: Lengths, kernel: Lengths, options: FoldOptions = {}) => F.fold(x, size, kernel, options)) {}

type PadMode = 'constant' | 'reflect' | 'replicate' | 'circular';

/** On both ends of so many axes, the last first: one number for all, or one for each end. */
function padded(x: Tensor, axes: number, padding: Lengths, mode: PadMode, value: number | null = null): Tensor {
  return F.pad(x, typeof padding === 'number' ? Array.from({ length: 2 * axes }, () => padding) : padding, mode, value);
}

/** Zeros at both ends of sequences. */
export class ZeroPad1d extends layer((x: Tensor, padding: Lengths) => padded(x, 1, padding, 'constant')) {}

/** Zeros around images: one number, or left, right, top and bottom. */
export class ZeroPad2d extends layer((x: Tensor, padding: Lengths) => padded(x, 2, padding, 'constant')) {}

/** A number at both ends of sequences. */
export class ConstantPad1d extends layer((x: Tensor, padding: Lengths, value: number) => padded(x, 1, padding, 'constant', value)) {}

/** A number around images. */
export class ConstantPad2d extends layer((x: Tensor, padding: Lengths, value: number) => padded(x, 2, padding, 'constant', value)) {}

/** What lies near the ends of sequences, mirrored beyond them. */
export class ReflectionPad1d extends layer((x: Tensor, padding: Lengths) => padded(x, 1, padding, 'reflect')) {}

/** What lies near the edges of images, mirrored beyond them. */
export class ReflectionPad2d extends layer((x: Tensor, padding: Lengths) => padded(x, 2, padding, 'reflect')) {}

/** The ends of sequences, repeated. */
export class ReplicationPad1d extends layer((x: Tensor, padding: Lengths) => padded(x, 1, padding, 'replicate')) {}

/** The edges of images, repeated. */
export class ReplicationPad2d extends layer((x: Tensor, padding: Lengths) => padded(x, 2, padding, 'replicate')) {}

/** Images that go on at the other edge. */
export class CircularPad2d extends layer((x: Tensor, padding: Lengths) => padded(x, 2, padding, 'circular')) {}
