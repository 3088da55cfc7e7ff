import { binaryCrossEntropyWithLogits, nn, randnLike } from 'brasa';

// A variational autoencoder of digits with a two-dimensional latent space.
class VAE extends nn.Module {
  constructor() {
    super();
    this.encoder = new nn.Sequential(new nn.Linear(784, 128), new nn.ReLU(), new nn.Linear(128, 4));
    this.decoder = new nn.Sequential(new nn.Linear(2, 128), new nn.ReLU(), new nn.Linear(128, 784));
  }

  forward(x) {
    return this.encoder.forward(x);
  }
}

export const model = new VAE();

/** Reconstruction error of images x [batch, 784] plus the KL divergence of codes from N(0, 1). */
export function loss(x) {
  const [mean, logVar] = model.forward(x).chunk(2, -1);
  const code = mean.add(randnLike(mean).mul(logVar.mul(0.5).exp()));
  const reconstruction = binaryCrossEntropyWithLogits(model.decoder.forward(code), x, { reduction: 'sum' });
  const kl = mean.square().add(logVar.exp()).sub(logVar).sub(1).sum().mul(0.5);
  return reconstruction.add(kl).div(x.shape[0]);
}

/** Mean and log variance of each image's code. */
export function predict(x) {
  return model.forward(x);
}

/** The image of a code. */
export function decode(code) {
  return model.decoder.forward(code).sigmoid();
}
