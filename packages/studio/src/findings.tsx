/** Health messages: the failure first, then the notice, then findings. */
import type { ReactNode } from 'react';
import type { Finding } from './run/health.ts';

interface FindingsProps {
  readonly failure: ReactNode;
  readonly notice?: ReactNode;
  readonly findings: readonly Finding[];
  /** Whether anything was checked yet. */
  readonly isMeasured: boolean;
  /** The message when there are no findings. It claims only what was checked. */
  readonly good: string;
}

/** Maximum number of findings shown at once. */
const MAX_FINDINGS = 4;

export function Findings({ failure, notice, findings, isMeasured, good }: FindingsProps): ReactNode {
  const isGood = !failure && isMeasured && findings.length === 0;
  return (
    <ul aria-live="polite">
      {failure && <li className="bad">{failure}</li>}
      {notice !== undefined && <li className="warn">{notice}</li>}
      {findings.slice(0, MAX_FINDINGS).map((finding) => (
        <li key={finding.text} className={finding.level}>
          {finding.text}
        </li>
      ))}
      {isGood && <li className="good">{good}</li>}
      {!failure && !isMeasured && <li className="none">Not checked yet.</li>}
    </ul>
  );
}
