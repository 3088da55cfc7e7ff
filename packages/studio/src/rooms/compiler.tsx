/** The compiler room: source, graph, kernels and program side by side; memory and time below. */
import { memo, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { Subject } from '../run/subject.ts';
import { chromeTrace, kernelOfNode, lineOf, phaseOf, shortSite, typeText, type GraphNode, type Kernel, type Trace } from '../run/trace.ts';
import type { Go, Place } from '../top.tsx';
import { Editor } from '../ui/editor.ts';
import { bytes, count, micros, share } from '../ui/format.ts';
import { MemoryPlan, Timeline } from './plan.tsx';

export function Compiler({ run, place, go }: { run: Subject; place: Place; go: Go }): ReactNode {
  const { trace, model } = run;
  useEffect(() => {
    if (model && !trace) void run.explain();
    if (model && trace && !run.micros) void run.profile();
  }, [run, model, trace]);
  if (!trace) return <p className="empty">{run.traceText}</p>;
  return <Pipeline run={run} trace={trace} place={place} go={go} />;
}

function Pipeline({ run, trace, place, go }: { run: Subject; trace: Trace; place: Place; go: Go }): ReactNode {
  const owner = useMemo(() => kernelOfNode(trace), [trace]);
  // A device that cannot time its kernels gives no times.
  const times = run.micros?.length ? run.micros : undefined;
  const slowest = longest(trace, times);
  // As long as nothing else is chosen, the slowest is shown.
  const [picked, setChosen] = useState<number>();
  useEffect(() => setChosen(place.node === undefined ? undefined : owner.get(place.node)), [place, owner]);
  const chosen = picked ?? slowest;
  const kernel = trace.kernels[Math.min(chosen, trace.kernels.length - 1)];
  const nodes = useMemo(() => new Set(kernel?.nodes ?? []), [kernel]);
  const total = times?.reduce((sum, time) => sum + time, 0);
  const lines = useMemo(() => trace.nodes.filter((node) => nodes.has(node.id)).flatMap((node) => lineOf(node.site) ?? []), [trace, nodes]);
  const chooseOwner = useCallback((node: GraphNode) => setChosen((before) => owner.get(node.id) ?? before), [owner]);

  return (
    <div className="room compiler">
      <div className="bar">
        <small>
          {trace.recorded} nodes recorded → {trace.nodes.length} after simplifying → {trace.kernels.length} kernels;{' '}
          {bytes(trace.plan.inputs)} of inputs and parameters
        </small>
        <button type="button" className="quiet" disabled={chosen === slowest} onClick={() => setChosen(undefined)}>
          Slowest kernel
        </button>
        <button type="button" className="quiet" onClick={() => void run.profile()}>
          Time a step
        </button>
        <button type="button" className="quiet" disabled={!times} onClick={() => save(trace, times ?? [])}>
          Export trace
        </button>
      </div>
      <section className="panel source">
        <h2>Source</h2>
        {run.source === undefined ? (
          <Sites trace={trace} lit={nodes} />
        ) : (
          <Source text={run.source} lines={lines} />
        )}
      </section>
      <section className="panel nodes">
        <h2>
          Graph <small>{trace.nodes.length} nodes</small>
        </h2>
        <Nodes trace={trace} lit={nodes} onChoose={chooseOwner} />
      </section>
      <section className="panel kernels">
        <h2>
          Kernels <small>{trace.kernels.length}</small>
        </h2>
        <Kernels trace={trace} times={times} chosen={chosen} onChoose={setChosen} />
      </section>
      <section className="panel program">
        <h2>
          Program
          {kernel && <small>kernel {chosen}</small>}
        </h2>
        {kernel && (
          <>
            <p className="why">{kernel.why}</p>
            <dl className="facts wide">
              <div><dt>Space</dt><dd>{kernel.domain}</dd></div>
              <div><dt>Arithmetic</dt><dd>{count(kernel.flops)} flop</dd></div>
              <div><dt>Moves</dt><dd>{bytes(kernel.bytes)}</dd></div>
              <div><dt>Time</dt><dd>{micros(times?.[chosen])}</dd></div>
              <div><dt>Share</dt><dd>{total ? share((times?.[chosen] ?? 0) / total) : '–'}</dd></div>
              <div><dt>Nodes</dt><dd>{kernel.nodes.length} <button type="button" className="link" onClick={() => go({ room: 'graph', node: kernel.nodes.at(-1) ?? 0 })}>in the graph</button></dd></div>
            </dl>
            <Listing kernel={kernel} />
          </>
        )}
      </section>
      <section className="panel memory">
        <h2>
          Memory
          <small>{bytes(trace.plan.live)} in use at once at most, in an arena of {bytes(trace.plan.arena)}</small>
          <span className="legend">
            {(['forward', 'backward', 'update'] as const).map((phase) => (
              <span key={phase}>
                <i className={phase} />
                {phase}
              </span>
            ))}
          </span>
        </h2>
        <MemoryPlan trace={trace} chosen={chosen} onChoose={setChosen} />
      </section>
      <section className="panel timeline">
        <h2>
          Time <small>{total === undefined ? (run.micros ? 'this device does not tell how long its kernels take' : 'not measured yet') : `${micros(total)} for the kernels of one step, ${run.timesNote}`}</small>
        </h2>
        <Timeline trace={trace} times={times} chosen={chosen} onChoose={setChosen} />
      </section>
    </div>
  );
}

/** The code of a kernel: what Brasa plans, and on WebGPU the shader that it becomes. */
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

function longest(trace: Trace, times: readonly number[] | undefined): number {
  const weight = (n: number): number => times?.[n] ?? trace.kernels[n]?.flops ?? 0;
  return trace.kernels.reduce((best, _, n) => (weight(n) > weight(best) ? n : best), 0);
}

function save(trace: Trace, times: readonly number[]): void {
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
    const made = new Editor(box.current, text, { isFixed: true });
    editor.current = made;
    return () => made.close();
  }, [text]);
  const key = lines.join();
  useEffect(() => editor.current?.light(lines), [key, text]);
  return <div className="editor small" ref={box} />;
}

/** The places that the nodes of a kernel come from, where their source is elsewhere. */
function Sites({ trace, lit }: { trace: Trace; lit: ReadonlySet<number> }): ReactNode {
  const calls = new Map(trace.nodes.filter((node) => lit.has(node.id)).map(({ site, call }) => [`${site} ${call}`, { site, call }]));
  return (
    <ul className="rows sites" aria-label="Places in the source">
      {[...calls].map(([key, { site, call }]) => (
        <li key={key} className="row" title={site}>
          <b>{call}</b>
          <small>{shortSite(site)}</small>
        </li>
      ))}
    </ul>
  );
}

/** A list that shows its first lit row, whenever another becomes so. */
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

// These lists are long, and the same while a model trains.
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
