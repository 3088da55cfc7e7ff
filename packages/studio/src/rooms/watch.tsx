/** A room for a run elsewhere: its curves as they are written. */
import { useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { Watched } from '../run/watched.ts';
import { Chart } from '../ui/chart.tsx';
import { count, number } from '../ui/format.ts';

const axis = (x: number): string => (Math.abs(x) >= 1e-3 || x === 0 ? String(Number(x.toPrecision(3))) : x.toExponential(0));

export function Watch({ address }: { address: string }): ReactNode {
  const run = useMemo(() => new Watched(), []);
  const version = useSyncExternalStore(run.subscribe, run.snapshot);
  useEffect(() => run.follow(address), [run, address]);
  const rows: readonly (readonly [string, string, boolean?])[] = [
    ['Loss', number(run.loss.last), true],
    ['Step', `${run.step.toLocaleString('en')}${run.steps === undefined ? '' : ` of ${run.steps.toLocaleString('en')}`}`],
    ['Epoch', String(run.epoch)],
    ['Examples / s', run.examplesPerSecond === undefined ? '–' : count(Math.round(run.examplesPerSecond))],
    ['Time', `${run.seconds.toFixed(1)} s`],
    ['Parameters', run.parameters === undefined ? '–' : count(run.parameters)],
  ];
  return (
    <div className="room watch" data-watched={run.state}>
      <dl className="figures">
        {rows.map(([name, value, isMain]) => (
          <div key={name} className={isMain ? 'main' : ''}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <progress value={run.step} max={run.steps ?? 1} aria-label="Steps taken" />
      <p className="note" role="status">
        {said(run)}
        {run.checkpoint !== undefined && ` Last checkpoint: ${run.checkpoint}.`}
      </p>
      <div className="charts">
        <section className="panel"><Chart title="Loss" series={run.loss} version={version} colour="ember" format={axis} canSmooth /></section>
        <section className="panel"><Chart title="Learning rate" series={run.lr} version={version} colour="water" format={axis} /></section>
        {[...run.measures].map(([name, series]) => (
          <section key={name} className="panel"><Chart title={`Measured: ${name}`} series={series} version={version} colour="water" format={axis} /></section>
        ))}
      </div>
    </div>
  );
}

function said(run: Watched): string {
  switch (run.state) {
    case 'waiting':
      return 'Waiting for the first line of the log.';
    case 'running':
      return 'The run is under way.';
    case 'lost':
      return 'The server cannot be reached; what was shown stays, and it is tried again.';
    case 'ended':
      return `The run has ended: ${run.ended ?? 'done'}.`;
    default:
      return run.state satisfies never;
  }
}
