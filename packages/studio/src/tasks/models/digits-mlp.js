import { crossEntropy, nn } from 'brasa';

// Digits of 28 by 28 pixels, seen as 784 numbers.
export const model = new nn.Sequential(
  new nn.Linear(784, 128),
  new nn.ReLU(),
  new nn.Linear(128, 10),
);

/** What is made small: images x [batch, 784], their digits y [batch]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x), y);
}

/** How likely each digit is. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
