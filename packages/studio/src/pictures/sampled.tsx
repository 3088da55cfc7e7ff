/** Names and text sampled from a model while it trains. */
import { useEffect, useRef, type ReactNode } from 'react';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import { random } from '../tasks/task.ts';
import { useLive } from './use-live.ts';

const uniform = random(5);

/** Samples an index from a probability vector. */
export function sampleIndex(likely: Float32Array): number {
  let left = uniform();
  for (let n = 0; n < likely.length; n += 1) {
    left -= likely[n] ?? 0;
    if (left <= 0) return n;
  }
  return likely.length - 1;
}

export function Names({ run, sample }: { run: Run; sample: (session: Session) => Promise<readonly string[]> }): ReactNode {
  const names = useLive(run, 700, sample);
  return (
    <ol className="names" aria-label="Generated names" data-testid="names">
      {(names ?? []).map((name, n) => (
        <li key={n}>{name.slice(0, 1).toUpperCase() + name.slice(1) || '·'}</li>
      ))}
    </ol>
  );
}

/** Maximum share of training time. Each character takes one prediction, so a smaller share would stall. */
const WRITING = 0.02;
/** Maximum number of characters shown. */
const SHOWN = 900;

export function Writing({ run, next }: { run: Run; next: (session: Session, so: string) => Promise<string> }): ReactNode {
  const text = useRef({ session: run.session, so: '' });
  if (text.current.session !== run.session) text.current = { session: run.session, so: '' };
  const shown = useLive(run, 60, async (session) => {
    const own = text.current;
    own.so = (own.so + (await next(session, own.so))).slice(-SHOWN);
    return own.so;
  }, { share: WRITING });
  const page = useRef<HTMLPreElement>(null);
  useEffect(() => {
    // `void`: an effect must not return the promise that `scrollTo` returns in newer browsers.
    void page.current?.scrollTo(0, page.current.scrollHeight);
  }, [shown]);
  return (
    <pre ref={page} className="writing" aria-label="Generated text" data-testid="writing">
      {shown}
      <i className="cursor" />
    </pre>
  );
}
