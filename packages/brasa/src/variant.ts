/** Selects the build variant of the CPU engine for this browser and page, and the number of threads. */
import * as assets from './assets.ts';
import { isNode, type WorkerSource } from './port.ts';
import { isShared, type Variant } from './protocol.ts';

/** A module with one relaxed-SIMD fused multiply-add: it validates where the browser supports them. */
const FUSED = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0,
  65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11,
);

/** The fastest variant that this browser and page can run. Independent of the number of threads, so that results are too. */
export function chooseVariant(): Variant {
  const canShare = typeof SharedArrayBuffer !== 'undefined' && (globalThis.crossOriginIsolated ?? true);
  if (!canShare) return 'single';
  if (WebAssembly.validate(FUSED)) return 'fused';
  return assets.engineThreads ? 'threads' : 'single';
}

export const MODULES: Readonly<Record<Variant, (base?: string) => Promise<WebAssembly.Module>>> = {
  single: (base?: string) => assets.engine(base),
  threads: (base?: string) => (assets.engineThreads ?? assets.engine)(base),
  fused: (base?: string) => assets.engineFused(base),
  checked: (base?: string) => (assets.engineChecked ?? assets.engine)(base),
};

/** The worker script that can load a variant. */
export const workerOf = (own: Variant): WorkerSource => (own === 'checked' && assets.workerChecked) || assets.worker;

const WHY: Readonly<Record<Variant, string>> = {
  single: 'one thread, since the page is not cross-origin isolated or the browser is old',
  threads: 'threads, without fused multiply-add, which this JavaScript engine lacks',
  fused: 'threads, with fused multiply-add',
  checked: 'one thread, and every kernel is checked',
};

/** Why this variant, or this GPU adapter, was chosen. */
export function whyOf(own: Variant, adapter?: string): string {
  if (adapter === undefined) return WHY[own];
  return own === 'checked' ? `${adapter}, and every kernel is checked` : adapter;
}

/** The number of threads to compute on: as requested, or one per core up to 16. */
export function threadsOf(own: Variant, { threads }: { threads?: number | undefined }): number {
  const most = Math.min(cores(), 16);
  return !isShared(own) ? 1 : Math.max(1, Math.floor(threads ?? most));
}

/** Number of cores; Node has no `navigator` before version 21. */
function cores(): number {
  return isNode ? process.getBuiltinModule('node:os').availableParallelism() : navigator.hardwareConcurrency;
}
