import { arange, crossEntropy, nn } from 'brasa';

// A small character-level GPT with a context of 48 characters.
const [time, width, heads, depth, characters] = [48, 64, 4, 2, 65];

class Block extends nn.Module {
  constructor() {
    super();
    this.norm1 = new nn.LayerNorm(width);
    this.qkv = new nn.Linear(width, 3 * width);
    this.proj = new nn.Linear(width, width);
    this.norm2 = new nn.LayerNorm(width);
    this.mlp = new nn.Sequential(new nn.Linear(width, 4 * width), new nn.GELU(), new nn.Linear(4 * width, width));
  }

  attend(x) {
    const [batch] = x.shape;
    const split = this.qkv.forward(x).reshape([batch, time, 3, heads, width / heads]).permute([2, 0, 3, 1, 4]);
    const [q, k, v] = split.unbind(0);
    const y = q.scaledDotProductAttention(k, v, { isCausal: true });
    return this.proj.forward(y.permute([0, 2, 1, 3]).reshape([batch, time, width]));
  }

  forward(x) {
    const y = x.add(this.attend(this.norm1.forward(x)));
    return y.add(this.mlp.forward(this.norm2.forward(y)));
  }
}

class GPT extends nn.Module {
  constructor() {
    super();
    this.characters = new nn.Embedding(characters, width);
    this.positions = new nn.Embedding(time, width);
    this.blocks = new nn.Sequential(...Array.from({ length: depth }, () => new Block()));
    this.norm = new nn.LayerNorm(width);
    this.head = new nn.Linear(width, characters);
  }

  forward(x) {
    const at = this.positions.forward(arange(time));
    return this.head.forward(this.norm.forward(this.blocks.forward(this.characters.forward(x).add(at))));
  }
}

export const model = new GPT();

/** Cross entropy of characters x [batch, 48] and next characters y [batch, 48]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x).reshape([-1, characters]), y.reshape([-1]));
}

/** Probabilities of the next character. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
