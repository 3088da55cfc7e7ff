/** The training panel of a native run: curves and gradient norms from its event log. */
import type { ReactNode } from 'react';
import type { RemoteRun } from '../run/remote-run.ts';
import { Chart } from '../ui/chart.tsx';
import { Figures } from '../ui/figures.tsx';
import { bytes, count, duration, millis, number } from '../ui/format.ts';
import { Flow } from './flow.tsx';

export function RemoteTrain({ run }: { run: RemoteRun }): ReactNode {
  const version = run.snapshot();
  return (
    <div className="panel remote">
      <Figures
        rows={[
          ['Loss', number(run.loss.last), true],
          [run.steps === undefined ? 'Step' : `Step of ${run.steps.toLocaleString('en')}`, run.step.toLocaleString('en')],
          ['Epoch', String(run.epoch)],
          ['Examples / s', run.examplesPerSecond === undefined ? '–' : count(Math.round(run.examplesPerSecond))],
          ['Step time', run.took === undefined ? '–' : millis(1000 * run.took)],
          ['Time', duration(run.seconds)],
          ['Parameters', run.parameters === undefined ? '–' : count(run.parameters)],
          ['Memory', run.memory === undefined ? '–' : bytes(run.memory)],
        ]}
      />
      <progress value={run.step} max={run.steps ?? 1} aria-label="Steps taken" />
      <div className="charts">
        <section className="card"><Chart title="Loss" series={run.loss} version={version} until={run.step} colour="ember" canSmooth /></section>
        {[...run.measures].map(([name, series]) => (
          <section key={name} className="card">
            <Chart title={`Test ${name}`} series={series} version={version} until={run.step} colour="water" isShare={name === 'accuracy'} />
          </section>
        ))}
        <section className="card"><Chart title="Learning rate" series={run.lr} version={version} until={run.step} colour="leaf" /></section>
        <Flow names={run.layers} flow={run.flow} empty="Gradient norms per layer appear after about a second of training. They are logged more often while this page is open." />
      </div>
    </div>
  );
}
