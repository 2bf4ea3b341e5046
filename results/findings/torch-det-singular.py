"""The gradient of det is zero at a singular matrix, whose cofactors are not zero."""

import sys

import torch

expected = [[4.0, -2.0], [-2.0, 1.0]]
x = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
(found,) = torch.autograd.grad(torch.linalg.det(x), x)
print("expected", expected)
print("got     ", found.tolist())
sys.exit(not torch.allclose(found, torch.tensor(expected, dtype=torch.float64)))
