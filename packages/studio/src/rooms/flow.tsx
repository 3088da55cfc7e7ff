/** How long gradients are, layer by layer, over the last steps: one matrix for the whole model. */
import { useCallback, useMemo, useState, type CSSProperties, type PointerEvent, type ReactNode } from 'react';
import type { FlowColumn } from '../run/flow.ts';
import { Canvas, type Brush } from '../ui/canvas.tsx';
import { css, heat, palette } from '../ui/color.ts';
import { number } from '../ui/format.ts';
import { useTheme } from '../ui/theme.ts';

interface FlowProps {
  readonly names: readonly string[];
  /** What kind of layer each is. */
  readonly kinds?: ReadonlyMap<string, string> | undefined;
  readonly flow: readonly FlowColumn[];
  /** What is said as long as there is nothing. */
  readonly empty: string;
}

/** The warmth of the shortest: a little, as nothing is the ground. */
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
    ({ to, width, height, colours }: Brush) => {
      const rows = Math.max(1, names.length);
      const cell = { width: width / Math.max(1, logs.length), height: height / rows };
      logs.forEach((column, c) => {
        column.forEach((log, row) => {
          const level = high > low ? (log - low) / (high - low) : 1;
          to.fillStyle = css(Number.isFinite(log) ? heat(colours, COOLEST + (1 - COOLEST) * level) : colours.ink);
          to.fillRect(c * cell.width, row * cell.height, cell.width + 0.5, cell.height - 1);
        });
      });
    },
    [logs, low, high, names.length],
  );
  // The cell under the cursor, by its share of width and height, as columns come and go.
  const [pointed, setPointed] = useState<readonly [number, number]>();
  const point = ({ currentTarget, clientX, clientY }: PointerEvent): void => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    setPointed([(clientX - left) / width, (clientY - top) / height]);
  };
  const column = pointed && flow[Math.floor(pointed[0] * flow.length)];
  const row = pointed ? Math.floor(pointed[1] * names.length) : 0;
  const norm = column?.norms[row];
  return (
    <section className="panel flow">
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
            <Canvas draw={draw} label="Norms of gradients: layers by steps" />
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

/** Which colour is how long. */
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
