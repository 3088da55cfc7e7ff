// Small models of typical kinds, each with a batch: for the warm-up messages of engines, and to find out which functions
// of the recorder are commonly used.
const classes = (count, from) => Int32Array.from({ length: count }, (_, n) => n % from);

export function perceptron({ nn, randn }) {
  const model = new nn.Sequential(new nn.Linear(128, 128), new nn.ReLU(), new nn.Linear(128, 64), new nn.ReLU(), new nn.Linear(64, 10));
  return {
    model,
    inputs: { x: [64, 128], y: { shape: [64], dtype: 'i32' } },
    values: { x: randn([64, 128]), y: classes(64, 10) },
    loss: ({ x, y }) => model.forward(x).crossEntropy(y),
  };
}

export function convolutions({ nn, randn }) {
  const model = new nn.Sequential(
    new nn.Conv2d(1, 16, 3), new nn.ReLU(), new nn.Conv2d(16, 32, 3), new nn.ReLU(), new nn.MaxPool2d(2), new nn.Flatten(), new nn.Linear(512, 10),
  );
  return {
    model,
    inputs: { x: [8, 1, 12, 12], y: { shape: [8], dtype: 'i32' } },
    values: { x: randn([8, 1, 12, 12]), y: classes(8, 10) },
    loss: ({ x, y }) => model.forward(x).crossEntropy(y),
  };
}

export function transformer({ nn, scaledDotProductAttention }) {
  const [length, width, heads, words] = [32, 64, 2, 32];
  class Block extends nn.Module {
    tokens = new nn.Embedding(words, width);
    first = new nn.LayerNorm(width);
    inside = new nn.Linear(width, 3 * width);
    second = new nn.LayerNorm(width);
    wide = new nn.Linear(width, 4 * width);
    narrow = new nn.Linear(4 * width, words);
    forward(x) {
      const h = this.tokens.forward(x);
      const split = (y) => y.reshape([-1, length, heads, width / heads]).transpose(1, 2);
      const [q, k, v] = this.inside.forward(this.first.forward(h)).chunk(3, 2).map(split);
      const mixed = scaledDotProductAttention(q, k, v, { isCausal: true }).transpose(1, 2).reshape([-1, length, width]);
      return this.narrow.forward(this.wide.forward(this.second.forward(h.add(mixed))).gelu({ approximate: 'tanh' }));
    }
  }
  const model = new Block();
  const integers = { shape: [4, length], dtype: 'i32' };
  return {
    model,
    inputs: { x: integers, y: integers },
    values: { x: classes(4 * length, words), y: classes(4 * length, words) },
    loss: ({ x, y }) => model.forward(x).reshape([-1, words]).crossEntropy(y.reshape([-1])),
  };
}
