/** Grad modes (`noGrad`, `enableGrad`), and functional gradients (`grad`, `jvp`). */
import { bound } from './bind.ts';
import { ArgumentError } from './errors.ts';
import { generation } from './memory.ts';
import { args, checked, NONE, noteSite, read, recorder } from './recorder.ts';
import { type BackwardOptions, type Tensor, wrap } from './tensor.ts';

/** Whether gradients are recorded: outside of all scopes, and in each open scope. Async scopes may end in any order. */
interface Modes {
  readonly generation: number;
  outside: boolean;
  readonly scopes: { enabled: boolean }[];
}

let known: Modes = { generation: -1, outside: true, scopes: [] };

/** The modes of the current recorder. */
function modes(): Modes {
  if (known.generation !== generation()) known = { generation: generation(), outside: true, scopes: [] };
  return known;
}

/** Passes the current mode to the recorder. */
function apply({ outside, scopes }: Modes): void {
  recorder().set_grad_enabled((scopes.at(-1)?.enabled ?? outside) ? 1 : 0);
}

/** Runs `body`, which may be async, with gradient recording on or off. */
function withGrad<T>(enabled: boolean, body: () => T): T {
  const all = modes();
  const own = { enabled };
  all.scopes.push(own);
  apply(all);
  const end = (): void => {
    all.scopes.splice(all.scopes.indexOf(own), 1);
    if (all === modes()) apply(all);
  };
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

/**
 * Runs `body` without recording gradients. If `body` is async, recording stays off until it ends, also for calls of other
 * tasks.
 */
export function noGrad<T>(body: () => T): T {
  return withGrad(false, body);
}

/** Runs `body` with gradients recorded, also inside `noGrad`. */
export function enableGrad<T>(body: () => T): T {
  return withGrad(true, body);
}

/** Turns gradient recording on or off, until the end of the enclosing scope, if any; returns the previous setting. */
export function setGradEnabled(enabled: boolean): boolean {
  const before = isGradEnabled();
  const all = modes();
  const innermost = all.scopes.at(-1);
  if (innermost) innermost.enabled = enabled;
  else all.outside = enabled;
  apply(all);
  return before;
}

/** Whether gradients are recorded. */
export function isGradEnabled(): boolean {
  const { outside, scopes } = modes();
  return scopes.at(-1)?.enabled ?? outside;
}

/** Options of `grad`. */
export interface GradOptions extends Omit<BackwardOptions, 'gradient'> {
  /** The gradient of each output; ones by default. */
  gradients?: readonly Tensor[];
}

/**
 * The gradients of the sum of `outputs` with respect to each of `inputs`; `null` for inputs it does not depend on. The
 * `grad` of leaves is not changed.
 */
export function grad(outputs: Tensor | readonly Tensor[], inputs: Tensor | readonly Tensor[], options: GradOptions = {}): (Tensor | null)[] {
  const [gradients = [], retainGraph, createGraph] = bound<[(readonly Tensor[])?, boolean?, boolean?]>('grad', '* gradients?e retainGraph?b createGraph?b', [options]);
  noteSite();
  const put = (x: Tensor): void => void args.u32(x.handle);
  const listed = (x: Tensor | readonly Tensor[]): readonly Tensor[] => (Array.isArray(x) ? x : [x as Tensor]);
  args.begin().list(listed(outputs), put).list(listed(inputs), put).list(gradients, put);
  const count = checked(recorder().grads(args.len, retainGraph ? 1 : 0, createGraph ? 1 : 0), grad);
  const handles = read((from) => Array.from({ length: count }, () => from.u32()));
  return handles.map((handle) => (handle === NONE ? null : wrap(handle)));
}

/**
 * The value of `f` at `inputs`, and the Jacobian-vector product with `tangents`. Computed as the gradient of a gradient:
 * the gradient is linear in the cotangent of the value.
 */
export function jvp(f: (...inputs: Tensor[]) => Tensor, inputs: readonly Tensor[], tangents: readonly Tensor[]): { value: Tensor; tangent: Tensor } {
  if (inputs.length !== tangents.length) {
    throw new ArgumentError(`jvp: ${tangents.length} tangents for ${inputs.length} inputs`);
  }
  return enableGrad(() => {
    const leaves = inputs.map((x) => x.detach().requiresGrad_());
    const value = f(...leaves);
    const weight = value.detach().mul(0).requiresGrad_();
    const pulled = grad(value, leaves, { gradients: [weight], createGraph: true });
    const parts = pulled.flatMap((x, n) => (x ? [x.mul(tangents[n] as Tensor).sum()] : []));
    const [first, ...rest] = parts;
    const along = first && grad(rest.reduce((sum, x) => sum.add(x), first), weight)[0];
    return { value: value.detach(), tangent: along ?? value.detach().mul(0) };
  });
}
