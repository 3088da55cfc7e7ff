import { crossEntropy, nn } from 'brasa';

// Classifies 28x28 digits with two convolutions and a linear layer.
class Digits extends nn.Module {
  constructor() {
    super();
    this.features = new nn.Sequential(
      new nn.Conv2d(1, 8, 3, { padding: 1 }),
      new nn.ReLU(),
      new nn.MaxPool2d(2),
      new nn.Conv2d(8, 16, 3, { padding: 1 }),
      new nn.ReLU(),
      new nn.MaxPool2d(2),
    );
    this.head = new nn.Linear(16 * 7 * 7, 10);
  }

  forward(x) {
    return this.head.forward(this.features.forward(x.reshape([-1, 1, 28, 28])).flatten(1));
  }
}

export const model = new Digits();

/** Cross entropy of images x [batch, 784] and labels y [batch]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x), y);
}

/** Class probabilities. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
