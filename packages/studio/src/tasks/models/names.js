import { crossEntropy, nn } from 'brasa';

// First names, letter by letter: 26 letters and the end.
class Names extends nn.Module {
  constructor() {
    super();
    this.letters = new nn.Embedding(27, 16);
    this.memory = new nn.LSTM(16, 64);
    this.head = new nn.Linear(64, 27);
  }

  forward(x) {
    const [seen] = this.memory.forward(this.letters.forward(x));
    return this.head.forward(seen);
  }
}

export const model = new Names();

/** What is made small: letters x [batch, time] and those that follow, y [batch, time]. */
export function loss(x, y) {
  return crossEntropy(model.forward(x).reshape([-1, 27]), y.reshape([-1]));
}

/** How likely each letter is to follow. */
export function predict(x) {
  return model.forward(x).softmax(-1);
}
