/** Message protocol between the page and the model worker. */
import { ModuleError, type Session } from './session.ts';
import type { Settings } from './settings.ts';

/** Methods of a session that can be called from the page. */
export type Method = Exclude<{ [K in keyof Session]: Session[K] extends (...args: never[]) => unknown ? K : never }[keyof Session], undefined>;

export const METHODS = [
  'steps', 'gradients', 'weights', 'checkpoint', 'restore', 'call', 'activations', 'explain', 'probe', 'profile', 'memory', 'setLR', 'close',
] as const satisfies readonly Method[];

/** The static properties of an open session, and its id. */
export interface Opened extends Pick<Session, 'device' | 'deviceName' | 'notice' | 'parameters' | 'kinds' | 'functions'> {
  readonly session: number;
}

/** `engine` is the URL of the engine's module: import maps apply only in pages. */
export type WorkerRequest =
  | { readonly kind: 'open'; readonly id: number; readonly engine: string; readonly settings: Settings; readonly source: string }
  | { readonly kind: 'call'; readonly id: number; readonly session: number; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly kind: 'ping' };

/** `alive` is sent once at the start and for each ping; `uncaught` is an error outside of any request. */
export type WorkerResponse =
  | { readonly kind: 'alive' }
  | { readonly kind: 'uncaught'; readonly error: WireError }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown; readonly queryMs: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError };

interface WireError {
  readonly message: string;
  /** Whether it is an error in the user's module, and where. */
  readonly isModule: boolean;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export function serializeError(error: unknown): WireError {
  if (error instanceof ModuleError) return { message: error.message, isModule: true, line: error.line, column: error.column };
  return { message: error instanceof Error ? error.message : String(error), isModule: false };
}

export function deserializeError({ message, isModule, line, column }: WireError): Error {
  return isModule ? new ModuleError(message, line, column) : new Error(message);
}
