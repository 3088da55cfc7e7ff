/** The recorder's second module, with rarely called functions: loaded last, or when one is called. */
import { compile, init, nn, optim, tensor } from '../src/index.ts';
import { type Context, test } from './harness.ts';
import { isPage, withOwnEngine } from './own-engine.ts';

/** Replaces the synchronous loading of files by `send` while `body` runs. */
async function withLoader(send: (load: () => unknown) => unknown, body: () => Promise<void>): Promise<void> {
  const [owner, name] = isPage
    ? [XMLHttpRequest.prototype as unknown as Record<string, unknown>, 'send']
    : [process.getBuiltinModule('node:fs') as unknown as Record<string, unknown>, 'readFileSync'];
  const before = owner[name] as (...given: unknown[]) => unknown;
  owner[name] = function (this: unknown, ...given: unknown[]) {
    return send(() => before.apply(this, given));
  };
  try {
    await body();
  } finally {
    owner[name] = before;
  }
}

/** Starts an engine without loading the second module in the background. */
async function initFirstOnly(t: Context): Promise<void> {
  const before = globalThis.fetch;
  globalThis.fetch = (...given) => (String(given[0]).includes('recorder-rest') ? new Promise(() => undefined) : before(...given));
  try {
    await init(options(t));
  } finally {
    globalThis.fetch = before;
  }
}

/** Calls an op of the second module. */
function histogram(): Promise<ArrayLike<number>> {
  return tensor([1, 2, 2, 3]).histc(3).toArray() as Promise<ArrayLike<number>>;
}

/** Counts synchronous loads while `body` runs. */
async function countLoads(body: () => Promise<void>): Promise<number> {
  let count = 0;
  await withLoader((load) => (count++, load()), body);
  return count;
}

const options = (t: Context) => ({ device: t.settings.device, threads: 1 });

test('a rare op can be called right after init', async (t) => {
  await withOwnEngine(t, async () => {
    await initFirstOnly(t);
    const count = await countLoads(async () => {
      t.close(await histogram(), [1, 2, 1]);
      t.close(await histogram(), [1, 2, 1]);
    });
    t.equal(count, 1, 'it is loaded more than once');
  });
});

test('common programs need no second module', async (t) => {
  await withOwnEngine(t, async () => {
    await initFirstOnly(t);
    const count = await countLoads(async () => {
      const x = tensor([[0, 0], [0, 1], [1, 0], [1, 1]]);
      const y = tensor([[0], [1], [1], [0]]);
      const model = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 1));
      const optimizer = new optim.Adam(model.parameters(), { lr: 0.05 });
      const loss = model.forward(x).sub(y).square().mean();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      await loss.item();
      const step = compile({ model, optimizer, inputs: { x: [4, 2], y: [4, 1] }, loss: (of) => model.forward(of.x).sub(of.y).square().mean() });
      t.equal((await step.step({ x, y })).status, 'completed');
      t.throws(() => x.matmul(x), 'ShapeError');
    });
    t.equal(count, 0);
  });
});

test('with whole: true nothing is loaded later', async (t) => {
  await withOwnEngine(t, async () => {
    await init({ ...options(t), whole: true });
    t.equal(await countLoads(async () => t.close(await histogram(), [1, 2, 1])), 0);
  });
});

test('a page loads the second module in the background', async (t: Context) => {
  if (!isPage) t.skip('in Node it is loaded on demand');
  await withOwnEngine(t, async () => {
    performance.clearResourceTimings();
    await init(options(t));
    const isLoaded = () => performance.getEntriesByType('resource').some(({ name }) => name.includes('recorder-rest'));
    for (let n = 0; n < 500 && !isLoaded(); n += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    t.ok(isLoaded(), 'it was not requested');
  });
});

test('if the second module cannot be loaded, calls that need it throw and others work', async (t) => {
  await withOwnEngine(t, async () => {
    await initFirstOnly(t);
    const kept = tensor([1, 2]);
    for (let n = 0; n < 100; n += 1) kept.add(n);
    const refuse = () => {
      throw new Error('there is no network');
    };
    await withLoader(refuse, async () => {
      const [x, y] = [tensor([[0, 0], [0, 1], [1, 0], [1, 1]]), tensor([[0], [1], [1], [0]])];
      const model = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 1));
      const optimizer = new optim.Adam(model.parameters(), { lr: 0.05 });
      const losses: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        t.throws(histogram, 'EngineError', /cannot be loaded: there is no network\n {2}help: other calls still work, and the next such call tries again/);
        // The interrupted call is undone.
        t.equal(await kept.add(n).tolist(), [1 + n, 2 + n]);
        const loss = model.forward(x).sub(y).square().mean();
        optimizer.zeroGrad();
        loss.backward();
        optimizer.step();
        losses.push(await loss.item());
        t.throws(() => x.matmul(x), 'ShapeError');
      }
      t.equal(losses[2]! < losses[0]!, true, String(losses));
    });
    t.close(await histogram(), [1, 2, 1]);
    kept.dispose();
  });
  t.close(await histogram(), [1, 2, 1]);
});
