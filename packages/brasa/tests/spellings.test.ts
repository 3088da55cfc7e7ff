/** Programs in the style of other libraries. */
import * as torch from '../src/index.ts';
import { add, crossEntropy, mul, noGrad, sub, Tensor, trackTensors } from '../src/index.ts';
import { test } from './harness.ts';

test('torchic: quick start', async (t) => {
  await Tensor.init(t.settings.threads);
  const x = Tensor.fromData([1, 2, 3, 4], [2, 2]);
  const w = Tensor.randn([2, 2], true);
  const b = Tensor.zeros([2], true);
  const y = x.matmul(w).add(b);
  const loss = y.sum();
  loss.backward();
  t.equal(typeof (await loss.item()), 'number');
  t.equal(await w.grad!.toArray(), new Float32Array([4, 4, 6, 6]));
  t.equal((await w.grad!.toArray()) instanceof Float32Array, true);
  t.equal(await Tensor.fromData([7, 8, 9, 10], [2, 2]).item(), 7);
  await trackTensors(async () => {
    const inner = x.add(1);
    await inner.toArray();
  });
  t.equal(await x.tolist(), [[1, 2], [3, 4]]);
});

test('torchic: training', async (t) => {
  const x = Tensor.fromData([0, 1, 2, 3], [4, 1]);
  const y = Tensor.fromData([1, 3, 5, 7], [4, 1]);
  const w = Tensor.zeros([1, 1], true);
  const b = Tensor.zeros([1], true);
  const losses: number[] = [];
  for (let epoch = 0; epoch < 200; epoch += 1) {
    const error = x.matmul(w).add(b).sub(y);
    const loss = error.mul(error).mean();
    loss.backward();
    await noGrad(async () => {
      w.sub_(w.grad!.mul(Tensor.fromData([0.1], [1])));
      b.sub_(b.grad!.mul(0.1));
    });
    w.grad = null;
    b.grad = null;
    if (epoch % 50 === 0) losses.push(await loss.item());
  }
  t.close(await w.item(), 2, 0.05);
  t.close(await b.item(), 1, 0.1);
  t.equal(losses.length, 4);
});

test('torchic: every method', async (t) => {
  const x = Tensor.fromData([1, 2, 3, 4, 5, 6, 7, 8], [2, 4]);
  const y = Tensor.ones([2, 4]);
  const all = [x.add(y), x.sub(y), x.mul(y), x.div(y), x.neg(), x.relu(), x.exp(), x.log(), x.softmax(1), x.reshape([4, 2])];
  t.equal(all.map((z) => z.numel()), all.map(() => 8));
  t.equal(await x.slice([[0, 2], [1, 4]]).tolist(), [[2, 3, 4], [6, 7, 8]]);
  t.equal(await x.sum(1, true).tolist(), [[10], [26]]);
  t.equal(await x.sum({ dim: 0, keepDim: true }).tolist(), [[6, 8, 10, 12]]);
  t.equal(await x.mean().item(), 4.5);
  t.equal(await x.transpose().tolist(), [[1, 5], [2, 6], [3, 7], [4, 8]]);
  x.set([1, 2], 70);
  t.equal(await x.index(1).tolist(), [5, 6, 70, 8]);
  const z = Tensor.fromData([1, 2], [2]);
  z.add_(1).mul_(4).sub_(2).div_(2);
  t.equal(await z.tolist(), [3, 5]);
  const logits = Tensor.fromData([2, 1, 0], [1, 3]);
  t.close(await crossEntropy(logits, torch.tensor([0], 'i64')).item(), 0.407606);
  // torchic has only one dtype: classes are floats too.
  t.close(await crossEntropy(logits, Tensor.fromData([0], [1])).item(), 0.407606);
  t.close(await crossEntropy(logits, Tensor.fromData([1, 0, 0], [1, 3])).item(), 0.407606);
});

test('webgpu-torch: the README', async (t) => {
  const a = torch.tensor([[1, 2, 3], [4, 5, 6]]);
  const b = torch.tensor([[7, 8, 9], [10, 11, 12]]);
  const c = a.add(b);
  t.equal(await c.toArrayAsync(), [[8, 10, 12], [14, 16, 18]]);
  t.equal(new Float32Array(await c.storage.mapReadAsync()), new Float32Array([8, 10, 12, 14, 16, 18]));
  t.equal([c.shape, c.dtype, c.storage.dtype, c.device], [[2, 3], 'f32', 'f32', t.settings.device]);
  t.equal([torch.tensor([1], 'float32').dtype, torch.zeros([1], 'int32').dtype, a.to('float16').dtype], ['f32', 'i32', 'f16']);
  t.equal(new torch.Tensor([1, 2]).shape, [2]);
  t.equal([torch.zeros([2]).shape, torch.ones([2, 2]).shape, torch.mm(a, b.t()).shape], [[2], [2, 2], [2, 2]]);
});

test('webgpu-torch: gradients', async (t) => {
  const a = torch.tensor({ data: [[1, 2], [3, 4]], requiresGrad: true });
  const b = torch.tensor({ data: [[5, 6], [7, 8]], requiresGrad: true });
  const c = a.mul(b);
  c.retainGrad();
  c.backward();
  t.equal(await a.grad!.tolist(), [[5, 6], [7, 8]]);
  t.equal(await b.grad!.tolist(), [[1, 2], [3, 4]]);
  t.equal(await c.grad!.tolist(), [[1, 1], [1, 1]]);
});

test('webgpu-torch: gradients of non-leaf tensors', async (t) => {
  const before = torch.setRetainGrads(true);
  const a = torch.tensor({ data: [[1, 2], [3, 4]], requiresGrad: true });
  const b = torch.tensor({ data: [[5, 6], [7, 8]], requiresGrad: true });
  const c = a.mul(b);
  c.backward();
  torch.setRetainGrads(before);
  t.equal(await a.grad!.tolist(), [[5, 6], [7, 8]]);
  t.equal(await b.grad!.tolist(), [[1, 2], [3, 4]]);
  t.equal(await c.grad!.tolist(), [[1, 1], [1, 1]]);
  const d = a.mul(b);
  d.backward();
  t.equal(d.grad, null);
});

test('webgpu-torch: custom functions by torch.functions', async (t) => {
  class Twice extends torch.functions.AutoFunction {
    static forward(_: torch.FunctionContext, x: Tensor): Tensor {
      return x.mul(2);
    }
    static backward(_: torch.FunctionContext, dy: Tensor): Tensor {
      return dy.mul(20);
    }
  }
  const x = torch.tensor({ data: [1, 2], requiresGrad: true });
  const y = Twice.apply(x);
  y.sum().backward();
  t.equal([await y.tolist(), await x.grad!.tolist()], [[2, 4], [20, 20]]);
});

test('webgpu-torch: the table of ops', async (t) => {
  const unary = 'abs acos acosh asin asinh atan ceil cos cosh deg2rad exp exp2 expm1 floor frac log log10 log1p log2 neg positive rad2deg reciprocal relu round rsqrt sigmoid sign silu sin sinc sinh sqrt square tan tanh trunc'.split(' ');
  const binary = 'add atan2 copysign div hypot ldexp logaddexp logaddexp2 mul pow sub xlogy'.split(' ');
  const others = 'absolute arccos arccosh arcsin arcsinh arctan divide fix multiply negative subtract'.split(' ');
  type Functions = Record<string, (...xs: Tensor[]) => Tensor>;
  const functions = torch as unknown as Functions;
  const x = torch.tensor([0.25, 0.5]);
  const y = torch.tensor([2, 3]);
  for (const name of [...unary, ...others.filter((other) => !['divide', 'multiply', 'subtract'].includes(other))]) {
    const method = (x as unknown as Functions)[name]!.bind(x);
    t.equal(await method().tolist(), await functions[name]!(x).tolist(), name);
    const z = x.clone();
    (z as unknown as Functions)[`${name}_`]!.call(z);
    t.equal(await z.tolist(), await functions[name]!(x).tolist(), `${name}_`);
  }
  for (const name of [...binary, 'divide', 'multiply', 'subtract']) {
    t.equal(await (x as unknown as Functions)[name]!.call(x, y).tolist(), await functions[name]!(x, y).tolist(), name);
    const z = x.clone();
    (z as unknown as Functions)[`${name}_`]!.call(z, y);
    t.equal(await z.tolist(), await functions[name]!(x, y).tolist(), `${name}_`);
  }
  t.equal(await torch.add(x, y, { alpha: 2 }).tolist(), [4.25, 6.5]);
  t.equal([await x.clone().add_(y, { alpha: 2 }).tolist(), await x.clone().sub_(y, { alpha: 2 }).tolist()], [[4.25, 6.5], [-3.75, -5.5]]);
  const plane = torch.tensor([[3, 4], [0, 0]]);
  t.equal([await plane.norm().item(), await torch.norm(plane).item(), await plane.norm({ dim: 1 }).tolist()], [5, 5, [5, 0]]);
  t.equal([await plane.sum().item(), await plane.mean().item()], [7, 1.75]);
  t.equal([await x.all().item(), await x.any().item(), await x.prod().item(), await x.countNonzero().item()], [1, 1, 0.125, 2]);
});

test('autograd-ts: functions and methods with numbers as operands', async (t) => {
  const a = new Tensor([1, 2, 3]);
  const b = new Tensor([4, 5, 6]);
  t.equal(await add(mul(a, 2), sub(1, b)).tolist(), await a.mul(2).add(b.neg().add(1)).tolist());
  t.equal(await a.dot(b).item(), 32);
});

test('methods look like class methods', (t) => {
  const x = Tensor.ones([2, 3]);
  t.equal([x.mul.name, x.mul_.name, x.multiply.name, x.log_softmax.name], ['mul', 'mul_', 'mul', 'logSoftmax']);
  t.equal([x.relu.length, x.mul.length, x.reshape.length, x.unflatten.length], [0, 1, 0, 1]);
  t.equal(x.log_softmax === x.logSoftmax && x.multiply_ === x.mul_, true);
  t.equal(Object.keys(Tensor.prototype), []);
});

test('extra arguments are ignored', async (t) => {
  const all = [[1, -2], [3, -4]].map((data) => Tensor.fromData(data, [2]));
  t.equal(await Promise.all(all.map(torch.relu).map((x) => x.tolist())), [[1, 0], [3, 0]]);
  t.equal(await all.reduce(torch.mul).tolist(), [3, 8]);
  const neg = all[0]!.neg as (...given: unknown[]) => Tensor;
  t.equal(await neg.call(all[0], 5, {}).tolist(), [-1, 2]);
});

test('the stack of a rejected method starts at its call', (t) => {
  const x = Tensor.ones([2, 3]);
  for (const call of [() => x.mul(Tensor.ones([4])), () => x.reshape(5), () => x.mul_(Tensor.ones([4]))]) {
    const error = t.throws(call, 'ShapeError');
    const first = error.stack?.split('\n').find((line) => line.startsWith('    at '));
    if ('captureStackTrace' in Error) t.equal(/\.(mul|reshape) /.test(first ?? ''), true, error.stack);
  }
});
