/**
 * Messages between the page and its workers. A reply carries the id of its request; many requests may be in flight.
 * Large buffers are transferred.
 */
import type { WireError } from './errors.ts';

/** Bytes for memory that the recorder has announced, by its id. */
export interface Upload {
  readonly memory: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An input of a recorded graph: node, name and role. */
export interface NamedInput {
  readonly id: number;
  readonly name: string;
  readonly role: string;
}

/** Build variant of the CPU engine: one thread, helper threads, helper threads with fused multiply-add, or checked mode. */
export type Variant = 'single' | 'threads' | 'fused' | 'checked';

/** Whether the engine shares its memory with helper threads. */
export const isShared = (variant: Variant): boolean => variant === 'threads' || variant === 'fused';

/** A request of the page to a worker. */
export type Request =
  | {
      readonly kind: 'start';
      readonly device: 'cpu' | 'webgpu';
      readonly module: WebAssembly.Module;
      readonly build: string;
      readonly variant: Variant;
    }
  | { readonly kind: 'help'; readonly module: WebAssembly.Module; readonly memory: WebAssembly.Memory; readonly variant: Variant }
  /** The answer to `device-lost`: an engine on the CPU. */
  | { readonly kind: 'fallback'; readonly module: WebAssembly.Module; readonly variant: Variant }
  | {
      readonly kind: 'run';
      readonly commands: Uint8Array<ArrayBuffer>;
      readonly uploads: readonly Upload[];
      /** Whether to time the kernels of the last program that is run. */
      readonly isTimed: boolean;
    }
  /**
   * Recorded messages to warm up with, each after its length: see `scripts/warm.mjs`. Run at once if awaited, else while
   * the engine is idle.
   */
  | { readonly kind: 'warm'; readonly messages: Uint8Array<ArrayBuffer>; readonly isAwaited: boolean }
  | { readonly kind: 'explain'; readonly graph: Uint8Array<ArrayBuffer>; readonly inputs: readonly NamedInput[] }
  | { readonly kind: 'memory' }
  /** For fuzzers: how often each fast path was taken. Only engines in checked mode count. */
  | { readonly kind: 'paths' };

/** A value that the recorder has read, by the number of the read. */
export type Answer =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly number: number; readonly error: WireError };

/** Results by kind of request. */
export interface Results {
  /** The memory to share with helpers, if any. */
  start: { readonly memory: WebAssembly.Memory | undefined; readonly adapter: string | undefined };
  help: undefined;
  fallback: Results['start'];
  /** `times`: milliseconds of each kernel, if requested. `spent`: buffers of the uploads, for reuse. */
  run: { readonly answers: readonly Answer[]; readonly times: Float64Array | undefined; readonly spent?: readonly ArrayBuffer[] };
  warm: undefined;
  /** `shaders`: one per kernel, on WebGPU. */
  explain: { readonly json: string; readonly shaders: readonly string[] | undefined };
  memory: {
    readonly tensors: number;
    readonly bytes: number;
    /** Compiled programs in the cache. */
    readonly programs: number;
    readonly heapBytes: number;
    readonly threads: number;
  };
  /** A line for each fast path: count and name. */
  paths: { readonly lines: string };
}

export type Message = { readonly id: number } & Request;

export type Reply =
  | { readonly id: number; readonly ok: true; readonly result: Results[Request['kind']] }
  | { readonly id: number; readonly ok: false; readonly error: WireError };

/** Sent by a worker without a request: no GPU is left, the module has trapped, or computation has moved to another device. */
export type WorkerEvent =
  | { readonly event: 'device-lost' }
  | { readonly event: 'stopped'; readonly why: string }
  | { readonly event: 'moved'; readonly device: 'cpu' | 'webgpu'; readonly why: string; readonly repeated: number };

/** Converts an error to a form that can be posted to another thread. */
export function toWireError(error: unknown): WireError {
  const own = error instanceof Error ? error : new Error(String(error));
  return { name: own.name, message: own.message, op: '', site: '', stack: own.stack };
}
