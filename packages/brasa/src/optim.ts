/** Optimizers and learning rates. The rules themselves are the recorder's: the same code as in Rust. */
import { postAll } from './client.ts';
import { ArgumentError } from './errors.ts';
import { Lease } from './memory.ts';
import { args, checked, giveBack, NONE, noteSite, read, recorder } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';

/** Parameters with settings of their own. */
export interface ParamGroup {
  readonly params: Iterable<Tensor>;
  readonly lr?: number;
  readonly weightDecay?: number;
}

/** Settings that all optimizers have. */
export interface OptimizerOptions {
  /** The learning rate: a number, or a rate for each step. */
  lr?: number | Schedule;
  weightDecay?: number;
  /**
   * Whether weight decay applies to all parameters, as in PyTorch. By default it spares those that begin as zeros or
   * ones, such as biases and the scales of norms.
   */
  decayAll?: boolean;
}

/** The state of an optimizer by name, with its number of steps. */
export interface OptimizerState {
  readonly steps: number;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/** Tensors that weight decay spares, as their first value says. */
const spared = new WeakSet<Tensor>();

/** Says whether weight decay applies to a parameter. */
export function setDecay(param: Tensor, decays: boolean): Tensor {
  if (decays) spared.delete(param);
  else spared.add(param);
  return param;
}

/** Whether weight decay applies to a parameter. */
export function decays(param: Tensor): boolean {
  return !spared.has(param);
}

function putParams(params: Iterable<Tensor>): void {
  args.list([...params], (param) => args.u32(param.handle).u32(decays(param) ? 1 : 0));
}

function isGroups(params: Iterable<Tensor> | readonly ParamGroup[]): params is readonly ParamGroup[] {
  return Array.isArray(params) && params.length > 0 && !(params[0] instanceof Tensor);
}

/** Of no object, so that none is held by it. */
const release = (n: number): void => giveBack((all) => all.optimizer_release(n));

/** A rule with the parameters it updates and their state. */
export class Optimizer {
  readonly #lease: Lease;
  #schedule: Schedule | undefined;

  constructor(kind: string, params: Iterable<Tensor> | readonly ParamGroup[], { lr, weightDecay, decayAll, ...rest }: OptimizerOptions & Settings) {
    const [first, ...more]: readonly ParamGroup[] = isGroups(params) ? params : [{ params }];
    if (!first) throw new ArgumentError(`${kind}: there are no parameters`);
    this.#schedule = typeof lr === 'function' ? lr : undefined;
    const rate = typeof lr === 'function' ? lr(0) : (lr ?? DEFAULT_RATES[kind] ?? 1e-3);
    const settings: [string, Settings[string]][] = Object.entries({ ...rest, weightDecay: first.weightDecay ?? weightDecay });
    const given = settings.filter((pair): pair is [string, number | boolean] => pair[1] !== undefined);
    args.begin().text(kind).f64(first.lr ?? rate).u32(decayAll ? 1 : 0);
    args.list(given, ([name, value]) => args.text(snake(name)).f64(Number(value)));
    putParams(first.params);
    this.#lease = new Lease(this, checked(recorder().optimizer(args.len)), release);
    for (const group of more) this.addParamGroup({ lr: rate, ...(weightDecay === undefined ? {} : { weightDecay }), ...group });
  }

  /** The recorder's number of this optimizer. */
  get id(): number {
    return this.#lease.number;
  }

  /** Adds parameters with settings of their own. */
  addParamGroup(group: ParamGroup): void {
    args.begin().f64(group.lr ?? this.lr).f64(group.weightDecay ?? 0);
    putParams(group.params);
    checked(recorder().optimizer_add_group(this.id, args.len));
  }

  #settings(): { steps: number; groups: { lr: number; weightDecay: number }[] } {
    checked(recorder().optimizer_settings(this.id));
    return read((from) => ({ steps: from.f64(), groups: from.list(() => ({ lr: from.f64(), weightDecay: from.f64() })) }));
  }

  /** How many steps have been taken. */
  get steps(): number {
    return this.#settings().steps;
  }

  /** The settings of each group of parameters. */
  get paramGroups(): readonly { readonly lr: number; readonly weightDecay: number }[] {
    return this.#settings().groups;
  }

  /** The learning rate of the first group. */
  get lr(): number {
    return this.#settings().groups[0]?.lr ?? 0;
  }

  set lr(lr: number) {
    this.setLR(lr);
  }

  /** Sets the learning rate, of all groups or of one: a number, or a rate for each step. */
  setLR(lr: number | Schedule, group?: number): void {
    this.#schedule = typeof lr === 'function' ? lr : undefined;
    const { steps, groups } = this.#settings();
    const rate = typeof lr === 'function' ? lr(steps) : lr;
    groups.forEach(({ weightDecay }, n) => {
      if (group === undefined || group === n) checked(recorder().optimizer_set(this.id, n, rate, weightDecay));
    });
  }

  /** Sets the rate of the coming step, where a schedule gives it. */
  prepare(): void {
    const schedule = this.#schedule;
    if (!schedule) return;
    this.setLR(schedule);
  }

  /** Forgets the gradients, so that the next `backward` begins a new sum. */
  zeroGrad(): void {
    checked(recorder().optimizer_zero_grad(this.id));
  }

  /** Updates the parameters that have a gradient, and sends all that is pending to the engine. */
  step(): void {
    this.prepare();
    noteSite();
    checked(recorder().optimizer_step(this.id), this.step);
    postAll();
  }

  /** Begins anew: steps at zero, state of zeros. */
  reset(): void {
    checked(recorder().optimizer_reset(this.id));
  }

  /** The state by name, such as `3.exp_avg`: n of the parameter, then its moments. */
  stateDict(): OptimizerState {
    checked(recorder().optimizer_state(this.id));
    const named = read((from) => from.list(() => [from.text(), from.u32()] as const));
    const tensors = new Map(named.map(([name, handle]) => [name, wrap(handle)] as const));
    tensors.delete('step');
    return { steps: this.steps, tensors };
  }

  /** Continues from a state. Nothing is changed where a name is missing or unknown or a shape differs. */
  loadStateDict({ steps, tensors }: OptimizerState): void {
    const step = new Tensor([steps], { dtype: 'i64', shape: [] });
    args.begin().f64(steps).list([...tensors, ['step', step] as const], ([name, x]) => args.text(name).u32(x.handle));
    checked(recorder().optimizer_load(this.id, args.len), this.loadStateDict);
  }
}

type Settings = Readonly<Record<string, number | boolean | undefined | Schedule>>;

const DEFAULT_RATES: Readonly<Record<string, number>> = {
  RMSprop: 1e-2, Adagrad: 1e-2, Adadelta: 1, NAdam: 2e-3, Lion: 1e-4, Muon: 2e-2,
};

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Settings of Adam and its kin; `betas` as PyTorch writes them. */
export interface AdamOptions extends OptimizerOptions {
  betas?: readonly [number, number];
  eps?: number;
}

function adamSettings({ betas, ...rest }: AdamOptions): OptimizerOptions & Settings {
  const [beta1, beta2] = betas ?? [];
  return { ...rest, beta1, beta2 } as OptimizerOptions & Settings;
}

type Params = Iterable<Tensor> | readonly ParamGroup[];

/** Stochastic gradient descent. */
export class SGD extends Optimizer {
  constructor(params: Params, options: OptimizerOptions & { momentum?: number; dampening?: number; nesterov?: boolean } = {}) {
    super('SGD', params, options as OptimizerOptions & Settings);
  }
}

/** Adam; weight decay is added to the gradient. */
export class Adam extends Optimizer {
  constructor(params: Params, options: AdamOptions = {}) {
    super('Adam', params, adamSettings(options));
  }
}

/** Adam with weight decay of its own. */
export class AdamW extends Optimizer {
  constructor(params: Params, options: AdamOptions = {}) {
    super('AdamW', params, adamSettings(options));
  }
}

/** RMSprop. */
export class RMSprop extends Optimizer {
  constructor(params: Params, options: OptimizerOptions & { alpha?: number; eps?: number; momentum?: number; centered?: boolean } = {}) {
    super('RMSprop', params, options as OptimizerOptions & Settings);
  }
}

/** Adagrad. */
export class Adagrad extends Optimizer {
  constructor(params: Params, options: OptimizerOptions & { lrDecay?: number; eps?: number } = {}) {
    super('Adagrad', params, options as OptimizerOptions & Settings);
  }
}

/** Adadelta. */
export class Adadelta extends Optimizer {
  constructor(params: Params, options: OptimizerOptions & { rho?: number; eps?: number } = {}) {
    super('Adadelta', params, options as OptimizerOptions & Settings);
  }
}

/** Adam with Nesterov's look ahead. */
export class NAdam extends Optimizer {
  constructor(params: Params, options: AdamOptions & { momentumDecay?: number } = {}) {
    super('NAdam', params, adamSettings(options));
  }
}

/** Adam that begins as plain momentum until its mean square can be trusted. */
export class RAdam extends Optimizer {
  constructor(params: Params, options: AdamOptions = {}) {
    super('RAdam', params, adamSettings(options));
  }
}

/** Lion: steps of one size, in the direction of the sign of a mean gradient. */
export class Lion extends Optimizer {
  constructor(params: Params, options: AdamOptions = {}) {
    super('Lion', params, adamSettings(options));
  }
}

/** Muon: the momentum of a matrix, made orthogonal. Parameters that are no matrices follow Adam. */
export class Muon extends Optimizer {
  constructor(params: Params, options: OptimizerOptions & { momentum?: number; nesterov?: boolean; iterations?: number } = {}) {
    super('Muon', params, options as OptimizerOptions & Settings);
  }
}

function tame(params: Iterable<Tensor>, how: number, limit: number): Tensor | null {
  args.begin().list([...params], (param) => args.u32(param.handle));
  const handle = checked(recorder().tame_grads(args.len, how, limit), tame);
  return handle === NONE ? null : wrap(handle);
}

/** Scales all gradients so that together they are no longer than `maxNorm`, and gives how long they were. */
export function clipGradNorm(params: Iterable<Tensor>, maxNorm: number): Tensor {
  return tame(params, 0, maxNorm) as Tensor;
}

/** Limits each element of all gradients to `-maxValue … maxValue`. */
export function clipGradValue(params: Iterable<Tensor>, maxValue: number): void {
  tame(params, 1, maxValue);
}

/** Scales all gradients by one factor so that together they are of length one. */
export function normalizeGrads(params: Iterable<Tensor>): Tensor {
  return tame(params, 2, 0) as Tensor;
}

/** A rate for every step, counted from zero. */
export type Schedule = (step: number) => number;

const part = (t: number, steps: number): number => (steps === 0 ? 1 : Math.min(t, steps) / steps);

/** Learning rates that change: plain functions of the step, which can be put together. */
export const schedule = {
  /** Always the same. */
  constant: (lr: number): Schedule => () => lr,
  /** Times `gamma` after every `every` steps. */
  step: (lr: number, every: number, gamma = 0.1): Schedule => (t) => lr * gamma ** Math.floor(t / Math.max(every, 1)),
  /** Times `gamma` at each of these steps. */
  multiStep: (lr: number, steps: readonly number[], gamma = 0.1): Schedule => (t) => lr * gamma ** steps.filter((at) => at <= t).length,
  /** On a straight line over `steps` steps, then as at its end. */
  linear: (from: number, to: number, steps: number): Schedule => (t) => from + (to - from) * part(t, steps),
  /** On half a wave from one rate to another. */
  cosine: (from: number, to: number, steps: number): Schedule => (t) => to + ((from - to) * (1 + Math.cos(Math.PI * part(t, steps)))) / 2,
  /** `(1 − t / steps)^power` between two rates. */
  polynomial: (from: number, to: number, steps: number, power = 1): Schedule => (t) => to + (from - to) * (1 - part(t, steps)) ** power,
  /** Times `gamma` at every step. */
  exponential: (lr: number, gamma: number): Schedule => (t) => lr * gamma ** t,
  /** Up to `max` on a wave over the first part of the steps, then down to nearly nothing. */
  oneCycle: (max: number, steps: number, rising = 0.3): Schedule => {
    const up = Math.floor(steps * rising);
    return schedule.then(schedule.cosine(max / 25, max, up), up, schedule.cosine(max, max / 25e4, Math.max(steps - up, 0)));
  },
  /** From zero over `steps` steps, then another schedule from its beginning. */
  warmUp: (steps: number, next: Schedule): Schedule => schedule.then(schedule.linear(0, next(0), steps), steps, next),
  /** One schedule up to step `at`, then another from its beginning. */
  then: (first: Schedule, at: number, next: Schedule): Schedule => (t) => (t < at ? first(t) : next(t - at)),
};

/** A rate that falls when a measure no longer gets better. */
export class ReduceLROnPlateau {
  #best = Infinity;
  #bad = 0;

  constructor(
    private readonly optimizer: Optimizer,
    private readonly options: { factor?: number; patience?: number; threshold?: number; minLR?: number } = {},
  ) {}

  /** Looks at a measure, which should fall, and sets the rate from here on. */
  step(measure: number): void {
    const { factor = 0.1, patience = 10, threshold = 1e-4, minLR = 0 } = this.options;
    if (measure < this.#best * (1 - threshold)) {
      this.#best = measure;
      this.#bad = 0;
      return;
    }
    this.#bad += 1;
    if (this.#bad <= patience) return;
    this.#bad = 0;
    this.optimizer.setLR(Math.max(this.optimizer.lr * factor, minLR));
  }
}
