/** The key figures of a run in one row: loss, step, speed, memory. */
import type { ReactNode } from 'react';

/** A name, its value, and whether it is emphasized. */
export type FigureRow = readonly [name: string, value: string, isMain?: boolean];

export function Figures({ rows }: { rows: readonly FigureRow[] }): ReactNode {
  return (
    <dl className="figures" style={{ '--count': rows.length } as React.CSSProperties}>
      {rows.map(([name, value, isMain]) => (
        <div key={name} className={isMain ? 'main' : ''}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
