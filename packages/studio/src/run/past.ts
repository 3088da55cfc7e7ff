/** The way back: states of a session from a little while ago, and what leads from them to any step since. */
import { Draws, type TaskData } from '../tasks/task.ts';
import type { Input, Session } from './session.ts';
import type { Settings } from './settings.ts';

type Batch = readonly Input[];

/** A state of the session, before a step, and where the draws of batches stood. */
interface Kept {
  readonly step: number;
  readonly draws: number;
  readonly state: Promise<Uint8Array>;
}

/** States that are kept: the latest may hold steps whose losses nobody has seen yet, the one before may be about to fail. */
const STATES = 6;
/** Steps that are taken again at once. */
const TOGETHER = 64;

/** Hands out the batches of a run, and can bring its session back to before any of them. */
export class Past {
  private kept: Kept[] = [];
  /** The learning rates, each from a step on. */
  private rates: { readonly step: number; readonly lr: number }[];
  private draws: Draws;
  private next: (size: number) => Batch;
  /** Steps whose batches were handed out. */
  private sent = 0;

  constructor(
    private readonly session: Session,
    private readonly data: TaskData,
    private readonly settings: Settings,
  ) {
    this.rates = [{ step: 0, lr: settings.lr }];
    this.draws = new Draws(settings.seed);
    this.next = data.batches(this.draws.uniform);
  }

  /** The batches of the next steps, which have to be sent at once. */
  batches(count: number): readonly Batch[] {
    this.sent += count;
    return Array.from({ length: count }, () => this.next(this.settings.batch));
  }

  setLR(lr: number): void {
    // Where it fails the session is gone, and so is all else that is asked of it.
    this.session.setLR(lr).catch(() => undefined);
    this.rates.push({ step: this.sent, lr });
  }

  /** Keeps the state behind all steps that were sent so far. */
  async keep(): Promise<void> {
    if (this.kept.at(-1)?.step === this.sent) return;
    const kept = { step: this.sent, draws: this.draws.at, state: this.session.keep() };
    this.kept = [...this.kept, kept].slice(-STATES);
    await kept.state;
  }

  /**
   * Brings the session to where it was before a step, by taking those before it again; gives the batch of that step.
   * Nothing may be under way.
   */
  async returnTo(step: number): Promise<Batch> {
    const from = this.kept.filter((kept) => kept.step <= step).at(-1);
    if (!from) throw new Error(`the state before step ${step} is gone`);
    await this.session.restore(await from.state);
    const draws = new Draws(from.draws);
    const next = this.data.batches(draws.uniform);
    for (let at = from.step; at < step; ) {
      await this.session.setLR(this.rateAt(at));
      const change = this.rates.find((rate) => rate.step > at)?.step ?? step;
      const count = Math.min(TOGETHER, step - at, change - at);
      await this.session.steps(Array.from({ length: count }, () => next(this.settings.batch)));
      at += count;
    }
    await this.session.setLR(this.rateAt(step));
    return next(this.settings.batch);
  }

  /** The steps before which the state is kept. */
  get steps(): readonly number[] {
    return this.kept.map(({ step }) => step);
  }

  /** Goes on from one of these. What came after it is forgotten. */
  async goOn(step: number, lr: number): Promise<void> {
    const from = this.kept.find((kept) => kept.step === step);
    if (!from) throw new Error(`the state before step ${step} is gone`);
    await this.session.restore(await from.state);
    this.sent = step;
    this.draws = new Draws(from.draws);
    this.next = this.data.batches(this.draws.uniform);
    this.kept = this.kept.filter((kept) => kept.step <= step);
    this.rates = this.rates.filter((rate) => rate.step <= step);
    this.setLR(lr);
  }

  private rateAt(step: number): number {
    return this.rates.filter((rate) => rate.step <= step).at(-1)?.lr ?? this.settings.lr;
  }
}
