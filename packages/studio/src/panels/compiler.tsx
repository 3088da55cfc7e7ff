/** The compiler panel: source, graph, kernels and program side by side; memory plan and timeline below. */
import { memo, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { RunView } from '../run/run-view.ts';
import { chromeTrace, kernelOfNode, lineOf, phaseOf, shortSite, typeText, type GraphNode, type Kernel, type Trace } from '../run/trace.ts';
import type { Navigate, View } from '../top.tsx';
import { Editor } from '../ui/editor.ts';
import { bytes, count, micros, share } from '../ui/format.ts';
import { MemoryPlan, Timeline } from './memory-plan.tsx';

export function Compiler({ run, view, go }: { run: RunView; view: View; go: Navigate }): ReactNode {
  const { trace, model } = run;
  useEffect(() => {
    if (model && !trace) void run.explain();
    if (model && trace && !run.micros) void run.profile();
  }, [run, model, trace]);
  if (!trace) return <p className="empty">{run.traceText}</p>;
  return <Pipeline run={run} trace={trace} view={view} go={go} />;
}

function Pipeline({ run, trace, view, go }: { run: RunView; trace: Trace; view: View; go: Navigate }): ReactNode {
  const owner = useMemo(() => kernelOfNode(trace), [trace]);
  // Empty if the device cannot time kernels.
  const times = run.micros?.length ? run.micros : undefined;
  const slowest = slowestKernel(trace, times);
  // Without a selection, the slowest kernel is shown.
  const [picked, setChosen] = useState<number>();
  useEffect(() => setChosen(view.node === undefined ? undefined : owner.get(view.node)), [view, owner]);
  const chosen = picked ?? slowest;
  const kernel = trace.kernels[Math.min(chosen, trace.kernels.length - 1)];
  const nodes = useMemo(() => new Set(kernel?.nodes ?? []), [kernel]);
  const total = times?.reduce((sum, time) => sum + time, 0);
  const lines = useMemo(() => trace.nodes.filter((node) => nodes.has(node.id)).flatMap((node) => lineOf(node.site) ?? []), [trace, nodes]);
  const chooseOwner = useCallback((node: GraphNode) => setChosen((before) => owner.get(node.id) ?? before), [owner]);

  return (
    <div className="panel compiler">
      <Summary run={run} trace={trace} times={times} onSlowest={chosen === slowest ? undefined : () => setChosen(undefined)} />
      <section className="card source">
        <h2>Source</h2>
        {run.source === undefined ? (
          <Sites trace={trace} lit={nodes} />
        ) : (
          <Source text={run.source} lines={lines} />
        )}
      </section>
      <section className="card nodes">
        <h2>
          Graph <small>{trace.nodes.length} nodes</small>
        </h2>
        <Nodes trace={trace} lit={nodes} onChoose={chooseOwner} />
      </section>
      <section className="card kernels">
        <h2>
          Kernels <small>{trace.kernels.length}</small>
        </h2>
        <Kernels trace={trace} times={times} chosen={chosen} onChoose={setChosen} />
      </section>
      <section className="card program">
        <h2>
          Program
          {kernel && <small>kernel {chosen}</small>}
        </h2>
        {kernel && <KernelFacts kernel={kernel} time={times?.[chosen]} total={total} go={go} />}
      </section>
      <section className="card memory">
        <h2>
          Memory
          <small>peak {bytes(trace.plan.live)} live, arena {bytes(trace.plan.arena)}</small>
          <PhaseLegend />
        </h2>
        <MemoryPlan trace={trace} chosen={chosen} onChoose={setChosen} />
      </section>
      <section className="card timeline">
        <h2>
          Time <small>{total === undefined ? (run.micros ? 'this device does not support kernel timing' : 'not measured yet') : `${micros(total)} kernel time per step, ${run.timesNote}`}</small>
        </h2>
        <Timeline trace={trace} times={times} chosen={chosen} onChoose={setChosen} />
      </section>
    </div>
  );
}

/** The counts of the trace, and the actions on all of its kernels. */
function Summary(props: { run: RunView; trace: Trace; times: readonly number[] | undefined; onSlowest: (() => void) | undefined }): ReactNode {
  const { run, trace, times, onSlowest } = props;
  return (
    <div className="bar">
      <small>
        {trace.recorded} nodes recorded → {trace.nodes.length} after simplification → {trace.kernels.length} kernels;{' '}
        {bytes(trace.plan.inputs)} of inputs and parameters
      </small>
      <button type="button" className="quiet" disabled={!onSlowest} onClick={onSlowest}>
        Slowest kernel
      </button>
      <button type="button" className="quiet" onClick={() => void run.profile()}>
        Profile step
      </button>
      <button type="button" className="quiet" disabled={!times} onClick={() => downloadTrace(trace, times ?? [])}>
        Export trace
      </button>
    </div>
  );
}

/** Why a kernel exists, its figures and its code. */
function KernelFacts(props: { kernel: Kernel; time: number | undefined; total: number | undefined; go: Navigate }): ReactNode {
  const { kernel, time, total, go } = props;
  return (
    <>
      <p className="why">{kernel.why}</p>
      <dl className="facts wide">
        <div><dt>Index space</dt><dd>{kernel.domain}</dd></div>
        <div><dt>FLOPs</dt><dd>{count(kernel.flops)}</dd></div>
        <div><dt>Traffic</dt><dd>{bytes(kernel.bytes)}</dd></div>
        <div><dt>Time</dt><dd>{micros(time)}</dd></div>
        <div><dt>Share</dt><dd>{total ? share((time ?? 0) / total) : '–'}</dd></div>
        <div><dt>Nodes</dt><dd>{kernel.nodes.length} <button type="button" className="link" onClick={() => go({ panel: 'graph', node: kernel.nodes.at(-1) ?? 0 })}>show in graph</button></dd></div>
      </dl>
      <Listing kernel={kernel} />
    </>
  );
}

/** The colours of the phases. */
function PhaseLegend(): ReactNode {
  return (
    <span className="legend">
      {(['forward', 'backward', 'update'] as const).map((phase) => (
        <span key={phase}>
          <i className={phase} />
          {phase}
        </span>
      ))}
    </span>
  );
}

/** The kernel's code: its plan, or on WebGPU also its WGSL shader. */
function Listing({ kernel }: { kernel: Kernel }): ReactNode {
  const [isPlanned, setPlanned] = useState(false);
  const { shader } = kernel;
  const isShader = shader !== undefined && !isPlanned;
  return (
    <>
      <span className="phases" role="group" aria-label="Listing">
        {shader !== undefined && <button type="button" className="tick" aria-pressed={isShader} onClick={() => setPlanned(false)}>WGSL</button>}
        <button type="button" className="tick" aria-pressed={!isShader} onClick={() => setPlanned(true)}>
          {shader === undefined ? 'CPU listing' : 'Plan'}
        </button>
      </span>
      <pre className="listing" aria-label={isShader ? 'WGSL' : 'Listing'}>{isShader ? shader : kernel.listing}</pre>
    </>
  );
}

function slowestKernel(trace: Trace, times: readonly number[] | undefined): number {
  const weight = (n: number): number => times?.[n] ?? trace.kernels[n]?.flops ?? 0;
  return trace.kernels.reduce((best, _, n) => (weight(n) > weight(best) ? n : best), 0);
}

function downloadTrace(trace: Trace, times: readonly number[]): void {
  const url = URL.createObjectURL(new Blob([chromeTrace(trace, times)], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'brasa-step.json' });
  link.click();
  URL.revokeObjectURL(url);
}

function Source({ text, lines }: { text: string; lines: readonly number[] }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  useEffect(() => {
    if (!box.current) return;
    const created = new Editor(box.current, text, { isReadOnly: true });
    editor.current = created;
    return () => created.close();
  }, [text]);
  const key = lines.join();
  useEffect(() => editor.current?.light(lines), [key, text]);
  return <div className="editor small" ref={box} />;
}

/** Source locations of a kernel's nodes, for runs whose source text is not available. */
function Sites({ trace, lit }: { trace: Trace; lit: ReadonlySet<number> }): ReactNode {
  const calls = new Map(trace.nodes.filter((node) => lit.has(node.id)).map(({ site, call }) => [`${site} ${call}`, { site, call }]));
  return (
    <ul className="rows sites" aria-label="Source locations">
      {[...calls].map(([key, { site, call }]) => (
        <li key={key} className="row" title={site}>
          <b>{call}</b>
          <small>{shortSite(site)}</small>
        </li>
      ))}
    </ul>
  );
}

/** Ref of a list that scrolls its first highlighted row into view whenever the highlight changes. */
function useLitInView(lit: unknown): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = box.current?.querySelector('.lit');
    if (!(first instanceof HTMLElement) || !box.current) return;
    const { scrollTop, clientHeight } = box.current;
    const isSeen = first.offsetTop >= scrollTop && first.offsetTop + first.offsetHeight <= scrollTop + clientHeight;
    if (!isSeen) box.current.scrollTop = first.offsetTop - clientHeight / 3;
  }, [lit]);
  return box;
}

// Memoized: these lists are long and do not change while a model trains.
const Nodes = memo(function Nodes({ trace, lit, onChoose }: { trace: Trace; lit: ReadonlySet<number>; onChoose: (node: GraphNode) => void }): ReactNode {
  const box = useLitInView(lit);
  return (
    <div className="rows" ref={box}>
      {trace.nodes.map((node) => (
        <button key={node.id} type="button" className={`row ${phaseOf(node)}${lit.has(node.id) ? ' lit' : ''}`} onClick={() => onChoose(node)}>
          <span>%{node.id}</span>
          <b>{node.name ?? node.op}</b>
          <small>{typeText(node)}</small>
        </button>
      ))}
    </div>
  );
});

const Kernels = memo(function Kernels(props: { trace: Trace; times: readonly number[] | undefined; chosen: number; onChoose: (n: number) => void }): ReactNode {
  const { trace, times, chosen } = props;
  const weight = (n: number): number => times?.[n] ?? trace.kernels[n]?.flops ?? 0;
  const most = Math.max(1e-9, ...trace.kernels.map((_, n) => weight(n)));
  const box = useLitInView(chosen);
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const next = chosen + (by ?? 0);
    if (by === undefined || next < 0 || next >= trace.kernels.length) return;
    event.preventDefault();
    props.onChoose(next);
    (box.current?.children[next] as HTMLElement | undefined)?.focus({ preventScroll: true });
  };
  return (
    <div className="rows" ref={box} onKeyDown={move}>
      {trace.kernels.map((kernel, n) => (
        <button key={n} type="button" className={n === chosen ? 'row kernel lit' : 'row kernel'} aria-pressed={n === chosen} onClick={() => props.onChoose(n)}>
          <span>{n}</span>
          <b>{kernel.name}</b>
          <small>{kernel.domain}</small>
          <em>{times ? micros(times[n]) : `${count(kernel.flops)}`}</em>
          <i style={{ width: `${(100 * weight(n)) / most}%` }} />
        </button>
      ))}
    </div>
  );
});
