/** Variational autoencoder of digits with a two-dimensional latent space. */
import { PIXELS, pixels } from '../data/digits.ts';
import { Latent } from '../pictures/latent.tsx';
import { digitsOnce } from './digits.tsx';
import source from './models/vae.js?raw';
import type { Task } from './task.ts';

export const vae: Task = {
  id: 'vae',
  title: 'Digits, VAE',
  blurb: 'Maps digits to a 2D latent space',
  source,
  defaults: { optimizer: 'adam', lr: 0.002, batch: 64 },
  metric: { name: 'Latent RMS', kind: 'number' },
  predictInputs: 1,
  load: async (report) => {
    const digits = await digitsOnce(report);
    const measured = { data: pixels(digits.test, Array.from({ length: 200 }, (_, n) => n)), shape: [200, PIXELS] };
    return {
      origin: digits.origin,
      batches: (uniform) => (size) => {
        const picks = Array.from({ length: size }, () => Math.floor(uniform() * digits.train.labels.length));
        return [{ data: pixels(digits.train, picks), shape: [size, PIXELS] }];
      },
      measure: async (session) => {
        const { data } = await session.call('predict', [measured]);
        let squares = 0;
        for (let row = 0; row < 200; row += 1) squares += (data[row * 4] ?? 0) ** 2 + (data[row * 4 + 1] ?? 0) ** 2;
        return Math.sqrt(squares / 400);
      },
    };
  },
  Picture: Latent,
};
