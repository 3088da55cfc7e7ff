/** Digit images: MNIST if the server has it, otherwise synthetic digits drawn from strokes. */
import { normal, random } from '../tasks/task.ts';
import { sources } from './sources.ts';

export const SIDE = 28;
export const PIXELS = SIDE * SIDE;

export interface Digits {
  readonly origin: string;
  readonly train: Labelled;
  readonly test: Labelled;
}

export interface Labelled {
  /** One byte per pixel, images consecutive. */
  readonly images: Uint8Array;
  readonly labels: Uint8Array;
}

export async function loadDigits(report: (text: string) => void): Promise<Digits> {
  report('Loading digits');
  const { mnist } = await sources();
  if (mnist) return { origin: 'MNIST, 60,000 images', train: await loadMnist('train'), test: await loadMnist('t10k') };
  const drawn = { train: await draw(6000, 1, report), test: await draw(1000, 2, report) };
  return { origin: 'Synthetic, 6,000 images', ...drawn };
}

async function loadMnist(part: 'train' | 't10k'): Promise<Labelled> {
  const bytes = async (name: string): Promise<Uint8Array> => {
    const answer = await fetch(`/data/mnist/${part}-${name}-ubyte`);
    if (!answer.ok) throw new Error(`failed to load MNIST: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
  };
  const [images, labels] = await Promise.all([bytes('images-idx3'), bytes('labels-idx1')]);
  // IDX headers: 16 bytes for images, 8 for labels.
  return { images: images.subarray(16), labels: labels.subarray(8) };
}

/** A batch of images as model input: pixels from 0 to 1. */
export function pixels({ images }: Labelled, picks: readonly number[]): Float32Array<ArrayBuffer> {
  const out = new Float32Array(picks.length * PIXELS);
  let at = 0;
  for (const pick of picks) {
    const end = (pick + 1) * PIXELS;
    for (let n = pick * PIXELS; n < end; n += 1, at += 1) out[at] = (images[n] as number) * (1 / 255);
  }
  return out;
}

type Point = readonly [number, number];
type Stroke = readonly Point[];

/** Part of an ellipse; angles in turns, clockwise from the right. */
function arc(cx: number, cy: number, rx: number, ry: number, from: number, to: number): Stroke {
  const count = Math.max(3, Math.ceil(Math.abs(to - from) * 12));
  return Array.from({ length: count + 1 }, (_, n) => {
    const angle = 2 * Math.PI * (from + ((to - from) * n) / count);
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)] as const;
  });
}

/** The strokes of each digit, in the unit square. */
const STROKES: readonly (readonly Stroke[])[] = [
  [arc(0.5, 0.5, 0.26, 0.38, 0, 1)],
  [[[0.36, 0.27], [0.54, 0.12], [0.54, 0.88]]],
  [[...arc(0.5, 0.32, 0.24, 0.2, -0.47, 0.06), [0.26, 0.87], [0.77, 0.87]]],
  [[...arc(0.47, 0.31, 0.23, 0.19, -0.42, 0.25), ...arc(0.47, 0.69, 0.26, 0.2, -0.25, 0.4)]],
  [[[0.6, 0.12], [0.22, 0.62], [0.8, 0.62]], [[0.62, 0.36], [0.62, 0.9]]],
  [[[0.73, 0.13], [0.33, 0.13], [0.29, 0.45], ...arc(0.48, 0.64, 0.26, 0.24, -0.33, 0.4)]],
  [[[0.64, 0.12], [0.4, 0.36], ...arc(0.5, 0.66, 0.23, 0.23, -0.45, 0.52)]],
  [[[0.24, 0.14], [0.76, 0.14], [0.42, 0.9]]],
  [arc(0.5, 0.31, 0.2, 0.19, 0, 1), arc(0.5, 0.69, 0.24, 0.2, 0, 1)],
  [[...arc(0.5, 0.34, 0.22, 0.22, 0.03, 1.03), [0.66, 0.9]]],
];

async function draw(count: number, seed: number, report: (text: string) => void): Promise<Labelled> {
  const uniform = random(seed);
  const images = new Uint8Array(count * PIXELS);
  const labels = new Uint8Array(count);
  for (let n = 0; n < count; n += 1) {
    const label = Math.floor(uniform() * 10);
    labels[n] = label;
    drawOne(images.subarray(n * PIXELS, (n + 1) * PIXELS), STROKES[label] ?? [], uniform);
    if (n % 250 === 249) {
      report(`Generating digits: ${n + 1} of ${count}`);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  return { images, labels };
}

/** Draws strokes with random rotation, shear, scale, translation, jitter and pen width. */
function drawOne(into: Uint8Array, strokes: readonly Stroke[], uniform: () => number): void {
  const spread = (by: number): number => (2 * uniform() - 1) * by;
  const [turn, shear] = [spread(0.24), spread(0.25)];
  const [wide, high] = [18 * (1 + spread(0.18)), 20 * (1 + spread(0.12))];
  const [right, down] = [14 + spread(2.2), 14 + spread(2.2)];
  const pen = 0.9 + uniform() * 1.0;
  const ink = 200 + uniform() * 55;
  const place = ([x, y]: Point): Point => {
    const [u, v] = [(x - 0.5 + normal(uniform) * 0.012) * wide, (y - 0.5 + normal(uniform) * 0.012) * high];
    const w = u - shear * v;
    return [right + w * Math.cos(turn) - v * Math.sin(turn), down + w * Math.sin(turn) + v * Math.cos(turn)];
  };
  for (const stroke of strokes) {
    const points = stroke.map(place);
    for (let n = 1; n < points.length; n += 1) line(into, points[n - 1] as Point, points[n] as Point, pen, ink);
  }
}

function line(into: Uint8Array, [ax, ay]: Point, [bx, by]: Point, pen: number, ink: number): void {
  const reach = pen + 1;
  const within = (x: number): number => Math.max(0, Math.min(SIDE - 1, x));
  const [left, right] = [within(Math.floor(Math.min(ax, bx) - reach)), within(Math.ceil(Math.max(ax, bx) + reach))];
  const [top, bottom] = [within(Math.floor(Math.min(ay, by) - reach)), within(Math.ceil(Math.max(ay, by) + reach))];
  const [dx, dy] = [bx - ax, by - ay];
  const square = Math.max(1e-9, dx * dx + dy * dy);
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square));
      const distance = Math.hypot(x - ax - along * dx, y - ay - along * dy);
      const value = ink * Math.max(0, Math.min(1, pen + 0.5 - distance));
      const at = y * SIDE + x;
      if (value > (into[at] ?? 0)) into[at] = value;
    }
  }
}
