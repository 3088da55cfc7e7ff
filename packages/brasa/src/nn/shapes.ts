/** Layers that pool, drop or put elements elsewhere. */
import { bound, type Given } from '../bind.ts';
import { ArgumentError } from '../errors.ts';
import * as F from '../generated/functions.ts';
import type { AvgPool1dOptions, AvgPool2dOptions, FoldOptions, Im2colOptions, InterpolateOptions, MaxPool2dOptions } from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { layer, Layer, type Lengths } from './layer.ts';

/** Settings of pools of the largest; indices are what `maxPool2dWithIndices` gives. */
export type MaxPoolOptions = Pick<MaxPool2dOptions, 'stride' | 'padding' | 'dilation' | 'ceilMode'> & { returnIndices?: false };

type MaxPool = [kernelSize: Lengths, ...Given<MaxPoolOptions, ['stride', 'padding', 'dilation', 'returnIndices', 'ceilMode']>];
const MAX_POOL = 'kernelSize:l stride?l|null padding?l dilation?l returnIndices!false ceilMode?b';

/** The largest element of each window of one axis. */
export class MaxPool1d extends layer<MaxPool>(MAX_POOL, F.maxPool1d) {}

/** The largest element of each window of two axes. */
export class MaxPool2d extends layer<MaxPool>(MAX_POOL, F.maxPool2d) {}

/** The largest element of each window of three axes. */
export class MaxPool3d extends layer<MaxPool>(MAX_POOL, F.maxPool3d) {}

type AvgPool = [kernelSize: Lengths, ...Given<AvgPool2dOptions, ['stride', 'padding', 'ceilMode', 'countIncludePad', 'divisorOverride']>];
const AVG_POOL = 'kernelSize:l stride?l|null padding?l ceilMode?b countIncludePad?b divisorOverride?i|null';

/** The mean of each window of one axis. */
export class AvgPool1d extends layer<[kernelSize: Lengths, ...Given<AvgPool1dOptions, ['stride', 'padding', 'ceilMode', 'countIncludePad', 'divisorOverride']>]>(AVG_POOL, F.avgPool1d) {}

/** The mean of each window of two axes. */
export class AvgPool2d extends layer<AvgPool>(AVG_POOL, F.avgPool2d) {}

/** The mean of each window of three axes. */
export class AvgPool3d extends layer<AvgPool>(AVG_POOL, F.avgPool3d) {}

/** Lengths of a result; `null` keeps that of an axis. */
export type Sizes = number | null | readonly (number | null)[];

const SIZE = 'outputSize:z';

/** Means of as many windows as make a sequence of a given length. */
export class AdaptiveAvgPool1d extends layer<[outputSize: Sizes]>(SIZE, F.adaptiveAvgPool1d) {}

/** Means of as many windows as make an image of a given size. */
export class AdaptiveAvgPool2d extends layer<[outputSize: Sizes]>(SIZE, F.adaptiveAvgPool2d) {}

/** Means of as many windows as make a volume of a given size. */
export class AdaptiveAvgPool3d extends layer<[outputSize: Sizes]>(SIZE, F.adaptiveAvgPool3d) {}

type AdaptiveMax = [outputSize: Sizes, ...Given<{ returnIndices?: false }, ['returnIndices']>];
const MAX_SIZE = `${SIZE} returnIndices!false`;

/** Largest elements of as many windows as make a sequence of a given length. */
export class AdaptiveMaxPool1d extends layer<AdaptiveMax>(MAX_SIZE, F.adaptiveMaxPool1d) {}

/** Largest elements of as many windows as make an image of a given size. */
export class AdaptiveMaxPool2d extends layer<AdaptiveMax>(MAX_SIZE, F.adaptiveMaxPool2d) {}

/** Largest elements of as many windows as make a volume of a given size. */
export class AdaptiveMaxPool3d extends layer<AdaptiveMax>(MAX_SIZE, F.adaptiveMaxPool3d) {}

/** In training, sets elements to zero at this rate and scales the others up. */
export class Dropout extends Layer {
  /** The rate. */
  p: number;

  constructor(...given: Given<{ p?: number; inplace?: boolean }, ['p', 'inplace']>) {
    super();
    [this.p = 0.5] = bound<[number?]>(this, 'p?n inplace!b', given);
    if (!(this.p >= 0 && this.p <= 1)) throw new ArgumentError(`${this.constructor.name}: p is ${this.p}, expected a rate from 0 to 1`);
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
    return F.alphaDropout(x, p, true);
  }
}

/** Axes from `startDim` to `endDim` as one. */
export class Flatten extends layer<Given<{ startDim?: number; endDim?: number }, ['startDim', 'endDim']>>('startDim?i endDim?i', (x: Tensor, start = 1, end = -1) => F.flatten(x, start, end)) {}

/** One axis as several. */
export class Unflatten extends layer<[dim: number, unflattenedSize: readonly number[]]>('dim:i unflattenedSize:l', (x: Tensor, dim: number, sizes: readonly number[]) => F.unflatten(x, dim, sizes)) {}

/** Sequences, images or volumes of another size: `size` or `scaleFactor`, and how, which is `'nearest'` by default. */
export class Upsample extends layer<Given<InterpolateOptions, ['size', 'scaleFactor', 'mode', 'alignCorners', 'recomputeScaleFactor', 'antialias']>>(
  'size?l|null scaleFactor?v|null mode?s alignCorners?b|null recomputeScaleFactor?b|null antialias?b', F.interpolate,
) {}

/** Channels as pixels of an image so many times as large. */
export class PixelShuffle extends layer<[upscaleFactor: number]>('upscaleFactor:c', F.pixelShuffle) {}

/** Pixels as channels of an image so many times as small. */
export class PixelUnshuffle extends layer<[downscaleFactor: number]>('downscaleFactor:c', F.pixelUnshuffle) {}

/** Groups of channels, mixed. */
export class ChannelShuffle extends layer<[groups: number]>('groups:c', F.channelShuffle) {}

const WINDOWS = 'kernelSize:l dilation?l padding?l stride?l';

/** Windows of images as columns. */
export class Unfold extends layer<[kernelSize: Lengths, ...Given<Im2colOptions, ['dilation', 'padding', 'stride']>]>(WINDOWS, F.im2col) {}

/** Columns as windows of images, added where they overlap. */
export class Fold extends layer<[outputSize: Lengths, kernelSize: Lengths, ...Given<FoldOptions, ['dilation', 'padding', 'stride']>]>(`outputSize:l ${WINDOWS}`, F.fold) {}

type PadMode = 'constant' | 'reflect' | 'replicate' | 'circular';

/** Pads both ends of so many axes, the last first: one number for all, or one for each end. */
function pads(axes: number, mode: PadMode): new (padding: Lengths) => Layer {
  return layer<[padding: Lengths]>('padding:l', (x: Tensor, padding: Lengths) => padded(x, axes, padding, mode));
}

function padded(x: Tensor, axes: number, padding: Lengths, mode: PadMode, value: number | null = null): Tensor {
  return F.pad(x, typeof padding === 'number' ? Array.from({ length: 2 * axes }, () => padding) : padding, mode, value);
}

/** Zeros at both ends of sequences. */
export class ZeroPad1d extends pads(1, 'constant') {}

/** Zeros around images: one number, or left, right, top and bottom. */
export class ZeroPad2d extends pads(2, 'constant') {}

type Constant = [padding: Lengths, value: number];

/** A number at both ends of sequences. */
export class ConstantPad1d extends layer<Constant>('padding:l value:n', (x: Tensor, ...[padding, value]: Constant) => padded(x, 1, padding, 'constant', value)) {}

/** A number around images. */
export class ConstantPad2d extends layer<Constant>('padding:l value:n', (x: Tensor, ...[padding, value]: Constant) => padded(x, 2, padding, 'constant', value)) {}

/** What lies near the ends of sequences, mirrored beyond them. */
export class ReflectionPad1d extends pads(1, 'reflect') {}

/** What lies near the edges of images, mirrored beyond them. */
export class ReflectionPad2d extends pads(2, 'reflect') {}

/** The ends of sequences, repeated. */
export class ReplicationPad1d extends pads(1, 'replicate') {}

/** The edges of images, repeated. */
export class ReplicationPad2d extends pads(2, 'replicate') {}

/** Images that go on at the other edge. */
export class CircularPad2d extends pads(2, 'circular') {}
