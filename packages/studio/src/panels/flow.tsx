/** Gradient norms of all layers over recent steps, as one heat map. */
import { useCallback, useMemo, useState, type CSSProperties, type PointerEvent, type ReactNode } from 'react';
import type { FlowColumn } from '../run/flow.ts';
import { Canvas, type DrawContext } from '../ui/canvas.tsx';
import { css, heat, palette } from '../ui/color.ts';
import { number } from '../ui/format.ts';
import { useTheme } from '../ui/theme.ts';

interface FlowProps {
  readonly names: readonly string[];
  /** The class of each layer, by path. */
  readonly kinds?: ReadonlyMap<string, string> | undefined;
  readonly flow: readonly FlowColumn[];
  /** The text shown before the first column. */
  readonly empty: string;
}

/** Colour level of the smallest norm. Above 0, so that it differs from the background. */
const COOLEST = 0.08;

const power = (log: number): string => number(10 ** log);
const step = (column: FlowColumn | undefined): string => `step ${(column?.step ?? 0).toLocaleString('en')}`;

export function Flow({ names, kinds, flow, empty }: FlowProps): ReactNode {
  const { logs, low, high } = useMemo(() => {
    const logs = flow.map(({ norms }) => norms.map((norm) => Math.log10(Math.max(norm, 1e-12))));
    const all = logs.flat().filter(Number.isFinite);
    return { logs, low: Math.min(...all), high: Math.max(...all) };
  }, [flow]);
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      const rows = Math.max(1, names.length);
      const cell = { width: width / Math.max(1, logs.length), height: height / rows };
      logs.forEach((column, c) => {
        column.forEach((log, row) => {
          const level = high > low ? (log - low) / (high - low) : 1;
          context.fillStyle = css(Number.isFinite(log) ? heat(colours, COOLEST + (1 - COOLEST) * level) : colours.ink);
          context.fillRect(c * cell.width, row * cell.height, cell.width + 0.5, cell.height - 1);
        });
      });
    },
    [logs, low, high, names.length],
  );
  // The cell under the cursor, as fractions of width and height: the number of columns changes.
  const [pointed, setPointed] = useState<readonly [number, number]>();
  const point = ({ currentTarget, clientX, clientY }: PointerEvent): void => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    setPointed([(clientX - left) / width, (clientY - top) / height]);
  };
  const column = pointed && flow[Math.floor(pointed[0] * flow.length)];
  const row = pointed ? Math.floor(pointed[1] * names.length) : 0;
  const norm = column?.norms[row];
  return (
    <section className="card flow">
      <h2>
        Gradient flow
        <small>{norm === undefined ? '' : `${names[row]}, ${step(column)}: norm ${number(norm)}`}</small>
        {low <= high && <Scale low={power(low)} high={power(high)} />}
      </h2>
      {flow.length === 0 ? (
        <p className="empty">{empty}</p>
      ) : (
        <div className="matrix">
          <ol style={{ '--row': `${150 / names.length}px` } as CSSProperties}>
            {names.map((name) => (
              <li key={name} title={name}>
                {name}
                <small>{kinds?.get(name) ?? ''}</small>
              </li>
            ))}
          </ol>
          <div className="cells" onPointerMove={point} onPointerLeave={() => setPointed(undefined)}>
            <Canvas draw={draw} label="Gradient norms: layers by steps" />
          </div>
          <span className="ends">
            <span>{step(flow[0])}</span>
            <span>{step(flow.at(-1))}</span>
          </span>
        </div>
      )}
    </section>
  );
}

/** The colour scale with its smallest and largest norm. */
function Scale({ low, high }: { low: string; high: string }): ReactNode {
  const theme = useTheme();
  const shades = useMemo(() => {
    const colours = palette();
    const shade = (n: number): string => css(heat(colours, COOLEST + ((1 - COOLEST) * n) / 5));
    return [0, 1, 2, 3, 4, 5].map(shade).join(', ');
  }, [theme]);
  return (
    <span className="scale" role="img" aria-label={`Norms from ${low} to ${high}`}>
      <span>{low}</span>
      <i style={{ background: `linear-gradient(90deg, ${shades})` }} />
      <span>{high}</span>
    </span>
  );
}
