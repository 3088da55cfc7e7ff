/** The run that the page shows. Another takes its place as a whole: nobody ever sees parts of two. */
import { findTask } from '../tasks/index.ts';
import type { Task, TaskData } from '../tasks/task.ts';
import { Host } from './host.ts';
import { Run, type Choices } from './run.ts';
import type { Settings } from './settings.ts';

/** Code that has not come back for so long, in ms, is worth a word. */
const LONG = 1000;

/** Where the draft of an example is kept: it outlives a page that is loaded again. */
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
  private readonly choices: Choices = { watches: true, wantsLook: false };
  private readonly host = new Host({
    silence: () => this.tell(),
    stray: (error) => {
      // A run that waits for the engine has nothing there yet that could fail.
      if (this.current.isEngaged) this.current.fail(error);
    },
  });

  constructor(settings: Settings) {
    this.current = this.made(settings, findTask(settings.task).source, true, Promise.resolve());
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

  /** Begins anew: with other settings, another example or another source. */
  replace(settings: Settings, { source, starts = true }: { source?: string; starts?: boolean } = {}): void {
    const before = this.current;
    const isOther = settings.task !== before.task.id;
    // What the run before still does is not worth waiting for long.
    this.host.hurry();
    const own = source ?? (isOther ? findTask(settings.task).source : before.source);
    this.current = this.made(settings, own, starts, before.close(), isOther ? undefined : before.loaded);
    this.tell();
    void this.current.open();
  }

  /** The same from the beginning, without training yet. */
  restart(): void {
    this.replace(this.current.settings, { starts: false });
  }

  /** Ends what runs, whatever it does. */
  stop(): void {
    this.current.stop('Stopped. Change the code and run it, or restart.');
    this.host.stop('the code was stopped');
  }

  /** Lets the code run for as long as it likes. */
  keepGoing(): void {
    this.host.keepGoing();
    this.tell();
  }

  /** The code that does not come back: for how long already and for how long it may, in seconds. */
  get busy(): Busy | undefined {
    const { silent, patience } = this.host;
    // Before it is engaged, a run waits for the one before it, which ends soon.
    return silent < LONG || !this.current.isEngaged ? undefined : { seconds: Math.floor(silent / 1000), limit: patience / 1000 };
  }

  /** What the editor shows for an example: what was written last, run or not. */
  draft({ id }: Task): string {
    return sessionStorage.getItem(draftOf(id)) ?? this.current.source;
  }

  setDraft({ id }: Task, text: string): void {
    sessionStorage.setItem(draftOf(id), text);
  }

  private made(settings: Settings, source: string, starts: boolean, before: Promise<void>, data?: TaskData): Run {
    const run: Run = new Run({
      id: (this.count += 1),
      settings,
      source,
      starts,
      before,
      data,
      choices: this.choices,
      openSession: (settings, source) => this.host.open(settings, source),
      tell: () => this.current === run && this.tell(),
    });
    return run;
  }

  private tell(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}
