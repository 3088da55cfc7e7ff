/** Losses as modules. */
import * as F from '../generated/functions.ts';
import type {
  BinaryCrossEntropyOptions, BinaryCrossEntropyWithLogitsOptions, CosineEmbeddingLossOptions, CosineSimilarityOptions, CrossEntropyOptions,
  GaussianNllLossOptions, HingeEmbeddingLossOptions, KlDivOptions, MarginRankingLossOptions, MultiMarginLossOptions, MultilabelMarginLossOptions,
  MultilabelSoftMarginLossOptions, NllLossOptions, PairwiseDistanceOptions, PoissonNllLossOptions, SoftMarginLossOptions, TripletMarginLossOptions,
} from '../generated/options.ts';
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
export class BCELoss extends Module<[Tensor, Tensor], Tensor> {
  readonly #options: BinaryCrossEntropyOptions;

  constructor(options: Reduction | BinaryCrossEntropyOptions = {}) {
    super();
    this.#options = typeof options === 'string' ? { reduction: options } : options;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropy(input, target, this.#options);
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
export class BCEWithLogitsLoss extends Module<[Tensor, Tensor], Tensor> {
  readonly #options: BinaryCrossEntropyWithLogitsOptions;

  constructor(options: Reduction | BinaryCrossEntropyWithLogitsOptions = {}) {
    super();
    this.#options = typeof options === 'string' ? { reduction: options } : options;
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    return F.binaryCrossEntropyWithLogits(input, target, this.#options);
  }
}

/** A base for losses of some tensors with options. */
function loss<In extends Tensor[], Options>(f: (...all: [...In, Options]) => Tensor): new (options?: Options) => Module<In, Tensor> {
  return class extends Module<In, Tensor> {
    readonly #options: Options;

    constructor(options: Options = {} as Options) {
      super();
      this.#options = options;
    }

    override forward(...inputs: In): Tensor {
      return f(...inputs, this.#options);
    }
  };
}

/** Negative log-likelihood of targets that are normal around the input, with a variance for each. */
export class GaussianNLLLoss extends loss((x: Tensor, target: Tensor, variance: Tensor, options: GaussianNllLossOptions) => F.gaussianNllLoss(x, target, variance, options)) {}

/** Negative log-likelihood of counts. */
export class PoissonNLLLoss extends loss((x: Tensor, target: Tensor, options: PoissonNllLossOptions) => F.poissonNllLoss(x, target, options)) {}

/** Logistic loss of scores and signs. */
export class SoftMarginLoss extends loss((x: Tensor, target: Tensor, options: SoftMarginLossOptions) => F.softMarginLoss(x, target, options)) {}

/** Hinge loss of scores of several classes. */
export class MultiMarginLoss extends loss((x: Tensor, target: Tensor, options: MultiMarginLossOptions) => F.multiMarginLoss(x, target, options)) {}

/** Hinge loss of scores of which several are right. */
export class MultiLabelMarginLoss extends loss((x: Tensor, target: Tensor, options: MultilabelMarginLossOptions) => F.multilabelMarginLoss(x, target, options)) {}

/** Binary cross entropy of scores, averaged over classes. */
export class MultiLabelSoftMarginLoss extends loss((x: Tensor, target: Tensor, options: MultilabelSoftMarginLossOptions) => F.multilabelSoftMarginLoss(x, target, options)) {}

/** Whether vectors point the same way, where the target is 1, or not, where it is −1. */
export class CosineEmbeddingLoss extends loss((x1: Tensor, x2: Tensor, target: Tensor, options: CosineEmbeddingLossOptions) => F.cosineEmbeddingLoss(x1, x2, target, options)) {}

/** Whether distances are small, where the target is 1, or beyond a margin, where it is −1. */
export class HingeEmbeddingLoss extends loss((x: Tensor, target: Tensor, options: HingeEmbeddingLossOptions) => F.hingeEmbeddingLoss(x, target, options)) {}

/** Whether the first is larger, where the target is 1, or the second, where it is −1. */
export class MarginRankingLoss extends loss((x1: Tensor, x2: Tensor, target: Tensor, options: MarginRankingLossOptions) => F.marginRankingLoss(x1, x2, target, options)) {}

/** Whether an anchor is nearer to what is alike than to what is not. */
export class TripletMarginLoss extends loss((anchor: Tensor, positive: Tensor, negative: Tensor, options: TripletMarginLossOptions) => F.tripletMarginLoss(anchor, positive, negative, options)) {}

/** The cosine of the angle between vectors along an axis. */
export class CosineSimilarity extends loss((x1: Tensor, x2: Tensor, options: CosineSimilarityOptions) => F.cosineSimilarity(x1, x2, options)) {}

/** The distance of rows. */
export class PairwiseDistance extends loss((x1: Tensor, x2: Tensor, options: PairwiseDistanceOptions) => F.pairwiseDistance(x1, x2, options)) {}
