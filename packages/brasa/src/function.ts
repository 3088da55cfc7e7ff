/** Functions with a gradient of their own. */
import { noGrad } from './autograd.ts';
import { described } from './bind.ts';
import { ArgumentError, DTypeError, ShapeError } from './errors.ts';
import { args, NONE, noteSite, recorder } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';
import { calling, registered, unregistered } from './callbacks.ts';

/** What a function keeps from its forward pass for the backward one. */
export class FunctionContext {
  /** Tensors for `backward`. */
  savedTensors: readonly Tensor[] = [];

  /** Keeps tensors for `backward`. */
  saveForBackward(...tensors: Tensor[]): void {
    this.savedTensors = tensors;
  }
}

/** The class of a function: `forward` and `backward` are static. */
export interface FunctionClass<A extends unknown[]> {
  forward(ctx: FunctionContext, ...inputs: A): Tensor;
  backward(ctx: FunctionContext, gradient: Tensor): Tensor | null | readonly (Tensor | null)[];
}

/** Throws where a gradient is not of the type of its input. */
function checkGradient(n: number, gradient: unknown, input: Tensor): void {
  if (gradient === null || gradient === undefined) return;
  if (!(gradient instanceof Tensor)) throw new ArgumentError(`backward: gradient ${n} is ${described(gradient)}, expected a tensor or null`);
  const what = `backward: gradient ${n} is not of the type of its input\n  gradient: ${gradient.toString()}\n  input: ${input.toString()}`;
  if (String(gradient.shape) !== String(input.shape)) throw new ShapeError(what);
  if (gradient.dtype !== input.dtype) throw new DTypeError(`${what}\n  help: gradient.to('${input.dtype}')`);
}

/**
 * A function with a gradient of its own.
 *
 * ```ts
 * class Sign extends AutoFunction {
 *   static forward(ctx: FunctionContext, x: Tensor) { return x.sign(); }
 *   static backward(ctx: FunctionContext, dy: Tensor) { return dy; }
 * }
 * const y = Sign.apply(x);
 * ```
 *
 * `backward` is called once, when the function is applied, with a stand-in for the gradient; what it records is
 * repeated for every true one. It gives the gradient of each tensor among the inputs, `null` for none.
 */
export abstract class AutoFunction {
  static apply<A extends unknown[]>(this: FunctionClass<A>, ...inputs: A): Tensor {
    const ctx = new FunctionContext();
    const value = noGrad(() => this.forward(ctx, ...inputs));
    if (!(value instanceof Tensor)) throw new ArgumentError(`forward: it gave ${described(value)}, expected a tensor`);
    const tensors = inputs.filter((x) => x instanceof Tensor);
    const id = registered(([dy]) => {
      const found = this.backward(ctx, wrap(dy as number));
      const gradients = Array.isArray(found) ? (found as readonly (Tensor | null)[]) : [found as Tensor | null];
      if (gradients.length !== tensors.length) {
        throw new ArgumentError(`backward: it gave ${gradients.length} gradients for ${tensors.length} inputs`);
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
      return wrap(calling(() => recorder().with_gradient(value.handle, id, len)));
    } finally {
      unregistered(id);
    }
  }
}
