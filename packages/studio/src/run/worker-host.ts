/** Page side of the model worker: starts it, sends requests, and terminates it if it stops responding. */
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { METHODS, deserializeError, type WorkerResponse, type WorkerRequest, type Method, type Opened } from './protocol.ts';

/** Interval between pings, in ms. */
const PING_INTERVAL = 500;
/** How long the worker may be unresponsive before it is terminated, in ms; shorter once the run was replaced. */
const TIMEOUT = 10_000;
const SHORT_TIMEOUT = 2000;

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export interface WorkerListener {
  /** The worker has been unresponsive for `ms` ms; 0 when it responds again. */
  unresponsive(ms: number): void;
  /** An error outside of any request: the worker was terminated, or its code threw asynchronously. */
  uncaught(error: Error): void;
}

export class WorkerHost {
  /** How long the worker has been unresponsive, in ms. */
  silentMs = 0;
  /** How long it may be, in ms. */
  timeout = TIMEOUT;
  private worker: Worker | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  /** Whether the last ping was answered. No pings are sent before the worker is ready. */
  private isAlive = false;
  private isReady = false;
  private readonly pending = new Map<number, Pending>();
  private last = 0;

  constructor(private readonly listener: WorkerListener) {}

  /** Opens a session for the model of this source. Only one exists at a time. */
  async open(settings: Settings, source: string): Promise<Session> {
    this.timeout = TIMEOUT;
    const opened = await this.request<Opened>((id) => ({ kind: 'open', id, engine: import.meta.resolve('brasa'), settings, source }));
    const { worker } = this;
    let queryMs = 0;
    const ask = (method: Method) => async (...args: readonly unknown[]): Promise<unknown> => {
      if (this.worker !== worker) throw new Error('the run was stopped');
      return this.request((id) => ({ kind: 'call', id, session: opened.session, method, args }), (now) => {
        queryMs = now;
      });
    };
    const methods = Object.fromEntries(METHODS.map((method) => [method, ask(method)])) as unknown as Pick<Session, Method>;
    return {
      ...opened,
      ...methods,
      get queryMs() {
        return queryMs;
      },
    };
  }

  /** Shortens the timeout: the current run is being replaced. */
  shortenTimeout(): void {
    this.timeout = SHORT_TIMEOUT;
  }

  /** Disables the timeout. */
  keepGoing(): void {
    this.timeout = Infinity;
  }

  /** Terminates the worker. The next `open` starts a new one. */
  stop(message: string): void {
    clearInterval(this.watch);
    this.worker?.terminate();
    this.worker = undefined;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    this.setSilent(0);
    const error = new Error(message);
    for (const { reject } of waiting) reject(error);
    this.listener.uncaught(error);
  }

  private request<T>(ask: (id: number) => WorkerRequest, queryMs?: (ms: number) => void): Promise<T> {
    const id = (this.last += 1);
    return new Promise((resolve, reject) => {
      const done = (answer: { readonly result: T; readonly queryMs: number }): void => {
        queryMs?.(answer.queryMs);
        resolve(answer.result);
      };
      this.pending.set(id, { resolve: done as Pending['resolve'], reject });
      (this.worker ??= this.startWorker()).postMessage(ask(id));
    });
  }

  private startWorker(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => this.receive(data);
    // The worker reports errors of its code itself. This event means that the worker failed to load.
    worker.onerror = (event) => {
      event.preventDefault();
      this.stop(`Failed to load the engine: ${event.message ?? 'its worker did not start'}`);
    };
    this.isReady = false;
    this.watch = setInterval(() => this.tick(), PING_INTERVAL);
    return worker;
  }

  /** Counts unresponsive time in ticks, so that time while the page was suspended does not count. */
  private tick(): void {
    if (!this.isReady) return;
    if (this.isAlive) {
      this.isAlive = false;
      this.worker?.postMessage({ kind: 'ping' } satisfies WorkerRequest);
      return;
    }
    this.setSilent(this.silentMs + PING_INTERVAL);
    if (this.silentMs < this.timeout) return;
    this.stop(`The code did not respond for ${Math.round(this.silentMs / 1000)} s and was stopped. Check for an infinite loop.`);
  }

  private setSilent(silent: number): void {
    if (silent === this.silentMs) return;
    this.silentMs = silent;
    this.listener.unresponsive(silent);
  }

  private receive(answer: WorkerResponse): void {
    switch (answer.kind) {
      case 'alive':
        this.isReady = true;
        this.isAlive = true;
        return this.setSilent(0);
      case 'uncaught':
        return this.listener.uncaught(deserializeError(answer.error));
      case 'done':
      case 'failed': {
        const waiting = this.pending.get(answer.id);
        this.pending.delete(answer.id);
        if (answer.kind === 'done') waiting?.resolve(answer as never);
        else waiting?.reject(deserializeError(answer.error));
        return;
      }
      default:
        return answer satisfies never;
    }
  }
}
