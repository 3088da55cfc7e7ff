/** Sessions on the engine, in the worker of the model. */
import type * as Brasa from 'brasa';
import type { nn, optim, Status, Tensor } from 'brasa';
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
/** The engine's module, and its address, from which the models import it too. */
let brasa: typeof Brasa;
let address: string;

export async function loadEngine(url: string): Promise<void> {
  address = url;
  brasa = await (import(/* @vite-ignore */ url) as Promise<typeof Brasa>).catch((error: unknown) => {
    throw new Error(`The engine cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** From four threads on, one is left to the page, which draws meanwhile. */
function threadCount(): number {
  const all = navigator.hardwareConcurrency;
  return Math.min(16, all < 4 ? all : all - 1);
}

/** Starts the engine, unless it runs on that device already. The CPU stands in where there is no WebGPU. */
async function started(device: DeviceName): Promise<Engine> {
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

/** Elements by path. */
type Arrays = Readonly<Record<string, ArrayLike<number>>>;

const entered = ({ data, shape }: Input): Tensor => brasa.tensor(data, { shape });
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
  brasa.manualSeed(settings.seed);
  const { model, loss, functions } = await loadModule(source, address);
  const parameters = model.namedParameters();
  if (parameters.length === 0) throw new ModuleError('the model has no parameters');
  brasa.tracing.watchParts(model);
  const optimizer = optimizerOf(settings, parameters.map(([, parameter]) => parameter));
  type Step = ReturnType<typeof compileStep>;
  let compiled: Step | undefined;
  const compileStep = (batch: readonly Input[]) =>
    brasa.compile({
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

  // The engine does one thing after the other: what it spends on a question is the time since it has last answered.
  let [answered, spent] = [0, 0];
  const asked = async <T>(question: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return await question();
    } finally {
      const now = performance.now();
      spent += now - Math.max(start, answered);
      answered = now;
    }
  };

  const forwards = new Map([...functions].map(([name, f]) => [name, brasa.compile((...inputs: Tensor[]) => f(...inputs))]));
  const looks = new Map(
    [...functions].map(([name, f]) => [name, brasa.compile((...inputs: Tensor[]) => brasa.tracing.withParts((path, x) => brasa.capture(path, x), () => f(...inputs)))]),
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
    steps: (batches) =>
      located(async () => {
        const inputs = batches.map((batch) => batch.map(entered));
        try {
          const results = await step(batches[0] ?? []).stepAll(inputs.map(named));
          answered = performance.now();
          return results.map((result) => {
            if (result.status === 'completed') return result.loss;
            throw result.status === 'failed' ? result.error : new Error('the step was aborted');
          });
        } finally {
          for (const x of inputs.flat()) x.dispose();
        }
      }),
    get spent() {
      return spent;
    },
    gradients: (batch) => asked(() => withInputs(batch, async (inputs) => outputs(await step(batch).downloadParamGrads(named(inputs)) as Arrays))),
    weights: () => asked(async () => outputs(await downloaded(model))),
    keep: () => asked(() => brasa.checkpoint({ model, optimizer })),
    restore: async (kept) => void brasa.restore(kept, { model, optimizer }),
    call: (name, inputs) =>
      asked(() => withInputs(inputs, async (own) => {
        const result = find(forwards, name).run(...own);
        return output(result).finally(() => result.dispose());
      })),
    activations: (name, inputs) =>
      asked(() => withInputs(inputs, async (own) => {
        const { result, captures } = find(looks, name).runWithCaptures(...own);
        const found = captures.names.map(async (path) => [path, await output(captures.get(path))] as const);
        const all = new Map(await Promise.all(found));
        captures.dispose();
        result.dispose();
        return all;
      })),
    explain: (batch) => withInputs(batch, (inputs) => step(batch).explain(named(inputs))),
    probe: (batch, node) =>
      asked(() => withInputs(batch, async (inputs) => {
        const value = step(batch).probe(named(inputs), node);
        return output(value).finally(() => value.dispose());
      })),
    profile: (batch) =>
      withInputs(batch, async (inputs) => {
        // A timed step is a step: what it changes is put back.
        const before = await brasa.checkpoint({ model, optimizer });
        try {
          return Array.from(await step(batch).profile(named(inputs)), (time) => time * 1000);
        } finally {
          brasa.restore(before, { model, optimizer });
        }
      }),
    memory: () => asked(async () => (await brasa.memory()).bytes),
    setLR: async (lr) => optimizer.setLR(lr),
    close: async () => {
      compiled?.destroy();
      for (const forward of [...forwards.values(), ...looks.values()]) forward.destroy();
      for (const [, parameter] of parameters) parameter.dispose();
    },
  };
}

async function downloaded(model: nn.Module): Promise<Arrays> {
  const read = model.namedParameters().map(async ([name, x]) => [name, (await x.toArray()) as ArrayLike<number>] as const);
  return Object.fromEntries(await Promise.all(read));
}
