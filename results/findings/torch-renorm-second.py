"""The second derivative of renorm at a row of zeros is nan.

Rows that are shorter than the bound are left as they are: their second derivative is 0. Nothing was
found upstream (2026-11-23); https://github.com/pytorch/pytorch/issues/80804 is about a bound of 0.
"""

import sys

import torch

x = torch.zeros(1, 2, dtype=torch.float64, requires_grad=True)
(slope,) = torch.autograd.grad(torch.renorm(x, 2, 0, 0.125).sum(), x, create_graph=True)
(bend,) = torch.autograd.grad(slope.sum(), x)
expected, got = [[0.0, 0.0]], bend.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
