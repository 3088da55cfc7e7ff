/** The training panel: metrics, loss curves, the example's picture, gradient flow and parameter histograms. */
import { useState, type ReactNode } from 'react';
import { layersOf } from '../run/flow.ts';
import type { Run } from '../run/run.ts';
import { histogramOf, normOf, statsOf } from '../run/stats.ts';
import type { Navigate } from '../top.tsx';
import { Chart } from '../ui/chart.tsx';
import { Figures } from '../ui/figures.tsx';
import { bytes, count, millis, number, share } from '../ui/format.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { Histogram } from '../ui/histogram.tsx';
import { Flow } from './flow.tsx';

export function Train({ run, go }: { run: Run; go: Navigate }): ReactNode {
  const { task } = run;
  const { version } = run;
  const isShare = task.metric.kind === 'share';
  const Picture = task.Picture;
  return (
    <div className="panel train">
      <RunFigures run={run} />
      <section className="card curves">
        <Chart title="Loss" series={run.loss} version={version} until={run.step} colour="ember" canSmooth />
        <Chart title={task.metric.name} series={run.metric} version={version} until={run.step} colour="water" isShare={isShare} />
      </section>
      <section className="card picture" aria-label={task.title}>
        <h2>
          {task.title}
          <small>{run.data?.origin ?? ''}</small>
        </h2>
        <div className="stage">
          {run.state === 'failed' && !run.session ? <Failed run={run} go={go} /> : (
            <ErrorBoundary name={task.title} of={run}>
              <Picture key={task.id} run={run} />
            </ErrorBoundary>
          )}
          {run.state === 'loading' && <p className="veil">{run.progress}</p>}
        </div>
      </section>
      <Flow
        names={layersOf((run.session?.parameters ?? []).map(({ name }) => name)).map(({ layer }) => layer)}
        kinds={run.session?.kinds}
        flow={run.flow}
        empty="Gradient norms per layer appear after the first step."
      />
      <Values run={run} />
    </div>
  );
}

function Failed({ run, go }: { run: Run; go: Navigate }): ReactNode {
  const line = run.failure?.line;
  return (
    <div className="failed">
      <p>{run.failure?.message}</p>
      {line !== undefined && (
        <button type="button" onClick={() => go({ panel: 'code', line })}>
          Show line {line}
        </button>
      )}
    </div>
  );
}

function RunFigures({ run }: { run: Run }): ReactNode {
  const { metric } = run.task;
  const latest = run.metric.last;
  const parameters = run.session?.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const isFast = run.stepsPerSecond > 0;
  return (
    <Figures
      rows={[
        ['Loss', number(run.loss.last), true],
        [metric.name, metric.kind === 'share' ? share(latest) : number(latest), true],
        ['Step', run.step.toLocaleString('en')],
        ['Steps / s', isFast ? (run.stepsPerSecond < 100 ? run.stepsPerSecond.toFixed(1) : Math.round(run.stepsPerSecond).toLocaleString('en')) : '–'],
        ['Examples / s', isFast ? count(Math.round(run.stepsPerSecond * run.settings.batch)) : '–'],
        ['Step time', isFast ? millis(1000 / run.stepsPerSecond) : '–'],
        ['Parameters', parameters === undefined ? '–' : count(parameters)],
        ['Memory', run.memory > 0 ? bytes(run.memory) : '–'],
      ]}
    />
  );
}

/** Histograms of a selected parameter and its gradient. */
function Values({ run }: { run: Run }): ReactNode {
  const [name, setName] = useState('');
  const names = run.session?.parameters.map(({ name }) => name) ?? [];
  const chosen = names.includes(name) ? name : '';
  const { parameterValues } = run;
  const weights = parameterValues?.weights.get(chosen);
  const gradients = parameterValues?.gradients.get(chosen);
  return (
    <section className="card values">
      <h2>
        Values
        <select
          aria-label="Parameter"
          value={chosen}
          onChange={(event) => {
            setName(event.target.value);
            run.setShowsValues(event.target.value !== '');
          }}
        >
          <option value="">Select a parameter</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </h2>
      {!chosen || !weights ? (
        <p className="empty">{chosen ? 'Shown after the next step.' : 'Select a parameter to see histograms of its values and gradient.'}</p>
      ) : (
        <div className="distributions">
          <Distribution title="Values" data={weights.data} colour="water" />
          {gradients && <Distribution title="Gradient" data={gradients.data} colour="ember" />}
        </div>
      )}
    </section>
  );
}

function Distribution({ title, data, colour }: { title: string; data: Float32Array; colour: 'ember' | 'water' }): ReactNode {
  const { mean, deviation, min, max } = statsOf(data);
  return (
    <div className="distribution">
      <Histogram of={histogramOf(data)} colour={colour} label={`Histogram: ${title}`} />
      <dl>
        <div><dt>{title}</dt><dd>norm {number(normOf(data))}</dd></div>
        <div><dt>mean</dt><dd>{number(mean)}</dd></div>
        <div><dt>std dev</dt><dd>{number(deviation)}</dd></div>
        <div><dt>min</dt><dd>{number(min)}</dd></div>
        <div><dt>max</dt><dd>{number(max)}</dd></div>
      </dl>
    </div>
  );
}
