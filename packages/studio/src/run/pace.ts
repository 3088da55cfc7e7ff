/** When something may be asked of the engine beside training: so seldom that it takes a small share of the time. */
import type { Subject } from './subject.ts';

/** A beginning is looked at more closely: for so many ms questions may take so many times their share. */
const BEGINNING = 3000;
const CLOSER = 4;

export class Pace {
  private next = 0;
  private began: number | undefined;
  /** What a question costs, in ms. */
  private cost: number | undefined;

  /** At least `least` ms of training lie between two questions, and so many that they take at most `share` of it. */
  constructor(
    private readonly of: Subject,
    private readonly least: number,
    private readonly share: number,
  ) {}

  /** A run that stands still is kept from nothing. */
  get isDue(): boolean {
    return !this.of.isRunning || this.of.trained >= this.next;
  }

  async ask<T>(question: () => Promise<T>): Promise<T> {
    const { spent, trained, isRunning } = this.of;
    this.began ??= trained;
    try {
      return await question();
    } finally {
      if (isRunning) this.wait(this.of.spent - spent);
    }
  }

  /**
   * Puts the next question off, after one that took so many ms. The first has to compile and says nothing of the others;
   * one that took long by chance counts little.
   */
  private wait(cost: number): void {
    const now = this.of.trained;
    const share = now < (this.began ?? 0) + BEGINNING ? CLOSER * this.share : this.share;
    const isFirst = this.cost === undefined;
    this.cost = this.cost === undefined ? Infinity : Math.min(cost, 1.5 * this.cost);
    this.next = now + Math.max(this.least, isFirst ? 0 : this.cost / share);
  }

  /** Lets the next question be asked at once. */
  hurry(): void {
    this.next = 0;
  }

  /** Begins anew. */
  reset(): void {
    this.next = 0;
    this.began = undefined;
    this.cost = undefined;
  }
}
