/** Digit classification, with an MLP and with a CNN. */
import type { ReactNode } from 'react';
import { PIXELS, loadDigits, pixels, type Digits } from '../data/digits.ts';
import { DigitPad } from '../pictures/digit-pad.tsx';
import type { Run } from '../run/run.ts';
import { accuracy, type Task, type TaskData } from './task.ts';
import cnn from './models/digits-cnn.js?raw';
import mlp from './models/digits-mlp.js?raw';

/** Number of test digits used to measure accuracy. */
const MEASURED = 500;

export interface DigitsData extends TaskData {
  readonly digits: Digits;
}

let loaded: Promise<Digits> | undefined;

/** The digits, loaded once for all tasks. */
export function digitsOnce(report: (text: string) => void): Promise<Digits> {
  loaded ??= loadDigits(report).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(report: (text: string) => void): Promise<DigitsData> {
  const digits = await digitsOnce(report);
  const picks = Array.from({ length: MEASURED }, (_, n) => n);
  const measured = { data: pixels(digits.test, picks), shape: [MEASURED, PIXELS] };
  const labels = digits.test.labels.subarray(0, MEASURED);
  return {
    digits,
    origin: digits.origin,
    batches: (uniform) => (size) => {
      const picks = Array.from({ length: size }, () => Math.floor(uniform() * digits.train.labels.length));
      const y = Int32Array.from(picks, (pick) => digits.train.labels[pick] ?? 0);
      return [{ data: pixels(digits.train, picks), shape: [size, PIXELS] }, { data: y, shape: [size] }];
    },
    measure: async (session) => accuracy((await session.call('predict', [measured])).data, labels),
  };
}

function Picture({ run }: { run: Run }): ReactNode {
  return <DigitPad run={run} test={(run.data as DigitsData | undefined)?.digits.test} />;
}

const common = {
  metric: { name: 'Test accuracy', kind: 'share' },
  predictInputs: 1,
  load,
  Picture,
} as const;

export const digitsMlp: Task = {
  ...common,
  id: 'digits-mlp',
  title: 'Digits, MLP',
  blurb: 'Handwriting, two dense layers',
  source: mlp,
  defaults: { optimizer: 'adam', lr: 0.001, batch: 64 },
};

export const digitsCnn: Task = {
  ...common,
  id: 'digits-cnn',
  title: 'Digits, CNN',
  blurb: 'Handwriting, convolutions',
  source: cnn,
  defaults: { optimizer: 'adam', lr: 0.002, batch: 32 },
};
