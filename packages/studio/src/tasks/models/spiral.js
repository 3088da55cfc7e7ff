import { crossEntropy, nn } from 'brasa';

// Three spiral arms, classified by their 2D coordinates.
export const model = new nn.Sequential(
  new nn.Linear(2, 48),
  new nn.Tanh(),
  new nn.Linear(48, 48),
  new nn.Tanh(),
  new nn.Linear(48, 3),
);

/** Cross entropy of points x [batch, 2] and arms y [batch]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x), y);
}

/** Class probabilities, drawn as the decision boundary. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
