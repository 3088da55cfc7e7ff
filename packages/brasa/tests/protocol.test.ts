/** What the page says to its worker, and what it makes of the answers. */
import { Client } from '../src/client.ts';
import { workerUrl } from '../src/index.ts';
import { type Port, spawn } from '../src/port.ts';
import { test } from './harness.ts';

/** A worker that a test plays. */
class Played implements Port {
  readonly sent: { id: number; kind: string }[] = [];
  terminated = 0;
  answer: (message: unknown) => void = () => undefined;
  die: (reason: string) => void = () => undefined;

  post(message: unknown): void {
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

function played(): { port: Played; client: Client } {
  const port = new Played();
  return { port, client: new Client(port) };
}

const HELD = { tensors: 1, bytes: 2, heapBytes: 3, threads: 4 };

test('answers find their requests by number, in any order', async (t) => {
  const { port, client } = played();
  const [first, second] = [client.request<'memory'>({ kind: 'memory' }), client.request<'memory'>({ kind: 'memory' })];
  t.equal(port.sent, [{ id: 1, kind: 'memory' }, { id: 2, kind: 'memory' }]);
  port.answer({ id: 2, ok: true, result: { ...HELD, tensors: 2 } });
  port.answer({ id: 1, ok: true, result: HELD });
  t.equal([(await first).tensors, (await second).tensors], [1, 2]);
});

test('errors are rebuilt by name', async (t) => {
  const { port, client } = played();
  const request = client.request<'memory'>({ kind: 'memory' });
  port.answer({ id: 1, ok: false, error: { name: 'ShapeError', op: 'matmul', message: 'matmul: no\n  a: f32[2]\n  help: so', site: 'model.ts:3:1' } });
  const error = await t.rejects(request, 'ShapeError', /model\.ts:3:1/);
  t.equal(JSON.stringify({ ...error }), JSON.stringify({ name: 'ShapeError', op: 'matmul', operands: ['a: f32[2]'], help: 'so', site: 'model.ts:3:1' }));
});

test('answers to nothing are ignored', async (t) => {
  const { port, client } = played();
  port.answer({ id: 7, ok: true, result: HELD });
  const request = client.request<'memory'>({ kind: 'memory' });
  port.answer({ id: 1, ok: true, result: HELD });
  port.answer({ id: 1, ok: false, error: { name: 'Error', op: '', message: '', site: '' } });
  t.equal(await request, HELD);
});

test('the death of the worker rejects all that is under way', async (t) => {
  const { port, client } = played();
  const waiting = [client.request<'memory'>({ kind: 'memory' }), client.value(3)];
  port.die('out of memory');
  for (const promise of waiting) await t.rejects(promise, 'EngineError', /out of memory/);
  await t.rejects(client.request<'memory'>({ kind: 'memory' }), 'EngineError', /out of memory/);
});

test('termination may be repeated', async (t) => {
  const { port, client } = played();
  const waiting = client.request<'memory'>({ kind: 'memory' });
  client.die('terminated');
  client.die('terminated');
  await t.rejects(waiting, 'EngineError', /terminated/);
  t.equal(port.terminated, 1);
});

test('a worker survives requests that it does not know', async (t) => {
  const url = new URL(workerUrl());
  const client = new Client(spawn({ start: () => new Worker(url, { type: 'module' }), url: () => url }));
  await t.rejects(client.request({ kind: 'nonsense' } as never), 'BrasaError', /there is no request 'nonsense'/);
  const early = client.request<'run'>({ kind: 'run', commands: new Uint8Array(3), uploads: [], isTimed: false });
  await t.rejects(early, 'BrasaError', /not started/);
  await t.rejects(client.request<'memory'>({ kind: 'memory' }), 'BrasaError', /not started/);
  client.die('done');
});
