import { crossEntropy, nn } from 'brasa';

// Predicts first names letter by letter: 26 letters and an end symbol.
class Names extends nn.Module {
  constructor() {
    super();
    this.letters = new nn.Embedding(27, 16);
    this.lstm = new nn.LSTM(16, 64);
    this.head = new nn.Linear(64, 27);
  }

  forward(x) {
    const [y] = this.lstm.forward(this.letters.forward(x));
    return this.head.forward(y);
  }
}

export const model = new Names();

/** Cross entropy of letters x [batch, time] and next letters y [batch, time]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x).reshape([-1, 27]), y.reshape([-1]));
}

/** Probabilities of the next letter. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
