/** Summary statistics and histograms of a tensor's elements. */

export interface Stats {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
  readonly zeros: number;
  /** NaN and infinities. */
  readonly broken: number;
}

export function statsOf(values: ArrayLike<number>): Stats {
  let [min, max, sum, squares, zeros, broken] = [Infinity, -Infinity, 0, 0, 0, 0];
  for (let n = 0; n < values.length; n += 1) {
    const x = values[n] as number;
    if (!Number.isFinite(x)) {
      broken += 1;
      continue;
    }
    if (x < min) min = x;
    if (x > max) max = x;
    if (x === 0) zeros += 1;
    sum += x;
    squares += x * x;
  }
  const count = values.length;
  const good = Math.max(1, count - broken);
  const mean = sum / good;
  const deviation = Math.sqrt(Math.max(0, squares / good - mean * mean));
  return { count, min, max, mean, deviation, zeros, broken };
}

export function normOf(values: ArrayLike<number>): number {
  let squares = 0;
  for (let n = 0; n < values.length; n += 1) squares += (values[n] as number) ** 2;
  return Math.sqrt(squares);
}

export interface Histogram {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly number[];
}

export function histogramOf(values: ArrayLike<number>, bins = 48): Histogram {
  const { min, max } = statsOf(values);
  const counts = new Array<number>(bins).fill(0);
  if (!(min <= max)) return { from: 0, to: 1, counts };
  const [from, to] = min === max ? [min - 0.5, max + 0.5] : [min, max];
  const scale = bins / (to - from);
  for (let n = 0; n < values.length; n += 1) {
    const x = values[n] as number;
    if (!Number.isFinite(x)) continue;
    const bin = Math.min(bins - 1, Math.floor((x - from) * scale));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { from, to, counts };
}
