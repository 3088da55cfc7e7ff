/**
 * The engine on WebGPU, which outlives its device. All that the device holds is saved from time to time, and what is
 * done in between is noted: when the device is lost, another comes to the same state, or the processor where there
 * is no other.
 */
import type * as checked from '../dist/wasm/engine-checked.js';
import type * as webgpu from '../dist/wasm/engine-webgpu.js';
import type { Engine, WireAnswer } from './engine.ts';
import type { Answer, Results, Told, Upload } from './protocol.ts';

/** Milliseconds between two savings, and how much longer than one takes: a twentieth of the time goes there. */
const SAVING_MS = 2000;
const SAVING_SHARE = 20;
/**
 * What is noted between two savings takes at most so many bytes, and one message: as many times what is saved, so that
 * small models, whose steps are many, keep little and large ones are not saved with each batch.
 */
const NOTED_TIMES = 4;
const NOTED_BYTES = { least: 1e6, most: 32e6 };
/** A new adapter may be a while in coming, since the browser has to start a process for it. */
const OPENING_TRIES = 6;
const OPENING_MS = 200;
/** How often one message is tried on new devices: it may be what kills them. */
const MESSAGE_TRIES = 3;
/** A read that fails may be told earlier than the loss it fails for. */
const GRACE_MS = 50;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What an engine on WebGPU needs of the worker around it. */
export interface Surroundings {
  plain(answer: WireAnswer): Answer;
  checkBuild(name: string): void;
  tell(news: Told): void;
  /** Starts the engine that takes over where there is no other device. */
  heir(): Promise<Engine>;
}

/** Throws where there is no WebGPU at all. */
function checkPresence(): void {
  if (globalThis.navigator?.gpu) return;
  const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';
  throw new Error(
    isNode
      ? "Node has no WebGPU\n  help: init({ device: 'cpu' }) computes on the processor"
      : "this browser has no navigator.gpu in workers, or the page is not secure\n  help: serve it from https or localhost, or init({ device: 'auto' })",
  );
}

/** What loads a module that computes on WebGPU. */
export type WebGpuGlue = typeof checked | typeof webgpu;

export async function onWebGpu(glue: WebGpuGlue, module: WebAssembly.Module, { plain, checkBuild, tell, heir }: Surroundings): Promise<Engine> {
  checkPresence();
  const { memory } = glue.initSync({ module });
  checkBuild(glue.build_name());
  const own = await glue.GpuEngine.open();
  let due = performance.now() + SAVING_MS;

  const mostNoted = (): number => Math.min(Math.max(NOTED_TIMES * own.bytes(), NOTED_BYTES.least), NOTED_BYTES.most);

  async function isReopened(why: string): Promise<boolean> {
    for (let n = 0; n < OPENING_TRIES; n += 1) {
      if (n > 0) await pause(OPENING_MS);
      const repeated = await own.reopen().catch(() => undefined);
      if (repeated === undefined || own.lost() !== undefined) continue;
      tell({ told: 'moved', device: 'webgpu', why, repeated });
      return true;
    }
    return false;
  }

  async function handedOver(why: string): Promise<Engine> {
    const next = await heir();
    const legacy = own.legacy();
    const repeated = legacy.runs;
    await next.run(legacy.message() as Uint8Array<ArrayBuffer>, [], false);
    own.free();
    tell({ told: 'moved', device: 'cpu', why, repeated });
    return next;
  }

  async function run(commands: Uint8Array<ArrayBuffer>, uploads: readonly Upload[], isTimed: boolean): Promise<Results['run']> {
    for (const upload of uploads) own.upload(upload.memory, upload.bytes);
    for (let tries = 1; ; tries += 1) {
      const why = own.lost();
      const isAlive = why === undefined || (tries <= MESSAGE_TRIES && (await isReopened(why)));
      if (!isAlive) return (await handedOver(why)).run(commands, [], isTimed);
      own.set_timing(isTimed);
      const answers = (await own.execute(commands)).map(plain);
      const times = isTimed ? own.times() : undefined;
      if (answers.some((answer) => 'error' in answer && answer.error.name === 'DeviceError')) await pause(GRACE_MS);
      if (own.accept(commands)) return { answers, times };
    }
  }

  return {
    run,
    async rest() {
      const start = performance.now();
      if (own.lost() !== undefined || (start < due && own.noted_bytes() < mostNoted())) return;
      // What went wrong is told to whoever reads next.
      await own.save().catch(() => undefined);
      const end = performance.now();
      due = end + Math.max(SAVING_MS, SAVING_SHARE * (end - start));
    },
    explain: (...recording) => own.explain(...recording),
    shaders: (graph) => own.shaders(graph),
    tensors: () => own.count(),
    bytes: () => own.bytes(),
    programs: () => own.programs(),
    threads: () => 1,
    paths: () => (own as { paths?: () => string }).paths?.() ?? '',
    heap: memory,
    adapter: own.name(),
  };
}
