/** A small character-level GPT on Shakespeare that generates text while it trains. */
import type { ReactNode } from 'react';
import { Writing, sampleIndex } from '../pictures/sampled.tsx';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import source from './models/text.js?raw';
import type { Task } from './task.ts';

/** Context length in characters. */
const TIME = 48;
const CHARACTERS = `\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`;
/** Characters generated per update. */
const AT_ONCE = 3;

const code = (character: string): number => Math.max(0, CHARACTERS.indexOf(character));

async function next(session: Session, so: string): Promise<string> {
  let generated = '';
  for (let n = 0; n < AT_ONCE; n += 1) {
    // Padding goes at the end: causal attention ignores it.
    const seen = (so + generated).slice(-TIME) || '\n';
    const data = Int32Array.from({ length: TIME }, (_, at) => code(seen[at] ?? '\n'));
    const likely = (await session.call('predict', [{ data, shape: [1, TIME] }])).data;
    const start = (seen.length - 1) * CHARACTERS.length;
    generated += CHARACTERS[sampleIndex(likely.subarray(start, start + CHARACTERS.length))] ?? ' ';
  }
  return generated;
}

export const text: Task = {
  id: 'text',
  title: 'Text, GPT',
  blurb: 'Generates Shakespeare',
  source,
  defaults: { optimizer: 'adamw', lr: 0.002, batch: 16 },
  metric: { name: 'Bits / character', kind: 'number' },
  predictInputs: 1,
  load: async (report) => {
    report('Loading text');
    const answer = await fetch('./data/shakespeare.txt');
    if (!answer.ok) throw new Error(`failed to load the text: ${answer.status} ${answer.statusText}`);
    const all = Int32Array.from(await answer.text(), code);
    const end = Math.floor(all.length * 0.95);
    const rows = (starts: readonly number[]) => {
      const [x, y] = [new Int32Array(starts.length * TIME), new Int32Array(starts.length * TIME)];
      starts.forEach((start, row) => {
        x.set(all.subarray(start, start + TIME), row * TIME);
        y.set(all.subarray(start + 1, start + 1 + TIME), row * TIME);
      });
      const shape = [starts.length, TIME];
      return [{ data: x, shape }, { data: y, shape }] as const;
    };
    const test = rows(Array.from({ length: 16 }, (_, n) => end + n * TIME));
    return {
      origin: `${all.length.toLocaleString('en')} characters of Shakespeare`,
      batches: (uniform) => (size) => rows(Array.from({ length: size }, () => Math.floor(uniform() * (end - TIME - 1)))),
      measure: async (session) => {
        const { data } = await session.call('predict', [test[0]]);
        let bits = 0;
        test[1].data.forEach((character, at) => {
          bits -= Math.log2(Math.max(1e-9, data[at * CHARACTERS.length + character] ?? 0));
        });
        return bits / test[1].data.length;
      },
    };
  },
  Picture: ({ run }: { run: Run }): ReactNode => <Writing run={run} next={next} />,
};
