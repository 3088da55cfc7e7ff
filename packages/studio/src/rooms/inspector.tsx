/** What there is to know about a box of the graph: where it comes from, what it is, what it holds. */
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { Box } from '../run/fold.ts';
import type { Run } from '../run/run.ts';
import type { Output } from '../run/session.ts';
import { histogramOf, statsOf } from '../run/stats.ts';
import { lineOf, typeText } from '../run/trace.ts';
import type { Go } from '../studio.tsx';
import { Canvas, bitmap, type Brush } from '../ui/canvas.tsx';
import { signed } from '../ui/color.ts';
import { number, share } from '../ui/format.ts';
import { Histogram } from '../ui/histogram.tsx';

interface InspectorProps {
  readonly run: Run;
  readonly box: Box | undefined;
  readonly kernel: number | undefined;
  readonly go: Go;
  readonly onOpen: (() => void) | undefined;
  readonly onClose: (() => void) | undefined;
}

export function Inspector({ run, box, kernel, go, onOpen, onClose }: InspectorProps): ReactNode {
  const held = useHeld(run, box);
  if (!box) {
    return (
      <aside className="inspector">
        <p className="empty">Choose a box to see its source line, its type and its values. A double click opens it.</p>
      </aside>
    );
  }
  const last = box.nodes.at(-1);
  const line = box.nodes.map((node) => lineOf(node.site)).find((line) => line !== undefined);
  return (
    <aside className="inspector" aria-label={`About ${box.label}`}>
      <h2>{box.label}</h2>
      <dl className="facts">
        {last && <Fact name="Type" value={typeText(last)} />}
        {last?.module && <Fact name="Module" value={last.module} />}
        {box.kind === 'op' && last && <Fact name="Call" value={last.call} />}
        <Fact name="Nodes" value={String(box.nodes.length)} />
      </dl>
      <p className="ways">
        {line !== undefined && <button type="button" className="link" onClick={() => go({ room: 'code', line })}>Line {line} of model.js</button>}
        {kernel !== undefined && last && <button type="button" className="link" onClick={() => go({ room: 'compiler', node: last.id })}>Kernel {kernel}</button>}
        {onOpen && <button type="button" className="link" onClick={onOpen}>Open</button>}
        {onClose && <button type="button" className="link" onClick={onClose}>Fold</button>}
      </p>
      {held === 'none' && <p className="note">Values are shown for parameters and for the parts of the model.</p>}
      {held === 'wait' && <p className="note">Reading the values.</p>}
      {typeof held === 'object' && <Held of={held} />}
    </aside>
  );
}

const Fact = ({ name, value }: { name: string; value: string }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The values behind a box: a parameter, or what a part of the model gives. */
function useHeld(run: Run, box: Box | undefined): Output | 'wait' | 'none' {
  const [held, setHeld] = useState<Output | 'wait' | 'none'>('none');
  const { session } = run;
  const parameter = box?.kind === 'param' ? box.label : undefined;
  const module = box?.phase === 'forward' ? box.nodes.at(-1)?.module : undefined;
  useEffect(() => {
    let isOver = false;
    const set = (value: Output | 'wait' | 'none'): void => {
      if (!isOver) setHeld(value);
    };
    if (!session || (parameter === undefined && module === undefined)) {
      set('none');
      return;
    }
    set('wait');
    const read = async (): Promise<Output | undefined> =>
      parameter !== undefined ? (await session.weights()).get(parameter) : (await run.partValues())?.get(module ?? '');
    read().then((found) => set(found ?? 'none'), () => set('none'));
    return () => {
      isOver = true;
    };
  }, [run, session, parameter, module, box?.id]);
  return held;
}

export function Held({ of }: { of: Output }): ReactNode {
  const stats = statsOf(of.data);
  return (
    <div className="held">
      <Histogram of={histogramOf(of.data)} colour="water" label="Histogram of the values" />
      <dl className="facts">
        <Fact name="Mean" value={number(stats.mean)} />
        <Fact name="Spread" value={number(stats.deviation)} />
        <Fact name="From" value={number(stats.min)} />
        <Fact name="To" value={number(stats.max)} />
        <Fact name="Zeros" value={share(stats.zeros / Math.max(1, stats.count))} />
        {stats.broken > 0 && <Fact name="Not finite" value={String(stats.broken)} />}
      </dl>
      <Heat of={of} />
    </div>
  );
}

/** A matrix as a heat map; pictures and kernels as a grid of small ones. */
function Heat({ of }: { of: Output }): ReactNode {
  const { shape, data } = of;
  const isGrid = shape.length === 4;
  const draw = useCallback(
    ({ to, width, height, colours }: Brush) => {
      const scale = 1 / Math.max(1e-12, statsOf(data).max, -statsOf(data).min);
      const [rows, columns] = isGrid ? [shape[2] ?? 1, shape[3] ?? 1] : [Math.min(256, data.length / (shape.at(-1) ?? 1)), Math.min(512, shape.at(-1) ?? 1)];
      const count = isGrid ? Math.min(64, data.length / (rows * columns)) : 1;
      const across = isGrid ? Math.ceil(Math.sqrt((count * width) / Math.max(1, height))) : 1;
      const side = isGrid ? Math.min(width / across, height / Math.ceil(count / across)) : width;
      const stride = isGrid ? columns : (shape.at(-1) ?? 1);
      to.imageSmoothingEnabled = false;
      for (let n = 0; n < count; n += 1) {
        const image = bitmap(columns, rows, (at) => {
          const value = data[n * rows * columns + Math.floor(at / columns) * stride + (at % columns)] ?? 0;
          return Number.isFinite(value) ? signed(colours, value * scale) : colours.ink;
        });
        if (isGrid) to.drawImage(image, (n % across) * side, Math.floor(n / across) * side, side - 2, side - 2);
        else to.drawImage(image, 0, 0, width, height);
      }
    },
    [data, shape, isGrid],
  );
  if (data.length < 2) return null;
  return <Canvas className="heat" draw={draw} label={isGrid ? 'Grid of images' : 'Heat map of the values'} />;
}
