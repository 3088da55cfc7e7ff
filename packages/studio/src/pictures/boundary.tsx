/** Decision boundary of a 2D classifier with its training points. */
import { useCallback, type ReactNode } from 'react';
import type { Run } from '../run/run.ts';
import { Canvas, bitmap, type DrawContext } from '../ui/canvas.tsx';
import { classColour, css, mix, type Colour } from '../ui/color.ts';
import { useLive } from './use-live.ts';

/** Grid cells per side; the plane covers -REACH to REACH. */
const CELLS = 72;
const REACH = 1.15;

export interface Points {
  readonly xy: Float32Array;
  readonly classes: Int32Array;
}

const plane = ((): Float32Array<ArrayBuffer> => {
  const at = new Float32Array(CELLS * CELLS * 2);
  for (let n = 0; n < CELLS * CELLS; n += 1) {
    at[2 * n] = (((n % CELLS) + 0.5) / CELLS - 0.5) * 2 * REACH;
    at[2 * n + 1] = ((Math.floor(n / CELLS) + 0.5) / CELLS - 0.5) * 2 * REACH;
  }
  return at;
})();

export function Boundary({ run, points }: { run: Run; points: Points }): ReactNode {
  const answer = useLive(run, 120, (session) => session.call('predict', [{ data: plane, shape: [CELLS * CELLS, 2] }]));
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      const side = Math.min(width, height);
      const [left, top] = [(width - side) / 2, (height - side) / 2];
      if (answer) {
        const classes = answer.shape.at(-1) ?? 1;
        const image = bitmap(CELLS, CELLS, (n) => {
          let colour: Colour = [0, 0, 0];
          for (let k = 0; k < classes; k += 1) {
            const part = classColour(colours, k);
            const weight = answer.data[n * classes + k] ?? 0;
            colour = [colour[0] + part[0] * weight, colour[1] + part[1] * weight, colour[2] + part[2] * weight];
          }
          return mix(colours.ground, colour, 0.5);
        });
        context.imageSmoothingEnabled = true;
        context.drawImage(image, left, top, side, side);
      }
      const radius = Math.max(1.6, side / 190);
      for (let n = 0; n < points.classes.length; n += 1) {
        const place = (x: number): number => (x / REACH / 2 + 0.5) * side;
        context.beginPath();
        context.arc(left + place(points.xy[2 * n] ?? 0), top + place(points.xy[2 * n + 1] ?? 0), radius, 0, 7);
        context.fillStyle = css(classColour(colours, points.classes[n] ?? 0));
        context.strokeStyle = css(colours.ground);
        context.lineWidth = 1;
        context.stroke();
        context.fill();
      }
    },
    [answer, points],
  );
  return <Canvas draw={draw} label="Decision boundary of the model with the training points" />;
}
