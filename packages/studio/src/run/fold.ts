/** Collapses a graph for display: by module, then by call, then by op. */
import { phaseOf, shortSite, typeText, type GraphNode, type Phase, type Trace } from './trace.ts';

/** One or many nodes, shown as one. */
export interface Box {
  readonly id: string;
  readonly label: string;
  readonly kind: 'input' | 'param' | 'module' | 'call' | 'op';
  readonly phase: Phase;
  readonly nodes: readonly GraphNode[];
  /** The node whose value other boxes read; the last if there are several. */
  readonly result: GraphNode | undefined;
  /** The enclosing folders, outermost first. */
  readonly path: readonly string[];
}

export interface Wire {
  readonly from: string;
  readonly to: string;
  /** Distinct tensor types passed along the wire. */
  readonly types: readonly string[];
}

export interface Folded {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
}

/** Maximum number of boxes shown initially: readable on one screen. */
const MAX_INITIAL_BOXES = 28;
/** Maximum number of boxes that are laid out. */
export const MAX_BOXES = 300;
/** With more top-level folders than this, neighbours are grouped, so that the graph can be collapsed. */
const MAX_TOP_FOLDERS = 80;
/** Parameters without a module are shown individually up to this count, else in one folder. */
const MAX_LOOSE_PARAMETERS = 60;

interface Named {
  readonly node: GraphNode;
  readonly path: readonly string[];
}

/** All prefixes of a module path, outermost first. */
const outer = (names: readonly string[]): string[] => names.map((_, n) => names.slice(0, n + 1).join('.'));

/**
 * Numbers consecutive nodes of the same call and site. Without module paths, all layers of a loop share one site:
 * this number tells them apart.
 */
function callRuns(trace: Trace): ReadonlyMap<number, number> {
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

/** The folders of every node: modules, then the call with its site. */
function paths(trace: Trace, phases: ReadonlySet<Phase>): Named[] {
  const callsAt = new Map<string, Set<string>>();
  for (const node of trace.nodes) {
    if (phaseOf(node) !== 'forward' || node.op === 'input') continue;
    callsAt.set(node.site, (callsAt.get(node.site) ?? new Set()).add(node.call));
  }
  /** What a gradient node differentiates: the call at its site, or the site itself if it has several calls. */
  const gradientOf = ({ site }: GraphNode): string => {
    const calls = [...(callsAt.get(site) ?? ['loss'])];
    return calls.length === 1 ? (calls[0] as string) : shortSite(site);
  };
  const callRunOf = callRuns(trace);
  const isLoose = trace.nodes.filter(({ role }) => role === 'param').length <= MAX_LOOSE_PARAMETERS;
  // Parameters go into the folder of their module.
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
      return { node, path: [...modules.map((path) => `${prefix}${path}`), `${call}\u0000${node.site} ${callRunOf.get(node.id) ?? ''}`] };
    });
  return grouped(named);
}

/** Groups neighbouring top-level folders if there are too many. */
function grouped(all: readonly Named[]): Named[] {
  const tops = [...new Set(all.flatMap(({ path }) => path[0] ?? []))];
  if (tops.length <= MAX_TOP_FOLDERS) return [...all];
  const size = Math.ceil(tops.length / (MAX_TOP_FOLDERS / 2));
  const group = new Map(
    tops.map((top, n) => {
      const start = n - (n % size);
      const [first, last] = [tops[start], tops[Math.min(start + size, tops.length) - 1]].map((name) => name?.replace(/\u0000.*/s, ''));
      // The index keeps groups with equal names distinct.
      return [top, `${first} … ${last}\u0002${start}`] as const;
    }),
  );
  return all.map(({ node, path }) => ({ node, path: path[0] === undefined ? path : [group.get(path[0]) ?? path[0], ...path] }));
}

/** Nodes computed from constants only. */
function constantsOf(trace: Trace): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { id, op, inputs } of trace.nodes) {
    const isNumber = op === 'const' || op === 'slot' || op === 'iota';
    if (isNumber || (inputs.length > 0 && inputs.every((input) => found.has(input)))) found.add(id);
  }
  return found;
}

/** Keys of all folders, nested ones included. */
export function folders(trace: Trace, phases: ReadonlySet<Phase>): string[] {
  const found = new Set<string>();
  for (const { path } of paths(trace, phases)) path.forEach((_, n) => found.add(key(path.slice(0, n + 1))));
  return [...found];
}

/** The folders that must be open to show a node individually. */
function foldersAround(trace: Trace, node: number): string[] {
  const found = trace.nodes[node];
  const named = found && paths(trace, new Set([phaseOf(found)])).find((other) => other.node.id === node);
  return named ? named.path.map((_, n) => key(named.path.slice(0, n + 1))) : [];
}

const key = (path: readonly string[]): string => path.join('\u0001');

/** The folders to open to show a node: added to the open ones if that stays within `MAX_BOXES`, else alone, else as many as fit. */
export function openTo(trace: Trace, phases: ReadonlySet<Phase>, open: ReadonlySet<string>, node: number): ReadonlySet<string> {
  const around = foldersAround(trace, node);
  const ways = [new Set([...open, ...around]), ...around.map((_, n) => new Set(around.slice(0, around.length - n)))];
  return ways.find((way) => fold(trace, phases, way).boxes.length <= MAX_BOXES) ?? new Set();
}

/** The initially open folders: modules, outermost first, up to `MAX_INITIAL_BOXES`; never calls. */
export function initiallyOpen(trace: Trace, phases: ReadonlySet<Phase>): Set<string> {
  const open = new Set<string>();
  const isCall = (folder: string): boolean => folder.includes('\u0000');
  const byDepth = folders(trace, phases).filter((folder) => !isCall(folder) && folder !== 'update');
  byDepth.sort((a, b) => a.split('\u0001').length - b.split('\u0001').length);
  for (const folder of byDepth) {
    open.add(folder);
    if (fold(trace, phases, open).boxes.length > MAX_INITIAL_BOXES) {
      open.delete(folder);
      break;
    }
  }
  return open;
}

/** The id of the box of a closed folder. */
export const foldedId = (phase: Phase, folder: string): string => `${phase} ${folder}`;

/** Boxes and wires of the graph with these folders open. */
export function fold(trace: Trace, phases: ReadonlySet<Phase>, open: ReadonlySet<string>): Folded {
  const boxes = new Map<string, { box: Omit<Box, 'nodes' | 'result'>; nodes: GraphNode[] }>();
  const boxOf = new Map<number, string>();
  const constants = constantsOf(trace);
  const used = new Set(trace.nodes.filter((node) => phases.has(phaseOf(node))).flatMap((node) => node.inputs));
  for (const { node, path } of paths(trace, phases)) {
    // Constants, and inputs read only by hidden phases, would be unconnected.
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
  const given = resultNodes(trace, boxOf);
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
 * Nodes read by other boxes of the same phase. A node that only a gradient reads, such as the argmax of a pooling, is
 * not the result of its call.
 */
function resultNodes(trace: Trace, boxOf: ReadonlyMap<number, string>): ReadonlySet<number> {
  const found = new Set<number>();
  for (const node of trace.nodes) {
    for (const input of node.inputs) {
      const source = trace.nodes[input];
      if (source && boxOf.get(input) !== boxOf.get(node.id) && phaseOf(source) === phaseOf(node)) found.add(input);
    }
  }
  return found;
}

/** Whether the box contains more than one node or is a module. */
export function canOpen(box: Box): boolean {
  return box.kind === 'module' || (box.kind === 'call' && box.nodes.length > 1);
}

export const folderKey = (box: Box): string => key(box.path);
