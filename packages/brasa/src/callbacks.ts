/** User functions that the recorder calls back. Their exceptions are rethrown at the call into the recorder. */
import { checked, setTracer } from './recorder.ts';

type Traced = (handles: number[]) => number;

const functions = new Map<number, Traced>();
let nextFunction = 1;
let thrown: unknown;

setTracer((id, handles) => {
  try {
    return functions.get(id)?.(handles) ?? -1;
  } catch (error) {
    thrown = error;
    return -1;
  }
});

/** Registers a function for the recorder; returns its id. The function returns a number, usually a handle. */
export function register(f: Traced): number {
  const id = nextFunction++;
  functions.set(id, f);
  return id;
}

export function unregister(id: number): void {
  functions.delete(id);
}

/** Calls the recorder with `run`, which may call back; rethrows what a callback has thrown. */
export function withCallbacks(run: () => number): number {
  thrown = undefined;
  try {
    return checked(run());
  } catch (error) {
    const cause = thrown;
    thrown = undefined;
    throw cause ?? error;
  }
}
