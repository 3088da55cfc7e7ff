/** Holds the current run and replaces it atomically: the UI never mixes two runs. */
import { findTask } from '../tasks/index.ts';
import type { Task, TaskData } from '../tasks/task.ts';
import { WorkerHost } from './worker-host.ts';
import { Run, type Choices } from './run.ts';
import type { Settings } from './settings.ts';

/** Code that is unresponsive for longer than this, in ms, is reported. */
const BUSY_AFTER = 1000;

/** Session storage key of an example's draft, which survives a reload. */
const draftOf = (task: string): string => `brasa-draft-${task}`;

export interface Busy {
  readonly seconds: number;
  readonly limit: number;
}

export class Runs {
  current: Run;
  private count = 0;
  private version = 0;
  private readonly listeners = new Set<() => void>();
  private readonly choices: Choices = { stopsOnNan: true, showsValues: false };
  private readonly host = new WorkerHost({
    unresponsive: () => this.notify(),
    uncaught: (error) => {
      // A run that does not use the engine yet cannot have caused the error.
      if (this.current.usesEngine) this.current.fail(error);
    },
  });

  constructor(settings: Settings) {
    this.current = this.createRun(settings, findTask(settings.task).source, true, Promise.resolve());
  }

  /** Opens the first run. */
  open(): void {
    void this.current.open();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): number => this.version;

  /** Starts a new run with other settings, another example or another source. */
  replace(settings: Settings, { source, starts = true }: { source?: string; starts?: boolean } = {}): void {
    const before = this.current;
    const isOther = settings.task !== before.task.id;
    // Do not wait long for the previous run.
    this.host.shortenTimeout();
    const own = source ?? (isOther ? findTask(settings.task).source : before.source);
    this.current = this.createRun(settings, own, starts, before.close(), isOther ? undefined : before.loaded);
    this.notify();
    void this.current.open();
  }

  /** Restarts the run with the same settings, paused. */
  restart(): void {
    this.replace(this.current.settings, { starts: false });
  }

  /** Stops the current run and terminates the worker. */
  stop(): void {
    this.current.stop('Stopped. Change the code and run it, or restart.');
    this.host.stop('the code was stopped');
  }

  /** Lets unresponsive code continue without a timeout. */
  keepGoing(): void {
    this.host.keepGoing();
    this.notify();
  }

  /** How long the model's code has been unresponsive and its limit, in seconds; undefined if it responds. */
  get busy(): Busy | undefined {
    const { silentMs, timeout } = this.host;
    // Until it uses the engine, a run waits for the previous one, which ends soon.
    return silentMs < BUSY_AFTER || !this.current.usesEngine ? undefined : { seconds: Math.floor(silentMs / 1000), limit: timeout / 1000 };
  }

  /** The editor's text for an example: the last draft, run or not. */
  draft({ id }: Task): string {
    return sessionStorage.getItem(draftOf(id)) ?? this.current.source;
  }

  setDraft({ id }: Task, text: string): void {
    sessionStorage.setItem(draftOf(id), text);
  }

  private createRun(settings: Settings, source: string, starts: boolean, before: Promise<void>, data?: TaskData): Run {
    const run: Run = new Run({
      id: (this.count += 1),
      settings,
      source,
      starts,
      before,
      data,
      choices: this.choices,
      openSession: (settings, source) => this.host.open(settings, source),
      notify: () => this.current === run && this.notify(),
    });
    return run;
  }

  private notify(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}
