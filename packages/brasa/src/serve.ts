/** The worker's message loop: it runs the engine, or one of the engine's helper threads. */
import type * as single from '../dist/wasm/engine.js';
import type * as checked from '../dist/wasm/engine-checked.js';
import type * as fused from '../dist/wasm/engine-fused.js';
import type * as threads from '../dist/wasm/engine-threads.js';
import type { Engine, Spare, WireAnswer } from './engine.ts';
import { openWebGpu, type WebGpuGlue } from './graphics.ts';
import { page } from './port.ts';
import { type Answer, isShared, type Message, type Results, toWireError, type Variant, type WorkerEvent } from './protocol.ts';

/** Stack size of helper threads: kernels need little. */
const STACK_BYTES = 1 << 20;

/** The wasm-bindgen glue of each CPU variant. */
interface CpuGlue {
  single: typeof single;
  threads: typeof threads;
  fused: typeof fused;
  checked: typeof checked;
}

/** The wasm-bindgen glue that a worker script bundles. */
interface Glue {
  readonly cpu: Partial<CpuGlue>;
  readonly webgpu: WebGpuGlue;
}

let known: Glue;

let engine: Engine | undefined;

const port = page();

function glueOf<V extends Variant>(variant: V): CpuGlue[V] {
  const glue = known.cpu[variant];
  if (!glue) throw new Error(`this worker has no engine '${variant}'`);
  return glue;
}

function takeAnswer(answer: WireAnswer): Answer {
  const { number } = answer;
  const [name = 'Error', op = '', message = '', site = ''] = answer.error() ?? [];
  const bytes = answer.bytes() as Uint8Array<ArrayBuffer> | undefined;
  answer.free();
  return bytes ? { number, bytes } : { number, error: { name, op, message, site } };
}

function checkBuild(name: string, build: string): void {
  if (build && name !== build) {
    throw new Error(`the engine is build ${name}, this JavaScript is ${build}: load both from one package`);
  }
}

function openCpu(variant: Variant, module: WebAssembly.Module, build: string): Engine {
  const glue = glueOf(variant);
  const { memory } = glue.initSync({ module });
  checkBuild(glue.build_name(), build);
  const own = new glue.Engine();
  return {
    run(commands, uploads, isTimed) {
      if (isTimed) own.set_timing(true);
      for (const upload of uploads) own.upload(upload.memory, upload.bytes);
      own.execute(commands);
      const answers: Answer[] = [];
      for (let next = own.answer(); next; next = own.answer()) answers.push(takeAnswer(next));
      const times = isTimed ? own.times() : undefined;
      if (isTimed) own.set_timing(false);
      return { answers, times };
    },
    spare: () => new glue.Engine(),
    explain: (...recording) => own.explain(...recording),
    tensors: () => own.count(),
    bytes: () => own.bytes(),
    programs: () => own.programs(),
    threads: () => glue.threads(),
    paths: () => (own as { paths?: () => string }).paths?.() ?? '',
    heap: memory,
  };
}

/** The result of starting an engine, with the memory to share with helpers. */
function startResult(own: Engine, hasHelpers: boolean): Results['start'] {
  return { memory: hasHelpers ? own.heap : undefined, adapter: own.adapter };
}

async function start({ device, module, build, variant }: Extract<Message, { kind: 'start' }>): Promise<Results['start']> {
  if (device !== 'webgpu') {
    engine = openCpu(variant, module, build);
    return startResult(engine, isShared(variant));
  }
  engine = await openWebGpu(known.webgpu, module, {
    takeAnswer,
    checkBuild: (name) => checkBuild(name, build),
    emit: (event) => port.post(event),
    fallbackEngine: () => requestFallback(build),
  });
  return startResult(engine, false);
}

/** Opens the CPU engine that was requested after the device was lost. */
let fallback: ((message: Extract<Message, { kind: 'fallback' }>) => Results['fallback']) | undefined;

/** Requests a CPU engine from the page, to replace this worker's engine. */
function requestFallback(build: string): Promise<Engine> {
  return new Promise((resolve) => {
    fallback = ({ module, variant }) => {
      const own = openCpu(variant, module, build);
      fallback = undefined;
      engine = own;
      resolve(own);
      return startResult(own, isShared(variant));
    };
    port.post({ event: 'device-lost' } satisfies WorkerEvent);
  });
}

/** Runs this helper thread until the engine is gone. */
let work = (): void => undefined;

function help({ module, memory, variant }: Extract<Message, { kind: 'help' }>): undefined {
  const glue = glueOf(variant === 'fused' ? variant : 'threads');
  glue.initSync({ module, memory, thread_stack_size: STACK_BYTES });
  work = glue.work;
}

function running(): Engine {
  if (!engine) throw new Error('the engine was not started');
  return engine;
}

function explain({ graph, inputs }: Extract<Message, { kind: 'explain' }>): Results['explain'] {
  const ids = Uint32Array.from(inputs, ({ id }) => id);
  const json = running().explain(graph, ids, inputs.map(({ name }) => name), inputs.map(({ role }) => role));
  return { json, shaders: running().shaders?.(graph) };
}

/** Milliseconds of idleness before warm-up starts, and between checks for new messages while it runs. */
const IDLE_MS = 250;
const WARMING_MS = 5;
/** Number of `run` messages so far. */
let runs = 0;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Splits a sequence of messages, each after its length. */
function* split(messages: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength);
  for (let at = 0; at < messages.length; ) {
    const start = at + 4;
    at = start + view.getUint32(at, true);
    yield messages.subarray(start, at);
  }
}

/** Runs warm-up messages, so that the browser compiles and optimizes the functions that first steps need. */
async function warmUp(spare: Spare, messages: Uint8Array): Promise<void> {
  const before = runs;
  let start = performance.now();
  try {
    for (const message of split(messages)) {
      if (performance.now() - start > WARMING_MS) {
        await pause(0);
        start = performance.now();
      }
      if (runs > before) break;
      spare.execute(message);
    }
  } catch (error) {
    reportTrap(error);
    if (error instanceof WebAssembly.RuntimeError) return;
  }
  spare.free();
}

async function warmUpIdle(own: Engine, messages: Uint8Array): Promise<void> {
  const before = runs;
  await pause(IDLE_MS);
  if (runs === before && own.spare) await warmUp(own.spare(), messages);
}

async function warm({ messages, isAwaited }: Extract<Message, { kind: 'warm' }>): Promise<undefined> {
  const own = running();
  if (!isAwaited) void warmUpIdle(own, messages);
  else if (own.spare) await warmUp(own.spare(), messages);
}

async function run({ commands, uploads, isTimed }: Extract<Message, { kind: 'run' }>): Promise<Results['run']> {
  runs += 1;
  const result = await running().run(commands, uploads, isTimed);
  // Two uploads may share a buffer.
  return { ...result, spent: [...new Set(uploads.map(({ bytes }) => bytes.buffer))] };
}

function memory(): Results['memory'] {
  const own = running();
  return {
    tensors: own.tensors(),
    bytes: own.bytes(),
    programs: own.programs(),
    heapBytes: own.heap.buffer.byteLength,
    threads: own.threads(),
  };
}

async function handle(message: Message): Promise<Results[Message['kind']]> {
  switch (message.kind) {
    case 'start': return start(message);
    case 'run': return run(message);
    case 'warm': return warm(message);
    case 'explain': return explain(message);
    case 'memory': return memory();
    case 'paths': return { lines: running().paths() };
    case 'help': return help(message);
    case 'fallback':
      if (!fallback) throw new Error('no fallback was requested');
      return fallback(message);
    default: throw new Error(`unknown request '${String((message satisfies never as Message).kind)}'`);
  }
}

/** Tells the page that the module has trapped: its state is invalid from then on. */
function reportTrap(error: unknown): void {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  port.post({ event: 'stopped', why: `internal error, please report: ${error.message}` } satisfies WorkerEvent);
}

function transferOf({ answers, spent = [] }: Results['run']): ArrayBuffer[] {
  return [...spent, ...answers.flatMap((answer) => ('bytes' in answer ? [answer.bytes.buffer] : []))];
}

async function receive(message: Message): Promise<void> {
  try {
    const result = await handle(message);
    port.post({ id: message.id, ok: true, result }, result && 'answers' in result ? transferOf(result) : []);
  } catch (error) {
    port.post({ id: message.id, ok: false, error: toWireError(error) });
    reportTrap(error);
    return;
  }
  try {
    if (message.kind === 'run') await engine?.afterRun?.();
    // Returns only when the engine is gone.
    if (message.kind === 'help') work();
  } catch (error) {
    reportTrap(error);
  }
}

/** Serves the requests of the page. */
export function serve(glue: Glue): void {
  known = glue;
  // One message at a time, also where the device is asynchronous.
  let last = Promise.resolve();
  port.onMessage((data) => {
    const message: Message = typeof data === 'object' && data !== null ? (data as Message) : ({ id: 0, kind: String(data) } as unknown as Message);
    // Out of order: a `run` may be waiting for it.
    if (message.kind === 'fallback') void receive(message);
    else last = last.then(() => receive(message));
  });
}
