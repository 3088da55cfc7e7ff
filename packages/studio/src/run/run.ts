/** One training run in this page: its state, its measurements and the training loop. */
import { findTask } from '../tasks/index.ts';
import { RandomStream, type Task, type TaskData } from '../tasks/task.ts';
import { withColumn, type FlowColumn } from './flow.ts';
import { activationFindings, firstNonFinite, gradientFindings, type Finding } from './health.ts';
import { findNanOrigin, type NanOrigin } from './nan-search.ts';
import { Throttle } from './throttle.ts';
import { RunHistory } from './history.ts';
import { Series } from './series.ts';
import { ModuleError, type Input, type Output, type Session } from './session.ts';
import type { Settings } from './settings.ts';
import { normOf } from './stats.ts';
import type { RunView } from './run-view.ts';
import type { Trace } from './trace.ts';

export type State = 'loading' | 'paused' | 'running' | 'failed';

export interface ParameterValues {
  readonly step: number;
  readonly weights: ReadonlyMap<string, Output>;
  readonly gradients: ReadonlyMap<string, Output>;
}

export interface Failure {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The module where NaN or infinity appeared first, and the node. */
  readonly path?: string;
  readonly node?: number;
  /** The last good checkpoint: training can resume from there. */
  readonly good?: number;
}

/** Steps sent in one request that is still in flight. */
interface SentSteps {
  readonly batches: readonly (readonly Input[])[];
  readonly losses: Promise<readonly number[]>;
}

/** Steps timed per profile. */
const PROFILED_STEPS = 5;
/** Minimum interval between UI updates, in ms. */
const UPDATE_INTERVAL = 100;
/** Maximum share of time spent on reading gradients and activations, and the same again on the metric. */
const QUERY_SHARE = 0.01;
/**
 * Each request holds as many steps as take about `REQUEST_MS`, at most `MAX_STEPS_PER_REQUEST`. `REQUESTS_IN_FLIGHT`
 * requests are queued, so that the engine never waits for the page. Changes by the user apply after the queued steps.
 */
const REQUEST_MS = 16;
const MAX_STEPS_PER_REQUEST = 64;
const REQUESTS_IN_FLIGHT = 3;
/** Interval between speed measurements, in ms. */
const SPEED_INTERVAL = 500;

/** The open session with its data and history: all present or none. */
interface Live {
  readonly session: Session;
  readonly data: TaskData;
  readonly history: RunHistory;
}

/** User preferences shared by all runs. */
export interface Choices {
  /** Whether to stop at the first loss that is not finite. */
  stopsOnNan: boolean;
  /** Whether weights and gradients are downloaded for display. */
  showsValues: boolean;
}

/** What a run is created from. Its example, source and data never change; other ones need a new run. */
export interface RunOptions {
  readonly id: number;
  readonly settings: Settings;
  readonly source: string;
  readonly choices: Choices;
  /** The data of the example, if already loaded. */
  readonly data: TaskData | undefined;
  /** Whether training starts as soon as the session is open. */
  readonly starts: boolean;
  /** Resolves once the previous run has released the engine. */
  readonly before: Promise<void>;
  readonly openSession: (settings: Settings, source: string) => Promise<Session>;
  /** Called when the UI needs an update. */
  readonly notify: () => void;
}

export class Run implements RunView {
  readonly id: number;
  readonly task: Task;
  readonly source: string;
  readonly choices: Choices;
  settings: Settings;
  state: State = 'loading';
  progress = 'Starting the engine';
  failure: Failure | undefined;
  /** A notice about the device, such as a fallback to the CPU. */
  notice: string | undefined;
  step = 0;
  readonly loss = new Series();
  readonly metric = new Series();
  flow: readonly FlowColumn[] = [];
  findings: readonly Finding[] = [];
  parameterValues: ParameterValues | undefined;
  trace: Trace | undefined;
  /** Why the trace is unavailable. */
  traceProblem: string | undefined;
  micros: readonly number[] | undefined;
  memory = 0;
  stepsPerSecond = 0;
  /** Changes with each UI update. */
  version = 0;
  /** The data of the example, once loaded. */
  loaded: TaskData | undefined;

  private live: Live | undefined;
  /** The run was replaced or stopped: results of requests in flight are ignored. */
  private isOver = false;
  private starts: boolean;
  private lastUpdate = 0;
  private pending: ReturnType<typeof setTimeout> | undefined;
  private lastBatch: readonly Input[] | undefined;
  /** Set once the session is being opened. */
  private opening: Promise<void> | undefined;
  private loop: Promise<void> = Promise.resolve();
  private speed = { at: 0, step: 0 };
  private readonly inspectThrottle = new Throttle(this, 250, QUERY_SHARE);
  private readonly metricThrottle = new Throttle(this, 100, QUERY_SHARE);
  /** Training time before the last start, in ms, and the time of that start. */
  private trainingMsBefore = 0;
  private started = 0;
  private isQuerying = false;
  private queries: Promise<void> = Promise.resolve();
  /** Work queued for when no steps are in flight. */
  private betweenSteps: (() => Promise<void>)[] = [];

  constructor(private readonly options: RunOptions) {
    this.id = options.id;
    this.settings = options.settings;
    this.source = options.source;
    this.choices = options.choices;
    this.starts = options.starts;
    this.loaded = options.data;
    this.task = findTask(options.settings.task);
  }

  get session(): Session | undefined {
    return this.live?.session;
  }

  get data(): TaskData | undefined {
    return this.live?.data;
  }

  /** Whether the run has started to use the engine. */
  get usesEngine(): boolean {
    return this.opening !== undefined;
  }

  /** Updates the UI, at most every `UPDATE_INTERVAL` ms unless `now`. */
  private notify(now = false): void {
    if (now) {
      clearTimeout(this.pending);
      this.pending = undefined;
      this.lastUpdate = performance.now();
      this.version += 1;
      this.options.notify();
    } else {
      this.pending ??= setTimeout(() => this.notify(true), Math.max(0, UPDATE_INTERVAL - (performance.now() - this.lastUpdate)));
    }
  }

  /** Loads the data, waits until the previous run has released the engine, and opens the session. */
  async open(): Promise<void> {
    const report = (text: string): void => {
      this.progress = text;
      this.notify();
    };
    try {
      const data = (this.loaded ??= await this.task.load(report));
      await this.options.before;
      if (this.isOver) return;
      report('Compiling the model');
      this.opening = this.openSession(data);
      await this.opening;
    } catch (error) {
      this.fail(error);
    }
  }

  private async openSession(data: TaskData): Promise<void> {
    const { settings } = this;
    try {
      const session = await this.options.openSession(settings, this.source);
      const history = new RunHistory(session, data, settings);
      await history.checkpoint();
      this.live = { session, data, history };
      // The user may have changed the learning rate while the session opened.
      history.setLR(this.settings.lr);
      if (this.isOver) return;
      this.settings = { ...this.settings, device: session.deviceName };
      this.notice = session.notice;
      this.state = 'paused';
      await this.metricThrottle.ask(() => this.measure(session, data));
      if (this.starts) this.start();
    } catch (error) {
      this.fail(error);
    }
    this.notify(true);
  }

  /** Closes the run so that another can replace it. Waits for requests in flight: the engine is sequential. */
  async close(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.pending);
    await this.options.before;
    await this.opening;
    await this.loop;
    await this.queries;
    await this.session?.close().catch(() => undefined);
  }

  /** Stops the run with a message; measurements stay visible. */
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
    this.notify(true);
  }

  pause(): void {
    this.starts = false;
    if (this.state !== 'running') return;
    this.trainingMsBefore = this.trainingMs;
    this.state = 'paused';
    this.notify(true);
  }

  /** Takes one step. */
  async stepOnce(): Promise<void> {
    if (this.state !== 'paused') return;
    this.loop = this.loop.then(async () => {
      if (!this.live || this.isOver || this.state !== 'paused') return;
      await this.awaitSteps(this.live, this.send(this.live, 1));
      this.notify(true);
    });
    await this.loop;
  }

  /** Resumes training from the last good checkpoint after a NaN. */
  async resume(): Promise<void> {
    const { live } = this;
    const step = this.failure?.good;
    if (step === undefined || !live) return;
    this.failure = undefined;
    this.progress = `Restoring step ${step.toLocaleString('en')}`;
    this.state = 'loading';
    this.notify(true);
    try {
      await live.history.resumeFrom(step, this.settings.lr);
    } catch (error) {
      return this.fail(error);
    }
    if (this.isOver) return;
    this.step = step;
    for (const series of [this.loss, this.metric]) series.truncate(step - 1);
    this.flow = this.flow.filter((column) => column.step <= step);
    this.state = 'paused';
    this.start();
  }

  setLR(lr: number): void {
    this.settings = { ...this.settings, lr };
    this.live?.history.setLR(lr);
    this.notify(true);
  }

  setStopsOnNan(stops: boolean): void {
    this.choices.stopsOnNan = stops;
    this.notify(true);
  }

  /** Turns the download of weights and gradients on or off. */
  setShowsValues(wanted: boolean): void {
    this.choices.showsValues = wanted;
    this.inspectThrottle.makeDue();
    if (wanted && this.state === 'paused') this.loop = this.loop.then(() => this.inspect()).catch((error: unknown) => this.fail(error));
  }

  get model(): object | undefined {
    return this.session;
  }

  get traceText(): string {
    return this.failure?.message ?? this.traceProblem ?? (this.state === 'loading' ? this.progress : 'Loading the graph');
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

  get trainingMs(): number {
    return this.trainingMsBefore + (this.isRunning ? performance.now() - this.started : 0);
  }

  get queryMs(): number {
    return this.session?.queryMs ?? 0;
  }

  /** Loads the trace, once per run. */
  async explain(): Promise<void> {
    if (this.trace || this.traceProblem !== undefined || !this.live) return;
    const { session, data } = this.live;
    try {
      this.trace = await session.explain(this.someBatch(data));
    } catch (error) {
      // Training continues without a trace.
      this.traceProblem = error instanceof Error ? error.message : String(error);
    }
    this.notify(true);
  }

  /** The value of a trace node for the last batch with the current weights. */
  async valueOf(node: number): Promise<Output> {
    if (!this.live) throw new Error('no session is open');
    return this.live.session.probe(this.someBatch(this.live.data), node);
  }

  /** Times the kernels of a step. Takes the minimum of several runs: noise only adds time. */
  async profile(): Promise<void> {
    if (this.isRunning) return new Promise((resolve) => this.betweenSteps.push(() => this.time().then(resolve)));
    this.loop = this.loop.then(() => this.time());
    return this.loop;
  }

  private async time(): Promise<void> {
    if (!this.live) return;
    const { session, data } = this.live;
    // Queries in flight would observe the profiled step.
    await this.queries;
    const batch = this.someBatch(data);
    try {
      let least: readonly number[] | undefined;
      for (let time = 0; time < PROFILED_STEPS && !this.isOver; time += 1) {
        const micros = await session.profile(batch);
        least = least?.map((before, n) => Math.min(before, micros[n] ?? before)) ?? micros;
      }
      this.micros = least;
    } catch (error) {
      this.fail(error);
    }
    this.notify(true);
  }

  /** The batch of the last step, or one like it. */
  private someBatch(data: TaskData): readonly Input[] {
    return this.lastBatch ?? data.batches(new RandomStream(this.settings.seed).uniform)(this.settings.batch);
  }

  private async train(): Promise<void> {
    const { live } = this;
    if (!live) return;
    const sent: SentSteps[] = [];
    const continues = (): boolean => this.state === 'running' && !this.isOver;
    while (continues()) {
      // Queued work runs once no steps are in flight.
      const wanted = this.betweenSteps.length > 0 ? 0 : REQUESTS_IN_FLIGHT;
      while (sent.length < wanted) sent.push(this.send(live, this.stepsPerRequest));
      await this.awaitSteps(live, sent.shift());
      if (sent.length === 0) await this.runBetweenSteps();
    }
    for (let next = sent.shift(); next; next = sent.shift()) {
      if (this.state === 'paused') await this.awaitSteps(live, next);
      else await next.losses.catch(() => undefined);
    }
    await this.runBetweenSteps();
  }

  private async runBetweenSteps(): Promise<void> {
    for (const work of this.betweenSteps.splice(0)) await work();
  }

  /** Number of steps per request. */
  private get stepsPerRequest(): number {
    return Math.max(1, Math.min(MAX_STEPS_PER_REQUEST, Math.floor((REQUEST_MS * this.stepsPerSecond) / 1000)));
  }

  /** Sends steps to the engine. */
  private send({ session, history }: Live, count: number): SentSteps {
    const batches = history.batches(count);
    const losses = session.steps(batches);
    // Handled when awaited; this prevents an unhandled rejection until then.
    losses.catch(() => undefined);
    return { batches, losses };
  }

  /** Awaits the losses of sent steps, and starts the queries that are due. */
  private async awaitSteps(live: Live, sent: SentSteps | undefined): Promise<void> {
    if (!sent) return;
    try {
      const losses = await sent.losses;
      if (this.isOver) return;
      for (const [n, loss] of losses.entries()) {
        this.lastBatch = sent.batches[n] ?? [];
        this.loss.push(this.step, loss);
        this.step += 1;
        if (this.choices.stopsOnNan && !Number.isFinite(loss)) return await this.failAtNan(live, loss);
      }
      if (!this.isQuerying && (this.metricThrottle.isDue || this.inspectThrottle.isDue)) this.queries = this.runQueries(live);
      // After a single step, wait for its measurements.
      if (this.state === 'paused') await this.queries;
      this.measureSpeed();
      this.notify();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Runs the queries that are due, while steps continue. */
  private async runQueries({ session, data }: Live): Promise<void> {
    this.isQuerying = true;
    try {
      if (this.metricThrottle.isDue) await this.metricThrottle.ask(() => this.measure(session, data));
      if (this.inspectThrottle.isDue) await this.inspectThrottle.ask(() => this.inspect());
    } catch (error) {
      this.fail(error);
    } finally {
      this.isQuerying = false;
    }
  }

  private async measure(session: Session, data: TaskData): Promise<void> {
    const value = await data.measure?.(session);
    if (value !== undefined) this.metric.push(this.step, value);
    this.memory = await session.memory();
  }

  private measureSpeed(): void {
    const now = performance.now();
    if (now - this.speed.at < SPEED_INTERVAL) return;
    this.stepsPerSecond = ((this.step - this.speed.step) * 1000) / (now - this.speed.at);
    this.speed = { at: now, step: this.step };
  }

  private async inspect(): Promise<void> {
    const { live, lastBatch: batch } = this;
    if (!live || !batch || this.isOver) return;
    const { session, history } = live;
    await history.checkpoint();
    const gradients = await session.gradients(batch);
    if (this.isOver) return;
    const norms = new Map(session.parameters.map(({ name }) => [name, normOf(gradients.get(name)?.data ?? [])]));
    this.flow = withColumn(this.flow, this.step, norms);
    const activations = await this.activations(session, batch);
    this.findings = [...gradientFindings(norms), ...activationFindings(activations)];
    if (this.choices.showsValues) this.parameterValues = { step: this.step, gradients, weights: await session.weights() };
    this.notify();
  }

  private activations(session: Session, batch: readonly Input[]): Promise<ReadonlyMap<string, Output>> {
    const inputs = batch.slice(0, this.task.predictInputs);
    return session.functions.has('predict') ? session.activations('predict', inputs) : Promise.resolve(new Map());
  }

  /** Fails the run at a non-finite loss, and searches for its origin. */
  private async failAtNan(live: Live, loss: number): Promise<void> {
    const step = this.step - 1;
    const began = `The loss became ${loss} at step ${step}`;
    this.state = 'failed';
    this.failure = { message: `${began}. Searching for its origin.` };
    this.notify(true);
    await this.queries;
    await this.explain();
    const found = await this.locateNan(live, step);
    if (this.isOver) return;
    const { text, ...location } = found;
    this.failure = { message: `${began}${text}`, ...location };
    this.notify(true);
  }

  /**
   * Rewinds to before the failing step and searches for the first non-finite value. If the weights are already not
   * finite there, searches the previous step instead.
   */
  private async locateNan({ session, history }: Live, step: number): Promise<NanOrigin & { readonly good?: number }> {
    const { trace } = this;
    if (!trace) return { text: `. Its origin cannot be located without a graph: ${this.traceProblem ?? 'no session is open'}.` };
    try {
      let [at, parameter] = [step, undefined as string | undefined];
      let batch = await history.rewindTo(at);
      let broken = firstNonFinite(await session.weights());
      if (broken !== undefined && at > 0) {
        [at, parameter] = [at - 1, broken];
        batch = await history.rewindTo(at);
        broken = firstNonFinite(await session.weights());
      }
      if (broken !== undefined) return { text: `: ${broken} was already NaN or infinite before it.` };
      const activations = parameter === undefined ? await this.activations(session, batch) : new Map<string, Output>();
      const found = await findNanOrigin({ session, trace, batch, activations, parameter, isOver: () => this.isOver });
      const cause = parameter === undefined ? '' : `: step ${at} made ${parameter} NaN or infinite`;
      // A model that uses random numbers may get different ones when steps are replayed.
      const text = found ? `, ${found.text}` : `. All values are finite when step ${at} is replayed: origin unknown.`;
      const good = this.bestOf(history.steps.filter((step) => step <= at));
      return { ...found, text: `${cause}${text}`, ...(good !== undefined && { good }) };
    } catch (error) {
      return { text: `. Its origin could not be located: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** The step with the lowest loss, the latest on ties: weights that are merely finite may already have diverged. */
  private bestOf(steps: readonly number[]): number | undefined {
    const loss = (step: number): number => this.loss.valueAt(step) ?? Infinity;
    return steps.reduce<number | undefined>((best, step) => (best === undefined || loss(step) <= loss(best) ? step : best), undefined);
  }

  /** Fails the run, unless it is over. Only the first error is kept: later ones are consequences. */
  fail(error: unknown): void {
    if (this.isOver || this.state === 'failed') return;
    this.state = 'failed';
    const message = error instanceof Error ? error.message : String(error);
    const line = error instanceof ModuleError && error.line !== undefined ? { line: error.line } : {};
    const column = error instanceof ModuleError && error.column !== undefined ? { column: error.column } : {};
    this.failure = { message, ...line, ...column };
    this.notify(true);
  }
}
