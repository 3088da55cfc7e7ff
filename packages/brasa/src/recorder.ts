/**
 * The recorder's wasm module: its functions, and the scratch through which arguments and results go. See
 * `crates/web/src/recorder`.
 */
import { ArgumentError, EngineError, KIND_NAMES, rebuilt, said } from './errors.ts';
import { unpacked } from './packed.ts';
import type { Rest } from './rest.ts';

/** What a function gives where a call was rejected. */
const FAILED = 0xffff_ffff;
/** A handle to nothing. */
export const NONE = 0xffff_fffe;

/** The functions of the module; all numbers are unsigned, whatever JavaScript reads them as. */
interface Exports {
  memory: WebAssembly.Memory;
  table: WebAssembly.Table;
  /** Whether the rest is there; a module that is not split yet has none. */
  rest?: WebAssembly.Global;
  start(): void;
  build_name(): number;
  scratch(len: number): number;
  set_site(n: number): void;
  fault(): number;
  call(row: number, len: number): number;
  call_knowing(row: number, len: number): number;
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
  tame_grads(len: number, how: number, limit: number): number;
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
/** Why the module can no longer be used. */
let broken: EngineError | undefined;
/** The build that it is of. */
let built = '';
let view = new DataView(new ArrayBuffer(0));
let base = 0;
let room = 0;

/** What the module calls when it records a function of the user's: handles in, a handle out. */
let tracer: (id: number, handles: number[]) => number = () => FAILED;

export function setTracer(trace: (id: number, handles: number[]) => number): void {
  tracer = (id, handles) => {
    const result = trace(id, handles);
    return result < 0 ? FAILED : result;
  };
}

/** Keeps the state before a call, by its name and its first argument, where it may have to be undone: gives the way back. */
type Saving = (name: string, first: unknown) => (() => void) | undefined;

/**
 * Makes what traps inside of a module an error that says so. Panics are traps: their words are left out of the module.
 * A call that cannot be finished, since a part of the module is missing, is undone where `saved` gives the way back.
 */
export function guarded<T extends object>(exports: T, saved: Saving = () => undefined): T {
  const guard = (name: string, f: (...args: unknown[]) => unknown) => (...given: unknown[]): unknown => {
    const undo = saved(name, given[0]);
    try {
      return f(...given);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw (broken = stopped(error));
      if (!(error instanceof MissingPart)) throw error;
      if (!undo) throw (broken = error.told('terminate() and init() begin anew'));
      undo();
      throw error.told('all else goes on, and the next such call tries again');
    }
  };
  const entries = Object.entries(exports).map(([name, value]) => [name, typeof value === 'function' ? guard(name, value) : value] as const);
  return Object.fromEntries(entries) as T;
}

function stopped(cause: WebAssembly.RuntimeError): EngineError {
  const error = new EngineError(
    `internal error, please report: the recorder has stopped (${cause.message})\n  help: terminate() and init() begin anew`,
    'recorder',
  );
  error.cause = cause;
  return error;
}

/** Why the rest of the recorder cannot be had. It is thrown through the module, which then is in the midst of a call. */
class MissingPart extends Error {
  told(help: string): EngineError {
    return new EngineError(`a part of the recorder cannot be loaded: ${this.message}\n  help: ${help}`, 'recorder');
  }
}

/**
 * Keeps the state of a module before calls that may need the rest, while that is not there: the first of each name, since
 * a copy of the memory takes 0.1 ms or more, and all once it could not be loaded. Gives the way back.
 */
function saving(own: Exports, rest: Rest): Saving {
  const seen = new Set<unknown>();
  const globals = Object.values(own).filter((value) => value instanceof WebAssembly.Global);
  return (name, first) => {
    // Ops are told apart by their numbers.
    const call = name === 'call' ? first : name;
    if (own.rest?.value !== 0 || (seen.has(call) && !rest.hasFailed)) return undefined;
    seen.add(call);
    const bytes = new Uint8Array(own.memory.buffer).slice();
    const values = globals.map((global) => global.value as number);
    return () => {
      new Uint8Array(own.memory.buffer).set(bytes);
      globals.forEach((global, n) => {
        if (global.value !== values[n]) global.value = values[n];
      });
    };
  };
}

/** A module that is not in use yet. */
export interface Loaded {
  readonly exports: Exports;
}

/** Loads the module; what is in use is left alone. */
export async function loaded(module: WebAssembly.Module, rest: Rest): Promise<Loaded> {
  const page = {
    trace(id: number, count: number): number {
      return tracer(id, read((from) => Array.from({ length: count }, () => from.u32())));
    },
    bring: () => join(),
  };
  const bytes = unpacked(module);
  const { exports } = await WebAssembly.instantiate(bytes ? await WebAssembly.compile(bytes) : module, { page });
  const own = exports as unknown as Exports;
  const join = (): void => {
    try {
      joined(own, rest.now(), page);
    } catch (error) {
      throw new MissingPart(said(error));
    }
  };
  return { exports: guarded(own, saving(own, rest)) };
}

/** Joins the rest to the first module. It asks for functions by their places in the table, and for all else by name. */
function joined(first: Exports, rest: WebAssembly.Module, page: WebAssembly.ModuleImports): void {
  const wanted = WebAssembly.Module.imports(rest).filter(({ module }) => module !== 'page');
  const other = wanted.find(({ module }) => module !== built);
  if (other) throw new Error(`it is of build ${other.module}, all else of ${built}: load both from one package`);
  const given = wanted.map(({ name, kind }) => [name, kind === 'function' ? first.table.get(Number(name)) : first[name as keyof Exports]]);
  new WebAssembly.Instance(rest, { page, [built]: Object.fromEntries(given) as WebAssembly.ModuleImports });
  if (first.rest) first.rest.value = 1;
}

/** Starts a module, which takes the place of the one before. */
export function use({ exports }: Loaded, build: string): void {
  wasm = exports;
  broken = undefined;
  // A new module has a scratch of its own, as small as the first was.
  room = 0;
  wasm.start();
  wasm.build_name();
  built = read((from) => from.text());
  if (build && built !== build) {
    throw new EngineError(`the recorder is of build ${built}, this JavaScript of ${build}: load both from one package`);
  }
}

/** The module, once `init` is through. */
export function recorder(): Exports {
  if (!wasm) throw new EngineError('Brasa is not ready\n  help: await init() first', 'init');
  if (broken) throw broken;
  return wasm;
}

/** Tells the module what is no longer needed, which the collector does too. One that is broken need not be told. */
export function giveBack(tell: (module: Exports) => void): void {
  if (wasm && !broken) tell(wasm);
}

function refresh(len: number): void {
  const all = recorder();
  base = all.scratch(len);
  room = Math.max(room, len, 4096);
  view = new DataView(all.memory.buffer);
}

/** Writes arguments, one after the other. */
export class Writer {
  private at = 0;

  begin(): this {
    this.at = 0;
    if (view.buffer.byteLength === 0) refresh(4096);
    return this;
  }

  /** Where the next bytes go. The view may be another one afterwards. */
  #reserve(len: number): number {
    const at = this.at;
    this.at += len;
    if (this.at > room || view.buffer.byteLength === 0) {
      // The scratch keeps what was written when it grows.
      refresh(Math.max(this.at, 2 * room));
    }
    return base + at;
  }

  byte(x: number): this {
    const at = this.#reserve(1);
    view.setUint8(at, x);
    return this;
  }

  u32(x: number): this {
    if (x === undefined) throw new ArgumentError('an argument is no tensor, where one is expected');
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

  /** How long it is. */
  get len(): number {
    return this.at;
  }
}

/** Reads results, one after the other. */
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

  /** A copy, in a buffer of its own. */
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

const take = new Reader();
/** The one writer: arguments are written and used before anything else is called. */
export const args = new Writer();

/** Reads what the last call has left. */
export function read<T>(look: (from: Reader) => T): T {
  refresh(0);
  take.at = 0;
  return look(take);
}

/** The number that a call has given, unless it was rejected: then throws, at the line of `caller`. */
export function checked(result: number, caller?: (...args: never[]) => unknown): number {
  const number = result >>> 0;
  if (number === FAILED) throw rejection(caller);
  return number;
}

function rejection(caller?: (...args: never[]) => unknown): Error {
  if (recorder().fault() === 0) return new ArgumentError('the call failed');
  const error = read((from) => {
    const [kind, op, message, site] = [from.byte(), from.text(), from.text(), from.text()];
    return rebuilt({ name: KIND_NAMES[kind] ?? 'BrasaError', op, message, site: resolved(site) });
  });
  const capture = (Error as { captureStackTrace?: (error: Error, from?: unknown) => void }).captureStackTrace;
  if (caller) capture?.(error, caller);
  return error;
}

/** A place where a call was made: its stack is written out when wanted. Until then it holds all that was at work there. */
export type Place = Error;

/** Places where calls were made, while they are kept; those of a compiled function are held by the function alone. */
const sites: (Place | WeakRef<Place>)[] = [];
let keepsSites = false;
let holder: Place[] | undefined;

/** Runs `body` and lets this list hold the places of its calls. */
export function placedIn<T>(places: Place[], body: () => T): T {
  const [before, keptBefore] = [holder, keepSites(true)];
  holder = places;
  try {
    return body();
  } finally {
    holder = before;
    keepSites(keptBefore);
  }
}

/** The part of the model that each place belongs to, and the one at work now. */
const partOfSite: string[] = [];
let currentPart = '';

/** Says that a part of the model is at work; gives what ends it. */
export function enterPart(path: string): () => void {
  const before = currentPart;
  currentPart = path;
  return () => {
    currentPart = before;
  };
}

/** Calls of layers within layers lie deep below the user's own. */
const STACK_DEPTH = 50;

/** Says whether the place of each call is kept. */
export function keepSites(keep: boolean): boolean {
  const before = keepsSites;
  keepsSites = keep;
  Error.stackTraceLimit = keep ? STACK_DEPTH : 10;
  if (!keep && wasm) wasm.set_site(0);
  return before;
}

const MOST_SITES = 100_000;

/** Whether a function is being compiled. */
export const isRecording = (): boolean => holder !== undefined;

/** Notes where the user has called, if places are kept. */
export function noteSite(): void {
  if (!keepsSites) return;
  if (sites.length >= MOST_SITES) sites.length = 0;
  const place = new Error();
  holder?.push(place);
  sites.push(holder ? new WeakRef(place) : place);
  partOfSite[sites.length - 1] = currentPart;
  recorder().set_site(sites.length);
}

/** The part of the model that was at work at `#n`. */
export function partAt(site: string): string | undefined {
  return (site.startsWith('#') && partOfSite[Number(site.slice(1)) - 1]) || undefined;
}

/** The place behind `#n`. */
export function resolved(site: string): string {
  if (!site.startsWith('#')) return site;
  const place = sites[Number(site.slice(1)) - 1];
  const stack = (place instanceof WeakRef ? place.deref() : place)?.stack?.split('\n') ?? [];
  const own = new URL('.', import.meta.url).href;
  const frames = stack.slice(1).map((line) => line.trim().replace(/^at /, ''));
  const user = frames.find((line) => !line.includes(own)) ?? frames[0] ?? '';
  return user.replace(/^.*\((.*)\)$/, '$1');
}
