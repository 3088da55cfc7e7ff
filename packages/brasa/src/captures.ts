/** What is handed out of a compiled function beside its result. */
import type { Elements } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { args, checked, recorder } from './recorder.ts';
import type { Tensor } from './tensor.ts';

/** Shapes of what is captured while a function is recorded. */
let noted: Map<string, readonly number[]> | undefined;

/** Runs `body` and notes the shapes of what it captures. */
export function notingShapes<T>(into: Map<string, readonly number[]>, body: () => T): T {
  const before = noted;
  noted = into;
  try {
    return body();
  } finally {
    noted = before;
  }
}

/** Hands `x` out of a compiled function under this name; does nothing elsewhere. */
export function capture<T extends Tensor>(name: string, x: T): T {
  noted?.set(name, x.shape);
  args.begin().text(name);
  checked(recorder().capture(x.handle, args.len));
  return x;
}

function found<T>(all: ReadonlyMap<string, T>, name: string): T {
  const value = all.get(name);
  if (value !== undefined) return value;
  throw new ArgumentError(`captures: there is no '${name}', only ${[...all.keys()].join(', ') || 'nothing'}`);
}

/** What was captured in a run, by name. */
export class Captures {
  constructor(private readonly all: ReadonlyMap<string, Tensor>) {}

  get names(): readonly string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  get(name: string): Tensor {
    return found(this.all, name);
  }

  /** All elements by name. */
  async read(): Promise<Record<string, Elements>> {
    const read = [...this.all].map(async ([name, x]) => [name, await x.toArray()] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  /** All elements and shapes, read at once. */
  async toArrays(): Promise<CapturedArrays> {
    const read = [...this.all].map(async ([name, x]) => [name, { elements: await x.toArray(), shape: x.shape }] as const);
    return new CapturedArrays(new Map(await Promise.all(read)));
  }

  dispose(): void {
    for (const x of this.all.values()) x.dispose();
  }
}

/** What was captured in a run, as arrays. */
export class CapturedArrays {
  constructor(private readonly all: ReadonlyMap<string, { readonly elements: Elements; readonly shape: readonly number[] }>) {}

  get names(): readonly string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  get<E extends Elements = Elements>(name: string): E {
    return found(this.all, name).elements as E;
  }

  shape(name: string): readonly number[] {
    return found(this.all, name).shape;
  }
}
