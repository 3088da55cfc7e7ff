/** What a worker knows of an engine, whatever the device. */
import type * as single from '../dist/wasm/engine.js';
import type * as webgpu from '../dist/wasm/engine-webgpu.js';
import type { Results, Upload } from './protocol.ts';

export interface Engine {
  run(commands: Uint8Array<ArrayBuffer>, uploads: readonly Upload[], isTimed: boolean): Results['run'] | Promise<Results['run']>;
  /** An engine beside this one, of the same module, that shares nothing else with it. */
  spare?(): Spare;
  /** Called when a message is answered, before the next. */
  rest?(): Promise<void>;
  /** Nodes, kernels and memory plan of a recorded step as JSON. */
  explain(graph: Uint8Array, ids: Uint32Array, names: string[], roles: string[]): string;
  /** The shader of each of its kernels. */
  shaders?(graph: Uint8Array): string[];
  tensors(): number;
  bytes(): number;
  programs(): number;
  /** How often each fast path was taken, a line for each, in the checked mode. */
  paths(): string;
  readonly threads: () => number;
  readonly heap: WebAssembly.Memory;
  /** The adapter, where there is one. */
  readonly adapter?: string;
}

/** What a spare engine is good for. */
export interface Spare {
  execute(message: Uint8Array): void;
  free(): void;
}

/** A value in the hands of a module. */
export type WireAnswer = single.Answer | webgpu.Answer;
