/** First names, letter by letter: a recurrent network makes up new ones. */
import type { ReactNode } from 'react';
import { Names, drawn } from '../pictures/sampled.tsx';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import source from './models/names.js?raw';
import type { Task } from './task.ts';

/** Letters of a name with its end; longer names are left out. */
const TIME = 12;
const LETTERS = 27;
/** Names made up at once. */
const ROWS = 42;

/** 1 to 26 are letters, 0 is the beginning and the end. */
const code = (letter: string): number => letter.charCodeAt(0) - 96;

async function sample(session: Session): Promise<readonly string[]> {
  const seen = new Int32Array(ROWS * TIME);
  const made = Array.from({ length: ROWS }, () => '');
  const isDone = made.map(() => false);
  for (let at = 0; at < TIME; at += 1) {
    const { data } = await session.call('predict', [{ data: seen.slice(), shape: [ROWS, TIME] }]);
    for (let row = 0; row < ROWS; row += 1) {
      const start = (row * TIME + at) * LETTERS;
      const letter = drawn(data.subarray(start, start + LETTERS));
      isDone[row] ||= letter === 0;
      if (isDone[row]) continue;
      made[row] += String.fromCharCode(letter + 96);
      if (at + 1 < TIME) seen[row * TIME + at + 1] = letter;
    }
  }
  return made;
}

export const names: Task = {
  id: 'names',
  title: 'Names, LSTM',
  blurb: 'Making up first names',
  source,
  defaults: { optimizer: 'adam', lr: 0.004, batch: 64 },
  metric: { name: 'Bits per letter', kind: 'number' },
  predictInputs: 1,
  load: async (say) => {
    say('Loading the names');
    const answer = await fetch('./data/names.txt');
    if (!answer.ok) throw new Error(`the names cannot be loaded: ${answer.status} ${answer.statusText}`);
    const all = (await answer.text()).split('\n').filter((name) => /^[a-z]{2,11}$/.test(name));
    const held = all.filter((_, n) => n % 12 === 0);
    const seen = all.filter((_, n) => n % 12 !== 0);
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
    const test = rows(held);
    return {
      origin: `${all.length.toLocaleString('en')} first names`,
      batches: (uniform) => (size) => rows(Array.from({ length: size }, () => seen[Math.floor(uniform() * seen.length)] ?? '')),
      measure: async (session) => {
        const { data } = await session.call('predict', [test[0]]);
        let [bits, count] = [0, 0];
        test[1].data.forEach((letter, at) => {
          // What follows the end of a name says nothing.
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
