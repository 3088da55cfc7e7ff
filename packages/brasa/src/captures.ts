/** Captures: named values that a compiled function returns in addition to its result. */
import type { Elements } from './dtype.ts';
import { ArgumentError } from './errors.ts';
import { args, checked, recorder } from './recorder.ts';
import type { Tensor } from './tensor.ts';

/** Shapes of captures, while a function is recorded. */
let shapes: Map<string, readonly number[]> | undefined;

/** Runs `body` and records the shapes of its captures. */
export function withCaptureShapes<T>(into: Map<string, readonly number[]>, body: () => T): T {
  const before = shapes;
  shapes = into;
  try {
    return body();
  } finally {
    shapes = before;
  }
}

/** Returns `x` from a compiled function under this name; does nothing outside of one. */
export function capture<T extends Tensor>(name: string, x: T): T {
  shapes?.set(name, x.shape);
  args.begin().text(name);
  checked(recorder().capture(x.handle, args.len));
  return x;
}

function lookUp<T>(all: ReadonlyMap<string, T>, name: string): T {
  const value = all.get(name);
  if (value !== undefined) return value;
  throw new ArgumentError(`captures: there is no '${name}', only ${[...all.keys()].join(', ') || 'nothing'}`);
}

/** The captures of a run, by name. */
export class Captures {
  constructor(private readonly all: ReadonlyMap<string, Tensor>) {}

  get names(): readonly string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  get(name: string): Tensor {
    return lookUp(this.all, name);
  }

  /** The elements of all captures, by name. */
  async read(): Promise<Record<string, Elements>> {
    const read = [...this.all].map(async ([name, x]) => [name, await x.toArray()] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  /** The elements and shapes of all captures, read together. */
  async toArrays(): Promise<CapturedArrays> {
    const read = [...this.all].map(async ([name, x]) => [name, { elements: await x.toArray(), shape: x.shape }] as const);
    return new CapturedArrays(new Map(await Promise.all(read)));
  }

  dispose(): void {
    for (const x of this.all.values()) x.dispose();
  }
}

/** The captures of a run, as arrays. */
export class CapturedArrays {
  constructor(private readonly all: ReadonlyMap<string, { readonly elements: Elements; readonly shape: readonly number[] }>) {}

  get names(): readonly string[] {
    return [...this.all.keys()];
  }

  has(name: string): boolean {
    return this.all.has(name);
  }

  get<E extends Elements = Elements>(name: string): E {
    return lookUp(this.all, name).elements as E;
  }

  shape(name: string): readonly number[] {
    return lookUp(this.all, name).shape;
  }
}
