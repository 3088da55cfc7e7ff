/** The graph room: what was recorded, forward and backward, folded by part of the model. */
import { Background, Controls, Handle, Position, ReactFlow, useReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { ReactFlowProvider } from '@xyflow/react';
import { MOST, canOpen, firstOpen, fold, foldedId, keyOf, type Box } from '../run/fold.ts';
import type { Run } from '../run/run.ts';
import { kernelOfNode, typeText, type Phase, type Trace } from '../run/trace.ts';
import type { Go, Place } from '../studio.tsx';
import { BOX, layout, type Spot } from '../ui/layout.ts';
import { Inspector } from './inspector.tsx';

type Shown = Node<{ readonly box: Box; readonly isFound: boolean }, 'box'>;

const PHASES: readonly { readonly id: Phase; readonly label: string }[] = [
  { id: 'forward', label: 'Forward' },
  { id: 'backward', label: 'Backward' },
  { id: 'update', label: 'Update' },
];

export function Graph({ run, place, go }: { run: Run; place: Place; go: Go }): ReactNode {
  const { trace, session } = run;
  useEffect(() => {
    if (session && !trace) void run.explain();
  }, [run, session, trace]);
  if (!trace) return <p className="empty">{run.failure?.message ?? run.traceProblem ?? (run.state === 'loading' ? run.progress : 'Asking the engine for the graph')}</p>;
  return (
    <ReactFlowProvider>
      <Drawing key={trace.recorded} run={run} trace={trace} place={place} go={go} />
    </ReactFlowProvider>
  );
}

function Drawing({ run, trace, place, go }: { run: Run; trace: Trace; place: Place; go: Go }): ReactNode {
  const [phases, setPhases] = useState<ReadonlySet<Phase>>(() => new Set<Phase>(['forward']));
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(trace, phases));
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [spots, setSpots] = useState<ReadonlyMap<string, Spot>>();
  const [problem, setProblem] = useState<string>();
  const folded = useMemo(() => fold(trace, phases, open), [trace, phases, open]);
  const kernels = useMemo(() => kernelOfNode(trace), [trace]);
  const flow = useReactFlow();
  const isTooMuch = folded.boxes.length > MOST;

  useEffect(() => {
    if (isTooMuch) return;
    let isOver = false;
    layout(folded).then(
      (spots) => {
        if (isOver) return;
        setSpots(spots);
        requestAnimationFrame(() => void flow.fitView({ padding: 0.12, maxZoom: 1, duration: 200 }));
      },
      (error: unknown) => !isOver && setProblem(String(error)),
    );
    return () => {
      isOver = true;
    };
  }, [folded, flow, isTooMuch]);

  // Coming from elsewhere: a node, or a part of the model.
  useEffect(() => {
    const isMeant = (box: Box): boolean =>
      box.nodes.some((node) => node.id === place.node || (place.where !== undefined && (node.module === place.where || node.name === place.where)));
    const found = folded.boxes.find(isMeant);
    if (found) setChosen(found.id);
  }, [place, folded]);

  const choosePhase = (phase: Phase): void => {
    const next = new Set(phases);
    if (!next.delete(phase)) next.add(phase);
    if (next.size === 0) return;
    setPhases(next);
    setOpen(firstOpen(trace, next));
  };
  const toggle = (box: Box): void => {
    if (!canOpen(box)) return;
    setOpen(new Set([...open, keyOf(box)]));
  };
  const closeAround = (box: Box): void => {
    const outer = box.path.map((_, n) => box.path.slice(0, n + 1).join('\u0001')).filter((folder) => open.has(folder));
    const last = outer.at(-1);
    if (last === undefined) return;
    setOpen(new Set([...open].filter((folder) => folder !== last && !folder.startsWith(`${last}\u0001`))));
    setChosen(foldedId(box.phase, last));
  };

  const words = search.trim().toLowerCase();
  const isFound = (box: Box): boolean =>
    words !== '' && (box.label.toLowerCase().includes(words) || box.nodes.some((node) => `${node.op} ${node.call} ${node.name ?? ''} ${node.site}`.toLowerCase().includes(words)));
  const nodes: Shown[] = folded.boxes.flatMap((box) => {
    const spot = spots?.get(box.id);
    return spot ? [{ id: box.id, type: 'box' as const, position: spot, ...BOX, data: { box, isFound: isFound(box) }, selected: box.id === chosen }] : [];
  });
  const edges: Edge[] = folded.wires.map(({ from, to, label }) => ({ id: `${from}>${to}`, source: from, target: to, label }));
  const found = folded.boxes.filter(isFound);
  const box = folded.boxes.find(({ id }) => id === chosen);

  return (
    <div className="room graph">
      <div className="bar">
        <span className="phases" role="group" aria-label="Parts of a step">
          {PHASES.map(({ id, label }) => (
            <button key={id} type="button" className="tick" aria-pressed={phases.has(id)} onClick={() => choosePhase(id)}>
              {label}
            </button>
          ))}
        </span>
        <input
          className="entry"
          type="search"
          placeholder="Find an op, a call, a parameter or a line"
          aria-label="Search the graph"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            const first = found[0];
            if (event.key !== 'Enter' || !first) return;
            setChosen(first.id);
            void flow.fitView({ nodes: [{ id: first.id }], maxZoom: 1.1, duration: 250 });
          }}
        />
        <small>
          {words ? `${found.length} found` : `${trace.recorded} nodes recorded, ${trace.nodes.length} after simplifying, ${trace.kernels.length} kernels`}
        </small>
      </div>
      <div className="board">
        {problem !== undefined && <p className="empty">The layout failed: {problem}</p>}
        {isTooMuch && <p className="empty">{folded.boxes.length} boxes are too many to look at; close some folders.</p>}
        {!isTooMuch && !spots && problem === undefined && <p className="empty">Laying out the graph</p>}
        {!isTooMuch && (
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={TYPES}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            minZoom={0.08}
            proOptions={{ hideAttribution: false }}
            onNodeClick={(_, node) => setChosen(node.id)}
            onNodeDoubleClick={(_, node) => toggle((node as Shown).data.box)}
            onPaneClick={() => setChosen(undefined)}
          >
            <Background gap={22} size={1} />
            <Controls showInteractive={false} />
          </ReactFlow>
        )}
      </div>
      <Inspector
        run={run}
        box={box}
        kernel={box?.nodes.map((node) => kernels.get(node.id)).find((kernel) => kernel !== undefined)}
        go={go}
        onOpen={box && canOpen(box) ? () => toggle(box) : undefined}
        onClose={box && box.path.some((_, n) => open.has(box.path.slice(0, n + 1).join('\u0001'))) ? () => closeAround(box) : undefined}
      />
    </div>
  );
}

const TYPES = { box: BoxView };

function BoxView({ data: { box, isFound }, selected }: NodeProps<Shown>): ReactNode {
  const last = box.nodes.at(-1);
  const names = ['box', box.kind, box.phase, selected && 'selected', isFound && 'found'];
  return (
    <div className={names.filter(Boolean).join(' ')}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <b>
        {box.label}
        {box.kind === 'call' && last?.module && <span>{last.module}</span>}
      </b>
      <small>{last ? typeText(last) : ''}</small>
      {canOpen(box) && <i>{box.nodes.length}</i>}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}
