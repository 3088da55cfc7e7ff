/** A growing series of values over steps, binned for display. */

export class Series {
  private at = new Float64Array(1024);
  private values = new Float64Array(1024);
  length = 0;

  push(step: number, value: number): void {
    if (this.length === this.at.length) {
      this.at = grown(this.at);
      this.values = grown(this.values);
    }
    this.at[this.length] = step;
    this.values[this.length] = value;
    this.length += 1;
  }

  clear(): void {
    this.length = 0;
  }

  /** Removes all values after this step. */
  truncate(step: number): void {
    while (this.length > 0 && (this.at[this.length - 1] ?? 0) > step) this.length -= 1;
  }

  get last(): number | undefined {
    return this.length > 0 ? this.values[this.length - 1] : undefined;
  }

  /** The value at a step, if present: a log may lack steps. */
  valueAt(step: number): number | undefined {
    let [from, to] = [0, this.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.at[middle] ?? 0) < step) from = middle + 1;
      else to = middle;
    }
    return from < this.length && this.at[from] === step ? this.values[from] : undefined;
  }

  /** Views of all steps and values, without copying. */
  all(): { readonly at: Float64Array; readonly values: Float64Array } {
    return { at: this.at.subarray(0, this.length), values: this.values.subarray(0, this.length) };
  }

  /** At most `count` bins: step, last value, minimum, maximum, and an exponential moving average. */
  bins(count: number): Bins {
    const mean = new MovingAverage(this.length / SMOOTHING);
    const width = Math.max(1, Math.ceil(this.length / count));
    const bins = Math.ceil(this.length / width);
    const at: number[] = [];
    const last: (number | null)[] = [];
    const low: (number | null)[] = [];
    const high: (number | null)[] = [];
    const smooth: (number | null)[] = [];
    for (let bin = 0; bin < bins; bin += 1) {
      const end = Math.min(this.length, (bin + 1) * width);
      let [least, greatest] = [Infinity, -Infinity];
      for (let n = bin * width; n < end; n += 1) {
        const value = this.values[n] ?? NaN;
        least = Math.min(least, value);
        greatest = Math.max(greatest, value);
        mean.add(value);
      }
      at.push(this.at[end - 1] ?? 0);
      last.push(finite(this.values[end - 1] ?? NaN));
      low.push(finite(least));
      high.push(finite(greatest));
      smooth.push(finite(mean.value));
    }
    return { at, last, low, high, smooth };
  }
}

/** The moving average spans 1/`SMOOTHING` of all values, and at least `MIN_SPAN`. */
const SMOOTHING = 40;
const MIN_SPAN = 20;

/** A bias-corrected exponential moving average over about `over` values. Skips non-finite values. */
class MovingAverage {
  private readonly weight: number;
  private sum = 0;
  private total = 0;

  constructor(over: number) {
    this.weight = 1 - 1 / Math.max(MIN_SPAN, over);
  }

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    this.sum = this.weight * this.sum + (1 - this.weight) * value;
    this.total = this.weight * this.total + (1 - this.weight);
  }

  get value(): number {
    return this.sum / this.total;
  }
}

export interface Bins {
  readonly at: number[];
  readonly last: (number | null)[];
  readonly low: (number | null)[];
  readonly high: (number | null)[];
  readonly smooth: (number | null)[];
}

const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);

function grown(of: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const next = new Float64Array(of.length * 2);
  next.set(of);
  return next;
}
