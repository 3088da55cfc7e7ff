/** A graph folded so that a person can look at it: by part of the model, then by call, then by op. */
import { phaseOf, shortSite, typeText, type GraphNode, type Phase, type Trace } from './trace.ts';

/** One or many nodes, shown as one. */
export interface Box {
  readonly id: string;
  readonly label: string;
  readonly kind: 'input' | 'param' | 'module' | 'call' | 'op';
  readonly phase: Phase;
  readonly nodes: readonly GraphNode[];
  /** The node whose value others are given: where that are several, the last. */
  readonly result: GraphNode | undefined;
  /** The folders it lies in, from the outside. */
  readonly path: readonly string[];
}

export interface Wire {
  readonly from: string;
  readonly to: string;
  /** Types that pass along it, each once. */
  readonly types: readonly string[];
}

export interface Folded {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

/** Boxes to begin with, at most: as many as can still be read on one screen. */
const FIRST = 28;
/** Boxes that are laid out at once, at most. */
export const MOST = 300;
/** Where more folders than this lie side by side, neighbours share one, so that all can be closed. */
const SIDE_BY_SIDE = 80;
/** As many parameters that belong to no part of the model are shown one by one. */
const LOOSE = 60;

interface Named {
  readonly node: GraphNode;
  readonly path: readonly string[];
}

/** A path and all around it, from the outside. */
const outer = (names: readonly string[]): string[] => names.map((_, n) => names.slice(0, n + 1).join('.'));

/**
 * Which of the calls at one place each node belongs to. Where no parts of the model are known, all layers of a list have
 * the place of its loop: those that follow each other without another call in between are one.
 */
function turns(trace: Trace): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (trace.nodes.some((node) => node.module !== undefined)) return found;
  let [turn, last] = [0, ''];
  for (const node of trace.nodes) {
    if (node.op === 'input') continue;
    const call = `${phaseOf(node)} ${node.call} ${node.site}`;
    if (call !== last) turn += 1;
    last = call;
    found.set(node.id, turn);
  }
  return found;
}

/** The folders of every node: parts of the model, then the call with its place. */
function paths(trace: Trace, phases: ReadonlySet<Phase>): Named[] {
  const callsAt = new Map<string, Set<string>>();
  for (const node of trace.nodes) {
    if (phaseOf(node) !== 'forward' || node.op === 'input') continue;
    callsAt.set(node.site, (callsAt.get(node.site) ?? new Set()).add(node.call));
  }
  /** Of what a gradient is one: the call at its place, or the place where there are several. */
  const gradientOf = ({ site }: GraphNode): string => {
    const calls = [...(callsAt.get(site) ?? ['loss'])];
    return calls.length === 1 ? (calls[0] as string) : shortSite(site);
  };
  const turnOf = turns(trace);
  const isLoose = trace.nodes.filter(({ role }) => role === 'param').length <= LOOSE;
  // Parameters lie with the part of the model that they belong to.
  const parts = new Set(trace.nodes.flatMap((node) => (node.module ? outer(node.module.split('.')) : [])));
  const named = trace.nodes
    .filter((node) => phases.has(phaseOf(node)))
    .map((node): Named => {
      const phase = phaseOf(node);
      if (node.op === 'input') {
        const path = outer(node.name?.split('.') ?? []).filter((path) => parts.has(path));
        return { node, path: path.length > 0 || isLoose || node.role !== 'param' ? path : ['parameters'] };
      }
      if (phase === 'update') return { node, path: ['update'] };
      const modules = node.module ? outer(node.module.split('.')) : [];
      const call = phase === 'backward' ? `∂ ${gradientOf(node)}` : node.call;
      const prefix = phase === 'backward' ? '∂ ' : '';
      return { node, path: [...modules.map((path) => `${prefix}${path}`), `${call}\u0000${node.site} ${turnOf.get(node.id) ?? ''}`] };
    });
  return grouped(named);
}

/** Puts neighbours into folders of their own where there are too many to be shown side by side. */
function grouped(all: readonly Named[]): Named[] {
  const tops = [...new Set(all.flatMap(({ path }) => path[0] ?? []))];
  if (tops.length <= SIDE_BY_SIDE) return [...all];
  const size = Math.ceil(tops.length / (SIDE_BY_SIDE / 2));
  const group = new Map(
    tops.map((top, n) => {
      const start = n - (n % size);
      const [first, last] = [tops[start], tops[Math.min(start + size, tops.length) - 1]].map((name) => name?.replace(/\u0000.*/s, ''));
      // Its number keeps those of the same names apart.
      return [top, `${first} … ${last}\u0002${start}`] as const;
    }),
  );
  return all.map(({ node, path }) => ({ node, path: path[0] === undefined ? path : [group.get(path[0]) ?? path[0], ...path] }));
}

/** Nodes that follow from numbers of the program alone. */
function constantsOf(trace: Trace): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { id, op, inputs } of trace.nodes) {
    const isNumber = op === 'const' || op === 'slot' || op === 'iota';
    if (isNumber || (inputs.length > 0 && inputs.every((input) => found.has(input)))) found.add(id);
  }
  return found;
}

/** Every folder that can be opened, with those inside of it. */
export function folders(trace: Trace, phases: ReadonlySet<Phase>): string[] {
  const found = new Set<string>();
  for (const { path } of paths(trace, phases)) path.forEach((_, n) => found.add(key(path.slice(0, n + 1))));
  return [...found];
}

/** The folders that have to be open for a node to be seen by itself. */
function foldersAround(trace: Trace, node: number): string[] {
  const found = trace.nodes[node];
  const named = found && paths(trace, new Set([phaseOf(found)])).find((other) => other.node.id === node);
  return named ? named.path.map((_, n) => key(named.path.slice(0, n + 1))) : [];
}

const key = (path: readonly string[]): string => path.join('\u0001');

/** The folders to open so that a node is seen: beside those that are open, if there is room, or alone, or as far as there is. */
export function openAround(trace: Trace, phases: ReadonlySet<Phase>, open: ReadonlySet<string>, node: number): ReadonlySet<string> {
  const around = foldersAround(trace, node);
  const ways = [new Set([...open, ...around]), ...around.map((_, n) => new Set(around.slice(0, around.length - n)))];
  return ways.find((way) => fold(trace, phases, way).boxes.length <= MOST) ?? new Set();
}

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
  const boxes = new Map<string, { box: Omit<Box, 'nodes' | 'result'>; nodes: GraphNode[] }>();
  const boxOf = new Map<number, string>();
  const constants = constantsOf(trace);
  const used = new Set(trace.nodes.filter((node) => phases.has(phaseOf(node))).flatMap((node) => node.inputs));
  for (const { node, path } of paths(trace, phases)) {
    // Numbers and inputs that only other phases read would hang in the air.
    if (constants.has(node.id) || (node.op === 'input' && !used.has(node.id))) continue;
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
    const label = isWhole ? (node.op === 'input' ? (node.name ?? 'input') : node.op) : name.replace(/[\u0000\u0002].*/s, '');
    const input = node.role === 'param' ? 'param' : 'input';
    const kind = isWhole ? (node.op === 'input' ? input : 'op') : isCall ? 'call' : 'module';
    boxes.set(id, { box: { id, label, kind, phase: phaseOf(node), path: folder }, nodes: [node] });
  }
  const given = givenBy(trace, boxOf);
  const wires = new Map<string, { from: string; to: string; types: Set<string> }>();
  for (const node of trace.nodes) {
    const to = boxOf.get(node.id);
    if (to === undefined) continue;
    for (const input of node.inputs) {
      const from = boxOf.get(input);
      const source = trace.nodes[input];
      if (from === undefined || from === to || !source) continue;
      const id = `${from} > ${to}`;
      const wire = wires.get(id) ?? { from, to, types: new Set() };
      wires.set(id, wire);
      wire.types.add(typeText(source));
    }
  }
  return {
    boxes: Array.from(boxes.values(), ({ box, nodes }) => ({ ...box, nodes, result: nodes.filter(({ id }) => given.has(id)).at(-1) ?? nodes.at(-1) })),
    wires: Array.from(wires.values(), ({ from, to, types }) => ({ from, to, types: [...types] })),
  };
}

/**
 * Nodes that other boxes of the same phase read. What only a gradient reads, such as the places of the largest elements,
 * is not what a call gives.
 */
function givenBy(trace: Trace, boxOf: ReadonlyMap<number, string>): ReadonlySet<number> {
  const found = new Set<number>();
  for (const node of trace.nodes) {
    for (const input of node.inputs) {
      const source = trace.nodes[input];
      if (source && boxOf.get(input) !== boxOf.get(node.id) && phaseOf(source) === phaseOf(node)) found.add(input);
    }
  }
  return found;
}

/** Opens the box, if there is something inside. */
export function canOpen(box: Box): boolean {
  return box.kind === 'module' || (box.kind === 'call' && box.nodes.length > 1);
}

export const keyOf = (box: Box): string => key(box.path);
