/** What the server has for the page. */

export interface Sources {
  /** Whether MNIST is there. */
  readonly mnist?: boolean;
  /** A run elsewhere, which is then shown instead of one in the page (docs/events.md). */
  readonly run?: RunSources;
}

export interface RunSources {
  /** What people call it. */
  readonly name: string;
  /** The choices it was begun with. */
  readonly plan: Readonly<Record<string, unknown>> | null;
  /** Where its log is sent over a WebSocket. */
  readonly events: string;
  /** Graph, kernels and memory of a step; times of its kernels; values of its nodes. Null where there is no plan. */
  readonly trace: string | null;
  readonly times: string | null;
  readonly values: string | null;
}

let asked: Promise<Sources> | undefined;

/** A plain server of files has nothing. */
export function sources(): Promise<Sources> {
  asked ??= fetch('/data/sources.json').then((answer) => (answer.ok ? (answer.json() as Promise<Sources>) : {}), () => ({}));
  return asked;
}
