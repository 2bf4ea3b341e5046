"""Mapped twice over its input alone, the gradient of a mean loss has no derivative by its cotangent.

Each slice by itself has one; mapped, a sum is taken over as many axes as if the target, which is
not mapped, had those of the input.
"""

import sys

import torch
from torch.func import vjp, vmap
from torch.nn.functional import mse_loss

target = torch.ones(3)


def slope(cotangent, x):
    """Return the gradient of the loss of a row."""
    return vjp(lambda x: mse_loss(x, target), x)[1](cotangent)[0]


def derivative(x):
    """Return the derivatives of the mapped gradient by its cotangents."""
    cotangents = torch.ones(2)
    _, pull = vjp(lambda c: vmap(slope)(c, x), cotangents)
    return pull(torch.ones(2, 3))[0]


x = torch.arange(12.0).reshape(2, 2, 3)
expected = torch.stack([derivative(rows) for rows in x])
try:
    got = vmap(derivative)(x)
except RuntimeError as error:
    got = error
print("expected", expected)
print("got     ", got)
sys.exit(not (isinstance(got, torch.Tensor) and torch.equal(got, expected)))
