/** How a model is doing, in plain sentences: what went wrong first, then what was noticed. */
import type { ReactNode } from 'react';
import type { Finding } from './run/health.ts';

interface FindingsProps {
  readonly failure: ReactNode;
  readonly notice?: ReactNode;
  readonly findings: readonly Finding[];
  /** Whether anything was looked at. */
  readonly isMeasured: boolean;
  /** What is said where nothing was noticed: no more than what was looked at. */
  readonly good: string;
}

/** Findings that are told at once, at most. */
const MOST = 4;

export function Findings({ failure, notice, findings, isMeasured, good }: FindingsProps): ReactNode {
  const isGood = !failure && isMeasured && findings.length === 0;
  return (
    <ul aria-live="polite">
      {failure && <li className="bad">{failure}</li>}
      {notice !== undefined && <li className="warn">{notice}</li>}
      {findings.slice(0, MOST).map((finding) => (
        <li key={finding.text} className={finding.level}>
          {finding.text}
        </li>
      ))}
      {isGood && <li className="good">{good}</li>}
      {!failure && !isMeasured && <li className="none">Nothing was looked at yet.</li>}
    </ul>
  );
}
