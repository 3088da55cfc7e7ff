/**
 * Lifetime of what the recorder holds: freed when a scope ends, when the garbage collector finalizes the JavaScript
 * object, or by `dispose`.
 */
import { ArgumentError } from './errors.ts';
import { checked, ifAlive, recorder } from './recorder.ts';
import type { Tensor } from './tensor.ts';

let current = 0;

/** The number of recorders so far: tensors of earlier ones have no value. */
export function generation(): number {
  return current;
}

/** Invalidates all tensors, for a new recorder. */
export function nextGeneration(): void {
  current += 1;
  scopes.length = 0;
}

/** The handle of a disposed tensor. */
export const DISPOSED = 0xffff_fffd;

const HANDLES = 2 ** 32;

// The key encodes generation and handle in one number.
const collected = new FinalizationRegistry<number>((key) => {
  if (Math.floor(key / HANDLES) === current) ifAlive((all) => all.release(key % HANDLES));
});

/** An object other than a tensor that the recorder holds for an object here, by id. Invalid once the recorder is replaced. */
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

  /** Releases it; idempotent. */
  end(): void {
    const { number } = this;
    this.#number = DISPOSED;
    Lease.#ended.unregister(this);
    if (number !== DISPOSED) this.release(number);
  }
}

/** The tensors created while a scope was innermost, and its enclosing scope. */
interface Scope {
  readonly tensors: Set<Tensor>;
  readonly outer: Scope | undefined;
}

/** The open scopes, innermost last. Async scopes may end in any order. */
const scopes: Scope[] = [];

export function remember(x: Tensor, handle: number): void {
  collected.register(x, current * HANDLES + handle, x);
  scopes.at(-1)?.tensors.add(x);
}

export function forget(x: Tensor): void {
  collected.unregister(x);
  for (const { tensors } of scopes) tensors.delete(x);
}

/** Lets a tensor outlive the scopes it was created in, and exempts it from the memory budget. */
export function keep<T extends Tensor>(x: T): T {
  for (const { tensors } of scopes) tensors.delete(x);
  checked(recorder().keep(x.handle), keep);
  return x;
}

/** The default memory budget: an eighth of the machine's memory, at most 1 GiB, which is also the default if unknown. */
export function defaultBudget(): number {
  const { deviceMemory = 8 } = (globalThis.navigator ?? {}) as { deviceMemory?: number };
  return Math.min(Math.max(deviceMemory / 8, 1 / 4), 1) * 2 ** 30;
}

/**
 * Sets how many bytes results of ops may use in total; 1 GiB at first, less on small machines. Above that, results not
 * used since the previous flush are evicted, oldest first; reading one is a `StaleTensorError`. Parameters, gradients,
 * tensors created from data and kept ones (`keep`) do not count.
 */
export function setMemoryBudget(bytes: number): void {
  if (!(bytes >= 0)) throw new ArgumentError(`setMemoryBudget: expected a number of bytes, got ${bytes}`);
  recorder().set_memory_budget(Math.min(bytes, 2 ** 32 - 1));
}

/** Disposes the tensors of a scope, but moves those in `result` to the enclosing one. */
function endScope(own: Scope, result: unknown): void {
  const at = scopes.indexOf(own);
  // The recorder was replaced, and its tensors are gone.
  if (at < 0) return;
  scopes.splice(at, 1);
  let outer = own.outer;
  while (outer && !scopes.includes(outer)) outer = outer.outer;
  visit(result, (x) => {
    if (own.tensors.delete(x)) outer?.tensors.add(x);
  });
  for (const x of own.tensors) x.dispose();
}

/**
 * Runs `body` and disposes all tensors created inside, except those it returns. Parameters, gradients and optimizer state
 * always stay alive. If `body` is async, the scope ends when it does.
 *
 * JavaScript does not tell which task creates a tensor: while an async scope waits, all new tensors belong to the scope
 * that was opened last. Other tasks have to `keep` the tensors they create meanwhile, or open a scope of their own.
 */
export function scope<T>(body: () => T): T {
  const own: Scope = { tensors: new Set(), outer: scopes.at(-1) };
  scopes.push(own);
  let result: T;
  try {
    result = body();
  } catch (error) {
    endScope(own, undefined);
    throw error;
  }
  if (!(result instanceof Promise)) {
    endScope(own, result);
    return result;
  }
  return result.then(
    (value: unknown) => {
      endScope(own, value);
      return value;
    },
    (error: unknown) => {
      endScope(own, undefined);
      throw error;
    },
  ) as T;
}

/** Alias of `scope`. */
export const trackTensors = scope;

/** Calls `look` with each tensor in a value, its lists and its objects. */
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
