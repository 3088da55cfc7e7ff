/** Installs the methods of `Tensor` from the table in `generated/methods.ts`, which also declares their types. */
import { list, one, pair, reading, triple, unwrap, varied } from './call.ts';
import { METHODS } from './generated/methods.ts';
import { assign, Tensor } from './tensor.ts';

type Method = (this: Tensor, ...given: unknown[]) => unknown;
type Form = (op: number, given: readonly unknown[]) => unknown;

const FORMS: readonly (readonly [string, Form])[] = [['p', pair], ['t', triple], ['l', list], ['v', varied], ['r', reading]];

const withIndices: Form = (op, given) => pair(op, given, { returnIndices: true });

/** Installs all methods. */
export function installMethods(): void {
  METHODS.split('\n').forEach((line, op) => {
    if (line) install(op, line.split(','));
  });
}

function install(op: number, words: string[]): void {
  const kind = words.pop() as string;
  const is = (mark: string): boolean => kind.includes(mark);
  const names = [...new Set(words.flatMap((word) => [camel(word), word]))];
  const [name] = names as [string];
  const record = FORMS.find(([mark]) => is(mark))?.[1] ?? one;
  const length = parseInt(kind) - (is('*') ? 1 : 0);
  define(names, length, (is('*') ? variadic : method)(record, op, length));
  if (is('_')) define(names.map((own) => `${own}_`), length, replacing(name));
  if (is('+')) define([`${name}WithIndices`], length, method(withIndices, op, length));
}

/** `log_softmax` → `logSoftmax`. */
function camel(word: string): string {
  return word.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function method(record: Form, op: number, length: number): Method {
  return function (...given) {
    // As with any function, extra arguments are ignored.
    if (given.length > length) given.length = length;
    return record(op, [this, ...given]);
  };
}

/** A method whose last parameter, after `length` others, is a list or variadic. */
function variadic(record: Form, op: number, length: number): Method {
  return function (...given) {
    return record(op, [this, ...given.slice(0, length), unwrap(given.slice(length) as number[])]);
  };
}

/** The in-place form of the method `name`. */
function replacing(name: string): Method {
  return function (...given) {
    const own = this as unknown as Record<string, (...given: unknown[]) => Tensor>;
    return assign(this, name, own[name]!(...given));
  };
}

/** Defines a method under all of its names; it looks like one declared in a class, named by the first. */
function define(names: readonly string[], length: number, value: Method): void {
  Object.defineProperties(value, { name: { value: names[0] }, length: { value: length } });
  for (const name of names) Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
}
