/** Checkpoints and the places for them. */
import { checkpoint, compile, download, indexedDb, manualSeed, nn, opfs, optim, restore, type Store } from '../src/index.ts';
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

test('training goes on from a checkpoint as if it had never stopped', async (t) => {
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

async function keeps(t: Context, store: Store): Promise<void> {
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

test('checkpoints are kept in the private file system', async (t) => {
  if (typeof document === 'undefined') {
    await t.rejects(opfs(), 'DataError', /no private file system/);
    return;
  }
  await keeps(t, await opfs('brasa-test'));
});

test('checkpoints are kept in a database', async (t) => {
  if (typeof document === 'undefined') {
    await t.rejects(indexedDb(), 'DataError', /no database/);
    return;
  }
  await keeps(t, await indexedDb('brasa-test'));
});

test('a file is handed to the user', async (t) => {
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
