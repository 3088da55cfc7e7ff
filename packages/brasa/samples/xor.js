// Learns XOR with a compiled training step: recorded once, then one program per step.
import { compile, init, manualSeed, nn, optim } from 'brasa';

await init();
manualSeed(1);
const model = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 1));
const train = compile({
  model,
  optimizer: new optim.Adam(model.parameters(), { lr: 0.05 }),
  inputs: { x: [4, 2], y: [4, 1] },
  loss: ({ x, y }) => model.forward(x).sub(y).square().mean(),
});
const predict = train.attach({ inputs: { x: [4, 2] }, forward: ({ x }) => model.forward(x) });
const batch = { x: Float32Array.of(0, 0, 0, 1, 1, 0, 1, 1), y: Float32Array.of(0, 1, 1, 0) };
for (let step = 0; step <= 300; step += 1) {
  const result = await train.step(batch);
  if (result.status === 'failed') throw result.error;
  if (step % 100 === 0) console.log(`step ${step}: loss ${result.loss.toExponential(2)}`);
}
const { output } = await predict.run({ x: batch.x });
console.log(`0 0, 0 1, 1 0, 1 1 give ${Array.from(output, (z) => Math.round(z)).join(', ')}`);
