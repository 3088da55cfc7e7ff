// Type-checked, never run, against the installed package: TypeScript accepts valid programs and rejects mistakes.
import {
  ArgumentError, AutoFunction, checkpoint, compile, conv2d, crossEntropy, data, type DType, type Elements, type FunctionContext, grad, init, keep, load, lr,
  manualSeed, memory, nn, noGrad, ones, optim, Range, restore, save, scope, type Status, type Tensor, tensor, type TrainStep, zeros,
} from 'brasa';
import * as inline from 'brasa/inline';
import isolation, { isolation as named } from 'brasa/vite';
import type {} from 'brasa/torch.js';
import type {} from 'brasa/isolation.js';

const status: Status = await init({ device: 'auto', threads: 2, onLoss: ({ device, why }) => console.log(device, why) });
const same: typeof tensor = inline.tensor;
const plugins: { name: string }[] = [isolation(), named()];
console.log(status.why, same, plugins, typeof torch.tensor);

const x: Tensor = tensor([[1, 2], [3, 4]], { requiresGrad: true });
const dtype: DType = x.to('f16').dtype;
const elements: Elements = await x.matmul(x.T).softmax(-1).toArray();
const floats: Float32Array = await x.toArray();
const one: number = await x.sum().item();
x.sum(1, true).mean().backward();
x.index('0', new Range(0, 1)).sum().backward(ones([1]), true);
const [dx] = grad(x.square().sum(), x, { createGraph: true });
console.log(dtype, elements, floats, one, dx?.shape, noGrad(() => x.add(1)), scope(() => keep(zeros(2, 3))));
conv2d(x, x, { padding: 1, stride: [1, 2] });
{
  using y = x.mul(2);
  console.log(y.toString());
}

// Positional arguments, in PyTorch's order, and named ones.
class Model extends nn.Module<[Tensor], Tensor> {
  readonly body = new nn.Sequential(
    new nn.Conv2d(1, 8, 3, 1, 'same'), new nn.BatchNorm2d(8, 1e-5, 0.1), new nn.ReLU(true), new nn.MaxPool2d(2, 2, 0, 1, false, true),
    new nn.Conv2d(8, 8, 3, { padding: 1, bias: false }), new nn.Conv2d(8, 8, [3, 3], 2, { groups: 2 }), new nn.GELU('tanh'), new nn.Dropout(0.1), new nn.Flatten(1),
  );
  readonly norm = new nn.LayerNorm([8], 1e-6, true, false);
  readonly words = new nn.Embedding(10, 4, 0);
  readonly head = new nn.Linear(8, 10, false);
  readonly scale = this.param([10], { init: nn.init.kaimingUniform(Math.sqrt(5)), decay: false });

  override forward(images: Tensor): Tensor {
    return this.head.forward(this.norm.forward(this.body.forward(images))).mul(this.scale);
  }
}
const model = new Model();
const [out, last, cell] = new nn.LSTM(4, 8, 2, true, true, 0.1, { bidirectional: true }).forward(zeros([1, 2, 4]));
const encoder = new nn.TransformerEncoderLayer(8, 2, 32, 0.1, 'gelu', { normFirst: true, causal: true });
const loss = new nn.CrossEntropyLoss(null, -100, 'mean', 0.1);
console.log(out.shape, last.shape, cell.shape, encoder.summary(), loss.forward(x, x), new nn.MSELoss('sum'), new nn.BCEWithLogitsLoss({ posWeight: x }));

const optimizers: optim.Optimizer[] = [
  new optim.SGD(model.parameters(), 0.1, 0.9, 0, 1e-4, true), new optim.Adam(model.parameters(), { lr: optim.schedule.cosine(1e-3, 0, 100), betas: [0.9, 0.99] }),
  new optim.AdamW([{ params: [x], lr: 0.1, weightDecay: 0 }], 1e-3, [0.9, 0.95], 1e-8, 0.01), new optim.RMSprop([x], 0.01, { momentum: 0.9 }),
];
const [optimizer] = optimizers as [optim.Optimizer];
for (const group of optimizer.paramGroups) group.lr *= 0.5;
new optim.ReduceLROnPlateau(optimizer, 'max', 0.5, { minLR: 1e-5 }).step(one);

const train: TrainStep<{ x: [null, 1, 28, 28]; y: { shape: [null]; dtype: 'i64' } }, Model> = compile({
  model,
  optimizer,
  inputs: { x: [null, 1, 28, 28], y: { shape: [null], dtype: 'i64' } },
  loss: ({ x, y }) => crossEntropy(model.forward(x), y, { labelSmoothing: 0.1 }),
  clipGradNorm: 1,
});
const set = new data.ArrayDataset({ x: { data: new Float32Array(784), shape: [1, 28, 28] }, y: { data: new BigInt64Array(1), shape: [] } });
for await (const result of train.steps(new data.DataLoader(set, 32, true, { dropLast: true }))) {
  if (result.status === 'completed') console.log(result.loss, result.captures.names);
}
const predict = compile((images: Tensor) => model.forward(images));
const answer: Tensor = predict.run(zeros([1, 1, 28, 28]));
const plain = compile({
  model, inputs: { x: [1, 2] }, loss: (own: Model, { x }: { x: Tensor }) => own.forward(x).mean(), optimizer: { kind: 'adam', lr: lr.warmup({ peak: 1, steps: 10 }) },
});
console.log(answer.shape, plain.paramNames);

const file: Uint8Array = await save(model.stateDict(), { made: 'here' });
const { missingKeys } = model.loadStateDict(load(file).tensors, { strict: false });
const texts = restore(await checkpoint({ model, optimizer }), { model, optimizer });
console.log(missingKeys, texts['made'], (await memory()).bytes);
manualSeed(1);

class Sign extends AutoFunction {
  static forward(_: FunctionContext, x: Tensor): Tensor {
    return x.sign();
  }
  static backward(_: FunctionContext, dy: Tensor): Tensor {
    return dy;
  }
}
console.log(Sign.apply(x), new ArgumentError('f: wrong').op);

// @ts-expect-error misspelt
new nn.Conv2d(1, 8, 3, { pading: 1 });
// @ts-expect-error a string is not a rate
new optim.SGD([x], '0.1');
// @ts-expect-error options come last
new nn.Conv2d(1, 8, 3, { padding: 1 }, 2);
// @ts-expect-error unknown device
await init({ device: 'tpu' });
// @ts-expect-error a parameter is missing
new nn.Linear(3);
