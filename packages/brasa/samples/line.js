// Fits a line to points by gradient descent, with an explicit training loop as in PyTorch.
import { init, nn, optim, tensor } from 'brasa';

const { device, why } = await init();
console.log(`on the ${device}: ${why}`);

const x = tensor([[0], [1], [2], [3]]);
const y = tensor([[1], [3], [5], [7]]);
const model = new nn.Linear(1, 1);
const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
for (let step = 0; step <= 200; step += 1) {
  const loss = model.forward(x).sub(y).square().mean();
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  if (step % 50 === 0) console.log(`step ${step}: loss ${(await loss.item()).toExponential(2)}`);
}
console.log(`y = ${(await model.weight.item()).toFixed(2)} x + ${(await model.bias.item()).toFixed(2)}`);
