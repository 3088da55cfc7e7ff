/** What the graph and compiler panels need of a run, in this page or native. */
import type { Output } from './session.ts';
import type { Trace } from './trace.ts';

export interface RunView {
  /** Identity of the model: changes when it is replaced. */
  readonly model: object | undefined;
  readonly trace: Trace | undefined;
  /** The text shown while there is no trace. */
  readonly traceText: string;
  /** Source of the recorded module, if known. */
  readonly source: string | undefined;
  /** Microseconds of each kernel of a step, once profiled; empty if the device cannot time kernels. */
  readonly micros: readonly number[] | undefined;
  /** Where the times were measured. */
  readonly timesNote: string;
  /** The step whose weights `valueOf` uses. */
  readonly valueStep: number;
  readonly isRunning: boolean;
  /** Milliseconds of training so far, and those spent on queries. */
  readonly trainingMs: number;
  readonly queryMs: number;
  explain(): Promise<void>;
  profile(): Promise<void>;
  valueOf(node: number): Promise<Output>;
}
