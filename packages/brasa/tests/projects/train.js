// Trained in every project: y = 2x + 1 by hand-written gradient descent, as a reader of the README would write it.
export async function train(brasa, options = {}) {
  const chosen = await brasa.init({ device: 'cpu', ...options });
  const { tensor, noGrad } = brasa;
  const x = tensor([[0], [1], [2], [3]]);
  const y = tensor([[1], [3], [5], [7]]);
  const w = tensor([[0]], { requiresGrad: true });
  const b = tensor([0], { requiresGrad: true });
  for (let step = 0; step < 300; step++) {
    const loss = x.matmul(w).add(b).sub(y).square().mean();
    loss.backward();
    noGrad(() => {
      w.sub_(w.grad.mul(0.1));
      b.sub_(b.grad.mul(0.1));
    });
    w.grad = null;
    b.grad = null;
  }
  const result = { w: await w.item(), b: await b.item(), chosen };
  await brasa.terminate();
  return result;
}
