/** Recent checkpoints of a session, and everything needed to replay steps from them. */
import { RandomStream, type TaskData } from '../tasks/task.ts';
import type { Input, Session } from './session.ts';
import type { Settings } from './settings.ts';

type Batch = readonly Input[];

/** The session state before a step, and the position of the random stream that selects batches. */
interface Checkpoint {
  readonly step: number;
  readonly draws: number;
  readonly state: Promise<Uint8Array>;
}

/** Number of checkpoints kept: the latest may include steps whose losses are not known yet. */
const MAX_CHECKPOINTS = 6;
/** Steps replayed per request. */
const REPLAY_BATCH = 64;

/** Supplies the batches of a run, and can rewind its session to before any recent step. */
export class RunHistory {
  private checkpoints: Checkpoint[] = [];
  /** Learning rates, each with the step from which it applies. */
  private rates: { readonly step: number; readonly lr: number }[];
  private draws: RandomStream;
  private next: (size: number) => Batch;
  /** Number of batches supplied so far. */
  private sent = 0;

  constructor(
    private readonly session: Session,
    private readonly data: TaskData,
    private readonly settings: Settings,
  ) {
    this.rates = [{ step: 0, lr: settings.lr }];
    this.draws = new RandomStream(settings.seed);
    this.next = data.batches(this.draws.uniform);
  }

  /** The batches of the next steps. The caller must send them immediately. */
  batches(count: number): readonly Batch[] {
    this.sent += count;
    return Array.from({ length: count }, () => this.next(this.settings.batch));
  }

  setLR(lr: number): void {
    // A failure means that the session is closed: later requests report it.
    this.session.setLR(lr).catch(() => undefined);
    this.rates.push({ step: this.sent, lr });
  }

  /** Checkpoints the state after all steps sent so far. */
  async checkpoint(): Promise<void> {
    if (this.checkpoints.at(-1)?.step === this.sent) return;
    const checkpoint = { step: this.sent, draws: this.draws.at, state: this.session.checkpoint() };
    this.checkpoints = [...this.checkpoints, checkpoint].slice(-MAX_CHECKPOINTS);
    await checkpoint.state;
  }

  /**
   * Rewinds the session to before a step, by replaying steps from the last checkpoint. Returns the batch of that step.
   * No request may be in flight.
   */
  async rewindTo(step: number): Promise<Batch> {
    const from = this.checkpoints.filter((checkpoint) => checkpoint.step <= step).at(-1);
    if (!from) throw new Error(`no checkpoint before step ${step} is left`);
    await this.session.restore(await from.state);
    const draws = new RandomStream(from.draws);
    const next = this.data.batches(draws.uniform);
    for (let at = from.step; at < step; ) {
      await this.session.setLR(this.rateAt(at));
      const change = this.rates.find((rate) => rate.step > at)?.step ?? step;
      const count = Math.min(REPLAY_BATCH, step - at, change - at);
      await this.session.steps(Array.from({ length: count }, () => next(this.settings.batch)));
      at += count;
    }
    await this.session.setLR(this.rateAt(step));
    return next(this.settings.batch);
  }

  /** The steps of all checkpoints. */
  get steps(): readonly number[] {
    return this.checkpoints.map(({ step }) => step);
  }

  /** Resumes from the checkpoint of a step, and discards everything after it. */
  async resumeFrom(step: number, lr: number): Promise<void> {
    const from = this.checkpoints.find((checkpoint) => checkpoint.step === step);
    if (!from) throw new Error(`no checkpoint before step ${step} is left`);
    await this.session.restore(await from.state);
    this.sent = step;
    this.draws = new RandomStream(from.draws);
    this.next = this.data.batches(this.draws.uniform);
    this.checkpoints = this.checkpoints.filter((checkpoint) => checkpoint.step <= step);
    this.rates = this.rates.filter((rate) => rate.step <= step);
    this.setLR(lr);
  }

  private rateAt(step: number): number {
    return this.rates.filter((rate) => rate.step <= step).at(-1)?.lr ?? this.settings.lr;
  }
}
