"""clamp between two tensors of which one is wider has no backward pass."""

import sys

import torch

x, high = (torch.zeros(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
low = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
expected = torch.autograd.grad(torch.minimum(torch.maximum(x, low), high).sum(), (x, low, high))
print("expected", [g.tolist() for g in expected])
try:
    got = torch.autograd.grad(torch.clamp(x, low, high).sum(), (x, low, high))
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
print("got     ", [g.tolist() for g in got])
