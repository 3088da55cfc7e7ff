/** What is asked of a model again and again while it trains, one question at a time. */
import { useEffect, useRef, useState } from 'react';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';

/** The latest answer. Asked again every `pace` ms while training, and whenever `key` changes. */
export function useLive<T>(run: Run, pace: number, ask: (session: Session) => Promise<T>, key: unknown = 0): T | undefined {
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
    const loop = async (): Promise<void> => {
      while (!isOver) {
        if (asked !== run.step) {
          asked = run.step;
          try {
            const next = await question.current(session);
            if (!isOver) setAnswer(next);
          } catch {
            // The session was closed meanwhile, or the module has no such function: the run tells.
          }
        }
        await new Promise((resolve) => setTimeout(resolve, pace));
      }
    };
    void loop();
    return () => {
      isOver = true;
    };
  }, [run, session, pace, key]);
  return answer;
}
