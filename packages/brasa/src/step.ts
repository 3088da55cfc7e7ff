/**
 * Compiled training steps: recorded once for each shape of their inputs, then run without recording. A step is one
 * program: forward pass, gradients and update.
 */
import { bound } from './bind.ts';
import { calling, unregistered } from './callbacks.ts';
import { type Captures, notingShapes } from './captures.ts';
import { explained, fetchBytes, manualSeed, postAll, postTimed, together } from './client.ts';
import { type DTypeName, DTYPES, dtypeOf, type Elements, fromBytes } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { Forward, FORWARD, left, NamedForward, putTensors, type RunOptions, type RunResult, traced } from './forward.ts';
import { allEntered, byName, checkSpecs, type InputValue, type Named, type Specs } from './inputs.ts';
import { DISPOSED, Lease, scope } from './memory.ts';
import type { LoadOptions, Module, StateSource } from './nn/module.ts';
import type { Optimizer, OptimizerState, Schedule } from './optim.ts';
import { ABORTED, completed, failed, type Outcome, unlessAborted } from './outcome.ts';
import { args, checked, giveBack, partAt, type Place, read, recorder, resolved } from './recorder.ts';
import { type Tensor, wrap } from './tensor.ts';
import type { GraphNode, Trace } from './trace.ts';

/** How a step has ended: the loss before it, and what was captured. */
export type StepResult = Outcome<{ loss: number; captures: Captures }>;

export interface StepOptions {
  /** Ends the wait. A step that is under way is still taken. */
  signal?: AbortSignal;
}

/** What a training step is made of. */
export interface StepSpec<I extends Specs, M extends Module = Module> {
  /** The model, whose parameters the optimizer has. */
  readonly model: M;
  /** The loss of named inputs; the model is handed in too, for those that are replaced. */
  readonly loss: (inputs: Named<I, Tensor>, model: M) => Tensor;
  readonly optimizer: Optimizer;
  readonly inputs: I;
  /** The seed of dropout and other draws. */
  readonly seed?: number;
  /** How long the gradients may be together; longer ones are scaled. */
  readonly clipGradNorm?: number | undefined;
}

/** Another function of the same model. */
export interface ForwardSpec<I extends Specs, M = unknown> {
  readonly forward: (inputs: Named<I, Tensor>, model: M) => Tensor;
  readonly inputs: I;
}

/** What a step has become for inputs of some shape. */
export interface StepInfo {
  readonly paramNames: readonly string[];
  readonly outputShape: readonly number[];
  /** How many kernels the device launches in a step. */
  readonly kernelCount: number;
  readonly captureShapes: Readonly<Record<string, readonly number[]>>;
}

/** What is recorded, apart from the step itself: the recorder's function holds it, and must not hold the step. */
interface Recorded<I extends Specs, M extends Module> {
  spec: StepSpec<I, M>;
  /** Shapes of what was captured when it was recorded last. */
  captured: Map<string, readonly number[]>;
}

function lossOf<I extends Specs, M extends Module>(of: Recorded<I, M>, places: Place[]): number {
  return traced((...inputs) => {
    of.captured = new Map();
    const { spec } = of;
    return notingShapes(of.captured, () => spec.loss(byName(spec.inputs, inputs), spec.model));
  }, places);
}

/** What a step is made of, in plain data or not. */
export const STEP = '* inputs:o model:o loss:f optimizer:o seed?n';

/** Throws where a spec has something that steps do not have, or lacks something. */
export function checkSpec(spec: object): void {
  checkSpecs(bound<[Specs]>('compile', `${STEP} clipGradNorm?n`, [spec])[0]);
}

/** Of no object, so that none is held by it. */
const release = (n: number): void => giveBack((all) => all.release_step(n));

/** A compiled training step. */
export class TrainStep<I extends Specs, M extends Module = Module> {
  readonly #recorded: Recorded<I, M>;
  readonly #places: Place[] = [];
  readonly #function: Lease;
  #own: Lease;
  /** The loss alone, once it is asked for. */
  #loss: NamedForward<I> | undefined;
  /** The nodes that `explain` has told of last. */
  #nodes: readonly GraphNode[] = [];

  constructor(spec: StepSpec<I, M>) {
    checkSpec(spec);
    this.#recorded = { spec, captured: new Map() };
    if (spec.seed !== undefined) manualSeed(spec.seed);
    this.#function = new Lease(this, lossOf(this.#recorded, this.#places), unregistered);
    this.#own = this.#compiled();
  }

  get #spec(): StepSpec<I, M> {
    return this.#recorded.spec;
  }

  #compiled(): Lease {
    const { model, optimizer, clipGradNorm = Infinity } = this.#spec;
    args.begin().list(model.namedParameters(), ([name, p]) => args.text(name).u32(p.handle)).f64(clipGradNorm);
    return new Lease(this, checked(recorder().compile_step(this.#function.number, optimizer.id, args.len)), release);
  }

  /** The recorder's number of the step. */
  #id(): number {
    const { number } = this.#own;
    if (number === DISPOSED) throw new ArgumentError('step: the compiled step was destroyed');
    return number;
  }

  /** Trains another model from here on, by an optimizer of its own. The step is recorded anew. */
  replaceModel(model: M, optimizer: Optimizer): void {
    this.#id();
    const before = this.#spec;
    const old = this.#own;
    this.#recorded.spec = { ...before, model, optimizer };
    try {
      this.#own = this.#compiled();
    } catch (error) {
      this.#recorded.spec = before;
      throw error;
    }
    old.end();
  }

  /** What the step becomes for inputs like these. Nothing is run. */
  async info(values: Named<I, InputValue>): Promise<StepInfo> {
    const { kernels } = await this.explain(values);
    return { paramNames: this.paramNames, outputShape: [], kernelCount: kernels.length, captureShapes: Object.fromEntries(this.#recorded.captured) };
  }

  /** The paths of the parameters. */
  get paramNames(): readonly string[] {
    return this.#spec.model.namedParameters().map(([name]) => name);
  }

  #entered(values: Named<I, InputValue>): Tensor[] {
    return allEntered('step', this.#spec.inputs, values);
  }

  /** Records or repeats a step; what is queued is not sent yet. */
  #taken(values: Named<I, InputValue>): { loss: Tensor; captures: Captures } {
    const id = this.#id();
    return scope(() => {
      const inputs = this.#entered(values);
      this.#spec.optimizer.prepare();
      putTensors(inputs);
      calling(() => recorder().run_step(id, args.len));
      const { result, captures } = left();
      return { loss: result, captures };
    });
  }

  /** Takes a step without waiting; the loss before it and what was captured, to be read when they are wanted. */
  enqueue(values: Named<I, InputValue>): { loss: Tensor; captures: Captures } {
    const taken = this.#taken(values);
    postAll();
    return taken;
  }

  /** Takes a step. */
  async step(values: Named<I, InputValue>, options: StepOptions = {}): Promise<StepResult> {
    let captures: Captures | undefined;
    let result: StepResult = ABORTED;
    try {
      const [signal] = bound<[AbortSignal?]>('step', '* signal?o', [options]);
      if (signal?.aborted) return ABORTED;
      const taken = together(() => {
        const begun = this.enqueue(values);
        return { ...begun, item: begun.loss.item() };
      });
      captures = taken.captures;
      const loss = await unlessAborted(taken.item, signal).finally(() => taken.loss.dispose());
      if (loss !== undefined) result = completed({ loss, captures });
    } catch (error) {
      result = failed(error);
    }
    if (result.status !== 'completed') captures?.dispose();
    return result;
  }

  /** The loss for these inputs, without a step. */
  async run(values: Named<I, InputValue>, options?: RunOptions): Promise<RunResult> {
    const recorded = this.#recorded;
    this.#loss ??= new NamedForward((inputs) => recorded.spec.loss(inputs, recorded.spec.model), recorded.spec.inputs, () => recorded.spec.model);
    return this.#loss.run(values, options);
  }

  /**
   * Takes a step for each of these batches, sent to the engine in one message and answered in one: quicker where steps
   * are short.
   */
  stepAll(batches: readonly Named<I, InputValue>[], options: StepOptions = {}): Promise<StepResult[]> {
    return together(() => Promise.all(batches.map((batch) => this.step(batch, options))));
  }

  /**
   * Takes a step for each batch without waiting for the one before; gives the results in order. At most `inFlight`
   * steps are under way. When the signal is given, no further batch is asked for, and the last result is `aborted`.
   */
  async *steps(batches: Iterable<Named<I, InputValue>> | AsyncIterable<Named<I, InputValue>>, options: StepOptions & { inFlight?: number } = {}): AsyncGenerator<StepResult> {
    const [signal, inFlight = 8] = bound<[AbortSignal?, number?]>('steps', '* signal?o inFlight?c', [options]);
    const waiting: Promise<StepResult>[] = [];
    for await (const batch of batches) {
      waiting.push(this.step(batch, signal ? { signal } : {}));
      if (signal?.aborted) break;
      if (waiting.length >= inFlight) yield waiting.shift() as Promise<StepResult>;
    }
    for (const result of waiting) yield await result;
  }

  /** Compiles another function of the same parameters: of tensors, or of named inputs. */
  attach<A extends Tensor[], R extends Tensor>(f: (...inputs: A) => R): Forward<A>;
  attach<const J extends Specs>(spec: ForwardSpec<J, M>): NamedForward<J>;
  attach(what: ((...inputs: Tensor[]) => Tensor) | ForwardSpec<Specs, M>): Forward<Tensor[]> | NamedForward<Specs> {
    if (typeof what === 'function') return new Forward(what);
    const [forward, inputs] = bound<[typeof what.forward, Specs]>('attach', FORWARD, [what]);
    const recorded = this.#recorded;
    return new NamedForward((named) => forward(named, recorded.spec.model), inputs, () => recorded.spec.model);
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

  /** Takes over values of parameters by path; with `partial`, of some. Buffers may be given too. */
  uploadParams(params: StateSource, options?: LoadOptions): void {
    const { model } = this.#spec;
    model.loadStateDict(new Map([...model.namedBuffers(), ...(params instanceof Map ? params : Object.entries(params))]), options);
  }

  /** The elements of all parameters by path. */
  async downloadParams(): Promise<Record<string, Elements>> {
    return downloaded(this.#spec.model.namedParameters());
  }

  /** The gradients of the loss by each parameter, without a step. */
  async downloadParamGrads(values: Named<I, InputValue>): Promise<Record<string, Elements>> {
    const id = this.#id();
    const named = scope(() => {
      putTensors(this.#entered(values));
      calling(() => recorder().step_grads(id, args.len));
      return read((from) => from.list(() => [from.text(), from.u32()] as const)).map(([name, handle]) => [name, wrap(handle)] as const);
    });
    return downloaded(named);
  }

  /** What becomes of the step for inputs like these: graph, kernels and plan. Nothing is run. */
  async explain(values: Named<I, InputValue>): Promise<Trace> {
    const id = this.#id();
    const { graph, inputs } = scope(() => {
      putTensors(this.#entered(values));
      calling(() => recorder().step_recording(id, args.len));
      return read((from) => ({
        graph: from.bytes(),
        inputs: from.list(() => ({ id: from.u32(), name: from.text(), role: from.text() })),
      }));
    });
    postAll();
    const named = inputs.map((input) => ({ ...input, name: this.#nameOf(input.name) }));
    const { json, shaders } = await explained(graph, named);
    const trace = JSON.parse(json) as Trace;
    this.#nodes = trace.nodes;
    const placed = (node: GraphNode): GraphNode => {
      const module = partAt(node.site);
      return { ...node, site: resolved(node.site), ...(module !== undefined && { module }) };
    };
    const kernels = trace.kernels.map((kernel, n) => ({ ...kernel, ...(shaders?.[n] && { shader: shaders[n] }) }));
    return { ...trace, kernels, nodes: trace.nodes.map(placed) };
  }

  #nameOf(input: string): string {
    const at = /^input (\d+)$/.exec(input)?.[1];
    return at === undefined ? input : (Object.keys(this.#spec.inputs)[Number(at)] ?? input);
  }

  /**
   * The value that a node of the step has for these inputs, by its `id` in what `explain` told last, for inputs of the
   * same shapes: an activation, a gradient, an update. No step is taken. The program is kept as long as the same node is
   * asked for.
   */
  probe(values: Named<I, InputValue>, node: number): Tensor {
    const { dtype, shape } = this.#nodes[node] ?? missing(node, this.#nodes.length);
    const id = this.#id();
    return scope(() => {
      this.#spec.optimizer.prepare();
      putTensors(this.#entered(values));
      args.list(shape, (len) => args.u32(len));
      const number = DTYPES.indexOf(dtypeOf(dtype as DTypeName));
      const value = wrap(calling(() => recorder().step_probe(id, node, number, args.len)));
      postAll();
      return value;
    });
  }

  /** Takes a step; the milliseconds of each of its kernels. */
  async profile(values: Named<I, InputValue>): Promise<Float64Array> {
    postAll();
    const { loss, captures } = this.#taken(values);
    const times = await postTimed();
    captures.dispose();
    loss.dispose();
    return times;
  }

  /** The optimizer's state. */
  optimizerState(): OptimizerState {
    return this.#spec.optimizer.stateDict();
  }

  /** Frees the compiled programs and lets go of the optimizer; harmless if repeated. */
  destroy(): void {
    this.#loss?.destroy();
    this.#own.end();
    this.#function.end();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

function missing(node: number, known: number): never {
  const what = known === 0 ? 'explain the step first' : `the step has ${known} nodes`;
  throw new ArgumentError(`probe: there is no node ${node} to ask for\n  help: ${what}`);
}

async function downloaded(named: Iterable<readonly [string, Tensor]>): Promise<Record<string, Elements>> {
  const read = [...named].map(async ([name, x]) => [name, fromBytes(await fetchBytes(x.handle), x.dtype)] as const);
  return Object.fromEntries(await Promise.all(read));
}
