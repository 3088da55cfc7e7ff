/** Notice that the model's code does not respond, with a button to let it continue. The caller adds a Stop button. */
import type { ReactNode } from 'react';
import type { Busy } from './run/runs.ts';

export function BusyNotice({ busy: { seconds, limit }, onKeepGoing }: { busy: Busy; onKeepGoing: () => void }): ReactNode {
  const isLimited = Number.isFinite(limit);
  return (
    <>
      The code has not responded for {seconds} s.{isLimited && ` It will be stopped after ${limit} s.`}{' '}
      {isLimited && (
        <button type="button" className="link" onClick={onKeepGoing}>
          Keep going
        </button>
      )}
    </>
  );
}
