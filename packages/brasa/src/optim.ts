/** Optimizers and learning rate schedules. The update rules are the recorder's: the same code as in Rust. */
import { bind, bound, describe, type Given, isOptions, snake } from './bind.ts';
import { postAll } from './client.ts';
import { ArgumentError } from './errors.ts';
import { Lease } from './memory.ts';
import { args, checked, ifAlive, NONE, noteSite, read, recorder } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';

/** Parameters with their own settings. */
export interface ParamGroup {
  readonly params: Iterable<Tensor>;
  readonly lr?: number;
  readonly weightDecay?: number;
}

/** Settings common to all optimizers. */
export interface OptimizerOptions {
  /** The learning rate: a number, or a rate for each step. */
  lr?: number | Schedule;
  weightDecay?: number;
  /**
   * Whether weight decay applies to all parameters, as in PyTorch. By default it skips those initialized to zeros or ones,
   * such as biases and the scales of norms.
   */
  decayAll?: boolean;
}

/** The state of an optimizer: tensors by name, and the number of steps. */
export interface OptimizerState {
  readonly steps: number;
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** The settings of each group. */
  readonly groups?: readonly Readonly<GroupSettings>[] | undefined;
  /** The number of updates of each parameter; `steps` if omitted. */
  readonly paramSteps?: readonly number[] | undefined;
}

/** Parameters without weight decay. */
const noDecay = new WeakSet<Tensor>();

/** Sets whether weight decay applies to a parameter. */
export function setDecay(param: Tensor, decays: boolean): Tensor {
  if (decays) noDecay.delete(param);
  else noDecay.add(param);
  return param;
}

/** Whether weight decay applies to a parameter. */
export function decays(param: Tensor): boolean {
  return !noDecay.has(param);
}

function tensorsOf(of: string, params: Iterable<unknown>): readonly Tensor[] {
  return Array.from(params, (param) => {
    if (param instanceof Tensor) return param;
    throw new ArgumentError(`${of}: expected tensors to train, got ${describe(param)}\n  help: model.parameters()`, of);
  });
}

function putParams(of: string, params: Iterable<Tensor>): void {
  args.list(tensorsOf(of, params), (param) => args.u32(param.handle).u32(decays(param) ? 1 : 0));
}

/** The learning rate at a step. */
function rateAt(lr: number | Schedule, step: number): number {
  const rate: unknown = typeof lr === 'function' ? lr(step) : lr;
  if (Number.isFinite(rate)) return rate as number;
  throw new ArgumentError(`lr: the rate of step ${step} is ${describe(rate)}, expected a number`);
}

type Group = [params: Iterable<Tensor>, lr?: number, weightDecay?: number];

/** Checks a parameter group. */
function groupOf(of: string, group: unknown): Group {
  return bound(of, '* params:e lr?u weightDecay?u', [group]);
}

/** Module-level so that the closure does not capture, and keep alive, the owner. */
const release = (n: number): void => ifAlive((all) => all.optimizer_release(n));

/** The settings of a parameter group; assignments take effect from the next step. */
export interface GroupSettings {
  lr: number;
  weightDecay: number;
}

/** Instead of a group number: the first group, and all others in proportion. */
const ALL = -1;

/** Parameters of all optimizers: `params` first, `decayAll` by name. */
const PARAMS = 'params:e';
const DECAY = '* decayAll?b';

/** An update rule with its parameters and their state. */
export class Optimizer {
  readonly #kind: string;
  readonly #lease: Lease;
  /** Rates that `prepare` sets, by group; `ALL` first. */
  readonly #rates = new Map<number, number | Schedule>();
  /** Defaults for groups without their own settings. */
  readonly #lr: number;
  readonly #weightDecay: number;

  /** `signature` declares the settings of the rule `kind`; `given` are the arguments. */
  constructor(kind: string, signature: string, given: readonly unknown[]) {
    const { params, lr = DEFAULT_RATES[kind] ?? 1e-3, weightDecay, decayAll, betas, ...rest } = Object.fromEntries(bind(kind, `${PARAMS} ${signature} ${DECAY}`, given)) as unknown as Bound;
    const all = [...params];
    if (all.length === 0) throw new ArgumentError(`${kind}: got an empty parameter list`);
    const [first, ...more] = (isOptions(all[0]) ? all.map((group) => groupOf(kind, group)) : [[all]]) as [Group, ...Group[]];
    this.#kind = kind;
    const rate = (this.#lr = rateAt(lr, 0));
    const [own, firstLR = rate, firstDecay] = first;
    const [beta1, beta2] = betas ?? [];
    const settings = Object.entries({ ...rest, beta1, beta2, weightDecay: firstDecay ?? weightDecay }).filter(([, value]) => value !== undefined);
    args.begin().text(kind).f64(firstLR).u32(decayAll ? 1 : 0);
    args.list(settings, ([name, value]) => args.text(snake(name)).f64(Number(value)));
    putParams(kind, own);
    this.#lease = new Lease(this, checked(recorder().optimizer(args.len)), release);
    this.#weightDecay = weightDecay ?? (kind === 'AdamW' ? 0.01 : 0);
    if (typeof lr === 'function') {
      this.#checkShare(firstLR);
      // The recorder gets the rate of the first group and scales those of the others.
      this.#rates.set(ALL, firstLR === rate ? lr : (step) => (lr(step) * firstLR) / rate);
    }
    for (const group of more) this.#add(...group);
  }

  /** The recorder's id of this optimizer. */
  get id(): number {
    return this.#lease.number;
  }

  /** Adds parameters with their own settings. */
  addParamGroup(group: ParamGroup): void {
    this.#add(...groupOf(this.#kind, group));
  }

  #add(params: Iterable<Tensor>, lr = this.#lr, weightDecay = this.#weightDecay): void {
    if (this.#rates.has(ALL)) this.#checkShare(lr);
    args.begin().f64(lr).f64(weightDecay);
    putParams(this.#kind, params);
    checked(recorder().optimizer_add_group(this.id, args.len));
  }

  #checkShare(lr: number): void {
    if (this.#lr !== 0 || lr === 0) return;
    throw new ArgumentError(`${this.#kind}: a group with its own lr has no proportion to a schedule that begins at 0`);
  }

  #settings(): { steps: number; groups: GroupSettings[]; paramSteps: number[] } {
    checked(recorder().optimizer_settings(this.id));
    return read((from) => ({
      steps: from.f64(),
      groups: from.list(() => ({ lr: from.f64(), weightDecay: from.f64() })),
      paramSteps: from.list(() => from.f64()),
    }));
  }

  /** The number of steps so far. */
  get steps(): number {
    return this.#settings().steps;
  }

  /** The settings of each parameter group; writable. */
  get paramGroups(): readonly GroupSettings[] {
    return this.#settings().groups.map((_, n) => this.#group(n));
  }

  #group(n: number): GroupSettings {
    const own = (): GroupSettings => this.#settings().groups[n] as GroupSettings;
    const setLR = (lr: number): void => this.setLR(lr, n);
    const setDecay = (decay: number): void => this.#set(n, NaN, ...bound<[number]>('weightDecay', 'weightDecay:u', [decay]));
    // Sealed: assigning an unknown setting throws.
    return Object.seal({
      get lr() { return own().lr; },
      set lr(lr) { setLR(lr); },
      get weightDecay() { return own().weightDecay; },
      set weightDecay(decay) { setDecay(decay); },
    });
  }

  /** The learning rate of the first group. */
  get lr(): number {
    return this.#settings().groups[0]?.lr ?? 0;
  }

  set lr(lr: number) {
    this.setLR(lr);
  }

  /**
   * Sets the learning rate: a number or a schedule. Without `group`, sets that of the first group and scales those of the
   * others by their initial proportions.
   */
  setLR(lr: number | Schedule, group?: number): void {
    const { steps, groups } = this.#settings();
    bound('setLR', 'lr:n|f group?c', [lr, group]);
    if (group !== undefined && group >= groups.length) throw new ArgumentError(`setLR: no group ${group}, there are ${groups.length}`);
    const rate = rateAt(lr, steps);
    if (group === undefined) this.#rates.clear();
    // A constant rate is kept only if there are schedules, which would overwrite it.
    if (typeof lr === 'function' || this.#rates.size > 0) this.#rates.set(group ?? ALL, lr);
    this.#set(group, rate);
  }

  #set(group = ALL, lr = NaN, weightDecay = NaN): void {
    checked(recorder().optimizer_set(this.id, group, lr, weightDecay));
  }

  /** Sets the scheduled rates of the next step. */
  prepare(): void {
    if (this.#rates.size === 0) return;
    const { steps } = this;
    for (const [group, lr] of this.#rates) this.#set(group, rateAt(lr, steps));
  }

  /** Resets the gradients of the parameters. */
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

  /** Resets the optimizer: step count and state become zero. */
  reset(): void {
    checked(recorder().optimizer_reset(this.id));
  }

  /** The state by name, such as `3.exp_avg`: the index of the parameter, then the name of the moment. */
  stateDict(): OptimizerState {
    checked(recorder().optimizer_state(this.id));
    const named = read((from) => from.list(() => [from.text(), from.u32()] as const));
    const tensors = new Map(named.map(([name, handle]) => [name, wrap(handle)] as const));
    tensors.delete('step');
    return { ...this.#settings(), tensors };
  }

  /** Restores a state. Changes nothing if a name is missing or unknown or a shape differs. */
  loadStateDict({ steps, tensors, groups = [], paramSteps = [] }: OptimizerState): void {
    const step = new Tensor([steps], { dtype: 'i64', shape: [] });
    args.begin().f64(steps).list(groups, ({ lr, weightDecay }) => args.f64(lr).f64(weightDecay)).list(paramSteps, (own) => args.f64(own));
    args.list([...tensors, ['step', step] as const], ([name, x]) => args.text(name).u32(x.handle));
    checked(recorder().optimizer_load(this.id, args.len), this.loadStateDict);
  }
}

/** The bound arguments of an optimizer. */
interface Bound {
  readonly params: Iterable<unknown>;
  readonly lr?: number | Schedule;
  readonly weightDecay?: number;
  readonly decayAll?: boolean;
  readonly betas?: readonly [number, number];
  readonly [setting: string]: unknown;
}

const DEFAULT_RATES: Readonly<Record<string, number>> = {
  RMSprop: 1e-2, Adagrad: 1e-2, Adadelta: 1, NAdam: 2e-3, Lion: 1e-4, Muon: 2e-2,
};

/** Settings of Adam and its variants. */
export interface AdamOptions extends OptimizerOptions {
  betas?: readonly [number, number];
  eps?: number;
  amsgrad?: false;
}

type Params = Iterable<Tensor> | readonly ParamGroup[];
type SGDOptions = OptimizerOptions & { momentum?: number; dampening?: number; nesterov?: boolean };
type RMSpropOptions = OptimizerOptions & { alpha?: number; eps?: number; momentum?: number; centered?: boolean };
type AdagradOptions = OptimizerOptions & { lrDecay?: number; initialAccumulatorValue?: 0; eps?: number };
type AdadeltaOptions = OptimizerOptions & { rho?: number; eps?: number };
type NAdamOptions = Omit<AdamOptions, 'amsgrad'> & { momentumDecay?: number };
type MuonOptions = OptimizerOptions & { momentum?: number; nesterov?: boolean; iterations?: number };
type AdamArguments = Given<AdamOptions, ['lr', 'betas', 'eps', 'weightDecay', 'amsgrad']>;

const LR = 'lr?u|f';
const ADAM = `${LR} betas?p eps?u weightDecay?u`;

/** Stochastic gradient descent. */
export class SGD extends Optimizer {
  constructor(params: Params, ...given: Given<SGDOptions, ['lr', 'momentum', 'dampening', 'weightDecay', 'nesterov']>) {
    super('SGD', `${LR} momentum?u dampening?n weightDecay?u nesterov?b`, [params, ...given]);
  }
}

/** Adam; weight decay is added to the gradient. */
export class Adam extends Optimizer {
  constructor(params: Params, ...given: AdamArguments) {
    super('Adam', `${ADAM} amsgrad!false`, [params, ...given]);
  }
}

/** Adam with decoupled weight decay. */
export class AdamW extends Optimizer {
  constructor(params: Params, ...given: AdamArguments) {
    super('AdamW', `${ADAM} amsgrad!false`, [params, ...given]);
  }
}

/** RMSprop. */
export class RMSprop extends Optimizer {
  constructor(params: Params, ...given: Given<RMSpropOptions, ['lr', 'alpha', 'eps', 'weightDecay', 'momentum', 'centered']>) {
    super('RMSprop', `${LR} alpha?u eps?u weightDecay?u momentum?u centered?b`, [params, ...given]);
  }
}

/** Adagrad. */
export class Adagrad extends Optimizer {
  constructor(params: Params, ...given: Given<AdagradOptions, ['lr', 'lrDecay', 'weightDecay', 'initialAccumulatorValue', 'eps']>) {
    super('Adagrad', `${LR} lrDecay?u weightDecay?u initialAccumulatorValue!0 eps?u`, [params, ...given]);
  }
}

/** Adadelta. */
export class Adadelta extends Optimizer {
  constructor(params: Params, ...given: Given<AdadeltaOptions, ['lr', 'rho', 'eps', 'weightDecay']>) {
    super('Adadelta', `${LR} rho?r eps?u weightDecay?u`, [params, ...given]);
  }
}

/** Adam with Nesterov momentum. */
export class NAdam extends Optimizer {
  constructor(params: Params, ...given: Given<NAdamOptions, ['lr', 'betas', 'eps', 'weightDecay', 'momentumDecay']>) {
    super('NAdam', `${ADAM} momentumDecay?u`, [params, ...given]);
  }
}

/** Rectified Adam: plain momentum until the variance of the mean square is small enough. */
export class RAdam extends Optimizer {
  constructor(params: Params, ...given: Given<Omit<AdamOptions, 'amsgrad'>, ['lr', 'betas', 'eps', 'weightDecay']>) {
    super('RAdam', ADAM, [params, ...given]);
  }
}

/** Lion: steps of constant size in the direction of the sign of an averaged gradient. */
export class Lion extends Optimizer {
  constructor(params: Params, ...given: Given<Omit<AdamOptions, 'amsgrad' | 'eps'>, ['lr', 'betas', 'weightDecay']>) {
    super('Lion', `${LR} betas?p weightDecay?u`, [params, ...given]);
  }
}

/** Muon: orthogonalized momentum for matrices; other parameters use Adam. */
export class Muon extends Optimizer {
  constructor(params: Params, ...given: Given<MuonOptions, ['lr', 'weightDecay', 'momentum', 'nesterov']>) {
    super('Muon', `${LR} weightDecay?u momentum?u nesterov?b * iterations?c`, [params, ...given]);
  }
}

function clipGrads(of: string, signature: string, mode: number, given: readonly unknown[]): Tensor | null {
  const [params, limit = 0] = bound<[Iterable<Tensor>, number?]>(of, `params:e ${signature}`, given);
  args.begin().list(tensorsOf(of, params), (param) => args.u32(param.handle));
  const handle = checked(recorder().clip_grads(args.len, mode, limit), clipGrads);
  return handle === NONE ? null : wrap(handle);
}

/** Scales all gradients so that their total norm is at most `maxNorm`; returns the norm before. */
export function clipGradNorm(...given: [params: Iterable<Tensor>, maxNorm: number, ...Given<{ normType?: 2 }, ['normType']>]): Tensor {
  return clipGrads('clipGradNorm', 'maxNorm:n normType!2', 0, given) as Tensor;
}

/** Clamps each element of all gradients to `-maxValue … maxValue`. */
export function clipGradValue(params: Iterable<Tensor>, maxValue: number): void {
  clipGrads('clipGradValue', 'clipValue:n', 1, [params, maxValue]);
}

/** Scales all gradients by one factor so that their total norm is one. */
export function normalizeGrads(params: Iterable<Tensor>): Tensor {
  return clipGrads('normalizeGrads', '', 2, [params]) as Tensor;
}

/** The rate at each step, counted from zero. */
export type Schedule = (step: number) => number;

const part = (t: number, steps: number): number => (steps === 0 ? 1 : Math.min(t, steps) / steps);

/** A schedule factory that checks its arguments. */
function rates<A extends unknown[]>(name: string, signature: string, make: (...given: A) => Schedule): (...given: A) => Schedule {
  return (...given) => make(...(bound(`schedule.${name}`, signature, given) as unknown as A));
}

/** Learning rate schedules: functions of the step, which can be combined. */
export const schedule = {
  /** A constant rate. */
  constant: rates('constant', 'lr:n', (lr: number) => () => lr),
  /** Times `gamma` after every `every` steps. */
  step: rates('step', 'lr:n every:n gamma?n', (lr: number, every: number, gamma: number = 0.1) => (t) => lr * gamma ** Math.floor(t / Math.max(every, 1))),
  /** Times `gamma` at each of these steps. */
  multiStep: rates('multiStep', 'lr:n steps:v gamma?n', (lr: number, steps: readonly number[], gamma: number = 0.1) => (t) => lr * gamma ** [steps].flat().filter((at) => at <= t).length),
  /** Linear from one rate to another over `steps` steps, then constant. */
  linear: rates('linear', 'from:n to:n steps:n', (from: number, to: number, steps: number) => (t) => from + (to - from) * part(t, steps)),
  /** Half a cosine wave from one rate to another over `steps` steps, then constant. */
  cosine: rates('cosine', 'from:n to:n steps:n', (from: number, to: number, steps: number) => (t) => to + ((from - to) * (1 + Math.cos(Math.PI * part(t, steps)))) / 2),
  /** `(1 − t / steps)^power` between two rates. */
  polynomial: rates('polynomial', 'from:n to:n steps:n power?n', (from: number, to: number, steps: number, power: number = 1) => (t) => to + (from - to) * (1 - part(t, steps)) ** power),
  /** Times `gamma` at every step. */
  exponential: rates('exponential', 'lr:n gamma:n', (lr: number, gamma: number) => (t) => lr * gamma ** t),
  /** Up to `max` on a cosine over the first part of the steps, then down to nearly zero. */
  oneCycle: rates('oneCycle', 'max:n steps:n rising?n', (max: number, steps: number, rising: number = 0.3): Schedule => {
    const up = Math.floor(steps * rising);
    return schedule.then(schedule.cosine(max / 25, max, up), up, schedule.cosine(max, max / 25e4, Math.max(steps - up, 0)));
  }),
  /** Linear warm-up from zero over `steps` steps, then another schedule from its beginning. */
  warmUp: rates('warmUp', 'steps:n next:f', (steps: number, next: Schedule): Schedule => schedule.then(schedule.linear(0, next(0), steps), steps, next)),
  /** One schedule up to step `at`, then another from its beginning. */
  then: rates('then', 'first:f at:n next:f', (first: Schedule, at: number, next: Schedule) => (t) => (t < at ? first(t) : next(t - at))),
};

/** Settings of `ReduceLROnPlateau`. */
export interface PlateauOptions {
  /** Whether the measure should fall (the default) or rise. */
  mode?: 'min' | 'max';
  factor?: number;
  patience?: number;
  threshold?: number;
  thresholdMode?: 'rel';
  cooldown?: 0;
  /** The lowest rate, of all groups or of each. */
  minLR?: number | readonly number[];
}

/** Reduces the learning rate when a measure stops improving. */
export class ReduceLROnPlateau {
  readonly #settings: readonly [optimizer: Optimizer, sign: number, factor: number, patience: number, threshold: number, minLR: number | readonly number[]];
  #best = Infinity;
  #bad = 0;

  constructor(optimizer: Optimizer, ...given: Given<PlateauOptions, ['mode', 'factor', 'patience', 'threshold', 'thresholdMode', 'cooldown', 'minLR']>) {
    const [own, mode = 'min', factor = 0.1, patience = 10, threshold = 1e-4, minLR = 0] = bound<[Optimizer, ('min' | 'max')?, number?, number?, number?, (number | readonly number[])?]>(
      'ReduceLROnPlateau', 'optimizer:o mode?min|max factor?n patience?c threshold?n thresholdMode!rel cooldown!0 minLR?v', [optimizer, ...given],
    );
    this.#settings = [own, mode === 'min' ? 1 : -1, factor, patience, threshold, minLR];
  }

  /** Takes a measure and updates the rates of all groups. */
  step(measure: number): void {
    const [optimizer, sign, factor, patience, threshold, minLR] = this.#settings;
    bound('step', 'measure:n', [measure]);
    const value = sign * measure;
    if (value < this.#best * (1 - sign * threshold)) {
      this.#best = value;
      this.#bad = 0;
      return;
    }
    this.#bad += 1;
    if (this.#bad <= patience) return;
    this.#bad = 0;
    optimizer.paramGroups.forEach((group, n) => {
      group.lr = Math.max(group.lr * factor, typeof minLR === 'number' ? minLR : (minLR[n] ?? 0));
    });
  }
}
