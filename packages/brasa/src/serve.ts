/** What a worker does: it is the engine, or one of the threads that help it. */
import type * as single from '../dist/wasm/engine.js';
import type * as checked from '../dist/wasm/engine-checked.js';
import type * as fused from '../dist/wasm/engine-fused.js';
import type * as threads from '../dist/wasm/engine-threads.js';
import type { Engine, Spare, WireAnswer } from './engine.ts';
import { type WebGpuGlue, onWebGpu } from './graphics.ts';
import { page } from './port.ts';
import { type Answer, type Flavour, isShared, type Message, type Results, type Told, wired } from './protocol.ts';

/** Stacks of helpers: kernels keep little there. */
const STACK_BYTES = 1 << 20;

/** What loads modules of each kind. */
interface ProcessorGlue {
  single: typeof single;
  threads: typeof threads;
  fused: typeof fused;
  checked: typeof checked;
}

/** What loads the modules that a worker's program knows. */
interface Glue {
  readonly processor: Partial<ProcessorGlue>;
  readonly webgpu: WebGpuGlue;
}

let known: Glue;

let engine: Engine | undefined;

const port = page();

function glueOf<F extends Flavour>(flavour: F): ProcessorGlue[F] {
  const glue = known.processor[flavour];
  if (!glue) throw new Error(`this worker has no engine '${flavour}'`);
  return glue;
}

function plain(answer: WireAnswer): Answer {
  const { number } = answer;
  const [name = 'Error', op = '', message = '', site = ''] = answer.error() ?? [];
  const bytes = answer.bytes() as Uint8Array<ArrayBuffer> | undefined;
  answer.free();
  return bytes ? { number, bytes } : { number, error: { name, op, message, site } };
}

function checkBuild(name: string, build: string): void {
  if (build && name !== build) {
    throw new Error(`the engine is of build ${name}, this JavaScript of ${build}: load both from one package`);
  }
}

function onProcessor(flavour: Flavour, module: WebAssembly.Module, build: string): Engine {
  const glue = glueOf(flavour);
  const { memory } = glue.initSync({ module });
  checkBuild(glue.build_name(), build);
  const own = new glue.Engine();
  return {
    run(commands, uploads, isTimed) {
      if (isTimed) own.set_timing(true);
      for (const upload of uploads) own.upload(upload.memory, upload.bytes);
      own.execute(commands);
      const answers: Answer[] = [];
      for (let next = own.answer(); next; next = own.answer()) answers.push(plain(next));
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

/** What helpers of an engine need. */
function started(own: Engine, hasHelpers: boolean): Results['start'] {
  return { memory: hasHelpers ? own.heap : undefined, adapter: own.adapter };
}

async function start({ device, module, build, flavour }: Extract<Message, { kind: 'start' }>): Promise<Results['start']> {
  if (device !== 'webgpu') {
    engine = onProcessor(flavour, module, build);
    return started(engine, isShared(flavour));
  }
  engine = await onWebGpu(known.webgpu, module, {
    plain,
    checkBuild: (name) => checkBuild(name, build),
    tell: (news) => port.post(news),
    heir: () => heirOf(build),
  });
  return started(engine, false);
}

/** Starts the engine on the processor that is waited for. */
let inherit: ((message: Extract<Message, { kind: 'inherit' }>) => Results['inherit']) | undefined;

/** Asks the page for an engine on the processor, which takes the place of this one. */
function heirOf(build: string): Promise<Engine> {
  return new Promise((resolve) => {
    inherit = ({ module, flavour }) => {
      const heir = onProcessor(flavour, module, build);
      inherit = undefined;
      engine = heir;
      resolve(heir);
      return started(heir, isShared(flavour));
    };
    port.post({ told: 'bereft' } satisfies Told);
  });
}

/** Lends this thread to the engine. */
let work = (): void => undefined;

function help({ module, memory, flavour }: Extract<Message, { kind: 'help' }>): undefined {
  const glue = glueOf(flavour === 'fused' ? flavour : 'threads');
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

/** How long an engine is idle before it warms up, and warms up before it looks whether it is asked for something, in ms. */
const IDLE_MS = 250;
const WARMING_MS = 5;
/** How many messages have been carried out. */
let runs = 0;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Messages, each after its length. */
function* partsOf(messages: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.byteLength);
  for (let at = 0; at < messages.length; ) {
    const start = at + 4;
    at = start + view.getUint32(at, true);
    yield messages.subarray(start, at);
  }
}

/** Lets the browser compile what first steps need, and compile it well, while nobody waits. */
async function warmUp(spare: Spare, messages: Uint8Array): Promise<void> {
  const before = runs;
  let start = performance.now();
  try {
    for (const message of partsOf(messages)) {
      if (performance.now() - start > WARMING_MS) {
        await pause(0);
        start = performance.now();
      }
      if (runs > before) break;
      spare.execute(message);
    }
  } catch (error) {
    tellTrap(error);
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
  // Two may share their memory.
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

async function answered(message: Message): Promise<Results[Message['kind']]> {
  switch (message.kind) {
    case 'start': return start(message);
    case 'run': return run(message);
    case 'warm': return warm(message);
    case 'explain': return explain(message);
    case 'memory': return memory();
    case 'paths': return { lines: running().paths() };
    case 'help': return help(message);
    case 'inherit':
      if (!inherit) throw new Error('no engine is waited for');
      return inherit(message);
    default: throw new Error(`there is no request '${String((message satisfies never as Message).kind)}'`);
  }
}

/** A module that has trapped is in no state to go on: the page is to know, whoever waits. */
function tellTrap(error: unknown): void {
  if (!(error instanceof WebAssembly.RuntimeError)) return;
  port.post({ told: 'stopped', why: `internal error, please report: ${error.message}` } satisfies Told);
}

function buffersOf({ answers, spent = [] }: Results['run']): ArrayBuffer[] {
  return [...spent, ...answers.flatMap((answer) => ('bytes' in answer ? [answer.bytes.buffer] : []))];
}

async function receive(message: Message): Promise<void> {
  try {
    const result = await answered(message);
    port.post({ id: message.id, ok: true, result }, result && 'answers' in result ? buffersOf(result) : []);
  } catch (error) {
    port.post({ id: message.id, ok: false, error: wired(error) });
    tellTrap(error);
    return;
  }
  try {
    if (message.kind === 'run') await engine?.rest?.();
    // Returns only when the engine is gone.
    if (message.kind === 'help') work();
  } catch (error) {
    tellTrap(error);
  }
}

/** Carries out what the page asks for. */
export function serve(glue: Glue): void {
  known = glue;
  // One message after the other, also where a device makes us wait.
  let last = Promise.resolve();
  port.onMessage((data) => {
    const message: Message = typeof data === 'object' && data !== null ? (data as Message) : ({ id: 0, kind: String(data) } as unknown as Message);
    // Another message may be waiting for this one.
    if (message.kind === 'inherit') void receive(message);
    else last = last.then(() => receive(message));
  });
}
