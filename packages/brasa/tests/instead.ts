/** Engines in place of the one that all tests share. */
import { init, terminate } from '../src/index.ts';
import type { Context } from './harness.ts';

export const isPage = typeof document !== 'undefined';

/** Calls `body` in place of the engine that all other tests share. */
export async function instead(t: Context, body: () => Promise<void>): Promise<void> {
  terminate();
  try {
    await body();
  } finally {
    terminate();
    await init({ device: t.settings.device, threads: t.settings.threads, check: t.settings.check });
  }
}
