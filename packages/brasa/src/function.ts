/** `AutoFunction`: functions with a custom gradient. */
import { noGrad } from './autograd.ts';
import { describe } from './bind.ts';
import { register, unregister, withCallbacks } from './callbacks.ts';
import { ArgumentError, DTypeError, ShapeError } from './errors.ts';
import { args, NONE, noteSite, recorder } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';

/** Saves tensors of the forward pass for the backward pass. */
export class FunctionContext {
  /** The saved tensors. */
  savedTensors: readonly Tensor[] = [];

  /** Saves tensors for `backward`. */
  saveForBackward(...tensors: Tensor[]): void {
    this.savedTensors = tensors;
  }
}

/** A class with static `forward` and `backward`. */
export interface FunctionClass<A extends unknown[]> {
  forward(ctx: FunctionContext, ...inputs: A): Tensor;
  backward(ctx: FunctionContext, gradient: Tensor): Tensor | null | readonly (Tensor | null)[];
}

/** Throws if a gradient differs from its input in shape or dtype. */
function checkGradient(n: number, gradient: unknown, input: Tensor): void {
  if (gradient === null || gradient === undefined) return;
  if (!(gradient instanceof Tensor)) throw new ArgumentError(`backward: gradient ${n} is ${describe(gradient)}, expected a tensor or null`);
  const what = `backward: gradient ${n} does not match its input\n  gradient: ${gradient.toString()}\n  input: ${input.toString()}`;
  if (String(gradient.shape) !== String(input.shape)) throw new ShapeError(what);
  if (gradient.dtype !== input.dtype) throw new DTypeError(`${what}\n  help: gradient.to('${input.dtype}')`);
}

/**
 * A function with a custom gradient.
 *
 * ```ts
 * class Sign extends AutoFunction {
 *   static forward(ctx: FunctionContext, x: Tensor) { return x.sign(); }
 *   static backward(ctx: FunctionContext, dy: Tensor) { return dy; }
 * }
 * const y = Sign.apply(x);
 * ```
 *
 * `backward` is called once, when the function is applied, with a placeholder for the gradient; its recording is replayed
 * for each actual gradient. It returns the gradient of each tensor input, `null` for none.
 */
export abstract class AutoFunction {
  static apply<A extends unknown[]>(this: FunctionClass<A>, ...inputs: A): Tensor {
    const ctx = new FunctionContext();
    const value = noGrad(() => this.forward(ctx, ...inputs));
    if (!(value instanceof Tensor)) throw new ArgumentError(`forward: returned ${describe(value)}, expected a tensor`);
    const tensors = inputs.filter((x) => x instanceof Tensor);
    const id = register(([dy]) => {
      const found = this.backward(ctx, wrap(dy as number));
      const gradients = Array.isArray(found) ? (found as readonly (Tensor | null)[]) : [found as Tensor | null];
      if (gradients.length !== tensors.length) {
        throw new ArgumentError(`backward: returned ${gradients.length} gradients for ${tensors.length} inputs`);
      }
      gradients.forEach((gradient, n) => checkGradient(n, gradient, tensors[n] as Tensor));
      args.begin();
      for (const gradient of gradients) args.u32(gradient ? gradient.handle : NONE);
      return gradients.length;
    });
    noteSite();
    args.begin().list(tensors, (x) => args.u32(x.handle));
    const { len } = args;
    try {
      return wrap(withCallbacks(() => recorder().with_gradient(value.handle, id, len)));
    } finally {
      unregister(id);
    }
  }
}
