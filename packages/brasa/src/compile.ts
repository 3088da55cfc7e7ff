/** `compile`: functions and training steps, recorded once per input shape. */
import { bound } from './bind.ts';
import { Forward, FORWARD, NamedForward } from './forward.ts';
import type { Specs } from './inputs.ts';
import type { Module } from './nn/module.ts';
import { checkSpec, type ForwardSpec, type StepSpec, TrainStep } from './step.ts';
import type { Tensor } from './tensor.ts';
import { Training, type TrainingSpec } from './tensorgrad.ts';

/**
 * Compiles a function of tensors, without gradients, or a training step.
 *
 * ```ts
 * const predict = compile((x: Tensor) => model.forward(x));
 * const train = compile({
 *   model,
 *   optimizer,
 *   inputs: { x: [null, 784], y: { shape: [null], dtype: 'i64' } },
 *   loss: ({ x, y }) => crossEntropy(model.forward(x), y),
 * });
 * const result = await train.step({ x: images, y: labels });
 * ```
 */
export function compile<A extends Tensor[]>(f: (...inputs: A) => Tensor): Forward<A>;
export function compile<const I extends Specs, M extends Module>(spec: StepSpec<I, M>): TrainStep<I, M>;
export function compile<const I extends Specs, M extends Module>(spec: TrainingSpec<I, M>): Training<I, M>;
export function compile<const I extends Specs>(spec: ForwardSpec<I, undefined>): NamedForward<I>;
export function compile(
  what: ((...inputs: Tensor[]) => Tensor) | StepSpec<Specs> | TrainingSpec<Specs> | ForwardSpec<Specs, undefined>,
): Forward<Tensor[]> | TrainStep<Specs> | Training<Specs> | NamedForward<Specs> {
  if (typeof what === 'function') return new Forward(what);
  if ('forward' in what) {
    const [forward, inputs] = bound<[typeof what.forward, Specs]>('compile', FORWARD, [what]);
    return new NamedForward((named) => forward(named, undefined), inputs);
  }
  checkSpec(what);
  return isPlain(what) ? new Training(what) : new TrainStep(what);
}

/** Whether the optimizer is plain data, as in tensorgrad. */
function isPlain(spec: StepSpec<Specs> | TrainingSpec<Specs>): spec is TrainingSpec<Specs> {
  return 'kind' in spec.optimizer;
}

/** Wraps `f` so that at most one call runs at a time: calls made meanwhile get the result of that call. */
export function singleFlight<A extends unknown[], R>(f: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let current: Promise<R> | undefined;
  return (...given) => {
    current ??= f(...given).finally(() => {
      current = undefined;
    });
    return current;
  };
}
