/** Arguments of constructors and options: positional as in PyTorch, by name, and errors if unknown. */
import {
  ArgumentError, AutoFunction, checkpoint, compile, data, type FunctionContext, grad, init, lr, manualSeed, nn, noGrad, ones, optim, restore, save, Tensor, tensor, zeros,
} from '../src/index.ts';
import { type Context, test } from './harness.ts';

/** The parameters of a layer or loss, and its results for inputs of these shapes. */
async function traits(module: nn.Module<Tensor[], Tensor>, shapes: readonly number[][]): Promise<unknown> {
  const inputs = shapes.map((shape, n) => {
    const count = shape.reduce((product, len) => product * len, 1);
    return tensor(Float32Array.from({ length: count }, (_, i) => Math.sin(i + n)), { shape });
  });
  noGrad(() => module.namedParameters().forEach(([, p]) => p.normal_(0.5, 0)));
  const names = module.namedParameters().map(([name, p]) => [name, p.shape]);
  const y = module.eval().forward(...inputs) as Tensor | Tensor[];
  const results = await Promise.all([y].flat().map(async (x) => [x.shape, await x.tolist()]));
  return [names, results];
}

type Make = () => unknown;

/** Positional, by name, without, and inputs. The first two must give equal results, and the third different ones. */
const SAME: readonly [string, Make, Make, Make, number[][]][] = [
  ['Linear', () => new nn.Linear(2, 3, false), () => new nn.Linear(2, 3, { bias: false }), () => new nn.Linear(2, 3), [[1, 2]]],
  ['Bilinear', () => new nn.Bilinear(2, 2, 3, false), () => new nn.Bilinear(2, 2, 3, { bias: false }), () => new nn.Bilinear(2, 2, 3), [[1, 2], [1, 2]]],
  ['Conv1d', () => new nn.Conv1d(1, 2, 3, 2, 1), () => new nn.Conv1d(1, 2, 3, { stride: 2, padding: 1 }), () => new nn.Conv1d(1, 2, 3), [[1, 1, 9]]],
  ['Conv2d', () => new nn.Conv2d(1, 2, 3, 1, 1), () => new nn.Conv2d(1, 2, 3, { stride: 1, padding: 1 }), () => new nn.Conv2d(1, 2, 3), [[1, 1, 5, 5]]],
  ['Conv2d, all', () => new nn.Conv2d(2, 2, 3, 2, 1, 2, 2, false), () => new nn.Conv2d(2, 2, 3, 2, { padding: 1, dilation: 2, groups: 2, bias: false }), () => new nn.Conv2d(2, 2, 3, 2), [[1, 2, 7, 7]]],
  ['Conv2d, same', () => new nn.Conv2d(1, 1, 3, 1, 'same'), () => new nn.Conv2d(1, 1, 3, { padding: 'same' }), () => new nn.Conv2d(1, 1, 3), [[1, 1, 5, 5]]],
  ['ConvTranspose2d', () => new nn.ConvTranspose2d(2, 2, 3, 2, 1, 1, 2, false, 2), () => new nn.ConvTranspose2d(2, 2, 3, { stride: 2, padding: 1, outputPadding: 1, groups: 2, bias: false, dilation: 2 }), () => new nn.ConvTranspose2d(2, 2, 3), [[1, 2, 3, 3]]],
  ['LayerNorm', () => new nn.LayerNorm(4, 0.5, false), () => new nn.LayerNorm(4, { eps: 0.5, elementwiseAffine: false }), () => new nn.LayerNorm(4), [[2, 4]]],
  ['LayerNorm, bias', () => new nn.LayerNorm(4, 1e-5, true, false), () => new nn.LayerNorm(4, { bias: false }), () => new nn.LayerNorm(4), [[2, 4]]],
  ['RMSNorm', () => new nn.RMSNorm(4, 0.5, false), () => new nn.RMSNorm(4, { eps: 0.5, elementwiseAffine: false }), () => new nn.RMSNorm(4), [[2, 4]]],
  ['BatchNorm1d', () => new nn.BatchNorm1d(2, 0.5, 0.2, false), () => new nn.BatchNorm1d(2, { eps: 0.5, momentum: 0.2, affine: false }), () => new nn.BatchNorm1d(2), [[3, 2]]],
  ['GroupNorm', () => new nn.GroupNorm(2, 4, 0.5, false), () => new nn.GroupNorm(2, 4, { eps: 0.5, affine: false }), () => new nn.GroupNorm(2, 4), [[1, 4, 3]]],
  ['InstanceNorm1d', () => new nn.InstanceNorm1d(2, 0.5, 0.1, true), () => new nn.InstanceNorm1d(2, { eps: 0.5, affine: true }), () => new nn.InstanceNorm1d(2), [[1, 2, 4]]],
  ['LocalResponseNorm', () => new nn.LocalResponseNorm(2, 0.5, 0.5, 2), () => new nn.LocalResponseNorm(2, { alpha: 0.5, beta: 0.5, k: 2 }), () => new nn.LocalResponseNorm(2), [[1, 3, 2, 2]]],
  ['MaxPool2d', () => new nn.MaxPool2d(3, 2, 1, 1, false, true), () => new nn.MaxPool2d(3, { stride: 2, padding: 1, ceilMode: true }), () => new nn.MaxPool2d(3, 2), [[1, 1, 6, 6]]],
  ['MaxPool1d', () => new nn.MaxPool1d(3, 2, 1), () => new nn.MaxPool1d(3, { stride: 2, padding: 1 }), () => new nn.MaxPool1d(3), [[1, 1, 8]]],
  ['AvgPool2d', () => new nn.AvgPool2d(3, 2, 1, false, false), () => new nn.AvgPool2d(3, { stride: 2, padding: 1, countIncludePad: false }), () => new nn.AvgPool2d(3, 2, 1), [[1, 1, 6, 6]]],
  ['Unfold', () => new nn.Unfold(2, 2, 1, 2), () => new nn.Unfold(2, { dilation: 2, padding: 1, stride: 2 }), () => new nn.Unfold(2), [[1, 1, 4, 4]]],
  ['Upsample', () => new nn.Upsample(null, 2, 'bilinear', true), () => new nn.Upsample({ scaleFactor: 2, mode: 'bilinear', alignCorners: true }), () => new nn.Upsample({ scaleFactor: 2 }), [[1, 1, 2, 3]]],
  ['Flatten', () => new nn.Flatten(0, 1), () => new nn.Flatten({ startDim: 0, endDim: 1 }), () => new nn.Flatten(), [[2, 3, 4]]],
  ['Hardtanh', () => new nn.Hardtanh(0.2, 0.4), () => new nn.Hardtanh({ minVal: 0.2, max_val: 0.4 } as object), () => new nn.Hardtanh(), [[6]]],
  ['LeakyReLU', () => new nn.LeakyReLU(0.5, true), () => new nn.LeakyReLU({ negativeSlope: 0.5 }), () => new nn.LeakyReLU(0.1), [[6]]],
  ['Softplus', () => new nn.Softplus(2, 1), () => new nn.Softplus({ beta: 2, threshold: 1 }), () => new nn.Softplus(), [[6]]],
  ['PReLU', () => new nn.PReLU(3, 0.5), () => new nn.PReLU({ numParameters: 3, init: 0.5 }), () => new nn.PReLU(), [[2, 3]]],
  ['Softmax', () => new nn.Softmax(0), () => new nn.Softmax({ dim: 0 }), () => new nn.Softmax(), [[2, 3]]],
  ['GELU', () => new nn.GELU('tanh'), () => new nn.GELU({ approximate: 'tanh' }), () => new nn.GELU(), [[6]]],
  ['MSELoss', () => new nn.MSELoss('sum'), () => new nn.MSELoss({ reduction: 'sum' }), () => new nn.MSELoss(), [[4], [4]]],
  ['SmoothL1Loss', () => new nn.SmoothL1Loss('sum', 0.1), () => new nn.SmoothL1Loss({ reduction: 'sum', beta: 0.1 }), () => new nn.SmoothL1Loss('sum'), [[4], [4]]],
  ['CrossEntropyLoss', () => new nn.CrossEntropyLoss(null, -100, 'sum', 0.1), () => new nn.CrossEntropyLoss({ reduction: 'sum', labelSmoothing: 0.1 }), () => new nn.CrossEntropyLoss(), [[2, 3], [2, 3]]],
  ['BCEWithLogitsLoss', () => new nn.BCEWithLogitsLoss(null, 'sum', null), () => new nn.BCEWithLogitsLoss({ reduction: 'sum' }), () => new nn.BCEWithLogitsLoss(), [[4], [4]]],
  ['KLDivLoss', () => new nn.KLDivLoss('batchmean', true), () => new nn.KLDivLoss({ reduction: 'batchmean', logTarget: true }), () => new nn.KLDivLoss(), [[2, 3], [2, 3]]],
  ['TripletMarginLoss', () => new nn.TripletMarginLoss(2, 1, 1e-6, true, 'sum'), () => new nn.TripletMarginLoss({ margin: 2, p: 1, swap: true, reduction: 'sum' }), () => new nn.TripletMarginLoss(), [[2, 3], [2, 3], [2, 3]]],
  ['LSTM', () => new nn.LSTM(2, 3, 2, false, true, 0, true), () => new nn.LSTM(2, 3, { numLayers: 2, bias: false, bidirectional: true }), () => new nn.LSTM(2, 3), [[1, 4, 2]]],
  ['RNN', () => new nn.RNN(2, 3, 2, 'relu', false, false), () => new nn.RNN(2, 3, { layers: 2, nonlinearity: 'relu', bias: false, batchFirst: false }), () => new nn.RNN(2, 3, 2, 'relu', false), [[3, 4, 2]]],
  ['GRUCell', () => new nn.GRUCell(2, 3, false), () => new nn.GRUCell(2, 3, { bias: false }), () => new nn.GRUCell(2, 3), [[1, 2]]],
  ['RNNCell', () => new nn.RNNCell(2, 3, false, 'relu'), () => new nn.RNNCell(2, 3, { bias: false, nonlinearity: 'relu' }), () => new nn.RNNCell(2, 3), [[1, 2]]],
  ['TransformerEncoderLayer', () => new nn.TransformerEncoderLayer(4, 2, 8, 0, 'gelu', 1e-2, true, true), () => new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0, activation: 'gelu', layerNormEps: 1e-2, normFirst: true }), () => new nn.TransformerEncoderLayer(4, 2, 8), [[1, 3, 4]]],
];

test('layers and losses take positional arguments in the order of PyTorch', async (t: Context) => {
  for (const [name, byPlace, byName, without, shapes] of SAME) {
    const [own, same, other] = await Promise.all([byPlace, byName, without].map((make) => traits(make() as nn.Module<Tensor[], Tensor>, shapes)));
    t.equal(own, same, name);
    t.ok(JSON.stringify(own) !== JSON.stringify(other), `${name}: the arguments have no effect`);
  }
});

/** The state of an optimizer after two steps, which depends on all of its settings. */
async function trained(make: (params: Tensor[]) => optim.Optimizer): Promise<unknown> {
  const w = tensor([[2, -3], [1, 4]], { requiresGrad: true });
  const optimizer = make([w]);
  for (let n = 0; n < 2; n += 1) {
    optimizer.zeroGrad();
    w.square().sum().backward();
    optimizer.step();
  }
  return [optimizer.lr, await w.tolist()];
}

test('optimizers take positional arguments in the order of PyTorch', async (t) => {
  type Of = (params: Tensor[]) => optim.Optimizer;
  const rows: [string, Of, Of][] = [
    ['SGD', (p) => new optim.SGD(p, 0.1), (p) => new optim.SGD(p, { lr: 0.1 })],
    ['SGD, all', (p) => new optim.SGD(p, 0.1, 0.9, 0, 0.5, true), (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9, weightDecay: 0.5, nesterov: true })],
    ['SGD, mixed', (p) => new optim.SGD(p, 0.1, { momentum: 0.9 }), (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9 })],
    ['Adam', (p) => new optim.Adam(p, 0.1, [0.5, 0.6], 1e-3, 0.5, false), (p) => new optim.Adam(p, { lr: 0.1, betas: [0.5, 0.6], eps: 1e-3, weightDecay: 0.5 })],
    ['AdamW', (p) => new optim.AdamW(p, 0.1, [0.5, 0.6], 1e-3, 0.5), (p) => new optim.AdamW(p, { lr: 0.1, betas: [0.5, 0.6], eps: 1e-3, weight_decay: 0.5 } as object)],
    ['RMSprop', (p) => new optim.RMSprop(p, 0.1, 0.5, 1e-3, 0.5, 0.9, true), (p) => new optim.RMSprop(p, { lr: 0.1, alpha: 0.5, eps: 1e-3, weightDecay: 0.5, momentum: 0.9, centered: true })],
    ['Adagrad', (p) => new optim.Adagrad(p, 0.1, 0.5, 0.2, 0, 1e-3), (p) => new optim.Adagrad(p, { lr: 0.1, lrDecay: 0.5, weightDecay: 0.2, eps: 1e-3 })],
    ['Adadelta', (p) => new optim.Adadelta(p, 2, 0.5, 1e-3, 0.2), (p) => new optim.Adadelta(p, { lr: 2, rho: 0.5, eps: 1e-3, weightDecay: 0.2 })],
    ['NAdam', (p) => new optim.NAdam(p, 0.1, [0.5, 0.6], 1e-3, 0.2, 0.1), (p) => new optim.NAdam(p, { lr: 0.1, betas: [0.5, 0.6], eps: 1e-3, weightDecay: 0.2, momentumDecay: 0.1 })],
    ['RAdam', (p) => new optim.RAdam(p, 0.1, [0.5, 0.6], 1e-3, 0.2), (p) => new optim.RAdam(p, { lr: 0.1, betas: [0.5, 0.6], eps: 1e-3, weightDecay: 0.2 })],
    ['Lion', (p) => new optim.Lion(p, 0.1, [0.5, 0.6], 0.2), (p) => new optim.Lion(p, { lr: 0.1, betas: [0.5, 0.6], weightDecay: 0.2 })],
    ['Muon', (p) => new optim.Muon(p, 0.1, 0.2, 0.5, false), (p) => new optim.Muon(p, { lr: 0.1, weightDecay: 0.2, momentum: 0.5, nesterov: false })],
  ];
  for (const [name, byPlace, byName] of rows) t.equal(await trained(byPlace), await trained(byName), name);
  const w = ones([1], true);
  t.equal(new optim.SGD([w], 0.1).lr, 0.1);
  const loader = new data.DataLoader({ length: 5, get: (n) => ({ x: tensor([n]) }) }, 2, true);
  t.equal(loader.length, 3);
  const plateau = new optim.ReduceLROnPlateau(new optim.SGD([w], 1), 'max', 0.5, 0);
  [1, 2, 1].forEach((measure) => plateau.step(measure));
  t.equal(nn.init.kaimingUniform(Math.sqrt(5)), { kind: 'kaimingUniform', gain: Math.sqrt(2 / 6), fan: 'in' });
  t.equal(nn.init.kaimingNormal(0, 'fan_out', 'tanh'), { kind: 'kaimingNormal', gain: 5 / 3, fan: 'out' });
});

const w = (): Tensor => ones([1], true);
const model = (): nn.Linear => new nn.Linear(1, 1);
const inputs = { x: [1, 1] } as const;
const square = ({ x }: { x: Tensor }): Tensor => x.square().mean();

/** Invalid calls, and their messages. */
const MISTAKES: readonly [() => unknown, RegExp][] = [
  [() => new nn.Conv2d(1, 8, 3, { pading: 1 } as object), /^Conv2d: unknown argument 'pading'\n {2}it takes inChannels, outChannels, kernelSize, stride, padding, dilation, groups, bias\n {2}help: did you mean `padding`\?$/],
  [() => new nn.Linear(2, 3, { bais: false } as object), /^Linear: unknown argument 'bais'[^]*did you mean `bias`\?/],
  [() => new nn.Linear(2, 3, 'no' as never), /^Linear: bias is 'no', expected true or false/],
  [() => new nn.Linear(2, 3, true, true as never), /^Linear: got 4 arguments, at most 3 are positional/],
  [() => new nn.Linear(2, 3, true, { bias: false } as never), /^Linear: bias is given twice/],
  [() => new (nn.Linear as unknown as new (n: number) => nn.Linear)(2), /^Linear: outFeatures is missing, expected a non-negative integer/],
  [() => new nn.Linear(2.5, 3), /^Linear: inFeatures is 2.5, expected a non-negative integer/],
  [() => new nn.Linear(-2, 3), /^Linear: inFeatures is -2, expected a non-negative integer/],
  [() => new nn.Conv2d(1, 8, 3, 1, 'sane' as never), /^Conv2d: padding is 'sane', expected an integer or list of integers or 'same' or 'valid'/],
  [() => new nn.MaxPool2d(2, 2, 0, 1, true as never), /^MaxPool2d: returnIndices is true, expected 'false'/],
  [() => new nn.Dropout('0.5' as never), /^Dropout: p is '0.5', expected a number/],
  [() => new nn.Dropout2d(1.5), /^Dropout2d: p is 1.5, expected a number from 0 to 1/],
  [() => new (nn.Tanh as unknown as new (n: number) => nn.Tanh)(1), /^Tanh: got 1 arguments, at most 0/],
  [() => new nn.CrossEntropyLoss({ labelSmooth: 0.1 } as object), /^CrossEntropyLoss: unknown argument 'labelSmooth'/],
  [() => new nn.MSELoss('average' as never), /^MSELoss: reduction is 'average', expected mean, sum, none/],
  [() => new nn.BCELoss('sum' as never), /^BCELoss: weight is 'sum', expected a tensor or 'null'/],
  [() => new nn.LSTM(2, 3, { num_layer: 2 } as object), /^LSTM: unknown argument 'num_layer'[^]*did you mean `numLayers`\?/],
  [() => new nn.Sequential(model(), null as never), /^Sequential: argument 1 is null, expected a layer or a function/],
  [() => new optim.SGD([w()], '0.1' as never), /^SGD: lr is '0.1', expected a non-negative number or a function/],
  [() => new optim.Adam([w()], { learningRate: 1 } as object), /^Adam: unknown argument 'learningRate'\n {2}it takes params, lr, betas[^]*did you mean `lr`\?/],
  [() => new optim.Adam([w()], { learning_rate: 1 } as object), /did you mean `lr`\?/],
  [() => (optim.clipGradNorm as unknown as (params: Tensor[]) => Tensor)([w()]), /^clipGradNorm: maxNorm is missing/],
  [() => optim.clipGradNorm([w()], 1, 1 as never), /^clipGradNorm: normType is 1, expected '2'/],
  [() => new nn.Parameter([1, 2] as never), /^Parameter: data is \[1, 2\], expected a tensor/],
  [() => new nn.Buffer([1, 2] as never), /^Buffer: data is \[1, 2\], expected a tensor/],
  [() => { w().grad = 1 as never; }, /^grad: gradient is 1, expected a tensor/],
  [() => grad(1 as never, w()), /an argument is not a tensor/],
  [() => manualSeed('1' as never), /^manualSeed: seed is '1', expected a number/],
  [() => new optim.Adam([w()], { beta: [0.9, 0.99] } as object), /did you mean `betas`\?/],
  [() => new optim.Adam([w()], 0.1, [0.9] as never), /^Adam: betas is \[0.9\], expected two numbers/],
  [() => new optim.SGD(model() as never), /^SGD: params is a Linear, expected an iterable/],
  [() => new optim.SGD([1 as never]), /^SGD: expected tensors to train, got 1\n {2}help: model.parameters\(\)/],
  [() => new optim.SGD([{ params: [w()], momentum: 1 } as never]), /^SGD: unknown argument 'momentum'\n {2}it takes params, lr, weightDecay/],
  [() => new optim.SGD([w()]).addParamGroup({ params: [w()], learning: 1 } as never), /^SGD: unknown argument 'learning'/],
  [() => new optim.SGD([w()]).setLR('1' as never), /^setLR: lr is '1'/],
  [() => new optim.SGD([w()]).setLR(1, 3), /^setLR: no group 3, there are 1/],
  [() => new optim.ReduceLROnPlateau(new optim.SGD([w()]), { minLr: 1 } as object), /did you mean `minLR`\?/],
  [() => optim.schedule.cosine(1, 0, '10' as never), /^schedule.cosine: steps is '10'/],
  [() => lr.cosineAnnealing({ peak: 1, finl: 0, steps: 3 } as never), /did you mean `final`\?/],
  [() => nn.init.normal('0' as never), /^init.normal: mean is '0'/],
  [() => nn.param([1], { init: { kind: 'uniform', hi: 1 } as never }), /^init.uniform: unknown argument 'hi'/],
  [() => nn.param([1], { init: 'one' as never }), /^init: unknown kind 'one'/],
  [() => nn.param([1], { int: 'ones' } as never), /^param: unknown argument 'int'[^]*did you mean `init`/],
  [() => new data.DataLoader({ length: 1, get: () => ({ x: zeros([1]) }) }, { batchsize: 2 } as object), /^DataLoader: unknown argument 'batchsize'[^]*did you mean `batchSize`\?/],
  [() => new data.DataLoader({ length: 1, get: () => ({ x: zeros([1]) }) }, 1.5), /^DataLoader: batchSize is 1.5/],
  [() => new data.ArrayDataset({ x: { data: new Float32Array(2), shap: [1] } as never }), /^ArrayDataset.x: unknown argument 'shap'/],
  [() => model().loadStateDict({}, { partail: true } as object), /^loadStateDict: unknown argument 'partail'[^]*`partial`/],
  [() => tensor([1], { dtyp: 'f16' } as object), /^tensor: unknown argument 'dtyp'[^]*`dtype`/],
  [() => tensor({ data: [1], requireGrad: true } as never), /^tensor: unknown argument 'requireGrad'[^]*`requiresGrad`/],
  [() => zeros(2, { dtpe: 'f16' } as object), /^zeros: unknown argument 'dtpe'/],
  [() => w().sum().backward({ retainGrap: true } as object), /^backward: unknown argument 'retainGrap'/],
  [() => grad(w().sum(), w(), { create: true } as object), /^grad: unknown argument 'create'/],
  [() => Tensor.fromBytes(new Uint8Array(4), 'f32', [1], { transfr: true } as object), /^fromBytes: unknown argument 'transfr'/],
  [() => compile({ model: model(), optimizer: new optim.SGD([w()]), inputs, loss: square, clipGradNrm: 1 } as never), /^compile: unknown argument 'clipGradNrm'[^]*`clipGradNorm`/],
  [() => compile({ model: model(), optimizer: new optim.SGD([w()]), inputs: { x: { shape: [1], type: 'i64' } }, loss: square } as never), /^inputs.x: unknown argument 'type'/],
  [() => compile({ forward: square, input: inputs } as never), /^compile: unknown argument 'input'[^]*`inputs`/],
  [() => compile({ model: model(), optimizer: { kind: 'adam', learningRate: 1 }, inputs, loss: square } as never), /^optimizer adam: unknown argument 'learningRate'\n {2}it takes lr,/],
  [() => compile({ model: model(), optimizer: { kind: 'adma', lr: 1 }, inputs, loss: square } as never), /there is no optimizer 'adma', only adam, adamw, sgd/],
];

test('unknown, misspelt and wrongly typed arguments are errors', (t) => {
  for (const [call, what] of MISTAKES) t.throws(call, 'ArgumentError', what);
});

test('async functions reject unknown options', async (t: Context) => {
  await t.rejects(init({ device: 'cuda' } as never), 'ArgumentError', /^init: device is 'cuda', expected 'cpu' or 'webgpu' or 'auto'/);
  await t.rejects(init({ check: 'yes' } as never), 'ArgumentError', /^init: check is 'yes', expected true or false/);
  await t.rejects(init({ thread: 2 } as never), 'ArgumentError', /did you mean `threads`\?/);
  await t.rejects(checkpoint({ modl: model() } as never), 'ArgumentError', /^checkpoint: unknown argument 'modl'/);
  t.throws(() => restore(new Uint8Array(), { model: model(), optim: 1 } as never), 'ArgumentError', /^restore: unknown argument 'optim'[^]*`optimizer`/);
  await t.rejects(save({ x: zeros([1]) }, { step: 3 } as never), 'ArgumentError', /^save: metadata.step is 3, expected a string/);
  await t.rejects(save({ x: [1] } as never), 'ArgumentError', /^save: 'x' is \[1\], expected a tensor/);
  const step = compile({ model: model(), optimizer: new optim.SGD([w()], 0), inputs, loss: square });
  const result = await step.step({ x: [[1]] }, { sginal: 1 } as object);
  t.ok(result.status === 'failed' && /unknown argument 'sginal'/.test(result.error.message), result.status);
});

test('settings of parameter groups are writable', async (t) => {
  const [a, b] = [ones([1], true), ones([1], true)];
  const optimizer = new optim.SGD([{ params: [a], lr: 0.1 }, { params: [b], lr: 0.01 }]);
  const [first, second] = optimizer.paramGroups as [optim.GroupSettings, optim.GroupSettings];
  first.lr = 3;
  second.weightDecay = 0.5;
  t.equal(optimizer.paramGroups.map(({ lr, weightDecay }) => [lr, weightDecay]), [[3, 0], [0.01, 0.5]]);
  a.add(b).sum().backward();
  optimizer.step();
  t.close([await a.item(), await b.item()], [-2, 1 - 0.01 * 1.5]);
  t.throws(() => { (first as unknown as Record<string, number>)['momentum'] = 1; }, 'TypeError');
});

test('a state can be loaded with strict: false', async (t) => {
  const own = new nn.Linear(2, 1);
  const found = own.loadStateDict({ weight: [1, 2], other: [3] }, { strict: false });
  t.equal(found, { missingKeys: ['bias'], unexpectedKeys: ['other'] });
  t.equal(own.loadStateDict({ weight: [5, 6] }, false).missingKeys, ['bias']);
  t.equal(await own.weight.tolist(), [[5, 6]]);
  t.throws(() => own.loadStateDict({ weight: [1, 2], bias: [0], other: [3] }), 'DataError', /'other' is unknown/);
  t.throws(() => own.loadStateDict({ weight: [1], other: [3] }, { strict: false }), 'DataError', /'weight' has 1 elements/);
});

test('a custom gradient must match the shape and dtype of its input', (t) => {
  const applied = (backward: (dy: Tensor) => unknown) => (): unknown => {
    class Own extends AutoFunction {
      static forward(_: FunctionContext, x: Tensor): Tensor {
        return x.mul(2);
      }
      static backward(_: FunctionContext, dy: Tensor): Tensor {
        return backward(dy) as Tensor;
      }
    }
    return Own.apply(ones([2, 3], true));
  };
  t.throws(applied((dy) => dy.sum()), 'ShapeError', /^backward: gradient 0 does not match its input\n {2}gradient: Tensor\(f32\[\]\)\n {2}input: Tensor\(f32\[2, 3\]\)/);
  t.throws(applied((dy) => dy.transpose()), 'ShapeError', /f32\[3, 2\]/);
  t.throws(applied((dy) => dy.to('f16')), 'DTypeError', /help: gradient.to\('f32'\)/);
  t.throws(applied(() => 1), 'ArgumentError', /gradient 0 is 1, expected a tensor or null/);
  t.equal((applied((dy) => dy.mul(2))() as Tensor).shape, [2, 3]);
});

test('lists that contain themselves are rejected', (t: Context) => {
  const own: unknown[] = [];
  own.push(own);
  t.throws(() => tensor(own as never), 'ArgumentError', /nested more than 64 deep\n {2}help: does a list contain itself/);
  const later: unknown[] = [1];
  later.push(later);
  t.throws(() => tensor(later as never), 'ShapeError');
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n += 1) deep = [deep];
  t.throws(() => tensor(deep as never), 'ArgumentError', /nested more than 64 deep/);
  let wide: unknown = [1, 1];
  for (let n = 0; n < 40; n += 1) wide = [wide, wide];
  t.throws(() => tensor(wide as never), 'ArgumentError', /2199023255552 elements[^]*typed array/);
  t.throws(() => ones([4]).reshape(own as never), 'ArgumentError', /nested more than 64 deep/);
  t.ok(new ArgumentError('x: y').op === 'x', 'op');
});
