/** Layout of the studio for a run in this page: navigation on top, settings in the sidebar, one panel in the middle. */
import { lazy, Suspense, useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { Run } from './run/run.ts';
import { Runs, type Busy } from './run/runs.ts';
import { DEVICES } from './run/settings.ts';
import { useRun } from './run/use-run.ts';
import { Train } from './panels/train.tsx';
import { Sidebar } from './sidebar.tsx';
import { TASKS } from './tasks/index.ts';
import { LABELS, Top, useKeys, useView } from './top.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';

const Graph = lazy(() => import('./panels/graph.tsx').then(({ Graph }) => ({ default: Graph })));
const Compiler = lazy(() => import('./panels/compiler.tsx').then(({ Compiler }) => ({ default: Compiler })));
const Code = lazy(() => import('./panels/code.tsx').then(({ Code }) => ({ default: Code })));

const PANELS = ['train', 'graph', 'compiler', 'code'] as const;

function firstRuns(): Runs {
  const query = new URLSearchParams(location.search);
  const task = TASKS.find((task) => task.id === query.get('task')) ?? (TASKS[0] as (typeof TASKS)[0]);
  const device = query.get('device');
  return new Runs({
    task: task.id,
    device: DEVICES.find(({ id }) => id === device)?.id ?? 'cpu',
    momentum: 0.9,
    beta1: 0.9,
    beta2: 0.999,
    weightDecay: 0.01,
    seed: 1,
    ...task.defaults,
  });
}

export function Studio(): ReactNode {
  const runs = useRun(useMemo(firstRuns, []));
  const run = runs.current;
  const [view, go] = useView(PANELS);

  // Training starts when the page opens.
  useEffect(() => runs.open(), [runs]);
  // On a NaN, open the graph at its node, except in the code panel, which marks the line instead.
  const broken = run.failure?.node;
  useEffect(() => {
    if (broken !== undefined && view.panel !== 'code') go({ panel: 'graph', node: broken });
  }, [broken]);
  // Node ids and line numbers are valid only for the run in which they were selected.
  const shown = useRef(run);
  useEffect(() => {
    if (shown.current !== run) go({ panel: view.panel });
    shown.current = run;
  }, [run]);
  useKeys(PANELS, go, (key) => {
    if (key === 's') void run.stepOnce();
    if (key !== ' ') return;
    if (run.state === 'running') run.pause();
    else run.start();
  });

  const { busy } = runs;
  const restart = (): void => runs.restart();
  return (
    <div className="studio" data-state={run.state} data-step={run.step} data-metric={run.metric.last ?? ''} data-run={run.id}>
      <Top panels={PANELS} view={view} go={go} state={run.state} text={statusText(run, busy)} short={SHORT[run.state]} />
      <ErrorBoundary name="Sidebar" of={run}>
        <Sidebar runs={runs} go={go} />
      </ErrorBoundary>
      <main>
        <ErrorBoundary key={view.panel} name={LABELS[view.panel]} of={run} onRestart={restart}>
          <Suspense fallback={<p className="empty">Loading</p>}>
            {view.panel === 'train' && <Train run={run} go={go} />}
            {view.panel === 'graph' && <Graph key={run.id} run={run} view={view} go={go} />}
            {view.panel === 'compiler' && <Compiler key={run.id} run={run} view={view} go={go} />}
            {view.panel === 'code' && <Code key={run.task.id} runs={runs} view={view} />}
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** The status in one word, for narrow screens. */
const SHORT = { loading: 'Loading', failed: 'Stopped', running: 'Training', paused: 'Paused' } as const;

function statusText(run: Run, busy: Busy | undefined): string {
  if (busy) return `Model code not responding for ${busy.seconds} s`;
  switch (run.state) {
    case 'loading':
      return run.progress;
    case 'failed':
      return 'Stopped';
    case 'running':
      return `Training on ${run.session?.device ?? 'the CPU'}`;
    case 'paused':
      return run.step === 0 ? 'Ready' : `Paused on ${run.session?.device ?? 'the CPU'}`;
    default:
      return run.state satisfies never;
  }
}
