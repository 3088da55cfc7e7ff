/** How what is waited for has ended. Loops never need try and catch. */

/** With `T` where it was completed. `kind` is `status` by another name. */
export type Outcome<T> =
  | ({ readonly status: 'completed'; readonly kind: 'completed' } & Readonly<T>)
  | { readonly status: 'aborted'; readonly kind: 'aborted' }
  | { readonly status: 'failed'; readonly kind: 'failed'; readonly error: Error };

export const ABORTED = { status: 'aborted', kind: 'aborted' } as const satisfies Outcome<object>;

export function completed<T>(found: T): Outcome<T> {
  return { status: 'completed', kind: 'completed', ...found };
}

export function failed(error: unknown): Outcome<never> {
  return { status: 'failed', kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
}

/** What is waited for, or nothing as soon as the signal is given. */
export async function unlessAborted<T>(waited: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return waited;
  let listen = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    listen = () => resolve(undefined);
    signal.addEventListener('abort', listen, { once: true });
    if (signal.aborted) listen();
  });
  try {
    return await Promise.race([waited, aborted]);
  } finally {
    signal.removeEventListener('abort', listen);
  }
}
