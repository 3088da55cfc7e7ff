/** How parameters begin: plain data. The draws are the recorder's, so that a seed gives the same model everywhere. */
import { bind, bound, type Given } from '../bind.ts';
import { ArgumentError, ShapeError } from '../errors.ts';
import { args, checked, recorder } from '../recorder.ts';
import { Tensor, wrap } from '../tensor.ts';

/** The first value of a parameter. */
export type Init =
  | 'zeros'
  | 'ones'
  /** Normal draws of standard deviation 0.02. */
  | 'randn'
  | { readonly kind: 'randn'; readonly scale?: number }
  /** Normal draws of standard deviation `gain / √shape[0]`; the gain is √2 by default. */
  | { readonly kind: 'kaiming'; readonly gain?: number }
  | { readonly kind: 'literal'; readonly data: ArrayLike<number> }
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly low?: number; readonly high?: number }
  | { readonly kind: 'normal' | 'truncNormal'; readonly mean?: number; readonly std?: number }
  | { readonly kind: 'xavierUniform' | 'xavierNormal'; readonly gain?: number }
  /** As PyTorch has it, for weights `[out, in, …]`. */
  | { readonly kind: 'kaimingUniform' | 'kaimingNormal'; readonly gain?: number; readonly fan?: 'in' | 'out' };

/** What each kind takes, by name in an `Init` and by place or name in its helper. */
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

/** A helper that writes an `Init` of this kind. */
function helper<A extends unknown[]>(kind: KindName): (...given: A) => Init {
  return (...given) => ({ kind, ...Object.fromEntries(bind(`init.${kind}`, KINDS[kind], given).filter(([, value]) => value !== undefined)) }) as unknown as Init;
}

/** What PyTorch multiplies draws by before an activation. */
const GAINS: Readonly<Record<string, number>> = { relu: Math.SQRT2, linear: 1, sigmoid: 1, tanh: 5 / 3, selu: 3 / 4 };

/** Settings of `init.kaimingUniform` and `init.kaimingNormal`; `gain` instead of what it is computed from. */
export interface KaimingOptions {
  /** The slope of `leaky_relu` below zero. */
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

/** Helpers that write an `Init`. */
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
  /** What PyTorch begins weights and biases of a layer with, given how many numbers enter it. */
  layer: (fanIn: number): Init => {
    const bound = 1 / Math.sqrt(Math.max(fanIn, 1));
    return { kind: 'uniform', low: -bound, high: bound };
  },
};

/** Whether weight decay applies to what begins so: not to zeros and ones. */
export function decaysBy(first: Init): boolean {
  return first !== 'zeros' && first !== 'ones';
}

/** A tensor that begins so. */
export function begun(first: Init, shape: readonly number[]): Tensor {
  if (typeof first === 'function') throw new ArgumentError('init: how a parameter begins is plain data, no function');
  const { kind, ...settings } = typeof first === 'string' ? { kind: first } : first;
  if (kind === 'zeros' || kind === 'ones') return drawn(kind, 0, 0, shape);
  if (!Object.hasOwn(KINDS, kind)) throw new ArgumentError(`init: there is no '${String(kind)}'\n  it knows zeros, ones, ${Object.keys(KINDS).join(', ')}`);
  const [a, b] = bound<[number?, (number | string)?]>(`init.${kind}`, KINDS[kind], [settings]);
  switch (kind) {
    case 'randn': return drawn('normal', 0, a ?? 0.02, shape);
    case 'kaiming': return drawn('normal', 0, (a ?? Math.SQRT2) / Math.sqrt(Math.max(shape[0] ?? 1, 1)), shape);
    case 'literal': return literal(a as unknown as ArrayLike<number>, shape);
    case 'kaimingUniform': case 'kaimingNormal': return drawn(kind, a ?? Math.SQRT2, b === 'out' ? 1 : 0, shape);
    case 'xavierUniform': case 'xavierNormal': return drawn(kind, a ?? 1, 0, shape);
    default: return drawn(kind, a ?? 0, (b ?? 1) as number, shape);
  }
}

function literal(data: ArrayLike<number>, shape: readonly number[]): Tensor {
  const elements = shape.reduce((product, len) => product * len, 1);
  if (data.length !== elements) throw new ShapeError(`param: the literal has ${data.length} elements, [${shape.join(', ')}] needs ${elements}`);
  return new Tensor(Float32Array.from(data), { shape });
}

function drawn(kind: string, a: number, b: number, shape: readonly number[]): Tensor {
  args.begin().text(kind).f64(a).f64(b).list(shape, (len) => args.u32(len));
  return wrap(checked(recorder().init(args.len), begun));
}
