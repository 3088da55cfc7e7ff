/** An example of the studio: data, the initial model source and a visualization. */
import type { ComponentType } from 'react';
import type { Run } from '../run/run.ts';
import type { Input, Session } from '../run/session.ts';
import type { Settings } from '../run/settings.ts';

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly blurb: string;
  /** Initial source of the module: exports `model`, `loss`, and functions that the visualization calls. */
  readonly source: string;
  readonly defaults: Pick<Settings, 'optimizer' | 'lr' | 'batch'>;
  readonly metric: { readonly name: string; readonly kind: 'share' | 'number' };
  /** Number of leading batch inputs that `predict` takes. */
  readonly predictInputs: number;
  load(report: (text: string) => void): Promise<TaskData>;
  /** Visualization of the model's predictions. */
  readonly Picture: ComponentType<{ readonly run: Run }>;
}

export interface TaskData {
  /** Description of the dataset for the UI. */
  readonly origin: string;
  /** An endless source of batches, a function of the random numbers only: the same stream gives the same batches. */
  batches(uniform: () => number): (size: number) => readonly Input[];
  measure?(session: Session): Promise<number>;
}

/** A uniform random stream. A new stream from `position` continues with the same numbers. */
export class RandomStream {
  private state: number;

  constructor(from: number) {
    this.state = from >>> 0;
  }

  get at(): number {
    return this.state;
  }

  readonly uniform = (): number => {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let x = this.state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) / 4294967296;
  };
}

export const random = (seed: number): (() => number) => new RandomStream(seed).uniform;

export function normal(uniform: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** The fraction of rows whose largest score is at the label. */
export function accuracy(scores: Float32Array, labels: ArrayLike<number>): number {
  const classes = scores.length / labels.length;
  let right = 0;
  for (let row = 0; row < labels.length; row += 1) {
    if (argmax(scores.subarray(row * classes, (row + 1) * classes)) === labels[row]) right += 1;
  }
  return right / labels.length;
}

export function argmax(values: ArrayLike<number>): number {
  let best = 0;
  for (let n = 1; n < values.length; n += 1) {
    if ((values[n] as number) > (values[best] as number)) best = n;
  }
  return best;
}
