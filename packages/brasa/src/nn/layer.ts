/** What layers from tensor to tensor have in common. */
import type { Tensor } from '../tensor.ts';
import { Module } from './module.ts';

/** A layer from tensor to tensor. */
export abstract class Layer extends Module<[Tensor], Tensor> {}

/** Lengths along some axes, or one for all of them. */
export type Lengths = number | readonly number[];

/** A base for layers without parameters: a function of a tensor and of what the constructor is given. */
export function layer<Settings extends readonly unknown[]>(f: (x: Tensor, ...settings: Settings) => Tensor): new (...settings: Settings) => Layer {
  return class extends Layer {
    readonly #settings: Settings;

    constructor(...settings: Settings) {
      super();
      this.#settings = settings;
    }

    override forward(x: Tensor): Tensor {
      return f(x, ...this.#settings);
    }
  };
}
