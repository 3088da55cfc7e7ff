/** The page's side of the engine: starts its worker and helper threads, sends the recorder's commands, resolves reads. */
import * as assets from './assets.ts';
import { bind } from './bind.ts';
import { recycleBuffers } from './buffers.ts';
import { ArgumentError, type BrasaError, EngineError, messageOf, rebuildError } from './errors.ts';
import { defaultBudget, nextGeneration, setMemoryBudget } from './memory.ts';
import { isNode, type Port, spawn } from './port.ts';
import type { Message, NamedInput, Reply, Request, Results, Upload, Variant, WorkerEvent } from './protocol.ts';
import { activate, checked, keepSites, loadRecorder, read, recorder, resolveSite } from './recorder.ts';
import { chooseVariant, MODULES, threadsOf, whyOf, workerOf } from './variant.ts';

declare const BRASA_BUILD: string | undefined;

/** The name of this build; empty in sources that were not built. */
const BUILD = typeof BRASA_BUILD === 'string' ? BRASA_BUILD : '';

export interface InitOptions {
  /** The device: `'cpu'` by default; `'auto'` uses WebGPU if there is an adapter, else the CPU. */
  device?: 'cpu' | 'webgpu' | 'auto' | undefined;
  /**
   * The number of threads; by default one per core. More than one needs a cross-origin isolated page.
   */
  threads?: number | undefined;
  /** The seed of the random generator. */
  seed?: number | undefined;
  /** Records the call site of every op, so that later errors can name it. Costs a microsecond per call. */
  debug?: boolean | undefined;
  /**
   * The folder that serves the package's `dist`, if it is not next to the importing script: `/vendor/brasa/`, or a URL on
   * another server.
   */
  base?: string | undefined;
  /**
   * Waits until the engine is warm: browsers compile its functions when they are first called. Takes a third of a second,
   * and first steps are twice as fast. By default the engine warms up when it has been idle for a while.
   */
  warm?: boolean | undefined;
  /**
   * Checks every kernel against a reference implementation: the first difference is an error with op and element.
   * Hundreds of times slower, on one CPU thread or on WebGPU; tells whether a surprising result is due to the model or to
   * Brasa.
   */
  check?: boolean | undefined;
  /** Called after the GPU was lost and another device has taken over; by default, logs a warning. */
  onLoss?: ((loss: DeviceLoss) => void) | undefined;
}

/** The loss of a GPU. No data is lost: what was computed since the last save is computed again. */
export interface DeviceLoss {
  /** The device that computes from now on. */
  readonly device: 'cpu' | 'webgpu';
  /** The browser's reason. */
  readonly why: string;
  /** The number of programs, such as training steps, that were run again. */
  readonly repeated: number;
}

/** @deprecated Use `DeviceLoss`. */
export type Loss = DeviceLoss;

/** What `init` has started. */
export interface Status {
  readonly device: 'cpu' | 'webgpu';
  readonly threads: number;
  /** The GPU adapter, if it computes. */
  readonly adapter: string | undefined;
  /** Why this device and number of threads were chosen. */
  readonly why: string;
}

interface Pending {
  resolve(value: never): void;
  reject(error: BrasaError): void;
}

/** Calls batched into one message while the engine is busy. With 1, W4 takes 0.07 ms. */
const CALLS_PER_MESSAGE = 16;

/** A running engine, behind a port. */
export class Client {
  readonly #requests = new Map<number, Pending>();
  readonly #values = new Map<number, Pending>();
  readonly #helpers: Port[] = [];
  #nextId = 1;
  #isHeld = false;
  /** The error it ended with. */
  death: BrasaError | undefined;
  uploads: Upload[] = [];
  #unsent = 0;

  constructor(
    private readonly port: Port,
    private readonly options: Pick<InitOptions, 'base' | 'check' | 'threads' | 'onLoss'> = {},
  ) {
    port.onMessage((data) => this.#receive(data as Reply | WorkerEvent));
    port.onDeath((reason) => this.die(`the engine's worker has died: ${reason}`));
  }

  /** Sends a request; resolves with the reply. */
  request<K extends Request['kind']>(request: Extract<Request, { kind: K }>, transfer: ArrayBuffer[] = []): Promise<Results[K]> {
    if (this.death) return Promise.reject(this.death);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.#hold();
      try {
        this.#send({ id, ...request }, transfer);
      } catch (error) {
        this.#requests.delete(id);
        this.#hold();
        reject(new EngineError(`a message cannot be sent: ${messageOf(error)}`));
      }
    });
  }

  /** Posts a message; copies buffers that cannot be transferred, such as those of another wasm module. */
  #send(message: Message, transfer: readonly ArrayBuffer[]): void {
    try {
      this.port.post(message, [...new Set(transfer)]);
    } catch (error) {
      if (transfer.length === 0) throw error;
      this.port.post(message, []);
    }
  }

  #hold(): void {
    this.port.hold(this.#requests.size > 0);
  }

  /** Resolves with the value of the read with this number. */
  value(number: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.death) return Promise.reject(this.death);
    return new Promise((resolve, reject) => this.#values.set(number, { resolve: resolve as Pending['resolve'], reject }));
  }

  /** Removes and returns the pending read with this number. */
  #takePending(number: number): Pending | undefined {
    const waiting = this.#values.get(number);
    this.#values.delete(number);
    return waiting;
  }

  /** Sends everything that `body` requests in one message. */
  inOneMessage<T>(body: () => T): T {
    if (this.#isHeld) return body();
    this.#isHeld = true;
    try {
      return body();
    } finally {
      this.#isHeld = false;
      this.post().catch(() => undefined);
    }
  }

  /** Sends all queued commands; with `isTimed`, resolves with the milliseconds of each kernel of the last program. */
  post(isTimed = false): Promise<Float64Array | undefined> {
    if (this.#isHeld) return Promise.resolve(undefined);
    this.#unsent = 0;
    const len = recorder().take_commands();
    if (len === 0 && this.uploads.length === 0) return Promise.resolve(undefined);
    const commands = len === 0 ? new Uint8Array(0) : read((from) => from.bytes());
    const { uploads } = this;
    this.uploads = [];
    const transfer = [commands.buffer, ...uploads.map(({ bytes }) => bytes.buffer)];
    const reads = [...this.#values.keys()];
    const running = this.request<'run'>({ kind: 'run', commands, uploads, isTimed }, transfer);
    // Reads of earlier messages are settled by then.
    running.catch((error: BrasaError) => reads.forEach((number) => this.#takePending(number)?.reject(error)));
    return running.then(({ answers, times, spent = [] }) => {
      recycleBuffers(spent);
      for (const answer of answers) {
        const waiting = this.#takePending(answer.number);
        if (!waiting) continue;
        if ('bytes' in answer) waiting.resolve(answer.bytes as never);
        else waiting.reject(rebuildError({ ...answer.error, site: resolveSite(answer.error.site) }));
      }
      return times;
    });
  }

  /** Sends queued commands: at once if the engine is idle, else together with what the current task still queues. */
  postSoon(): void {
    this.#unsent += 1;
    const post = (): void => {
      if (this.#unsent > 0) this.post().catch(() => undefined);
    };
    if (this.#requests.size === 0 || this.#unsent >= CALLS_PER_MESSAGE) post();
    else if (this.#unsent === 1) queueMicrotask(post);
  }

  #receive(reply: Reply | WorkerEvent): void {
    if ('event' in reply) {
      this.#handleEvent(reply);
      return;
    }
    const waiting = this.#requests.get(reply.id);
    this.#requests.delete(reply.id);
    this.#hold();
    if (!waiting) return;
    if (reply.ok) waiting.resolve(reply.result as never);
    else waiting.reject(rebuildError(reply.error));
  }

  #handleEvent(event: WorkerEvent): void {
    if (event.event === 'stopped') {
      this.die(`the engine has stopped: ${event.why}`);
      return;
    }
    if (event.event === 'moved') {
      const { device, why, repeated } = event;
      if (this === client && status) status = { ...status, device, why };
      (this.options.onLoss ?? warn)({ device, why, repeated });
      return;
    }
    this.#startFallback().catch((error: unknown) => this.die(`the GPU was lost, and the CPU cannot take over: ${messageOf(error)}`));
  }

  /** Provides the worker with an engine on the CPU. */
  async #startFallback(): Promise<void> {
    const own = this.options.check ? 'checked' : chooseVariant();
    const module = await MODULES[own](this.options.base);
    const { memory } = await this.request<'fallback'>({ kind: 'fallback', module, variant: own });
    if (memory) await this.startHelpers(own, module, memory, threadsOf(own, this.options) - 1);
  }

  /** Stops the workers and rejects all pending and future requests. */
  die(reason: string): void {
    if (this.death) return;
    this.death = new EngineError(reason);
    for (const waiting of [...this.#requests.values(), ...this.#values.values()]) waiting.reject(this.death);
    this.#requests.clear();
    this.#values.clear();
    this.#helpers.forEach((helper) => helper.terminate());
    this.port.hold(false);
    this.port.terminate();
  }

  /** Starts the engine's helper threads. */
  async startHelpers(variant: Variant, module: WebAssembly.Module, memory: WebAssembly.Memory, count: number): Promise<void> {
    const message: Message = { id: 0, kind: 'help', module, memory, variant };
    await Promise.all(Array.from({ length: count }, () => this.startHelper(spawn(assets.worker, this.options.base), message)));
  }

  /** Starts one helper thread. If it stops, the engine hangs, so that the client ends with it. */
  async startHelper(helper: Port, message: Message): Promise<void> {
    this.#helpers.push(helper);
    helper.hold(true);
    await new Promise<void>((resolve, reject) => {
      const stop = (reason: string): void => {
        reject(new EngineError(`an engine thread cannot be started: ${reason}`));
        this.die(`an engine thread has stopped: ${reason}`);
      };
      helper.onMessage((data) => {
        const reply = data as Reply | WorkerEvent;
        if ('event' in reply) stop('why' in reply ? reply.why : reply.event);
        else if (reply.ok) resolve();
        else reject(rebuildError(reply.error));
      });
      helper.onDeath(stop);
      helper.post(message, []);
    });
    helper.hold(false);
  }
}

let client: Client | undefined;
let starting: Promise<Status> | undefined;
let status: Status | undefined;

function warn({ device, why, repeated }: DeviceLoss): void {
  console.warn(`brasa: the GPU was lost (${why}); continuing on ${device === 'cpu' ? 'the CPU' : 'another'}, ${repeated} runs repeated`);
}

/** Warms up the engine while the page does something else. If that fails, first steps are slower. */
async function warmUp(started: Client, { base, warm: isAwaited = false }: InitOptions): Promise<void> {
  // Programs in Node are rarely idle.
  if (isNode || !assets.warming) return;
  const messages = await assets.warming(base);
  await started.request<'warm'>({ kind: 'warm', messages, isAwaited }, [messages.buffer]);
}

/** One call of `init`, until it completes or `terminate` is called. */
class Attempt {
  #own: Client | undefined;
  #reason: string | undefined;

  constructor(readonly options: InitOptions) {}

  /** Cancels the attempt and stops what it has started. */
  end(reason: string): void {
    this.#reason = reason;
    this.#own?.die(reason);
  }

  /** Awaits `promise`; throws if the attempt was cancelled meanwhile. */
  async #unlessEnded<T>(promise: Promise<T>): Promise<T> {
    const value = await promise;
    if (this.#reason !== undefined) throw new EngineError(this.#reason, 'init');
    return value;
  }

  /** Starts an engine on a device. */
  async #startOn(device: 'cpu' | 'webgpu', reason: string): Promise<Status> {
    const { options } = this;
    const { base } = options;
    const own = options.check ? 'checked' : device === 'cpu' ? chooseVariant() : 'single';
    const threads = threadsOf(own, options);
    const started = new Client(spawn(workerOf(own), base), options);
    this.#own = started;
    const loading = Promise.all([assets.recorder(base).then(loadRecorder), device === 'webgpu' && !options.check ? assets.engineWebgpu(base) : MODULES[own](base)]);
    const [recording, module] = await this.#unlessEnded(loading.catch((error: unknown) => {
      started.die('the engine cannot be loaded');
      throw new EngineError(`the engine cannot be loaded: ${messageOf(error)}`, 'init');
    }));
    nextGeneration();
    activate(recording, BUILD);
    const start = started.request<'start'>({ kind: 'start', device, module, build: BUILD, variant: own });
    const { memory, adapter } = await this.#unlessEnded(start.catch((error: BrasaError) => {
      throw new EngineError(device === 'webgpu' ? `WebGPU cannot be used here: ${error.message}` : error.message, 'init');
    }));
    if (memory) await this.#unlessEnded(started.startHelpers(own, module, memory, threads - 1));
    if (device === 'cpu' && !options.check) {
      const warming = warmUp(started, options).catch(() => undefined);
      if (options.warm) await this.#unlessEnded(warming);
    }
    client = started;
    setMemoryBudget(defaultBudget());
    if (options.seed !== undefined) manualSeed(options.seed);
    keepSites(options.debug ?? false);
    status = { device, threads, adapter, why: `${reason}; ${whyOf(own, adapter)}` };
    return status;
  }

  async start(): Promise<Status> {
    const { device = 'cpu' } = this.options;
    if (device !== 'auto') return this.#startOn(device, this.options.device ? 'as requested' : 'CPU by default');
    try {
      return await this.#startOn('webgpu', 'WebGPU is available');
    } catch (error) {
      if (this.#reason !== undefined) throw error;
      this.#own?.die('WebGPU is not available');
      return this.#startOn('cpu', messageOf(error));
    }
  }
}

let attempt: Attempt | undefined;

/** The signature of `init`; a number alone is `threads`. */
const OPTIONS = 'threads?n * device?cpu|webgpu|auto seed?n debug?b base?s warm?b check?b onLoss?f';

/** Throws if this build has no checked mode. */
function requireChecked(): void {
  if (!assets.engineChecked) throw new ArgumentError('init: the one-file build has no checked mode\n  help: import the package');
}

/** Warns that options of a later `init` have no effect. */
function warnOfIgnored(first: InitOptions, later: InitOptions): void {
  const names = (Object.keys(later) as (keyof InitOptions)[]).filter((name) => later[name] !== undefined && later[name] !== first[name]);
  if (names.length === 0) return;
  const ignored = names.map((name) => `${name}: ${String(later[name])} (is ${String(first[name] ?? 'the default')})`);
  console.warn(`brasa: the engine is already running, init ignores ${ignored.join(', ')}\n  help: terminate() first`);
}

/**
 * Starts the engine; await it before any other call. A second call returns the status of the first and warns about
 * options that differ. If the engine has died since, a new one is started; tensors of the old one have lost their values.
 *
 * ```ts
 * await init();
 * await init({ device: 'cpu', threads: 4 });
 * ```
 */
export async function init(options: InitOptions | number = {}): Promise<Status> {
  const own = Object.fromEntries(bind('init', OPTIONS, [options])) as InitOptions;
  if (own.check) requireChecked();
  // A dead engine is replaced.
  if (client?.death) terminate();
  if (starting && attempt) {
    warnOfIgnored(attempt.options, own);
    return starting;
  }
  const current = new Attempt(own);
  attempt = current;
  starting = current.start().catch((error: unknown) => {
    current.end(messageOf(error));
    if (attempt === current) forgetAttempt();
    throw error;
  });
  return starting;
}

function forgetAttempt(): void {
  client = attempt = starting = status = undefined;
}

/** The URL of the worker script, for pages that preload it. */
export function workerUrl(): URL {
  return assets.worker.url();
}

/**
 * Stops the engine, or cancels its start. Pending reads are rejected; tensors lose their values. `init` starts a new one.
 */
export function terminate(): void {
  attempt?.end('the engine was terminated');
  forgetAttempt();
}

/** The device that `init` has chosen. */
export function chosenDevice(): 'cpu' | 'webgpu' {
  running();
  return status?.device ?? 'cpu';
}

function running(): Client {
  if (!client) throw new EngineError('the engine was not started\n  help: await init() first', 'init');
  return client;
}

/** Sends the recorder's queued commands soon. Reads report errors. */
export function postAll(): void {
  running().postSoon();
}

/** Sends everything that the synchronous `body` requests in one message. */
export function inOneMessage<T>(body: () => T): T {
  return running().inOneMessage(body);
}

/** Sends the recorder's queued commands; resolves with the milliseconds of each kernel of the last program. */
export async function postTimed(): Promise<Float64Array> {
  return (await running().post(true)) ?? new Float64Array();
}

/** How a recorded graph is compiled, as JSON, and the shaders of its kernels. */
export function explainGraph(graph: Uint8Array<ArrayBuffer>, inputs: readonly NamedInput[]): Promise<Results['explain']> {
  return running().request<'explain'>({ kind: 'explain', graph, inputs }, [graph.buffer]);
}

/** Sends all pending work to the engine and waits until it is done. */
export async function synchronize(): Promise<void> {
  recorder().flush();
  await running().post();
}

/** Sends all pending work to the engine, without waiting. */
export function flush(): void {
  recorder().flush();
  postAll();
}

/** The bytes of a tensor. */
export function fetchBytes(handle: number): Promise<Uint8Array<ArrayBuffer>> {
  const own = running();
  checked(recorder().read(handle), fetchBytes);
  const number = read((from) => from.f64());
  const value = own.value(number);
  own.post().catch(() => undefined);
  return value;
}

/** Queues bytes for the memory that the recorder has just announced; returns `handle`. */
export function upload(bytes: Uint8Array<ArrayBuffer>, handle: number): number {
  const memory = read((from) => from.f64());
  running().uploads.push({ memory, bytes });
  return handle;
}

/** Sets the seed of the random generator. */
export function manualSeed(seed: number): void {
  bind('manualSeed', 'seed:n', [seed]);
  recorder().manual_seed(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
}

/** Memory in use: handles in the page, tensors and bytes in the engine. */
export async function memory(): Promise<Results['memory'] & { readonly handles: number }> {
  await synchronize();
  const held = await running().request<'memory'>({ kind: 'memory' });
  return { handles: recorder().held(), ...held };
}
