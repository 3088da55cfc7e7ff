"""Products of matrices in PyTorch, for `cargo x bench gemm --peers`: answers lines of threads, m, k, n,
batch and milliseconds with the best GFLOP/s in that time."""
import sys
import time

import torch


def best(threads, m, k, n, batch, milliseconds):
    torch.set_num_threads(threads)
    many = (batch,) if batch > 1 else ()
    a, b, c = torch.rand(*many, m, k), torch.rand(*many, k, n), torch.empty(*many, m, n)
    multiply = torch.bmm if many else torch.mm

    def seconds(calls):
        start = time.perf_counter()
        for _ in range(calls):
            multiply(a, b, out=c)
        return (time.perf_counter() - start) / calls

    seconds(1)
    calls = max(1, int(5e-5 / seconds(3)))
    end, samples = time.perf_counter() + milliseconds / 1e3, []
    while time.perf_counter() < end or len(samples) < 5:
        samples.append(seconds(calls))
    return 2e-9 * batch * m * k * n / min(samples)


for line in sys.stdin:
    print(best(*map(int, line.split())), flush=True)
