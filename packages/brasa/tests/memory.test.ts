/** Lifetimes of tensors, and eviction. */
import {
  compile, enableGrad, init, isGradEnabled, keep, memory, nn, noGrad, ones, optim, scope, setMemoryBudget, synchronize, Tensor, tensor,
  terminate, zeros,
} from '../src/index.ts';
import { recycleBuffers, takeBuffer } from '../src/buffers.ts';
import { type Context, test } from './harness.ts';

/** Calls `body` with a memory budget for results of ops. */
async function within(bytes: number, body: () => Promise<void>): Promise<void> {
  setMemoryBudget(bytes);
  try {
    await body();
  } finally {
    setMemoryBudget(2 ** 30);
  }
}

test('results in use survive the memory budget', async (t) => {
  const pixels = tensor(Uint8Array.from({ length: 100_000 }, (_, n) => n % 256));
  await within(500_000, async () => {
    // As MNIST is prepared: two results, one of which is used repeatedly.
    const scaled = pixels.to('f32').div(255);
    for (let n = 0; n < 5; n += 1) t.close(await scaled.narrow(0, 255, 1).item(), 1);
    t.close(await scaled.sum().item(), 49_966, 1e-3);
  });
});

test('unused results are evicted unless kept', async (t) => {
  await within(100_000, async () => {
    const [idle, kept] = [zeros([20_000]).add(1), keep(zeros([20_000]).add(2))];
    const data = tensor(new Float32Array(20_000).fill(3));
    await synchronize();
    for (let n = 0; n < 4; n += 1) await zeros([5000]).add(n).sum().item();
    const error = t.throws(() => idle.sum(), 'StaleTensorError', /was dropped/);
    t.equal(/setMemoryBudget/.test(error.message), true, error.message);
    t.equal([await kept.sum().item(), await data.sum().item()], [40_000, 60_000]);
  });
  t.throws(() => setMemoryBudget(NaN), 'ArgumentError', /number of bytes/);
});

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** A promise and the function that resolves it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

test('noGrad scopes may end in any order', async (t) => {
  const [first, second] = [gate(), gate()];
  const a = noGrad(() => first.opened);
  const b = noGrad(() => second.opened);
  first.open();
  await a;
  t.equal([isGradEnabled(), tensor([1], { requiresGrad: true }).mul(2).requiresGrad], [false, false]);
  second.open();
  await b;
  t.equal([isGradEnabled(), tensor([1], { requiresGrad: true }).mul(2).requiresGrad], [true, true]);
  t.equal(noGrad(() => enableGrad(() => isGradEnabled())), true);
  t.equal([noGrad(() => isGradEnabled()), isGradEnabled()], [false, true]);
});

test('async scopes may end in any order', async (t) => {
  const [first, second] = [gate(), gate()];
  const made: Tensor[] = [];
  const run = (until: Promise<void>, value: number): Promise<Tensor> =>
    scope(async () => {
      const temporary = ones([2]).mul(value);
      made.push(temporary);
      const result = temporary.add(0);
      await until;
      return result;
    });
  const [a, b] = [run(first.opened, 1), run(second.opened, 2)];
  first.open();
  const one = await a;
  t.equal(made.map((x) => x.isDisposed), [true, false]);
  second.open();
  const two = await b;
  t.equal(made.map((x) => x.isDisposed), [true, true]);
  // Returned tensors do not belong to ended scopes.
  t.equal([await one.tolist(), await two.tolist()], [[1, 1], [2, 2]]);
});

test('a scope of a terminated engine ends without error', async (t) => {
  const { opened, open } = gate();
  const old = scope(async () => {
    ones([2]);
    await opened;
  });
  await restart(t);
  await scope(async () => {
    const x = ones([2]);
    open();
    await old;
    t.equal(await x.tolist(), [1, 1]);
  });
});

/** Stops the engine and starts another. */
async function restart(t: Context): Promise<void> {
  terminate();
  await init({ device: t.settings.device, threads: t.settings.threads, check: t.settings.check });
}

const inputs = { x: [1, 1] } as const;

function trained(): { model: nn.Linear; optimizer: optim.Optimizer } {
  const model = new nn.Linear(1, 1, { bias: false });
  model.loadStateDict({ weight: [1] });
  return { model, optimizer: new optim.SGD(model.parameters(), { lr: 0.5 }) };
}

function stepOf({ model, optimizer }: ReturnType<typeof trained>) {
  return compile({ model, optimizer, inputs, loss: ({ x }) => model.forward(x).sum() });
}

test('objects of a terminated engine do not affect the next', async (t) => {
  const old = trained();
  const oldStep = stepOf(old);
  const oldForward = compile((x: Tensor) => x.mul(2));
  await oldStep.step({ x: [[1]] });
  await restart(t);
  const own = trained();
  const step = stepOf(own);
  const forward = compile((x: Tensor) => x.mul(3));
  t.throws(() => old.optimizer.step(), 'StaleTensorError', /disposed/);
  const late = await oldStep.step({ x: [[1]] });
  t.equal(late.status === 'failed' && late.error.message, 'step: the compiled step was destroyed');
  t.throws(() => oldForward.run(tensor([1])), 'ArgumentError', /destroyed/);
  oldStep.destroy();
  oldForward.destroy();
  t.equal((await step.step({ x: [[1]] })).status, 'completed');
  t.equal([await own.model.weight.item(), await forward.run(tensor([1])).item()], [0.5, 3]);
});

test('a destroyed step releases its optimizer', async (t) => {
  const own = trained();
  const first = stepOf(own);
  await first.step({ x: [[1]] });
  t.throws(() => stepOf(own), 'ArgumentError', /another compiled step/);
  first.destroy();
  t.equal(own.optimizer.steps, 1);
  own.model.weight.mul(1).sum().backward();
  own.optimizer.step();
  t.equal([own.optimizer.steps, await own.model.weight.item()], [2, 0]);
  const second = stepOf(own);
  t.equal((await second.step({ x: [[1]] })).status, 'completed');
  t.equal([own.optimizer.steps, await own.model.weight.item()], [3, -0.5]);
  second.destroy();
});

test('unreachable compiled steps are garbage-collected', async (t) => {
  const collect = (globalThis as { gc?: () => void }).gc ?? t.skip('the garbage collector cannot be called here');
  const used = async (): Promise<{ destroy(): void }[]> => {
    const [step, forward] = [stepOf(trained()), compile((x: Tensor) => x.add(1))];
    t.equal((await step.step({ x: [[1]] })).status, 'completed');
    await forward.run(tensor([1])).item();
    return [step, forward];
  };
  // Programs of single calls are cached: this caches those that the test needs.
  for (const compiled of await used()) compiled.destroy();
  const before = (await memory()).programs;
  const held: unknown[] = [];
  for (let n = 0; n < 3; n += 1) held.push(await used());
  t.equal((await memory()).programs >= before + 3, true, 'programs are not counted');
  held.length = 0;
  let left = Infinity;
  for (let n = 0; n < 50 && left > before; n += 1) {
    collect();
    await later();
    left = (await memory()).programs;
  }
  t.equal(left <= before, true, `${left} programs, ${before} before`);
});

test('buffers are only transferred on request', async (t) => {
  const bytes = new Uint8Array(Float32Array.from({ length: 10_000 }, (_, n) => n).buffer);
  const x = Tensor.fromBytes(bytes, 'float32', [10_000]);
  await x.sum().item();
  t.equal(bytes.length, 40_000);
  t.throws(() => Tensor.fromBytes(bytes, 'f32', [10]), 'ShapeError', /40000 bytes, f32\[10\] has 40/);
  const { buffer } = new Float32Array(20_000).fill(2);
  const halves = [0, 40_000].map((at) => tensor(new Float32Array(buffer, at, 10_000), { transfer: true }));
  t.equal(await Promise.all(halves.map((half) => half.sum().item())), [20_000, 20_000]);
  const whole = new Float32Array(10_000).fill(3);
  const twice = [tensor(whole, { transfer: true }), tensor(whole, { transfer: true })];
  t.equal(await Promise.all(twice.map((half) => half.sum().item())), [30_000, 30_000]);
  t.throws(() => tensor(whole, { shape: [10_000] }), 'ArgumentError', /transferred before/);
  if (typeof SharedArrayBuffer === 'undefined') return;
  const shared = new Float32Array(new SharedArrayBuffer(40_000)).fill(4);
  t.equal(await tensor(shared, { transfer: true }).sum().item(), 40_000);
  t.equal(shared[0], 4);
});

test('upload buffers are reused, but not while in use', async (t) => {
  const [small, large] = [new ArrayBuffer(20_000), new ArrayBuffer(40_000)];
  recycleBuffers([small, large]);
  t.equal([takeBuffer(40_000).buffer === large, takeBuffer(40_000).buffer === large, takeBuffer(20_000).buffer === small], [true, false, true]);
  // The pool is bounded: the oldest are dropped.
  const many = Array.from({ length: 5 }, () => new ArrayBuffer(8 << 20));
  recycleBuffers(many);
  t.equal(many.map(() => many.indexOf(takeBuffer(8 << 20).buffer)), [1, 2, 3, 4, -1]);
  for (let round = 0; round < 3; round += 1) {
    const sums = Array.from({ length: 20 }, (_, n) => tensor(new Float32Array(10_000).fill(round + n)).sum().item());
    t.equal(await Promise.all(sums), Array.from({ length: 20 }, (_, n) => 10_000 * (round + n)));
  }
});
