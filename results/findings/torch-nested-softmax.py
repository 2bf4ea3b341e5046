"""The gradient of softmax along rows of a nested tensor is that along another axis."""

import sys

import torch

values = torch.tensor([[0.0, 1.0], [2.0, 3.0]], requires_grad=True)
nested = torch.nested.nested_tensor_from_jagged(values, torch.tensor([0, 2]))
cotangent = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
(found,) = torch.autograd.grad(torch.softmax(nested, 1).values(), values, cotangent)
(wanted,) = torch.autograd.grad(torch.softmax(values, 0), values, cotangent)
print("expected", wanted.tolist())
print("got     ", found.tolist())
sys.exit(not torch.allclose(found, wanted))
