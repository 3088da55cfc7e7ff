/** Compiled functions and training steps. */
import { capture, compile, crossEntropy, manualSeed, memory, nn, ones, optim, singleFlight, Tensor, tensor } from '../src/index.ts';
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

test('a function is recorded once per shape', async (t) => {
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

test('stepAll computes the same steps as steps', async (t) => {
  const one = xor();
  const apart: number[] = [];
  for await (const result of one.train.steps(Array.from({ length: 6 }, () => XOR))) if (result.status === 'completed') apart.push(result.loss);
  const other = xor();
  const losses = (results: readonly { status: string; loss?: number }[]): (number | undefined)[] => results.map(({ loss }) => loss);
  const together = [...losses(await other.train.stepAll([XOR, XOR, XOR, XOR])), ...losses(await other.train.stepAll([XOR, XOR]))];
  t.equal(together, apart);
  t.equal(await other.train.stepAll([]), []);
  const [good, bad] = await other.train.stepAll([XOR, { x: [1, 2, 3], y: XOR.y }]);
  t.equal([good?.status, bad?.status], ['completed', 'failed']);
});

test('a compiled step computes the same losses as an eager one', async (t) => {
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

test('captures, parameters, gradients and state can be read', async (t) => {
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

test('flat data become inputs without an extra program', async (t) => {
  const { train } = xor();
  await train.step({ x: tensor([[0, 0], [0, 1], [1, 0], [1, 1]]), y: tensor([[0], [1], [1], [0]]) });
  const { programs } = await memory();
  for (const x of [XOR.x, Array.from(XOR.x)]) t.equal((await train.step({ x, y: XOR.y })).status, 'completed');
  t.equal((await memory()).programs, programs);
  const open = compile({ forward: ({ x }) => x.sum(1), inputs: { x: [null, 3] } });
  const result = await open.run({ x: Float32Array.of(1, 2, 3, 4, 5, 6) });
  t.equal(result.status === 'completed' && Array.from(result.output), [6, 15]);
  const uneven = await open.run({ x: Float32Array.of(1, 2, 3, 4) });
  t.equal(uneven.status === 'failed' && uneven.error.message, "run: 'x' is Tensor(f32[4]), expected shape [?, 3]");
  open.destroy();
  train.destroy();
});

test('steps are completed, aborted or failed', async (t) => {
  const { train } = xor();
  const abort = new AbortController();
  abort.abort();
  t.equal(await train.step(XOR, { signal: abort.signal }), { status: 'aborted', kind: 'aborted' });
  const wrong = await train.step({ x: XOR.x, y: Float32Array.of(1, 2, 3) });
  t.equal(wrong.status === 'failed' && wrong.error.name, 'ShapeError');
  const missing = await train.step({ x: XOR.x } as never);
  t.equal(missing.status === 'failed' && missing.error.message, "step: input 'y' is missing");
  t.equal((await train.step(XOR)).status, 'completed');
});

test('aborting ends training early', async (t) => {
  const { train } = xor();
  const abort = new AbortController();
  let [asked, isClosed, listeners] = [0, false, 0];
  const { signal } = abort;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => { listeners += 1; add(...given); };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => { listeners -= 1; remove(...given); };
  async function* batches(): AsyncGenerator<typeof XOR> {
    try {
      for (;;) {
        asked += 1;
        yield XOR;
      }
    } finally {
      isClosed = true;
    }
  }
  await train.step(XOR);
  const before = (await memory()).handles;
  const seen: string[] = [];
  for await (const result of train.steps(batches(), { signal, inFlight: 4 })) {
    seen.push(result.status);
    if (result.status === 'completed') result.captures.dispose();
    if (seen.length === 5) abort.abort();
  }
  t.equal(seen.slice(0, 5), Array(5).fill('completed'));
  t.equal([seen.length >= 6, seen.at(-1)], [true, 'aborted']);
  // Five were completed, three pending, and one requested when it was aborted.
  t.equal(asked <= 10 && isClosed, true, `${asked} batches were requested`);
  t.equal(listeners, 0, 'listeners leak');
  // Fewer if the garbage collector freed tensors of other tests meanwhile.
  const after = (await memory()).handles;
  t.equal(after <= before, true, `captures leak: ${before} handles became ${after}`);
  t.equal((await train.step(XOR)).status, 'completed');
});

test('gradients above clipGradNorm are scaled', async (t) => {
  const model = new nn.Linear(1, 1, { bias: false });
  const optimizer = new optim.SGD(model.parameters(), { lr: 1 });
  const loss = ({ x }: { x: Tensor }): Tensor => model.forward(x).sum();
  const train = compile({ model, optimizer, inputs: { x: [1, 1] }, loss, clipGradNorm: 2 });
  model.loadStateDict({ weight: [0] });
  await train.step({ x: [[100]] });
  t.close(await model.weight.item(), -2);
  await train.step({ x: [[1]] });
  t.close(await model.weight.item(), -3);
});

test('functions of named inputs return typed arrays', async (t) => {
  const { model, train } = xor();
  const predict = train.attach({ forward: ({ x }) => model.forward(x), inputs: { x: [null, 2] } });
  const result = await predict.run({ x: XOR.x });
  if (result.status !== 'completed') throw new Error(JSON.stringify(result));
  t.equal([result.output instanceof Float32Array, result.shape, result.captures.names, result.captures.shape('hidden')], [true, [4, 1], ['hidden'], [4, 16]]);
  const before = await train.run(XOR);
  const step = await train.step(XOR);
  t.close(before.status === 'completed' ? before.output : NaN, step.status === 'completed' ? step.loss : NaN);
  const after = await train.run(XOR);
  t.equal(before.status === 'completed' && after.status === 'completed' && before.output[0] !== after.output[0], true, 'the step changed nothing');
  const wrong = await predict.run({ x: Float32Array.of(1) });
  t.equal(wrong.status === 'failed' && wrong.error.name, 'ShapeError');
  const doubled = compile({ forward: ({ x }) => x.mul(2), inputs: { x: { shape: [2], dtype: 'i32' } } });
  const twice = await doubled.run({ x: Int32Array.of(3, 4) });
  t.equal(twice.status === 'completed' && twice.output, Int32Array.of(6, 8));
  t.equal((await doubled.run({ x: Int32Array.of(3, 4) }, { signal: AbortSignal.abort() })).kind, 'aborted');
});

test('an async function is an error that suggests capture', (t) => {
  const reads = async (x: Tensor): Promise<Tensor> => x.mul(await x.sum().item());
  const compiled = compile(reads as unknown as (x: Tensor) => Tensor);
  t.throws(() => compiled.run(ones([2])), 'ArgumentError', /returned a promise.*capture\(name, x\)/s);
});

test('the step rethrows what the function throws', async (t) => {
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

test('a schedule does not recompile the step', async (t) => {
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

test('cross entropy learns classes', async (t) => {
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

test('singleFlight runs one call at a time', async (t) => {
  let calls = 0;
  const once = singleFlight(async (x: number) => {
    calls += 1;
    return (await ones([1]).mul(x).item()) as number;
  });
  t.equal(await Promise.all([once(2), once(3)]), [2, 2]);
  t.equal([await once(4), calls], [4, 2]);
});

test('info describes the compiled step', async (t) => {
  const { train } = xor();
  const info = await train.info(XOR);
  t.equal(info.paramNames, train.paramNames);
  t.equal(info.captureShapes, { hidden: [4, 16] });
  t.equal(info.outputShape, []);
  t.equal(Number.isInteger(info.kernelCount) && info.kernelCount > 0, true, `${info.kernelCount} kernels`);
});

test('replaceModel replaces the model', async (t) => {
  manualSeed(5);
  const made = (lr: number): { model: Mlp; optimizer: optim.Optimizer } => {
    const model = new Mlp();
    return { model, optimizer: new optim.SGD(model.parameters(), { lr }) };
  };
  const [first, second] = [made(0), made(0.1)];
  const inputs = { x: [null, 2], y: [null, 1] } as const;
  const train = compile({ ...first, inputs, loss: ({ x, y }, model: Mlp) => model.forward(x).sub(y).square().mean() });
  const loss = async (): Promise<number> => {
    const result = await train.step(XOR);
    return result.status === 'completed' ? result.loss : NaN;
  };
  const before = await loss();
  t.close(await loss(), before);
  const untouched = await first.model.head.weight.tolist();
  train.replaceModel(second.model, second.optimizer);
  const other = await loss();
  t.equal(Math.abs(other - before) > 1e-6, true, 'the model was not replaced');
  t.equal((await loss()) < other, true, 'the new model does not learn');
  t.equal(await first.model.head.weight.tolist(), untouched);
  t.throws(() => train.replaceModel(first.model, second.optimizer), 'ArgumentError', /another compiled step/);
  t.equal((await loss()) < other, true, 'the failed replacement changed the model');
});

test('probe reads any node of a step', async (t) => {
  const { model, train } = xor();
  t.throws(() => train.probe(XOR, 0), 'ArgumentError', /explain the step first/);
  const { nodes } = await train.explain(XOR);
  const before = await model.hidden.weight.tolist();
  const weight = nodes.find(({ name }) => name === 'hidden.weight');
  t.equal(await train.probe(XOR, weight?.id ?? -1).tolist(), before);
  const grads = await train.downloadParamGrads(XOR);
  const wanted = Array.from(grads['hidden.weight'] ?? [], Number);
  let isFound = false;
  for (const { id, call, dtype, shape } of nodes) {
    const isLike = call === 'backward' && dtype === 'f32' && String(shape) === String(model.hidden.weight.shape);
    if (!isLike || isFound) continue;
    const value = Array.from(await train.probe(XOR, id).toArray(), Number);
    isFound = value.every((x, n) => Math.abs(x - (wanted[n] ?? NaN)) < 1e-5);
  }
  t.equal(isFound, true, 'the gradient is not among the nodes');
  t.throws(() => train.probe(XOR, nodes.length), 'ArgumentError', /the step has \d+ nodes/);
  t.equal(await model.hidden.weight.tolist(), before, 'probe changed the parameters');
  // Types are those of the last `explain`.
  const other = { x: Float32Array.of(0, 0, 0, 1), y: Float32Array.of(0, 1) };
  const product = nodes.find(({ shape, op }) => shape[0] === 4 && op !== 'input');
  await t.rejects(train.probe(other, product?.id ?? -1).toArray(), 'ArgumentError', /the value has type/);
  train.destroy();
});

test('a compiled function follows the mode of the modules it reads', async (t) => {
  let recorded = 0;
  const model = new nn.Sequential(new nn.Dropout(0.5), new nn.BatchNorm1d(64, { momentum: 0.5 }));
  const f = compile((x: Tensor) => {
    recorded += 1;
    return model.forward(x);
  });
  const x = ones([2, 64]);
  const first = JSON.stringify(await f.run(x).tolist());
  t.equal(JSON.stringify(await f.run(x).tolist()) === first, false);
  t.equal(recorded, 1);
  model.eval();
  const used = await f.run(x).tolist();
  t.equal(await f.run(x).tolist(), used);
  t.close(await f.run(x).toArray(), await model.forward(x).toArray());
  t.equal(recorded, 2);
  model.train();
  t.equal(JSON.stringify(await f.run(x).tolist()) === JSON.stringify(used), false);
  model.eval();
  t.close(await f.run(x).toArray(), await model.forward(x).toArray());
  t.equal(recorded, 2, 'more than one recording per mode');
});

test('a compiled step follows the mode of its modules', async (t) => {
  class Halves extends nn.Module<[Tensor], Tensor> {
    readonly w = this.param([1], { init: 'ones' });
    readonly drop = new nn.Dropout(0.5);
    override forward(x: Tensor): Tensor {
      return this.drop.forward(x.mul(this.w));
    }
  }
  const model = new Halves();
  const inputs = { x: [null, 64] } as const;
  const train = compile({ model, optimizer: new optim.SGD(model.parameters(), 0), inputs, loss: ({ x }) => model.forward(x).ne(1).to('f32').mean().add(model.w.sum().mul(0)) });
  const forward = compile({ inputs, forward: ({ x }) => model.forward(x) });
  const x = new Float32Array(64).fill(1);
  const loss = async (): Promise<number> => {
    const result = await train.step({ x });
    if (result.status !== 'completed') throw new Error(JSON.stringify(result));
    return result.loss;
  };
  const output = async (): Promise<ArrayLike<number>> => {
    const result = await forward.run({ x });
    if (result.status !== 'completed') throw new Error(JSON.stringify(result));
    return result.output;
  };
  t.equal([await loss(), Array.from(await output()).every((y) => y === 1)], [1, false]);
  model.eval();
  t.equal([await loss(), Array.from(await output()).every((y) => y === 1)], [0, true]);
  model.drop.training = true;
  t.equal([await loss(), Array.from(await output()).every((y) => y === 1)], [1, false]);
});

test('inputs have the declared dtype', async (t) => {
  const dtypes: string[] = [];
  const f = compile({ inputs: { x: [null], n: { shape: [null], dtype: 'i64' } }, forward: ({ x, n }) => (dtypes.push(x.dtype, n.dtype), x.add(n)) });
  for (const values of [
    { x: Float64Array.of(1, 2), n: Float32Array.of(3, 4) },
    // GPUs have no f64.
    { x: tensor([1, 2], t.settings.device === 'webgpu' ? 'f16' : 'f64'), n: tensor([3, 4]) },
    { x: tensor([1, 2], 'i32'), n: tensor([3, 4], 'i64') },
  ]) {
    const result = await f.run(values);
    t.equal(result.status === 'completed' && result.output, [4, 6]);
  }
  t.equal(dtypes, ['f32', 'i64']);
});
