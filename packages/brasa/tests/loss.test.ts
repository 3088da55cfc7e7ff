/**
 * Loss of the GPU, in a separate browser that allows one: its GPU process is crashed while a model trains. After the first
 * loss there is another adapter, after the second there is none.
 */
import { compile, type DeviceLoss, init, manualSeed, memory, nn, optim, scope, tensor, terminate } from '../src/index.ts';
import { type Context, environment, test } from './harness.ts';

const LENGTH = 32;

/** Losses of `steps` steps, sent in two halves; `meanwhile` is called while the first is pending. */
async function trained(steps: number, meanwhile: () => Promise<void>): Promise<number[]> {
  manualSeed(3);
  const model = new nn.Sequential(new nn.Linear(LENGTH, 16), new nn.Tanh(), new nn.Linear(16, 1));
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.02 });
  const train = compile({ model, optimizer, inputs: { x: [8, LENGTH] }, loss: ({ x }) => model.forward(x).sub(x.sum(1, true)).square().mean() });
  const batch = (n: number) => ({ x: Float32Array.from({ length: 8 * LENGTH }, (_, i) => Math.sin(i * i + (n % 10))) });
  const losses: number[] = [];
  for (const half of [0, 1]) {
    const results = Array.from({ length: steps / 2 }, (_, n) => train.step(batch(half * (steps / 2) + n)));
    if (half === 0) await meanwhile();
    for (const result of await Promise.all(results)) {
      if (result.status === 'failed') throw result.error;
      if (result.status === 'completed') losses.push(result.loss);
    }
  }
  train.destroy();
  return losses;
}

const nothing = (): Promise<void> => Promise.resolve();

async function withOwnEngine(t: Context, onLoss: (loss: DeviceLoss) => void, body: (crash: () => Promise<void>) => Promise<void>): Promise<void> {
  const crash = environment.crashGpu ?? t.skip('the GPU process cannot be crashed here');
  terminate();
  try {
    await init({ device: 'webgpu', threads: 2, onLoss });
    await body(crash);
  } finally {
    terminate();
    await init({ device: 'cpu', threads: t.settings.threads });
  }
}

test('the log for replay stays small', async (t) => {
  await withOwnEngine(t, () => undefined, async () => {
    const weight = tensor([1]);
    const part = new Float32Array(1 << 20);
    for (let n = 0; n < 60; n += 1) {
      scope(() => void weight.copy_(weight.add(tensor(part, { shape: [part.length] }).mean())));
      await weight.item();
    }
    const { heapBytes, bytes } = await memory();
    t.note(`${(heapBytes / 1e6).toFixed(0)} MB of heap after 252 MB of uploads`);
    t.equal([heapBytes < 160e6, bytes < 20e6], [true, true], `${heapBytes} and ${bytes}`);
  });
});

test('training continues after device loss, on another GPU and then on the CPU', async (t) => {
  const news: DeviceLoss[] = [];
  await withOwnEngine(t, (loss) => news.push(loss), async (crash) => {
    const expected = await trained(40, nothing);
    t.equal((expected.at(-1) as number) < (expected[0] as number) / 4, true, `losses ${expected[0]} to ${expected.at(-1)}`);
    const early = tensor([1, 2, 3]).mul(2);
    await early.toArray();
    for (const device of ['webgpu', 'cpu'] as const) {
      const pending: Promise<unknown>[] = [];
      const losses = await trained(40, async () => {
        pending.push(tensor([2, 3]).square().tolist());
        await crash();
      });
      t.close(losses, expected, 1e-3, `on ${device}`);
      t.equal(await Promise.all(pending), [[4, 9]]);
      t.equal(await early.add(1).tolist(), [3, 5, 7]);
      const { why, repeated } = news.at(-1) ?? t.skip('the browser did not lose the device');
      t.note(`now on ${device}, ${repeated} runs repeated: ${why}`);
      t.equal(news.map((loss) => loss.device), device === 'webgpu' ? ['webgpu'] : ['webgpu', 'cpu']);
    }
    // Helper threads start while the engine already computes.
    for (let n = 0; n < 200 && (await memory()).threads < 2; n += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    t.equal((await memory()).threads, 2);
  });
});
