/** Losses as modules. Their arguments are PyTorch's, without `size_average` and `reduce`, which `reduction` replaces. */
import type { Given } from '../bind.ts';
import * as F from '../generated/functions.ts';
import type {
  BinaryCrossEntropyOptions, BinaryCrossEntropyWithLogitsOptions, CosineEmbeddingLossOptions, CosineSimilarityOptions, CrossEntropyOptions,
  GaussianNllLossOptions, HingeEmbeddingLossOptions, KlDivOptions, MarginRankingLossOptions, MultiMarginLossOptions, MultilabelSoftMarginLossOptions,
  NllLossOptions, PairwiseDistanceOptions, PoissonNllLossOptions, TripletMarginLossOptions,
} from '../generated/options.ts';
import type { Tensor } from '../tensor.ts';
import { functional } from './layer.ts';

/** How the losses of elements become one. */
export type Reduction = 'mean' | 'sum' | 'none';

type Two = [input: Tensor, target: Tensor];
type Three = [x1: Tensor, x2: Tensor, x3: Tensor];
type Reduced = Given<{ reduction?: Reduction }, ['reduction']>;

/** Mean squared difference. */
export class MSELoss extends functional<Two, Reduced>('reduction?m', F.mseLoss) {}

/** Mean absolute difference. */
export class L1Loss extends functional<Two, Reduced>('reduction?m', F.l1Loss) {}

/** Cross entropy of scores and classes. */
export class CrossEntropyLoss extends functional<Two, Given<CrossEntropyOptions, ['weight', 'ignoreIndex', 'reduction', 'labelSmoothing']>>(
  'weight?t|null ignoreIndex?i reduction?m labelSmoothing?n', F.crossEntropy,
) {}

/** Negative log-likelihood of log-probabilities and classes. */
export class NLLLoss extends functional<Two, Given<NllLossOptions, ['weight', 'ignoreIndex', 'reduction']>>('weight?t|null ignoreIndex?i reduction?m', F.nllLoss) {}

/** Binary cross entropy of probabilities. */
export class BCELoss extends functional<Two, Given<BinaryCrossEntropyOptions, ['weight', 'reduction']>>('weight?t|null reduction?m', F.binaryCrossEntropy) {}

/** Squared where the difference is below `beta`, absolute beyond. */
export class SmoothL1Loss extends functional<Two, Given<{ reduction?: Reduction; beta?: number }, ['reduction', 'beta']>>('reduction?m beta?n', F.smoothL1Loss) {}

/** Squared where the difference is below `delta`, `delta` times its size beyond. */
export class HuberLoss extends functional<Two, Given<{ reduction?: Reduction; delta?: number }, ['reduction', 'delta']>>('reduction?m delta?n', F.huberLoss) {}

/** Divergence of Kullback and Leibler: `input` are log-probabilities, `target` probabilities or, so said, logarithms. */
export class KLDivLoss extends functional<Two, Given<KlDivOptions, ['reduction', 'logTarget']>>('reduction?m|batchmean logTarget?b', F.klDiv) {}

/** Binary cross entropy of scores. */
export class BCEWithLogitsLoss extends functional<Two, Given<BinaryCrossEntropyWithLogitsOptions, ['weight', 'reduction', 'posWeight']>>(
  'weight?t|null reduction?m posWeight?t|null', F.binaryCrossEntropyWithLogits,
) {}

/** Negative log-likelihood of targets that are normal around the input, with a variance for each. */
export class GaussianNLLLoss extends functional<[input: Tensor, target: Tensor, variance: Tensor], Given<GaussianNllLossOptions, ['full', 'eps', 'reduction']>>(
  'full?b eps?n reduction?m', F.gaussianNllLoss,
) {}

/** Negative log-likelihood of counts. */
export class PoissonNLLLoss extends functional<Two, Given<PoissonNllLossOptions, ['logInput', 'full', 'eps', 'reduction']>>('logInput?b full?b eps?n reduction?m', F.poissonNllLoss) {}

/** Logistic loss of scores and signs. */
export class SoftMarginLoss extends functional<Two, Reduced>('reduction?m', F.softMarginLoss) {}

/** Hinge loss of scores of several classes. */
export class MultiMarginLoss extends functional<Two, Given<MultiMarginLossOptions, ['p', 'margin', 'weight', 'reduction']>>('p?n margin?n weight?t|null reduction?m', F.multiMarginLoss) {}

/** Hinge loss of scores of which several are right. */
export class MultiLabelMarginLoss extends functional<Two, Reduced>('reduction?m', F.multilabelMarginLoss) {}

/** Binary cross entropy of scores, averaged over classes. */
export class MultiLabelSoftMarginLoss extends functional<Two, Given<MultilabelSoftMarginLossOptions, ['weight', 'reduction']>>(
  'weight?t|null reduction?m', F.multilabelSoftMarginLoss,
) {}

const MARGIN = 'margin?n reduction?m';

/** Whether vectors point the same way, where the target is 1, or not, where it is −1. */
export class CosineEmbeddingLoss extends functional<Three, Given<CosineEmbeddingLossOptions, ['margin', 'reduction']>>(MARGIN, F.cosineEmbeddingLoss) {}

/** Whether distances are small, where the target is 1, or beyond a margin, where it is −1. */
export class HingeEmbeddingLoss extends functional<Two, Given<HingeEmbeddingLossOptions, ['margin', 'reduction']>>(MARGIN, F.hingeEmbeddingLoss) {}

/** Whether the first is larger, where the target is 1, or the second, where it is −1. */
export class MarginRankingLoss extends functional<Three, Given<MarginRankingLossOptions, ['margin', 'reduction']>>(MARGIN, F.marginRankingLoss) {}

/** Whether an anchor is nearer to what is alike than to what is not. */
export class TripletMarginLoss extends functional<Three, Given<TripletMarginLossOptions, ['margin', 'p', 'eps', 'swap', 'reduction']>>(
  'margin?n p?n eps?n swap?b reduction?m', F.tripletMarginLoss,
) {}

/** The cosine of the angle between vectors along an axis. */
export class CosineSimilarity extends functional<[x1: Tensor, x2: Tensor], Given<CosineSimilarityOptions, ['dim', 'eps']>>('dim?i eps?n', F.cosineSimilarity) {}

/** The distance of rows. */
export class PairwiseDistance extends functional<[x1: Tensor, x2: Tensor], Given<PairwiseDistanceOptions, ['p', 'eps', 'keepdim']>>('p?n eps?n keepdim?b', F.pairwiseDistance) {}
