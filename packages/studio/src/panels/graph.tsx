/** The graph panel: the recorded graph, forward and backward, collapsed by module. */
import {
  Background, BaseEdge, Controls, Handle, Position, ReactFlow, ReactFlowProvider, getBezierPath, useOnViewportChange, useReactFlow,
  type Edge, type EdgeProps, type Node, type NodeProps, type Viewport,
} from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { MAX_BOXES, canOpen, initiallyOpen, fold, foldedId, folderKey, openTo, type Box, type Wire } from '../run/fold.ts';
import type { RunView } from '../run/run-view.ts';
import { kernelOfNode, phaseOf, typeText, type Phase, type Trace } from '../run/trace.ts';
import type { Navigate, View } from '../top.tsx';
import { BOX, layout, type Spot } from '../ui/layout.ts';
import { Inspector } from './inspector.tsx';

type Shown = Node<{ readonly box: Box; readonly isFound: boolean }, 'box'>;

const PHASES: readonly { readonly id: Phase; readonly label: string }[] = [
  { id: 'forward', label: 'Forward' },
  { id: 'backward', label: 'Backward' },
  { id: 'update', label: 'Update' },
];

export function Graph({ run, view, go }: { run: RunView; view: View; go: Navigate }): ReactNode {
  const { trace, model } = run;
  useEffect(() => {
    if (model && !trace) void run.explain();
  }, [run, model, trace]);
  if (!trace) return <p className="empty">{run.traceText}</p>;
  return (
    <ReactFlowProvider>
      <Drawing run={run} trace={trace} view={view} go={go} />
    </ReactFlowProvider>
  );
}

function Drawing({ run, trace, view, go }: { run: RunView; trace: Trace; view: View; go: Navigate }): ReactNode {
  const [phases, setPhases] = useState<ReadonlySet<Phase>>(() => new Set<Phase>(['forward']));
  const [open, setOpen] = useState<ReadonlySet<string>>(() => initiallyOpen(trace, phases));
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [spots, setSpots] = useState<ReadonlyMap<string, Spot>>();
  const [problem, setProblem] = useState<string>();
  /** Why a box was not expanded. */
  const [refusal, setRefusal] = useState<string>();
  const folded = useMemo(() => fold(trace, phases, open), [trace, phases, open]);
  const kernels = useMemo(() => kernelOfNode(trace), [trace]);
  const flow = useReactFlow();
  const board = useRef<HTMLDivElement>(null);
  // Wire labels keep their screen size and are hidden when zoomed out too far.
  const scale = useCallback(({ zoom }: Viewport) => {
    board.current?.style.setProperty('--zoom', String(zoom));
    board.current?.classList.toggle('far', zoom < FAR);
  }, []);
  useOnViewportChange({ onChange: scale });
  const isTooMuch = folded.boxes.length > MAX_BOXES;

  // Navigation from another panel targets a node, which is expanded to, or a module.
  const meant = view.node === undefined ? undefined : trace.nodes[view.node];
  useEffect(() => {
    if (!meant) return;
    const next = new Set([...phases, phaseOf(meant)]);
    setPhases(next);
    setOpen((before) => openTo(trace, next, before, meant.id));
  }, [trace, meant]);

  const arrived = useRef<View>(undefined);
  useEffect(() => {
    if (isTooMuch) return;
    let isOver = false;
    const isMeant = (box: Box): boolean =>
      meant ? box.id === `node ${meant.id}` : view.path !== undefined && box.nodes.some((node) => node.module === view.path || node.name === view.path);
    layout(folded).then(
      (spots) => {
        if (isOver) return;
        setSpots(spots);
        const found = arrived.current === view ? undefined : folded.boxes.find(isMeant);
        if (found) {
          arrived.current = view;
          setChosen(found.id);
        }
        requestAnimationFrame(() => show(flow, board.current, spots, found && spots.get(found.id)));
      },
      (error: unknown) => !isOver && setProblem(String(error)),
    );
    return () => {
      isOver = true;
    };
  }, [folded, flow, isTooMuch, view, meant]);

  const choosePhase = (phase: Phase): void => {
    const next = new Set(phases);
    if (!next.delete(phase)) next.add(phase);
    if (next.size === 0) return;
    setPhases(next);
    setOpen(initiallyOpen(trace, next));
    setRefusal(undefined);
  };
  const toggle = (box: Box): void => {
    if (!canOpen(box)) return;
    const next = new Set([...open, folderKey(box)]);
    const count = fold(trace, phases, next).boxes.length;
    setRefusal(count > MAX_BOXES ? `Expanding ${box.label} would show ${count} boxes; the limit is ${MAX_BOXES}. Collapse others first.` : undefined);
    if (count <= MAX_BOXES) setOpen(next);
  };
  const foldAll = (): void => {
    setOpen(new Set());
    setChosen(undefined);
    setRefusal(undefined);
  };
  const closeAround = (box: Box): void => {
    const outer = box.path.map((_, n) => box.path.slice(0, n + 1).join('\u0001')).filter((folder) => open.has(folder));
    const last = outer.at(-1);
    if (last === undefined) return;
    setOpen(new Set([...open].filter((folder) => folder !== last && !folder.startsWith(`${last}\u0001`))));
    setChosen(foldedId(box.phase, last));
    setRefusal(undefined);
  };

  const words = search.trim().toLowerCase();
  const found = useMemo(() => (words === '' ? [] : boxesAbout(folded.boxes, words)), [folded, words]);
  // Enter selects the next match, Shift+Enter the previous one.
  const hit = found.findIndex(({ id }) => id === chosen);
  const goToHit = (by: 1 | -1): void => {
    const next = found[hit < 0 ? 0 : (hit + by + found.length) % found.length];
    if (!next) return;
    setChosen(next.id);
    void flow.fitView({ nodes: [{ id: next.id }], maxZoom: 1.1, duration: 250 });
  };
  const nodes = useMemo(() => {
    const marked = new Set(found);
    return folded.boxes.flatMap((box): Shown[] => {
      const spot = spots?.get(box.id);
      return spot ? [{ id: box.id, type: 'box', position: spot, ...BOX, data: { box, isFound: marked.has(box) }, selected: box.id === chosen }] : [];
    });
  }, [folded, spots, found, chosen]);
  const edges = useMemo(() => folded.wires.map(edgeOf), [folded]);
  const box = folded.boxes.find(({ id }) => id === chosen);

  return (
    <div className="panel graph">
      <div className="bar">
        <span className="phases" role="group" aria-label="Phases of a step">
          {PHASES.map(({ id, label }) => (
            <button key={id} type="button" className="tick" aria-pressed={phases.has(id)} onClick={() => choosePhase(id)}>
              {label}
            </button>
          ))}
        </span>
        <input
          className="entry"
          type="search"
          placeholder="Find op, module, parameter or line"
          aria-label="Search the graph"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && goToHit(event.shiftKey ? -1 : 1)}
        />
        <button type="button" className="quiet" disabled={open.size === 0} onClick={foldAll}>
          Collapse all
        </button>
        {refusal === undefined ? (
          <small>
            {words
              ? `${hit >= 0 ? `${hit + 1} of ` : ''}${found.length} found`
              : `${trace.recorded} nodes recorded, ${trace.nodes.length} after simplification, ${trace.kernels.length} kernels`}
          </small>
        ) : (
          <small className="bad" role="alert" title={refusal}>{refusal}</small>
        )}
      </div>
      <div
        className="board"
        ref={board}
        onKeyDown={(event) => {
          const id = (event.target as HTMLElement).closest('.react-flow__node')?.getAttribute('data-id');
          if (event.key === 'Enter' && box && id === chosen) toggle(box);
        }}
      >
        {problem !== undefined && <p className="empty">The layout failed: {problem}</p>}
        {isTooMuch && <p className="empty">Too many boxes to lay out: {folded.boxes.length}</p>}
        {!isTooMuch && !spots && problem === undefined && <p className="empty">Laying out the graph</p>}
        {!isTooMuch && (
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={TYPES}
            edgeTypes={EDGES}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            edgesFocusable={false}
            minZoom={0.08}
            proOptions={{ hideAttribution: false }}
            onNodesChange={(changes) => {
              for (const change of changes) if (change.type === 'select' && change.selected) setChosen(change.id);
            }}
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

/** A React Flow edge, labelled with the wire's first type and the number of other types. */
function edgeOf({ from, to, types: [first = '', ...others] }: Wire): Edge {
  return { id: `${from}>${to}`, type: 'wire', source: from, target: to, label: others.length > 0 ? `${first} +${others.length}` : first };
}

/** Boxes that match the search: exact label first, then label contains, then any field of a node contains. */
function boxesAbout(boxes: readonly Box[], words: string): readonly Box[] {
  const has = (text: string): boolean => text.toLowerCase().includes(words);
  const rank = ({ label, nodes }: Box): number => {
    if (label.toLowerCase() === words) return 0;
    if (has(label)) return 1;
    return nodes.some(({ op, call, name = '', module = '', site }) => has(`${op} ${call} ${name} ${module} ${site}`)) ? 2 : 3;
  };
  return [0, 1, 2].flatMap((wanted) => boxes.filter((box) => rank(box) === wanted));
}

/** Minimum zoom at which boxes are readable. A larger graph overflows and is panned. */
const READABLE = 0.72;

/** Fits all boxes into view without zooming below `READABLE`, or centres one of them. */
function show(flow: ReturnType<typeof useReactFlow>, board: HTMLDivElement | null, spots: ReadonlyMap<string, Spot>, middle?: Spot): void {
  if (middle) {
    void flow.setCenter(middle.x + BOX.width / 2, middle.y + BOX.height / 2, { zoom: 1, duration: 200 });
    return;
  }
  const all = [...spots.values()];
  if (!board || all.length === 0) return;
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  const [right, bottom] = [Math.max(...all.map(({ x }) => x)) + BOX.width, Math.max(...all.map(({ y }) => y)) + BOX.height];
  const margin = 24;
  const whole = Math.min((board.clientWidth - 2 * margin) / (right - left), (board.clientHeight - 2 * margin) / (bottom - top));
  const zoom = Math.min(1, Math.max(READABLE, whole));
  // Centre what fits; align what does not to the left or top edge.
  const offset = (available: number, size: number): number => (size * zoom < available ? (available - size * zoom) / 2 : margin);
  const x = offset(board.clientWidth, right - left) - left * zoom;
  const y = offset(board.clientHeight, bottom - top) - top * zoom;
  void flow.setViewport({ x, y, zoom }, { duration: 200 });
}

const TYPES = { box: BoxView };
const EDGES = { wire: WireView };

/** Zoom below which wire labels would overlap and are hidden. */
const FAR = 0.6;

/** Position of a wire label: near the source, since wires converge at their target. */
const NAME = { along: 0.1, below: 20 } as const;

function WireView({ id, label, ...ends }: EdgeProps): ReactNode {
  const [path] = getBezierPath(ends);
  const x = ends.sourceX + (ends.targetX - ends.sourceX) * NAME.along;
  const y = ends.sourceY + NAME.below;
  return (
    <>
      <BaseEdge id={id} path={path} />
      <text className="wire" x={x} y={y}>{label}</text>
    </>
  );
}

/** Number of characters that fit into a box. */
const LETTERS = 21;

/** A path shortened from the left to at most `letters` characters: the end is more specific. */
function shortened(path: string, letters: number): string {
  let rest = path;
  while (rest.length > letters && rest.includes('.')) rest = rest.slice(rest.indexOf('.') + 1);
  return rest === path ? path : `…${rest}`;
}

function BoxView({ data: { box, isFound }, selected }: NodeProps<Shown>): ReactNode {
  const { result } = box;
  const names = ['box', box.kind, box.phase, selected && 'selected', isFound && 'found'];
  return (
    <div className={names.filter(Boolean).join(' ')} title={box.kind === 'call' && result?.module ? `${box.label} in ${result.module}` : box.label}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <b>
        {shortened(box.label, LETTERS)}
        {box.kind === 'call' && result?.module && <span>{shortened(result.module, LETTERS - 2 - box.label.length)}</span>}
      </b>
      <small>{result ? typeText(result) : ''}</small>
      {canOpen(box) && <i>{box.nodes.length}</i>}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}
