/** Pooling, dropout, padding and other layers without parameters. */
import { bound, type Given } from '../bind.ts';
import { ArgumentError } from '../errors.ts';
import * as F from '../generated/functions.ts';
import type { AvgPool1dOptions, AvgPool2dOptions, FoldOptions, Im2colOptions, InterpolateOptions, MaxPool2dOptions } from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { layer, Layer, type Lengths } from './layer.ts';

/** Settings of max pooling; for indices, use `maxPool2dWithIndices`. */
export type MaxPoolOptions = Pick<MaxPool2dOptions, 'stride' | 'padding' | 'dilation' | 'ceilMode'> & { returnIndices?: false };

type MaxPool = [kernelSize: Lengths, ...Given<MaxPoolOptions, ['stride', 'padding', 'dilation', 'returnIndices', 'ceilMode']>];
const MAX_POOL = 'kernelSize:l stride?l|null padding?l dilation?l returnIndices!false ceilMode?b';

/** Max pooling of sequences. */
export class MaxPool1d extends layer<MaxPool>(MAX_POOL, F.maxPool1d) {}

/** Max pooling of images. */
export class MaxPool2d extends layer<MaxPool>(MAX_POOL, F.maxPool2d) {}

/** Max pooling of volumes. */
export class MaxPool3d extends layer<MaxPool>(MAX_POOL, F.maxPool3d) {}

type AvgPool = [kernelSize: Lengths, ...Given<AvgPool2dOptions, ['stride', 'padding', 'ceilMode', 'countIncludePad', 'divisorOverride']>];
const AVG_POOL = 'kernelSize:l stride?l|null padding?l ceilMode?b countIncludePad?b divisorOverride?i|null';

/** Average pooling of sequences. */
export class AvgPool1d extends layer<[kernelSize: Lengths, ...Given<AvgPool1dOptions, ['stride', 'padding', 'ceilMode', 'countIncludePad', 'divisorOverride']>]>(AVG_POOL, F.avgPool1d) {}

/** Average pooling of images. */
export class AvgPool2d extends layer<AvgPool>(AVG_POOL, F.avgPool2d) {}

/** Average pooling of volumes. */
export class AvgPool3d extends layer<AvgPool>(AVG_POOL, F.avgPool3d) {}

/** Output lengths; `null` keeps the length of the input. */
export type Sizes = number | null | readonly (number | null)[];

const SIZE = 'outputSize:z';

/** Average pooling of sequences to a given length. */
export class AdaptiveAvgPool1d extends layer<[outputSize: Sizes]>(SIZE, F.adaptiveAvgPool1d) {}

/** Average pooling of images to a given size. */
export class AdaptiveAvgPool2d extends layer<[outputSize: Sizes]>(SIZE, F.adaptiveAvgPool2d) {}

/** Average pooling of volumes to a given size. */
export class AdaptiveAvgPool3d extends layer<[outputSize: Sizes]>(SIZE, F.adaptiveAvgPool3d) {}

type AdaptiveMax = [outputSize: Sizes, ...Given<{ returnIndices?: false }, ['returnIndices']>];
const MAX_SIZE = `${SIZE} returnIndices!false`;

/** Max pooling of sequences to a given length. */
export class AdaptiveMaxPool1d extends layer<AdaptiveMax>(MAX_SIZE, F.adaptiveMaxPool1d) {}

/** Max pooling of images to a given size. */
export class AdaptiveMaxPool2d extends layer<AdaptiveMax>(MAX_SIZE, F.adaptiveMaxPool2d) {}

/** Max pooling of volumes to a given size. */
export class AdaptiveMaxPool3d extends layer<AdaptiveMax>(MAX_SIZE, F.adaptiveMaxPool3d) {}

/** In training, sets elements to zero with probability `p` and scales the others up. */
export class Dropout extends Layer {
  /** The probability of dropping. */
  p: number;

  constructor(...given: Given<{ p?: number; inplace?: boolean }, ['p', 'inplace']>) {
    super();
    [this.p = 0.5] = bound<[number?]>(this, 'p?n inplace!b', given);
    if (!(this.p >= 0 && this.p <= 1)) throw new ArgumentError(`${this.constructor.name}: p is ${this.p}, expected a number from 0 to 1`);
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

/** Dropout that preserves mean and variance, for use after `SELU`. */
export class AlphaDropout extends Dropout {
  protected override drop(x: Tensor, p: number): Tensor {
    return F.alphaDropout(x, p, true);
  }
}

/** Flattens the axes from `startDim` to `endDim` into one. */
export class Flatten extends layer<Given<{ startDim?: number; endDim?: number }, ['startDim', 'endDim']>>('startDim?i endDim?i', (x: Tensor, start = 1, end = -1) => F.flatten(x, start, end)) {}

/** Splits one axis into several. */
export class Unflatten extends layer<[dim: number, unflattenedSize: readonly number[]]>('dim:i unflattenedSize:l', (x: Tensor, dim: number, sizes: readonly number[]) => F.unflatten(x, dim, sizes)) {}

/** Resizes sequences, images or volumes to `size` or by `scaleFactor`; `mode` is `'nearest'` by default. */
export class Upsample extends layer<Given<InterpolateOptions, ['size', 'scaleFactor', 'mode', 'alignCorners', 'recomputeScaleFactor', 'antialias']>>(
  'size?l|null scaleFactor?v|null mode?s alignCorners?b|null recomputeScaleFactor?b|null antialias?b', F.interpolate,
) {}

/** Rearranges channels into pixels of a larger image. */
export class PixelShuffle extends layer<[upscaleFactor: number]>('upscaleFactor:c', F.pixelShuffle) {}

/** Rearranges pixels into channels of a smaller image. */
export class PixelUnshuffle extends layer<[downscaleFactor: number]>('downscaleFactor:c', F.pixelUnshuffle) {}

/** Interleaves groups of channels. */
export class ChannelShuffle extends layer<[groups: number]>('groups:c', F.channelShuffle) {}

const WINDOWS = 'kernelSize:l dilation?l padding?l stride?l';

/** Extracts windows of images as columns. */
export class Unfold extends layer<[kernelSize: Lengths, ...Given<Im2colOptions, ['dilation', 'padding', 'stride']>]>(WINDOWS, F.im2col) {}

/** Combines columns into windows of images; overlaps are added. */
export class Fold extends layer<[outputSize: Lengths, kernelSize: Lengths, ...Given<FoldOptions, ['dilation', 'padding', 'stride']>]>(`outputSize:l ${WINDOWS}`, F.fold) {}

type PadMode = 'constant' | 'reflect' | 'replicate' | 'circular';

/** Pads both ends of the last `axes` axes, the last first: one number for all, or one for each end. */
function pads(axes: number, mode: PadMode): new (padding: Lengths) => Layer {
  return layer<[padding: Lengths]>('padding:l', (x: Tensor, padding: Lengths) => pad(x, axes, padding, mode));
}

function pad(x: Tensor, axes: number, padding: Lengths, mode: PadMode, value: number | null = null): Tensor {
  return F.pad(x, typeof padding === 'number' ? Array.from({ length: 2 * axes }, () => padding) : padding, mode, value);
}

/** Pads sequences with zeros. */
export class ZeroPad1d extends pads(1, 'constant') {}

/** Pads images with zeros: one number, or left, right, top and bottom. */
export class ZeroPad2d extends pads(2, 'constant') {}

type Constant = [padding: Lengths, value: number];

/** Pads sequences with a number. */
export class ConstantPad1d extends layer<Constant>('padding:l value:n', (x: Tensor, ...[padding, value]: Constant) => pad(x, 1, padding, 'constant', value)) {}

/** Pads images with a number. */
export class ConstantPad2d extends layer<Constant>('padding:l value:n', (x: Tensor, ...[padding, value]: Constant) => pad(x, 2, padding, 'constant', value)) {}

/** Pads sequences by reflection. */
export class ReflectionPad1d extends pads(1, 'reflect') {}

/** Pads images by reflection. */
export class ReflectionPad2d extends pads(2, 'reflect') {}

/** Pads sequences by repeating the ends. */
export class ReplicationPad1d extends pads(1, 'replicate') {}

/** Pads images by repeating the edges. */
export class ReplicationPad2d extends pads(2, 'replicate') {}

/** Pads images circularly. */
export class CircularPad2d extends pads(2, 'circular') {}
