/** Modules, optimizers, files and data. */
import { data, type Elements, load, manualSeed, nn, noGrad, ones, optim, randn, save, type Tensor, tensor, zeros } from '../src/index.ts';
import { test } from './harness.ts';

test('parameters are found by the path of fields', (t) => {
  class Block extends nn.Module<[Tensor], Tensor> {
    readonly layers = [new nn.Linear(2, 3), new nn.Linear(3, 2, { bias: false })];
    readonly scale = this.param([2], { init: 'ones' });
    override forward(x: Tensor): Tensor {
      return this.layers.reduce((y, layer) => layer.forward(y), x).mul(this.scale);
    }
  }
  const model = new nn.Sequential(new Block(), new nn.ReLU(), new nn.BatchNorm1d(2));
  t.equal(model.namedParameters().map(([name]) => name), [
    '0.scale', '0.layers.0.weight', '0.layers.0.bias', '0.layers.1.weight', '2.weight', '2.bias',
  ]);
  t.equal(model.namedBuffers().map(([name]) => name), ['2.running_mean', '2.running_var']);
  t.equal(model.numParameters(), 2 + 6 + 3 + 6 + 4);
  model.eval();
  t.equal(model.modules().every((module) => !module.training), true);
});

const LAYERS: [string, () => nn.Layer, number[], number[]][] = [
  ['Linear', () => new nn.Linear(3, 4), [2, 3], [2, 4]],
  ['Conv1d', () => new nn.Conv1d(2, 3, 3, { padding: 1 }), [1, 2, 5], [1, 3, 5]],
  ['Conv2d', () => new nn.Conv2d(2, 4, 3, { stride: 2, groups: 2 }), [1, 2, 7, 7], [1, 4, 3, 3]],
  ['ConvTranspose2d', () => new nn.ConvTranspose2d(2, 3, 2, { stride: 2 }), [1, 2, 3, 3], [1, 3, 6, 6]],
  ['LayerNorm', () => new nn.LayerNorm(4), [2, 4], [2, 4]],
  ['RMSNorm', () => new nn.RMSNorm([4]), [2, 4], [2, 4]],
  ['BatchNorm2d', () => new nn.BatchNorm2d(2), [3, 2, 2, 2], [3, 2, 2, 2]],
  ['GroupNorm', () => new nn.GroupNorm(2, 4), [1, 4, 3], [1, 4, 3]],
  ['InstanceNorm', () => new nn.InstanceNorm(), [1, 2, 4], [1, 2, 4]],
  ['MaxPool2d', () => new nn.MaxPool2d(2), [1, 1, 4, 4], [1, 1, 2, 2]],
  ['AvgPool2d', () => new nn.AvgPool2d(2, { stride: 1 }), [1, 1, 4, 4], [1, 1, 3, 3]],
  ['AdaptiveAvgPool2d', () => new nn.AdaptiveAvgPool2d(1), [1, 3, 4, 4], [1, 3, 1, 1]],
  ['Flatten', () => new nn.Flatten(), [2, 3, 4], [2, 12]],
  ['Dropout', () => new nn.Dropout(0.5), [2, 3], [2, 3]],
  ['GELU', () => new nn.GELU(), [2], [2]],
  ['Softmax', () => new nn.Softmax(), [2, 3], [2, 3]],
];

test('layers give their shapes and are trained', async (t) => {
  for (const [name, make, input, output] of LAYERS) {
    const layer = make();
    const x = randn(input).requiresGrad_();
    const y = layer.forward(x);
    t.equal(y.shape, output, name);
    y.square().sum().backward();
    t.equal((await x.grad!.toArray()).every(Number.isFinite), true, name);
    for (const [path, p] of layer.namedParameters()) t.equal(p.grad?.shape, p.shape, `${name}.${path}`);
  }
});

test('sequences', async (t) => {
  const x = randn([2, 5, 4]);
  const [out, state] = new nn.GRU(4, 6).forward(x);
  t.equal([out.shape, state.shape], [[2, 5, 6], [1, 2, 6]]);
  const [both] = new nn.LSTM(4, 3, { layers: 2, bidirectional: true }).forward(x);
  t.equal(both.shape, [2, 5, 6]);
  t.equal(new nn.TransformerEncoderLayer(4, 2, 8, { causal: true }).forward(x).shape, [2, 5, 4]);
  t.equal(new nn.TransformerDecoderLayer(4, 2, 8).forward(x, randn([2, 3, 4])).shape, [2, 5, 4]);
  t.equal(new nn.Embedding(10, 4).forward(tensor([[1, 2], [3, 4]], 'i64')).shape, [2, 2, 4]);
});

test('norms of batches move their statistics in training alone', async (t) => {
  const norm = new nn.BatchNorm1d(2, { momentum: 1 });
  norm.forward(tensor([[1, 10], [3, 30]]));
  t.close(await norm.running_mean.toArray(), [2, 20]);
  norm.eval();
  norm.forward(tensor([[5, 5], [5, 5]]));
  t.close(await norm.running_mean.toArray(), [2, 20]);
});

test('all optimizers go down', async (t) => {
  const made = [
    (p: Tensor[]) => new optim.SGD(p, { lr: 0.05, momentum: 0.9, nesterov: true }),
    (p: Tensor[]) => new optim.Adam(p, { lr: 0.1, betas: [0.8, 0.99] }),
    (p: Tensor[]) => new optim.AdamW(p, { lr: 0.1, weightDecay: 0.001 }),
    (p: Tensor[]) => new optim.RMSprop(p, { lr: 0.05 }),
    (p: Tensor[]) => new optim.Adagrad(p, { lr: 0.5 }),
    (p: Tensor[]) => new optim.Adadelta(p, { lr: 10 }),
    (p: Tensor[]) => new optim.NAdam(p, { lr: 0.1 }),
    (p: Tensor[]) => new optim.RAdam(p, { lr: 0.3 }),
    (p: Tensor[]) => new optim.Lion(p, { lr: 0.05 }),
    (p: Tensor[]) => new optim.Muon(p, { lr: 0.05 }),
  ];
  for (const make of made) {
    const w = tensor([[2, -3], [1, 4]], { requiresGrad: true });
    const optimizer = make([w]);
    for (let n = 0; n < 60; n += 1) {
      optimizer.zeroGrad();
      w.square().sum().backward();
      optimizer.step();
    }
    t.equal((await w.square().sum().item()) < 15, true, optimizer.constructor.name);
  }
});

test('gradients are clipped', async (t) => {
  const w = tensor([3, 4], { requiresGrad: true });
  w.square().sum().backward();
  t.close(await optim.clipGradNorm([w], 1).item(), 10);
  t.close(await w.grad!.toArray(), [0.6, 0.8]);
  optim.clipGradValue([w], 0.5);
  t.close(await w.grad!.toArray(), [0.5, 0.5]);
});

test('groups of parameters have settings of their own', async (t) => {
  const [a, b] = [ones([1], true), ones([1], true)];
  const optimizer = new optim.SGD([{ params: [a], lr: 0.1 }, { params: [b], lr: 0.01 }]);
  a.add(b).sum().backward();
  optimizer.step();
  t.close([await a.item(), await b.item()], [0.9, 0.99]);
  optimizer.setLR(1, 1);
  t.equal(optimizer.paramGroups.map(({ lr }) => lr), [0.1, 1]);
});

test('training resumes where it stopped', async (t) => {
  const run = async (stop: boolean): Promise<Elements> => {
    manualSeed(5);
    let model = new nn.Linear(3, 2);
    let optimizer = new optim.Adam(model.parameters(), { lr: 0.1 });
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    for (let n = 0; n < 6; n += 1) {
      if (stop && n === 3) {
        const [file, state] = [await save(model.stateDict()), optimizer.stateDict()];
        const moments = await save(state.tensors);
        model = new nn.Linear(3, 2);
        model.loadStateDict(load(file).tensors);
        optimizer = new optim.Adam(model.parameters(), { lr: 0.1 });
        optimizer.loadStateDict({ steps: state.steps, tensors: load(moments).tensors });
      }
      optimizer.zeroGrad();
      model.forward(x).square().mean().backward();
      optimizer.step();
    }
    return model.weight.toArray();
  };
  t.equal(await run(true), await run(false));
});

test('files of tensors', async (t) => {
  const file = await save({ a: tensor([[1, 2]]), b: tensor([1, 0, 1], 'u8'), c: tensor([1.5], 'bf16') }, { made: 'here' });
  const { tensors, metadata } = load(file);
  t.equal(metadata, { made: 'here' });
  t.equal([...tensors].map(([name, x]) => `${name} ${x.toString()}`), ['a Tensor(f32[1, 2])', 'b Tensor(u8[3])', 'c Tensor(bf16[1])']);
  t.equal(await tensors.get('a')!.tolist(), [[1, 2]]);
  t.throws(() => load(file.slice(0, 20)), 'DataError', /header/);
  t.throws(() => load(file.slice(0, -1)), 'DataError', /'c'/);
});

test('a state that does not fit changes nothing', async (t) => {
  const model = new nn.Linear(2, 1);
  const before = await model.weight.toArray();
  t.throws(() => model.loadStateDict({ weight: [1, 2, 3], bias: [1] }), 'DataError', /'weight' has 3 elements/);
  t.throws(() => model.loadStateDict({ weight: [1, 2] }), 'DataError', /'bias' is missing/);
  t.equal(await model.weight.toArray(), before);
});

test('first values are plain data', async (t) => {
  t.equal(await nn.param([2], { init: 'ones' }).tolist(), [1, 1]);
  t.equal(await nn.param([2], { init: 'zeros', dtype: 'f16' }).tolist(), [0, 0]);
  t.equal(await nn.param([2], { init: nn.init.literal([3, 4]) }).tolist(), [3, 4]);
  t.throws(() => nn.param([3], { init: nn.init.literal([3, 4]) }), 'ShapeError', /2 elements/);
  const stds: [nn.Init, number][] = [['randn', 0.02], [nn.init.randn(3), 3], [nn.init.kaiming(), Math.SQRT2 / 10], [{ kind: 'kaiming', gain: 1 }, 0.1]];
  for (const [init, want] of stds) {
    const drawn = Array.from(await nn.param([100, 100], { init }).toArray());
    t.close(Math.sqrt(drawn.reduce((sum, x) => sum + x * x, 0) / drawn.length) / want, 1, 0.05);
  }
  const [spared, decaying] = [nn.param([1], { init: 'ones' }), nn.param([1], { init: 'ones', decay: true })];
  const optimizer = new optim.SGD([spared, decaying], { lr: 0.1, weightDecay: 1 });
  spared.add(decaying).mul(0).sum().backward();
  optimizer.step();
  t.close([await spared.item(), await decaying.item()], [1, 0.9]);
});

test('first values are no functions', (t) => {
  t.throws(() => nn.param([2], { init: (() => 0) as never }), 'ArgumentError', /plain data, no function/);
  t.throws(() => nn.param([2], { init: 'ones', scale: 3 } as never), 'ArgumentError', /there is no option 'scale'/);
});

/** Values of losses, as PyTorch gives them for the scores and targets below. */
const LOSSES: [string, nn.Module<[Tensor, Tensor], Tensor>, number[][], number[][] | number[], number][] = [
  ['NLLLoss', new nn.NLLLoss(), [[-1, -2], [-3, -0.5]], [0, 1], 0.75],
  ['NLLLoss, sum', new nn.NLLLoss({ reduction: 'sum' }), [[-1, -2], [-3, -0.5]], [0, 1], 1.5],
  ['BCELoss', new nn.BCELoss(), [[0.25, 0.5]], [[0, 1]], 0.4904146],
  ['SmoothL1Loss', new nn.SmoothL1Loss(), [[0, 3]], [[0.5, 0]], 1.3125],
  ['SmoothL1Loss, beta 2', new nn.SmoothL1Loss('sum', 2), [[0, 3]], [[1, 0]], 2.25],
  ['HuberLoss', new nn.HuberLoss('mean', 2), [[0, 3]], [[1, 0]], 2.25],
  ['KLDivLoss', new nn.KLDivLoss({ reduction: 'batchmean' }), [[Math.log(0.5), Math.log(0.5)]], [[0.25, 0.75]], 0.1308120],
];

test('losses are those of PyTorch', async (t) => {
  for (const [name, loss, input, target, want] of LOSSES) {
    const wanted = Array.isArray(target[0]) ? tensor(target) : tensor(target, 'i64');
    t.close(await loss.forward(tensor(input), wanted).item(), want, 1e-5, name);
  }
});

test('batches of a data set', async (t) => {
  const set = new data.ArrayDataset({
    x: { data: Float32Array.from({ length: 10 }, (_, i) => i), shape: [2] },
    y: { data: Int32Array.of(0, 1, 2, 3, 4), shape: [] },
  });
  const loader = new data.DataLoader(set, { batchSize: 2, shuffle: true, seed: 1 });
  const seen: number[] = [];
  for await (const { x, y } of loader) {
    t.equal(x.shape.slice(1), [2]);
    const [xs, ys] = [await x.toArray(), await y.toArray()];
    ys.forEach((label, n) => t.equal(xs[2 * n], 2 * label));
    seen.push(...ys);
  }
  t.equal(loader.length, 3);
  t.equal(seen.sort(), [0, 1, 2, 3, 4]);
  const idx = data.readIdx(Uint8Array.of(0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 9));
  t.equal([idx.shape, Array.from(idx.data)], [[1, 2], [7, 9]]);
  t.throws(() => data.readIdx(Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 5)), 'DataError', /needs 5/);
});

test('frozen layers stay as they are', async (t) => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 1));
  (model[0] as nn.Linear).freeze();
  const before = await (model[0] as nn.Linear).weight.toArray();
  const optimizer = new optim.SGD(model.parameters(), { lr: 1 });
  model.forward(ones([1, 2])).sum().backward();
  optimizer.step();
  t.equal(await (model[0] as nn.Linear).weight.toArray(), before);
  t.equal(noGrad(() => model.forward(zeros([1, 2]))).requiresGrad, false);
});

test('a layer of your own may keep its weight as [in, out]', async (t) => {
  class Affine extends nn.Module<[Tensor], Tensor> {
    readonly W = new nn.Parameter(tensor([[1, 2, 3], [4, 5, 6]]));
    readonly b = new nn.Parameter(tensor([10, 20, 30]));

    override forward(x: Tensor): Tensor {
      return x.matmul(this.W).add(this.b);
    }
  }
  const layer = new Affine();
  t.equal(layer.namedParameters().map(([name, p]) => [name, p.shape]), [['W', [2, 3]], ['b', [3]]]);
  t.equal(await layer.forward(tensor([[1, 1]])).tolist(), [[15, 27, 39]]);
});
