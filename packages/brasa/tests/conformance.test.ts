/** What PyTorch has recorded, where the recordings are at hand: calls of ops with their gradients, and training. */
import * as torch from '../src/index.ts';
import { grad, nn, optim, scope, Tensor } from '../src/index.ts';
import { bytesOf, type Context, surroundings, test } from './harness.ts';

type DType = Tensor['dtype'];

const DTYPES: Readonly<Record<string, DType>> = { F32: 'f32', F64: 'f64', I64: 'i64', I32: 'i32', U8: 'u8', BOOL: 'bool' };

/** Tensors of a file, each made when it is asked for. */
class File {
  private readonly header: Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;
  private readonly data: Uint8Array;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    this.data = bytes.subarray(8 + length);
  }

  get(key: string): Tensor {
    const entry = this.header[key];
    if (!entry) throw new Error(`there is no tensor '${key}'`);
    return Tensor.fromBytes(this.data.slice(...entry.data_offsets), DTYPES[entry.dtype] as DType, entry.shape);
  }

  names(prefix: string): string[] {
    return Object.keys(this.header).filter((name) => name.startsWith(prefix));
  }
}

async function recordings(t: Context, folder: string, name: string): Promise<{ index: never; file: File }> {
  const shared = surroundings.brasaShared ?? t.skip('the recordings are not here');
  const at = `${shared}conformance/${folder}/`;
  const index = JSON.parse(new TextDecoder().decode(await bytesOf(`${at}${name}.json`))) as { tensors_file: string };
  return { index: index as never, file: new File(await bytesOf(at + index.tensors_file)) };
}

interface Ref {
  readonly key: string;
}

/** A tensor that a hash of its flat indices makes. */
interface Generated {
  readonly shape: readonly number[];
  readonly seed: number;
}

/** Some elements of a tensor, and the sum of the magnitudes of all. */
interface Sample {
  readonly shape: readonly number[];
  readonly flat_indices: readonly number[];
  readonly values: readonly number[];
  readonly sum_abs: number;
}

interface Argument {
  readonly name?: string;
  readonly tensor?: Ref;
  readonly generated?: Generated;
  readonly list?: readonly Argument[];
  readonly value?: unknown;
  readonly requires_grad?: boolean;
}

interface Case {
  readonly id: string;
  readonly op: string;
  readonly args: readonly Argument[];
  readonly outputs: readonly (Ref | Sample)[];
  readonly cotangents?: readonly (Ref | null)[];
  /** That of a case with generated inputs. */
  readonly cotangent?: { readonly generated: Generated } | null;
  readonly grads: Readonly<Record<string, Ref | Sample>>;
  readonly rtol: number;
  readonly atol: number;
}

/** The elements are between -1 and 1, exact in f32. */
function generate({ shape, seed }: Generated): Tensor {
  const data = new Float32Array(shape.reduce((len, axis) => len * axis, 1));
  const start = Math.imul(seed, 0x9e3779b9);
  for (let i = 0; i < data.length; i += 1) {
    let h = (i + start) | 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
    data[i] = ((h >>> 8) / 2 ** 24) * 2 - 1;
  }
  return Tensor.fromBytes(new Uint8Array(data.buffer), 'f32', [...shape]);
}

const camel = (name: string): string => name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return { inf: Infinity, '-inf': -Infinity, nan: NaN }[value] ?? value;
  return value;
}

/** Calls that have another form here than in PyTorch. */
const OTHERWISE: ReadonlySet<string> = new Set(['torch.Tensor.__getitem__', 'torch.Tensor.index_put', 'torch.meshgrid', 'torch.einsum']);
/** How many arguments are given by place, where it is not those that come first and are tensors. */
const BY_PLACE: Readonly<Record<string, number>> = {
  'torch.nn.functional.instance_norm': 1,
  'torch.nn.functional.layer_norm': 1,
  'torch.nn.functional.rms_norm': 1,
  'torch.nn.functional.group_norm': 1,
  'torch.nn.functional.batch_norm': 1,
  'torch.nn.functional.binary_cross_entropy_with_logits': 2,
  'torch.unflatten': 3,
  'torch.movedim': 3,
};

/** Functions whose name a method of another meaning has. */
const NAMES: Readonly<Record<string, string>> = { 'torch.nn.functional.unfold': 'im2col' };

type Op = (...args: unknown[]) => unknown;

/** The function of an op, or its method where the name is a word of the language. */
function opOf(name: string): Op | undefined {
  const method = (...[x, ...rest]: unknown[]): unknown => (x as Record<string, Op>)[name]!(...rest);
  return (torch as unknown as Record<string, Op | undefined>)[name] ?? (name in Tensor.prototype ? method : undefined);
}

async function run(one: Case, file: File): Promise<void> {
  const leaves = new Map<string, Tensor>();
  const made = (path: string, argument: Argument): unknown => {
    if (argument.list) return argument.list.map((item, n) => made(`${path}.${n}`, item));
    if (!argument.tensor && !argument.generated) return plain(argument.value);
    const x = argument.generated ? generate(argument.generated) : file.get((argument.tensor as Ref).key);
    if (path in one.grads) x.requiresGrad_();
    leaves.set(path, x);
    return x;
  };
  const values = one.args.map((argument, n) => [argument.name ?? String(n), made(argument.name ?? String(n), argument)] as const);
  // Tensors come first and by place, and so does a list in the second place; all else by name.
  const count = BY_PLACE[one.op] ?? values.findIndex(([, value], n) => !(value instanceof Tensor || (n < 2 && Array.isArray(value))));
  const places = count < 0 ? values : values.slice(0, count);
  const { returnIndices, ...options } = Object.fromEntries(values.slice(places.length).map(([key, value]) => [camel(key), value]));
  const name = NAMES[one.op] ?? camel(one.op.split('.').at(-1) as string) + (returnIndices === true ? 'WithIndices' : '');
  const f = opOf(name);
  if (!f) throw new Error(`there is no function '${name}'`);
  const found = await f(...places.map(([, value]) => value), ...(Object.keys(options).length > 0 ? [options] : []));
  const outputs = (Array.isArray(found) ? found : [found]) as Tensor[];
  const wanted = Object.entries(one.grads);
  const cotangents = one.cotangent ? [generate(one.cotangent.generated)] : (one.cotangents ?? []).map((ref) => ref && file.get(ref.key));
  const differentiable = cotangents.flatMap((dy, n) => (dy ? [[outputs[n] as Tensor, dy] as const] : []));
  const grads = wanted.length === 0 ? [] : grad(differentiable.map(([y]) => y), wanted.map(([path]) => leaves.get(path) as Tensor), { gradients: differentiable.map(([, dy]) => dy) });
  if (outputs.length !== one.outputs.length) throw new Error(`gave ${outputs.length} tensors, wanted ${one.outputs.length}`);
  await Promise.all([
    ...one.outputs.map((want, n) => compare(`output ${n}`, outputs[n] as Tensor, want, one, file)),
    ...wanted.map(([path, want], n) => compare(`gradient of ${path}`, grads[n] ?? null, want, one, file)),
  ]);
}

/** Holds a tensor, or zeros where there is none, to what it should be. */
async function compare(what: string, x: Tensor | null, want: Ref | Sample, one: Case, file: File): Promise<void> {
  const whole = 'key' in want ? file.get(want.key) : null;
  const shape = 'key' in want ? (whole as Tensor).shape : want.shape;
  if (x && String(x.shape) !== String(shape)) throw new Error(`${what} has shape [${x.shape}], wanted [${shape}]`);
  const got = x ? await x.toArray() : new Float32Array(shape.reduce((len, axis) => len * axis, 1));
  const check = (a: number, b: number, place: string): void => {
    const isSame = Object.is(a, b) || a === b || Math.abs(a - b) <= one.atol + one.rtol * Math.abs(b);
    if (!isSame) throw new Error(`${what}${place} is ${a}, wanted ${b}`);
  };
  if ('key' in want) {
    (await (whole as Tensor).toArray()).forEach((b: number, n: number) => check(got[n] as number, b, `[${n}]`));
    return;
  }
  want.flat_indices.forEach((at, n) => check(got[at] as number, want.values[n] as number, `[${at}]`));
  const sum = (got as Float32Array).reduce((sum, a) => sum + Math.abs(a), 0);
  check(sum, want.sum_abs, ', the sum of magnitudes,');
}

/** Runs cases one after the other; of shaders, which take long to compile, one of so many kinds. */
async function replay(t: Context, all: readonly Case[], file: File, every: number): Promise<void> {
  const isGpu = t.settings.device === 'webgpu';
  // The tolerance of WGSL.
  const loose = (one: Case): Case => ({ ...one, rtol: Math.max(one.rtol, 1e-3), atol: Math.max(one.atol, 1e-4) });
  const cases = isGpu ? all.filter((_, n) => n % every === 0).map(loose) : all;
  const problems: string[] = [];
  for (const one of cases) {
    await scope(() => run(one, file)).catch((error: Error) => problems.push(`${one.id} (${one.op}): ${error.message}`));
  }
  t.note(`${cases.length - problems.length} of ${cases.length} cases`);
  t.equal(problems.length, 0, problems.slice(0, 12).join('\n'));
}

test('ops give what PyTorch gives, with their gradients', async (t) => {
  const { index, file } = await recordings(t, 'torch_ops', 'index');
  const { cases, large } = index as { cases: Case[]; large: Case[] };
  await replay(t, [...cases, ...large].filter(({ op }) => !OTHERWISE.has(op)), file, 16);
});

test('ops give what PyTorch gives at sizes around the borders of vectors and blocks', async (t) => {
  const { index, file } = await recordings(t, 'torch_sizes', 'index');
  await replay(t, (index as { large: Case[] }).large, file, 16);
});

class Digits extends nn.Module<[Tensor], Tensor> {
  readonly fc1: nn.Linear;
  readonly fc2: nn.Linear;
  readonly fc3: nn.Linear;

  constructor(file: File) {
    super();
    const made = (name: string): nn.Linear => {
      const [out, from] = file.get(`init.${name}.weight`).shape as [number, number];
      return new nn.Linear(from, out);
    };
    [this.fc1, this.fc2, this.fc3] = [made('fc1'), made('fc2'), made('fc3')];
    this.loadStateDict(new Map(file.names('init.').map((name) => [name.slice('init.'.length), file.get(name)])));
  }

  override forward(x: Tensor): Tensor {
    return this.fc3.forward(this.fc2.forward(this.fc1.forward(x).relu()).relu());
  }
}

interface Trace {
  readonly steps: number;
  readonly runs: Readonly<Record<string, { optimizer: string; args: Record<string, never>; losses: number[]; tolerance: { loss_rtol: number } }>>;
}

test('training follows that of PyTorch, step by step', async (t) => {
  const { index, file } = await recordings(t, 'torch_traces', 'mlp');
  const { steps, runs } = index as Trace;
  const images = file.get('batches.x');
  const labels = file.get('batches.y');
  for (const [name, { optimizer: kind, args, losses, tolerance }] of Object.entries(runs)) {
    const model = new Digits(file);
    const options = Object.fromEntries(Object.entries(args).flatMap(([key, value]) => (value === false ? [] : [[camel(key), value]])));
    const Kind = optim[kind.split('.').at(-1) as 'Adam'];
    const optimizer = new Kind(model.parameters(), { ...options, decayAll: true });
    const found: Promise<number>[] = [];
    for (let n = 0; n < steps; n += 1) {
      const x = images.index(n).to('f32').div(255).reshape([-1, 784]);
      const loss = model.forward(x).crossEntropy(labels.index(n));
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      found.push(loss.item());
    }
    const slack = t.settings.device === 'webgpu' ? 10 : 1;
    t.close(await Promise.all(found), losses, slack * tolerance.loss_rtol, name);
  }
});
