"""group_norm with a bias and without a weight has no backward pass: it raises."""

import sys

import torch

x = torch.randn(2, 4, 3, dtype=torch.float64)
bias = torch.zeros(4, dtype=torch.float64, requires_grad=True)
value = torch.nn.functional.group_norm(x, 2, None, bias)
try:
    (got,) = torch.autograd.grad(value.sum(), bias)
except RuntimeError as error:
    got = error
expected = torch.full((4,), 6.0, dtype=torch.float64)
print("expected", expected)
print("got     ", got)
sys.exit(not (isinstance(got, torch.Tensor) and torch.equal(got, expected)))
