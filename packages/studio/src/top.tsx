/** The top bar (panel navigation, status, theme) and the hooks that navigate between panels. */
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Ember, Moon, Sun } from './ui/icons.tsx';
import { toggleTheme, useTheme } from './ui/theme.ts';

export const LABELS = { train: 'Train', graph: 'Graph', compiler: 'Compiler', code: 'Code' } as const;
export type PanelName = keyof typeof LABELS;

/** The panel that is shown and what is selected in it. */
export interface View {
  readonly panel: PanelName;
  /** A node of the graph, a module path of the model or a line of its source. */
  readonly node?: number;
  readonly path?: string;
  readonly line?: number;
}

export type Navigate = (view: View) => void;

/** The current view, initialized from the URL hash, and a function to change it. */
export function useView(panels: readonly PanelName[]): [View, Navigate] {
  const ofAddress = (): View => ({ panel: panels.find((panel) => panel === location.hash.slice(1)) ?? 'train' });
  const [view, setView] = useState(ofAddress);
  const go = useCallback((next: View) => {
    setView(next);
    history.replaceState(null, '', `#${next.panel}`);
  }, []);
  useEffect(() => {
    const follow = (): void => setView(ofAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return [view, go];
}

/** Elements that take typed text: shortcuts are ignored there. */
const TYPED = 'input:not([type=radio], [type=checkbox], [type=range]), select, textarea, [contenteditable]';

/** Keyboard shortcuts: digits select panels, other keys go to `other`. */
export function useKeys(panels: readonly PanelName[], go: Navigate, other: (key: string) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (target.closest(TYPED) !== null || event.metaKey || event.ctrlKey || event.altKey) return;
      const panel = panels[Number(event.key) - 1];
      if (panel) return go({ panel });
      // The space bar presses a focused button or input.
      if (event.key === ' ' && target.closest('button, input') !== null) return;
      if (event.key === ' ') event.preventDefault();
      other(event.key);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

export function Top(props: { panels: readonly PanelName[]; view: View; go: Navigate; state: string; text: string; short: string }): ReactNode {
  const theme = useTheme();
  return (
    <header className="top">
      <span className="brand">
        <Ember />
        <b>Brasa</b>
      </span>
      <nav aria-label="Panels">
        {props.panels.map((panel, n) => (
          <button
            key={panel}
            type="button"
            title={`${LABELS[panel]} (${n + 1})`}
            aria-current={panel === props.view.panel ? 'page' : undefined}
            onClick={() => props.go({ panel })}
          >
            {LABELS[panel]}
          </button>
        ))}
      </nav>
      <span className="status" data-state={props.state} role="status">
        <i />
        <span className="long">{props.text}</span>
        <span className="short">{props.short}</span>
      </span>
      <button type="button" className="icon" aria-label={theme === 'dark' ? 'Light theme' : 'Dark theme'} onClick={toggleTheme}>
        {theme === 'dark' ? <Sun /> : <Moon />}
      </button>
    </header>
  );
}
