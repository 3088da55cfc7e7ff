/** Checkpoints and where they are stored. */
import { checkpoint, compile, download, indexedDb, load, manualSeed, nn, ones, opfs, optim, restore, save, type Store, type Tensor } from '../src/index.ts';
import { type Context, test } from './harness.ts';

const XOR = { x: Float32Array.of(0, 0, 0, 1, 1, 0, 1, 1), y: Float32Array.of(0, 1, 1, 0) };

function trainer(seed: number) {
  manualSeed(seed);
  const model = new nn.Sequential(new nn.Linear(2, 8), new nn.Tanh(), new nn.Dropout(0.2), new nn.Linear(8, 1));
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.05 });
  const train = compile({ model, optimizer, inputs: { x: [4, 2], y: [4, 1] }, loss: ({ x, y }) => model.forward(x).sub(y).square().mean() });
  const losses = async (count: number): Promise<number[]> => {
    const found: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const result = await train.step(XOR);
      found.push(result.status === 'completed' ? result.loss : NaN);
    }
    return found;
  };
  return { model, optimizer, losses };
}

test('training resumes from a checkpoint with identical losses', async (t) => {
  const first = trainer(1);
  await first.losses(5);
  const bytes = await checkpoint(first, { note: 'after five steps' });
  const wanted = await first.losses(5);
  const second = trainer(2);
  t.equal(restore(bytes, second), { note: 'after five steps' });
  t.equal(second.optimizer.steps, 5);
  t.equal(await second.losses(5), wanted);
});

test('a checkpoint that does not fit changes nothing', async (t) => {
  const own = trainer(1);
  const before = await own.model.parameters()[0]!.tolist();
  const other = new nn.Linear(3, 3);
  const foreign = await checkpoint({ model: other });
  t.throws(() => restore(foreign, own), 'DataError', /missing/);
  const stateless = await checkpoint({ model: own.model });
  await own.losses(1);
  const moved = await own.model.parameters()[0]!.tolist();
  t.throws(() => restore(stateless, own), 'DataError');
  t.equal(await own.model.parameters()[0]!.tolist(), moved);
  t.equal(JSON.stringify(before) === JSON.stringify(moved), false);
  t.throws(() => restore(new Uint8Array(20), own), 'DataError');
  await t.rejects(checkpoint(own, { brasa: 'mine' }), 'ArgumentError', /brasa/);
});

async function checkStore(t: Context, store: Store): Promise<void> {
  const name = 'test.safetensors';
  const bytes = await checkpoint({ model: new nn.Linear(2, 2) }, { at: 'first' });
  await store.write(name, bytes);
  const again = await checkpoint({ model: new nn.Linear(2, 2) }, { at: 'second' });
  await store.write(name, again);
  t.equal(await store.names(), [name]);
  t.equal(await store.read(name), again);
  t.equal(restore(await store.read(name), { model: new nn.Linear(2, 2) }), { at: 'second' });
  await store.remove(name);
  t.equal(await store.names(), []);
  await t.rejects(store.read(name), 'DataError', /there is no 'test.safetensors'/);
}

test('checkpoints can be stored in the origin private file system', async (t) => {
  if (typeof document === 'undefined') {
    await t.rejects(opfs(), 'DataError', /no private file system/);
    return;
  }
  await checkStore(t, await opfs('brasa-test'));
});

test('checkpoints can be stored in IndexedDB', async (t) => {
  if (typeof document === 'undefined') {
    await t.rejects(indexedDb(), 'DataError', /no database/);
    return;
  }
  await checkStore(t, await indexedDb('brasa-test'));
});

test('a file can be downloaded', async (t) => {
  const bytes = await checkpoint({ model: new nn.Linear(1, 1) });
  if (typeof document === 'undefined') {
    t.throws(() => download('model.safetensors', bytes), 'DataError', /no page/);
    return;
  }
  let clicked = '';
  const click = (event: Event): void => {
    event.preventDefault();
    clicked = (event.target as HTMLAnchorElement).download;
  };
  const plain = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
    this.addEventListener('click', click);
    plain.call(this);
  };
  try {
    download('model.safetensors', bytes);
  } finally {
    HTMLAnchorElement.prototype.click = plain;
  }
  t.equal(clicked, 'model.safetensors');
});

function grouped() {
  manualSeed(3);
  const [a, b] = [new nn.Linear(2, 2), new nn.Linear(2, 2)];
  const model = new nn.Sequential(a, b);
  const optimizer = new optim.Adam([{ params: a.parameters(), lr: 0.1 }, { params: b.parameters(), lr: 0.01, weightDecay: 0.5 }]);
  const step = (x: Tensor): void => {
    optimizer.zeroGrad();
    x.square().sum().backward();
    optimizer.step();
  };
  const x = ones([1, 2]);
  return { model, optimizer, one: () => step(a.forward(x)), both: () => step(model.forward(x)) };
}

test('a checkpoint includes rates, weight decay and the steps of each parameter', async (t) => {
  const first = grouped();
  first.one();
  first.both();
  first.optimizer.setLR(0.02, 1);
  (first.optimizer.paramGroups[0] as optim.GroupSettings).weightDecay = 0.25;
  const bytes = await checkpoint(first);
  const state = first.optimizer.stateDict();
  t.equal(state.paramSteps, [2, 2, 1, 1]);
  const values = async ({ model }: { model: nn.Module }): Promise<unknown> => Promise.all(model.parameters().map((p) => p.tolist()));
  const second = grouped();
  restore(bytes, second);
  t.equal(second.optimizer.paramGroups.map(({ lr, weightDecay }) => [lr, weightDecay]), [[0.1, 0.25], [0.02, 0.5]]);
  t.equal(second.optimizer.stateDict().paramSteps, [2, 2, 1, 1]);
  first.both();
  second.both();
  t.equal(await values(second), await values(first));
  // The format of earlier versions, without groups and paramSteps.
  const { tensors, metadata } = load(bytes);
  const { steps, random } = JSON.parse(metadata['brasa'] as string) as Record<string, unknown>;
  const old = await save(tensors, { brasa: JSON.stringify({ steps, random }) });
  const third = grouped();
  restore(old, third);
  t.equal([third.optimizer.steps, third.optimizer.stateDict().paramSteps], [2, [2, 2, 2, 2]]);
  t.equal(third.optimizer.paramGroups.map(({ lr }) => lr), [0.1, 0.01]);
  // A state that does not match changes nothing.
  for (const wrong of [{ groups: [{ lr: 1, weightDecay: 0 }] }, { groups: [{ lr: 1, weightDecay: 0 }, { lr: 1, weightDecay: -1 }] }, { paramSteps: [1] }]) {
    t.throws(() => third.optimizer.loadStateDict({ ...state, ...wrong }), 'DataError');
  }
  t.equal([third.optimizer.steps, ...third.optimizer.paramGroups.map(({ lr }) => lr)], [2, 0.1, 0.01]);
});
