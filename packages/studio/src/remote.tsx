/** Layout of the studio for a native run served by `brasa`: the same panels, filled from its server. */
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { RunSources } from './data/sources.ts';
import { Findings } from './findings.tsx';
import { RemoteTrain } from './panels/remote-train.tsx';
import { useRun } from './run/use-run.ts';
import { RemoteRun } from './run/remote-run.ts';
import { LABELS, Top, useKeys, useView, type Navigate } from './top.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';

const Graph = lazy(() => import('./panels/graph.tsx').then(({ Graph }) => ({ default: Graph })));
const Compiler = lazy(() => import('./panels/compiler.tsx').then(({ Compiler }) => ({ default: Compiler })));

const PANELS = ['train', 'graph', 'compiler'] as const;

export function RemoteStudio({ sources }: { sources: RunSources }): ReactNode {
  const run = useRun(useMemo(() => new RemoteRun(sources), [sources]));
  const [view, go] = useView(PANELS);
  useEffect(() => run.follow(), [run]);
  useKeys(PANELS, go, () => undefined);
  return (
    <div className="studio" data-state={run.state} data-step={run.step}>
      <Top panels={PANELS} view={view} go={go} state={run.failure === undefined ? run.state : 'failed'} text={statusText(run)} short={run.failure === undefined ? SHORT[run.state] : 'Failed'} />
      <About run={run} go={go} />
      <main>
        <ErrorBoundary key={view.panel} name={LABELS[view.panel]} of={run}>
          <Suspense fallback={<p className="empty">Loading</p>}>
            {view.panel === 'train' && <RemoteTrain run={run} />}
            {view.panel === 'graph' && <Graph run={run} view={view} go={go} />}
            {view.panel === 'compiler' && <Compiler run={run} view={view} go={go} />}
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** Labels of run settings, in display order. */
const NAMES: Readonly<Record<string, string>> = {
  task: 'Task', model: 'Model', hidden: 'Hidden units', layers: 'Layers', heads: 'Heads', window: 'Window',
  optimizer: 'Optimizer', lr: 'Learning rate', schedule: 'Schedule', weight_decay: 'Weight decay',
  batch: 'Batch', epochs: 'Epochs', steps: 'Steps', seed: 'Seed', patience: 'Patience',
  checkpoint_every: 'Checkpoint', measure_every: 'Evaluate', judge_by: 'Best by', keep_best: 'Keep best weights',
  accumulate: 'Batches per step', clip: 'Gradient clip', ema: 'Weight average', data: 'Data', limit: 'Example limit',
};

/** The settings as labelled text, without those that do not apply to the model. */
function choicesOf(plan: RunSources['plan']): (readonly [string, string])[] {
  const has = ({ heads: plan?.model === 'gpt', window: plan?.task === 'text' || plan?.task === 'names' }) as Readonly<Record<string, boolean>>;
  const ranked = Object.keys(NAMES);
  const rank = (name: string): number => (ranked.indexOf(name) + ranked.length + 1) % (ranked.length + 1);
  const names = Object.keys(plan ?? {}).filter((name) => plan?.[name] !== null && (has[name] ?? true));
  return names.sort((a, b) => rank(a) - rank(b)).map((name) => [NAMES[name] ?? name.replaceAll('_', ' '), valueText(name, plan?.[name])]);
}

/** An interval of 0 steps means once per epoch. */
function valueText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name !== 'checkpoint_every' && name !== 'measure_every') return String(value);
  return value === 0 ? 'each epoch' : `every ${Number(value).toLocaleString('en')} steps`;
}

/** The sidebar of a native run: name, settings, device, last checkpoint and health. */
function About({ run, go }: { run: RemoteRun; go: Navigate }): ReactNode {
  const { name, plan } = run.sources;
  const [isOpen, setOpen] = useState(false);
  return (
    <aside className={isOpen ? 'side about open' : 'side about'}>
      <div className="transport">
        <h1 title={name}>{name}</h1>
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Details'}
        </button>
      </div>
      <div className="settings">
        <dl className="facts">
          {choicesOf(plan).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={value}>{value}</dd>
            </div>
          ))}
          {run.device !== undefined && (
            <div>
              <dt>Device</dt>
              <dd>{run.device.toUpperCase()}</dd>
            </div>
          )}
          {run.checkpoint && (
            <div>
              <dt>Last checkpoint</dt>
              <dd>step {run.checkpoint.step.toLocaleString('en')}</dd>
            </div>
          )}
        </dl>
        <section className="health" aria-label="Health">
          <h2>Health</h2>
          <Findings failure={run.failure === undefined ? undefined : <Failed run={run} go={go} />} findings={run.findings} isMeasured={run.flow.length > 0} good="All gradients are finite and every layer is learning." />
        </section>
      </div>
    </aside>
  );
}

/** The failure message, with a link to the op that caused it. */
function Failed({ run, go }: { run: RemoteRun; go: Navigate }): ReactNode {
  const { failure, origin, broken: node, trace } = run;
  useEffect(() => {
    if (origin && !trace) void run.explain();
  }, [run, origin, trace]);
  return (
    <>
      {failure}
      {node !== undefined && (
        <button type="button" className="link" onClick={() => go({ panel: 'graph', node })}>
          Show in graph
        </button>
      )}
    </>
  );
}

/** The status in one word, for narrow screens. */
const SHORT = { waiting: 'Waiting', running: 'Running', lost: 'Offline', ended: 'Ended' } as const;

function statusText(run: RemoteRun): string {
  switch (run.state) {
    case 'waiting':
      return 'Waiting for the event log';
    case 'running':
      return 'Run in progress';
    case 'lost':
      return 'Server unreachable, retrying';
    case 'ended':
      return run.failure === undefined ? `Run finished: ${run.ended ?? 'done'}` : 'Run failed';
    default:
      return run.state satisfies never;
  }
}
