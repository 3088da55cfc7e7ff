/** Opens sessions on the Brasa engine. Runs in the model worker. */
import type * as Brasa from 'brasa';
import type { nn, optim, Status, Tensor } from 'brasa';
import { atLine, loadModule, type ModelModule } from './module.ts';
import { ModuleError, type Input, type Output, type Session } from './session.ts';
import type { DeviceName, Settings } from './settings.ts';

interface Engine {
  readonly device: DeviceName;
  readonly status: Status;
  /** Why it runs on a device other than the requested one. */
  readonly notice?: string;
}

let engine: Engine | undefined;
/** The engine module, and its URL, from which the model's module imports it too. */
let brasa: typeof Brasa;
let address: string;

export async function loadEngine(url: string): Promise<void> {
  address = url;
  brasa = await (import(/* @vite-ignore */ url) as Promise<typeof Brasa>).catch((error: unknown) => {
    throw new Error(`Failed to load the engine: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** All hardware threads; with four or more, one is left for the page's rendering. */
function threadCount(): number {
  const all = navigator.hardwareConcurrency;
  return Math.min(16, all < 4 ? all : all - 1);
}

/** Starts the engine unless it already runs on that device. Falls back to the CPU if WebGPU is unavailable. */
async function startEngine(device: DeviceName): Promise<Engine> {
  if (engine?.device === device) return engine;
  if (engine) brasa.terminate();
  engine = undefined;
  try {
    const threads = device === 'cpu-single' ? 1 : threadCount();
    const status = await brasa.init(device === 'webgpu' ? { device } : { device: 'cpu', threads });
    engine = { device, status };
    return engine;
  } catch (error) {
    if (device !== 'webgpu') throw error;
    const reason = (error instanceof Error ? error.message : String(error)).split(/[\n;]/, 1)[0];
    return { ...(await startEngine('cpu')), notice: `${reason}. Using the CPU instead.` };
  }
}

function describe({ device, threads, adapter }: Status): string {
  if (device === 'webgpu') {
    // Browsers may hide the adapter name.
    const name = adapter?.replace(/\s*\(\w+\)$/, '');
    return name ? `WebGPU: ${name}` : 'WebGPU';
  }
  return threads === 1 ? 'one CPU thread' : `${threads} CPU threads`;
}

function createOptimizer(settings: Settings, params: nn.Parameter[]): optim.Optimizer {
  const { lr, momentum, weightDecay } = settings;
  const betas = [settings.beta1, settings.beta2] as const;
  switch (settings.optimizer) {
    case 'adam':
      return new brasa.optim.Adam(params, { lr, betas });
    case 'adamw':
      return new brasa.optim.AdamW(params, { lr, betas, weightDecay });
    case 'sgd':
      return new brasa.optim.SGD(params, { lr, momentum });
    default:
      return settings.optimizer satisfies never;
  }
}

/** Tensor elements by parameter path. */
type Arrays = Readonly<Record<string, ArrayLike<number>>>;

const toTensor = ({ data, shape }: Input): Tensor => brasa.tensor(data, { shape });
const NAMES = ['x', 'y', 'z'];
const byName = <T>(values: readonly T[]): Record<string, T> => Object.fromEntries(values.map((value, n) => [NAMES[n] ?? `x${n}`, value]));

async function download(x: Tensor): Promise<Output> {
  const data = Float32Array.from((await x.toArray()) as ArrayLike<number>);
  return { data, shape: x.shape };
}

/** Adds the line in the module to errors. */
async function withLines<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    throw atLine(error);
  }
}

/** Calls `body` with the inputs as tensors, which live until it ends. */
async function withInputs<T>(batch: readonly Input[], body: (inputs: Tensor[]) => Promise<T>): Promise<T> {
  const inputs = batch.map(toTensor);
  try {
    return await withLines(() => body(inputs));
  } finally {
    for (const x of inputs) x.dispose();
  }
}

/** Sums the time of queries. The engine works sequentially: one costs the time since the later of its start and the previous answer. */
class QueryClock {
  ms = 0;
  #lastAnswer = 0;

  /** An answer to something else than a query has arrived. */
  answered(): void {
    this.#lastAnswer = performance.now();
  }

  readonly query = async <T>(body: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return await body();
    } finally {
      const now = performance.now();
      this.ms += now - Math.max(start, this.#lastAnswer);
      this.#lastAnswer = now;
    }
  };
}

/** A model and what trains it. */
interface Training {
  readonly model: nn.Module;
  readonly optimizer: optim.Optimizer;
  readonly loss: ModelModule['loss'];
  readonly seed: number;
}

const compileStep = ({ model, optimizer, loss, seed }: Training, batch: readonly Input[]) =>
  brasa.compile({
    model,
    optimizer,
    seed,
    inputs: byName(batch.map(({ data, shape }) => ({ shape: shape.map(() => null), dtype: data instanceof Int32Array ? 'i32' as const : 'f32' as const }))),
    loss: (inputs) => loss(...Object.values(inputs)),
  });

type Step = ReturnType<typeof compileStep>;

/** Takes one step per batch. Returns the loss before each. */
async function takeSteps(step: Step, batches: readonly (readonly Input[])[], clock: QueryClock): Promise<readonly number[]> {
  const inputs = batches.map((batch) => batch.map(toTensor));
  try {
    const results = await step.stepAll(inputs.map(byName));
    clock.answered();
    return results.map((result) => {
      if (result.status === 'completed') return result.loss;
      throw result.status === 'failed' ? result.error : new Error('the step was aborted');
    });
  } finally {
    for (const x of inputs.flat()) x.dispose();
  }
}

/** Microseconds of each kernel of a step, which leaves no trace in the model. */
async function profileStep(step: Step, inputs: Record<string, Tensor>, { model, optimizer }: Training): Promise<readonly number[]> {
  // Profiling executes a training step: restore the state afterwards.
  const before = await brasa.checkpoint({ model, optimizer });
  try {
    return Array.from(await step.profile(inputs), (time) => time * 1000);
  } finally {
    brasa.restore(before, { model, optimizer });
  }
}

/** The functions that the module exports, compiled on their first call. */
function compileForwards(functions: ModelModule['functions']) {
  const results = new Map([...functions].map(([name, f]) => [name, brasa.compile((...inputs: Tensor[]) => f(...inputs))]));
  const captures = new Map(
    [...functions].map(([name, f]) => [name, brasa.compile((...inputs: Tensor[]) => brasa.tracing.withParts((path, x) => brasa.capture(path, x), () => f(...inputs)))]),
  );
  const find = <T>(all: ReadonlyMap<string, T>, name: string): T => {
    const found = all.get(name);
    if (!found) throw new ModuleError(`the module must export a function \`${name}\``);
    return found;
  };
  return {
    call: (name: string, inputs: Tensor[]): Promise<Output> => {
      const result = find(results, name).run(...inputs);
      return download(result).finally(() => result.dispose());
    },
    activations: async (name: string, inputs: Tensor[]): Promise<ReadonlyMap<string, Output>> => {
      const { result, captures: found } = find(captures, name).runWithCaptures(...inputs);
      const downloads = found.names.map(async (path) => [path, await download(found.get(path))] as const);
      const all = new Map(await Promise.all(downloads));
      found.dispose();
      result.dispose();
      return all;
    },
    destroy: (): void => {
      for (const forward of [...results.values(), ...captures.values()]) forward.destroy();
    },
  };
}

export async function openSession(settings: Settings, source: string): Promise<Session> {
  const { status, device, notice } = await startEngine(settings.device);
  brasa.manualSeed(settings.seed);
  const { model, loss, functions } = await loadModule(source, address);
  const parameters = model.namedParameters();
  if (parameters.length === 0) throw new ModuleError('the model has no parameters');
  brasa.tracing.watchParts(model);
  const optimizer = createOptimizer(settings, parameters.map(([, parameter]) => parameter));
  const training: Training = { model, optimizer, loss, seed: settings.seed };
  let compiled: Step | undefined;
  const step = (batch: readonly Input[]): Step => (compiled ??= compileStep(training, batch));
  const clock = new QueryClock();
  const { query } = clock;
  const forwards = compileForwards(functions);
  const shapes = new Map(parameters.map(([name, { shape }]) => [name, shape]));
  const outputs = (all: Arrays): ReadonlyMap<string, Output> =>
    new Map(Object.entries(all).map(([name, data]) => [name, { data: Float32Array.from(data), shape: shapes.get(name) ?? [data.length] }]));

  return {
    device: describe(status),
    deviceName: device,
    notice,
    parameters: parameters.map(([name, { shape }]) => ({ name, shape })),
    kinds: new Map(Array.from(model.namedModules(), ([path, part]) => [path, part.constructor.name])),
    functions: new Set(functions.keys()),
    steps: (batches) => withLines(async () => takeSteps(step(batches[0] ?? []), batches, clock)),
    get queryMs() {
      return clock.ms;
    },
    gradients: (batch) => query(() => withInputs(batch, async (inputs) => outputs(await step(batch).downloadParamGrads(byName(inputs)) as Arrays))),
    weights: () => query(async () => outputs(await downloadWeights(model))),
    checkpoint: () => query(() => brasa.checkpoint({ model, optimizer })),
    restore: async (state) => void brasa.restore(state, { model, optimizer }),
    call: (name, inputs) => query(() => withInputs(inputs, async (own) => forwards.call(name, own))),
    activations: (name, inputs) => query(() => withInputs(inputs, (own) => forwards.activations(name, own))),
    explain: (batch) => withInputs(batch, (inputs) => step(batch).explain(byName(inputs))),
    probe: (batch, node) =>
      query(() => withInputs(batch, async (inputs) => {
        const value = step(batch).probe(byName(inputs), node);
        return download(value).finally(() => value.dispose());
      })),
    profile: (batch) => withInputs(batch, (inputs) => profileStep(step(batch), byName(inputs), training)),
    memory: () => query(async () => (await brasa.memory()).bytes),
    setLR: async (lr) => optimizer.setLR(lr),
    close: async () => {
      compiled?.destroy();
      forwards.destroy();
      for (const [, parameter] of parameters) parameter.dispose();
    },
  };
}

async function downloadWeights(model: nn.Module): Promise<Arrays> {
  const read = model.namedParameters().map(async ([name, x]) => [name, (await x.toArray()) as ArrayLike<number>] as const);
  return Object.fromEntries(await Promise.all(read));
}
