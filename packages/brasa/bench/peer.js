// Brasa as a peer of the browser benchmark: compiled training steps, each of which uploads its batch.
import { DIM, initW, randn, ring } from '../harness.js';

// Joined at run time: a bundler would resolve the file.
const brasa = await import(['', 'vendor', 'brasa', 'index.js'].join('/'));
const { compile, nn, optim, tensor } = brasa;

let seed = 0;
const param = (shape, fan) => new nn.Parameter(fan ? tensor(initW(shape, fan, ++seed), { shape }) : brasa.zeros(shape));
const ones = (shape) => new nn.Parameter(brasa.ones(shape));

/** A linear layer with the initial weights of all peers. */
class Linear extends nn.Module {
  constructor(from, to) {
    super();
    this.weight = param([from, to], from);
    this.bias = param([to]);
  }
  forward(x) {
    return x.matmul(this.weight).add(this.bias);
  }
}

class Norm extends nn.Module {
  constructor(width) {
    super();
    this.weight = ones([width]);
    this.bias = param([width]);
    this.width = width;
  }
  forward(x) {
    return x.layerNorm([this.width], { weight: this.weight, bias: this.bias });
  }
}

class Mlp extends nn.Module {
  constructor(widths) {
    super();
    this.layers = widths.slice(1).map((to, n) => new Linear(widths[n], to));
  }
  forward(x) {
    return this.layers.reduce((h, layer, n) => (n === 0 ? layer.forward(h) : layer.forward(h.relu())), x);
  }
}

class Cnn extends nn.Module {
  constructor() {
    super();
    this.w1 = param([32, 1, 3, 3], 9);
    this.b1 = param([32]);
    this.w2 = param([64, 32, 3, 3], 288);
    this.b2 = param([64]);
    this.hidden = new Linear(9216, 128);
    this.head = new Linear(128, 10);
  }
  forward(x) {
    const h = x.conv2d(this.w1, { bias: this.b1 }).relu().conv2d(this.w2, { bias: this.b2 }).relu();
    return this.head.forward(this.hidden.forward(h.maxPool2d(2).reshape([-1, 9216])).relu());
  }
}

class Gpt extends nn.Module {
  constructor({ V, T, D, L }) {
    super();
    this.tokens = param([V, D], D);
    this.places = param([T, D], D);
    this.norm = new Norm(D);
    this.head = new Linear(D, V);
    this.blocks = Array.from({ length: L }, () => new Block(D));
  }
  forward(x) {
    const h = this.tokens.indexSelect(0, x.reshape([-1])).reshape([...x.shape, this.tokens.shape[1]]).add(this.places);
    return this.head.forward(this.norm.forward(this.blocks.reduce((h, block) => block.forward(h), h)));
  }
}

class Block extends nn.Module {
  constructor(D) {
    super();
    [this.n1, this.n2] = [new Norm(D), new Norm(D)];
    [this.q, this.k, this.v, this.o] = [0, 1, 2, 3].map(() => new Linear(D, D));
    [this.f1, this.f2] = [new Linear(D, 4 * D), new Linear(4 * D, D)];
  }
  forward(x) {
    const { T, D, H } = DIM.W3;
    const heads = (y) => y.reshape([-1, T, H, D / H]).transpose(1, 2);
    const h = this.n1.forward(x);
    const [q, k, v] = [this.q, this.k, this.v].map((layer) => heads(layer.forward(h)));
    const a = brasa.scaledDotProductAttention(q, k, v, { isCausal: true }).transpose(1, 2).reshape([-1, T, D]);
    const y = x.add(this.o.forward(a));
    return y.add(this.f2.forward(this.f1.forward(this.n2.forward(y)).gelu({ approximate: 'tanh' })));
  }
}

function trainer(workload, model, inputs, loss, optimizer) {
  const next = ring(workload);
  const step = compile({ model, loss: ({ x, y }) => loss(model.forward(x), y), optimizer: optimizer(model), inputs });
  return {
    async block(n) {
      let last;
      for (let i = 0; i < n; i++) {
        last?.loss.dispose();
        last = step.enqueue(next());
      }
      const value = await last.loss.item();
      last.loss.dispose();
      return value;
    },
    dispose: () => step.destroy(),
  };
}

const adam = (model) => new optim.Adam(model.parameters(), { lr: 1e-3 });
const classes = (logits, y) => logits.crossEntropy(y);
const i32 = (shape) => ({ shape, dtype: 'i32' });

export async function create({ backend }) {
  return {
    version: brasa.version ?? '0.1.0',
    async init() {
      const chosen = await brasa.init({ device: backend === 'webgpu' ? 'webgpu' : 'cpu', threads: navigator.hardwareConcurrency, warm: true });
      if (chosen.device !== (backend === 'webgpu' ? 'webgpu' : 'cpu')) throw new Error(`it runs on ${chosen.device}`);
    },
    W1: () => trainer('W1', new Mlp(DIM.W1.D), { x: [DIM.W1.B, 784], y: i32([DIM.W1.B]) }, classes, adam),
    W2: () => trainer('W2', new Cnn(), { x: [DIM.W2.B, 1, 28, 28], y: i32([DIM.W2.B]) }, classes, adam),
    W3() {
      const { B, T, V } = DIM.W3;
      const loss = (logits, y) => logits.reshape([B * T, V]).crossEntropy(y.reshape([-1]));
      const adamW = (model) => new optim.AdamW(model.parameters(), { lr: 1e-3, weightDecay: 0.01 });
      return trainer('W3', new Gpt(DIM.W3), { x: i32([B, T]), y: i32([B, T]) }, loss, adamW);
    },
    W4() {
      const sgd = (model) => new optim.SGD(model.parameters(), { lr: 0.01 });
      return trainer('W4', new Mlp([2, 16, 16, 1]), { x: [32, 2], y: [32, 1] }, (guess, y) => guess.sub(y).square().mean(), sgd);
    },
    W5(batch) {
      const model = new Cnn();
      const forward = compile((x) => model.forward(x));
      const data = randn(batch * 784);
      return {
        async block(n) {
          let value = 0;
          for (let i = 0; i < n; i++) {
            const result = forward.run(tensor(data, { shape: [batch, 1, 28, 28] }));
            value = (await result.toArray())[0];
            result.dispose();
          }
          return value;
        },
      };
    },
    W6mm(n) {
      const weight = tensor(randn(n * n, 1 / Math.sqrt(n), 2), { shape: [n, n] });
      const forward = compile((x) => x.matmul(weight).matmul(weight).matmul(weight).matmul(weight));
      return chain(tensor(randn(n * n), { shape: [n, n] }), forward);
    },
    W6ew(n) {
      const [a, b, c, d] = [1, 2, 3, 4].map((s) => tensor(randn(n, 1, s)));
      return chain(a, compile((x) => x.mul(b).add(c).gelu({ approximate: 'tanh' }).mul(d)));
    },
  };
}

/** Calls that each take the previous result. */
function chain(first, forward) {
  let x = first;
  return {
    async block(n) {
      for (let i = 0; i < n; i++) {
        const next = forward.run(x);
        x.dispose();
        x = next;
      }
      return x.item();
    },
  };
}
