/** Loads the files next to this one, or in the folder `base`: wasm modules and worker scripts. */
import type { WorkerSource } from './port.ts';
import { isNode } from './port.ts';

async function fetchOk(url: URL): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} cannot be loaded: ${response.status} ${response.statusText}`);
  return response;
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  if (isNode) {
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetchOk(url);
  const isWasm = response.headers.get('Content-Type')?.startsWith('application/wasm') ?? false;
  return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** The URL of a file in the folder `base`, which may be relative to the page. */
function resolveIn(base: string, file: string): URL {
  const folder = new URL(base.endsWith('/') ? base : `${base}/`, globalThis.document?.baseURI ?? import.meta.url);
  return new URL(file, folder);
}

type Module = (base?: string) => Promise<WebAssembly.Module>;

// Bundlers detect this exact form of `new URL`.
export const recorder: Module = (base) =>
  compile(base ? resolveIn(base, 'wasm/recorder_bg.wasm') : new URL('./wasm/recorder_bg.wasm', import.meta.url));

export const engine: Module = (base) =>
  compile(base ? resolveIn(base, 'wasm/engine_bg.wasm') : new URL('./wasm/engine_bg.wasm', import.meta.url));

export const engineThreads: Module | undefined = (base) =>
  compile(base ? resolveIn(base, 'wasm/engine-threads_bg.wasm') : new URL('./wasm/engine-threads_bg.wasm', import.meta.url));

export const engineFused: Module = (base) =>
  compile(base ? resolveIn(base, 'wasm/engine-fused_bg.wasm') : new URL('./wasm/engine-fused_bg.wasm', import.meta.url));

/** The engine in checked mode. */
export const engineChecked: Module | undefined = (base) =>
  compile(base ? resolveIn(base, 'wasm/engine-checked_bg.wasm') : new URL('./wasm/engine-checked_bg.wasm', import.meta.url));

export const engineWebgpu: Module = (base) =>
  compile(base ? resolveIn(base, 'wasm/engine-webgpu_bg.wasm') : new URL('./wasm/engine-webgpu_bg.wasm', import.meta.url));

/** The messages that engines warm up with: see `scripts/warm.mjs`. */
export const warming: ((base?: string) => Promise<Uint8Array<ArrayBuffer>>) | undefined = async (base) => {
  const response = await fetchOk(base ? resolveIn(base, 'warming.bin') : new URL('./warming.bin', import.meta.url));
  return new Uint8Array(await response.arrayBuffer());
};

/** Starts a worker, also from another origin: via a blob that imports it, since pages may only start workers of their own. */
function startFrom(url: URL): Worker {
  if (url.origin === globalThis.location?.origin) return new Worker(url, { type: 'module' });
  const own = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  const worker = new Worker(own, { type: 'module' });
  worker.addEventListener('message', () => URL.revokeObjectURL(own), { once: true });
  return worker;
}

// Bundlers detect this exact form of `new Worker`.
export const worker: WorkerSource = {
  start: (base) =>
    base ? startFrom(resolveIn(base, 'worker.js')) : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  url: (base) => (base ? resolveIn(base, 'worker.js') : new URL('./worker.js', import.meta.url)),
};

/** The worker in checked mode. */
export const workerChecked: WorkerSource | undefined = {
  start: (base) =>
    base ? startFrom(resolveIn(base, 'worker-checked.js')) : new Worker(new URL('./worker-checked.js', import.meta.url), { type: 'module' }),
  url: (base) => (base ? resolveIn(base, 'worker-checked.js') : new URL('./worker-checked.js', import.meta.url)),
};
