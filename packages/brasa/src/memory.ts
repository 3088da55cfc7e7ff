/**
 * When what the recorder holds is freed: when a scope ends, when the garbage collector has found the JavaScript
 * object dead, or by `dispose`.
 */
import { ArgumentError } from './errors.ts';
import { checked, giveBack, recorder } from './recorder.ts';
import type { Tensor } from './tensor.ts';

let current = 0;

/** Counts the recorders there have been: a tensor of an earlier one has no value. */
export function generation(): number {
  return current;
}

/** Forgets all tensors, for a new recorder. */
export function nextGeneration(): void {
  current += 1;
  scopes.length = 0;
}

/** The recorder's number of what is gone. */
export const DISPOSED = 0xffff_fffd;

const HANDLES = 2 ** 32;

// The collector speaks of tensors by one number: generation and handle.
const collected = new FinalizationRegistry<number>((key) => {
  if (Math.floor(key / HANDLES) === current) giveBack((all) => all.release(key % HANDLES));
});

/** Something else that the recorder holds for an object here, by number. It is gone when the recorder is another one. */
export class Lease {
  static readonly #ended = new FinalizationRegistry<Lease>((lease) => lease.end());
  readonly #generation = current;
  #number: number;

  constructor(owner: object, number: number, private readonly release: (number: number) => void) {
    this.#number = number;
    Lease.#ended.register(owner, this, this);
  }

  get number(): number {
    return this.#generation === current ? this.#number : DISPOSED;
  }

  /** Gives it back; harmless if repeated. */
  end(): void {
    const { number } = this;
    this.#number = DISPOSED;
    Lease.#ended.unregister(this);
    if (number !== DISPOSED) this.release(number);
  }
}

/** What was made while a scope was the innermost, and the one it was begun in. */
interface Scope {
  readonly made: Set<Tensor>;
  readonly outer: Scope | undefined;
}

/** The scopes that have not ended, innermost last. Async ones may end in any order. */
const scopes: Scope[] = [];

export function remember(x: Tensor, handle: number): void {
  collected.register(x, current * HANDLES + handle, x);
  scopes.at(-1)?.made.add(x);
}

export function forget(x: Tensor): void {
  collected.unregister(x);
  for (const { made } of scopes) made.delete(x);
}

/** Lets a tensor outlive the scopes it was made in, and spares its value whatever the memory budget says. */
export function keep<T extends Tensor>(x: T): T {
  for (const { made } of scopes) made.delete(x);
  checked(recorder().keep(x.handle), keep);
  return x;
}

/** The bytes that a machine can spare for results of ops: an eighth of its memory, 1 GiB where it does not tell. */
export function usualBudget(): number {
  const { deviceMemory = 8 } = (globalThis.navigator ?? {}) as { deviceMemory?: number };
  return Math.min(Math.max(deviceMemory / 8, 1 / 4), 1) * 2 ** 30;
}

/**
 * Sets how many bytes results of ops may need together; 1 GiB at first, less on small machines. Where they need more,
 * those that were not used since the flush before are given up, oldest first; reading one is a `StaleTensorError`.
 * Parameters, gradients, what was made of data and what is kept (`keep`) do not count.
 */
export function setMemoryBudget(bytes: number): void {
  if (!(bytes >= 0)) throw new ArgumentError(`setMemoryBudget: expected a number of bytes, got ${bytes}`);
  recorder().set_memory_budget(Math.min(bytes, 2 ** 32 - 1));
}

function ended(own: Scope, result: unknown): void {
  const at = scopes.indexOf(own);
  // Its tensors went with their recorder.
  if (at < 0) return;
  scopes.splice(at, 1);
  let outer = own.outer;
  while (outer && !scopes.includes(outer)) outer = outer.outer;
  visit(result, (x) => {
    if (own.made.delete(x)) outer?.made.add(x);
  });
  for (const x of own.made) x.dispose();
}

/**
 * Runs `body` and disposes of all tensors that were made inside, but for those it gives back. Parameters, gradients
 * and what optimizers hold stay alive in any case. An async `body` is waited for.
 *
 * JavaScript does not tell which task makes a tensor: while an async scope waits, all that is made anywhere belongs to
 * the scope that was begun last. What other tasks make meanwhile is to be kept by them (`keep`), or in a scope of its own.
 */
export function scope<T>(body: () => T): T {
  const own: Scope = { made: new Set(), outer: scopes.at(-1) };
  scopes.push(own);
  let result: T;
  try {
    result = body();
  } catch (error) {
    ended(own, undefined);
    throw error;
  }
  if (!(result instanceof Promise)) {
    ended(own, result);
    return result;
  }
  return result.then(
    (value: unknown) => {
      ended(own, value);
      return value;
    },
    (error: unknown) => {
      ended(own, undefined);
      throw error;
    },
  ) as T;
}

/** `scope` by another name. */
export const trackTensors = scope;

/** Shows each tensor in a result: itself, in lists, in objects. */
function visit(value: unknown, look: (x: Tensor) => void, seen = new Set<object>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if ('copy_' in value && 'handle' in value) {
    look(value as Tensor);
    return;
  }
  if (ArrayBuffer.isView(value)) return;
  for (const part of Symbol.iterator in value ? (value as Iterable<unknown>) : Object.values(value)) visit(part, look, seen);
}
