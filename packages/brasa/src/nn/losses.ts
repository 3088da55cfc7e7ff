/** Losses as modules. */
import * as F from '../generated/functions.ts';
import type { CrossEntropyOptions } from '../generated/options.ts';
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

/** Binary cross entropy of scores. */
export class BCEWithLogitsLoss extends Loss {
  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropyWithLogits(input, target, { reduction: this.reduction });
  }
}
