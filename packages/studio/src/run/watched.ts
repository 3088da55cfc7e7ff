/** A run elsewhere, followed by its event log (docs/events.md). */
import { Series } from './series.ts';

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
  readonly parameters?: number;
  readonly measures?: Readonly<Record<string, number | null>>;
  readonly path?: string;
  readonly ended?: string;
}

export class Watched {
  state: 'waiting' | 'running' | 'lost' | 'ended' = 'waiting';
  step = 0;
  steps: number | undefined;
  epoch = 0;
  parameters: number | undefined;
  seconds = 0;
  examplesPerSecond: number | undefined;
  checkpoint: string | undefined;
  ended: string | undefined;
  readonly loss = new Series();
  readonly lr = new Series();
  readonly measures = new Map<string, Series>();
  private last: { seconds: number; step: number } | undefined;
  private version = 0;
  private readonly listeners = new Set<() => void>();
  private pending: ReturnType<typeof setTimeout> | undefined;

  /** Follows the log that the server streams; ends with what is given back. */
  follow(address: string): () => void {
    const source = new EventSource(address);
    source.onmessage = ({ data }: MessageEvent<string>) => this.take(data);
    source.onerror = () => {
      if (this.state !== 'ended') this.state = 'lost';
      this.tell();
    };
    return () => source.close();
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
    let entry: LogEvent;
    try {
      entry = JSON.parse(line) as LogEvent;
    } catch {
      return;
    }
    if (this.state !== 'ended') this.state = 'running';
    this.step = entry.step ?? this.step;
    this.epoch = entry.epoch ?? this.epoch;
    this.seconds = entry.seconds ?? this.seconds;
    if (entry.event === 'start') this.begin(entry);
    if (entry.event === 'step') this.takeStep(entry);
    if (entry.event === 'checkpoint') this.checkpoint = entry.path;
    if (entry.event === 'end') {
      this.state = 'ended';
      this.ended = entry.ended;
    }
    for (const [name, value] of Object.entries(entry.measures ?? {})) {
      const series = this.measures.get(name) ?? new Series();
      this.measures.set(name, series);
      series.push(this.step, value ?? NaN);
    }
    this.tell();
  }

  /** A run that is resumed takes some steps again; the later ones count. */
  private begin({ step = 0, steps, parameters }: LogEvent): void {
    this.state = 'running';
    this.ended = undefined;
    this.steps = steps;
    this.parameters = parameters;
    this.last = undefined;
    for (const series of [this.loss, this.lr, ...this.measures.values()]) series.cut(step);
  }

  private takeStep({ step = 0, loss, lr, examples, seconds }: LogEvent): void {
    this.loss.push(step, loss ?? NaN);
    if (lr !== undefined) this.lr.push(step, lr);
    if (seconds === undefined) return;
    this.last ??= { seconds, step };
    const passed = seconds - this.last.seconds;
    if (passed < 1) return;
    this.examplesPerSecond = ((step - this.last.step) * (examples ?? 0)) / passed;
    this.last = { seconds, step };
  }
}
