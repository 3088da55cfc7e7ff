/** The program of a worker: the engine, or one of the threads that help it. */
import * as single from '../dist/wasm/engine.js';
import * as threaded from '../dist/wasm/engine-threads.js';
import { page } from './port.ts';
import { type Answer, type Message, type Results, wired } from './protocol.ts';

/** Both builds have the same functions. */
type Glue = typeof single | typeof threaded;

/** Stacks of helpers: kernels keep little there. */
const STACK_BYTES = 1 << 20;

let glue: Glue | undefined;
let engine: single.Engine | threaded.Engine | undefined;
let heap: WebAssembly.Memory | undefined;

const port = await page();

function start({ module, build, isShared }: Extract<Message, { kind: 'start' }>): Results['start'] {
  const exports = isShared ? threaded.initSync({ module }) : single.initSync({ module });
  glue = isShared ? threaded : single;
  heap = exports.memory;
  const name = glue.build_name();
  if (build && name !== build) {
    throw new Error(`the engine is of build ${name}, this JavaScript of ${build}: load both from one package`);
  }
  engine = new glue.Engine();
  return { memory: isShared ? heap : undefined };
}

function run({ commands, uploads, isTimed }: Extract<Message, { kind: 'run' }>): Results['run'] {
  if (!engine) throw new Error('the engine was not started');
  if (isTimed) engine.set_timing(true);
  for (const { memory, bytes } of uploads) engine.upload(memory, bytes);
  engine.execute(commands);
  const answers: Answer[] = [];
  for (let next = engine.answer(); next; next = engine.answer()) {
    const { number } = next;
    const [name = 'Error', op = '', message = '', site = ''] = next.error() ?? [];
    const bytes = next.bytes() as Uint8Array<ArrayBuffer> | undefined;
    next.free();
    answers.push(bytes ? { number, bytes } : { number, error: { name, op, message, site } });
  }
  const times = isTimed ? engine.times() : undefined;
  if (isTimed) engine.set_timing(false);
  return { answers, times };
}

function explain({ graph, inputs }: Extract<Message, { kind: 'explain' }>): Results['explain'] {
  if (!glue) throw new Error('the engine was not started');
  const ids = Uint32Array.from(inputs, ({ id }) => id);
  return { json: glue.explain(graph, ids, inputs.map(({ name }) => name), inputs.map(({ role }) => role)) };
}

function memory(): Results['memory'] {
  if (!engine || !glue) throw new Error('the engine was not started');
  const heapBytes = heap?.buffer.byteLength ?? 0;
  return { tensors: engine.count(), bytes: engine.bytes(), heapBytes, threads: glue.threads() };
}

function answered(message: Message): Results[Message['kind']] {
  switch (message.kind) {
    case 'start': return start(message);
    case 'run': return run(message);
    case 'explain': return explain(message);
    case 'memory': return memory();
    case 'help': return undefined;
    default: {
      const { kind } = message satisfies never as Message;
      throw new Error(`there is no request '${kind}'`);
    }
  }
}

port.onMessage((data) => {
  const message = data as Message;
  try {
    const result = answered(message);
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
});
