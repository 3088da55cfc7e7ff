/** Sessions on the engine of the page. */
import { capture, compile, init, manualSeed, memory, optim, tensor, terminate, trace, type nn, type Status, type Tensor } from 'brasa';
import { atLine, loadModule } from './module.ts';
import { ModuleError, type Input, type Output, type Session } from './session.ts';
import type { DeviceName, Settings } from './settings.ts';

interface Engine {
  readonly device: DeviceName;
  readonly status: Status;
  /** Why it runs on another device than was asked for. */
  readonly notice?: string;
}

let engine: Engine | undefined;

/** Starts the engine, unless it runs on that device already. The CPU stands in where there is no WebGPU. */
async function started(device: DeviceName): Promise<Engine> {
  if (engine?.device === device) return engine;
  if (engine) terminate();
  engine = undefined;
  try {
    const status = await init(device === 'cpu-single' ? { device: 'cpu', threads: 1 } : { device });
    engine = { device, status };
    return engine;
  } catch (error) {
    if (device !== 'webgpu') throw error;
    const reason = (error instanceof Error ? error.message : String(error)).split(/[\n;]/, 1)[0];
    return { ...(await started('cpu')), notice: `${reason}. The CPU computes instead.` };
  }
}

function described({ device, threads, adapter }: Status): string {
  if (device === 'webgpu') {
    // Browsers may keep the name to themselves; then only the way to it is told.
    const name = adapter?.replace(/\s*\(\w+\)$/, '');
    return name ? `WebGPU: ${name}` : 'WebGPU';
  }
  return threads === 1 ? 'one CPU thread' : `${threads} CPU threads`;
}

function optimizerOf(settings: Settings, params: nn.Parameter[]): optim.Optimizer {
  const { lr, momentum, weightDecay } = settings;
  switch (settings.optimizer) {
    case 'adam':
      return new optim.Adam(params, { lr });
    case 'adamw':
      return new optim.AdamW(params, { lr, weightDecay });
    case 'sgd':
      return new optim.SGD(params, { lr, momentum });
    default:
      return settings.optimizer satisfies never;
  }
}

/** Elements by path. */
type Arrays = Readonly<Record<string, ArrayLike<number>>>;

const entered = ({ data, shape }: Input): Tensor => tensor(data, { shape });
const NAMES = ['x', 'y', 'z'];
const named = <T>(values: readonly T[]): Record<string, T> => Object.fromEntries(values.map((value, n) => [NAMES[n] ?? `x${n}`, value]));

async function output(x: Tensor): Promise<Output> {
  const data = Float32Array.from((await x.toArray()) as ArrayLike<number>);
  return { data, shape: x.shape };
}

/** Mistakes of the module's get their line; those of the engine's stay what they are. */
async function located<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw atLine(error);
  }
}

export async function openSession(settings: Settings, source: string): Promise<Session> {
  const { status, device, notice } = await started(settings.device);
  manualSeed(settings.seed);
  const { model, loss, functions } = await loadModule(source);
  const parameters = model.namedParameters();
  if (parameters.length === 0) throw new ModuleError('the model has no parameters');
  trace.watchParts(model);
  const optimizer = optimizerOf(settings, parameters.map(([, parameter]) => parameter));
  type Step = ReturnType<typeof compileStep>;
  let compiled: Step | undefined;
  const compileStep = (batch: readonly Input[]) =>
    compile({
      model,
      optimizer,
      seed: settings.seed,
      inputs: named(batch.map(({ data, shape }) => ({ shape: shape.map(() => null), dtype: data instanceof Int32Array ? 'i32' as const : 'f32' as const }))),
      loss: (inputs) => loss(...Object.values(inputs)),
    });
  const step = (batch: readonly Input[]): Step => (compiled ??= compileStep(batch));
  const withInputs = async <T>(batch: readonly Input[], body: (inputs: Tensor[]) => Promise<T>): Promise<T> => {
    const inputs = batch.map(entered);
    try {
      return await located(() => body(inputs));
    } finally {
      for (const x of inputs) x.dispose();
    }
  };

  const forwards = new Map([...functions].map(([name, f]) => [name, compile((...inputs: Tensor[]) => f(...inputs))]));
  const looks = new Map(
    [...functions].map(([name, f]) => [name, compile((...inputs: Tensor[]) => trace.withParts((path, x) => capture(path, x), () => f(...inputs)))]),
  );
  const outputs = (all: Arrays): ReadonlyMap<string, Output> => {
    const shapes = new Map(parameters.map(([name, { shape }]) => [name, shape]));
    return new Map(Object.entries(all).map(([name, data]) => [name, { data: Float32Array.from(data), shape: shapes.get(name) ?? [data.length] }]));
  };
  const find = <T>(all: ReadonlyMap<string, T>, name: string): T => {
    const found = all.get(name);
    if (!found) throw new ModuleError(`the module has to export a function \`${name}\``);
    return found;
  };

  return {
    device: described(status),
    deviceName: device,
    notice,
    parameters: parameters.map(([name, { shape }]) => ({ name, shape })),
    kinds: new Map(Array.from(model.namedModules(), ([path, part]) => [path, part.constructor.name])),
    functions: new Set(functions.keys()),
    step: (batch) =>
      withInputs(batch, async (inputs) => {
        const result = await step(batch).step(named(inputs));
        if (result.status === 'completed') return result.loss;
        throw result.status === 'failed' ? result.error : new Error('the step was aborted');
      }),
    gradients: (batch) => withInputs(batch, async (inputs) => outputs(await step(batch).downloadParamGrads(named(inputs)) as Arrays)),
    weights: async () => outputs(await downloaded(model)),
    setWeights: (weights) => model.loadStateDict(Object.fromEntries(Array.from(weights, ([name, { data }]) => [name, data])), { partial: true }),
    call: (name, inputs) =>
      withInputs(inputs, async (own) => {
        const result = find(forwards, name).run(...own);
        return output(result).finally(() => result.dispose());
      }),
    activations: (name, inputs) =>
      withInputs(inputs, async (own) => {
        const { result, captures } = find(looks, name).runWithCaptures(...own);
        const found = captures.names.map(async (path) => [path, await output(captures.get(path))] as const);
        const all = new Map(await Promise.all(found));
        captures.dispose();
        result.dispose();
        return all;
      }),
    explain: (batch) => withInputs(batch, (inputs) => step(batch).explain(named(inputs))),
    profile: (batch) =>
      withInputs(batch, async (inputs) => {
        // A timed step is a step: what it changes is put back.
        const { steps, tensors } = optimizer.stateDict();
        const [weights, moments] = [await copied(model.stateDict()), await copied(tensors)];
        const times = await step(batch).profile(named(inputs));
        model.loadStateDict(weights);
        optimizer.loadStateDict({ steps, tensors: moments });
        for (const x of [...weights.values(), ...moments.values()]) x.dispose();
        return Array.from(times, (time) => time * 1000);
      }),
    memory: async () => (await memory()).bytes,
    setLR: (lr) => optimizer.setLR(lr),
    close: async () => {
      compiled?.destroy();
      for (const forward of [...forwards.values(), ...looks.values()]) forward.destroy();
      for (const [, parameter] of parameters) parameter.dispose();
    },
  };
}

async function copied(all: Iterable<readonly [string, Tensor]>): Promise<Map<string, Tensor>> {
  const copies = Array.from(all, async ([name, x]) => [name, tensor(await x.toArray(), { shape: x.shape, dtype: x.dtype })] as const);
  return new Map(await Promise.all(copies));
}

async function downloaded(model: nn.Module): Promise<Arrays> {
  const read = model.namedParameters().map(async ([name, x]) => [name, (await x.toArray()) as ArrayLike<number>] as const);
  return Object.fromEntries(await Promise.all(read));
}
