/** A graph folded so that a person can look at it: by part of the model, then by call, then by op. */
import { phaseOf, typeText, type GraphNode, type Phase, type Trace } from './trace.ts';

/** One or many nodes, shown as one. */
export interface Box {
  readonly id: string;
  readonly label: string;
  readonly kind: 'input' | 'param' | 'module' | 'call' | 'op';
  readonly phase: Phase;
  readonly nodes: readonly GraphNode[];
  /** The folders it lies in, from the outside. */
  readonly path: readonly string[];
}

export interface Wire {
  readonly from: string;
  readonly to: string;
  /** Types that pass along it. */
  readonly label: string;
}

export interface Folded {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

/** Boxes to begin with, at most: as many as can still be read on one screen. */
const FIRST = 28;
/** Boxes that are laid out at once, at most. */
export const MOST = 300;

interface Named {
  readonly node: GraphNode;
  readonly path: readonly string[];
}

/** A path and all around it, from the outside. */
const outer = (names: readonly string[]): string[] => names.map((_, n) => names.slice(0, n + 1).join('.'));

/** The folders of every node: parts of the model, then the call with its place. */
function paths(trace: Trace, phases: ReadonlySet<Phase>): Named[] {
  const callAt = new Map<string, string>();
  for (const node of trace.nodes) if (phaseOf(node) === 'forward' && node.op !== 'input') callAt.set(node.site, node.call);
  // Parameters lie with the part of the model that they belong to.
  const parts = new Set(trace.nodes.flatMap((node) => (node.module ? outer(node.module.split('.')) : [])));
  return trace.nodes
    .filter((node) => phases.has(phaseOf(node)))
    .map((node) => {
      const phase = phaseOf(node);
      if (node.op === 'input') return { node, path: outer(node.name?.split('.') ?? []).filter((path) => parts.has(path)) };
      if (phase === 'update') return { node, path: ['update'] };
      const modules = node.module ? outer(node.module.split('.')) : [];
      const call = phase === 'backward' ? `∂ ${callAt.get(node.site) ?? 'loss'}` : node.call;
      const prefix = phase === 'backward' ? '∂ ' : '';
      return { node, path: [...modules.map((path) => `${prefix}${path}`), `${call}\u0000${node.site}`] };
    });
}

/** Every folder that can be opened, with those inside of it. */
export function folders(trace: Trace, phases: ReadonlySet<Phase>): string[] {
  const found = new Set<string>();
  for (const { path } of paths(trace, phases)) path.forEach((_, n) => found.add(key(path.slice(0, n + 1))));
  return [...found];
}

const key = (path: readonly string[]): string => path.join('\u0001');

/** The folders to begin with: parts of the model are open as far as there is room, calls are not. */
export function firstOpen(trace: Trace, phases: ReadonlySet<Phase>): Set<string> {
  const open = new Set<string>();
  const isCall = (folder: string): boolean => folder.includes('\u0000');
  const byDepth = folders(trace, phases).filter((folder) => !isCall(folder) && folder !== 'update');
  byDepth.sort((a, b) => a.split('\u0001').length - b.split('\u0001').length);
  for (const folder of byDepth) {
    open.add(folder);
    if (fold(trace, phases, open).boxes.length > FIRST) {
      open.delete(folder);
      break;
    }
  }
  return open;
}

/** The id of the box that a folder is shown as while it is closed. */
export const foldedId = (phase: Phase, folder: string): string => `${phase} ${folder}`;

export function fold(trace: Trace, phases: ReadonlySet<Phase>, open: ReadonlySet<string>): Folded {
  const boxes = new Map<string, { box: Omit<Box, 'nodes'>; nodes: GraphNode[] }>();
  const boxOf = new Map<number, string>();
  const used = new Set(trace.nodes.filter((node) => phases.has(phaseOf(node))).flatMap((node) => node.inputs));
  for (const { node, path } of paths(trace, phases)) {
    // Numbers and inputs that only other phases read would hang in the air.
    if (node.op === 'const' || node.op === 'scalar' || (node.op === 'input' && !used.has(node.id))) continue;
    const depth = path.findIndex((_, n) => !open.has(key(path.slice(0, n + 1))));
    const isWhole = depth === -1;
    const folder = isWhole ? path : path.slice(0, depth + 1);
    const id = isWhole ? `node ${node.id}` : foldedId(phaseOf(node), key(folder));
    boxOf.set(node.id, id);
    const known = boxes.get(id);
    if (known) {
      known.nodes.push(node);
      continue;
    }
    const name = folder.at(-1) ?? '';
    const isCall = name.includes('\u0000');
    const label = isWhole ? (node.op === 'input' ? (node.name ?? 'input') : node.op) : name.replace(/\u0000.*/s, '');
    const input = node.role === 'param' ? 'param' : 'input';
    const kind = isWhole ? (node.op === 'input' ? input : 'op') : isCall ? 'call' : 'module';
    boxes.set(id, { box: { id, label, kind, phase: phaseOf(node), path: folder }, nodes: [node] });
  }
  const wires = new Map<string, Wire>();
  for (const node of trace.nodes) {
    const to = boxOf.get(node.id);
    if (to === undefined) continue;
    for (const input of node.inputs) {
      const from = boxOf.get(input);
      const source = trace.nodes[input];
      if (from === undefined || from === to || !source) continue;
      const id = `${from} > ${to}`;
      if (!wires.has(id)) wires.set(id, { from, to, label: typeText(source) });
    }
  }
  return { boxes: [...boxes.values()].map(({ box, nodes }) => ({ ...box, nodes })), wires: [...wires.values()] };
}

/** Opens the box, if there is something inside. */
export function canOpen(box: Box): boolean {
  return box.kind === 'module' || (box.kind === 'call' && box.nodes.length > 1);
}

export const keyOf = (box: Box): string => key(box.path);
