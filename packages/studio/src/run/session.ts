/** A model with its optimizer on a device, as the studio sees it: plain arrays in and out. */
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
  /** Where it runs, for people. */
  readonly device: string;
  /** The device that was chosen, or the one that stands in for it; then the notice says why. */
  readonly deviceName: DeviceName;
  readonly notice: string | undefined;
  readonly parameters: readonly Parameter[];
  /** What kind each part of the model is, by path: `Linear`. */
  readonly kinds: ReadonlyMap<string, string>;
  /** What the module exports beside the model and the loss. */
  readonly functions: ReadonlySet<string>;
  /** Takes a step for each batch and gives the losses before them; all go to the engine together. */
  steps(batches: readonly (readonly Input[])[]): Promise<readonly number[]>;
  /** Milliseconds that the engine has spent so far on all that was asked of it beside steps. */
  readonly spent: number;
  /** Gradients of the loss by parameter, without a step. */
  gradients(batch: readonly Input[]): Promise<ReadonlyMap<string, Output>>;
  weights(): Promise<ReadonlyMap<string, Output>>;
  /** All that training needs to go on from here, as bytes, and the way back to it. */
  keep(): Promise<Uint8Array>;
  restore(kept: Uint8Array): Promise<void>;
  /** Calls an exported function. */
  call(name: string, inputs: readonly Input[]): Promise<Output>;
  /** What each part of the model gives on the way of a function, by path. */
  activations(name: string, inputs: readonly Input[]): Promise<ReadonlyMap<string, Output>>;
  explain(batch: readonly Input[]): Promise<Trace>;
  /** The value that a node of the trace has in a step on this batch, which is not taken. */
  probe(batch: readonly Input[], node: number): Promise<Output>;
  /** Microseconds of each kernel of a step; none where the device cannot tell. */
  profile(batch: readonly Input[]): Promise<readonly number[]>;
  memory(): Promise<number>;
  setLR(lr: number): Promise<void>;
  close(): Promise<void>;
}

/** A mistake in the module, at a line where that is known. */
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
