/** The frame for a run elsewhere: the same rooms, of what its server tells. */
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { RunSources } from './data/sources.ts';
import { Findings } from './findings.tsx';
import { Watch } from './rooms/watch.tsx';
import { useRun } from './run/use-run.ts';
import { Watched } from './run/watched.ts';
import { LABELS, Top, useKeys, usePlace, type Go } from './top.tsx';
import { Guard } from './ui/guard.tsx';

const Graph = lazy(() => import('./rooms/graph.tsx').then(({ Graph }) => ({ default: Graph })));
const Compiler = lazy(() => import('./rooms/compiler.tsx').then(({ Compiler }) => ({ default: Compiler })));

const ROOMS = ['train', 'graph', 'compiler'] as const;

export function Attached({ sources }: { sources: RunSources }): ReactNode {
  const run = useRun(useMemo(() => new Watched(sources), [sources]));
  const [place, go] = usePlace(ROOMS);
  useEffect(() => run.follow(), [run]);
  useKeys(ROOMS, go, () => undefined);
  return (
    <div className="studio" data-state={run.state} data-step={run.step}>
      <Top rooms={ROOMS} place={place} go={go} state={run.failure === undefined ? run.state : 'failed'} text={said(run)} short={run.failure === undefined ? SHORT[run.state] : 'Failed'} />
      <About run={run} go={go} />
      <main>
        <Guard key={place.room} name={LABELS[place.room]} of={run}>
          <Suspense fallback={<p className="empty">Loading</p>}>
            {place.room === 'train' && <Watch run={run} />}
            {place.room === 'graph' && <Graph run={run} place={place} go={go} />}
            {place.room === 'compiler' && <Compiler run={run} place={place} go={go} />}
          </Suspense>
        </Guard>
      </main>
    </div>
  );
}

/** What the choices of a run are called, the first first. */
const NAMES: Readonly<Record<string, string>> = {
  task: 'Task', model: 'Model', hidden: 'Hidden units', layers: 'Layers', heads: 'Heads', window: 'Window',
  optimizer: 'Optimizer', lr: 'Learning rate', schedule: 'Schedule', weight_decay: 'Weight decay',
  batch: 'Batch', epochs: 'Epochs', steps: 'Steps', seed: 'Seed', patience: 'Patience',
  checkpoint_every: 'Checkpoint', measure_every: 'Test', data: 'Data', limit: 'Examples at most',
};

/** The choices in words; those of other models are left out. */
function choicesOf(plan: RunSources['plan']): (readonly [string, string])[] {
  const has = ({ heads: plan?.model === 'gpt', window: plan?.task === 'text' || plan?.task === 'names' }) as Readonly<Record<string, boolean>>;
  const ranked = Object.keys(NAMES);
  const rank = (name: string): number => (ranked.indexOf(name) + ranked.length + 1) % (ranked.length + 1);
  const names = Object.keys(plan ?? {}).filter((name) => plan?.[name] !== null && (has[name] ?? true));
  return names.sort((a, b) => rank(a) - rank(b)).map((name) => [NAMES[name] ?? name.replaceAll('_', ' '), valueText(name, plan?.[name])]);
}

/** Zero steps between two checkpoints mean none for that reason: then they are written after epochs. */
function valueText(name: string, value: unknown): string {
  if (name !== 'checkpoint_every' && name !== 'measure_every') return String(value);
  return value === 0 ? 'each epoch' : `every ${Number(value).toLocaleString('en')} steps`;
}

/** What is run, with which choices, and how it is doing. */
function About({ run, go }: { run: Watched; go: Go }): ReactNode {
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
          <Findings failure={run.failure === undefined ? undefined : <Failed run={run} go={go} />} findings={run.findings} isMeasured={run.flow.length > 0} good="All gradients are finite, and every layer learns." />
        </section>
      </div>
    </aside>
  );
}

/** Why the run has failed, and the way to the op behind it. */
function Failed({ run, go }: { run: Watched; go: Go }): ReactNode {
  const { failure, origin, broken: node, trace } = run;
  useEffect(() => {
    if (origin && !trace) void run.explain();
  }, [run, origin, trace]);
  return (
    <>
      {failure}
      {node !== undefined && (
        <button type="button" className="link" onClick={() => go({ room: 'graph', node })}>
          Show it in the graph
        </button>
      )}
    </>
  );
}

/** How things stand, where there is room for a word. */
const SHORT = { waiting: 'Waiting', running: 'Running', lost: 'Lost', ended: 'Ended' } as const;

function said(run: Watched): string {
  switch (run.state) {
    case 'waiting':
      return 'Waiting for the first line of the log';
    case 'running':
      return 'The run is under way';
    case 'lost':
      return 'The server cannot be reached; it is tried again';
    case 'ended':
      return run.failure === undefined ? `The run has ended: ${run.ended ?? 'done'}` : 'The run has failed';
    default:
      return run.state satisfies never;
  }
}
