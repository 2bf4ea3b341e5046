"""Forward mode and backward mode of cholesky_inverse disagree, and differences say which is wrong."""

import sys

import torch

factor = torch.tensor([[2.0, 0.0], [1.0, 3.0]], dtype=torch.float64)
along = torch.tensor([[0.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
_, got = torch.func.jvp(torch.cholesky_inverse, (factor,), (along,))
step = 1e-6
ends = [torch.cholesky_inverse(factor + side * step * along) for side in (1, -1)]
expected = (ends[0] - ends[1]) / (2 * step)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.allclose(got, expected, atol=1e-6))
