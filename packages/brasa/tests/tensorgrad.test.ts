/** Programs in the style of tensorgrad, with our import and `init` first. */
import {
  capture, compile, crossEntropy, Embedding, init, Linear, lr, mean, meanLast, Module, mul, nearestUpsample2d, nn, optim, relu, reshape,
  RMSNorm, sliceLastRange, square, stopGradient, sub, sum, sumLast, type Tensor, tensor,
} from '../src/index.ts';
import { test } from './harness.ts';

const B = 64;

class MLP extends Module {
  l1 = new Linear(1, 32);
  l2 = new Linear(32, 1);
  scale = this.param([1], { init: init.ones() });
}

function modelFwd(m: MLP, x: Tensor): Tensor {
  return mul(m.l2.fwd(capture('hidden', relu(m.l1.fwd(x)))), m.scale);
}

function lossFn(m: MLP, { x, y }: { x: Tensor; y: Tensor }): Tensor {
  return mean(square(sub(modelFwd(m, x), y)));
}

function batch(step: number): { x: Float32Array; y: Float32Array } {
  const x = Float32Array.from({ length: B }, (_, n) => 6 * (((n * 37 + step * 11) % B) / B - 0.5));
  return { x, y: x.map(Math.sin) };
}

test('a model learns a sine', async (t) => {
  const train = await compile({
    model: new MLP(),
    loss: lossFn,
    optimizer: { kind: 'adam', lr: 0.01 },
    inputs: { x: [B, 1], y: [B, 1] },
    seed: 1,
  });
  const losses: number[] = [];
  for (let step = 0; step < 150; step += 1) {
    const r = await train.step(batch(step));
    if (r.kind === 'failed') throw r.error;
    if (r.kind === 'completed') losses.push(r.loss);
  }
  t.equal((losses.at(-1) as number) < 0.2 * (losses[0] as number), true, `losses ${losses[0]} to ${losses.at(-1)}`);
  t.equal(train.paramNames, ['scale', 'l1.weight', 'l1.bias', 'l2.weight', 'l2.bias']);

  const infer = await train.attach({ forward: (m: MLP, { x }: { x: Tensor }) => modelFwd(m, x), inputs: { x: [null, 1] } });
  for (const len of [1, 5]) {
    const r = await infer.run({ x: new Float32Array(len).fill(0.5) });
    if (r.kind !== 'completed') throw new Error(JSON.stringify(r));
    t.equal([r.output instanceof Float32Array, r.output.length, r.captures.shape('hidden')], [true, len, [len, 32]]);
    t.close(r.output, new Float32Array(len).fill(Math.sin(0.5)), 0.25);
    t.equal([r.captures.get('hidden').length, r.captures.has('other')], [32 * len, false]);
  }

  const params = await train.downloadParams();
  t.equal(Object.keys(params).length, 5);
  const evaluated = await train.run(batch(0));
  await train.uploadParams({ 'l2.bias': Float32Array.of(9) });
  const worse = await train.run(batch(0));
  t.equal(evaluated.kind === 'completed' && worse.kind === 'completed' && (worse.output[0] as number) > (evaluated.output[0] as number) + 10, true);
  await train.uploadParams(params);
  t.equal(await train.downloadParamsFlat(), params);
  t.equal(Object.keys(await train.downloadParamGrads(batch(0))).length, 5);

  await train.setLR(lr.linear({ peak: 0, final: 0, steps: 10 }));
  await train.step(batch(1));
  t.equal(await train.downloadParams(), params, 'a rate of zero changed parameters');
  await train.reset();
  const first = await train.run(batch(0));
  t.close(first.kind === 'completed' ? first.output : NaN, losses[0] as number);

  // Attached functions use the new model.
  await train.replaceModel(new MLP(), { optimizer: { kind: 'sgd', lr: 0.1, momentum: 0.9, clipGradNorm: 1 } });
  const [old, other] = [await train.run(batch(0)), await infer.run({ x: Float32Array.of(0.5) })];
  t.equal(old.kind === 'completed' && other.kind === 'completed' && Math.abs((other.output[0] as number) - Math.sin(0.5)) > 1e-3, true);
  t.equal((await train.step(batch(0))).kind, 'completed');
  train.destroy();
  train.destroy();
  t.equal((await train.step(batch(0))).kind, 'failed');
});

test('a model classifies tokens, with a filter for weight decay', async (t) => {
  class Tagger extends Module {
    words = new Embedding(5, 8);
    norm = new RMSNorm(8);
    head = new Linear(8, 5);
  }
  const tokens = Int32Array.from({ length: 12 }, (_, n) => n % 5);
  const train = compile({
    model: new Tagger(),
    loss: (m: Tagger, { tokens: ids }: { tokens: Tensor }) => crossEntropy(reshape(m.head.fwd(m.norm.fwd(m.words.fwd(ids))), [-1, 5]), reshape(ids, [-1])),
    optimizer: { kind: 'adamw', lr: lr.warmup({ peak: 0.05, steps: 5 }), weightDecay: 0.01, decayFilter: (name) => name.endsWith('weight') },
    inputs: { tokens: { shape: [3, 4], dtype: 'i32' } },
  });
  let loss = Infinity;
  for (let n = 0; n < 60; n += 1) {
    const r = await train.step({ tokens });
    if (r.kind === 'completed') loss = r.loss;
  }
  t.equal(loss < 0.1, true, `loss ${loss}`);
  const info = await train.info({ tokens });
  t.equal([info.paramNames.length, info.outputShape, info.kernelCount > 0], [4, [], true]);
  t.throws(() => compile({ model: new MLP(), loss: lossFn, optimizer: { kind: 'lbfgs', lr: 1 } as never, inputs: { x: [1, 1], y: [1, 1] } }), 'ArgumentError', /no optimizer 'lbfgs'/);
});

test('ops have the names of tensorgrad', async (t) => {
  const x = tensor([[1, 2, 3], [4, 5, 6]], { requiresGrad: true });
  t.equal(await meanLast(x).tolist(), [[2], [5]]);
  t.equal(await sumLast(x).tolist(), [6, 15]);
  t.equal(await mean(x, 1, { keepDims: true }).tolist(), [[2], [5]]);
  t.equal(await sliceLastRange(x, 1, 3).tolist(), [[2, 3], [5, 6]]);
  t.equal(await nearestUpsample2d(tensor([[[[1, 2]]]]), 2).tolist(), [[[[1, 1, 2, 2], [1, 1, 2, 2]]]]);
  sum(mul(stopGradient(x), x)).backward();
  t.equal(await x.grad!.tolist(), [[1, 2, 3], [4, 5, 6]]);
});

test('learning rates have the names of tensorgrad', (t) => {
  const at = (rate: (step: number) => number, ...steps: number[]): number[] => steps.map(rate);
  t.close(at(lr.cosineAnnealing({ peak: 1, final: 0, steps: 4 }), 0, 2, 4), [1, 0.5, 0]);
  t.close(at(lr.step({ peak: 1, every: 2, gamma: 0.5 }), 0, 1, 2, 4), [1, 1, 0.5, 0.25]);
  t.close(at(lr.multiStep({ peak: 1, milestones: [1, 3], gamma: 0.1 }), 0, 1, 3), [1, 0.1, 0.01]);
  t.close(at(lr.warmup({ peak: 1, steps: 2, after: 0.5 }), 0, 1, 2), [0, 0.5, 0.5]);
});

test('parameters can be downloaded and uploaded, with buffers and in f64', async (t) => {
  // GPUs have no f64.
  const dtype = t.settings.device === 'webgpu' ? 'f32' : 'f64';
  class Model extends Module {
    norm = new nn.BatchNorm1d(2);
    w = this.param([2], { init: init.ones(), dtype });
  }
  const train = compile({
    model: new Model(),
    loss: (m: Model, { x }: { x: Tensor }) => m.norm.forward(x).mul(m.w.to('f32')).square().mean(),
    optimizer: { kind: 'sgd', lr: 0.1 },
    inputs: { x: [4, 2] },
  });
  const { model } = train;
  const state = async (): Promise<unknown> => Promise.all([...model.stateDict()].map(async ([name, x]) => [name, x.dtype, await x.tolist()]));
  const begun = await state();
  await train.uploadParams({ w: [1 / 3, 0.1] });
  t.equal(await model.w.tolist(), [1 / 3, 0.1].map((x) => (dtype === 'f64' ? x : Math.fround(x))), 'f64 was rounded');
  const result = await train.step({ x: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 9) });
  t.equal(result.status, 'completed');
  const before = await state();
  await train.uploadParams(await train.downloadParams());
  t.equal(await state(), before);
  await t.rejects(train.uploadParams({ w: [5, 5], 'norm.weight': [1] }), 'DataError', /norm.weight/);
  await t.rejects(train.uploadParams({ w: [5, 5], 'norm.weight': [1, 'x' as never] }), 'ArgumentError');
  t.equal(await state(), before, 'a failed upload changed something');
  await train.reset();
  t.equal(await state(), begun);
});

test('a step of a model with buffers accepts its downloaded parameters', async (t) => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.BatchNorm1d(2));
  const train = compile({ model, optimizer: new optim.SGD(model.parameters(), 0.1), inputs: { x: [2, 2] }, loss: ({ x }) => model.forward(x).square().mean() });
  await train.step({ x: [1, 2, 3, 5] });
  const params = await train.downloadParams();
  const mean = await (model[1] as nn.BatchNorm1d).running_mean.tolist();
  train.uploadParams(params);
  t.equal(await train.downloadParams(), params);
  t.equal(await (model[1] as nn.BatchNorm1d).running_mean.tolist(), mean);
  t.throws(() => train.uploadParams({ '0.weight': [1, 2, 3, 4] }), 'DataError', /missing/);
});
