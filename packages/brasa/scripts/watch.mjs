// Watches which functions of the recorder typical programs call:  node packages/brasa/scripts/watch.mjs FILE
// dist/wasm/recorder_bg.wasm is a module that tells of each; their numbers are written to FILE. They become what a page
// loads at once, and all others come later: see xtask/wasm/src/split.rs. A program that calls nothing else never waits.
// With --costs each program tells how many functions it adds. What is added here makes pages larger: ceilings stand in
// build.mjs.
import fs from 'node:fs';
import { convolutions, perceptron, transformer } from './models.mjs';

const seen = new Set();
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = (module, { page, ...imports }) =>
  instantiate(module, { ...imports, page: { ...page, seen: (n) => void seen.add(n) } });

const brasa = await import('../dist/index.js');
const {
  binaryCrossEntropyWithLogits, compile, crossEntropy, init, nn, noGrad, optim, rand, randnLike, Tensor, tensor, terminate,
} = brasa;

/** The batch of a model as tensors. */
function tensors({ inputs, values }) {
  const made = ([name, value]) => {
    const { shape = inputs[name] } = inputs[name];
    return [name, value instanceof Tensor ? value : tensor(value, { shape })];
  };
  return Object.fromEntries(Object.entries(values).map(made));
}

/** A loop as PyTorch has it, and a look at what was learnt. */
async function recorded(made, optimizer) {
  const { model, loss } = made;
  const batch = tensors(made);
  for (let n = 0; n < 3; n += 1) {
    const wrong = loss(batch);
    optimizer.zeroGrad();
    wrong.backward();
    optimizer.step();
    await wrong.item();
  }
  const { x, y } = batch;
  const right = noGrad(() => model.forward(x).argmax(-1).eq(y).to('f32').mean());
  await right.item();
}

async function compiled(made, optimizer) {
  const { model, inputs, values, loss } = made;
  const step = compile({ model, optimizer, inputs, loss });
  for (let n = 0; n < 3; n += 1) {
    const { status, error } = await step.step(values);
    if (status !== 'completed') throw error;
  }
  const predict = compile((x) => model.forward(x).softmax(-1));
  await (await predict.run(tensors(made).x)).toArray();
  step.destroy();
}

const models = { perceptron, convolutions, transformer };

const programs = {
  async 'a first program'() {
    const x = tensor([[0, 0], [0, 1], [1, 0], [1, 1]]);
    const y = tensor([[0], [1], [1], [0]]);
    const model = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 1), new nn.Sigmoid());
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.05, momentum: 0.9 });
    for (let n = 0; n < 3; n += 1) {
      const loss = model.forward(x).sub(y).square().mean();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      await loss.item();
    }
    await model.forward(x).toArray();
  },
  async 'letters by an LSTM'() {
    const [letters, memory, head] = [new nn.Embedding(27, 16), new nn.LSTM(16, 32), new nn.Linear(32, 27)];
    const optimizer = new optim.Adam([letters, memory, head].flatMap((part) => part.parameters()));
    const x = tensor(Int32Array.from({ length: 12 }, (_, n) => n % 27), { shape: [2, 6] });
    const [seen] = memory.forward(letters.forward(x));
    letters.weight.indexSelect(0, x.reshape([-1]));
    crossEntropy(head.forward(seen).reshape([-1, 27]), x.reshape([-1])).backward();
    optimizer.step();
  },
  async 'a variational autoencoder'() {
    const [encoder, decoder] = [new nn.Linear(8, 4), new nn.Linear(2, 8)];
    const x = rand([4, 8]);
    const [mean, spread] = encoder.forward(x).chunk(2, -1);
    const code = mean.add(randnLike(mean).mul(spread.mul(0.5).exp()));
    const wrong = binaryCrossEntropyWithLogits(decoder.forward(code), x, { reduction: 'sum' });
    wrong.add(mean.square().add(spread.exp()).sub(spread).sub(1).sum().mul(0.5)).div(4).backward();
    await decoder.forward(code).sigmoid().toArray();
  },
  async 'layers of larger networks'() {
    const body = new nn.Sequential(
      new nn.Conv2d(3, 8, 3, { padding: 1, bias: false }), new nn.BatchNorm2d(8), new nn.SiLU(), new nn.Dropout(0.1),
      new nn.AvgPool2d(2), new nn.Conv2d(8, 8, 3, { stride: 2 }), new nn.Flatten(), new nn.Linear(8, 10),
    );
    body.forward(rand([2, 3, 8, 8])).crossEntropy(tensor(Int32Array.of(1, 2))).backward();
    body.eval().forward(rand([2, 3, 8, 8])).logSoftmax(1);
  },
  async 'mistakes'() {
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    for (const mistake of [() => x.matmul(x), () => rand([2, 3]).matmul(x), () => x.add(rand([2])), () => x.reshape([4])]) {
      try {
        mistake();
      } catch (error) {
        if (error.name === 'ShapeError') continue;
        throw error;
      }
      throw new Error('that was no mistake');
    }
  },
};
for (const [name, model] of Object.entries(models)) {
  programs[`${name}, recorded`] = () => {
    const made = model(brasa);
    return recorded(made, new optim.Adam(made.model.parameters(), { lr: 1e-3 }));
  };
  programs[`${name}, compiled`] = () => {
    const made = model(brasa);
    return compiled(made, new optim.AdamW(made.model.parameters(), { lr: 1e-3 }));
  };
}

const costs = process.argv.includes('--costs');
await init({ device: 'cpu', threads: 1, seed: 1 });
for (const [name, program] of Object.entries(programs)) {
  const before = seen.size;
  await program();
  if (costs) console.log(`${name}: ${seen.size - before} functions`);
}
terminate();
fs.writeFileSync(process.argv[2], [...seen].join('\n'));
