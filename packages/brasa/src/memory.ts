/**
 * When the recorder's tensors are freed: when a scope ends, when the garbage collector has found the JavaScript
 * object dead, or by `dispose`.
 */
import { recorder } from './recorder.ts';
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

const HANDLES = 2 ** 32;

// The collector speaks of tensors by one number: generation and handle.
const collected = new FinalizationRegistry<number>((key) => {
  if (Math.floor(key / HANDLES) === current) recorder().release(key % HANDLES);
});

const scopes: Set<Tensor>[] = [];

export function remember(x: Tensor, handle: number): void {
  collected.register(x, current * HANDLES + handle, x);
  scopes.at(-1)?.add(x);
}

export function forget(x: Tensor): void {
  collected.unregister(x);
  for (const scope of scopes) scope.delete(x);
}

/** Lets a tensor outlive the scopes it was made in. */
export function keep<T extends Tensor>(x: T): T {
  for (const scope of scopes) scope.delete(x);
  return x;
}

/**
 * Runs `body` and disposes of all tensors that were made inside, but for those it gives back. Parameters, gradients
 * and what optimizers hold stay alive in any case. An async `body` is waited for.
 */
export function scope<T>(body: () => T): T {
  const own = new Set<Tensor>();
  scopes.push(own);
  const end = (result: unknown): void => {
    scopes.splice(scopes.indexOf(own), 1);
    const outer = scopes.at(-1);
    visit(result, (x) => {
      if (own.delete(x)) outer?.add(x);
    });
    for (const x of own) x.dispose();
  };
  let result: T;
  try {
    result = body();
  } catch (error) {
    end(undefined);
    throw error;
  }
  if (!(result instanceof Promise)) {
    end(result);
    return result;
  }
  return result.then(
    (value: unknown) => {
      end(value);
      return value;
    },
    (error: unknown) => {
      end(undefined);
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
