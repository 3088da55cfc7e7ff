// Records the warm-up messages of engines: small training steps. Browsers compile the functions of a module when they are
// first called, and optimize them when they turn out to be hot: the first step of a page would wait for both.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { convolutions, perceptron, transformer } from './models.mjs';

/** The messages that the package in this folder sends for a few steps of each model. */
export async function messages(dist) {
  const sent = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.kind === 'run' && message.commands.length > 0) {
      if (message.uploads.length > 0) throw new Error('uploads cannot be recorded');
      sent.push(message.commands.slice());
    }
    return post.call(this, message, ...rest);
  };
  try {
    const brasa = await import(pathToFileURL(path.join(dist, 'index.js')).href);
    await brasa.init({ device: 'cpu', threads: 1, seed: 1 });
    for (const model of [perceptron, convolutions, transformer]) await train(brasa, model(brasa));
    brasa.terminate();
  } finally {
    Worker.prototype.postMessage = post;
  }
  return sent;
}

/** Enough for matrix products to become hot. */
const STEPS = 6;

async function train({ compile, optim }, { model, inputs, values, loss }) {
  const optimizer = new optim.Adam(model.parameters(), { lr: 1e-3 });
  const step = compile({ model, optimizer, inputs, loss });
  for (let n = 0; n < STEPS; n += 1) {
    const result = await step.step(values);
    if (result.status !== 'completed') throw result.error;
  }
  step.destroy();
}
