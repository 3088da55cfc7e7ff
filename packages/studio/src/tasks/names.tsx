/** Character-level LSTM that generates first names. */
import type { ReactNode } from 'react';
import { Names, sampleIndex } from '../pictures/sampled.tsx';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import source from './models/names.js?raw';
import type { Task } from './task.ts';

/** Sequence length: letters plus the end symbol. Longer names are skipped. */
const TIME = 12;
const LETTERS = 27;
/** Names sampled per update. */
const ROWS = 42;

/** 1 to 26 are letters, 0 is both start and end. */
const code = (letter: string): number => letter.charCodeAt(0) - 96;

async function sample(session: Session): Promise<readonly string[]> {
  const seen = new Int32Array(ROWS * TIME);
  const generated = Array.from({ length: ROWS }, () => '');
  const isDone = generated.map(() => false);
  for (let at = 0; at < TIME; at += 1) {
    const { data } = await session.call('predict', [{ data: seen.slice(), shape: [ROWS, TIME] }]);
    for (let row = 0; row < ROWS; row += 1) {
      const start = (row * TIME + at) * LETTERS;
      const letter = sampleIndex(data.subarray(start, start + LETTERS));
      isDone[row] ||= letter === 0;
      if (isDone[row]) continue;
      generated[row] += String.fromCharCode(letter + 96);
      if (at + 1 < TIME) seen[row * TIME + at + 1] = letter;
    }
  }
  return generated;
}

export const names: Task = {
  id: 'names',
  title: 'Names, LSTM',
  blurb: 'Generates first names',
  source,
  defaults: { optimizer: 'adam', lr: 0.004, batch: 64 },
  metric: { name: 'Bits per letter', kind: 'number' },
  predictInputs: 1,
  load: async (report) => {
    report('Loading names');
    const answer = await fetch('./data/names.txt');
    if (!answer.ok) throw new Error(`failed to load the names: ${answer.status} ${answer.statusText}`);
    const all = (await answer.text()).split('\n').filter((name) => /^[a-z]{2,11}$/.test(name));
    const testNames = all.filter((_, n) => n % 12 === 0);
    const trainNames = all.filter((_, n) => n % 12 !== 0);
    const rows = (chosen: readonly string[]) => {
      const [x, y] = [new Int32Array(chosen.length * TIME), new Int32Array(chosen.length * TIME)];
      chosen.forEach((name, row) => {
        [...name].forEach((letter, at) => {
          y[row * TIME + at] = code(letter);
          if (at + 1 < TIME) x[row * TIME + at + 1] = code(letter);
        });
      });
      const shape = [chosen.length, TIME];
      return [{ data: x, shape }, { data: y, shape }] as const;
    };
    const test = rows(testNames);
    return {
      origin: `${all.length.toLocaleString('en')} first names`,
      batches: (uniform) => (size) => rows(Array.from({ length: size }, () => trainNames[Math.floor(uniform() * trainNames.length)] ?? '')),
      measure: async (session) => {
        const { data } = await session.call('predict', [test[0]]);
        let [bits, count] = [0, 0];
        test[1].data.forEach((letter, at) => {
          // Positions after the end symbol do not count.
          const isPast = at % TIME > 0 && test[1].data[at - 1] === 0;
          if (isPast) return;
          bits -= Math.log2(Math.max(1e-9, data[at * LETTERS + letter] ?? 0));
          count += 1;
        });
        return bits / count;
      },
    };
  },
  Picture: ({ run }: { run: Run }): ReactNode => <Names run={run} sample={sample} />,
};
