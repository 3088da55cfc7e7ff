/** What there is to know about a box of the graph: where it comes from, what it is, what it holds. */
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { Box } from '../run/fold.ts';
import { Pace } from '../run/pace.ts';
import type { Output } from '../run/session.ts';
import { histogramOf, normOf, statsOf } from '../run/stats.ts';
import type { Subject } from '../run/subject.ts';
import { lineOf, shortSite, typeText } from '../run/trace.ts';
import type { Go } from '../top.tsx';
import { Canvas, shaded, type Brush } from '../ui/canvas.tsx';
import { signed, type Colour } from '../ui/color.ts';
import { number, share } from '../ui/format.ts';
import { Histogram } from '../ui/histogram.tsx';

interface InspectorProps {
  readonly run: Subject;
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
        <p className="empty">Choose a box to see its source line, its type and its value while the model trains. A double click opens it.</p>
      </aside>
    );
  }
  const { result } = box;
  const line = box.nodes.map((node) => lineOf(node.site)).find((line) => line !== undefined);
  return (
    <aside className="inspector" aria-label={`About ${box.label}`}>
      <h2>{box.label}</h2>
      <dl className="facts">
        {result && <Fact name="Type" value={typeText(result)} />}
        {result?.module && <Fact name="Module" value={result.module} />}
        {box.kind === 'op' && result && <Fact name="Call" value={result.call} />}
        {line === undefined && result && result.role === undefined && <Fact name="Place" value={shortSite(result.site)} />}
        {box.nodes.length > 1 && <Fact name="Nodes" value={`${box.nodes.length}; the result is of ${result?.op ?? ''}`} />}
      </dl>
      <p className="ways">
        {line !== undefined && <button type="button" className="link" onClick={() => go({ room: 'code', line })}>Line {line} of model.js</button>}
        {kernel !== undefined && result && <button type="button" className="link" onClick={() => go({ room: 'compiler', node: result.id })}>Kernel {kernel}</button>}
        {onOpen && <button type="button" className="link" onClick={onOpen}>Open</button>}
        {onClose && <button type="button" className="link" onClick={onClose}>Fold</button>}
      </p>
      <Value held={held} />
    </aside>
  );
}

const Fact = ({ name, value }: { name: string; value: string }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** What a box holds: nothing yet, the value of its result at a step, or why there is none. */
type Held = 'wait' | { readonly value: Output; readonly step: number } | { readonly problem: string };

/** How often a value is read again while the model trains, in ms, and the share of the time that it may take. */
const AGAIN = 600;
const SHARE = 0.02;

/** The value of the result of a box, read again as training goes on. */
function useHeld(run: Subject, box: Box | undefined): Held {
  const [held, setHeld] = useState<Held>('wait');
  const { model } = run;
  const node = box?.result?.id;
  useEffect(() => {
    if (!model || node === undefined) return;
    let isOver = false;
    setHeld('wait');
    const read = async (): Promise<void> => {
      const pace = new Pace(run, AGAIN, SHARE);
      for (let seen = -1; !isOver; await new Promise((resolve) => setTimeout(resolve, 50))) {
        if (seen === run.valueStep || !pace.isDue) continue;
        seen = run.valueStep;
        const next = await pace.ask(() => run.valueOf(node)).then(
          (value): Held => ({ value, step: seen }),
          (error: unknown): Held => ({ problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }),
        );
        if (!isOver) setHeld(next);
      }
    };
    void read();
    return () => {
      isOver = true;
    };
  }, [run, model, node]);
  return held;
}

function Value({ held }: { held: Held }): ReactNode {
  if (held === 'wait') return <p className="note">Reading the value.</p>;
  if ('problem' in held) return <p className="note">There is no value: {held.problem}</p>;
  return (
    <>
      <h3>
        Value <small>at step {held.step.toLocaleString('en')}</small>
      </h3>
      <HeldValue of={held.value} />
    </>
  );
}

function HeldValue({ of }: { of: Output }): ReactNode {
  const stats = statsOf(of.data);
  if (stats.count === 1) {
    return (
      <dl className="facts">
        <Fact name="Number" value={String(of.data[0])} />
      </dl>
    );
  }
  if (stats.broken === stats.count) return <p className="note">None of the {stats.count.toLocaleString('en')} values is finite.</p>;
  return (
    <div className="held">
      <Histogram of={histogramOf(of.data)} colour="water" label="Histogram of the values" />
      <dl className="facts">
        <Fact name="Mean" value={number(stats.mean)} />
        <Fact name="Spread" value={number(stats.deviation)} />
        <Fact name="From" value={number(stats.min)} />
        <Fact name="To" value={number(stats.max)} />
        <Fact name="Norm" value={number(normOf(of.data))} />
        <Fact name="Zeros" value={share(stats.zeros / Math.max(1, stats.count))} />
        {stats.broken > 0 && <Fact name="Not finite" value={stats.broken.toLocaleString('en')} />}
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
      const { min, max } = statsOf(data);
      const scale = 1 / Math.max(1e-12, max, -min);
      const [rows, columns] = isGrid ? [shape[2] ?? 1, shape[3] ?? 1] : [Math.min(256, data.length / (shape.at(-1) ?? 1)), Math.min(512, shape.at(-1) ?? 1)];
      const count = isGrid ? Math.min(64, data.length / (rows * columns)) : 1;
      const across = isGrid ? Math.ceil(Math.sqrt((count * width) / Math.max(1, height))) : 1;
      const side = isGrid ? Math.min(width / across, height / Math.ceil(count / across)) : width;
      const stride = isGrid ? columns : (shape.at(-1) ?? 1);
      to.imageSmoothingEnabled = false;
      for (let n = 0; n < count; n += 1) {
        // What is not finite has a shade of its own, the last.
        const shade = (level: number): Colour => (level < 1 ? signed(colours, 2.02 * level - 1) : colours.ink);
        const image = shaded(columns, rows, shade, (at) => {
          const value = data[n * rows * columns + Math.floor(at / columns) * stride + (at % columns)] ?? 0;
          return Number.isFinite(value) ? (value * scale + 1) / 2.02 : 1;
        });
        if (isGrid) to.drawImage(image, (n % across) * side, Math.floor(n / across) * side, side - 2, side - 2);
        else to.drawImage(image, 0, 0, width, height);
      }
    },
    [data, shape, isGrid],
  );
  if (data.length < 2) return null;
  return <Canvas className="heat" draw={draw} label={isGrid ? 'Grid of images of the values' : 'Heat map of the values'} />;
}
