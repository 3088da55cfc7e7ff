/** Errors by who can act on them. Calls throw them at once; only what shows in the data itself comes later. */

/** What a call was rejected for, or why a value cannot be had. */
export class BrasaError extends Error {
  override name = 'BrasaError';
  /** The op that was called. */
  readonly op: string;
  /** The operands with their types, such as `a: f32[2, 3]`. */
  readonly operands: readonly string[];
  /** What would probably help. */
  readonly help: string | undefined;
  /** Where the op was called, where that is known. */
  readonly site: string | undefined;

  /** A message that begins with a word and a colon names the op. */
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

/** A type of elements that the op has no meaning for. */
export class DTypeError extends BrasaError {
  override name = 'DTypeError';
}

/** Any other argument: out of range, unknown, missing. */
export class ArgumentError extends BrasaError {
  override name = 'ArgumentError';
}

/** Bad values or files, found only when the data is looked at. */
export class DataError extends BrasaError {
  override name = 'DataError';
}

/** A tensor whose value is gone: disposed of, or given up to save memory. */
export class StaleTensorError extends BrasaError {
  override name = 'StaleTensorError';
}

/** The graphics processor is missing, lost, full or too small. */
export class DeviceError extends BrasaError {
  override name = 'DeviceError';
}

/** The engine cannot be started, has died or was terminated. */
export class EngineError extends BrasaError {
  override name = 'EngineError';
}

/** In the order of the recorder's numbers, which the last does not have. */
const KINDS = { ShapeError, DTypeError, ArgumentError, DataError, StaleTensorError, DeviceError, EngineError };

export type ErrorName = keyof typeof KINDS;

export const KIND_NAMES = Object.keys(KINDS) as readonly ErrorName[];

/** An error as it crosses from the worker. */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly op: string;
  readonly site: string;
  /** Where it was thrown in the worker, where it was. */
  readonly stack?: string | undefined;
}

/** Rebuilds an error by name. */
export function rebuilt({ name, message, op, site, stack }: WireError): BrasaError {
  const Kind = name in KINDS ? KINDS[name as ErrorName] : BrasaError;
  const error = new Kind(site ? `${message}\n  at ${site}` : message, op, site);
  if (stack) error.stack = `${error.stack ?? message}\n  in the worker: ${stack}`;
  return error;
}

/** The words of whatever was thrown. */
export function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
