/** The engine as seen by its worker, on any device. */
import type * as single from '../dist/wasm/engine.js';
import type * as webgpu from '../dist/wasm/engine-webgpu.js';
import type { Results, Upload } from './protocol.ts';

export interface Engine {
  run(commands: Uint8Array<ArrayBuffer>, uploads: readonly Upload[], isTimed: boolean): Results['run'] | Promise<Results['run']>;
  /** A second engine in the same module, with its own state, for warming up. */
  spare?(): Spare;
  /** Called after the answer to a `run` was posted, before the next message. */
  afterRun?(): Promise<void>;
  /** Nodes, kernels and memory plan of a recorded step as JSON. */
  explain(graph: Uint8Array, ids: Uint32Array, names: string[], roles: string[]): string;
  /** The shader of each kernel. */
  shaders?(graph: Uint8Array): string[];
  tensors(): number;
  bytes(): number;
  programs(): number;
  /** How often each fast path was taken, one line each; counted in checked mode only. */
  paths(): string;
  readonly threads: () => number;
  readonly heap: WebAssembly.Memory;
  /** The GPU adapter, if any. */
  readonly adapter?: string;
}

/** An engine that only runs warm-up messages. */
export interface Spare {
  execute(message: Uint8Array): void;
  free(): void;
}

/** A value, or an error, still owned by the wasm module. */
export type WireAnswer = single.Answer | webgpu.Answer;
