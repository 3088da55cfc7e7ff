/** Modules of modules. */
import type { Tensor } from '../tensor.ts';
import { Layer } from './layers.ts';
import { Module } from './module.ts';

/** Layers one after the other. Plain functions of a tensor count as layers. */
export class Sequential extends Layer {
  constructor(...layers: (Layer | ((x: Tensor) => Tensor))[]) {
    super();
    layers.forEach((layer, n) => Object.defineProperty(this, n, { value: layer, enumerable: true }));
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

/** A list of modules, whose order is that of their paths. */
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
    throw new TypeError('a ModuleList has no forward of its own');
  }

  *[Symbol.iterator](): Iterator<M> {
    for (let n = 0; n < this.length; n += 1) yield this[n] as M;
  }
}
