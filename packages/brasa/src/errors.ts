/** Errors by who can act on them. Calls throw them at once; only errors in the data itself come later. */

/** Base of all errors: a rejected call, or a value that cannot be computed. */
export class BrasaError extends Error {
  override name = 'BrasaError';
  /** The op that was called. */
  readonly op: string;
  /** The operands with their types, such as `a: f32[2, 3]`. */
  readonly operands: readonly string[];
  /** A likely fix. */
  readonly help: string | undefined;
  /** Where the op was called, if known. */
  readonly site: string | undefined;

  /** By default, `op` is the word before the first colon of the message. */
  constructor(message: string, op = /^(\w+): /.exec(message)?.[1] ?? '', site?: string) {
    super(message);
    const lines = message.split('\n').slice(1).map((line) => line.trim());
    const help = lines.find((line) => line.startsWith('help: '));
    this.op = op;
    this.operands = lines.filter((line) => line !== help && !line.startsWith('at '));
    this.help = help?.slice('help: '.length);
    this.site = site || undefined;
  }
}

/** Shapes that do not fit each other or the op. */
export class ShapeError extends BrasaError {
  override name = 'ShapeError';
}

/** A dtype that the op does not support. */
export class DTypeError extends BrasaError {
  override name = 'DTypeError';
}

/** Any other argument: out of range, unknown, missing. */
export class ArgumentError extends BrasaError {
  override name = 'ArgumentError';
}

/** Bad values or files, found only when the data is read. */
export class DataError extends BrasaError {
  override name = 'DataError';
}

/** A tensor without a value: disposed, or evicted to save memory. */
export class StaleTensorError extends BrasaError {
  override name = 'StaleTensorError';
}

/** The GPU is missing, lost, out of memory or too small. */
export class DeviceError extends BrasaError {
  override name = 'DeviceError';
}

/** The engine cannot be started, has died or was terminated. */
export class EngineError extends BrasaError {
  override name = 'EngineError';
}

/** In the order of the recorder's error kinds; the recorder does not raise the last. */
const KINDS = { ShapeError, DTypeError, ArgumentError, DataError, StaleTensorError, DeviceError, EngineError };

export type ErrorName = keyof typeof KINDS;

export const KIND_NAMES = Object.keys(KINDS) as readonly ErrorName[];

/** An error as posted by a worker. */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly op: string;
  readonly site: string;
  /** The stack in the worker, if thrown there. */
  readonly stack?: string | undefined;
}

/** Rebuilds an error of the class with this name. */
export function rebuildError({ name, message, op, site, stack }: WireError): BrasaError {
  const Kind = name in KINDS ? KINDS[name as ErrorName] : BrasaError;
  const error = new Kind(site ? `${message}\n  at ${site}` : message, op, site);
  if (stack) error.stack = `${error.stack ?? message}\n  in the worker: ${stack}`;
  return error;
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
