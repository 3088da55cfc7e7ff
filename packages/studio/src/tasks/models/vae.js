import { binaryCrossEntropyWithLogits, nn, randnLike } from 'brasa';

// Digits squeezed into two numbers and back: a variational autoencoder.
class Squeeze extends nn.Module {
  constructor() {
    super();
    this.encoder = new nn.Sequential(new nn.Linear(784, 128), new nn.ReLU(), new nn.Linear(128, 4));
    this.decoder = new nn.Sequential(new nn.Linear(2, 128), new nn.ReLU(), new nn.Linear(128, 784));
  }

  forward(x) {
    return this.encoder.forward(x);
  }
}

export const model = new Squeeze();

/** What is made small: how badly images x [batch, 784] come back, and how far codes stray from a bell. */
export function loss(x) {
  const [mean, spread] = model.forward(x).chunk(2, -1);
  const code = mean.add(randnLike(mean).mul(spread.mul(0.5).exp()));
  const wrong = binaryCrossEntropyWithLogits(model.decoder.forward(code), x, { reduction: 'sum' });
  const stray = mean.square().add(spread.exp()).sub(spread).sub(1).sum().mul(0.5);
  return wrong.add(stray).div(x.shape[0]);
}

/** Where an image lies: the mean of its code, and its spread. */
export function predict(x) {
  return model.forward(x);
}

/** What a place looks like. */
export function decode(code) {
  return model.decoder.forward(code).sigmoid();
}
