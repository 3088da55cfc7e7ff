/** A test harness for Node and pages: suites register tests, a runner calls `run`. */

export interface Settings {
  device: 'cpu' | 'webgpu';
  threads: number;
  /** Whether kernels are checked. */
  check?: boolean;
  /** Only tests whose name contains this, or one of these. */
  only?: string | readonly string[];
}

export interface Outcome {
  suite: string;
  name: string;
  ms: number;
  /** Why it failed. */
  problem?: string;
  /** Why it was skipped. */
  skipped?: string;
  /** Notes of the test, such as measurements. */
  notes: string[];
}

/** Thrown by a test that cannot run in this setting. */
class Skipped extends Error {}

type Body = (t: Context) => void | Promise<void>;
type Numbers = ArrayLike<number | bigint | boolean>;

const registered: { suite: string; name: string; body: Body }[] = [];
let suite = '';

/** Sets the suite of the following tests. */
export function describe(name: string): void {
  suite = name;
}

export function test(name: string, body: Body): void {
  registered.push({ suite, name, body });
}

/** The assertions and settings of a test. */
export class Context {
  readonly notes: string[] = [];
  constructor(readonly settings: Settings) {}

  note(text: string): void {
    this.notes.push(text);
  }

  skip(why: string): never {
    throw new Skipped(why);
  }

  ok(value: unknown, message = 'the assertion failed'): asserts value {
    if (!value) throw new Error(message);
  }

  equal(actual: unknown, expected: unknown, message = ''): void {
    const [a, b] = [show(actual), show(expected)];
    if (a !== b) throw new Error(`${message ? `${message}: ` : ''}got ${a}, wanted ${b}`);
  }

  /** Asserts that numbers differ by at most `tolerance`, absolute or relative. */
  close(actual: number | Numbers, expected: number | Numbers, tolerance = 1e-5, message = ''): void {
    const list = (x: number | Numbers): number[] => (typeof x === 'number' ? [x] : Array.from(x, Number));
    const [a, b] = [list(actual), list(expected)];
    const label = message ? `${message}: ` : '';
    if (a.length !== b.length) throw new Error(`${label}${a.length} elements, wanted ${b.length}`);
    b.forEach((want, i) => {
      const got = a[i] as number;
      const isSame = Object.is(got, want) || Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want));
      if (!isSame) throw new Error(`${label}element ${i} is ${got}, wanted ${want} (within ${tolerance})`);
    });
  }

  /** Asserts that `body` throws an error of this name whose message matches. */
  throws(body: () => unknown, name: string, message = /(?:)/): Error {
    try {
      body();
    } catch (error) {
      return check(error, name, message);
    }
    throw new Error(`nothing was thrown, wanted ${name}`);
  }

  async rejects(promise: Promise<unknown>, name: string, message = /(?:)/): Promise<Error> {
    try {
      await promise;
    } catch (error) {
      return check(error, name, message);
    }
    throw new Error(`nothing was rejected, wanted ${name}`);
  }
}

function check(error: unknown, name: string, message: RegExp): Error {
  if (!(error instanceof Error)) throw new Error(`${String(error)} was thrown, which is not an Error`);
  if (error.name !== name) throw new Error(`${error.name} was thrown (${error.message}), wanted ${name}`);
  if (!message.test(error.message)) throw new Error(`"${error.message}" does not match ${message}`);
  return error;
}

function show(value: unknown): string {
  const plain = ArrayBuffer.isView(value) ? Array.from(value as unknown as Numbers) : value;
  return JSON.stringify(plain, (_, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`;
    if (typeof item === 'number' && !Number.isFinite(item)) return String(item);
    return item;
  });
}

/** The time limit of a test. */
const LIMIT_MS = 120_000;

/** Runs the registered tests one after the other, and reports each when it ends. */
export async function run(settings: Settings, report: (outcome: Outcome) => void): Promise<void> {
  for (const { suite, name, body } of registered) {
    const wanted = [settings.only ?? ''].flat();
    if (!wanted.some((part) => `${suite}: ${name}`.includes(part))) continue;
    const context = new Context(settings);
    const start = performance.now();
    const outcome: Outcome = { suite, name, ms: 0, notes: context.notes };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${LIMIT_MS / 1000} s`)), LIMIT_MS);
    });
    try {
      await Promise.race([Promise.resolve(body(context)), late]);
    } catch (error) {
      if (error instanceof Skipped) outcome.skipped = error.message;
      else outcome.problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    clearTimeout(timer);
    outcome.ms = performance.now() - start;
    report(outcome);
  }
}

/** The bytes of a file by URL, in Node and in pages. */
export async function bytesOf(address: string): Promise<Uint8Array<ArrayBuffer>> {
  if (address.startsWith('file:')) {
    const { readFile } = process.getBuiltinModule('node:fs/promises');
    return new Uint8Array(await readFile(new URL(address)));
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** What the runner provides: folders by URL, and privileged functions. */
export interface Environment {
  /** The folder `shared` next to the project. */
  brasaShared?: string | undefined;
  /** The files of MNIST. */
  brasaMnist?: string | undefined;
  /** Crashes the browser's GPU process. */
  crashGpu?: () => Promise<void>;
}

export const environment = globalThis as Environment;
