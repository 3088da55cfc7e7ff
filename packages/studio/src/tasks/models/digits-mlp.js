import { crossEntropy, nn } from 'brasa';

// Classifies 28x28 digits, flattened to 784 values.
export const model = new nn.Sequential(
  new nn.Linear(784, 128),
  new nn.ReLU(),
  new nn.Linear(128, 10),
);

/** Cross entropy of images x [batch, 784] and labels y [batch]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x), y);
}

/** Class probabilities. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
