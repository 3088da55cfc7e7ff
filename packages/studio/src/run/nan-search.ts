/** Finds the origin of a NaN or infinity: the first node whose value is not finite although its operands are. */
import { firstNonFinite } from './health.ts';
import type { Input, Output, Session } from './session.ts';
import { lineOf, linesOf, phaseOf, type GraphNode, type Trace } from './trace.ts';

export interface NanOrigin {
  /** What happened there, as the end of a sentence. */
  readonly text: string;
  readonly path?: string;
  readonly line?: number;
  readonly node?: number;
}

export interface NanSearch {
  /** It must hold the weights from before the failing step. */
  readonly session: Session;
  readonly trace: Trace;
  /** The batch of the failing step. */
  readonly batch: readonly Input[];
  /** The outputs of the model's modules, by path. */
  readonly activations: ReadonlyMap<string, Output>;
  /** The parameter that the step made non-finite; without one, the loss. */
  readonly parameter?: string | undefined;
  /** Whether the search was cancelled. */
  readonly isOver: () => boolean;
}

type Fault = 'none' | 'infinite' | 'nan';

/** The originating node and its location; undefined if all inspected values are finite. */
export async function findNanOrigin(search: NanSearch): Promise<NanOrigin | undefined> {
  const { trace } = search;
  const broken = search.parameter === undefined ? firstNonFinite(search.activations) : undefined;
  const faultOf = faultReader(search);
  const start = await firstOf(searchStarts(search, broken), async (node) => (await faultOf(node)) !== 'none');
  const node = start && (await traceBack(trace, start, faultOf, search.isOver));
  if (!node) return undefined;
  const path = node.module ?? broken;
  const found = lineOf(node.site);
  const [line, ...more] = found === undefined ? linesOf(trace, path) : [found];
  const lines = more.length > 0 ? ` (lines ${line} to ${more.at(-1)})` : '';
  const at = path === undefined ? 'in the loss or its gradient' : `in module ${path}`;
  return {
    text: node.op === 'input' ? `${node.name ?? 'an input'} contains NaN or infinity.` : `first ${at}${lines}: ${predicateOf(node)} NaN or infinity.`,
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    node: node.id,
  };
}

/** The node and its verb, for messages. */
function predicateOf(node: GraphNode): string {
  const phase = phaseOf(node);
  switch (phase) {
    case 'forward':
      return `${node.call} returned`;
    case 'backward':
      return 'its gradient contains';
    case 'update':
      return 'the optimizer update contains';
    default:
      return phase satisfies never;
  }
}

/** A cached function that reads a node's value and classifies it. */
function faultReader({ session, batch, trace }: NanSearch): (node: GraphNode) => Promise<Fault> {
  const known = new Map<number, Promise<Fault>>();
  const read = async (node: GraphNode): Promise<Fault> => {
    if (node.op === 'write') return read(valueOf(trace, node));
    const { data } = await session.probe(batch, node.id);
    let fault: Fault = 'none';
    for (const x of data) {
      if (Number.isNaN(x)) return 'nan';
      if (!Number.isFinite(x)) fault = 'infinite';
    }
    return fault;
  };
  return (node) => {
    const found = known.get(node.id) ?? read(node).catch((): Fault => 'none');
    known.set(node.id, found);
    return found;
  };
}

/** The value that a write stores: its second operand. The first is the target. */
const valueOf = (trace: Trace, write: GraphNode): GraphNode => trace.nodes[write.inputs[1] ?? -1] ?? write;

/** Nodes to start from: the new value of the parameter, the outputs of the failing module, or the loss. */
function searchStarts({ trace, parameter }: NanSearch, broken: string | undefined): readonly GraphNode[] {
  const written = (isMeant: (target: GraphNode) => boolean): GraphNode[] =>
    trace.nodes.filter((node) => node.op === 'write' && isMeant(trace.nodes[node.inputs[0] ?? -1] ?? node)).map((node) => valueOf(trace, node));
  if (parameter !== undefined) return written((target) => target.name === parameter);
  const isInside = ({ module = '' }: GraphNode): boolean => module === broken || module.startsWith(`${broken}.`);
  const inside = broken === undefined ? [] : trace.nodes.filter((node) => phaseOf(node) === 'forward' && node.inputs.length > 0 && isInside(node)).reverse();
  return [...inside, ...written((target) => target.name === 'output 0')];
}

/**
 * Follows non-finite operands until all operands are finite. Prefers a NaN over an infinity, which may be intended, as
 * in a mask.
 */
async function traceBack(trace: Trace, start: GraphNode, faultOf: (node: GraphNode) => Promise<Fault>, isOver: () => boolean): Promise<GraphNode | undefined> {
  for (let node = start; ; ) {
    if (isOver()) return undefined;
    const operands = node.inputs.flatMap((input) => trace.nodes[input] ?? []).filter(({ op }) => op !== 'const' && op !== 'slot' && op !== 'iota');
    const faults = await Promise.all(operands.map(faultOf));
    const wanted = faults.includes('nan') ? 'nan' : 'infinite';
    const next = operands[faults.indexOf(wanted)];
    if (!next) return node;
    node = next;
  }
}

async function firstOf<T>(all: readonly T[], isIt: (one: T) => Promise<boolean>): Promise<T | undefined> {
  for (const one of all) if (await isIt(one)) return one;
  return undefined;
}
