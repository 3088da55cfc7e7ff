/** A native run, followed through its event log (docs/events.md). */
import type { RunSources } from '../data/sources.ts';
import { layersOf, withColumn, type FlowColumn } from './flow.ts';
import { gradientFindings, type Finding } from './health.ts';
import { Series } from './series.ts';
import type { Output } from './session.ts';
import type { RunView } from './run-view.ts';
import type { Trace } from './trace.ts';

/** One line of a log. Unknown events and fields are ignored, for forward compatibility. */
interface LogEvent {
  readonly event: string;
  readonly step?: number;
  readonly steps?: number;
  readonly epoch?: number;
  readonly loss?: number | null;
  readonly lr?: number;
  readonly examples?: number;
  readonly seconds?: number;
  /** Seconds of this step. */
  readonly took?: number;
  /** Bytes of memory used by the program. */
  readonly memory?: number;
  readonly device?: string;
  readonly parameters?: number;
  readonly measures?: Readonly<Record<string, number | null>>;
  /** Gradient norms by parameter. */
  readonly norms?: readonly (readonly [string, number | null])[];
  readonly path?: string;
  readonly ended?: string;
  /** Why the run failed. */
  readonly why?: string;
  readonly origin?: Origin;
}

/** The op that produced the first NaN, if the run checked for it. */
interface Origin {
  readonly op: string;
  readonly site: string;
}

/** Weight of a step in the moving average of step times. */
const STEP_WEIGHT = 0.05;
/** Delay before reconnecting, in ms. */
const RECONNECT_DELAY = 1000;

export class RemoteRun implements RunView {
  state: 'waiting' | 'running' | 'lost' | 'ended' = 'waiting';
  readonly model = this;
  readonly source = undefined;
  readonly queryMs = 0;
  trace: Trace | undefined;
  traceText = 'Loading the graph';
  micros: readonly number[] | undefined;
  step = 0;
  steps: number | undefined;
  epoch = 0;
  parameters: number | undefined;
  seconds = 0;
  examplesPerSecond: number | undefined;
  checkpoint: { readonly path: string; readonly step: number } | undefined;
  ended: string | undefined;
  failure: string | undefined;
  origin: Origin | undefined;
  device: string | undefined;
  memory: number | undefined;
  /** Moving average of the step time, in seconds. */
  took: number | undefined;
  layers: readonly string[] = [];
  flow: readonly FlowColumn[] = [];
  findings: readonly Finding[] = [];
  readonly loss = new Series();
  readonly lr = new Series();
  readonly measures = new Map<string, Series>();
  private last: { seconds: number; step: number } | undefined;
  private version = 0;
  private readonly listeners = new Set<() => void>();
  private pending: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly sources: RunSources) {}

  get trainingMs(): number {
    return performance.now();
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** Node values are computed from the last checkpoint. */
  get valueStep(): number {
    return this.checkpoint?.step ?? 0;
  }

  /** The trace node that produced the first NaN, once both are known. */
  get broken(): number | undefined {
    const { trace, origin } = this;
    return origin && trace?.nodes.find(({ op, site }) => op === origin.op && site === origin.site)?.id;
  }

  get timesNote(): string {
    return this.device === undefined || this.device === 'cpu' ? 'measured now on the CPU' : `measured now on the CPU; training runs on the ${this.device.toUpperCase()}`;
  }

  async explain(): Promise<void> {
    try {
      this.trace = (await (await this.ask(this.sources.trace)).json()) as Trace;
    } catch (error) {
      this.traceText = `No graph for this run: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.notify();
  }

  async profile(): Promise<void> {
    // The panels work without times.
    this.micros = await this.ask(this.sources.times).then((answer) => answer.json() as Promise<number[]>, () => []);
    this.notify();
  }

  async valueOf(node: number): Promise<Output> {
    const answer = await this.ask(this.sources.values, `?node=${node}`);
    const shape = (answer.headers.get('Brasa-Shape') ?? '').split(',').filter(Boolean).map(Number);
    return { data: new Float32Array(await answer.arrayBuffer()), shape };
  }

  private async ask(address: string | null, query = ''): Promise<Response> {
    if (address === null) throw new Error('the run has no plan');
    const answer = await fetch(`${address}${query}`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  }

  /** Follows the server's log over a WebSocket, line by line. Returns a function that stops it. */
  follow(): () => void {
    let socket: WebSocket;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lines = 0;
    const open = (): void => {
      const url = new URL(this.sources.events, location.href);
      url.protocol = url.protocol.replace('http', 'ws');
      // After a reconnect, continue where the page stopped reading.
      url.searchParams.set('after', String(lines));
      socket = new WebSocket(url);
      socket.onmessage = ({ data }: MessageEvent<string>) => {
        for (const line of data.split('\n')) {
          lines += 1;
          this.handle(line);
        }
      };
      socket.onclose = () => {
        if (this.state !== 'ended') this.state = 'lost';
        this.notify();
        timer = setTimeout(open, RECONNECT_DELAY);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      socket.onclose = null;
      socket.close();
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): number => this.version;

  private notify(): void {
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.version += 1;
      for (const listener of this.listeners) listener();
    }, 100);
  }

  /** Handles a line of the log. Skips invalid JSON: the writer may have been killed within a line. */
  handle(line: string): void {
    let entry: LogEvent | null;
    try {
      entry = JSON.parse(line) as LogEvent | null;
    } catch {
      return;
    }
    if (typeof entry?.event !== 'string') return;
    if (this.state !== 'ended') this.state = 'running';
    this.step = entry.step ?? this.step;
    this.epoch = entry.epoch ?? this.epoch;
    this.seconds = entry.seconds ?? this.seconds;
    if (entry.event === 'start') this.handleStart(entry);
    if (entry.event === 'step') this.handleStep(entry);
    if (entry.event === 'checkpoint') this.checkpoint = { path: entry.path ?? '', step: this.step };
    if (entry.event === 'gradients') this.handleGradients(entry);
    if (entry.event === 'end' || entry.event === 'failed') {
      this.state = 'ended';
      this.ended = entry.ended;
      this.failure = entry.why;
      this.origin = entry.origin;
    }
    for (const [name, value] of Object.entries(entry.measures ?? {})) {
      const series = this.measures.get(name) ?? new Series();
      this.measures.set(name, series);
      series.push(this.step, value ?? NaN);
    }
    this.notify();
  }

  /** Handles a start. A resumed run repeats some steps: the later values replace the earlier. */
  private handleStart({ step = 0, steps, parameters, device }: LogEvent): void {
    this.state = 'running';
    this.ended = undefined;
    this.failure = undefined;
    this.origin = undefined;
    this.took = undefined;
    this.device = device;
    this.steps = steps;
    this.parameters = parameters;
    this.last = undefined;
    for (const series of [this.loss, this.lr, ...this.measures.values()]) series.truncate(step);
    this.flow = this.flow.filter((column) => column.step <= step);
  }

  private handleGradients({ step = 0, norms = [] }: LogEvent): void {
    const found = new Map(norms.map(([name, norm]) => [name, norm ?? NaN]));
    this.layers = layersOf(found.keys()).map(({ layer }) => layer);
    this.flow = withColumn(this.flow, step, found);
    this.findings = gradientFindings(found);
  }

  private handleStep({ step = 0, loss, lr, examples, seconds, took, memory }: LogEvent): void {
    // The start event of a resumed run may be missing.
    this.loss.truncate(step - 1);
    this.lr.truncate(step - 1);
    this.loss.push(step, loss ?? NaN);
    this.memory = memory ?? this.memory;
    if (took !== undefined) this.took = this.took === undefined ? took : this.took + (took - this.took) * STEP_WEIGHT;
    if (lr !== undefined) this.lr.push(step, lr);
    if (seconds === undefined) return;
    this.last ??= { seconds, step };
    const passed = seconds - this.last.seconds;
    if (passed < 1) return;
    this.examplesPerSecond = ((step - this.last.step) * (examples ?? 0)) / passed;
    this.last = { seconds, step };
  }
}
