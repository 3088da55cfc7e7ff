/** Activations as layers, for `Sequential`. `inplace` is accepted as in PyTorch but has no effect: memory is planned. */
import { bound, type Given } from '../bind.ts';
import * as F from '../generated/functions.ts';
import type { Tensor } from '../tensor.ts';
import { init } from './init.ts';
import { layer, Layer } from './layer.ts';
import { param, type Parameter } from './module.ts';

type Inplace = Given<{ inplace?: boolean }, ['inplace']>;
type Alpha = Given<{ alpha?: number; inplace?: boolean }, ['alpha', 'inplace']>;
type Lambd = Given<{ lambd?: number }, ['lambd']>;
type Dim = Given<{ dim?: number }, ['dim']>;

/** Returns its input; accepts any arguments. */
export class Identity extends Layer {
  constructor(..._ignored: unknown[]) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return x;
  }
}

/** `relu` as a layer. */
export class ReLU extends layer<Inplace>('inplace!b', F.relu) {}

/** `relu6` as a layer. */
export class ReLU6 extends layer<Inplace>('inplace!b', F.relu6) {}

/** `silu` as a layer. */
export class SiLU extends layer<Inplace>('inplace!b', F.silu) {}

/** `mish` as a layer. */
export class Mish extends layer<Inplace>('inplace!b', F.mish) {}

/** `sigmoid` as a layer. */
export class Sigmoid extends layer('', F.sigmoid) {}

/** The logarithm of `sigmoid` as a layer. */
export class LogSigmoid extends layer('', F.logsigmoid) {}

/** `tanh` as a layer. */
export class Tanh extends layer('', F.tanh) {}

/** `x − tanh(x)` as a layer. */
export class Tanhshrink extends layer('', F.tanhshrink) {}

/** `selu` as a layer. */
export class SELU extends layer<Inplace>('inplace!b', F.selu) {}

/** `softsign` as a layer. */
export class Softsign extends layer('', F.softsign) {}

/** `hardswish` as a layer. */
export class Hardswish extends layer<Inplace>('inplace!b', F.hardswish) {}

/** `hardsigmoid` as a layer. */
export class Hardsigmoid extends layer<Inplace>('inplace!b', F.hardsigmoid) {}

/** `x` clamped between two numbers. */
export class Hardtanh extends layer<Given<{ minVal?: number; maxVal?: number; inplace?: boolean }, ['minVal', 'maxVal', 'inplace']>>('minVal?n maxVal?n inplace!b', F.hardtanh) {}

/** Zero between `−lambd` and `lambd`, else `x`. */
export class Hardshrink extends layer<Lambd>('lambd?n', F.hardshrink) {}

/** Zero between `−lambd` and `lambd`, else `x` moved towards zero by `lambd`. */
export class Softshrink extends layer<Lambd>('lambd?n', F.softshrink) {}

/** `x` above a threshold, else `value`. */
export class Threshold extends layer<[threshold: number, value: number, ...Inplace]>('threshold:n value:n inplace!b', F.threshold) {}

/** `x · Φ(x)`, exact or by its tanh approximation. */
export class GELU extends layer<Given<{ approximate?: 'none' | 'tanh' }, ['approximate']>>('approximate?none|tanh', F.gelu) {}

/** `x` where it is positive, else `negativeSlope · x`. */
export class LeakyReLU extends layer<Given<{ negativeSlope?: number; inplace?: boolean }, ['negativeSlope', 'inplace']>>('negativeSlope?n inplace!b', F.leakyRelu) {}

/** `x` where it is positive, else `alpha · (exp(x) − 1)`. */
export class ELU extends layer<Alpha>('alpha?n inplace!b', F.elu) {}

/** `x` where it is positive, else `alpha · (exp(x / alpha) − 1)`. */
export class CELU extends layer<Alpha>('alpha?n inplace!b', F.celu) {}

/** A smooth ReLU. */
export class Softplus extends layer<Given<{ beta?: number; threshold?: number }, ['beta', 'threshold']>>('beta?n threshold?n', F.softplus) {}

/** Softmax along an axis, the last by default. */
export class Softmax extends layer<Dim>('dim?i', (x: Tensor, dim = -1) => F.softmax(x, dim)) {}

/** Softmax of `−x` along an axis, the last by default. */
export class Softmin extends layer<Dim>('dim?i', (x: Tensor, dim = -1) => F.softmin(x, dim)) {}

/** The logarithm of softmax along an axis, the last by default. */
export class LogSoftmax extends layer<Dim>('dim?i', (x: Tensor, dim = -1) => F.logSoftmax(x, dim)) {}

/** One half of an axis times the sigmoid of the other. */
export class GLU extends layer<Dim>('dim?i', F.glu) {}

/** `x` where it is positive, else `x` times a trainable slope: one for all, or one per channel. */
export class PReLU extends Layer {
  readonly weight: Parameter;

  constructor(...given: Given<{ numParameters?: number; init?: number }, ['numParameters', 'init']>) {
    super();
    const [slopes = 1, first = 0.25] = bound<[number?, number?]>(this, 'numParameters?c init?n', given);
    this.weight = param([slopes], { init: init.constant(first), decay: false });
  }

  override forward(x: Tensor): Tensor {
    return F.prelu(x, this.weight);
  }
}
