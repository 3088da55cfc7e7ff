/** Functions of the user's that the recorder calls back: what they throw is thrown where the recorder was called. */
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

/** Gives a function a number that the recorder can call it by. It gives back a number, usually a handle. */
export function registered(f: Traced): number {
  const id = nextFunction++;
  functions.set(id, f);
  return id;
}

export function unregistered(id: number): void {
  functions.delete(id);
}

/** Runs what may call back. */
export function calling(run: () => number): number {
  thrown = undefined;
  try {
    return checked(run());
  } catch (error) {
    const cause = thrown;
    thrown = undefined;
    throw cause ?? error;
  }
}
