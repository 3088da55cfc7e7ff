/** Screens follow a run: they are drawn again when it tells. */
import { useSyncExternalStore } from 'react';
import type { Run } from './run.ts';

export function useRun(run: Run): Run {
  useSyncExternalStore(run.subscribe, run.snapshot);
  return run;
}
