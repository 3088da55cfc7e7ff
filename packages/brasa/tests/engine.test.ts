/** The engine's worker: it never blocks the page, memory is freed, and termination is reported. */
import { cat, init, memory, ones, randn, scope, synchronize, tensor, terminate, zeros } from '../src/index.ts';
import { test } from './harness.ts';

test('the page is never blocked', async (t) => {
  const x = randn([256, 256]);
  await synchronize();
  let longest = 0;
  let last = performance.now();
  let ticks = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    ticks += 1;
  }, 1);
  let y = x;
  for (let n = 0; n < 30; n += 1) y = y.matmul(x).div(256);
  await y.sum().item();
  clearInterval(timer);
  t.note(`${ticks} ticks, the longest gap ${longest.toFixed(1)} ms`);
  // A busy machine adds delays; but a page that waits for the product has no ticks at all.
  t.equal(ticks > 3, true, `${ticks} ticks`);
});

/** Frees what earlier tests left, where the garbage collector can be called. */
async function collectGarbage(): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc;
  for (let n = 0; n < 5 && collect; n += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('scopes free memory', async (t) => {
  await collectGarbage();
  const before = await memory();
  for (let n = 0; n < 20; n += 1) {
    await scope(async () => {
      const x = zeros([1000, 100]).add(n);
      t.equal(await x.sum().item(), 100_000 * n);
    });
  }
  const after = await memory();
  t.equal(after.bytes - before.bytes <= 4096, true, `${after.bytes - before.bytes} bytes`);
  // Below zero if tensors of earlier tests were collected meanwhile.
  t.equal(after.handles - before.handles <= 0, true, `${after.handles - before.handles} handles`);
});

test('unreachable tensors are garbage-collected', async (t) => {
  const collect = (globalThis as { gc?: () => void }).gc ?? t.skip('the garbage collector cannot be called here');
  const before = await memory();
  for (let n = 0; n < 50; n += 1) zeros([1000]).add(n);
  await synchronize();
  for (let n = 0; n < 20 && (await memory()).handles > before.handles; n += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.equal((await memory()).handles <= before.handles, true);
});

test('many reads can be pending at once', async (t) => {
  const all = Array.from({ length: 50 }, (_, n) => ones([3]).mul(n).sum().item());
  t.equal(await Promise.all(all), Array.from({ length: 50 }, (_, n) => 3 * n));
});

test('the engine has the requested number of threads', async (t) => {
  t.equal((await memory()).threads, t.settings.threads);
});

/** A call with thousands of arguments, which exceed the initial scratch buffer. */
const longCall = (): Promise<number> => cat(Array.from({ length: 5000 }, () => ones([1]))).sum().item();

test('a call can have thousands of arguments', async (t) => {
  t.equal(await longCall(), 5000);
});

test('termination rejects pending reads, and a new engine can be started', async (t) => {
  const old = ones([2]);
  const waiting = old.add(1).toArray();
  terminate();
  terminate();
  await t.rejects(waiting, 'EngineError', /terminated/);
  await t.rejects(old.toArray(), 'EngineError', /not started/);
  await init({ device: t.settings.device, threads: t.settings.threads, check: t.settings.check });
  await t.rejects(old.toArray(), 'StaleTensorError', /disposed/);
  t.equal(await tensor([1, 2]).add(1).tolist(), [2, 3]);
  t.equal(await longCall(), 5000);
});
