/** What became of a graph: nodes, kernels and memory, as the engine tells it (docs/events.md). */

export interface GraphNode {
  readonly id: number;
  readonly op: string;
  /** The op that the user called; `backward` for gradients, `step` for updates. */
  readonly call: string;
  /** Where it was called, and within which part of the model. */
  readonly site: string;
  readonly module?: string;
  readonly inputs: readonly number[];
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly name?: string;
  readonly role?: 'data' | 'param' | 'state';
}

export interface Kernel {
  readonly name: string;
  readonly kind: 'loop' | 'library';
  readonly domain: string;
  readonly nodes: readonly number[];
  /** Buffers, by place in the plan. */
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly why: string;
  readonly flops: number;
  readonly bytes: number;
  readonly listing: string;
}

export interface PlannedBuffer {
  readonly node: number;
  readonly place: 'input' | 'arena';
  readonly offset: number;
  readonly bytes: number;
  /** The first and the last launch that touches it. */
  readonly from: number;
  readonly to: number;
}

export interface Plan {
  readonly arena: number;
  readonly live: number;
  readonly inputs: number;
  readonly buffers: readonly PlannedBuffer[];
}

export interface Trace {
  /** How many nodes were recorded, before the graph was simplified. */
  readonly recorded: number;
  readonly nodes: readonly GraphNode[];
  readonly kernels: readonly Kernel[];
  readonly outputs: readonly number[];
  readonly plan: Plan;
}

export type Phase = 'forward' | 'backward' | 'update';

/** Which part of a step a node belongs to. */
export function phaseOf(node: GraphNode): Phase {
  if (node.call === 'backward' || node.call === 'grad') return 'backward';
  if (node.call === 'step' || node.role === 'state') return 'update';
  return 'forward';
}

/** The kernel that computes each node; a node that several compute belongs to the first. */
export function kernelOfNode(trace: Trace): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  trace.kernels.forEach((kernel, n) => {
    for (const node of kernel.nodes) if (!found.has(node)) found.set(node, n);
  });
  return found;
}

/** The nodes that read each node. */
export function readersOf(trace: Trace): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const node of trace.nodes) {
    for (const input of node.inputs) {
      const readers = found.get(input);
      if (readers) readers.push(node.id);
      else found.set(input, [node.id]);
    }
  }
  return found;
}

/** Bytes of the arena in use at each launch. */
export function liveBytes(trace: Trace): number[] {
  const live = new Array<number>(trace.kernels.length).fill(0);
  // What is written over its operand has the same place: it counts once.
  const seen = trace.kernels.map(() => new Set<number>());
  for (const buffer of trace.plan.buffers) {
    if (buffer.place !== 'arena') continue;
    for (let n = buffer.from; n <= Math.min(buffer.to, live.length - 1); n += 1) {
      if (seen[n]?.has(buffer.offset)) continue;
      seen[n]?.add(buffer.offset);
      live[n] = (live[n] ?? 0) + buffer.bytes;
    }
  }
  return live;
}

/** The line of the editor's module in a site such as `model.js:12:5`. */
export function lineOf(site: string): number | undefined {
  const found = /model\.js:(\d+)/.exec(site);
  return found ? Number(found[1]) : undefined;
}

export const typeText = (node: GraphNode): string => `${node.dtype}[${node.shape.join(', ')}]`;

/** The last step as events that chrome://tracing and Perfetto open. */
export function chromeTrace(trace: Trace, micros: readonly number[]): string {
  let at = 0;
  const traceEvents = trace.kernels.map((kernel, n) => {
    const dur = micros[n] ?? 0;
    const args = { flops: kernel.flops, bytes: kernel.bytes, why: kernel.why, domain: kernel.domain };
    const event = { name: `${n} ${kernel.name}`, cat: kernel.kind, ph: 'X', ts: at, dur, pid: 1, tid: 1, args };
    at += dur;
    return event;
  });
  return JSON.stringify({ traceEvents, displayTimeUnit: 'ms' });
}
