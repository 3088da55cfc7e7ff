/** `Tensor`: a handle to a value that the recorder knows. Methods record; reading is async. */
import { bound, type Given } from './bind.ts';
import { put } from './call.ts';
import { chosenDevice, fetchBytes, init, type Status } from './client.ts';
import * as create from './create.ts';
import { build, type Creation, made, movable, type Size, type TensorSource } from './create.ts';
import { DTYPES, type DType, type DTypeName, dtypeOf, type Elements, fromBytes, toBytes, type TypedArray } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import type { Methods } from './generated/methods.ts';
import * as row from './generated/rows.ts';
import { one } from './call.ts';
import { DISPOSED, forget, generation, remember } from './memory.ts';
import { args, checked, giveBack, NONE, noteSite, read, recorder } from './recorder.ts';

export type { DType, DTypeName, Elements } from './dtype.ts';

/** A tensor or a plain number. */
export type Operand = Tensor | number | boolean;

/** A range of positions, `start` up to but without `stop`, in steps. */
export class Range {
  constructor(readonly start?: number | null, readonly stop?: number | null, readonly step?: number | null) {}
}

/** In an index: as many whole axes as are left. */
export const REST: unique symbol = Symbol('...');

/**
 * Part of an index: a position, a range (also as text, `'1:3'`, or as a list `[1, 3]`, where `null` is open), a tensor of positions or a
 * mask, `null` for a new axis, `'...'` for all axes that are left.
 */
export type Index = number | Range | string | readonly (number | null)[] | Tensor | null | typeof REST;

/** Nested lists of numbers. */
export type Nested = number | boolean | Nested[];

/** Marks the number that follows as a handle of the recorder's. */
export const HANDLE: unique symbol = Symbol('handle');

export interface BackwardOptions {
  /** The gradient of this tensor; ones by default. */
  gradient?: Tensor;
  /** Whether `backward` can be called again on the same tensor. */
  retainGraph?: boolean;
  /** Whether the gradients can be differentiated themselves. */
  createGraph?: boolean;
}

/** The ops; `methods.ts` installs them. */
export interface Tensor extends Methods {}

/** A multi-dimensional array that can be differentiated. */
export class Tensor implements Disposable {
  /** The recorder's number of this tensor. */
  #handle: number;
  readonly #generation = generation();
  #shape: readonly number[] | undefined;
  #dtype: DType | undefined;

  /** A tensor of nested lists, a typed array or a number: see `tensor`. */
  constructor(data: TensorSource, options?: Creation | DTypeName | typeof HANDLE) {
    this.#handle = options === HANDLE ? (data as number) : build(data, options);
    remember(this, this.#handle);
  }

  /** A tensor of the little-endian bytes of its elements; with `transfer`, they are handed over instead of copied. */
  static fromBytes(bytes: Uint8Array, dtype: DTypeName, shape: readonly number[], options: { transfer?: boolean } = {}): Tensor {
    const [transfer] = bound<[boolean?]>('fromBytes', '* transfer?b', [options]);
    return wrap(made(transfer ? movable(bytes) : toBytes(bytes, 'u8'), dtypeOf(dtype), shape));
  }

  /** Starts the engine: see `init`. */
  static init(threads?: number): Promise<Status> {
    return init(threads === undefined ? {} : { threads });
  }

  /** Elements row by row, as a tensor of this shape. */
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

  /** Uniform draws from 0 to 1. */
  static rand(...size: Size): Tensor {
    return create.rand(...size);
  }

  /** Draws from the standard normal distribution. */
  static randn(...size: Size): Tensor {
    return create.randn(...size);
  }

  /** A tensor full of one number. */
  static full(shape: readonly number[] | number, value: number, options?: create.New): Tensor {
    return create.full(shape, value, options);
  }

  /** The recorder's number of this tensor. */
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

  /** The lengths of its axes. */
  get shape(): readonly number[] {
    if (!this.#shape) this.#describe();
    return this.#shape as readonly number[];
  }

  /** The type of its elements. */
  get dtype(): DType {
    if (!this.#dtype) this.#describe();
    return this.#dtype as DType;
  }

  /** What computes it. */
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

  /** The lengths of its axes, or that of one, which may count from the end. */
  size(): readonly number[];
  size(dim: number): number;
  size(dim?: number): number | readonly number[] {
    if (dim === undefined) return this.shape;
    const len = this.shape.at(dim);
    if (len === undefined) throw new ArgumentError(`size: there is no axis ${dim} in ${this.toString()}`);
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

  /** Whether a gradient is wanted for it as it is, as for a parameter. */
  get isLeaf(): boolean {
    return this.#flag(0);
  }

  /** Whether a gradient is wanted for it or flows through it. */
  get requiresGrad(): boolean {
    return this.#flag(1);
  }

  set requiresGrad(wanted: boolean) {
    this.requiresGrad_(wanted);
  }

  /** Says whether a gradient is wanted for this tensor. */
  requiresGrad_(wanted = true): this {
    checked(recorder().set_requires_grad(this.handle, wanted ? 1 : 0), this.requiresGrad_);
    return this;
  }

  /** The gradient that `backward` has summed up, if any. */
  get grad(): Tensor | null {
    const handle = checked(recorder().grad(this.handle));
    return handle === NONE ? null : wrap(handle);
  }

  /** Replaces the gradient; `null` begins a new sum. */
  set grad(gradient: Tensor | null) {
    bound('grad', 'gradient:t|null', [gradient]);
    checked(recorder().set_grad(this.handle, gradient ? gradient.handle : NONE));
  }

  /** Keeps the gradient of a tensor that is no leaf. */
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
   * Adds the gradients of this tensor to those of the leaves it was computed from. A tensor of several elements
   * counts as their sum.
   */
  backward(...options: [gradient?: Tensor | BackwardOptions] | Given<BackwardOptions, ['gradient', 'retainGraph', 'createGraph']>): void {
    const [gradient, retainGraph, createGraph] = bound<[(Tensor | null)?, boolean?, boolean?]>('backward', 'gradient?t|null retainGraph?b|null createGraph?b', options);
    noteSite();
    const all = recorder();
    const own = gradient ? gradient.handle : NONE;
    checked(all.backward(this.handle, own, retainGraph ? 1 : 0, createGraph ? 1 : 0), this.backward);
  }

  /** Replaces the value of this tensor, and of all views of the same memory; `value` is broadcast to its shape. */
  copy_(value: Operand): this {
    return replaced(this, '', value);
  }

  /** Fills this tensor with zeros in place. */
  zero_(): this {
    return this.copy_(0);
  }

  /** Replaces this tensor by uniform draws, in place. */
  uniform_(low = 0, high = 1): this {
    return replaced(this, 'uniform', one(row.uniform, [this.shape, low, high]));
  }

  /** Replaces this tensor by normal draws, in place. */
  normal_(mean = 0, std = 1): this {
    return replaced(this, 'normal', one(row.randn, [this.shape]).mul(std).add(mean));
  }

  /** Part of the tensor. Where no tensors take part, the result is a view. */
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
    return one(row.where, [condition, this, other]);
  }

  /** The transposed matrix. */
  get T(): Tensor {
    return this.t();
  }

  /** With the last two axes swapped. */
  get mT(): Tensor {
    return this.transpose();
  }

  /** Its bytes, little-endian. */
  async toBytes(): Promise<Uint8Array<ArrayBuffer>> {
    return fetchBytes(this.handle);
  }

  /**
   * The elements, row by row. 64-bit integers become numbers, half floats `Float32Array`s. Which array it is follows
   * from `dtype`; where you know it, say so: `const a: Float32Array = await x.toArray()`.
   */
  async toArray<E extends Elements = Elements>(): Promise<E> {
    const { dtype } = this;
    return fromBytes(await fetchBytes(this.handle), dtype) as E;
  }

  /** The elements as 32-bit floating numbers, whatever they are. */
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

  /** `tolist` by another name. */
  toArrayAsync(): Promise<Nested> {
    return this.tolist();
  }

  /** The only element; of several, the first. */
  async item(): Promise<number> {
    const first = this.numel() > 1 ? one(row.narrow, [one(row.ravel, [this]), 0, 0, 1]) : this;
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

  /** Where the elements lie: `await x.storage.mapReadAsync()` brings them here. */
  get storage(): Storage {
    return new Storage(this);
  }

  /** Dtype and shape; `text` also has the elements. */
  toString(): string {
    if (this.handle === DISPOSED) return 'Tensor(disposed)';
    return `Tensor(${this.dtype}[${this.shape.join(', ')}])`;
  }

  /** Gives up the value. Tensors that were computed from it are not touched. */
  dispose(): void {
    if (this.handle === DISPOSED) return;
    forget(this);
    const handle = this.#handle;
    giveBack((all) => all.release(handle));
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

/** The memory of a tensor, as far as a page sees it. */
export class Storage {
  readonly #tensor: Tensor;

  constructor(tensor: Tensor) {
    this.#tensor = tensor;
  }

  /** The type of the elements. */
  get dtype(): DType {
    return this.#tensor.dtype;
  }

  /** Brings the bytes here. */
  async mapReadAsync(): Promise<ArrayBuffer> {
    return (await this.#tensor.toBytes()).buffer;
  }
}

/** A tensor of the recorder's. */
export function wrap(handle: number): Tensor {
  return new Tensor(handle, HANDLE);
}

/** Gives `x` another value. Where it is the result of an op, its dtype has to be able to hold it: fractions would be cut off silently. */
export function replaced<T extends Tensor>(x: T, op: string, value: Operand): T {
  noteSite();
  args.begin().text(op);
  put(value);
  checked(recorder().assign(x.handle, args.len), x.copy_);
  return x;
}

function indexPart(part: Index): unknown[] {
  if (typeof part === 'string') return part.split(',').map((text) => textPart(text.trim()));
  if (Array.isArray(part)) {
    if (![1, 2, 3].includes(part.length)) throw new ArgumentError(`index: a list of ${part.length} is no range such as [1, 3]`);
    return [new Range(...(part as [number?, number?, number?]))];
  }
  return [part];
}

function textPart(text: string): unknown {
  if (text === '...') return REST;
  if (text === 'None' || text === 'null') return null;
  const parts = text.split(':').map((number) => (number.trim() === '' ? undefined : Number(number)));
  if (parts.length > 3 || parts.some((number) => number !== undefined && !Number.isInteger(number))) {
    throw new ArgumentError(`index: '${text}' is no position and no range such as '1:3'`);
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
