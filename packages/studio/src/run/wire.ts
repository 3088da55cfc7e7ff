/** What the page and the worker of the model say to each other. */
import { ModuleError, type Session } from './session.ts';
import type { Settings } from './settings.ts';

/** What a session can be asked. */
export type Method = Exclude<{ [K in keyof Session]: Session[K] extends (...args: never[]) => unknown ? K : never }[keyof Session], undefined>;

export const METHODS = [
  'steps', 'gradients', 'weights', 'keep', 'restore', 'call', 'activations', 'explain', 'probe', 'profile', 'memory', 'setLR', 'close',
] as const satisfies readonly Method[];

/** What is known of a session once it is open, and the number that it is asked by. */
export interface Opened extends Pick<Session, 'device' | 'deviceName' | 'notice' | 'parameters' | 'kinds' | 'functions'> {
  readonly session: number;
}

/** `engine` is the address of the engine's module, which import maps tell to pages alone. */
export type Ask =
  | { readonly kind: 'open'; readonly id: number; readonly engine: string; readonly settings: Settings; readonly source: string }
  | { readonly kind: 'call'; readonly id: number; readonly session: number; readonly method: Method; readonly args: readonly unknown[] }
  | { readonly kind: 'ping' };

/** `alive` comes once at the beginning and then for each ping; `stray` is an error that nobody waits for. */
export type Answer =
  | { readonly kind: 'alive' }
  | { readonly kind: 'stray'; readonly error: WireError }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown; readonly spent: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError };

interface WireError {
  readonly message: string;
  /** Whether it is a mistake in the module, and where. */
  readonly isModule: boolean;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export function packed(error: unknown): WireError {
  if (error instanceof ModuleError) return { message: error.message, isModule: true, line: error.line, column: error.column };
  return { message: error instanceof Error ? error.message : String(error), isModule: false };
}

export function unpacked({ message, isModule, line, column }: WireError): Error {
  return isModule ? new ModuleError(message, line, column) : new Error(message);
}
