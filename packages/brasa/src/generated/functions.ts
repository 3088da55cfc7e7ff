// Every op as a function, those with few parameters first. Generated from the op table by `cargo x gen`; change the op, not this file.
import { list, one, pair, reading, triple, unwrap, varied } from '../call.ts';
import type * as Options from './options.ts';
import * as opId from './op-ids.ts';
import type { DTypeName, Operand, Tensor } from '../tensor.ts';

/**
 * All tensors expanded to their common shape.
 */
export const broadcastTensors = (tensors: readonly Tensor[]): Tensor[] => list(opId.broadcast_tensors, [tensors]);

/**
 * Each tensor with at least one axis.
 */
export const atleast1d = (tensors: readonly Tensor[]): Tensor[] => list(opId.atleast_1d, [tensors]);

/**
 * Each tensor with at least two axes; a vector becomes a row.
 */
export const atleast2d = (tensors: readonly Tensor[]): Tensor[] => list(opId.atleast_2d, [tensors]);

/**
 * Each tensor with at least three axes; a vector of `n` becomes `[1, n, 1]`, a matrix
 * `[m, n, 1]`.
 */
export const atleast3d = (tensors: readonly Tensor[]): Tensor[] => list(opId.atleast_3d, [tensors]);

/**
 * Every bit flipped; for `bool`, the opposite.
 */
export const bitwiseNot = (input: Tensor): Tensor => one(opId.bitwise_not, [input]);

/**
 * Each element with its sign flipped.
 */
export const neg = (input: Tensor): Tensor => one(opId.neg, [input]);

/**
 * Absolute value of each element.
 */
export const abs = (input: Tensor): Tensor => one(opId.abs, [input]);

/**
 * −1, 0 or 1, as each element is negative, zero (or NaN) or positive.
 */
export const sign = (input: Tensor): Tensor => one(opId.sign, [input]);

/**
 * One divided by each element.
 */
export const reciprocal = (input: Tensor): Tensor => one(opId.reciprocal, [input]);

/**
 * Square root of each element.
 */
export const sqrt = (input: Tensor): Tensor => one(opId.sqrt, [input]);

/**
 * One divided by the square root of each element.
 */
export const rsqrt = (input: Tensor): Tensor => one(opId.rsqrt, [input]);

/**
 * e raised to each element.
 */
export const exp = (input: Tensor): Tensor => one(opId.exp, [input]);

/**
 * Two raised to each element.
 */
export const exp2 = (input: Tensor): Tensor => one(opId.exp2, [input]);

/**
 * e raised to each element, minus one; exact near zero.
 */
export const expm1 = (input: Tensor): Tensor => one(opId.expm1, [input]);

/**
 * Natural logarithm of each element.
 */
export const log = (input: Tensor): Tensor => one(opId.log, [input]);

/**
 * Logarithm to base two of each element.
 */
export const log2 = (input: Tensor): Tensor => one(opId.log2, [input]);

/**
 * Logarithm to base ten of each element.
 */
export const log10 = (input: Tensor): Tensor => one(opId.log10, [input]);

/**
 * Natural logarithm of one plus each element; exact near zero.
 */
export const log1p = (input: Tensor): Tensor => one(opId.log1p, [input]);

/**
 * Sine of each element, in radians.
 */
export const sin = (input: Tensor): Tensor => one(opId.sin, [input]);

/**
 * Cosine of each element, in radians.
 */
export const cos = (input: Tensor): Tensor => one(opId.cos, [input]);

/**
 * Tangent of each element, in radians.
 */
export const tan = (input: Tensor): Tensor => one(opId.tan, [input]);

/**
 * Angle whose sine each element is.
 */
export const asin = (input: Tensor): Tensor => one(opId.asin, [input]);

/**
 * Angle whose cosine each element is.
 */
export const acos = (input: Tensor): Tensor => one(opId.acos, [input]);

/**
 * Angle whose tangent each element is.
 */
export const atan = (input: Tensor): Tensor => one(opId.atan, [input]);

/**
 * Hyperbolic sine of each element.
 */
export const sinh = (input: Tensor): Tensor => one(opId.sinh, [input]);

/**
 * Hyperbolic cosine of each element.
 */
export const cosh = (input: Tensor): Tensor => one(opId.cosh, [input]);

/**
 * Hyperbolic tangent of each element.
 */
export const tanh = (input: Tensor): Tensor => one(opId.tanh, [input]);

/**
 * Inverse hyperbolic sine of each element.
 */
export const asinh = (input: Tensor): Tensor => one(opId.asinh, [input]);

/**
 * Inverse hyperbolic cosine of each element.
 */
export const acosh = (input: Tensor): Tensor => one(opId.acosh, [input]);

/**
 * Inverse hyperbolic tangent of each element.
 */
export const atanh = (input: Tensor): Tensor => one(opId.atanh, [input]);

/**
 * Error function of each element.
 */
export const erf = (input: Tensor): Tensor => one(opId.erf, [input]);

/**
 * One minus the error function; exact where that is close to one.
 */
export const erfc = (input: Tensor): Tensor => one(opId.erfc, [input]);

/**
 * Inverse of the error function.
 */
export const erfinv = (input: Tensor): Tensor => one(opId.erfinv, [input]);

/**
 * Logarithm of the absolute value of the gamma function.
 */
export const lgamma = (input: Tensor): Tensor => one(opId.lgamma, [input]);

/**
 * Logistic function `1 / (1 + exp(−x))` of each element.
 */
export const sigmoid = (input: Tensor): Tensor => one(opId.sigmoid, [input]);

/**
 * Each element, or zero where it is negative.
 */
export const relu = (input: Tensor): Tensor => one(opId.relu, [input]);

/**
 * `gelu` by its tanh approximation.
 */
export const geluTanh = (input: Tensor): Tensor => one(opId.gelu_tanh, [input]);

/**
 * `x · sigmoid(x)`, also called swish.
 */
export const silu = (input: Tensor): Tensor => one(opId.silu, [input]);

/**
 * `x · tanh(softplus(x))`.
 */
export const mish = (input: Tensor): Tensor => one(opId.mish, [input]);

/**
 * Largest whole number not above each element.
 */
export const floor = (input: Tensor): Tensor => one(opId.floor, [input]);

/**
 * Smallest whole number not below each element.
 */
export const ceil = (input: Tensor): Tensor => one(opId.ceil, [input]);

/**
 * Each element without its fraction.
 */
export const trunc = (input: Tensor): Tensor => one(opId.trunc, [input]);

/**
 * The Cartesian product of the tensors: all ways to take one element from each, as rows.
 */
export const cartesianProd = (tensors: readonly Tensor[]): Tensor => one(opId.cartesian_prod, [tensors]);

/**
 * The block-diagonal matrix of the given matrices; a tensor of one axis counts as a row.
 */
export const blockDiag = (tensors: readonly Tensor[]): Tensor => one(opId.block_diag, [tensors]);

/**
 * 1 with the probability given by each element of `input`, else 0.
 */
export const bernoulli = (input: Tensor): Tensor => one(opId.bernoulli, [input]);

/**
 * An index for each row of the last axis, drawn with the probabilities `softmax(logits)`.
 */
export const categorical = (logits: Tensor): Tensor => one(opId.categorical, [logits]);

/**
 * Each element times itself.
 */
export const square = (input: Tensor): Tensor => one(opId.square, [input]);

/**
 * The input itself.
 */
export const positive = (input: Tensor): Tensor => one(opId.positive, [input]);

/**
 * The fraction of each element, with its sign.
 */
export const frac = (input: Tensor): Tensor => one(opId.frac, [input]);

/**
 * Degrees to radians.
 */
export const deg2rad = (input: Tensor): Tensor => one(opId.deg2rad, [input]);

/**
 * Radians to degrees.
 */
export const rad2deg = (input: Tensor): Tensor => one(opId.rad2deg, [input]);

/**
 * `sin(πx) / (πx)`, and 1 at zero.
 */
export const sinc = (input: Tensor): Tensor => one(opId.sinc, [input]);

/**
 * Derivative of `lgamma`.
 */
export const digamma = (input: Tensor): Tensor => one(opId.digamma, [input]);

/**
 * Whether each element is NaN.
 */
export const isnan = (input: Tensor): Tensor => one(opId.isnan, [input]);

/**
 * Whether each element is infinite.
 */
export const isinf = (input: Tensor): Tensor => one(opId.isinf, [input]);

/**
 * Whether each element is neither infinite nor NaN.
 */
export const isfinite = (input: Tensor): Tensor => one(opId.isfinite, [input]);

/**
 * Whether each element is plus infinity.
 */
export const isposinf = (input: Tensor): Tensor => one(opId.isposinf, [input]);

/**
 * Whether each element is minus infinity.
 */
export const isneginf = (input: Tensor): Tensor => one(opId.isneginf, [input]);

/**
 * Whether each element is a real number: always true.
 */
export const isreal = (input: Tensor): Tensor => one(opId.isreal, [input]);

/**
 * Whether the sign bit of each element is set; true for −0.
 */
export const signbit = (input: Tensor): Tensor => one(opId.signbit, [input]);

/**
 * Whether each element is false, that is, zero.
 */
export const logicalNot = (input: Tensor): Tensor => one(opId.logical_not, [input]);

/**
 * `relu` capped at six.
 */
export const relu6 = (input: Tensor): Tensor => one(opId.relu6, [input]);

/**
 * `elu` scaled so that deep networks are self-normalizing (Klambauer et al., 2017).
 */
export const selu = (input: Tensor): Tensor => one(opId.selu, [input]);

/**
 * `x / (1 + |x|)`.
 */
export const softsign = (input: Tensor): Tensor => one(opId.softsign, [input]);

/**
 * Piecewise linear sigmoid: `x / 6 + 1/2`, clamped to 0 … 1.
 */
export const hardsigmoid = (input: Tensor): Tensor => one(opId.hardsigmoid, [input]);

/**
 * `x · hardsigmoid(x)`.
 */
export const hardswish = (input: Tensor): Tensor => one(opId.hardswish, [input]);

/**
 * `x − tanh(x)`.
 */
export const tanhshrink = (input: Tensor): Tensor => one(opId.tanhshrink, [input]);

/**
 * Logarithm of the sigmoid, without overflow.
 */
export const logsigmoid = (input: Tensor): Tensor => one(opId.logsigmoid, [input]);

/**
 * Sum of the elements on the diagonal of a matrix.
 */
export const trace = (input: Tensor): Tensor => one(opId.trace, [input]);

/**
 * The elements sorted along the first axis.
 */
export const msort = (input: Tensor): Tensor => one(opId.msort, [input]);

/**
 * All elements as a tensor of one axis.
 */
export const ravel = (input: Tensor): Tensor => one(opId.ravel, [input]);

/**
 * The transpose of a matrix; scalars and vectors are returned unchanged.
 */
export const t = (input: Tensor): Tensor => one(opId.t, [input]);

/**
 * The transpose of each matrix in the last two axes.
 */
export const adjoint = (input: Tensor): Tensor => one(opId.adjoint, [input]);

/**
 * The inverse of `split_heads`: `[…, heads, time, width]` to `[…, time, heads · width]`.
 */
export const mergeHeads = (input: Tensor): Tensor => one(opId.merge_heads, [input]);

/**
 * The elements as `f32`.
 */
export const float = (input: Tensor): Tensor => one(opId.float, [input]);

/**
 * The elements as `f64`.
 */
export const double = (input: Tensor): Tensor => one(opId.double, [input]);

/**
 * The elements as `f16`.
 */
export const half = (input: Tensor): Tensor => one(opId.half, [input]);

/**
 * The elements as `bf16`.
 */
export const bfloat16 = (input: Tensor): Tensor => one(opId.bfloat16, [input]);

/**
 * The elements as `i32`; floats are rounded towards zero.
 */
export const int = (input: Tensor): Tensor => one(opId.int, [input]);

/**
 * The elements as `i64`; floats are rounded towards zero.
 */
export const long = (input: Tensor): Tensor => one(opId.long, [input]);

/**
 * Whether each element is not zero.
 */
export const toBool = (input: Tensor): Tensor => one(opId.to_bool, [input]);

/**
 * The tensor itself: tensors are immutable, and the device chooses their memory layout.
 */
export const clone = (input: Tensor): Tensor => one(opId.clone, [input]);

/**
 * Reverses the second axis.
 */
export const fliplr = (input: Tensor): Tensor => one(opId.fliplr, [input]);

/**
 * Reverses the first axis.
 */
export const flipud = (input: Tensor): Tensor => one(opId.flipud, [input]);

/**
 * Concatenates tensors along the second axis, vectors along their only axis.
 */
export const hstack = (tensors: readonly Tensor[]): Tensor => one(opId.hstack, [tensors]);

/**
 * Concatenates tensors along the first axis; vectors count as rows.
 */
export const vstack = (tensors: readonly Tensor[]): Tensor => one(opId.vstack, [tensors]);

/**
 * Concatenates tensors along the third axis.
 */
export const dstack = (tensors: readonly Tensor[]): Tensor => one(opId.dstack, [tensors]);

/**
 * Concatenates tensors along the second axis; scalars and vectors count as columns.
 */
export const columnStack = (tensors: readonly Tensor[]): Tensor => one(opId.column_stack, [tensors]);

/**
 * Product of a chain of matrices, in the order with the fewest multiplications. The first and
 * the last may be vectors.
 */
export const multiDot = (tensors: readonly Tensor[]): Tensor => one(opId.multi_dot, [tensors]);

/**
 * Mirrors images left to right.
 */
export const hflip = (input: Tensor): Tensor => one(opId.hflip, [input]);

/**
 * Mirrors images top to bottom.
 */
export const vflip = (input: Tensor): Tensor => one(opId.vflip, [input]);

/**
 * Repeats the one channel of images `[…, 1, H, W]` three times.
 */
export const grayscaleToRgb = (input: Tensor): Tensor => one(opId.grayscale_to_rgb, [input]);

/**
 * Softmax over the last axis of scores `[…, T, S]` in which query `i` attends only to keys
 * `0..=i`.
 */
export const softmaxCausal = (input: Tensor): Tensor => one(opId.softmax_causal, [input]);

/**
 * The mask by which query `i` of `size` attends only to keys `0..=i`: true on and below the
 * diagonal, for `scaled_dot_product_attention`.
 */
export const causalMask = (size: number): Tensor => one(opId.causal_mask, [size]);

/**
 * Indices of the elements that are not zero, in order, one row for each element.
 */
export const argwhere = (input: Tensor): Promise<Tensor> => reading(opId.argwhere, [input]) as Promise<Tensor>;

/**
 * The coordinates of a grid: each tensor, which has one axis, is repeated along the axes of all
 * others.
 *
 * Defaults: `indexing = 'ij'`.
 */
export const meshgrid = (tensors: readonly Tensor[], indexing?: 'ij' | 'xy' | Options.MeshgridOptions): Tensor[] => list(opId.meshgrid, [tensors, indexing]);

/**
 * Splits along the second axis, a vector along its only axis.
 */
export const hsplit = (input: Tensor, ...indicesOrSections: number[] | [readonly number[]]): Tensor[] => list(opId.hsplit, [input, unwrap(indicesOrSections)]);

/**
 * Splits along the first axis of a tensor of at least two axes.
 */
export const vsplit = (input: Tensor, ...indicesOrSections: number[] | [readonly number[]]): Tensor[] => list(opId.vsplit, [input, unwrap(indicesOrSections)]);

/**
 * Splits along the third axis.
 */
export const dsplit = (input: Tensor, ...indicesOrSections: number[] | [readonly number[]]): Tensor[] => list(opId.dsplit, [input, unwrap(indicesOrSections)]);

/**
 * One tensor for each index of axis `dim`, which is removed.
 *
 * Defaults: `dim = 0`.
 */
export const unbind = (input: Tensor, dim?: number | Options.UnbindOptions): Tensor[] => list(opId.unbind, [input, dim]);

/**
 * Product of two tensors.
 */
export const mul = (input: Operand, other: Operand): Tensor => one(opId.mul, [input, other]);

/**
 * Quotient of two tensors, rounded towards minus infinity.
 */
export const floorDivide = (input: Operand, other: Operand): Tensor => one(opId.floor_divide, [input, other]);

/**
 * Remainder of the division, with the sign of the divisor (Python's `%`).
 */
export const remainder = (input: Operand, other: Operand): Tensor => one(opId.remainder, [input, other]);

/**
 * Remainder of the division, with the sign of the dividend (C's `fmod`).
 */
export const fmod = (input: Operand, other: Operand): Tensor => one(opId.fmod, [input, other]);

/**
 * The larger of two elements; NaN if either is. Equal elements share the gradient.
 */
export const maximum = (input: Operand, other: Operand): Tensor => one(opId.maximum, [input, other]);

/**
 * The smaller of two elements; NaN if either is. Equal elements share the gradient.
 */
export const minimum = (input: Operand, other: Operand): Tensor => one(opId.minimum, [input, other]);

/**
 * Angle of the point (`other`, `input`), in (−π, π].
 */
export const atan2 = (input: Operand, other: Operand): Tensor => one(opId.atan2, [input, other]);

/**
 * Length of the hypotenuse, `sqrt(input² + other²)`, without overflow.
 */
export const hypot = (input: Operand, other: Operand): Tensor => one(opId.hypot, [input, other]);

/**
 * The magnitude of `input` with the sign of `other`.
 */
export const copysign = (input: Operand, other: Operand): Tensor => one(opId.copysign, [input, other]);

/**
 * Logarithm of the sum of exponentials of two elements.
 */
export const logaddexp = (input: Operand, other: Operand): Tensor => one(opId.logaddexp, [input, other]);

/**
 * `input · log(other)`, which is zero where `input` is.
 */
export const xlogy = (input: Operand, other: Operand): Tensor => one(opId.xlogy, [input, other]);

/**
 * Whether two elements are equal.
 */
export const eq = (input: Operand, other: Operand): Tensor => one(opId.eq, [input, other]);

/**
 * Whether two elements differ.
 */
export const ne = (input: Operand, other: Operand): Tensor => one(opId.ne, [input, other]);

/**
 * Whether `input` is less than `other`.
 */
export const lt = (input: Operand, other: Operand): Tensor => one(opId.lt, [input, other]);

/**
 * Whether `input` is at most `other`.
 */
export const le = (input: Operand, other: Operand): Tensor => one(opId.le, [input, other]);

/**
 * Whether `input` is greater than `other`.
 */
export const gt = (input: Operand, other: Operand): Tensor => one(opId.gt, [input, other]);

/**
 * Whether `input` is at least `other`.
 */
export const ge = (input: Operand, other: Operand): Tensor => one(opId.ge, [input, other]);

/**
 * Bits set in both elements.
 */
export const bitwiseAnd = (input: Operand, other: Operand): Tensor => one(opId.bitwise_and, [input, other]);

/**
 * Bits set in either element.
 */
export const bitwiseOr = (input: Operand, other: Operand): Tensor => one(opId.bitwise_or, [input, other]);

/**
 * Bits set in exactly one element.
 */
export const bitwiseXor = (input: Operand, other: Operand): Tensor => one(opId.bitwise_xor, [input, other]);

/**
 * Bits shifted left by `other`; zero from the width of the type on.
 */
export const bitwiseLeftShift = (input: Operand, other: Operand): Tensor => one(opId.bitwise_left_shift, [input, other]);

/**
 * Bits shifted right by `other`, with the sign where the type has one.
 */
export const bitwiseRightShift = (input: Operand, other: Operand): Tensor => one(opId.bitwise_right_shift, [input, other]);

/**
 * Zeros of the shape and dtype of `input`.
 */
export const zerosLike = (input: Tensor, dtype?: DTypeName | null | Options.ZerosLikeOptions): Tensor => one(opId.zeros_like, [input, dtype]);

/**
 * Ones of the shape and dtype of `input`.
 */
export const onesLike = (input: Tensor, dtype?: DTypeName | null | Options.OnesLikeOptions): Tensor => one(opId.ones_like, [input, dtype]);

/**
 * `input` with every element replaced by `value`.
 */
export const fill = (input: Tensor, value: Operand): Tensor => one(opId.fill, [input, value]);

/**
 * Lower triangles of matrices: elements above the `diagonal` become zero.
 *
 * Defaults: `diagonal = 0`.
 */
export const tril = (input: Tensor, diagonal?: number | Options.TrilOptions): Tensor => one(opId.tril, [input, diagonal]);

/**
 * Upper triangles of matrices: elements below the `diagonal` become zero.
 *
 * Defaults: `diagonal = 0`.
 */
export const triu = (input: Tensor, diagonal?: number | Options.TriuOptions): Tensor => one(opId.triu, [input, diagonal]);

/**
 * One-hot encoding along a new last axis of length `num_classes`: 1 at the index given by the
 * element, 0 elsewhere. Elements must be at least 0 and less than `num_classes`.
 *
 * Defaults: `numClasses = -1`.
 */
export const oneHot = (input: Tensor, numClasses?: number | Options.OneHotOptions): Tensor => one(opId.one_hot, [input, numClasses]);

/**
 * The matrix with the vector `input` on its diagonal, or the diagonal of the matrix `input`.
 *
 * Defaults: `diagonal = 0`.
 */
export const diag = (input: Tensor, diagonal?: number | Options.DiagOptions): Tensor => one(opId.diag, [input, diagonal]);

/**
 * A matrix with all elements of `input` on its diagonal.
 *
 * Defaults: `offset = 0`.
 */
export const diagflat = (input: Tensor, offset?: number | Options.DiagflatOptions): Tensor => one(opId.diagflat, [input, offset]);

/**
 * Uniform random numbers in [0, 1), of the shape and dtype of `input`.
 */
export const randLike = (input: Tensor, dtype?: DTypeName | null | Options.RandLikeOptions): Tensor => one(opId.rand_like, [input, dtype]);

/**
 * Normal random numbers of mean 0 and variance 1, of the shape and dtype of `input`.
 */
export const randnLike = (input: Tensor, dtype?: DTypeName | null | Options.RandnLikeOptions): Tensor => one(opId.randn_like, [input, dtype]);

/**
 * Exponential random numbers of the shape of `input`, with rate `lambd` (mean `1 / lambd`).
 *
 * Defaults: `lambd = 1`.
 */
export const exponential = (input: Tensor, lambd?: number | Options.ExponentialOptions): Tensor => one(opId.exponential, [input, lambd]);

/**
 * `input` to the power of `exponent`.
 */
export const pow = (input: Operand, exponent: Operand): Tensor => one(opId.pow, [input, exponent]);

/**
 * `input` to the power of `exponent`, in `f64`.
 */
export const floatPower = (input: Operand, exponent: Operand): Tensor => one(opId.float_power, [input, exponent]);

/**
 * `input · 2^other`.
 */
export const ldexp = (input: Tensor, other: Operand): Tensor => one(opId.ldexp, [input, other]);

/**
 * Logarithm to base two of the sum of two powers of two, `log2(2^input + 2^other)`.
 */
export const logaddexp2 = (input: Tensor, other: Tensor): Tensor => one(opId.logaddexp2, [input, other]);

/**
 * `log(x / (1 − x))`, the inverse of the sigmoid; with `eps`, elements are first clamped to
 * `eps … 1 − eps`.
 */
export const logit = (input: Tensor, eps?: number | null | Options.LogitOptions): Tensor => one(opId.logit, [input, eps]);

/**
 * Nearest number of `decimals` digits after the point (before it, if negative); halves go to the
 * even one.
 *
 * Defaults: `decimals = 0`.
 */
export const round = (input: Tensor, decimals?: number | Options.RoundOptions): Tensor => one(opId.round, [input, decimals]);

/**
 * The `n`-th derivative of `digamma`.
 */
export const polygamma = (n: number, input: Tensor): Tensor => one(opId.polygamma, [n, input]);

/**
 * `input · log(1 + other)`, which is zero where `input` is.
 */
export const xlog1py = (input: Operand, other: Operand): Tensor => one(opId.xlog1py, [input, other]);

/**
 * Each element, but at least `min`.
 */
export const clampMin = (input: Tensor, min: Operand): Tensor => one(opId.clamp_min, [input, min]);

/**
 * Each element, but at most `max`.
 */
export const clampMax = (input: Tensor, max: Operand): Tensor => one(opId.clamp_max, [input, max]);

/**
 * The larger of two elements; if one is NaN, the other.
 */
export const fmax = (input: Tensor, other: Tensor): Tensor => one(opId.fmax, [input, other]);

/**
 * The smaller of two elements; if one is NaN, the other.
 */
export const fmin = (input: Tensor, other: Tensor): Tensor => one(opId.fmin, [input, other]);

/**
 * 0 for negative elements, 1 for positive ones, and `values` at zero.
 */
export const heaviside = (input: Tensor, values: Tensor): Tensor => one(opId.heaviside, [input, values]);

/**
 * Whether both elements are true, that is, not zero.
 */
export const logicalAnd = (input: Tensor, other: Tensor): Tensor => one(opId.logical_and, [input, other]);

/**
 * Whether either element is true, that is, not zero.
 */
export const logicalOr = (input: Tensor, other: Tensor): Tensor => one(opId.logical_or, [input, other]);

/**
 * Whether exactly one element is true, that is, not zero.
 */
export const logicalXor = (input: Tensor, other: Tensor): Tensor => one(opId.logical_xor, [input, other]);

/**
 * Each element, or `negative_slope` times it where it is negative.
 *
 * Defaults: `negativeSlope = 0.01`.
 */
export const leakyRelu = (input: Tensor, negativeSlope?: number | Options.LeakyReluOptions): Tensor => one(opId.leaky_relu, [input, negativeSlope]);

/**
 * `leaky_relu` with trained slopes: one for all, or one for each channel (axis 1).
 */
export const prelu = (input: Tensor, weight: Tensor): Tensor => one(opId.prelu, [input, weight]);

/**
 * Each element, or `alpha · (exp(x) − 1)` where it is negative.
 *
 * Defaults: `alpha = 1`.
 */
export const elu = (input: Tensor, alpha?: number | Options.EluOptions): Tensor => one(opId.elu, [input, alpha]);

/**
 * `elu` whose slope is continuous for every `alpha`: below zero `alpha · (exp(x / alpha) − 1)`.
 *
 * Defaults: `alpha = 1`.
 */
export const celu = (input: Tensor, alpha?: number | Options.CeluOptions): Tensor => one(opId.celu, [input, alpha]);

/**
 * `x · Φ(x)`, where Φ is the normal distribution function, exact or by its tanh approximation.
 *
 * Defaults: `approximate = 'none'`.
 */
export const gelu = (input: Tensor, approximate?: 'none' | 'tanh' | Options.GeluOptions): Tensor => one(opId.gelu, [input, approximate]);

/**
 * Each element, or zero where it lies within `−lambd` and `lambd`.
 *
 * Defaults: `lambd = 0.5`.
 */
export const hardshrink = (input: Tensor, lambd?: number | Options.HardshrinkOptions): Tensor => one(opId.hardshrink, [input, lambd]);

/**
 * Each element moved towards zero by `lambd`, and zero where it would cross.
 *
 * Defaults: `lambd = 0.5`.
 */
export const softshrink = (input: Tensor, lambd?: number | Options.SoftshrinkOptions): Tensor => one(opId.softshrink, [input, lambd]);

/**
 * First half of `dim`, times the sigmoid of the second.
 *
 * Defaults: `dim = -1`.
 */
export const glu = (input: Tensor, dim?: number | Options.GluOptions): Tensor => one(opId.glu, [input, dim]);

/**
 * `silu` of the first half of `dim`, times the second.
 *
 * Defaults: `dim = -1`.
 */
export const swiglu = (input: Tensor, dim?: number | Options.SwigluOptions): Tensor => one(opId.swiglu, [input, dim]);

/**
 * `gelu` of the first half of `dim`, times the second.
 *
 * Defaults: `dim = -1`.
 */
export const geglu = (input: Tensor, dim?: number | Options.GegluOptions): Tensor => one(opId.geglu, [input, dim]);

/**
 * Number of elements over `dim` that are not zero, in i64.
 */
export const countNonzero = (input: Tensor, dim?: number | readonly number[] | null | Options.CountNonzeroOptions): Tensor => one(opId.count_nonzero, [input, dim]);

/**
 * Sums over the axes that broadcasting from `size` to the shape of `input` repeats.
 */
export const sumToSize = (input: Tensor, ...size: number[] | [readonly number[]]): Tensor => one(opId.sum_to_size, [input, unwrap(size)]);

/**
 * Logarithm of the cumulative sum of exponentials along `dim`, without overflow.
 */
export const logcumsumexp = (input: Tensor, dim: number): Tensor => one(opId.logcumsumexp, [input, dim]);

/**
 * The elements, in row-major order, in another shape. One length may be −1 and is then inferred
 * from the others.
 */
export const reshape = (input: Tensor, ...shape: number[] | [readonly number[]]): Tensor => one(opId.reshape, [input, unwrap(shape)]);

/**
 * The elements of `input` in the shape of `other`.
 */
export const reshapeAs = (input: Tensor, other: Tensor): Tensor => one(opId.reshape_as, [input, other]);

/**
 * Axes in another order: axis `n` of the result is axis `dims[n]` of the input.
 */
export const permute = (input: Tensor, ...dims: number[] | [readonly number[]]): Tensor => one(opId.permute, [input, unwrap(dims)]);

/**
 * Repeats axes of length one, and adds leading axes, up to `size`; −1 keeps a length.
 */
export const expand = (input: Tensor, ...size: number[] | [readonly number[]]): Tensor => one(opId.expand, [input, unwrap(size)]);

/**
 * `input` expanded to the shape of `other`.
 */
export const expandAs = (input: Tensor, other: Tensor): Tensor => one(opId.expand_as, [input, other]);

/**
 * Removes axes of length one: all of them, or those among `dim`.
 */
export const squeeze = (input: Tensor, dim?: number | readonly number[] | null | Options.SqueezeOptions): Tensor => one(opId.squeeze, [input, dim]);

/**
 * Inserts an axis of length one before axis `dim` of the result.
 */
export const unsqueeze = (input: Tensor, dim: number): Tensor => one(opId.unsqueeze, [input, dim]);

/**
 * Splits the channels of `[…, time, channels]` into heads: `[…, heads, time, channels / heads]`.
 */
export const splitHeads = (input: Tensor, numHeads: number): Tensor => one(opId.split_heads, [input, numHeads]);

/**
 * The elements as another dtype: to integers, floats are rounded towards zero; as `bool`, all but
 * zero is `true`.
 */
export const to = (input: Tensor, dtype: DTypeName): Tensor => one(opId.to, [input, dtype]);

/**
 * Reverses the axes `dims`.
 */
export const flip = (input: Tensor, ...dims: number[] | [readonly number[]]): Tensor => one(opId.flip, [input, unwrap(dims)]);

/**
 * The whole tensor repeated along each axis. `repeats` is aligned at the last axis and may add
 * leading axes.
 */
export const repeat = (input: Tensor, ...repeats: number[] | [readonly number[]]): Tensor => one(opId.repeat, [input, unwrap(repeats)]);

/**
 * `repeat` with `dims` padded by leading ones.
 */
export const tile = (input: Tensor, ...dims: number[] | [readonly number[]]): Tensor => one(opId.tile, [input, unwrap(dims)]);

/**
 * Concatenates tensors along `dim`; they must agree on all other axes.
 *
 * Defaults: `dim = 0`.
 */
export const cat = (tensors: readonly Tensor[], dim?: number | Options.CatOptions): Tensor => one(opId.cat, [tensors, dim]);

/**
 * Stacks tensors of one shape along a new axis, which is axis `dim` of the result.
 *
 * Defaults: `dim = 0`.
 */
export const stack = (tensors: readonly Tensor[], dim?: number | Options.StackOptions): Tensor => one(opId.stack, [tensors, dim]);

/**
 * Elements by index into the flattened tensor; negative indices count from the end.
 */
export const take = (input: Tensor, index: Tensor): Tensor => one(opId.take, [input, index]);

/**
 * Matrix product of `input` and `other`, over the last axis of `input` and the second last of
 * `other`. Leading axes broadcast; a vector counts as a row on the left and as a column on the
 * right, and that axis is removed from the result.
 */
export const matmul = (input: Tensor, other: Tensor): Tensor => one(opId.matmul, [input, other]);

/**
 * Product of two matrices, without broadcasting.
 */
export const mm = (input: Tensor, mat2: Tensor): Tensor => one(opId.mm, [input, mat2]);

/**
 * Batched matrix product of two tensors of three axes.
 */
export const bmm = (input: Tensor, mat2: Tensor): Tensor => one(opId.bmm, [input, mat2]);

/**
 * Product of a matrix and a vector.
 */
export const mv = (input: Tensor, vec: Tensor): Tensor => one(opId.mv, [input, vec]);

/**
 * Inner product of two vectors.
 */
export const dot = (input: Tensor, tensor: Tensor): Tensor => one(opId.dot, [input, tensor]);

/**
 * Outer product of two vectors: `y[i, j] = input[i] · vec2[j]`.
 */
export const outer = (input: Tensor, vec2: Tensor): Tensor => one(opId.outer, [input, vec2]);

/**
 * Kronecker product: a block matrix of each element of `input` times `other`.
 */
export const kron = (input: Tensor, other: Tensor): Tensor => one(opId.kron, [input, other]);

/**
 * The `n`-th power of a square matrix; the identity for `n` zero.
 */
export const matrixPower = (input: Tensor, n: number): Tensor => one(opId.matrix_power, [input, n]);

/**
 * Sums of products over named axes, such as `'bij,bjk->bik'`. Axes that are not in the output are
 * summed over; a name that occurs twice in one operand takes its diagonal; `...` are axes that
 * broadcast. Without `->` the output is the ellipsis followed by the names that occur once, in
 * alphabetical order: `'ii'` is a trace. Operands are contracted from left to right.
 */
export const einsum = (equation: string, operands: readonly Tensor[]): Tensor => one(opId.einsum, [equation, operands]);

/**
 * Sums of products over the last axis of both; with a scalar, its product with the other.
 */
export const inner = (input: Tensor, other: Tensor): Tensor => one(opId.inner, [input, other]);

/**
 * Distances of all pairs of rows of a matrix: the upper triangle of `cdist(input, input)` as a
 * vector.
 *
 * Defaults: `p = 2`.
 */
export const pdist = (input: Tensor, p?: number | Options.PdistOptions): Tensor => one(opId.pdist, [input, p]);

/**
 * Largest elements of `output_size` windows of nearly equal length, along the last
 * axis.
 *
 * Defaults: `returnIndices = false`.
 */
export const adaptiveMaxPool1d = (input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor => one(opId.adaptive_max_pool1d, [input, outputSize]);

/**
 * Largest elements of `output_size` windows of nearly equal size, over the last two
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export const adaptiveMaxPool2d = (input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor => one(opId.adaptive_max_pool2d, [input, outputSize]);

/**
 * Largest elements of `output_size` windows of nearly equal size, over the last three
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export const adaptiveMaxPool3d = (input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor => one(opId.adaptive_max_pool3d, [input, outputSize]);

/**
 * Means of `output_size` windows of nearly equal length, along the last axis.
 */
export const adaptiveAvgPool1d = (input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor => one(opId.adaptive_avg_pool1d, [input, outputSize]);

/**
 * Means of `output_size` windows of nearly equal size, over the last two axes; `none`
 * keeps an axis.
 */
export const adaptiveAvgPool2d = (input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor => one(opId.adaptive_avg_pool2d, [input, outputSize]);

/**
 * Means of `output_size` windows of nearly equal size, over the last three axes;
 * `none` keeps an axis.
 */
export const adaptiveAvgPool3d = (input: Tensor, outputSize: number | null | readonly (number | null)[]): Tensor => one(opId.adaptive_avg_pool3d, [input, outputSize]);

/**
 * Channels to pixels: `[…, C·r², H, W]` becomes `[…, C, H·r, W·r]`.
 */
export const pixelShuffle = (input: Tensor, upscaleFactor: number): Tensor => one(opId.pixel_shuffle, [input, upscaleFactor]);

/**
 * Pixels to channels: `[…, C, H·r, W·r]` becomes `[…, C·r², H, W]`.
 */
export const pixelUnshuffle = (input: Tensor, downscaleFactor: number): Tensor => one(opId.pixel_unshuffle, [input, downscaleFactor]);

/**
 * Channel shuffle of `[N, C, …]`: the channels of each of `groups` groups are distributed to all
 * groups.
 */
export const channelShuffle = (input: Tensor, groups: number): Tensor => one(opId.channel_shuffle, [input, groups]);

/**
 * The centre of an image; `size` is one number for both axes or one for each. A smaller image is
 * padded with zeros.
 */
export const centerCrop = (input: Tensor, ...size: number[] | [readonly number[]]): Tensor => one(opId.center_crop, [input, unwrap(size)]);

/**
 * The brightness of colour images `[…, 3, H, W]`: 0.2989 R + 0.587 G + 0.114 B, as one channel or
 * repeated for three.
 *
 * Defaults: `numOutputChannels = 1`.
 */
export const rgbToGrayscale = (input: Tensor, numOutputChannels?: number | Options.RgbToGrayscaleOptions): Tensor => one(opId.rgb_to_grayscale, [input, numOutputChannels]);

/**
 * Multiplies colours by a factor: 0 is black, 1 the image itself.
 */
export const adjustBrightness = (input: Tensor, brightnessFactor: number): Tensor => one(opId.adjust_brightness, [input, brightnessFactor]);

/**
 * Changes the contrast by a factor: 0 is the mean brightness everywhere, 1 the image itself.
 */
export const adjustContrast = (input: Tensor, contrastFactor: number): Tensor => one(opId.adjust_contrast, [input, contrastFactor]);

/**
 * Changes the saturation by a factor: 0 is a gray image, 1 the image itself.
 */
export const adjustSaturation = (input: Tensor, saturationFactor: number): Tensor => one(opId.adjust_saturation, [input, saturationFactor]);

/**
 * `input` on and below the diagonal of its last two axes, `value` above it.
 */
export const whereCausal = (input: Tensor, value: number): Tensor => one(opId.where_causal, [input, value]);

/**
 * Cumulative maximum along `dim`, and its last index. After a NaN all results are NaN.
 */
export const cummax = (input: Tensor, dim: number): [Tensor, Tensor] => pair(opId.cummax, [input, dim]);

/**
 * Cumulative minimum along `dim`, and its last index. After a NaN all results are NaN.
 */
export const cummin = (input: Tensor, dim: number): [Tensor, Tensor] => pair(opId.cummin, [input, dim]);

/**
 * Largest elements of `output_size` windows of nearly equal length, along the last
 * axis.
 *
 * Defaults: `returnIndices = false`.
 */
export const adaptiveMaxPool1dWithIndices = (input: Tensor, outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] => pair(opId.adaptive_max_pool1d, [input, outputSize], { returnIndices: true });

/**
 * Largest elements of `output_size` windows of nearly equal size, over the last two
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export const adaptiveMaxPool2dWithIndices = (input: Tensor, outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] => pair(opId.adaptive_max_pool2d, [input, outputSize], { returnIndices: true });

/**
 * Largest elements of `output_size` windows of nearly equal size, over the last three
 * axes; `none` keeps an axis.
 *
 * Defaults: `returnIndices = false`.
 */
export const adaptiveMaxPool3dWithIndices = (input: Tensor, outputSize: number | null | readonly (number | null)[]): [Tensor, Tensor] => pair(opId.adaptive_max_pool3d, [input, outputSize], { returnIndices: true });

/**
 * Indices of the elements that are not zero, in order: one row for each element, or with
 * `as_tuple` one tensor for each axis.
 *
 * Defaults: `asTuple = false`.
 */
export const nonzero = (input: Tensor, asTuple?: boolean | Options.NonzeroOptions): Promise<Tensor | Tensor[]> => reading(opId.nonzero, [input, asTuple]) as Promise<Tensor | Tensor[]>;

/**
 * The elements where `mask`, broadcast against the tensor, is true, in order.
 */
export const maskedSelect = (input: Tensor, mask: Tensor): Promise<Tensor> => reading(opId.masked_select, [input, mask]) as Promise<Tensor>;

/**
 * Splits along `dim` into parts of one size (the last may be shorter) or of a list of sizes.
 *
 * Defaults: `dim = 0`.
 */
export const split = (tensor: Tensor, splitSizeOrSections: number | readonly number[], dim?: number | Options.SplitOptions): Tensor[] => list(opId.split, [tensor, splitSizeOrSections, dim]);

/**
 * Splits along `dim` into parts of the given sizes.
 *
 * Defaults: `dim = 0`.
 */
export const splitWithSizes = (input: Tensor, splitSizes: number | readonly number[], dim?: number | Options.SplitWithSizesOptions): Tensor[] => list(opId.split_with_sizes, [input, splitSizes, dim]);

/**
 * Splits along `dim` into at most `chunks` parts of one size; the last may be shorter.
 *
 * Defaults: `dim = 0`.
 */
export const chunk = (input: Tensor, chunks: number, dim?: number | Options.ChunkOptions): Tensor[] => list(opId.chunk, [input, chunks, dim]);

/**
 * Splits along `dim` into a number of parts whose sizes differ by at most one, or before each
 * position of a list.
 *
 * Defaults: `dim = 0`.
 */
export const tensorSplit = (input: Tensor, indicesOrSections: number | readonly number[], dim?: number | Options.TensorSplitOptions): Tensor[] => list(opId.tensor_split, [input, indicesOrSections, dim]);

/**
 * A tensor filled with `fill_value`, of the shape and dtype of `input`.
 */
export const fullLike = (input: Tensor, fillValue: Operand, dtype?: DTypeName | null | Options.FullLikeOptions): Tensor => one(opId.full_like, [input, fillValue, dtype]);

/**
 * Zeros of another shape, in the dtype of `input`.
 */
export const newZeros = (input: Tensor, size: number | readonly number[], dtype?: DTypeName | null | Options.NewZerosOptions): Tensor => one(opId.new_zeros, [input, size, dtype]);

/**
 * Ones of another shape, in the dtype of `input`.
 */
export const newOnes = (input: Tensor, size: number | readonly number[], dtype?: DTypeName | null | Options.NewOnesOptions): Tensor => one(opId.new_ones, [input, size, dtype]);

/**
 * All combinations of `r` elements, as rows, in order; `with_replacement` an element may occur
 * more than once.
 *
 * Defaults: `r = 2`, `withReplacement = false`.
 */
export const combinations = (input: Tensor, r?: number | Options.CombinationsOptions, withReplacement?: boolean | Options.CombinationsOptions): Tensor => one(opId.combinations, [input, r, withReplacement]);

/**
 * Indices drawn with the weights of the last axis (which need not add up to one), `num_samples`
 * for each row; all different unless `replacement`.
 *
 * Defaults: `replacement = false`.
 */
export const multinomial = (input: Tensor, numSamples: number, replacement?: boolean | Options.MultinomialOptions): Tensor => one(opId.multinomial, [input, numSamples, replacement]);

/**
 * While `training`, sets each element to zero with probability `p` and scales the others by
 * `1 / (1 − p)`.
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export const dropout = (input: Tensor, p?: number | Options.DropoutOptions, training?: boolean | Options.DropoutOptions): Tensor => one(opId.dropout, [input, p, training]);

/**
 * While `training`, sets whole channels (indices of axes 0 and 1) to zero with probability `p` and
 * scales the others by `1 / (1 − p)`.
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export const featureDropout = (input: Tensor, p?: number | Options.FeatureDropoutOptions, training?: boolean | Options.FeatureDropoutOptions): Tensor => one(opId.feature_dropout, [input, p, training]);

/**
 * `feature_dropout` for signals: (batch, channel, length), or (channel, length).
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export const dropout1d = (input: Tensor, p?: number | Options.Dropout1dOptions, training?: boolean | Options.Dropout1dOptions): Tensor => one(opId.dropout1d, [input, p, training]);

/**
 * `feature_dropout` for volumes: (batch, channel, depth, height, width), or without batch.
 *
 * Defaults: `p = 0.5`, `training = true`.
 */
export const dropout3d = (input: Tensor, p?: number | Options.Dropout3dOptions, training?: boolean | Options.Dropout3dOptions): Tensor => one(opId.dropout3d, [input, p, training]);

/**
 * Dropout for networks of `selu`: while `training`, replaces elements with probability `p` by
 * the value selu saturates at, then shifts and scales to preserve mean and variance.
 *
 * Defaults: `p = 0.5`, `training = false`.
 */
export const alphaDropout = (input: Tensor, p?: number | Options.AlphaDropoutOptions, training?: boolean | Options.AlphaDropoutOptions): Tensor => one(opId.alpha_dropout, [input, p, training]);

/**
 * `alpha_dropout` of whole channels (indices of axes 0 and 1).
 *
 * Defaults: `p = 0.5`, `training = false`.
 */
export const featureAlphaDropout = (input: Tensor, p?: number | Options.FeatureAlphaDropoutOptions, training?: boolean | Options.FeatureAlphaDropoutOptions): Tensor => one(opId.feature_alpha_dropout, [input, p, training]);

/**
 * `input + alpha · other`.
 *
 * Defaults: `alpha = 1`.
 */
export const add = (input: Operand, other: Operand, alpha?: number | Options.AddOptions): Tensor => one(opId.add, [input, other, alpha]);

/**
 * `input − alpha · other`.
 *
 * Defaults: `alpha = 1`.
 */
export const sub = (input: Operand, other: Operand, alpha?: number | Options.SubOptions): Tensor => one(opId.sub, [input, other, alpha]);

/**
 * `other − alpha · input`.
 *
 * Defaults: `alpha = 1`.
 */
export const rsub = (input: Operand, other: Operand, alpha?: number | Options.RsubOptions): Tensor => one(opId.rsub, [input, other, alpha]);

/**
 * `input / other`, as floats even for integers; with `rounding_mode` the quotient rounded towards
 * zero (`'trunc'`) or down (`'floor'`), in the dtype of the operands.
 */
export const div = (input: Operand, other: Operand, roundingMode?: 'trunc' | 'floor' | null | Options.DivOptions): Tensor => one(opId.div, [input, other, roundingMode]);

/**
 * `input + weight · (end − input)`: from exactly `input` at weight 0 to exactly `end` at 1.
 */
export const lerp = (input: Tensor, end: Tensor, weight: Operand): Tensor => one(opId.lerp, [input, end, weight]);

/**
 * Clamps elements to `min … max`; where `min > max` the result is `max`.
 */
export const clamp = (input: Tensor, min?: Operand | null | Options.ClampOptions, max?: Operand | null | Options.ClampOptions): Tensor => one(opId.clamp, [input, min, max]);

/**
 * Elements of `input` where `condition` is true, else of `other`.
 */
export const where = (condition: Tensor, input: Operand, other: Operand): Tensor => one(opId.where, [condition, input, other]);

/**
 * `value` where `mask` is true, else the element.
 */
export const maskedFill = (input: Tensor, mask: Tensor, value: Operand): Tensor => one(opId.masked_fill, [input, mask, value]);

/**
 * `log(1 + exp(beta · x)) / beta`, a smooth relu; linear where `beta · x` exceeds `threshold`.
 *
 * Defaults: `beta = 1`, `threshold = 20`.
 */
export const softplus = (input: Tensor, beta?: number | Options.SoftplusOptions, threshold?: number | Options.SoftplusOptions): Tensor => one(opId.softplus, [input, beta, threshold]);

/**
 * Each element, but at least `min_val` and at most `max_val`.
 *
 * Defaults: `minVal = -1`, `maxVal = 1`.
 */
export const hardtanh = (input: Tensor, minVal?: number | Options.HardtanhOptions, maxVal?: number | Options.HardtanhOptions): Tensor => one(opId.hardtanh, [input, minVal, maxVal]);

/**
 * Each element where it exceeds `threshold`, else `value`.
 */
export const threshold = (input: Tensor, threshold: number, value: number): Tensor => one(opId.threshold, [input, threshold, value]);

/**
 * Whether all elements over `dim` are true, that is, not zero.
 *
 * Defaults: `keepdim = false`.
 */
export const all = (input: Tensor, dim?: number | readonly number[] | null | Options.AllOptions, keepdim?: boolean | Options.AllOptions): Tensor => one(opId.all, [input, dim, keepdim]);

/**
 * Whether any element over `dim` is true, that is, not zero.
 *
 * Defaults: `keepdim = false`.
 */
export const any = (input: Tensor, dim?: number | readonly number[] | null | Options.AnyOptions, keepdim?: boolean | Options.AnyOptions): Tensor => one(opId.any, [input, dim, keepdim]);

/**
 * Logarithm of the sum of exponentials over `dim`, without overflow.
 *
 * Defaults: `keepdim = false`.
 */
export const logsumexp = (input: Tensor, dim?: number | readonly number[] | null | Options.LogsumexpOptions, keepdim?: boolean | Options.LogsumexpOptions): Tensor => one(opId.logsumexp, [input, dim, keepdim]);

/**
 * The `p`-norm of the difference of two tensors.
 *
 * Defaults: `p = 2`.
 */
export const dist = (input: Tensor, other: Tensor, p?: number | Options.DistOptions): Tensor => one(opId.dist, [input, other, p]);

/**
 * Largest element over `dim`, by default over all axes. Equal elements share the gradient.
 *
 * Defaults: `keepdim = false`.
 */
export const amax = (input: Tensor, dim?: number | readonly number[] | null | Options.AmaxOptions, keepdim?: boolean | Options.AmaxOptions): Tensor => one(opId.amax, [input, dim, keepdim]);

/**
 * Smallest element over `dim`, by default over all axes. Equal elements share the gradient.
 *
 * Defaults: `keepdim = false`.
 */
export const amin = (input: Tensor, dim?: number | readonly number[] | null | Options.AminOptions, keepdim?: boolean | Options.AminOptions): Tensor => one(opId.amin, [input, dim, keepdim]);

/**
 * Index of the first largest element along `dim`, by default of all elements in order.
 *
 * Defaults: `keepdim = false`.
 */
export const argmax = (input: Tensor, dim?: number | null | Options.ArgmaxOptions, keepdim?: boolean | Options.ArgmaxOptions): Tensor => one(opId.argmax, [input, dim, keepdim]);

/**
 * Index of the first smallest element along `dim`, by default of all elements in order.
 *
 * Defaults: `keepdim = false`.
 */
export const argmin = (input: Tensor, dim?: number | null | Options.ArgminOptions, keepdim?: boolean | Options.ArgminOptions): Tensor => one(opId.argmin, [input, dim, keepdim]);

/**
 * Cumulative sum along `dim`. Integers and bools are summed in i64.
 */
export const cumsum = (input: Tensor, dim: number, dtype?: DTypeName | null | Options.CumsumOptions): Tensor => one(opId.cumsum, [input, dim, dtype]);

/**
 * Cumulative product along `dim`. Integers and bools are multiplied in i64.
 */
export const cumprod = (input: Tensor, dim: number, dtype?: DTypeName | null | Options.CumprodOptions): Tensor => one(opId.cumprod, [input, dim, dtype]);

/**
 * Merges the axes from `start_dim` to `end_dim` into one.
 *
 * Defaults: `startDim = 0`, `endDim = -1`.
 */
export const flatten = (input: Tensor, startDim?: number | Options.FlattenOptions, endDim?: number | Options.FlattenOptions): Tensor => one(opId.flatten, [input, startDim, endDim]);

/**
 * Splits axis `dim` into several of the lengths `sizes`, one of which may be −1.
 */
export const unflatten = (input: Tensor, dim: number, ...sizes: number[] | [readonly number[]]): Tensor => one(opId.unflatten, [input, dim, unwrap(sizes)]);

/**
 * Swaps two axes, by default the last two.
 *
 * Defaults: `dim0 = -2`, `dim1 = -1`.
 */
export const transpose = (input: Tensor, dim0?: number | Options.TransposeOptions, dim1?: number | Options.TransposeOptions): Tensor => one(opId.transpose, [input, dim0, dim1]);

/**
 * Moves the axes `source` to the positions `destination`; the others keep their order.
 */
export const movedim = (input: Tensor, source: number | readonly number[], ...destination: number[] | [readonly number[]]): Tensor => one(opId.movedim, [input, source, unwrap(destination)]);

/**
 * The elements at `index` of axis `dim`, which is removed.
 */
export const select = (input: Tensor, dim: number, index: number): Tensor => one(opId.select, [input, dim, index]);

/**
 * Shifts elements along axes; elements shifted out at one end enter at the other. Without `dims`
 * the flattened tensor is rolled.
 */
export const roll = (input: Tensor, shifts: number | readonly number[], dims?: number | readonly number[] | null | Options.RollOptions): Tensor => one(opId.roll, [input, shifts, dims]);

/**
 * Rotates the plane of two axes by `k` quarter turns, from the first axis towards the second.
 *
 * Defaults: `k = 1`, `dims = [0,1]`.
 */
export const rot90 = (input: Tensor, k?: number | Options.Rot90Options, dims?: number | readonly number[] | Options.Rot90Options): Tensor => one(opId.rot90, [input, k, dims]);

/**
 * `pad` with a constant value.
 *
 * Defaults: `value = 'int(0)'`.
 */
export const constantPadNd = (input: Tensor, pad: number | readonly number[], value?: number | Options.ConstantPadNdOptions): Tensor => one(opId.constant_pad_nd, [input, pad, value]);

/**
 * `out[i][j] = input[index[i][j]][j]` for `dim` 0, and so on: one element for each index.
 */
export const gather = (input: Tensor, dim: number, index: Tensor): Tensor => one(opId.gather, [input, dim, index]);

/**
 * `gather` with broadcasting of the other axes, and with negative indices that count from the end;
 * without `dim`, of the flattened tensor.
 */
export const takeAlongDim = (input: Tensor, indices: Tensor, dim?: number | null | Options.TakeAlongDimOptions): Tensor => one(opId.take_along_dim, [input, indices, dim]);

/**
 * The elements at the indices `index` of axis `dim`.
 */
export const indexSelect = (input: Tensor, dim: number, index: Tensor): Tensor => one(opId.index_select, [input, dim, index]);

/**
 * `input` with consecutive elements of `source` where `mask` is true.
 */
export const maskedScatter = (input: Tensor, mask: Tensor, source: Tensor): Tensor => one(opId.masked_scatter, [input, mask, source]);

/**
 * The rows of `weight` at the indices `input`. No gradient flows to the row `padding_idx`.
 */
export const embedding = (input: Tensor, weight: Tensor, paddingIdx?: number | null | Options.EmbeddingOptions): Tensor => one(opId.embedding, [input, weight, paddingIdx]);

/**
 * A dense layer: `input @ weight.T + bias`, with `weight [out, in]` and `bias [out]`.
 */
export const linear = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.LinearOptions): Tensor => one(opId.linear, [input, weight, bias]);

/**
 * Cross product of vectors of length three along `dim`, by default the first axis of length three.
 */
export const cross = (input: Tensor, other: Tensor, dim?: number | null | Options.CrossOptions): Tensor => one(opId.cross, [input, other, dim]);

/**
 * Contracts axes of `a` with axes of `b`: the last `dims` of `a` with the first of `b`, or the
 * axes in two lists.
 *
 * Defaults: `dims = [[2]]`.
 */
export const tensordot = (a: Tensor, b: Tensor, dims?: number | readonly number[] | readonly (number | readonly number[])[] | Options.TensordotOptions): Tensor => one(opId.tensordot, [a, b, dims]);

/**
 * Distance between each row of `x1` and each row of `x2`: the `p`-norm of their difference.
 * Leading axes broadcast.
 *
 * Defaults: `p = 2`.
 */
export const cdist = (x1: Tensor, x2: Tensor, p?: number | Options.CdistOptions): Tensor => one(opId.cdist, [x1, x2, p]);

/**
 * Resizes by repeating the nearest element: `interpolate` with mode `'nearest'`.
 */
export const upsampleNearest = (input: Tensor, size?: number | readonly number[] | null | Options.UpsampleNearestOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleNearestOptions): Tensor => one(opId.upsample_nearest, [input, size, scaleFactor]);

/**
 * Resizes by bilinear interpolation with aligned corners.
 */
export const upsampleBilinear = (input: Tensor, size?: number | readonly number[] | null | Options.UpsampleBilinearOptions, scaleFactor?: number | readonly number[] | null | Options.UpsampleBilinearOptions): Tensor => one(opId.upsample_bilinear, [input, size, scaleFactor]);

/**
 * The grid for `grid_sample` that transforms images of `size` by the affine maps `theta [N, 2,
 * 3]` (or volumes, `[N, 3, 4]`).
 *
 * Defaults: `alignCorners = false`.
 */
export const affineGrid = (theta: Tensor, size: number | readonly number[], alignCorners?: boolean | Options.AffineGridOptions): Tensor => one(opId.affine_grid, [theta, size, alignCorners]);

/**
 * `(input − mean) / std`, with one number for each channel, or one for all.
 */
export const normalizeChannels = (input: Tensor, mean: number | readonly number[], std: number | readonly number[]): Tensor => one(opId.normalize_channels, [input, mean, std]);

/**
 * Softmax along `dim`: exponentials that add up to one.
 *
 * `exp(x − max) / sum(exp(x − max))`, in `dtype` if one is given.
 *
 * Defaults: `dim = -1`.
 */
export const softmax = (input: Tensor, dim?: number | Options.SoftmaxOptions, dtype?: DTypeName | null | Options.SoftmaxOptions): Tensor => one(opId.softmax, [input, dim, dtype]);

/**
 * Logarithm of the softmax along `dim`, without its overflow: `x − log(sum(exp(x)))`.
 *
 * Defaults: `dim = -1`.
 */
export const logSoftmax = (input: Tensor, dim?: number | Options.LogSoftmaxOptions, dtype?: DTypeName | null | Options.LogSoftmaxOptions): Tensor => one(opId.log_softmax, [input, dim, dtype]);

/**
 * Softmax of the negated input: the smallest element gets the largest share.
 *
 * Defaults: `dim = -1`.
 */
export const softmin = (input: Tensor, dim?: number | Options.SoftminOptions, dtype?: DTypeName | null | Options.SoftminOptions): Tensor => one(opId.softmin, [input, dim, dtype]);

/**
 * Sinusoidal positional encoding `[len, dim]`: at position `p`, element `2i` is `sin(p /
 * base^(2i/dim))` and element `2i + 1` its cosine.
 *
 * Defaults: `base = 10000`.
 */
export const sinusoidalPositions = (len: number, dim: number, base?: number | Options.SinusoidalPositionsOptions): Tensor => one(opId.sinusoidal_positions, [len, dim, base]);

/**
 * Logistic loss of scores against labels of −1 or 1: `log(1 + exp(−target · input))`.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const softMarginLoss = (input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SoftMarginLossOptions): Tensor => one(opId.soft_margin_loss, [input, target, reduction]);

/**
 * Multi-label margin loss, which asks the scores of several classes to exceed all others by one:
 * for `input` `[N, C]` (or `[C]`), `sum(max(0, 1 − input[t] + input[c])) / C` over all pairs of a
 * target `t` and another class `c`.
 *
 * Each row of `target`, shaped like the input, lists classes and ends with the first −1.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const multilabelMarginLoss = (input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelMarginLossOptions): Tensor => one(opId.multilabel_margin_loss, [input, target, reduction]);

/**
 * Smallest and largest element over `dim`, by default over all axes.
 *
 * Defaults: `keepdim = false`.
 */
export const aminmax = (input: Tensor, dim?: number | null | Options.AminmaxOptions, keepdim?: boolean | Options.AminmaxOptions): [Tensor, Tensor] => pair(opId.aminmax, [input, dim, keepdim]);

/**
 * The most frequent value along `dim` (the smallest of several), and its last index.
 *
 * Defaults: `dim = -1`, `keepdim = false`.
 */
export const mode = (input: Tensor, dim?: number | Options.ModeOptions, keepdim?: boolean | Options.ModeOptions): [Tensor, Tensor] => pair(opId.mode, [input, dim, keepdim]);

/**
 * The number of occurrences of each integer from 0 to the largest in a vector of integers, or the
 * sum of their `weights`. The result has at least `minlength` elements.
 *
 * Defaults: `minlength = 0`.
 */
export const bincount = (input: Tensor, weights?: Tensor | null | Options.BincountOptions, minlength?: number | Options.BincountOptions): Promise<Tensor> => reading(opId.bincount, [input, weights, minlength]) as Promise<Tensor>;

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
  return varied(opId.max, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
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
  return varied(opId.min, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * The median of all elements (the lower of two middle ones); with `dim`, the medians along that
 * axis and their indices. NaN if any element is.
 *
 * Defaults: `keepdim = false`.
 */
export function median(input: Tensor): Tensor;
export function median(input: Tensor, dim: number, keepdim?: boolean): [Tensor, Tensor];
export function median(input: Tensor, dim?: number | null | Options.MedianOptions, keepdim?: boolean | Options.MedianOptions): Tensor | [Tensor, Tensor] {
  return varied(opId.median, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * `median` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`.
 */
export function nanmedian(input: Tensor): Tensor;
export function nanmedian(input: Tensor, dim: number, keepdim?: boolean): [Tensor, Tensor];
export function nanmedian(input: Tensor, dim?: number | null | Options.NanmedianOptions, keepdim?: boolean | Options.NanmedianOptions): Tensor | [Tensor, Tensor] {
  return varied(opId.nanmedian, [input, dim, keepdim]) as Tensor | [Tensor, Tensor];
}

/**
 * Slopes of a function given at points along each of `dim`, by default along every axis: central
 * differences, and at the ends one-sided differences of order `edge_order`. `spacing` is the
 * distance between points, one for all axes or one for each, or for each axis a tensor with the
 * points' coordinates.
 *
 * Defaults: `edgeOrder = 1`.
 */
export const gradient = (input: Tensor, spacing?: Operand | readonly Operand[] | null | Options.GradientOptions, dim?: number | readonly number[] | null | Options.GradientOptions, edgeOrder?: number | Options.GradientOptions): Tensor[] => list(opId.gradient, [input, spacing, dim, edgeOrder]);

/**
 * A tensor of shape `size` filled with `fill_value`, in the dtype of `input`.
 */
export const newFull = (input: Tensor, size: number | readonly number[], fillValue: Operand, dtype?: DTypeName | null | Options.NewFullOptions): Tensor => one(opId.new_full, [input, size, fillValue, dtype]);

/**
 * Row and column of each element of the lower triangle of a `row` by `col` matrix, as two rows.
 *
 * Defaults: `offset = 0`.
 */
export const trilIndices = (row: number, col: number, offset?: number | Options.TrilIndicesOptions, dtype?: DTypeName | null | Options.TrilIndicesOptions): Tensor => one(opId.tril_indices, [row, col, offset, dtype]);

/**
 * Row and column of each element of the upper triangle of a `row` by `col` matrix, as two rows.
 *
 * Defaults: `offset = 0`.
 */
export const triuIndices = (row: number, col: number, offset?: number | Options.TriuIndicesOptions, dtype?: DTypeName | null | Options.TriuIndicesOptions): Tensor => one(opId.triu_indices, [row, col, offset, dtype]);

/**
 * Matrices in the axes `dim1` and `dim2` whose diagonals are the last axis of `input`.
 *
 * Defaults: `offset = 0`, `dim1 = -2`, `dim2 = -1`.
 */
export const diagEmbed = (input: Tensor, offset?: number | Options.DiagEmbedOptions, dim1?: number | Options.DiagEmbedOptions, dim2?: number | Options.DiagEmbedOptions): Tensor => one(opId.diag_embed, [input, offset, dim1, dim2]);

/**
 * Random integers from `low` up to, not including, `high`, of the shape and dtype of `input`.
 */
export const randintLike = (input: Tensor, low: number, high: number, dtype?: DTypeName | null | Options.RandintLikeOptions): Tensor => one(opId.randint_like, [input, low, high, dtype]);

/**
 * Uniform random numbers in [`low`, `high`).
 *
 * Defaults: `low = 0`, `high = 1`.
 */
export const uniform = (size: number | readonly number[], low?: number | Options.UniformOptions, high?: number | Options.UniformOptions, dtype?: DTypeName | null | Options.UniformOptions): Tensor => one(opId.uniform, [size, low, high, dtype]);

/**
 * Normal random numbers of the given `mean` and standard deviation `std` (1), which may be
 * tensors; of their shape, or of `size`.
 */
export const normal = (mean: Operand, std?: Operand | null | Options.NormalOptions, size?: number | readonly number[] | null | Options.NormalOptions, dtype?: DTypeName | null | Options.NormalOptions): Tensor => one(opId.normal, [mean, std, size, dtype]);

/**
 * Differentiable, nearly one-hot samples along `dim`: `softmax((logits + noise) / tau)` with
 * Gumbel noise. With `hard` the samples are one-hot and keep the gradient.
 *
 * Defaults: `tau = 1`, `hard = false`, `dim = -1`.
 */
export const gumbelSoftmax = (logits: Tensor, tau?: number | Options.GumbelSoftmaxOptions, hard?: boolean | Options.GumbelSoftmaxOptions, dim?: number | Options.GumbelSoftmaxOptions): Tensor => one(opId.gumbel_softmax, [logits, tau, hard, dim]);

/**
 * `input + value · tensor1 · tensor2`.
 *
 * Defaults: `value = 1`.
 */
export const addcmul = (input: Tensor, tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcmulOptions): Tensor => one(opId.addcmul, [input, tensor1, tensor2, value]);

/**
 * `input + value · tensor1 / tensor2`.
 *
 * Defaults: `value = 1`.
 */
export const addcdiv = (input: Tensor, tensor1: Tensor, tensor2: Tensor, value?: number | Options.AddcdivOptions): Tensor => one(opId.addcdiv, [input, tensor1, tensor2, value]);

/**
 * Replaces NaN by `nan` (default zero) and infinities by `posinf` and `neginf` (default the
 * largest and smallest finite number of the type).
 */
export const nanToNum = (input: Tensor, nan?: number | null | Options.NanToNumOptions, posinf?: number | null | Options.NanToNumOptions, neginf?: number | null | Options.NanToNumOptions): Tensor => one(opId.nan_to_num, [input, nan, posinf, neginf]);

/**
 * Sum of the elements over `dim`, by default over all axes. Integers and bools are summed in i64.
 *
 * Defaults: `keepdim = false`.
 */
export const sum = (input: Tensor, dim?: number | readonly number[] | null | Options.SumOptions, keepdim?: boolean | Options.SumOptions, dtype?: DTypeName | null | Options.SumOptions): Tensor => one(opId.sum, [input, dim, keepdim, dtype]);

/**
 * Mean of the elements over `dim`, by default over all axes; NaN if there are no elements.
 *
 * Defaults: `keepdim = false`.
 */
export const mean = (input: Tensor, dim?: number | readonly number[] | null | Options.MeanOptions, keepdim?: boolean | Options.MeanOptions, dtype?: DTypeName | null | Options.MeanOptions): Tensor => one(opId.mean, [input, dim, keepdim, dtype]);

/**
 * Sum over `dim` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`.
 */
export const nansum = (input: Tensor, dim?: number | readonly number[] | null | Options.NansumOptions, keepdim?: boolean | Options.NansumOptions, dtype?: DTypeName | null | Options.NansumOptions): Tensor => one(opId.nansum, [input, dim, keepdim, dtype]);

/**
 * Mean over `dim` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`.
 */
export const nanmean = (input: Tensor, dim?: number | readonly number[] | null | Options.NanmeanOptions, keepdim?: boolean | Options.NanmeanOptions, dtype?: DTypeName | null | Options.NanmeanOptions): Tensor => one(opId.nanmean, [input, dim, keepdim, dtype]);

/**
 * Product of the elements over `dim`, by default over all axes. Integers and bools are multiplied
 * in i64. The gradient is exact even if elements are zero.
 *
 * Defaults: `keepdim = false`.
 */
export const prod = (input: Tensor, dim?: number | readonly number[] | null | Options.ProdOptions, keepdim?: boolean | Options.ProdOptions, dtype?: DTypeName | null | Options.ProdOptions): Tensor => one(opId.prod, [input, dim, keepdim, dtype]);

/**
 * Histogram: the number of elements in each of `bins` equal intervals from `min` to `max`, by
 * default from the smallest to the largest element. Elements outside are not counted.
 *
 * Defaults: `bins = 100`, `min = 0`, `max = 0`.
 */
export const histc = (input: Tensor, bins?: number | Options.HistcOptions, min?: number | Options.HistcOptions, max?: number | Options.HistcOptions): Tensor => one(opId.histc, [input, bins, min, max]);

/**
 * Integral along `dim` of a function with values `y`, by the trapezoid rule, given the points `x`
 * or else their distance `dx`.
 *
 * Defaults: `dx = 1`, `dim = -1`.
 */
export const trapezoid = (y: Tensor, x?: Tensor | null | Options.TrapezoidOptions, dx?: number | Options.TrapezoidOptions, dim?: number | Options.TrapezoidOptions): Tensor => one(opId.trapezoid, [y, x, dx, dim]);

/**
 * Cumulative integral along `dim` by the trapezoid rule, from the second point on.
 *
 * Defaults: `dx = 1`, `dim = -1`.
 */
export const cumulativeTrapezoid = (y: Tensor, x?: Tensor | null | Options.CumulativeTrapezoidOptions, dx?: number | Options.CumulativeTrapezoidOptions, dim?: number | Options.CumulativeTrapezoidOptions): Tensor => one(opId.cumulative_trapezoid, [y, x, dx, dim]);

/**
 * The indices that sort the elements along `dim`.
 *
 * Defaults: `dim = -1`, `descending = false`, `stable = false`.
 */
export const argsort = (input: Tensor, dim?: number | Options.ArgsortOptions, descending?: boolean | Options.ArgsortOptions, stable?: boolean | Options.ArgsortOptions): Tensor => one(opId.argsort, [input, dim, descending, stable]);

/**
 * The index of the interval between `boundaries` in which each value lies: the number of
 * boundaries less than it, or not greater if `right`.
 *
 * Defaults: `outInt32 = false`, `right = false`.
 */
export const bucketize = (input: Operand, boundaries: Tensor, outInt32?: boolean | Options.BucketizeOptions, right?: boolean | Options.BucketizeOptions): Tensor => one(opId.bucketize, [input, boundaries, outInt32, right]);

/**
 * Whether each of `elements` is among `test_elements`, or is not if `invert`.
 *
 * Defaults: `assumeUnique = false`, `invert = false`.
 */
export const isin = (elements: Operand, testElements: Operand, assumeUnique?: boolean | Options.IsinOptions, invert?: boolean | Options.IsinOptions): Tensor => one(opId.isin, [elements, testElements, assumeUnique, invert]);

/**
 * `length` elements of axis `dim` from `start` on.
 */
export const narrow = (input: Tensor, dim: number, start: number, length: number): Tensor => one(opId.narrow, [input, dim, start, length]);

/**
 * The diagonal of the plane of two axes, `offset` above the main one, as a new last axis.
 *
 * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
 */
export const diagonal = (input: Tensor, offset?: number | Options.DiagonalOptions, dim1?: number | Options.DiagonalOptions, dim2?: number | Options.DiagonalOptions): Tensor => one(opId.diagonal, [input, offset, dim1, dim2]);

/**
 * Each element repeated in place, along `dim` or in the flattened tensor. If `repeats` is a
 * tensor, one for each position, `output_size` must be its sum.
 */
export const repeatInterleave = (input: Tensor, repeats: Operand, dim?: number | null | Options.RepeatInterleaveOptions, outputSize?: number | null | Options.RepeatInterleaveOptions): Tensor => one(opId.repeat_interleave, [input, repeats, dim, outputSize]);

/**
 * Sliding windows of `size` elements along an axis, `step` apart, as a new last axis.
 */
export const unfold = (input: Tensor, dimension: number, size: number, step: number): Tensor => one(opId.unfold, [input, dimension, size, step]);

/**
 * Pads the tensor. `pad` lists `before, after` of the last axis, then of the second last, and so
 * on; negative numbers remove elements.
 *
 * Defaults: `mode = 'constant'`.
 */
export const pad = (input: Tensor, pad: number | readonly number[], mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | Options.PadOptions, value?: number | null | Options.PadOptions): Tensor => one(opId.pad, [input, pad, mode, value]);

/**
 * `input` with the elements at `index` of axis `dim` replaced by `src`.
 */
export const selectScatter = (input: Tensor, src: Tensor, dim: number, index: number): Tensor => one(opId.select_scatter, [input, src, dim, index]);

/**
 * `input` with `src` added at the indices `index` along `dim`.
 */
export const scatterAdd = (input: Tensor, dim: number, index: Tensor, src: Tensor): Tensor => one(opId.scatter_add, [input, dim, index, src]);

/**
 * `input` with the elements of `source` written to indices of the flattened tensor, or added with
 * `accumulate`.
 *
 * Defaults: `accumulate = false`.
 */
export const put = (input: Tensor, index: Tensor, source: Tensor, accumulate?: boolean | Options.PutOptions): Tensor => one(opId.put, [input, index, source, accumulate]);

/**
 * `input` with the elements at the indices `index` of axis `dim` replaced by `source`.
 */
export const indexCopy = (input: Tensor, dim: number, index: Tensor, source: Tensor): Tensor => one(opId.index_copy, [input, dim, index, source]);

/**
 * `input` with the elements at the indices `index` of axis `dim` replaced by `value`.
 */
export const indexFill = (input: Tensor, dim: number, index: Tensor, value: Operand): Tensor => one(opId.index_fill, [input, dim, index, value]);

/**
 * A bilinear layer: `y[o] = Σ input1[i] · weight[o, i, j] · input2[j] + bias[o]`.
 */
export const bilinear = (input1: Tensor, input2: Tensor, weight: Tensor, bias?: Tensor | null | Options.BilinearOptions): Tensor => one(opId.bilinear, [input1, input2, weight, bias]);

/**
 * Resizes images `[…, H, W]` to `size`, which is one number for both axes or one for each. Any
 * number of leading axes is allowed.
 *
 * Defaults: `mode = 'bilinear'`, `antialias = false`.
 */
export const resize = (input: Tensor, size: number | readonly number[], mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.ResizeOptions, antialias?: boolean | Options.ResizeOptions): Tensor => one(opId.resize, [input, size, mode, antialias]);

/**
 * Divides the last axes, whose lengths are `normalized_shape`, by their root mean square, then
 * scales by `weight`.
 *
 * `x / sqrt(mean(x²) + eps) · weight`; without `eps`, the machine epsilon of the dtype is used.
 */
export const rmsNorm = (input: Tensor, normalizedShape: number | readonly number[], weight?: Tensor | null | Options.RmsNormOptions, eps?: number | null | Options.RmsNormOptions): Tensor => one(opId.rms_norm, [input, normalizedShape, weight, eps]);

/**
 * Divides by the `p`-norm along `dim`, or by `eps` where the norm is smaller.
 *
 * Defaults: `p = 2`, `dim = 1`, `eps = 1e-12`.
 */
export const normalize = (input: Tensor, p?: number | Options.NormalizeOptions, dim?: number | Options.NormalizeOptions, eps?: number | Options.NormalizeOptions): Tensor => one(opId.normalize, [input, p, dim, eps]);

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
export const rope = (input: Tensor, positions?: Tensor | null | Options.RopeOptions, base?: number | Options.RopeOptions, layout?: 'halves' | 'interleaved' | Options.RopeOptions): Tensor => one(opId.rope, [input, positions, base, layout]);

/**
 * Squared differences, `(input − target)²`; with a `weight`, the mean divides by its sum.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const mseLoss = (input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.MseLossOptions, weight?: Tensor | null | Options.MseLossOptions): Tensor => one(opId.mse_loss, [input, target, reduction, weight]);

/**
 * Absolute differences, `|input − target|`; with a `weight`, the mean divides by its sum.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const l1Loss = (input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.L1LossOptions, weight?: Tensor | null | Options.L1LossOptions): Tensor => one(opId.l1_loss, [input, target, reduction, weight]);

/**
 * Squared differences up to `beta`, absolute ones beyond: with `d = |input − target|`,
 * `d² / (2 · beta)` where `d < beta`, else `d − beta / 2`.
 *
 * Defaults: `reduction = 'mean'`, `beta = 1`.
 */
export const smoothL1Loss = (input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.SmoothL1LossOptions, beta?: number | Options.SmoothL1LossOptions): Tensor => one(opId.smooth_l1_loss, [input, target, reduction, beta]);

/**
 * Kullback-Leibler divergence of `target` from `input`, which is given as log-probabilities:
 * `target · (log(target) − input)`. With `log_target` the target is given by logarithms, too.
 *
 * Defaults: `reduction = 'mean'`, `logTarget = false`.
 */
export const klDiv = (input: Tensor, target: Tensor, reduction?: 'mean' | 'batchmean' | 'sum' | 'none' | Options.KlDivOptions, logTarget?: boolean | Options.KlDivOptions): Tensor => one(opId.kl_div, [input, target, reduction, logTarget]);

/**
 * Cross entropy of probabilities and labels between 0 and 1:
 * `−(target · log(input) + (1 − target) · log(1 − input))`, times `weight`.
 *
 * Logarithms are clamped to at least −100, and the gradient stays finite.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const binaryCrossEntropy = (input: Tensor, target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyOptions): Tensor => one(opId.binary_cross_entropy, [input, target, weight, reduction]);

/**
 * Hinge loss of scores against labels of −1 or 1: `max(0, margin − target · input)`.
 *
 * Defaults: `margin = 1`, `reduction = 'mean'`.
 */
export const hingeLoss = (input: Tensor, target: Tensor, margin?: number | Options.HingeLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeLossOptions): Tensor => one(opId.hinge_loss, [input, target, margin, reduction]);

/**
 * `binary_cross_entropy_with_logits` of several labels at once: its mean over the last axis, with
 * a `weight` for each class.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const multilabelSoftMarginLoss = (input: Tensor, target: Tensor, weight?: Tensor | null | Options.MultilabelSoftMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultilabelSoftMarginLossOptions): Tensor => one(opId.multilabel_soft_margin_loss, [input, target, weight, reduction]);

/**
 * Cosine of the angle between `x1` and `x2` along `dim`; norms are at least `eps`.
 *
 * Defaults: `dim = 1`, `eps = 1e-8`.
 */
export const cosineSimilarity = (x1: Tensor, x2: Tensor, dim?: number | Options.CosineSimilarityOptions, eps?: number | Options.CosineSimilarityOptions): Tensor => one(opId.cosine_similarity, [x1, x2, dim, eps]);

/**
 * Hinge embedding loss of distances: `input` where `target` is 1, `max(0, margin − input)` where
 * it is −1.
 *
 * Defaults: `margin = 1`, `reduction = 'mean'`.
 */
export const hingeEmbeddingLoss = (input: Tensor, target: Tensor, margin?: number | Options.HingeEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.HingeEmbeddingLossOptions): Tensor => one(opId.hinge_embedding_loss, [input, target, margin, reduction]);

/**
 * The elements sorted along `dim`, and their previous indices. The sort is always stable, whatever
 * `stable` is.
 *
 * Defaults: `dim = -1`, `descending = false`, `stable = false`.
 */
export const sort = (input: Tensor, dim?: number | Options.SortOptions, descending?: boolean | Options.SortOptions, stable?: boolean | Options.SortOptions): [Tensor, Tensor] => pair(opId.sort, [input, dim, descending, stable]);

/**
 * The `k`-th smallest element along `dim`, counted from 1, and its index.
 *
 * Defaults: `dim = -1`, `keepdim = false`.
 */
export const kthvalue = (input: Tensor, k: number, dim?: number | Options.KthvalueOptions, keepdim?: boolean | Options.KthvalueOptions): [Tensor, Tensor] => pair(opId.kthvalue, [input, k, dim, keepdim]);

/**
 * The running mean and variance after a batch: `(1 − momentum) · running + momentum · batch`, with
 * the unbiased variance of the batch. An empty batch does not change them.
 *
 * Defaults: `momentum = 0.1`.
 */
export const batchNormStats = (input: Tensor, runningMean: Tensor, runningVar: Tensor, momentum?: number | Options.BatchNormStatsOptions): [Tensor, Tensor] => pair(opId.batch_norm_stats, [input, runningMean, runningVar, momentum]);

/**
 * The values of a tensor, or slices along `dim`, without those equal to the previous one; with
 * `return_inverse` also the index of each element in this list, with `return_counts` also the
 * length of each run.
 *
 * Defaults: `returnInverse = false`, `returnCounts = false`.
 */
export const uniqueConsecutive = (input: Tensor, returnInverse?: boolean | Options.UniqueConsecutiveOptions, returnCounts?: boolean | Options.UniqueConsecutiveOptions, dim?: number | null | Options.UniqueConsecutiveOptions): Promise<Tensor | Tensor[]> => reading(opId.unique_consecutive, [input, returnInverse, returnCounts, dim]) as Promise<Tensor | Tensor[]>;

/**
 * Repeats each element along `dim`, or of the flattened tensor, `repeats` times; `repeats` is a
 * vector of integers. `output_size` is the length of the result, if known.
 */
export const repeatInterleaveTensor = (input: Tensor, repeats: Tensor, dim?: number | null | Options.RepeatInterleaveTensorOptions, outputSize?: number | null | Options.RepeatInterleaveTensorOptions): Promise<Tensor> => reading(opId.repeat_interleave_tensor, [input, repeats, dim, outputSize]) as Promise<Tensor>;

/**
 * `base` to the powers of `linspace(start, end, steps)`.
 *
 * Defaults: `base = 10`.
 */
export const logspace = (start: Operand, end: Operand, steps: number, base?: number | Options.LogspaceOptions, dtype?: DTypeName | null | Options.LogspaceOptions): Tensor => one(opId.logspace, [start, end, steps, base, dtype]);

/**
 * Whether `|input − other| ≤ atol + rtol · |other|`; equal infinities are close, and NaNs if
 * `equal_nan`.
 *
 * Defaults: `rtol = 1e-5`, `atol = 1e-8`, `equalNan = false`.
 */
export const isclose = (input: Tensor, other: Tensor, rtol?: number | Options.IscloseOptions, atol?: number | Options.IscloseOptions, equalNan?: boolean | Options.IscloseOptions): Tensor => one(opId.isclose, [input, other, rtol, atol, equalNan]);

/**
 * The `p`-norm of the elements over `dim`, by default over all axes: `(Σ |x|^p)^(1/p)`. `p` is a
 * number, ±inf or `'fro'`, which is 2 and the default.
 *
 * Defaults: `keepdim = false`.
 */
export const norm = (input: Tensor, p?: number | null | Options.NormOptions, dim?: number | readonly number[] | null | Options.NormOptions, keepdim?: boolean | Options.NormOptions, dtype?: DTypeName | null | Options.NormOptions): Tensor => one(opId.norm, [input, p, dim, keepdim, dtype]);

/**
 * The norm of order `ord` of the elements over `dim`: `(Σ |x|^ord)^(1/ord)`, the largest (inf) or
 * smallest (−inf) magnitude, or the number of elements that are not zero (0).
 *
 * Defaults: `ord = 2`, `keepdim = false`.
 */
export const vectorNorm = (input: Tensor, ord?: number | Options.VectorNormOptions, dim?: number | readonly number[] | null | Options.VectorNormOptions, keepdim?: boolean | Options.VectorNormOptions, dtype?: DTypeName | null | Options.VectorNormOptions): Tensor => one(opId.vector_norm, [input, ord, dim, keepdim, dtype]);

/**
 * Variance over `dim`, by default over all axes: the sum of squared deviations from the mean,
 * divided by the number of elements minus `correction`, which is 1 by default. `unbiased` is
 * PyTorch's older form: true is `correction` 1, false is 0.
 *
 * Defaults: `keepdim = false`.
 */
export const var_ = (input: Tensor, dim?: number | readonly number[] | null | Options.VarOptions, correction?: number | null | Options.VarOptions, keepdim?: boolean | Options.VarOptions, unbiased?: boolean | null | Options.VarOptions): Tensor => one(opId.var_, [input, dim, correction, keepdim, unbiased]);

/**
 * Standard deviation over `dim`: the square root of `var`. The gradient is zero where it is zero.
 *
 * Defaults: `keepdim = false`.
 */
export const std = (input: Tensor, dim?: number | readonly number[] | null | Options.StdOptions, correction?: number | null | Options.StdOptions, keepdim?: boolean | Options.StdOptions, unbiased?: boolean | null | Options.StdOptions): Tensor => one(opId.std, [input, dim, correction, keepdim, unbiased]);

/**
 * The `q`-quantiles of the elements along `dim`, by default of all elements. A list of fractions
 * adds a first axis. NaN if any element is.
 *
 * Defaults: `keepdim = false`, `interpolation = 'linear'`.
 */
export const quantile = (input: Tensor, q: Operand, dim?: number | null | Options.QuantileOptions, keepdim?: boolean | Options.QuantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.QuantileOptions): Tensor => one(opId.quantile, [input, q, dim, keepdim, interpolation]);

/**
 * `quantile` of the elements that are not NaN.
 *
 * Defaults: `keepdim = false`, `interpolation = 'linear'`.
 */
export const nanquantile = (input: Tensor, q: Operand, dim?: number | null | Options.NanquantileOptions, keepdim?: boolean | Options.NanquantileOptions, interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | Options.NanquantileOptions): Tensor => one(opId.nanquantile, [input, q, dim, keepdim, interpolation]);

/**
 * Differences between adjacent elements along `dim`, taken `n` times, after adding `prepend` and
 * `append` at the ends.
 *
 * Defaults: `n = 1`, `dim = -1`.
 */
export const diff = (input: Tensor, n?: number | Options.DiffOptions, dim?: number | Options.DiffOptions, prepend?: Tensor | null | Options.DiffOptions, append?: Tensor | null | Options.DiffOptions): Tensor => one(opId.diff, [input, n, dim, prepend, append]);

/**
 * Slices several axes: `ranges` lists `[start, end]` or `[start, end, step]` for each axis, from
 * the first on. If `ranges` is a single number, it is the axis that `start`, `end` and `step`
 * slice. Positions may count from the end.
 *
 * Defaults: `step = 1`.
 */
export const slice = (input: Tensor, ranges: number | readonly number[] | readonly (number | readonly number[])[], start?: number | null | Options.SliceOptions, end?: number | null | Options.SliceOptions, step?: number | Options.SliceOptions): Tensor => one(opId.slice, [input, ranges, start, end, step]);

/**
 * The patches that a convolution reads: `[N, C, H, W]` to `[N, C · kernel height · kernel width,
 * patches]`. PyTorch's `nn.functional.unfold`.
 *
 * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
 */
export const im2col = (input: Tensor, kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.Im2colOptions, padding?: number | readonly number[] | Options.Im2colOptions, stride?: number | readonly number[] | Options.Im2colOptions): Tensor => one(opId.im2col, [input, kernelSize, dilation, padding, stride]);

/**
 * `input` with the diagonal of the plane of two axes replaced by `src`; see `diagonal`.
 *
 * Defaults: `offset = 0`, `dim1 = 0`, `dim2 = 1`.
 */
export const diagonalScatter = (input: Tensor, src: Tensor, offset?: number | Options.DiagonalScatterOptions, dim1?: number | Options.DiagonalScatterOptions, dim2?: number | Options.DiagonalScatterOptions): Tensor => one(opId.diagonal_scatter, [input, src, offset, dim1, dim2]);

/**
 * `input` with `alpha · source` added at the indices `index` of axis `dim`.
 *
 * Defaults: `alpha = 'int(1)'`.
 */
export const indexAdd = (input: Tensor, dim: number, index: Tensor, source: Tensor, alpha?: number | Options.IndexAddOptions): Tensor => one(opId.index_add, [input, dim, index, source, alpha]);

/**
 * `beta · input + alpha · (mat1 @ mat2)`. With `beta` zero the input is ignored.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export const addmm = (input: Tensor, mat1: Tensor, mat2: Tensor, beta?: number | Options.AddmmOptions, alpha?: number | Options.AddmmOptions): Tensor => one(opId.addmm, [input, mat1, mat2, beta, alpha]);

/**
 * `beta · input + alpha · (mat @ vec)`.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export const addmv = (input: Tensor, mat: Tensor, vec: Tensor, beta?: number | Options.AddmvOptions, alpha?: number | Options.AddmvOptions): Tensor => one(opId.addmv, [input, mat, vec, beta, alpha]);

/**
 * `beta · input + alpha · outer(vec1, vec2)`.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export const addr = (input: Tensor, vec1: Tensor, vec2: Tensor, beta?: number | Options.AddrOptions, alpha?: number | Options.AddrOptions): Tensor => one(opId.addr, [input, vec1, vec2, beta, alpha]);

/**
 * `beta · input + alpha · (batch1 @ batch2)`, matrix by matrix.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export const baddbmm = (input: Tensor, batch1: Tensor, batch2: Tensor, beta?: number | Options.BaddbmmOptions, alpha?: number | Options.BaddbmmOptions): Tensor => one(opId.baddbmm, [input, batch1, batch2, beta, alpha]);

/**
 * `beta · input + alpha · (sum of batch1[i] @ batch2[i])`.
 *
 * Defaults: `beta = 1`, `alpha = 1`.
 */
export const addbmm = (input: Tensor, batch1: Tensor, batch2: Tensor, beta?: number | Options.AddbmmOptions, alpha?: number | Options.AddbmmOptions): Tensor => one(opId.addbmm, [input, batch1, batch2, beta, alpha]);

/**
 * Distance of corresponding vectors: the `p`-norm of `x1 − x2 + eps` over the last axis.
 *
 * Defaults: `p = 2`, `eps = 1e-6`, `keepdim = false`.
 */
export const pairwiseDistance = (x1: Tensor, x2: Tensor, p?: number | Options.PairwiseDistanceOptions, eps?: number | Options.PairwiseDistanceOptions, keepdim?: boolean | Options.PairwiseDistanceOptions): Tensor => one(opId.pairwise_distance, [x1, x2, p, eps, keepdim]);

/**
 * `norm_type`-norm of each window along the last axis.
 *
 * Defaults: `ceilMode = false`.
 */
export const lpPool1d = (input: Tensor, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool1dOptions, ceilMode?: boolean | Options.LpPool1dOptions): Tensor => one(opId.lp_pool1d, [input, normType, kernelSize, stride, ceilMode]);

/**
 * `norm_type`-norm of each window over the last two axes.
 *
 * Defaults: `ceilMode = false`.
 */
export const lpPool2d = (input: Tensor, normType: number, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.LpPool2dOptions, ceilMode?: boolean | Options.LpPool2dOptions): Tensor => one(opId.lp_pool2d, [input, normType, kernelSize, stride, ceilMode]);

/**
 * Samples `input [N, C, H, W]` (or `[N, C, D, H, W]`) at the positions `grid [N, H′, W′, 2]` (or
 * `[N, D′, H′, W′, 3]`): x, y and z, from −1 to 1. With `align_corners` −1 and 1 are the centres
 * of the corner elements, else their outer edges.
 *
 * Defaults: `mode = 'bilinear'`, `paddingMode = 'zeros'`, `alignCorners = false`.
 */
export const gridSample = (input: Tensor, grid: Tensor, mode?: 'bilinear' | 'nearest' | 'bicubic' | Options.GridSampleOptions, paddingMode?: 'zeros' | 'border' | 'reflection' | Options.GridSampleOptions, alignCorners?: boolean | Options.GridSampleOptions): Tensor => one(opId.grid_sample, [input, grid, mode, paddingMode, alignCorners]);

/**
 * `grid_sample` of images with the modes as numbers, in the order of their lists.
 */
export const gridSampler2d = (input: Tensor, grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor => one(opId.grid_sampler_2d, [input, grid, interpolationMode, paddingMode, alignCorners]);

/**
 * `grid_sample` of volumes with the modes as numbers, in the order of their lists.
 */
export const gridSampler3d = (input: Tensor, grid: Tensor, interpolationMode: number, paddingMode: number, alignCorners: boolean): Tensor => one(opId.grid_sampler_3d, [input, grid, interpolationMode, paddingMode, alignCorners]);

/**
 * The part of an image that begins at `top` and `left`; elements outside the image are zero.
 */
export const crop = (input: Tensor, top: number, left: number, height: number, width: number): Tensor => one(opId.crop, [input, top, left, height, width]);

/**
 * Normalises the last axes, whose lengths are `normalized_shape`, to mean zero and variance one,
 * then scales by `weight` and shifts by `bias`.
 *
 * `(x − mean) / sqrt(var + eps) · weight + bias`, with the biased variance.
 *
 * Defaults: `eps = 1e-5`.
 */
export const layerNorm = (input: Tensor, normalizedShape: number | readonly number[], weight?: Tensor | null | Options.LayerNormOptions, bias?: Tensor | null | Options.LayerNormOptions, eps?: number | Options.LayerNormOptions): Tensor => one(opId.layer_norm, [input, normalizedShape, weight, bias, eps]);

/**
 * Normalises each of `num_groups` groups of channels (axis 1) of each sample, then scales by
 * `weight` and shifts by `bias`, which have one element per channel.
 *
 * Defaults: `eps = 1e-5`.
 */
export const groupNorm = (input: Tensor, numGroups: number, weight?: Tensor | null | Options.GroupNormOptions, bias?: Tensor | null | Options.GroupNormOptions, eps?: number | Options.GroupNormOptions): Tensor => one(opId.group_norm, [input, numGroups, weight, bias, eps]);

/**
 * Divides each element by a power of the mean square of `size` adjacent channels (axis 1):
 * `x / (k + alpha · mean(x²))^beta`, where channels beyond the ends count as zeros.
 *
 * Defaults: `alpha = 1e-4`, `beta = 0.75`, `k = 1`.
 */
export const localResponseNorm = (input: Tensor, size: number, alpha?: number | Options.LocalResponseNormOptions, beta?: number | Options.LocalResponseNormOptions, k?: number | Options.LocalResponseNormOptions): Tensor => one(opId.local_response_norm, [input, size, alpha, beta, k]);

/**
 * Squared differences up to `delta`, absolute ones beyond: with `d = |input − target|`,
 * `d² / 2` where `d ≤ delta`, else `delta · (d − delta / 2)`.
 *
 * Defaults: `reduction = 'mean'`, `delta = 1`.
 */
export const huberLoss = (input: Tensor, target: Tensor, reduction?: 'mean' | 'sum' | 'none' | Options.HuberLossOptions, delta?: number | Options.HuberLossOptions, weight?: Tensor | null | Options.HuberLossOptions): Tensor => one(opId.huber_loss, [input, target, reduction, delta, weight]);

/**
 * Negative log-likelihood: minus the element of `input` `[N, C, …]` (or `[C]`), which are
 * log-probabilities, at the class `target`.
 *
 * Each class is weighted by its `weight`; targets equal to `ignore_index` are ignored. The mean
 * divides by the sum of the weights.
 *
 * Defaults: `ignoreIndex = -100`, `reduction = 'mean'`.
 */
export const nllLoss = (input: Tensor, target: Tensor, weight?: Tensor | null | Options.NllLossOptions, ignoreIndex?: number | Options.NllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.NllLossOptions): Tensor => one(opId.nll_loss, [input, target, weight, ignoreIndex, reduction]);

/**
 * `binary_cross_entropy` of `sigmoid(input)`, without its rounding: with `x` for the input,
 * `(1 − target) · x + log(1 + exp(−x))`, times `weight`.
 *
 * `pos_weight` multiplies the term of `target`.
 *
 * Defaults: `reduction = 'mean'`.
 */
export const binaryCrossEntropyWithLogits = (input: Tensor, target: Tensor, weight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions, reduction?: 'mean' | 'sum' | 'none' | Options.BinaryCrossEntropyWithLogitsOptions, posWeight?: Tensor | null | Options.BinaryCrossEntropyWithLogitsOptions): Tensor => one(opId.binary_cross_entropy_with_logits, [input, target, weight, reduction, posWeight]);

/**
 * Cosine embedding loss: `1 − cos` where `target` is 1, `max(0, cos − margin)` where it is −1.
 *
 * Defaults: `margin = 0`, `reduction = 'mean'`.
 */
export const cosineEmbeddingLoss = (input1: Tensor, input2: Tensor, target: Tensor, margin?: number | Options.CosineEmbeddingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CosineEmbeddingLossOptions): Tensor => one(opId.cosine_embedding_loss, [input1, input2, target, margin, reduction]);

/**
 * Margin ranking loss, which asks `input1` to be larger than `input2` where `target` is 1,
 * smaller where it is −1: `max(0, −target · (input1 − input2) + margin)`.
 *
 * Defaults: `margin = 0`, `reduction = 'mean'`.
 */
export const marginRankingLoss = (input1: Tensor, input2: Tensor, target: Tensor, margin?: number | Options.MarginRankingLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MarginRankingLossOptions): Tensor => one(opId.margin_ranking_loss, [input1, input2, target, margin, reduction]);

/**
 * Variance and mean over `dim`.
 *
 * Defaults: `keepdim = false`.
 */
export const varMean = (input: Tensor, dim?: number | readonly number[] | null | Options.VarMeanOptions, correction?: number | null | Options.VarMeanOptions, keepdim?: boolean | Options.VarMeanOptions, unbiased?: boolean | null | Options.VarMeanOptions): [Tensor, Tensor] => pair(opId.var_mean, [input, dim, correction, keepdim, unbiased]);

/**
 * Standard deviation and mean over `dim`.
 *
 * Defaults: `keepdim = false`.
 */
export const stdMean = (input: Tensor, dim?: number | readonly number[] | null | Options.StdMeanOptions, correction?: number | null | Options.StdMeanOptions, keepdim?: boolean | Options.StdMeanOptions, unbiased?: boolean | null | Options.StdMeanOptions): [Tensor, Tensor] => pair(opId.std_mean, [input, dim, correction, keepdim, unbiased]);

/**
 * The `k` largest elements along `dim`, or the smallest if not `largest`, in order, and their
 * indices. They are always sorted, whatever `sorted` is.
 *
 * Defaults: `dim = -1`, `largest = true`, `sorted = true`.
 */
export const topk = (input: Tensor, k: number, dim?: number | Options.TopkOptions, largest?: boolean | Options.TopkOptions, sorted?: boolean | Options.TopkOptions): [Tensor, Tensor] => pair(opId.topk, [input, k, dim, largest, sorted]);

/**
 * Layers of gated recurrent units over a sequence; arguments and results as in `rnn`, the cell as
 * in `gru_cell`.
 *
 * Defaults: `batchFirst = false`, `bidirectional = false`.
 */
export const gru = (input: Tensor, hx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.GruOptions, bidirectional?: boolean | Options.GruOptions): [Tensor, Tensor] => pair(opId.gru, [input, hx, params, batchFirst, bidirectional]);

/**
 * The distinct values of a tensor, or slices along `dim`, in ascending order; with
 * `return_inverse` also the index of each element in this list, with `return_counts` also the
 * number of occurrences. The values are always sorted, whatever `sorted` is.
 *
 * Defaults: `sorted = true`, `returnInverse = false`, `returnCounts = false`.
 */
export const unique = (input: Tensor, sorted?: boolean | Options.UniqueOptions, returnInverse?: boolean | Options.UniqueOptions, returnCounts?: boolean | Options.UniqueOptions, dim?: number | null | Options.UniqueOptions): Promise<Tensor | Tensor[]> => reading(opId.unique, [input, sorted, returnInverse, returnCounts, dim]) as Promise<Tensor | Tensor[]>;

/**
 * Normal random numbers of the given `mean` and `std`, but all within `a` and `b`.
 *
 * Defaults: `mean = 0`, `std = 1`, `a = -2`, `b = 2`.
 */
export const truncatedNormal = (size: number | readonly number[], mean?: number | Options.TruncatedNormalOptions, std?: number | Options.TruncatedNormalOptions, a?: number | Options.TruncatedNormalOptions, b?: number | Options.TruncatedNormalOptions, dtype?: DTypeName | null | Options.TruncatedNormalOptions): Tensor => one(opId.truncated_normal, [size, mean, std, a, b, dtype]);

/**
 * The index at which each value of `input` would have to be inserted to keep the last axis of
 * `sorted_sequence` sorted: before equal elements, or after them if `right` or on the right
 * `side`. A sequence of several axes has one line for each line of `input`.
 *
 * Defaults: `outInt32 = false`, `right = false`.
 */
export const searchsorted = (sortedSequence: Tensor, input: Operand, outInt32?: boolean | Options.SearchsortedOptions, right?: boolean | Options.SearchsortedOptions, side?: 'left' | 'right' | null | Options.SearchsortedOptions, sorter?: Tensor | null | Options.SearchsortedOptions): Tensor => one(opId.searchsorted, [sortedSequence, input, outInt32, right, side, sorter]);

/**
 * Sums patches in the layout of `im2col` into images of `output_size`; overlapping elements are
 * added.
 *
 * Defaults: `dilation = [1]`, `padding = [0]`, `stride = [1]`.
 */
export const fold = (input: Tensor, outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[] | Options.FoldOptions, padding?: number | readonly number[] | Options.FoldOptions, stride?: number | readonly number[] | Options.FoldOptions): Tensor => one(opId.fold, [input, outputSize, kernelSize, dilation, padding, stride]);

/**
 * `input` with the slice `start:end:step` of axis `dim` replaced by `src`.
 *
 * Defaults: `dim = 0`, `step = 1`.
 */
export const sliceScatter = (input: Tensor, src: Tensor, dim?: number | Options.SliceScatterOptions, start?: number | null | Options.SliceScatterOptions, end?: number | null | Options.SliceScatterOptions, step?: number | Options.SliceScatterOptions): Tensor => one(opId.slice_scatter, [input, src, dim, start, end, step]);

/**
 * `input` with `src`, a tensor or a number, written to the indices `index` along `dim`; the
 * reverse of `gather`. Of several sources for one element the last is kept, unless `reduce`
 * combines them.
 */
export const scatter = (input: Tensor, dim: number, index: Tensor, src?: Operand | null | Options.ScatterOptions, value?: Operand | null | Options.ScatterOptions, reduce?: 'add' | 'multiply' | null | Options.ScatterOptions): Tensor => one(opId.scatter, [input, dim, index, src, value, reduce]);

/**
 * `input` with `src` combined in at the indices `index` along `dim`. Without `include_self` the
 * previous values of these elements do not count.
 *
 * Defaults: `includeSelf = true`.
 */
export const scatterReduce = (input: Tensor, dim: number, index: Tensor, src: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.ScatterReduceOptions): Tensor => one(opId.scatter_reduce, [input, dim, index, src, reduce, includeSelf]);

/**
 * `input` with `source` combined in at the indices `index` of axis `dim`. Without `include_self`
 * the previous values of these elements do not count.
 *
 * Defaults: `includeSelf = true`.
 */
export const indexReduce = (input: Tensor, dim: number, index: Tensor, source: Tensor, reduce: 'sum' | 'prod' | 'mean' | 'amax' | 'amin', includeSelf?: boolean | Options.IndexReduceOptions): Tensor => one(opId.index_reduce, [input, dim, index, source, reduce, includeSelf]);

/**
 * Largest element of each window along the last axis. Windows are `stride` apart, by default
 * their own size. With `return_indices` also its index.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export const maxPool1d = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): Tensor => one(opId.max_pool1d, [input, kernelSize, stride, padding, dilation, ceilMode]);

/**
 * Largest element of each window over the last two axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened plane.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export const maxPool2d = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): Tensor => one(opId.max_pool2d, [input, kernelSize, stride, padding, dilation, ceilMode]);

/**
 * Largest element of each window over the last three axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened volume.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export const maxPool3d = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): Tensor => one(opId.max_pool3d, [input, kernelSize, stride, padding, dilation, ceilMode]);

/**
 * One step of a gated recurrent unit, for `input` `[B, I]` and hidden state `hx` `[B, H]`, with
 * an optional batch axis. The weights hold the gates r, z, n in this order.
 *
 * `r = σ(x_r + h_r)`, `z = σ(x_z + h_z)`, `n = tanh(x_n + r · h_n)`, and the result is
 * `(1 − z) · n + z · h`, where `x_…` and `h_…` are the projections of input and state with biases.
 */
export const gruCell = (input: Tensor, hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.GruCellOptions, bHh?: Tensor | null | Options.GruCellOptions): Tensor => one(opId.gru_cell, [input, hx, wIh, wHh, bIh, bHh]);

/**
 * Negative log-likelihood of `target` under normal distributions of mean `input` and variance
 * `var`: `(log(v) + (input − target)² / v) / 2` with `v = max(var, eps)`.
 *
 * `full` adds the constant `log(2π) / 2`. A variance without the last axis broadcasts along it.
 *
 * Defaults: `full = false`, `eps = 1e-6`, `reduction = 'mean'`.
 */
export const gaussianNllLoss = (input: Tensor, target: Tensor, var_: Operand, full?: boolean | Options.GaussianNllLossOptions, eps?: number | Options.GaussianNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.GaussianNllLossOptions): Tensor => one(opId.gaussian_nll_loss, [input, target, var_, full, eps, reduction]);

/**
 * Negative log-likelihood of counts under Poisson distributions: `exp(input) − target · input`,
 * or `input − target · log(input + eps)` where `log_input` is false.
 *
 * `full` adds Stirling's approximation of `log(target!)` where the target is above one.
 *
 * Defaults: `logInput = true`, `full = false`, `eps = 1e-8`, `reduction = 'mean'`.
 */
export const poissonNllLoss = (input: Tensor, target: Tensor, logInput?: boolean | Options.PoissonNllLossOptions, full?: boolean | Options.PoissonNllLossOptions, eps?: number | Options.PoissonNllLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.PoissonNllLossOptions): Tensor => one(opId.poisson_nll_loss, [input, target, logInput, full, eps, reduction]);

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
export const crossEntropy = (input: Tensor, target: Tensor, weight?: Tensor | null | Options.CrossEntropyOptions, ignoreIndex?: number | Options.CrossEntropyOptions, reduction?: 'mean' | 'sum' | 'none' | Options.CrossEntropyOptions, labelSmoothing?: number | Options.CrossEntropyOptions): Tensor => one(opId.cross_entropy, [input, target, weight, ignoreIndex, reduction, labelSmoothing]);

/**
 * Multi-class margin loss, which asks the score of the class `target` to exceed each other score
 * by `margin`: for `input` `[N, C]` (or `[C]`), the mean over classes of `max(0, margin −
 * input[target] + input[c])^p`, times the target's `weight`. `p` is 1 or 2.
 *
 * Defaults: `p = 1`, `margin = 1`, `reduction = 'mean'`.
 */
export const multiMarginLoss = (input: Tensor, target: Tensor, p?: number | Options.MultiMarginLossOptions, margin?: number | Options.MultiMarginLossOptions, weight?: Tensor | null | Options.MultiMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.MultiMarginLossOptions): Tensor => one(opId.multi_margin_loss, [input, target, p, margin, weight, reduction]);

/**
 * Largest element of each window along the last axis. Windows are `stride` apart, by default
 * their own size. With `return_indices` also its index.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export const maxPool1dWithIndices = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool1dOptions, padding?: number | readonly number[] | Options.MaxPool1dOptions, dilation?: number | readonly number[] | Options.MaxPool1dOptions, ceilMode?: boolean | Options.MaxPool1dOptions): [Tensor, Tensor] => pair(opId.max_pool1d, [input, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });

/**
 * Largest element of each window over the last two axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened plane.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export const maxPool2dWithIndices = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool2dOptions, padding?: number | readonly number[] | Options.MaxPool2dOptions, dilation?: number | readonly number[] | Options.MaxPool2dOptions, ceilMode?: boolean | Options.MaxPool2dOptions): [Tensor, Tensor] => pair(opId.max_pool2d, [input, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });

/**
 * Largest element of each window over the last three axes. Windows are `stride` apart, by
 * default their own size. With `return_indices` also its position in the flattened volume.
 *
 * Defaults: `padding = [0]`, `dilation = [1]`, `ceilMode = false`, `returnIndices = false`.
 */
export const maxPool3dWithIndices = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.MaxPool3dOptions, padding?: number | readonly number[] | Options.MaxPool3dOptions, dilation?: number | readonly number[] | Options.MaxPool3dOptions, ceilMode?: boolean | Options.MaxPool3dOptions): [Tensor, Tensor] => pair(opId.max_pool3d, [input, kernelSize, stride, padding, dilation, ceilMode], { returnIndices: true });

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
export const rnn = (input: Tensor, hx: Tensor | null | undefined, params: readonly Tensor[], nonlinearity?: 'tanh' | 'relu' | Options.RnnOptions, batchFirst?: boolean | Options.RnnOptions, bidirectional?: boolean | Options.RnnOptions): [Tensor, Tensor] => pair(opId.rnn, [input, hx, params, nonlinearity, batchFirst, bidirectional]);

/**
 * Layers of long short-term memories over a sequence; arguments and results as in `rnn`, with the
 * cell states `cx` in addition to the hidden ones, the cell as in `lstm_cell`.
 *
 * Defaults: `batchFirst = false`, `bidirectional = false`.
 */
export const lstm = (input: Tensor, hx: Tensor | null | undefined, cx: Tensor | null | undefined, params: readonly Tensor[], batchFirst?: boolean | Options.LstmOptions, bidirectional?: boolean | Options.LstmOptions): [Tensor, Tensor, Tensor] => triple(opId.lstm, [input, hx, cx, params, batchFirst, bidirectional]);

/**
 * Sum, mean or maximum of the rows of `weight` at the indices of each bag; zero for an empty bag.
 * Bags are the rows of a matrix `input`, or parts of a vector that begin at `offsets`. Indices
 * equal to `padding_idx` are ignored.
 *
 * Defaults: `mode = 'mean'`, `includeLastOffset = false`.
 */
export const embeddingBag = (input: Tensor, weight: Tensor, offsets?: Tensor | null | Options.EmbeddingBagOptions, mode?: 'sum' | 'mean' | 'max' | Options.EmbeddingBagOptions, perSampleWeights?: Tensor | null | Options.EmbeddingBagOptions, includeLastOffset?: boolean | Options.EmbeddingBagOptions, paddingIdx?: number | null | Options.EmbeddingBagOptions): Tensor => one(opId.embedding_bag, [input, weight, offsets, mode, perSampleWeights, includeLastOffset, paddingIdx]);

/**
 * Convolution of `input [N, C, L]` with `weight [O, C/groups, K]`, as a sum of products with
 * a sliding kernel. The batch axis is optional.
 *
 * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
 */
export const conv1d = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.Conv1dOptions, stride?: number | readonly number[] | Options.Conv1dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv1dOptions, dilation?: number | readonly number[] | Options.Conv1dOptions, groups?: number | Options.Conv1dOptions): Tensor => one(opId.conv1d, [input, weight, bias, stride, padding, dilation, groups]);

/**
 * Convolution of `input [N, C, H, W]` with `weight [O, C/groups, KH, KW]`, as a sum of
 * products with a sliding kernel. The batch axis is optional.
 *
 * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
 */
export const conv2d = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.Conv2dOptions, stride?: number | readonly number[] | Options.Conv2dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv2dOptions, dilation?: number | readonly number[] | Options.Conv2dOptions, groups?: number | Options.Conv2dOptions): Tensor => one(opId.conv2d, [input, weight, bias, stride, padding, dilation, groups]);

/**
 * Convolution of `input [N, C, D, H, W]` with `weight [O, C/groups, KD, KH, KW]`, as a sum of
 * products with a sliding kernel. The batch axis is optional.
 *
 * Defaults: `stride = [1]`, `dilation = [1]`, `groups = 1`.
 */
export const conv3d = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.Conv3dOptions, stride?: number | readonly number[] | Options.Conv3dOptions, padding?: number | readonly number[] | 'same' | 'valid' | null | Options.Conv3dOptions, dilation?: number | readonly number[] | Options.Conv3dOptions, groups?: number | Options.Conv3dOptions): Tensor => one(opId.conv3d, [input, weight, bias, stride, padding, dilation, groups]);

/**
 * Mean of each window along the last axis. Windows are `stride` apart, by default their own
 * size.
 *
 * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
 */
export const avgPool1d = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool1dOptions, padding?: number | readonly number[] | Options.AvgPool1dOptions, ceilMode?: boolean | Options.AvgPool1dOptions, countIncludePad?: boolean | Options.AvgPool1dOptions, divisorOverride?: number | null | Options.AvgPool1dOptions): Tensor => one(opId.avg_pool1d, [input, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);

/**
 * Mean of each window over the last two axes. Windows are `stride` apart, by default their
 * own size. Zeros of the padding count unless `count_include_pad` is false;
 * `divisor_override` replaces the count.
 *
 * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
 */
export const avgPool2d = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool2dOptions, padding?: number | readonly number[] | Options.AvgPool2dOptions, ceilMode?: boolean | Options.AvgPool2dOptions, countIncludePad?: boolean | Options.AvgPool2dOptions, divisorOverride?: number | null | Options.AvgPool2dOptions): Tensor => one(opId.avg_pool2d, [input, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);

/**
 * Mean of each window over the last three axes, as `avg_pool2d`.
 *
 * Defaults: `padding = [0]`, `ceilMode = false`, `countIncludePad = true`.
 */
export const avgPool3d = (input: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[] | null | Options.AvgPool3dOptions, padding?: number | readonly number[] | Options.AvgPool3dOptions, ceilMode?: boolean | Options.AvgPool3dOptions, countIncludePad?: boolean | Options.AvgPool3dOptions, divisorOverride?: number | null | Options.AvgPool3dOptions): Tensor => one(opId.avg_pool3d, [input, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride]);

/**
 * Resizes the spatial axes of `input [N, C, …]` to `size`, or by `scale_factor`. `'linear'`,
 * `'bilinear'` and `'trilinear'` are for one, two and three spatial axes, `'bicubic'` for two,
 * the others for any. With `align_corners` the corner elements keep their values and positions.
 * With `antialias` downsampling averages over all elements that an output element covers.
 *
 * Defaults: `mode = 'nearest'`, `antialias = false`.
 */
export const interpolate = (input: Tensor, size?: number | readonly number[] | null | Options.InterpolateOptions, scaleFactor?: number | readonly number[] | null | Options.InterpolateOptions, mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | Options.InterpolateOptions, alignCorners?: boolean | null | Options.InterpolateOptions, recomputeScaleFactor?: boolean | null | Options.InterpolateOptions, antialias?: boolean | Options.InterpolateOptions): Tensor => one(opId.interpolate, [input, size, scaleFactor, mode, alignCorners, recomputeScaleFactor, antialias]);

/**
 * One step of a plain recurrent cell, for `input` `[B, I]` and hidden state `hx` `[B, H]`, the
 * batch axis being optional: `tanh(w_ih · x + b_ih + w_hh · h + b_hh)`, or relu.
 *
 * Defaults: `nonlinearity = 'tanh'`.
 */
export const rnnCell = (input: Tensor, hx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.RnnCellOptions, bHh?: Tensor | null | Options.RnnCellOptions, nonlinearity?: 'tanh' | 'relu' | Options.RnnCellOptions): Tensor => one(opId.rnn_cell, [input, hx, wIh, wHh, bIh, bHh, nonlinearity]);

/**
 * One step of a long short-term memory, for `input` `[B, I]`, hidden state `hx` and cell state
 * `cx` `[B, H]`, with an optional batch axis. The weights hold the gates i, f, g, o in this order.
 * Returns the new states.
 *
 * `c = σ(f) · cx + σ(i) · tanh(g)` and `h = σ(o) · tanh(c)`, where a gate is the sum of the
 * projections of input and state with biases.
 */
export const lstmCell = (input: Tensor, hx: Tensor, cx: Tensor, wIh: Tensor, wHh: Tensor, bIh?: Tensor | null | Options.LstmCellOptions, bHh?: Tensor | null | Options.LstmCellOptions): [Tensor, Tensor] => pair(opId.lstm_cell, [input, hx, cx, wIh, wHh, bIh, bHh]);

/**
 * Transposed convolution of `input [N, C, L]` with `weight [C, O/groups, K]`: every element
 * adds the kernel to the output, `stride` apart.
 *
 * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
 */
export const convTranspose1d = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.ConvTranspose1dOptions, stride?: number | readonly number[] | Options.ConvTranspose1dOptions, padding?: number | readonly number[] | Options.ConvTranspose1dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose1dOptions, groups?: number | Options.ConvTranspose1dOptions, dilation?: number | readonly number[] | Options.ConvTranspose1dOptions): Tensor => one(opId.conv_transpose1d, [input, weight, bias, stride, padding, outputPadding, groups, dilation]);

/**
 * Transposed convolution of `input [N, C, H, W]` with `weight [C, O/groups, KH, KW]`: every
 * element adds the kernel to the output, `stride` apart.
 *
 * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
 */
export const convTranspose2d = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.ConvTranspose2dOptions, stride?: number | readonly number[] | Options.ConvTranspose2dOptions, padding?: number | readonly number[] | Options.ConvTranspose2dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose2dOptions, groups?: number | Options.ConvTranspose2dOptions, dilation?: number | readonly number[] | Options.ConvTranspose2dOptions): Tensor => one(opId.conv_transpose2d, [input, weight, bias, stride, padding, outputPadding, groups, dilation]);

/**
 * Transposed convolution of `input [N, C, D, H, W]` with `weight [C, O/groups, KD, KH, KW]`:
 * every element adds the kernel to the output, `stride` apart.
 *
 * Defaults: `stride = [1]`, `padding = [0]`, `outputPadding = [0]`, `groups = 1`, `dilation = [1]`.
 */
export const convTranspose3d = (input: Tensor, weight: Tensor, bias?: Tensor | null | Options.ConvTranspose3dOptions, stride?: number | readonly number[] | Options.ConvTranspose3dOptions, padding?: number | readonly number[] | Options.ConvTranspose3dOptions, outputPadding?: number | readonly number[] | Options.ConvTranspose3dOptions, groups?: number | Options.ConvTranspose3dOptions, dilation?: number | readonly number[] | Options.ConvTranspose3dOptions): Tensor => one(opId.conv_transpose3d, [input, weight, bias, stride, padding, outputPadding, groups, dilation]);

/**
 * Normalises each channel (axis 1) over the batch and all other axes, then scales by `weight` and
 * shifts by `bias`, which have one element per channel.
 *
 * While `training` it uses the mean and biased variance of the batch, else `running_mean` and
 * `running_var`. It does not update these: see `batch_norm_stats`, which also uses `momentum`.
 *
 * Defaults: `training = false`, `momentum = 0.1`, `eps = 1e-5`.
 */
export const batchNorm = (input: Tensor, runningMean?: Tensor | null | Options.BatchNormOptions, runningVar?: Tensor | null | Options.BatchNormOptions, weight?: Tensor | null | Options.BatchNormOptions, bias?: Tensor | null | Options.BatchNormOptions, training?: boolean | Options.BatchNormOptions, momentum?: number | Options.BatchNormOptions, eps?: number | Options.BatchNormOptions): Tensor => one(opId.batch_norm, [input, runningMean, runningVar, weight, bias, training, momentum, eps]);

/**
 * Normalises each channel (axis 1) of each sample over the axes after it, then scales by `weight`
 * and shifts by `bias`, which have one element per channel.
 *
 * With `use_input_stats = false` it uses `running_mean` and `running_var` instead. It does not
 * update these.
 *
 * Defaults: `useInputStats = true`, `momentum = 0.1`, `eps = 1e-5`.
 */
export const instanceNorm = (input: Tensor, runningMean?: Tensor | null | Options.InstanceNormOptions, runningVar?: Tensor | null | Options.InstanceNormOptions, weight?: Tensor | null | Options.InstanceNormOptions, bias?: Tensor | null | Options.InstanceNormOptions, useInputStats?: boolean | Options.InstanceNormOptions, momentum?: number | Options.InstanceNormOptions, eps?: number | Options.InstanceNormOptions): Tensor => one(opId.instance_norm, [input, runningMean, runningVar, weight, bias, useInputStats, momentum, eps]);

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
export const scaledDotProductAttention = (query: Tensor, key: Tensor, value: Tensor, attnMask?: Tensor | null | Options.ScaledDotProductAttentionOptions, dropoutP?: number | Options.ScaledDotProductAttentionOptions, isCausal?: boolean | Options.ScaledDotProductAttentionOptions, scale?: number | null | Options.ScaledDotProductAttentionOptions, enableGqa?: boolean | Options.ScaledDotProductAttentionOptions): Tensor => one(opId.scaled_dot_product_attention, [query, key, value, attnMask, dropoutP, isCausal, scale, enableGqa]);

/**
 * Triplet margin loss, which asks `anchor` to be nearer to `positive` than to `negative` by
 * `margin`: `max(0, distance(anchor, positive) − distance(anchor, negative) + margin)`.
 *
 * Distances are those of `pairwise_distance`; with `swap`, the distance of positive and negative
 * is used if it is smaller than that of anchor and negative.
 *
 * Defaults: `margin = 1`, `p = 2`, `eps = 1e-6`, `swap = false`, `reduction = 'mean'`.
 */
export const tripletMarginLoss = (anchor: Tensor, positive: Tensor, negative: Tensor, margin?: number | Options.TripletMarginLossOptions, p?: number | Options.TripletMarginLossOptions, eps?: number | Options.TripletMarginLossOptions, swap?: boolean | Options.TripletMarginLossOptions, reduction?: 'mean' | 'sum' | 'none' | Options.TripletMarginLossOptions): Tensor => one(opId.triplet_margin_loss, [anchor, positive, negative, margin, p, eps, swap, reduction]);

/**
 * The new parameter and momentum buffer of one step of stochastic gradient descent: `buffer =
 * momentum · buffer + (1 − dampening) · grad`, `param − lr · buffer`, or with Nesterov `param −
 * lr · (grad + momentum · buffer)`. Weight decay adds `weight_decay · param` to the gradient.
 *
 * Defaults: `momentum = 0`, `dampening = 0`, `weightDecay = 0`, `nesterov = false`.
 */
export const sgdStep = (param: Tensor, grad: Tensor, buffer: Tensor, lr: Operand, momentum?: number | Options.SgdStepOptions, dampening?: number | Options.SgdStepOptions, weightDecay?: number | Options.SgdStepOptions, nesterov?: boolean | Options.SgdStepOptions): [Tensor, Tensor] => pair(opId.sgd_step, [param, grad, buffer, lr, momentum, dampening, weightDecay, nesterov]);

/**
 * The new parameter and the new moments of one step of Adam:
 * `m = β₁·m + (1 − β₁)·grad`, `v = β₂·v + (1 − β₂)·grad²`,
 * `param · shrink − step_size · m / (√v · correction + eps)`. At step t, `step_size` is
 * `lr / (1 − β₁ᵗ)`, `correction` is `1 / √(1 − β₂ᵗ)`, and `shrink` is `1 − lr · weight_decay`
 * (AdamW).
 *
 * Defaults: `shrink = 1`, `beta1 = 0.9`, `beta2 = 0.999`, `eps = 1e-8`.
 */
export const adamStep = (param: Tensor, grad: Tensor, expAvg: Tensor, expAvgSq: Tensor, stepSize: Operand, correction: Operand, shrink?: Operand | Options.AdamStepOptions, beta1?: number | Options.AdamStepOptions, beta2?: number | Options.AdamStepOptions, eps?: number | Options.AdamStepOptions): [Tensor, Tensor, Tensor] => triple(opId.adam_step, [param, grad, expAvg, expAvgSq, stepSize, correction, shrink, beta1, beta2, eps]);

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
export const multiHeadAttention = (query: Tensor, key: Tensor, value: Tensor, numHeads: number, inProjWeight: Tensor, inProjBias: Tensor | null | undefined, outProjWeight: Tensor, outProjBias?: Tensor | null | Options.MultiHeadAttentionOptions, attnMask?: Tensor | null | Options.MultiHeadAttentionOptions, isCausal?: boolean | Options.MultiHeadAttentionOptions, keyPaddingMask?: Tensor | null | Options.MultiHeadAttentionOptions, dropoutP?: number | Options.MultiHeadAttentionOptions): [Tensor, Tensor] => pair(opId.multi_head_attention, [query, key, value, numHeads, inProjWeight, inProjBias, outProjWeight, outProjBias, attnMask, isCausal, keyPaddingMask, dropoutP]);

export {
  broadcastTensors as broadcast_tensors,
  atleast1d as atleast_1d,
  atleast2d as atleast_2d,
  atleast3d as atleast_3d,
  bitwiseNot as bitwise_not,
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
  cartesianProd as cartesian_prod,
  blockDiag as block_diag,
  digamma as psi,
  logicalNot as logical_not,
  hardsigmoid as hardSigmoid,
  hardsigmoid as hard_sigmoid,
  hardswish as hardSwish,
  hardswish as hard_swish,
  logsigmoid as logSigmoid,
  logsigmoid as log_sigmoid,
  mergeHeads as merge_heads,
  toBool as to_bool,
  toBool as bool,
  clone as contiguous,
  vstack as rowStack,
  vstack as row_stack,
  columnStack as column_stack,
  multiDot as multi_dot,
  multiDot as chainMatmul,
  multiDot as chain_matmul,
  grayscaleToRgb as grayscale_to_rgb,
  softmaxCausal as softmax_causal,
  softmaxCausal as softmaxCausalLast,
  softmaxCausal as softmax_causal_last,
  causalMask as causal_mask,
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
  bitwiseLeftShift as bitwise_left_shift,
  bitwiseRightShift as bitwise_right_shift,
  zerosLike as zeros_like,
  zerosLike as emptyLike,
  zerosLike as empty_like,
  onesLike as ones_like,
  oneHot as one_hot,
  randLike as rand_like,
  randnLike as randn_like,
  floatPower as float_power,
  clampMin as clamp_min,
  clampMax as clamp_max,
  logicalAnd as logical_and,
  logicalOr as logical_or,
  logicalXor as logical_xor,
  leakyRelu as leaky_relu,
  countNonzero as count_nonzero,
  sumToSize as sum_to_size,
  sumToSize as sumToShape,
  sumToSize as sum_to_shape,
  reshape as view,
  reshapeAs as reshape_as,
  reshapeAs as viewAs,
  reshapeAs as view_as,
  expand as broadcastTo,
  expand as broadcast_to,
  expandAs as expand_as,
  splitHeads as split_heads,
  to as cast,
  to as astype,
  cat as concat,
  cat as concatenate,
  matmul as matmulBatched,
  matmul as matmul_batched,
  dot as vdot,
  outer as ger,
  matrixPower as matrix_power,
  adaptiveMaxPool1d as adaptive_max_pool1d,
  adaptiveMaxPool2d as adaptive_max_pool2d,
  adaptiveMaxPool3d as adaptive_max_pool3d,
  adaptiveAvgPool1d as adaptive_avg_pool1d,
  adaptiveAvgPool2d as adaptive_avg_pool2d,
  adaptiveAvgPool3d as adaptive_avg_pool3d,
  pixelShuffle as pixel_shuffle,
  pixelUnshuffle as pixel_unshuffle,
  channelShuffle as channel_shuffle,
  channelShuffle as nativeChannelShuffle,
  channelShuffle as native_channel_shuffle,
  centerCrop as center_crop,
  rgbToGrayscale as rgb_to_grayscale,
  adjustBrightness as adjust_brightness,
  adjustContrast as adjust_contrast,
  adjustSaturation as adjust_saturation,
  whereCausal as where_causal,
  maskedSelect as masked_select,
  split as unsafeSplit,
  split as unsafe_split,
  splitWithSizes as split_with_sizes,
  chunk as unsafeChunk,
  chunk as unsafe_chunk,
  tensorSplit as tensor_split,
  fullLike as full_like,
  newZeros as new_zeros,
  newZeros as newEmpty,
  newZeros as new_empty,
  newOnes as new_ones,
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
  clamp as clip,
  maskedFill as masked_fill,
  transpose as swapaxes,
  transpose as swapAxes,
  transpose as swap_axes,
  transpose as swapdims,
  movedim as moveaxis,
  constantPadNd as constant_pad_nd,
  takeAlongDim as take_along_dim,
  takeAlongDim as takeAlongAxis,
  takeAlongDim as take_along_axis,
  indexSelect as index_select,
  maskedScatter as masked_scatter,
  upsampleNearest as upsample_nearest,
  upsampleBilinear as upsample_bilinear,
  affineGrid as affine_grid,
  normalizeChannels as normalize_channels,
  logSoftmax as log_softmax,
  logSoftmax as logSoftmaxLast,
  logSoftmax as log_softmax_last,
  sinusoidalPositions as sinusoidal_positions,
  softMarginLoss as soft_margin_loss,
  multilabelMarginLoss as multilabel_margin_loss,
  newFull as new_full,
  trilIndices as tril_indices,
  triuIndices as triu_indices,
  diagEmbed as diag_embed,
  randintLike as randint_like,
  gumbelSoftmax as gumbel_softmax,
  nanToNum as nan_to_num,
  trapezoid as trapz,
  cumulativeTrapezoid as cumulative_trapezoid,
  repeatInterleave as repeat_interleave,
  selectScatter as select_scatter,
  scatterAdd as scatter_add,
  indexCopy as index_copy,
  indexFill as index_fill,
  rmsNorm as rms_norm,
  mseLoss as mse_loss,
  l1Loss as l1_loss,
  smoothL1Loss as smooth_l1_loss,
  klDiv as kl_div,
  binaryCrossEntropy as binary_cross_entropy,
  hingeLoss as hinge_loss,
  multilabelSoftMarginLoss as multilabel_soft_margin_loss,
  cosineSimilarity as cosine_similarity,
  hingeEmbeddingLoss as hinge_embedding_loss,
  batchNormStats as batch_norm_stats,
  uniqueConsecutive as unique_consecutive,
  repeatInterleaveTensor as repeat_interleave_tensor,
  vectorNorm as vector_norm,
  slice as shrink,
  diagonalScatter as diagonal_scatter,
  indexAdd as index_add,
  pairwiseDistance as pairwise_distance,
  lpPool1d as lp_pool1d,
  lpPool2d as lp_pool2d,
  gridSample as grid_sample,
  gridSampler2d as grid_sampler_2d,
  gridSampler3d as grid_sampler_3d,
  layerNorm as layer_norm,
  groupNorm as group_norm,
  localResponseNorm as local_response_norm,
  huberLoss as huber_loss,
  nllLoss as nll_loss,
  binaryCrossEntropyWithLogits as binary_cross_entropy_with_logits,
  cosineEmbeddingLoss as cosine_embedding_loss,
  marginRankingLoss as margin_ranking_loss,
  varMean as var_mean,
  stdMean as std_mean,
  truncatedNormal as truncated_normal,
  truncatedNormal as truncNormal,
  truncatedNormal as trunc_normal,
  fold as col2im,
  sliceScatter as slice_scatter,
  sliceScatter as sliceSet,
  sliceScatter as slice_set,
  scatterReduce as scatter_reduce,
  indexReduce as index_reduce,
  maxPool1d as max_pool1d,
  maxPool2d as max_pool2d,
  maxPool3d as max_pool3d,
  gruCell as gru_cell,
  gaussianNllLoss as gaussian_nll_loss,
  poissonNllLoss as poisson_nll_loss,
  crossEntropy as cross_entropy,
  multiMarginLoss as multi_margin_loss,
  embeddingBag as embedding_bag,
  avgPool1d as avg_pool1d,
  avgPool2d as avg_pool2d,
  avgPool3d as avg_pool3d,
  interpolate as upsample,
  rnnCell as rnn_cell,
  lstmCell as lstm_cell,
  convTranspose1d as conv_transpose1d,
  convTranspose2d as conv_transpose2d,
  convTranspose3d as conv_transpose3d,
  batchNorm as batch_norm,
  instanceNorm as instance_norm,
  scaledDotProductAttention as scaled_dot_product_attention,
  tripletMarginLoss as triplet_margin_loss,
  sgdStep as sgd_step,
  adamStep as adam_step,
  adamStep as adamwStep,
  adamStep as adamw_step,
  multiHeadAttention as multi_head_attention,
};
