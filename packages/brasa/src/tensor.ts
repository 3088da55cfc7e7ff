/** `Tensor`: a handle to a value of the recorder. Methods record ops; reads are async. */
import { bound, type Given } from './bind.ts';
import { put } from './call.ts';
import { chosenDevice, fetchBytes, init, type Status } from './client.ts';
import * as create from './create.ts';
import { build, createFromBytes, type Size, type TensorOptions, type TensorSource, toTransferable } from './create.ts';
import { DTYPES, type DType, type DTypeName, dtypeOf, type Elements, fromBytes, toBytes, type TypedArray } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import type { Methods } from './generated/methods.ts';
import * as opId from './generated/op-ids.ts';
import { one } from './call.ts';
import { DISPOSED, forget, generation, remember } from './memory.ts';
import { args, checked, ifAlive, NONE, noteSite, read, recorder } from './recorder.ts';

export type { DType, DTypeName, Elements } from './dtype.ts';

/** A tensor or a plain number. */
export type Operand = Tensor | number | boolean;

/** The positions from `start` up to, but excluding, `stop`, every `step`th. */
export class Range {
  constructor(readonly start?: number | null, readonly stop?: number | null, readonly step?: number | null) {}
}

/** In an index: all remaining axes, as `...` in Python. */
export const REST: unique symbol = Symbol('...');

/**
 * Part of an index: a position; a range (also as a string, `'1:3'`, or as a list `[1, 3]`, where `null` is open); a tensor
 * of positions or a mask; `null` for a new axis; `'...'` for all remaining axes.
 */
export type Index = number | Range | string | readonly (number | null)[] | Tensor | null | typeof REST;

/** Nested lists of numbers. */
export type Nested = number | boolean | Nested[];

/** As the constructor's second argument: the first is a handle of the recorder. */
export const HANDLE: unique symbol = Symbol('handle');

export interface BackwardOptions {
  /** The gradient of this tensor; ones by default. */
  gradient?: Tensor;
  /** Whether `backward` can be called on the same tensor again. */
  retainGraph?: boolean;
  /** Whether the gradients can be differentiated themselves. */
  createGraph?: boolean;
}

/** The ops; `methods.ts` installs them. */
export interface Tensor extends Methods {}

/** A multi-dimensional array that can be differentiated. */
export class Tensor implements Disposable {
  /** The recorder's handle of this tensor. */
  #handle: number;
  readonly #generation = generation();
  #shape: readonly number[] | undefined;
  #dtype: DType | undefined;

  /** A tensor of nested lists, a typed array or a number: see `tensor`. */
  constructor(data: TensorSource, options?: TensorOptions | DTypeName | typeof HANDLE) {
    this.#handle = options === HANDLE ? (data as number) : build(data, options);
    remember(this, this.#handle);
  }

  /** A tensor from the little-endian bytes of its elements; with `transfer`, the buffer is transferred instead of copied. */
  static fromBytes(bytes: Uint8Array, dtype: DTypeName, shape: readonly number[], options: { transfer?: boolean } = {}): Tensor {
    const [transfer] = bound<[boolean?]>('fromBytes', '* transfer?b', [options]);
    return wrap(createFromBytes(transfer ? toTransferable(bytes) : toBytes(bytes, 'u8'), dtypeOf(dtype), shape));
  }

  /** Starts the engine: see `init`. */
  static init(threads?: number): Promise<Status> {
    return init(threads === undefined ? {} : { threads });
  }

  /** A tensor of this shape from its elements in row-major order. */
  static fromData(data: readonly number[] | TypedArray, shape: readonly number[], requiresGrad = false): Tensor {
    return new Tensor(data, { shape, requiresGrad });
  }

  /** A tensor of zeros. */
  static zeros(...size: Size): Tensor {
    return create.zeros(...size);
  }

  /** A tensor of ones. */
  static ones(...size: Size): Tensor {
    return create.ones(...size);
  }

  /** Uniform random numbers in [0, 1). */
  static rand(...size: Size): Tensor {
    return create.rand(...size);
  }

  /** Random numbers from the standard normal distribution. */
  static randn(...size: Size): Tensor {
    return create.randn(...size);
  }

  /** A tensor filled with one number. */
  static full(shape: readonly number[] | number, value: number, options?: create.CreateOptions): Tensor {
    return create.full(shape, value, options);
  }

  /** The recorder's handle; `DISPOSED` after the engine was replaced. */
  get handle(): number {
    return this.#generation === generation() ? this.#handle : DISPOSED;
  }

  #describe(): void {
    const all = recorder();
    checked(all.describe(this.handle));
    read((from) => {
      this.#dtype = DTYPES[from.u32()] as DType;
      from.u32();
      from.u32();
      this.#shape = Object.freeze(from.list(() => from.u32()));
    });
  }

  /** The length of each axis. */
  get shape(): readonly number[] {
    if (!this.#shape) this.#describe();
    return this.#shape as readonly number[];
  }

  /** The type of its elements. */
  get dtype(): DType {
    if (!this.#dtype) this.#describe();
    return this.#dtype as DType;
  }

  /** The device that computes it. */
  get device(): 'cpu' | 'webgpu' {
    return chosenDevice();
  }

  /** Number of axes. */
  get ndim(): number {
    return this.shape.length;
  }

  /** Number of axes. */
  dim(): number {
    return this.shape.length;
  }

  /** Number of elements. */
  numel(): number {
    return this.shape.reduce((product, len) => product * len, 1);
  }

  /** The length of each axis, or of one; a negative `dim` counts from the end. */
  size(): readonly number[];
  size(dim: number): number;
  size(dim?: number): number | readonly number[] {
    if (dim === undefined) return this.shape;
    const len = this.shape.at(dim);
    if (len === undefined) throw new ArgumentError(`size: ${this.toString()} has no axis ${dim}`);
    return len;
  }

  #flag(n: 0 | 1): boolean {
    checked(recorder().describe(this.handle));
    return read((from) => {
      from.u32();
      const flags = [from.u32(), from.u32()] as const;
      return flags[n] !== 0;
    });
  }

  /** Whether this tensor requires a gradient and is not the result of an op, such as a parameter. */
  get isLeaf(): boolean {
    return this.#flag(0);
  }

  /** Whether gradients are computed for this tensor or flow through it. */
  get requiresGrad(): boolean {
    return this.#flag(1);
  }

  set requiresGrad(wanted: boolean) {
    this.requiresGrad_(wanted);
  }

  /** Sets whether this tensor requires a gradient. */
  requiresGrad_(wanted = true): this {
    checked(recorder().set_requires_grad(this.handle, wanted ? 1 : 0), this.requiresGrad_);
    return this;
  }

  /** The gradient that `backward` has accumulated, if any. */
  get grad(): Tensor | null {
    const handle = checked(recorder().grad(this.handle));
    return handle === NONE ? null : wrap(handle);
  }

  /** Replaces the gradient; `null` resets the accumulation. */
  set grad(gradient: Tensor | null) {
    bound('grad', 'gradient:t|null', [gradient]);
    checked(recorder().set_grad(this.handle, gradient ? gradient.handle : NONE));
  }

  /** Keeps the gradient of a non-leaf tensor. */
  retainGrad(): this {
    checked(recorder().retain_grad(this.handle));
    return this;
  }

  /** The same value, through which no gradient flows. */
  detach(): Tensor {
    noteSite();
    return wrap(checked(recorder().detach(this.handle), this.detach));
  }

  /**
   * Accumulates the gradients of this tensor in the leaves it was computed from. A tensor of several elements counts as
   * their sum.
   */
  backward(...options: [gradient?: Tensor | BackwardOptions] | Given<BackwardOptions, ['gradient', 'retainGraph', 'createGraph']>): void {
    const [gradient, retainGraph, createGraph] = bound<[(Tensor | null)?, boolean?, boolean?]>('backward', 'gradient?t|null retainGraph?b|null createGraph?b', options);
    noteSite();
    const all = recorder();
    const own = gradient ? gradient.handle : NONE;
    checked(all.backward(this.handle, own, retainGraph ? 1 : 0, createGraph ? 1 : 0), this.backward);
  }

  /** Overwrites this tensor, and all views of the same memory, with `value`, broadcast to its shape. */
  copy_(value: Operand): this {
    return assign(this, '', value);
  }

  /** Fills this tensor with zeros in place. */
  zero_(): this {
    return this.copy_(0);
  }

  /** Fills this tensor with uniform random numbers, in place. */
  uniform_(low = 0, high = 1): this {
    return assign(this, 'uniform', one(opId.uniform, [this.shape, low, high]));
  }

  /** Fills this tensor with normally distributed random numbers, in place. */
  normal_(mean = 0, std = 1): this {
    return assign(this, 'normal', one(opId.randn, [this.shape]).mul(std).add(mean));
  }

  /** Part of the tensor; a view, unless `parts` contains tensors. */
  index(...parts: Index[]): Tensor {
    noteSite();
    args.begin().list(parts.flatMap(indexPart), put);
    return wrap(checked(recorder().index(this.handle, args.len), this.index));
  }

  /** Writes `value` to a part of the tensor, in place: `x.set([0, 1], 5)`. */
  set(index: Index | readonly Index[], value: Operand): this {
    const parts = Array.isArray(index) ? (index as readonly Index[]) : [index as Index];
    noteSite();
    args.begin().list(parts.flatMap(indexPart), put);
    put(value);
    checked(recorder().set_index(this.handle, args.len), this.set);
    return this;
  }

  /** Elements of this tensor where `condition` is true, else of `other`. */
  where(condition: Tensor, other: Operand): Tensor {
    return one(opId.where, [condition, this, other]);
  }

  /** The transposed matrix. */
  get T(): Tensor {
    return this.t();
  }

  /** This tensor with its last two axes swapped. */
  get mT(): Tensor {
    return this.transpose();
  }

  /** Its bytes, little-endian. */
  async toBytes(): Promise<Uint8Array<ArrayBuffer>> {
    return fetchBytes(this.handle);
  }

  /**
   * The elements in row-major order. 64-bit integers become numbers, half floats a `Float32Array`. The array type follows
   * from `dtype`; if you know it, annotate it: `const a: Float32Array = await x.toArray()`.
   */
  async toArray<E extends Elements = Elements>(): Promise<E> {
    const { dtype } = this;
    return fromBytes(await fetchBytes(this.handle), dtype) as E;
  }

  /** The elements, converted to a `Float32Array`. */
  async toFloat32Array(): Promise<Float32Array> {
    const all = await this.toArray();
    return all instanceof Float32Array ? all : Float32Array.from(all);
  }

  /** The elements as nested lists. */
  async tolist(): Promise<Nested> {
    const { dtype, shape } = this;
    const flat = Array.from(await this.toArray());
    const items: Nested[] = dtype === 'bool' ? flat.map(Boolean) : flat;
    return nested(items, shape);
  }

  /** Alias of `tolist`. */
  toArrayAsync(): Promise<Nested> {
    return this.tolist();
  }

  /** The first element. */
  async item(): Promise<number> {
    const first = this.numel() > 1 ? one(opId.narrow, [one(opId.ravel, [this]), 0, 0, 1]) : this;
    const [value] = await first.toArray();
    if (first !== this) first.dispose();
    if (value === undefined) throw new ArgumentError('item: the tensor is empty');
    return value;
  }

  /** The tensor as PyTorch prints it. */
  async text(): Promise<string> {
    const bytes = await fetchBytes(this.handle);
    args.begin().bytes(bytes);
    checked(recorder().printed(this.handle, args.len));
    return read((from) => from.text());
  }

  /** Prints the tensor. */
  async print(): Promise<void> {
    console.log(await this.text());
  }

  /** The memory of this tensor: `await x.storage.mapReadAsync()` reads it. */
  get storage(): Storage {
    return new Storage(this);
  }

  /** Dtype and shape; `text` includes the elements. */
  toString(): string {
    if (this.handle === DISPOSED) return 'Tensor(disposed)';
    return `Tensor(${this.dtype}[${this.shape.join(', ')}])`;
  }

  /** Releases the value. Tensors computed from it are not affected. */
  dispose(): void {
    if (this.handle === DISPOSED) return;
    forget(this);
    const handle = this.#handle;
    ifAlive((all) => all.release(handle));
    this.#handle = DISPOSED;
  }

  /** Whether `dispose` was called. */
  get isDisposed(): boolean {
    return this.handle === DISPOSED;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** The memory of a tensor. */
export class Storage {
  readonly #tensor: Tensor;

  constructor(tensor: Tensor) {
    this.#tensor = tensor;
  }

  /** The type of the elements. */
  get dtype(): DType {
    return this.#tensor.dtype;
  }

  /** Reads the bytes. */
  async mapReadAsync(): Promise<ArrayBuffer> {
    return (await this.#tensor.toBytes()).buffer;
  }
}

/** A tensor with this handle of the recorder. */
export function wrap(handle: number): Tensor {
  return new Tensor(handle, HANDLE);
}

/** Overwrites `x`. The result of `op` must fit the dtype of `x`: an i64 tensor would silently truncate fractions. */
export function assign<T extends Tensor>(x: T, op: string, value: Operand): T {
  noteSite();
  args.begin().text(op);
  put(value);
  checked(recorder().assign(x.handle, args.len), x.copy_);
  return x;
}

function indexPart(part: Index): unknown[] {
  if (typeof part === 'string') return part.split(',').map((text) => textPart(text.trim()));
  if (Array.isArray(part)) {
    if (![1, 2, 3].includes(part.length)) throw new ArgumentError(`index: a list of ${part.length} is not a range such as [1, 3]`);
    return [new Range(...(part as [number?, number?, number?]))];
  }
  return [part];
}

function textPart(text: string): unknown {
  if (text === '...') return REST;
  if (text === 'None' || text === 'null') return null;
  const parts = text.split(':').map((number) => (number.trim() === '' ? undefined : Number(number)));
  if (parts.length > 3 || parts.some((number) => number !== undefined && !Number.isInteger(number))) {
    throw new ArgumentError(`index: '${text}' is neither a position nor a range such as '1:3'`);
  }
  return parts.length === 1 ? parts[0] : new Range(parts[0], parts[1], parts[2]);
}

function nested(items: Nested[], shape: readonly number[]): Nested {
  const [len, ...rest] = shape;
  if (len === undefined) return items[0] as Nested;
  if (rest.length === 0) return items;
  const step = items.length / Math.max(len, 1);
  return Array.from({ length: len }, (_, i) => nested(items.slice(i * step, (i + 1) * step), rest));
}
