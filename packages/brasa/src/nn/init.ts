/** How parameters begin: plain data. The draws are the recorder's, so that a seed gives the same model everywhere. */
import { ArgumentError, ShapeError } from '../errors.ts';
import { args, checked, recorder } from '../recorder.ts';
import { Tensor, wrap } from '../tensor.ts';

/** The first value of a parameter. */
export type Init =
  | 'zeros'
  | 'ones'
  /** Normal draws of standard deviation 0.02. */
  | 'randn'
  | { readonly kind: 'randn'; readonly scale: number }
  /** Normal draws of standard deviation `gain / √shape[0]`; the gain is √2 by default. */
  | { readonly kind: 'kaiming'; readonly gain?: number }
  | { readonly kind: 'literal'; readonly data: ArrayLike<number> }
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly low: number; readonly high: number }
  | { readonly kind: 'normal' | 'truncNormal'; readonly mean: number; readonly std: number }
  | { readonly kind: 'xavierUniform' | 'xavierNormal'; readonly gain?: number }
  /** As PyTorch has it, for weights `[out, in, …]`. */
  | { readonly kind: 'kaimingUniform' | 'kaimingNormal'; readonly gain?: number; readonly fan?: 'in' | 'out' };

/** Helpers that write an `Init`. */
export const init = {
  zeros: (): Init => 'zeros',
  ones: (): Init => 'ones',
  randn: (scale: number | { readonly scale?: number } = 0.02): Init => ({ kind: 'randn', scale: typeof scale === 'number' ? scale : (scale.scale ?? 0.02) }),
  kaiming: (gain: number | { readonly gain?: number } = Math.SQRT2): Init => ({ kind: 'kaiming', gain: typeof gain === 'number' ? gain : (gain.gain ?? Math.SQRT2) }),
  literal: (data: ArrayLike<number>): Init => ({ kind: 'literal', data }),
  uniform: (low: number, high: number): Init => ({ kind: 'uniform', low, high }),
  normal: (mean = 0, std = 1): Init => ({ kind: 'normal', mean, std }),
  constant: (value: number): Init => ({ kind: 'constant', value }),
  xavierUniform: (gain = 1): Init => ({ kind: 'xavierUniform', gain }),
  kaimingUniform: (gain = Math.SQRT2): Init => ({ kind: 'kaimingUniform', gain }),
  kaimingNormal: (gain = Math.SQRT2): Init => ({ kind: 'kaimingNormal', gain }),
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
  if (typeof first === 'string') {
    return first === 'randn' ? drawn('normal', 0, 0.02, shape) : drawn(first, 0, 0, shape);
  }
  switch (first.kind) {
    case 'randn': return drawn('normal', 0, first.scale, shape);
    case 'kaiming': return drawn('normal', 0, (first.gain ?? Math.SQRT2) / Math.sqrt(Math.max(shape[0] ?? 1, 1)), shape);
    case 'constant': return drawn('constant', first.value, 0, shape);
    case 'uniform': return drawn('uniform', first.low, first.high, shape);
    case 'normal': case 'truncNormal': return drawn(first.kind, first.mean, first.std, shape);
    case 'xavierUniform': case 'xavierNormal': return drawn(first.kind, first.gain ?? 1, 0, shape);
    case 'kaimingUniform': case 'kaimingNormal':
      return drawn(first.kind, first.gain ?? Math.SQRT2, first.fan === 'out' ? 1 : 0, shape);
    case 'literal': {
      const elements = shape.reduce((product, len) => product * len, 1);
      if (first.data.length !== elements) {
        throw new ShapeError(`param: the literal has ${first.data.length} elements, [${shape.join(', ')}] needs ${elements}`);
      }
      return new Tensor(Float32Array.from(first.data), { shape });
    }
    default: throw new ArgumentError(`init: there is no '${(first satisfies never as Exclude<Init, string>).kind}'`);
  }
}

function drawn(kind: string, a: number, b: number, shape: readonly number[]): Tensor {
  args.begin().text(kind).f64(a).f64(b).list(shape, (len) => args.u32(len));
  return wrap(checked(recorder().init(args.len), begun));
}
