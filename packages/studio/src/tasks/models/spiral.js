import { crossEntropy, nn } from 'brasa';

// Three arms of a spiral, to be told apart by two coordinates.
export const model = new nn.Sequential(
  new nn.Linear(2, 48),
  new nn.Tanh(),
  new nn.Linear(48, 48),
  new nn.Tanh(),
  new nn.Linear(48, 3),
);

/** What is made small: points x [batch, 2], their arms y [batch]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x), y);
}

/** What the picture shows: how likely each arm is. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
