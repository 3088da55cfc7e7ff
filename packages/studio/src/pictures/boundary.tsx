/** Which class a model sees at each point of the plane, with the points it learns from. */
import { useCallback, type ReactNode } from 'react';
import type { Run } from '../run/run.ts';
import { Canvas, bitmap, type Brush } from '../ui/canvas.tsx';
import { classColour, css, mix, type Colour } from '../ui/color.ts';
import { useLive } from './use-live.ts';

/** Cells along one side of the plane, which reaches from -REACH to REACH. */
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
    ({ to, width, height, colours }: Brush) => {
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
        to.imageSmoothingEnabled = true;
        to.drawImage(image, left, top, side, side);
      }
      const radius = Math.max(1.6, side / 190);
      for (let n = 0; n < points.classes.length; n += 1) {
        const place = (x: number): number => (x / REACH / 2 + 0.5) * side;
        to.beginPath();
        to.arc(left + place(points.xy[2 * n] ?? 0), top + place(points.xy[2 * n + 1] ?? 0), radius, 0, 7);
        to.fillStyle = css(classColour(colours, points.classes[n] ?? 0));
        to.strokeStyle = css(colours.ground);
        to.lineWidth = 1;
        to.stroke();
        to.fill();
      }
    },
    [answer, points],
  );
  return <Canvas draw={draw} label="Decision boundary of the model with the training points" />;
}
