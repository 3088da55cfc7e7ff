/** The files beside this one: wasm modules and the program of the workers. They may lie in another folder, `base`. */
import type { WorkerSource } from './port.ts';
import { isNode } from './port.ts';

async function loaded(url: URL, priority: RequestPriority = 'auto'): Promise<Response> {
  const response = await fetch(url, { priority });
  if (!response.ok) throw new Error(`${url.href} cannot be loaded: ${response.status} ${response.statusText}`);
  return response;
}

async function compiled(url: URL, priority?: RequestPriority): Promise<WebAssembly.Module> {
  if (isNode) {
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await loaded(url, priority);
  const isWasm = response.headers.get('Content-Type')?.startsWith('application/wasm') ?? false;
  return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** The same while the page waits. */
function compiledNow(url: URL): WebAssembly.Module {
  if (isNode) return new WebAssembly.Module(process.getBuiltinModule('node:fs').readFileSync(url));
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  // Pages may not ask for bytes in this way, but for a text with a byte in each character.
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  if (request.status !== 200) throw new Error(`${url.href} cannot be loaded: ${request.status} ${request.statusText}`);
  return new WebAssembly.Module(Uint8Array.from(request.responseText, (c) => c.charCodeAt(0)));
}

/** A file in the folder `base`, which may be given relative to the page. */
function within(base: string, file: string): URL {
  const folder = new URL(base.endsWith('/') ? base : `${base}/`, globalThis.document?.baseURI ?? import.meta.url);
  return new URL(file, folder);
}

type Module = (base?: string) => Promise<WebAssembly.Module>;

// Bundlers look for `new URL` with these very words.
export const recorder: Module = (base) =>
  compiled(base ? within(base, 'wasm/recorder_bg.wasm') : new URL('./wasm/recorder_bg.wasm', import.meta.url));

const recorderRestUrl = (base?: string): URL =>
  base ? within(base, 'wasm/recorder-rest_bg.wasm') : new URL('./wasm/recorder-rest_bg.wasm', import.meta.url);

/** What rare calls need of the recorder. */
export const recorderRest: Module = (base) => compiled(recorderRestUrl(base), 'low');
export const recorderRestNow: (base?: string) => WebAssembly.Module = (base) => compiledNow(recorderRestUrl(base));
/** Whether it can be loaded while the page waits. */
export const canLoadNow: boolean = isNode || typeof XMLHttpRequest !== 'undefined';

export const engine: Module = (base) =>
  compiled(base ? within(base, 'wasm/engine_bg.wasm') : new URL('./wasm/engine_bg.wasm', import.meta.url));

export const engineThreads: Module | undefined = (base) =>
  compiled(base ? within(base, 'wasm/engine-threads_bg.wasm') : new URL('./wasm/engine-threads_bg.wasm', import.meta.url));

export const engineFused: Module = (base) =>
  compiled(base ? within(base, 'wasm/engine-fused_bg.wasm') : new URL('./wasm/engine-fused_bg.wasm', import.meta.url));

/** The engine in the checked mode. */
export const engineChecked: Module | undefined = (base) =>
  compiled(base ? within(base, 'wasm/engine-checked_bg.wasm') : new URL('./wasm/engine-checked_bg.wasm', import.meta.url));

export const engineWebgpu: Module = (base) =>
  compiled(base ? within(base, 'wasm/engine-webgpu_bg.wasm') : new URL('./wasm/engine-webgpu_bg.wasm', import.meta.url));

/** What engines do before they are asked for anything: see `scripts/warm.mjs`. */
export const warming: ((base?: string) => Promise<Uint8Array<ArrayBuffer>>) | undefined = async (base) => {
  const response = await loaded(base ? within(base, 'warming.bin') : new URL('./warming.bin', import.meta.url));
  return new Uint8Array(await response.arrayBuffer());
};

/** A worker of another server: pages may start their own alone, which may import. */
function startedFrom(url: URL): Worker {
  if (url.origin === globalThis.location?.origin) return new Worker(url, { type: 'module' });
  const own = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  const worker = new Worker(own, { type: 'module' });
  worker.addEventListener('message', () => URL.revokeObjectURL(own), { once: true });
  return worker;
}

// Bundlers look for `new Worker` with these very words.
export const worker: WorkerSource = {
  start: (base) =>
    base ? startedFrom(within(base, 'worker.js')) : new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  url: (base) => (base ? within(base, 'worker.js') : new URL('./worker.js', import.meta.url)),
};

/** The same in the checked mode. */
export const workerChecked: WorkerSource | undefined = {
  start: (base) =>
    base ? startedFrom(within(base, 'worker-checked.js')) : new Worker(new URL('./worker-checked.js', import.meta.url), { type: 'module' }),
  url: (base) => (base ? within(base, 'worker-checked.js') : new URL('./worker-checked.js', import.meta.url)),
};
