// The ops that are methods of `Tensor`: their types, and a table. Generated from the op table by `cargo x gen`; change the op, not this file.
import type * as Options from './options.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';

/** The ops of the table as methods. */
export interface Methods {

  /**
   * Product of two tensors.
   */
  mul(other: Operand): Tensor;

  /** `mul` in place. */
  mul_(other: Operand): this;

  /**
   * Quotient of two tensors, rounded towards minus infinity.
   */
  floorDivide(other: Operand): Tensor;

  /** `floorDivide` in place. */
  floorDivide_(other: Operand): this;

  /**
   * Remainder of the division, with the sign of the divisor (Python's `%`).
   */
  remainder(other: Operand): Tensor;

  /** `remainder` in place. */
  remainder_(other: Operand): this;

  /**
   * Remainder of the division, with the sign of the dividend (C's `fmod`).
   */
  fmod(other: Operand): Tensor;

  /** `fmod` in place. */
  fmod_(other: Operand): this;

  /**
   * The larger of two elements; NaN if either is. Equal elements share the gradient.
   */
  maximum(other: Operand): Tensor;

  /** `maximum` in place. */
  maximum_(other: Operand): this;

  /**
   * The smaller of two elements; NaN if either is. Equal elements share the gradient.
   */
  minimum(other: Operand): Tensor;

  /** `minimum` in place. */
  minimum_(other: Operand): this;

  /**
   * Angle of the point (`other`, `input`), in (−π, π].
   */
  atan2(other: Operand): Tensor;

  /** `atan2` in place. */
  atan2_(other: Operand): this;

  /**
   * Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.
   */
  hypot(other: Operand): Tensor;

  /** `hypot` in place. */
  hypot_(other: Operand): this;

  /**
   * The magnitude of `input` with the sign of `other`.
   */
  copysign(other: Operand): Tensor;

  /** `copysign` in place. */
  copysign_(other: Operand): this;

  /**
   * Logarithm of the sum of exponentials of two elements.
   */
  logaddexp(other: Operand): Tensor;

  /** `logaddexp` in place. */
  logaddexp_(other: Operand): this;

  /**
   * `input · log(other)`, which is zero where `input` is.
   */
  xlogy(other: Operand): Tensor;

  /** `xlogy` in place. */
  xlogy_(other: Operand): this;

  /**
   * Whether two elements are equal.
   */
  eq(other: Operand): Tensor;

  /** `eq` in place. */
  eq_(other: Operand): this;

  /**
   * Whether two elements differ.
   */
  ne(other: Operand): Tensor;

  /** `ne` in place. */
  ne_(other: Operand): this;

  /**
   * Whether `input` is less than `other`.
   */
  lt(other: Operand): Tensor;

  /** `lt` in place. */
  lt_(other: Operand): this;

  /**
   * Whether `input` is at most `other`.
   */
  le(other: Operand): Tensor;

  /** `le` in place. */
  le_(other: Operand): this;

  /**
   * Whether `input` is greater than `other`.
   */
  gt(other: Operand): Tensor;

  /** `gt` in place. */
  gt_(other: Operand): this;

  /**
   * Whether `input` is at least `other`.
   */
  ge(other: Operand): Tensor;

  /** `ge` in place. */
  ge_(other: Operand): this;

  /**
   * Bits set in both elements.
   */
  bitwiseAnd(other: Operand): Tensor;

  /** `bitwiseAnd` in place. */
  bitwiseAnd_(other: Operand): this;

  /**
   * Bits set in either element.
   */
  bitwiseOr(other: Operand): Tensor;

  /** `bitwiseOr` in place. */
  bitwiseOr_(other: Operand): this;

  /**
   * Bits set in exactly one element.
   */
  bitwiseXor(other: Operand): Tensor;

  /** `bitwiseXor` in place. */
  bitwiseXor_(other: Operand): this;

  /**
   * Every bit flipped; for `bool`, the opposite.
   */
  bitwiseNot(): Tensor;

  /** `bitwiseNot` in place. */
  bitwiseNot_(): this;

  /**
   * Bits shifted left by `other`; zero from the width of the type on.
   */
  bitwiseLeftShift(other: Operand): Tensor;

  /** `bitwiseLeftShift` in place. */
  bitwiseLeftShift_(other: Operand): this;

  /**
   * Bits shifted right by `other`, with the sign where the type has one.
   */
  bitwiseRightShift(other: Operand): Tensor;

  /** `bitwiseRightShift` in place. */
  bitwiseRightShift_(other: Operand): this;

  /**
   * Each element with its sign flipped.
   */
  neg(): Tensor;

  /** `neg` in place. */
  neg_(): this;

  /**
   * Absolute value of each element.
   */
  abs(): Tensor;

  /** `abs` in place. */
  abs_(): this;

  /**
   * −1, 0 or 1, as each element is negative, zero (or NaN) or positive.
   */
  sign(): Tensor;

  /** `sign` in place. */
  sign_(): this;

  /**
   * One divided by each element.
   */
  reciprocal(): Tensor;

  /** `reciprocal` in place. */
  reciprocal_(): this;

  /**
   * Square root of each element.
   */
  sqrt(): Tensor;

  /** `sqrt` in place. */
  sqrt_(): this;

  /**
   * One divided by the square root of each element.
   */
  rsqrt(): Tensor;

  /** `rsqrt` in place. */
  rsqrt_(): this;

  /**
   * e raised to each element.
   */
  exp(): Tensor;

  /** `exp` in place. */
  exp_(): this;

  /**
   * Two raised to each element.
   */
  exp2(): Tensor;

  /** `exp2` in place. */
  exp2_(): this;

  /**
   * e raised to each element, minus one; exact near zero.
   */
  expm1(): Tensor;

  /** `expm1` in place. */
  expm1_(): this;

  /**
   * Natural logarithm of each element.
   */
  log(): Tensor;

  /** `log` in place. */
  log_(): this;

  /**
   * Logarithm to base two of each element.
   */
  log2(): Tensor;

  /** `log2` in place. */
  log2_(): this;

  /**
   * Logarithm to base ten of each element.
   */
  log10(): Tensor;

  /** `log10` in place. */
  log10_(): this;

  /**
   * Natural logarithm of one plus each element; exact near zero.
   */
  log1p(): Tensor;

  /** `log1p` in place. */
  log1p_(): this;

  /**
   * Sine of each element, in radians.
   */
  sin(): Tensor;

  /** `sin` in place. */
  sin_(): this;

  /**
   * Cosine of each element, in radians.
   */
  cos(): Tensor;

  /** `cos` in place. */
  cos_(): this;

  /**
   * Tangent of each element, in radians.
   */
  tan(): Tensor;

  /** `tan` in place. */
  tan_(): this;

  /**
   * Angle whose sine each element is.
   */
  asin(): Tensor;

  /** `asin` in place. */
  asin_(): this;

  /**
   * Angle whose cosine each element is.
   */
  acos(): Tensor;

  /** `acos` in place. */
  acos_(): this;

  /**
   * Angle whose tangent each element is.
   */
  atan(): Tensor;

  /** `atan` in place. */
  atan_(): this;

  /**
   * Hyperbolic sine of each element.
   */
  sinh(): Tensor;

  /** `sinh` in place. */
  sinh_(): this;

  /**
   * Hyperbolic cosine of each element.
   */
  cosh(): Tensor;

  /** `cosh` in place. */
  cosh_(): this;

  /**
   * Hyperbolic tangent of each element.
   */
  tanh(): Tensor;

  /** `tanh` in place. */
  tanh_(): this;

  /**
   * Inverse hyperbolic sine of each element.
   */
  asinh(): Tensor;

  /** `asinh` in place. */
  asinh_(): this;

  /**
   * Inverse hyperbolic cosine of each element.
   */
  acosh(): Tensor;

  /** `acosh` in place. */
  acosh_(): this;

  /**
   * Inverse hyperbolic tangent of each element.
   */
  atanh(): Tensor;

  /** `atanh` in place. */
  atanh_(): this;

  /**
   * Error function of each element.
   */
  erf(): Tensor;

  /** `erf` in place. */
  erf_(): this;

  /**
   * One minus the error function; exact where that is close to one.
   */
  erfc(): Tensor;

  /** `erfc` in place. */
  erfc_(): this;

  /**
   * Inverse of the error function.
   */
  erfinv(): Tensor;

  /** `erfinv` in place. */
  erfinv_(): this;

  /**
   * Logarithm of the absolute value of the gamma function.
   */
  lgamma(): Tensor;

  /** `lgamma` in place. */
  lgamma_(): this;

  /**
   * Logistic function `1 / (1 + exp(−x))` of each element.
   */
  sigmoid(): Tensor;

  /** `sigmoid` in place. */
  sigmoid_(): this;

  /**
   * Each element, or zero where it is negative.
   */
  relu(): Tensor;

  /** `relu` in place. */
  relu_(): this;

  /**
   * `gelu` by its tanh approximation.
   */
  geluTanh(): Tensor;

  /** `geluTanh` in place. */
  geluTanh_(): this;

  /**
   * `x · sigmoid(x)`, also called swish.
   */
  silu(): Tensor;

  /** `silu` in place. */
  silu_(): this;

  /**
   * `x · tanh(softplus(x))`.
   */
  mish(): Tensor;

  /** `mish` in place. */
  mish_(): this;

  /**
   * Largest whole number not above each element.
   */
  floor(): Tensor;

  /** `floor` in place. */
  floor_(): this;

  /**
   * Smallest whole number not below each element.
   */
  ceil(): Tensor;

  /** `ceil` in place. */
  ceil_(): this;

  /**
   * Each element without its fraction.
   */
  trunc(): Tensor;

  /** `trunc` in place. */
  trunc_(): this;

  /**
   * Zeros of the shape and dtype of `input`.
   */
  zerosLike(dtype?: DTypeName | null | Options.ZerosLikeOptions): Tensor;

  /**
   * Ones of the shape and dtype of `input`.
   */
  onesLike(dtype?: DTypeName | null | Options.OnesLikeOptions): Tensor;

  /**
   * A tensor filled with `fill_value`, of the shape and dtype of `input`.
   */
  fullLike(fillValue: Operand, dtype?: DTypeName | null | Options.FullLikeOptions): Tensor;

  /**
   * Zeros of another shape, in the dtype of `input`.
   */
  newZeros(size: number | readonly number[], dtype?: DTypeName | null | Options.NewZerosOptions): Tensor;

  /**
   * Ones of another shape, in the dtype of `input`.
   */
  newOnes(size: number | readonly number[], dtype?: DTypeName | null | Options.NewOnesOptions): Tensor;

  /**
   * A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
   */
  newFull(size: number | readonly number[], fillValue: Operand, dtype?: DTypeName | null | Options.NewFullOptions): Tensor;

  /**
   * `input` with every element replaced by `value`.
   */
  fill(value: Operand): Tensor;

  /** `fill` in place. */
  fill_(value: Operand): this;

  /**
   * Lower triangles of matrices: elements above the `diagonal` become zero.
   *
   * Defaults: `diagonal = 0`.
   */
  tril(diagonal?: number | Options.TrilOptions): Tensor;

  /** `tril` in place. */
  tril_(diagonal?: number | Options.TrilOptions): this;

  /**
   * Upper triangles of matrices: elements below the `diagonal` become zero.
   *
   * Defaults: `diagonal = 0`.
   */
  triu(diagonal?: number | Options.TriuOptions): Tensor;

  /** `triu` in place. */
  triu_(diagonal?: number | Options.TriuOptions): this;

  /**
   * One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
   * element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
   *
   * Defaults: `numClasses = -1`.
   */
  oneHot(numClasses?: number | Options.OneHotOptions): Tensor;

  /**
   * All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
   * more than once.
   *
   * Defaults: `r = 2`, `withReplacement = false`.
   */
  combinations(r?: number | Options.CombinationsOptions, withReplacement?: boolean | Options.CombinationsOptions): Tensor;

  /**
   * The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
   *
   * Defaults: `diagonal = 0`.
   */
  diag(diagonal?: number | Options.DiagOptions): Tensor;

  /**
   * Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
   *
   * Defaults: `offset = 0`, `dim1 = -2`, `dim2 = -1`.
   */
  diagEmbed(offset?: number | Options.DiagEmbedOptions, dim1?: number | Options.DiagEmbedOptions, dim2?: number | Options.DiagEmbedOptions): Tensor;

  /**
   * A matrix with all elements of `input` on its diagonal.
   *
   * Defaults: `offset = 0`.
   */
  diagflat(offset?: number | Options.DiagflatOptions): Tensor;

  /**
   * Uniform random numbers in [0, 1), of the shape and dtype of `input`.
   */
  randLike(dtype?: DTypeName | null | Options.RandLikeOptions): Tensor;

  /**
   * Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
   */
  randnLike(dtype?: DTypeName | null | Options.RandnLikeOptions): Tensor;

  /**
   * Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
   */
  randintLike(low: number, high: number, dtype?: DTypeName | null | Options.RandintLikeOptions): Tensor;

  /**
   * Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
   *
   * Defaults: `lambd = 1`.
   */
  exponential(lambd?: number | Options.ExponentialOptions): Tensor;

  /** `exponential` in place. */
  exponential_(lambd?: number | Options.ExponentialOptions): this;

  /**
   * 1 with the probability given by each element of `input`, else 0.
   */
  bernoulli(): Tensor;

  /** `bernoulli` in place. */
  bernoulli_(): this;

  /**
   * Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
   * for each row; all different unless `replacement`.
   *
   * Defaults: `replacement = false`.
   */
  multinomial(numSamples: number, replacement?: boolean | Options.MultinomialOptions): Tensor;

  /**
   * An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
   */
  categorical(): Tensor;

  /**
   * Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
   * Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
   *
   * Defaults: `tau = 1`, `hard = false`, `dim = -1`.
   */
  gumbelSoftmax(tau?: number | Options.GumbelSoftmaxOptions, hard?: boolean | Options.GumbelSoftmaxOptions, dim?: number | Options.GumbelSoftmaxOptions): Tensor;

  /**
   * While `training`, sets each element to zero with probability `p` and scales the others by
   * `1 / (1 − p)`.
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  dropout(p?: number | Options.DropoutOptions, training?: boolean | Options.DropoutOptions): Tensor;

  /** `dropout` in place. */
  dropout_(p?: number | Options.DropoutOptions, training?: boolean | Options.DropoutOptions): this;

  /**
   * While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
   * scales the others by `1 / (1 − p)`.
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  featureDropout(p?: number | Options.FeatureDropoutOptions, training?: boolean | Options.FeatureDropoutOptions): Tensor;

  /**
   * `feature_dropout` for signals: (batch, channel, length), or (channel, length).
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  dropout1d(p?: number | Options.Dropout1dOptions, training?: boolean | Options.Dropout1dOptions): Tensor;

  /**
   * `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
   *
   * Defaults: `p = 0.5`, `training = true`.
   */
  dropout3d(p?: number | Options.Dropout3dOptions, training?: boolean | Options.Dropout3dOptions): Tensor;

  /**
   * Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
   * the value selu saturates at, then shifts and scales to preserve mean and variance.
   *
   * Defaults: `p = 0.5`, `training = false`.
   */
  alphaDropout(p?: number | Options.AlphaDropoutOptions, training?: boolean | Options.AlphaDropoutOptions): Tensor;

  /**
   * `alpha_dropout` of whole channels (indices of axes 0 and 1).
   *
   * Defaults: `p = 0.5`, `training = false`.
   */
  featureAlphaDropout(p?: number | Options.FeatureAlphaDropoutOptions, training?: boolean | Options.FeatureAlphaDropoutOptions): Tensor;

  /**
   * `input + alpha · other`.
   *
   * Defaults: `alpha = 1`.
   */
  add(other: Operand, alpha?: number | Options.AddOptions): Tensor;

  /** `add` in place. */
  add_(other: Operand, alpha?: number | Options.AddOptions): this;

  /**
   * `input − alpha · other`.
   *
   * Defaults: `alpha = 1`.
   */
  sub(other: Operand, alpha?: number | Options.SubOptions): Tensor;

  /** `sub` in place. */
  sub_(other: Operand, alpha?: number | Options.SubOptions): this;

  /**
   * `other − alpha · input`.
   *
   * Defaults: `alpha = 1`.
   */
  rsub(other: Operand, alpha?: number | Options.RsubOptions): Tensor;

  /** `rsub` in place. */
  rsub_(other: Operand, alpha?: number | Options.RsubOptions): this;

  /**
   * `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
   * zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
   */
  div(other: Operand, roundingMode?: 'trunc' | 'floor' | null | Options.DivOptions): Tensor;

  /** `div` in place. */
  div_(other: Operand, roundingMode?: 'trunc' | 'floor' | null | Options.DivOptions): this;

  /**
   * `input` to the power of `exponent`.
   */
  pow(exponent: Operand): Tensor;

  /** `pow` in place. */
  pow_(exponent: Operand): this;

  /**
   * `input` to the power of `exponent`, in `f64`.
   */
  floatPower(exponent: Operand): Tensor;

  /** `floatPower` in place. */
  floatPower_(exponent: Operand): this;

  /**
   * Each element times itself.
   */
  square(): Tensor;

  /** `square` in place. */
  square_(): this;

  /**
   * `input + weight · (end − input)`: from exactly `input` at weight 0 to exactly `end` at 1.
   */
  lerp(end: Tensor, weight: Operand): Tensor;

  /** `lerp` in place. */
  lerp_(end: Tensor, weight: Operand): this;

  /**
   * `input + value · tensor1 · tensor2`.
   *
   * Defaults: `value = 1`.
   */
  addcmul(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcmulOptions): Tensor;

  /** `addcmul` in place. */
  addcmul_(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcmulOptions): this;

  /**
   * `input + value · tensor1 / tensor2`.
   *
   * Defaults: `value = 1`.
   */
  addcdiv(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcdivOptions): Tensor;

  /** `addcdiv` in place. */
  addcdiv_(tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcdivOptions): this;

  /**
   * The input itself.
   */
  positive(): Tensor;

  /** `positive` in place. */
  positive_(): this;

  /**
   * The fraction of each element, with its sign.
   */
  frac(): Tensor;

  /** `frac` in place. */
  frac_(): this;

  /**
   * Degrees to radians.
   */
  deg2rad(): Tensor;

  /** `deg2rad` in place. */
  deg2rad_(): this;

  /**
   * Radians to degrees.
   */
  rad2deg(): Tensor;

  /** `rad2deg` in place. */
  rad2deg_(): this;

  /**
   * `sin(πx) / (πx)`, and 1 at zero.
   */
  sinc(): Tensor;

  /** `sinc` in place. */
  sinc_(): this;

  /**
   * `input · 2^other`.
   */
  ldexp(other: Operand): Tensor;

  /** `ldexp` in place. */
  ldexp_(other: Operand): this;

  /**
   * Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
   */
  logaddexp2(other: Tensor): Tensor;

  /** `logaddexp2` in place. */
  logaddexp2_(other: Tensor): this;

  /**
   * `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
   * `eps … 1 − eps`.
   */
  logit(eps?: number | null | Options.LogitOptions): Tensor;

  /** `logit` in place. */
  logit_(eps?: number | null | Options.LogitOptions): this;

  /**
   * Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
   * largest and smallest finite number of the type).
   */
  nanToNum(nan?: number | null | Options.NanToNumOptions, posinf?: number | null | Options.NanToNumOptions, neginf?: number | null | Options.NanToNumOptions): Tensor;

  /** `nanToNum` in place. */
  nanToNum_(nan?: number | null | Options.NanToNumOptions, posinf?: number | null | Options.NanToNumOptions, neginf?: number | null | Options.NanToNumOptions): this;

  /**
   * Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
   * even one.
   *
   * Defaults: `decimals = 0`.
   */
  round(decimals?: number | Options.RoundOptions): Tensor;

  /** `round` in place. */
  round_(decimals?: number | Options.RoundOptions): this;

  /**
   * Derivative of `lgamma`.
   */
  digamma(): Tensor;

  /** `digamma` in place. */
  digamma_(): this;

  /**
   * `input · log(1 + other)`, which is zero where `input` is.
   */
  xlog1py(other: Operand): Tensor;

  /** `xlog1py` in place. */
  xlog1py_(other: Operand): this;

  /**
   * Clamps elements to `min … max`; where `min > max` the result is `max`.
   */
  clamp(min?: Operand | null | Options.ClampOptions, max?: Operand | null | Options.ClampOptions): Tensor;

  /** `clamp` in place. */
  clamp_(min?: Operand | null | Options.ClampOptions, max?: Operand | null | Options.ClampOptions): this;

  /**
   * Each element, but at least `min`.
   */
  clampMin(min: Operand): Tensor;

  /** `clampMin` in place. */
  clampMin_(min: Operand): this;

  /**
   * Each element, but at most `max`.
   */
  clampMax(max: Operand): Tensor;

  /** `clampMax` in place. */
  clampMax_(max: Operand): this;

  /**
   * The larger of two elements; if one is NaN, the other.
   */
  fmax(other: Tensor): Tensor;

  /** `fmax` in place. */
  fmax_(other: Tensor): this;

  /**
   * The smaller of two elements; if one is NaN, the other.
   */
  fmin(other: Tensor): Tensor;

  /** `fmin` in place. */
  fmin_(other: Tensor): this;

  /**
   * `value` where `mask` is true, else the element.
   */
  maskedFill(mask: Tensor, value: Operand): Tensor;

  /** `maskedFill` in place. */
  maskedFill_(mask: Tensor, value: Operand): this;

  /**
   * 0 for negative elements, 1 for positive ones, and `values` at zero.
   */
  heaviside(values: Tensor): Tensor;

  /** `heaviside` in place. */
  heaviside_(values: Tensor): this;

  /**
   * Whether each element is NaN.
   */
  isnan(): Tensor;

  /**
   * Whether each element is infinite.
   */
  isinf(): Tensor;

  /**
   * Whether each element is neither infinite nor NaN.
   */
  isfinite(): Tensor;

  /**
   * Whether each element is plus infinity.
   */
  isposinf(): Tensor;

  /**
   * Whether each element is minus infinity.
   */
  isneginf(): Tensor;

  /**
   * Whether each element is a real number: always true.
   */
  isreal(): Tensor;

  /**
   * Whether the sign bit of each element is set; true for −0.
   */
  signbit(): Tensor;

  /** `signbit` in place. */
  signbit_(): this;

  /**
   * Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
   * `equal_nan`.
   *
   * Defaults: `rtol = 1e-5`, `atol = 1e-8`, `equalNan = false`.
   */
  isclose(other: Tensor, rtol?: number | Options.IscloseOptions, atol?: number | Options.IscloseOptions, equalNan?: boolean | Options.IscloseOptions): Tensor;

  /**
   * Whether both elements are true, that is, not zero.
   */
  logicalAnd(other: Tensor): Tensor;

  /** `logicalAnd` in place. */
  logicalAnd_(other: Tensor): this;

  /**
   * Whether either element is true, that is, not zero.
   */
  logicalOr(other: Tensor): Tensor;

  /** `logicalOr` in place. */
  logicalOr_(other: Tensor): this;

  /**
   * Whether exactly one element is true, that is, not zero.
   */
  logicalXor(other: Tensor): Tensor;

  /** `logicalXor` in place. */
  logicalXor_(other: Tensor): this;

  /**
   * Whether each element is false, that is, zero.
   */
  logicalNot(): Tensor;

  /** `logicalNot` in place. */
  logicalNot_(): this;

  /**
   * `relu` capped at six.
   */
  relu6(): Tensor;

  /** `relu6` in place. */
  relu6_(): this;

  /**
   * Each element, or `negative_slope` times it where it is negative.
   *
   * Defaults: `negativeSlope = 0.01`.
   */
  leakyRelu(negativeSlope?: number | Options.LeakyReluOptions): Tensor;

  /** `leakyRelu` in place. */
  leakyRelu_(negativeSlope?: number | Options.LeakyReluOptions): this;

  /**
   * `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
   */
  prelu(weight: Tensor): Tensor;

  /** `prelu` in place. */
  prelu_(weight: Tensor): this;

  /**
   * Each element, or `alpha · (exp(x) − 1)` where it is negative.
   *
   * Defaults: `alpha = 1`.
   */
  elu(alpha?: number | Options.EluOptions): Tensor;

  /** `elu` in place. */
  elu_(alpha?: number | Options.EluOptions): this;

  /**
   * `elu` scaled so that deep networks are self-normalizing (Klambauer et al., 2017).
   */
  selu(): Tensor;

  /** `selu` in place. */
  selu_(): this;

  /**
   * `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
   *
   * Defaults: `alpha = 1`.
   */
  celu(alpha?: number | Options.CeluOptions): Tensor;

  /** `celu` in place. */
  celu_(alpha?: number | Options.CeluOptions): this;

  /**
   * `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
   *
   * Defaults: `approximate = 'none'`.
   */
  gelu(approximate?: 'none' | 'tanh' | Options.GeluOptions): Tensor;

  /** `gelu` in place. */
  gelu_(approximate?: 'none' | 'tanh' | Options.GeluOptions): this;

  /**
   * `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
   *
   * Defaults: `beta = 1`, `threshold = 20`.
   */
  softplus(beta?: number | Options.SoftplusOptions, threshold?: number | Options.SoftplusOptions): Tensor;

  /** `softplus` in place. */
  softplus_(beta?: number | Options.SoftplusOptions, threshold?: number | Options.SoftplusOptions): this;

  /**
   * `x / (1 + |x|)`.
   */
  softsign(): Tensor;

  /** `softsign` in place. */
  softsign_(): this;

  /**
   * Each element, but at least `min_val` and at most `max_val`.
   *
   * Defaults: `minVal = -1`, `maxVal = 1`.
   */
  hardtanh(minVal?: number | Options.HardtanhOptions, maxVal?: number | Options.HardtanhOptions): Tensor;

  /** `hardtanh` in place. */
  hardtanh_(minVal?: number | Options.HardtanhOptions, maxVal?: number | Options.HardtanhOptions): this;

  /**
   * Piecewise linear sigmoid: `x / 6 + 1/2`, clamped to 0 … 1.
   */
  hardsigmoid(): Tensor;

  /** `hardsigmoid` in place. */
  hardsigmoid_(): this;

  /**
   * `x · hardsigmoid(x)`.
   */
  hardswish(): Tensor;

  /** `hardswish` in place. */
  hardswish_(): this;

  /**
   * Each element, or zero where it lies within `−lambd` and `lambd`.
   *
   * Defaults: `lambd = 0.5`.
   */
  hardshrink(lambd?: number | Options.HardshrinkOptions): Tensor;

  /** `hardshrink` in place. */
  hardshrink_(lambd?: number | Options.HardshrinkOptions): this;

  /**
   * Each element moved towards zero by `lambd`, and zero where it would cross.
   *
   * Defaults: `lambd = 0.5`.
   */
  softshrink(lambd?: number | Options.SoftshrinkOptions): Tensor;

  /** `softshrink` in place. */
  softshrink_(lambd?: number | Options.SoftshrinkOptions): this;

  /**
   * `x − tanh(x)`.
   */
  tanhshrink(): Tensor;

  /** `tanhshrink` in place. */
  tanhshrink_(): this;

  /**
   * Each element where it exceeds `threshold`, else `value`.
   */
  threshold(threshold: number, value: number): Tensor;

  /** `threshold` in place. */
  threshold_(threshold: number, value: number): this;

  /**
   * Logarithm of the sigmoid, without overflow.
   */
  logsigmoid(): Tensor;

  /** `logsigmoid` in place. */
  logsigmoid_(): this;

  /**
   * First half of `dim`, times the sigmoid of the second.
   *
   * Defaults: `dim = -1`.
   */
  glu(dim?: number | Options.GluOptions): Tensor;

  /**
   * `silu` of the first half of `dim`, times the second.
   *
   * Defaults: `dim = -1`.
   */
  swiglu(dim?: number | Options.SwigluOptions): Tensor;

  /**
   * `gelu` of the first half of `dim`, times the second.
   *
   * Defaults: `dim = -1`.
   */
  geglu(dim?: number | Options.GegluOptions): Tensor;

  /**
   * Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
   *
   * Defaults: `keepdim = false`.
   */
  sum(dim?: number | readonly number[] | null | Options.SumOptions, keepdim?: boolean | Options.SumOptions, dtype?: DTypeName | null | Options.SumOptions): Tensor;

  /**
   * Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
   *
   * Defaults: `keepdim = false`.
   */
  mean(dim?: number | readonly number[] | null | Options.MeanOptions, keepdim?: boolean | Options.MeanOptions, dtype?: DTypeName | null | Options.MeanOptions): Tensor;

  /**
   * Sum over `dim` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`.
   */
  nansum(dim?: number | readonly number[] | null | Options.NansumOptions, keepdim?: boolean | Options.NansumOptions, dtype?: DTypeName | null | Options.NansumOptions): Tensor;

  /**
   * Mean over `dim` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`.
   */
  nanmean(dim?: number | readonly number[] | null | Options.NanmeanOptions, keepdim?: boolean | Options.NanmeanOptions, dtype?: DTypeName | null | Options.NanmeanOptions): Tensor;

  /**
   * Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
   * in i64. The gradient is exact even if elements are zero.
   *
   * Defaults: `keepdim = false`.
   */
  prod(dim?: number | readonly number[] | null | Options.ProdOptions, keepdim?: boolean | Options.ProdOptions, dtype?: DTypeName | null | Options.ProdOptions): Tensor;

  /**
   * Whether all elements over `dim` are true, that is, not zero.
   *
   * Defaults: `keepdim = false`.
   */
  all(dim?: number | readonly number[] | null | Options.AllOptions, keepdim?: boolean | Options.AllOptions): Tensor;

  /**
   * Whether any element over `dim` is true, that is, not zero.
   *
   * Defaults: `keepdim = false`.
   */
  any(dim?: number | readonly number[] | null | Options.AnyOptions, keepdim?: boolean | Options.AnyOptions): Tensor;

  /**
   * Number of elements over `dim` that are not zero, in i64.
   */
  countNonzero(dim?: number | readonly number[] | null | Options.CountNonzeroOptions): Tensor;

  /**
   * Logarithm of the sum of exponentials over `dim`, without overflow.
   *
   * Defaults: `keepdim = false`.
   */
  logsumexp(dim?: number | readonly number[] | null | Options.LogsumexpOptions, keepdim?: boolean | Options.LogsumexpOptions): Tensor;

  /**
   * Sum of the elements on the diagonal of a matrix.
   */
  trace(): Tensor;

  /**
   * Sums over the axes that broadcasting from `size` to the shape of `input` repeats.
   */
  sumToSize(...size: number[] | [readonly number[]]): Tensor;

  /**
   * The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
   * number, ±inf or `'fro'`, which is 2 and the default.
   *
   * Defaults: `keepdim = false`.
   */
  norm(p?: number | null | Options.NormOptions, dim?: number | readonly number[] | null | Options.NormOptions, keepdim?: boolean | Options.NormOptions, dtype?: DTypeName | null | Options.NormOptions): Tensor;

  /**
   * The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
   * smallest (−inf) magnitude, or the number of elements that are not zero (0).
   *
   * Defaults: `ord = 2`, `keepdim = false`.
   */
  vectorNorm(ord?: number | Options.VectorNormOptions, dim?: number | readonly number[] | null | Options.VectorNormOptions, keepdim?: boolean | Options.VectorNormOptions, dtype?: DTypeName | null | Options.VectorNormOptions): Tensor;

  /**
   * The `p`-norm of the difference of two tensors.
   *
   * Defaults: `p = 2`.
   */
  dist(other: Tensor, p?: number | Options.DistOptions): Tensor;

  /**
   * Largest element over `dim`, by default over all axes. Equal elements share the gradient.
   *
   * Defaults: `keepdim = false`.
   */
  amax(dim?: number | readonly number[] | null | Options.AmaxOptions, keepdim?: boolean | Options.AmaxOptions): Tensor;

  /**
   * Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
   *
   * Defaults: `keepdim = false`.
   */
  amin(dim?: number | readonly number[] | null | Options.AminOptions, keepdim?: boolean | Options.AminOptions): Tensor;

  /**
   * Smallest and largest element over `dim`, by default over all axes.
   *
   * Defaults: `keepdim = false`.
   */
  aminmax(dim?: number | null | Options.AminmaxOptions, keepdim?: boolean | Options.AminmaxOptions): [Tensor, Tensor];

  /**
   * The largest element of all; with `dim`, the largest elements along that axis and the index of
   * the first of each; with a tensor instead, the larger of each pair of elements.
   *
   * Defaults: `keepdim = false`.
   */
  max(): Tensor;
  max(dim: number, keepdim?: boolean): [Tensor, Tensor];
  max(other: Tensor): Tensor;

  /**
   * The smallest element of all; with `dim`, the smallest elements along that axis and the index of
   * the first of each; with a tensor instead, the smaller of each pair of elements.
   *
   * Defaults: `keepdim = false`.
   */
  min(): Tensor;
  min(dim: number, keepdim?: boolean): [Tensor, Tensor];
  min(other: Tensor): Tensor;

  /**
   * Index of the first largest element along `dim`, by default of all elements in order.
   *
   * Defaults: `keepdim = false`.
   */
  argmax(dim?: number | null | Options.ArgmaxOptions, keepdim?: boolean | Options.ArgmaxOptions): Tensor;

  /**
   * Index of the first smallest element along `dim`, by default of all elements in order.
   *
   * Defaults: `keepdim = false`.
   */
  argmin(dim?: number | null | Options.ArgminOptions, keepdim?: boolean | Options.ArgminOptions): Tensor;

  /**
   * Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
   * divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
   * PyTorch's older form: true is `correction` 1, false is 0.
   *
   * Defaults: `keepdim = false`.
   */
  var(dim?: number | readonly number[] | null | Options.VarOptions, correction?: number | null | Options.VarOptions, keepdim?: boolean | Options.VarOptions, unbiased?: boolean | null | Options.VarOptions): Tensor;

  /**
   * Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
   *
   * Defaults: `keepdim = false`.
   */
  std(dim?: number | readonly number[] | null | Options.StdOptions, correction?: number | null | Options.StdOptions, keepdim?: boolean | Options.StdOptions, unbiased?: boolean | null | Options.StdOptions): Tensor;

  /**
   * Variance and mean over `dim`.
   *
   * Defaults: `keepdim = false`.
   */
  varMean(dim?: number | readonly number[] | null | Options.VarMeanOptions, correction?: number | null | Options.VarMeanOptions, keepdim?: boolean | Options.VarMeanOptions, unbiased?: boolean | null | Options.VarMeanOptions): [Tensor, Tensor];

  /**
   * Standard deviation and mean over `dim`.
   *
   * Defaults: `keepdim = false`.
   */
  stdMean(dim?: number | readonly number[] | null | Options.StdMeanOptions, correction?: number | null | Options.StdMeanOptions, keepdim?: boolean | Options.StdMeanOptions, unbiased?: boolean | null | Options.StdMeanOptions): [Tensor, Tensor];

  /**
   * The median of all elements (the lower of two middle ones); with `dim`, the medians along that
   * axis and their indices. NaN if any element is.
   *
   * Defaults: `keepdim = false`.
   */
  median(): Tensor;
  median(dim: number, keepdim?: boolean): [Tensor, Tensor];

  /**
   * `median` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`.
   */
  nanmedian(): Tensor;
  nanmedian(dim: number, keepdim?: boolean): [Tensor, Tensor];

  /**
   * The most frequent value along `dim` (the smallest of several), and its last index.
   *
   * Defaults: `dim = -1`, `keepdim = false`.
   */
  mode(dim?: number | Options.ModeOptions, keepdim?: boolean | Options.ModeOptions): [Tensor, Tensor];

  /**
   * The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
   * adds a first axis. NaN if any element is.
   *
   * Defaults: `keepdim = false`, `interpolation = 'linear'`.
   */
  quantile(q: Operand, dim?: number | null | Options.QuantileOptions, keepdim?: boolean | Options.QuantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.QuantileOptions): Tensor;

  /**
   * `quantile` of the elements that are not NaN.
   *
   * Defaults: `keepdim = false`, `interpolation = 'linear'`.
   */
  nanquantile(q: Operand, dim?: number | null | Options.NanquantileOptions, keepdim?: boolean | Options.NanquantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.NanquantileOptions): Tensor;

  /**
   * Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
   * default from the smallest to the largest element. Elements outside are not counted.
   *
   * Defaults: `bins = 100`, `min = 0`, `max = 0`.
   */
  histc(bins?: number | Options.HistcOptions, min?: number | Options.HistcOptions, max?: number | Options.HistcOptions): Tensor;

  /**
   * Cumulative sum along `dim`. Integers and bools are summed in i64.
   */
  cumsum(dim: number, dtype?: DTypeName | null | Options.CumsumOptions): Tensor;

  /**
   * Cumulative product along `dim`. Integers and bools are multiplied in i64.
   */
  cumprod(dim: number, dtype?: DTypeName | null | Options.CumprodOptions): Tensor;

  /**
   * Cumulative maximum along `dim`, and its last index. After a NaN all results are NaN.
   */
  cummax(dim: number): [Tensor, Tensor];

  /**
   * Cumulative minimum along `dim`, and its last index. After a NaN all results are NaN.
   */
  cummin(dim: number): [Tensor, Tensor];

  /**
   * Logarithm of the cumulative sum of exponentials along `dim`, without overflow.
   */
  logcumsumexp(dim: number): Tensor;

  /**
   * Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
   * `append` at the ends.
   *
   * Defaults: `n = 1`, `dim = -1`.
   */
  diff(n?: number | Options.DiffOptions, dim?: number | Options.DiffOptions, prepend?: Tensor | null | Options.DiffOptions, append?: Tensor | null | Options.DiffOptions): Tensor;

  /**
   * Slopes of a function given at points along each of `dim`, by default along every axis: central
   * differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
   * distance between points, one for all axes or one for each, or for each axis a tensor with the
   * points' coordinates.
   *
   * Defaults: `edgeOrder = 1`.
   */
  gradient(spacing?: Operand | readonly Operand[] | null | Options.GradientOptions, dim?: number | readonly number[] | null | Options.GradientOptions, edgeOrder?: number | Options.GradientOptions): Tensor[];

  /**
   * Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
   * or else their distance `dx`.
   *
   * Defaults: `dx = 1`, `dim = -1`.
   */
  trapezoid(x?: Tensor | null | Options.TrapezoidOptions, dx?: number | Options.TrapezoidOptions, dim?: number | Options.TrapezoidOptions): Tensor;

  /**
   * Cumulative integral along `dim` by the trapezoid rule, from the second point on.
   *
   * Defaults: `dx = 1`, `dim = -1`.
   */
  cumulativeTrapezoid(x?: Tensor | null | Options.CumulativeTrapezoidOptions, dx?: number | Options.CumulativeTrapezoidOptions, dim?: number | Options.CumulativeTrapezoidOptions): Tensor;

  /**
   * The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
   * `stable` is.
   *
   * Defaults: `dim = -1`, `descending = false`, `stable = false`.
   */
  sort(dim?: number | Options.SortOptions, descending?: boolean | Options.SortOptions, stable?: boolean | Options.SortOptions): [Tensor, Tensor];

  /**
   * The indices that sort the elements along `dim`.
   *
   * Defaults: `dim = -1`, `descending = false`, `stable = false`.
   */
  argsort(dim?: number | Options.ArgsortOptions, descending?: boolean | Options.ArgsortOptions, stable?: boolean | Options.ArgsortOptions): Tensor;

  /**
   * The elements sorted along the first axis.
   */
  msort(): Tensor;

  /**
   * The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
   * indices. They are always sorted, whatever `sorted` is.
   *
   * Defaults: `dim = -1`, `largest = true`, `sorted = true`.
   */
  topk(k: number, dim?: number | Options.TopkOptions, largest?: boolean | Options.TopkOptions, sorted?: boolean | Options.TopkOptions): [Tensor, Tensor];

  /**
   * The `k`-th smallest element along `dim`, counted from 1, and its index.
   *
   * Defaults: `dim = -1`, `keepdim = false`.
   */
  kthvalue(k: number, dim?: number | Options.KthvalueOptions, keepdim?: boolean | Options.KthvalueOptions): [Tensor, Tensor];

  /**
   * The index at which each value of `input` would have to be inserted to keep the last axis of
   * `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
   * `side`. A sequence of several axes has one line for each line of `input`.
   *
   * Defaults: `outInt32 = false`, `right = false`.
   */
  searchsorted(input: Operand, outInt32?: boolean | Options.SearchsortedOptions, right?: boolean | Options.SearchsortedOptions, side?: 'left' | 'right' | null | Options.SearchsortedOptions, sorter?: Tensor | null | Options.SearchsortedOptions): Tensor;

  /**
   * The index of the interval between `boundaries` in which each value lies: the number of
   * boundaries less than it, or not greater if `right`.
   *
   * Defaults: `outInt32 = false`, `right = false`.
   */
  bucketize(boundaries: Tensor, outInt32?: boolean | Options.BucketizeOptions, right?: boolean | Options.BucketizeOptions): Tensor;

  /**
   * Whether each of `elements` is among `test_elements`, or is not if `invert`.
   *
   * Defaults: `assumeUnique = false`, `invert = false`.
   */
  isin(testElements: Operand, assumeUnique?: boolean | Options.IsinOptions, invert?: boolean | Options.IsinOptions): Tensor;

  /**
   * The elements, in row-major order, in another shape. One length may be −1 and is then inferred
   * from the others.
   */
  reshape(...shape: number[] | [readonly number[]]): Tensor;

  /**
   * The elements of `input` in the shape of `other`.
   */
  reshapeAs(other: Tensor): Tensor;

  /**
   * Merges the axes from `start_dim` to `end_dim` into one.
   *
   * Defaults: `startDim = 0`, `endDim = -1`.
   */
  flatten(startDim?: number | Options.FlattenOptions, endDim?: number | Options.FlattenOptions): Tensor;

  /**
   * All elements as a tensor of one axis.
   */
  ravel(): Tensor;

  /**
   * Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
   */
  unflatten(dim: number, ...sizes: number[] | [readonly number[]]): Tensor;

  /**
   * Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
   */
  permute(...dims: number[] | [readonly number[]]): Tensor;

  /**
   * Swaps two axes, by default the last two.
   *
   * Defaults: `dim0 = -2`, `dim1 = -1`.
   */
  transpose(dim0?: number | Options.TransposeOptions, dim1?: number | Options.TransposeOptions): Tensor;

  /**
   * The transpose of a matrix; scalars and vectors are returned unchanged.
   */
  t(): Tensor;

  /**
   * The transpose of each matrix in the last two axes.
   */
  adjoint(): Tensor;

  /**
   * Moves the axes `source` to the positions `destination`; the others keep their order.
   */
  movedim(source: number | readonly number[], ...destination: number[] | [readonly number[]]): Tensor;

  /**
   * Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
   */
  expand(...size: number[] | [readonly number[]]): Tensor;

  /**
   * `input` expanded to the shape of `other`.
   */
  expandAs(other: Tensor): Tensor;

  /**
   * Removes axes of length one: all of them, or those among `dim`.
   */
  squeeze(dim?: number | readonly number[] | null | Options.SqueezeOptions): Tensor;

  /**
   * Inserts an axis of length one before axis `dim` of the result.
   */
  unsqueeze(dim: number): Tensor;

  /**
   * Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
   */
  splitHeads(numHeads: number): Tensor;

  /**
   * The inverse of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
   */
  mergeHeads(): Tensor;

  /**
   * The elements as another dtype: to integers, floats are rounded towards zero; as `bool`, all but
   * zero is `true`.
   */
  to(dtype: DTypeName): Tensor;

  /**
   * The elements as `f32`.
   */
  float(): Tensor;

  /**
   * The elements as `f64`.
   */
  double(): Tensor;

  /**
   * The elements as `f16`.
   */
  half(): Tensor;

  /**
   * The elements as `bf16`.
   */
  bfloat16(): Tensor;

  /**
   * The elements as `i32`; floats are rounded towards zero.
   */
  int(): Tensor;

  /**
   * The elements as `i64`; floats are rounded towards zero.
   */
  long(): Tensor;

  /**
   * Whether each element is not zero.
   */
  toBool(): Tensor;

  /**
   * The tensor itself: tensors are immutable, and the device chooses their memory layout.
   */
  clone(): Tensor;

  /**
   * Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
   * the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
   * slice. Positions may count from the end.
   *
   * Defaults: `step = 1`.
   */
  slice(ranges: number | readonly number[] | readonly (number | readonly number[])[], start?: number | null | Options.SliceOptions, end?: number | null | Options.SliceOptions, step?: number | Options.SliceOptions): Tensor;

  /**
   * `length` elements of axis `dim` from `start` on.
   */
  narrow(dim: number, start: number, length: number): Tensor;

  /**
   * The elements at `index` of axis `dim`, which is removed.
   */
  select(dim: number, index: number): Tensor;

  /**
   * The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
   *
   * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
   */
  diagonal(offset?: number | Options.DiagonalOptions, dim1?: number | Options.DiagonalOptions, dim2?: number | Options.DiagonalOptions): Tensor;

  /**
   * Reverses the axes `dims`.
   */
  flip(...dims: number[] | [readonly number[]]): Tensor;

  /**
   * Reverses the second axis.
   */
  fliplr(): Tensor;

  /**
   * Reverses the first axis.
   */
  flipud(): Tensor;

  /**
   * Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
   * the flattened tensor is rolled.
   */
  roll(shifts: number | readonly number[], dims?: number | readonly number[] | null | Options.RollOptions): Tensor;

  /**
   * Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
   *
   * Defaults: `k = 1`, `dims = [0,1]`.
   */
  rot90(k?: number | Options.Rot90Options, dims?: number | readonly number[] | Options.Rot90Options): Tensor;

  /**
   * The whole tensor repeated along each axis. `repeats` is aligned at the last axis and may add
   * leading axes.
   */
  repeat(...repeats: number[] | [readonly number[]]): Tensor;

  /**
   * `repeat` with `dims` padded by leading ones.
   */
  tile(...dims: number[] | [readonly number[]]): Tensor;

  /**
   * Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
   * tensor, one for each position, `output_size` must be its sum.
   */
  repeatInterleave(repeats: Operand, dim?: number | null | Options.RepeatInterleaveOptions, outputSize?: number | null | Options.RepeatInterleaveOptions): Tensor;

  /**
   * Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
   */
  unfold(dimension: number, size: number, step: number): Tensor;

  /**
   * The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
   * patches]`. PyTorch's `nn.functional.unfold`.
   *
   * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
   */
  im2col(kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.Im2colOptions, padding?: number | readonly number[] | Options.Im2colOptions, stride?: number | readonly number[] | Options.Im2colOptions): Tensor;

  /**
   * Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
   * added.
   *
   * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
   */
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.FoldOptions, padding?: number | readonly number[] | Options.FoldOptions, stride?: number | readonly number[] | Options.FoldOptions): Tensor;

  /**
   * Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
   * on; negative numbers remove elements.
   *
   * Defaults: `mode = 'constant'`.
   */
  pad(pad: number | readonly number[], mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | Options.PadOptions, value?: number | null | Options.PadOptions): Tensor;

  /**
   * `pad` with a constant value.
   *
   * Defaults: `value = 'int(0)'`.
   */
  constantPadNd(pad: number | readonly number[], value?: number | Options.ConstantPadNdOptions): Tensor;

  /**
   * Splits along `dim` into parts of one size (the last may be shorter) or of a list of sizes.
   *
   * Defaults: `dim = 0`.
   */
  split(splitSizeOrSections: number | readonly number[], dim?: number | Options.SplitOptions): Tensor[];

  /**
   * Splits along `dim` into parts of the given sizes.
   *
   * Defaults: `dim = 0`.
   */
  splitWithSizes(splitSizes: number | readonly number[], dim?: number | Options.SplitWithSizesOptions): Tensor[];

  /**
   * Splits along `dim` into at most `chunks` parts of one size; the last may be shorter.
   *
   * Defaults: `dim = 0`.
   */
  chunk(chunks: number, dim?: number | Options.ChunkOptions): Tensor[];

  /**
   * Splits along `dim` into a number of parts whose sizes differ by at most one, or before each
   * position of a list.
   *
   * Defaults: `dim = 0`.
   */
  tensorSplit(indicesOrSections: number | readonly number[], dim?: number | Options.TensorSplitOptions): Tensor[];

  /**
   * Splits along the second axis, a vector along its only axis.
   */
  hsplit(...indicesOrSections: number[] | [readonly number[]]): Tensor[];

  /**
   * Splits along the first axis of a tensor of at least two axes.
   */
  vsplit(...indicesOrSections: number[] | [readonly number[]]): Tensor[];

  /**
   * Splits along the third axis.
   */
  dsplit(...indicesOrSections: number[] | [readonly number[]]): Tensor[];

  /**
   * One tensor for each index of axis `dim`, which is removed.
   *
   * Defaults: `dim = 0`.
   */
  unbind(dim?: number | Options.UnbindOptions): Tensor[];

  /**
   * `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
   *
   * Defaults: `dim = 0`, `step = 1`.
   */
  sliceScatter(src: Tensor, dim?: number | Options.SliceScatterOptions, start?: number | null | Options.SliceScatterOptions, end?: number | null | Options.SliceScatterOptions, step?: number | Options.SliceScatterOptions): Tensor;

  /**
   * `input` with the elements at `index` of axis `dim` replaced by `src`.
   */
  selectScatter(src: Tensor, dim: number, index: number): Tensor;

  /**
   * `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
   *
   * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
   */
  diagonalScatter(src: Tensor, offset?: number | Options.DiagonalScatterOptions, dim1?: number | Options.DiagonalScatterOptions, dim2?: number | Options.DiagonalScatterOptions): Tensor;

  /**
   * `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
   */
  gather(dim: number, index: Tensor): Tensor;

  /**
   * Elements by index into the flattened tensor; negative indices count from the end.
   */
  take(index: Tensor): Tensor;

  /**
   * `gather` with broadcasting of the other axes, and with negative indices that count from the end;
   * without `dim`, of the flattened tensor.
   */
  takeAlongDim(indices: Tensor, dim?: number | null | Options.TakeAlongDimOptions): Tensor;

  /**
   * The elements at the indices `index` of axis `dim`.
   */
  indexSelect(dim: number, index: Tensor): Tensor;

  /**
   * `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
   * reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
   * combines them.
   */
  scatter(dim: number, index: Tensor, src?: Operand | null | Options.ScatterOptions, value?: Operand | null | Options.ScatterOptions, reduce?: 'add' | 'multiply' | null | Options.ScatterOptions): Tensor;

  /** `scatter` in place. */
  scatter_(dim: number, index: Tensor, src?: Operand | null | Options.ScatterOptions, value?: Operand | null | Options.ScatterOptions, reduce?: 'add' | 'multiply' | null | Options.ScatterOptions): this;

  /**
   * `input` with `src` added at the indices `index` along `dim`.
   */
  scatterAdd(dim: number, index: Tensor, src: Tensor): Tensor;

  /** `scatterAdd` in place. */
  scatterAdd_(dim: number, index: Tensor, src: Tensor): this;

  /**
   * `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
   * previous values of these elements do not count.
   *
   * Defaults: `includeSelf = true`.
   */
  scatterReduce(dim: number, index: Tensor, src: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.ScatterReduceOptions): Tensor;

  /**
   * `input` with the elements of `source` written to indices of the flattened tensor, or added with
   * `accumulate`.
   *
   * Defaults: `accumulate = false`.
   */
  put(index: Tensor, source: Tensor, accumulate?: boolean | Options.PutOptions): Tensor;

  /**
   * `input` with `alpha · source` added at the indices `index` of axis `dim`.
   *
   * Defaults: `alpha = 'int(1)'`.
   */
  indexAdd(dim: number, index: Tensor, source: Tensor, alpha?: number | Options.IndexAddOptions): Tensor;

  /** `indexAdd` in place. */
  indexAdd_(dim: number, index: Tensor, source: Tensor, alpha?: number | Options.IndexAddOptions): this;

  /**
   * `input` with the elements at the indices `index` of axis `dim` replaced by `source`.
   */
  indexCopy(dim: number, index: Tensor, source: Tensor): Tensor;

  /** `indexCopy` in place. */
  indexCopy_(dim: number, index: Tensor, source: Tensor): this;

  /**
   * `input` with the elements at the indices `index` of axis `dim` replaced by `value`.
   */
  indexFill(dim: number, index: Tensor, value: Operand): Tensor;

  /** `indexFill` in place. */
  indexFill_(dim: number, index: Tensor, value: Operand): this;

  /**
   * `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
   * the previous values of these elements do not count.
   *
   * Defaults: `includeSelf = true`.
   */
  indexReduce(dim: number, index: Tensor, source: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.IndexReduceOptions): Tensor;

  /**
   * `input` with consecutive elements of `source` where `mask` is true.
   */
  maskedScatter(mask: Tensor, source: Tensor): Tensor;

  /**
   * The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
   */
  embedding(weight: Tensor, paddingIdx?: number | null | Options.EmbeddingOptions): Tensor;

  /**
   * Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
   * Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
   * equal to `padding_idx` are ignored.
   *
   * Defaults: `mode = 'mean'`, `includeLastOffset = false`.
   */
  embeddingBag(weight: Tensor, offsets?: Tensor | null | Options.EmbeddingBagOptions, mode?: 'sum' | 'mean' | 'max' | Options.EmbeddingBagOptions, perSampleWeights?: Tensor | null | Options.EmbeddingBagOptions, includeLastOffset?: boolean | Options.EmbeddingBagOptions, paddingIdx?: number | null | Options.EmbeddingBagOptions): Tensor;

  /**
   * Indices of the elements that are not zero, in order: one row for each element, or with
   * `as_tuple` one tensor for each axis.
   *
   * Defaults: `asTuple = false`.
   */
  nonzero(asTuple?: boolean | Options.NonzeroOptions): Promise<Tensor | Tensor[]>;

  /**
   * Indices of the elements that are not zero, in order, one row for each element.
   */
  argwhere(): Promise<Tensor>;

  /**
   * The elements where `mask`, broadcast against the tensor, is true, in order.
   */
  maskedSelect(mask: Tensor): Promise<Tensor>;

  /**
   * The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
   * sum of their `weights`. The result has at least `minlength` elements.
   *
   * Defaults: `minlength = 0`.
   */
  bincount(weights?: Tensor | null | Options.BincountOptions, minlength?: number | Options.BincountOptions): Promise<Tensor>;

  /**
   * The distinct values of a tensor, or slices along `dim`, in ascending order; with
   * `return_inverse` also the index of each element in this list, with `return_counts` also the
   * number of occurrences. The values are always sorted, whatever `sorted` is.
   *
   * Defaults: `sorted = true`, `returnInverse = false`, `returnCounts = false`.
   */
  unique(sorted?: boolean | Options.UniqueOptions, returnInverse?: boolean | Options.UniqueOptions, returnCounts?: boolean | Options.UniqueOptions, dim?: number | null | Options.UniqueOptions): Promise<Tensor | Tensor[]>;

  /**
   * The values of a tensor, or slices along `dim`, without those equal to the previous one; with
   * `return_inverse` also the index of each element in this list, with `return_counts` also the
   * length of each run.
   *
   * Defaults: `returnInverse = false`, `returnCounts = false`.
   */
  uniqueConsecutive(returnInverse?: boolean | Options.UniqueConsecutiveOptions, returnCounts?: boolean | Options.UniqueConsecutiveOptions, dim?: number | null | Options.UniqueConsecutiveOptions): Promise<Tensor | Tensor[]>;

  /**
   * Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
   * vector of integers. `output_size` is the length of the result, if known.
   */
  repeatInterleaveTensor(repeats: Tensor, dim?: number | null | Options.RepeatInterleaveTensorOptions, outputSize?: number | null | Options.RepeatInterleaveTensorOptions): Promise<Tensor>;

  /**
   * Matrix product of `input` and `other`, over the last axis of `input` and the second last of
   * `other`. Leading axes broadcast; a vector counts as a row on the left and as a column on the
   * right, and that axis is removed from the result.
   */
  matmul(other: Tensor): Tensor;

  /**
   * Product of two matrices, without broadcasting.
   */
  mm(mat2: Tensor): Tensor;

  /**
   * Batched matrix product of two tensors of three axes.
   */
  bmm(mat2: Tensor): Tensor;

  /**
   * Product of a matrix and a vector.
   */
  mv(vec: Tensor): Tensor;

  /**
   * Inner product of two vectors.
   */
  dot(tensor: Tensor): Tensor;

  /**
   * Outer product of two vectors: `y[i, j] = input[i] · vec2[j]`.
   */
  outer(vec2: Tensor): Tensor;

  /**
   * `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addmm(mat1: Tensor, mat2: Tensor, beta?: number | Options.AddmmOptions, alpha?: number | Options.AddmmOptions): Tensor;

  /**
   * `beta · input + alpha · (mat @ vec)`.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addmv(mat: Tensor, vec: Tensor, beta?: number | Options.AddmvOptions, alpha?: number | Options.AddmvOptions): Tensor;

  /**
   * `beta · input + alpha · outer(vec1, vec2)`.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addr(vec1: Tensor, vec2: Tensor, beta?: number | Options.AddrOptions, alpha?: number | Options.AddrOptions): Tensor;

  /**
   * `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  baddbmm(batch1: Tensor, batch2: Tensor, beta?: number | Options.BaddbmmOptions, alpha?: number | Options.BaddbmmOptions): Tensor;

  /**
   * `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
   *
   * Defaults: `beta = 1`, `alpha = 1`.
   */
  addbmm(batch1: Tensor, batch2: Tensor, beta?: number | Options.AddbmmOptions, alpha?: number | Options.AddbmmOptions): Tensor;

  /**
   * A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
   */
  linear(weight: Tensor, bias?: Tensor | null | Options.LinearOptions): Tensor;

  /**
   * A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
   */
  bilinear(input2: Tensor, weight: Tensor, bias?: Tensor | null | Options.BilinearOptions): Tensor;

  /**
   * Kronecker product: a block matrix of each element of `input` times `other`.
   */
  kron(other: Tensor): Tensor;

  /**
   * Cross product of vectors of length three along `dim`, by default the first axis of length three.
   */
  cross(other: Tensor, dim?: number | null | Options.CrossOptions): Tensor;

  /**
   * The `n`-th power of a square matrix; the identity for `n` zero.
   */
  matrixPower(n: number): Tensor;

  /**
   * Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
   * axes in two lists.
   *
   * Defaults: `dims = [[2]]`.
   */
  tensordot(b: Tensor, dims?: number | readonly number[] | readonly (number | readonly number[])[] | Options.TensordotOptions): Tensor;

  /**
   * Sums of products over the last axis of both; with a scalar, its product with the other.
   */
  inner(other: Tensor): Tensor;

  /**
   * Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
   * Leading axes broadcast.
   *
   * Defaults: `p = 2`.
   */
  cdist(x2: Tensor, p?: number | Options.CdistOptions): Tensor;

  /**
   * Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
   * vector.
   *
   * Defaults: `p = 2`.
   */
  pdist(p?: number | Options.PdistOptions): Tensor;

  /**
   * Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
   *
   * Defaults: `p = 2`, `eps = 1e-6`, `keepdim = false`.
   */
  pairwiseDistance(x2: Tensor, p?: number | Options.PairwiseDistanceOptions, eps?: number | Options.PairwiseDistanceOptions, keepdim?: boolean | Options.PairwiseDistanceOptions): Tensor;

  /**
   * Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
   * a sliding kernel. The batch axis is optional.
   *
   * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
   */
  conv1d(weight: Tensor, bias?: Tensor | null | Options.Conv1dOptions, stride?: number | readonly number[] | Options.Conv1dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv1dOptions, dilation?: number | readonly number[] | Options.Conv1dOptions, groups?: number | Options.Conv1dOptions): Tensor;

  /**
   * Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
   * products with a sliding kernel. The batch axis is optional.
   *
   * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
   */
  conv2d(weight: Tensor, bias?: Tensor | null | Options.Conv2dOptions, stride?: number | readonly number[] | Options.Conv2dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv2dOptions, dilation?: number | readonly number[] | Options.Conv2dOptions, groups?: number | Options.Conv2dOptions): Tensor;

  /**
   * Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
   * products with a sliding kernel. The batch axis is optional.
   *
   * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
   */
  conv3d(weight: Tensor, bias?: Tensor | null | Options.Conv3dOptions, stride?: number | readonly number[] | Options.Conv3dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv3dOptions, dilation?: number | readonly number[] | Options.Conv3dOptions, groups?: number | Options.Conv3dOptions): Tensor;

  /**
   * Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
   * adds the kernel to the output, `stride` apart.
   *
   * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
   */
  convTranspose1d(weight: Tensor, bias?: Tensor | null | Options.ConvTranspose1dOptions, stride?: number | readonly number[] | Options.ConvTranspose1dOptions, padding?: number | readonly number[] | Options.ConvTranspose1dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose1dOptions, groups?: number | Options.ConvTranspose1dOptions, dilation?: number | readonly number[] | Options.ConvTranspose1dOptions): Tensor;

  /**
   * Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
   * element adds the kernel to the output, `stride` apart.
   *
   * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
   */
  convTranspose2d(weight: Tensor, bias?: Tensor | null | Options.ConvTranspose2dOptions, stride?: number | readonly number[] | Options.ConvTranspose2dOptions, padding?: number | readonly number[] | Options.ConvTranspose2dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose2dOptions, groups?: number | Options.ConvTranspose2dOptions, dilation?: number | readonly number[] | Options.ConvTranspose2dOptions): Tensor;

  /**
   * Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
   * every element adds the kernel to the output, `stride` apart.
   *
   * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
   */
  convTranspose3d(weight: Tensor, bias?: Tensor | null | Options.ConvTranspose3dOptions, stride?: number | readonly number[] | Options.ConvTranspose3dOptions, padding?: number | readonly number[] | Options.ConvTranspose3dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose3dOptions, groups?: number | Options.ConvTranspose3dOptions, dilation?: number | readonly number[] | Options.ConvTranspose3dOptions): Tensor;

  /**
   * Largest element of each window along the last axis. Windows are `stride` apart, by default
   * their own size. With `return_indices` also its index.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): Tensor;

  /**
   * Largest element of each window along the last axis. Windows are `stride` apart, by default
   * their own size. With `return_indices` also its index.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool1dWithIndices(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): [Tensor, Tensor];

  /**
   * Largest element of each window over the last two axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened plane.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): Tensor;

  /**
   * Largest element of each window over the last two axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened plane.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool2dWithIndices(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): [Tensor, Tensor];

  /**
   * Largest element of each window over the last three axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened volume.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): Tensor;

  /**
   * Largest element of each window over the last three axes. Windows are `stride` apart, by
   * default their own size. With `return_indices` also its position in the flattened volume.
   *
   * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
   */
  maxPool3dWithIndices(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): [Tensor, Tensor];

  /**
   * Mean of each window along the last axis. Windows are `stride` apart, by default their own
   * size.
   *
   * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
   */
  avgPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool1dOptions, padding?: number | readonly number[] | Options.AvgPool1dOptions, ceilMode?: boolean | Options.AvgPool1dOptions, countIncludePad?: boolean | Options.AvgPool1dOptions, divisorOverride?: number | null | Options.AvgPool1dOptions): Tensor;

  /**
   * Mean of each window over the last two axes. Windows are `stride` apart, by default their
   * own size. Zeros of the padding count unless `count_include_pad` is false;
   * `divisor_override` replaces the count.
   *
   * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
   */
  avgPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool2dOptions, padding?: number | readonly number[] | Options.AvgPool2dOptions, ceilMode?: boolean | Options.AvgPool2dOptions, countIncludePad?: boolean | Options.AvgPool2dOptions, divisorOverride?: number | null | Options.AvgPool2dOptions): Tensor;

  /**
   * Mean of each window over the last three axes, as `avg_pool2d`.
   *
   * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
   */
  avgPool3d(kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool3dOptions, padding?: number | readonly number[] | Options.AvgPool3dOptions, ceilMode?: boolean | Options.AvgPool3dOptions, countIncludePad?: boolean | Options.AvgPool3dOptions, divisorOverride?: number | null | Options.AvgPool3dOptions): Tensor;

  /**
   * `norm_type`-norm of each window along the last axis.
   *
   * Defaults: `ceilMode = false`.
   */
  lpPool1d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool1dOptions, ceilMode?: boolean | Options.LpPool1dOptions): Tensor;

  /**
   * `norm_type`-norm of each window over the last two axes.
   *
   * Defaults: `ceilMode = false`.
   */
  lpPool2d(normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool2dOptions, ceilMode?: boolean | Options.LpPool2dOptions): Tensor;

  /**
   * Largest elements of `output_size` windows of nearly equal length, along the last
   * axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool1d(outputSize: number | null | readonly (number | null)[]): Tensor;

  /**
   * Largest elements of `output_size` windows of nearly equal length, along the last
   * axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool1dWithIndices(outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor];

  /**
   * Largest elements of `output_size` windows of nearly equal size, over the last two
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool2d(outputSize: number | null | readonly (number | null)[]): Tensor;

  /**
   * Largest elements of `output_size` windows of nearly equal size, over the last two
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool2dWithIndices(outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor];

  /**
   * Largest elements of `output_size` windows of nearly equal size, over the last three
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool3d(outputSize: number | null | readonly (number | null)[]): Tensor;

  /**
   * Largest elements of `output_size` windows of nearly equal size, over the last three
   * axes; `none` keeps an axis.
   *
   * Defaults: `returnIndices = false`.
   */
  adaptiveMaxPool3dWithIndices(outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor];

  /**
   * Means of `output_size` windows of nearly equal length, along the last axis.
   */
  adaptiveAvgPool1d(outputSize: number | null | readonly (number | null)[]): Tensor;

  /**
   * Means of `output_size` windows of nearly equal size, over the last two axes; `none`
   * keeps an axis.
   */
  adaptiveAvgPool2d(outputSize: number | null | readonly (number | null)[]): Tensor;

  /**
   * Means of `output_size` windows of nearly equal size, over the last three axes;
   * `none` keeps an axis.
   */
  adaptiveAvgPool3d(outputSize: number | null | readonly (number | null)[]): Tensor;

  /**
   * Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
   * `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
   * the others for any. With `align_corners` the corner elements keep their values and positions.
   * With `antialias` downsampling averages over all elements that an output element covers.
   *
   * Defaults: `mode = 'nearest'`, `antialias = false`.
   */
  interpolate(size?: number | readonly number[] | null | Options.InterpolateOptions, scaleFactor?: number | readonly number[] | null | Options.InterpolateOptions, mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.InterpolateOptions, alignCorners?: boolean | null | Options.InterpolateOptions, recomputeScaleFactor?: boolean | null | Options.InterpolateOptions, antialias?: boolean | Options.InterpolateOptions): Tensor;

  /**
   * Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
   */
  upsampleNearest(size?: number | readonly number[] | null | Options.UpsampleNearestOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleNearestOptions): Tensor;

  /**
   * Resizes by bilinear interpolation with aligned corners.
   */
  upsampleBilinear(size?: number | readonly number[] | null | Options.UpsampleBilinearOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleBilinearOptions): Tensor;

  /**
   * Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
   * number of leading axes is allowed.
   *
   * Defaults: `mode = 'bilinear'`, `antialias = false`.
   */
  resize(size: number | readonly number[], mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.ResizeOptions, antialias?: boolean | Options.ResizeOptions): Tensor;

  /**
   * Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
   * `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
   * of the corner elements, else their outer edges.
   *
   * Defaults: `mode = 'bilinear'`, `paddingMode = 'zeros'`, `alignCorners = false`.
   */
  gridSample(grid: Tensor, mode?: 'bilinear' | 'nearest' | 'bicubic' | Options.GridSampleOptions, paddingMode?: 'zeros' | 'border' | 'reflection' | Options.GridSampleOptions, alignCorners?: boolean | Options.GridSampleOptions): Tensor;

  /**
   * `grid_sample` of images with the modes as numbers, in the order of their lists.
   */
  gridSampler2d(grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor;

  /**
   * `grid_sample` of volumes with the modes as numbers, in the order of their lists.
   */
  gridSampler3d(grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor;

  /**
   * The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
   * 3]` (or volumes, `[N, 3, 4]`).
   *
   * Defaults: `alignCorners = false`.
   */
  affineGrid(size: number | readonly number[], alignCorners?: boolean | Options.AffineGridOptions): Tensor;

  /**
   * Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
   */
  pixelShuffle(upscaleFactor: number): Tensor;

  /**
   * Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
   */
  pixelUnshuffle(downscaleFactor: number): Tensor;

  /**
   * Channel shuffle of `[N, C, …]`: the channels of each of `groups` groups are distributed to all
   * groups.
   */
  channelShuffle(groups: number): Tensor;

  /**
   * The part of an image that begins at `top` and `left`; elements outside the image are zero.
   */
  crop(top: number, left: number, height: number, width: number): Tensor;

  /**
   * The centre of an image; `size` is one number for both axes or one for each. A smaller image is
   * padded with zeros.
   */
  centerCrop(...size: number[] | [readonly number[]]): Tensor;

  /**
   * Mirrors images left to right.
   */
  hflip(): Tensor;

  /**
   * Mirrors images top to bottom.
   */
  vflip(): Tensor;

  /**
   * `(input − mean) / std`, with one number for each channel, or one for all.
   */
  normalizeChannels(mean: number | readonly number[], std: number | readonly number[]): Tensor;

  /**
   * The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
   * repeated for three.
   *
   * Defaults: `numOutputChannels = 1`.
   */
  rgbToGrayscale(numOutputChannels?: number | Options.RgbToGrayscaleOptions): Tensor;

  /**
   * Repeats the one channel of images `[…, 1, H, W]` three times.
   */
  grayscaleToRgb(): Tensor;

  /**
   * Multiplies colours by a factor: 0 is black, 1 the image itself.
   */
  adjustBrightness(brightnessFactor: number): Tensor;

  /**
   * Changes the contrast by a factor: 0 is the mean brightness everywhere, 1 the image itself.
   */
  adjustContrast(contrastFactor: number): Tensor;

  /**
   * Changes the saturation by a factor: 0 is a gray image, 1 the image itself.
   */
  adjustSaturation(saturationFactor: number): Tensor;

  /**
   * Softmax along `dim`: exponentials that add up to one.
   *
   * `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
   *
   * Defaults: `dim = -1`.
   */
  softmax(dim?: number | Options.SoftmaxOptions, dtype?: DTypeName | null | Options.SoftmaxOptions): Tensor;

  /**
   * Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
   *
   * Defaults: `dim = -1`.
   */
  logSoftmax(dim?: number | Options.LogSoftmaxOptions, dtype?: DTypeName | null | Options.LogSoftmaxOptions): Tensor;

  /**
   * Softmax of the negated input: the smallest element gets the largest share.
   *
   * Defaults: `dim = -1`.
   */
  softmin(dim?: number | Options.SoftminOptions, dtype?: DTypeName | null | Options.SoftminOptions): Tensor;

  /**
   * Softmax over the last axis of scores `[…, T, S]` in which query `i` attends only to keys
   * `0..=i`.
   */
  softmaxCausal(): Tensor;

  /**
   * `input` on and below the diagonal of its last two axes, `value` above it.
   */
  whereCausal(value: number): Tensor;

  /**
   * Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
   * then scales by `weight` and shifts by `bias`.
   *
   * `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
   *
   * Defaults: `eps = 1e-5`.
   */
  layerNorm(normalizedShape: number | readonly number[], weight?: Tensor | null | Options.LayerNormOptions, bias?: Tensor | null | Options.LayerNormOptions, eps?: number | Options.LayerNormOptions): Tensor;

  /**
   * Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
   * scales by `weight`.
   *
   * `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
   */
  rmsNorm(normalizedShape: number | readonly number[], weight?: Tensor | null | Options.RmsNormOptions, eps?: number | null | Options.RmsNormOptions): Tensor;

  /**
   * Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
   * shifts by `bias`, which have one element per channel.
   *
   * While `training` it uses the mean and biased variance of the batch, else `running_mean` and
   * `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
   *
   * Defaults: `training = false`, `momentum = 0.1`, `eps = 1e-5`.
   */
  batchNorm(runningMean?: Tensor | null | Options.BatchNormOptions, runningVar?: Tensor | null | Options.BatchNormOptions, weight?: Tensor | null | Options.BatchNormOptions, bias?: Tensor | null | Options.BatchNormOptions, training?: boolean | Options.BatchNormOptions, momentum?: number | Options.BatchNormOptions, eps?: number | Options.BatchNormOptions): Tensor;

  /**
   * The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
   * the unbiased variance of the batch. An empty batch does not change them.
   *
   * Defaults: `momentum = 0.1`.
   */
  batchNormStats(runningMean: Tensor, runningVar: Tensor, momentum?: number | Options.BatchNormStatsOptions): [Tensor, Tensor];

  /**
   * Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
   * `weight` and shifts by `bias`, which have one element per channel.
   *
   * Defaults: `eps = 1e-5`.
   */
  groupNorm(numGroups: number, weight?: Tensor | null | Options.GroupNormOptions, bias?: Tensor | null | Options.GroupNormOptions, eps?: number | Options.GroupNormOptions): Tensor;

  /**
   * Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
   * and shifts by `bias`, which have one element per channel.
   *
   * With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
   * update these.
   *
   * Defaults: `useInputStats = true`, `momentum = 0.1`, `eps = 1e-5`.
   */
  instanceNorm(runningMean?: Tensor | null | Options.InstanceNormOptions, runningVar?: Tensor | null | Options.InstanceNormOptions, weight?: Tensor | null | Options.InstanceNormOptions, bias?: Tensor | null | Options.InstanceNormOptions, useInputStats?: boolean | Options.InstanceNormOptions, momentum?: number | Options.InstanceNormOptions, eps?: number | Options.InstanceNormOptions): Tensor;

  /**
   * Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
   *
   * Defaults: `p = 2`, `dim = 1`, `eps = 1e-12`.
   */
  normalize(p?: number | Options.NormalizeOptions, dim?: number | Options.NormalizeOptions, eps?: number | Options.NormalizeOptions): Tensor;

  /**
   * Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
   * `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
   *
   * Defaults: `alpha = 1e-4`, `beta = 0.75`, `k = 1`.
   */
  localResponseNorm(size: number, alpha?: number | Options.LocalResponseNormOptions, beta?: number | Options.LocalResponseNormOptions, k?: number | Options.LocalResponseNormOptions): Tensor;

  /**
   * Attention of queries `[…, L, E]` over keys `[…, S, E]` and values `[…, S, V]`:
   * `softmax(query · keyᵀ · scale + mask) · value`, shaped `[…, L, V]`. Leading axes broadcast.
   *
   * `attn_mask` broadcasts to `[…, L, S]`: true where a query attends to a key, or a number to add
   * to the score. With `is_causal` query `i` attends to keys `0..=i`. A query without keys gets
   * zeros. `scale` is `1 / sqrt(E)` if not given. With `enable_gqa`, keys and values may have fewer
   * heads (axis −3) than queries; each of them is shared by several queries. `dropout_p` is the
   * dropout probability of the attention weights, which applies also in evaluation.
   *
   * Defaults: `dropoutP = 0`, `isCausal = false`, `enableGqa = false`.
   */
  scaledDotProductAttention(key: Tensor, value: Tensor, attnMask?: Tensor | null | Options.ScaledDotProductAttentionOptions, dropoutP?: number | Options.ScaledDotProductAttentionOptions, isCausal?: boolean | Options.ScaledDotProductAttentionOptions, scale?: number | null | Options.ScaledDotProductAttentionOptions, enableGqa?: boolean | Options.ScaledDotProductAttentionOptions): Tensor;

  /**
   * Multi-head attention with all its projections, over `query` `[B, L, C]`, `key` and `value`
   * `[B, S, C]`. Returns the output `[B, L, C]` and the attention `[B, L, S]`, averaged over heads.
   *
   * `in_proj_weight` `[3C, C]` and `in_proj_bias` `[3C]` hold the projections of queries, keys and
   * values, in this order. Unlike in `scaled_dot_product_attention`, a boolean `attn_mask`, shaped
   * `[L, S]`, `[B · heads, L, S]` or so that it broadcasts to `[B, heads, L, S]`, or a boolean
   * `key_padding_mask` `[B, S]` is true where a key is *ignored*. `dropout_p` is the dropout
   * probability of the attention weights, which applies also in evaluation; the weights are
   * returned before dropout.
   *
   * Defaults: `isCausal = false`, `dropoutP = 0`.
   */
  multiHeadAttention(key: Tensor, value: Tensor, numHeads: number, inProjWeight: Tensor, inProjBias: Tensor | null | undefined, outProjWeight: Tensor, outProjBias?: Tensor | null | Options.MultiHeadAttentionOptions, attnMask?: Tensor | null | Options.MultiHeadAttentionOptions, isCausal?: boolean | Options.MultiHeadAttentionOptions, keyPaddingMask?: Tensor | null | Options.MultiHeadAttentionOptions, dropoutP?: number | Options.MultiHeadAttentionOptions): [Tensor, Tensor];

  /**
   * Rotary embedding: rotates pairs of elements of each vector of `input` `[…, T, D]` by angles
   * proportional to its position, so that products of two vectors depend only on their distance.
   *
   * Pair `i` is rotated by `position / base^(2i/D)`. `positions` broadcast to `[…, T]` and are
   * `0, 1, …, T − 1` if not given. The `layout` 'halves' pairs elements `i` and `i + D/2`,
   * 'interleaved' pairs `2i` and `2i + 1`.
   *
   * Defaults: `base = 10000`, `layout = 'halves'`.
   */
  rope(positions?: Tensor | null | Options.RopeOptions, base?: number | Options.RopeOptions, layout?: 'halves' | 'interleaved' | Options.RopeOptions): Tensor;

  /**
   * One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
   * batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
   *
   * Defaults: `nonlinearity = 'tanh'`.
   */
  rnnCell(hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.RnnCellOptions, bHh?: Tensor | null | Options.RnnCellOptions, nonlinearity?: 'tanh' | 'relu' | Options.RnnCellOptions): Tensor;

  /**
   * One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
   * an optional batch axis. The weights hold the gates r, z, n in this order.
   *
   * `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
   * `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
   */
  gruCell(hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.GruCellOptions, bHh?: Tensor | null | Options.GruCellOptions): Tensor;

  /**
   * One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
   * `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
   * Returns the new states.
   *
   * `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
   * projections of input and state with biases.
   */
  lstmCell(hx: Tensor, cx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.LstmCellOptions, bHh?: Tensor | null | Options.LstmCellOptions): [Tensor, Tensor];

  /**
   * Layers of plain recurrent cells over a sequence `[T, B, I]`, or `[B, T, I]` with `batch_first`.
   * Returns the states of the last layer at all times, and the final states of all layers.
   *
   * `hx` `[layers, B, H]` is zero if not given. `params` lists for each layer `w_ih, w_hh, b_ih,
   * b_hh` or, without biases, `w_ih, w_hh`. With `bidirectional`, a layer has such a group for each
   * direction, and its output concatenates both directions. The batch axis is optional.
   *
   * Defaults: `nonlinearity = 'tanh'`, `batchFirst = false`, `bidirectional = false`.
   */
  rnn(hx: Tensor | null | undefined, params: readonly Tensor[], nonlinearity?: 'tanh' | 'relu' | Options.RnnOptions, batchFirst?: boolean | Options.RnnOptions, bidirectional?: boolean | Options.RnnOptions): [Tensor, Tensor];

  /**
   * Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
   * in `gru_cell`.
   *
   * Defaults: `batchFirst = false`, `bidirectional = false`.
   */
  gru(hx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.GruOptions, bidirectional?: boolean | Options.GruOptions): [Tensor, Tensor];

  /**
   * Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
   * cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
   *
   * Defaults: `batchFirst = false`, `bidirectional = false`.
   */
  lstm(hx: Tensor | null | undefined, cx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.LstmOptions, bidirectional?: boolean | Options.LstmOptions): [Tensor, Tensor, Tensor];

  /**
   * Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
   *
   * Defaults: `reduction = 'mean'`.
   */
  mseLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MseLossOptions, weight?: Tensor | null | Options.MseLossOptions): Tensor;

  /**
   * Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
   *
   * Defaults: `reduction = 'mean'`.
   */
  l1Loss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.L1LossOptions, weight?: Tensor | null | Options.L1LossOptions): Tensor;

  /**
   * Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
   * `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
   *
   * Defaults: `reduction = 'mean'`, `beta = 1`.
   */
  smoothL1Loss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SmoothL1LossOptions, beta?: number | Options.SmoothL1LossOptions): Tensor;

  /**
   * Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
   * `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
   *
   * Defaults: `reduction = 'mean'`, `delta = 1`.
   */
  huberLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.HuberLossOptions, delta?: number | Options.HuberLossOptions, weight?: Tensor | null | Options.HuberLossOptions): Tensor;

  /**
   * Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
   * `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
   *
   * Defaults: `reduction = 'mean'`, `logTarget = false`.
   */
  klDiv(target: Tensor, reduction?: 'mean' | 'batchmean' | 'sum' | 'none' | Options.KlDivOptions, logTarget?: boolean | Options.KlDivOptions): Tensor;

  /**
   * Negative log-likelihood of `target` under normal distributions of mean `input` and variance
   * `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
   *
   * `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
   *
   * Defaults: `full = false`, `eps = 1e-6`, `reduction = 'mean'`.
   */
  gaussianNllLoss(target: Tensor, var_: Operand, full?: boolean | Options.GaussianNllLossOptions, eps?: number | Options.GaussianNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.GaussianNllLossOptions): Tensor;

  /**
   * Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
   * or `input − target · log(input + eps)` where `log_input` is false.
   *
   * `full` adds Stirling's approximation of `log(target!)` where the target is above one.
   *
   * Defaults: `logInput = true`, `full = false`, `eps = 1e-8`, `reduction = 'mean'`.
   */
  poissonNllLoss(target: Tensor, logInput?: boolean | Options.PoissonNllLossOptions, full?: boolean | Options.PoissonNllLossOptions, eps?: number | Options.PoissonNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.PoissonNllLossOptions): Tensor;

  /**
   * Cross entropy of scores `input` `[N, C, …]` (or `[C]`) and classes: `−log(softmax(input))` at
   * `target`, which holds a class for each score vector, or a probability for each score. Floats of
   * the shape of `input` are probabilities, otherwise classes.
   *
   * Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
   * divides by the sum of the weights. `label_smoothing` mixes the target with the uniform
   * distribution.
   *
   * Defaults: `ignoreIndex = -100`, `reduction = 'mean'`, `labelSmoothing = 0`.
   */
  crossEntropy(target: Tensor, weight?: Tensor | null | Options.CrossEntropyOptions, ignoreIndex?: number | Options.CrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CrossEntropyOptions, labelSmoothing?: number | Options.CrossEntropyOptions): Tensor;

  /**
   * Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
   * log-probabilities, at the class `target`.
   *
   * Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
   * divides by the sum of the weights.
   *
   * Defaults: `ignoreIndex = -100`, `reduction = 'mean'`.
   */
  nllLoss(target: Tensor, weight?: Tensor | null | Options.NllLossOptions, ignoreIndex?: number | Options.NllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.NllLossOptions): Tensor;

  /**
   * Cross entropy of probabilities and labels between 0 and 1:
   * `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
   *
   * Logarithms are clamped to at least −100, and the gradient stays finite.
   *
   * Defaults: `reduction = 'mean'`.
   */
  binaryCrossEntropy(target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyOptions): Tensor;

  /**
   * `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
   * `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
   *
   * `pos_weight` multiplies the term of `target`.
   *
   * Defaults: `reduction = 'mean'`.
   */
  binaryCrossEntropyWithLogits(target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyWithLogitsOptions, posWeight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions): Tensor;

  /**
   * Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
   *
   * Defaults: `margin = 1`, `reduction = 'mean'`.
   */
  hingeLoss(target: Tensor, margin?: number | Options.HingeLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeLossOptions): Tensor;

  /**
   * Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
   *
   * Defaults: `reduction = 'mean'`.
   */
  softMarginLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SoftMarginLossOptions): Tensor;

  /**
   * Multi-class margin loss, which asks the score of the class `target` to exceed each other score
   * by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
   * input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
   *
   * Defaults: `p = 1`, `margin = 1`, `reduction = 'mean'`.
   */
  multiMarginLoss(target: Tensor, p?: number | Options.MultiMarginLossOptions, margin?: number | Options.MultiMarginLossOptions, weight?: Tensor | null | Options.MultiMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultiMarginLossOptions): Tensor;

  /**
   * Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
   * for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
   * target `t` and another class `c`.
   *
   * Each row of `target`, shaped like the input, lists classes and ends with the first −1.
   *
   * Defaults: `reduction = 'mean'`.
   */
  multilabelMarginLoss(target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelMarginLossOptions): Tensor;

  /**
   * `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
   * a `weight` for each class.
   *
   * Defaults: `reduction = 'mean'`.
   */
  multilabelSoftMarginLoss(target: Tensor, weight?: Tensor | null | Options.MultilabelSoftMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelSoftMarginLossOptions): Tensor;

  /**
   * Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
   *
   * Defaults: `dim = 1`, `eps = 1e-8`.
   */
  cosineSimilarity(x2: Tensor, dim?: number | Options.CosineSimilarityOptions, eps?: number | Options.CosineSimilarityOptions): Tensor;

  /**
   * Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
   *
   * Defaults: `margin = 0`, `reduction = 'mean'`.
   */
  cosineEmbeddingLoss(input2: Tensor, target: Tensor, margin?: number | Options.CosineEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CosineEmbeddingLossOptions): Tensor;

  /**
   * Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
   * it is −1.
   *
   * Defaults: `margin = 1`, `reduction = 'mean'`.
   */
  hingeEmbeddingLoss(target: Tensor, margin?: number | Options.HingeEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeEmbeddingLossOptions): Tensor;

  /**
   * Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
   * smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
   *
   * Defaults: `margin = 0`, `reduction = 'mean'`.
   */
  marginRankingLoss(input2: Tensor, target: Tensor, margin?: number | Options.MarginRankingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MarginRankingLossOptions): Tensor;

  /**
   * Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
   * `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
   *
   * Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
   * is used if it is smaller than that of anchor and negative.
   *
   * Defaults: `margin = 1`, `p = 2`, `eps = 1e-6`, `swap = false`, `reduction = 'mean'`.
   */
  tripletMarginLoss(positive: Tensor, negative: Tensor, margin?: number | Options.TripletMarginLossOptions, p?: number | Options.TripletMarginLossOptions, eps?: number | Options.TripletMarginLossOptions, swap?: boolean | Options.TripletMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.TripletMarginLossOptions): Tensor;

  /** Another name for `mul`. */
  multiply: this['mul'];
  /** Another name for `mul_`. */
  multiply_: this['mul_'];
  /** Another name for `mul`. */
  mulScalar: this['mul'];
  /** Another name for `mul_`. */
  mulScalar_: this['mul_'];
  /** Another name for `mul`. */
  mul_scalar: this['mul'];
  /** Another name for `mul_`. */
  mul_scalar_: this['mul_'];
  /** Another name for `floorDivide`. */
  floor_divide: this['floorDivide'];
  /** Another name for `floorDivide_`. */
  floor_divide_: this['floorDivide_'];
  /** Another name for `atan2`. */
  arctan2: this['atan2'];
  /** Another name for `atan2_`. */
  arctan2_: this['atan2_'];
  /** Another name for `eq`. */
  equal: this['eq'];
  /** Another name for `eq_`. */
  equal_: this['eq_'];
  /** Another name for `ne`. */
  notEqual: this['ne'];
  /** Another name for `ne_`. */
  notEqual_: this['ne_'];
  /** Another name for `ne`. */
  not_equal: this['ne'];
  /** Another name for `ne_`. */
  not_equal_: this['ne_'];
  /** Another name for `lt`. */
  less: this['lt'];
  /** Another name for `lt_`. */
  less_: this['lt_'];
  /** Another name for `le`. */
  lessEqual: this['le'];
  /** Another name for `le_`. */
  lessEqual_: this['le_'];
  /** Another name for `le`. */
  less_equal: this['le'];
  /** Another name for `le_`. */
  less_equal_: this['le_'];
  /** Another name for `gt`. */
  greater: this['gt'];
  /** Another name for `gt_`. */
  greater_: this['gt_'];
  /** Another name for `ge`. */
  greaterEqual: this['ge'];
  /** Another name for `ge_`. */
  greaterEqual_: this['ge_'];
  /** Another name for `ge`. */
  greater_equal: this['ge'];
  /** Another name for `ge_`. */
  greater_equal_: this['ge_'];
  /** Another name for `bitwiseAnd`. */
  bitwise_and: this['bitwiseAnd'];
  /** Another name for `bitwiseAnd_`. */
  bitwise_and_: this['bitwiseAnd_'];
  /** Another name for `bitwiseOr`. */
  bitwise_or: this['bitwiseOr'];
  /** Another name for `bitwiseOr_`. */
  bitwise_or_: this['bitwiseOr_'];
  /** Another name for `bitwiseXor`. */
  bitwise_xor: this['bitwiseXor'];
  /** Another name for `bitwiseXor_`. */
  bitwise_xor_: this['bitwiseXor_'];
  /** Another name for `bitwiseNot`. */
  bitwise_not: this['bitwiseNot'];
  /** Another name for `bitwiseNot_`. */
  bitwise_not_: this['bitwiseNot_'];
  /** Another name for `bitwiseLeftShift`. */
  bitwise_left_shift: this['bitwiseLeftShift'];
  /** Another name for `bitwiseLeftShift_`. */
  bitwise_left_shift_: this['bitwiseLeftShift_'];
  /** Another name for `bitwiseRightShift`. */
  bitwise_right_shift: this['bitwiseRightShift'];
  /** Another name for `bitwiseRightShift_`. */
  bitwise_right_shift_: this['bitwiseRightShift_'];
  /** Another name for `neg`. */
  negative: this['neg'];
  /** Another name for `neg_`. */
  negative_: this['neg_'];
  /** Another name for `abs`. */
  absolute: this['abs'];
  /** Another name for `abs_`. */
  absolute_: this['abs_'];
  /** Another name for `sign`. */
  sgn: this['sign'];
  /** Another name for `sign_`. */
  sgn_: this['sign_'];
  /** Another name for `asin`. */
  arcsin: this['asin'];
  /** Another name for `asin_`. */
  arcsin_: this['asin_'];
  /** Another name for `acos`. */
  arccos: this['acos'];
  /** Another name for `acos_`. */
  arccos_: this['acos_'];
  /** Another name for `atan`. */
  arctan: this['atan'];
  /** Another name for `atan_`. */
  arctan_: this['atan_'];
  /** Another name for `asinh`. */
  arcsinh: this['asinh'];
  /** Another name for `asinh_`. */
  arcsinh_: this['asinh_'];
  /** Another name for `acosh`. */
  arccosh: this['acosh'];
  /** Another name for `acosh_`. */
  arccosh_: this['acosh_'];
  /** Another name for `atanh`. */
  arctanh: this['atanh'];
  /** Another name for `atanh_`. */
  arctanh_: this['atanh_'];
  /** Another name for `geluTanh`. */
  gelu_tanh: this['geluTanh'];
  /** Another name for `geluTanh_`. */
  gelu_tanh_: this['geluTanh_'];
  /** Another name for `silu`. */
  swish: this['silu'];
  /** Another name for `silu_`. */
  swish_: this['silu_'];
  /** Another name for `trunc`. */
  fix: this['trunc'];
  /** Another name for `trunc_`. */
  fix_: this['trunc_'];
  /** Another name for `zerosLike`. */
  zeros_like: this['zerosLike'];
  /** Another name for `zerosLike`. */
  emptyLike: this['zerosLike'];
  /** Another name for `zerosLike`. */
  empty_like: this['zerosLike'];
  /** Another name for `onesLike`. */
  ones_like: this['onesLike'];
  /** Another name for `fullLike`. */
  full_like: this['fullLike'];
  /** Another name for `newZeros`. */
  new_zeros: this['newZeros'];
  /** Another name for `newZeros`. */
  newEmpty: this['newZeros'];
  /** Another name for `newZeros`. */
  new_empty: this['newZeros'];
  /** Another name for `newOnes`. */
  new_ones: this['newOnes'];
  /** Another name for `newFull`. */
  new_full: this['newFull'];
  /** Another name for `oneHot`. */
  one_hot: this['oneHot'];
  /** Another name for `diagEmbed`. */
  diag_embed: this['diagEmbed'];
  /** Another name for `randLike`. */
  rand_like: this['randLike'];
  /** Another name for `randnLike`. */
  randn_like: this['randnLike'];
  /** Another name for `randintLike`. */
  randint_like: this['randintLike'];
  /** Another name for `gumbelSoftmax`. */
  gumbel_softmax: this['gumbelSoftmax'];
  /** Another name for `featureDropout`. */
  feature_dropout: this['featureDropout'];
  /** Another name for `featureDropout`. */
  dropout2d: this['featureDropout'];
  /** Another name for `alphaDropout`. */
  alpha_dropout: this['alphaDropout'];
  /** Another name for `featureAlphaDropout`. */
  feature_alpha_dropout: this['featureAlphaDropout'];
  /** Another name for `add`. */
  addScalar: this['add'];
  /** Another name for `add_`. */
  addScalar_: this['add_'];
  /** Another name for `add`. */
  add_scalar: this['add'];
  /** Another name for `add_`. */
  add_scalar_: this['add_'];
  /** Another name for `sub`. */
  subtract: this['sub'];
  /** Another name for `sub_`. */
  subtract_: this['sub_'];
  /** Another name for `div`. */
  divide: this['div'];
  /** Another name for `div_`. */
  divide_: this['div_'];
  /** Another name for `div`. */
  trueDivide: this['div'];
  /** Another name for `div_`. */
  trueDivide_: this['div_'];
  /** Another name for `div`. */
  true_divide: this['div'];
  /** Another name for `div_`. */
  true_divide_: this['div_'];
  /** Another name for `floatPower`. */
  float_power: this['floatPower'];
  /** Another name for `floatPower_`. */
  float_power_: this['floatPower_'];
  /** Another name for `nanToNum`. */
  nan_to_num: this['nanToNum'];
  /** Another name for `nanToNum_`. */
  nan_to_num_: this['nanToNum_'];
  /** Another name for `digamma`. */
  psi: this['digamma'];
  /** Another name for `digamma_`. */
  psi_: this['digamma_'];
  /** Another name for `clamp`. */
  clip: this['clamp'];
  /** Another name for `clamp_`. */
  clip_: this['clamp_'];
  /** Another name for `clampMin`. */
  clamp_min: this['clampMin'];
  /** Another name for `clampMin_`. */
  clamp_min_: this['clampMin_'];
  /** Another name for `clampMax`. */
  clamp_max: this['clampMax'];
  /** Another name for `clampMax_`. */
  clamp_max_: this['clampMax_'];
  /** Another name for `maskedFill`. */
  masked_fill: this['maskedFill'];
  /** Another name for `maskedFill_`. */
  masked_fill_: this['maskedFill_'];
  /** Another name for `logicalAnd`. */
  logical_and: this['logicalAnd'];
  /** Another name for `logicalAnd_`. */
  logical_and_: this['logicalAnd_'];
  /** Another name for `logicalOr`. */
  logical_or: this['logicalOr'];
  /** Another name for `logicalOr_`. */
  logical_or_: this['logicalOr_'];
  /** Another name for `logicalXor`. */
  logical_xor: this['logicalXor'];
  /** Another name for `logicalXor_`. */
  logical_xor_: this['logicalXor_'];
  /** Another name for `logicalNot`. */
  logical_not: this['logicalNot'];
  /** Another name for `logicalNot_`. */
  logical_not_: this['logicalNot_'];
  /** Another name for `leakyRelu`. */
  leaky_relu: this['leakyRelu'];
  /** Another name for `leakyRelu_`. */
  leaky_relu_: this['leakyRelu_'];
  /** Another name for `hardsigmoid`. */
  hardSigmoid: this['hardsigmoid'];
  /** Another name for `hardsigmoid_`. */
  hardSigmoid_: this['hardsigmoid_'];
  /** Another name for `hardsigmoid`. */
  hard_sigmoid: this['hardsigmoid'];
  /** Another name for `hardsigmoid_`. */
  hard_sigmoid_: this['hardsigmoid_'];
  /** Another name for `hardswish`. */
  hardSwish: this['hardswish'];
  /** Another name for `hardswish_`. */
  hardSwish_: this['hardswish_'];
  /** Another name for `hardswish`. */
  hard_swish: this['hardswish'];
  /** Another name for `hardswish_`. */
  hard_swish_: this['hardswish_'];
  /** Another name for `logsigmoid`. */
  logSigmoid: this['logsigmoid'];
  /** Another name for `logsigmoid_`. */
  logSigmoid_: this['logsigmoid_'];
  /** Another name for `logsigmoid`. */
  log_sigmoid: this['logsigmoid'];
  /** Another name for `logsigmoid_`. */
  log_sigmoid_: this['logsigmoid_'];
  /** Another name for `countNonzero`. */
  count_nonzero: this['countNonzero'];
  /** Another name for `sumToSize`. */
  sum_to_size: this['sumToSize'];
  /** Another name for `sumToSize`. */
  sumToShape: this['sumToSize'];
  /** Another name for `sumToSize`. */
  sum_to_shape: this['sumToSize'];
  /** Another name for `vectorNorm`. */
  vector_norm: this['vectorNorm'];
  /** Another name for `varMean`. */
  var_mean: this['varMean'];
  /** Another name for `stdMean`. */
  std_mean: this['stdMean'];
  /** Another name for `trapezoid`. */
  trapz: this['trapezoid'];
  /** Another name for `cumulativeTrapezoid`. */
  cumulative_trapezoid: this['cumulativeTrapezoid'];
  /** Another name for `reshape`. */
  view: this['reshape'];
  /** Another name for `reshapeAs`. */
  reshape_as: this['reshapeAs'];
  /** Another name for `reshapeAs`. */
  viewAs: this['reshapeAs'];
  /** Another name for `reshapeAs`. */
  view_as: this['reshapeAs'];
  /** Another name for `transpose`. */
  swapaxes: this['transpose'];
  /** Another name for `transpose`. */
  swapAxes: this['transpose'];
  /** Another name for `transpose`. */
  swap_axes: this['transpose'];
  /** Another name for `transpose`. */
  swapdims: this['transpose'];
  /** Another name for `movedim`. */
  moveaxis: this['movedim'];
  /** Another name for `expand`. */
  broadcastTo: this['expand'];
  /** Another name for `expand`. */
  broadcast_to: this['expand'];
  /** Another name for `expandAs`. */
  expand_as: this['expandAs'];
  /** Another name for `splitHeads`. */
  split_heads: this['splitHeads'];
  /** Another name for `mergeHeads`. */
  merge_heads: this['mergeHeads'];
  /** Another name for `to`. */
  cast: this['to'];
  /** Another name for `to`. */
  astype: this['to'];
  /** Another name for `toBool`. */
  to_bool: this['toBool'];
  /** Another name for `toBool`. */
  bool: this['toBool'];
  /** Another name for `clone`. */
  contiguous: this['clone'];
  /** Another name for `slice`. */
  shrink: this['slice'];
  /** Another name for `repeatInterleave`. */
  repeat_interleave: this['repeatInterleave'];
  /** Another name for `fold`. */
  col2im: this['fold'];
  /** Another name for `constantPadNd`. */
  constant_pad_nd: this['constantPadNd'];
  /** Another name for `split`. */
  unsafeSplit: this['split'];
  /** Another name for `split`. */
  unsafe_split: this['split'];
  /** Another name for `splitWithSizes`. */
  split_with_sizes: this['splitWithSizes'];
  /** Another name for `chunk`. */
  unsafeChunk: this['chunk'];
  /** Another name for `chunk`. */
  unsafe_chunk: this['chunk'];
  /** Another name for `tensorSplit`. */
  tensor_split: this['tensorSplit'];
  /** Another name for `sliceScatter`. */
  slice_scatter: this['sliceScatter'];
  /** Another name for `sliceScatter`. */
  sliceSet: this['sliceScatter'];
  /** Another name for `sliceScatter`. */
  slice_set: this['sliceScatter'];
  /** Another name for `selectScatter`. */
  select_scatter: this['selectScatter'];
  /** Another name for `diagonalScatter`. */
  diagonal_scatter: this['diagonalScatter'];
  /** Another name for `takeAlongDim`. */
  take_along_dim: this['takeAlongDim'];
  /** Another name for `takeAlongDim`. */
  takeAlongAxis: this['takeAlongDim'];
  /** Another name for `takeAlongDim`. */
  take_along_axis: this['takeAlongDim'];
  /** Another name for `indexSelect`. */
  index_select: this['indexSelect'];
  /** Another name for `scatterAdd`. */
  scatter_add: this['scatterAdd'];
  /** Another name for `scatterAdd_`. */
  scatter_add_: this['scatterAdd_'];
  /** Another name for `scatterReduce`. */
  scatter_reduce: this['scatterReduce'];
  /** Another name for `indexAdd`. */
  index_add: this['indexAdd'];
  /** Another name for `indexAdd_`. */
  index_add_: this['indexAdd_'];
  /** Another name for `indexCopy`. */
  index_copy: this['indexCopy'];
  /** Another name for `indexCopy_`. */
  index_copy_: this['indexCopy_'];
  /** Another name for `indexFill`. */
  index_fill: this['indexFill'];
  /** Another name for `indexFill_`. */
  index_fill_: this['indexFill_'];
  /** Another name for `indexReduce`. */
  index_reduce: this['indexReduce'];
  /** Another name for `maskedScatter`. */
  masked_scatter: this['maskedScatter'];
  /** Another name for `embeddingBag`. */
  embedding_bag: this['embeddingBag'];
  /** Another name for `maskedSelect`. */
  masked_select: this['maskedSelect'];
  /** Another name for `uniqueConsecutive`. */
  unique_consecutive: this['uniqueConsecutive'];
  /** Another name for `repeatInterleaveTensor`. */
  repeat_interleave_tensor: this['repeatInterleaveTensor'];
  /** Another name for `matmul`. */
  matmulBatched: this['matmul'];
  /** Another name for `matmul`. */
  matmul_batched: this['matmul'];
  /** Another name for `dot`. */
  vdot: this['dot'];
  /** Another name for `outer`. */
  ger: this['outer'];
  /** Another name for `matrixPower`. */
  matrix_power: this['matrixPower'];
  /** Another name for `pairwiseDistance`. */
  pairwise_distance: this['pairwiseDistance'];
  /** Another name for `convTranspose1d`. */
  conv_transpose1d: this['convTranspose1d'];
  /** Another name for `convTranspose2d`. */
  conv_transpose2d: this['convTranspose2d'];
  /** Another name for `convTranspose3d`. */
  conv_transpose3d: this['convTranspose3d'];
  /** Another name for `maxPool1d`. */
  max_pool1d: this['maxPool1d'];
  /** Another name for `maxPool2d`. */
  max_pool2d: this['maxPool2d'];
  /** Another name for `maxPool3d`. */
  max_pool3d: this['maxPool3d'];
  /** Another name for `avgPool1d`. */
  avg_pool1d: this['avgPool1d'];
  /** Another name for `avgPool2d`. */
  avg_pool2d: this['avgPool2d'];
  /** Another name for `avgPool3d`. */
  avg_pool3d: this['avgPool3d'];
  /** Another name for `lpPool1d`. */
  lp_pool1d: this['lpPool1d'];
  /** Another name for `lpPool2d`. */
  lp_pool2d: this['lpPool2d'];
  /** Another name for `adaptiveMaxPool1d`. */
  adaptive_max_pool1d: this['adaptiveMaxPool1d'];
  /** Another name for `adaptiveMaxPool2d`. */
  adaptive_max_pool2d: this['adaptiveMaxPool2d'];
  /** Another name for `adaptiveMaxPool3d`. */
  adaptive_max_pool3d: this['adaptiveMaxPool3d'];
  /** Another name for `adaptiveAvgPool1d`. */
  adaptive_avg_pool1d: this['adaptiveAvgPool1d'];
  /** Another name for `adaptiveAvgPool2d`. */
  adaptive_avg_pool2d: this['adaptiveAvgPool2d'];
  /** Another name for `adaptiveAvgPool3d`. */
  adaptive_avg_pool3d: this['adaptiveAvgPool3d'];
  /** Another name for `interpolate`. */
  upsample: this['interpolate'];
  /** Another name for `upsampleNearest`. */
  upsample_nearest: this['upsampleNearest'];
  /** Another name for `upsampleBilinear`. */
  upsample_bilinear: this['upsampleBilinear'];
  /** Another name for `gridSample`. */
  grid_sample: this['gridSample'];
  /** Another name for `gridSampler2d`. */
  grid_sampler_2d: this['gridSampler2d'];
  /** Another name for `gridSampler3d`. */
  grid_sampler_3d: this['gridSampler3d'];
  /** Another name for `affineGrid`. */
  affine_grid: this['affineGrid'];
  /** Another name for `pixelShuffle`. */
  pixel_shuffle: this['pixelShuffle'];
  /** Another name for `pixelUnshuffle`. */
  pixel_unshuffle: this['pixelUnshuffle'];
  /** Another name for `channelShuffle`. */
  channel_shuffle: this['channelShuffle'];
  /** Another name for `channelShuffle`. */
  nativeChannelShuffle: this['channelShuffle'];
  /** Another name for `channelShuffle`. */
  native_channel_shuffle: this['channelShuffle'];
  /** Another name for `centerCrop`. */
  center_crop: this['centerCrop'];
  /** Another name for `normalizeChannels`. */
  normalize_channels: this['normalizeChannels'];
  /** Another name for `rgbToGrayscale`. */
  rgb_to_grayscale: this['rgbToGrayscale'];
  /** Another name for `grayscaleToRgb`. */
  grayscale_to_rgb: this['grayscaleToRgb'];
  /** Another name for `adjustBrightness`. */
  adjust_brightness: this['adjustBrightness'];
  /** Another name for `adjustContrast`. */
  adjust_contrast: this['adjustContrast'];
  /** Another name for `adjustSaturation`. */
  adjust_saturation: this['adjustSaturation'];
  /** Another name for `logSoftmax`. */
  log_softmax: this['logSoftmax'];
  /** Another name for `logSoftmax`. */
  logSoftmaxLast: this['logSoftmax'];
  /** Another name for `logSoftmax`. */
  log_softmax_last: this['logSoftmax'];
  /** Another name for `softmaxCausal`. */
  softmax_causal: this['softmaxCausal'];
  /** Another name for `softmaxCausal`. */
  softmaxCausalLast: this['softmaxCausal'];
  /** Another name for `softmaxCausal`. */
  softmax_causal_last: this['softmaxCausal'];
  /** Another name for `whereCausal`. */
  where_causal: this['whereCausal'];
  /** Another name for `layerNorm`. */
  layer_norm: this['layerNorm'];
  /** Another name for `rmsNorm`. */
  rms_norm: this['rmsNorm'];
  /** Another name for `batchNorm`. */
  batch_norm: this['batchNorm'];
  /** Another name for `batchNormStats`. */
  batch_norm_stats: this['batchNormStats'];
  /** Another name for `groupNorm`. */
  group_norm: this['groupNorm'];
  /** Another name for `instanceNorm`. */
  instance_norm: this['instanceNorm'];
  /** Another name for `localResponseNorm`. */
  local_response_norm: this['localResponseNorm'];
  /** Another name for `scaledDotProductAttention`. */
  scaled_dot_product_attention: this['scaledDotProductAttention'];
  /** Another name for `multiHeadAttention`. */
  multi_head_attention: this['multiHeadAttention'];
  /** Another name for `rnnCell`. */
  rnn_cell: this['rnnCell'];
  /** Another name for `gruCell`. */
  gru_cell: this['gruCell'];
  /** Another name for `lstmCell`. */
  lstm_cell: this['lstmCell'];
  /** Another name for `mseLoss`. */
  mse_loss: this['mseLoss'];
  /** Another name for `l1Loss`. */
  l1_loss: this['l1Loss'];
  /** Another name for `smoothL1Loss`. */
  smooth_l1_loss: this['smoothL1Loss'];
  /** Another name for `huberLoss`. */
  huber_loss: this['huberLoss'];
  /** Another name for `klDiv`. */
  kl_div: this['klDiv'];
  /** Another name for `gaussianNllLoss`. */
  gaussian_nll_loss: this['gaussianNllLoss'];
  /** Another name for `poissonNllLoss`. */
  poisson_nll_loss: this['poissonNllLoss'];
  /** Another name for `crossEntropy`. */
  cross_entropy: this['crossEntropy'];
  /** Another name for `nllLoss`. */
  nll_loss: this['nllLoss'];
  /** Another name for `binaryCrossEntropy`. */
  binary_cross_entropy: this['binaryCrossEntropy'];
  /** Another name for `binaryCrossEntropyWithLogits`. */
  binary_cross_entropy_with_logits: this['binaryCrossEntropyWithLogits'];
  /** Another name for `hingeLoss`. */
  hinge_loss: this['hingeLoss'];
  /** Another name for `softMarginLoss`. */
  soft_margin_loss: this['softMarginLoss'];
  /** Another name for `multiMarginLoss`. */
  multi_margin_loss: this['multiMarginLoss'];
  /** Another name for `multilabelMarginLoss`. */
  multilabel_margin_loss: this['multilabelMarginLoss'];
  /** Another name for `multilabelSoftMarginLoss`. */
  multilabel_soft_margin_loss: this['multilabelSoftMarginLoss'];
  /** Another name for `cosineSimilarity`. */
  cosine_similarity: this['cosineSimilarity'];
  /** Another name for `cosineEmbeddingLoss`. */
  cosine_embedding_loss: this['cosineEmbeddingLoss'];
  /** Another name for `hingeEmbeddingLoss`. */
  hinge_embedding_loss: this['hingeEmbeddingLoss'];
  /** Another name for `marginRankingLoss`. */
  margin_ranking_loss: this['marginRankingLoss'];
  /** Another name for `tripletMarginLoss`. */
  triplet_margin_loss: this['tripletMarginLoss'];
}

/**
 * A line for each op, in the order of their numbers, empty where there is no method: its names with underscores, then
 * how many parameters it has, what it gives if that is not one tensor (`p`air, `t`riple, `l`ist, `v`aried, `r`eading),
 * `*` if the last parameter is a list that may be written out, `_` if there is a form in place, `+` if there is one
 * `WithIndices`.
 */
export const METHODS = `mul,multiply,mul_scalar,1_
floor_divide,1_
remainder,1_
fmod,1_
maximum,1_
minimum,1_
atan2,arctan2,1_
hypot,1_
copysign,1_
logaddexp,1_
xlogy,1_
eq,equal,1_
ne,not_equal,1_
lt,less,1_
le,less_equal,1_
gt,greater,1_
ge,greater_equal,1_
bitwise_and,1_
bitwise_or,1_
bitwise_xor,1_
bitwise_not,0_
bitwise_left_shift,1_
bitwise_right_shift,1_
neg,negative,0_
abs,absolute,0_
sign,sgn,0_
reciprocal,0_
sqrt,0_
rsqrt,0_
exp,0_
exp2,0_
expm1,0_
log,0_
log2,0_
log10,0_
log1p,0_
sin,0_
cos,0_
tan,0_
asin,arcsin,0_
acos,arccos,0_
atan,arctan,0_
sinh,0_
cosh,0_
tanh,0_
asinh,arcsinh,0_
acosh,arccosh,0_
atanh,arctanh,0_
erf,0_
erfc,0_
erfinv,0_
lgamma,0_
sigmoid,0_
relu,0_
gelu_tanh,0_
silu,swish,0_
mish,0_
floor,0_
ceil,0_
trunc,fix,0_



zeros_like,empty_like,1
ones_like,1
full_like,2
new_zeros,new_empty,2
new_ones,2
new_full,3

fill,1_




tril,1_
triu,1_


one_hot,1


combinations,2
diag,1
diag_embed,3
diagflat,1




rand_like,1
randn_like,1
randint_like,3




exponential,1_
bernoulli,0_
multinomial,2
categorical,0
gumbel_softmax,3
dropout,2_
feature_dropout,dropout2d,2
dropout1d,2
dropout3d,2
alpha_dropout,2
feature_alpha_dropout,2
add,add_scalar,2_
sub,subtract,2_
rsub,2_
div,divide,true_divide,2_
pow,1_
float_power,1_
square,0_
lerp,2_
addcmul,3_
addcdiv,3_
positive,0_
frac,0_
deg2rad,0_
rad2deg,0_
sinc,0_
ldexp,1_
logaddexp2,1_
logit,1_
nan_to_num,3_
round,1_
digamma,psi,0_

xlog1py,1_
clamp,clip,2_
clamp_min,1_
clamp_max,1_
fmax,1_
fmin,1_

masked_fill,2_
heaviside,1_
isnan,0
isinf,0
isfinite,0
isposinf,0
isneginf,0
isreal,0
signbit,0_
isclose,4
logical_and,1_
logical_or,1_
logical_xor,1_
logical_not,0_
relu6,0_
leaky_relu,1_
prelu,1_
elu,1_
selu,0_
celu,1_
gelu,1_
softplus,2_
softsign,0_
hardtanh,2_
hardsigmoid,hard_sigmoid,0_
hardswish,hard_swish,0_
hardshrink,1_
softshrink,1_
tanhshrink,0_
threshold,2_
logsigmoid,log_sigmoid,0_
glu,1
swiglu,1
geglu,1
sum,3
mean,3
nansum,3
nanmean,3
prod,3
all,2
any,2
count_nonzero,1
logsumexp,2
trace,0
sum_to_size,sum_to_shape,1*
norm,4
vector_norm,4
dist,2
amax,2
amin,2
aminmax,2p
max,2v
min,2v
argmax,2
argmin,2
var,4
std,4
var_mean,4p
std_mean,4p
median,2v
nanmedian,2v
mode,2p
quantile,4
nanquantile,4
histc,3
cumsum,2
cumprod,2
cummax,1p
cummin,1p
logcumsumexp,1
diff,4
gradient,3l
trapezoid,trapz,3
cumulative_trapezoid,3
sort,3p
argsort,3
msort,0
topk,4p
kthvalue,3p
searchsorted,5
bucketize,3
isin,3
reshape,view,1*
reshape_as,view_as,1
flatten,2
ravel,0
unflatten,2*
permute,1*
transpose,swapaxes,swap_axes,swapdims,2
t,0
adjoint,0
movedim,moveaxis,2*
expand,broadcast_to,1*
expand_as,1

squeeze,1
unsqueeze,1



split_heads,1
merge_heads,0
to,cast,astype,1
float,0
double,0
half,0
bfloat16,0
int,0
long,0
to_bool,bool,0
clone,contiguous,0

slice,shrink,4
narrow,3
select,2
diagonal,3
flip,1*
fliplr,0
flipud,0
roll,2
rot90,2
repeat,1*
tile,1*
repeat_interleave,3
unfold,3
im2col,4
fold,col2im,5
pad,3
constant_pad_nd,2






split,unsafe_split,2l
split_with_sizes,2l
chunk,unsafe_chunk,2l
tensor_split,2l
hsplit,1l*
vsplit,1l*
dsplit,1l*
unbind,1l


slice_scatter,slice_set,5
select_scatter,3
diagonal_scatter,4
gather,2
take,1
take_along_dim,take_along_axis,2
index_select,2
scatter,5_
scatter_add,3_
scatter_reduce,5
put,3
index_add,4_
index_copy,3_
index_fill,3_
index_reduce,5
masked_scatter,2
embedding,2
embedding_bag,6
nonzero,1r
argwhere,0r
masked_select,1r
bincount,2r
unique,4r
unique_consecutive,3r
repeat_interleave_tensor,3r
matmul,matmul_batched,1
mm,1
bmm,1
mv,1
dot,vdot,1
outer,ger,1
addmm,4
addmv,4
addr,4
baddbmm,4
addbmm,4
linear,2
bilinear,3
kron,1
cross,2

matrix_power,1

tensordot,2
inner,1
cdist,2
pdist,1
pairwise_distance,4
conv1d,6
conv2d,6
conv3d,6
conv_transpose1d,7
conv_transpose2d,7
conv_transpose3d,7
max_pool1d,5+
max_pool2d,5+
max_pool3d,5+
avg_pool1d,6
avg_pool2d,6
avg_pool3d,6
lp_pool1d,4
lp_pool2d,4
adaptive_max_pool1d,1+
adaptive_max_pool2d,1+
adaptive_max_pool3d,1+
adaptive_avg_pool1d,1
adaptive_avg_pool2d,1
adaptive_avg_pool3d,1
interpolate,upsample,6
upsample_nearest,2
upsample_bilinear,2
resize,3
grid_sample,4
grid_sampler_2d,4
grid_sampler_3d,4
affine_grid,2
pixel_shuffle,1
pixel_unshuffle,1
channel_shuffle,native_channel_shuffle,1
crop,4
center_crop,1*
hflip,0
vflip,0
normalize_channels,2
rgb_to_grayscale,1
grayscale_to_rgb,0
adjust_brightness,1
adjust_contrast,1
adjust_saturation,1
softmax,2
log_softmax,log_softmax_last,2
softmin,2
softmax_causal,softmax_causal_last,0
where_causal,1

layer_norm,4
rms_norm,3
batch_norm,7
batch_norm_stats,3p
group_norm,4
instance_norm,7
normalize,3
local_response_norm,4
scaled_dot_product_attention,7
multi_head_attention,11p
rope,3

rnn_cell,6
gru_cell,5
lstm_cell,6p
rnn,5p
gru,4p
lstm,5t
mse_loss,3
l1_loss,3
smooth_l1_loss,3
huber_loss,4
kl_div,3
gaussian_nll_loss,5
poisson_nll_loss,5
cross_entropy,5
nll_loss,4
binary_cross_entropy,3
binary_cross_entropy_with_logits,4
hinge_loss,3
soft_margin_loss,2
multi_margin_loss,5
multilabel_margin_loss,2
multilabel_soft_margin_loss,3
cosine_similarity,3
cosine_embedding_loss,4
hinge_embedding_loss,3
margin_ranking_loss,4
triplet_margin_loss,7`;
