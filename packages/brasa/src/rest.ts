/**
 * The rest of the recorder: a second module with what most programs never call (`xtask/wasm/src/split.rs`). It comes
 * after all else; where something of it is called before that, the page waits for it.
 */
import * as assets from './assets.ts';
import { unpacked } from './packed.ts';

export class Rest {
  #module: WebAssembly.Module | undefined;
  /** Whether loading it has failed; it is tried again whenever something of it is called. */
  hasFailed = false;

  constructor(private readonly base: string | undefined) {}

  /** Loads it in the background. */
  async load(): Promise<void> {
    try {
      const packed = await assets.recorderRest(this.base);
      const bytes = unpacked(packed);
      this.#module ??= bytes ? await WebAssembly.compile(bytes) : packed;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  /** It, loaded by now at the latest. */
  now(): WebAssembly.Module {
    if (!this.#module) {
      this.hasFailed = true;
      const packed = assets.recorderRestNow(this.base);
      const bytes = unpacked(packed);
      this.#module = bytes ? new WebAssembly.Module(bytes) : packed;
      this.hasFailed = false;
    }
    return this.#module;
  }
}
