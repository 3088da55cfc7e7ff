/** Losses as modules. Arguments are PyTorch's, except for its deprecated `size_average` and `reduce`. */
import type { Given } from '../bind.ts';
import * as F from '../generated/functions.ts';
import type {
  BinaryCrossEntropyOptions, BinaryCrossEntropyWithLogitsOptions, CosineEmbeddingLossOptions, CosineSimilarityOptions, CrossEntropyOptions,
  GaussianNllLossOptions, HingeEmbeddingLossOptions, KlDivOptions, MarginRankingLossOptions, MultiMarginLossOptions, MultilabelSoftMarginLossOptions,
  NllLossOptions, PairwiseDistanceOptions, PoissonNllLossOptions, TripletMarginLossOptions,
} from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { functional } from './layer.ts';

/** How the elementwise losses are reduced. */
export type Reduction = 'mean' | 'sum' | 'none';

type Two = [input: Tensor, target: Tensor];
type Three = [x1: Tensor, x2: Tensor, x3: Tensor];
type Reduced = Given<{ reduction?: Reduction }, ['reduction']>;

/** Mean squared difference. */
export class MSELoss extends functional<Two, Reduced>('reduction?m', F.mseLoss) {}

/** Mean absolute difference. */
export class L1Loss extends functional<Two, Reduced>('reduction?m', F.l1Loss) {}

/** Cross entropy of logits and classes. */
export class CrossEntropyLoss extends functional<Two, Given<CrossEntropyOptions, ['weight', 'ignoreIndex', 'reduction', 'labelSmoothing']>>(
  'weight?t|null ignoreIndex?i reduction?m labelSmoothing?n', F.crossEntropy,
) {}

/** Negative log-likelihood of log-probabilities and classes. */
export class NLLLoss extends functional<Two, Given<NllLossOptions, ['weight', 'ignoreIndex', 'reduction']>>('weight?t|null ignoreIndex?i reduction?m', F.nllLoss) {}

/** Binary cross entropy of probabilities. */
export class BCELoss extends functional<Two, Given<BinaryCrossEntropyOptions, ['weight', 'reduction']>>('weight?t|null reduction?m', F.binaryCrossEntropy) {}

/** Squared difference below `beta`, absolute beyond. */
export class SmoothL1Loss extends functional<Two, Given<{ reduction?: Reduction; beta?: number }, ['reduction', 'beta']>>('reduction?m beta?n', F.smoothL1Loss) {}

/** Squared difference below `delta`, `delta` times the absolute one beyond. */
export class HuberLoss extends functional<Two, Given<{ reduction?: Reduction; delta?: number }, ['reduction', 'delta']>>('reduction?m delta?n', F.huberLoss) {}

/** Kullback–Leibler divergence: `input` are log-probabilities, `target` probabilities, or logarithms with `logTarget`. */
export class KLDivLoss extends functional<Two, Given<KlDivOptions, ['reduction', 'logTarget']>>('reduction?m|batchmean logTarget?b', F.klDiv) {}

/** Binary cross entropy of logits. */
export class BCEWithLogitsLoss extends functional<Two, Given<BinaryCrossEntropyWithLogitsOptions, ['weight', 'reduction', 'posWeight']>>(
  'weight?t|null reduction?m posWeight?t|null', F.binaryCrossEntropyWithLogits,
) {}

/** Negative log-likelihood of normally distributed targets with mean `input` and the given variance. */
export class GaussianNLLLoss extends functional<[input: Tensor, target: Tensor, variance: Tensor], Given<GaussianNllLossOptions, ['full', 'eps', 'reduction']>>(
  'full?b eps?n reduction?m', F.gaussianNllLoss,
) {}

/** Negative log-likelihood of Poisson-distributed counts. */
export class PoissonNLLLoss extends functional<Two, Given<PoissonNllLossOptions, ['logInput', 'full', 'eps', 'reduction']>>('logInput?b full?b eps?n reduction?m', F.poissonNllLoss) {}

/** Logistic loss of scores with targets 1 and −1. */
export class SoftMarginLoss extends functional<Two, Reduced>('reduction?m', F.softMarginLoss) {}

/** Multi-class hinge loss. */
export class MultiMarginLoss extends functional<Two, Given<MultiMarginLossOptions, ['p', 'margin', 'weight', 'reduction']>>('p?n margin?n weight?t|null reduction?m', F.multiMarginLoss) {}

/** Multi-label hinge loss. */
export class MultiLabelMarginLoss extends functional<Two, Reduced>('reduction?m', F.multilabelMarginLoss) {}

/** Binary cross entropy of logits, averaged over classes. */
export class MultiLabelSoftMarginLoss extends functional<Two, Given<MultilabelSoftMarginLossOptions, ['weight', 'reduction']>>(
  'weight?t|null reduction?m', F.multilabelSoftMarginLoss,
) {}

const MARGIN = 'margin?n reduction?m';

/** Makes vectors similar by cosine where the target is 1, dissimilar where it is −1. */
export class CosineEmbeddingLoss extends functional<Three, Given<CosineEmbeddingLossOptions, ['margin', 'reduction']>>(MARGIN, F.cosineEmbeddingLoss) {}

/** Makes distances small where the target is 1, larger than a margin where it is −1. */
export class HingeEmbeddingLoss extends functional<Two, Given<HingeEmbeddingLossOptions, ['margin', 'reduction']>>(MARGIN, F.hingeEmbeddingLoss) {}

/** Ranks `x1` above `x2` where the target is 1, below where it is −1. */
export class MarginRankingLoss extends functional<Three, Given<MarginRankingLossOptions, ['margin', 'reduction']>>(MARGIN, F.marginRankingLoss) {}

/** Makes an anchor nearer to the positive than to the negative example, by a margin. */
export class TripletMarginLoss extends functional<Three, Given<TripletMarginLossOptions, ['margin', 'p', 'eps', 'swap', 'reduction']>>(
  'margin?n p?n eps?n swap?b reduction?m', F.tripletMarginLoss,
) {}

/** The cosine of the angle between vectors along an axis. */
export class CosineSimilarity extends functional<[x1: Tensor, x2: Tensor], Given<CosineSimilarityOptions, ['dim', 'eps']>>('dim?i eps?n', F.cosineSimilarity) {}

/** The distance between rows. */
export class PairwiseDistance extends functional<[x1: Tensor, x2: Tensor], Given<PairwiseDistanceOptions, ['p', 'eps', 'keepdim']>>('p?n eps?n keepdim?b', F.pairwiseDistance) {}
