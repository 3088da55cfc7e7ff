/**
 * Compiled training steps: recorded once per input shape, then run without recording. A step is one program: forward pass,
 * gradients and update.
 */
import { bound } from './bind.ts';
import { unregister, withCallbacks } from './callbacks.ts';
import { type Captures, withCaptureShapes } from './captures.ts';
import { explainGraph, fetchBytes, inOneMessage, manualSeed, postAll, postTimed } from './client.ts';
import { type DTypeName, DTYPES, dtypeOf, type Elements, fromBytes } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { Forward, FORWARD, NamedForward, putTensors, readResults, registerTraced, type RunOptions, type RunResult } from './forward.ts';
import { byName, checkSpecs, inputTensors, type InputValue, type Named, type Specs } from './inputs.ts';
import { DISPOSED, Lease, scope } from './memory.ts';
import type { LoadOptions, Module, StateSource } from './nn/module.ts';
import type { Optimizer, OptimizerState, Schedule } from './optim.ts';
import { ABORTED, completed, failed, type Outcome, raceAbort } from './outcome.ts';
import { args, type CallSite, checked, ifAlive, partAt, read, recorder, resolveSite } from './recorder.ts';
import { type Tensor, wrap } from './tensor.ts';
import type { GraphNode, Trace } from './trace.ts';

/** The outcome of a step: the loss before the update, and the captures. */
export type StepResult = Outcome<{ loss: number; captures: Captures }>;

export interface StepOptions {
  /** Stops waiting. A step that was already sent still runs. */
  signal?: AbortSignal;
}

/** The specification of a training step. */
export interface StepSpec<I extends Specs, M extends Module = Module> {
  /** The model whose parameters the optimizer updates. */
  readonly model: M;
  /** The loss of the named inputs; the model is passed too, since `replaceModel` may replace it. */
  readonly loss: (inputs: Named<I, Tensor>, model: M) => Tensor;
  readonly optimizer: Optimizer;
  readonly inputs: I;
  /** The seed of dropout and other random ops. */
  readonly seed?: number;
  /** The largest total norm of the gradients; above it they are scaled down. */
  readonly clipGradNorm?: number | undefined;
}

/** Another function of the same model. */
export interface ForwardSpec<I extends Specs, M = unknown> {
  readonly forward: (inputs: Named<I, Tensor>, model: M) => Tensor;
  readonly inputs: I;
}

/** How a step was compiled for inputs of some shape. */
export interface StepInfo {
  readonly paramNames: readonly string[];
  readonly outputShape: readonly number[];
  /** Kernels launched per step. */
  readonly kernelCount: number;
  readonly captureShapes: Readonly<Record<string, readonly number[]>>;
}

/** What the recorded function refers to. Apart from the step, since the recorder must not keep the step alive. */
interface Recorded<I extends Specs, M extends Module> {
  spec: StepSpec<I, M>;
  /** Shapes of the captures of the last recording. */
  captured: Map<string, readonly number[]>;
}

function registerLoss<I extends Specs, M extends Module>(of: Recorded<I, M>, sites: CallSite[]): number {
  return registerTraced((...inputs) => {
    of.captured = new Map();
    const { spec } = of;
    return withCaptureShapes(of.captured, () => spec.loss(byName(spec.inputs, inputs), spec.model));
  }, sites);
}

/** The signature of a step, also with a plain-data optimizer. */
export const STEP = '* inputs:o model:o loss:f optimizer:o seed?n';

/** Throws if a spec has unknown, wrong or missing fields. */
export function checkSpec(spec: object): void {
  checkSpecs(bound<[Specs]>('compile', `${STEP} clipGradNorm?n`, [spec])[0]);
}

/** Module-level so that the closure does not capture, and keep alive, the owner. */
const release = (n: number): void => ifAlive((all) => all.release_step(n));

/** A compiled training step. */
export class TrainStep<I extends Specs, M extends Module = Module> {
  readonly #recorded: Recorded<I, M>;
  readonly #sites: CallSite[] = [];
  readonly #function: Lease;
  #own: Lease;
  /** The loss without the update, compiled on demand. */
  #loss: NamedForward<I> | undefined;
  /** The nodes of the last `explain`. */
  #nodes: readonly GraphNode[] = [];

  constructor(spec: StepSpec<I, M>) {
    checkSpec(spec);
    this.#recorded = { spec, captured: new Map() };
    if (spec.seed !== undefined) manualSeed(spec.seed);
    this.#function = new Lease(this, registerLoss(this.#recorded, this.#sites), unregister);
    this.#own = this.#compile();
  }

  get #spec(): StepSpec<I, M> {
    return this.#recorded.spec;
  }

  #compile(): Lease {
    const { model, optimizer, clipGradNorm = Infinity } = this.#spec;
    args.begin().list(model.namedParameters(), ([name, p]) => args.text(name).u32(p.handle)).f64(clipGradNorm);
    return new Lease(this, checked(recorder().compile_step(this.#function.number, optimizer.id, args.len)), release);
  }

  /** The recorder's id of the step. */
  #id(): number {
    const { number } = this.#own;
    if (number === DISPOSED) throw new ArgumentError('step: the compiled step was destroyed');
    return number;
  }

  /** Replaces the model and its optimizer. The step is recorded again. */
  replaceModel(model: M, optimizer: Optimizer): void {
    this.#id();
    const before = this.#spec;
    const old = this.#own;
    this.#recorded.spec = { ...before, model, optimizer };
    try {
      this.#own = this.#compile();
    } catch (error) {
      this.#recorded.spec = before;
      throw error;
    }
    old.end();
  }

  /** How the step is compiled for inputs like these. Runs nothing. */
  async info(values: Named<I, InputValue>): Promise<StepInfo> {
    const { kernels } = await this.explain(values);
    return { paramNames: this.paramNames, outputShape: [], kernelCount: kernels.length, captureShapes: Object.fromEntries(this.#recorded.captured) };
  }

  /** The paths of the parameters. */
  get paramNames(): readonly string[] {
    return this.#spec.model.namedParameters().map(([name]) => name);
  }

  #inputTensors(values: Named<I, InputValue>): Tensor[] {
    return inputTensors('step', this.#spec.inputs, values);
  }

  /** Queues a step, recording it if needed, without sending it. */
  #queue(values: Named<I, InputValue>): { loss: Tensor; captures: Captures } {
    const id = this.#id();
    return scope(() => {
      const inputs = this.#inputTensors(values);
      this.#spec.optimizer.prepare();
      putTensors(inputs);
      withCallbacks(() => recorder().run_step(id, args.len));
      const { result, captures } = readResults();
      return { loss: result, captures };
    });
  }

  /** Runs a step without waiting; returns the loss before the update and the captures as tensors. */
  enqueue(values: Named<I, InputValue>): { loss: Tensor; captures: Captures } {
    const queued = this.#queue(values);
    postAll();
    return queued;
  }

  /** Runs a step. */
  async step(values: Named<I, InputValue>, options: StepOptions = {}): Promise<StepResult> {
    let captures: Captures | undefined;
    let result: StepResult = ABORTED;
    try {
      const [signal] = bound<[AbortSignal?]>('step', '* signal?o', [options]);
      if (signal?.aborted) return ABORTED;
      const sent = inOneMessage(() => {
        const queued = this.enqueue(values);
        return { ...queued, item: queued.loss.item() };
      });
      captures = sent.captures;
      const loss = await raceAbort(sent.item, signal).finally(() => sent.loss.dispose());
      if (loss !== undefined) result = completed({ loss, captures });
    } catch (error) {
      result = failed(error);
    }
    if (result.status !== 'completed') captures?.dispose();
    return result;
  }

  /** The loss for these inputs, without an update. */
  async run(values: Named<I, InputValue>, options?: RunOptions): Promise<RunResult> {
    const recorded = this.#recorded;
    this.#loss ??= new NamedForward((inputs) => recorded.spec.loss(inputs, recorded.spec.model), recorded.spec.inputs, () => recorded.spec.model);
    return this.#loss.run(values, options);
  }

  /**
   * Runs a step for each batch, with one message to the engine and one reply: faster if steps are short.
   */
  stepAll(batches: readonly Named<I, InputValue>[], options: StepOptions = {}): Promise<StepResult[]> {
    return inOneMessage(() => Promise.all(batches.map((batch) => this.step(batch, options))));
  }

  /**
   * Runs a step for each batch and yields the results in order. At most `inFlight` steps are pending at a time. When the
   * signal is aborted, no further batch is requested, and the last result is `aborted`.
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

  /** Compiles another function of the same parameters, of tensors or of named inputs. */
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

  /** Resets the optimizer. */
  resetOptimizer(): void {
    this.#spec.optimizer.reset();
  }

  /** Alias of `resetOptimizer`. */
  reset(): void {
    this.resetOptimizer();
  }

  /** Sets parameters by path; with `partial`, only some. Buffers may be included. */
  uploadParams(params: StateSource, options?: LoadOptions): void {
    const { model } = this.#spec;
    model.loadStateDict(new Map([...model.namedBuffers(), ...(params instanceof Map ? params : Object.entries(params))]), options);
  }

  /** The elements of all parameters by path. */
  async downloadParams(): Promise<Record<string, Elements>> {
    return download(this.#spec.model.namedParameters());
  }

  /** The gradient of the loss for each parameter, without an update. */
  async downloadParamGrads(values: Named<I, InputValue>): Promise<Record<string, Elements>> {
    const id = this.#id();
    const named = scope(() => {
      putTensors(this.#inputTensors(values));
      withCallbacks(() => recorder().step_grads(id, args.len));
      return read((from) => from.list(() => [from.text(), from.u32()] as const)).map(([name, handle]) => [name, wrap(handle)] as const);
    });
    return download(named);
  }

  /** How the step is compiled for inputs like these: graph, kernels and memory plan. Runs nothing. */
  async explain(values: Named<I, InputValue>): Promise<Trace> {
    const id = this.#id();
    const { graph, inputs } = scope(() => {
      putTensors(this.#inputTensors(values));
      withCallbacks(() => recorder().step_recording(id, args.len));
      return read((from) => ({
        graph: from.bytes(),
        inputs: from.list(() => ({ id: from.u32(), name: from.text(), role: from.text() })),
      }));
    });
    postAll();
    const named = inputs.map((input) => ({ ...input, name: this.#nameOf(input.name) }));
    const { json, shaders } = await explainGraph(graph, named);
    const trace = JSON.parse(json) as Trace;
    this.#nodes = trace.nodes;
    const withSite = (node: GraphNode): GraphNode => {
      const module = partAt(node.site);
      return { ...node, site: resolveSite(node.site), ...(module !== undefined && { module }) };
    };
    const kernels = trace.kernels.map((kernel, n) => ({ ...kernel, ...(shaders?.[n] && { shader: shaders[n] }) }));
    return { ...trace, kernels, nodes: trace.nodes.map(withSite) };
  }

  #nameOf(input: string): string {
    const at = /^input (\d+)$/.exec(input)?.[1];
    return at === undefined ? input : (Object.keys(this.#spec.inputs)[Number(at)] ?? input);
  }

  /**
   * The value of a node of the step for these inputs: an activation, a gradient, an update. `node` is its `id` in the last
   * `explain`, for inputs of the same shapes. Updates nothing. The program is cached while the same node is probed.
   */
  probe(values: Named<I, InputValue>, node: number): Tensor {
    const { dtype, shape } = this.#nodes[node] ?? unknownNode(node, this.#nodes.length);
    const id = this.#id();
    return scope(() => {
      this.#spec.optimizer.prepare();
      putTensors(this.#inputTensors(values));
      args.list(shape, (len) => args.u32(len));
      const number = DTYPES.indexOf(dtypeOf(dtype as DTypeName));
      const value = wrap(withCallbacks(() => recorder().step_probe(id, node, number, args.len)));
      postAll();
      return value;
    });
  }

  /** Runs a step; resolves with the milliseconds of each of its kernels. */
  async profile(values: Named<I, InputValue>): Promise<Float64Array> {
    postAll();
    const { loss, captures } = this.#queue(values);
    const times = await postTimed();
    captures.dispose();
    loss.dispose();
    return times;
  }

  /** The optimizer's state. */
  optimizerState(): OptimizerState {
    return this.#spec.optimizer.stateDict();
  }

  /** Frees the compiled programs and releases the optimizer; idempotent. */
  destroy(): void {
    this.#loss?.destroy();
    this.#own.end();
    this.#function.end();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

function unknownNode(node: number, known: number): never {
  const help = known === 0 ? 'explain the step first' : `the step has ${known} nodes`;
  throw new ArgumentError(`probe: there is no node ${node}\n  help: ${help}`);
}

async function download(named: Iterable<readonly [string, Tensor]>): Promise<Record<string, Elements>> {
  const read = [...named].map(async ([name, x]) => [name, fromBytes(await fetchBytes(x.handle), x.dtype)] as const);
  return Object.fromEntries(await Promise.all(read));
}
