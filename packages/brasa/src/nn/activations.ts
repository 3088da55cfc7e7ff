/** Activations as layers, for `Sequential`. */
import * as F from '../generated/functions.ts';
import type { Tensor } from '../tensor.ts';
import { Layer } from './layers.ts';

/** A function of elements as a layer. */
class Activation extends Layer {
  constructor(private readonly f: (x: Tensor) => Tensor) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return this.f(x);
  }
}

/** `relu` as a layer. */
export class ReLU extends Activation {
  constructor() {
    super((x) => F.relu(x));
  }
}

/** `relu6` as a layer. */
export class ReLU6 extends Activation {
  constructor() {
    super((x) => F.relu6(x));
  }
}

/** `silu` as a layer. */
export class SiLU extends Activation {
  constructor() {
    super((x) => F.silu(x));
  }
}

/** `mish` as a layer. */
export class Mish extends Activation {
  constructor() {
    super((x) => F.mish(x));
  }
}

/** `sigmoid` as a layer. */
export class Sigmoid extends Activation {
  constructor() {
    super((x) => F.sigmoid(x));
  }
}

/** `tanh` as a layer. */
export class Tanh extends Activation {
  constructor() {
    super((x) => F.tanh(x));
  }
}

/** `selu` as a layer. */
export class SELU extends Activation {
  constructor() {
    super((x) => F.selu(x));
  }
}

/** `softsign` as a layer. */
export class Softsign extends Activation {
  constructor() {
    super((x) => F.softsign(x));
  }
}

/** `hardswish` as a layer. */
export class Hardswish extends Activation {
  constructor() {
    super((x) => F.hardswish(x));
  }
}

/** `hardsigmoid` as a layer. */
export class Hardsigmoid extends Activation {
  constructor() {
    super((x) => F.hardsigmoid(x));
  }
}

/** `x · Φ(x)`, exact or by its tanh approximation. */
export class GELU extends Layer {
  constructor(private readonly approximate: 'none' | 'tanh' = 'none') {
    super();
  }

  override forward(x: Tensor): Tensor {
    return F.gelu(x, this.approximate);
  }
}

/** `x` where it is positive, else a little of it. */
export class LeakyReLU extends Layer {
  constructor(private readonly slope = 0.01) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return F.leakyRelu(x, this.slope);
  }
}

/** `x` where it is positive, else `alpha · (exp(x) − 1)`. */
export class ELU extends Layer {
  constructor(private readonly alpha = 1) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return F.elu(x, this.alpha);
  }
}

/** A smooth ReLU. */
export class Softplus extends Layer {
  constructor(private readonly beta = 1, private readonly threshold = 20) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return F.softplus(x, this.beta, this.threshold);
  }
}

/** Softmax along an axis. */
export class Softmax extends Layer {
  constructor(private readonly dim = -1) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return F.softmax(x, this.dim);
  }
}

/** The logarithm of softmax along an axis. */
export class LogSoftmax extends Layer {
  constructor(private readonly dim = -1) {
    super();
  }

  override forward(x: Tensor): Tensor {
    return F.logSoftmax(x, this.dim);
  }
}
