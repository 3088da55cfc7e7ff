/** State of the graph panel: what is expanded, where the boxes are, and what the search finds. */
import { useReactFlow } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { MAX_BOXES, canOpen, fold, foldedId, folderKey, initiallyOpen, openTo, type Box, type Folded } from '../run/fold.ts';
import { phaseOf, type GraphNode, type Phase, type Trace } from '../run/trace.ts';
import type { View } from '../top.tsx';
import { BOX, layout, type Spot } from '../ui/layout.ts';

/** Selects a box by its id, or none. */
type Choose = (id: string | undefined) => void;

/** Whether there are more boxes than can be laid out. */
export const isTooMuch = (folded: Folded): boolean => folded.boxes.length > MAX_BOXES;

/** The phases that are shown and the modules that are expanded. */
export interface Expansion {
  readonly phases: ReadonlySet<Phase>;
  readonly open: ReadonlySet<string>;
  /** Why a box was not expanded. */
  readonly refusal: string | undefined;
  readonly choosePhase: (phase: Phase) => void;
  readonly toggle: (box: Box) => void;
  readonly foldAll: () => void;
  /** Collapses the innermost expanded module around a box. */
  readonly closeAround: (box: Box) => void;
}

/** Expands to `target` whenever it changes. */
export function useExpansion(trace: Trace, target: GraphNode | undefined, choose: Choose): Expansion {
  const [phases, setPhases] = useState<ReadonlySet<Phase>>(() => new Set<Phase>(['forward']));
  const [open, setOpen] = useState<ReadonlySet<string>>(() => initiallyOpen(trace, phases));
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    if (!target) return;
    const next = new Set([...phases, phaseOf(target)]);
    setPhases(next);
    setOpen((before) => openTo(trace, next, before, target.id));
  }, [trace, target]);

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
    choose(undefined);
    setRefusal(undefined);
  };
  const closeAround = (box: Box): void => {
    const outer = box.path.map((_, n) => box.path.slice(0, n + 1).join('\u0001')).filter((folder) => open.has(folder));
    const last = outer.at(-1);
    if (last === undefined) return;
    setOpen(new Set([...open].filter((folder) => folder !== last && !folder.startsWith(`${last}\u0001`))));
    choose(foldedId(box.phase, last));
    setRefusal(undefined);
  };
  return { phases, open, refusal, choosePhase, toggle, foldAll, closeAround };
}

interface Layout {
  readonly spots: ReadonlyMap<string, Spot> | undefined;
  readonly problem: string | undefined;
}

/** Lays out the boxes and fits them into the board. Once per view, the box that the view asks for is selected. */
export function useLayout(folded: Folded, board: RefObject<HTMLDivElement | null>, view: View, target: GraphNode | undefined, choose: Choose): Layout {
  const [spots, setSpots] = useState<ReadonlyMap<string, Spot>>();
  const [problem, setProblem] = useState<string>();
  const flow = useReactFlow();
  const arrived = useRef<View>(undefined);
  useEffect(() => {
    if (isTooMuch(folded)) return;
    let isOver = false;
    const isTarget = (box: Box): boolean =>
      target ? box.id === `node ${target.id}` : view.path !== undefined && box.nodes.some((node) => node.module === view.path || node.name === view.path);
    layout(folded).then(
      (spots) => {
        if (isOver) return;
        setSpots(spots);
        const found = arrived.current === view ? undefined : folded.boxes.find(isTarget);
        if (found) {
          arrived.current = view;
          choose(found.id);
        }
        requestAnimationFrame(() => show(flow, board.current, spots, found && spots.get(found.id)));
      },
      (error: unknown) => !isOver && setProblem(String(error)),
    );
    return () => {
      isOver = true;
    };
  }, [folded, flow, view, target]);
  return { spots, problem };
}

/** The search text and the boxes that match it. */
export interface Search {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly words: string;
  readonly found: readonly Box[];
  /** The index of the selected box among those found, or -1. */
  readonly hit: number;
  /** Selects the next match, or the previous one. */
  readonly goToHit: (by: 1 | -1) => void;
}

export function useSearch(boxes: readonly Box[], chosen: string | undefined, choose: Choose): Search {
  const [text, setText] = useState('');
  const flow = useReactFlow();
  const words = text.trim().toLowerCase();
  const found = useMemo(() => (words === '' ? [] : boxesAbout(boxes, words)), [boxes, words]);
  const hit = found.findIndex(({ id }) => id === chosen);
  const goToHit = (by: 1 | -1): void => {
    const next = found[hit < 0 ? 0 : (hit + by + found.length) % found.length];
    if (!next) return;
    choose(next.id);
    void flow.fitView({ nodes: [{ id: next.id }], maxZoom: 1.1, duration: 250 });
  };
  return { text, setText, words, found, hit, goToHit };
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
