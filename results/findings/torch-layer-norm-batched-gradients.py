"""Gradients of layer_norm taken for several cotangents at once have wrong derivatives of their own.

So have those of batch_norm. The gradient of jacrev, or of a mapped pullback, lacks what the mean and
the deviation of the input have to do with it; the gradient of the pullback itself is right.
"""

import sys

import torch
from torch.func import grad, vjp, vmap

x = torch.tensor([[1.0, -2.0, 0.5]], dtype=torch.float64)
weight = torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64)
cotangent = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64)
tangent = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


def norm(a, w):
    """Normalize the rows of a matrix."""
    return torch.nn.functional.layer_norm(a, (3,), w)


def slope(a):
    """Pair the gradient for the weight with the tangent."""
    return (vjp(norm, a, weight)[1](cotangent)[1] * tangent).sum()


def slope_of_a_batch(a):
    """Do the same by a batch of one cotangent."""
    gradients = vmap(vjp(norm, a, weight)[1])(cotangent[None])
    return (gradients[1][0] * tangent).sum()


expected, got = grad(slope)(x), grad(slope_of_a_batch)(x)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.allclose(expected, got))
