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

/** What a run works on, there as a whole or not at all. */
interface Live {
  readonly session: Session;
  readonly data: TaskData;
  readonly past: Past;
}

/** What a person has chosen for all runs. */
export interface Choices {
  /** Whether to stop at the first value that is not finite. */
  watches: boolean;
  /** Whether weights and gradients are looked at. */
  wantsLook: boolean;
}

/** What a run is made of. It keeps its example, its source and its data; others need another run. */
export interface Beginning {
  readonly id: number;
  readonly settings: Settings;
  readonly source: string;
  readonly choices: Choices;
  /** The data of the example, where they are loaded already. */
  readonly data: TaskData | undefined;
  /** Whether it trains as soon as it can. */
  readonly starts: boolean;
  /** Resolves once the run before has left the engine. */
  readonly before: Promise<void>;
  readonly openSession: (settings: Settings, source: string) => Promise<Session>;
  /** Is called when there is something new to be drawn. */
  readonly tell: () => void;
}

export class Run implements Subject {
  readonly id: number;
  readonly task: Task;
  readonly source: string;
  readonly choices: Choices;
  settings: Settings;
  state: State = 'loading';
  progress = 'Starting the engine';
  failure: Failure | undefined;
  /** What a person should know of where it runs. */
  notice: string | undefined;
  step = 0;
  readonly loss = new Series();
  readonly metric = new Series();
  flow: readonly FlowColumn[] = [];
  findings: readonly Finding[] = [];
  look: Look | undefined;
  trace: Trace | undefined;
  /** Why there is no trace. */
  traceProblem: string | undefined;
  micros: readonly number[] | undefined;
  memory = 0;
  stepsPerSecond = 0;
  /** Changes when there is something new to be drawn. */
  version = 0;
  /** The data of the example, once they are loaded. */
  loaded: TaskData | undefined;

  private live: Live | undefined;
  /** Another run has taken its place, or it was stopped: what is still under way counts for nothing. */
  private isOver = false;
  private starts: boolean;
  private told = 0;
  private pending: ReturnType<typeof setTimeout> | undefined;
  private lastBatch: readonly Input[] | undefined;
  /** Opening the session, once that has begun. */
  private opening: Promise<void> | undefined;
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

  constructor(private readonly beginning: Beginning) {
    this.id = beginning.id;
    this.settings = beginning.settings;
    this.source = beginning.source;
    this.choices = beginning.choices;
    this.starts = beginning.starts;
    this.loaded = beginning.data;
    this.task = findTask(beginning.settings.task);
  }

  get session(): Session | undefined {
    return this.live?.session;
  }

  get data(): TaskData | undefined {
    return this.live?.data;
  }

  /** Whether it uses the engine, or did. */
  get isEngaged(): boolean {
    return this.opening !== undefined;
  }

  /** Tells the screens, not more often than they can draw. */
  private tell(now = false): void {
    if (now) {
      clearTimeout(this.pending);
      this.pending = undefined;
      this.told = performance.now();
      this.version += 1;
      this.beginning.tell();
    } else {
      this.pending ??= setTimeout(() => this.tell(true), Math.max(0, PACE - (performance.now() - this.told)));
    }
  }

  /** Loads what it needs, and opens its session when the run before has left the engine. */
  async open(): Promise<void> {
    const say = (text: string): void => {
      this.progress = text;
      this.tell();
    };
    try {
      const data = (this.loaded ??= await this.task.load(say));
      await this.beginning.before;
      if (this.isOver) return;
      say('Compiling the model');
      this.opening = this.openSession(data);
      await this.opening;
    } catch (error) {
      this.fail(error);
    }
  }

  private async openSession(data: TaskData): Promise<void> {
    const { settings } = this;
    try {
      const session = await this.beginning.openSession(settings, this.source);
      const past = new Past(session, data, settings);
      await past.keep();
      this.live = { session, data, past };
      // The rate may have been changed meanwhile.
      past.setLR(this.settings.lr);
      if (this.isOver) return;
      this.settings = { ...this.settings, device: session.deviceName };
      this.notice = session.notice;
      this.state = 'paused';
      await this.measuring.ask(() => this.measure(session, data));
      if (this.starts) this.start();
    } catch (error) {
      this.fail(error);
    }
    this.tell(true);
  }

  /** Ends it for another one. What is under way is waited for, as the engine does one thing after the other. */
  async close(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.pending);
    await this.beginning.before;
    await this.opening;
    await this.loop;
    await this.looks;
    await this.session?.close().catch(() => undefined);
  }

  /** Ends it, with what is shown so far and the reason. */
  stop(message: string): void {
    this.fail(new Error(message));
    this.isOver = true;
  }

  start(): void {
    if (this.state !== 'paused') return;
    this.started = performance.now();
    this.state = 'running';
    this.speed = { at: this.started, step: this.step };
    this.loop = this.loop.then(() => this.train());
    this.tell(true);
  }

  pause(): void {
    this.starts = false;
    if (this.state !== 'running') return;
    this.trainedBefore = this.trained;
    this.state = 'paused';
    this.tell(true);
  }

  /** Takes one step. */
  async single(): Promise<void> {
    if (this.state !== 'paused') return;
    this.loop = this.loop.then(async () => {
      if (!this.live || this.isOver || this.state !== 'paused') return;
      await this.settle(this.live, this.send(this.live, 1));
      this.tell(true);
    });
    await this.loop;
  }

  /** Goes on after a value that was not finite, from when all was still well. */
  async goOn(): Promise<void> {
    const { live } = this;
    const step = this.failure?.good;
    if (step === undefined || !live) return;
    this.failure = undefined;
    this.progress = `Going back to step ${step.toLocaleString('en')}`;
    this.state = 'loading';
    this.tell(true);
    try {
      await live.past.goOn(step, this.settings.lr);
    } catch (error) {
      return this.fail(error);
    }
    if (this.isOver) return;
    this.step = step;
    for (const series of [this.loss, this.metric]) series.cut(step - 1);
    this.flow = this.flow.filter((column) => column.step <= step);
    this.state = 'paused';
    this.start();
  }

  setLR(lr: number): void {
    this.settings = { ...this.settings, lr };
    this.live?.past.setLR(lr);
    this.tell(true);
  }

  setWatch(watches: boolean): void {
    this.choices.watches = watches;
    this.tell(true);
  }

  /** Asks for the weights and gradients of the next steps. */
  setLook(wanted: boolean): void {
    this.choices.wantsLook = wanted;
    this.looking.hurry();
    if (wanted && this.state === 'paused') this.loop = this.loop.then(() => this.inspect()).catch((error: unknown) => this.fail(error));
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

  /** What became of the graph; asked of the engine once. */
  async explain(): Promise<void> {
    if (this.trace || this.traceProblem !== undefined || !this.live) return;
    const { session, data } = this.live;
    try {
      this.trace = await session.explain(this.someBatch(data));
    } catch (error) {
      // Training goes on all the same.
      this.traceProblem = error instanceof Error ? error.message : String(error);
    }
    this.tell(true);
  }

  /** The value that a node of the trace has for the last batch, with the weights of now. */
  async valueOf(node: number): Promise<Output> {
    if (!this.live) throw new Error('nothing runs');
    return this.live.session.probe(this.someBatch(this.live.data), node);
  }

  /** Times the kernels of a step: the least of a few, as other work of the machine only adds to it. */
  async profile(): Promise<void> {
    if (this.isRunning) return new Promise((resolve) => this.waiting.push(() => this.time().then(resolve)));
    this.loop = this.loop.then(() => this.time());
    return this.loop;
  }

  private async time(): Promise<void> {
    if (!this.live) return;
    const { session, data } = this.live;
    // What is looked at meanwhile would be the timed step.
    await this.looks;
    const batch = this.someBatch(data);
    try {
      let least: readonly number[] | undefined;
      for (let time = 0; time < TIMED && !this.isOver; time += 1) {
        const micros = await session.profile(batch);
        least = least?.map((before, n) => Math.min(before, micros[n] ?? before)) ?? micros;
      }
      this.micros = least;
    } catch (error) {
      this.fail(error);
    }
    this.tell(true);
  }

  /** The batch of the last step, or one like it. */
  private someBatch(data: TaskData): readonly Input[] {
    return this.lastBatch ?? data.batches(new Draws(this.settings.seed).uniform)(this.settings.batch);
  }

  private async train(): Promise<void> {
    const { live } = this;
    if (!live) return;
    const sent: Sent[] = [];
    const goesOn = (): boolean => this.state === 'running' && !this.isOver;
    while (goesOn()) {
      // What waits is done once nothing is under way.
      const wanted = this.waiting.length > 0 ? 0 : AHEAD;
      while (sent.length < wanted) sent.push(this.send(live, this.together));
      await this.settle(live, sent.shift());
      if (sent.length === 0) await this.doWaiting();
    }
    for (let next = sent.shift(); next; next = sent.shift()) {
      if (this.state === 'paused') await this.settle(live, next);
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
  private send({ session, past }: Live, count: number): Sent {
    const batches = past.batches(count);
    const losses = session.steps(batches);
    // Whoever waits for them is told; until then it is nobody's mistake.
    losses.catch(() => undefined);
    return { batches, losses };
  }

  /** Waits for steps, and measures what goes along with them. */
  private async settle(live: Live, sent: Sent | undefined): Promise<void> {
    if (!sent) return;
    try {
      const losses = await sent.losses;
      if (this.isOver) return;
      for (const [n, loss] of losses.entries()) {
        this.lastBatch = sent.batches[n] ?? [];
        this.loss.push(this.step, loss);
        this.step += 1;
        if (this.choices.watches && !Number.isFinite(loss)) return await this.hunt(live, loss);
      }
      if (!this.isLooking && (this.measuring.isDue || this.looking.isDue)) this.looks = this.lookAround(live);
      // One that was asked for is looked at to the end.
      if (this.state === 'paused') await this.looks;
      this.measureSpeed();
      this.tell();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Asks what is due, while steps go on: the engine is never kept waiting. */
  private async lookAround({ session, data }: Live): Promise<void> {
    this.isLooking = true;
    try {
      if (this.measuring.isDue) await this.measuring.ask(() => this.measure(session, data));
      if (this.looking.isDue) await this.looking.ask(() => this.inspect());
    } catch (error) {
      this.fail(error);
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
    const { live, lastBatch: batch } = this;
    if (!live || !batch || this.isOver) return;
    const { session, past } = live;
    await past.keep();
    const gradients = await session.gradients(batch);
    if (this.isOver) return;
    const norms = new Map(session.parameters.map(({ name }) => [name, normOf(gradients.get(name)?.data ?? [])]));
    this.flow = withColumn(this.flow, this.step, norms);
    const activations = await this.activations(session, batch);
    this.findings = [...gradientFindings(norms), ...activationFindings(activations)];
    if (this.choices.wantsLook) this.look = { step: this.step, gradients, weights: await session.weights() };
    this.tell();
  }

  private activations(session: Session, batch: readonly Input[]): Promise<ReadonlyMap<string, Output>> {
    const inputs = batch.slice(0, this.task.predictInputs);
    return session.functions.has('predict') ? session.activations('predict', inputs) : Promise.resolve(new Map());
  }

  /** Finds where the first value that is not finite came from. */
  private async hunt(live: Live, loss: number): Promise<void> {
    const step = this.step - 1;
    const began = `The loss became ${loss} at step ${step}`;
    this.state = 'failed';
    this.failure = { message: `${began}. Looking for where it comes from.` };
    this.tell(true);
    await this.looks;
    await this.explain();
    const found = await this.caught(live, step);
    if (this.isOver) return;
    const { text, ...place } = found;
    this.failure = { message: `${began}${text}`, ...place };
    this.tell(true);
  }

  /**
   * Goes back to before a step, and looks for what it spoilt. Where the weights are not finite there, the step before
   * has spoilt them, and is looked into instead.
   */
  private async caught({ session, past }: Live, step: number): Promise<Catch & { readonly good?: number }> {
    const { trace } = this;
    if (!trace) return { text: `, and there is no graph to look into: ${this.traceProblem ?? 'nothing runs'}.` };
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
      const found = await hunt({ session, trace, batch, activations, parameter, isOver: () => this.isOver });
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

  /** Stops at an error, unless the run is over. The first one counts: others follow from it. */
  fail(error: unknown): void {
    if (this.isOver || this.state === 'failed') return;
    this.state = 'failed';
    const message = error instanceof Error ? error.message : String(error);
    const place = error instanceof ModuleError && error.line !== undefined ? { line: error.line } : {};
    const column = error instanceof ModuleError && error.column !== undefined ? { column: error.column } : {};
    this.failure = { message, ...place, ...column };
    this.tell(true);
  }
}
