/** Functions over a trace: the graph, kernels and memory plan of a compiled step. */
import type { tracing } from 'brasa';

export type Trace = tracing.Trace;
export type GraphNode = tracing.GraphNode;
export type Kernel = tracing.Kernel;

export type Phase = 'forward' | 'backward' | 'update';

/** The phase of a step that a node belongs to. */
export function phaseOf(node: GraphNode): Phase {
  if (node.call === 'backward' || node.call === 'grad') return 'backward';
  // Writes and their targets have no call of their own.
  if (node.call === 'step' || node.call === 'input' || node.op === 'write' || node.role === 'state') return 'update';
  return 'forward';
}

/** The kernel that computes each node; the first if several do. */
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
  // A result written in place shares its operand's offset: count it once.
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

/** The line of a site in the editor's module, such as `model.js:12:5`. */
export function lineOf(site: string): number | undefined {
  const found = /model\.js:(\d+)/.exec(site);
  return found ? Number(found[1]) : undefined;
}

/** A site without its folders: `sequential.rs:21`. */
export const shortSite = (site: string): string => site.replace(/^.*[/\\]/, '').replace(/:\d+$/, '');

export const typeText = (node: GraphNode): string => `${node.dtype}[${node.shape.join(', ')}]`;

/**
 * The lines where a module or parameter is computed or used; without one, those of the loss, outside of all modules.
 */
export function linesOf(trace: Trace, path?: string): number[] {
  const isMeant = (node: GraphNode): boolean => {
    if (path === undefined) return node.module === undefined && node.op !== 'input';
    return node.name === path || node.module === path || (node.module?.startsWith(`${path}.`) ?? false);
  };
  const found = trace.nodes.filter((node) => phaseOf(node) === 'forward' && isMeant(node)).flatMap((node) => lineOf(node.site) ?? []);
  return [...new Set(found)].sort((a, b) => a - b);
}

/** A step in Chrome trace format, for chrome://tracing and Perfetto. */
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
