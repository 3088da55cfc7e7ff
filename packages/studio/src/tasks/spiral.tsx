/** Classification of points on three spiral arms: the smallest example. */
import { Boundary, type Points } from '../pictures/boundary.tsx';
import source from './models/spiral.js?raw';
import { accuracy, normal, random, type Task } from './task.ts';

const COUNT = 600;
const ARMS = 3;

const points = ((): Points => {
  const uniform = random(7);
  const [xy, classes] = [new Float32Array(COUNT * 2), new Int32Array(COUNT)];
  for (let n = 0; n < COUNT; n += 1) {
    const arm = n % ARMS;
    const along = Math.sqrt(uniform());
    const angle = 2 * Math.PI * (arm / ARMS + along * 0.85) + normal(uniform) * 0.13;
    xy.set([along * Math.cos(angle), along * Math.sin(angle)], 2 * n);
    classes[n] = arm;
  }
  return { xy, classes };
})();

export const spiral: Task = {
  id: 'spiral',
  title: 'Spiral',
  blurb: 'Separates three spiral arms',
  source,
  defaults: { optimizer: 'adam', lr: 0.005, batch: 128 },
  metric: { name: 'Accuracy', kind: 'share' },
  predictInputs: 1,
  load: async () => {
    const whole = { data: points.xy.slice(), shape: [COUNT, 2] };
    return {
      origin: `${COUNT} points on three arms`,
      batches: (uniform) => (size) => {
        const [x, y] = [new Float32Array(size * 2), new Int32Array(size)];
        for (let n = 0; n < size; n += 1) {
          const pick = Math.floor(uniform() * COUNT);
          x.set(points.xy.subarray(2 * pick, 2 * pick + 2), 2 * n);
          y[n] = points.classes[pick] ?? 0;
        }
        return [{ data: x, shape: [size, 2] }, { data: y, shape: [size] }];
      },
      measure: async (session) => accuracy((await session.call('predict', [whole])).data, points.classes),
    };
  },
  Picture: ({ run }) => <Boundary run={run} points={points} />,
};
