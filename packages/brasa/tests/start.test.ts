/** Starting the engine: what is chosen, and why. */
import isolation from '../extras/vite.js';
import { inlineAssets } from '../src/inline.ts';
import { compile, init, initWebGPUAsync, type InitOptions, nn, optim, setRetainGrads, type Status, type Tensor, tensor, terminate, workerUrl } from '../src/index.ts';
import { test } from './harness.ts';
import { isPage, withOwnEngine } from './own-engine.ts';

/** Starts an engine, computes something, and returns the status. */
async function started(options: InitOptions): Promise<Status> {
  const status = await init(options);
  await tensor([1, 2]).sum().item();
  return status;
}

test('a page that is not isolated computes on one thread', async (t) => {
  await withOwnEngine(t, async () => {
    const { threads, why } = await started({ device: 'cpu', threads: 3 });
    const isIsolated = !isPage || crossOriginIsolated;
    t.equal(threads, isIsolated ? 3 : 1);
    t.equal((isIsolated ? /^as requested; threads/ : /one thread, since the page is not cross-origin isolated/).test(why), true, why);
  });
});

test('results are the same on any number of threads', async (t) => {
  if (t.settings.device !== 'cpu') t.skip('only the CPU has threads');
  const product = async (threads: number): Promise<Uint8Array> => {
    terminate();
    await init({ device: 'cpu', threads });
    const x = tensor(Float32Array.from({ length: 300 * 200 }, (_, n) => Math.sin(n)), { shape: [300, 200] });
    return x.matmul(x.transpose()).softmax(1).sum(0).toBytes();
  };
  await withOwnEngine(t, async () => {
    const one = await product(1);
    terminate();
    t.equal(await product(3), one);
  });
});

test('training computes the same in checked mode', async (t) => {
  const { device } = t.settings;
  const train = async (check: boolean): Promise<number[]> => {
    terminate();
    const { threads, why } = await init({ device, check, threads: 2, seed: 5 });
    if (check) t.equal([threads, why.replace(/^.*, and/, 'and')], [1, 'and every kernel is checked']);
    const model = new nn.Sequential(new nn.Conv2d(1, 4, 3), new nn.ReLU(), new nn.Flatten(), new nn.Linear(4 * 36, 3), new nn.LayerNorm(3));
    const optimizer = new optim.Adam(model.parameters(), { lr: 0.01 });
    const x = tensor(Float32Array.from({ length: 5 * 64 }, (_, n) => Math.sin(n)), { shape: [5, 1, 8, 8] });
    const losses: number[] = [];
    for (let step = 0; step < 4; step += 1) {
      const loss = model.forward(x).crossEntropy(tensor([0, 1, 2, 0, 1], { dtype: 'i64' }));
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      losses.push(await loss.item());
    }
    return losses;
  };
  await withOwnEngine(t, async () => {
    const plain = await train(false);
    // With and without fused multiply-add.
    t.close(await train(true), plain, 1e-4);
    t.equal(plain[3]! < plain[0]!, true, `losses ${plain}`);
  });
});

test('the Vite plug-in sends the isolation headers', async (t) => {
  const sent: Record<string, string> = {};
  type Handle = (request: unknown, response: { setHeader(name: string, value: string): void }, next: () => void) => void;
  let isPassedOn = false;
  const use = (handle: Handle): void => handle({}, { setHeader: (name, value) => void (sent[name] = value) }, () => { isPassedOn = true; });
  const plugin = isolation() as unknown as { configureServer(server: { middlewares: { use: typeof use } }): void };
  plugin.configureServer({ middlewares: { use } });
  t.equal([sent['Cross-Origin-Opener-Policy'], sent['Cross-Origin-Embedder-Policy'], isPassedOn], ['same-origin', 'require-corp', true]);
});

test('missing WebGPU is reported', async (t) => {
  if (isPage) t.skip('pages may have WebGPU');
  await withOwnEngine(t, async () => {
    await t.rejects(init({ device: 'webgpu' }), 'EngineError', /WebGPU cannot be used here: Node has no WebGPU\n {2}help: init\(\{ device: 'cpu' \}\)/);
    const { device, why } = await started({ device: 'auto' });
    t.equal(device, 'cpu');
    t.equal(/WebGPU cannot be used here/.test(why), true, why);
  });
});

/** Collects the workers started while `body` runs, each with a function that simulates a crash. */
async function crashable(body: (workers: { crash(): void }[]) => Promise<void>): Promise<void> {
  const workers: { crash(): void }[] = [];
  const owner = (isPage ? globalThis : process.getBuiltinModule('node:worker_threads')) as unknown as { Worker: new (...given: never[]) => object };
  const { Worker: Original } = owner;
  owner.Worker = class extends Original {
    constructor(...given: never[]) {
      super(...given);
      const own = this as unknown as Worker;
      workers.push({ crash: () => void (isPage ? own.dispatchEvent(new ErrorEvent('error', { message: 'it crashed' })) : own.terminate()) });
    }
  };
  try {
    await body(workers);
  } finally {
    owner.Worker = Original;
  }
}

test('a new engine can be started after the worker has died', async (t) => {
  await withOwnEngine(t, () => crashable(async (workers) => {
    const options = { device: t.settings.device, threads: 1 };
    await init(options);
    const x = tensor([1, 2]);
    await x.tolist();
    workers[0]?.crash();
    await t.rejects((async () => {
      for (;;) await x.add(1).tolist();
    })(), 'EngineError', /worker has died/);
    const before = workers.length;
    await init(options);
    t.equal(workers.length, before + 1, 'no new worker was started');
    t.equal(await tensor([1, 2]).add(1).tolist(), [2, 3]);
    await t.rejects((async () => x.add(1).tolist())(), 'StaleTensorError');
  }));
});

test('webgpu-torch: starting', async (t) => {
  await withOwnEngine(t, async () => {
    const hasWebGpu = await initWebGPUAsync();
    t.equal(typeof hasWebGpu, 'boolean');
    if (!isPage) t.equal(hasWebGpu, false);
    if (t.settings.device === 'webgpu') t.equal(hasWebGpu, true);
    t.equal(await tensor([1, 2]).add(tensor([3, 4])).tolist(), [4, 6]);
    // As in its README: all tensors have a gradient afterwards.
    const a = tensor({ data: [[1, 2], [3, 4]], requiresGrad: true });
    const b = tensor({ data: [[5, 6], [7, 8]], requiresGrad: true });
    const c = a.add(b);
    c.backward();
    t.equal([await a.grad!.tolist(), await b.grad!.tolist(), await c.grad!.tolist()], Array(3).fill([[1, 1], [1, 1]]));
    setRetainGrads(false);
  });
});

test('a worker can be embedded as a string', async (t) => {
  if (!isPage) t.skip('Node has no blob URLs of workers');
  const revoke = URL.revokeObjectURL;
  const revoked: string[] = [];
  URL.revokeObjectURL = (url) => void revoked.push(url);
  try {
    // A module: classic scripts have no `import.meta`.
    const { worker } = inlineAssets({ recorder: '', engine: '', engineFused: '', engineWebgpu: '', worker: 'postMessage(typeof import.meta);' });
    const started = worker.start();
    const said = await new Promise((resolve) => started.addEventListener('message', ({ data }) => resolve(data)));
    started.terminate();
    t.equal([said, revoked.length, revoked[0]?.startsWith('blob:')], ['object', 1, true]);
  } finally {
    URL.revokeObjectURL = revoke;
  }
});

/** A folder that does not exist. */
const nowhere = isPage ? `${location.origin}/nowhere/` : 'file:///nowhere/';

/** Counts the workers started and terminated while `body` runs, in pages. */
async function counted(body: () => Promise<void>): Promise<{ started: number; ended: number }> {
  const counts = { started: 0, ended: 0 };
  const Original = globalThis.Worker;
  if (Original) {
    globalThis.Worker = class extends Original {
      constructor(...given: ConstructorParameters<typeof Original>) {
        super(...given);
        counts.started += 1;
      }
      override terminate(): void {
        super.terminate();
        counts.ended += 1;
      }
    };
  }
  try {
    await body();
  } finally {
    if (Original) globalThis.Worker = Original;
  }
  return counts;
}

test('terminate cancels init', async (t) => {
  await withOwnEngine(t, async () => {
    const cancelled = init({ device: 'cpu', threads: 1 });
    terminate();
    await t.rejects(cancelled, 'EngineError', /terminated/);
    t.throws(() => tensor([1]).device, 'EngineError', /not started/);
  });
});

test('an init that fails late does not affect a newer engine', async (t) => {
  await withOwnEngine(t, async () => {
    const older = init({ device: 'cpu', base: nowhere });
    terminate();
    const newer = init({ device: 'cpu', threads: 1 });
    const failing = t.rejects(older, 'EngineError');
    await newer;
    await failing;
    t.equal(await tensor([1, 2]).add(1).tolist(), [2, 3]);
  });
});

test('a failed load is an error and leaves no worker running', async (t) => {
  await withOwnEngine(t, async () => {
    const counts = await counted(async () => {
      await t.rejects(init({ device: 'cpu', base: nowhere }), 'EngineError', /nowhere/);
    });
    t.equal(counts.ended, counts.started);
    t.throws(() => tensor([1]).device, 'EngineError', /not started/);
  });
});

test('the files can be in another folder', async (t) => {
  const folder = new URL('.', workerUrl()).href;
  await withOwnEngine(t, async () => {
    const { why } = await started({ device: 'cpu', threads: 1, base: folder });
    t.equal(why.startsWith('as requested'), true, why);
  });
});

test('a second init warns about ignored options', async (t) => {
  const warned: string[] = [];
  const { warn } = console;
  console.warn = (text: string) => void warned.push(text);
  try {
    const first = await init();
    t.equal(await init({ threads: t.settings.threads }), first);
    t.equal(warned, []);
    t.equal(await init({ threads: 99, debug: true }), first);
  } finally {
    console.warn = warn;
  }
  t.equal(warned.length, 1);
  t.equal(/threads: 99 .*debug: true/.test(warned[0] ?? '') && /terminate\(\) first/.test(warned[0] ?? ''), true, warned[0]);
});

test('a tensor reports its device', async (t) => {
  t.equal(tensor([1]).device, t.settings.device);
});

test('all compiled functions share one worker', async (t) => {
  if (!isPage) t.skip('workers are counted in pages');
  await withOwnEngine(t, async () => {
    const Original = Worker;
    let count = 0;
    globalThis.Worker = class extends Original {
      constructor(...given: ConstructorParameters<typeof Original>) {
        super(...given);
        count += 1;
      }
    };
    try {
      await init({ device: t.settings.device, threads: 1 });
      await init({ device: t.settings.device, threads: 1 });
      const model = new nn.Linear(1, 1);
      const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
      const train = compile({ model, optimizer, inputs: { x: [1, 1] }, loss: ({ x }) => model.forward(x).square().mean() });
      const forward = train.attach((x: Tensor) => model.forward(x));
      const x = tensor([[3]]);
      const before = await forward.run(x).item();
      await train.step({ x });
      // The attached function uses the trained parameters.
      t.equal((await forward.run(x).item()) !== before, true);
      t.equal(count, 1);
    } finally {
      globalThis.Worker = Original;
    }
  });
});
