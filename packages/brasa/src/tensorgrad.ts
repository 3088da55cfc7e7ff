/**
 * The training API of tensorgrad: the optimizer is plain data, the loss takes the model first, and results are typed
 * arrays. Also its names for ops and learning rates.
 */
import { bind, bound } from './bind.ts';
import type { CapturedArrays } from './captures.ts';
import type { Elements } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { FORWARD, type NamedForward, type RunOptions, type RunResult } from './forward.ts';
import { mean, narrow, sum, upsampleNearest } from './generated/functions.ts';
import type { InputValue, Named, Specs } from './inputs.ts';
import { keep } from './memory.ts';
import type { LoadOptions, Module, StateSource } from './nn/module.ts';
import { Adam, AdamW, type Optimizer, type Schedule, schedule, setDecay, SGD } from './optim.ts';
import { completed, type Outcome } from './outcome.ts';
import { STEP, type StepInfo, type StepOptions, TrainStep } from './step.ts';
import type { Tensor } from './tensor.ts';

interface CommonConfig {
  readonly lr: number | Schedule;
  readonly weightDecay?: number;
  /** Which parameters weight decay applies to, by name. */
  readonly decayFilter?: (name: string) => boolean;
  /** The largest total norm of the gradients. */
  readonly clipGradNorm?: number;
}

/** An optimizer as plain data. */
export type OptimizerConfig =
  | (CommonConfig & { readonly kind: 'adam' | 'adamw'; readonly b1?: number; readonly b2?: number; readonly eps?: number })
  | (CommonConfig & { readonly kind: 'sgd'; readonly momentum?: number; readonly nesterov?: boolean });

const COMMON = '* lr:n|f weightDecay?n decayFilter?f clipGradNorm?n';
const ADAM = [Adam, `${COMMON} b1?n b2?n eps?n`] as const;
const OPTIMIZERS = { adam: ADAM, adamw: [AdamW, ADAM[1]], sgd: [SGD, `${COMMON} momentum?n nesterov?b`] } as const;

function buildOptimizer({ kind, ...config }: OptimizerConfig, model: Module): Optimizer {
  if (!Object.hasOwn(OPTIMIZERS, kind)) throw new ArgumentError(`compile: there is no optimizer '${kind}', only ${Object.keys(OPTIMIZERS).join(', ')}`);
  const [Rule, signature] = OPTIMIZERS[kind];
  const { decayFilter, b1, b2, ...rest } = Object.fromEntries(bind(`optimizer ${kind}`, signature, [config]));
  delete rest['clipGradNorm'];
  if (Rule !== SGD) rest['betas'] = [b1 ?? 0.9, b2 ?? 0.999];
  for (const [name, p] of decayFilter ? model.namedParameters() : []) setDecay(p, (decayFilter as (name: string) => boolean)(name));
  return new Rule(model.parameters(), rest as object);
}

/** The specification of a training step. */
export interface TrainingSpec<I extends Specs, M extends Module = Module> {
  readonly model: M;
  readonly loss: (model: M, inputs: Named<I, Tensor>) => Tensor;
  readonly optimizer: OptimizerConfig;
  readonly inputs: I;
  readonly seed?: number;
}

/** The outcome of a step, with arrays. */
export type TrainingResult = Outcome<{ loss: number; captures: CapturedArrays }>;

/** A compiled training step. */
export class Training<I extends Specs, M extends Module = Module> {
  readonly #step: TrainStep<I, M>;
  #optimizer: Optimizer;
  #config: OptimizerConfig;
  #model: M;
  /** The initial parameters and buffers. */
  #initial: Map<string, Tensor>;

  constructor(spec: TrainingSpec<I, M>) {
    bound('compile', STEP, [spec]);
    const { model, inputs, optimizer, seed } = spec;
    this.#config = optimizer;
    this.#model = model;
    this.#optimizer = buildOptimizer(optimizer, model);
    this.#initial = copyState(model);
    this.#step = new TrainStep<I, M>({
      model,
      inputs,
      optimizer: this.#optimizer,
      loss: (named, own) => spec.loss(own, named),
      clipGradNorm: optimizer.clipGradNorm,
      ...(seed !== undefined && { seed }),
    });
  }

  /** The paths of the parameters. */
  get paramNames(): readonly string[] {
    return this.#step.paramNames;
  }

  /** Runs a step. */
  async step(values: Named<I, InputValue>, options?: StepOptions): Promise<TrainingResult> {
    const result = await this.#step.step(values, options);
    if (result.status !== 'completed') return result;
    const { loss, captures } = result;
    const arrays = await captures.toArrays();
    captures.dispose();
    return completed({ loss, captures: arrays });
  }

  /** The loss for these inputs, without an update. */
  run(values: Named<I, InputValue>, options?: RunOptions): Promise<RunResult> {
    return this.#step.run(values, options);
  }

  /** Compiles a function of the same parameters. */
  attach<const J extends Specs>(spec: { readonly forward: (model: M, inputs: Named<J, Tensor>) => Tensor; readonly inputs: J }): NamedForward<J> {
    const [forward, inputs] = bound<[typeof spec.forward, J]>('attach', FORWARD, [spec]);
    return this.#step.attach({ inputs, forward: (named: Named<J, Tensor>, model: M) => forward(model, named) });
  }

  /** How the step is compiled for inputs like these. Runs nothing. */
  info(values: Named<I, InputValue>): Promise<StepInfo> {
    return this.#step.info(values);
  }

  /** Sets some or all parameters by path. */
  async uploadParams(params: StateSource, options: LoadOptions = {}): Promise<void> {
    this.#step.uploadParams(params, { partial: true, ...options });
  }

  /** The elements of all parameters by path. */
  downloadParams(): Promise<Record<string, Elements>> {
    return this.#step.downloadParams();
  }

  /** Alias of `downloadParams`. */
  downloadParamsFlat(): Promise<Record<string, Elements>> {
    return this.downloadParams();
  }

  /** The gradient of the loss for each parameter, without an update. */
  downloadParamGrads(values: Named<I, InputValue>): Promise<Record<string, Elements>> {
    return this.#step.downloadParamGrads(values);
  }

  /** Sets the learning rate of the next steps; a schedule starts at the next step. */
  async setLR(lr: number | Schedule): Promise<void> {
    const { steps } = this.#optimizer;
    this.#step.setLR(typeof lr === 'number' ? lr : (t) => lr(t - steps));
  }

  /** Resets the optimizer. */
  async resetOptimizer(): Promise<void> {
    this.#step.resetOptimizer();
  }

  /** Resets parameters and buffers, the optimizer, or both. */
  async reset(options: { params?: boolean; optimizer?: boolean } = {}): Promise<void> {
    const [params = true, optimizer = true] = bound<[boolean?, boolean?]>('reset', '* params?b optimizer?b', [options]);
    if (params) this.#model.loadStateDict(this.#initial);
    if (optimizer) this.#step.resetOptimizer();
  }

  /** Replaces the model, also in attached functions. */
  async replaceModel(model: M, options: { optimizer?: OptimizerConfig } = {}): Promise<void> {
    const [optimizer = this.#config] = bound<[OptimizerConfig?]>('replaceModel', '* optimizer?o', [options]);
    const own = buildOptimizer(optimizer, model);
    this.#step.replaceModel(model, own);
    this.#optimizer = own;
    this.#config = optimizer;
    this.#model = model;
    for (const x of this.#initial.values()) x.dispose();
    this.#initial = copyState(model);
  }

  /** The model being trained. */
  get model(): M {
    return this.#model;
  }

  /** Frees the compiled programs; idempotent. */
  destroy(): void {
    this.#step.destroy();
    for (const x of this.#initial.values()) x.dispose();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

function copyState(model: Module): Map<string, Tensor> {
  return new Map(Array.from(model.stateDict(), ([name, x]) => [name, keep(x.detach().clone())]));
}

/** A schedule with named arguments, as in tensorgrad. */
function rate<O>(name: string, signature: string, make: (...values: never[]) => Schedule): (options: O) => Schedule {
  return (options) => make(...(bound(`lr.${name}`, signature, [options]) as unknown as never[]));
}

/** Learning rates by tensorgrad's names. */
export const lr = {
  constant: schedule.constant,
  linear: rate<{ peak: number; final: number; steps: number }>('linear', '* peak:n final:n steps:n', schedule.linear),
  cosineAnnealing: rate<{ peak: number; final?: number; steps: number }>('cosineAnnealing', '* peak:n final?n steps:n', (peak: number, final = 0, steps: number) => schedule.cosine(peak, final, steps)),
  step: rate<{ peak: number; every: number; gamma?: number }>('step', '* peak:n every:n gamma?n', schedule.step),
  multiStep: rate<{ peak: number; milestones: readonly number[]; gamma?: number }>('multiStep', '* peak:n milestones:v gamma?n', schedule.multiStep),
  /** From zero to `peak`, then `after`. */
  warmup: rate<{ peak: number; steps: number; after?: number | Schedule }>('warmup', '* peak:n steps:n after?n|f', (peak: number, steps: number, after: number | Schedule = peak) =>
    schedule.then(schedule.linear(0, peak, steps), steps, typeof after === 'number' ? schedule.constant(after) : after)),
};

/** The same value, through which no gradient flows. */
export function stopGradient(x: Tensor): Tensor {
  return x.detach();
}

/** The mean over the last axis, which is kept with length one. */
export function meanLast(x: Tensor): Tensor {
  return mean(x, -1, { keepdim: true });
}

/** The sum over the last axis. */
export function sumLast(x: Tensor): Tensor {
  return sum(x, -1);
}

/** Positions `start` up to, but excluding, `end` of the last axis. */
export function sliceLastRange(x: Tensor, start: number, end: number): Tensor {
  return narrow(x, -1, start, end - start);
}

/** An image `[N, C, H, W]` with each element repeated `factor` times in both directions. */
export function nearestUpsample2d(x: Tensor, factor: number): Tensor {
  return upsampleNearest(x, { scaleFactor: factor });
}
