/**
 * What tools may ask about a compiled step: the graph, the kernels it became, the plan of its memory, and how long each
 * kernel takes; and parts of a model that tell when they are at work. The fields are described in docs/trace.md.
 */
import type { Module } from './nn/module.ts';
import { enterPart } from './recorder.ts';
import { Tensor } from './tensor.ts';

export interface GraphNode {
  readonly id: number;
  readonly op: string;
  /** The op that the user called; `backward` for gradients, `step` for updates. */
  readonly call: string;
  /** Where it was called. A gradient stands where its op does. */
  readonly site: string;
  /** The part of the model that called, by path, where the model is watched. */
  readonly module?: string;
  readonly inputs: readonly number[];
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Inputs alone have a name and a role. */
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
  /** Why it begins where it does. */
  readonly why: string;
  readonly flops: number;
  readonly bytes: number;
  readonly listing: string;
  /** The WGSL that it is run by, on WebGPU. */
  readonly shader?: string;
}

export interface PlannedBuffer {
  readonly node: number;
  readonly place: 'input' | 'arena';
  /** The byte of the arena where it begins, or the number of the input. */
  readonly offset: number;
  readonly bytes: number;
  /** The first and the last launch that touches it. */
  readonly from: number;
  readonly to: number;
}

export interface Plan {
  readonly arena: number;
  /** The most bytes of the arena in use at once. */
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

/** Is told of each part of a model that was passed through, with what it gave. */
export type PartListener = (path: string, result: Tensor) => void;

let listener: PartListener | undefined;

/** Makes the parts of a model tell when they are at work. What they compute stays the same. */
export function watchParts(model: Module): void {
  for (const [path, part] of model.namedModules()) {
    if (path === '') continue;
    const forward = (part as unknown as { forward: (...inputs: unknown[]) => unknown }).forward.bind(part);
    const watched = (...inputs: unknown[]): unknown => {
      const leave = enterPart(path);
      try {
        const result = forward(...inputs);
        const first: unknown = Array.isArray(result) ? result[0] : result;
        if (first instanceof Tensor) listener?.(path, first);
        return result;
      } finally {
        leave();
      }
    };
    Object.defineProperty(part, 'forward', { value: watched, configurable: true });
  }
}

/** Runs `body` and tells of the watched parts that it passes through. */
export function withParts<T>(tell: PartListener, body: () => T): T {
  const before = listener;
  listener = tell;
  try {
    return body();
  } finally {
    listener = before;
  }
}
