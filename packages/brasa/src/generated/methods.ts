// The ops that are methods of `Tensor`. Generated from the op table by `cargo x gen`; change the op, not this file.
import { list, one, pair, reading, triple, unwrap, varied } from '../call.ts';
import type * as Options from './options.ts';
import * as Row from './rows.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';
import { alias } from '../alias.ts';

/** The ops of the table as methods. */
export abstract class Methods {

  /**
   * Product of two tensors.
   */
  mul(other: Operand): Tensor {
    return one(Row.mul, [this, other]);
  }

  /** `mul` in place. */
  mul_(other: Operand): this {
    return this.copy_(this.mul(other));
  }

  /**
   * Quotient of two tensors, rounded towards minus infinity.
   */
  floorDivide(other: Operand): Tensor {
    return one(Row.floor_divide, [this, other]);
  }

  /** `floorDivide` in place. */
  floorDivide_(other: Operand): this {
    return this.copy_(this.floorDivide(other));
  }

  /**
   * Remainder of the division, with the sign of the divisor (Python's `%`).
   */
  remainder(other: Operand): Tensor {
    return one(Row.remainder, [this, other]);
  }

  /** `remainder` in place. */
  remainder_(other: Operand): this {
    return this.copy_(this.remainder(other));
  }

  /**
   * Remainder of the division, with the sign of the dividend (C's `fmod`).
   */
  fmod(other: Operand): Tensor {
    return one(Row.fmod, [this, other]);
  }

  /** `fmod` in place. */
  fmod_(other: Operand): this {
    return this.copy_(this.fmod(other));
  }

  /**
   * The larger of two elements; NaN if either is. Equal elements share the gradient.
   */
  maximum(other: Operand): Tensor {
    return one(Row.maximum, [this, other]);
  }

  /** `maximum` in place. */
  maximum_(other: Operand): this {
    return this.copy_(this.maximum(other));
  }

  /**
   * The smaller of two elements; NaN if either is. Equal elements share the gradient.
   */
  minimum(other: Operand): Tensor {
    return one(Row.minimum, [this, other]);
  }

  /** `minimum` in place. */
  minimum_(other: Operand): this {
    return this.copy_(this.minimum(other));
  }

  /**
   * Angle of the point (`other`, `input`), in (−π, π].
   */
  atan2(other: Operand): Tensor {
    return one(Row.atan2, [this, other]);
  }

  /** `atan2` in place. */
  atan2_(other: Operand): this {
    return this.copy_(this.atan2(other));
  }

  /**
   * Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.
   */
  hypot(other: Operand): Tensor {
    return one(Row.hypot, [this, other]);
  }

  /** `hypot` in place. */
  hypot_(other: Operand): this {
    return this.copy_(this.hypot(other));
  }

  /**
   * The magnitude of `input` with the sign of `other`.
   */
  copysign(other: Operand): Tensor {
    return one(Row.copysign, [this, other]);
  }

  /** `copysign` in place. */
  copysign_(other: Operand): this {
    return this.copy_(this.copysign(other));
  }

  /**
   * Logarithm of the sum of exponentials of two elements.
   */
  logaddexp(other: Operand): Tensor {
    return one(Row.logaddexp, [this, other]);
  }

  /** `logaddexp` in place. */
  logaddexp_(other: Operand): this {
    return this.copy_(this.logaddexp(other));
  }

  /**
   * `input · log(other)`, which is zero where `input` is.
   */
  xlogy(other: Operand): Tensor {
    return one(Row.xlogy, [this, other]);
  }

  /** `xlogy` in place. */
  xlogy_(other: Operand): this {
    return this.copy_(this.xlogy(other));
  }

  /**
   * Whether two elements are equal.
   */
  eq(other: Operand): Tensor {
    return one(Row.eq, [this, other]);
  }

  /** `eq` in place. */
  eq_(other: Operand): this {
    return this.copy_(this.eq(other));
  }

  /**
   * Whether two elements differ.
   */
  ne(other: Operand): Tensor {
    return one(Row.ne, [this, other]);
  }

  /** `ne` in place. */
  ne_(other: Operand): this {
    return this.copy_(this.ne(other));
  }

  /**
   * Whether `input` is less than `other`.
   */
  lt(other: Operand): Tensor {
    return one(Row.lt, [this, other]);
  }

  /** `lt` in place. */
  lt_(other: Operand): this {
    return this.copy_(this.lt(other));
  }

  /**
   * Whether `input` is at most `other`.
   */
  le(other: Operand): Tensor {
    return one(Row.le, [this, other]);
  }

  /** `le` in place. */
  le_(other: Operand): this {
    return this.copy_(this.le(other));
  }

  /**
   * Whether `input` is greater than `other`.
   */
  gt(other: Operand): Tensor {
    return one(Row.gt, [this, other]);
  }

  /** `gt` in place. */
  gt_(other: Operand): this {
    return this.copy_(this.gt(other));
  }

  /**
   * Whether `input` is at least `other`.
   */
  ge(other: Operand): Tensor {
    return one(Row.ge, [this, other]);
  }

  /** `ge` in place. */
  ge_(other: Operand): this {
    return this.copy_(this.ge(other));
  }

  /**
   * Bits set in both elements.
   */
  bitwiseAnd(other: Operand): Tensor {
    return one(Row.bitwise_and, [this, other]);
  }

  /** `bitwiseAnd` in place. */
  bitwiseAnd_(other: Operand): this {
    return this.copy_(this.bitwiseAnd(other));
  }

  /**
   * Bits set in either element.
   */
  bitwiseOr(other: Operand): Tensor {
    return one(Row.bitwise_or, [this, other]);
  }

  /** `bitwiseOr` in place. */
  bitwiseOr_(other: Operand): this {
    return this.copy_(this.bitwiseOr(other));
  }

  /**
   * Bits set in exactly one element.
   */
  bitwiseXor(other: Operand): Tensor {
    return one(Row.bitwise_xor, [this, other]);
  }

  /** `bitwiseXor` in place. */
  bitwiseXor_(other: Operand): this {
    return this.copy_(this.bitwiseXor(other));
  }

  /**
   * Every bit flipped; for `bool`, the opposite.
   */
  bitwiseNot(): Tensor {
    return one(Row.bitwise_not, [this]);
  }

  /** `bitwiseNot` in place. */
  bitwiseNot_(): this {
    return this.copy_(this.bitwiseNot());
  }

  /**
   * Bits shifted left by `other`; zero from the width of the type on.
   */
  bitwiseLeftShift(other: Operand): Tensor {
    return one(Row.bitwise_left_shift, [this, other]);
  }

  /** `bitwiseLeftShift` in place. */
  bitwiseLeftShift_(other: Operand): this {
    return this.copy_(this.bitwiseLeftShift(other));
  }

  /**
   * Bits shifted right by `other`, with the sign where the type has one.
   */
  bitwiseRightShift(other: Operand): Tensor {
    return one(Row.bitwise_right_shift, [this, other]);
  }

  /** `bitwiseRightShift` in place. */
  bitwiseRightShift_(other: Operand): this {
    return this.copy_(this.bitwiseRightShift(other));
  }

  /**
   * Each element with its sign flipped.
   */
  neg(): Tensor {
    return one(Row.neg, [this]);
  }

  /** `neg` in place. */
  neg_(): this {
    return this.copy_(this.neg());
  }

  /**
   * Absolute value of each element.
   */
  abs(): Tensor {
    return one(Row.abs, [this]);
  }

  /** `abs` in place. */
  abs_(): this {
    return this.copy_(this.abs());
  }

  /**
   * −1, 0 or 1, as each element is negative, zero (or NaN) or positive.
   */
  sign(): Tensor {
    return one(Row.sign, [this]);
  }

  /** `sign` in place. */
  sign_(): this {
    return this.copy_(this.sign());
  }

  /**
   * One divided by each element.
   */
  reciprocal(): Tensor {
    return one(Row.reciprocal, [this]);
  }

  /** `reciprocal` in place. */
  reciprocal_(): this {
    return this.copy_(this.reciprocal());
  }

  /**
   * Square root of each element.
   */
  sqrt(): Tensor {
    return one(Row.sqrt, [this]);
  }

  /** `sqrt` in place. */
  sqrt_(): this {
    return this.copy_(this.sqrt());
  }

  /**
   * One divided by the square root of each element.
   */
  rsqrt(): Tensor {
    return one(Row.rsqrt, [this]);
  }

  /** `rsqrt` in place. */
  rsqrt_(): this {
    return this.copy_(this.rsqrt());
  }

  /**
   * e raised to each element.
   */
  exp(): Tensor {
    return one(Row.exp, [this]);
  }

  /** `exp` in place. */
  exp_(): this {
    return this.copy_(this.exp());
  }

  /**
   * Two raised to each element.
   */
  exp2(): Tensor {
    return one(Row.exp2, [this]);
  }

  /** `exp2` in place. */
  exp2_(): this {
    return this.copy_(this.exp2());
  }

  /**
   * e raised to each element, minus one; exact near zero.
   */
  expm1(): Tensor {
    return one(Row.expm1, [this]);
  }

  /** `expm1` in place. */
  expm1_(): this {
    return this.copy_(this.expm1());
  }

  /**
   * Natural logarithm of each element.
   */
  log(): Tensor {
    return one(Row.log, [this]);
  }

  /** `log` in place. */
  log_(): this {
    return this.copy_(this.log());
  }

  /**
   * Logarithm to base two of each element.
   */
  log2(): Tensor {
    return one(Row.log2, [this]);
  }

  /** `log2` in place. */
  log2_(): this {
    return this.copy_(this.log2());
  }

  /**
   * Logarithm to base ten of each element.
   */
  log10(): Tensor {
    return one(Row.log10, [this]);
  }

  /** `log10` in place. */
  log10_(): this {
    return this.copy_(this.log10());
  }

  /**
   * Natural logarithm of one plus each element; exact near zero.
   */
  log1p(): Tensor {
    return one(Row.log1p, [this]);
  }

  /** `log1p` in place. */
  log1p_(): this {
    return this.copy_(this.log1p());
  }

  /**
   * Sine of each element, in radians.
   */
  sin(): Tensor {
    return one(Row.sin, [this]);
  }

  /** `sin` in place. */
  sin_(): this {
    return this.copy_(this.sin());
  }

  /**
   * Cosine of each element, in radians.
   */
  cos(): Tensor {
    return one(Row.cos, [this]);
  }

  /** `cos` in place. */
  cos_(): this {
    return this.copy_(this.cos());
  }

  /**
   * Tangent of each element, in radians.
   */
  tan(): Tensor {
    return one(Row.tan, [this]);
  }

  /** `tan` in place. */
  tan_(): this {
    return this.copy_(this.tan());
  }

  /**
   * Angle whose sine each element is.
   */
  asin(): Tensor {
    return one(Row.asin, [this]);
  }

  /** `asin` in place. */
  asin_(): this {
    return this.copy_(this.asin());
  }

  /**
   * Angle whose cosine each element is.
   */
  acos(): Tensor {
    return one(Row.acos, [this]);
  }

  /** `acos` in place. */
  acos_(): this {
    return this.copy_(this.acos());
  }

  /**
   * Angle whose tangent each element is.
   */
  atan(): Tensor {
    return one(Row.atan, [this]);
  }

  /** `atan` in place. */
  atan_(): this {
    return this.copy_(this.atan());
  }

  /**
   * Hyperbolic sine of each element.
   */
  sinh(): Tensor {
    return one(Row.sinh, [this]);
  }

  /** `sinh` in place. */
  sinh_(): this {
    return this.copy_(this.sinh());
  }

  /**
   * Hyperbolic cosine of each element.
   */
  cosh(): Tensor {
    return one(Row.cosh, [this]);
  }

  /** `cosh` in place. */
  cosh_(): this {
    return this.copy_(this.cosh());
  }

  /**
   * Hyperbolic tangent of each element.
   */
  tanh(): Tensor {
    return one(Row.tanh, [this]);
  }

  /** `tanh` in place. */
  tanh_(): this {
    return this.copy_(this.tanh());
  }

  /**
   * Inverse hyperbolic sine of each element.
   */
  asinh(): Tensor {
    return one(Row.asinh, [this]);
  }

  /** `asinh` in place. */
  asinh_(): this {
    return this.copy_(this.asinh());
  }

  /**
   * Inverse hyperbolic cosine of each element.
   */
  acosh(): Tensor {
    return one(Row.acosh, [this]);
  }

  /** `acosh` in place. */
  acosh_(): this {
    return this.copy_(this.acosh());
  }

  /**
   * Inverse hyperbolic tangent of each element.
   */
  atanh(): Tensor {
    return one(Row.atanh, [this]);
  }

  /** `atanh` in place. */
  atanh_(): this {
    return this.copy_(this.atanh());
  }

  /**
   * Error function of each element.
   */
  erf(): Tensor {
    return one(Row.erf, [this]);
  }

  /** `erf` in place. */
  erf_(): this {
    return this.copy_(this.erf());
  }

  /**
   * One minus the error function; exact where that is close to one.
   */
  erfc(): Tensor {
    return one(Row.erfc, [this]);
  }

  /** `erfc` in place. */
  erfc_(): this {
    return this.copy_(this.erfc());
  }

  /**
   * Inverse of the error function.
   */
  erfinv(): Tensor {
    return one(Row.erfinv, [this]);
  }

  /** `erfinv` in place. */
  erfinv_(): this {
    return this.copy_(this.erfinv());
  }

  /**
   * Logarithm of the absolute value of the gamma function.
   */
  lgamma(): Tensor {
    return one(Row.lgamma, [this]);
  }

  /** `lgamma` in place. */
  lgamma_(): this {
    return this.copy_(this.lgamma());
  }

  /**
   * Logistic function `1 / (1 + exp(−x))` of each element.
   */
  sigmoid(): Tensor {
    return one(Row.sigmoid, [this]);
  }

  /** `sigmoid` in place. */
  sigmoid_(): this {
    return this.copy_(this.sigmoid());
  }

  /**
   * Each element, or zero where it is negative.
   */
  relu(): Tensor {
    return one(Row.relu, [this]);
  }

  /** `relu` in place. */
  relu_(): this {
    return this.copy_(this.relu());
  }

  /**
   * `gelu` by its tanh approximation.
   */
  geluTanh(): Tensor {
    return one(Row.gelu_tanh, [this]);
  }

  /** `geluTanh` in place. */
  geluTanh_(): this {
    return this.copy_(this.geluTanh());
  }

  /**
   * `x · sigmoid(x)`, also called swish.
   */
  silu(): Tensor {
    return one(Row.silu, [this]);
  }

  /** `silu` in place. */
  silu_(): this {
    return this.copy_(this.silu());
  }

  /**
   * `x · tanh(softplus(x))`.
   */
  mish(): Tensor {
    return one(Row.mish, [this]);
  }

  /** `mish` in place. */
  mish_(): this {
    return this.copy_(this.mish());
  }

  /**
   * Largest whole number not above each element.
   */
  floor(): Tensor {
    return one(Row.floor, [this]);
  }

  /** `floor` in place. */
  floor_(): this {
    return this.copy_(this.floor());
  }

  /**
   * Smallest whole number not below each element.
   */
  ceil(): Tensor {
    return one(Row.ceil, [this]);
  }

  /** `ceil` in place. */
  ceil_(): this {
    return this.copy_(this.ceil());
  }

  /**
   * Each element without its fraction.
   */
  trunc(): Tensor {
    return one(Row.trunc, [this]);
  }

  /** `trunc` in place. */
  trunc_(): this {
    return this.copy_(this.trunc());
  }

  /**
   * Zeros of the shape and dtype of `input`.
   */
  zerosLike(dtype?: DTypeName | null | Options.ZerosLikeOptions): Tensor {
    return one(Row.zeros_like, [this, dtype]);
  }

  /**
   * Ones of the shape and dtype of `input`.
   */
  onesLike(dtype?: DTypeName | null | Options.OnesLikeOptions): Tensor {
    return one(Row.ones_like, [this, dtype]);
  }

  /**
   * One number in the shape and dtype of `input`.
   */
  fullLike(fillValue: Operand, dtype?: DTypeName | null | Options.FullLikeOptions): Tensor {
    return one(Row.full_like, [this, fillValue, dtype]);
  }

  /**
   * Zeros of another shape, in the dtype of `input`.
   */
  newZeros(size: number | readonly number[], dtype?: DTypeName | null | Options.NewZerosOptions): Tensor {
    return one(Row.new_zeros, [this, size, dtype]);
  }

  /**
   * Ones of another shape, in the dtype of `input`.
   */
  newOnes(size: number | readonly number[], dtype?: DTypeName | null | Options.NewOnesOptions): Tensor {
    return one(Row.new_ones, [this, size, dtype]);
  }

  /**
   * One number in another shape, in the dtype of `input`.
   */
  newFull(size: number | readonly number[], fillValue: Operand, dtype?: DTypeName | null | Options.NewFullOptions): Tensor {
    return one(Row.new_full, [this, size, fillValue, dtype]);
  }

  /**
   * `input` with every element replaced by `value`.
   */
  fill(value: Operand): Tensor {
    return one(Row.fill, [this, value]);
  }

  /** `fill` in place. */
  fill_(value: Operand): this {
    return this.copy_(this.fill(value));
  }

  /**
   * Lower triangles of matrices: elements above the `diagonal` become zero.
   *
   * Defaults: `diagonal = 0`.
   */
  tril(diagonal?: number | Options.TrilOptions): Tensor {
    return one(Row.tril, [this, diagonal]);
  }

  /** `tril` in place. */
  tril_(diagonal?: number | Options.TrilOptions): this {
    return this.copy_(this.tril(diagonal));
  }

  /**
   * Upper triangles of matrices: elements below the `diagonal` become zero.
   *
   * Defaults: `diagonal = 0`.
   */
  triu(diagonal?: number | Options.TriuOptions): Tensor {
    return one(Row.triu, [this, diagonal]);
  }

  /** `triu` in place. */
  triu_(diagonal?: number | Options.TriuOptions): this {
    return this.copy_(this.triu(diagonal));
  }

  /**
   * A new last axis of `num_classes` that is 1 at the index which each element is, else 0.
   *
   * Defaults: `numClasses = -1`.
   */
  oneHot(numClasses?: number | Options.OneHotOptions): Tensor {
    return one(Row.one_hot, [this, numClasses]);
  }

  /**
   * All ways to choose `r` elements in order, as rows; each at most once, or any number of times
   * `with_replacement`.
   *
   * Defaults: `r = 2`, `withReplacement = false`.
   */
  combinations(r?: number | Options.CombinationsOptions, withReplacement?: boolean | Options.CombinationsOptions): Tensor {
    return one(Row.combinations, [this, r, withReplacement]);
  }

  /**
   * A matrix with `input` on its diagonal, if that has one axis; else the diagonal of the matrix
   * `input`.
   *
   * Defaults: `diagonal = 0`.
   */
  diag(diagonal?: number | Options.DiagOptions): Tensor {
    return one(Row.diag, [this, diagonal]);
  }

  /**
   * Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
   *
   * Defaults: `offset = 0`, `dim1 = -2`, `dim2 = -1`.
   */
  diagEmbed(offset?: number | Options.DiagEmbedOptions, dim1?: number | Options.DiagEmbedOptions, dim2?: number | Options.DiagEmbedOptions): Tensor {
    return one(Row.diag_embed, [this, offset, dim1, dim2]);
  }

  /**
   * A matrix with all elements of `input` on its diagonal.
   *
   * Defaults: `offset = 0`.
   */
  diagflat(offset?: number | Options.DiagflatOptions): Tensor {
    return one(Row.diagflat, [this, offset]);
  }

  /**
   * Uniform random numbers in [0, 1), of the shape and dtype of `input`.
   */
  randLike(dtype?: DTypeName | null | Options.RandLikeOptions): Tensor {
    return one(Row.rand_like, [this, dtype]);
  }

  /**
   * Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
   */
  randnLike(dtype?: DTypeName | null | Options.RandnLikeOptions): Tensor {
    return one(Row.randn_like, [this, dtype]);
  }

  /**
   * Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
   */
  randintLike(low: number, high: number, dtype?: DTypeName | null | Options.RandintLikeOptions): Tensor {
    return one(Row.randint_like, [this, low, high, dtype]);
  }

  /**
   * Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
   *
   * Defaults: `lambd = 1`.
   */
  exponential(lambd?: number | Options.ExponentialOptions): Tensor {
    return one(Row.exponential, [this, lambd]);
  }

  /** `exponential` in place. */
  exponential_(lambd?: number | Options.ExponentialOptions): this {
    return this.copy_(this.exponential(lambd));
  }

  /**
   * 1 with the probability that each element of `input` is, else 0.
   */
  bernoulli(): Tensor {
    return one(Row.bernoulli, [this]);
  }

  /** `bernoulli` in place. */
  bernoulli_(): this {
    return this.copy_(this.bernoulli());
  }

  /**
   * Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
   * for each row; all different unless `replacement`.
   *
   * Defaults: `replacement = false`.
   */
  multinomial(numSamples: number, replacement?: boolean | Options.MultinomialOptions): Tensor {
    return one(Row.multinomial, [this, numSamples, replacement]);
  }

  /**
   * An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
   */
  categorical(): Tensor {
    return one(Row.categorical, [this]);
  }

  /**
   * Samples that are nearly one-hot along `dim`, differentiable: `softmax((logits + noise) / tau)`
   * with Gumbel noise. `hard` makes them one-hot and keeps the gradient.
   *
   * Defaults: `tau = 1`, `hard = false`, `dim = -1`.
   */
  gumbelSoftmax(tau?: number | Options.GumbelSoftmaxOptions, hard?: boolean | Options.GumbelSoftmaxOptions, dim?: number | Options.GumbelSoftmaxOptions): Tensor {
    return one(Row.gumbel_softmax, [this, tau, hard, dim]);
  }

  /**
   * While `training`, sets each element to zero with probability `p` and scales the others by
   * `1 / (1 − p)`.
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  dropout(p?: number | Options.DropoutOptions, training?: boolean | Options.DropoutOptions): Tensor {
    return one(Row.dropout, [this, p, training]);
  }

  /** `dropout` in place. */
  dropout_(p?: number | Options.DropoutOptions, training?: boolean | Options.DropoutOptions): this {
    return this.copy_(this.dropout(p, training));
  }

  /**
   * While `training`, sets whole channels (axes 0 and 1 count them) to zero with probability `p`
   * and scales the others by `1 / (1 − p)`.
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  featureDropout(p?: number | Options.FeatureDropoutOptions, training?: boolean | Options.FeatureDropoutOptions): Tensor {
    return one(Row.feature_dropout, [this, p, training]);
  }

  /**
   * `feature_dropout` for signals: (batch, channel, length), or (channel, length).
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  dropout1d(p?: number | Options.Dropout1dOptions, training?: boolean | Options.Dropout1dOptions): Tensor {
    return one(Row.dropout1d, [this, p, training]);
  }

  /**
   * `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  dropout3d(p?: number | Options.Dropout3dOptions, training?: boolean | Options.Dropout3dOptions): Tensor {
    return one(Row.dropout3d, [this, p, training]);
  }

  /**
   * Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
   * the value selu saturates at, then shifts and scales so that mean and variance stay.
   *
   * Defaults: `p = 0.5`, `training = false`.
   */
  alphaDropout(p?: number | Options.AlphaDropoutOptions, training?: boolean | Options.AlphaDropoutOptions): Tensor {
    return one(Row.alpha_dropout, [this, p, training]);
  }

  /**
   * `alpha_dropout` of whole channels (axes 0 and 1 count them).
   *
   * Defaults: `p = 0.5`, `training = false`.
   */
  featureAlphaDropout(p?: number | Options.FeatureAlphaDropoutOptions, training?: boolean | Options.FeatureAlphaDropoutOptions): Tensor {
    return one(Row.feature_alpha_dropout, [this, p, training]);
  }

  /**
   * `input + alpha · other`.
   *
   * Defaults: `alpha = 1`.
   */
  add(other: Operand, alpha?: number | Options.AddOptions): Tensor {
    return one(Row.add, [this, other, alpha]);
  }

  /** `add` in place. */
  add_(other: Operand, alpha?: number | Options.AddOptions): this {
    return this.copy_(this.add(other, alpha));
  }

  /**
   * `input − alpha · other`.
   *
   * Defaults: `alpha = 1`.
   */
  sub(other: Operand, alpha?: number | Options.SubOptions): Tensor {
    return one(Row.sub, [this, other, alpha]);
  }

  /** `sub` in place. */
  sub_(other: Operand, alpha?: number | Options.SubOptions): this {
    return this.copy_(this.sub(other, alpha));
  }

  /**
   * `other − alpha · input`.
   *
   * Defaults: `alpha = 1`.
   */
  rsub(other: Operand, alpha?: number | Options.RsubOptions): Tensor {
    return one(Row.rsub, [this, other, alpha]);
  }

  /** `rsub` in place. */
  rsub_(other: Operand, alpha?: number | Options.RsubOptions): this {
    return this.copy_(this.rsub(other, alpha));
  }

  /**
   * `input / other`, of integers too; or the quotient rounded towards zero (`'trunc'`) or down
   * (`'floor'`), which keeps integers.
   */
  div(other: Operand, roundingMode?: 'trunc' | 'floor' | null | Options.DivOptions): Tensor {
    return one(Row.div, [this, other, roundingMode]);
  }

  /** `div` in place. */
  div_(other: Operand, roundingMode?: 'trunc' | 'floor' | null | Options.DivOptions): this {
    return this.copy_(this.div(other, roundingMode));
  }

  /**
   * `input` to the power of `exponent`.
   */
  pow(exponent: Operand): Tensor {
    return one(Row.pow, [this, exponent]);
  }

  /** `pow` in place. */
  pow_(exponent: Operand): this {
    return this.copy_(this.pow(exponent));
  }

  /**
   * `input` to the power of `exponent`, in `f64`.
   */
  floatPower(exponent: Operand): Tensor {
    return one(Row.float_power, [this, exponent]);
  }

  /** `floatPower` in place. */
  floatPower_(exponent: Operand): this {
    return this.copy_(this.floatPower(exponent));
  }

  /**
   * Each element times itself.
   */
  square(): Tensor {
    return one(Row.square, [this]);
  }

  /** `square` in place. */
  square_(): this {
    return this.copy_(this.square());
  }

  /**
   * `input + weight · (end − input)`: from `input` at weight 0 to `end` at 1.
   */
  lerp(end: Tensor, weight: Operand): Tensor {
    return one(Row.lerp, [this, end, weight]);
  }

  /** `lerp` in place. */
  lerp_(end: Tensor, weight: Operand): this {
    return this.copy_(this.lerp(end, weight));
  }

  /**
   * `input + value · tensor1 · tensor2`.
   *
   * Defaults: `value = 1`.
   */
  addcmul(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcmulOptions): Tensor {
    return one(Row.addcmul, [this, tensor1, tensor2, value]);
  }

  /** `addcmul` in place. */
  addcmul_(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcmulOptions): this {
    return this.copy_(this.addcmul(tensor1, tensor2, value));
  }

  /**
   * `input + value · tensor1 / tensor2`.
   *
   * Defaults: `value = 1`.
   */
  addcdiv(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcdivOptions): Tensor {
    return one(Row.addcdiv, [this, tensor1, tensor2, value]);
  }

  /** `addcdiv` in place. */
  addcdiv_(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcdivOptions): this {
    return this.copy_(this.addcdiv(tensor1, tensor2, value));
  }

  /**
   * The input itself.
   */
  positive(): Tensor {
    return one(Row.positive, [this]);
  }

  /** `positive` in place. */
  positive_(): this {
    return this.copy_(this.positive());
  }

  /**
   * The fraction of each element, with its sign.
   */
  frac(): Tensor {
    return one(Row.frac, [this]);
  }

  /** `frac` in place. */
  frac_(): this {
    return this.copy_(this.frac());
  }

  /**
   * Degrees to radians.
   */
  deg2rad(): Tensor {
    return one(Row.deg2rad, [this]);
  }

  /** `deg2rad` in place. */
  deg2rad_(): this {
    return this.copy_(this.deg2rad());
  }

  /**
   * Radians to degrees.
   */
  rad2deg(): Tensor {
    return one(Row.rad2deg, [this]);
  }

  /** `rad2deg` in place. */
  rad2deg_(): this {
    return this.copy_(this.rad2deg());
  }

  /**
   * `sin(πx) / (πx)`, and 1 at zero.
   */
  sinc(): Tensor {
    return one(Row.sinc, [this]);
  }

  /** `sinc` in place. */
  sinc_(): this {
    return this.copy_(this.sinc());
  }

  /**
   * `input · 2^other`.
   */
  ldexp(other: Operand): Tensor {
    return one(Row.ldexp, [this, other]);
  }

  /** `ldexp` in place. */
  ldexp_(other: Operand): this {
    return this.copy_(this.ldexp(other));
  }

  /**
   * Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
   */
  logaddexp2(other: Tensor): Tensor {
    return one(Row.logaddexp2, [this, other]);
  }

  /** `logaddexp2` in place. */
  logaddexp2_(other: Tensor): this {
    return this.copy_(this.logaddexp2(other));
  }

  /**
   * `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first kept between
   * `eps` and `1 − eps`.
   */
  logit(eps?: number | null | Options.LogitOptions): Tensor {
    return one(Row.logit, [this, eps]);
  }

  /** `logit` in place. */
  logit_(eps?: number | null | Options.LogitOptions): this {
    return this.copy_(this.logit(eps));
  }

  /**
   * Finite numbers for NaN (`nan`, zero unless given) and for the infinities (`posinf`, `neginf`;
   * the largest and smallest of the type unless given).
   */
  nanToNum(nan?: number | null | Options.NanToNumOptions, posinf?: number | null | Options.NanToNumOptions, neginf?: number | null | Options.NanToNumOptions): Tensor {
    return one(Row.nan_to_num, [this, nan, posinf, neginf]);
  }

  /** `nanToNum` in place. */
  nanToNum_(nan?: number | null | Options.NanToNumOptions, posinf?: number | null | Options.NanToNumOptions, neginf?: number | null | Options.NanToNumOptions): this {
    return this.copy_(this.nanToNum(nan, posinf, neginf));
  }

  /**
   * Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
   * even one.
   *
   * Defaults: `decimals = 0`.
   */
  round(decimals?: number | Options.RoundOptions): Tensor {
    return one(Row.round, [this, decimals]);
  }

  /** `round` in place. */
  round_(decimals?: number | Options.RoundOptions): this {
    return this.copy_(this.round(decimals));
  }

  /**
   * Derivative of `lgamma`.
   */
  digamma(): Tensor {
    return one(Row.digamma, [this]);
  }

  /** `digamma` in place. */
  digamma_(): this {
    return this.copy_(this.digamma());
  }

  /**
   * `input · log(1 + other)`, which is zero where `input` is.
   */
  xlog1py(other: Operand): Tensor {
    return one(Row.xlog1py, [this, other]);
  }

  /** `xlog1py` in place. */
  xlog1py_(other: Operand): this {
    return this.copy_(this.xlog1py(other));
  }

  /**
   * Each element, but at least `min` and at most `max`; `max` wins where they cross.
   */
  clamp(min?: Operand | null | Options.ClampOptions, max?: Operand | null | Options.ClampOptions): Tensor {
    return one(Row.clamp, [this, min, max]);
  }

  /** `clamp` in place. */
  clamp_(min?: Operand | null | Options.ClampOptions, max?: Operand | null | Options.ClampOptions): this {
    return this.copy_(this.clamp(min, max));
  }

  /**
   * Each element, but at least `min`.
   */
  clampMin(min: Operand): Tensor {
    return one(Row.clamp_min, [this, min]);
  }

  /** `clampMin` in place. */
  clampMin_(min: Operand): this {
    return this.copy_(this.clampMin(min));
  }

  /**
   * Each element, but at most `max`.
   */
  clampMax(max: Operand): Tensor {
    return one(Row.clamp_max, [this, max]);
  }

  /** `clampMax` in place. */
  clampMax_(max: Operand): this {
    return this.copy_(this.clampMax(max));
  }

  /**
   * The larger of two elements; a number rather than NaN where there is one.
   */
  fmax(other: Tensor): Tensor {
    return one(Row.fmax, [this, other]);
  }

  /** `fmax` in place. */
  fmax_(other: Tensor): this {
    return this.copy_(this.fmax(other));
  }

  /**
   * The smaller of two elements; a number rather than NaN where there is one.
   */
  fmin(other: Tensor): Tensor {
    return one(Row.fmin, [this, other]);
  }

  /** `fmin` in place. */
  fmin_(other: Tensor): this {
    return this.copy_(this.fmin(other));
  }

  /**
   * `value` where `mask` is true, else the element.
   */
  maskedFill(mask: Tensor, value: Operand): Tensor {
    return one(Row.masked_fill, [this, mask, value]);
  }

  /** `maskedFill` in place. */
  maskedFill_(mask: Tensor, value: Operand): this {
    return this.copy_(this.maskedFill(mask, value));
  }

  /**
   * 0 for negative elements, 1 for positive ones, and `values` at zero.
   */
  heaviside(values: Tensor): Tensor {
    return one(Row.heaviside, [this, values]);
  }

  /** `heaviside` in place. */
  heaviside_(values: Tensor): this {
    return this.copy_(this.heaviside(values));
  }

  /**
   * Whether each element is NaN.
   */
  isnan(): Tensor {
    return one(Row.isnan, [this]);
  }

  /**
   * Whether each element is infinite.
   */
  isinf(): Tensor {
    return one(Row.isinf, [this]);
  }

  /**
   * Whether each element is neither infinite nor NaN.
   */
  isfinite(): Tensor {
    return one(Row.isfinite, [this]);
  }

  /**
   * Whether each element is plus infinity.
   */
  isposinf(): Tensor {
    return one(Row.isposinf, [this]);
  }

  /**
   * Whether each element is minus infinity.
   */
  isneginf(): Tensor {
    return one(Row.isneginf, [this]);
  }

  /**
   * Whether each element is a real number, as all are.
   */
  isreal(): Tensor {
    return one(Row.isreal, [this]);
  }

  /**
   * Whether the sign bit of each element is set, that of −0 too.
   */
  signbit(): Tensor {
    return one(Row.signbit, [this]);
  }

  /** `signbit` in place. */
  signbit_(): this {
    return this.copy_(this.signbit());
  }

  /**
   * Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
   * `equal_nan`.
   *
   * Defaults: `rtol = 1e-5`, `atol = 1e-8`, `equalNan = false`.
   */
  isclose(other: Tensor, rtol?: number | Options.IscloseOptions, atol?: number | Options.IscloseOptions, equalNan?: boolean | Options.IscloseOptions): Tensor {
    return one(Row.isclose, [this, other, rtol, atol, equalNan]);
  }

  /**
   * Whether both elements are true, that is, not zero.
   */
  logicalAnd(other: Tensor): Tensor {
    return one(Row.logical_and, [this, other]);
  }

  /** `logicalAnd` in place. */
  logicalAnd_(other: Tensor): this {
    return this.copy_(this.logicalAnd(other));
  }

  /**
   * Whether either element is true, that is, not zero.
   */
  logicalOr(other: Tensor): Tensor {
    return one(Row.logical_or, [this, other]);
  }

  /** `logicalOr` in place. */
  logicalOr_(other: Tensor): this {
    return this.copy_(this.logicalOr(other));
  }

  /**
   * Whether exactly one element is true, that is, not zero.
   */
  logicalXor(other: Tensor): Tensor {
    return one(Row.logical_xor, [this, other]);
  }

  /** `logicalXor` in place. */
  logicalXor_(other: Tensor): this {
    return this.copy_(this.logicalXor(other));
  }

  /**
   * Whether each element is false, that is, zero.
   */
  logicalNot(): Tensor {
    return one(Row.logical_not, [this]);
  }

  /** `logicalNot` in place. */
  logicalNot_(): this {
    return this.copy_(this.logicalNot());
  }

  /**
   * `relu` capped at six.
   */
  relu6(): Tensor {
    return one(Row.relu6, [this]);
  }

  /** `relu6` in place. */
  relu6_(): this {
    return this.copy_(this.relu6());
  }

  /**
   * Each element, or `negative_slope` times it where it is negative.
   *
   * Defaults: `negativeSlope = 0.01`.
   */
  leakyRelu(negativeSlope?: number | Options.LeakyReluOptions): Tensor {
    return one(Row.leaky_relu, [this, negativeSlope]);
  }

  /** `leakyRelu` in place. */
  leakyRelu_(negativeSlope?: number | Options.LeakyReluOptions): this {
    return this.copy_(this.leakyRelu(negativeSlope));
  }

  /**
   * `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
   */
  prelu(weight: Tensor): Tensor {
    return one(Row.prelu, [this, weight]);
  }

  /** `prelu` in place. */
  prelu_(weight: Tensor): this {
    return this.copy_(this.prelu(weight));
  }

  /**
   * Each element, or `alpha · (exp(x) − 1)` where it is negative.
   *
   * Defaults: `alpha = 1`.
   */
  elu(alpha?: number | Options.EluOptions): Tensor {
    return one(Row.elu, [this, alpha]);
  }

  /** `elu` in place. */
  elu_(alpha?: number | Options.EluOptions): this {
    return this.copy_(this.elu(alpha));
  }

  /**
   * `elu` scaled so that deep networks normalise themselves (Klambauer et al., 2017).
   */
  selu(): Tensor {
    return one(Row.selu, [this]);
  }

  /** `selu` in place. */
  selu_(): this {
    return this.copy_(this.selu());
  }

  /**
   * `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
   *
   * Defaults: `alpha = 1`.
   */
  celu(alpha?: number | Options.CeluOptions): Tensor {
    return one(Row.celu, [this, alpha]);
  }

  /** `celu` in place. */
  celu_(alpha?: number | Options.CeluOptions): this {
    return this.copy_(this.celu(alpha));
  }

  /**
   * `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
   *
   * Defaults: `approximate = 'none'`.
   */
  gelu(approximate?: 'none' | 'tanh' | Options.GeluOptions): Tensor {
    return one(Row.gelu, [this, approximate]);
  }

  /** `gelu` in place. */
  gelu_(approximate?: 'none' | 'tanh' | Options.GeluOptions): this {
    return this.copy_(this.gelu(approximate));
  }

  /**
   * `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
   *
   * Defaults: `beta = 1`, `threshold = 20`.
   */
  softplus(beta?: number | Options.SoftplusOptions, threshold?: number | Options.SoftplusOptions): Tensor {
    return one(Row.softplus, [this, beta, threshold]);
  }

  /** `softplus` in place. */
  softplus_(beta?: number | Options.SoftplusOptions, threshold?: number | Options.SoftplusOptions): this {
    return this.copy_(this.softplus(beta, threshold));
  }

  /**
   * `x / (1 + |x|)`.
   */
  softsign(): Tensor {
    return one(Row.softsign, [this]);
  }

  /** `softsign` in place. */
  softsign_(): this {
    return this.copy_(this.softsign());
  }

  /**
   * Each element, but at least `min_val` and at most `max_val`.
   *
   * Defaults: `minVal = -1`, `maxVal = 1`.
   */
  hardtanh(minVal?: number | Options.HardtanhOptions, maxVal?: number | Options.HardtanhOptions): Tensor {
    return one(Row.hardtanh, [this, minVal, maxVal]);
  }

  /** `hardtanh` in place. */
  hardtanh_(minVal?: number | Options.HardtanhOptions, maxVal?: number | Options.HardtanhOptions): this {
    return this.copy_(this.hardtanh(minVal, maxVal));
  }

  /**
   * A sigmoid of straight lines: `x / 6 + 1/2` between 0 and 1.
   */
  hardsigmoid(): Tensor {
    return one(Row.hardsigmoid, [this]);
  }

  /** `hardsigmoid` in place. */
  hardsigmoid_(): this {
    return this.copy_(this.hardsigmoid());
  }

  /**
   * `x · hardsigmoid(x)`.
   */
  hardswish(): Tensor {
    return one(Row.hardswish, [this]);
  }

  /** `hardswish` in place. */
  hardswish_(): this {
    return this.copy_(this.hardswish());
  }

  /**
   * Each element, or zero where it lies within `−lambd` and `lambd`.
   *
   * Defaults: `lambd = 0.5`.
   */
  hardshrink(lambd?: number | Options.HardshrinkOptions): Tensor {
    return one(Row.hardshrink, [this, lambd]);
  }

  /** `hardshrink` in place. */
  hardshrink_(lambd?: number | Options.HardshrinkOptions): this {
    return this.copy_(this.hardshrink(lambd));
  }

  /**
   * Each element moved towards zero by `lambd`, and zero where it would cross.
   *
   * Defaults: `lambd = 0.5`.
   */
  softshrink(lambd?: number | Options.SoftshrinkOptions): Tensor {
    return one(Row.softshrink, [this, lambd]);
  }

  /** `softshrink` in place. */
  softshrink_(lambd?: number | Options.SoftshrinkOptions): this {
    return this.copy_(this.softshrink(lambd));
  }

  /**
   * `x − tanh(x)`.
   */
  tanhshrink(): Tensor {
    return one(Row.tanhshrink, [this]);
  }

  /** `tanhshrink` in place. */
  tanhshrink_(): this {
    return this.copy_(this.tanhshrink());
  }

  /**
   * Each element where it exceeds `threshold`, else `value`.
   */
  threshold(threshold: number, value: number): Tensor {
    return one(Row.threshold, [this, threshold, value]);
  }

  /** `threshold` in place. */
  threshold_(threshold: number, value: number): this {
    return this.copy_(this.threshold(threshold, value));
  }

  /**
   * Logarithm of the sigmoid, without overflow.
   */
  logsigmoid(): Tensor {
    return one(Row.logsigmoid, [this]);
  }

  /** `logsigmoid` in place. */
  logsigmoid_(): this {
    return this.copy_(this.logsigmoid());
  }

  /**
   * First half of `dim`, times the sigmoid of the second.
   *
   * Defaults: `dim = -1`.
   */
  glu(dim?: number | Options.GluOptions): Tensor {
    return one(Row.glu, [this, dim]);
  }

  /**
   * `silu` of the first half of `dim`, times the second.
   *
   * Defaults: `dim = -1`.
   */
  swiglu(dim?: number | Options.SwigluOptions): Tensor {
    return one(Row.swiglu, [this, dim]);
  }

  /**
   * `gelu` of the first half of `dim`, times the second.
   *
   * Defaults: `dim = -1`.
   */
  geglu(dim?: number | Options.GegluOptions): Tensor {
    return one(Row.geglu, [this, dim]);
  }

  /**
   * Sum of the elements over `dim`, by default over all axes. Integers and bools add up in i64.
   *
   * Defaults: `keepdim = false`.
   */
  sum(dim?: number | readonly number[] | null | Options.SumOptions, keepdim?: boolean | Options.SumOptions, dtype?: DTypeName | null | Options.SumOptions): Tensor {
    return one(Row.sum, [this, dim, keepdim, dtype]);
  }

  /**
   * Mean of the elements over `dim`, by default over all axes; NaN where there are none.
   *
   * Defaults: `keepdim = false`.
   */
  mean(dim?: number | readonly number[] | null | Options.MeanOptions, keepdim?: boolean | Options.MeanOptions, dtype?: DTypeName | null | Options.MeanOptions): Tensor {
    return one(Row.mean, [this, dim, keepdim, dtype]);
  }

  /**
   * Sum over `dim` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`.
   */
  nansum(dim?: number | readonly number[] | null | Options.NansumOptions, keepdim?: boolean | Options.NansumOptions, dtype?: DTypeName | null | Options.NansumOptions): Tensor {
    return one(Row.nansum, [this, dim, keepdim, dtype]);
  }

  /**
   * Mean over `dim` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`.
   */
  nanmean(dim?: number | readonly number[] | null | Options.NanmeanOptions, keepdim?: boolean | Options.NanmeanOptions, dtype?: DTypeName | null | Options.NanmeanOptions): Tensor {
    return one(Row.nanmean, [this, dim, keepdim, dtype]);
  }

  /**
   * Product of the elements over `dim`, by default over all axes. Integers and bools multiply in
   * i64. The gradient is exact also where elements are zero.
   *
   * Defaults: `keepdim = false`.
   */
  prod(dim?: number | readonly number[] | null | Options.ProdOptions, keepdim?: boolean | Options.ProdOptions, dtype?: DTypeName | null | Options.ProdOptions): Tensor {
    return one(Row.prod, [this, dim, keepdim, dtype]);
  }

  /**
   * Whether all elements over `dim` are true, that is, not zero.
   *
   * Defaults: `keepdim = false`.
   */
  all(dim?: number | readonly number[] | null | Options.AllOptions, keepdim?: boolean | Options.AllOptions): Tensor {
    return one(Row.all, [this, dim, keepdim]);
  }

  /**
   * Whether any element over `dim` is true, that is, not zero.
   *
   * Defaults: `keepdim = false`.
   */
  any(dim?: number | readonly number[] | null | Options.AnyOptions, keepdim?: boolean | Options.AnyOptions): Tensor {
    return one(Row.any, [this, dim, keepdim]);
  }

  /**
   * Number of elements over `dim` that are not zero, in i64.
   */
  countNonzero(dim?: number | readonly number[] | null | Options.CountNonzeroOptions): Tensor {
    return one(Row.count_nonzero, [this, dim]);
  }

  /**
   * Logarithm of the sum of exponentials over `dim`, without overflow.
   *
   * Defaults: `keepdim = false`.
   */
  logsumexp(dim?: number | readonly number[] | null | Options.LogsumexpOptions, keepdim?: boolean | Options.LogsumexpOptions): Tensor {
    return one(Row.logsumexp, [this, dim, keepdim]);
  }

  /**
   * Sum of the elements on the diagonal of a matrix.
   */
  trace(): Tensor {
    return one(Row.trace, [this]);
  }

  /**
   * Sums the axes that broadcasting a tensor of `size` to this one would have repeated.
   */
  sumToSize(...size: number[] | [readonly number[]]): Tensor {
    return one(Row.sum_to_size, [this, unwrap(size)]);
  }

  /**
   * The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
   * number, ±inf or `'fro'`, which is 2 and the default.
   *
   * Defaults: `keepdim = false`.
   */
  norm(p?: number | null | Options.NormOptions, dim?: number | readonly number[] | null | Options.NormOptions, keepdim?: boolean | Options.NormOptions, dtype?: DTypeName | null | Options.NormOptions): Tensor {
    return one(Row.norm, [this, p, dim, keepdim, dtype]);
  }

  /**
   * The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
   * smallest (−inf) magnitude, or the number of elements that are not zero (0).
   *
   * Defaults: `ord = 2`, `keepdim = false`.
   */
  vectorNorm(ord?: number | Options.VectorNormOptions, dim?: number | readonly number[] | null | Options.VectorNormOptions, keepdim?: boolean | Options.VectorNormOptions, dtype?: DTypeName | null | Options.VectorNormOptions): Tensor {
    return one(Row.vector_norm, [this, ord, dim, keepdim, dtype]);
  }

  /**
   * The `p`-norm of the difference of two tensors.
   *
   * Defaults: `p = 2`.
   */
  dist(other: Tensor, p?: number | Options.DistOptions): Tensor {
    return one(Row.dist, [this, other, p]);
  }

  /**
   * Largest element over `dim`, by default over all axes. Equal ones share the gradient.
   *
   * Defaults: `keepdim = false`.
   */
  amax(dim?: number | readonly number[] | null | Options.AmaxOptions, keepdim?: boolean | Options.AmaxOptions): Tensor {
    return one(Row.amax, [this, dim, keepdim]);
  }

  /**
   * Smallest element over `dim`, by default over all axes. Equal ones share the gradient.
   *
   * Defaults: `keepdim = false`.
   */
  amin(dim?: number | readonly number[] | null | Options.AminOptions, keepdim?: boolean | Options.AminOptions): Tensor {
    return one(Row.amin, [this, dim, keepdim]);
  }

  /**
   * Smallest and largest element over `dim`, by default over all axes.
   *
   * Defaults: `keepdim = false`.
   */
  aminmax(dim?: number | null | Options.AminmaxOptions, keepdim?: boolean | Options.AminmaxOptions): [Tensor, Tensor] {
    return pair(Row.aminmax, [this, dim, keepdim]);
  }

  /**
   * The largest element of all; with `dim`, the largest elements along that axis and the index of
   * the first of each; with a tensor instead, the larger of each pair of elements.
   *
   * Defaults: `keepdim = false`.
   */
  max(): Tensor;
  max(dim: number, keepdim?: boolean): [Tensor, Tensor];
  max(other: Tensor): Tensor;
  max(dim?: Operand | null | Options.MaxOptions, keepdim?: boolean | Options.MaxOptions): Tensor | [Tensor, Tensor] {
    return varied(Row.max, [this, dim, keepdim]) as Tensor | [Tensor, Tensor];
  }

  /**
   * The smallest element of all; with `dim`, the smallest elements along that axis and the index of
   * the first of each; with a tensor instead, the smaller of each pair of elements.
   *
   * Defaults: `keepdim = false`.
   */
  min(): Tensor;
  min(dim: number, keepdim?: boolean): [Tensor, Tensor];
  min(other: Tensor): Tensor;
  min(dim?: Operand | null | Options.MinOptions, keepdim?: boolean | Options.MinOptions): Tensor | [Tensor, Tensor] {
    return varied(Row.min, [this, dim, keepdim]) as Tensor | [Tensor, Tensor];
  }

  /**
   * Index of the first largest element along `dim`, by default of all elements in order.
   *
   * Defaults: `keepdim = false`.
   */
  argmax(dim?: number | null | Options.ArgmaxOptions, keepdim?: boolean | Options.ArgmaxOptions): Tensor {
    return one(Row.argmax, [this, dim, keepdim]);
  }

  /**
   * Index of the first smallest element along `dim`, by default of all elements in order.
   *
   * Defaults: `keepdim = false`.
   */
  argmin(dim?: number | null | Options.ArgminOptions, keepdim?: boolean | Options.ArgminOptions): Tensor {
    return one(Row.argmin, [this, dim, keepdim]);
  }

  /**
   * Variance over `dim`, by default over all axes: squared deviations from the mean, added up and
   * divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is an
   * older way to say `correction` 1 or 0.
   *
   * Defaults: `keepdim = false`.
   */
  var(dim?: number | readonly number[] | null | Options.VarOptions, correction?: number | null | Options.VarOptions, keepdim?: boolean | Options.VarOptions, unbiased?: boolean | null | Options.VarOptions): Tensor {
    return one(Row.var_, [this, dim, correction, keepdim, unbiased]);
  }

  /**
   * Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
   *
   * Defaults: `keepdim = false`.
   */
  std(dim?: number | readonly number[] | null | Options.StdOptions, correction?: number | null | Options.StdOptions, keepdim?: boolean | Options.StdOptions, unbiased?: boolean | null | Options.StdOptions): Tensor {
    return one(Row.std, [this, dim, correction, keepdim, unbiased]);
  }

  /**
   * Variance and mean over `dim`.
   *
   * Defaults: `keepdim = false`.
   */
  varMean(dim?: number | readonly number[] | null | Options.VarMeanOptions, correction?: number | null | Options.VarMeanOptions, keepdim?: boolean | Options.VarMeanOptions, unbiased?: boolean | null | Options.VarMeanOptions): [Tensor, Tensor] {
    return pair(Row.var_mean, [this, dim, correction, keepdim, unbiased]);
  }

  /**
   * Standard deviation and mean over `dim`.
   *
   * Defaults: `keepdim = false`.
   */
  stdMean(dim?: number | readonly number[] | null | Options.StdMeanOptions, correction?: number | null | Options.StdMeanOptions, keepdim?: boolean | Options.StdMeanOptions, unbiased?: boolean | null | Options.StdMeanOptions): [Tensor, Tensor] {
    return pair(Row.std_mean, [this, dim, correction, keepdim, unbiased]);
  }

  /**
   * The middle element of all in order of size, the lower of two; with `dim`, the middle elements
   * along that axis and their indices. NaN where there is one.
   *
   * Defaults: `keepdim = false`.
   */
  median(): Tensor;
  median(dim: number, keepdim?: boolean): [Tensor, Tensor];
  median(dim?: number | null | Options.MedianOptions, keepdim?: boolean | Options.MedianOptions): Tensor | [Tensor, Tensor] {
    return varied(Row.median, [this, dim, keepdim]) as Tensor | [Tensor, Tensor];
  }

  /**
   * `median` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`.
   */
  nanmedian(): Tensor;
  nanmedian(dim: number, keepdim?: boolean): [Tensor, Tensor];
  nanmedian(dim?: number | null | Options.NanmedianOptions, keepdim?: boolean | Options.NanmedianOptions): Tensor | [Tensor, Tensor] {
    return varied(Row.nanmedian, [this, dim, keepdim]) as Tensor | [Tensor, Tensor];
  }

  /**
   * The most frequent value along `dim`, the smallest of several, and its last index.
   *
   * Defaults: `dim = -1`, `keepdim = false`.
   */
  mode(dim?: number | Options.ModeOptions, keepdim?: boolean | Options.ModeOptions): [Tensor, Tensor] {
    return pair(Row.mode, [this, dim, keepdim]);
  }

  /**
   * The values below which the fractions `q` of the elements along `dim` lie, by default of all
   * elements. A list of fractions adds a first axis. NaN where there is one.
   *
   * Defaults: `keepdim = false`, `interpolation = 'linear'`.
   */
  quantile(q: Operand, dim?: number | null | Options.QuantileOptions, keepdim?: boolean | Options.QuantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.QuantileOptions): Tensor {
    return one(Row.quantile, [this, q, dim, keepdim, interpolation]);
  }

  /**
   * `quantile` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`, `interpolation = 'linear'`.
   */
  nanquantile(q: Operand, dim?: number | null | Options.NanquantileOptions, keepdim?: boolean | Options.NanquantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.NanquantileOptions): Tensor {
    return one(Row.nanquantile, [this, q, dim, keepdim, interpolation]);
  }

  /**
   * Numbers of elements in `bins` equal intervals from `min` to `max`, by default from the smallest
   * to the largest element. Elements outside count nowhere.
   *
   * Defaults: `bins = 100`, `min = 0`, `max = 0`.
   */
  histc(bins?: number | Options.HistcOptions, min?: number | Options.HistcOptions, max?: number | Options.HistcOptions): Tensor {
    return one(Row.histc, [this, bins, min, max]);
  }

  /**
   * Running sum along `dim`. Integers and bools add up in i64.
   */
  cumsum(dim: number, dtype?: DTypeName | null | Options.CumsumOptions): Tensor {
    return one(Row.cumsum, [this, dim, dtype]);
  }

  /**
   * Running product along `dim`. Integers and bools multiply in i64.
   */
  cumprod(dim: number, dtype?: DTypeName | null | Options.CumprodOptions): Tensor {
    return one(Row.cumprod, [this, dim, dtype]);
  }

  /**
   * Largest element so far along `dim`, and its last index. NaN stays to the end.
   */
  cummax(dim: number): [Tensor, Tensor] {
    return pair(Row.cummax, [this, dim]);
  }

  /**
   * Smallest element so far along `dim`, and its last index. NaN stays to the end.
   */
  cummin(dim: number): [Tensor, Tensor] {
    return pair(Row.cummin, [this, dim]);
  }

  /**
   * Logarithm of the running sum of exponentials along `dim`, without overflow.
   */
  logcumsumexp(dim: number): Tensor {
    return one(Row.logcumsumexp, [this, dim]);
  }

  /**
   * Differences between neighbours along `dim`, taken `n` times, after putting `prepend` and
   * `append` at the ends.
   *
   * Defaults: `n = 1`, `dim = -1`.
   */
  diff(n?: number | Options.DiffOptions, dim?: number | Options.DiffOptions, prepend?: Tensor | null | Options.DiffOptions, append?: Tensor | null | Options.DiffOptions): Tensor {
    return one(Row.diff, [this, n, dim, prepend, append]);
  }

  /**
   * Slopes of a function given at points along each of `dim`, by default along every axis: half
   * the difference of the neighbours over their distance, and at the ends differences of order
   * `edge_order`. `spacing` is the distance between points, one for all axes or one for each, or
   * for each axis a tensor with the points' coordinates.
   *
   * Defaults: `edgeOrder = 1`.
   */
  gradient(spacing?: Operand | readonly Operand[] | null | Options.GradientOptions, dim?: number | readonly number[] | null | Options.GradientOptions, edgeOrder?: number | Options.GradientOptions): Tensor[] {
    return list(Row.gradient, [this, spacing, dim, edgeOrder]);
  }

  /**
   * Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
   * or else their distance `dx`.
   *
   * Defaults: `dx = 1`, `dim = -1`.
   */
  trapezoid(x?: Tensor | null | Options.TrapezoidOptions, dx?: number | Options.TrapezoidOptions, dim?: number | Options.TrapezoidOptions): Tensor {
    return one(Row.trapezoid, [this, x, dx, dim]);
  }

  /**
   * Running integral along `dim` by the trapezoid rule, from the second point on.
   *
   * Defaults: `dx = 1`, `dim = -1`.
   */
  cumulativeTrapezoid(x?: Tensor | null | Options.CumulativeTrapezoidOptions, dx?: number | Options.CumulativeTrapezoidOptions, dim?: number | Options.CumulativeTrapezoidOptions): Tensor {
    return one(Row.cumulative_trapezoid, [this, x, dx, dim]);
  }

  /**
   * The elements sorted along `dim`, and the index each had before. Equal elements always keep
   * their order, whether `stable` or not.
   *
   * Defaults: `dim = -1`, `descending = false`, `stable = false`.
   */
  sort(dim?: number | Options.SortOptions, descending?: boolean | Options.SortOptions, stable?: boolean | Options.SortOptions): [Tensor, Tensor] {
    return pair(Row.sort, [this, dim, descending, stable]);
  }

  /**
   * The indices that sort the elements along `dim`.
   *
   * Defaults: `dim = -1`, `descending = false`, `stable = false`.
   */
  argsort(dim?: number | Options.ArgsortOptions, descending?: boolean | Options.ArgsortOptions, stable?: boolean | Options.ArgsortOptions): Tensor {
    return one(Row.argsort, [this, dim, descending, stable]);
  }

  /**
   * The elements sorted along the first axis.
   */
  msort(): Tensor {
    return one(Row.msort, [this]);
  }

  /**
   * The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
   * indices. They are sorted also if not asked for.
   *
   * Defaults: `dim = -1`, `largest = true`, `sorted = true`.
   */
  topk(k: number, dim?: number | Options.TopkOptions, largest?: boolean | Options.TopkOptions, sorted?: boolean | Options.TopkOptions): [Tensor, Tensor] {
    return pair(Row.topk, [this, k, dim, largest, sorted]);
  }

  /**
   * The `k`-th smallest element along `dim`, counted from 1, and its index.
   *
   * Defaults: `dim = -1`, `keepdim = false`.
   */
  kthvalue(k: number, dim?: number | Options.KthvalueOptions, keepdim?: boolean | Options.KthvalueOptions): [Tensor, Tensor] {
    return pair(Row.kthvalue, [this, k, dim, keepdim]);
  }

  /**
   * Where each value of `input` would have to be inserted to keep the last axis of
   * `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
   * `side`. A sequence of several axes has one line for each line of `input`.
   *
   * Defaults: `outInt32 = false`, `right = false`.
   */
  searchsorted(input: Operand, outInt32?: boolean | Options.SearchsortedOptions, right?: boolean | Options.SearchsortedOptions, side?: 'left' | 'right' | null | Options.SearchsortedOptions, sorter?: Tensor | null | Options.SearchsortedOptions): Tensor {
    return one(Row.searchsorted, [this, input, outInt32, right, side, sorter]);
  }

  /**
   * In which interval between `boundaries` each value lies: how many boundaries are less than it,
   * or not greater if `right`.
   *
   * Defaults: `outInt32 = false`, `right = false`.
   */
  bucketize(boundaries: Tensor, outInt32?: boolean | Options.BucketizeOptions, right?: boolean | Options.BucketizeOptions): Tensor {
    return one(Row.bucketize, [this, boundaries, outInt32, right]);
  }

  /**
   * Whether each of `elements` is among `test_elements`, or is not if `invert`.
   *
   * Defaults: `assumeUnique = false`, `invert = false`.
   */
  isin(testElements: Operand, assumeUnique?: boolean | Options.IsinOptions, invert?: boolean | Options.IsinOptions): Tensor {
    return one(Row.isin, [this, testElements, assumeUnique, invert]);
  }

  /**
   * The elements, in row-major order, under another shape. One length may be −1: it is whatever
   * the others leave.
   */
  reshape(...shape: number[] | [readonly number[]]): Tensor {
    return one(Row.reshape, [this, unwrap(shape)]);
  }

  /**
   * The elements of `input` under the shape of `other`.
   */
  reshapeAs(other: Tensor): Tensor {
    return one(Row.reshape_as, [this, other]);
  }

  /**
   * Merges the axes from `start_dim` to `end_dim` into one.
   *
   * Defaults: `startDim = 0`, `endDim = -1`.
   */
  flatten(startDim?: number | Options.FlattenOptions, endDim?: number | Options.FlattenOptions): Tensor {
    return one(Row.flatten, [this, startDim, endDim]);
  }

  /**
   * All elements in one axis.
   */
  ravel(): Tensor {
    return one(Row.ravel, [this]);
  }

  /**
   * Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
   */
  unflatten(dim: number, ...sizes: number[] | [readonly number[]]): Tensor {
    return one(Row.unflatten, [this, dim, unwrap(sizes)]);
  }

  /**
   * Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
   */
  permute(...dims: number[] | [readonly number[]]): Tensor {
    return one(Row.permute, [this, unwrap(dims)]);
  }

  /**
   * Swaps two axes, the last two unless told otherwise.
   *
   * Defaults: `dim0 = -2`, `dim1 = -1`.
   */
  transpose(dim0?: number | Options.TransposeOptions, dim1?: number | Options.TransposeOptions): Tensor {
    return one(Row.transpose, [this, dim0, dim1]);
  }

  /**
   * The transpose of a matrix; scalars and vectors stay as they are.
   */
  t(): Tensor {
    return one(Row.t, [this]);
  }

  /**
   * The transpose of each matrix in the last two axes.
   */
  adjoint(): Tensor {
    return one(Row.adjoint, [this]);
  }

  /**
   * Moves the axes `source` to the places `destination`; the others keep their order.
   */
  movedim(source: number | readonly number[], ...destination: number[] | [readonly number[]]): Tensor {
    return one(Row.movedim, [this, source, unwrap(destination)]);
  }

  /**
   * Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
   */
  expand(...size: number[] | [readonly number[]]): Tensor {
    return one(Row.expand, [this, unwrap(size)]);
  }

  /**
   * `input` expanded to the shape of `other`.
   */
  expandAs(other: Tensor): Tensor {
    return one(Row.expand_as, [this, other]);
  }

  /**
   * Removes axes of length one: all of them, or those of `dim` that are.
   */
  squeeze(dim?: number | readonly number[] | null | Options.SqueezeOptions): Tensor {
    return one(Row.squeeze, [this, dim]);
  }

  /**
   * Inserts an axis of length one before axis `dim` of the result.
   */
  unsqueeze(dim: number): Tensor {
    return one(Row.unsqueeze, [this, dim]);
  }

  /**
   * Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
   */
  splitHeads(numHeads: number): Tensor {
    return one(Row.split_heads, [this, numHeads]);
  }

  /**
   * The opposite of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
   */
  mergeHeads(): Tensor {
    return one(Row.merge_heads, [this]);
  }

  /**
   * The elements as another dtype: floats become integers towards zero, and all but zero `true`.
   */
  to(dtype: DTypeName): Tensor {
    return one(Row.to, [this, dtype]);
  }

  /**
   * The elements as `f32`.
   */
  float(): Tensor {
    return one(Row.float, [this]);
  }

  /**
   * The elements as `f64`.
   */
  double(): Tensor {
    return one(Row.double, [this]);
  }

  /**
   * The elements as `f16`.
   */
  half(): Tensor {
    return one(Row.half, [this]);
  }

  /**
   * The elements as `bf16`.
   */
  bfloat16(): Tensor {
    return one(Row.bfloat16, [this]);
  }

  /**
   * The elements as `i32`, floats towards zero.
   */
  int(): Tensor {
    return one(Row.int, [this]);
  }

  /**
   * The elements as `i64`, floats towards zero.
   */
  long(): Tensor {
    return one(Row.long, [this]);
  }

  /**
   * Whether each element is other than zero.
   */
  toBool(): Tensor {
    return one(Row.to_bool, [this]);
  }

  /**
   * The tensor itself: tensors never change, and how they lie in memory is the device's affair.
   */
  clone(): Tensor {
    return one(Row.clone, [this]);
  }

  /**
   * A box of the tensor: `ranges` are `[start, end]` or `[start, end, step]` of each axis, from the
   * first on. Where `ranges` is a single number, it is the one axis to slice, by `start`, `end` and
   * `step`. Positions may count from the end.
   *
   * Defaults: `step = 1`.
   */
  slice(ranges: number | readonly number[] | readonly (number | readonly number[])[], start?: number | null | Options.SliceOptions, end?: number | null | Options.SliceOptions, step?: number | Options.SliceOptions): Tensor {
    return one(Row.slice, [this, ranges, start, end, step]);
  }

  /**
   * `length` elements of axis `dim` from `start` on.
   */
  narrow(dim: number, start: number, length: number): Tensor {
    return one(Row.narrow, [this, dim, start, length]);
  }

  /**
   * Position `index` of axis `dim`, which disappears.
   */
  select(dim: number, index: number): Tensor {
    return one(Row.select, [this, dim, index]);
  }

  /**
   * The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
   *
   * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
   */
  diagonal(offset?: number | Options.DiagonalOptions, dim1?: number | Options.DiagonalOptions, dim2?: number | Options.DiagonalOptions): Tensor {
    return one(Row.diagonal, [this, offset, dim1, dim2]);
  }

  /**
   * Reverses the axes `dims`.
   */
  flip(...dims: number[] | [readonly number[]]): Tensor {
    return one(Row.flip, [this, unwrap(dims)]);
  }

  /**
   * Reverses the second axis.
   */
  fliplr(): Tensor {
    return one(Row.fliplr, [this]);
  }

  /**
   * Reverses the first axis.
   */
  flipud(): Tensor {
    return one(Row.flipud, [this]);
  }

  /**
   * Shifts elements along axes; what leaves at one end comes back at the other. Without `dims` the
   * tensor is rolled as if flat.
   */
  roll(shifts: number | readonly number[], dims?: number | readonly number[] | null | Options.RollOptions): Tensor {
    return one(Row.roll, [this, shifts, dims]);
  }

  /**
   * Turns the plane of two axes by `k` quarters, from the first axis towards the second.
   *
   * Defaults: `k = 1`, `dims = [0,1]`.
   */
  rot90(k?: number | Options.Rot90Options, dims?: number | readonly number[] | Options.Rot90Options): Tensor {
    return one(Row.rot90, [this, k, dims]);
  }

  /**
   * The whole tensor repeated along each axis. `repeats` counts from the last axis and may add
   * leading ones.
   */
  repeat(...repeats: number[] | [readonly number[]]): Tensor {
    return one(Row.repeat, [this, unwrap(repeats)]);
  }

  /**
   * `repeat` that fills `dims` up with leading ones.
   */
  tile(...dims: number[] | [readonly number[]]): Tensor {
    return one(Row.tile, [this, unwrap(dims)]);
  }

  /**
   * Each element repeated in place, along `dim` or in the flat tensor. A tensor of `repeats`, one
   * for each position, needs the `output_size` they add up to.
   */
  repeatInterleave(repeats: Operand, dim?: number | null | Options.RepeatInterleaveOptions, outputSize?: number | null | Options.RepeatInterleaveOptions): Tensor {
    return one(Row.repeat_interleave, [this, repeats, dim, outputSize]);
  }

  /**
   * Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
   */
  unfold(dimension: number, size: number, step: number): Tensor {
    return one(Row.unfold, [this, dimension, size, step]);
  }

  /**
   * The patches a convolution looks at: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
   * patches]`. PyTorch's `nn.functional.unfold`.
   *
   * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
   */
  im2col(kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.Im2colOptions, padding?: number | readonly number[] | Options.Im2colOptions, stride?: number | readonly number[] | Options.Im2colOptions): Tensor {
    return one(Row.im2col, [this, kernelSize, dilation, padding, stride]);
  }

  /**
   * Adds patches, as `im2col` makes them, up into images of `output_size`.
   *
   * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
   */
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.FoldOptions, padding?: number | readonly number[] | Options.FoldOptions, stride?: number | readonly number[] | Options.FoldOptions): Tensor {
    return one(Row.fold, [this, outputSize, kernelSize, dilation, padding, stride]);
  }

  /**
   * Adds elements around the tensor. `pad` lists `before, after` of the last axis, then of the one
   * before it, and so on; negative counts remove elements.
   *
   * Defaults: `mode = 'constant'`.
   */
  pad(pad: number | readonly number[], mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | Options.PadOptions, value?: number | null | Options.PadOptions): Tensor {
    return one(Row.pad, [this, pad, mode, value]);
  }

  /**
   * `pad` with one value around the tensor.
   *
   * Defaults: `value = 'int(0)'`.
   */
  constantPadNd(pad: number | readonly number[], value?: number | Options.ConstantPadNdOptions): Tensor {
    return one(Row.constant_pad_nd, [this, pad, value]);
  }

  /**
   * Parts along `dim`: of one size, the last perhaps shorter, or of several given ones.
   *
   * Defaults: `dim = 0`.
   */
  split(splitSizeOrSections: number | readonly number[], dim?: number | Options.SplitOptions): Tensor[] {
    return list(Row.split, [this, splitSizeOrSections, dim]);
  }

  /**
   * Parts of given sizes along `dim`.
   *
   * Defaults: `dim = 0`.
   */
  splitWithSizes(splitSizes: number | readonly number[], dim?: number | Options.SplitWithSizesOptions): Tensor[] {
    return list(Row.split_with_sizes, [this, splitSizes, dim]);
  }

  /**
   * At most `chunks` parts of one size along `dim`, the last perhaps shorter.
   *
   * Defaults: `dim = 0`.
   */
  chunk(chunks: number, dim?: number | Options.ChunkOptions): Tensor[] {
    return list(Row.chunk, [this, chunks, dim]);
  }

  /**
   * Parts along `dim`: a number of them whose sizes differ by one at most, or cut before each
   * position of a list.
   *
   * Defaults: `dim = 0`.
   */
  tensorSplit(indicesOrSections: number | readonly number[], dim?: number | Options.TensorSplitOptions): Tensor[] {
    return list(Row.tensor_split, [this, indicesOrSections, dim]);
  }

  /**
   * Parts side by side: along the second axis, of a vector along its only one.
   */
  hsplit(...indicesOrSections: number[] | [readonly number[]]): Tensor[] {
    return list(Row.hsplit, [this, unwrap(indicesOrSections)]);
  }

  /**
   * Parts on top of each other: along the first axis of a matrix.
   */
  vsplit(...indicesOrSections: number[] | [readonly number[]]): Tensor[] {
    return list(Row.vsplit, [this, unwrap(indicesOrSections)]);
  }

  /**
   * Parts behind each other: along the third axis.
   */
  dsplit(...indicesOrSections: number[] | [readonly number[]]): Tensor[] {
    return list(Row.dsplit, [this, unwrap(indicesOrSections)]);
  }

  /**
   * Every position of axis `dim` as a tensor of its own.
   *
   * Defaults: `dim = 0`.
   */
  unbind(dim?: number | Options.UnbindOptions): Tensor[] {
    return list(Row.unbind, [this, dim]);
  }

  /**
   * `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
   *
   * Defaults: `dim = 0`, `step = 1`.
   */
  sliceScatter(src: Tensor, dim?: number | Options.SliceScatterOptions, start?: number | null | Options.SliceScatterOptions, end?: number | null | Options.SliceScatterOptions, step?: number | Options.SliceScatterOptions): Tensor {
    return one(Row.slice_scatter, [this, src, dim, start, end, step]);
  }

  /**
   * `input` with position `index` of axis `dim` replaced by `src`.
   */
  selectScatter(src: Tensor, dim: number, index: number): Tensor {
    return one(Row.select_scatter, [this, src, dim, index]);
  }

  /**
   * `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
   *
   * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
   */
  diagonalScatter(src: Tensor, offset?: number | Options.DiagonalScatterOptions, dim1?: number | Options.DiagonalScatterOptions, dim2?: number | Options.DiagonalScatterOptions): Tensor {
    return one(Row.diagonal_scatter, [this, src, offset, dim1, dim2]);
  }

  /**
   * `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
   */
  gather(dim: number, index: Tensor): Tensor {
    return one(Row.gather, [this, dim, index]);
  }

  /**
   * Elements at positions of the flat tensor; negative ones count from the end.
   */
  take(index: Tensor): Tensor {
    return one(Row.take, [this, index]);
  }

  /**
   * `gather` whose other axes broadcast and whose negative indices count from the end; without
   * `dim`, of the flat tensor.
   */
  takeAlongDim(indices: Tensor, dim?: number | null | Options.TakeAlongDimOptions): Tensor {
    return one(Row.take_along_dim, [this, indices, dim]);
  }

  /**
   * The positions `index` of axis `dim`.
   */
  indexSelect(dim: number, index: Tensor): Tensor {
    return one(Row.index_select, [this, dim, index]);
  }

  /**
   * `input` with `src`, a tensor or a number, at the places `index` names along `dim`; the reverse
   * of `gather`. Of several sources for one place the last stays, unless `reduce` combines them.
   */
  scatter(dim: number, index: Tensor, src?: Operand | null | Options.ScatterOptions, value?: Operand | null | Options.ScatterOptions, reduce?: 'add' | 'multiply' | null | Options.ScatterOptions): Tensor {
    return one(Row.scatter, [this, dim, index, src, value, reduce]);
  }

  /** `scatter` in place. */
  scatter_(dim: number, index: Tensor, src?: Operand | null | Options.ScatterOptions, value?: Operand | null | Options.ScatterOptions, reduce?: 'add' | 'multiply' | null | Options.ScatterOptions): this {
    return this.copy_(this.scatter(dim, index, src, value, reduce));
  }

  /**
   * `input` with `src` added at the places `index` names along `dim`.
   */
  scatterAdd(dim: number, index: Tensor, src: Tensor): Tensor {
    return one(Row.scatter_add, [this, dim, index, src]);
  }

  /** `scatterAdd` in place. */
  scatterAdd_(dim: number, index: Tensor, src: Tensor): this {
    return this.copy_(this.scatterAdd(dim, index, src));
  }

  /**
   * `input` with `src` combined in at the places `index` names along `dim`. Without `include_self`
   * the elements that were there do not count.
   *
   * Defaults: `includeSelf = true`.
   */
  scatterReduce(dim: number, index: Tensor, src: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.ScatterReduceOptions): Tensor {
    return one(Row.scatter_reduce, [this, dim, index, src, reduce, includeSelf]);
  }

  /**
   * `input` with the elements of `source` at positions of the flat tensor, or added to what is
   * there.
   *
   * Defaults: `accumulate = false`.
   */
  put(index: Tensor, source: Tensor, accumulate?: boolean | Options.PutOptions): Tensor {
    return one(Row.put, [this, index, source, accumulate]);
  }

  /**
   * `input` with `alpha · source` added at the positions `index` of axis `dim`.
   *
   * Defaults: `alpha = 'int(1)'`.
   */
  indexAdd(dim: number, index: Tensor, source: Tensor, alpha?: number | Options.IndexAddOptions): Tensor {
    return one(Row.index_add, [this, dim, index, source, alpha]);
  }

  /** `indexAdd` in place. */
  indexAdd_(dim: number, index: Tensor, source: Tensor, alpha?: number | Options.IndexAddOptions): this {
    return this.copy_(this.indexAdd(dim, index, source, alpha));
  }

  /**
   * `input` with the positions `index` of axis `dim` replaced by `source`.
   */
  indexCopy(dim: number, index: Tensor, source: Tensor): Tensor {
    return one(Row.index_copy, [this, dim, index, source]);
  }

  /** `indexCopy` in place. */
  indexCopy_(dim: number, index: Tensor, source: Tensor): this {
    return this.copy_(this.indexCopy(dim, index, source));
  }

  /**
   * `input` with one value at the positions `index` of axis `dim`.
   */
  indexFill(dim: number, index: Tensor, value: Operand): Tensor {
    return one(Row.index_fill, [this, dim, index, value]);
  }

  /** `indexFill` in place. */
  indexFill_(dim: number, index: Tensor, value: Operand): this {
    return this.copy_(this.indexFill(dim, index, value));
  }

  /**
   * `input` with `source` combined in at the positions `index` of axis `dim`. Without
   * `include_self` the elements that were there do not count.
   *
   * Defaults: `includeSelf = true`.
   */
  indexReduce(dim: number, index: Tensor, source: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.IndexReduceOptions): Tensor {
    return one(Row.index_reduce, [this, dim, index, source, reduce, includeSelf]);
  }

  /**
   * `input` with the elements of `source`, one after the other, where `mask` is true.
   */
  maskedScatter(mask: Tensor, source: Tensor): Tensor {
    return one(Row.masked_scatter, [this, mask, source]);
  }

  /**
   * The rows of `weight` that `input` names. No gradient flows into the row `padding_idx`.
   */
  embedding(weight: Tensor, paddingIdx?: number | null | Options.EmbeddingOptions): Tensor {
    return one(Row.embedding, [this, weight, paddingIdx]);
  }

  /**
   * Sum, mean or maximum of the rows of `weight` that each bag names; zero for an empty bag. Bags
   * are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Rows
   * `padding_idx` do not count.
   *
   * Defaults: `mode = 'mean'`, `includeLastOffset = false`.
   */
  embeddingBag(weight: Tensor, offsets?: Tensor | null | Options.EmbeddingBagOptions, mode?: 'sum' | 'mean' | 'max' | Options.EmbeddingBagOptions, perSampleWeights?: Tensor | null | Options.EmbeddingBagOptions, includeLastOffset?: boolean | Options.EmbeddingBagOptions, paddingIdx?: number | null | Options.EmbeddingBagOptions): Tensor {
    return one(Row.embedding_bag, [this, weight, offsets, mode, perSampleWeights, includeLastOffset, paddingIdx]);
  }

  /**
   * Indices of the elements that are not zero, in order: one row for each element, or as a tuple
   * one tensor for each axis.
   *
   * Defaults: `asTuple = false`.
   */
  nonzero(asTuple?: boolean | Options.NonzeroOptions): Promise<Tensor | Tensor[]> {
    return reading(Row.nonzero, [this, asTuple]) as Promise<Tensor | Tensor[]>;
  }

  /**
   * Indices of the elements that are not zero, in order, one row for each element.
   */
  argwhere(): Promise<Tensor> {
    return reading(Row.argwhere, [this]) as Promise<Tensor>;
  }

  /**
   * The elements where `mask`, broadcast against the tensor, is true, in order.
   */
  maskedSelect(mask: Tensor): Promise<Tensor> {
    return reading(Row.masked_select, [this, mask]) as Promise<Tensor>;
  }

  /**
   * How often each number from 0 to the largest occurs in a list of whole numbers, or the sum of
   * their `weights`. The result has at least `minlength` elements.
   *
   * Defaults: `minlength = 0`.
   */
  bincount(weights?: Tensor | null | Options.BincountOptions, minlength?: number | Options.BincountOptions): Promise<Tensor> {
    return reading(Row.bincount, [this, weights, minlength]) as Promise<Tensor>;
  }

  /**
   * The values that occur in a tensor, or the slices along `dim`, each once and in order of size;
   * then, if asked for, where in this list each element went, and how often each value occurs.
   * They are sorted also if not asked for.
   *
   * Defaults: `sorted = true`, `returnInverse = false`, `returnCounts = false`.
   */
  unique(sorted?: boolean | Options.UniqueOptions, returnInverse?: boolean | Options.UniqueOptions, returnCounts?: boolean | Options.UniqueOptions, dim?: number | null | Options.UniqueOptions): Promise<Tensor | Tensor[]> {
    return reading(Row.unique, [this, sorted, returnInverse, returnCounts, dim]) as Promise<Tensor | Tensor[]>;
  }

  /**
   * The values of a tensor, or the slices along `dim`, without those that equal the one before;
   * then, if asked for, where in this list each element went, and how often each was repeated.
   *
   * Defaults: `returnInverse = false`, `returnCounts = false`.
   */
  uniqueConsecutive(returnInverse?: boolean | Options.UniqueConsecutiveOptions, returnCounts?: boolean | Options.UniqueConsecutiveOptions, dim?: number | null | Options.UniqueConsecutiveOptions): Promise<Tensor | Tensor[]> {
    return reading(Row.unique_consecutive, [this, returnInverse, returnCounts, dim]) as Promise<Tensor | Tensor[]>;
  }

  /**
   * Each element along `dim` as often as `repeats`, a list of whole numbers, says; without `dim`,
   * each element of all. `output_size` is the length of the result, if known.
   */
  repeatInterleaveTensor(repeats: Tensor, dim?: number | null | Options.RepeatInterleaveTensorOptions, outputSize?: number | null | Options.RepeatInterleaveTensorOptions): Promise<Tensor> {
    return reading(Row.repeat_interleave_tensor, [this, repeats, dim, outputSize]) as Promise<Tensor>;
  }

  /**
   * Matrix product of `input` and `other` over the last axis of the one and the last but one of the
   * other. Leading axes broadcast; a vector counts as a row on the left and as a column on the
   * right, and its axis disappears.
   */
  matmul(other: Tensor): Tensor {
    return one(Row.matmul, [this, other]);
  }

  /**
   * Product of two matrices, without broadcasting.
   */
  mm(mat2: Tensor): Tensor {
    return one(Row.mm, [this, mat2]);
  }

  /**
   * Product of the matrices of two batches, one by one.
   */
  bmm(mat2: Tensor): Tensor {
    return one(Row.bmm, [this, mat2]);
  }

  /**
   * Product of a matrix and a vector.
   */
  mv(vec: Tensor): Tensor {
    return one(Row.mv, [this, vec]);
  }

  /**
   * Sum of the products of two vectors' elements.
   */
  dot(tensor: Tensor): Tensor {
    return one(Row.dot, [this, tensor]);
  }

  /**
   * Every element of one vector times every element of another: `y[i, j] = input[i] · vec2[j]`.
   */
  outer(vec2: Tensor): Tensor {
    return one(Row.outer, [this, vec2]);
  }

  /**
   * `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is not looked at.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addmm(mat1: Tensor, mat2: Tensor, beta?: number | Options.AddmmOptions, alpha?: number | Options.AddmmOptions): Tensor {
    return one(Row.addmm, [this, mat1, mat2, beta, alpha]);
  }

  /**
   * `beta · input + alpha · (mat @ vec)`.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addmv(mat: Tensor, vec: Tensor, beta?: number | Options.AddmvOptions, alpha?: number | Options.AddmvOptions): Tensor {
    return one(Row.addmv, [this, mat, vec, beta, alpha]);
  }

  /**
   * `beta · input + alpha · outer(vec1, vec2)`.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addr(vec1: Tensor, vec2: Tensor, beta?: number | Options.AddrOptions, alpha?: number | Options.AddrOptions): Tensor {
    return one(Row.addr, [this, vec1, vec2, beta, alpha]);
  }

  /**
   * `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  baddbmm(batch1: Tensor, batch2: Tensor, beta?: number | Options.BaddbmmOptions, alpha?: number | Options.BaddbmmOptions): Tensor {
    return one(Row.baddbmm, [this, batch1, batch2, beta, alpha]);
  }

  /**
   * `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addbmm(batch1: Tensor, batch2: Tensor, beta?: number | Options.AddbmmOptions, alpha?: number | Options.AddbmmOptions): Tensor {
    return one(Row.addbmm, [this, batch1, batch2, beta, alpha]);
  }

  /**
   * A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
   */
  linear(weight: Tensor, bias?: Tensor | null | Options.LinearOptions): Tensor {
    return one(Row.linear, [this, weight, bias]);
  }

  /**
   * A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
   */
  bilinear(input2: Tensor, weight: Tensor, bias?: Tensor | null | Options.BilinearOptions): Tensor {
    return one(Row.bilinear, [this, input2, weight, bias]);
  }

  /**
   * Kronecker product: every element of `input` times the whole of `other`, in blocks.
   */
  kron(other: Tensor): Tensor {
    return one(Row.kron, [this, other]);
  }

  /**
   * Cross product of vectors of three, which lie along `dim`; by default the first axis of length
   * three.
   */
  cross(other: Tensor, dim?: number | null | Options.CrossOptions): Tensor {
    return one(Row.cross, [this, other, dim]);
  }

  /**
   * A square matrix multiplied with itself `n` times; the identity for `n` zero.
   */
  matrixPower(n: number): Tensor {
    return one(Row.matrix_power, [this, n]);
  }

  /**
   * Contracts axes of `a` with axes of `b`: the last `dims` of the one with the first of the other,
   * or those named in two lists.
   *
   * Defaults: `dims = [[2]]`.
   */
  tensordot(b: Tensor, dims?: number | readonly number[] | readonly (number | readonly number[])[] | Options.TensordotOptions): Tensor {
    return one(Row.tensordot, [this, b, dims]);
  }

  /**
   * Sums of products over the last axis of both; with a scalar, its product with the other.
   */
  inner(other: Tensor): Tensor {
    return one(Row.inner, [this, other]);
  }

  /**
   * Distance of each row of `x1` from each row of `x2`: the `p`-norm of their difference. Leading
   * axes broadcast.
   *
   * Defaults: `p = 2`.
   */
  cdist(x2: Tensor, p?: number | Options.CdistOptions): Tensor {
    return one(Row.cdist, [this, x2, p]);
  }

  /**
   * Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
   * vector.
   *
   * Defaults: `p = 2`.
   */
  pdist(p?: number | Options.PdistOptions): Tensor {
    return one(Row.pdist, [this, p]);
  }

  /**
   * Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
   *
   * Defaults: `p = 2`, `eps = 1e-6`, `keepdim = false`.
   */
  pairwiseDistance(x2: Tensor, p?: number | Options.PairwiseDistanceOptions, eps?: number | Options.PairwiseDistanceOptions, keepdim?: boolean | Options.PairwiseDistanceOptions): Tensor {
    return one(Row.pairwise_distance, [this, x2, p, eps, keepdim]);
  }

  /**
   * Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products under
   * a sliding kernel. The batch axis may be missing.
   *
   * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
   */
  conv1d(weight: Tensor, bias?: Tensor | null | Options.Conv1dOptions, stride?: number | readonly number[] | Options.Conv1dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv1dOptions, dilation?: number | readonly number[] | Options.Conv1dOptions, groups?: number | Options.Conv1dOptions): Tensor {
    return one(Row.conv1d, [this, weight, bias, stride, padding, dilation, groups]);
  }

  /**
   * Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
   * products under a sliding kernel. The batch axis may be missing.
   *
   * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
   */
  conv2d(weight: Tensor, bias?: Tensor | null | Options.Conv2dOptions, stride?: number | readonly number[] | Options.Conv2dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv2dOptions, dilation?: number | readonly number[] | Options.Conv2dOptions, groups?: number | Options.Conv2dOptions): Tensor {
    return one(Row.conv2d, [this, weight, bias, stride, padding, dilation, groups]);
  }

  /**
   * Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
   * products under a sliding kernel. The batch axis may be missing.
   *
   * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
   */
  conv3d(weight: Tensor, bias?: Tensor | null | Options.Conv3dOptions, stride?: number | readonly number[] | Options.Conv3dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv3dOptions, dilation?: number | readonly number[] | Options.Conv3dOptions, groups?: number | Options.Conv3dOptions): Tensor {
    return one(Row.conv3d, [this, weight, bias, stride, padding, dilation, groups]);
  }

  /**
   * Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
   * adds the kernel to the output, `stride` apart.
   *
   * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
   */
  convTranspose1d(weight: Tensor, bias?: Tensor | null | Options.ConvTranspose1dOptions, stride?: number | readonly number[] | Options.ConvTranspose1dOptions, padding?: number | readonly number[] | Options.ConvTranspose1dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose1dOptions, groups?: number | Options.ConvTranspose1dOptions, dilation?: number | readonly number[] | Options.ConvTranspose1dOptions): Tensor {
    return one(Row.conv_transpose1d, [this, weight, bias, stride, padding, outputPadding, groups, dilation]);
  }

  /**
   * Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
   * element adds the kernel to the output, `stride` apart.
   *
   * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
   */
  convTranspose2d(weight: Tensor, bias?: Tensor | null | Options.ConvTranspose2dOptions, stride?: number | readonly number[] | Options.ConvTranspose2dOptions, padding?: number | readonly number[] | Options.ConvTranspose2dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose2dOptions, groups?: number | Options.ConvTranspose2dOptions, dilation?: number | readonly number[] | Options.ConvTranspose2dOptions): Tensor {
    return one(Row.conv_transpose2d, [this, weight, bias, stride, padding, outputPadding, groups, dilation]);
  }

  /**
   * Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
   * every element adds the kernel to the output, `stride` apart.
   *
   * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
   */
  convTranspose3d(weight: Tensor, bias?: Tensor | null | Options.ConvTranspose3dOptions, stride?: number | readonly number[] | Options.ConvTranspose3dOptions, padding?: number | readonly number[] | Options.ConvTranspose3dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose3dOptions, groups?: number | Options.ConvTranspose3dOptions, dilation?: number | readonly number[] | Options.ConvTranspose3dOptions): Tensor {
    return one(Row.conv_transpose3d, [this, weight, bias, stride, padding, outputPadding, groups, dilation]);
  }

  /**
   * Largest element of each window along the last axis. Windows are `stride` apart, by default
   * their own size. With `return_indices` also where it was found.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): Tensor {
    return one(Row.max_pool1d, [this, kernelSize, stride, padding, dilation, ceilMode]);
  }

  /**
   * Largest element of each window along the last axis. Windows are `stride` apart, by default
   * their own size. With `return_indices` also where it was found.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool1dWithIndices(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): [Tensor, Tensor] {
    return pair(Row.max_pool1d, [this, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });
  }

  /**
   * Largest element of each window over the last two axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened plane.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): Tensor {
    return one(Row.max_pool2d, [this, kernelSize, stride, padding, dilation, ceilMode]);
  }

  /**
   * Largest element of each window over the last two axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened plane.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool2dWithIndices(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): [Tensor, Tensor] {
    return pair(Row.max_pool2d, [this, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });
  }

  /**
   * Largest element of each window over the last three axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened volume.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): Tensor {
    return one(Row.max_pool3d, [this, kernelSize, stride, padding, dilation, ceilMode]);
  }

  /**
   * Largest element of each window over the last three axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened volume.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool3dWithIndices(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): [Tensor, Tensor] {
    return pair(Row.max_pool3d, [this, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });
  }

  /**
   * Mean of each window along the last axis. Windows are `stride` apart, by default their own
   * size.
   *
   * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
   */
  avgPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool1dOptions, padding?: number | readonly number[] | Options.AvgPool1dOptions, ceilMode?: boolean | Options.AvgPool1dOptions, countIncludePad?: boolean | Options.AvgPool1dOptions, divisorOverride?: number | null | Options.AvgPool1dOptions): Tensor {
    return one(Row.avg_pool1d, [this, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);
  }

  /**
   * Mean of each window over the last two axes. Windows are `stride` apart, by default their
   * own size. Zeros of the padding count unless `count_include_pad` is false;
   * `divisor_override` replaces the count.
   *
   * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
   */
  avgPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool2dOptions, padding?: number | readonly number[] | Options.AvgPool2dOptions, ceilMode?: boolean | Options.AvgPool2dOptions, countIncludePad?: boolean | Options.AvgPool2dOptions, divisorOverride?: number | null | Options.AvgPool2dOptions): Tensor {
    return one(Row.avg_pool2d, [this, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);
  }

  /**
   * Mean of each window over the last three axes, as `avg_pool2d`.
   *
   * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
   */
  avgPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool3dOptions, padding?: number | readonly number[] | Options.AvgPool3dOptions, ceilMode?: boolean | Options.AvgPool3dOptions, countIncludePad?: boolean | Options.AvgPool3dOptions, divisorOverride?: number | null | Options.AvgPool3dOptions): Tensor {
    return one(Row.avg_pool3d, [this, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);
  }

  /**
   * `norm_type`-norm of each window along the last axis.
   *
   * Defaults: `ceilMode = false`.
   */
  lpPool1d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool1dOptions, ceilMode?: boolean | Options.LpPool1dOptions): Tensor {
    return one(Row.lp_pool1d, [this, normType, kernelSize, stride, ceilMode]);
  }

  /**
   * `norm_type`-norm of each window over the last two axes.
   *
   * Defaults: `ceilMode = false`.
   */
  lpPool2d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool2dOptions, ceilMode?: boolean | Options.LpPool2dOptions): Tensor {
    return one(Row.lp_pool2d, [this, normType, kernelSize, stride, ceilMode]);
  }

  /**
   * Largest elements of `output_size` windows of as equal a length as can be, along the last
   * axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool1d(outputSize: number | null | readonly (number | null)[]): Tensor {
    return one(Row.adaptive_max_pool1d, [this, outputSize]);
  }

  /**
   * Largest elements of `output_size` windows of as equal a length as can be, along the last
   * axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool1dWithIndices(outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] {
    return pair(Row.adaptive_max_pool1d, [this, outputSize], { returnIndices: true });
  }

  /**
   * Largest elements of `output_size` windows of as equal a size as can be, over the last two
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool2d(outputSize: number | null | readonly (number | null)[]): Tensor {
    return one(Row.adaptive_max_pool2d, [this, outputSize]);
  }

  /**
   * Largest elements of `output_size` windows of as equal a size as can be, over the last two
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool2dWithIndices(outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] {
    return pair(Row.adaptive_max_pool2d, [this, outputSize], { returnIndices: true });
  }

  /**
   * Largest elements of `output_size` windows of as equal a size as can be, over the last three
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool3d(outputSize: number | null | readonly (number | null)[]): Tensor {
    return one(Row.adaptive_max_pool3d, [this, outputSize]);
  }

  /**
   * Largest elements of `output_size` windows of as equal a size as can be, over the last three
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool3dWithIndices(outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] {
    return pair(Row.adaptive_max_pool3d, [this, outputSize], { returnIndices: true });
  }

  /**
   * Means of `output_size` windows of as equal a length as can be, along the last axis.
   */
  adaptiveAvgPool1d(outputSize: number | null | readonly (number | null)[]): Tensor {
    return one(Row.adaptive_avg_pool1d, [this, outputSize]);
  }

  /**
   * Means of `output_size` windows of as equal a size as can be, over the last two axes; `none`
   * keeps an axis.
   */
  adaptiveAvgPool2d(outputSize: number | null | readonly (number | null)[]): Tensor {
    return one(Row.adaptive_avg_pool2d, [this, outputSize]);
  }

  /**
   * Means of `output_size` windows of as equal a size as can be, over the last three axes;
   * `none` keeps an axis.
   */
  adaptiveAvgPool3d(outputSize: number | null | readonly (number | null)[]): Tensor {
    return one(Row.adaptive_avg_pool3d, [this, outputSize]);
  }

  /**
   * Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
   * `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
   * the others for any. With `align_corners` the corner elements keep their values and places.
   * With `antialias` shrinking averages over all the elements an output element covers.
   *
   * Defaults: `mode = 'nearest'`, `antialias = false`.
   */
  interpolate(size?: number | readonly number[] | null | Options.InterpolateOptions, scaleFactor?: number | readonly number[] | null | Options.InterpolateOptions, mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.InterpolateOptions, alignCorners?: boolean | null | Options.InterpolateOptions, recomputeScaleFactor?: boolean | null | Options.InterpolateOptions, antialias?: boolean | Options.InterpolateOptions): Tensor {
    return one(Row.interpolate, [this, size, scaleFactor, mode, alignCorners, recomputeScaleFactor, antialias]);
  }

  /**
   * Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
   */
  upsampleNearest(size?: number | readonly number[] | null | Options.UpsampleNearestOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleNearestOptions): Tensor {
    return one(Row.upsample_nearest, [this, size, scaleFactor]);
  }

  /**
   * Resizes by bilinear interpolation with aligned corners.
   */
  upsampleBilinear(size?: number | readonly number[] | null | Options.UpsampleBilinearOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleBilinearOptions): Tensor {
    return one(Row.upsample_bilinear, [this, size, scaleFactor]);
  }

  /**
   * Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
   * number of axes may stand before.
   *
   * Defaults: `mode = 'bilinear'`, `antialias = false`.
   */
  resize(size: number | readonly number[], mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.ResizeOptions, antialias?: boolean | Options.ResizeOptions): Tensor {
    return one(Row.resize, [this, size, mode, antialias]);
  }

  /**
   * Reads `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
   * `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. These are the centres of the corner elements
   * with `align_corners`, else their outer edges.
   *
   * Defaults: `mode = 'bilinear'`, `paddingMode = 'zeros'`, `alignCorners = false`.
   */
  gridSample(grid: Tensor, mode?: 'bilinear' | 'nearest' | 'bicubic' | Options.GridSampleOptions, paddingMode?: 'zeros' | 'border' | 'reflection' | Options.GridSampleOptions, alignCorners?: boolean | Options.GridSampleOptions): Tensor {
    return one(Row.grid_sample, [this, grid, mode, paddingMode, alignCorners]);
  }

  /**
   * `grid_sample` of images with the modes as numbers, in the order of their lists.
   */
  gridSampler2d(grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor {
    return one(Row.grid_sampler_2d, [this, grid, interpolationMode, paddingMode, alignCorners]);
  }

  /**
   * `grid_sample` of volumes with the modes as numbers, in the order of their lists.
   */
  gridSampler3d(grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor {
    return one(Row.grid_sampler_3d, [this, grid, interpolationMode, paddingMode, alignCorners]);
  }

  /**
   * The grid for `grid_sample` that shows an image of `size` under the affine maps
   * `theta [N, 2, 3]` (or a volume, `[N, 3, 4]`).
   *
   * Defaults: `alignCorners = false`.
   */
  affineGrid(size: number | readonly number[], alignCorners?: boolean | Options.AffineGridOptions): Tensor {
    return one(Row.affine_grid, [this, size, alignCorners]);
  }

  /**
   * Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
   */
  pixelShuffle(upscaleFactor: number): Tensor {
    return one(Row.pixel_shuffle, [this, upscaleFactor]);
  }

  /**
   * Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
   */
  pixelUnshuffle(downscaleFactor: number): Tensor {
    return one(Row.pixel_unshuffle, [this, downscaleFactor]);
  }

  /**
   * Deals the channels of `[N, C, …]` out again: those of each of `groups` groups go to all groups.
   */
  channelShuffle(groups: number): Tensor {
    return one(Row.channel_shuffle, [this, groups]);
  }

  /**
   * The part of an image that begins at `top` and `left`; what lies outside the image is zero.
   */
  crop(top: number, left: number, height: number, width: number): Tensor {
    return one(Row.crop, [this, top, left, height, width]);
  }

  /**
   * The middle of an image; `size` is one number for both axes or one for each. A smaller image is
   * surrounded by zeros.
   */
  centerCrop(...size: number[] | [readonly number[]]): Tensor {
    return one(Row.center_crop, [this, unwrap(size)]);
  }

  /**
   * Mirrors images left to right.
   */
  hflip(): Tensor {
    return one(Row.hflip, [this]);
  }

  /**
   * Mirrors images top to bottom.
   */
  vflip(): Tensor {
    return one(Row.vflip, [this]);
  }

  /**
   * `(input − mean) / std`, with one number for each channel, or one for all.
   */
  normalizeChannels(mean: number | readonly number[], std: number | readonly number[]): Tensor {
    return one(Row.normalize_channels, [this, mean, std]);
  }

  /**
   * The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
   * repeated for three.
   *
   * Defaults: `numOutputChannels = 1`.
   */
  rgbToGrayscale(numOutputChannels?: number | Options.RgbToGrayscaleOptions): Tensor {
    return one(Row.rgb_to_grayscale, [this, numOutputChannels]);
  }

  /**
   * Repeats the one channel of images `[…, 1, H, W]` three times.
   */
  grayscaleToRgb(): Tensor {
    return one(Row.grayscale_to_rgb, [this]);
  }

  /**
   * Multiplies colours by a factor: 0 is black, 1 the image itself.
   */
  adjustBrightness(brightnessFactor: number): Tensor {
    return one(Row.adjust_brightness, [this, brightnessFactor]);
  }

  /**
   * Moves colours away from the mean brightness: 0 is one gray, 1 the image itself.
   */
  adjustContrast(contrastFactor: number): Tensor {
    return one(Row.adjust_contrast, [this, contrastFactor]);
  }

  /**
   * Moves colours away from gray: 0 is a gray image, 1 the image itself.
   */
  adjustSaturation(saturationFactor: number): Tensor {
    return one(Row.adjust_saturation, [this, saturationFactor]);
  }

  /**
   * Softmax along `dim`: exponentials that add up to one.
   *
   * `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
   *
   * Defaults: `dim = -1`.
   */
  softmax(dim?: number | Options.SoftmaxOptions, dtype?: DTypeName | null | Options.SoftmaxOptions): Tensor {
    return one(Row.softmax, [this, dim, dtype]);
  }

  /**
   * Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
   *
   * Defaults: `dim = -1`.
   */
  logSoftmax(dim?: number | Options.LogSoftmaxOptions, dtype?: DTypeName | null | Options.LogSoftmaxOptions): Tensor {
    return one(Row.log_softmax, [this, dim, dtype]);
  }

  /**
   * Softmax of the negated input: the smallest element gets the largest share.
   *
   * Defaults: `dim = -1`.
   */
  softmin(dim?: number | Options.SoftminOptions, dtype?: DTypeName | null | Options.SoftminOptions): Tensor {
    return one(Row.softmin, [this, dim, dtype]);
  }

  /**
   * Softmax over the last axis of scores `[…, T, S]` in which query `i` sees keys `0..=i` alone.
   */
  softmaxCausal(): Tensor {
    return one(Row.softmax_causal, [this]);
  }

  /**
   * `input` on and below the diagonal of its last two axes, `value` above it.
   */
  whereCausal(value: number): Tensor {
    return one(Row.where_causal, [this, value]);
  }

  /**
   * Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
   * then scales by `weight` and shifts by `bias`.
   *
   * `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
   *
   * Defaults: `eps = 1e-5`.
   */
  layerNorm(normalizedShape: number | readonly number[], weight?: Tensor | null | Options.LayerNormOptions, bias?: Tensor | null | Options.LayerNormOptions, eps?: number | Options.LayerNormOptions): Tensor {
    return one(Row.layer_norm, [this, normalizedShape, weight, bias, eps]);
  }

  /**
   * Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
   * scales by `weight`.
   *
   * `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the precision of the dtype is taken.
   */
  rmsNorm(normalizedShape: number | readonly number[], weight?: Tensor | null | Options.RmsNormOptions, eps?: number | null | Options.RmsNormOptions): Tensor {
    return one(Row.rms_norm, [this, normalizedShape, weight, eps]);
  }

  /**
   * Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
   * shifts by `bias`, which have one element per channel.
   *
   * While `training`, with the mean and biased variance of the batch, else with `running_mean` and
   * `running_var`. These are never changed here: see `batch_norm_stats`, which also `momentum` is
   * for.
   *
   * Defaults: `training = false`, `momentum = 0.1`, `eps = 1e-5`.
   */
  batchNorm(runningMean?: Tensor | null | Options.BatchNormOptions, runningVar?: Tensor | null | Options.BatchNormOptions, weight?: Tensor | null | Options.BatchNormOptions, bias?: Tensor | null | Options.BatchNormOptions, training?: boolean | Options.BatchNormOptions, momentum?: number | Options.BatchNormOptions, eps?: number | Options.BatchNormOptions): Tensor {
    return one(Row.batch_norm, [this, runningMean, runningVar, weight, bias, training, momentum, eps]);
  }

  /**
   * The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
   * the unbiased variance of the batch.
   *
   * Defaults: `momentum = 0.1`.
   */
  batchNormStats(runningMean: Tensor, runningVar: Tensor, momentum?: number | Options.BatchNormStatsOptions): [Tensor, Tensor] {
    return pair(Row.batch_norm_stats, [this, runningMean, runningVar, momentum]);
  }

  /**
   * Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
   * `weight` and shifts by `bias`, which have one element per channel.
   *
   * Defaults: `eps = 1e-5`.
   */
  groupNorm(numGroups: number, weight?: Tensor | null | Options.GroupNormOptions, bias?: Tensor | null | Options.GroupNormOptions, eps?: number | Options.GroupNormOptions): Tensor {
    return one(Row.group_norm, [this, numGroups, weight, bias, eps]);
  }

  /**
   * Normalises each channel (axis 1) of each sample over the axes behind it, then scales by `weight`
   * and shifts by `bias`, which have one element per channel.
   *
   * With `use_input_stats = false`, by `running_mean` and `running_var` instead. These are never
   * changed here.
   *
   * Defaults: `useInputStats = true`, `momentum = 0.1`, `eps = 1e-5`.
   */
  instanceNorm(runningMean?: Tensor | null | Options.InstanceNormOptions, runningVar?: Tensor | null | Options.InstanceNormOptions, weight?: Tensor | null | Options.InstanceNormOptions, bias?: Tensor | null | Options.InstanceNormOptions, useInputStats?: boolean | Options.InstanceNormOptions, momentum?: number | Options.InstanceNormOptions, eps?: number | Options.InstanceNormOptions): Tensor {
    return one(Row.instance_norm, [this, runningMean, runningVar, weight, bias, useInputStats, momentum, eps]);
  }

  /**
   * Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
   *
   * Defaults: `p = 2`, `dim = 1`, `eps = 1e-12`.
   */
  normalize(p?: number | Options.NormalizeOptions, dim?: number | Options.NormalizeOptions, eps?: number | Options.NormalizeOptions): Tensor {
    return one(Row.normalize, [this, p, dim, eps]);
  }

  /**
   * Divides each element by a power of the energy of `size` neighbouring channels (axis 1):
   * `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
   *
   * Defaults: `alpha = 1e-4`, `beta = 0.75`, `k = 1`.
   */
  localResponseNorm(size: number, alpha?: number | Options.LocalResponseNormOptions, beta?: number | Options.LocalResponseNormOptions, k?: number | Options.LocalResponseNormOptions): Tensor {
    return one(Row.local_response_norm, [this, size, alpha, beta, k]);
  }

  /**
   * Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
   * `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
   *
   * `attn_mask` broadcasts to `[…, L, S]`: true where a query may see a key, or a number to add to
   * the score. `is_causal` lets query `i` see keys `0..=i`. A query that sees no key gets zeros.
   * `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer heads
   * (axis −3) than queries, each of which serves several of these. `dropout_p` is the share of the
   * attention that is dropped, in evaluation too.
   *
   * Defaults: `dropoutP = 0`, `isCausal = false`, `enableGqa = false`.
   */
  scaledDotProductAttention(key: Tensor, value: Tensor, attnMask?: Tensor | null | Options.ScaledDotProductAttentionOptions, dropoutP?: number | Options.ScaledDotProductAttentionOptions, isCausal?: boolean | Options.ScaledDotProductAttentionOptions, scale?: number | null | Options.ScaledDotProductAttentionOptions, enableGqa?: boolean | Options.ScaledDotProductAttentionOptions): Tensor {
    return one(Row.scaled_dot_product_attention, [this, key, value, attnMask, dropoutP, isCausal, scale, enableGqa]);
  }

  /**
   * Attention of several heads with all its projections, over `query` `[B, L, C]`, `key` and `value`
   * `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
   *
   * `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
   * values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
   * `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
   * `key_padding_mask` `[B, S]` is true where a key may *not* be seen.
   *
   * Defaults: `isCausal = false`.
   */
  multiHeadAttention(key: Tensor, value: Tensor, numHeads: number, inProjWeight: Tensor, inProjBias: Tensor | null | undefined, outProjWeight: Tensor, outProjBias?: Tensor | null | Options.MultiHeadAttentionOptions, attnMask?: Tensor | null | Options.MultiHeadAttentionOptions, isCausal?: boolean | Options.MultiHeadAttentionOptions, keyPaddingMask?: Tensor | null | Options.MultiHeadAttentionOptions): [Tensor, Tensor] {
    return pair(Row.multi_head_attention, [this, key, value, numHeads, inProjWeight, inProjBias, outProjWeight, outProjBias, attnMask, isCausal, keyPaddingMask]);
  }

  /**
   * Rotary embedding: turns pairs of elements of each vector of `input` `[…, T, D]` by angles that
   * grow with its position, so that products of two vectors depend on their distance alone.
   *
   * Pair `i` turns by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
   * `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
   * 'interleaved' pairs `2i` and `2i + 1`.
   *
   * Defaults: `base = 10000`, `layout = 'halves'`.
   */
  rope(positions?: Tensor | null | Options.RopeOptions, base?: number | Options.RopeOptions, layout?: 'halves' | 'interleaved' | Options.RopeOptions): Tensor {
    return one(Row.rope, [this, positions, base, layout]);
  }

  /**
   * One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, both
   * also without the batch: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
   *
   * Defaults: `nonlinearity = 'tanh'`.
   */
  rnnCell(hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.RnnCellOptions, bHh?: Tensor | null | Options.RnnCellOptions, nonlinearity?: 'tanh' | 'relu' | Options.RnnCellOptions): Tensor {
    return one(Row.rnn_cell, [this, hx, wIh, wHh, bIh, bHh, nonlinearity]);
  }

  /**
   * One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, both
   * also without the batch. The weights hold the gates r, z, n one after the other.
   *
   * `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
   * `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
   */
  gruCell(hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.GruCellOptions, bHh?: Tensor | null | Options.GruCellOptions): Tensor {
    return one(Row.gru_cell, [this, hx, wIh, wHh, bIh, bHh]);
  }

  /**
   * One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
   * `cx` `[B, H]`, all also without the batch. The weights hold the gates i, f, g, o one after the
   * other. Returns the new states.
   *
   * `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
   * projections of input and state with biases.
   */
  lstmCell(hx: Tensor, cx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.LstmCellOptions, bHh?: Tensor | null | Options.LstmCellOptions): [Tensor, Tensor] {
    return pair(Row.lstm_cell, [this, hx, cx, wIh, wHh, bIh, bHh]);
  }

  /**
   * Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
   * Returns the last layer's states at all times, and all layers' states at the end.
   *
   * `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
   * b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
   * direction, and its output is both directions' beside each other. The batch may be missing.
   *
   * Defaults: `nonlinearity = 'tanh'`, `batchFirst = false`, `bidirectional = false`.
   */
  rnn(hx: Tensor | null | undefined, params: readonly Tensor[], nonlinearity?: 'tanh' | 'relu' | Options.RnnOptions, batchFirst?: boolean | Options.RnnOptions, bidirectional?: boolean | Options.RnnOptions): [Tensor, Tensor] {
    return pair(Row.rnn, [this, hx, params, nonlinearity, batchFirst, bidirectional]);
  }

  /**
   * Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
   * in `gru_cell`.
   *
   * Defaults: `batchFirst = false`, `bidirectional = false`.
   */
  gru(hx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.GruOptions, bidirectional?: boolean | Options.GruOptions): [Tensor, Tensor] {
    return pair(Row.gru, [this, hx, params, batchFirst, bidirectional]);
  }

  /**
   * Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
   * cell states `cx` beside the hidden ones, the cell as in `lstm_cell`.
   *
   * Defaults: `batchFirst = false`, `bidirectional = false`.
   */
  lstm(hx: Tensor | null | undefined, cx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.LstmOptions, bidirectional?: boolean | Options.LstmOptions): [Tensor, Tensor, Tensor] {
    return triple(Row.lstm, [this, hx, cx, params, batchFirst, bidirectional]);
  }

  /**
   * Squared differences, `(input − target)²`; with a `weight`, the mean is one of its sum.
   *
   * Defaults: `reduction = 'mean'`.
   */
  mseLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MseLossOptions, weight?: Tensor | null | Options.MseLossOptions): Tensor {
    return one(Row.mse_loss, [this, target, reduction, weight]);
  }

  /**
   * Absolute differences, `|input − target|`; with a `weight`, the mean is one of its sum.
   *
   * Defaults: `reduction = 'mean'`.
   */
  l1Loss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.L1LossOptions, weight?: Tensor | null | Options.L1LossOptions): Tensor {
    return one(Row.l1_loss, [this, target, reduction, weight]);
  }

  /**
   * Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
   * `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
   *
   * Defaults: `reduction = 'mean'`, `beta = 1`.
   */
  smoothL1Loss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SmoothL1LossOptions, beta?: number | Options.SmoothL1LossOptions): Tensor {
    return one(Row.smooth_l1_loss, [this, target, reduction, beta]);
  }

  /**
   * Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
   * `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
   *
   * Defaults: `reduction = 'mean'`, `delta = 1`.
   */
  huberLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.HuberLossOptions, delta?: number | Options.HuberLossOptions, weight?: Tensor | null | Options.HuberLossOptions): Tensor {
    return one(Row.huber_loss, [this, target, reduction, delta, weight]);
  }

  /**
   * Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
   * `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
   *
   * Defaults: `reduction = 'mean'`, `logTarget = false`.
   */
  klDiv(target: Tensor, reduction?: 'mean' | 'batchmean' | 'sum' | 'none' | Options.KlDivOptions, logTarget?: boolean | Options.KlDivOptions): Tensor {
    return one(Row.kl_div, [this, target, reduction, logTarget]);
  }

  /**
   * Negative log-likelihood of `target` under normal distributions of mean `input` and variance
   * `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
   *
   * `full` adds the constant `log(2π) / 2`. A variance without the last axis is one for all of it.
   *
   * Defaults: `full = false`, `eps = 1e-6`, `reduction = 'mean'`.
   */
  gaussianNllLoss(target: Tensor, var_: Operand, full?: boolean | Options.GaussianNllLossOptions, eps?: number | Options.GaussianNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.GaussianNllLossOptions): Tensor {
    return one(Row.gaussian_nll_loss, [this, target, var_, full, eps, reduction]);
  }

  /**
   * Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
   * or `input − target · log(input + eps)` where `log_input` is false.
   *
   * `full` adds Stirling's approximation of `log(target!)` where the target is above one.
   *
   * Defaults: `logInput = true`, `full = false`, `eps = 1e-8`, `reduction = 'mean'`.
   */
  poissonNllLoss(target: Tensor, logInput?: boolean | Options.PoissonNllLossOptions, full?: boolean | Options.PoissonNllLossOptions, eps?: number | Options.PoissonNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.PoissonNllLossOptions): Tensor {
    return one(Row.poisson_nll_loss, [this, target, logInput, full, eps, reduction]);
  }

  /**
   * Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
   * `target`, which holds a class for each score vector, or a probability for each score. Floating
   * numbers are probabilities where there is one for each score, else classes.
   *
   * Each class counts by its `weight`; targets equal to `ignore_index` count nothing. The mean is
   * one of the weights' sum. `label_smoothing` mixes the target with the uniform distribution.
   *
   * Defaults: `ignoreIndex = -100`, `reduction = 'mean'`, `labelSmoothing = 0`.
   */
  crossEntropy(target: Tensor, weight?: Tensor | null | Options.CrossEntropyOptions, ignoreIndex?: number | Options.CrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CrossEntropyOptions, labelSmoothing?: number | Options.CrossEntropyOptions): Tensor {
    return one(Row.cross_entropy, [this, target, weight, ignoreIndex, reduction, labelSmoothing]);
  }

  /**
   * Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
   * log-probabilities, at the class `target`.
   *
   * Each class counts by its `weight`; targets equal to `ignore_index` count nothing. The mean is
   * one of the weights' sum.
   *
   * Defaults: `ignoreIndex = -100`, `reduction = 'mean'`.
   */
  nllLoss(target: Tensor, weight?: Tensor | null | Options.NllLossOptions, ignoreIndex?: number | Options.NllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.NllLossOptions): Tensor {
    return one(Row.nll_loss, [this, target, weight, ignoreIndex, reduction]);
  }

  /**
   * Cross entropy of probabilities and labels between 0 and 1:
   * `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
   *
   * Logarithms count as −100 at least, and the gradient stays finite.
   *
   * Defaults: `reduction = 'mean'`.
   */
  binaryCrossEntropy(target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyOptions): Tensor {
    return one(Row.binary_cross_entropy, [this, target, weight, reduction]);
  }

  /**
   * `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
   * `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
   *
   * `pos_weight` multiplies the part of the loss that `target` has.
   *
   * Defaults: `reduction = 'mean'`.
   */
  binaryCrossEntropyWithLogits(target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyWithLogitsOptions, posWeight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions): Tensor {
    return one(Row.binary_cross_entropy_with_logits, [this, target, weight, reduction, posWeight]);
  }

  /**
   * Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
   *
   * Defaults: `margin = 1`, `reduction = 'mean'`.
   */
  hingeLoss(target: Tensor, margin?: number | Options.HingeLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeLossOptions): Tensor {
    return one(Row.hinge_loss, [this, target, margin, reduction]);
  }

  /**
   * Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
   *
   * Defaults: `reduction = 'mean'`.
   */
  softMarginLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SoftMarginLossOptions): Tensor {
    return one(Row.soft_margin_loss, [this, target, reduction]);
  }

  /**
   * Asks the score of the class `target` to exceed each other one by `margin`: of `input` `[N, C]`
   * (or `[C]`), the mean over classes of `max(0, margin − input[target] + input[c])^p`, times the
   * target's `weight`. `p` is 1 or 2.
   *
   * Defaults: `p = 1`, `margin = 1`, `reduction = 'mean'`.
   */
  multiMarginLoss(target: Tensor, p?: number | Options.MultiMarginLossOptions, margin?: number | Options.MultiMarginLossOptions, weight?: Tensor | null | Options.MultiMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultiMarginLossOptions): Tensor {
    return one(Row.multi_margin_loss, [this, target, p, margin, weight, reduction]);
  }

  /**
   * Asks the scores of several classes to exceed all others by one: of `input` `[N, C]` (or `[C]`),
   * `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a target `t` and another class `c`.
   *
   * Each row of `target`, shaped like the input, lists classes and ends with the first −1.
   *
   * Defaults: `reduction = 'mean'`.
   */
  multilabelMarginLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelMarginLossOptions): Tensor {
    return one(Row.multilabel_margin_loss, [this, target, reduction]);
  }

  /**
   * `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
   * a `weight` for each class.
   *
   * Defaults: `reduction = 'mean'`.
   */
  multilabelSoftMarginLoss(target: Tensor, weight?: Tensor | null | Options.MultilabelSoftMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelSoftMarginLossOptions): Tensor {
    return one(Row.multilabel_soft_margin_loss, [this, target, weight, reduction]);
  }

  /**
   * Cosine of the angle between `x1` and `x2` along `dim`, where lengths below `eps` count as `eps`.
   *
   * Defaults: `dim = 1`, `eps = 1e-8`.
   */
  cosineSimilarity(x2: Tensor, dim?: number | Options.CosineSimilarityOptions, eps?: number | Options.CosineSimilarityOptions): Tensor {
    return one(Row.cosine_similarity, [this, x2, dim, eps]);
  }

  /**
   * Pulls vectors together where `target` is 1 and apart where it is −1: `1 − cos` or
   * `max(0, cos − margin)`.
   *
   * Defaults: `margin = 0`, `reduction = 'mean'`.
   */
  cosineEmbeddingLoss(input2: Tensor, target: Tensor, margin?: number | Options.CosineEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CosineEmbeddingLossOptions): Tensor {
    return one(Row.cosine_embedding_loss, [this, input2, target, margin, reduction]);
  }

  /**
   * Loss of distances: `input` where `target` is 1, `max(0, margin − input)` where it is −1.
   *
   * Defaults: `margin = 1`, `reduction = 'mean'`.
   */
  hingeEmbeddingLoss(target: Tensor, margin?: number | Options.HingeEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeEmbeddingLossOptions): Tensor {
    return one(Row.hinge_embedding_loss, [this, target, margin, reduction]);
  }

  /**
   * Asks `input1` to be larger than `input2` where `target` is 1, smaller where it is −1:
   * `max(0, −target · (input1 − input2) + margin)`.
   *
   * Defaults: `margin = 0`, `reduction = 'mean'`.
   */
  marginRankingLoss(input2: Tensor, target: Tensor, margin?: number | Options.MarginRankingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MarginRankingLossOptions): Tensor {
    return one(Row.margin_ranking_loss, [this, input2, target, margin, reduction]);
  }

  /**
   * Asks `anchor` to be nearer to `positive` than to `negative` by `margin`:
   * `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
   *
   * Distances are those of `pairwise_distance`; with `swap`, that of positive and negative counts if
   * it is smaller than that of anchor and negative.
   *
   * Defaults: `margin = 1`, `p = 2`, `eps = 1e-6`, `swap = false`, `reduction = 'mean'`.
   */
  tripletMarginLoss(positive: Tensor, negative: Tensor, margin?: number | Options.TripletMarginLossOptions, p?: number | Options.TripletMarginLossOptions, eps?: number | Options.TripletMarginLossOptions, swap?: boolean | Options.TripletMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.TripletMarginLossOptions): Tensor {
    return one(Row.triplet_margin_loss, [this, positive, negative, margin, p, eps, swap, reduction]);
  }

  /** Takes over the value of another tensor, in place. */
  abstract copy_(value: Operand): this;

  /** Another name for `mul`. */
  declare multiply: this['mul'];
  /** Another name for `mul`. */
  declare mulScalar: this['mul'];
  /** Another name for `mul`. */
  declare mul_scalar: this['mul'];
  /** Another name for `mul_`. */
  declare multiply_: this['mul_'];
  /** Another name for `mul_`. */
  declare mulScalar_: this['mul_'];
  /** Another name for `mul_`. */
  declare mul_scalar_: this['mul_'];
  /** Another name for `floorDivide`. */
  declare floor_divide: this['floorDivide'];
  /** Another name for `floorDivide_`. */
  declare floor_divide_: this['floorDivide_'];
  /** Another name for `atan2`. */
  declare arctan2: this['atan2'];
  /** Another name for `atan2_`. */
  declare arctan2_: this['atan2_'];
  /** Another name for `eq`. */
  declare equal: this['eq'];
  /** Another name for `eq_`. */
  declare equal_: this['eq_'];
  /** Another name for `ne`. */
  declare notEqual: this['ne'];
  /** Another name for `ne`. */
  declare not_equal: this['ne'];
  /** Another name for `ne_`. */
  declare notEqual_: this['ne_'];
  /** Another name for `ne_`. */
  declare not_equal_: this['ne_'];
  /** Another name for `lt`. */
  declare less: this['lt'];
  /** Another name for `lt_`. */
  declare less_: this['lt_'];
  /** Another name for `le`. */
  declare lessEqual: this['le'];
  /** Another name for `le`. */
  declare less_equal: this['le'];
  /** Another name for `le_`. */
  declare lessEqual_: this['le_'];
  /** Another name for `le_`. */
  declare less_equal_: this['le_'];
  /** Another name for `gt`. */
  declare greater: this['gt'];
  /** Another name for `gt_`. */
  declare greater_: this['gt_'];
  /** Another name for `ge`. */
  declare greaterEqual: this['ge'];
  /** Another name for `ge`. */
  declare greater_equal: this['ge'];
  /** Another name for `ge_`. */
  declare greaterEqual_: this['ge_'];
  /** Another name for `ge_`. */
  declare greater_equal_: this['ge_'];
  /** Another name for `bitwiseAnd`. */
  declare bitwise_and: this['bitwiseAnd'];
  /** Another name for `bitwiseAnd_`. */
  declare bitwise_and_: this['bitwiseAnd_'];
  /** Another name for `bitwiseOr`. */
  declare bitwise_or: this['bitwiseOr'];
  /** Another name for `bitwiseOr_`. */
  declare bitwise_or_: this['bitwiseOr_'];
  /** Another name for `bitwiseXor`. */
  declare bitwise_xor: this['bitwiseXor'];
  /** Another name for `bitwiseXor_`. */
  declare bitwise_xor_: this['bitwiseXor_'];
  /** Another name for `bitwiseNot`. */
  declare bitwise_not: this['bitwiseNot'];
  /** Another name for `bitwiseNot_`. */
  declare bitwise_not_: this['bitwiseNot_'];
  /** Another name for `bitwiseLeftShift`. */
  declare bitwise_left_shift: this['bitwiseLeftShift'];
  /** Another name for `bitwiseLeftShift_`. */
  declare bitwise_left_shift_: this['bitwiseLeftShift_'];
  /** Another name for `bitwiseRightShift`. */
  declare bitwise_right_shift: this['bitwiseRightShift'];
  /** Another name for `bitwiseRightShift_`. */
  declare bitwise_right_shift_: this['bitwiseRightShift_'];
  /** Another name for `neg`. */
  declare negative: this['neg'];
  /** Another name for `neg_`. */
  declare negative_: this['neg_'];
  /** Another name for `abs`. */
  declare absolute: this['abs'];
  /** Another name for `abs_`. */
  declare absolute_: this['abs_'];
  /** Another name for `sign`. */
  declare sgn: this['sign'];
  /** Another name for `sign_`. */
  declare sgn_: this['sign_'];
  /** Another name for `asin`. */
  declare arcsin: this['asin'];
  /** Another name for `asin_`. */
  declare arcsin_: this['asin_'];
  /** Another name for `acos`. */
  declare arccos: this['acos'];
  /** Another name for `acos_`. */
  declare arccos_: this['acos_'];
  /** Another name for `atan`. */
  declare arctan: this['atan'];
  /** Another name for `atan_`. */
  declare arctan_: this['atan_'];
  /** Another name for `asinh`. */
  declare arcsinh: this['asinh'];
  /** Another name for `asinh_`. */
  declare arcsinh_: this['asinh_'];
  /** Another name for `acosh`. */
  declare arccosh: this['acosh'];
  /** Another name for `acosh_`. */
  declare arccosh_: this['acosh_'];
  /** Another name for `atanh`. */
  declare arctanh: this['atanh'];
  /** Another name for `atanh_`. */
  declare arctanh_: this['atanh_'];
  /** Another name for `geluTanh`. */
  declare gelu_tanh: this['geluTanh'];
  /** Another name for `geluTanh_`. */
  declare gelu_tanh_: this['geluTanh_'];
  /** Another name for `silu`. */
  declare swish: this['silu'];
  /** Another name for `silu_`. */
  declare swish_: this['silu_'];
  /** Another name for `trunc`. */
  declare fix: this['trunc'];
  /** Another name for `trunc_`. */
  declare fix_: this['trunc_'];
  /** Another name for `zerosLike`. */
  declare zeros_like: this['zerosLike'];
  /** Another name for `zerosLike`. */
  declare emptyLike: this['zerosLike'];
  /** Another name for `zerosLike`. */
  declare empty_like: this['zerosLike'];
  /** Another name for `onesLike`. */
  declare ones_like: this['onesLike'];
  /** Another name for `fullLike`. */
  declare full_like: this['fullLike'];
  /** Another name for `newZeros`. */
  declare new_zeros: this['newZeros'];
  /** Another name for `newZeros`. */
  declare newEmpty: this['newZeros'];
  /** Another name for `newZeros`. */
  declare new_empty: this['newZeros'];
  /** Another name for `newOnes`. */
  declare new_ones: this['newOnes'];
  /** Another name for `newFull`. */
  declare new_full: this['newFull'];
  /** Another name for `oneHot`. */
  declare one_hot: this['oneHot'];
  /** Another name for `diagEmbed`. */
  declare diag_embed: this['diagEmbed'];
  /** Another name for `randLike`. */
  declare rand_like: this['randLike'];
  /** Another name for `randnLike`. */
  declare randn_like: this['randnLike'];
  /** Another name for `randintLike`. */
  declare randint_like: this['randintLike'];
  /** Another name for `gumbelSoftmax`. */
  declare gumbel_softmax: this['gumbelSoftmax'];
  /** Another name for `featureDropout`. */
  declare feature_dropout: this['featureDropout'];
  /** Another name for `featureDropout`. */
  declare dropout2d: this['featureDropout'];
  /** Another name for `alphaDropout`. */
  declare alpha_dropout: this['alphaDropout'];
  /** Another name for `featureAlphaDropout`. */
  declare feature_alpha_dropout: this['featureAlphaDropout'];
  /** Another name for `add`. */
  declare addScalar: this['add'];
  /** Another name for `add`. */
  declare add_scalar: this['add'];
  /** Another name for `add_`. */
  declare addScalar_: this['add_'];
  /** Another name for `add_`. */
  declare add_scalar_: this['add_'];
  /** Another name for `sub`. */
  declare subtract: this['sub'];
  /** Another name for `sub_`. */
  declare subtract_: this['sub_'];
  /** Another name for `div`. */
  declare divide: this['div'];
  /** Another name for `div`. */
  declare trueDivide: this['div'];
  /** Another name for `div`. */
  declare true_divide: this['div'];
  /** Another name for `div_`. */
  declare divide_: this['div_'];
  /** Another name for `div_`. */
  declare trueDivide_: this['div_'];
  /** Another name for `div_`. */
  declare true_divide_: this['div_'];
  /** Another name for `floatPower`. */
  declare float_power: this['floatPower'];
  /** Another name for `floatPower_`. */
  declare float_power_: this['floatPower_'];
  /** Another name for `nanToNum`. */
  declare nan_to_num: this['nanToNum'];
  /** Another name for `nanToNum_`. */
  declare nan_to_num_: this['nanToNum_'];
  /** Another name for `digamma`. */
  declare psi: this['digamma'];
  /** Another name for `digamma_`. */
  declare psi_: this['digamma_'];
  /** Another name for `clamp`. */
  declare clip: this['clamp'];
  /** Another name for `clamp_`. */
  declare clip_: this['clamp_'];
  /** Another name for `clampMin`. */
  declare clamp_min: this['clampMin'];
  /** Another name for `clampMin_`. */
  declare clamp_min_: this['clampMin_'];
  /** Another name for `clampMax`. */
  declare clamp_max: this['clampMax'];
  /** Another name for `clampMax_`. */
  declare clamp_max_: this['clampMax_'];
  /** Another name for `maskedFill`. */
  declare masked_fill: this['maskedFill'];
  /** Another name for `maskedFill_`. */
  declare masked_fill_: this['maskedFill_'];
  /** Another name for `logicalAnd`. */
  declare logical_and: this['logicalAnd'];
  /** Another name for `logicalAnd_`. */
  declare logical_and_: this['logicalAnd_'];
  /** Another name for `logicalOr`. */
  declare logical_or: this['logicalOr'];
  /** Another name for `logicalOr_`. */
  declare logical_or_: this['logicalOr_'];
  /** Another name for `logicalXor`. */
  declare logical_xor: this['logicalXor'];
  /** Another name for `logicalXor_`. */
  declare logical_xor_: this['logicalXor_'];
  /** Another name for `logicalNot`. */
  declare logical_not: this['logicalNot'];
  /** Another name for `logicalNot_`. */
  declare logical_not_: this['logicalNot_'];
  /** Another name for `leakyRelu`. */
  declare leaky_relu: this['leakyRelu'];
  /** Another name for `leakyRelu_`. */
  declare leaky_relu_: this['leakyRelu_'];
  /** Another name for `hardsigmoid`. */
  declare hardSigmoid: this['hardsigmoid'];
  /** Another name for `hardsigmoid`. */
  declare hard_sigmoid: this['hardsigmoid'];
  /** Another name for `hardsigmoid_`. */
  declare hardSigmoid_: this['hardsigmoid_'];
  /** Another name for `hardsigmoid_`. */
  declare hard_sigmoid_: this['hardsigmoid_'];
  /** Another name for `hardswish`. */
  declare hardSwish: this['hardswish'];
  /** Another name for `hardswish`. */
  declare hard_swish: this['hardswish'];
  /** Another name for `hardswish_`. */
  declare hardSwish_: this['hardswish_'];
  /** Another name for `hardswish_`. */
  declare hard_swish_: this['hardswish_'];
  /** Another name for `logsigmoid`. */
  declare logSigmoid: this['logsigmoid'];
  /** Another name for `logsigmoid`. */
  declare log_sigmoid: this['logsigmoid'];
  /** Another name for `logsigmoid_`. */
  declare logSigmoid_: this['logsigmoid_'];
  /** Another name for `logsigmoid_`. */
  declare log_sigmoid_: this['logsigmoid_'];
  /** Another name for `countNonzero`. */
  declare count_nonzero: this['countNonzero'];
  /** Another name for `sumToSize`. */
  declare sum_to_size: this['sumToSize'];
  /** Another name for `sumToSize`. */
  declare sumToShape: this['sumToSize'];
  /** Another name for `sumToSize`. */
  declare sum_to_shape: this['sumToSize'];
  /** Another name for `vectorNorm`. */
  declare vector_norm: this['vectorNorm'];
  /** Another name for `varMean`. */
  declare var_mean: this['varMean'];
  /** Another name for `stdMean`. */
  declare std_mean: this['stdMean'];
  /** Another name for `trapezoid`. */
  declare trapz: this['trapezoid'];
  /** Another name for `cumulativeTrapezoid`. */
  declare cumulative_trapezoid: this['cumulativeTrapezoid'];
  /** Another name for `reshape`. */
  declare view: this['reshape'];
  /** Another name for `reshapeAs`. */
  declare reshape_as: this['reshapeAs'];
  /** Another name for `reshapeAs`. */
  declare viewAs: this['reshapeAs'];
  /** Another name for `reshapeAs`. */
  declare view_as: this['reshapeAs'];
  /** Another name for `transpose`. */
  declare swapaxes: this['transpose'];
  /** Another name for `transpose`. */
  declare swapAxes: this['transpose'];
  /** Another name for `transpose`. */
  declare swap_axes: this['transpose'];
  /** Another name for `transpose`. */
  declare swapdims: this['transpose'];
  /** Another name for `movedim`. */
  declare moveaxis: this['movedim'];
  /** Another name for `expand`. */
  declare broadcastTo: this['expand'];
  /** Another name for `expand`. */
  declare broadcast_to: this['expand'];
  /** Another name for `expandAs`. */
  declare expand_as: this['expandAs'];
  /** Another name for `splitHeads`. */
  declare split_heads: this['splitHeads'];
  /** Another name for `mergeHeads`. */
  declare merge_heads: this['mergeHeads'];
  /** Another name for `to`. */
  declare cast: this['to'];
  /** Another name for `to`. */
  declare astype: this['to'];
  /** Another name for `toBool`. */
  declare to_bool: this['toBool'];
  /** Another name for `toBool`. */
  declare bool: this['toBool'];
  /** Another name for `clone`. */
  declare contiguous: this['clone'];
  /** Another name for `slice`. */
  declare shrink: this['slice'];
  /** Another name for `repeatInterleave`. */
  declare repeat_interleave: this['repeatInterleave'];
  /** Another name for `fold`. */
  declare col2im: this['fold'];
  /** Another name for `constantPadNd`. */
  declare constant_pad_nd: this['constantPadNd'];
  /** Another name for `split`. */
  declare unsafeSplit: this['split'];
  /** Another name for `split`. */
  declare unsafe_split: this['split'];
  /** Another name for `splitWithSizes`. */
  declare split_with_sizes: this['splitWithSizes'];
  /** Another name for `chunk`. */
  declare unsafeChunk: this['chunk'];
  /** Another name for `chunk`. */
  declare unsafe_chunk: this['chunk'];
  /** Another name for `tensorSplit`. */
  declare tensor_split: this['tensorSplit'];
  /** Another name for `sliceScatter`. */
  declare slice_scatter: this['sliceScatter'];
  /** Another name for `sliceScatter`. */
  declare sliceSet: this['sliceScatter'];
  /** Another name for `sliceScatter`. */
  declare slice_set: this['sliceScatter'];
  /** Another name for `selectScatter`. */
  declare select_scatter: this['selectScatter'];
  /** Another name for `diagonalScatter`. */
  declare diagonal_scatter: this['diagonalScatter'];
  /** Another name for `takeAlongDim`. */
  declare take_along_dim: this['takeAlongDim'];
  /** Another name for `takeAlongDim`. */
  declare takeAlongAxis: this['takeAlongDim'];
  /** Another name for `takeAlongDim`. */
  declare take_along_axis: this['takeAlongDim'];
  /** Another name for `indexSelect`. */
  declare index_select: this['indexSelect'];
  /** Another name for `scatterAdd`. */
  declare scatter_add: this['scatterAdd'];
  /** Another name for `scatterAdd_`. */
  declare scatter_add_: this['scatterAdd_'];
  /** Another name for `scatterReduce`. */
  declare scatter_reduce: this['scatterReduce'];
  /** Another name for `indexAdd`. */
  declare index_add: this['indexAdd'];
  /** Another name for `indexAdd_`. */
  declare index_add_: this['indexAdd_'];
  /** Another name for `indexCopy`. */
  declare index_copy: this['indexCopy'];
  /** Another name for `indexCopy_`. */
  declare index_copy_: this['indexCopy_'];
  /** Another name for `indexFill`. */
  declare index_fill: this['indexFill'];
  /** Another name for `indexFill_`. */
  declare index_fill_: this['indexFill_'];
  /** Another name for `indexReduce`. */
  declare index_reduce: this['indexReduce'];
  /** Another name for `maskedScatter`. */
  declare masked_scatter: this['maskedScatter'];
  /** Another name for `embeddingBag`. */
  declare embedding_bag: this['embeddingBag'];
  /** Another name for `maskedSelect`. */
  declare masked_select: this['maskedSelect'];
  /** Another name for `uniqueConsecutive`. */
  declare unique_consecutive: this['uniqueConsecutive'];
  /** Another name for `repeatInterleaveTensor`. */
  declare repeat_interleave_tensor: this['repeatInterleaveTensor'];
  /** Another name for `matmul`. */
  declare matmulBatched: this['matmul'];
  /** Another name for `matmul`. */
  declare matmul_batched: this['matmul'];
  /** Another name for `dot`. */
  declare vdot: this['dot'];
  /** Another name for `outer`. */
  declare ger: this['outer'];
  /** Another name for `matrixPower`. */
  declare matrix_power: this['matrixPower'];
  /** Another name for `pairwiseDistance`. */
  declare pairwise_distance: this['pairwiseDistance'];
  /** Another name for `convTranspose1d`. */
  declare conv_transpose1d: this['convTranspose1d'];
  /** Another name for `convTranspose2d`. */
  declare conv_transpose2d: this['convTranspose2d'];
  /** Another name for `convTranspose3d`. */
  declare conv_transpose3d: this['convTranspose3d'];
  /** Another name for `maxPool1d`. */
  declare max_pool1d: this['maxPool1d'];
  /** Another name for `maxPool2d`. */
  declare max_pool2d: this['maxPool2d'];
  /** Another name for `maxPool3d`. */
  declare max_pool3d: this['maxPool3d'];
  /** Another name for `avgPool1d`. */
  declare avg_pool1d: this['avgPool1d'];
  /** Another name for `avgPool2d`. */
  declare avg_pool2d: this['avgPool2d'];
  /** Another name for `avgPool3d`. */
  declare avg_pool3d: this['avgPool3d'];
  /** Another name for `lpPool1d`. */
  declare lp_pool1d: this['lpPool1d'];
  /** Another name for `lpPool2d`. */
  declare lp_pool2d: this['lpPool2d'];
  /** Another name for `adaptiveMaxPool1d`. */
  declare adaptive_max_pool1d: this['adaptiveMaxPool1d'];
  /** Another name for `adaptiveMaxPool2d`. */
  declare adaptive_max_pool2d: this['adaptiveMaxPool2d'];
  /** Another name for `adaptiveMaxPool3d`. */
  declare adaptive_max_pool3d: this['adaptiveMaxPool3d'];
  /** Another name for `adaptiveAvgPool1d`. */
  declare adaptive_avg_pool1d: this['adaptiveAvgPool1d'];
  /** Another name for `adaptiveAvgPool2d`. */
  declare adaptive_avg_pool2d: this['adaptiveAvgPool2d'];
  /** Another name for `adaptiveAvgPool3d`. */
  declare adaptive_avg_pool3d: this['adaptiveAvgPool3d'];
  /** Another name for `interpolate`. */
  declare upsample: this['interpolate'];
  /** Another name for `upsampleNearest`. */
  declare upsample_nearest: this['upsampleNearest'];
  /** Another name for `upsampleBilinear`. */
  declare upsample_bilinear: this['upsampleBilinear'];
  /** Another name for `gridSample`. */
  declare grid_sample: this['gridSample'];
  /** Another name for `gridSampler2d`. */
  declare grid_sampler_2d: this['gridSampler2d'];
  /** Another name for `gridSampler3d`. */
  declare grid_sampler_3d: this['gridSampler3d'];
  /** Another name for `affineGrid`. */
  declare affine_grid: this['affineGrid'];
  /** Another name for `pixelShuffle`. */
  declare pixel_shuffle: this['pixelShuffle'];
  /** Another name for `pixelUnshuffle`. */
  declare pixel_unshuffle: this['pixelUnshuffle'];
  /** Another name for `channelShuffle`. */
  declare channel_shuffle: this['channelShuffle'];
  /** Another name for `channelShuffle`. */
  declare nativeChannelShuffle: this['channelShuffle'];
  /** Another name for `channelShuffle`. */
  declare native_channel_shuffle: this['channelShuffle'];
  /** Another name for `centerCrop`. */
  declare center_crop: this['centerCrop'];
  /** Another name for `normalizeChannels`. */
  declare normalize_channels: this['normalizeChannels'];
  /** Another name for `rgbToGrayscale`. */
  declare rgb_to_grayscale: this['rgbToGrayscale'];
  /** Another name for `grayscaleToRgb`. */
  declare grayscale_to_rgb: this['grayscaleToRgb'];
  /** Another name for `adjustBrightness`. */
  declare adjust_brightness: this['adjustBrightness'];
  /** Another name for `adjustContrast`. */
  declare adjust_contrast: this['adjustContrast'];
  /** Another name for `adjustSaturation`. */
  declare adjust_saturation: this['adjustSaturation'];
  /** Another name for `logSoftmax`. */
  declare log_softmax: this['logSoftmax'];
  /** Another name for `logSoftmax`. */
  declare logSoftmaxLast: this['logSoftmax'];
  /** Another name for `logSoftmax`. */
  declare log_softmax_last: this['logSoftmax'];
  /** Another name for `softmaxCausal`. */
  declare softmax_causal: this['softmaxCausal'];
  /** Another name for `softmaxCausal`. */
  declare softmaxCausalLast: this['softmaxCausal'];
  /** Another name for `softmaxCausal`. */
  declare softmax_causal_last: this['softmaxCausal'];
  /** Another name for `whereCausal`. */
  declare where_causal: this['whereCausal'];
  /** Another name for `layerNorm`. */
  declare layer_norm: this['layerNorm'];
  /** Another name for `rmsNorm`. */
  declare rms_norm: this['rmsNorm'];
  /** Another name for `batchNorm`. */
  declare batch_norm: this['batchNorm'];
  /** Another name for `batchNormStats`. */
  declare batch_norm_stats: this['batchNormStats'];
  /** Another name for `groupNorm`. */
  declare group_norm: this['groupNorm'];
  /** Another name for `instanceNorm`. */
  declare instance_norm: this['instanceNorm'];
  /** Another name for `localResponseNorm`. */
  declare local_response_norm: this['localResponseNorm'];
  /** Another name for `scaledDotProductAttention`. */
  declare scaled_dot_product_attention: this['scaledDotProductAttention'];
  /** Another name for `multiHeadAttention`. */
  declare multi_head_attention: this['multiHeadAttention'];
  /** Another name for `rnnCell`. */
  declare rnn_cell: this['rnnCell'];
  /** Another name for `gruCell`. */
  declare gru_cell: this['gruCell'];
  /** Another name for `lstmCell`. */
  declare lstm_cell: this['lstmCell'];
  /** Another name for `mseLoss`. */
  declare mse_loss: this['mseLoss'];
  /** Another name for `l1Loss`. */
  declare l1_loss: this['l1Loss'];
  /** Another name for `smoothL1Loss`. */
  declare smooth_l1_loss: this['smoothL1Loss'];
  /** Another name for `huberLoss`. */
  declare huber_loss: this['huberLoss'];
  /** Another name for `klDiv`. */
  declare kl_div: this['klDiv'];
  /** Another name for `gaussianNllLoss`. */
  declare gaussian_nll_loss: this['gaussianNllLoss'];
  /** Another name for `poissonNllLoss`. */
  declare poisson_nll_loss: this['poissonNllLoss'];
  /** Another name for `crossEntropy`. */
  declare cross_entropy: this['crossEntropy'];
  /** Another name for `nllLoss`. */
  declare nll_loss: this['nllLoss'];
  /** Another name for `binaryCrossEntropy`. */
  declare binary_cross_entropy: this['binaryCrossEntropy'];
  /** Another name for `binaryCrossEntropyWithLogits`. */
  declare binary_cross_entropy_with_logits: this['binaryCrossEntropyWithLogits'];
  /** Another name for `hingeLoss`. */
  declare hinge_loss: this['hingeLoss'];
  /** Another name for `softMarginLoss`. */
  declare soft_margin_loss: this['softMarginLoss'];
  /** Another name for `multiMarginLoss`. */
  declare multi_margin_loss: this['multiMarginLoss'];
  /** Another name for `multilabelMarginLoss`. */
  declare multilabel_margin_loss: this['multilabelMarginLoss'];
  /** Another name for `multilabelSoftMarginLoss`. */
  declare multilabel_soft_margin_loss: this['multilabelSoftMarginLoss'];
  /** Another name for `cosineSimilarity`. */
  declare cosine_similarity: this['cosineSimilarity'];
  /** Another name for `cosineEmbeddingLoss`. */
  declare cosine_embedding_loss: this['cosineEmbeddingLoss'];
  /** Another name for `hingeEmbeddingLoss`. */
  declare hinge_embedding_loss: this['hingeEmbeddingLoss'];
  /** Another name for `marginRankingLoss`. */
  declare margin_ranking_loss: this['marginRankingLoss'];
  /** Another name for `tripletMarginLoss`. */
  declare triplet_margin_loss: this['tripletMarginLoss'];
}

alias(Methods.prototype, {
  multiply: 'mul',
  mulScalar: 'mul',
  mul_scalar: 'mul',
  multiply_: 'mul_',
  mulScalar_: 'mul_',
  mul_scalar_: 'mul_',
  floor_divide: 'floorDivide',
  floor_divide_: 'floorDivide_',
  arctan2: 'atan2',
  arctan2_: 'atan2_',
  equal: 'eq',
  equal_: 'eq_',
  notEqual: 'ne',
  not_equal: 'ne',
  notEqual_: 'ne_',
  not_equal_: 'ne_',
  less: 'lt',
  less_: 'lt_',
  lessEqual: 'le',
  less_equal: 'le',
  lessEqual_: 'le_',
  less_equal_: 'le_',
  greater: 'gt',
  greater_: 'gt_',
  greaterEqual: 'ge',
  greater_equal: 'ge',
  greaterEqual_: 'ge_',
  greater_equal_: 'ge_',
  bitwise_and: 'bitwiseAnd',
  bitwise_and_: 'bitwiseAnd_',
  bitwise_or: 'bitwiseOr',
  bitwise_or_: 'bitwiseOr_',
  bitwise_xor: 'bitwiseXor',
  bitwise_xor_: 'bitwiseXor_',
  bitwise_not: 'bitwiseNot',
  bitwise_not_: 'bitwiseNot_',
  bitwise_left_shift: 'bitwiseLeftShift',
  bitwise_left_shift_: 'bitwiseLeftShift_',
  bitwise_right_shift: 'bitwiseRightShift',
  bitwise_right_shift_: 'bitwiseRightShift_',
  negative: 'neg',
  negative_: 'neg_',
  absolute: 'abs',
  absolute_: 'abs_',
  sgn: 'sign',
  sgn_: 'sign_',
  arcsin: 'asin',
  arcsin_: 'asin_',
  arccos: 'acos',
  arccos_: 'acos_',
  arctan: 'atan',
  arctan_: 'atan_',
  arcsinh: 'asinh',
  arcsinh_: 'asinh_',
  arccosh: 'acosh',
  arccosh_: 'acosh_',
  arctanh: 'atanh',
  arctanh_: 'atanh_',
  gelu_tanh: 'geluTanh',
  gelu_tanh_: 'geluTanh_',
  swish: 'silu',
  swish_: 'silu_',
  fix: 'trunc',
  fix_: 'trunc_',
  zeros_like: 'zerosLike',
  emptyLike: 'zerosLike',
  empty_like: 'zerosLike',
  ones_like: 'onesLike',
  full_like: 'fullLike',
  new_zeros: 'newZeros',
  newEmpty: 'newZeros',
  new_empty: 'newZeros',
  new_ones: 'newOnes',
  new_full: 'newFull',
  one_hot: 'oneHot',
  diag_embed: 'diagEmbed',
  rand_like: 'randLike',
  randn_like: 'randnLike',
  randint_like: 'randintLike',
  gumbel_softmax: 'gumbelSoftmax',
  feature_dropout: 'featureDropout',
  dropout2d: 'featureDropout',
  alpha_dropout: 'alphaDropout',
  feature_alpha_dropout: 'featureAlphaDropout',
  addScalar: 'add',
  add_scalar: 'add',
  addScalar_: 'add_',
  add_scalar_: 'add_',
  subtract: 'sub',
  subtract_: 'sub_',
  divide: 'div',
  trueDivide: 'div',
  true_divide: 'div',
  divide_: 'div_',
  trueDivide_: 'div_',
  true_divide_: 'div_',
  float_power: 'floatPower',
  float_power_: 'floatPower_',
  nan_to_num: 'nanToNum',
  nan_to_num_: 'nanToNum_',
  psi: 'digamma',
  psi_: 'digamma_',
  clip: 'clamp',
  clip_: 'clamp_',
  clamp_min: 'clampMin',
  clamp_min_: 'clampMin_',
  clamp_max: 'clampMax',
  clamp_max_: 'clampMax_',
  masked_fill: 'maskedFill',
  masked_fill_: 'maskedFill_',
  logical_and: 'logicalAnd',
  logical_and_: 'logicalAnd_',
  logical_or: 'logicalOr',
  logical_or_: 'logicalOr_',
  logical_xor: 'logicalXor',
  logical_xor_: 'logicalXor_',
  logical_not: 'logicalNot',
  logical_not_: 'logicalNot_',
  leaky_relu: 'leakyRelu',
  leaky_relu_: 'leakyRelu_',
  hardSigmoid: 'hardsigmoid',
  hard_sigmoid: 'hardsigmoid',
  hardSigmoid_: 'hardsigmoid_',
  hard_sigmoid_: 'hardsigmoid_',
  hardSwish: 'hardswish',
  hard_swish: 'hardswish',
  hardSwish_: 'hardswish_',
  hard_swish_: 'hardswish_',
  logSigmoid: 'logsigmoid',
  log_sigmoid: 'logsigmoid',
  logSigmoid_: 'logsigmoid_',
  log_sigmoid_: 'logsigmoid_',
  count_nonzero: 'countNonzero',
  sum_to_size: 'sumToSize',
  sumToShape: 'sumToSize',
  sum_to_shape: 'sumToSize',
  vector_norm: 'vectorNorm',
  var_mean: 'varMean',
  std_mean: 'stdMean',
  trapz: 'trapezoid',
  cumulative_trapezoid: 'cumulativeTrapezoid',
  view: 'reshape',
  reshape_as: 'reshapeAs',
  viewAs: 'reshapeAs',
  view_as: 'reshapeAs',
  swapaxes: 'transpose',
  swapAxes: 'transpose',
  swap_axes: 'transpose',
  swapdims: 'transpose',
  moveaxis: 'movedim',
  broadcastTo: 'expand',
  broadcast_to: 'expand',
  expand_as: 'expandAs',
  split_heads: 'splitHeads',
  merge_heads: 'mergeHeads',
  cast: 'to',
  astype: 'to',
  to_bool: 'toBool',
  bool: 'toBool',
  contiguous: 'clone',
  shrink: 'slice',
  repeat_interleave: 'repeatInterleave',
  col2im: 'fold',
  constant_pad_nd: 'constantPadNd',
  unsafeSplit: 'split',
  unsafe_split: 'split',
  split_with_sizes: 'splitWithSizes',
  unsafeChunk: 'chunk',
  unsafe_chunk: 'chunk',
  tensor_split: 'tensorSplit',
  slice_scatter: 'sliceScatter',
  sliceSet: 'sliceScatter',
  slice_set: 'sliceScatter',
  select_scatter: 'selectScatter',
  diagonal_scatter: 'diagonalScatter',
  take_along_dim: 'takeAlongDim',
  takeAlongAxis: 'takeAlongDim',
  take_along_axis: 'takeAlongDim',
  index_select: 'indexSelect',
  scatter_add: 'scatterAdd',
  scatter_add_: 'scatterAdd_',
  scatter_reduce: 'scatterReduce',
  index_add: 'indexAdd',
  index_add_: 'indexAdd_',
  index_copy: 'indexCopy',
  index_copy_: 'indexCopy_',
  index_fill: 'indexFill',
  index_fill_: 'indexFill_',
  index_reduce: 'indexReduce',
  masked_scatter: 'maskedScatter',
  embedding_bag: 'embeddingBag',
  masked_select: 'maskedSelect',
  unique_consecutive: 'uniqueConsecutive',
  repeat_interleave_tensor: 'repeatInterleaveTensor',
  matmulBatched: 'matmul',
  matmul_batched: 'matmul',
  vdot: 'dot',
  ger: 'outer',
  matrix_power: 'matrixPower',
  pairwise_distance: 'pairwiseDistance',
  conv_transpose1d: 'convTranspose1d',
  conv_transpose2d: 'convTranspose2d',
  conv_transpose3d: 'convTranspose3d',
  max_pool1d: 'maxPool1d',
  max_pool2d: 'maxPool2d',
  max_pool3d: 'maxPool3d',
  avg_pool1d: 'avgPool1d',
  avg_pool2d: 'avgPool2d',
  avg_pool3d: 'avgPool3d',
  lp_pool1d: 'lpPool1d',
  lp_pool2d: 'lpPool2d',
  adaptive_max_pool1d: 'adaptiveMaxPool1d',
  adaptive_max_pool2d: 'adaptiveMaxPool2d',
  adaptive_max_pool3d: 'adaptiveMaxPool3d',
  adaptive_avg_pool1d: 'adaptiveAvgPool1d',
  adaptive_avg_pool2d: 'adaptiveAvgPool2d',
  adaptive_avg_pool3d: 'adaptiveAvgPool3d',
  upsample: 'interpolate',
  upsample_nearest: 'upsampleNearest',
  upsample_bilinear: 'upsampleBilinear',
  grid_sample: 'gridSample',
  grid_sampler_2d: 'gridSampler2d',
  grid_sampler_3d: 'gridSampler3d',
  affine_grid: 'affineGrid',
  pixel_shuffle: 'pixelShuffle',
  pixel_unshuffle: 'pixelUnshuffle',
  channel_shuffle: 'channelShuffle',
  nativeChannelShuffle: 'channelShuffle',
  native_channel_shuffle: 'channelShuffle',
  center_crop: 'centerCrop',
  normalize_channels: 'normalizeChannels',
  rgb_to_grayscale: 'rgbToGrayscale',
  grayscale_to_rgb: 'grayscaleToRgb',
  adjust_brightness: 'adjustBrightness',
  adjust_contrast: 'adjustContrast',
  adjust_saturation: 'adjustSaturation',
  log_softmax: 'logSoftmax',
  logSoftmaxLast: 'logSoftmax',
  log_softmax_last: 'logSoftmax',
  softmax_causal: 'softmaxCausal',
  softmaxCausalLast: 'softmaxCausal',
  softmax_causal_last: 'softmaxCausal',
  where_causal: 'whereCausal',
  layer_norm: 'layerNorm',
  rms_norm: 'rmsNorm',
  batch_norm: 'batchNorm',
  batch_norm_stats: 'batchNormStats',
  group_norm: 'groupNorm',
  instance_norm: 'instanceNorm',
  local_response_norm: 'localResponseNorm',
  scaled_dot_product_attention: 'scaledDotProductAttention',
  multi_head_attention: 'multiHeadAttention',
  rnn_cell: 'rnnCell',
  gru_cell: 'gruCell',
  lstm_cell: 'lstmCell',
  mse_loss: 'mseLoss',
  l1_loss: 'l1Loss',
  smooth_l1_loss: 'smoothL1Loss',
  huber_loss: 'huberLoss',
  kl_div: 'klDiv',
  gaussian_nll_loss: 'gaussianNllLoss',
  poisson_nll_loss: 'poissonNllLoss',
  cross_entropy: 'crossEntropy',
  nll_loss: 'nllLoss',
  binary_cross_entropy: 'binaryCrossEntropy',
  binary_cross_entropy_with_logits: 'binaryCrossEntropyWithLogits',
  hinge_loss: 'hingeLoss',
  soft_margin_loss: 'softMarginLoss',
  multi_margin_loss: 'multiMarginLoss',
  multilabel_margin_loss: 'multilabelMarginLoss',
  multilabel_soft_margin_loss: 'multilabelSoftMarginLoss',
  cosine_similarity: 'cosineSimilarity',
  cosine_embedding_loss: 'cosineEmbeddingLoss',
  hinge_embedding_loss: 'hingeEmbeddingLoss',
  margin_ranking_loss: 'marginRankingLoss',
  triplet_margin_loss: 'tripletMarginLoss',
});
