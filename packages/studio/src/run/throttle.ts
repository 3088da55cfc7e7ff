/** Throttles queries to the engine during training, so that they take at most a given share of the time. */
import type { RunView } from './run-view.ts';

/** For the first `WARM_UP` ms of training, queries may take `WARM_UP_FACTOR` times their share. */
const WARM_UP = 3000;
const WARM_UP_FACTOR = 4;

export class Throttle {
  private next = 0;
  private began: number | undefined;
  /** Estimated cost of a query, in ms. */
  private cost: number | undefined;

  /** Queries are at least `least` ms of training apart, and take at most `share` of the training time. */
  constructor(
    private readonly of: RunView,
    private readonly least: number,
    private readonly share: number,
  ) {}

  /** Always true while the run is not training. */
  get isDue(): boolean {
    return !this.of.isRunning || this.of.trainingMs >= this.next;
  }

  async ask<T>(query: () => Promise<T>): Promise<T> {
    const { queryMs, trainingMs, isRunning } = this.of;
    this.began ??= trainingMs;
    try {
      return await query();
    } finally {
      if (isRunning) this.wait(this.of.queryMs - queryMs);
    }
  }

  /**
   * Schedules the next query after one that took `cost` ms. The first includes compilation and is ignored; later
   * estimates grow by at most 1.5 times, which limits outliers.
   */
  private wait(cost: number): void {
    const now = this.of.trainingMs;
    const share = now < (this.began ?? 0) + WARM_UP ? WARM_UP_FACTOR * this.share : this.share;
    const isFirst = this.cost === undefined;
    this.cost = this.cost === undefined ? Infinity : Math.min(cost, 1.5 * this.cost);
    this.next = now + Math.max(this.least, isFirst ? 0 : this.cost / share);
  }

  /** Makes the next query due now. */
  makeDue(): void {
    this.next = 0;
  }

  /** Forgets all estimates. */
  reset(): void {
    this.next = 0;
    this.began = undefined;
    this.cost = undefined;
  }
}
