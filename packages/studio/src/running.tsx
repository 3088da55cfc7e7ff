/** Code that does not come back: for how long, and the choice to let it go on. Beside it stands a button that stops it. */
import type { ReactNode } from 'react';
import type { Busy } from './run/runs.ts';

export function Running({ busy: { seconds, limit }, onKeepGoing }: { busy: Busy; onKeepGoing: () => void }): ReactNode {
  const isLimited = Number.isFinite(limit);
  return (
    <>
      The code has been running for {seconds} s without coming back.{isLimited && ` It is stopped after ${limit} s.`}{' '}
      {isLimited && (
        <button type="button" className="link" onClick={onKeepGoing}>
          Keep going
        </button>
      )}
    </>
  );
}
