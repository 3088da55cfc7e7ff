/** What layers from tensor to tensor have in common. */
import { bound } from '../bind.ts';
import type { Tensor } from '../tensor.ts';
import { Module } from './module.ts';

/** A layer from tensor to tensor. */
export abstract class Layer extends Module<[Tensor], Tensor> {}

/** Lengths along some axes, or one for all of them. */
export type Lengths = number | readonly number[];

/** A function of tensors and of settings, which come after them. */
type Op = (...all: never[]) => Tensor;

/** A base for modules without parameters: a function of tensors and of what the constructor is given. */
export function functional<In extends Tensor[], Settings extends readonly unknown[]>(signature: string, f: Op): new (...settings: Settings) => Module<In, Tensor> {
  return class extends Module<In, Tensor> {
    readonly #settings: readonly unknown[];

    constructor(...settings: Settings) {
      super();
      this.#settings = bound(this, signature, settings);
    }

    override forward(...inputs: In): Tensor {
      return f(...([...inputs, ...this.#settings] as never[]));
    }
  };
}

/** The same of one tensor. */
export function layer<Settings extends readonly unknown[] = []>(signature: string, f: Op): new (...settings: Settings) => Layer {
  return functional<[Tensor], Settings>(signature, f);
}
