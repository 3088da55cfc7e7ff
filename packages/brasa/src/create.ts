/** Creation of tensors: from data, constant and random. */
import { bound } from './bind.ts';
import { one } from './call.ts';
import { upload } from './client.ts';
import { bytesOf, DTYPES, type DType, type DTypeName, dtypeOf, hasBytesOf, naturalDType, toBytes, type TypedArray } from './dtype.ts';
import { ArgumentError, ShapeError } from './errors.ts';
import * as opId from './generated/op-ids.ts';
import { args, checked, recorder } from './recorder.ts';
import { Tensor } from './tensor.ts';

/** Nested lists of numbers, of equal length on each level. */
export type NestedNumbers = number | boolean | bigint | readonly NestedNumbers[];

/** The data of a new tensor. */
export type TensorSource = NestedNumbers | TypedArray | { readonly data: NestedNumbers | TypedArray } & TensorOptions;

/** Options of a new tensor. */
export interface TensorOptions {
  /** The dtype; by default that of the typed array, else `f32`. */
  dtype?: DTypeName | undefined;
  /** The shape, if the data are flat. */
  shape?: readonly number[] | undefined;
  /** Whether it requires a gradient. */
  requiresGrad?: boolean | undefined;
  /**
   * Transfers the buffer of a typed array that spans all of it, instead of copying. The array cannot be used afterwards.
   * Other arrays and shared memory are copied.
   */
  transfer?: boolean | undefined;
}

/** @deprecated Use `TensorOptions`. */
export type Creation = TensorOptions;

/** Larger data bypass the recorder and go to the engine directly. Copying 16 kB takes about a microsecond. */
const INLINE_BYTES = 16 << 10;

function isTypedArray(data: unknown): data is TypedArray {
  return ArrayBuffer.isView(data) && !(data instanceof DataView);
}

function isSpec(data: TensorSource): data is { data: NestedNumbers | TypedArray } & TensorOptions {
  return typeof data === 'object' && data !== null && 'data' in data && !isTypedArray(data) && !Array.isArray(data);
}

/** Whether an array's buffer was transferred to another thread. */
function isDetached({ buffer }: TypedArray): boolean {
  return 'detached' in buffer ? buffer.detached === true : buffer.byteLength === 0;
}

/** Checks the options of `tensor`. */
function creationOf(options: TensorOptions | DTypeName | undefined): TensorOptions {
  if (options === undefined) return {};
  const [dtype, shape, requiresGrad, transfer] = bound<[DTypeName?, (readonly number[])?, boolean?, boolean?]>('tensor', 'dtype?s shape?e requiresGrad?b transfer?b', [options]);
  return { dtype, shape, requiresGrad, transfer };
}

/** Creates a tensor from data; returns its handle. */
export function build(source: TensorSource, options?: TensorOptions | DTypeName): number {
  if (isSpec(source)) {
    const { data, ...rest } = source;
    return build(data, { ...rest, ...(typeof options === 'string' ? { dtype: options } : options) });
  }
  const data = source as NestedNumbers | TypedArray;
  const own = creationOf(options);
  const { shape, items, natural } = isTypedArray(data) ? flat(data) : flatten(data);
  const dtype = own.dtype === undefined ? natural : dtypeOf(own.dtype);
  const wanted = own.shape ?? shape;
  const elements = wanted.reduce((product, len) => product * len, 1);
  if (elements !== items.length) {
    if (isTypedArray(items) && isDetached(items)) throw new ArgumentError('tensor: the array was transferred before');
    throw new ShapeError(`tensor: ${items.length} elements do not fill a tensor of shape [${wanted.join(', ')}]`);
  }
  const isOwn = own.transfer === true && isTypedArray(items) && hasBytesOf(items, dtype);
  const bytes = isOwn ? toTransferable(items) : toBytes(items, dtype);
  const handle = createFromBytes(bytes, dtype, wanted);
  if (own.requiresGrad) checked(recorder().set_requires_grad(handle, 1));
  return handle;
}

/** The bytes of an array: the array's own if its buffer can be transferred, else a copy. */
export function toTransferable({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const isWhole = buffer instanceof ArrayBuffer && byteLength === buffer.byteLength;
  return (isWhole ? bytes : bytes.slice()) as Uint8Array<ArrayBuffer>;
}

/** Creates a tensor from its bytes; returns its handle. */
export function createFromBytes(bytes: Uint8Array<ArrayBuffer>, dtype: DType, shape: readonly number[]): number {
  const wrong = shape.find((len) => len >>> 0 !== len);
  if (wrong !== undefined) throw new ArgumentError(`tensor: shape has ${wrong}, expected a non-negative integer`);
  const needed = shape.reduce((product, len) => product * len, bytesOf(dtype));
  if (bytes.length !== needed) {
    throw new ShapeError(`tensor: ${bytes.length} bytes, ${dtype}[${shape.join(', ')}] has ${needed}`);
  }
  const all = recorder();
  const number = DTYPES.indexOf(dtype);
  args.begin().list(shape, (len) => args.u32(len));
  // Kernels rely on bools being 0 or 1.
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

/** Limits for nested lists: one that contains itself, or others many times, would never end. */
const MAX_AXES = 64;
const MAX_ELEMENTS = 2 ** 27 - 1;

function flatten(data: NestedNumbers): Flat {
  const shape: number[] = [];
  for (let part: NestedNumbers | undefined = data; Array.isArray(part); part = (part as readonly NestedNumbers[])[0]) {
    shape.push(part.length);
    if (shape.length > MAX_AXES) throw new ArgumentError(`tensor: the lists are nested more than ${MAX_AXES} deep\n  help: does a list contain itself?`);
  }
  const elements = shape.reduce((product, len) => product * len, 1);
  if (elements > MAX_ELEMENTS) throw new ArgumentError(`tensor: the lists have ${elements} elements, at most ${MAX_ELEMENTS} are supported\n  help: pass a typed array and its shape`);
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
  return new ShapeError(`tensor: the lists on level ${depth} differ in length; the first has shape [${shape.join(', ')}]`);
}

/**
 * A tensor from nested lists, a typed array or a number. Plain numbers become `f32`, booleans `bool`; typed arrays keep
 * their type.
 *
 * ```ts
 * tensor([[1, 2], [3, 4]]);
 * tensor(new Float32Array(6), { shape: [2, 3] });
 * tensor({ data: [1, 2, 3], requiresGrad: true });
 * ```
 */
export function tensor(data: TensorSource, options?: TensorOptions | DTypeName): Tensor {
  return new Tensor(data, options);
}

/** A tensor of this shape from its elements in row-major order. */
export function fromData(data: readonly number[] | TypedArray, shape: readonly number[], requiresGrad = false): Tensor {
  return new Tensor(data, { shape, requiresGrad });
}

/** Options of new tensors; `true` alone is `requiresGrad`. */
export type CreateOptions = boolean | DTypeName | Pick<TensorOptions, 'dtype' | 'requiresGrad'>;

/** @deprecated Use `CreateOptions`. */
export type New = CreateOptions;

/** A shape, as a list or variadic, with options at the end. */
export type Size = [shape: readonly number[] | number, ...rest: (number | CreateOptions)[]];

function splitSize(size: Size): { shape: readonly number[]; options: CreateOptions | undefined } {
  const last = size.at(-1);
  const hasOptions = size.length > 1 && typeof last !== 'number';
  const parts = (hasOptions ? size.slice(0, -1) : size) as (number | readonly number[])[];
  return { shape: parts.flat(), options: hasOptions ? (last as CreateOptions) : undefined };
}

function create(name: string, op: number, given: readonly unknown[], options: CreateOptions | undefined): Tensor {
  const own = typeof options === 'boolean' ? { requiresGrad: options } : options;
  const [dtype, requiresGrad] = own === undefined ? [] : bound<[DTypeName?, boolean?]>(name, 'dtype?s requiresGrad?b', [own]);
  const x = one(op, dtype === undefined ? given : [...given, { dtype: dtypeOf(dtype) }]);
  return requiresGrad ? x.requiresGrad_() : x;
}

/** A tensor of zeros: `zeros([2, 3])`, `zeros(2, 3)`. */
export function zeros(...size: Size): Tensor {
  const { shape, options } = splitSize(size);
  return create('zeros', opId.zeros, [shape], options);
}

/** A tensor whose values do not matter: zeros. */
export const empty = zeros;

/** A tensor of ones. */
export function ones(...size: Size): Tensor {
  const { shape, options } = splitSize(size);
  return create('ones', opId.ones, [shape], options);
}

/** A tensor filled with one number. */
export function full(shape: readonly number[] | number, value: number, options?: CreateOptions): Tensor {
  const own = typeof options === 'boolean' ? { requiresGrad: options } : typeof options === 'string' ? { dtype: options } : options;
  return create('full', opId.full, [shape, value], { dtype: 'f32', ...own });
}

/** Uniform random numbers in [0, 1). */
export function rand(...size: Size): Tensor {
  const { shape, options } = splitSize(size);
  return create('rand', opId.rand, [shape], options);
}

/** Random numbers from the standard normal distribution. */
export function randn(...size: Size): Tensor {
  const { shape, options } = splitSize(size);
  return create('randn', opId.randn, [shape], options);
}

/** Random integers from `low` up to, but excluding, `high`. */
export function randint(low: number, high: number, shape: readonly number[], options?: CreateOptions): Tensor {
  return create('randint', opId.randint, [low, high, shape], options);
}

/** A random permutation of the integers from 0 to `n − 1`. */
export function randperm(n: number, options?: CreateOptions): Tensor {
  return create('randperm', opId.randperm, [n], options);
}

/** Numbers from `start` (0) up to, but excluding, `end`, in steps (of 1): `arange(5)`, `arange(2, 5)`. */
export function arange(start: number, end?: number, step?: number, options?: CreateOptions): Tensor {
  return create('arange', opId.arange, [start, end, step], options);
}

/** `steps` evenly spaced numbers from `start` to `end`. */
export function linspace(start: number, end: number, steps: number, options?: CreateOptions): Tensor {
  return create('linspace', opId.linspace, [start, end, steps], options);
}

/** The identity matrix. */
export function eye(n: number, m?: number, options?: CreateOptions): Tensor {
  return create('eye', opId.eye, [n, m], options);
}

/** A zero-dimensional tensor. */
export function scalar(value: number, options?: CreateOptions): Tensor {
  return full([], value, options);
}
