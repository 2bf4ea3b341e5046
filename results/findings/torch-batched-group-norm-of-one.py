"""Gradients of group_norm for several cotangents at once are recorded wrongly where nothing fails.

Of a batch of one the shapes fit by chance; one cotangent after the other is recorded rightly.
"""

import sys

import torch

x = torch.tensor([[[1.0, 0.0], [0.5, 1.5]]], requires_grad=True)
weight = torch.tensor([2.0, -2.0])
y = torch.nn.functional.group_norm(x, 1, weight)
cotangents = torch.stack([torch.ones(1, 2, 2), torch.arange(4.0).reshape(1, 2, 2)])
cotangents.requires_grad_()


def derivative(gradients):
    """Return the derivative of the last gradient by its cotangent, along a line."""
    along = torch.arange(1.0, 5.0).reshape(1, 2, 2)
    return torch.autograd.grad(gradients[1], cotangents, along, retain_graph=True)[0][1]


single = [torch.autograd.grad(y, x, c, create_graph=True)[0] for c in cotangents]
expected = derivative(single)
print("expected", expected)
try:
    several = torch.autograd.grad(y, x, cotangents, create_graph=True, is_grads_batched=True)[0]
    got = derivative(several)
except RuntimeError as error:
    print("got     ", f"RuntimeError: {error}")
    sys.exit(1)
print("got     ", got)
sys.exit(not torch.allclose(got, expected, atol=1e-4))
