import { arange, crossEntropy, nn } from 'brasa';

// A small GPT over characters: it reads 48 and guesses the next one at each place.
const [time, width, heads, depth, characters] = [48, 64, 4, 2, 65];

class Block extends nn.Module {
  constructor() {
    super();
    this.before = new nn.LayerNorm(width);
    this.query = new nn.Linear(width, 3 * width);
    this.gather = new nn.Linear(width, width);
    this.between = new nn.LayerNorm(width);
    this.think = new nn.Sequential(new nn.Linear(width, 4 * width), new nn.GELU(), new nn.Linear(4 * width, width));
  }

  attend(x) {
    const [batch] = x.shape;
    const split = this.query.forward(x).reshape([batch, time, 3, heads, width / heads]).permute([2, 0, 3, 1, 4]);
    const [q, k, v] = split.unbind(0);
    const seen = q.scaledDotProductAttention(k, v, { isCausal: true });
    return this.gather.forward(seen.permute([0, 2, 1, 3]).reshape([batch, time, width]));
  }

  forward(x) {
    const seen = x.add(this.attend(this.before.forward(x)));
    return seen.add(this.think.forward(this.between.forward(seen)));
  }
}

class Writer extends nn.Module {
  constructor() {
    super();
    this.characters = new nn.Embedding(characters, width);
    this.places = new nn.Embedding(time, width);
    this.blocks = new nn.Sequential(...Array.from({ length: depth }, () => new Block()));
    this.norm = new nn.LayerNorm(width);
    this.head = new nn.Linear(width, characters);
  }

  forward(x) {
    const at = this.places.forward(arange(time));
    return this.head.forward(this.norm.forward(this.blocks.forward(this.characters.forward(x).add(at))));
  }
}

export const model = new Writer();

/** What is made small: characters x [batch, 48] and those that follow, y [batch, 48]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x).reshape([-1, characters]), y.reshape([-1]));
}

/** How likely each character is to follow. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
