/** Base classes of layers. */
import { bound } from '../bind.ts';
import type { Tensor } from '../tensor.ts';
import { Module } from './module.ts';

/** A module that maps one tensor to one tensor. */
export abstract class Layer extends Module<[Tensor], Tensor> {}

/** A length for each axis, or one for all. */
export type Lengths = number | readonly number[];

/** A function of tensors, then settings. */
type Op = (...all: never[]) => Tensor;

/** Makes a base class for modules without parameters: `forward` calls `f` with its inputs and the constructor's arguments. */
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

/** As `functional`, for one input. */
export function layer<Settings extends readonly unknown[] = []>(signature: string, f: Op): new (...settings: Settings) => Layer {
  return functional<[Tensor], Settings>(signature, f);
}
