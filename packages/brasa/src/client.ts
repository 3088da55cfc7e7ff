/** The page's side: starts the engine's worker and its helpers, sends what the recorder has queued, hands out answers. */
import * as assets from './assets.ts';
import { bind } from './bind.ts';
import { given } from './buffers.ts';
import { ArgumentError, type BrasaError, EngineError, rebuilt, said } from './errors.ts';
import { flavour, MODULES, threadsOf, whyOf, workerOf } from './flavour.ts';
import { nextGeneration, setMemoryBudget, usualBudget } from './memory.ts';
import { isNode, type Port, spawn } from './port.ts';
import type { Flavour, Message, NamedInput, Reply, Request, Results, Told, Upload } from './protocol.ts';
import { checked, keepSites, loaded, read, recorder, resolved, use } from './recorder.ts';
import { Rest } from './rest.ts';

declare const BRASA_BUILD: string | undefined;

/** The name of this build, where there is one. */
const BUILD = typeof BRASA_BUILD === 'string' ? BRASA_BUILD : '';

export interface InitOptions {
  /** Where tensors are computed: the processor by default; `'auto'` prefers WebGPU where there is an adapter. */
  device?: 'cpu' | 'webgpu' | 'auto' | undefined;
  /**
   * How many threads compute; as many as the machine has by default. Several need a page that is cross-origin
   * isolated; elsewhere there is one.
   */
  threads?: number | undefined;
  /** The seed of all random draws. */
  seed?: number | undefined;
  /** Keeps the place of every call, so that errors found later name it. Costs a microsecond each. */
  debug?: boolean | undefined;
  /**
   * The folder that the package's `dist` is served from, where its files do not lie beside the program that imports
   * it: `/vendor/brasa/`, or an address on another server.
   */
  base?: string | undefined;
  /**
   * Waits until the engine is warm: browsers compile its functions when they are first called. That takes a third of a
   * second, and first steps are twice as fast. By default it is done when the page asks for nothing for a while.
   */
  warm?: boolean | undefined;
  /**
   * Waits until all of the recorder is there. By default what most pages never call comes after all else; where it is
   * called before that, the page waits for it, a moment of the network.
   */
  whole?: boolean | undefined;
  /**
   * Compares every kernel with its plain meaning: the first result that differs is an error with op and element. Hundreds
   * of times slower, on one thread of the processor or on WebGPU; for finding out whether a surprising result is the
   * model's or Brasa's.
   */
  check?: boolean | undefined;
  /** Is told when the graphics processor was lost and another device goes on; by default the console is. */
  onLoss?: ((loss: Loss) => void) | undefined;
}

/** The loss of a graphics processor. No value is lost with it: what was computed since the last saving is repeated. */
export interface Loss {
  /** What computes from here on. */
  readonly device: 'cpu' | 'webgpu';
  /** What the browser says of the loss. */
  readonly why: string;
  /** How many programs were run again, such as steps of training. */
  readonly repeated: number;
}

/** How things stand after `init`. */
export interface Status {
  readonly device: 'cpu' | 'webgpu';
  readonly threads: number;
  /** The graphics processor, where it computes. */
  readonly adapter: string | undefined;
  /** Why it is so, in words. */
  readonly why: string;
}

interface Pending {
  resolve(value: never): void;
  reject(error: BrasaError): void;
}

/** How many calls that nobody waits for go in one message while the engine is busy: W4 takes 0.07 ms with 1. */
const CALLS_PER_MESSAGE = 16;

/** A running engine, behind a port. */
export class Client {
  readonly #requests = new Map<number, Pending>();
  readonly #values = new Map<number, Pending>();
  readonly #helpers: Port[] = [];
  #nextId = 1;
  #isHeld = false;
  /** Why it has ended. */
  death: BrasaError | undefined;
  uploads: Upload[] = [];
  #unsent = 0;

  constructor(
    private readonly port: Port,
    private readonly options: Pick<InitOptions, 'base' | 'check' | 'threads' | 'onLoss'> = {},
  ) {
    port.onMessage((data) => this.#receive(data as Reply | Told));
    port.onDeath((reason) => this.die(`the engine's worker has died: ${reason}`));
  }

  /** Sends a request; the result comes later. */
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
        reject(new EngineError(`a message cannot be sent: ${said(error)}`));
      }
    });
  }

  /** Memory that cannot be handed over, such as that of another module, is copied. */
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

  /** A value that was asked for by this number. */
  value(number: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.death) return Promise.reject(this.death);
    return new Promise((resolve, reject) => this.#values.set(number, { resolve: resolve as Pending['resolve'], reject }));
  }

  /** Who waits for a value, which has come. */
  #settled(number: number): Pending | undefined {
    const waiting = this.#values.get(number);
    this.#values.delete(number);
    return waiting;
  }

  /** Sends all that is asked for by `body` in one message. */
  together<T>(body: () => T): T {
    if (this.#isHeld) return body();
    this.#isHeld = true;
    try {
      return body();
    } finally {
      this.#isHeld = false;
      this.post().catch(() => undefined);
    }
  }

  /** Sends all that is queued; gives the milliseconds of each kernel of the last program, if asked to. */
  post(isTimed = false): Promise<Float64Array | undefined> {
    if (this.#isHeld) return Promise.resolve(undefined);
    this.#unsent = 0;
    const len = recorder().take_commands();
    if (len === 0 && this.uploads.length === 0) return Promise.resolve(undefined);
    const commands = len === 0 ? new Uint8Array(0) : read((from) => from.bytes());
    const { uploads } = this;
    this.uploads = [];
    const transfer = [commands.buffer, ...uploads.map(({ bytes }) => bytes.buffer)];
    const asked = [...this.#values.keys()];
    const running = this.request<'run'>({ kind: 'run', commands, uploads, isTimed }, transfer);
    // What was asked for before has been answered by then.
    running.catch((error: BrasaError) => asked.forEach((number) => this.#settled(number)?.reject(error)));
    return running.then(({ answers, times, spent = [] }) => {
      given(spent);
      for (const answer of answers) {
        const waiting = this.#settled(answer.number);
        if (!waiting) continue;
        if ('bytes' in answer) waiting.resolve(answer.bytes as never);
        else waiting.reject(rebuilt({ ...answer.error, site: resolved(answer.error.site) }));
      }
      return times;
    });
  }

  /** Sends what is queued: at once where the engine is idle, else with what else this task of the page queues. */
  postSoon(): void {
    this.#unsent += 1;
    const post = (): void => {
      if (this.#unsent > 0) this.post().catch(() => undefined);
    };
    if (this.#requests.size === 0 || this.#unsent >= CALLS_PER_MESSAGE) post();
    else if (this.#unsent === 1) queueMicrotask(post);
  }

  #receive(reply: Reply | Told): void {
    if ('told' in reply) {
      this.#listen(reply);
      return;
    }
    const waiting = this.#requests.get(reply.id);
    this.#requests.delete(reply.id);
    this.#hold();
    if (!waiting) return;
    if (reply.ok) waiting.resolve(reply.result as never);
    else waiting.reject(rebuilt(reply.error));
  }

  #listen(news: Told): void {
    if (news.told === 'stopped') {
      this.die(`the engine has stopped: ${news.why}`);
      return;
    }
    if (news.told === 'moved') {
      const { device, why, repeated } = news;
      if (this === client && status) status = { ...status, device, why };
      (this.options.onLoss ?? warn)({ device, why, repeated });
      return;
    }
    this.#standIn().catch((error: unknown) => this.die(`the graphics processor was lost, and the processor cannot go on: ${said(error)}`));
  }

  /** Gives the worker an engine on the processor. */
  async #standIn(): Promise<void> {
    const own = this.options.check ? 'checked' : flavour();
    const module = await MODULES[own](this.options.base);
    const { memory } = await this.request<'inherit'>({ kind: 'inherit', module, flavour: own });
    if (memory) await this.help(own, module, memory, threadsOf(own, this.options) - 1);
  }

  /** Rejects all that is under way, and all that will be asked. */
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

  /** Lends threads to the engine. */
  async help(flavour: Flavour, module: WebAssembly.Module, memory: WebAssembly.Memory, count: number): Promise<void> {
    const message: Message = { id: 0, kind: 'help', module, memory, flavour };
    await Promise.all(Array.from({ length: count }, () => this.lend(spawn(assets.worker, this.options.base), message)));
  }

  /** Lends one thread. When it stops, nothing that the engine has begun comes to an end. */
  async lend(helper: Port, message: Message): Promise<void> {
    this.#helpers.push(helper);
    helper.hold(true);
    await new Promise<void>((resolve, reject) => {
      const stop = (reason: string): void => {
        reject(new EngineError(`a thread cannot be started: ${reason}`));
        this.die(`a thread of the engine has stopped: ${reason}`);
      };
      helper.onMessage((data) => {
        const reply = data as Reply | Told;
        if ('told' in reply) stop('why' in reply ? reply.why : reply.told);
        else if (reply.ok) resolve();
        else reject(rebuilt(reply.error));
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

function warn({ device, why, repeated }: Loss): void {
  console.warn(`brasa: the graphics processor was lost (${why}); ${device === 'cpu' ? 'the processor' : 'another'} goes on, with ${repeated} runs repeated`);
}

/** Lets an engine make ready for first steps while the page does something else. Where that fails, they are slower. */
async function warmUp(started: Client, { base, warm: isAwaited = false }: InitOptions): Promise<void> {
  // Programs in Node rarely wait for something else.
  if (isNode || !assets.warming) return;
  const messages = await assets.warming(base);
  await started.request<'warm'>({ kind: 'warm', messages, isAwaited }, [messages.buffer]);
}

/** One call of `init`, until it is through or `terminate` is called. */
class Attempt {
  #own: Client | undefined;
  #reason: string | undefined;

  constructor(readonly options: InitOptions) {}

  /** Ends all that this attempt has started. */
  end(reason: string): void {
    this.#reason = reason;
    this.#own?.die(reason);
  }

  /** What follows a wait is not to be done once the attempt has ended. */
  async #through<T>(waited: Promise<T>): Promise<T> {
    const value = await waited;
    if (this.#reason !== undefined) throw new EngineError(this.#reason, 'init');
    return value;
  }

  /** Starts an engine on a device. */
  async #startOn(device: 'cpu' | 'webgpu', asked: string): Promise<Status> {
    const { options } = this;
    const { base } = options;
    const own = options.check ? 'checked' : device === 'cpu' ? flavour() : 'single';
    const threads = threadsOf(own, options);
    const started = new Client(spawn(workerOf(own), base), options);
    this.#own = started;
    const rest = new Rest(base);
    const loading = Promise.all([assets.recorder(base).then((module) => loaded(module, rest)), device === 'webgpu' && !options.check ? assets.engineWebgpu(base) : MODULES[own](base)]);
    const [recording, module] = await this.#through(loading.catch((error: unknown) => {
      started.die('the engine cannot be loaded');
      throw new EngineError(`the engine cannot be loaded: ${said(error)}`, 'init');
    }));
    // Now that all else has come. Where it fails, a call that needs it says so.
    const isLoading = !isNode || options.whole;
    const whole = isLoading ? rest.load() : Promise.resolve();
    whole.catch(() => undefined);
    nextGeneration();
    use(recording, BUILD);
    const start = started.request<'start'>({ kind: 'start', device, module, build: BUILD, flavour: own });
    const { memory, adapter } = await this.#through(start.catch((error: BrasaError) => {
      throw new EngineError(device === 'webgpu' ? `WebGPU cannot be used here: ${error.message}` : error.message, 'init');
    }));
    if (memory) await this.#through(started.help(own, module, memory, threads - 1));
    if (device === 'cpu' && !options.check) {
      const warming = warmUp(started, options).catch(() => undefined);
      if (options.warm) await this.#through(warming);
    }
    if (options.whole || !assets.canLoadNow) await this.#through(whole);
    client = started;
    setMemoryBudget(usualBudget());
    if (options.seed !== undefined) manualSeed(options.seed);
    keepSites(options.debug ?? false);
    status = { device, threads, adapter, why: `${asked}; ${whyOf(own, adapter)}` };
    return status;
  }

  async start(): Promise<Status> {
    const { device = 'cpu' } = this.options;
    if (device !== 'auto') return this.#startOn(device, this.options.device ? 'as asked' : 'the processor by default');
    try {
      return await this.#startOn('webgpu', 'there is WebGPU');
    } catch (error) {
      if (this.#reason !== undefined) throw error;
      this.#own?.die('there is no WebGPU');
      return this.#startOn('cpu', said(error));
    }
  }
}

let attempt: Attempt | undefined;

/** What `init` takes; a number alone is that of threads. */
const OPTIONS = 'threads?n * device?cpu|webgpu|auto seed?n debug?b base?s warm?b whole?b check?b onLoss?f';

/** Throws where the checked mode is not at hand. */
function refuseUnchecked(): void {
  if (!assets.engineChecked) throw new ArgumentError('init: this file has no checked mode\n  help: import the package');
}

/** Says that options of a later call of `init` have no effect. */
function warnOfOptions(first: InitOptions, later: InitOptions): void {
  const names = (Object.keys(later) as (keyof InitOptions)[]).filter((name) => later[name] !== undefined && later[name] !== first[name]);
  if (names.length === 0) return;
  const told = names.map((name) => `${name}: ${String(later[name])} (it is ${String(first[name] ?? 'as by default')})`);
  console.warn(`brasa: the engine was started before, and init has no effect on ${told.join(', ')}\n  help: terminate() first`);
}

/**
 * Starts the engine; has to be awaited before all else. A second call gives what the first has started, and warns where
 * it asks for something else; where the first has died since, another is started, and tensors have lost their values.
 *
 * ```ts
 * await init();
 * await init({ device: 'cpu', threads: 4 });
 * ```
 */
export async function init(options: InitOptions | number = {}): Promise<Status> {
  const own = Object.fromEntries(bind('init', OPTIONS, [options])) as InitOptions;
  if (own.check) refuseUnchecked();
  // One that has died has lost all values: another takes its place.
  if (client?.death) terminate();
  if (starting && attempt) {
    warnOfOptions(attempt.options, own);
    return starting;
  }
  const begun = new Attempt(own);
  attempt = begun;
  starting = begun.start().catch((error: unknown) => {
    begun.end(said(error));
    if (attempt === begun) forgetAttempt();
    throw error;
  });
  return starting;
}

function forgetAttempt(): void {
  client = attempt = starting = status = undefined;
}

/** Where the program of the workers lies, for pages that load it ahead. */
export function workerUrl(): URL {
  return assets.worker.url();
}

/**
 * Ends the engine, or its start. What is under way is rejected; tensors lose their values. `init` starts a new one.
 */
export function terminate(): void {
  attempt?.end('the engine was terminated');
  forgetAttempt();
}

/** What computes, once `init` is through. */
export function chosenDevice(): 'cpu' | 'webgpu' {
  running();
  return status?.device ?? 'cpu';
}

function running(): Client {
  if (!client) throw new EngineError('the engine was not started\n  help: await init() first', 'init');
  return client;
}

/** Has what the recorder has queued sent. What fails is told by those who read. */
export function postAll(): void {
  running().postSoon();
}

/** Sends all that is asked for by `body`, which awaits nothing, in one message. */
export function together<T>(body: () => T): T {
  return running().together(body);
}

/** Sends what the recorder has queued; the milliseconds of each kernel of the last program in it. */
export async function postTimed(): Promise<Float64Array> {
  return (await running().post(true)) ?? new Float64Array();
}

/** What becomes of a recorded graph, as JSON, and the shaders of its kernels. */
export function explained(graph: Uint8Array<ArrayBuffer>, inputs: readonly NamedInput[]): Promise<Results['explain']> {
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

/** Brings bytes to the memory that the recorder has just announced; gives the handle back. */
export function upload(bytes: Uint8Array<ArrayBuffer>, handle: number): number {
  const memory = read((from) => from.f64());
  running().uploads.push({ memory, bytes });
  return handle;
}

/** Makes all random draws from here on those of this seed. */
export function manualSeed(seed: number): void {
  bind('manualSeed', 'seed:n', [seed]);
  recorder().manual_seed(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
}

/** What is held: handles in the page, tensors and bytes in the engine. */
export async function memory(): Promise<Results['memory'] & { readonly handles: number }> {
  await synchronize();
  const held = await running().request<'memory'>({ kind: 'memory' });
  return { handles: recorder().held(), ...held };
}
