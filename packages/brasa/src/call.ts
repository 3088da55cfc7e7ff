/** Records calls of ops: arguments of any kind in, tensors out. */
import { described, isOptions, type Options } from './bind.ts';
import { ArgumentError } from './errors.ts';
import { args, checked, noteSite, read, recorder } from './recorder.ts';
import { Range, REST, Tensor, wrap } from './tensor.ts';

/** A list whose items were written out, or that was given as one. */
export function unwrap(items: number[] | [readonly number[]]): readonly number[] {
  const [first] = items;
  return Array.isArray(first) ? first : (items as number[]);
}

/** Kinds of argument, as the recorder reads them. */
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

/** As deep as lists may be nested: one that holds itself has no end. */
const MOST_NESTED = 64;

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
    if (depth > MOST_NESTED) throw new ArgumentError(`an argument is nested more than ${MOST_NESTED} deep\n  help: does a list hold itself?`);
    args.byte(Tag.List).list(Array.from(value as ArrayLike<unknown>), (item) => put(item, depth + 1));
  } else if (value instanceof Range) {
    args.byte(Tag.Slice);
    for (const part of [value.start, value.stop, value.step]) {
      if (!Number.isInteger(part ?? 0)) throw new ArgumentError(`index: a range has ${described(part)}, expected a whole number`);
      args.byte(part == null ? 0 : 1).f64(part ?? 0);
    }
  } else if (value === REST) {
    args.byte(Tag.Rest);
  } else {
    throw new ArgumentError(`an argument is ${described(value)}, which no op takes`);
  }
}

/** Writes the arguments of a call: by position, then by name. */
function putCall(given: readonly unknown[], extra?: Options): void {
  let count = given.length;
  while (count > 0 && given[count - 1] === undefined) count -= 1;
  const last = given[count - 1];
  const named = isOptions(last) ? last : undefined;
  if (named) count -= 1;
  args.begin().byte(count);
  for (let n = 0; n < count; n += 1) {
    const value = given[n];
    if (isOptions(value)) throw new ArgumentError('options have to come last');
    put(value);
  }
  const names = named || extra ? Object.entries({ ...named, ...extra }) : [];
  args.byte(names.length);
  for (const [name, value] of names) {
    args.text(name);
    put(value);
  }
}

/** Records an op; how many results there are. */
function record(row: number, given: readonly unknown[], extra: Options | undefined, caller: Caller): number {
  const all = recorder();
  noteSite();
  putCall(given, extra);
  return checked(all.call(row, args.len), caller);
}

type Caller = (...args: never[]) => unknown;

let retainsGrads = false;

/**
 * Says whether tensors that are no leaves keep their gradients too, as if `retainGrad` were called on each result of an
 * op; gives whether they did. It costs the memory of these gradients, and the time to write them: `initWebGPUAsync`
 * says yes, otherwise the answer is no at first, as in PyTorch.
 */
export function setRetainGrads(wanted: boolean): boolean {
  const before = retainsGrads;
  retainsGrads = wanted;
  return before;
}

/** The tensor behind a handle that an op has given. */
function result(handle: number): Tensor {
  const x = wrap(handle);
  if (retainsGrads && x.requiresGrad) x.retainGrad();
  return x;
}

function results(count: number): Tensor[] {
  return read((from) => Array.from({ length: count }, () => from.u32())).map(result);
}

/** An op that gives one tensor; of several, the first. */
export function one(row: number, given: readonly unknown[]): Tensor {
  record(row, given, undefined, one);
  return result(read((from) => from.u32()));
}

/** An op that gives two tensors. */
export function pair(row: number, given: readonly unknown[], extra?: Options): [Tensor, Tensor] {
  return results(record(row, given, extra, pair)) as [Tensor, Tensor];
}

/** An op that gives three tensors. */
export function triple(row: number, given: readonly unknown[]): [Tensor, Tensor, Tensor] {
  return results(record(row, given, undefined, triple)) as [Tensor, Tensor, Tensor];
}

/** An op that gives a list. */
export function list(row: number, given: readonly unknown[]): Tensor[] {
  return results(record(row, given, undefined, list));
}

/** An op that gives one tensor or several, as its arguments say. */
export function varied(row: number, given: readonly unknown[]): Tensor | Tensor[] {
  const all = results(record(row, given, undefined, varied));
  return all.length === 1 ? (all[0] as Tensor) : all;
}

/** An op whose result's shape depends on data, which are read first. */
export async function reading(row: number, given: readonly unknown[]): Promise<Tensor | Tensor[]> {
  const known: Uint8Array[] = [];
  for (;;) {
    noteSite();
    putCall(given);
    args.list(known, (bytes) => args.bytes(bytes));
    const count = checked(recorder().call_knowing(row, args.len), reading);
    const [isWanted, ...handles] = read((from) => Array.from({ length: 1 + count }, () => from.u32())) as [number, number];
    if (!isWanted) {
      const all = handles.map(result);
      return all.length === 1 ? (all[0] as Tensor) : all;
    }
    known.push(await wanted(handles[0]));
  }
}

/** The bytes of what an op has to know. */
async function wanted(handle: number): Promise<Uint8Array> {
  const x = wrap(handle);
  try {
    return await x.toBytes();
  } finally {
    x.dispose();
  }
}
