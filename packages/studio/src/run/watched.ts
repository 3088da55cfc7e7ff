/** A run elsewhere, followed by its event log (docs/events.md). */
import type { RunSources } from '../data/sources.ts';
import { layersOf, withColumn, type FlowColumn } from './flow.ts';
import { gradientFindings, type Finding } from './health.ts';
import { Series } from './series.ts';
import type { Output } from './session.ts';
import type { Subject } from './subject.ts';
import type { Trace } from './trace.ts';

/** One line of a log. Unknown events and fields are skipped: more may come. */
interface LogEvent {
  readonly event: string;
  readonly step?: number;
  readonly steps?: number;
  readonly epoch?: number;
  readonly loss?: number | null;
  readonly lr?: number;
  readonly examples?: number;
  readonly seconds?: number;
  /** Seconds of a step alone. */
  readonly took?: number;
  /** Bytes that the program has in memory. */
  readonly memory?: number;
  readonly device?: string;
  readonly parameters?: number;
  readonly measures?: Readonly<Record<string, number | null>>;
  /** Norms of gradients by parameter. */
  readonly norms?: readonly (readonly [string, number | null])[];
  readonly path?: string;
  readonly ended?: string;
  /** Why a run has failed. */
  readonly why?: string;
  readonly origin?: Origin;
}

/** The op behind a NaN, where the run has watched for it. */
interface Origin {
  readonly op: string;
  readonly site: string;
}

/** The weight of a step in the mean of what steps take. */
const RECENT = 0.05;
/** How soon a lost server is asked again, in ms. */
const AGAIN = 1000;

export class Watched implements Subject {
  state: 'waiting' | 'running' | 'lost' | 'ended' = 'waiting';
  readonly model = this;
  readonly source = undefined;
  readonly spent = 0;
  trace: Trace | undefined;
  traceText = 'Asking for the graph of the run';
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
  /** What a step takes, in seconds: a mean that forgets. */
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

  get trained(): number {
    return performance.now();
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** Values are those of the last checkpoint. */
  get valueStep(): number {
    return this.checkpoint?.step ?? 0;
  }

  /** The node of the trace that made the first NaN, once both are known. */
  get broken(): number | undefined {
    const { trace, origin } = this;
    return origin && trace?.nodes.find(({ op, site }) => op === origin.op && site === origin.site)?.id;
  }

  get timesNote(): string {
    return this.device === undefined || this.device === 'cpu' ? 'measured now on the CPU' : `measured now on the CPU; the run computes on the ${this.device.toUpperCase()}`;
  }

  async explain(): Promise<void> {
    try {
      this.trace = (await (await this.ask(this.sources.trace)).json()) as Trace;
    } catch (error) {
      this.traceText = `There is no graph of this run: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.tell();
  }

  async profile(): Promise<void> {
    // Without times the rooms show the rest.
    this.micros = await this.ask(this.sources.times).then((answer) => answer.json() as Promise<number[]>, () => []);
    this.tell();
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

  /** Follows the log that a server sends over a WebSocket, line by line; ends with what is given back. */
  follow(): () => void {
    let socket: WebSocket;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lines = 0;
    const open = (): void => {
      const url = new URL(this.sources.events, location.href);
      url.protocol = url.protocol.replace('http', 'ws');
      // A page that comes back tells how far it has read.
      url.searchParams.set('after', String(lines));
      socket = new WebSocket(url);
      socket.onmessage = ({ data }: MessageEvent<string>) => {
        for (const line of data.split('\n')) {
          lines += 1;
          this.take(line);
        }
      };
      socket.onclose = () => {
        if (this.state !== 'ended') this.state = 'lost';
        this.tell();
        timer = setTimeout(open, AGAIN);
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

  private tell(): void {
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.version += 1;
      for (const listener of this.listeners) listener();
    }, 100);
  }

  /** Takes a line of the log. One that is no JSON is skipped: the writer may have been cut off. */
  take(line: string): void {
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
    if (entry.event === 'start') this.begin(entry);
    if (entry.event === 'step') this.takeStep(entry);
    if (entry.event === 'checkpoint') this.checkpoint = { path: entry.path ?? '', step: this.step };
    if (entry.event === 'gradients') this.takeGradients(entry);
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
    this.tell();
  }

  /** A run that is resumed takes some steps again; the later ones count. */
  private begin({ step = 0, steps, parameters, device }: LogEvent): void {
    this.state = 'running';
    this.ended = undefined;
    this.failure = undefined;
    this.origin = undefined;
    this.took = undefined;
    this.device = device;
    this.steps = steps;
    this.parameters = parameters;
    this.last = undefined;
    for (const series of [this.loss, this.lr, ...this.measures.values()]) series.cut(step);
    this.flow = this.flow.filter((column) => column.step <= step);
  }

  private takeGradients({ step = 0, norms = [] }: LogEvent): void {
    const found = new Map(norms.map(([name, norm]) => [name, norm ?? NaN]));
    this.layers = layersOf(found.keys()).map(({ layer }) => layer);
    this.flow = withColumn(this.flow, step, found);
    this.findings = gradientFindings(found);
  }

  private takeStep({ step = 0, loss, lr, examples, seconds, took, memory }: LogEvent): void {
    // The line of a resumed start may be lost with others.
    this.loss.cut(step - 1);
    this.lr.cut(step - 1);
    this.loss.push(step, loss ?? NaN);
    this.memory = memory ?? this.memory;
    if (took !== undefined) this.took = this.took === undefined ? took : this.took + (took - this.took) * RECENT;
    if (lr !== undefined) this.lr.push(step, lr);
    if (seconds === undefined) return;
    this.last ??= { seconds, step };
    const passed = seconds - this.last.seconds;
    if (passed < 1) return;
    this.examplesPerSecond = ((step - this.last.step) * (examples ?? 0)) / passed;
    this.last = { seconds, step };
  }
}
