// Every op as a function. Generated from the op table by `cargo x gen`; change the op, not this file.
import { list, one, pair, reading, triple, unwrap, varied } from '../call.ts';
import type * as Options from './options.ts';
import * as Row from './rows.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';

/**
 * Product of two tensors.
 */
export function mul(input: Operand, other: Operand): Tensor {
  return one(Row.mul, [input, other]);
}

/**
 * Quotient of two tensors, rounded towards minus infinity.
 */
export function floorDivide(input: Operand, other: Operand): Tensor {
  return one(Row.floor_divide, [input, other]);
}

/**
 * Remainder of the division, with the sign of the divisor (Python's `%`).
 */
export function remainder(input: Operand, other: Operand): Tensor {
  return one(Row.remainder, [input, other]);
}

/**
 * Remainder of the division, with the sign of the dividend (C's `fmod`).
 */
export function fmod(input: Operand, other: Operand): Tensor {
  return one(Row.fmod, [input, other]);
}

/**
 * The larger of two elements; NaN if either is. Equal elements share the gradient.
 */
export function maximum(input: Operand, other: Operand): Tensor {
  return one(Row.maximum, [input, other]);
}

/**
 * The smaller of two elements; NaN if either is. Equal elements share the gradient.
 */
export function minimum(input: Operand, other: Operand): Tensor {
  return one(Row.minimum, [input, other]);
}

/**
 * Angle of the point (`other`, `input`), in (−π, π].
 */
export function atan2(input: Operand, other: Operand): Tensor {
  return one(Row.atan2, [input, other]);
}

/**
 * Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.
 */
export function hypot(input: Operand, other: Operand): Tensor {
  return one(Row.hypot, [input, other]);
}

/**
 * The magnitude of `input` with the sign of `other`.
 */
export function copysign(input: Operand, other: Operand): Tensor {
  return one(Row.copysign, [input, other]);
}

/**
 * Logarithm of the sum of exponentials of two elements.
 */
export function logaddexp(input: Operand, other: Operand): Tensor {
  return one(Row.logaddexp, [input, other]);
}

/**
 * `input · log(other)`, which is zero where `input` is.
 */
export function xlogy(input: Operand, other: Operand): Tensor {
  return one(Row.xlogy, [input, other]);
}

/**
 * Whether two elements are equal.
 */
export function eq(input: Operand, other: Operand): Tensor {
  return one(Row.eq, [input, other]);
}

/**
 * Whether two elements differ.
 */
export function ne(input: Operand, other: Operand): Tensor {
  return one(Row.ne, [input, other]);
}

/**
 * Whether `input` is less than `other`.
 */
export function lt(input: Operand, other: Operand): Tensor {
  return one(Row.lt, [input, other]);
}

/**
 * Whether `input` is at most `other`.
 */
export function le(input: Operand, other: Operand): Tensor {
  return one(Row.le, [input, other]);
}

/**
 * Whether `input` is greater than `other`.
 */
export function gt(input: Operand, other: Operand): Tensor {
  return one(Row.gt, [input, other]);
}

/**
 * Whether `input` is at least `other`.
 */
export function ge(input: Operand, other: Operand): Tensor {
  return one(Row.ge, [input, other]);
}

/**
 * Bits set in both elements.
 */
export function bitwiseAnd(input: Operand, other: Operand): Tensor {
  return one(Row.bitwise_and, [input, other]);
}

/**
 * Bits set in either element.
 */
export function bitwiseOr(input: Operand, other: Operand): Tensor {
  return one(Row.bitwise_or, [input, other]);
}

/**
 * Bits set in exactly one element.
 */
export function bitwiseXor(input: Operand, other: Operand): Tensor {
  return one(Row.bitwise_xor, [input, other]);
}

/**
 * Every bit flipped; for `bool`, the opposite.
 */
export function bitwiseNot(input: Tensor): Tensor {
  return one(Row.bitwise_not, [input]);
}

/**
 * Bits shifted left by `other`; zero from the width of the type on.
 */
export function bitwiseLeftShift(input: Operand, other: Operand): Tensor {
  return one(Row.bitwise_left_shift, [input, other]);
}

/**
 * Bits shifted right by `other`, with the sign where the type has one.
 */
export function bitwiseRightShift(input: Operand, other: Operand): Tensor {
  return one(Row.bitwise_right_shift, [input, other]);
}

/**
 * Each element with its sign flipped.
 */
export function neg(input: Tensor): Tensor {
  return one(Row.neg, [input]);
}

/**
 * Absolute value of each element.
 */
export function abs(input: Tensor): Tensor {
  return one(Row.abs, [input]);
}

/**
 * −1, 0 or 1, as each element is negative, zero (or NaN) or positive.
 */
export function sign(input: Tensor): Tensor {
  return one(Row.sign, [input]);
}

/**
 * One divided by each element.
 */
export function reciprocal(input: Tensor): Tensor {
  return one(Row.reciprocal, [input]);
}

/**
 * Square root of each element.
 */
export function sqrt(input: Tensor): Tensor {
  return one(Row.sqrt, [input]);
}

/**
 * One divided by the square root of each element.
 */
export function rsqrt(input: Tensor): Tensor {
  return one(Row.rsqrt, [input]);
}

/**
 * e raised to each element.
 */
export function exp(input: Tensor): Tensor {
  return one(Row.exp, [input]);
}

/**
 * Two raised to each element.
 */
export function exp2(input: Tensor): Tensor {
  return one(Row.exp2, [input]);
}

/**
 * e raised to each element, minus one; exact near zero.
 */
export function expm1(input: Tensor): Tensor {
  return one(Row.expm1, [input]);
}

/**
 * Natural logarithm of each element.
 */
export function log(input: Tensor): Tensor {
  return one(Row.log, [input]);
}

/**
 * Logarithm to base two of each element.
 */
export function log2(input: Tensor): Tensor {
  return one(Row.log2, [input]);
}

/**
 * Logarithm to base ten of each element.
 */
export function log10(input: Tensor): Tensor {
  return one(Row.log10, [input]);
}

/**
 * Natural logarithm of one plus each element; exact near zero.
 */
export function log1p(input: Tensor): Tensor {
  return one(Row.log1p, [input]);
}

/**
 * Sine of each element, in radians.
 */
export function sin(input: Tensor): Tensor {
  return one(Row.sin, [input]);
}

/**
 * Cosine of each element, in radians.
 */
export function cos(input: Tensor): Tensor {
  return one(Row.cos, [input]);
}

/**
 * Tangent of each element, in radians.
 */
export function tan(input: Tensor): Tensor {
  return one(Row.tan, [input]);
}

/**
 * Angle whose sine each element is.
 */
export function asin(input: Tensor): Tensor {
  return one(Row.asin, [input]);
}

/**
 * Angle whose cosine each element is.
 */
export function acos(input: Tensor): Tensor {
  return one(Row.acos, [input]);
}

/**
 * Angle whose tangent each element is.
 */
export function atan(input: Tensor): Tensor {
  return one(Row.atan, [input]);
}

/**
 * Hyperbolic sine of each element.
 */
export function sinh(input: Tensor): Tensor {
  return one(Row.sinh, [input]);
}

/**
 * Hyperbolic cosine of each element.
 */
export function cosh(input: Tensor): Tensor {
  return one(Row.cosh, [input]);
}

/**
 * Hyperbolic tangent of each element.
 */
export function tanh(input: Tensor): Tensor {
  return one(Row.tanh, [input]);
}

/**
 * Inverse hyperbolic sine of each element.
 */
export function asinh(input: Tensor): Tensor {
  return one(Row.asinh, [input]);
}

/**
 * Inverse hyperbolic cosine of each element.
 */
export function acosh(input: Tensor): Tensor {
  return one(Row.acosh, [input]);
}

/**
 * Inverse hyperbolic tangent of each element.
 */
export function atanh(input: Tensor): Tensor {
  return one(Row.atanh, [input]);
}

/**
 * Error function of each element.
 */
export function erf(input: Tensor): Tensor {
  return one(Row.erf, [input]);
}

/**
 * One minus the error function; exact where that is close to one.
 */
export function erfc(input: Tensor): Tensor {
  return one(Row.erfc, [input]);
}

/**
 * Inverse of the error function.
 */
export function erfinv(input: Tensor): Tensor {
  return one(Row.erfinv, [input]);
}

/**
 * Logarithm of the absolute value of the gamma function.
 */
export function lgamma(input: Tensor): Tensor {
  return one(Row.lgamma, [input]);
}

/**
 * Logistic function `1 / (1 + exp(−x))` of each element.
 */
export function sigmoid(input: Tensor): Tensor {
  return one(Row.sigmoid, [input]);
}

/**
 * Each element, or zero where it is negative.
 */
export function relu(input: Tensor): Tensor {
  return one(Row.relu, [input]);
}

/**
 * `gelu` by its tanh approximation.
 */
export function geluTanh(input: Tensor): Tensor {
  return one(Row.gelu_tanh, [input]);
}

/**
 * `x · sigmoid(x)`, also called swish.
 */
export function silu(input: Tensor): Tensor {
  return one(Row.silu, [input]);
}

/**
 * `x · tanh(softplus(x))`.
 */
export function mish(input: Tensor): Tensor {
  return one(Row.mish, [input]);
}

/**
 * Largest whole number not above each element.
 */
export function floor(input: Tensor): Tensor {
  return one(Row.floor, [input]);
}

/**
 * Smallest whole number not below each element.
 */
export function ceil(input: Tensor): Tensor {
  return one(Row.ceil, [input]);
}

/**
 * Each element without its fraction.
 */
export function trunc(input: Tensor): Tensor {
  return one(Row.trunc, [input]);
}

/**
 * Zeros of the shape and dtype of `input`.
 */
export function zerosLike(input: Tensor, dtype?: DTypeName | null | Options.ZerosLikeOptions): Tensor {
  return one(Row.zeros_like, [input, dtype]);
}

/**
 * Ones of the shape and dtype of `input`.
 */
export function onesLike(input: Tensor, dtype?: DTypeName | null | Options.OnesLikeOptions): Tensor {
  return one(Row.ones_like, [input, dtype]);
}

/**
 * One number in the shape and dtype of `input`.
 */
export function fullLike(input: Tensor, fillValue: Operand, dtype?: DTypeName | null | Options.FullLikeOptions): Tensor {
  return one(Row.full_like, [input, fillValue, dtype]);
}

/**
 * Zeros of another shape, in the dtype of `input`.
 */
export function newZeros(input: Tensor, size: number | readonly number[], dtype?: DTypeName | null | Options.NewZerosOptions): Tensor {
  return one(Row.new_zeros, [input, size, dtype]);
}

/**
 * Ones of another shape, in the dtype of `input`.
 */
export function newOnes(input: Tensor, size: number | readonly number[], dtype?: DTypeName | null | Options.NewOnesOptions): Tensor {
  return one(Row.new_ones, [input, size, dtype]);
}

/**
 * One number in another shape, in the dtype of `input`.
 */
export function newFull(input: Tensor, size: number | readonly number[], fillValue: Operand, dtype?: DTypeName | null | Options.NewFullOptions): Tensor {
  return one(Row.new_full, [input, size, fillValue, dtype]);
}

/**
 * `input` with every element replaced by `value`.
 */
export function fill(input: Tensor, value: Operand): Tensor {
  return one(Row.fill, [input, value]);
}

/**
 * `base` to the powers of `linspace(start, end, steps)`.
 *
 * Defaults: `base = 10`.
 */
export function logspace(start: Operand, end: Operand, steps: number, base?: number | Options.LogspaceOptions, dtype?: DTypeName | null | Options.LogspaceOptions): Tensor {
  return one(Row.logspace, [start, end, steps, base, dtype]);
}

/**
 * Lower triangles of matrices: elements above the `diagonal` become zero.
 *
 * Defaults: `diagonal = 0`.
 */
export function tril(input: Tensor, diagonal?: number | Options.TrilOptions): Tensor {
  return one(Row.tril, [input, diagonal]);
}

/**
 * Upper triangles of matrices: elements below the `diagonal` become zero.
 *
 * Defaults: `diagonal = 0`.
 */
export function triu(input: Tensor, diagonal?: number | Options.TriuOptions): Tensor {
  return one(Row.triu, [input, diagonal]);
}

/**
 * Row and column of each element of the lower triangle of a `row` by `col` matrix, as two rows.
 *
 * Defaults: `offset = 0`.
 */
export function trilIndices(row: number, col: number, offset?: number | Options.TrilIndicesOptions, dtype?: DTypeName | null | Options.TrilIndicesOptions): Tensor {
  return one(Row.tril_indices, [row, col, offset, dtype]);
}

/**
 * Row and column of each element of the upper triangle of a `row` by `col` matrix, as two rows.
 *
 * Defaults: `offset = 0`.
 */
export function triuIndices(row: number, col: number, offset?: number | Options.TriuIndicesOptions, dtype?: DTypeName | null | Options.TriuIndicesOptions): Tensor {
  return one(Row.triu_indices, [row, col, offset, dtype]);
}

/**
 * A new last axis of `num_classes` that is 1 at the index which each element is, else 0.
 *
 * Defaults: `numClasses = -1`.
 */
export function oneHot(input: Tensor, numClasses?: number | Options.OneHotOptions): Tensor {
  return one(Row.one_hot, [input, numClasses]);
}

/**
 * The coordinates of a grid: each tensor of one axis, repeated along those of all others.
 *
 * Defaults: `indexing = 'ij'`.
 */
export function meshgrid(tensors: readonly Tensor[], indexing?: 'ij' | 'xy' | Options.MeshgridOptions): Tensor[] {
  return list(Row.meshgrid, [tensors, indexing]);
}

/**
 * All ways to take one element from each tensor, as rows.
 */
export function cartesianProd(tensors: readonly Tensor[]): Tensor {
  return one(Row.cartesian_prod, [tensors]);
}

/**
 * All ways to choose `r` elements in order, as rows; each at most once, or any number of times
 * `with_replacement`.
 *
 * Defaults: `r = 2`, `withReplacement = false`.
 */
export function combinations(input: Tensor, r?: number | Options.CombinationsOptions, withReplacement?: boolean | Options.CombinationsOptions): Tensor {
  return one(Row.combinations, [input, r, withReplacement]);
}

/**
 * A matrix with `input` on its diagonal, if that has one axis; else the diagonal of the matrix
 * `input`.
 *
 * Defaults: `diagonal = 0`.
 */
export function diag(input: Tensor, diagonal?: number | Options.DiagOptions): Tensor {
  return one(Row.diag, [input, diagonal]);
}

/**
 * Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
 *
 * Defaults: `offset = 0`, `dim1 = -2`, `dim2 = -1`.
 */
export function diagEmbed(input: Tensor, offset?: number | Options.DiagEmbedOptions, dim1?: number | Options.DiagEmbedOptions, dim2?: number | Options.DiagEmbedOptions): Tensor {
  return one(Row.diag_embed, [input, offset, dim1, dim2]);
}

/**
 * A matrix with all elements of `input` on its diagonal.
 *
 * Defaults: `offset = 0`.
 */
export function diagflat(input: Tensor, offset?: number | Options.DiagflatOptions): Tensor {
  return one(Row.diagflat, [input, offset]);
}

/**
 * A matrix with the given matrices along its diagonal; a tensor of one axis is a row.
 */
export function blockDiag(tensors: readonly Tensor[]): Tensor {
  return one(Row.block_diag, [tensors]);
}

/**
 * Uniform random numbers in [0, 1), of the shape and dtype of `input`.
 */
export function randLike(input: Tensor, dtype?: DTypeName | null | Options.RandLikeOptions): Tensor {
  return one(Row.rand_like, [input, dtype]);
}

/**
 * Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
 */
export function randnLike(input: Tensor, dtype?: DTypeName | null | Options.RandnLikeOptions): Tensor {
  return one(Row.randn_like, [input, dtype]);
}

/**
 * Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
 */
export function randintLike(input: Tensor, low: number, high: number, dtype?: DTypeName | null | Options.RandintLikeOptions): Tensor {
  return one(Row.randint_like, [input, low, high, dtype]);
}

/**
 * Uniform random numbers in [`low`, `high`).
 *
 * Defaults: `low = 0`, `high = 1`.
 */
export function uniform(size: number | readonly number[], low?: number | Options.UniformOptions, high?: number | Options.UniformOptions, dtype?: DTypeName | null | Options.UniformOptions): Tensor {
  return one(Row.uniform, [size, low, high, dtype]);
}

/**
 * Normal random numbers of the given `mean` and standard deviation `std` (1), which may be
 * tensors; of their shape, or of `size`.
 */
export function normal(mean: Operand, std?: Operand | null | Options.NormalOptions, size?: number | readonly number[] | null | Options.NormalOptions, dtype?: DTypeName | null | Options.NormalOptions): Tensor {
  return one(Row.normal, [mean, std, size, dtype]);
}

/**
 * Normal random numbers of the given `mean` and `std`, but all within `a` and `b`.
 *
 * Defaults: `mean = 0`, `std = 1`, `a = -2`, `b = 2`.
 */
export function truncatedNormal(size: number | readonly number[], mean?: number | Options.TruncatedNormalOptions, std?: number | Options.TruncatedNormalOptions, a?: number | Options.TruncatedNormalOptions, b?: number | Options.TruncatedNormalOptions, dtype?: DTypeName | null | Options.TruncatedNormalOptions): Tensor {
  return one(Row.truncated_normal, [size, mean, std, a, b, dtype]);
}

/**
 * Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
 *
 * Defaults: `lambd = 1`.
 */
export function exponential(input: Tensor, lambd?: number | Options.ExponentialOptions): Tensor {
  return one(Row.exponential, [input, lambd]);
}

/**
 * 1 with the probability that each element of `input` is, else 0.
 */
export function bernoulli(input: Tensor): Tensor {
  return one(Row.bernoulli, [input]);
}

/**
 * Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
 * for each row; all different unless `replacement`.
 *
 * Defaults: `replacement = false`.
 */
export function multinomial(input: Tensor, numSamples: number, replacement?: boolean | Options.MultinomialOptions): Tensor {
  return one(Row.multinomial, [input, numSamples, replacement]);
}

/**
 * An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
 */
export function categorical(logits: Tensor): Tensor {
  return one(Row.categorical, [logits]);
}

/**
 * Samples that are nearly one-hot along `dim`, differentiable: `softmax((logits + noise) / tau)`
 * with Gumbel noise. `hard` makes them one-hot and keeps the gradient.
 *
 * Defaults: `tau = 1`, `hard = false`, `dim = -1`.
 */
export function gumbelSoftmax(logits: Tensor, tau?: number | Options.GumbelSoftmaxOptions, hard?: boolean | Options.GumbelSoftmaxOptions, dim?: number | Options.GumbelSoftmaxOptions): Tensor {
  return one(Row.gumbel_softmax, [logits, tau, hard, dim]);
}

/**
 * While `training`, sets each element to zero with probability `p` and scales the others by
 * `1 / (1 − p)`.
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export function dropout(input: Tensor, p?: number | Options.DropoutOptions, training?: boolean | Options.DropoutOptions): Tensor {
  return one(Row.dropout, [input, p, training]);
}

/**
 * While `training`, sets whole channels (axes 0 and 1 count them) to zero with probability `p`
 * and scales the others by `1 / (1 − p)`.
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export function featureDropout(input: Tensor, p?: number | Options.FeatureDropoutOptions, training?: boolean | Options.FeatureDropoutOptions): Tensor {
  return one(Row.feature_dropout, [input, p, training]);
}

/**
 * `feature_dropout` for signals: (batch, channel, length), or (channel, length).
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export function dropout1d(input: Tensor, p?: number | Options.Dropout1dOptions, training?: boolean | Options.Dropout1dOptions): Tensor {
  return one(Row.dropout1d, [input, p, training]);
}

/**
 * `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export function dropout3d(input: Tensor, p?: number | Options.Dropout3dOptions, training?: boolean | Options.Dropout3dOptions): Tensor {
  return one(Row.dropout3d, [input, p, training]);
}

/**
 * Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
 * the value selu saturates at, then shifts and scales so that mean and variance stay.
 *
 * Defaults: `p = 0.5`, `training = false`.
 */
export function alphaDropout(input: Tensor, p?: number | Options.AlphaDropoutOptions, training?: boolean | Options.AlphaDropoutOptions): Tensor {
  return one(Row.alpha_dropout, [input, p, training]);
}

/**
 * `alpha_dropout` of whole channels (axes 0 and 1 count them).
 *
 * Defaults: `p = 0.5`, `training = false`.
 */
export function featureAlphaDropout(input: Tensor, p?: number | Options.FeatureAlphaDropoutOptions, training?: boolean | Options.FeatureAlphaDropoutOptions): Tensor {
  return one(Row.feature_alpha_dropout, [input, p, training]);
}

/**
 * `input + alpha · other`.
 *
 * Defaults: `alpha = 1`.
 */
export function add(input: Operand, other: Operand, alpha?: number | Options.AddOptions): Tensor {
  return one(Row.add, [input, other, alpha]);
}

/**
 * `input − alpha · other`.
 *
 * Defaults: `alpha = 1`.
 */
export function sub(input: Operand, other: Operand, alpha?: number | Options.SubOptions): Tensor {
  return one(Row.sub, [input, other, alpha]);
}

/**
 * `other − alpha · input`.
 *
 * Defaults: `alpha = 1`.
 */
export function rsub(input: Operand, other: Operand, alpha?: number | Options.RsubOptions): Tensor {
  return one(Row.rsub, [input, other, alpha]);
}

/**
 * `input / other`, of integers too; or the quotient rounded towards zero (`'trunc'`) or down
 * (`'floor'`), which keeps integers.
 */
export function div(input: Operand, other: Operand, roundingMode?: 'trunc' | 'floor' | null | Options.DivOptions): Tensor {
  return one(Row.div, [input, other, roundingMode]);
}

/**
 * `input` to the power of `exponent`.
 */
export function pow(input: Operand, exponent: Operand): Tensor {
  return one(Row.pow, [input, exponent]);
}

/**
 * `input` to the power of `exponent`, in `f64`.
 */
export function floatPower(input: Operand, exponent: Operand): Tensor {
  return one(Row.float_power, [input, exponent]);
}

/**
 * Each element times itself.
 */
export function square(input: Tensor): Tensor {
  return one(Row.square, [input]);
}

/**
 * `input + weight · (end − input)`: from `input` at weight 0 to `end` at 1.
 */
export function lerp(input: Tensor, end: Tensor, weight: Operand): Tensor {
  return one(Row.lerp, [input, end, weight]);
}

/**
 * `input + value · tensor1 · tensor2`.
 *
 * Defaults: `value = 1`.
 */
export function addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcmulOptions): Tensor {
  return one(Row.addcmul, [input, tensor1, tensor2, value]);
}

/**
 * `input + value · tensor1 / tensor2`.
 *
 * Defaults: `value = 1`.
 */
export function addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcdivOptions): Tensor {
  return one(Row.addcdiv, [input, tensor1, tensor2, value]);
}

/**
 * The input itself.
 */
export function positive(input: Tensor): Tensor {
  return one(Row.positive, [input]);
}

/**
 * The fraction of each element, with its sign.
 */
export function frac(input: Tensor): Tensor {
  return one(Row.frac, [input]);
}

/**
 * Degrees to radians.
 */
export function deg2rad(input: Tensor): Tensor {
  return one(Row.deg2rad, [input]);
}

/**
 * Radians to degrees.
 */
export function rad2deg(input: Tensor): Tensor {
  return one(Row.rad2deg, [input]);
}

/**
 * `sin(πx) / (πx)`, and 1 at zero.
 */
export function sinc(input: Tensor): Tensor {
  return one(Row.sinc, [input]);
}

/**
 * `input · 2^other`.
 */
export function ldexp(input: Tensor, other: Operand): Tensor {
  return one(Row.ldexp, [input, other]);
}

/**
 * Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
 */
export function logaddexp2(input: Tensor, other: Tensor): Tensor {
  return one(Row.logaddexp2, [input, other]);
}

/**
 * `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first kept between
 * `eps` and `1 − eps`.
 */
export function logit(input: Tensor, eps?: number | null | Options.LogitOptions): Tensor {
  return one(Row.logit, [input, eps]);
}

/**
 * Finite numbers for NaN (`nan`, zero unless given) and for the infinities (`posinf`, `neginf`;
 * the largest and smallest of the type unless given).
 */
export function nanToNum(input: Tensor, nan?: number | null | Options.NanToNumOptions, posinf?: number | null | Options.NanToNumOptions, neginf?: number | null | Options.NanToNumOptions): Tensor {
  return one(Row.nan_to_num, [input, nan, posinf, neginf]);
}

/**
 * Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
 * even one.
 *
 * Defaults: `decimals = 0`.
 */
export function round(input: Tensor, decimals?: number | Options.RoundOptions): Tensor {
  return one(Row.round, [input, decimals]);
}

/**
 * Derivative of `lgamma`.
 */
export function digamma(input: Tensor): Tensor {
  return one(Row.digamma, [input]);
}

/**
 * The `n`-th derivative of `digamma`.
 */
export function polygamma(n: number, input: Tensor): Tensor {
  return one(Row.polygamma, [n, input]);
}

/**
 * `input · log(1 + other)`, which is zero where `input` is.
 */
export function xlog1py(input: Operand, other: Operand): Tensor {
  return one(Row.xlog1py, [input, other]);
}

/**
 * Each element, but at least `min` and at most `max`; `max` wins where they cross.
 */
export function clamp(input: Tensor, min?: Operand | null | Options.ClampOptions, max?: Operand | null | Options.ClampOptions): Tensor {
  return one(Row.clamp, [input, min, max]);
}

/**
 * Each element, but at least `min`.
 */
export function clampMin(input: Tensor, min: Operand): Tensor {
  return one(Row.clamp_min, [input, min]);
}

/**
 * Each element, but at most `max`.
 */
export function clampMax(input: Tensor, max: Operand): Tensor {
  return one(Row.clamp_max, [input, max]);
}

/**
 * The larger of two elements; a number rather than NaN where there is one.
 */
export function fmax(input: Tensor, other: Tensor): Tensor {
  return one(Row.fmax, [input, other]);
}

/**
 * The smaller of two elements; a number rather than NaN where there is one.
 */
export function fmin(input: Tensor, other: Tensor): Tensor {
  return one(Row.fmin, [input, other]);
}

/**
 * Elements of `input` where `condition` is true, else of `other`.
 */
export function where(condition: Tensor, input: Operand, other: Operand): Tensor {
  return one(Row.where, [condition, input, other]);
}

/**
 * `value` where `mask` is true, else the element.
 */
export function maskedFill(input: Tensor, mask: Tensor, value: Operand): Tensor {
  return one(Row.masked_fill, [input, mask, value]);
}

/**
 * 0 for negative elements, 1 for positive ones, and `values` at zero.
 */
export function heaviside(input: Tensor, values: Tensor): Tensor {
  return one(Row.heaviside, [input, values]);
}

/**
 * Whether each element is NaN.
 */
export function isnan(input: Tensor): Tensor {
  return one(Row.isnan, [input]);
}

/**
 * Whether each element is infinite.
 */
export function isinf(input: Tensor): Tensor {
  return one(Row.isinf, [input]);
}

/**
 * Whether each element is neither infinite nor NaN.
 */
export function isfinite(input: Tensor): Tensor {
  return one(Row.isfinite, [input]);
}

/**
 * Whether each element is plus infinity.
 */
export function isposinf(input: Tensor): Tensor {
  return one(Row.isposinf, [input]);
}

/**
 * Whether each element is minus infinity.
 */
export function isneginf(input: Tensor): Tensor {
  return one(Row.isneginf, [input]);
}

/**
 * Whether each element is a real number, as all are.
 */
export function isreal(input: Tensor): Tensor {
  return one(Row.isreal, [input]);
}

/**
 * Whether the sign bit of each element is set, that of −0 too.
 */
export function signbit(input: Tensor): Tensor {
  return one(Row.signbit, [input]);
}

/**
 * Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
 * `equal_nan`.
 *
 * Defaults: `rtol = 1e-5`, `atol = 1e-8`, `equalNan = false`.
 */
export function isclose(input: Tensor, other: Tensor, rtol?: number | Options.IscloseOptions, atol?: number | Options.IscloseOptions, equalNan?: boolean | Options.IscloseOptions): Tensor {
  return one(Row.isclose, [input, other, rtol, atol, equalNan]);
}

/**
 * Whether both elements are true, that is, not zero.
 */
export function logicalAnd(input: Tensor, other: Tensor): Tensor {
  return one(Row.logical_and, [input, other]);
}

/**
 * Whether either element is true, that is, not zero.
 */
export function logicalOr(input: Tensor, other: Tensor): Tensor {
  return one(Row.logical_or, [input, other]);
}

/**
 * Whether exactly one element is true, that is, not zero.
 */
export function logicalXor(input: Tensor, other: Tensor): Tensor {
  return one(Row.logical_xor, [input, other]);
}

/**
 * Whether each element is false, that is, zero.
 */
export function logicalNot(input: Tensor): Tensor {
  return one(Row.logical_not, [input]);
}

/**
 * `relu` capped at six.
 */
export function relu6(input: Tensor): Tensor {
  return one(Row.relu6, [input]);
}

/**
 * Each element, or `negative_slope` times it where it is negative.
 *
 * Defaults: `negativeSlope = 0.01`.
 */
export function leakyRelu(input: Tensor, negativeSlope?: number | Options.LeakyReluOptions): Tensor {
  return one(Row.leaky_relu, [input, negativeSlope]);
}

/**
 * `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
 */
export function prelu(input: Tensor, weight: Tensor): Tensor {
  return one(Row.prelu, [input, weight]);
}

/**
 * Each element, or `alpha · (exp(x) − 1)` where it is negative.
 *
 * Defaults: `alpha = 1`.
 */
export function elu(input: Tensor, alpha?: number | Options.EluOptions): Tensor {
  return one(Row.elu, [input, alpha]);
}

/**
 * `elu` scaled so that deep networks normalise themselves (Klambauer et al., 2017).
 */
export function selu(input: Tensor): Tensor {
  return one(Row.selu, [input]);
}

/**
 * `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
 *
 * Defaults: `alpha = 1`.
 */
export function celu(input: Tensor, alpha?: number | Options.CeluOptions): Tensor {
  return one(Row.celu, [input, alpha]);
}

/**
 * `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
 *
 * Defaults: `approximate = 'none'`.
 */
export function gelu(input: Tensor, approximate?: 'none' | 'tanh' | Options.GeluOptions): Tensor {
  return one(Row.gelu, [input, approximate]);
}

/**
 * `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
 *
 * Defaults: `beta = 1`, `threshold = 20`.
 */
export function softplus(input: Tensor, beta?: number | Options.SoftplusOptions, threshold?: number | Options.SoftplusOptions): Tensor {
  return one(Row.softplus, [input, beta, threshold]);
}

/**
 * `x / (1 + |x|)`.
 */
export function softsign(input: Tensor): Tensor {
  return one(Row.softsign, [input]);
}

/**
 * Each element, but at least `min_val` and at most `max_val`.
 *
 * Defaults: `minVal = -1`, `maxVal = 1`.
 */
export function hardtanh(input: Tensor, minVal?: number | Options.HardtanhOptions, maxVal?: number | Options.HardtanhOptions): Tensor {
  return one(Row.hardtanh, [input, minVal, maxVal]);
}

/**
 * A sigmoid of straight lines: `x / 6 + 1/2` between 0 and 1.
 */
export function hardsigmoid(input: Tensor): Tensor {
  return one(Row.hardsigmoid, [input]);
}

/**
 * `x · hardsigmoid(x)`.
 */
export function hardswish(input: Tensor): Tensor {
  return one(Row.hardswish, [input]);
}

/**
 * Each element, or zero where it lies within `−lambd` and `lambd`.
 *
 * Defaults: `lambd = 0.5`.
 */
export function hardshrink(input: Tensor, lambd?: number | Options.HardshrinkOptions): Tensor {
  return one(Row.hardshrink, [input, lambd]);
}

/**
 * Each element moved towards zero by `lambd`, and zero where it would cross.
 *
 * Defaults: `lambd = 0.5`.
 */
export function softshrink(input: Tensor, lambd?: number | Options.SoftshrinkOptions): Tensor {
  return one(Row.softshrink, [input, lambd]);
}

/**
 * `x − tanh(x)`.
 */
export function tanhshrink(input: Tensor): Tensor {
  return one(Row.tanhshrink, [input]);
}

/**
 * Each element where it exceeds `threshold`, else `value`.
 */
export function threshold(input: Tensor, threshold: number, value: number): Tensor {
  return one(Row.threshold, [input, threshold, value]);
}

/**
 * Logarithm of the sigmoid, without overflow.
 */
export function logsigmoid(input: Tensor): Tensor {
  return one(Row.logsigmoid, [input]);
}

/**
 * First half of `dim`, times the sigmoid of the second.
 *
 * Defaults: `dim = -1`.
 */
export function glu(input: Tensor, dim?: number | Options.GluOptions): Tensor {
  return one(Row.glu, [input, dim]);
}

/**
 * `silu` of the first half of `dim`, times the second.
 *
 * Defaults: `dim = -1`.
 */
export function swiglu(input: Tensor, dim?: number | Options.SwigluOptions): Tensor {
  return one(Row.swiglu, [input, dim]);
}

/**
 * `gelu` of the first half of `dim`, times the second.
 *
 * Defaults: `dim = -1`.
 */
export function geglu(input: Tensor, dim?: number | Options.GegluOptions): Tensor {
  return one(Row.geglu, [input, dim]);
}

/**
 * Sum of the elements over `dim`, by default over all axes. Integers and bools add up in i64.
 *
 * Defaults: `keepdim = false`.
 */
export function sum(input: Tensor, dim?: number | readonly number[] | null | Options.SumOptions, keepdim?: boolean | Options.SumOptions, dtype?: DTypeName | null | Options.SumOptions): Tensor {
  return one(Row.sum, [input, dim, keepdim, dtype]);
}

/**
 * Mean of the elements over `dim`, by default over all axes; NaN where there are none.
 *
 * Defaults: `keepdim = false`.
 */
export function mean(input: Tensor, dim?: number | readonly number[] | null | Options.MeanOptions, keepdim?: boolean | Options.MeanOptions, dtype?: DTypeName | null | Options.MeanOptions): Tensor {
  return one(Row.mean, [input, dim, keepdim, dtype]);
}

/**
 * Sum over `dim` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`.
 */
export function nansum(input: Tensor, dim?: number | readonly number[] | null | Options.NansumOptions, keepdim?: boolean | Options.NansumOptions, dtype?: DTypeName | null | Options.NansumOptions): Tensor {
  return one(Row.nansum, [input, dim, keepdim, dtype]);
}

/**
 * Mean over `dim` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`.
 */
export function nanmean(input: Tensor, dim?: number | readonly number[] | null | Options.NanmeanOptions, keepdim?: boolean | Options.NanmeanOptions, dtype?: DTypeName | null | Options.NanmeanOptions): Tensor {
  return one(Row.nanmean, [input, dim, keepdim, dtype]);
}

/**
 * Product of the elements over `dim`, by default over all axes. Integers and bools multiply in
 * i64. The gradient is exact also where elements are zero.
 *
 * Defaults: `keepdim = false`.
 */
export function prod(input: Tensor, dim?: number | readonly number[] | null | Options.ProdOptions, keepdim?: boolean | Options.ProdOptions, dtype?: DTypeName | null | Options.ProdOptions): Tensor {
  return one(Row.prod, [input, dim, keepdim, dtype]);
}

/**
 * Whether all elements over `dim` are true, that is, not zero.
 *
 * Defaults: `keepdim = false`.
 */
export function all(input: Tensor, dim?: number | readonly number[] | null | Options.AllOptions, keepdim?: boolean | Options.AllOptions): Tensor {
  return one(Row.all, [input, dim, keepdim]);
}

/**
 * Whether any element over `dim` is true, that is, not zero.
 *
 * Defaults: `keepdim = false`.
 */
export function any(input: Tensor, dim?: number | readonly number[] | null | Options.AnyOptions, keepdim?: boolean | Options.AnyOptions): Tensor {
  return one(Row.any, [input, dim, keepdim]);
}

/**
 * Number of elements over `dim` that are not zero, in i64.
 */
export function countNonzero(input: Tensor, dim?: number | readonly number[] | null | Options.CountNonzeroOptions): Tensor {
  return one(Row.count_nonzero, [input, dim]);
}

/**
 * Logarithm of the sum of exponentials over `dim`, without overflow.
 *
 * Defaults: `keepdim = false`.
 */
export function logsumexp(input: Tensor, dim?: number | readonly number[] | null | Options.LogsumexpOptions, keepdim?: boolean | Options.LogsumexpOptions): Tensor {
  return one(Row.logsumexp, [input, dim, keepdim]);
}

/**
 * Sum of the elements on the diagonal of a matrix.
 */
export function trace(input: Tensor): Tensor {
  return one(Row.trace, [input]);
}

/**
 * Sums the axes that broadcasting a tensor of `size` to this one would have repeated.
 */
export function sumToSize(input: Tensor, ...size: number[] | [readonly number[]]): Tensor {
  return one(Row.sum_to_size, [input, unwrap(size)]);
}

/**
 * The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
 * number, ±inf or `'fro'`, which is 2 and the default.
 *
 * Defaults: `keepdim = false`.
 */
export function norm(input: Tensor, p?: number | null | Options.NormOptions, dim?: number | readonly number[] | null | Options.NormOptions, keepdim?: boolean | Options.NormOptions, dtype?: DTypeName | null | Options.NormOptions): Tensor {
  return one(Row.norm, [input, p, dim, keepdim, dtype]);
}

/**
 * The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
 * smallest (−inf) magnitude, or the number of elements that are not zero (0).
 *
 * Defaults: `ord = 2`, `keepdim = false`.
 */
export function vectorNorm(input: Tensor, ord?: number | Options.VectorNormOptions, dim?: number | readonly number[] | null | Options.VectorNormOptions, keepdim?: boolean | Options.VectorNormOptions, dtype?: DTypeName | null | Options.VectorNormOptions): Tensor {
  return one(Row.vector_norm, [input, ord, dim, keepdim, dtype]);
}

/**
 * The `p`-norm of the difference of two tensors.
 *
 * Defaults: `p = 2`.
 */
export function dist(input: Tensor, other: Tensor, p?: number | Options.DistOptions): Tensor {
  return one(Row.dist, [input, other, p]);
}

/**
 * Largest element over `dim`, by default over all axes. Equal ones share the gradient.
 *
 * Defaults: `keepdim = false`.
 */
export function amax(input: Tensor, dim?: number | readonly number[] | null | Options.AmaxOptions, keepdim?: boolean | Options.AmaxOptions): Tensor {
  return one(Row.amax, [input, dim, keepdim]);
}

/**
 * Smallest element over `dim`, by default over all axes. Equal ones share the gradient.
 *
 * Defaults: `keepdim = false`.
 */
export function amin(input: Tensor, dim?: number | readonly number[] | null | Options.AminOptions, keepdim?: boolean | Options.AminOptions): Tensor {
  return one(Row.amin, [input, dim, keepdim]);
}

/**
 * Smallest and largest element over `dim`, by default over all axes.
 *
 * Defaults: `keepdim = false`.
 */
export function aminmax(input: Tensor, dim?: number | null | Options.AminmaxOptions, keepdim?: boolean | Options.AminmaxOptions): [Tensor, Tensor] {
  return pair(Row.aminmax, [input, dim, keepdim]);
}

/**
 * The largest element of all; with `dim`, the largest elements along that axis and the index of
 * the first of each; with a tensor instead, the larger of each pair of elements.
 *
 * Defaults: `keepdim = false`.
 */
export function max(input: Tensor): Tensor;
export function max(input: Tensor, dim: number, keepdim?: boolean): [Tensor, Tensor];
export function max(input: Tensor, other: Tensor): Tensor;
export function max(input: Tensor, dim?: Operand | null | Options.MaxOptions, keepdim?: boolean | Options.MaxOptions): Tensor | [Tensor, Tensor] {
  return varied(Row.max, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * The smallest element of all; with `dim`, the smallest elements along that axis and the index of
 * the first of each; with a tensor instead, the smaller of each pair of elements.
 *
 * Defaults: `keepdim = false`.
 */
export function min(input: Tensor): Tensor;
export function min(input: Tensor, dim: number, keepdim?: boolean): [Tensor, Tensor];
export function min(input: Tensor, other: Tensor): Tensor;
export function min(input: Tensor, dim?: Operand | null | Options.MinOptions, keepdim?: boolean | Options.MinOptions): Tensor | [Tensor, Tensor] {
  return varied(Row.min, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * Index of the first largest element along `dim`, by default of all elements in order.
 *
 * Defaults: `keepdim = false`.
 */
export function argmax(input: Tensor, dim?: number | null | Options.ArgmaxOptions, keepdim?: boolean | Options.ArgmaxOptions): Tensor {
  return one(Row.argmax, [input, dim, keepdim]);
}

/**
 * Index of the first smallest element along `dim`, by default of all elements in order.
 *
 * Defaults: `keepdim = false`.
 */
export function argmin(input: Tensor, dim?: number | null | Options.ArgminOptions, keepdim?: boolean | Options.ArgminOptions): Tensor {
  return one(Row.argmin, [input, dim, keepdim]);
}

/**
 * Variance over `dim`, by default over all axes: squared deviations from the mean, added up and
 * divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is an
 * older way to say `correction` 1 or 0.
 *
 * Defaults: `keepdim = false`.
 */
export function var_(input: Tensor, dim?: number | readonly number[] | null | Options.VarOptions, correction?: number | null | Options.VarOptions, keepdim?: boolean | Options.VarOptions, unbiased?: boolean | null | Options.VarOptions): Tensor {
  return one(Row.var_, [input, dim, correction, keepdim, unbiased]);
}

/**
 * Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
 *
 * Defaults: `keepdim = false`.
 */
export function std(input: Tensor, dim?: number | readonly number[] | null | Options.StdOptions, correction?: number | null | Options.StdOptions, keepdim?: boolean | Options.StdOptions, unbiased?: boolean | null | Options.StdOptions): Tensor {
  return one(Row.std, [input, dim, correction, keepdim, unbiased]);
}

/**
 * Variance and mean over `dim`.
 *
 * Defaults: `keepdim = false`.
 */
export function varMean(input: Tensor, dim?: number | readonly number[] | null | Options.VarMeanOptions, correction?: number | null | Options.VarMeanOptions, keepdim?: boolean | Options.VarMeanOptions, unbiased?: boolean | null | Options.VarMeanOptions): [Tensor, Tensor] {
  return pair(Row.var_mean, [input, dim, correction, keepdim, unbiased]);
}

/**
 * Standard deviation and mean over `dim`.
 *
 * Defaults: `keepdim = false`.
 */
export function stdMean(input: Tensor, dim?: number | readonly number[] | null | Options.StdMeanOptions, correction?: number | null | Options.StdMeanOptions, keepdim?: boolean | Options.StdMeanOptions, unbiased?: boolean | null | Options.StdMeanOptions): [Tensor, Tensor] {
  return pair(Row.std_mean, [input, dim, correction, keepdim, unbiased]);
}

/**
 * The middle element of all in order of size, the lower of two; with `dim`, the middle elements
 * along that axis and their indices. NaN where there is one.
 *
 * Defaults: `keepdim = false`.
 */
export function median(input: Tensor): Tensor;
export function median(input: Tensor, dim: number, keepdim?: boolean): [Tensor, Tensor];
export function median(input: Tensor, dim?: number | null | Options.MedianOptions, keepdim?: boolean | Options.MedianOptions): Tensor | [Tensor, Tensor] {
  return varied(Row.median, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * `median` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`.
 */
export function nanmedian(input: Tensor): Tensor;
export function nanmedian(input: Tensor, dim: number, keepdim?: boolean): [Tensor, Tensor];
export function nanmedian(input: Tensor, dim?: number | null | Options.NanmedianOptions, keepdim?: boolean | Options.NanmedianOptions): Tensor | [Tensor, Tensor] {
  return varied(Row.nanmedian, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * The most frequent value along `dim`, the smallest of several, and its last index.
 *
 * Defaults: `dim = -1`, `keepdim = false`.
 */
export function mode(input: Tensor, dim?: number | Options.ModeOptions, keepdim?: boolean | Options.ModeOptions): [Tensor, Tensor] {
  return pair(Row.mode, [input, dim, keepdim]);
}

/**
 * The values below which the fractions `q` of the elements along `dim` lie, by default of all
 * elements. A list of fractions adds a first axis. NaN where there is one.
 *
 * Defaults: `keepdim = false`, `interpolation = 'linear'`.
 */
export function quantile(input: Tensor, q: Operand, dim?: number | null | Options.QuantileOptions, keepdim?: boolean | Options.QuantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.QuantileOptions): Tensor {
  return one(Row.quantile, [input, q, dim, keepdim, interpolation]);
}

/**
 * `quantile` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`, `interpolation = 'linear'`.
 */
export function nanquantile(input: Tensor, q: Operand, dim?: number | null | Options.NanquantileOptions, keepdim?: boolean | Options.NanquantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.NanquantileOptions): Tensor {
  return one(Row.nanquantile, [input, q, dim, keepdim, interpolation]);
}

/**
 * Numbers of elements in `bins` equal intervals from `min` to `max`, by default from the smallest
 * to the largest element. Elements outside count nowhere.
 *
 * Defaults: `bins = 100`, `min = 0`, `max = 0`.
 */
export function histc(input: Tensor, bins?: number | Options.HistcOptions, min?: number | Options.HistcOptions, max?: number | Options.HistcOptions): Tensor {
  return one(Row.histc, [input, bins, min, max]);
}

/**
 * Running sum along `dim`. Integers and bools add up in i64.
 */
export function cumsum(input: Tensor, dim: number, dtype?: DTypeName | null | Options.CumsumOptions): Tensor {
  return one(Row.cumsum, [input, dim, dtype]);
}

/**
 * Running product along `dim`. Integers and bools multiply in i64.
 */
export function cumprod(input: Tensor, dim: number, dtype?: DTypeName | null | Options.CumprodOptions): Tensor {
  return one(Row.cumprod, [input, dim, dtype]);
}

/**
 * Largest element so far along `dim`, and its last index. NaN stays to the end.
 */
export function cummax(input: Tensor, dim: number): [Tensor, Tensor] {
  return pair(Row.cummax, [input, dim]);
}

/**
 * Smallest element so far along `dim`, and its last index. NaN stays to the end.
 */
export function cummin(input: Tensor, dim: number): [Tensor, Tensor] {
  return pair(Row.cummin, [input, dim]);
}

/**
 * Logarithm of the running sum of exponentials along `dim`, without overflow.
 */
export function logcumsumexp(input: Tensor, dim: number): Tensor {
  return one(Row.logcumsumexp, [input, dim]);
}

/**
 * Differences between neighbours along `dim`, taken `n` times, after putting `prepend` and
 * `append` at the ends.
 *
 * Defaults: `n = 1`, `dim = -1`.
 */
export function diff(input: Tensor, n?: number | Options.DiffOptions, dim?: number | Options.DiffOptions, prepend?: Tensor | null | Options.DiffOptions, append?: Tensor | null | Options.DiffOptions): Tensor {
  return one(Row.diff, [input, n, dim, prepend, append]);
}

/**
 * Slopes of a function given at points along each of `dim`, by default along every axis: half
 * the difference of the neighbours over their distance, and at the ends differences of order
 * `edge_order`. `spacing` is the distance between points, one for all axes or one for each, or
 * for each axis a tensor with the points' coordinates.
 *
 * Defaults: `edgeOrder = 1`.
 */
export function gradient(input: Tensor, spacing?: Operand | readonly Operand[] | null | Options.GradientOptions, dim?: number | readonly number[] | null | Options.GradientOptions, edgeOrder?: number | Options.GradientOptions): Tensor[] {
  return list(Row.gradient, [input, spacing, dim, edgeOrder]);
}

/**
 * Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
 * or else their distance `dx`.
 *
 * Defaults: `dx = 1`, `dim = -1`.
 */
export function trapezoid(y: Tensor, x?: Tensor | null | Options.TrapezoidOptions, dx?: number | Options.TrapezoidOptions, dim?: number | Options.TrapezoidOptions): Tensor {
  return one(Row.trapezoid, [y, x, dx, dim]);
}

/**
 * Running integral along `dim` by the trapezoid rule, from the second point on.
 *
 * Defaults: `dx = 1`, `dim = -1`.
 */
export function cumulativeTrapezoid(y: Tensor, x?: Tensor | null | Options.CumulativeTrapezoidOptions, dx?: number | Options.CumulativeTrapezoidOptions, dim?: number | Options.CumulativeTrapezoidOptions): Tensor {
  return one(Row.cumulative_trapezoid, [y, x, dx, dim]);
}

/**
 * The elements sorted along `dim`, and the index each had before. Equal elements always keep
 * their order, whether `stable` or not.
 *
 * Defaults: `dim = -1`, `descending = false`, `stable = false`.
 */
export function sort(input: Tensor, dim?: number | Options.SortOptions, descending?: boolean | Options.SortOptions, stable?: boolean | Options.SortOptions): [Tensor, Tensor] {
  return pair(Row.sort, [input, dim, descending, stable]);
}

/**
 * The indices that sort the elements along `dim`.
 *
 * Defaults: `dim = -1`, `descending = false`, `stable = false`.
 */
export function argsort(input: Tensor, dim?: number | Options.ArgsortOptions, descending?: boolean | Options.ArgsortOptions, stable?: boolean | Options.ArgsortOptions): Tensor {
  return one(Row.argsort, [input, dim, descending, stable]);
}

/**
 * The elements sorted along the first axis.
 */
export function msort(input: Tensor): Tensor {
  return one(Row.msort, [input]);
}

/**
 * The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
 * indices. They are sorted also if not asked for.
 *
 * Defaults: `dim = -1`, `largest = true`, `sorted = true`.
 */
export function topk(input: Tensor, k: number, dim?: number | Options.TopkOptions, largest?: boolean | Options.TopkOptions, sorted?: boolean | Options.TopkOptions): [Tensor, Tensor] {
  return pair(Row.topk, [input, k, dim, largest, sorted]);
}

/**
 * The `k`-th smallest element along `dim`, counted from 1, and its index.
 *
 * Defaults: `dim = -1`, `keepdim = false`.
 */
export function kthvalue(input: Tensor, k: number, dim?: number | Options.KthvalueOptions, keepdim?: boolean | Options.KthvalueOptions): [Tensor, Tensor] {
  return pair(Row.kthvalue, [input, k, dim, keepdim]);
}

/**
 * Where each value of `input` would have to be inserted to keep the last axis of
 * `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
 * `side`. A sequence of several axes has one line for each line of `input`.
 *
 * Defaults: `outInt32 = false`, `right = false`.
 */
export function searchsorted(sortedSequence: Tensor, input: Operand, outInt32?: boolean | Options.SearchsortedOptions, right?: boolean | Options.SearchsortedOptions, side?: 'left' | 'right' | null | Options.SearchsortedOptions, sorter?: Tensor | null | Options.SearchsortedOptions): Tensor {
  return one(Row.searchsorted, [sortedSequence, input, outInt32, right, side, sorter]);
}

/**
 * In which interval between `boundaries` each value lies: how many boundaries are less than it,
 * or not greater if `right`.
 *
 * Defaults: `outInt32 = false`, `right = false`.
 */
export function bucketize(input: Operand, boundaries: Tensor, outInt32?: boolean | Options.BucketizeOptions, right?: boolean | Options.BucketizeOptions): Tensor {
  return one(Row.bucketize, [input, boundaries, outInt32, right]);
}

/**
 * Whether each of `elements` is among `test_elements`, or is not if `invert`.
 *
 * Defaults: `assumeUnique = false`, `invert = false`.
 */
export function isin(elements: Operand, testElements: Operand, assumeUnique?: boolean | Options.IsinOptions, invert?: boolean | Options.IsinOptions): Tensor {
  return one(Row.isin, [elements, testElements, assumeUnique, invert]);
}

/**
 * The elements, in row-major order, under another shape. One length may be −1: it is whatever
 * the others leave.
 */
export function reshape(input: Tensor, ...shape: number[] | [readonly number[]]): Tensor {
  return one(Row.reshape, [input, unwrap(shape)]);
}

/**
 * The elements of `input` under the shape of `other`.
 */
export function reshapeAs(input: Tensor, other: Tensor): Tensor {
  return one(Row.reshape_as, [input, other]);
}

/**
 * Merges the axes from `start_dim` to `end_dim` into one.
 *
 * Defaults: `startDim = 0`, `endDim = -1`.
 */
export function flatten(input: Tensor, startDim?: number | Options.FlattenOptions, endDim?: number | Options.FlattenOptions): Tensor {
  return one(Row.flatten, [input, startDim, endDim]);
}

/**
 * All elements in one axis.
 */
export function ravel(input: Tensor): Tensor {
  return one(Row.ravel, [input]);
}

/**
 * Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
 */
export function unflatten(input: Tensor, dim: number, ...sizes: number[] | [readonly number[]]): Tensor {
  return one(Row.unflatten, [input, dim, unwrap(sizes)]);
}

/**
 * Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
 */
export function permute(input: Tensor, ...dims: number[] | [readonly number[]]): Tensor {
  return one(Row.permute, [input, unwrap(dims)]);
}

/**
 * Swaps two axes, the last two unless told otherwise.
 *
 * Defaults: `dim0 = -2`, `dim1 = -1`.
 */
export function transpose(input: Tensor, dim0?: number | Options.TransposeOptions, dim1?: number | Options.TransposeOptions): Tensor {
  return one(Row.transpose, [input, dim0, dim1]);
}

/**
 * The transpose of a matrix; scalars and vectors stay as they are.
 */
export function t(input: Tensor): Tensor {
  return one(Row.t, [input]);
}

/**
 * The transpose of each matrix in the last two axes.
 */
export function adjoint(input: Tensor): Tensor {
  return one(Row.adjoint, [input]);
}

/**
 * Moves the axes `source` to the places `destination`; the others keep their order.
 */
export function movedim(input: Tensor, source: number | readonly number[], ...destination: number[] | [readonly number[]]): Tensor {
  return one(Row.movedim, [input, source, unwrap(destination)]);
}

/**
 * Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
 */
export function expand(input: Tensor, ...size: number[] | [readonly number[]]): Tensor {
  return one(Row.expand, [input, unwrap(size)]);
}

/**
 * `input` expanded to the shape of `other`.
 */
export function expandAs(input: Tensor, other: Tensor): Tensor {
  return one(Row.expand_as, [input, other]);
}

/**
 * All tensors expanded to their common shape.
 */
export function broadcastTensors(tensors: readonly Tensor[]): Tensor[] {
  return list(Row.broadcast_tensors, [tensors]);
}

/**
 * Removes axes of length one: all of them, or those of `dim` that are.
 */
export function squeeze(input: Tensor, dim?: number | readonly number[] | null | Options.SqueezeOptions): Tensor {
  return one(Row.squeeze, [input, dim]);
}

/**
 * Inserts an axis of length one before axis `dim` of the result.
 */
export function unsqueeze(input: Tensor, dim: number): Tensor {
  return one(Row.unsqueeze, [input, dim]);
}

/**
 * Each tensor with at least one axis.
 */
export function atleast1d(tensors: readonly Tensor[]): Tensor[] {
  return list(Row.atleast_1d, [tensors]);
}

/**
 * Each tensor with at least two axes; a vector becomes a row.
 */
export function atleast2d(tensors: readonly Tensor[]): Tensor[] {
  return list(Row.atleast_2d, [tensors]);
}

/**
 * Each tensor with at least three axes; a vector of `n` becomes `[1, n, 1]`, a matrix
 * `[m, n, 1]`.
 */
export function atleast3d(tensors: readonly Tensor[]): Tensor[] {
  return list(Row.atleast_3d, [tensors]);
}

/**
 * Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
 */
export function splitHeads(input: Tensor, numHeads: number): Tensor {
  return one(Row.split_heads, [input, numHeads]);
}

/**
 * The opposite of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
 */
export function mergeHeads(input: Tensor): Tensor {
  return one(Row.merge_heads, [input]);
}

/**
 * The elements as another dtype: floats become integers towards zero, and all but zero `true`.
 */
export function to(input: Tensor, dtype: DTypeName): Tensor {
  return one(Row.to, [input, dtype]);
}

/**
 * The elements as `f32`.
 */
export function float(input: Tensor): Tensor {
  return one(Row.float, [input]);
}

/**
 * The elements as `f64`.
 */
export function double(input: Tensor): Tensor {
  return one(Row.double, [input]);
}

/**
 * The elements as `f16`.
 */
export function half(input: Tensor): Tensor {
  return one(Row.half, [input]);
}

/**
 * The elements as `bf16`.
 */
export function bfloat16(input: Tensor): Tensor {
  return one(Row.bfloat16, [input]);
}

/**
 * The elements as `i32`, floats towards zero.
 */
export function int(input: Tensor): Tensor {
  return one(Row.int, [input]);
}

/**
 * The elements as `i64`, floats towards zero.
 */
export function long(input: Tensor): Tensor {
  return one(Row.long, [input]);
}

/**
 * Whether each element is other than zero.
 */
export function toBool(input: Tensor): Tensor {
  return one(Row.to_bool, [input]);
}

/**
 * The tensor itself: tensors never change, and how they lie in memory is the device's affair.
 */
export function clone(input: Tensor): Tensor {
  return one(Row.clone, [input]);
}

/**
 * A box of the tensor: `ranges` are `[start, end]` or `[start, end, step]` of each axis, from the
 * first on. Where `ranges` is a single number, it is the one axis to slice, by `start`, `end` and
 * `step`. Positions may count from the end.
 *
 * Defaults: `step = 1`.
 */
export function slice(input: Tensor, ranges: number | readonly number[] | readonly (number | readonly number[])[], start?: number | null | Options.SliceOptions, end?: number | null | Options.SliceOptions, step?: number | Options.SliceOptions): Tensor {
  return one(Row.slice, [input, ranges, start, end, step]);
}

/**
 * `length` elements of axis `dim` from `start` on.
 */
export function narrow(input: Tensor, dim: number, start: number, length: number): Tensor {
  return one(Row.narrow, [input, dim, start, length]);
}

/**
 * Position `index` of axis `dim`, which disappears.
 */
export function select(input: Tensor, dim: number, index: number): Tensor {
  return one(Row.select, [input, dim, index]);
}

/**
 * The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
 *
 * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
 */
export function diagonal(input: Tensor, offset?: number | Options.DiagonalOptions, dim1?: number | Options.DiagonalOptions, dim2?: number | Options.DiagonalOptions): Tensor {
  return one(Row.diagonal, [input, offset, dim1, dim2]);
}

/**
 * Reverses the axes `dims`.
 */
export function flip(input: Tensor, ...dims: number[] | [readonly number[]]): Tensor {
  return one(Row.flip, [input, unwrap(dims)]);
}

/**
 * Reverses the second axis.
 */
export function fliplr(input: Tensor): Tensor {
  return one(Row.fliplr, [input]);
}

/**
 * Reverses the first axis.
 */
export function flipud(input: Tensor): Tensor {
  return one(Row.flipud, [input]);
}

/**
 * Shifts elements along axes; what leaves at one end comes back at the other. Without `dims` the
 * tensor is rolled as if flat.
 */
export function roll(input: Tensor, shifts: number | readonly number[], dims?: number | readonly number[] | null | Options.RollOptions): Tensor {
  return one(Row.roll, [input, shifts, dims]);
}

/**
 * Turns the plane of two axes by `k` quarters, from the first axis towards the second.
 *
 * Defaults: `k = 1`, `dims = [0,1]`.
 */
export function rot90(input: Tensor, k?: number | Options.Rot90Options, dims?: number | readonly number[] | Options.Rot90Options): Tensor {
  return one(Row.rot90, [input, k, dims]);
}

/**
 * The whole tensor repeated along each axis. `repeats` counts from the last axis and may add
 * leading ones.
 */
export function repeat(input: Tensor, ...repeats: number[] | [readonly number[]]): Tensor {
  return one(Row.repeat, [input, unwrap(repeats)]);
}

/**
 * `repeat` that fills `dims` up with leading ones.
 */
export function tile(input: Tensor, ...dims: number[] | [readonly number[]]): Tensor {
  return one(Row.tile, [input, unwrap(dims)]);
}

/**
 * Each element repeated in place, along `dim` or in the flat tensor. A tensor of `repeats`, one
 * for each position, needs the `output_size` they add up to.
 */
export function repeatInterleave(input: Tensor, repeats: Operand, dim?: number | null | Options.RepeatInterleaveOptions, outputSize?: number | null | Options.RepeatInterleaveOptions): Tensor {
  return one(Row.repeat_interleave, [input, repeats, dim, outputSize]);
}

/**
 * Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
 */
export function unfold(input: Tensor, dimension: number, size: number, step: number): Tensor {
  return one(Row.unfold, [input, dimension, size, step]);
}

/**
 * The patches a convolution looks at: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
 * patches]`. PyTorch's `nn.functional.unfold`.
 *
 * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
 */
export function im2col(input: Tensor, kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.Im2colOptions, padding?: number | readonly number[] | Options.Im2colOptions, stride?: number | readonly number[] | Options.Im2colOptions): Tensor {
  return one(Row.im2col, [input, kernelSize, dilation, padding, stride]);
}

/**
 * Adds patches, as `im2col` makes them, up into images of `output_size`.
 *
 * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
 */
export function fold(input: Tensor, outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.FoldOptions, padding?: number | readonly number[] | Options.FoldOptions, stride?: number | readonly number[] | Options.FoldOptions): Tensor {
  return one(Row.fold, [input, outputSize, kernelSize, dilation, padding, stride]);
}

/**
 * Adds elements around the tensor. `pad` lists `before, after` of the last axis, then of the one
 * before it, and so on; negative counts remove elements.
 *
 * Defaults: `mode = 'constant'`.
 */
export function pad(input: Tensor, pad: number | readonly number[], mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | Options.PadOptions, value?: number | null | Options.PadOptions): Tensor {
  return one(Row.pad, [input, pad, mode, value]);
}

/**
 * `pad` with one value around the tensor.
 *
 * Defaults: `value = 'int(0)'`.
 */
export function constantPadNd(input: Tensor, pad: number | readonly number[], value?: number | Options.ConstantPadNdOptions): Tensor {
  return one(Row.constant_pad_nd, [input, pad, value]);
}

/**
 * Tensors one after the other along `dim`; they agree on all other axes.
 *
 * Defaults: `dim = 0`.
 */
export function cat(tensors: readonly Tensor[], dim?: number | Options.CatOptions): Tensor {
  return one(Row.cat, [tensors, dim]);
}

/**
 * Tensors of one shape along a new axis, which is axis `dim` of the result.
 *
 * Defaults: `dim = 0`.
 */
export function stack(tensors: readonly Tensor[], dim?: number | Options.StackOptions): Tensor {
  return one(Row.stack, [tensors, dim]);
}

/**
 * Tensors side by side: along the second axis, vectors along their only one.
 */
export function hstack(tensors: readonly Tensor[]): Tensor {
  return one(Row.hstack, [tensors]);
}

/**
 * Tensors on top of each other: along the first axis, where vectors are rows.
 */
export function vstack(tensors: readonly Tensor[]): Tensor {
  return one(Row.vstack, [tensors]);
}

/**
 * Tensors behind each other: along the third axis.
 */
export function dstack(tensors: readonly Tensor[]): Tensor {
  return one(Row.dstack, [tensors]);
}

/**
 * Tensors side by side, where scalars and vectors are columns.
 */
export function columnStack(tensors: readonly Tensor[]): Tensor {
  return one(Row.column_stack, [tensors]);
}

/**
 * Parts along `dim`: of one size, the last perhaps shorter, or of several given ones.
 *
 * Defaults: `dim = 0`.
 */
export function split(tensor: Tensor, splitSizeOrSections: number | readonly number[], dim?: number | Options.SplitOptions): Tensor[] {
  return list(Row.split, [tensor, splitSizeOrSections, dim]);
}

/**
 * Parts of given sizes along `dim`.
 *
 * Defaults: `dim = 0`.
 */
export function splitWithSizes(input: Tensor, splitSizes: number | readonly number[], dim?: number | Options.SplitWithSizesOptions): Tensor[] {
  return list(Row.split_with_sizes, [input, splitSizes, dim]);
}

/**
 * At most `chunks` parts of one size along `dim`, the last perhaps shorter.
 *
 * Defaults: `dim = 0`.
 */
export function chunk(input: Tensor, chunks: number, dim?: number | Options.ChunkOptions): Tensor[] {
  return list(Row.chunk, [input, chunks, dim]);
}

/**
 * Parts along `dim`: a number of them whose sizes differ by one at most, or cut before each
 * position of a list.
 *
 * Defaults: `dim = 0`.
 */
export function tensorSplit(input: Tensor, indicesOrSections: number | readonly number[], dim?: number | Options.TensorSplitOptions): Tensor[] {
  return list(Row.tensor_split, [input, indicesOrSections, dim]);
}

/**
 * Parts side by side: along the second axis, of a vector along its only one.
 */
export function hsplit(input: Tensor, ...indicesOrSections: number[] | [readonly number[]]): Tensor[] {
  return list(Row.hsplit, [input, unwrap(indicesOrSections)]);
}

/**
 * Parts on top of each other: along the first axis of a matrix.
 */
export function vsplit(input: Tensor, ...indicesOrSections: number[] | [readonly number[]]): Tensor[] {
  return list(Row.vsplit, [input, unwrap(indicesOrSections)]);
}

/**
 * Parts behind each other: along the third axis.
 */
export function dsplit(input: Tensor, ...indicesOrSections: number[] | [readonly number[]]): Tensor[] {
  return list(Row.dsplit, [input, unwrap(indicesOrSections)]);
}

/**
 * Every position of axis `dim` as a tensor of its own.
 *
 * Defaults: `dim = 0`.
 */
export function unbind(input: Tensor, dim?: number | Options.UnbindOptions): Tensor[] {
  return list(Row.unbind, [input, dim]);
}

/**
 * `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
 *
 * Defaults: `dim = 0`, `step = 1`.
 */
export function sliceScatter(input: Tensor, src: Tensor, dim?: number | Options.SliceScatterOptions, start?: number | null | Options.SliceScatterOptions, end?: number | null | Options.SliceScatterOptions, step?: number | Options.SliceScatterOptions): Tensor {
  return one(Row.slice_scatter, [input, src, dim, start, end, step]);
}

/**
 * `input` with position `index` of axis `dim` replaced by `src`.
 */
export function selectScatter(input: Tensor, src: Tensor, dim: number, index: number): Tensor {
  return one(Row.select_scatter, [input, src, dim, index]);
}

/**
 * `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
 *
 * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
 */
export function diagonalScatter(input: Tensor, src: Tensor, offset?: number | Options.DiagonalScatterOptions, dim1?: number | Options.DiagonalScatterOptions, dim2?: number | Options.DiagonalScatterOptions): Tensor {
  return one(Row.diagonal_scatter, [input, src, offset, dim1, dim2]);
}

/**
 * `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
 */
export function gather(input: Tensor, dim: number, index: Tensor): Tensor {
  return one(Row.gather, [input, dim, index]);
}

/**
 * Elements at positions of the flat tensor; negative ones count from the end.
 */
export function take(input: Tensor, index: Tensor): Tensor {
  return one(Row.take, [input, index]);
}

/**
 * `gather` whose other axes broadcast and whose negative indices count from the end; without
 * `dim`, of the flat tensor.
 */
export function takeAlongDim(input: Tensor, indices: Tensor, dim?: number | null | Options.TakeAlongDimOptions): Tensor {
  return one(Row.take_along_dim, [input, indices, dim]);
}

/**
 * The positions `index` of axis `dim`.
 */
export function indexSelect(input: Tensor, dim: number, index: Tensor): Tensor {
  return one(Row.index_select, [input, dim, index]);
}

/**
 * `input` with `src`, a tensor or a number, at the places `index` names along `dim`; the reverse
 * of `gather`. Of several sources for one place the last stays, unless `reduce` combines them.
 */
export function scatter(input: Tensor, dim: number, index: Tensor, src?: Operand | null | Options.ScatterOptions, value?: Operand | null | Options.ScatterOptions, reduce?: 'add' | 'multiply' | null | Options.ScatterOptions): Tensor {
  return one(Row.scatter, [input, dim, index, src, value, reduce]);
}

/**
 * `input` with `src` added at the places `index` names along `dim`.
 */
export function scatterAdd(input: Tensor, dim: number, index: Tensor, src: Tensor): Tensor {
  return one(Row.scatter_add, [input, dim, index, src]);
}

/**
 * `input` with `src` combined in at the places `index` names along `dim`. Without `include_self`
 * the elements that were there do not count.
 *
 * Defaults: `includeSelf = true`.
 */
export function scatterReduce(input: Tensor, dim: number, index: Tensor, src: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.ScatterReduceOptions): Tensor {
  return one(Row.scatter_reduce, [input, dim, index, src, reduce, includeSelf]);
}

/**
 * `input` with the elements of `source` at positions of the flat tensor, or added to what is
 * there.
 *
 * Defaults: `accumulate = false`.
 */
export function put(input: Tensor, index: Tensor, source: Tensor, accumulate?: boolean | Options.PutOptions): Tensor {
  return one(Row.put, [input, index, source, accumulate]);
}

/**
 * `input` with `alpha · source` added at the positions `index` of axis `dim`.
 *
 * Defaults: `alpha = 'int(1)'`.
 */
export function indexAdd(input: Tensor, dim: number, index: Tensor, source: Tensor, alpha?: number | Options.IndexAddOptions): Tensor {
  return one(Row.index_add, [input, dim, index, source, alpha]);
}

/**
 * `input` with the positions `index` of axis `dim` replaced by `source`.
 */
export function indexCopy(input: Tensor, dim: number, index: Tensor, source: Tensor): Tensor {
  return one(Row.index_copy, [input, dim, index, source]);
}

/**
 * `input` with one value at the positions `index` of axis `dim`.
 */
export function indexFill(input: Tensor, dim: number, index: Tensor, value: Operand): Tensor {
  return one(Row.index_fill, [input, dim, index, value]);
}

/**
 * `input` with `source` combined in at the positions `index` of axis `dim`. Without
 * `include_self` the elements that were there do not count.
 *
 * Defaults: `includeSelf = true`.
 */
export function indexReduce(input: Tensor, dim: number, index: Tensor, source: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.IndexReduceOptions): Tensor {
  return one(Row.index_reduce, [input, dim, index, source, reduce, includeSelf]);
}

/**
 * `input` with the elements of `source`, one after the other, where `mask` is true.
 */
export function maskedScatter(input: Tensor, mask: Tensor, source: Tensor): Tensor {
  return one(Row.masked_scatter, [input, mask, source]);
}

/**
 * The rows of `weight` that `input` names. No gradient flows into the row `padding_idx`.
 */
export function embedding(input: Tensor, weight: Tensor, paddingIdx?: number | null | Options.EmbeddingOptions): Tensor {
  return one(Row.embedding, [input, weight, paddingIdx]);
}

/**
 * Sum, mean or maximum of the rows of `weight` that each bag names; zero for an empty bag. Bags
 * are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Rows
 * `padding_idx` do not count.
 *
 * Defaults: `mode = 'mean'`, `includeLastOffset = false`.
 */
export function embeddingBag(input: Tensor, weight: Tensor, offsets?: Tensor | null | Options.EmbeddingBagOptions, mode?: 'sum' | 'mean' | 'max' | Options.EmbeddingBagOptions, perSampleWeights?: Tensor | null | Options.EmbeddingBagOptions, includeLastOffset?: boolean | Options.EmbeddingBagOptions, paddingIdx?: number | null | Options.EmbeddingBagOptions): Tensor {
  return one(Row.embedding_bag, [input, weight, offsets, mode, perSampleWeights, includeLastOffset, paddingIdx]);
}

/**
 * Indices of the elements that are not zero, in order: one row for each element, or as a tuple
 * one tensor for each axis.
 *
 * Defaults: `asTuple = false`.
 */
export function nonzero(input: Tensor, asTuple?: boolean | Options.NonzeroOptions): Promise<Tensor | Tensor[]> {
  return reading(Row.nonzero, [input, asTuple]) as Promise<Tensor | Tensor[]>;
}

/**
 * Indices of the elements that are not zero, in order, one row for each element.
 */
export function argwhere(input: Tensor): Promise<Tensor> {
  return reading(Row.argwhere, [input]) as Promise<Tensor>;
}

/**
 * The elements where `mask`, broadcast against the tensor, is true, in order.
 */
export function maskedSelect(input: Tensor, mask: Tensor): Promise<Tensor> {
  return reading(Row.masked_select, [input, mask]) as Promise<Tensor>;
}

/**
 * How often each number from 0 to the largest occurs in a list of whole numbers, or the sum of
 * their `weights`. The result has at least `minlength` elements.
 *
 * Defaults: `minlength = 0`.
 */
export function bincount(input: Tensor, weights?: Tensor | null | Options.BincountOptions, minlength?: number | Options.BincountOptions): Promise<Tensor> {
  return reading(Row.bincount, [input, weights, minlength]) as Promise<Tensor>;
}

/**
 * The values that occur in a tensor, or the slices along `dim`, each once and in order of size;
 * then, if asked for, where in this list each element went, and how often each value occurs.
 * They are sorted also if not asked for.
 *
 * Defaults: `sorted = true`, `returnInverse = false`, `returnCounts = false`.
 */
export function unique(input: Tensor, sorted?: boolean | Options.UniqueOptions, returnInverse?: boolean | Options.UniqueOptions, returnCounts?: boolean | Options.UniqueOptions, dim?: number | null | Options.UniqueOptions): Promise<Tensor | Tensor[]> {
  return reading(Row.unique, [input, sorted, returnInverse, returnCounts, dim]) as Promise<Tensor | Tensor[]>;
}

/**
 * The values of a tensor, or the slices along `dim`, without those that equal the one before;
 * then, if asked for, where in this list each element went, and how often each was repeated.
 *
 * Defaults: `returnInverse = false`, `returnCounts = false`.
 */
export function uniqueConsecutive(input: Tensor, returnInverse?: boolean | Options.UniqueConsecutiveOptions, returnCounts?: boolean | Options.UniqueConsecutiveOptions, dim?: number | null | Options.UniqueConsecutiveOptions): Promise<Tensor | Tensor[]> {
  return reading(Row.unique_consecutive, [input, returnInverse, returnCounts, dim]) as Promise<Tensor | Tensor[]>;
}

/**
 * Each element along `dim` as often as `repeats`, a list of whole numbers, says; without `dim`,
 * each element of all. `output_size` is the length of the result, if known.
 */
export function repeatInterleaveTensor(input: Tensor, repeats: Tensor, dim?: number | null | Options.RepeatInterleaveTensorOptions, outputSize?: number | null | Options.RepeatInterleaveTensorOptions): Promise<Tensor> {
  return reading(Row.repeat_interleave_tensor, [input, repeats, dim, outputSize]) as Promise<Tensor>;
}

/**
 * Matrix product of `input` and `other` over the last axis of the one and the last but one of the
 * other. Leading axes broadcast; a vector counts as a row on the left and as a column on the
 * right, and its axis disappears.
 */
export function matmul(input: Tensor, other: Tensor): Tensor {
  return one(Row.matmul, [input, other]);
}

/**
 * Product of two matrices, without broadcasting.
 */
export function mm(input: Tensor, mat2: Tensor): Tensor {
  return one(Row.mm, [input, mat2]);
}

/**
 * Product of the matrices of two batches, one by one.
 */
export function bmm(input: Tensor, mat2: Tensor): Tensor {
  return one(Row.bmm, [input, mat2]);
}

/**
 * Product of a matrix and a vector.
 */
export function mv(input: Tensor, vec: Tensor): Tensor {
  return one(Row.mv, [input, vec]);
}

/**
 * Sum of the products of two vectors' elements.
 */
export function dot(input: Tensor, tensor: Tensor): Tensor {
  return one(Row.dot, [input, tensor]);
}

/**
 * Every element of one vector times every element of another: `y[i, j] = input[i] · vec2[j]`.
 */
export function outer(input: Tensor, vec2: Tensor): Tensor {
  return one(Row.outer, [input, vec2]);
}

/**
 * `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is not looked at.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export function addmm(input: Tensor, mat1: Tensor, mat2: Tensor, beta?: number | Options.AddmmOptions, alpha?: number | Options.AddmmOptions): Tensor {
  return one(Row.addmm, [input, mat1, mat2, beta, alpha]);
}

/**
 * `beta · input + alpha · (mat @ vec)`.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export function addmv(input: Tensor, mat: Tensor, vec: Tensor, beta?: number | Options.AddmvOptions, alpha?: number | Options.AddmvOptions): Tensor {
  return one(Row.addmv, [input, mat, vec, beta, alpha]);
}

/**
 * `beta · input + alpha · outer(vec1, vec2)`.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export function addr(input: Tensor, vec1: Tensor, vec2: Tensor, beta?: number | Options.AddrOptions, alpha?: number | Options.AddrOptions): Tensor {
  return one(Row.addr, [input, vec1, vec2, beta, alpha]);
}

/**
 * `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export function baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta?: number | Options.BaddbmmOptions, alpha?: number | Options.BaddbmmOptions): Tensor {
  return one(Row.baddbmm, [input, batch1, batch2, beta, alpha]);
}

/**
 * `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export function addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta?: number | Options.AddbmmOptions, alpha?: number | Options.AddbmmOptions): Tensor {
  return one(Row.addbmm, [input, batch1, batch2, beta, alpha]);
}

/**
 * A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
 */
export function linear(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.LinearOptions): Tensor {
  return one(Row.linear, [input, weight, bias]);
}

/**
 * A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
 */
export function bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias?: Tensor | null | Options.BilinearOptions): Tensor {
  return one(Row.bilinear, [input1, input2, weight, bias]);
}

/**
 * Kronecker product: every element of `input` times the whole of `other`, in blocks.
 */
export function kron(input: Tensor, other: Tensor): Tensor {
  return one(Row.kron, [input, other]);
}

/**
 * Cross product of vectors of three, which lie along `dim`; by default the first axis of length
 * three.
 */
export function cross(input: Tensor, other: Tensor, dim?: number | null | Options.CrossOptions): Tensor {
  return one(Row.cross, [input, other, dim]);
}

/**
 * Product of a chain of matrices, in the order that takes the fewest multiplications. The first
 * and the last may be vectors.
 */
export function multiDot(tensors: readonly Tensor[]): Tensor {
  return one(Row.multi_dot, [tensors]);
}

/**
 * A square matrix multiplied with itself `n` times; the identity for `n` zero.
 */
export function matrixPower(input: Tensor, n: number): Tensor {
  return one(Row.matrix_power, [input, n]);
}

/**
 * Sums of products over named axes, such as `'bij,bjk->bik'`. An axis that is not in the output
 * is summed over; a name twice in one operand means its diagonal; `...` stands for axes that
 * broadcast. Without `->` the output is the ellipsis and then the names that occur once, in
 * alphabetical order. Operands are contracted from left to right.
 */
export function einsum(equation: string, operands: readonly Tensor[]): Tensor {
  return one(Row.einsum, [equation, operands]);
}

/**
 * Contracts axes of `a` with axes of `b`: the last `dims` of the one with the first of the other,
 * or those named in two lists.
 *
 * Defaults: `dims = [[2]]`.
 */
export function tensordot(a: Tensor, b: Tensor, dims?: number | readonly number[] | readonly (number | readonly number[])[] | Options.TensordotOptions): Tensor {
  return one(Row.tensordot, [a, b, dims]);
}

/**
 * Sums of products over the last axis of both; with a scalar, its product with the other.
 */
export function inner(input: Tensor, other: Tensor): Tensor {
  return one(Row.inner, [input, other]);
}

/**
 * Distance of each row of `x1` from each row of `x2`: the `p`-norm of their difference. Leading
 * axes broadcast.
 *
 * Defaults: `p = 2`.
 */
export function cdist(x1: Tensor, x2: Tensor, p?: number | Options.CdistOptions): Tensor {
  return one(Row.cdist, [x1, x2, p]);
}

/**
 * Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
 * vector.
 *
 * Defaults: `p = 2`.
 */
export function pdist(input: Tensor, p?: number | Options.PdistOptions): Tensor {
  return one(Row.pdist, [input, p]);
}

/**
 * Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
 *
 * Defaults: `p = 2`, `eps = 1e-6`, `keepdim = false`.
 */
export function pairwiseDistance(x1: Tensor, x2: Tensor, p?: number | Options.PairwiseDistanceOptions, eps?: number | Options.PairwiseDistanceOptions, keepdim?: boolean | Options.PairwiseDistanceOptions): Tensor {
  return one(Row.pairwise_distance, [x1, x2, p, eps, keepdim]);
}

/**
 * Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products under
 * a sliding kernel. The batch axis may be missing.
 *
 * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
 */
export function conv1d(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.Conv1dOptions, stride?: number | readonly number[] | Options.Conv1dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv1dOptions, dilation?: number | readonly number[] | Options.Conv1dOptions, groups?: number | Options.Conv1dOptions): Tensor {
  return one(Row.conv1d, [input, weight, bias, stride, padding, dilation, groups]);
}

/**
 * Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
 * products under a sliding kernel. The batch axis may be missing.
 *
 * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
 */
export function conv2d(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.Conv2dOptions, stride?: number | readonly number[] | Options.Conv2dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv2dOptions, dilation?: number | readonly number[] | Options.Conv2dOptions, groups?: number | Options.Conv2dOptions): Tensor {
  return one(Row.conv2d, [input, weight, bias, stride, padding, dilation, groups]);
}

/**
 * Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
 * products under a sliding kernel. The batch axis may be missing.
 *
 * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
 */
export function conv3d(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.Conv3dOptions, stride?: number | readonly number[] | Options.Conv3dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv3dOptions, dilation?: number | readonly number[] | Options.Conv3dOptions, groups?: number | Options.Conv3dOptions): Tensor {
  return one(Row.conv3d, [input, weight, bias, stride, padding, dilation, groups]);
}

/**
 * Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
 * adds the kernel to the output, `stride` apart.
 *
 * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
 */
export function convTranspose1d(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.ConvTranspose1dOptions, stride?: number | readonly number[] | Options.ConvTranspose1dOptions, padding?: number | readonly number[] | Options.ConvTranspose1dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose1dOptions, groups?: number | Options.ConvTranspose1dOptions, dilation?: number | readonly number[] | Options.ConvTranspose1dOptions): Tensor {
  return one(Row.conv_transpose1d, [input, weight, bias, stride, padding, outputPadding, groups, dilation]);
}

/**
 * Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
 * element adds the kernel to the output, `stride` apart.
 *
 * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
 */
export function convTranspose2d(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.ConvTranspose2dOptions, stride?: number | readonly number[] | Options.ConvTranspose2dOptions, padding?: number | readonly number[] | Options.ConvTranspose2dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose2dOptions, groups?: number | Options.ConvTranspose2dOptions, dilation?: number | readonly number[] | Options.ConvTranspose2dOptions): Tensor {
  return one(Row.conv_transpose2d, [input, weight, bias, stride, padding, outputPadding, groups, dilation]);
}

/**
 * Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
 * every element adds the kernel to the output, `stride` apart.
 *
 * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
 */
export function convTranspose3d(input: Tensor, weight: Tensor, bias?: Tensor | null | Options.ConvTranspose3dOptions, stride?: number | readonly number[] | Options.ConvTranspose3dOptions, padding?: number | readonly number[] | Options.ConvTranspose3dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose3dOptions, groups?: number | Options.ConvTranspose3dOptions, dilation?: number | readonly number[] | Options.ConvTranspose3dOptions): Tensor {
  return one(Row.conv_transpose3d, [input, weight, bias, stride, padding, outputPadding, groups, dilation]);
}

/**
 * Largest element of each window along the last axis. Windows are `stride` apart, by default
 * their own size. With `return_indices` also where it was found.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export function maxPool1d(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): Tensor {
  return one(Row.max_pool1d, [input, kernelSize, stride, padding, dilation, ceilMode]);
}

/**
 * Largest element of each window along the last axis. Windows are `stride` apart, by default
 * their own size. With `return_indices` also where it was found.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export function maxPool1dWithIndices(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): [Tensor, Tensor] {
  return pair(Row.max_pool1d, [input, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });
}

/**
 * Largest element of each window over the last two axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened plane.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export function maxPool2d(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): Tensor {
  return one(Row.max_pool2d, [input, kernelSize, stride, padding, dilation, ceilMode]);
}

/**
 * Largest element of each window over the last two axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened plane.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export function maxPool2dWithIndices(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): [Tensor, Tensor] {
  return pair(Row.max_pool2d, [input, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });
}

/**
 * Largest element of each window over the last three axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened volume.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export function maxPool3d(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): Tensor {
  return one(Row.max_pool3d, [input, kernelSize, stride, padding, dilation, ceilMode]);
}

/**
 * Largest element of each window over the last three axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened volume.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export function maxPool3dWithIndices(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): [Tensor, Tensor] {
  return pair(Row.max_pool3d, [input, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });
}

/**
 * Mean of each window along the last axis. Windows are `stride` apart, by default their own
 * size.
 *
 * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
 */
export function avgPool1d(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool1dOptions, padding?: number | readonly number[] | Options.AvgPool1dOptions, ceilMode?: boolean | Options.AvgPool1dOptions, countIncludePad?: boolean | Options.AvgPool1dOptions, divisorOverride?: number | null | Options.AvgPool1dOptions): Tensor {
  return one(Row.avg_pool1d, [input, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);
}

/**
 * Mean of each window over the last two axes. Windows are `stride` apart, by default their
 * own size. Zeros of the padding count unless `count_include_pad` is false;
 * `divisor_override` replaces the count.
 *
 * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
 */
export function avgPool2d(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool2dOptions, padding?: number | readonly number[] | Options.AvgPool2dOptions, ceilMode?: boolean | Options.AvgPool2dOptions, countIncludePad?: boolean | Options.AvgPool2dOptions, divisorOverride?: number | null | Options.AvgPool2dOptions): Tensor {
  return one(Row.avg_pool2d, [input, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);
}

/**
 * Mean of each window over the last three axes, as `avg_pool2d`.
 *
 * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
 */
export function avgPool3d(input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool3dOptions, padding?: number | readonly number[] | Options.AvgPool3dOptions, ceilMode?: boolean | Options.AvgPool3dOptions, countIncludePad?: boolean | Options.AvgPool3dOptions, divisorOverride?: number | null | Options.AvgPool3dOptions): Tensor {
  return one(Row.avg_pool3d, [input, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);
}

/**
 * `norm_type`-norm of each window along the last axis.
 *
 * Defaults: `ceilMode = false`.
 */
export function lpPool1d(input: Tensor, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool1dOptions, ceilMode?: boolean | Options.LpPool1dOptions): Tensor {
  return one(Row.lp_pool1d, [input, normType, kernelSize, stride, ceilMode]);
}

/**
 * `norm_type`-norm of each window over the last two axes.
 *
 * Defaults: `ceilMode = false`.
 */
export function lpPool2d(input: Tensor, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool2dOptions, ceilMode?: boolean | Options.LpPool2dOptions): Tensor {
  return one(Row.lp_pool2d, [input, normType, kernelSize, stride, ceilMode]);
}

/**
 * Largest elements of `output_size` windows of as equal a length as can be, along the last
 * axis.
 *
 * Defaults: `returnIndices = false`.
 */
export function adaptiveMaxPool1d(input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor {
  return one(Row.adaptive_max_pool1d, [input, outputSize]);
}

/**
 * Largest elements of `output_size` windows of as equal a length as can be, along the last
 * axis.
 *
 * Defaults: `returnIndices = false`.
 */
export function adaptiveMaxPool1dWithIndices(input: Tensor, outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] {
  return pair(Row.adaptive_max_pool1d, [input, outputSize], { returnIndices: true });
}

/**
 * Largest elements of `output_size` windows of as equal a size as can be, over the last two
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export function adaptiveMaxPool2d(input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor {
  return one(Row.adaptive_max_pool2d, [input, outputSize]);
}

/**
 * Largest elements of `output_size` windows of as equal a size as can be, over the last two
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export function adaptiveMaxPool2dWithIndices(input: Tensor, outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] {
  return pair(Row.adaptive_max_pool2d, [input, outputSize], { returnIndices: true });
}

/**
 * Largest elements of `output_size` windows of as equal a size as can be, over the last three
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export function adaptiveMaxPool3d(input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor {
  return one(Row.adaptive_max_pool3d, [input, outputSize]);
}

/**
 * Largest elements of `output_size` windows of as equal a size as can be, over the last three
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export function adaptiveMaxPool3dWithIndices(input: Tensor, outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] {
  return pair(Row.adaptive_max_pool3d, [input, outputSize], { returnIndices: true });
}

/**
 * Means of `output_size` windows of as equal a length as can be, along the last axis.
 */
export function adaptiveAvgPool1d(input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor {
  return one(Row.adaptive_avg_pool1d, [input, outputSize]);
}

/**
 * Means of `output_size` windows of as equal a size as can be, over the last two axes; `none`
 * keeps an axis.
 */
export function adaptiveAvgPool2d(input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor {
  return one(Row.adaptive_avg_pool2d, [input, outputSize]);
}

/**
 * Means of `output_size` windows of as equal a size as can be, over the last three axes;
 * `none` keeps an axis.
 */
export function adaptiveAvgPool3d(input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor {
  return one(Row.adaptive_avg_pool3d, [input, outputSize]);
}

/**
 * Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
 * `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
 * the others for any. With `align_corners` the corner elements keep their values and places.
 * With `antialias` shrinking averages over all the elements an output element covers.
 *
 * Defaults: `mode = 'nearest'`, `antialias = false`.
 */
export function interpolate(input: Tensor, size?: number | readonly number[] | null | Options.InterpolateOptions, scaleFactor?: number | readonly number[] | null | Options.InterpolateOptions, mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.InterpolateOptions, alignCorners?: boolean | null | Options.InterpolateOptions, recomputeScaleFactor?: boolean | null | Options.InterpolateOptions, antialias?: boolean | Options.InterpolateOptions): Tensor {
  return one(Row.interpolate, [input, size, scaleFactor, mode, alignCorners, recomputeScaleFactor, antialias]);
}

/**
 * Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
 */
export function upsampleNearest(input: Tensor, size?: number | readonly number[] | null | Options.UpsampleNearestOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleNearestOptions): Tensor {
  return one(Row.upsample_nearest, [input, size, scaleFactor]);
}

/**
 * Resizes by bilinear interpolation with aligned corners.
 */
export function upsampleBilinear(input: Tensor, size?: number | readonly number[] | null | Options.UpsampleBilinearOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleBilinearOptions): Tensor {
  return one(Row.upsample_bilinear, [input, size, scaleFactor]);
}

/**
 * Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
 * number of axes may stand before.
 *
 * Defaults: `mode = 'bilinear'`, `antialias = false`.
 */
export function resize(input: Tensor, size: number | readonly number[], mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.ResizeOptions, antialias?: boolean | Options.ResizeOptions): Tensor {
  return one(Row.resize, [input, size, mode, antialias]);
}

/**
 * Reads `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
 * `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. These are the centres of the corner elements
 * with `align_corners`, else their outer edges.
 *
 * Defaults: `mode = 'bilinear'`, `paddingMode = 'zeros'`, `alignCorners = false`.
 */
export function gridSample(input: Tensor, grid: Tensor, mode?: 'bilinear' | 'nearest' | 'bicubic' | Options.GridSampleOptions, paddingMode?: 'zeros' | 'border' | 'reflection' | Options.GridSampleOptions, alignCorners?: boolean | Options.GridSampleOptions): Tensor {
  return one(Row.grid_sample, [input, grid, mode, paddingMode, alignCorners]);
}

/**
 * `grid_sample` of images with the modes as numbers, in the order of their lists.
 */
export function gridSampler2d(input: Tensor, grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor {
  return one(Row.grid_sampler_2d, [input, grid, interpolationMode, paddingMode, alignCorners]);
}

/**
 * `grid_sample` of volumes with the modes as numbers, in the order of their lists.
 */
export function gridSampler3d(input: Tensor, grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor {
  return one(Row.grid_sampler_3d, [input, grid, interpolationMode, paddingMode, alignCorners]);
}

/**
 * The grid for `grid_sample` that shows an image of `size` under the affine maps
 * `theta [N, 2, 3]` (or a volume, `[N, 3, 4]`).
 *
 * Defaults: `alignCorners = false`.
 */
export function affineGrid(theta: Tensor, size: number | readonly number[], alignCorners?: boolean | Options.AffineGridOptions): Tensor {
  return one(Row.affine_grid, [theta, size, alignCorners]);
}

/**
 * Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
 */
export function pixelShuffle(input: Tensor, upscaleFactor: number): Tensor {
  return one(Row.pixel_shuffle, [input, upscaleFactor]);
}

/**
 * Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
 */
export function pixelUnshuffle(input: Tensor, downscaleFactor: number): Tensor {
  return one(Row.pixel_unshuffle, [input, downscaleFactor]);
}

/**
 * Deals the channels of `[N, C, …]` out again: those of each of `groups` groups go to all groups.
 */
export function channelShuffle(input: Tensor, groups: number): Tensor {
  return one(Row.channel_shuffle, [input, groups]);
}

/**
 * The part of an image that begins at `top` and `left`; what lies outside the image is zero.
 */
export function crop(input: Tensor, top: number, left: number, height: number, width: number): Tensor {
  return one(Row.crop, [input, top, left, height, width]);
}

/**
 * The middle of an image; `size` is one number for both axes or one for each. A smaller image is
 * surrounded by zeros.
 */
export function centerCrop(input: Tensor, ...size: number[] | [readonly number[]]): Tensor {
  return one(Row.center_crop, [input, unwrap(size)]);
}

/**
 * Mirrors images left to right.
 */
export function hflip(input: Tensor): Tensor {
  return one(Row.hflip, [input]);
}

/**
 * Mirrors images top to bottom.
 */
export function vflip(input: Tensor): Tensor {
  return one(Row.vflip, [input]);
}

/**
 * `(input − mean) / std`, with one number for each channel, or one for all.
 */
export function normalizeChannels(input: Tensor, mean: number | readonly number[], std: number | readonly number[]): Tensor {
  return one(Row.normalize_channels, [input, mean, std]);
}

/**
 * The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
 * repeated for three.
 *
 * Defaults: `numOutputChannels = 1`.
 */
export function rgbToGrayscale(input: Tensor, numOutputChannels?: number | Options.RgbToGrayscaleOptions): Tensor {
  return one(Row.rgb_to_grayscale, [input, numOutputChannels]);
}

/**
 * Repeats the one channel of images `[…, 1, H, W]` three times.
 */
export function grayscaleToRgb(input: Tensor): Tensor {
  return one(Row.grayscale_to_rgb, [input]);
}

/**
 * Multiplies colours by a factor: 0 is black, 1 the image itself.
 */
export function adjustBrightness(input: Tensor, brightnessFactor: number): Tensor {
  return one(Row.adjust_brightness, [input, brightnessFactor]);
}

/**
 * Moves colours away from the mean brightness: 0 is one gray, 1 the image itself.
 */
export function adjustContrast(input: Tensor, contrastFactor: number): Tensor {
  return one(Row.adjust_contrast, [input, contrastFactor]);
}

/**
 * Moves colours away from gray: 0 is a gray image, 1 the image itself.
 */
export function adjustSaturation(input: Tensor, saturationFactor: number): Tensor {
  return one(Row.adjust_saturation, [input, saturationFactor]);
}

/**
 * Softmax along `dim`: exponentials that add up to one.
 *
 * `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
 *
 * Defaults: `dim = -1`.
 */
export function softmax(input: Tensor, dim?: number | Options.SoftmaxOptions, dtype?: DTypeName | null | Options.SoftmaxOptions): Tensor {
  return one(Row.softmax, [input, dim, dtype]);
}

/**
 * Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
 *
 * Defaults: `dim = -1`.
 */
export function logSoftmax(input: Tensor, dim?: number | Options.LogSoftmaxOptions, dtype?: DTypeName | null | Options.LogSoftmaxOptions): Tensor {
  return one(Row.log_softmax, [input, dim, dtype]);
}

/**
 * Softmax of the negated input: the smallest element gets the largest share.
 *
 * Defaults: `dim = -1`.
 */
export function softmin(input: Tensor, dim?: number | Options.SoftminOptions, dtype?: DTypeName | null | Options.SoftminOptions): Tensor {
  return one(Row.softmin, [input, dim, dtype]);
}

/**
 * Softmax over the last axis of scores `[…, T, S]` in which query `i` sees keys `0..=i` alone.
 */
export function softmaxCausal(input: Tensor): Tensor {
  return one(Row.softmax_causal, [input]);
}

/**
 * `input` on and below the diagonal of its last two axes, `value` above it.
 */
export function whereCausal(input: Tensor, value: number): Tensor {
  return one(Row.where_causal, [input, value]);
}

/**
 * Which of `size` keys each of `size` queries may see: true on and below the diagonal, as
 * `scaled_dot_product_attention` takes it.
 */
export function causalMask(size: number): Tensor {
  return one(Row.causal_mask, [size]);
}

/**
 * Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
 * then scales by `weight` and shifts by `bias`.
 *
 * `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
 *
 * Defaults: `eps = 1e-5`.
 */
export function layerNorm(input: Tensor, normalizedShape: number | readonly number[], weight?: Tensor | null | Options.LayerNormOptions, bias?: Tensor | null | Options.LayerNormOptions, eps?: number | Options.LayerNormOptions): Tensor {
  return one(Row.layer_norm, [input, normalizedShape, weight, bias, eps]);
}

/**
 * Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
 * scales by `weight`.
 *
 * `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the precision of the dtype is taken.
 */
export function rmsNorm(input: Tensor, normalizedShape: number | readonly number[], weight?: Tensor | null | Options.RmsNormOptions, eps?: number | null | Options.RmsNormOptions): Tensor {
  return one(Row.rms_norm, [input, normalizedShape, weight, eps]);
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
export function batchNorm(input: Tensor, runningMean?: Tensor | null | Options.BatchNormOptions, runningVar?: Tensor | null | Options.BatchNormOptions, weight?: Tensor | null | Options.BatchNormOptions, bias?: Tensor | null | Options.BatchNormOptions, training?: boolean | Options.BatchNormOptions, momentum?: number | Options.BatchNormOptions, eps?: number | Options.BatchNormOptions): Tensor {
  return one(Row.batch_norm, [input, runningMean, runningVar, weight, bias, training, momentum, eps]);
}

/**
 * The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
 * the unbiased variance of the batch.
 *
 * Defaults: `momentum = 0.1`.
 */
export function batchNormStats(input: Tensor, runningMean: Tensor, runningVar: Tensor, momentum?: number | Options.BatchNormStatsOptions): [Tensor, Tensor] {
  return pair(Row.batch_norm_stats, [input, runningMean, runningVar, momentum]);
}

/**
 * Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
 * `weight` and shifts by `bias`, which have one element per channel.
 *
 * Defaults: `eps = 1e-5`.
 */
export function groupNorm(input: Tensor, numGroups: number, weight?: Tensor | null | Options.GroupNormOptions, bias?: Tensor | null | Options.GroupNormOptions, eps?: number | Options.GroupNormOptions): Tensor {
  return one(Row.group_norm, [input, numGroups, weight, bias, eps]);
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
export function instanceNorm(input: Tensor, runningMean?: Tensor | null | Options.InstanceNormOptions, runningVar?: Tensor | null | Options.InstanceNormOptions, weight?: Tensor | null | Options.InstanceNormOptions, bias?: Tensor | null | Options.InstanceNormOptions, useInputStats?: boolean | Options.InstanceNormOptions, momentum?: number | Options.InstanceNormOptions, eps?: number | Options.InstanceNormOptions): Tensor {
  return one(Row.instance_norm, [input, runningMean, runningVar, weight, bias, useInputStats, momentum, eps]);
}

/**
 * Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
 *
 * Defaults: `p = 2`, `dim = 1`, `eps = 1e-12`.
 */
export function normalize(input: Tensor, p?: number | Options.NormalizeOptions, dim?: number | Options.NormalizeOptions, eps?: number | Options.NormalizeOptions): Tensor {
  return one(Row.normalize, [input, p, dim, eps]);
}

/**
 * Divides each element by a power of the energy of `size` neighbouring channels (axis 1):
 * `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
 *
 * Defaults: `alpha = 1e-4`, `beta = 0.75`, `k = 1`.
 */
export function localResponseNorm(input: Tensor, size: number, alpha?: number | Options.LocalResponseNormOptions, beta?: number | Options.LocalResponseNormOptions, k?: number | Options.LocalResponseNormOptions): Tensor {
  return one(Row.local_response_norm, [input, size, alpha, beta, k]);
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
export function scaledDotProductAttention(query: Tensor, key: Tensor, value: Tensor, attnMask?: Tensor | null | Options.ScaledDotProductAttentionOptions, dropoutP?: number | Options.ScaledDotProductAttentionOptions, isCausal?: boolean | Options.ScaledDotProductAttentionOptions, scale?: number | null | Options.ScaledDotProductAttentionOptions, enableGqa?: boolean | Options.ScaledDotProductAttentionOptions): Tensor {
  return one(Row.scaled_dot_product_attention, [query, key, value, attnMask, dropoutP, isCausal, scale, enableGqa]);
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
export function multiHeadAttention(query: Tensor, key: Tensor, value: Tensor, numHeads: number, inProjWeight: Tensor, inProjBias: Tensor | null | undefined, outProjWeight: Tensor, outProjBias?: Tensor | null | Options.MultiHeadAttentionOptions, attnMask?: Tensor | null | Options.MultiHeadAttentionOptions, isCausal?: boolean | Options.MultiHeadAttentionOptions, keyPaddingMask?: Tensor | null | Options.MultiHeadAttentionOptions): [Tensor, Tensor] {
  return pair(Row.multi_head_attention, [query, key, value, numHeads, inProjWeight, inProjBias, outProjWeight, outProjBias, attnMask, isCausal, keyPaddingMask]);
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
export function rope(input: Tensor, positions?: Tensor | null | Options.RopeOptions, base?: number | Options.RopeOptions, layout?: 'halves' | 'interleaved' | Options.RopeOptions): Tensor {
  return one(Row.rope, [input, positions, base, layout]);
}

/**
 * The table `[len, dim]` of waves that tells a transformer positions: at position `p`, element
 * `2i` is `sin(p / base^(2i/dim))` and element `2i + 1` its cosine.
 *
 * Defaults: `base = 10000`.
 */
export function sinusoidalPositions(len: number, dim: number, base?: number | Options.SinusoidalPositionsOptions): Tensor {
  return one(Row.sinusoidal_positions, [len, dim, base]);
}

/**
 * One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, both
 * also without the batch: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
 *
 * Defaults: `nonlinearity = 'tanh'`.
 */
export function rnnCell(input: Tensor, hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.RnnCellOptions, bHh?: Tensor | null | Options.RnnCellOptions, nonlinearity?: 'tanh' | 'relu' | Options.RnnCellOptions): Tensor {
  return one(Row.rnn_cell, [input, hx, wIh, wHh, bIh, bHh, nonlinearity]);
}

/**
 * One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, both
 * also without the batch. The weights hold the gates r, z, n one after the other.
 *
 * `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
 * `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
 */
export function gruCell(input: Tensor, hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.GruCellOptions, bHh?: Tensor | null | Options.GruCellOptions): Tensor {
  return one(Row.gru_cell, [input, hx, wIh, wHh, bIh, bHh]);
}

/**
 * One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
 * `cx` `[B, H]`, all also without the batch. The weights hold the gates i, f, g, o one after the
 * other. Returns the new states.
 *
 * `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
 * projections of input and state with biases.
 */
export function lstmCell(input: Tensor, hx: Tensor, cx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.LstmCellOptions, bHh?: Tensor | null | Options.LstmCellOptions): [Tensor, Tensor] {
  return pair(Row.lstm_cell, [input, hx, cx, wIh, wHh, bIh, bHh]);
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
export function rnn(input: Tensor, hx: Tensor | null | undefined, params: readonly Tensor[], nonlinearity?: 'tanh' | 'relu' | Options.RnnOptions, batchFirst?: boolean | Options.RnnOptions, bidirectional?: boolean | Options.RnnOptions): [Tensor, Tensor] {
  return pair(Row.rnn, [input, hx, params, nonlinearity, batchFirst, bidirectional]);
}

/**
 * Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
 * in `gru_cell`.
 *
 * Defaults: `batchFirst = false`, `bidirectional = false`.
 */
export function gru(input: Tensor, hx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.GruOptions, bidirectional?: boolean | Options.GruOptions): [Tensor, Tensor] {
  return pair(Row.gru, [input, hx, params, batchFirst, bidirectional]);
}

/**
 * Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
 * cell states `cx` beside the hidden ones, the cell as in `lstm_cell`.
 *
 * Defaults: `batchFirst = false`, `bidirectional = false`.
 */
export function lstm(input: Tensor, hx: Tensor | null | undefined, cx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.LstmOptions, bidirectional?: boolean | Options.LstmOptions): [Tensor, Tensor, Tensor] {
  return triple(Row.lstm, [input, hx, cx, params, batchFirst, bidirectional]);
}

/**
 * Squared differences, `(input − target)²`; with a `weight`, the mean is one of its sum.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function mseLoss(input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MseLossOptions, weight?: Tensor | null | Options.MseLossOptions): Tensor {
  return one(Row.mse_loss, [input, target, reduction, weight]);
}

/**
 * Absolute differences, `|input − target|`; with a `weight`, the mean is one of its sum.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function l1Loss(input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.L1LossOptions, weight?: Tensor | null | Options.L1LossOptions): Tensor {
  return one(Row.l1_loss, [input, target, reduction, weight]);
}

/**
 * Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
 * `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
 *
 * Defaults: `reduction = 'mean'`, `beta = 1`.
 */
export function smoothL1Loss(input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SmoothL1LossOptions, beta?: number | Options.SmoothL1LossOptions): Tensor {
  return one(Row.smooth_l1_loss, [input, target, reduction, beta]);
}

/**
 * Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
 * `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
 *
 * Defaults: `reduction = 'mean'`, `delta = 1`.
 */
export function huberLoss(input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.HuberLossOptions, delta?: number | Options.HuberLossOptions, weight?: Tensor | null | Options.HuberLossOptions): Tensor {
  return one(Row.huber_loss, [input, target, reduction, delta, weight]);
}

/**
 * Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
 * `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
 *
 * Defaults: `reduction = 'mean'`, `logTarget = false`.
 */
export function klDiv(input: Tensor, target: Tensor, reduction?: 'mean' | 'batchmean' | 'sum' | 'none' | Options.KlDivOptions, logTarget?: boolean | Options.KlDivOptions): Tensor {
  return one(Row.kl_div, [input, target, reduction, logTarget]);
}

/**
 * Negative log-likelihood of `target` under normal distributions of mean `input` and variance
 * `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
 *
 * `full` adds the constant `log(2π) / 2`. A variance without the last axis is one for all of it.
 *
 * Defaults: `full = false`, `eps = 1e-6`, `reduction = 'mean'`.
 */
export function gaussianNllLoss(input: Tensor, target: Tensor, var_: Operand, full?: boolean | Options.GaussianNllLossOptions, eps?: number | Options.GaussianNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.GaussianNllLossOptions): Tensor {
  return one(Row.gaussian_nll_loss, [input, target, var_, full, eps, reduction]);
}

/**
 * Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
 * or `input − target · log(input + eps)` where `log_input` is false.
 *
 * `full` adds Stirling's approximation of `log(target!)` where the target is above one.
 *
 * Defaults: `logInput = true`, `full = false`, `eps = 1e-8`, `reduction = 'mean'`.
 */
export function poissonNllLoss(input: Tensor, target: Tensor, logInput?: boolean | Options.PoissonNllLossOptions, full?: boolean | Options.PoissonNllLossOptions, eps?: number | Options.PoissonNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.PoissonNllLossOptions): Tensor {
  return one(Row.poisson_nll_loss, [input, target, logInput, full, eps, reduction]);
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
export function crossEntropy(input: Tensor, target: Tensor, weight?: Tensor | null | Options.CrossEntropyOptions, ignoreIndex?: number | Options.CrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CrossEntropyOptions, labelSmoothing?: number | Options.CrossEntropyOptions): Tensor {
  return one(Row.cross_entropy, [input, target, weight, ignoreIndex, reduction, labelSmoothing]);
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
export function nllLoss(input: Tensor, target: Tensor, weight?: Tensor | null | Options.NllLossOptions, ignoreIndex?: number | Options.NllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.NllLossOptions): Tensor {
  return one(Row.nll_loss, [input, target, weight, ignoreIndex, reduction]);
}

/**
 * Cross entropy of probabilities and labels between 0 and 1:
 * `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
 *
 * Logarithms count as −100 at least, and the gradient stays finite.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function binaryCrossEntropy(input: Tensor, target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyOptions): Tensor {
  return one(Row.binary_cross_entropy, [input, target, weight, reduction]);
}

/**
 * `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
 * `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
 *
 * `pos_weight` multiplies the part of the loss that `target` has.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function binaryCrossEntropyWithLogits(input: Tensor, target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyWithLogitsOptions, posWeight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions): Tensor {
  return one(Row.binary_cross_entropy_with_logits, [input, target, weight, reduction, posWeight]);
}

/**
 * Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
 *
 * Defaults: `margin = 1`, `reduction = 'mean'`.
 */
export function hingeLoss(input: Tensor, target: Tensor, margin?: number | Options.HingeLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeLossOptions): Tensor {
  return one(Row.hinge_loss, [input, target, margin, reduction]);
}

/**
 * Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function softMarginLoss(input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SoftMarginLossOptions): Tensor {
  return one(Row.soft_margin_loss, [input, target, reduction]);
}

/**
 * Asks the score of the class `target` to exceed each other one by `margin`: of `input` `[N, C]`
 * (or `[C]`), the mean over classes of `max(0, margin − input[target] + input[c])^p`, times the
 * target's `weight`. `p` is 1 or 2.
 *
 * Defaults: `p = 1`, `margin = 1`, `reduction = 'mean'`.
 */
export function multiMarginLoss(input: Tensor, target: Tensor, p?: number | Options.MultiMarginLossOptions, margin?: number | Options.MultiMarginLossOptions, weight?: Tensor | null | Options.MultiMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultiMarginLossOptions): Tensor {
  return one(Row.multi_margin_loss, [input, target, p, margin, weight, reduction]);
}

/**
 * Asks the scores of several classes to exceed all others by one: of `input` `[N, C]` (or `[C]`),
 * `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a target `t` and another class `c`.
 *
 * Each row of `target`, shaped like the input, lists classes and ends with the first −1.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function multilabelMarginLoss(input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelMarginLossOptions): Tensor {
  return one(Row.multilabel_margin_loss, [input, target, reduction]);
}

/**
 * `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
 * a `weight` for each class.
 *
 * Defaults: `reduction = 'mean'`.
 */
export function multilabelSoftMarginLoss(input: Tensor, target: Tensor, weight?: Tensor | null | Options.MultilabelSoftMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelSoftMarginLossOptions): Tensor {
  return one(Row.multilabel_soft_margin_loss, [input, target, weight, reduction]);
}

/**
 * Cosine of the angle between `x1` and `x2` along `dim`, where lengths below `eps` count as `eps`.
 *
 * Defaults: `dim = 1`, `eps = 1e-8`.
 */
export function cosineSimilarity(x1: Tensor, x2: Tensor, dim?: number | Options.CosineSimilarityOptions, eps?: number | Options.CosineSimilarityOptions): Tensor {
  return one(Row.cosine_similarity, [x1, x2, dim, eps]);
}

/**
 * Pulls vectors together where `target` is 1 and apart where it is −1: `1 − cos` or
 * `max(0, cos − margin)`.
 *
 * Defaults: `margin = 0`, `reduction = 'mean'`.
 */
export function cosineEmbeddingLoss(input1: Tensor, input2: Tensor, target: Tensor, margin?: number | Options.CosineEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CosineEmbeddingLossOptions): Tensor {
  return one(Row.cosine_embedding_loss, [input1, input2, target, margin, reduction]);
}

/**
 * Loss of distances: `input` where `target` is 1, `max(0, margin − input)` where it is −1.
 *
 * Defaults: `margin = 1`, `reduction = 'mean'`.
 */
export function hingeEmbeddingLoss(input: Tensor, target: Tensor, margin?: number | Options.HingeEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeEmbeddingLossOptions): Tensor {
  return one(Row.hinge_embedding_loss, [input, target, margin, reduction]);
}

/**
 * Asks `input1` to be larger than `input2` where `target` is 1, smaller where it is −1:
 * `max(0, −target · (input1 − input2) + margin)`.
 *
 * Defaults: `margin = 0`, `reduction = 'mean'`.
 */
export function marginRankingLoss(input1: Tensor, input2: Tensor, target: Tensor, margin?: number | Options.MarginRankingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MarginRankingLossOptions): Tensor {
  return one(Row.margin_ranking_loss, [input1, input2, target, margin, reduction]);
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
export function tripletMarginLoss(anchor: Tensor, positive: Tensor, negative: Tensor, margin?: number | Options.TripletMarginLossOptions, p?: number | Options.TripletMarginLossOptions, eps?: number | Options.TripletMarginLossOptions, swap?: boolean | Options.TripletMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.TripletMarginLossOptions): Tensor {
  return one(Row.triplet_margin_loss, [anchor, positive, negative, margin, p, eps, swap, reduction]);
}

/**
 * The new parameter and momentum buffer of one step of stochastic gradient descent:
 * `buffer = momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov
 * `param − lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
 *
 * Defaults: `momentum = 0`, `dampening = 0`, `weightDecay = 0`, `nesterov = false`.
 */
export function sgdStep(param: Tensor, grad: Tensor, buffer: Tensor, lr: Operand, momentum?: number | Options.SgdStepOptions, dampening?: number | Options.SgdStepOptions, weightDecay?: number | Options.SgdStepOptions, nesterov?: boolean | Options.SgdStepOptions): [Tensor, Tensor] {
  return pair(Row.sgd_step, [param, grad, buffer, lr, momentum, dampening, weightDecay, nesterov]);
}

/**
 * The new parameter and the new moments of one step of Adam:
 * `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
 * `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
 * `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
 * (AdamW).
 *
 * Defaults: `shrink = 1`, `beta1 = 0.9`, `beta2 = 0.999`, `eps = 1e-8`.
 */
export function adamStep(param: Tensor, grad: Tensor, expAvg: Tensor, expAvgSq: Tensor, stepSize: Operand, correction: Operand, shrink?: Operand | Options.AdamStepOptions, beta1?: number | Options.AdamStepOptions, beta2?: number | Options.AdamStepOptions, eps?: number | Options.AdamStepOptions): [Tensor, Tensor, Tensor] {
  return triple(Row.adam_step, [param, grad, expAvg, expAvgSq, stepSize, correction, shrink, beta1, beta2, eps]);
}

export {
  mul as multiply,
  mul as mulScalar,
  mul as mul_scalar,
  floorDivide as floor_divide,
  atan2 as arctan2,
  eq as equal,
  ne as notEqual,
  ne as not_equal,
  lt as less,
  le as lessEqual,
  le as less_equal,
  gt as greater,
  ge as greaterEqual,
  ge as greater_equal,
  bitwiseAnd as bitwise_and,
  bitwiseOr as bitwise_or,
  bitwiseXor as bitwise_xor,
  bitwiseNot as bitwise_not,
  bitwiseLeftShift as bitwise_left_shift,
  bitwiseRightShift as bitwise_right_shift,
  neg as negative,
  abs as absolute,
  sign as sgn,
  asin as arcsin,
  acos as arccos,
  atan as arctan,
  asinh as arcsinh,
  acosh as arccosh,
  atanh as arctanh,
  geluTanh as gelu_tanh,
  silu as swish,
  trunc as fix,
  zerosLike as zeros_like,
  zerosLike as emptyLike,
  zerosLike as empty_like,
  onesLike as ones_like,
  fullLike as full_like,
  newZeros as new_zeros,
  newZeros as newEmpty,
  newZeros as new_empty,
  newOnes as new_ones,
  newFull as new_full,
  trilIndices as tril_indices,
  triuIndices as triu_indices,
  oneHot as one_hot,
  cartesianProd as cartesian_prod,
  diagEmbed as diag_embed,
  blockDiag as block_diag,
  randLike as rand_like,
  randnLike as randn_like,
  randintLike as randint_like,
  truncatedNormal as truncated_normal,
  truncatedNormal as truncNormal,
  truncatedNormal as trunc_normal,
  gumbelSoftmax as gumbel_softmax,
  featureDropout as feature_dropout,
  featureDropout as dropout2d,
  alphaDropout as alpha_dropout,
  featureAlphaDropout as feature_alpha_dropout,
  add as addScalar,
  add as add_scalar,
  sub as subtract,
  div as divide,
  div as trueDivide,
  div as true_divide,
  floatPower as float_power,
  nanToNum as nan_to_num,
  digamma as psi,
  clamp as clip,
  clampMin as clamp_min,
  clampMax as clamp_max,
  maskedFill as masked_fill,
  logicalAnd as logical_and,
  logicalOr as logical_or,
  logicalXor as logical_xor,
  logicalNot as logical_not,
  leakyRelu as leaky_relu,
  hardsigmoid as hardSigmoid,
  hardsigmoid as hard_sigmoid,
  hardswish as hardSwish,
  hardswish as hard_swish,
  logsigmoid as logSigmoid,
  logsigmoid as log_sigmoid,
  countNonzero as count_nonzero,
  sumToSize as sum_to_size,
  sumToSize as sumToShape,
  sumToSize as sum_to_shape,
  vectorNorm as vector_norm,
  varMean as var_mean,
  stdMean as std_mean,
  trapezoid as trapz,
  cumulativeTrapezoid as cumulative_trapezoid,
  reshape as view,
  reshapeAs as reshape_as,
  reshapeAs as viewAs,
  reshapeAs as view_as,
  transpose as swapaxes,
  transpose as swapAxes,
  transpose as swap_axes,
  transpose as swapdims,
  movedim as moveaxis,
  expand as broadcastTo,
  expand as broadcast_to,
  expandAs as expand_as,
  broadcastTensors as broadcast_tensors,
  atleast1d as atleast_1d,
  atleast2d as atleast_2d,
  atleast3d as atleast_3d,
  splitHeads as split_heads,
  mergeHeads as merge_heads,
  to as cast,
  to as astype,
  toBool as to_bool,
  toBool as bool,
  clone as contiguous,
  slice as shrink,
  repeatInterleave as repeat_interleave,
  fold as col2im,
  constantPadNd as constant_pad_nd,
  cat as concat,
  cat as concatenate,
  vstack as rowStack,
  vstack as row_stack,
  columnStack as column_stack,
  split as unsafeSplit,
  split as unsafe_split,
  splitWithSizes as split_with_sizes,
  chunk as unsafeChunk,
  chunk as unsafe_chunk,
  tensorSplit as tensor_split,
  sliceScatter as slice_scatter,
  sliceScatter as sliceSet,
  sliceScatter as slice_set,
  selectScatter as select_scatter,
  diagonalScatter as diagonal_scatter,
  takeAlongDim as take_along_dim,
  takeAlongDim as takeAlongAxis,
  takeAlongDim as take_along_axis,
  indexSelect as index_select,
  scatterAdd as scatter_add,
  scatterReduce as scatter_reduce,
  indexAdd as index_add,
  indexCopy as index_copy,
  indexFill as index_fill,
  indexReduce as index_reduce,
  maskedScatter as masked_scatter,
  embeddingBag as embedding_bag,
  maskedSelect as masked_select,
  uniqueConsecutive as unique_consecutive,
  repeatInterleaveTensor as repeat_interleave_tensor,
  matmul as matmulBatched,
  matmul as matmul_batched,
  dot as vdot,
  outer as ger,
  multiDot as multi_dot,
  multiDot as chainMatmul,
  multiDot as chain_matmul,
  matrixPower as matrix_power,
  pairwiseDistance as pairwise_distance,
  convTranspose1d as conv_transpose1d,
  convTranspose2d as conv_transpose2d,
  convTranspose3d as conv_transpose3d,
  maxPool1d as max_pool1d,
  maxPool2d as max_pool2d,
  maxPool3d as max_pool3d,
  avgPool1d as avg_pool1d,
  avgPool2d as avg_pool2d,
  avgPool3d as avg_pool3d,
  lpPool1d as lp_pool1d,
  lpPool2d as lp_pool2d,
  adaptiveMaxPool1d as adaptive_max_pool1d,
  adaptiveMaxPool2d as adaptive_max_pool2d,
  adaptiveMaxPool3d as adaptive_max_pool3d,
  adaptiveAvgPool1d as adaptive_avg_pool1d,
  adaptiveAvgPool2d as adaptive_avg_pool2d,
  adaptiveAvgPool3d as adaptive_avg_pool3d,
  interpolate as upsample,
  upsampleNearest as upsample_nearest,
  upsampleBilinear as upsample_bilinear,
  gridSample as grid_sample,
  gridSampler2d as grid_sampler_2d,
  gridSampler3d as grid_sampler_3d,
  affineGrid as affine_grid,
  pixelShuffle as pixel_shuffle,
  pixelUnshuffle as pixel_unshuffle,
  channelShuffle as channel_shuffle,
  channelShuffle as nativeChannelShuffle,
  channelShuffle as native_channel_shuffle,
  centerCrop as center_crop,
  normalizeChannels as normalize_channels,
  rgbToGrayscale as rgb_to_grayscale,
  grayscaleToRgb as grayscale_to_rgb,
  adjustBrightness as adjust_brightness,
  adjustContrast as adjust_contrast,
  adjustSaturation as adjust_saturation,
  logSoftmax as log_softmax,
  logSoftmax as logSoftmaxLast,
  logSoftmax as log_softmax_last,
  softmaxCausal as softmax_causal,
  softmaxCausal as softmaxCausalLast,
  softmaxCausal as softmax_causal_last,
  whereCausal as where_causal,
  causalMask as causal_mask,
  layerNorm as layer_norm,
  rmsNorm as rms_norm,
  batchNorm as batch_norm,
  batchNormStats as batch_norm_stats,
  groupNorm as group_norm,
  instanceNorm as instance_norm,
  localResponseNorm as local_response_norm,
  scaledDotProductAttention as scaled_dot_product_attention,
  multiHeadAttention as multi_head_attention,
  sinusoidalPositions as sinusoidal_positions,
  rnnCell as rnn_cell,
  gruCell as gru_cell,
  lstmCell as lstm_cell,
  mseLoss as mse_loss,
  l1Loss as l1_loss,
  smoothL1Loss as smooth_l1_loss,
  huberLoss as huber_loss,
  klDiv as kl_div,
  gaussianNllLoss as gaussian_nll_loss,
  poissonNllLoss as poisson_nll_loss,
  crossEntropy as cross_entropy,
  nllLoss as nll_loss,
  binaryCrossEntropy as binary_cross_entropy,
  binaryCrossEntropyWithLogits as binary_cross_entropy_with_logits,
  hingeLoss as hinge_loss,
  softMarginLoss as soft_margin_loss,
  multiMarginLoss as multi_margin_loss,
  multilabelMarginLoss as multilabel_margin_loss,
  multilabelSoftMarginLoss as multilabel_soft_margin_loss,
  cosineSimilarity as cosine_similarity,
  cosineEmbeddingLoss as cosine_embedding_loss,
  hingeEmbeddingLoss as hinge_embedding_loss,
  marginRankingLoss as margin_ranking_loss,
  tripletMarginLoss as triplet_margin_loss,
  sgdStep as sgd_step,
  adamStep as adam_step,
  adamStep as adamwStep,
  adamStep as adamw_step,
};
