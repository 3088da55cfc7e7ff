/** Tensors: ops, creation and reading, gradients, in-place updates. */
import { add, arange, AutoFunction, crossEntropy, full, type FunctionContext, grad, jvp, manualSeed, mul, noGrad, ones, optim, randn, scope, type ShapeError, sub, Tensor, tensor, trackTensors, type TypedArray, zeros } from '../src/index.ts';
import { test } from './harness.ts';

test('ops compute what PyTorch computes', async (t) => {
  const a = tensor([[1, 2], [3, 4]]);
  const b = tensor([10, 20]);
  t.equal(await a.matmul(a).add(b).tolist(), [[17, 30], [25, 42]]);
  t.equal(await a.sub(3).relu().toArray(), [0, 0, 0, 1]);
  t.equal(await a.sum().item(), 10);
  t.equal(await a.sum(1, { keepdim: true }).tolist(), [[3], [7]]);
  t.equal(await a.mean({ dim: 0, keepDim: true }).tolist(), [[2, 3]]);
  t.close(await a.softmax(1).toArray(), [0.268941, 0.731059, 0.268941, 0.731059]);
  t.equal(a.transpose().shape, [2, 2]);
  t.equal(await a.T.tolist(), [[1, 3], [2, 4]]);
  t.equal(await a.permute(1, 0).reshape([4]).tolist(), [1, 3, 2, 4]);
  t.equal(await a.slice([[0, 2], [1, 2]]).tolist(), [[2], [4]]);
});

test('either operand can be a number', async (t) => {
  const b = tensor([1, 2]);
  t.equal(await add(mul(b, 2), sub(1, b)).tolist(), [2, 3]);
  t.equal(await sub(1, b).tolist(), [0, -1]);
});

test('aliases of ops work', async (t) => {
  const x = tensor([[0.5, -1], [2, 3]]);
  t.equal(await x.log_softmax(1).tolist(), await x.logSoftmax(1).tolist());
  t.equal(await x.absolute().tolist(), await x.abs().tolist());
  t.equal(await x.view(4).tolist(), await x.reshape(4).tolist());
  t.equal(await x.mm(x).tolist(), await x.matmul(x).tolist());
  t.equal(await x.storage.mapReadAsync().then((b) => b.byteLength), 16);
});

test('tensors keep the dtype of their data', async (t) => {
  t.equal(tensor([1, 2]).dtype, 'f32');
  t.equal(tensor([true, false]).dtype, 'bool');
  t.equal(tensor(new Int32Array(3)).dtype, 'i32');
  t.equal(await tensor([1, 2, 3], 'i64').mul(2).toArray(), [2, 4, 6]);
  t.equal(await arange(3).toArray(), [0, 1, 2]);
  for (const dtype of ['f16', 'bf16', 'f64', 'u8', 'i8', 'u32'] as const) {
    t.equal(await tensor([0, 1, 2.5, 100], dtype).toArray().then((all) => Array.from(all)), dtype[0] === 'i' || dtype[0] === 'u' ? [0, 1, 2, 100] : [0, 1, 2.5, 100], dtype);
  }
  t.equal(full([2], 7).dtype, 'f32');
});

/** Typed arrays and their dtypes. */
const ARRAYS: [new (items: number[]) => TypedArray, string][] = [
  [Float32Array, 'f32'], [Float64Array, 'f64'], [Int8Array, 'i8'], [Uint8Array, 'u8'], [Uint8ClampedArray, 'u8'], [Int16Array, 'i32'],
  [Uint16Array, 'i32'], [Int32Array, 'i32'], [Uint32Array, 'u32'],
];

test('every typed array is accepted', async (t) => {
  for (const [Kind, dtype] of ARRAYS) {
    // Few elements go through the recorder, many directly to the engine.
    for (const len of [4, 20_000]) {
      const items = Array.from({ length: len }, (_, n) => n % 100);
      const { name } = Kind;
      const x = tensor(new Kind(items));
      t.equal([x.dtype, x.shape], [dtype, [len]], name);
      t.equal(Array.from(await x.toArray()), items, `${name} of ${len}`);
      t.equal(Array.from(await tensor(new Kind(items), 'f32').toArray()), items, `${name} as f32`);
      t.equal(Array.from(await tensor(new Kind(items), { transfer: true }).toArray()), items, `${name} transferred`);
    }
  }
  for (const wide of [BigInt64Array.of(1n, 2n ** 60n), BigUint64Array.of(1n, 2n ** 60n)]) {
    const x = tensor(wide);
    t.equal([x.dtype, Array.from(new BigInt64Array((await x.toBytes()).buffer))], ['i64', [1n, 2n ** 60n]]);
  }
  const { Float16Array } = globalThis as unknown as { Float16Array?: new (items: number[]) => TypedArray };
  if (Float16Array) t.equal([tensor(new Float16Array([1.5])).dtype, await tensor(new Float16Array([1.5])).item()], ['f16', 1.5]);
});

test('elements are read as the typed array of their dtype', async (t) => {
  const floats: Float32Array = await tensor([1, 2]).toArray();
  const ints: Int32Array = await tensor(Int32Array.of(1, 2)).toArray();
  const wide = await tensor(Int32Array.of(1, 2)).toFloat32Array();
  t.equal([floats instanceof Float32Array, ints instanceof Int32Array, wide instanceof Float32Array, Array.from(wide)], [true, true, true, [1, 2]]);
});

test('large data bypass the recorder', async (t) => {
  const data = Float32Array.from({ length: 100_000 }, (_, i) => i % 7);
  const x = tensor(data, { shape: [100, 1000] });
  t.equal(await x.add(1).toArray(), data.map((v) => v + 1));
  t.equal(data.length, 100_000);
});

test('gradients accumulate in leaves', async (t) => {
  const w = tensor([[1, 2], [3, 4]], { requiresGrad: true });
  const x = tensor([[1, 1], [2, 2]]);
  x.matmul(w).sum().backward();
  t.equal(await w.grad!.tolist(), [[3, 3], [3, 3]]);
  x.matmul(w).sum().backward();
  t.equal(await w.grad!.tolist(), [[6, 6], [6, 6]]);
  w.grad = null;
  t.equal(w.grad, null);
});

test('backward of several elements uses their sum, and retainGrad keeps gradients', async (t) => {
  const a = tensor({ data: [1, 2, 3], requiresGrad: true });
  const b = a.mul(a);
  b.retainGrad();
  b.mul(2).backward();
  t.equal(await a.grad!.tolist(), [4, 8, 12]);
  t.equal(await b.grad!.tolist(), [2, 2, 2]);
});

test('gradients can be differentiated', async (t) => {
  const x = tensor([2], { requiresGrad: true });
  const [first] = grad(x.pow(3), x, { createGraph: true });
  const [second] = grad(first!, x);
  t.equal([await first!.item(), await second!.item()], [12, 12]);
});

test('a hand-written training loop fits a line', async (t) => {
  const x = tensor([[1], [2], [3], [4]]);
  const y = tensor([[3], [5], [7], [9]]);
  const w = zeros([1, 1], true);
  const b = zeros([1], true);
  for (let epoch = 0; epoch < 300; epoch += 1) {
    const error = x.matmul(w).add(b).sub(y);
    error.mul(error).mean().backward();
    await noGrad(async () => {
      w.sub_(w.grad!.mul(0.05));
      b.sub_(b.grad!.mul(0.05));
    });
    w.grad = null;
    b.grad = null;
  }
  t.close(await w.item(), 2, 0.1);
  t.close(await b.item(), 1, 0.2);
});

test('an optimizer takes steps without waiting', async (t) => {
  manualSeed(0);
  const w = randn([4], true);
  const optimizer = new optim.Adam([w], { lr: 0.1 });
  for (let step = 0; step < 100; step += 1) {
    const loss = w.sub(3).square().sum();
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
  }
  t.close(await w.toArray(), [3, 3, 3, 3], 0.05);
  t.equal(optimizer.steps, 100);
});

test('an in-place update of a leaf outside of noGrad is an error', (t) => {
  const w = ones([2], true);
  t.throws(() => w.sub_(1), 'ArgumentError', /copy_/);
});

test('views see updates', async (t) => {
  const x = tensor([[1, 2], [3, 4]]);
  const row = x.index(1);
  row.mul_(10);
  x.set([0, 1], 9);
  t.equal(await x.tolist(), [[1, 9], [30, 40]]);
  t.equal(await x.index('...', -1).tolist(), [9, 40]);
  t.equal(await x.index('0:1, 0').tolist(), [1]);
});

test('set accepts masks', async (t) => {
  const x = tensor([[1, -2], [-3, 4]]);
  x.set(x.lt(0), 0);
  t.equal(await x.tolist(), [[1, 0], [0, 4]]);
  x.set(tensor([false, true]), tensor([5, 6]));
  t.equal(await x.tolist(), [[1, 0], [5, 6]]);
});

test('mistakes throw at the line of the call', (t) => {
  const a = zeros([2, 3]);
  const error = t.throws(() => a.matmul(a), 'ShapeError', /matmul: /) as ShapeError;
  t.equal([error.op, error.operands.length], ['matmul', 2]);
  t.throws(() => tensor([[1, 2], [3]]), 'ShapeError', /level 1/);
  t.throws(() => a.softmax({ dim: 1, nonsense: 2 } as never), 'ArgumentError', /nonsense/);
  t.throws(() => zeros([2], 'i64').requiresGrad_(), 'DTypeError');
});

test('bad data reject the read', async (t) => {
  const table = zeros([3, 2]);
  const rows = table.indexSelect(0, tensor([7], 'i64'));
  await t.rejects(rows.toArray(), 'DataError', /index/);
  t.equal(await ones([2]).tolist(), [1, 1]);
});

test('a seed reproduces random numbers', async (t) => {
  manualSeed(7);
  const first = await randn([5]).toArray();
  manualSeed(7);
  t.equal(await randn([5]).toArray(), first);
});

test('scopes free tensors they do not return', async (t) => {
  let inner: Tensor | undefined;
  const kept = scope(() => {
    inner = ones([2]).mul(2);
    return inner.add(1);
  });
  t.equal(inner!.isDisposed, true);
  t.throws(() => inner!.add(1), 'StaleTensorError', /disposed/);
  t.equal(await kept.tolist(), [3, 3]);
  const w = ones([1], true);
  await trackTensors(async () => {
    w.mul(3).backward();
    await w.grad!.item();
  });
  t.equal(await w.grad!.item(), 3);
});

test('tensors print as in PyTorch', async (t) => {
  t.equal(await tensor([[1, 2], [3, 4.5]]).text(), 'tensor([[1.0000, 2.0000],\n        [3.0000, 4.5000]])');
  t.equal(zeros([2, 3]).toString(), 'Tensor(f32[2, 3])');
});

test('ops that depend on data are async', async (t) => {
  const x = tensor([1, -2, 3], { requiresGrad: true });
  const positive = await x.maskedSelect(x.gt(0));
  t.equal(await positive.tolist(), [1, 3]);
  positive.sum().backward();
  t.equal(await x.grad!.tolist(), [1, 0, 1]);
  t.equal(await (await tensor([3, 1, 3], 'i64').bincount({ minlength: 5 })).tolist(), [0, 1, 0, 2, 0]);
  const [values, counts] = (await tensor([2, 1, 2], 'i64').unique({ returnCounts: true })) as Tensor[];
  t.equal([await values?.tolist(), await counts?.tolist()], [[1, 2], [1, 2]]);
  t.equal((await tensor([[0, 1], [2, 0]]).nonzero() as Tensor).shape, [2, 2]);
  await t.rejects(tensor([-1], 'i64').bincount(), 'DataError', /no negative numbers, got -1/);
  // Errors of the call itself throw at once.
  await t.rejects(x.maskedSelect(tensor([1, 0, 1])), 'DTypeError', /the mask must be of bools/);
});

test('losses have gradients', async (t) => {
  const logits = tensor([[1, 2, 3], [1, 2, 3]], { requiresGrad: true });
  const loss = crossEntropy(logits, tensor([2, 0], 'i64'));
  loss.backward();
  t.close(await loss.item(), 1.4076059);
  t.close(await logits.grad!.toArray(), [0.045015, 0.122364, -0.167379, -0.454985, 0.122364, 0.33262], 1e-4);
});

test('a function can have a custom gradient', async (t) => {
  class Scaled extends AutoFunction {
    static forward(ctx: FunctionContext, x: Tensor, w: Tensor): Tensor {
      ctx.saveForBackward(x, w);
      return x.mul(w).sign();
    }
    static backward(ctx: FunctionContext, dy: Tensor): [Tensor, null] {
      const [, w] = ctx.savedTensors as [Tensor, Tensor];
      return [dy.mul(w), null];
    }
  }
  const x = tensor([-3, 0.5], { requiresGrad: true });
  const w = tensor([2, 7], { requiresGrad: true });
  const y = Scaled.apply(x, w);
  t.equal(await y.tolist(), [-1, 1]);
  y.mul(5).sum().backward();
  t.equal(await x.grad!.tolist(), [10, 35]);
  t.equal(w.grad, null);
});

test('jvp computes Jacobian-vector products', async (t) => {
  const [x, y] = [tensor([1, 2, 3]), tensor([4, 5, 6])];
  const { value, tangent } = jvp((a, b) => a.mul(b).add(a.square()), [x, y], [tensor([1, 0, 2]), tensor([0, 1, 1])]);
  t.close(await value.toArray(), [5, 14, 27]);
  // (y + 2 x) · dx + x · dy
  t.close(await tangent.toArray(), [6, 2, 27]);
  const flat = jvp((a) => a.sign(), [x], [y]);
  t.equal(await flat.tangent.tolist(), [0, 0, 0]);
  t.throws(() => jvp((a) => a, [x], []), 'ArgumentError', /0 tangents for 1 inputs/);
});

test('an in-place op does not truncate fractions', async (t) => {
  const x = tensor([1, 2, 3], 'i64');
  for (const change of [() => x.mul_(0.5), () => x.add_(1.7), () => x.div_(2), () => x.uniform_(), () => x.normal_(), () => x.sqrt_(), () => x.add_(tensor([0.5]))]) {
    t.throws(change, 'DTypeError', /a tensor of i64 cannot hold/);
  }
  t.throws(() => tensor([true, false]).add_(1), 'DTypeError', /a tensor of bool cannot hold/);
  t.equal(await x.tolist(), [1, 2, 3]);
  t.equal(await x.mul_(2).add_(1).clamp_(0, 5).tolist(), [3, 5, 5]);
  t.equal(await tensor([1, 2]).add_(tensor([1, 1], 'i64')).tolist(), [2, 3]);
  t.equal(await tensor([1, 2], 'f16').mul_(tensor([0.5])).tolist(), [0.5, 1]);
  t.equal(await x.copy_(tensor([0.5, 1.5, 2.5])).tolist(), [0, 1, 2]);
});

test('bytes are copied unless they are transferred', async (t) => {
  const bytes = new Uint8Array(Float32Array.of(1, 2).buffer);
  // `slice` of Node's `Buffer` shares memory.
  const { Buffer } = globalThis as { Buffer?: { from(bytes: Uint8Array): Uint8Array } };
  for (const own of [bytes, ...(Buffer ? [Buffer.from(bytes)] : [])]) {
    const x = Tensor.fromBytes(own, 'f32', [2]);
    own.fill(0);
    t.equal(await x.tolist(), [1, 2]);
  }
  // Larger arrays are sent directly to the engine, later.
  const plain = new Uint8Array(Float32Array.from({ length: 8192 }, () => 1).buffer);
  const large = Buffer ? Buffer.from(plain) : plain;
  const y = Tensor.fromBytes(large, 'f32', [8192]);
  large.fill(0);
  t.equal([await y.sum().item(), large.length], [8192, 4 * 8192]);
});

test('bools made from any byte are 0 or 1', async (t) => {
  for (const length of [3, 20_000]) {
    const mask = Tensor.fromBytes(Uint8Array.from({ length }, (_, i) => (i % 3) * 100), 'bool', [length]);
    t.equal(Array.from((await mask.logicalNot().toArray()).slice(0, 3), Number), [1, 0, 0]);
    t.equal(await mask.sum().item(), length - Math.ceil(length / 3));
  }
});

test('a list in an index is a range', async (t) => {
  const x = arange(6);
  t.equal(await x.index([1, null]).tolist(), [1, 2, 3, 4, 5]);
  t.equal(await x.index([null, 4, 2]).tolist(), [0, 2]);
  t.equal(await x.index([null, -1]).tolist(), [0, 1, 2, 3, 4]);
  for (const wrong of [[0, 2, 1, 5], [], [0.5, 2], [true, false], ['1', 2], [0, NaN]]) {
    t.throws(() => x.index(wrong as never), 'ArgumentError', /index/);
    t.throws(() => x.set([wrong as never], 1), 'ArgumentError', /index/);
  }
});

test('lengths in shapes are non-negative integers', (t) => {
  for (const len of [8192, 4]) {
    const x = new Float32Array(len);
    for (const shape of [[-len, -1], [len / 0.5, 0.5], [0.5 * len, 2, -1, -1]]) {
      t.throws(() => tensor(x, { shape }), 'ArgumentError', /shape/);
      t.throws(() => Tensor.fromBytes(new Uint8Array(x.buffer), 'f32', shape), 'ArgumentError', /shape/);
      t.throws(() => Tensor.fromData(x, shape), 'ArgumentError', /shape/);
    }
  }
});
