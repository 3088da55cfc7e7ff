/** Hook that queries the model repeatedly while it trains, one query at a time. */
import { useEffect, useRef, useState } from 'react';
import { Throttle } from '../run/throttle.ts';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';

/** Default maximum share of training time that queries may take. */
const SHARE = 0.01;
/** Polling interval for the next query, in ms. */
const TICK = 30;

/**
 * The latest answer. Queries again while training, at intervals of at least `least` ms, and immediately when `key`
 * changes.
 */
export function useLive<T>(run: Run, least: number, ask: (session: Session) => Promise<T>, { key = 0, share = SHARE }: { key?: unknown; share?: number } = {}): T | undefined {
  const [answer, setAnswer] = useState<T>();
  const query = useRef(ask);
  query.current = ask;
  const { session } = run;
  useEffect(() => {
    setAnswer(undefined);
  }, [session]);
  useEffect(() => {
    if (!session) return;
    let isOver = false;
    let queried = -1;
    const throttle = new Throttle(run, least, share);
    const loop = async (): Promise<void> => {
      while (!isOver) {
        if (queried !== run.step && throttle.isDue) {
          queried = run.step;
          try {
            const next = await throttle.ask(() => query.current(session));
            if (!isOver) setAnswer(next);
          } catch {
            // The session was closed, or the module lacks the function: the run reports it.
          }
        }
        await new Promise((resolve) => setTimeout(resolve, TICK));
      }
    };
    void loop();
    return () => {
      isOver = true;
    };
  }, [run, session, least, key, share]);
  return answer;
}
