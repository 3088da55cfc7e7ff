/** Compiled functions without gradients: of tensors, or of named inputs that are typed arrays. */
import { bound } from './bind.ts';
import { fetchBytes, postAll, together } from './client.ts';
import { type CapturedArrays, Captures } from './captures.ts';
import { calling, registered, unregistered } from './callbacks.ts';
import { type Elements, fromBytes } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { allEntered, byName, checkSpecs, type InputValue, type Named, type Specs } from './inputs.ts';
import { DISPOSED, Lease, scope } from './memory.ts';
import { ABORTED, completed, failed, type Outcome, unlessAborted } from './outcome.ts';
import { args, checked, giveBack, type Place, placedIn, read, recorder } from './recorder.ts';
import { Tensor, wrap } from './tensor.ts';

/** Nothing can be waited for: what is read has no value before the program runs. */
const ASYNC =
  'compile: the function has given a promise, but tensors have no values while it is recorded\n' +
  '  help: hand values out by capture(name, x), or read them outside of the function';

/**
 * A function of tensors that can be called back. The places of its calls are kept, since it happens once, in a list of
 * whoever compiles it: the recorder holds the function, and must not hold them.
 */
export function traced(f: (...inputs: Tensor[]) => Tensor, places: Place[]): number {
  const list = new WeakRef(places);
  return registered((handles) =>
    placedIn(list.deref() ?? [], () => {
      const result: unknown = f(...handles.map(wrap));
      if (result instanceof Tensor) return result.handle;
      if (!(result instanceof Promise)) throw new ArgumentError('compile: the function has to give a tensor');
      // What it fails with is what is told here.
      result.catch(() => undefined);
      throw new ArgumentError(ASYNC);
    }),
  );
}

export function putTensors(inputs: readonly Tensor[]): void {
  args.begin().list(inputs, (x) => args.u32(x.handle));
}

/** What a run has left: its result, then what was captured. */
export function left(): { result: Tensor; captures: Captures } {
  const [[, result], ...rest] = read((from) => from.list(() => [from.text(), from.u32()] as const)) as [readonly [string, number], ...(readonly [string, number])[]];
  return { result: wrap(result), captures: new Captures(new Map(rest.map(([name, handle]) => [name, wrap(handle)]))) };
}

/** Of no object, so that none is held by it. */
const release = (n: number): void => giveBack((all) => all.release_forward(n));

/** A compiled function: call `run`. */
export class Forward<A extends Tensor[]> {
  readonly #function: Lease;
  readonly #own: Lease;
  readonly #places: Place[] = [];

  constructor(f: (...inputs: A) => Tensor) {
    const number = traced(f as (...inputs: Tensor[]) => Tensor, this.#places);
    this.#function = new Lease(this, number, unregistered);
    this.#own = new Lease(this, checked(recorder().compile_forward(number)), release);
  }

  /** The result for these inputs. */
  run(...inputs: A): Tensor {
    const { result, captures } = this.runWithCaptures(...inputs);
    captures.dispose();
    return result;
  }

  /** The result for these inputs, and what was captured. */
  runWithCaptures(...inputs: A): { result: Tensor; captures: Captures } {
    const { number } = this.#own;
    if (number === DISPOSED) throw new ArgumentError('run: the compiled function was destroyed');
    return scope(() => {
      putTensors(inputs);
      calling(() => recorder().run_forward(number, args.len));
      const found = left();
      postAll();
      return found;
    });
  }

  /** Frees the compiled programs; harmless if repeated. */
  destroy(): void {
    this.#own.end();
    this.#function.end();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}

/** How a run has ended: the elements of the result and their shape, and what was captured. */
export type RunResult = Outcome<{ output: Elements; shape: readonly number[]; captures: CapturedArrays }>;

export interface RunOptions {
  /** Ends the wait. */
  signal?: AbortSignal;
}

/** What a compiled function of named inputs is made of. */
export const FORWARD = '* forward:f inputs:o';

/** A compiled function of named inputs, of which typed arrays come out. */
export class NamedForward<I extends Specs> {
  #own: Forward<Tensor[]>;
  #model: unknown;
  readonly #f: (inputs: Named<I, Tensor>) => Tensor;
  readonly #inputs: I;
  readonly #modelNow: () => unknown;

  /** `model` tells whose parameters the function has; when it is another one, the function is recorded anew. */
  constructor(f: (inputs: Named<I, Tensor>) => Tensor, inputs: I, model: () => unknown = () => undefined) {
    this.#f = f;
    this.#inputs = inputs;
    this.#modelNow = model;
    checkSpecs(inputs);
    this.#own = this.#compiled();
  }

  #compiled(): Forward<Tensor[]> {
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
        this.#own = this.#compiled();
      }
      return (await unlessAborted(this.#read(values), signal)) ?? ABORTED;
    } catch (error) {
      return failed(error);
    }
  }

  async #read(values: Named<I, InputValue>): Promise<RunResult> {
    const { result, captures, bytes, arrays } = together(() => {
      const found = scope(() => this.#own.runWithCaptures(...allEntered('run', this.#inputs, values)));
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

  /** Frees the compiled programs; harmless if repeated. */
  destroy(): void {
    this.#own.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
