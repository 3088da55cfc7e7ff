/** The frame: rooms on top, what is run at the side, the chosen room in the middle. */
import { lazy, Suspense, useEffect, useMemo, type ReactNode } from 'react';
import { Run } from './run/run.ts';
import { DEVICES } from './run/settings.ts';
import { useRun } from './run/use-run.ts';
import { Train } from './rooms/train.tsx';
import { Side } from './side.tsx';
import { TASKS } from './tasks/index.ts';
import { Top, useKeys, usePlace } from './top.tsx';

const Graph = lazy(() => import('./rooms/graph.tsx').then(({ Graph }) => ({ default: Graph })));
const Compiler = lazy(() => import('./rooms/compiler.tsx').then(({ Compiler }) => ({ default: Compiler })));
const Code = lazy(() => import('./rooms/code.tsx').then(({ Code }) => ({ default: Code })));

const ROOMS = ['train', 'graph', 'compiler', 'code'] as const;

function firstRun(): Run {
  const asked = new URLSearchParams(location.search);
  const task = TASKS.find((task) => task.id === asked.get('task')) ?? (TASKS[0] as (typeof TASKS)[0]);
  const device = asked.get('device');
  return new Run({
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
  const run = useRun(useMemo(firstRun, []));
  const [place, go] = usePlace(ROOMS);

  useEffect(() => {
    // A page that opens shows a model training; a person can pause it.
    void run.open().then(() => run.start());
  }, [run]);
  // Whoever looks on is led to the node that has broken; whoever writes is told at the line.
  const broken = run.failure?.node;
  useEffect(() => {
    if (broken !== undefined && place.room !== 'code') go({ room: 'graph', node: broken });
  }, [broken]);
  useKeys(ROOMS, go, (key) => {
    if (key === 's') void run.single();
    if (key !== ' ') return;
    if (run.state === 'running') run.pause();
    else run.start();
  });

  return (
    <div className="studio" data-state={run.state} data-step={run.step} data-metric={run.metric.last ?? ''}>
      <Top rooms={ROOMS} place={place} go={go} state={run.state} text={statusText(run)} short={SHORT[run.state]} />
      <Side run={run} go={go} />
      <main>
        <Suspense fallback={<p className="empty">Opening the room</p>}>
          {place.room === 'train' && <Train run={run} go={go} />}
          {place.room === 'graph' && <Graph run={run} place={place} go={go} />}
          {place.room === 'compiler' && <Compiler run={run} place={place} go={go} />}
          {place.room === 'code' && <Code run={run} place={place} />}
        </Suspense>
      </main>
    </div>
  );
}

/** How things stand, where there is room for a word. */
const SHORT = { loading: 'Loading', failed: 'Stopped', running: 'Training', paused: 'Paused' } as const;

function statusText(run: Run): string {
  switch (run.state) {
    case 'loading':
      return run.progress;
    case 'failed':
      return 'Stopped by an error';
    case 'running':
      return `Training on ${run.session?.device ?? 'the CPU'}`;
    case 'paused':
      return run.step === 0 ? 'Ready' : `Paused on ${run.session?.device ?? 'the CPU'}`;
    default:
      return run.state satisfies never;
  }
}
