/** `assets.ts` for the one-file build: wasm modules and the worker script are embedded as strings. */
import type { WorkerSource } from './port.ts';

/** The modules in base64, and the worker script. */
export interface Texts {
  readonly recorder: string;
  readonly engine: string;
  readonly engineFused: string;
  readonly engineWebgpu: string;
  readonly worker: string;
}

export interface Assets {
  readonly recorder: () => Promise<WebAssembly.Module>;
  readonly engine: () => Promise<WebAssembly.Module>;
  /** Omitted: without fused multiply-add, this build uses one thread. */
  readonly engineThreads: undefined;
  readonly engineFused: () => Promise<WebAssembly.Module>;
  /** Omitted: only for debugging. */
  readonly engineChecked: undefined;
  readonly engineWebgpu: () => Promise<WebAssembly.Module>;
  /** Omitted: only makes first steps faster. */
  readonly warming: undefined;
  readonly worker: WorkerSource;
  readonly workerChecked: undefined;
}

export function inlineAssets({ recorder, engine, engineFused, engineWebgpu, worker }: Texts): Assets {
  const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const module = (text: string) => () => WebAssembly.compile(bytes(text));
  const program = (): Worker => {
    const url = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
    const started = new Worker(url, { type: 'module' });
    // Revoked once the worker has loaded it, which its first message shows.
    started.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
    return started;
  };
  const url = (): URL => new URL(`data:text/javascript,${encodeURIComponent(worker)}`);
  return {
    recorder: module(recorder),
    engine: module(engine),
    engineThreads: undefined,
    engineFused: module(engineFused),
    engineChecked: undefined,
    engineWebgpu: module(engineWebgpu),
    warming: undefined,
    worker: { start: program, url },
    workerChecked: undefined,
  };
}
