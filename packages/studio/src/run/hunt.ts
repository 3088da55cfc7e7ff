/** Where a value that is not finite comes from: the node that first makes one of sound operands. */
import { firstBroken } from './health.ts';
import type { Input, Output, Session } from './session.ts';
import { lineOf, linesOf, phaseOf, type GraphNode, type Trace } from './trace.ts';

export interface Catch {
  /** What happened there, as the end of a sentence. */
  readonly text: string;
  readonly where?: string;
  readonly line?: number;
  readonly node?: number;
}

export interface Scene {
  /** It has to hold the weights from before it happened. */
  readonly session: Session;
  readonly trace: Trace;
  /** The batch it happened with. */
  readonly batch: readonly Input[];
  /** What the parts of the model give. */
  readonly activations: ReadonlyMap<string, Output>;
  /** The parameter that the step has spoilt; without one it is the loss. */
  readonly parameter?: string | undefined;
  /** Whether nobody waits any more. */
  readonly isOver: () => boolean;
}

type Fault = 'none' | 'infinite' | 'nan';

/** The node and its place; nothing where all that was looked at is finite. */
export async function hunt(scene: Scene): Promise<Catch | undefined> {
  const { trace } = scene;
  const broken = scene.parameter === undefined ? firstBroken(scene.activations) : undefined;
  const faultOf = looker(scene);
  const start = await firstOf(starts(scene, broken), async (node) => (await faultOf(node)) !== 'none');
  const node = start && (await origin(trace, start, faultOf, scene.isOver));
  if (!node) return undefined;
  const where = node.module ?? broken;
  const found = lineOf(node.site);
  const [line, ...more] = found === undefined ? linesOf(trace, where) : [found];
  const lines = more.length > 0 ? ` (lines ${line} to ${more.at(-1)})` : '';
  const at = where === undefined ? 'in the loss or its gradient' : `at ${where}`;
  return {
    text: node.op === 'input' ? `${node.name ?? 'an input'} holds values that are not finite.` : `first ${at}${lines}: ${deed(node)} values that are not finite.`,
    ...(where !== undefined && { where }),
    ...(line !== undefined && { line }),
    node: node.id,
  };
}

function deed(node: GraphNode): string {
  const phase = phaseOf(node);
  switch (phase) {
    case 'forward':
      return `${node.call} gives`;
    case 'backward':
      return 'the gradient there has';
    case 'update':
      return 'the update by the optimizer has';
    default:
      return phase satisfies never;
  }
}

/** What is wrong with the value of a node, asked of the engine once. */
function looker({ session, batch, trace }: Scene): (node: GraphNode) => Promise<Fault> {
  const known = new Map<number, Promise<Fault>>();
  const look = async (node: GraphNode): Promise<Fault> => {
    if (node.op === 'write') return look(valueOf(trace, node));
    const { data } = await session.probe(batch, node.id);
    let fault: Fault = 'none';
    for (const x of data) {
      if (Number.isNaN(x)) return 'nan';
      if (!Number.isFinite(x)) fault = 'infinite';
    }
    return fault;
  };
  return (node) => {
    const found = known.get(node.id) ?? look(node).catch((): Fault => 'none');
    known.set(node.id, found);
    return found;
  };
}

/** What a write writes: its second operand, the first being the place. */
const valueOf = (trace: Trace, write: GraphNode): GraphNode => trace.nodes[write.inputs[1] ?? -1] ?? write;

/** Where to begin: what spoilt the parameter, what a part of the model gives, or the loss itself. */
function starts({ trace, parameter }: Scene, broken: string | undefined): readonly GraphNode[] {
  const written = (isMeant: (target: GraphNode) => boolean): GraphNode[] =>
    trace.nodes.filter((node) => node.op === 'write' && isMeant(trace.nodes[node.inputs[0] ?? -1] ?? node)).map((node) => valueOf(trace, node));
  if (parameter !== undefined) return written((target) => target.name === parameter);
  const isInside = ({ module = '' }: GraphNode): boolean => module === broken || module.startsWith(`${broken}.`);
  const inside = broken === undefined ? [] : trace.nodes.filter((node) => phaseOf(node) === 'forward' && node.inputs.length > 0 && isInside(node)).reverse();
  return [...inside, ...written((target) => target.name === 'output 0')];
}

/**
 * From a node that is not finite to an operand that is not either, until there is none. A NaN is followed rather than
 * an infinity, which may be meant: that of a mask.
 */
async function origin(trace: Trace, start: GraphNode, faultOf: (node: GraphNode) => Promise<Fault>, isOver: () => boolean): Promise<GraphNode | undefined> {
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
