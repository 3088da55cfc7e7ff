/** Tests with their own engines. */
import { init, terminate } from '../src/index.ts';
import type { Context } from './harness.ts';

export const isPage = typeof document !== 'undefined';

/** Stops the engine that the tests share, calls `body`, and starts the shared engine again. */
export async function withOwnEngine(t: Context, body: () => Promise<void>): Promise<void> {
  terminate();
  try {
    await body();
  } finally {
    terminate();
    await init({ device: t.settings.device, threads: t.settings.threads, check: t.settings.check });
  }
}
