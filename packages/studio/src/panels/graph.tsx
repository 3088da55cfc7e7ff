/** The graph panel: the recorded graph, forward and backward, collapsed by module. */
import {
  Background, BaseEdge, Controls, Handle, Position, ReactFlow, ReactFlowProvider, getBezierPath, useOnViewportChange,
  type Edge, type EdgeProps, type Node, type NodeProps, type Viewport,
} from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { canOpen, fold, type Box, type Folded, type Wire } from '../run/fold.ts';
import type { RunView } from '../run/run-view.ts';
import { kernelOfNode, typeText, type Phase, type Trace } from '../run/trace.ts';
import type { Navigate, View } from '../top.tsx';
import { BOX, type Spot } from '../ui/layout.ts';
import { isTooMuch, useExpansion, useLayout, useSearch, type Expansion, type Search } from './graph-state.ts';
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
  const [chosen, setChosen] = useState<string>();
  // Navigation from another panel targets a node, which is expanded to, or a module.
  const target = view.node === undefined ? undefined : trace.nodes[view.node];
  const expansion = useExpansion(trace, target, setChosen);
  const { phases, open, toggle } = expansion;
  const folded = useMemo(() => fold(trace, phases, open), [trace, phases, open]);
  const kernels = useMemo(() => kernelOfNode(trace), [trace]);
  const board = useRef<HTMLDivElement>(null);
  // Wire labels keep their screen size and are hidden when zoomed out too far.
  const scale = useCallback(({ zoom }: Viewport) => {
    board.current?.style.setProperty('--zoom', String(zoom));
    board.current?.classList.toggle('far', zoom < FAR);
  }, []);
  useOnViewportChange({ onChange: scale });
  const { spots, problem } = useLayout(folded, board, view, target, setChosen);
  const search = useSearch(folded.boxes, chosen, setChosen);
  const box = folded.boxes.find(({ id }) => id === chosen);

  return (
    <div className="panel graph">
      <Toolbar trace={trace} expansion={expansion} search={search} />
      <div
        className="board"
        ref={board}
        onKeyDown={(event) => {
          const id = (event.target as HTMLElement).closest('.react-flow__node')?.getAttribute('data-id');
          if (event.key === 'Enter' && box && id === chosen) toggle(box);
        }}
      >
        {problem !== undefined && <p className="empty">The layout failed: {problem}</p>}
        {isTooMuch(folded) && <p className="empty">Too many boxes to lay out: {folded.boxes.length}</p>}
        {!isTooMuch(folded) && !spots && problem === undefined && <p className="empty">Laying out the graph</p>}
        {!isTooMuch(folded) && <Board folded={folded} spots={spots} found={search.found} chosen={chosen} onChoose={setChosen} onToggle={toggle} />}
      </div>
      <Inspector
        run={run}
        box={box}
        kernel={box?.nodes.map((node) => kernels.get(node.id)).find((kernel) => kernel !== undefined)}
        go={go}
        onOpen={box && canOpen(box) ? () => toggle(box) : undefined}
        onClose={box && box.path.some((_, n) => open.has(box.path.slice(0, n + 1).join('\u0001'))) ? () => expansion.closeAround(box) : undefined}
      />
    </div>
  );
}

function Toolbar({ trace, expansion, search }: { trace: Trace; expansion: Expansion; search: Search }): ReactNode {
  const { phases, open, refusal } = expansion;
  const { text, words, found, hit } = search;
  return (
    <div className="bar">
      <span className="phases" role="group" aria-label="Phases of a step">
        {PHASES.map(({ id, label }) => (
          <button key={id} type="button" className="tick" aria-pressed={phases.has(id)} onClick={() => expansion.choosePhase(id)}>
            {label}
          </button>
        ))}
      </span>
      <input
        className="entry"
        type="search"
        placeholder="Find op, module, parameter or line"
        aria-label="Search the graph"
        value={text}
        onChange={(event) => search.setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && search.goToHit(event.shiftKey ? -1 : 1)}
      />
      <button type="button" className="quiet" disabled={open.size === 0} onClick={expansion.foldAll}>
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
  );
}

/** The boxes that have a spot, with their wires. */
function Board(props: {
  folded: Folded;
  spots: ReadonlyMap<string, Spot> | undefined;
  found: readonly Box[];
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
  onToggle: (box: Box) => void;
}): ReactNode {
  const { folded, spots, found, chosen, onChoose } = props;
  const nodes = useMemo(() => {
    const marked = new Set(found);
    return folded.boxes.flatMap((box): Shown[] => {
      const spot = spots?.get(box.id);
      return spot ? [{ id: box.id, type: 'box', position: spot, ...BOX, data: { box, isFound: marked.has(box) }, selected: box.id === chosen }] : [];
    });
  }, [folded, spots, found, chosen]);
  const edges = useMemo(() => folded.wires.map(edgeOf), [folded]);
  return (
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
        for (const change of changes) if (change.type === 'select' && change.selected) onChoose(change.id);
      }}
      onNodeDoubleClick={(_, node) => props.onToggle((node as Shown).data.box)}
      onPaneClick={() => onChoose(undefined)}
    >
      <Background gap={22} size={1} />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** A React Flow edge, labelled with the wire's first type and the number of other types. */
function edgeOf({ from, to, types: [first = '', ...others] }: Wire): Edge {
  return { id: `${from}>${to}`, type: 'wire', source: from, target: to, label: others.length > 0 ? `${first} +${others.length}` : first };
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
