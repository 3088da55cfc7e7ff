/** Containers: modules of modules. */
import { describe } from '../bind.ts';
import { ArgumentError } from '../errors.ts';
import type { Tensor } from '../tensor.ts';
import { Layer } from './layer.ts';
import { Module, Parameter } from './module.ts';

/** Layers applied one after the other. Functions of a tensor count as layers. */
export class Sequential extends Layer {
  constructor(...layers: (Layer | ((x: Tensor) => Tensor))[]) {
    super();
    layers.forEach((layer, n) => {
      if (!(layer instanceof Module || typeof layer === 'function')) throw new ArgumentError(`Sequential: argument ${n} is ${describe(layer)}, expected a layer or a function`);
      Object.defineProperty(this, n, { value: layer, enumerable: true });
    });
    Object.defineProperty(this, 'length', { value: layers.length });
  }

  declare readonly length: number;
  readonly [n: number]: Layer | ((x: Tensor) => Tensor);

  override forward(x: Tensor): Tensor {
    let y = x;
    for (let n = 0; n < this.length; n += 1) {
      const layer = this[n] as Layer | ((x: Tensor) => Tensor);
      y = layer instanceof Module ? (layer as Layer).forward(y) : layer(y);
    }
    return y;
  }
}

/** A list of modules. */
export class ModuleList<M extends Module = Module> extends Module<never[], never> implements Iterable<M> {
  constructor(modules: Iterable<M> = []) {
    super();
    Object.defineProperty(this, 'length', { value: 0, writable: true });
    for (const module of modules) this.push(module);
  }

  declare readonly length: number;
  readonly [n: number]: M;

  push(module: M): this {
    const at = this.length;
    Object.defineProperty(this, at, { value: module, enumerable: true });
    Object.defineProperty(this, 'length', { value: at + 1, writable: true });
    return this;
  }

  override forward(): never {
    throw new TypeError('ModuleList has no forward');
  }

  *[Symbol.iterator](): Iterator<M> {
    for (let n = 0; n < this.length; n += 1) yield this[n] as M;
  }
}

/** Modules by name. */
export class ModuleDict<M extends Module = Module> extends Module<never[], never> implements Iterable<[string, M]> {
  readonly #names: string[] = [];

  constructor(modules: Readonly<Record<string, M>> = {}) {
    super();
    for (const [name, module] of Object.entries(modules)) this.set(name, module);
  }

  set(name: string, module: M): this {
    if (name in this && !this.has(name)) throw new TypeError(`ModuleDict: a module cannot be called '${name}'`);
    if (!this.has(name)) this.#names.push(name);
    Object.defineProperty(this, name, { value: module, enumerable: true, configurable: true });
    return this;
  }

  get(name: string): M {
    if (!this.has(name)) throw new TypeError(`ModuleDict: there is no '${name}', only ${this.#names.join(', ') || 'nothing'}`);
    return (this as unknown as Record<string, M>)[name] as M;
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  keys(): readonly string[] {
    return this.#names;
  }

  override forward(): never {
    throw new TypeError('ModuleDict has no forward');
  }

  *[Symbol.iterator](): Iterator<[string, M]> {
    for (const name of this.#names) yield [name, this.get(name)];
  }
}

/** A list of parameters. Other tensors are converted. */
export class ParameterList extends Module<never[], never> implements Iterable<Parameter> {
  constructor(parameters: Iterable<Tensor> = []) {
    super();
    const all = Array.from(parameters, (x) => (x instanceof Parameter ? x : new Parameter(x)));
    all.forEach((parameter, n) => Object.defineProperty(this, n, { value: parameter, enumerable: true }));
    Object.defineProperty(this, 'length', { value: all.length });
  }

  declare readonly length: number;
  readonly [n: number]: Parameter;

  override forward(): never {
    throw new TypeError('ParameterList has no forward');
  }

  *[Symbol.iterator](): Iterator<Parameter> {
    for (let n = 0; n < this.length; n += 1) yield this[n] as Parameter;
  }
}
