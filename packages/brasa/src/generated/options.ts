// Optional arguments of ops by name. Generated from the op table by `cargo x gen`; change the op, not this file.
import type { DTypeName, Operand, Tensor } from '../tensor.ts';

/** Optional arguments of `zerosLike`. */
export interface ZerosLikeOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `onesLike`. */
export interface OnesLikeOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `fullLike`. */
export interface FullLikeOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `newZeros`. */
export interface NewZerosOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `newOnes`. */
export interface NewOnesOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `newFull`. */
export interface NewFullOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `logspace`. */
export interface LogspaceOptions {
  /** By default `10`. */
  base?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `tril`. */
export interface TrilOptions {
  /** By default `0`. */
  diagonal?: number | undefined;
}

/** Optional arguments of `triu`. */
export interface TriuOptions {
  /** By default `0`. */
  diagonal?: number | undefined;
}

/** Optional arguments of `trilIndices`. */
export interface TrilIndicesOptions {
  /** By default `0`. */
  offset?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `triuIndices`. */
export interface TriuIndicesOptions {
  /** By default `0`. */
  offset?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `oneHot`. */
export interface OneHotOptions {
  /** By default `-1`. */
  numClasses?: number | undefined;
}

/** Optional arguments of `meshgrid`. */
export interface MeshgridOptions {
  /** By default `'ij'`. */
  indexing?: 'ij' | 'xy' | undefined;
}

/** Optional arguments of `combinations`. */
export interface CombinationsOptions {
  /** By default `2`. */
  r?: number | undefined;
  /** By default `false`. */
  withReplacement?: boolean | undefined;
}

/** Optional arguments of `diag`. */
export interface DiagOptions {
  /** By default `0`. */
  diagonal?: number | undefined;
}

/** Optional arguments of `diagEmbed`. */
export interface DiagEmbedOptions {
  /** By default `0`. */
  offset?: number | undefined;
  /** By default `-2`. */
  dim1?: number | undefined;
  /** By default `-1`. */
  dim2?: number | undefined;
}

/** Optional arguments of `diagflat`. */
export interface DiagflatOptions {
  /** By default `0`. */
  offset?: number | undefined;
}

/** Optional arguments of `randLike`. */
export interface RandLikeOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `randnLike`. */
export interface RandnLikeOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `randintLike`. */
export interface RandintLikeOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `uniform`. */
export interface UniformOptions {
  /** By default `0`. */
  low?: number | undefined;
  /** By default `1`. */
  high?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `normal`. */
export interface NormalOptions {
  /** Not given by default. */
  std?: Operand | null | undefined;
  /** Not given by default. */
  size?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `truncatedNormal`. */
export interface TruncatedNormalOptions {
  /** By default `0`. */
  mean?: number | undefined;
  /** By default `1`. */
  std?: number | undefined;
  /** By default `-2`. */
  a?: number | undefined;
  /** By default `2`. */
  b?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `exponential`. */
export interface ExponentialOptions {
  /** By default `1`. */
  lambd?: number | undefined;
}

/** Optional arguments of `multinomial`. */
export interface MultinomialOptions {
  /** By default `false`. */
  replacement?: boolean | undefined;
}

/** Optional arguments of `gumbelSoftmax`. */
export interface GumbelSoftmaxOptions {
  /** By default `1`. */
  tau?: number | undefined;
  /** By default `false`. */
  hard?: boolean | undefined;
  /** By default `-1`. */
  dim?: number | undefined;
}

/** Optional arguments of `dropout`. */
export interface DropoutOptions {
  /** By default `0.5`. */
  p?: number | undefined;
  /** By default `true`. */
  training?: boolean | undefined;
}

/** Optional arguments of `featureDropout`. */
export interface FeatureDropoutOptions {
  /** By default `0.5`. */
  p?: number | undefined;
  /** By default `true`. */
  training?: boolean | undefined;
}

/** Optional arguments of `dropout1d`. */
export interface Dropout1dOptions {
  /** By default `0.5`. */
  p?: number | undefined;
  /** By default `true`. */
  training?: boolean | undefined;
}

/** Optional arguments of `dropout3d`. */
export interface Dropout3dOptions {
  /** By default `0.5`. */
  p?: number | undefined;
  /** By default `true`. */
  training?: boolean | undefined;
}

/** Optional arguments of `alphaDropout`. */
export interface AlphaDropoutOptions {
  /** By default `0.5`. */
  p?: number | undefined;
  /** By default `false`. */
  training?: boolean | undefined;
}

/** Optional arguments of `featureAlphaDropout`. */
export interface FeatureAlphaDropoutOptions {
  /** By default `0.5`. */
  p?: number | undefined;
  /** By default `false`. */
  training?: boolean | undefined;
}

/** Optional arguments of `add`. */
export interface AddOptions {
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `sub`. */
export interface SubOptions {
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `rsub`. */
export interface RsubOptions {
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `div`. */
export interface DivOptions {
  /** Not given by default. */
  roundingMode?: 'trunc' | 'floor' | null | undefined;
}

/** Optional arguments of `addcmul`. */
export interface AddcmulOptions {
  /** By default `1`. */
  value?: number | undefined;
}

/** Optional arguments of `addcdiv`. */
export interface AddcdivOptions {
  /** By default `1`. */
  value?: number | undefined;
}

/** Optional arguments of `logit`. */
export interface LogitOptions {
  /** Not given by default. */
  eps?: number | null | undefined;
}

/** Optional arguments of `nanToNum`. */
export interface NanToNumOptions {
  /** Not given by default. */
  nan?: number | null | undefined;
  /** Not given by default. */
  posinf?: number | null | undefined;
  /** Not given by default. */
  neginf?: number | null | undefined;
}

/** Optional arguments of `round`. */
export interface RoundOptions {
  /** By default `0`. */
  decimals?: number | undefined;
}

/** Optional arguments of `clamp`. */
export interface ClampOptions {
  /** Not given by default. */
  min?: Operand | null | undefined;
  /** Not given by default. */
  max?: Operand | null | undefined;
}

/** Optional arguments of `isclose`. */
export interface IscloseOptions {
  /** By default `1e-5`. */
  rtol?: number | undefined;
  /** By default `1e-8`. */
  atol?: number | undefined;
  /** By default `false`. */
  equalNan?: boolean | undefined;
}

/** Optional arguments of `leakyRelu`. */
export interface LeakyReluOptions {
  /** By default `0.01`. */
  negativeSlope?: number | undefined;
}

/** Optional arguments of `elu`. */
export interface EluOptions {
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `celu`. */
export interface CeluOptions {
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `gelu`. */
export interface GeluOptions {
  /** By default `'none'`. */
  approximate?: 'none' | 'tanh' | undefined;
}

/** Optional arguments of `softplus`. */
export interface SoftplusOptions {
  /** By default `1`. */
  beta?: number | undefined;
  /** By default `20`. */
  threshold?: number | undefined;
}

/** Optional arguments of `hardtanh`. */
export interface HardtanhOptions {
  /** By default `-1`. */
  minVal?: number | undefined;
  /** By default `1`. */
  maxVal?: number | undefined;
}

/** Optional arguments of `hardshrink`. */
export interface HardshrinkOptions {
  /** By default `0.5`. */
  lambd?: number | undefined;
}

/** Optional arguments of `softshrink`. */
export interface SoftshrinkOptions {
  /** By default `0.5`. */
  lambd?: number | undefined;
}

/** Optional arguments of `glu`. */
export interface GluOptions {
  /** By default `-1`. */
  dim?: number | undefined;
}

/** Optional arguments of `swiglu`. */
export interface SwigluOptions {
  /** By default `-1`. */
  dim?: number | undefined;
}

/** Optional arguments of `geglu`. */
export interface GegluOptions {
  /** By default `-1`. */
  dim?: number | undefined;
}

/** Optional arguments of `sum`. */
export interface SumOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `mean`. */
export interface MeanOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `nansum`. */
export interface NansumOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `nanmean`. */
export interface NanmeanOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `prod`. */
export interface ProdOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `all`. */
export interface AllOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `any`. */
export interface AnyOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `countNonzero`. */
export interface CountNonzeroOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
}

/** Optional arguments of `logsumexp`. */
export interface LogsumexpOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `norm`. */
export interface NormOptions {
  /** Not given by default. */
  p?: number | null | undefined;
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `vectorNorm`. */
export interface VectorNormOptions {
  /** By default `2`. */
  ord?: number | undefined;
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `dist`. */
export interface DistOptions {
  /** By default `2`. */
  p?: number | undefined;
}

/** Optional arguments of `amax`. */
export interface AmaxOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `amin`. */
export interface AminOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `aminmax`. */
export interface AminmaxOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `max`. */
export interface MaxOptions {
  /** Not given by default. */
  dim?: Operand | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `min`. */
export interface MinOptions {
  /** Not given by default. */
  dim?: Operand | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `argmax`. */
export interface ArgmaxOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `argmin`. */
export interface ArgminOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `var`. */
export interface VarOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  correction?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  unbiased?: boolean | null | undefined;
}

/** Optional arguments of `std`. */
export interface StdOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  correction?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  unbiased?: boolean | null | undefined;
}

/** Optional arguments of `varMean`. */
export interface VarMeanOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  correction?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  unbiased?: boolean | null | undefined;
}

/** Optional arguments of `stdMean`. */
export interface StdMeanOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  correction?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** Not given by default. */
  unbiased?: boolean | null | undefined;
}

/** Optional arguments of `median`. */
export interface MedianOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `nanmedian`. */
export interface NanmedianOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `mode`. */
export interface ModeOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `quantile`. */
export interface QuantileOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** By default `'linear'`. */
  interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | undefined;
}

/** Optional arguments of `nanquantile`. */
export interface NanquantileOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
  /** By default `'linear'`. */
  interpolation?: 'linear' | 'lower' | 'higher' | 'midpoint' | 'nearest' | undefined;
}

/** Optional arguments of `histc`. */
export interface HistcOptions {
  /** By default `100`. */
  bins?: number | undefined;
  /** By default `0`. */
  min?: number | undefined;
  /** By default `0`. */
  max?: number | undefined;
}

/** Optional arguments of `cumsum`. */
export interface CumsumOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `cumprod`. */
export interface CumprodOptions {
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `diff`. */
export interface DiffOptions {
  /** By default `1`. */
  n?: number | undefined;
  /** By default `-1`. */
  dim?: number | undefined;
  /** Not given by default. */
  prepend?: Tensor | null | undefined;
  /** Not given by default. */
  append?: Tensor | null | undefined;
}

/** Optional arguments of `gradient`. */
export interface GradientOptions {
  /** Not given by default. */
  spacing?: Operand | readonly Operand[] | null | undefined;
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
  /** By default `1`. */
  edgeOrder?: number | undefined;
}

/** Optional arguments of `trapezoid`. */
export interface TrapezoidOptions {
  /** Not given by default. */
  x?: Tensor | null | undefined;
  /** By default `1`. */
  dx?: number | undefined;
  /** By default `-1`. */
  dim?: number | undefined;
}

/** Optional arguments of `cumulativeTrapezoid`. */
export interface CumulativeTrapezoidOptions {
  /** Not given by default. */
  x?: Tensor | null | undefined;
  /** By default `1`. */
  dx?: number | undefined;
  /** By default `-1`. */
  dim?: number | undefined;
}

/** Optional arguments of `sort`. */
export interface SortOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** By default `false`. */
  descending?: boolean | undefined;
  /** By default `false`. */
  stable?: boolean | undefined;
}

/** Optional arguments of `argsort`. */
export interface ArgsortOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** By default `false`. */
  descending?: boolean | undefined;
  /** By default `false`. */
  stable?: boolean | undefined;
}

/** Optional arguments of `topk`. */
export interface TopkOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** By default `true`. */
  largest?: boolean | undefined;
  /** By default `true`. */
  sorted?: boolean | undefined;
}

/** Optional arguments of `kthvalue`. */
export interface KthvalueOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `searchsorted`. */
export interface SearchsortedOptions {
  /** By default `false`. */
  outInt32?: boolean | undefined;
  /** By default `false`. */
  right?: boolean | undefined;
  /** Not given by default. */
  side?: 'left' | 'right' | null | undefined;
  /** Not given by default. */
  sorter?: Tensor | null | undefined;
}

/** Optional arguments of `bucketize`. */
export interface BucketizeOptions {
  /** By default `false`. */
  outInt32?: boolean | undefined;
  /** By default `false`. */
  right?: boolean | undefined;
}

/** Optional arguments of `isin`. */
export interface IsinOptions {
  /** By default `false`. */
  assumeUnique?: boolean | undefined;
  /** By default `false`. */
  invert?: boolean | undefined;
}

/** Optional arguments of `flatten`. */
export interface FlattenOptions {
  /** By default `0`. */
  startDim?: number | undefined;
  /** By default `-1`. */
  endDim?: number | undefined;
}

/** Optional arguments of `transpose`. */
export interface TransposeOptions {
  /** By default `-2`. */
  dim0?: number | undefined;
  /** By default `-1`. */
  dim1?: number | undefined;
}

/** Optional arguments of `squeeze`. */
export interface SqueezeOptions {
  /** Not given by default. */
  dim?: number | readonly number[] | null | undefined;
}

/** Optional arguments of `slice`. */
export interface SliceOptions {
  /** Not given by default. */
  start?: number | null | undefined;
  /** Not given by default. */
  end?: number | null | undefined;
  /** By default `1`. */
  step?: number | undefined;
}

/** Optional arguments of `diagonal`. */
export interface DiagonalOptions {
  /** By default `0`. */
  offset?: number | undefined;
  /** By default `0`. */
  dim1?: number | undefined;
  /** By default `1`. */
  dim2?: number | undefined;
}

/** Optional arguments of `roll`. */
export interface RollOptions {
  /** Not given by default. */
  dims?: number | readonly number[] | null | undefined;
}

/** Optional arguments of `rot90`. */
export interface Rot90Options {
  /** By default `1`. */
  k?: number | undefined;
  /** By default `[0,1]`. */
  dims?: number | readonly number[] | undefined;
}

/** Optional arguments of `repeatInterleave`. */
export interface RepeatInterleaveOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** Not given by default. */
  outputSize?: number | null | undefined;
}

/** Optional arguments of `im2col`. */
export interface Im2colOptions {
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
}

/** Optional arguments of `fold`. */
export interface FoldOptions {
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
}

/** Optional arguments of `pad`. */
export interface PadOptions {
  /** By default `'constant'`. */
  mode?: 'constant' | 'reflect' | 'replicate' | 'circular' | undefined;
  /** Not given by default. */
  value?: number | null | undefined;
}

/** Optional arguments of `constantPadNd`. */
export interface ConstantPadNdOptions {
  /** By default `'int(0)'`. */
  value?: number | undefined;
}

/** Optional arguments of `cat`. */
export interface CatOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `stack`. */
export interface StackOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `split`. */
export interface SplitOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `splitWithSizes`. */
export interface SplitWithSizesOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `chunk`. */
export interface ChunkOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `tensorSplit`. */
export interface TensorSplitOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `unbind`. */
export interface UnbindOptions {
  /** By default `0`. */
  dim?: number | undefined;
}

/** Optional arguments of `sliceScatter`. */
export interface SliceScatterOptions {
  /** By default `0`. */
  dim?: number | undefined;
  /** Not given by default. */
  start?: number | null | undefined;
  /** Not given by default. */
  end?: number | null | undefined;
  /** By default `1`. */
  step?: number | undefined;
}

/** Optional arguments of `diagonalScatter`. */
export interface DiagonalScatterOptions {
  /** By default `0`. */
  offset?: number | undefined;
  /** By default `0`. */
  dim1?: number | undefined;
  /** By default `1`. */
  dim2?: number | undefined;
}

/** Optional arguments of `takeAlongDim`. */
export interface TakeAlongDimOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
}

/** Optional arguments of `scatter`. */
export interface ScatterOptions {
  /** Not given by default. */
  src?: Operand | null | undefined;
  /** Not given by default. */
  value?: Operand | null | undefined;
  /** Not given by default. */
  reduce?: 'add' | 'multiply' | null | undefined;
}

/** Optional arguments of `scatterReduce`. */
export interface ScatterReduceOptions {
  /** By default `true`. */
  includeSelf?: boolean | undefined;
}

/** Optional arguments of `put`. */
export interface PutOptions {
  /** By default `false`. */
  accumulate?: boolean | undefined;
}

/** Optional arguments of `indexAdd`. */
export interface IndexAddOptions {
  /** By default `'int(1)'`. */
  alpha?: number | undefined;
}

/** Optional arguments of `indexReduce`. */
export interface IndexReduceOptions {
  /** By default `true`. */
  includeSelf?: boolean | undefined;
}

/** Optional arguments of `embedding`. */
export interface EmbeddingOptions {
  /** Not given by default. */
  paddingIdx?: number | null | undefined;
}

/** Optional arguments of `embeddingBag`. */
export interface EmbeddingBagOptions {
  /** Not given by default. */
  offsets?: Tensor | null | undefined;
  /** By default `'mean'`. */
  mode?: 'sum' | 'mean' | 'max' | undefined;
  /** Not given by default. */
  perSampleWeights?: Tensor | null | undefined;
  /** By default `false`. */
  includeLastOffset?: boolean | undefined;
  /** Not given by default. */
  paddingIdx?: number | null | undefined;
}

/** Optional arguments of `nonzero`. */
export interface NonzeroOptions {
  /** By default `false`. */
  asTuple?: boolean | undefined;
}

/** Optional arguments of `bincount`. */
export interface BincountOptions {
  /** Not given by default. */
  weights?: Tensor | null | undefined;
  /** By default `0`. */
  minlength?: number | undefined;
}

/** Optional arguments of `unique`. */
export interface UniqueOptions {
  /** By default `true`. */
  sorted?: boolean | undefined;
  /** By default `false`. */
  returnInverse?: boolean | undefined;
  /** By default `false`. */
  returnCounts?: boolean | undefined;
  /** Not given by default. */
  dim?: number | null | undefined;
}

/** Optional arguments of `uniqueConsecutive`. */
export interface UniqueConsecutiveOptions {
  /** By default `false`. */
  returnInverse?: boolean | undefined;
  /** By default `false`. */
  returnCounts?: boolean | undefined;
  /** Not given by default. */
  dim?: number | null | undefined;
}

/** Optional arguments of `repeatInterleaveTensor`. */
export interface RepeatInterleaveTensorOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
  /** Not given by default. */
  outputSize?: number | null | undefined;
}

/** Optional arguments of `addmm`. */
export interface AddmmOptions {
  /** By default `1`. */
  beta?: number | undefined;
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `addmv`. */
export interface AddmvOptions {
  /** By default `1`. */
  beta?: number | undefined;
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `addr`. */
export interface AddrOptions {
  /** By default `1`. */
  beta?: number | undefined;
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `baddbmm`. */
export interface BaddbmmOptions {
  /** By default `1`. */
  beta?: number | undefined;
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `addbmm`. */
export interface AddbmmOptions {
  /** By default `1`. */
  beta?: number | undefined;
  /** By default `1`. */
  alpha?: number | undefined;
}

/** Optional arguments of `linear`. */
export interface LinearOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
}

/** Optional arguments of `bilinear`. */
export interface BilinearOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
}

/** Optional arguments of `cross`. */
export interface CrossOptions {
  /** Not given by default. */
  dim?: number | null | undefined;
}

/** Optional arguments of `tensordot`. */
export interface TensordotOptions {
  /** By default `[[2]]`. */
  dims?: number | readonly number[] | readonly (number | readonly number[])[] | undefined;
}

/** Optional arguments of `cdist`. */
export interface CdistOptions {
  /** By default `2`. */
  p?: number | undefined;
}

/** Optional arguments of `pdist`. */
export interface PdistOptions {
  /** By default `2`. */
  p?: number | undefined;
}

/** Optional arguments of `pairwiseDistance`. */
export interface PairwiseDistanceOptions {
  /** By default `2`. */
  p?: number | undefined;
  /** By default `1e-6`. */
  eps?: number | undefined;
  /** By default `false`. */
  keepdim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDim?: boolean | undefined;
  /** The same as `keepdim`. */
  keepDims?: boolean | undefined;
}

/** Optional arguments of `conv1d`. */
export interface Conv1dOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
  /** Not given by default. */
  padding?: number | readonly number[] | 'same' | 'valid' | null | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `1`. */
  groups?: number | undefined;
}

/** Optional arguments of `conv2d`. */
export interface Conv2dOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
  /** Not given by default. */
  padding?: number | readonly number[] | 'same' | 'valid' | null | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `1`. */
  groups?: number | undefined;
}

/** Optional arguments of `conv3d`. */
export interface Conv3dOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
  /** Not given by default. */
  padding?: number | readonly number[] | 'same' | 'valid' | null | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `1`. */
  groups?: number | undefined;
}

/** Optional arguments of `convTranspose1d`. */
export interface ConvTranspose1dOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  outputPadding?: number | readonly number[] | undefined;
  /** By default `1`. */
  groups?: number | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
}

/** Optional arguments of `convTranspose2d`. */
export interface ConvTranspose2dOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  outputPadding?: number | readonly number[] | undefined;
  /** By default `1`. */
  groups?: number | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
}

/** Optional arguments of `convTranspose3d`. */
export interface ConvTranspose3dOptions {
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `[1]`. */
  stride?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[0]`. */
  outputPadding?: number | readonly number[] | undefined;
  /** By default `1`. */
  groups?: number | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
}

/** Optional arguments of `maxPool1d`. */
export interface MaxPool1dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
}

/** Optional arguments of `maxPool2d`. */
export interface MaxPool2dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
}

/** Optional arguments of `maxPool3d`. */
export interface MaxPool3dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `[1]`. */
  dilation?: number | readonly number[] | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
}

/** Optional arguments of `avgPool1d`. */
export interface AvgPool1dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
  /** By default `true`. */
  countIncludePad?: boolean | undefined;
  /** Not given by default. */
  divisorOverride?: number | null | undefined;
}

/** Optional arguments of `avgPool2d`. */
export interface AvgPool2dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
  /** By default `true`. */
  countIncludePad?: boolean | undefined;
  /** Not given by default. */
  divisorOverride?: number | null | undefined;
}

/** Optional arguments of `avgPool3d`. */
export interface AvgPool3dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `[0]`. */
  padding?: number | readonly number[] | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
  /** By default `true`. */
  countIncludePad?: boolean | undefined;
  /** Not given by default. */
  divisorOverride?: number | null | undefined;
}

/** Optional arguments of `lpPool1d`. */
export interface LpPool1dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
}

/** Optional arguments of `lpPool2d`. */
export interface LpPool2dOptions {
  /** Not given by default. */
  stride?: number | readonly number[] | null | undefined;
  /** By default `false`. */
  ceilMode?: boolean | undefined;
}

/** Optional arguments of `interpolate`. */
export interface InterpolateOptions {
  /** Not given by default. */
  size?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  scaleFactor?: number | readonly number[] | null | undefined;
  /** By default `'nearest'`. */
  mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | undefined;
  /** Not given by default. */
  alignCorners?: boolean | null | undefined;
  /** Not given by default. */
  recomputeScaleFactor?: boolean | null | undefined;
  /** By default `false`. */
  antialias?: boolean | undefined;
}

/** Optional arguments of `upsampleNearest`. */
export interface UpsampleNearestOptions {
  /** Not given by default. */
  size?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  scaleFactor?: number | readonly number[] | null | undefined;
}

/** Optional arguments of `upsampleBilinear`. */
export interface UpsampleBilinearOptions {
  /** Not given by default. */
  size?: number | readonly number[] | null | undefined;
  /** Not given by default. */
  scaleFactor?: number | readonly number[] | null | undefined;
}

/** Optional arguments of `resize`. */
export interface ResizeOptions {
  /** By default `'bilinear'`. */
  mode?: 'nearest' | 'nearest-exact' | 'linear' | 'bilinear' | 'trilinear' | 'bicubic' | 'area' | undefined;
  /** By default `false`. */
  antialias?: boolean | undefined;
}

/** Optional arguments of `gridSample`. */
export interface GridSampleOptions {
  /** By default `'bilinear'`. */
  mode?: 'bilinear' | 'nearest' | 'bicubic' | undefined;
  /** By default `'zeros'`. */
  paddingMode?: 'zeros' | 'border' | 'reflection' | undefined;
  /** By default `false`. */
  alignCorners?: boolean | undefined;
}

/** Optional arguments of `affineGrid`. */
export interface AffineGridOptions {
  /** By default `false`. */
  alignCorners?: boolean | undefined;
}

/** Optional arguments of `rgbToGrayscale`. */
export interface RgbToGrayscaleOptions {
  /** By default `1`. */
  numOutputChannels?: number | undefined;
}

/** Optional arguments of `softmax`. */
export interface SoftmaxOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `logSoftmax`. */
export interface LogSoftmaxOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `softmin`. */
export interface SoftminOptions {
  /** By default `-1`. */
  dim?: number | undefined;
  /** Not given by default. */
  dtype?: DTypeName | null | undefined;
}

/** Optional arguments of `layerNorm`. */
export interface LayerNormOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `1e-5`. */
  eps?: number | undefined;
}

/** Optional arguments of `rmsNorm`. */
export interface RmsNormOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** Not given by default. */
  eps?: number | null | undefined;
}

/** Optional arguments of `batchNorm`. */
export interface BatchNormOptions {
  /** Not given by default. */
  runningMean?: Tensor | null | undefined;
  /** Not given by default. */
  runningVar?: Tensor | null | undefined;
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `false`. */
  training?: boolean | undefined;
  /** By default `0.1`. */
  momentum?: number | undefined;
  /** By default `1e-5`. */
  eps?: number | undefined;
}

/** Optional arguments of `batchNormStats`. */
export interface BatchNormStatsOptions {
  /** By default `0.1`. */
  momentum?: number | undefined;
}

/** Optional arguments of `groupNorm`. */
export interface GroupNormOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `1e-5`. */
  eps?: number | undefined;
}

/** Optional arguments of `instanceNorm`. */
export interface InstanceNormOptions {
  /** Not given by default. */
  runningMean?: Tensor | null | undefined;
  /** Not given by default. */
  runningVar?: Tensor | null | undefined;
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** Not given by default. */
  bias?: Tensor | null | undefined;
  /** By default `true`. */
  useInputStats?: boolean | undefined;
  /** By default `0.1`. */
  momentum?: number | undefined;
  /** By default `1e-5`. */
  eps?: number | undefined;
}

/** Optional arguments of `normalize`. */
export interface NormalizeOptions {
  /** By default `2`. */
  p?: number | undefined;
  /** By default `1`. */
  dim?: number | undefined;
  /** By default `1e-12`. */
  eps?: number | undefined;
}

/** Optional arguments of `localResponseNorm`. */
export interface LocalResponseNormOptions {
  /** By default `1e-4`. */
  alpha?: number | undefined;
  /** By default `0.75`. */
  beta?: number | undefined;
  /** By default `1`. */
  k?: number | undefined;
}

/** Optional arguments of `scaledDotProductAttention`. */
export interface ScaledDotProductAttentionOptions {
  /** Not given by default. */
  attnMask?: Tensor | null | undefined;
  /** By default `0`. */
  dropoutP?: number | undefined;
  /** By default `false`. */
  isCausal?: boolean | undefined;
  /** Not given by default. */
  scale?: number | null | undefined;
  /** By default `false`. */
  enableGqa?: boolean | undefined;
}

/** Optional arguments of `multiHeadAttention`. */
export interface MultiHeadAttentionOptions {
  /** Not given by default. */
  inProjBias?: Tensor | null | undefined;
  /** Not given by default. */
  outProjBias?: Tensor | null | undefined;
  /** Not given by default. */
  attnMask?: Tensor | null | undefined;
  /** By default `false`. */
  isCausal?: boolean | undefined;
  /** Not given by default. */
  keyPaddingMask?: Tensor | null | undefined;
  /** By default `0`. */
  dropoutP?: number | undefined;
}

/** Optional arguments of `rope`. */
export interface RopeOptions {
  /** Not given by default. */
  positions?: Tensor | null | undefined;
  /** By default `10000`. */
  base?: number | undefined;
  /** By default `'halves'`. */
  layout?: 'halves' | 'interleaved' | undefined;
}

/** Optional arguments of `sinusoidalPositions`. */
export interface SinusoidalPositionsOptions {
  /** By default `10000`. */
  base?: number | undefined;
}

/** Optional arguments of `rnnCell`. */
export interface RnnCellOptions {
  /** Not given by default. */
  bIh?: Tensor | null | undefined;
  /** Not given by default. */
  bHh?: Tensor | null | undefined;
  /** By default `'tanh'`. */
  nonlinearity?: 'tanh' | 'relu' | undefined;
}

/** Optional arguments of `gruCell`. */
export interface GruCellOptions {
  /** Not given by default. */
  bIh?: Tensor | null | undefined;
  /** Not given by default. */
  bHh?: Tensor | null | undefined;
}

/** Optional arguments of `lstmCell`. */
export interface LstmCellOptions {
  /** Not given by default. */
  bIh?: Tensor | null | undefined;
  /** Not given by default. */
  bHh?: Tensor | null | undefined;
}

/** Optional arguments of `rnn`. */
export interface RnnOptions {
  /** Not given by default. */
  hx?: Tensor | null | undefined;
  /** By default `'tanh'`. */
  nonlinearity?: 'tanh' | 'relu' | undefined;
  /** By default `false`. */
  batchFirst?: boolean | undefined;
  /** By default `false`. */
  bidirectional?: boolean | undefined;
}

/** Optional arguments of `gru`. */
export interface GruOptions {
  /** Not given by default. */
  hx?: Tensor | null | undefined;
  /** By default `false`. */
  batchFirst?: boolean | undefined;
  /** By default `false`. */
  bidirectional?: boolean | undefined;
}

/** Optional arguments of `lstm`. */
export interface LstmOptions {
  /** Not given by default. */
  hx?: Tensor | null | undefined;
  /** Not given by default. */
  cx?: Tensor | null | undefined;
  /** By default `false`. */
  batchFirst?: boolean | undefined;
  /** By default `false`. */
  bidirectional?: boolean | undefined;
}

/** Optional arguments of `mseLoss`. */
export interface MseLossOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
  /** Not given by default. */
  weight?: Tensor | null | undefined;
}

/** Optional arguments of `l1Loss`. */
export interface L1LossOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
  /** Not given by default. */
  weight?: Tensor | null | undefined;
}

/** Optional arguments of `smoothL1Loss`. */
export interface SmoothL1LossOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
  /** By default `1`. */
  beta?: number | undefined;
}

/** Optional arguments of `huberLoss`. */
export interface HuberLossOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
  /** By default `1`. */
  delta?: number | undefined;
  /** Not given by default. */
  weight?: Tensor | null | undefined;
}

/** Optional arguments of `klDiv`. */
export interface KlDivOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'batchmean' | 'sum' | 'none' | undefined;
  /** By default `false`. */
  logTarget?: boolean | undefined;
}

/** Optional arguments of `gaussianNllLoss`. */
export interface GaussianNllLossOptions {
  /** By default `false`. */
  full?: boolean | undefined;
  /** By default `1e-6`. */
  eps?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `poissonNllLoss`. */
export interface PoissonNllLossOptions {
  /** By default `true`. */
  logInput?: boolean | undefined;
  /** By default `false`. */
  full?: boolean | undefined;
  /** By default `1e-8`. */
  eps?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `crossEntropy`. */
export interface CrossEntropyOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** By default `-100`. */
  ignoreIndex?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
  /** By default `0`. */
  labelSmoothing?: number | undefined;
}

/** Optional arguments of `nllLoss`. */
export interface NllLossOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** By default `-100`. */
  ignoreIndex?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `binaryCrossEntropy`. */
export interface BinaryCrossEntropyOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `binaryCrossEntropyWithLogits`. */
export interface BinaryCrossEntropyWithLogitsOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
  /** Not given by default. */
  posWeight?: Tensor | null | undefined;
}

/** Optional arguments of `hingeLoss`. */
export interface HingeLossOptions {
  /** By default `1`. */
  margin?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `softMarginLoss`. */
export interface SoftMarginLossOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `multiMarginLoss`. */
export interface MultiMarginLossOptions {
  /** By default `1`. */
  p?: number | undefined;
  /** By default `1`. */
  margin?: number | undefined;
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `multilabelMarginLoss`. */
export interface MultilabelMarginLossOptions {
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `multilabelSoftMarginLoss`. */
export interface MultilabelSoftMarginLossOptions {
  /** Not given by default. */
  weight?: Tensor | null | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `cosineSimilarity`. */
export interface CosineSimilarityOptions {
  /** By default `1`. */
  dim?: number | undefined;
  /** By default `1e-8`. */
  eps?: number | undefined;
}

/** Optional arguments of `cosineEmbeddingLoss`. */
export interface CosineEmbeddingLossOptions {
  /** By default `0`. */
  margin?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `hingeEmbeddingLoss`. */
export interface HingeEmbeddingLossOptions {
  /** By default `1`. */
  margin?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `marginRankingLoss`. */
export interface MarginRankingLossOptions {
  /** By default `0`. */
  margin?: number | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `tripletMarginLoss`. */
export interface TripletMarginLossOptions {
  /** By default `1`. */
  margin?: number | undefined;
  /** By default `2`. */
  p?: number | undefined;
  /** By default `1e-6`. */
  eps?: number | undefined;
  /** By default `false`. */
  swap?: boolean | undefined;
  /** By default `'mean'`. */
  reduction?: 'mean' | 'sum' | 'none' | undefined;
}

/** Optional arguments of `sgdStep`. */
export interface SgdStepOptions {
  /** By default `0`. */
  momentum?: number | undefined;
  /** By default `0`. */
  dampening?: number | undefined;
  /** By default `0`. */
  weightDecay?: number | undefined;
  /** By default `false`. */
  nesterov?: boolean | undefined;
}

/** Optional arguments of `adamStep`. */
export interface AdamStepOptions {
  /** By default `1`. */
  shrink?: Operand | undefined;
  /** By default `0.9`. */
  beta1?: number | undefined;
  /** By default `0.999`. */
  beta2?: number | undefined;
  /** By default `1e-8`. */
  eps?: number | undefined;
}
