/**
 * Binds arguments to parameters: positional in PyTorch's order, then by name in an object at the end. A signature is a
 * string, to keep the bundle small: `inFeatures:c outFeatures:c bias?b`. It has a word per parameter: the name (aliases
 * after `/`), a mark, and the accepted kinds, separated by `|`.
 *
 * - The mark is `:` if required, `?` if optional, `!` for a parameter of PyTorch of which only these values are supported:
 *   it is checked, but not returned.
 * - A single letter is a kind of `KINDS`; anything else is a literal value, such as `same` or `null`.
 * - Parameters after the word `*` can only be given by name.
 * - With the word `…` at the end, unknown names are allowed, unless they look like a typo of a known one.
 */
import { ArgumentError } from './errors.ts';
import { Tensor } from './tensor.ts';

/** Positional arguments, of which the last may be an object with the remaining ones by name. */
export type Given<O, Order extends readonly (keyof O)[]> = Order extends readonly [infer K extends keyof O, ...infer More extends readonly (keyof O)[]]
  ? [options?: O] | [value: O[K], ...Given<O, More>]
  : [options?: O];

type Kind = readonly [what: string, is: (x: unknown) => boolean];

const listed = (is: (x: unknown) => boolean) => (x: unknown): boolean => [x].flat().every(is);
const isNumber = (x: unknown): boolean => typeof x === 'number';
const isInteger = (x: unknown): boolean => Number.isInteger(x);
const REDUCTIONS = ['mean', 'sum', 'none'];

const KINDS: Readonly<Record<string, Kind>> = {
  n: ['a number', isNumber],
  u: ['a non-negative number', (x) => isNumber(x) && (x as number) >= 0],
  v: ['a number or list of numbers', listed(isNumber)],
  p: ['two numbers in [0, 1)', (x) => Array.isArray(x) && x.length === 2 && x.every((y) => isNumber(y) && y >= 0 && y < 1)],
  r: ['a number from 0 to 1', (x) => isNumber(x) && (x as number) >= 0 && (x as number) <= 1],
  i: ['an integer', isInteger],
  c: ['a non-negative integer', (x) => isInteger(x) && (x as number) >= 0],
  l: ['an integer or list of integers', listed(isInteger)],
  z: ['an integer, null or list of those', listed((x) => x === null || isInteger(x))],
  b: ['true or false', (x) => typeof x === 'boolean'],
  s: ['a string', (x) => typeof x === 'string'],
  m: [REDUCTIONS.join(', '), (x) => REDUCTIONS.includes(x as string)],
  t: ['a tensor', (x) => x instanceof Tensor],
  f: ['a function', (x) => typeof x === 'function'],
  e: ['an iterable', (x) => typeof x === 'object' && x !== null && Symbol.iterator in x],
  o: ['an object', (x) => typeof x === 'object' && x !== null],
};

interface Param {
  readonly names: readonly string[];
  readonly mark: string;
  readonly kinds: readonly string[];
}

interface Signature {
  readonly params: readonly Param[];
  /** The number of positional parameters. */
  readonly positional: number;
}

const known = new Map<string, Signature>();
const MORE = '…';

function parse(text: string): Signature {
  const words = text.split(' ').filter(Boolean);
  const star = words.indexOf('*');
  const params = words.filter((word) => word !== '*' && word !== MORE).map((word) => {
    const [, names = '', mark = '', kinds = ''] = /^(.+?)([:?!])(.*)/.exec(word) ?? [];
    return { names: names.split('/'), mark, kinds: kinds.split('|') };
  });
  return { params, positional: star < 0 ? params.length : star };
}

/** `weightDecay` → `weight_decay`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
}

export type Options = Readonly<Record<string, unknown>>;

/** Whether a value is a plain object, as options are. */
export function isOptions(value: unknown): value is Options {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The callee, for messages: the name of a function, or an instance, named by its class. */
type Owner = string | object;

/** The values by name, in the order of the signature; `undefined` for those not given. */
export function bind(of: Owner, text: string, given: readonly unknown[]): [name: string, value: unknown][] {
  let signature = known.get(text);
  if (!signature) known.set(text, (signature = parse(text)));
  const { params, positional } = signature;
  const values = [...given];
  const last = values.at(-1);
  const isObject = values.length <= positional && params[values.length - 1]?.kinds[0] === 'o';
  const named = isOptions(last) && !isObject ? (values.pop() as Options) : undefined;
  if (values.length > positional) throw wrong(of, signature, `got ${values.length} arguments, at most ${positional} are positional`);
  for (const key in named) {
    const at = params.findIndex(({ names }) => names.some((name) => name === key || snake(name) === key));
    if (at < 0) {
      const likely = likeliest(signature, key);
      if (text.endsWith(MORE) && !likely) continue;
      throw wrong(of, signature, `unknown argument '${key}'`, likely);
    }
    if (values[at] !== undefined) throw wrong(of, signature, `${key} is given twice`);
    values[at] = named[key];
  }
  const bound: [string, unknown][] = [];
  params.forEach(({ names, mark, kinds }, n) => {
    const [name = ''] = names;
    const value = values[n];
    if (value === undefined ? mark === ':' : !kinds.some((kind) => KINDS[kind]?.[1](value) ?? String(value) === kind)) {
      throw wrong(of, signature, `${name} is ${describe(value)}, expected ${expected(kinds)}`);
    }
    if (mark !== '!') bound.push([name, value]);
  });
  return bound;
}

/** As `bind`, without the names. */
export function bound<T extends readonly unknown[]>(of: Owner, text: string, given: readonly unknown[]): T {
  return bind(of, text, given).map(([, value]) => value) as unknown as T;
}

const expected = (kinds: readonly string[]): string => kinds.map((kind) => KINDS[kind]?.[0] ?? `'${kind}'`).join(' or ');

/** A value, for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return value.length > 8 ? `a list of ${value.length}` : `[${value.join(', ')}]`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? `a ${value.constructor?.name ?? 'object'}` : String(value);
}

function wrong(of: Owner, { params }: Signature, what: string, likely?: string): ArgumentError {
  const name = typeof of === 'string' ? of : of.constructor.name;
  const names = params.map(({ names }) => names[0]).join(', ') || 'nothing';
  return new ArgumentError(`${name}: ${what}\n  it takes ${names}${likely ? `\n  help: did you mean \`${likely}\`?` : ''}`, name);
}

/** The parameter whose name is most similar to `key`, if any: by prefix, initials or edit distance. */
function likeliest({ params }: Signature, key: string): string | undefined {
  const word = plain(key);
  const initials = plain(key.replace(/(^.|_.|[A-Z])|./g, '$1'));
  const [first] = params
    .map(({ names: [name = ''] }) => [name === initials || plain(name).startsWith(word) ? 1 : distance(plain(name), word), name] as const)
    .sort(([a], [b]) => a - b);
  return first && first[0] <= 1 + key.length / 4 ? first[1] : undefined;
}

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** The edit distance of two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    row.slice(1).forEach((above, j) => next.push(Math.min(above + 1, next[j]! + 1, row[j]! + (letter === b[j] ? 0 : 1))));
    row = next;
  }
  return row.at(-1) as number;
}
