/**
 * What the page and its workers say to each other. Requests carry a number that the reply repeats; many may be under
 * way. Whatever is large is transferred.
 */
import type { WireError } from './errors.ts';

/** Bytes for memory that the recorder has announced. */
export interface Upload {
  readonly memory: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An input of a recorded graph: its node, what it is called and what it is for. */
export interface NamedInput {
  readonly id: number;
  readonly name: string;
  readonly role: string;
}

/** Which module an engine on the processor is: alone, or with helpers, without or with fused products; or in the checked mode. */
export type Flavour = 'single' | 'threads' | 'fused' | 'checked';

/** Whether its memory is shared with helpers. */
export const isShared = (flavour: Flavour): boolean => flavour === 'threads' || flavour === 'fused';

/** What the page asks of a worker. */
export type Request =
  | {
      readonly kind: 'start';
      readonly device: 'cpu' | 'webgpu';
      readonly module: WebAssembly.Module;
      readonly build: string;
      readonly flavour: Flavour;
    }
  | { readonly kind: 'help'; readonly module: WebAssembly.Module; readonly memory: WebAssembly.Memory; readonly flavour: Flavour }
  /** What `bereft` asks for: an engine on the processor. */
  | { readonly kind: 'inherit'; readonly module: WebAssembly.Module; readonly flavour: Flavour }
  | {
      readonly kind: 'run';
      readonly commands: Uint8Array<ArrayBuffer>;
      readonly uploads: readonly Upload[];
      /** Whether to time the kernels of the last program that is run. */
      readonly isTimed: boolean;
    }
  /**
   * Messages of another page, each after its length: see `scripts/warm.mjs`. To be carried out at once where that is
   * waited for, else when this page asks for nothing, and until it does.
   */
  | { readonly kind: 'warm'; readonly messages: Uint8Array<ArrayBuffer>; readonly isAwaited: boolean }
  | { readonly kind: 'explain'; readonly graph: Uint8Array<ArrayBuffer>; readonly inputs: readonly NamedInput[] }
  | { readonly kind: 'memory' }
  /** For fuzzers: how often each fast path was taken. Engines of the checked mode count that. */
  | { readonly kind: 'paths' };

/** A value that the recorder has asked for, by the number of its reply. */
export type Answer =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly number: number; readonly error: WireError };

/** Results by kind of request. */
export interface Results {
  /** The memory that helpers share, where there is one. */
  start: { readonly memory: WebAssembly.Memory | undefined; readonly adapter: string | undefined };
  help: undefined;
  inherit: Results['start'];
  /** With the milliseconds of each kernel, where they were asked for, and the memory of the uploads, to be used again. */
  run: { readonly answers: readonly Answer[]; readonly times: Float64Array | undefined; readonly spent?: readonly ArrayBuffer[] };
  warm: undefined;
  /** With a shader for each kernel, where there are shaders. */
  explain: { readonly json: string; readonly shaders: readonly string[] | undefined };
  memory: {
    readonly tensors: number;
    readonly bytes: number;
    /** Compiled programs that are kept. */
    readonly programs: number;
    readonly heapBytes: number;
    readonly threads: number;
  };
  /** A line for each fast path: how often it was taken, and its name. */
  paths: { readonly lines: string };
}

export type Message = { readonly id: number } & Request;

export type Reply =
  | { readonly id: number; readonly ok: true; readonly result: Results[Request['kind']] }
  | { readonly id: number; readonly ok: false; readonly error: WireError };

/** What a worker says by itself: that no device is left, that another one computes, that it can compute no more. */
export type Told =
  | { readonly told: 'bereft' }
  | { readonly told: 'stopped'; readonly why: string }
  | { readonly told: 'moved'; readonly device: 'cpu' | 'webgpu'; readonly why: string; readonly repeated: number };

/** An error as it crosses from one thread to another. */
export function wired(error: unknown): WireError {
  const own = error instanceof Error ? error : new Error(String(error));
  return { name: own.name, message: own.message, op: '', site: '', stack: own.stack };
}
