/** New tensors, of data and of numbers. */
import { bound } from './bind.ts';
import { one } from './call.ts';
import { upload } from './client.ts';
import { bytesOf, DTYPES, type DType, type DTypeName, dtypeOf, hasBytesOf, naturalDType, toBytes, type TypedArray } from './dtype.ts';
import { ArgumentError, ShapeError } from './errors.ts';
import * as row from './generated/rows.ts';
import { args, checked, recorder } from './recorder.ts';
import { Tensor } from './tensor.ts';

/** Nested lists of numbers, all of one length on each level. */
export type NestedNumbers = number | boolean | bigint | readonly NestedNumbers[];

/** What a tensor can be made of. */
export type TensorSource = NestedNumbers | TypedArray | { readonly data: NestedNumbers | TypedArray } & Creation;

/** How a tensor is to be made. */
export interface Creation {
  /** The type of its elements; `f32` by default, or that of the typed array. */
  dtype?: DTypeName | undefined;
  /** Its shape, where the data are not nested. */
  shape?: readonly number[] | undefined;
  /** Whether a gradient is wanted for it. */
  requiresGrad?: boolean | undefined;
  /**
   * Hands over the memory of a typed array that is the only one on its buffer, instead of a copy. It cannot be used
   * afterwards. Memory that is shared is copied all the same.
   */
  transfer?: boolean | undefined;
}

/** Larger data go to the engine by themselves, not through the recorder. Copying 16 kB takes about a microsecond. */
const INLINE_BYTES = 16 << 10;

function isTypedArray(data: unknown): data is TypedArray {
  return ArrayBuffer.isView(data) && !(data instanceof DataView);
}

function isSpec(data: TensorSource): data is { data: NestedNumbers | TypedArray } & Creation {
  return typeof data === 'object' && data !== null && 'data' in data && !isTypedArray(data) && !Array.isArray(data);
}

/** Whether the memory of an array has gone to another thread. */
function isDetached({ buffer }: TypedArray): boolean {
  return 'detached' in buffer ? buffer.detached === true : buffer.byteLength === 0;
}

/** Options of `tensor`, all of which are known. */
function created(options: Creation | DTypeName | undefined): Creation {
  if (options === undefined) return {};
  const [dtype, shape, requiresGrad, transfer] = bound<[DTypeName?, (readonly number[])?, boolean?, boolean?]>('tensor', 'dtype?s shape?e requiresGrad?b transfer?b', [options]);
  return { dtype, shape, requiresGrad, transfer };
}

/** A new tensor of these data; its handle. */
export function build(source: TensorSource, options?: Creation | DTypeName): number {
  if (isSpec(source)) {
    const { data, ...rest } = source;
    return build(data, { ...rest, ...(typeof options === 'string' ? { dtype: options } : options) });
  }
  const data = source as NestedNumbers | TypedArray;
  const own = created(options);
  const { shape, items, natural } = isTypedArray(data) ? flat(data) : unnested(data);
  const dtype = own.dtype === undefined ? natural : dtypeOf(own.dtype);
  const wanted = own.shape ?? shape;
  const elements = wanted.reduce((product, len) => product * len, 1);
  if (elements !== items.length) {
    if (isTypedArray(items) && isDetached(items)) throw new ArgumentError('tensor: the memory of the array was handed over before');
    throw new ShapeError(`tensor: ${items.length} elements do not fill a tensor of shape [${wanted.join(', ')}]`);
  }
  const isOwn = own.transfer === true && isTypedArray(items) && hasBytesOf(items, dtype);
  const bytes = isOwn ? movable(items) : toBytes(items, dtype);
  const handle = made(bytes, dtype, wanted);
  if (own.requiresGrad) checked(recorder().set_requires_grad(handle, 1));
  return handle;
}

/** The bytes of an array, as they are where their memory can be handed over, else a copy. */
export function movable({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const isWhole = buffer instanceof ArrayBuffer && byteLength === buffer.byteLength;
  return (isWhole ? bytes : bytes.slice()) as Uint8Array<ArrayBuffer>;
}

/** A tensor of these bytes; its handle. */
export function made(bytes: Uint8Array<ArrayBuffer>, dtype: DType, shape: readonly number[]): number {
  const wrong = shape.find((len) => len >>> 0 !== len);
  if (wrong !== undefined) throw new ArgumentError(`tensor: shape has ${wrong}, expected a whole number that is not negative`);
  const needed = shape.reduce((product, len) => product * len, bytesOf(dtype));
  if (bytes.length !== needed) {
    throw new ShapeError(`tensor: ${bytes.length} bytes, ${dtype}[${shape.join(', ')}] has ${needed}`);
  }
  const all = recorder();
  const number = DTYPES.indexOf(dtype);
  args.begin().list(shape, (len) => args.u32(len));
  // Kernels rely on it that a bool is 0 or 1.
  const held = dtype === 'bool' && bytes.some((byte) => byte > 1) ? toBytes(bytes, dtype) : bytes;
  if (held.length > INLINE_BYTES) return upload(held, checked(all.announce(number, args.len)));
  args.bytes(held);
  return checked(all.from_bytes(number, args.len));
}

interface Flat {
  shape: readonly number[];
  items: ArrayLike<number | bigint | boolean>;
  natural: DType;
}

function flat(items: TypedArray): Flat {
  return { shape: [items.length], items, natural: naturalDType(items) };
}

/** As many axes as lists may have, and as many elements: a list that holds itself, or others twice, has no end. */
const MOST_AXES = 64;
const MOST_ELEMENTS = 2 ** 27 - 1;

function unnested(data: NestedNumbers): Flat {
  const shape: number[] = [];
  for (let part: NestedNumbers | undefined = data; Array.isArray(part); part = (part as readonly NestedNumbers[])[0]) {
    shape.push(part.length);
    if (shape.length > MOST_AXES) throw new ArgumentError(`tensor: the lists are nested more than ${MOST_AXES} deep\n  help: does a list hold itself?`);
  }
  const elements = shape.reduce((product, len) => product * len, 1);
  if (elements > MOST_ELEMENTS) throw new ArgumentError(`tensor: the lists have ${elements} elements, at most ${MOST_ELEMENTS} can be collected\n  help: give a typed array and its shape`);
  const items: (number | bigint | boolean)[] = [];
  collect(data, shape, 0, items);
  return { shape, items, natural: items.length > 0 && items.every((x) => typeof x === 'boolean') ? 'bool' : 'f32' };
}

function collect(data: NestedNumbers, shape: readonly number[], depth: number, into: (number | bigint | boolean)[]): void {
  if (!Array.isArray(data)) {
    if (depth !== shape.length) throw uneven(shape, depth);
    const item = data as number | bigint | boolean;
    if (!['number', 'bigint', 'boolean'].includes(typeof item)) {
      throw new ArgumentError(`tensor: expected numbers, got ${item === null ? 'null' : typeof item}`);
    }
    into.push(item);
    return;
  }
  const parts = data as readonly NestedNumbers[];
  if (parts.length !== shape[depth]) throw uneven(shape, depth);
  for (const part of parts) collect(part, shape, depth + 1, into);
}

function uneven(shape: readonly number[], depth: number): ShapeError {
  return new ShapeError(`tensor: the lists on level ${depth} differ in length; the first is of shape [${shape.join(', ')}]`);
}

/**
 * A tensor of nested lists, a typed array or a number. Plain numbers become `f32`, booleans `bool`; typed arrays
 * keep their type.
 *
 * ```ts
 * tensor([[1, 2], [3, 4]]);
 * tensor(new Float32Array(6), { shape: [2, 3] });
 * tensor({ data: [1, 2, 3], requiresGrad: true });
 * ```
 */
export function tensor(data: TensorSource, options?: Creation | DTypeName): Tensor {
  return new Tensor(data, options);
}

/** Elements row by row, as a tensor of this shape. */
export function fromData(data: readonly number[] | TypedArray, shape: readonly number[], requiresGrad = false): Tensor {
  return new Tensor(data, { shape, requiresGrad });
}

/** Options of new tensors; `true` alone says that a gradient is wanted. */
export type New = boolean | DTypeName | Pick<Creation, 'dtype' | 'requiresGrad'>;

/** Lengths of axes: a list or written out, with options at the end. */
export type Size = [shape: readonly number[] | number, ...rest: (number | New)[]];

function sized(size: Size): { shape: readonly number[]; options: New | undefined } {
  const last = size.at(-1);
  const hasOptions = size.length > 1 && typeof last !== 'number';
  const parts = (hasOptions ? size.slice(0, -1) : size) as (number | readonly number[])[];
  return { shape: parts.flat(), options: hasOptions ? (last as New) : undefined };
}

function filled(name: string, rowNumber: number, given: readonly unknown[], options: New | undefined): Tensor {
  const own = typeof options === 'boolean' ? { requiresGrad: options } : options;
  const [dtype, requiresGrad] = own === undefined ? [] : bound<[DTypeName?, boolean?]>(name, 'dtype?s requiresGrad?b', [own]);
  const x = one(rowNumber, dtype === undefined ? given : [...given, { dtype: dtypeOf(dtype) }]);
  return requiresGrad ? x.requiresGrad_() : x;
}

/** A tensor of zeros: `zeros([2, 3])`, `zeros(2, 3)`. */
export function zeros(...size: Size): Tensor {
  const { shape, options } = sized(size);
  return filled('zeros', row.zeros, [shape], options);
}

/** A tensor whose values do not matter; it is of zeros. */
export const empty = zeros;

/** A tensor of ones. */
export function ones(...size: Size): Tensor {
  const { shape, options } = sized(size);
  return filled('ones', row.ones, [shape], options);
}

/** A tensor full of one number. */
export function full(shape: readonly number[] | number, value: number, options?: New): Tensor {
  const own = typeof options === 'boolean' ? { requiresGrad: options } : typeof options === 'string' ? { dtype: options } : options;
  return filled('full', row.full, [shape, value], { dtype: 'f32', ...own });
}

/** Uniform draws from 0 to 1. */
export function rand(...size: Size): Tensor {
  const { shape, options } = sized(size);
  return filled('rand', row.rand, [shape], options);
}

/** Draws from the standard normal distribution. */
export function randn(...size: Size): Tensor {
  const { shape, options } = sized(size);
  return filled('randn', row.randn, [shape], options);
}

/** Whole numbers from `low` up to but without `high`, drawn at random. */
export function randint(low: number, high: number, shape: readonly number[], options?: New): Tensor {
  return filled('randint', row.randint, [low, high, shape], options);
}

/** The numbers from 0 up to but without `n`, in random order. */
export function randperm(n: number, options?: New): Tensor {
  return filled('randperm', row.randperm, [n], options);
}

/** Numbers from `start` (0) up to but without `end`, in steps (of 1): `arange(5)`, `arange(2, 5)`. */
export function arange(start: number, end?: number, step?: number, options?: New): Tensor {
  return filled('arange', row.arange, [start, end, step], options);
}

/** So many numbers from `start` to `end`, evenly spaced. */
export function linspace(start: number, end: number, steps: number, options?: New): Tensor {
  return filled('linspace', row.linspace, [start, end, steps], options);
}

/** The identity matrix. */
export function eye(n: number, m?: number, options?: New): Tensor {
  return filled('eye', row.eye, [n, m], options);
}

/** A tensor without axes that holds one number. */
export function scalar(value: number, options?: New): Tensor {
  return full([], value, options);
}
