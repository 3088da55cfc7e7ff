/** The program of a worker: the engine, or one of the threads that help it. */
import * as single from '../dist/wasm/engine.js';
import * as threaded from '../dist/wasm/engine-threads.js';
import * as webgpu from '../dist/wasm/engine-webgpu.js';
import { page } from './port.ts';
import { type Answer, type Message, type Results, type Upload, wired } from './protocol.ts';

/** An engine on any device. */
interface Engine {
  run(commands: Uint8Array<ArrayBuffer>, uploads: readonly Upload[], isTimed: boolean): Results['run'] | Promise<Results['run']>;
  /** Nodes, kernels and memory plan of a recorded step as JSON. */
  explain(graph: Uint8Array, ids: Uint32Array, names: string[], roles: string[]): string;
  tensors(): number;
  bytes(): number;
  readonly threads: () => number;
  readonly heap: WebAssembly.Memory;
  /** The adapter, where there is one. */
  readonly adapter?: string;
}

/** Stacks of helpers: kernels keep little there. */
const STACK_BYTES = 1 << 20;

let engine: Engine | undefined;

const port = page();

type WireAnswer = single.Answer | threaded.Answer | webgpu.Answer;

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

function onProcessor(glue: typeof single | typeof threaded, module: WebAssembly.Module, build: string): Engine {
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
    explain: glue.explain,
    tensors: () => own.count(),
    bytes: () => own.bytes(),
    threads: () => glue.threads(),
    heap: memory,
  };
}

async function onWebGpu(module: WebAssembly.Module, build: string): Promise<Engine> {
  const { memory } = webgpu.initSync({ module });
  checkBuild(webgpu.build_name(), build);
  const own = await webgpu.GpuEngine.open();
  return {
    async run(commands, uploads) {
      for (const upload of uploads) own.upload(upload.memory, upload.bytes);
      return { answers: (await own.execute(commands)).map(plain), times: undefined };
    },
    explain: webgpu.explain,
    tensors: () => own.count(),
    bytes: () => own.bytes(),
    threads: () => 1,
    heap: memory,
    adapter: own.name(),
  };
}

async function start({ device, module, build, isShared }: Extract<Message, { kind: 'start' }>): Promise<Results['start']> {
  engine = device === 'webgpu' ? await onWebGpu(module, build) : onProcessor(isShared ? threaded : single, module, build);
  return { memory: isShared ? engine.heap : undefined, adapter: engine.adapter };
}

function running(): Engine {
  if (!engine) throw new Error('the engine was not started');
  return engine;
}

function explain({ graph, inputs }: Extract<Message, { kind: 'explain' }>): Results['explain'] {
  const ids = Uint32Array.from(inputs, ({ id }) => id);
  return { json: running().explain(graph, ids, inputs.map(({ name }) => name), inputs.map(({ role }) => role)) };
}

function memory(): Results['memory'] {
  const own = running();
  return { tensors: own.tensors(), bytes: own.bytes(), heapBytes: own.heap.buffer.byteLength, threads: own.threads() };
}

async function answered(message: Message): Promise<Results[Message['kind']]> {
  switch (message.kind) {
    case 'start': return start(message);
    case 'run': return running().run(message.commands, message.uploads, message.isTimed);
    case 'explain': return explain(message);
    case 'memory': return memory();
    case 'help': return undefined;
    default: throw new Error(`there is no request '${String((message satisfies never as Message).kind)}'`);
  }
}

async function receive(message: Message): Promise<void> {
  try {
    const result = await answered(message);
    const buffers = result && 'answers' in result ? result.answers.flatMap((a) => ('bytes' in a ? [a.bytes.buffer] : [])) : [];
    port.post({ id: message.id, ok: true, result }, buffers);
  } catch (error) {
    port.post({ id: message.id, ok: false, error: wired(error) });
    return;
  }
  if (message.kind === 'help') {
    threaded.initSync({ module: message.module, memory: message.memory, thread_stack_size: STACK_BYTES });
    // Returns only when the engine is gone.
    threaded.work();
  }
}

// One message after the other, also where a device makes us wait.
let last = Promise.resolve();
port.onMessage((data) => {
  const message: Message = typeof data === 'object' && data !== null ? (data as Message) : ({ id: 0, kind: String(data) } as unknown as Message);
  last = last.then(() => receive(message));
});
