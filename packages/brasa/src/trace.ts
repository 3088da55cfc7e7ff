/**
 * Types of `explain`: the graph of a compiled step, its kernels and its memory plan; and callbacks for the layers that a
 * model runs. docs/trace.md describes the fields.
 */
import type { Module } from './nn/module.ts';
import { enterPart } from './recorder.ts';
import { Tensor } from './tensor.ts';

export interface GraphNode {
  readonly id: number;
  readonly op: string;
  /** The op that the user called; `backward` for gradients, `step` for updates. */
  readonly call: string;
  /** The call site. A gradient has that of its op. */
  readonly site: string;
  /** The path of the layer that called, if the model is watched. */
  readonly module?: string;
  readonly inputs: readonly number[];
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Only inputs have a name and a role. */
  readonly name?: string;
  readonly role?: 'data' | 'param' | 'state';
}

export interface Kernel {
  readonly name: string;
  readonly kind: 'loop' | 'library';
  readonly domain: string;
  readonly nodes: readonly number[];
  /** Buffers, by index in the plan. */
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** Why the kernel starts here and was not fused. */
  readonly why: string;
  readonly flops: number;
  readonly bytes: number;
  readonly listing: string;
  /** The WGSL source, on WebGPU. */
  readonly shader?: string;
}

export interface PlannedBuffer {
  readonly node: number;
  readonly place: 'input' | 'arena';
  /** The byte offset in the arena, or the number of the input. */
  readonly offset: number;
  readonly bytes: number;
  /** The first and the last launch that use it. */
  readonly from: number;
  readonly to: number;
}

export interface Plan {
  readonly arena: number;
  /** The peak number of bytes in use in the arena. */
  readonly live: number;
  readonly inputs: number;
  readonly buffers: readonly PlannedBuffer[];
}

export interface Trace {
  /** The number of nodes before the graph was simplified. */
  readonly recorded: number;
  readonly nodes: readonly GraphNode[];
  readonly kernels: readonly Kernel[];
  readonly outputs: readonly number[];
  readonly plan: Plan;
}

/** Called for each layer that has run, with its result. */
export type PartListener = (path: string, result: Tensor) => void;

let listener: PartListener | undefined;

/** Instruments the layers of a model for `withParts` and `GraphNode.module`. Results do not change. */
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

/** Runs `body` and calls `tell` for each watched layer that runs. */
export function withParts<T>(tell: PartListener, body: () => T): T {
  const before = listener;
  listener = tell;
  try {
    return body();
  } finally {
    listener = before;
  }
}
