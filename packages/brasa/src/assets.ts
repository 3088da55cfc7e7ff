/** The files beside this one: wasm modules and the program of the workers. */
import type { WorkerSource } from './port.ts';
import { isNode } from './port.ts';

async function compiled(url: URL): Promise<WebAssembly.Module> {
  if (isNode) {
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} cannot be loaded: ${response.status} ${response.statusText}`);
  const isWasm = response.headers.get('Content-Type')?.startsWith('application/wasm') ?? false;
  return isWasm ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

export const recorder = (): Promise<WebAssembly.Module> => compiled(new URL('./wasm/recorder_bg.wasm', import.meta.url));

export const engine = (): Promise<WebAssembly.Module> => compiled(new URL('./wasm/engine_bg.wasm', import.meta.url));

export const engineThreads = (): Promise<WebAssembly.Module> =>
  compiled(new URL('./wasm/engine-threads_bg.wasm', import.meta.url));

export const engineWebgpu = (): Promise<WebAssembly.Module> =>
  compiled(new URL('./wasm/engine-webgpu_bg.wasm', import.meta.url));

// Bundlers look for these very words.
export const worker: WorkerSource = {
  start: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  url: () => new URL('./worker.js', import.meta.url),
};
