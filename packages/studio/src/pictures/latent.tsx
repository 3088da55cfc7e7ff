/** Decoded images over a grid of the autoencoder's two-dimensional latent space. */
import { useCallback, type ReactNode } from 'react';
import { PIXELS, SIDE } from '../data/digits.ts';
import type { Run } from '../run/run.ts';
import { Canvas, shaded, type DrawContext } from '../ui/canvas.tsx';
import { mix } from '../ui/color.ts';
import { useLive } from './use-live.ts';

/** Images per side; the plane covers -REACH to REACH. */
const ACROSS = 12;
const REACH = 2;

const codes = ((): Float32Array<ArrayBuffer> => {
  const place = (n: number): number => ((n + 0.5) / ACROSS - 0.5) * 2 * REACH;
  const at = new Float32Array(ACROSS * ACROSS * 2);
  for (let n = 0; n < ACROSS * ACROSS; n += 1) at.set([place(n % ACROSS), place(Math.floor(n / ACROSS))], 2 * n);
  return at;
})();

export function Latent({ run }: { run: Run }): ReactNode {
  const answer = useLive(run, 300, (session) => session.call('decode', [{ data: codes, shape: [ACROSS * ACROSS, 2] }]));
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      if (!answer) return;
      const side = Math.min(width, height);
      const ground = mix(colours.ground, colours.ink, 0.04);
      const image = shaded(ACROSS * SIDE, ACROSS * SIDE, (level) => mix(ground, colours.ink, level), (n) => {
        const [x, y] = [n % (ACROSS * SIDE), Math.floor(n / (ACROSS * SIDE))];
        const which = Math.floor(y / SIDE) * ACROSS + Math.floor(x / SIDE);
        return answer.data[which * PIXELS + (y % SIDE) * SIDE + (x % SIDE)] ?? 0;
      });
      context.drawImage(image, (width - side) / 2, (height - side) / 2, side, side);
    },
    [answer],
  );
  return <Canvas draw={draw} label="Decoded images over the 2D latent space" />;
}
