/** One run: a model being trained, what was measured of it, and the loop that drives it. */
import { findTask } from '../tasks/index.ts';
import type { Task, TaskData } from '../tasks/task.ts';
import { activationFindings, firstBroken, gradientFindings, type Finding } from './health.ts';
import { Series } from './series.ts';
import { ModuleError, type Input, type Output, type Parameter, type Session } from './session.ts';
import type { Settings } from './settings.ts';
import { normOf } from './stats.ts';
import { linesOf, type Trace } from './trace.ts';

export type State = 'loading' | 'paused' | 'running' | 'failed';

/** Gradient norms of all layers at one step. */
export interface Flow {
  readonly step: number;
  readonly norms: readonly number[];
}

/** The layers that parameters belong to: `0` has `0.weight` and `0.bias`. */
export function layersOf(parameters: readonly Parameter[]): { readonly layer: string; readonly names: readonly string[] }[] {
  const found = new Map<string, string[]>();
  for (const { name } of parameters) {
    const layer = name.replace(/\.(params\.\d+|[^.]+)$/, '');
    found.set(layer, [...(found.get(layer) ?? []), name]);
  }
  return [...found].map(([layer, names]) => ({ layer, names }));
}

export interface Look {
  readonly step: number;
  readonly weights: ReadonlyMap<string, Output>;
  readonly gradients: ReadonlyMap<string, Output>;
}

export interface Failure {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The part of the model where something that is not finite appeared first. */
  readonly where?: string;
}

/** Columns of the gradient matrix that are kept. */
const FLOW_COLUMNS = 96;
/** Steps that are timed for one picture of them. */
const TIMED = 5;
/** Screens are told at most this often, in ms. */
const PACE = 80;
/** How much of the time is spent on looking at gradients and activations. */
const LOOKING = 0.1;

export class Run {
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
  readonly stepTimes = new Series();
  flow: Flow[] = [];
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
  private nextBatch: ((size: number) => readonly Input[]) | undefined;
  private loop: Promise<void> = Promise.resolve();
  private speed = { at: 0, step: 0 };
  private looked = 0;
  private cost = 0;
  /** What is to be done between two steps. */
  private waiting: (() => Promise<void>)[] = [];
  /** Weights of a little while ago, from before anything went wrong. */
  private earlier: ReadonlyMap<string, Output> | undefined;

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
    const old = this.session;
    this.session = undefined;
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
      this.nextBatch = data.batches(settings.seed);
      this.session = session;
      this.earlier = await session.weights();
      this.state = 'paused';
      await this.measure(session, data);
    } catch (error) {
      if (life === this.life) this.fail(error);
    }
    this.tell(true);
  }

  start(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    this.speed = { at: performance.now(), step: this.step };
    this.loop = this.train(this.life);
    this.tell(true);
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
    this.tell(true);
  }

  /** Takes one step. */
  async single(): Promise<void> {
    if (this.state !== 'paused') return;
    this.loop = this.take(this.life).then(() => this.tell(true));
    await this.loop;
  }

  setLR(lr: number): void {
    this.settings = { ...this.settings, lr };
    this.session?.setLR(lr);
    this.tell(true);
  }

  setWatch(watches: boolean): void {
    this.watches = watches;
    this.tell(true);
  }

  /** Asks for the weights and gradients of the next steps. */
  setLook(wanted: boolean): void {
    this.wantsLook = wanted;
    if (wanted && this.state === 'paused') this.loop = this.loop.then(() => this.inspect());
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

  /** What each part of the model gives for the last batch. */
  async partValues(): Promise<ReadonlyMap<string, Output> | undefined> {
    if (!this.session || !this.data) return undefined;
    return this.activations(this.session, this.someBatch(this.data));
  }

  /** Times the kernels of a step: the least of a few, as other work of the machine only adds to it. */
  async profile(): Promise<void> {
    if (this.state === 'running') return new Promise((resolve) => this.waiting.push(() => this.time().then(resolve)));
    this.loop = this.loop.then(() => this.time());
    return this.loop;
  }

  private async time(): Promise<void> {
    if (!this.session || !this.data) return;
    const { session, life } = this;
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
    return this.lastBatch ?? data.batches(this.settings.seed)(this.settings.batch);
  }

  private clear(): void {
    this.step = 0;
    this.loss.clear();
    this.metric.clear();
    this.stepTimes.clear();
    this.flow = [];
    this.findings = [];
    this.look = undefined;
    this.trace = undefined;
    this.traceProblem = undefined;
    this.micros = undefined;
    this.lastBatch = undefined;
    this.stepsPerSecond = 0;
    this.looked = 0;
  }

  private async train(life: number): Promise<void> {
    while (this.state === 'running' && life === this.life) {
      await this.take(life);
      for (const work of this.waiting.splice(0)) await work();
    }
    for (const work of this.waiting.splice(0)) await work();
  }

  /** One step, and what is measured along with it. */
  private async take(life: number): Promise<void> {
    const { session, data, nextBatch } = this;
    if (!session || !data || !nextBatch) return;
    try {
      const batch = nextBatch(this.settings.batch);
      this.lastBatch = batch;
      const start = performance.now();
      const loss = await session.step(batch);
      if (life !== this.life) return;
      this.stepTimes.push(this.step, performance.now() - start);
      this.loss.push(this.step, loss);
      this.step += 1;
      if (this.watches && !Number.isFinite(loss)) return await this.hunt(session, batch, loss);
      if (this.step % this.task.metricEvery === 0) await this.measure(session, data);
      await this.inspectInTime();
      this.measureSpeed();
      this.tell();
    } catch (error) {
      if (life === this.life) this.fail(error);
    }
  }

  private async measure(session: Session, data: TaskData): Promise<void> {
    const value = await data.measure?.(session);
    if (value !== undefined) this.metric.push(this.step, value);
    this.memory = await session.memory();
  }

  private measureSpeed(): void {
    const now = performance.now();
    if (now - this.speed.at < 500) return;
    this.stepsPerSecond = ((this.step - this.speed.step) * 1000) / (now - this.speed.at);
    this.speed = { at: now, step: this.step };
  }

  /** Looks inside as often as it costs little. */
  private async inspectInTime(): Promise<void> {
    const now = performance.now();
    if (this.looked > 0 && now - this.looked < Math.max(250, this.cost / LOOKING)) return;
    await this.inspect();
    this.looked = performance.now();
    this.cost = this.looked - now;
  }

  private async inspect(): Promise<void> {
    const { session, life } = this;
    const batch = this.lastBatch;
    if (!session || !batch) return;
    const gradients = await session.gradients(batch);
    if (life !== this.life) return;
    const norms = layersOf(session.parameters).map(({ names }) => Math.hypot(...names.map((name) => normOf(gradients.get(name)?.data ?? []))));
    this.flow = [...this.flow, { step: this.step, norms }].slice(-FLOW_COLUMNS);
    const activations = await this.activations(session, batch);
    this.findings = [...gradientFindings(gradients), ...activationFindings(activations)];
    const weights = await session.weights();
    if (this.wantsLook) this.look = { step: this.step, gradients, weights };
    if (firstBroken(weights) === undefined) this.earlier = weights;
    this.tell();
  }

  private activations(session: Session, batch: readonly Input[]): Promise<ReadonlyMap<string, Output>> {
    const inputs = batch.slice(0, this.task.predictInputs);
    return session.functions.has('predict') ? session.activations('predict', inputs) : Promise.resolve(new Map());
  }

  /** Finds where the first value that is not finite came from. */
  private async hunt(session: Session, batch: readonly Input[], loss: number): Promise<void> {
    // The step has spread it over all weights: those of before show where it comes from.
    const spoilt = await session.weights();
    if (this.earlier) session.setWeights(this.earlier);
    const activations = await this.activations(session, batch);
    const gradients = await session.gradients(batch);
    const inLoss = firstBroken(gradients) !== undefined;
    const where = firstBroken(activations) ?? (inLoss ? undefined : firstBroken(spoilt));
    await this.explain();
    const [line, ...more] = this.trace ? linesOf(this.trace, where) : [];
    const at = where === undefined ? 'in the loss or its gradient' : `at ${where}`;
    const lines = more.length > 0 ? ` (lines ${line} to ${more.at(-1)})` : '';
    const message = `The loss became ${loss} at step ${this.step - 1}, first ${at}${lines}.`;
    this.failure = { message, ...(line !== undefined && { line }), ...(where && { where }) };
    this.state = 'failed';
    this.tell(true);
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
