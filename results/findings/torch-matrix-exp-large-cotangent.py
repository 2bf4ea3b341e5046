"""The gradient of matrix_exp is wrong where the cotangent is large, as that of a scaled loss is."""

import sys

import torch

x = torch.tensor([[0.75, 0.75], [0.75, -0.5]], dtype=torch.float64, requires_grad=True)
cotangent = torch.tensor([[1.5, 2.0], [6.75, -5.5]], dtype=torch.float64)
y = torch.linalg.matrix_exp(x)
scale = 2.0**60
(expected,) = torch.autograd.grad(y, x, cotangent, retain_graph=True)
(got,) = torch.autograd.grad(y, x, scale * cotangent)
print("expected", expected.tolist())
print("got     ", (got / scale).tolist())
sys.exit(not torch.allclose(got / scale, expected))
