/** Numbers as text, short and of steady width. */

/** Four digits that matter. */
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

export function millis(x: number | undefined): string {
  if (x === undefined) return '–';
  return x < 1 ? `${(x * 1000).toFixed(0)} µs` : `${x.toFixed(x < 10 ? 2 : 1)} ms`;
}

export const micros = (x: number | undefined): string => millis(x === undefined ? undefined : x / 1000);
