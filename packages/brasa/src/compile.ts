/**
 * Compiled functions: recorded once for each shape of their inputs, then run without recording. A training step is
 * one program: forward pass, gradients and update.
 */
import { explained, fetchBytes, manualSeed, postAll, postTimed } from './client.ts';
import { type NestedNumbers, tensor } from './create.ts';
import { type DTypeName, type Elements, fromBytes, type TypedArray } from './dtype.ts';
import { ArgumentError, ShapeError } from './errors.ts';
import { scope } from './memory.ts';
import { Module, type StateSource } from './nn/module.ts';
import { Optimizer, type OptimizerState, type Schedule } from './optim.ts';
import { calling, registered, unregistered } from './callbacks.ts';
import { args, checked, keepSites, partAt, read, recorder, resolved } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';
import type { GraphNode, Trace } from './trace.ts';

/** A function of tensors that can be called back. Places are always kept meanwhile: it happens once. */
function traced(f: (...inputs: Tensor[]) => Tensor): number {
  return registered((handles) => {
    const before = keepSites(true);
    try {
      const result = f(...handles.map(wrap));
      if (result instanceof Tensor) return result.handle;
      throw new ArgumentError('compile: the function has to give a tensor', 'compile');
    } finally {
      keepSites(before);
    }
  });
}

/** Hands `x` out of a compiled function under this name; does nothing elsewhere. */
export function capture<T extends Tensor>(name: string, x: T): T {
  args.begin().text(name);
  checked(recorder().capture(x.handle, args.len));
  return x;
}

/** What was captured in a run, by name. */
export class Captures {
  constructor(private readonly all: ReadonlyMap<string, Tensor>) {}

  get names(): readonly string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  get(name: string): Tensor {
    const x = this.all.get(name);
    if (!x) throw new ArgumentError(`captures: there is no '${name}', only ${this.names.join(', ') || 'nothing'}`, 'captures');
    return x;
  }

  /** All elements by name. */
  async read(): Promise<Record<string, Elements>> {
    const read = [...this.all].map(async ([name, x]) => [name, await x.toArray()] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  dispose(): void {
    for (const x of this.all.values()) x.dispose();
  }
}

function left(): { result: Tensor; captures: Captures } {
  const [[, result], ...rest] = read((from) => from.list(() => [from.text(), from.u32()] as const)) as [readonly [string, number], ...(readonly [string, number])[]];
  return { result: wrap(result), captures: new Captures(new Map(rest.map(([name, handle]) => [name, wrap(handle)]))) };
}

/** What an input is: its shape, where `null` is any length, and its type, `f32` by default. */
export type InputSpec = readonly (number | null)[] | { readonly shape: readonly (number | null)[]; readonly dtype?: DTypeName };

/** Values of inputs: tensors, flat typed arrays or nested lists. */
export type InputValue = Tensor | TypedArray | NestedNumbers;

type Specs = Readonly<Record<string, InputSpec>>;
type Named<I extends Specs, T> = { readonly [K in keyof I]: T };

/** A value as a tensor of what was declared. */
function entered(name: string, spec: InputSpec, value: InputValue): Tensor {
  const { shape, dtype = 'f32' } = 'shape' in spec ? spec : { shape: spec };
  const x = value instanceof Tensor ? value : tensor(value, { dtype });
  const own = x.ndim === 1 && shape.length !== 1 && !(value instanceof Tensor) ? x.reshape(shape.map((len) => len ?? -1)) : x;
  if (own.ndim !== shape.length || shape.some((len, n) => len !== null && len !== own.shape[n])) {
    const wanted = shape.map((len) => len ?? '?').join(', ');
    throw new ShapeError(`step: '${name}' is ${own.toString()}, expected shape [${wanted}]`, 'step');
  }
  return own;
}

function putTensors(inputs: readonly Tensor[]): void {
  args.begin().list(inputs, (x) => args.u32(x.handle));
}

/** How a step has ended. Loops never need try and catch. */
export type StepResult =
  | { readonly status: 'completed'; readonly loss: number; readonly captures: Captures }
  | { readonly status: 'aborted' }
  | { readonly status: 'failed'; readonly error: Error };

export interface StepOptions {
  /** Ends the wait. A step that is under way is still taken. */
  signal?: AbortSignal;
}

/** What a training step is made of. */
export interface StepSpec<I extends Specs> {
  /** The model, whose parameters the optimizer has. */
  readonly model: Module;
  /** The loss of named inputs. */
  readonly loss: (inputs: Named<I, Tensor>) => Tensor;
  readonly optimizer: Optimizer;
  readonly inputs: I;
  /** The seed of dropout and other draws. */
  readonly seed?: number;
}

/** A compiled training step. */
export class TrainStep<I extends Specs> {
  readonly #id: number;
  readonly #function: number;
  readonly #names: readonly (keyof I & string)[];
  readonly #spec: StepSpec<I>;
  #isDestroyed = false;

  constructor(spec: StepSpec<I>) {
    this.#spec = spec;
    this.#names = Object.keys(spec.inputs);
    if (spec.seed !== undefined) manualSeed(spec.seed);
    this.#function = traced((...inputs) => {
      const named = Object.fromEntries(this.#names.map((name, n) => [name, inputs[n]]));
      return spec.loss(named as Named<I, Tensor>);
    });
    args.begin().list(spec.model.namedParameters(), ([name, p]) => args.text(name).u32(p.handle));
    this.#id = checked(recorder().compile_step(this.#function, spec.optimizer.id, args.len));
  }

  /** The paths of the parameters. */
  get paramNames(): readonly string[] {
    return this.#spec.model.namedParameters().map(([name]) => name);
  }

  #entered(values: Named<I, InputValue>): Tensor[] {
    for (const name of Object.keys(values)) {
      if (!this.#names.includes(name)) throw new ArgumentError(`step: there is no input '${name}', only ${this.#names.join(', ')}`, 'step');
    }
    return this.#names.map((name) => {
      if (values[name] === undefined) throw new ArgumentError(`step: input '${name}' is missing`, 'step');
      return entered(name, this.#spec.inputs[name] as InputSpec, values[name]);
    });
  }

  /** Takes a step without waiting; the loss before it and what was captured, to be read when they are wanted. */
  enqueue(values: Named<I, InputValue>): { loss: Tensor; captures: Captures } {
    if (this.#isDestroyed) throw new ArgumentError('step: the compiled step was destroyed', 'step');
    return scope(() => {
      const inputs = this.#entered(values);
      this.#spec.optimizer.prepare();
      putTensors(inputs);
      calling(() => recorder().run_step(this.#id, args.len));
      const { result, captures } = left();
      postAll();
      return { loss: result, captures };
    });
  }

  /** Takes a step. */
  async step(values: Named<I, InputValue>, { signal }: StepOptions = {}): Promise<StepResult> {
    if (signal?.aborted) return { status: 'aborted' };
    try {
      const { loss, captures } = this.enqueue(values);
      const aborted = new Promise<'aborted'>((resolve) => signal?.addEventListener('abort', () => resolve('aborted'), { once: true }));
      const value = await Promise.race([loss.item(), aborted]);
      loss.dispose();
      return value === 'aborted' ? { status: 'aborted' } : { status: 'completed', loss: value, captures };
    } catch (error) {
      return { status: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /**
   * Takes a step for each batch without waiting for the one before; gives the results in order. At most `inFlight`
   * steps are under way.
   */
  async *steps(batches: Iterable<Named<I, InputValue>> | AsyncIterable<Named<I, InputValue>>, { signal, inFlight = 8 }: StepOptions & { inFlight?: number } = {}): AsyncGenerator<StepResult> {
    const waiting: Promise<StepResult>[] = [];
    for await (const batch of batches) {
      waiting.push(this.step(batch, signal ? { signal } : {}));
      if (waiting.length >= inFlight) yield waiting.shift() as Promise<StepResult>;
    }
    for (const result of waiting) yield await result;
  }

  /** Compiles another function of the same parameters. */
  attach<A extends Tensor[], R extends Tensor>(f: (...inputs: A) => R): Forward<A> {
    return compile(f);
  }

  /** Sets the learning rate of the next steps. */
  setLR(lr: number | Schedule): void {
    this.#spec.optimizer.setLR(lr);
  }

  /** Lets the optimizer begin anew. */
  resetOptimizer(): void {
    this.#spec.optimizer.reset();
  }

  /** `resetOptimizer` by another name. */
  reset(): void {
    this.resetOptimizer();
  }

  /** Takes over values of parameters by path; with `partial`, of some. */
  uploadParams(params: StateSource, options?: { partial?: boolean }): void {
    this.#spec.model.loadStateDict(params, options);
  }

  /** The elements of all parameters by path. */
  async downloadParams(): Promise<Record<string, Elements>> {
    return downloaded(this.#spec.model.namedParameters());
  }

  /** The gradients of the loss by each parameter, without a step. */
  async downloadParamGrads(values: Named<I, InputValue>): Promise<Record<string, Elements>> {
    const named = scope(() => {
      putTensors(this.#entered(values));
      calling(() => recorder().step_grads(this.#id, args.len));
      return read((from) => from.list(() => [from.text(), from.u32()] as const)).map(([name, handle]) => [name, wrap(handle)] as const);
    });
    return downloaded(named);
  }

  /** What becomes of the step for inputs like these: graph, kernels and plan. Nothing is run. */
  async explain(values: Named<I, InputValue>): Promise<Trace> {
    const { graph, inputs } = scope(() => {
      putTensors(this.#entered(values));
      calling(() => recorder().step_recording(this.#id, args.len));
      return read((from) => ({
        graph: from.bytes(),
        inputs: from.list(() => ({ id: from.u32(), name: from.text(), role: from.text() })),
      }));
    });
    postAll();
    const named = inputs.map((input) => ({ ...input, name: this.#nameOf(input.name) }));
    const trace = JSON.parse(await explained(graph, named)) as Trace;
    const placed = (node: GraphNode): GraphNode => {
      const module = partAt(node.site);
      return { ...node, site: resolved(node.site), ...(module !== undefined && { module }) };
    };
    return { ...trace, nodes: trace.nodes.map(placed) };
  }

  #nameOf(input: string): string {
    const at = /^input (\d+)$/.exec(input)?.[1];
    return at === undefined ? input : (this.#names[Number(at)] ?? input);
  }

  /** Takes a step; the milliseconds of each of its kernels. */
  async profile(values: Named<I, InputValue>): Promise<Float64Array> {
    postAll();
    const { loss, captures } = scope(() => {
      const inputs = this.#entered(values);
      this.#spec.optimizer.prepare();
      putTensors(inputs);
      calling(() => recorder().run_step(this.#id, args.len));
      const { result, captures } = left();
      return { loss: result, captures };
    });
    const times = await postTimed();
    captures.dispose();
    loss.dispose();
    return times;
  }

  /** The optimizer's state. */
  optimizerState(): OptimizerState {
    return this.#spec.optimizer.stateDict();
  }

  /** Frees the compiled programs; harmless if repeated. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    unregistered(this.#function);
    recorder().release_step(this.#id);
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

async function downloaded(named: Iterable<readonly [string, Tensor]>): Promise<Record<string, Elements>> {
  const read = [...named].map(async ([name, x]) => [name, fromBytes(await fetchBytes(x.handle), x.dtype)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** A compiled function: call `run`. */
export class Forward<A extends Tensor[]> {
  readonly #id: number;
  readonly #function: number;
  #isDestroyed = false;

  constructor(f: (...inputs: A) => Tensor) {
    this.#function = traced(f as (...inputs: Tensor[]) => Tensor);
    this.#id = checked(recorder().compile_forward(this.#function));
  }

  /** The result for these inputs. */
  run(...inputs: A): Tensor {
    return this.runWithCaptures(...inputs).result;
  }

  /** The result for these inputs, and what was captured. */
  runWithCaptures(...inputs: A): { result: Tensor; captures: Captures } {
    if (this.#isDestroyed) throw new ArgumentError('run: the compiled function was destroyed', 'run');
    return scope(() => {
      putTensors(inputs);
      calling(() => recorder().run_forward(this.#id, args.len));
      const found = left();
      postAll();
      return { result: found.result, captures: found.captures };
    });
  }

  /** Frees the compiled programs; harmless if repeated. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    unregistered(this.#function);
    recorder().release_forward(this.#id);
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

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
export function compile<const I extends Specs>(spec: StepSpec<I>): TrainStep<I>;
export function compile(what: ((...inputs: Tensor[]) => Tensor) | StepSpec<Specs>): Forward<Tensor[]> | TrainStep<Specs> {
  return typeof what === 'function' ? new Forward(what) : new TrainStep(what);
}

/** A function of which one call is under way at most: calls made meanwhile get the result of that one. */
export function singleFlight<A extends unknown[], R>(f: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let current: Promise<R> | undefined;
  return (...given) => {
    current ??= f(...given).finally(() => {
      current = undefined;
    });
    return current;
  };
}
