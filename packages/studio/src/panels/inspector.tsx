/** Details of the selected box of the graph: source location, type and live value. */
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { Box } from '../run/fold.ts';
import { Throttle } from '../run/throttle.ts';
import type { Output } from '../run/session.ts';
import { histogramOf, normOf, statsOf } from '../run/stats.ts';
import type { RunView } from '../run/run-view.ts';
import { lineOf, shortSite, typeText } from '../run/trace.ts';
import type { Navigate } from '../top.tsx';
import { Canvas, shaded, type DrawContext } from '../ui/canvas.tsx';
import { signed, type Colour } from '../ui/color.ts';
import { number, share } from '../ui/format.ts';
import { Histogram } from '../ui/histogram.tsx';

interface InspectorProps {
  readonly run: RunView;
  readonly box: Box | undefined;
  readonly kernel: number | undefined;
  readonly go: Navigate;
  readonly onOpen: (() => void) | undefined;
  readonly onClose: (() => void) | undefined;
}

export function Inspector({ run, box, kernel, go, onOpen, onClose }: InspectorProps): ReactNode {
  const state = useValue(run, box);
  if (!box) {
    return (
      <aside className="inspector">
        <p className="empty">Select a box to see its source line, type and live value. Double-click to expand it.</p>
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
        {line === undefined && result && result.role === undefined && <Fact name="Source" value={shortSite(result.site)} />}
        {box.nodes.length > 1 && <Fact name="Nodes" value={`${box.nodes.length}; result from ${result?.op ?? ''}`} />}
      </dl>
      <p className="ways">
        {line !== undefined && <button type="button" className="link" onClick={() => go({ panel: 'code', line })}>Line {line} of model.js</button>}
        {kernel !== undefined && result && <button type="button" className="link" onClick={() => go({ panel: 'compiler', node: result.id })}>Kernel {kernel}</button>}
        {onOpen && <button type="button" className="link" onClick={onOpen}>Expand</button>}
        {onClose && <button type="button" className="link" onClick={onClose}>Collapse</button>}
      </p>
      <ValueView state={state} />
    </aside>
  );
}

const Fact = ({ name, value }: { name: string; value: string }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

/** The value of a box: not read yet, read at a step, or the reason it is unavailable. */
type ValueState = 'wait' | { readonly value: Output; readonly step: number } | { readonly problem: string };

/** Interval between reads while the model trains, in ms, and the maximum share of training time they may take. */
const REFRESH_INTERVAL = 600;
const SHARE = 0.02;

/** The value of a box's result, refreshed while the model trains. */
function useValue(run: RunView, box: Box | undefined): ValueState {
  const [state, setState] = useState<ValueState>('wait');
  const { model } = run;
  const node = box?.result?.id;
  useEffect(() => {
    if (!model || node === undefined) return;
    let isOver = false;
    setState('wait');
    const read = async (): Promise<void> => {
      const throttle = new Throttle(run, REFRESH_INTERVAL, SHARE);
      for (let seen = -1; !isOver; await new Promise((resolve) => setTimeout(resolve, 50))) {
        if (seen === run.valueStep || !throttle.isDue) continue;
        seen = run.valueStep;
        const next = await throttle.ask(() => run.valueOf(node)).then(
          (value): ValueState => ({ value, step: seen }),
          (error: unknown): ValueState => ({ problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }),
        );
        if (!isOver) setState(next);
      }
    };
    void read();
    return () => {
      isOver = true;
    };
  }, [run, model, node]);
  return state;
}

function ValueView({ state }: { state: ValueState }): ReactNode {
  if (state === 'wait') return <p className="note">Reading the value.</p>;
  if ('problem' in state) return <p className="note">Value unavailable: {state.problem}</p>;
  return (
    <>
      <h3>
        Value <small>at step {state.step.toLocaleString('en')}</small>
      </h3>
      <TensorValue of={state.value} />
    </>
  );
}

function TensorValue({ of }: { of: Output }): ReactNode {
  const stats = statsOf(of.data);
  if (stats.count === 1) {
    return (
      <dl className="facts">
        <Fact name="Value" value={String(of.data[0])} />
      </dl>
    );
  }
  if (stats.broken === stats.count) return <p className="note">All {stats.count.toLocaleString('en')} values are NaN or infinite.</p>;
  return (
    <div className="tensor-value">
      <Histogram of={histogramOf(of.data)} colour="water" label="Histogram of the values" />
      <dl className="facts">
        <Fact name="Mean" value={number(stats.mean)} />
        <Fact name="Std dev" value={number(stats.deviation)} />
        <Fact name="Min" value={number(stats.min)} />
        <Fact name="Max" value={number(stats.max)} />
        <Fact name="Norm" value={number(normOf(of.data))} />
        <Fact name="Zeros" value={share(stats.zeros / Math.max(1, stats.count))} />
        {stats.broken > 0 && <Fact name="Not finite" value={stats.broken.toLocaleString('en')} />}
      </dl>
      <Heat of={of} />
    </div>
  );
}

/** A heat map of a matrix; a rank-4 tensor is shown as a grid of images. */
function Heat({ of }: { of: Output }): ReactNode {
  const { shape, data } = of;
  const isGrid = shape.length === 4;
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      const { min, max } = statsOf(data);
      const scale = 1 / Math.max(1e-12, max, -min);
      const [rows, columns] = isGrid ? [shape[2] ?? 1, shape[3] ?? 1] : [Math.min(256, data.length / (shape.at(-1) ?? 1)), Math.min(512, shape.at(-1) ?? 1)];
      const count = isGrid ? Math.min(64, data.length / (rows * columns)) : 1;
      const across = isGrid ? Math.ceil(Math.sqrt((count * width) / Math.max(1, height))) : 1;
      const side = isGrid ? Math.min(width / across, height / Math.ceil(count / across)) : width;
      const stride = isGrid ? columns : (shape.at(-1) ?? 1);
      context.imageSmoothingEnabled = false;
      for (let n = 0; n < count; n += 1) {
        // Level 1 is reserved for NaN and infinity.
        const shade = (level: number): Colour => (level < 1 ? signed(colours, 2.02 * level - 1) : colours.ink);
        const image = shaded(columns, rows, shade, (at) => {
          const value = data[n * rows * columns + Math.floor(at / columns) * stride + (at % columns)] ?? 0;
          return Number.isFinite(value) ? (value * scale + 1) / 2.02 : 1;
        });
        if (isGrid) context.drawImage(image, (n % across) * side, Math.floor(n / across) * side, side - 2, side - 2);
        else context.drawImage(image, 0, 0, width, height);
      }
    },
    [data, shape, isGrid],
  );
  if (data.length < 2) return null;
  return <Canvas className="heat" draw={draw} label={isGrid ? 'Grid of images of the values' : 'Heat map of the values'} />;
}
