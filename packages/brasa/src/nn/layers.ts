/** Layers with parameters: thin classes over ops. Shapes and names of parameters are PyTorch's. */
import { noGrad } from '../autograd.ts';
import { bound, type Given } from '../bind.ts';
import { ones, tensor, zeros } from '../create.ts';
import * as F from '../generated/functions.ts';
import type { LocalResponseNormOptions } from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { init } from './init.ts';
import { layer, Layer, type Lengths } from './layer.ts';
import { Buffer, Module, param, type Parameter } from './module.ts';

/** Repeats a single length for all axes. */
function perAxis(lengths: Lengths, rank: number): number[] {
  const listed = typeof lengths === 'number' ? [lengths] : [...lengths];
  return listed.length === 1 ? Array.from({ length: rank }, () => listed[0] as number) : listed;
}

const product = (lengths: readonly number[]): number => lengths.reduce((sum, len) => sum * len, 1);

/** `x · weightᵀ + bias`, with `weight [out, in]`. */
export class Linear extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor(...given: [inFeatures: number, outFeatures: number, ...Given<{ bias?: boolean }, ['bias']>]) {
    super();
    const [inFeatures, outFeatures, bias = true] = bound<[number, number, boolean?]>(this, 'inFeatures:c outFeatures:c bias?b', given);
    const first = init.layer(inFeatures);
    this.weight = param([outFeatures, inFeatures], { init: first });
    this.bias = bias ? param([outFeatures], { init: first, decay: false }) : null;
  }

  override forward(x: Tensor): Tensor {
    return F.linear(x, this.weight, this.bias);
  }
}

/** `x1ᵀ · weight · x2 + bias` for each output. */
export class Bilinear extends Module<[Tensor, Tensor], Tensor> {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor(...given: [in1Features: number, in2Features: number, outFeatures: number, ...Given<{ bias?: boolean }, ['bias']>]) {
    super();
    const [in1, in2, outFeatures, bias = true] = bound<[number, number, number, boolean?]>(this, 'in1Features:c in2Features:c outFeatures:c bias?b', given);
    const first = init.layer(in1);
    this.weight = param([outFeatures, in1, in2], { init: first });
    this.bias = bias ? param([outFeatures], { init: first, decay: false }) : null;
  }

  override forward(x1: Tensor, x2: Tensor): Tensor {
    return F.bilinear(x1, x2, this.weight, this.bias);
  }
}

const EMBEDDING = 'numEmbeddings:c embeddingDim:c';

/** A vector of `embeddingDim` numbers for each of `numEmbeddings` indices. */
export class Embedding extends Layer {
  readonly weight: Parameter;

  readonly #padding: number | null | undefined;

  /** The vector of `paddingIdx` is zero and not trained. */
  constructor(...given: [numEmbeddings: number, embeddingDim: number, ...Given<{ paddingIdx?: number | null }, ['paddingIdx']>]) {
    super();
    const [words, features, paddingIdx] = bound<[number, number, (number | null)?]>(this, `${EMBEDDING} paddingIdx?i|null`, given);
    this.weight = param([words, features], { init: init.normal() });
    this.#padding = paddingIdx;
    if (typeof paddingIdx === 'number') noGrad(() => this.weight.copy_(F.indexFill(this.weight, 0, tensor([paddingIdx], { dtype: 'i32' }), 0)));
  }

  override forward(ids: Tensor): Tensor {
    return F.embedding(ids, this.weight, this.#padding);
  }
}

type Mode = 'sum' | 'mean' | 'max';

/** Settings of `EmbeddingBag`; the first three support only PyTorch's defaults. */
export interface EmbeddingBagOptions {
  maxNorm?: null;
  normType?: number;
  scaleGradByFreq?: false;
  mode?: Mode;
}

/** Sum, mean or maximum of the embeddings of each bag of indices. */
export class EmbeddingBag extends Module<[Tensor, Tensor?], Tensor> {
  readonly weight: Parameter;
  readonly #mode: Mode;

  constructor(...given: [numEmbeddings: number, embeddingDim: number, ...Given<EmbeddingBagOptions, ['maxNorm', 'normType', 'scaleGradByFreq', 'mode']>]) {
    super();
    const [words, features, mode = 'mean'] = bound<[number, number, Mode?]>(this, `${EMBEDDING} maxNorm!null normType!n scaleGradByFreq!false mode?sum|mean|max`, given);
    this.weight = param([words, features], { init: init.normal() });
    this.#mode = mode;
  }

  /** For bags `ids [bags, indices]`, or for bags that begin at `offsets` in a flat list. */
  override forward(ids: Tensor, offsets?: Tensor): Tensor {
    return F.embeddingBag(ids, this.weight, offsets, this.#mode);
  }
}

/** Settings of convolutions. */
export interface ConvOptions {
  stride?: Lengths;
  padding?: Lengths | 'same' | 'valid';
  dilation?: Lengths;
  groups?: number;
  bias?: boolean;
}

/** Constructor arguments of convolutions. */
export type ConvArguments = [inChannels: number, outChannels: number, kernelSize: Lengths, ...Given<ConvOptions, ['stride', 'padding', 'dilation', 'groups', 'bias']>];

type Conv = (x: Tensor, weight: Tensor, bias: Tensor | null, ...settings: never[]) => Tensor;

const CHANNELS = 'inChannels:c outChannels:c kernelSize:l stride?l padding?l';

/** Weights `[from, to / groups, …kernel]`, and a bias unless `biases` is 0. */
function kernels(from: number, to: number, groups: number, kernel: Lengths, rank: number, biases: number): [Parameter, Parameter | null] {
  const shape = [from, Math.floor(to / Math.max(groups, 1)), ...perAxis(kernel, rank)];
  const first = init.layer(product(shape.slice(1)));
  return [param(shape, { init: first }), biases ? param([biases], { init: first, decay: false }) : null];
}

abstract class Convolution extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  readonly #settings: readonly unknown[];

  protected constructor(private readonly op: Conv, rank: number, given: ConvArguments) {
    super();
    const [inChannels, outChannels, kernel, stride, padding, dilation, groups = 1, bias = true] =
      bound<[number, number, Lengths, unknown, unknown, unknown, number?, boolean?]>(this, `${CHANNELS}|same|valid dilation?l groups?c bias?b`, given);
    [this.weight, this.bias] = kernels(outChannels, inChannels, groups, kernel, rank, bias ? outChannels : 0);
    this.#settings = [stride, padding, dilation, groups];
  }

  override forward(x: Tensor): Tensor {
    return this.op(x, this.weight, this.bias, ...(this.#settings as never[]));
  }
}

/** Convolution over one axis, of `x [batch, in, length]`. */
export class Conv1d extends Convolution {
  constructor(...given: ConvArguments) {
    super(F.conv1d, 1, given);
  }
}

/** Convolution over two axes, of `x [batch, in, height, width]`. */
export class Conv2d extends Convolution {
  constructor(...given: ConvArguments) {
    super(F.conv2d, 2, given);
  }
}

/** Convolution over three axes. */
export class Conv3d extends Convolution {
  constructor(...given: ConvArguments) {
    super(F.conv3d, 3, given);
  }
}

/** Settings of transposed convolutions. */
export interface ConvTransposeOptions {
  stride?: Lengths;
  padding?: Lengths;
  outputPadding?: Lengths;
  groups?: number;
  bias?: boolean;
  dilation?: Lengths;
}

/** Constructor arguments of transposed convolutions. */
export type ConvTransposeArguments = [
  inChannels: number, outChannels: number, kernelSize: Lengths, ...Given<ConvTransposeOptions, ['stride', 'padding', 'outputPadding', 'groups', 'bias', 'dilation']>,
];

abstract class TransposedConvolution extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  readonly #settings: readonly unknown[];

  protected constructor(private readonly op: Conv, rank: number, given: ConvTransposeArguments) {
    super();
    const [inChannels, outChannels, kernel, stride, padding, outputPadding, groups = 1, bias = true, dilation] =
      bound<[number, number, Lengths, unknown, unknown, unknown, number?, boolean?, unknown?]>(this, `${CHANNELS} outputPadding?l groups?c bias?b dilation?l`, given);
    [this.weight, this.bias] = kernels(inChannels, outChannels, groups, kernel, rank, bias ? outChannels : 0);
    this.#settings = [stride, padding, outputPadding, groups, dilation];
  }

  override forward(x: Tensor): Tensor {
    return this.op(x, this.weight, this.bias, ...(this.#settings as never[]));
  }
}

/** Transposed convolution over one axis. */
export class ConvTranspose1d extends TransposedConvolution {
  constructor(...given: ConvTransposeArguments) {
    super(F.convTranspose1d, 1, given);
  }
}

/** Transposed convolution over two axes. */
export class ConvTranspose2d extends TransposedConvolution {
  constructor(...given: ConvTransposeArguments) {
    super(F.convTranspose2d, 2, given);
  }
}

/** Transposed convolution over three axes. */
export class ConvTranspose3d extends TransposedConvolution {
  constructor(...given: ConvTransposeArguments) {
    super(F.convTranspose3d, 3, given);
  }
}

const listed = (shape: Lengths): readonly number[] => (typeof shape === 'number' ? [shape] : shape);

/** Normalizes the last axes to mean 0 and variance 1, then scales and shifts. */
export class LayerNorm extends Layer {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly #shape: readonly number[];
  eps: number;

  constructor(...given: [normalizedShape: Lengths, ...Given<{ eps?: number; elementwiseAffine?: boolean; bias?: boolean }, ['eps', 'elementwiseAffine', 'bias']>]) {
    super();
    const [shape, eps = 1e-5, affine = true, bias = true] = bound<[Lengths, number?, boolean?, boolean?]>(this, 'normalizedShape:l eps?n elementwiseAffine?b bias?b', given);
    this.#shape = listed(shape);
    this.eps = eps;
    this.weight = affine ? param(this.#shape, { init: 'ones' }) : null;
    this.bias = affine && bias ? param(this.#shape, { init: 'zeros' }) : null;
  }

  override forward(x: Tensor): Tensor {
    return F.layerNorm(x, this.#shape, this.weight, this.bias, this.eps);
  }
}

/** Normalizes the last axes to mean square 1, then scales. `eps` defaults to the machine epsilon of the dtype. */
export class RMSNorm extends Layer {
  readonly weight: Parameter | null;
  readonly #shape: readonly number[];
  eps: number | null;

  constructor(...given: [normalizedShape: Lengths, ...Given<{ eps?: number | null; elementwiseAffine?: boolean }, ['eps', 'elementwiseAffine']>]) {
    super();
    const [shape, eps = null, affine = true] = bound<[Lengths, (number | null)?, boolean?]>(this, 'normalizedShape:l eps?n|null elementwiseAffine?b', given);
    this.#shape = listed(shape);
    this.eps = eps;
    this.weight = affine ? param(this.#shape, { init: 'ones' }) : null;
  }

  override forward(x: Tensor): Tensor {
    return F.rmsNorm(x, this.#shape, this.weight, this.eps);
  }
}

/** Scale and shift per channel, if `wanted`. */
function affineOf(channels: number, wanted: boolean): [Parameter | null, Parameter | null] {
  return wanted ? [param([channels], { init: 'ones' }), param([channels], { init: 'zeros' })] : [null, null];
}

/** Settings of norms. */
export interface NormOptions {
  eps?: number;
  /** Whether there are a trainable scale and shift. */
  affine?: boolean;
}

/** Settings of batch norms. */
export interface BatchNormOptions extends NormOptions {
  momentum?: number;
  trackRunningStats?: true;
}

/** Normalizes each channel over the batch to mean 0 and variance 1, then scales and shifts. */
class BatchNorm extends Layer {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly running_mean: Buffer;
  readonly running_var: Buffer;
  readonly num_batches_tracked: Buffer;
  momentum: number;
  eps: number;

  constructor(...given: [numFeatures: number, ...Given<BatchNormOptions, ['eps', 'momentum', 'affine', 'trackRunningStats']>]) {
    super();
    const [channels, eps = 1e-5, momentum = 0.1, affine = true] = bound<[number, number?, number?, boolean?]>(this, 'numFeatures:c eps?n momentum?n affine?b trackRunningStats!true', given);
    [this.weight, this.bias] = affineOf(channels, affine);
    this.running_mean = new Buffer(zeros([channels]));
    this.running_var = new Buffer(ones([channels]));
    this.num_batches_tracked = new Buffer(zeros([], { dtype: 'i64' }));
    this.momentum = momentum;
    this.eps = eps;
  }

  override forward(x: Tensor): Tensor {
    const { weight, bias, training, momentum, eps, running_mean: runningMean, running_var: runningVar } = this;
    const y = F.batchNorm(x, runningMean, runningVar, weight, bias, training, momentum, eps);
    if (training) {
      noGrad(() => {
        const [mean, variance] = F.batchNormStats(x, runningMean, runningVar, momentum);
        runningMean.copy_(mean);
        runningVar.copy_(variance);
        this.num_batches_tracked.copy_(this.num_batches_tracked.add(1));
      });
    }
    return y;
  }
}

/** Batch normalization of `[batch, channels]` or `[batch, channels, length]`. */
export class BatchNorm1d extends BatchNorm {}

/** Batch normalization of images. */
export class BatchNorm2d extends BatchNorm {}

/** Batch normalization of volumes. */
export class BatchNorm3d extends BatchNorm {}

/** Normalizes groups of channels of each example to mean 0 and variance 1, then scales and shifts. */
export class GroupNorm extends Layer {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly #groups: number;
  eps: number;

  constructor(...given: [numGroups: number, numChannels: number, ...Given<NormOptions, ['eps', 'affine']>]) {
    super();
    const [groups, channels, eps = 1e-5, affine = true] = bound<[number, number, number?, boolean?]>(this, 'numGroups:c numChannels:c eps?n affine?b', given);
    [this.weight, this.bias] = affineOf(channels, affine);
    this.#groups = groups;
    this.eps = eps;
  }

  override forward(x: Tensor): Tensor {
    return F.groupNorm(x, this.#groups, this.weight, this.bias, this.eps);
  }
}

/** Base of instance norms. */
abstract class ExampleNorm extends Layer {
  weight: Parameter | null = null;
  bias: Parameter | null = null;
  eps = 1e-5;

  override forward(x: Tensor): Tensor {
    return F.instanceNorm(x, { weight: this.weight, bias: this.bias, eps: this.eps });
  }
}

/** Normalizes each channel of each example to mean 0 and variance 1; with `channels`, then scales and shifts. */
export class InstanceNorm extends ExampleNorm {
  constructor(...given: [options?: { eps?: number; channels?: number }]) {
    super();
    const [eps = this.eps, channels] = bound<[number?, number?]>(this, '* eps?n channels?c', given);
    [this.weight, this.bias] = affineOf(channels ?? 0, channels !== undefined);
    this.eps = eps;
  }
}

/** Settings of instance norms. `momentum` is accepted for PyTorch, where it only affects running statistics. */
export interface InstanceNormOptions extends NormOptions {
  momentum?: number;
  trackRunningStats?: false;
}

/** Instance normalization of sequences. */
export class InstanceNorm1d extends ExampleNorm {
  constructor(...given: [numFeatures: number, ...Given<InstanceNormOptions, ['eps', 'momentum', 'affine', 'trackRunningStats']>]) {
    super();
    const [channels, eps = this.eps, affine = false] = bound<[number, number?, boolean?]>(this, 'numFeatures:c eps?n momentum!n affine?b trackRunningStats!false', given);
    [this.weight, this.bias] = affineOf(channels, affine);
    this.eps = eps;
  }
}

/** Instance normalization of images. */
export class InstanceNorm2d extends InstanceNorm1d {}

/** Instance normalization of volumes. */
export class InstanceNorm3d extends InstanceNorm1d {}

/** Divides each element by a power of the mean square of the `size` channels around it. */
export class LocalResponseNorm extends layer<[size: number, ...Given<LocalResponseNormOptions, ['alpha', 'beta', 'k']>]>('size:c alpha?n beta?n k?n', F.localResponseNorm) {}
