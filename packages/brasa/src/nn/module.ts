/** `Module`, the base of layers and models. Parameters, buffers and sublayers are its fields. */
import { bound, type Given } from '../bind.ts';
import { flush } from '../client.ts';
import { noGrad } from '../autograd.ts';
import { ArgumentError, DataError } from '../errors.ts';
import { DISPOSED, keep, Lease } from '../memory.ts';
import { setDecay } from '../optim.ts';
import type { TypedArray } from '../dtype.ts';
import { HANDLE, Tensor, type DTypeName } from '../tensor.ts';
import { checked, ifAlive, isRecording, NONE, recorder } from '../recorder.ts';
import { decaysBy, type Init, initialize } from './init.ts';

/** A trainable tensor. */
export class Parameter extends Tensor {
  constructor(data: Tensor, requiresGrad: boolean | { requiresGrad?: boolean } = true) {
    const [value, wanted = true] = bound<[Tensor, boolean?]>('Parameter', 'data:t requiresGrad?b', [data, requiresGrad]);
    super(checked(recorder().parameter(value.handle, wanted ? 1 : 0)), HANDLE);
    keep(this);
  }
}

/** A non-trainable tensor of a model's state, such as a running mean. */
export class Buffer extends Tensor {
  constructor(data: Tensor) {
    const [value] = bound<[Tensor]>('Buffer', 'data:t', [data]);
    super(checked(recorder().buffer(value.handle)), HANDLE);
    keep(this);
  }
}

/** Options of a new parameter. */
export interface ParamOptions {
  /** The initializer; `'randn'` by default. */
  init?: Init;
  dtype?: DTypeName;
  /** Whether weight decay applies; by default unless initialized to zeros or ones. */
  decay?: boolean;
}

/** Creates a parameter of this shape. */
export function param(shape: readonly number[], options: ParamOptions = {}): Parameter {
  const [init = 'randn', dtype, decay = decaysBy(init)] = bound<[Init?, DTypeName?, boolean?]>('param', '* init?s|o|f dtype?s decay?b', [options]);
  const value = initialize(init, shape);
  const parameter = new Parameter(dtype === undefined ? value : value.to(dtype));
  setDecay(parameter, decay);
  return parameter;
}

/** Tensors by path. */
export type StateDict = Map<string, Tensor>;

/** Values to load: tensors or plain numbers, by path. */
export type StateSource = ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor | ArrayLike<number>>>;

/** Strictness of `loadStateDict`. */
export interface LoadOptions {
  /** Whether missing and unknown names are errors; `true` by default. */
  strict?: boolean;
  /** Whether names may be missing. */
  partial?: boolean;
}

/** Module-level so that the closure does not keep a module alive. */
const releaseMode = (n: number): void => ifAlive((all) => all.release_mode(n));

/** A layer or a model. */
export abstract class Module<In extends unknown[] = never[], Out = unknown> {
  #training = true;
  /** The recorder's id of this mode, once a compiled function depends on it. */
  #mode: Lease | undefined;

  /** Whether dropout, norms and the like behave as in training. A compiled function that reads it is recorded again on change. */
  get training(): boolean {
    if (isRecording()) this.#sync(1);
    return this.#training;
  }

  set training(training: boolean) {
    this.#training = training;
    if (this.#mode) this.#sync(0);
  }

  /** Tells the recorder the mode, and whether it was just read. */
  #sync(isRead: number): void {
    const known = this.#mode?.number ?? DISPOSED;
    ifAlive((all) => {
      const number = all.mode(known === DISPOSED ? NONE : known, Number(this.#training), isRead);
      if (number !== known) this.#mode = new Lease(this, number, releaseMode);
    });
  }

  /** Computes the output. A model may omit it if another function computes with its layers. */
  forward(..._inputs: In): Out {
    throw new ArgumentError(`${this.constructor.name}: the module has no forward`, 'forward');
  }

  /** Alias of `forward`. */
  fwd(...inputs: In): Out {
    return this.forward(...inputs);
  }

  /** Creates a parameter of this shape; assign it to a field. */
  param(shape: readonly number[], options?: ParamOptions): Parameter {
    return param(shape, options);
  }

  /** This module and all submodules, with their paths. */
  *namedModules(path = ''): Generator<[string, Module]> {
    yield [path, this as unknown as Module];
    for (const [name, part] of fields(this)) {
      if (part instanceof Module) yield* part.namedModules(joinPath(path, name));
    }
  }

  /** This module and all submodules. */
  modules(): Module[] {
    return [...this.namedModules()].map(([, module]) => module);
  }

  /** The direct submodules. */
  children(): Module[] {
    return [...fields(this)].flatMap(([, part]) => (part instanceof Module ? [part as Module] : []));
  }

  *#named<T extends Tensor>(kind: abstract new (...args: never[]) => T): Generator<[string, T]> {
    const seen = new Set<Tensor>();
    for (const [path, module] of this.namedModules()) {
      for (const [name, part] of fields(module)) {
        if (!(part instanceof kind) || seen.has(part)) continue;
        seen.add(part);
        yield [joinPath(path, name), part];
      }
    }
  }

  /** The parameters in order, with their paths; shared ones are listed once. */
  namedParameters(): [string, Parameter][] {
    return [...this.#named(Parameter)];
  }

  /** The parameters in order. */
  parameters(): Parameter[] {
    return this.namedParameters().map(([, param]) => param);
  }

  /** The buffers in order, with their paths. */
  namedBuffers(): [string, Buffer][] {
    return [...this.#named(Buffer)];
  }

  /** The number of trainable elements. */
  numParameters(): number {
    return this.parameters().filter((p) => p.requiresGrad).reduce((sum, p) => sum + p.numel(), 0);
  }

  /** Puts all layers in training mode, or in evaluation mode if `mode` is `false`. */
  train(mode = true): this {
    for (const module of this.modules()) module.training = mode;
    return this;
  }

  /** Puts all layers in evaluation mode. */
  eval(): this {
    return this.train(false);
  }

  /** Sets whether the parameters require gradients. */
  requiresGrad_(wanted = true): this {
    for (const p of this.parameters()) p.requiresGrad_(wanted);
    return this;
  }

  /** Excludes the parameters from training. */
  freeze(): this {
    return this.requiresGrad_(false);
  }

  /** Resets the gradients of all parameters. */
  zeroGrad(): void {
    for (const p of this.parameters()) p.grad = null;
  }

  /** Calls `visit` with each layer. */
  apply(visit: (module: Module) => void): this {
    this.modules().forEach(visit);
    return this;
  }

  /** Parameters and buffers by path. */
  stateDict(): StateDict {
    return new Map<string, Tensor>([...this.namedParameters(), ...this.namedBuffers()]);
  }

  /**
   * Loads values by path. Changes nothing if a name is missing or unknown or a shape differs. With `partial`, names may be
   * missing; with `strict: false`, or `false` alone, there may also be unknown ones. Returns the missing and the unknown
   * names.
   */
  loadStateDict(source: StateSource, ...options: Given<LoadOptions, ['strict']>): { missingKeys: string[]; unexpectedKeys: string[] } {
    const [strict = true, partial = !strict] = bound<[boolean?, boolean?]>('loadStateDict', 'strict?b * partial?b', options);
    const given = new Map(source instanceof Map ? source : Object.entries(source));
    const own = this.stateDict();
    const problems: string[] = [];
    const unexpectedKeys = [...given.keys()].filter((name) => !own.has(name));
    const missingKeys = [...own.keys()].filter((name) => !given.has(name));
    if (strict) problems.push(...unexpectedKeys.map((name) => `'${name}' is unknown`));
    if (!partial) problems.push(...missingKeys.map((name) => `'${name}' is missing`));
    for (const [name, x] of own) {
      const value: Tensor | ArrayLike<number> | undefined = given.get(name);
      if (value === undefined) continue;
      if (value instanceof Tensor ? String(value.shape) !== String(x.shape) : value.length !== x.numel()) {
        const got = value instanceof Tensor ? `shape [${value.shape.join(', ')}]` : `${value.length} elements`;
        problems.push(`'${name}' has ${got}, expected [${x.shape.join(', ')}]`);
      }
    }
    if (problems.length > 0) {
      const more = problems.length > 8 ? `, and ${problems.length - 8} more` : '';
      throw new DataError(`loadStateDict: ${problems.slice(0, 8).join(', ')}${more}`);
    }
    // All tensors are created before any is changed: creating them checks the values.
    const values = [...own].flatMap(([name, x]): [Tensor, Tensor][] => {
      const value = given.get(name);
      if (value === undefined || value === x) return [];
      const { dtype, shape } = x;
      return [[x, value instanceof Tensor ? value : new Tensor(ArrayBuffer.isView(value) ? (value as TypedArray) : Array.from(value), { dtype, shape })]];
    });
    noGrad(() => values.forEach(([x, value]) => x.copy_(value)));
    flush();
    return { missingKeys, unexpectedKeys };
  }

  /** A table of the parameters. */
  summary(): string {
    const rows = this.namedParameters().map(([name, p]) => [name, `[${p.shape.join(', ')}]`, String(p.numel())] as const);
    const widths = [0, 1, 2].map((n) => Math.max(...rows.map((row) => (row[n] as string).length), 8));
    const line = (cells: readonly string[]): string => cells.map((cell, n) => cell.padEnd(widths[n] as number)).join('  ').trimEnd();
    const total = this.parameters().reduce((sum, p) => sum + p.numel(), 0);
    const head = line(['parameter', 'shape', 'elements']);
    return [this.constructor.name, head, ...rows.map(line), `${total} elements, ${this.numParameters()} of them trained`].join('\n');
  }
}

function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The fields of a module, including the items of lists and maps in them. */
function* fields(module: object): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(module)) yield* items(name, value);
}

function* items(name: string, value: unknown): Generator<[string, unknown]> {
  if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) yield* items(`${name}.${n}`, item);
  } else if (value instanceof Map) {
    for (const [key, item] of value) yield* items(`${name}.${String(key)}`, item);
  } else {
    yield [name, value];
  }
}
