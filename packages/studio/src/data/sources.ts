/** What the server has for the page. */

export interface Sources {
  /** Whether MNIST is there. */
  readonly mnist?: boolean;
  /** Where the event log of a run elsewhere is streamed. */
  readonly events?: string;
}

let asked: Promise<Sources> | undefined;

/** A plain server of files has nothing. */
export function sources(): Promise<Sources> {
  asked ??= fetch('/data/sources.json').then((answer) => (answer.ok ? (answer.json() as Promise<Sources>) : {}), () => ({}));
  return asked;
}
