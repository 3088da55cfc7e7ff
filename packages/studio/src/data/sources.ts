/** The data sources that the server offers to the page. */

export interface Sources {
  /** Whether the server has MNIST. */
  readonly mnist?: boolean;
  /** A native run, shown instead of one in the page (docs/events.md). */
  readonly run?: RunSources;
}

export interface RunSources {
  /** Display name. */
  readonly name: string;
  /** The settings of the run. */
  readonly plan: Readonly<Record<string, unknown>> | null;
  /** Address of the WebSocket that sends its event log. */
  readonly events: string;
  /** Addresses of the trace of a step, its kernel times and its node values. Null if the run has no plan. */
  readonly trace: string | null;
  readonly times: string | null;
  readonly values: string | null;
}

let asked: Promise<Sources> | undefined;

/** The sources; empty if the server is a plain file server. */
export function sources(): Promise<Sources> {
  asked ??= fetch('/data/sources.json').then((answer) => (answer.ok ? (answer.json() as Promise<Sources>) : {}), () => ({}));
  return asked;
}
