/** The bar on top: rooms, how things stand, light or dark; and the way between rooms. */
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Ember, Moon, Sun } from './ui/icons.tsx';
import { toggleTheme, useTheme } from './ui/theme.ts';

export const LABELS = { train: 'Train', graph: 'Graph', compiler: 'Compiler', code: 'Code' } as const;
export type RoomName = keyof typeof LABELS;

/** Where the person is: the room, and what is picked out in it. */
export interface Place {
  readonly room: RoomName;
  /** A node of the graph, a part of the model or a line of its source. */
  readonly node?: number;
  readonly where?: string;
  readonly line?: number;
}

export type Go = (place: Place) => void;

/** The place, which begins with the room of the address, and the way to another. */
export function usePlace(rooms: readonly RoomName[]): [Place, Go] {
  const ofAddress = (): Place => ({ room: rooms.find((room) => room === location.hash.slice(1)) ?? 'train' });
  const [place, setPlace] = useState(ofAddress);
  const go = useCallback((next: Place) => {
    setPlace(next);
    history.replaceState(null, '', `#${next.room}`);
  }, []);
  useEffect(() => {
    const follow = (): void => setPlace(ofAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return [place, go];
}

/** Where letters and digits are text. */
const TYPED = 'input:not([type=radio], [type=checkbox], [type=range]), select, textarea, [contenteditable]';

/** Digits choose rooms; other keys are handed on. */
export function useKeys(rooms: readonly RoomName[], go: Go, other: (key: string) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (target.closest(TYPED) !== null || event.metaKey || event.ctrlKey || event.altKey) return;
      const room = rooms[Number(event.key) - 1];
      if (room) return go({ room });
      // To what can be pressed, the space bar is the press.
      if (event.key === ' ' && target.closest('button, input') !== null) return;
      if (event.key === ' ') event.preventDefault();
      other(event.key);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

export function Top(props: { rooms: readonly RoomName[]; place: Place; go: Go; state: string; text: string; short: string }): ReactNode {
  const theme = useTheme();
  return (
    <header className="top">
      <span className="brand">
        <Ember />
        <b>Brasa</b>
      </span>
      <nav aria-label="Rooms">
        {props.rooms.map((room, n) => (
          <button
            key={room}
            type="button"
            title={`${LABELS[room]} (${n + 1})`}
            aria-current={room === props.place.room ? 'page' : undefined}
            onClick={() => props.go({ room })}
          >
            {LABELS[room]}
          </button>
        ))}
      </nav>
      <span className="status" data-state={props.state} role="status">
        <i />
        <span className="long">{props.text}</span>
        <span className="short">{props.short}</span>
      </span>
      <button type="button" className="icon" aria-label={theme === 'dark' ? 'Light colours' : 'Dark colours'} onClick={toggleTheme}>
        {theme === 'dark' ? <Sun /> : <Moon />}
      </button>
    </header>
  );
}
