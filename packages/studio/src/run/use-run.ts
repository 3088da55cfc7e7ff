/** Screens follow a run: they are drawn again when it tells. */
import { useSyncExternalStore } from 'react';

/** What can be followed. */
interface Followed {
  readonly subscribe: (listener: () => void) => () => void;
  readonly snapshot: () => number;
}

export function useRun<R extends Followed>(run: R): R {
  useSyncExternalStore(run.subscribe, run.snapshot);
  return run;
}
