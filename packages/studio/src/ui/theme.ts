/** Light or dark theme: the system's preference until the user toggles it. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'brasa-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen = stored();

function stored(): Theme | undefined {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : undefined;
}

function current(): Theme {
  return chosen ?? (system.matches ? 'dark' : 'light');
}

function apply(): void {
  document.documentElement.dataset['theme'] = current();
  for (const listener of listeners) listener();
}

export function startTheme(): void {
  system.addEventListener('change', apply);
  apply();
}

export function toggleTheme(): void {
  chosen = current() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(KEY, chosen);
  apply();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}
