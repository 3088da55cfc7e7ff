/** Formats numbers as short text of nearly constant width. */

/** About four significant digits. */
export function number(x: number | undefined): string {
  if (x === undefined) return '–';
  if (!Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e6) return x.toExponential(2);
  if (size >= 1000) return Math.round(x).toLocaleString('en');
  return x.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 4);
}

export const share = (x: number | undefined): string => (x === undefined ? '–' : `${(100 * x).toFixed(1)} %`);

export function bytes(x: number): string {
  if (x < 1000) return `${x} B`;
  const units = ['kB', 'MB', 'GB'];
  let [value, unit] = [x / 1000, 0];
  while (value >= 1000 && unit < 2) [value, unit] = [value / 1000, unit + 1];
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function count(x: number): string {
  if (x < 1000) return String(x);
  if (x < 1e6) return `${(x / 1e3).toFixed(x < 1e4 ? 2 : 1)} k`;
  if (x < 1e9) return `${(x / 1e6).toFixed(x < 1e7 ? 2 : 1)} M`;
  return `${(x / 1e9).toFixed(2)} G`;
}

/** Resolution of `performance.now()` in µs: finer in cross-origin isolated pages. */
const TICK = crossOriginIsolated ? 5 : 100;

export function millis(x: number | undefined): string {
  if (x === undefined) return '–';
  if (x < 0.0005) return `< ${TICK} µs`;
  return x < 1 ? `${(x * 1000).toFixed(0)} µs` : `${x.toFixed(x < 10 ? 2 : 1)} ms`;
}

export const micros = (x: number | undefined): string => millis(x === undefined ? undefined : x / 1000);

/** Seconds, minutes and seconds, or hours and minutes. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Axis labels, as short as possible. */
export const axisNumber = (x: number): string => (Math.abs(x) >= 1e-3 || x === 0 ? String(Number(x.toPrecision(3))) : x.toExponential(0));
export const axisShare = (x: number): string => `${Number((100 * x).toPrecision(3))} %`;
