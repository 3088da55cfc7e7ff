/** Interface of a model with its optimizer on a device: plain arrays in and out. */
import type { DeviceName } from './settings.ts';
import type { Trace } from './trace.ts';

export interface Input {
  readonly data: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  readonly shape: readonly number[];
}

export interface Output {
  readonly data: Float32Array<ArrayBuffer>;
  readonly shape: readonly number[];
}

export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
}

export interface Session {
  /** Description of the device for the UI. */
  readonly device: string;
  /** The selected device, or its fallback; then `notice` says why. */
  readonly deviceName: DeviceName;
  readonly notice: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Class of each module, by path: `Linear`. */
  readonly kinds: ReadonlyMap<string, string>;
  /** Names of the functions that the module exports, besides the loss. */
  readonly functions: ReadonlySet<string>;
  /** Takes one step per batch, in one request, and returns the loss before each. */
  steps(batches: readonly (readonly Input[])[]): Promise<readonly number[]>;
  /** Milliseconds that the engine has spent on queries so far, steps excluded. */
  readonly queryMs: number;
  /** Gradients of the loss by parameter, without a step. */
  gradients(batch: readonly Input[]): Promise<ReadonlyMap<string, Output>>;
  weights(): Promise<ReadonlyMap<string, Output>>;
  /** The state of model and optimizer as bytes; `restore` sets it again. */
  checkpoint(): Promise<Uint8Array>;
  restore(state: Uint8Array): Promise<void>;
  /** Calls an exported function. */
  call(name: string, inputs: readonly Input[]): Promise<Output>;
  /** The output of each module during a function call, by path. */
  activations(name: string, inputs: readonly Input[]): Promise<ReadonlyMap<string, Output>>;
  explain(batch: readonly Input[]): Promise<Trace>;
  /** The value of a trace node for this batch, without taking a step. */
  probe(batch: readonly Input[], node: number): Promise<Output>;
  /** Microseconds of each kernel of a step; empty if the device cannot time kernels. */
  profile(batch: readonly Input[]): Promise<readonly number[]>;
  memory(): Promise<number>;
  setLR(lr: number): Promise<void>;
  close(): Promise<void>;
}

/** An error in the user's module, with its line if known. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
  constructor(
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}
