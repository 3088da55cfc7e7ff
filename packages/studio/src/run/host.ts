/** The page's side of the worker of the model: starts it, asks it, and ends it when its code does not come back. */
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { METHODS, unpacked, type Answer, type Ask, type Method, type Opened } from './wire.ts';

/** How often it is asked whether it is still there, in ms. */
const TICK = 500;
/** How long code may run without coming back, in ms, and how long where nobody waits for it any more. */
const PATIENCE = 10_000;
const HASTE = 2000;

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export interface HostListener {
  /** For so many ms the worker has not come back; 0 when it does. */
  silence(ms: number): void;
  /** Something has failed that no answer tells: the worker was ended, or its code failed later, on its own. */
  stray(error: Error): void;
}

export class Host {
  /** For how long the code has not come back, in ms. */
  silent = 0;
  /** For how long it may. */
  patience = PATIENCE;
  private worker: Worker | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  /** Whether the last ping was answered; a worker that is still loading was not sent any. */
  private isAlive = false;
  private isReady = false;
  private readonly pending = new Map<number, Pending>();
  private last = 0;

  constructor(private readonly listener: HostListener) {}

  /** A session on the model of this source. There is one at a time. */
  async open(settings: Settings, source: string): Promise<Session> {
    this.patience = PATIENCE;
    const opened = await this.request<Opened>((id) => ({ kind: 'open', id, engine: import.meta.resolve('brasa'), settings, source }));
    const { worker } = this;
    let spent = 0;
    const ask = (method: Method) => async (...args: readonly unknown[]): Promise<unknown> => {
      if (this.worker !== worker) throw new Error('the run was stopped');
      return this.request((id) => ({ kind: 'call', id, session: opened.session, method, args }), (now) => {
        spent = now;
      });
    };
    const methods = Object.fromEntries(METHODS.map((method) => [method, ask(method)])) as unknown as Pick<Session, Method>;
    return {
      ...opened,
      ...methods,
      get spent() {
        return spent;
      },
    };
  }

  /** Nobody waits for what runs now: it is ended soon, unless it comes back. */
  hurry(): void {
    this.patience = HASTE;
  }

  /** Lets the code run for as long as it likes. */
  keepGoing(): void {
    this.patience = Infinity;
  }

  /** Terminates the worker and everything it runs. A new one is started when a model is opened. */
  stop(message: string): void {
    clearInterval(this.watch);
    this.worker?.terminate();
    this.worker = undefined;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    this.hear(0);
    const error = new Error(message);
    for (const { reject } of waiting) reject(error);
    this.listener.stray(error);
  }

  private request<T>(ask: (id: number) => Ask, spent?: (ms: number) => void): Promise<T> {
    const id = (this.last += 1);
    return new Promise((resolve, reject) => {
      const done = (answer: { readonly result: T; readonly spent: number }): void => {
        spent?.(answer.spent);
        resolve(answer.result);
      };
      this.pending.set(id, { resolve: done as Pending['resolve'], reject });
      (this.worker ??= this.started()).postMessage(ask(id));
    });
  }

  private started(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.receive(data);
    // Errors of the code are told by the worker itself: what comes here is that there is none.
    worker.onerror = (event) => {
      event.preventDefault();
      this.stop(`The engine cannot be loaded: ${event.message ?? 'its worker does not start'}`);
    };
    this.isReady = false;
    this.watch = setInterval(() => this.tick(), TICK);
    return worker;
  }

  /** Silence is counted in ticks: a page that was asleep has not waited meanwhile. */
  private tick(): void {
    if (!this.isReady) return;
    if (this.isAlive) {
      this.isAlive = false;
      this.worker?.postMessage({ kind: 'ping' } satisfies Ask);
      return;
    }
    this.hear(this.silent + TICK);
    if (this.silent < this.patience) return;
    this.stop(`The code ran for ${Math.round(this.silent / 1000)} s without coming back and was stopped. Look for a loop that never ends.`);
  }

  private hear(silent: number): void {
    if (silent === this.silent) return;
    this.silent = silent;
    this.listener.silence(silent);
  }

  private receive(answer: Answer): void {
    switch (answer.kind) {
      case 'alive':
        this.isReady = true;
        this.isAlive = true;
        return this.hear(0);
      case 'stray':
        return this.listener.stray(unpacked(answer.error));
      case 'done':
      case 'failed': {
        const waiting = this.pending.get(answer.id);
        this.pending.delete(answer.id);
        if (answer.kind === 'done') waiting?.resolve(answer as never);
        else waiting?.reject(unpacked(answer.error));
        return;
      }
      default:
        return answer satisfies never;
    }
  }
}
