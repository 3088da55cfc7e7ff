/** What is asked of a model again and again while it trains, one question at a time. */
import { useEffect, useRef, useState } from 'react';
import { Pace } from '../run/pace.ts';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';

/** How much of the time a picture may take of training, where nothing else is said. */
const SHARE = 0.01;
/** How often it is looked whether the next question is due, in ms. */
const TICK = 30;

/**
 * The latest answer. Asked again while training, every `least` ms if that costs little, and at once whenever `key`
 * changes.
 */
export function useLive<T>(run: Run, least: number, ask: (session: Session) => Promise<T>, { key = 0, share = SHARE }: { key?: unknown; share?: number } = {}): T | undefined {
  const [answer, setAnswer] = useState<T>();
  const question = useRef(ask);
  question.current = ask;
  const { session } = run;
  useEffect(() => {
    setAnswer(undefined);
  }, [session]);
  useEffect(() => {
    if (!session) return;
    let isOver = false;
    let asked = -1;
    const pace = new Pace(run, least, share);
    const loop = async (): Promise<void> => {
      while (!isOver) {
        if (asked !== run.step && pace.isDue) {
          asked = run.step;
          try {
            const next = await pace.ask(() => question.current(session));
            if (!isOver) setAnswer(next);
          } catch {
            // The session was closed meanwhile, or the module has no such function: the run tells.
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
