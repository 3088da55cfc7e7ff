/** The frame: rooms on top, what is run at the side, the chosen room in the middle. */
import { lazy, Suspense, useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { Run } from './run/run.ts';
import { Runs, type Busy } from './run/runs.ts';
import { DEVICES } from './run/settings.ts';
import { useRun } from './run/use-run.ts';
import { Train } from './rooms/train.tsx';
import { Side } from './side.tsx';
import { TASKS } from './tasks/index.ts';
import { LABELS, Top, useKeys, usePlace } from './top.tsx';
import { Guard } from './ui/guard.tsx';

const Graph = lazy(() => import('./rooms/graph.tsx').then(({ Graph }) => ({ default: Graph })));
const Compiler = lazy(() => import('./rooms/compiler.tsx').then(({ Compiler }) => ({ default: Compiler })));
const Code = lazy(() => import('./rooms/code.tsx').then(({ Code }) => ({ default: Code })));

const ROOMS = ['train', 'graph', 'compiler', 'code'] as const;

function firstRuns(): Runs {
  const asked = new URLSearchParams(location.search);
  const task = TASKS.find((task) => task.id === asked.get('task')) ?? (TASKS[0] as (typeof TASKS)[0]);
  const device = asked.get('device');
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
  const [place, go] = usePlace(ROOMS);

  // A page that opens shows a model training; a person can pause it.
  useEffect(() => runs.open(), [runs]);
  // Whoever looks on is led to the node that has broken; whoever writes is told at the line.
  const broken = run.failure?.node;
  useEffect(() => {
    if (broken !== undefined && place.room !== 'code') go({ room: 'graph', node: broken });
  }, [broken]);
  // Nodes and lines are those of the run in which they were picked out.
  const shown = useRef(run);
  useEffect(() => {
    if (shown.current !== run) go({ room: place.room });
    shown.current = run;
  }, [run]);
  useKeys(ROOMS, go, (key) => {
    if (key === 's') void run.single();
    if (key !== ' ') return;
    if (run.state === 'running') run.pause();
    else run.start();
  });

  const { busy } = runs;
  const restart = (): void => runs.restart();
  return (
    <div className="studio" data-state={run.state} data-step={run.step} data-metric={run.metric.last ?? ''} data-run={run.id}>
      <Top rooms={ROOMS} place={place} go={go} state={run.state} text={statusText(run, busy)} short={SHORT[run.state]} />
      <Guard name="The side" of={run}>
        <Side runs={runs} go={go} />
      </Guard>
      <main>
        <Guard key={place.room} name={LABELS[place.room]} of={run} onRestart={restart}>
          <Suspense fallback={<p className="empty">Loading</p>}>
            {place.room === 'train' && <Train run={run} go={go} />}
            {place.room === 'graph' && <Graph key={run.id} run={run} place={place} go={go} />}
            {place.room === 'compiler' && <Compiler key={run.id} run={run} place={place} go={go} />}
            {place.room === 'code' && <Code key={run.task.id} runs={runs} place={place} />}
          </Suspense>
        </Guard>
      </main>
    </div>
  );
}

/** How things stand, where there is room for a word. */
const SHORT = { loading: 'Loading', failed: 'Stopped', running: 'Training', paused: 'Paused' } as const;

function statusText(run: Run, busy: Busy | undefined): string {
  if (busy) return `The code has been running for ${busy.seconds} s`;
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
