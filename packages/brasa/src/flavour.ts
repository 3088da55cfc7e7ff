/** Which engine suits the processor and the page, and on how many threads. */
import * as assets from './assets.ts';
import type { WorkerSource } from './port.ts';
import { type Flavour, isShared } from './protocol.ts';

/** A module with one fused product, which is valid where there are such. */
const FUSED = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0,
  65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11,
);

/** Which engine suits the processor and the page. The number of threads does not decide: results are to be the same. */
export function flavour(): Flavour {
  const canShare = typeof SharedArrayBuffer !== 'undefined' && (globalThis.crossOriginIsolated ?? true);
  if (!canShare) return 'single';
  if (WebAssembly.validate(FUSED)) return 'fused';
  return assets.engineThreads ? 'threads' : 'single';
}

export const MODULES: Readonly<Record<Flavour, (base?: string) => Promise<WebAssembly.Module>>> = {
  single: (base?: string) => assets.engine(base),
  threads: (base?: string) => (assets.engineThreads ?? assets.engine)(base),
  fused: (base?: string) => assets.engineFused(base),
  checked: (base?: string) => (assets.engineChecked ?? assets.engine)(base),
};

/** The program of the workers that load it. */
export const workerOf = (own: Flavour): WorkerSource => (own === 'checked' && assets.workerChecked) || assets.worker;

const WHY: Readonly<Record<Flavour, string>> = {
  single: 'one thread, since the page is not cross-origin isolated or the browser is old',
  threads: 'threads, without fused products, which this browser lacks',
  fused: 'threads, with fused products',
  checked: 'one thread, and every kernel is checked',
};

/** What was chosen, and for which reason. */
export function whyOf(own: Flavour, adapter?: string): string {
  if (adapter === undefined) return WHY[own];
  return own === 'checked' ? `${adapter}, and every kernel is checked` : adapter;
}

/** How many threads compute. */
export function threadsOf(own: Flavour, { threads }: { threads?: number | undefined }): number {
  const most = Math.min(globalThis.navigator?.hardwareConcurrency ?? 4, 16);
  return !isShared(own) ? 1 : Math.max(1, Math.floor(threads ?? most));
}
