/** Records calls of ops: arguments of any kind in, tensors out. */
import { describe, isOptions, type Options } from './bind.ts';
import { ArgumentError } from './errors.ts';
import { args, checked, noteSite, read, recorder } from './recorder.ts';
import { Range, REST, Tensor, wrap } from './tensor.ts';

/** The items of a variadic list: `f(1, 2)` or `f([1, 2])`. */
export function unwrap(items: number[] | [readonly number[]]): readonly number[] {
  const [first] = items;
  return Array.isArray(first) ? first : (items as number[]);
}

/** The kind of an argument, as encoded for the recorder. */
const enum Tag {
  None = 0,
  False = 1,
  True = 2,
  Int = 3,
  Float = 4,
  Text = 5,
  Tensor = 6,
  List = 7,
  Slice = 8,
  Rest = 9,
  Absent = 10,
}

/** The deepest nesting of lists: one that contains itself never ends. */
const MAX_DEPTH = 64;

/** Appends an argument. */
export function put(value: unknown, depth = 0): void {
  switch (typeof value) {
    case 'number':
      args.byte(Number.isInteger(value) && !Object.is(value, -0) ? Tag.Int : Tag.Float).f64(value);
      return;
    case 'boolean':
      args.byte(value ? Tag.True : Tag.False);
      return;
    case 'string':
      args.byte(Tag.Text).text(value);
      return;
    case 'bigint':
      args.byte(Tag.Int).f64(Number(value));
      return;
    case 'undefined':
      args.byte(Tag.Absent);
      return;
    default:
      putObject(value, depth);
  }
}

function putObject(value: unknown, depth: number): void {
  if (value instanceof Tensor) {
    args.byte(Tag.Tensor).u32(value.handle);
  } else if (value === null) {
    args.byte(Tag.None);
  } else if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    if (depth > MAX_DEPTH) throw new ArgumentError(`an argument is nested more than ${MAX_DEPTH} deep\n  help: does a list contain itself?`);
    args.byte(Tag.List).list(Array.from(value as ArrayLike<unknown>), (item) => put(item, depth + 1));
  } else if (value instanceof Range) {
    args.byte(Tag.Slice);
    for (const part of [value.start, value.stop, value.step]) {
      if (!Number.isInteger(part ?? 0)) throw new ArgumentError(`index: a range has ${describe(part)}, expected an integer`);
      args.byte(part == null ? 0 : 1).f64(part ?? 0);
    }
  } else if (value === REST) {
    args.byte(Tag.Rest);
  } else {
    throw new ArgumentError(`an argument is ${describe(value)}, which no op accepts`);
  }
}

/** Writes the arguments of a call: positional, then named. */
function putCall(given: readonly unknown[], extra?: Options): void {
  let count = given.length;
  while (count > 0 && given[count - 1] === undefined) count -= 1;
  const last = given[count - 1];
  const named = isOptions(last) ? last : undefined;
  if (named) count -= 1;
  args.begin().byte(count);
  for (let n = 0; n < count; n += 1) {
    const value = given[n];
    if (isOptions(value)) throw new ArgumentError('options must come last');
    put(value);
  }
  const names = named || extra ? Object.entries({ ...named, ...extra }) : [];
  args.byte(names.length);
  for (const [name, value] of names) {
    args.text(name);
    put(value);
  }
}

/** Records a call of an op; returns the number of results. */
function record(op: number, given: readonly unknown[], extra: Options | undefined, caller: Caller): number {
  const all = recorder();
  noteSite();
  putCall(given, extra);
  return checked(all.call(op, args.len), caller);
}

type Caller = (...args: never[]) => unknown;

let retainsGrads = false;

/**
 * Sets whether non-leaf tensors keep their gradients too, as if `retainGrad` were called on each result of an op; returns
 * the previous setting. Costs the memory of these gradients and the time to write them. Off at first, as in PyTorch;
 * `initWebGPUAsync` turns it on.
 */
export function setRetainGrads(wanted: boolean): boolean {
  const before = retainsGrads;
  retainsGrads = wanted;
  return before;
}

/** Wraps a handle that an op has returned. */
function result(handle: number): Tensor {
  const x = wrap(handle);
  if (retainsGrads && x.requiresGrad) x.retainGrad();
  return x;
}

function results(count: number): Tensor[] {
  return read((from) => Array.from({ length: count }, () => from.u32())).map(result);
}

/** Calls an op and returns its first result. */
export function one(op: number, given: readonly unknown[]): Tensor {
  record(op, given, undefined, one);
  return result(read((from) => from.u32()));
}

/** Calls an op with two results. */
export function pair(op: number, given: readonly unknown[], extra?: Options): [Tensor, Tensor] {
  return results(record(op, given, extra, pair)) as [Tensor, Tensor];
}

/** Calls an op with three results. */
export function triple(op: number, given: readonly unknown[]): [Tensor, Tensor, Tensor] {
  return results(record(op, given, undefined, triple)) as [Tensor, Tensor, Tensor];
}

/** Calls an op that returns a list. */
export function list(op: number, given: readonly unknown[]): Tensor[] {
  return results(record(op, given, undefined, list));
}

/** Calls an op that returns one tensor or several, depending on its arguments. */
export function varied(op: number, given: readonly unknown[]): Tensor | Tensor[] {
  const all = results(record(op, given, undefined, varied));
  return all.length === 1 ? (all[0] as Tensor) : all;
}

/** Calls an op whose result shape depends on data; the data are read first. */
export async function reading(op: number, given: readonly unknown[]): Promise<Tensor | Tensor[]> {
  const known: Uint8Array[] = [];
  for (;;) {
    noteSite();
    putCall(given);
    args.list(known, (bytes) => args.bytes(bytes));
    const count = checked(recorder().call_knowing(op, args.len), reading);
    const [isWanted, ...handles] = read((from) => Array.from({ length: 1 + count }, () => from.u32())) as [number, number];
    if (!isWanted) {
      const all = handles.map(result);
      return all.length === 1 ? (all[0] as Tensor) : all;
    }
    known.push(await readAndDispose(handles[0]));
  }
}

/** Reads a tensor whose data an op needs. */
async function readAndDispose(handle: number): Promise<Uint8Array> {
  const x = wrap(handle);
  try {
    return await x.toBytes();
  } finally {
    x.dispose();
  }
}
