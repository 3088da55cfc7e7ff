/** Gradients: whether they are recorded, and taken by hand. */
import { args, checked, NONE, noteSite, read, recorder } from './recorder.ts';
import { type BackwardOptions, type Tensor, wrap } from './tensor.ts';

/** Runs `body`, which may be async, with or without recording paths for gradients. */
function withGrad<T>(enabled: boolean, body: () => T): T {
  const before = recorder().set_grad_enabled(enabled ? 1 : 0);
  const end = (): void => void recorder().set_grad_enabled(before);
  let result: T;
  try {
    result = body();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end) as T;
  end();
  return result;
}

/** Runs `body` without recording paths for gradients. An async `body` is waited for. */
export function noGrad<T>(body: () => T): T {
  return withGrad(false, body);
}

/** Runs `body` with gradients, also inside of `noGrad`. */
export function enableGrad<T>(body: () => T): T {
  return withGrad(true, body);
}

/** Says whether paths for gradients are recorded from here on, and gives whether they were. */
export function setGradEnabled(enabled: boolean): boolean {
  return recorder().set_grad_enabled(enabled ? 1 : 0) !== 0;
}

/** Whether paths for gradients are recorded. */
export function isGradEnabled(): boolean {
  const before = setGradEnabled(true);
  setGradEnabled(before);
  return before;
}

/** Options of `grad`. */
export interface GradOptions extends Omit<BackwardOptions, 'gradient'> {
  /** The gradients of the outputs; ones by default. */
  gradients?: readonly Tensor[];
}

/**
 * The gradients of the sum of `outputs` by each of `inputs`; `null` where they do not depend on it. Nothing is added
 * to the gradients of leaves.
 */
export function grad(outputs: Tensor | readonly Tensor[], inputs: Tensor | readonly Tensor[], options: GradOptions = {}): (Tensor | null)[] {
  noteSite();
  const put = (x: Tensor): void => void args.u32(x.handle);
  const listed = (x: Tensor | readonly Tensor[]): readonly Tensor[] => (Array.isArray(x) ? x : [x as Tensor]);
  args.begin().list(listed(outputs), put).list(listed(inputs), put).list(options.gradients ?? [], put);
  const count = checked(recorder().grads(args.len, options.retainGraph ? 1 : 0, options.createGraph ? 1 : 0), grad);
  const handles = read((from) => Array.from({ length: count }, () => from.u32()));
  return handles.map((handle) => (handle === NONE ? null : wrap(handle)));
}
