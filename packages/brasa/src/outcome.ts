/** Results of async calls as values, so that loops need no try and catch. */

/** Completed with `T`, aborted or failed. `kind` is an alias of `status`. */
export type Outcome<T> =
  | ({ readonly status: 'completed'; readonly kind: 'completed' } & Readonly<T>)
  | { readonly status: 'aborted'; readonly kind: 'aborted' }
  | { readonly status: 'failed'; readonly kind: 'failed'; readonly error: Error };

export const ABORTED = { status: 'aborted', kind: 'aborted' } as const satisfies Outcome<object>;

export function completed<T>(value: T): Outcome<T> {
  return { status: 'completed', kind: 'completed', ...value };
}

export function failed(error: unknown): Outcome<never> {
  return { status: 'failed', kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
}

/** Awaits a promise; resolves with `undefined` as soon as the signal is aborted. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return promise;
  let listen = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    listen = () => resolve(undefined);
    signal.addEventListener('abort', listen, { once: true });
    if (signal.aborted) listen();
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', listen);
  }
}
