/** Text that a model writes, a character at a time, as it learns. */
import { useEffect, useRef, type ReactNode } from 'react';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import { random } from '../tasks/task.ts';
import { useLive } from './use-live.ts';

const uniform = random(5);

/** A character drawn as likely as the model thinks it is. */
export function drawn(likely: Float32Array): number {
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
    <ol className="names" aria-label="Names that the model makes up" data-testid="names">
      {(names ?? []).map((name, n) => (
        <li key={n}>{name.slice(0, 1).toUpperCase() + name.slice(1) || '·'}</li>
      ))}
    </ol>
  );
}

/** Writing takes a whole prediction a character: with less it would stand still. */
const WRITING = 0.02;
/** Characters that stay on the screen. */
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
    // What an effect gives back is called when it ends, and scrolling gives a promise in newer browsers.
    void page.current?.scrollTo(0, page.current.scrollHeight);
  }, [shown]);
  return (
    <pre ref={page} className="writing" aria-label="Text that the model writes" data-testid="writing">
      {shown}
      <i className="cursor" />
    </pre>
  );
}
