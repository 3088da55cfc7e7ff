/** Messages between the page and its worker. */
import { Client } from '../src/client.ts';
import { type EngineError, workerUrl } from '../src/index.ts';
import { type Port, spawn } from '../src/port.ts';
import { guardExports } from '../src/recorder.ts';
import { bytesOf, test } from './harness.ts';

/** A worker simulated by a test. */
class FakeWorker implements Port {
  readonly sent: { id: number; kind: string }[] = [];
  terminated = 0;
  answer: (message: unknown) => void = () => undefined;
  die: (reason: string) => void = () => undefined;

  post(message: unknown, _transfer?: readonly ArrayBuffer[]): void {
    this.sent.push(message as { id: number; kind: string });
  }
  onMessage(listen: (message: unknown) => void): void {
    this.answer = listen;
  }
  onDeath(listen: (reason: string) => void): void {
    this.die = listen;
  }
  hold(): void {}
  terminate(): void {
    this.terminated += 1;
  }
}

function fakeWorker(): { port: FakeWorker; client: Client } {
  const port = new FakeWorker();
  return { port, client: new Client(port) };
}

const HELD = { tensors: 1, bytes: 2, programs: 0, heapBytes: 3, threads: 4 };

test('replies match their requests by id, in any order', async (t) => {
  const { port, client } = fakeWorker();
  const [first, second] = [client.request<'memory'>({ kind: 'memory' }), client.request<'memory'>({ kind: 'memory' })];
  t.equal(port.sent, [{ id: 1, kind: 'memory' }, { id: 2, kind: 'memory' }]);
  port.answer({ id: 2, ok: true, result: { ...HELD, tensors: 2 } });
  port.answer({ id: 1, ok: true, result: HELD });
  t.equal([(await first).tensors, (await second).tensors], [1, 2]);
});

test('errors are rebuilt by class name', async (t) => {
  const { port, client } = fakeWorker();
  const request = client.request<'memory'>({ kind: 'memory' });
  port.answer({ id: 1, ok: false, error: { name: 'ShapeError', op: 'matmul', message: 'matmul: no\n  a: f32[2]\n  help: so', site: 'model.ts:3:1' } });
  const error = await t.rejects(request, 'ShapeError', /model\.ts:3:1/);
  t.equal(JSON.stringify({ ...error }), JSON.stringify({ name: 'ShapeError', op: 'matmul', operands: ['a: f32[2]'], help: 'so', site: 'model.ts:3:1' }));
});

test('an error of the worker includes its stack', async (t) => {
  const url = new URL(workerUrl());
  const client = new Client(spawn({ start: () => new Worker(url, { type: 'module' }), url: () => url }));
  const error = await t.rejects(client.request({ kind: 'nonsense' } as never), 'BrasaError');
  t.equal(/in the worker: Error: unknown request/.test(error.stack ?? ''), true, error.stack);
  client.die('done');
});

/** A module that a helper thread can load, whose `work` traps. */
const TRAPPING = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0,
  // Types: (i32) and ().
  1, 8, 2, 96, 1, 127, 0, 96, 0, 0,
  3, 3, 2, 0, 1,
  // Exports `__wbindgen_start` and `work`.
  7, 27, 2, 16, ...new TextEncoder().encode('__wbindgen_start'), 0, 0, 4, ...new TextEncoder().encode('work'), 0, 1,
  10, 8, 2, 2, 0, 11, 3, 0, 0, 11,
);

test('a trap in a helper thread rejects all pending requests', async (t) => {
  const url = new URL(workerUrl());
  const helper = spawn({ start: () => new Worker(url, { type: 'module' }), url: () => url });
  const { client } = fakeWorker();
  const waiting = [client.request<'memory'>({ kind: 'memory' }), client.value(3)];
  const module = await WebAssembly.compile(TRAPPING);
  // The module uses its own memory.
  await client.startHelper(helper, { id: 0, kind: 'help', module, memory: undefined as never, variant: 'fused' });
  for (const promise of waiting) await t.rejects(promise, 'EngineError', /an engine thread has stopped: .*unreachable/);
});

test('a trap becomes an internal error with help', (t) => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(TRAPPING));
  const { work } = guardExports(exports as unknown as { work(): void });
  const error = t.throws(work, 'EngineError', /internal error, please report: the recorder has trapped/);
  t.equal((error as EngineError).help, 'terminate() and init() again');
});

test('buffers are transferred once, or copied if that fails', async (t) => {
  const { port, client } = fakeWorker();
  const given: number[] = [];
  let isRefused = false;
  const post = port.post.bind(port);
  port.post = (message: unknown, transfer: readonly ArrayBuffer[] = []) => {
    given.push(transfer.length);
    if (isRefused && transfer.length > 0) throw new DOMException('it is of another module', 'DataCloneError');
    post(message);
  };
  const buffer = new ArrayBuffer(8);
  const run = { kind: 'run', commands: new Uint8Array(4), uploads: [], isTimed: false } as const;
  const answer = { answers: [], times: undefined };
  for (const [id, refused] of [false, true].entries()) {
    isRefused = refused;
    const running = client.request<'run'>(run, [buffer, buffer]);
    port.answer({ id: id + 1, ok: true, result: answer });
    t.equal(await running, answer);
  }
  t.equal([given, port.sent.length], [[1, 1, 0], 2]);
});

test('a message that cannot be sent is rejected', async (t) => {
  const { port, client } = fakeWorker();
  port.post = () => {
    throw new DOMException('no', 'DataCloneError');
  };
  await t.rejects(client.request<'memory'>({ kind: 'memory' }), 'EngineError', /a message cannot be sent: no/);
});

test('replies without a request are ignored', async (t) => {
  const { port, client } = fakeWorker();
  port.answer({ id: 7, ok: true, result: HELD });
  const request = client.request<'memory'>({ kind: 'memory' });
  port.answer({ id: 1, ok: true, result: HELD });
  port.answer({ id: 1, ok: false, error: { name: 'Error', op: '', message: '', site: '' } });
  t.equal(await request, HELD);
});

test('the death of the worker rejects all pending requests', async (t) => {
  const { port, client } = fakeWorker();
  const waiting = [client.request<'memory'>({ kind: 'memory' }), client.value(3)];
  port.die('out of memory');
  for (const promise of waiting) await t.rejects(promise, 'EngineError', /out of memory/);
  await t.rejects(client.request<'memory'>({ kind: 'memory' }), 'EngineError', /out of memory/);
});

test('termination is idempotent', async (t) => {
  const { port, client } = fakeWorker();
  const waiting = client.request<'memory'>({ kind: 'memory' });
  client.die('terminated');
  client.die('terminated');
  await t.rejects(waiting, 'EngineError', /terminated/);
  t.equal(port.terminated, 1);
});

test('a worker survives unknown requests', async (t) => {
  const url = new URL(workerUrl());
  const client = new Client(spawn({ start: () => new Worker(url, { type: 'module' }), url: () => url }));
  await t.rejects(client.request({ kind: 'nonsense' } as never), 'BrasaError', /unknown request 'nonsense'/);
  const early = client.request<'run'>({ kind: 'run', commands: new Uint8Array(3), uploads: [], isTimed: false });
  await t.rejects(early, 'BrasaError', /not started/);
  await t.rejects(client.request<'memory'>({ kind: 'memory' }), 'BrasaError', /not started/);
  client.die('done');
});

/** Deterministic pseudo-random numbers. */
function* draws(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

test('no message kills a worker', async (t) => {
  const url = new URL(workerUrl());
  const port = spawn({ start: () => new Worker(url, { type: 'module' }), url: () => url });
  const replies = new Map<unknown, boolean>();
  let arrived = (): void => undefined;
  let death = '';
  port.onMessage((data) => {
    const { id, ok } = data as { id: unknown; ok: boolean };
    replies.set(id, ok);
    arrived();
  });
  port.onDeath((reason) => {
    death ||= reason;
    arrived();
  });
  port.hold(true);
  const module = await WebAssembly.compile(await bytesOf(new URL('wasm/engine_bg.wasm', url).href));
  port.post({ id: 'start', kind: 'start', device: 'cpu', module, build: '', variant: 'single' }, []);
  const next = draws(7);
  const pick = <T>(all: readonly T[]): T => all[next.next().value % all.length] as T;
  const bytes = (): Uint8Array => Uint8Array.from({ length: next.next().value % 40 }, (_, n) => (n === 0 ? pick([1, 1, 1, 0, 2]) : pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 127, 128, 255])));
  const anything = (): unknown => pick<() => unknown>([() => undefined, () => null, () => 'text', () => -1, () => NaN, () => 2 ** 60, () => [], () => ({}), bytes, () => [{ memory: pick([0, -1, NaN, 2 ** 60]), bytes: bytes() }], () => new ArrayBuffer(3)])();
  const kinds = ['run', 'run', 'run', 'run', 'warm', 'explain', 'memory', 'help', 'start', 'fallback', 'nonsense', '', undefined, 7, '__proto__'];
  const fields = ['commands', 'messages', 'uploads', 'isTimed', 'graph', 'inputs', 'module', 'memory', 'device', 'variant', 'build'];
  const count = 400;
  for (let n = 0; n < count; n += 1) {
    const message = Object.fromEntries(fields.map((name) => [name, anything()]));
    port.post({ ...message, ...(n % 2 === 0 && { commands: bytes(), uploads: [] }), id: n, kind: pick(kinds) }, []);
    if (n % 10 === 0) port.post(anything(), []);
  }
  port.post({ id: 'end', kind: 'memory' }, []);
  await new Promise<void>((resolve) => {
    arrived = () => {
      if (death || replies.has('end')) resolve();
    };
    arrived();
  });
  port.terminate();
  t.equal(death, '');
  t.equal([replies.get('start'), replies.get('end')], [true, true]);
  const unanswered = Array.from({ length: count }, (_, n) => n).filter((n) => !replies.has(n));
  t.equal(unanswered, []);
});

test('an idle engine warms up', async (t) => {
  const url = new URL(workerUrl());
  const client = new Client(spawn({ start: () => new Worker(url, { type: 'module' }), url: () => url }));
  const file = (name: string): Promise<Uint8Array<ArrayBuffer>> => bytesOf(new URL(name, url).href);
  const module = await WebAssembly.compile(await file('wasm/engine_bg.wasm'));
  await client.request<'start'>({ kind: 'start', device: 'cpu', module, build: '', variant: 'single' });
  const memory = (): Promise<typeof HELD> => client.request<'memory'>({ kind: 'memory' });
  const before = await memory();
  await client.request<'warm'>({ kind: 'warm', messages: await file('warming.bin'), isAwaited: false });
  let after = before;
  while (after.heapBytes === before.heapBytes) after = await memory();
  // Warm-up leaves no visible state.
  t.equal([after.tensors, after.bytes, after.programs], [0, 0, 0]);
  const made = Uint8Array.of(1, 0, 5, 4);
  await client.request<'run'>({ kind: 'run', commands: made, uploads: [], isTimed: false });
  t.equal((await memory()).bytes, 4);
  client.die('done');
});
