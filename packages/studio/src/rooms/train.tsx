/** The training room: what a person wants to see while a model learns. */
import { useCallback, useState, type CSSProperties, type ReactNode } from 'react';
import { layersOf, type Run } from '../run/run.ts';
import { histogramOf, normOf, statsOf } from '../run/stats.ts';
import type { Go } from '../studio.tsx';
import { Canvas, type Brush } from '../ui/canvas.tsx';
import { Chart } from '../ui/chart.tsx';
import { css, heat } from '../ui/color.ts';
import { bytes, count, millis, number, share } from '../ui/format.ts';
import { Histogram } from '../ui/histogram.tsx';

const axisNumber = (x: number): string => (Math.abs(x) >= 1e-3 || x === 0 ? String(Number(x.toPrecision(3))) : x.toExponential(0));
const axisShare = (x: number): string => `${Number((100 * x).toPrecision(3))} %`;

export function Train({ run, go }: { run: Run; go: Go }): ReactNode {
  const { task } = run;
  const version = run.snapshot();
  const isShare = task.metric.kind === 'share';
  const Picture = task.Picture;
  return (
    <div className="room train">
      <Figures run={run} />
      <section className="panel curves">
        <Chart title="Loss" series={run.loss} version={version} colour="ember" format={axisNumber} canSmooth />
        <Chart title={task.metric.name} series={run.metric} version={version} colour="water" format={isShare ? axisShare : axisNumber} />
      </section>
      <section className="panel picture" aria-label={task.title}>
        <h2>
          {task.title}
          <small>{run.data?.origin ?? ''}</small>
        </h2>
        <div className="stage">
          {run.state === 'failed' && !run.session ? <Failed run={run} go={go} /> : <Picture key={task.id} run={run} />}
          {run.state === 'loading' && <p className="veil">{run.progress}</p>}
        </div>
      </section>
      <Flow run={run} />
      <Values run={run} />
    </div>
  );
}

function Failed({ run, go }: { run: Run; go: Go }): ReactNode {
  const line = run.failure?.line;
  return (
    <div className="failed">
      <p>{run.failure?.message}</p>
      {line !== undefined && (
        <button type="button" onClick={() => go({ room: 'code', line })}>
          Show line {line}
        </button>
      )}
    </div>
  );
}

function Figures({ run }: { run: Run }): ReactNode {
  const { metric } = run.task;
  const latest = run.metric.last;
  const parameters = run.session?.parameters.reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);
  const rows: readonly (readonly [string, string, boolean?])[] = [
    ['Loss', number(run.loss.last), true],
    [metric.name, metric.kind === 'share' ? share(latest) : number(latest), true],
    ['Step', run.step.toLocaleString('en')],
    ['Steps / s', run.stepsPerSecond > 0 ? run.stepsPerSecond.toFixed(run.stepsPerSecond < 100 ? 1 : 0) : '–'],
    ['Examples / s', run.stepsPerSecond > 0 ? count(Math.round(run.stepsPerSecond * run.settings.batch)) : '–'],
    ['Step time', millis(run.stepTimes.last)],
    ['Parameters', parameters === undefined ? '–' : count(parameters)],
    ['Memory', run.memory > 0 ? bytes(run.memory) : '–'],
  ];
  return (
    <dl className="figures">
      {rows.map(([name, value, isMain]) => (
        <div key={name} className={isMain ? 'main' : ''}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How long gradients are, layer by layer, over the last steps. */
function Flow({ run }: { run: Run }): ReactNode {
  const { flow } = run;
  const names = layersOf(run.session?.parameters ?? []).map(({ layer }) => layer);
  const logs = flow.map(({ norms }) => norms.map((norm) => Math.log10(Math.max(norm, 1e-12))));
  const all = logs.flat().filter(Number.isFinite);
  const [low, high] = [Math.min(...all, 0), Math.max(...all, -12)];
  const draw = useCallback(
    ({ to, width, height, colours }: Brush) => {
      const rows = Math.max(1, names.length);
      const cell = { width: width / Math.max(1, logs.length), height: height / rows };
      logs.forEach((column, c) => {
        column.forEach((log, row) => {
          const isFinite = Number.isFinite(log);
          const level = high > low ? (log - low) / (high - low) : 1;
          to.fillStyle = css(isFinite ? heat(colours, 0.08 + 0.92 * level) : colours.ink);
          to.fillRect(c * cell.width, row * cell.height, cell.width + 0.5, cell.height - 1);
        });
      });
    },
    [flow, names.length],
  );
  return (
    <section className="panel flow">
      <h2>
        Gradient flow
        <small>{flow.length > 0 ? `norms from ${power(low)} to ${power(high)}, latest at the right` : ''}</small>
      </h2>
      {flow.length === 0 ? (
        <p className="empty">How long the gradients of each layer are appears with the first step.</p>
      ) : (
        <div className="matrix">
          <ol style={{ '--row': `${150 / names.length}px` } as CSSProperties}>
            {names.map((name) => (
              <li key={name} title={name}>
                {name}
                <small>{run.session?.kinds.get(name) ?? ''}</small>
              </li>
            ))}
          </ol>
          <Canvas draw={draw} label="Norms of gradients: layers by steps" />
        </div>
      )}
    </section>
  );
}

const power = (log: number): string => number(10 ** log);

/** Histograms of one parameter and its gradient, for those who open them. */
function Values({ run }: { run: Run }): ReactNode {
  const [name, setName] = useState('');
  const names = run.session?.parameters.map(({ name }) => name) ?? [];
  const chosen = names.includes(name) ? name : '';
  const { look } = run;
  const weights = look?.weights.get(chosen);
  const gradients = look?.gradients.get(chosen);
  return (
    <section className="panel values">
      <h2>
        Values
        <select
          aria-label="Parameter"
          value={chosen}
          onChange={(event) => {
            setName(event.target.value);
            run.setLook(event.target.value !== '');
          }}
        >
          <option value="">Choose a parameter</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </h2>
      {!chosen || !weights ? (
        <p className="empty">{chosen ? 'Shown after the next step.' : 'Choose a parameter to see how its values and gradients are spread.'}</p>
      ) : (
        <div className="spreads">
          <Spread title="Values" data={weights.data} colour="water" />
          {gradients && <Spread title="Gradient" data={gradients.data} colour="ember" />}
        </div>
      )}
    </section>
  );
}

function Spread({ title, data, colour }: { title: string; data: Float32Array; colour: 'ember' | 'water' }): ReactNode {
  const { mean, deviation, min, max } = statsOf(data);
  return (
    <div className="spread">
      <Histogram of={histogramOf(data)} colour={colour} label={`Histogram: ${title}`} />
      <dl>
        <div><dt>{title}</dt><dd>norm {number(normOf(data))}</dd></div>
        <div><dt>mean</dt><dd>{number(mean)}</dd></div>
        <div><dt>spread</dt><dd>{number(deviation)}</dd></div>
        <div><dt>from</dt><dd>{number(min)}</dd></div>
        <div><dt>to</dt><dd>{number(max)}</dd></div>
      </dl>
    </div>
  );
}
