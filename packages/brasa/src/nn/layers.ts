/** Layers: thin classes over ops. Shapes and names of parameters are PyTorch's. */
import { noGrad } from '../autograd.ts';
import { ones, tensor, zeros } from '../create.ts';
import * as F from '../generated/functions.ts';
import type { LocalResponseNormOptions } from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { init } from './init.ts';
import { layer, Layer, type Lengths } from './layer.ts';
import { Buffer, Module, param, type Parameter } from './module.ts';

function spread(lengths: Lengths, rank: number): number[] {
  const listed = typeof lengths === 'number' ? [lengths] : [...lengths];
  return listed.length === 1 ? Array.from({ length: rank }, () => listed[0] as number) : listed;
}

const product = (lengths: readonly number[]): number => lengths.reduce((sum, len) => sum * len, 1);

/** `x · weightᵀ + bias`, with `weight [out, in]`. */
export class Linear extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor(inFeatures: number, outFeatures: number, { bias = true }: { bias?: boolean } = {}) {
    super();
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
  readonly bias: Parameter;

  constructor(in1: number, in2: number, outFeatures: number) {
    super();
    const first = init.layer(in1);
    this.weight = param([outFeatures, in1, in2], { init: first });
    this.bias = param([outFeatures], { init: first, decay: false });
  }

  override forward(x1: Tensor, x2: Tensor): Tensor {
    return F.bilinear(x1, x2, this.weight, this.bias);
  }
}

/** A row of numbers for each of so many words. */
export class Embedding extends Layer {
  readonly weight: Parameter;

  readonly #padding: number | null;

  /** The word `paddingIdx` is all zeros and is not learnt. */
  constructor(words: number, features: number, { paddingIdx = null }: { paddingIdx?: number | null } = {}) {
    super();
    this.weight = param([words, features], { init: init.normal() });
    this.#padding = paddingIdx;
    if (paddingIdx !== null) noGrad(() => this.weight.copy_(F.indexFill(this.weight, 0, tensor([paddingIdx], { dtype: 'i32' }), 0)));
  }

  override forward(ids: Tensor): Tensor {
    return F.embedding(ids, this.weight, this.#padding);
  }
}

/** Sums, means or largest elements of the rows of bags of words. */
export class EmbeddingBag extends Module<[Tensor, Tensor?], Tensor> {
  readonly weight: Parameter;

  constructor(words: number, features: number, private readonly options: { mode?: 'sum' | 'mean' | 'max' } = {}) {
    super();
    this.weight = param([words, features], { init: init.normal() });
  }

  /** Of bags `ids [bags, words]`, or of bags that begin at `offsets` in a list. */
  override forward(ids: Tensor, offsets?: Tensor): Tensor {
    return F.embeddingBag(ids, this.weight, { offsets: offsets ?? null, mode: this.options.mode ?? 'mean' });
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

type Conv = (x: Tensor, weight: Tensor, options: { bias: Tensor | null; stride: Lengths; padding: Lengths | 'same' | 'valid'; dilation: Lengths; groups: number }) => Tensor;

abstract class Convolution extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  protected constructor(private readonly op: Conv, rank: number, inChannels: number, outChannels: number, kernel: Lengths, private readonly options: ConvOptions) {
    super();
    const { groups = 1, bias = true } = options;
    const shape = [outChannels, Math.floor(inChannels / Math.max(groups, 1)), ...spread(kernel, rank)];
    const first = init.layer(product(shape.slice(1)));
    this.weight = param(shape, { init: first });
    this.bias = bias ? param([outChannels], { init: first, decay: false }) : null;
  }

  override forward(x: Tensor): Tensor {
    const { stride = 1, padding = 0, dilation = 1, groups = 1 } = this.options;
    return this.op(x, this.weight, { bias: this.bias, stride, padding, dilation, groups });
  }
}

/** Convolution over one axis, of `x [batch, in, length]`. */
export class Conv1d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernel: Lengths, options: ConvOptions = {}) {
    super(F.conv1d as Conv, 1, inChannels, outChannels, kernel, options);
  }
}

/** Convolution over two axes, of `x [batch, in, height, width]`. */
export class Conv2d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernel: Lengths, options: ConvOptions = {}) {
    super(F.conv2d as Conv, 2, inChannels, outChannels, kernel, options);
  }
}

/** Convolution over three axes. */
export class Conv3d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernel: Lengths, options: ConvOptions = {}) {
    super(F.conv3d as Conv, 3, inChannels, outChannels, kernel, options);
  }
}

/** Settings of transposed convolutions. */
export interface ConvTransposeOptions {
  stride?: Lengths;
  padding?: Lengths;
  outputPadding?: Lengths;
  dilation?: Lengths;
  groups?: number;
  bias?: boolean;
}

type Transposed = (x: Tensor, weight: Tensor, options: Required<Omit<ConvTransposeOptions, 'bias'>> & { bias: Tensor | null }) => Tensor;

abstract class TransposedConvolution extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  protected constructor(private readonly op: Transposed, rank: number, inChannels: number, outChannels: number, kernel: Lengths, private readonly options: ConvTransposeOptions) {
    super();
    const { groups = 1 } = options;
    const shape = [inChannels, Math.floor(outChannels / Math.max(groups, 1)), ...spread(kernel, rank)];
    const first = init.layer(product(shape.slice(1)));
    this.weight = param(shape, { init: first });
    this.bias = options.bias === false ? null : param([outChannels], { init: first, decay: false });
  }

  override forward(x: Tensor): Tensor {
    const { stride = 1, padding = 0, outputPadding = 0, dilation = 1, groups = 1 } = this.options;
    return this.op(x, this.weight, { bias: this.bias, stride, padding, outputPadding, dilation, groups });
  }
}

/** Transposed convolution over one axis. */
export class ConvTranspose1d extends TransposedConvolution {
  constructor(inChannels: number, outChannels: number, kernel: Lengths, options: ConvTransposeOptions = {}) {
    super(F.convTranspose1d as Transposed, 1, inChannels, outChannels, kernel, options);
  }
}

/** Transposed convolution over two axes. */
export class ConvTranspose2d extends TransposedConvolution {
  constructor(inChannels: number, outChannels: number, kernel: Lengths, options: ConvTransposeOptions = {}) {
    super(F.convTranspose2d as Transposed, 2, inChannels, outChannels, kernel, options);
  }
}

/** Transposed convolution over three axes. */
export class ConvTranspose3d extends TransposedConvolution {
  constructor(inChannels: number, outChannels: number, kernel: Lengths, options: ConvTransposeOptions = {}) {
    super(F.convTranspose3d as Transposed, 3, inChannels, outChannels, kernel, options);
  }
}

/** Mean zero and variance one over the last axes, then a scale and a shift. */
export class LayerNorm extends Layer {
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  readonly #shape: readonly number[];
  readonly #eps: number;

  constructor(shape: Lengths, { eps = 1e-5, bias = true }: { eps?: number; bias?: boolean } = {}) {
    super();
    this.#shape = typeof shape === 'number' ? [shape] : shape;
    this.#eps = eps;
    this.weight = param(this.#shape, { init: 'ones' });
    this.bias = bias ? param(this.#shape, { init: 'zeros' }) : null;
  }

  override forward(x: Tensor): Tensor {
    return F.layerNorm(x, this.#shape, this.weight, this.bias, this.#eps);
  }
}

/** Mean square one over the last axes, then a scale. */
export class RMSNorm extends Layer {
  readonly weight: Parameter;
  readonly #shape: readonly number[];
  readonly #eps: number;

  constructor(shape: Lengths, { eps = 1e-6 }: { eps?: number } = {}) {
    super();
    this.#shape = typeof shape === 'number' ? [shape] : shape;
    this.#eps = eps;
    this.weight = param(this.#shape, { init: 'ones' });
  }

  override forward(x: Tensor): Tensor {
    return F.rmsNorm(x, this.#shape, { weight: this.weight, eps: this.#eps });
  }
}

/** Scale and shift of so many channels, if there are to be any. */
function affineOf(channels: number, wanted: boolean): [Parameter | null, Parameter | null] {
  return wanted ? [param([channels], { init: 'ones' }), param([channels], { init: 'zeros' })] : [null, null];
}

/** Settings of norms. */
export interface NormOptions {
  eps?: number;
  /** Whether a scale and a shift are learnt. */
  affine?: boolean;
}

/** Mean zero and variance one of each channel over a batch, then a scale and a shift. */
class BatchNorm extends Layer {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly running_mean: Buffer;
  readonly running_var: Buffer;
  readonly num_batches_tracked: Buffer;
  readonly #momentum: number;
  readonly #eps: number;

  constructor(channels: number, { momentum = 0.1, eps = 1e-5, affine = true }: NormOptions & { momentum?: number } = {}) {
    super();
    [this.weight, this.bias] = affineOf(channels, affine);
    this.running_mean = new Buffer(zeros([channels]));
    this.running_var = new Buffer(ones([channels]));
    this.num_batches_tracked = new Buffer(zeros([], { dtype: 'i64' }));
    this.#momentum = momentum;
    this.#eps = eps;
  }

  override forward(x: Tensor): Tensor {
    const { weight, bias, training, running_mean: runningMean, running_var: runningVar } = this;
    const momentum = this.#momentum;
    const y = F.batchNorm(x, { runningMean, runningVar, weight, bias, training, momentum, eps: this.#eps });
    if (training) {
      noGrad(() => {
        const [mean, variance] = F.batchNormStats(x, runningMean, runningVar, momentum);
        runningMean.copy_(mean);
        runningVar.copy_(variance);
        this.num_batches_tracked.add_(1);
      });
    }
    return y;
  }
}

/** Mean zero and variance one of each channel of `[batch, channels]` or `[batch, channels, length]`. */
export class BatchNorm1d extends BatchNorm {}

/** Mean zero and variance one of each channel over a batch of images. */
export class BatchNorm2d extends BatchNorm {}

/** Mean zero and variance one of each channel over a batch of volumes. */
export class BatchNorm3d extends BatchNorm {}

/** Mean zero and variance one of groups of channels of each example, then a scale and a shift. */
export class GroupNorm extends Layer {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly #groups: number;
  readonly #eps: number;

  constructor(groups: number, channels: number, { eps = 1e-5, affine = true }: NormOptions = {}) {
    super();
    [this.weight, this.bias] = affineOf(channels, affine);
    this.#groups = groups;
    this.#eps = eps;
  }

  override forward(x: Tensor): Tensor {
    return F.groupNorm(x, this.#groups, { weight: this.weight, bias: this.bias, eps: this.#eps });
  }
}

/** Mean zero and variance one of each channel of each example; without `channels` there is no scale and no shift. */
export class InstanceNorm extends Layer {
  readonly weight: Parameter | null;
  readonly bias: Parameter | null;
  readonly #eps: number;

  constructor({ eps = 1e-5, channels }: { eps?: number; channels?: number } = {}) {
    super();
    [this.weight, this.bias] = affineOf(channels ?? 0, channels !== undefined);
    this.#eps = eps;
  }

  override forward(x: Tensor): Tensor {
    return F.instanceNorm(x, { weight: this.weight, bias: this.bias, eps: this.#eps });
  }
}

/** Mean zero and variance one of each channel of sequences. */
export class InstanceNorm1d extends InstanceNorm {
  constructor(channels: number, { affine = false, ...options }: NormOptions = {}) {
    super(affine ? { ...options, channels } : options);
  }
}

/** Mean zero and variance one of each channel of images. */
export class InstanceNorm2d extends InstanceNorm1d {}

/** Mean zero and variance one of each channel of volumes. */
export class InstanceNorm3d extends InstanceNorm1d {}

/** Each element over a power of what so many channels around it have. */
export class LocalResponseNorm extends layer((x: Tensor, size: number, options: LocalResponseNormOptions = {}) => F.localResponseNorm(x, size, options)) {}
