/** Named inputs of compiled functions: declarations, and conversion of values to tensors. */
import { bound } from './bind.ts';
import { type NestedNumbers, tensor } from './create.ts';
import { type DTypeName, dtypeOf, type TypedArray } from './dtype.ts';
import { ArgumentError, ShapeError } from './errors.ts';
import { Tensor } from './tensor.ts';

/** The shape of an input, where `null` is any length, and its dtype, `f32` by default. */
export type InputSpec = readonly (number | null)[] | { readonly shape: readonly (number | null)[]; readonly dtype?: DTypeName };

/** Values of inputs: tensors, flat typed arrays or nested lists. They are converted to the declared dtype. */
export type InputValue = Tensor | TypedArray | NestedNumbers;

/** Inputs by name. */
export type Specs = Readonly<Record<string, InputSpec>>;

/** A `T` for each input. */
export type Named<I extends Specs, T> = { readonly [K in keyof I]: T };

/** Throws if an input's declaration has anything but a shape and a dtype. */
export function checkSpecs(specs: Specs): void {
  for (const [name, spec] of Object.entries(specs)) {
    const [shape] = bound<[unknown[]]>(`inputs.${name}`, '* shape:z dtype?s', [Array.isArray(spec) ? { shape: spec } : spec]);
    if (!Array.isArray(shape)) throw new ArgumentError(`inputs.${name}: shape is ${String(shape)}, expected a list`);
  }
}

/** The number of elements, if the data are flat. */
function flatLength(value: InputValue): number | undefined {
  const isFlat = ArrayBuffer.isView(value) || (Array.isArray(value) && !Array.isArray(value[0]));
  return isFlat ? (value as ArrayLike<unknown>).length : undefined;
}

/** The declared shape with `null` lengths inferred from the number of elements, if they fit. */
function inferShape(shape: readonly (number | null)[], count: number): number[] | undefined {
  const known = shape.reduce<number>((product, len) => product * (len ?? 1), 1);
  const lengths = shape.map((len) => len ?? Math.floor(count / (known || 1)));
  return lengths.reduce((product, len) => product * len, 1) === count ? lengths : undefined;
}

/** A value as a tensor of the declared shape and dtype. Flat data get their shape at once: a reshape would be another program. */
function inputTensor(op: string, name: string, spec: InputSpec, value: InputValue): Tensor {
  const { shape, dtype = 'f32' } = 'shape' in spec ? spec : { shape: spec };
  const count = flatLength(value);
  const lengths = count === undefined ? undefined : inferShape(shape, count);
  if (lengths) return tensor(value as TypedArray, { dtype, shape: lengths });
  const x = value instanceof Tensor ? value : tensor(value, { dtype });
  if (x.ndim !== shape.length || shape.some((len, n) => len !== null && len !== x.shape[n])) {
    const wanted = shape.map((len) => len ?? '?').join(', ');
    throw new ShapeError(`${op}: '${name}' is ${x.toString()}, expected shape [${wanted}]`);
  }
  return x.dtype === dtypeOf(dtype) ? x : x.to(dtypeOf(dtype));
}

/** Values as tensors, in the order of the declaration. */
export function inputTensors<I extends Specs>(op: string, specs: I, values: Named<I, InputValue>): Tensor[] {
  const names = Object.keys(specs);
  for (const name of Object.keys(values)) {
    if (!names.includes(name)) throw new ArgumentError(`${op}: there is no input '${name}', only ${names.join(', ')}`);
  }
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new ArgumentError(`${op}: input '${name}' is missing`);
    return inputTensor(op, name, specs[name] as InputSpec, value);
  });
}

/** Tensors by the declared names. */
export function byName<I extends Specs>(specs: I, inputs: readonly Tensor[]): Named<I, Tensor> {
  return Object.fromEntries(Object.keys(specs).map((name, n) => [name, inputs[n]])) as Named<I, Tensor>;
}
