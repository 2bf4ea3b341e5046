"""The gradient of an embedding with scale_grad_by_freq is differentiated as if it were unscaled."""

import sys

import torch
from torch.nn.functional import embedding

table = torch.arange(6.0, dtype=torch.float64).reshape(3, 2).requires_grad_()
cotangent = torch.ones(3, 2, dtype=torch.float64, requires_grad=True)
rows = embedding(torch.tensor([0, 0, 1]), table, scale_grad_by_freq=True)
gradient, *_ = torch.autograd.grad(rows, table, cotangent, create_graph=True)
# Each cotangent of row 0, which stands there twice, counts a half.
got, *_ = torch.autograd.grad(gradient.sum(), cotangent)
expected = torch.tensor([[0.5, 0.5], [0.5, 0.5], [1.0, 1.0]], dtype=torch.float64)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.equal(got, expected))
