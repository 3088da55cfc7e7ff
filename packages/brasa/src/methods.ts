/** Gives `Tensor` a method for each line of the table in `generated/methods.ts`, which also has their types. */
import { list, one, pair, reading, triple, unwrap, varied } from './call.ts';
import { METHODS } from './generated/methods.ts';
import { replaced, Tensor } from './tensor.ts';

type Method = (this: Tensor, ...given: unknown[]) => unknown;
type Form = (row: number, given: readonly unknown[]) => unknown;

const FORMS: readonly (readonly [string, Form])[] = [['p', pair], ['t', triple], ['l', list], ['v', varied], ['r', reading]];

const withIndices: Form = (row, given) => pair(row, given, { returnIndices: true });

/** Installs all of them. */
export function installMethods(): void {
  METHODS.split('\n').forEach((line, row) => {
    if (line) install(row, line.split(','));
  });
}

function install(row: number, words: string[]): void {
  const kind = words.pop() as string;
  const is = (mark: string): boolean => kind.includes(mark);
  const names = [...new Set(words.flatMap((word) => [camel(word), word]))];
  const [name] = names as [string];
  const record = FORMS.find(([mark]) => is(mark))?.[1] ?? one;
  const length = parseInt(kind) - (is('*') ? 1 : 0);
  define(names, length, (is('*') ? variadic : method)(record, row, length));
  if (is('_')) define(names.map((own) => `${own}_`), length, replacing(name));
  if (is('+')) define([`${name}WithIndices`], length, method(withIndices, row, length));
}

/** `log_softmax` → `logSoftmax`. */
function camel(word: string): string {
  return word.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function method(record: Form, row: number, length: number): Method {
  return function (...given) {
    // As with any function, what is given beyond its parameters is left out.
    if (given.length > length) given.length = length;
    return record(row, [this, ...given]);
  };
}

/** A method that takes a list after `length` other parameters, whose items may be written out. */
function variadic(record: Form, row: number, length: number): Method {
  return function (...given) {
    return record(row, [this, ...given.slice(0, length), unwrap(given.slice(length) as number[])]);
  };
}

/** The form in place of the method `name`. */
function replacing(name: string): Method {
  return function (...given) {
    const own = this as unknown as Record<string, (...given: unknown[]) => Tensor>;
    return replaced(this, name, own[name]!(...given));
  };
}

/** Puts a method under all of its names, of which the first is its own; it looks like one that a class has declared. */
function define(names: readonly string[], length: number, value: Method): void {
  Object.defineProperties(value, { name: { value: names[0] }, length: { value: length } });
  for (const name of names) Object.defineProperty(Tensor.prototype, name, { value, writable: true, configurable: true });
}
