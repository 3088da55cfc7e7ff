/** Hook that rerenders a component when its run changes. */
import { useSyncExternalStore } from 'react';

/** An external store in the sense of `useSyncExternalStore`. */
interface Store {
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => number;
}

export function useRun<R extends Store>(run: R): R {
  useSyncExternalStore(run.subscribe, run.snapshot);
  return run;
}
