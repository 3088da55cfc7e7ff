/** The frame: rooms on top, what is run at the side, the chosen room in the middle. */
import { lazy, Suspense, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { sources } from './data/sources.ts';
import { Run } from './run/run.ts';
import { DEVICES } from './run/settings.ts';
import { useRun } from './run/use-run.ts';
import { Train } from './rooms/train.tsx';
import { Side } from './side.tsx';
import { TASKS } from './tasks/index.ts';
import { toggleTheme, useTheme } from './ui/theme.ts';
import { Ember, Moon, Sun } from './ui/icons.tsx';

const Graph = lazy(() => import('./rooms/graph.tsx').then(({ Graph }) => ({ default: Graph })));
const Compiler = lazy(() => import('./rooms/compiler.tsx').then(({ Compiler }) => ({ default: Compiler })));
const Watch = lazy(() => import('./rooms/watch.tsx').then(({ Watch }) => ({ default: Watch })));
const Code = lazy(() => import('./rooms/code.tsx').then(({ Code }) => ({ default: Code })));

export const ROOMS = [
  { id: 'train', label: 'Train' },
  { id: 'graph', label: 'Graph' },
  { id: 'compiler', label: 'Compiler' },
  { id: 'code', label: 'Code' },
  { id: 'watch', label: 'Watch' },
] as const;
export type RoomName = (typeof ROOMS)[number]['id'];

/** Where the person is: the room, and what is picked out in it. */
export interface Place {
  readonly room: RoomName;
  /** A node of the graph, a part of the model or a line of its source. */
  readonly node?: number;
  readonly where?: string;
  readonly line?: number;
}

export type Go = (place: Place) => void;

function roomOfAddress(): RoomName {
  const name = location.hash.slice(1);
  return ROOMS.find((room) => room.id === name)?.id ?? 'train';
}

function firstRun(): Run {
  const asked = new URLSearchParams(location.search);
  const task = TASKS.find((task) => task.id === asked.get('task')) ?? (TASKS[0] as (typeof TASKS)[0]);
  const device = asked.get('device');
  return new Run({
    task: task.id,
    device: DEVICES.find(({ id }) => id === device)?.id ?? 'cpu',
    momentum: 0.9,
    weightDecay: 0.01,
    seed: 1,
    ...task.defaults,
  });
}

export function Studio(): ReactNode {
  const run = useRun(useMemo(firstRun, []));
  const [place, setPlace] = useState<Place>({ room: roomOfAddress() });
  const theme = useTheme();
  const [events, setEvents] = useState<string>();
  const go = useCallback((next: Place) => {
    setPlace(next);
    history.replaceState(null, '', `#${next.room}`);
  }, []);

  useEffect(() => {
    // A page that opens shows a model training; a person can pause it.
    void run.open().then(() => run.start());
    void sources().then(({ events }) => setEvents(events));
    const follow = (): void => setPlace({ room: roomOfAddress() });
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [run]);

  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      const isTyping = target.closest('input, select, textarea, button, [contenteditable]') !== null;
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === ' ') {
        event.preventDefault();
        if (run.state === 'running') run.pause();
        else run.start();
      } else if (event.key === 's') void run.single();
      else if (event.key >= '1' && event.key <= '4') go({ room: (ROOMS[Number(event.key) - 1] as (typeof ROOMS)[0]).id });
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, [run, go]);

  return (
    <div className="studio" data-state={run.state} data-step={run.step} data-metric={run.metric.last ?? ''}>
      <header className="top">
        <span className="brand">
          <Ember />
          <b>Brasa</b>
        </span>
        <nav aria-label="Rooms">
          {ROOMS.filter(({ id }) => id !== 'watch' || events !== undefined).map((room) => (
            <button
              key={room.id}
              type="button"
              aria-current={room.id === place.room ? 'page' : undefined}
              onClick={() => go({ room: room.id })}
            >
              {room.label}
            </button>
          ))}
        </nav>
        <span className="status" data-state={run.state} role="status">
          <i />
          <span>{statusText(run)}</span>
        </span>
        <button type="button" className="icon" aria-label={theme === 'dark' ? 'Light colours' : 'Dark colours'} onClick={toggleTheme}>
          {theme === 'dark' ? <Sun /> : <Moon />}
        </button>
      </header>
      <Side run={run} go={go} />
      <main>
        <Suspense fallback={<p className="empty">Opening the room</p>}>
          {place.room === 'train' && <Train run={run} go={go} />}
          {place.room === 'graph' && <Graph run={run} place={place} go={go} />}
          {place.room === 'compiler' && <Compiler run={run} place={place} go={go} />}
          {place.room === 'code' && <Code run={run} place={place} />}
          {place.room === 'watch' && events !== undefined && <Watch address={events} />}
        </Suspense>
      </main>
    </div>
  );
}

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
