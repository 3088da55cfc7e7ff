/** Initializers of parameters, as plain data. The recorder draws the numbers, so that a seed gives the same model everywhere. */
import { bind, bound, type Given } from '../bind.ts';
import { ArgumentError, ShapeError } from '../errors.ts';
import { args, checked, recorder } from '../recorder.ts';
import { Tensor, wrap } from '../tensor.ts';

/** An initializer. */
export type Init =
  | 'zeros'
  | 'ones'
  /** Normal with standard deviation 0.02. */
  | 'randn'
  | { readonly kind: 'randn'; readonly scale?: number }
  /** Normal with standard deviation `gain / √shape[0]`; the gain is √2 by default. */
  | { readonly kind: 'kaiming'; readonly gain?: number }
  | { readonly kind: 'literal'; readonly data: ArrayLike<number> }
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly low?: number; readonly high?: number }
  | { readonly kind: 'normal' | 'truncNormal'; readonly mean?: number; readonly std?: number }
  | { readonly kind: 'xavierUniform' | 'xavierNormal'; readonly gain?: number }
  /** As in PyTorch, for weights `[out, in, …]`. */
  | { readonly kind: 'kaimingUniform' | 'kaimingNormal'; readonly gain?: number; readonly fan?: 'in' | 'out' };

/** The settings of each kind: by name in an `Init`, positional or by name in its helper. */
const KINDS = {
  randn: 'scale?n',
  kaiming: 'gain?n',
  literal: 'data:e',
  constant: 'value:n',
  uniform: 'low?n high?n',
  normal: 'mean?n std?n',
  truncNormal: 'mean?n std?n',
  xavierUniform: 'gain?n',
  xavierNormal: 'gain?n',
  kaimingUniform: '* gain?n fan?in|out',
  kaimingNormal: '* gain?n fan?in|out',
};

type KindName = keyof typeof KINDS;

/** A function that creates an `Init` of this kind. */
function helper<A extends unknown[]>(kind: KindName): (...given: A) => Init {
  return (...given) => ({ kind, ...Object.fromEntries(bind(`init.${kind}`, KINDS[kind], given).filter(([, value]) => value !== undefined)) }) as unknown as Init;
}

/** PyTorch's gain for each activation. */
const GAINS: Readonly<Record<string, number>> = { relu: Math.SQRT2, linear: 1, sigmoid: 1, tanh: 5 / 3, selu: 3 / 4 };

/** Settings of `init.kaimingUniform` and `init.kaimingNormal`; `gain` overrides the computed one. */
export interface KaimingOptions {
  /** The negative slope of `leaky_relu`. */
  a?: number;
  mode?: 'fan_in' | 'fan_out';
  nonlinearity?: 'leaky_relu' | 'relu' | 'linear' | 'sigmoid' | 'tanh' | 'selu';
  gain?: number;
}

function kaiming(kind: 'kaimingUniform' | 'kaimingNormal') {
  return (...given: Given<KaimingOptions, ['a', 'mode', 'nonlinearity']>): Init => {
    const [a = 0, mode, nonlinearity = '', gain = GAINS[nonlinearity] ?? Math.sqrt(2 / (1 + a * a))] =
      bound<[number?, string?, string?, number?]>(`init.${kind}`, `a?n mode?fan_in|fan_out nonlinearity?leaky_relu|${Object.keys(GAINS).join('|')} * gain?n`, given);
    return { kind, gain, fan: mode === 'fan_out' ? 'out' : 'in' };
  };
}

/** Functions that create an `Init`. */
export const init = {
  zeros: (): Init => 'zeros',
  ones: (): Init => 'ones',
  randn: helper<Given<{ scale?: number }, ['scale']>>('randn'),
  kaiming: helper<Given<{ gain?: number }, ['gain']>>('kaiming'),
  literal: helper<[data: ArrayLike<number>]>('literal'),
  uniform: helper<Given<{ low?: number; high?: number }, ['low', 'high']>>('uniform'),
  normal: helper<Given<{ mean?: number; std?: number }, ['mean', 'std']>>('normal'),
  truncNormal: helper<Given<{ mean?: number; std?: number }, ['mean', 'std']>>('truncNormal'),
  constant: helper<[value: number]>('constant'),
  xavierUniform: helper<Given<{ gain?: number }, ['gain']>>('xavierUniform'),
  xavierNormal: helper<Given<{ gain?: number }, ['gain']>>('xavierNormal'),
  kaimingUniform: kaiming('kaimingUniform'),
  kaimingNormal: kaiming('kaimingNormal'),
  /** PyTorch's default for weights and biases of a layer with this fan-in. */
  layer: (fanIn: number): Init => {
    const bound = 1 / Math.sqrt(Math.max(fanIn, 1));
    return { kind: 'uniform', low: -bound, high: bound };
  },
};

/** Whether weight decay applies by default: not to zeros and ones. */
export function decaysBy(init: Init): boolean {
  return init !== 'zeros' && init !== 'ones';
}

/** Creates an initialized tensor. */
export function initialize(own: Init, shape: readonly number[]): Tensor {
  if (typeof own === 'function') throw new ArgumentError('init: expected plain data, got a function');
  const { kind, ...settings } = typeof own === 'string' ? { kind: own } : own;
  if (kind === 'zeros' || kind === 'ones') return draw(kind, 0, 0, shape);
  if (!Object.hasOwn(KINDS, kind)) throw new ArgumentError(`init: unknown kind '${String(kind)}'\n  help: zeros, ones, ${Object.keys(KINDS).join(', ')}`);
  const [a, b] = bound<[number?, (number | string)?]>(`init.${kind}`, KINDS[kind], [settings]);
  switch (kind) {
    case 'randn': return draw('normal', 0, a ?? 0.02, shape);
    case 'kaiming': return draw('normal', 0, (a ?? Math.SQRT2) / Math.sqrt(Math.max(shape[0] ?? 1, 1)), shape);
    case 'literal': return literal(a as unknown as ArrayLike<number>, shape);
    case 'kaimingUniform': case 'kaimingNormal': return draw(kind, a ?? Math.SQRT2, b === 'out' ? 1 : 0, shape);
    case 'xavierUniform': case 'xavierNormal': return draw(kind, a ?? 1, 0, shape);
    default: return draw(kind, a ?? 0, (b ?? 1) as number, shape);
  }
}

function literal(data: ArrayLike<number>, shape: readonly number[]): Tensor {
  const elements = shape.reduce((product, len) => product * len, 1);
  if (data.length !== elements) throw new ShapeError(`param: the literal has ${data.length} elements, [${shape.join(', ')}] needs ${elements}`);
  return new Tensor(Float32Array.from(data), { shape });
}

function draw(kind: string, a: number, b: number, shape: readonly number[]): Tensor {
  args.begin().text(kind).f64(a).f64(b).list(shape, (len) => args.u32(len));
  return wrap(checked(recorder().init(args.len), initialize));
}
