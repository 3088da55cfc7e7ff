/**
 * The recorder's wasm module: its exports, the scratch buffer that carries arguments and results, and call sites. See
 * `crates/web/src/recorder`.
 */
import { ArgumentError, EngineError, KIND_NAMES, rebuildError } from './errors.ts';

/** Returned by a call that was rejected. */
const FAILED = 0xffff_ffff;
/** No handle. */
export const NONE = 0xffff_fffe;

/** The functions of the module; all numbers are unsigned, whatever JavaScript reads them as. */
interface Exports {
  memory: WebAssembly.Memory;
  start(): void;
  build_name(): number;
  scratch(len: number): number;
  set_site(n: number): void;
  fault(): number;
  call(op: number, len: number): number;
  call_knowing(op: number, len: number): number;
  announce(dtype: number, len: number): number;
  from_bytes(dtype: number, len: number): number;
  release(x: number): void;
  keep(x: number): number;
  set_memory_budget(bytes: number): void;
  held(): number;
  describe(x: number): number;
  set_requires_grad(x: number, wanted: number): number;
  retain_grad(x: number): number;
  grad(x: number): number;
  set_grad(x: number, grad: number): number;
  detach(x: number): number;
  parameter(x: number, requiresGrad: number): number;
  buffer(x: number): number;
  assign(x: number, len: number): number;
  index(x: number, len: number): number;
  set_index(x: number, len: number): number;
  is_same(a: number, b: number): number;
  backward(x: number, gradient: number, retain: number, create: number): number;
  grads(len: number, retain: number, create: number): number;
  with_gradient(x: number, f: number, len: number): number;
  set_grad_enabled(enabled: number): number;
  manual_seed(low: number, high: number): void;
  rng_state(): number;
  set_rng_state(low: number, high: number, draws: number): void;
  flush(): void;
  read(x: number): number;
  take_commands(): number;
  printed(x: number, len: number): number;
  optimizer(len: number): number;
  optimizer_step(n: number): number;
  optimizer_zero_grad(n: number): number;
  optimizer_reset(n: number): number;
  optimizer_add_group(n: number, len: number): number;
  optimizer_set(n: number, group: number, lr: number, weightDecay: number): number;
  optimizer_settings(n: number): number;
  optimizer_state(n: number): number;
  optimizer_load(n: number, len: number): number;
  optimizer_release(n: number): void;
  clip_grads(len: number, mode: number, limit: number): number;
  init(len: number): number;
  compile_step(n: number, optimizer: number, len: number): number;
  compile_forward(n: number): number;
  mode(n: number, training: number, isRead: number): number;
  release_mode(n: number): void;
  run_step(n: number, len: number): number;
  run_forward(n: number, len: number): number;
  step_grads(n: number, len: number): number;
  step_recording(n: number, len: number): number;
  step_probe(n: number, node: number, dtype: number, len: number): number;
  capture(x: number, len: number): number;
  release_step(n: number): void;
  release_forward(n: number): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let wasm: Exports | undefined;
/** The error that made the module unusable. */
let broken: EngineError | undefined;
let view = new DataView(new ArrayBuffer(0));
let base = 0;
let capacity = 0;

/** Called by the module to record a user's function: handles in, a handle out. */
let tracer: (id: number, handles: number[]) => number = () => FAILED;

export function setTracer(trace: (id: number, handles: number[]) => number): void {
  tracer = (id, handles) => {
    const result = trace(id, handles);
    return result < 0 ? FAILED : result;
  };
}

/** Wraps exports so that traps become errors. Panics are traps too: their messages are stripped from the module. */
export function guardExports<T extends object>(exports: T): T {
  const guard = (f: (...args: unknown[]) => unknown) => (...given: unknown[]): unknown => {
    try {
      return f(...given);
    } catch (error) {
      throw error instanceof WebAssembly.RuntimeError ? (broken = trapError(error)) : error;
    }
  };
  const entries = Object.entries(exports).map(([name, value]) => [name, typeof value === 'function' ? guard(value) : value] as const);
  return Object.fromEntries(entries) as T;
}

function trapError(cause: WebAssembly.RuntimeError): EngineError {
  const error = new EngineError(
    `internal error, please report: the recorder has trapped (${cause.message})\n  help: terminate() and init() again`,
    'recorder',
  );
  error.cause = cause;
  return error;
}

/** A recorder that is loaded but not active. */
export interface Loaded {
  readonly exports: Exports;
}

/** Loads the recorder's module; the active one is not affected. */
export async function loadRecorder(module: WebAssembly.Module): Promise<Loaded> {
  const page = {
    trace(id: number, count: number): number {
      return tracer(id, read((from) => Array.from({ length: count }, () => from.u32())));
    },
  };
  const { exports } = await WebAssembly.instantiate(module, { page });
  return { exports: guardExports(exports as unknown as Exports) };
}

/** Starts a recorder and makes it the active one. */
export function activate({ exports }: Loaded, build: string): void {
  wasm = exports;
  broken = undefined;
  // A new module has its own scratch buffer of initial size.
  capacity = 0;
  wasm.start();
  wasm.build_name();
  const built = read((from) => from.text());
  if (build && built !== build) {
    throw new EngineError(`the recorder is build ${built}, this JavaScript is ${build}: load both from one package`);
  }
}

/** The active recorder; throws before `init` and after a trap. */
export function recorder(): Exports {
  if (!wasm) throw new EngineError('Brasa is not ready\n  help: await init() first', 'init');
  if (broken) throw broken;
  return wasm;
}

/** Calls `body` with the recorder unless it is missing or has trapped: for releases, which finalizers make too. */
export function ifAlive(body: (module: Exports) => void): void {
  if (wasm && !broken) body(wasm);
}

function refresh(len: number): void {
  const all = recorder();
  base = all.scratch(len);
  capacity = Math.max(capacity, len, 4096);
  view = new DataView(all.memory.buffer);
}

/** Writes arguments to the scratch buffer, one after the other. */
export class Writer {
  private at = 0;

  begin(): this {
    this.at = 0;
    if (view.buffer.byteLength === 0) refresh(4096);
    return this;
  }

  /** The offset for the next `len` bytes. May replace `view`. */
  #reserve(len: number): number {
    const at = this.at;
    this.at += len;
    if (this.at > capacity || view.buffer.byteLength === 0) {
      // Growing keeps what was written.
      refresh(Math.max(this.at, 2 * capacity));
    }
    return base + at;
  }

  byte(x: number): this {
    const at = this.#reserve(1);
    view.setUint8(at, x);
    return this;
  }

  u32(x: number): this {
    if (x === undefined) throw new ArgumentError('an argument is not a tensor');
    const at = this.#reserve(4);
    view.setUint32(at, x, true);
    return this;
  }

  f64(x: number): this {
    const at = this.#reserve(8);
    view.setFloat64(at, x, true);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.u32(bytes.length);
    const at = this.#reserve(bytes.length);
    new Uint8Array(view.buffer, at, bytes.length).set(bytes);
    return this;
  }

  text(text: string): this {
    return this.bytes(encoder.encode(text));
  }

  list<T>(items: readonly T[], item: (x: T) => void): this {
    this.u32(items.length);
    for (const each of items) item(each);
    return this;
  }

  /** Number of bytes written. */
  get len(): number {
    return this.at;
  }
}

/** Reads results from the scratch buffer, one after the other. */
class Reader {
  at = 0;

  byte(): number {
    this.at += 1;
    return view.getUint8(base + this.at - 1);
  }

  u32(): number {
    this.at += 4;
    return view.getUint32(base + this.at - 4, true);
  }

  f64(): number {
    this.at += 8;
    return view.getFloat64(base + this.at - 8, true);
  }

  /** A copy in its own buffer. */
  bytes(): Uint8Array<ArrayBuffer> {
    const len = this.u32();
    this.at += len;
    return new Uint8Array(view.buffer, base + this.at - len, len).slice() as Uint8Array<ArrayBuffer>;
  }

  text(): string {
    return decoder.decode(this.bytes());
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.u32() }, item);
  }
}

export type { Reader };

const reader = new Reader();
/** The only writer: arguments are consumed before anything else is called. */
export const args = new Writer();

/** Reads the results of the last call. */
export function read<T>(parse: (from: Reader) => T): T {
  refresh(0);
  reader.at = 0;
  return parse(reader);
}

/** Returns the result of a call, or throws if it was rejected, with a stack that begins at the caller of `caller`. */
export function checked(result: number, caller?: (...args: never[]) => unknown): number {
  const number = result >>> 0;
  if (number === FAILED) throw rejection(caller);
  return number;
}

function rejection(caller?: (...args: never[]) => unknown): Error {
  if (recorder().fault() === 0) return new ArgumentError('the call failed');
  const error = read((from) => {
    const [kind, op, message, site] = [from.byte(), from.text(), from.text(), from.text()];
    return rebuildError({ name: KIND_NAMES[kind] ?? 'BrasaError', op, message, site: resolveSite(site) });
  });
  const capture = (Error as { captureStackTrace?: (error: Error, from?: unknown) => void }).captureStackTrace;
  if (caller) capture?.(error, caller);
  return error;
}

/** A call site: an error whose stack is formatted on demand. Until then it keeps the objects of its stack frames alive. */
export type CallSite = Error;

/** Recorded call sites. Those of a compiled function are kept alive by the function only. */
const sites: (CallSite | WeakRef<CallSite>)[] = [];
let keepsSites = false;
let holder: CallSite[] | undefined;

/** Runs `body`; `list` keeps the call sites inside alive. */
export function collectSites<T>(list: CallSite[], body: () => T): T {
  const [before, keptBefore] = [holder, keepSites(true)];
  holder = list;
  try {
    return body();
  } finally {
    holder = before;
    keepSites(keptBefore);
  }
}

/** The path of the layer that each call site belongs to, and of the layer that is running. */
const partOfSite: string[] = [];
let currentPart = '';

/** Marks a layer of the model as running; returns the function that ends it. */
export function enterPart(path: string): () => void {
  const before = currentPart;
  currentPart = path;
  return () => {
    currentPart = before;
  };
}

/** Calls inside nested layers are many frames below the user's. */
const STACK_DEPTH = 50;

/** Sets whether call sites are recorded; returns the previous setting. */
export function keepSites(keep: boolean): boolean {
  const before = keepsSites;
  keepsSites = keep;
  Error.stackTraceLimit = keep ? STACK_DEPTH : 10;
  if (!keep && wasm) wasm.set_site(0);
  return before;
}

const MAX_SITES = 100_000;

/** Whether a function is being compiled. */
export const isRecording = (): boolean => holder !== undefined;

/** Records the current call site, if enabled. */
export function noteSite(): void {
  if (!keepsSites) return;
  if (sites.length >= MAX_SITES) sites.length = 0;
  const site = new Error();
  holder?.push(site);
  sites.push(holder ? new WeakRef(site) : site);
  partOfSite[sites.length - 1] = currentPart;
  recorder().set_site(sites.length);
}

/** The layer that was running at site `#n`. */
export function partAt(site: string): string | undefined {
  return (site.startsWith('#') && partOfSite[Number(site.slice(1)) - 1]) || undefined;
}

/** The user's stack frame at site `#n`. */
export function resolveSite(site: string): string {
  if (!site.startsWith('#')) return site;
  const found = sites[Number(site.slice(1)) - 1];
  const stack = (found instanceof WeakRef ? found.deref() : found)?.stack?.split('\n') ?? [];
  const own = new URL('.', import.meta.url).href;
  const frames = stack.slice(1).map((line) => line.trim().replace(/^at /, ''));
  const user = frames.find((line) => !line.includes(own)) ?? frames[0] ?? '';
  return user.replace(/^.*\((.*)\)$/, '$1');
}
