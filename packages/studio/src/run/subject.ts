/** What the rooms of graph and compiler look at: a run in this page, or one elsewhere. */
import type { Output } from './session.ts';
import type { Trace } from './trace.ts';

export interface Subject {
  /** What changes when another model takes the place of this one. */
  readonly model: object | undefined;
  readonly trace: Trace | undefined;
  /** What is said where there is no trace. */
  readonly traceText: string;
  /** The module that was recorded, where it is known. */
  readonly source: string | undefined;
  /** Microseconds of each kernel of a step, once they were asked for; none where the device cannot tell. */
  readonly micros: readonly number[] | undefined;
  /** Where they were measured. */
  readonly timesNote: string;
  /** The step whose weights values are computed with. */
  readonly valueStep: number;
  readonly isRunning: boolean;
  /** Milliseconds of training so far, and those that answers have taken from it. */
  readonly trained: number;
  readonly spent: number;
  explain(): Promise<void>;
  profile(): Promise<void>;
  valueOf(node: number): Promise<Output>;
}
