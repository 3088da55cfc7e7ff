/**
 * The WebGPU engine, which survives the loss of its device. Device memory is saved periodically, and commands since the
 * last save are logged. When the device is lost, the save is restored and the log replayed on another GPU, or on the CPU
 * if there is none.
 */
import type * as checked from '../dist/wasm/engine-checked.js';
import type * as webgpu from '../dist/wasm/engine-webgpu.js';
import type { Engine, WireAnswer } from './engine.ts';
import type { Answer, Results, Upload, WorkerEvent } from './protocol.ts';

/** At least 2 s between saves, and 20 times as long as a save takes: at most a twentieth of the time is spent saving. */
const SAVE_INTERVAL_MS = 2000;
const SAVE_INTERVAL_FACTOR = 20;
/**
 * The size of the log that triggers a save: 4 times the bytes to save, within these bounds. Small models, which take many
 * steps, keep a small log, and large models are not saved with each batch.
 */
const LOG_FACTOR = 4;
const LOG_BYTES = { min: 1e6, max: 32e6 };
/** A new adapter takes time: the browser has to start a GPU process. */
const REOPEN_TRIES = 6;
const REOPEN_DELAY_MS = 200;
/** How often one message is tried on new devices: the message itself may crash them. */
const MESSAGE_TRIES = 3;
/** A failed read may be reported before the device loss that caused it. */
const GRACE_MS = 50;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What the WebGPU engine needs from its worker. */
export interface WorkerHooks {
  takeAnswer(answer: WireAnswer): Answer;
  checkBuild(name: string): void;
  emit(event: WorkerEvent): void;
  /** Opens the CPU engine that takes over when no GPU is left. */
  fallbackEngine(): Promise<Engine>;
}

/** Throws if WebGPU is not available at all. */
function requireWebGpu(): void {
  if (globalThis.navigator?.gpu) return;
  const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';
  throw new Error(
    isNode
      ? "Node has no WebGPU\n  help: init({ device: 'cpu' }) computes on the CPU"
      : "this browser has no navigator.gpu in workers, or the page is not secure\n  help: serve it from https or localhost, or init({ device: 'auto' })",
  );
}

/** The wasm-bindgen glue of a module that computes on WebGPU. */
export type WebGpuGlue = typeof checked | typeof webgpu;

/** Opens the WebGPU engine. */
export async function openWebGpu(glue: WebGpuGlue, module: WebAssembly.Module, { takeAnswer, checkBuild, emit, fallbackEngine }: WorkerHooks): Promise<Engine> {
  requireWebGpu();
  const { memory } = glue.initSync({ module });
  checkBuild(glue.build_name());
  const own = await glue.GpuEngine.open();
  let nextSave = performance.now() + SAVE_INTERVAL_MS;

  const maxLogBytes = (): number => Math.min(Math.max(LOG_FACTOR * own.bytes(), LOG_BYTES.min), LOG_BYTES.max);

  /** Restores the state on another GPU; `false` if there is none. */
  async function reopen(why: string): Promise<boolean> {
    for (let n = 0; n < REOPEN_TRIES; n += 1) {
      if (n > 0) await pause(REOPEN_DELAY_MS);
      const repeated = await own.reopen().catch(() => undefined);
      if (repeated === undefined || own.lost() !== undefined) continue;
      emit({ event: 'moved', device: 'webgpu', why, repeated });
      return true;
    }
    return false;
  }

  /** Restores the state on the CPU. */
  async function fallBack(why: string): Promise<Engine> {
    const next = await fallbackEngine();
    const log = own.replay_log();
    const repeated = log.runs;
    await next.run(log.message() as Uint8Array<ArrayBuffer>, [], false);
    own.free();
    emit({ event: 'moved', device: 'cpu', why, repeated });
    return next;
  }

  async function run(commands: Uint8Array<ArrayBuffer>, uploads: readonly Upload[], isTimed: boolean): Promise<Results['run']> {
    for (const upload of uploads) own.upload(upload.memory, upload.bytes);
    for (let tries = 1; ; tries += 1) {
      const why = own.lost();
      const isAlive = why === undefined || (tries <= MESSAGE_TRIES && (await reopen(why)));
      if (!isAlive) return (await fallBack(why)).run(commands, [], isTimed);
      own.set_timing(isTimed);
      const answers = (await own.execute(commands)).map(takeAnswer);
      const times = isTimed ? own.times() : undefined;
      if (answers.some((answer) => 'error' in answer && answer.error.name === 'DeviceError')) await pause(GRACE_MS);
      if (own.accept(commands)) return { answers, times };
    }
  }

  return {
    run,
    async afterRun() {
      const start = performance.now();
      if (own.lost() !== undefined || (start < nextSave && own.replay_log_bytes() < maxLogBytes())) return;
      // The next read reports the error.
      await own.save().catch(() => undefined);
      const end = performance.now();
      nextSave = end + Math.max(SAVE_INTERVAL_MS, SAVE_INTERVAL_FACTOR * (end - start));
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
