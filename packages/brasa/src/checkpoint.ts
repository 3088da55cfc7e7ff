/**
 * Checkpoints: all state needed to resume training, as one safetensors file; and where a page can store files: the origin
 * private file system, IndexedDB, the user's downloads.
 */
import { bound } from './bind.ts';
import { ArgumentError, DataError } from './errors.ts';
import type { Module } from './nn/module.ts';
import type { Optimizer, OptimizerState } from './optim.ts';
import { read, recorder } from './recorder.ts';
import { load, save } from './safetensors.ts';
import type { Tensor } from './tensor.ts';

/** What a checkpoint saves. */
export interface Trained {
  readonly model: Module;
  readonly optimizer?: Optimizer;
}

const MODEL = 'model.';
const OPTIMIZER = 'optimizer.';
/** The metadata key of Brasa's own state. */
const OWN = 'brasa';

interface Own {
  readonly steps: number;
  /** Of the optimizer; absent in checkpoints of earlier versions. */
  readonly groups?: OptimizerState['groups'];
  readonly paramSteps?: OptimizerState['paramSteps'];
  /** The two halves of the seed, and the number of draws so far. */
  readonly random: readonly [number, number, number];
}

function bindTrained(of: string, what: Trained): [model: Module, optimizer?: Optimizer] {
  return bound(of, '* model:o optimizer?o …', [what]);
}

/** The bytes of a checkpoint: parameters, buffers, optimizer, random generator, and your metadata. */
export async function checkpoint(of: Trained, metadata: Readonly<Record<string, string>> = {}): Promise<Uint8Array<ArrayBuffer>> {
  const [model, optimizer] = bindTrained('checkpoint', of);
  if (OWN in metadata) throw new ArgumentError(`checkpoint: the metadata key '${OWN}' is reserved`);
  const { tensors: moments, ...state } = optimizer?.stateDict() ?? { steps: 0, tensors: [] };
  recorder().rng_state();
  const random = read((from) => [from.u32(), from.u32(), from.f64()] as const);
  const named = (prefix: string, all: Iterable<readonly [string, Tensor]>): [string, Tensor][] =>
    Array.from(all, ([name, x]) => [prefix + name, x]);
  const tensors = new Map([...named(MODEL, model.stateDict()), ...named(OPTIMIZER, moments)]);
  const own: Own = { ...state, random };
  return save(tensors, { ...metadata, [OWN]: JSON.stringify(own) });
}

/** Restores a checkpoint; returns its metadata. Changes nothing if it does not match. */
export function restore(bytes: ArrayBuffer | Uint8Array, to: Trained): Readonly<Record<string, string>> {
  const [model, optimizer] = bindTrained('restore', to);
  const { tensors, metadata } = load(bytes);
  const { [OWN]: text, ...rest } = metadata;
  const own = parseOwn(text);
  const part = (prefix: string): Map<string, Tensor> =>
    new Map([...tensors].flatMap(([name, x]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), x] as const] : [])));
  const before = new Map([...model.stateDict()].map(([name, x]) => [name, x.clone()]));
  model.loadStateDict(part(MODEL));
  try {
    optimizer?.loadStateDict({ ...own, tensors: part(OPTIMIZER) });
  } catch (error) {
    model.loadStateDict(before);
    throw error;
  }
  const [low, high, draws] = own.random;
  recorder().set_rng_state(low, high, draws);
  return rest;
}

function parseOwn(text: string | undefined): Own {
  try {
    const own = JSON.parse(text ?? '') as Partial<Own>;
    if (Number.isInteger(own.steps) && own.random?.length === 3 && own.random.every((n) => Number.isInteger(n))) return own as Own;
  } catch {
    // Reported below.
  }
  throw new DataError('restore: the file is not a Brasa checkpoint');
}

/** A store for files. */
export interface Store {
  /** Writes a file, replacing an existing one as a whole. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  read(name: string): Promise<Uint8Array<ArrayBuffer>>;
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
}

function missing(name: string): DataError {
  return new DataError(`store: there is no '${name}'`);
}

/** Files in a folder of the origin private file system. */
export async function opfs(folder = 'brasa'): Promise<Store> {
  const root = await globalThis.navigator?.storage?.getDirectory?.();
  if (!root) throw new DataError('opfs: there is no private file system here');
  const own = await root.getDirectoryHandle(folder, { create: true });
  return {
    async write(name, bytes) {
      const file = await own.getFileHandle(name, { create: true });
      // Writes go to a temporary file, which replaces this one on close.
      const stream = await file.createWritable();
      await stream.write(bytes);
      await stream.close();
    },
    async read(name) {
      const file = await own.getFileHandle(name).catch(() => Promise.reject(missing(name)));
      return new Uint8Array(await (await file.getFile()).arrayBuffer());
    },
    async remove(name) {
      await own.removeEntry(name).catch(() => Promise.reject(missing(name)));
    },
    async names() {
      const names: string[] = [];
      for await (const name of own.keys()) names.push(name);
      return names.sort();
    },
  };
}

const FILES = 'files';

function promiseOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new DataError(`store: ${request.error?.message ?? 'the database failed'}`));
  });
}

/** Files in an IndexedDB database of the origin. */
export async function indexedDb(database = 'brasa'): Promise<Store> {
  if (!globalThis.indexedDB) throw new DataError('indexedDb: there is no database here');
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(FILES);
  const own = await promiseOf(opening);
  const files = (mode: IDBTransactionMode): IDBObjectStore => own.transaction(FILES, mode).objectStore(FILES);
  return {
    async write(name, bytes) {
      await promiseOf(files('readwrite').put(bytes, name));
    },
    async read(name) {
      const bytes = await promiseOf<unknown>(files('readonly').get(name));
      if (!(bytes instanceof Uint8Array)) throw missing(name);
      return bytes as Uint8Array<ArrayBuffer>;
    },
    async remove(name) {
      await promiseOf(files('readwrite').delete(name));
    },
    async names() {
      return (await promiseOf(files('readonly').getAllKeys())).map(String);
    },
  };
}

/** Offers bytes to the user as a download. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  if (typeof document === 'undefined') throw new DataError('download: there is no page to download from');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  // By the next task the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
