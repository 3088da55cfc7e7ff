/** Modules, optimizers, files and data sets. */
import { data, type Elements, load, manualSeed, nn, noGrad, ones, optim, randn, save, type Tensor, tensor, zeros } from '../src/index.ts';
import { test } from './harness.ts';

test('parameters are named by the path of fields', (t) => {
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
  t.equal(model.namedBuffers().map(([name]) => name), ['2.running_mean', '2.running_var', '2.num_batches_tracked']);
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
  ['Identity', () => new nn.Identity(), [2, 3], [2, 3]],
  ['PReLU', () => new nn.PReLU(3), [2, 3], [2, 3]],
  ['GLU', () => new nn.GLU(), [2, 6], [2, 3]],
  ['Hardtanh', () => new nn.Hardtanh(0, 6), [5], [5]],
  ['Hardshrink', () => new nn.Hardshrink(), [5], [5]],
  ['Softshrink', () => new nn.Softshrink(), [5], [5]],
  ['Threshold', () => new nn.Threshold(0.1, 2), [5], [5]],
  ['CELU', () => new nn.CELU(), [5], [5]],
  ['LogSigmoid', () => new nn.LogSigmoid(), [5], [5]],
  ['Softmin', () => new nn.Softmin(), [5], [5]],
  ['ConvTranspose3d', () => new nn.ConvTranspose3d(2, 4, 2, { groups: 2 }), [1, 2, 2, 2, 2], [1, 4, 3, 3, 3]],
  ['BatchNorm3d', () => new nn.BatchNorm3d(2, { affine: false }), [2, 2, 2, 2, 2], [2, 2, 2, 2, 2]],
  ['GroupNorm without affine', () => new nn.GroupNorm(2, 4, { affine: false }), [1, 4, 3], [1, 4, 3]],
  ['InstanceNorm2d', () => new nn.InstanceNorm2d(2, { affine: true }), [1, 2, 3, 3], [1, 2, 3, 3]],
  ['LocalResponseNorm', () => new nn.LocalResponseNorm(2), [1, 3, 2, 2], [1, 3, 2, 2]],
  ['MaxPool1d', () => new nn.MaxPool1d(3, { stride: 2, padding: 1 }), [1, 1, 8], [1, 1, 4]],
  ['MaxPool2d over padding', () => new nn.MaxPool2d(3, { stride: 2, padding: 1 }), [1, 2, 7, 7], [1, 2, 4, 4]],
  ['MaxPool3d', () => new nn.MaxPool3d(2), [1, 1, 4, 4, 4], [1, 1, 2, 2, 2]],
  ['AvgPool3d', () => new nn.AvgPool3d(2), [1, 1, 4, 4, 4], [1, 1, 2, 2, 2]],
  ['AdaptiveAvgPool1d', () => new nn.AdaptiveAvgPool1d(3), [1, 2, 7], [1, 2, 3]],
  ['AdaptiveMaxPool1d', () => new nn.AdaptiveMaxPool1d(3), [1, 2, 7], [1, 2, 3]],
  ['AdaptiveMaxPool2d', () => new nn.AdaptiveMaxPool2d([2, null]), [1, 2, 5, 3], [1, 2, 2, 3]],
  ['Dropout1d', () => new nn.Dropout1d(), [2, 3, 4], [2, 3, 4]],
  ['Dropout2d', () => new nn.Dropout2d(), [2, 3, 2, 2], [2, 3, 2, 2]],
  ['Dropout3d', () => new nn.Dropout3d(), [2, 3, 2, 2, 2], [2, 3, 2, 2, 2]],
  ['AlphaDropout', () => new nn.AlphaDropout(0.2), [2, 3], [2, 3]],
  ['Unflatten', () => new nn.Unflatten(1, [2, 3]), [4, 6], [4, 2, 3]],
  ['Upsample', () => new nn.Upsample({ scaleFactor: 2, mode: 'bilinear' }), [1, 1, 2, 3], [1, 1, 4, 6]],
  ['PixelShuffle', () => new nn.PixelShuffle(2), [1, 4, 2, 3], [1, 1, 4, 6]],
  ['PixelUnshuffle', () => new nn.PixelUnshuffle(2), [1, 1, 4, 6], [1, 4, 2, 3]],
  ['ChannelShuffle', () => new nn.ChannelShuffle(2), [1, 4, 2, 2], [1, 4, 2, 2]],
  ['Unfold', () => new nn.Unfold(2, { padding: 1 }), [1, 2, 3, 3], [1, 8, 16]],
  ['Fold', () => new nn.Fold([3, 3], 2), [1, 8, 4], [1, 2, 3, 3]],
  ['ZeroPad1d', () => new nn.ZeroPad1d(2), [1, 1, 3], [1, 1, 7]],
  ['ZeroPad2d', () => new nn.ZeroPad2d([1, 2, 0, 1]), [1, 1, 3, 3], [1, 1, 4, 6]],
  ['ConstantPad2d', () => new nn.ConstantPad2d(1, 3), [1, 1, 3, 3], [1, 1, 5, 5]],
  ['ReflectionPad2d', () => new nn.ReflectionPad2d(1), [1, 1, 3, 3], [1, 1, 5, 5]],
  ['ReplicationPad1d', () => new nn.ReplicationPad1d(2), [1, 1, 3], [1, 1, 7]],
  ['ConstantPad1d', () => new nn.ConstantPad1d([1, 0], 3), [1, 1, 3], [1, 1, 4]],
  ['ReflectionPad1d', () => new nn.ReflectionPad1d(1), [1, 1, 3], [1, 1, 5]],
  ['ReplicationPad2d', () => new nn.ReplicationPad2d(1), [1, 1, 3, 3], [1, 1, 5, 5]],
  ['InstanceNorm1d', () => new nn.InstanceNorm1d(2), [1, 2, 4], [1, 2, 4]],
  ['InstanceNorm3d', () => new nn.InstanceNorm3d(2), [1, 2, 2, 2, 2], [1, 2, 2, 2, 2]],
  ['AdaptiveAvgPool3d', () => new nn.AdaptiveAvgPool3d(2), [1, 1, 4, 4, 4], [1, 1, 2, 2, 2]],
  ['AdaptiveMaxPool3d', () => new nn.AdaptiveMaxPool3d(2), [1, 1, 4, 4, 4], [1, 1, 2, 2, 2]],
  ['Tanhshrink', () => new nn.Tanhshrink(), [5], [5]],
  ['CircularPad2d', () => new nn.CircularPad2d(1), [1, 1, 3, 3], [1, 1, 5, 5]],
];

test('layers have the right output shapes and gradients', async (t) => {
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

test('recurrent layers have the names of PyTorch, and compute the same one by one and all at once', async (t) => {
  const names = new nn.LSTM(4, 3, { layers: 2, bidirectional: true }).namedParameters().map(([name]) => name);
  t.equal(names.slice(4, 9), ['weight_ih_l0_reverse', 'weight_hh_l0_reverse', 'bias_ih_l0_reverse', 'bias_hh_l0_reverse', 'weight_ih_l1']);
  t.equal(new nn.GRU(4, 3, { bias: false }).namedParameters().map(([name, p]) => [name, p.shape]), [['weight_ih_l0', [9, 4]], ['weight_hh_l0', [9, 3]]]);
  const x = randn([2, 5, 4]);
  // At this rate nothing is dropped, but layers run one by one.
  const apart = new nn.LSTM(4, 3, { layers: 2, dropout: 1e-30 });
  const state: [Tensor, Tensor] = [randn([2, 2, 3]), randn([2, 2, 3])];
  const byLayers = await Promise.all(apart.forward(x, state).map((y) => y.toArray()));
  const atOnce = await Promise.all(apart.eval().forward(x, state).map((y) => y.toArray()));
  byLayers.forEach((y, n) => t.close(y, atOnce[n]!, 1e-6));
});

test('a cell computes the steps of its layer', async (t) => {
  const x = randn([2, 3, 4]);
  const steps = x.unbind(1);
  const pairs = [[new nn.RNN(4, 5), new nn.RNNCell(4, 5)], [new nn.GRU(4, 5), new nn.GRUCell(4, 5)]] as const;
  for (const [layer, cell] of pairs) {
    layer.loadStateDict(Object.fromEntries(await Promise.all(cell.namedParameters().map(async ([name, p]) => [`${name}_l0`, (await p.toArray()) as Float32Array] as const))));
    const last = steps.slice(1).reduce((state, step) => cell.forward(step, state), cell.forward(steps[0]!));
    t.close(await last.toArray(), await layer.forward(x)[1].select(0, 0).toArray(), 1e-6);
  }
  const cell = new nn.LSTMCell(4, 5);
  const layer = new nn.LSTM(4, 5);
  layer.loadStateDict(Object.fromEntries(await Promise.all(cell.namedParameters().map(async ([name, p]) => [`${name}_l0`, (await p.toArray()) as Float32Array] as const))));
  const [state, memory] = steps.slice(1).reduce((both, step) => cell.forward(step, both), cell.forward(steps[0]!));
  const [, lastState, lastMemory] = layer.forward(x);
  t.close(await state.toArray(), await lastState.select(0, 0).toArray(), 1e-6);
  t.close(await memory.toArray(), await lastMemory.select(0, 0).toArray(), 1e-6);
});

test('a batch norm loads a PyTorch checkpoint and counts its batches', async (t) => {
  const norm = new nn.BatchNorm1d(2);
  norm.loadStateDict({ weight: [1, 2], bias: [0, 1], running_mean: [3, 4], running_var: [5, 6], num_batches_tracked: [7] });
  norm.forward(randn([4, 2]));
  norm.forward(randn([4, 2]));
  t.equal([norm.num_batches_tracked.dtype, norm.num_batches_tracked.shape], ['i64', []]);
  t.equal(Number(await norm.num_batches_tracked.item()), 9);
});

test('ModuleDict, ParameterList, EmbeddingBag and paddingIdx work', async (t) => {
  const parts = new nn.ModuleDict<nn.Module>({ first: new nn.Linear(2, 3), second: new nn.ReLU() });
  t.equal(parts.namedParameters().map(([name]) => name), ['first.weight', 'first.bias']);
  t.equal(parts.keys(), ['first', 'second']);
  t.throws(() => parts.get('third'), 'TypeError', /there is no 'third', only first, second/);
  t.throws(() => parts.set('forward', new nn.ReLU()), 'TypeError', /cannot be called 'forward'/);
  const list = new nn.ParameterList([nn.param([2]), nn.param([3])]);
  t.equal([list.length, list.namedParameters().map(([name]) => name)], [2, ['0', '1']]);
  const words = new nn.Embedding(4, 3, { paddingIdx: 1 });
  t.equal(await words.forward(tensor([1], { dtype: 'i32' })).toArray(), new Float32Array(3));
  words.forward(tensor([1, 2], { dtype: 'i32' })).sum().backward();
  t.equal(await words.weight.grad!.toArray(), Float32Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0));
  const bags = new nn.EmbeddingBag(4, 3, { mode: 'sum' });
  const [both, one] = [bags.forward(tensor([[0, 2]], { dtype: 'i32' })), bags.weight.select(0, 0).add(bags.weight.select(0, 2))];
  t.close(await both.toArray(), await one.toArray(), 1e-6);
});

test('attention ignores masked positions', async (t) => {
  const [x, attention] = [randn([2, 3, 4]), new nn.MultiheadAttention(4, 2)];
  const future = tensor([[false, true, true], [false, false, true], [false, false, false]]);
  t.close(await attention.forward(x, x, { attnMask: future }).toArray(), await attention.forward(x, x, { causal: true }).toArray(), 1e-6);
  const padding = tensor([[false, false, true], [false, false, true]]);
  const [, weights] = attention.attend(x, x, x, { keyPaddingMask: padding });
  t.equal(await weights.select(2, 2).toArray(), new Float32Array(6));
});

test('every loss module computes a finite scalar', async (t) => {
  const [x, y, signs] = [randn([4, 3]), randn([4, 3]), tensor([1, -1, 1, -1])];
  const classes = tensor([0, 2, 1, 0], { dtype: 'i64' });
  const losses: [string, Tensor][] = [
    ['GaussianNLLLoss', new nn.GaussianNLLLoss().forward(x, y, ones([4, 3]))],
    ['PoissonNLLLoss', new nn.PoissonNLLLoss().forward(x, y.abs())],
    ['SoftMarginLoss', new nn.SoftMarginLoss().forward(x, y.sign())],
    ['MultiMarginLoss', new nn.MultiMarginLoss().forward(x, classes)],
    ['MultiLabelMarginLoss', new nn.MultiLabelMarginLoss().forward(x, tensor([[0, -1, 0], [2, 1, -1], [1, -1, 0], [0, 1, 2]], { dtype: 'i64' }))],
    ['MultiLabelSoftMarginLoss', new nn.MultiLabelSoftMarginLoss().forward(x, y.gt(0).float())],
    ['CosineEmbeddingLoss', new nn.CosineEmbeddingLoss().forward(x, y, signs)],
    ['HingeEmbeddingLoss', new nn.HingeEmbeddingLoss({ margin: 2 }).forward(x, y.sign())],
    ['MarginRankingLoss', new nn.MarginRankingLoss().forward(x.sum(1), y.sum(1), signs)],
    ['TripletMarginLoss', new nn.TripletMarginLoss().forward(x, y, x.neg())],
    ['BCEWithLogitsLoss', new nn.BCEWithLogitsLoss({ posWeight: tensor([1, 2, 3]) }).forward(x, y.gt(0).float())],
  ];
  for (const [name, loss] of losses) {
    t.equal(loss.shape, [], name);
    t.equal(Number.isFinite(await loss.item()), true, name);
  }
  t.equal(new nn.CosineSimilarity().forward(x, y).shape, [4]);
  t.equal(new nn.PairwiseDistance().forward(x, y).shape, [4]);
});

test('sequence layers have the right output shapes', async (t) => {
  const x = randn([2, 5, 4]);
  const [out, state] = new nn.GRU(4, 6).forward(x);
  t.equal([out.shape, state.shape], [[2, 5, 6], [1, 2, 6]]);
  const [both] = new nn.LSTM(4, 3, { layers: 2, bidirectional: true }).forward(x);
  t.equal(both.shape, [2, 5, 6]);
  t.equal(new nn.TransformerEncoderLayer(4, 2, 8, { causal: true }).forward(x).shape, [2, 5, 4]);
  t.equal(new nn.TransformerDecoderLayer(4, 2, 8).forward(x, randn([2, 3, 4])).shape, [2, 5, 4]);
  t.equal(new nn.Embedding(10, 4).forward(tensor([[1, 2], [3, 4]], 'i64')).shape, [2, 2, 4]);
});

test('batch norms update their statistics only in training', async (t) => {
  const norm = new nn.BatchNorm1d(2, { momentum: 1 });
  norm.forward(tensor([[1, 10], [3, 30]]));
  t.close(await norm.running_mean.toArray(), [2, 20]);
  norm.eval();
  norm.forward(tensor([[5, 5], [5, 5]]));
  t.close(await norm.running_mean.toArray(), [2, 20]);
});

test('all optimizers reduce the loss', async (t) => {
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

test('parameter groups have their own settings', async (t) => {
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

test('safetensors files can be saved and loaded', async (t) => {
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

test('initializers are plain data', async (t) => {
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

test('an initializer cannot be a function', (t) => {
  t.throws(() => nn.param([2], { init: (() => 0) as never }), 'ArgumentError', /expected plain data, got a function/);
  t.throws(() => nn.param([2], { init: 'ones', scale: 3 } as never), 'ArgumentError', /unknown argument 'scale'/);
});

/** Losses with PyTorch's values for these inputs and targets. */
const LOSSES: [string, nn.Module<[Tensor, Tensor], Tensor>, number[][], number[][] | number[], number][] = [
  ['NLLLoss', new nn.NLLLoss(), [[-1, -2], [-3, -0.5]], [0, 1], 0.75],
  ['NLLLoss, sum', new nn.NLLLoss({ reduction: 'sum' }), [[-1, -2], [-3, -0.5]], [0, 1], 1.5],
  ['BCELoss', new nn.BCELoss(), [[0.25, 0.5]], [[0, 1]], 0.4904146],
  ['SmoothL1Loss', new nn.SmoothL1Loss(), [[0, 3]], [[0.5, 0]], 1.3125],
  ['SmoothL1Loss, beta 2', new nn.SmoothL1Loss('sum', 2), [[0, 3]], [[1, 0]], 2.25],
  ['HuberLoss', new nn.HuberLoss('mean', 2), [[0, 3]], [[1, 0]], 2.25],
  ['KLDivLoss', new nn.KLDivLoss({ reduction: 'batchmean' }), [[Math.log(0.5), Math.log(0.5)]], [[0.25, 0.75]], 0.1308120],
];

test('losses equal those of PyTorch', async (t) => {
  for (const [name, loss, input, target, want] of LOSSES) {
    const wanted = Array.isArray(target[0]) ? tensor(target) : tensor(target, 'i64');
    t.close(await loss.forward(tensor(input), wanted).item(), want, 1e-5, name);
  }
});

test('a loader shuffles a data set into batches', async (t) => {
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

test('frozen layers do not change', async (t) => {
  const model = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 1));
  (model[0] as nn.Linear).freeze();
  const before = await (model[0] as nn.Linear).weight.toArray();
  const optimizer = new optim.SGD(model.parameters(), { lr: 1 });
  model.forward(ones([1, 2])).sum().backward();
  optimizer.step();
  t.equal(await (model[0] as nn.Linear).weight.toArray(), before);
  t.equal(noGrad(() => model.forward(zeros([1, 2]))).requiresGrad, false);
});

test('a custom layer can store its weight as [in, out]', async (t) => {
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

test('dropout layers drop only in training', async (t) => {
  const x = ones([1, 64, 4, 4, 4]);
  const makes = [() => new nn.Dropout(0.5), () => new nn.Dropout3d(0.5), () => new nn.AlphaDropout(0.5)];
  const layers: [nn.Layer, Tensor][] = [...makes.map((make): [nn.Layer, Tensor] => [make(), x]), [new nn.Dropout1d(0.5), ones([1, 64, 4])], [new nn.Dropout2d(0.5), ones([1, 64, 4, 4])]];
  for (const [layer, input] of layers) {
    const changed = async (): Promise<number> => layer.forward(input).ne(1).to('f32').sum().item();
    t.equal((await changed()) > 0, true, layer.constructor.name);
    layer.eval();
    t.equal(await changed(), 0, layer.constructor.name);
  }
});

test('groups inherit the weight decay of the optimizer or of the rule', async (t) => {
  const [a, b, c] = [ones([1], true), ones([1], true), ones([1], true)];
  const decays = (optimizer: optim.Optimizer): number[] => optimizer.paramGroups.map(({ weightDecay }) => weightDecay);
  const ruled = new optim.AdamW([{ params: [a], weightDecay: 0.5 }, { params: [b] }]);
  ruled.addParamGroup({ params: [c] });
  t.equal(decays(ruled), [0.5, 0.01, 0.01]);
  const given = new optim.AdamW([{ params: [a] }, { params: [b], weightDecay: 0 }], { lr: 0.2, weightDecay: 0.1 });
  given.addParamGroup({ params: [c] });
  t.equal(decays(given), [0.1, 0, 0.1]);
  t.equal(given.paramGroups.map(({ lr }) => lr), [0.2, 0.2, 0.2]);
});

const rates = (optimizer: optim.Optimizer): number[] => optimizer.paramGroups.map(({ lr }) => lr);
const pair = (first?: number, second?: number): optim.ParamGroup[] =>
  [first, second].map((lr) => ({ params: [ones([1], true)], ...(lr !== undefined && { lr }) }));

test('schedules preserve the proportions of groups', (t) => {
  const later = new optim.SGD(pair(0.1, 0.01));
  later.setLR(() => 0.05);
  later.prepare();
  t.close(rates(later), [0.05, 0.005], 1e-12);
  const whole = new optim.SGD(pair(undefined, 0.01), { lr: (step) => 0.1 / (1 + step) });
  t.close(rates(whole), [0.1, 0.01], 1e-12);
  whole.step();
  whole.prepare();
  t.close(rates(whole), [0.05, 0.005], 1e-12);
  const first = new optim.SGD(pair(0.01), { lr: (step) => 0.1 / (1 + step) });
  first.step();
  first.prepare();
  t.close(rates(first), [0.005, 0.05], 1e-12);
  t.throws(() => new optim.SGD(pair(undefined, 0.01), { lr: optim.schedule.linear(0, 1, 10) }), 'ArgumentError', /no proportion/);
  const warm = new optim.SGD(pair(), { lr: optim.schedule.linear(0, 1, 10) });
  warm.step();
  warm.prepare();
  t.close(rates(warm), [0.1, 0.1], 1e-12);
});

test('setting the rate of one group does not change the others', (t) => {
  const own = new optim.SGD(pair(0.1, 0.01));
  own.setLR((step) => 1 / (1 + step), 1);
  own.step();
  own.prepare();
  t.close(rates(own), [0.1, 0.5], 1e-12);
  const both = new optim.SGD(pair(), { lr: (step) => 0.1 / (1 + step) });
  both.setLR(0.5, 1);
  both.step();
  both.prepare();
  t.close(rates(both), [0.05, 0.5], 1e-12);
  both.lr = 3;
  both.step();
  both.prepare();
  t.close(rates(both), [3, 3], 1e-12);
});

test('ReduceLROnPlateau lowers the rate of each group', (t) => {
  const optimizer = new optim.SGD(pair(0.1, 0.01));
  const plateau = new optim.ReduceLROnPlateau(optimizer, { factor: 0.5, patience: 0, minLR: [0, 0.004] });
  for (const measure of [1, NaN, 2]) plateau.step(measure);
  t.close(rates(optimizer), [0.025, 0.004], 1e-12);
  for (const wrong of [ones([1]), undefined, '1', null]) t.throws(() => plateau.step(wrong as never), 'ArgumentError', /measure/);
  t.close(rates(optimizer), [0.025, 0.004], 1e-12);
});

test('optimizers reject invalid arguments', (t) => {
  const w = ones([3], true);
  const mistakes: [() => unknown, RegExp][] = [
    [() => new optim.SGD([]), /empty parameter list/],
    [() => new optim.SGD([w.mul(2)]), /non-leaf tensor/],
    [() => new optim.SGD([w]).addParamGroup({ params: [w.mul(2)] }), /non-leaf tensor/],
    [() => new optim.SGD([w], -1), /lr/],
    [() => new optim.SGD([w], NaN), /lr/],
    [() => new optim.SGD([{ params: [w], lr: -1 }]), /lr/],
    [() => new optim.SGD([w], { momentum: -0.1 }), /momentum/],
    [() => new optim.SGD([w], { weightDecay: -0.1 }), /weight_?decay/i],
    [() => new optim.SGD([w]).addParamGroup({ params: [ones([1], true)], weightDecay: NaN }), /weight_?decay/i],
    [() => new optim.Adam([w], { betas: [1, 0.9] }), /betas is \[1, 0.9\], expected two numbers in \[0, 1\)/],
    [() => new optim.Adam([w], { betas: [0.9, -0.1] }), /betas/],
    [() => new optim.Adam([w], { eps: -1 }), /eps/],
    [() => new optim.Adadelta([w], { rho: 1.5 }), /rho/],
    [() => new optim.SGD([w], { lr: () => undefined as never }), /rate of step 0 is missing/],
    [() => new optim.SGD([w]).setLR(() => NaN), /rate of step 0 is NaN/],
  ];
  for (const [call, what] of mistakes) t.throws(call, 'ArgumentError', what);
  const late = new optim.SGD([w], { lr: (step) => (step > 0 ? NaN : 1) });
  late.step();
  t.throws(() => late.step(), 'ArgumentError', /rate of step 1 is NaN/);
  t.throws(() => { (late.paramGroups[0] as optim.GroupSettings).weightDecay = -1; }, 'ArgumentError', /weightDecay/);
  t.equal(rates(new optim.SGD([{ params: [] }, { params: [w] }])).length, 2);
});

test('ParameterList converts tensors to parameters', (t) => {
  const list = new nn.ParameterList([randn([3], true), new nn.Parameter(ones([2]))]);
  t.equal([list.parameters().length, list.numParameters()], [2, 5]);
});

test('transformer layers respect masks', async (t) => {
  const [x, memory] = [randn([1, 4, 4]), randn([1, 3, 4])];
  const future = tensor([0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => j > i)));
  const padding = tensor([[false, false, false, true]]);
  const encoder = new nn.TransformerEncoderLayer(4, 2, 8).eval() as nn.TransformerEncoderLayer;
  const decoder = new nn.TransformerDecoderLayer(4, 2, 8).eval() as nn.TransformerDecoderLayer;
  const list = (y: Tensor): Promise<Elements> => y.toArray();
  // The output of the first position depends on other positions unless they are masked.
  const other = x.add(tensor([[[0], [0], [0], [9]]]));
  const first = async (f: (x: Tensor) => Tensor): Promise<boolean> => {
    const [a, b] = await Promise.all([x, other].map((input) => list(f(input).narrow(1, 0, 1))));
    return JSON.stringify(a) === JSON.stringify(b);
  };
  t.equal(await first((y) => encoder.forward(y)), false);
  t.equal(await first((y) => encoder.forward(y, future)), true);
  t.equal(await first((y) => encoder.forward(y, null, padding)), true);
  t.equal(await first((y) => encoder.forward(y, { isCausal: true })), true);
  t.equal(await first((y) => decoder.forward(y, memory)), false);
  t.equal(await first((y) => decoder.forward(y, memory, { tgtMask: future })), true);
  t.equal(await first((y) => decoder.forward(y, memory, null, null, padding)), true);
  t.equal(await first((y) => decoder.forward(y, memory, { tgtIsCausal: true })), true);
  const causal = new nn.TransformerDecoderLayer(4, 2, 8, { causal: true }).eval() as nn.TransformerDecoderLayer;
  t.equal(await first((y) => causal.forward(y, memory)), true);
  const far = memory.add(tensor([[[0], [0], [9]]]));
  const hidden = tensor([[false, false, true]]);
  const same = async (masks: nn.DecoderMasks): Promise<boolean> =>
    JSON.stringify(await list(decoder.forward(x, memory, masks))) === JSON.stringify(await list(decoder.forward(x, far, masks)));
  t.equal(await same({}), false);
  t.equal(await same({ memoryKeyPaddingMask: hidden }), true);
  t.equal(await same({ memoryMask: hidden.expand([4, 3]) }), true);
});

test('attention weights are dropped in training', async (t) => {
  const attention = new nn.MultiheadAttention(4, 2, 0.9);
  const x = randn([1, 8, 4]);
  const twice = async (): Promise<boolean> => JSON.stringify(await attention.forward(x).tolist()) === JSON.stringify(await attention.forward(x).tolist());
  t.equal(await twice(), false);
  attention.eval();
  t.equal(await twice(), true);
  const layer = new nn.TransformerEncoderLayer(4, 2, 8, 0.5);
  layer.dropout.p = 0;
  const of = async (): Promise<string> => JSON.stringify(await layer.forward(x).tolist());
  t.equal((await of()) === (await of()), false);
});

test('RMSNorm uses the machine epsilon of the dtype as eps', async (t) => {
  const x = tensor([1e-4, 1e-4]);
  const eps = 2 ** -23;
  t.close(await new nn.RMSNorm(2).forward(x).toArray(), Array(2).fill(1e-4 / Math.sqrt(1e-8 + eps)), 1e-5);
  t.equal(await new nn.RMSNorm(2).forward(x).tolist(), await new nn.RMSNorm(2, { eps: null }).forward(x).tolist());
  t.close(await new nn.RMSNorm(2, 1e-6).forward(x).toArray(), Array(2).fill(1e-4 / Math.sqrt(1e-8 + 1e-6)), 1e-5);
});

test('ArrayDataset rejects indices out of range', async (t) => {
  const set = new data.ArrayDataset({ x: { data: Float32Array.of(1, 2, 3, 4), shape: [2] } });
  t.equal(await set.get(1).x.tolist(), [3, 4]);
  for (const n of [2, -1, 0.5, NaN, undefined as never]) {
    t.throws(() => set.get(n), 'ArgumentError', /there is no example/);
    t.throws(() => set.batch([0, n]), 'ArgumentError', /of 2/);
  }
});
