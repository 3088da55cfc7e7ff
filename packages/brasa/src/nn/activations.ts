/** Activations as layers, for `Sequential`. */
import * as F from '../generated/functions.ts';
import type { Tensor } from '../tensor.ts';
import { init } from './init.ts';
import { layer, Layer } from './layer.ts';
import { param, type Parameter } from './module.ts';

/** Gives back what it is given. */
export class Identity extends layer((x) => x) {}

/** `relu` as a layer. */
export class ReLU extends layer((x) => F.relu(x)) {}

/** `relu6` as a layer. */
export class ReLU6 extends layer((x) => F.relu6(x)) {}

/** `silu` as a layer. */
export class SiLU extends layer((x) => F.silu(x)) {}

/** `mish` as a layer. */
export class Mish extends layer((x) => F.mish(x)) {}

/** `sigmoid` as a layer. */
export class Sigmoid extends layer((x) => F.sigmoid(x)) {}

/** The logarithm of `sigmoid` as a layer. */
export class LogSigmoid extends layer((x) => F.logsigmoid(x)) {}

/** `tanh` as a layer. */
export class Tanh extends layer((x) => F.tanh(x)) {}

/** `x − tanh(x)` as a layer. */
export class Tanhshrink extends layer((x) => F.tanhshrink(x)) {}

/** `selu` as a layer. */
export class SELU extends layer((x) => F.selu(x)) {}

/** `softsign` as a layer. */
export class Softsign extends layer((x) => F.softsign(x)) {}

/** `hardswish` as a layer. */
export class Hardswish extends layer((x) => F.hardswish(x)) {}

/** `hardsigmoid` as a layer. */
export class Hardsigmoid extends layer((x) => F.hardsigmoid(x)) {}

/** Between two numbers, beyond which it is cut off. */
export class Hardtanh extends layer((x: Tensor, minVal: number = -1, maxVal: number = 1) => F.hardtanh(x, minVal, maxVal)) {}

/** Zero between `−lambda` and `lambda`, else `x`. */
export class Hardshrink extends layer((x: Tensor, lambda: number = 0.5) => F.hardshrink(x, lambda)) {}

/** Zero between `−lambda` and `lambda`, else as much nearer to zero. */
export class Softshrink extends layer((x: Tensor, lambda: number = 0.5) => F.softshrink(x, lambda)) {}

/** `x` above a threshold, else `value`. */
export class Threshold extends layer((x: Tensor, threshold: number, value: number) => F.threshold(x, threshold, value)) {}

/** `x · Φ(x)`, exact or by its tanh approximation. */
export class GELU extends layer((x: Tensor, approximate: 'none' | 'tanh' = 'none') => F.gelu(x, approximate)) {}

/** `x` where it is positive, else a little of it. */
export class LeakyReLU extends layer((x: Tensor, slope: number = 0.01) => F.leakyRelu(x, slope)) {}

/** `x` where it is positive, else `alpha · (exp(x) − 1)`. */
export class ELU extends layer((x: Tensor, alpha: number = 1) => F.elu(x, alpha)) {}

/** `x` where it is positive, else `alpha · (exp(x / alpha) − 1)`. */
export class CELU extends layer((x: Tensor, alpha: number = 1) => F.celu(x, alpha)) {}

/** A smooth ReLU. */
export class Softplus extends layer((x: Tensor, beta: number = 1, threshold: number = 20) => F.softplus(x, beta, threshold)) {}

/** Softmax along an axis. */
export class Softmax extends layer((x: Tensor, dim: number = -1) => F.softmax(x, dim)) {}

/** Softmax of what is negated, along an axis. */
export class Softmin extends layer((x: Tensor, dim: number = -1) => F.softmin(x, dim)) {}

/** The logarithm of softmax along an axis. */
export class LogSoftmax extends layer((x: Tensor, dim: number = -1) => F.logSoftmax(x, dim)) {}

/** One half of an axis, times the sigmoid of the other. */
export class GLU extends layer((x: Tensor, dim: number = -1) => F.glu(x, dim)) {}

/** `x` where it is positive, else scaled by slopes that are learnt: one for all, or one for each channel. */
export class PReLU extends Layer {
  readonly weight: Parameter;

  constructor(slopes = 1, first = 0.25) {
    super();
    this.weight = param([slopes], { init: init.constant(first), decay: false });
  }

  override forward(x: Tensor): Tensor {
    return F.prelu(x, this.weight);
  }
}
