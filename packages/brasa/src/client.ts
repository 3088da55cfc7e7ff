/** The page's side: starts the engine's worker and its helpers, sends what the recorder has queued, hands out answers. */
import * as assets from './assets.ts';
import { type BrasaError, EngineError, rebuilt } from './errors.ts';
import { nextGeneration } from './memory.ts';
import { type Port, spawn } from './port.ts';
import type { Message, NamedInput, Reply, Request, Results, Upload } from './protocol.ts';
import { checked, keepSites, load, read, recorder, resolved } from './recorder.ts';

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
}

/** How things stand after `init`. */
export interface Status {
  readonly device: 'cpu' | 'webgpu';
  readonly threads: number;
  /** The graphics processor, where it computes. */
  readonly adapter: string | undefined;
}

interface Pending {
  resolve(value: never): void;
  reject(error: BrasaError): void;
}

/** A running engine, behind a port. */
export class Client {
  private readonly requests = new Map<number, Pending>();
  private readonly values = new Map<number, Pending>();
  private readonly helpers: Port[] = [];
  private nextId = 1;
  private death: BrasaError | undefined;
  uploads: Upload[] = [];

  constructor(private readonly port: Port) {
    port.onMessage((data) => this.receive(data as Reply));
    port.onDeath((reason) => this.die(`the engine's worker has died: ${reason}`));
  }

  /** Sends a request; the result comes later. */
  request<K extends Request['kind']>(request: Extract<Request, { kind: K }>, transfer: ArrayBuffer[] = []): Promise<Results[K]> {
    if (this.death) return Promise.reject(this.death);
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.requests.set(id, { resolve: resolve as Pending['resolve'], reject });
      this.hold();
      const message: Message = { id, ...request };
      this.port.post(message, transfer);
    });
  }

  private hold(): void {
    this.port.hold(this.requests.size > 0);
  }

  /** A value that was asked for by this number. */
  value(number: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.death) return Promise.reject(this.death);
    return new Promise((resolve, reject) => this.values.set(number, { resolve: resolve as Pending['resolve'], reject }));
  }

  /** Sends all that is queued; gives the milliseconds of each kernel of the last program, if asked to. */
  post(isTimed = false): Promise<Float64Array | undefined> {
    const len = recorder().take_commands();
    if (len === 0 && this.uploads.length === 0) return Promise.resolve(undefined);
    const commands = len === 0 ? new Uint8Array(0) : read((from) => from.bytes());
    const { uploads } = this;
    this.uploads = [];
    const transfer = [commands.buffer, ...uploads.map(({ bytes }) => bytes.buffer)];
    return this.request<'run'>({ kind: 'run', commands, uploads, isTimed }, transfer).then(({ answers, times }) => {
      for (const answer of answers) {
        const waiting = this.values.get(answer.number);
        this.values.delete(answer.number);
        if (!waiting) continue;
        if ('bytes' in answer) waiting.resolve(answer.bytes as never);
        else waiting.reject(rebuilt({ ...answer.error, site: resolved(answer.error.site) }));
      }
      return times;
    });
  }

  private receive(reply: Reply): void {
    const waiting = this.requests.get(reply.id);
    this.requests.delete(reply.id);
    this.hold();
    if (!waiting) return;
    if (reply.ok) waiting.resolve(reply.result as never);
    else waiting.reject(rebuilt(reply.error));
  }

  /** Rejects all that is under way, and all that will be asked. */
  die(reason: string): void {
    if (this.death) return;
    this.death = new EngineError(reason);
    for (const waiting of [...this.requests.values(), ...this.values.values()]) waiting.reject(this.death);
    this.requests.clear();
    this.values.clear();
    this.helpers.forEach((helper) => helper.terminate());
    this.port.hold(false);
    this.port.terminate();
  }

  /** Lends threads to the engine. */
  async help(module: WebAssembly.Module, memory: WebAssembly.Memory, count: number): Promise<void> {
    const ready = Array.from({ length: count }, async () => {
      const helper = spawn(assets.worker);
      this.helpers.push(helper);
      helper.hold(true);
      await new Promise<void>((resolve, reject) => {
        helper.onMessage((data) => {
          const reply = data as Reply;
          if (reply.ok) resolve();
          else reject(rebuilt(reply.error));
        });
        helper.onDeath((reason) => {
          reject(new EngineError(`a thread cannot be started: ${reason}`));
          this.die(`a thread of the engine has died: ${reason}`);
        });
        helper.post({ id: 0, kind: 'help', module, memory } satisfies Message, []);
      });
      helper.hold(false);
    });
    await Promise.all(ready);
  }
}

let client: Client | undefined;
let starting: Promise<Status> | undefined;

/** How many threads to use. */
function threadCount(wanted: number | undefined): number {
  const canShare = typeof SharedArrayBuffer !== 'undefined' && (globalThis.crossOriginIsolated ?? true);
  if (!canShare) return 1;
  const machine = globalThis.navigator?.hardwareConcurrency ?? 4;
  return Math.max(1, Math.floor(wanted ?? Math.min(machine, 16)));
}

/** Starts an engine on a device. */
async function startedOn(device: 'cpu' | 'webgpu', options: InitOptions): Promise<Status> {
  const threads = device === 'cpu' ? threadCount(options.threads) : 1;
  const isShared = threads > 1;
  const engineModule = device === 'webgpu' ? assets.engineWebgpu() : isShared ? assets.engineThreads() : assets.engine();
  const loading = Promise.all([assets.recorder(), engineModule, spawn(assets.worker)]);
  const [recorderModule, module, port] = await loading.catch((error: unknown) => {
    throw new EngineError(`the engine cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  });
  nextGeneration();
  await load(recorderModule, BUILD);
  const own = new Client(port);
  client = own;
  const start = own.request<'start'>({ kind: 'start', device, module, build: BUILD, isShared });
  const { memory, adapter } = await start.catch((error: BrasaError) => {
    throw new EngineError(device === 'webgpu' ? `WebGPU cannot be used here: ${error.message}` : error.message, 'init');
  });
  if (memory) await own.help(module, memory, threads - 1);
  if (options.seed !== undefined) manualSeed(options.seed);
  keepSites(options.debug ?? false);
  return { device, threads, adapter };
}

async function started(options: InitOptions): Promise<Status> {
  const { device = 'cpu' } = options;
  if (device !== 'auto') return startedOn(device, options);
  try {
    return await startedOn('webgpu', options);
  } catch {
    client?.die('there is no WebGPU');
    return startedOn('cpu', options);
  }
}

/**
 * Starts the engine; has to be awaited before all else. A second call gives what the first has started.
 *
 * ```ts
 * await init();
 * await init({ device: 'cpu', threads: 4 });
 * ```
 */
export function init(options: InitOptions | number = {}): Promise<Status> {
  const own = typeof options === 'number' ? { threads: options } : options;
  starting ??= started(own).catch((error: unknown) => {
    terminate();
    throw error;
  });
  return starting;
}

/** Where the program of the workers lies, for pages that load it ahead. */
export function workerUrl(): URL {
  return assets.worker.url();
}

/** Ends the engine. What is under way is rejected; tensors lose their values. `init` starts a new one. */
export function terminate(): void {
  client?.die('the engine was terminated');
  client = undefined;
  starting = undefined;
}

/** Starts the engine on WebGPU; `false` where there is none, and the processor computes. */
export async function initWebGPUAsync(options: Omit<InitOptions, 'device'> = {}): Promise<boolean> {
  return (await init({ ...options, device: 'auto' })).device === 'webgpu';
}

function running(): Client {
  if (!client) throw new EngineError('the engine was not started\n  help: await init() first', 'init');
  return client;
}

/** Sends what the recorder has queued. What fails is told by those who read. */
export function postAll(): void {
  running().post().catch(() => undefined);
}

/** Sends what the recorder has queued; the milliseconds of each kernel of the last program in it. */
export async function postTimed(): Promise<Float64Array> {
  return (await running().post(true)) ?? new Float64Array();
}

/** What becomes of a recorded graph, as JSON. */
export async function explained(graph: Uint8Array<ArrayBuffer>, inputs: readonly NamedInput[]): Promise<string> {
  return (await running().request<'explain'>({ kind: 'explain', graph, inputs }, [graph.buffer])).json;
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
  recorder().manual_seed(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
}

/** What is held: handles in the page, tensors and bytes in the engine. */
export async function memory(): Promise<Results['memory'] & { readonly handles: number }> {
  await synchronize();
  const held = await running().request<'memory'>({ kind: 'memory' });
  return { handles: recorder().held(), ...held };
}
