/** Losses as modules. */
import * as F from '../generated/functions.ts';
import type { CrossEntropyOptions, KlDivOptions, NllLossOptions } from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { Module } from './module.ts';

/** How the losses of elements become one. */
export type Reduction = 'mean' | 'sum' | 'none';

abstract class Loss extends Module<[Tensor, Tensor], Tensor> {
  constructor(protected readonly reduction: Reduction = 'mean') {
    super();
  }
}

/** Mean squared difference. */
export class MSELoss extends Loss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return F.mseLoss(input, target, this.reduction);
  }
}

/** Mean absolute difference. */
export class L1Loss extends Loss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return F.l1Loss(input, target, this.reduction);
  }
}

/** Cross entropy of scores and classes. */
export class CrossEntropyLoss extends Module<[Tensor, Tensor], Tensor> {
  constructor(private readonly options: CrossEntropyOptions = {}) {
    super();
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.crossEntropy(input, target, this.options);
  }
}

/** Negative log-likelihood of log-probabilities and classes. */
export class NLLLoss extends Module<[Tensor, Tensor], Tensor> {
  constructor(private readonly options: NllLossOptions = {}) {
    super();
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.nllLoss(input, target, this.options);
  }
}

/** Binary cross entropy of probabilities. */
export class BCELoss extends Loss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropy(input, target, { reduction: this.reduction });
  }
}

/** Squared where the difference is below `beta`, absolute beyond. */
export class SmoothL1Loss extends Loss {
  constructor(reduction: Reduction = 'mean', private readonly beta = 1) {
    super(reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.smoothL1Loss(input, target, { reduction: this.reduction, beta: this.beta });
  }
}

/** Squared where the difference is below `delta`, `delta` times its size beyond. */
export class HuberLoss extends Loss {
  constructor(reduction: Reduction = 'mean', private readonly delta = 1) {
    super(reduction);
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.huberLoss(input, target, { reduction: this.reduction, delta: this.delta });
  }
}

/** Divergence of Kullback and Leibler: `input` are log-probabilities, `target` probabilities or, so said, logarithms. */
export class KLDivLoss extends Module<[Tensor, Tensor], Tensor> {
  constructor(private readonly options: KlDivOptions = {}) {
    super();
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.klDiv(input, target, this.options);
  }
}

/** Binary cross entropy of scores. */
export class BCEWithLogitsLoss extends Loss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropyWithLogits(input, target, { reduction: this.reduction });
  }
}
