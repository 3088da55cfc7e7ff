/** Compiled functions and training steps. */
import { capture, compile, crossEntropy, manualSeed, nn, ones, optim, singleFlight, Tensor, tensor } from '../src/index.ts';
import { test } from './harness.ts';

class Mlp extends nn.Module<[Tensor], Tensor> {
  readonly hidden = new nn.Linear(2, 16);
  readonly head = new nn.Linear(16, 1);

  override forward(x: Tensor): Tensor {
    return this.head.forward(capture('hidden', this.hidden.forward(x).tanh()));
  }
}

const XOR = { x: Float32Array.of(0, 0, 0, 1, 1, 0, 1, 1), y: Float32Array.of(0, 1, 1, 0) };

function xor(lr = 0.05) {
  manualSeed(1);
  const model = new Mlp();
  const optimizer = new optim.Adam(model.parameters(), { lr });
  const train = compile({
    model,
    optimizer,
    inputs: { x: [null, 2], y: [null, 1] },
    loss: ({ x, y }) => model.forward(x).sub(y).square().mean(),
  });
  return { model, optimizer, train };
}

test('a function is recorded once for each shape', async (t) => {
  let recorded = 0;
  const double = compile((x: Tensor) => {
    recorded += 1;
    return x.mul(2);
  });
  t.equal(await double.run(tensor([1, 2])).tolist(), [2, 4]);
  t.equal(await double.run(tensor([3, 4])).tolist(), [6, 8]);
  t.equal(await double.run(tensor([5])).tolist(), [10]);
  t.equal(recorded, 2);
  double.destroy();
  double.destroy();
  t.throws(() => double.run(tensor([1])), 'ArgumentError', /destroyed/);
});

test('a compiled step learns xor', async (t) => {
  const { model, train } = xor();
  for await (const result of train.steps(Array.from({ length: 300 }, () => XOR))) {
    t.equal(result.status, 'completed');
  }
  const predict = train.attach((x: Tensor) => model.forward(x));
  t.close(await predict.run(tensor(XOR.x, { shape: [4, 2] })).toArray(), XOR.y, 0.25);
});

test('a compiled step is the recorded one', async (t) => {
  const { train } = xor();
  const compiled: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const result = await train.step(XOR);
    if (result.status === 'completed') compiled.push(result.loss);
  }
  manualSeed(1);
  const model = new Mlp();
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.05 });
  const recorded: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const [x, y] = [tensor(XOR.x, { shape: [4, 2] }), tensor(XOR.y, { shape: [4, 1] })];
    const loss = model.forward(x).sub(y).square().mean();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    recorded.push(await loss.item());
  }
  t.close(compiled, recorded, 1e-6);
});

test('captures, parameters, gradients and state come out', async (t) => {
  const { model, train } = xor();
  const grads = await train.downloadParamGrads(XOR);
  t.equal(Object.keys(grads), ['head.bias', 'head.weight', 'hidden.bias', 'hidden.weight']);
  const before = await train.downloadParams();
  const result = await train.step(XOR);
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  t.equal(result.captures.names, ['hidden']);
  t.equal(result.captures.get('hidden').shape, [4, 16]);
  t.throws(() => result.captures.get('nothing'), 'ArgumentError', /hidden/);
  const after = await train.downloadParams();
  t.equal(JSON.stringify(before) === JSON.stringify(after), false);
  train.uploadParams(before);
  t.equal(await train.downloadParams(), before);
  train.uploadParams({ 'head.bias': [7] }, { partial: true });
  t.equal(await model.head.bias!.toArray(), [7]);
  t.equal(train.paramNames, ['hidden.weight', 'hidden.bias', 'head.weight', 'head.bias']);
  t.equal([...train.optimizerState().tensors.keys()].length, 8);
  t.equal(train.optimizerState().steps, 1);
  train.reset();
  t.equal(train.optimizerState().steps, 0);
});

test('steps end as completed, aborted or failed', async (t) => {
  const { train } = xor();
  const abort = new AbortController();
  abort.abort();
  t.equal(await train.step(XOR, { signal: abort.signal }), { status: 'aborted' });
  const wrong = await train.step({ x: XOR.x, y: Float32Array.of(1, 2, 3) });
  t.equal(wrong.status === 'failed' && wrong.error.name, 'ShapeError');
  const missing = await train.step({ x: XOR.x } as never);
  t.equal(missing.status === 'failed' && missing.error.message, "step: input 'y' is missing");
  t.equal((await train.step(XOR)).status, 'completed');
});

test('what the function throws is thrown by the step', async (t) => {
  const model = new Mlp();
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
  const train = compile({ model, optimizer, inputs: { x: [4, 3] }, loss: ({ x }) => model.forward(x).sum() });
  const result = await train.step({ x: new Float32Array(12) });
  t.equal(result.status === 'failed' && result.error.name, 'ShapeError');
  const own = compile((): Tensor => {
    throw new RangeError('mine');
  });
  t.throws(() => own.run(), 'RangeError', /mine/);
});

test('a schedule compiles nothing anew', async (t) => {
  const model = new nn.Linear(1, 1, { bias: false });
  let recorded = 0;
  const optimizer = new optim.SGD(model.parameters(), { lr: optim.schedule.linear(0.5, 0.1, 4) });
  const train = compile({
    model,
    optimizer,
    inputs: { x: [1, 1] },
    loss: ({ x }) => {
      recorded += 1;
      return model.forward(x).sum();
    },
  });
  model.loadStateDict({ weight: [0] });
  const weights: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    await train.step({ x: [[1]] });
    weights.push(await model.weight.item());
  }
  t.close(weights, [-0.5, -0.9, -1.2, -1.4]);
  t.equal(recorded, 1);
});

test('classes are learnt by cross entropy', async (t) => {
  manualSeed(3);
  const model = new nn.Sequential(new nn.Linear(2, 32), new nn.ReLU(), new nn.Linear(32, 3));
  const optimizer = new optim.AdamW(model.parameters(), { lr: 0.02 });
  const inputs = { x: [null, 2], y: { shape: [null], dtype: 'i64' } } as const;
  const train = compile({ model, optimizer, inputs, loss: ({ x, y }) => crossEntropy(model.forward(x), y) });
  const angle = Float32Array.from({ length: 60 }, (_, i) => i);
  const x = Float32Array.from({ length: 120 }, (_, i) => (i % 2 ? Math.sin : Math.cos)((angle[i >> 1] as number) / 9.55));
  const y = Int32Array.from(angle, (a) => Math.floor(a / 20));
  let last = 0;
  for await (const result of train.steps(Array.from({ length: 150 }, () => ({ x, y })))) {
    if (result.status === 'completed') last = result.loss;
  }
  t.equal(last < 0.2, true, `loss ${last}`);
});

test('one call at a time', async (t) => {
  let calls = 0;
  const once = singleFlight(async (x: number) => {
    calls += 1;
    return (await ones([1]).mul(x).item()) as number;
  });
  t.equal(await Promise.all([once(2), once(3)]), [2, 2]);
  t.equal([await once(4), calls], [4, 2]);
});
