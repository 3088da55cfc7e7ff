/** Imports the editor's text as a native module, so that line numbers in stacks match the editor. */
import type { Tensor, nn } from 'brasa';
import { ModuleError } from './session.ts';

export interface ModelModule {
  readonly model: nn.Module;
  readonly loss: (...inputs: Tensor[]) => Tensor;
  readonly functions: ReadonlyMap<string, (...inputs: Tensor[]) => Tensor>;
}

/** The module's file name in stack traces. */
export const FILE = 'model.js';

/** Imports of the engine, to be replaced by its URL: import maps do not apply in workers. */
const ENGINE = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])brasa\2/g;

export async function loadModule(source: string, engine: string): Promise<ModelModule> {
  const text = source.replace(ENGINE, (_, before: string, quote: string) => `${before}${quote}${engine}${quote}`);
  const url = URL.createObjectURL(new Blob([`${text}\n//# sourceURL=${FILE}`], { type: 'text/javascript' }));
  let exported: Record<string, unknown>;
  try {
    exported = (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
  } catch (error) {
    throw atLine(error);
  } finally {
    URL.revokeObjectURL(url);
  }
  const { model, loss, ...others } = exported;
  if (typeof model !== 'object' || model === null || !('forward' in model)) {
    throw new ModuleError('the module must export `model`');
  }
  if (typeof loss !== 'function') throw new ModuleError('the module must export a function `loss`');
  const functions = Object.entries(others).filter(([, value]) => typeof value === 'function');
  return { model, loss, functions: new Map(functions) } as unknown as ModelModule;
}

/** The error with its line in the module, if its message or stack contains it. */
export function atLine(error: unknown): Error {
  if (error instanceof ModuleError) return error;
  if (!(error instanceof Error)) return new ModuleError(String(error));
  const place = new RegExp(`${FILE.replace('.', '\\.')}:(\\d+):(\\d+)`);
  const found = place.exec(error.message) ?? place.exec(error.stack ?? '');
  const message = error.message.replace(/\n\s*at .*$/s, '');
  return found ? new ModuleError(message, Number(found[1]), Number(found[2])) : new ModuleError(message);
}
