/** The named inputs of compiled functions: what is declared of them, and values that fit. */
import { type NestedNumbers, tensor } from './create.ts';
import type { DTypeName, TypedArray } from './dtype.ts';
import { ArgumentError, ShapeError } from './errors.ts';
import { Tensor } from './tensor.ts';

/** What an input is: its shape, where `null` is any length, and its type, `f32` by default. */
export type InputSpec = readonly (number | null)[] | { readonly shape: readonly (number | null)[]; readonly dtype?: DTypeName };

/** Values of inputs: tensors, flat typed arrays or nested lists. */
export type InputValue = Tensor | TypedArray | NestedNumbers;

/** Inputs by name. */
export type Specs = Readonly<Record<string, InputSpec>>;

/** Something for each input. */
export type Named<I extends Specs, T> = { readonly [K in keyof I]: T };

/** A value as a tensor of what was declared. */
function entered(op: string, name: string, spec: InputSpec, value: InputValue): Tensor {
  const { shape, dtype = 'f32' } = 'shape' in spec ? spec : { shape: spec };
  const x = value instanceof Tensor ? value : tensor(value, { dtype });
  const own = x.ndim === 1 && shape.length !== 1 && !(value instanceof Tensor) ? x.reshape(shape.map((len) => len ?? -1)) : x;
  if (own.ndim !== shape.length || shape.some((len, n) => len !== null && len !== own.shape[n])) {
    const wanted = shape.map((len) => len ?? '?').join(', ');
    throw new ShapeError(`${op}: '${name}' is ${own.toString()}, expected shape [${wanted}]`, op);
  }
  return own;
}

/** Values as tensors, in the order of the declaration. */
export function allEntered<I extends Specs>(op: string, specs: I, values: Named<I, InputValue>): Tensor[] {
  const names = Object.keys(specs);
  for (const name of Object.keys(values)) {
    if (!names.includes(name)) throw new ArgumentError(`${op}: there is no input '${name}', only ${names.join(', ')}`, op);
  }
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new ArgumentError(`${op}: input '${name}' is missing`, op);
    return entered(op, name, specs[name] as InputSpec, value);
  });
}

/** Tensors by the names of the declaration. */
export function byName<I extends Specs>(specs: I, inputs: readonly Tensor[]): Named<I, Tensor> {
  return Object.fromEntries(Object.keys(specs).map((name, n) => [name, inputs[n]])) as Named<I, Tensor>;
}
