"""The variance along an empty tuple of axes is that of all entries; its gradient is infinite."""

import sys

import torch

x = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], requires_grad=True)
torch.var(x, dim=(0, 1)).backward()
expected = x.grad.tolist()
x.grad = None
torch.var(x, dim=()).backward()
got = x.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
