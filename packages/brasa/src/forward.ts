/** Compiled functions without gradients: of tensors, or of named inputs that are typed arrays. */
import { bound } from './bind.ts';
import { fetchBytes, inOneMessage, postAll } from './client.ts';
import { type CapturedArrays, Captures } from './captures.ts';
import { register, unregister, withCallbacks } from './callbacks.ts';
import { type Elements, fromBytes } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { byName, checkSpecs, inputTensors, type InputValue, type Named, type Specs } from './inputs.ts';
import { DISPOSED, Lease, scope } from './memory.ts';
import { ABORTED, completed, failed, type Outcome, raceAbort } from './outcome.ts';
import { args, type CallSite, checked, collectSites, ifAlive, read, recorder } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';

/** Recording is synchronous: tensors have no values before the program runs. */
const ASYNC =
  'compile: the function returned a promise, but tensors have no values while it is recorded\n' +
  '  help: return values by capture(name, x), or read them outside of the function';

/**
 * Registers a function of tensors for the recorder. Its call sites are recorded, since it runs once, and kept alive by the
 * list of the compiled object, not by the recorder, which holds the function.
 */
export function registerTraced(f: (...inputs: Tensor[]) => Tensor, sites: CallSite[]): number {
  const list = new WeakRef(sites);
  return register((handles) =>
    collectSites(list.deref() ?? [], () => {
      const result: unknown = f(...handles.map(wrap));
      if (result instanceof Tensor) return result.handle;
      if (!(result instanceof Promise)) throw new ArgumentError('compile: the function must return a tensor');
      // The error below replaces the promise's own.
      result.catch(() => undefined);
      throw new ArgumentError(ASYNC);
    }),
  );
}

export function putTensors(inputs: readonly Tensor[]): void {
  args.begin().list(inputs, (x) => args.u32(x.handle));
}

/** Reads the results of a run: the result and the captures. */
export function readResults(): { result: Tensor; captures: Captures } {
  const [[, result], ...rest] = read((from) => from.list(() => [from.text(), from.u32()] as const)) as [readonly [string, number], ...(readonly [string, number])[]];
  return { result: wrap(result), captures: new Captures(new Map(rest.map(([name, handle]) => [name, wrap(handle)]))) };
}

/** Module-level so that the closure does not capture, and keep alive, the owner. */
const release = (n: number): void => ifAlive((all) => all.release_forward(n));

/** A compiled function: call `run`. */
export class Forward<A extends Tensor[]> {
  readonly #function: Lease;
  readonly #own: Lease;
  readonly #sites: CallSite[] = [];

  constructor(f: (...inputs: A) => Tensor) {
    const number = registerTraced(f as (...inputs: Tensor[]) => Tensor, this.#sites);
    this.#function = new Lease(this, number, unregister);
    this.#own = new Lease(this, checked(recorder().compile_forward(number)), release);
  }

  /** The result for these inputs. */
  run(...inputs: A): Tensor {
    const { result, captures } = this.runWithCaptures(...inputs);
    captures.dispose();
    return result;
  }

  /** The result and the captures for these inputs. */
  runWithCaptures(...inputs: A): { result: Tensor; captures: Captures } {
    const { number } = this.#own;
    if (number === DISPOSED) throw new ArgumentError('run: the compiled function was destroyed');
    return scope(() => {
      putTensors(inputs);
      withCallbacks(() => recorder().run_forward(number, args.len));
      const found = readResults();
      postAll();
      return found;
    });
  }

  /** Frees the compiled programs; idempotent. */
  destroy(): void {
    this.#own.end();
    this.#function.end();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

/** The outcome of a run: elements and shape of the result, and the captures. */
export type RunResult = Outcome<{ output: Elements; shape: readonly number[]; captures: CapturedArrays }>;

export interface RunOptions {
  /** Stops waiting for the result. */
  signal?: AbortSignal;
}

/** The signature of a compiled function of named inputs. */
export const FORWARD = '* forward:f inputs:o';

/** A compiled function of named inputs that returns typed arrays. */
export class NamedForward<I extends Specs> {
  #own: Forward<Tensor[]>;
  #model: unknown;
  readonly #f: (inputs: Named<I, Tensor>) => Tensor;
  readonly #inputs: I;
  readonly #modelNow: () => unknown;

  /** `model` returns the model that `f` uses; when it changes, `f` is recorded again. */
  constructor(f: (inputs: Named<I, Tensor>) => Tensor, inputs: I, model: () => unknown = () => undefined) {
    this.#f = f;
    this.#inputs = inputs;
    this.#modelNow = model;
    checkSpecs(inputs);
    this.#own = this.#compile();
  }

  #compile(): Forward<Tensor[]> {
    const [f, inputs] = [this.#f, this.#inputs];
    this.#model = this.#modelNow();
    return new Forward((...given: Tensor[]) => f(byName(inputs, given)));
  }

  /** The result for these inputs. */
  async run(values: Named<I, InputValue>, options: RunOptions = {}): Promise<RunResult> {
    try {
      const [signal] = bound<[AbortSignal?]>('run', '* signal?o', [options]);
      if (signal?.aborted) return ABORTED;
      if (this.#model !== this.#modelNow()) {
        this.#own.destroy();
        this.#own = this.#compile();
      }
      return (await raceAbort(this.#read(values), signal)) ?? ABORTED;
    } catch (error) {
      return failed(error);
    }
  }

  async #read(values: Named<I, InputValue>): Promise<RunResult> {
    const { result, captures, bytes, arrays } = inOneMessage(() => {
      const found = scope(() => this.#own.runWithCaptures(...inputTensors('run', this.#inputs, values)));
      return { ...found, bytes: fetchBytes(found.result.handle), arrays: found.captures.toArrays() };
    });
    try {
      const { dtype, shape } = result;
      const [elements, captured] = await Promise.all([bytes, arrays]);
      return completed({ output: fromBytes(elements, dtype), shape, captures: captured });
    } finally {
      result.dispose();
      captures.dispose();
    }
  }

  /** Frees the compiled programs; idempotent. */
  destroy(): void {
    this.#own.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
