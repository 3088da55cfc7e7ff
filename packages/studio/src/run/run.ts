/** One run: a model being trained, what was measured of it, and the loop that drives it. */
import { findTask } from '../tasks/index.ts';
import { Draws, type Task, type TaskData } from '../tasks/task.ts';
import { withColumn, type FlowColumn } from './flow.ts';
import { activationFindings, firstBroken, gradientFindings, type Finding } from './health.ts';
import { hunt, type Catch } from './hunt.ts';
import { Pace } from './pace.ts';
import { Past } from './past.ts';
import { Series } from './series.ts';
import { ModuleError, type Input, type Output, type Session } from './session.ts';
import type { Settings } from './settings.ts';
import { normOf } from './stats.ts';
import type { Subject } from './subject.ts';
import type { Trace } from './trace.ts';

export type State = 'loading' | 'paused' | 'running' | 'failed';

export interface Look {
  readonly step: number;
  readonly weights: ReadonlyMap<string, Output>;
  readonly gradients: ReadonlyMap<string, Output>;
}

export interface Failure {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The part of the model where something that is not finite appeared first, and the node. */
  readonly where?: string;
  readonly node?: number;
  /** The step before which all was still well: one can go on from there. */
  readonly good?: number;
}

/** Steps that were sent together and have not been answered yet. */
interface Sent {
  readonly batches: readonly (readonly Input[])[];
  readonly losses: Promise<readonly number[]>;
}

/** Steps that are timed for one picture of them. */
const TIMED = 5;
/** Screens are told at most this often, in ms. */
const PACE = 100;
/** How much of the time is spent on looking at gradients and activations, and as much on measuring. */
const LOOKING = 0.01;
/**
 * Steps are sent several at once, as many as take about so long, in ms, and at most so many; so many requests are under
 * way, and the engine never waits for a page that draws. What a person changes applies after what was sent.
 */
const TOGETHER = 16;
const MOST_TOGETHER = 64;
const AHEAD = 3;
/** How often it is counted how fast steps are, in ms. */
const COUNTING = 500;

export class Run implements Subject {
  state: State = 'loading';
  progress = 'Starting the engine';
  failure: Failure | undefined;
  /** What a person should know of where it runs. */
  notice: string | undefined;
  task: Task;
  source: string;
  data: TaskData | undefined;
  session: Session | undefined;
  step = 0;
  readonly loss = new Series();
  readonly metric = new Series();
  flow: readonly FlowColumn[] = [];
  findings: readonly Finding[] = [];
  look: Look | undefined;
  wantsLook = false;
  trace: Trace | undefined;
  /** Why there is no trace. */
  traceProblem: string | undefined;
  micros: readonly number[] | undefined;
  memory = 0;
  stepsPerSecond = 0;
  /** Whether to stop at the first value that is not finite. */
  watches = true;

  private listeners = new Set<() => void>();
  private version = 0;
  private told = 0;
  private pending: ReturnType<typeof setTimeout> | undefined;
  private life = 0;
  private lastBatch: readonly Input[] | undefined;
  private past: Past | undefined;
  private loop: Promise<void> = Promise.resolve();
  private speed = { at: 0, step: 0 };
  private readonly looking = new Pace(this, 250, LOOKING);
  private readonly measuring = new Pace(this, 100, LOOKING);
  /** Training until it was last started, in ms, and when that was. */
  private trainedBefore = 0;
  private started = 0;
  private isLooking = false;
  private looks: Promise<void> = Promise.resolve();
  /** What is to be done between two steps. */
  private waiting: (() => Promise<void>)[] = [];
  /** What a person has written and not run yet, by task. */
  private readonly drafts = new Map<string, string>();

  constructor(public settings: Settings) {
    this.task = findTask(settings.task);
    this.source = this.task.source;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): number => this.version;

  /** Tells the screens, not more often than they can draw. */
  private tell(now = false): void {
    if (now) {
      clearTimeout(this.pending);
      this.pending = undefined;
      this.told = performance.now();
      this.version += 1;
      for (const listener of this.listeners) listener();
    } else {
      this.pending ??= setTimeout(() => this.tell(true), Math.max(0, PACE - (performance.now() - this.told)));
    }
  }

  /** Begins anew: with other settings, another task or another source. */
  async open(settings: Settings = this.settings, source?: string): Promise<void> {
    const life = (this.life += 1);
    const isOther = settings.task !== this.task.id;
    this.settings = settings;
    this.task = findTask(settings.task);
    this.source = source ?? (isOther ? this.task.source : this.source);
    this.state = 'loading';
    this.progress = 'Starting the engine';
    this.failure = undefined;
    this.notice = undefined;
    this.clear();
    this.tell(true);
    await this.loop;
    await this.looks;
    const old = this.session;
    this.session = undefined;
    this.past = undefined;
    if (isOther) this.data = undefined;
    try {
      await old?.close();
      const say = (text: string): void => {
        this.progress = text;
        this.tell();
      };
      const data = this.data ?? (await this.task.load(say));
      if (life !== this.life) return;
      say('Compiling the model');
      // The engine is loaded with the first session: the page is there before it.
      const { openSession } = await import('./brasa.ts').catch((error: unknown) => {
        throw new Error(`The engine cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
      });
      const session = await openSession(settings, this.source);
      if (life !== this.life) return await session.close();
      this.settings = { ...this.settings, device: session.deviceName };
      this.notice = session.notice;
      this.data = data;
      this.session = session;
      this.past = new Past(session, data, settings);
      // The rate may have been changed meanwhile.
      this.past.setLR(this.settings.lr);
      await this.past.keep();
      this.state = 'paused';
      await this.measuring.ask(() => this.measure(session, data));
    } catch (error) {
      if (life === this.life) this.fail(error);
    }
    this.tell(true);
  }

  start(): void {
    if (this.state !== 'paused') return;
    this.started = performance.now();
    this.state = 'running';
    this.speed = { at: this.started, step: this.step };
    const { life } = this;
    this.loop = this.loop.then(() => this.train(life));
    this.tell(true);
  }

  pause(): void {
    if (this.state !== 'running') return;
    this.trainedBefore = this.trained;
    this.state = 'paused';
    this.tell(true);
  }

  /** Takes one step. */
  async single(): Promise<void> {
    if (this.state !== 'paused') return;
    const { life } = this;
    this.loop = this.loop.then(async () => {
      if (life !== this.life || this.state !== 'paused') return;
      await this.settle(life, this.send(1));
      this.tell(true);
    });
    await this.loop;
  }

  /** Goes on after a value that was not finite, from when all was still well. */
  async goOn(): Promise<void> {
    const { past, life } = this;
    const step = this.failure?.good;
    if (step === undefined || !past) return;
    this.failure = undefined;
    await past.goOn(step, this.settings.lr);
    if (life !== this.life) return;
    this.step = step;
    for (const series of [this.loss, this.metric]) series.cut(step - 1);
    this.flow = this.flow.filter((column) => column.step <= step);
    this.state = 'paused';
    this.start();
  }

  /** What the editor shows: what was written last, run or not. */
  get draft(): string {
    return this.drafts.get(this.task.id) ?? this.source;
  }

  setDraft(text: string): void {
    this.drafts.set(this.task.id, text);
  }

  setLR(lr: number): void {
    this.settings = { ...this.settings, lr };
    this.past?.setLR(lr);
    this.tell(true);
  }

  setWatch(watches: boolean): void {
    this.watches = watches;
    this.tell(true);
  }

  /** Asks for the weights and gradients of the next steps. */
  setLook(wanted: boolean): void {
    this.wantsLook = wanted;
    this.looking.hurry();
    const { life } = this;
    if (wanted && this.state === 'paused') this.loop = this.loop.then(() => (life === this.life ? this.inspect() : undefined));
  }

  get model(): object | undefined {
    return this.session;
  }

  get traceText(): string {
    return this.failure?.message ?? this.traceProblem ?? (this.state === 'loading' ? this.progress : 'Asking the engine what it has recorded');
  }

  get timesNote(): string {
    return `on ${this.session?.device ?? 'the CPU'}`;
  }

  get valueStep(): number {
    return this.step;
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  get trained(): number {
    return this.trainedBefore + (this.isRunning ? performance.now() - this.started : 0);
  }

  get spent(): number {
    return this.session?.spent ?? 0;
  }

  /** What became of the graph; asked of the engine once for each session. */
  async explain(): Promise<void> {
    if (this.trace || this.traceProblem !== undefined || !this.session || !this.data) return;
    const { session, life } = this;
    const batch = this.someBatch(this.data);
    try {
      const trace = await session.explain(batch);
      if (life === this.life) this.trace = trace;
    } catch (error) {
      // Training goes on all the same.
      if (life === this.life) this.traceProblem = error instanceof Error ? error.message : String(error);
    }
    this.tell(true);
  }

  /** The value that a node of the trace has for the last batch, with the weights of now. */
  async valueOf(node: number): Promise<Output> {
    if (!this.session || !this.data) throw new Error('nothing runs');
    return this.session.probe(this.someBatch(this.data), node);
  }

  /** Times the kernels of a step: the least of a few, as other work of the machine only adds to it. */
  async profile(): Promise<void> {
    const { life } = this;
    if (this.isRunning) return new Promise((resolve) => this.waiting.push(() => this.time(life).then(resolve)));
    this.loop = this.loop.then(() => this.time(life));
    return this.loop;
  }

  private async time(life: number): Promise<void> {
    const { session } = this;
    if (!session || !this.data || life !== this.life) return;
    // What is looked at meanwhile would be the timed step.
    await this.looks;
    const batch = this.someBatch(this.data);
    try {
      let least: readonly number[] | undefined;
      for (let time = 0; time < TIMED && life === this.life; time += 1) {
        const micros = await session.profile(batch);
        least = least?.map((before, n) => Math.min(before, micros[n] ?? before)) ?? micros;
      }
      if (life === this.life) this.micros = least;
    } catch (error) {
      if (life === this.life) this.fail(error);
    }
    this.tell(true);
  }

  /** The batch of the last step, or one like it. */
  private someBatch(data: TaskData): readonly Input[] {
    return this.lastBatch ?? data.batches(new Draws(this.settings.seed).uniform)(this.settings.batch);
  }

  private clear(): void {
    this.step = 0;
    this.loss.clear();
    this.metric.clear();
    this.flow = [];
    this.findings = [];
    this.look = undefined;
    this.trace = undefined;
    this.traceProblem = undefined;
    this.micros = undefined;
    this.lastBatch = undefined;
    this.stepsPerSecond = 0;
    this.trainedBefore = 0;
    this.looking.reset();
    this.measuring.reset();
  }

  private async train(life: number): Promise<void> {
    const sent: Sent[] = [];
    const goesOn = (): boolean => this.state === 'running' && life === this.life;
    while (goesOn()) {
      // What waits is done once nothing is under way.
      const wanted = this.waiting.length > 0 ? 0 : AHEAD;
      while (sent.length < wanted) sent.push(this.send(this.together));
      await this.settle(life, sent.shift());
      if (sent.length === 0) await this.doWaiting();
    }
    for (let next = sent.shift(); next; next = sent.shift()) {
      if (this.state === 'paused') await this.settle(life, next);
      else await next.losses.catch(() => undefined);
    }
    await this.doWaiting();
  }

  private async doWaiting(): Promise<void> {
    for (const work of this.waiting.splice(0)) await work();
  }

  /** How many steps are sent at once. */
  private get together(): number {
    return Math.max(1, Math.min(MOST_TOGETHER, Math.floor((TOGETHER * this.stepsPerSecond) / 1000)));
  }

  /** Sends steps to the engine. */
  private send(count: number): Sent {
    const batches = this.past?.batches(count) ?? [];
    const losses = this.session?.steps(batches) ?? Promise.reject(new Error('nothing runs'));
    // Whoever waits for them is told; until then it is nobody's mistake.
    losses.catch(() => undefined);
    return { batches, losses };
  }

  /** Waits for steps, and measures what goes along with them. */
  private async settle(life: number, sent: Sent | undefined): Promise<void> {
    const { session, data } = this;
    if (!session || !data || !sent) return;
    try {
      const losses = await sent.losses;
      if (life !== this.life) return;
      for (const [n, loss] of losses.entries()) {
        this.lastBatch = sent.batches[n] ?? [];
        this.loss.push(this.step, loss);
        this.step += 1;
        if (this.watches && !Number.isFinite(loss)) return await this.hunt(life, session, loss);
      }
      if (!this.isLooking && (this.measuring.isDue || this.looking.isDue)) this.looks = this.lookAround(life, session, data);
      // One that was asked for is looked at to the end.
      if (this.state === 'paused') await this.looks;
      this.measureSpeed();
      this.tell();
    } catch (error) {
      if (life === this.life) this.fail(error);
    }
  }

  /** Asks what is due, while steps go on: the engine is never kept waiting. */
  private async lookAround(life: number, session: Session, data: TaskData): Promise<void> {
    this.isLooking = true;
    try {
      if (this.measuring.isDue) await this.measuring.ask(() => this.measure(session, data));
      if (this.looking.isDue) await this.looking.ask(() => this.inspect());
    } catch (error) {
      if (life === this.life) this.fail(error);
    } finally {
      this.isLooking = false;
    }
  }

  private async measure(session: Session, data: TaskData): Promise<void> {
    const value = await data.measure?.(session);
    if (value !== undefined) this.metric.push(this.step, value);
    this.memory = await session.memory();
  }

  private measureSpeed(): void {
    const now = performance.now();
    if (now - this.speed.at < COUNTING) return;
    this.stepsPerSecond = ((this.step - this.speed.step) * 1000) / (now - this.speed.at);
    this.speed = { at: now, step: this.step };
  }

  private async inspect(): Promise<void> {
    const { session, life } = this;
    const batch = this.lastBatch;
    if (!session || !batch) return;
    await this.past?.keep();
    const gradients = await session.gradients(batch);
    if (life !== this.life) return;
    const norms = new Map(session.parameters.map(({ name }) => [name, normOf(gradients.get(name)?.data ?? [])]));
    this.flow = withColumn(this.flow, this.step, norms);
    const activations = await this.activations(session, batch);
    this.findings = [...gradientFindings(norms), ...activationFindings(activations)];
    if (this.wantsLook) this.look = { step: this.step, gradients, weights: await session.weights() };
    this.tell();
  }

  private activations(session: Session, batch: readonly Input[]): Promise<ReadonlyMap<string, Output>> {
    const inputs = batch.slice(0, this.task.predictInputs);
    return session.functions.has('predict') ? session.activations('predict', inputs) : Promise.resolve(new Map());
  }

  /** Finds where the first value that is not finite came from. */
  private async hunt(life: number, session: Session, loss: number): Promise<void> {
    const step = this.step - 1;
    const began = `The loss became ${loss} at step ${step}`;
    this.state = 'failed';
    this.failure = { message: `${began}. Looking for where it comes from.` };
    this.tell(true);
    await this.looks;
    await this.explain();
    const found = await this.caught(session, step, () => life !== this.life);
    if (life !== this.life) return;
    const { text, ...place } = found;
    this.failure = { message: `${began}${text}`, ...place };
    this.tell(true);
  }

  /**
   * Goes back to before a step, and looks for what it spoilt. Where the weights are not finite there, the step before
   * has spoilt them, and is looked into instead.
   */
  private async caught(session: Session, step: number, isOver: () => boolean): Promise<Catch & { readonly good?: number }> {
    const { past, trace } = this;
    if (!past || !trace) return { text: `, and there is no graph to look into: ${this.traceProblem ?? 'nothing runs'}.` };
    try {
      let [at, parameter] = [step, undefined as string | undefined];
      let batch = await past.returnTo(at);
      let spoilt = firstBroken(await session.weights());
      if (spoilt !== undefined && at > 0) {
        [at, parameter] = [at - 1, spoilt];
        batch = await past.returnTo(at);
        spoilt = firstBroken(await session.weights());
      }
      if (spoilt !== undefined) return { text: `: the weights of ${spoilt} were not finite before it.` };
      const activations = parameter === undefined ? await this.activations(session, batch) : new Map<string, Output>();
      const found = await hunt({ session, trace, batch, activations, parameter, isOver });
      const spoiling = parameter === undefined ? '' : `: step ${at} had spoilt ${parameter}`;
      // A model that draws random numbers may draw others when its steps are taken again.
      const text = found ? `, ${found.text}` : `. Taken again, all values of step ${at} are finite: where it comes from is not known.`;
      const good = this.bestOf(past.steps.filter((kept) => kept <= at));
      return { ...found, text: `${spoiling}${text}`, ...(good !== undefined && { good }) };
    } catch (error) {
      return { text: `. Where it comes from cannot be told: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** The step with the least loss, the latest of those alike: weights that are just still finite may be lost already. */
  private bestOf(steps: readonly number[]): number | undefined {
    const loss = (step: number): number => this.loss.valueAt(step) ?? Infinity;
    return steps.reduce<number | undefined>((best, step) => (best === undefined || loss(step) <= loss(best) ? step : best), undefined);
  }

  private fail(error: unknown): void {
    this.state = 'failed';
    const message = error instanceof Error ? error.message : String(error);
    const place = error instanceof ModuleError && error.line !== undefined ? { line: error.line } : {};
    const column = error instanceof ModuleError && error.column !== undefined ? { column: error.column } : {};
    this.failure = { message, ...place, ...column };
    this.tell(true);
  }
}
